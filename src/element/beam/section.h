/* Cross-section of a beam or cable: stiffness and inertia per unit length in the section's own axes, x along
 * the beam, y and z across.
 *
 *     (N, M) = C (Γ − Γ0, κ − κ0),  order: axial, shear y, shear z, torsion, bending y, bending z
 *     kinetic energy per length = ½ m |v|² + v·(ω × S) + ½ ω·J ω,  all in section axes about the reference
 * line */
#ifndef VERGE_ELEMENT_BEAM_SECTION_H
#define VERGE_ELEMENT_BEAM_SECTION_H

#include "base/field.h"
#include "base/status.h"
#include "element/force/force.h"

/* As written in the model file. Absent numbers are NAN, absent lists have n = 0. */
typedef struct vgSectionDef {
    vgNumbers rectangle, tube;         /* [width along y, height along z], [outer radius, inner radius] */
    double circle;                     /* radius */
    double E, nu, G, rho;              /* material */
    double EA, GAy, GAz, GJ, EIy, EIz; /* given directly; stand above what the shape gives */
    double m, Jx, Jy, Jz;              /* about the mass centre */
    vgNumbers stiffness;               /* all of C: 36 numbers by rows, or 21 of the upper triangle */
    vgNumbers mass_centre, elastic_centre, shear_centre; /* [y, z] */
} vgSectionDef;

typedef struct vgSection {
    double C[36];
    double m;
    vgVec3 S;
    vgMat3 J;
} vgSection;

/* Rows of the field table for a def struct `type` whose member `section` is a vgSectionDef: those of a cable, and
 * all of a beam. */
#define VG_SECTION_ROW(type, key, kind, member, unit, min, max, doc)                                         \
    {                                                                                                        \
        key, kind, offsetof(type, section.member), unit, "", min, max, doc                                   \
    }
#define VG_SECTION_CABLE_FIELDS(type)                                                                        \
    VG_SECTION_ROW(type, "rectangle", VG_FIELD_NUMBERS, rectangle, "m", 0, 0,                                \
                   "solid rectangle: [width along y, height along z]"),                                      \
        VG_SECTION_ROW(type, "circle", VG_FIELD_NUMBER, circle, "m", 0, 1e9, "solid circle: its radius"),    \
        VG_SECTION_ROW(type, "tube", VG_FIELD_NUMBERS, tube, "m", 0, 0,                                      \
                       "circular tube: [outer radius, inner radius]"),                                       \
        VG_SECTION_ROW(type, "E", VG_FIELD_NUMBER, E, "Pa", 0, 1e18, "Young's modulus"),                     \
        VG_SECTION_ROW(type, "rho", VG_FIELD_NUMBER, rho, "kg/m^3", 0, 1e9, "density"),                      \
        VG_SECTION_ROW(type, "EA", VG_FIELD_NUMBER, EA, "N", 0, 1e18, "axial stiffness"),                    \
        VG_SECTION_ROW(type, "m", VG_FIELD_NUMBER, m, "kg/m", 0, 1e12, "mass per length")
#define VG_SECTION_FIELDS(type)                                                                              \
    VG_SECTION_CABLE_FIELDS(type),                                                                           \
        VG_SECTION_ROW(type, "nu", VG_FIELD_NUMBER, nu, "", -1, 0.5,                                         \
                       "Poisson's ratio; 0.3 when neither nu nor G is given"),                               \
        VG_SECTION_ROW(type, "G", VG_FIELD_NUMBER, G, "Pa", 0, 1e18,                                         \
                       "shear modulus; E/(2(1+nu)) by default"),                                             \
        VG_SECTION_ROW(type, "GAy", VG_FIELD_NUMBER, GAy, "N", 0, 1e18,                                      \
                       "shear stiffness along y, shear factor included; GAz by default, of a shape k G A "   \
                       "with the factor "                                                                    \
                       "of Cowper (1966)"),                                                                  \
        VG_SECTION_ROW(type, "GAz", VG_FIELD_NUMBER, GAz, "N", 0, 1e18,                                      \
                       "shear stiffness along z; GAy by default"),                                           \
        VG_SECTION_ROW(type, "GJ", VG_FIELD_NUMBER, GJ, "N*m^2", 0, 1e18, "torsional stiffness"),            \
        VG_SECTION_ROW(type, "EIy", VG_FIELD_NUMBER, EIy, "N*m^2", 0, 1e18,                                  \
                       "bending stiffness about y; EIz by default"),                                         \
        VG_SECTION_ROW(type, "EIz", VG_FIELD_NUMBER, EIz, "N*m^2", 0, 1e18,                                  \
                       "bending stiffness about z; EIy by default"),                                         \
        VG_SECTION_ROW(type, "Jx", VG_FIELD_NUMBER, Jx, "kg*m", 0, 1e12,                                     \
                       "inertia per length about x through the mass centre; Jy + Jz by default"),            \
        VG_SECTION_ROW(type, "Jy", VG_FIELD_NUMBER, Jy, "kg*m", 0, 1e12,                                     \
                       "inertia per length about y; m EIy/EA by default"),                                   \
        VG_SECTION_ROW(type, "Jz", VG_FIELD_NUMBER, Jz, "kg*m", 0, 1e12,                                     \
                       "inertia per length about z; m EIz/EA by default"),                                   \
        VG_SECTION_ROW(type, "stiffness", VG_FIELD_NUMBERS, stiffness, "", 0, 0,                             \
                       "the whole 6x6 section stiffness by rows (36 numbers) or its upper triangle (21); "   \
                       "order axial, shear y, shear z, torsion, bending y, bending z"),                      \
        VG_SECTION_ROW(type, "mass-centre", VG_FIELD_NUMBERS, mass_centre, "m", 0, 0,                        \
                       "[y, z] of the centre of mass from the reference line"),                              \
        VG_SECTION_ROW(type, "elastic-centre", VG_FIELD_NUMBERS, elastic_centre, "m", 0, 0,                  \
                       "[y, z] where an axial force does not bend"),                                         \
        VG_SECTION_ROW(type, "shear-centre", VG_FIELD_NUMBERS, shear_centre, "m", 0, 0,                      \
                       "[y, z] where a transverse force does not twist")

/* Width and height of the section: from its shape, else of the rectangle with the same stiffnesses (0: not known). */
void vg_section_look(const vgSectionDef *def, const vgSection *section, vgForceLook *out);

/* Fills out. planar: only EA, GAy, EIz, m and Jz are asked for. VG_BAD_INPUT: *key is the field at fault
 * (NULL: the whole entry) and *why says what is wrong. */
vgStatus vg_section_make(const vgSectionDef *def, int planar, vgSection *out, const char **key,
                         const char **why);
/* A cable's: EA and m only. */
vgStatus vg_section_make_cable(const vgSectionDef *def, double *EA, double *m, const char **key,
                               const char **why);

#endif

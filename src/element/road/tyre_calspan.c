/* Calspan tyre: lateral force and aligning moment that saturate with the slip angle and depend on the load
 * (Schuring, Kunkel, Massing and Roland 1974, as in the IAVSD road-vehicle benchmark, Frik, Leister and
 * Schwartz 1993).
 *
 *     F    = min(N, A2)                                       A_Ω = 1
 *     C    = (A1 F (A2 − F) + A0 A2)/A2                       cornering stiffness
 *     C_γ  = A3 F (A4 − F)/A4                                 camber stiffness
 *     P    = μ N,  μ = (B1 N + B3 + B4 N²) SN                 greatest lateral force
 *     ᾱ    = −(C α + C_γ γ)/P
 *     g(ᾱ) = ᾱ − ᾱ|ᾱ|/3 + ᾱ³/27   for |ᾱ| < 3, else sign ᾱ
 *     F_y  = P g,   M_z = (F1 N + F2 |F_y|) F_y */
#include "element/road/tyre_four.h"

typedef struct vgTyreCalspan {
    vgTyre tyre;
    double A0, A1, A2, A3, A4, B1, B3, B4, skid, F1, F2;
} vgTyreCalspan;

#define COEFFICIENT(name, unit, fallback, low, doc)                                                          \
    {                                                                                                        \
#name, VG_FIELD_NUMBER, offsetof(vgTyreCalspan, name), unit, fallback, low,                          \
            (low) != 0 ? INFINITY : 0, doc                                                                   \
    }

static const vgField fields[] = {
    VG_TYRE_FIELDS(vgTyreCalspan, tyre),
    COEFFICIENT(A0, "N", "2625", 0, "cornering stiffness C = (A1 N (A2 - N) + A0 A2)/A2"),
    COEFFICIENT(A1, "", "14.47", 0, "of C"),
    COEFFICIENT(A2, "N", "12930", 1e-300, "of C; loads above count as A2"),
    COEFFICIENT(A3, "", "2.29", 0, "camber stiffness A3 N (A4 - N)/A4"),
    COEFFICIENT(A4, "N", "18175", 1e-300, "of the camber stiffness"),
    COEFFICIENT(B1, "1/N", "-0.464e-4", 0, "friction (B1 N + B3 + B4 N^2) skid"),
    COEFFICIENT(B3, "", "1.216", 0, "of the friction"),
    COEFFICIENT(B4, "1/N^2", "2.18e-11", 0, "of the friction"),
    COEFFICIENT(skid, "", "1.0274", 0, "ratio of skid numbers of road and test surface"),
    COEFFICIENT(F1, "m/N", "-0.171e-4", 0, "aligning moment (F1 N + F2 |Fy|) Fy"),
    COEFFICIENT(F2, "m/N", "0.171e-4", 0, "of the aligning moment"),
};

#define VG_WIDTH 1
#include "math/width.h"
#define WCALSPAN vgTyreCalspan
#include "element/road/tyre_calspan_formulas.h"

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    (void)planar;
    return vg_tyre_setup(def, vg_calspan_1, out);
}

typedef struct Four {
    vgTyreFour tyre;
    vgLane A0, A1, A2, A3, A4, B1, B3, B4, skid, F1, F2;
} Four;

#undef VG_WIDTH
#define VG_WIDTH 4
#include "math/width.h"
#undef WCALSPAN
#define WCALSPAN Four
#include "element/road/tyre_calspan_formulas.h"

static void pack(const void *const def[VG_LANES], void *out)
{
    Four *s = out;
    vgLane *to = &s->A0;
    vg_tyre_four_pack(def, vg_calspan_4, &s->tyre);
    for (size_t at = offsetof(vgTyreCalspan, A0); at <= offsetof(vgTyreCalspan, F2); at += sizeof(double))
        *to++ = vg_four_number(def, at);
}

static const vgForceFour four = {vg_tyre_four_group, sizeof(Four), pack, vg_tyre_four_eval,
                                 vg_tyre_four_tangent};

const vgForceKind vg_force_tyre_calspan = {
    .name = "tyre-calspan",
    .doc = "Tyre on a road, between the road's frame and a wheel: radial spring and damper, Calspan law of "
           "lateral force and aligning moment; the defaults are the tyre of the IAVSD Iltis. Outputs: "
           "normal, lateral (along the wheel's axis), aligning (moment about the normal), deflection, "
           "slip-angle, camber. A wheel that lies flat (its axis upright) is not carried.",
    .planar = 0,
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgTyreCalspan),
    .example = "FL: {tyre-calspan: [ground, wheel], radius: 0.364, stiffness: 4.6e5}",
    .setup = setup,
    .eval = vg_tyre_eval,
    .outputs = vg_tyre_outputs,
    .output = vg_tyre_output,
    .look = vg_tyre_look,
    .switches = vg_tyre_switches,
    .four = &four,
};

/* Shared by the tyre kinds: a wheel that touches a road at one point, radial spring and damper, and the geometry
 * for a law of lateral force. The kinds differ in that law.
 *
 * docs/theory.md, eq. 52a. All in the axes of the road's frame A; c the wheel's centre, e its axis, h(x) the road,
 * H = √(1 + h'²):
 *
 *     n = (−h', 0, 1)/H                 normal of the road at the point vertically below the centre
 *     ê_x = e×n/|e×n|,  ê_y = n×ê_x     along the track and across it, in the tangent plane
 *     ê_z = ê_x×e                       the spoke that touches the road
 *     L = (c_z − h)/H                   distance of the centre from the tangent plane
 *     r = L/|e×n|                       from the centre along the spoke to the point of contact
 *     γ = asin(n·e)                     camber; its force is reduced at low speed by v_x²/(v_x² + v0²)
 *     α = atan(v_y/√(v_x² + v0²))       slip angle of the velocity of the centre; v0 keeps it finite at zero speed
 *     N = max(0, k d − c n·v), d > 0    with the deflection d = R − L, or (R − (c_z − h))/H measured vertically
 *     F = N n + F_y ê_y                 at the point of contact
 *     M = M_z n                         (F_y, M_z) = law(N, α, γ)
 *
 * The force depends on the tangent plane below the centre only, so it has no exact potential and reports no
 * energy. Along the track the wheel rolls freely: there is no longitudinal force, and no torque about the wheel's
 * axis. */
#ifndef VERGE_ELEMENT_ROAD_TYRE_H
#define VERGE_ELEMENT_ROAD_TYRE_H

#include "element/force/util.h"
#include "element/prim/relative.h"
#include "element/road/road.h"

/* out: lateral force and aligning moment, 0 where N = 0; slope: derivatives of each by N, α and γ, NULL: not
 * wanted. */
typedef void vgTyreLaw(const void *def, double N, double alpha, double camber, double out[2],
                       double slope[6]);

/* The first member of each kind's def. */
typedef struct vgTyre {
    vgForceHead head; /* road's frame, wheel */
    vgTyreLaw *law;   /* from set-up */
    const vgRoad *road;
    double radius, stiffness, damping, velocity, axis[3];
    int vertical;
} vgTyre;

#define VG_TYRE_FIELDS(type, member)                                                                         \
    {"road",                                                                                                 \
     VG_FIELD_ROAD,                                                                                          \
     offsetof(type, member.road),                                                                            \
     "",                                                                                                     \
     "",                                                                                                     \
     0,                                                                                                      \
     0,                                                                                                      \
     "the road in the first frame; absent: its plane z = 0"},                                                \
        {"radius", VG_FIELD_NUMBER, offsetof(type, member.radius), "m", NULL,                                \
         0,        INFINITY,        "of the unloaded tyre"},                                                 \
        {"stiffness", VG_FIELD_NUMBER, offsetof(type, member.stiffness), "N/m", NULL,                        \
         0,           INFINITY,        "radial force per deflection"},                                       \
        {"damping",                                                                                          \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(type, member.damping),                                                                     \
         "N*s/m",                                                                                            \
         "0",                                                                                                \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         "radial force per speed of approach; the tyre never pulls"},                                        \
        {"axis",                                                                                             \
         VG_FIELD_AXIS,                                                                                      \
         offsetof(type, member.axis),                                                                        \
         "",                                                                                                 \
         "y",                                                                                                \
         0,                                                                                                  \
         0,                                                                                                  \
         "of the wheel, in the second frame; forward is axis x up"},                                         \
        {"vertical",                                                                                         \
         VG_FIELD_BOOL,                                                                                      \
         offsetof(type, member.vertical),                                                                    \
         "",                                                                                                 \
         "false",                                                                                            \
         0,                                                                                                  \
         0,                                                                                                  \
         "true: the deflection is measured straight down and projected on the normal, as the IAVSD "         \
         "benchmark "                                                                                        \
         "does; false: along the normal"},                                                                   \
    {                                                                                                        \
        "velocity", VG_FIELD_NUMBER, offsetof(type, member.velocity), "m/s", "0.1", 1e-6, INFINITY,          \
            "speed below which slip angle and camber fade"                                                   \
    }

enum { VG_TYRE_OUTPUTS = 6 };
extern const char *const vg_tyre_outputs[]; /* normal, lateral, aligning, deflection, slip-angle, camber */

vgStatus vg_tyre_setup(vgTyre *tyre, vgTyreLaw *law, vgForceSetup *out);
void vg_tyre_eval(const void *def, const vgForceIn *in, vgForceOut *out);
void vg_tyre_output(const void *def, const vgForceIn *in, double *values);

/* The corners of the road below the centre, and where the tyre leaves the ground. */
int vg_tyre_switches(const void *def, const vgForceIn *in, double *out);

/* The road below a tyre. */
void vg_tyre_look(const void *def, vgForceLook *out);

#endif

/* The contact law that the contact kinds share: where they differ is in how they find the normal and the
 * depth.
 *
 *     normal    N = k δ^e · s(1 + c δ̇)                        (Hunt and Crossley; docs/theory.md, eq. 52b)
 *     friction  F_t = −μ N v_t / √(|v_t|² + v0²)              (Coulomb, smooth at zero velocity)
 *               or by bristles that hold                      (contact_friction.c, eq. 52d)
 *
 * s is the positive part with a rounded corner, so that a contact never pulls and its force stays
 * continuously differentiable in the velocity. */
#ifndef VERGE_ELEMENT_CONTACT_CONTACT_H
#define VERGE_ELEMENT_CONTACT_CONTACT_H

#include "element/force/util.h"
#include "element/prim/relative.h"

typedef struct vgContactLaw {
    double stiffness, exponent, damping, restitution, speed, friction, level0, stribeck, velocity, stick;
    double settle; /* s, from the others */
} vgContactLaw;

/* The rows of a contact law that stands as `member` in the def struct `type`. */
#define VG_CONTACT_FIELDS(type, member)                                                                      \
    {"stiffness",                                                                                            \
     VG_FIELD_NUMBER,                                                                                        \
     offsetof(type, member.stiffness),                                                                       \
     "N/m^exponent",                                                                                         \
     NULL,                                                                                                   \
     0,                                                                                                      \
     INFINITY,                                                                                               \
     "force at a depth of one metre, k in k*depth^exponent"},                                                \
        {"exponent",                                                                                         \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(type, member.exponent),                                                                    \
         "",                                                                                                 \
         "1.5",                                                                                              \
         1,                                                                                                  \
         4,                                                                                                  \
         "1.5: Hertz; 1: linear, with a corner at touch"},                                                   \
        {"damping",                                                                                          \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(type, member.damping),                                                                     \
         "s/m",                                                                                              \
         "0",                                                                                                \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         "c of Hunt and Crossley: the elastic force is multiplied by 1 + c*(depth rate)"},                   \
        {"restitution",                                                                                      \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(type, member.restitution),                                                                 \
         "",                                                                                                 \
         "",                                                                                                 \
         0.01,                                                                                               \
         1,                                                                                                  \
         "instead of damping: speed after an impact over speed before it, exact for impacts at `speed`; "    \
         "faster ones lose more, slower ones less"},                                                         \
        {"speed",                                                                                            \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(type, member.speed),                                                                       \
         "m/s",                                                                                              \
         "1",                                                                                                \
         1e-9,                                                                                               \
         INFINITY,                                                                                           \
         "normal speed of the impacts that restitution is given for"},                                       \
        {"friction", VG_FIELD_NUMBER, offsetof(type, member.friction),  "", "0",                             \
         0,          INFINITY,        "coefficient of Coulomb friction"},                                    \
        {"static",                                                                                           \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(type, member.level0),                                                                      \
         "",                                                                                                 \
         "",                                                                                                 \
         0,                                                                                                  \
         INFINITY,                                                                                           \
         "coefficient at zero velocity; absent: as friction"},                                               \
        {"stribeck",                                                                                         \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(type, member.stribeck),                                                                    \
         "m/s",                                                                                              \
         "0.01",                                                                                             \
         1e-12,                                                                                              \
         INFINITY,                                                                                           \
         "sliding speed over which the static coefficient falls to the sliding one"},                        \
        {"stick",                                                                                            \
         VG_FIELD_NUMBER,                                                                                    \
         offsetof(type, member.stick),                                                                       \
         "m",                                                                                                \
         "0",                                                                                                \
         0,                                                                                                  \
         1,                                                                                                  \
         "friction that holds: the surfaces cling by bristles that bend by this much before they slide "     \
         "(1e-5 is usual), and a contact that sticks does not creep. Takes two or three coordinates of its " \
         "own; "                                                                                             \
         "`velocity` plays no part then. 0: smooth friction"},                                               \
    {                                                                                                        \
        "velocity", VG_FIELD_NUMBER, offsetof(type, member.velocity), "m/s", "0.001", 1e-12, INFINITY,       \
            "sliding speed at which friction has reached 71 % of its level; smaller is sharper and "         \
            "stiffer. What friction "                                                                        \
            "holds creeps, under half of the level by 58 % of this speed; with `stick` it does not"          \
    }

/* Where a contact happens, in frame A's axes: normal towards B, its change with B's position, depth, and the
 * distance from B's origin to the point of contact (at −arm n). The gradient of the depth is −n, that of the
 * arm is give·n: 0 where the point is on B's undeformed surface, ½ where it is midway between both. */
typedef struct vgContactAt {
    vgVec3 n;
    vgMat3 dn;
    double depth, arm, give;
} vgContactAt;

/* Every contact's def struct begins with this; its setup calls vg_contact_setup. locate finds the place of
 * the contact from the motion of B relative to A; side: of the kind's own switch, held in a step, 0 free. */
typedef struct vgContact {
    vgForceHead head;
    vgContactLaw law;
    void (*locate)(const void *def, const vgRel *rel, int side, vgContactAt *at);
    int up;       /* axis of frame A that points away from ground: 2, planar 1 */
    double reach; /* no contact if the frames' origins are farther apart; 0: not known */
} vgContact;

/* Friction per normal force and what the bristles do (contact_friction.c): v the sliding velocity, z their
 * bend over `stick`, both in the tangent plane. Without `stick` z is ignored and nothing flows. */
typedef struct vgGrip {
    vgVec3 h, flow;        /* F_t = −N h,   ż = flow */
    vgMat3 hv, hz, fv, fz; /* ∂h/∂v, ∂h/∂z, ∂flow/∂v, ∂flow/∂z */
} vgGrip;

/* wander: as in vgForceIn; derivatives of smooth friction are exact where it is 0. */
void vg_contact_grip(const vgContactLaw *law, vgVec3 v, vgVec3 z, int tangent, double wander, vgGrip *out);

/* G: friction over that of fast sliding. */
double vg_contact_level(const vgContactLaw *law, vgVec3 v);

static inline int vg_contact_sticks(const vgContactLaw *law)
{
    return law->stick > 0 && law->friction > 0;
}

/* max(s, 0) with the corner rounded by a parabola over |s| < 0.05. */
double vg_contact_positive(double s, double *ds);

vgStatus vg_contact_setup(void *def, int planar, vgForceSetup *out);
/* The law alone: damping from restitution, defaults; velocity of out. */
vgStatus vg_contact_law_setup(vgContactLaw *law, vgForceSetup *out);

/* Contact of the ball of that radius around B with a surface at `distance` from a point, line or plane of A;
 * from: B's origin seen from the nearest place of it, of which the components along free move with B (1 on
 * the diagonal). inside: the surface is around the ball. */
void vg_contact_round(const vgContact *c, vgVec3 from, vgMat3 free, double radius, double distance,
                      int inside, vgContactAt *at);

/* Members of a contact's row that are the same for all. eval adds nothing where depth ≤ 0. */
#define VG_CONTACT_CALLS                                                                                     \
    .planar = 1, .head = VG_HEAD_FRAMES, .eval = vg_contact_eval, .depth = vg_contact_depth,                 \
    .approach = vg_contact_approach, .crosses = vg_contact_crosses, .energy = vg_contact_energy,             \
    .outputs = vg_contact_outputs, .output = vg_contact_output
void vg_contact_eval(const void *def, const vgForceIn *in, vgForceOut *out);
int vg_contact_act(const void *def, const vgForceIn *in, vgForceOut *out); /* the same; 1: it acts */
double vg_contact_depth(const void *def, const vgForceIn *in);
void vg_contact_approach(const void *def, const vgForceIn *in, vgApproach *out);
int vg_contact_crosses(const void *def, const vgApproach *a, const vgApproach *b, double h, double *when);
double vg_contact_energy(const void *def, const vgForceIn *in);
/* Depth, normal, friction (its size), slip (sliding speed), and the force on B in frame A's axes. */
extern const char *const vg_contact_outputs[];
void vg_contact_output(const void *def, const vgForceIn *in, double *values);

#endif

/* Flywheel: a rotor that turns in its body at the constant rate Ω about an axis of symmetry e. Its mass and inertia
 * belong to the body; only its spin is added here:
 *
 *     h = J Ω e      (fixed in the body)
 *     T = −ω × h     (torque on the body)
 *
 * The torque does no work. */
#include "element/force/util.h"
#include "element/fours.h"

typedef struct vgFlywheel {
    vgForceHead head;
    double momentum, axis[3];
    vgVec3 h; /* in the axes of the body */
} vgFlywheel;

static const vgField fields[] = {
    {"momentum", VG_FIELD_NUMBER, offsetof(vgFlywheel, momentum), "N*m*s", NULL, 0, 0,
     "moment of inertia about the axis times the rate of turning in the body"},
    {"axis", VG_FIELD_AXIS, offsetof(vgFlywheel, axis), "", "z", 0, 0, "of the rotor, in the frame"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgFlywheel *s = def;
    (void)planar;
    s->h = vg_mv3(s->head.frame[0].R, vg_scale3(vg_load3(s->axis), s->momentum));
    out->nbody = 1;
    out->body[0] = s->head.frame[0].body;
    out->velocity = 1;
    return VG_OK;
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgFlywheel *s = def;
    vgVec3 T = vg_cross3(s->h, in->kin[0]->w);
    out->f[3] += T.x, out->f[4] += T.y, out->f[5] += T.z;
    if (!out->C) return;
    vgMat3 S = vg_skew3(s->h);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out->C[6 * (3 + i) + 3 + j] += S.m[i][j];
}

static int group(const void *def)
{
    (void)def;
    return 1;
}

static void pack(const void *const def[VG_LANES], void *out)
{
    *(vgLane3 *)out = vg_four_vector(def, offsetof(vgFlywheel, h));
}

static void four_eval(const void *from, double t, const vgKin *const *kin, vgLane *f)
{
    const double *const at[VG_LANES] = {&kin[0]->w.x, &kin[1]->w.x, &kin[2]->w.x, &kin[3]->w.x};
    vgLane w[4];
    (void)t;
    vg_lane_gather(at, 0, w);
    vg_four_put(vg_lzero3(), vg_lcross3(*(const vgLane3 *)from, (vgLane3){w[0], w[1], w[2]}), f);
}

/* h × ω, h turning with the body: [h] on the angular velocity. */
static void four_tangent(const void *from, const vgKin *const *kin, vgLane *A)
{
    vgLaneKin k;
    vg_lane_kin(kin, 0, &k);
    vgLane3 h = vg_lmv3(k.R, *(const vgLane3 *)from);
    A[12 * 3 + 4] -= h.z, A[12 * 3 + 5] += h.y;
    A[12 * 4 + 3] += h.z, A[12 * 4 + 5] -= h.x;
    A[12 * 5 + 3] -= h.y, A[12 * 5 + 4] += h.x;
}

static const vgForceFour four = {group, sizeof(vgLane3), pack, four_eval, four_tangent};

const vgForceKind vg_force_flywheel = {
    .name = "flywheel",
    .doc = "Gyroscopic moment of a rotor that turns at a constant rate in a body; its mass and inertia are "
           "counted with the body.",
    .planar = 0,
    .head = VG_HEAD_FRAME,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .def_size = sizeof(vgFlywheel),
    .example = "spin: {flywheel: wheel, momentum: 52, axis: y}",
    .setup = setup,
    .eval = eval,
    .four = &four,
};

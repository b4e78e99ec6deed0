/* Bushing: springs and dampers along and about the axes of frame A.
 *
 *     F = p_F − K_F y − C_F ẏ                              on B's origin, in A's axes
 *     θ = log R_AB,  θ̇ = T⁻¹(−θ) w,  m = p_T − K_T θ − C_T θ̇,   torque T = T⁻¹(θ) m
 *
 * T(θ) is the right Jacobian of math/so3.h, T(−θ) the left one. T⁻¹(θ) is the transpose of T⁻¹(−θ), so the
 * torque is exactly conjugate to θ and the potential is ½ yᵀK_F y + ½ θᵀK_T θ − p_F·y − p_T·θ at any angle
 * below π. */
#include "element/force/util.h"
#include "element/prim/relative.h"
#include "math/so3.h"

typedef struct vgBushing {
    vgForceHead head;
    double stiffness[6], damping[6], preload[6];
    int relaxed;
    double y0[3]; /* free position, set by place */
} vgBushing;

static const vgField fields[] = {
    {"stiffness", VG_FIELD_VEC6, offsetof(vgBushing, stiffness), "N/m, N*m/rad", "0", 0, INFINITY,
     "along x, y, z and about x, y, z of the first frame"},
    {"damping", VG_FIELD_VEC6, offsetof(vgBushing, damping), "N*s/m, N*m*s/rad", "0", 0, INFINITY,
     "along x, y, z and about x, y, z of the first frame"},
    {"preload", VG_FIELD_VEC6, offsetof(vgBushing, preload), "N, N*m", "0", 0, 0,
     "force and torque on the second frame where the frames coincide"},
    {"relaxed", VG_FIELD_BOOL, offsetof(vgBushing, relaxed), "", "false", 0, 0,
     "true: free of spring forces at the initial placement instead of where the frames coincide"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgBushing *s = def;
    (void)planar;
    out->nbody = 2;
    out->body[0] = s->head.frame[0].body;
    out->body[1] = s->head.frame[1].body;
    for (int i = 0; i < 6; i++) out->velocity = out->velocity || s->damping[i] != 0;
    return VG_OK;
}

/* Frame B is turned on its body so that R_AB = I here. */
static const char *place(void *def, const vgForceIn *in)
{
    vgBushing *s = def;
    vgFrame *B = &s->head.frame[1];
    vgRel rel;
    if (!s->relaxed) return NULL;
    vg_rel_motion(&s->head.frame[0], B, in->kin[0], in->kin[1], &rel);
    vg_store3(rel.y, s->y0);
    B->R = vg_mt3(rel.R_Ab);
    return NULL;
}

typedef struct State {
    vgRel rel;
    vgVec3 e, theta, rate, m;
    double W[6];
} State;

static vgVec3 law3(const double k[3], const double c[3], const double p[3], vgVec3 x, vgVec3 v)
{
    return vg_v3(p[0] - k[0] * x.x - c[0] * v.x, p[1] - k[1] * x.y - c[1] * v.y,
                 p[2] - k[2] * x.z - c[2] * v.z);
}

static void evaluate(const vgBushing *s, const vgForceIn *in, State *at)
{
    vg_rel_motion(&s->head.frame[0], &s->head.frame[1], in->kin[0], in->kin[1], &at->rel);
    at->e = vg_sub3(at->rel.y, vg_load3(s->y0));
    at->theta = vg_so3_log(at->rel.R_AB);
    vgMat3 Ti = vg_so3_dexpinv(at->theta);
    at->rate = vg_mtv3(Ti, at->rel.w);
    at->m = law3(s->stiffness + 3, s->damping + 3, s->preload + 3, at->theta, at->rate);
    vg_store3(law3(s->stiffness, s->damping, s->preload, at->e, at->rel.u), at->W);
    vg_store3(vg_mv3(Ti, at->m), at->W + 3);
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgBushing *s = def;
    State at;
    evaluate(s, in, &at);
    vg_rel_wrench(&at.rel, at.W, out->f);
    if (!out->K && !out->C) return;
    double Wx[36] = {0}, Wv[36] = {0};
    for (int i = 0; i < 3; i++) Wx[7 * i] = -s->stiffness[i], Wv[7 * i] = -s->damping[i];
    vgMat3 Ti = vg_so3_dexpinv(at.theta), Til = vg_mt3(Ti);
    vgMat3 Kt = vg_diag3(s->stiffness[3], s->stiffness[4], s->stiffness[5]);
    vgMat3 Ct = vg_diag3(s->damping[3], s->damping[4], s->damping[5]);
    /* ∂θ̇/∂θ at fixed w is −∂(T⁻¹(d) w)/∂d at d = −θ */
    vgMat3 drate = vg_mscale3(vg_so3_d_dexpinv(vg_neg3(at.theta), at.rel.w), -1);
    vgMat3 dm = vg_mscale3(vg_madd3(Kt, vg_mm3(Ct, drate)), -1);
    vgMat3 dT = vg_madd3(vg_so3_d_dexpinv(at.theta, at.m), vg_mm3(Ti, dm));
    vg_mput3(vg_mm3(dT, Til), Wx + 21, 6);
    vg_mput3(vg_mscale3(vg_mm3(Ti, vg_mm3(Ct, Til)), -1), Wv + 21, 6);
    vg_rel_tangent(&at.rel, at.W, Wx, Wv, out->K, out->C);
}

static double energy(const void *def, const vgForceIn *in)
{
    const vgBushing *s = def;
    State at;
    double x[6], sum = 0;
    evaluate(s, in, &at);
    vg_store3(at.e, x);
    vg_store3(at.theta, x + 3);
    for (int i = 0; i < 6; i++) sum += x[i] * (0.5 * s->stiffness[i] * x[i] - s->preload[i]);
    return sum;
}

static const char *const some[] = {"stiffness", "damping", "preload", NULL};
static const char *const outputs[] = {"force.x",    "force.y",    "force.z",    "torque.x",   "torque.y",
                                      "torque.z",   "position.x", "position.y", "position.z", "rotation.x",
                                      "rotation.y", "rotation.z", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    State at;
    evaluate(def, in, &at);
    for (int i = 0; i < 6; i++) values[i] = at.W[i];
    vg_store3(at.rel.y, values + 6);
    vg_store3(at.theta, values + 9);
}

const vgForceKind vg_force_bushing = {
    .name = "bushing",
    .doc = "Elastic joint: six springs and dampers along and about the axes of the first frame; rotations by "
           "the rotation vector. Outputs: force and torque on the second frame, position and rotation, all "
           "in the first frame's axes.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgBushing),
    .example =
        "mount: {bushing: [chassis.M, engine.M], stiffness: [1e5, 1e5, 2e5, 100, 100, 50], damping: 20}",
    .setup = setup,
    .place = place,
    .eval = eval,
    .energy = energy,
    .outputs = outputs,
    .output = output,
};

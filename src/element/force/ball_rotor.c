/* Inertia and damping of the relative rotation of two bodies, the same about every axis: what a ball joint adds that has
 * rotors or grease. With Q = R_Bᵀ R_A (bodies' axes) and everything in B's axes:
 *
 *     w = ω_B − Q ω_A,     ẇ = ω̇_B − Q ω̇_A + ω_B × Q ω_A
 *     torque on B  τ = −J ẇ − c w,     on A  −Qᵀ τ (A's axes),     kinetic energy ½ J w·w
 *
 * Tangents by δ(Q u) = [Q u] δθ_B − Q [u] δθ_A. */
#include "element/force/util.h"

typedef struct vgBallRotor {
    vgForceHead head;
    double inertia, damping;
} vgBallRotor;

static const vgField fields[] = {
    {"inertia", VG_FIELD_NUMBER, offsetof(vgBallRotor, inertia), "kg*m^2", "0", 0, INFINITY,
     "resisting torque per relative angular acceleration"},
    {"damping", VG_FIELD_NUMBER, offsetof(vgBallRotor, damping), "N*m*s/rad", "0", 0, INFINITY,
     "resisting torque per relative angular velocity"},
};

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgBallRotor *s = def;
    (void)planar;
    out->nbody = 2;
    out->body[0] = s->head.frame[0].body;
    out->body[1] = s->head.frame[1].body;
    out->inertial = s->inertia != 0;
    out->velocity = out->turning = 1;
    return VG_OK;
}

typedef struct State {
    vgMat3 Q;
    vgVec3 p, w, tau; /* Q ω_A; the relative angular velocity; torque on B */
} State;

static State state_of(const vgBallRotor *s, const vgForceIn *in)
{
    const vgKin *a = in->kin[0], *b = in->kin[1];
    State at = {.Q = vg_mtm3(b->R, a->R)};
    at.p = vg_mv3(at.Q, a->w);
    at.w = vg_sub3(b->w, at.p);
    vgVec3 rate = vg_add3(vg_sub3(b->dw, vg_mv3(at.Q, a->dw)), vg_cross3(b->w, at.p));
    at.tau = vg_axpy3(-s->inertia, rate, vg_scale3(at.w, -s->damping));
    return at;
}

/* Adds A to the block of torque row `row` and rotation column `col` (0: body A, 1: body B) of a 12×12 matrix. */
static void put(double *to, int row, int col, vgMat3 A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[12 * (6 * row + 3 + i) + 6 * col + 3 + j] += A.m[i][j];
}

/* ∂τ of both bodies from that of B. */
static void put_both(double *to, vgMat3 Q, int col, vgMat3 A)
{
    put(to, 1, col, A);
    put(to, 0, col, vg_mscale3(vg_mtm3(Q, A), -1));
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgBallRotor *s = def;
    const vgKin *a = in->kin[0], *b = in->kin[1];
    double J = s->inertia, c = s->damping;
    State at = state_of(s, in);
    vgVec3 onA = vg_neg3(vg_mtv3(at.Q, at.tau));
    out->f[3] += onA.x, out->f[4] += onA.y, out->f[5] += onA.z;
    out->f[9] += at.tau.x, out->f[10] += at.tau.y, out->f[11] += at.tau.z;
    vgMat3 P = vg_skew3(at.p), W = vg_skew3(b->w);
    if (out->K) {
        vgMat3 S = vg_skew3(vg_mv3(at.Q, a->dw)), Qw = vg_mm3(at.Q, vg_skew3(a->w)),
               Qs = vg_mm3(at.Q, vg_skew3(a->dw));
        vgMat3 byB = vg_maxpy3(-J, vg_msub3(vg_mm3(W, P), S), vg_mscale3(P, c));
        vgMat3 byA = vg_maxpy3(-J, vg_msub3(Qs, vg_mm3(W, Qw)), vg_mscale3(Qw, -c));
        put_both(out->K, at.Q, 1, byB);
        put_both(out->K, at.Q, 0, byA);
        put(out->K, 0, 1, vg_mtm3(at.Q, vg_skew3(at.tau)));
        put(out->K, 0, 0, vg_skew3(onA));
    }
    if (out->C) {
        put_both(out->C, at.Q, 1, vg_maxpy3(J, P, vg_mscale3(vg_eye3(), -c)));
        put_both(out->C, at.Q, 0, vg_maxpy3(-J, vg_mm3(W, at.Q), vg_mscale3(at.Q, c)));
    }
    if (out->M) {
        put_both(out->M, at.Q, 1, vg_mscale3(vg_eye3(), J));
        put_both(out->M, at.Q, 0, vg_mscale3(at.Q, -J));
    }
}

static double kinetic(const void *def, const vgForceIn *in)
{
    const vgBallRotor *s = def;
    vgVec3 w = state_of(s, in).w;
    return 0.5 * s->inertia * vg_dot3(w, w);
}

static const char *const some[] = {"inertia", "damping", NULL};
static const char *const outputs[] = {"torque.x", "torque.y", "torque.z", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    vg_store3(state_of(def, in).tau, values);
}

const vgForceKind vg_force_ball_rotor = {
    .name = "ball-rotor",
    .doc = "Inertia and damping of the relative rotation of two bodies, the same about every axis, as rotors "
           "or grease in a ball joint. Outputs: torque on the second body, in its axes.",
    .head = VG_HEAD_FRAMES,
    .fields = fields,
    .nfield = VG_COUNT(fields),
    .some = some,
    .def_size = sizeof(vgBallRotor),
    .example = "hip_grease: {ball-rotor: [pelvis.hip, thigh.hip], damping: 0.2}",
    .setup = setup,
    .eval = eval,
    .kinetic = kinetic,
    .outputs = outputs,
    .output = output,
};

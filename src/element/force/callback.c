/* Force from a function of the caller's own, see vgForceCallback in element/force/force.h.
 *
 * With X = wrench at the two frames in W, x = (δp, δφ in W) of both frames = G δξ, frame velocities V = G ξ:
 *     f = Gᵀ X,   K = Gᵀ (X_x G + X_V ∂(Gξ)/∂δξ) + (∂Gᵀ/∂δξ) X,   C = Gᵀ X_V G
 * If the function gives no derivative, X_x and X_V are found by central differences. */
#include "element/force/util.h"
#include "math/dense.h"
#include "math/so3.h"

typedef struct vgCallbackForce {
    vgForceHead head;
    vgForceCallback function;
    void *user;
} vgCallbackForce;

void vg_force_callback_set(void *def, vgForceCallback function, void *user)
{
    vgCallbackForce *s = def;
    s->function = function;
    s->user = user;
}

int vg_force_callback_is_set(const void *def)
{
    return ((const vgCallbackForce *)def)->function != NULL;
}

static vgStatus setup(void *def, int planar, vgForceSetup *out)
{
    vgCallbackForce *s = def;
    (void)planar;
    out->nbody = 2;
    out->body[0] = s->head.frame[0].body;
    out->body[1] = s->head.frame[1].body;
    out->velocity = 1;
    out->foreign = 1;
    return VG_OK;
}

static void motion_of(const vgFrame *A, const vgKin *k, vgCallbackMotion *to)
{
    vg_store3(vg_kin_point(k, A->r), to->position);
    vg_mstore3(vg_mm3(k->R, A->R), to->rotation);
    vg_store3(vg_kin_point_velocity(k, A->r), to->velocity);
    vg_store3(vg_mv3(k->R, k->w), to->omega);
}

/* Moves variable j of 24 (δp, δφ of both frames, then v, w of both) by h. */
static void vary(vgCallbackMotion m[2], int j, double h)
{
    vgCallbackMotion *at = &m[j / 6 % 2];
    int c = j % 3, angular = j % 6 >= 3;
    if (j >= 12) {
        (angular ? at->omega : at->velocity)[c] += h;
    } else if (angular) {
        vgMat3 turn = vg_so3_exp(vg_scale3(vg_unit_axis3(c), h));
        vg_mstore3(vg_mm3(turn, vg_mload3(at->rotation)), at->rotation);
    } else {
        at->position[c] += h;
    }
}

/* The cube root of the rounding unit, times the size of the variable. */
static double step_for(const vgCallbackMotion m[2], int j)
{
    const vgCallbackMotion *at = &m[j / 6 % 2];
    const double *size = j >= 12 ? (j % 6 >= 3 ? at->omega : at->velocity) : at->position;
    int angle = j < 12 && j % 6 >= 3;
    return 6e-6 * (angle ? 1 : 1 + fabs(size[j % 3]));
}

static void differences(const vgCallbackForce *s, double t, const vgCallbackMotion m[2],
                        double jacobian[12 * 24])
{
    for (int j = 0; j < 24; j++) {
        double h = step_for(m, j), plus[12] = {0}, minus[12] = {0};
        if (s->head.frame[j / 6 % 2].body < 0) {
            for (int i = 0; i < 12; i++) jacobian[24 * i + j] = 0;
            continue;
        }
        vgCallbackMotion moved[2] = {m[0], m[1]};
        vary(moved, j, h);
        s->function(s->user, t, moved, plus, NULL);
        moved[0] = m[0], moved[1] = m[1];
        vary(moved, j, -h);
        s->function(s->user, t, moved, minus, NULL);
        for (int i = 0; i < 12; i++) jacobian[24 * i + j] = (plus[i] - minus[i]) / (2 * h);
    }
}

/* Blocks of one body: G = [I, −R r̃; 0, R], D = ∂(Gξ)/∂δξ = [0, −R [w × r]~; 0, −R w~]. */
static void blocks(const vgFrame *A, const vgKin *k, double G[36], double D[36])
{
    vg_dzero(36, G);
    vg_dzero(36, D);
    vg_mput3(vg_eye3(), G, 6);
    vg_mput3(vg_mscale3(vg_mm3(k->R, vg_skew3(A->r)), -1), G + 3, 6);
    vg_mput3(k->R, G + 21, 6);
    vg_mput3(vg_mscale3(vg_mm3(k->R, vg_skew3(vg_cross3(k->w, A->r))), -1), D + 3, 6);
    vg_mput3(vg_mscale3(vg_mm3(k->R, vg_skew3(k->w)), -1), D + 21, 6);
}

static void take_block(const double *jacobian, int row, int col, double to[36])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) to[6 * i + j] = jacobian[24 * (row + i) + col + j];
}

static void add_block(const double from[36], int row, int col, double *to)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) to[12 * (row + i) + col + j] += from[6 * i + j];
}

static void tangent(const vgCallbackForce *s, const vgForceIn *in, const double X[12], const double *jacobian,
                    const vgForceOut *out)
{
    double G[2][36], D[2][36], Xx[36], Xv[36], A[36], B[36];
    for (int b = 0; b < 2; b++) blocks(&s->head.frame[b], in->kin[b], G[b], D[b]);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            take_block(jacobian, 6 * a, 6 * b, Xx);
            take_block(jacobian, 6 * a, 12 + 6 * b, Xv);
            if (out->K) {
                vg_mm6(Xx, G[b], A);
                vg_gemm_add(6, 6, 6, 1, Xv, D[b], A);
                vg_mtm6(G[a], A, B);
                add_block(B, 6 * a, 6 * b, out->K);
            }
            if (out->C) {
                vg_mm6(Xv, G[b], A);
                vg_mtm6(G[a], A, B);
                add_block(B, 6 * a, 6 * b, out->C);
            }
        }
    for (int a = 0; a < 2 && out->K; a++) {
        vgMat3 R = in->kin[a]->R;
        vgVec3 F = vg_mtv3(R, vg_load3(X + 6 * a)), T = vg_mtv3(R, vg_load3(X + 6 * a + 3));
        vgMat3 g = vg_madd3(vg_mm3(vg_skew3(s->head.frame[a].r), vg_skew3(F)), vg_skew3(T));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) out->K[12 * (6 * a + 3 + i) + 6 * a + 3 + j] += g.m[i][j];
    }
}

static void eval(const void *def, const vgForceIn *in, vgForceOut *out)
{
    const vgCallbackForce *s = def;
    double X[12] = {0}, jacobian[12 * 24] = {0}, G[36], D[36];
    vgCallbackMotion m[2];
    if (!s->function) return;
    for (int b = 0; b < 2; b++) motion_of(&s->head.frame[b], in->kin[b], &m[b]);
    int wanted = out->K || out->C;
    int given = s->function(s->user, in->t, m, X, wanted ? jacobian : NULL);
    for (int b = 0; b < 2; b++) {
        blocks(&s->head.frame[b], in->kin[b], G, D);
        vg_gemv_t_add(6, 6, 1, G, X + 6 * b, out->f + 6 * b);
    }
    if (!wanted) return;
    if (!given) differences(s, in->t, m, jacobian);
    tangent(s, in, X, jacobian, out);
}

static const char *const outputs[] = {"force.x",  "force.y",  "force.z", "torque.x",
                                      "torque.y", "torque.z", NULL};

static void output(const void *def, const vgForceIn *in, double *values)
{
    const vgCallbackForce *s = def;
    double X[12] = {0};
    vgCallbackMotion m[2];
    for (int b = 0; b < 2; b++) motion_of(&s->head.frame[b], in->kin[b], &m[b]);
    if (s->function) s->function(s->user, in->t, m, X, NULL);
    for (int i = 0; i < 6; i++) values[i] = X[6 + i];
}

const vgForceKind vg_force_callback = {
    .name = "callback",
    .doc = "Force computed by a C function that the program sets; nothing happens, with a warning, until it "
           "does. Outputs: force and torque on the second frame in world axes.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .def_size = sizeof(vgCallbackForce),
    .example = "wind: {callback: [ground, sail.centre]}",
    .setup = setup,
    .eval = eval,
    .outputs = outputs,
    .output = output,
};

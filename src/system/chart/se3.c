/* SE(3): pose with the velocity of the centre of mass in body axes, v = (v_B, w_B). q = (p, unit quaternion),
 * H ⊕ Δ = H exp(Δ), so translations turn with the body.
 *   native twist         v_W = R v_B
 *   native acceleration  v̇_W = R (v̇_B + w × v_B) */
#include "system/absolute/absolute.h"

#include <string.h>

#include "math/se3.h"

static void retract(const double *q_r, const double *d, double *q)
{
    vgQuat e_r = vg_quat_load(q_r + 3);
    vgPose X = vg_se3_exp(vg_load6(d));
    vgQuat e = vg_quat_normalize(vg_quat_mul(e_r, vg_quat_exp(vg_load3(d + 3))));
    vg_store3(vg_add3(vg_load3(q_r), vg_mv3(vg_quat_to_mat(e_r), X.p)), q);
    vg_quat_store(e, q + 3);
}

static void local(const double *q_r, const double *q, double *d)
{
    vgPose A = {vg_load3(q_r), vg_quat_to_mat(vg_quat_load(q_r + 3))};
    vgPose B = {vg_load3(q), vg_quat_to_mat(vg_quat_load(q + 3))};
    vg_store6(vg_se3_log(vg_pose_between(A, B)), d);
}

static void rates(const double *d, const double *q, const double *v, double *d_dot)
{
    (void)q;
    vg_store6(vg_se3_dexpinv_mul(vg_load6(d), vg_load6(v)), d_dot);
}

static void twist(const double *d, const double *q, const double *d_dot, double *v)
{
    (void)q;
    vg_store6(vg_se3_dexp_mul(vg_load6(d), vg_load6(d_dot)), v);
}

static void kin(const double *q, const double *v, const double *a, vgKin *k)
{
    vgVec3 v_B = vg_load3(v);
    k->p = vg_load3(q);
    k->R = vg_quat_to_mat(vg_quat_load(q + 3));
    k->v = vg_mv3(k->R, v_B);
    k->w = vg_load3(v + 3);
    if (a) {
        k->dv = vg_mv3(k->R, vg_add3(vg_load3(a), vg_cross3(k->w, v_B)));
        k->dw = vg_load3(a + 3);
    }
}

static vgMat3 orientation(const double *q)
{
    return vg_quat_to_mat(vg_quat_load(q + 3));
}

static void velocity(const double *q, const vgKin *k, double *v)
{
    vg_store3(vg_mtv3(orientation(q), k->v), v);
    vg_store3(k->w, v + 3);
}

static void from_kin(const vgKin *k, double *q, double *v)
{
    vg_store3(k->p, q);
    vg_quat_store(vg_quat_from_mat(k->R), q + 3);
    velocity(q, k, v);
}

static void acceleration(const double *q, const double *v, const vgKin *k, double *a)
{
    vgVec3 w = vg_load3(v + 3);
    vg_store3(vg_sub3(vg_mtv3(orientation(q), k->dv), vg_cross3(w, vg_load3(v))), a);
    vg_store3(k->dw, a + 3);
}

static void pull(const double *q, const vgKin *k, const double n[6], double *r)
{
    (void)q;
    vg_store3(vg_mtv3(k->R, vg_load3(n)), r);
    for (int i = 3; i < 6; i++) r[i] = n[i];
}

static void move(const double *q, const double xi[6], double *out)
{
    vgQuat e = vg_quat_normalize(vg_quat_mul(vg_quat_load(q + 3), vg_quat_exp(vg_load3(xi + 3))));
    for (int i = 0; i < 3; i++) out[i] = q[i] + xi[i];
    vg_quat_store(e, out + 3);
}

static void put3(double *A, int row, int col, vgMat3 B, double s)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[(row + i) * 6 + col + j] += s * B.m[i][j];
}

static void times(const double *A, const double *B, double *C)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double s = 0;
            for (int k = 0; k < 6; k++) s += A[i * 6 + k] * B[k * 6 + j];
            C[i * 6 + j] = s;
        }
}

/* V of system.h for the group SE(3). */
static void stage_map(const vgTangent *p, const double *d, const double *d_dot, double V[36])
{
    memset(V, 0, 36 * sizeof *V);
    for (int i = 0; i < 6; i++) V[i * 7] = 1;
    if (p->map == VG_STAGE_PLAIN) return;
    vgVec6 d6 = vg_load6(d);
    if (p->map == VG_STAGE_NEWMARK) {
        vg_se3_dexpinv(d6, V);
        return;
    }
    double D[36], Tinv[36], DT[36];
    vg_se3_d_dexp(d6, vg_load6(d_dot), D);
    vg_se3_dexpinv(d6, Tinv);
    times(D, Tinv, DT);
    for (int i = 0; i < 36; i++) V[i] += DT[i] / p->cv;
}

/* δv_W = R δv_B − R [v_B] δθ;   δv̇_W = R δv̇_B + R [w] δv_B − R [v_B] δw − R [v̇_B + w×v_B] δθ */
static void maps(const double *q, const double *v, const double *a, const vgKin *k, const vgTangent *p,
                 const double *d, const double *d_dot, vgChartMaps *out)
{
    (void)q;
    double c1 = p->ca > 0 ? p->cv / p->ca : 0, c2 = p->ca > 0 ? 1 / p->ca : 1, one = p->ca > 0 ? 1 : 0;
    double V[36], L[36] = {0}, A[36] = {0};
    vgMat3 Rv = vg_mm3(k->R, vg_skew3(vg_load3(v)));
    vgVec3 acc = vg_add3(vg_load3(a), vg_cross3(k->w, vg_load3(v)));
    stage_map(p, d, d_dot, V);
    memset(out->P, 0, 36 * sizeof(double));
    put3(out->P, 0, 0, k->R, 1);
    put3(out->P, 3, 3, vg_eye3(), 1);
    put3(L, 0, 0, k->R, c1);
    put3(L, 3, 3, vg_eye3(), c1);
    times(L, V, out->Q);
    put3(out->Q, 0, 3, Rv, -c2);
    put3(A, 0, 0, k->R, one);
    put3(A, 3, 3, vg_eye3(), one);
    put3(A, 0, 0, vg_mm3(k->R, vg_skew3(k->w)), c1);
    put3(A, 0, 3, Rv, -c1);
    times(A, V, out->N);
    put3(out->N, 0, 3, vg_mm3(k->R, vg_skew3(acc)), -c2);
}

const vgChart vg_chart_se3 = {
    .name = "se3",
    .doc = "SE(3): pose with velocities in body axes",
    .nq = 7,
    .nv = 6,
    .second_order = 1,
    .retract = retract,
    .local = local,
    .rates = rates,
    .twist = twist,
    .kin = kin,
    .from_kin = from_kin,
    .velocity = velocity,
    .acceleration = acceleration,
    .pull = pull,
    .move = move,
    .maps = maps,
};

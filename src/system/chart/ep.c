/* Euler parameters as seven coordinates of a vector space with |e| = 1 as a constraint ([H], classical form 2).
 * Off the sphere, where Newton's iterates are, the rotation is that of e/|e|. With n = e·e
 *
 *     R = R(e)/n,   w = G(e) ė / n,   ẇ = G(e) ë / n − 2 (e·ė) G(e) ė / n²
 *
 * G is linear in e, G e = 0, Ġ ė = 0: a change of e along itself rotates nothing, so the gradients of joints stay
 * exact. Bodies' 7×7 blocks are singular along e; the unit-length equation makes the whole matrix regular. */
#include "system/absolute/absolute.h"

#include <string.h>

#include "math/rotpar.h"
#include "math/so3.h"

static void add7(const double *q_r, const double *d, double *q)
{
    for (int i = 0; i < 7; i++) q[i] = q_r[i] + d[i];
}

static void sub7(const double *q_r, const double *q, double *d)
{
    for (int i = 0; i < 7; i++) d[i] = q[i] - q_r[i];
}

static void copy7(const double *d, const double *q, const double *v, double *out)
{
    (void)d;
    (void)q;
    memmove(out, v, 7 * sizeof *v);
}

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void kin(const double *q, const double *v, const double *a, vgKin *k)
{
    double n = dot4(q + 3, q + 3);
    k->p = vg_load3(q);
    k->R = vg_mscale3(vg_ep_to_mat(q + 3), 1 / n);
    k->v = vg_load3(v);
    k->w = vg_scale3(vg_ep_omega(q + 3, v + 3), 1 / n);
    if (a) {
        k->dv = vg_load3(a);
        k->dw = vg_axpy3(-2 * dot4(q + 3, v + 3) / n, k->w, vg_scale3(vg_ep_omega(q + 3, a + 3), 1 / n));
    }
}

static void velocity(const double *q, const vgKin *k, double *v)
{
    double n = dot4(q + 3, q + 3);
    vg_store3(k->v, v);
    vg_ep_rate(q + 3, vg_scale3(k->w, n), v + 3);
}

static void from_kin(const vgKin *k, double *q, double *v)
{
    vg_store3(k->p, q);
    vg_ep_from_mat(k->R, q + 3);
    velocity(q, k, v);
}

/* ë = G⁺ ẇ − (ė·ė) e on the unit sphere */
static void acceleration(const double *q, const double *v, const vgKin *k, double *a)
{
    double s = 0, n = 0;
    for (int i = 3; i < 7; i++) {
        s += v[i] * v[i];
        n += q[i] * q[i];
    }
    vg_store3(k->dv, a);
    vg_ep_rate(q + 3, vg_scale3(vg_axpy3(2 * dot4(q + 3, v + 3) / n, k->w, k->dw), n), a + 3);
    for (int i = 3; i < 7; i++) a[i] -= s / n * q[i];
}

static void pull(const double *q, const vgKin *k, const double n[6], double *r)
{
    (void)k;
    for (int i = 0; i < 3; i++) r[i] = n[i];
    vg_ep_Gt(q + 3, vg_scale3(vg_load3(n + 3), 1 / dot4(q + 3, q + 3)), r + 3);
}

static void move(const double *q, const double xi[6], double *out)
{
    vgQuat e = vg_quat_normalize(vg_quat_mul(vg_quat(q[3], q[4], q[5], q[6]), vg_quat_exp(vg_load3(xi + 3))));
    for (int i = 0; i < 3; i++) out[i] = q[i] + xi[i];
    out[3] = e.w;
    out[4] = e.x;
    out[5] = e.y;
    out[6] = e.z;
}

static void put(double *A, const double *B, double s)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) A[(3 + i) * 7 + 3 + j] += s * B[i * 4 + j];
}

/* A += s u eᵀ on the rotational part */
static void put_outer(double *A, vgVec3 u, const double *e, double s)
{
    double x[3] = {u.x, u.y, u.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) A[(3 + i) * 7 + 3 + j] += s * x[i] * e[j];
}

static void maps(const double *q, const double *v, const double *a, const vgKin *k, const vgTangent *p,
                 const double *d, const double *d_dot, vgChartMaps *out)
{
    (void)d;
    (void)d_dot;
    double c1 = p->ca > 0 ? p->cv / p->ca : 0, c2 = p->ca > 0 ? 1 / p->ca : 1, G[12], D[12];
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++) {
        out->P[i * 7 + i] = 1;
        out->Q[i * 7 + i] = c1;
        out->N[i * 7 + i] = p->ca > 0 ? 1 : 0;
    }
    vg_ep_G(q + 3, G);
    put(out->P, G, 1);
    put(out->Q, G, c1);
    put(out->N, G, p->ca > 0 ? 1 : 0);
    vg_ep_d_G(v + 3, D); /* ∂(G ė)/∂e */
    put(out->Q, D, c2);
    vg_ep_d_G(a + 3, D);
    put(out->N, D, c2);
    /* from the division by n, at n = 1, e·ė = 0 */
    put_outer(out->Q, k->w, q + 3, -2 * c2);
    put_outer(out->N, k->w, q + 3, -2 * c1);
    put_outer(out->N, k->w, v + 3, -2 * c2);
    put_outer(out->N, vg_ep_omega(q + 3, a + 3), q + 3, -2 * c2);
}

const vgChart vg_chart_euler_parameters = {
    .name = "euler-parameters",
    .doc = "position and four Euler parameters with a unit-length constraint",
    .nq = 7,
    .nv = 7,
    .unit = 1,
    .vector_space = 1,
    .split = 1,
    .second_order = 1,
    .retract = add7,
    .local = sub7,
    .rates = copy7,
    .twist = copy7,
    .kin = kin,
    .from_kin = from_kin,
    .velocity = velocity,
    .acceleration = acceleration,
    .pull = pull,
    .move = move,
    .maps = maps,
};

/* Tait–Bryan angles xyz, R = Rx Ry Rz, singular at θ_y = ±π/2.
 * Form 2 of [H]: second order in the angles,  w = G(α) α̇,  ẇ = G α̈ + Ġ α̇.
 * Form 1 of [H]: the velocities are (v_W, w_B) and α̇ = G⁻¹(α) w; for explicit methods. */
#include "system/absolute/absolute.h"

#include <math.h>
#include <string.h>

#include "math/rotpar.h"
#include "math/so3.h"

static void add6(const double *q_r, const double *d, double *q)
{
    for (int i = 0; i < 6; i++) q[i] = q_r[i] + d[i];
}

static void sub6(const double *q_r, const double *q, double *d)
{
    for (int i = 0; i < 6; i++) d[i] = q[i] - q_r[i];
}

static void copy6(const double *d, const double *q, const double *v, double *out)
{
    (void)d;
    (void)q;
    memmove(out, v, 6 * sizeof *v);
}

static void kin(const double *q, const double *v, const double *a, vgKin *k)
{
    vgVec3 al = vg_load3(q + 3), al_dot = vg_load3(v + 3);
    vgMat3 G = vg_angles_G(al);
    k->p = vg_load3(q);
    k->R = vg_angles_to_mat(al);
    k->v = vg_load3(v);
    k->w = vg_mv3(G, al_dot);
    if (a) {
        k->dv = vg_load3(a);
        k->dw = vg_add3(vg_mv3(G, vg_load3(a + 3)), vg_mv3(vg_angles_Gdot(al, al_dot), al_dot));
    }
}

static void velocity(const double *q, const vgKin *k, double *v)
{
    vg_store3(k->v, v);
    vg_store3(vg_mv3(vg_angles_Ginv(vg_load3(q + 3)), k->w), v + 3);
}

static void from_kin(const vgKin *k, double *q, double *v)
{
    vg_store3(k->p, q);
    vg_store3(vg_angles_from_mat(k->R), q + 3);
    velocity(q, k, v);
}

static void acceleration(const double *q, const double *v, const vgKin *k, double *a)
{
    vgVec3 al = vg_load3(q + 3), al_dot = vg_load3(v + 3);
    vgVec3 rest = vg_sub3(k->dw, vg_mv3(vg_angles_Gdot(al, al_dot), al_dot));
    vg_store3(k->dv, a);
    vg_store3(vg_mv3(vg_angles_Ginv(al), rest), a + 3);
}

static void pull(const double *q, const vgKin *k, const double n[6], double *r)
{
    (void)k;
    for (int i = 0; i < 3; i++) r[i] = n[i];
    vg_store3(vg_mtv3(vg_angles_G(vg_load3(q + 3)), vg_load3(n + 3)), r + 3);
}

static double turned_to(double x, double near)
{
    static const double turn = 6.28318530717958647692;
    return x + turn * round((near - x) / turn);
}

/* R exp(δθ) in angles, of the two sets (φ, θ, ψ) and (φ+π, π−θ, ψ+π) and their turns the one nearest to where
 * the angles come from. */
static void move(const double *q, const double xi[6], double *out)
{
    static const double pi = 3.14159265358979323846;
    vgVec3 al = vg_load3(q + 3);
    vgVec3 guess = vg_add3(al, vg_mv3(vg_angles_Ginv(al), vg_load3(xi + 3)));
    vgVec3 x = vg_angles_from_mat(vg_mm3(vg_angles_to_mat(al), vg_so3_exp(vg_load3(xi + 3))));
    vgVec3 a = vg_v3(turned_to(x.x, guess.x), turned_to(x.y, guess.y), turned_to(x.z, guess.z));
    vgVec3 b =
        vg_v3(turned_to(x.x + pi, guess.x), turned_to(pi - x.y, guess.y), turned_to(x.z + pi, guess.z));
    for (int i = 0; i < 3; i++) out[i] = q[i] + xi[i];
    vg_store3(vg_norm3(vg_sub3(a, guess)) <= vg_norm3(vg_sub3(b, guess)) ? a : b, out + 3);
}

/* The second angle near ±90°. */
static double near_singular(const double *q)
{
    return fabs(cos(q[4])) < 0.25 ? q[4] : 0;
}

static void put3(double *A, vgMat3 B, double s)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[(3 + i) * 6 + 3 + j] += s * B.m[i][j];
}

static void maps(const double *q, const double *v, const double *a, const vgKin *k, const vgTangent *p,
                 const double *d, const double *d_dot, vgChartMaps *out)
{
    (void)k;
    (void)d;
    (void)d_dot;
    double c1 = p->ca > 0 ? p->cv / p->ca : 0, c2 = p->ca > 0 ? 1 / p->ca : 1, one = p->ca > 0 ? 1 : 0;
    vgVec3 al = vg_load3(q + 3), u = vg_load3(v + 3);
    vgMat3 G = vg_angles_G(al);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++) {
        out->P[i * 7] = 1;
        out->Q[i * 7] = c1;
        out->N[i * 7] = one;
    }
    put3(out->P, G, 1);
    put3(out->Q, G, c1);
    put3(out->Q, vg_angles_d_G(al, u), c2);
    put3(out->N, G, one);
    put3(out->N, vg_angles_d_Gdot_rate(al, u), c1);
    put3(out->N, vg_angles_d_G(al, vg_load3(a + 3)), c2);
    put3(out->N, vg_angles_d_Gdot(al, u, u), c2);
}

const vgChart vg_chart_euler_angles = {
    .name = "euler-angles",
    .doc =
        "position and Tait–Bryan angles xyz, second order in the angles; singular at 90° of the second angle",
    .nq = 6,
    .nv = 6,
    .vector_space = 1,
    .split = 1,
    .second_order = 1,
    .retract = add6,
    .local = sub6,
    .rates = copy6,
    .twist = copy6,
    .kin = kin,
    .from_kin = from_kin,
    .velocity = velocity,
    .acceleration = acceleration,
    .pull = pull,
    .singular = near_singular,
    .move = move,
    .maps = maps,
};

/* ---- form 1 ---- */

static void rates1(const double *d, const double *q, const double *v, double *out)
{
    (void)d;
    for (int i = 0; i < 3; i++) out[i] = v[i];
    vg_store3(vg_mv3(vg_angles_Ginv(vg_load3(q + 3)), vg_load3(v + 3)), out + 3);
}

static void twist1(const double *d, const double *q, const double *d_dot, double *v)
{
    (void)d;
    for (int i = 0; i < 3; i++) v[i] = d_dot[i];
    vg_store3(vg_mv3(vg_angles_G(vg_load3(q + 3)), vg_load3(d_dot + 3)), v + 3);
}

static void kin1(const double *q, const double *v, const double *a, vgKin *k)
{
    k->p = vg_load3(q);
    k->R = vg_angles_to_mat(vg_load3(q + 3));
    k->v = vg_load3(v);
    k->w = vg_load3(v + 3);
    if (a) {
        k->dv = vg_load3(a);
        k->dw = vg_load3(a + 3);
    }
}

static void velocity1(const double *q, const vgKin *k, double *v)
{
    (void)q;
    vg_store3(k->v, v);
    vg_store3(k->w, v + 3);
}

static void from_kin1(const vgKin *k, double *q, double *v)
{
    vg_store3(k->p, q);
    vg_store3(vg_angles_from_mat(k->R), q + 3);
    velocity1(q, k, v);
}

static void acceleration1(const double *q, const double *v, const vgKin *k, double *a)
{
    (void)q;
    (void)v;
    vg_store3(k->dv, a);
    vg_store3(k->dw, a + 3);
}

const vgChart vg_chart_euler_angles_1 = {
    .name = "euler-angles-1",
    .doc = "Tait–Bryan angles xyz with angular velocity in body axes (form 1, first order; explicit methods "
           "only)",
    .nq = 6,
    .nv = 6,
    .vector_space = 1,
    .second_order = 0,
    .retract = add6,
    .local = sub6,
    .rates = rates1,
    .twist = twist1,
    .kin = kin1,
    .from_kin = from_kin1,
    .velocity = velocity1,
    .acceleration = acceleration1,
    .singular = near_singular,
    .move = move,
};

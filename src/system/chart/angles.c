/* Tait–Bryan angles,  R = P_c Rx(φ) Ry(θ) Rz(ψ),  singular at θ = ±π/2.
 * Form 2 of [H]: second order in the angles,  w = G(α) α̇,  ẇ = G α̈ + Ġ α̇.
 * Form 1 of [H]: the velocities are (v_W, w_B) and α̇ = G⁻¹(α) w; for explicit methods.
 *
 * P_c renames the world's axes in a circle, x → y → z → x, c times: c = 0 are the angles xyz, 1 and 2 those that begin
 * about y and about z. Angular velocities in body axes do not see P_c, so that G is the same for all three. The sine
 * of θ is the component of the body's z axis along world axis c; the three together have length 1, so that one
 * of the choices is never nearer to its singular position than 35° (sin θ = √⅓). Between two steps a body whose sine has
 * become large takes the best of the three. The number of whole turns of θ says which one it has; these turns mean
 * nothing else: c = round(θ/2π) modulo 3. So q is all that is needed to know the orientation. */
#include "system/absolute/absolute.h"

#include <math.h>
#include <string.h>

#include "math/rotpar.h"
#include "math/so3.h"

static const double TURN = 6.28318530717958647692;

/* Another choice of axes from this sine of θ on. Below √⅓ there may be none that is better. At 0.8 (53°) the best has
 * a sine of at most 0.42: a body turns by 28° at the least before it changes again, and would have to turn by 37°
 * within one step to come to a singular position. Rates of angles are at most 1.7 times those of the body. */
static const double LARGEST_SINE = 0.8;

static int axes_of(double theta)
{
    int c = (int)fmod(round(theta / TURN), 3);
    return c < 0 ? c + 3 : c;
}

/* P_c R (back: P_cᵀ R) */
static vgMat3 renamed(vgMat3 R, int c, int back)
{
    vgMat3 out = R;
    if (c == 0) return out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out.m[(i + (back ? 3 - c : c)) % 3][j] = R.m[i][j];
    return out;
}

static vgMat3 matrix_of(vgVec3 al)
{
    return renamed(vg_angles_to_mat(al), axes_of(al.y), 0);
}

/* With the axes c, but for whole turns of φ and ψ. */
static vgVec3 angles_of(vgMat3 R, int c)
{
    vgVec3 al = vg_angles_from_mat(renamed(R, c, 1));
    al.y += TURN * (c == 2 ? -1 : c);
    return al;
}

static int is_steep(const double *q)
{
    return fabs(sin(q[4])) > LARGEST_SINE;
}

/* xyz where they serve, else the best. */
static int best_axes(vgMat3 R)
{
    int best = 0;
    if (fabs(R.m[0][2]) <= LARGEST_SINE) return best;
    for (int c = 1; c < 3; c++)
        if (fabs(R.m[c][2]) < fabs(R.m[best][2])) best = c;
    return best;
}

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
    k->R = matrix_of(al);
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
    vg_store3(angles_of(k->R, best_axes(k->R)), q + 3);
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
    return x + TURN * round((near - x) / TURN);
}

/* R exp(δθ) in angles, of the two sets (φ, θ, ψ) and (φ+π, π−θ, ψ+π) and their turns the one nearest to where
 * the angles come from. */
static void move(const double *q, const double xi[6], double *out)
{
    static const double pi = 3.14159265358979323846;
    vgVec3 al = vg_load3(q + 3);
    vgVec3 guess = vg_add3(al, vg_mv3(vg_angles_Ginv(al), vg_load3(xi + 3)));
    vgVec3 x = angles_of(vg_mm3(matrix_of(al), vg_so3_exp(vg_load3(xi + 3))), axes_of(al.y));
    vgVec3 a = vg_v3(turned_to(x.x, guess.x), turned_to(x.y, guess.y), turned_to(x.z, guess.z));
    vgVec3 b =
        vg_v3(turned_to(x.x + pi, guess.x), turned_to(pi - x.y, guess.y), turned_to(x.z + pi, guess.z));
    for (int i = 0; i < 3; i++) out[i] = q[i] + xi[i];
    vg_store3(vg_norm3(vg_sub3(a, guess)) <= vg_norm3(vg_sub3(b, guess)) ? a : b, out + 3);
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

static void from_kin_xyz(const vgKin *k, double *q, double *v)
{
    vg_store3(k->p, q);
    vg_store3(angles_of(k->R, 0), q + 3);
    velocity(q, k, v);
}

#define FORM_2                                                                                               \
    .nq = 6, .nv = 6, .vector_space = 1, .split = 1, .second_order = 1, .retract = add6, .local = sub6,      \
    .rates = copy6, .twist = copy6, .kin = kin, .velocity = velocity, .acceleration = acceleration,          \
    .pull = pull, .move = move, .maps = maps

const vgChart vg_chart_euler_angles = {
    FORM_2,
    .name = "euler-angles",
    .doc = "position and Tait–Bryan angles, second order in the angles; their axes change near a singular "
           "position",
    .from_kin = from_kin,
    .is_steep = is_steep,
};
const vgChart vg_chart_euler_angles_xyz = {
    FORM_2,
    .name = "euler-angles-xyz",
    .doc = "the angles xyz for the whole run, as in [H]: wrong near 90° of the second angle",
    .from_kin = from_kin_xyz,
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
    k->R = matrix_of(vg_load3(q + 3));
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
    vg_store3(angles_of(k->R, best_axes(k->R)), q + 3);
    velocity1(q, k, v);
}

static void acceleration1(const double *q, const double *v, const vgKin *k, double *a)
{
    (void)q;
    (void)v;
    vg_store3(k->dv, a);
    vg_store3(k->dw, a + 3);
}

static void from_kin1_xyz(const vgKin *k, double *q, double *v)
{
    vg_store3(k->p, q);
    vg_store3(angles_of(k->R, 0), q + 3);
    velocity1(q, k, v);
}

#define FORM_1                                                                                               \
    .nq = 6, .nv = 6, .vector_space = 1, .second_order = 0, .retract = add6, .local = sub6, .rates = rates1, \
    .twist = twist1, .kin = kin1, .velocity = velocity1, .acceleration = acceleration1, .move = move

const vgChart vg_chart_euler_angles_1 = {
    FORM_1,
    .name = "euler-angles-1",
    .doc =
        "Tait–Bryan angles with angular velocity in body axes (form 1, first order; explicit methods only)",
    .from_kin = from_kin1,
    .is_steep = is_steep,
};
const vgChart vg_chart_euler_angles_1_xyz = {
    FORM_1,
    .name = "euler-angles-1-xyz",
    .doc = "form 1 with the angles xyz for the whole run, as in [H]",
    .from_kin = from_kin1_xyz,
};

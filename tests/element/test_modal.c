/* Flexible bodies in a floating frame: tangents against differentiation, energy against forces, modes of
 * beams against closed forms, Craig–Bampton reduction. */
#include <math.h>
#include <stdlib.h>

#include "element/modal/modal.h"
#include "linalg/dense.h"
#include "linalg/eig.h"
#include "math/so3.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

enum { MAX_BODY = 4, MAX_N = 6 * MAX_BODY };

static double random_number(void)
{
    static unsigned long long s = 88172645463325252ULL;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return (double)(s >> 11) / 4503599627370496.0 - 1;
}

static vgVec3 random3(double size)
{
    vgVec3 v = vg_v3(random_number(), random_number(), random_number());
    return vg_scale3(v, size);
}

static vgSection rich_section(void)
{
    vgSection s = {.m = 2, .S = {0, 0.06, -0.04}};
    for (int i = 0; i < 6; i++) s.C[7 * i] = i < 3 ? 1e4 * (1 + i) : 30 * (i - 1);
    s.C[6 * 0 + 5] = s.C[6 * 5 + 0] = 40; /* axial force bends it */
    s.C[6 * 3 + 4] = s.C[6 * 4 + 3] = 9;  /* bending twists it */
    s.J = vg_m3(0.05, 0, 0, 0, 0.02, 0.003, 0, 0.003, 0.03);
    return s;
}

static vgModal make(vgPool *pool, vgModalSupport support, int modes, int ends, int foreshortening)
{
    static const double at[] = {0, 0.7, 1.3};
    static const char *const name[] = {"A", "B", "C"};
    vgModalBeam def = {.length = 1.3,
                       .section = rich_section(),
                       .support = support,
                       .modes = modes,
                       .ends = ends,
                       .foreshortening = foreshortening,
                       .damping = 1e-3,
                       .nnode = 3,
                       .station = at,
                       .name = name};
    vgModal out;
    const char *why;
    CHECK_INT(vg_modal_beam(&def, pool, &out, &why), VG_OK);
    return out;
}

typedef struct Rig {
    vgModal data;
    vgModalForce force;
    int nbody;
    vgKin kin[MAX_BODY];
    vgVec3 gravity;
} Rig;

static Rig rig_of(vgModal data)
{
    Rig r = {.data = data, .gravity = random3(9)};
    r.nbody = 1 + vg_modal_carriers(&data);
    for (int i = 0; i < r.nbody; i++) {
        double size = i ? 0.2 : 2;
        r.kin[i] = (vgKin){.p = random3(size),
                           .R = i ? vg_eye3() : vg_so3_exp(random3(2)),
                           .v = random3(size),
                           .w = i ? vg_zero3() : random3(3),
                           .dv = random3(5 * size),
                           .dw = i ? vg_zero3() : random3(10)};
        int left = data.nmode - 3 * (i - 1); /* a carrier that is not full has nothing there */
        if (i && left < 3) r.kin[i].p.z = r.kin[i].v.z = r.kin[i].dv.z = 0;
        if (i && left < 2) r.kin[i].p.y = r.kin[i].v.y = r.kin[i].dv.y = 0;
    }
    return r;
}

static void eval(const Rig *r, vgForceOut *out)
{
    vgModalForce def = {.data = &r->data, .frame = 0, .carrier = 1};
    const vgKin *kin[MAX_BODY];
    for (int i = 0; i < r->nbody; i++) kin[i] = &r->kin[i];
    vgForceIn in = {.nbody = r->nbody, .kin = kin, .gravity = r->gravity};
    vg_force_modal.eval(&def, &in, out);
}

static double energies(const Rig *r, int kinetic)
{
    vgModalForce def = {.data = &r->data, .frame = 0, .carrier = 1};
    const vgKin *kin[MAX_BODY];
    for (int i = 0; i < r->nbody; i++) kin[i] = &r->kin[i];
    vgForceIn in = {.nbody = r->nbody, .kin = kin, .gravity = r->gravity};
    return kinetic ? vg_force_modal.kinetic(&def, &in) : vg_force_modal.energy(&def, &in);
}

static void nudge(Rig *r, int level, int c, double h)
{
    vgKin *k = &r->kin[c / 6];
    double d[3] = {0, 0, 0};
    d[c % 3] = h;
    vgVec3 v = vg_load3(d);
    int turn = c % 6 >= 3;
    if (turn && level == 0) k->R = vg_mm3(k->R, vg_so3_exp(v));
    vgVec3 *to = level == 0 ? &k->p : level == 1 ? (turn ? &k->w : &k->v) : (turn ? &k->dw : &k->dv);
    if (!turn || level > 0) *to = vg_add3(*to, v);
}

/* Is component c one that moves? Carriers have no rotation. */
static int moves(const Rig *r, int c)
{
    return c < 6 || (c % 6 < 3 && 3 * (c / 6 - 1) + c % 6 < r->data.nmode);
}

static void check_tangents(const Rig *r)
{
    const int n = 6 * r->nbody;
    double f[MAX_N] = {0}, X[3][MAX_N * MAX_N] = {{0}};
    eval(r, &(vgForceOut){.f = f, .K = X[0], .C = X[1], .M = X[2]});
    for (int level = 0; level < 3; level++) {
        double big = 0, worst = 0;
        for (int i = 0; i < n * n; i++) big = fmax(big, fabs(X[level][i]));
        for (int c = 0; c < n; c++) {
            if (!moves(r, c)) continue;
            double d[3][MAX_N];
            for (int k = 0; k < 3; k++) { /* central differences with Richardson's extrapolation */
                double h = 0.02 / (1 << k), fp[MAX_N] = {0}, fm[MAX_N] = {0};
                Rig p = *r, m = *r;
                nudge(&p, level, c, h);
                nudge(&m, level, c, -h);
                eval(&p, &(vgForceOut){.f = fp});
                eval(&m, &(vgForceOut){.f = fm});
                for (int i = 0; i < n; i++) d[k][i] = (fp[i] - fm[i]) / (2 * h);
            }
            for (int i = 0; i < n; i++) {
                double a = d[1][i] + (d[1][i] - d[0][i]) / 3, b = d[2][i] + (d[2][i] - d[1][i]) / 3;
                double want = (level == 2 ? -1 : 1) * (b + (b - a) / 15);
                worst = fmax(worst, fabs(want - X[level][i * n + c]));
            }
        }
        CHECK(worst <= 1e-8 * big);
    }
}

TEST(tangents_at_large_rotations_and_amplitudes)
{
    vgPool *pool = vg_pool_new(0);
    for (int k = 0; k < 12; k++) {
        Rig r = rig_of(make(pool, (vgModalSupport)(k % 3), 5, 0, k % 2));
        check_tangents(&r);
    }
    vg_pool_free(pool);
}

/* The inertia forces do the work by which the kinetic energy changes, and M is its matrix. */
TEST(inertia_forces_come_from_the_kinetic_energy)
{
    vgPool *pool = vg_pool_new(0);
    for (int k = 0; k < 6; k++) {
        Rig r = rig_of(make(pool, (vgModalSupport)(k % 3), 4, 0, k / 3));
        const int n = 6 * r.nbody, nm = r.data.nmode;
        r.gravity = vg_zero3();
        for (int i = 0; i < nm * nm; i++) r.data.K[i] = r.data.C[i] = 0;
        double f[MAX_N] = {0}, M[MAX_N * MAX_N] = {0}, power = 0, T = 0, xi[MAX_N];
        eval(&r, &(vgForceOut){.f = f, .M = M});
        for (int i = 0; i < r.nbody; i++) {
            vg_store3(r.kin[i].v, xi + 6 * i);
            vg_store3(r.kin[i].w, xi + 6 * i + 3);
        }
        for (int i = 0; i < n; i++) {
            power += f[i] * xi[i];
            for (int j = 0; j < n; j++) T += 0.5 * xi[i] * M[i * n + j] * xi[j];
        }
        CHECK_NEAR(T, energies(&r, 1), 1e-12 * (1 + fabs(T)));
        double d[2];
        for (int s = 0; s < 2; s++) { /* along the motion, to the second order */
            double h = 1e-3 / (1 + s), E[2];
            for (int side = 0; side < 2; side++) {
                double t = side ? -h : h;
                Rig q = r;
                for (int i = 0; i < q.nbody; i++) {
                    vgKin *b = &q.kin[i];
                    vgVec3 turn = vg_scale3(b->w, t);
                    turn = vg_axpy3(0.5 * t * t, b->dw, turn);
                    b->p = vg_axpy3(0.5 * t * t, b->dv, vg_axpy3(t, b->v, b->p));
                    b->R = vg_mm3(b->R, vg_so3_exp(turn));
                    b->v = vg_axpy3(t, b->dv, b->v);
                    b->w = vg_axpy3(t, b->dw, b->w);
                }
                E[side] = energies(&q, 1);
            }
            d[s] = (E[0] - E[1]) / (2 * h);
        }
        double dT = d[1] + (d[1] - d[0]) / 3;
        CHECK_NEAR(-power, dT, 1e-6 * (1 + fabs(dT)));
    }
    vg_pool_free(pool);
}

TEST(elastic_forces_and_weight_come_from_the_energy)
{
    vgPool *pool = vg_pool_new(0);
    Rig r = rig_of(make(pool, VG_MODAL_CLAMPED, 4, 0, 1));
    for (int i = 0; i < r.nbody; i++) r.kin[i].v = r.kin[i].w = r.kin[i].dv = r.kin[i].dw = vg_zero3();
    const int n = 6 * r.nbody;
    double f[MAX_N] = {0};
    eval(&r, &(vgForceOut){.f = f});
    for (int c = 0; c < n; c++) {
        if (!moves(&r, c)) continue;
        Rig p = r, m = r;
        nudge(&p, 0, c, 1e-4);
        nudge(&m, 0, c, -1e-4);
        double slope = (energies(&p, 0) - energies(&m, 0)) / 2e-4;
        CHECK_NEAR(-slope, f[c], 1e-6 * (1 + fabs(f[c])));
    }
    vg_pool_free(pool);
}

/* Slender in the plane: Euler–Bernoulli. */
static vgModal slender(vgPool *pool, vgModalSupport support, int modes, int ends)
{
    static const double at[] = {0, 2};
    static const char *const name[] = {"A", "B"};
    vgSection s = {.m = 3, .J = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 1e-9}}}};
    s.C[0] = 1e9, s.C[7] = 1e9, s.C[35] = 50;
    vgModalBeam def = {.length = 2,
                       .section = s,
                       .planar = 1,
                       .support = support,
                       .modes = modes,
                       .ends = ends,
                       .nnode = 2,
                       .station = at,
                       .name = name};
    vgModal out;
    const char *why;
    CHECK_INT(vg_modal_beam(&def, pool, &out, &why), VG_OK);
    return out;
}

TEST(frequencies_of_beams_against_closed_forms)
{
    /* βL with cosh βL cos βL = 1 (free), = −1 (clamped), sin βL = 0 (pinned) */
    static const double root[3][4] = {
        {1.87510406871196, 4.69409113297417, 7.85475743823761, 10.9955407348755},
        {0, 0, 0, 0},
        {4.73004074486270, 7.85320462409584, 10.9956078380017, 14.1371654912575}};
    vgPool *pool = vg_pool_new(0);
    for (int s = 0; s < 3; s++) {
        vgModal b = slender(pool, (vgModalSupport)s, 4, 0);
        for (int k = 0; k < 4; k++) {
            double beta = (s == VG_MODAL_PINNED ? (k + 1) * pi : root[s][k]) / 2;
            double want = beta * beta * sqrt(50.0 / 3);
            double w = sqrt(b.K[k * 4 + k] / b.M[k * b.nshape + k]);
            CHECK_NEAR(w / want, 1, 1e-6);
            for (int j = 0; j < k; j++) CHECK(fabs(b.M[k * b.nshape + j]) < 1e-10 * b.M[k * b.nshape + k]);
        }
        CHECK_NEAR(b.mass, 6, 1e-12);
        CHECK_NEAR(b.com.x, 1, 1e-12);
        CHECK_NEAR(b.inertia.m[2][2], 6 * 4 / 12.0, 1e-8);
        if (s != VG_MODAL_FREE) continue;
        for (int k = 0; k < 4; k++) { /* mean axes: no momentum in the modes */
            CHECK(vg_norm3(b.P[k]) < 1e-9);
            const vgMat3 *Q = vg_modal_Q(&b, 0, k + 1);
            CHECK(fabs(Q->m[0][1] - Q->m[1][0]) < 1e-8 * 6 * 4);
        }
    }
    vg_pool_free(pool);
}

/* P, Q and M against sums over many nodes (Simpson) of what the nodes say of the shapes, products included: a
 * thin beam, whose sections' own inertia is nothing. */
TEST(integrals_over_the_shapes)
{
    enum { N = 61 };
    static const char *name[N];
    double at[N];
    for (int i = 0; i < N; i++) at[i] = 1.3 * i / (N - 1), name[i] = "n";
    for (int support = 0; support < 3; support++)
        for (int bent = 0; bent < 2; bent++) {
            vgPool *pool = vg_pool_new(0);
            vgModalBeam def = {.length = 1.3,
                               .section = rich_section(),
                               .support = (vgModalSupport)support,
                               .modes = 3,
                               .foreshortening = bent,
                               .nnode = N,
                               .station = at,
                               .name = name};
            def.section.S = vg_zero3();
            def.section.J = vg_mscale3(vg_eye3(), 1e-9);
            vgModal b;
            const char *why;
            double largest = 0;
            CHECK_INT(vg_modal_beam(&def, pool, &b, &why), VG_OK);
            CHECK(bent ? b.nshape > 5 : b.nshape == 3);
            for (int a = 0; a < b.nshape; a++)
                for (int c = -1; c < b.nshape; c++) {
                    vgVec3 P = vg_zero3();
                    vgMat3 Q = vg_mzero3();
                    for (int i = 0; i < N; i++) {
                        double w = 2 * 1.3 / (N - 1) / 3 * (i == 0 || i == N - 1 ? 1 : i % 2 ? 4 : 2);
                        const vgModalNode *node = &b.node[i];
                        vgVec3 other = c < 0 ? vg_v3(at[i] - 0.65, 0, 0) : node->t[c];
                        P = vg_axpy3(w, node->t[a], P);
                        Q = vg_maxpy3(w, vg_outer3(node->t[a], other), Q);
                    }
                    vgMat3 off = vg_msub3(*vg_modal_Q(&b, a + 1, c + 1), Q);
                    for (int k = 0; k < 9; k++) CHECK_NEAR(off.m[k / 3][k % 3], 0, 1e-6);
                    CHECK_NEAR(vg_norm3(vg_sub3(b.P[a], P)), 0, 1e-6);
                    if (c >= 0) CHECK_NEAR(b.M[a * b.nshape + c], vg_trace3(Q), 1e-6);
                    if (a >= b.nmode) largest = fmax(largest, fabs(vg_trace3(Q)));
                }
            CHECK(!bent || largest > 0.1);
            vg_pool_free(pool);
        }
}

/* A cantilever with the shapes of its end is exact for loads there: w = F L³/3EI, θ = F L²/2EI, and M L²/2EI,
 * M L/EI. Whatever the number of modes, the shapes of the end do it. */
TEST(shapes_of_the_ends_are_exact_for_static_loads)
{
    vgPool *pool = vg_pool_new(0);
    for (int modes = 0; modes < 3; modes++) {
        vgModal b = slender(pool, VG_MODAL_CLAMPED, modes, 1);
        CHECK_INT(b.nmode, 3 + modes);
        double w[2] = {0, 0}, turn[2] = {0, 0};
        for (int load = 0; load < 2; load++)
            for (int k = 0; k < b.nmode; k++) {
                const vgModalNode *e = &b.node[1];
                double eta = (load ? e->r[k].z : e->t[k].y) / b.K[k * b.nmode + k];
                w[load] += e->t[k].y * eta;
                turn[load] += e->r[k].z * eta;
            }
        CHECK_NEAR(w[0], 8.0 / 150 + 2.0 / 1e9, 1e-9);
        CHECK_NEAR(turn[0], 4.0 / 100, 1e-9);
        CHECK_NEAR(w[1], 4.0 / 100, 1e-9);
        CHECK_NEAR(turn[1], 2.0 / 50, 1e-9);
    }
    vg_pool_free(pool);
}

/* A chain of n masses and springs between two ends, the ends being the boundary. */
static void chain(int n, double *K, double *M)
{
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int e = 0; e + 1 < n; e++) { /* places along the chain: 0, 2, 3 … n − 1, 1 */
        int i = e == 0 ? 0 : e + 1, j = e + 2 == n ? 1 : e + 2;
        double k = 1 + 0.3 * e;
        K[i * n + i] += k, K[j * n + j] += k;
        K[i * n + j] -= k, K[j * n + i] -= k;
    }
    for (int i = 0; i < n; i++) M[i * n + i] = 1 + 0.1 * i;
}

TEST(craig_bampton_is_exact_in_statics_and_converges_in_frequencies)
{
    enum { N = 12 };
    double K[N * N], M[N * N], full[N];
    chain(N, K, M);
    CHECK_INT(vg_eig_symmetric_pair(K, M, N, full, NULL), VG_OK);
    double last = INFINITY;
    for (int keep = 0; keep <= N - 2; keep++) {
        const int m = 2 + keep;
        double T[N * N], k[N * N], mm[N * N], w2[N];
        CHECK_INT(vg_modal_craig_bampton(N, K, M, 2, keep, T), VG_OK);
        CHECK_INT(vg_modal_project(N, m, K, T, k), VG_OK);
        CHECK_INT(vg_modal_project(N, m, M, T, mm), VG_OK);
        /* static: the springs in series between the ends, whatever is kept */
        double series = 0;
        for (int e = 0; e + 1 < N; e++) series += 1 / (1 + 0.3 * e);
        CHECK_NEAR(k[0], 1 / series, 1e-13);
        CHECK_NEAR(k[1], -1 / series, 1e-13);
        for (int j = 2; j < m; j++) CHECK(fabs(k[j]) < 1e-12 && fabs(k[m + j]) < 1e-12);
        CHECK_INT(vg_eig_symmetric_pair(k, mm, m, w2, NULL), VG_OK);
        for (int i = 1; i < m; i++) CHECK(w2[i] >= full[i] * (1 - 1e-12)); /* from above */
        double error = m > 2 ? w2[2] / full[2] - 1 : INFINITY;
        CHECK(error <= last * (1 + 1e-9) + 1e-12);
        last = error;
        if (m == N)
            for (int i = 1; i < N; i++) CHECK_NEAR(w2[i] / full[i], 1, 1e-11);
    }
}

TEST(damping_ratio_of_every_mode)
{
    vgPool *pool = vg_pool_new(0);
    vgModal b = make(pool, VG_MODAL_PINNED, 4, 0, 0);
    for (int i = 0; i < 16; i++) b.C[i] = 0;
    CHECK_INT(vg_modal_damp(&b, 0.02), VG_OK);
    for (int k = 0; k < 4; k++) {
        double m = b.M[k * b.nshape + k], want = 2 * 0.02 * sqrt(b.K[5 * k] * m);
        CHECK_NEAR(b.C[5 * k], want, 1e-9 * want);
    }
    vg_pool_free(pool);
}

TEST_MAIN(tangents_at_large_rotations_and_amplitudes, inertia_forces_come_from_the_kinetic_energy,
          elastic_forces_and_weight_come_from_the_energy, frequencies_of_beams_against_closed_forms,
          integrals_over_the_shapes, shapes_of_the_ends_are_exact_for_static_loads,
          craig_bampton_is_exact_in_statics_and_converges_in_frequencies, damping_ratio_of_every_mode)

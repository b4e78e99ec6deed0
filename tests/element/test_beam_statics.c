/* Static beams against closed forms, elliptic integrals and the beam's own differential equation. */
#include "beam_mesh.h"

static const double pi = 3.14159265358979323846;
static const vgForceKind *const kinds[2] = {&vg_force_beam, &vg_force_beam3};

static vgMat3 skewed(void)
{
    return vg_so3_exp(vg_v3(0.4, -0.7, 1.1));
}

/* Straight, one metre, along a direction that is no axis. */
static void straight(double s, vgKin *k)
{
    k->R = skewed();
    k->p = vg_mv3(k->R, vg_v3(s, 0, 0));
}

/* The same with unequal elements. */
static void uneven(double s, vgKin *k)
{
    straight(s + 0.03 * sin(9 * s * s) * s * (1 - s), k);
}

static vgBeam section(const vgForceKind *kind, double EA, double GA, double GJ, double EI)
{
    vgBeam b;
    beam_defaults(kind, &b);
    b.section.EA = EA, b.section.GAy = b.section.GAz = GA, b.section.GJ = GJ;
    b.section.EIy = b.section.EIz = EI;
    return b;
}

/* An end moment 2π EI/L makes a full circle: the tip comes back to the root. */
TEST(full_circle)
{
    for (int i = 0; i < 2; i++)
        for (int twice = 0; twice < 2; twice++) {
            vgBeam b = section(kinds[i], 1e4, 5e3, 1, 2);
            Mesh m = mesh_new(kinds[i], i == 0 ? 24 : 8, straight, &b);
            m.load[6 * m.nn - 1 - twice] = 2 * pi * 2; /* about z, about y */
            mesh_solve(&m, 12);
            vgKin *tip = &m.kin[m.nn - 1];
            CHECK(vg_norm3(vg_sub3(tip->p, m.kin[0].p)) < 1e-8);
            CHECK(vg_mmax3(vg_msub3(tip->R, m.kin[0].R)) < 1e-8);
            mesh_free(&m);
        }
}

/* ∫ of 1/√(1 − p² sin²) (first = 1) or √(1 − p² sin²) from a to π/2 by Gauss's rule on 200 pieces. */
static double elliptic(double p, double a, int first)
{
    double sum = 0, h = (pi / 2 - a) / 200, x = sqrt(0.6), at[3] = {-x, 0, x},
           w[3] = {5. / 9, 8. / 9, 5. / 9};
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < 3; k++) {
            double s = sin(a + (i + 0.5 + 0.5 * at[k]) * h), q = sqrt(1 - p * p * s * s);
            sum += 0.5 * h * w[k] * (first ? 1 / q : q);
        }
    return sum;
}

/* Inextensible cantilever with a dead transverse tip force, alpha = P L²/EI (Bisshopp & Drucker 1945):
 *     √alpha = K(p) − F(p, φ1),  sin φ1 = 1/(p √2),  drop = 1 − 2 (E(p) − E(p, φ1))/√alpha,
 *     reach = √(2 (2p² − 1)/alpha) */
static void elastica(double alpha, double *drop, double *reach)
{
    double lo = sqrt(0.5), hi = 1;
    for (int i = 0; i < 200; i++) {
        double p = 0.5 * (lo + hi);
        if (elliptic(p, asin(1 / (p * sqrt(2))), 1) < sqrt(alpha))
            lo = p;
        else
            hi = p;
    }
    *drop = 1 - 2 * elliptic(lo, asin(1 / (lo * sqrt(2))), 0) / sqrt(alpha);
    *reach = sqrt(2 * (2 * lo * lo - 1) / alpha);
}

static double elastica_error(const vgForceKind *kind, int ne, double drop, double reach)
{
    vgBeam b = section(kind, 2e9, 2e9, 1, 1);
    Mesh m = mesh_new(kind, ne, straight, &b);
    vg_store3(vg_mv3(skewed(), vg_v3(0, -10, 0)), m.load + 6 * m.nn - 6);
    mesh_solve(&m, 5);
    vgVec3 tip = vg_mtv3(skewed(), m.kin[m.nn - 1].p);
    mesh_free(&m);
    return hypot(tip.x - reach, tip.y + drop);
}

TEST(large_tip_load)
{
    double drop, reach;
    elastica(10, &drop, &reach);
    CHECK_NEAR(drop, 0.8106, 1e-4); /* the printed table */
    CHECK_NEAR(1 - reach, 0.5550, 1e-4);
    double a = elastica_error(kinds[0], 16, drop, reach), b = elastica_error(kinds[0], 32, drop, reach);
    CHECK_NEAR(log2(a / b), 2, 0.1);
    CHECK(elastica_error(kinds[0], 1024, drop, reach) < 1e-6);
    a = elastica_error(kinds[1], 6, drop, reach), b = elastica_error(kinds[1], 12, drop, reach);
    CHECK_NEAR(log2(a / b), 4, 0.2);
    CHECK(elastica_error(kinds[1], 32, drop, reach) < 1e-6);
}

/* The beam's own differential equation by shooting: a dead tip force F gives N = F everywhere and
 * M(s) = (x_tip − x(s)) × F, so with a guess of x_tip the shape follows from
 *     x′ = R (e1 + C_n⁻¹ Rᵀ F),   R′ = R skew(κ0 + C_m⁻¹ Rᵀ M). */
typedef struct Rod {
    double L, EA, GA, GJ, EI;
    vgVec3 kappa0, F;
    vgMat3 R0;
} Rod;

static void rod_slope(const Rod *r, vgVec3 tip, vgVec3 x, vgQuat q, vgVec3 *dx, vgQuat *dq)
{
    vgMat3 R = vg_quat_to_mat(vg_quat_normalize(q));
    vgVec3 N = vg_mtv3(R, r->F), M = vg_mtv3(R, vg_cross3(vg_sub3(tip, x), r->F));
    *dx = vg_mv3(R, vg_v3(1 + N.x / r->EA, N.y / r->GA, N.z / r->GA));
    vgVec3 k = vg_add3(r->kappa0, vg_v3(M.x / r->GJ, M.y / r->EI, M.z / r->EI));
    *dq = vg_quat_mul(q, vg_quat(0, k.x / 2, k.y / 2, k.z / 2));
}

static vgQuat quat_axpy(double s, vgQuat a, vgQuat b)
{
    return vg_quat(b.w + s * a.w, b.x + s * a.x, b.y + s * a.y, b.z + s * a.z);
}

static vgVec3 rod_miss(const Rod *r, vgVec3 tip)
{
    enum { STEPS = 1000 };
    vgVec3 x = vg_zero3(), kx[4];
    vgQuat q = vg_quat_from_mat(r->R0), kq[4];
    double h = r->L / STEPS;
    for (int i = 0; i < STEPS; i++) {
        rod_slope(r, tip, x, q, &kx[0], &kq[0]);
        rod_slope(r, tip, vg_axpy3(h / 2, kx[0], x), quat_axpy(h / 2, kq[0], q), &kx[1], &kq[1]);
        rod_slope(r, tip, vg_axpy3(h / 2, kx[1], x), quat_axpy(h / 2, kq[1], q), &kx[2], &kq[2]);
        rod_slope(r, tip, vg_axpy3(h, kx[2], x), quat_axpy(h, kq[2], q), &kx[3], &kq[3]);
        for (int k = 0; k < 4; k++) {
            double w = h * (k == 1 || k == 2 ? 2. : 1.) / 6;
            x = vg_axpy3(w, kx[k], x);
            q = quat_axpy(w, kq[k], q);
        }
    }
    return vg_sub3(x, tip);
}

static vgVec3 rod_tip(const Rod *r, vgVec3 tip)
{
    for (int it = 0; it < 12; it++) {
        vgVec3 m = rod_miss(r, tip), c[3];
        for (int k = 0; k < 3; k++) {
            double h = 1e-6 * r->L;
            vgVec3 e = vg_scale3(vg_unit_axis3(k), h);
            c[k] = vg_scale3(vg_sub3(rod_miss(r, vg_add3(tip, e)), rod_miss(r, vg_sub3(tip, e))), 0.5 / h);
        }
        tip = vg_sub3(tip, vg_mv3(vg_inv3(vg_cols3(c[0], c[1], c[2])), m));
    }
    CHECK(vg_norm3(rod_miss(r, tip)) < 1e-11 * r->L);
    return tip;
}

/* The 45° bend of Bathe & Bolourchi (1979): radius 100, square section of edge 1, E = 1e7, force 600 upwards.
 */
static void bend(double s, vgKin *k)
{
    double a = s * pi / 4;
    k->p = vg_v3(100 * sin(a), 100 * (1 - cos(a)), 0);
    k->R = vg_so3_exp(vg_v3(0, 0, a));
}

static double bend_error(const vgForceKind *kind, int ne, vgVec3 exact)
{
    vgBeam b = section(kind, 1e7, 5e6, 5e6 / 6, 1e7 / 12);
    Mesh m = mesh_new(kind, ne, bend, &b);
    m.load[6 * m.nn - 4] = 600;
    mesh_solve(&m, 30);
    double off = vg_norm3(vg_sub3(m.kin[m.nn - 1].p, exact));
    mesh_free(&m);
    return off;
}

TEST(precurved_bend)
{
    Rod rod = {.L = 25 * pi, .EA = 1e7, .GA = 5e6, .GJ = 5e6 / 6, .EI = 1e7 / 12};
    rod.kappa0 = vg_v3(0, 0, 0.01);
    rod.R0 = vg_eye3();
    vgVec3 tip = vg_v3(70.71, 29.29, 0);
    for (int i = 1; i <= 6; i++) {
        rod.F = vg_v3(0, 0, 100 * i);
        tip = rod_tip(&rod, tip);
    }
    /* published: (47.23, 15.79, 53.37) with eight straight elements (Simo & Vu-Quoc 1986) */
    CHECK_NEAR(tip.x, 47.23, 0.15);
    CHECK_NEAR(tip.y, 15.79, 0.15);
    CHECK_NEAR(tip.z, 53.37, 0.15);
    double a = bend_error(kinds[0], 16, tip), b = bend_error(kinds[0], 32, tip);
    CHECK_NEAR(log2(a / b), 2, 0.1);
    a = bend_error(kinds[1], 6, tip), b = bend_error(kinds[1], 12, tip);
    CHECK_NEAR(log2(a / b), 4, 0.3);
    CHECK(b < 1e-3);
}

/* Constant strain on unequal elements: an end force along the beam or an end moment about an axis gives that
 * one strain everywhere, exactly. */
TEST(patch)
{
    static const double C[6] = {50, 20, 25, 3, 4, 5}, load[6] = {10, 0, 0, 1.5, 2.5, -3};
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 6; c++) {
            vgBeam b;
            beam_defaults(kinds[i], &b);
            b.section.EA = C[0], b.section.GAy = C[1], b.section.GAz = C[2];
            b.section.GJ = C[3], b.section.EIy = C[4], b.section.EIz = C[5];
            if (load[c] == 0) continue;
            Mesh m = mesh_new(kinds[i], 5, uneven, &b);
            double *at = m.load + 6 * m.nn - 6;
            if (c < 3)
                vg_store3(vg_scale3(vg_col3(skewed(), c), load[c]), at);
            else
                at[c] = load[c];
            mesh_solve(&m, 4);
            for (int e = 0; e < m.ne; e++) {
                const vgKin *k = &m.kin[e * m.narm], *kin[3] = {k, k + 1, m.narm == 2 ? k + 2 : NULL};
                vgForceIn in = {.nbody = m.narm + 1, .kin = kin};
                double out[19];
                kinds[i]->output(&m.b[e], &in, out);
                for (int j = 0; j < (m.narm == 2 ? 18 : 6); j++)
                    CHECK_NEAR(out[j], j % 6 == c ? load[c] : 0, 1e-11);
                for (int g = 0; g < m.narm; g++) {
                    double strain[6];
                    vg_beam_strain(&m.b[e], kin, g, strain, NULL);
                    for (int j = 0; j < 6; j++) CHECK_NEAR(strain[j], j == c ? load[c] / C[c] : 0, 1e-12);
                }
            }
            mesh_free(&m);
        }
}

/* Small tip load on a slender beam: one-point elements give P L³/3EI (1 − 1/4n²) + P L/GA, three-node ones
 * are exact at the nodes. Nothing of it depends on how slender the beam is: no locking. */
TEST(no_locking)
{
    static const double slender[3] = {1e3, 1e6, 1e9};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            vgBeam b = section(kinds[i], slender[k], slender[k], 1, 1);
            Mesh m = mesh_new(kinds[i], 3, straight, &b);
            double P = 1e-4;
            vg_store3(vg_mv3(skewed(), vg_v3(0, 0, P)), m.load + 6 * m.nn - 6);
            mesh_step(&m, 1); /* from rest: the linear answer */
            double w = vg_mtv3(skewed(), m.kin[m.nn - 1].p).z;
            double exact = P / 3 * (i == 0 ? 1 - 1. / 36 : 1) + P / slender[k];
            /* membrane and bending stiffness lie `slender` apart: that many digits go in the solution */
            CHECK_NEAR(w / exact, 1, 1e-9 + 1e-15 * slender[k]);
            mesh_free(&m);
        }
}

/* Two dead forces, one out of plane: the order of loading does not matter. */
TEST(path_independence)
{
    for (int i = 0; i < 2; i++) {
        vgBeam b = section(kinds[i], 1e3, 5e2, 1.2, 2);
        vgVec3 tip[2];
        for (int order = 0; order < 2; order++) {
            Mesh m = mesh_new(kinds[i], 6, straight, &b);
            double *mid = m.load + 6 * (m.nn / 2), *end = m.load + 6 * m.nn - 6;
            for (int k = 1; k <= 8; k++) {
                int first = (k <= 4) == (order == 0);
                vgVec3 *F = first ? &(vgVec3){0.5, 2, 4} : &(vgVec3){-1, -4, 3};
                double *at = first ? mid : end;
                vg_store3(vg_scale3(*F, k <= 4 ? k / 4. : (k - 4) / 4.), at);
                mesh_solve(&m, 1);
            }
            tip[order] = m.kin[m.nn - 1].p;
            mesh_free(&m);
        }
        CHECK(vg_norm3(vg_sub3(tip[0], tip[1])) < 1e-11);
    }
}

/* The same beam on bodies that stand elsewhere and turned anyhow, attached through frames. */
TEST(attached_nodes)
{
    for (int i = 0; i < 2; i++) {
        vgBeam b = section(kinds[i], 1e3, 5e2, 1.2, 2);
        vgVec3 tip[2];
        for (int off = 0; off < 2; off++) {
            Mesh m = mesh_new(kinds[i], 4, bend, &b);
            vgFrame at[9];
            for (int k = 0; k < m.nn && off; k++) { /* frame = old node; body = somewhere else */
                vgMat3 N = vg_so3_exp(beam_random3(2));
                vgVec3 r = beam_random3(k == m.nn - 1 ? 0 : 4); /* the loaded body only turned */
                m.kin[k].R = vg_mmt3(m.kin[k].R, N);
                m.kin[k].p = vg_sub3(m.kin[k].p, vg_mv3(m.kin[k].R, r));
                at[k] = (vgFrame){.body = k, .r = r, .R = N};
            }
            for (int e = 0; e < m.ne && off; e++) {
                int k = e * m.narm;
                m.b[e].head.frame[0] = at[k];
                m.b[e].head.frame[1] = at[k + m.narm];
                m.b[e].middle = at[k + 1];
                vgKin kin[BEAM_MAX] = {m.kin[k], m.kin[k + 1]};
                if (m.narm == 2) kin[2] = m.kin[k + 2];
                beam_ready(kinds[i], &m.b[e], 0, kin);
                CHECK(m.b[e].attached);
            }
            vg_store3(vg_v3(1e-4, 5e-4, -3e-4), m.load + 6 * m.nn - 6);
            mesh_solve(&m, 20);
            tip[off] = m.kin[m.nn - 1].p;
            mesh_free(&m);
        }
        CHECK(vg_norm3(vg_sub3(tip[0], vg_v3(100 * sin(pi / 4), 100 * (1 - cos(pi / 4)), 0))) > 1);
        CHECK(vg_norm3(vg_sub3(tip[0], tip[1])) < 1e-10 * 100);
    }
}

TEST_MAIN(full_circle, large_tip_load, precurved_bend, patch, no_locking, path_independence, attached_nodes)

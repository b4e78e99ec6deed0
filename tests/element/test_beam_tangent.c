/* Tangents of beams against differences, at random large rotations and strains; what must not change under
 * rigid motion; momentum and energy. */
#include "beam_check.h"
#include "motion.h"

static const double coupled_stiffness[21] = {9, 0.4, 0.7, -0.6, 0.9, 1.1, 5,    0.3, 0.8, -0.5, 0.2,
                                             4, 0.6, 0.1, 0.3,  2.5, 0.4, -0.2, 3,   0.5, 2};
static const double mass_centre[2] = {0.11, -0.07};

typedef struct Variant {
    const char *name, *mass;
    int coupled, damped, attached, planar, curved;
} Variant;

static const Variant variants[] = {
    {"plain", "none", 0, 0, 0, 0, 0},
    {"curved", "none", 0, 0, 0, 0, 1},
    {"coupled", "consistent", 1, 0, 0, 0, 1},
    {"damped", "none", 0, 1, 0, 0, 0},
    {"both", "slices", 1, 1, 0, 0, 1},
    {"attached", "consistent", 1, 1, 1, 0, 1},
    {"attached plain", "none", 0, 0, 1, 0, 0},
    {"lumped", "lumped", 1, 0, 1, 0, 1},
    {"planar", "none", 0, 0, 0, 1, 1},
    {"planar both", "consistent", 1, 1, 0, 1, 1},
    {"planar attached", "slices", 1, 1, 1, 1, 1},
};
enum { NVARIANT = sizeof variants / sizeof variants[0] };

static const vgForceKind *const kinds[2] = {&vg_force_beam, &vg_force_beam3};

static vgVec3 flatten(vgVec3 v, int planar)
{
    return planar ? vg_v3(v.x, v.y, 0) : v;
}

static vgVec3 upright(vgVec3 v, int planar)
{
    return planar ? vg_v3(0, 0, v.z) : v;
}

/* Nodes about 0.5 apart along a curve, triads nearly along it. */
static void placement(int nbody, const Variant *v, vgKin *kin)
{
    memset(kin, 0, BEAM_MAX * sizeof *kin);
    double c = v->curved ? 0.2 : 0;
    for (int a = 0; a < nbody; a++) {
        kin[a].p = flatten(vg_v3(0.5 * a, c * a * a * 0.5, -0.5 * c * a * (a - 0.5)), v->planar);
        kin[a].R = vg_so3_exp(upright(vg_v3(0.3 * c * a, 0.7 * c * a, c * a), v->planar));
    }
}

static void motion(int nbody, int planar, vgKin *kin)
{
    vgMat3 turn = vg_so3_exp(upright(beam_random3(2), planar));
    vgVec3 shift = flatten(beam_random3(3), planar);
    for (int a = 0; a < nbody; a++) {
        vgKin *k = &kin[a];
        k->p = vg_add3(shift, vg_mv3(turn, vg_add3(k->p, flatten(beam_random3(0.2), planar))));
        k->R = vg_mm3(turn, vg_mm3(k->R, vg_so3_exp(upright(beam_random3(0.6), planar))));
        k->v = flatten(beam_random3(1.5), planar);
        k->w = upright(beam_random3(1.5), planar);
        k->dv = flatten(beam_random3(2), planar);
        k->dw = upright(beam_random3(2), planar);
    }
}

static int make(const vgForceKind *kind, const Variant *v, vgBeam *b, vgKin *kin)
{
    int nbody = kind == &vg_force_beam3 ? 3 : 2;
    beam_defaults(kind, b);
    b->section.EA = 9, b->section.GAy = 4, b->section.GAz = 5, b->section.GJ = 2, b->section.EIy = 3;
    b->section.EIz = 2.5, b->section.m = 1.3, b->section.Jx = 0.4, b->section.Jy = 0.3, b->section.Jz = 0.2;
    if (v->coupled) {
        b->section.stiffness = (vgNumbers){21, coupled_stiffness};
        b->section.mass_centre = (vgNumbers){2, mass_centre};
    }
    b->damping = v->damped ? 0.3 : 0;
    b->mass = v->mass;
    if (v->attached) {
        vgFrame *f[3] = {&b->head.frame[0], &b->head.frame[1], &b->middle};
        for (int i = 0; i < nbody; i++) {
            f[i]->r = flatten(beam_random3(0.1), v->planar);
            f[i]->R = vg_so3_exp(upright(beam_random3(i == 0 ? 0.5 : 3), v->planar));
        }
    }
    placement(nbody, v, kin);
    vgForceSetup setup = beam_ready(kind, b, v->planar, kin);
    CHECK_INT(setup.nbody, nbody);
    CHECK_INT(setup.inertial, strcmp(v->mass, "none") != 0);
    CHECK_INT(b->coupled, v->coupled);
    return nbody;
}

static int out_of_plane(int component)
{
    return component % 6 > 1 && component % 6 < 5;
}

/* A planar element has nothing to say about the other components. */
static void only_plane(int n, double *D)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (out_of_plane(i) || out_of_plane(j)) D[i * n + j] = 0;
}

static void compare(const vgForceKind *kind, const Variant *v, const char *what, int n, double *A, double *D)
{
    if (v->planar) {
        only_plane(n, A);
        only_plane(n, D);
    }
    double scale = fmax(1, beam_largest(n * n, D)), off = beam_distance(n * n, A, D);
    if (off > 1e-8 * scale) printf("%s, %s: %s off by %.2e of %.2e\n", kind->name, v->name, what, off, scale);
    CHECK(off <= 1e-8 * scale);
}

TEST(tangents)
{
    vgVec3 gravity = vg_v3(0.3, -9.81, 0);
    for (int i = 0; i < 6 * NVARIANT; i++) {
        const Variant *v = &variants[i % NVARIANT];
        const vgForceKind *kind = kinds[i & 1];
        vgBeam b;
        vgKin kin[BEAM_MAX];
        double f[BEAM_N] = {0}, K[BEAM_N * BEAM_N] = {0}, C[BEAM_N * BEAM_N] = {0};
        double M[BEAM_N * BEAM_N] = {0}, D[BEAM_N * BEAM_N], g[BEAM_N] = {0};
        int nbody = make(kind, v, &b, kin), n = 6 * nbody;
        motion(nbody, v->planar, kin);
        beam_eval(kind, &b, nbody, kin, gravity, &(vgForceOut){.f = f, .K = K, .C = C, .M = M});
        beam_eval(kind, &b, nbody, kin, gravity, &(vgForceOut){.f = g});
        CHECK(beam_distance(n, f, g) == 0);
        beam_differences(kind, &b, nbody, kin, gravity, 0, 0.02, D);
        compare(kind, v, "K", n, K, D);
        beam_differences(kind, &b, nbody, kin, gravity, 1, 0.2, D);
        compare(kind, v, "C", n, C, D);
        beam_differences(kind, &b, nbody, kin, gravity, 2, 0.2, D);
        for (int k = 0; k < n * n; k++) D[k] = -D[k];
        compare(kind, v, "M", n, M, D);
    }
}

/* The planar element is the spatial one on bodies in the plane. */
TEST(planar_is_spatial)
{
    for (int i = 0; i < 2; i++) {
        Variant v = {"planar", "none", 0, 1, 0, 1, 1};
        vgBeam b, s;
        vgKin kin[BEAM_MAX];
        int nbody = make(kinds[i], &v, &b, kin), n = 6 * nbody;
        double f[BEAM_N] = {0}, K[BEAM_N * BEAM_N] = {0}, C[BEAM_N * BEAM_N] = {0};
        double fs[BEAM_N] = {0}, Ks[BEAM_N * BEAM_N] = {0}, Cs[BEAM_N * BEAM_N] = {0};
        s = b;
        beam_ready(kinds[i], &s, 0, kin);
        motion(nbody, 1, kin);
        beam_eval(kinds[i], &b, nbody, kin, vg_zero3(), &(vgForceOut){.f = f, .K = K, .C = C});
        beam_eval(kinds[i], &s, nbody, kin, vg_zero3(), &(vgForceOut){.f = fs, .K = Ks, .C = Cs});
        only_plane(n, Ks);
        only_plane(n, Cs);
        CHECK(beam_distance(n, f, fs) <= 1e-13 * beam_largest(n, f));
        CHECK(beam_distance(n * n, K, Ks) <= 1e-13 * beam_largest(n * n, K));
        CHECK(beam_distance(n * n, C, Cs) <= 1e-13 * beam_largest(n * n, C));
    }
}

static void check_gradient(const vgForceKind *kind, const Variant *v, const vgBeam *b, int nbody,
                           const vgKin *kin, const double *f)
{
    double scale = beam_largest(6 * nbody, f);
    for (int c = 0; c < 6 * nbody; c++) {
        if (v->planar && out_of_plane(c)) continue;
        double d[3];
        for (int k = 0; k < 3; k++) {
            double h = 0.01 / (1 << k);
            vgKin p[BEAM_MAX], m[BEAM_MAX];
            memcpy(p, kin, sizeof p);
            memcpy(m, kin, sizeof m);
            beam_nudge(p, 0, c, h);
            beam_nudge(m, 0, c, -h);
            d[k] = (beam_energy(kind, b, nbody, p) - beam_energy(kind, b, nbody, m)) / (2 * h);
        }
        double a = (4 * d[1] - d[0]) / 3, e = (4 * d[2] - d[1]) / 3;
        CHECK_NEAR(f[c], -(16 * e - a) / 15, 1e-9 * scale);
    }
}

/* Strain energy does not know rigid motion; internal forces have no resultant; they are the energy's
 * gradient. */
TEST(objective)
{
    for (int j = 0; j < 2 * NVARIANT; j++) {
        const vgForceKind *kind = kinds[j / NVARIANT];
        Variant v = variants[j % NVARIANT];
        v.mass = "none";
        v.damped = 0;
        vgBeam b;
        vgKin kin[BEAM_MAX];
        int nbody = make(kind, &v, &b, kin);
        CHECK_NEAR(beam_energy(kind, &b, nbody, kin), 0, 1e-28);
        motion(nbody, v.planar, kin);
        double U = beam_energy(kind, &b, nbody, kin), f[BEAM_N] = {0};
        beam_eval(kind, &b, nbody, kin, vg_zero3(), &(vgForceOut){.f = f});
        vgVec3 F = vg_zero3(), T = vg_zero3();
        for (int a = 0; a < nbody; a++) {
            vgVec3 fa = vg_load3(f + 6 * a);
            F = vg_add3(F, fa);
            T = vg_add3(T, vg_add3(vg_cross3(kin[a].p, fa), vg_mv3(kin[a].R, vg_load3(f + 6 * a + 3))));
        }
        double scale = beam_largest(6 * nbody, f);
        CHECK(vg_norm3(F) <= 1e-13 * scale);
        CHECK(vg_norm3(T) <= 1e-13 * scale * 6); /* arms of up to 6 m */
        check_gradient(kind, &v, &b, nbody, kin, f);
        vgMat3 turn = vg_so3_exp(v.planar ? vg_v3(0, 0, 2.5) : vg_v3(2.1, -1.3, 0.8));
        for (int a = 0; a < nbody; a++) {
            kin[a].p = vg_add3(vg_mv3(turn, kin[a].p), v.planar ? vg_v3(1, -2, 0) : vg_v3(1, -2, 3));
            kin[a].R = vg_mm3(turn, kin[a].R);
        }
        CHECK_NEAR(beam_energy(kind, &b, nbody, kin), U, 1e-13 * U);
    }
}

/* Damping takes energy, and none from rigid rotation. */
TEST(damping_takes_energy)
{
    for (int j = 0; j < 4 * NVARIANT; j++) {
        const vgForceKind *kind = kinds[j & 1];
        int rigid = (j >> 1) & 1, nbody;
        Variant v = variants[j >> 2];
        v.mass = "none";
        v.damped = 1;
        vgBeam b, elastic;
        vgKin kin[BEAM_MAX];
        nbody = make(kind, &v, &b, kin);
        motion(nbody, v.planar, kin);
        elastic = b;
        elastic.damping = 0;
        double f[BEAM_N] = {0}, e[BEAM_N] = {0}, power = 0;
        vgVec3 w = v.planar ? vg_v3(0, 0, 1.7) : vg_v3(1, -2, 0.5);
        for (int a = 0; a < nbody && rigid; a++) {
            vgVec3 r = vg_add3(kin[a].p, vg_zero3());
            kin[a].v = vg_cross3(w, r);
            kin[a].w = vg_mtv3(kin[a].R, w);
        }
        beam_eval(kind, &b, nbody, kin, vg_zero3(), &(vgForceOut){.f = f});
        beam_eval(kind, &elastic, nbody, kin, vg_zero3(), &(vgForceOut){.f = e});
        for (int a = 0; a < nbody; a++) {
            power += vg_dot3(vg_sub3(vg_load3(f + 6 * a), vg_load3(e + 6 * a)), kin[a].v);
            power += vg_dot3(vg_sub3(vg_load3(f + 6 * a + 3), vg_load3(e + 6 * a + 3)), kin[a].w);
        }
        if (rigid)
            CHECK(beam_distance(6 * nbody, f, e) <= 1e-12 * beam_largest(6 * nbody, e));
        else
            CHECK(power < -1e-3);
    }
}

/* The strain rates that damping and stresses are made of are the differences of the strains along the motion. */
TEST(strain_rates)
{
    const double eps = 1e-5;
    for (int j = 0; j < 2 * NVARIANT; j++) {
        const Variant v = variants[j >> 1];
        vgBeam b;
        vgKin kin[BEAM_MAX], moved[2][BEAM_MAX];
        const vgKin *at[BEAM_MAX];
        if (v.attached) continue; /* at frames of bodies, by the same function */
        const int nbody = make(kinds[j & 1], &v, &b, kin);
        motion(nbody, v.planar, kin);
        for (int a = 0; a < 2 * nbody; a++)
            moved[a / nbody][a % nbody] = motion_at(&kin[a % nbody], a < nbody ? -eps : eps);
        for (int point = 0; point < b.narm; point++) {
            double strain[6], rate[6], before[6], after[6];
            for (int a = 0; a < nbody; a++) at[a] = &moved[0][a];
            vg_beam_strain(&b, at, point, before, NULL);
            for (int a = 0; a < nbody; a++) at[a] = &moved[1][a];
            vg_beam_strain(&b, at, point, after, NULL);
            for (int a = 0; a < nbody; a++) at[a] = &kin[a];
            vg_beam_strain(&b, at, point, strain, rate);
            for (int i = 0; i < 6; i++) CHECK_NEAR(rate[i], (after[i] - before[i]) / (2 * eps), 1e-8);
        }
    }
}

/* d/dt of the kinetic energy is minus the power of the inertia forces. */
TEST(inertia_power)
{
    static const char *const masses[3] = {"consistent", "lumped", "slices"};
    for (int i = 0; i < 6; i++) {
        Variant v = {"inertia", masses[i / 2], 1, 0, 0, 0, 1};
        const vgForceKind *kind = kinds[i & 1];
        vgBeam b;
        vgKin kin[BEAM_MAX], now[BEAM_MAX];
        const vgKin *at[BEAM_MAX] = {&kin[0], &kin[1], &kin[2]};
        int nbody = make(kind, &v, &b, kin);
        vgForceIn in = {.nbody = nbody, .kin = at};
        motion(nbody, 0, kin);
        double f[BEAM_N] = {0}, power = 0, T[2], h = 1e-5;
        vg_beam_inertia(&b, at, vg_zero3(), &(vgForceOut){.f = f});
        for (int a = 0; a < nbody; a++)
            power += vg_dot3(vg_load3(f + 6 * a), kin[a].v) + vg_dot3(vg_load3(f + 6 * a + 3), kin[a].w);
        memcpy(now, kin, sizeof now);
        for (int s = 0; s < 2; s++) {
            double t = s ? h : -h;
            for (int a = 0; a < nbody; a++) {
                kin[a].R = vg_mm3(now[a].R, vg_so3_exp(vg_scale3(now[a].w, t)));
                kin[a].v = vg_axpy3(t, now[a].dv, now[a].v);
                kin[a].w = vg_axpy3(t, now[a].dw, now[a].w);
            }
            T[s] = kind->kinetic(&b, &in);
        }
        CHECK_NEAR((T[1] - T[0]) / (2 * h), -power, 1e-8);
    }
}

/* A straight bar that turns as a whole about its start: moment m L³/3 + Jz L; two lumps at the ends give m
 * L³/2. */
TEST(inertia_of_a_bar)
{
    static const char *const masses[3] = {"consistent", "lumped", "slices"};
    for (int i = 0; i < 6; i++) {
        Variant v = {"inertia", masses[i / 2], 0, 0, 0, 0, 0};
        vgBeam b;
        vgKin kin[BEAM_MAX];
        const vgKin *at[BEAM_MAX] = {&kin[0], &kin[1], &kin[2]};
        int nbody = make(kinds[i & 1], &v, &b, kin), two_lumps = i == 2;
        vgForceIn in = {.nbody = nbody, .kin = at};
        double L = 0.5 * (nbody - 1), w = 2;
        for (int a = 0; a < nbody; a++) {
            kin[a].v = vg_v3(0, w * kin[a].p.x, 0);
            kin[a].w = vg_v3(0, 0, w);
        }
        double moment = 1.3 * L * L * L / (two_lumps ? 2 : 3) + 0.2 * L;
        CHECK_NEAR(kinds[i & 1]->kinetic(&b, &in), 0.5 * w * w * moment, 1e-14);
    }
}

TEST_MAIN(tangents, planar_is_spatial, objective, damping_takes_energy, strain_rates, inertia_power,
          inertia_of_a_bar)

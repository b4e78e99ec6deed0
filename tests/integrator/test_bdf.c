/* Backward differences of variable step and order. */
#include "runs.h"
#include "test.h"

static int showing(void)
{
    return getenv("VERGE_TEST_SHOW") != NULL;
}

/* The error follows the tolerance, and the order rises with it: a thousandfold tolerance may not cost the
 * tenfold that order 2 would. */
static void follow(const char *text, const char *coordinates, double end, const Final *ref)
{
    long steps[3];
    for (int k = 0; k < 3; k++) {
        char name[64];
        double tol = pow(10, -4 - 2 * k);
        snprintf(name, sizeof name, "bdf:rtol=%g,atol=%g", tol, tol);
        Final f = final_of(text, coordinates, name, 0, end);
        double error = distance(f.q, ref->q, f.nq);
        if (showing())
            printf("%.20s %s: %ld steps, %ld rejected, %ld iterations, error %.1e\n", text, name,
                   f.stats.steps, f.stats.rejected, f.stats.newton_iterations, error);
        CHECK(f.ok && error < 100 * tol);
        CHECK(f.stats.rejected * 4 < f.stats.steps + 8);
        steps[k] = f.stats.steps;
    }
    CHECK(steps[2] < 10 * steps[0]);
}

TEST(nonlinear_ode)
{
    Final ref = final_of(ELASTIC_PENDULUM, NULL, "dopri5:rtol=1e-13,atol=1e-14", 1e-3, 1);
    follow(ELASTIC_PENDULUM, NULL, 1, &ref);
}

TEST(rotation_group)
{
    Final ref = final_of("heavy-top-free.yaml", "lie", "dopri5:rtol=1e-13,atol=1e-14", 1e-5, 0.05);
    follow("heavy-top-free.yaml", "lie", 0.05, &ref);
}

TEST(index_3)
{
    Final ref = pendulum_reference(1);
    follow("pendulum-point.yaml", NULL, 1, &ref);
}

TEST(index_1)
{
    Final ref = pendulum_reference(1);
    rig_constraints = "index1";
    follow("pendulum-point.yaml", NULL, 1, &ref);
    rig_constraints = "index3";
}

/* Fast decay, slow forcing: once the fast part is gone the steps follow the slow one. x → F cos(2t)/k. */
TEST(stiff)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, 0]\n"
        "bodies: {m: {mass: 1, point: true, position: [0.1, 0]}}\n"
        "forces:\n"
        "  s: {bushing: [ground, m], stiffness: [1e8, 1e8, 0, 0, 0, 0], damping: [1e5, 1e5, 0, 0, 0, 0]}\n"
        "  f: {force: m, value: ['1e8*cos(2*t)', 0]}\n";
    Final f = final_of(text, NULL, "bdf:rtol=1e-6,atol=1e-8", 0, 3);
    if (showing()) printf("stiff: %ld steps, %ld rejected\n", f.stats.steps, f.stats.rejected);
    CHECK(f.ok && f.stats.steps < 500); /* 1/λ is 1e-5 s and slower: an explicit method needs 1e5 steps */
    /* m ẍ + c ẋ + k x = F cos 2t */
    double re = 1e8 - 4, im = 2e5, n = re * re + im * im;
    CHECK_NEAR(f.q[0], 1e8 * (re * cos(6) + im * sin(6)) / n, 1e-5);
}

/* Orders 1 and 2 are A-stable: an undamped fast oscillation dies out. */
TEST(order_2_is_a_stable)
{
    Rig rig;
    vgParamSet k = {"k", 1e4, NULL};
    CHECK(rig_open(&rig, STIFF, NULL, "bdf:order=2,adaptive=0", &k, 1));
    if (rig.status == VG_OK) {
        CHECK(rig_run(&rig, 0.05, 5));
        CHECK(hypot(rig.sim.state->q[0], rig.sim.state->v[0] / 100) < 1e-6);
    }
    rig_close(&rig);
}

/* A force that is switched on: the corner is met and the method begins again. */
TEST(corner)
{
    static const char text[] = "verge: 1\nplanar: true\ngravity: [0, 0]\n"
                               "bodies: {m: {mass: 2, point: true}}\n"
                               "forces: {f: {force: m, value: ['if(t < 0.3, 0, 6)', 0]}}\n";
    Final f = final_of(text, NULL, "bdf:rtol=1e-8,atol=1e-8", 0, 1);
    CHECK_NEAR(f.q[0], 1.5 * 0.7 * 0.7, 2e-6);
    CHECK_NEAR(f.v[0], 3 * 0.7, 2e-6);
    CHECK(f.stats.steps < 200);
}

/* Given steps of changing size: the variable coefficients keep the order. */
TEST(order_with_changing_steps)
{
    static const double ratio[] = {1, 1.25, 0.75, 0.875, 1.125, 1};
    Final ref = final_of(ELASTIC_PENDULUM, NULL, "dopri5:rtol=1e-13,atol=1e-14", 1e-3, 0.96);
    for (int order = 1; order <= 4; order++) {
        double e[2] = {1, 1};
        for (int k = 0; k < 2; k++) {
            Rig rig;
            char name[64];
            snprintf(name, sizeof name, "bdf:adaptive=0,order=%d,rtol=1e-14,atol=1e-14", order);
            if (!rig_open(&rig, ELASTIC_PENDULUM, NULL, name, NULL, 0)) continue;
            vgIntegrator *it = rig.sim.it;
            vgState *s = rig.sim.state;
            double h = (order == 1 ? 0.0004 : 0.008) / (1 << k);
            it->row->start(it, s);
            /* begin with steps so small that low orders do no harm */
            for (double small = h / 4096; small < h; small *= 1.25)
                if (s->t + small < 0.4) vg_integrator_advance(it, s, small);
            double begin = s->t, scale = (0.96 - begin) / floor((0.96 - begin) / (6 * h)) / 6;
            for (int i = 0; s->t < 0.96 - 1e-9; i++)
                CHECK(vg_integrator_advance(it, s, scale * ratio[i % 6]) == VG_OK);
            CHECK_NEAR(s->t, 0.96, 1e-9);
            e[k] = distance(s->q, ref.q, 2);
            rig_close(&rig);
        }
        if (showing()) printf("order %d: %.2f (%.1e)\n", order, log2(e[0] / e[1]), e[1]);
        CHECK_NEAR(log2(e[0] / e[1]), order, 0.2);
    }
}

TEST_MAIN(nonlinear_ode, rotation_group, index_3, index_1, stiff, order_2_is_a_stable, corner,
          order_with_changing_steps)

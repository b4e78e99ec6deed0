/* Multistep methods with ρ∞, their single-step forms, backward differences of fixed order. */
#include "runs.h"
#include "test.h"

typedef struct Method {
    const char *name;
    int order, r;
    double rho; /* < 0: not tunable */
} Method;
static const Method methods[] = {
    {"lms2", 2, 2, 0.6}, {"lms3", 2, 3, 0.6}, {"lms4", 2, 4, 0.6}, {"ss2", 2, 2, 0.6}, {"ss3", 2, 3, 0.6},
    {"ss4", 2, 4, 0.6},  {"bdf1", 1, 1, -1},  {"bdf2", 2, 2, -1},  {"bdf3", 3, 3, -1}, {"bdf4", 4, 4, -1},
};
enum { NMETHOD = sizeof methods / sizeof methods[0] };

static void show(const char *what, const char *name, Order o)
{
    if (getenv("VERGE_TEST_SHOW"))
        printf("%-12s %-12s q %.2f (%.1e)  v %.2f (%.1e)  l %.2f (%.1e)\n", what, name, o.q, o.e_q, o.v,
               o.e_v, o.lambda, o.e_l);
}

static const char *tolerances = "";

static void check_orders(const char *what, const char *text, const char *coordinates, double h, double end,
                         const Final *ref)
{
    static const double factor[] = {0, 0.02, 1, 1, 1};
    for (int k = 0; k < NMETHOD; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", methods[k].name, tolerances);
        Order o = order_of(text, coordinates, name, h * factor[methods[k].order], end, ref);
        show(what, methods[k].name, o);
        CHECK_NEAR(o.q, methods[k].order, 0.15);
        CHECK_NEAR(o.v, methods[k].order, 0.15);
        if (o.lambda != 0) CHECK_NEAR(o.lambda, methods[k].order, 0.15);
    }
}

TEST(order_on_a_linear_oscillator)
{
    Final ref = final_of(OSCILLATOR, NULL, "dopri5:rtol=1e-13,atol=1e-14", 1e-3, 1.7);
    check_orders("oscillator", OSCILLATOR, NULL, 0.0085, 1.7, &ref);
}

TEST(order_on_a_nonlinear_ode)
{
    Final ref = final_of(ELASTIC_PENDULUM, NULL, "dopri5:rtol=1e-13,atol=1e-14", 1e-3, 1);
    check_orders("elastic", ELASTIC_PENDULUM, NULL, 0.005, 1, &ref);
}

TEST(order_on_the_rotation_group)
{
    Final ref = final_of("heavy-top-free.yaml", "lie", "dopri5:rtol=1e-13,atol=1e-14", 1e-5, 0.05);
    check_orders("heavy top", "heavy-top-free.yaml", "lie", 2.5e-4, 0.05, &ref);
}

TEST(order_at_index_3)
{
    Final ref = pendulum_reference(0.5);
    check_orders("index 3", "pendulum-point.yaml", NULL, 0.0025, 0.5, &ref);
}

TEST(order_at_index_1)
{
    Final ref = pendulum_reference(0.9);
    rig_constraints = "index1";
    tolerances = ":acc=1e-12,tol=1e-15,iterations=40";
    check_orders("index 1", "pendulum-point.yaml", NULL, 0.002, 0.9, &ref);
    rig_constraints = "index3";
    tolerances = "";
}

/* SSr and LMSr are the same method in two forms; started alike they stay together on a linear problem. */
TEST(single_step_forms_equal_multistep)
{
    static const double rho[] = {0, 0.3, 0.6, 0.9};
    for (int r = 2; r <= 4; r++)
        for (int k = 0; k < 4; k++) {
            char ss[64], lms[64];
            snprintf(ss, sizeof ss, "ss%d:rho=%g", r, rho[k]);
            snprintf(lms, sizeof lms, "lms%d:rho=%g,start=2", r, rho[k]);
            Final a = final_of(OSCILLATOR, NULL, ss, 0.02, 2), b = final_of(OSCILLATOR, NULL, lms, 0.02, 2);
            CHECK(a.ok && b.ok);
            CHECK_NEAR(distance(a.q, b.q, 2), 0, 1e-12);
            CHECK_NEAR(distance(a.v, b.v, 2), 0, 1e-12);
        }
}

/* At infinity LMSr and SSr have r roots at −ρ∞: (E + ρ∞)^r x = 0 for the positions that the very integrator
 * gives on an oscillator with a large ωh. */
TEST(damping_at_infinity)
{
    static const double rho[] = {0, 0.3, 0.6, 0.93};
    for (int k = 0; k < NMETHOD; k++)
        for (int c = 0; c < (methods[k].rho < 0 ? 1 : 4); c++) {
            Rig rig;
            vgParamSet set = {"k", 1e10, NULL};
            char text[64];
            double x[12] = {0}, size = 0;
            int r = methods[k].r, n = 0;
            snprintf(text, sizeof text, methods[k].rho < 0 ? "%s" : "%s:rho=%g", methods[k].name, rho[c]);
            if (rig_open(&rig, STIFF, NULL, text, &set, 1)) {
                vgState *s = rig.sim.state;
                rig.sim.it->row->start(rig.sim.it, s);
                for (x[0] = s->q[0]; n < 11 && vg_integrator_advance(rig.sim.it, s, 1) == VG_OK; n++)
                    x[n + 1] = s->q[0];
            }
            CHECK_INT(n, 11);
            for (int j = 0; j <= n; j++) size = fmax(size, fabs(x[j]));
            for (int j = r; j <= n; j++) {
                double sum = 0, w = 1;
                for (int i = 0; i <= r; i++) {
                    sum += w * x[j - i];
                    w *= rho[c] * (r - i) / (i + 1);
                }
                CHECK_NEAR(sum / size, 0, 1e-6);
            }
            rig_close(&rig);
        }
}

/* LMS2 keeps its order when the step changes, on rotations too: steps h, 1.5h, h/2, … */
TEST(variable_step_of_lms2)
{
    static const double ratio[] = {1, 1.5, 0.5, 0.75, 1.25, 1};
    Final ref = final_of("heavy-top-free.yaml", "lie", "dopri5:rtol=1e-13,atol=1e-14", 1e-5, 0.06);
    double e[2] = {0};
    for (int k = 0; k < 2; k++) {
        Rig rig;
        if (!rig_open(&rig, "heavy-top-free.yaml", "lie", "lms2:rho=0.4", NULL, 0)) continue;
        vgState *s = rig.sim.state;
        double h = k ? 1e-4 : 2e-4;
        rig.sim.it->row->start(rig.sim.it, s);
        for (int i = 0; s->t < 0.06 - 1e-9; i++)
            CHECK(vg_integrator_advance(rig.sim.it, s, h * ratio[i % 6]) == VG_OK);
        CHECK_NEAR(s->t, 0.06, 1e-12);
        e[k] = distance(s->q, ref.q, 7);
        rig_close(&rig);
    }
    CHECK_NEAR(log2(e[0] / e[1]), 2, 0.15);
}

TEST(error_control_of_lms2)
{
    Final ref = final_of(ELASTIC_PENDULUM, NULL, "dopri5:rtol=1e-13,atol=1e-14", 1e-3, 1);
    Final swing = pendulum_reference(0.5);
    double before = 1;
    for (int e = 3; e <= 6; e++) {
        char text[96];
        snprintf(text, sizeof text, "lms2:adaptive=1,rtol=1e-%d,atol=1e-%d", e, e);
        Final f = final_of(ELASTIC_PENDULUM, NULL, text, 1e-2, 1);
        Final g = final_of("pendulum-point.yaml", NULL, text, 1e-2, 0.5);
        double error = distance(f.q, ref.q, 2), tol = pow(10, -e);
        if (getenv("VERGE_TEST_SHOW"))
            printf("%-40s %5ld steps %3ld rejected %.1e; index 3: %5ld %3ld %.1e\n", text, f.stats.steps,
                   f.stats.rejected, error, g.stats.steps, g.stats.rejected, distance(g.q, swing.q, 2));
        CHECK(f.ok && error < 200 * tol && error < before);
        CHECK(g.ok && distance(g.q, swing.q, 2) < 200 * tol);
        before = error;
    }
}

/* A step that fails leaves the state and its history untouched. */
TEST(failed_step_changes_nothing)
{
    static const char *const names[] = {"lms4:iterations=1", "ss4:iterations=1", "bdf3:iterations=1",
                                        "msstc5:iterations=1"};
    for (int k = 0; k < 4; k++) {
        Rig rig;
        if (!rig_open(&rig, "pendulum-point.yaml", NULL, names[k], NULL, 0)) continue;
        vgIntegrator *it = rig.sim.it;
        vgState *s = rig.sim.state, *copy;
        CHECK(vg_state_new(rig.sim.sys, s->nhistory, &copy) == VG_OK);
        it->newton_max = 12;
        it->row->start(it, s);
        for (int i = 0; i < 6; i++) CHECK(vg_integrator_advance(it, s, 0.05) == VG_OK);
        vg_state_copy(rig.sim.sys, copy, s);
        it->newton_max = 1;
        it->newton_tol = it->newton_acc = 0;
        CHECK(vg_integrator_advance(it, s, 0.05) == VG_NOT_CONVERGED);
        CHECK(it->failure.text[0] != 0);
        CHECK(s->t == copy->t && !memcmp(s->q, copy->q, 2 * sizeof(double)) &&
              !memcmp(s->v, copy->v, 2 * sizeof(double)) && !memcmp(s->a, copy->a, 2 * sizeof(double)));
        CHECK(!memcmp(s->history, copy->history, (size_t)s->nhistory * sizeof(double)));
        vg_state_free(copy);
        rig_close(&rig);
    }
}

TEST_MAIN(order_on_a_linear_oscillator, order_on_a_nonlinear_ode, order_on_the_rotation_group,
          order_at_index_3, order_at_index_1, single_step_forms_equal_multistep, damping_at_infinity,
          variable_step_of_lms2, error_control_of_lms2, failed_step_changes_nothing)

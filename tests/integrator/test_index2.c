/* Constraints `index2`: both levels hold after every step, and the orders that theory allows are there. */
#include "../analysis/moment.h"
#include "run_model.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Largest errors of two runs, step and half of it, against a fine one of another kind, and the order. */
static double measured_order(runSpec s, const double *ref, int from, int to, double *fine_error)
{
    double e[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        runResult r = run_model(&s);
        if (r.status != VG_OK) printf("%s: %s\n", s.integrator, r.error);
        CHECK_INT(r.status, VG_OK);
        for (int i = from; i < to; i++) e[k] = fmax(e[k], fabs(r.value[i] - ref[i]));
        s.step /= 2;
    }
    *fine_error = e[1];
    return log2(e[0] / e[1]);
}

typedef struct Case {
    const char *name;
    double step, order_x, order_l; /* positions and velocities; multipliers */
} Case;

/* Index 2 by Runge–Kutta of stage order 2: order 3 in positions and velocities, 2 in the multipliers (Hairer,
 * Lubich, Roche 1989), where index 3 leaves 2 and 1. Multistep methods keep their order everywhere. */
TEST(orders_on_the_pendulum)
{
    static const Case cases[] = {{"generalized-alpha", 0.01, 2, 2},
                                 {"bathe", 0.01, 2, 2},
                                 {"esdirk324", 0.01, 3, 2},
                                 {"esdirk325", 0.01, 3, 2},
                                 {"esdirk436", 0.01, 3, 2},
                                 {"mssth5", 0.01, 3, 2},
                                 {"bdf2", 0.005, 2, 2},
                                 {"bdf4", 0.01, 4, 4},
                                 {"lms2", 0.01, 2, 2},
                                 {"lms4", 0.01, 2, 2},
                                 {"ss3", 0.01, 2, 2},
                                 {"hht-si2", 0.01, 2, 2},
                                 {"hht-add", 0.01, 2, 2},
                                 {"hht-add:alpha=0", 0.01, 2, 2},
                                 {"hht-add:b=1", 0.01, 2, 2},
                                 {"hht-add:b=-0.5,alpha=-0.1", 0.01, 2, 2},
                                 {"hht-add-reactions", 0.01, 2, 2},
                                 {"hht-add-reactions:alpha=0", 0.01, 2, 2},
                                 {"hht-si2:mass=1", 0.01, 2, 2},
                                 {"nstiff-si2", 0.005, 2, 2}};
    runSpec fine = {.model = "pendulum-point",
                    .integrator = "dopri5:rtol=1e-12,atol=1e-14",
                    .constraints = "index1",
                    .end = 1,
                    .channel = {"body.bob.position.x", "body.bob.position.y", "body.bob.velocity.x",
                                "body.bob.velocity.y", "joint.rod.lambda.0"}};
    runResult ref = run_model(&fine);
    CHECK_INT(ref.status, VG_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        runSpec s = fine;
        double e;
        s.constraints = "index2";
        s.integrator = cases[i].name;
        s.step = cases[i].step;
        double x = measured_order(s, ref.value, 0, 4, &e), l = measured_order(s, ref.value, 4, 5, &e);
        if (fabs(x - cases[i].order_x) > 0.2 || fabs(l - cases[i].order_l) > 0.25)
            printf("%s: orders %.2f, %.2f\n", cases[i].name, x, l);
        CHECK_NEAR(x, cases[i].order_x, 0.2);
        CHECK_NEAR(l, cases[i].order_l, 0.25);
    }
}

/* [N]: no drift of the velocity constraints, and order 2; index 3 drifts by O(h²). */
TEST(slider_crank_keeps_both_levels)
{
    static const char *const names[] = {"generalized-alpha", "bdf2",       "bathe",   "esdirk436",
                                        "hht-si2",           "nstiff-si2", "hht-add", "hht-add-reactions",
                                        "hht-si2:mass=1"};
    for (int k = 0; k < 9; k++)
        for (int index = 2; index <= (k < 4 ? 3 : 2); index++) {
            runSpec s = {.model = "slider-crank",
                         .constraints = index == 2 ? "index2" : "index3",
                         .integrator = names[k],
                         .step = 1.0 / 1024,
                         .end = 1,
                         .every = 1,
                         .channel = {"joint.O.angle"}};
            runResult r = run_model(&s);
            CHECK_INT(r.status, VG_OK);
            CHECK(r.end.stats.max_phi < 1e-12);
            if (index == 2)
                CHECK(r.end.stats.max_phi_dot < 1e-10);
            else
                CHECK(r.end.stats.max_phi_dot > 1e-7);
        }
}

/* A rotating body: transport of the correction on the group, in all coordinates. */
TEST(heavy_top_on_the_group)
{
    static const char *const coordinates[] = {"lie", "se3", "euler-parameters"};
    static const char *const names[] = {"generalized-alpha:acc=1e-10", "esdirk324:acc=1e-10",
                                        "bdf2:acc=1e-10"};
    static const double order[] = {2, 3, 2}, step[] = {1e-3, 1e-3, 2.5e-4};
    for (int c = 0; c < 3; c++) {
        runSpec fine = {.model = "heavy-top",
                        .coordinates = coordinates[c],
                        .constraints = "index1",
                        .integrator = "dopri5:rtol=1e-12,atol=1e-13",
                        .end = 0.2,
                        .channel = {"marker.top.com.position.x", "marker.top.com.position.y",
                                    "marker.top.com.position.z"}};
        runResult ref = run_model(&fine);
        CHECK_INT(ref.status, VG_OK);
        for (int k = 0; k < 3; k++) {
            runSpec s = fine;
            double e;
            s.constraints = "index2";
            s.integrator = names[k];
            s.step = step[k];
            double x = measured_order(s, ref.value, 0, 3, &e);
            if (fabs(x - order[k]) > 0.2) printf("%s %s: order %.2f (%g)\n", coordinates[c], names[k], x, e);
            CHECK_NEAR(x, order[k], 0.2);
            s.every = 1;
            runResult r = run_model(&s);
            CHECK(r.end.stats.max_phi < 1e-12);
            CHECK(r.end.stats.max_phi_dot < 1e-10 * 150); /* the top turns at 150 rad/s */
        }
    }
}

/* The squeezer, stiff and fast: the stabilisation takes the order-4 method to a useful accuracy. */
TEST(squeezer_is_more_accurate)
{
    double rate[3];
    const char *constraints[] = {"index1", "index3", "index2"};
    for (int i = 0; i < 3; i++) {
        runSpec s = {.model = "squeezer",
                     .constraints = constraints[i],
                     .integrator = i == 0 ? "dopri5:rtol=1e-11,atol=1e-13" : "esdirk436",
                     .step = i == 0 ? 0 : 2e-5,
                     .end = 0.03,
                     .channel = {"joint.O.rate"}};
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        rate[i] = r.value[0];
    }
    CHECK(fabs(rate[2] - rate[0]) < 0.1 * fabs(rate[1] - rate[0]));
}

/* [N] figure 16: holding the velocities too is a small premium, with a flexible body in a floating frame as
 * with rigid ones, if it is done with the stage's own matrix. Counted in evaluations: the equations of motion, as many
 * as 1.5 times those of HHT-I3. */
TEST(stabilisation_is_a_small_premium)
{
    static const struct {
        const char *model, *set;
        double step, end;
    } on[] = {{"slider-crank", NULL, 1. / 1024, 1}, {"slider-crank-flexible-modes", "n=4", 1e-4, 0.02}};
    static const char *const names[] = {"hht-i3", "hht:alpha=-0.3", "bdf2", "hht-add-reactions"};
    for (int m = 0; m < 2; m++) {
        double work[4];
        for (int k = 0; k < 4; k++) {
            runSpec s = {.model = on[m].model,
                         .set = {on[m].set},
                         .integrator = names[k],
                         .constraints = k ? "index2" : "index3",
                         .step = on[m].step,
                         .end = on[m].end,
                         .every = 1,
                         .channel = {"joint.O.angle"}};
            runResult r = run_model(&s);
            CHECK_INT(r.status, VG_OK);
            if (k) CHECK(r.end.stats.max_phi_dot < 1e-10);
            work[k] = (double)(r.end.stats.residuals + r.end.stats.jacobians);
        }
        CHECK(work[1] <= 1.5 * work[0]);
        CHECK(work[2] <= 1.5 * work[0]);
        CHECK(work[3] <= 1.5 * work[0]);
    }
}

/* Where the mass matrix and the directions of the constraints are constant, HHT-ADD does not depend on which
 * part of the constraints' forces counts as applied: the form with M⁻¹ and the one without give the same
 * motion. Two carriages on a slope, one of two bodies, with springs and dampers. */
TEST(hht_add_with_the_inverse_and_without)
{
    static const char text[] = "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
                               "  a: {mass: 2, inertia: 1, position: [0.2, 0.2], velocity: [1, 1]}\n"
                               "  b: {mass: 1, inertia: 0.3, position: [1.1, 1.1], velocity: [1, 1]}\n"
                               "  c: {mass: 0.5, inertia: 0.3, position: [2, 2]}\n"
                               "joints:\n"
                               "  A: {prismatic: [ground, a], axis: [1, 1]}\n"
                               "  C: {prismatic: [ground, c], axis: [1, 1]}\n"
                               "  bar: {fixed: [a, b]}\n"
                               "forces:\n"
                               "  s1: {spring: [ground, a], stiffness: 300, damping: 2, length: 0.1}\n"
                               "  s2: {spring: [b, c], stiffness: 1000, damping: 1, length: 1}\n";
    static const char *const form[] = {"hht-add-reactions:tol=1e-14", "hht-add:tol=1e-14",
                                       "hht-add:b=1,tol=1e-14"};
    static const char *const channel[] = {"body.a.position.x", "body.a.velocity.x", "body.c.position.y",
                                          "body.c.velocity.y", "joint.bar.lambda.0"};
    double first[5] = {0};
    for (int k = 0; k < 3; k++) {
        momentRig m = {.diag = vg_diag_new()};
        m.model = vg_model_parse(text, strlen(text), "test", NULL, 0, m.diag);
        vgDials dials = {"planar", "index2", form[k]};
        m.status = m.model ? vg_simulation_open(m.model, &dials, m.diag, &m.sim) : VG_BAD_INPUT;
        for (int i = 0; i < vg_diag_count(m.diag); i++) printf("%s\n", vg_diag_line(m.diag, i));
        CHECK_INT(m.status, VG_OK);
        vgTransientOptions o = {.step = 0.01, .end = 1, .every = 1 << 30};
        vgTransientResult r;
        CHECK_INT(vg_transient_run(m.sim.it, m.sim.state, &o, NULL, &r), VG_OK);
        for (int i = 0; i < 5; i++) {
            double x = moment_channel(&m, channel[i]);
            if (k == 0) first[i] = x;
            CHECK_NEAR(x, first[i], i < 4 ? 1e-9 : 1e-6);
        }
        CHECK(fabs(first[0] - 0.2) > 0.01);
        moment_end(&m);
    }
}

/* Bodies without mass, and coordinates that depend on each other: neither is asked to have an M⁻¹. */
TEST(hht_add_where_the_mass_matrix_is_singular)
{
    runSpec s = {.model = "slider-crank-flexible-modes",
                 .set = {"n=4"},
                 .constraints = "index2",
                 .integrator = "hht-add-reactions",
                 .step = 1e-4,
                 .end = 0.02,
                 .every = 1,
                 .channel = {"joint.O.rate"}};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK(r.end.stats.max_phi < 1e-12);
    CHECK(r.end.stats.max_phi_dot < 1e-10);
    s.integrator = "hht-add";
    r = run_model(&s);
    CHECK(r.status != VG_OK);
    CHECK(strstr(r.error, "hht-add-reactions") != NULL);
    s.integrator = "hht-si2:mass=1"; /* a smaller step would not help */
    r = run_model(&s);
    CHECK(r.status != VG_OK && r.end.stats.steps == 0 && r.end.stats.substeps == 0);
    CHECK(strstr(r.error, "take mass = 0") != NULL && strstr(r.error, "halvings") == NULL);
    static const char *const coordinates[] = {"lie", "euler-parameters", "natural"};
    double x[3];
    for (int k = 0; k < 3; k++) {
        runSpec top = {.model = "heavy-top",
                       .coordinates = coordinates[k],
                       .constraints = "index2",
                       .integrator = "hht-add-reactions",
                       .step = 5e-5,
                       .end = 0.1,
                       .every = 1,
                       .channel = {"marker.top.com.position.x"}};
        r = run_model(&top);
        CHECK_INT(r.status, VG_OK);
        CHECK(r.end.stats.max_phi_dot < 1e-10 * 150);
        x[k] = r.value[0];
    }
    CHECK_NEAR(x[1], x[0], 1e-4);
    CHECK_NEAR(x[2], x[0], 1e-4);
}

/* As printed, on a rod of stiff beam elements with masses: what rounding of positions leaves in velocities, γ/(βh) times as
 * much, does not keep the iteration from ending. The motion is that of HHT-I3, to the square of the step. */
TEST(printed_methods_on_stiff_elements)
{
    static const char *const method[] = {"hht-i3", "hht-add", "hht-si2:mass=1"};
    double rate[3][2];
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 2; k++) {
            double h = k ? 1e-5 : 2e-5;
            runSpec s = {.model = "slider-crank-flexible",
                         .set = {"n=2"},
                         .constraints = m ? "index2" : "index3",
                         .integrator = method[m],
                         .step = h,
                         .end = 0.005,
                         .every = 1,
                         .channel = {"joint.O.rate"}};
            runResult r = run_model(&s);
            CHECK_INT(r.status, VG_OK);
            CHECK_INT(r.end.stats.substeps, 0);
            CHECK_INT(r.end.stats.newton_failures, 0);
            CHECK(r.end.stats.max_phi < 1e-12);
            if (m) CHECK(r.end.stats.max_phi_dot < 4e-16 * 1.9 / h);
            rate[m][k] = r.value[0];
        }
    double own = fabs(rate[0][0] - rate[0][1]);
    for (int m = 1; m < 3; m++) CHECK_NEAR(rate[m][1], rate[0][1], own);
}

/* b = ½ makes the method singular: refused with words. */
TEST(hht_add_refuses_one_half)
{
    runSpec s = {.model = "pendulum-point",
                 .integrator = "hht-add:b=0.5",
                 .constraints = "index2",
                 .step = 0.01,
                 .end = 0.1,
                 .channel = {"body.bob.position.x"}};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_BAD_INPUT);
    CHECK(strstr(r.error, "½") != NULL);
}

TEST_MAIN(orders_on_the_pendulum, hht_add_refuses_one_half, slider_crank_keeps_both_levels,
          heavy_top_on_the_group, squeezer_is_more_accurate, stabilisation_is_a_small_premium,
          hht_add_with_the_inverse_and_without, hht_add_where_the_mass_matrix_is_singular,
          printed_methods_on_stiff_elements)

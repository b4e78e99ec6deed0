/* Flexible bodies in a floating frame, from the model file to the answer: against geometrically exact beams,
 * rigid bodies, closed forms and conservation laws. */
#include <math.h>

#include "moment.h"
#include "run_model.h"
#include "test.h"

/* The two flexible slider-cranks as shipped, over their two seconds: angle and rate of the crank, the slider,
 * the middle of the rod, each to 0.1 % of its peak. */
TEST(slider_crank_as_with_beams)
{
    enum { ROWS = 201, CHANNELS = 5 };
    static double x[2][ROWS * CHANNELS];
    for (int which = 0; which < 2; which++) {
        runSpec s = {.model = which ? "slider-crank-flexible-modes" : "slider-crank-flexible",
                     .integrator = "generalized-alpha:rho=0.9",
                     .step = 1e-3,
                     .end = 2,
                     .interval = 0.01,
                     .rows = x[which],
                     .maxrow = ROWS,
                     .channel = {"joint.O.angle", "joint.O.rate", "joint.B.displacement",
                                 which ? "body.rod.middle.position.x" : "body.rod.9.position.x",
                                 which ? "body.rod.middle.position.y" : "body.rod.9.position.y"}};
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        CHECK_INT(r.end.rows, ROWS);
    }
    for (int c = 0; c < CHANNELS; c++) {
        double off = 0, peak = 0;
        for (int k = 0; k < ROWS; k++) {
            off = fmax(off, fabs(x[0][k * CHANNELS + c] - x[1][k * CHANNELS + c]));
            peak = fmax(peak, fabs(x[0][k * CHANNELS + c] - x[0][c]));
        }
        CHECK(off < 1e-3 * peak);
    }
}

/* At steps that resolve the vibrations, which the rate of the crank shows. */
TEST(crank_rate_as_with_beams)
{
    enum { ROWS = 121 };
    static double x[2][ROWS];
    double off = 0, peak = 0;
    for (int which = 0; which < 2; which++) {
        runSpec s = {.model = which ? "slider-crank-flexible-modes" : "slider-crank-flexible",
                     .integrator = "esdirk436-2",
                     .step = 5e-4,
                     .end = 0.6,
                     .interval = 5e-3,
                     .rows = x[which],
                     .maxrow = ROWS,
                     .channel = {"joint.O.rate"}};
        runResult r = run_model(&s);
        CHECK_INT(r.status, VG_OK);
        CHECK_INT(r.end.rows, ROWS);
    }
    for (int k = 0; k < ROWS; k++) {
        off = fmax(off, fabs(x[0][k] - x[1][k]));
        peak = fmax(peak, fabs(x[0][k] - x[0][0]));
    }
    CHECK(off < 1e-3 * peak);
}

/* The vibration itself, ten micrometres: deflection of the middle over four periods, and the frequencies. */
TEST(vibration_as_with_beams)
{
    double worst = 0, peak = 0;
    for (double t = 0.002; t < 0.018; t += 0.002) {
        double d[2];
        for (int which = 0; which < 2; which++) {
            runSpec s = {.model = which ? "slider-crank-flexible-modes" : "slider-crank-flexible",
                         .integrator = "esdirk436",
                         .step = 1e-4,
                         .end = t,
                         .set = {"n=6"},
                         .channel = {which ? "body.rod.middle.position.x" : "body.rod.7.position.x",
                                     which ? "body.rod.middle.position.y" : "body.rod.7.position.y",
                                     which ? "body.rod.A.position.x" : "body.rod.1.position.x",
                                     which ? "body.rod.A.position.y" : "body.rod.1.position.y",
                                     "joint.B.displacement"}};
            runResult r = run_model(&s);
            CHECK_INT(r.status, VG_OK);
            const double *v = r.value;
            double cx = v[4] - v[2], cy = -v[3], L = hypot(cx, cy);
            d[which] = ((v[1] - 0.5 * v[3]) * cx - (v[0] - 0.5 * (v[2] + v[4])) * cy) / L;
        }
        worst = fmax(worst, fabs(d[0] - d[1]));
        peak = fmax(peak, fabs(d[0]));
    }
    CHECK(peak > 5e-6);
    CHECK(worst < 0.01 * peak);
}

/* Free and at rest: six rigid modes and those of the free beam. */
TEST(modes_of_a_free_body)
{
    momentRig m = moment_text("verge: 1\nflexible:\n  b: {length: 2, support: free, modes: 5, rectangle: "
                              "[0.02, 0.01], E: 2e11, rho: 8000, G: 1e14}\n");
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    const double root[2] = {4.73004074486270, 7.85320462409584};
    double c = sqrt(2e11 / 8000) / 4, want[4];
    for (int k = 0; k < 2; k++) { /* about z (thick) and about y (thin) */
        want[k] = root[k] * root[k] * c * 0.01 / sqrt(12);
        want[2 + k] = root[k] * root[k] * c * 0.02 / sqrt(12);
    }
    for (int k = 0; k < 4; k++) {
        double best = 1;
        for (int i = 0; i < m.modes.n; i++) best = fmin(best, fabs(m.modes.mode[i].im / want[k] - 1));
        CHECK(best < 1e-3); /* rotary inertia takes 3e-4 off the fourth */
    }
    moment_end(&m);
}

/* Tumbling and vibrating in free flight: momenta and energy. */
static const char flight[] =
    "verge: 1\nflexible:\n  b: {length: 1.3, support: %s, modes: 5, rectangle: [0.04, 0.02], E: 2e9, rho: "
    "2000, foreshortening: true, velocity: [0.1, 0.2, 0.3], omega: [0.5, 7, 3], amplitudes: [0.02, -0.03, "
    "0.01], rates: [0, 1], nodes: {mid: 0.65, end: 1.3}}\n";

TEST(momentum_in_free_flight)
{
    static const char *const support[] = {"free", "pinned", "clamped"};
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text, flight, support[k]);
        static const char *const names[] = {"momentum.x",         "momentum.y",         "momentum.z",
                                            "momentum.angular.x", "momentum.angular.y", "momentum.angular.z",
                                            "energy.total",       "com.velocity.y"};
        momentRig m = {.diag = vg_diag_new()};
        m.model = vg_model_parse(text, strlen(text), "test", NULL, 0, m.diag);
        vgDials dials = {"lie", "index1", "dop853"};
        CHECK_INT(vg_simulation_open(m.model, &dials, m.diag, &m.sim), VG_OK);
        double a[8], b[8];
        for (int i = 0; i < 8; i++) a[i] = moment_channel(&m, names[i]);
        vgTransientOptions o = {.step = 1e-3, .end = 0.05, .every = 1 << 30};
        vgTransientResult r;
        CHECK_INT(vg_transient_run(m.sim.it, m.sim.state, &o, NULL, &r), VG_OK);
        for (int i = 0; i < 8; i++) b[i] = moment_channel(&m, names[i]);
        for (int i = 0; i < 7; i++) CHECK_NEAR(b[i], a[i], 1e-7 * (1 + fabs(a[i])));
        CHECK_NEAR(b[7] * 1.3 * 0.04 * 0.02 * 2000, b[1], 1e-9);
        moment_end(&m);
    }
}

/* A swinging and twisting arm on a ball, in every kind of coordinates. */
TEST(the_same_motion_in_all_coordinates)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -9.81]\nflexible:\n  arm: {length: 1, modes: 4, foreshortening: true, "
        "rectangle: [0.02, 0.01], E: 1e9, rho: 1500, omega: [3, -1, 2], support: pinned, nodes: {A: 0, B: "
        "1}}\nbodies:\n  ball: {mass: 0.2, inertia: [1e-3, 2e-3, 3e-3], position: [1, 0, 0], omega: [3, -1, "
        "2], velocity: [0, 2, 1]}\n"
        "joints:\n  O: {spherical: [ground, arm.A]}\n  E: {fixed: [arm.B, ball]}\n";
    static const char *const coordinates[] = {"lie",          "se3",      "euler-parameters",
                                              "euler-angles", "relative", "natural"};
    static const char *const names[] = {"body.ball.position.x", "body.ball.position.y",
                                        "body.ball.position.z", "body.arm.mode.1", "energy.total"};
    double first[5];
    for (int c = 0; c < 6; c++) {
        momentRig m = {.diag = vg_diag_new()};
        m.model = vg_model_parse(text, strlen(text), "test", NULL, 0, m.diag);
        vgDials dials = {coordinates[c], "index3", "generalized-alpha:rho=0.8"};
        CHECK_INT(vg_simulation_open(m.model, &dials, m.diag, &m.sim), VG_OK);
        double start = moment_channel(&m, "energy.total");
        vgTransientOptions o = {.step = 5e-4, .end = 0.2, .every = 1 << 30};
        vgTransientResult r;
        CHECK_INT(vg_transient_run(m.sim.it, m.sim.state, &o, NULL, &r), VG_OK);
        for (int k = 0; k < 5; k++) {
            double x = moment_channel(&m, names[k]);
            if (c == 0) first[k] = x;
            CHECK_NEAR(x, first[k], k == 3 ? 2e-5 : 1e-4); /* the steps' own errors differ */
        }
        CHECK_NEAR(first[4], start, 1e-3);
        moment_end(&m);
    }
    CHECK(fabs(first[3]) > 1e-4);
}

TEST(damping_ratio_of_a_vibrating_arm)
{
    momentRig m =
        moment_text("verge: 1\nplanar: true\nflexible:\n  b: {length: 2, modes: 3, rectangle: [0.02, 0.01], "
                    "E: 2e11, rho: 8000, damping-ratio: 0.03}\njoints:\n  O: {fixed: [ground, b]}\n");
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    int n = 0;
    for (int k = 0; k < m.modes.n; k++) {
        if (m.modes.mode[k].im <= 0) continue;
        CHECK_NEAR(m.modes.mode[k].damping, 0.03, 1e-6);
        n++;
    }
    CHECK_INT(n, 3);
    moment_end(&m);
}

TEST_MAIN(slider_crank_as_with_beams, crank_rate_as_with_beams, vibration_as_with_beams, modes_of_a_free_body,
          momentum_in_free_flight, the_same_motion_in_all_coordinates, damping_ratio_of_a_vibrating_arm)

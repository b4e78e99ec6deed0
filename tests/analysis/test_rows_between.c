/* Rows between steps: reactions there are those of the motion there, also where a setting makes its
 * multipliers after the step only (independent coordinates). A pendulum's follow from its angle and rate in
 * closed form. */
#include <math.h>

#include "run_model.h"
#include "test.h"

static const char pendulum[] = "verge: 1\n"
                               "planar: true\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  rod: {mass: 2, inertia: 0.3, com: [0.7, 0], omega: 3}\n"
                               "joints:\n"
                               "  O: {revolute: [ground, rod]}\n";
static const double mass = 2, inertia = 0.3, arm = 0.7, gravity = 9.81;

enum { ROWS = 41, CHANNELS = 4 };

/* angle, rate, reaction on the rod along x and y */
static void check_row(const double *row)
{
    double c = cos(row[0]), s = sin(row[0]), w2 = row[1] * row[1];
    double alpha = -mass * gravity * arm * c / (inertia + mass * arm * arm);
    CHECK_NEAR(row[2], mass * arm * (-w2 * c - alpha * s), 1e-6);
    CHECK_NEAR(row[3], mass * arm * (-w2 * s + alpha * c) + mass * gravity, 1e-6);
}

static void check_setting(const char *coordinates, const char *constraints, const char *integrator)
{
    static double rows[ROWS * CHANNELS];
    runSpec spec = {.text = pendulum,
                    .coordinates = coordinates,
                    .constraints = constraints,
                    .integrator = integrator,
                    .step = 1e-3,
                    .end = 2,
                    .interval = 0.05,
                    .channel = {"joint.O.angle", "joint.O.rate", "joint.O.force.x", "joint.O.force.y"},
                    .rows = rows,
                    .maxrow = ROWS};
    CHECK_INT(run_model(&spec).status, VG_OK);
    for (int i = 0; i < ROWS; i++) check_row(rows + i * CHANNELS);
}

/* Force at the pivot of 50 N and more: 1e-6 N. */
TEST(reactions_between_steps)
{
    static const char *const coordinates[] = {"planar", "natural"};
    static const char *const constraints[] = {"independent", "index1"};
    static const char *const integrators[] = {"dopri5:rtol=1e-10", "dop853:rtol=1e-10", "adams:rtol=1e-10",
                                              "radau3:rtol=1e-9", "esdirk436:rtol=1e-9"};
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 5; i++) check_setting(coordinates[c], constraints[k], integrators[i]);
}

/* Long steps at the level of positions: rows between them are on the constraints, with velocities and
 * reactions that belong to each other. The last row is a step's end and has the method's own multipliers. */
static void check_long_steps(const char *coordinates, const char *constraints, const char *integrator)
{
    static double rows[ROWS * 6];
    runSpec spec = {.text = pendulum,
                    .coordinates = coordinates,
                    .constraints = constraints,
                    .integrator = integrator,
                    .step = 1e-2,
                    .end = 2,
                    .interval = 0.0503,
                    .channel = {"joint.O.angle", "joint.O.rate", "joint.O.force.x", "joint.O.force.y",
                                "body.rod.position.x", "body.rod.velocity.y"},
                    .rows = rows,
                    .maxrow = ROWS};
    CHECK_INT(run_model(&spec).status, VG_OK);
    for (int i = 1; i < 39; i++) {
        const double *row = rows + i * 6;
        check_row(row);
        CHECK_NEAR(row[4], 0, 1e-12); /* the pivot, where the rod's frame is */
        CHECK_NEAR(row[5], 0, 1e-11);
    }
}

TEST(long_steps)
{
    static const char *const coordinates[] = {"planar", "natural", "lie"};
    static const char *const constraints[] = {"index3", "index2"};
    static const char *const integrators[] = {"hht-i3:rtol=1e-6", "radau5:rtol=1e-6", "esdirk436:rtol=1e-6",
                                              "bdf:rtol=1e-6", "generalized-alpha"};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 2; k++)
            for (int i = k; i < 5; i++) check_long_steps(coordinates[c], constraints[k], integrators[i]);
}

/* Times from t0 on are told apart with sixteen digits: 1e15 steps or rows, however late the run begins. */
TEST(the_length_of_a_run_counts_from_its_start)
{
    const vgIntegrator it = {0};
    vgTransientOptions o = {.step = 1e-6, .end = 3e9 + 1};
    CHECK(vg_transient_wrong_times(&it, 3e9, &o) == NULL);
    o.interval = 1e-6;
    CHECK(vg_transient_wrong_times(&it, 3e9, &o) == NULL);
    CHECK_STR(vg_transient_wrong_times(&it, 0, &o), "step is too small");
    o.step = 1;
    CHECK_STR(vg_transient_wrong_times(&it, 0, &o), "interval of rows is too small");
}

TEST_MAIN(reactions_between_steps, long_steps, the_length_of_a_run_counts_from_its_start)

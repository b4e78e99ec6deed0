/* Independent coordinates in implicit stages (docs/theory.md, eq. 76a): dependent velocities, accelerations
 * and reactions are unknowns of the iteration there. Compared with accelerations asked for by an explicit
 * method of order 8, and with settings that have multipliers. */
#include "test.h"

#include <math.h>

#include "run_model.h"

static runResult run(const char *model, const char *constraints, const char *integrator, double step,
                     double end, const char *const channel[4])
{
    runSpec spec = {.model = model,
                    .coordinates = "relative",
                    .constraints = constraints,
                    .integrator = integrator,
                    .step = step,
                    .end = end,
                    .every = 1,
                    .channel = {channel[0], channel[1], channel[2], channel[3]}};
    runResult r = run_model(&spec);
    if (r.status != VG_OK) printf("%s %s %s: %s\n", model, constraints, integrator, r.error);
    CHECK_INT(r.status, VG_OK);
    return r;
}

/* Reactions and accelerations are those of index 1, by a method whose own error is far below: several loops
 * (the car's corners), one with six coordinates, planar ones. */
TEST(reactions_and_accelerations_are_those_of_index1)
{
    static const struct {
        const char *model, *channel[4];
        double step, end, scale[4];
    } rows[] = {
        {"slider-crank-3d",
         {"joint.A.force.z", "joint.B.force.x", "joint.C.force.z", "body.rod.acceleration.y"},
         1e-3,
         0.2,
         {10, 10, 10, 10}},
        {"squeezer",
         {"joint.B.force.x", "joint.EG.force.y", "joint.AH.force.x", "body.EBD.acceleration.x"},
         2e-6,
         1e-3,
         {10, 10, 10, 100}},
        {"iltis",
         {"joint.leaf1.force.x", "joint.rod3.force.x", "joint.hinge2.force.y", "body.wheel4.acceleration.z"},
         1e-4,
         0.05,
         {1000, 1000, 1000, 10}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        runResult a = run(rows[k].model, "independent", "esdirk436:tol=1e-13,acc=1e-10", rows[k].step,
                          rows[k].end, rows[k].channel);
        runResult b = run(rows[k].model, "index1", "dop853:rtol=1e-11,atol=1e-12", rows[k].step, rows[k].end,
                          rows[k].channel);
        for (int i = 0; i < 4; i++) {
            if (!(fabs(a.value[i] - b.value[i]) <= 1e-6 * rows[k].scale[i]))
                printf("%s %s: %.12g, %.12g\n", rows[k].model, rows[k].channel[i], a.value[i], b.value[i]);
            CHECK_NEAR(a.value[i], b.value[i], 1e-6 * rows[k].scale[i]);
        }
    }
}

/* A step of the trapezoidal rule is of order 2 with one iteration or many: the difference from the reference
 * falls by four with the half of the step. */
TEST(order_of_the_trapezoidal_rule)
{
    static const char *const channel[4] = {"joint.A.angle", "joint.A.rate", "joint.B.force.x"};
    runResult ref = run("slider-crank-3d", "index1", "dop853:rtol=1e-12,atol=1e-13", 1e-3, 0.2, channel);
    double error[2][3];
    for (int k = 0; k < 2; k++) {
        runResult r = run("slider-crank-3d", "independent", "trapezoidal:tol=1e-13,acc=1e-10,err=0",
                          2e-3 / (1 << k), 0.2, channel);
        for (int i = 0; i < 3; i++) error[k][i] = fabs(r.value[i] - ref.value[i]);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(error[0][i] < 1e-2 * fmax(1, fabs(ref.value[i])));
        CHECK_NEAR(error[0][i] / error[1][i], 4, 0.6);
    }
}

/* Loops stay closed to round-off at every step, velocities and accelerations on the constraints. */
TEST(all_levels_hold)
{
    static const char *const models[] = {"iltis", "slider-crank-3d", "n-four-bar"};
    static const char *const channel[4] = {NULL};
    static const char *const methods[] = {"trapezoidal", "trapezoidal:newton=step", "bdf2", "sdirk"};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            runResult r = run(models[k], "independent", methods[i], k == 0 ? 1e-2 : 1e-3, 0.5, channel);
            CHECK(r.end.stats.max_phi < 1e-13);
            CHECK(r.end.stats.max_phi_dot < 1e-11);
            CHECK(r.end.stats.max_phi_ddot < 1e-6);
        }
}

/* Models of many coordinates, with sparse matrices: a chain of 2,400, a shorter one that has moved farther, also in natural
 * coordinates, loops in a row, the car. Compared with index 1, where there are joint coordinates in those. */
TEST(many_coordinates)
{
    static const struct {
        const char *model, *coordinates, *reference, *set, *channel[4];
        double step, end, scale[4];
    } rows[] = {
        {"chain",
         "lie",
         "relative",
         "N=20",
         {"joint.J1.force.z", "joint.J12.force.x", "body.link20.acceleration.z",
          "marker.link20.end.position.x"},
         5e-4,
         0.05,
         {1, 1, 10, 1}},
        {"chain",
         "lie",
         "relative",
         "N=400",
         {"joint.J1.force.z", "joint.J212.force.x", "body.link400.acceleration.z",
          "marker.link400.end.position.x"},
         5e-4,
         0.01,
         {1, 1, 10, 1}},
        {"chain",
         "natural",
         "relative",
         "N=20",
         {"joint.J1.force.z", "joint.J12.force.x", "body.link20.acceleration.z",
          "marker.link20.end.position.x"},
         5e-4,
         0.05,
         {1, 1, 10, 1}},
        {"n-four-bar",
         "planar",
         "planar",
         "N=14",
         {"joint.A1.force.x", "joint.B3.force.y", "body.bar7.acceleration.x", "energy.total"},
         5e-4,
         0.05,
         {10, 10, 10, 1}},
        {"iltis",
         "lie",
         "relative",
         NULL,
         {"joint.leaf1.force.x", "joint.rod3.force.x", "joint.hinge2.force.y", "body.wheel4.acceleration.z"},
         1e-4,
         0.05,
         {1000, 1000, 1000, 10}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        runResult r[2];
        for (int way = 0; way < 2; way++) {
            runSpec spec = {.model = rows[k].model,
                            .coordinates = way ? rows[k].reference : rows[k].coordinates,
                            .constraints = way ? "index1" : "independent",
                            .integrator =
                                way ? "dop853:rtol=1e-11,atol=1e-12" : "esdirk436:tol=1e-13,acc=1e-10",
                            .step = rows[k].step,
                            .end = rows[k].end,
                            .every = 1,
                            .set = {rows[k].set}};
            for (int i = 0; i < 4; i++) spec.channel[i] = rows[k].channel[i];
            r[way] = run_model(&spec);
            if (r[way].status != VG_OK) printf("%s: %s\n", rows[k].model, r[way].error);
            CHECK_INT(r[way].status, VG_OK);
        }
        for (int i = 0; i < 4; i++) {
            if (!(fabs(r[0].value[i] - r[1].value[i]) <= 1e-6 * rows[k].scale[i]))
                printf("%s %s: %.12g, %.12g\n", rows[k].model, rows[k].channel[i], r[0].value[i],
                       r[1].value[i]);
            CHECK_NEAR(r[0].value[i], r[1].value[i], 1e-6 * rows[k].scale[i]);
        }
    }
}

TEST_MAIN(reactions_and_accelerations_are_those_of_index1, order_of_the_trapezoidal_rule, all_levels_hold,
          many_coordinates)

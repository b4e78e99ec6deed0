/* Implicit Runge–Kutta methods with coupled stages: tableaux, orders at index 3, 2 and 1 as theory has them,
 * rotations, work. */
#include <math.h>

#include "run_model.h"
#include "test.h"

static double order_between(runSpec s, const double *ref, int from, int to, double *fine)
{
    double e[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        runResult r = run_model(&s);
        if (r.status != VG_OK) printf("%s: %s\n", s.integrator, r.error);
        CHECK_INT(r.status, VG_OK);
        for (int i = from; i < to; i++) e[k] = fmax(e[k], fabs(r.value[i] - ref[i]));
        s.step /= 2;
    }
    *fine = e[1];
    return log2(e[0] / e[1]);
}

typedef struct Case {
    const char *name, *constraints;
    double step, order[3]; /* positions, velocities, multipliers; 0: not looked at */
} Case;

/* Hairer, Lubich, Roche 1989; Hairer, Wanner II, VII.4: at index 3 Radau IIA of s stages has orders 2s−1, s,
 * s−1; at index 2 2s−1 or s+1 in the differential parts with s in the multipliers; at index 1 the classical
 * order. SDIRK has its classical order at all three: velocities and accelerations at its stages are taken
 * from the constraints (sdirk.c). */
TEST(orders_on_the_pendulum)
{
    static const Case cases[] = {{"radau2", "index3", 0.02, {3, 2, 1}},
                                 {"radau2", "index2", 0.02, {3, 3, 2}},
                                 {"radau2", "index1", 0.02, {3, 3, 3}},
                                 {"radau3", "index3", 0.04, {0, 3, 2}},
                                 {"radau3", "index2", 0.04, {0, 0, 3}},
                                 {"radau3", "index1", 0.04, {5, 5, 5}},
                                 {"lobatto3c", "index3", 0.02, {0, 2, 1}},
                                 {"lobatto3c", "index2", 0.04, {0, 0, 2}},
                                 {"sdirk", "index3", 0.02, {3, 3, 3}},
                                 {"sdirk:gamma=0.2928932188134524", "index3", 0.02, {2, 2, 2}},
                                 {"sdirk:gamma=0.2928932188134524", "index2", 0.02, {2, 2, 2}},
                                 {"sdirk", "index2", 0.02, {3, 3, 3}},
                                 {"sdirk", "index1", 0.02, {3, 3, 3}},
                                 {"sdirk:gamma=0.2928932188134524", "index1", 0.02, {2, 2, 2}}};
    runSpec fine = {.model = "pendulum-point",
                    .integrator = "dopri5:rtol=1e-13,atol=1e-15",
                    .constraints = "index1",
                    .end = 0.8,
                    .channel = {"body.bob.position.x", "body.bob.position.y", "body.bob.velocity.x",
                                "body.bob.velocity.y", "joint.rod.lambda.0"}};
    runResult ref = run_model(&fine);
    CHECK_INT(ref.status, VG_OK);
    static const int from[] = {0, 2, 4, 5};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        runSpec s = fine;
        s.constraints = cases[i].constraints;
        char text[80];
        snprintf(text, sizeof text, "%s%cacc=1e-9", cases[i].name, strchr(cases[i].name, ':') ? ',' : ':');
        s.integrator = text;
        s.step = cases[i].step;
        for (int k = 0; k < 3; k++) {
            double e, want = cases[i].order[k];
            if (want == 0) continue;
            double x = order_between(s, ref.value, from[k], from[k + 1], &e);
            if (fabs(x - want) > 0.35)
                printf("%s %s %d: order %.2f (%g)\n", text, cases[i].constraints, k, x, e);
            CHECK_NEAR(x, want, 0.35);
        }
    }
}

/* Free and constrained rotation on the group. */
TEST(heavy_top_on_the_group)
{
    static const Case cases[] = {
        {"radau2", "index2", 1e-3, {3}}, {"radau3", "index1", 1e-2, {5}}, {"sdirk", "index1", 2.5e-4, {3}}};
    for (int free = 0; free < 2; free++) {
        runSpec fine = {.model = free ? "heavy-top-free" : "heavy-top",
                        .coordinates = "lie",
                        .integrator = "dopri5:rtol=1e-12,atol=1e-13",
                        .end = 0.2};
        fine.channel[0] = free ? "body.top.rotation.x" : "marker.top.com.position.x";
        fine.channel[1] = free ? "body.top.omega.y" : "marker.top.com.position.y";
        runResult ref = run_model(&fine);
        CHECK_INT(ref.status, VG_OK);
        for (int k = 0; k < 3; k++) {
            runSpec s = fine;
            double e;
            char text[80];
            if (!free && k == 1) continue; /* order 5 is at the reference's accuracy for any useful step */
            snprintf(text, sizeof text, "%s:acc=1e-10", cases[k].name);
            s.constraints = cases[k].constraints;
            s.integrator = text;
            s.step = cases[k].step;
            double x = order_between(s, ref.value, 0, 2, &e);
            if (fabs(x - cases[k].order[0]) > 0.4) printf("%s free %d: order %.2f (%g)\n", text, free, x, e);
            CHECK_NEAR(x, cases[k].order[0], 0.4);
        }
    }
}

/* Radau IIA of order 5 reaches the reference of the squeezer (the rate of its crank at 0.03 s). */
TEST(squeezer)
{
    runSpec s = {.model = "squeezer",
                 .constraints = "index1",
                 .integrator = "radau3",
                 .step = 5e-5,
                 .end = 0.03,
                 .every = 1,
                 .channel = {"joint.O.angle", "joint.O.rate"}};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(r.value[0], 15.81077119515370709711938730, 1e-8 * 16);
    CHECK_NEAR(r.value[1], 1139.920302259106064198096848, 1e-8 * 1140);
    CHECK(r.end.stats.max_phi < 1e-13);
    s.constraints = "index2";
    r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK_NEAR(r.value[0], 15.81077119515370709711938730, 1e-6 * 16);
    CHECK(r.end.stats.max_phi_dot < 1e-8);
}

TEST_MAIN(orders_on_the_pendulum, heavy_top_on_the_group, squeezer)

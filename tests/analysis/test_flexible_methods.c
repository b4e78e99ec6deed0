/* The three flexible problems of [Z] with their methods: all finish, and agree with each other to 1 % of the
 * peak. Meshes are coarse and spans short: the full ones are those of the shipped models. */
#include <math.h>

#include "run_model.h"
#include "test.h"

typedef struct zMethod {
    const char *name;
    int stages; /* of a step of size stages · h */
} zMethod;

/* The second half did not finish everywhere in [Z]. */
static const zMethod methods[] = {
    {"lms3", 1},   {"bathe", 2},  {"msstc4", 4}, {"esdirk436-2", 5}, {"lms4", 1},     {"esdirk325", 4},
    {"mssth5", 5}, {"mssth3", 3}, {"lms2", 1},   {"ss2", 1},         {"ss3", 1},      {"ss4", 1},
    {"hope", 2},   {"msstc3", 3}, {"msstc5", 5}, {"mssth4", 4},      {"esdirk324", 3}};
enum { AGREE = 6, ALL = sizeof methods / sizeof *methods };

static runResult run(runSpec s, const zMethod *m, double h)
{
    s.integrator = m->name;
    s.step = h * m->stages;
    runResult r = run_model(&s);
    if (r.status != VG_OK) printf("%s: %s\n", m->name, r.error);
    return r;
}

static const runSpec buckling = {.model = "beam-buckling",
                                 .set = {"n=5", "nl=1", "hang=1"},
                                 .end = 0.4,
                                 .channel = {"body.beam.6.position.y"}};

TEST(buckling_finishes_with_all_methods)
{
    for (int i = 0; i < ALL; i++) {
        runResult r = run(buckling, &methods[i], 1e-3);
        CHECK_INT(r.status, VG_OK);
        CHECK(r.value[0] < -0.05 && r.value[0] > -0.09);
    }
}

/* Mid-span at 0.25 s, after the snap; the peak is 0.078 m. */
TEST(buckling_does_not_depend_on_the_method)
{
    double first = 0;
    for (int i = 0; i < AGREE; i++) {
        runSpec s = buckling;
        s.end = 0.25;
        runResult r = run(s, &methods[i], 5e-4 / 2);
        CHECK_INT(r.status, VG_OK);
        if (i == 0) first = r.value[0];
        CHECK_NEAR(r.value[0], first, 0.01 * 0.078);
    }
}

TEST(shaft_finishes_and_agrees)
{
    /* through the critical speed; the peak of the orbit is 0.22 m */
    runSpec s = {.model = "rotating-shaft",
                 .set = {"n=2"},
                 .end = 2.4,
                 .channel = {"body.disc.position.y", "body.disc.position.z"}};
    double first[2] = {0, 0};
    for (int i = 0; i < AGREE + 2; i++) {
        runResult r = run(s, &methods[i], 1e-3);
        CHECK_INT(r.status, VG_OK);
        if (i == 0) first[0] = r.value[0], first[1] = r.value[1];
        CHECK(hypot(r.value[0], r.value[1]) > 0.1 && hypot(r.value[0], r.value[1]) < 0.3);
        for (int k = 0; k < 2 && i < AGREE; k++) CHECK_NEAR(r.value[k], first[k], 0.01 * 0.22);
    }
}

/* Past both positions in which the bars are in line; at the second the hinge lets go. Rotation about x at the
 * tip of B-C (peak 0.036 rad) and the angle of C-D. */
TEST(four_bar_finishes_and_agrees)
{
    runSpec s = {.model = "four-bar",
                 .set = {"n=1", "damping=0"},
                 .end = 9,
                 .channel = {"body.BC.3.rotation.x", "joint.CD.end.angle"}};
    double first[2] = {0, 0};
    for (int i = 0; i < AGREE + 2; i++) {
        runResult r = run(s, &methods[i], 4e-3);
        CHECK_INT(r.status, VG_OK);
        if (i == 0) first[0] = r.value[0], first[1] = r.value[1];
        CHECK_NEAR(r.value[0], first[0], 0.01 * 0.036);
        CHECK_NEAR(r.value[1], first[1], 0.01 * 3.1);
    }
}

/* Rows between steps are interpolated; what is said about the constraints is measured at steps. */
TEST(violations_are_those_of_steps)
{
    runSpec s = {
        .model = "four-bar", .integrator = "bathe", .set = {"n=1", "damping=0"}, .step = 8e-3, .end = 0.5};
    s.interval = 3e-3;
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    CHECK(r.end.rows > 150);
    CHECK(r.end.stats.max_phi < 1e-12);
}

/* The longest steps that [Z] takes, through the snap of the hinge at 8.3 s and on: Newton's iteration must
 * not find another solution on the way. */
TEST(four_bar_by_long_steps)
{
    double first = 0;
    for (int i = 0; i <= 6; i += 6) {
        runSpec s = {.model = "four-bar", .set = {"damping=0"}, .end = 12, .channel = {"joint.CD.end.angle"}};
        runResult r = run(s, &methods[i], 4e-3);
        CHECK_INT(r.status, VG_OK);
        if (i == 0) first = r.value[0];
        CHECK_NEAR(r.value[0], first, 0.01 * fabs(first));
    }
}

TEST_MAIN(buckling_finishes_with_all_methods, buckling_does_not_depend_on_the_method,
          shaft_finishes_and_agrees, four_bar_finishes_and_agrees, four_bar_by_long_steps,
          violations_are_those_of_steps)

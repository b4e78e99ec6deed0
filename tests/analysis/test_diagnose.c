/* A run that cannot go on says which element is the cause. The places follow from the models' geometry. */
#include "analysis/diagnose.h"

#include "integrator/runs.h"
#include "test.h"

/* The root has no value after t = 0.5. */
#define ROOT                                                                                                 \
    "verge: 1\nplanar: true\n"                                                                               \
    "bodies: {b: {mass: 1, point: true}}\n"                                                                  \
    "forces:\n"                                                                                              \
    "  fine: {force: b, value: [1, 0]}\n"                                                                    \
    "  law: {force: b, value: [0, 'sqrt(0.5 - t)']}\n"
/* A crank of 1 with a rod of 0.8 to a slider on its axis cannot pass the angle asin 0.8. */
#define LOCK                                                                                                 \
    "verge: 1\nplanar: true\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  a: {mass: 1, inertia: 0.1, com: [0.5, 0], markers: {e: [1, 0]}}\n"                                    \
    "  b: {mass: 1, inertia: 0.1, position: [1, 0], com: [0.4, 0], markers: {e: [0.8, 0]}}\n"                \
    "  s: {mass: 1, inertia: 0.1, position: [1.8, 0]}\n"                                                     \
    "joints:\n"                                                                                              \
    "  o: {revolute: [ground, a], drive: {angle: t}}\n"                                                      \
    "  p: {revolute: [a.e, b]}\n"                                                                            \
    "  q: {revolute: [b.e, s]}\n"                                                                            \
    "  r: {prismatic: [ground, s], axis: x}\n"

typedef struct Ended {
    vgStatus status;
    double t;
    char text[400];
} Ended;

static Ended run(const char *text, const char *coordinates, const char *integrator, double step)
{
    Rig r;
    Ended e = {.status = VG_OK};
    vgTransientOptions o = {.step = step, .end = 2, .every = 1 << 30};
    vgTransientResult res;
    if (rig_open(&r, text, coordinates, integrator, NULL, 0)) {
        e.status = vg_transient_run(r.sim.it, r.sim.state, &o, NULL, &res);
        e.t = res.t;
        snprintf(e.text, sizeof e.text, "%.399s", res.failure.text);
    }
    rig_close(&r);
    return e;
}

TEST(a_force_without_a_value_is_named)
{
    static const char *const method[] = {"generalized-alpha", "dopri5", "radau3", "bdf"};
    for (size_t i = 0; i < 4; i++) {
        Ended e = run(ROOT, NULL, method[i], 1e-2);
        CHECK(e.status != VG_OK);
        CHECK(strstr(e.text, "force 'law'") != NULL);
        CHECK(strstr(e.text, "'fine'") == NULL);
        CHECK(e.t <= 0.5 + 1e-9);
    }
}

/* Explicit steps of 0.01 s on a spring of 1e3 rad/s: the method is named, not the spring that has no value
 * any more. */
TEST(steps_too_long_for_an_explicit_method)
{
    static const char text[] =
        "verge: 1\nplanar: true\nbodies: {b: {mass: 1, point: true, position: [1, 0]}}\n"
        "forces: {s: {spring: [ground, b], force: '1e6*(x - 1)^3 + 1e6*(x - 0.9)'}}\n";
    static const char *const method[] = {"rk4", "ab3"};
    for (int i = 0; i < 2; i++) {
        Ended e = run(text, NULL, method[i], 1e-2);
        CHECK(e.status != VG_OK);
        CHECK(strstr(e.text, "too long for an explicit method") != NULL);
        CHECK(strstr(e.text, "force 's'") == NULL);
    }
}

TEST(joints_that_cannot_close_are_named)
{
    static const char *const coordinates[] = {"planar", "relative", "natural"};
    for (size_t i = 0; i < 3; i++) {
        Ended e = run(LOCK, coordinates[i], "generalized-alpha", 1e-2);
        CHECK(e.status != VG_OK);
        CHECK(strstr(e.text, "cannot be closed") != NULL);
        CHECK(e.t <= asin(0.8) + 1e-3);
        CHECK(e.t > asin(0.8) - 1e-2);
    }
    CHECK(strstr(run(LOCK, NULL, "dopri5", 1e-2).text, "cannot be closed") != NULL);
}

/* 2 rad/s about y: the second Tait–Bryan angle is π/2 after π/4 s, where the other two are not told apart. A
 * trace of spin about x makes the motion go close by the pole, not through it. */
#define TUMBLING "verge: 1\nbodies: {b: {mass: 1, inertia: [1, 2, 3], omega: [1e-8, 2, 0]}}\n"

TEST(a_singular_angle_is_named_under_error_control)
{
    static const char *const method[] = {"generalized-alpha:rtol=1e-6", "esdirk436-2:rtol=1e-6"};
    for (size_t i = 0; i < 2; i++) {
        Ended e = run(TUMBLING, "euler-angles", method[i], 1e-3);
        CHECK(e.status != VG_OK);
        CHECK(strstr(e.text, "the second Tait–Bryan angle of body 'b'") != NULL);
        CHECK_NEAR(e.t, 0.785398163397448, 1e-5);
    }
}

TEST(more_steps_than_time_can_count_are_refused)
{
    Ended e = run(ROOT, NULL, "generalized-alpha", 1e-300);
    CHECK_INT(e.status, VG_BAD_INPUT);
    CHECK(strstr(e.text, "step is too small") != NULL);
}

TEST_MAIN(steps_too_long_for_an_explicit_method, a_force_without_a_value_is_named,
          a_singular_angle_is_named_under_error_control, joints_that_cannot_close_are_named,
          more_steps_than_time_can_count_are_refused)

/* A run that cannot go on says which element is the cause. The places follow from the models' geometry. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#include "analysis/run/diagnose.h"

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

/* Whatever the setting, the same is said: beyond asin 0.8 joint p, q or the drive's stays open, by less than
 * the crank's end is then above the reach of the rod, sin t − 0.8. A wheel that turns fast beside it can go
 * on.
 */
static const char lock_wheel[] =
    "verge: 1\nplanar: true\n"
    "bodies:\n"
    "  wheel: {mass: 1, inertia: 0.1, position: [0, 3]}\n"
    "  a: {mass: 1, inertia: 0.1, com: [0.5, 0], markers: {e: [1, 0]}}\n"
    "  b: {mass: 1, inertia: 0.1, position: [1, 0], angle: pi, com: [0.4, 0], markers: {e: [0.8, 0]}}\n"
    "joints:\n"
    "  w: {revolute: [{body: ground, position: [0, 3]}, wheel], drive: {angle: %d*t}}\n"
    "  o: {revolute: [ground, a], drive: {angle: t}}\n"
    "  p: {revolute: [a.e, b]}\n"
    "  q: {point-on-line: [ground, b.e], axis: x}\n";

static void check_lock(const char *coordinates, const char *integrator)
{
    int springs = !strcmp(rig_constraints, "penalty"); /* no good for fast drives */
    char text[1000];
    /* natural coordinates at index 2 do not converge at 20 rad a step: there the wheel turns by 2 rad a step */
    int slow = !strcmp(coordinates, "natural") && !strcmp(rig_constraints, "index2");
    snprintf(text, sizeof text, lock_wheel, springs ? 20 : slow ? 200 : 2000);
    Ended e = run(text, coordinates, integrator, 1e-2);
    const char *words = strstr(e.text, "joints cannot be closed ");
    double beyond = 0, t = 0, gap = 0;
    char joint[16] = "";
    CHECK(e.status != VG_OK);
    if (!words) printf("%s · %s · %s: %s\n", coordinates, rig_constraints, integrator, e.text);
    CHECK(words != NULL);
    if (!words) return;
    if (springs && sscanf(words, "joints cannot be closed at t = %lf s: joint '%15[^']' stays open by %lf",
                          &t, joint, &gap) == 3) {
        CHECK(t > asin(0.8)); /* springs went on beyond */
    } else {
        CHECK_INT(
            sscanf(words,
                   "joints cannot be closed beyond t = %lf s: at t = %lf s joint '%15[^']' stays open by %lf",
                   &beyond, &t, joint, &gap),
            4);
        CHECK_NEAR(beyond, asin(0.8), 1e-7);
    }
    CHECK(strcmp(joint, "w") && strcmp(joint, "w.drive"));
    CHECK(gap < sin(t) - 0.8);
    CHECK(gap > 0.1 * (sin(t) - 0.8));
}

TEST(every_setting_says_the_same_of_a_lock)
{
    static const char *const coordinates[] = {"planar", "relative", "natural"};
    static const char *const constraints[] = {"index3",     "index2",  "index1",     "augmented3",
                                              "augmented1", "penalty", "independent"};
    static const char *const method[] = {"generalized-alpha", "trapezoidal", "radau3"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 7; k++)
            for (size_t n = 0; n < 3; n++) {
                if (SANITIZED && (i + k + n) % 3 != 0) continue; /* each setting with one of the methods */
                rig_constraints = constraints[k];
                check_lock(coordinates[i], method[n]);
            }
    rig_constraints = "index3";
}

/* With α far below what the wheels' springs ask for the iteration cannot converge, whatever the step; left to
 * the model it does. */
static Ended with_factor(const char *constraints)
{
    Ended e = {.status = VG_OK};
    char path[512];
    vgDiag *diag = vg_diag_new();
    vgSimulation sim;
    vgTransientOptions o = {.step = 1e-3, .end = 0.02, .every = 1 << 30};
    vgTransientResult res;
    vgDials dials = {.constraints = constraints, .integrator = "trapezoidal"};
    snprintf(path, sizeof path, "%s/models/iltis-stairs.yaml", VERGE_SOURCE_DIR);
    vgModel *m = vg_model_load(path, NULL, 0, diag);
    e.status = vg_simulation_open(m, &dials, diag, &sim);
    CHECK_INT(e.status, VG_OK);
    e.status = vg_transient_run(sim.it, sim.state, &o, NULL, &res);
    snprintf(e.text, sizeof e.text, "%.399s", res.failure.text);
    vg_simulation_close(&sim);
    vg_model_free(m);
    vg_diag_free(diag);
    return e;
}

TEST(a_factor_too_small_is_named)
{
    Ended e = with_factor("augmented3:alpha=1e6");
    CHECK(e.status != VG_OK);
    CHECK(strstr(e.text, "alpha = 1e+06") && strstr(e.text, "larger"));
    CHECK(strstr(e.text, "Try a smaller step") == NULL);
    CHECK_INT(with_factor("augmented3").status, VG_OK);
}

TEST(more_steps_than_time_can_count_are_refused)
{
    Ended e = run(ROOT, NULL, "generalized-alpha", 1e-300);
    CHECK_INT(e.status, VG_BAD_INPUT);
    CHECK(strstr(e.text, "step is too small") != NULL);
}

TEST_MAIN(steps_too_long_for_an_explicit_method, a_force_without_a_value_is_named,
          joints_that_cannot_close_are_named, every_setting_says_the_same_of_a_lock,
          a_factor_too_small_is_named, more_steps_than_time_can_count_are_refused)

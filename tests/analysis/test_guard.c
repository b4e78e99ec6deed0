/* Steps so long that Newton's iteration may come to another solution: a run either stays with its motion or
 * fails by name. The positions are those of the mechanisms' geometry. */
#include "analysis/run/guard.h"

#include "analysis/state/probe.h"
#include "integrator/runs.h"
#include "test.h"

#define W 10.0
/* The angle of the crank is given, and with it all positions; the rod could also point to the other side. */
#define SLIDER_CRANK                                                                                         \
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"                                                          \
    "bodies:\n"                                                                                              \
    "  crank: {mass: 3, inertia: 0.02, com: [0.15, 0], markers: {A: [0.3, 0]}}\n"                            \
    "  rod: {mass: 0.9, inertia: 0.03, com: [0.2, 0], position: [0.3, 0], markers: {B: [0.4, 0]}}\n"         \
    "joints:\n"                                                                                              \
    "  O: {revolute: [ground, crank], drive: {angle: 10*t}}\n"                                               \
    "  A: {revolute: [crank.A, rod]}\n"                                                                      \
    "  B: {point-on-line: [ground, rod.B], axis: x}\n"
/* The same with the coupler and the rocker of a four-bar, which could lie on the other side of the diagonal.
 */
#define FOUR_BAR                                                                                             \
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"                                                          \
    "parameters: {s: sqrt(0.4), q: 'atan2(-0.2, 0.6)', b: q + acos((0.25 + 0.4 - 0.16)/s),\n"                \
    "  c: 'atan2(0.2 + 0.5*sin(b), 0.5*cos(b) - 0.6)'}\n"                                                    \
    "bodies:\n"                                                                                              \
    "  ground: {markers: {D: [0.6, 0]}}\n"                                                                   \
    "  crank: {mass: 0.4, inertia: 0.0013, com: [0.1, 0], angle: pi/2, markers: {B: [0.2, 0]}}\n"            \
    "  coupler: {mass: 1, inertia: 0.02, com: [0.25, 0], position: [0, 0.2], angle: b,\n"                    \
    "    markers: {C: [0.5, 0]}}\n"                                                                          \
    "  rocker: {mass: 0.8, inertia: 0.01, com: [0.2, 0], position: [0.6, 0], angle: c,\n"                    \
    "    markers: {C: [0.4, 0]}}\n"                                                                          \
    "joints:\n"                                                                                              \
    "  A: {revolute: [ground, crank], drive: {angle: pi/2 + 10*t}}\n"                                        \
    "  B: {revolute: [crank.B, coupler]}\n"                                                                  \
    "  C: {revolute: [coupler.C, rocker.C]}\n"                                                               \
    "  D: {revolute: [ground.D, rocker]}\n"
#define WHEEL                                                                                                \
    "verge: 1\nbodies: {wheel: {mass: 1, inertia: [0.1, 0.1, 0.2], omega: [0, 0, 100]}}\n"                   \
    "joints: {O: {revolute: [ground, wheel], axis: z}}\n"                                                    \
    "forces: {spring: {torsion: O, stiffness: 0}}\n"

/* A run to `end`; the body's centre of mass there. */
static int centre(const char *text, const char *body, const char *integrator, double step, double end,
                  double at[2], char error[400])
{
    Rig r;
    int ok = 0;
    vgProbe *probe = NULL;
    vgTransientOptions o = {.step = step, .end = end, .every = 1 << 30, .monitor = 1};
    vgTransientResult res = {0};
    error[0] = 0;
    if (rig_open(&r, text, NULL, integrator, NULL, 0)) {
        ok = vg_transient_run(r.sim.it, r.sim.state, &o, NULL, &res) == VG_OK;
        snprintf(error, 400, "%.399s", res.failure.text);
        if (ok && vg_probe_new(r.sim.sys, &probe) == VG_OK) {
            vg_probe_at(probe, r.sim.it->work, r.sim.state);
            const vgKin *k = vg_probe_kin(probe, vg_model_find_body(r.model, body));
            at[0] = k->p.x;
            at[1] = k->p.y;
        }
        vg_probe_free(probe);
    }
    rig_close(&r);
    return ok;
}

static void rod_centre(double t, double at[2])
{
    double a = W * t, y = 0.3 * sin(a), b = -asin(y / 0.4);
    at[0] = 0.3 * cos(a) + 0.2 * cos(b);
    at[1] = y + 0.2 * sin(b);
}

static void rocker_centre(double t, double at[2])
{
    double a = 0.5 * 3.14159265358979323846 + W * t, bx = 0.2 * cos(a), by = 0.2 * sin(a);
    double s = hypot(0.6 - bx, by), b = atan2(-by, 0.6 - bx) + acos((0.25 + s * s - 0.16) / (s));
    at[0] = 0.5 * (0.6 + bx + 0.5 * cos(b));
    at[1] = 0.5 * (by + 0.5 * sin(b));
}

/* Steps of half a radian to five of the crank. How many runs ended, of which all must be right. */
static int all_right(const char *const *method, int n, const double *step, int nstep)
{
    int ended = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nstep; k++)
            for (int bar = 0; bar < 2; bar++) {
                double at[2] = {NAN, NAN}, right[2];
                char error[400];
                if (centre(bar ? FOUR_BAR : SLIDER_CRANK, bar ? "rocker" : "rod", method[i], step[k], 3, at,
                           error)) {
                    (bar ? rocker_centre : rod_centre)(3, right);
                    CHECK_NEAR(at[0], right[0], 1e-6);
                    CHECK_NEAR(at[1], right[1], 1e-6);
                    ended++;
                } else {
                    CHECK(strlen(error) > 20);
                }
            }
    return ended;
}

/* One step to the end, refused: the end is reached in shorter ones, not by extrapolation. */
TEST(a_single_long_step_ends_where_it_should)
{
    static const char *const method[] = {"generalized-alpha", "trapezoidal", "bathe"};
    for (int i = 0; i < 3; i++) {
        double at[2] = {NAN, NAN}, right[2];
        char error[400];
        CHECK(centre(SLIDER_CRANK, "rod", method[i], 0.2, 0.2, at, error));
        rod_centre(0.2, right);
        CHECK_NEAR(at[0], right[0], 1e-8);
        CHECK_NEAR(at[1], right[1], 1e-8);
    }
}

TEST(mechanisms_stay_closed_as_they_were)
{
    static const char *const method[] = {"generalized-alpha:rho=0.5",
                                         "trapezoidal",
                                         "hht-i3",
                                         "nstiff",
                                         "bathe",
                                         "mssth5",
                                         "esdirk324",
                                         "bdf2",
                                         "sdirk",
                                         "radau3",
                                         "hht-si2"};
    static const double step[] = {0.05, 0.1, 0.15, 0.2, 0.3};
    CHECK(all_right(method, 11, step, 5) > 80);
}

/* Where every position is given the estimate of the error sees none, however long the step. */
TEST(under_error_control_too)
{
    static const char *const method[] = {"mssth5:rtol=1e-3",      "esdirk324:rtol=1e-2",
                                         "esdirk436-2:rtol=1e-1", "energy-momentum:rtol=1e-3",
                                         "bdf:rtol=1e-2",         "lms2:rtol=1e-2"};
    static const double step[] = {1e-3, 0.5};
    CHECK(all_right(method, 6, step, 2) > 20);
}

/* 100 rad/s, a spring of stiffness 0 counts the turns: θ = 100 t, also in steps of five radians. */
TEST(turns_are_counted)
{
    static const char *const method[] = {"generalized-alpha", "dopri5", "bdf", "rk4", "esdirk436-2"};
    for (int i = 0; i < 5; i++) {
        Rig r;
        if (!rig_open(&r, WHEEL, "lie", method[i], NULL, 0)) continue;
        CHECK(rig_run(&r, 0.05, 2));
        CHECK_NEAR(r.sim.state->turn[0], 200, 1e-6);
        rig_close(&r);
    }
}

/* A wheel and a pendulum that know nothing of each other: whether the wheel's angle is recorded or not, the
 * pendulum goes through the same states, bit by bit. */
TEST(who_looks_at_an_angle_changes_nothing)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {wheel: {mass: 1, inertia: [0.1, 0.1, 0.2], omega: [0, 0, 100]},\n"
        "  arm: {mass: 1, inertia: [0.1, 0.2, 0.2], position: [1, 0, 0], markers: {O: [-1, 0, 0]}}}\n"
        "joints: {O: {revolute: [ground, wheel], axis: z}, A: {revolute: [ground, arm.O], axis: 'y'}}\n";
    static const char *const method[] = {"generalized-alpha:adaptive=1,rtol=1e-2", "dopri5:rtol=1e-3",
                                         "generalized-alpha", "rk4"};
    for (int i = 0; i < 4; i++) {
        double q[2][32] = {{0}};
        for (int looking = 0; looking < 2; looking++) {
            Rig r;
            int good = rig_open(&r, text, "lie", method[i], NULL, 0);
            CHECK(good && r.sim.sys->nq <= 32);
            if (!good) return;
            memset(r.sim.it->work->watch, looking, (size_t)r.model->nmeasure);
            CHECK(rig_run(&r, 0.05, 1));
            memcpy(q[looking], r.sim.state->q, (size_t)r.sim.sys->nq * sizeof(double));
            rig_close(&r);
        }
        CHECK(memcmp(q[0], q[1], sizeof q[0]) == 0);
    }
}

TEST_MAIN(a_single_long_step_ends_where_it_should, who_looks_at_an_angle_changes_nothing,
          mechanisms_stay_closed_as_they_were, under_error_control_too, turns_are_counted)

/* Corners of roads and profiles, located where locating is asked for: a wheel that is drawn along a road must
 * move as under the same force written as a law of time, whose corners are met exactly. */
#include "analysis/run/events.h"
#include "analysis/state/probe.h"
#include "integrator/runs.h"
#include "test.h"

/* A carrier goes along x at 4 m/s; the wheel moves up and down on it, 0.3 m radius, 2e4 N/m, 10 kg, 98.1 N.
 */
#define DRAWN                                                                                                \
    "bodies:\n"                                                                                              \
    "  carrier: {mass: 1, inertia: [1, 1, 1]}\n"                                                             \
    "  wheel: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0.295095]}\n"                                  \
    "joints:\n"                                                                                              \
    "  along: {prismatic: [ground, carrier], axis: x, drive: {displacement: 4*t}}\n"                         \
    "  up: {prismatic: [carrier, wheel], axis: z}\n"                                                         \
    "gravity: [0, 0, -9.81]\n"
#define TYRE                                                                                                 \
    DRAWN "forces: {tyre: {tyre-linear: [ground, wheel], radius: 0.3, stiffness: 2e4, cornering: 0,"         \
          " trail: 0, vertical: true, road: r}}\n"
#define RAMP "roads: {r: {ramp: {start: 0.5, length: 0.8, height: 0.01}}}\n"
/* h and 1 + h'^2 of the ramp at x = 4 t */
#define LAW                                                                                                  \
    DRAWN "forces: {tyre: {force: wheel, value: [0, 0, '2e4*(0.3 - joint.up.displacement + "                 \
          "if(t < 0.125, 0, if(t < 0.325, 0.0125*(4*t - 0.5), 0.01)))"                                       \
          "/if(t < 0.125, 1, if(t < 0.325, 1.00015625, 1))']}}\n"

typedef struct Height {
    double z;
    long events;
    int ok;
} Height;

static Height run(const char *text, const char *body, const char *integrator, double step, double end,
                  int locate)
{
    Rig r;
    Height out = {NAN, 0, 0};
    vgProbe *probe = NULL;
    vgTransientOptions o = {.step = step, .end = end, .every = 1 << 30, .locate = locate};
    vgTransientResult res;
    if (rig_open(&r, text, NULL, integrator, NULL, 0)) {
        out.ok = vg_transient_run(r.sim.it, r.sim.state, &o, NULL, &res) == VG_OK;
        if (!out.ok) printf("%s\n", res.failure.text);
        out.events = res.stats.events;
        if (vg_probe_new(r.sim.sys, &probe) == VG_OK) {
            vg_probe_at(probe, r.sim.it->work, r.sim.state);
            vgVec3 p = vg_probe_kin(probe, vg_model_find_body(r.model, body))->p;
            out.z = r.model->planar ? p.y : p.z;
        }
        vg_probe_free(probe);
    }
    rig_close(&r);
    return out;
}

TEST(a_wheel_on_a_ramp_moves_as_its_law_says)
{
    Height right = run("verge: 1\n" LAW, "wheel", "rk4", 2.5e-4, 0.45, 1);
    Height located = run("verge: 1\n" RAMP TYRE, "wheel", "rk4", 2e-3, 0.45, 1);
    Height over = run("verge: 1\n" RAMP TYRE, "wheel", "rk4", 2e-3, 0.45, 0);
    CHECK(right.ok && located.ok && over.ok);
    CHECK_INT(located.events, 2);
    CHECK_NEAR(located.z, right.z, 1e-7);
    CHECK(fabs(over.z - right.z) > 20 * fabs(located.z - right.z));
}

TEST(every_road_has_its_corners)
{
    static const struct {
        const char *road;
        int corners;
    } one[] = {{"ramp: {start: 0.5, length: 0.8, height: 0.02, edge: 0.2}", 4},
               {"stairs: {start: 0.3, count: 3, run: 0.4, rise: 0.001, edge: 0.15}", 6},
               {"cosine: {start: 0.25, length: 0.9, height: 0.002}", 2},
               {"table: {of: T}", 4},
               {"law: {height: \"0.002*abs(x - 0.7)\"}", 1},
               {"flat: {}", 0}};
    for (int i = 0; i < 6; i++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "verge: 1\ntables: {T: [[0.2, 0], [0.5, 0.002], [0.9, 0.001], [1.3, 0.001]]}\nroads: {r: {%s}}\n"
            "%s",
            one[i].road, TYRE);
        Height at = run(text, "wheel", "dopri5:adaptive=0", 1e-3, 0.4, 1);
        CHECK(at.ok);
        CHECK_INT(at.events, one[i].corners);
    }
}

/* A ball drawn over the kinks of a profile, pressed onto it: order 4 is kept over them. */
#define PROFILE                                                                                              \
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"                                                          \
    "tables: {T: [[-1, 0], [0.45, 0], [0.85, -0.02], [3, -0.02]]}\n"                                         \
    "bodies:\n"                                                                                              \
    "  carrier: {mass: 1, inertia: 1}\n"                                                                     \
    "  ball: {mass: 10, inertia: 1, position: [0, 0.195095]}\n"                                              \
    "joints:\n"                                                                                              \
    "  along: {prismatic: [ground, carrier], axis: x, drive: {displacement: 2*t}}\n"                         \
    "  up: {prismatic: [carrier, ball], axis: y}\n"                                                          \
    "forces: {c: {contact-point-profile: [ground, ball], profile: T, radius: 0.2, stiffness: 2e4, "          \
    "exponent: 1}}\n"

TEST(a_ball_keeps_the_order_over_kinks)
{
    Height fine = run(PROFILE, "ball", "rk4", 1.25e-4, 0.6, 1);
    Height a = run(PROFILE, "ball", "rk4", 4e-3, 0.6, 1), b = run(PROFILE, "ball", "rk4", 2e-3, 0.6, 1);
    CHECK(fine.ok && a.ok && b.ok);
    CHECK(a.events >= 2);
    double order = log2(fabs(a.z - fine.z) / fabs(b.z - fine.z));
    if (!(order > 3.3)) printf("order %g: %g %g\n", order, a.z - fine.z, b.z - fine.z);
    CHECK(order > 3.3);
}

TEST_MAIN(a_wheel_on_a_ramp_moves_as_its_law_says, every_road_has_its_corners,
          a_ball_keeps_the_order_over_kinks)

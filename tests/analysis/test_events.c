/* State events: located on the motion, so that methods keep their order over switches; time events are met
 * exactly. Closed forms. */
#include "analysis/run/events.h"

#include "integrator/runs.h"
#include "test.h"

/* Mass 1 between springs: k = 1 for x > 0, k = 9 for x < 0, from x = 1 at rest. x = cos t until π/2, then
 * −sin(3τ)/3, back at 0 after π/3 with the speed 1, sin τ and so on: period π + π/3. */
#define SWITCHED                                                                                             \
    "verge: 1\nplanar: true\ngravity: [0, 0]\n"                                                              \
    "bodies: {m: {mass: 1, point: true, position: [1, 0]}}\n"                                                \
    "forces:\n"                                                                                              \
    "  s: {force: m, value: ['if(body.m.position.x > 0, -1, -9)*body.m.position.x', 0]}\n"
/* The same springs from a table with a kink at its middle knot. */
#define TABLE                                                                                                \
    "verge: 1\nplanar: true\ngravity: [0, 0]\ntables: {k: [[-2, 18], [0, 0], [2, -2]]}\n"                    \
    "bodies: {m: {mass: 1, point: true, position: [1, 0]}}\n"                                                \
    "forces: {s: {force: m, value: ['table(k, body.m.position.x)', 0]}}\n"
/* The same as a spring's own table of tension over elongation, and as a torsion's table on a wheel. */
#define SPRING                                                                                               \
    "verge: 1\nplanar: true\ngravity: [0, 0]\n"                                                              \
    "tables: {k: [[-2, -18], [0, 0], [2, 2]]}\n"                                                             \
    "bodies: {ground: {markers: {S: [-5, 0]}}, m: {mass: 1, point: true, position: [1, 0]}}\n"               \
    "forces: {s: {spring: [ground.S, m], table: k, length: 5}}\n"
#define TORSION                                                                                              \
    "verge: 1\nplanar: true\ngravity: [0, 0]\ntables: {k: [[-2, -18], [0, 0], [2, 2]]}\n"                    \
    "bodies: {m: {mass: 1, inertia: 1, angle: 1}}\njoints: {J: {revolute: [ground, m]}}\n"                   \
    "forces: {s: {torsion: J, table: k}}\nrun: {coordinates: relative}\n"
/* A damper of 1 N s/m up to 1 m/s and 0.2 N s/m beyond, from 3 m/s. */
#define DAMPER                                                                                               \
    "verge: 1\nplanar: true\ngravity: [0, 0]\ntables: {d: [[-6, -2], [-1, -1], [1, 1], [6, 2]]}\n"           \
    "bodies: {m: {mass: 1, point: true, position: [1, 0], velocity: [3, 0]}}\n"                              \
    "forces: {s: {axial-spring: [ground, m], axis: x, damper: d}}\n"
/* A force that jumps with the place: −1 right of 0.5, +2 left of it; parabolas. */
#define RELAY                                                                                                \
    "verge: 1\nplanar: true\ngravity: [0, 0]\n"                                                              \
    "bodies: {m: {mass: 1, point: true, position: [1.5, 0]}}\n"                                              \
    "forces:\n"                                                                                              \
    "  s: {force: m, value: ['if(body.m.position.x > 0.5, -1, 2)', 0]}\n"
/* A ball of radius 0.1 falls from height 1 onto a linear floor, m = 1, k = 1e4. */
#define BALL                                                                                                 \
    "verge: 1\nplanar: true\ngravity: [0, -10]\n"                                                            \
    "bodies: {b: {mass: 1, point: true, position: [0, 1]}}\n"                                                \
    "forces: {c: {contact-sphere-plane: [ground, b], radius: 0.1, stiffness: 1e4, exponent: 1}}\n"
/* A force that is switched off at a time that no step meets. */
#define PULSE                                                                                                \
    "verge: 1\nplanar: true\ngravity: [0, 0]\n"                                                              \
    "bodies: {m: {mass: 1, point: true}}\n"                                                                  \
    "forces: {s: {force: m, value: ['if(t < 0.12345, 2, 0)', 0]}}\n"

static Final run(const char *text, const char *integrator, double step, double end, int locate)
{
    Rig r;
    Final f = {0};
    vgTransientOptions o = {.step = step, .end = end, .every = 1 << 30, .locate = locate};
    vgTransientResult res;
    if (rig_open(&r, text, NULL, integrator, NULL, 0) &&
        vg_transient_run(r.sim.it, r.sim.state, &o, NULL, &res) == VG_OK) {
        f = (Final){.nq = 2, .nv = 2, .ok = 1, .stats = res.stats};
        memcpy(f.q, r.sim.state->q, sizeof(double) * 2);
        memcpy(f.v, r.sim.state->v, sizeof(double) * 2);
    }
    rig_close(&r);
    return f;
}

static const double PI = 3.14159265358979323846;

static void switched_at(double t, double *x, double *v)
{
    double period = PI + PI / 3;
    t = fmod(t + PI / 2, period); /* from x = 0 upwards */
    *x = t < PI ? sin(t) : -sin(3 * (t - PI)) / 3;
    *v = t < PI ? cos(t) : -cos(3 * (t - PI));
}

/* From 1.5 down to 0.5 with −1 (time √2, speed √2), then +2: back at 0.5 after √2 with +√2. */
static void relay_at(double t, double *x, double *v)
{
    double s = sqrt(2), period = 3 * s;
    t = fmod(t + s, period); /* from 0.5 upwards with speed √2 */
    if (t < 2 * s) {
        *x = 0.5 + s * t - t * t / 2;
        *v = s - t;
    } else {
        t -= 2 * s;
        *x = 0.5 - s * t + t * t;
        *v = -s + 2 * t;
    }
}

/* v + 4 = 7 exp(−t/5) down to v = 1, then exp(−t). */
static void damper_at(double t, double *x, double *v)
{
    double knee = 5 * log(7. / 5), slow = fmin(t, knee);
    *v = 7 * exp(-slow / 5) - 4;
    *x = 1 + 35 * (1 - exp(-slow / 5)) - 4 * slow;
    if (t <= knee) return;
    *v = exp(-(t - knee));
    *x += 1 - *v;
}

/* Free fall to depth 0, then m ẍ = −m g + k δ, δ = 0.1 − y: half a period, and up again with the same speed.
 */
static void ball_at(double t, double *y, double *v)
{
    double g = 10, k = 1e4, w = sqrt(k), v0 = sqrt(2 * g * 0.9), fall = v0 / g;
    /* δ(τ) = g/w² (1 − cos wτ) + v0/w sin wτ returns to 0 at τ with tan(wτ/2) = −v0 w/g */
    double contact = 2 * (PI - atan(v0 * w / g)) / w;
    t = fmod(t + fall, 2 * fall + contact); /* from the floor upwards */
    if (t < 2 * fall) {
        *y = 0.1 + v0 * t - g * t * t / 2;
        *v = v0 - g * t;
    } else {
        t -= 2 * fall;
        *y = 0.1 - g / (w * w) * (1 - cos(w * t)) - v0 / w * sin(w * t);
        *v = -g / w * sin(w * t) - v0 * cos(w * t);
    }
}

typedef struct Problem {
    const char *name, *text;
    void (*at)(double, double *, double *);
    double end, step;
    int y, events;
} Problem;
static const Problem problems[] = {
    {"springs", SWITCHED, switched_at, 10, 0.04, 0, 5}, {"relay", RELAY, relay_at, 10, 0.05, 0, 5},
    {"ball", BALL, ball_at, 1.5, 0.0011, 1, 4},         {"table", TABLE, switched_at, 10, 0.04, 0, 5},
    {"spring", SPRING, switched_at, 10, 0.04, 0, 5},    {"torsion", TORSION, switched_at, 10, 0.04, 0, 5},
    {"damper", DAMPER, damper_at, 5, 0.1, 0, 1}};
enum { NPROBLEMS = sizeof problems / sizeof problems[0] };

static double error_of(const Problem *p, const char *integrator, double step, int locate, Final *f)
{
    double x, v;
    *f = run(p->text, integrator, step, p->end, locate);
    p->at(p->end, &x, &v);
    return f->ok ? fmax(fabs(f->q[p->y] - x), fabs(f->v[p->y] - v)) : NAN;
}

TEST(order_is_kept_over_events)
{
    static const struct {
        const char *name;
        int order;
    } methods[] = {{"rk4", 4},       {"heun", 2},         {"generalized-alpha", 2},
                   {"bdf2", 2},      {"ab3", 3},          {"abm", 4},
                   {"esdirk324", 3}, {"radau2", 3},       {"lms2", 2},
                   {"midpoint", 2},  {"bathe", 2},        {"newmark:gamma=0.5,beta=0.25", 2},
                   {"hht-si2", 2},   {"mssth4", 4},       {"mssth5", 5},
                   {"esdirk436", 4}, {"wilson-theta", 2}, {"collocation", 2}};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (int p = 0; p < NPROBLEMS; p++) {
            Final f;
            double h = problems[p].step, coarse = error_of(&problems[p], methods[m].name, h, 1, &f),
                   fine = error_of(&problems[p], methods[m].name, h / 4, 1, &f);
            double order = log2(coarse / fine) / 2;
            int exact = fine < 1e-10; /* parabolas are solved exactly by many */
            if (!(exact || order > methods[m].order - 0.5) || f.stats.events != problems[p].events)
                printf("%s, %s: order %.2f (%g), %ld events\n", methods[m].name, problems[p].name, order,
                       fine, f.stats.events);
            CHECK(exact || order > methods[m].order - 0.5);
            CHECK_INT(f.stats.events, problems[p].events);
        }
}

/* The same under error control, and more accurate than without. */
TEST(error_control_over_events)
{
    static const char *const methods[] = {"dopri5:rtol=1e-9,atol=1e-10", "adams:rtol=1e-9,atol=1e-10",
                                          "bdf:rtol=1e-9,atol=1e-10",
                                          "esdirk436:adaptive=1,rtol=1e-9,atol=1e-10"};
    for (int m = 0; m < 4; m++)
        for (int p = 0; p < NPROBLEMS; p++) {
            Final f;
            double e = error_of(&problems[p], methods[m], 0, 1, &f);
            if (!(e < 2e-5) || f.stats.events != problems[p].events)
                printf("%s, %s: %g, %ld events, %ld steps\n", methods[m], problems[p].name, e, f.stats.events,
                       f.stats.steps);
            CHECK(e < 2e-5);
            CHECK_INT(f.stats.events, problems[p].events);
        }
    Final f;
    double located = error_of(&problems[1], "rk4", 0.05, 1, &f),
           passed = error_of(&problems[1], "rk4", 0.05, 0, &f);
    CHECK(located < 1e-10);
    CHECK(passed > 1e-4);
    CHECK_INT(f.stats.events, 0);
}

/* Time events: v = 2·0.12345 afterwards and x = v (t − 0.12345/2), whatever the method and the step. */
TEST(time_events_are_met_exactly)
{
    static const char *const methods[] = {"rk4",         "ab3",       "bdf2",         "generalized-alpha",
                                          "trapezoidal", "esdirk324", "radau2",       "lms3",
                                          "nstiff",      "midpoint",  "dopri5",       "adams",
                                          "bdf",         "hht-si2",   "ss3",          "mssth4",
                                          "mssth5",      "esdirk436", "wilson-theta", "collocation"};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        Final f = run(PULSE, methods[m], 0.05, 1, 0);
        double v = 2 * 0.12345;
        CHECK(f.ok);
        if (fabs(f.v[0] - v) > 1e-12) printf("%s: %g\n", methods[m], f.v[0] - v);
        CHECK_NEAR(f.v[0], v, 1e-12);
    }
}

/* A motion that slides along a switch ends in finite time: the location gives way. */
TEST(sliding_does_not_hang)
{
    static const char text[] = "verge: 1\nplanar: true\ngravity: [0, 0]\n"
                               "bodies: {m: {mass: 1, point: true, position: [0.1, 0], velocity: [-1, 0]}}\n"
                               "forces: {s: {force: m, value: ['-20*sign(body.m.velocity.x)', 0]}}\n";
    Final f = run(text, "rk4", 0.01, 1, 1);
    CHECK(f.ok);
    CHECK(fabs(f.v[0]) < 0.2);
    CHECK_NEAR(f.q[0], 0.1 - 1. / 40, 0.03);
}

/* Stages beyond the end of the step, where the ball has left the floor or come to it, see the law that holds
 * in the step: without that the orders 4 and 5 fall to 2, and the errors are a thousand times as large. */
TEST(stages_beyond_an_impact)
{
    static const struct {
        const char *method;
        double error;
    } cases[] = {{"mssth4", 5e-6}, {"mssth5", 5e-8}, {"esdirk436", 1e-8}, {"esdirk436-2", 1e-8}};
    for (int k = 0; k < 4; k++) {
        Final f;
        double e = error_of(&problems[2], cases[k].method, 5e-4, 1, &f);
        if (!(e < cases[k].error)) printf("%s: %g\n", cases[k].method, e);
        CHECK(e < cases[k].error);
    }
}

/* A law that exists on one side of its switch alone, as Hertz's k δ^1.5: from x = 1 with −1 m/s the mass
 * touches at t = 1, is back with +1 m/s after 2 δ/v √π Γ(7/5)/Γ(9/10), δ = (5 m v²/(4 k))^(2/5), and goes on
 * from there. */
TEST(one_sided_laws)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, 0]\n"
        "bodies: {m: {mass: 1, point: true, position: [1, 0], velocity: [-1, 0]}}\n"
        "forces: {s: {force: m, value: ['if(body.m.position.x < 0, 1e4*(-body.m.position.x)^1.5, 0)', 0]}}\n";
    static const struct {
        const char *method;
        double step, error;
    } cases[] = {{"dopri5:rtol=1e-9,atol=1e-11", 0, 1e-7},
                 {"rk4", 1e-3, 1e-5},
                 {"generalized-alpha:rho=1", 1e-4, 2e-5},
                 {"bdf:rtol=1e-9,atol=1e-11", 0, 1e-6}};
    double depth = pow(5 / (4 * 1e4), 0.4), contact = 2 * depth * sqrt(PI) * tgamma(1.4) / tgamma(0.9);
    for (int k = 0; k < 4; k++) {
        Final f = run(text, cases[k].method, cases[k].step, 2, 1);
        CHECK(f.ok);
        CHECK_NEAR(f.v[0], 1, cases[k].error);
        CHECK_NEAR(f.q[0], 1 - contact, cases[k].error);
        CHECK_INT(f.stats.events, 2);
    }
}

/* x = 2e-16 − (t − 1) crosses 0 within a step of a few units in the last place of t: between its ends there
 * is hardly a time to look at, let alone a thousandth of it. */
TEST(steps_of_a_few_roundings_end)
{
    const double h = 4 * 2.220446049250313e-16;
    Rig r;
    vgEvents *events = NULL;
    vgStep x = VG_STEP;
    CHECK(rig_open(&r, SWITCHED, NULL, "rk4", NULL, 0));
    vgState *s = r.sim.state;
    s->t = 1, s->q[0] = 2e-16, s->v[0] = -1;
    CHECK_INT(vg_integrator_start(r.sim.it, s), VG_OK);
    CHECK_INT(vg_events_new(r.sim.it, s->nhistory, 0, &events), VG_OK);
    vg_events_mark(events, s);
    CHECK_INT(vg_integrator_step(r.sim.it, s, h, &x), VG_OK);
    CHECK(s->q[0] < 0);
    vg_events_locate(events, s, &x);
    CHECK(s->t > 1 && s->t <= 1 + h);
    CHECK_NEAR(s->q[0], 2e-16 - (s->t - 1), 1e-30);
    s->held = NULL;
    vg_work_bind(r.sim.it->work, s);
    vg_events_free(events);
    rig_close(&r);
}

TEST_MAIN(order_is_kept_over_events, error_control_over_events, time_events_are_met_exactly,
          sliding_does_not_hang, stages_beyond_an_impact, one_sided_laws, steps_of_a_few_roundings_end)

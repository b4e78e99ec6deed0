/* The trapezoidal rule with Hughes' energy constraint ([G] 7.1.5), step by step against its equations, solved plainly
 * (formula.h). The potential and the kinetic energy are written out here. */
#include "formula.h"
#include "test.h"

/* A body in the plane on a stiff spring that is fixed at its centre: a pendulum whose length vibrates. */
#define MASS "2"
#define SPRUNG(more)                                                                                         \
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"                                                 \
    "  p: {mass: " MASS ", inertia: 0.1, position: [1.3, 0], velocity: [0, 3], omega: 0.5}\n"                \
    "forces:\n  s: {spring: [ground, p], stiffness: 4000, length: 1" more "}\n"

static const double mass = 2, inertia = 0.1, stiffness = 4000, free_length = 1, gravity = 9.81;

static double potential(const double *q)
{
    double stretched = hypot(q[0], q[1]) - free_length;
    return 0.5 * stiffness * stretched * stretched + mass * gravity * q[1];
}

static double kinetic(const double *v)
{
    return 0.5 * mass * (v[0] * v[0] + v[1] * v[1]) + 0.5 * inertia * v[2] * v[2];
}

static void gradient(const double *q, double *g) /* of the potential */
{
    double r = hypot(q[0], q[1]), k = stiffness * (r - free_length) / r;
    g[0] = k * q[0];
    g[1] = k * q[1] + mass * gravity;
    g[2] = 0;
}

typedef struct Step {
    double t, h, energy;
    const double *q, *v, *a;
} Step;

/* v and a of the rule at q */
static void rule(const Step *s, const double *q, double *v, double *a)
{
    for (int i = 0; i < 3; i++) {
        double d = q[i] - s->q[i];
        v[i] = 2 / s->h * d - s->v[i];
        a[i] = 4 / (s->h * s->h) * (d - s->h * s->v[i]) - s->a[i];
    }
}

/* x = q, μ: M a − f + μ ((2/h) M v + ∂V/∂q) = 0, T + V = E */
static void equations(Plain *p, const void *step, const double *x, double *r)
{
    const Step *s = step;
    double v[3], a[3], m[F_MOST], f[F_MOST], mv[F_MOST], g[3];
    rule(s, x, v, a);
    plain_mass(p, s->t + s->h, x, a, m);
    plain_mass(p, s->t + s->h, x, v, mv);
    plain_force(p, s->t + s->h, x, v, f);
    gradient(x, g);
    for (int i = 0; i < 3; i++) r[i] = m[i] - f[i] + x[3] * (2 / s->h * mv[i] + g[i]);
    r[3] = kinetic(v) + potential(x) - s->energy;
}

TEST(steps_are_those_of_hughes)
{
    Rig r;
    Plain p;
    CHECK(rig_open(&r, SPRUNG(""), "planar", "trapezoidal-energy", NULL, 0));
    CHECK(plain_open(&p, &r));
    CHECK_INT(vg_integrator_start(r.sim.it, r.sim.state), VG_OK);
    const vgState *s = r.sim.state;
    double q[3], v[3], a[3], worst = 0, most = 0, h = 0.005;
    memcpy(q, s->q, sizeof q), memcpy(v, s->v, sizeof v), memcpy(a, s->a, sizeof a);
    double energy = kinetic(v) + potential(q);
    for (int k = 0; k < 40; k++) {
        Step step = {s->t, h, energy, q, v, a};
        double x[4], vn[3], an[3];
        for (int i = 0; i < 3; i++) x[i] = q[i] + h * v[i] + h * h / 2 * a[i];
        x[3] = 0;
        CHECK(plain_newton(&p, 4, equations, &step, x));
        rule(&step, x, vn, an);
        memcpy(q, x, sizeof q), memcpy(v, vn, sizeof v), memcpy(a, an, sizeof a);
        CHECK_INT(vg_integrator_advance(r.sim.it, r.sim.state, h), VG_OK);
        vg_work_accept(r.sim.sys, r.sim.it->work, r.sim.state);
        for (int i = 0; i < 3; i++) {
            worst = fmax(worst, fabs(s->q[i] - q[i]) + 1e-2 * fabs(s->v[i] - v[i]));
            most = fmax(most, fabs(x[3]));
        }
    }
    printf("apart %.1e, largest multiplier %.1e\n", worst, most);
    CHECK(worst < 1e-8);
    CHECK(most > 1e-4); /* there was something to correct */
    plain_close(&p);
    rig_close(&r);
}

static double energy_kept(const char *text, const char *integrator, double h, double end, double *x)
{
    Rig r;
    double off = NAN;
    if (rig_open(&r, text, "planar", integrator, NULL, 0)) {
        double e0 = kinetic(r.sim.state->v) + potential(r.sim.state->q);
        CHECK(rig_run(&r, h, end));
        off = fabs(kinetic(r.sim.state->v) + potential(r.sim.state->q) - e0) / e0;
        *x = r.sim.state->q[0];
    }
    rig_close(&r);
    return off;
}

/* The rule alone does not keep the energy; with the constraint it is kept, and the order is the rule's. */
TEST(energy_and_order)
{
    double x[3], ref;
    CHECK(energy_kept(SPRUNG(""), "trapezoidal", 0.005, 1, x) > 1e-5);
    energy_kept(SPRUNG(""), "dop853:rtol=1e-12,atol=1e-13", 0.01, 0.3, &ref);
    for (int k = 0; k < 3; k++)
        CHECK(energy_kept(SPRUNG(""), "trapezoidal-energy", 1e-3 * pow(2, -k), 0.3, &x[k]) < 1e-9);
    CHECK_NEAR(log2(fabs(x[1] - ref) / fabs(x[2] - ref)), 2, 0.1);
    /* a damper takes what it takes: order 2 still */
    energy_kept(SPRUNG(", damping: 20"), "dop853:rtol=1e-12,atol=1e-13", 0.01, 0.3, &ref);
    for (int k = 0; k < 3; k++)
        energy_kept(SPRUNG(", damping: 20"), "trapezoidal-energy", 1e-3 * pow(2, -k), 0.3, &x[k]);
    CHECK(fabs(x[2] - ref) < 1e-3);
    CHECK_NEAR(log2(fabs(x[1] - ref) / fabs(x[2] - ref)), 2, 0.15);
}

/* Two links with joints: the energy is the start's, m g y = 0 and at rest, and the motion is that of other methods. */
TEST(with_constraints)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
        "  a: {mass: 1, inertia: 0.1, position: [0.5, 0], markers: {O: [-0.5, 0], E: [0.5, 0]}}\n"
        "  b: {mass: 1, inertia: 0.1, position: [1.5, 0], markers: {E: [-0.5, 0]}}\n"
        "joints:\n  O: {revolute: [ground, a.O]}\n  E: {revolute: [a.E, b.E]}\n";
    double x[3], ref = 0;
    for (int k = 0; k < 4; k++) {
        Rig r;
        rig_constraints = k < 3 ? "index3" : "index1";
        CHECK(rig_open(&r, text, "planar", k < 3 ? "hughes" : "dop853:rtol=1e-12,atol=1e-13", NULL, 0));
        CHECK(rig_run(&r, k < 3 ? 4e-3 * pow(2, -k) : 0.01, 1));
        const double *q = r.sim.state->q, *v = r.sim.state->v;
        double e = 9.81 * (q[1] + q[4]);
        for (int i = 0; i < 2; i++)
            e += 0.5 * (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1]) +
                 0.05 * v[3 * i + 2] * v[3 * i + 2];
        CHECK(fabs(e) < 1e-8);
        if (k < 3)
            x[k] = q[3];
        else
            ref = q[3];
        rig_close(&r);
    }
    CHECK(fabs(x[2] - ref) < 1e-3);
    CHECK_NEAR(log2(fabs(x[1] - ref) / fabs(x[2] - ref)), 2, 0.2);
}

TEST_MAIN(steps_are_those_of_hughes, energy_and_order, with_constraints)

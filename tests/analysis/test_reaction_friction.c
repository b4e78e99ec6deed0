/* Applied forces that depend on reactions, [N] (1): friction of pins, slides, balls and universal joints by the joint's own
 * reaction against closed forms and against a pendulum's equation with its reaction written out; laws that read
 * reactions; the tangent against differences. */
#include <math.h>

#include "analysis/state/assemble.h"
#include "run_model.h"
#include "test.h"

static double value(const char *text, const char *coordinates, const char *constraints,
                    const char *integrator, double step, double end, const char *channel)
{
    runResult r = run_model(&(runSpec){.text = text,
                                       .coordinates = coordinates,
                                       .constraints = constraints,
                                       .integrator = integrator,
                                       .step = step,
                                       .end = end,
                                       .channel = {channel}});
    if (r.status != VG_OK) printf("%s %s %s: %s\n", coordinates, constraints, integrator, r.error);
    return r.status == VG_OK ? r.value[0] : NAN;
}

/* ---- a pendulum on a pin: J θ̈ = −m g L sin θ − r |F| μ(θ̇) tanh(θ̇/v0), F = m (acceleration − g) ---- */

#define PENDULUM(more)                                                                                       \
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"                                                 \
    "  rod: {mass: 2, inertia: 0.3, position: [0.4, 0], markers: {O: [-0.4, 0]}}\n"                          \
    "joints:\n  O: {revolute: [ground, rod.O]" more "}\n"                                                    \
    "forces:\n  pin: {joint-friction: O, coefficient: 0.3, coefficient-static: 0.5, radius: 0.1,\n"          \
    "        velocity: 0.05, stribeck: 0.8}\n"

static double pendulum_acc(double theta, double omega)
{
    const double m = 2, L = 0.4, J = 0.3 + m * L * L, g = 9.81, r = 0.1, v0 = 0.05, vs = 0.8;
    double acc = 0;
    for (int i = 0; i < 200; i++) { /* θ counts from the horizontal, to the right */
        double along = -L * omega * omega + g * sin(theta), across = L * acc + g * cos(theta);
        double mu = 0.3 + 0.2 * exp(-(omega / vs) * (omega / vs));
        double F = m * hypot(along, across);
        acc = (-m * g * L * cos(theta) - r * F * mu * tanh(omega / v0)) / J;
    }
    return acc;
}

static double pendulum(double end)
{
    const int n = 20000;
    double x = 0, v = 0, h = end / n;
    for (int i = 0; i < n; i++) {
        double k1 = v, l1 = pendulum_acc(x, v), k2 = v + h / 2 * l1, l2 = pendulum_acc(x + h / 2 * k1, k2),
               k3 = v + h / 2 * l2, l3 = pendulum_acc(x + h / 2 * k2, k3), k4 = v + h * l3,
               l4 = pendulum_acc(x + h * k3, k4);
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return x;
}

TEST(pin)
{
    static const char *const settings[] = {"index1", "augmented1"};
    static const char *const implicit[][2] = {
        {"planar", "index2"},     {"planar", "index3"},   {"planar", "index1"}, {"planar", "augmented3"},
        {"planar", "augmented1"}, {"relative", "index2"}, {"planar", "penalty"}};
    double right = pendulum(1.5);
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(value(PENDULUM(""), "planar", settings[i], "dopri5:rtol=1e-10,atol=1e-12", 0.01, 1.5,
                         "joint.O.angle"),
                   right, 1e-7);
    for (int i = 0; i < 7; i++) { /* order 2 */
        const char *text = strcmp(implicit[i][0], "relative") ? PENDULUM("") : PENDULUM(", cut: true");
        double e[2];
        for (int k = 0; k < 2; k++)
            e[k] = fabs(value(text, implicit[i][0], implicit[i][1], "generalized-alpha:rho=0.8",
                              k ? 5e-4 : 1e-3, 1.5, "joint.O.angle") -
                        right);
        CHECK(e[0] < 1e-4);
        CHECK(e[1] < 0.35 * e[0]);
    }
    CHECK_NEAR(value(PENDULUM(""), "planar", "index2", "esdirk436-2", 2e-3, 1.5, "joint.O.angle"), right,
               1e-6);
    CHECK_NEAR(
        value(PENDULUM(""), "planar", "index2", "bdf:rtol=1e-9,atol=1e-11", 1e-2, 1.5, "joint.O.angle"),
        right, 1e-5);
}

/* ---- closed forms ---- */

/* x'' = g (sin a − μ cos a) once it slides, the push being across the slide: N = m g cos a + P */
TEST(slide)
{
    static const char text[] = "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  block: {mass: 3, inertia: [1, 1, 1]}\n"
                               "joints:\n  P: {prismatic: [ground, block], axis: [cos(0.6), 0, -sin(0.6)]}\n"
                               "forces:\n  rub: {joint-friction: P, coefficient: 0.2, velocity: 1e-4}\n"
                               "  push: {force: block, value: [-5*sin(0.6), 0, -5*cos(0.6)]}\n";
    const double m = 3, g = 9.81, a = 0.6, N = m * g * cos(a) + 5, acc = g * sin(a) - 0.2 * N / m, t = 0.5;
    static const char *const coordinates[] = {"lie", "euler-parameters", "euler-angles", "se3", "cayley"};
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(
            value(text, coordinates[i], "index2", "generalized-alpha", 1e-3, t, "joint.P.displacement"),
            0.5 * acc * t * t, 2e-4 * acc);
    CHECK_NEAR(value(text, "lie", "index2", "generalized-alpha", 1e-3, t, "force.rub.load"), N, 1e-7 * N);
    CHECK_NEAR(value(text, "lie", "index2", "generalized-alpha", 1e-3, t, "force.rub.torque"), -0.2 * N,
               1e-6 * N);
}

/* A guide of length l carries the moment of a load beside it, and a torque about it at its radius. */
TEST(guide)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, 0]\nbodies:\n  block: {mass: 3, inertia: [1, 1, 1], markers: {E: [0, 0.2, "
        "0]}}\n"
        "joints:\n  P: {prismatic: [ground, block], axis: x}\n"
        "forces:\n  rub: {joint-friction: P, coefficient: 0.1, velocity: 1e-4, length: 0.3, radius: 0.05}\n"
        "  load: {force: block.E, value: [30, 0, -4]}\n";
    const double N = 4 + 2 / 0.3 * 30 * 0.2 + 4 * 0.2 / 0.05, acc = (30 - 0.1 * N) / 3, t = 0.4;
    CHECK_NEAR(value(text, "lie", "index2", "generalized-alpha", 1e-3, t, "joint.P.displacement"),
               0.5 * acc * t * t, 2e-4 * acc);
}

/* A top upright on a ball: ω falls by μ r m g / J a second. */
TEST(ball)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  top: {mass: 2, inertia: [0.1, 0.1, 0.05], position: [0, 0, 0.3], omega: [0, 0, 40],\n"
        "        markers: {O: [0, 0, -0.3]}}\n"
        "joints:\n  O: {spherical: [ground, top.O]}\n"
        "forces:\n  rub: {ball-friction: O, coefficient: 0.3, radius: 0.02, velocity: 0.01}\n";
    const double t = 2, fall = 0.3 * 0.02 * 2 * 9.81 / 0.05;
    CHECK_NEAR(value(text, "lie", "index2", "generalized-alpha", 2e-3, t, "body.top.omega.z"), 40 - fall * t,
               1e-6);
    double e[2]; /* parameters have errors of their own where a body turns: order 2 */
    for (int k = 0; k < 2; k++)
        e[k] = fabs(value(text, "euler-parameters", "index2", "generalized-alpha", k ? 1e-3 : 2e-3, t,
                          "body.top.omega.z") -
                    (40 - fall * t));
    CHECK(e[0] < 1e-2 && e[1] < 0.3 * e[0]);
    CHECK_NEAR(value(text, "lie", "index1", "rk4", 2e-3, t, "body.top.omega.z"), 40 - fall * t, 1e-6);
}

/* A body that hangs on a universal joint with its first axis upright: its collar carries the weight. */
TEST(universal)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  rotor: {mass: 2, inertia: [0.1, 0.1, 0.05], omega: [0, 0, 30]}\n"
        "joints:\n  U: {universal: [ground, rotor], axis: z}\n"
        "forces:\n  a: {joint-friction: U.angle1, coefficient: 0.2, radius: 0.01, thrust: 0.03, velocity: "
        "0.01}\n"
        "  b: {joint-friction: U.angle2, coefficient: 0.2, radius: 0.01, velocity: 0.01}\n";
    const double t = 2, fall = 0.2 * 0.03 * 2 * 9.81 / 0.05;
    CHECK_NEAR(value(text, "lie", "index2", "generalized-alpha", 2e-3, t, "joint.U.rate"), 30 - fall * t,
               1e-6);
}

/* Friction that holds: a block on a slope below the angle of friction does not creep. */
TEST(sticks)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n  block: {mass: 3, inertia: [1, 1, 1]}\n"
        "joints:\n  P: {prismatic: [ground, block], axis: [cos(0.3), 0, -sin(0.3)]}\n"
        "forces:\n  rub: {joint-friction: P, coefficient: 0.5, stick: 1e-5, velocity: 1e-3}\n";
    double x[2];
    for (int k = 0; k < 2; k++)
        x[k] = value(text, "lie", "index2", "generalized-alpha", 1e-3, k ? 2 : 1, "joint.P.displacement");
    CHECK(fabs(x[1]) < 1e-5);
    CHECK(fabs(x[1] - x[0]) < 1e-8);
}

/* Pushed up the slope it slides at once: bristles of friction by a load are bent at the start, too. */
TEST(slides_from_the_start)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
        "  block: {mass: 2, inertia: 0.01, velocity: [3*cos(0.4), 3*sin(0.4)], angle: 0.4}\n"
        "joints:\n  g: {prismatic: [ground, block], axis: [cos(0.4), sin(0.4)]}\n"
        "forces:\n  mu: {joint-friction: g, coefficient: 0.5, stick: 1e-5}\n";
    const double slows = 9.81 * (sin(0.4) + 0.5 * cos(0.4)), t = 0.35;
    CHECK_NEAR(value(text, "planar", "index2", "generalized-alpha", 1e-3, t, "joint.g.rate"), 3 - slows * t,
               1e-6);
    CHECK_NEAR(value(text, "planar", "index2", "generalized-alpha", 1e-3, t, "joint.g.displacement"),
               3 * t - slows * t * t / 2, 1e-6);
}

/* f = −k N(x), N = m g + c x: an oscillator about −m g / c. */
TEST(law)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, -10]\nbodies:\n  block: {mass: 2, inertia: 1}\n"
        "joints:\n  P: {prismatic: [ground, block], axis: x}\n"
        "forces:\n  drag: {force: block, value: [\"-0.5*joint.P.force.y\", 0]}\n"
        "  press: {force: block, value: [0, \"-40*joint.P.displacement\"]}\n";
    const double m = 2, w = sqrt(0.5 * 40 / m), centre = -m * 10 / 40, t = 1.7;
    CHECK_NEAR(
        value(text, "planar", "index1", "dop853:rtol=1e-11,atol=1e-13", 0.01, t, "joint.P.displacement"),
        centre * (1 - cos(w * t)), 1e-8);
    CHECK_NEAR(value(text, "planar", "index2", "generalized-alpha:rho=1", 1e-3, t, "joint.P.displacement"),
               centre * (1 - cos(w * t)), 1e-5);
}

/* ---- the tangent ---- */

/* S' (δ, l) = (r(x + ε (δ, l)) − r(x)) / (ε ca), Φ: in planar coordinates a pin's reaction is λ itself, so that nothing is
 * neglected. */
TEST(tangent)
{
    static const char text[] = PENDULUM("");
    vgDiag *diag = vg_diag_new();
    vgSystem *sys = NULL;
    vgWork *w = NULL;
    vgState *s = NULL;
    vgModel *m = vg_model_parse(text, strlen(text), "pendulum", NULL, 0, diag);
    CHECK(m && vg_system_new(m, "planar", "index3", diag, &sys) == VG_OK);
    CHECK(sys && vg_work_new(sys, &w) == VG_OK && vg_state_new(sys, 0, &s) == VG_OK);
    if (!s) return;
    const double h = 1e-2, cv = 2 / h, ca = 4 / (h * h), eps = 1e-8;
    double q[3] = {0.4, 0, 0}, v[3] = {0, 0.04, 0.1}, a[3] = {1, -3, -8}, l[2] = {13, -7}, x[3], xl[2];
    double d[3] = {0.3, -0.2, 0.5}, dl[2] = {1e-3, 2e-3}, r0[3], r1[3], f0[2], f1[2];
    vg_work_bind(w, s);
    sys->ops->residual(sys, w, 0, q, v, a, l, r0, f0);
    vgTangent p = {
        .q = q, .v = v, .a = a, .lambda = l, .cv = cv, .ca = ca, .map = VG_STAGE_PLAIN, .reuse = 1};
    CHECK(sys->ops->factor(sys, w, &p) == VG_OK);
    double qe[3], ve[3], ae[3], le[2];
    for (int i = 0; i < 3; i++)
        qe[i] = q[i] + eps * d[i], ve[i] = v[i] + eps * cv * d[i], ae[i] = a[i] + eps * ca * d[i];
    for (int i = 0; i < 2; i++) le[i] = l[i] + eps * ca * dl[i];
    sys->ops->residual(sys, w, 0, qe, ve, ae, le, r1, f1);
    for (int i = 0; i < 3; i++) x[i] = (r1[i] - r0[i]) / (eps * ca);
    for (int i = 0; i < 2; i++) xl[i] = (f1[i] - f0[i]) / eps;
    sys->ops->solve(sys, w, x, xl);
    for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], d[i], 1e-6);
    for (int i = 0; i < 2; i++) CHECK_NEAR(xl[i], dl[i], 1e-7);
    vg_state_free(s);
    vg_work_free(w);
    vg_system_free(sys);
    vg_model_free(m);
    vg_diag_free(diag);
}

/* The same for every joint in space, at a step at which geometric stiffness does not count: how the forces change with λ
 * and, by Stribeck's curve, with velocities. */
static void differentiate(const char *text, const char *coordinates)
{
    enum { MOST = 24 };
    vgDiag *diag = vg_diag_new();
    vgSystem *sys = NULL;
    vgWork *w = NULL;
    vgState *s = NULL;
    vgAssembly as = {0};
    vgModel *m = vg_model_parse(text, strlen(text), "joint", NULL, 0, diag);
    CHECK(m && vg_system_new(m, coordinates, "index3", diag, &sys) == VG_OK);
    CHECK(sys && vg_work_new(sys, &w) == VG_OK && vg_assemble(sys, 0, 0, diag, &as, &s) == VG_OK);
    if (!s || sys->nv > MOST || sys->nl > MOST) return;
    const double h = 1e-4, cv = 2 / h, ca = 4 / (h * h), eps = 1e-10;
    int nv = sys->nv, nl = sys->nl;
    double a[MOST], l[MOST], d[MOST], dl[MOST], r[2][MOST], f[2][MOST], x[MOST], xl[MOST], ve[MOST], ae[MOST],
        le[MOST], qe[2 * MOST], moved[MOST];
    vg_work_bind(w, s);
    for (int i = 0; i < nl; i++) l[i] = 9 + 2 * sin(3 * i), dl[i] = 2 * cos(2 * i + 1);
    for (int i = 0; i < nv; i++) a[i] = sin(i + 1), d[i] = cos(5 * i);
    for (int k = 0; k < 2; k++) { /* central differences */
        double e = k ? eps : -eps;
        for (int i = 0; i < nv; i++) {
            moved[i] = e * d[i];
            ve[i] = s->v[i] + e * cv * d[i], ae[i] = a[i] + e * ca * d[i];
        }
        for (int i = 0; i < nl; i++) le[i] = l[i] + e * ca * dl[i];
        sys->ops->retract(sys, s->q, moved, qe);
        sys->ops->residual(sys, w, 0, qe, ve, ae, le, r[k], f[k]);
    }
    for (int i = 0; i < nv; i++) x[i] = (r[1][i] - r[0][i]) / (2 * eps * ca);
    for (int i = 0; i < nl; i++) xl[i] = (f[1][i] - f[0][i]) / (2 * eps);
    sys->ops->residual(sys, w, 0, s->q, s->v, a, l, r[0], f[0]);
    vgTangent p = {
        .q = s->q, .v = s->v, .a = a, .lambda = l, .cv = cv, .ca = ca, .map = VG_STAGE_PLAIN, .reuse = 1};
    CHECK(sys->ops->factor(sys, w, &p) == VG_OK);
    sys->ops->solve(sys, w, x, xl);
    double worst = 0;
    for (int i = 0; i < nv; i++) worst = fmax(worst, fabs(x[i] - d[i]));
    for (int i = 0; i < nl; i++) worst = fmax(worst, fabs(xl[i] - dl[i]));
    if (!(worst < 1e-5)) printf("%s: %.1e\n%s", coordinates, worst, text);
    CHECK(worst < 1e-5); /* 1 % of what the loads add is 4e-5 and more */
    vg_state_free(s);
    vg_assembly_free(&as);
    vg_work_free(w);
    vg_system_free(sys);
    vg_model_free(m);
    vg_diag_free(diag);
}

#define RUBS "coefficient: 0.3, coefficient-static: 0.5, velocity: 0.02, stribeck: 0.2"
TEST(tangents_of_every_joint)
{
    static const char body[] = "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  b: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.1, 0.2, 0.3],%s\n"
                               "      markers: {O: [-0.1, -0.2, -0.3]}}\njoints:\n  %s\nforces:\n  %s\n";
    static const char *const joint[][3] = {
        {" velocity: [-0.006, 0.003, 0], omega: [0, 0, 0.03],", "J: {revolute: [ground, b.O], axis: z}",
         "f: {joint-friction: J, radius: 0.1, thrust: 0.05, length: 0.2, " RUBS "}"},
        {" velocity: [0.03, 0, 0],", "J: {prismatic: [ground, b.O], axis: x}",
         "f: {joint-friction: J, length: 2, radius: 1, " RUBS "}"},
        {" velocity: [-0.006, 0.003, 0], omega: [0, 0, 0.03],", "J: {spherical: [ground, b.O]}",
         "f: {ball-friction: J, radius: 0.1, " RUBS "}"},
        {" velocity: [-0.006, 0.003, 0], omega: [0, 0, 0.03],", "J: {universal: [ground, b.O], axis: z}",
         "f: {joint-friction: J.angle1, radius: 0.1, thrust: 0.03, " RUBS "}\n"
         "  g: {joint-friction: J.angle2, radius: 0.1, " RUBS "}"}};
    static const char *const coordinates[] = {"lie", "se3", "euler-parameters", "euler-angles"};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            char text[1000];
            snprintf(text, sizeof text, body, joint[i][0], joint[i][1], joint[i][2]);
            differentiate(text, coordinates[k]);
        }
}

/* Two joints that rub, with reactions of their own: each load moves with its multipliers. */
TEST(tangents_of_two_joints)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  b: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0.1, 0.2, 0.3], velocity: [-0.006, 0.003, 0], "
        "omega: [0, 0, 0.03],\n"
        "      markers: {O: [-0.1, -0.2, -0.3], P: [0.2, 0.1, 0]}}\n"
        "  c: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.6, 0.3, 0.3], velocity: [-0.009, 0.018, 0], "
        "omega: [0, 0, 0.05],\n"
        "      markers: {P: [-0.3, 0, 0]}}\n"
        "joints:\n  J: {revolute: [ground, b.O], axis: z}\n  K: {revolute: [b.P, c.P], axis: z}\n"
        "forces:\n  f: {joint-friction: J, radius: 0.1, thrust: 0.05, " RUBS "}\n"
        "  g: {joint-friction: K, radius: 0.07, thrust: 0.02, " RUBS "}\n";
    differentiate(text, "lie");
    differentiate(text, "euler-parameters");
}

/* ---- refused in words ---- */

TEST(refused)
{
    static const char *const dials[][4] = {{"relative", "index2", "generalized-alpha", "cut: true"},
                                           {"natural", "index2", "generalized-alpha", "no multipliers"},
                                           {"planar", "independent", "generalized-alpha", "no multipliers"},
                                           {"planar", "index2", "hht-add", "apart"},
                                           {"planar", "index3", "rattle", "apart"},
                                           {"planar", "index3", "midpoint", "first order"},
                                           {"planar", "augmented3", "midpoint", "first order"},
                                           {"planar", "index2", "sdirk", "first order"},
                                           {"planar", "index3", "sdirk", "first order"},
                                           {"planar", "index3", "collocation", "first order"}};
    for (size_t i = 0; i < sizeof dials / sizeof dials[0]; i++) {
        runResult r = run_model(&(runSpec){.text = PENDULUM(""),
                                           .coordinates = dials[i][0],
                                           .constraints = dials[i][1],
                                           .integrator = dials[i][2],
                                           .step = 1e-3,
                                           .end = 0.01,
                                           .channel = {"joint.O.angle"}});
        CHECK(r.status == VG_BAD_INPUT || r.status == VG_UNSUPPORTED);
        CHECK(strstr(r.error, dials[i][3]) != NULL);
        if (!strstr(r.error, dials[i][3]))
            printf("%s %s %s: %s\n", dials[i][0], dials[i][1], dials[i][2], r.error);
    }
}

/* Where they are not refused, these have order 2 at least. */
TEST(orders_of_those_refused_elsewhere)
{
    static const char *const method[] = {"midpoint", "sdirk", "collocation"};
    double right = pendulum(1.2), e[2];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++)
            e[k] = fabs(
                value(PENDULUM(""), "planar", "index1", method[i], k ? 1e-3 : 2e-3, 1.2, "joint.O.angle") -
                right);
        CHECK(e[0] < 1e-4);
        CHECK(e[1] < 0.3 * e[0]);
    }
}

/* ---- redundant constraints ---- */

/* A four-bar linkage of hinges about y: three constraints too many. They leave the forces across the axes determined, and
 * those along them not. With a ball and a universal joint in the loop nothing is redundant. */
#define FOUR_BAR(a, b, friction)                                                                             \
    "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {markers: {C: [1, 0, 0]}}\n"                       \
    "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5], markers: {O: [0, 0, -0.5], A: [0, " \
    "0, 0.5]}}\n"                                                                                            \
    "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.5, 0, 1], markers: {A: [-0.5, 0, 0], B: [0.5, " \
    "0, 0]}}\n"                                                                                              \
    "  out: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0.5], markers: {C: [0, 0, -0.5], B: [0, "   \
    "0, "                                                                                                    \
    "0.5]}}\n"                                                                                               \
    "joints:\n  O: {revolute: [ground, crank.O], axis: y}\n  A: {" a ": [crank.A, rod.A]}\n"                 \
    "  B: {" b ": [rod.B, out.B]}\n  C: {revolute: [ground.C, out.C], axis: y}\n"                            \
    "forces:\n  rub: {joint-friction: O, coefficient: 0.2, velocity: 0.01, radius: 0.02" friction "}\n"

static int warns(const char *text, const char *coordinates)
{
    vgDiag *diag = vg_diag_new();
    vgSimulation sim = {0};
    vgModel *m = vg_model_parse(text, strlen(text), "four-bar", NULL, 0, diag);
    CHECK(m != NULL);
    CHECK(m && vg_simulation_open(m, &(vgDials){coordinates, "index2", NULL}, diag, &sim) == VG_OK);
    int found = 0;
    for (int i = 0; i < vg_diag_count(diag); i++)
        found += strstr(vg_diag_line(diag, i), "reaction of joint 'O', which redundant") != NULL;
    if (sim.sys) vg_simulation_close(&sim);
    vg_model_free(m);
    vg_diag_free(diag);
    return found;
}

TEST(undetermined_reactions_are_warned_of)
{
    static const char *const coordinates[] = {"lie", "euler-parameters", "euler-angles"};
#define HINGE "axis: y, revolute"
    for (int i = 0; i < 3; i++) {
        CHECK_INT(warns(FOUR_BAR(HINGE, HINGE, ""), coordinates[i]), 0);
        CHECK_INT(warns(FOUR_BAR(HINGE, HINGE, ", thrust: 0.03"), coordinates[i]), 1);
        CHECK_INT(warns(FOUR_BAR(HINGE, HINGE, ", length: 0.1"), coordinates[i]), 1);
        CHECK_INT(
            warns(FOUR_BAR("axis: y, universal", "spherical", ", thrust: 0.03, length: 0.1"), coordinates[i]),
            0);
    }
}

TEST_MAIN(pin, slide, guide, ball, universal, sticks, slides_from_the_start, law, tangent,
          tangents_of_every_joint, tangents_of_two_joints, refused, orders_of_those_refused_elsewhere,
          undetermined_reactions_are_warned_of)

/* Limits of joints with restitution against closed forms: flight between bounces, what an impact of a mechanism takes out,
 * and rest on the stop. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <verge/verge.h>

#include "run_model.h"
#include "test.h"

static const struct {
    const char *coordinates, *integrator;
    double tolerance; /* of a method of order 2: its own error in the flight */
} way[] = {{"relative", "dopri5:rtol=1e-10,atol=1e-12", 1e-9},
           {"lie", "rk4", 1e-9},
           {"relative", "generalized-alpha", 1e-5},
           {"lie", "generalized-alpha", 1e-5}};
enum { WAYS = sizeof way / sizeof *way };

typedef struct opened {
    vgDiag *diag;
    vgModel *model;
    vgSim *sim;
} opened;

static opened open_text(const char *text, int k)
{
    opened o = {.diag = vg_diag_new()};
    vgSimOptions dials = {.coordinates = way[k].coordinates, .integrator = way[k].integrator, .step = 1e-3};
    double start = NAN;
    o.model = vg_parse(text, strlen(text), "stop", NULL, o.diag);
    int ok = o.model && vg_sim_new(o.model, &dials, o.diag, &o.sim) == VG_OK;
    CHECK(ok);
    for (int i = 0; !ok && i < vg_diag_count(o.diag); i++) printf("%s\n", vg_diag_line(o.diag, i));
    if (ok) CHECK(vg_sim_get(o.sim, "energy.dissipated", &start) == VG_OK); /* the sum begins */
    return o;
}

static double at(opened *o, const char *channel)
{
    double x = NAN;
    if (o->sim) CHECK(vg_sim_get(o->sim, channel, &x) == VG_OK);
    return x;
}

static void close_all(opened *o)
{
    vg_sim_free(o->sim);
    vg_model_free(o->model);
    vg_diag_free(o->diag);
}

/* A fall from 1 m on a stop with ε = ½: z = ε v τ − g τ²/2 behind the first bounce, and the second is τ = 2 ε v/g later. */
TEST(bounces)
{
    static const char text[] = "verge: 1\ngravity: [0, 0, -9.81]\n"
                               "bodies: {a: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
                               "joints: {s: {prismatic: [ground, a], axis: z, limits: {lower: 0, stiffness: "
                               "1e6, damping: 0.5, restitution: 0.5}}}\n";
    const double g = 9.81, v = sqrt(2 * g), first = v / g, second = first + v / g;
    for (int k = 0; k < WAYS; k++) {
        opened o = open_text(text, k);
        if (o.sim) CHECK(vg_sim_advance(o.sim, 0.8) == VG_OK);
        double tau = 0.8 - first;
        CHECK_NEAR(at(&o, "joint.s.displacement"), 0.5 * v * tau - g * tau * tau / 2, way[k].tolerance);
        CHECK_NEAR(at(&o, "energy.dissipated"), 2 * g * (1 - 0.25), 20 * way[k].tolerance);
        if (o.sim) CHECK(vg_sim_advance(o.sim, 1.0) == VG_OK);
        tau = 1.0 - second;
        CHECK_NEAR(at(&o, "joint.s.displacement"), 0.25 * v * tau - g * tau * tau / 2, way[k].tolerance);
        /* at last it lies on the stop, pressed in by (m g/k)^(2/3) */
        if (o.sim) CHECK(vg_sim_advance(o.sim, 4) == VG_OK);
        CHECK_NEAR(at(&o, "joint.s.displacement"), -pow(2 * g / 1e6, 2. / 3), 2e-4);
        CHECK_NEAR(at(&o, "energy.total") + at(&o, "energy.dissipated"), 2 * g, 1e-4 * 2 * g);
        close_all(&o);
    }
}

/* Two links without gravity, the second strikes its stop at q₂ = ½. The momentum L about the pivot stays and the impact
 * takes out ½ (1 − ε²) (2 T − L²/M₁₁).. */
TEST(impact_in_a_chain)
{
    static const char text[] = "verge: 1\ngravity: [0, 0, 0]\n"
                               "bodies:\n"
                               "  a: {mass: 1.5, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.2], omega: [0, 0, "
                               "0.4], velocity: [0, 0, 0]}\n"
                               "  b: {mass: 0.8, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.05], position: [1, "
                               "0, 0], omega: [0, 0, 1.7], velocity: [0, 0.4, 0]}\n"
                               "joints:\n  p: {revolute: [ground, a], axis: z}\n"
                               "  e: {revolute: [{body: a, position: [1, 0, 0]}, b], axis: z, limits: "
                               "{lower: -1, upper: 0.5, stiffness: 1e6, restitution: 0.6}}\n";
    const double m1 = 1.5, m2 = 0.8, c1 = 0.5, c2 = 0.3, J1 = 0.2, J2 = 0.05, v1 = 0.4, v2 = 1.3;
    double M11[2];
    for (int i = 0; i < 2; i++)
        M11[i] = J1 + m1 * c1 * c1 + J2 + m2 * (1 + c2 * c2 + 2 * c2 * cos(i ? 0.5 : 0));
    const double M12 = J2 + m2 * (c2 * c2 + c2), M22 = J2 + m2 * c2 * c2;
    const double L = M11[0] * v1 + M12 * v2, T = 0.5 * (M11[0] * v1 * v1 + 2 * M12 * v1 * v2 + M22 * v2 * v2);
    const double loss = 0.5 * (1 - 0.36) * (2 * T - L * L / M11[1]);
    for (int k = 0; k < WAYS; k++) {
        opened o = open_text(text, k);
        CHECK_NEAR(at(&o, "energy.kinetic"), T, 1e-13);
        if (o.sim) CHECK(vg_sim_advance(o.sim, 0.8) == VG_OK);
        CHECK(at(&o, "joint.e.rate") < 0);
        CHECK_NEAR(at(&o, "energy.kinetic"), T - loss, 10 * way[k].tolerance);
        CHECK_NEAR(at(&o, "energy.dissipated"), loss, 10 * way[k].tolerance);
        CHECK_NEAR(at(&o, "momentum.angular.z"), L, 10 * way[k].tolerance);
        close_all(&o);
    }
}

/* Between two walls without loss: 3 m/s for a second in a range of 1 m are three passes from the middle, back at the middle.
 * The springs of the walls are so stiff that a step which begins beyond one of them would be lost. */
TEST(leaves_from_within)
{
    static const char text[] =
        "verge: 1\nbodies: {b: {mass: 2, inertia: [1, 1, 1], position: [0.5, 0, 0], velocity: [3, 0, 0]}}\n"
        "joints: {P: {prismatic: [{body: ground, position: [0.5, 0, 0]}, b], axis: x,\n"
        "             limits: {lower: -0.5, upper: 0.5, stiffness: 1e9, restitution: 1}}}\n";
    static const char *const dials[][2] = {{"index1", "rk4"},         {"index1", "dopri5:rtol=1e-8"},
                                           {"index3", "bathe"},       {"augmented3", "radau3:rtol=1e-7"},
                                           {"index2", "trapezoidal"}, {"index2", "generalized-alpha"}};
    for (int i = 0; i < 6; i++) {
        runResult r = run_model(&(runSpec){.text = text,
                                           .constraints = dials[i][0],
                                           .integrator = dials[i][1],
                                           .step = 1e-2,
                                           .end = 1,
                                           .locate = 1,
                                           .channel = {"joint.P.displacement", "joint.P.rate"}});
        CHECK(r.status == VG_OK);
        if (r.status != VG_OK) printf("%s %s: %s\n", dials[i][0], dials[i][1], r.error);
        CHECK_NEAR(r.value[0], 0, 1e-9);
        CHECK_NEAR(r.value[1], -3, 1e-9);
    }
}

/* A parallelogram is one degree of freedom: whatever stop it strikes, T⁺ = ε² T⁻, and its loop stays closed. */
TEST(impact_in_a_loop)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 1, com: [0, 0.5, 0], inertia: [0.1, 0.1, 0.1], omega: [0, 0, 1]}\n"
        "  b: {mass: 1, com: [0, 0.5, 0], inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
        "  c: {mass: 2, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1], position: [0, 1, 0]}\n"
        "joints:\n  a: {revolute: [ground, a], axis: z, limits: {upper: 0.3, stiffness: 1e6, restitution: "
        "0.4}}\n"
        "  b: {revolute: [{body: ground, position: [2, 0, 0]}, b], axis: z}\n"
        "  c: {revolute: [{body: a, position: [0, 1, 0]}, c], axis: z}\n"
        "  d: {spherical: [{body: c, position: [2, 0, 0]}, {body: b, position: [0, 1, 0]}], cut: true}\n";
    for (int k = 0; k < WAYS; k++) {
        opened o = open_text(text, k);
        const double T = at(&o, "energy.kinetic");
        if (o.sim) CHECK(vg_sim_advance(o.sim, 0.5) == VG_OK);
        CHECK_NEAR(at(&o, "energy.kinetic"), 0.16 * T, 100 * way[k].tolerance);
        CHECK_NEAR(at(&o, "joint.a.rate"), -0.4, 100 * way[k].tolerance);
        CHECK_NEAR(at(&o, "constraint.position"), 0, 1e-8);
        close_all(&o);
    }
}

/* Single steps, in the C API and in real time: the impact is at the end of a step, so that heights are off by the order of the
 * step, and half the step has half the error. The spring alone would give back 1 m. */
static double height_by_steps(const char *integrator, double h, int clock)
{
    static const char text[] = "verge: 1\ngravity: [0, 0, -9.81]\n"
                               "bodies: {a: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
                               "joints: {s: {prismatic: [ground, a], axis: z, limits: {lower: 0, stiffness: "
                               "1e4, restitution: 0.5}}}\n";
    vgDiag *diag = vg_diag_new();
    vgSimOptions dials = {.coordinates = "relative", .integrator = integrator, .step = h};
    vgModel *m = vg_parse(text, strlen(text), "stop", NULL, diag);
    vgSim *sim = NULL;
    double most = 0, z = NAN, rate = 0;
    CHECK(m && vg_sim_new(m, &dials, diag, &sim) == VG_OK);
    if (sim && clock) CHECK(vg_realtime_start(sim, h, 0) == VG_OK);
    for (int i = 0, bounced = 0; sim && i < (int)(0.75 / h); i++) {
        CHECK((clock ? vg_realtime_step(sim, NULL, NULL) : vg_sim_step(sim, h)) == VG_OK);
        CHECK(vg_sim_get(sim, "joint.s.displacement", &z) == VG_OK &&
              vg_sim_get(sim, "joint.s.rate", &rate) == VG_OK);
        bounced |= rate > 0;
        if (bounced) most = fmax(most, z);
    }
    vg_sim_free(sim);
    vg_model_free(m);
    vg_diag_free(diag);
    return most;
}

TEST(single_steps)
{
    static const char *const by[] = {"rk4", "generalized-alpha", "trapezoidal"};
    for (int i = 0; i < 3; i++)
        for (int clock = 0; clock < 2; clock++) {
            const double g = 9.81, v = sqrt(2 * g);
            for (double h = 1e-3; h > 1e-4;
                 h /= 2) { /* (ε (v + g δ))²/2g, δ the time by which the impact is late */
                const double height = height_by_steps(by[i], h, clock);
                CHECK_NEAR(height, 0.25, 0.25 * 2 * v * h + g * h * h);
            }
        }
}

TEST_MAIN(bounces, impact_in_a_chain, leaves_from_within, impact_in_a_loop, single_steps)

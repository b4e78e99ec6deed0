/* Flexible bodies in motion: the slider-crank of [N] by its methods, spin-up of an arm, frequencies of a
 * rotating arm, the rigid limit. */
#include <math.h>

#include "moment.h"
#include "run_model.h"
#include "test.h"

static const char *const crank = "slider-crank-flexible-modes";

/* Values at the end of a run: energy, crank's rate and angle; mean is ε(T) of [N] eq. 14. */
static runResult crank_run(const char *integrator, double step, double end)
{
    runSpec s = {.model = crank,
                 .integrator = integrator,
                 .step = step,
                 .end = end,
                 .set = {"n=1"},
                 .channel = {"energy.total", "joint.O.rate", "joint.O.angle"},
                 .every = 1};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    return r;
}

/* [N] fig. 4: order 2, and 1 for Newmark, against a method of order 4 with small steps. Newmark's rate
 * happens to cross the reference, its angle shows the order. */
TEST(orders_on_the_slider_crank_of_negrut)
{
    static const char *const second[] = {
        "hht-i3", "nstiff", "nstiff-si2", "hht-si2", "hht-add-reactions", "generalized-alpha:rho=0.9"};
    runResult ref = crank_run("esdirk436", 1e-5, 0.02);
    for (int i = 0; i < 6; i++) {
        runResult a = crank_run(second[i], 2e-5, 0.02), b = crank_run(second[i], 1e-5, 0.02);
        CHECK_NEAR(log2((a.value[1] - ref.value[1]) / (b.value[1] - ref.value[1])), 2, 0.1);
        CHECK(log2((a.value[2] - ref.value[2]) / (b.value[2] - ref.value[2])) > 1.9);
    }
    runResult a = crank_run("newmark", 2e-5, 0.02), b = crank_run("newmark", 1e-5, 0.02);
    CHECK_NEAR(log2((a.value[2] - ref.value[2]) / (b.value[2] - ref.value[2])), 1, 0.05);
    CHECK_NEAR(log2(a.mean / b.mean), 1, 0.05);
}

/* [N] fig. 10: the mean energy error goes like h². */
TEST(energy_slopes_on_the_slider_crank_of_negrut)
{
    static const char *const second[] = {"hht-i3", "nstiff", "nstiff-si2", "hht-si2", "hht-add-reactions"};
    for (int i = 0; i < 5; i++) {
        runSpec s = {.model = crank,
                     .set = {"n=4"},
                     .integrator = second[i],
                     .step = 2e-4,
                     .end = 0.1,
                     .channel = {"energy.total"},
                     .every = 1};
        runResult a = run_model(&s);
        s.step = 1e-4;
        runResult b = run_model(&s);
        CHECK_INT(a.status, VG_OK);
        CHECK_INT(b.status, VG_OK);
        CHECK_NEAR(log2(a.mean / b.mean), 2, 0.1);
    }
}

/* Spin-up of an arm [Simo, Vu-Quoc 1987]: from rest to 6 rad/s in 15 s, above the frequency of the arm, where
 * a linear field of displacements would grow without bound. Against geometrically exact beams. */
static const char spin[] =
    "verge: 1\nplanar: true\nparameters: {T: 15, W: 6}\n%s\njoints:\n  O: {revolute: [ground, %s], drive: "
    "{angle: \"if(t < T, W/T*(t^2/2 + (T/(2*pi))^2*(cos(2*pi*t/T) - 1)), W*t - W*T/2)\"}}\n";

static void tip(const char *text, const char *x, const char *y, double end, double out[2])
{
    momentRig m = {.diag = vg_diag_new()};
    m.model = vg_model_parse(text, strlen(text), "test", NULL, 0, m.diag);
    vgDials dials = {"planar", "index3", "generalized-alpha:rho=0.6"};
    CHECK_INT(vg_simulation_open(m.model, &dials, m.diag, &m.sim), VG_OK);
    vgTransientOptions o = {.step = 0.01, .end = end, .every = 1 << 30};
    vgTransientResult r;
    CHECK_INT(vg_transient_run(m.sim.it, m.sim.state, &o, NULL, &r), VG_OK);
    double q = moment_channel(&m, "joint.O.angle"), px = moment_channel(&m, x), py = moment_channel(&m, y);
    out[0] = cos(q) * px + sin(q) * py - 10;
    out[1] = cos(q) * py - sin(q) * px;
    moment_end(&m);
}

TEST(spin_up_of_an_arm_as_with_beams)
{
    char beams[900], modes[900];
    snprintf(beams, sizeof beams, spin,
             "bodies:\n  hub: {mass: 1, inertia: 1}\nmesh:\n  arm: {beam3: 6, from: hub, to: [10, 0], EA: "
             "2.8e7, GAy: 1e7, EIz: 1.4e4, m: 1.2, Jz: 6e-4}",
             "hub");
    snprintf(modes, sizeof modes, spin,
             "flexible:\n  arm: {length: 10, modes: 2, ends: true, foreshortening: true, EA: 2.8e7, GAy: "
             "1e7, EIz: 1.4e4, m: 1.2, Jz: 6e-4}",
             "arm");
    const double times[] = {4, 7, 10, 17};
    double peak = 0, worst[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        double a[2], b[2];
        tip(beams, "body.arm.13.position.x", "body.arm.13.position.y", times[i], a);
        tip(modes, "body.arm.end.position.x", "body.arm.end.position.y", times[i], b);
        peak = fmax(peak, fabs(a[1]));
        for (int k = 0; k < 2; k++) worst[k] = fmax(worst[k], fabs(a[k] - b[k]));
        if (i < 3) continue;
        /* in the end the stretch of the turning arm, m W² L³/3EA, less what a remaining deflection takes */
        CHECK_NEAR(b[0], 1.2 * 36 * 1000 / (3 * 2.8e7), 5e-6);
    }
    CHECK(peak > 0.5);
    CHECK(worst[1] < 0.005 * peak); /* squares of slopes are left out in the strain */
    CHECK(worst[0] < 0.01 * 0.0189);
}

/* An arm turning at constant speed: lag frequencies by its own stiffness against those of Wright, Smith,
 * Thresher, Wang 1982 for flapping, λ, of which the square of the speed is to be taken: ω² = (λ² − η²)
 * EI/mL⁴. */
TEST(frequencies_of_a_turning_arm)
{
    static const double flap[][2] = {{0, 3.5160}, {2, 4.1373}, {6, 7.3604}, {12, 13.1702}};
    for (int i = 0; i < 4; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "verge: 1\nplanar: true\nflexible:\n  arm: {length: 1, modes: 8, foreshortening: true, EA: "
                 "1e8, GAy: 1e8, EIz: 1, m: 1, Jz: 1e-8, omega: %g}\njoints:\n  O: {revolute: [ground, arm], "
                 "drive: {rate: %g}}\n",
                 flap[i][0], flap[i][0]);
        momentRig m = moment_text(text);
        moment_modes(&m);
        CHECK_INT(m.status, VG_OK);
        double want = sqrt(flap[i][1] * flap[i][1] - flap[i][0] * flap[i][0]), best = 1;
        for (int k = 0; k < m.modes.n; k++) best = fmin(best, fabs(m.modes.mode[k].im / want - 1));
        CHECK(best < 1e-3);
        moment_end(&m);
    }
}

/* The elastic slider-crank of the IVP test set (Simeon), whose rod is a file of modes: the published solution
 * at 0.1 s (MEBDFI with a tolerance of 1e-14). Its axial shapes have other masses than their own integrals,
 * so that terms of second order differ in the last digits of the amplitudes. */
TEST(crank_of_the_ivp_test_set)
{
    static const double want[] = {-0.3311734988256260,  0.1697373328427860,    1.893192899613509e-4,
                                  2.375751249879174e-5, -5.323896770569702e-6, -8.363313279112129e-6};
    runSpec s = {.model = "crank",
                 .integrator = "esdirk436",
                 .step = 1e-4,
                 .end = 0.1,
                 .channel = {"body.rod.angle", "body.slider.position.x", "body.rod.mode.1", "body.rod.mode.2",
                             "body.rod.mode.3", "body.rod.mode.4"}};
    runResult r = run_model(&s);
    CHECK_INT(r.status, VG_OK);
    for (int k = 0; k < 6; k++) CHECK_NEAR(r.value[k], want[k], (k < 2 ? 1e-7 : 2e-3) * fabs(want[k]));
}

/* Stiff without limit it is the rigid body: the angle of the crank after a second. */
TEST(rigid_limit)
{
    static const char text[] =
        "verge: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {L: 0.6, m: 1.5, J: 1e-3}\nbodies:\n  "
        "crank: {mass: 3, inertia: 0.0225, com: [0.15, 0], angle: 3*pi/2, omega: 1, markers: {A: [0.3, "
        "0]}}\n%sjoints:\n  O: {revolute: [ground, crank]}\n  A: {revolute: [crank.A, %s]}\n  B: "
        "{point-on-line: [ground, %s], axis: x}\n";
    static const char place[] = "position: [0, -0.3], angle: asin(0.5), velocity: [0.3, 0]";
    char part[2][500], all[1500];
    double angle[2], rate[2];
    snprintf(
        part[0], sizeof part[0],
        "  rod: {mass: m*L, inertia: m*L^3/12 + J*L, com: [L/2, 0], markers: {A: [0, 0], B: [L, 0]}, %s}\n",
        place);
    snprintf(part[1], sizeof part[1],
             "flexible:\n  rod: {length: L, support: pinned, modes: 4, foreshortening: true, EA: 1e12, GAy: "
             "1e12, EIz: 1e10, m: m, Jz: J, nodes: {A: 0, B: L}, %s}\n",
             place);
    for (int k = 0; k < 2; k++) {
        snprintf(all, sizeof all, text, part[k], "rod.A", "rod.B");
        momentRig m = {.diag = vg_diag_new()};
        m.model = vg_model_parse(all, strlen(all), "test", NULL, 0, m.diag);
        vgDials dials = {"planar", "index3", "radau3"};
        CHECK_INT(vg_simulation_open(m.model, &dials, m.diag, &m.sim), VG_OK);
        vgTransientOptions o = {.step = 2e-3, .end = 1, .every = 1 << 30};
        vgTransientResult r;
        CHECK_INT(vg_transient_run(m.sim.it, m.sim.state, &o, NULL, &r), VG_OK);
        angle[k] = moment_channel(&m, "joint.O.angle");
        rate[k] = moment_channel(&m, "joint.O.rate");
        moment_end(&m);
    }
    CHECK_NEAR(angle[1], angle[0], 1e-8);
    CHECK_NEAR(rate[1], rate[0], 1e-7);
}

TEST_MAIN(orders_on_the_slider_crank_of_negrut, energy_slopes_on_the_slider_crank_of_negrut,
          spin_up_of_an_arm_as_with_beams, frequencies_of_a_turning_arm, crank_of_the_ivp_test_set,
          rigid_limit)

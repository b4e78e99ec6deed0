/* Beams through all coordinates and constraints: the motion is the same. */
#include <math.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "element/force/util.h"
#include "test.h"

/* The beam turns, the disc at its end does not yet: the first millisecond is violent, and Newton's first
 * steps too long. */
static const char jerk[] = "verge: 1\n"
                           "gravity: [0, -9.81, 0]\n"
                           "bodies:\n"
                           "  disc: {mass: 0.2, inertia: [1e-3, 1e-3, 1e-3], position: [1, 0, 0]}\n"
                           "mesh:\n"
                           "  b: {beam3: 4, start: {revolute: ground, axis: z}, to: disc, circle: 0.01, E: "
                           "2e9, nu: 0.3, rho: 2000,\n"
                           "      damping: 1e-3, omega: [0, 0, 1]}\n"
                           "forces:\n"
                           "  p: {force: disc, value: [0, 0, \"2*sin(10*t)\"]}\n";

/* Three channels at the end of a run. */
static vgVec3 run(const vgModel *m, vgDials dials, vgTransientOptions o, const char *const names[3])
{
    vgDiag *diag = vg_diag_new();
    vgSimulation sim = {0};
    vgChannels *channels = NULL;
    double x[3] = {NAN, NAN, NAN};
    vgTransientResult end = {0};
    o.every = 1 << 30;
    vgStatus st = vg_simulation_open(m, &dials, diag, &sim);
    if (st == VG_OK) st = vg_transient_run(sim.it, sim.state, &o, NULL, &end);
    if (st == VG_OK) st = vg_channels_new(sim.sys, names, 3, diag, &channels);
    if (st == VG_OK)
        vg_channels_eval(channels, sim.it->work, sim.state, x);
    else
        printf("%s %s %s: %s\n", dials.coordinates, dials.constraints, dials.integrator, end.failure.text);
    vg_channels_free(channels);
    if (sim.sys) vg_simulation_close(&sim);
    vg_diag_free(diag);
    return vg_load3(x);
}

static vgVec3 disc_after(const vgModel *m, const char *coordinates, const char *constraints,
                         const char *integrator, double step)
{
    static const char *const names[] = {"body.disc.position.x", "body.disc.position.y",
                                        "body.disc.position.z"};
    return run(m, (vgDials){coordinates, constraints, integrator},
               (vgTransientOptions){.step = step, .end = 0.1}, names);
}

/* An iteration that diverges meets the constraints as well as one that converges; where there are none
 * (joint coordinates of this tree) always. */
TEST(augmented_lagrangian)
{
    static const char *const coordinates[] = {"lie", "se3", "relative"};
    vgModel *m = vg_model_parse(jerk, strlen(jerk), "jerk", NULL, 0, NULL);
    vgVec3 exact = disc_after(m, "lie", "index3", "radau3", 5e-4);
    for (int c = 0; c < VG_COUNT(coordinates); c++) {
        vgVec3 x = disc_after(m, coordinates[c], "augmented3", "bathe", 1e-3);
        CHECK_NEAR(vg_norm3(vg_sub3(x, exact)), 0, 5e-6);
    }
    vg_model_free(m);
}

/* A ball thrown up on a rope that is not stiff in compression: it flies, x = y + β ẏ passes zero at t₁ (y the
 * stretch), and from there on it swings, ÿ + βω² ẏ + ω² y = g. With the moment located the method's order
 * holds.
 */
TEST(rope_slack_and_taut)
{
    static const char text[] =
        "verge: 1\ngravity: [0, 0, -10]\n"
        "bodies: {ball: {mass: 1, point: true, position: [0, 0, -1], velocity: [0, 0, 1]}}\n"
        "forces: {rope: {cable: [ground, ball], EA: 1000, m: 0, damping: 1e-3, compression: 0}}\n";
    static const char *const names[] = {"body.ball.position.z", "body.ball.velocity.z", "force.rope.force"};
    const double g = 10, beta = 1e-3, w2 = 1000, after = 0.03;
    /* −(t − g t²/2) + β (−1 + g t) = 0, the later root */
    const double p = (1 - beta * g) / g, t1 = p + sqrt(p * p + 2 * beta / g);
    const double y1 = -(t1 - g * t1 * t1 / 2), v1 = -1 + g * t1, d = beta * w2 / 2, wd = sqrt(w2 - d * d);
    const double A = y1 - g / w2, B = (v1 + d * A) / wd, c = cos(wd * after), sn = sin(wd * after);
    const double y = g / w2 + exp(-d * after) * (A * c + B * sn);
    const double v = exp(-d * after) * ((B * wd - d * A) * c - (A * wd + d * B) * sn);
    vgModel *m = vg_model_parse(text, strlen(text), "rope", NULL, 0, NULL);
    vgVec3 x = run(m, (vgDials){"lie", "index3", "radau3"},
                   (vgTransientOptions){.step = 4e-3, .end = t1 + after, .locate = 1}, names);
    CHECK_NEAR(x.x, -1 - y, 1e-8);
    CHECK_NEAR(x.y, -v, 1e-6);
    CHECK_NEAR(x.z, w2 * (y + beta * v), 1e-5);
    vg_model_free(m);
}

TEST_MAIN(augmented_lagrangian, rope_slack_and_taut)

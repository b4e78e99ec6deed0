/* Driven distances (a winch, a hydraulic cylinder) against closed forms, in all coordinates and constraints:
 * motion, effort of the drive, its work. */
#include <math.h>

#include "analysis/state/inverse.h"
#include "run_model.h"
#include "test.h"

static const double G = 9.81;

static const char *const constraints[] = {"index3",     "index2",  "index1",     "augmented3",
                                          "augmented1", "penalty", "independent"};
static const char *const spatial[] = {"lie",          "cayley",   "se3",     "euler-parameters",
                                      "euler-angles", "relative", "natural", NULL};
static const char *const planar[] = {"planar", "relative", "natural", NULL};

static runResult run(const char *text, const char *x, const char *c, double step, double end,
                     const char *const *channel)
{
    runSpec spec = {.text = text,
                    .coordinates = x,
                    .constraints = c,
                    .integrator = strcmp(c, "index1") ? "generalized-alpha" : "dopri5",
                    .step = step,
                    .end = end,
                    .every = 1};
    for (int i = 0; channel[i]; i++) spec.channel[i] = channel[i];
    runResult r = run_model(&spec);
    CHECK_INT(r.status, VG_OK);
    if (r.status != VG_OK) printf("   %s, %s: %s\n", x, c, r.error);
    return r;
}

/* A load on a rope from a drum above: L = 1 − 0.2 t², so the rope pulls with m (g + 0.4). */
static void winch(const char *text, const char *const *coordinates)
{
    const char *const channel[] = {"joint.rope.distance",     "joint.rope.rate", "joint.rope.acceleration",
                                   "joint.rope.drive.effort", "energy.drives",   NULL};
    for (int x = 0; coordinates[x]; x++)
        for (int c = 0; c < 7; c++) {
            runResult r = run(text, coordinates[x], constraints[c], 1e-3, 0.5, channel);
            double tol = strcmp(constraints[c], "penalty") ? 1e-7 : 1e-5;
            CHECK_NEAR(r.value[0], 0.95, tol);
            CHECK_NEAR(r.value[1], -0.2, tol);
            CHECK_NEAR(r.value[2], -0.4, 1e-3); /* of some methods it lags by half a step */
            CHECK_NEAR(r.value[3], -2 * (G + 0.4), 1e-4);
            CHECK_NEAR(r.value[4], 2 * G * 0.05 + 0.04, 1e-5);
        }
}

TEST(a_winch)
{
    winch("verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
          "bodies:\n  load: {mass: 2, inertia: 0.1, position: [0, -1]}\n"
          "joints:\n  rope: {distance: [ground, load], drive: {distance: 1 - 0.2*t^2}}\n",
          planar);
    winch("verge: 1\ngravity: [0, 0, -9.81]\n"
          "bodies:\n  load: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, 0, -1]}\n"
          "joints:\n  rope: {distance: [ground, load], drive: {distance: 1 - 0.2*t^2}}\n",
          spatial);
}

/* A boom from a hinge, a = 1 m along it to the cylinder's eye, whose other one is b = 0.8 m below the hinge:
 * L² = a² + b² + 2ab sin φ. With L = L0 + 0.1 t (by its rate: from where it is),
 *     φ̇ = L L̇/(a b cos φ),   φ̈ = L̇²/(a b cos φ) + φ̇² tan φ,   F = [J φ̈ + m g c cos φ] φ̇/L̇. */
static const char boom[] = "verge: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {m: 30, c: 1.2, J0: 4}\n"
                           "bodies:\n  ground: {markers: {foot: [0, -0.8]}}\n"
                           "  boom: {mass: m, inertia: J0, com: [c, 0], markers: {eye: [1, 0]}}\n"
                           "joints:\n  hinge: {revolute: [ground, boom]}\n"
                           "  cylinder: {distance: [ground.foot, boom.eye], drive: {%s}}\n";

TEST(a_hydraulic_cylinder)
{
    const char *const channel[] = {"joint.hinge.angle", "joint.hinge.rate", "joint.cylinder.drive.effort",
                                   "energy.drives", NULL};
    static const char *const drive[] = {"distance: sqrt(1.64) + 0.1*t", "rate: 0.1"};
    const double end = 1, b = 0.8, L = sqrt(1.64) + 0.1 * end, J = 4 + 30 * 1.2 * 1.2;
    const double phi = asin((L * L - 1 - b * b) / (2 * b)), rate = L * 0.1 / (b * cos(phi));
    const double acc = 0.01 / (b * cos(phi)) + rate * rate * tan(phi);
    const double F = (J * acc + 30 * G * 1.2 * cos(phi)) * rate / 0.1;
    const double w0 = sqrt(1.64) * 0.1 / b;
    const double work = 0.5 * J * (rate * rate - w0 * w0) + 30 * G * 1.2 * sin(phi);
    for (int d = 0; d < 2; d++) {
        char text[800];
        snprintf(text, sizeof text, boom, drive[d]);
        for (int x = 0; planar[x]; x++)
            for (int c = 0; c < 7; c++) {
                runResult r = run(text, planar[x], constraints[c], 2e-3, end, channel);
                double tol = strcmp(constraints[c], "penalty") ? 1e-7 : 1e-5;
                CHECK_NEAR(r.value[0], phi, tol);
                CHECK_NEAR(r.value[1], rate, tol);
                CHECK_NEAR(r.value[2], F, 1e-5 * F);
                CHECK_NEAR(r.value[3], work, 1e-5 * work);
            }
    }
}

static void refused(const char *text, const char *words)
{
    vgDiag *diag = vg_diag_new();
    vgInverse *inverse = NULL;
    vgModel *m = vg_model_parse(text, strlen(text), "text", NULL, 0, diag);
    if (m) CHECK(vg_inverse_new(m, diag, &inverse) != VG_OK);
    CHECK(vg_diag_count(diag) == 1 && strstr(vg_diag_line(diag, 0), words));
    vg_inverse_free(inverse);
    vg_model_free(m);
    vg_diag_free(diag);
}

TEST(words)
{
    char text[800];
    snprintf(text, sizeof text, boom, "distance: 1.3 + t");
    refused(text, "a run with it tells its effort");
    refused("verge: 1\nbodies:\n  load: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, 0, -1]}\n"
            "joints:\n  rope: {distance: [ground, load], length: 1, drive: {rate: 0.1}}\n",
            "leave one out");
}

TEST_MAIN(a_winch, a_hydraulic_cylinder, words)

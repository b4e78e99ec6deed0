/* As every_setting.c, for coordinates that only spatial mechanisms have. */
#include "suite/settings.h"

static const char spatial_text[] =
    "verge: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {markers: {A: [0, 0.1, 0.12]}}\n"
    "  crank: {mass: 0.12, inertia: [1e-4, 1e-5, 1e-4], position: [0, 0.1, 0.16], omega: [6, 0, 0], "
    "velocity: [0, "
    "-0.24, 0], markers: {A: [0, 0, -0.04], B: [0, 0, 0.04]}}\n"
    "  rod: {mass: 0.5, inertia: [4e-3, 4e-4, 4e-3], position: [0.1, 0.05, 0.1], markers: {B: [-0.1, 0.05, "
    "0.1], "
    "C: [0.1, -0.05, -0.1]}, velocity: [0.12, -0.24, 0], omega: [1.92, -0.96, 0.48]}\n"
    "  slider: {mass: 2, inertia: [1e-4, 1e-4, 1e-4], position: [0.2, 0, 0], velocity: [0.24, 0, 0]}\n"
    "joints:\n"
    "  A: {revolute: [ground.A, crank.A], axis: x}\n"
    "  B: {spherical: [crank.B, rod.B]}\n"
    "  C: {spherical: [rod.C, slider]}\n"
    "  N: {angle: [rod.C, slider], axis: [0, 0.894427190999916, -0.447213595499958], axis2: x}\n"
    "  D: {prismatic: [ground, slider], axis: x}\n"
    "run: {step: 2e-3, end: 0.02}\n";

TEST(spatial_slider_crank)
{
    check_model(spatial_text, (const char *const[]){"relative", "natural", NULL});
}

/* The words of a refusal name the pair and what does go. */
TEST(words)
{
    vgModel *m = vg_model_parse(spatial_text, strlen(spatial_text), "text", NULL, 0, NULL);
    Result a = run(m, "euler-angles-1", "augmented3", "rk4", 2e-3),
           b = run(m, "lie", "augmented3", "rk4", 2e-3),
           c = run(m, "lie", "augmented3:beta=3", "trapezoidal", 2e-3),
           d = run(m, "lie", "penalty:omega=-1", "trapezoidal", 2e-3);
    CHECK_STR(a.error,
              "coordinates 'euler-angles-1' do not work with constraints 'augmented3'; they take index1");
    CHECK_STR(b.error,
              "integrator 'rk4' does not work with constraints 'augmented3'; it takes index1, augmented1, "
              "penalty, independent");
    CHECK_STR(c.error, "unknown option 'beta' of constraints 'augmented3', expected alpha");
    CHECK_STR(d.error, "option 'omega' of constraints 'penalty' must be from 0");
    vg_model_free(m);
}

TEST_MAIN(spatial_slider_crank, words)

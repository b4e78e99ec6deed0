/* Drag against closed forms: with μ alone v = v∞ (1 − e^(−t/τ)), τ = m/(3 π μ d); with ρ alone v = v∞ tanh(g t/v∞); spins
 * ω = ω₀ e^(−t π μ d³/I) and ω₀/(1 + ω₀ t c/I), c = ρ/64 b_x (b_y⁴ + b_z⁴); in wind a body at rest takes its velocity. */
#include <string.h>
#include <verge/verge.h>

#include "test.h"

static const char text[] =
    "verge: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  thick: {mass: 2, inertia: [1, 1, 1]}\n"
    "  thin: {mass: 2, inertia: [1, 1, 1]}\n"
    "  slow: {mass: 1, inertia: [0.02, 0.02, 0.02], omega: [3, 0, 0]}\n"
    "  fast: {mass: 1, inertia: [0.02, 0.03, 0.04], omega: [0, 7, 0]}\n"
    "  leaf: {mass: 0.5, inertia: [1, 1, 1]}\n"
    "forces:\n"
    "  oil: {drag: thick, size: [0.3, 0.2, 0.4], viscosity: 1.7}\n"
    "  air: {drag: thin, size: [0.3, 0.2, 0.4], density: 30}\n"
    "  grease: {drag: slow, size: [0.3, 0.2, 0.4], viscosity: 0.9}\n"
    "  vanes: {drag: {body: fast, rotation: [0, 0, pi/2]}, size: [0.3, 0.2, 0.4], density: 1000}\n"
    "  gust: {drag: leaf, size: [0.3, 0.2, 0.4], density: 8, wind: [-5, 0, 0]}\n";

TEST(fall_spin_and_wind)
{
    const double PI = 3.14159265358979323846, g = 9.81, t = 0.6, d = 0.3;
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_parse(text, strlen(text), "drag", NULL, diag);
    vgSim *sim = NULL;
    CHECK(model != NULL);
    for (int i = 0; !model && i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    for (int k = 0; model && k < 2; k++) {
        vgSimOptions dials = {.coordinates = k ? "relative" : "lie", .integrator = "rk4", .step = 1e-3};
        CHECK(vg_sim_new(model, &dials, diag, &sim) == VG_OK);
        CHECK(sim && vg_sim_advance(sim, t) == VG_OK);
        double v[5] = {0};
        static const char *const channel[] = {"body.thick.velocity.z", "body.thin.velocity.z",
                                              "body.slow.omega.x", "body.fast.omega.y",
                                              "body.leaf.velocity.x"};
        for (int i = 0; i < 5; i++) CHECK(vg_sim_get(sim, channel[i], &v[i]) == VG_OK);
        const double tau = 2 / (3 * PI * 1.7 * d), end = sqrt(2 * 2 * g / (30 * 0.3 * 0.2));
        CHECK_NEAR(v[0], -g * tau * (1 - exp(-t / tau)), 1e-10);
        CHECK_NEAR(v[1], -end * tanh(g * t / end), 1e-10);
        CHECK_NEAR(v[2], 3 * exp(-t * PI * 0.9 * d * d * d / 0.02), 1e-10);
        const double c =
            1000.0 / 64 * 0.3 * (pow(0.2, 4) + pow(0.4, 4)); /* its x axis is the body's y axis */
        CHECK_NEAR(v[3], 7 / (1 + 7 * t * c / 0.03), 1e-9);
        /* m u̇ = −½ ρ b_y b_z u² for the speed u against the wind, while it falls: the axes do not mix */
        const double rate = 0.5 * 8 * 0.2 * 0.4 / 0.5;
        CHECK_NEAR(v[4], -5 + 5 / (1 + 5 * rate * t), 1e-10);
        vg_sim_free(sim);
        sim = NULL;
    }
    vg_model_free(model);
    vg_diag_free(diag);
}

TEST_MAIN(fall_spin_and_wind)

/* A conservative chain loses exactly the energy that generalized-α takes from an oscillator.
 *
 * Twenty bars hang at rest and are kicked into one of their natural modes, small enough to be linear. Then
 * the method does to the chain what it does to the scalar oscillator q̈ = −ω² q: the energy falls as
 * ϱ(ωh)^{2n}, ϱ the modulus of the principal roots of its amplification matrix. Modes and roots are computed
 * here, from the textbook matrices, not by the program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "linalg/eig.h"
#include "test.h"

enum { N = 20 };
static const double LENGTH = 0.1, MASS = 0.1, G = 9.81;

/* θ_i from the vertical: M_ij = m L² (N − j + ½), i < j; M_ii = m L² (N − i + ⅓); K_ii = m g L (N − i + ½).
 */
static void natural_modes(double omega2[N], double modes[N * N])
{
    double M[N * N], K[N * N] = {0};
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int beyond = N - 1 - (i > j ? i : j);
            M[i * N + j] = MASS * LENGTH * LENGTH * (beyond + (i == j ? 1. / 3 : 0.5));
        }
        K[i * N + i] = MASS * G * LENGTH * (N - 1 - i + 0.5);
    }
    CHECK_INT(vg_eig_symmetric_pair(K, M, N, omega2, modes), VG_OK);
}

/* Largest modulus of the complex pair of (q, h v, h² a, h² ā)_{n+1} = A (q, …)_n for q̈ = −ω² q, x = ω h. */
static double principal_root(double x, double rho)
{
    double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), g = 0.5 - am + af,
           b = 0.25 * (g + 0.5) * (g + 0.5);
    double A[16], re[4], im[4], best = 0;
    for (int c = 0; c < 4; c++) { /* columns: from unit vectors */
        double q = c == 0, v = c == 1, a = c == 2, abar = c == 3;
        /* ā₁ = k + m a₁, a₁ = −x² q₁, q₁ = p + b ā₁ */
        double k = (af * a - am * abar) / (1 - am), m = (1 - af) / (1 - am);
        double p = q + v + (0.5 - b) * abar, q1 = (p + b * k) / (1 + b * m * x * x);
        double a1 = -x * x * q1, abar1 = k + m * a1;
        A[c] = q1;
        A[4 + c] = v + (1 - g) * abar + g * abar1;
        A[8 + c] = a1;
        A[12 + c] = abar1;
    }
    CHECK_INT(vg_eig_general(A, 4, re, im, NULL), VG_OK);
    for (int i = 0; i < 4; i++)
        if (im[i] != 0) best = fmax(best, hypot(re[i], im[i]));
    return best;
}

static int write_model(const char *path, const double *rate)
{
    FILE *f = fopen(path, "w");
    if (!f) return 0;
    fprintf(f, "verge: 1\nplanar: true\ngravity: [0, %.17g]\nbodies:\n", -G);
    double at_top = 0;
    for (int i = 0; i < N; i++) {
        fprintf(
            f,
            "  b%d: {mass: %.17g, inertia: %.17g, position: [0, %.17g], angle: -pi/2, velocity: [%.17g, 0],\n"
            "       omega: %.17g, markers: {top: [%.17g, 0], foot: [%.17g, 0]}}\n",
            i, MASS, MASS * LENGTH * LENGTH / 12, -(i + 0.5) * LENGTH, at_top + 0.5 * LENGTH * rate[i],
            rate[i], -LENGTH / 2, LENGTH / 2);
        at_top += LENGTH * rate[i];
    }
    fprintf(f, "joints:\n  j0: {revolute: [ground, b0.top]}\n");
    for (int i = 1; i < N; i++) fprintf(f, "  j%d: {revolute: [b%d.foot, b%d.top]}\n", i, i - 1, i);
    return fclose(f) == 0;
}

/* Energies above the rest position, averaged over a period at the beginning and `periods` later: the decay a
 * step, as ϱ. */
static double measured_root(const char *path, double rho, double h, int per_period, int periods)
{
    char method[64];
    snprintf(method, sizeof method, "generalized-alpha:rho=%.17g", rho);
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_model_load(path, NULL, 0, diag);
    vgSimulation sim = {0};
    vgChannels *channels = NULL;
    vgDials dials = {"planar", "index3", method};
    const char *name = "energy.total";
    CHECK(model != NULL);
    CHECK_INT(vg_simulation_open(model, &dials, diag, &sim), VG_OK);
    CHECK_INT(vg_channels_new(sim.sys, &name, 1, diag, &channels), VG_OK);
    double rest = -MASS * G * LENGTH * N * N / 2, first = 0, last = 0;
    int skip = 5 * per_period, gap = periods * per_period;
    sim.it->step_hint = h;
    vg_work_bind(sim.it->work, sim.state);
    CHECK_INT(sim.it->row->start(sim.it, sim.state), VG_OK);
    for (int n = 0; n < skip + gap + per_period; n++) {
        double energy;
        CHECK_INT(vg_integrator_advance(sim.it, sim.state, h), VG_OK);
        vg_work_accept(sim.sys, sim.it->work, sim.state);
        vg_channels_eval(channels, sim.it->work, sim.state, &energy);
        if (n >= skip && n < skip + per_period) first += energy - rest;
        if (n >= skip + gap) last += energy - rest;
    }
    vg_channels_free(channels);
    vg_simulation_close(&sim);
    vg_model_free(model);
    vg_diag_free(diag);
    return pow(last / first, 0.5 / gap);
}

TEST(energy_falls_as_the_method_dissipates)
{
    char path[] = "chain-dissipation.yaml";
    double omega2[N], modes[N * N];
    static const struct {
        int mode, per_period;
        double rho;
    } cases[] = {{0, 16, 0.9}, {3, 16, 0.8}, {9, 12, 0.9}, {9, 24, 0.5}};
    natural_modes(omega2, modes);
    for (int k = 0; k < 4; k++) {
        double rate[N], most = 0, *shape = modes + cases[k].mode * N, omega = sqrt(omega2[cases[k].mode]);
        for (int i = 0; i < N; i++) most = fmax(most, fabs(shape[i]));
        for (int i = 0; i < N; i++) rate[i] = 1e-3 * omega * shape[i] / most; /* swings of 1e-3 rad */
        CHECK(write_model(path, rate));
        double h = 2 * acos(-1) / omega / cases[k].per_period;
        double expected = principal_root(omega * h, cases[k].rho);
        double got = measured_root(path, cases[k].rho, h, cases[k].per_period, 20);
        CHECK(1 - expected > 1e-6); /* there is something to compare */
        CHECK_NEAR((1 - got) / (1 - expected), 1, 0.01);
    }
    remove(path);
}

TEST_MAIN(energy_falls_as_the_method_dissipates)

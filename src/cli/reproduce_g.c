/* [G] chapter 7: figure 7.1, table 7.4, problems 7/1–7/5. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/reproduce.h"

/* Spectral radii of the structural methods over h/T. */
static void radii(vgExhibit *ex)
{
    enum { N = 81, METHODS = 6 };
    static const struct {
        const char *label, *integrator;
        double end; /* spectral radius far out, NaN: not of interest */
    } m[METHODS] = {{"trapezoidal", "trapezoidal", 1},
                    {"Newmark γ = 0.6", "newmark:gamma=0.6,beta=0.3025", NAN},
                    {"HHT α = −0.3", "hht:alpha=-0.3", NAN},
                    {"Wilson θ = 1.4", "wilson-theta:theta=1.4", NAN},
                    {"backward differences, order 2", "bdf2", 0},
                    {"generalized-α ρ∞ = 0.5", "generalized-alpha:rho=0.5", 0.5}};
    static double x[N], y[METHODS][N];
    vgSeries s[METHODS];
    for (int i = 0; i < METHODS; i++) {
        vgDiag *diag = vg_diag_new();
        vgSpectrum *sp = NULL;
        double most = 0;
        vgStatus st = vg_spectrum_open(m[i].integrator, 0, diag, &sp);
        for (int k = 0; st == VG_OK && k < N; k++) {
            vgSpectrumPoint p;
            double at = 1e-2 * pow(10, k * 5. / (N - 1));
            st = vg_spectrum_at(sp, 2 * acos(-1) * at, &p);
            y[i][k] = st == VG_OK ? p.radius : NAN;
            x[k] = at;
            most = fmax(most, y[i][k]);
        }
        s[i] = (vgSeries){.label = m[i].label, .n = N, .x = x, .y = y[i], .stride = 1};
        vg_exhibit_find(
            ex, st == VG_OK && most < 1 + 1e-9 && (isnan(m[i].end) || fabs(y[i][N - 1] - m[i].end) < 1e-2),
            "%s: unconditionally stable, spectral radius %.3f far out", m[i].label, y[i][N - 1]);
        vg_spectrum_close(sp);
        vg_diag_free(diag);
    }
    vgPlot p = {.title = "spectral radius", .x_label = "h/T", .log_x = 1, .nseries = METHODS, .series = s};
    vg_exhibit_plot(ex, &p);
}

static void stiff_pendulum(vgExhibit *ex)
{
    static const char *const ks[] = {"0", "100", "1e4", "1e6", "1e8"};
    /* [G] table 7.4, seconds then: trapezoidal, DE */
    static const double paper[5][2] = {{14.6, 11.2}, {17.2, 14.2}, {14.7, 18.0}, {12.1, 48.4}, {9.2, 342.6}};
    double it[5], work[5];
    int failed[5] = {0};
    vg_exhibit_head(ex, "k|trapezoidal: iterations a step|energy error|seconds|Adams: accelerations|energy "
                        "error|seconds|paper, "
                        "s: trapezoidal|DE");
    for (int i = 0; i < 5; i++) {
        char set[24];
        snprintf(set, sizeof set, "k=%s", ks[i]);
        vgHistory h[2];
        double drift[2] = {0};
        for (int m = 0; m < 2; m++) {
            vgAsk ask = {.model = "double-pendulum",
                         .set = {set},
                         .coordinates = "relative",
                         .integrator = m ? "adams:rtol=1e-7,atol=1e-7" : "trapezoidal:predictor=-1",
                         .step = 1e-3,
                         .end = ex->quick || (m && i == 4) ? 2 : 20,
                         .interval = 0.01,
                         .channel = {"energy.total"}};
            vg_exhibit_run(ex, &ask, &h[m]);
            for (long k = 0; k < h[m].n; k++)
                drift[m] = fmax(drift[m], fabs(h[m].rows[2 * k + 1] - h[m].rows[1]));
        }
        double scale = 20 / (ex->quick ? 2 : 20), scale_adams = ex->quick || i == 4 ? 10 : 1;
        it[i] = h[0].status == VG_OK ? (double)h[0].run.stats.newton_iterations / (double)h[0].run.stats.steps
                                     : NAN;
        work[i] = (double)h[1].run.stats.accels * scale_adams;
        failed[i] = h[1].status != VG_OK;
        vg_exhibit_row(ex, "%s|%.2f|%.2g|%.3f|%.3g%s|%.2g|%.3f|%.1f|%.1f", ks[i], it[i], drift[0],
                       scale * h[0].run.solve_seconds, work[i], failed[i] ? " (failed)" : "", drift[1],
                       scale_adams * h[1].run.solve_seconds, paper[i][0], paper[i][1]);
        vg_history_free(&h[0]);
        vg_history_free(&h[1]);
    }
    vg_exhibit_foot(ex);
    vg_exhibit_find(ex, it[4] <= it[0] && it[4] <= it[1],
                    "the trapezoidal rule needs no more iterations with the stiffest spring: %.2f at k = "
                    "1e8, %.2f at 0, %.2f at "
                    "100",
                    it[4], it[0], it[1]);
    vg_exhibit_find(
        ex, failed[4] || work[4] > 5 * work[0],
        "the Adams method gets dearer: %.3g accelerations at k = 0, %.3g at 1e6, %.3g at 1e8 (20 s)", work[0],
        work[3], work[4]);
}

/* ÿ + y = 0 by the method's amplification: elongation and decay against closed forms. */
static void oscillator(vgExhibit *ex)
{
    static const struct {
        const char *label, *integrator;
        double gamma, beta, alpha;
    } m[] = {{"trapezoidal", "trapezoidal", 0.5, 0.25, 0},
             {"α-method, α = −0.1", "hht:alpha=-0.1", 0.6, 0.3025, -0.1},
             {"γ = 1, β = ½", "newmark:gamma=1,beta=0.5", 1, 0.5, 0}};
    double h = 0.1;
    vg_exhibit_head(ex, "method|decay a step, found|closed form|period elongation, found|closed form");
    for (int i = 0; i < 3; i++) {
        vgDiag *diag = vg_diag_new();
        vgSpectrum *s = NULL;
        vgSpectrumPoint p = {0};
        vgStatus st = vg_spectrum_open(m[i].integrator, 0, diag, &s);
        if (st == VG_OK) st = vg_spectrum_at(s, h, &p);
        /* Newmark: the roots of ζ² − (2 − A) ζ + (1 − B) with D = 1 + β h²,
         * A = h² (γ + ½)/D, B = h² (γ − ½)/D; the α-method to leading order in h: the same decay as γ_eff */
        double found = 1 - hypot(p.re, p.im), decay, elong;
        if (m[i].alpha == 0) {
            double d = 1 + m[i].beta * h * h, a = h * h * (m[i].gamma + 0.5) / d,
                   b = h * h * (m[i].gamma - 0.5) / d;
            double re = 1 - a / 2, mod2 = 1 - b;
            decay = 1 - sqrt(mod2);
            elong = h / atan2(sqrt(mod2 - re * re), re) - 1;
        } else { /* HHT: |ζ| = 1 − h⁴ α²(…)/…: by its characteristic polynomial, solved with Newton from
                    e^{ih} */
            double al = -m[i].alpha, be = m[i].beta, ga = m[i].gamma;
            double zr = cos(h), zi = sin(h);
            /* (1 + β h² (1−α)) ζ³ − … from q, v, a eliminated: determinant of the 3 × 3 recursion */
            for (int k = 0; k < 40; k++) {
                double c3 = 1 + be * h * h * (1 - al), w = h * h;
                double c2 = -2 + w * ((1 - al) * (0.5 + ga - 2 * be) + al * be);
                double c1 = 1 + w * ((1 - al) * (0.5 - ga + be) + al * (0.5 + ga - 2 * be));
                double c0 = w * al * (0.5 - ga + be);
                double r2 = zr * zr - zi * zi, i2 = 2 * zr * zi, r3 = r2 * zr - i2 * zi,
                       i3 = r2 * zi + i2 * zr;
                double fr = c3 * r3 + c2 * r2 + c1 * zr + c0, fi = c3 * i3 + c2 * i2 + c1 * zi;
                double gr = 3 * c3 * r2 + 2 * c2 * zr + c1, gi = 3 * c3 * i2 + 2 * c2 * zi,
                       g2 = gr * gr + gi * gi;
                zr -= (fr * gr + fi * gi) / g2;
                zi -= (fi * gr - fr * gi) / g2;
            }
            decay = 1 - hypot(zr, zi);
            elong = h / atan2(zi, zr) - 1;
        }
        vg_exhibit_row(ex, "%s|%.6g|%.6g|%.6g|%.6g", m[i].label, found, decay, p.elongation, elong);
        vg_exhibit_find(ex, st == VG_OK && fabs(found - decay) < 1e-9 && fabs(p.elongation - elong) < 1e-8,
                        "%s: decay a step %.3g, elongation %.3g, as the closed form says", m[i].label, found,
                        p.elongation);
        vg_spectrum_close(s);
        vg_diag_free(diag);
    }
    vg_exhibit_foot(ex);
}

/* The double pendulum with springs and dash pots: independent coordinates, penalties, multipliers. */
static void formulations(vgExhibit *ex)
{
    vgCurve c[] = {
        {.label = "joint angles, trapezoidal", .coordinates = "relative", .integrator = "trapezoidal"},
        {.label = "joint angles, Adams PECE", .coordinates = "relative", .integrator = "abm"},
        {.label = "points, penalty, trapezoidal",
         .coordinates = "natural",
         .constraints = "penalty:alpha=1e7",
         .integrator = "trapezoidal"},
        {.label = "points, multipliers, backward difference",
         .coordinates = "natural",
         .constraints = "index3",
         .integrator = "bdf1"},
    };
    static const double order[] = {2, 4, 2, 1};
    vgSweep s = {.model = "double-pendulum",
                 .set = {"k=100", "d=0.5", "rate=10"},
                 .end = 1,
                 .channel = {"joint.J1.angle", "joint.J2.angle"},
                 .limit = 60};
    for (int k = 0; k < 4; k++) s.step[s.nstep++] = 2e-3 * pow(2, -k);
    s.reference = "dop853:rtol=1e-12,atol=1e-12";
    s.ref_coordinates = "relative";
    if (!vg_exhibit_sweep(ex, &s, c, 4)) return;
    vg_exhibit_head(
        ex, "formulation|h = 2e-3: error|energy error, J|seconds|h = 2.5e-4: error|energy error, J|seconds");
    for (int i = 0; i < 4; i++)
        vg_exhibit_row(ex, "%s|%.2g|%.2g|%.3g|%.2g|%.2g|%.3g", c[i].label, c[i].error[0], c[i].energy_mean[0],
                       c[i].seconds[0], c[i].error[3], c[i].energy_mean[3], c[i].seconds[3]);
    vg_exhibit_foot(ex);
    vg_exhibit_curves(ex, "error of the joint angles at 1 s", "step, s", VG_CURVE(step), "relative error",
                      VG_CURVE(error), c, 4, s.nstep);
    for (int i = 0; i < 4; i++) {
        double slope = vg_curve_slope(&c[i], c[i].error, s.nstep, 1e-11, 1);
        vg_exhibit_find(ex, fabs(slope - order[i]) < 0.5, "%s: order %.2f (theory %g)%s%s", c[i].label, slope,
                        order[i], c[i].failed ? "; failed: " : "", c[i].failed ? c[i].why : "");
    }
    vg_exhibit_find(ex, c[2].error[3] < 1e-3,
                    "penalties of 1e7 give the motion of the joint angles: %.2g apart", c[2].error[3]);
    vg_exhibit_find(ex, c[0].seconds[3] < c[2].seconds[3] && c[0].seconds[3] < c[3].seconds[3],
                    "joint angles are the cheapest of the implicit ones: %.3g s against %.3g and %.3g s",
                    c[0].seconds[3], c[2].seconds[3], c[3].seconds[3]);
}

const vgExperiment vg_reproduce_g[] = {
    {"G7.1", "figure 7.1", "Spectral radii of the structural methods",
     "The methods are unconditionally stable; the trapezoidal rule does not damp, the others damp high "
     "frequencies.",
     NULL, radii},
    {"G-T7.4", "table 7.4", "Double pendulum with springs, h = 1e-3, 20 s",
     "With positions as unknowns the trapezoidal rule gets cheaper as the springs get stiffer, while the "
     "Adams method gets "
     "much dearer or does not get through.",
     "Newton starts from the last positions, as in [G]. Adams is a variable-order Adams method at 1e-7; with "
     "k = 1e8 it runs for 2 s and is counted ten times.",
     stiff_pendulum},
    {"G-P1", "problems 7/1, 7/2", "Oscillator by three methods, Δt = 0.1",
     "Trapezoidal rule, α-method (−0.1) and the backward difference of order 1 (γ = 1, β = ½): period "
     "elongation and "
     "amplitude decay.",
     "Found by running the integrators; the closed forms come from their characteristic polynomials.",
     oscillator},
    {"G-P3", "problems 7/3–7/5", "Double pendulum in three formulations",
     "The same motion from joint angles, from points with a penalty of 1e7 and from points with multipliers; "
     "energy errors "
     "and times as one table.",
     "The problems give no numbers. Both joints start with 10 rad/s, springs of 100 N m/rad, dash pots of "
     "0.5 N m s/rad.",
     formulations},
    {0},
};

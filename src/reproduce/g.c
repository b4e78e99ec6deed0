/* [G] chapter 7: figure 7.1, table 7.4, problems 7/1–7/5. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/reproduce.h"

/* Areas of absolute stability of the fourth-order methods, along rays from the origin of the plane of λh. */
static void areas(vgExhibit *ex)
{
    enum { RAYS = 72, METHODS = 4, MOST = 4 };
    /* where the negative real axis leaves the area: RK4 the real root of 1 + z/2 + z²/6 + z³/24; the Adams
     * formulas ρ(−1)/σ(−1); the predictor-corrector has no such closed form here */
    static const struct {
        const char *label, *integrator;
        double real;
    } m[METHODS] = {{"Runge–Kutta", "rk4", 2.785293563405282},
                    {"Adams–Bashforth", "ab4", 0.3},
                    {"Adams–Moulton", "am4:solver=1", 3},
                    {"predictor-corrector", "abm", NAN}};
    static const double reach = 5;
    double x[METHODS][2 * RAYS + 2], y[METHODS][2 * RAYS + 2], found[METHODS], imaginary[METHODS];
    double crossing[(RAYS + 1) * MOST];
    int inside[RAYS + 1];
    vgSeries s[METHODS];
    for (int i = 0; i < METHODS; i++) {
        vgDiag *diag = vg_diag_new();
        int n = 0;
        vgStatus st = vg_spectrum_region(m[i].integrator, RAYS, reach, MOST, diag, crossing, inside);
        for (int k = 0; st == VG_OK && k <= RAYS; k++) {
            double r = crossing[k * MOST], angle = acos(-1) * k / RAYS;
            if (!inside[k] || isnan(r)) continue;
            x[i][n] = r * cos(angle);
            y[i][n++] = r * sin(angle);
        }
        for (int k = n - 1; k >= 0; k--) { /* and its mirror image */
            x[i][2 * n - 1 - k] = x[i][k];
            y[i][2 * n - 1 - k] = -y[i][k];
        }
        found[i] = st == VG_OK && inside[RAYS] ? crossing[RAYS * MOST] : NAN;
        imaginary[i] = st == VG_OK && inside[RAYS / 2] ? crossing[RAYS / 2 * MOST] : 0;
        s[i] = (vgSeries){.label = m[i].label, .n = 2 * n, .x = x[i], .y = y[i], .stride = 1};
        if (st != VG_OK)
            vg_exhibit_find(ex, 0, "%s: %s", m[i].label, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
        vg_diag_free(diag);
    }
    vgPlot p = {.title = "areas of absolute stability, order 4",
                .x_label = "Re λh",
                .y_label = "Im λh",
                .width = 620,
                .height = 560,
                .nseries = METHODS,
                .series = s};
    vg_exhibit_plot(ex, &p);
    for (int i = 0; i < 3; i++)
        vg_exhibit_find(
            ex, fabs(found[i] - m[i].real) < 1e-3,
            "%s: the area ends at −%.4f on the real axis (closed form −%.4f): conditionally stable",
            m[i].label, found[i], m[i].real);
    vg_exhibit_find(ex, fabs(imaginary[0] - sqrt(8)) < 1e-3,
                    "Runge–Kutta: at %.4f on the imaginary axis (closed form √8 = %.4f)", imaginary[0],
                    sqrt(8));
    vg_exhibit_find(ex, found[1] < found[0] && found[1] < found[2] && found[1] < found[3],
                    "Adams–Bashforth has by far the smallest area: %.2f against %.2f, %.2f and %.2f",
                    found[1], found[0], found[2], found[3]);
}

/* One row of table 7.4. */
typedef struct Stiff {
    const char *k1, *k2;
    double paper[4]; /* error and seconds: trapezoidal, DE; NaN: did not converge */
    double iterations, own, work, error[2], seconds[2]; /* own: iterations from the default's first guess */
    int failed;
} Stiff;

static void stiff_row(vgExhibit *ex, Stiff *row)
{
    char set[2][24];
    snprintf(set[0], sizeof set[0], "k1=%s", row->k1);
    snprintf(set[1], sizeof set[1], "k2=%s", row->k2);
    static const char *const method[] = {"trapezoidal:predictor=-1", "adams:rtol=1e-7,atol=1e-7",
                                         "trapezoidal"};
    int stiffest = strcmp(row->k2, "1e8") == 0;
    for (int m = 0; m < 3; m++) {
        double end = ex->quick || (m == 1 && stiffest) ? 2 : 20;
        vgAsk ask = {.model = "double-pendulum",
                     .set = {set[0], set[1]},
                     .coordinates = "relative",
                     .integrator = method[m],
                     .step = 1e-3,
                     .end = end,
                     .interval = 0.01,
                     .channel = {"energy.total"}};
        vgHistory h;
        vg_exhibit_run(ex, &ask, &h);
        double iterations =
            h.status == VG_OK ? (double)h.run.stats.newton_iterations / (double)h.run.stats.steps : NAN;
        if (m == 2) {
            row->own = iterations;
            vg_history_free(&h);
            break;
        }
        row->error[m] = h.status == VG_OK ? 0 : NAN;
        for (long k = 0; k < h.n; k++)
            row->error[m] = fmax(row->error[m], fabs(h.rows[2 * k + 1] / h.rows[1] - 1));
        row->seconds[m] = h.status == VG_OK ? 20 / end * h.run.solve_seconds : NAN;
        if (m == 0)
            row->iterations = iterations;
        else
            row->work = (double)h.run.stats.accels * 20 / end;
        if (m) row->failed = h.status != VG_OK;
        vg_history_free(&h);
    }
}

static void stiff_pendulum(vgExhibit *ex)
{
    Stiff row[] = {{.k1 = "0", .k2 = "0", .paper = {4.6e-4, 3.4e-5, 14.6, 11.2}},
                   {.k1 = "100", .k2 = "100", .paper = {2.7e-3, 7.3e-5, 17.2, 14.2}},
                   {.k1 = "1e4", .k2 = "1e4", .paper = {2.3e-3, 3.8e-5, 14.7, 18.0}},
                   {.k1 = "1e6", .k2 = "1e6", .paper = {1.2e-3, 2.0e-5, 12.1, 48.4}},
                   {.k1 = "1e8", .k2 = "1e8", .paper = {7.7e-5, 4.9e-5, 9.2, 342.6}},
                   {.k1 = "0", .k2 = "100", .paper = {4.0e-4, 1.7e-5, 14.2, 10.9}},
                   {.k1 = "0", .k2 = "1e4", .paper = {6.0e-5, 6.0e-5, 14.0, 12.1}},
                   {.k1 = "0", .k2 = "1e6", .paper = {1.0e-3, 3.5e-2, 11.7, 47.3}},
                   {.k1 = "0", .k2 = "1e8", .paper = {3.7e-5, NAN, 8.8, NAN}}};
    enum { ROWS = sizeof row / sizeof row[0] };
    vg_exhibit_head(ex, "k₁|k₂|trapezoidal: energy error|paper|iterations a step|from the default's "
                        "guess|seconds|paper, s|Adams: energy "
                        "error|paper (DE)|accelerations|seconds|paper, s");
    for (int i = 0; i < ROWS; i++) {
        Stiff *r = &row[i];
        stiff_row(ex, r);
        vg_exhibit_row(ex, "%s|%s|%.2g|%.2g|%.2f|%.2f|%.3f|%.1f|%.2g|%.2g|%.3g%s|%.3f|%.1f", r->k1, r->k2,
                       r->error[0], r->paper[0], r->iterations, r->own, r->seconds[0], r->paper[2],
                       r->error[1], r->paper[1], r->work, r->failed ? " (stopped)" : "", r->seconds[1],
                       r->paper[3]);
    }
    vg_exhibit_foot(ex);
    int near = 0;
    char far_off[100] = "";
    for (int i = 0; i < ROWS; i++) {
        int in = row[i].error[0] < 10 * row[i].paper[0] && row[i].error[0] > 0.1 * row[i].paper[0];
        near += in;
        size_t used = strlen(far_off);
        if (!in)
            snprintf(far_off + used, sizeof far_off - used, "%s%s, %s", used ? "; " : "; not k = ", row[i].k1,
                     row[i].k2);
    }
    int ok = vg_exhibit_find(
        ex, near == ROWS,
        "energy errors of the trapezoidal rule within a factor of ten of the paper's in %d of %d rows%s",
        near, (int)ROWS, far_off);
    vg_exhibit_why(ex, ok,
                   "with weak springs the motion is chaotic, so the largest error in 20 s depends on the "
                   "last digits; with k₁ = 0 "
                   "it is about 1e-3 here in every row, in the paper between 4e-5 and 1e-3");
    for (int f = 0; f < 2; f++) { /* both springs; the second alone */
        const Stiff *soft = &row[f ? 5 : 0], *mid = &row[f ? 7 : 3], *hard = &row[f ? 8 : 4];
        vg_exhibit_find(ex, hard->iterations < soft->iterations && hard->iterations < mid->iterations,
                        "k₁ = %s: the trapezoidal rule gets cheaper as springs stiffen: %.2f iterations a "
                        "step, %.2f at 1e6, %.2f "
                        "at 1e8",
                        f ? "0" : "k₂", soft->iterations, mid->iterations, hard->iterations);
        vg_exhibit_find(
            ex, soft->own < 0.7 * soft->iterations && hard->own < 0.7 * soft->own,
            "k₁ = %s: the default's first guesses, extrapolated accelerations or the recurrence of the "
            "vibration, are better, and stiff springs are cheaper still: %.2f iterations without springs "
            "instead of %.2f; %.2f at 1e6, %.2f at 1e8",
            f ? "0" : "k₂", soft->own, soft->iterations, mid->own, hard->own);
        vg_exhibit_find(
            ex, (hard->failed || hard->work > 5 * soft->work) && mid->work > 2 * soft->work,
            "k₁ = %s: the Adams method gets dearer: %.3g accelerations, %.3g at 1e6, %.3g at 1e8%s",
            f ? "0" : "k₂", soft->work, mid->work, hard->work, hard->failed ? ", where it stops" : "");
        vg_exhibit_find(
            ex, mid->seconds[0] < mid->seconds[1] && (hard->failed || hard->seconds[0] < hard->seconds[1]),
            "k₁ = %s: with stiff springs the trapezoidal rule is the faster: %.3f s against %.3f s at 1e6, "
            "%.3f s "
            "against %.3f s at 1e8",
            f ? "0" : "k₂", mid->seconds[0], mid->seconds[1], hard->seconds[0], hard->seconds[1]);
    }
}

/* Problems 7/1 and 7/2 as they are asked: y(t) on [0, 10] by the three methods and the predictor-corrector.
 */
static void oscillator_motion(vgExhibit *ex)
{
    static const char model[] = "verge: 1\nplanar: true\nbodies:\n  wheel: {mass: 1, inertia: 1, angle: 1}\n"
                                "joints:\n  J: {revolute: [ground, wheel]}\n"
                                "forces:\n  spring: {torsion: J, stiffness: 1}\n"
                                "run: {coordinates: relative, step: 0.1, end: 10}\n";
    static const struct {
        const char *label, *integrator;
    } m[] = {{"trapezoidal", "trapezoidal"},
             {"α-method, α = −0.1", "hht:alpha=-0.1"},
             {"γ = 1, β = ½", "newmark:gamma=1,beta=0.5"},
             {"Adams–Bashforth–Moulton", "abm"}};
    vgHistory h[4];
    vgSeries s[5];
    double exact[2 * 101], error[4];
    for (int k = 0; k <= 100; k++) {
        exact[2 * k] = 0.1 * k;
        exact[2 * k + 1] = cos(0.1 * k);
    }
    for (int i = 0; i < 4; i++) {
        vgAsk ask = {.model = model,
                     .integrator = m[i].integrator,
                     .step = 0.1,
                     .end = 10,
                     .channel = {"joint.J.angle"}};
        vg_exhibit_run(ex, &ask, &h[i]);
        s[i] = vg_history_series(&h[i], 0, m[i].label);
        error[i] = h[i].status == VG_OK ? 0 : NAN;
        for (long k = 0; k < h[i].n; k++)
            error[i] = fmax(error[i], fabs(h[i].rows[2 * k + 1] - cos(h[i].rows[2 * k])));
    }
    s[4] = (vgSeries){.label = "exact", .n = 101, .x = exact, .y = exact + 1, .stride = 2};
    vgPlot p = {.title = "y(t), Δt = 0.1", .x_label = "t", .y_label = "y", .nseries = 5, .series = s};
    vg_exhibit_plot(ex, &p);
    vg_exhibit_find(ex, error[3] < 0.1 * error[0] && error[0] < error[1] && error[1] < error[2],
                    "largest error on [0, 10]: predictor-corrector %.2g, trapezoidal %.2g, α-method %.2g, "
                    "backward difference %.2g",
                    error[3], error[0], error[1], error[2]);
    for (int i = 0; i < 4; i++) vg_history_free(&h[i]);
}

/* ÿ + y = 0 by the method's amplification: elongation and decay against closed forms. */
static void oscillator(vgExhibit *ex)
{
    oscillator_motion(ex);
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
    {"G7.1", "figure 7.1", "Areas of absolute stability of fourth-order methods",
     "Explicit Runge–Kutta, Adams–Bashforth and Adams–Moulton of order 4 are stable in a bounded area only; "
     "the explicit "
     "Adams formula's is the smallest.",
     "Found by running the methods on ẏ = λy. The predictor-corrector of the same section is drawn too.",
     areas, 1},
    {"G-T7.4", "table 7.4", "Double pendulum with springs, h = 1e-3, 20 s",
     "With positions as unknowns the trapezoidal rule gets cheaper as the springs get stiffer, while the "
     "Adams method gets "
     "much dearer or does not get through.",
     "Newton starts from the last positions (predictor=-1), and beside that from the default's guess. Adams "
     "is a variable-order Adams method at 1e-7; with "
     "1e8 it runs for "
     "2 s and is counted ten times. Errors are relative to the energy at the start, 5e4 J.",
     stiff_pendulum, 5},
    {"G-P1", "problems 7/1, 7/2", "Oscillator by four methods, Δt = 0.1",
     "Trapezoidal rule, α-method (−0.1) and the backward difference of order 1 (γ = 1, β = ½): period "
     "elongation and amplitude "
     "decay; the Adams–Bashforth–Moulton predictor-corrector beside them.",
     "The problems give no numbers. The closed forms come from the methods' characteristic polynomials.",
     oscillator, 1},
    {"G-P3", "problems 7/3–7/5", "Double pendulum in three formulations",
     "The same motion from joint angles, from points with a penalty of 1e7 and from points with multipliers; "
     "energy errors "
     "and times as one table.",
     "The problems give no numbers. Both joints start with 10 rad/s, springs of 100 N m/rad, dash pots of "
     "0.5 N m s/rad.",
     formulations, 1},
    {0},
};

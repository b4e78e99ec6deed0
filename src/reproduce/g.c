/* [G] chapter 7: figure 7.1, table 7.4, problems 7/1–7/5. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/reproduce.h"

/* The joint angles of a tree: no constraints are left. */
#define IN_ANGLES .coordinates = "relative", .constraints = "index1"

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
        vg_exhibit_command(ex, "verge spectrum %s --region --reach %g", m[i].integrator, reach);
        vg_exhibit_method(ex, m[i].integrator);
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
    vg_exhibit_paper(ex, "the explicit Adams formula's area is the smallest");
    vg_exhibit_find(ex,
                    vg_less(found[1], found[0]) && vg_less(found[1], found[2]) && vg_less(found[1], found[3]),
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
                     IN_ANGLES,
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
            row->error[m] = vg_upper(row->error[m], fabs(h.rows[2 * k + 1] / h.rows[1] - 1));
        row->seconds[m] = h.status == VG_OK ? 20 / end * h.run.solve_seconds : NAN;
        if (m == 0)
            row->iterations = iterations;
        else
            row->work = (double)h.run.stats.accels * 20 / end;
        if (m) row->failed = h.status != VG_OK;
        vg_history_free(&h);
    }
}

/* The rule's energy error with half the step: a quarter of the error, if it is the method's own. */
static double at_half(vgExhibit *ex, const Stiff *row)
{
    char set[2][24];
    snprintf(set[0], sizeof set[0], "k1=%s", row->k1);
    snprintf(set[1], sizeof set[1], "k2=%s", row->k2);
    vgAsk ask = {.model = "double-pendulum",
                 .set = {set[0], set[1]},
                 IN_ANGLES,
                 .integrator = "trapezoidal:predictor=-1",
                 .step = 5e-4,
                 .end = ex->quick ? 2 : 20,
                 .interval = 0.01,
                 .channel = {"energy.total"}};
    vgHistory h;
    vg_exhibit_run(ex, &ask, &h);
    double most = h.status == VG_OK ? 0 : NAN;
    for (long k = 0; k < h.n; k++) most = vg_upper(most, fabs(h.rows[2 * k + 1] / h.rows[1] - 1));
    vg_history_free(&h);
    return most;
}

/* The trapezoidal rule against Adams with stiff springs: 1e6, runs in turn. */
static void stiff_times(vgExhibit *ex)
{
    for (int f = 0; f < 2; f++) {
        vgAsk ask[2];
        vgRace race;
        for (int m = 0; m < 2; m++)
            ask[m] = (vgAsk){.model = "double-pendulum",
                             .set = {f ? "k1=0" : "k1=1e6", "k2=1e6"},
                             IN_ANGLES,
                             .integrator = m ? "adams:rtol=1e-7,atol=1e-7" : "trapezoidal:predictor=-1",
                             .step = 1e-3,
                             .end = 2,
                             .interval = 2};
        vg_exhibit_race(ex, ask, 2, &race);
        vg_exhibit_paper(ex, "%.2f", f ? 11.7 / 47.3 : 12.1 / 48.4);
        vg_exhibit_faster(ex, &race, 0, 1, 1,
                          f ? "k₁ = 0, k₂ = 1e6: the trapezoidal rule against Adams"
                            : "k₁ = k₂ = 1e6: the trapezoidal rule against Adams");
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
    vg_exhibit_head(ex,
                    "k₁|k₂|trapezoidal: energy error|paper|iterations a step|from the default's "
                    "guess|seconds|paper, s|Adams: energy error|paper (DE)|accelerations|seconds|paper, s");
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
    char far_off[100] = "", why[400] = "";
    for (int i = 0; i < ROWS; i++) {
        int in = row[i].error[0] < 10 * row[i].paper[0] && row[i].error[0] > 0.1 * row[i].paper[0];
        near += in;
        size_t used = strlen(far_off);
        if (!in)
            snprintf(far_off + used, sizeof far_off - used, "%s%s, %s", used ? "; " : "; not k = ", row[i].k1,
                     row[i].k2);
        used = strlen(why);
        if (!in)
            snprintf(why + used, sizeof why - used,
                     "%sk = %s, %s: %.1e here, %.1e with half the step, %.1e in the paper", used ? "; " : "",
                     row[i].k1, row[i].k2, row[i].error[0], at_half(ex, &row[i]), row[i].paper[0]);
    }
    vg_exhibit_paper(ex, "column of table 7.4");
    int ok = vg_exhibit_find(
        ex, near == ROWS,
        "energy errors of the trapezoidal rule within a factor of ten of the paper's in %d of %d rows%s",
        near, (int)ROWS, far_off);
    vg_exhibit_why(ex, ok, "%s", why);
    for (int f = 0; f < 2; f++) { /* both springs; the second alone */
        const Stiff *soft = &row[f ? 5 : 0], *mid = &row[f ? 7 : 3], *hard = &row[f ? 8 : 4];
        vg_exhibit_paper(ex, "%.1f, %.1f, %.1f s: faster as the system gets stiffer", soft->paper[2],
                         mid->paper[2], hard->paper[2]);
        vg_exhibit_find(ex,
                        vg_less(hard->iterations, soft->iterations) &&
                            vg_less(hard->iterations, mid->iterations) && hard->iterations >= 1,
                        "k₁ = %s: the trapezoidal rule gets cheaper as springs stiffen: %.2f iterations a "
                        "step, %.2f at 1e6, %.2f at 1e8",
                        f ? "0" : "k₂", soft->iterations, mid->iterations, hard->iterations);
        vg_exhibit_find(ex,
                        vg_less(soft->own, 0.7 * soft->iterations) && vg_less(hard->own, 0.7 * soft->own) &&
                            hard->own >= 1,
                        "k₁ = %s: the default's first guesses, extrapolated accelerations or the recurrence "
                        "of the vibration, are better, and stiff springs are cheaper still: %.2f iterations "
                        "without springs instead of %.2f; %.2f at 1e6, %.2f at 1e8",
                        f ? "0" : "k₂", soft->own, soft->iterations, mid->own, hard->own);
        vg_exhibit_paper(ex, "DE: %.1f s, %.1f s, %s", soft->paper[3], mid->paper[3],
                         isnan(hard->paper[3]) ? "does not converge" : "342.6 s");
        vg_exhibit_find(
            ex, (hard->failed || hard->work > 5 * soft->work) && mid->work > 2 * soft->work,
            "k₁ = %s: the Adams method gets dearer: %.3g accelerations, %.3g at 1e6, %.3g at 1e8%s",
            f ? "0" : "k₂", soft->work, mid->work, hard->work, hard->failed ? ", where it stops" : "");
    }
    stiff_times(ex);
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
                     .constraints = "index1",
                     .integrator = m[i].integrator,
                     .step = 0.1,
                     .end = 10,
                     .channel = {"joint.J.angle"}};
        vg_exhibit_run(ex, &ask, &h[i]);
        s[i] = vg_history_series(&h[i], 0, m[i].label);
        error[i] = h[i].status == VG_OK ? 0 : NAN;
        for (long k = 0; k < h[i].n; k++)
            error[i] = vg_upper(error[i], fabs(h[i].rows[2 * k + 1] - cos(h[i].rows[2 * k])));
    }
    s[4] = (vgSeries){.label = "exact", .n = 101, .x = exact, .y = exact + 1, .stride = 2};
    vgPlot p = {.title = "y(t), Δt = 0.1", .x_label = "t", .y_label = "y", .nseries = 5, .series = s};
    vg_exhibit_plot(ex, &p);
    vg_exhibit_find(
        ex, vg_less(error[3], 0.1 * error[0]) && vg_less(error[0], error[1]) && vg_less(error[1], error[2]),
        "largest error on [0, 10]: predictor-corrector %.2g, trapezoidal %.2g, α-method %.2g, backward "
        "difference %.2g",
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
        vg_exhibit_about(ex,
                         vg_exhibit_command(ex, "verge spectrum %s --from 0.01 --to 0.02", m[i].integrator));
        vg_exhibit_method(ex, m[i].integrator);
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

/* Problem 7/3: springs and dashpots of several values, the rule and the predictor-corrector in joint angles. */
static void springs(vgExhibit *ex)
{
    static const char *const k[] = {"k=1", "k=100", "k=1e4"}, *const d[] = {"d=0", "d=0.5", "d=5"};
    enum { VALUES = 3, STEPS = 4, QUARTER = 2 }; /* the stiff springs have the order from 2.5e-4 s on */
    int rule = 0, adams = 0, energy = 0, all = 0;
    char low[300] = "";
    vg_exhibit_head(
        ex, "springs, dashpots|h, s|trapezoidal: angles|energy|iterations a step|Adams PECE: angles|energy");
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++) {
            double off[2][2][STEPS], iterations[STEPS];
            vgSweep s = {.model = "double-pendulum",
                         .set = {k[i], d[j], "rate=10"},
                         .end = 1,
                         .limit = 60,
                         .ref_coordinates = "relative",
                         .ref_constraints = "index1",
                         .reference = "dop853:rtol=1e-12,atol=1e-12"};
            vg_sweep_halve(&s, 1e-3, STEPS);
            for (int e = 0; e < 2; e++) { /* angles, energy */
                vgCurve c[2] = {{.label = "trapezoidal", IN_ANGLES, .integrator = "trapezoidal"},
                                {.label = "Adams PECE", IN_ANGLES, .integrator = "abm"}};
                s.channel[0] = e ? "energy.total" : "joint.J1.angle";
                s.channel[1] = e ? NULL : "joint.J2.angle";
                if (!vg_exhibit_sweep(ex, &s, c, 2)) return;
                for (int m = 0; m < 2; m++) memcpy(off[m][e], c[m].error, sizeof off[m][e]);
                memcpy(iterations, c[0].iterations, sizeof iterations);
            }
            for (int n = 0; n <= QUARTER; n += QUARTER)
                vg_exhibit_row(ex, "%s, %s|%.3g|%.2g|%.2g|%.2f|%.2g|%.2g", k[i], d[j], s.step[n],
                               off[0][0][n], off[0][1][n], iterations[n], off[1][0][n], off[1][1][n]);
            all++;
            rule += fabs(log2(off[0][0][STEPS - 2] / off[0][0][STEPS - 1]) - 2) < 0.3;
            double found = log2(off[1][0][STEPS - 2] / off[1][0][STEPS - 1]);
            int fourth = found > 3.4 || off[1][0][STEPS - 1] < 1e-11;
            adams += fourth;
            size_t used = strlen(low);
            if (!fourth)
                snprintf(low + used, sizeof low - used, "%s%s, %s: order %.2f, error %.1e", used ? "; " : "",
                         k[i], d[j], found, off[1][0][STEPS - 1]);
            energy += off[0][1][QUARTER] < 0.1 * off[0][1][0] || off[0][1][QUARTER] < 1e-11;
        }
    vg_exhibit_foot(ex);
    ex->group = 1;
    vg_exhibit_find(ex, rule == all, "trapezoidal rule: order 2 of the angles in %d of %d cases", rule, all);
    int ok = vg_exhibit_find(ex, adams == all,
                             "predictor-corrector: order 3.4 or more between the last two steps, or an error "
                             "below 1e-11, in %d of %d cases",
                             adams, all);
    vg_exhibit_why(ex, ok, "%s", low);
    vg_exhibit_find(
        ex, energy == all,
        "energy errors of the rule fall at least tenfold with a quarter of the step in %d of %d cases",
        energy, all);
}

/* Problems 7/3–7/5: independent coordinates, penalties, multipliers. */
static void formulations(vgExhibit *ex)
{
    vgCurve c[] = {
        {.label = "joint angles, trapezoidal", IN_ANGLES, .integrator = "trapezoidal"},
        {.label = "joint angles, Adams PECE", IN_ANGLES, .integrator = "abm"},
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
    springs(ex);
    vg_sweep_halve(&s, 2e-3, 4);
    s.reference = "dop853:rtol=1e-12,atol=1e-12";
    s.ref_coordinates = "relative";
    s.ref_constraints = "index1";
    if (!vg_exhibit_sweep(ex, &s, c, 4)) return;
    vg_exhibit_head(ex, "formulation|h = 2e-3: error|energy error, J|h = 2.5e-4: error|energy error, J");
    for (int i = 0; i < 4; i++)
        vg_exhibit_row(ex, "%s|%.2g|%.2g|%.2g|%.2g", c[i].label, c[i].error[0], c[i].energy_mean[0],
                       c[i].error[3], c[i].energy_mean[3]);
    vg_exhibit_foot(ex);
    vg_exhibit_curves(ex, "error of the joint angles at 1 s", "step, s", VG_CURVE(step), "relative error",
                      VG_CURVE(error), c, 4, s.nstep);
    for (int i = 0; i < 4; i++) {
        double slope = vg_curve_slope(&c[i], c[i].error, s.nstep, 1e-11, 1);
        vg_exhibit_about_range(ex, c[i].command[0], c[i].command[s.nstep - 1]);
        vg_exhibit_find(ex, fabs(slope - order[i]) < 0.3, "%s: order %.2f (theory %g)%s%s", c[i].label, slope,
                        order[i], c[i].failed ? "; failed: " : "", c[i].failed ? c[i].why : "");
    }
    vg_exhibit_find(ex, c[2].error[3] < 1e-3,
                    "penalties of 1e7 give the motion of the joint angles: %.2g apart", c[2].error[3]);
    vgAsk ask[3];
    vgRace race;
    for (int i = 0; i < 3; i++) {
        const vgCurve *of = &c[i ? i + 1 : 0];
        ask[i] = (vgAsk){.model = s.model,
                         .set = {s.set[0], s.set[1], s.set[2]},
                         .coordinates = of->coordinates,
                         .constraints = of->constraints,
                         .integrator = of->integrator,
                         .step = 2.5e-4,
                         .end = 1,
                         .interval = 1};
    }
    vg_exhibit_race(ex, ask, 3, &race);
    vg_exhibit_faster(ex, &race, 0, 1, 1, "joint angles against points with a penalty");
    vg_exhibit_faster(ex, &race, 0, 2, 1, "joint angles against points with multipliers");
}

/* Example 7.1: ẏ + λy = 0 with a λ that falls from step to step. Of the trapezoidal rule
 * y₁/y₀ = (2 − λ₀h)/(2 + λ₁h), which exceeds 1 for h > 4/(λ₀ − λ₁). y is the rate of a wheel of unit inertia. */
static void falling(vgExhibit *ex)
{
    static const char model[] = "verge: 1\nplanar: true\nbodies:\n  wheel: {mass: 1, inertia: 1, omega: 1}\n"
                                "joints:\n  J: {revolute: [ground, wheel]}\n"
                                "forces:\n  brake: {joint-torque: J, value: \"-100*exp(-t/0.1)*v\"}\n"
                                "run: {coordinates: relative, step: 0.1, end: 0.1}\n";
    static const double share[] = {0.5, 0.9, 0.99, 1.01, 1.1, 2};
    enum { SHARES = 6 };
    double h = 0.05; /* 4/(λ₀ − λ₁) = h by Newton's iteration for 100 h (1 − exp(−10 h)) = 4 */
    for (int i = 0; i < 50; i++)
        h -= (100 * h * (1 - exp(-10 * h)) - 4) / (100 * (1 - exp(-10 * h)) + 1000 * h * exp(-10 * h));
    int grows = 0, right = 0, backward = 0;
    vg_exhibit_head(
        ex, "h over the critical step|trapezoidal rule: y₁/y₀|closed form|backward Euler: y₁/y₀|closed form");
    for (int k = 0; k < SHARES; k++) {
        double step = share[k] * h, last[2], l1 = 100 * exp(-10 * step);
        double exact[2] = {(2 - 100 * step) / (2 + l1 * step), 1 / (1 + l1 * step)};
        for (int m = 0; m < 2; m++) {
            vgAsk ask = {.model = model,
                         .constraints = "index1",
                         .integrator = m ? "bdf1" : "trapezoidal",
                         .step = step,
                         .end = step,
                         .channel = {"joint.J.rate"}};
            vgHistory run;
            vg_exhibit_run(ex, &ask, &run);
            last[m] = vg_history_clean(&run) ? run.last[0] : NAN;
            vg_history_free(&run);
        }
        vg_exhibit_row(ex, "%g|%.6f|%.6f|%.6f|%.6f", share[k], last[0], exact[0], last[1], exact[1]);
        grows += (fabs(last[0]) > 1) == (share[k] > 1);
        right += fabs(last[0] - exact[0]) < 1e-8;
        backward += fabs(last[1]) < 1 && fabs(last[1] - exact[1]) < 1e-8;
    }
    vg_exhibit_foot(ex);
    vg_exhibit_paper(ex, "stable for Δt < 4/(λₙ − λₙ₊₁)");
    vg_exhibit_find(ex, grows == SHARES,
                    "|y₁| exceeds |y₀| above the critical step of %.5f s and not below: %d of 6 steps", h,
                    grows);
    vg_exhibit_find(ex, right == SHARES, "y₁/y₀ is that of equation (iv): %d of 6 steps to 1e-8", right);
    vg_exhibit_find(ex, backward == SHARES, "backward Euler, held against it, decays at every step: %d of 6",
                    backward);
}

/* Section 7.1.5: the trapezoidal rule keeps the energy of linear systems and not of others; the energy as a constraint
 * (Hughes) keeps it. A mass on a spring of length 1, and for the linear case of length 0. */
static void constrained_energy(vgExhibit *ex)
{
    static const char model[] =
        "verge: 1\nplanar: true\nparameters: {length: 1}\ngravity: [0, -9.81]\n"
        "bodies:\n  p: {mass: 1, inertia: 0.1, position: [1.3, 0], velocity: [0, 3]}\n"
        "forces:\n  s: {spring: [ground, p], stiffness: 4000, length: length}\n"
        "run: {step: 0.005, end: 10}\n";
    static const char *const method[] = {"trapezoidal", "midpoint", "trapezoidal-energy"}, *const length[] = {
                                                                                               "length=0",
                                                                                               "length=1"};
    static const double step[] = {0.005, 0.01, 0.02};
    enum { METHODS = 3, STEPS = 3 };
    double off[2][METHODS][STEPS];
    vg_exhibit_head(ex, "spring|h, s (ωh)|trapezoidal rule: largest change of the energy, of that at the "
                        "start|midpoint rule|with the energy as a constraint");
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < STEPS; k++) {
            for (int m = 0; m < METHODS; m++) {
                vgAsk ask = {.model = model,
                             .set = {length[l]},
                             .constraints = "index3",
                             .integrator = method[m],
                             .step = step[k],
                             .end = 10,
                             .channel = {"energy.total"}};
                vgHistory h;
                vg_exhibit_run(ex, &ask, &h);
                off[l][m][k] = h.status == VG_OK ? 0 : NAN;
                for (long i = 0; i < h.n; i++)
                    off[l][m][k] = vg_upper(off[l][m][k], fabs(h.rows[2 * i + 1] / h.rows[1] - 1));
                vg_history_free(&h);
            }
            vg_exhibit_row(ex, "%s|%g (%.2f)|%.1e|%.1e|%.1e", l ? "of length 1" : "of length 0, linear",
                           step[k], sqrt(4000) * step[k], off[l][0][k], off[l][1][k], off[l][2][k]);
        }
    vg_exhibit_foot(ex);
    vg_exhibit_paper(ex, "energy preserving for linear systems; not in the nonlinear regime");
    vg_exhibit_find(ex, vg_less(off[0][0][0], 1e-9) && vg_less(1e-3, off[1][0][0]),
                    "the rule at 0.005 s changes the energy by %.1e in the linear case, by %.1e in the other",
                    off[0][0][0], off[1][0][0]);
    vg_exhibit_paper(ex, "avoided by introducing the energy constraint");
    vg_exhibit_find(ex, vg_less(off[0][2][0], 1e-9) && vg_less(off[1][2][0], 1e-9),
                    "with the energy as a constraint by %.1e and %.1e", off[0][2][0], off[1][2][0]);
    int fourth = 0;
    for (int m = 0; m < 2; m++) fourth += vg_within(off[1][m][1] / off[1][m][0], 3, 6);
    vg_exhibit_find(ex, fourth == 2,
                    "from 0.01 s to 0.005 s the changes fall to %.2f with the rule and to %.2f with the "
                    "midpoint rule: second order",
                    off[1][0][0] / off[1][0][1], off[1][1][0] / off[1][1][1]);
    vg_exhibit_say(
        ex, "At 0.02 s, where ωh is %.2f, the constraint %s: the energy changes by up to %.1e of it.",
        sqrt(4000) * step[2], off[1][2][2] < 1e-9 ? "is met" : "is not met in every step", off[1][2][2]);
}

const vgExperiment vg_reproduce_g[] = {
    {"G7.1", "figure 7.1", "Areas of absolute stability of fourth-order methods",
     "Explicit Runge–Kutta, Adams–Bashforth and Adams–Moulton of order 4 are stable in a bounded area only; "
     "the explicit Adams formula's is the smallest.",
     "Found by running the methods on ẏ = λy. The predictor-corrector of the same section is drawn too.",
     areas, 1},
    {"G-T7.4", "table 7.4", "Double pendulum with springs, h = 1e-3, 20 s",
     "With positions as unknowns the trapezoidal rule gets cheaper as the springs get stiffer, while the "
     "Adams method gets much dearer or does not get through.",
     "Newton starts from the last positions (predictor=-1), and beside that from the default's guess. Adams "
     "is a variable-order Adams method at 1e-7; with 1e8 it runs for 2 s and is counted ten times. Errors "
     "are relative to the energy at the start, 5e4 J.",
     stiff_pendulum, 5},
    {"G-P1", "problems 7/1, 7/2", "Oscillator by four methods, Δt = 0.1",
     "Trapezoidal rule, α-method (−0.1) and the backward difference of order 1 (γ = 1, β = ½): period "
     "elongation and amplitude decay; the Adams–Bashforth–Moulton predictor-corrector beside them.",
     "The problems give no numbers. The closed forms come from the methods' characteristic polynomials.",
     oscillator, 1},
    {"G-E1", "example 7.1", "The trapezoidal rule where λ falls",
     "In a nonlinear setting the trapezoidal rule is conditionally stable where λ falls from step to step: "
     "for Δt < 4/(λₙ − λₙ₊₁).",
     "λ falls with time here, 100 exp(−10 t): what the example uses is the two values alone.", falling, 0},
    {"G-H", "section 7.1.5", "Energy as a constraint on the trapezoidal rule",
     "The trapezoidal rule keeps the energy of linear systems and not of others; introducing the energy "
     "constraint (Hughes) avoids that, and so does the midpoint rule's stability.",
     "The section has no example: a mass on a stiff spring, ω = 63 rad/s, for 10 s.", constrained_energy, 0},
    {"G-P3", "problems 7/3–7/5", "Double pendulum in three formulations",
     "The same motion from joint angles with springs and dashpots of several values, from points with a "
     "penalty of 1e7 and from points with multipliers; energy errors and times.",
     "The problems give no numbers. Both joints start with 10 rad/s. Problem 7/3 with springs of 1, 100 and "
     "1e4 N m/rad and dashpots of 0, 0.5 and 5 N m s/rad; 7/4 and 7/5 with 100 N m/rad and 0.5 N m s/rad.",
     formulations, 1},
    {0},
};

/* [Z] section 4: the methods on the test oscillator, by running them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/reproduce.h"

enum { POINTS = 121, MOST = 16 };

typedef struct Line { /* against Δt/(nT) = ωh/(2πn) */
    const char *label, *integrator;
    double x[POINTS], radius[POINTS];
    /* [Z] (22) in percent: ξ̄ and ω/ω̄ − 1, where the root is exp(−ξ̄ω̄h ± iω̄h √(1 − ξ̄²)) */
    double decay[POINTS], elongation[POINTS];
    double order; /* log₂ of the ratio of the root's errors at NEAR and at half of it, less 1 */
    double far;   /* limit of the spectral radius for ωh → ∞ */
    int good, command;
} Line;

static const double NEAR = 0.005; /* Δt/(nT) at which orders show: above rounding, below higher terms */

/* |root − exp(iωh)| at Δt/(nT) = x. */
static double root_error(vgSpectrum *s, int n, double x)
{
    double wh = 2 * acos(-1) * n * x;
    vgSpectrumPoint p = {0};
    if (vg_spectrum_at(s, wh, &p) != VG_OK) return NAN;
    return hypot(p.re - cos(wh), fabs(p.im) - fabs(sin(wh)));
}

static void trace(vgExhibit *ex, Line *l)
{
    const double pi = acos(-1);
    int n = vg_method_stages(l->integrator);
    vgDiag *diag = vg_diag_new();
    vgSpectrum *s = NULL;
    l->command =
        vg_exhibit_command(ex, "verge spectrum %s --from 1e-3 --to 1e3 --points %d", l->integrator, POINTS);
    vg_exhibit_method(ex, l->integrator);
    vgStatus status = vg_spectrum_open(l->integrator, 0, diag, &s);
    if (status == VG_OK) {
        double small = root_error(s, n, 0.5 * NEAR), large = root_error(s, n, NEAR);
        l->order = log2(large / small) - 1;
    }
    vg_spectrum_close(s);
    s = NULL;
    if (status == VG_OK) status = vg_spectrum_open(l->integrator, 0, diag, &s);
    for (int i = 0; status == VG_OK && i < POINTS; i++) {
        vgSpectrumPoint p;
        l->x[i] = 1e-3 * pow(10, i * 6. / (POINTS - 1)); /* 1e-3 … 1e3 */
        status = vg_spectrum_at(s, 2 * pi * n * l->x[i], &p);
        l->radius[i] = p.radius;
        l->decay[i] = 100 * p.damping_ratio;
        l->elongation[i] = 100 * p.undamped_elongation;
    }
    l->far = status == VG_OK ? vg_spectrum_infinity(s) : NAN;
    l->good = status == VG_OK;
    vg_exhibit_about(ex, l->command);
    if (!l->good)
        vg_exhibit_find(ex, 0, "%s has no spectrum: %s", l->label,
                        vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
    ex->about = 0;
    vg_spectrum_close(s);
    vg_diag_free(diag);
}

/* Linear interpolation in log x; NaN outside. */
static double at(const Line *l, const double *y, double x)
{
    for (int i = 1; i < POINTS; i++)
        if (l->x[i] >= x) {
            double w = log(x / l->x[i - 1]) / log(l->x[i] / l->x[i - 1]);
            return y[i - 1] + w * (y[i] - y[i - 1]);
        }
    return NAN;
}

/* Least and greatest of y where low ≤ x ≤ high. */
static double extreme(const Line *l, const double *y, double low, double high, int greatest)
{
    double found = greatest ? -INFINITY : INFINITY;
    for (int i = 0; i < POINTS; i++)
        if (l->x[i] >= low && l->x[i] <= high)
            found = greatest ? vg_upper(found, y[i]) : vg_lower(found, y[i]);
    return found;
}

static void draw(vgExhibit *ex, const Line *line, int n, const char *title)
{
    vgSeries s[3][MOST];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            const double *y = k == 0 ? line[i].decay : k == 1 ? line[i].elongation : line[i].radius;
            int count = k == 2 ? POINTS : 0;
            while (k < 2 && count < POINTS && line[i].x[count] <= 0.2) count++;
            s[k][i] = (vgSeries){.label = line[i].label, .n = count, .x = line[i].x, .y = y, .stride = 1};
        }
    vgPlot p[3] = {{.title = "amplitude decay ratio ξ̄", .x_label = "Δt/(nT)", .y_label = "%"},
                   {.title = "period elongation ω/ω̄ − 1", .x_label = "Δt/(nT)", .y_label = "%"},
                   {.title = "spectral radius", .x_label = "Δt/(nT)", .log_x = 1}};
    for (int k = 0; k < 3; k++) {
        p[k].nseries = n;
        p[k].series = s[k];
    }
    vg_exhibit_figure(ex, &(vgFigure){.title = title, .columns = 1, .nplot = 3, .plot = p, .one_legend = 1});
}

/* Radius far out, A-stability along the imaginary axis, order. */
static void limits(vgExhibit *ex, const Line *l, double rho, int order)
{
    double most = extreme(l, l->radius, 0, INFINITY, 1);
    vg_exhibit_about(ex, l->command);
    vg_exhibit_paper(ex, "A-stable, ρ∞ = %g", rho);
    vg_exhibit_find(ex, fabs(l->far - rho) < 1e-4 && most < 1 + 1e-9,
                    "%s: spectral radius %.6f far out, never above 1 (%.12f)", l->label, l->far, most);
    vg_exhibit_about(ex, l->command);
    vg_exhibit_paper(ex, "order %d", order);
    vg_exhibit_find(ex, fabs(l->order - order) < 0.15, "%s: order %.2f of the root at Δt/(nT) = %g", l->label,
                    l->order, NEAR);
}

static const char *const tunable_names[] = {"lms2", "lms3", "lms4", "bathe", "msstc3", "msstc4", "msstc5"};
enum { TUNABLE = 7, MULTISTEP = 3 };

/* More steps and stages, better accuracy; sub-steps filter earlier. */
static void tunable_order(vgExhibit *ex, const Line *line, double rho)
{
    double d[TUNABLE], e[TUNABLE], r[TUNABLE], x[TUNABLE], near = rho + 0.1 * (1 - rho);
    for (int i = 0; i < TUNABLE; i++) {
        d[i] = at(&line[i], line[i].decay, 0.1);
        e[i] = at(&line[i], line[i].elongation, 0.05);
        r[i] = extreme(&line[i], line[i].radius, 0, 0.1, 0);
        int k = 0; /* where the radius has come nine tenths of the way down to ρ∞ */
        while (k < POINTS && !(line[i].radius[k] <= near)) k++;
        x[i] = k < POINTS ? line[i].x[k] : NAN;
    }
    vg_exhibit_find(ex, vg_less(d[2], d[1]) && vg_less(d[1], d[0]),
                    "ρ∞ = %g: more steps, less decay at Δt/T = 0.1: LMS2 %.3g %%, LMS3 %.3g %%, LMS4 %.3g %%",
                    rho, d[0], d[1], d[2]);
    vg_exhibit_find(
        ex, vg_less(d[6], d[5]) && vg_less(d[5], d[4]) && vg_less(d[4], d[3]),
        "ρ∞ = %g: more sub-steps, less decay: Bathe %.3g %%, MSSTC(3) %.3g %%, (4) %.3g %%, (5) %.3g %%", rho,
        d[3], d[4], d[5], d[6]);
    vg_exhibit_find(ex,
                    vg_less(e[2], e[1]) && vg_less(e[1], e[0]) && vg_less(e[6], e[5]) &&
                        vg_less(e[5], e[4]) && vg_less(e[4], e[3]),
                    "ρ∞ = %g: and less elongation at 0.05: LMS2–4 %.3g, %.3g, %.3g %%; Bathe, MSSTC(3–5) "
                    "%.3g, %.3g, %.3g, %.3g %%",
                    rho, e[0], e[1], e[2], e[3], e[4], e[5], e[6]);
    double named = vg_lower(vg_lower(r[1], r[2]), vg_lower(r[4], vg_lower(r[5], r[6]))),
           others = vg_upper(r[0], r[3]);
    vg_exhibit_paper(ex, "very close to 1 for Δt/(nT) ≤ 0.1, especially LMS3, LMS4, MSSTC(3, 4, 5)");
    vg_exhibit_find(ex, vg_less(others, named),
                    "ρ∞ = %g: radius for Δt/(nT) ≤ 0.1 at least %.4f with LMS3, LMS4, MSSTC(3, 4, 5), %.4f "
                    "and %.4f with LMS2 and Bathe",
                    rho, named, r[0], r[3]);
    double late = 0, early = line[0].x[POINTS - 1]; /* steps may not have come down by the end */
    for (int i = 0; i < TUNABLE; i++) {
        if (i < MULTISTEP)
            early = isnan(x[i]) ? early : vg_lower(early, x[i]);
        else
            late = vg_upper(late, x[i]);
    }
    vg_exhibit_paper(ex, "sub-steps drop faster and earlier");
    vg_exhibit_find(ex, vg_less(late, early),
                    "ρ∞ = %g: nine tenths of the way down to ρ∞ by Δt/(nT) = %.2g with sub-steps, from %.2g "
                    "on with steps",
                    rho, late, early);
}

/* With ρ∞ = 1: the trapezoidal rule, whose elongation is known in closed form. */
static void tunable_one(vgExhibit *ex, const Line *line)
{
    double worst = 0, e = 0, exact = 100 * (0.05 * acos(-1) / atan(0.05 * acos(-1)) - 1);
    for (int i = 0; i < TUNABLE; i++) {
        double d = fabs(at(&line[i], line[i].decay, 0.1)),
               off = fabs(at(&line[i], line[i].elongation, 0.05) / exact - 1);
        worst = vg_upper(worst, d);
        e = vg_upper(e, off);
    }
    vg_exhibit_paper(ex, "all have the characteristics of the trapezoidal rule");
    vg_exhibit_find(ex, worst < 1e-6 && e < 3e-3,
                    "ρ∞ = 1 (LMS3, LMS4: 0.99, at 1 they are not zero-stable): decay below %.1g %%, "
                    "elongation that of the trapezoidal rule's closed form, %.3g %%, within %.1g of it",
                    worst, exact, e);
}

static void tunable(vgExhibit *ex)
{
    static const double rhos[] = {0, 0.6, 1};
    static Line none;
    Line line[TUNABLE];
    char text[TUNABLE][40], title[60];
    double decay[3][TUNABLE], elongation[3][TUNABLE];
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < TUNABLE; i++) {
            line[i] = none;
            double rho = rhos[r] == 1 && (i == 1 || i == 2) ? 0.99 : rhos[r];
            snprintf(text[i], sizeof text[i], "%s:rho=%g", tunable_names[i], rho);
            line[i].label = line[i].integrator = text[i];
            trace(ex, &line[i]);
            decay[r][i] = at(&line[i], line[i].decay, 0.1);
            elongation[r][i] = at(&line[i], line[i].elongation, 0.05);
        }
        snprintf(title, sizeof title, "ρ∞ = %g", rhos[r]);
        draw(ex, line, TUNABLE, title);
        for (int i = 0; i < TUNABLE; i++)
            limits(ex, &line[i], rhos[r] == 1 && (i == 1 || i == 2) ? 0.99 : rhos[r], 2);
        if (rhos[r] < 1)
            tunable_order(ex, line, rhos[r]);
        else
            tunable_one(ex, line);
    }
    int better = 0;
    for (int i = 0; i < TUNABLE; i++)
        better += vg_less(decay[1][i], decay[0][i]) && vg_less(elongation[1][i], elongation[0][i]);
    ex->group = 1; /* of all runs */
    vg_exhibit_find(ex, better == TUNABLE,
                    "less decay and less elongation with ρ∞ = 0.6 than with 0: %d of 7 methods", better);
}

static const struct {
    const char *label, *name;
    int order, tunable;
} higher_methods[] = {{"MSSTH(3)", "mssth3", 3, 1},
                      {"MSSTH(4)", "mssth4", 4, 1},
                      {"MSSTH(5)", "mssth5", 5, 1},
                      {"ESDIRK3(2)4L[2]SA", "esdirk324", 3, 0},
                      {"ESDIRK3(2)5L[2]SA", "esdirk325", 3, 0},
                      {"ESDIRK4(3)6L[2]SA₂", "esdirk436-2", 4, 0}};
enum { HIGHER = 6, M3 = 0, M4, M5, E324, E325, E436 };

static void higher_claims(vgExhibit *ex, const Line *line)
{
    double e[HIGHER], d[HIGHER];
    for (int i = 0; i < HIGHER; i++) {
        double least = extreme(&line[i], line[i].elongation, 0, 0.05, 0),
               most = extreme(&line[i], line[i].elongation, 0, 0.05, 1);
        e[i] = vg_upper(fabs(least), fabs(most));
        d[i] = at(&line[i], line[i].decay, 0.1);
    }
    double named = vg_upper(e[M5], vg_upper(e[E325], e[E436])),
           unnamed = vg_lower(e[M3], vg_lower(e[M4], e[E324]));
    vg_exhibit_paper(ex,
                     "very small with MSSTH(5), ESDIRK3(2)5L[2]SA, ESDIRK4(3)6L[2]SA₂ for Δt/(nT) ≤ 0.05");
    vg_exhibit_find(ex, vg_less(named, unnamed),
                    "largest |elongation| for Δt/(nT) ≤ 0.05: %.3g, %.3g, %.3g %% with those, %.3g, %.3g, "
                    "%.3g %% with MSSTH(3), MSSTH(4), ESDIRK3(2)4L[2]SA",
                    e[M5], e[E325], e[E436], e[M3], e[M4], e[E324]);
    double s[HIGHER];
    for (int i = 0; i < HIGHER; i++) s[i] = extreme(&line[i], line[i].elongation, 0, 0.05, 0);
    int alone = 1;
    for (int i = 0; i < HIGHER; i++) alone &= i == M4 || s[i] > -0.1;
    vg_exhibit_paper(ex, "MSSTH(4) shortens the period");
    int ok = vg_exhibit_find(
        ex, s[M4] < -0.1 && alone,
        "elongation for Δt/(nT) ≤ 0.05 goes down to %.3g %% with MSSTH(4), and to %.3g, %.3g, %.3g, %.3g, "
        "%.3g %% with MSSTH(3), (5) and the ESDIRKs: below −0.1 %% with MSSTH(4) alone",
        s[M4], s[M3], s[M5], s[E324], s[E325], s[E436]);
    vg_exhibit_why(ex, ok,
                   "with the undamped ω̄ of (22) a decay lengthens ω̄ and shortens the period that is counted");
    double same = 0, next = INFINITY;
    for (int i = 0; i < POINTS && line[M3].x[i] < 1; i++)
        same = vg_upper(same, fabs(line[M3].radius[i] - line[E324].radius[i]));
    for (int m = 0; m < HIGHER; m++) {
        double apart = 0;
        if (m == M3 || m == E324) continue;
        for (int i = 0; i < POINTS && line[m].x[i] < 1; i++)
            apart = vg_upper(apart, fabs(line[m].radius[i] - line[M3].radius[i]));
        next = vg_lower(next, apart);
    }
    vg_exhibit_paper(ex, "almost identical");
    vg_exhibit_find(ex, same < 1e-6 && vg_less(0.05, next),
                    "radii of MSSTH(3) and ESDIRK3(2)4L[2]SA differ by %.2g at most, those of MSSTH(3) and "
                    "any other by at least %.2g",
                    same, next);
    vg_exhibit_paper(ex, "excessive with MSSTH(3, 4, 5) and ESDIRK3(2)4L[2]SA");
    vg_exhibit_find(
        ex, vg_less(vg_upper(d[E325], d[E436]), vg_lower(vg_lower(d[M3], d[M4]), vg_lower(d[M5], d[E324]))),
        "decay ξ̄ at Δt/(nT) = 0.1: %.3g, %.3g, %.3g, %.3g %% with those, %.3g and %.3g %% with the other "
        "ESDIRKs",
        d[M3], d[M4], d[M5], d[E324], d[E325], d[E436]);
}

/* "Higher dispersion accuracy than the second-order methods": against the best of those with ρ∞ = 0. */
static void higher_against_second(vgExhibit *ex, const Line *line)
{
    static Line second[TUNABLE];
    char text[TUNABLE][40];
    double best = INFINITY;
    int better = 0;
    for (int i = 0; i < TUNABLE; i++) {
        snprintf(text[i], sizeof text[i], "%s:rho=0", tunable_names[i]);
        second[i] = (Line){.label = text[i], .integrator = text[i]};
        trace(ex, &second[i]);
        best = vg_lower(best, fabs(at(&second[i], second[i].elongation, 0.02)));
    }
    char not_better[200] = "";
    for (int i = 0; i < HIGHER; i++) {
        double e = fabs(at(&line[i], line[i].elongation, 0.02));
        better += vg_less(e, best);
        size_t used = strlen(not_better);
        if (!vg_less(e, best))
            snprintf(not_better + used, sizeof not_better - used, "%s%s (%.3g %%)", used ? ", " : "; not ",
                     line[i].label, e);
    }
    ex->group = 1;
    vg_exhibit_paper(ex, "the higher-order methods have the higher dispersion accuracy");
    vg_exhibit_find(ex, better == HIGHER,
                    "|elongation| at Δt/(nT) = 0.02 below the best of second order (%.3g %%): %d of 6%s",
                    best, better, not_better);
}

/* MSSTH(3, 4, 5) with ρ∞ from 0 to 1. */
static void higher_tuned(vgExhibit *ex)
{
    static const double rhos[] = {0, 0.2, 0.4, 0.6, 0.8, 1};
    enum { RHOS = 6 };
    static Line line[RHOS];
    char text[RHOS][40], title[40];
    for (int m = 0; m < 3; m++) {
        double d[RHOS], e[RHOS], low = NAN, where = NAN;
        int fewer_d = 0, fewer_e = 0;
        vg_exhibit_head(ex, "ρ∞|decay ξ̄ at 0.05, %|elongation at 0.05, %|least radius below Δt/(nT) = 100");
        for (int r = 0; r < RHOS; r++) {
            snprintf(text[r], sizeof text[r], "%s:rho=%g", higher_methods[m].name, rhos[r]);
            line[r] = (Line){.label = text[r], .integrator = text[r]};
            trace(ex, &line[r]);
            d[r] = at(&line[r], line[r].decay, 0.05);
            e[r] = fabs(at(&line[r], line[r].elongation, 0.05));
            fewer_d += r > 0 && vg_less(d[r], d[r - 1]);
            fewer_e += r > 0 && vg_less(e[r], e[r - 1]);
            vg_exhibit_row(ex, "%g|%.3g|%.3g|%.4f", rhos[r], d[r], e[r],
                           extreme(&line[r], line[r].radius, 0, 100, 0));
        }
        vg_exhibit_foot(ex);
        snprintf(title, sizeof title, "%s, ρ∞ from 0 to 1", higher_methods[m].label);
        draw(ex, line, RHOS, title);
        for (int r = 1; r < RHOS; r++) limits(ex, &line[r], rhos[r], higher_methods[m].order);
        vg_exhibit_paper(ex, "accuracy cannot be improved when ρ∞ increases");
        int ok = vg_exhibit_find(
            ex, fewer_d < RHOS - 1 || fewer_e < RHOS - 1,
            "%s: from one ρ∞ to the next greater the decay falls in %d and the elongation in %d of 5 cases; "
            "from ρ∞ = 0 to 1 they go from %.3g and %.3g %% to %.3g and %.3g %%",
            higher_methods[m].label, fewer_d, fewer_e, d[0], e[0], d[RHOS - 1], e[RHOS - 1]);
        int points = 0, less_d = 0, less_e = 0;
        for (int i = 0; i < POINTS; i++) {
            const Line *a = &line[0], *b = &line[RHOS - 1];
            if (a->x[i] > 0.2) continue;
            points++;
            less_d += vg_less(b->decay[i], a->decay[i]);
            less_e += vg_less(fabs(b->elongation[i]), fabs(a->elongation[i]));
        }
        vg_exhibit_why(ex, ok,
                       "of %d frequencies up to Δt/(nT) = 0.2 the decay with ρ∞ = 1 is below that with 0 at "
                       "%d, the elongation at %d; the least radius with ρ∞ = 1 is %.4f",
                       points, less_d, less_e, extreme(&line[RHOS - 1], line[RHOS - 1].radius, 0, 100, 0));
        for (int i = 0; i < POINTS; i++)
            if (isnan(low) || line[RHOS - 1].radius[i] < low)
                low = line[RHOS - 1].radius[i], where = line[RHOS - 1].x[i];
        vg_exhibit_paper(ex, "unexpected dissipation at intermediate frequencies with ρ∞ = 1");
        vg_exhibit_find(ex, low < 0.99 && where > 0.01 && where < 10,
                        "%s with ρ∞ = 1: the radius falls to %.4f at Δt/(nT) = %.2g; the second-order "
                        "methods have 1 everywhere",
                        higher_methods[m].label, low, where);
    }
}

static void higher(vgExhibit *ex)
{
    static Line line[HIGHER];
    char text[HIGHER][40];
    for (int i = 0; i < HIGHER; i++) {
        snprintf(text[i], sizeof text[i], "%s%s", higher_methods[i].name,
                 higher_methods[i].tunable ? ":rho=0" : "");
        line[i] = (Line){.label = higher_methods[i].label, .integrator = text[i]};
        trace(ex, &line[i]);
    }
    draw(ex, line, HIGHER, "ρ∞ = 0");
    for (int i = 0; i < HIGHER; i++) limits(ex, &line[i], 0, higher_methods[i].order);
    higher_claims(ex, line);
    higher_against_second(ex, line);
    higher_tuned(ex);
}

const vgExperiment vg_reproduce_z_linear[] = {
    {"Z2-4", "figures 2–4", "Decay, elongation and spectral radius of the tunable methods",
     "LMS2–4, ρ∞-Bathe and MSSTC(3, 4, 5) are A-stable and end at ρ∞. More steps or sub-steps and a larger "
     "ρ∞ make decay and elongation smaller; with ρ∞ = 1 all are the trapezoidal rule; the methods of several "
     "sub-steps filter high frequencies earlier than the multistep ones.",
     "Nothing is assumed about the formulas: the amplification matrix is measured from the integrator's own "
     "step. Decay and elongation are those of equation (22), with the undamped ω̄.",
     tunable, 1},
    {"Z5-7", "figures 5–7", "The same for the methods of higher order",
     "MSSTH(5), ESDIRK3(2)5L[2]SA and ESDIRK4(3)6L[2]SA₂ elongate the period very little, MSSTH(4) shortens "
     "it, MSSTH(3) is nearly ESDIRK3(2)4L[2]SA, and MSSTH(3, 4, 5) and ESDIRK3(2)4L[2]SA dissipate much at "
     "low frequencies. A larger ρ∞ does not make MSSTH(3, 4, 5) more accurate, and with ρ∞ = 1 they "
     "dissipate at intermediate frequencies.",
     "Misprints of the paper are set right: γ of MSSTH(3) in its table 7, and its equation (35i).", higher,
     1},
    {0},
};

/* [Z] section 4: the methods on the test oscillator, by running them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/reproduce.h"

enum { POINTS = 61, MOST = 16 };

typedef struct Line { /* against Δt/(nT) = ωh/(2πn) */
    const char *label, *integrator;
    double x[POINTS], radius[POINTS], decay[POINTS], elongation[POINTS]; /* decay and elongation in percent */
    double far;                                                          /* spectral radius at ωh = 1e12 */
    int good;
} Line;

static void trace(vgExhibit *ex, Line *l)
{
    const double pi = acos(-1);
    int n = vg_method_stages(l->integrator);
    vgDiag *diag = vg_diag_new();
    vgSpectrum *s = NULL;
    vgStatus status = vg_spectrum_open(l->integrator, 0, diag, &s);
    for (int i = 0; status == VG_OK && i < POINTS; i++) {
        vgSpectrumPoint p;
        l->x[i] = 1e-3 * pow(10, i * 6. / (POINTS - 1)); /* 1e-3 … 1e3 */
        status = vg_spectrum_at(s, 2 * pi * n * l->x[i], &p);
        l->radius[i] = p.radius;
        /* amplitude lost in a period; the period's change */
        l->decay[i] = 100 * (1 - exp(-2 * pi * p.decay));
        l->elongation[i] = 100 * p.elongation;
    }
    double re[64], im[64];
    int roots = status == VG_OK ? vg_spectrum_roots(s, 1e12, 64, re, im) : 0;
    for (int i = 0; i < roots && i < 64; i++) l->far = fmax(l->far, hypot(re[i], im[i]));
    l->good = status == VG_OK && roots > 0;
    if (!l->good)
        vg_exhibit_find(ex, 0, "%s has no spectrum: %s", l->label,
                        vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
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
    vgPlot p[3] = {{.title = "amplitude decay a period", .x_label = "Δt/(nT)", .y_label = "%"},
                   {.title = "period elongation", .x_label = "Δt/(nT)", .y_label = "%"},
                   {.title = "spectral radius", .x_label = "Δt/(nT)", .log_x = 1}};
    for (int k = 0; k < 3; k++) {
        p[k].nseries = n;
        p[k].series = s[k];
    }
    vg_exhibit_figure(ex, &(vgFigure){.title = title, .columns = 1, .nplot = 3, .plot = p, .one_legend = 1});
}

static void limits(vgExhibit *ex, const Line *l, double rho)
{
    double end = l->far, most = 0;
    for (int i = 0; i < POINTS; i++) most = fmax(most, l->radius[i]);
    vg_exhibit_find(ex, fabs(end - rho) < 1e-2 && most < 1 + 1e-9,
                    "%s: spectral radius %.4f far out (ρ∞ = %g), never above 1 (%.12f)", l->label, end, rho,
                    most);
}

static void tunable(vgExhibit *ex)
{
    static const double rhos[] = {0, 0.6, 1};
    static const char *const names[] = {"lms2", "lms3", "lms4", "bathe", "msstc3", "msstc4", "msstc5"};
    static Line none;
    Line line[7];
    char text[7][40];
    double decay[3][7];
    for (int r = 0; r < 3; r++) {
        char title[60];
        for (int i = 0; i < 7; i++) {
            line[i] = none;
            double rho = rhos[r] == 1 && (i == 1 || i == 2) ? 0.99 : rhos[r];
            snprintf(text[i], sizeof text[i], "%s:rho=%g", names[i], rho);
            line[i].label = line[i].integrator = text[i];
            trace(ex, &line[i]);
            limits(ex, &line[i], rho);
            decay[r][i] = at(&line[i], line[i].decay, 0.1);
        }
        snprintf(title, sizeof title, "ρ∞ = %g", rhos[r]);
        draw(ex, line, 7, title);
        if (rhos[r] < 1) {
            double e[7];
            for (int i = 0; i < 7; i++) e[i] = at(&line[i], line[i].elongation, 0.05);
            vg_exhibit_find(ex, decay[r][2] < decay[r][1] && decay[r][1] < decay[r][0],
                            "more steps, less decay at Δt/T = 0.1: LMS2 %.3g %%, LMS3 %.3g %%, LMS4 %.3g %%",
                            decay[r][0], decay[r][1], decay[r][2]);
            vg_exhibit_find(
                ex, decay[r][6] < decay[r][5] && decay[r][5] < decay[r][4] && decay[r][4] < decay[r][3],
                "more sub-steps, less decay: Bathe %.3g %%, MSSTC(3) %.3g %%, (4) %.3g %%, (5) %.3g %%",
                decay[r][3], decay[r][4], decay[r][5], decay[r][6]);
            vg_exhibit_find(
                ex, e[2] < e[1] && e[1] < e[0] && e[6] < e[5] && e[5] < e[4] && e[4] < e[3],
                "and less elongation at 0.05: LMS2–4 %.3g, %.3g, %.3g %%; Bathe, MSSTC(3–5) %.3g, %.3g, "
                "%.3g, %.3g %%",
                e[0], e[1], e[2], e[3], e[4], e[5], e[6]);
            /* where the radius has come nine tenths of the way down to ρ∞ */
            double x[7], near = rhos[r] + 0.1 * (1 - rhos[r]);
            for (int i = 0; i < 7; i++) {
                int k = 0;
                while (k < POINTS && line[i].radius[k] > near) k++;
                x[i] = k < POINTS ? line[i].x[k] : INFINITY;
            }
            double late = fmax(fmax(x[3], x[4]), fmax(x[5], x[6])), early = fmin(x[0], fmin(x[1], x[2]));
            vg_exhibit_find(
                ex, late < early,
                "sub-steps filter earlier than steps: nine tenths of the way down by Δt/(nT) = %.2g, "
                "multistep from %.2g on",
                late, early);
        } else {
            double worst = 0, e = 0;
            for (int i = 0; i < 7; i++) {
                worst = fmax(worst, fabs(decay[r][i]));
                double ee = at(&line[i], line[i].elongation, 0.05);
                double exact = 100 * (0.05 * 2 * acos(-1) / (2 * atan(0.05 * acos(-1))) - 1);
                e = fmax(e, fabs(ee / exact - 1));
            }
            vg_exhibit_find(
                ex, worst < 0.1 && e < 0.03,
                "ρ∞ = 1 (LMS3, LMS4: 0.99, at 1 they are not zero-stable): all seven are the trapezoidal "
                "rule, decay below %.1g %%, elongation that of its closed form within %.1g",
                worst, e);
        }
    }
    int better = 1;
    for (int i = 0; i < 7; i++) better &= decay[1][i] < decay[0][i];
    vg_exhibit_find(ex, better, "less decay with ρ∞ = 0.6 than with 0, for all seven");
}

static void higher(vgExhibit *ex)
{
    Line line[] = {{.label = "MSSTH(3)", .integrator = "mssth3:rho=0"},
                   {.label = "MSSTH(4)", .integrator = "mssth4:rho=0"},
                   {.label = "MSSTH(5)", .integrator = "mssth5:rho=0"},
                   {.label = "ESDIRK3(2)4L[2]SA", .integrator = "esdirk324"},
                   {.label = "ESDIRK3(2)5L[2]SA", .integrator = "esdirk325"},
                   {.label = "ESDIRK4(3)6L[2]SA₂", .integrator = "esdirk436-2"}};
    double e[6], d[6];
    for (int i = 0; i < 6; i++) {
        trace(ex, &line[i]);
        limits(ex, &line[i], 0);
        e[i] = at(&line[i], line[i].elongation, 0.05);
        d[i] = at(&line[i], line[i].decay, 0.1);
    }
    draw(ex, line, 6, "ρ∞ = 0");
    vg_exhibit_find(
        ex, fabs(e[2]) < 0.5 && fabs(e[4]) < 0.5 && fabs(e[5]) < 0.5,
        "elongation below 0.5 %% at 0.05: MSSTH(5) %.3g %%, ESDIRK3(2)5 %.3g %%, ESDIRK4(3)6 %.3g %%", e[2],
        e[4], e[5]);
    double shortest = 0, where = 0;
    for (int i = 0; i < POINTS && line[1].x[i] <= 0.2; i++)
        if (line[1].elongation[i] < shortest) {
            shortest = line[1].elongation[i];
            where = line[1].x[i];
        }
    vg_exhibit_find(ex, shortest < 0,
                    "MSSTH(4) shortens the period: by %.3g %% at %.2g; at 0.05 it is %+.3g %%", -shortest,
                    where, e[1]);
    double apart = 0;
    for (int i = 0; i < POINTS && line[0].x[i] < 1; i++)
        apart = fmax(apart, fabs(line[0].radius[i] - line[3].radius[i]));
    vg_exhibit_find(ex, apart < 0.05,
                    "MSSTH(3) and ESDIRK3(2)4L[2]SA are almost the same: radii differ by %.2g at most",
                    apart);
    vg_exhibit_find(ex, fmin(fmin(d[0], d[1]), fmin(d[2], d[3])) > fmax(d[4], d[5]),
                    "MSSTH(3, 4, 5) and ESDIRK3(2)4 dissipate most: %.3g, %.3g, %.3g, %.3g %% at 0.1 against "
                    "%.3g and %.3g %%",
                    d[0], d[1], d[2], d[3], d[4], d[5]);
}

const vgExperiment vg_reproduce_z_linear[] = {
    {"Z2-4", "figures 2–4", "Decay, elongation and spectral radius of the tunable methods",
     "LMS2–4, ρ∞-Bathe and MSSTC(3, 4, 5) are A-stable and end at ρ∞. More steps or sub-steps and a larger "
     "ρ∞ make "
     "decay and elongation smaller; with ρ∞ = 1 all are the trapezoidal rule; the methods of several "
     "sub-steps filter "
     "high frequencies earlier than the multistep ones.",
     "Nothing is assumed about the formulas: the amplification matrix is measured from the integrator's own "
     "step.",
     tunable, 1},
    {"Z5-7", "figures 5–7", "The same for the methods of higher order",
     "MSSTH(5), ESDIRK3(2)5L[2]SA and ESDIRK4(3)6L[2]SA₂ elongate the period very little, MSSTH(4) shortens "
     "it, "
     "MSSTH(3) is nearly ESDIRK3(2)4L[2]SA, and MSSTH(3, 4, 5) and ESDIRK3(2)4L[2]SA dissipate much at low "
     "frequencies.",
     "Misprints of the paper are set right: γ of MSSTH(3) in its table 7, and its equation (35i).", higher,
     1},
    {0},
};

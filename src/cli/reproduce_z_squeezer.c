/* [Z] section 5.1: Andrews' squeezer from β = −0.062, 0.05 s. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reproduce.h"

/* What the paper's figures 10 and 12 show of the energy balance: 1 grows, −1 drops, 0 neither, 2 not said. */
typedef struct Method {
    const char *label, *integrator;
    int group;   /* 0: ρ∞ = 0, 1: ρ∞ = 0.6, 2: higher order */
    int sign[2]; /* Δt/n = 1e-4, 1e-5 */
    int departs; /* the paper sees the angular velocity leave the reference at 1e-4 */
} Method;

static const Method methods[] = {
    {"LMS2 (0)", "lms2:rho=0", 0, {-1, 0}, 0},
    {"LMS3 (0)", "lms3:rho=0", 0, {0, 0}, 0},
    {"LMS4 (0)", "lms4:rho=0", 0, {0, 0}, 0},
    {"SS2 (0)", "ss2:rho=0", 0, {-1, 0}, 0},
    {"Bathe (0)", "bathe:rho=0", 0, {-1, 0}, 0},
    {"MSSTC(3) (0)", "msstc3:rho=0", 0, {0, 0}, 0},
    {"MSSTC(4) (0)", "msstc4:rho=0", 0, {-1, 0}, 0},
    {"MSSTC(5) (0)", "msstc5:rho=0", 0, {1, 0}, 0},
    {"LMS2 (0.6)", "lms2:rho=0.6", 1, {0, 0}, 0},
    {"LMS3 (0.6)", "lms3:rho=0.6", 1, {0, 0}, 0},
    {"LMS4 (0.6)", "lms4:rho=0.6", 1, {0, 0}, 0},
    {"SS2 (0.6)", "ss2:rho=0.6", 1, {0, 0}, 0},
    {"SS3 (0.6)", "ss3:rho=0.6", 1, {0, 0}, 0},
    {"SS4 (0.6)", "ss4:rho=0.6", 1, {0, 0}, 0},
    {"Bathe (0.6)", "bathe:rho=0.6", 1, {-1, 0}, 1},
    {"MSSTC(3) (0.6)", "msstc3:rho=0.6", 1, {0, 0}, 0},
    {"MSSTC(4) (0.6)", "msstc4:rho=0.6", 1, {-1, 0}, 0},
    {"MSSTC(5) (0.6)", "msstc5:rho=0.6", 1, {0, 0}, 0},
    {"MSSTH(3)", "mssth3:rho=0", 2, {1, 1}, 1},
    {"MSSTH(4)", "mssth4:rho=0", 2, {1, 1}, 1},
    {"MSSTH(5)", "mssth5:rho=0", 2, {-1, -1}, 1},
    {"ESDIRK3(2)4L[2]SA", "esdirk324", 2, {1, 1}, 1},
    {"ESDIRK3(2)5L[2]SA", "esdirk325", 2, {-1, 0}, 0},
    {"ESDIRK4(3)6L[2]SA₂", "esdirk436-2", 2, {-1, 1}, 0},
};
enum { NMETHOD = sizeof methods / sizeof methods[0] };
static const double TORQUE = 0.033; /* N m on the crank */
static const char *const group_title[] = {"second order, ρ∞ = 0", "second order, ρ∞ = 0.6",
                                          "higher order, ρ∞ = 0"};

/* ΔE = E − E₀ − T (β − β₀) in place of channel 1 (the energy), [Z] (23). */
static void balance(vgHistory *h)
{
    double e0 = h->n ? h->rows[2] : 0, b0 = h->n ? h->rows[3] : 0;
    for (long i = 0; i < h->n; i++) {
        double *row = h->rows + 4 * i;
        row[2] -= e0 + TORQUE * (row[3] - b0);
    }
}

static void draw(vgExhibit *ex, const vgHistory *h, const vgHistory *ref, int channel, double top,
                 const char *y_label)
{
    for (int g = 0; g < 3; g++) {
        vgSeries s[NMETHOD + 1];
        int n = 0;
        for (int i = 0; i < NMETHOD; i++)
            if (methods[i].group == g && h[i].n) s[n++] = vg_history_series(&h[i], channel, methods[i].label);
        if (channel == 0) s[n++] = vg_history_series(ref, channel, "reference");
        vgPlot p = {.title = group_title[g],
                    .x_label = "t, s",
                    .y_label = y_label,
                    .nseries = n,
                    .series = s,
                    .top = top,
                    .height = 360};
        vg_exhibit_plot(ex, &p);
    }
}

/* Largest difference of the crank's angular velocity from the reference, relative to its largest value. */
static double apart(const vgHistory *h, const vgHistory *ref)
{
    double worst = 0;
    for (long i = 0; i < h->n && i < ref->n; i++)
        worst = fmax(worst, fabs(h->rows[4 * i + 1] - ref->rows[4 * i + 1]));
    return worst / ref->most[0];
}

static int sign_holds(int sign, int fine, double e)
{
    if (sign == 1) return e > (fine ? 1e-5 : 1e-3);
    if (sign == -1) return e < (fine ? -5e-4 : -5e-3);
    return sign == 2 || (fine ? e < 0 && e > -2e-4 : fabs(e) < 5e-3);
}

static void squeezer(vgExhibit *ex, int fine)
{
    static const char *const said[] = {"drops", "keeps", "grows", "is not said to change"};
    double per_stage = fine ? 1e-5 : 1e-4;
    vgAsk ask = {.model = "squeezer",
                 .set = {"start=1"},
                 .integrator = "lms4:rho=0.6",
                 .step = ex->quick ? 4e-6 : 1e-6,
                 .end = 0.05,
                 .interval = 5e-4,
                 .channel = {"joint.O.rate", "energy.total", "joint.O.angle"}};
    vgHistory ref, h[NMETHOD] = {0};
    vg_exhibit_run(ex, &ask, &ref);
    if (ref.status != VG_OK) {
        vg_exhibit_find(ex, 0, "the reference stopped: %s", ref.why);
        vg_history_free(&ref);
        return;
    }
    vg_exhibit_head(
        ex, "method|ω apart from the reference|ΔE at the end, J|the paper: energy|iterations per (sub)step");
    for (int i = 0; i < NMETHOD; i++) {
        int n = vg_method_stages(methods[i].integrator);
        ask.integrator = methods[i].integrator;
        ask.step = n * per_stage;
        vg_exhibit_run(ex, &ask, &h[i]);
        balance(&h[i]);
        vg_exhibit_row(ex, "%s|%.2g|%+.2g|%s|%.2f", methods[i].label, apart(&h[i], &ref),
                       h[i].n ? h[i].rows[4 * (h[i].n - 1) + 2] : NAN, said[methods[i].sign[fine] + 1],
                       (double)h[i].run.stats.newton_iterations / ((double)h[i].run.stats.steps * n));
    }
    vg_exhibit_foot(ex);
    draw(ex, h, &ref, 0, 0, "ω, rad/s");
    draw(ex, h, &ref, 1, fine ? 2e-3 : 0.05, "ΔE, J");
    for (int i = 0; i < NMETHOD; i++) {
        if (h[i].status != VG_OK) {
            vg_exhibit_find(ex, 0, "%s stopped: %s", methods[i].label, h[i].why);
            continue;
        }
        double e = h[i].rows[4 * (h[i].n - 1) + 2], d = apart(&h[i], &ref);
        vg_exhibit_find(ex, sign_holds(methods[i].sign[fine], fine, e), "%s: energy %s (ΔE = %+.2g J)",
                        methods[i].label, said[methods[i].sign[fine] + 1], e);
        if (fine)
            vg_exhibit_find(ex, d < 0.01, "%s: ω agrees with the reference within %.2g", methods[i].label, d);
        if (!fine && methods[i].departs)
            vg_exhibit_find(ex, d > 0.05, "%s: ω visibly leaves the reference (by %.2g of its peak)",
                            methods[i].label, d);
    }
    for (int i = 0; i < NMETHOD; i++) vg_history_free(&h[i]);
    vg_history_free(&ref);
}

static void coarse(vgExhibit *ex)
{
    squeezer(ex, 0);
}

static void fine(vgExhibit *ex)
{
    squeezer(ex, 1);
}

/* Iterations of all methods together, with [Z]'s prediction and with the constant one. */
static void iterations(vgExhibit *ex)
{
    static const double steps[] = {1e-4, 1e-5};
    double total[2][2][NMETHOD];
    for (int k = 0; k < 2; k++)
        for (int constant = 0; constant < 2; constant++)
            for (int i = 0; i < NMETHOD; i++) {
                char method[60];
                int n = vg_method_stages(methods[i].integrator);
                snprintf(method, sizeof method, "%s%s%s", methods[i].integrator,
                         strchr(methods[i].integrator, ':') ? "," : ":",
                         constant ? "predictor=0" : "tol=1e-10");
                vgAsk ask = {.model = "squeezer",
                             .set = {"start=1"},
                             .integrator = method,
                             .step = n * steps[k],
                             .end = 0.05,
                             .interval = 0.01,
                             .channel = {"joint.O.rate"}};
                vgHistory h;
                vg_exhibit_run(ex, &ask, &h);
                total[k][constant][i] = h.status == VG_OK ? (double)h.run.stats.newton_iterations /
                                                                ((double)h.run.stats.steps * n)
                                                          : NAN;
                vg_history_free(&h);
            }
    vg_exhibit_head(ex, "method|1e-4|1e-5|1e-4, constant prediction|1e-5, constant prediction");
    int fewer = 0, smaller = 0;
    char not_fewer[300] = "";
    for (int i = 0; i < NMETHOD; i++) {
        double(*t)[2][NMETHOD] = total;
        vg_exhibit_row(ex, "%s|%.2f|%.2f|%.2f|%.2f", methods[i].label, t[0][0][i], t[1][0][i], t[0][1][i],
                       t[1][1][i]);
        fewer += t[0][0][i] + t[1][0][i] < t[0][1][i] + t[1][1][i];
        smaller += t[1][0][i] < t[0][0][i];
        size_t used = strlen(not_fewer);
        if (t[0][0][i] + t[1][0][i] >= t[0][1][i] + t[1][1][i])
            snprintf(not_fewer + used, sizeof not_fewer - used, "%s%s",
                     used ? ", " : "; not: ", methods[i].label);
    }
    vg_exhibit_foot(ex);
    vg_exhibit_find(ex, smaller == NMETHOD, "fewer iterations with the smaller step: %d of %d methods",
                    smaller, (int)NMETHOD);
    vg_exhibit_find(ex, fewer == NMETHOD,
                    "an explicit prediction needs fewer iterations than a constant one: %d of %d methods%s",
                    fewer, (int)NMETHOD, not_fewer);
}

const vgExperiment vg_reproduce_z_squeezer[] = {
    {"Z9-10", "figures 9, 10", "Squeezer, Δt/n = 1e-4: angular velocity and energy",
     "MSSTH(5) leaves the reference after about 0.01 s; MSSTH(3, 4), ESDIRK3(2)4L[2]SA and Bathe (0.6) "
     "differ visibly. "
     "The energy grows for MSSTC(5) (0), MSSTH(3, 4) and ESDIRK3(2)4L[2]SA, is mostly kept by LMS3, LMS4, "
     "LMS2 (0.6), "
     "MSSTC(3) and MSSTC(5) (0.6), and drops for LMS2 (0), Bathe, MSSTC(4) and the others of higher order.",
     "A growth counts from 1 mJ, a drop from 5 mJ (the torque does about 1.1 J of work).", coarse},
    {"Z11-12", "figures 11, 12", "Squeezer, Δt/n = 1e-5",
     "All methods predict the angular velocity. The energy still grows with MSSTH(3, 4), ESDIRK3(2)4L[2]SA "
     "and "
     "ESDIRK4(3)6L[2]SA₂, MSSTH(5) drops, the methods of second order do well.",
     NULL, fine},
    {"Z28a", "figure 28, squeezer", "Iterations per (sub)step on the squeezer",
     "Smaller steps need fewer iterations, and an explicit second-order prediction fewer than a constant "
     "one.",
     "Here all methods have the prediction of the paper by default; the constant one is asked for.",
     iterations},
    {0},
};

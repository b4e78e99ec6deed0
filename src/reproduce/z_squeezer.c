/* [Z] section 5.1: Andrews' squeezer from β = −0.062, 0.05 s. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/reproduce.h"
#include "reproduce/z.h"

/* What the paper's figures 10 and 12 show of the energy balance at Δt/n = 1e-4 and 1e-5 (1 grows, −1 drops, 0
 * neither), and whether the angular velocity leaves the reference at 1e-4; in the order of vg_z_methods. */
static const struct {
    int sign[2], departs;
} said_of[VG_Z_METHODS] = {
    {{-1, 0}, 0}, {{0, 0}, 0}, {{0, 0}, 0},   {{-1, 0}, 0}, {{0, 0}, 0},  {{0, 0}, 0},  /* LMS, SS (0) */
    {{-1, 0}, 0}, {{0, 0}, 0}, {{-1, 0}, 0},  {{1, 0}, 0},                              /* sub-steps (0) */
    {{0, 0}, 0},  {{0, 0}, 0}, {{0, 0}, 0},   {{0, 0}, 0},  {{0, 0}, 0},  {{0, 0}, 0},  /* LMS, SS (0.6) */
    {{-1, 0}, 1}, {{0, 0}, 0}, {{-1, 0}, 0},  {{0, 0}, 0},                              /* sub-steps (0.6) */
    {{1, 1}, 1},  {{1, 1}, 1}, {{-1, -1}, 1}, {{1, 1}, 1},  {{-1, 0}, 0}, {{-1, 1}, 0}, /* higher order */
};
enum { NMETHOD = VG_Z_METHODS };
static const double TORQUE = 0.033; /* N m on the crank */
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
            if (vg_z_methods[i].group == g && h[i].n)
                s[n++] = vg_history_series(&h[i], channel, vg_z_methods[i].label);
        if (channel == 0) s[n++] = vg_history_series(ref, channel, "reference");
        vgPlot p = {.title = vg_z_group[g],
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
    return fabs(e) < (fine ? 2e-4 : 5e-3);
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
        int n = vg_method_stages(vg_z_methods[i].integrator);
        ask.integrator = vg_z_methods[i].integrator;
        ask.step = n * per_stage;
        vg_exhibit_run(ex, &ask, &h[i]);
        balance(&h[i]);
        vg_exhibit_row(ex, "%s|%.2g|%+.2g|%s|%.2f", vg_z_methods[i].label, apart(&h[i], &ref),
                       h[i].n ? h[i].rows[4 * (h[i].n - 1) + 2] : NAN, said[said_of[i].sign[fine] + 1],
                       (double)h[i].run.stats.newton_iterations / ((double)h[i].run.stats.steps * n));
    }
    vg_exhibit_foot(ex);
    draw(ex, h, &ref, 0, 0, "ω, rad/s");
    draw(ex, h, &ref, 1, fine ? 2e-3 : 0.05, "ΔE, J");
    for (int i = 0; i < NMETHOD; i++) {
        if (h[i].status != VG_OK) {
            vg_exhibit_find(ex, 0, "%s stopped: %s", vg_z_methods[i].label, h[i].why);
            continue;
        }
        double e = h[i].rows[4 * (h[i].n - 1) + 2], d = apart(&h[i], &ref);
        vg_exhibit_find(ex, sign_holds(said_of[i].sign[fine], fine, e), "%s: energy %s (ΔE = %+.2g J)",
                        vg_z_methods[i].label, said[said_of[i].sign[fine] + 1], e);
        if (fine)
            vg_exhibit_find(ex, d < 0.01, "%s: ω agrees with the reference within %.2g",
                            vg_z_methods[i].label, d);
        if (!fine && said_of[i].departs)
            vg_exhibit_find(ex, d > 0.05, "%s: ω visibly leaves the reference (by %.2g of its peak)",
                            vg_z_methods[i].label, d);
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

const vgExperiment vg_reproduce_z_squeezer[] = {
    {"Z9-10", "figures 9, 10", "Squeezer, Δt/n = 1e-4: angular velocity and energy",
     "MSSTH(5) leaves the reference after about 0.01 s; MSSTH(3, 4), ESDIRK3(2)4L[2]SA and Bathe (0.6) "
     "differ visibly. "
     "The energy grows for MSSTC(5) (0), MSSTH(3, 4) and ESDIRK3(2)4L[2]SA, is mostly kept by LMS3, LMS4, "
     "LMS2 (0.6), "
     "MSSTC(3) and MSSTC(5) (0.6), and drops for LMS2 (0), Bathe, MSSTC(4) and the others of higher order.",
     "A growth counts from 1 mJ, a drop from 5 mJ (the torque does about 1.1 J of work).", coarse, 1},
    {"Z11-12", "figures 11, 12", "Squeezer, Δt/n = 1e-5",
     "All methods predict the angular velocity. The energy still grows with MSSTH(3, 4), ESDIRK3(2)4L[2]SA "
     "and "
     "ESDIRK4(3)6L[2]SA₂, MSSTH(5) drops, the methods of second order do well.",
     NULL, fine, 1},
    {0},
};

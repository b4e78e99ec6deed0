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

/* The trend of ΔE: its mean over the last fifth of the run. */
static double trend(const vgHistory *h)
{
    double sum = 0;
    long from = h->n - h->n / 5, n = 0;
    for (long i = from; i < h->n; i++, n++) sum += h->rows[4 * i + 2];
    return h->status == VG_OK && n ? sum / (double)n : NAN;
}

/* Three bands that do not overlap. [Z] calls ΔE > 0 an energy instability: that grows. A drop is more than the part
 * LOST of the torque's work, 1.1 J, at 1e-4 s, and of a tenth of that at 1e-5 s. What is between is kept. */
static const double LOST = 5e-3;
static int band(double e, int fine)
{
    return isnan(e) ? 2 : e > 0 ? 1 : e < -LOST * 1.1 * (fine ? 0.1 : 1) ? -1 : 0;
}

/* The first time at which ω is 2 % of its peak away from the reference, which a figure shows. */
static double leaves(const vgHistory *h, const vgHistory *ref)
{
    for (long i = 0; i < h->n && i < ref->n; i++)
        if (fabs(h->rows[4 * i + 1] - ref->rows[4 * i + 1]) > 0.02 * ref->most[0]) return h->rows[4 * i];
    return NAN;
}

/* The reference's rows resolve its peaks: an independent reduction to one degree of freedom has 971 rad/s at the
 * first and 1140.942733 rad/s at 0.05 s. */
static void check_reference(vgExhibit *ex, vgAsk ask)
{
    vgHistory h;
    double peak = 0;
    ask.interval = 2e-5;
    vg_exhibit_run(ex, &ask, &h);
    for (long i = 0; i < h.n; i++)
        if (h.rows[4 * i] < 0.015) peak = vg_upper(peak, h.rows[4 * i + 1]);
    vg_exhibit_find(ex, h.status == VG_OK && fabs(peak - 971) < 0.5 && fabs(h.last[0] - 1140.942733) < 0.05,
                    "the reference has its first peak at %.1f rad/s and ends with %.4f rad/s (independent: "
                    "971 and 1140.9427)",
                    peak, h.last[0]);
    vg_history_free(&h);
}

static void departures(vgExhibit *ex, const vgHistory *h, const vgHistory *ref)
{
    double named = INFINITY, unnamed = 0;
    const char *least = "", *most = "";
    for (int i = 0; i < NMETHOD; i++) {
        double d = vg_history_apart(ref, &h[i], 0, 0, 1);
        if (isnan(d)) named = unnamed = NAN;
        if (said_of[i].departs && d < named) named = d, least = vg_z_methods[i].label;
        if (!said_of[i].departs && d > unnamed) unnamed = d, most = vg_z_methods[i].label;
    }
    vg_exhibit_paper(ex, "MSSTH(3, 4, 5), ESDIRK3(2)4L[2]SA and Bathe (0.6) leave the reference visibly");
    vg_exhibit_find(ex, vg_less(unnamed, named) && vg_less(0.05, named),
                    "ω of those is at least %.2g of its peak away (%s), of all others at most %.2g (%s)",
                    named, least, unnamed, most);
    double t = leaves(&h[VG_Z_MSSTH4 + 1], ref);
    vg_exhibit_about(ex, h[VG_Z_MSSTH4 + 1].command);
    vg_exhibit_paper(ex, "about 0.01 s");
    vg_exhibit_find(ex, vg_within(t, 0.007, 0.013),
                    "MSSTH(5) leaves the reference by 2 %% of the peak at %.4f s", t);
}

static void squeezer(vgExhibit *ex, int fine)
{
    static const char *const said[] = {"drops", "is kept", "grows", "is not known: the run stopped"};
    double per_stage = fine ? 1e-5 : 1e-4;
    vgAsk ask = {.model = "squeezer",
                 .set = {"start=1"},
                 .coordinates = "planar",
                 .constraints = VG_Z_CONSTRAINTS,
                 .integrator = "lms4:rho=0.6",
                 .step = ex->quick ? 4e-6 : 1e-6,
                 .end = 0.05,
                 .interval = 1e-4,
                 .channel = {"joint.O.rate", "energy.total", "joint.O.angle"}};
    vgHistory ref, h[NMETHOD] = {0};
    check_reference(ex, ask);
    vg_exhibit_run(ex, &ask, &ref);
    vg_exhibit_head(ex, "method|ω apart from the reference|ΔE at the end, J|energy|the paper: "
                        "energy|iterations per (sub)step");
    for (int i = 0; i < NMETHOD; i++) {
        char method[VG_Z_TEXT];
        int n = vg_method_stages(vg_z_methods[i].integrator);
        ask.integrator = vg_z_as_printed(i, method);
        ask.step = n * per_stage;
        vg_exhibit_run(ex, &ask, &h[i]);
        balance(&h[i]);
        vg_exhibit_row(ex, "%s|%.2g|%+.2g|%s|%s|%.2f", vg_z_methods[i].label,
                       vg_history_apart(&ref, &h[i], 0, 0, 1), trend(&h[i]),
                       said[band(trend(&h[i]), fine) + 1], said[said_of[i].sign[fine] + 1],
                       vg_history_iterations(&h[i], n));
    }
    vg_exhibit_foot(ex);
    draw(ex, h, &ref, 0, 0, "ω, rad/s");
    draw(ex, h, &ref, 1, fine ? 2e-3 : 0.05, "ΔE, J");
    for (int i = 0; i < NMETHOD; i++) {
        double e = trend(&h[i]), d = vg_history_apart(&ref, &h[i], 0, 0, 1);
        vg_exhibit_about(ex, h[i].command);
        vg_exhibit_paper(ex, "%s", said[said_of[i].sign[fine] + 1]);
        vg_exhibit_find(ex, band(e, fine) == said_of[i].sign[fine], "%s: energy %s (ΔE = %+.2g J)%s%s",
                        vg_z_methods[i].label, said[band(e, fine) + 1], e, h[i].status == VG_OK ? "" : ": ",
                        h[i].why);
        if (!fine) continue;
        vg_exhibit_about(ex, h[i].command);
        vg_exhibit_paper(ex, "accurate");
        vg_exhibit_find(ex, d < 0.005, "%s: ω agrees with the reference within %.2g of its peak",
                        vg_z_methods[i].label, d);
    }
    if (!fine) departures(ex, h, &ref);
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
     "differ visibly. The energy grows for MSSTC(5) (0), MSSTH(3, 4) and ESDIRK3(2)4L[2]SA, is mostly kept "
     "by LMS3, LMS4, LMS2 (0.6), MSSTC(3) and MSSTC(5) (0.6), and drops for LMS2 (0), Bathe, MSSTC(4) and "
     "the others of higher order.",
     "ΔE is the mean over the last fifth of the run. ΔE > 0 grows, a drop is more than 0.5 % of the torque's "
     "work of 1.1 J (0.05 % at 1e-5 s), what is between is kept.",
     coarse, 1},
    {"Z11-12", "figures 11, 12", "Squeezer, Δt/n = 1e-5",
     "All methods predict the angular velocity. The energy still grows with MSSTH(3, 4), ESDIRK3(2)4L[2]SA "
     "and ESDIRK4(3)6L[2]SA₂, MSSTH(5) drops, the methods of second order do well.",
     NULL, fine, 1},
    {0},
};

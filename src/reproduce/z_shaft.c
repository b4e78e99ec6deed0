/* [Z] section 5.4, figures 25–27: orders of convergence on the rotating shaft. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/z.h"

enum { NMETHOD = VG_Z_METHODS };

enum { VELOCITY = 1, ACCELERATION, DERIVED };
enum { LMS3 = 11 }; /* with ρ∞ = 0.6; its single-step form is VG_Z_SS2 further */

/* Rows of the reference, which all steps n·Δt of the experiment meet. */
static const double GRID = 2.5e-4;

/* [Z] (26): root of the sum of squares of the error over that of the reference, at all steps but the first two and the
 * last two. DERIVED: the acceleration as the derivative of v₃, by the difference of fourth order
 * (8 (v₊₁ − v₋₁) − (v₊₂ − v₋₂))/12h. */
static double relative_error(const vgHistory *ref, const vgHistory *h, int channel)
{
    double error = 0, size = 0;
    const int w = 1 + ref->nchannel, at = channel == DERIVED ? ACCELERATION : channel;
    if (h->status != VG_OK || h->n < 5) return NAN;
    for (long i = 2; i + 2 < h->n; i++) {
        const double *row = h->rows + i * w, *v = row + 1 + VELOCITY;
        long k = lround(row[0] / GRID);
        if (k >= ref->n || fabs(ref->rows[k * w] - row[0]) > 1e-9) return NAN;
        double x = ref->rows[k * w + 1 + at], y = row[1 + at];
        if (channel == DERIVED) y = (8 * (v[w] - v[-w]) - (v[2 * w] - v[-2 * w])) / (6 * (row[w] - row[-w]));
        error += (y - x) * (y - x);
        size += x * x;
    }
    return sqrt(error / size);
}

enum { ORDER_STEPS = 4 };

/* What the claim says of one method's order. derived: of an acceleration, the same as the derivative of v₃. */
static void order_found(vgExhibit *ex, int i, const char *title, const vgCurve *c, const vgCurve *derived,
                        int nstep)
{
    const char *label = vg_z_methods[i].label;
    double slope = vg_curve_slope(c, c->error, nstep, 1e-9, 0.3);
    int order = vg_z_methods[i].order, ok;
    vg_exhibit_about_range(ex, c->command[0], c->command[nstep - 1]);
    if (order == 2) {
        vg_exhibit_paper(ex, "2");
        ok = vg_exhibit_find(ex, fabs(slope - 2) < 0.35, "%s: %s with order %.2f", label, title, slope);
    } else if (order == 3) {
        vg_exhibit_paper(ex, i == VG_Z_ESDIRK325 ? "above 3" : "3");
        ok = vg_exhibit_find(ex, i == VG_Z_ESDIRK325 ? slope > 3 && slope < 5 : fabs(slope - 3) < 0.35,
                             "%s: %s with order %.2f", label, title, slope);
    } else if (order == 4) {
        double first = log2(c->error[0] / c->error[1]),
               last = log2(c->error[nstep - 2] / c->error[nstep - 1]);
        vg_exhibit_paper(ex, "about 4 near 1e-3 s, less below");
        ok = vg_exhibit_find(ex, vg_within(first, 3.4, 4.6) && vg_less(last, first),
                             "%s: %s with order %.2f from 2e-3 s to 1e-3 s, %.2f between the smallest steps",
                             label, title, first, last);
    } else {
        vg_exhibit_paper(ex, "never 5");
        ok = vg_exhibit_find(ex, vg_within(slope, 1, 4.6), "%s: %s with order %.2f", label, title, slope);
    }
    char also[160] = "";
    if (derived)
        snprintf(also, sizeof also,
                 "; the acceleration at index 3 is that of the last stage, and stages have order 2; as the "
                 "derivative of v₃ the order is %.2f",
                 vg_curve_slope(derived, derived->error, nstep, 1e-9, 0.3));
    vg_exhibit_why(ex, ok, "errors from 2e-3 s down: %.2g, %.2g, %.2g, %.2g%s", c->error[0], c->error[1],
                   c->error[2], nstep > 3 ? c->error[3] : NAN, order > 2 ? also : "");
}

/* Errors of several methods at one step: falling in this order. */
static void falls(vgExhibit *ex, const vgCurve *c, int k, const char *title, const int *which, int n)
{
    int ok = 1;
    char list[300] = "";
    for (int i = 0; i < n; i++) {
        size_t used = strlen(list);
        if (i > 0) ok &= vg_less(c[which[i]].error[k], c[which[i - 1]].error[k]);
        snprintf(list + used, sizeof list - used, "%s%s %.3g", i ? ", " : "", vg_z_methods[which[i]].label,
                 c[which[i]].error[k]);
    }
    vg_exhibit_paper(ex, "more accurate with more steps or stages or a larger ρ∞");
    vg_exhibit_find(ex, ok, "%s at %g s: errors fall: %s", title, c[0].step[k], list);
}

/* What the paper says of the errors at one step. */
static void errors_found(vgExhibit *ex, const char *title, const vgCurve *c, int nstep)
{
    double best = INFINITY, worst = 0, widest = 0;
    const char *second = "", *which = "";
    int at = 1, last = nstep - 1; /* 1e-3 s; the smallest */
    double e325 = c[VG_Z_ESDIRK325].error[last], e436 = c[VG_Z_ESDIRK436].error[last];
    for (int i = 0; i < VG_Z_ESDIRK325; i++) {
        double e = c[i].error[at], twin = i >= VG_Z_SS2 && i < VG_Z_BATHE ? c[i - 3].error[at] : NAN;
        if (c[i].error[last] < best) best = c[i].error[last], second = vg_z_methods[i].label;
        if (i >= 13 && i < 16) twin = c[i - 3].error[at];
        if (isfinite(twin)) widest = vg_upper(widest, fabs(e / twin - 1));
        if (i != VG_Z_LMS2 && i != VG_Z_SS2 && i < VG_Z_HIGHER_FROM && !(e <= worst) && !isnan(worst))
            worst = e, which = vg_z_methods[i].label;
    }
    double e0 = vg_lower(c[VG_Z_LMS2].error[at], c[VG_Z_SS2].error[at]);
    vg_exhibit_paper(ex, "LMS2 and SS2 (0) have larger errors than the other schemes");
    vg_exhibit_find(
        ex, vg_less(worst, e0),
        "%s at %g s: LMS2 and SS2 (0) at least %.3g, the others of second order at most %.3g (%s)", title,
        c[0].step[at], e0, worst, which);
    vg_exhibit_paper(ex, "multistep and single-step schemes have very similar errors");
    int near =
        vg_exhibit_find(ex, widest < 0.2, "%s at %g s: errors of the pairs LMS, SS differ by %.2g at most",
                        title, c[0].step[at], widest);
    vg_exhibit_why(
        ex, near,
        "with rotations the two are not one formula, see (18) to (20): errors of LMS2 and SS2 (0) are %.3g "
        "and %.3g, of LMS3 and SS3 (0.6) %.3g and %.3g",
        c[VG_Z_LMS2].error[at], c[VG_Z_SS2].error[at], c[LMS3].error[at], c[LMS3 + VG_Z_SS2].error[at]);
    falls(ex, c, at, title, (const int[]){0, 1, 2}, 3);
    falls(ex, c, at, title, (const int[]){6, 7, 8, 9}, 4);
    falls(ex, c, at, title, (const int[]){0, 10}, 2);
    falls(ex, c, at, title, (const int[]){6, 16}, 2);
    vg_exhibit_paper(ex, "ESDIRK3(2)5L[2]SA and ESDIRK4(3)6L[2]SA₂ the most accurate");
    int ok = vg_exhibit_find(ex, vg_less(vg_upper(e325, e436), best),
                             "%s at %g s: those %.2g and %.2g, the others at least %.2g (%s)", title,
                             c[0].step[last], e325, e436, best, second);
    vg_exhibit_why(ex, ok, "at 1e-3 s they have %.2g and %.2g, MSSTH(3), (4), (5) %.2g, %.2g, %.2g",
                   c[VG_Z_ESDIRK325].error[at], c[VG_Z_ESDIRK436].error[at], c[VG_Z_MSSTH3].error[at],
                   c[VG_Z_MSSTH4].error[at], c[VG_Z_MSSTH4 + 1].error[at]);
}

/* Figures and findings of one quantity q: c[method]. */
static void shaft_quantity(vgExhibit *ex, const char *title, int q, const vgCurve *c, const vgCurve *derived,
                           int nstep)
{
    char name[60];
    if (q != DERIVED) {
        snprintf(name, sizeof name, "%s, second order", title);
        vg_exhibit_curves(ex, name, "Δt/n, s", VG_CURVE(step), "relative error", VG_CURVE(error), c,
                          VG_Z_HIGHER_FROM, nstep);
    }
    snprintf(name, sizeof name, "%s, higher order", title);
    vg_exhibit_curves(ex, name, "Δt/n, s", VG_CURVE(step), "relative error", VG_CURVE(error),
                      c + VG_Z_HIGHER_FROM, VG_Z_METHODS - VG_Z_HIGHER_FROM, nstep);
    if (q == DERIVED) {
        vg_exhibit_head(ex, "method|order of a₃ as the derivative of v₃");
        for (int i = VG_Z_HIGHER_FROM; i < NMETHOD; i++)
            vg_exhibit_row(ex, "%s|%.2f", vg_z_methods[i].label,
                           vg_curve_slope(&c[i], c[i].error, nstep, 1e-9, 0.3));
        vg_exhibit_foot(ex);
        return;
    }
    for (int i = 0; i < NMETHOD; i++)
        if (!vg_z_skipped(ex, i))
            order_found(ex, i, title, &c[i], q == ACCELERATION ? &derived[i] : NULL, nstep);
    if (!ex->quick) errors_found(ex, title, c, nstep);
}

void vg_z_shaft_orders(vgExhibit *ex)
{
    static const char *const title[] = {"u₃", "v₃", "a₃", "a₃ as the derivative of v₃"};
    enum { QUANTITIES = DERIVED + 1 };
    static vgCurve none;
    vgZProblem p = {.model = "rotating-shaft",
                    .coordinates = VG_Z_ROTATIONS,
                    .set = {ex->quick ? "n=4" : "n=16"},
                    .end = 3.6, /* a whole number of steps of all methods */
                    .interval = GRID,
                    .channel = {"body.disc.position.z", "body.disc.velocity.z", "body.disc.acceleration.z"}};
    int nstep = ex->quick ? 3 : ORDER_STEPS;
    vgCurve c[QUANTITIES][NMETHOD];
    vgHistory ref;
    p.per_stage = (ex->quick ? 5e-5 : 1e-5) / vg_method_stages(vg_z_methods[VG_Z_ESDIRK436].integrator);
    p.reference = 1;
    vg_z_run(ex, &p, VG_Z_ESDIRK436, &ref);
    p.reference = 0;
    p.shared = 1; /* figure 28 counts the iterations of the same runs */
    if (ref.status != VG_OK) {
        vg_exhibit_find(ex, 0, "the reference stopped: %s", ref.why);
        vg_history_free(&ref);
        return;
    }
    for (int i = 0; i < NMETHOD; i++)
        for (int q = 0; q < QUANTITIES; q++) {
            c[q][i] = none;
            c[q][i].label = vg_z_methods[i].label;
        }
    for (int i = 0; i < NMETHOD; i++)
        for (int k = 0; k < nstep && !vg_z_skipped(ex, i); k++) {
            vgHistory h;
            p.per_stage = 2e-3 * pow(2, -k);
            p.interval = 0; /* every step */
            vg_z_run(ex, &p, i, &h);
            for (int q = 0; q < QUANTITIES; q++) {
                c[q][i].step[k] = p.per_stage;
                c[q][i].error[k] = relative_error(&ref, &h, q);
                c[q][i].command[k] = h.command;
            }
            vg_history_free(&h);
        }
    for (int q = 0; q < QUANTITIES; q++) shaft_quantity(ex, title[q], q, c[q], c[DERIVED], nstep);
    vg_history_free(&ref);
}

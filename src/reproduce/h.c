#include "reproduce/h.h"

#include <stdio.h>
#include <string.h>

const char *const vg_h_label[VG_H_FORMS] = {"Lie group", "Euler parameters", "Tait–Bryan angles"};
const char *const vg_h_coordinates[VG_H_FORMS] = {"lie", "euler-parameters", "euler-angles-xyz"};

void vg_h_curves(vgCurve *c, const char *integrator)
{
    for (int i = 0; i < VG_H_FORMS; i++)
        c[i] = (vgCurve){.label = vg_h_label[i],
                         .coordinates = vg_h_coordinates[i],
                         .constraints = "index3",
                         .integrator = integrator};
}

void vg_h_figures(vgExhibit *ex, const char *title, const vgSweep *s, const vgCurve *c, int n)
{
    vg_exhibit_curves(ex, title, "step, s", VG_CURVE(step), "error at the end", VG_CURVE(error), c, n,
                      s->nstep);
    vg_exhibit_curves(ex, "Newton iterations", "step, s", VG_CURVE(step), "per step", VG_CURVE(iterations), c,
                      n, s->nstep);
    vg_exhibit_curves(ex, "processor time", "step, s", VG_CURVE(step), "s", VG_CURVE(seconds), c, n,
                      s->nstep);
}

void vg_h_order(vgExhibit *ex, const vgCurve *c, int nstep, double order, double within)
{
    double slope = vg_curve_slope(c, c->error, nstep, 1e-11, VG_H_THROUGH);
    vg_exhibit_about_range(ex, c->command[0], c->command[nstep - 1]);
    vg_exhibit_paper(ex, "order %g", order);
    int ok = vg_exhibit_find(ex, fabs(slope - order) < within, "%s: order %.2f%s%s", c->label, slope,
                             c->failed ? "; some steps failed: " : "", c->failed ? c->why : "");
    vg_exhibit_why(ex, ok, "the errors of the three smallest steps are %.2g, %.2g, %.2g", c->error[nstep - 3],
                   c->error[nstep - 2], c->error[nstep - 1]);
}

int vg_h_closer(const vgCurve *a, const vgCurve *b, int from, int nstep, int *both, int *off)
{
    int closer = 0;
    *both = 0, *off = -1;
    for (int k = from; k < nstep; k++) {
        if (!(a->error[k] < VG_H_THROUGH && b->error[k] < VG_H_THROUGH)) continue;
        ++*both;
        if (a->error[k] < b->error[k])
            closer++;
        else
            *off = k;
    }
    return closer;
}

void vg_h_iterations(vgExhibit *ex, const char *table, const vgSweep *s, const vgCurve *c,
                     const double *const paper[VG_H_FORMS])
{
    int places = 0, within = 0, ours = 0, wrong = 0;
    double excess = 0;
    char out[700] = "";
    vg_exhibit_head(ex, "h, s|Lie group|paper|Euler parameters|paper|angles|paper");
    for (int k = 0; k < s->nstep; k++) {
        vg_exhibit_row(ex, "%.3g|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f", s->step[k], c[0].iterations[k], paper[0][k],
                       c[1].iterations[k], paper[1][k], c[2].iterations[k], paper[2][k]);
        for (int i = 0; i < VG_H_FORMS; i++) {
            double it = c[i].iterations[k];
            ours += isnan(paper[i][k]) && vg_h_error(&c[i], k) < VG_H_THROUGH;
            if (isnan(paper[i][k])) continue;
            int in = vg_within(it, 1, paper[i][k] + 0.05);
            places++;
            within += in;
            wrong += !(c[i].error[k] < VG_H_THROUGH);
            if (isfinite(it)) excess = fmax(excess, it - paper[i][k]);
            size_t used = strlen(out);
            char number[VG_NUMBER];
            if (!in)
                snprintf(out + used, sizeof out - used, "%s%s at %.3g s (%s)", used ? ", " : "; not ",
                         c[i].label, s->step[k], vg_number(number, "%.2f", it));
        }
    }
    vg_exhibit_foot(ex);
    vg_exhibit_paper(ex, "table %s", table);
    int ok = vg_exhibit_find(
        ex, within == places,
        "at least one iteration a step and no more than the paper, without a split step: %d of %d places%s",
        within, places, out);
    vg_exhibit_why(
        ex, ok,
        "up to %.2f iterations more than in the paper, which ends an iteration by the norm of the residual, "
        "this one by what is left of the increment",
        excess);
    if (wrong)
        vg_exhibit_say(ex,
                       "At %d of these places the result is not within %g, which the table does not ask for.",
                       wrong, VG_H_THROUGH);
    if (ours)
        vg_exhibit_say(
            ex, "At %d places where the paper's run failed, this one gets through with an error below %g.",
            ours, VG_H_THROUGH);
}

void vg_h_fewest(vgExhibit *ex, const vgSweep *s, const vgCurve *c, int form, const char *paper)
{
    enum { SAME_HUNDREDTHS = 2 };
    int fewest = 0, counted = 0, more = -1;
    for (int k = 0; k < s->nstep; k++) {
        double mine = c[form].iterations[k], least = INFINITY;
        for (int i = 0; i < VG_H_FORMS; i++)
            if (i != form && isfinite(c[i].iterations[k])) least = vg_lower(least, c[i].iterations[k]);
        if (!isfinite(least)) continue;
        counted++;
        if (vg_within(mine, 1, least + 0.01 * SAME_HUNDREDTHS))
            fewest++;
        else
            more = k;
    }
    vg_exhibit_paper(ex, "%s", paper);
    int ok = vg_exhibit_find(ex, fewest == counted && counted > 0,
                             "%s: as few iterations as the others or fewer at %d of %d steps", c[form].label,
                             fewest, counted);
    if (more >= 0)
        vg_exhibit_why(
            ex, ok, "at %.3g s there are %.2f on the Lie group, %.2f with Euler parameters, %.2f with angles",
            s->step[more], c[0].iterations[more], c[1].iterations[more], c[2].iterations[more]);
}

int vg_h_through(const vgCurve *c, int nstep)
{
    int n = 0;
    for (int k = 0; k < nstep; k++) n += vg_h_error(c, k) < VG_H_THROUGH;
    return n == nstep;
}

vgAsk vg_h_ask(const vgSweep *s, const vgCurve *c, double step, double end)
{
    vgAsk ask = {.model = s->model,
                 .coordinates = c->coordinates,
                 .constraints = c->constraints,
                 .integrator = c->integrator,
                 .step = step,
                 .end = end,
                 .interval = end};
    memcpy(ask.set, s->set, sizeof ask.set);
    return ask;
}

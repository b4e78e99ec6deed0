/* The last part of advise: trials may be shorter than the run, and errors grow. The recommended setting is run for
 * the whole time, or as long as the budget allows, against a reference or, if there is none, a tighter setting of
 * its own. If it exceeds the error, it is tightened. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/study/advise/parts.h"
#include "analysis/tuning.h"

static const double AGREE = 0.7; /* an error that falls by less than this does not fall */

static void run_with(const vgTrials *all, vgAdvice *a, double knob, double until, vgTrial *t)
{
    *t = (vgTrial){
        .end = until, .along = 1, .bounded = 1, .limit = fmax(VG_ADVISE_TRIAL_S, 0.5 * vg_advise_left(a))};
    vg_advise_aim(a, knob);
    snprintf(t->integrator, sizeof t->integrator, "%s", a->run_integrator);
    snprintf(t->coordinates, sizeof t->coordinates, "%s", a->run_coordinates);
    snprintf(t->constraints, sizeof t->constraints, "%s", a->run_constraints);
    t->step = a->run_step;
    vg_advise_run(all, t, 1, 1, a);
}

/* The error of t if the next tighter setting differs by t->worst: the error of that setting is added. */
static double error_of(const vgAdvice *a, const vgTrial *t, int own)
{
    const vgLadder *l = &a->ladder[a->best];
    double left = l->adaptive ? VG_ADVISE_TIGHTER : pow(0.5, t->order > 0 ? t->order : 1);
    return own ? t->worst / (1 - left) : t->worst;
}

static void keep(vgAdvice *a, const vgTrial *t, double knob, double error, double until)
{
    vg_advise_aim(a, knob);
    a->run_knob = knob;
    a->run_error = error;
    a->run_until = until;
    if (t->run.t > 0) a->run_cost = t->run.solve_seconds / t->run.t;
}

static void tell(const vgAdviceOptions *o, vgAdvice *a, double first, const char *against)
{
    char over[80];
    if (a->run_until >= o->end)
        snprintf(over, sizeof over, "over the whole run of %g s", o->end);
    else
        snprintf(over, sizeof over, "over %g s of the run%s", a->run_until,
                 a->run_until < a->until ? ", which is what there is time for," : "");
    if (a->run_knob < first)
        vg_advise_because(a, "tightened from %.3g to %.3g, for errors grow after the trials", first,
                          a->run_knob);
    vg_advise_because(a, "%s its largest relative error is %.2g, against %s%s", over, a->run_error, against,
                      a->run_error <= a->tolerance ? "" : ": more than was asked for");
}

/* From the setting found, tighter ones until the error is kept, no longer falls, or the time is up. */
static void tighten(const vgTrials *all, vgAdvice *a, double until, int own)
{
    const double finer = a->ladder[a->best].adaptive ? 0.1 : 0.5;
    double knob = a->run_knob, best = INFINITY;
    vgTrial pair[2];
    run_with(all, a, knob, until, &pair[0]);
    for (int k = 0; k < VG_ADVICE_RUNGS && pair[k % 2].status == VG_OK; k++) {
        vgTrial *t = &pair[k % 2], *next = &pair[(k + 1) % 2];
        if (own) run_with(all, a, finer * knob, until, next);
        if (own && next->status != VG_OK) break;
        vg_trial_judge(all, own ? next : &a->whole, t);
        double error = error_of(a, t, own);
        int falls = error < AGREE * best;
        if (error < best) keep(a, t, knob, error, until), best = error;
        if (best <= a->tolerance || !falls || vg_advise_left(a) < VG_ADVISE_LEFT * a->budget) break;
        knob *= finer;
        if (!own) run_with(all, a, knob, until, next);
    }
}

void vg_advise_check(const vgTrials *all, const vgAdviceOptions *o, vgAdvice *a)
{
    const double first = a->run_knob;
    int own = a->whole.status != VG_OK;
    char against[VG_TRIAL_NAME];
    snprintf(against, sizeof against, "%s", own ? "a tighter setting of its own" : a->whole.integrator);
    if (a->span < a->until) {
        double until = a->until;
        if (own) until = fmin(until, fmax(a->span, VG_ADVISE_LONGER * vg_advise_left(a) / a->run_cost));
        tighten(all, a, until, own);
        vg_advise_aim(a, a->run_knob);
    } else {
        snprintf(against, sizeof against, "%s", a->reference.integrator);
    }
    a->met = a->run_error <= a->tolerance;
    tell(o, a, first, against);
}

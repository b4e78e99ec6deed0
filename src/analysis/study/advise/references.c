/* Advice, its second part: how long the trials are, and what they are judged by. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/study/advise/parts.h"
#include "analysis/tuning.h"

/* Longest run, s, for which the trials cover the whole time. */
static const double QUICK = 0.5;

/* An explicit method over the whole run, where that does not take long. */
static void whole_run(const vgTrials *all, const vgAdviceOptions *o, vgAdvice *a)
{
    a->whole = (vgTrial){
        .end = o->end, .limit = fmin(o->limit, VG_ADVISE_FIRST * a->budget), .along = 1, .bounded = 1};
    if (vg_trials_reference(all, 0, -1, &a->whole) == VG_NO_MEMORY) a->starved = 1;
    a->used += a->whole.seconds_all;
}

/* The whole run if it is short; else several periods of the slowest motion, as the budget allows. */
static double length_of_trials(const vgAdviceOptions *o, const vgAdvice *a)
{
    double span = o->end;
    if (o->span > 0) return o->span;
    if (a->whole.status == VG_OK && a->whole.seconds_all <= QUICK) return o->end;
    if (a->eigenvalues && isfinite(a->slowest) && a->slowest > 0) {
        const double turn = 6.28 / a->slowest, most = 50 * turn;
        span =
            fmin(o->end,
                 fmax(fmax(VG_ADVISE_SPAN_LEAST * o->end, fmin(VG_ADVISE_SPAN_USUAL * o->end, most)), turn));
    }
    if (a->whole.status == VG_OK) span = fmax(span, o->end * QUICK / a->whole.seconds_all);
    return span;
}

static double coarsest_step(const vgAdvice *a)
{
    const double apart = a->span / VG_TRIAL_SAMPLES;
    double step = a->span / 100;
    if (a->eigenvalues && a->fastest > 0) step = fmin(step, fmax(0.5 / a->fastest, a->span / 800));
    return apart / ceil(apart / step - 1e-9);
}

/* An explicit reference or a fine implicit one, within the rest of the budget; over less time if both take too
 * long. */
static vgStatus over_span(const vgTrials *all, const vgAdviceOptions *o, vgAdvice *a, double *step)
{
    vgStatus st = VG_INTERRUPTED;
    for (int tries = 0; tries < 2 && st == VG_INTERRUPTED; tries++) {
        *step = coarsest_step(a);
        int stiff = a->eigenvalues &&
                    a->fastest * a->span > VG_ADVISE_STIFF; /* then explicit steps are counted by it */
        a->reference = (vgTrial){.end = a->span, .along = 1, .bounded = 1};
        a->reference.limit =
            fmin(stiff ? VG_ADVISE_STIFF_PART * o->limit : o->limit, VG_ADVISE_REFERENCE * a->budget);
        st = vg_trials_reference(all, *step, 0.1 * a->budget, &a->reference);
        a->used += a->reference.seconds_all;
        if (o->span > 0) break;
        if (st == VG_INTERRUPTED) a->span *= fmin(0.25, 0.5 * a->reference.run.t / a->span);
        if (!(a->span > 0)) break;
    }
    return st;
}

/* The reference against one with ten times its tolerance: the time up to which the motion is predictable to the
 * requested error. */
static double foretold(const vgTrials *all, vgAdvice *a)
{
    const vgTrial *r = &a->reference;
    vgTrial looser = {.end = r->end, .limit = 0.1 * a->budget, .along = 1};
    snprintf(looser.coordinates, sizeof looser.coordinates, "%s", r->coordinates);
    snprintf(looser.constraints, sizeof looser.constraints, "%s", r->constraints);
    if (!(r->row->flags & VG_INT_EXPLICIT) || r->seconds_all > VG_ADVISE_EXPLICIT * a->budget) return r->end;
    vg_converge_tolerances(r->integrator, 1e-11, 1e-12, looser.integrator);
    vg_advise_run(all, &looser, 1, 1, a);
    return looser.status == VG_OK ? vg_trial_agrees(all, r, &looser, 0.5 * a->tolerance) : r->end;
}

/* Two runs of one setting that part may have parted because of the setting: constraints whose rank changes on
 * the way, coordinates near a singularity. 1: the same method in another setting agrees with itself for longer,
 * and is the reference from here on. */
static int another_setting(const vgTrials *all, vgAdvice *a, double *until)
{
    static const char *const other[][2] = {{"relative", ""}, {"lie", "independent"}, {"lie", "augmented1"}};
    vgTrial was = a->reference;
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        vgTrial t = {.end = was.end, .limit = 0.05 * a->budget, .along = 1, .bounded = 1};
        snprintf(t.coordinates, sizeof t.coordinates, "%s", other[i][0]);
        snprintf(t.constraints, sizeof t.constraints, "%s", other[i][1]);
        snprintf(t.integrator, sizeof t.integrator, "%s", was.integrator);
        vg_advise_run(all, &t, 1, 1, a);
        if (t.status != VG_OK) continue;
        a->reference = t;
        double agrees = foretold(all, a);
        if (agrees > *until) {
            *until = agrees;
            return 1;
        }
    }
    a->reference = was;
    return 0;
}

/* Trials end where that ends. */
static vgStatus shorten(const vgTrials *all, const vgAdviceOptions *o, vgAdvice *a, double *step)
{
    for (int tries = 0; tries < 4; tries++) {
        double until = foretold(all, a);
        if (until < a->span && tries == 0 && another_setting(all, a, &until) && a->span >= o->end)
            a->whole = a->reference;
        if (until >= a->span) return VG_OK;
        a->span = a->until = until > 0 ? until : a->span / VG_TRIAL_SAMPLES;
        a->whole.status = VG_UNSUPPORTED; /* no reference any more */
        vgStatus st = over_span(all, o, a, step);
        if (st != VG_OK) return st;
    }
    return VG_OK;
}

/* A reference with fixed steps is as accurate as the change when its steps are divided by four. They are shortened
 * until that change is small beside the requested error, or takes too long. */
static void refine(const vgTrials *all, vgAdvice *a)
{
    const double most = 0.1 * a->budget, little = 0.3;
    double changes = INFINITY;
    while (a->reference.step > 0 && changes > little * a->tolerance) {
        vgTrial finer = a->reference;
        finer.step /= 4;
        finer.limit = most;
        if (4 * a->reference.seconds_all > most) break;
        vg_advise_run(all, &finer, 1, 1, a);
        if (finer.status != VG_OK) break;
        vg_trial_judge(all, &finer, &a->reference);
        changes = a->reference.worst;
        a->reference = finer;
    }
}

vgStatus vg_advise_references(const vgTrials *all, const vgAdviceOptions *o, vgDiag *diag, vgAdvice *a,
                              double *step)
{
    whole_run(all, o, a);
    const vgTrial *r = &a->whole;
    vgStatus st = r->grew ? VG_NOT_FINITE : VG_OK;
    a->span = length_of_trials(o, a);
    a->until = o->end;
    *step = coarsest_step(a);
    if (st == VG_OK) {
        a->reference = a->whole;
        if (r->status != VG_OK || a->span < o->end) st = over_span(all, o, a, step);
        if (st == VG_OK) st = shorten(all, o, a, step);
        if (st == VG_OK) refine(all, a);
        r = &a->reference;
    }
    if (r->grew)
        vg_diag_error(diag, VG_NOWHERE, "%s: advice is for motions that stay bounded; --end before that",
                      r->why);
    else if (st != VG_OK)
        vg_diag_error(diag, VG_NOWHERE, "no reference could be computed; the last tried, %s, failed: %s",
                      r->integrator, r->why);
    if (st == VG_OK && a->until < o->end)
        vg_advise_because(a,
                          "small differences grow: beyond about %.3g s no method can promise an error of %g, "
                          "and advice is for the time before",
                          a->until, a->tolerance);
    return st;
}

void vg_advise_tell_reference(vgAdvice *a)
{
    const vgTrial *r = &a->reference, *t = NULL;
    size_t n = strcspn(r->integrator, ":");
    for (int l = 0; l < a->nladder && r->step > 0; l++)
        for (int k = 0; k < a->ladder[l].nrung && !strncmp(a->ladder[l].integrator, r->integrator, n); k++)
            if (a->trial[a->ladder[l].first + k].status == VG_OK) t = &a->trial[a->ladder[l].first + k];
    if (t)
        vg_advise_because(a,
                          "the reference, %s with steps of %.3g s, is not exact itself: with steps of %.3g s "
                          "it differs by %.2g",
                          r->integrator, r->step, t->step, t->worst);
}

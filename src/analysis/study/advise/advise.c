#include "analysis/study/advise/advise.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/advise/parts.h"
#include "analysis/tuning.h"

/* Of the time for all trials, what is kept for coordinates and the check. */
static const double KEPT = 0.35;

void vg_advise_because(vgAdvice *a, const char *format, ...)
{
    va_list rest;
    if (a->nreason == VG_ADVICE_REASONS) return;
    va_start(rest, format);
    vsnprintf(a->reason[a->nreason++], sizeof a->reason[0], format, rest);
    va_end(rest);
}

double vg_advise_left(const vgAdvice *a)
{
    return a->budget - a->used;
}

void vg_advise_run(const vgTrials *all, vgTrial *trial, int n, int threads, vgAdvice *a)
{
    if (vg_trials_run(all, trial, n, threads) == VG_NO_MEMORY) a->starved = 1;
    for (int i = 0; i < n; i++) a->used += trial[i].seconds_all;
}

/* ---- trials ---- */

static const char *const candidates[] = {
    "dop853", "dopri5", "generalized-alpha:rho=0.9", "bathe:rho=0.6", "esdirk436", "bdf", "radau3", "lms4"};

static const vgIntegratorRow *row_of(const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    return vg_integrator_find(name);
}

static int meets(const vgAdvice *a, const vgTrial *t)
{
    return t->status == VG_OK && t->worst <= a->tolerance;
}

/* Meets the tolerance, and not by chance: the next tighter one does too, if it was waited for. */
static int rung_holds(const vgAdvice *a, const vgLadder *l, int k)
{
    const vgTrial *t = &a->trial[l->first + k];
    if (!meets(a, t)) return 0;
    return k + 1 == l->nrung || t[1].status == VG_INTERRUPTED || meets(a, t + 1);
}

/* The step (or tolerance) at which a ladder meets the tolerance, and what a second of the model costs there:
 * the cheapest rung that meets it; a fixed step is then stretched by the measured order, at most fourfold, to
 * a whole part of the time between samples. */
static void judge_ladder(vgAdvice *a, int l)
{
    const vgLadder *ladder = &a->ladder[l];
    const double apart = a->span / VG_TRIAL_SAMPLES;
    a->knob[l] = a->cost[l] = NAN;
    a->rung[l] = -1;
    for (int k = 0; k < ladder->nrung; k++) {
        const vgTrial *t = &a->trial[ladder->first + k];
        if (!rung_holds(a, ladder, k)) continue;
        double stretch = 1, order = vg_converge_order(ladder, a->trial, k == 0 ? 1 : k, -1);
        if (!ladder->adaptive && order > 0.5 && t->worst > 0 && k == 0)
            stretch = fmin(4, pow(0.5 * a->tolerance / t->worst, 1 / order));
        if (stretch > 1) stretch = apart / ceil(apart / (t->step * stretch) - VG_ADVISE_WHOLE) / t->step;
        if (!(stretch >= 1)) stretch = 1;
        double cost = t->run.solve_seconds / a->span / stretch;
        if (isnan(a->cost[l]) || cost < a->cost[l]) {
            a->cost[l] = cost;
            a->rung[l] = k;
            a->knob[l] = ladder->adaptive ? pow(10, -3 - k) : t->step * stretch;
        }
    }
}

static void judge_ladders(vgAdvice *a)
{
    for (int l = 0; l < a->nladder; l++) {
        judge_ladder(a, l);
        if (!isnan(a->cost[l]) && (a->best < 0 || a->cost[l] < a->cost[a->best])) a->best = l;
    }
}

/* Runs the trials; those over in a moment several times, and the least of their times counts: what else the
 * machine does should not choose the method. */
static void run_and_time(const vgTrials *all, vgTrial *trial, int n, int threads, vgAdvice *a)
{
    enum { AGAIN = 4 };
    const double moment = 5e-3;
    vg_advise_run(all, trial, n, threads, a);
    vgTrial *copy = malloc((size_t)n * sizeof *copy);
    int *of = malloc((size_t)n * sizeof *of), m = 0;
    if (n > 0 && (!copy || !of)) a->starved = 1;
    for (int i = 0; copy && of && i < n; i++)
        if (trial[i].status == VG_OK && trial[i].run.solve_seconds < moment) {
            of[m] = i;
            copy[m++] = trial[i];
        }
    for (int k = 0; k < AGAIN && m > 0; k++) {
        vg_advise_run(all, copy, m, threads, a);
        for (int i = 0; i < m; i++) {
            double *least = &trial[of[i]].run.solve_seconds;
            if (copy[i].status == VG_OK) *least = fmin(*least, copy[i].run.solve_seconds);
        }
    }
    free(copy);
    free(of);
}

/* How far a ladder has come. */
typedef struct Climber {
    int done, met; /* met: rungs in a row that meet the tolerance */
    int stalled;   /* rungs in a row that were no better than those before */
    double best;
} Climber;

static const double PATIENCE = 3, MOMENT = 0.05;

/* A rung more? Not where two in a row meet the tolerance, the error no longer falls or it takes too long. */
static void take_rung(vgAdvice *a, Climber *c, const vgTrial *t, int k)
{
    enum { FIRST = 3 }; /* no candidate is dropped before this rung */
    int better = t->status == VG_OK && t->worst < VG_ADVISE_BETTER * c->best;
    c->met = meets(a, t) ? c->met + 1 : 0;
    c->stalled = better ? 0 : c->stalled + 1;
    if (better) c->best = t->worst;
    if (t->status == VG_BAD_INPUT || t->status == VG_INTERRUPTED || t->seconds_all > a->wait) c->done = 1;
    if (c->met >= 2 || (k >= FIRST && c->stalled >= 3)) c->done = 1;
}

/* Rung k of the methods that are explicit, or not, and have not done. */
static void one_rung(const vgTrials *all, vgAdvice *a, Climber *c, vgTrial *batch, int k, int explicit,
                     int threads)
{
    int n = 0, at[VG_ADVICE_METHODS];
    double left = vg_advise_left(a) - KEPT * a->budget;
    for (int l = 0; l < a->nladder && left > 0; l++) {
        vgTrial *t = &a->trial[a->ladder[l].first + k];
        if (c[l].done || explicit != ((row_of(a->ladder[l].integrator)->flags & VG_INT_EXPLICIT) != 0))
            continue;
        if (a->reference.step > 0 && !a->ladder[l].adaptive &&
            t->step < VG_ADVISE_TOO_NEAR * a->reference.step) {
            c[l].done = 1; /* the reference is no finer */
            continue;
        }
        if (k) memcpy(t->constraints, t[-k].constraints, sizeof t->constraints);
        t->along = t->bounded = 1;
        at[n] = l;
        batch[n++] = *t;
    }
    for (int b = 0; b < n; b++) batch[b].limit = fmin(a->wait, left / n);
    run_and_time(all, batch, n, threads, a);
    for (int b = 0; b < n; b++) {
        vgTrial *t = &a->trial[a->ladder[at[b]].first + k];
        *t = batch[b];
        a->ladder[at[b]].nrung = k + 1;
        vg_trial_judge(all, &a->reference, t);
        if (meets(a, t)) a->wait = fmin(a->wait, MOMENT + PATIENCE * t->seconds_all);
    }
    for (int b = 0; b < n; b++) take_rung(a, &c[at[b]], &a->trial[a->ladder[at[b]].first + k], k);
}

/* Rung by rung, methods side by side, explicit ones last, which alone may take any time. What takes longer
 * than PATIENCE times the quickest one within the tolerance cannot win and is stopped. */
static vgStatus climb(const vgTrials *all, double limit, int threads, vgAdvice *a)
{
    vgTrial *batch = malloc((size_t)a->nladder * sizeof *batch);
    Climber c[VG_ADVICE_METHODS];
    if (!batch) return VG_NO_MEMORY;
    for (int l = 0; l < a->nladder; l++) {
        c[l] = (Climber){.best = INFINITY};
        a->ladder[l].nrung = 0;
    }
    a->wait = limit;
    for (int i = 0; i < 2 * VG_ADVICE_RUNGS; i++) one_rung(all, a, c, batch, i / 2, i % 2, threads);
    free(batch);
    return VG_OK;
}

/* The trial with the least error, where none is within the tolerance. */
static void take_nearest(vgAdvice *a)
{
    double least = INFINITY;
    for (int l = 0; l < a->nladder; l++)
        for (int k = 0; k < a->ladder[l].nrung; k++) {
            const vgTrial *t = &a->trial[a->ladder[l].first + k];
            if (t->status != VG_OK || !(t->worst < least)) continue;
            least = t->worst;
            a->best = l;
            a->rung[l] = k;
            a->knob[l] = a->ladder[l].adaptive ? pow(10, -3 - k) : t->step;
        }
}

static vgStatus run_ladders(const vgTrials *all, double step, double limit, int threads, vgAdvice *a)
{
    char name[VG_ADVICE_METHODS][64], *list[VG_ADVICE_METHODS];
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (row_of(candidates[i])) {
            snprintf(name[a->nladder], sizeof name[0], "%s", candidates[i]);
            list[a->nladder] = name[a->nladder];
            a->nladder++;
        }
    vgConverge plan = {.step = step, .end = a->span, .rtol = 1e-3, .rungs = VG_ADVICE_RUNGS, .limit = limit};
    a->trial = calloc((size_t)a->nladder * (VG_ADVICE_RUNGS + 1), sizeof *a->trial);
    if (!a->trial) return VG_NO_MEMORY;
    a->ntrial = vg_converge_plan(&plan, list, a->nladder, a->ladder, a->trial);
    vgStatus st = climb(all, limit, threads, a);
    if (st != VG_OK) return st;
    judge_ladders(a);
    a->met = a->best >= 0;
    if (!a->met) take_nearest(a);
    return VG_OK;
}

/* What a setting of the coordinates comes down to (lie in the plane: planar); 1 when that is on the list. */
static int tried_already(const vgTrials *all, vgAdvice *a, const char *coordinates, char out[40])
{
    vgSystem *sys;
    int found = 0;
    snprintf(out, 40, "%s", coordinates);
    vgStatus status = vg_system_new(all->model, coordinates, NULL, NULL, &sys);
    if (status == VG_NO_MEMORY) a->starved = 1;
    if (status != VG_OK) return 0; /* the trial says why */
    snprintf(out, 40, "%s", sys->coordinates);
    for (int i = 0; i < a->ncoordinates; i++) found |= !strcmp(a->coordinates[i].coordinates, out);
    vg_system_free(sys);
    return found;
}

/* The chosen method with its step or tolerance, or another. */
static void set_knob(const vgAdvice *a, double knob, char integrator[VG_TRIAL_NAME], double *step)
{
    const vgLadder *l = &a->ladder[a->best];
    *step = l->adaptive ? 0 : knob;
    if (l->adaptive)
        vg_converge_tolerances(l->integrator, knob, 0.01 * knob, integrator);
    else if (!strncmp(l->integrator, "generalized-alpha", 17))
        snprintf(integrator, VG_TRIAL_NAME, "generalized-alpha:rho=%s",
                 a->fastest * knob > 1 ? "0.6" : "0.9");
    else
        snprintf(integrator, VG_TRIAL_NAME, "%s", l->integrator);
}

void vg_advise_aim(vgAdvice *a, double knob)
{
    set_knob(a, knob, a->run_integrator, &a->run_step);
}

static void aim(const vgAdvice *a, int i)
{
    vgTrial *t = &a->coordinates[i];
    set_knob(a, a->coordinate_knob[i], t->integrator, &t->step);
    t->end = a->span;
    t->along = t->bounded = 1;
    t->limit = fmin(a->wait, fmax(VG_ADVISE_TRIAL_S,
                                  (vg_advise_left(a) - 0.5 * KEPT * a->budget) / VG_ADVICE_COORDINATES));
}

/* The setting that keeps the error with the least time; the first of those that are nearly as quick. */
static int best_coordinates(const vgAdvice *a)
{
    int best = -1;
    for (int i = 0; i < a->ncoordinates; i++)
        if (meets(a, &a->coordinates[i]) &&
            (best < 0 || a->coordinates[i].run.solve_seconds < 0.8 * a->coordinates[best].run.solve_seconds))
            best = i;
    return best;
}

/* The best method in every coordinate setting of the model. One that is quicker but less accurate than the
 * best may get more accurate at little cost: it has another two tries with a tighter tolerance or shorter
 * steps. */
static vgStatus run_coordinates(const vgTrials *all, int threads, vgAdvice *a)
{
    a->coordinates = calloc(VG_ADVICE_COORDINATES, sizeof *a->coordinates);
    if (!a->coordinates) return VG_NO_MEMORY;
    for (const vgCoordinatesRow *c = vg_coordinates_list; c->name; c++) {
        if (!(c->models & (all->model->planar ? 1 : 2)) || a->ncoordinates == VG_ADVICE_COORDINATES) continue;
        vgTrial *t = &a->coordinates[a->ncoordinates];
        if (tried_already(all, a, c->name, t->coordinates)) continue;
        snprintf(t->constraints, sizeof t->constraints, "%s", a->run_constraints);
        a->coordinate_knob[a->ncoordinates] = a->knob[a->best];
        aim(a, a->ncoordinates++);
    }
    run_and_time(all, a->coordinates, a->ncoordinates, threads, a);
    for (int i = 0; i < a->ncoordinates; i++) vg_trial_judge(all, &a->reference, &a->coordinates[i]);
    double finer = a->ladder[a->best].adaptive ? 0.1 : 0.5;
    for (int i = 0; i < a->ncoordinates; i++) {
        vgTrial *t = &a->coordinates[i];
        int best = best_coordinates(a);
        double goal = best >= 0 ? 0.8 * a->coordinates[best].run.solve_seconds : INFINITY;
        for (int k = 0; k < 2 && t->status == VG_OK && !meets(a, t) && t->run.solve_seconds < goal; k++) {
            a->coordinate_knob[i] *= finer;
            aim(a, i);
            run_and_time(all, t, 1, 1, a);
            vg_trial_judge(all, &a->reference, t);
        }
    }
    for (int i = 0; i < a->ncoordinates; i++) a->keep += meets(a, &a->coordinates[i]);
    int best = best_coordinates(a);
    if (best < 0) return VG_OK;
    snprintf(a->run_coordinates, sizeof a->run_coordinates, "%s", a->coordinates[best].coordinates);
    a->run_knob = a->coordinate_knob[best];
    a->run_error = a->coordinates[best].worst;
    vg_advise_aim(a, a->run_knob);
    a->run_cost = a->coordinates[best].run.solve_seconds / a->span;
    return VG_OK;
}

/* The best method in the best coordinates with every other constraint setting that it takes. */
static vgStatus run_settings(const vgTrials *all, int threads, vgAdvice *a)
{
    const vgIntegratorRow *row = row_of(a->run_integrator);
    a->settings = calloc(VG_ADVICE_SETTINGS, sizeof *a->settings);
    if (!a->settings) return VG_NO_MEMORY;
    for (const vgConstraintsRow *c = vg_constraints_list; c->name && a->nsettings < VG_ADVICE_SETTINGS; c++) {
        if (a->nl == 0 || !row || !(row->constraints & c->flag) || !strcmp(c->name, a->run_constraints))
            continue;
        vgTrial *t = &a->settings[a->nsettings];
        *t = (vgTrial){.step = a->run_step, .end = a->span, .along = 1, .bounded = 1};
        t->limit = fmin(a->wait, fmax(VG_ADVISE_TRIAL_S, 0.5 * vg_advise_left(a) / VG_ADVICE_SETTINGS));
        snprintf(t->coordinates, sizeof t->coordinates, "%s", a->run_coordinates);
        snprintf(t->constraints, sizeof t->constraints, "%s", c->name);
        snprintf(t->integrator, sizeof t->integrator, "%s", a->run_integrator);
        vg_trial_check(all, t);
        if (t->status == VG_NO_MEMORY) a->starved = 1;
        if (t->status == VG_OK) a->nsettings++;
    }
    run_and_time(all, a->settings, a->nsettings, threads, a);
    int best = -1, keep = 0;
    double least = 0.8 * a->run_cost * a->span;
    for (int i = 0; i < a->nsettings; i++) {
        vgTrial *t = &a->settings[i];
        vg_trial_judge(all, &a->reference, t);
        keep += meets(a, t);
        if (meets(a, t) && t->run.solve_seconds < least) best = i, least = t->run.solve_seconds;
    }
    if (best >= 0) {
        snprintf(a->run_constraints, sizeof a->run_constraints, "%s", a->settings[best].constraints);
        a->run_error = a->settings[best].worst;
        a->run_cost = least / a->span;
    }
    if (a->nsettings > 0)
        vg_advise_because(a, "constraints '%s': %s of %d other settings tried, %d of which keep the error",
                          a->run_constraints, best >= 0 ? "the quickest" : "as quick as any", a->nsettings,
                          keep);
    return VG_OK;
}

/* ---- the recommendation in words ---- */

/* Does the method have numerical damping that a parameter ρ∞ sets? */
static int has_rho(const vgIntegratorRow *row)
{
    for (int i = 0; i < row->nparam; i++)
        if (!strcmp(row->params[i].name, "rho")) return 1;
    return 0;
}

static void reasons_of_choice(vgAdvice *a)
{
    const vgLadder *l = &a->ladder[a->best];
    const vgTrial *t = &a->trial[l->first + a->rung[a->best]];
    int explicit = (t->row->flags & VG_INT_EXPLICIT) != 0, second = -1;
    vg_advise_because(a,
                      "%s meets a relative error of %g over %g s with the least work of %d methods tried: "
                      "%.3g s of processor time a second of motion",
                      l->integrator, a->tolerance, a->span, a->nladder, a->cost[a->best]);
    for (int i = 0; i < a->nladder; i++)
        if (i != a->best && !isnan(a->cost[i]) && (second < 0 || a->cost[i] < a->cost[second])) second = i;
    if (second >= 0)
        vg_advise_because(a, "next best: %s with %.3g s a second", a->ladder[second].integrator,
                          a->cost[second]);
    double h = l->adaptive ? a->span / (double)(t->run.stats.steps ? t->run.stats.steps : 1) : a->run_step;
    if (a->eigenvalues && explicit && a->fastest > 0)
        vg_advise_because(a,
                          "steps of about %.3g s resolve the fastest motion (%.2g rad a step): nothing is "
                          "stiff for an explicit method",
                          h, h * a->fastest);
    else if (a->eigenvalues && h * a->fastest > 1)
        vg_advise_because(a, "the step leaves motions faster than %.3g 1/s unresolved%s", 1 / h,
                          has_rho(t->row) ? ": numerical damping (ρ∞ < 1) keeps them quiet" : "");
}

/* As on its rung of the ladder; a longer step is for the coordinates' trials to prove. */
static void choose(vgAdvice *a)
{
    const vgLadder *l = &a->ladder[a->best];
    const vgTrial *t = &a->trial[l->first + a->rung[a->best]];
    snprintf(a->run_constraints, sizeof a->run_constraints, "%s", t->constraints);
    snprintf(a->run_coordinates, sizeof a->run_coordinates, "%s", t->coordinates);
    a->run_knob = l->adaptive ? a->knob[a->best] : t->step;
    a->run_error = t->worst;
    a->run_until = a->span;
    a->run_cost = t->run.solve_seconds / a->span;
    vg_advise_aim(a, a->run_knob);
}

static void tell_coordinates(vgAdvice *a)
{
    if (a->keep > 1)
        vg_advise_because(
            a,
            "coordinates '%s': the fastest of %d settings that keep the error, of %d tried: %.3g s a second",
            a->run_coordinates, a->keep, a->ncoordinates, a->run_cost);
    else if (a->keep == 1)
        vg_advise_because(a, "coordinates '%s': the only one of %d settings tried that keeps the error",
                          a->run_coordinates, a->ncoordinates);
}

static vgStatus recommend(const vgTrials *all, const vgAdviceOptions *o, vgDiag *diag, vgAdvice *a)
{
    double step = 0;
    vgStatus st = vg_advise_look(all, o, diag, a);
    if (st != VG_OK) return st;
    vg_advise_tell_model(a);
    st = vg_advise_references(all, o, diag, a, &step);
    if (st == VG_OK) st = run_ladders(all, step, o->limit, o->threads, a);
    if (st == VG_OK && a->best < 0)
        vg_advise_because(a, "none of %d methods came to the end of a trial of %g s", a->nladder, a->span);
    if (st != VG_OK || a->best < 0) return st;
    choose(a);
    if (!a->met) {
        vg_advise_because(
            a, "none of %d methods met a relative error of %g over %g s; this one came nearest, with %.2g",
            a->nladder, a->tolerance, a->span, a->run_error);
        vg_advise_tell_reference(a);
        return VG_OK;
    }
    reasons_of_choice(a);
    st = run_coordinates(all, o->threads, a);
    if (st != VG_OK) return st;
    tell_coordinates(a);
    st = run_settings(all, o->threads, a);
    if (st != VG_OK) return st;
    vg_advise_check(all, o, a);
    return VG_OK;
}

vgStatus vg_advise(const vgTrials *all, const vgAdviceOptions *o, vgDiag *diag, vgAdvice *a)
{
    memset(a, 0, sizeof *a);
    a->best = -1;
    a->tolerance = o->tolerance;
    a->budget = o->budget;
    vgStatus st = recommend(all, o, diag, a);
    return a->starved ? VG_NO_MEMORY : st;
}

void vg_advice_free(vgAdvice *a)
{
    free(a->trial);
    free(a->coordinates);
    free(a->settings);
    a->trial = a->coordinates = a->settings = NULL;
}

#include "analysis/advise.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/eig.h"

enum { MAX_EIGEN = 240 }; /* coordinates up to which the eigenvalues are looked at */

/* ---- the linearised motion ---- */

vgStatus vg_linear_eigenvalues(const vgSystem *sys, vgWork *work, const vgState *s, double *re, double *im)
{
    int nv = sys->nv, n = 2 * nv;
    double *a = calloc((size_t)n * (size_t)n + 1, sizeof *a);
    double *x = calloc((size_t)(sys->nq + 4 * nv + sys->nl) + 1, sizeof *x);
    vgStatus st = a && x ? VG_OK : VG_NO_MEMORY;
    double *q = x, *v = q + sys->nq, *d = v + nv, *acc = d + nv, *rate = acc + nv, *lambda = rate + nv;
    double size = 0;
    for (int i = 0; i < nv && st == VG_OK; i++) size = fmax(size, fabs(s->v[i]));
    for (int j = 0; j < n && st == VG_OK; j++)
        for (int side = -1; side <= 1 && st == VG_OK; side += 2) {
            int k = j < nv ? j : j - nv;
            double e = 1e-6 * sys->v_scale[k] * (j < nv ? 1 : fmax(1, size));
            memset(d, 0, (size_t)nv * sizeof *d);
            memcpy(v, s->v, (size_t)nv * sizeof *v);
            (j < nv ? d : v)[k] += side * e;
            sys->ops->retract(sys, s->q, d, q);
            sys->ops->rates(sys, d, q, v, rate);
            st = sys->ops->accel(sys, work, s->t, q, v, acc, lambda);
            for (int i = 0; i < nv; i++) {
                a[i * n + j] += side * rate[i] / (2 * e);
                a[(nv + i) * n + j] += side * acc[i] / (2 * e);
            }
        }
    if (st == VG_OK) st = vg_eig_general(a, n, re, im, NULL);
    free(a);
    free(x);
    return st;
}

static vgStatus look_at_eigenvalues(vgAdvice *a, const vgSimulation *sim)
{
    int n = 2 * sim->sys->nv;
    double *re = calloc(2 * (size_t)n + 1, sizeof *re), *im = re ? re + n : NULL;
    vgStatus st = re ? vg_linear_eigenvalues(sim->sys, sim->it->work, sim->state, re, im) : VG_NO_MEMORY;
    a->slowest = INFINITY;
    for (int i = 0; i < n && st == VG_OK; i++) {
        double size = hypot(re[i], im[i]);
        if (size > a->fastest) a->fastest = size, a->fastest_re = re[i], a->fastest_im = fabs(im[i]);
        a->decay = fmin(a->decay, re[i]);
    }
    for (int i = 0; i < n && st == VG_OK; i++) {
        double size = hypot(re[i], im[i]);
        if (size > 1e-3 * a->fastest && size < a->slowest)
            a->slowest = size; /* smaller ones may be rounding */
    }
    if (st == VG_OK) a->eigenvalues = 1;
    free(re);
    return st;
}

static vgStatus look_at_model(const vgTrials *all, vgDiag *diag, vgAdvice *a)
{
    const vgModel *m = all->model;
    vgSimulation sim;
    vgDials dials = {.integrator = "rk4", .constraints = "index1"};
    vgStatus st = vg_simulation_open(m, &dials, diag, &sim);
    if (st != VG_OK) return st;
    vgModelSummary sum;
    vg_model_describe(m, &sum);
    a->bodies = sum.bodies;
    a->nv = sim.sys->nv;
    a->nl = sim.sys->nl;
    a->redundant = sim.assembly.nredundant;
    a->freedom = sim.assembly.freedom;
    for (int i = 0; i < m->njoint; i++)
        a->joints += m->joint[i].nrow > 0 && m->joint[i].kind->head == VG_HEAD_FRAMES;
    a->loops = a->joints > a->bodies ? a->joints - a->bodies : 0;
    for (int i = 0; i < m->nforce; i++) {
        const char *kind = m->force[i].kind->name;
        a->contacts += strstr(kind, "contact") || strstr(kind, "friction");
    }
    if (a->nv <= MAX_EIGEN) st = look_at_eigenvalues(a, &sim);
    if (st != VG_NO_MEMORY) st = VG_OK; /* a start where nothing can be differentiated is no hindrance */
    vg_simulation_close(&sim);
    return st;
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

/* The step (or tolerance) at which a ladder meets the tolerance, and what a second of the model costs there:
 * the cheapest rung that meets it; a fixed step is then stretched by the measured order, at most fourfold. */
static void judge_ladder(vgAdvice *a, int l)
{
    const vgLadder *ladder = &a->ladder[l];
    a->knob[l] = a->cost[l] = NAN;
    for (int k = 0; k < ladder->nrung; k++) {
        const vgTrial *t = &a->trial[ladder->first + k];
        if (t->status != VG_OK || !(t->worst <= a->tolerance)) continue;
        double stretch = 1, order = vg_converge_order(ladder, a->trial, k == 0 ? 1 : k, -1);
        if (!ladder->adaptive && order > 0.5 && t->worst > 0 && k == 0)
            stretch = fmin(4, pow(0.5 * a->tolerance / t->worst, 1 / order));
        if (stretch < 1) stretch = 1;
        double cost = t->run.solve_seconds / a->span / stretch;
        if (isnan(a->cost[l]) || cost < a->cost[l]) {
            a->cost[l] = cost;
            a->knob[l] = ladder->adaptive ? pow(10, -3 - k) : t->step * stretch;
        }
    }
}

/* Runs the trials; those over in a moment several times, and the least of their times counts: what else the
 * machine does should not choose the method. */
static void run_and_time(const vgTrials *all, vgTrial *trial, int n, int threads)
{
    enum { AGAIN = 4 };
    const double moment = 5e-3;
    vg_trials_run(all, trial, n, threads);
    vgTrial *copy = malloc((size_t)n * sizeof *copy);
    int *of = malloc((size_t)n * sizeof *of), m = 0;
    for (int i = 0; copy && of && i < n; i++)
        if (trial[i].status == VG_OK && trial[i].run.solve_seconds < moment) {
            of[m] = i;
            copy[m++] = trial[i];
        }
    for (int k = 0; k < AGAIN && m > 0; k++) {
        vg_trials_run(all, copy, m, threads);
        for (int i = 0; i < m; i++) {
            double *least = &trial[of[i]].run.solve_seconds;
            if (copy[i].status == VG_OK) *least = fmin(*least, copy[i].run.solve_seconds);
        }
    }
    free(copy);
    free(of);
}

/* Rung by rung, methods side by side, explicit ones last, which alone may take any time. What takes longer
 * than PATIENCE times the quickest that has met the error cannot win and is not waited for; nor are finer
 * rungs of a method tried that was too slow on one. */
static vgStatus climb(const vgTrials *all, double limit, int threads, vgAdvice *a)
{
    const double PATIENCE = 3, MOMENT = 0.05;
    vgTrial *batch = malloc((size_t)a->nladder * sizeof *batch);
    int slow[VG_ADVICE_METHODS] = {0};
    if (!batch) return VG_NO_MEMORY;
    a->wait = limit;
    for (int i = 0; i < 2 * VG_ADVICE_RUNGS; i++) {
        int k = i / 2, n = 0, at[VG_ADVICE_METHODS];
        for (int l = 0; l < a->nladder; l++) {
            vgTrial *t = &a->trial[a->ladder[l].first + k];
            int explicit = (row_of(a->ladder[l].integrator)->flags & VG_INT_EXPLICIT) != 0;
            if (k >= a->ladder[l].nrung || explicit != i % 2) continue;
            t->status = VG_INTERRUPTED; /* unless it is run */
            snprintf(t->why, sizeof t->why, "not tried: what is coarser took too long");
            if (k) memcpy(t->constraints, t[-k].constraints, sizeof t->constraints);
            t->limit = a->wait;
            if (!slow[l]) at[n] = l, batch[n++] = *t;
        }
        run_and_time(all, batch, n, threads);
        for (int b = 0; b < n; b++) {
            vgTrial *t = &a->trial[a->ladder[at[b]].first + k];
            *t = batch[b];
            vg_trial_judge(all, &a->reference, t);
            if (t->status == VG_OK && t->worst <= a->tolerance)
                a->wait = fmin(a->wait, MOMENT + PATIENCE * t->seconds_all);
        }
        for (int b = 0; b < n; b++)
            slow[at[b]] = batch[b].status == VG_INTERRUPTED || batch[b].seconds_all > a->wait;
    }
    free(batch);
    return VG_OK;
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
    a->best = -1;
    for (int l = 0; l < a->nladder; l++) {
        judge_ladder(a, l);
        if (!isnan(a->cost[l]) && (a->best < 0 || a->cost[l] < a->cost[a->best])) a->best = l;
    }
    return VG_OK;
}

/* What a setting of the coordinates comes down to (lie in the plane: planar); 1 when that is on the list. */
static int tried_already(const vgTrials *all, const vgAdvice *a, const char *coordinates, char out[40])
{
    vgSystem *sys;
    int found = 0;
    snprintf(out, 40, "%s", coordinates);
    if (vg_system_new(all->model, coordinates, NULL, NULL, &sys) != VG_OK) return 0; /* the trial says why */
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

static void aim(const vgAdvice *a, int i)
{
    vgTrial *t = &a->coordinates[i];
    set_knob(a, a->coordinate_knob[i], t->integrator, &t->step);
    t->end = a->span;
    t->limit = a->wait;
}

static int keeps_error(const vgAdvice *a, const vgTrial *t)
{
    return t->status == VG_OK && t->worst <= 2 * a->tolerance;
}

/* The setting that keeps the error with the least time; the first of those that are nearly as quick. */
static int best_coordinates(const vgAdvice *a)
{
    int best = -1;
    for (int i = 0; i < a->ncoordinates; i++)
        if (keeps_error(a, &a->coordinates[i]) &&
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
    run_and_time(all, a->coordinates, a->ncoordinates, threads);
    for (int i = 0; i < a->ncoordinates; i++) vg_trial_judge(all, &a->reference, &a->coordinates[i]);
    double finer = a->ladder[a->best].adaptive ? 0.1 : 0.5;
    for (int i = 0; i < a->ncoordinates; i++) {
        vgTrial *t = &a->coordinates[i];
        int best = best_coordinates(a);
        double goal = best >= 0 ? 0.8 * a->coordinates[best].run.solve_seconds : INFINITY;
        for (int k = 0; k < 2 && t->status == VG_OK && !keeps_error(a, t) && t->run.solve_seconds < goal;
             k++) {
            a->coordinate_knob[i] *= finer;
            aim(a, i);
            run_and_time(all, t, 1, 1);
            vg_trial_judge(all, &a->reference, t);
        }
    }
    for (int i = 0; i < a->ncoordinates; i++) a->keep += keeps_error(a, &a->coordinates[i]);
    int best = best_coordinates(a);
    if (best < 0) return VG_OK;
    snprintf(a->run_coordinates, sizeof a->run_coordinates, "%s", a->coordinates[best].coordinates);
    set_knob(a, a->coordinate_knob[best], a->run_integrator, &a->run_step);
    a->run_cost = a->coordinates[best].run.solve_seconds / a->span;
    return VG_OK;
}

/* ---- the recommendation in words ---- */

static void because(vgAdvice *a, const char *format, ...) VG_PRINTF_LIKE(2, 3);

static void because(vgAdvice *a, const char *format, ...)
{
    va_list rest;
    if (a->nreason == VG_ADVICE_REASONS) return;
    va_start(rest, format);
    vsnprintf(a->reason[a->nreason++], sizeof a->reason[0], format, rest);
    va_end(rest);
}

static void reasons_of_model(vgAdvice *a)
{
    because(a, "%d bod%s, %d degree%s of freedom, %d coordinate%s and %d constraint row%s%s", a->bodies,
            a->bodies == 1 ? "y" : "ies", a->freedom, a->freedom == 1 ? "" : "s", a->nv,
            a->nv == 1 ? "" : "s", a->nl, a->nl == 1 ? "" : "s",
            a->nl ? "" : ": an ordinary differential equation, the constraint dial does not matter");
    if (a->loops) because(a, "%d closed loop%s", a->loops, a->loops > 1 ? "s" : "");
    if (a->redundant)
        because(a, "%d constraint row%s others; multipliers are not unique", a->redundant,
                a->redundant == 1 ? " repeats" : "s repeat");
    if (a->eigenvalues && !(a->fastest > 0))
        because(a, "no motion of its own at the start: all eigenvalues are zero");
    else if (a->eigenvalues)
        because(a, "fastest motion at the start: |λ| = %.4g 1/s (%.4g ± %.4g i), slowest %.4g 1/s",
                a->fastest, a->fastest_re, a->fastest_im, isfinite(a->slowest) ? a->slowest : 0);
    else
        because(a, "eigenvalues not looked at: more than %d coordinates", MAX_EIGEN);
    if (a->contacts)
        because(a,
                "%d contact%s during the motion: methods of low order or with error control follow that best",
                a->contacts,
                a->contacts == 1 ? " or friction element switches" : "s or friction elements switch");
}

static void reasons_of_choice(vgAdvice *a)
{
    const vgLadder *l = &a->ladder[a->best];
    const vgTrial *t = &a->trial[l->first];
    int explicit = (t->row->flags & VG_INT_EXPLICIT) != 0, second = -1;
    because(a,
            "%s meets a relative error of %g over %g s with the least work of %d methods tried: %.3g s of "
            "processor "
            "time a second of motion",
            l->integrator, a->tolerance, a->span, a->nladder, a->cost[a->best]);
    for (int i = 0; i < a->nladder; i++)
        if (i != a->best && !isnan(a->cost[i]) && (second < 0 || a->cost[i] < a->cost[second])) second = i;
    if (second >= 0)
        because(a, "next best: %s with %.3g s a second", a->ladder[second].integrator, a->cost[second]);
    double h = l->adaptive ? a->span / (double)(t->run.stats.steps ? t->run.stats.steps : 1) : a->run_step;
    if (a->eigenvalues && explicit && a->fastest > 0)
        because(a,
                "steps of about %.3g s resolve the fastest motion (%.2g rad a step): nothing is stiff for an "
                "explicit "
                "method",
                h, h * a->fastest);
    else if (a->eigenvalues && h * a->fastest > 1)
        because(a,
                "the step leaves motions faster than %.3g 1/s unresolved: numerical damping (ρ∞ < 1) keeps "
                "them quiet",
                1 / h);
}

static void choose(vgAdvice *a)
{
    const vgTrial *t = &a->trial[a->ladder[a->best].first];
    snprintf(a->run_constraints, sizeof a->run_constraints, "%s", t->constraints);
    snprintf(a->run_coordinates, sizeof a->run_coordinates, "%s", t->coordinates);
    set_knob(a, a->knob[a->best], a->run_integrator, &a->run_step);
    a->run_cost = a->cost[a->best];
}

vgStatus vg_advise(const vgTrials *all, double tolerance, double end, double span, double limit, int threads,
                   vgDiag *diag, vgAdvice *a)
{
    memset(a, 0, sizeof *a);
    a->best = -1;
    a->tolerance = tolerance;
    vgStatus st = look_at_model(all, diag, a);
    if (st != VG_OK) return st;
    /* some turns of the slowest motion, at most the whole run */
    a->span = span > 0 ? span : end;
    if (!(span > 0) && a->eigenvalues && isfinite(a->slowest) && a->slowest > 0) {
        const double turn = 6.28 / a->slowest, most = 50 * turn;
        a->span = fmin(end, fmax(fmin(0.05 * end, most), turn));
    }
    double step = a->span / 100;
    if (a->eigenvalues && a->fastest > 0) step = fmin(step, fmax(0.5 / a->fastest, a->span / 800));
    reasons_of_model(a);
    int stiff = a->eigenvalues && a->fastest * a->span > 1e4; /* then explicit steps are counted by it */
    st = vg_trials_reference(all, step, a->span, stiff ? 0.2 * limit : limit, &a->reference);
    if (st != VG_OK) {
        vg_diag_error(diag, VG_NOWHERE, "no reference could be computed: %s", a->reference.why);
        return st;
    }
    st = run_ladders(all, step, limit, threads, a);
    if (st != VG_OK) return st;
    if (a->best < 0) {
        because(a, "none of %d methods met a relative error of %g over %g s: ask for less, or shorter trials",
                a->nladder, a->tolerance, a->span);
        return VG_OK;
    }
    choose(a);
    reasons_of_choice(a);
    st = run_coordinates(all, threads, a);
    if (st == VG_OK && a->keep > 1)
        because(
            a,
            "coordinates '%s': the fastest of %d settings that keep the error, of %d tried: %.3g s a second",
            a->run_coordinates, a->keep, a->ncoordinates, a->run_cost);
    else if (st == VG_OK && a->keep == 1)
        because(a, "coordinates '%s': the only one of %d settings tried that keeps the error",
                a->run_coordinates, a->ncoordinates);
    return st;
}

void vg_advice_free(vgAdvice *a)
{
    free(a->trial);
    free(a->coordinates);
    a->trial = a->coordinates = NULL;
}

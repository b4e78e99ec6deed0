#include "analysis/forward/forward.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/forward/variation.h"
#include "analysis/run/dense_output.h"
#include "analysis/run/motion.h"
#include "integrator/stage/renewal.h"
#include "model/model.h"

/* Velocities that change by more than this part at a restart jump there. */
static const double JUMP = 1e-9;
/* Times nearer than this part of the least distance of the samples are one (as in runs). */
static const double AT_TIME = 1e-6;

/* A motion whose quantities and histories are taken: that of the run, or the one beside it. */
typedef struct Seen {
    const vgSystem *sys;
    vgWork *work;
    vgState *now, *before; /* at the ends of the last step */
    vgTally *tally;
    vgChannels *history;
    vgDense *dense;
    vgState *shown;
    double *y; /* length */
} Seen;

typedef struct Branch { /* one parameter */
    vgVariationSide side[VG_VARIATION_SIDES];
    int nside;
    vgModel *model[VG_VARIATION_SIDES];
    vgSimulation sim[VG_VARIATION_SIDES];
    Seen seen[VG_VARIATION_SIDES];
    vgSystem *variation;
    vgIntegrator *it;
    vgState *x; /* the variation */
} Branch;

typedef struct Forward {
    vgBatch *b;
    const double *p, *scale;
    int first, n; /* parameters */
    vgDiag *diag;
    vgModel *model;
    vgSimulation sim;
    vgTrack *track;
    vgTransientOptions how;
    vgCompany company;
    Branch *branch;
    Seen seen;
    long next;       /* time of the histories */
    double *track_v; /* velocities after the last step */
    int begun, every_step;
    int shows; /* 1: samples are solved for accelerations and multipliers */
    double interval;
    char *why;
} Forward;

static vgStatus refuse(Forward *f, const char *why)
{
    if (!f->why[0]) snprintf(f->why, VG_SWEEP_WHY, "%s", why);
    return VG_UNSUPPORTED;
}

/* ---- models ---- */

/* The model with parameter k moved by `by` of its size; k < 0: none. */
static vgStatus model_at(const Forward *f, int k, double by, vgModel **out)
{
    const vgBatch *b = f->b;
    int n = b->sweep.nset;
    vgParamSet *set = calloc((size_t)(n + b->nparam) + 1, sizeof *set);
    if (!set) return VG_NO_MEMORY;
    if (n > 0) memcpy(set, b->sweep.set, (size_t)n * sizeof *set);
    for (int i = 0; i < b->nparam; i++)
        set[n++] = (vgParamSet){.name = b->param[i], .value = f->p[i] + (i == k ? by * f->scale[i] : 0)};
    *out = vg_model_of(b->sweep.source, set, n, f->diag);
    free(set);
    if (!*out) return vg_diag_starved(f->diag) ? VG_NO_MEMORY : VG_BAD_INPUT;
    if (b->sweep.plain) vg_model_set_plain(*out, 1);
    return VG_OK;
}

static vgStatus open_at(const Forward *f, int k, double by, vgModel **model, vgSimulation *sim)
{
    vgStatus status = model_at(f, k, by, model);
    return status == VG_OK ? vg_simulation_open(*model, &f->b->sweep.dials, f->diag, sim) : status;
}

static const char *integrator_of(const Forward *f)
{
    const char *given = f->b->sweep.dials.integrator, *own = f->model->run.integrator;
    return given && *given ? given : own && *own ? own : "generalized-alpha";
}

/* ---- what is taken of a motion ---- */

static vgStatus see(Forward *f, Seen *s, const vgSystem *sys)
{
    const vgSweep *w = &f->b->sweep;
    s->sys = sys;
    vgStatus status = vg_work_new(sys, &s->work);
    if (status == VG_OK) status = vg_state_new(sys, 0, &s->now);
    if (status == VG_OK) status = vg_state_new(sys, 0, &s->before);
    if (status == VG_OK) status = vg_state_new(sys, 0, &s->shown);
    if (status == VG_OK) status = vg_dense_new(sys, &s->dense);
    if (status == VG_OK && w->quantities) status = vg_tally_new(w->quantities, sys, f->diag, &s->tally);
    if (status == VG_OK && w->nhistory > 0)
        status = vg_channels_new(sys, w->history, w->nhistory, f->diag, &s->history);
    s->y = calloc((size_t)vg_batch_length(f->b) + 1, sizeof *s->y);
    if (status == VG_OK && !s->y) status = VG_NO_MEMORY;
    if (status != VG_OK) return status;
    vgChannels *of_tally = s->tally ? vg_tally_channels(s->tally) : NULL;
    if ((of_tally && vg_channels_wants_steps(of_tally)) ||
        (s->history && vg_channels_wants_steps(s->history)))
        return refuse(f, "a channel is a sum over the steps");
    return VG_OK;
}

static void unsee(Seen *s)
{
    vg_work_free(s->work);
    vg_state_free(s->now);
    vg_state_free(s->before);
    vg_state_free(s->shown);
    vg_dense_free(s->dense);
    vg_tally_free(s->tally);
    if (s->history) vg_channels_free(s->history);
    free(s->y);
}

/* The sample at s, as the results show it. */
static const vgState *sample(const Forward *f, const Seen *s, const vgState *x)
{
    vg_work_bind(s->work, x);
    return f->shows ? vg_motion_of(s->sys, vg_dense_work(s->dense), s->work, s->shown, x) : x;
}

static void take_quantities(Forward *f, Seen *s)
{
    if (s->tally) vg_tally_row(s->tally, s->work, sample(f, s, s->now));
}

static void take_history(Forward *f, Seen *s)
{
    const vgSweep *w = &f->b->sweep;
    const long row = f->next;
    const double t = w->times[row];
    const vgState *x;
    if (fabs(t - s->now->t) <= AT_TIME * f->interval || t > s->now->t) {
        x = sample(f, s, s->now);
    } else {
        vg_work_bind(s->work, s->now);
        vg_dense_row(s->dense, s->sys, s->before, s->now, t, s->shown);
        vg_work_bind(s->work, s->shown);
        x = s->shown;
    }
    int nq = w->quantities ? vg_quantities_count(w->quantities) : 0;
    vg_channels_eval(s->history, s->work, x, s->y + nq + row * w->nhistory);
}

/* Calls take for the run and for every motion beside it. */
static void of_all(Forward *f, void (*take)(Forward *, Seen *))
{
    take(f, &f->seen);
    for (int k = 0; k < f->n; k++)
        for (int i = 0; i < f->branch[k].nside; i++) take(f, &f->branch[k].seen[i]);
}

static void place_all(Forward *f, const vgState *s)
{
    vg_state_copy(f->sim.sys, f->seen.now, s);
    for (int k = 0; k < f->n; k++)
        for (int i = 0; i < f->branch[k].nside; i++)
            vg_variation_add(f->branch[k].variation, i, s, f->branch[k].x, f->branch[k].seen[i].now);
}

static void keep_before(Forward *f, Seen *s)
{
    vg_state_copy(f->sim.sys, s->before, s->now);
}

/* At the ends of steps. */
static void take_samples(Forward *f, const vgState *s, int quantities)
{
    const vgSweep *w = &f->b->sweep;
    const double now = s->t + AT_TIME * f->interval;
    const int histories = w->nhistory > 0 && f->next < w->ntimes;
    if (!quantities && !histories) return;
    place_all(f, s);
    if (quantities) of_all(f, take_quantities);
    for (; histories && f->next < w->ntimes && w->times[f->next] <= now; f->next++) of_all(f, take_history);
    if (histories) of_all(f, keep_before);
}

/* ---- along the run ---- */

/* The method starts: at the beginning of the run, and behind a corner of a law of time, where positions and velocities and
 * their variations go on. */
static vgStatus begun(void *user, const vgState *s, double h)
{
    Forward *f = user;
    const int first = !f->begun;
    f->begun = 1;
    double jump = 0, size = 0;
    for (int i = 0; i < f->sim.sys->nv && !first; i++) {
        jump = fmax(jump, fabs(s->v[i] - f->track_v[i]));
        size = fmax(size, fabs(s->v[i]));
    }
    if (jump > JUMP * size) return refuse(f, "velocities jump in the run");
    vgStatus status = vg_track_begin(f->track, s);
    for (int k = 0; k < f->n && status == VG_OK; k++) {
        Branch *b = &f->branch[k];
        b->x->t = s->t;
        memcpy(b->x->active, s->active, (size_t)f->sim.sys->nphi);
        vg_variation_before(b->variation);
        vg_work_bind(b->it->work, b->x);
        status = b->variation->ops->accel(b->variation, b->it->work, s->t, b->x->q, b->x->v, b->x->a,
                                          b->x->lambda);
        b->it->step_hint = h;
        if (status == VG_OK) status = b->it->row->start(b->it, b->x);
    }
    if (status == VG_OK && first) take_samples(f, s, 1);
    memcpy(f->track_v, s->v, (size_t)f->sim.sys->nv * sizeof *s->v);
    return status;
}

static vgStatus stepped(void *user, const vgState *s, double h)
{
    Forward *f = user;
    const double t0 = f->branch[0].x->t;
    const char *why = vg_track_refuses(f->track);
    if (why) return refuse(f, why);
    if (fabs(s->t - t0 - h) > AT_TIME * h) return refuse(f, "a step was taken in another way");
    vg_track_end(f->track, s, h);
    for (int k = 0; k < f->n; k++) {
        Branch *b = &f->branch[k];
        vgStep step = VG_STEP;
        step.over = 1; /* its error is no matter */
        memcpy(b->x->active, s->active, (size_t)f->sim.sys->nphi);
        vg_variation_before(b->variation);
        vgStatus status = b->it->row->step(b->it, b->x, h, &step);
        if (status == VG_NO_MEMORY) return status;
        if (status != VG_OK || !vg_variation_went_along(b->variation))
            return refuse(f, status != VG_OK ? b->it->failure.text : "a step of variations did not converge");
        b->x->t = s->t;
        b->x->step = s->step + 1;
    }
    take_samples(f, s, f->every_step);
    vg_track_next(f->track);
    memcpy(f->track_v, s->v, (size_t)f->sim.sys->nv * sizeof *s->v);
    return VG_OK;
}

/* ---- set-up ---- */

/* A side: its model, its start as a part of the variation's, and what is seen of it. */
static vgStatus open_side(Forward *f, int k, int i, double at, double weight)
{
    Branch *b = &f->branch[k];
    vgStatus status = open_at(f, f->first + k, at * VG_VARIATION_STEP, &b->model[i], &b->sim[i]);
    if (status != VG_OK) return status;
    b->side[i] = (vgVariationSide){b->sim[i].sys, at, weight};
    b->nside = i + 1;
    return see(f, &b->seen[i], b->sim[i].sys);
}

static void add_start(const Forward *f, const Branch *b, double *room)
{
    const vgSystem *sys = f->sim.sys;
    for (int i = 0; i < b->nside; i++) {
        const double by = b->side[i].weight / VG_VARIATION_STEP;
        sys->ops->local(sys, f->sim.state->q, b->sim[i].state->q, room);
        for (int j = 0; j < sys->nv; j++) {
            b->x->q[j] += by * room[j];
            b->x->v[j] += by * (b->sim[i].state->v[j] - f->sim.state->v[j]);
        }
    }
}

/* Both sides of the parameter; where there is no model on one of them (a damping of zero), two on the other. */
static vgStatus open_sides(Forward *f, int k)
{
    static const double one_sided[3][2] = {{0, -1.5}, {1, 2}, {2, -0.5}};
    vgStatus status = open_side(f, k, 0, -1, -0.5);
    if (status == VG_OK) return open_side(f, k, 1, 1, 0.5);
    if (status != VG_BAD_INPUT) return status;
    vg_model_free(f->branch[k].model[0]);
    f->branch[k].model[0] = NULL;
    status = VG_OK;
    for (int i = 0; i < 3 && status == VG_OK; i++)
        status = open_side(f, k, i, one_sided[i][0], one_sided[i][1]);
    return status;
}

static vgStatus open_branch(Forward *f, int k)
{
    Branch *b = &f->branch[k];
    vgStatus status = open_sides(f, k);
    if (status == VG_OK) status = vg_variation_new(f->track, b->side, b->nside, &b->variation);
    if (status == VG_UNSUPPORTED) return refuse(f, "the parameter changes the number of coordinates");
    if (status == VG_OK) status = vg_integrator_new(b->variation, integrator_of(f), f->diag, &b->it);
    if (status != VG_OK) return status;
    vg_renewal_free(b->it->renewal);
    b->it->renewal = NULL;
    b->it->rows_apart = 0;
    vg_variation_take(b->variation, b->it);
    status = vg_state_new(b->variation, b->it->nhistory, &b->x);
    if (status == VG_OK) add_start(f, b, f->track_v);
    return status;
}

static vgStatus set_times(Forward *f)
{
    const vgRunOptions *m = &f->model->run;
    const vgSweep *s = &f->b->sweep;
    f->how = (vgTransientOptions){.step = s->step > 0 ? s->step : m->step,
                                  .end = s->end > 0 ? s->end : m->end,
                                  .every = 1,
                                  .locate = m->locate_events,
                                  .monitor = 1,
                                  .company = &f->company};
    f->interval = f->how.end;
    for (long i = 1; i < s->ntimes; i++) f->interval = fmin(f->interval, s->times[i] - s->times[i - 1]);
    return VG_OK;
}

static vgStatus open_all(Forward *f)
{
    const int n = f->n;
    f->diag = vg_diag_new();
    f->branch = calloc((size_t)n + 1, sizeof *f->branch);
    f->every_step = f->b->sweep.quantities && vg_quantities_need_steps(f->b->sweep.quantities);
    if (!f->diag || !f->branch) return VG_NO_MEMORY;
    vgStatus status = open_at(f, -1, 0, &f->model, &f->sim);
    if (status == VG_OK) status = vg_track_new(f->sim.it, f->sim.state, &f->track);
    if (status != VG_OK) return status;
    if (vg_track_refuses(f->track)) return refuse(f, vg_track_refuses(f->track));
    f->company = (vgCompany){.user = f, .begun = begun, .stepped = stepped};
    f->shows = vg_motion_is_shown(f->sim.it);
    status = set_times(f);
    if (status == VG_OK) status = see(f, &f->seen, f->sim.sys);
    f->track_v = calloc((size_t)f->sim.sys->nv + 1, sizeof *f->track_v);
    if (status == VG_OK && !f->track_v) status = VG_NO_MEMORY;
    for (int k = 0; k < n && status == VG_OK; k++) status = open_branch(f, k);
    return status;
}

static void close_all(Forward *f)
{
    for (int k = 0; f->branch && k < f->n; k++) {
        Branch *b = &f->branch[k];
        vg_integrator_free(b->it);
        vg_state_free(b->x);
        vg_system_free(b->variation);
        for (int i = 0; i < VG_VARIATION_SIDES; i++) {
            unsee(&b->seen[i]);
            vg_simulation_close(&b->sim[i]);
            vg_model_free(b->model[i]);
        }
    }
    unsee(&f->seen);
    vg_track_free(f->track);
    vg_simulation_close(&f->sim);
    vg_model_free(f->model);
    vg_diag_free(f->diag);
    free(f->branch);
    free(f->track_v);
}

static void results(Forward *f, double *y, double *dy, double *bend)
{
    const long length = vg_batch_length(f->b);
    if (f->seen.tally) vg_tally_values(f->seen.tally, f->seen.y);
    memcpy(y, f->seen.y, (size_t)length * sizeof *y);
    for (int k = 0; k < f->n; k++) {
        Branch *b = &f->branch[k];
        double *d = dy + k * length, *apart = bend + k * length;
        memset(d, 0, (size_t)length * sizeof *d);
        memset(apart, 0, (size_t)length * sizeof *apart);
        for (int i = 0; i < b->nside; i++) {
            const double unit = VG_VARIATION_STEP * f->scale[f->first + k], by = b->side[i].weight / unit;
            if (b->seen[i].tally) vg_tally_values(b->seen[i].tally, b->seen[i].y);
            for (long j = 0; j < length; j++) d[j] += by * b->seen[i].y[j];
            for (long j = 0; j < length && b->nside == 2; j++) apart[j] += (b->seen[i].y[j] - y[j]) / unit;
        }
    }
}

static int cancelled(void *user)
{
    const vgSweep *s = user;
    return s->cancelled && s->cancelled(s->user);
}

vgStatus vg_forward(vgBatch *b, const double *p, const double *scale, int first, int n, double *y, double *dy,
                    double *bend, char *why)
{
    Forward f = {.b = b, .p = p, .scale = scale, .first = first, .n = n, .why = why};
    vgTransientResult result = {0};
    vgSink sink = {.user = &b->sweep, .cancelled = cancelled};
    why[0] = 0;
    vgStatus status = open_all(&f);
    if (status == VG_OK) status = vg_transient_run(f.sim.it, f.sim.state, &f.how, &sink, &result);
    if (status == VG_OK && !f.every_step) take_samples(&f, f.sim.state, 1);
    if (status == VG_OK) results(&f, y, dy, bend);
    if (status != VG_OK && !why[0])
        snprintf(why, VG_SWEEP_WHY, "%s",
                 result.failure.text[0]                ? result.failure.text
                 : f.diag && vg_diag_count(f.diag) > 0 ? vg_diag_line(f.diag, 0)
                                                       : vg_status_text(status));
    close_all(&f);
    return status;
}

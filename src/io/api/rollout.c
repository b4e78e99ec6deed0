/* C API: many short motions at a time (include/verge/run.h). Every thread has a simulation of its own, and every motion
 * begins from the same checkpoint, so that none depends on those before it. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "io/api/sim.h"
#include "verge/run.h"

enum { MOST_THREADS = 256, LOOK_EVERY = 64 }; /* steps between two looks whether to go on */

typedef struct Rollout {
    const vgModel *model;
    const vgRolloutHow *how;
    int nx, nu;
    int single;      /* 1: vg_sim_step takes the steps; 0: controllers or error control choose their own */
    atomic_int next; /* the next motion */
    atomic_int stop; /* 1: no more */
    atomic_long done;
    pthread_mutex_t lock;
    int failed;      /* least index of a motion that failed; count: none */
    char error[500]; /* why */
} Rollout;

typedef struct Worker {
    Rollout *all;
    vgSim *sim;
    void *fresh; /* checkpoint of the start */
    double *own; /* the state in it */
    size_t size;
    int first; /* 1: in the caller's thread */
    pthread_t thread;
    int running;
} Worker;

static vgStatus open_worker(Rollout *r, Worker *w, vgDiag *diag)
{
    const vgRolloutHow *how = r->how;
    const vgSimOptions options = {how->coordinates, how->constraints, how->integrator, how->step};
    w->all = r;
    vgStatus status = vg_sim_new(r->model, &options, diag, &w->sim);
    if (status == VG_OK && how->nchannel > 0) {
        int found = 0;
        status = vg_sim_watch(w->sim, how->channels, how->nchannel, &found);
        if (status == VG_OK && found != how->nchannel) status = VG_BAD_INPUT;
        if (status != VG_OK)
            vg_diag_error(diag, VG_NOWHERE, "%s",
                          *vg_sim_error(w->sim) ? vg_sim_error(w->sim)
                                                : "channels of a rollout are named one by one");
    }
    if (status != VG_OK) return status;
    w->size = vg_sim_checkpoint_size(w->sim);
    w->fresh = malloc(w->size);
    w->own = calloc((size_t)vg_sim_state_size(w->sim, NULL) + 1, sizeof *w->own);
    status = w->fresh && w->own ? vg_sim_save(w->sim, w->fresh, w->size) : VG_NO_MEMORY;
    return status == VG_OK ? vg_sim_state_get(w->sim, w->own) : status;
}

static void close_worker(Worker *w)
{
    vg_sim_free(w->sim);
    free(w->fresh);
    free(w->own);
}

/* Sample k of motion m; nan: it was not reached. */
static vgStatus sample(const Worker *w, int m, int k, int nan)
{
    const Rollout *r = w->all;
    const vgRolloutHow *how = r->how;
    const size_t row = (size_t)m * ((size_t)how->steps + 1) + (size_t)k;
    double *x = how->states_out ? how->states_out + row * (size_t)r->nx : NULL;
    double *y = how->channels_out ? how->channels_out + row * (size_t)how->nchannel : NULL;
    for (int i = 0; nan && x && i < r->nx; i++) x[i] = NAN;
    for (int i = 0; nan && y && i < how->nchannel; i++) y[i] = NAN;
    if (nan) return VG_OK;
    vgStatus status = x ? vg_sim_state_get(w->sim, x) : VG_OK;
    return status == VG_OK && y && how->nchannel ? vg_sim_read(w->sim, y) : status;
}

static vgStatus step(const Worker *w, int m, int k)
{
    const Rollout *r = w->all;
    const vgRolloutHow *how = r->how;
    const size_t row = (how->same_inputs ? 0 : (size_t)m * (size_t)how->steps) + (size_t)k;
    vgStatus status = VG_OK;
    if (how->inputs && r->nu) status = vg_sim_set_inputs(w->sim, 0, r->nu, how->inputs + row * (size_t)r->nu);
    if (status != VG_OK) return status;
    return r->single ? vg_sim_step(w->sim, w->sim->step)
                     : vg_sim_advance(w->sim, how->t + (k + 1) * w->sim->step);
}

static int stopped(const Worker *w)
{
    Rollout *r = w->all;
    if (w->first && r->how->progress && r->how->progress(r->how->user, atomic_load(&r->done)))
        atomic_store(&r->stop, 1);
    return atomic_load(&r->stop);
}

static vgStatus motion(const Worker *w, int m)
{
    const Rollout *r = w->all;
    const vgRolloutHow *how = r->how;
    vgStatus status = vg_sim_restore(w->sim, w->fresh, w->size);
    const double *x = how->states ? how->states + (size_t)m * (size_t)r->nx : w->own;
    if (status == VG_OK && (how->states || how->t != 0))
        status = vg_sim_state_set(w->sim, how->t, x, how->project);
    int k = 0;
    if (status == VG_OK) status = sample(w, m, k++, 0);
    for (; status == VG_OK && k <= how->steps; k++) {
        if (k % LOOK_EVERY == 0 && stopped(w)) status = VG_INTERRUPTED;
        if (status == VG_OK) status = step(w, m, k - 1);
        if (status == VG_OK) status = sample(w, m, k, 0);
        if (status != VG_OK) break;
    }
    for (; status != VG_OK && k <= how->steps; k++) sample(w, m, k, 1);
    return status;
}

static void keep_reason(Rollout *r, int m, const char *why)
{
    pthread_mutex_lock(&r->lock);
    if (m < r->failed) {
        r->failed = m;
        snprintf(r->error, sizeof r->error, "%s", why);
    }
    pthread_mutex_unlock(&r->lock);
}

static void *work(void *user)
{
    const Worker *w = user;
    Rollout *r = w->all;
    for (;;) {
        const int m = atomic_fetch_add(&r->next, 1);
        if (m >= r->how->count) return NULL;
        vgStatus status = stopped(w) ? VG_INTERRUPTED : motion(w, m);
        if (status == VG_INTERRUPTED)
            for (int k = 0; k <= r->how->steps; k++) sample(w, m, k, 1);
        if (r->how->status) r->how->status[m] = (int)status;
        if (status != VG_OK && status != VG_INTERRUPTED) keep_reason(r, m, vg_sim_error(w->sim));
        atomic_fetch_add(&r->done, 1);
    }
}

static vgStatus wrong(vgDiag *diag, const char *what)
{
    vg_diag_error(diag, VG_NOWHERE, "%s", what);
    return VG_BAD_INPUT;
}

static vgStatus check(const vgModel *model, const vgRolloutHow *how, vgDiag *diag)
{
    if (!model || !how) return wrong(diag, "a model and what to compute are wanted");
    int negative = how->count < 0 || how->steps < 0 || how->threads < 0 || how->nchannel < 0;
    if (negative || how->steps > (1 << 30) || !isfinite(how->t))
        return wrong(diag,
                     "count, steps, threads and nchannel must not be negative, and the time must be finite");
    if (how->nchannel > 0 && !how->channels) return wrong(diag, "the list of channels is NULL");
    return VG_OK;
}

static int thread_count(const vgRolloutHow *how)
{
    long n = how->threads > 0 ? how->threads : vg_os_processors();
    if (n > how->count) n = how->count;
    return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n;
}

static vgStatus run_all(Rollout *r, Worker *w, int n, vgDiag *diag)
{
    vgStatus status = VG_OK;
    for (int i = 0; i < n && status == VG_OK; i++) status = open_worker(r, &w[i], i == 0 ? diag : NULL);
    if (status != VG_OK) return status;
    w[0].first = 1;
    r->nx = vg_sim_state_size(w[0].sim, NULL);
    r->nu = w[0].sim->inputs.n;
    r->single = !w[0].sim->run.sampler && !w[0].sim->run.it->adaptive && r->model->run.locate_events <= 0;
    if (!(w[0].sim->step > 0)) return wrong(diag, "no step: give one, or run: {step: H} in the model");
    for (int i = 1; i < n; i++) w[i].running = pthread_create(&w[i].thread, NULL, work, &w[i]) == 0;
    work(&w[0]);
    for (int i = 1; i < n; i++)
        if (w[i].running) pthread_join(w[i].thread, NULL);
    if (r->failed < r->how->count)
        vg_diag_error(diag, VG_NOWHERE, "motion %d failed: %s", r->failed, r->error);
    return atomic_load(&r->stop) ? VG_INTERRUPTED : VG_OK;
}

vgStatus vg_rollout(const vgModel *model, const vgRolloutHow *how, vgDiag *diag)
{
    vgStatus status = check(model, how, diag);
    if (status != VG_OK) return status;
    const int n = thread_count(how);
    Rollout r = {.model = model, .how = how, .failed = how->count};
    Worker *w = calloc((size_t)n, sizeof *w);
    if (!w || pthread_mutex_init(&r.lock, NULL) != 0) {
        free(w);
        return VG_NO_MEMORY;
    }
    status = run_all(&r, w, n, diag);
    for (int i = 0; i < n; i++) close_worker(&w[i]);
    pthread_mutex_destroy(&r.lock);
    free(w);
    return status;
}

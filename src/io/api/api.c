/* The public C API (include/verge/verge.h). */
#include "verge/verge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/realtime/realtime.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "base/names.h"
#include "base/os.h"
#include "integrator/rows.h"
#include "integrator/stage/renewal.h"
#include "integrator/stage/stage.h"
#include "io/checkpoint.h"
#include "io/api/sim.h"

/* ---- models ---- */

/* "NAME=VALUE" texts → parameters; one block to free. */
static vgStatus parameters(const char *const *settings, vgDiag *diag, vgParamSet **out, int *count)
{
    const char *wrong;
    for (*count = 0; settings && settings[*count]; ++*count) continue;
    vgStatus status = vg_model_settings(settings, *count, 0, out, &wrong);
    if (status == VG_BAD_INPUT) vg_diag_error(diag, VG_NOWHERE, "setting '%s' must be NAME=VALUE", wrong);
    if (status == VG_NO_MEMORY) vg_diag_no_memory(diag);
    return status;
}

/* What a caller forgot to give, in words. */
static vgStatus missing(vgDiag *diag, const char *what)
{
    vg_diag_error(diag, VG_NOWHERE, "%s is NULL", what);
    return VG_BAD_INPUT;
}

vgModel *vg_load(const char *path, const char *const *settings, vgDiag *diag)
{
    vgParamSet *set;
    int n;
    if (!path && missing(diag, "the model's path")) return NULL;
    if (parameters(settings, diag, &set, &n) != VG_OK) return NULL;
    void *callers = vg_os_points_begin();
    vgModel *model = vg_model_load(path, set, n, diag);
    vg_os_points_end(callers);
    free(set);
    return model;
}

vgModel *vg_parse(const char *text, size_t size, const char *name, const char *const *settings, vgDiag *diag)
{
    vgParamSet *set;
    int n;
    if (!text && missing(diag, "the model's text")) return NULL;
    if (parameters(settings, diag, &set, &n) != VG_OK) return NULL;
    void *callers = vg_os_points_begin();
    vgModel *model = vg_model_parse(text, size, name ? name : "model", set, n, diag);
    vg_os_points_end(callers);
    free(set);
    return model;
}

/* ---- simulations ---- */

vgStatus vg_sim_fail(vgSim *sim, vgStatus status, const char *why)
{
    int plain = !*why || status == VG_NO_MEMORY; /* why was chosen for another reason */
    snprintf(sim->error, sizeof sim->error, "%s",
             status == VG_OK ? ""
             : plain         ? vg_status_text(status)
                             : why);
    return status;
}

vgStatus vg_sim_fail_diag(vgSim *sim, vgStatus status)
{
    const char *line = vg_diag_count(sim->diag) ? vg_diag_line(sim->diag, 0) : "", mark[] = "error: ";
    vg_sim_fail(sim, status, strncmp(line, mark, sizeof mark - 1) == 0 ? line + sizeof mark - 1 : line);
    vg_diag_clear(sim->diag);
    return status;
}

void vg_sim_free(vgSim *sim)
{
    if (!sim) return;
    for (int i = 0; i < sim->nsingle; i++) vg_channels_free(sim->single[i]);
    free(sim->single);
    vg_names_free(sim->known);
    vg_sim_names_free(sim->names);
    vg_partials_free(sim->partials);
    vg_channels_free(sim->watched);
    vg_motion_room_free(&sim->shown);
    vg_inputs_free(&sim->inputs);
    vg_monitors_free(sim->monitors);
    vg_realtime_end(&sim->realtime);
    vg_simulation_close(&sim->run);
    vg_diag_free(sim->diag);
    free(sim->room);
    free(sim->before);
    free(sim);
}

enum { CONVERGED, REALTIME }; /* which of sim->fixed */

static vgStatus state_room(vgSim *sim)
{
    const vgSystem *sys = sim->run.sys;
    size_t n = (size_t)sys->nq + 2 * (size_t)sys->nv + (size_t)sys->nphi + (size_t)sys->model->nturn;
    sim->before = calloc(n + 1, sizeof *sim->before);
    return sim->before ? VG_OK : VG_NO_MEMORY;
}

vgStatus vg_sim_new(const vgModel *model, const vgSimOptions *options, vgDiag *diag, vgSim **out)
{
    static const vgSimOptions none;
    if (!out) return missing(diag, "the place for the simulation");
    *out = NULL;
    if (!model) return missing(diag, "the model");
    if (!options) options = &none;
    if (!isfinite(options->step) || options->step < 0) {
        vg_diag_error(diag, VG_NOWHERE, "vgSimOptions.step must be positive, or 0 for the model's own");
        return VG_BAD_INPUT;
    }
    vgSim *sim = calloc(1, sizeof *sim);
    if (!sim) vg_diag_no_memory(diag);
    if (!sim) return VG_NO_MEMORY;
    sim->model = model;
    sim->step = options->step > 0 ? options->step : model->run.step;
    sim->known = vg_names_new();
    sim->diag = vg_diag_new();
    sim->room = calloc((size_t)model->nbody + 1, sizeof *sim->room);
    vgDials dials = {options->coordinates, options->constraints, options->integrator};
    vgStatus status = VG_NO_MEMORY;
    void *callers = vg_os_points_begin();
    if (sim->known && sim->diag && sim->room) status = vg_simulation_open(model, &dials, diag, &sim->run);
    vg_os_points_end(callers);
    if (status == VG_OK) status = vg_inputs_new(model, &sim->inputs);
    if (status == VG_OK) status = state_room(sim);
    if (status == VG_OK)
        status = vg_monitors_new(sim->run.it, sim->run.state, NULL, &sim->watch, &sim->monitors);
    if (status == VG_NO_MEMORY) vg_diag_no_memory(diag);
    if (status != VG_OK) {
        vg_sim_free(sim);
        return status;
    }
    sim->fixed[CONVERGED] = sim->run.it->newton_fixed;
    /* any angle may be asked for later: count the turns of all */
    vgWork *work = sim->run.it->work;
    if (work->watch) memset(work->watch, 1, (size_t)model->nmeasure);
    *out = sim;
    return VG_OK;
}

double vg_sim_time(const vgSim *sim)
{
    return sim ? sim->run.state->t : NAN;
}

const char *vg_sim_error(const vgSim *sim)
{
    return sim ? sim->error : "there is no simulation";
}

/* ---- sums over the steps ---- */

static int wants_steps(const vgSim *sim)
{
    int wants = sim->watched && vg_channels_wants_steps(sim->watched);
    for (int i = 0; i < sim->nsingle; i++) wants |= vg_channels_wants_steps(sim->single[i]);
    return wants;
}

static void each_sum(vgSim *sim, const vgState *s, vgWork *work,
                     void (*see)(vgChannels *, vgWork *, const vgState *))
{
    if (sim->watched && vg_channels_wants_steps(sim->watched)) see(sim->watched, work, s);
    for (int i = 0; i < sim->nsingle; i++)
        if (vg_channels_wants_steps(sim->single[i])) see(sim->single[i], work, s);
}

void vg_sim_sum(vgSim *sim)
{
    each_sum(sim, sim->run.state, sim->run.it->work, vg_channels_step);
}

void vg_sim_sum_moved(vgSim *sim)
{
    each_sum(sim, sim->run.state, sim->run.it->work, vg_channels_moved);
}

static void sum_on_the_way(void *user, const vgState *s, vgWork *work)
{
    each_sum(user, s, work, vg_channels_step);
}

/* ---- steps ---- */

static vgStatus start(vgSim *sim, double h)
{
    vgStatus status = vg_sim_settle(sim);
    sim->placed = 0;
    if (status != VG_OK || sim->started) return status;
    sim->run.it->step_hint = h;
    status = sim->run.it->row->start(sim->run.it, sim->run.state);
    sim->started = status == VG_OK;
    return vg_sim_fail(sim, status, sim->run.it->failure.text);
}

/* Controllers that are due act before a step; none may be due within it. */
static vgStatus sample(vgSim *sim, double h)
{
    vgState *s = sim->run.state;
    vgStatus status = vg_sim_settle(sim);
    if (status != VG_OK || !sim->run.sampler) return status;
    if (vg_sampler_take(sim->run.sampler, sim->run.it->work, s)) sim->jumped = 1;
    const char *why = vg_outside_why(sim->run.it->work->outside);
    if (why) return vg_sim_fail(sim, VG_IO, why);
    if (vg_sampler_next(sim->run.sampler, s) < s->t + h * (1 - 1e-9))
        return vg_sim_fail(
            sim, VG_BAD_INPUT,
            "a controller is due within the step: take one that ends there, or vg_sim_advance");
    return VG_OK;
}

/* The monitors see the step, as in a run. */
static vgStatus watch_step(vgSim *sim)
{
    const vgSystem *sys = sim->run.sys;
    const vgState *s = sim->run.state;
    double speed = vg_rows_speed(sys->nq, s->q, sys->nv, s->v);
    vg_monitors_piece(sim->monitors, s);
    if (speed >= 0) return vg_monitors_step(sim->monitors, s, speed, 0);
    vg_fail(sim->run.it, VG_NOT_FINITE, s->t, "the motion is no longer finite at t = %.9g s", s->t);
    return VG_NOT_FINITE;
}

/* Stops of joints that were struck in the step. */
static vgStatus strike(vgSim *sim)
{
    int struck = 0;
    const vgStatus status = vg_impact_land(sim->run.impact, sim->run.it, sim->run.state, &struck);
    if (status != VG_OK || !struck) return status;
    vg_sim_sum(sim);
    vg_monitors_jumped(sim->monitors, sim->run.state);
    return VG_OK;
}

vgStatus vg_sim_step(vgSim *sim, double h)
{
    if (!sim) return VG_BAD_INPUT;
    if (!(h > 0) || !isfinite(h)) return vg_sim_fail(sim, VG_BAD_INPUT, "the step must be positive");
    vgStatus status = sample(sim, h);
    if (status == VG_OK) status = start(sim, h);
    if (status != VG_OK) return status;
    vgIntegrator *it = sim->run.it;
    it->newton_fixed = sim->fixed[CONVERGED];
    status = vg_impact_advance(sim->run.impact, it, sim->run.state, h);
    if (status != VG_OK) return vg_sim_fail(sim, status, it->failure.text);
    sim->run.state->step++;
    it->stats.steps++;
    vg_work_accept(sim->run.sys, it->work, sim->run.state);
    vg_sim_sum(sim);
    status = watch_step(sim);
    if (status == VG_OK) status = strike(sim);
    if (status == VG_OK) status = vg_integrator_recast(it, sim->run.state);
    vg_renewal_between(it, sim->run.state);
    return vg_sim_fail(sim, status, it->failure.text);
}

static int cancelled(void *user)
{
    vgSim *sim = user;
    return sim->progress(sim->progress_user, sim->run.state->t);
}

vgStatus vg_sim_advance(vgSim *sim, double t)
{
    if (!sim) return VG_BAD_INPUT;
    vgIntegrator *it = sim->run.it;
    if (!isfinite(t) || t < sim->run.state->t)
        return vg_sim_fail(sim, VG_BAD_INPUT, "time only goes forward");
    if (t == sim->run.state->t) return vg_sim_settle(sim);
    if (!(sim->step > 0) && !it->adaptive) {
        return vg_sim_fail(sim, VG_BAD_INPUT,
                           "no step: give vgSimOptions.step or run: {step: H} in the model");
    }
    vgStatus status = start(sim, sim->step);
    if (status != VG_OK) return status;
    vgTransientOptions how = {.step = sim->step,
                              .end = t,
                              .every = 1 << 30,
                              .resume = 1,
                              .leave = 1,
                              .monitors = sim->monitors,
                              .locate = sim->model->run.locate_events};
    vgTransientResult result;
    const int sums = wants_steps(sim);
    const vgSink sink = {.user = sim,
                         .step = sums ? sum_on_the_way : NULL,
                         .parts = sums,
                         .cancelled = sim->progress ? cancelled : NULL};
    it->newton_fixed = sim->fixed[CONVERGED];
    status = vg_transient_run(it, sim->run.state, &how, sums || sim->progress ? &sink : NULL, &result);
    return vg_sim_fail(sim, status, result.failure.text);
}

/* ---- channels ---- */

vgStatus vg_sim_single(vgSim *sim, const char *name, vgChannels **out)
{
    int at = vg_names_find(sim->known, name);
    if (at >= 0) {
        *out = sim->single[at];
        return VG_OK;
    }
    vgStatus status = vg_channels_new(sim->run.sys, &name, 1, sim->diag, out);
    if (status != VG_OK) return vg_sim_fail_diag(sim, status);
    vgChannels **more = realloc(sim->single, ((size_t)sim->nsingle + 1) * sizeof *more);
    if (more) sim->single = more;
    status = !more ? VG_NO_MEMORY : vg_channels_count(*out) != 1 ? VG_BAD_INPUT : VG_OK;
    if (status == VG_OK) status = vg_motion_room(&sim->shown, sim->run.it, sim->run.state, *out);
    if (status == VG_OK) status = vg_names_add(sim->known, name, NULL, NULL);
    if (status != VG_OK) {
        vg_channels_free(*out);
        return vg_sim_fail(sim, status, "a single channel is wanted here, not a pattern");
    }
    sim->single[sim->nsingle++] = *out;
    return VG_OK;
}

void vg_sim_values(vgSim *sim, vgChannels *c, double *values)
{
    vgMotionRoom as_it_is = {NULL, NULL};
    vg_motion_values(sim->placed ? &as_it_is : &sim->shown, sim->run.it, sim->run.state, c, values);
}

vgStatus vg_sim_get(vgSim *sim, const char *channel, double *value)
{
    vgChannels *c;
    if (value) *value = NAN;
    if (!sim) return VG_BAD_INPUT;
    if (!channel || !value)
        return vg_sim_fail(sim, VG_BAD_INPUT, "a channel and a place for its value are wanted");
    vgStatus status = vg_sim_settle(sim);
    if (status == VG_OK) status = vg_sim_single(sim, channel, &c);
    if (status != VG_OK) return status;
    vg_sim_values(sim, c, value);
    if (!isfinite(*value)) return vg_sim_fail(sim, VG_NOT_FINITE, "the channel is not a finite number here");
    return vg_sim_fail(sim, VG_OK, "");
}

vgStatus vg_sim_watch(vgSim *sim, const char *const *channels, int n, int *count)
{
    vgChannels *c = NULL;
    if (count) *count = 0;
    if (!sim) return VG_BAD_INPUT;
    if (n < 0) return vg_sim_fail(sim, VG_BAD_INPUT, "the number of channels is negative");
    for (int i = 0; i < n; i++)
        if (!channels || !channels[i]) return vg_sim_fail(sim, VG_BAD_INPUT, "a channel's name is NULL");
    vgStatus status = vg_channels_new(sim->run.sys, channels, n, sim->diag, &c);
    if (status != VG_OK) return vg_sim_fail_diag(sim, status);
    status = vg_motion_room(&sim->shown, sim->run.it, sim->run.state, c);
    if (status != VG_OK) {
        vg_channels_free(c);
        return vg_sim_fail(sim, status, "");
    }
    vg_channels_free(sim->watched);
    sim->watched = c;
    if (!sim->motion && !sim->jumped) vg_channels_step(c, sim->run.it->work, sim->run.state);
    if (count) *count = vg_channels_count(c);
    return vg_sim_fail(sim, VG_OK, "");
}

const char *vg_sim_watched(const vgSim *sim, int i)
{
    return sim && sim->watched && i >= 0 && i < vg_channels_count(sim->watched)
               ? vg_channels_name(sim->watched, i)
               : NULL;
}

vgStatus vg_sim_read(vgSim *sim, double *values)
{
    if (!sim) return VG_BAD_INPUT;
    if (!sim->watched || !values) return vg_sim_fail(sim, VG_BAD_INPUT, "vg_sim_watch comes first");
    vgStatus status = vg_sim_settle(sim);
    if (status != VG_OK) return status;
    vg_sim_values(sim, sim->watched, values);
    for (int i = 0; i < vg_channels_count(sim->watched); i++)
        if (!isfinite(values[i])) {
            char why[200];
            snprintf(why, sizeof why, "%.150s is not a finite number here",
                     vg_channels_name(sim->watched, i));
            return vg_sim_fail(sim, VG_NOT_FINITE, why);
        }
    return VG_OK;
}

vgStatus vg_sim_set(vgSim *sim, const char *channel, double value)
{
    if (!sim) return VG_BAD_INPUT;
    if (!channel) return vg_sim_fail(sim, VG_BAD_INPUT, "the channel's name is NULL");
    if (!isfinite(value)) return vg_sim_fail(sim, VG_BAD_INPUT, "the value is not finite");
    int input = strncmp(channel, "input.", 6) ? -1 : vg_inputs_find(&sim->inputs, channel, strlen(channel));
    if (input >= 0) {
        vg_inputs_set(&sim->inputs, sim->run.state, input, value);
        sim->jumped = 1;
        return vg_sim_fail(sim, VG_OK, "");
    }
    if (strncmp(channel, "input.", 6) == 0) {
        const char *near = vg_name_closest(channel + 6, sim->inputs.name, sim->inputs.n);
        vg_diag_error(sim->diag, VG_NOWHERE, "no law of the model names '%.100s'%s%s%s", channel,
                      near ? ", did you mean 'input." : "", near ? near : "", near ? "'?" : "");
        return vg_sim_fail_diag(sim, VG_BAD_INPUT);
    }
    const vgSystem *sys = sim->run.sys;
    vgState *s = sim->run.state;
    if (!sim->motion) {
        const vgKin *now = sys->ops->kinematics(sys, sim->run.it->work, s->t, s->q, s->v, s->a);
        memcpy(sim->room, now, (size_t)sim->model->nbody * sizeof *now);
    }
    vgStatus status = vg_sim_set_motion(sim->model, channel, value, sim->room, sim->diag);
    if (status != VG_OK) return vg_sim_fail_diag(sim, status);
    sim->motion = sim->room;
    return vg_sim_fail(sim, VG_OK, "");
}

/* What was set becomes the state's positions and velocities, joints closed. */
static vgStatus take_motion(vgSim *sim)
{
    const vgSystem *sys = sim->run.sys;
    vgState *s = sim->run.state;
    vgWork *work = sim->run.it->work;
    int iterations;
    vgStatus status = sys->ops->from_native(sys, sim->motion, s->q, s->v);
    sim->motion = NULL;
    if (status == VG_OK && sys->nphi)
        status = sys->ops->project_q(sys, work, s->t, s->q, VG_SETTLED, VG_SETTLE_MOST, &iterations);
    if (status == VG_OK && sys->nphi) status = sys->ops->project_v(sys, work, s->t, s->q, s->v);
    return status == VG_OK ? vg_bend_bristles(sys, work, s) : status;
}

void vg_sim_state_copy(vgSim *sim, vgSimWay which)
{
    const vgSystem *sys = sim->run.sys;
    vgState *s = sim->run.state;
    double *part[] = {s->q, s->v, s->a, s->lambda, s->turn}, *at = sim->before;
    int n[] = {sys->nq, sys->nv, sys->nv, sys->nphi, sys->model->nturn};
    const int keep = which == VG_SIM_KEEP;
    for (int i = 0; i < 5; at += n[i++])
        if (n[i] > 0) memcpy(keep ? at : part[i], keep ? part[i] : at, (size_t)n[i] * sizeof *at);
}

vgStatus vg_sim_settle(vgSim *sim)
{
    if (!sim) return VG_BAD_INPUT;
    if (!sim->motion && !sim->jumped) return vg_sim_fail(sim, VG_OK, "");
    const vgSystem *sys = sim->run.sys;
    vgState *s = sim->run.state;
    vgWork *work = sim->run.it->work;
    const int moved = sim->motion != NULL, started = sim->started, jumped = sim->jumped;
    sim->started = sim->jumped = 0;
    vg_sim_state_copy(sim, VG_SIM_KEEP);
    vgStatus status = moved ? take_motion(sim) : VG_OK;
    if (status == VG_OK) status = sys->ops->accel(sys, work, s->t, s->q, s->v, s->a, s->lambda);
    if (status == VG_OK) {
        vg_work_accept(sys, work, s);
        vg_monitors_push(sim->monitors, s);
    } else {
        vg_sim_state_copy(sim, VG_SIM_BRING_BACK);
        sim->started = started;
        sim->jumped = jumped;
    }
    if (status == VG_OK && moved)
        vg_sim_sum_moved(sim);
    else if (status == VG_OK)
        vg_sim_sum(sim);
    return vg_sim_fail(sim, status,
                       status == VG_OK ? "" : "what was set cannot be made consistent with the joints");
}

/* ---- real time ---- */

vgStatus vg_realtime_start(vgSim *sim, double step, int iterations)
{
    if (!sim) return VG_BAD_INPUT;
    if (iterations < 0)
        return vg_sim_fail(sim, VG_BAD_INPUT, "the number of iterations must not be negative");
    vgStatus status = vg_sim_settle(sim);
    if (status != VG_OK) return status;
    sim->run.it->newton_fixed = sim->fixed[CONVERGED];
    vg_realtime_end(&sim->realtime);
    status = vg_realtime_begin(&sim->realtime, &sim->run, step, iterations, sim->diag);
    sim->fixed[REALTIME] = sim->run.it->newton_fixed;
    sim->started = status == VG_OK;
    return status == VG_OK ? vg_sim_fail(sim, VG_OK, "") : vg_sim_fail_diag(sim, status);
}

int vg_realtime_inputs(const vgSim *sim)
{
    return sim ? sim->inputs.n : 0;
}

const char *vg_realtime_input(const vgSim *sim, int i)
{
    return sim && i >= 0 && i < sim->inputs.n ? sim->inputs.name[i] : NULL;
}

vgStatus vg_realtime_step(vgSim *sim, const double *inputs, double *outputs)
{
    if (!sim) return VG_BAD_INPUT;
    if (!sim->realtime.sim) return vg_sim_fail(sim, VG_BAD_INPUT, "vg_realtime_start comes first");
    for (int i = 0; inputs && i < sim->inputs.n; i++) {
        if (!isfinite(inputs[i])) return vg_sim_fail(sim, VG_BAD_INPUT, "an input is not finite");
    }
    for (int i = 0; inputs && i < sim->inputs.n; i++)
        vg_inputs_set(&sim->inputs, sim->run.state, i, inputs[i]);
    vgStatus status = start(sim, sim->realtime.step);
    if (status != VG_OK) return status;
    sim->run.it->newton_fixed = sim->fixed[REALTIME];
    status = vg_realtime_advance(&sim->realtime);
    if (status != VG_OK) return vg_sim_fail(sim, status, sim->run.it->failure.text);
    vg_sim_sum(sim);
    if (outputs && sim->watched) vg_sim_values(sim, sim->watched, outputs);
    return vg_sim_fail(sim, VG_OK, "");
}

/* ---- checkpoints ---- */

size_t vg_sim_checkpoint_size(const vgSim *sim)
{
    return sim ? vg_checkpoint_size(&sim->run) : 0;
}

vgStatus vg_sim_save(vgSim *sim, void *bytes, size_t size)
{
    if (!sim) return VG_BAD_INPUT;
    if (!bytes || size < vg_sim_checkpoint_size(sim))
        return vg_sim_fail(sim, VG_BAD_INPUT, "the buffer is too small for a checkpoint");
    vgStatus status = vg_sim_settle(sim);
    if (status != VG_OK) return status;
    vg_checkpoint_write(&sim->run, sim->started, bytes);
    return vg_sim_fail(sim, VG_OK, "");
}

vgStatus vg_sim_restore(vgSim *sim, const void *bytes, size_t size)
{
    char why[VG_CHECKPOINT_WHY];
    if (!sim) return VG_BAD_INPUT;
    if (!bytes) return vg_sim_fail(sim, VG_BAD_INPUT, "the checkpoint is NULL");
    if (vg_checkpoint_read(&sim->run, bytes, size, &sim->started, why) != VG_OK)
        return vg_sim_fail(sim, VG_BAD_INPUT, why);
    sim->motion = NULL;
    sim->jumped = 0;
    for (int i = 0; i < sim->nsingle; i++) vg_channels_restart(sim->single[i]);
    if (sim->watched) vg_channels_restart(sim->watched);
    vg_monitors_push(sim->monitors, sim->run.state);
    vg_sim_sum(sim); /* from here on */
    return vg_sim_fail(sim, VG_OK, "");
}

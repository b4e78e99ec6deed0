/* Variables, steps and events of an instance. */
#include <math.h>
#include <string.h>

#include "analysis/run/motion.h"
#include "fmi/exchange.h"
#include "fmi/instance.h"

/* Times that differ by less than this part of a step are the same: environments sum up communication steps, and a sum
 * of 1e6 of them is off by 1e-10. */
static const double SAME = 1e-9;

/* ---- variables ---- */

static vgFmuStatus read_outputs(vgFmu *f)
{
    vgFmuStatus status = vg_fmu_refresh(f);
    if (status == VG_FMU_OK && f->is.exchange) status = vg_fmu_evaluate(f);
    if (status != VG_FMU_OK || f->read) return status;
    vgSim *sim = f->sim;
    if (f->shown_work) {
        if (vg_sim_settle(sim) != VG_OK) return vg_fmu_wrong(f, "%s", vg_sim_error(sim));
        vgWork *work = sim->run.it->work;
        const vgState *at = vg_motion_of(sim->run.sys, f->shown_work, work, f->shown, sim->run.state);
        vg_channels_eval(sim->watched, work, at, f->output);
        vg_work_bind(work, sim->run.state);
    } else if (vg_sim_read(sim, f->output) != VG_OK) {
        return vg_fmu_wrong(f, "%s", vg_sim_error(sim));
    }
    f->read = 1;
    return VG_FMU_OK;
}

static vgFmuStatus get_output(vgFmu *f, const char *function, int i, double *value)
{
    vgFmuStatus status =
        vg_fmu_may(f, function, VG_FMU_ANY & ~(unsigned)VG_FMU_INSTANTIATED) ? read_outputs(f) : VG_FMU_ERROR;
    if (status != VG_FMU_OK) return status;
    *value = f->output[i];
    if (isfinite(*value)) return VG_FMU_OK;
    vg_fmu_say(f, VG_FMU_DISCARD, "output '%s' is not a finite number at t = %g s", f->is.output[i],
               vg_sim_time(f->sim));
    return VG_FMU_DISCARD;
}

static vgFmuStatus get_one(vgFmu *f, const char *function, vgFmuGroup group, int i, double *value)
{
    vgFmuStatus status = VG_FMU_OK;
    switch (group) {
    case VG_FMU_TIME:
        *value = !f->sim ? f->start : f->is.exchange && f->mode & VG_FMU_RUNNING ? f->t : vg_sim_time(f->sim);
        return VG_FMU_OK;
    case VG_FMU_PARAM:
        if (f->is.param[i].is == VG_FMU_CALCULATED && f->mode != VG_FMU_INSTANTIATED)
            status = vg_fmu_refresh(f);
        *value = f->param[i];
        return status;
    case VG_FMU_INPUT:
        *value = f->input[i];
        return VG_FMU_OK;
    case VG_FMU_OUTPUT:
        return get_output(f, function, i, value);
    default:
        status = vg_fmu_may(f, function, VG_FMU_ANY & ~(unsigned)VG_FMU_INSTANTIATED) ? vg_fmu_refresh(f)
                                                                                      : VG_FMU_ERROR;
        if (status == VG_FMU_OK) status = vg_fmu_evaluate(f);
        if (status == VG_FMU_OK) *value = group == VG_FMU_STATE ? f->x[i] : f->rate[i];
        return status;
    }
}

vgFmuStatus vg_fmu_get(vgFmu *f, const char *function, const unsigned *ref, size_t n, double *value)
{
    vgFmuStatus worst = VG_FMU_OK;
    if (n > 0 && (!ref || !value)) return vg_fmu_wrong(f, "%s: an array is NULL", function);
    for (size_t k = 0; k < n; k++) {
        vgFmuGroup group;
        int i;
        if (!vg_fmu_locate(&f->is, ref[k], &group, &i))
            return vg_fmu_wrong(f, "%s: no variable has the value reference %u", function, ref[k]);
        vgFmuStatus status = get_one(f, function, group, i, &value[k]);
        if (status > worst) worst = status;
        if (status == VG_FMU_ERROR) return status;
    }
    return worst;
}

/* NULL: it may be set now. */
static const char *why_not(const vgFmu *f, vgFmuGroup group, int i)
{
    const int early = f->mode == VG_FMU_INSTANTIATED || f->mode == VG_FMU_INITIALIZATION;
    if (group == VG_FMU_INPUT)
        return early || f->mode & VG_FMU_RUNNING ? NULL : "inputs are not set in this mode";
    if (group != VG_FMU_PARAM) return "it is neither a parameter nor an input";
    if (f->is.param[i].is == VG_FMU_CALCULATED) return "it is calculated from other parameters";
    if (early || (f->is.param[i].is == VG_FMU_TUNABLE && f->mode & (VG_FMU_STEP | VG_FMU_EVENT))) return NULL;
    return f->is.param[i].is == VG_FMU_FIXED ? "it is fixed from initialization on"
                                             : "parameters are not set in this mode";
}

vgFmuStatus vg_fmu_set(vgFmu *f, const char *function, const unsigned *ref, size_t n, const double *value)
{
    vgFmuGroup group;
    int i;
    if (n > 0 && (!ref || !value)) return vg_fmu_wrong(f, "%s: an array is NULL", function);
    for (size_t k = 0; k < n; k++) { /* all or none */
        if (!vg_fmu_locate(&f->is, ref[k], &group, &i))
            return vg_fmu_wrong(f, "%s: no variable has the value reference %u", function, ref[k]);
        const char *why = why_not(f, group, i);
        if (why) return vg_fmu_wrong(f, "%s: value reference %u: %s", function, ref[k], why);
        if (!isfinite(value[k]))
            return vg_fmu_wrong(f, "%s: the value for value reference %u is not a finite number", function,
                                ref[k]);
    }
    for (size_t k = 0; k < n; k++) {
        vg_fmu_locate(&f->is, ref[k], &group, &i);
        f->read = 0;
        if (group == VG_FMU_PARAM) {
            f->tuned |= f->param[i] != value[k];
            f->param[i] = value[k];
            continue;
        }
        f->moved = 1;
        f->input[i] = value[k];
        if (f->sim && vg_sim_set_inputs(f->sim, f->input_at[i], 1, &value[k]) != VG_OK)
            return vg_fmu_wrong(f, "%s: %s", function, vg_sim_error(f->sim));
    }
    return VG_FMU_OK;
}

/* ---- steps ---- */

/* The end of a communication step. Where it is a multiple of the model's step it is exactly that, whatever rounding the
 * environment's sums have: steps are then those of a run without communication, to the bit. */
static double end_of(const vgFmu *f, double t)
{
    const double h = f->sim->step, k = h > 0 ? round(t / h) : 0;
    return h > 0 && fabs(t - k * h) < SAME * h ? k * h : t;
}

static vgFmuStatus wrong_times(vgFmu *f, const char *function, double t, double h)
{
    const double now = vg_sim_time(f->sim);
    if (!isfinite(t) || !isfinite(h) || !(h > 0))
        return vg_fmu_wrong(f, "%s: the communication step must be a positive number", function);
    if (fabs(t - now) > SAME * (h + fabs(now)))
        return vg_fmu_wrong(f, "%s: the communication point is %.17g s, the FMU is at %.17g s", function, t,
                            now);
    if (f->has_stop && t + h > f->stop + SAME * (h + fabs(f->stop)))
        return vg_fmu_wrong(f, "%s: the step would go beyond the stop time %.17g s", function, f->stop);
    return VG_FMU_OK;
}

/* Controllers act in event mode where that is used: steps end at their samples. */
static double next_sample(const vgFmu *f)
{
    return f->caller.event_mode ? vg_sampler_next(f->sim->run.sampler, f->sim->run.state) : INFINITY;
}

vgFmuStatus vg_fmu_step(vgFmu *f, const char *function, double t, double h, vgFmuStep *out)
{
    *out = (vgFmuStep){.reached = f->sim ? vg_sim_time(f->sim) : NAN};
    vgFmuStatus status = vg_fmu_refresh(f);
    if (status == VG_FMU_OK) status = wrong_times(f, function, t, h);
    if (status != VG_FMU_OK) return status;
    const double end = end_of(f, t + h), sample = next_sample(f);
    const int early = f->caller.early && sample > vg_sim_time(f->sim) + SAME * h && sample < end - SAME * h;
    f->read = 0;
    f->from = vg_sim_time(f->sim);
    vg_sim_set_progress(f->sim, f->caller.within, f);
    vgStatus done = vg_sim_advance(f->sim, early ? sample : end);
    out->reached = vg_sim_time(f->sim);
    out->early = done == VG_INTERRUPTED || early;
    out->event = f->caller.event_mode && next_sample(f) <= out->reached + SAME * h;
    if (done == VG_OK || done == VG_INTERRUPTED) return VG_FMU_OK;
    if (done == VG_BAD_INPUT) return vg_fmu_wrong(f, "%s: %s", function, vg_sim_error(f->sim));
    f->mode = VG_FMU_DISCARDED;
    vg_fmu_say(f, VG_FMU_DISCARD, "the step ended at t = %.9g s instead of %.9g s: %s", out->reached, end,
               vg_sim_error(f->sim));
    return VG_FMU_DISCARD;
}

/* ---- events ---- */

vgFmuStatus vg_fmu_update(vgFmu *f, int *changed, double *next)
{
    vgFmuStatus status = vg_fmu_refresh(f);
    if (status == VG_FMU_OK && f->is.exchange) status = vg_fmu_evaluate(f);
    if (status != VG_FMU_OK) return status;
    vgSim *sim = f->sim;
    *changed = sim->run.sampler && vg_sim_settle(sim) == VG_OK &&
               vg_sampler_take(sim->run.sampler, sim->run.it->work, sim->run.state);
    if (*changed) sim->jumped = 1;
    const char *why = vg_outside_why(sim->run.it->work->outside);
    if (why) return vg_fmu_wrong(f, "%s", why);
    if (vg_sim_settle(sim) != VG_OK) return vg_fmu_wrong(f, "%s", vg_sim_error(sim));
    *next = vg_sampler_next(sim->run.sampler, sim->run.state);
    f->read = 0;
    return VG_FMU_OK;
}

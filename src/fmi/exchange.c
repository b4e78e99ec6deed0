#include "fmi/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/corners.h"

/* Largest constraint violation that steps of the environment leave alone, positions in units of the model's length,
 * velocities of its length a second. A projection moves the states by no more than this, far below the tolerances of
 * variable-step integrators (1e-4 to 1e-8); halved it asks for event mode somewhat more often, doubled somewhat less. */
static const double DRIFT = 1e-9;
/* Corners of laws are looked for this far ahead, in units of the model's step or end. */
static const double AHEAD = 1e6;

vgFmuStatus vg_fmu_fetch(vgFmu *f)
{
    vgSim *sim = f->sim;
    if (vg_sim_state_get(sim, f->x) != VG_OK || vg_sim_state_rate(sim, f->rate) != VG_OK)
        return vg_fmu_wrong(f, "%s", vg_sim_error(sim));
    f->t = vg_sim_time(sim);
    f->moved = 0;
    return VG_FMU_OK;
}

/* Just before an event laws of time are on the side before it, at whatever time near it the environment looks. */
static double law_time(const vgFmu *f)
{
    if (f->mode != VG_FMU_CONTINUOUS || !(f->next < INFINITY)) return f->t;
    return fmin(f->t, f->next - vg_corners_beside(f->next, f->next - f->from));
}

vgFmuStatus vg_fmu_evaluate(vgFmu *f)
{
    if (!(f->mode & (VG_FMU_RUNNING | VG_FMU_TERMINATED))) return vg_fmu_fetch(f);
    if (!f->moved) return VG_FMU_OK;
    vgSim *sim = f->sim;
    if (vg_sim_state_place(sim, law_time(f), f->x) != VG_OK || vg_sim_state_rate(sim, f->rate) != VG_OK) {
        vg_fmu_say(f, VG_FMU_DISCARD, "at t = %.9g s: %s", f->t, vg_sim_error(sim));
        return VG_FMU_DISCARD;
    }
    f->moved = f->read = 0;
    return VG_FMU_OK;
}

vgFmuStatus vg_fmu_set_time(vgFmu *f, double t)
{
    if (!isfinite(t)) return vg_fmu_wrong(f, "the time is not a finite number");
    if (t != f->t) f->moved = 1, f->read = 0;
    f->t = t;
    return VG_FMU_OK;
}

static vgFmuStatus wrong_number(const vgFmu *f, const void *array, size_t n)
{
    if (n != (size_t)f->is.nstate)
        return vg_fmu_wrong(f, "the model has %d states, not %zu", f->is.nstate, n);
    return array || n == 0 ? VG_FMU_OK : vg_fmu_wrong(f, "the array of states is NULL");
}

vgFmuStatus vg_fmu_set_states(vgFmu *f, const double *x, size_t n)
{
    vgFmuStatus status = wrong_number(f, x, n);
    if (status != VG_FMU_OK) return status;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return vg_fmu_wrong(f, "state %zu is not a finite number", i + 1);
    if (n) memcpy(f->x, x, n * sizeof *x);
    f->moved = 1, f->read = 0;
    return VG_FMU_OK;
}

/* States or rates of the present point. */
static vgFmuStatus copy_out(vgFmu *f, const double *from, double *to, size_t n)
{
    vgFmuStatus status = wrong_number(f, to, n);
    if (status == VG_FMU_OK) status = vg_fmu_refresh(f);
    if (status == VG_FMU_OK) status = vg_fmu_evaluate(f);
    if (status == VG_FMU_OK && n) memcpy(to, from, n * sizeof *to);
    return status;
}

vgFmuStatus vg_fmu_get_states(vgFmu *f, double *x, size_t n)
{
    return copy_out(f, f->x, x, n);
}

vgFmuStatus vg_fmu_get_rates(vgFmu *f, double *rate, size_t n)
{
    return copy_out(f, f->rate, rate, n);
}

vgFmuStatus vg_fmu_get_nominals(vgFmu *f, double *nominal, size_t n)
{
    vgFmuStatus status = wrong_number(f, nominal, n);
    const vgSystem *sys = f->sim->run.sys;
    for (int i = 0; status == VG_FMU_OK && i < sys->nv; i++)
        nominal[i] = nominal[sys->nq + i] = sys->v_scale && sys->v_scale[i] > 0 ? sys->v_scale[i] : 1;
    return status;
}

/* The largest violation, as DRIFT measures it; < 0: out of memory. */
static double violation(const vgSim *sim)
{
    const vgSystem *sys = sim->run.sys;
    const vgState *s = sim->run.state;
    double worst = 0, *phi = calloc(2 * (size_t)sys->nphi + 1, sizeof *phi);
    if (!phi) return -1;
    sys->ops->levels(sys, sim->run.it->work, s->t, s->q, s->v, s->a, phi, phi + sys->nphi, NULL);
    for (int i = 0; i < 2 * sys->nphi; i++) worst = fmax(worst, fabs(phi[i]) / fmax(1, sys->length));
    free(phi);
    return worst;
}

vgFmuStatus vg_fmu_completed(vgFmu *f, int *event)
{
    vgFmuStatus status = vg_fmu_evaluate(f);
    if (status != VG_FMU_OK) return status;
    vgSim *sim = f->sim;
    vg_work_accept(sim->run.sys, sim->run.it->work, sim->run.state);
    vg_sim_sum(sim);
    f->from = f->t;
    if (sim->run.sys->nphi) {
        const double drift = violation(sim);
        if (drift < 0) return vg_fmu_wrong(f, "out of memory");
        f->corrected = drift > DRIFT;
    }
    *event = f->corrected;
    return VG_FMU_OK;
}

/* The next corner of a law of time behind t; INFINITY: none. */
static double next_corner(const vgFmu *f)
{
    vgCorners c;
    const double scale = fmax(f->model->run.end, fmax(1, fabs(f->t))),
                 end = f->has_stop ? f->stop : f->t + AHEAD * scale;
    double next = INFINITY;
    if (vg_corners_new(&c)) {
        vg_corners_find(&c, f->model, f->t, end);
        next = vg_corners_next(&c, f->t, vg_corners_beside(f->t, scale));
    }
    vg_corners_free(&c);
    return next;
}

vgFmuStatus vg_fmu_discrete(vgFmu *f, vgFmuEvent *out)
{
    int changed;
    double sample;
    *out = (vgFmuEvent){.next = INFINITY};
    vgFmuStatus status = vg_fmu_refresh(f);
    if (status == VG_FMU_OK) status = vg_fmu_evaluate(f);
    if (status == VG_FMU_OK && f->corrected) {
        if (vg_sim_state_set(f->sim, f->t, f->x, 1) != VG_OK)
            return vg_fmu_wrong(f, "%s", vg_sim_error(f->sim));
        f->corrected = 0;
        out->values_changed = 1;
        status = vg_fmu_fetch(f);
    }
    if (status == VG_FMU_OK) status = vg_fmu_update(f, &changed, &sample);
    if (status != VG_FMU_OK) return status;
    f->moved = 1; /* held values of controllers may be others */
    f->from = f->t;
    out->next = f->next = fmin(sample, next_corner(f));
    return vg_fmu_evaluate(f);
}

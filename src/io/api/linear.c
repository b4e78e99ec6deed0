/* C API: static equilibrium, modes and linear models. They use absolute coordinates, in which every model can be
 * expressed: a second system beside the simulation's own takes over its motion, and returns the equilibrium. */
#include <stdlib.h>
#include <string.h>

#include "analysis/equilibrium/equilibrium.h"
#include "analysis/modes/linear_model.h"
#include "analysis/modes/modes.h"
#include "base/arena.h"
#include "base/os.h"
#include "io/api/sim.h"

static vgStatus move_over(const vgSimulation *from, const vgSimulation *to)
{
    const vgState *s = from->state;
    const vgKin *kin = from->sys->ops->kinematics(from->sys, from->it->work, s->t, s->q, s->v, s->a);
    to->state->t = s->t;
    vgStatus status = to->sys->ops->from_native(to->sys, kin, to->state->q, to->state->v);
    if (status != VG_OK) return status;
    if (from->sys->model->nturn)
        memcpy(to->state->turn, s->turn, (size_t)from->sys->model->nturn * sizeof *s->turn);
    vg_work_bind(to->it->work, to->state);
    return VG_OK;
}

static vgStatus balance(const vgSimulation *run)
{
    vgState *s = run->state;
    return run->sys->ops->accel(run->sys, run->it->work, s->t, s->q, s->v, s->a, s->lambda);
}

/* The simulation's present motion in absolute coordinates; vg_simulation_close it where VG_OK. */
static vgStatus open_beside(vgSim *sim, vgSimulation *beside)
{
    const vgDials dials = {sim->model->planar ? "planar" : "lie", "index3", "generalized-alpha"};
    vgStatus status = vg_sim_settle(sim);
    if (status != VG_OK) return status;
    void *callers = vg_os_points_begin();
    status = vg_simulation_open(sim->model, &dials, sim->diag, beside);
    vg_os_points_end(callers);
    if (status != VG_OK) return vg_sim_fail_diag(sim, status);
    status = move_over(&sim->run, beside);
    if (status == VG_OK) status = balance(beside);
    if (status == VG_OK) return VG_OK;
    vg_simulation_close(beside);
    return vg_sim_fail(sim, status, "");
}

vgStatus vg_sim_equilibrium(vgSim *sim, int relax)
{
    vgSimulation beside = {0};
    if (!sim) return VG_BAD_INPUT;
    vgStatus status = open_beside(sim, &beside);
    if (status != VG_OK) return status;
    vgEquilibriumOptions how = {.relax = relax != 0};
    vgEquilibrium found;
    status = vg_equilibrium(beside.sys, beside.it->work, beside.state, &how, sim->diag, &found);
    if (status == VG_OK) {
        vgState *s = sim->run.state;
        vg_sim_state_copy(sim, VG_SIM_KEEP);
        status = move_over(&beside, &sim->run);
        memset(s->a, 0, (size_t)sim->run.sys->nv * sizeof *s->a);
        if (status == VG_OK) status = balance(&sim->run);
        if (status == VG_OK) {
            sim->started = 0;
            vg_work_accept(sim->run.sys, sim->run.it->work, s);
            vg_monitors_push(sim->monitors, s);
            vg_sim_sum_moved(sim);
        } else {
            vg_sim_state_copy(sim, VG_SIM_BRING_BACK);
            vg_work_bind(sim->run.it->work, s);
        }
    }
    vg_simulation_close(&beside);
    return vg_diag_count(sim->diag) ? vg_sim_fail_diag(sim, status) : vg_sim_fail(sim, status, "");
}

/* ---- modes ---- */

typedef struct Modes {
    vgSimModes seen; /* first */
    vgPool *pool;
} Modes;

void vg_sim_modes_free(vgSimModes *modes)
{
    if (modes) vg_pool_free(((Modes *)modes)->pool);
}

static const double *keep(vgPool *pool, const double *x, size_t n)
{
    double *copy = VG_NEW(pool, double, n + 1);
    if (copy && n) memcpy(copy, x, n * sizeof *x);
    return copy;
}

static vgStatus tell_modes(const vgSystem *sys, const vgModes *found, vgSimModes **out)
{
    vgPool *pool = vg_pool_new(0);
    Modes *m = pool ? VG_NEW(pool, Modes, 1) : NULL;
    const size_t n = (size_t)found->n, nv = (size_t)found->nv;
    double *number = m ? VG_NEW(pool, double, 4 * n + 1) : NULL;
    const char **name = m ? VG_NEW(pool, const char *, nv + 1) : NULL;
    int full = !number || !name;
    for (size_t i = 0; !full && i < nv; i++) {
        char text[200];
        vg_modes_name(sys, (int)i, text, sizeof text);
        name[i] = vg_pool_strdup(pool, text);
        full = !name[i];
    }
    for (size_t k = 0; !full && k < n; k++) {
        number[k] = found->mode[k].re, number[n + k] = found->mode[k].im;
        number[2 * n + k] = found->mode[k].frequency, number[3 * n + k] = found->mode[k].damping;
    }
    if (!full) {
        *m = (Modes){{.n = found->n,
                      .ncoordinate = found->nv,
                      .re = number,
                      .im = number + n,
                      .frequency = number + 2 * n,
                      .damping = number + 3 * n,
                      .coordinate = name,
                      .shape_re = keep(pool, found->shape_re, n * nv),
                      .shape_im = keep(pool, found->shape_im, n * nv)},
                     pool};
        full = !m->seen.shape_re || !m->seen.shape_im;
    }
    if (full) {
        vg_pool_free(pool);
        return VG_NO_MEMORY;
    }
    *out = &m->seen;
    return VG_OK;
}

vgStatus vg_sim_modes(vgSim *sim, vgSimModes **out)
{
    vgSimulation beside = {0};
    if (out) *out = NULL;
    if (!sim) return VG_BAD_INPUT;
    if (!out) return vg_sim_fail(sim, VG_BAD_INPUT, "the place for the modes is NULL");
    vgStatus status = open_beside(sim, &beside);
    if (status != VG_OK) return status;
    vgModes found = {0};
    status = vg_modes(beside.sys, beside.it->work, beside.state, sim->diag, &found);
    if (status == VG_OK) status = tell_modes(beside.sys, &found, out);
    vg_modes_free(&found);
    vg_simulation_close(&beside);
    return status == VG_OK ? vg_sim_fail(sim, VG_OK, "") : vg_sim_fail_diag(sim, status);
}

/* ---- linear models ---- */

typedef struct Linear {
    vgSimLinear seen; /* first */
    vgLinearModel model;
} Linear;

void vg_sim_linear_free(vgSimLinear *linear)
{
    if (!linear) return;
    vg_linear_model_free(&((Linear *)linear)->model);
    free(linear);
}

static vgStatus choose_inputs(vgSim *sim, const char *const *names, int *input, int *n)
{
    if (!names) *n = vg_linear_inputs(sim->model, input);
    for (; names && names[*n]; ++*n) {
        if (*n == sim->model->nmeasure) return VG_BAD_INPUT;
        input[*n] = vg_linear_input(sim->model, names[*n]);
        if (input[*n] >= 0) continue;
        vg_diag_error(sim->diag, VG_NOWHERE, "the model has no input '%.100s'", names[*n]);
        return VG_BAD_INPUT;
    }
    return VG_OK;
}

static vgStatus linear(vgSim *sim, const vgSimulation *beside, const char *const *inputs,
                       const char *const *outputs, vgLinearModel *m)
{
    int nu = 0, ny = 0, *input = calloc((size_t)sim->model->nmeasure + 1, sizeof *input);
    vgChannels *channels = NULL;
    vgStatus status = input ? choose_inputs(sim, inputs, input, &nu) : VG_NO_MEMORY;
    while (outputs && outputs[ny]) ny++;
    if (status == VG_OK && ny) status = vg_channels_new(beside->sys, outputs, ny, sim->diag, &channels);
    if (status == VG_OK)
        status =
            vg_linear_model(beside->sys, beside->it->work, beside->state, nu, input, channels, sim->diag, m);
    vg_channels_free(channels);
    free(input);
    return status;
}

vgStatus vg_sim_linearize(vgSim *sim, const char *const *inputs, const char *const *outputs,
                          vgSimLinear **out)
{
    vgSimulation beside = {0};
    if (out) *out = NULL;
    if (!sim) return VG_BAD_INPUT;
    if (!out) return vg_sim_fail(sim, VG_BAD_INPUT, "the place for the linear model is NULL");
    vgStatus status = open_beside(sim, &beside);
    if (status != VG_OK) return status;
    Linear *l = calloc(1, sizeof *l);
    vgLinearModel *m = l ? &l->model : NULL;
    status = l ? linear(sim, &beside, inputs, outputs, m) : VG_NO_MEMORY;
    vg_simulation_close(&beside);
    if (status != VG_OK) {
        free(l);
        return vg_sim_fail_diag(sim, status);
    }
    l->seen = (vgSimLinear){m->nx, m->nu,   m->ny, m->np, m->A,     m->B,     m->C,     m->D,
                            m->x,  m->rate, m->u,  m->y,  m->state, m->input, m->output};
    *out = &l->seen;
    return vg_sim_fail(sim, VG_OK, "");
}

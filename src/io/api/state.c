/* C API: the state as an array, inputs and channels by index (include/verge/state.h). */
#include "verge/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "io/api/sim.h"
#include "system/tree.h"
#include "system/tuning.h"

/* Largest constraint violation of a state that is taken as given: positions relative to the model's length, rates to the
 * largest speed. Rounding of states that were read leaves 1e-15 to 1e-12; at 1e-8 the projection that the next step would
 * make is below what any output shows. */
#define STATE_CLOSED 1e-8

/* What the numbers of the state are: names, and for joint coordinates the measure that counts their turns. */
typedef struct vgSimNames {
    vgPool *pool;
    const char **name; /* nq + nv */
    int nturn;
    struct Turn {
        int q, turn; /* turn[turn] = sign q[q] + offset */
        double sign, offset;
    } * turn;
} vgSimNames;

void vg_sim_names_free(vgSimNames *names)
{
    if (names) vg_pool_free(names->pool);
}

static const char *plain_name(vgPool *pool, const vgSystem *sys, int i)
{
    const int rate = i >= sys->nq, k = rate ? i - sys->nq : i;
    const int known = rate || (sys->nq == sys->nv && sys->vector_space);
    const int body = known && sys->v_body ? sys->v_body[k] : -1;
    if (body < 0) return vg_pool_printf(pool, "%s.%d", rate ? "v" : "q", k);
    int first = k;
    while (first > 0 && sys->v_body[first - 1] == body) first--;
    return vg_pool_printf(pool, "body.%s.%s.%d", sys->model->body[body].name, rate ? "v" : "q", k - first);
}

/* "joint.O.angle" → "joint.O.rate", "joint.U.angle2" → "joint.U.rate2": as channels call it. */
static const char *rate_name(vgPool *pool, const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t n = strlen(name), digits = 0;
    while (digits < n && name[n - 1 - digits] >= '0' && name[n - 1 - digits] <= '9') digits++;
    return vg_pool_printf(pool, "%.*s.rate%s", (int)(dot - name), name, name + n - digits);
}

/* Joint coordinates of a tree; a system of the same coordinates without another setting over it is asked. */
static vgStatus joint_names(vgSimNames *names, const vgSystem *sys)
{
    const vgModel *m = sys->model;
    vgSystem *tree = NULL;
    vgStatus status = vg_system_new(m, "relative", "index3", NULL, &tree);
    names->turn = VG_NEW(names->pool, struct Turn, m->nmeasure + 1);
    if (status == VG_OK && !names->turn) status = VG_NO_MEMORY;
    for (int i = 0; status == VG_OK && i < m->nmeasure; i++) {
        const vgNamedMeasure *measure = &m->measure[i];
        vgTreeCoordinate at;
        if (strncmp(measure->name, "joint.", 6) != 0 || !vg_tree_coordinate(tree, i, &at)) continue;
        if (measure->measure.turn >= 0)
            names->turn[names->nturn++] = (struct Turn){at.q, measure->measure.turn, at.sign, at.offset};
        if (at.sign < 0 || at.offset != 0 || names->name[at.q]) continue;
        names->name[at.q] = vg_pool_strdup(names->pool, measure->name);
        names->name[sys->nq + at.v] = rate_name(names->pool, measure->name);
    }
    vg_system_free(tree);
    return status;
}

static vgStatus make_names(vgSim *sim)
{
    if (sim->names) return VG_OK;
    const vgSystem *sys = sim->run.sys;
    vgPool *pool = vg_pool_new(0);
    vgSimNames *names = pool ? VG_NEW(pool, vgSimNames, 1) : NULL;
    vgStatus status = names ? VG_OK : VG_NO_MEMORY;
    if (names) {
        names->pool = pool;
        names->name = VG_NEW(pool, const char *, sys->nq + sys->nv + 1);
        if (!names->name) status = VG_NO_MEMORY;
    }
    if (status == VG_OK && strcmp(sys->coordinates, "relative") == 0) status = joint_names(names, sys);
    for (int i = 0; status == VG_OK && i < sys->nq + sys->nv; i++) {
        if (!names->name[i]) names->name[i] = plain_name(pool, sys, i);
        if (!names->name[i]) status = VG_NO_MEMORY;
    }
    if (status == VG_OK)
        sim->names = names;
    else
        vg_pool_free(pool);
    return status;
}

int vg_sim_state_size(const vgSim *sim, int *positions)
{
    if (positions) *positions = sim ? sim->run.sys->nq : 0;
    return sim ? sim->run.sys->nq + sim->run.sys->nv : 0;
}

const char *vg_sim_state_name(vgSim *sim, int i)
{
    if (!sim || i < 0 || i >= vg_sim_state_size(sim, NULL)) return NULL;
    return make_names(sim) == VG_OK ? sim->names->name[i] : NULL;
}

vgStatus vg_sim_state_get(vgSim *sim, double *x)
{
    if (!sim) return VG_BAD_INPUT;
    if (!x) return vg_sim_fail(sim, VG_BAD_INPUT, "the place for the state is NULL");
    vgStatus status = vg_sim_settle(sim);
    if (status != VG_OK) return status;
    const vgSystem *sys = sim->run.sys;
    memcpy(x, sim->run.state->q, (size_t)sys->nq * sizeof *x);
    memcpy(x + sys->nq, sim->run.state->v, (size_t)sys->nv * sizeof *x);
    return VG_OK;
}

/* Refuses a state that violates a constraint, or whose numbers describe no rotation. */
static vgStatus refuse_open(vgSim *sim)
{
    const vgSystem *sys = sim->run.sys;
    const vgState *s = sim->run.state;
    const vgModel *m = sys->model;
    vgWork *work = sim->run.it->work;
    const vgKin *kin = sys->ops->kinematics(sys, work, s->t, s->q, s->v, s->a);
    double speed = 0, *phi = calloc(2 * (size_t)sys->nphi + 1, sizeof *phi);
    if (!phi) return VG_NO_MEMORY;
    vgStatus status = VG_OK;
    for (int i = 0; i < m->nbody && status == VG_OK; i++) {
        speed = fmax(speed, fmax(vg_norm3(kin[i].v), sys->length * vg_norm3(kin[i].w)));
        vgMat3 E = vg_madd3(vg_mtm3(kin[i].R, kin[i].R), vg_mscale3(vg_eye3(), -1));
        double worst = 0;
        for (int k = 0; k < 9; k++) worst = fmax(worst, fabs(E.m[k / 3][k % 3]));
        if (worst <= STATE_CLOSED) continue;
        vg_diag_error(sim->diag, VG_NOWHERE, "the state gives body '%s' a matrix that is no rotation",
                      m->body[i].name);
        status = VG_INCONSISTENT;
    }
    sys->ops->levels(sys, work, s->t, s->q, s->v, s->a, phi, phi + sys->nphi, NULL);
    for (int i = 0; i < 2 * sys->nphi && status == VG_OK; i++) {
        const int rate = i >= sys->nphi, row = rate ? i - sys->nphi : i, joint = sys->row_joint[row];
        const double most = STATE_CLOSED * (rate ? fmax(speed, sys->length) : fmax(1, sys->length));
        if (fabs(phi[i]) <= most) continue;
        vg_diag_error(sim->diag, VG_NOWHERE,
                      "the state violates %s'%s' by %.3g in %s; project it, or correct it",
                      joint >= 0 ? "the joint " : "", joint >= 0 ? m->joint[joint].name : "unit length",
                      fabs(phi[i]), rate ? "velocities" : "positions");
        status = VG_INCONSISTENT;
    }
    free(phi);
    return status;
}

/* q and v, and the turns of angles that are among them. */
static void copy_state(vgSim *sim, double t, const double *x)
{
    const vgSystem *sys = sim->run.sys;
    vgState *s = sim->run.state;
    s->t = t;
    memcpy(s->q, x, (size_t)sys->nq * sizeof *x);
    memcpy(s->v, x + sys->nq, (size_t)sys->nv * sizeof *x);
    for (int i = 0; i < sim->names->nturn; i++) {
        const struct Turn *turn = &sim->names->turn[i];
        s->turn[turn->turn] = turn->sign * s->q[turn->q] + turn->offset;
    }
}

vgStatus vg_sim_state_place(vgSim *sim, double t, const double *x)
{
    const vgSystem *sys = sim->run.sys;
    vgState *s = sim->run.state;
    vgStatus status = make_names(sim);
    if (status != VG_OK) return vg_sim_fail(sim, status, "");
    copy_state(sim, t, x);
    sim->motion = NULL;
    sim->started = sim->jumped = 0;
    sim->placed = 1;
    status = sys->ops->accel(sys, sim->run.it->work, t, s->q, s->v, s->a, s->lambda);
    return vg_sim_fail(sim, status, "the accelerations cannot be computed in this state");
}

/* The present state takes q and v; positions and velocities are projected, or checked. */
static vgStatus take_state(vgSim *sim, double t, const double *x, int project)
{
    const vgSystem *sys = sim->run.sys;
    vgState *s = sim->run.state;
    vgWork *work = sim->run.it->work;
    int iterations;
    vgStatus status = VG_OK;
    copy_state(sim, t, x);
    if (project && sys->nphi) {
        status = sys->ops->project_q(sys, work, t, s->q, VG_SETTLED, VG_SETTLE_MOST, &iterations);
        if (status == VG_OK) status = sys->ops->project_v(sys, work, t, s->q, s->v);
    }
    if (status == VG_OK) status = refuse_open(sim);
    if (status == VG_OK) status = vg_bend_bristles(sys, work, s);
    return status == VG_OK ? sys->ops->accel(sys, work, t, s->q, s->v, s->a, s->lambda) : status;
}

vgStatus vg_sim_state_set(vgSim *sim, double t, const double *x, int project)
{
    if (!sim) return VG_BAD_INPUT;
    const int n = vg_sim_state_size(sim, NULL);
    int finite = x != NULL;
    for (int i = 0; finite && i < n; i++) finite = isfinite(x[i]);
    if (!finite || isinf(t))
        return vg_sim_fail(sim, VG_BAD_INPUT, x ? "the state is not finite" : "the state is NULL");
    vgStatus status = make_names(sim);
    vgState *s = sim->run.state;
    const double before = s->t;
    if (status != VG_OK) return vg_sim_fail(sim, status, "");
    vg_sim_state_copy(sim, VG_SIM_KEEP);
    status = take_state(sim, isnan(t) ? before : t, x, project != 0);
    if (status != VG_OK) {
        s->t = before;
        vg_sim_state_copy(sim, VG_SIM_BRING_BACK);
        return vg_diag_count(sim->diag)
                   ? vg_sim_fail_diag(sim, status)
                   : vg_sim_fail(sim, status, "the state cannot be made consistent with the joints");
    }
    sim->motion = NULL;
    sim->started = sim->jumped = 0;
    vg_work_accept(sim->run.sys, sim->run.it->work, s);
    vg_monitors_push(sim->monitors, s);
    vg_sim_sum_moved(sim);
    return vg_sim_fail(sim, VG_OK, "");
}

vgStatus vg_sim_state_rate(vgSim *sim, double *rate)
{
    if (!sim) return VG_BAD_INPUT;
    if (!rate) return vg_sim_fail(sim, VG_BAD_INPUT, "the place for the rate is NULL");
    vgStatus status = vg_sim_settle(sim);
    if (status != VG_OK) return status;
    const vgSystem *sys = sim->run.sys;
    const vgState *s = sim->run.state;
    if (!sys->vector_space || sys->nq != sys->nv)
        return vg_sim_fail(sim, VG_UNSUPPORTED,
                           "rotations in these coordinates are more numbers than freedoms and have no rate "
                           "of their own; take relative, planar or euler-angles coordinates");
    double *none = calloc((size_t)sys->nv + 1, sizeof *none);
    if (!none) return vg_sim_fail(sim, VG_NO_MEMORY, "");
    sys->ops->rates(sys, none, s->q, s->v, rate);
    free(none);
    memcpy(rate + sys->nq, s->a, (size_t)sys->nv * sizeof *rate);
    return VG_OK;
}

vgStatus vg_sim_partials(vgSim *sim, const vgSimPartials *out)
{
    if (!sim) return VG_BAD_INPUT;
    if (!out) return vg_sim_fail(sim, VG_BAD_INPUT, "the place for the derivatives is NULL");
    vgStatus status = vg_sim_settle(sim);
    if (status != VG_OK) return status;
    const char *why = vg_partials_refuses(sim->run.sys);
    if (why) return vg_sim_fail(sim, VG_UNSUPPORTED, why);
    if (!sim->partials) status = vg_partials_new(sim->run.sys, &sim->partials);
    const vgPartialsOut to = {out->a_q, out->a_v, out->a_f, out->a_u, out->tau_q, out->tau_v, out->mass};
    if (status == VG_OK)
        status = vg_partials_at(sim->partials, sim->run.it->work, sim->run.state, sim->inputs.n,
                                sim->inputs.slot, &to);
    if (status == VG_SINGULAR)
        return vg_sim_fail(sim, status,
                           "there is freedom without mass, so that accelerations are not determined");
    return vg_sim_fail(sim, status, "");
}

void vg_sim_set_progress(vgSim *sim, vgSimProgress progress, void *user)
{
    if (!sim) return;
    sim->progress = progress;
    sim->progress_user = user;
}

/* ---- inputs ---- */

vgStatus vg_sim_set_inputs(vgSim *sim, int first, int n, const double *values)
{
    if (!sim) return VG_BAD_INPUT;
    if (first < 0 || n < 0 || n > sim->inputs.n - first || (n > 0 && !values))
        return vg_sim_fail(sim, VG_BAD_INPUT, "the model has no such inputs");
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i])) return vg_sim_fail(sim, VG_BAD_INPUT, "an input is not finite");
    for (int i = 0; i < n; i++) {
        if (vg_inputs_get(&sim->inputs, sim->run.state, first + i) == values[i]) continue;
        vg_inputs_set(&sim->inputs, sim->run.state, first + i, values[i]);
        sim->jumped = 1;
    }
    return vg_sim_fail(sim, VG_OK, "");
}

double vg_sim_input(const vgSim *sim, int i)
{
    return sim && i >= 0 && i < sim->inputs.n ? vg_inputs_get(&sim->inputs, sim->run.state, i) : NAN;
}

/* ---- channels ---- */

vgStatus vg_sim_channel(vgSim *sim, const char *channel, int *index)
{
    vgChannels *c;
    if (!sim) return VG_BAD_INPUT;
    if (!channel || !index)
        return vg_sim_fail(sim, VG_BAD_INPUT, "a channel and a place for its index are wanted");
    vgStatus status = vg_sim_single(sim, channel, &c);
    if (status == VG_OK) *index = vg_names_find(sim->known, channel);
    return status == VG_OK ? vg_sim_fail(sim, VG_OK, "") : status;
}

vgStatus vg_sim_value(vgSim *sim, int index, double *value)
{
    if (value) *value = NAN;
    if (!sim) return VG_BAD_INPUT;
    if (!value || index < 0 || index >= sim->nsingle)
        return vg_sim_fail(sim, VG_BAD_INPUT, "there is no channel of this index");
    vgStatus status = sim->motion || sim->jumped ? vg_sim_settle(sim) : VG_OK;
    if (status != VG_OK) return status;
    vg_sim_values(sim, sim->single[index], value);
    return VG_OK;
}

const char *vg_sim_channel_unit(const vgSim *sim, int index)
{
    return sim && index >= 0 && index < sim->nsingle ? vg_channels_unit(sim->single[index], 0) : NULL;
}

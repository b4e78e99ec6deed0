#include "analysis/run/impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/state/probe.h"
#include "integrator/stage/stage.h"

/* The force by which a coordinate is pushed to see what a force does there, N or N m: what it adds to the accelerations is
 * far above those of all other forces, so that their difference has all digits. At half or twice nothing changes. */
static const double PUSH = 1e6;
/* Stops pass impacts to each other: rounds over all of them, after which the springs of those that are still struck act. */
enum { ROUNDS = 16 };
/* A coordinate is taken back to within its range by so much, of its value and of a radian or the model's length: rounding of
 * the positions it is found from. At 0 rk4 and radau3 feel the spring of the stop for a whole step (test_rigid_stops); at
 * twice the value nothing changes. */
static const double ULPS = 4e-15;
/* And by so much at the most, for what Newton's iteration leaves of the located place. A stop that is pressed in when another one
 * is struck is farther beyond its end: it stays there. At half or twice nothing changes. */
static const double LOCATED = 1e-9;

struct vgImpact {
    vgProbe *probe;
    vgHeld held; /* of single steps: sides of rigid stops */
    signed char *side;
    int *at;
    double late; /* an impact may have been due so long before it is made, s; 0: its time is located */
    vgState *look;
    double *still, *pushed, *lambda; /* accelerations without and with the push */
};

int vg_impact_possible(const vgModel *m)
{
    for (int f = 0; f < m->nforce; f++)
        if (m->force[f].setup.strikes) return 1;
    return 0;
}

void vg_impact_free(vgImpact *x)
{
    if (!x) return;
    vg_probe_free(x->probe);
    vg_state_free(x->look);
    free(x->side);
    free(x->at);
    free(x->still);
    free(x->pushed);
    free(x->lambda);
    free(x);
}

vgStatus vg_impact_new(const vgSystem *sys, vgImpact **out)
{
    vgImpact *x = calloc(1, sizeof *x);
    *out = NULL;
    if (!x) return VG_NO_MEMORY;
    x->still = calloc((size_t)sys->nv + 1, sizeof *x->still);
    x->pushed = calloc((size_t)sys->nv + 1, sizeof *x->pushed);
    x->lambda = calloc((size_t)sys->nphi + 1, sizeof *x->lambda);
    const int forces = sys->model->nforce;
    x->side = calloc((size_t)(forces * VG_FORCE_MAX_SWITCHES) + 1, sizeof *x->side);
    x->at = calloc((size_t)(forces * VG_HELD_AT) + 1, sizeof *x->at);
    x->held = (vgHeld){x->side, x->at};
    for (int i = 0; x->at && i < forces * VG_HELD_AT; i++) x->at[i] = -1;
    for (int f = 0; x->at && f < forces; f++)
        if (sys->model->force[f].setup.strikes)
            x->at[VG_HELD_AT * f + VG_FORCE_MAX_LAWS] = VG_FORCE_MAX_SWITCHES * f;
    const int room = x->still && x->pushed && x->lambda && x->side && x->at;
    vgStatus st = room ? vg_probe_new(sys, &x->probe) : VG_NO_MEMORY;
    if (st == VG_OK) st = vg_state_new(sys, 0, &x->look);
    if (st != VG_OK) {
        vg_impact_free(x);
        return st;
    }
    *out = x;
    return VG_OK;
}

/* x->pushed becomes what PUSH along the coordinate of force f adds to the accelerations, per PUSH. */
static vgStatus response(vgImpact *x, vgIntegrator *it, const vgState *s, int f)
{
    const vgSystem *sys = it->sys;
    vgWork *w = it->work;
    vgStatus st = sys->ops->accel(sys, w, s->t, s->q, s->v, x->still, x->lambda);
    if (st != VG_OK) return st;
    w->pushed = f + 1;
    w->push = PUSH;
    st = sys->ops->accel(sys, w, s->t, s->q, s->v, x->pushed, x->lambda);
    w->pushed = 0;
    for (int i = 0; i < sys->nv; i++) x->pushed[i] = (x->pushed[i] - x->still[i]) / PUSH;
    return st;
}

static const vgForceIn *seen(vgImpact *x, vgIntegrator *it, const vgState *s, int f)
{
    vg_probe_at(x->probe, it->work, s);
    return vg_probe_force_in(x->probe, f);
}

/* The coordinate is taken back to the end of its range, which the located time is beyond by rounding: it leaves from within,
 * where no spring acts. gives: change of its rate by x->pushed. */
static void take_back(vgImpact *x, const vgSystem *sys, vgState *s, double over, double gives)
{
    double *step = x->still;
    for (int i = 0; i < sys->nv; i++) step[i] = x->pushed[i] * (-over / gives);
    memcpy(x->look->q, s->q, (size_t)sys->nq * sizeof *s->q);
    sys->ops->retract(sys, x->look->q, step, s->q);
}

/* 1: the force is struck, and no more afterwards. */
static vgStatus strike(vgImpact *x, vgIntegrator *it, vgState *s, int f, int *struck)
{
    const vgForce *force = &it->sys->model->force[f];
    const vgForceIn *in = seen(x, it, s, f);
    const double before = in->measure[0].rate, after = force->kind->strike(force->def, in);
    const int turns = it->sys->model->measure[force->setup.measure[0]].measure.turn >= 0;
    const double size = fabs(in->measure[0].value) + (turns ? 1 : it->sys->length);
    /* in a single step it may have gone beyond its end by what it moves in the step */
    const double beyond = LOCATED * size + fabs(before) * x->late;
    const double over = fmin(fmax(-force->kind->room(force->def, in), 0), beyond) + ULPS * size;
    if (isnan(after)) return VG_OK;
    vgStatus st = response(x, it, s, f);
    if (st == VG_OK) {
        vg_state_copy(it->sys, x->look, s);
        for (int i = 0; i < it->sys->nv; i++) x->look->v[i] += x->pushed[i];
        const double gives = seen(x, it, x->look, f)->measure[0].rate - before;
        if (!(gives > 0)) st = VG_SINGULAR;
        for (int i = 0; st == VG_OK && i < it->sys->nv; i++)
            s->v[i] += x->pushed[i] * (after - before) / gives;
        if (st == VG_OK) take_back(x, it->sys, s, before > 0 ? over : -over, gives);
        ++*struck;
    }
    if (st != VG_OK)
        vg_fail(it, st, s->t, "the impact on '%s' at t = %.9g s has no solution: its coordinate cannot move",
                force->name, s->t);
    return st;
}

vgStatus vg_impact_at(vgImpact *x, vgIntegrator *it, vgState *s, int *struck)
{
    const vgModel *m = it->sys->model;
    *struck = 0;
    for (int round = 0, before = -1; round < ROUNDS && before != *struck; round++) {
        before = *struck;
        for (int f = 0; f < m->nforce; f++) {
            if (!m->force[f].setup.strikes) continue;
            vgStatus st = strike(x, it, s, f, struck);
            if (st != VG_OK) return st;
        }
    }
    return VG_OK;
}

static void hold_sides(vgImpact *x, vgIntegrator *it, vgState *s)
{
    const vgModel *m = it->sys->model;
    vg_probe_at(x->probe, it->work, s);
    for (int f = 0; f < m->nforce; f++) {
        const vgForce *force = &m->force[f];
        if (!force->setup.strikes) continue;
        double g[VG_FORCE_MAX_SWITCHES];
        const int n = force->kind->switches(force->def, vg_probe_force_in(x->probe, f), g);
        for (int k = 0; k < n; k++) x->side[VG_FORCE_MAX_SWITCHES * f + k] = g[k] < 0 ? -1 : 1;
    }
    s->held = &x->held;
}

vgStatus vg_impact_advance(vgImpact *x, vgIntegrator *it, vgState *s, double h)
{
    if (!x) return vg_integrator_advance(it, s, h);
    hold_sides(x, it, s);
    x->late = h;
    const vgStatus st = vg_integrator_advance(it, s, h);
    s->held = NULL;
    vg_work_bind(it->work, s);
    return st;
}

vgStatus vg_impact_land(vgImpact *x, vgIntegrator *it, vgState *s, int *struck)
{
    *struck = 0;
    if (!x) return VG_OK;
    vgStatus st = vg_impact_at(x, it, s, struck);
    x->late = 0;
    return st == VG_OK && *struck ? it->row->start(it, s) : st;
}

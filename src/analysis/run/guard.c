/* Three questions, the cheapest first; nearly every step ends with the first (docs/theory.md, eq. 45a).
 *
 * 1. Can the step go far? h |v| + ½ h² |a| in units of the coordinates' scales.
 * 2. Did it go elsewhere than its velocities said, |Δ − h v₀| > FAR?
 * 3. Do two half steps, and after a very long step four quarters, come to the same place? Where all are of
 *    this motion they differ by the method's error, which is small beside |Δ − h v₀| = O(h²); another
 * solution is as far away as that.
 *
 * Angles are known up to whole turns and are continued from step to step by less than half a turn: a step in
 * which one that is counted turns farther, by its rate, is refused too. */
#include "analysis/run/guard.h"

#include <math.h>
#include <stdlib.h>

#include "integrator/rows.h"
#include "integrator/stage/stage.h"
#include "analysis/tuning.h"

/* rad, or units of length */
static const double NEAR = 0.2;      /* (1) steps that stay below are not looked at */
static const double FAR = 0.25;      /* (2) */
static const double VERY_FAR = 0.75; /* (3) quarters are asked too */
static const double APART = 0.25;    /* (3) the positions differ: not one motion */
static const double FAST = 0.4;      /* an angle between two bodies may turn by half a turn */
static const double PI = 3.14159265358979323846;

struct vgGuard {
    vgIntegrator *it;
    vgState *before, *once; /* where the step began; the step as it was taken */
    vgStep step;            /* as it was asked for */
    double reach;           /* of the step, by (1) */
    double rate;            /* of the fastest angle where it began; −1: not looked at yet */
    int fastest;            /* which that is */
    double *x, *unit;       /* nv; unit: 1 / scale */
    int looks;              /* 1: (2) and (3) are asked */
    int idle;               /* 1: nothing is */
};

void vg_guard_free(vgGuard *g)
{
    if (!g) return;
    vg_state_free(g->before);
    vg_state_free(g->once);
    free(g->x);
    free(g);
}

/* Most runs never take a step that goes far: the states of a large model are only set aside. */
static vgStatus make_room(vgGuard *g, int nhistory)
{
    const vgSystem *sys = g->it->sys;
    vgStatus st = vg_state_reserve(sys, nhistory, &g->before);
    return st == VG_OK ? vg_state_reserve(sys, nhistory, &g->once) : st;
}

vgStatus vg_guard_new(vgIntegrator *it, int nhistory, vgGuard **out)
{
    vgGuard *g = calloc(1, sizeof *g);
    *out = NULL;
    if (!g) return VG_NO_MEMORY;
    g->it = it;
    /* who solves no equations has one solution; so many iterations and no more are for real time */
    g->looks = ((it->row->flags & VG_INT_IMPLICIT) || it->sys->nl > 0) && it->newton_fixed == 0;
    g->idle = !g->looks && it->sys->model->nturn == 0;
    g->x = calloc(2 * (size_t)it->sys->nv + 5, sizeof *g->x); /* whole fours */
    g->unit = g->x ? g->x + it->sys->nv + 1 : NULL;
    for (int i = 0; g->x && i < it->sys->nv; i++) g->unit[i] = 1 / it->sys->v_scale[i];
    vgStatus st = g->x ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK && !g->idle) st = make_room(g, nhistory);
    if (st != VG_OK) {
        vg_guard_free(g);
        return st;
    }
    *out = g;
    return VG_OK;
}

/* h |v| + ½ h² |a|, the largest of both in units of the scales. */
static double reach(const vgGuard *g, const vgState *s, double h)
{
    int nv = g->it->sys->nv;
    return g->looks ? vg_rows_reach(nv, h, s->v, s->a, g->unit) : h * vg_rows_largest(nv, s->v, g->unit);
}

/* Largest of x in units of the scales, and where. */
static double largest(const vgSystem *sys, const double *x, int *at)
{
    double most = 0;
    *at = 0;
    for (int i = 0; i < sys->nv; i++) {
        double y = fabs(x[i]) / sys->v_scale[i];
        if (!(y <= most)) most = y, *at = i;
    }
    return most;
}

/* ---- angles ---- */

/* The largest rate among the angles of which turns can be counted, and which; 0: there are none. Whether
 * anyone looks at them or not: what is recorded must not change the steps. */
static double fastest_angle(vgGuard *g, const vgState *s, int *which)
{
    const vgSystem *sys = g->it->sys;
    const vgModel *m = sys->model;
    const vgKin ground = {.R = vg_eye3()};
    const vgKin *kin = sys->ops->kinematics(sys, g->it->work, s->t, s->q, s->v, s->a);
    double most = 0;
    *which = -1;
    for (int i = 0; i < m->nmeasure; i++) {
        const vgMeasure *me = &m->measure[i].measure;
        vgMeasureOut out;
        if (me->turn < 0) continue;
        vg_measure_eval(me, me->A.body < 0 ? &ground : &kin[me->A.body],
                        me->B.body < 0 ? &ground : &kin[me->B.body], s->turn[me->turn], 0, &out);
        if (fabs(out.rate) > most) most = fabs(out.rate), *which = i;
    }
    return most;
}

double vg_guard_before(vgGuard *g, const vgState *s, double h, int *asks)
{
    *asks = 0;
    if (g->idle) return h;
    g->reach = reach(g, s, h);
    if (g->reach <= NEAR) return h;
    *asks = 1;
    vg_state_copy(g->it->sys, g->before, s);
    g->rate = -1;
    if (!g->it->adaptive || g->reach <= FAST) return h;
    g->rate = fastest_angle(g, s, &g->fastest);
    return g->rate * h > VG_TURN_SAFE * PI ? VG_TURN_SAFE * PI / g->rate : h;
}

int vg_guard_is_far(const vgGuard *g)
{
    return g->reach > FAST;
}

/* The work then has the motion at the end of the step, as the step left it. */
static int turned_too_far(vgGuard *g, vgState *s, double h)
{
    int which, at_end;
    if (g->rate < 0) g->rate = fastest_angle(g, g->before, &g->fastest);
    double start = g->rate, end = fastest_angle(g, s, &at_end);
    which = end > start ? at_end : g->fastest;
    if (!(h * fmax(start, end) > VG_TURN_LOST * PI)) return 0;
    vg_fail(g->it, VG_NOT_CONVERGED, s->t,
            "the step to t = %.9g s is too long for '%s': at %.3g rad/s it turns by half a turn or more, and "
            "its turns can no longer be counted",
            s->t, g->it->sys->model->measure[which].name, fmax(start, end));
    return 1;
}

/* ---- the same step in parts ---- */

static vgStatus in_parts(vgGuard *g, vgState *s, double h, int parts)
{
    vgIntegrator *it = g->it;
    vgStatus st = VG_OK;
    vg_state_copy(it->sys, s, g->before);
    it->step_hint = h / parts;
    if (it->row->flags & VG_INT_MULTISTEP) st = it->row->start(it, s);
    for (int k = 1; k <= parts && st == VG_OK; k++) {
        if (k > 1) vg_work_accept(it->sys, it->work, s);
        vgStep x = vg_step_like(&g->step);
        st = it->row->step(it, s, g->before->t + h * k / parts - s->t, &x);
    }
    return st;
}

/* How far from the step as it was taken the same in parts ends, and where. The integrator is left as it was,
 * but for its matrix. */
static double distance(vgGuard *g, vgState *s, double h, int parts, int *at)
{
    vgIntegrator *it = g->it, as_it_was = *it;
    const vgSystem *sys = it->sys;
    double apart = INFINITY;
    it->adaptive = 0;
    *at = -1;
    if (in_parts(g, s, h, parts) == VG_OK) {
        sys->ops->local(sys, g->once->q, s->q, g->x);
        apart = largest(sys, g->x, at);
    }
    vgWork *work = it->work; /* may be another by now */
    *it = as_it_was;
    it->work = work;
    it->matrix.have = 0;
    vg_state_copy(sys, s, g->once);
    return apart;
}

static vgStatus refuse(vgGuard *g, vgState *s, double apart, int at)
{
    const vgSystem *sys = g->it->sys;
    if (at >= 0)
        vg_fail(g->it, VG_NOT_CONVERGED, s->t,
                "the step to t = %.9g s comes to another solution than shorter steps do (body '%s' is %.2g "
                "rad or lengths away)",
                s->t, sys->model->body[sys->v_body[at]].name, apart);
    else
        vg_fail(g->it, VG_NOT_CONVERGED, s->t,
                "the step to t = %.9g s was taken, but shorter ones to the same time did not converge", s->t);
    return VG_NOT_CONVERGED;
}

vgStatus vg_guard_after(vgGuard *g, vgState *s, double h, const vgStep *step)
{
    const vgSystem *sys = g->it->sys;
    int at, moved = 0; /* the work has seen other states since the step */
    vgStatus st = VG_OK;
    if (s->t == g->before->t) return VG_OK;
    g->step = *step;
    if (g->reach > FAST && turned_too_far(g, s, h)) st = VG_NOT_CONVERGED;
    if (st == VG_OK && g->looks) {
        sys->ops->local(sys, g->before->q, s->q, g->x);
        for (int i = 0; i < sys->nv; i++) g->x[i] -= h * g->before->v[i];
        double far = largest(sys, g->x, &at), apart = 0;
        if (far > FAR) {
            moved = 1;
            vg_state_copy(sys, g->once, s);
            apart = distance(g, s, h, 2, &at);
            if (apart <= APART && far > VERY_FAR) apart = distance(g, s, h, 4, &at);
        }
        if (!(apart <= APART)) st = refuse(g, s, apart, at);
    }
    if (st != VG_OK)
        vg_state_copy(sys, s, g->before);
    else if (moved)
        sys->ops->kinematics(sys, g->it->work, s->t, s->q, s->v, s->a); /* as the step left it */
    return st;
}

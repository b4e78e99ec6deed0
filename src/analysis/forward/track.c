#include "analysis/forward/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times that differ by less than this part of a step are the same. */
static const double SAME_TIME = 1e-6;

static void put(double *to, const double *from, int n)
{
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

static void fresh(vgTrack *k, vgMoment *m, double t, double cm)
{
    m->t = t;
    m->cm = cm;
    if (k->moved_of == m) k->moved_of = NULL;
    if (k->mass_of == m || k->mass_of == &k->moved) k->mass_of = NULL;
    if (k->own_of == m) k->own_of = NULL;
}

static void moment_of_state(vgTrack *k, vgMoment *m, const vgState *s)
{
    const vgSystem *sys = k->sys;
    fresh(k, m, s->t, 1);
    put(m->q, s->q, sys->nq);
    put(m->v, s->v, sys->nv);
    put(m->a, s->a, sys->nv);
    put(m->lambda, s->lambda, sys->nl);
}

/* ---- what the run does ---- */

static void step_begins(void *user)
{
    vgTrack *k = user;
    k->nstage = 0;
    k->last = NULL;
}

static void stage_solved(void *user, const vgStage *st, const vgStageSpec *sp)
{
    vgTrack *k = user;
    const vgSystem *sys = k->sys;
    if (st->at_position) k->refuses = "a stage was solved in a singular position";
    if (sp->map == VG_STAGE_FIRST && !sys->vector_space)
        k->refuses =
            "the stages of this method are in rates of rotations (generalized-alpha and trapezoidal: not)";
    if (k->nstage == VG_TRACK_STAGES) k->refuses = "a step has too many stages";
    if (k->refuses) return;
    vgMoment *m = &k->stage[k->nstage++];
    fresh(k, m, sp->t, sp->cm);
    put(m->q_r, sp->q_r, sys->nq);
    put(m->delta, st->delta, sys->nv);
    put(m->q, st->q, sys->nq);
    put(m->v, st->v, sys->nv);
    put(m->a, st->a, sys->nv);
    put(m->lambda, st->lambda, sys->nl);
    k->last = m;
}

/* ---- points ---- */

const vgMoment *vg_track_at(const vgTrack *k, double t, int stages)
{
    const double near = SAME_TIME * k->h;
    if (fabs(t - k->end.t) <= near) return &k->end;
    if (fabs(t - k->start.t) <= near || stages == 0 || stages > k->nstage) return &k->start;
    return &k->stage[stages - 1];
}

const vgMoment *vg_track_before(const vgTrack *k, const vgMoment *m)
{
    return m == &k->end && k->last && fabs(k->last->t - m->t) <= SAME_TIME * k->h ? k->last : m;
}

const vgMoment *vg_track_moving(vgTrack *k, const vgMoment *m)
{
    const vgSystem *sys = k->sys;
    vgMoment *x = &k->moved;
    if (m == x || k->moved_of == m) return x;
    fresh(k, x, m->t, 1);
    put(x->q_r, m->q_r, sys->nq);
    put(x->delta, m->delta, sys->nv);
    put(x->q, m->q, sys->nq);
    put(x->v, m->v, sys->nv);
    vg_work_bind(k->at, &k->bound);
    vgStatus status = sys->ops->accel(sys, k->at, x->t, x->q, x->v, x->a, x->lambda);
    k->moved_of = status == VG_OK ? m : NULL;
    return status == VG_OK ? x : NULL;
}

/* ---- matrices ---- */

vgStatus vg_track_factor(vgTrack *k, const vgMoment *m, const vgTangent *p, int again)
{
    const vgSystem *sys = k->sys;
    const vgMatrixMemory *run = &k->it->matrix;
    if (!again && run->have && run->cv == p->cv && run->ca == p->ca && run->map == (int)p->map &&
        !k->it->work->matrix_lost) {
        k->solver = k->it->work;
        return VG_OK;
    }
    const int same = k->own_have && k->own_cv == p->cv && k->own_ca == p->ca && k->own_map == (int)p->map;
    if (same && (!again || k->own_of == m)) {
        k->solver = k->own;
        return VG_OK;
    }
    for (int i = 0; i < sys->nv; i++) k->room[i] = m->cm * m->a[i];
    vgTangent x = *p;
    x.t = m->t;
    x.q = m->q;
    x.v = m->v;
    x.a = k->room;
    x.lambda = m->lambda;
    x.delta = m->delta;
    x.delta_dot = NULL;
    x.reuse = x.keep = 0;
    vg_work_bind(k->own, &k->bound);
    vgStatus status = sys->ops->factor(sys, k->own, &x);
    k->own_have = status == VG_OK;
    k->own_of = m;
    k->own_cv = p->cv;
    k->own_ca = p->ca;
    k->own_map = p->map;
    k->solver = k->own;
    return status;
}

/* ---- steps ---- */

vgStatus vg_track_begin(vgTrack *k, const vgState *s)
{
    k->bound = *s;
    k->nstage = 0;
    k->last = NULL;
    k->h = 0;
    moment_of_state(k, &k->start, s);
    moment_of_state(k, &k->end, s);
    k->own_have = 0;
    return VG_OK;
}

void vg_track_end(vgTrack *k, const vgState *s, double h)
{
    k->bound = *s;
    k->h = h;
    moment_of_state(k, &k->end, s);
}

void vg_track_next(vgTrack *k)
{
    vgMoment was = k->start;
    k->start = k->end;
    k->end = was;
    k->moved_of = k->mass_of = k->own_of = NULL;
    k->nstage = 0;
    k->last = NULL;
}

/* ---- making and freeing ---- */

/* Forces that begin and end: when they do depends on the parameter. */
static int has_contacts(const vgModel *m)
{
    int found = 0;
    for (int f = 0; f < m->nforce; f++) {
        const vgForce *force = &m->force[f];
        vgForceLook look = {0};
        if (force->kind->look) force->kind->look(force->def, &look);
        found |=
            force->kind->depth || force->kind->crowd || force->setup.foreign || look.road || look.radius > 0;
    }
    return found;
}

static const char *pair_refuses(const vgIntegrator *it)
{
    const vgSystem *sys = it->sys;
    if (has_contacts(sys->model)) return "a force begins and ends (contacts, tyres on a road, stops)";
    if (it->row->flags & VG_INT_EXPLICIT) return "an explicit method has no matrix that could be reused";
    if (it->row->flags & (VG_INT_OWN_STEPS | VG_INT_OWN_NEWTON | VG_INT_BODY_AXES | VG_INT_SPLITS) ||
        it->metric)
        return "this method has an iteration of its own";
    if (it->undamped && sys->nl > 0 && vg_at_position(sys))
        return "index 3 without numerical damping solves for its accelerations after each step (index2: not)";
    if (it->row->stages > 1 && vg_system_projects(sys))
        return "its stages are projected one by one (index2: not)";
    if (it->adaptive && it->row->flags & VG_INT_DOUBLING) return "its steps are doubled for the error";
    if (sys->nl > 0 && !sys->is.saddle) return "this constraint setting has no matrix with multipliers";
    if (sys->ops->dependent.follow || sys->ops->dependent.settle || sys->ops->approach.residual)
        return "coordinates follow from others";
    if (sys->recasts) return "coordinates are replaced near singularities";
    if (!sys->second_order) return "velocities are no rates of the coordinates";
    if (sys->vector_space && sys->nq != sys->nv) return "there are more coordinates than velocities";
    return NULL;
}

const char *vg_track_refuses(const vgTrack *k)
{
    return k->refuses;
}

static void place_moment(const vgSystem *sys, vgMoment *m, vgArena *a)
{
    double **of_q[] = {&m->q_r, &m->q}, **of_v[] = {&m->delta, &m->v, &m->a};
    for (int i = 0; i < 2; i++) *of_q[i] = VG_TAKE(a, double, sys->nq + 1);
    for (int i = 0; i < 3; i++) *of_v[i] = VG_TAKE(a, double, sys->nv + 1);
    m->lambda = VG_TAKE(a, double, sys->nphi + 1);
}

static void place(vgTrack *k, vgArena *a)
{
    place_moment(k->sys, &k->start, a);
    place_moment(k->sys, &k->end, a);
    place_moment(k->sys, &k->moved, a);
    for (int i = 0; i < VG_TRACK_STAGES; i++) place_moment(k->sys, &k->stage[i], a);
    k->room = VG_TAKE(a, double, k->sys->nv + 1);
}

vgStatus vg_track_new(vgIntegrator *it, const vgState *s, vgTrack **out)
{
    vgTrack *k = calloc(1, sizeof *k);
    vgArena measure = {0};
    if (!k) return VG_NO_MEMORY;
    k->it = it;
    k->sys = it->sys;
    k->bound = *s;
    k->refuses = pair_refuses(it);
    place(k, &measure);
    vgStatus status = vg_arena_alloc(&k->arena, measure.used);
    if (status == VG_OK) place(k, &k->arena);
    if (status == VG_OK) status = vg_work_new(k->sys, &k->at);
    if (status == VG_OK) status = vg_work_new(k->sys, &k->own);
    if (status == VG_OK) status = vg_work_new(k->sys, &k->mass);
    if (status != VG_OK) {
        vg_track_free(k);
        return status;
    }
    k->watch = (vgStageWatch){.user = k, .step = step_begins, .solved = stage_solved};
    it->watch = &k->watch;
    *out = k;
    return VG_OK;
}

void vg_track_free(vgTrack *k)
{
    if (!k) return;
    k->it->watch = NULL;
    vg_work_free(k->at);
    vg_work_free(k->own);
    vg_work_free(k->mass);
    vg_arena_free(&k->arena);
    free(k);
}

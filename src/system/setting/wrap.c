#include "system/setting/wrap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- handing on ---- */

static void accept(const vgSystem *sys, vgWork *work, double *turn)
{
    vg_inner(sys)->ops->accept(vg_inner(sys), vg_inner_work(work), turn);
}

static void retract(const vgSystem *sys, const double *q_r, const double *delta, double *q)
{
    vg_inner(sys)->ops->retract(vg_inner(sys), q_r, delta, q);
}

static void local(const vgSystem *sys, const double *q_r, const double *q, double *delta)
{
    vg_inner(sys)->ops->local(vg_inner(sys), q_r, q, delta);
}

static void rates(const vgSystem *sys, const double *delta, const double *q, const double *v,
                  double *delta_dot)
{
    vg_inner(sys)->ops->rates(vg_inner(sys), delta, q, v, delta_dot);
}

static void twist(const vgSystem *sys, const double *delta, const double *q, const double *delta_dot,
                  double *v)
{
    vg_inner(sys)->ops->twist(vg_inner(sys), delta, q, delta_dot, v);
}

static void residual(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a, const double *lambda, double *r, double *phi)
{
    vg_inner(sys)->ops->residual(vg_inner(sys), vg_inner_work(work), t, q, v, a, lambda, r, phi);
}

static void levels(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                   const double *a, double *phi, double *phi_dot, double *phi_ddot)
{
    vg_inner(sys)->ops->levels(vg_inner(sys), vg_inner_work(work), t, q, v, a, phi, phi_dot, phi_ddot);
}

static const vgKin *kinematics(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                               const double *a)
{
    return vg_inner(sys)->ops->kinematics(vg_inner(sys), vg_inner_work(work), t, q, v, a);
}

static int jacobian(const vgSystem *sys, vgWork *work, double t, const double *q, int *start, int *col,
                    double *value)
{
    return vg_inner(sys)->ops->jacobian(vg_inner(sys), work ? vg_inner_work(work) : NULL, t, q, start, col,
                                        value);
}

static void jacobian_scale(const vgSystem *sys, const vgWork *work, double *scale)
{
    const vgSystem *inner = vg_inner(sys);
    if (inner->ops->extra.jacobian_scale)
        inner->ops->extra.jacobian_scale(inner, vg_inner_work((vgWork *)work), scale);
    else
        memcpy(scale, inner->v_scale, (size_t)inner->nv * sizeof *scale);
}

static void reaction(const vgSystem *sys, vgWork *work, double t, const double *lambda, int joint,
                     double wrench_W[6])
{
    vg_inner(sys)->ops->reaction(vg_inner(sys), vg_inner_work(work), t, lambda, joint, wrench_W);
}

static double row_terms(const vgSystem *sys, vgWork *work, double t, int row)
{
    return vg_inner(sys)->ops->row_terms(vg_inner(sys), vg_inner_work(work), t, row);
}

static int recast(const vgSystem *sys, vgWork *work, vgState *s)
{
    return vg_inner(sys)->ops->extra.recast(vg_inner(sys), vg_inner_work(work), s);
}

static vgStatus from_native(const vgSystem *sys, const vgKin *kin, double *q, double *v)
{
    return vg_inner(sys)->ops->from_native(vg_inner(sys), kin, q, v);
}

static vgStatus project_q(const vgSystem *sys, vgWork *work, double t, double *q, double tol, int max_iter,
                          int *iter)
{
    vgWork *in = vg_inner_work(work);
    vgStatus st = vg_inner(sys)->ops->project_q(vg_inner(sys), in, t, q, tol, max_iter, iter);
    work->bad_row = in->bad_row;
    return st;
}

static vgStatus project_v(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    return vg_inner(sys)->ops->project_v(vg_inner(sys), vg_inner_work(work), t, q, v);
}

const vgSystemOps vg_wrap_ops = {
    .free_system = vg_wrap_free,
    .free_work = vg_wrap_work_free,
    .memory = vg_wrap_memory,
    .accept = accept,
    .retract = retract,
    .local = local,
    .rates = rates,
    .twist = twist,
    .residual = residual,
    .levels = levels,
    .kinematics = kinematics,
    .jacobian = jacobian,
    .reaction = reaction,
    .project_q = project_q,
    .project_v = project_v,
    .from_native = from_native,
    .extra = {.jacobian_scale = jacobian_scale, .recast = recast},
    .row_terms = row_terms,
};

/* ---- making and freeing ---- */

vgStatus vg_wrap_new(vgSystem *inner, size_t size, const vgSystemOps *ops, vgWrap **out)
{
    vgWrap *w = calloc(1, size);
    vgSystemOps *table = calloc(1, sizeof *table); /* this system's own: what the inner one lacks it lacks */
    if (!w || !table) {
        free(w);
        free(table);
        return VG_NO_MEMORY;
    }
    *table = *ops;
    table->name = inner->ops->name;
    w->base = *inner;
    w->base.ops = table;
    w->inner = inner;
    *out = w;
    return VG_OK;
}

void vg_wrap_free(vgSystem *sys)
{
    vgWrap *w = (vgWrap *)sys;
    const void *table = sys->ops;
    vg_system_free(w->inner);
    free((void *)(uintptr_t)table);
    free(w);
}

vgStatus vg_wrap_work_new(const vgSystem *sys, size_t size,
                          void (*place)(const vgSystem *, vgWrapWork *, vgArena *), vgWrapWork **out)
{
    vgWrapWork *w = calloc(1, size);
    if (!w) return VG_NO_MEMORY;
    w->base.sys = sys;
    w->base.bad_row = -1;
    vgStatus st = vg_work_new(vg_inner(sys), &w->inner);
    vgArena measure = {0};
    if (st == VG_OK) {
        w->base.watch = w->inner->watch;
        place(sys, w, &measure);
        st = vg_arena_alloc(&w->arena, measure.used);
    }
    if (st != VG_OK) {
        vg_work_free(w->inner);
        free(w);
        return st;
    }
    place(sys, w, &w->arena);
    *out = w;
    return VG_OK;
}

void vg_wrap_work_free(vgWork *work)
{
    vgWrapWork *w = (vgWrapWork *)work;
    vg_work_free(w->inner);
    vg_arena_free(&w->arena);
    free(w);
}

size_t vg_wrap_memory(const vgWork *work)
{
    const vgWrapWork *w = (const vgWrapWork *)work;
    return w->arena.size + vg_work_memory(w->inner);
}

void vg_wrap_start(const vgModel *m, vgKin *kin)
{
    for (int i = 0; i < m->nbody; i++) {
        memset(&kin[i], 0, sizeof kin[i]);
        kin[i].p = m->body[i].p0;
        kin[i].R = m->body[i].R0;
        kin[i].v = m->body[i].v0;
        kin[i].w = m->body[i].w0;
    }
}

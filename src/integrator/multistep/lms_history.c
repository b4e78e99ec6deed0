#include "integrator/multistep/lms.h"

#include <math.h>
#include <string.h>

#include "integrator/passes.h"
#include "integrator/explicit/rk.h"
#include "integrator/rows.h"

int vg_past_size(const vgSystem *sys, int depth)
{
    return 1 + depth * (1 + sys->nq + 2 * sys->nv);
}

/* Room for a newest point. */
static void make_room(vgPast *p, int depth, const vgSystem *sys, double h, int keep_a)
{
    size_t old = depth > 1 ? (size_t)(depth - 1) : 0, nq = (size_t)sys->nq, nv = (size_t)sys->nv;
    for (size_t j = old; j > 0; j--) p->h[j] = p->h[j - 1];
    p->h[0] = h;
    if (old > 0) {
        memmove(p->q + nq, p->q, old * nq * sizeof(double));
        memmove(p->v + nv, p->v, old * nv * sizeof(double));
        if (keep_a) memmove(p->a + nv, p->a, old * nv * sizeof(double));
    }
    *p->count = *p->count + 1 < depth ? *p->count + 1 : depth;
}

void vg_past_push(const vgSystem *sys, vgPast *p, double h, const double *q, const double *v, const double *a)
{
    if (p->depth == 0) return;
    make_room(p, p->depth, sys, h, a != NULL);
    vg_pass_copy(sys->nq, q, p->q);
    vg_pass_copy(sys->nv, v, p->v);
    if (a) vg_pass_copy(sys->nv, a, p->a);
}

/* old = now, now = next */
VG_PASS static void replace(int n, const double *next, double *now, double *old)
{
#define REPLACE(N, i)                                                                                        \
    do {                                                                                                     \
        PUT(N, old + (i), GET(N, now + (i)));                                                                \
        PUT(N, now + (i), GET(N, next + (i)));                                                               \
    } while (0)
    VG_FOURS(n, REPLACE);
}

static void commit_multipliers(const vgSystem *sys, const vgStage *st, double h, vgState *s)
{
    vg_pass_copy(sys->nl, st->lambda, s->lambda);
    s->t += h;
}

void vg_past_commit(const vgSystem *sys, vgPast *p, const vgStage *st, int keep_a, double h, vgState *s)
{
    if (p->depth > 0) make_room(p, p->depth, sys, h, keep_a);
    replace(sys->nq, st->q, s->q, p->depth > 0 ? p->q : s->q);
    replace(sys->nv, st->v, s->v, p->depth > 0 ? p->v : s->v);
    replace(sys->nv, st->a, s->a, p->depth > 0 && keep_a ? p->a : s->a);
    commit_multipliers(sys, st, h, s);
}

void vg_past_carry(const vgSystem *sys, const vgPast *p, const double *q, int n, double *delta,
                   double *delta_dot)
{
    for (int j = 0; j < n; j++) {
        double *d = delta + (size_t)j * (size_t)sys->nv, *q_j = p->q + (size_t)j * (size_t)sys->nq;
        const double *v = p->v + (size_t)j * (size_t)sys->nv;
        if (sys->one_pass)
            vg_pass_difference(sys->nv, 1, q_j, q, d);
        else
            sys->ops->local(sys, q, q_j, d);
        if (!delta_dot) continue;
        double *d_dot = delta_dot + (size_t)j * (size_t)sys->nv;
        sys->ops->rates(sys, d, q_j, v, d_dot);
    }
}

void vg_before_place(vgBefore *b, const vgSystem *sys, vgArena *a)
{
    b->q = VG_TAKE(a, double, sys->nq + 1);
    b->v = VG_TAKE(a, double, sys->nv + 1);
    b->a = VG_TAKE(a, double, sys->nv + 1);
}

void vg_before_keep(vgBefore *b, const vgSystem *sys, const vgState *s)
{
    memcpy(b->q, s->q, (size_t)sys->nq * sizeof(double));
    memcpy(b->v, s->v, (size_t)sys->nv * sizeof(double));
    memcpy(b->a, s->a, (size_t)sys->nv * sizeof(double));
}

double vg_filtered_error(vgIntegrator *it, vgStage *st, double t, const vgState *from, double *e_q,
                         double *e_v)
{
    const vgSystem *sys = it->sys;
    double most[2] = {0}; /* of e_v and a */
    if (sys->nl > 0 && vg_at_position(sys)) vg_rows_largest_two(sys->nv, e_v, st->a, most);
    if (most[0] > 0) {
        /* M e_v = r(a + s e_v)/s except for the Newton residual r(a), which is small for a large s */
        double s = 1e4 * (1 + most[1]) / most[0];
        const double *of = e_v;
        vg_rows_sum(sys->nv, 1, st->a, 1, &s, &of, st->am);
        sys->ops->residual(sys, it->work, t, st->q, st->v, st->am, st->lambda, e_v, st->phi);
        it->stats.residuals++;
        vg_pass_scale(sys->nv, 1 / s, e_v, e_v);
        vg_pass_zero(sys->nl, st->xl);
        sys->ops->solve(sys, it->work, e_v, st->xl);
    }
    return vg_error_norm(it, st->q, from, st->v, e_q, e_v);
}

void vg_newton_for_control(vgIntegrator *it)
{
    if (it->adaptive) it->newton_acc = fmin(it->newton_acc, it->rtol);
}

vgStatus vg_stage_to_state(vgIntegrator *it, vgStage *st, double h, vgState *s)
{
    vgStatus status = vg_stage_settle(it, st, s->t + h);
    if (status != VG_OK) return status;
    vg_pass_copy(it->sys->nq, st->q, s->q);
    vg_pass_copy(it->sys->nv, st->v, s->v);
    vg_pass_copy(it->sys->nv, st->a, s->a);
    commit_multipliers(it->sys, st, h, s);
    return VG_OK;
}

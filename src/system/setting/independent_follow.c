/* Independent coordinates: the dependent ones follow from the others, docs/theory.md eq. 75–76. */
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "system/project.h"
#include "system/setting/independent.h"

static const double SHUT = 1e-14;    /* violation of positions in units of the model's length */
static const double SETTLED = 1e-12; /* a correction of positions that velocities do not feel */
static const double FELT = 1e-9;     /* relative, of accelerations that a correction of velocities causes */
static const double CURVED = 10;     /* how fast B_D⁻¹ B changes, times the steepness, at most */
enum { MOST_CLOSING = 8 };

typedef vgIndependentWork Work;

void vg_follow_rates(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    size_t n = (size_t)sys->nv * sizeof(double);
    double *phi = w->phi, *phi_dot = phi + sys->nphi, *phi_ddot = phi_dot + sys->nphi;
    memcpy(w->v, v, n);
    vg_split_correct(w, phi_dot, w->v);
    if (!a) return;
    memcpy(w->a, a, n);
    inner->ops->levels(inner, vg_inner_work(work), t, q, w->v, w->a, NULL, NULL, phi_ddot);
    vg_split_correct(w, phi_ddot, w->a);
}

void vg_follow_beyond(const vgSystem *sys, Work *w, const double *v, const double *a)
{
    memcpy(w->v, v, (size_t)sys->nv * sizeof(double));
    memcpy(w->a, a, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < w->ndep; i++) {
        int k = w->dep[i];
        w->v[k] += w->dv[k];
        w->a[k] += w->da[k];
    }
}

void vg_follow_levels(const vgSystem *sys, vgWork *work)
{
    Work *w = (Work *)work;
    work->open = 0;
    for (int i = 0; i < w->ndep; i++) work->open = vg_larger(work->open, fabs(w->phi[w->row[i]]));
    vg_split_levels(sys, w);
}

/* Rows that do not count are left out: they repeat others. */
static const double *position_rows(const vgSystem *sys, vgWork *work, double t, const double *q)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    int m = sys->nphi;
    inner->ops->levels(inner, vg_inner_work(work), t, q, w->v, NULL, w->phi, w->phi + m, NULL);
    w->split_st = vg_split(sys, work, t, q, w->v);
    memset(w->g, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < w->ndep; i++) w->g[w->row[i]] = w->phi[w->row[i]];
    return w->g;
}

static vgStatus position_step(const vgSystem *sys, vgWork *work, double t, double *q)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    (void)t;
    if (w->split_st != VG_OK) return w->split_st;
    memset(w->x, 0, (size_t)sys->nv * sizeof(double));
    vg_split_correct(w, w->phi, w->x);
    inner->ops->retract(inner, q, w->x, w->q_old);
    memcpy(q, w->q_old, (size_t)sys->nq * sizeof(double));
    return VG_OK;
}

vgStatus vg_follow_positions(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v)
{
    Work *w = (Work *)work;
    const vgProjection p = {position_rows, position_step, sys->nphi, 1};
    w->followed = 0;
    memcpy(w->q, q, (size_t)sys->nq * sizeof(double));
    memmove(w->v, v, (size_t)sys->nv * sizeof(double));
    vgStatus st = vg_project_q(&p, sys, work, t, w->q, SHUT, MOST_CLOSING, NULL);
    return st == VG_OK ? w->split_st : st;
}

/* Corrects D by the violations at the three levels; returns the largest changes of positions and velocities in their scales. */
static void close_levels(const vgSystem *sys, Work *w, int positions, double *dq, double *dv)
{
    const vgSystem *inner = vg_inner(sys);
    *dq = *dv = 0;
    memset(w->x, 0, (size_t)sys->nv * sizeof(double));
    for (int i = 0; i < w->ndep; i++) {
        int k = w->dep[i];
        const double *g = w->gap + VG_LANES * i;
        double unit = 1 / sys->v_scale[k];
        w->x[k] = -g[0];
        w->v[k] -= g[1];
        w->a[k] -= g[2];
        *dq = vg_larger(*dq, fabs(g[0]) * unit);
        *dv = vg_larger(*dv, fabs(g[1]) * unit);
    }
    if (!positions) return;
    inner->ops->retract(inner, w->q, w->x, w->q_old);
    memcpy(w->q, w->q_old, (size_t)sys->nq * sizeof(double));
}

/* Centripetal accelerations of D change by 2 Ṙ_D δv: is that little beside the accelerations? */
static int centripetal(const vgSystem *sys, const Work *w, double dv)
{
    double speed = 0, acc = 0;
    for (int k = 0; k < sys->nv; k++) {
        double unit = sys->v_closes ? sys->v_closes[k] : 1 / sys->v_scale[k];
        speed = vg_larger(speed, fabs(w->v[k]) * unit);
        acc = vg_larger(acc, fabs(w->a[k]) * unit);
    }
    return 2 * fmax(1, w->steep) * speed * dv <= FELT * (acc + speed * speed);
}

/* The motion at the end of an iteration: D onto the rows at all levels with the B_D of the iteration. What
 * that leaves is estimated by how far it went since B_D was made; where that is too much it is done again with a new
 * B_D. */
static vgStatus finish(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                       const double *a)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    int m = sys->nphi, closed = 1;
    double last = INFINITY;
    memcpy(w->q, q, (size_t)sys->nq * sizeof(double));
    vg_follow_beyond(sys, w, v, a);
    for (int it = 0;; it++) {
        double dq, dv;
        inner->ops->levels(inner, vg_inner_work(work), t, w->q, w->v, w->a, w->phi, w->phi + m,
                           w->phi + 2 * m);
        if (!closed) {
            vgStatus st = vg_split(sys, work, t, w->q, w->v);
            if (st != VG_OK) return st;
        }
        vg_follow_levels(sys, work);
        double worst = work->open / sys->length, curved = CURVED * fmax(1, w->steep);
        if (!isfinite(worst)) return VG_NOT_FINITE;
        close_levels(sys, w, worst > SHUT, &dq, &dv);
        closed = (worst * curved * (w->moved + dq) <= SHUT && curved * dq <= SETTLED) ||
                 (worst >= 0.5 * last && worst < 100 * SHUT);
        if (closed && (it > 0 || centripetal(sys, w, dv))) return VG_OK;
        if (it == MOST_CLOSING) return VG_NOT_CONVERGED;
        w->moved += dq;
        last = worst;
    }
}

vgStatus vg_follow_all(const vgSystem *sys, vgWork *work, double t, double *q, double *v, double *a)
{
    Work *w = (Work *)work;
    size_t n = (size_t)sys->nv * sizeof(double);
    int finishing = w->approaching && w->split_ok && a;
    w->approaching = 0;
    vgStatus st = finishing ? finish(sys, work, t, q, v, a) : vg_follow_positions(sys, work, t, q, v);
    if (st != VG_OK) return st;
    if (!finishing) vg_follow_rates(sys, work, t, w->q, v, a);
    memcpy(q, w->q, (size_t)sys->nq * sizeof(double));
    memcpy(v, w->v, n);
    if (a) memcpy(a, w->a, n);
    w->followed = a != NULL;
    w->have_reactions = finishing;
    return VG_OK;
}

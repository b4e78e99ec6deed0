/* What the residual needs of the constraints: value and force Bᵀλ, without forming B.
 * A row's gradient by points and vectors (prim.h) times λ is a force on a point or a couple on a vector:
 *     force += g_P,   torque += r × Rᵀ g_P + u × Rᵀ g_u     (torque in body axes)
 * The four primitives that make nearly all joints are written out; the others go through their rows. */
#include "system/native/native.h"

#include <math.h>

static inline vgVec3 point(const vgKin *k, vgVec3 r)
{
    return vg_add3(k->p, vg_mv3(k->R, r));
}

static inline void push(double *n, const vgKin *k, vgVec3 r, vgVec3 g)
{
    vgVec3 t = vg_cross3(r, vg_mtv3(k->R, g));
    n[0] += g.x, n[1] += g.y, n[2] += g.z;
    n[3] += t.x, n[4] += t.y, n[5] += t.z;
}

static inline void twist_by(double *n, const vgKin *k, vgVec3 u, vgVec3 g)
{
    vgVec3 t = vg_cross3(u, vg_mtv3(k->R, g));
    n[3] += t.x, n[4] += t.y, n[5] += t.z;
}

static inline void coincide(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *l, double *na,
                            double *nb, double *phi)
{
    vgVec3 d = vg_sub3(point(ka, p->ra), point(kb, p->rb));
    vgVec3 g = vg_v3(l[0], l[1], p->rows == 3 ? l[2] : 0);
    phi[0] = d.x;
    phi[1] = d.y;
    if (p->rows == 3) phi[2] = d.z;
    if (na) push(na, ka, p->ra, g);
    if (nb) push(nb, kb, p->rb, vg_neg3(g));
}

static inline void dot(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *l, double *na,
                       double *nb, double *phi)
{
    vgVec3 ua = vg_mv3(ka->R, p->ua), ub = vg_mv3(kb->R, p->ub);
    phi[0] = p->s1 * vg_dot3(ua, ub) - p->c;
    if (na) twist_by(na, ka, p->ua, vg_scale3(ub, p->s1 * l[0]));
    if (nb) twist_by(nb, kb, p->ub, vg_scale3(ua, p->s1 * l[0]));
    if (p->s2 == 0) return;
    vgVec3 wa = vg_mv3(ka->R, p->wa), wb = vg_mv3(kb->R, p->wb);
    phi[0] += p->s2 * vg_dot3(wa, wb);
    if (na) twist_by(na, ka, p->wa, vg_scale3(wb, p->s2 * l[0]));
    if (nb) twist_by(nb, kb, p->wb, vg_scale3(wa, p->s2 * l[0]));
}

static inline void along(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *l, double *na,
                         double *nb, double *phi)
{
    vgVec3 u = vg_mv3(ka->R, p->ua), d = vg_sub3(point(kb, p->rb), point(ka, p->ra)), g = vg_scale3(u, l[0]);
    phi[0] = vg_dot3(u, d) - p->c;
    if (nb) push(nb, kb, p->rb, g);
    if (na) {
        push(na, ka, p->ra, vg_neg3(g));
        twist_by(na, ka, p->ua, vg_scale3(d, l[0]));
    }
}

static inline void distance(const vgPrim *p, const vgKin *ka, const vgKin *kb, const double *l, double *na,
                            double *nb, double *phi)
{
    vgVec3 d = vg_sub3(point(kb, p->rb), point(ka, p->ra)), g = vg_scale3(d, l[0] / p->c);
    phi[0] = 0.5 * (vg_dot3(d, d) - p->c * p->c) / p->c;
    if (nb) push(nb, kb, p->rb, g);
    if (na) push(na, ka, p->ra, vg_neg3(g));
}

/* Any primitive through its rows. */
static void by_rows(vgNative *x, int i, double t, const vgKin *ka, const vgKin *kb, const double *l,
                    double *native, double *phi)
{
    const vgModel *m = x->model;
    const vgPrim *p = &m->prim[i];
    vgPrimOut *o = &x->prim[i];
    if (p->kind == VG_PRIM_MEASURE) {
        vg_prim_measure_among(p, vg_native_law(x, i, t), x->measure,
                              VG_PRIM_VALUE | VG_PRIM_GRADIENT | (p->level == 2 ? VG_PRIM_BIAS : 0), o->phi,
                              o->dot, o->bias);
        for (int k = 0; k < p->nterm; k++) {
            const vgMeasure *me = &m->measure[p->measure[k]].measure;
            const double *grad = x->measure[p->measure[k]].grad;
            if (me->A.body >= 0) vg_add_row6(native + 6 * me->A.body, grad, l[0] * p->k[k]);
            if (me->B.body >= 0) vg_add_row6(native + 6 * me->B.body, grad + 6, l[0] * p->k[k]);
        }
        phi[0] = o->phi[0];
        return;
    }
    vg_prim_eval(p, t, ka, kb, VG_PRIM_VALUE | VG_PRIM_GRADIENT, o);
    for (int r = 0; r < p->rows; r++) {
        phi[r] = o->phi[r];
        for (int c = 0; c < 6; c++) {
            if (p->a >= 0) native[6 * p->a + c] += l[r] * o->Ba[r][c];
            if (p->b >= 0) native[6 * p->b + c] += l[r] * o->Bb[r][c];
        }
    }
}

void vg_native_constraint_forces(vgNative *x, double t, const double *lambda, double *native, double *phi)
{
    const vgModel *m = x->model;
    const int written = (x->fast & VG_FAST_ROWS) != 0;
    x->work->taken |= x->fast & ((x->rods.n ? VG_FAST_RODS : 0) | (x->rods.nrest ? VG_FAST_ROWS : 0));
    vg_rods_forces(&x->rods, x->kin, x->nbody, lambda, native, phi);
    for (int at = 0; at < x->rods.nrest; at++) {
        int i = x->rods.rest[at];
        const vgPrim *p = &m->prim[i];
        const vgKin *ka = &x->kin[p->a < 0 ? x->nbody : p->a], *kb = &x->kin[p->b < 0 ? x->nbody : p->b];
        double *na = p->a < 0 ? NULL : native + 6 * p->a, *nb = p->b < 0 ? NULL : native + 6 * p->b;
        const double *l = lambda + p->row;
        double *f = phi + p->row;
        if (p->law || !written)
            by_rows(x, i, t, ka, kb, l, native, f);
        else if (p->kind == VG_PRIM_COINCIDE)
            coincide(p, ka, kb, l, na, nb, f);
        else if (p->kind == VG_PRIM_DOT)
            dot(p, ka, kb, l, na, nb, f);
        else if (p->kind == VG_PRIM_ALONG)
            along(p, ka, kb, l, na, nb, f);
        else if (p->kind == VG_PRIM_DISTANCE)
            distance(p, ka, kb, l, na, nb, f);
        else
            by_rows(x, i, t, ka, kb, l, native, f);
    }
}

/* B ξ̇ of one row */
static double row_acceleration(const vgNative *x, int i, int r)
{
    const vgModel *m = x->model;
    const vgPrim *p = &m->prim[i];
    double sum = 0;
    if (p->kind != VG_PRIM_MEASURE) {
        if (p->a >= 0) sum += vg_dot_row6(x->prim[i].Ba[r], &x->kin[p->a].dv.x);
        if (p->b >= 0) sum += vg_dot_row6(x->prim[i].Bb[r], &x->kin[p->b].dv.x);
        return sum;
    }
    for (int k = 0; k < p->nterm; k++) {
        const vgMeasure *me = &m->measure[p->measure[k]].measure;
        const double *g = x->measure[p->measure[k]].grad;
        if (me->A.body >= 0) sum += p->k[k] * vg_dot_row6(g, &x->kin[me->A.body].dv.x);
        if (me->B.body >= 0) sum += p->k[k] * vg_dot_row6(g + 6, &x->kin[me->B.body].dv.x);
    }
    return sum;
}

void vg_native_levels(vgNative *x, double t, double *phi, double *dot, double *ddot)
{
    const unsigned all = VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE | VG_PRIM_BIAS;
    vg_rods_levels(&x->rods, x->kin, x->nbody, phi, dot, ddot);
    for (int at = 0; at < x->rods.nrest; at++) {
        int i = x->rods.rest[at];
        const vgPrim *p = &x->model->prim[i];
        vgPrimOut *o = &x->prim[i];
        vg_native_prim(x, i, t, all);
        for (int r = 0; r < p->rows; r++) {
            phi[p->row + r] = p->level == 0 ? o->phi[r] : 0;
            dot[p->row + r] = p->level == 0 ? o->dot[r] : p->level == 1 ? o->phi[r] : 0;
            ddot[p->row + r] = row_acceleration(x, i, r) + o->bias[r];
        }
    }
}

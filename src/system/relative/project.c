/* Relative coordinates with closing rows: accelerations of index 1, levels, projections in the mass metric.
 */
#include <string.h>

#include "system/relative/relative.h"

#include "system/project.h"

static void native_accelerations(const vgTree *s, vgTreeWork *w)
{
    for (int i = 0; i < s->base.model->nbody; i++) {
        const vgKin *k = &w->native_motion.kin[i];
        vg_store3(k->dv, w->xi + 6 * i);
        vg_store3(k->dw, w->xi + 6 * i + 3);
    }
}

/* M a + Bᵀλ = −r(a = 0),   B a = −(γ + B J̇v) − 2α Φ̇ − β² Φ */
vgStatus vg_tree_accel_explicit(const vgTree *s, vgTreeWork *w, double t, const double *q, const double *v,
                                double *a, double *lambda)
{
    const vgSystem *sys = &s->base;
    vgNative *x = &w->native_motion;
    vg_tree_residual(sys, &w->base, t, q, v, NULL, NULL, a, NULL);
    if (sys->nl > 0) {
        vg_native_prims(x, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE | VG_PRIM_BIAS);
        native_accelerations(s, w);
        vg_native_rows_times(x, w->xi, w->lam);
    }
    vgStatus st = vg_tree_factor_mass(s, w, t);
    if (st != VG_OK) return st;
    for (int k = 0; k < sys->nv; k++) a[k] = -a[k];
    vg_native_right(x, VG_RIGHT_ACCELERATION, w->lam, s->model_row, lambda);
    vg_tree_solve_at_once(sys, &w->base, a, lambda);
    return VG_OK;
}

void vg_tree_levels_here(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                         const double *a, double *phi, double *phi_dot, double *phi_ddot)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    (void)q, (void)v;
    vg_native_levels(&w->native_motion, t, w->phi, w->dot, w->ddot);
    for (int k = 0; k < s->base.nl; k++) {
        int row = s->row_model[k];
        if (phi) phi[k] = w->phi[row];
        if (phi_dot) phi_dot[k] = w->dot[row];
        if (a && phi_ddot) phi_ddot[k] = w->ddot[row];
    }
}

void vg_tree_levels(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                    const double *a, double *phi, double *phi_dot, double *phi_ddot)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vg_tree_pass(s, w, q, v, a, 1);
    w->have_reactions = 0;
    if (sys->nl == 0) return;
    vg_native_measures(&w->native_motion, 1);
    vg_tree_levels_here(sys, work, t, q, v, a, phi, phi_dot, phi_ddot);
}

double vg_tree_row_terms(const vgSystem *sys, vgWork *work, double t, int row)
{
    const vgTree *s = (const vgTree *)sys;
    return vg_native_row_terms(&((vgTreeWork *)work)->native_motion, t, sys->row_joint[row],
                               s->row_model[row]);
}

static const double *position_rows(const vgSystem *sys, vgWork *work, double t, const double *q)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vgNative *x = &w->native_motion;
    w->have_wrench = 0;
    vg_tree_motion(s, w, q, w->zero);
    vg_tree_native(s, w, 0);
    vg_native_measures(x, 1);
    vg_native_prims(x, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    vg_native_right(x, VG_RIGHT_POSITION, NULL, s->model_row, w->lam);
    return w->lam;
}

static vgStatus position_step(const vgSystem *sys, vgWork *work, double t, double *q)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vgStatus st = vg_tree_factor_mass(s, w, t);
    if (st != VG_OK) return st;
    memset(w->scratch_r, 0, (size_t)sys->nv * sizeof(double));
    vg_tree_solve_at_once(sys, work, w->scratch_r, w->lam);
    memcpy(w->q_old, q, (size_t)sys->nq * sizeof(double));
    vg_tree_retract(sys, w->q_old, w->scratch_r, q);
    return VG_OK;
}

vgStatus vg_tree_project_q(const vgSystem *sys, vgWork *work, double t, double *q, double tol, int max_iter,
                           int *iter)
{
    const vgProjection p = {position_rows, position_step, sys->nphi, 0};
    if (iter) *iter = 0;
    return sys->nl ? vg_project_q(&p, sys, work, t, q, tol, max_iter, iter) : VG_OK;
}

vgStatus vg_tree_project_v(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vgNative *x = &w->native_motion;
    if (sys->nl == 0) return VG_OK;
    w->have_wrench = 0;
    vg_tree_motion(s, w, q, v);
    vg_tree_native(s, w, 0);
    vg_native_measures(x, 1);
    vg_native_prims(x, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE);
    vg_native_right(x, VG_RIGHT_VELOCITY, NULL, s->model_row, w->lam);
    vgStatus st = vg_tree_factor_mass(s, w, t);
    if (st != VG_OK) return st;
    memset(w->scratch_r, 0, (size_t)sys->nv * sizeof(double));
    vg_tree_solve_at_once(sys, work, w->scratch_r, w->lam);
    for (int k = 0; k < sys->nv; k++) v[k] += w->scratch_r[k];
    return VG_OK;
}

/* Absolute coordinates: factorisation of assembled matrices (tangent.c) and solution with them. */
#include "system/absolute/absolute.h"
#include "system/absolute/sweep.h"

#include <string.h>

#include "linalg/loose.h"

vgStatus vg_abs_conclude(vgWork *work, const vgMatrix *m, int nv, vgStatus st)
{
    work->bad_row = -1;
    if (st != VG_OK) {
        int bad = vg_lin_bad_row(m->lin);
        if (bad >= 0) work->bad_row = m->row_of[bad] >= 0 ? nv + m->row_of[bad] : bad;
    }
    return st;
}

vgStatus vg_abs_finish(vgWork *work, vgMatrix *m, int nv)
{
    work->factorisations++;
    vg_lin_leave_out(m->lin, work->sys->nl, m->row_at, work->active);
    m->touched = m->loose && vg_loose_count(m->loose) > 0;
    if (!m->touched) return vg_abs_conclude(work, m, nv, vg_lin_factor(m->lin));
    int bad = -1;
    vgStatus st = vg_loose_factor(m->loose, &bad);
    work->bad_row = bad < 0 || m->row_of[bad] < 0 ? bad : nv + m->row_of[bad];
    return st;
}

void vg_abs_solve_matrix(vgMatrix *m, double *x)
{
    if (m->touched)
        vg_loose_solve(m->loose, x);
    else
        vg_lin_solve(m->lin, x);
}

/* Native accelerations or velocities from the solve vector. */
static void scatter(const vgAbs *s, const vgMatrix *m, const double *x, double *xi)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        const double *xb = x + m->v_offset[i];
        double *o = xi + 6 * i;
        if (b->select.n == 6) {
            memcpy(o, xb, 6 * sizeof *o);
            continue;
        }
        memset(o, 0, 6 * sizeof *o);
        for (int k = 0; k < b->select.n; k++) o[b->select.at[k]] = xb[k];
    }
}

vgStatus vg_abs_solve_native(const vgAbs *s, vgAbsWork *w, double t, const double *force, const double *rows,
                             double *xi, double *lambda)
{
    int nrow = s->base.model->nrow;
    if (vg_sweep_native(w->sweep, w->kin, force, rows, xi, lambda)) return VG_OK;
    vgStatus st = vg_abs_factor_native(s, w, t);
    if (st != VG_OK) return st;
    vgMatrix *m = w->solve_with;
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        for (int k = 0; k < b->select.n; k++)
            m->x[m->v_offset[i] + k] = force ? -force[6 * i + b->select.at[k]] : 0;
    }
    for (int r = 0; r < nrow; r++)
        if (m->row_at[r] >= 0) m->x[m->row_at[r]] = rows[r];
    vg_lin_solve_at_once(m->lin, m->x);
    scatter(s, m, m->x, xi);
    for (int r = 0; r < nrow; r++) lambda[r] = m->row_at[r] >= 0 ? m->x[m->row_at[r]] : 0;
    return VG_OK;
}

void vg_abs_solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    vgMatrix *m = w->solve_with;
    double *x = m->x;
    memcpy(x, x_v, (size_t)sys->nv * sizeof *x);
    for (int r = 0; r < sys->nl; r++)
        if (m->row_at[r] >= 0) x[m->row_at[r]] = x_l[r];
    for (int i = 0; i < s->nbody && s->nunit; i++) {
        const vgAbsBody *b = &s->body[i];
        if (!m->unit[i]) continue;
        for (int k = 0; k < 4; k++)
            x[b->v0 + 3 + k] += vg_abs_unit_sigma(b) * m->unit[i][3 + k] * x_l[b->unit_row];
    }
    if (work->refined && !m->touched)
        vg_lin_solve_refined(m->lin, x);
    else
        vg_abs_solve_matrix(m, x);
    memcpy(x_v, x, (size_t)sys->nv * sizeof *x);
    for (int r = 0; r < sys->nl; r++) x_l[r] = m->row_at[r] >= 0 ? x[m->row_at[r]] : 0;
}

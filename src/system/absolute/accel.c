/* Absolute coordinates: accelerations (index 1), constraint levels, projections, reactions. All native. */
#include "system/absolute/absolute.h"

#include <math.h>
#include <string.h>

#include "system/project.h"

static void acceleration_out(const vgAbs *s, vgAbsWork *w, const double *q, const double *v, double *a)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        vgKin *k = &w->kin[i];
        k->dv = vg_load3(w->xi + 6 * i);
        k->dw = vg_load3(w->xi + 6 * i + 3);
        if (b->rotates)
            b->chart->acceleration(q + b->q0, v + b->v0, k, a + b->v0);
        else
            for (int c = 0; c < b->select.n; c++) a[b->v0 + c] = w->xi[6 * i + b->select.at[c]];
    }
}

vgStatus vg_abs_accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      double *a, double *lambda)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    const vgModel *m = sys->model;
    vg_abs_kin(s, w, q, v, NULL);
    for (int i = 0; i < s->nbody; i++) w->kin[i].dv = w->kin[i].dw = vg_v3(0, 0, 0);
    vg_native_measures(&w->native_motion, 1);
    vg_abs_inertia(s, w, 0, w->native);
    vg_abs_lanes_forces(s, w, w->native);
    if (m->nforce) vg_native_forces(&w->native_motion, t, w->native);
    vg_native_prims(&w->native_motion, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE | VG_PRIM_BIAS);
    vg_native_right(&w->native_motion, VG_RIGHT_ACCELERATION, NULL, NULL, w->lam);
    vgStatus st = vg_abs_solve_native(s, w, t, w->native, w->lam, w->xi, lambda);
    if (st != VG_OK) return st;
    for (int r = m->nrow; r < sys->nl; r++) lambda[r] = 0;
    acceleration_out(s, w, q, v, a);
    return VG_OK;
}

/* The unit length of Euler parameters e: (eᵀe − 1)/2 = 0 and its derivatives. a NULL: not the second one. */
static void unit_levels(const vgAbsBody *b, const double *q, const double *v, const double *a, double *phi,
                        double *phi_dot, double *phi_ddot)
{
    double ee = 0, ev = 0, ea = 0;
    for (int k = 3; k < 7; k++) {
        ee += q[b->q0 + k] * q[b->q0 + k];
        ev += q[b->q0 + k] * v[b->v0 + k];
        if (a) ea += q[b->q0 + k] * a[b->v0 + k] + v[b->v0 + k] * v[b->v0 + k];
    }
    if (phi) phi[b->unit_row] = 0.5 * (ee - 1);
    if (phi_dot) phi_dot[b->unit_row] = ev;
    if (a) phi_ddot[b->unit_row] = ea;
}

void vg_abs_levels_here(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                        const double *a, double *phi, double *phi_dot, double *phi_ddot)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    const vgModel *m = sys->model;
    unsigned of_a = a && phi_ddot ? VG_PRIM_GRADIENT | VG_PRIM_BIAS : 0;
    vg_native_prims(&w->native_motion, t, VG_PRIM_VALUE | VG_PRIM_RATE | of_a);
    if (of_a) {
        for (int i = 0; i < s->nbody; i++) {
            vg_store3(w->kin[i].dv, w->xi + 6 * i);
            vg_store3(w->kin[i].dw, w->xi + 6 * i + 3);
        }
        vg_native_rows_times(&w->native_motion, w->xi, phi_ddot);
    }
    for (int k = 0; k < m->nprim; k++) {
        const vgPrim *p = &m->prim[k];
        const vgPrimOut *o = &w->prim[k];
        for (int r = 0; r < p->rows; r++) {
            int i = p->row + r;
            vg_native_row_levels(p, o, r, phi ? &phi[i] : NULL, phi_dot ? &phi_dot[i] : NULL);
            if (of_a) phi_ddot[i] += o->bias[r];
        }
    }
    for (int i = 0; i < s->nbody; i++)
        if (s->body[i].unit_row >= 0) unit_levels(&s->body[i], q, v, of_a ? a : NULL, phi, phi_dot, phi_ddot);
}

void vg_abs_levels(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                   const double *a, double *phi, double *phi_dot, double *phi_ddot)
{
    vgAbsWork *w = (vgAbsWork *)work;
    vg_abs_kin((const vgAbs *)sys, w, q, v, a);
    vg_native_measures(&w->native_motion, 1);
    vg_abs_levels_here(sys, work, t, q, v, a, phi, phi_dot, phi_ddot);
}

static void move_all(const vgAbs *s, const double *xi, double *q)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        double *qb = q + b->q0;
        if (b->rotates) {
            double out[8];
            b->chart->move(qb, xi + 6 * i, out);
            memcpy(qb, out, (size_t)b->nq * sizeof *qb);
        } else {
            for (int k = 0; k < b->select.n; k++) qb[k] += xi[6 * i + b->select.at[k]];
        }
    }
}

static void normalise_units(const vgAbs *s, double *q)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        if (b->unit_row < 0) continue;
        double *e = q + b->q0 + 3, n = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
        for (int k = 0; k < 4; k++) e[k] /= n;
    }
}

double vg_abs_row_terms(const vgSystem *sys, vgWork *work, double t, int row)
{
    if (sys->row_joint[row] < 0) return 1; /* unit length */
    return vg_native_row_terms(&((vgAbsWork *)work)->native_motion, t, sys->row_joint[row], row);
}

static const double *position_rows(const vgSystem *sys, vgWork *work, double t, const double *q)
{
    vgAbsWork *w = (vgAbsWork *)work;
    vg_abs_kin((const vgAbs *)sys, w, q, w->zero, NULL);
    vg_native_measures(&w->native_motion, 1);
    vg_native_prims(&w->native_motion, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    vg_native_right(&w->native_motion, VG_RIGHT_POSITION, NULL, NULL, w->lam);
    return w->lam;
}

/* Gauss–Newton in the mass metric: minimise ½ δᵀ M δ subject to B δ = −Φ. */
static vgStatus position_step(const vgSystem *sys, vgWork *work, double t, double *q)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    vgStatus st = vg_abs_solve_native(s, w, t, NULL, w->lam, w->xi, w->lam);
    if (st == VG_OK) move_all(s, w->xi, q);
    return st;
}

vgStatus vg_abs_project_q(const vgSystem *sys, vgWork *work, double t, double *q, double tol, int max_iter,
                          int *iter)
{
    const vgAbs *s = (const vgAbs *)sys;
    const vgProjection p = {position_rows, position_step, sys->model->nrow, 0};
    if (iter) *iter = 0;
    if (s->nunit) normalise_units(s, q);
    return p.nrow ? vg_project_q(&p, sys, work, t, q, tol, max_iter, iter) : VG_OK;
}

vgStatus vg_abs_project_v(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    vg_abs_kin(s, w, q, v, NULL);
    vg_native_measures(&w->native_motion, 1);
    vg_native_prims(&w->native_motion, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE);
    if (sys->model->nrow) {
        vg_native_right(&w->native_motion, VG_RIGHT_VELOCITY, NULL, NULL, w->lam);
        vgStatus st = vg_abs_solve_native(s, w, t, NULL, w->lam, w->xi, w->lam);
        if (st != VG_OK) return st;
    } else {
        memset(w->xi, 0, (size_t)(6 * s->nbody) * sizeof(double));
    }
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        vgKin *k = &w->kin[i];
        k->v = vg_add3(k->v, vg_load3(w->xi + 6 * i));
        k->w = vg_add3(k->w, vg_load3(w->xi + 6 * i + 3));
        if (b->rotates)
            b->chart->velocity(q + b->q0, k, v + b->v0);
        else
            for (int c = 0; c < b->select.n; c++) v[b->v0 + c] += w->xi[6 * i + b->select.at[c]];
    }
    return VG_OK;
}

/* Adds a native row of a body to the sparse row [from, *n): a column met before is summed. */
static void put_sparse(const vgAbsBody *b, int first, const double *row, double scale, int from, int *n,
                       int *col, double *value)
{
    for (int k = 0; k < b->select.n; k++) {
        int at = -1;
        for (int i = from; i < *n && at < 0; i++)
            if (col[i] == first + k) at = i;
        if (at < 0) {
            at = (*n)++;
            col[at] = first + k;
            value[at] = 0;
        }
        value[at] += scale * row[b->select.at[k]];
    }
}

int vg_abs_jacobian(const vgSystem *sys, vgWork *work, double t, const double *q, int *start, int *col,
                    double *value)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    const vgModel *m = sys->model;
    int n = 0, fill = 0;
    for (int i = 0; i < s->nbody; i++) n += s->body[i].select.n;
    if (!start) return n;
    vg_abs_kin(s, w, q, w->zero, NULL);
    vg_native_measures(&w->native_motion, 1);
    vg_native_prims(&w->native_motion, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    for (int p = 0; p < m->nprim; p++) { /* rows are numbered in the order of the primitives */
        const vgPrim *pr = &m->prim[p];
        for (int r = 0; r < pr->rows; r++) {
            int from = fill;
            start[pr->row + r] = from;
            for (int k = 0; k < vg_prim_terms(pr); k++) {
                vgTerm e = vg_native_term(&w->native_motion, p, k);
                if (e.a >= 0)
                    put_sparse(&s->body[e.a], s->body[e.a].n0, e.ga + 6 * r, e.k, from, &fill, col, value);
                if (e.b >= 0)
                    put_sparse(&s->body[e.b], s->body[e.b].n0, e.gb + 6 * r, e.k, from, &fill, col, value);
            }
        }
    }
    start[m->nrow] = fill;
    return n;
}

void vg_abs_jacobian_scale(const vgSystem *sys, const vgWork *work, double *scale)
{
    const vgAbs *s = (const vgAbs *)sys;
    (void)work;
    for (int i = 0; i < s->nbody; i++) {
        const int hidden = vg_body_is_hidden(&sys->model->body[i]);
        for (int k = 0; k < s->body[i].select.n; k++)
            scale[s->body[i].n0 + k] = s->body[i].select.at[k] < 3 && !hidden ? sys->length : 1;
    }
}

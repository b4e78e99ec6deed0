/* Natural coordinates: accelerations (index 1), projections in the mass metric, Jacobian. */
#include <math.h>
#include <string.h>

#include "system/natural/natural.h"
#include "system/project.h"

static void native_gradients(const vgNat *s, vgNatWork *w, double t, unsigned what)
{
    if (!s->any_native && !s->any_inertial) return;
    vg_nat_kin(s, w, 0);
    vg_native_measures(&w->motion, 1);
    vg_native_prims(&w->motion, t, what);
}

static int by_atoms(const vgNatRow *r)
{
    return r->nterm > 0 || r->component >= 0;
}

/* M a + Gᵀλ = f,   G a = −γ − 2α Φ̇ − β² Φ */
vgStatus vg_nat_accel(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                      double *a, double *lambda)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    double al = sys->drift.alpha, be = sys->drift.beta;
    memset(w->scratch_l, 0, (size_t)sys->nl * sizeof(double));
    vg_nat_residual(sys, work, t, q, v, NULL, w->scratch_l, a, NULL);
    vg_nat_rates(s, w);
    native_gradients(s, w, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE | VG_PRIM_BIAS);
    vgStatus st = vg_nat_factor_mass(s, w, t);
    if (st != VG_OK) return st;
    for (int i = 0; i < sys->nv; i++) a[i] = -a[i];
    for (int i = 0; i < sys->nl; i++) {
        double phi, dot, bias;
        if (!by_atoms(&s->row[i])) continue;
        vg_nat_row(s, w, i, t, &phi, &dot, &bias);
        lambda[i] = -bias - 2 * al * dot - be * be * phi;
    }
    vg_native_right(&w->motion, VG_RIGHT_ACCELERATION, NULL, s->model_row, lambda);
    vg_nat_solve_at_once(sys, work, a, lambda);
    w->have_kin = 0;
    return VG_OK;
}

/* An atom is a sum of nodes: its rounding is a part of theirs. */
static double atom_terms(const vgNat *s, const vgNatWork *w, int atom)
{
    const vgNatAtom *a = &s->atom[atom];
    double sum = vg_norm3(w->x[atom]);
    for (int i = 0; i < a->n; i++) sum += vg_norm3(w->xn[s->part[a->first + i].node]);
    return sum;
}

double vg_nat_row_terms(const vgSystem *sys, vgWork *work, double t, int row)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    const vgNatRow *r = &s->row[row];
    double sum = fabs(r->c);
    if (!by_atoms(r)) {
        int first = row;
        while (first > 0 && s->row[first - 1].prim == r->prim) first--;
        native_gradients(s, w, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
        return vg_native_row_terms(&w->motion, t, sys->row_joint[row],
                                   sys->model->prim[r->prim].row + row - first);
    }
    if (r->component >= 0) return sum + atom_terms(s, w, r->term[0].a);
    for (int i = 0; i < r->nterm; i++) {
        int a = r->term[i].a, b = r->term[i].b;
        sum += fabs(r->term[i].s) *
               (atom_terms(s, w, a) * vg_norm3(w->x[b]) + vg_norm3(w->x[a]) * atom_terms(s, w, b));
    }
    return sum;
}

static const double *position_rows(const vgSystem *sys, vgWork *work, double t, const double *q)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    double *right = w->scratch_l, phi, unused;
    vg_nat_motion(s, w, q, NULL, NULL);
    native_gradients(s, w, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    for (int i = 0; i < sys->nl; i++)
        if (by_atoms(&s->row[i])) vg_nat_row(s, w, i, t, &phi, NULL, &unused), right[i] = -phi;
    vg_native_right(&w->motion, VG_RIGHT_POSITION, NULL, s->model_row, right);
    return right;
}

static vgStatus position_step(const vgSystem *sys, vgWork *work, double t, double *q)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    vgStatus st = vg_nat_factor_mass(s, w, t);
    if (st != VG_OK) return st;
    memset(w->scratch_r, 0, (size_t)sys->nv * sizeof(double));
    vg_nat_solve_at_once(sys, work, w->scratch_r, w->scratch_l);
    for (int i = 0; i < sys->nv; i++) q[i] += w->scratch_r[i];
    return VG_OK;
}

vgStatus vg_nat_project_q(const vgSystem *sys, vgWork *work, double t, double *q, double tol, int max_iter,
                          int *iter)
{
    const vgProjection p = {position_rows, position_step, sys->nphi, 0};
    if (iter) *iter = 0;
    return sys->nl ? vg_project_q(&p, sys, work, t, q, tol, max_iter, iter) : VG_OK;
}

vgStatus vg_nat_project_v(const vgSystem *sys, vgWork *work, double t, const double *q, double *v)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    if (sys->nl == 0) return VG_OK;
    vg_nat_motion(s, w, q, v, NULL);
    vg_nat_rates(s, w);
    native_gradients(s, w, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE);
    for (int i = 0; i < sys->nl; i++) {
        double phi, dot, bias;
        if (!by_atoms(&s->row[i])) continue;
        vg_nat_row(s, w, i, t, &phi, &dot, &bias);
        w->scratch_l[i] = -dot;
    }
    vg_native_right(&w->motion, VG_RIGHT_VELOCITY, NULL, s->model_row, w->scratch_l);
    vgStatus st = vg_nat_factor_mass(s, w, t);
    if (st != VG_OK) return st;
    memset(w->scratch_r, 0, (size_t)sys->nv * sizeof(double));
    vg_nat_solve_at_once(sys, work, w->scratch_r, w->scratch_l);
    for (int i = 0; i < sys->nv; i++) v[i] += w->scratch_r[i];
    return VG_OK;
}

/* ---- Jacobian ---- */

typedef struct Sparse {
    int from, n, *col;
    double *value;
} Sparse;

static void put(Sparse *out, int col, double value)
{
    for (int i = out->from; i < out->n; i++)
        if (out->col[i] == col) {
            out->value[i] += value;
            return;
        }
    out->col[out->n] = col;
    out->value[out->n++] = value;
}

static void put_node(Sparse *out, const vgNatNode *node, vgVec3 g)
{
    double x[3];
    vg_store3(g, x);
    for (int d = 0; d < node->dim; d++) put(out, node->at + d, x[d]);
}

static void put_atom(const vgNat *s, Sparse *out, int atom, vgVec3 g)
{
    const vgNatAtom *a = &s->atom[atom];
    const vgNatPart *part = s->part + a->first;
    for (int i = 0; i < a->n; i++) put_node(out, &s->node[part[i].node], vg_weigh(vg_conj(part[i].w), g));
}

static void put_native(const vgNat *s, const vgNatWork *w, Sparse *out, int body, const double *row, double k)
{
    if (body < 0) return;
    const vgNatBody *b = &s->body[body];
    vgVec3 y[4], g[4];
    vg_nat_axes(b, w->xn, y);
    vg_nat_pull(b, y, row, g);
    for (int i = 0; i < b->n; i++) {
        vgVec3 f = vg_zero3();
        if (b->item[i].node < 0) continue;
        for (int c = 0; c < b->ny; c++) f = vg_add3(f, vg_weigh(vg_conj(b->W[c][i]), g[c]));
        put_node(out, &s->node[b->item[i].node], vg_scale3(f, k));
    }
}

static void native_row(const vgNat *s, const vgNatWork *w, Sparse *out, int i, int r)
{
    for (int k = 0; k < vg_prim_terms(&s->base.model->prim[i]); k++) {
        vgTerm e = vg_native_term(&w->motion, i, k);
        put_native(s, w, out, e.a, e.ga + 6 * r, e.k);
        put_native(s, w, out, e.b, e.gb + 6 * r, e.k);
    }
}

int vg_nat_jacobian(const vgSystem *sys, vgWork *work, double t, const double *q, int *start, int *col,
                    double *value)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    Sparse out = {0, 0, col, value};
    int in_prim = 0;
    if (!start) return sys->nv;
    vg_nat_motion(s, w, q, NULL, NULL);
    native_gradients(s, w, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    for (int i = 0; i < sys->nl; i++) {
        const vgNatRow *r = &s->row[i];
        start[i] = out.from = out.n;
        in_prim = i > 0 && s->row[i - 1].prim == r->prim ? in_prim + 1 : 0;
        if (r->component >= 0) put_atom(s, &out, r->term[0].a, vg_unit_axis3(r->component));
        for (int k = 0; k < r->nterm; k++) {
            put_atom(s, &out, r->term[k].a, vg_scale3(w->x[r->term[k].b], r->term[k].s));
            put_atom(s, &out, r->term[k].b, vg_scale3(w->x[r->term[k].a], r->term[k].s));
        }
        if (!by_atoms(r)) native_row(s, w, &out, r->prim, in_prim);
    }
    start[sys->nl] = out.n;
    return sys->nv;
}

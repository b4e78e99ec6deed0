/* Natural coordinates: motion, residual, constraint values.
 *
 * Where elements look at a body natively, its rotation is taken from the axes by one step of the polar
 * decomposition, R = ½ E (3 − EᵀE): off the manifold of rigid bodies, where Newton's iterates are, it does
 * not depend on the strain of E to first order, so that tangents are exact. Angular velocity and acceleration
 * are those of the skew part, with A(u) d = ½ (u3·d2 − u2·d3, u1·d3 − u3·d1, u2·d1 − u1·d2):
 *     w = A(e) ė,   ẇ = A(e) ë,   δθ = A(e) δe,   δw = A(e) δė − A(ė) δe,   δẇ = A(e) δë − A(ë) δe
 * planar: A(u) d = u_x d_y − u_y d_x. A torque τ is the forces A(e)ᵀ τ along the axes. */
#include <math.h>
#include <string.h>

#include "system/natural/natural.h"

static inline vgVec3 at_nodes(const vgNat *s, const vgNatAtom *a, const vgVec3 *x, vgVec3 sum)
{
    const vgNatPart *part = s->part + a->first;
    for (int i = 0; i < a->n; i++) sum = vg_add3(sum, vg_weigh(part[i].w, x[part[i].node]));
    return sum;
}

void vg_nat_motion(const vgNat *s, vgNatWork *w, const double *q, const double *v, const double *a)
{
    for (int k = 0; k < s->nnode; k++) {
        const vgNatNode *n = &s->node[k];
        w->xn[k] = vg_nat_load(n, q);
        w->vn[k] = v ? vg_nat_load(n, v) : vg_zero3();
        w->an[k] = a ? vg_nat_load(n, a) : vg_zero3();
    }
    for (int i = 0; i < s->natom; i++) w->x[i] = at_nodes(s, &s->atom[i], w->xn, s->atom[i].c);
    w->have_a = a != NULL;
    w->have_kin = 0;
    w->passed = NULL;
}

void vg_nat_rates(const vgNat *s, vgNatWork *w)
{
    for (int i = 0; i < s->natom; i++) w->dx[i] = at_nodes(s, &s->atom[i], w->vn, vg_zero3());
}

/* y = W x (positions: with the constants of the ground) */
static void frame(const vgNatBody *b, const vgVec3 *x, int position, vgVec3 y[4])
{
    for (int i = 0; i < b->ny; i++) {
        y[i] = vg_zero3();
        for (int k = 0; k < b->n; k++) {
            if (b->item[k].node >= 0)
                y[i] = vg_add3(y[i], vg_weigh(b->W[i][k], x[b->item[k].node]));
            else if (position)
                y[i] = vg_add3(y[i], vg_weigh(b->W[i][k], b->item[k].fixed));
        }
    }
}

void vg_nat_axes(const vgNatBody *b, const vgVec3 *x, vgVec3 y[4])
{
    frame(b, x, 1, y);
}

static vgVec3 skew_part(const vgNatBody *b, const vgVec3 *u, const vgVec3 *d)
{
    if (b->ny == 2) return vg_v3(0, 0, u[1].x * d[1].y - u[1].y * d[1].x);
    return vg_v3(0.5 * (vg_dot3(u[3], d[2]) - vg_dot3(u[2], d[3])),
                 0.5 * (vg_dot3(u[1], d[3]) - vg_dot3(u[3], d[1])),
                 0.5 * (vg_dot3(u[2], d[1]) - vg_dot3(u[1], d[2])));
}

static void body_kin(const vgNatBody *b, const vgNatWork *w, vgKin *k)
{
    vgVec3 y[4] = {{0}}, d[4] = {{0}}, dd[4] = {{0}};
    frame(b, w->xn, 1, y);
    frame(b, w->vn, 0, d);
    k->p = y[0];
    k->v = d[0];
    if (b->ny == 4) {
        vgMat3 E = vg_cols3(y[1], y[2], y[3]);
        k->R = vg_mscale3(vg_mm3(E, vg_msub3(vg_diag3(3, 3, 3), vg_mtm3(E, E))), 0.5);
    } else if (b->ny == 2) {
        double f = 0.5 * (3 - y[1].x * y[1].x - y[1].y * y[1].y), c = f * y[1].x, s = f * y[1].y;
        k->R = (vgMat3){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    }
    if (b->ny > 1) k->w = skew_part(b, y, d);
    if (!w->have_a) {
        k->dv = k->dw = vg_zero3();
        return;
    }
    frame(b, w->an, 0, dd);
    k->dv = dd[0];
    if (b->ny > 1) k->dw = skew_part(b, y, dd);
}

void vg_nat_kin(const vgNat *s, vgNatWork *w, int all)
{
    for (int i = 0; i < s->nbody; i++)
        if (all || s->body[i].needed) body_kin(&s->body[i], w, &w->motion.kin[i]);
    if (all) w->have_kin = 1;
}

void vg_nat_pull(const vgNatBody *b, const vgVec3 *e, const double n[6], vgVec3 g[4])
{
    g[0] = vg_load3(n);
    if (b->ny == 2) g[1] = vg_v3(-n[5] * e[1].y, n[5] * e[1].x, 0);
    if (b->ny == 4) {
        g[1] = vg_axpy3(0.5 * n[5], e[2], vg_scale3(e[3], -0.5 * n[4]));
        g[2] = vg_axpy3(0.5 * n[3], e[3], vg_scale3(e[1], -0.5 * n[5]));
        g[3] = vg_axpy3(0.5 * n[4], e[1], vg_scale3(e[2], -0.5 * n[3]));
    }
}

void vg_nat_spread(const vgNat *s, const vgNatBody *b, const vgVec3 g[4], double *r)
{
    for (int k = 0; k < b->n; k++) {
        if (b->item[k].node < 0) continue;
        vgVec3 f = vg_zero3();
        for (int i = 0; i < b->ny; i++) f = vg_add3(f, vg_weigh(vg_conj(b->W[i][k]), g[i]));
        vg_nat_add(&s->node[b->item[k].node], r, f);
    }
}

/* ---- rows ---- */

void vg_nat_row(const vgNat *s, const vgNatWork *w, int row, double t, double *phi, double *dot, double *bias)
{
    const vgNatRow *r = &s->row[row];
    double f[3] = {0, 0, 0}, value = -r->c, rate = 0, acc = 0;
    if (r->law) vg_law_time(r->law, t, f);
    if (r->component >= 0) {
        double x[3], d[3];
        vg_store3(w->x[r->term[0].a], x);
        value = x[r->component];
        if (dot) {
            vg_store3(w->dx[r->term[0].a], d);
            rate = d[r->component];
        }
    } else {
        for (int i = 0; i < r->nterm; i++) {
            int a = r->term[i].a, b = r->term[i].b;
            value += r->term[i].s * vg_dot3(w->x[a], w->x[b]);
            if (dot) {
                rate += r->term[i].s * (vg_dot3(w->dx[a], w->x[b]) + vg_dot3(w->x[a], w->dx[b]));
                acc += 2 * r->term[i].s * vg_dot3(w->dx[a], w->dx[b]);
            }
        }
    }
    *phi = value - f[0];
    if (dot) {
        *dot = rate - f[1];
        *bias = acc - f[2];
    }
}

static int by_atoms(const vgNatRow *r)
{
    return r->nterm > 0 || r->component >= 0;
}

static void add_gradient(const vgNat *s, const vgNatAtom *a, vgVec3 g, double *r)
{
    const vgNatPart *part = s->part + a->first;
    for (int i = 0; i < a->n; i++) vg_nat_add(&s->node[part[i].node], r, vg_weigh(vg_conj(part[i].w), g));
}

/* r += Σ λ ∂Φ/∂q of a row */
static void add_row_force(const vgNat *s, const vgNatWork *w, const vgNatRow *row, double lambda, double *r)
{
    if (row->component >= 0) {
        add_gradient(s, &s->atom[row->term[0].a], vg_scale3(vg_unit_axis3(row->component), lambda), r);
        return;
    }
    for (int i = 0; i < row->nterm; i++) {
        int a = row->term[i].a, b = row->term[i].b;
        double l = lambda * row->term[i].s;
        if (a == b) {
            add_gradient(s, &s->atom[a], vg_scale3(w->x[a], 2 * l), r);
            continue;
        }
        add_gradient(s, &s->atom[a], vg_scale3(w->x[b], l), r);
        add_gradient(s, &s->atom[b], vg_scale3(w->x[a], l), r);
    }
}

/* The multipliers and values of native rows are kept by model row. */
static void to_model(const vgNat *s, const double *lambda, double *out)
{
    const vgModel *m = s->base.model;
    for (int i = 0; i < m->nprim; i++)
        for (int k = 0; s->native_prim[i] && k < m->prim[i].rows; k++)
            out[m->prim[i].row + k] = lambda[s->model_row[m->prim[i].row + k]];
}

static void native_twist(const vgNat *s, vgNatWork *w)
{
    for (int i = 0; i < s->nbody; i++) {
        vg_store3(w->motion.kin[i].dv, w->xi + 6 * i);
        vg_store3(w->motion.kin[i].dw, w->xi + 6 * i + 3);
    }
}

void vg_nat_native_begin(const vgNat *s, vgNatWork *w)
{
    vg_nat_kin(s, w, 0);
    vg_native_measures(&w->motion, 2);
    memset(w->native, 0, (size_t)(6 * s->nbody) * sizeof(double));
}

/* Forces and native rows: native := −f + Bᵀλ of the bodies that elements look at; values of native rows. */
void vg_nat_native(const vgNat *s, vgNatWork *w, double t, const double *lambda, double *phi)
{
    vg_nat_native_begin(s, w);
    vg_native_forces(&w->motion, t, w->native);
    vg_nat_native_end(s, w, t, lambda, phi);
}

void vg_nat_native_end(const vgNat *s, vgNatWork *w, double t, const double *lambda, double *phi)
{
    const vgModel *m = s->base.model;
    if (!s->any_native) return;
    to_model(s, lambda, w->lambda_model);
    vg_native_constraint_forces(&w->motion, t, w->lambda_model, w->native, w->phi_model);
    if (!phi) return;
    if (s->any_level == 2) {
        native_twist(s, w);
        vg_native_prims(&w->motion, t, VG_PRIM_GRADIENT | VG_PRIM_BIAS);
        vg_native_rows_times(&w->motion, w->xi, w->lambda_model);
    }
    for (int at = 0; at < w->motion.nlist; at++) {
        int i = w->motion.list[at];
        const vgPrim *p = &m->prim[i];
        for (int k = 0; k < p->rows; k++)
            phi[s->model_row[p->row + k]] = p->level == 2
                                                ? w->lambda_model[p->row + k] + w->motion.prim[i].bias[k]
                                                : w->phi_model[p->row + k];
    }
}

static void spread_native(const vgNat *s, const vgNatWork *w, double *r)
{
    for (int i = 0; i < s->nbody; i++) {
        const vgNatBody *b = &s->body[i];
        if (!b->needed) continue;
        vgVec3 y[4], g[4];
        frame(b, w->xn, 1, y);
        vg_nat_pull(b, y, w->native + 6 * i, g);
        vg_nat_spread(s, b, g, r);
    }
}

void vg_nat_residual(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                     const double *a, const double *lambda, double *r, double *phi)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    vg_nat_motion(s, w, q, v, a);
    for (int i = 0; i < sys->nv; i++) r[i] = -s->weight[i];
    for (int i = 0; a && i < s->nmass; i++) {
        const vgNatMass *e = &s->mass[i];
        vg_nat_add(&s->node[e->a], r, vg_weigh(e->m, w->an[e->b]));
        if (e->a != e->b) vg_nat_add(&s->node[e->b], r, vg_weigh(vg_conj(e->m), w->an[e->a]));
    }
    if (sys->model->nforce || s->any_native) {
        vg_nat_native(s, w, t, lambda, phi);
        spread_native(s, w, r);
    }
    for (int i = 0; i < sys->nl; i++) {
        double unused;
        if (!by_atoms(&s->row[i])) continue;
        if (phi) vg_nat_row(s, w, i, t, &phi[i], NULL, &unused);
        if (lambda[i] != 0) add_row_force(s, w, &s->row[i], lambda[i], r);
    }
}

/* B a of a row by atoms, whose second derivatives are in w->ddx. */
static double row_acceleration(const vgNatWork *w, const vgNatRow *r)
{
    double sum = 0;
    if (r->component >= 0) {
        double dd[3];
        vg_store3(w->ddx[r->term[0].a], dd);
        sum = dd[r->component];
    }
    for (int k = 0; k < r->nterm; k++) {
        int A = r->term[k].a, B = r->term[k].b;
        sum += r->term[k].s * (vg_dot3(w->ddx[A], w->x[B]) + vg_dot3(w->x[A], w->ddx[B]));
    }
    return sum;
}

void vg_nat_levels(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                   const double *a, double *phi, double *phi_dot, double *phi_ddot)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    const vgModel *m = sys->model;
    vg_nat_motion(s, w, q, v, a);
    vg_nat_rates(s, w);
    if (s->any_native) {
        vg_nat_kin(s, w, 0);
        vg_native_measures(&w->motion, 1);
        vg_native_prims(&w->motion, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT | VG_PRIM_RATE | VG_PRIM_BIAS);
        native_twist(s, w);
        vg_native_rows_times(&w->motion, w->xi, w->lambda_model);
    }
    if (a && phi_ddot) { /* B a of the rows by atoms */
        for (int i = 0; i < s->natom; i++) w->ddx[i] = at_nodes(s, &s->atom[i], w->an, vg_zero3());
    }
    for (int i = 0; i < sys->nl; i++) {
        const vgNatRow *r = &s->row[i];
        double value, rate, bias;
        if (!by_atoms(r)) continue;
        vg_nat_row(s, w, i, t, &value, &rate, &bias);
        if (phi) phi[i] = value;
        if (phi_dot) phi_dot[i] = rate;
        if (a && phi_ddot) phi_ddot[i] = bias + row_acceleration(w, r);
    }
    for (int at = 0; s->any_native && at < w->motion.nlist; at++) {
        const vgPrim *p = &m->prim[w->motion.list[at]];
        const vgPrimOut *o = &w->motion.prim[w->motion.list[at]];
        for (int k = 0; k < p->rows; k++) {
            int i = s->model_row[p->row + k];
            vg_native_row_levels(p, o, k, phi ? &phi[i] : NULL, phi_dot ? &phi_dot[i] : NULL);
            if (a && phi_ddot) phi_ddot[i] = w->lambda_model[p->row + k] + o->bias[k];
        }
    }
}

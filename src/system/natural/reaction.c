/* Natural coordinates: reactions. A constraint equation gives its reaction by its multiplier. A joint that is a
 * shared node has no multiplier; its reaction is the force that the node transmits from one body to the other. On
 * body b at its node k
 *
 *     R_k = Σ_i W_ikᵀ (M ÿ − f)_i + ∂Φ/∂x_k λ
 *
 * is the force that the other bodies of the node exert: a force at a point, the torque u × R at a vector u. If
 * more than two bodies share the node, the joints transmit it along a tree, children first; joints that close a
 * loop there transmit nothing. */
#include <string.h>

#include "system/natural/natural.h"

/* Everything along y (forces at r, at e1, …) to the items, fixed ones too. */
static void to_items(const vgNatBody *b, const vgVec3 g[4], vgVec3 *out)
{
    for (int k = 0; k < b->n; k++)
        for (int i = 0; i < b->ny; i++) out[k] = vg_add3(out[k], vg_weigh(vg_conj(b->W[i][k]), g[i]));
}

static void body_forces(const vgNat *s, const vgNatWork *w, int body, vgVec3 *out)
{
    const vgNatBody *b = &s->body[body];

    vgVec3 y[4], dd[4], g[4] = {{0, 0, 0}}, pull[4] = {{0, 0, 0}};
    for (int i = 0; i < b->ny; i++) {
        dd[i] = vg_zero3();
        for (int k = 0; k < b->n; k++)
            if (b->item[k].node >= 0) dd[i] = vg_add3(dd[i], vg_weigh(b->W[i][k], w->an[b->item[k].node]));
    }
    for (int i = 0; i < b->ny; i++)
        for (int j = 0; j < b->ny; j++) g[i] = vg_axpy3(b->M[i][j], dd[j], g[i]);
    g[0] = vg_axpy3(-b->weight, s->base.model->gravity, g[0]);
    if (b->needed) {
        vg_nat_axes(b, w->xn, y);
        vg_nat_pull(b, y, w->native + 6 * body, pull);
        for (int i = 0; i < b->ny; i++) g[i] = vg_add3(g[i], pull[i]);
    }

    to_items(b, g, out);
}

/* λ times the gradient of a rigidity row at the items of its body. */
static void rigid_forces(const vgNat *s, const vgNatWork *w, const vgNatRow *row, double lambda, vgVec3 *out)
{
    const vgNatBody *b = &s->body[row->body];
    int item[2] = {row->item_a, row->item_b}, atom[2] = {row->term[0].a, row->term[0].b};
    for (int side = 0; side < 2; side++) {
        const vgNatItem *it = &b->item[item[side]];
        vgVec3 g = vg_scale3(w->x[atom[1 - side]], lambda * row->term[0].s);
        if (it->point) {
            g = vg_scale3(g, 1 / vg_norm3(vg_sub3(it->local, b->item[b->ref].local)));
            out[b->ref] = vg_sub3(out[b->ref], g);
        }
        out[item[side]] = vg_add3(out[item[side]], g);
    }
}

static void at_atom(const vgNat *s, vgNatWork *w, int body, vgVec3 local, int point, vgVec3 g)
{
    if (body < 0) return;
    const vgNatBody *b = &s->body[body];
    for (int k = 0; k < b->n; k++)
        w->pass[4 * body + k] =
            vg_add3(w->pass[4 * body + k], vg_weigh(vg_conj(vg_nat_weight(b, k, local, point)), g));
}

/* λ times the gradients of a primitive by points and vectors. */
static void prim_forces(const vgNat *s, vgNatWork *w, const vgPrim *p, const double *lambda)
{
    vgAtoms x = vg_prim_atoms(p, vg_native_kin(&w->motion, p->a), vg_native_kin(&w->motion, p->b));
    vgAtoms g[VG_PRIM_MAX_ROWS];
    int rows = vg_prim_forms(p, &x, g);
    for (int r = 0; r < rows; r++) {
        at_atom(s, w, p->a, p->ra, 1, vg_scale3(g[r].Pa, lambda[r]));
        at_atom(s, w, p->a, p->ua, 0, vg_scale3(g[r].Ua, lambda[r]));
        at_atom(s, w, p->a, p->wa, 0, vg_scale3(g[r].Wa, lambda[r]));
        at_atom(s, w, p->b, p->rb, 1, vg_scale3(g[r].Pb, lambda[r]));
        at_atom(s, w, p->b, p->ub, 0, vg_scale3(g[r].Ub, lambda[r]));
        at_atom(s, w, p->b, p->wb, 0, vg_scale3(g[r].Wb, lambda[r]));
    }
}

static void make_passes(const vgNat *s, vgNatWork *w, double t, const double *lambda)
{
    const vgModel *m = s->base.model;
    memset(w->pass, 0, 4 * (size_t)s->nbody * sizeof *w->pass);
    if (m->nforce || s->any_native) vg_nat_native(s, w, t, lambda, NULL);
    for (int i = 0; i < s->nbody; i++) body_forces(s, w, i, w->pass + 4 * i);
    for (int r = 0; r < s->base.nl; r++)
        if (s->row[r].body >= 0) rigid_forces(s, w, &s->row[r], lambda[r], w->pass + 4 * s->row[r].body);
    for (int i = 0; i < m->nprim; i++)
        if (!s->native_prim[i] && s->model_row[m->prim[i].row] >= 0)
            prim_forces(s, w, &m->prim[i], lambda + s->model_row[m->prim[i].row]);
    for (int i = 0; i < s->npass; i++)
        if (s->pass[i].parent >= 0)
            w->pass[s->pass[i].parent] = vg_add3(w->pass[s->pass[i].parent], w->pass[s->pass[i].child]);
    w->passed = lambda;
}

void vg_nat_reaction(const vgSystem *sys, vgWork *work, double t, const double *lambda, int joint,
                     double wrench[6])
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    const vgModel *m = sys->model;
    if (w->passed != lambda && s->npass) make_passes(s, w, t, lambda);
    for (int r = 0; r < m->nrow; r++) w->lambda_model[r] = s->model_row[r] >= 0 ? lambda[s->model_row[r]] : 0;
    vg_native_reaction(&w->all, w->lambda_model, joint, wrench);
    int on;
    double sign;
    vgVec3 about = vg_native_reaction_point(&w->motion, joint, &on, &sign);
    for (int i = 0; i < s->npass && on >= 0; i++) {
        const vgNatPass *p = &s->pass[i];
        if (p->joint != joint) continue;
        int body = p->child / 4;
        const vgKin *k = &w->motion.kin[body];
        vgVec3 local = s->body[body].item[p->child % 4].local;
        vgVec3 g = vg_scale3(w->pass[p->child], p->child_is_b ? 1 : -1), torque;
        if (p->point) {
            torque = vg_cross3(vg_sub3(vg_kin_point(k, local), about), g);
            for (int c = 0; c < 3; c++) wrench[c] += (double[3]){g.x, g.y, g.z}[c];
        } else {
            torque = vg_cross3(vg_mv3(k->R, local), g);
        }
        wrench[3] += torque.x, wrench[4] += torque.y, wrench[5] += torque.z;
    }
}

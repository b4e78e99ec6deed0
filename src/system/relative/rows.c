/* Relative coordinates: the closing joints' rows on the coordinates between their bodies. With g = (force,
 * couple) of a row on a body, carried inwards from link to link, the entry on a joint is Sᵀ g. */
#include "system/relative/tangent.h"

static void walk(const vgTree *s, vgTreeWork *w, const vgTreeMatrix *m, int prim, int row, const double *ga,
                 const double *gb, int a, int b, double scale, vgTreeEmit *emit, void *user)
{
    const vgNative *x = &w->native_motion;
    int at[2] = {vg_tree_link(s, a), vg_tree_link(s, b)}, side, i;
    vgVec3 F[2], T[2];
    for (int k = 0; k < 2; k++) {
        const double *g = k ? gb : ga;
        F[k] = vg_scale3(vg_load3(g), scale);
        T[k] = vg_scale3(vg_mv3(vg_native_kin(x, k ? b : a)->R, vg_load3(g + 3)), scale);
    }
    if (at[0] == at[1]) { /* a form of one body alone (products of amplitudes): its two sides do not cancel */
        F[0] = vg_add3(F[0], F[1]);
        T[0] = vg_add3(T[0], T[1]);
        at[1] = -1;
    }
    while ((i = vg_tree_step_up(s, m, &at[0], &at[1], &side)) >= 0) {
        double out[6];
        for (int k = 0; k < s->link[i].nv; k++) {
            const double *S = w->S + 6 * (s->link[i].v0 + k);
            out[k] = vg_dot3(vg_load3(S), F[side]) + vg_dot3(vg_load3(S + 3), T[side]);
        }
        if (s->link[i].nv) emit(user, prim, row, i, out);
        T[side] = vg_add3(T[side], vg_cross3(w->m[i].d, F[side]));
    }
}

void vg_tree_walk_row(const vgTree *s, vgTreeWork *w, const vgTreeMatrix *m, int prim, int row,
                      vgTreeEmit *emit, void *user)
{
    for (int k = 0; k < vg_prim_terms(&s->base.model->prim[prim]); k++) {
        vgTerm e = vg_native_term(&w->native_motion, prim, k);
        walk(s, w, m, prim, row, e.ga + 6 * row, e.gb + 6 * row, e.a, e.b, e.k, emit, user);
    }
}

/* ---- the rows themselves ---- */

typedef struct Sparse {
    const vgTree *s;
    int from, fill;
    int *col;
    double *value;
} Sparse;

static void emit_sparse(void *user, int prim, int row, int link, const double *e)
{
    Sparse *o = user;
    (void)prim, (void)row;
    for (int k = 0; k < o->s->link[link].nv; k++) {
        int c = o->s->link[link].v0 + k, at = -1;
        for (int i = o->from; i < o->fill && at < 0; i++)
            if (o->col[i] == c) at = i;
        if (at < 0) {
            at = o->fill++;
            o->col[at] = c;
            o->value[at] = 0;
        }
        o->value[at] += e[k];
    }
}

int vg_tree_jacobian(const vgSystem *sys, vgWork *work, double t, const double *q, int *start, int *col,
                     double *value)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    if (!start) return sys->nv; /* asked for without a work too */
    vgNative *x = &w->native_motion;
    vg_tree_motion(s, w, q, w->zero);
    vg_tree_native(s, w, 0);
    vg_native_measures(x, 1);
    vg_native_prims(x, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    Sparse o = {s, 0, 0, col, value};
    for (int at = 0; at < x->nlist; at++) { /* our rows are numbered in this order */
        const vgPrim *p = &sys->model->prim[x->list[at]];
        for (int r = 0; r < p->rows; r++) {
            o.from = start[s->model_row[p->row + r]] = o.fill;
            vg_tree_walk_row(s, w, w->matrix, x->list[at], r, emit_sparse, &o);
        }
    }
    start[sys->nl] = o.fill;
    return sys->nv;
}

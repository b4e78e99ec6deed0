/* The matrix of a sweep over a tree (sweep_run.c) with another right side, zero but for the rows: the
 * elimination is repeated on the right side alone, with the numbers kept of it. A fifth of a sweep. */
#include "system/absolute/sweep_keep.h"

/* W (r × …) of a rotation kept. */
INLINE vgMat3 arm_kept(const double *R, vgVec3 r)
{
    const vgKin k = {.R = vg_mload3(R)};
    return arm(&k, r);
}

/* The elimination of y on a right side of six; y's part into its rows. */
INLINE void eliminate_again(const Kept *keep, int f, double b[6])
{
    const double *L = keep->L;
    double *y = keep->y;
    for (int p = 0; p < f; p++) {
        b[p] *= *L++;
        for (int i = p + 1; i < 6; i++) b[i] -= *L++ * b[p];
        y[5 - p] = b[p]; /* the last of the row */
        y += 6 - p;
    }
}

/* The right side of a link's slot (f, n of the child) with new right sides of its rows; the parent gets its
 * part. */
INLINE void close_again(const vgSweep *w, const vgSweepLink *l, const double *rows, const vgSweepSlot *c,
                        vgSweepSlot *p, int k)
{
    const int f = 3 - k, m = 3 + k;
    Kept keep = kept_at(w->keep + l->keep, k);
    vgVec3 n = vg_sub3(c->n, vg_mtv3(arm_kept(keep.R, l->r_child), c->f));
    if (k) n = vg_mtv3(vg_mload3(keep.basis), n);
    double b[6], e1[6], nv[3] = {n.x, n.y, n.z}, fv[3] = {c->f.x, c->f.y, c->f.z};
    for (int i = 0; i < 3; i++) {
        b[i < f ? i : i + 3] = nv[i];
        b[f + i] = fv[i];
    }
    eliminate_again(&keep, f, b);
    for (int i = 0; i < m; i++) keep.w0[i] = -(i < 3 ? l->sign : 1) * rows[l->row + i];
    for (int i = 0; i < m; i++) {
        keep.e[i] = e1[i] = b[f + i];
        for (int j = 0; j < m; j++) e1[i] += keep.E[i * m + j] * keep.w0[j];
    }
    if (!p) return;
    vgVec3 to = vg_load3(e1);
    p->f = vg_add3(p->f, to);
    p->n = vg_add3(p->n, vg_mtv3(arm_kept(w->keep + w->link[l->parent].keep, l->r_parent), to));
    for (int t = 0; t < k; t++) p->n = vg_axpy3(-e1[3 + t], vg_load3(keep.Tp + 3 * t), p->n);
}

static void close_any_again(const vgSweep *w, const vgSweepLink *l, const double *rows, const vgSweepSlot *c,
                            vgSweepSlot *p)
{
    if (l->nhinge == 0)
        close_again(w, l, rows, c, p, 0);
    else if (l->nhinge == 1)
        close_again(w, l, rows, c, p, 1);
    else if (l->nhinge == 2)
        close_again(w, l, rows, c, p, 2);
    else
        close_again(w, l, rows, c, p, 3);
}

static void free_again(const vgSweep *w, const vgSweepLink *l, const vgSweepSlot *c, double *x_v)
{
    Kept keep = kept_at(w->keep + l->keep, 0);
    double b[6] = {c->n.x, c->n.y, c->n.z, c->f.x, c->f.y, c->f.z};
    eliminate_again(&keep, 3, b);
    free_by(&keep, vg_mv3(vg_mload3(keep.E), vg_v3(b[3], b[4], b[5])), x_v);
}

void vg_sweep_again(vgSweep *w, double *x_v, double *x_l)
{
    for (int i = 0; i < w->nlink; i++) {
        const vgSweepLink *l = &w->link[i];
        vgSweepSlot *c = &w->slot[l->slot], *p = l->parent_slot < 0 ? NULL : &w->slot[l->parent_slot];
        if (l->leaf) c->f = c->n = vg_zero3();
        if (l->opens) p->f = p->n = vg_zero3();
        if (l->row < 0)
            free_again(w, l, c, x_v + l->v0);
        else
            close_any_again(w, l, x_l, c, p);
    }
    vg_sweep_down(w, x_v, x_l);
}

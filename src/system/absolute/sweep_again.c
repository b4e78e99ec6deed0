/* The matrix of a sweep over a tree (sweep_run.c) with another right side, zero but for the rows: the
 * elimination is repeated on the right side alone, with the numbers kept of it. A fifth of a sweep. */
#include "system/absolute/sweep_keep.h"

/* Wᵀ f = r × (Rᵀ f) with a rotation kept. */
INLINE vgVec3 moment_of(const double *R, vgVec3 r, vgVec3 f)
{
    return vg_cross3(r, vg_mtv3(vg_mload3(R), f));
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

/* Right sides: given, or the violation of velocities at a motion. Exactly one is not NULL. */
typedef struct Rows {
    const double *given;
    const vgKin *kin;
} Rows;

/* −s B v of the joint's point, then −B v of its hinges. */
INLINE void velocity_rows(const vgSweep *w, const vgSweepLink *l, const vgKin *kin, int k, double *w0)
{
    const vgSweepLink *parent = l->parent < 0 ? NULL : &w->link[l->parent];
    const vgKin *c = kin + l->v0 / 6, *p = parent ? kin + parent->v0 / 6 : NULL;
    vgVec3 open = vg_kin_point_velocity(c, l->r_child);
    if (p) open = vg_sub3(open, vg_kin_point_velocity(p, l->r_parent));
    vg_store3(vg_neg3(open), w0);
    for (int i = 0; i < k; i++) {
        const vgSweepHinge *h = &w->hinge[l->hinge + i];
        vgVec3 up = p ? vg_mv3(p->R, h->parent) : h->parent;
        double rate = vg_dot3(vg_mv3(c->R, vg_cross3(c->w, h->child)), up);
        if (p) rate += vg_dot3(vg_mv3(c->R, h->child), vg_mv3(p->R, vg_cross3(p->w, h->parent)));
        w0[3 + i] = -h->s1 * rate;
    }
}

/* The right side of a link's slot (f, n of the child) with new right sides of its rows; the parent gets its
 * part. */
INLINE void close_again(const vgSweep *w, const vgSweepLink *l, const Rows *rows, const vgSweepSlot *c,
                        vgSweepSlot *p, int k)
{
    const int f = 3 - k, m = 3 + k;
    Kept keep = kept_at(w->keep + l->keep, k);
    if (rows->kin)
        velocity_rows(w, l, rows->kin, k, keep.w0);
    else
        for (int i = 0; i < m; i++) keep.w0[i] = -(i < 3 ? l->sign : 1) * rows->given[l->row + i];
    vgVec3 n = vg_sub3(c->n, moment_of(keep.R, l->r_child, c->f));
    if (k) n = vg_mtv3(vg_mload3(keep.basis), n);
    double b[6], e1[6], nv[3] = {n.x, n.y, n.z}, fv[3] = {c->f.x, c->f.y, c->f.z};
    for (int i = 0; i < 3; i++) {
        b[i < f ? i : i + 3] = nv[i];
        b[f + i] = fv[i];
    }
    eliminate_again(&keep, f, b);
    for (int i = 0; i < m; i++) {
        keep.e[i] = e1[i] = b[f + i];
        for (int j = 0; j < m; j++) e1[i] += keep.E[i * m + j] * keep.w0[j];
    }
    if (!p) return;
    vgVec3 to = vg_load3(e1);
    p->f = vg_add3(p->f, to);
    p->n = vg_add3(p->n, moment_of(w->keep + w->link[l->parent].keep, l->r_parent, to));
    for (int t = 0; t < k; t++) p->n = vg_axpy3(-e1[3 + t], vg_load3(keep.Tp + 3 * t), p->n);
}

static void close_any_again(const vgSweep *w, const vgSweepLink *l, const Rows *rows, const vgSweepSlot *c,
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

static void solve_again(vgSweep *w, const Rows *rows, double *x_v, double *x_l)
{
    for (int i = 0; i < w->nlink; i++) {
        const vgSweepLink *l = &w->link[i];
        vgSweepSlot *c = &w->slot[l->slot], *p = l->parent_slot < 0 ? NULL : &w->slot[l->parent_slot];
        if (l->leaf) c->f = c->n = vg_zero3();
        if (l->opens) p->f = p->n = vg_zero3();
        if (l->row < 0)
            free_again(w, l, c, x_v + l->v0);
        else
            close_any_again(w, l, rows, c, p);
    }
    vg_sweep_down(w, x_v, x_l);
}

void vg_sweep_again(vgSweep *w, double *x_v, double *x_l)
{
    solve_again(w, &(Rows){.given = x_l}, x_v, x_l);
}

/* Bodies may be in another order than links; their numbers are all of v and a. */
static void affine(const vgAffine *s, int n)
{
    const double *delta = s->delta, *dhat = s->dhat, *vhat = s->vhat, *offset = s->offset, cv = s->cv,
                 ca = s->ca;
    double *v = s->v, *a = s->a;
    for (int i = 0; i < n; i++) {
        const double d = delta[i] - dhat[i];
        v[i] = vhat[i] + cv * d;
        a[i] = ca * d;
    }
    for (int i = 0; i < n && offset; i++) v[i] += offset[i];
}

void vg_sweep_correct(vgSweep *w, const vgAffine *s, vgKin *kin)
{
    affine(s, 6 * w->nlink);
    for (int i = 0; i < w->nlink; i++) {
        const vgSweepLink *l = &w->link[i];
        double *v = s->v + l->v0;
        w->chart->retract(s->q_r + l->q0, s->delta + l->v0, s->q + l->q0);
        w->chart->kin(s->q + l->q0, v, NULL, &kin[l->v0 / 6]);
    }
    solve_again(w, &(Rows){.kin = kin}, s->y, s->z);
}

/* Relative coordinates: M, ∂r/∂v and ∂r/∂q of a tree as full matrices, O(n × depth).
 *
 * With y and 𝔸 of relative/tangent.c, 𝔸 being that of everything beyond a link, the variation of a coordinate i is
 * y = σ_i at its link; σ has a part for δa (S itself), one for δv and one for δq. Coordinate i couples with itself and
 * with the coordinates j on the way to the ground:
 *
 *     (i, j) = h_i σ_j,    h_i = S_iᵀ 𝔸 + the turning of S_i against F_i
 *     (j, i) = S_jᵀ f_i,   f_i = 𝔸 σ_i
 *
 * with h and f carried from link to link. Nothing is eliminated, so that σ of δv and δq may be taken side by side. */
#include <string.h>

#include "base/expect.h"
#include "system/relative/tangent.h"

/* What coordinate j shows to those beyond it, about the centre of mass of the link next to the ground: S, σ of δv (of which
 * the last six are zero) and σ of δq. */
typedef struct Shown {
    double S[6], by_v[12], by_q[18];
} Shown;

_Static_assert(sizeof(Shown) == VG_TREE_SHOWN * sizeof(double), "room for it is counted in numbers");

typedef struct Matrices {
    const vgTree *s;
    vgTreeWork *w;
    const double *by_v, *by_q; /* σ, 18 per coordinate, about the link's own centre of mass */
    Shown *shown;
    double *M, *C, *K; /* n × n */
} Matrices;

static const vgTreeCoef BY_V = {.c1 = 1}, BY_Q = {.c2 = 1};

static inline double dot6(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}

static inline double dot12(const double *a, const double *b)
{
    return dot6(a, b) + dot6(a + 6, b + 6);
}

/* n spatial vectors of a link with its centre of mass at d, as seen at 0. */
static inline void show(const double *from, int n, vgVec3 d, double *to)
{
    for (int k = 0; k < 6 * n; k += 6) {
        vgVec3 w = vg_load3(from + k + 3);
        vg_store3(vg_sub3(vg_load3(from + k), vg_cross3(w, d)), to + k);
        vg_store3(w, to + k + 3);
    }
}

static inline void carry_wrench(double *F, vgVec3 d)
{
    vg_store3(vg_add3(vg_load3(F + 3), vg_cross3(d, vg_load3(F))), F + 3);
}

/* σ of a link, and ∂Sᵀ/∂q F (nv × nv) in its place among the pivots where S depends on q. */
static void fill_sigma(const Matrices *x, int i, const vgTangent *t, vgVec3 d)
{
    const vgTree *s = x->s;
    vgTreeWork *w = x->w;
    const vgLink *l = &s->link[i];
    double *SF = w->pivot + 6 * l->v0;
    vg_tree_sigma(s, w, i, t, &BY_V, SF);
    memcpy(w->h + 18 * l->v0, w->sigma + 18 * l->v0, (size_t)(18 * l->nv) * sizeof(double));
    vg_tree_sigma(s, w, i, t, &BY_Q, SF);
    if (vg_tree_turns_back(l)) vg_tree_turn_back(l, w->S + 6 * l->v0, w->m[i].F, SF);
    for (int k = l->v0; k < l->v0 + l->nv && !l->leaf; k++) {
        show(w->S + 6 * k, 1, d, x->shown[k].S);
        show(x->by_v + 18 * k, 2, d, x->shown[k].by_v);
        show(x->by_q + 18 * k, 3, d, x->shown[k].by_q);
    }
}

/* Row and column of coordinate k with the coordinates of link j. */
static inline void couple(const Matrices *x, int k, int j, const double *restrict h,
                          const double *restrict fv, const double *restrict fq)
{
    const vgLink *l = &x->s->link[j];
    const size_t n = (size_t)x->s->base.nv;
    double *row_M = x->M + (size_t)k * n, *row_C = x->C + (size_t)k * n, *row_K = x->K + (size_t)k * n;
    for (int e = l->v0; e < l->v0 + l->nv; e++) {
        const Shown *at = &x->shown[e];
        const size_t c = (size_t)e * n + (size_t)k;
        row_M[e] = x->M[c] = dot6(h, at->S);
        row_C[e] = dot12(h, at->by_v);
        row_K[e] = dot12(h, at->by_q) + dot6(h + 12, at->by_q + 12);
        x->C[c] = dot6(fv, at->S);
        x->K[c] = dot6(fq, at->S);
    }
}

/* The coordinates of a link among themselves. */
static void couple_own(const Matrices *x, int i, const double *h, const double *SF)
{
    const vgTreeWork *w = x->w;
    const vgLink *l = &x->s->link[i];
    const size_t n = (size_t)x->s->base.nv;
    for (int k = 0; k < l->nv; k++)
        for (int e = 0; e < l->nv; e++) {
            const size_t at = (size_t)(l->v0 + k) * n + (size_t)(l->v0 + e);
            const int c = l->v0 + e;
            x->M[at] = dot6(h + 18 * k, w->S + 6 * c);
            x->C[at] = dot12(h + 18 * k, x->by_v + 18 * c);
            x->K[at] = vg_tree_dot18(h + 18 * k, x->by_q + 18 * c) + (SF ? SF[k * l->nv + e] : 0);
            if (e != k || !w->stiffness) continue;
            x->M[at] += w->rotor[c];
            x->C[at] -= w->damping[c];
            x->K[at] -= w->stiffness[c];
        }
}

/* d: from where `shown` is to the link's centre of mass. */
static void add_link(const Matrices *x, int i, vgVec3 d)
{
    const vgTree *s = x->s;
    vgTreeWork *w = x->w;
    const vgLink *l = &s->link[i];
    const double *cross = w->cross_of && w->cross_of[i] >= 0 ? w->cross + 216 * (size_t)w->cross_of[i] : NULL;
    double *A = vg_tree_link_block(s, w, i, w->have_wrench ? w->wrench + 6 * i : NULL);
    double h[108], fv[36], fq[36];
    for (int k = 0; k < l->nv; k++) {
        const double *sv = x->by_v + 18 * (l->v0 + k), *sq = x->by_q + 18 * (l->v0 + k);
        vg_tree_row_column(A, w->m[i].F, w->S + 6 * (l->v0 + k), sq, h + 18 * k, fq + 6 * k);
        for (int r = 0; r < 6; r++) fv[6 * k + r] = dot12(A + 18 * r, sv);
    }
    couple_own(x, i, h, l->constant ? NULL : w->pivot + 6 * l->v0);
    if (l->parent < 0) return;
    for (int k = 0; cross && k < l->nv;
         k++) /* y of the parent acts on the link, y of the link on the parent */
        for (int r = 0; r < 6; r++) {
            const double *C = cross + 108 + 18 * r, S = w->S[6 * (l->v0 + k) + r];
            for (int e = 0; e < 18; e++) h[18 * k + e] += S * cross[18 * r + e];
            fv[6 * k + r] += dot12(C, x->by_v + 18 * (l->v0 + k));
            fq[6 * k + r] += vg_tree_dot18(C, x->by_q + 18 * (l->v0 + k));
        }
    for (int k = 0; k < l->nv; k++) {
        vg_tree_carry_row(h + 18 * k, d);
        carry_wrench(fv + 6 * k, d);
        carry_wrench(fq + 6 * k, d);
        for (int j = l->parent; j >= 0; j = s->link[j].parent)
            couple(x, l->v0 + k, j, h + 18 * k, fv + 6 * k, fq + 6 * k);
    }
    if (cross) vg_tree_add_cross(cross, A);
    vg_tree_carry_block(A, w->m[i].d, w->slots + 108 * s->link[l->parent].slot, l->first);
}

/* From the centre of mass of the link next to the ground to that of a link beyond it. */
static vgVec3 from_root(const vgTree *s, const vgTreeWork *w, int i)
{
    vgVec3 d = vg_zero3();
    for (; s->link[i].parent >= 0; i = s->link[i].parent) d = vg_add3(d, w->m[i].d);
    return d;
}

vgStatus vg_tree_matrices(const vgSystem *sys, vgWork *work, const vgTangent *t, double *room, double *M,
                          double *C, double *K)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    const size_t bytes = (size_t)sys->nv * (size_t)sys->nv * sizeof(double);
    VG_EXPECT(!s->explicit_matrix);
    vg_tree_force_blocks(s, w, t);
    memset(M, 0, bytes);
    memset(C, 0, bytes);
    memset(K, 0, bytes);
    work->taken |= VG_FAST_TREE;
    Matrices x = {s, w, w->h, w->sigma, (Shown *)(void *)room, M, C, K};
    for (int i = 0; i < s->nlink; i++) fill_sigma(&x, i, t, from_root(s, w, i));
    for (int i = s->nlink - 1; i >= 0; i--) add_link(&x, i, from_root(s, w, i));
    return VG_OK;
}

/* above[k]: the nearest coordinate on the way from k to the ground, −1: none. */
void vg_tree_above(const vgSystem *sys, int *above)
{
    const vgTree *s = (const vgTree *)sys;
    for (int i = 0; i < s->nlink; i++) {
        const vgLink *l = &s->link[i];
        int up = l->parent;
        while (up >= 0 && s->link[up].nv == 0) up = s->link[up].parent;
        for (int k = l->v0; k < l->v0 + l->nv; k++)
            above[k] = k > l->v0 ? k - 1 : up < 0 ? -1 : s->link[up].v0 + s->link[up].nv - 1;
    }
}

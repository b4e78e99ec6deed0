/* Relative coordinates: tangents of forces between links that are not neighbours, in the explicit matrix.
 *
 * An element between links i and j adds δF_i = R y_j and δF_j = C y_i (6×18 each, relative/tangent.c) to its own
 * blocks. If each element were carried to every joint above both, it would cost the product of the two depths.
 * Instead all elements of a pair of links are summed; the joint of the outer link i is coupled with the joints
 * above j, and the remainder acts between parent(i) and j:
 *
 *     row of joint i, column of e above j:  (S_iᵀ R) X σ_e        column of joint i: S_eᵀ Xᵀ (C σ_i)
 *     R_{parent(i), j} += Xᵀ R,   C_{parent(i), j} += C X;        if parent(i) = j, both are added to 𝔸_j
 *
 * as composite inertias are: O(pairs × depth). The outer link of a pair is the deeper one. Links are filled from the
 * deepest to the first (vgTree.order), so that the pair to which it is carried is filled later. */
#include <stdlib.h>
#include <string.h>

#include "system/relative/tangent.h"

enum { NOTHING = 18, MERGES = -1, GROUND = -2 };

typedef struct vgTreePair {
    int i, j; /* rank of i > rank of j */
    int next; /* of the same i, −1 */
    int up;   /* the pair that it is carried to; MERGES into 𝔸_j; GROUND: ends */
    int from; /* first column that is not zero: 0, 6, 12; NOTHING */
    double R[108], C[108];
} vgTreePair;

struct vgTreePairs {
    int n, room;
    vgTreePair *pair;
    int *head; /* per link: its first pair as the outer one, −1 */
    int *rank; /* per link: its place in vgTree.order */
};

/* The pair, made where it is not there yet; −1: no memory. */
static int take(vgTreePairs *p, int u, int v)
{
    int i = p->rank[u] > p->rank[v] ? u : v, j = i == u ? v : u;
    for (int k = p->head[i]; k >= 0; k = p->pair[k].next)
        if (p->pair[k].j == j) return k;
    if (p->n == p->room) {
        int room = 2 * p->room + 8;
        vgTreePair *more = realloc(p->pair, (size_t)room * sizeof *more);
        if (!more) return -1;
        p->pair = more;
        p->room = room;
    }
    p->pair[p->n] = (vgTreePair){.i = i, .j = j, .next = p->head[i], .from = NOTHING};
    p->head[i] = p->n;
    return p->n++;
}

static int take_all(vgTreePairs *p, const vgTree *s, const int *body, int n)
{
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++) {
            int u = vg_tree_link(s, body[a]), v = vg_tree_link(s, body[b]);
            if (u >= 0 && v >= 0 && u != v && take(p, u, v) < 0) return 0;
        }
    return 1;
}

static int take_elements(vgTreePairs *p, const vgTree *s, const vgForcePlace *force, const vgTreeNear *near)
{
    const vgModel *m = s->base.model;
    for (int f = 0; f < m->nforce; f++)
        if (s->joint_force[f].v < 0 && !vg_tree_near_force(near, f) &&
            !take_all(p, s, force[f].body, force[f].nu))
            return 0;
    for (int k = 0; k < m->nprim; k++) {
        int body[2 * VG_PRIM_MAX_TERMS];
        if (!s->closure[k] || vg_tree_near_prim(near, k)) continue;
        for (int n = vg_native_prim_bodies(m, &m->prim[k], body), t = 0; t < n; t += 2)
            if (!take_all(p, s, body + t, 2)) return 0;
    }
    return 1;
}

vgStatus vg_tree_pairs_new(const vgTree *s, const vgForcePlace *force, const vgTreeNear *near,
                           vgTreePairs **out)
{
    vgTreePairs *p = calloc(1, sizeof *p);
    *out = p;
    if (!p) return VG_NO_MEMORY;
    p->head = malloc((2 * (size_t)s->nlink + 1) * sizeof *p->head);
    if (!p->head) return VG_NO_MEMORY;
    p->rank = p->head + s->nlink;
    for (int k = 0; k < s->nlink; k++) p->rank[s->order[k]] = k;
    for (int i = 0; i < s->nlink; i++) p->head[i] = -1;
    if (!take_elements(p, s, force, near)) return VG_NO_MEMORY;
    for (int at = s->nlink - 1; at >= 0; at--)
        for (int i = s->order[at], k = p->head[i]; k >= 0; k = p->pair[k].next) {
            int parent = s->link[i].parent, j = p->pair[k].j;
            int up = parent < 0 ? GROUND : parent == j ? MERGES : take(p, parent, j);
            if (up == -1 && parent != j) return VG_NO_MEMORY;
            p->pair[k].up = up;
        }
    return VG_OK;
}

void vg_tree_pairs_free(vgTreePairs *p)
{
    if (!p) return;
    free(p->pair);
    free(p->head);
    free(p);
}

size_t vg_tree_pairs_memory(const vgTreePairs *p)
{
    return p ? sizeof *p + (size_t)p->room * sizeof *p->pair : 0;
}

void vg_tree_pairs_clear(vgTreePairs *p)
{
    for (int k = 0; k < p->n; k++) p->pair[k].from = NOTHING;
}

/* Columns from `from` on are in use from now on, cleared. */
static void widen(vgTreePair *p, int from)
{
    size_t n = (size_t)(p->from - from) * sizeof(double);
    if (from >= p->from) return;
    for (int r = 0; r < 6; r++) {
        memset(p->R + 18 * r + from, 0, n);
        memset(p->C + 18 * r + from, 0, n);
    }
    p->from = from;
}

double *vg_tree_pair_block(vgTreePairs *p, int u, int v, int from)
{
    vgTreePair *pair = &p->pair[take(p, u, v)];
    widen(pair, from);
    return u == pair->i ? pair->R : pair->C;
}

/* Blocks of joint i with the joints above j. */
static void couple(const vgTree *s, vgTreeWork *w, const vgTreeMatrix *m, const vgTreePair *p)
{
    const vgLink *l = &s->link[p->i];
    int from = p->from, ld;
    for (int k = 0; k < l->nv; k++) {
        const double *S = w->S + 6 * (l->v0 + k), *sigma = w->sigma + 18 * (l->v0 + k);
        double h[18], col[6];
        for (int c = from; c < 18; c++)
            h[c] = S[0] * p->R[c] + S[1] * p->R[18 + c] + S[2] * p->R[36 + c] + S[3] * p->R[54 + c] +
                   S[4] * p->R[72 + c] + S[5] * p->R[90 + c];
        for (int r = 0; r < 6; r++) {
            double x = 0;
            for (int c = from; c < 18; c += 6) x += vg_dot_row6(p->C + 18 * r + c, sigma + c);
            col[r] = x;
        }
        vgVec3 F = vg_load3(col), T = vg_load3(col + 3);
        for (int j = p->j; j >= 0; j = s->link[j].parent) {
            const vgLink *a = &s->link[j];
            double *across = a->nv ? vg_tree_entry(m, p->i, k, j, &ld) : NULL;
            for (int e = 0; e < a->nv; e++) {
                const double *se = w->sigma + 18 * (a->v0 + e), *Se = w->S + 6 * (a->v0 + e);
                double x = 0;
                for (int c = from; c < 18; c += 6) x += vg_dot_row6(h + c, se + c);
                across[e] += x;
                vg_tree_entry(m, j, e, p->i, &ld)[k] +=
                    vg_dot3(vg_load3(Se), F) + vg_dot3(vg_load3(Se + 3), T);
            }
            if (a->parent < 0) break;
            vgVec3 d = w->m[j].d;
            for (int c = from; c < 18; c += 6) {
                h[c + 3] -= h[c + 1] * d.z - h[c + 2] * d.y;
                h[c + 4] -= h[c + 2] * d.x - h[c] * d.z;
                h[c + 5] -= h[c] * d.y - h[c + 1] * d.x;
            }
            T = vg_add3(T, vg_cross3(d, F));
        }
    }
}

/* R += Xᵀ R of p,   C += C of p X. */
static void carry(const vgTreePair *p, vgVec3 d, double *R, double *C)
{
    int from = p->from;
    for (int c = from; c < 18; c++) {
        double x = p->R[c], y = p->R[18 + c], z = p->R[36 + c];
        R[c] += x, R[18 + c] += y, R[36 + c] += z;
        R[54 + c] += p->R[54 + c] + d.y * z - d.z * y;
        R[72 + c] += p->R[72 + c] + d.z * x - d.x * z;
        R[90 + c] += p->R[90 + c] + d.x * y - d.y * x;
    }
    for (int r = 0; r < 6; r++)
        for (int c = from; c < 18; c += 6) {
            const double *a = p->C + 18 * r + c;
            double *b = C + 18 * r + c;
            b[0] += a[0], b[1] += a[1], b[2] += a[2];
            b[3] += a[3] - (a[1] * d.z - a[2] * d.y);
            b[4] += a[4] - (a[2] * d.x - a[0] * d.z);
            b[5] += a[5] - (a[0] * d.y - a[1] * d.x);
        }
}

void vg_tree_pairs_joint(const vgTree *s, vgTreeWork *w, const vgTreeMatrix *m, int i)
{
    vgTreePairs *all = m->pairs;
    vgVec3 d = w->m[i].d;
    for (int k = all->head[i]; k >= 0; k = all->pair[k].next) {
        vgTreePair *p = &all->pair[k];
        if (p->from == NOTHING) continue;
        if (s->link[i].nv > 0) couple(s, w, m, p);
        if (p->up == MERGES) {
            double *A = w->extra + 108 * (size_t)w->extra_of[p->j];
            carry(p, d, A, A);
        } else if (p->up != GROUND) {
            vgTreePair *up = &all->pair[p->up];
            int same = up->i == s->link[i].parent; /* the outer link is still on this side */
            widen(up, p->from);
            carry(p, d, same ? up->R : up->C, same ? up->C : up->R);
        }
    }
}

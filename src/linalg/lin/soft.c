/* Saddle matrices whose constraint rows may depend on each other. S = [A Bᵀ; B 0] has no inverse then, but
 * the solution x is determined, and so is λ of least norm Σ d λ². Soft rows are solved with
 *
 *     S_ε = [ A  Bᵀ  ]        d_r = Σ_j B_rj² / |A_jj|,   D = diag(d)
 *           [ B  −εD ]
 *
 * whose inverse exists whatever the rank of B. Pass k solves S_ε (x, λ)_k =
 * (0, −εD λ_(k−1)) and the sum of the passes is the proximal-point iteration for S. In a direction of λ in
 * which the rows have the stiffness s (an eigenvalue of D⁻¹ B A⁻¹ Bᵀ) pass k is (ε/(s + ε))^(k−1) of the
 * first one: next to nothing where rows are independent, and the same in all passes where they are not, as
 * these have s = 0. So the last pass is what λ has along dependent rows; the number of passes times it is
 * taken out of the sum. Right sides that contradict each other (what Newton's iteration leaves of redundant
 * rows is of second order) then act on neither x nor λ. */
#include "linalg/lin/soft.h"

#include <math.h>
#include <stdlib.h>

/* ε. Below it a stiffness is taken for none: while Newton's iteration is δ away from the constraints, rows
 * that repeat each other there have δ², and rows on velocities beside rows on positions (two wheels on an
 * axle) more. Above it are the stiffnesses of loops with bodies of different masses: 1e-6 for Bricard's
 * mechanism of thin rods. At 1e-4 that one is taken for singular, at 1e-8 a wheelset is 1e-3 off with index2.
 */
static const double SOFTNESS = 1e-6;
/* Rows that yield by less of the one that yields most have entries that are rounding, and no coordinate moves
 * them: their λ is nothing. */
static const double UNMOVED = 1e-18;
/* A pass that changes x by less than so much of it was the last. */
static const double SETTLED = 1e-13;
/* Newton's iteration takes up what a few passes leave; a solution that stands alone is finished here, where a
 * stiffness of ε itself takes forty passes. */
enum { LEAST_PASSES = 3, MOST_PASSES = 8, MOST_ALONE = 100 };

typedef struct softPart { /* a row beside a primal node */
    int node;
    int n;
    size_t from, step; /* its entries in the values */
} softPart;

struct vgLinSoft {
    vgArena arena;
    int n, npart;
    int *at;      /* [n] places of the rows in vectors */
    size_t *diag; /* [n] their diagonal entries in the values */
    int *start;   /* [n + 1] into part */
    softPart *part;
    double *weight; /* [n] ε d of the last factorisation */
    double *unit;   /* [size] w of the coordinates */
    double *heavy;  /* [nnode] max |A_jj w_j²| */
    double *now;    /* [size] a pass */
};

static void place(vgLinSoft *s, const vgLinGraph *g, vgArena *a)
{
    s->at = VG_TAKE(a, int, s->n);
    s->diag = VG_TAKE(a, size_t, s->n);
    s->start = VG_TAKE(a, int, s->n + 1);
    s->part = VG_TAKE(a, softPart, s->npart + 1);
    s->weight = VG_TAKE(a, double, s->n);
    s->unit = VG_TAKE(a, double, g->n);
    s->heavy = VG_TAKE(a, double, g->nnode);
    s->now = VG_TAKE(a, double, g->n);
}

/* Row `local` of a dual node beside primal nodes; returns how many. */
static int row_parts(const vgLinGraph *g, int node, int local, softPart *out)
{
    int n = 0;
    for (int k = g->start[node]; k < g->start[node + 1]; k++) {
        const vgLinPair *p = &g->pairs[g->pair[k]];
        int other = g->near[k], size = g->size[other], turned = p->i != node && p->mirror;
        if (g->dual[other]) continue;
        size_t block = p->i == node || p->mirror ? p->ij : p->ji;
        if (out)
            out[n] = (softPart){other, size, block + (size_t)(turned ? local : local * size),
                                turned ? (size_t)g->size[node] : 1};
        n++;
    }
    return n;
}

/* Counts, or fills the lists where there are any. */
static void list_rows(const vgLinGraph *g, const unsigned char *is_soft, vgLinSoft *s)
{
    const int fill = s->at != NULL;
    s->n = s->npart = 0;
    for (int node = 0; node < g->nnode; node++)
        for (int r = 0; r < g->size[node] && g->dual[node]; r++) {
            if (!is_soft[g->offset[node] + r]) continue;
            if (fill) {
                s->at[s->n] = g->offset[node] + r;
                s->diag[s->n] = g->diag[node] + (size_t)(r * g->size[node] + r);
                s->start[s->n] = s->npart;
            }
            s->n++;
            s->npart += row_parts(g, node, r, fill ? s->part + s->npart : NULL);
        }
    if (fill) s->start[s->n] = s->npart;
}

vgStatus vg_lin_soft_new(const vgLin *lin, const unsigned char *is_soft, const double *unit, vgLinSoft **out)
{
    *out = NULL;
    vgLinSoft *s = calloc(1, sizeof *s);
    if (!s) return VG_NO_MEMORY;
    list_rows(&lin->graph, is_soft, s);
    vgArena measure = {0};
    place(s, &lin->graph, &measure);
    vgStatus status = s->n ? vg_arena_alloc(&s->arena, measure.used) : VG_OK;
    if (status != VG_OK || s->n == 0) {
        free(s);
        return status;
    }
    place(s, &lin->graph, &s->arena);
    list_rows(&lin->graph, is_soft, s);
    memcpy(s->unit, unit, (size_t)lin->graph.n * sizeof *unit);
    *out = s;
    return VG_OK;
}

vgStatus vg_lin_soften(vgLin *lin, const unsigned char *is_soft, const double *unit)
{
    return vg_lin_soft_new(lin, is_soft, unit, &lin->soft);
}

void vg_lin_soft_free(vgLinSoft *s)
{
    if (!s) return;
    vg_arena_free(&s->arena);
    free(s);
}

size_t vg_lin_soft_memory(const vgLinSoft *s)
{
    return s ? sizeof *s + s->arena.size : 0;
}

/* d of a row; nodes without inertia of their own say nothing. */
static double yielding(const vgLinSoft *s, const vgLinGraph *g, const double *values, int r)
{
    double sum = 0, size = 0;
    for (int k = s->start[r]; k < s->start[r + 1]; k++) {
        const softPart *p = &s->part[k];
        for (int j = 0; j < p->n; j++) {
            double b = values[p->from + (size_t)j * p->step];
            double a = fabs(values[g->diag[p->node] + (size_t)(j * p->n + j)]);
            if (a > 0) sum += b * b / a;
            size += b * b;
        }
    }
    return sum > 0 ? sum : size;
}

/* The same of the row's heaviest node, by its largest inertia. */
static double heaviest_yielding(const vgLinSoft *s, const vgLinGraph *g, const double *values, int r)
{
    double least = INFINITY, size = 0;
    for (int k = s->start[r]; k < s->start[r + 1]; k++) {
        const softPart *p = &s->part[k];
        const double *w = s->unit + g->offset[p->node];
        double sum = 0;
        for (int j = 0; j < p->n; j++) {
            double b = values[p->from + (size_t)j * p->step] * w[j];
            sum += b * b;
        }
        size += sum;
        if (sum > 0 && s->heavy[p->node] > 0) least = fmin(least, sum / s->heavy[p->node]);
    }
    return isfinite(least) ? least : size;
}

static void without_rounding(int n, double *d)
{
    double most = 0;
    for (int r = 0; r < n; r++) most = d[r] > most ? d[r] : most;
    for (int r = 0; r < n; r++)
        if (!(d[r] > UNMOVED * most)) d[r] = most > 0 ? most : 1;
}

void vg_lin_soft_heaviest(const vgLin *lin, vgLinSoft *s, double *d)
{
    const vgLinGraph *g = &lin->graph;
    for (int node = 0; node < g->nnode; node++) {
        const double *w = s->unit + g->offset[node], *diag = lin->values + g->diag[node];
        s->heavy[node] = 0;
        for (int j = 0; j < g->size[node] && !g->dual[node]; j++)
            s->heavy[node] = fmax(s->heavy[node], fabs(diag[j * g->size[node] + j]) * w[j] * w[j]);
    }
    for (int r = 0; r < s->n; r++) d[r] = heaviest_yielding(s, g, lin->values, r);
    without_rounding(s->n, d);
}

const int *vg_lin_soft_rows(const vgLinSoft *s, int *n)
{
    *n = s->n;
    return s->at;
}

void vg_lin_soft_fill(vgLin *lin)
{
    vgLinSoft *s = lin->soft;
    for (int r = 0; r < s->n; r++) s->weight[r] = yielding(s, &lin->graph, lin->values, r);
    without_rounding(s->n, s->weight);
    for (int r = 0; r < s->n; r++) {
        s->weight[r] *= SOFTNESS;
        lin->values[s->diag[r]] = -s->weight[r];
    }
}

void vg_lin_soft_solve(vgLin *lin, void (*plain)(vgLin *, double *), int alone, double *x)
{
    const int limit = alone ? MOST_ALONE : MOST_PASSES;
    vgLinSoft *s = lin->soft;
    const int n = lin->graph.n;
    double *now = s->now;
    int passes = 1;
    plain(lin, x);
    memcpy(now, x, (size_t)n * sizeof *x);
    for (double change = INFINITY, size = 0;
         passes < LEAST_PASSES || (passes < limit && change > SETTLED * size); passes++) {
        for (int r = 0; r < s->n; r++) now[s->at[r]] *= -s->weight[r]; /* the others are cleared next */
        for (int i = 0, r = 0; i < n; i++)
            if (r < s->n && s->at[r] == i)
                r++;
            else
                now[i] = 0;
        plain(lin, now);
        change = size = 0;
        for (int i = 0, r = 0; i < n; i++) {
            x[i] += now[i];
            if (r < s->n && s->at[r] == i) {
                r++;
                continue;
            }
            change = fmax(change, fabs(now[i]));
            size = fmax(size, fabs(x[i]));
        }
    }
    for (int r = 0; r < s->n; r++) x[s->at[r]] -= passes * now[s->at[r]];
}

/* Independent coordinates: the choice, and the split of the constraint rows, docs/theory.md eq. 75.
 *
 * B couples the coordinates of a loop with its rows; loops that have no coordinate in common (the corners of
 * a car) are blocks of B_D and of R_D = −B_D⁻¹ B_I and are factorised and multiplied each by itself. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lin/parts.h"
#include "linalg/rank.h"
#include "math/dense.h"
#include "system/redundant.h"
#include "system/setting/independent.h"

typedef vgIndependentWork Work;

/* ---- which entries there are ---- */

/* The number of the part that coordinate or row i belongs to. */
static int root(const int *part, int i)
{
    while (part[i] != i) i = part[i];
    return i;
}

/* The matrix is filled with its own places, so that its parts tell where they come from. */
static void find_sources(const vgSystem *sys, Work *w)
{
    size_t n, cells = (size_t)sys->nphi * (size_t)sys->nv;
    double *values = vg_lin_values(w->at.lin, &n);
    for (size_t i = 0; i < n; i++) values[i] = (double)i;
    for (size_t i = 0; i < cells; i++) w->B[i] = -1;
    vg_lin_parts(w->at.lin, w->place, sys->nv, NULL, w->B);
    for (size_t i = 0; i < cells; i++) w->source[i] = (int)w->B[i];
    memset(w->B, 0, cells * sizeof(double));
    memset(values, 0, n * sizeof(double));
}

vgStatus vg_choice_start(const vgSystem *sys, Work *w)
{
    int n = sys->nv, m = sys->nphi;
    w->nmark = n + m + 2;
    for (int k = 0; k < n; k++) w->place[w->at.v_at ? w->at.v_at[k] : k] = k;
    for (int r = 0; r < m; r++)
        if (w->at.row_at[r] >= 0) w->place[w->at.row_at[r]] = -1 - r;
    if (n > VG_INDEPENDENT_FULL) return vg_wide_new(sys, w);
    find_sources(sys, w);
    for (int i = 0; i < n + m; i++) w->part[i] = i;
    for (int r = 0; r < m; r++)
        for (int k = 0; k < n; k++)
            if (w->source[r * n + k] >= 0) w->part[root(w->part, k)] = root(w->part, n + r);
    for (int i = 0; i < n + m; i++) w->part[i] = root(w->part, i);
    return VG_OK;
}

/* ---- the choice ---- */

static void add_loop(const vgSystem *sys, Work *w, const double *mark, int part)
{
    int n = sys->nv, nrow = w->ndep;
    vgLoop *l = &w->loop[w->nloop];
    *l = (vgLoop){.dep = w->ndep, .ind = w->nind};
    if (w->nloop > 0) {
        const vgLoop *o = l - 1;
        l->D = o->D + o->m * o->m, l->R = o->R + o->m * o->f, l->from = o->from + o->m * (o->m + o->f);
    }
    for (int r = 0; r < sys->nphi; r++)
        if (mark[n + r] > 0 && w->part[n + r] == part) w->row[nrow++] = r;
    if (nrow == w->ndep) return;
    for (int k = 0; k < n; k++) {
        if (w->part[k] != part) continue;
        if (mark[k] > 0)
            w->dep[w->ndep++] = k, l->m++;
        else
            w->ind[w->nind++] = k, l->f++;
    }
    int *from = w->from + l->from;
    for (int i = 0; i < l->m; i++) {
        const int *row = w->source + w->row[l->dep + i] * n;
        for (int k = 0; k < l->m; k++) *from++ = row[w->dep[l->dep + k]];
        for (int k = 0; k < l->f; k++) *from++ = row[w->ind[l->ind + k]];
        for (int k = 0; k < l->f; k++)
            w->ratio[w->nr++] = sys->v_scale[w->ind[l->ind + k]] / sys->v_scale[w->dep[l->dep + i]];
    }
    w->nloop++;
}

/* The lists by loops. */
static void take_loops(const vgSystem *sys, Work *w, const double *mark)
{
    int n = sys->nv;
    for (int i = 0; i < n + sys->nphi; i++)
        if (w->part[i] == i) add_loop(sys, w, mark, i);
    for (int k = 0; k < n; k++) { /* of parts without rows that count */
        int known = 0;
        for (int i = 0; i < w->nloop && !known; i++) known = w->part[k] == w->part[w->dep[w->loop[i].dep]];
        if (!known) w->ind[w->nind++] = k;
    }
}

void vg_choice_take(const vgSystem *sys, Work *w, const double *mark)
{
    w->w.base.matrix_lost = 1; /* it is one in the coordinates chosen before */
    memmove(w->choice, mark, (size_t)w->nmark * sizeof(double));
    w->ndep = w->nind = w->nloop = w->nr = 0;
    w->chosen = 1;
    if (w->wide)
        w->chosen = vg_wide_take(sys, w, mark);
    else
        take_loops(sys, w, mark);
    w->split_ok = 0;
    memset(w->dv, 0, (size_t)sys->nv * sizeof(double));
    memset(w->da, 0, (size_t)sys->nv * sizeof(double));
}

/* A pivot: rows on positions come before rows on velocities, which would let positions drift in their place; then the
 * larger entry. */
typedef struct Pivot {
    int row, col, first;
    double size;
} Pivot;

static Pivot larger(const vgSystem *sys, Pivot best, int row, int col, double entry)
{
    const double size = fabs(entry);
    const int first = size > VG_RANK_CLEAR ? 2 - sys->row_level[row] : 0;
    if (!(size > VG_INDEPENDENT_LEAST) || first < best.first) return best;
    return first > best.first || size > best.size ? (Pivot){row, col, first, size} : best;
}

/* Complete pivoting on the rows of B, made of unit length, columns in the coordinates' scales. Rows that are rounding
 * alone do not count. */
static void choose(const vgSystem *sys, Work *w, double t)
{
    int m = sys->nphi, n = sys->nv;
    double *W = w->W, *mark = w->fresh;
    vg_lin_parts(w->at.lin, w->place, n, NULL, w->B);
    memset(mark, 0, (size_t)w->nmark * sizeof(double));
    for (int r = 0; r < m; r++) {
        double sum = 0;
        for (int k = 0; k < n; k++) {
            W[r * n + k] = w->B[r * n + k] * sys->v_scale[k];
            sum += W[r * n + k] * W[r * n + k];
        }
        const int empty = vg_row_is_empty(vg_inner(sys), vg_inner_work(&w->w.base), t, r, sqrt(sum));
        for (int k = 0; k < n; k++) W[r * n + k] = empty ? 0 : W[r * n + k] / sqrt(sum);
    }
    for (int step = 0; step < m; step++) {
        Pivot best = {-1, -1, 0, 0};
        for (int r = 0; r < m; r++)
            for (int k = 0; k < n && mark[n + r] == 0; k++) best = larger(sys, best, r, k, W[r * n + k]);
        const int row = best.row, col = best.col;
        if (row < 0) break;
        mark[col] = mark[n + row] = 1;
        for (int r = 0; r < m; r++) {
            double f = W[r * n + col] / W[row * n + col];
            if (mark[n + r] != 0 || f == 0) continue;
            for (int k = 0; k < n; k++) W[r * n + k] -= f * W[row * n + k];
            W[r * n + col] = 0;
        }
    }
}

vgStatus vg_choice_make(const vgSystem *sys, Work *w, double t)
{
    vgStatus st = VG_OK;
    if (w->wide)
        st = vg_wide_make(sys, w, t);
    else
        choose(sys, w, t);
    w->fresh[w->nmark - 2] = 0;
    w->fresh[w->nmark - 1] = 1;
    if (st == VG_OK) vg_choice_take(sys, w, w->fresh);
    return st;
}

int vg_choice_bind(const vgSystem *sys, Work *w)
{
    const double *kept = w->w.base.memory;
    if (!kept || !(kept[w->nmark - 1] > 0)) return 0;
    if (!w->chosen || memcmp(kept, w->choice, (size_t)w->nmark * sizeof(double)) != 0)
        vg_choice_take(sys, w, kept);
    return w->chosen;
}

/* ---- the split at a motion ---- */

/* x := B_D⁻¹ x of up to four right sides at once. */
static void solve_lanes(const Work *w, const vgLoop *l, vgLaneLoose *x)
{
    const double *lu = w->D + l->D, *inverse = w->inverse + l->dep;
    const int *pivot = w->pivot + l->dep, m = l->m;
    for (int k = 0; k < m; k++) {
        vgLane swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
    for (int i = 1; i < m; i++) {
        vgLane sum = x[i];
        for (int j = 0; j < i; j++) sum -= lu[i * m + j] * x[j];
        x[i] = sum;
    }
    for (int i = m - 1; i >= 0; i--) {
        vgLane sum = x[i];
        for (int j = i + 1; j < m; j++) sum -= lu[i * m + j] * x[j];
        x[i] = sum * inverse[i];
    }
}

/* R := B_D⁻¹ R */
static void solve_directions(const Work *w, const vgLoop *l)
{
    double *R = w->R + l->R, *x = w->lanes;
    int f = l->f;
    if (f > VG_LANES) {
        vg_dense_lu_solve_rows(w->D + l->D, w->pivot + l->dep, l->m, R, f);
        return;
    }
    for (int i = 0; i < l->m; i++)
        for (int k = 0; k < VG_LANES; k++) x[VG_LANES * i + k] = k < f ? R[i * f + k] : 0;
    solve_lanes(w, l, (vgLaneLoose *)x);
    for (int i = 0; i < l->m; i++)
        for (int k = 0; k < f; k++) R[i * f + k] = x[VG_LANES * i + k];
}

static vgStatus split_loop(Work *w, const vgLoop *l, const double *values)
{
    vgWork *work = &w->w.base;
    const int *from = w->from + l->from;
    double *D = w->D + l->D, *R = w->R + l->R;
    int m = l->m, f = l->f, bad;
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < m; k++, from++) D[i * m + k] = *from >= 0 ? values[*from] : 0;
        for (int k = 0; k < f; k++, from++) R[i * f + k] = *from >= 0 ? -values[*from] : 0;
    }
    if (vg_dense_lu(D, m, 0, w->pivot + l->dep, &bad) != VG_OK) {
        work->bad_row = work->sys->nv + w->row[l->dep + bad];
        return VG_SINGULAR;
    }
    for (int i = 0; i < m; i++) {
        work->pivot = fmin(work->pivot, fabs(D[i * m + i]));
        w->inverse[l->dep + i] = 1 / D[i * m + i];
    }
    solve_directions(w, l);
    return VG_OK;
}

vgStatus vg_split(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v)
{
    Work *w = (Work *)work;
    const vgSystem *inner = vg_inner(sys);
    vgTangent p = {.t = t, .q = q, .v = v, .a = w->zero, .lambda = w->zero, .reuse = 1, .mass = 1, .rows = 1};
    vgSaddle at;
    size_t n;
    vgStatus st = inner->ops->assemble(inner, vg_inner_work(work), &p, &at);
    if (st != VG_OK) return st;
    if (!vg_choice_bind(sys, w) && !w->chosen) st = vg_choice_make(sys, w, t);
    if (st != VG_OK) return st;
    const double *values = vg_lin_values(at.lin, &n);
    work->bad_row = -1;
    work->pivot = INFINITY;
    w->moved = 0;
    if (w->wide) return vg_wide_split(sys, w, values);
    for (int i = 0; i < w->nloop && st == VG_OK; i++) st = split_loop(w, &w->loop[i], values);
    w->steep = 0;
    for (int i = 0; i < w->nr && st == VG_OK; i++)
        w->steep = vg_larger(w->steep, fabs(w->R[i]) * w->ratio[i]);
    return st;
}

void vg_split_levels(const vgSystem *sys, Work *w)
{
    const double *phi = w->phi, *dot = phi + sys->nphi, *ddot = dot + sys->nphi;
    vgLaneLoose *gap = (vgLaneLoose *)w->gap;
    if (w->wide) {
        vg_wide_levels(sys, w);
        return;
    }
    for (int i = 0; i < w->ndep; i++) {
        int r = w->row[i];
        gap[i] = (vgLane){phi[r], dot[r], ddot[r], 0};
    }
    for (const vgLoop *l = w->loop, *end = l + w->nloop; l < end; l++) solve_lanes(w, l, gap + l->dep);
}

void vg_split_correct(Work *w, const double *violation, double *x)
{
    if (w->wide) {
        vg_wide_correct(w->w.base.sys, w, violation, x);
        return;
    }
    for (int i = 0; i < w->ndep; i++) w->g[i] = violation[w->row[i]];
    for (const vgLoop *l = w->loop, *end = l + w->nloop; l < end; l++)
        vg_dense_lu_solve(w->D + l->D, w->pivot + l->dep, l->m, w->g + l->dep);
    for (int i = 0; i < w->ndep; i++) x[w->dep[i]] -= w->g[i];
}

void vg_split_transposed(Work *w, double *z, double c, double *lambda)
{
    for (const vgLoop *l = w->loop, *end = l + w->nloop; l < end; l++)
        vg_dense_lu_solve_transposed(w->D + l->D, w->pivot + l->dep, l->m, z + l->dep);
    for (int i = 0; i < w->ndep; i++) lambda[w->row[i]] += c * z[i];
}

void vg_split_gather(const Work *w, double *x)
{
    for (const vgLoop *l = w->loop, *end = l + w->nloop; l < end; l++) {
        const double *R = w->R + l->R;
        for (int i = 0; i < l->m; i++)
            for (int k = 0; k < l->f; k++) x[w->ind[l->ind + k]] += *R++ * x[w->dep[l->dep + i]];
    }
}

void vg_split_reduce(const vgSystem *sys, Work *w, double *r)
{
    if (w->wide) {
        vg_wide_reduce(sys, w, r);
        return;
    }
    vg_split_gather(w, r);
    memset(w->lambda, 0, (size_t)sys->nphi * sizeof(double));
    for (int i = 0; i < w->ndep; i++) {
        w->g[i] = r[w->dep[i]];
        r[w->dep[i]] = 0;
    }
    vg_split_transposed(w, w->g, -1, w->lambda);
}

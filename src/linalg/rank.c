#include "linalg/rank.h"
#include "base/arena.h"
#include "linalg/qr.h"
#include "linalg/rank_impl.h"
#include "base/expect.h"
#include "linalg/tuning.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

vgStatus vg_rank_room(int m, int nterm, vgRank *out)
{
    memset(out, 0, sizeof *out);
    out->independent = malloc(((size_t)m + 1) * sizeof *out->independent);
    out->redundant = malloc(((size_t)m + 1) * sizeof *out->redundant);
    out->term_start = calloc((size_t)m + 2, sizeof *out->term_start);
    out->terms = malloc(((size_t)nterm + 1) * sizeof *out->terms);
    if (out->independent && out->redundant && out->term_start && out->terms) return VG_OK;
    vg_rank_free(out);
    return VG_NO_MEMORY;
}

void vg_rank_free(vgRank *rank)
{
    free(rank->independent);
    free(rank->redundant);
    free(rank->term_start);
    free(rank->terms);
    memset(rank, 0, sizeof *rank);
}

static int compare_shares(const void *a, const void *b)
{
    const vgRankTerm *x = a, *y = b;
    double sx = fabs(x->weight), sy = fabs(y->weight);
    if (sx != sy) return sx < sy ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

void vg_rank_explain(vgRank *out, int at, vgRankTerm *candidates, int count, const double *length,
                     double row_length)
{
    qsort(candidates, (size_t)count, sizeof *candidates, compare_shares);
    int first = out->term_start[at], kept = 0;
    for (; kept < count && kept < VG_RANK_TERMS; kept++) {
        vgRankTerm term = candidates[kept];
        if (fabs(term.weight) < VG_RANK_TERM_SHOWN * fabs(candidates[0].weight)) break;
        term.weight *= row_length / length[term.row];
        out->terms[first + kept] = term;
    }
    out->term_start[at + 1] = first + kept;
}

double vg_rank_empty(const double *length, int m)
{
    double longest = 0;
    for (int i = 0; i < m; i++) longest = fmax(longest, length[i]);
    return VG_RANK_EMPTY * longest;
}

/* Jᵀ column by column: rows of unit length, later rows weighted down by up to a half, so that among equals
 * vg_qr_pivoted, which takes the longest, takes the earlier. Empty rows become zeros. */
static int weigh_rows(const double *j, int m, int n, double *a, double *length, double *weight)
{
    for (int i = 0; i < m; i++) {
        const double *row = j + (size_t)i * (size_t)n;
        double scale = 0, sum = 0;
        for (int c = 0; c < n; c++) scale = fmax(scale, fabs(row[c]));
        for (int c = 0; c < n; c++) {
            if (!isfinite(row[c])) return 0;
            if (scale > 0) sum += row[c] / scale * (row[c] / scale);
        }
        length[i] = scale * sqrt(sum);
        weight[i] = 1 - 0.5 * i / m;
    }
    const double empty = vg_rank_empty(length, m);
    for (int i = 0; i < m; i++) {
        const double *row = j + (size_t)i * (size_t)n;
        if (length[i] <= empty) length[i] = 0;
        for (int c = 0; c < n; c++)
            a[(size_t)i * (size_t)n + (size_t)c] = length[i] > 0 ? row[c] / length[i] * weight[i] : 0;
    }
    return 1;
}

/* With Jᵀ W P = Q [R₁₁ R₁₂; 0 ~0], the redundant rows are R₁₁⁻¹ R₁₂ of the independent ones. */
static vgStatus explain_all(double *a, int m, int n, const int *pivot, const double *length,
                            const double *weight, vgRank *out)
{
    int rank = out->rank;
    for (int k = rank; k < m; k++) vg_qr_solve_triangle(a, n, rank, a + (size_t)k * (size_t)n);
    int *column_of = malloc(((size_t)m + 1) * sizeof *column_of);
    vgRankTerm *candidates = malloc(((size_t)rank + 1) * sizeof *candidates);
    if (column_of && candidates) {
        for (int k = 0; k < m; k++) column_of[pivot[k]] = k;
        for (int row = 0; row < m; row++) {
            if (column_of[row] < rank) continue;
            const double *shares = a + (size_t)column_of[row] * (size_t)n;
            int at = out->nredundant++;
            for (int k = 0; k < rank; k++) {
                int source = pivot[k];
                candidates[k] = (vgRankTerm){source, shares[k] * weight[source] / weight[row]};
            }
            out->redundant[at] = row;
            vg_rank_explain(out, at, candidates, length[row] > 0 ? rank : 0, length, length[row]);
        }
    }
    vgStatus status = column_of && candidates ? VG_OK : VG_NO_MEMORY;
    free(column_of);
    free(candidates);
    return status;
}

vgStatus vg_rank_qr(const double *j, int m, int n, double tolerance, vgRank *out)
{
    VG_EXPECT(m >= 0 && n >= 0 && tolerance >= 0 && out);
    memset(out, 0, sizeof *out);
    if (m < 0 || n < 1) return VG_BAD_INPUT;
    if (tolerance <= 0) tolerance = VG_RANK_TOLERANCE;
    if (m > INT_MAX / VG_RANK_TERMS) return VG_LIMIT;
    int least = m < n ? m : n;
    double *a = malloc(((size_t)m * (size_t)n + 1) * sizeof *a);
    double *length = malloc(((size_t)m + 1) * sizeof *length),
           *weight = malloc(((size_t)m + 1) * sizeof *weight);
    double *tau = malloc(((size_t)least + 1) * sizeof *tau),
           *work = malloc((2 * (size_t)m + 1) * sizeof *work);
    int *pivot = calloc((size_t)m + 1, sizeof *pivot);
    vgStatus status = VG_NO_MEMORY;
    if (a && length && weight && tau && work && pivot) status = vg_rank_room(m, m * VG_RANK_TERMS, out);
    if (status == VG_OK && !weigh_rows(j, m, n, a, length, weight)) status = VG_NOT_FINITE;
    if (status == VG_OK && m > 0) {
        vg_qr_pivoted(a, n, m, pivot, tau, work);
        while (out->rank < least) {
            int k = out->rank, row = pivot[k];
            if (!(fabs(a[(size_t)k * (size_t)n + (size_t)k]) > tolerance * weight[row])) break;
            out->independent[out->rank++] = row;
        }
        status = explain_all(a, m, n, pivot, length, weight, out);
    }
    free(a);
    free(length);
    free(weight);
    free(tau);
    free(work);
    free(pivot);
    if (status != VG_OK) vg_rank_free(out);
    return status;
}

vgStatus vg_rank_rows(const vgSparseRows *j, double tolerance, vgRank *out)
{
    VG_EXPECT(j && tolerance >= 0 && out);
    if (j->n > VG_RANK_DENSE_COLS) return vg_rank_sparse(j, tolerance, out);
    memset(out, 0, sizeof *out);
    double *dense = calloc((size_t)j->m * (size_t)j->n + 1, sizeof *dense);
    if (!dense) return VG_NO_MEMORY;
    for (int i = 0; i < j->m; i++)
        for (int t = j->start[i]; t < j->start[i + 1]; t++)
            dense[(size_t)i * (size_t)j->n + (size_t)j->col[t]] += j->value[t];
    vgStatus status = vg_rank_qr(dense, j->m, j->n, tolerance, out);
    free(dense);
    return status;
}

struct vgLstsq {
    vgArena arena;
    int m, n;
    double *j, *rhs, *work;
    int *pivot;
};

static void place(vgLstsq *r, vgArena *arena)
{
    r->j = VG_TAKE(arena, double, (size_t)r->m *(size_t)r->n);
    r->rhs = VG_TAKE(arena, double, r->m);
    r->work = VG_TAKE(arena, double, vg_least_squares_room(r->m, r->n));
    r->pivot = VG_TAKE(arena, int, r->m < r->n ? r->m : r->n);
}

vgStatus vg_lstsq_new(int m, int n, vgLstsq **out)
{
    VG_EXPECT(m >= 0 && n >= 0 && out);
    *out = NULL;
    if (m < 0 || n < 1) return VG_BAD_INPUT;
    vgLstsq *r = calloc(1, sizeof *r);
    if (!r) return VG_NO_MEMORY;
    r->m = m, r->n = n;
    vgArena measure = {0};
    place(r, &measure);
    vgStatus status = vg_arena_reserve(&r->arena, measure.used);
    if (status != VG_OK) {
        free(r);
        return status;
    }
    place(r, &r->arena);
    *out = r;
    return VG_OK;
}

void vg_lstsq_free(vgLstsq *room)
{
    if (!room) return;
    vg_arena_free(&room->arena);
    free(room);
}

double *vg_lstsq_matrix(vgLstsq *room)
{
    return room->j;
}

vgStatus vg_lstsq_min_norm_in(vgLstsq *r, const double *b, double rcond, double *x, int *rank)
{
    VG_EXPECT(r && b && x && rcond >= 0);
    if (rcond <= 0) rcond = VG_LSTSQ_TOLERANCE;
    int found = 0;
    vgStatus status = VG_OK;
    for (size_t i = 0; i < (size_t)r->m * (size_t)r->n; i++)
        if (!isfinite(r->j[i])) return VG_NOT_FINITE;
    if (!vg_all_finite(b, r->m)) return VG_NOT_FINITE;
    if (r->m == 0) {
        memset(x, 0, (size_t)r->n * sizeof *x);
    } else {
        memcpy(r->rhs, b, (size_t)r->m * sizeof *b);
        status = vg_least_squares(r->j, r->m, r->n, r->rhs, rcond, x, &found, r->pivot, r->work);
    }
    if (rank) *rank = found;
    return status;
}

vgStatus vg_lstsq_min_norm(const double *j, const double *b, int m, int n, double rcond, double *x, int *rank)
{
    vgLstsq *room = NULL;
    vgStatus status = vg_lstsq_new(m, n, &room);
    if (status == VG_OK) {
        memcpy(room->j, j, (size_t)m * (size_t)n * sizeof *j);
        status = vg_lstsq_min_norm_in(room, b, rcond, x, rank);
    }
    vg_lstsq_free(room);
    return status;
}

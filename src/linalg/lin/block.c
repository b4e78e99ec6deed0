/* Block backend: A = L̃ Ũ over the nodes in elimination order, with
 *
 *     Ũ_kj = D_k⁻¹ (A_kj − Σ_c L̃_kc Ũ_cj),   L̃_ik = A_ik − Σ_c L̃_ic Ũ_ck,   D_k = L̃_kk,   Ũ_kk = I,
 *
 * c over the earlier neighbours of k (left-looking, so that each panel is loaded, updated and inverted while
 * it is in cache). The matrix is unsymmetric in general (gyroscopic and follower terms), the pattern is not.
 * Everything the numeric phases do is a flat list made at set-up (block_plan.c): loads, products, steps.
 *
 * The diagonal blocks are inverted, not factored: products instead of recurrences in the solve, which is
 * bound by latency. No pivoting between blocks: the order sees to it that a sound mechanism needs none, a
 * pivot block that lost more than PIVOT_FLOOR of what was summed into it sends the factorisation to the
 * sparse backend.
 *
 * A node that passes rows on (vgLinNode) takes two steps. The first gathers all its rows; the best pivots are
 * chosen among them (split.h), and their rows and columns move on to the second step, which is like any other.
 * The other rows move to the places where the later node of passed rows has them. */
#include "linalg/lin/block.h"

#include <math.h>
#include <stdlib.h>

static const double PIVOT_FLOOR = 1e-8;

void vg_lin_block_free(void *impl)
{
    vgLinBlock *b = impl;
    vg_arena_free(&b->arena);
    free(b);
}

/* The largest absolute value that each diagonal entry has had. Pivots are compared with it, because a dependent
 * constraint shows as a difference of large terms that almost cancel. */
static inline void remember(const double *d, int size, int ld, double *history)
{
    for (int i = 0; i < size; i++) {
        double now = fabs(d[(size_t)i * (size_t)(ld + 1)]);
        history[i] = now > history[i] ? now : history[i];
    }
}

static int any_not_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return 1;
    return 0;
}

/* The panel of node k. */
static inline vgStatus eliminate(const vgLin *lin, vgLinBlock *b, int k, int *bad_row)
{
    const vgLinStep *s = &b->steps[k];
    double *panel = b->factor + s->panel;
    if (k == 0) b->lost = 0;
    for (uint32_t i = s->load; i < s[1].load; i++)
        vg_lin_load_kernels[b->loads[i].kernel](&b->loads[i], lin->values, b->factor);
    for (int i = 0; i < s->ld; i++) b->history[i] = s->given ? b->kept[s->z + (uint32_t)i] : 0;
    for (uint32_t i = s->update; i < s[1].update; i++) {
        const vgLinGemm *op = &b->updates[i];
        if (op->touches_diagonal) remember(panel, s->size, s->ld, b->history);
        vg_lin_gemm_kernels[op->kernel](op, b->factor);
    }
    if (s->split) {
        int weak = vg_lin_split(&b->splits[s->split - 1], b->steps, k, b->moves, b->perm, b->history,
                                PIVOT_FLOOR, b->scratch, b->factor, b->kept);
        if (weak < 0) return VG_OK;
        *bad_row = (int)s->row + weak;
        return any_not_finite(lin->values, lin->nvalue) ? VG_NOT_FINITE : VG_SINGULAR;
    }
    if (vg_lin_pivot_kernels[s->kernel](panel, s->size, s->ld, (int)s->width, b->history, b->scratch))
        return VG_OK;
    int weak = vg_lin_pivot_carefully(panel, s->size, s->ld, (int)s->width, b->history, PIVOT_FLOOR,
                                      b->scratch, b->scratch_order, &b->lost);
    if (weak < 0) return VG_OK;
    *bad_row = s->given ? lin->graph.offset[b->node[k] % lin->graph.nnode] : (int)s->row + weak;
    return any_not_finite(lin->values, lin->nvalue) ? VG_NOT_FINITE : VG_SINGULAR;
}

static vgStatus factor(const vgLin *lin, void *impl, int *bad_row)
{
    vgLinBlock *b = impl;
    vgStatus status = VG_OK;
    for (int k = 0; k < b->nstep && status == VG_OK; k++) status = eliminate(lin, b, k, bad_row);
    return status;
}

/* Rows of the pivot block of step k that lost all digits. Their pivots are replaced by the size of what was summed
 * into them, so that the elimination can go on. */
static int weak_rows(const vgLin *lin, vgLinBlock *b, int k)
{
    const vgLinStep *s = &b->steps[k];
    int bad = -1;
    if (eliminate(lin, b, k, &bad) == VG_OK) return 0;
    for (int weak = 1; weak <= s->size; weak++) {
        double *panel = b->factor + s->panel;
        int row = s->split || !s->given ? bad - (int)s->row : 0, next = -1;
        if (s->given)
            row = vg_lin_pivot_carefully(panel, s->size, s->ld, 0, b->history, PIVOT_FLOOR, b->scratch,
                                         b->scratch_order, NULL);
        if (row < 0) return weak;
        double *pivot = panel + (size_t)row * (size_t)(s->ld + 1);
        *pivot += copysign(b->history[row] > 0 ? b->history[row] : 1, *pivot);
        if (s->split)
            next = vg_lin_split(&b->splits[s->split - 1], b->steps, k, b->moves, b->perm, b->history,
                                PIVOT_FLOOR, b->scratch, b->factor, b->kept);
        else
            next = vg_lin_pivot_carefully(panel, s->size, s->ld, (int)s->width, b->history, PIVOT_FLOOR,
                                          b->scratch, b->scratch_order, NULL);
        if (next < 0) return weak;
        bad = (int)s->row + next;
    }
    return s->size;
}

static vgStatus learn(vgLin *lin, void *impl, vgLinNode *found, int *news)
{
    vgLinBlock *b = impl;
    const vgLinGraph *g = &lin->graph;
    *news = 0;
    if (any_not_finite(lin->values, lin->nvalue)) return VG_OK;
    for (int k = 0; k < b->nstep; k++) {
        int weak = weak_rows(lin, b, k), node = b->node[k] % g->nnode;
        if (!weak || !g->dual[node]) continue;
        if (b->node[k] < g->nnode && g->pass[node] + weak < g->size[node])
            found[node].pass += weak;
        else
            found[node].wait += weak;
        ++*news;
    }
    return VG_OK;
}

static vgStatus piece(const vgLin *lin, void *impl, int i, int *bad_row)
{
    return eliminate(lin, impl, i, bad_row);
}

/* A node: its panel is loaded, updated, and its pivot block taken out of it. */
static int pieces(const void *impl, double *cost)
{
    const vgLinBlock *b = impl;
    for (int k = 0; cost && k < b->nstep; k++) {
        const vgLinStep *s = &b->steps[k];
        double panel = (double)s->size * (double)s->width;
        cost[k] = 60 + 0.8 * panel + 0.2 * (double)s->size * panel;
        for (uint32_t i = s->update; i < s[1].update; i++) {
            const vgLinGemm *u = &b->updates[i];
            cost[k] += 8 + 0.55 * (double)u->vectors * (double)u->k * (double)u->n;
        }
    }
    return b->nstep;
}

static void solve(const vgLin *lin, void *impl, double *x)
{
    (void)lin;
    vgLinBlock *b = impl;
    double *z = b->z;
    for (int k = 0; k < b->nstep; k++) {
        const vgLinStep *s = &b->steps[k];
        for (int i = 0; i < s->rows; i++) z[s->z + (uint32_t)i] = x[s->row + (uint32_t)i];
    }
    for (int k = 0; k < b->nstep; k++) {
        const vgLinStep *s = &b->steps[k];
        if (s->split)
            vg_lin_split_forward(&b->splits[s->split - 1], b->steps, k, b->perm, z);
        else
            vg_lin_forward_kernels[s->kernel](s, b->below + s->below, b->factor, z);
    }
    for (int k = b->nstep - 1; k >= 0; k--) {
        const vgLinStep *s = &b->steps[k];
        if (s->split)
            vg_lin_split_backward(&b->splits[s->split - 1], b->steps, k, b->perm, z);
        else
            vg_lin_backward_kernels[s->kernel](s, b->below + s->below, b->factor, z);
        for (int i = 0; i < s->rows; i++) x[s->row + (uint32_t)i] = z[s->z + (uint32_t)i];
    }
}

static int lost(const void *impl)
{
    return ((const vgLinBlock *)impl)->lost;
}

static size_t memory(const void *impl)
{
    return sizeof(vgLinBlock) + ((const vgLinBlock *)impl)->arena.size;
}
static size_t fill(const void *impl)
{
    return ((const vgLinBlock *)impl)->nfactor;
}

const vgLinOps vg_lin_block_ops = {
    .name = "block",
    .falls_back = 1,
    .create = vg_lin_block_plan,
    .destroy = vg_lin_block_free,
    .factor = factor,
    .pieces = pieces,
    .piece = piece,
    .learn = learn,
    .solve = solve,
    .lost = lost,
    .memory = memory,
    .fill = fill,
};

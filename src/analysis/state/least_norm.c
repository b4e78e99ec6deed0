/* min |λ'| with Jᵀ λ' = Jᵀ λ, J the constraint Jacobian, by singular values of Jᵀ. */
#include "analysis/state/least_norm.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/rank.h"

/* Entries of the Jacobian up to which its singular values are worth their time: a second for one sample. */
static const double MOST_NUMBERS = 4e6;

struct vgLeastNorm {
    const vgSystem *sys;
    vgArena arena;
    int n;             /* columns of J */
    int *start, *col;  /* J by rows: [njacobian + 1], [njacobian · row_entries] */
    double *value, *f; /* ditto; [n] Jᵀ λ */
    vgLstsq *room;
};

static void place(vgLeastNorm *l, vgArena *a)
{
    size_t rows = (size_t)l->sys->njacobian, entries = rows * (size_t)l->sys->row_entries;
    l->start = VG_TAKE(a, int, rows + 1);
    l->col = VG_TAKE(a, int, entries + 1);
    l->value = VG_TAKE(a, double, entries + 1);
    l->f = VG_TAKE(a, double, l->n);
}

vgStatus vg_least_norm_new(const vgSystem *sys, vgLeastNorm **out)
{
    *out = NULL;
    if (!sys->may_repeat) return VG_OK;
    const int n = sys->ops->jacobian(sys, NULL, 0, NULL, NULL, NULL, NULL);
    if ((double)n * sys->njacobian > MOST_NUMBERS) return VG_OK;
    vgLeastNorm *l = calloc(1, sizeof *l);
    if (!l) return VG_NO_MEMORY;
    vgArena measure = {0};
    l->sys = sys;
    l->n = n;
    place(l, &measure);
    vgStatus st = vg_arena_reserve(&l->arena, measure.used);
    if (st == VG_OK) {
        place(l, &l->arena);
        st = vg_lstsq_new(l->n, sys->njacobian, &l->room);
    }
    if (st != VG_OK) {
        vg_least_norm_free(l);
        return st;
    }
    *out = l;
    return VG_OK;
}

void vg_least_norm_free(vgLeastNorm *l)
{
    if (!l) return;
    vg_lstsq_free(l->room);
    vg_arena_free(&l->arena);
    free(l);
}

vgStatus vg_least_norm_multipliers(vgLeastNorm *l, vgWork *work, double t, const double *q,
                                   const double *lambda, double *out)
{
    const vgSystem *sys = l->sys;
    int m = sys->njacobian;
    double *Jt = vg_lstsq_matrix(l->room);
    memcpy(out, lambda, (size_t)sys->nphi * sizeof *out);
    memset(Jt, 0, (size_t)m * (size_t)l->n * sizeof *Jt);
    memset(l->f, 0, (size_t)l->n * sizeof *l->f);
    sys->ops->jacobian(sys, work, t, q, l->start, l->col, l->value);
    for (int r = 0; r < m; r++)
        for (int k = l->start[r]; k < l->start[r + 1]; k++) {
            Jt[(size_t)l->col[k] * (size_t)m + (size_t)r] += l->value[k];
            l->f[l->col[k]] += l->value[k] * lambda[r];
        }
    return vg_lstsq_min_norm_in(l->room, l->f, 0, out, NULL);
}

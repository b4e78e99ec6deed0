#include "linalg/rank.h"
#include "base/arena.h"
#include "linalg/qr.h"
#include "base/expect.h"
#include "linalg/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

vgStatus vg_rank_room(int m, vgRank *out)
{
    memset(out, 0, sizeof *out);
    out->independent = malloc(((size_t)m + 1) * sizeof *out->independent);
    out->redundant = malloc(((size_t)m + 1) * sizeof *out->redundant);
    if (out->independent && out->redundant) return VG_OK;
    vg_rank_free(out);
    return VG_NO_MEMORY;
}

void vg_rank_free(vgRank *rank)
{
    free(rank->independent);
    free(rank->redundant);
    memset(rank, 0, sizeof *rank);
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

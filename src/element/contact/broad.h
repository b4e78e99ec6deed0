/* Which of many balls may be near each other: a grid of cells by hashing, one level for every power of two of the
 * sizes, so that few large balls among many small ones cost little. All memory is taken at set-up. */
#ifndef VERGE_ELEMENT_CONTACT_BROAD_H
#define VERGE_ELEMENT_CONTACT_BROAD_H

#include "base/arena.h"
#include "math/vec.h"

typedef struct vgNear {
    int a, b; /* a < b */
} vgNear;

typedef struct vgBroad {
    int n, wanted; /* balls; a pair has at least one of the first `wanted` ones */
    double *radius;
    const int *body; /* per ball: balls of one body are no pair */
    int nbucket;     /* a power of two */
    int *head, *next, (*cell)[3];
    signed char *level;
    int nlevel, levels[32]; /* the levels that have balls, ascending */
    double base;            /* edge of the cells of level 0 */
    int room;               /* for pairs */
    vgNear *pair, *sorted;
    int *count; /* n + 1 */
} vgBroad;

/* Memory (base/arena.h); radius and body are filled by the caller afterwards. */
void vg_broad_place(vgBroad *x, int n, int room, vgArena *a);
/* Pairs of balls whose surfaces are not farther apart than margin, in ascending order, in x->pair. Returns how many;
 * −1: there are more than `room`. */
int vg_broad_find(vgBroad *x, const vgVec3 *centre, double margin);

#endif

/* Kinds of which a model has many: four elements at once, one a lane (math/lanes.h). What such an element
 * does depends on the positions and velocities of its bodies, and on their accelerations in two ways only: by
 * a constant mass matrix between their translations, and by what turns with each of them as a part of that
 * body would.
 */
#ifndef VERGE_ELEMENT_FORCE_LANES_H
#define VERGE_ELEMENT_FORCE_LANES_H

#include "element/force/force.h"
#include "math/lanes.h"

enum { VG_LANE_BODIES = 3 };

/* Common head of every pack: the constants of four elements side by side. */
typedef struct vgLanePack {
    int nbody;
    int damped;                                   /* f depends on velocities */
    int massive;                                  /* 0: mass is zero */
    vgLane mass[VG_LANE_BODIES * VG_LANE_BODIES]; /* f_a = −Σ mass_ab (v̇_b − g) */
} vgLanePack;

struct vgForceLanes {
    /* Elements of the same kind and group share lanes; 0: this one is evaluated alone. */
    int (*group)(const void *def);
    size_t pack_size, pack_used; /* used: how far an evaluation of the common case reads */
    void (*pack)(const void *const def[VG_LANES], vgLanePack *out);
    /* Wrenches without what spin() gives: f (6 nbody), comes zeroed. K and C (damped), NULL: not wanted, come
     * zeroed: ∂f/∂δξ and ∂f/∂ξ, blocks of 6 × 6 for each pair of bodies, entry (i, j) of bodies a, b at 36
     * (nbody a + b) + 6 i
     * + j. kin[VG_LANES a + lane] */
    void (*eval)(const vgLanePack *pack, const vgKin *const *kin, vgVec3 gravity, vgLane *f, vgLane *K,
                 vgLane *C);
    /* Mass that moves with body a as a part of it would, not counted above, and the first and second moment
     * of what turns with it, about its origin in its axes. */
    void (*spin)(const void *def, int a, double *m, vgVec3 *S, vgMat3 *J);
};

/* Kinds whose wrenches are often needed without tangents, in residuals: four elements at once. They may share
 * bodies and be on the ground. An element that depends on more than its own bodies is evaluated alone. */
struct vgForceFour {
    int (*group)(const void *def); /* as above */
    size_t pack_size;
    void (*pack)(const void *const def[VG_LANES], void *out);
    /* f (6 nbody) is written. kin[VG_LANES a + lane] */
    void (*eval)(const void *pack, double t, const vgKin *const *kin, vgLane *f);
    /* NULL: one by one. Of elements that act on their last body alone, the others being the ground: A (6×12)
     * += how the wrench on it, about its centre of mass in W, varies with (E, η) of theory.md, eq. 55a; its
     * couple as if it turned with the body. */
    void (*tangent)(const void *pack, const vgKin *const *kin, vgLane *A);
};

enum { VG_FOUR_TANGENT = 72 };

#endif

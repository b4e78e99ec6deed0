/* Rods, the commonest closing rows by far: distances between two points, four at a time. */
#ifndef VERGE_SYSTEM_NATIVE_RODS_H
#define VERGE_SYSTEM_NATIVE_RODS_H

#include "base/arena.h"
#include "math/lanes.h"
#include "model/model.h"

typedef struct vgRodFour {
    vgLane c, inverse; /* length and 1/length */
    vgLane3 ra, rb;
    int n;                             /* lanes in use; the others repeat the last */
    int shared[2], body[2 * VG_LANES]; /* as vgFourGroup */
    int row[VG_LANES];
} vgRodFour;

typedef struct vgRods {
    int n;
    vgRodFour *four;
    int *rest, nrest; /* the other primitives of the list */
} vgRods;

/* As vg_native_place and vg_native_start, which may choose fewer; fast 0: no rods go together. */
void vg_rods_place(vgRods *x, const vgModel *m, const unsigned char *prim, int fast, vgArena *a);
void vg_rods_start(vgRods *x, const vgModel *m, const unsigned char *prim, int fast);
/* native += Bᵀλ, and phi. kin: nbody + 1, the last is the ground. Rows are the model's. */
void vg_rods_forces(const vgRods *x, const vgKin *kin, int nbody, const double *lambda, double *native,
                    double *phi);
/* Value, rate and second derivative. */
void vg_rods_levels(const vgRods *x, const vgKin *kin, int nbody, double *phi, double *dot, double *ddot);

#endif

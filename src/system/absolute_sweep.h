/* Newton's increment of a tree in absolute coordinates by one sweep from the leaves to the root and one back
 * (docs/theory.md, eq. 24 and 89). Internal to the room. */
#ifndef VERGE_SYSTEM_ABSOLUTE_SWEEP_H
#define VERGE_SYSTEM_ABSOLUTE_SWEEP_H

#include "system/absolute.h"

/* *out NULL without an error: not a tree of joints that the sweep knows, or elements between the bodies. */
vgStatus vg_sweep_new(const vgAbs *s, struct vgSweep **out);
void vg_sweep_free(struct vgSweep *w);
/* [M Bᵀ; B 0](xi, lambda) = (−force, rows) at a motion: force 6 nbody (NULL: zero), rows and lambda by the
 * model's rows (may be the same). 0: not possible, rows as they were. */
int vg_sweep_native(struct vgSweep *w, const vgKin *kin, const double *force, const double *rows, double *xi,
                    double *lambda);
size_t vg_sweep_memory(const struct vgSweep *w);

#endif

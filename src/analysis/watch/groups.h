/* Bodies that hang together by joints and forces: a motion of their own. */
#ifndef VERGE_ANALYSIS_WATCH_GROUPS_H
#define VERGE_ANALYSIS_WATCH_GROUPS_H

#include "model/model.h"

/* of: nbody + 1. Bodies with the same root hang together; ground: nbody, where what stands on the ground hangs together with it, or
 * −1, where the ground does not join anything. */
void vg_watch_unite(const vgModel *m, int ground, int *of);
int vg_watch_root(int *of, int body);

#endif

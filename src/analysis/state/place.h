/* Bodies moved to where joints start. */
#ifndef VERGE_ANALYSIS_STATE_PLACE_H
#define VERGE_ANALYSIS_STATE_PLACE_H

#include "system/system.h"

/* kin: motion of all bodies as given. Joints of the tree with a `start` are turned and shifted there, and what hangs on
 * them moves along; other joints of the tree stay as they are, loops open. m->start is not NULL. */
vgStatus vg_place_joints(const vgModel *m, double t, vgKin *kin);

#endif

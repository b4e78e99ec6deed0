/* Setting the motion of bodies by channel names. Private to the C API. */
#ifndef VG_IO_SIM_SET_H
#define VG_IO_SIM_SET_H

#include "model/model.h"

/* Changes one number of the bodies' motion (kin: model->nbody). Positions and velocities are those of the
 * bodies' own origins, as channels show them; turning a body leaves its origin where it is. */
vgStatus vg_sim_set_motion(const vgModel *model, const char *channel, double value, vgKin *kin, vgDiag *diag);

#endif

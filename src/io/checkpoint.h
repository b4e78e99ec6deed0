/* A simulation as bytes: all that is needed to go on with the same bits. */
#ifndef VG_IO_CHECKPOINT_H
#define VG_IO_CHECKPOINT_H

#include "analysis/run/simulation.h"

size_t vg_checkpoint_size(const vgSimulation *run);
/* size: at least vg_checkpoint_size. started: the integrator's history is part of the state. */
void vg_checkpoint_write(const vgSimulation *run, int started, void *bytes);
/* VG_BAD_INPUT and why: not of this model (bodies, joints, laws, parameters) with these dials, what differs first is named;
 * or damaged. The simulation is then as it was. */
enum { VG_CHECKPOINT_WHY = 300 };
vgStatus vg_checkpoint_read(vgSimulation *run, const void *bytes, size_t size, int *started,
                            char why[VG_CHECKPOINT_WHY]);

/* The same as a file. */
vgStatus vg_checkpoint_save(const vgSimulation *run, const char *path);
vgStatus vg_checkpoint_load(vgSimulation *run, const char *path, char why[VG_CHECKPOINT_WHY]);

#endif

/* A probe: the motion of a state with the measures and forces of its elements, evaluated on request and kept.
 * Channels and energies use it. All memory is taken when it is made; reading allocates nothing. */
#ifndef VG_ANALYSIS_PROBE_H
#define VG_ANALYSIS_PROBE_H

#include "system/system.h"

typedef struct vgProbe vgProbe;

vgStatus vg_probe_new(const vgSystem *sys, vgProbe **out);
void vg_probe_free(vgProbe *probe);

/* Looks at a state from here on. work and state must stay as they are until the next call. */
void vg_probe_at(vgProbe *probe, vgWork *work, const vgState *state);

const vgSystem *vg_probe_system(const vgProbe *probe);
double vg_probe_time(const vgProbe *probe);
/* Motion of a body; −1: the ground, an identity frame at rest. */
const vgKin *vg_probe_kin(vgProbe *probe, int body);
/* A measure of the model: value and rate; with derivatives = 1 also grad and bias. Valid until the next call. */
const vgMeasureOut *vg_probe_measure(vgProbe *probe, int measure, int derivatives);
/* Second time derivative of a measure, grad·ξ̇ + bias. */
double vg_probe_measure_acc(vgProbe *probe, int measure);
/* The input of a force element; valid until the next call. */
const vgForceIn *vg_probe_force_in(vgProbe *probe, int force);
/* Output k of a force element. */
double vg_probe_force_output(vgProbe *probe, int force, int k);
/* Power of a force element on the bodies, f·ξ + Σ Q·rate. */
double vg_probe_force_power(vgProbe *probe, int force);
/* The part that depends on velocities: the power minus that of the forces at the same position and zero velocity,
 * which elements with a potential store. */
double vg_probe_loss_power(vgProbe *probe, int force);
/* Multipliers; of least norm where constraints repeat each other. */
const double *vg_probe_multipliers(vgProbe *probe);
/* Force and torque of a joint on its second body at the second frame's origin, in W. */
const double *vg_probe_reaction(vgProbe *probe, int joint);
/* Residuals of all rows at level 0, 1, 2. Rows that do not exist at a level are to be left out by row_level.
 */
const double *vg_probe_residual(vgProbe *probe, int level);
/* Largest residual at a level, of a joint's rows or (joint = −1) of all rows. */
double vg_probe_violation(vgProbe *probe, int joint, int level);
/* The system's rows of a joint: first row and number; number 0 where the coordinates need none. */
int vg_probe_rows(const vgProbe *probe, int joint, int *first);
/* Power that a driven joint feeds in: −λ Σ k ṁ over its rows. */
double vg_probe_drive_power(vgProbe *probe, int joint);

#endif

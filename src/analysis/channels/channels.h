/* Channels: named numbers of a run, for results files, the screen, the C API.
 *
 *   time                                          com.position.x, velocity, acceleration · momentum.x,
 * momentum.angular.x body.NAME.position.x|y|z velocity acceleration (of the body's own frame), rotation
 * (Tait–Bryan xyz), quaternion.w|x|y|z, omega, alpha (body axes); planar: angle, omega, alpha are one number
 *   flexible bodies: body.NAME.mode.K, mode-rate.K, strain-energy; nodes: axial, shear-y, … moment-z
 *   marker.BODY.NAME.position.x … velocity, acceleration
 *   joint.NAME.<coordinate> rate, rate2 …, acceleration …; force.x|y|z, torque.x|y|z on the second body in
 * the axes of the joint's first frame; lambda.N force.NAME.<output> · input.NAME · controller.NAME
 * energy.kinetic|potential|potential.NAME|total|dissipated|drives constraint.position|velocity|acceleration,
 * constraint.JOINT.position … (largest residual)
 *
 * A * in a name stands for any characters: body.*.position.x. The name of a vector stands for its components:
 * joint.O.force. */
#ifndef VG_ANALYSIS_CHANNELS_H
#define VG_ANALYSIS_CHANNELS_H

#include "analysis/state/probe.h"

typedef struct vgChannels vgChannels;

/* Resolves names and patterns, in order, each channel once. VG_BAD_INPUT: diag names the unknown channel and the
 * closest match. */
vgStatus vg_channels_new(const vgSystem *sys, const char *const *names, int n, vgDiag *diag,
                         vgChannels **out);
/* Every channel of the model. */
vgStatus vg_channels_all(const vgSystem *sys, vgChannels **out);
void vg_channels_free(vgChannels *channels);

int vg_channels_count(const vgChannels *channels);
const char *vg_channels_name(const vgChannels *channels, int i);
const char *vg_channels_unit(const vgChannels *channels, int i);
const char *const *vg_channels_names(const vgChannels *channels);
const char *const *vg_channels_units(const vgChannels *channels);

/* Asks the work to count the turns of the angles among the channels; call it before the first step. */
void vg_channels_watch(const vgChannels *channels, vgWork *work);
/* The values at a state, one each. No allocation. */
void vg_channels_eval(vgChannels *channels, vgWork *work, const vgState *state, double *row);
/* Does some channel depend on accelerations or multipliers? Found by changing them; 1: it does. */
int vg_channels_find_motion(vgChannels *channels, vgWork *work, const vgState *state);
int vg_channels_see_motion(const vgChannels *channels); /* what was found */
/* 1: some channel is a sum over the steps (energy.dissipated, energy.drives): call vg_channels_step after
 * every accepted step, and once at the start. */
int vg_channels_wants_steps(const vgChannels *channels);
void vg_channels_step(vgChannels *channels, vgWork *work, const vgState *state);
/* Forgets sums over steps and turns seen: before a run from another state. */
void vg_channels_restart(vgChannels *channels);
/* The state was changed from outside: sums over time continue from it, without the change itself. */
void vg_channels_moved(vgChannels *channels, vgWork *work, const vgState *state);
/* The sums over the steps so far, as a block of fixed size: a copy of the channels continues from it. */
size_t vg_channels_sums_size(const vgChannels *channels);
void vg_channels_sums_keep(const vgChannels *channels, void *bytes);
void vg_channels_sums_bring_back(vgChannels *channels, const void *bytes);
vgProbe *vg_channels_probe(vgChannels *channels);

/* Poses for the viewer: for each body with a shape in space (scalar coordinates are left out) the origin of
 * its own frame and a quaternion. */
int vg_poses_count(const vgModel *model);
int vg_poses_visible(const vgModel *model, int body);
void vg_poses_eval(vgProbe *probe, double *poses); /* 7 · count */

#endif

/* Inverse dynamics: the forces and torques that a prescribed motion needs, on any tree.
 *
 * Coordinates follow the laws given here, else the drives of the model. What has no law goes on at a constant
 * rate where the model gives the body that it carries a velocity (a spherical joint: constant ω of the second
 * frame in the first; a free body: constant velocity of its centre of mass and constant ω), else it stays as
 * placed. Amplitudes of flexible bodies stay. The model's own forces act: what is returned is what they leave
 * to be supplied, along joint coordinates, and where there are no such (spherical joints, bodies without a
 * joint to anything nearer the ground) as components of a torque or wrench. */
#ifndef VERGE_ANALYSIS_STATE_INVERSE_H
#define VERGE_ANALYSIS_STATE_INVERSE_H

#include "analysis/run/simulation.h"

typedef struct vgInverse vgInverse;

/* VG_UNSUPPORTED with words when a joint closes a loop, or bodies are flexible by nodes. */
vgStatus vg_inverse_new(const vgModel *m, vgDiag *diag, vgInverse **out);
void vg_inverse_free(vgInverse *inv);

int vg_inverse_count(const vgInverse *inv);               /* joint coordinates of the model */
const char *vg_inverse_name(const vgInverse *inv, int i); /* joint.J1.angle */
const char *vg_inverse_unit(const vgInverse *inv, int i); /* of the coordinate: rad, m */
/* Which: "J1" (a joint of one coordinate), "J1.angle" or "joint.J1.angle"; law: an expression in t and the
 * model's parameters. VG_BAD_INPUT with words. */
vgStatus vg_inverse_prescribe(vgInverse *inv, const char *which, const char *law, vgDiag *diag);
/* Motion and forces at a time, one number per coordinate; NULL where not wanted. VG_NOT_FINITE when a law of
 * the motion or of a force is not defined there. */
vgStatus vg_inverse_at(vgInverse *inv, double t, double *value, double *rate, double *acc, double *force);
/* Which law it is that has no value at the time of the last vg_inverse_at(), in words. */
void vg_inverse_blame(vgInverse *inv, char *text, size_t room);

/* Components of torques and wrenches. Spherical joints: joint.S.torque.x …, on the second body, along the
 * axes of the first frame. Free bodies: body.B.force.x …, body.B.torque.x …, in W, about the centre of mass.
 */
int vg_inverse_wrench_count(const vgInverse *inv);
const char *vg_inverse_wrench_name(const vgInverse *inv, int i);
const char *vg_inverse_wrench_unit(const vgInverse *inv, int i); /* N, N*m */
void vg_inverse_wrench(const vgInverse *inv, double *out);       /* at the time of the last vg_inverse_at() */

#endif

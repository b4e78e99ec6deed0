/* Inverse dynamics: the forces and torques along joint coordinates that a prescribed motion needs, on any
 * tree.
 *
 * Coordinates follow the laws given here, else the drives of the model; the rest stays as placed. The model's
 * own forces act: what is returned is what they leave to be supplied. */
#ifndef VERGE_ANALYSIS_INVERSE_H
#define VERGE_ANALYSIS_INVERSE_H

#include "analysis/simulation.h"

typedef struct vgInverse vgInverse;

/* VG_UNSUPPORTED with the joint's name when a joint closes a loop. */
vgStatus vg_inverse_new(const vgModel *m, vgDiag *diag, vgInverse **out);
void vg_inverse_free(vgInverse *inv);

int vg_inverse_count(const vgInverse *inv);               /* joint coordinates of the model */
const char *vg_inverse_name(const vgInverse *inv, int i); /* joint.J1.angle */
const char *vg_inverse_unit(const vgInverse *inv, int i); /* of the coordinate: rad, m */
/* Which: "J1" (its first coordinate), "J1.angle" or "joint.J1.angle"; law: an expression in t and the model's
 * parameters. VG_BAD_INPUT with words. */
vgStatus vg_inverse_prescribe(vgInverse *inv, const char *which, const char *law, vgDiag *diag);
/* Motion and forces at a time, one number per coordinate; NULL where not wanted. VG_NOT_FINITE when a law is
 * not defined there. */
vgStatus vg_inverse_at(vgInverse *inv, double t, double *value, double *rate, double *acc, double *force);

#endif

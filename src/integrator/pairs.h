/* What goes with what: the three dials as a table. */
#ifndef VERGE_INTEGRATOR_PAIRS_H
#define VERGE_INTEGRATOR_PAIRS_H

#include "integrator/integrator.h"

/* Can constraints of this setting be enforced in these coordinates? (Without constraints every setting can.)
 */
int vg_pair_system(const vgCoordinatesRow *coordinates, const vgConstraintsRow *constraints);
/* 1: the mass matrix of these coordinates has no inverse. */
int vg_mass_singular(const char *coordinates);
/* And does the method take the two? */
int vg_pair_allowed(const vgCoordinatesRow *coordinates, const vgConstraintsRow *constraints,
                    const vgIntegratorRow *integrator);
/* Forces that read reactions need a method that knows these as well as the motion: VG_BAD_INPUT and words where this one
 * does not. For models with loads. */
vgStatus vg_check_loads(const vgSystem *sys, const vgIntegratorRow *row, vgDiag *diag, vgLoc at);

#endif

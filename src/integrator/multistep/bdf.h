/* Backward differences of variable step, for rows of fixed order under error control. */
#ifndef VERGE_INTEGRATOR_MULTISTEP_BDF_H
#define VERGE_INTEGRATOR_MULTISTEP_BDF_H

#include "integrator/integrator.h"

extern const vgIntegratorRow vg_bdf;
/* As the row's own set-up, with orders up to most; fixed: that very order, once there are points enough. */
vgStatus vg_bdf_setup(vgIntegrator *it, int most, int fixed);

#endif

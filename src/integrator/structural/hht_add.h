/* HHT-ADD's two forms: hht_add.c, and hht_add_inverse.c with the inverse of the mass matrix. */
#ifndef VERGE_INTEGRATOR_STRUCTURAL_HHT_ADD_H
#define VERGE_INTEGRATOR_STRUCTURAL_HHT_ADD_H

#include "integrator/integrator.h"

enum { VG_ADD_ALPHA, VG_ADD_B, VG_ADD_INVERSE }; /* parameters */
extern const vgIntegratorRow vg_hht_add_inverse; /* stands in for the row (vgIntegrator.as) */

#endif

/* A model made ready to run: system, consistent initial state, integrator. */
#ifndef VG_ANALYSIS_SIMULATION_H
#define VG_ANALYSIS_SIMULATION_H

#include "analysis/state/assemble.h"
#include "analysis/run/impact.h"
#include "analysis/run/sampler.h"
#include "integrator/integrator.h"

/* The three dials as texts; NULL or "": what the model's run part says, else the default. */
typedef struct vgDials {
    const char *coordinates, *constraints, *integrator;
} vgDials;

typedef struct vgSimulation {
    vgSystem *sys;
    vgAssembly assembly;
    vgIntegrator *it;
    vgState *state;
    vgSampler *sampler; /* NULL: the model has no controllers */
    vgImpact *impact;   /* of single steps; NULL: nothing is rigid in one direction */
} vgSimulation;

/* VG_BAD_INPUT and VG_UNSUPPORTED: the dials are wrong; other failures: the model cannot start. diag has the
 * words. On failure *out holds nothing. */
vgStatus vg_simulation_open(const vgModel *model, const vgDials *dials, vgDiag *diag, vgSimulation *out);
void vg_simulation_close(vgSimulation *simulation);

#endif

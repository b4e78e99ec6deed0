/* What an FMU of Verge says about itself to its own library: resources/verge-fmu.txt, one line a fact.
 *
 *     verge-fmu 1
 *     token {…}                         the same as in modelDescription.xml
 *     type co-simulation                or model-exchange
 *     model pendulum.yaml               below resources/model
 *     integrator radau3                 dials and step that the command line gave; left out: the model's
 *     step 0.001
 *     parameter tunable 0.5 L           fixed, tunable or calculated; value; name
 *     input force
 *     output joint.O.angle
 *     states 2                          model exchange
 *
 * Value references count the variables in this order: time, parameters, inputs, outputs, states, their rates. */
#ifndef VG_FMI_MANIFEST_H
#define VG_FMI_MANIFEST_H

#include "base/arena.h"
#include "base/text.h"

#define VG_FMU_MANIFEST "verge-fmu.txt"

/* fixed: set before the start; tunable: also later; calculated: from other parameters */
typedef enum vgFmuVariability { VG_FMU_FIXED, VG_FMU_TUNABLE, VG_FMU_CALCULATED } vgFmuVariability;

typedef struct vgFmuParam {
    const char *name;
    double value;
    vgFmuVariability is;
} vgFmuParam;

typedef struct vgFmuManifest {
    const char *token, *model;
    const char *coordinates, *constraints, *integrator; /* NULL: the model's */
    double step;                                        /* 0: the model's */
    int exchange;                                       /* 1: model exchange; 0: co-simulation */
    int nparam, ninput, noutput, nstate;
    vgFmuParam *param;
    const char **input, **output; /* names without "input."; channels */
} vgFmuManifest;

/* First value references of each group; the last one is their number. */
typedef enum vgFmuGroup {
    VG_FMU_TIME,
    VG_FMU_PARAM,
    VG_FMU_INPUT,
    VG_FMU_OUTPUT,
    VG_FMU_STATE,
    VG_FMU_RATE,
    VG_FMU_GROUPS
} vgFmuGroup;

int vg_fmu_size(const vgFmuManifest *m, vgFmuGroup group); /* variables of a group */
unsigned vg_fmu_first(const vgFmuManifest *m, vgFmuGroup group);
/* 0: there is no such variable. */
int vg_fmu_locate(const vgFmuManifest *m, unsigned ref, vgFmuGroup *group, int *index);

void vg_fmu_manifest_write(const vgFmuManifest *m, vgText *text);
/* From text, which is changed and must stay; 0: it is no such text, or memory is out. */
int vg_fmu_manifest_read(char *text, vgPool *pool, vgFmuManifest *out);

#endif

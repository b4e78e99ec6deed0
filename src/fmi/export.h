/* Writing an FMU: modelDescription.xml, shared libraries, and the model's own files as resources. */
#ifndef VG_FMI_EXPORT_H
#define VG_FMI_EXPORT_H

#include "base/fmi/platform.h"
#include "fmi/manifest.h"
#include "model/model.h"

enum { VG_FMU_BINARIES = 8 }; /* at the most, one for each of vg_fmi_platforms */

/* The library of src/fmi/binary for a system. */
typedef struct vgFmuBinary {
    const vgFmiPlatform *platform;
    const char *file;
} vgFmuBinary;

typedef struct vgFmuExport {
    const char *path; /* of the FMU */
    vgFmuBinary binary[VG_FMU_BINARIES];
    int nbinary;
    int version, exchange;                              /* 2 or 3; 1: model exchange */
    const char *coordinates, *constraints, *integrator; /* NULL: the model's */
    double step;                                        /* 0: the model's */
    const char *const *input;                           /* [ninput] NAME or input.NAME; ninput < 0: all */
    int ninput;
    const char *const *output; /* [noutput] channels, patterns; noutput < 0: what the model records */
    int noutput;
    const vgParamSet *set; /* [nset] parameters that the model was read with */
    int nset;
} vgFmuExport;

/* What came of it. */
typedef struct vgFmuReport {
    int parameters, tunable, calculated, inputs, outputs, states, files;
    size_t bytes[VG_FMU_BINARIES]; /* of each library */
} vgFmuReport;

/* VG_OK; VG_BAD_INPUT and others with words in diag: nothing was written. */
vgStatus vg_fmu_export(const vgModel *model, const vgFmuExport *how, vgDiag *diag, vgFmuReport *report);

#endif

/* modelDescription.xml of both versions. */
#ifndef VG_FMI_DESCRIBE_H
#define VG_FMI_DESCRIBE_H

#include "fmi/manifest.h"

typedef struct vgFmuDescription {
    int version; /* 2, 3 */
    const vgFmuManifest *is;
    const char *name, *identifier, *title; /* model; its binary; in words, or NULL */
    const char *const *unit;               /* [is->noutput] "" where there is none */
    const char *const *state;              /* [is->nstate] names */
    double stop, step;                     /* of the default experiment; 0: none */
} vgFmuDescription;

void vg_fmu_describe(const vgFmuDescription *d, vgText *xml);

#endif

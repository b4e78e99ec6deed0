/* What a controller needs to know of an FMU: modelDescription.xml of FMI 2.0 and 3.0. */
#ifndef VG_ELEMENT_CONTROLLER_FMU_READ_H
#define VG_ELEMENT_CONTROLLER_FMU_READ_H

#include "base/zip/zip.h"

enum { VG_FMU_TEXT = 200 };

typedef struct vgFmuRead {
    int version;                                   /* 2, 3 */
    char token[VG_FMU_TEXT], library[VG_FMU_TEXT]; /* library: its path in the FMU */
} vgFmuRead;

/* NULL: it is an FMU for co-simulation on this machine; else what is wrong. *xml: the description, malloc'ed. */
const char *vg_fmu_read(const vgZip *zip, vgFmuRead *out, char **xml);
/* The value reference of a real scalar of that name; −1: there is none. causality: wanted, or NULL. */
long vg_fmu_find(const char *xml, int version, const char *name, size_t n, const char *causality);

#endif

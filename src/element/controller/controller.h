/* Controllers that act at a fixed rate: at t = offset + k sample they look at their inputs, compute, and hold
 * their outputs until the next time. One file, one row each; they know no model. */
#ifndef VERGE_ELEMENT_CONTROLLER_CONTROLLER_H
#define VERGE_ELEMENT_CONTROLLER_CONTROLLER_H

#include "base/field.h"
#include "base/status.h"
#include "element/law/law.h"

enum { VG_CONTROLLER_MAX = 64 }; /* inputs, outputs */

/* Every def struct of a kind begins with this; the reader fills it (vg_controller_fields). */
typedef struct vgControllerHead {
    double sample, offset;
    int delay;             /* samples between computing and acting */
    double limit, quantum; /* of the outputs; 0: none */
} vgControllerHead;

/* A matrix of the model file. */
typedef struct vgRows {
    int m, n;
    const double *at; /* row-major */
} vgRows;

typedef struct vgControllerSetup {
    int nin;               /* given: laws behind the kind's key */
    int nout;              /* given: see vgControllerKind.rows */
    int nmemory;           /* asked for: numbers kept from sample to sample */
    const vgLaw *more;     /* optional law of the kind that is one more input, after the others; NULL: none */
    const char *key, *why; /* with VG_BAD_INPUT: the field at fault and what is wrong with it */
} vgControllerSetup;

/* A part of a controller outside the model, one for each simulation: a program that runs beside it and has a state of its
 * own. Functions that fail write why. */
enum { VG_OUTSIDE_WHY = 400 };
typedef struct vgOutsideOps {
    void *(*open)(const void *def,
                  char why[VG_OUTSIDE_WHY]); /* at the first sample; NULL: it cannot be had */
    /* The sample at t: in [nin], out [nout]. first: nothing was before. 0: it failed. */
    int (*sample)(void *part, const void *def, int first, double t, const double *in, double *out,
                  char why[VG_OUTSIDE_WHY]);
    void (*close)(void *part);
} vgOutsideOps;

typedef struct vgControllerKind {
    const char *name, *doc;
    const char *head; /* what stands behind its key, in words */
    int many;         /* 1: a list of laws may stand there */
    const char *rows; /* the field whose rows, or names, are its outputs; NULL: there is one output */
    const char
        *file; /* the field with a file of the model's folder: the reader puts its path there; NULL: none */
    const vgOutsideOps
        *outside; /* its samples: step() has them as its inputs, one for each output; NULL: none */
    const vgField *fields;
    int nfield;
    size_t def_size;
    const char *example;
    vgStatus (*setup)(void *def, vgControllerSetup *out);
    void (*start)(const void *def, double *memory); /* before the first sample; NULL: zeros */
    /* in [nin (+ 1)], out [nout]; memory is the last sample's and becomes this one's */
    void (*step)(const void *def, const double *in, double *memory, double *out);
} vgControllerKind;

extern const vgControllerKind *const vg_controller_kinds[]; /* NULL-terminated: the list */
extern const vgField vg_controller_fields[];                /* of vgControllerHead, for every kind */
extern const int vg_controller_nfield;

/* Memory of a controller from sample to sample: the state of its kind, and outputs that are delayed. */
int vg_controller_memory(const vgControllerHead *head, const vgControllerSetup *setup);
/* Parts outside of the controllers of a simulation. */
typedef struct vgOutside vgOutside;
vgOutside *vg_outside_new(int ncontroller); /* NULL: out of memory */
void vg_outside_free(vgOutside *outside);
void vg_outside_clear(vgOutside *outside);            /* before the samples of a time */
const char *vg_outside_why(const vgOutside *outside); /* why one of them failed; NULL: none did */
/* Sample `number` (from 0) of controller i, called name, at t. 0: it failed. */
int vg_outside_sample(vgOutside *outside, int i, const char *name, const vgControllerKind *kind,
                      const void *def, double number, double t, const double *in, double *out);
/* One sample: out is what acts from now on. first: 1: nothing was before. */
void vg_controller_step(const vgControllerKind *kind, const void *def, const vgControllerSetup *setup,
                        int first, const double *in, double *memory, double *out);

#endif

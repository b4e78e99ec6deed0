/* Twins: several simulations of one model take the same steps, each on a processor of its own, so that a
 * processor that stands still delays no other. The same inputs give the same bits, so that it does not matter
 * whose outputs are used: those that are ready first. Who stood still takes the steps it has missed with the
 * inputs that were used, and is level again.
 *
 * A twin takes step n = 1, 2, … so:
 *     vg_twins_begin(twins, me, n);
 *     if (vg_twins_look(twins, me, n, in) == VG_TWIN_FIRST) {        the inputs are not decided yet
 *         … in = what they are now …
 *         vg_twins_inputs(twins, me, n, in);                        in = what all of them use
 *     }
 *     … the step …
 *     if (vg_twins_outputs(twins, me, n, out) == VG_TWIN_FIRST) … they go out …
 * No twin waits for another, nothing is locked or allocated. Inputs are kept for `ring` steps; a twin
 * that is farther behind gets VG_TWIN_TOO_LATE and must stop. Different outputs of one step are found by who comes
 * second. */
#ifndef VG_ANALYSIS_TWINS_H
#define VG_ANALYSIS_TWINS_H

#include <stdint.h>

#include "base/status.h"

enum { VG_TWINS_MOST = 8 };

typedef struct vgTwins vgTwins;

typedef enum vgTwinWord {
    VG_TWIN_FIRST,     /* the first twin at this step */
    VG_TWIN_SECOND,    /* another was: its inputs are to be used, its outputs are the same */
    VG_TWIN_TOO_LATE,  /* the step is longer ago than the ring remembers */
    VG_TWIN_DIFFERENT, /* the outputs of another for this step differ */
} vgTwinWord;

typedef struct vgTwinDifference {
    int64_t step;    /* 0: there is none */
    int twin[2];     /* the second, the first */
    int output;      /* −1: the step of one of them failed */
    double value[2]; /* of that output */
} vgTwinDifference;

/* n twins, 1 … VG_TWINS_MOST */
vgStatus vg_twins_new(int n, int ninput, int noutput, long ring, vgTwins **out);
void vg_twins_free(vgTwins *twins);

/* Step n is what `me` does now. Returns by how many steps another is ahead, 0: by none. */
long vg_twins_begin(vgTwins *twins, int me, long step);
/* The inputs of the step if they are settled (VG_TWIN_SECOND); FIRST: they are not, TOO_LATE. */
vgTwinWord vg_twins_look(vgTwins *twins, int me, long step, double *in);
/* Proposes inputs and gives those that are used: its own (FIRST) or another's (SECOND); TOO_LATE. */
vgTwinWord vg_twins_inputs(vgTwins *twins, int me, long step, double *in);
/* Brings the outputs of the step, compared bit by bit; NULL: it failed. */
vgTwinWord vg_twins_outputs(vgTwins *twins, int me, long step, const double *out);
/* The last step whose outputs a twin has brought; without end once it has left. */
long vg_twins_done(const vgTwins *twins, int twin);
void vg_twins_leave(vgTwins *twins, int me);
/* 1: some outputs have differed. Which ones may be asked when no twin steps any more. */
int vg_twins_differ(const vgTwins *twins);
vgTwinDifference vg_twins_difference(const vgTwins *twins);

#endif

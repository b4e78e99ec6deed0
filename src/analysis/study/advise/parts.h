/* Shared by the parts of advise: the analysis of the model, the trials, the check over the whole run. */
#ifndef VERGE_ANALYSIS_STUDY_ADVISE_PARTS_H
#define VERGE_ANALYSIS_STUDY_ADVISE_PARTS_H

#include "analysis/study/advise/advise.h"
#include "base/attr.h"

/* look.c: bodies, freedom, loops, eigenvalues along the run; and that in words. */
vgStatus vg_advise_look(const vgTrials *all, const vgAdviceOptions *o, vgDiag *diag, vgAdvice *a);
void vg_advise_tell_model(vgAdvice *a);

/* advise.c */
void vg_advise_because(vgAdvice *a, const char *format, ...) VG_PRINTF_LIKE(2, 3);
/* Runs trials and counts the time they took. */
void vg_advise_run(const vgTrials *all, vgTrial *trial, int n, int threads, vgAdvice *a);
/* Processor time that is left. */
double vg_advise_left(const vgAdvice *a);
/* The recommended method with this step or tolerance. */
void vg_advise_aim(vgAdvice *a, double knob);

/* references.c: the length of the trials and what they are judged by. *step: the coarsest, a whole
 * number of them between the times that are looked at. */
vgStatus vg_advise_references(const vgTrials *all, const vgAdviceOptions *o, vgDiag *diag, vgAdvice *a,
                              double *step);
/* What a reference of given steps is worth, by the trials of the same method. */
void vg_advise_tell_reference(vgAdvice *a);
/* check.c: the recommendation over the whole run, tightened where it does not hold there. */
void vg_advise_check(const vgTrials *all, const vgAdviceOptions *o, vgAdvice *a);

#endif

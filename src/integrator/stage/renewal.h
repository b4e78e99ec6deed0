/* Newton matrices that are reused over several steps (newton=hold, frozen, spread). This file decides when the matrix is
 * updated, keeps the point at which it was factorised, so that a checkpoint can restore it, and divides an update into
 * parts, one a step, while the last complete matrix is used (docs/theory.md, eq. 72b). */
#ifndef VERGE_INTEGRATOR_STAGE_RENEWAL_H
#define VERGE_INTEGRATOR_STAGE_RENEWAL_H

#include "integrator/integrator.h"

/* Largest change of the motion by a reused matrix, as a part of the discretisation error of the step. With twice the value
 * the change is visible in the second digit of the error; with half the value more steps update the matrix. */
#define VG_PART_OF_OWN 0.01

/* Allocates the memory, after the method's setup; none if every step updates the matrix. VG_BAD_INPUT: this pair of method
 * and setting cannot be spread, it->failure says why. */
vgStatus vg_renewal_new(vgIntegrator *it);
void vg_renewal_free(vgRenewal *renewal);

/* 1: the matrix is replaced after every step. */
int vg_renewal_is_lost(const vgIntegrator *it);
/* 1: the matrix should be updated before the next stage. */
int vg_renewal_is_due(const vgIntegrator *it);
/* 1: the age of the matrix would change the motion by more than VG_PART_OF_OWN. Velocities are projected (index 2,
 * augmented3, projection with the tangent) along A⁻¹Bᵀ of the matrix in use, whatever the iteration converges to. A
 * displacement `moved` since its factorisation turns that direction by the same angle. The resulting error is compared with
 * the error of the velocities in a step, h³ä/12. */
int vg_renewal_shows(const vgIntegrator *it);
/* 1: the matrix is updated in parts between steps; stages do not update it because of its age. */
int vg_renewal_in_parts(const vgIntegrator *it);
/* Cost of a tangent with its factorisation, in iterations. */
double vg_renewal_cost(const vgSystem *sys);

/* Notes that a stage has factorised the matrix at this point. */
void vg_renewal_note(vgIntegrator *it, const vgTangent *at);
/* Δ and q of that point: newton=modified keeps the map between Δ and increments with the matrix, T of [H] (40). */
void vg_renewal_place(const vgIntegrator *it, const double **delta, const double **q);
/* Notes that a reused matrix got new constraint rows here. */
void vg_renewal_note_rows(vgIntegrator *it, const vgTangent *at);

/* Improves the increment x, xl of a reused matrix by the secants of earlier iterations of this stage (Broyden; unit: 1/scale
 * of the coordinates). The secants are discarded at the start of a stage and with a new matrix. */
void vg_renewal_forget_secants(vgIntegrator *it);
void vg_renewal_use_secants(vgIntegrator *it, const double *unit, double *x, double *xl);

/* Call between two steps. Computes the next part of the update; after the last part the new matrix replaces the old one
 * (it->work is then another). With a fixed number of iterations the whole matrix is updated here, so that a step consists of
 * its iterations alone. */
void vg_renewal_between(vgIntegrator *it, const vgState *s);

/* For checkpoints: the number of values that describe the matrix; and restoring it from them (n = 0: no matrix). */
int vg_renewal_size(const vgIntegrator *it);
void vg_renewal_write(const vgIntegrator *it, void *to);
void vg_renewal_read(vgIntegrator *it, const void *from, int n);

#endif

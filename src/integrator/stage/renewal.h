/* A Newton matrix that serves several steps (newton=hold, frozen, spread): when a new one is due; where the
 * one in use was made, so that a checkpoint can have it made again; and its renewal in parts, one a step, in
 * a work of its own, while the last complete one is used (docs/theory.md, eq. 72b). */
#ifndef VERGE_INTEGRATOR_STAGE_RENEWAL_H
#define VERGE_INTEGRATOR_STAGE_RENEWAL_H

#include "integrator/integrator.h"

/* What reused matrices may change, as a part of the step's own error. At twice it the change shows in the second digit
 * of the error; at half of it more steps make a matrix. */
#define VG_PART_OF_OWN 0.01

/* Memory for it, after the row's setup; nothing where every step makes its own matrix. VG_BAD_INPUT: the pair
 * cannot be spread, it->failure says why. */
vgStatus vg_renewal_new(vgIntegrator *it);
void vg_renewal_free(vgRenewal *renewal);

/* 1: another matrix takes its place after every step. */
int vg_renewal_is_lost(const vgIntegrator *it);
/* Is a new one wanted before the next stage? */
int vg_renewal_is_due(const vgIntegrator *it);
/* Would its age show in the answer? Velocities are corrected onto the constraints (index 2, augmented3, projection
 * with the tangent) along A⁻¹Bᵀ of the matrix in use, whatever the iteration converges to. One made as far away as
 * `moved` turns the correction by that angle: the part of it that is wrong must stay below VG_PART_OF_OWN of the
 * velocities' own error in a step, h³ä/12. */
int vg_renewal_shows(const vgIntegrator *it);
/* 1: it is made in parts between steps, and a stage makes none because of its age. */
int vg_renewal_in_parts(const vgIntegrator *it);
/* A tangent with its factorisation in iterations. */
double vg_renewal_cost(const vgSystem *sys);

/* A stage has made the matrix at this point. */
void vg_renewal_note(vgIntegrator *it, const vgTangent *at);
/* Δ and q of that point: newton=modified keeps the map between Δ and increments with the matrix, T of [H] (40). */
void vg_renewal_place(const vgIntegrator *it, const double **delta, const double **q);
/* A held one has taken the constraints' rows here. */
void vg_renewal_note_rows(vgIntegrator *it, const vgTangent *at);

/* Iterations with a matrix of another step: what they have shown of the one at hand makes the next increment
 * x, xl better (unit: 1/scale of the coordinates). Forgotten when a stage begins and with a new matrix. */
void vg_renewal_forget_secants(vgIntegrator *it);
void vg_renewal_use_secants(vgIntegrator *it, const double *unit, double *x, double *xl);

/* Between two steps, nothing in the work being in use: the next part of the matrix that is made, the last one
 * followed by its taking over (it->work is then another); or, with a fixed number of iterations, the whole,
 * so that a step costs its iterations alone. */
void vg_renewal_between(vgIntegrator *it, const vgState *s);

/* For a checkpoint: so many numbers, and the matrix made again from them (n 0: forgotten). */
int vg_renewal_size(const vgIntegrator *it);
void vg_renewal_write(const vgIntegrator *it, void *to);
void vg_renewal_read(vgIntegrator *it, const void *from, int n);

#endif

/* First guesses of vibrations that are faster than the steps: what no polynomial foretells still follows a
 * recurrence, two terms a mode,
 *     Δ_n ≈ Σ_{a=1..m} c_a Δ_{n−a},   m = 4,
 * with c by least squares over the last L = 6 steps (linear prediction; docs/theory.md, eq. 31b). Increments
 * are weighed by the coordinates' scales. What is kept lies in the state's history: the last m increments and
 * their products. */
#ifndef VERGE_INTEGRATOR_STAGE_RECURRENCE_H
#define VERGE_INTEGRATOR_STAGE_RECURRENCE_H

/* Numbers of memory for increments of nv numbers. */
int vg_recurrence_size(int nv);
void vg_recurrence_reset(double *memory);
/* The newest increment. */
void vg_recurrence_push(double *memory, int nv, const double *delta, const double *scale);
/* The next one; 0: too few are known, or they say nothing. */
int vg_recurrence_predict(const double *memory, int nv, double *out);

#endif

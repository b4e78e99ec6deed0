/* Numbers that decide in integrator, beside those of the implicit stage and of the step size, which stand with
 * them. Increments are in units of the coordinates' scales. scripts/tuning halves and doubles each. */
#ifndef VG_INTEGRATOR_TUNING_H
#define VG_INTEGRATOR_TUNING_H

/* Rounding of an increment added to a coordinate of size 1: twice the machine precision. No iteration can do
 * better; at half Newton's iteration would not end by itself. */
#define VG_ROUNDING 4e-16
/* Newton of the geometric methods: an increment that shrinks by less than VG_STALLED while it is below
 * VG_NEAR_GOAL goals is rounding; and one whose next would be below a tenth of the goal is the last. */
#define VG_NEXT_BELOW 0.1
#define VG_NEAR_GOAL  1e2
#define VG_STALLED    0.3
/* rattle: velocities of damped models are iterated until they change by this part of their size; the matrix of the
 * last step serves when it was made at the same time, to this part of a step. */
#define VG_VELOCITY_STILL 1e-14
#define VG_SAME_TIME      1e-9
/* Bodies on a line have no inertia about it: this part of the trace is added, so that the matrix can be inverted. */
#define VG_INERTIA_FLOOR 1e-14
/* energy-momentum: the direction of correction must do work, relative to what momentum does; and the velocities
 * may be scaled by this much at most. Beyond, the step is left as it is. */
#define VG_WORK_SEEN     1e-10
#define VG_LARGEST_SCALE 0.1
/* sdirk: γ with γ² − γ + 1/6 = 0 has order 3 (six digits of a user's number); γ near 1/2 makes the second stage's
 * time equal the first. */
#define VG_GAMMA_ORDER_3 1e-6
#define VG_GAMMA_HALF    0.02
#define VG_GAMMA_2_LOW   0.29289321881345247560 /* 1 − 1/√2, L-stable */
/* hht-add, nstiff-si2 and hht-si2:mass=1 work with full matrices of at most so many rows: 32 MB each. */
#define VG_FULL_MOST 2000
/* hht-add: b = 1/2 divides by zero; and v stands still at a thousand roundings. */
#define VG_B_HALF         0.01
#define VG_VELOCITY_FIXED 1e-13
/* ESDIRK: nodes of stages, and the previous state in units of the step, must be this far apart for a polynomial
 * through them; diagonal entries are equal to rounding, so that one matrix serves all stages. */
#define VG_NODES_APART   1e-3
#define VG_DIAGONAL_SAME 1e-12
/* Newton: an iteration converges, and norm θ/(1 − θ) bounds what remains, if its contraction rate θ is below this: at 0.9
 * nine times the last increment. */
#define VG_CONTRACTS 0.9
/* Coupled Runge–Kutta: after eight sweeps a rate above VG_SWEEPS_STALL at rounding level ends the iteration; larger
 * increments than VG_SWEEP_ROUNDING there mean a singular position. */
#define VG_SWEEPS_STALL   0.7
#define VG_SWEEP_ROUNDING 1e-12
/* ρ∞ from which on errors across the constraints, where only positions satisfy them, live for more than a hundred steps:
 * velocities are projected after each step then. At half the distance to 1 methods with 0.99 keep errors that fall by
 * half where the step does; 0.9 has no need of it. */
#define VG_UNDAMPED_FROM 0.99
/* atol is this part of rtol unless given, and not below rounding. */
#define VG_ATOL_OF_RTOL 0.01
#define VG_ATOL_LEAST   1e-16
/* Two step sizes are the same: relative, for formulas of constant step and for the choice of the next step. */
#define VG_STEP_SAME 1e-9
#define VG_STEP_NEAR 1e-6

/* Step sizes (the rule is step_size.c): the first step of a method that starts with another one is cut to this where
 * it fails; NSTIFF grows by 1.8 at most, beyond which two-step differences of changing step are not zero-stable by
 * much; the error below which an order of Adams' methods is rounding. */
#define VG_REJECTED_LEAST    0.2
#define VG_GROW_MOST         1.8
#define VG_ERROR_FLOOR_ADAMS 1e-12
/* BDF: an error of zero must not divide; a rejected step keeps a tenth at least. */
#define VG_FACTOR_FLOOR       1e-6
#define VG_BDF_REJECTED_LEAST 0.1
/* Adams: after three fixed-point iterations, a change that shrinks by less than this does not converge. */
#define VG_FIXED_POINT_STALLS 0.9
/* Power of the step in the error of the starting method, Dormand–Prince 5. */
#define VG_START_POWER 5

#endif

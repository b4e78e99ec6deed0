/* Numbers that decide in integrator. Those of the implicit stage and of the step size are named in their files. Increments
 * are in units of the coordinates' scales. scripts/tuning halves and doubles each. */
#ifndef VG_INTEGRATOR_TUNING_H
#define VG_INTEGRATOR_TUNING_H

/* Rounding of an increment added to a coordinate of size 1: twice the machine precision. No iteration can do
 * better; at half Newton's iteration would not end by itself. */
#define VG_ROUNDING 4e-16
/* Newton's iteration of the geometric methods. An increment below VG_NEAR_GOAL times the bound that shrinks by less than the
 * factor VG_STALLED is rounding. The iteration ends if the next increment is expected to be below VG_NEXT_BELOW of the
 * bound. */
#define VG_NEXT_BELOW 0.1
#define VG_NEAR_GOAL  1e2
#define VG_STALLED    0.3
/* rattle. The velocities of damped models are iterated until they change by less than VG_VELOCITY_STILL of their size. The
 * matrix of the last step is reused if its time differs by less than VG_SAME_TIME of a step. */
#define VG_VELOCITY_STILL 1e-14
#define VG_SAME_TIME      1e-9
/* A body whose mass lies on a line has no inertia about it. This part of the trace is added, so that the mass matrix can be
 * inverted. */
#define VG_INERTIA_FLOOR 1e-14
/* energy-momentum. The correction is made only if the work along its direction exceeds VG_WORK_SEEN of that of the momenta,
 * and if it scales the velocities by less than VG_LARGEST_SCALE. */
#define VG_WORK_SEEN     1e-10
#define VG_LARGEST_SCALE 0.1
/* sdirk. The order is 3 if |γ² − γ + 1/6| is below VG_GAMMA_ORDER_3 (γ given with six digits). Within VG_GAMMA_HALF of 1/2
 * both stages are at the same time, and there is no error estimate. */
#define VG_GAMMA_ORDER_3 1e-6
#define VG_GAMMA_HALF    0.02
#define VG_GAMMA_2_LOW   0.29289321881345247560 /* 1 − 1/√2, L-stable */
/* hht-add, nstiff-si2 and hht-si2:mass=1 use full matrices; this is the largest number of rows, 32 MB a matrix. */
#define VG_FULL_MOST 2000
/* hht-add. The formulas divide by b − 1/2, which must be larger than VG_B_HALF. The iteration of v ends when it changes by
 * less than VG_VELOCITY_FIXED, a thousand roundings. */
#define VG_B_HALF         0.01
#define VG_VELOCITY_FIXED 1e-13
/* ESDIRK. Points of a polynomial must be VG_NODES_APART of a step apart. Diagonal entries that differ by less than
 * VG_DIAGONAL_SAME are equal, so that one matrix serves all stages. */
#define VG_NODES_APART   1e-3
#define VG_DIAGONAL_SAME 1e-12
/* Largest contraction rate θ at which an iteration counts as convergent. The error is then below norm θ/(1 − θ), at 0.9 nine
 * times the last increment. */
#define VG_CONTRACTS 0.9
/* Coupled Runge–Kutta methods. After eight sweeps, a contraction rate above VG_SWEEPS_STALL at rounding level ends the
 * iteration; if the increments are then larger than VG_SWEEP_ROUNDING, the position is singular. */
#define VG_SWEEPS_STALL   0.7
#define VG_SWEEP_ROUNDING 1e-12
/* Index 3: from this ρ∞ on, errors normal to the constraints last for more than a hundred steps, and velocities are projected
 * after each step. If the bound were twice as near to 1, ρ∞ = 0.99 would lose an order; 0.9 does not need the
 * projection. */
#define VG_UNDAMPED_FROM 0.99
/* Default of atol, as a part of rtol, and its smallest value. */
#define VG_ATOL_OF_RTOL 0.01
#define VG_ATOL_LEAST   1e-16
/* Relative difference below which two step sizes are the same: for formulas of constant step; for the choice of the next
 * step. */
#define VG_STEP_SAME 1e-9
#define VG_STEP_NEAR 1e-6

/* Step sizes (the rule is step_size.c). VG_REJECTED_LEAST: smallest factor after a failed starting step. VG_GROW_MOST:
 * largest growth of NSTIFF, beyond which its two-step differences are hardly zero-stable. VG_ERROR_FLOOR_ADAMS: smaller
 * errors of an order of Adams' methods are rounding. */
#define VG_REJECTED_LEAST    0.2
#define VG_GROW_MOST         1.8
#define VG_ERROR_FLOOR_ADAMS 1e-12
/* BDF. Smallest divisor in place of an error of zero; smallest factor after a rejected step. */
#define VG_FACTOR_FLOOR       1e-6
#define VG_BDF_REJECTED_LEAST 0.1
/* Adams. After three fixed-point iterations, the iteration diverges if a change exceeds this part of the last one. */
#define VG_FIXED_POINT_STALLS 0.9
/* Power of the step in the error of the starting method, Dormand–Prince 5. */
#define VG_START_POWER 5

#endif

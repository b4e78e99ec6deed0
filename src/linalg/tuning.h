/* Numbers that decide in linalg, all relative to the largest entry of what is looked at. Rounding of a
 * factorisation of n rows is n·1e-16; models have rows of sizes 1e-3 to 1e3. scripts/tuning halves and doubles
 * each. */
#ifndef VG_LINALG_TUNING_H
#define VG_LINALG_TUNING_H

/* Singular values below this part of the largest are zero, where the caller gives no tolerance of its own. */
#define VG_NULL_SPACE_TOLERANCE 1e-9
#define VG_LSTSQ_TOLERANCE      1e-12

/* Krylov's method (eig_largest.c). A direction below 1e-10 of what it was before it was made orthogonal is rounding. An
 * eigenvalue is settled when its residual is below 1e-12 of itself or 1e-14 of the largest: a hundred roundings. Two searches
 * that differ by less than 1e-9 have found the same. Below 1e-14 of the largest an eigenvalue is zero. The basis has 40
 * columns more than twice what is wanted, so that a restart keeps less than it drops; searches end after 200 restarts. The wanted
 * ones are looked at every 10 columns. A search has found nothing larger when the next eigenvalue is known to 1e-6. */
#define VG_KRYLOV_STEP        10
#define VG_KRYLOV_ROUGH       1e-6
#define VG_KRYLOV_NOTHING     1e-10
#define VG_KRYLOV_SETTLED     1e-12
#define VG_KRYLOV_ROUNDS      1e-14
#define VG_KRYLOV_SAME        1e-9
#define VG_KRYLOV_ZERO        1e-14
#define VG_KRYLOV_MORE        40
#define VG_KRYLOV_ROUNDS_MOST 200
#endif

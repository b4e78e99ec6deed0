/* Numbers that decide in linalg, all relative to the largest entry of what is looked at. Rounding of a
 * factorisation of n rows is n·1e-16; models have rows of sizes 1e-3 to 1e3. scripts/tuning halves and doubles
 * each. */
#ifndef VG_LINALG_TUNING_H
#define VG_LINALG_TUNING_H

/* Singular values below this part of the largest are zero, where the caller gives no tolerance of its own. */
#define VG_NULL_SPACE_TOLERANCE 1e-9
#define VG_LSTSQ_TOLERANCE      1e-12
#endif

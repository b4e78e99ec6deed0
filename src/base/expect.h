/* Expectations at the seams: preconditions, postconditions, sizes, finite numbers.
 *
 *     VG_EXPECT(n >= 0 && x);                      one that is cheap
 *     VG_EXPECT(vg_all_finite(x, n));              one that takes a loop
 *
 * They state what a caller inside the library must guarantee; user input is checked elsewhere and reported as a
 * diagnostic. In dev builds (VERGE_EXPECT, set by the presets with sanitizers) a false one ends the program with file and
 * line. In other builds the expression is compiled but not evaluated: it costs nothing and has no side effects. */
#ifndef VG_BASE_EXPECT_H
#define VG_BASE_EXPECT_H

#include <math.h>

#ifdef VERGE_EXPECT
#include <assert.h>
#define VG_EXPECT(condition) assert(condition)
#else
#define VG_EXPECT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

/* 1: all n numbers are finite; n = 0 is. */
static inline int vg_all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

#endif

#include "linalg/null_space.h"

#include <math.h>
#include <stdlib.h>

#include "base/expect.h"
#include "linalg/qr.h"
#include "linalg/tuning.h"

/* Row-major m × n is column-major n × m: rows of J become columns of unit length; empty ones are left out. */
static int unit_columns(const double *j, int m, int n, double *a)
{
    int used = 0;
    for (int i = 0; i < m; i++) {
        const double *row = j + (size_t)i * (size_t)n;
        double *to = a + (size_t)used * (size_t)n, sum = 0;
        for (int k = 0; k < n; k++) sum += row[k] * row[k];
        if (!(sum > 0)) continue;
        for (int k = 0; k < n; k++) to[k] = row[k] / sqrt(sum);
        used++;
    }
    return used;
}

static void identity(double *z, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) z[(size_t)i * (size_t)n + (size_t)k] = i == k;
}

vgStatus vg_null_space(const double *j, int m, int n, double tolerance, double *z, int *rank)
{
    VG_EXPECT(m >= 0 && n >= 0 && tolerance >= 0 && rank);
    if (tolerance <= 0) tolerance = VG_NULL_SPACE_TOLERANCE;
    *rank = 0;
    size_t wide = (size_t)(m > n ? m : n) + 1;
    double *a = calloc((size_t)n * wide + 1, sizeof *a), *tau = calloc(wide, sizeof *tau),
           *work = malloc(2 * wide * sizeof *work);
    int *pivot = calloc(wide, sizeof *pivot);
    vgStatus st = a && tau && work && pivot ? VG_OK : VG_NO_MEMORY;
    int used = st == VG_OK ? unit_columns(j, m, n, a) : 0;
    if (st == VG_OK && used == 0) {
        identity(z, n);
    } else if (st == VG_OK) {
        vg_qr_pivoted(a, n, used, pivot, tau, work);
        int most = used < n ? used : n;
        while (*rank < most && fabs(a[(size_t)*rank * (size_t)n + (size_t)*rank]) > tolerance) ++*rank;
        vg_qr_form(a, n, *rank, tau);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                z[(size_t)i * (size_t)n + (size_t)k] = a[(size_t)k * (size_t)n + (size_t)i];
    }
    free(a);
    free(tau);
    free(work);
    free(pivot);
    return st;
}

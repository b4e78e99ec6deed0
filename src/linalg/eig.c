#include "linalg/eig.h"
#include "linalg/lapack.h"
#include "base/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LAPACK is column-major: it is handed the transpose. */
static double *transposed(const double *a, int n)
{
    double *copy = malloc((size_t)n * (size_t)n * sizeof *copy);
    if (!copy) return NULL;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            copy[(size_t)j * (size_t)n + (size_t)i] = a[(size_t)i * (size_t)n + (size_t)j];
    return copy;
}

static int all_finite(const double *a, int n)
{
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        if (!isfinite(a[i])) return 0;
    return 1;
}

vgStatus vg_eig_symmetric_pair(const double *a, const double *b, int n, double *values, double *vectors)
{
    VG_EXPECT(n >= 0 && a && b && values);
    if (n < 1) return VG_BAD_INPUT;
    if (!all_finite(a, n) || !all_finite(b, n)) return VG_NOT_FINITE;
    const char *job = vectors ? "V" : "N";
    double *left = transposed(a, n), *right = transposed(b, n), size = 0, *work = NULL;
    int itype = 1, lwork = -1, info = 0;
    if (left && right) {
        dsygv_(&itype, job, "L", &n, left, &n, right, &n, values, &size, &lwork, &info, 1, 1);
        lwork = (int)size;
        work = malloc((size_t)(lwork + 1) * sizeof *work);
    }
    vgStatus status = VG_NO_MEMORY;
    if (work) {
        dsygv_(&itype, job, "L", &n, left, &n, right, &n, values, work, &lwork, &info, 1, 1);
        status = info == 0 ? VG_OK : info > n ? VG_SINGULAR : VG_NOT_CONVERGED;
        if (status == VG_OK && vectors) memcpy(vectors, left, (size_t)n * (size_t)n * sizeof *vectors);
    }
    free(work);
    free(left);
    free(right);
    return status;
}

vgStatus vg_eig_general(const double *a, int n, double *re, double *im, double *vectors)
{
    VG_EXPECT(n >= 0 && a && re && im);
    if (n < 1) return VG_BAD_INPUT;
    if (!all_finite(a, n)) return VG_NOT_FINITE;
    const char *job = vectors ? "V" : "N";
    double *copy = transposed(a, n), size = 0, *work = NULL, none = 0;
    int lwork = -1, info = 0, one = 1, ld = vectors ? n : 1;
    double *right = vectors ? vectors : &none;
    if (copy) {
        dgeev_("N", job, &n, copy, &n, re, im, &none, &one, right, &ld, &size, &lwork, &info, 1, 1);
        lwork = (int)size;
        work = malloc((size_t)(lwork + 1) * sizeof *work);
    }
    vgStatus status = VG_NO_MEMORY;
    if (work) {
        dgeev_("N", job, &n, copy, &n, re, im, &none, &one, right, &ld, work, &lwork, &info, 1, 1);
        status = info == 0 ? VG_OK : VG_NOT_CONVERGED;
    }
    free(work);
    free(copy);
    return status;
}

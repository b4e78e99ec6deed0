/* Craig–Bampton reduction of given matrices [Craig, Bampton 1968; docs/theory.md, eq. 88]. */
#include <stdlib.h>
#include <string.h>

#include "element/modal/modal.h"
#include "linalg/dense.h"
#include "linalg/eig.h"
#include "element/tuning.h"

/* A (rows i0.., columns j0.. of an n × n matrix) as a dense ni × nj one. */
static void part(int n, const double *A, int i0, int ni, int j0, int nj, double *out)
{
    for (int i = 0; i < ni; i++)
        memcpy(out + (size_t)i * (size_t)nj, A + (size_t)(i0 + i) * (size_t)n + j0, (size_t)nj * sizeof *out);
}

/* Static shapes: T_i = −K_ii⁻¹ K_ib beside T_b = 1. */
static vgStatus statics(int n, const double *Kii, const double *K, int nb, int nt, double *T)
{
    const int ni = n - nb;
    double *L = malloc((size_t)ni * (size_t)ni * sizeof *L), *x = malloc((size_t)ni * sizeof *x);
    vgStatus st = L && x ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        memcpy(L, Kii, (size_t)ni * (size_t)ni * sizeof *L);
        st = vg_dense_cholesky(L, ni);
    }
    for (int b = 0; b < nb && st == VG_OK; b++) {
        T[(size_t)b * (size_t)nt + (size_t)b] = 1;
        for (int i = 0; i < ni; i++) x[i] = -K[(size_t)(nb + i) * (size_t)n + b];
        vg_dense_cholesky_solve(L, ni, x);
        for (int i = 0; i < ni; i++) T[(size_t)(nb + i) * (size_t)nt + b] = x[i];
    }
    free(L);
    free(x);
    return st;
}

vgStatus vg_modal_lowest(int n, const double *K, const double *M, double shift, int keep, double *V)
{
    const size_t nn = (size_t)n * (size_t)n;
    double *B = malloc(nn * sizeof *B), *X = malloc(nn * sizeof *X), *mu = malloc((size_t)n * sizeof *mu);
    vgStatus st = B && X && mu ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        for (size_t i = 0; i < nn; i++) B[i] = K[i] + shift * M[i];
        st = vg_eig_symmetric_pair(M, B, n, mu, X);
    }
    for (int k = 0; k < keep && st == VG_OK; k++) {
        if (!(mu[n - 1 - k] > VG_MASSLESS * mu[n - 1])) st = VG_SINGULAR; /* it has no mass */
        memcpy(V + (size_t)k * (size_t)n, X + (size_t)(n - 1 - k) * (size_t)n, (size_t)n * sizeof *V);
    }
    free(B);
    free(X);
    free(mu);
    return st;
}

vgStatus vg_modal_craig_bampton(int n, const double *K, const double *M, int nb, int keep, double *T)
{
    const int ni = n - nb, nt = nb + keep;
    if (nb < 0 || keep < 0 || keep > ni) return VG_BAD_INPUT;
    memset(T, 0, (size_t)n * (size_t)nt * sizeof *T);
    for (int b = 0; b < nb; b++) T[(size_t)b * (size_t)nt + b] = 1;
    if (ni == 0) return VG_OK;
    const size_t nn = (size_t)ni * (size_t)ni;
    double *Kii = malloc(nn * sizeof *Kii), *Mii = malloc(nn * sizeof *Mii);
    double *V = malloc(nn * sizeof *V);
    vgStatus st = Kii && Mii && V ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        part(n, K, nb, ni, nb, ni, Kii);
        part(n, M, nb, ni, nb, ni, Mii);
        if (nb > 0) st = statics(n, Kii, K, nb, nt, T);
    }
    if (st == VG_OK && keep > 0) st = vg_modal_lowest(ni, Kii, Mii, 0, keep, V);
    for (int k = 0; k < keep && st == VG_OK; k++)
        for (int i = 0; i < ni; i++)
            T[(size_t)(nb + i) * (size_t)nt + nb + k] = V[(size_t)k * (size_t)ni + i];
    free(Kii);
    free(Mii);
    free(V);
    return st;
}

vgStatus vg_modal_project(int n, int m, const double *A, const double *T, double *Y)
{
    double *AT = malloc((size_t)n * (size_t)m * sizeof *AT + 1);
    if (!AT) return VG_NO_MEMORY;
    vg_dense_multiply(A, T, n, n, m, AT);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += T[(size_t)k * (size_t)m + i] * AT[(size_t)k * (size_t)m + j];
            Y[i * m + j] = sum;
        }
    free(AT);
    return VG_OK;
}

/* Kernels for small dense row-major blocks. With constant sizes they unroll into straight code; nothing here
 * allocates. C never aliases A or B. */
#ifndef VERGE_MATH_DENSE_H
#define VERGE_MATH_DENSE_H

#if defined(__GNUC__)
#define VG_INLINE static inline __attribute__((always_inline, unused))
#else
#define VG_INLINE static inline
#endif

/* The larger of two; what is not a number stays, where fmax would drop it. */
VG_INLINE double vg_larger(double m, double x)
{
    return x > m || x != x ? x : m;
}

VG_INLINE void vg_dzero(int n, double *x)
{
    for (int i = 0; i < n; i++) x[i] = 0;
}

VG_INLINE double vg_ddot(int n, const double *x, const double *y)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

/* C(m,n) += s A(m,k) B(k,n) */
VG_INLINE void vg_gemm_add(int m, int k, int n, double s, const double *restrict A, const double *restrict B,
                           double *restrict C)
{
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++) {
            double a = s * A[i * k + l];
            for (int j = 0; j < n; j++) C[i * n + j] += a * B[l * n + j];
        }
}

/* C(m,n) = A(m,k) B(k,n) */
VG_INLINE void vg_gemm(int m, int k, int n, const double *restrict A, const double *restrict B,
                       double *restrict C)
{
    vg_dzero(m * n, C);
    vg_gemm_add(m, k, n, 1, A, B, C);
}

/* C(m,n) += s AT B with A(k,m), B(k,n) */
VG_INLINE void vg_gemm_tn_add(int m, int k, int n, double s, const double *restrict A,
                              const double *restrict B, double *restrict C)
{
    for (int l = 0; l < k; l++)
        for (int i = 0; i < m; i++) {
            double a = s * A[l * m + i];
            for (int j = 0; j < n; j++) C[i * n + j] += a * B[l * n + j];
        }
}

/* C(m,n) = AT B with A(k,m), B(k,n) */
VG_INLINE void vg_gemm_tn(int m, int k, int n, const double *restrict A, const double *restrict B,
                          double *restrict C)
{
    vg_dzero(m * n, C);
    vg_gemm_tn_add(m, k, n, 1, A, B, C);
}

/* y(m) = A(m,n) x */
VG_INLINE void vg_gemv(int m, int n, const double *restrict A, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < m; i++) y[i] = vg_ddot(n, A + i * n, x);
}

/* y(n) += s AT x with A(m,n) */
VG_INLINE void vg_gemv_t_add(int m, int n, double s, const double *restrict A, const double *restrict x,
                             double *restrict y)
{
    for (int i = 0; i < m; i++) {
        double a = s * x[i];
        for (int j = 0; j < n; j++) y[j] += a * A[i * n + j];
    }
}

/* y(n) = AT x with A(m,n) */
VG_INLINE void vg_gemv_t(int m, int n, const double *restrict A, const double *restrict x, double *restrict y)
{
    vg_dzero(n, y);
    vg_gemv_t_add(m, n, 1, A, x, y);
}

/* The 6x6 products that rigid bodies are made of. */
static inline void vg_mm6(const double A[36], const double B[36], double C[36])
{
    vg_gemm(6, 6, 6, A, B, C);
}

static inline void vg_mtm6(const double A[36], const double B[36], double C[36])
{
    vg_gemm_tn(6, 6, 6, A, B, C);
}

static inline void vg_mv6(const double A[36], const double x[6], double y[6])
{
    vg_gemv(6, 6, A, x, y);
}

#endif

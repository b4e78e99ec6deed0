#include "linalg/lin/kernel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The unrolled loops keep the block in registers. clang unrolls constant trip counts at -O3 without a pragma, and
 * rejects the pragma under the sanitizers. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(32), may_alias));
typedef long long mask __attribute__((vector_size(32), may_alias));

enum { LANES = VG_LIN_LANES };

static const double PIVOT_LOSS = 1e-4; /* a diagonal pivot may lose four digits before we look for a better */

#define AT(p, i) (*(const vec *)((p) + LANES * (i)))
#define TO(p, i) (*(vec *)((p) + LANES * (i)))

/* ---- loads ---- */

typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));

INLINE void zero(const vgLinLoad *load, double *factor, int rows, int cols)
{
    double *to = factor + load->to;
    for (int c = 0; c < cols; c++, to += load->ld)
        for (int v = 0; LANES * v < rows; v++) TO(to, v) = (vec){0, 0, 0, 0};
}

/* Columns lie in a row already; the lanes past the last row are cleared. */
INLINE void turned(const vgLinLoad *load, const double *values, double *factor, int rows, int cols)
{
    const double *from = values + load->from;
    double *to = factor + load->to;
    const int odd = rows % LANES;
    const mask keep = {odd ? -(0 < odd) : -1, odd ? -(1 < odd) : -1, odd ? -(2 < odd) : -1, odd ? 0 : -1};
    for (int c = 0; c < cols; c++, from += rows, to += load->ld)
        for (int v = 0; LANES * v < rows; v++) {
            vec x = *(const loose *)(from + LANES * v);
            TO(to, v) = LANES * (v + 1) > rows ? (vec)((mask)x & keep) : x;
        }
}

/* Transposes tiles of 4 × 4; rows past the last are zero. */
INLINE void straight(const vgLinLoad *load, const double *values, double *factor, int rows, int cols)
{
    const vec none = {0, 0, 0, 0};
    for (int r = 0; r < rows; r += LANES) {
        const double *from = values + load->from + r * cols;
        double *to = factor + load->to + r;
        for (int c = 0; c < cols; c += LANES, from += LANES, to += LANES * (size_t)load->ld) {
            vec r0 = *(const loose *)from, r1 = none, r2 = none, r3 = none;
            if (r + 1 < rows) r1 = *(const loose *)(from + cols);
            if (r + 2 < rows) r2 = *(const loose *)(from + 2 * cols);
            if (r + 3 < rows) r3 = *(const loose *)(from + 3 * cols);
            vec low01 = __builtin_shufflevector(r0, r1, 0, 4, 2, 6),
                high01 = __builtin_shufflevector(r0, r1, 1, 5, 3, 7);
            vec low23 = __builtin_shufflevector(r2, r3, 0, 4, 2, 6),
                high23 = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);
            TO(to, 0) = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
            if (c + 1 < cols) TO(to + load->ld, 0) = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
            if (c + 2 < cols)
                TO(to + 2 * (size_t)load->ld, 0) = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
            if (c + 3 < cols)
                TO(to + 3 * (size_t)load->ld, 0) = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
        }
    }
}

static void zero_any(const vgLinLoad *load, const double *values, double *factor)
{
    (void)values;
    zero(load, factor, load->rows, load->cols);
}

static void straight_any(const vgLinLoad *load, const double *values, double *factor)
{
    straight(load, values, factor, load->rows, load->cols);
}

static void turned_any(const vgLinLoad *load, const double *values, double *factor)
{
    turned(load, values, factor, load->rows, load->cols);
}

/* Bodies of 3 and 6 rows, joints of 1, 2, 3 and 5. */
#define LOAD_SIZES(X)                                                                                        \
    X(6, 6)                                                                                                  \
    X(3, 3)                                                                                                  \
    X(2, 2) X(5, 5) X(1, 1) X(6, 3) X(3, 6) X(6, 5) X(5, 6) X(6, 1) X(1, 6) X(3, 2) X(2, 3) X(3, 1) X(1, 3)

#define LOAD(r, c)                                                                                           \
    static void straight_##r##_##c(const vgLinLoad *load, const double *values, double *factor)              \
    {                                                                                                        \
        straight(load, values, factor, r, c);                                                                \
    }                                                                                                        \
    static void turned_##r##_##c(const vgLinLoad *load, const double *values, double *factor)                \
    {                                                                                                        \
        turned(load, values, factor, r, c);                                                                  \
    }
LOAD_SIZES(LOAD)

#define LOAD_ROW(r, c) straight_##r##_##c, turned_##r##_##c,
vgLinLoadKernel *const vg_lin_load_kernels[] = {zero_any, straight_any, turned_any, LOAD_SIZES(LOAD_ROW)};

int vg_lin_load_kernel(vgLinLoadKind kind, int rows, int cols)
{
#define LOAD_SIZE(r, c) {r, c},
    static const unsigned char sizes[][2] = {LOAD_SIZES(LOAD_SIZE)};
    if (kind == VG_LIN_LOAD_ZERO) return 0;
    for (int k = 0; k < (int)(sizeof sizes / sizeof sizes[0]); k++)
        if (sizes[k][0] == rows && sizes[k][1] == cols) return 3 + 2 * k + (kind == VG_LIN_LOAD_TURNED);
    return kind == VG_LIN_LOAD_STRAIGHT ? 1 : 2;
}

/* ---- C −= A B ---- */

INLINE void gemm_strip(double *c, size_t ldc, const double *a, size_t lda, const double *b, size_t ldb, int n,
                       int vectors, int k)
{
    for (int j = 0; j < n; j++, c += ldc, b += ldb) {
        vec sum[2];
        UNROLL for (int v = 0; v < vectors; v++) sum[v] = AT(c, v);
        UNROLL for (int p = 0; p < k; p++)
        {
            UNROLL for (int v = 0; v < vectors; v++) sum[v] -= AT(a + (size_t)p * lda, v) * b[p];
        }
        UNROLL for (int v = 0; v < vectors; v++) TO(c, v) = sum[v];
    }
}

INLINE void gemm_tall(const vgLinGemm *op, double *factor, int k)
{
    double *c = factor + op->c;
    const double *a = factor + op->a, *b = factor + op->b;
    uint32_t v = 0;
    for (; v + 2 <= op->vectors; v += 2)
        gemm_strip(c + LANES * v, op->ldc, a + LANES * v, op->lda, b, op->ldb, (int)op->n, 2, k);
    if (v < op->vectors)
        gemm_strip(c + LANES * v, op->ldc, a + LANES * v, op->lda, b, op->ldb, (int)op->n, 1, k);
}

#define GEMM(k)                                                                                              \
    static void gemm_1_##k(const vgLinGemm *op, double *factor)                                              \
    {                                                                                                        \
        gemm_strip(factor + op->c, op->ldc, factor + op->a, op->lda, factor + op->b, op->ldb, (int)op->n, 1, \
                   k);                                                                                       \
    }                                                                                                        \
    static void gemm_2_##k(const vgLinGemm *op, double *factor)                                              \
    {                                                                                                        \
        gemm_strip(factor + op->c, op->ldc, factor + op->a, op->lda, factor + op->b, op->ldb, (int)op->n, 2, \
                   k);                                                                                       \
    }                                                                                                        \
    static void gemm_tall_##k(const vgLinGemm *op, double *factor)                                           \
    {                                                                                                        \
        gemm_tall(op, factor, k);                                                                            \
    }

GEMM(1)
GEMM(2)
GEMM(3)
GEMM(4)
GEMM(5)
GEMM(6)
GEMM(7)
GEMM(8)

static void gemm_any(const vgLinGemm *op, double *factor)
{
    uint32_t v = 0;
    double *c = factor + op->c;
    const double *a = factor + op->a, *b = factor + op->b;
    for (; v < op->vectors; v++)
        for (uint32_t j = 0; j < op->n; j++) {
            vec sum = AT(c + (size_t)j * op->ldc, v);
            for (uint32_t p = 0; p < op->k; p++)
                sum -= AT(a + (size_t)p * op->lda, v) * b[(size_t)j * op->ldb + p];
            TO(c + (size_t)j * op->ldc, v) = sum;
        }
}

#define GEMM_ROW(k) gemm_1_##k, gemm_2_##k, gemm_tall_##k
vgLinGemmKernel *const vg_lin_gemm_kernels[] = {
    gemm_any,    GEMM_ROW(1), GEMM_ROW(2), GEMM_ROW(3), GEMM_ROW(4),
    GEMM_ROW(5), GEMM_ROW(6), GEMM_ROW(7), GEMM_ROW(8),
};

int vg_lin_gemm_kernel(int vectors, int k)
{
    return k > 8 ? 0 : 3 * (k - 1) + (vectors > 2 ? 3 : vectors);
}

/* ---- pivot blocks ---- */

/* scale := max(scale, |x|), by address: vectors do not travel by value without AVX */
INLINE void raise_to(vec *scale, const vec *x)
{
    mask size = (mask)*x & (mask){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    mask larger = (vec)size > *scale;
    *scale = (vec)((size & larger) | ((mask)*scale & ~larger));
}

/* In place on columns: at step p, column j becomes column j − f · column p with f = D(p,j)/D(p,p), row p of
 * it f, and column p becomes −column p / D(p,p) with 1/D(p,p) in row p. */
INLINE int invert_and_apply(double *panel, int s, int width, const double *history)
{
    const int vectors = (s + LANES - 1) / LANES;
    const size_t ld = (size_t)(vectors * LANES);
    vec d[8][2], scale[2], pivots[2] = {{0}, {0}};
    UNROLL for (int v = 0; v < vectors; v++) scale[v] = AT(history, v);
    UNROLL for (int j = 0; j < s; j++)
    {
        UNROLL for (int v = 0; v < vectors; v++)
        {
            d[j][v] = AT(panel + (size_t)j * ld, v);
            raise_to(&scale[v], &d[j][v]);
        }
    }
    UNROLL for (int p = 0; p < s; p++)
    {
        double pivot = d[p][p / LANES][p % LANES], inverse = 1 / pivot;
        pivots[p / LANES][p % LANES] = fabs(pivot);
        d[p][p / LANES][p % LANES] = 0;
        UNROLL for (int j = 0; j < s; j++)
        {
            if (j == p) continue;
            double f = d[j][p / LANES][p % LANES] * inverse;
            d[j][p / LANES][p % LANES] = f;
            UNROLL for (int v = 0; v < vectors; v++) d[j][v] -= d[p][v] * f;
        }
        d[p][p / LANES][p % LANES] = -1;
        UNROLL for (int v = 0; v < vectors; v++) d[p][v] *= -inverse;
    }
    mask good = {-1, -1, -1, -1};
    UNROLL for (int v = 0; v < vectors; v++) good &= pivots[v] >= scale[v] * PIVOT_LOSS;
    if (!(good[0] & good[1] & good[2] & good[3])) return 0;
    UNROLL for (int j = 0; j < s; j++)
    {
        UNROLL for (int v = 0; v < vectors; v++) TO(panel + (size_t)j * ld, v) = d[j][v];
    }
    double *u = panel + (size_t)s * ld;
    for (int j = 0; j < width; j++, u += ld) {
        vec sum[2];
        UNROLL for (int v = 0; v < vectors; v++) sum[v] = d[0][v] * u[0];
        UNROLL for (int p = 1; p < s; p++)
        {
            UNROLL for (int v = 0; v < vectors; v++) sum[v] += d[p][v] * u[p];
        }
        UNROLL for (int v = 0; v < vectors; v++) TO(u, v) = sum[v];
    }
    return 1;
}

/* U := D⁻¹ U for any size; column is room for one column. */
static void apply_inverse(double *panel, int s, int ld, int width, double *column)
{
    for (int j = 0; j < width; j++) {
        double *u = panel + (size_t)(s + j) * (size_t)ld;
        memset(column, 0, (size_t)ld * sizeof *column);
        for (int p = 0; p < s; p++)
            for (int v = 0; v < ld / LANES; v++)
                TO(column, v) += AT(panel + (size_t)p * (size_t)ld, v) * u[p];
        memcpy(u, column, (size_t)ld * sizeof *column);
    }
}

static int pivot_any(double *panel, int s, int ld, int width, const double *history, double *scratch)
{
    size_t n = (size_t)ld;
    double *scale = scratch + (size_t)s * n; /* second half of scratch; later room for one column */
    memcpy(scratch, panel, (size_t)s * n * sizeof *scratch);
    memcpy(scale, history, n * sizeof *scale);
    for (int j = 0; j < s; j++)
        for (int v = 0; v < ld / LANES; v++) raise_to(&TO(scale, v), &AT(panel + (size_t)j * n, v));
    for (int p = 0; p < s; p++) {
        double *column = scratch + (size_t)p * n, pivot = column[p], inverse = 1 / pivot;
        if (!(fabs(pivot) >= scale[p] * PIVOT_LOSS)) return 0;
        column[p] = 0;
        for (int j = 0; j < s; j++) {
            double *other = scratch + (size_t)j * n, f = other[p] * inverse;
            if (j == p) continue;
            other[p] = f;
            for (int v = 0; v < ld / LANES; v++) TO(other, v) -= AT(column, v) * f;
        }
        column[p] = -1;
        for (int v = 0; v < ld / LANES; v++) TO(column, v) *= -inverse;
    }
    memcpy(panel, scratch, (size_t)s * n * sizeof *scratch);
    apply_inverse(panel, s, ld, width, scale);
    return 1;
}

int vg_lin_pivot_carefully(double *panel, int size, int ld, int width, const double *history,
                           double tolerance, double *scratch, int *order, int *lost)
{
    size_t n = (size_t)ld;
    int *rows = order, *cols = order + size;
    double *a = scratch, *column = scratch + (size_t)size * n;
    memcpy(a, panel, (size_t)size * n * sizeof *a);
    for (int i = 0; i < size; i++) rows[i] = cols[i] = -1; /* rows[p], cols[p]: the pivot of step p */
    unsigned char *const row_used = (unsigned char *)(column + n), *const col_used = row_used + size;
    memset(row_used, 0, 2 * (size_t)size);
    for (int p = 0; p < size; p++) {
        double largest = -1, scale = 0;
        for (int j = 0; j < size; j++)
            for (int i = 0; i < size && !col_used[j]; i++)
                if (!row_used[i] && !(fabs(a[(size_t)j * n + (size_t)i]) <= largest)) {
                    largest = fabs(a[(size_t)j * n + (size_t)i]);
                    rows[p] = i;
                    cols[p] = j;
                }
        int r = rows[p], c = cols[p];
        row_used[r] = col_used[c] = 1;
        for (int j = 0; j < size; j++) scale = fmax(scale, fabs(panel[(size_t)j * n + (size_t)r]));
        if (!(largest > tolerance * fmax(scale, history[r])) || !(largest <= 0x1p1000)) return r;
        if (lost && largest < PIVOT_LOSS * fmax(scale, history[r])) *lost = 1;
        double *pivot_column = a + (size_t)c * n, inverse = 1 / pivot_column[r];
        pivot_column[r] = 0;
        for (int j = 0; j < size; j++) {
            double *other = a + (size_t)j * n, f = other[r] * inverse;
            if (j == c) continue;
            other[r] = f;
            for (int i = 0; i < size; i++) other[i] -= pivot_column[i] * f;
        }
        pivot_column[r] = -1;
        for (int i = 0; i < size; i++) pivot_column[i] *= -inverse;
    }
    /* Exchange with pivot (r,c) puts unknown c where row r stood and right-hand side r where column c stood.
     */
    for (int p = 0; p < size; p++)
        for (int q = 0; q < size; q++)
            panel[(size_t)rows[q] * n + (size_t)cols[p]] = a[(size_t)cols[q] * n + (size_t)rows[p]];
    apply_inverse(panel, size, ld, width, column);
    return -1;
}

/* ---- solve ---- */

/* z_k := D⁻¹ z_k, then z_i −= L_ik z_k for the later neighbours i. */
INLINE void forward(const vgLinStep *step, const vgLinBelow *below, const double *factor, double *z, int s)
{
    const int vectors = (s + LANES - 1) / LANES;
    const double *d = factor + step->panel, *l = factor + step->lower;
    double *own = z + step->z;
    vec sum[2], other[2];
    UNROLL for (int v = 0; v < vectors; v++)
    {
        sum[v] = AT(d, v) * own[0];
        other[v] = (vec){0, 0, 0, 0};
    }
    UNROLL for (int p = 1; p < s; p++)
    {
        UNROLL for (int v = 0; v < vectors; v++)
        {
            vec term = AT(d + p * vectors * LANES, v) * own[p];
            if (p & 1)
                other[v] += term;
            else
                sum[v] += term;
        }
    }
    UNROLL for (int v = 0; v < vectors; v++) TO(own, v) = sum[v] + other[v];
    for (uint32_t left = step->ldl / LANES; left > 0; below++)
        for (int v = 0; v < below->vectors; v++, left--, l += LANES) {
            double *to = z + below->z + LANES * v;
            vec odd = {0, 0, 0, 0}, even = AT(to, 0);
            UNROLL for (int p = 0; p < s; p++)
            {
                vec term = AT(l + (size_t)p * step->ldl, 0) * own[p];
                if (p & 1)
                    odd -= term;
                else
                    even -= term;
            }
            TO(to, 0) = even + odd;
        }
}

/* z_k −= U_kj x_j over the later neighbours j. */
INLINE void backward(const vgLinStep *step, const vgLinBelow *below, const double *factor, double *z,
                     int vectors)
{
    const double *u = factor + step->panel + (size_t)step->size * (size_t)(vectors * LANES);
    double *own = z + step->z;
    vec even[2], odd[2];
    UNROLL for (int v = 0; v < vectors; v++)
    {
        even[v] = AT(own, v);
        odd[v] = (vec){0, 0, 0, 0};
    }
    for (uint32_t left = step->width; left > 0; left -= below->size, below++) {
        const double *x = z + below->z;
        int p = 0;
        for (; p + 2 <= below->size; p += 2, u += 2 * vectors * LANES) {
            UNROLL for (int v = 0; v < vectors; v++)
            {
                even[v] -= AT(u, v) * x[p];
                odd[v] -= AT(u + vectors * LANES, v) * x[p + 1];
            }
        }
        if (p < below->size) {
            UNROLL for (int v = 0; v < vectors; v++) even[v] -= AT(u, v) * x[p];
            u += vectors * LANES;
        }
    }
    UNROLL for (int v = 0; v < vectors; v++) TO(own, v) = even[v] + odd[v];
}

static void forward_any(const vgLinStep *step, const vgLinBelow *below, const double *factor, double *z)
{
    const double *d = factor + step->panel, *l = factor + step->lower;
    double *own = z + step->z, *room = z - step->ld; /* the driver keeps room before the vector */
    memset(room, 0, step->ld * sizeof *room);
    for (int p = 0; p < step->size; p++)
        for (int v = 0; v < step->ld / LANES; v++) TO(room, v) += AT(d + (size_t)p * step->ld, v) * own[p];
    memcpy(own, room, step->ld * sizeof *room);
    for (uint32_t left = step->ldl / LANES; left > 0; below++)
        for (int v = 0; v < below->vectors; v++, left--, l += LANES) {
            double *to = z + below->z + LANES * v;
            vec sum = AT(to, 0);
            for (int p = 0; p < step->size; p++) sum -= AT(l + (size_t)p * step->ldl, 0) * own[p];
            TO(to, 0) = sum;
        }
}

static void backward_any(const vgLinStep *step, const vgLinBelow *below, const double *factor, double *z)
{
    const double *u = factor + step->panel + (size_t)step->size * step->ld;
    double *own = z + step->z;
    for (uint32_t left = step->width; left > 0; left -= below->size, below++)
        for (int p = 0; p < below->size; p++, u += step->ld)
            for (int v = 0; v < step->ld / LANES; v++) TO(own, v) -= AT(u, v) * z[below->z + (uint32_t)p];
}

#define SIZE(s)                                                                                              \
    static int pivot_##s(double *panel, int size, int ld, int width, const double *history, double *scratch) \
    {                                                                                                        \
        (void)size, (void)ld, (void)scratch;                                                                 \
        return invert_and_apply(panel, s, width, history);                                                   \
    }                                                                                                        \
    static void forward_##s(const vgLinStep *step, const vgLinBelow *below, const double *factor, double *z) \
    {                                                                                                        \
        forward(step, below, factor, z, s);                                                                  \
    }

SIZE(1)
SIZE(2)
SIZE(3)
SIZE(4)
SIZE(5)
SIZE(6)
SIZE(7)
SIZE(8)

static void backward_low(const vgLinStep *step, const vgLinBelow *below, const double *factor, double *z)
{
    backward(step, below, factor, z, 1);
}

static void backward_high(const vgLinStep *step, const vgLinBelow *below, const double *factor, double *z)
{
    backward(step, below, factor, z, 2);
}

vgLinPivotKernel *const vg_lin_pivot_kernels[] = {pivot_any, pivot_1, pivot_2, pivot_3, pivot_4,
                                                  pivot_5,   pivot_6, pivot_7, pivot_8};
vgLinSolveKernel *const vg_lin_forward_kernels[] = {forward_any, forward_1, forward_2, forward_3, forward_4,
                                                    forward_5,   forward_6, forward_7, forward_8};
vgLinSolveKernel *const vg_lin_backward_kernels[] = {backward_any,  backward_low,  backward_low,
                                                     backward_low,  backward_low,  backward_high,
                                                     backward_high, backward_high, backward_high};

int vg_lin_size_kernel(int size)
{
    return size > 8 ? 0 : size;
}

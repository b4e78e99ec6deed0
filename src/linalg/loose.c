#include "linalg/loose.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "math/vec.h"

enum { MOST_ROWS = 7, ITERATIONS = 200, VECTORS = 7 };

/* Square of the determinant over that of the longest it can be, from which on cofactors are good to half of the digits. */
static const double DIGITS_LEFT = 1e-14;

typedef struct Pair {
    int i, j;
} Pair;

struct vgLoose {
    vgLin *base;
    int nnode, most, npair, n, plain; /* plain: the base couples no nodes */
    int block;                        /* doubles of a block at most */
    int *size, *offset;
    Pair *pair;
    double *ij, *ji;            /* block a pair */
    int *start, *near, *degree; /* per node: its pairs, +k+1 as i, −k−1 as j, in the order of elimination */
    int *order, *rank;
    double *diag, *inverse; /* block a node: A_ii and D_i⁻¹ */
    double *weight;         /* 1/|A_kk| */
    double *v[VECTORS];
    long iterations;
    vgArena arena;
};

static void place(vgLoose *x, vgArena *a)
{
    size_t nodes = (size_t)x->nnode + 2, pairs = (size_t)x->most + 1, block = (size_t)x->block;
    x->size = VG_TAKE(a, int, nodes);
    x->offset = VG_TAKE(a, int, nodes);
    x->pair = VG_TAKE(a, Pair, pairs);
    x->start = VG_TAKE(a, int, nodes);
    x->near = VG_TAKE(a, int, 2 * pairs);
    x->degree = VG_TAKE(a, int, nodes);
    x->order = VG_TAKE(a, int, nodes);
    x->rank = VG_TAKE(a, int, nodes);
    if (x->plain) {
        x->diag = VG_TAKE(a, double, nodes *block);
        x->inverse = VG_TAKE(a, double, nodes *block);
    }
    x->weight = VG_TAKE(a, double, x->n + 1);
    for (int k = 0; k < VECTORS; k++) x->v[k] = VG_TAKE(a, double, x->n + 1);
    x->ij = VG_TAKE(a, double, pairs *block);
    x->ji = VG_TAKE(a, double, pairs *block);
}

vgStatus vg_loose_new(vgLin *base, int nnode, int most, vgLoose **out)
{
    *out = NULL;
    vgLoose *x = calloc(1, sizeof *x);
    if (!x) return VG_NO_MEMORY;
    int largest = 0;
    x->base = base;
    x->nnode = nnode;
    x->most = most;
    x->n = vg_lin_size(base);
    x->plain = !vg_lin_is_coupled(base);
    for (int i = 0; i < nnode; i++) {
        int size = vg_lin_rows(base, i);
        largest = size > largest ? size : largest;
    }
    x->block = largest * largest;
    vgArena measure = {0};
    place(x, &measure);
    vgStatus st = largest > MOST_ROWS ? VG_LIMIT : vg_arena_reserve(&x->arena, measure.used);
    if (st != VG_OK) {
        free(x);
        return st;
    }
    place(x, &x->arena);
    for (int i = 0; i < nnode; i++) {
        x->size[i] = vg_lin_rows(base, i);
        x->offset[i] = vg_lin_offset(base, i);
    }
    *out = x;
    return VG_OK;
}

void vg_loose_free(vgLoose *x)
{
    if (!x) return;
    vg_arena_free(&x->arena);
    free(x);
}

size_t vg_loose_memory(const vgLoose *x)
{
    return x ? sizeof *x + x->arena.size : 0;
}

void vg_loose_clear(vgLoose *x)
{
    x->npair = 0;
}

int vg_loose_count(const vgLoose *x)
{
    return x->npair;
}

long vg_loose_iterations(const vgLoose *x)
{
    return x->iterations;
}

int vg_loose_pair(vgLoose *x, int i, int j, double **ij, double **ji)
{
    if (x->npair == x->most) return 0;
    size_t at = (size_t)x->npair * (size_t)x->block;
    x->pair[x->npair++] = (Pair){i, j};
    *ij = x->ij + at;
    *ji = x->ji + at;
    memset(*ij, 0, (size_t)x->block * sizeof(double));
    memset(*ji, 0, (size_t)x->block * sizeof(double));
    return 1;
}

/* ---- the graph of the pairs ---- */

static void link_pairs(vgLoose *x)
{
    memset(x->start, 0, ((size_t)x->nnode + 2) * sizeof *x->start);
    for (int k = 0; k < x->npair; k++) x->start[x->pair[k].i + 1]++, x->start[x->pair[k].j + 1]++;
    for (int i = 0; i < x->nnode; i++) {
        x->degree[i] = x->start[i + 1];
        x->start[i + 1] += x->start[i];
    }
    for (int k = 0; k < x->npair; k++) {
        x->near[x->start[x->pair[k].i]++] = k + 1;
        x->near[x->start[x->pair[k].j]++] = -k - 1;
    }
    for (int i = x->nnode; i > 0; i--) x->start[i] = x->start[i - 1];
    x->start[0] = 0;
}

static int other_end(const vgLoose *x, int near)
{
    return near > 0 ? x->pair[near - 1].j : x->pair[-near - 1].i;
}

/* Leaves first, and those that become leaves then; the rest in the order of the nodes. */
static void make_order(vgLoose *x)
{
    int n = 0, done = 0;
    for (int i = 0; i < x->nnode; i++) x->rank[i] = -1;
    for (int i = 0; i < x->nnode; i++)
        if (x->degree[i] <= 1) x->rank[i] = n, x->order[n++] = i;
    for (; done < n; done++) {
        int i = x->order[done];
        for (int e = x->start[i]; e < x->start[i + 1]; e++) {
            int j = other_end(x, x->near[e]);
            if (x->rank[j] < 0 && --x->degree[j] <= 1) x->rank[j] = n, x->order[n++] = j;
        }
    }
    for (int i = 0; i < x->nnode; i++)
        if (x->rank[i] < 0) x->rank[i] = n, x->order[n++] = i;
}

/* ---- dense blocks ---- */

/* y += s A x */
static inline void block_times(const double *A, int rows, int cols, double s, const double *x, double *y)
{
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int c = 0; c < cols; c++) sum += A[r * cols + c] * x[c];
        y[r] += s * sum;
    }
}

/* The usual case, with known bounds for the compiler. */
static inline void times(const double *A, int rows, int cols, double s, const double *x, double *y)
{
    if (rows == 6 && cols == 6)
        block_times(A, 6, 6, s, x, y);
    else
        block_times(A, rows, cols, s, x, y);
}

static vgMat3 block3(const double *A)
{
    return vg_m3(A[0], A[1], A[2], A[6], A[7], A[8], A[12], A[13], A[14]);
}

/* By cofactors; 0 where the determinant has lost its digits. */
static int inverse3(vgMat3 A, vgMat3 *out)
{
    vgVec3 a = vg_v3(A.m[0][0], A.m[0][1], A.m[0][2]), b = vg_v3(A.m[1][0], A.m[1][1], A.m[1][2]),
           c = vg_v3(A.m[2][0], A.m[2][1], A.m[2][2]);
    vgVec3 bc = vg_cross3(b, c), ca = vg_cross3(c, a), ab = vg_cross3(a, b);
    double det = vg_dot3(a, bc), size = vg_dot3(a, a) * vg_dot3(b, b) * vg_dot3(c, c);
    if (!(det * det > DIGITS_LEFT * size)) return 0;
    double s = 1 / det;
    *out = vg_m3(s * bc.x, s * ca.x, s * ab.x, s * bc.y, s * ca.y, s * ab.y, s * bc.z, s * ca.z, s * ab.z);
    return 1;
}

/* Gauss–Jordan with row pivoting; the row without a pivot, or −1. */
static int invert(int n, double *A, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) out[i * n + j] = i == j;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        if (!(fabs(A[p * n + k]) > DBL_MIN)) return k;
        for (int j = 0; j < n && p != k; j++) {
            double a = A[k * n + j], b = out[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = a;
            out[k * n + j] = out[p * n + j], out[p * n + j] = b;
        }
        double s = 1 / A[k * n + k];
        for (int j = 0; j < n; j++) A[k * n + j] *= s, out[k * n + j] *= s;
        for (int i = 0; i < n; i++) {
            double f = A[i * n + k];
            if (i == k || f == 0) continue;
            for (int j = 0; j < n; j++)
                A[i * n + j] -= f * A[k * n + j], out[i * n + j] -= f * out[k * n + j];
        }
    }
    return -1;
}

/* C += s A B, row by row: n × k times k × m */
static inline void product(int n, int k, int m, double s, const double *A, const double *B, double *C)
{
    for (int i = 0; i < n; i++)
        for (int l = 0; l < k; l++) {
            const double a = s * A[i * k + l];
            for (int j = 0; j < m; j++) C[i * m + j] += a * B[l * m + j];
        }
}

/* D −= L D_j⁻¹ U */
static void eliminate(double *D, int n, const double *L, const double *inverse, int m, const double *U)
{
    double T[MOST_ROWS * MOST_ROWS] = {0};
    if (n == 6 && m == 6) {
        product(6, 6, 6, 1, L, inverse, T);
        product(6, 6, 6, -1, T, U, D);
        return;
    }
    product(n, m, m, 1, L, inverse, T);
    product(n, m, n, -1, T, U, D);
}

/* The inverse of [P Q; R S] in blocks of three by Schur's complement, without exchanges of rows: translations, then
 * rotations of a body. 0: a pivot block is too near to singular for that. */
static int invert6(const double *A, double *out)
{
    vgMat3 P = block3(A), Q = block3(A + 3), R = block3(A + 18), S = block3(A + 21), X, Y;
    if (!inverse3(P, &X)) return 0;
    vgMat3 XQ = vg_mm3(X, Q), RX = vg_mm3(R, X);
    if (!inverse3(vg_msub3(S, vg_mm3(R, XQ)), &Y)) return 0;
    vgMat3 XQY = vg_mm3(XQ, Y);
    vg_mput3(vg_madd3(X, vg_mm3(XQY, RX)), out, 6);
    vg_mput3(vg_mscale3(XQY, -1), out + 3, 6);
    vg_mput3(vg_mscale3(vg_mm3(Y, RX), -1), out + 18, 6);
    vg_mput3(Y, out + 21, 6);
    return 1;
}

/* ---- factorisation ---- */

static const double *block_at(const vgLoose *x, int near, int forward)
{
    int k = near > 0 ? near - 1 : -near - 1;
    return ((near > 0) == forward ? x->ij : x->ji) + (size_t)k * (size_t)x->block;
}

static vgStatus factor_plain(vgLoose *x, int *bad_row)
{
    double D[MOST_ROWS * MOST_ROWS];
    for (int k = 0; k < x->nnode; k++) {
        int i = x->order[k], n = x->size[i];
        double *own = x->diag + (size_t)i * (size_t)x->block;
        memcpy(own, vg_lin_block(x->base, i, i), (size_t)(n * n) * sizeof *own);
        memcpy(D, own, (size_t)(n * n) * sizeof *own);
        for (int e = x->start[i]; e < x->start[i + 1]; e++) {
            int j = other_end(x, x->near[e]);
            if (x->rank[j] > k) continue;
            eliminate(D, n, block_at(x, x->near[e], 1), x->inverse + (size_t)j * (size_t)x->block, x->size[j],
                      block_at(x, x->near[e], 0));
        }
        for (int r = 0; r < n * n; r++)
            if (!isfinite(D[r])) return *bad_row = x->offset[i] + r / n, VG_NOT_FINITE;
        if (n == 6 && invert6(D, x->inverse + (size_t)i * (size_t)x->block)) continue;
        int bad = invert(n, D, x->inverse + (size_t)i * (size_t)x->block);
        if (bad >= 0) return *bad_row = x->offset[i] + bad, VG_SINGULAR;
    }
    return VG_OK;
}

vgStatus vg_loose_factor(vgLoose *x, int *bad_row)
{
    *bad_row = -1;
    link_pairs(x);
    make_order(x);
    for (int r = 0; r < x->n; r++) x->weight[r] = 1;
    for (int i = 0; i < x->nnode; i++) {
        const double *D = vg_lin_block(x->base, i, i);
        for (int r = 0; r < x->size[i]; r++) {
            double d = fabs(D[r * x->size[i] + r]);
            x->weight[x->offset[i] + r] = d > 0 ? 1 / d : 1;
        }
    }
    if (x->plain) return factor_plain(x, bad_row);
    vgStatus st = vg_lin_factor(x->base);
    if (st != VG_OK) *bad_row = vg_lin_bad_row(x->base);
    return st;
}

/* ---- solution ---- */

static void multiply(const vgLoose *x, const double *p, double *y)
{
    if (x->plain)
        for (int i = 0; i < x->nnode; i++) {
            double *to = y + x->offset[i];
            for (int r = 0; r < x->size[i]; r++) to[r] = 0;
            times(x->diag + (size_t)i * (size_t)x->block, x->size[i], x->size[i], 1, p + x->offset[i], to);
        }
    else
        vg_lin_multiply(x->base, p, y);
    for (int k = 0; k < x->npair; k++) {
        int i = x->pair[k].i, j = x->pair[k].j;
        size_t at = (size_t)k * (size_t)x->block;
        times(x->ij + at, x->size[i], x->size[j], 1, p + x->offset[j], y + x->offset[i]);
        times(x->ji + at, x->size[j], x->size[i], 1, p + x->offset[i], y + x->offset[j]);
    }
}

/* z := M⁻¹ r */
static void precondition(const vgLoose *x, const double *r, double *z)
{
    if (!x->plain) {
        memcpy(z, r, (size_t)x->n * sizeof *z);
        vg_lin_solve(x->base, z);
        return;
    }
    double t[MOST_ROWS];
    for (int k = 0; k < x->nnode; k++) {
        int i = x->order[k], n = x->size[i];
        double *zi = z + x->offset[i];
        memcpy(t, r + x->offset[i], (size_t)n * sizeof *t);
        for (int e = x->start[i]; e < x->start[i + 1]; e++) {
            int j = other_end(x, x->near[e]);
            if (x->rank[j] < k) times(block_at(x, x->near[e], 1), n, x->size[j], -1, z + x->offset[j], t);
        }
        memset(zi, 0, (size_t)n * sizeof *zi);
        times(x->inverse + (size_t)i * (size_t)x->block, n, n, 1, t, zi);
    }
    for (int k = x->nnode - 1; k >= 0; k--) {
        int i = x->order[k], n = x->size[i], some = 0;
        memset(t, 0, sizeof t);
        for (int e = x->start[i]; e < x->start[i + 1]; e++) {
            int j = other_end(x, x->near[e]);
            if (x->rank[j] <= k) continue;
            times(block_at(x, x->near[e], 1), n, x->size[j], 1, z + x->offset[j], t);
            some = 1;
        }
        if (some) times(x->inverse + (size_t)i * (size_t)x->block, n, n, -1, t, z + x->offset[i]);
    }
}

static double dot(const vgLoose *x, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < x->n; i++) sum += x->weight[i] * a[i] * b[i];
    return sum;
}

/* y += s x */
static void add(int n, double s, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] += s * x[i];
}

void vg_loose_solve(vgLoose *x, double *b)
{
    double *r = x->v[0], *r0 = x->v[1], *p = x->v[2], *v = x->v[3], *t = x->v[4], *z = x->v[5], *y = x->v[6];
    const int n = x->n;
    double rho = 1, alpha = 1, omega = 1;
    memcpy(r, b, (size_t)n * sizeof *r);
    memcpy(r0, b, (size_t)n * sizeof *r);
    memset(p, 0, (size_t)n * sizeof *p);
    memset(v, 0, (size_t)n * sizeof *v);
    memset(y, 0, (size_t)n * sizeof *y);
    double start = dot(x, r, r), goal = VG_LOOSE_RESIDUAL * VG_LOOSE_RESIDUAL * start, left = start;
    for (int k = 0; k < ITERATIONS && left > goal; k++) {
        double now = dot(x, r0, r), beta = now / rho * (alpha / omega);
        if (!isfinite(beta) || now == 0) break;
        rho = now;
        for (int i = 0; i < n; i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        precondition(x, p, z);
        multiply(x, z, v);
        alpha = rho / dot(x, r0, v);
        if (!isfinite(alpha)) break;
        add(n, alpha, z, y);
        add(n, -alpha, v, r);
        x->iterations++;
        left = dot(x, r, r);
        if (!(left > goal)) break;
        precondition(x, r, z);
        multiply(x, z, t);
        omega = dot(x, t, r) / dot(x, t, t);
        if (!isfinite(omega) || omega == 0) break;
        add(n, omega, z, y);
        add(n, -omega, t, r);
        left = dot(x, r, r);
    }
    memcpy(b, y, (size_t)n * sizeof *b);
}

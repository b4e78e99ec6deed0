/* Eigenvalues and vectors of a general matrix: scaled so that rows and columns have equal sizes, reduced to
 * Hessenberg's form by reflectors, then implicit QR steps with double shifts to the real Schur form, T = Qᵀ A Q with
 * 1 × 1 and 2 × 2 blocks (Francis 1961; Golub and Van Loan, Matrix Computations, 7.4 and 7.5); vectors of T by back
 * substitution. Matrices are by rows; q has the columns of Q one after the other. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/expect.h"
#include "linalg/eig.h"
#include "linalg/qr.h"

typedef struct schur {
    int n;
    double *h, *q; /* [n n]; q NULL: no vectors wanted */
    double *scale; /* [n] powers of two */
    int *taken;    /* [n] the row and column that went to i when i was isolated */
    int low, high; /* rows that are coupled; those outside were isolated, from the ends inwards */
    double *re, *im;
    double *work; /* [4 n] */
} schur;

static double *at(const schur *s, int i, int j)
{
    return s->h + (size_t)i * (size_t)s->n + j;
}

static void exchange(schur *s, int i, int j)
{
    const int n = s->n;
    for (int k = 0; k < n && i != j; k++) {
        double kept = *at(s, i, k);
        *at(s, i, k) = *at(s, j, k);
        *at(s, j, k) = kept;
    }
    for (int k = 0; k < n && i != j; k++) {
        double kept = *at(s, k, i);
        *at(s, k, i) = *at(s, k, j);
        *at(s, k, j) = kept;
    }
}

/* Is row i zero beside the diagonal, among low…high? The column, if by_column. */
static int is_alone(const schur *s, int i, int by_column)
{
    for (int j = s->low; j <= s->high; j++)
        if (j != i && (by_column ? *at(s, j, i) : *at(s, i, j)) != 0) return 0;
    return 1;
}

/* Rows without others' share go last, columns likewise first: their eigenvalues stand on the diagonal, without
 * rounding. Eigenvalues that coincide would otherwise be spread by the root of rounding. */
static void isolate(schur *s)
{
    s->low = 0;
    s->high = s->n - 1;
    for (int i = s->high; i >= s->low && s->low < s->high; i--)
        if (is_alone(s, i, 0)) {
            exchange(s, i, s->high);
            s->taken[s->high] = i;
            i = s->high--; /* from the new end on */
        }
    for (int i = s->low; i <= s->high && s->low < s->high; i++)
        if (is_alone(s, i, 1)) {
            exchange(s, i, s->low);
            s->taken[s->low] = i;
            i = s->low++;
        }
}

/* Undoes what isolate() exchanged, in the components of a vector. */
static void put_back(const schur *s, double *x)
{
    for (int step = 0; step < s->n; step++) {
        int i = step < s->low ? s->low - 1 - step : step, j;
        if (i >= s->low && i <= s->high) continue;
        j = s->taken[i];
        double kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}

/* A := D⁻¹ A D with D of powers of two, until no row and column differ in length by more than a factor of two.
 * Rounding errors are relative to the norm, which this makes smaller. Lengths with the diagonal in them keep it from
 * spoiling matrices that are balanced well enough (James, Langou and Lowery 2014). */
static void balance(schur *s)
{
    const double enough = 0.95;                    /* a step that gains less is not worth it */
    const double most = 0x1p300, least = 0x1p-300; /* of a factor: powers beyond would overflow */
    const int m = s->high - s->low + 1;
    for (int i = 0; i < s->n; i++) s->scale[i] = 1;
    for (int again = 1; again;) {
        again = 0;
        for (int i = s->low; i <= s->high; i++) {
            for (int j = 0; j < m; j++) s->work[j] = *at(s, s->low + j, i);
            double row = vg_length(at(s, i, s->low), m), column = vg_length(s->work, m), f = 1;
            if (!(row > 0) || !(column > 0)) continue;
            double sum = row + column;
            for (; column < row / 2 && f < most; column *= 2, row /= 2) f *= 2;
            for (; column >= row * 2 && f > least; column /= 2, row *= 2) f /= 2;
            if (f == 1 || !(column + row < enough * sum)) continue;
            again = 1;
            s->scale[i] *= f;
            for (int j = 0; j < s->n; j++) *at(s, i, j) /= f;
            for (int j = 0; j < s->n; j++) *at(s, j, i) *= f;
        }
    }
}

static void hessenberg(schur *s)
{
    const int n = s->n;
    double *u = s->work, *sum = s->work + n;
    if (s->q) {
        memset(s->q, 0, (size_t)n * (size_t)n * sizeof *s->q);
        for (int i = 0; i < n; i++) s->q[(size_t)i * (size_t)n + (size_t)i] = 1;
    }
    for (int k = 0; k + 2 < n; k++) {
        const int rest = n - k - 1;
        for (int i = 0; i < rest; i++) u[i] = *at(s, k + 1 + i, k);
        double tau = vg_reflector(u, rest);
        if (tau == 0) continue;
        *at(s, k + 1, k) = u[0];
        for (int i = 1; i < rest; i++) *at(s, k + 1 + i, k) = 0;
        u[0] = 1;
        memset(sum, 0, (size_t)rest * sizeof *sum); /* H A: uᵀ times the rows, then their share back */
        for (int i = 0; i < rest; i++) vg_add_scaled(sum, tau * u[i], at(s, k + 1 + i, k + 1), rest);
        for (int i = 0; i < rest; i++) vg_add_scaled(at(s, k + 1 + i, k + 1), -u[i], sum, rest);
        for (int i = 0; i < n; i++) { /* A H */
            double *row = at(s, i, k + 1);
            vg_add_scaled(row, -tau * vg_sum_products(row, u, rest), u, rest);
        }
        if (!s->q) continue;
        double *q = s->q + (size_t)(k + 1) * (size_t)n; /* Q H: columns from k + 1 on */
        memset(sum, 0, (size_t)n * sizeof *sum);
        for (int i = 0; i < rest; i++) vg_add_scaled(sum, tau * u[i], q + (size_t)i * (size_t)n, n);
        for (int i = 0; i < rest; i++) vg_add_scaled(q + (size_t)i * (size_t)n, -u[i], sum, n);
    }
}

/* The first row of the last block that is coupled throughout: below it h(l, l−1) is negligible and set to zero. The
 * second test keeps relative accuracy of graded matrices (Ahues and Tisseur 1997). */
static int decouple(schur *s, int last, double norm)
{
    int l = last;
    for (; l > 0; l--) {
        double below = fabs(*at(s, l, l - 1)), a = fabs(*at(s, l - 1, l - 1)), d = fabs(*at(s, l, l));
        double size = a + d > 0 ? a + d : norm;
        if (below <= DBL_MIN) break;
        if (below > DBL_EPSILON * size) continue;
        double above = fabs(*at(s, l - 1, l)), apart = fabs(*at(s, l - 1, l - 1) - *at(s, l, l));
        double large = fmax(d, apart), small = fmin(d, apart), most = fmax(below, above),
               least = fmin(below, above);
        double whole = large + most;
        if (least * (most / whole) <= fmax(DBL_MIN, DBL_EPSILON * (small * (large / whole)))) break;
    }
    if (l > 0) *at(s, l, l - 1) = 0;
    return l;
}

/* Rows and columns k … k + m − 1 by the reflector u (m = 2 or 3, u₀ = 1). */
static void reflect_small(schur *s, int k, int m, const double *u, double tau, int last)
{
    const int n = s->n, to = k + 3 < last ? k + 3 : last;
    for (int j = k > 0 ? k - 1 : 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++) sum += u[i] * *at(s, k + i, j);
        for (int i = 0; i < m; i++) *at(s, k + i, j) -= tau * u[i] * sum;
    }
    for (int j = 0; j <= to; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++) sum += u[i] * *at(s, j, k + i);
        for (int i = 0; i < m; i++) *at(s, j, k + i) -= tau * u[i] * sum;
    }
    if (!s->q) return;
    double *q = s->q + (size_t)k * (size_t)n;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < m; i++) sum += u[i] * q[i * n + j];
        for (int i = 0; i < m; i++) q[i * n + j] -= tau * u[i] * sum;
    }
}

/* One step on rows first…last with the two shifts that are the eigenvalues of the lower 2 × 2 block, or, when nothing
 * converges, others. */
static void double_step(schur *s, int first, int last, int stuck)
{
    double a = *at(s, last - 1, last - 1), b = *at(s, last - 1, last), c = *at(s, last, last - 1),
           d = *at(s, last, last);
    if (stuck) {
        double size = fabs(c) + (last - 2 >= first ? fabs(*at(s, last - 1, last - 2)) : 0);
        a = d = 0.75 * size + d; /* Wilkinson's exceptional shift */
        b = -0.4375 * size;
        c = size;
    }
    /* the first column of (H − λ₁)(H − λ₂), divided by h(first + 1, first) */
    double h = *at(s, first, first), next = *at(s, first + 1, first);
    double u[3] = {((h - d) * (h - a) - b * c) / next + *at(s, first, first + 1),
                   h + *at(s, first + 1, first + 1) - a - d, *at(s, first + 2, first + 1)};
    for (int k = first; k < last; k++) {
        int m = k + 2 <= last ? 3 : 2;
        for (int i = 0; k > first && i < m; i++) u[i] = *at(s, k + i, k - 1);
        double tau = vg_reflector(u, m), beta = u[0];
        if (tau == 0) continue;
        u[0] = 1;
        reflect_small(s, k, m, u, tau, last);
        if (k == first) continue;
        *at(s, k, k - 1) = beta;
        for (int i = 1; i < m; i++) *at(s, k + i, k - 1) = 0;
    }
}

/* The eigenvalues of the 2 × 2 block at k; a real pair is made triangular by a rotation. */
static void split_pair(schur *s, int k)
{
    const int n = s->n;
    double a = *at(s, k, k), b = *at(s, k, k + 1), c = *at(s, k + 1, k), d = *at(s, k + 1, k + 1);
    double half = (a - d) / 2, scale = fmax(fabs(half), fmax(fabs(b), fabs(c)));
    double disc = scale > 0 ? half / scale * half + b / scale * c : 0; /* times scale */
    if (disc < 0) {
        double beta = sqrt(scale) * sqrt(-disc);
        s->re[k] = s->re[k + 1] = d + half;
        s->im[k] = beta;
        s->im[k + 1] = -beta;
        return;
    }
    double z =
        half + copysign(sqrt(scale) * sqrt(disc), half); /* the eigenvalue d + z, without cancellation */
    double x = z, y = c, r = hypot(x, y), cs = r > 0 ? x / r : 1, sn = r > 0 ? y / r : 0;
    for (int j = 0; j < n; j++) {
        double p = *at(s, k, j), q = *at(s, k + 1, j);
        *at(s, k, j) = cs * p + sn * q;
        *at(s, k + 1, j) = cs * q - sn * p;
    }
    for (int i = 0; i < n; i++) {
        double *p = at(s, i, k), kept = *p;
        p[0] = cs * kept + sn * p[1];
        p[1] = cs * p[1] - sn * kept;
    }
    for (int i = 0; s->q && i < n; i++) {
        double *p = s->q + (size_t)k * (size_t)n + i, kept = *p;
        p[0] = cs * kept + sn * p[n];
        p[n] = cs * p[n] - sn * kept;
    }
    *at(s, k + 1, k) = 0;
    s->re[k] = d + z;
    s->re[k + 1] = z != 0 ? d - b * (c / z) : d;
    s->im[k] = s->im[k + 1] = 0;
    *at(s, k, k) = s->re[k];
    *at(s, k + 1, k + 1) = s->re[k + 1];
}

static int iterate(schur *s)
{
    enum { STEPS = 60, STUCK = 10 }; /* for each eigenvalue; every tenth without one takes other shifts */
    const int n = s->n;
    long left = (long)STEPS * n;
    double norm = 0;
    for (int i = 0; i < n; i++) norm = fmax(norm, vg_length(at(s, i, 0), n));
    for (int last = n - 1, step = 0; last >= 0;) {
        int first = decouple(s, last, norm);
        if (first >= last - 1) {
            if (first == last) {
                s->re[last] = *at(s, last, last);
                s->im[last] = 0;
            } else {
                split_pair(s, first);
            }
            last = first - 1;
            step = 0;
            continue;
        }
        if (left-- == 0) return 0;
        double_step(s, first, last, ++step % STUCK == 0);
    }
    return 1;
}

/* ---- vectors ---- */

typedef struct complex2 {
    double re, im;
} complex2;

static complex2 times(complex2 x, complex2 y)
{
    return (complex2){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* x / y, |y| > 0, without overflow (Smith 1962). */
static complex2 over(complex2 x, complex2 y)
{
    if (fabs(y.re) >= fabs(y.im)) {
        double t = y.im / y.re, d = y.re + y.im * t;
        return (complex2){(x.re + x.im * t) / d, (x.im - x.re * t) / d};
    }
    double t = y.re / y.im, d = y.re * t + y.im;
    return (complex2){(x.re * t + x.im) / d, (x.im * t - x.re) / d};
}

/* −Σ T(i, m) x_m over m from `from` to `to`. */
static complex2 moved(const schur *s, int i, int from, int to, const double *re, const double *im)
{
    const double *row = at(s, i, from);
    return (complex2){-vg_sum_products(row, re + from, to - from + 1),
                      -vg_sum_products(row, im + from, to - from + 1)};
}

static complex2 at_least(complex2 x, double least)
{
    return fabs(x.re) + fabs(x.im) < least ? (complex2){least, 0} : x;
}

static complex2 minus(complex2 x, complex2 y)
{
    return (complex2){x.re - y.re, x.im - y.im};
}

static double size_of(complex2 x)
{
    return fabs(x.re) + fabs(x.im);
}

/* Two equations in two unknowns, m (2 × 2) x = r, by elimination with the larger pivot: the residual is small also if
 * the block has the eigenvalue itself. A pivot below `least` is taken as that. */
static void solve_two(complex2 m[2][2], complex2 r[2], double least, complex2 x[2])
{
    int p = size_of(m[1][0]) > size_of(m[0][0]), q = !p;
    complex2 pivot = at_least(m[p][0], least), f = over(m[q][0], pivot);
    x[1] = over(minus(r[q], times(f, r[p])), at_least(minus(m[q][1], times(f, m[p][1])), least));
    x[0] = over(minus(r[p], times(m[p][1], x[1])), pivot);
}

/* (T − λ) x = 0 for the rows above `top`, given x from there to `last`. */
static void substitute(const schur *s, complex2 lambda, int top, int last, double least, double *re,
                       double *im)
{
    const double large = 1e100;
    for (int j = top - 1; j >= 0; j--) {
        complex2 d = {*at(s, j, j) - lambda.re, -lambda.im}, r = moved(s, j, j + 1, last, re, im), x[2];
        if (j > 0 && *at(s, j, j - 1) != 0) {
            complex2 block[2][2] = {{{*at(s, j - 1, j - 1) - lambda.re, -lambda.im}, {*at(s, j - 1, j), 0}},
                                    {{*at(s, j, j - 1), 0}, d}};
            solve_two(block, (complex2[2]){moved(s, j - 1, j + 1, last, re, im), r}, least, x);
            re[j] = x[1].re, im[j] = x[1].im;
            j--;
        } else {
            x[0] = over(r, at_least(d, least));
        }
        re[j] = x[0].re, im[j] = x[0].im;
        double most = fmax(fabs(re[j]) + fabs(im[j]), fabs(re[j + 1]) + fabs(im[j + 1]));
        for (int i = j; most > large && i <= last; i++) re[i] /= large, im[i] /= large;
    }
}

/* D Q x of length one; of a complex vector the largest component is real. */
static void back_transform(const schur *s, int last, const double *x, double *out)
{
    const int n = s->n;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int m = 0; m <= last; m++) vg_add_scaled(out, x[m], s->q + (size_t)m * (size_t)n, n);
    for (int i = 0; i < n; i++) out[i] *= s->scale[i];
    put_back(s, out);
}

static void normalise(double *re, double *im, int n)
{
    double size = im ? hypot(vg_length(re, n), vg_length(im, n)) : vg_length(re, n), largest = -1;
    int most = 0;
    for (int i = 0; i < n; i++) {
        re[i] /= size;
        if (!im) continue;
        im[i] /= size;
        double square = re[i] * re[i] + im[i] * im[i];
        if (square > largest) largest = square, most = i;
    }
    if (!im) return;
    double r = hypot(re[most], im[most]), c = re[most] / r, t = im[most] / r;
    for (int i = 0; i < n; i++) {
        double kept = re[i];
        re[i] = c * kept + t * im[i];
        im[i] = c * im[i] - t * kept;
    }
    im[most] = 0;
}

static void vectors_of(const schur *s, double *vectors)
{
    const int n = s->n;
    const size_t N = (size_t)n;
    double *re = s->work, *im = re + n;
    for (int k = 0; k < n; k++) {
        complex2 lambda = {s->re[k], s->im[k]};
        double least = fmax(DBL_EPSILON * (fabs(lambda.re) + fabs(lambda.im)), DBL_MIN / DBL_EPSILON);
        int last = k;
        memset(re, 0, 2 * N * sizeof *re);
        re[k] = 1;
        if (lambda.im > 0) { /* the block's own vector */
            double b = *at(s, k, k + 1), c = *at(s, k + 1, k);
            last = k + 1;
            if (fabs(b) >= fabs(c)) {
                re[k + 1] = (lambda.re - *at(s, k, k)) / b;
                im[k + 1] = lambda.im / b;
            } else {
                re[k] = (lambda.re - *at(s, k + 1, k + 1)) / c;
                im[k] = lambda.im / c;
                re[k + 1] = 1;
            }
        }
        substitute(s, lambda, k, last, least, re, im);
        double *out = vectors + (size_t)k * N, *second = last > k ? out + n : NULL;
        back_transform(s, last, re, out);
        if (second) back_transform(s, last, im, second);
        normalise(out, second, n);
        k = last;
    }
}

vgStatus vg_eig_general(const double *a, int n, double *re, double *im, double *vectors)
{
    VG_EXPECT(n >= 0 && a && re && im);
    if (n < 1) return VG_BAD_INPUT;
    const size_t N = (size_t)n, all = N * N;
    for (size_t i = 0; i < all; i++)
        if (!isfinite(a[i])) return VG_NOT_FINITE;
    double *room = malloc(((vectors ? 2 : 1) * all + 5 * N) * sizeof *room);
    int *taken = calloc(N, sizeof *taken);
    if (!room || !taken) {
        free(room);
        free(taken);
        return VG_NO_MEMORY;
    }
    schur s = {
        .n = n, .taken = taken, .h = room, .scale = room + all, .work = room + all + N, .re = re, .im = im};
    if (vectors) s.q = room + all + 5 * N;
    memcpy(s.h, a, all * sizeof *a);
    isolate(&s);
    balance(&s);
    hessenberg(&s);
    int found = iterate(&s);
    if (found && vectors) vectors_of(&s, vectors);
    free(room);
    free(taken);
    return found ? VG_OK : VG_NOT_CONVERGED;
}

#include "linalg/eig_largest.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/eig.h"
#include "linalg/qr.h"
#include "linalg/tuning.h"

/* T Q = Q H + q_j bᵀ for the first j columns of Q, QᵀWQ = 1; q_j is the column after them. */
typedef struct Krylov {
    const vgMap *map;
    int j, most;            /* columns; at most */
    int news;               /* columns since the search began again */
    double *Q;              /* [(most + 1) × n], one column after the other */
    double *H, *b;          /* most × most by rows; [most] */
    double *wx, *t;         /* [n] */
    double *S, *x;          /* most², most²: a copy of H, eigenvectors */
    double *P;              /* [most × (want + …)]: the span that is kept, a column after the other */
    double *re, *im, *size; /* [most] */
    int *order;             /* [most] by |μ|, descending */
    uint64_t dice;
    int whole;  /* 1: there is no other direction */
    int looked; /* 1: map->look has seen estimates */
} Krylov;

static double *column(const Krylov *k, int i)
{
    return k->Q + (size_t)i * (size_t)k->map->n;
}

/* Knuth's linear congruences (The Art of Computer Programming, 3.3.4): −1 … 1. */
static double dice(Krylov *k)
{
    k->dice = k->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(k->dice >> 11) * 0x1p-52 - 1;
}

/* x becomes orthogonal to the first j columns, twice, since once loses digits; h (NULL: not wanted) gets the components.
 * Returns |x| afterwards; *before: |x| as it was. */
static double orthogonalise(Krylov *k, int j, double *x, double *h, double *before)
{
    const int n = k->map->n;
    for (int i = 0; h && i < j; i++) h[i] = 0;
    for (int pass = 0; pass < 2; pass++) {
        k->map->weigh(k->map->of, x, k->wx);
        if (pass == 0) *before = sqrt(fmax(0, vg_sum_products(x, k->wx, n)));
        for (int i = 0; i < j; i++) {
            double c = vg_sum_products(column(k, i), k->wx, n);
            vg_add_scaled(x, -c, column(k, i), n);
            if (h) h[i] += c;
        }
    }
    k->map->weigh(k->map->of, x, k->wx);
    double square = vg_sum_products(x, k->wx, n);
    return square > 0 ? sqrt(square) : 0;
}

static double size_of(Krylov *k, const double *x)
{
    k->map->weigh(k->map->of, x, k->wx);
    double square = vg_sum_products(x, k->wx, k->map->n);
    return square > 0 ? sqrt(square) : 0;
}

static void scale(double *x, double s, int n)
{
    for (int i = 0; i < n; i++) x[i] *= s;
}

/* A new direction: T² of random numbers has no part where T is zero. */
static void begin_again(Krylov *k)
{
    double *x = column(k, k->j);
    const int n = k->map->n;
    for (int i = 0; i < n; i++) x[i] = dice(k);
    k->map->apply(k->map->of, x);
    double once = size_of(k, x);
    if (once > 0) scale(x, 1 / once, n);
    k->map->apply(k->map->of, x);
    double before, left = orthogonalise(k, k->j, x, NULL, &before);
    k->news = 0;
    memset(k->b, 0, (size_t)k->most * sizeof *k->b);
    k->whole = !(once > 0) || !(left > VG_KRYLOV_NOTHING * before);
    if (!k->whole) scale(x, 1 / left, n);
}

/* One more column. */
static void extend(Krylov *k)
{
    const int n = k->map->n, j = k->j;
    const size_t m = (size_t)k->most;
    double *x = column(k, j + 1), *h = k->S; /* its room is free meanwhile */
    memcpy(k->H + (size_t)j * m, k->b, (size_t)j * sizeof *k->b);
    memcpy(x, column(k, j), (size_t)n * sizeof *x);
    k->map->apply(k->map->of, x);
    double before, left = orthogonalise(k, j + 1, x, h, &before);
    for (int i = 0; i <= j; i++) k->H[(size_t)i * m + (size_t)j] = h[i];
    memset(k->b, 0, m * sizeof *k->b);
    k->j++;
    k->news++;
    if (left > VG_KRYLOV_NOTHING * before) {
        k->b[j] = left;
        scale(x, 1 / left, n);
    } else { /* T maps the columns among themselves */
        begin_again(k);
    }
}

static int by_size(const Krylov *k, int a, int b)
{
    if (k->size[a] != k->size[b]) return k->size[a] > k->size[b] ? -1 : 1;
    return a - b; /* the two of a pair are neighbours and stay in order */
}

/* Eigenvalues and vectors of H, ordered. Room: S, x. */
static vgStatus ritz(Krylov *k)
{
    const int j = k->j;
    const size_t m = (size_t)k->most, n = (size_t)j;
    vgStatus st;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            k->S[r * n + c] = k->map->symmetric ? 0.5 * (k->H[r * m + c] + k->H[c * m + r]) : k->H[r * m + c];
    if (k->map->symmetric) {
        double *eye = calloc(n * n + 1, sizeof *eye);
        if (!eye) return VG_NO_MEMORY;
        for (size_t i = 0; i < n; i++) eye[i * n + i] = 1;
        st = vg_eig_symmetric_pair(k->S, eye, j, k->re, k->x);
        memset(k->im, 0, n * sizeof *k->im);
        free(eye);
    } else {
        st = vg_eig_general(k->S, j, k->re, k->im, k->x);
    }
    for (int i = 0; i < j; i++) {
        k->size[i] = hypot(k->re[i], k->im[i]);
        if (i > 0 && k->im[i] < 0) k->size[i] = k->size[i - 1];
        k->order[i] = i;
    }
    for (int i = 1; i < j; i++) /* few */
        for (int l = i; l > 0 && by_size(k, k->order[l], k->order[l - 1]) < 0; l--) {
            int o = k->order[l];
            k->order[l] = k->order[l - 1], k->order[l - 1] = o;
        }
    return st;
}

/* The first `keep` in order, one more where that would split a pair. */
static int whole_pairs(const Krylov *k, int keep)
{
    if (keep > k->j) keep = k->j;
    if (keep > 0 && keep < k->j && k->im[k->order[keep - 1]] > 0) keep++;
    return keep;
}

/* 1: the eigenvector i has a residual |bᵀx| of rounding, or of `rough` times its eigenvalue. */
static int is_settled(const Krylov *k, int i, double rough)
{
    if (k->im[i] < 0) i--;
    const size_t j = (size_t)k->j;
    const double *x = k->x + (size_t)i * j;
    double a = vg_sum_products(k->b, x, k->j), b = k->im[i] > 0 ? vg_sum_products(k->b, x + j, k->j) : 0;
    double length = k->im[i] > 0 ? hypot(vg_length(x, k->j), vg_length(x + j, k->j)) : vg_length(x, k->j);
    return hypot(a, b) <= (rough * k->size[i] + VG_KRYLOV_ROUNDS * k->size[k->order[0]]) * length;
}

/* Rows of Q times P (j × p), some rows at a time. */
static void combine(Krylov *k, int p)
{
    enum { ROWS = 64 };
    const int n = k->map->n, j = k->j;
    double old[ROWS];
    double *room = k->x; /* p × ROWS ≤ most², for most ≥ ROWS */
    for (int r = 0; r < n; r += ROWS) {
        const int rows = n - r < ROWS ? n - r : ROWS;
        memset(room, 0, (size_t)p * ROWS * sizeof *room);
        for (int i = 0; i < j; i++) {
            memcpy(old, column(k, i) + r, (size_t)rows * sizeof *old);
            for (int c = 0; c < p; c++)
                vg_add_scaled(room + (size_t)c * ROWS, k->P[(size_t)c * (size_t)k->most + (size_t)i], old,
                              rows);
        }
        for (int c = 0; c < p; c++)
            memcpy(column(k, c) + r, room + (size_t)c * ROWS, (size_t)rows * sizeof *old);
    }
}

/* The span of the first `keep` eigenvectors becomes the whole: Q := Q P, H := PᵀHP, b := Pᵀb. */
static void restart(Krylov *k, int keep)
{
    const int j = k->j;
    const size_t m = (size_t)k->most;
    int p = 0;
    for (int o = 0; o < keep; o++) {
        double *to = k->P + (size_t)p * m;
        memcpy(to, k->x + (size_t)k->order[o] * (size_t)j, (size_t)j * sizeof *to);
        double length = vg_length(to, j);
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < p; i++)
                vg_add_scaled(to, -vg_sum_products(k->P + (size_t)i * m, to, j), k->P + (size_t)i * m, j);
        double left = vg_length(to, j);
        if (!(left > VG_KRYLOV_NOTHING * length)) continue; /* of a defective eigenvalue */
        scale(to, 1 / left, j);
        p++;
    }
    for (int c = 0; c < p; c++) /* S := H P, column by column */
        for (int r = 0; r < j; r++)
            k->S[(size_t)c * m + (size_t)r] = vg_sum_products(k->H + (size_t)r * m, k->P + (size_t)c * m, j);
    for (int r = 0; r < p; r++)
        for (int c = 0; c < p; c++)
            k->H[(size_t)r * m + (size_t)c] = vg_sum_products(k->P + (size_t)r * m, k->S + (size_t)c * m, j);
    for (int c = 0; c < p; c++) k->S[c] = vg_sum_products(k->b, k->P + (size_t)c * m, j);
    memset(k->b, 0, m * sizeof *k->b);
    memcpy(k->b, k->S, (size_t)p * sizeof *k->b);
    combine(k, p);
    memcpy(column(k, p), column(k, j), (size_t)k->map->n * sizeof(double));
    k->j = p;
}

/* Eigenvectors of T from those of H. */
static void give(const Krylov *k, int count, double *re, double *im, double *vectors)
{
    const int n = k->map->n, j = k->j;
    for (int o = 0; o < count; o++) {
        const int i = k->order[o];
        double *to = vectors + (size_t)o * (size_t)n;
        re[o] = k->re[i], im[o] = k->im[i];
        memset(to, 0, (size_t)n * sizeof *to);
        const double *x = k->x + (size_t)i * (size_t)j;
        const int first = k->im[i] < 0 ? i - 1 : i;
        double length = vg_length(k->x + (size_t)first * (size_t)j, k->im[i] != 0 ? 2 * j : j);
        for (int c = 0; c < j; c++) vg_add_scaled(to, x[c] / length, column(k, c), n);
    }
}

static vgStatus take_memory(Krylov *k, int want)
{
    const int n = k->map->n;
    const size_t m = (size_t)k->most, N = (size_t)n;
    (void)want;
    k->Q = malloc((m + 1) * (N + 1) * sizeof *k->Q);
    k->H = calloc(4 * m * m + 5 * m + 2 * N, sizeof *k->H);
    k->order = calloc(m, sizeof *k->order);
    if (!k->Q || !k->H || !k->order) return VG_NO_MEMORY;
    k->S = k->H + m * m, k->x = k->S + m * m, k->P = k->x + m * m;
    k->b = k->P + m * m, k->re = k->b + m, k->im = k->re + m, k->size = k->im + m;
    k->wx = k->size + m, k->t = k->wx + N;
    return VG_OK;
}

/* Adds columns until the wanted eigenvalues have converged (*settled) or there is no more room. beside: the next one beside
 * them is known as well, so that the search can be said to have found nothing larger. */
static vgStatus round_of(Krylov *k, int want, int beside, int *settled)
{
    vgStatus st = VG_OK;
    for (*settled = 0; st == VG_OK && !*settled;) {
        const int until = k->j + VG_KRYLOV_STEP < k->most ? k->j + VG_KRYLOV_STEP : k->most;
        while (k->j < until && !k->whole) extend(k);
        st = ritz(k);
        const int count = st == VG_OK ? whole_pairs(k, want) : 0;
        *settled = st == VG_OK && (k->whole || k->j > count);
        for (int o = 0; o < count && !k->whole; o++)
            *settled &= is_settled(k, k->order[o], VG_KRYLOV_SETTLED);
        if (*settled && beside && !k->whole) *settled &= is_settled(k, k->order[count], VG_KRYLOV_ROUGH);
        if (k->j == k->most || k->whole || (!beside && k->map->look && k->j == until && !k->looked)) break;
    }
    return st;
}

static int is_unwelcome(Krylov *k, int count)
{
    for (int o = 0; o < count; o++) k->P[o] = k->re[k->order[o]]; /* its room is free meanwhile */
    return k->map->look(k->map->of, count, k->P);
}

vgStatus vg_eig_largest(const vgMap *map, int want, int *found, double *re, double *im, double *vectors)
{
    Krylov k = {.map = map, .dice = 1};
    double least = 0; /* |μ| of the last wanted one in the search before */
    int searches = 0, settled = 0, rounds = 0;
    k.most = 2 * want + VG_KRYLOV_MORE;
    *found = 0;
    vgStatus st = take_memory(&k, want);
    if (st == VG_OK) begin_again(&k);
    for (; st == VG_OK; rounds++) {
        st = round_of(&k, want, searches > 0, &settled);
        if (st != VG_OK) break;
        const int count = whole_pairs(&k, want);
        if (map->look && !k.looked) {
            k.looked = k.j > want || k.whole;
            if (k.looked && is_unwelcome(&k, count)) {
                st = VG_LIMIT;
                break;
            }
            if (!settled && !k.whole && k.j < k.most) continue;
        }
        const double last = count ? k.size[k.order[count - 1]] : 0;
        if (k.whole || (settled && searches > 0 && last <= least * (1 + VG_KRYLOV_SAME))) {
            int finite = 0;
            while (finite < count && k.size[k.order[finite]] > VG_KRYLOV_ZERO * k.size[k.order[0]]) finite++;
            *found = finite;
            give(&k, finite, re, im, vectors);
            break;
        }
        if (rounds >= VG_KRYLOV_ROUNDS_MOST) st = VG_NOT_CONVERGED;
        if (settled) { /* look beside them */
            least = last;
            searches++;
            restart(&k, count);
            begin_again(&k);
        } else {
            restart(&k, whole_pairs(&k, want + VG_KRYLOV_MORE / 2 < k.j - 2 ? want + VG_KRYLOV_MORE / 2
                                                                            : k.j - 2));
        }
    }
    free(k.Q);
    free(k.H);
    free(k.order);
    return st;
}

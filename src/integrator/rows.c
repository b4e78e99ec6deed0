#include "integrator/rows.h"

#include <stddef.h>

/* Where the compiler knows how many rows there are, their weights and addresses stay in registers. */
#define INLINED static inline __attribute__((always_inline))

INLINED void sum_of(int count, int n, double b, const double *base, const double *restrict c,
                    const double *const *restrict row, double *out)
{
#define SUM(N, i)                                                                                            \
    do {                                                                                                     \
        vgFour x = b * GET(N, base + (i));                                                                   \
        for (int j = 0; j < count; j++) x += c[j] * GET(N, row[j] + (i));                                    \
        PUT(N, out + (i), x);                                                                                \
    } while (0)
    VG_FOURS(n, SUM);
}

VG_PASS void vg_rows_sum(int n, double b, const double *base, int count, const double *c,
                         const double *const *row, double *out)
{
    if (!base && count == 0) {
        vg_dzero(n, out);
        return;
    }
    if (!base) {
        b = *c++;
        base = *row++;
        count--;
    }
    switch (count) {
    case 1:
        sum_of(1, n, b, base, c, row, out);
        return;
    case 2:
        sum_of(2, n, b, base, c, row, out);
        return;
    case 3:
        sum_of(3, n, b, base, c, row, out);
        return;
    case 4:
        sum_of(4, n, b, base, c, row, out);
        return;
    case 5:
        sum_of(5, n, b, base, c, row, out);
        return;
    default:
        sum_of(count, n, b, base, c, row, out);
    }
}

INLINED void pair_of(int count, int n, const double *about, const double *const *restrict row,
                     const double *restrict c1, double *out1, const double *restrict c2, double *out2)
{
    static const double zero[4];
    const double *o = about ? about : zero;
    int moves = about ? ~0 : 0;
#define PAIR(N, i)                                                                                           \
    do {                                                                                                     \
        vgFour from = GET(N, o + ((i)&moves)), r = GET(N, row[0] + (i)) - from, x = c1[0] * r,               \
               y = c2[0] * r;                                                                                \
        for (int j = 1; j < count; j++) {                                                                    \
            r = GET(N, row[j] + (i)) - from;                                                                 \
            x += c1[j] * r;                                                                                  \
            y += c2[j] * r;                                                                                  \
        }                                                                                                    \
        PUT(N, out1 + (i), x);                                                                               \
        PUT(N, out2 + (i), y);                                                                               \
    } while (0)
    VG_FOURS(n, PAIR);
}

VG_PASS void vg_rows_pair(int n, const double *about, int count, const double *const *row, const double *c1,
                          double *out1, const double *c2, double *out2)
{
    switch (count) {
    case 0:
        vg_dzero(n, out1);
        vg_dzero(n, out2);
        return;
    case 3:
        pair_of(3, n, about, row, c1, out1, c2, out2);
        return;
    case 4:
        pair_of(4, n, about, row, c1, out1, c2, out2);
        return;
    case 5:
        pair_of(5, n, about, row, c1, out1, c2, out2);
        return;
    case 6:
        pair_of(6, n, about, row, c1, out1, c2, out2);
        return;
    default:
        pair_of(count, n, about, row, c1, out1, c2, out2);
    }
}

VG_PASS double vg_rows_largest(int n, const double *x, const double *w)
{
    vgFour most = {0}, sum = {0};
#define LARGEST(N, i)                                                                                        \
    do {                                                                                                     \
        vgFour y = VG_SIZE_OF(GET(N, x + (i)));                                                              \
        if (w) y *= GET(N, w + (i));                                                                         \
        most = VG_LARGER(y, most);                                                                           \
        sum += y;                                                                                            \
    } while (0)
    VG_FOURS(n, LARGEST);
    double all = VG_TOTAL(sum);
    return all - all == 0 ? VG_LARGEST(most) : NAN;
}

VG_PASS void vg_rows_largest_two(int n, const double *x, const double *y, double most[2])
{
    vgFour a = {0}, b = {0}, sum = {0};
#define LARGEST_TWO(N, i)                                                                                    \
    do {                                                                                                     \
        vgFour u = VG_SIZE_OF(GET(N, x + (i))), v = VG_SIZE_OF(GET(N, y + (i)));                             \
        a = VG_LARGER(u, a);                                                                                 \
        b = VG_LARGER(v, b);                                                                                 \
        sum += u + v;                                                                                        \
    } while (0)
    VG_FOURS(n, LARGEST_TWO);
    double all = VG_TOTAL(sum);
    most[0] = all - all == 0 ? VG_LARGEST(a) : NAN;
    most[1] = VG_LARGEST(b);
}

VG_PASS double vg_rows_reach(int n, double h, const double *v, const double *a, const double *w)
{
    vgFour speed = {0}, push = {0}, sum = {0};
#define REACH(N, i)                                                                                          \
    do {                                                                                                     \
        vgFour x = VG_SIZE_OF(GET(N, v + (i))) * GET(N, w + (i)),                                            \
               y = VG_SIZE_OF(GET(N, a + (i))) * GET(N, w + (i));                                            \
        speed = VG_LARGER(x, speed);                                                                         \
        push = VG_LARGER(y, push);                                                                           \
        sum += x + y;                                                                                        \
    } while (0)
    VG_WHOLE_FOURS(n, REACH);
    double all = VG_TOTAL(sum);
    return all - all == 0 ? h * (VG_LARGEST(speed) + 0.5 * h * VG_LARGEST(push)) : NAN;
}

VG_PASS int vg_rows_are_finite(int n, const double *x, int m, const double *y)
{
    vgFour sum = {0};
#define OF_X(N, i) sum += GET(N, x + (i))
#define OF_Y(N, i) sum += GET(N, y + (i))
    VG_FOURS(n, OF_X);
    VG_FOURS(m, OF_Y);
    double all = VG_TOTAL(sum);
    return all - all == 0;
}

VG_PASS double vg_rows_speed(int n, const double *q, int m, const double *v)
{
    vgFour sum = {0}, most = {0};
#define OF_Q(N, i) sum += GET(N, q + (i))
#define OF_V(N, i)                                                                                           \
    do {                                                                                                     \
        vgFour x = GET(N, v + (i)), y = VG_SIZE_OF(x);                                                       \
        sum += x;                                                                                            \
        most = VG_LARGER(y, most);                                                                           \
    } while (0)
    VG_FOURS(n, OF_Q);
    VG_FOURS(m, OF_V);
    double all = VG_TOTAL(sum);
    return all - all == 0 ? VG_LARGEST(most) : NAN;
}

void vg_rows_combine(int n, double h, const double *coef, int count, const double *a, const double *a_rows,
                     double *a_out, const double *b, const double *b_rows, double *b_out)
{
    double c[VG_ROWS_MAX];
    const double *ra[VG_ROWS_MAX], *rb[VG_ROWS_MAX];
    int used = 0;
    for (int j = 0; j < count; j++) {
        if (coef[j] == 0) continue;
        c[used] = h * coef[j];
        ra[used] = a_rows + (size_t)j * (size_t)n;
        rb[used++] = b_rows + (size_t)j * (size_t)n;
    }
    vg_rows_sum(n, 1, a, used, c, ra, a_out);
    if (b_out) vg_rows_sum(n, 1, b, used, c, rb, b_out);
}

VG_PASS void vg_points_beside(int n, int count, double (*weight)[4], const double *points, double *out)
{
#define BESIDE(N, i)                                                                                         \
    do {                                                                                                     \
        vgFour x = {0}, y = x;                                                                               \
        const double *at = points + (i);                                                                     \
        VG_ROLLED                                                                                            \
        for (int j = 0; j < count; j++, at += n) {                                                           \
            x += weight[j][2] * GET(N, at);                                                                  \
            y += weight[j][3] * GET(N, at);                                                                  \
        }                                                                                                    \
        PUT(N, out + (i), x);                                                                                \
        PUT(N, out + n + (i), y);                                                                            \
    } while (0)
    VG_WHOLE_FOURS(n, BESIDE);
}

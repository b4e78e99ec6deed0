#include "integrator/rows.h"

#include <stddef.h>

/* Four numbers at any address. A block of the result stays in registers while the rows pass by. */
typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long mask __attribute__((vector_size(32), may_alias));

#define AT(x) (*(const vec *)(x))

/* Four numbers and up to three more, for a few joints: the rows pass by once. */
static void sum_few(int more, double b, const double *base, int count, const double *c,
                    const double *const *row, double *out)
{
    vec x = {0};
    double y0 = 0, y1 = 0, y2 = 0;
    if (base) {
        x = b * AT(base);
        if (more > 0) y0 = b * base[4];
        if (more > 1) y1 = b * base[5];
        if (more > 2) y2 = b * base[6];
    }
    for (int j = 0; j < count; j++) {
        const double *r = row[j];
        double f = c[j];
        x += f * AT(r);
        if (more > 0) y0 += f * r[4];
        if (more > 1) y1 += f * r[5];
        if (more > 2) y2 += f * r[6];
    }
    *(vec *)out = x;
    if (more > 0) out[4] = y0;
    if (more > 1) out[5] = y1;
    if (more > 2) out[6] = y2;
}

void vg_rows_sum(int n, double b, const double *base, int count, const double *c, const double *const *row,
                 double *out)
{
    int i = 0;
    if (n >= 4 && n < 8) {
        sum_few(n - 4, b, base, count, c, row, out);
        return;
    }
    for (; i + 8 <= n; i += 8) {
        vec x = {0}, y = {0};
        if (base) {
            x = b * AT(base + i);
            y = b * AT(base + i + 4);
        }
        for (int j = 0; j < count; j++) {
            x += c[j] * AT(row[j] + i);
            y += c[j] * AT(row[j] + i + 4);
        }
        *(vec *)(out + i) = x;
        *(vec *)(out + i + 4) = y;
    }
    for (; i + 4 <= n; i += 4) {
        vec x = {0};
        if (base) x = b * AT(base + i);
        for (int j = 0; j < count; j++) x += c[j] * AT(row[j] + i);
        *(vec *)(out + i) = x;
    }
    for (; i < n; i++) {
        double x = base ? b * base[i] : 0;
        for (int j = 0; j < count; j++) x += c[j] * row[j][i];
        out[i] = x;
    }
}

void vg_rows_pair(int n, const double *about, int count, const double *const *row, const double *c1,
                  double *out1, const double *c2, double *out2)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        vec x = {0}, y = {0}, o = {0};
        if (about) o = AT(about + i);
        for (int j = 0; j < count; j++) {
            vec r = AT(row[j] + i) - o;
            x += c1[j] * r;
            y += c2[j] * r;
        }
        *(vec *)(out1 + i) = x;
        *(vec *)(out2 + i) = y;
    }
    for (; i < n; i++) {
        double x = 0, y = 0, o = about ? about[i] : 0;
        for (int j = 0; j < count; j++) {
            double r = row[j][i] - o;
            x += c1[j] * r;
            y += c2[j] * r;
        }
        out1[i] = x;
        out2[i] = y;
    }
}

double vg_rows_largest(int n, const double *x, const double *w)
{
    vec m = {0}, sum = {0};
    double most = 0, all = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        vec y = (vec)((mask)AT(x + i) & 0x7fffffffffffffffLL);
        if (w) y *= AT(w + i);
        mask up = y > m;
        m = (vec)(((mask)y & up) | ((mask)m & ~up));
        sum += y;
    }
    for (; i < n; i++) {
        double y = w ? fabs(x[i]) * w[i] : fabs(x[i]);
        most = vg_larger(y, most);
        all += y;
    }
    all += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    if (!(all - all == 0)) return NAN;
    return vg_larger(vg_larger(vg_larger(m[0], m[1]), vg_larger(m[2], m[3])), most);
}

double vg_rows_total(int n, const double *x)
{
    vec a = {0}, b = {0};
    double all = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        a += AT(x + i);
        b += AT(x + i + 4);
    }
    for (; i < n; i++) all += x[i];
    a += b;
    return all + ((a[0] + a[1]) + (a[2] + a[3]));
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

#include "analysis/study/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_IN_BIN = 4 };

typedef struct Pair {
    double x, y;
    long run;
} Pair;

static int by_x(const void *a, const void *b)
{
    const Pair *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->run < q->run ? -1 : p->run > q->run;
}

/* The end of the bin that begins at `from`: equal numbers, but runs with the same value stay together. */
static long end_of(const Pair *p, long n, long from, long size)
{
    long end = from + size < n ? from + size : n;
    while (end < n && p[end].x == p[end - 1].x) end++;
    return n - end < LEAST_IN_BIN && n - end < size ? n : end;
}

static void sum_up(const Pair *p, long n, vgEffect *out)
{
    double mean = 0, all = 0, between = 0, within = 0;
    for (long i = 0; i < n; i++) mean += p[i].y / (double)n;
    for (long i = 0; i < n; i++) all += (p[i].y - mean) * (p[i].y - mean);
    long size = n / VG_EFFECT_BINS > 1 ? (n + VG_EFFECT_BINS - 1) / VG_EFFECT_BINS : 1;
    for (long from = 0; from < n && out->bins < VG_EFFECT_BINS;) {
        long end = out->bins == VG_EFFECT_BINS - 1 ? n : end_of(p, n, from, size);
        double x = 0, y = 0, count = (double)(end - from);
        for (long i = from; i < end; i++) x += p[i].x / count, y += p[i].y / count;
        for (long i = from; i < end; i++) within += (p[i].y - y) * (p[i].y - y);
        between += count * (y - mean) * (y - mean);
        out->at[out->bins] = x;
        out->mean[out->bins++] = y;
        from = end;
    }
    if (out->bins < 2 || !(all > 0)) {
        out->bins = 0;
        return;
    }
    out->least = out->most = out->mean[0];
    for (int k = 0; k < out->bins; k++) {
        out->least = fmin(out->least, out->mean[k]);
        out->most = fmax(out->most, out->mean[k]);
    }
    double chance = n > out->bins ? within / (double)(n - out->bins) * (out->bins - 1) : 0;
    out->index = fmax((between - chance) / all, 0);
    out->noise = sqrt(2.0 * (out->bins - 1)) / (double)n +
                 2 * sqrt(out->index * (1 - fmin(out->index, 1)) / (double)n);
}

int vg_effect(long n, const double *x, long x_stride, const double *y, long y_stride, vgEffect *out)
{
    long kept = 0;
    Pair *p = malloc((size_t)n * sizeof *p + 1);
    *out = (vgEffect){.index = NAN, .noise = NAN, .least = NAN, .most = NAN};
    if (!p) return 0;
    for (long i = 0; i < n; i++) {
        double a = x[i * x_stride], b = y[i * y_stride];
        if (isfinite(a) && isfinite(b)) p[kept++] = (Pair){a, b, i};
    }
    if (kept > 1) {
        qsort(p, (size_t)kept, sizeof *p, by_x);
        sum_up(p, kept, out);
    }
    free(p);
    return 1;
}

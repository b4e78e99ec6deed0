#include "analysis/run/corners.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 4096 };

int vg_corners_new(vgCorners *c)
{
    *c = (vgCorners){.t = calloc(MOST, sizeof(double))};
    return c->t != NULL;
}

void vg_corners_free(vgCorners *c)
{
    free(c->t);
    c->t = NULL;
}

static void add(vgCorners *c, const vgLaw *law, double t0, double end)
{
    if (law && law->expr) c->n += vg_expr_corners(law->expr, t0, end, c->t + c->n, MOST - c->n);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void vg_corners_find(vgCorners *c, const vgModel *m, double t0, double end)
{
    for (int i = 0; i < m->nprim; i++) add(c, m->prim[i].law, t0, end);
    for (int f = 0; f < m->nforce; f++)
        for (int l = 0; l < m->force[f].setup.nlaw; l++) add(c, m->force[f].setup.law[l], t0, end);
    qsort(c->t, (size_t)c->n, sizeof(double), by_value);
    int n = 0;
    for (int i = 0; i < c->n; i++)
        if (c->t[i] > t0 && (n == 0 || c->t[i] > c->t[n - 1] * (1 + 1e-14) + 1e-300)) c->t[n++] = c->t[i];
    c->n = n;
}

double vg_corners_next(vgCorners *c, double t, double eps)
{
    while (c->at < c->n && c->t[c->at] <= t + eps) c->at++;
    return c->at < c->n ? c->t[c->at] : INFINITY;
}

double vg_corners_last(const vgCorners *c)
{
    return c->at > 0 ? c->t[c->at - 1] : -INFINITY;
}

double vg_corners_beside(double t, double h)
{
    return 1.5e-14 * (fabs(t) + h);
}

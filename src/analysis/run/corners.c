#include "analysis/run/corners.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "integrator/stage/stage.h"

enum { MOST = 4096 }; /* known at a time */

/* A drive's value that jumps by less is a constant that was written with few digits; Newton's iteration takes
 * the step, and the velocities do not see it. In units of the value, or of 1 (rad, m) where that is less. */
static const double JUMP = 1e-9;

/* A force's law has another value behind the start if it differs by more than this part of it: rounding of the law
 * is 1e-15, and what is smaller changes no motion that is looked at. */
static const double OTHER_VALUE = 1e-9;

/* Corners of two laws are one time when they are apart by rounding alone: some 20 units in the last place. Twice
 * and half that change nothing unless two corners are meant to be that close. */
static const double SAME_TIME = 4e-15;

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

/* Calls visit for every law of the model. */
static void every_law(vgCorners *c, double t0, void (*visit)(vgCorners *, const vgLaw *, double t0))
{
    const vgModel *m = c->model;
    for (int i = 0; i < m->nprim; i++)
        if (m->prim[i].law && m->prim[i].law->expr) visit(c, m->prim[i].law, t0);
    for (int f = 0; f < m->nforce; f++)
        for (int l = 0; l < m->force[f].setup.nlaw; l++)
            if (m->force[f].setup.law[l]->expr) visit(c, m->force[f].setup.law[l], t0);
}

static void add(vgCorners *c, const vgLaw *law, double t0)
{
    int room = MOST - c->n, n = vg_expr_corners(law->expr, t0, c->known, c->t + c->n, room);
    if (n == room && n > 0) c->known = nextafter(c->t[c->n + n - 1], INFINITY); /* there may be more */
    c->n += n;
}

/* Does a force's law of time have another value behind t0 than at it? Drives are behind t0 from the start. */
static void at_start(vgCorners *c, const vgLaw *law, double t0)
{
    double about = vg_corners_beside(t0, c->end - t0), y[3];
    if (!vg_law_is_time(law)) return;
    double x = vg_law_value(law, t0, 0, NULL, NULL, NULL);
    vg_law_time(law, t0 + about, y);
    if (fabs(y[0] - x) > 4 * about * fabs(y[1]) + OTHER_VALUE * (fabs(x) + fabs(y[0]))) c->at_start = 1;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The corners from t0 on, as many as there is room for. Those of laws that mean the same time are one, the
 * last of them, where all are on their new sides. */
static void fill(vgCorners *c, double t0)
{
    double known;
    c->known = c->end;
    do { /* a law with many corners shortens the time for those before it: look again up to there */
        known = c->known;
        c->n = c->at = 0;
        every_law(c, t0, add);
    } while (c->known < known);
    qsort(c->t, (size_t)c->n, sizeof(double), by_value);
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        if (n > 0 && c->t[i] <= c->t[n - 1] + SAME_TIME * fabs(c->t[i])) n--;
        c->t[n++] = c->t[i];
    }
    c->n = n;
}

void vg_corners_find(vgCorners *c, const vgModel *m, double t0, double end)
{
    c->model = m;
    c->end = end;
    c->at_start = 0;
    fill(c, t0);
    every_law(c, t0, at_start);
}

double vg_corners_next(vgCorners *c, double t, double eps)
{
    while (c->at < c->n && c->t[c->at] <= t + eps) c->at++;
    if (c->at == c->n && c->known < c->end && t + eps < c->end) fill(c, fmax(t + eps, c->known));
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

/* Does derivative k of the law jump at t? A law that bends there without a jump, or has no value on one side,
 * does not. */
static int jumps(const vgLaw *law, int k, double t, double beside, double least, double before[3],
                 double behind[3])
{
    vg_law_time(law, t - beside, before);
    vg_law_time(law, t + beside, behind);
    double x = before[k], y = behind[k], size = fabs(x) + fabs(y);
    double bend = 4 * beside * (fabs(before[k + 1]) + fabs(behind[k + 1]));
    return isfinite(x) && isfinite(y) && fabs(y - x) > bend + least * fmax(size, k == 0 ? 1 : 0);
}

/* Words for a drive whose value jumps. */
static vgStatus refuse(vgIntegrator *it, const vgPrim *p, double t, double from, double to)
{
    vg_fail(it, VG_INCONSISTENT, t,
            "the law jumps at %.9g s: drive '%s' asks for %.6g before and %.6g behind (%s), and no motion "
            "follows that. Let it go there in a time of its own, for example step(t, %.6g, %.6g, %.6g, %.6g)",
            t, it->sys->model->joint[p->joint].name, from, to,
            p->law->where ? p->law->where : "a law given by the program", t, from, t + 0.1, to);
    return VG_INCONSISTENT;
}

/* Where the rate of a drive jumps the joints strike: M (v₊ − v₋) = −BᵀΛ with B v₊ = −Φ_t behind the jump,
 * which is the projection in the mass metric. Without it index 3 to 1 would take their velocities back and
 * forth over steps, and settings that solve for the dependent ones would leave the free ones as they were. */
vgStatus vg_corners_strike(vgIntegrator *it, vgState *s, double beside)
{
    const vgSystem *sys = it->sys;
    const vgModel *m = sys->model;
    double x[3], y[3];
    int strikes = 0;
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        if (!p->law || !p->law->expr || p->level > 1) continue;
        if (p->level == 0 && jumps(p->law, 0, s->t, beside, JUMP, x, y))
            return refuse(it, p, s->t, x[0], y[0]);
        strikes |= jumps(p->law, 1 - p->level, s->t, beside, 1e-8, x, y);
    }
    if (!strikes) return VG_OK;
    vgStatus st = sys->ops->project_v(sys, it->work, s->t, s->q, s->v);
    if (st != VG_OK)
        vg_fail_equation(it, st, s->t, it->work->bad_row, "the rate of a drive jumps, and cannot be met");
    return st;
}

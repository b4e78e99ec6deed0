#include "analysis/run/singular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/state/assemble.h"
#include "integrator/rows.h"
#include "integrator/stage/stage.h"
#include "math/dense.h"
#include "analysis/tuning.h"

enum { PARTS = 8 };
/* The distance is computed after a step if one of the first five bounds is exceeded. All are ratios. */
static const double LEAP = 4;     /* reactions: growth in one step */
static const double CHANGE = 0.3; /* accelerations: change in one step, relative to their recent size */
static const double JUMP = 0.3;   /* velocities: change in one step beyond h·a, relative to the speed */
static const double FALLS =
    0.25; /* smallest pivot of the dependent coordinates: at the end to at the start */
static const double SHOWS = 0.01; /* accelerations whose change alters the speed by less are ignored */
static const double FADES = 0.99; /* decay per step of the recent sizes of accelerations and reactions */
static const double NEARLY =
    0.3; /* displacement since the distance was computed, relative to that distance */
static const double LANDED =
    0.125; /* a step whose distance falls below this part ends in a singular position */
static const double LANDS = 0.25; /* the same for a failed step, whose end is only extrapolated */

struct vgSingular {
    vgIntegrator *it;
    vgRowChoice *rows;
    vgState *before;
    double *unit, *x, *q; /* nv: 1/scale; nv; nq */
    double pivot;         /* of dependent coordinates, before the step */
    double acc, lambda;   /* recent largest accelerations and reactions, decaying by FADES */
    double regular, way;  /* the distance last computed, and the displacement since then */
    int close;            /* 1: this step can reach a singular position */
};

void vg_singular_free(vgSingular *x)
{
    if (!x) return;
    vg_state_free(x->before);
    free(x->unit);
    free(x);
}

static double distance(vgSingular *x, double t, const double *q)
{
    return vg_row_choice_distance(x->rows, t, q);
}

/* q ⊕ (h v + ½ h² a) */
static void foretell(vgSingular *x, const vgState *s, double h, double *q)
{
    const vgSystem *sys = x->it->sys;
    for (int i = 0; i < sys->nv; i++) x->x[i] = h * (s->v[i] + 0.5 * h * s->a[i]);
    sys->ops->retract(sys, s->q, x->x, q);
}

vgStatus vg_singular_new(vgIntegrator *it, vgRowChoice *rows, const vgState *s, vgSingular **out)
{
    const vgSystem *sys = it->sys;
    *out = NULL;
    if (!rows || !vg_row_choice_looks(rows)) return VG_OK;
    vgSingular *x = calloc(1, sizeof *x);
    if (!x) return VG_NO_MEMORY;
    x->it = it;
    x->rows = rows;
    x->unit = calloc(2 * (size_t)vg_whole(sys->nv) + (size_t)sys->nq + 1, sizeof *x->unit);
    vgStatus st = x->unit ? vg_state_new(sys, s->nhistory, &x->before) : VG_NO_MEMORY;
    if (st != VG_OK) {
        vg_singular_free(x);
        return st;
    }
    x->x = x->unit + vg_whole(sys->nv);
    x->q = x->x + sys->nv;
    vg_state_copy(sys, x->before, s);
    for (int i = 0; i < sys->nv; i++) x->unit[i] = 1 / sys->v_scale[i];
    x->regular = distance(x, s->t, s->q);
    *out = x;
    return VG_OK;
}

/* As long as the displacement since the distance d was computed is below NEARLY d, no singular position can be
 * reached. */
void vg_singular_before(vgSingular *x, const vgState *s, double h)
{
    double way = vg_row_choice_reach(x->rows, s, h);
    x->way += way;
    x->close = x->way > NEARLY * x->regular;
    if (!x->close) return;
    x->regular = distance(x, s->t, s->q);
    x->way = way;
    x->close = x->way > NEARLY * x->regular;
    if (x->close) vg_singular_hold(x, s);
}

void vg_singular_hold(vgSingular *x, const vgState *s)
{
    vg_state_copy(x->it->sys, x->before, s);
    x->pivot = x->it->work->pivot;
}

/* The smallest distance at the method's stages in a step of size h from s; stages before the part `first` of the step
 * are left out. */
static double least_within(vgSingular *x, const vgState *s, double h, double first)
{
    double least = INFINITY;
    for (int i = 0; i < x->it->nnode; i++) {
        double part = x->it->node[i] * h;
        if (fabs(x->it->node[i]) < first) continue;
        foretell(x, s, part, x->q);
        least = fmin(least, distance(x, s->t + part, x->q));
    }
    return least;
}

int vg_singular_within(vgSingular *x, const vgState *s, double h)
{
    /* before this part of the step no singular position can be reached */
    return x->close && least_within(x, s, h, NEARLY * x->regular / x->way) < LANDED * x->regular;
}

/* LEAPT: accelerations or reactions changed suddenly, as in a step that ends in a singular position. JUMPED:
 * velocities too, as in a step that changes to the other motion there. */
enum { LEAPT = 1, JUMPED = 2 };

static int leaps(vgSingular *x, const vgState *s, double h)
{
    const vgSystem *sys = x->it->sys;
    const vgState *b = x->before;
    if (x->it->work->pivot < FALLS * x->pivot) return LEAPT;
    const double *unit = x->unit, *a0 = b->a, *a1 = s->a, *v0 = b->v, *v1 = s->v;
    vgFour speeds = {0}, accs = {0}, changes = {0}, jumps = {0};
#define SIZES(N, i)                                                                                          \
    do {                                                                                                     \
        vgFour u = GET(N, unit + (i)), a_0 = GET(N, a0 + (i)), v_0 = GET(N, v0 + (i)),                       \
               v_1 = GET(N, v1 + (i)), y_0 = u * VG_SIZE_OF(v_0), y_1 = u * VG_SIZE_OF(v_1),                 \
               y_a = u * VG_SIZE_OF(a_0), y_c = GET(N, a1 + (i)) - a_0, y_j = v_1 - v_0 - h * a_0;           \
        y_c = u * VG_SIZE_OF(y_c);                                                                           \
        y_j = u * VG_SIZE_OF(y_j);                                                                           \
        y_0 = VG_LARGER(y_0, y_1);                                                                           \
        speeds = VG_LARGER(y_0, speeds);                                                                     \
        accs = VG_LARGER(y_a, accs);                                                                         \
        changes = VG_LARGER(y_c, changes);                                                                   \
        jumps = VG_LARGER(y_j, jumps);                                                                       \
    } while (0)
    VG_FOURS(sys->nv, SIZES);
    double speed = VG_LARGEST(speeds), acc = VG_LARGEST(accs), change = VG_LARGEST(changes),
           jump = VG_LARGEST(jumps);
    x->acc = fmax(acc, FADES * x->acc);
    x->lambda = fmax(vg_rows_largest(sys->nl, b->lambda, NULL), FADES * x->lambda);
    if (jump > JUMP * speed) return LEAPT | JUMPED;
    if (change > CHANGE * x->acc && h * change > SHOWS * speed) return LEAPT;
    return vg_rows_largest(sys->nl, s->lambda, NULL) > LEAP * x->lambda;
}

/* 1 if the distance has a minimum near zero within the step of size h from s. d0, d1: the distances at both ends. */
static int between(vgSingular *x, const vgState *s, double h, double d0, double d1)
{
    double least = fmin(d0, d1);
    for (int k = 1; k < PARTS; k++) {
        foretell(x, s, h * k / PARTS, x->q);
        least = fmin(least, distance(x, s->t + h * k / PARTS, x->q));
    }
    return least < LANDS * fmax(d0, d1);
}

vgPassage vg_singular_after(vgSingular *x, vgState *s, double h)
{
    int what = x->close ? leaps(x, s, h) : 0;
    if (!what) return VG_PASSAGE_FREE;
    double d0 = x->regular, d1 = distance(x, s->t, s->q);
    vgPassage end = d1 < LANDED * d0                                      ? VG_PASSAGE_LANDED
                    : (what & JUMPED) && between(x, x->before, h, d0, d1) ? VG_PASSAGE_LEFT
                                                                          : VG_PASSAGE_FREE;
    if (end != VG_PASSAGE_FREE)
        vg_fail(x->it, VG_NOT_CONVERGED, s->t,
                end == VG_PASSAGE_LANDED
                    ? "the step to t = %.9g s ends in a singular position of the mechanism"
                    : "the step to t = %.9g s goes through a singular position of the mechanism and leaves "
                      "it by another motion",
                s->t);
    return end;
}

void vg_singular_back(vgSingular *x, vgState *s)
{
    vg_state_copy(x->it->sys, s, x->before);
}

int vg_singular_ahead(vgSingular *x, const vgState *s, double h)
{
    double within = least_within(x, s, h, 0);
    foretell(x, s, h, x->q);
    return fmin(within, distance(x, s->t + h, x->q)) < LANDS * distance(x, s->t, s->q);
}

int vg_singular_near(vgSingular *x, const vgState *s, double h)
{
    double least = INFINITY, most = 0, way = vg_row_choice_reach(x->rows, s, 3 * h);
    if (!(way > NEARLY * distance(x, s->t, s->q))) return 0;
    for (int k = -4; k <= 6; k++) {
        foretell(x, s, 0.5 * k * h, x->q);
        double d = distance(x, s->t + 0.5 * k * h, x->q);
        least = fmin(least, d);
        most = fmax(most, d);
    }
    return least < LANDS * most;
}

double vg_singular_over(vgSingular *x, const vgState *s, double usual)
{
    double here = distance(x, s->t, s->q);
    /* The distance is extrapolated linearly. If the singular position is near, the distance grows again behind it: the
     * interval of the extrapolation is quartered until the distance falls over it. */
    for (double ahead = 0.25 * usual; ahead > VG_OVER_LEAST * usual; ahead *= 0.25) {
        foretell(x, s, ahead, x->q);
        double closer = here - distance(x, s->t + ahead, x->q), to = ahead * here / closer;
        if (closer > 0) return to < 2 * usual ? fmax(2 * to, usual) : 0;
    }
    return 0;
}

vgStatus vg_singular_step_over(vgSingular *x, vgState *s, double left, double *h, vgStep *step)
{
    static const double length[] = {1, 1.31, 0.83, 1.73, 1.14};
    enum { LENGTHS = sizeof length / sizeof length[0] };
    const double asked = *h;
    double least = INFINITY, best = asked;
    vg_singular_before(x, s, asked);
    vg_singular_hold(x, s);
    for (int k = 0; k <= LENGTHS; k++) {
        *h = k < LENGTHS ? length[k] * asked : best;
        if (*h > left) continue;
        *step = vg_step_like(step);
        step->over = 1;
        vgStatus st = vg_integrator_step(x->it, s, *h, step);
        int over = st == VG_OK && step->err <= 1;
        if (over && step->rough < least) least = step->rough, best = *h;
        if (k == LENGTHS || (over && step->rough <= 1)) return st;
        vg_singular_back(x, s);
    }
    return VG_NOT_CONVERGED;
}

void vg_singular_extrapolate(vgSingular *x, const vgState *s, double t, vgState *out)
{
    double h = t - s->t;
    foretell(x, s, h, x->q);
    if (out != s) vg_state_copy(x->it->sys, out, s);
    memcpy(out->q, x->q, (size_t)x->it->sys->nq * sizeof(double));
    for (int i = 0; i < x->it->sys->nv; i++) out->v[i] += h * out->a[i];
    out->t = t;
}

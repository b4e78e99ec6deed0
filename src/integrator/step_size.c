#include "integrator/step_size.h"

#include <math.h>

#include "integrator/rows.h"

/* Attempts between judgements. From the smallest step a controller that doubles it is back at the usual one
 * within fifty; at half of it nothing changes, at a hundred times a second of processor time is exceeded. */
enum { WINDOW = 2000 };

double vg_pace(vgPace *p, double t, double end, double most)
{
    if (!p->known) *p = (vgPace){.from = t, .known = 1};
    if (++p->count < WINDOW) return 0;
    double gone = t - p->from, left = end - t, rest = WINDOW * left;
    *p = (vgPace){.from = t, .known = 1};
    return rest > most * gone ? (gone > 0 ? rest / gone : INFINITY) : 0;
}

/* The step of a new size is aimed a little below the tolerance, so that few steps are rejected (at 1 every second
 * one is), and never differs from the last by more than these factors, within which an error estimate can be
 * believed. LEAST: an error that is next to nothing. */
static const double SAFETY = 0.9, LEAST = 1e-10;
static const double PLAIN_MOST = 2, PLAIN_LEAST = 0.1, PI_MOST = 5, PI_LEAST = 0.2;
/* A rejected step is at most this part of the old one. A method of several steps, to which every change costs its
 * past, keeps the step while the factor is between these; at the width of 1 % it changes every step. */
static const double REJECTED_MOST = 0.9, KEEP_BELOW = 1.2, KEEP_ABOVE = 0.95;
/* Exponents of Gustafsson's controller, of the last error and this one, in units of 1/p. */
static const double PI_LAST = 0.4, PI_THIS = 0.7;
/* Of the first step: half of what the tolerance allows, a thousandth of the run where nothing moves yet, and at
 * most a tenth of it. */
static const double FIRST = 0.5, FIRST_AT_REST = 1e-3, FIRST_MOST = 0.1;

double vg_first_step(const vgIntegrator *it, const vgState *s, double span)
{
    const vgSystem *sys = it->sys;
    double v = 0, a = 0;
    for (int i = 0; i < sys->nv; i++) {
        v = fmax(v, fabs(s->v[i]) / sys->v_scale[i]);
        a = fmax(a, fabs(s->a[i]) / sys->v_scale[i]);
    }
    double rate = fmax(v, sqrt(a));
    double h =
        rate > 0 ? FIRST * pow(it->rtol, 1.0 / (vg_integrator_order(it) + 1)) / rate : FIRST_AT_REST * span;
    return fmin(h, FIRST_MOST * span);
}

double vg_error_power(const vgIntegrator *it)
{
    return it->error_power > 0 ? it->error_power : vg_integrator_order(it);
}

double vg_step_within(const vgIntegrator *it, double h)
{
    if (it->h_max > 0 && h > it->h_max) h = it->h_max;
    return h < it->h_min ? it->h_min : h;
}

double vg_step_clip(const vgIntegrator *it, double f, double least, double most)
{
    if (it->grow > 0 && it->grow < most) most = it->grow;
    if (it->shrink > least) least = it->shrink;
    return f > most ? most : f > least ? f : least;
}

double vg_step_rejected(const vgIntegrator *it, double err)
{
    double plain = it->control == VG_CONTROL_PLAIN ? 1 : 0; /* (B19): one more */
    return vg_step_clip(it, SAFETY * pow(err, -1 / (vg_error_power(it) + plain)), PI_LEAST, INFINITY);
}

double vg_step_again(const vgIntegrator *it, const vgStep *x, double h)
{
    return x->next > 0 ? x->next / h : vg_step_rejected(it, x->err);
}

double vg_step_kept_by(const vgIntegrator *it, const vgStep *x, double h, double f, double most)
{
    if (x->err > 1) return h * vg_step_clip(it, SAFETY * f, PI_LEAST, REJECTED_MOST);
    f *= SAFETY;
    if (f >= KEEP_ABOVE && f <= KEEP_BELOW) return h;
    return h * vg_step_clip(it, f < KEEP_ABOVE ? fmin(f, REJECTED_MOST) : f, PI_LEAST, most);
}

double vg_step_kept(const vgIntegrator *it, const vgStep *x, double h, int power, double most)
{
    double low = 1, high = 1;
    for (int i = 0; i < power; i++) low *= SAFETY / KEEP_BELOW, high *= SAFETY / KEEP_ABOVE;
    if (x->err > low && x->err < high) return h;
    return vg_step_kept_by(it, x, h, vg_power(x->err > LEAST ? x->err : LEAST, -1.0 / power), most);
}

double vg_step_growth(const vgIntegrator *it, double err, double *old)
{
    double e = err > LEAST ? err : LEAST, power = vg_error_power(it), size = log2(e);
    if (it->control == VG_CONTROL_PLAIN)
        return vg_step_clip(it, SAFETY * pow(e, -1 / (power + 1)), it->shrink > 0 ? it->shrink : PLAIN_LEAST,
                            it->grow > 0 ? it->grow : PLAIN_MOST);
    double grow = SAFETY * exp2(1 / power * (PI_LAST * *old - PI_THIS * size));
    *old = size > VG_LEAST_ERROR ? size : VG_LEAST_ERROR;
    return vg_step_clip(it, grow, it->shrink > 0 ? it->shrink : PI_LEAST, it->grow > 0 ? it->grow : PI_MOST);
}

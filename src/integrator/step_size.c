#include "integrator/step_size.h"

#include <math.h>

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

double vg_step_rejected(const vgIntegrator *it, double err)
{
    return fmax(PI_LEAST, SAFETY * pow(err, -1 / vg_error_power(it)));
}

double vg_step_growth(const vgIntegrator *it, double err, double *old)
{
    double e = err > LEAST ? err : LEAST, power = vg_error_power(it), size = log2(e);
    if (it->control == VG_CONTROL_PLAIN)
        return fmin(PLAIN_MOST, fmax(PLAIN_LEAST, SAFETY * pow(e, -1 / (power + 1))));
    double grow = SAFETY * exp2(1 / power * (PI_LAST * *old - PI_THIS * size));
    *old = size > VG_LEAST_ERROR ? size : VG_LEAST_ERROR;
    return grow > PI_MOST ? PI_MOST : grow > PI_LEAST ? grow : PI_LEAST;
}

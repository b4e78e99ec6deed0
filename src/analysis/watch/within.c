/* A step looked at from within: the states at both ends, and two Gauss points of the polynomial of dense output between
 * them, with the accelerations and multipliers that the equations of motion have there. What changes over a step (momenta,
 * energy) is compared with the integral of its rate, with an error of h⁵. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/watch/monitor.h"

struct vgWithin {
    vgDense *dense, *own; /* own: NULL where that of the run is used */
    vgState *before, *after, *gauss;
    int kept;
    int64_t seen; /* step of the last one that was looked at */
};

vgStatus vg_within_new(const vgIntegrator *it, const vgState *first, vgDense *dense, vgWithin **out)
{
    *out = NULL;
    vgWithin *x = calloc(1, sizeof *x);
    if (!x) return VG_NO_MEMORY;
    x->seen = first->step;
    vgState **state[] = {&x->before, &x->after, &x->gauss};
    x->dense = dense;
    vgStatus st = dense ? VG_OK : vg_dense_new(it->sys, &x->own);
    if (!dense) x->dense = x->own;
    for (int i = 0; i < 3 && st == VG_OK; i++) st = vg_state_new(it->sys, 0, state[i]);
    if (st == VG_OK)
        *out = x;
    else
        vg_within_free(x);
    return st;
}

void vg_within_free(vgWithin *x)
{
    if (!x) return;
    vg_dense_free(x->own);
    vg_state_free(x->before);
    vg_state_free(x->after);
    vg_state_free(x->gauss);
    free(x);
}

void vg_within_keep(vgWithin *x, const vgIntegrator *it, const vgState *s)
{
    if (!x) return;
    vg_state_copy(it->sys, x->before, s);
    x->kept = 1;
}

long vg_within_solve(vgWithin *x, const vgIntegrator *it, const vgState *s)
{
    const vgSystem *sys = it->sys;
    if (!x || !x->kept) return 0;
    x->kept = 0;
    if (s->step != x->before->step + 1 || !(s->t > x->before->t)) return 0;
    vg_state_copy(sys, x->after, s);
    x->before->held = s->held; /* that of the run in which it was kept may be gone */
    if (!vg_dense_solve(x->dense, sys, x->before) || !vg_dense_solve(x->dense, sys, x->after)) return 0;
    const int64_t steps = s->step - x->seen;
    x->seen = s->step;
    return steps;
}

const vgState *vg_within_at(vgWithin *x, const vgIntegrator *it, int i)
{
    const double apart = sqrt(3) / 6; /* of the Gauss points from the middle, in parts of the step */
    const double t = x->before->t, h = x->after->t - t;
    if (i == 0 || i == VG_WITHIN - 1) return i ? x->after : x->before;
    const int solved = vg_dense_motion(x->dense, it->sys, x->before, x->after,
                                       t + h * (i == 1 ? 0.5 - apart : 0.5 + apart), x->gauss);
    return solved ? x->gauss : NULL;
}

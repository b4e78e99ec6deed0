/* Does the step resolve the motion? Of methods that are not A-stable with fixed steps.
 *
 * A motion of frequency ω changes a velocity by steps that differ by |v_{n+1} − 2 v_n + v_{n−1}| ≈ (ω h)² |v|. Beyond its
 * stability a method answers every velocity with one that overshoots, and friction or damping keep that from growing: the
 * energy balance does not see it. Then the difference is as large as the speeds themselves. Each velocity coordinate is
 * compared with its own largest value in the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/watch/monitor.h"

/* (ω h)² from which on a step is called too large: ω h = 0.7, nine steps a period, where a method of order 4 has an
 * error of some per cent in a period. Stable steps end between 0.3 (ab4) and 3 (rk4); what lies beyond them shows 1
 * to 4 here, motions that are resolved 0.01. At half of it impacts of five steps are warned of; at twice, ab4 at twice
 * its limit on a rubbing contact (an error of 57 %) may not be. */
static const double UNRESOLVED = 0.5;
/* A coordinate counts as moving at this part of the largest speed at the least, in units of the coordinates' scales: what
 * hardly moves does no harm. */
static const double LEAST_PART = 0.1;

struct vgResolution {
    int n, known; /* velocities before: 0 none, 1 one, 2 or more: two */
    long breaks;
    int64_t step;
    double *v, *rise;   /* at the last step: velocities, and what they rose by */
    double *top, *bend; /* largest |v| and |rise − rise before| */
    double *when;       /* of bend */
};

static int applies(const vgIntegrator *it)
{
    const unsigned f = it->row->flags;
    return !it->adaptive && !(f & (VG_INT_ASTABLE | VG_INT_OWN_STEPS)) && it->sys->nv > 0;
}

vgStatus vg_resolution_new(const vgIntegrator *it, vgResolution **out)
{
    const size_t n = (size_t)it->sys->nv;
    *out = NULL;
    if (!applies(it)) return VG_OK;
    vgResolution *x = calloc(1, sizeof *x + 5 * n * sizeof(double));
    if (!x) return VG_NO_MEMORY;
    x->n = it->sys->nv;
    x->v = (double *)(x + 1);
    x->rise = x->v + n;
    x->top = x->rise + n;
    x->bend = x->top + n;
    x->when = x->bend + n;
    *out = x;
    return VG_OK;
}

/* Without branches, four coordinates at a time. */
static void bends(int n, double t, const double *restrict v, const double *restrict old,
                  const double *restrict before, double *restrict top, double *restrict bend,
                  double *restrict when)
{
    for (int i = 0; i < n; i++) {
        const double b = fabs(v[i] - old[i] - before[i]), speed = fabs(v[i]), most = top[i], so_far = bend[i];
        top[i] = speed > most ? speed : most;
        bend[i] = b > so_far ? b : so_far;
        when[i] = b > so_far ? t : when[i];
    }
}

void vg_resolution_jumped(vgResolution *x)
{
    if (x) x->known = 0;
}

void vg_resolution_step(vgResolution *x, const vgStats *stats, const vgState *s)
{
    /* other coordinates have other velocities; steps with impacts and splits have others within them */
    const long breaks = stats->recasts + vg_troubles(stats);
    if (breaks != x->breaks || s->step != x->step + 1) x->known = 0;
    x->breaks = breaks;
    x->step = s->step;
    const double t = s->t, *v = s->v;
    double *old = x->v, *rise = x->rise;
    if (x->known++ == 0) {
        for (int i = 0; i < x->n; i++) old[i] = v[i];
    } else if (x->known == 2) {
        for (int i = 0; i < x->n; i++) rise[i] = v[i] - old[i], old[i] = v[i];
    } else {
        bends(x->n, t, v, old, rise, x->top, x->bend, x->when);
    }
}

void vg_resolution_end(const vgResolution *x, const vgLook *look)
{
    const vgSystem *sys = look->it->sys;
    double most = 0, worst = UNRESOLVED;
    int at = -1;
    for (int i = 0; x && i < x->n; i++) most = fmax(most, x->top[i] / sys->v_scale[i]);
    for (int i = 0; x && i < x->n; i++) {
        const double part = x->bend[i] / fmax(x->top[i], LEAST_PART * most * sys->v_scale[i]);
        if (part > worst) worst = part, at = i;
    }
    if (at < 0) return;
    vg_watch_doubt(look->out,
                   "at t = %.9g s a velocity of body '%s' rises in one step and falls in the next, by %.2g "
                   "times its largest value: %s",
                   x->when[at], sys->model->body[sys->v_body[at]].name, worst,
                   vg_watch_remedy(look->it, VG_WATCH_UNRESOLVED));
}

/* (ω h)² of a peak of the largest speed from which on a step is called too large, of any method with fixed steps: twelve steps
 * a period. Of 2,300 random mechanisms with steps of 0.01 to 0.4 rad of their fastest motion none has more than 0.15; those
 * that passed a stretched position within two steps and were off by 20 to 90 % have 0.36 and 0.8. */
static const double SHARP = 0.25;

/* Rates of angles are large near the singular positions of the angles, whatever the motion. And vibrations of beams that a
 * method damps away, and impacts, are judged by what becomes of the energy. */
void vg_turn_end(const vgTurn *x, const vgLook *look)
{
    const vgIntegrator *it = look->it;
    static const char angles[] = "euler-angles"; /* and its variants */
    if (it->adaptive || (it->row->flags & VG_INT_OWN_STEPS) || !vg_watch_sees_all(it->sys->model)) return;
    if (!strncmp(it->sys->coordinates, angles, sizeof angles - 1)) return;
    if (!(x->sharpest.value > SHARP * x->fastest)) return;
    vg_watch_doubt(look->out,
                   "at t = %.9g s the largest speed rises in one step and falls in the next, by %.2g of the "
                   "largest of the run: %s",
                   x->sharpest.t, x->sharpest.value / x->fastest, vg_watch_remedy(it, VG_WATCH_SHARP));
}

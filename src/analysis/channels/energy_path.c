/* Work of forces along joint coordinates between two states. With r the part of the interval h,
 *
 *     x(r) = Σ c_k r^k,   the quintic with x, ẋ and ẍ of both ends
 *     W = ∫ (Q(x, ẋ) − Q(x, 0)) ẋ dt
 *
 * by Gauss's formula with repeated halving, since a stop that is reached within the interval has a corner there. The error is
 * estimated by the same integral along the cubic with x and ẋ alone. */
#include <math.h>

#include "analysis/channels/energy.h"

/* An interval is halved while this changes the integral by more than PART of h times the largest power of the whole force, at
 * most HALVES times: at the corner of a stop each halving reduces the error by a factor of 2^2.5. Half of PART costs time alone;
 * at a thousand times of it the balance of a hard stop loses a digit. */
static const double PART = 1e-8;
enum { HALVES = 9, ORDER = 6 };

typedef struct Path {
    const vgForce *f;
    double h, c[ORDER];
    double most; /* h times the largest power so far, that of the potential included */
} Path;

int vg_energy_has_path(const vgForce *f)
{
    const vgForceSetup *s = &f->setup;
    return s->nbody == 0 && s->nmeasure == 1 && s->nload == 0 && s->nscalar == 0 && s->nstate == 0 &&
           s->nlaw == 0 && s->velocity && !s->inertial && !s->foreign && !f->kind->crowd && f->kind->energy;
}

void vg_energy_path_at(vgProbe *p, int force, vgEnergyPath *out)
{
    const int measure = vg_probe_system(p)->model->force[force].setup.measure[0];
    const vgMeasureOut *m = vg_probe_measure(p, measure, 1);
    *out = (vgEnergyPath){vg_probe_time(p), {m->value, m->rate, 0}};
    out->x[2] = vg_probe_measure_acc(p, measure);
}

static double force_at(const vgForce *f, double x, double rate)
{
    const vgMeasureOut at = {.value = x, .rate = rate};
    const vgForceIn in = {.measure = &at};
    double Q[1] = {0};
    f->kind->eval(f->def, &in, &(vgForceOut){.Q = Q});
    return Q[0];
}

static double power(Path *w, double r)
{
    double x = 0, v = 0;
    for (int k = ORDER - 1; k >= 0; k--) v = v * r + x, x = x * r + w->c[k];
    v /= w->h;
    const double all = force_at(w->f, x, v), stored = force_at(w->f, x, 0);
    w->most = fmax(w->most, fmax(fabs(all), fabs(stored)) * fabs(v * w->h));
    return (all - stored) * v;
}

/* ∫ P dt over the part from a to b of the interval: three points of Gauss. */
static double gauss(Path *w, double a, double b)
{
    const double m = 0.5 * (a + b), d = 0.5 * (b - a), e = sqrt(0.6) * d;
    return w->h * d / 9 * (5 * power(w, m - e) + 8 * power(w, m) + 5 * power(w, m + e));
}

static double halves(Path *w, double a, double b, double whole, int left)
{
    const double m = 0.5 * (a + b), first = gauss(w, a, m), second = gauss(w, m, b);
    if (left == 0 || fabs(first + second - whole) <= PART * w->most) return first + second;
    return halves(w, a, m, first, left - 1) + halves(w, m, b, second, left - 1);
}

static double integral(Path *w)
{
    return halves(w, 0, 1, gauss(w, 0, 1), HALVES);
}

double vg_energy_path_work(const vgForce *f, const vgEnergyPath *a, const vgEnergyPath *b, double *unsure)
{
    const double h = b->t - a->t;
    *unsure = 0;
    if (!(h > 0)) return 0;
    const double D = b->x[0] - a->x[0], v0 = h * a->x[1], v1 = h * b->x[1], a0 = h * h * a->x[2],
                 a1 = h * h * b->x[2];
    Path quintic = {f,
                    h,
                    {a->x[0], v0, 0.5 * a0, 10 * D - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1,
                     -15 * D + 8 * v0 + 7 * v1 + 1.5 * a0 - a1,
                     6 * D - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1},
                    0};
    Path cubic = {f, h, {a->x[0], v0, 3 * D - 2 * v0 - v1, v0 + v1 - 2 * D, 0, 0}, 0};
    const double work = integral(&quintic);
    *unsure = fabs(work - integral(&cubic));
    return work;
}

/* Orders measured by halving the step, on four problems: a linear oscillator (closed form), a nonlinear
 * equation, a pendulum with a constraint (its own angle's equation), a rotation on the group. */
#ifndef VERGE_TESTS_ORDERS_H
#define VERGE_TESTS_ORDERS_H

#include "runs.h"

/* x'' + c x' + k x = F cos(w t): the damped oscillation plus the response to the force. */
static inline void oscillator_at(double k, double c, double F, double w, double x0, double v0, double t,
                                 double *x, double *v)
{
    double d = (k - w * w) * (k - w * w) + c * c * w * w, A = F * (k - w * w) / d, B = F * c * w / d;
    double s = c / 2, wd = sqrt(k - s * s), p = x0 - A, q = (v0 - B * w + s * p) / wd;
    double C = cos(wd * t), S = sin(wd * t), e = exp(-s * t);
    *x = e * (p * C + q * S) + A * cos(w * t) + B * sin(w * t);
    *v = e * ((q * wd - s * p) * C - (p * wd + s * q) * S) - A * w * sin(w * t) + B * w * cos(w * t);
}

static inline Final oscillator_reference(double t)
{
    Final f = {.nq = 2, .nv = 2, .ok = 1};
    oscillator_at(9, 0.4, 1, 2, 1, 0.3, t, &f.q[0], &f.v[0]);
    oscillator_at(36, 0.4, 0, 2, 0.5, -0.2, t, &f.q[1], &f.v[1]);
    return f;
}

/* The mass on a spring of ELASTIC_PENDULUM by RK4 with very small steps, written here. */
static inline void elastic_rates(const double *y, double *d)
{
    double l = hypot(y[0], y[1]), f = -60 * (l - 1) / l;
    d[0] = y[2], d[1] = y[3], d[2] = f * y[0], d[3] = f * y[1] - 9.81;
}
static inline Final elastic_reference(double end)
{
    enum { N = 100000 };
    double y[4] = {0.8, -0.7, 0.5, 0.2}, h = end / N;
    for (int n = 0; n < N; n++) {
        double k[4][4], z[4];
        static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 4; i++) z[i] = y[i] + (s ? h * c[s] * k[s - 1][i] : 0);
            elastic_rates(z, k[s]);
        }
        for (int i = 0; i < 4; i++)
            for (int s = 0; s < 4; s++) y[i] += h * b[s] * k[s][i];
    }
    return (Final){.nq = 2, .nv = 2, .ok = 1, .q = {y[0], y[1]}, .v = {y[2], y[3]}};
}

typedef struct Problem {
    const char *name, *text, *coordinates;
    double end, h; /* h: a coarse step, a few dozen steps in the run */
    Final ref;
} Problem;
enum { OSC, ELASTIC, PENDULUM, TOP, NPROBLEM, DAMPED = NPROBLEM, NPATH };

static inline Problem damped_pendulum(void)
{
    return (Problem){"pendulum", DAMPED_PENDULUM, NULL, 2.3, 0.1, {0}};
}

/* References: closed form, own code, own code, and for the top a very fine run of a method given by name. */
static inline void problems_make(Problem p[NPROBLEM], const char *top_method, double top_step)
{
    p[OSC] = (Problem){"oscillator", OSCILLATOR, NULL, 2, 0.1, oscillator_reference(2)};
    p[ELASTIC] = (Problem){"elastic pendulum", ELASTIC_PENDULUM, NULL, 2, 0.1, elastic_reference(2)};
    p[PENDULUM] = (Problem){"pendulum", "pendulum-point.yaml", NULL, 1, 0.1, pendulum_reference(1)};
    p[TOP] = (Problem){"heavy top", "heavy-top-free.yaml", "lie", 0.1, 0.005, {0}};
    p[TOP].ref = final_of(p[TOP].text, p[TOP].coordinates, top_method, top_step, p[TOP].end);
}

/* ---- along a path: errors at several times, since an error that swings goes through zero at some ---- */

enum { NTIMES = 8 };
typedef struct Path {
    int ok;
    Final at[NTIMES]; /* at end·(k + 1)/NTIMES */
} Path;

/* n steps for each of the times. */
static inline Path path_of(const Problem *p, const char *integrator, long n)
{
    Rig r;
    Path x = {0};
    int ok = rig_open(&r, p->text, p->coordinates, integrator, NULL, 0);
    for (int k = 0; k < NTIMES && ok; k++) {
        vgTransientResult res;
        vgTransientOptions o = {.step = p->end / (double)(n * NTIMES),
                                .end = p->end * (k + 1) / NTIMES,
                                .every = 1 << 30,
                                .resume = k > 0};
        ok = vg_transient_run(r.sim.it, r.sim.state, &o, NULL, &res) == VG_OK;
        if (!ok) printf("%s: %s\n", integrator, res.failure.text);
        if (ok) final_take(&r, &x.at[k]);
    }
    x.ok = ok;
    rig_close(&r);
    return x;
}

static inline Path path_reference(const Problem *p, int which, const char *top_method, double top_step)
{
    Path x = {.ok = 1};
    for (int k = 0; k < NTIMES; k++) {
        double t = p->end * (k + 1) / NTIMES;
        if (which == OSC) x.at[k] = oscillator_reference(t);
        if (which == ELASTIC) x.at[k] = elastic_reference(t);
        if (which == PENDULUM) x.at[k] = pendulum_reference(t);
        if (which == DAMPED) x.at[k] = pendulum_from(-1, 2, t);
    }
    return which == TOP ? path_of(p, top_method, (long)(p->end / NTIMES / top_step + 0.5)) : x;
}

/* Root mean square over the times of the errors of positions, velocities, multipliers. */
static inline void path_error(const Path *x, const Path *ref, double e[3])
{
    e[0] = e[1] = e[2] = x->ok ? 0 : NAN;
    for (int k = 0; k < NTIMES && x->ok; k++) {
        const Final *f = &x->at[k], *r = &ref->at[k];
        double d[3] = {distance(f->q, r->q, f->nq), distance(f->v, r->v, f->nv),
                       distance(f->lambda, r->lambda, r->nl)};
        for (int i = 0; i < 3; i++) e[i] += d[i] * d[i] / NTIMES;
    }
    for (int i = 0; i < 3; i++) e[i] = sqrt(e[i]);
}

/* Error of the whole final state; multipliers count when with_lambda. */
static inline double final_error(const Final *f, const Final *ref, int with_lambda)
{
    double q = distance(f->q, ref->q, f->nq), v = distance(f->v, ref->v, f->nv);
    double l = with_lambda ? distance(f->lambda, ref->lambda, f->nl) : 0;
    return f->ok ? sqrt(q * q + v * v + l * l) : NAN;
}

/* Order between steps h and h/2 with h = problem's step / divide. */
static inline double measured_order(const Problem *p, const char *method, double divide, int with_lambda)
{
    double h = p->h / divide;
    Final c = final_of(p->text, p->coordinates, method, h, p->end),
          f = final_of(p->text, p->coordinates, method, h / 2, p->end);
    return log2(final_error(&c, &p->ref, with_lambda) / final_error(&f, &p->ref, with_lambda));
}

#endif

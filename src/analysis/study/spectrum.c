#include "analysis/study/spectrum.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/simulation.h"
#include "linalg/eig.h"
#include "analysis/tuning.h"

/* ω = 1; the mass also swings along y, where it does not move, so that x alone is seen. */
static const char oscillator[] =
    "verge: 1\nplanar: true\nparameters: {zeta: 0}\ngravity: [0, 0]\n"
    "bodies: {m: {mass: 1, point: true, position: [1, 0], velocity: [0.7, 0]}}\n"
    "forces:\n"
    "  s: {bushing: [ground, m], stiffness: [1, 1, 0, 0, 0, 0]}\n"
    "  d: {force: m, value: ['-2*zeta*body.m.velocity.x', '-2*zeta*body.m.velocity.y']}\n";

enum { WARM_ONE = 2, WARM_MANY = 14, MAX_SIZE = 4096, MAX_UNSEEN = 16 };
#define FOLLOW    0.25
#define FOLLOW_TO 20

struct vgSpectrum {
    vgModel *model;
    vgSimulation sim;
    vgState *base, *trial, *first; /* first: the initial state */
    double zeta;
    int size;    /* numbers in the state: q, v, a, history */
    int n, *map; /* those that carry the motion */
    int roots;   /* of the amplification matrix that the motion sees, in re, im */
    double *a, *re, *im;
    int nunseen; /* the others */
    double complex unseen[MAX_UNSEEN];
    int starved;               /* memory ran out */
    double last_wh, phase;     /* where the principal root was last, its argument counted on beyond π */
    double complex last, pace; /* and its slope: d ln root / d ωh */
};

/* The k-th number of a state. */
static double *number(const vgSystem *sys, vgState *s, int k)
{
    if (k < sys->nq) return &s->q[k];
    k -= sys->nq;
    if (k < sys->nv) return &s->v[k];
    k -= sys->nv;
    return k < sys->nv ? &s->a[k] : &s->history[k - sys->nv];
}

static vgStatus one_step(vgSpectrum *p, vgState *s, double h)
{
    vgIntegrator *it = p->sim.it;
    vg_work_bind(it->work, s);
    return vg_integrator_advance(it, s, h);
}

/* From x = factor, ẋ = 0.7 factor: starting procedure and a few steps, so that the history is full. */
static vgStatus warm_up(vgSpectrum *p, double factor, double h, vgState *s)
{
    vgIntegrator *it = p->sim.it;
    const vgSystem *sys = p->sim.sys;
    vg_state_copy(sys, s, p->first);
    s->q[0] *= factor;
    s->v[0] *= factor;
    s->a[0] *= factor;
    vg_work_bind(it->work, s);
    it->step_hint = h;
    vgStatus st = it->row->start(it, s);
    int steps = it->row->flags & VG_INT_MULTISTEP ? WARM_MANY : WARM_ONE;
    for (int i = 0; i < steps && st == VG_OK; i++) st = one_step(p, s, h);
    return st;
}

/* Numbers of the state that double when the motion doubles belong to the linear map; counters, step sizes and
 * unused entries do not. A method is refused if the same state does not give the same step twice. */
static vgStatus find_numbers(vgSpectrum *p)
{
    const vgSystem *sys = p->sim.sys;
    const double h = 0.3;
    vgStatus st = warm_up(p, 1, h, p->base);
    if (st == VG_OK) st = warm_up(p, 2, h, p->trial);
    if (st != VG_OK) return st;
    p->n = 0;
    for (int k = 0; k < p->size; k++) {
        double x = *number(sys, p->base, k), y = *number(sys, p->trial, k);
        if (x != 0 && fabs(y - 2 * x) <= VG_SPECTRUM_LINEAR * fabs(y)) p->map[p->n++] = k;
    }
    double x[2];
    for (int i = 0; i < 2 && st == VG_OK; i++) {
        st = warm_up(p, 1, h, p->base);
        vg_state_copy(sys, p->trial, p->base);
        for (int j = 0; j < 1 + i && st == VG_OK; j++) { /* the second time after another step was taken */
            vg_state_copy(sys, p->trial, p->base);
            st = one_step(p, p->trial, h);
        }
        x[i] = p->trial->q[0];
    }
    if (st == VG_OK && (p->n == 0 || fabs(x[0] - x[1]) > VG_SPECTRUM_REPEAT)) st = VG_UNSUPPORTED;
    return st;
}

static vgStatus take_memory(vgSpectrum *p)
{
    const vgSystem *sys = p->sim.sys;
    int nh = p->sim.it->nhistory;
    p->size = sys->nq + 2 * sys->nv + nh;
    if (p->size > MAX_SIZE) return VG_UNSUPPORTED;
    vgStatus st = vg_state_new(sys, nh, &p->base);
    if (st == VG_OK) st = vg_state_new(sys, nh, &p->trial);
    if (st == VG_OK) st = vg_state_new(sys, nh, &p->first);
    if (st != VG_OK) return st;
    vg_state_copy(sys, p->first, p->sim.state);
    size_t n = (size_t)p->size;
    p->map = calloc(n, sizeof *p->map);
    p->a = calloc(n * n, sizeof *p->a);
    p->re = calloc(2 * n, sizeof *p->re);
    p->im = p->re ? p->re + n : NULL;
    return p->map && p->a && p->re ? VG_OK : VG_NO_MEMORY;
}

void vg_spectrum_close(vgSpectrum *p)
{
    if (!p) return;
    vg_state_free(p->base);
    vg_state_free(p->trial);
    vg_state_free(p->first);
    free(p->map);
    free(p->a);
    free(p->re);
    if (p->sim.sys) vg_simulation_close(&p->sim);
    vg_model_free(p->model);
    free(p);
}

const vgIntegratorRow *vg_spectrum_row(const vgSpectrum *p)
{
    return p->sim.it->row;
}

int vg_spectrum_order(const vgSpectrum *p)
{
    return vg_integrator_order(p->sim.it);
}

/* Column j: the step from a state in which number j alone is 1 (about zero), or is one larger than in the
 * state base (about a motion, for methods that divide by the motion). */
static vgStatus columns(vgSpectrum *p, double h, int about_motion)
{
    const vgSystem *sys = p->sim.sys;
    vgStatus st = warm_up(p, 1e-3, h, p->base);
    if (st != VG_OK) return st;
    if (!about_motion)
        for (int i = 0; i < p->n; i++) *number(sys, p->base, p->map[i]) = 0;
    double *zero = p->re;
    memset(zero, 0, (size_t)p->n * sizeof *zero);
    if (about_motion) {
        vg_state_copy(sys, p->trial, p->base);
        st = one_step(p, p->trial, h);
        for (int i = 0; i < p->n; i++) zero[i] = *number(sys, p->trial, p->map[i]);
    }
    for (int j = 0; j < p->n && st == VG_OK; j++) {
        vg_state_copy(sys, p->trial, p->base);
        *number(sys, p->trial, p->map[j]) += 1;
        st = one_step(p, p->trial, h);
        for (int i = 0; i < p->n && st == VG_OK; i++) {
            double x = *number(sys, p->trial, p->map[i]) - zero[i];
            if (!isfinite(x)) st = VG_NOT_FINITE;
            p->a[i * p->n + j] = x;
        }
    }
    return st;
}

/* The matrix must foretell a step: it does not where the method chooses its order by the motion it sees. */
static vgStatus check_linear(vgSpectrum *p)
{
    const vgSystem *sys = p->sim.sys;
    const double h = 0.3;
    vgStatus st = columns(p, h, 0);
    if (st != VG_OK) st = columns(p, h, 1);
    if (st == VG_OK) st = warm_up(p, 1, h, p->base);
    vg_state_copy(sys, p->trial, p->base);
    if (st == VG_OK) st = one_step(p, p->trial, h);
    double worst = 0, size = 0;
    for (int i = 0; i < p->n && st == VG_OK; i++) {
        double x = *number(sys, p->trial, p->map[i]), y = 0;
        for (int j = 0; j < p->n; j++) y += p->a[i * p->n + j] * *number(sys, p->base, p->map[j]);
        worst = fmax(worst, fabs(x - y));
        size = fmax(size, fabs(x));
    }
    return st == VG_OK && !(worst <= VG_SPECTRUM_LINEAR * size) ? VG_UNSUPPORTED : st;
}

/* Does the motion swing in the eigenvector (of the pair, when complex)? */
static int is_seen(const vgSpectrum *p, const double *v, int pair)
{
    const vgSystem *sys = p->sim.sys;
    double motion = 0, all = 0;
    for (int i = 0; i < p->n; i++) {
        double x = fmax(fabs(v[i]), pair ? fabs(v[p->n + i]) : 0);
        all = fmax(all, x);
        if (p->map[i] < sys->nq + 2 * sys->nv) motion = fmax(motion, x);
    }
    return motion > VG_SPECTRUM_SEEN * all;
}

/* The complex auxiliaries of SS3 and SS4 have roots of their own, the same for every step, which positions,
 * velocities and accelerations never see: they are found once, by their vectors, and left out. */
static vgStatus find_unseen(vgSpectrum *p)
{
    size_t n = (size_t)p->n;
    double *vectors = malloc((n * n + 1) * sizeof *vectors);
    vgStatus st = vectors ? columns(p, 0.3, 0) : VG_NO_MEMORY;
    if (st == VG_OK) st = vg_eig_general(p->a, p->n, p->re, p->im, vectors);
    for (int k = 0, pair; st == VG_OK && k < p->n; k += 1 + pair) {
        pair = p->im[k] > 0;
        if (hypot(p->re[k], p->im[k]) < VG_SPECTRUM_DEAD || is_seen(p, vectors + (size_t)k * n, pair))
            continue;
        for (int i = k; i <= k + pair && p->nunseen < MAX_UNSEEN; i++)
            p->unseen[p->nunseen++] = p->re[i] + I * p->im[i];
    }
    free(vectors);
    return st == VG_NO_MEMORY ? st : VG_OK; /* about zero a method may not run: then there are none */
}

static vgStatus roots(vgSpectrum *p, double wh)
{
    vgStatus st = columns(p, wh, 0);
    if (st != VG_OK && st != VG_NO_MEMORY) st = columns(p, wh, 1);
    if (st == VG_OK) st = vg_eig_general(p->a, p->n, p->re, p->im, NULL);
    p->roots = p->n;
    for (int k = 0; k < p->nunseen && st == VG_OK; k++)
        for (int i = 0; i < p->roots; i++)
            if (cabs(p->re[i] + I * p->im[i] - p->unseen[k]) < VG_SPECTRUM_SAME) {
                p->roots--;
                p->re[i] = p->re[p->roots];
                p->im[i] = p->im[p->roots];
                break;
            }
    if (st == VG_NO_MEMORY) p->starved = 1;
    return st;
}

vgStatus vg_spectrum_open(const char *integrator, double zeta, vgDiag *diag, vgSpectrum **out)
{
    vgSpectrum *p = calloc(1, sizeof *p);
    if (!p) return VG_NO_MEMORY;
    vgParamSet set = {.name = "zeta", .value = zeta};
    vgDials dials = {.integrator = integrator};
    p->zeta = zeta;
    p->model = vg_model_parse(oscillator, sizeof oscillator - 1, "oscillator", &set, 1, diag);
    /* the oscillator's text is right: where it cannot be read, there was no memory */
    vgStatus st = p->model ? vg_simulation_open(p->model, &dials, diag, &p->sim) : VG_NO_MEMORY;
    if (st == VG_OK) {
        vgIntegrator *it = p->sim.it;
        it->adaptive = 0;
        /* the formula is analysed, not the convergence of a fixed-point iteration */
        for (int i = 0; i < it->row->nparam; i++)
            if (!strcmp(it->row->params[i].name, "solver") && !strstr(integrator, "solver="))
                it->param[i] = 1;
        it->newton_tol = 1e-14;
        it->newton_acc = 1e-12;
        st = take_memory(p);
        unsigned chooses = VG_INT_ADAPTIVE | VG_INT_MULTISTEP;
        if (!strcmp(it->row->family, "SUNDIALS") || (it->row->flags & chooses) == chooses)
            st = VG_UNSUPPORTED;
        if (st == VG_OK) st = find_numbers(p);
        if (st == VG_OK) st = check_linear(p);
        if (st == VG_OK) st = find_unseen(p);
        if (st == VG_UNSUPPORTED)
            vg_diag_error(
                diag, VG_NOWHERE,
                "integrator '%s' chooses order or inner steps by the motion: it has no amplification matrix",
                it->row->name);
        else if (st != VG_OK)
            vg_diag_error(diag, VG_NOWHERE, "integrator '%s' fails on the test oscillator: %s", it->row->name,
                          it->failure.text);
    }
    if (st != VG_OK) {
        vg_spectrum_close(p);
        return st;
    }
    *out = p;
    return VG_OK;
}

/* The root nearest to the extrapolation of the last ones, in the upper half plane for oscillations. Roots of long
 * steps hardly rotate, those of the motion do: the extrapolation follows the root itself. */
static void follow(vgSpectrum *p, double wh)
{
    double z = p->zeta, fast = fabs(z) < 1 ? sqrt(1 - z * z) : 0, step = wh - p->last_wh;
    double complex rate = -z + I * fast, guess = p->last;
    if (p->last_wh == 0 || step < 0) {
        guess = cexp(rate * wh);
        p->phase = 0;
        p->last = 1;
        step = wh;
    } else if (step <= FOLLOW) {
        guess = p->last * cexp(p->pace * step);
    }
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < p->roots; i++) {
        double d = cabs(p->re[i] + I * p->im[i] - guess);
        if (d < least) least = d, best = i;
    }
    double complex root = best >= 0 ? p->re[best] + I * p->im[best] : NAN;
    p->phase += carg(root / p->last);
    if (step > 0) p->pace = clog(root / p->last) / step;
    p->last = root;
    p->last_wh = wh;
}

static double radius_of(const vgSpectrum *p)
{
    double radius = 0;
    for (int i = 0; i < p->roots; i++) radius = fmax(radius, hypot(p->re[i], p->im[i]));
    return radius;
}

/* Small steps from the last point to this one, so that the root is not lost where it still means something.
 */
static vgStatus approach(vgSpectrum *p, double wh)
{
    while (p->last_wh > 0 && wh - p->last_wh > FOLLOW && p->last_wh < FOLLOW_TO) {
        double next = p->last_wh + FOLLOW;
        vgStatus st = roots(p, next);
        if (st != VG_OK) return st;
        follow(p, next);
    }
    return VG_OK;
}

int vg_spectrum_starved(const vgSpectrum *p)
{
    return p->starved;
}

vgStatus vg_spectrum_at(vgSpectrum *p, double wh, vgSpectrumPoint *out)
{
    *out = (vgSpectrumPoint){.wh = wh,
                             .radius = INFINITY,
                             .re = NAN,
                             .im = NAN,
                             .decay = NAN,
                             .elongation = NAN,
                             .damping_ratio = NAN,
                             .undamped_elongation = NAN};
    vgStatus st = approach(p, wh);
    if (st == VG_OK) st = roots(p, wh);
    if (st == VG_NO_MEMORY) return st;
    if (st != VG_OK) return VG_OK; /* no step of this size: not stable */
    out->radius = radius_of(p);
    follow(p, wh);
    out->re = creal(p->last);
    out->im = cimag(p->last);
    if (p->phase > 0) {
        out->decay = -log(cabs(p->last)) / p->phase;
        out->elongation = wh * sqrt(fmax(0, 1 - p->zeta * p->zeta)) / p->phase - 1;
        double turned = hypot(log(cabs(p->last)), p->phase); /* ω̄h */
        out->damping_ratio = -log(cabs(p->last)) / turned;
        out->undamped_elongation = wh / turned - 1;
    }
    return VG_OK;
}

/* The roots that run together with the largest: how many, their mean, the largest distance from it. */
static int cluster(const vgSpectrum *p, double complex *mean, double *size)
{
    enum { MOST = 64 };
    const double link = 0.1;
    int in[MOST] = {0}, m = 1, n = p->roots < MOST ? p->roots : MOST, largest = 0;
    for (int i = 1; i < n; i++)
        if (hypot(p->re[i], p->im[i]) > hypot(p->re[largest], p->im[largest])) largest = i;
    in[0] = largest;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++) {
            int known = 0;
            for (int j = 0; j < m; j++) known |= in[j] == i;
            if (!known && hypot(p->re[i] - p->re[in[k]], p->im[i] - p->im[in[k]]) < link) in[m++] = i;
        }
    *mean = *size = 0;
    for (int k = 0; k < m; k++) *mean += (p->re[in[k]] + I * p->im[in[k]]) / m;
    for (int k = 0; k < m; k++) *size = fmax(*size, cabs(p->re[in[k]] + I * p->im[in[k]] - *mean));
    return m;
}

/* Distance from the mean within which m roots lie. */
static double within(const vgSpectrum *p, double complex mean, int m)
{
    double reach = 0;
    for (int count = 0; count < m;) {
        double next = INFINITY;
        for (int i = 0; i < p->roots; i++) {
            double d = cabs(p->re[i] + I * p->im[i] - mean);
            if (d > reach || count == 0) next = fmin(next, d);
        }
        reach = next;
        count = 0;
        for (int i = 0; i < p->roots; i++) count += cabs(p->re[i] + I * p->im[i] - mean) <= reach;
    }
    return reach;
}

/* A root of multiplicity m at infinity comes apart as (ωh)^(−1/m), which never gets small; but the mean of
 * the m roots moves by (ωh)^(−2) alone. Roots that are near each other and stay so are no such cluster. */
double vg_spectrum_infinity(vgSpectrum *p)
{
    double far = 1e6 * p->sim.it->row->stages, size;
    double complex mean;
    if (roots(p, far) != VG_OK || p->roots == 0) return INFINITY;
    double radius = radius_of(p);
    int m = cluster(p, &mean, &size);
    if (roots(p, 1e-2 * far) != VG_OK) return INFINITY;
    if (radius > 1 && radius > 2 * radius_of(p)) return INFINITY;
    return m > 1 && size < 0.5 * within(p, mean, m) ? cabs(mean) : radius;
}

/* Radius minus one, with the slack that rounding needs. */
static double excess(vgSpectrum *p, double r)
{
    return roots(p, r) == VG_OK ? radius_of(p) - (1 + 1e-7) : INFINITY;
}

static double bisect(vgSpectrum *p, double low, double high, double f_low)
{
    for (int k = 0; k < 24; k++) {
        double mid = 0.5 * (low + high), f = excess(p, mid);
        if ((f > 0) == (f_low > 0))
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}

double vg_spectrum_limit(vgSpectrum *p, double reach)
{
    enum { SAMPLES = 400 };
    double last = 0;
    for (int i = 1; i <= SAMPLES; i++) {
        double r = reach * pow((double)i / SAMPLES, 2);
        if (excess(p, r) <= 0) {
            last = r;
            continue;
        }
        double limit = last > 0 ? bisect(p, last, r, -1) : 0;
        /* growth by a power of ωh hides below the slack at small steps */
        return limit > 0 && excess(p, 0.5 * limit) > -VG_SPECTRUM_GROWS + VG_SPECTRUM_ROUNDS ? 0 : limit;
    }
    return INFINITY;
}

vgStatus vg_spectrum_region(const char *integrator, int n, double reach, int most, vgDiag *diag,
                            double *crossing, int *stable_first)
{
    enum { SAMPLES = 60 };
    for (int i = 0; i <= n; i++) {
        vgSpectrum *p;
        vgStatus st = vg_spectrum_open(integrator, -cos(acos(-1) * i / n), diag, &p);
        if (st != VG_OK) return st;
        int found = 0;
        double r = reach * 1e-2, f = excess(p, r);
        stable_first[i] = f <= 0;
        for (int k = 0; k < most; k++) crossing[i * most + k] = NAN;
        for (int k = 1; k <= SAMPLES && found < most; k++) {
            double next = reach * (1e-2 + 0.99 * k / SAMPLES), g = excess(p, next);
            if ((f > 0) != (g > 0)) crossing[i * most + found++] = bisect(p, r, next, f);
            r = next;
            f = g;
        }
        if (p->starved) st = VG_NO_MEMORY;
        vg_spectrum_close(p);
        if (st != VG_OK) return st;
    }
    return VG_OK;
}

vgStatus vg_spectrum_field(const char *integrator, int n, double reach, int m, vgDiag *diag, double *field)
{
    for (int i = 0; i <= n; i++) {
        vgSpectrum *p;
        vgStatus st = vg_spectrum_open(integrator, -cos(acos(-1) * i / n), diag, &p);
        if (st != VG_OK) return st;
        for (int k = 0; k <= m; k++) field[i * (m + 1) + k] = excess(p, reach * (0.01 + 0.99 * k / m));
        if (p->starved) st = VG_NO_MEMORY;
        vg_spectrum_close(p);
        if (st != VG_OK) return st;
    }
    return VG_OK;
}

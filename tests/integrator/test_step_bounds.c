/* Bounds of the step under error control: h_min, h_max, grow, shrink hold for every method with an error estimate. */
#include "integrator/explicit/rk.h"
#include "integrator/runs.h"
#include "test.h"

typedef struct Seen {
    double t, h, least, most, grow, shrink;
    long steps;
} Seen;

/* The size of every step but the last, which ends with the run. */
static vgStatus see(void *user, const vgState *s, vgWork *work)
{
    Seen *x = user;
    (void)work;
    double h = s->t - x->t;
    if (s->t > 0 && s->t < 2) {
        x->least = fmin(x->least, h);
        x->most = fmax(x->most, h);
        if (x->h > 0) x->grow = fmax(x->grow, h / x->h), x->shrink = fmin(x->shrink, h / x->h);
        x->h = h;
        x->steps++;
    }
    x->t = s->t;
    return VG_OK;
}

static vgStatus run(const char *method, const char *options, Seen *x, vgTransientResult *res)
{
    char text[160];
    Rig r;
    *x = (Seen){.least = INFINITY, .shrink = INFINITY};
    snprintf(text, sizeof text, "%s:rtol=1e-3,%s", method, options);
    if (!rig_open(&r, ELASTIC_PENDULUM, NULL, text, NULL, 0)) return VG_BAD_INPUT;
    vgTransientOptions o = {.end = 2};
    vgSink sink = {.user = x, .row = see};
    vgStatus st = vg_transient_run(r.sim.it, r.sim.state, &o, &sink, res);
    rig_close(&r);
    return st;
}

TEST(steps_stay_within_their_bounds)
{
    const double eps = 1e-9;
    for (const vgIntegratorRow *const *m = vg_integrators; *m; m++) {
        Seen x, free;
        vgTransientResult res;
        if (!((*m)->flags & VG_INT_ESTIMATE)) continue;
        CHECK_INT(run((*m)->name, "h_max=0.004,grow=1.5", &x, &res), VG_OK);
        CHECK(x.most <= 0.004 * (1 + eps) && x.grow <= 1.5 * (1 + eps));
        CHECK_INT(run((*m)->name, "h_min=0", &free, &res), VG_OK);
        CHECK(free.most > 0.004); /* or the bound says nothing */
        /* twice the least step of a free run: the error may ask for less there, and the run ends by name */
        char least[32];
        snprintf(least, sizeof least, "h_min=%.17g", 2 * free.least);
        vgStatus st = run((*m)->name, least, &x, &res);
        CHECK(st == VG_OK || st == VG_STEP_TOO_SMALL);
        CHECK(x.least >= 2 * free.least * (1 - eps));
        if (st != VG_OK) CHECK(strstr(res.failure.text, "Give a smaller h_min") != NULL);
    }
}

TEST(a_step_at_its_least_ends_by_name_and_the_remedy_helps)
{
    static const char *const methods[] = {"dopri5", "lms2", "bdf",   "generalized-alpha",
                                          "bathe",  "abm",  "radau3"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        Seen x;
        vgTransientResult res;
        CHECK_INT(run(methods[i], "atol=1e-9,h_min=0.2", &x, &res), VG_STEP_TOO_SMALL);
        CHECK(strstr(res.failure.text, "h_min = 0.2") && strstr(res.failure.text, "smaller h_min"));
        CHECK_INT(run(methods[i], "atol=1e-9,h_min=1e-6", &x, &res), VG_OK);
    }
}

/* A step that is shortened does so by the given factor at most, but where it ends at a stop. */
TEST(steps_shrink_by_the_given_factor)
{
    Seen x;
    vgTransientResult res;
    CHECK_INT(run("dopri5", "control=1,shrink=0.8,grow=1.1", &x, &res), VG_OK);
    CHECK(x.steps > 10 && x.grow <= 1.1 * (1 + 1e-9) && x.shrink >= 0.5 * (1 - 1e-9));
}

/* [H] appendix B with Dormand and Prince's method, written out: (B17) to (B20). Two uncoupled oscillators, y = (x, z, ẋ, ż). */
static void rates(double t, const double *y, double *f)
{
    f[0] = y[2], f[1] = y[3];
    f[2] = -9 * y[0] - 0.4 * y[2] + cos(2 * t);
    f[3] = -36 * y[1] - 0.4 * y[3];
}

typedef struct Path {
    double t[200];
    int n;
} Path;

static vgStatus keep(void *user, const vgState *s, vgWork *work)
{
    Path *p = user;
    (void)work;
    if (p->n < 200) p->t[p->n++] = s->t;
    return VG_OK;
}

/* One step of y; the error (B18). */
static double plain_step(double t, double h, double rtol, double atol, const double *y, double *next)
{
    const vgTableau *tb = &vg_tableau_dopri5;
    double k[7][4], x[4], off[4], sum = 0;
    for (int i = 0; i < tb->stages; i++) {
        for (int m = 0; m < 4; m++) {
            x[m] = y[m];
            for (int j = 0; j < i; j++) x[m] += h * tb->a[i * tb->stages + j] * k[j][m];
        }
        rates(t + tb->c[i] * h, x, k[i]);
    }
    for (int m = 0; m < 4; m++) {
        next[m] = y[m], off[m] = 0;
        for (int i = 0; i < tb->stages; i++)
            next[m] += h * tb->b[i] * k[i][m], off[m] += h * tb->e[i] * k[i][m];
        double e = off[m] / (atol + rtol * fmax(fabs(y[m]), fabs(next[m])));
        sum += e * e / 4;
    }
    return sqrt(sum);
}

TEST(appendix_b_of_h)
{
    static const double rtol = 1e-5, atol = 1e-7, safety = 0.9, h_max = 0.15, most = 1.5;
    Rig r;
    Path path = {.n = 0};
    vgTransientResult res;
    CHECK(
        rig_open(&r, OSCILLATOR, NULL, "dopri5:control=1,rtol=1e-5,atol=1e-7,h_max=0.15,grow=1.5", NULL, 0));
    vgTransientOptions o = {.end = 4};
    CHECK_INT(vg_transient_run(r.sim.it, r.sim.state, &o, &(vgSink){.user = &path, .row = keep}, &res),
              VG_OK);
    rig_close(&r);
    CHECK(path.n > 25);
    double y[4] = {1, 0.5, 0.3, -0.2}, next[4], h = path.t[1] - path.t[0], worst = 0;
    for (int i = 0; i + 3 < path.n; i++) { /* the last two share what is left of the run */
        double err = plain_step(path.t[i], h, rtol, atol, y, next);
        while (err > 1) { /* recomputed with h_new */
            h *= safety * pow(err, -1. / 6);
            err = plain_step(path.t[i], h, rtol, atol, y, next);
        }
        worst = fmax(worst, fabs(path.t[i + 1] - path.t[i] - h) / h);
        memcpy(y, next, sizeof y);
        h = fmin(fmin(h_max, h * most), safety * h * pow(err, -1. / 6));
    }
    printf("sizes of %d steps differ by %.1e\n", path.n, worst);
    CHECK(worst < 1e-6);
}

static int refused(const char *text, const char *words)
{
    vgDiag *diag = vg_diag_new();
    int ok = vg_integrator_check(text, diag) == VG_BAD_INPUT && vg_diag_count(diag) == 1 &&
             strstr(vg_diag_line(diag, 0), words);
    vg_diag_free(diag);
    return ok;
}

TEST(bounds_that_no_step_meets_are_refused)
{
    CHECK(refused("dopri5:h_min=0.2,h_max=0.1", "is larger than h_max"));
    CHECK(refused("dopri5:grow=0.9", "give more than 1"));
    /* a method without an error estimate, of which the list has none */
    vgIntegratorRow row = {.name = "toy", .family = "explicit Runge–Kutta", .order = 1, .stages = 1};
    vgIntegrator it = {.row = &row};
    vgDiag *diag = vg_diag_new();
    CHECK_INT(vg_integrator_choose(&it, &row, "toy:h_max=0.1", diag, (vgLoc){0}), VG_BAD_INPUT);
    CHECK(vg_diag_count(diag) == 1 && strstr(vg_diag_line(diag, 0), "has no error estimate"));
    vg_diag_free(diag);
}

TEST_MAIN(steps_stay_within_their_bounds, a_step_at_its_least_ends_by_name_and_the_remedy_helps,
          steps_shrink_by_the_given_factor, appendix_b_of_h, bounds_that_no_step_meets_are_refused)

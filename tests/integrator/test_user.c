/* Methods from files: tableaux and multistep coefficients against plain implementations, claims that do not hold refused
 * with their place, error control, stability. */
#include <unistd.h>

#include "analysis/study/spectrum.h"
#include "integrator/user/user.h"
#include "runs.h"
#include "test.h"

static char path[64];

/* The method of a text, as an integrator's name with options. */
static const char *method(const char *text, const char *options)
{
    static char name[160];
    snprintf(path, sizeof path, "user-method-%ld.yaml", (long)getpid());
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (f) fputs(text, f), fclose(f);
    snprintf(name, sizeof name, "file:%s%s", path, options);
    return name;
}

#define EXPLICIT "tableau: {order: 4, a: [[0], [1/3], [-1/3, 1], [1, -1, 1]], b: [1/8, 3/8, 3/8, 1/8]}\n"
#define PAIR                                                                                                 \
    "tableau:\n  order: 3\n  a: [[0], [1/2], [0, 3/4], [2/9, 1/3, 4/9]]\n  b: [2/9, 1/3, 4/9, 0]\n"          \
    "  embedded: [7/24, 1/4, 1/3, 1/8]\n"
#define GAUSS "tableau: {order: 4, a: [[1/4, 1/4 - sqrt(3)/6], [1/4 + sqrt(3)/6, 1/4]], b: [1/2, 1/2]}\n"
#define LOBATTO                                                                                              \
    "tableau: {order: 4, a: [[0, 0, 0], [5/24, 1/3, -1/24], [1/6, 2/3, 1/6]], b: [1/6, 2/3, 1/6], c: [0, "   \
    "1/2, 1]}\n"
#define SDIRK                                                                                                \
    "tableau:\n  order: 3\n  a: [[0.4358665215084590], [0.2820667392457705, 0.4358665215084590],\n"          \
    "      [1.208496649176010, -0.6443631706844691, 0.4358665215084590]]\n"                                  \
    "  b: [1.208496649176010, -0.6443631706844691, 0.4358665215084590]\n"                                    \
    "  embedded: [0.7726301276675511, 0.2273698723324489, 0]\n"
#define BDF3 "multistep: {order: 3, alpha: [18/11, -9/11, 2/11], beta: [6/11, 0, 0, 0]}\n"
#define AB3  "multistep: {order: 3, alpha: [1, 0, 0], beta: [0, 23/12, -16/12, 5/12]}\n"
#define RULE "multistep: {order: 2, alpha: [1], beta: [1/2, 1/2]}\n"
#define AM4                                                                                                  \
    "multistep: {order: 5, alpha: [1, 0, 0, 0], beta: [251/720, 646/720, -264/720, 106/720, -19/720]}\n"

/* ẏ = f(t, y), y = (x, ẋ): OSCILLATOR along x. */
static void rate(double t, const double *y, double *f)
{
    f[0] = y[1];
    f[1] = -9 * y[0] - 0.4 * y[1] + cos(2 * t);
}

/* One step of any tableau; implicit ones by fixed-point iteration, which small steps let converge. */
static void plain_rk(int s, const double *a, const double *b, double t, double h, double *y)
{
    double k[4][2] = {{0}}, x[2];
    for (int round = 0; round < 60; round++)
        for (int i = 0; i < s; i++) {
            double c = 0;
            for (int m = 0; m < 2; m++) x[m] = y[m];
            for (int j = 0; j < s; j++) {
                c += a[i * s + j];
                for (int m = 0; m < 2; m++) x[m] += h * a[i * s + j] * k[j][m];
            }
            rate(t + c * h, x, k[i]);
        }
    for (int i = 0; i < s; i++)
        for (int m = 0; m < 2; m++) y[m] += h * b[i] * k[i][m];
}

TEST(tableaux_step_by_step)
{
    const double r = sqrt(3) / 6, g = 0.4358665215084590, p = 0.2820667392457705, u = 1.208496649176010,
                 w = -0.6443631706844691;
    const struct {
        const char *text;
        int s;
        double a[16], b[4];
    } m[] = {
        {EXPLICIT,
         4,
         {0, 0, 0, 0, 1. / 3, 0, 0, 0, -1. / 3, 1, 0, 0, 1, -1, 1, 0},
         {0.125, 0.375, 0.375, 0.125}},
        {GAUSS, 2, {0.25, 0.25 - r, 0.25 + r, 0.25}, {0.5, 0.5}},
        {LOBATTO, 3, {0, 0, 0, 5. / 24, 1. / 3, -1. / 24, 1. / 6, 2. / 3, 1. / 6}, {1. / 6, 2. / 3, 1. / 6}},
        {SDIRK, 3, {g, 0, 0, p, g, 0, u, w, g}, {u, w, g}}};
    for (int i = 0; i < 4; i++) {
        Rig rig;
        double y[2] = {1, 0.3}, worst = 0, h = 0.05;
        CHECK(rig_open(&rig, OSCILLATOR, "planar", method(m[i].text, ",adaptive=0,tol=1e-14,acc=1e-12"), NULL,
                       0));
        unlink(path);
        if (rig.status != VG_OK) continue;
        CHECK_INT(vg_integrator_start(rig.sim.it, rig.sim.state), VG_OK);
        for (int k = 0; k < 40; k++) {
            plain_rk(m[i].s, m[i].a, m[i].b, rig.sim.state->t, h, y);
            CHECK_INT(vg_integrator_advance(rig.sim.it, rig.sim.state, h), VG_OK);
            worst = fmax(worst, fmax(fabs(rig.sim.state->q[0] - y[0]), fabs(rig.sim.state->v[0] - y[1])));
        }
        if (worst > 1e-11) printf("%s: %g\n", m[i].text, worst);
        CHECK(worst < 1e-11);
        rig_close(&rig);
    }
}

TEST(multistep_step_by_step)
{
    static const struct {
        const char *text;
        double alpha[4], beta[4];
    } m[] = {{BDF3, {0, 18. / 11, -9. / 11, 2. / 11}, {6. / 11, 0, 0, 0}},
             {AB3, {0, 1, 0, 0}, {0, 23. / 12, -16. / 12, 5. / 12}}};
    for (int i = 0; i < 2; i++) {
        Rig rig;
        double y[4][2], f[4][2], worst = 0, h = 0.02;
        CHECK(rig_open(&rig, OSCILLATOR, "planar", method(m[i].text, ",tol=1e-14,acc=1e-12"), NULL, 0));
        unlink(path);
        if (rig.status != VG_OK) continue;
        CHECK_INT(vg_integrator_start(rig.sim.it, rig.sim.state), VG_OK);
        for (int k = 0; k < 40; k++) {
            const vgState *s = rig.sim.state;
            for (int j = 3; j > 1; j--)
                memcpy(y[j], y[j - 1], sizeof y[0]), memcpy(f[j], f[j - 1], sizeof f[0]);
            y[1][0] = s->q[0], y[1][1] = s->v[0];
            rate(s->t, y[1], f[1]);
            CHECK_INT(vg_integrator_advance(rig.sim.it, rig.sim.state, h), VG_OK);
            if (k < 2) continue; /* the start */
            double hat[2] = {0}, b = h * m[i].beta[0];
            for (int j = 1; j < 4; j++)
                for (int c = 0; c < 2; c++) hat[c] += m[i].alpha[j] * y[j][c] + h * m[i].beta[j] * f[j][c];
            /* y = hat + b f(y) */
            double r1 = hat[1] + b * cos(2 * s->t), det = (1 + 0.4 * b) + 9 * b * b;
            double x = (hat[0] * (1 + 0.4 * b) + b * r1) / det, v = (r1 - 9 * b * hat[0]) / det;
            worst = fmax(worst, fmax(fabs(s->q[0] - x), fabs(s->v[0] - v)));
        }
        if (worst > 1e-12) printf("%s: %g\n", m[i].text, worst);
        CHECK(worst < 1e-12);
        rig_close(&rig);
    }
}

/* Orders with constraints, against a method of the list. */
TEST(orders_on_a_mechanism)
{
    static const struct {
        const char *text, *constraints;
        double order;
    } m[] = {{EXPLICIT, "index1", 4}, {GAUSS, "index1", 4}, {SDIRK, "index3", 3}, {SDIRK, "index2", 3},
             {LOBATTO, "index1", 4},  {BDF3, "index3", 3},  {AB3, "index1", 3}};
    rig_constraints = "index1";
    Final ref = final_of("slider-crank.yaml", "planar", "dop853:rtol=1e-12,atol=1e-14", 0, 0.2);
    CHECK(ref.ok);
    for (size_t i = 0; i < sizeof m / sizeof m[0]; i++) {
        Final f[2];
        rig_constraints = m[i].constraints;
        for (int k = 0; k < 2; k++)
            f[k] = final_of("slider-crank.yaml", "planar", method(m[i].text, ",adaptive=0,acc=1e-11"),
                            k ? 0.001 : 0.002, 0.2);
        unlink(path);
        double order = log2(distance(f[0].v, ref.v, ref.nv) / distance(f[1].v, ref.v, ref.nv));
        if (fabs(order - m[i].order) > 0.3) printf("%s %s: %.2f\n", m[i].text, m[i].constraints, order);
        CHECK_NEAR(order, m[i].order, 0.3);
    }
}

/* Embedded weights, step doubling, and the error constant of a multistep method. */
TEST(the_error_is_controlled)
{
    static const char *const text[] = {PAIR, SDIRK, EXPLICIT, BDF3, AB3, RULE, AM4};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        double e[2];
        Final ref = final_of(ELASTIC_PENDULUM, "planar", "dop853:rtol=1e-12,atol=1e-14", 0, 2);
        for (int k = 0; k < 2; k++) {
            Final f =
                final_of(ELASTIC_PENDULUM, "planar", method(text[i], k ? ",rtol=1e-8" : ",rtol=1e-5"), 0, 2);
            CHECK(f.ok);
            e[k] = distance(f.q, ref.q, ref.nq);
        }
        unlink(path);
        if (!(e[0] < 1e-2 && e[1] < 1e-5 && e[1] < 0.05 * e[0])) printf("%s: %g %g\n", text[i], e[0], e[1]);
        CHECK(e[0] < 1e-2 && e[1] < 1e-5 && e[1] < 0.05 * e[0]);
    }
}

/* Embedded weights: the estimate of a step is h Σ (b − b̂)_i k_i, in the weights of [H] (B17). Both directions of
 * OSCILLATOR, y = (x, z, ẋ, ż). */
static void rates(double t, const double *y, double *f)
{
    f[0] = y[2], f[1] = y[3];
    f[2] = -9 * y[0] - 0.4 * y[2] + cos(2 * t);
    f[3] = -36 * y[1] - 0.4 * y[3];
}

TEST(the_embedded_estimate)
{
    const double g = 0.4358665215084590, p = 0.2820667392457705, u = 1.208496649176010,
                 w = -0.6443631706844691;
    const struct {
        const char *text;
        int s;
        double a[16], b[4], less[4];
    } m[] = {{PAIR,
              4,
              {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.75, 0, 0, 2. / 9, 1. / 3, 4. / 9, 0},
              {2. / 9, 1. / 3, 4. / 9, 0},
              {7. / 24, 0.25, 1. / 3, 0.125}},
             {SDIRK, 3, {g, 0, 0, p, g, 0, u, w, g}, {u, w, g}, {0.7726301276675511, 0.2273698723324489, 0}}};
    for (int i = 0; i < 2; i++) {
        Rig rig;
        double y[4] = {1, 0.5, 0.3, -0.2}, k[4][4] = {{0}}, x[4], sum = 0, h = 0.05;
        CHECK(rig_open(&rig, OSCILLATOR, "planar",
                       method(m[i].text, ",control=1,rtol=1,atol=0.5,tol=1e-14,acc=1e-12"), NULL, 0));
        unlink(path);
        if (rig.status != VG_OK) continue;
        CHECK_INT(vg_integrator_start(rig.sim.it, rig.sim.state), VG_OK);
        vgStep step = VG_STEP;
        CHECK_INT(vg_integrator_step(rig.sim.it, rig.sim.state, h, &step), VG_OK);
        for (int round = 0; round < 60; round++)
            for (int j = 0; j < m[i].s; j++) {
                double c = 0;
                memcpy(x, y, sizeof x);
                for (int l = 0; l < m[i].s; l++) {
                    c += m[i].a[j * m[i].s + l];
                    for (int n = 0; n < 4; n++) x[n] += h * m[i].a[j * m[i].s + l] * k[l][n];
                }
                rates(c * h, x, k[j]);
            }
        for (int n = 0; n < 4; n++) {
            double e = 0, end = y[n];
            for (int j = 0; j < m[i].s; j++)
                e += h * (m[i].b[j] - m[i].less[j]) * k[j][n], end += h * m[i].b[j] * k[j][n];
            e /= 0.5 + fmax(fabs(y[n]), fabs(end));
            sum += e * e / 4;
        }
        CHECK(sqrt(sum) > 1e-6);
        CHECK_NEAR(step.err, sqrt(sum), 1e-9 * sqrt(sum) + 1e-13);
        rig_close(&rig);
    }
}

/* A multistep method of order p is off by C h^{p+1} y^{(p+1)} in a step: at half the step the estimate at the same time is
 * 2^{p+1} times smaller. */
TEST(the_estimate_is_of_the_methods_order)
{
    static const struct {
        const char *text;
        int order;
    } m[] = {{BDF3, 3}, {AB3, 3}, {RULE, 2}, {AM4, 5}};
    for (int i = 0; i < 4; i++) {
        double err[2];
        for (int k = 0; k < 2; k++) {
            Rig rig;
            double h = k ? 0.02 : 0.04;
            err[k] = NAN;
            CHECK(rig_open(&rig, OSCILLATOR, "planar",
                           method(m[i].text, ",rtol=1,atol=1,tol=1e-14,acc=1e-12"), NULL, 0));
            unlink(path);
            if (rig.status != VG_OK) continue;
            CHECK_INT(vg_integrator_start(rig.sim.it, rig.sim.state), VG_OK);
            while (rig.sim.state->t < 1.2 - h / 2) { /* the estimate of the last step is kept */
                vgStep x = VG_STEP;
                CHECK_INT(vg_integrator_step(rig.sim.it, rig.sim.state, h, &x), VG_OK);
                if (x.err < 0 || x.err > 1) break;
                err[k] = x.err;
            }
            rig_close(&rig);
        }
        double order = log2(err[0] / err[1]);
        if (!(fabs(order - m[i].order - 1) < 0.35)) printf("%s: %g %g\n", m[i].text, err[0], err[1]);
        CHECK_NEAR(order, m[i].order + 1, 0.35);
    }
}

TEST(what_is_wrong_is_refused_with_its_place)
{
    static const struct {
        const char *text, *place, *words;
    } bad[] = {
        {"tableau:\n  order: 3\n  a: [[0], [1/2]]\n  b: [0, 1]\n", ":2:", "order 3 is claimed"},
        {"tableau:\n  a: [[0], [1/2]]\n  b: [0.1, 1]\n", ":3:", "sum 1.1"},
        {"tableau:\n  a: [[0], [1/2]]\n  b: [0, 1]\n  c: [0, 1]\n", ":4:", "row 2"},
        {"tableau:\n  a: [[0], [1/2]]\n  b: [0, 1]\n  embedded: [0, 1]\n", ":4:", "estimate nothing"},
        {"tableau:\n  a: [[0], [1/2]]\n  b: [0, 1, 2]\n", ":3:", "list of 2"},
        {"tableau:\n  a: [[0, 0], [x, 1]]\n  b: [0, 1]\n", ":2:", "x"},
        {"tableau:\n  a: [[0], [1/2]]\n  w: [0, 1]\n", ":3:", "unknown key 'w'"},
        {"tableau:\n  a: [[1/2], [1/2, 0, 0], [0, 0, 1/2]]\n  b: [0, 0, 1]\n", ":2:", "only the first stage"},
        {"multistep:\n  alpha: [-4, 5]\n  beta: [0, 4, 2]\n", ":2:", "zero-stable"},
        /* (ζ − 1)², and (ζ − 1)(ζ + 1)²: bounded roots, growing solutions */
        {"multistep:\n  alpha: [2, -1]\n  beta: [1, -1, 0]\n", ":2:", "double"},
        {"multistep:\n  alpha: [2.00000001, -1.00000001]\n  beta: [1, -1, 0]\n", ":2:", "zero-stable"},
        {"multistep:\n  alpha: [-1, 1, 1]\n  beta: [0, 4, 0, 0]\n", ":2:", "double"},
        {"multistep:\n  order: 3\n  alpha: [4/3, -1/3]\n  beta: [2/3, 0, 0]\n", ":2:", "order 2"},
        {"multistep:\n  alpha: [1, 1]\n  beta: [1, 0, 0]\n", ":2:", "sum 2"},
        {"steps: {}\n", ":1:", "tableau"},
        {"[1, 2]\n", ":1:", "one key"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        vgDiag *diag = vg_diag_new();
        CHECK_INT(vg_integrator_check(method(bad[i].text, ""), diag), VG_BAD_INPUT);
        const char *line = vg_diag_count(diag) ? vg_diag_line(diag, 0) : "";
        if (!strstr(line, bad[i].place) || !strstr(line, bad[i].words))
            printf("%s → %s\n", bad[i].text, line);
        CHECK(strstr(line, bad[i].place) != NULL);
        CHECK(strstr(line, bad[i].words) != NULL);
        vg_diag_free(diag);
    }
    unlink(path);
    vgDiag *diag = vg_diag_new();
    CHECK_INT(vg_integrator_check("file:no-such-file.yaml", diag), VG_BAD_INPUT);
    CHECK(vg_diag_count(diag) > 0);
    vg_diag_free(diag);
}

/* R(z) of the Gauss method of two stages is 1 on the imaginary axis; of the explicit one 2√2 is the limit. */
TEST(stability)
{
    vgSpectrum *p;
    vgSpectrumPoint x;
    CHECK_INT(vg_spectrum_open(method(GAUSS, ""), 0, NULL, &p), VG_OK);
    CHECK_INT(vg_spectrum_at(p, 0.4, &x), VG_OK);
    CHECK_NEAR(x.radius, 1, 1e-12);
    double y = 0.4, arg = 2 * atan2(y / 2, 1 - y * y / 12); /* R = (1 + z/2 + z²/12)/(1 − z/2 + z²/12) */
    CHECK_NEAR(atan2(x.im, x.re), arg, 1e-12);
    CHECK_NEAR(vg_spectrum_infinity(p), 1, 1e-6);
    vg_spectrum_close(p);
    CHECK_INT(vg_spectrum_open(method(EXPLICIT, ",adaptive=0"), 0, NULL, &p), VG_OK);
    CHECK_NEAR(vg_spectrum_limit(p, 100), 2 * sqrt(2), 2e-6);
    vg_spectrum_close(p);
    CHECK_INT(vg_spectrum_open(method(SDIRK, ""), 0, NULL, &p), VG_OK);
    CHECK_NEAR(vg_spectrum_infinity(p), 0, 1e-5);
    CHECK_INT(vg_spectrum_order(p), 3);
    vg_spectrum_close(p);
    unlink(path);
}

/* Trees: 1, 1, 2, 4, 9, 20, 48, 115 of 1 … 8 nodes; Dormand and Prince's order 5. */
TEST(order_conditions)
{
    const vgTableau *t = &vg_tableau_dopri5;
    double worst, off;
    char tree[64];
    CHECK_INT(vg_user_order(t->stages, t->a, t->b, &worst, &off, tree, sizeof tree), 5);
    CHECK(worst < 1e-14 && fabs(off) > 1e-6);
    double wrong[49];
    memcpy(wrong, t->a, sizeof wrong);
    wrong[7 * 4 + 1] *= 1.0001;
    CHECK(vg_user_order(t->stages, wrong, t->b, &worst, &off, tree, sizeof tree) < 5);
    vgUserRoots roots;
    CHECK_INT(vg_user_roots(2, (double[]){0, 4. / 3, -1. / 3}, &roots), VG_OK);
    CHECK_NEAR(roots.largest, 1. / 3, 1e-12);
    CHECK_INT(vg_user_roots(2, (double[]){0, 0, 1}, &roots), VG_OK); /* 1 and −1 */
    CHECK_NEAR(roots.largest, 1, 1e-12);
    CHECK_NEAR(roots.apart, 2, 1e-12);
}

/* Known error constants: backward differences −β₀/(p + 1), Adams–Bashforth 3/8, the trapezoidal rule −1/12, Adams–Moulton
 * of four steps −3/160. */
TEST(error_constants)
{
    double worst, off;
    CHECK_INT(vg_user_multistep_order(3, (double[]){0, 18. / 11, -9. / 11, 2. / 11},
                                      (double[]){6. / 11, 0, 0, 0}, &worst, &off),
              3);
    CHECK_NEAR(off, -6. / 44, 1e-12);
    CHECK_INT(vg_user_multistep_order(3, (double[]){0, 1, 0, 0}, (double[]){0, 23. / 12, -16. / 12, 5. / 12},
                                      &worst, &off),
              3);
    CHECK_NEAR(off, 3. / 8, 1e-12);
    CHECK_INT(vg_user_multistep_order(1, (double[]){0, 1}, (double[]){0.5, 0.5}, &worst, &off), 2);
    CHECK_NEAR(off, -1. / 12, 1e-12);
    CHECK_INT(vg_user_multistep_order(4, (double[]){0, 1, 0, 0, 0},
                                      (double[]){251. / 720, 646. / 720, -264. / 720, 106. / 720, -19. / 720},
                                      &worst, &off),
              5);
    CHECK_NEAR(off, -3. / 160, 1e-12);
}

TEST_MAIN(tableaux_step_by_step, multistep_step_by_step, orders_on_a_mechanism, the_error_is_controlled,
          the_embedded_estimate, the_estimate_is_of_the_methods_order,
          what_is_wrong_is_refused_with_its_place, stability, order_conditions, error_constants)

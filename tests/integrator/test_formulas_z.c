/* The stage predictors of [Z] (12)–(17) at index 3: a step with one iteration a stage from each first guess, against
 * the printed coefficients and one plain iteration. */
#include <complex.h>

#include "formula.h"
#include "integrator/composite/esdirk.h"
#include "math/so3.h"
#include "test.h"

/* A point on a rod and a spring: one body, so that the program's matrix is exact. */
static const char POINT[] =
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
    "bodies: {ground: {markers: {S: [0.5, -2]}},\n"
    "         m: {mass: 1.5, point: true, position: [0.6, -0.8], velocity: [1.6, 1.2]}}\n"
    "joints: {rod: {distance: [ground, m]}}\n"
    "forces: {s: {spring: [ground.S, m], stiffness: 40, damping: 2, length: 0.7}}\n";

typedef struct Point {
    double t, y[2], rate[2];
} Point;

/* (12), (14) and (16), (17); p[0] the newest. */
static void second(double t, const Point *p, double *rate)
{
    double al = (t - p[0].t) / (p[0].t - p[1].t), m0 = -6 * al * al * (1 + al);
    for (int i = 0; i < 2; i++)
        rate[i] = m0 * (p[0].y[i] - p[1].y[i]) / (t - p[0].t) + (1 + al) * (1 + 3 * al) * p[0].rate[i] +
                  al * (2 + 3 * al) * p[1].rate[i];
}

static void fourth(double t, const Point *p, double *rate)
{
    double a = (t - p[0].t) / (p[0].t - p[1].t), b = (t - p[0].t) / (p[1].t - p[2].t), a2 = a * a,
           a3 = a2 * a, b2 = b * b, b3 = b2 * b;
    double m0 = -2 * a2 * (1 + a) / pow(a + b, 3) *
                (5 * a3 * b2 + 8 * a3 * b + 10 * a2 * b3 + 3 * a3 + 25 * a2 * b2 + 13 * a2 * b + 20 * a * b3 +
                 20 * a * b2 + 10 * b3);
    double m1 = 2 * (1 + a) / a *
                (5 * a3 * b2 + 8 * a3 * b + 3 * a3 - 5 * a2 * b3 + a2 * b2 + 4 * a2 * b - 7 * a * b3 -
                 a * b2 - 2 * b3);
    double n0 =
        (1 + a) / ((a + b) * (a + b)) *
        (5 * a3 * b2 + 8 * a3 * b + 3 * a3 + 11 * a2 * b2 + 10 * a2 * b + a2 + 7 * a * b2 + 2 * a * b + b2);
    double n1 = (5 * a3 * b2 + 8 * a3 * b + 3 * a3 + 12 * a2 * b2 + 12 * a2 * b + 2 * a2 + 9 * a * b2 +
                 4 * a * b + 2 * b2) /
                a;
    double n2 = b3 * (1 + a) / (a * (a + b) * (a + b)) * (2 * a + 2 * b + 7 * a * b + 5 * a2 * b + 4 * a2);
    for (int i = 0; i < 2; i++)
        rate[i] = (m0 * p[0].y[i] + m1 * p[1].y[i] - (m0 + m1) * p[2].y[i]) / (t - p[0].t) +
                  n0 * p[0].rate[i] + n1 * p[1].rate[i] + n2 * p[2].rate[i];
}

/* One implicit stage: x = (q, λ), q̇ = v = (q − q̂)/b, a = (v − v̂)/b. */
typedef struct Stage {
    double t, b, qhat[2], vhat[2];
} Stage;

static void residual(Plain *p, const void *step, const double *x, double *r)
{
    const Stage *s = step;
    double v[2], a[2], m[F_MOST], f[F_MOST], bl[F_MOST], unused[F_MOST];
    for (int i = 0; i < 2; i++) {
        v[i] = (x[i] - s->qhat[i]) / s->b;
        a[i] = (v[i] - s->vhat[i]) / s->b;
    }
    plain_mass(p, s->t, x, a, m);
    plain_force(p, s->t, x, v, f);
    plain_transposed(p, s->t, x, x + 2, bl);
    for (int i = 0; i < 2; i++) r[i] = m[i] + bl[i] - f[i];
    plain_levels(p, s->t, x, v, r + 2, unused);
}

/* x −= J⁻¹ r with J by differences of fourth order. */
static void iterate(Plain *p, const Stage *s, double *x)
{
    double r[3], j[9], w[4][3];
    residual(p, s, x, r);
    for (int k = 0; k < 3; k++) {
        double e = 1e-3 * fmax(1, fabs(x[k])), keep = x[k];
        static const double at[4] = {-2, -1, 1, 2}, c[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
        for (int i = 0; i < 3; i++) j[i * 3 + k] = 0;
        for (int m = 0; m < 4; m++) {
            x[k] = keep + at[m] * e;
            residual(p, s, x, w[m]);
            for (int i = 0; i < 3; i++) j[i * 3 + k] += c[m] * w[m][i] / e;
        }
        x[k] = keep;
    }
    CHECK(plain_solve(3, j, r));
    for (int i = 0; i < 3; i++) x[i] -= r[i];
}

static double compare(const char *name, vgDirkBuild *build, double rho, int order)
{
    char text[96];
    vgDirkTableau tb = {0};
    Rig r;
    Plain p;
    const double h = 0.15;
    build(rho, &tb);
    snprintf(text, sizeof text, "%s,guess=printed,fixed=1,newton=full", name);
    rig_constraints = "index3";
    if (!rig_open(&r, POINT, "planar", text, NULL, 0)) return 1;
    CHECK(plain_open(&p, &r));
    vgState *s = r.sim.state;
    CHECK_INT(vg_integrator_start(r.sim.it, s), VG_OK);
    Point point[VG_DIRK_MAX];
    double acc[VG_DIRK_MAX][2], x[3];
    point[0] = (Point){s->t, {s->q[0], s->q[1]}, {s->v[0], s->v[1]}};
    acc[0][0] = s->a[0];
    acc[0][1] = s->a[1];
    x[2] = s->lambda[0];
    for (int i = 1; i < tb.stages; i++) {
        Stage g = {.t = s->t + tb.c[i] * h, .b = h * tb.a[i][i]};
        double rate[2] = {point[0].rate[0], point[0].rate[1]};
        Point back[3];
        for (int k = 0; k < 3 && k < i; k++) back[k] = point[i - 1 - k];
        if (i == tb.stages - 1 && order == 4)
            fourth(g.t, back, rate);
        else if (i > 1)
            second(g.t, back, rate);
        for (int c = 0; c < 2; c++) {
            g.qhat[c] = s->q[c];
            g.vhat[c] = s->v[c];
            for (int k = 0; k < i; k++) {
                g.qhat[c] += h * tb.a[i][k] * point[k].rate[c];
                g.vhat[c] += h * tb.a[i][k] * acc[k][c];
            }
            x[c] = g.qhat[c] + g.b * rate[c];
        }
        iterate(&p, &g, x);
        point[i].t = g.t;
        for (int c = 0; c < 2; c++) {
            point[i].y[c] = x[c];
            point[i].rate[c] = (x[c] - g.qhat[c]) / g.b;
            acc[i][c] = (point[i].rate[c] - g.vhat[c]) / g.b;
        }
    }
    CHECK_INT(vg_integrator_advance(r.sim.it, s, h), VG_OK);
    int last = tb.stages - 1;
    double off = fmax(fmax(fabs(s->q[0] - point[last].y[0]), fabs(s->q[1] - point[last].y[1])),
                      fmax(fabs(s->v[0] - point[last].rate[0]), fabs(s->v[1] - point[last].rate[1])));
    plain_close(&p);
    rig_close(&r);
    return off;
}

TEST(stage_predictors_are_those_of_the_paper)
{
    static const struct {
        const char *name;
        vgDirkBuild *build;
        double rho;
        int order;
    } row[] = {
        {"bathe:rho=0.6", vg_dirk_bathe, 0.6, 2},     {"msstc3:rho=0.6", vg_dirk_msstc3, 0.6, 2},
        {"msstc4:rho=0.6", vg_dirk_msstc4, 0.6, 2},   {"msstc5:rho=0.6", vg_dirk_msstc5, 0.6, 2},
        {"hope:rho=0.6", vg_dirk_hope, 0.6, 2},       {"mssth3:rho=0", vg_dirk_mssth3, 0, 2},
        {"mssth4:rho=0", vg_dirk_mssth4, 0, 4},       {"mssth5:rho=0", vg_dirk_mssth5, 0, 4},
        {"esdirk324:predictor=2", vg_dirk_324, 0, 2}, {"esdirk325:predictor=2", vg_dirk_325, 0, 2},
        {"esdirk436:predictor=4", vg_dirk_436, 0, 4}, {"esdirk436-2:predictor=4", vg_dirk_436_2, 0, 4}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        double off = compare(row[i].name, row[i].build, row[i].rho, row[i].order);
        if (off > 1e-10) printf("%s: %g\n", row[i].name, off);
        CHECK(off < 1e-10);
        /* another predictor would be seen */
        double other = compare(row[i].name, row[i].build, row[i].rho, row[i].order == 4 ? 2 : 4);
        if (row[i].order == 4) CHECK(other > 1e-8);
    }
}

/* ---- SS2, SS3, SS4 with rotations ---- */

/* A free body in Cayley parameters: (4) and (9) to (11) of the angular velocity and of g, g = 0 at the last point, whose
 * auxiliary variables are vectors in space, (18) to (20). In the body's axes such a vector x becomes cay(g)ᵀ x. */
static const char SPINNER[] = "verge: 1\ngravity: [0, 0, 0]\n"
                              "bodies: {b: {mass: 1, inertia: [1, 2, 2.5], omega: [1.1, -2.3, 0.7]}}\n";
static const double INERTIA[3] = {1, 2, 2.5}, SPIN[3] = {1.1, -2.3, 0.7};

static void spin_rate(const double *w, double *out)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = (INERTIA[j] - INERTIA[k]) * w[j] * w[k] / INERTIA[i];
    }
}

/* out = a x + b g × x + c g (g·x) */
static void rational(const double *g, double a, double b, double c, const double *x, double *out)
{
    double dot = g[0] * x[0] + g[1] * x[1] + g[2] * x[2], y[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = a * x[i] + b * (g[j] * x[k] - g[k] * x[j]) + c * g[i] * dot;
    }
    memcpy(out, y, sizeof y);
}

/* cay(g)ᵀ x, with g² = g·g: ((4 − g²) x − 4 g × x + 2 g (g·x))/(4 + g²) */
static void back_turned(const double *g, const double *x, double *out)
{
    double g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2], s = 1 / (4 + g2);
    rational(g, (4 - g2) * s, -4 * s, 2 * s, x, out);
}

typedef struct Aux {
    int r;
    double g0;
    double complex odd[3], w[3][3]; /* w[j]: of one quantity */
} Aux;

/* (4): w^j of the end from u of both ends; returns the sum of (4a) in rate. */
static void chain(const Aux *aux, const double *old, const double *now, double complex next[3][3],
                  double *rate)
{
    for (int i = 0; i < 3; i++) {
        double complex a = old[i], b = now[i];
        for (int j = 0; j < aux->r - 1; j++) {
            double complex w = aux->w[j][i];
            next[j][i] = ((1 - aux->g0) * a + aux->g0 * b - (1 - aux->odd[j]) * w) / aux->odd[j];
            a = w, b = next[j][i];
        }
        rate[i] = creal((1 - aux->g0) * a + aux->g0 * b);
    }
}

static Aux aux_of(int r, double rho, const double *rate)
{
    static const double re[3][3] = {{1.5},
                                    {1.25, 1.25},
                                    {1.342384094858369131699304, 1.078807952570815434150348,
                                     1.078807952570815434150348}},
                        im[3][3] = {{0},
                                    {0.32274861218395140, -0.32274861218395140},
                                    {0, 0.3739306454336101226, -0.3739306454336101226}};
    Aux a = {.r = r, .g0 = 1 / (1 + rho)};
    for (int j = 0; j < r - 1; j++) {
        double complex A = re[r - 2][j] + I * im[r - 2][j];
        a.odd[j] = (A - (A - 1) * rho) / (1 + rho);
        for (int i = 0; i < 3; i++) a.w[j][i] = rate[i];
    }
    return a;
}

/* Steps of the plain formulas beside the program's; the largest difference of orientation and angular velocity. */
static double spin_beside(int r, double rho, double h, int steps)
{
    char text[96];
    Rig rig;
    double q[4] = {1, 0, 0, 0}, w[3], a[3], off = 0;
    memcpy(w, SPIN, sizeof w);
    spin_rate(w, a);
    Aux of_w = aux_of(r, rho, a), of_g = aux_of(r, rho, w);
    snprintf(text, sizeof text, "ss%d:rho=%.17g,tol=1e-14,acc=1e-12,err=0,iterations=50", r, rho);
    rig_constraints = "index3";
    if (!rig_open(&rig, SPINNER, "cayley", text, NULL, 0)) return 1;
    vgState *s = rig.sim.state;
    CHECK_INT(vg_integrator_start(rig.sim.it, s), VG_OK);
    for (int n = 0; n < steps; n++) {
        double w1[3], a1[3], g[3], rate[3], g_dot[3];
        double complex next_w[3][3], next_g[3][3];
        memcpy(a1, a, sizeof a);
        for (int k = 0; k < 200; k++) { /* by fixed points */
            chain(&of_w, a, a1, next_w, rate);
            for (int i = 0; i < 3; i++) w1[i] = w[i] + h * rate[i];
            spin_rate(w1, a1);
        }
        for (int i = 0; i < 3; i++) g[i] = h * w[i];
        for (int k = 0; k < 200; k++) { /* ġ = G⁻¹ ω = ω + g × ω/2 + g (g·ω)/4 */
            rational(g, 1, 0.5, 0.25, w1, g_dot);
            chain(&of_g, w, g_dot, next_g, rate);
            for (int i = 0; i < 3; i++) g[i] = h * rate[i];
        }
        memcpy(of_w.w, next_w, sizeof next_w);
        double turned[3], part[2][3];
        for (int j = 0; j < r - 1; j++) { /* in the new axes */
            for (int i = 0; i < 3; i++) part[0][i] = creal(of_g.w[j][i]), part[1][i] = cimag(of_g.w[j][i]);
            for (int c = 0; c < 2; c++) back_turned(g, part[c], part[c]);
            for (int i = 0; i < 3; i++) of_g.w[j][i] = part[0][i] + I * part[1][i];
        }
        back_turned(g, w, turned);
        chain(&of_g, turned, w1, next_g, rate);
        memcpy(of_g.w, next_g, sizeof next_g);
        vgQuat c = vg_quat_normalize(vg_quat(2, g[0], g[1], g[2])),
               e = vg_quat_mul(vg_quat(q[0], q[1], q[2], q[3]), c);
        q[0] = e.w, q[1] = e.x, q[2] = e.y, q[3] = e.z;
        memcpy(w, w1, sizeof w);
        memcpy(a, a1, sizeof a);
        CHECK_INT(vg_integrator_advance(rig.sim.it, s, h), VG_OK);
        for (int i = 0; i < 4; i++) off = fmax(off, fabs(s->q[3 + i] - q[i]));
        for (int i = 0; i < 3; i++) off = fmax(off, fabs(s->v[3 + i] - w[i]));
    }
    rig_close(&rig);
    return off;
}

TEST(auxiliary_variables_of_rotations_are_those_of_the_paper)
{
    for (int r = 2; r <= 4; r++)
        for (int k = 0; k < 2; k++) {
            double off = spin_beside(r, k ? 0.6 : 0, 0.05, 40);
            if (!(off < 1e-12)) printf("SS%d, rho %g: %g\n", r, k ? 0.6 : 0., off);
            CHECK(off < 1e-12);
        }
}

TEST_MAIN(stage_predictors_are_those_of_the_paper, auxiliary_variables_of_rotations_are_those_of_the_paper)

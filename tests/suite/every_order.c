/* Every integrator of the list keeps the order that theory gives it: on a linear oscillator, a nonlinear
 * equation, a free rotating body on the group, and a pendulum with its constraint at every level that the
 * method takes, positions, velocities and multipliers apart. A new row is tested by being in the list. */
#include "integrator/orders.h"
#include "test.h"

static const char top_method[] = "dop853:adaptive=0";
static Problem problem[NPATH];
static Path reference[NPATH];
static void make(void)
{
    if (problem[0].name) return;
    problems_make(problem, top_method, 0.000125);
    problem[DAMPED] = damped_pendulum();
    for (int p = 0; p < NPATH; p++) reference[p] = path_reference(&problem[p], p, top_method, 0.000125);
}

/* The order varies along the run, or is somebody else's. */
static int varies(const vgIntegratorRow *row)
{
    return !strcmp(row->family, "SUNDIALS") || !strcmp(row->name, "bdf") || !strcmp(row->name, "adams");
}

/* Orders that theory gives with constraints, where they are not the method's own: Hairer, Lubich, Roche 1989;
 * Jay 1993; Hairer, Wanner II, VII.4 to VII.6. Of s stages, Radau IIA has 2s − 1, s, s − 1 at index 3 for
 * positions, velocities, multipliers, and 2s − 1, 2s − 1, s at index 2; Lobatto IIIC 2s − 2, s − 1, s − 2 and
 * 2s − 2, 2s − 2, s − 1. ESDIRK and composite methods have stage order 2: at index 3 positions and velocities
 * fall to 2 and multipliers to 1; at index 2 order 3 and 2 are left; at index 1 all is back. */
typedef struct Theory {
    const char *family, *name, *constraints; /* family or name may be NULL */
    double order[3];
    double fine; /* smaller errors are looked at, by this factor; 0: no */
} Theory;
static const Theory theory[] = {
    {NULL, "radau2", "index3", {3, 2, 1}, 0},    {NULL, "radau2", "index2", {3, 3, 2}, 0},
    {NULL, "radau3", "index3", {5, 3, 2}, 0},    {NULL, "radau3", "index2", {5, 5, 3}, 0},
    {NULL, "lobatto3c", "index3", {4, 2, 1}, 0}, {NULL, "lobatto3c", "index2", {4, 4, 2}, 0},
    {NULL, "mssth4", "index2", {3, 3, 2}, 5e-5}, /* its term of order 3 is small beside that of order 4 */
    {"ESDIRK", NULL, "index3", {2, 2, 1}, 0},    {"composite", NULL, "index3", {2, 2, 1}, 0},
};

static double least(double a, double b)
{
    return a < b ? a : b;
}

static Theory expected(const vgIntegratorRow *row, const char *constraints)
{
    double p = row->order;
    for (size_t i = 0; i < sizeof theory / sizeof theory[0]; i++) {
        const Theory *t = &theory[i];
        if (strcmp(t->constraints, constraints)) continue;
        if (t->name ? !strcmp(t->name, row->name) : !strcmp(t->family, row->family)) return *t;
    }
    int stages = !strcmp(row->family, "ESDIRK") || !strcmp(row->family, "composite");
    if (stages && !strcmp(constraints, "index2")) return (Theory){.order = {least(p, 3), least(p, 3), 2}};
    return (Theory){.order = {p, p, p}};
}

typedef struct Measured {
    double order[3], e[3]; /* of positions, velocities, multipliers; errors of the finer run */
} Measured;

/* Steps for each of the times that leave an error of about `want` of order p in quantity i. */
static long steps_for(const char *text, int which, int i, double p, double want, double size)
{
    double e[3], n = p > 5 ? 3 : 6;
    Path x = path_of(&problem[which], text, (long)n);
    path_error(&x, &reference[which], e);
    double times = isfinite(e[i]) && e[i] > 0 ? pow(e[i] / (want * size), 1 / p) : 8;
    return (long)ceil(n * fmax(p > 5 ? 0.4 : 1, least(times, p < 2 ? 160 : 120)));
}

/* Orders by halving the step, each quantity at steps where its error is small but far from round-off. */
static Measured measure(const vgIntegratorRow *row, int which, const Theory *t)
{
    static const double goals[2][9] = {{3e-3, 3e-3, 1e-4, 2e-6, 1e-9, 5e-10, 2e-10, 2e-10, 3e-10},
                                       {3e-3, 3e-3, 1e-4, 2e-6, 1e-7, 1e-8, 1e-8, 1e-8, 1e-8}};
    int implicit = (row->flags & VG_INT_IMPLICIT) != 0; /* what Newton leaves is far above round-off */
    Measured m = {{0}, {0}};
    char text[96];
    long n = 0;
    double e[2][3];
    snprintf(text, sizeof text, "%s:adaptive=0%s", row->name,
             implicit ? ",acc=1e-12,tol=1e-14,iterations=40" : "");
    for (int i = 0; i < 3; i++) {
        double p = t->order[i], size = 0;
        if (p == 0) continue;
        for (int k = 0; k < NTIMES; k++) {
            const Final *f = &reference[which].at[k];
            size = fmax(size, distance(i == 0   ? f->q
                                       : i == 1 ? f->v
                                                : f->lambda,
                                       (double[MAX_STATE]){0},
                                       i == 0   ? f->nq
                                       : i == 1 ? f->nv
                                                : f->nl));
        }
        double small = goals[implicit][(int)p] * (t->fine > 0 ? t->fine : 1);
        if (p == 1 && row->order > 1) small *= 0.1; /* terms of the full order must be small beside it */
        long want = i > 0 && p == t->order[i - 1] ? n : steps_for(text, which, i, p, small, size);
        if (want != n)
            for (int k = 0; k < 2; k++) {
                Path x = path_of(&problem[which], text, want << k);
                path_error(&x, &reference[which], e[k]);
            }
        n = want;
        m.order[i] = log2(e[0][i] / e[1][i]);
        m.e[i] = e[1][i];
    }
    return m;
}

static void check(const vgIntegratorRow *row, const char *what, const Measured *m, const Theory *t)
{
    static const char *const name[] = {"positions", "velocities", "multipliers"};
    for (int i = 0; i < 3; i++) {
        if (t->order[i] == 0) continue;
        if (!(fabs(m->order[i] - t->order[i]) <= 0.15))
            printf("%s on %s: order %.3f of the %s instead of %g (error %g)\n", row->name, what, m->order[i],
                   name[i], t->order[i], m->e[i]);
        CHECK_NEAR(m->order[i], t->order[i], 0.15);
    }
}

static void check_all(int which)
{
    make();
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        if (varies(*r)) continue;
        double p = (*r)->order;
        Theory t = {.order = {p, p, 0}};
        Measured m = measure(*r, which, &t);
        check(*r, problem[which].name, &m, &t);
    }
}

TEST(order_on_a_linear_oscillator)
{
    check_all(OSC);
}

TEST(order_on_a_nonlinear_equation)
{
    check_all(ELASTIC);
}

TEST(order_on_the_heavy_top)
{
    check_all(TOP);
}

TEST(order_on_the_pendulum)
{
    static const struct {
        const char *name;
        unsigned flag;
    } settings[] = {{"index3", VG_CON_INDEX3}, {"index2", VG_CON_INDEX2}, {"index1", VG_CON_INDEX1}};
    make();
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++)
        for (int k = 0; k < 3; k++) {
            if (varies(*r) || !((*r)->constraints & settings[k].flag)) continue;
            Theory t = expected(*r, settings[k].name);
            rig_constraints = settings[k].name;
            Measured m = measure(*r, (*r)->order > 5 ? DAMPED : PENDULUM, &t);
            if (getenv("VERGE_TEST_SHOW"))
                printf("%-20s %s  %.2f %.2f %.2f\n", (*r)->name, settings[k].name, m.order[0], m.order[1],
                       m.order[2]);
            check(*r, settings[k].name, &m, &t);
        }
    rig_constraints = "index3";
}

/* Parameters that change a method's order change what the method says of it, and both are what is measured:
 * Newmark's γ = ½, Nørsett's γ = (3 + √3)/6, the order of Adams' formulas. */
TEST(order_follows_the_parameters)
{
    static const struct {
        const char *text;
        int order;
        long n; /* steps for each of the times */
    } settings[] = {{"newmark:gamma=0.5,beta=0.25", 2, 40},
                    {"newmark:gamma=0.7,beta=0.36", 1, 400},
                    {"sdirk:gamma=0.292893218813452", 2, 40},
                    {"sdirk:gamma=0.788675134594813", 3, 40},
                    {"sdirk:gamma=0.6", 2, 80},
                    {"abm:order=2", 2, 40},
                    {"abm:order=3", 3, 40},
                    {"abm:order=6", 6, 40}};
    make();
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
        double e[2][3];
        char text[96];
        Rig r;
        snprintf(text, sizeof text, "%s,adaptive=0,acc=1e-12,tol=1e-14", settings[k].text);
        CHECK(rig_open(&r, problem[OSC].text, NULL, text, NULL, 0));
        CHECK_INT(vg_integrator_order(r.sim.it), settings[k].order);
        rig_close(&r);
        for (int i = 0; i < 2; i++) {
            Path x = path_of(&problem[OSC], text, settings[k].n << i);
            path_error(&x, &reference[OSC], e[i]);
        }
        CHECK_NEAR(log2(e[0][0] / e[1][0]), settings[k].order, 0.15);
    }
}

TEST_MAIN(order_on_a_linear_oscillator, order_on_a_nonlinear_equation, order_on_the_heavy_top,
          order_on_the_pendulum, order_follows_the_parameters)

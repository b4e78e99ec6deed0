/* Every integrator of the list keeps the order that theory gives it: on a linear oscillator, a nonlinear
 * equation, a free rotating body on the group, and a pendulum with its constraint at every level that the
 * method takes, positions, velocities and multipliers apart. A new row is tested by being in the list. */
#include "integrator/orders.h"
#include "test.h"

static Problem problem[NPROBLEM];
static void make(void)
{
    if (!problem[0].name) problems_make(problem, "dop853:adaptive=0", 0.000125);
}

/* The order varies along the run, or is somebody else's. */
static int varies(const vgIntegratorRow *row)
{
    return !strcmp(row->family, "SUNDIALS") || !strcmp(row->name, "bdf") || !strcmp(row->name, "adams");
}

/* Orders that theory gives with constraints, where they are not the method's own: Hairer, Lubich, Roche 1989;
 * Hairer, Wanner II, VII.4 and VII.6. ESDIRK and composite methods have stage order 2: at index 3 positions
 * and velocities fall to 2 and multipliers to 1; at index 2 order 3 and 2 are left; at index 1 all is back.
 * 0: no statement. */
typedef struct Theory {
    const char *family, *name, *constraints; /* family or name may be NULL */
    double q, v, lambda;
} Theory;
static const Theory theory[] = {
    {NULL, "radau2", "index3", 3, 2, 1},    {NULL, "radau3", "index3", 0, 3, 2},
    {NULL, "lobatto3c", "index3", 0, 2, 1}, {NULL, "radau2", "index2", 3, 3, 2},
    {NULL, "radau3", "index2", 0, 0, 3},    {NULL, "lobatto3c", "index2", 0, 0, 2},
    {"ESDIRK", NULL, "index3", 2, 2, 1},    {"composite", NULL, "index3", 2, 2, 1},
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
    if (stages && !strcmp(constraints, "index2"))
        return (Theory){.q = least(p, 3), .v = least(p, 3), .lambda = 2};
    return (Theory){.q = p, .v = p, .lambda = p};
}

/* Within 0.15; from order 5 on there are few halvings between coarse steps and round-off (test_explicit looks
 * at those by themselves). */
static int near(double got, double want)
{
    return want == 0 || fabs(got - want) <= (want < 5 ? 0.15 : want < 6 ? 0.3 : 0.6);
}

/* The swinging pendulum's error in place goes through zero near the end of the run: the leading term may be
 * small beside the next, which makes the order seem higher, never lower. */
static int near_place(double got, double want)
{
    return near(got, want) || (want >= 4 && got > want && got < want + 0.5);
}

static int holds(const Order *o, const Theory *t)
{
    return near_place(o->q, t->q) && near(o->v, t->v) && near(o->lambda, t->lambda);
}

/* Orders at a step where the error is small but far from round-off. */
static Order measure(const vgIntegratorRow *row, const Problem *p, const Theory *t)
{
    double order = least(t->q ? t->q : row->order, t->v ? t->v : row->order);
    char text[96];
    static const double goal[] = {3e-3, 3e-3, 5e-5, 3e-6, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7};
    int implicit = (row->flags & VG_INT_IMPLICIT) != 0;
    snprintf(text, sizeof text, "%s:adaptive=0%s", row->name,
             implicit ? ",acc=1e-10,tol=1e-13,iterations=40" : "");
    double h = p->h / 4, n = ceil(p->end / h);
    Final f = final_of(p->text, p->coordinates, text, p->end / n, p->end);
    double size = fmax(1, distance(p->ref.v, (double[MAX_STATE]){0}, f.nv));
    double e = final_error(&f, &p->ref, 0) / size, want = goal[order < 8 ? (int)order : 8];
    double times = f.ok && isfinite(e) ? pow(e / want, 1 / order) : 8;
    n = ceil(n * fmax(order > 5 ? 0.25 : 1, least(times, order < 2 ? 100 : 40)));
    Order o = order_of(p->text, p->coordinates, text, p->end / n, p->end, &p->ref);
    /* leading terms that nearly cancel let the next ones be seen: finer steps, while round-off is far */
    for (int k = 0; k < 4 && !holds(&o, t) && fmin(o.e_q, o.e_v) > (order > 5 ? 1e-10 : 1e-11); k++) {
        n *= 2;
        o = order_of(p->text, p->coordinates, text, p->end / n, p->end, &p->ref);
    }
    return o;
}

static void check(const vgIntegratorRow *row, const char *what, const Order *o, const Theory *t)
{
    if (!holds(o, t))
        printf("%s on %s: orders %.3f, %.3f, %.3f instead of %g, %g, %g (errors %g, %g, %g)\n", row->name,
               what, o->q, o->v, o->lambda, t->q, t->v, t->lambda, o->e_q, o->e_v, o->e_l);
    CHECK(near_place(o->q, t->q));
    CHECK(near(o->v, t->v));
    CHECK(near(o->lambda, t->lambda));
}

static void check_all(int which)
{
    make();
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        if (varies(*r)) continue;
        Theory t = {.q = (*r)->order, .v = (*r)->order};
        Order o = measure(*r, &problem[which], &t);
        check(*r, problem[which].name, &o, &t);
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
            Order o = measure(*r, &problem[PENDULUM], &t);
            if (getenv("VERGE_TEST_SHOW"))
                printf("%-20s %s  %.2f %.2f %.2f\n", (*r)->name, settings[k].name, o.q, o.v, o.lambda);
            check(*r, settings[k].name, &o, &t);
        }
    rig_constraints = "index3";
}

TEST_MAIN(order_on_a_linear_oscillator, order_on_a_nonlinear_equation, order_on_the_heavy_top,
          order_on_the_pendulum)

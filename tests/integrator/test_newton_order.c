/* Methods of order 3 and more keep it with the default settings of Newton's iteration: where what that leaves
 * would add up to more than their own error, it goes on. */
#include <math.h>

#include "integrator/integrator.h"
#include "run_model.h"
#include "test.h"

/* Channels that are compared, and sizes that their errors are measured by. */
typedef struct Case {
    const char *model, *coordinates;
    double end;
    int n;
    const char *channel[6];
    double size[6];
} Case;

static const Case top = {"heavy-top",
                         "lie",
                         0.2,
                         6,
                         {"marker.top.com.position.x", "marker.top.com.position.y",
                          "marker.top.com.position.z", "body.top.omega.x", "body.top.omega.y",
                          "body.top.omega.z"},
                         {1, 1, 1, 5, 5, 150}};
static const Case crank = {"slider-crank", "planar", 0.4, 2, {"joint.O.angle", "joint.O.rate"}, {3, 6}};

static const Case spatial = {"slider-crank-3d",
                             "lie",
                             0.5,
                             4,
                             {"joint.A.angle", "joint.D.displacement", "joint.A.rate", "joint.D.rate"},
                             {6, 1, 6, 1}};

static runResult run(const Case *c, const char *constraints, const char *integrator, double step)
{
    runSpec spec = {.model = c->model,
                    .coordinates = c->coordinates,
                    .constraints = constraints,
                    .integrator = integrator,
                    .step = step,
                    .end = c->end};
    for (int i = 0; i < c->n; i++) spec.channel[i] = c->channel[i];
    runResult r = run_model(&spec);
    if (r.status != VG_OK) printf("%s %s: %s\n", constraints, integrator, r.error);
    CHECK_INT(r.status, VG_OK);
    return r;
}

static runResult reference(const Case *c)
{
    return run(c, "index1", "dop853:rtol=1e-13,atol=1e-14", c->end / 100);
}

/* Error of a run, and its Newton iterations. */
static double error_of(const Case *c, const runResult *want, const char *constraints, const char *integrator,
                       double step, long *iterations)
{
    runResult r = run(c, constraints, integrator, step);
    double e = 0;
    for (int i = 0; i < c->n; i++) e = fmax(e, fabs(r.value[i] - want->value[i]) / c->size[i]);
    if (iterations) *iterations = r.end.stats.newton_iterations;
    return e;
}

static int is_meant(const vgIntegratorRow *row)
{
    return row->order > 2 && (!strcmp(row->family, "ESDIRK") || !strcmp(row->family, "composite"));
}

TEST(orders_of_the_heavy_top)
{
    static const struct {
        const char *constraints;
        int most; /* stage order 2 leaves 3 at index 2 */
        double step;
    } settings[] = {{"index2", 3, 5e-4}, {"index2", 3, 2.5e-4}, {"index1", 9, 5e-4}, {"independent", 9, 0}};
    runResult want = reference(&top);
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++)
        for (size_t k = 0; is_meant(*r) && k < sizeof settings / sizeof settings[0]; k++) {
            const char *c = settings[k].constraints;
            double p = fmin((*r)->order, settings[k].most), h = settings[k].step;
            if (h == 0) h = p > 3 ? 1e-3 : 2.5e-4; /* errors far from round-off */
            double order = log2(error_of(&top, &want, c, (*r)->name, h, NULL) /
                                error_of(&top, &want, c, (*r)->name, h / 2, NULL));
            if (!(fabs(order - p) < 0.3)) printf("%s %s: %g\n", (*r)->name, c, order);
            CHECK_NEAR(order, p, 0.3);
        }
}

/* Dependent velocities are unknowns of the iteration too, and not among the increments it is judged by. */
TEST(order_with_dependent_velocities)
{
    static const struct {
        const Case *of;
        const char *method;
        int order, halvings;
        double step;
    } rows[] = {{&spatial, "esdirk436", 4, 1, 1e-3}, {&spatial, "esdirk436-2", 4, 1, 1e-3},
                {&spatial, "sdirk", 3, 2, 1e-3},     {&spatial, "mssth4", 4, 2, 1e-3},
                {&crank, "sdirk", 3, 3, 1e-3},       {&crank, "mssth4", 4, 1, 1e-3}};
    runResult of_spatial = reference(&spatial), of_crank = reference(&crank);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Case *c = rows[i].of;
        const runResult *want = c == &spatial ? &of_spatial : &of_crank;
        double h = rows[i].step, last = error_of(c, want, "independent", rows[i].method, h, NULL);
        for (int k = 1; k <= rows[i].halvings; k++) {
            double e = error_of(c, want, "independent", rows[i].method, ldexp(h, -k), NULL);
            if (!(fabs(log2(last / e) - rows[i].order) < 0.4))
                printf("%s %s %g: %g after %g\n", c->model, rows[i].method, ldexp(h, -k), e, last);
            CHECK_NEAR(log2(last / e), rows[i].order, 0.4);
            last = e;
        }
    }
}

/* The same of SDIRK, with one matrix for both stages as well (augmented1). */
TEST(sdirk_keeps_its_order)
{
    static const char *const settings[] = {"index1", "augmented1"};
    runResult want = reference(&crank);
    for (int k = 0; k < 2; k++) {
        const char *c = settings[k];
        double coarse = error_of(&crank, &want, c, "sdirk", 1e-3, NULL),
               fine = error_of(&crank, &want, c, "sdirk", 5e-4, NULL);
        CHECK_NEAR(log2(coarse / fine), 3, 0.3);
        CHECK(error_of(&crank, &want, c, "sdirk", 1.25e-4, NULL) <
              1.5 * error_of(&crank, &want, c, "sdirk:acc=1e-12,tol=1e-14", 1.25e-4, NULL));
    }
}

/* As good as with an iteration to round-off, for fewer iterations. */
TEST(default_is_as_good_as_exact)
{
    static const char *const settings[] = {"index2", "index1", "independent"};
    runResult of_top = reference(&top), of_crank = reference(&crank);
    long all = 0, all_exact = 0;
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++)
        for (int k = 0; is_meant(*r) && k < 6; k++) {
            const Case *c = k < 3 ? &top : &crank;
            const runResult *want = k < 3 ? &of_top : &of_crank;
            char exact[64];
            long n[2];
            snprintf(exact, sizeof exact, "%s:acc=1e-12,tol=1e-14", (*r)->name);
            double e = error_of(c, want, settings[k % 3], (*r)->name, 1e-3, &n[0]),
                   best = error_of(c, want, settings[k % 3], exact, 1e-3, &n[1]);
            if (!(e <= 1.5 * best + 1e-12))
                printf("%s %s %s: %g instead of %g\n", (*r)->name, c->model, settings[k % 3], e, best);
            CHECK(e <= 1.5 * best + 1e-12);
            all += n[0];
            all_exact += n[1];
        }
    CHECK(all < all_exact);
}

TEST_MAIN(sdirk_keeps_its_order, orders_of_the_heavy_top, order_with_dependent_velocities,
          default_is_as_good_as_exact)

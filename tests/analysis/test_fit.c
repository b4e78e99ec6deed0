/* Least squares within bounds against closed forms: a straight line with its textbook covariance, an exponential without
 * errors, bounds, combinations that nothing determines; Student's quantiles against tables. */
#include <math.h>
#include <string.h>

#include "analysis/study/fit.h"
#include "test.h"

enum { M = 40 };
typedef void Curve(const double *p, double *r);

static vgStatus residuals(void *user, long count, const double *p, double *r)
{
    const vgFitProblem *x = user;
    for (long k = 0; k < count; k++) (*(Curve *const *)x->user)(p + k * x->n, r + k * x->m);
    return VG_OK;
}

/* The problem passes itself, so that residuals() knows its sizes. */
typedef struct Case {
    Curve *curve; /* first */
    vgFitProblem problem;
} Case;

static vgStatus call(void *user, long count, const double *p, double *r)
{
    Case *c = user;
    vgFitProblem inner = c->problem;
    inner.user = &c->curve;
    return residuals(&inner, count, p, r);
}

static vgFit fit(Curve *curve, int n, const double *low, const double *high, const double *start)
{
    Case c = {.curve = curve};
    vgFit f;
    c.problem = (vgFitProblem){.n = n,
                               .m = M,
                               .low = low,
                               .high = high,
                               .start = start,
                               .scan = 8 * n,
                               .most = 60,
                               .residuals = call,
                               .user = &c};
    CHECK(vg_fit(&c.problem, &f) == VG_OK);
    return f;
}

static double noise(int i)
{
    return 0.1 * sin(17.0 * i * i + 3.0 * i);
}

static double data(int i)
{
    return 1 + 2 * (0.1 * i) + noise(i);
}

static void line(const double *p, double *r)
{
    for (int i = 0; i < M; i++) r[i] = p[0] + p[1] * (0.1 * i) - data(i);
}

/* Normal equations in closed form. */
TEST(a_straight_line_has_its_textbook_deviations)
{
    const double low[] = {-10, -10}, high[] = {10, 10}, start[] = {5, 5};
    vgFit f = fit(line, 2, low, high, start);
    double sx = 0, sxx = 0, sy = 0, sxy = 0, rest = 0;
    for (int i = 0; i < M; i++) {
        double x = 0.1 * i, y = data(i);
        sx += x, sxx += x * x, sy += y, sxy += x * y;
    }
    double det = M * sxx - sx * sx, b = (M * sxy - sx * sy) / det, a = (sy - b * sx) / M;
    for (int i = 0; i < M; i++) rest += pow(a + b * 0.1 * i - data(i), 2);
    double variance = rest / (M - 2);
    CHECK(f.end == VG_FIT_CONVERGED && f.determined);
    CHECK_NEAR(f.p[0], a, 1e-6);
    CHECK_NEAR(f.p[1], b, 1e-6);
    CHECK_NEAR(f.cost, rest, 1e-9 * rest);
    CHECK_NEAR(f.deviation[0], sqrt(variance * sxx / det), 1e-7);
    CHECK_NEAR(f.deviation[1], sqrt(variance * M / det), 1e-7);
    CHECK_NEAR(f.correlation[0][1], -sx / sqrt(M * sxx), 1e-6);
    CHECK_NEAR(f.half[1] / f.deviation[1], 2.0243942, 1e-6); /* t of 38 degrees of freedom */
    vg_fit_free(&f);
}

static void decay(const double *p, double *r)
{
    for (int i = 0; i < M; i++) r[i] = p[0] * exp(-p[1] * 0.1 * i) - 3 * exp(-0.7 * 0.1 * i);
}

TEST(data_without_errors_give_the_parameters_back)
{
    const double low[] = {0, 0}, high[] = {100, 20}, start[] = {90, 19};
    vgFit f = fit(decay, 2, low, high, start);
    CHECK(f.end == VG_FIT_CONVERGED);
    CHECK_NEAR(f.p[0], 3, 1e-8);
    CHECK_NEAR(f.p[1], 0.7, 1e-8);
    vg_fit_free(&f);
}

/* The best slope, 2, lies beyond: the other parameter is then the mean of y − 1.5 x. */
/* sin ωx, ω = 2.3: descent from ω = 6.5 ends in another minimum, so that only the scan of the box finds this one. */
static void wave(const double *p, double *r)
{
    for (int i = 0; i < M; i++) r[i] = sin(p[0] * 0.1 * i) - sin(2.3 * 0.1 * i);
}

TEST(the_scan_finds_the_lowest_of_several_minima)
{
    const double low[] = {0}, high[] = {8}, start[] = {6.5};
    vgFit f = fit(wave, 1, low, high, start);
    CHECK(f.end == VG_FIT_CONVERGED);
    CHECK_NEAR(f.p[0], 2.3, 1e-6);
    vg_fit_free(&f);
}

TEST(a_bound_keeps_a_parameter)
{
    const double low[] = {-10, -10}, high[] = {10, 1.5}, start[] = {0, 0};
    vgFit f = fit(line, 2, low, high, start);
    double mean = 0;
    for (int i = 0; i < M; i++) mean += (data(i) - 1.5 * 0.1 * i) / M;
    CHECK(f.end == VG_FIT_CONVERGED && f.bound[1] == 1 && f.bound[0] == 0);
    CHECK(f.p[1] == 1.5 && isnan(f.deviation[1]));
    CHECK_NEAR(f.p[0], mean, 1e-6);
    vg_fit_free(&f);
}

static void sum_only(const double *p, double *r)
{
    for (int i = 0; i < M; i++) r[i] = (p[0] + p[1]) * (0.1 * i) - data(i);
}

TEST(what_is_not_determined_is_said)
{
    const double low[] = {0, 0}, high[] = {5, 5}, start[] = {1, 3};
    vgFit f = fit(sum_only, 2, low, high, start);
    CHECK(f.end == VG_FIT_CONVERGED && !f.determined);
    vg_fit_free(&f);
}

static void nowhere(const double *p, double *r)
{
    for (int i = 0; i < M; i++) r[i] = NAN * p[0];
}

TEST(no_start_is_an_answer)
{
    const double low[] = {0}, high[] = {1}, start[] = {0.5};
    vgFit f = fit(nowhere, 1, low, high, start);
    CHECK(f.end == VG_FIT_NO_START);
    vg_fit_free(&f);
}

TEST(student_quantiles_are_those_of_the_tables)
{
    static const struct {
        long freedom;
        double t;
    } row[] = {{1, 12.7062047},  {2, 4.3026527},    {5, 2.5705818},    {10, 2.2281389},       {30, 2.0422725},
               {120, 1.9799304}, {1000, 1.9623391}, {1001, 1.9623370}, {100000000, 1.9599640}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        CHECK_NEAR(vg_student_95(row[i].freedom), row[i].t, 3e-7);
}

TEST_MAIN(a_straight_line_has_its_textbook_deviations, the_scan_finds_the_lowest_of_several_minima,
          data_without_errors_give_the_parameters_back, a_bound_keeps_a_parameter,
          what_is_not_determined_is_said, no_start_is_an_answer, student_quantiles_are_those_of_the_tables)

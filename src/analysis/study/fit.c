#include "analysis/study/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/sample.h"
#include "linalg/qr.h"

/* Parameters are scaled by their ranges: u = (p − low)/(high − low). Half the distance of the points of a difference; its
 * error is of second order, 1e-8 relative, while runs are accurate to 1e-9 and better, 1e-5 of the difference. */
static const double DIFFERENCE = 1e-4;
/* A step that changes the residuals by less than this part of their deviation moves parameters by less than that part of
 * theirs. At ten times as much the last digits of the result depend on the start. */
static const double NEGLIGIBLE = 1e-4;
static const double SMALLEST = 1e-11; /* step in u that is none: data without errors */
static const double PRECISE =
    1e-6; /* the same where no step reduces the sum: what is left is the error of runs */
static const double RANK = 1e-12; /* of a diagonal of R against its column: rounding */
/* Damping of the step that is judged. Directions in which the residuals change by less than its root, 1e-4 of what single
 * parameters do, are those of the differences' errors; the result's intervals tell that they are not determined. */
static const double FLAT = 1e-8;
static const double LEAST_DAMPING = 1e-12, FIRST_DAMPING = 1e-3, MOST_DAMPING = 1e8;
/* Of the largest column of the damped problem, whose columns have length 1: rounding of the factorisation. The damping, at
 * least LEAST_DAMPING, keeps the rank full; a hundred times the value would drop directions that it still allows. */
static const double ROUNDING = 1e-14;
enum { DAMPINGS = 4 }; /* tried at a time, each ten times the one before */

typedef struct Work {
    const vgFitProblem *x;
    int n, nfree, map[VG_FIT_PARAMETERS]; /* those that are free to move */
    long m;
    double u[VG_FIT_PARAMETERS], mu;
    double cost;
    double *r, *jacobian;  /* m; n columns of m, per unit of u */
    double *column;        /* (n + 1) × m: QR of the free columns, and Qᵀ r */
    double *points, *many; /* points of a batch and their residuals */
    double upper[VG_FIT_PARAMETERS * VG_FIT_PARAMETERS]; /* R of the free columns, by rows */
    double rotated[VG_FIT_PARAMETERS];                   /* Qᵀ r */
    double size[VG_FIT_PARAMETERS];                      /* |column|, the largest so far */
} Work;

/* ---- Student's distribution ---- */

/* P(|T| < t) for whole degrees of freedom: finite sums in the angle atan(t/√ν) (Abramowitz and Stegun 26.7.3, 26.7.4). */
static double student(double t, long freedom)
{
    const double pi = 3.14159265358979323846, angle = atan(t / sqrt((double)freedom)), c = cos(angle),
                 c2 = c * c;
    const int odd = freedom % 2 != 0;
    double term = odd ? c : 1, sum = freedom > 1 ? term : 0;
    for (long k = odd ? 3 : 2; k < freedom; k += 2) {
        term *= c2 * (double)(k - 1) / (double)k;
        sum += term;
    }
    return odd ? 2 / pi * (angle + sin(angle) * sum) : sin(angle) * sum;
}

static const double INSIDE = 0.95; /* of the distribution: the interval's level */

double vg_student_95(long freedom)
{
    enum { HALVINGS = 200 };
    const long many = 1000; /* beyond: Cornish and Fisher's expansion, good to 1e-9 */
    const double z = 1.9599639845400545;
    if (freedom < 1) return INFINITY;
    if (freedom > many) {
        double v = (double)freedom, z3 = z * z * z, z5 = z3 * z * z;
        return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v);
    }
    double low = 0, high = 100;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (student(middle, freedom) < INSIDE)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- points ---- */

static double parameter(const Work *w, int i, double u)
{
    const vgFitProblem *x = w->x;
    return u <= 0 ? x->low[i] : u >= 1 ? x->high[i] : x->low[i] + u * (x->high[i] - x->low[i]);
}

static void place(const Work *w, const double *u, double *point)
{
    for (int i = 0; i < w->n; i++) point[i] = parameter(w, i, u[i]);
}

static double square(const double *r, long m)
{
    double sum = 0;
    for (long i = 0; i < m; i++) sum += r[i] * r[i];
    return isfinite(sum) ? sum : INFINITY;
}

static vgStatus compute(Work *w, long count)
{
    return w->x->residuals(w->x->user, count, w->points, w->many);
}

/* Takes the point with the least sum among those computed, if it is less than the one at hand. 1: it was. */
static int take_best(Work *w, long count, const double *u)
{
    long best = -1;
    for (long k = 0; k < count; k++) {
        double cost = square(w->many + k * w->m, w->m);
        if (cost < w->cost) w->cost = cost, best = k;
    }
    if (best < 0) return 0;
    memcpy(w->u, u + best * w->n, (size_t)w->n * sizeof *w->u);
    memcpy(w->r, w->many + best * w->m, (size_t)w->m * sizeof *w->r);
    return 1;
}

static long batch_of(const Work *w)
{
    return 2 * w->n > DAMPINGS ? 2 * w->n : DAMPINGS;
}

/* The given start, then points of Sobol's sequence in the box. */
static vgStatus find_start(Work *w)
{
    const vgFitProblem *x = w->x;
    const long most = batch_of(w);
    double u[2 * VG_FIT_PARAMETERS * VG_FIT_PARAMETERS];
    vgPlan plan = {.naxis = w->n, .rule = VG_PLAN_SOBOL, .runs = x->scan > 0 ? x->scan : 1};
    for (int i = 0; i < w->n; i++) {
        plan.axis[i].law = VG_PLAN_UNIFORM;
        plan.axis[i].b = 1;
        u[i] = fmin(fmax((x->start[i] - x->low[i]) / (x->high[i] - x->low[i]), 0), 1);
    }
    w->cost = INFINITY;
    place(w, u, w->points);
    vgStatus status = compute(w, 1);
    if (status == VG_OK) take_best(w, 1, u);
    for (long k = 0; k < x->scan && status == VG_OK; k += most) {
        long count = x->scan - k < most ? x->scan - k : most;
        for (long j = 0; j < count; j++) {
            vg_plan_values(&plan, k + j, u + j * w->n);
            place(w, u + j * w->n, w->points + j * w->n);
        }
        status = compute(w, count);
        if (status == VG_OK) take_best(w, count, u);
    }
    return status;
}

/* ---- derivatives ---- */

/* The Jacobian by central differences; at bounds, and where one side cannot be computed, by what is left. 0: none. */
static int differences(Work *w)
{
    const long m = w->m;
    for (int i = 0; i < w->n; i++) {
        const double *up = w->many + 2 * i * m, *down = up + m;
        double above = w->points[2 * i * w->n + i], below = w->points[(2 * i + 1) * w->n + i],
               here = parameter(w, i, w->u[i]), range = w->x->high[i] - w->x->low[i];
        if (!isfinite(square(up, m))) up = w->r, above = here;
        if (!isfinite(square(down, m))) down = w->r, below = here;
        if (!(above > below)) return 0;
        double by = range / (above - below);
        for (long j = 0; j < m; j++) w->jacobian[i * m + j] = by * (up[j] - down[j]);
    }
    return 1;
}

/* The Jacobian that the caller has, per unit of u. VG_UNSUPPORTED: none. */
static vgStatus given_slopes(Work *w, int *good)
{
    const vgFitProblem *x = w->x;
    double p[VG_FIT_PARAMETERS];
    if (!x->slopes) return VG_UNSUPPORTED;
    place(w, w->u, p);
    vgStatus status = x->slopes(x->user, p, w->jacobian);
    *good = 1;
    for (int i = 0; i < w->n && status == VG_OK; i++) {
        for (long j = 0; j < w->m; j++) w->jacobian[i * w->m + j] *= x->high[i] - x->low[i];
        *good &= isfinite(square(w->jacobian + i * w->m, w->m)) != 0;
    }
    return status;
}

static vgStatus make_jacobian(Work *w, int *good)
{
    double u[VG_FIT_PARAMETERS];
    vgStatus had = given_slopes(w, good);
    if (had != VG_UNSUPPORTED) return had;
    memcpy(u, w->u, sizeof u);
    for (int i = 0; i < w->n; i++) {
        u[i] = fmin(w->u[i] + DIFFERENCE, 1);
        place(w, u, w->points + 2 * i * w->n);
        u[i] = fmax(w->u[i] - DIFFERENCE, 0);
        place(w, u, w->points + (2 * i + 1) * w->n);
        u[i] = w->u[i];
    }
    vgStatus status = compute(w, 2 * w->n);
    *good = status == VG_OK && differences(w);
    return status;
}

/* Which parameters may move: a bound keeps one that would leave the box. */
static void find_free(Work *w)
{
    w->nfree = 0;
    for (int i = 0; i < w->n; i++) {
        double slope = 0;
        for (long j = 0; j < w->m; j++) slope += w->jacobian[i * w->m + j] * w->r[j];
        int kept = (w->u[i] <= 0 && slope >= 0) || (w->u[i] >= 1 && slope <= 0);
        if (!kept) w->map[w->nfree++] = i;
    }
}

/* R and Qᵀ r of the free columns. m ≥ n. */
static void factorise(Work *w)
{
    const long m = w->m;
    const int n = w->nfree;
    double *c = w->column;
    for (int k = 0; k < n; k++) memcpy(c + k * m, w->jacobian + w->map[k] * m, (size_t)m * sizeof *c);
    memcpy(c + n * m, w->r, (size_t)m * sizeof *c);
    for (int k = 0; k < n; k++) {
        double *top = c + k * m + k, tau = vg_reflector(top, (int)(m - k));
        for (int l = k + 1; l <= n; l++) vg_reflect(top, tau, (int)(m - k), c + l * m + k);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) w->upper[i * n + k] = k >= i ? c[k * m + i] : 0;
        w->rotated[i] = c[n * m + i];
    }
    for (int k = 0; k < n; k++) {
        double length = 0;
        for (int i = 0; i <= k; i++) length += w->upper[i * n + k] * w->upper[i * n + k];
        w->size[w->map[k]] = fmax(w->size[w->map[k]], sqrt(length));
    }
}

/* ---- steps ---- */

/* d [nfree] with least |R d + Qᵀ r|² + μ Σ (size d)². */
static vgStatus damped_step(const Work *w, double mu, double *d)
{
    enum { ROWS = 2 * VG_FIT_PARAMETERS, ROOM = 16 * ROWS * VG_FIT_PARAMETERS };
    const int n = w->nfree;
    double a[ROWS * VG_FIT_PARAMETERS] = {0}, b[ROWS] = {0};
    int rank, pivot[VG_FIT_PARAMETERS];
    size_t need = vg_least_squares_room(2 * n, n);
    double *room = malloc(need * sizeof *room);
    if (!room) return VG_NO_MEMORY;
    for (int k = 0; k < n; k++) { /* columns scaled to length 1 */
        double by = w->size[w->map[k]] > 0 ? 1 / w->size[w->map[k]] : 1;
        for (int i = 0; i <= k; i++) a[i * n + k] = by * w->upper[i * n + k];
        a[(n + k) * n + k] = sqrt(mu);
        b[k] = -w->rotated[k];
    }
    vgStatus status = vg_least_squares(a, 2 * n, n, b, ROUNDING, d, &rank, pivot, room);
    for (int k = 0; k < n; k++) d[k] *= w->size[w->map[k]] > 0 ? 1 / w->size[w->map[k]] : 1;
    free(room);
    return status;
}

/* |R d| and the largest |d|, the step being cut at the bounds. */
static void measure(const Work *w, const double *u, double *change, double *largest)
{
    double d[VG_FIT_PARAMETERS];
    *change = *largest = 0;
    for (int k = 0; k < w->nfree; k++) {
        d[k] = u[w->map[k]] - w->u[w->map[k]];
        *largest = fmax(*largest, fabs(d[k]));
    }
    for (int i = 0; i < w->nfree; i++) {
        double sum = 0;
        for (int k = i; k < w->nfree; k++) sum += w->upper[i * w->nfree + k] * d[k];
        *change += sum * sum;
    }
    *change = sqrt(*change);
}

static double deviation_of(const Work *w)
{
    return w->m > w->n ? sqrt(w->cost / (double)(w->m - w->n)) : 0;
}

/* u after a damped step, cut at the bounds. */
static vgStatus try_step(const Work *w, double mu, double *u)
{
    double d[VG_FIT_PARAMETERS];
    vgStatus status = damped_step(w, mu, d);
    memcpy(u, w->u, (size_t)w->n * sizeof *u);
    for (int k = 0; k < w->nfree && status == VG_OK; k++)
        u[w->map[k]] = fmin(fmax(u[w->map[k]] + d[k], 0), 1);
    return status;
}

/* Several dampings at a time, from small to large; the best is taken. *end: 1 the undamped step is negligible, or none
 * reduces the sum and it is small; −1 none reduces the sum. */
static vgStatus take_step(Work *w, int *end)
{
    double u[DAMPINGS * VG_FIT_PARAMETERS], change, largest;
    vgStatus status = try_step(w, FLAT, u);
    if (status != VG_OK) return status;
    measure(w, u, &change, &largest);
    *end = largest <= SMALLEST || change <= NEGLIGIBLE * deviation_of(w);
    while (w->mu < MOST_DAMPING) {
        double mu = fmax(w->mu / 10, LEAST_DAMPING);
        for (int c = 0; c < DAMPINGS && status == VG_OK; c++) {
            status = try_step(w, mu * pow(10, c), u + c * w->n);
            place(w, u + c * w->n, w->points + c * w->n);
        }
        if (status == VG_OK) status = compute(w, DAMPINGS);
        if (status != VG_OK) return status;
        int went = take_best(w, DAMPINGS, u);
        for (int c = 0; c < DAMPINGS && went; c++)
            if (memcmp(w->u, u + c * w->n, (size_t)w->n * sizeof *u) == 0) w->mu = mu * pow(10, c);
        if (went || *end) return VG_OK;
        w->mu = mu * pow(10, DAMPINGS + 1);
    }
    *end = largest <= PRECISE ? 1 : -1;
    return VG_OK;
}

/* ---- the result ---- */

/* The inverse of R by columns; 0: singular, with the size of its columns taken out. */
static int invert(const Work *w, double *inverse)
{
    const int n = w->nfree;
    for (int k = 0; k < n; k++)
        if (!(fabs(w->upper[k * n + k]) > RANK * w->size[w->map[k]])) return 0;
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int k = 0; k < n; k++) {
        for (int i = k; i >= 0; i--) {
            double sum = i == k ? 1 : 0;
            for (int l = i + 1; l <= k; l++) sum -= w->upper[i * n + l] * inverse[l * n + k];
            inverse[i * n + k] = sum / w->upper[i * n + i];
        }
    }
    return 1;
}

static void judge(Work *w, vgFit *fit)
{
    const vgFitProblem *x = w->x;
    const int n = w->nfree;
    int wide = 0;
    double inverse[VG_FIT_PARAMETERS * VG_FIT_PARAMETERS], t = vg_student_95(w->m - w->n);
    fit->sigma = w->m > w->n ? deviation_of(w) : NAN;
    fit->determined = w->m > w->n && invert(w, inverse);
    for (int i = 0; i < w->n; i++) {
        fit->deviation[i] = fit->half[i] = NAN;
        fit->bound[i] = w->u[i] <= 0 ? -1 : w->u[i] >= 1;
        for (int k = 0; k < w->n; k++) fit->correlation[i][k] = i == k ? 1 : NAN;
    }
    for (int i = 0; i < n; i++) {
        int a = w->map[i];
        double range = x->high[a] - x->low[a];
        fit->deviation[a] = fit->half[a] = INFINITY;
        if (!fit->determined) continue;
        fit->deviation[a] = fit->sigma * range * vg_length(inverse + i * n, n);
        fit->half[a] = t * fit->deviation[a];
        wide |= !(fit->half[a] < range);
        for (int k = 0; k < n; k++)
            fit->correlation[a][w->map[k]] = vg_sum_products(inverse + i * n, inverse + k * n, n) /
                                             (vg_length(inverse + i * n, n) * vg_length(inverse + k * n, n));
    }
    if (wide) fit->determined = 0;
    double beside = 0;
    for (long j = 1; j < w->m; j++) beside += w->r[j] * w->r[j - 1];
    fit->serial = w->cost > 0 ? beside / w->cost : 0;
}

static vgStatus iterate(Work *w, vgFit *fit)
{
    vgStatus status = VG_OK;
    fit->end = VG_FIT_TIRED;
    for (fit->iterations = 0; fit->iterations < w->x->most; fit->iterations++) {
        int good, end;
        status = make_jacobian(w, &good);
        if (status == VG_OK && !good) fit->end = VG_FIT_NO_SLOPE;
        if (status != VG_OK || !good) return status;
        find_free(w);
        factorise(w);
        if (w->x->progress) w->x->progress(w->x->user, fit->iterations, w->cost);
        if (w->nfree == 0) {
            fit->end = VG_FIT_CONVERGED;
            return VG_OK;
        }
        status = take_step(w, &end);
        if (status != VG_OK) return status;
        if (end) {
            fit->end = end > 0 ? VG_FIT_CONVERGED : VG_FIT_STALLED;
            return VG_OK;
        }
    }
    return VG_OK;
}

vgStatus vg_fit(const vgFitProblem *x, vgFit *fit)
{
    const size_t n = (size_t)x->n, m = (size_t)x->m;
    Work *w = calloc(1, sizeof *w);
    *fit = (vgFit){.r = malloc(m * sizeof(double) + 1)};
    vgStatus status = VG_NO_MEMORY;
    if (w && fit->r) {
        *w = (Work){.x = x, .n = x->n, .m = x->m, .mu = FIRST_DAMPING, .r = fit->r};
        size_t batch = (size_t)batch_of(w);
        w->jacobian = malloc(n * m * sizeof(double) + 1);
        w->column = malloc((n + 1) * m * sizeof(double) + 1);
        w->points = malloc(batch * n * sizeof(double) + 1);
        w->many = malloc(batch * m * sizeof(double) + 1);
        if (w->jacobian && w->column && w->points && w->many) status = find_start(w);
        if (status == VG_OK) {
            fit->first = w->cost;
            fit->end = VG_FIT_NO_START;
            if (isfinite(w->cost)) status = iterate(w, fit);
        }
        if (status == VG_OK && fit->end != VG_FIT_NO_START) judge(w, fit);
        place(w, w->u, fit->p);
        fit->cost = w->cost;
        free(w->jacobian), free(w->column), free(w->points), free(w->many);
    }
    free(w);
    if (status != VG_OK) vg_fit_free(fit);
    return status;
}

void vg_fit_free(vgFit *fit)
{
    free(fit->r);
    fit->r = NULL;
}

const char *vg_fit_end_text(vgFitEnd end)
{
    static const char *const text[] = {"converged", "no step reduces the residuals any more",
                                       "too many iterations",
                                       "no values of the parameters in their ranges can be run",
                                       "the derivatives with respect to the parameters cannot be computed"};
    return text[end];
}

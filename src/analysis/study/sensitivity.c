#include "analysis/study/sensitivity.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/forward/forward.h"
#include "base/os.h"

enum { LEVELS = 3, OF_PARAMETER = 2 * LEVELS };

/* The derivative and its error from differences d[i] with steps h, h/2, h/4: Neville's scheme in h². */
static double extrapolate(const double d[LEVELS], double *error)
{
    double t[LEVELS][LEVELS], best = NAN;
    *error = INFINITY;
    for (int i = 0; i < LEVELS; i++) {
        double power = 1;
        t[i][0] = d[i];
        for (int k = 1; k <= i; k++) {
            power *= 4;
            t[i][k] = t[i][k - 1] + (t[i][k - 1] - t[i - 1][k - 1]) / (power - 1);
            double off = fmax(fabs(t[i][k] - t[i][k - 1]), fabs(t[i][k] - t[i - 1][k - 1]));
            if (off < *error) *error = off, best = t[i][k];
        }
    }
    if (isnan(best)) *error = NAN;
    return best;
}

/* Points: the model itself, then for each parameter p + h, p − h, p + h/2, … */
static void place_points(const vgBatch *b, const double *p, const double *step, double *point)
{
    const int n = b->nparam;
    memcpy(point, p, (size_t)n * sizeof *point);
    for (int k = 0; k < n; k++) {
        double h = step[k];
        for (int i = 0; i < OF_PARAMETER; i++) {
            double *x = point + (1 + k * OF_PARAMETER + i) * n;
            memcpy(x, p, (size_t)n * sizeof *x);
            x[k] = i % 2 ? p[k] - h : p[k] + h;
            if (i % 2) h /= 2;
        }
    }
}

/* ---- by differences ---- */

static vgStatus by_differences(vgBatch *b, const double *p, const double *size, double *y, double *dy,
                               double *error, char *why)
{
    const int n = b->nparam, points = 1 + n * OF_PARAMETER;
    const long length = vg_batch_length(b);
    double *point = malloc((size_t)points * (size_t)n * sizeof *point + 1),
           *all = malloc((size_t)points * (size_t)length * sizeof *all + 1), step[VG_PLAN_PARAMETERS];
    vgStatus status = point && all ? VG_OK : VG_NO_MEMORY;
    for (int k = 0; k < n; k++) step[k] = VG_SENSITIVITY_STEP * size[k];
    if (status == VG_OK) {
        place_points(b, p, step, point);
        status = vg_batch_run(b, points, point, all, why);
    }
    if (status == VG_OK) memcpy(y, all, (size_t)length * sizeof *y);
    for (int k = 0; k < n && status == VG_OK; k++) {
        const double *of = all + (1 + (long)k * OF_PARAMETER) * length,
                     *x = point + (1 + k * OF_PARAMETER) * n;
        for (long j = 0; j < length; j++) {
            double d[LEVELS];
            for (int i = 0; i < LEVELS; i++)
                d[i] = (of[2 * i * length + j] - of[(2 * i + 1) * length + j]) /
                       (x[2 * i * n + k] - x[(2 * i + 1) * n + k]);
            dy[k * length + j] = extrapolate(d, &error[k * length + j]);
        }
    }
    free(point);
    free(all);
    return status;
}

/* ---- along the steps ---- */

enum { MOST_THREADS = 16 };
/* Derivatives to both sides that are apart by more than this part of the larger one are those of a kink; of a smooth quantity
 * they are apart by 6e-6 of its bend. */
static const double KINK = 1e-3;

typedef struct Share { /* some of the parameters */
    vgBatch *b;
    const double *p, *size;
    int first, n;
    double *y, *dy, *bend;
    char why[VG_SWEEP_WHY];
    vgStatus status;
} Share;

static void *differentiate(void *user)
{
    Share *s = user;
    s->status = vg_forward(s->b, s->p, s->size, s->first, s->n, s->y, s->dy, s->bend, s->why);
    return NULL;
}

/* Each thread has a run of its own, along which it differentiates its share. */
static vgStatus by_steps(vgBatch *b, const double *p, const double *size, double *y, double *dy, double *bend,
                         char *why)
{
    const long length = vg_batch_length(b);
    const int n = b->nparam;
    int threads = b->threads > 0 ? b->threads : vg_os_processors(), started = 0;
    Share share[MOST_THREADS];
    pthread_t id[MOST_THREADS];
    double *room = malloc((size_t)(MOST_THREADS * length) * sizeof *room + 1);
    if (!room) return VG_NO_MEMORY;
    threads = threads < n ? threads : n;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    for (int i = 0; i < threads; i++) {
        const int first = i * n / threads;
        share[i] = (Share){.b = b,
                           .p = p,
                           .size = size,
                           .first = first,
                           .n = (i + 1) * n / threads - first,
                           .y = i == 0 ? y : room + i * length,
                           .dy = dy + first * length,
                           .bend = bend + first * length};
    }
    while (started < threads - 1 &&
           pthread_create(&id[started], NULL, differentiate, &share[started + 1]) == 0)
        started++;
    differentiate(&share[0]);
    for (int i = started + 1; i < threads; i++) differentiate(&share[i]);
    for (int i = 0; i < started; i++) pthread_join(id[i], NULL);
    vgStatus status = VG_OK;
    for (int i = 0; i < threads && status == VG_OK; i++) {
        status = share[i].status;
        if (status != VG_OK) memcpy(why, share[i].why, VG_SWEEP_WHY);
    }
    b->runs += threads;
    free(room);
    return status;
}

static void errors(const vgBatch *b, const double *size, const double *y, const double *dy, double *error)
{
    const long length = vg_batch_length(b);
    for (int k = 0; k < b->nparam; k++)
        for (long j = 0; j < length; j++) {
            const double most = fmax(fabs(dy[k * length + j]), fabs(y[j]) / size[k]);
            double *e = &error[k * length + j];
            *e = fabs(*e) > KINK * most ? fabs(*e) : VG_FORWARD_ERROR * most;
        }
}

vgStatus vg_sensitivities(vgBatch *b, const double *p, const double *scale, vgSensitivityBy by, double *y,
                          double *dy, double *error, char *why, char *instead)
{
    double size[VG_PLAN_PARAMETERS];
    vgStatus status = VG_UNSUPPORTED;
    why[0] = instead[0] = 0;
    for (int k = 0; k < b->nparam; k++) {
        size[k] = scale && scale[k] > 0 ? scale[k] : fabs(p[k]);
        if (!(size[k] > 0)) size[k] = 1;
    }
    if (by != VG_BY_DIFFERENCES) {
        status = by_steps(b, p, size, y, dy, error, instead);
        if (status == VG_OK) {
            instead[0] = 0;
            errors(b, size, y, dy, error);
        }
    }
    if (status == VG_OK || status == VG_NO_MEMORY || status == VG_INTERRUPTED || by == VG_BY_STEPS)
        return status;
    return by_differences(b, p, size, y, dy, error, why);
}

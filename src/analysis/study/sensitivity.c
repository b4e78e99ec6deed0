#include "analysis/study/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

vgStatus vg_sensitivities(vgBatch *b, const double *p, const double *scale, double *y, double *dy,
                          double *error, char *why)
{
    const int n = b->nparam, points = 1 + n * OF_PARAMETER;
    const long length = vg_batch_length(b);
    double *point = malloc((size_t)points * (size_t)n * sizeof *point + 1),
           *all = malloc((size_t)points * (size_t)length * sizeof *all + 1), step[VG_PLAN_PARAMETERS];
    vgStatus status = point && all ? VG_OK : VG_NO_MEMORY;
    for (int k = 0; k < n; k++) {
        double size = scale && scale[k] > 0 ? scale[k] : fabs(p[k]);
        step[k] = VG_SENSITIVITY_STEP * (size > 0 ? size : 1);
    }
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

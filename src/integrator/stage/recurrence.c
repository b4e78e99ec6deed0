#include "integrator/stage/recurrence.h"

#include <math.h>
#include <string.h>

enum { M = 4, L = 6, KEPT = L + M };
/* Added to the diagonal of the normal equations, relative to their trace: their rounding, so that motions with fewer than M
 * frequencies, which make them singular, are extrapolated too. */
static const double RIDGE = 1e-12;

/* memory: how many pushes; products of the last KEPT increments with themselves and the M before each, newest
 * first; the last M increments in a ring. */
typedef struct Memory {
    double *count, (*product)[M + 1], *ring;
} Memory;

static Memory view(double *memory)
{
    return (Memory){memory, (double(*)[M + 1])(memory + 1), memory + 1 + KEPT * (M + 1)};
}

int vg_recurrence_size(int nv)
{
    return 1 + KEPT * (M + 1) + M * nv;
}

void vg_recurrence_reset(double *memory)
{
    memory[0] = 0;
}

/* The increment `ago` pushes before the newest (0). */
static double *increment(const Memory *m, int nv, int ago)
{
    long newest = (long)*m->count - 1 - ago;
    return m->ring + (size_t)(newest % M) * (size_t)nv;
}

void vg_recurrence_push(double *memory, int nv, const double *delta, const double *scale)
{
    Memory m = view(memory);
    memmove(m.product[1], m.product[0], (KEPT - 1) * sizeof m.product[0]);
    memset(m.product[0], 0, sizeof m.product[0]);
    for (int lag = 0; lag <= M && lag <= *m.count; lag++) {
        const double *old = lag ? increment(&m, nv, lag - 1) : delta;
        double sum = 0;
        for (int i = 0; i < nv; i++) sum += delta[i] * old[i] / (scale[i] * scale[i]);
        m.product[0][lag] = sum;
    }
    *m.count += 1;
    memcpy(increment(&m, nv, 0), delta, (size_t)nv * sizeof *delta);
}

/* Solves the M normal equations by Cholesky's factorisation; 0 where they are singular. */
static int solve(double a[M][M], double b[M])
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j <= i; j++) {
            double x = a[i][j];
            for (int k = 0; k < j; k++) x -= a[i][k] * a[j][k];
            if (i == j && !(x > 0)) return 0;
            a[i][j] = i == j ? sqrt(x) : x / a[j][j];
        }
    for (int i = 0; i < M; i++) {
        for (int k = 0; k < i; k++) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = M - 1; i >= 0; i--) {
        for (int k = i + 1; k < M; k++) b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
    return 1;
}

int vg_recurrence_predict(const double *memory, int nv, double *out)
{
    union {
        const double *in;
        double *out;
    } open = {.in = memory};
    const Memory m = view(open.out);
    if (*m.count < KEPT) return 0;
    double a[M][M], b[M], trace = 0;
    for (int i = 0; i < M; i++) {
        b[i] = 0;
        for (int n = 0; n < L; n++) b[i] += m.product[n][i + 1];
        for (int j = 0; j <= i; j++) { /* ⟨Δ_{n−1−i}, Δ_{n−1−j}⟩, the newer first */
            a[i][j] = 0;
            for (int n = 0; n < L; n++) a[i][j] += m.product[n + 1 + j][i - j];
        }
        trace += a[i][i];
    }
    for (int i = 0; i < M; i++) a[i][i] += RIDGE * trace;
    if (!solve(a, b)) return 0;
    memset(out, 0, (size_t)nv * sizeof *out);
    for (int k = 0; k < M; k++) {
        const double *old = increment(&m, nv, k);
        for (int i = 0; i < nv; i++) out[i] += b[k] * old[i];
    }
    return 1;
}

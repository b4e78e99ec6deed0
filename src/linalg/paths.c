#include "linalg/paths.h"

#include <stddef.h>

vgStatus vg_paths_factor(int n, const int *above, double *M)
{
    const size_t ld = (size_t)n;
    for (int k = n - 1; k >= 0; k--) {
        double *row = M + (size_t)k * ld;
        if (!(row[k] > 0)) return VG_SINGULAR;
        for (int i = above[k]; i >= 0; i = above[i]) {
            const double f = row[i] / row[k];
            double *to = M + (size_t)i * ld;
            for (int j = i; j >= 0; j = above[j]) to[j] -= f * row[j];
            row[i] = f;
        }
    }
    return VG_OK;
}

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct Sum { /* row to := scale · to − Σ f_k · row of_k of X, rows m apart */
    const double *X;
    size_t m;
    int n;
    const int *of;
    const double *f;
    double scale;
} Sum;

static inline void gather_12(double *to, const Sum *s, size_t column)
{
    const double *X = s->X + column;
    Four a = s->scale * *(const Four *)to, b = s->scale * *(const Four *)(to + 4),
         c = s->scale * *(const Four *)(to + 8);
    for (int k = 0; k < s->n; k++) {
        const double *from = X + (size_t)s->of[k] * s->m, f = s->f[k];
        a -= f * *(const Four *)from;
        b -= f * *(const Four *)(from + 4);
        c -= f * *(const Four *)(from + 8);
    }
    *(Four *)to = a;
    *(Four *)(to + 4) = b;
    *(Four *)(to + 8) = c;
}

static inline void gather_4(double *to, const Sum *s, size_t column)
{
    const double *X = s->X + column;
    Four sum = s->scale * *(const Four *)to;
    for (int k = 0; k < s->n; k++) sum -= s->f[k] * *(const Four *)(X + (size_t)s->of[k] * s->m);
    *(Four *)to = sum;
}

/* Twelve columns in registers, then four, then one at a time. */
static void gather(double *to, const Sum *s)
{
    size_t c = 0;
    for (; c + 12 <= s->m; c += 12) gather_12(to + c, s, c);
    for (; c + 4 <= s->m; c += 4) gather_4(to + c, s, c);
    for (; c < s->m; c++) {
        double sum = s->scale * to[c];
        for (int k = 0; k < s->n; k++) sum -= s->f[k] * s->X[(size_t)s->of[k] * s->m + c];
        to[c] = sum;
    }
}

/* Each row gathers those beyond it, then those on the way to the ground. */
void vg_paths_solve(int n, const int *above, const double *L, int m, double *X, int *of, double *f)
{
    const size_t ld = (size_t)n;
    Sum s = {.X = X, .m = (size_t)m, .of = of, .f = f};
    for (int j = n - 1; j >= 0; j--) {
        s.n = 0;
        s.scale = 1;
        for (int i = n - 1; i > j; i--) {
            const double entry = L[(size_t)i * ld + (size_t)j];
            if (entry != 0) of[s.n] = i, f[s.n++] = entry;
        }
        gather(X + (size_t)j * s.m, &s);
    }
    for (int i = 0; i < n; i++) {
        s.n = 0;
        s.scale = -1 / L[(size_t)i * ld + (size_t)i];
        for (int j = above[i]; j >= 0; j = above[j]) of[s.n] = j, f[s.n++] = L[(size_t)i * ld + (size_t)j];
        gather(X + (size_t)i * s.m, &s);
    }
}

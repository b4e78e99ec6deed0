/* The largest eigenvalues of a map against closed forms and against all eigenvalues of its matrix. */
#include <stdlib.h>

#include "linalg/eig.h"
#include "linalg/eig_largest.h"
#include "test.h"

typedef struct Dense {
    int n;
    const double *a;
    const double *weight; /* diagonal of W */
    double *room;
} Dense;

static void apply(void *of, double *x)
{
    const Dense *d = of;
    for (int i = 0; i < d->n; i++) {
        d->room[i] = 0;
        for (int j = 0; j < d->n; j++) d->room[i] += d->a[i * d->n + j] * x[j];
    }
    memcpy(x, d->room, (size_t)d->n * sizeof *x);
}

static void weigh(void *of, const double *x, double *y)
{
    const Dense *d = of;
    for (int i = 0; i < d->n; i++) y[i] = (d->weight ? d->weight[i] : 1) * x[i];
}

static double draw(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 33) / 2147483648.0 - 0.5;
}

/* A diagonal with equal entries, in the metric of a weight that leaves out what the map sends to zero. */
TEST(multiple)
{
    enum { N = 300, WANT = 9 };
    static double a[N * N], w[N], room[N], x[(WANT + 1) * N];
    double re[WANT + 1], im[WANT + 1];
    const double first[WANT] = {-7, 5, 5, 5, 5, -3, 2, 2, 1};
    for (int i = 0; i < N; i++) {
        w[i] = i < N / 2 ? 1 + i % 3 : 0;
        a[i * N + i] = i >= N / 2 ? 0 : i < WANT ? first[i] : 0.9 - 0.001 * i;
    }
    Dense d = {N, a, w, room};
    int found = 0;
    const vgMap map = {.n = N, .of = &d, .apply = apply, .weigh = weigh, .symmetric = 1};
    CHECK_INT(vg_eig_largest(&map, WANT, &found, re, im, x), VG_OK);
    CHECK_INT(found, WANT);
    for (int k = 0; k < found; k++) {
        CHECK_NEAR(re[k], first[k], 1e-12);
        for (int l = 0; l <= k; l++) {
            double sum = 0;
            for (int i = 0; i < N; i++) sum += w[i] * x[k * N + i] * x[l * N + i];
            CHECK_NEAR(sum, k == l, 1e-10);
        }
    }
}

/* A map of rank three has three. */
TEST(few)
{
    enum { N = 50, WANT = 6 };
    static double a[N * N], room[N], x[(WANT + 1) * N];
    double re[WANT + 1], im[WANT + 1];
    for (int i = 0; i < 3; i++) a[i * N + i] = 1 + i;
    Dense d = {N, a, NULL, room};
    int found = 0;
    const vgMap map = {.n = N, .of = &d, .apply = apply, .weigh = weigh, .symmetric = 1};
    CHECK_INT(vg_eig_largest(&map, WANT, &found, re, im, x), VG_OK);
    CHECK_INT(found, 3);
    for (int k = 0; k < found; k++) CHECK_NEAR(re[k], 3 - k, 1e-13);
}

/* A random matrix that is not symmetric: the values of vg_eig_general, and A x = μ x. */
TEST(general)
{
    enum { N = 160 };
    static double a[N * N], room[N], all_re[N], all_im[N], x[14 * N];
    for (int want = 1; want <= 12; want++) {
        unsigned long long seed = test_seed("general", want);
        double re[14], im[14];
        int found = 0;
        for (int i = 0; i < N * N; i++) a[i] = draw(&seed);
        Dense d = {N, a, NULL, room};
        const vgMap map = {.n = N, .of = &d, .apply = apply, .weigh = weigh};
        CHECK_INT(vg_eig_largest(&map, want, &found, re, im, x), VG_OK);
        CHECK_INT(vg_eig_general(a, N, all_re, all_im, NULL), VG_OK);
        CHECK(found == want || (found == want + 1 && im[want] < 0));
        for (int k = 0; k < found; k++) {
            int larger = 0;
            double best = INFINITY;
            for (int i = 0; i < N; i++) {
                best = fmin(best, hypot(all_re[i] - re[k], all_im[i] - im[k]));
                larger += hypot(all_re[i], all_im[i]) > hypot(re[k], im[k]) * (1 + 1e-9);
            }
            CHECK_NEAR(best, 0, 1e-10);
            CHECK(larger <= k);
            if (im[k] < 0) continue;
            const double *u = x + k * N, *v = im[k] > 0 ? u + N : NULL;
            for (int i = 0; i < N; i++) {
                double au = 0, av = 0;
                for (int j = 0; j < N; j++) au += a[i * N + j] * u[j], av += v ? a[i * N + j] * v[j] : 0;
                CHECK_NEAR(au, re[k] * u[i] - (v ? im[k] * v[i] : 0), 1e-9);
                if (v) CHECK_NEAR(av, im[k] * u[i] + re[k] * v[i], 1e-9);
            }
        }
    }
}

TEST_MAIN(multiple, few, general)

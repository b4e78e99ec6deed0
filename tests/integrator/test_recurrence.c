/* Linear prediction of increments: exact for two modes, silent where nothing is known. */
#include "integrator/stage/recurrence.h"

#include <math.h>
#include <stdlib.h>

#include "test.h"

enum { NV = 3 };

/* Increment n of two vibrations with angles w a step, other shapes and scales in the three coordinates. */
static void increment(int n, const double w[2], double *out)
{
    static const double shape[2][NV] = {{1, -0.3, 200}, {0.2, 0.5, -70}},
                        phase[2][NV] = {{0, 0, 0}, {1, 1, 1}};
    for (int i = 0; i < NV; i++)
        out[i] = shape[0][i] * cos(w[0] * n + phase[0][i]) + shape[1][i] * cos(w[1] * n + phase[1][i]);
}

/* cos((n+1)w) = 2 cos w cos(nw) − cos((n−1)w): a sum of two of them is a recurrence of four terms. */
TEST(two_modes_are_foretold)
{
    static const double angles[][2] = {{0.4, 2.4}, {2.7, 3.0}, {0.05, 3.1}, {1, 1.7}},
                        scale[NV] = {1, 1, 100};
    double *memory = calloc((size_t)vg_recurrence_size(NV), sizeof *memory);
    for (int k = 0; k < 4; k++) {
        vg_recurrence_reset(memory);
        int first = -1;
        for (int n = 0; n < 60; n++) {
            double x[NV], guess[NV];
            increment(n, angles[k], x);
            if (vg_recurrence_predict(memory, NV, guess)) {
                if (first < 0) first = n;
                for (int i = 0; i < NV; i++) CHECK_NEAR(guess[i] / scale[i], x[i] / scale[i], 2e-4);
            }
            vg_recurrence_push(memory, NV, x, scale);
        }
        CHECK_INT(first, 10);
    }
    free(memory);
}

TEST(rest_says_nothing)
{
    double *memory = calloc((size_t)vg_recurrence_size(NV), sizeof *memory), zero[NV] = {0}, guess[NV];
    const double scale[NV] = {1, 1, 1};
    for (int n = 0; n < 20; n++) {
        CHECK_INT(vg_recurrence_predict(memory, NV, guess), 0);
        vg_recurrence_push(memory, NV, zero, scale);
    }
    free(memory);
}

TEST_MAIN(two_modes_are_foretold, rest_says_nothing)

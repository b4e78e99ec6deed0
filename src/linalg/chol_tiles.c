#include "linalg/chol_tiles.h"
#include "base/expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
#define FOUR(x) (*(Four *)(x))
#define OF(x)   (*(const Four *)(x))

static const double FINITE_MOST = 1e300;

/* ---- set-up ---- */

/* Tiles of the factor under an order: those of the pattern, and by elimination (a, b), (a, c) give (b, c).
 * How many. */
static int fill(int bands, size_t count, const vgCholEntry *entry, const int *at, char *tile)
{
    int number = 0;
    memset(tile, 0, (size_t)bands * (size_t)bands);
    for (size_t k = 0; k < count; k++) {
        int a = at[entry[k].i] / 4, b = at[entry[k].j] / 4;
        tile[a < b ? a * bands + b : b * bands + a] = 1;
    }
    for (int a = 0; a < bands; a++) {
        const char *row = tile + (size_t)a * (size_t)bands;
        for (int b = a + 1; b < bands; b++) {
            if (!row[b]) continue;
            number++;
            for (int c = b; c < bands; c++) tile[b * bands + c] |= row[c];
        }
    }
    return number;
}

static void *take(vgCholTiles *t, size_t count, size_t size)
{
    t->bytes += (count + 1) * size;
    return calloc(count + 1, size);
}

vgStatus vg_chol_tiles_new(vgCholTiles *t, int n, size_t count, const vgCholEntry *entry, int norder,
                           const int *const *order)
{
    *t = (vgCholTiles){.n = n, .bands = (n + 3) / 4};
    t->ld = 4 * t->bands;
    size_t bands = (size_t)t->bands, ld = (size_t)t->ld;
    char *tile = malloc(bands * bands + 1);
    t->at = take(t, (size_t)n, sizeof *t->at);
    t->first = take(t, bands + 1, sizeof *t->first);
    t->S = take(t, ld * ld, sizeof *t->S);
    t->inverse = take(t, ld, sizeof *t->inverse);
    t->forward = take(t, 6 * bands, sizeof *t->forward);
    t->backward = take(t, 6 * bands, sizeof *t->backward);
    int best = -1, least = 0;
    for (int k = 0; tile && k < norder; k++) {
        int tiles = fill(t->bands, count, entry, order[k], tile);
        if (best < 0 || tiles < least) best = k, least = tiles;
    }
    t->later = take(t, (size_t)least, sizeof *t->later);
    if (!tile || !t->at || !t->first || !t->S || !t->inverse || !t->forward || !t->backward || !t->later) {
        free(tile);
        vg_chol_tiles_free(t);
        return VG_NO_MEMORY;
    }
    memcpy(t->at, order[best], (size_t)n * sizeof *t->at);
    fill(t->bands, count, entry, t->at, tile);
    int number = 0;
    for (int a = 0; a < t->bands; a++) {
        t->first[a] = number;
        for (int b = a + 1; b < t->bands; b++)
            if (tile[a * t->bands + b]) t->later[number++] = b;
    }
    t->first[t->bands] = number;
    free(tile);
    return VG_OK;
}

void vg_chol_tiles_free(vgCholTiles *t)
{
    void *all[] = {t->at, t->first, t->later, t->S, t->inverse, t->forward, t->backward};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
    *t = (vgCholTiles){0};
}

/* ---- factorisation ---- */

/* C (tile b, c) −= Xᵀ T with the band's tiles X = U(band, b), T = U(band, c). */
static inline void update(const double *band, size_t ld, size_t b, size_t c, double *S)
{
    Four t0 = OF(band + c), t1 = OF(band + ld + c), t2 = OF(band + 2 * ld + c), t3 = OF(band + 3 * ld + c);
    for (size_t i = 0; i < 4; i++) {
        double *to = S + (b + i) * ld + c;
        const double *x = band + b + i;
        FOUR(to) = OF(to) - x[0] * t0 - x[ld] * t1 - x[2 * ld] * t2 - x[3 * ld] * t3;
    }
}

int vg_chol_tiles_band(vgCholTiles *t, int band)
{
    VG_EXPECT(t && band >= 0);
    size_t ld = (size_t)t->ld, at = 4 * (size_t)band;
    double *top = t->S + at * ld, *inverse = t->inverse + at;
    const int *later = t->later + t->first[band], count = t->first[band + 1] - t->first[band];
    for (size_t i = 0; i < 4 && at + i < (size_t)t->n; i++) {
        double *row = top + i * ld, pivot = row[at + i];
        if (!(pivot > 0 && pivot < FINITE_MOST)) return (int)(at + i);
        double by = inverse[i] = 1 / sqrt(pivot);
        FOUR(row + at) = OF(row + at) * by;
        for (int k = 0; k < count; k++) FOUR(row + 4 * later[k]) = OF(row + 4 * later[k]) * by;
        for (size_t j = i + 1; j < 4; j++) {
            double *to = top + j * ld, x = row[at + j];
            FOUR(to + at) = OF(to + at) - x * OF(row + at);
            for (int k = 0; k < count; k++)
                FOUR(to + 4 * later[k]) = OF(to + 4 * later[k]) - x * OF(row + 4 * later[k]);
        }
    }
    double *f = t->forward + 6 * (size_t)band, *b = t->backward + 6 * (size_t)band;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = i + 1; j < 4; j++) {
            *f++ = top[i * ld + at + j] * inverse[j];
            *b++ = top[i * ld + at + j] * inverse[i];
        }
    for (int k = 0; k < count; k++)
        for (int l = k; l < count; l++) update(top, ld, 4 * (size_t)later[k], 4 * (size_t)later[l], t->S);
    return -1;
}

/* ---- solution ---- */

/* Uᵀ y = x in one band, and its part of the later ones. Divided by the diagonal first, three products in a
 * row are all that a number waits for. */
static inline void forward(const vgCholTiles *t, int band, double *x)
{
    size_t ld = (size_t)t->ld, at = 4 * (size_t)band;
    const double *top = t->S + at * ld, *f = t->forward + 6 * (size_t)band;
    Four w = OF(x + at) * OF(t->inverse + at);
    double y0 = w[0], y1 = w[1] - f[0] * y0, y2 = w[2] - f[1] * y0 - f[3] * y1,
           y3 = w[3] - f[2] * y0 - f[4] * y1 - f[5] * y2;
    FOUR(x + at) = (Four){y0, y1, y2, y3};
    for (int k = t->first[band]; k < t->first[band + 1]; k++) {
        size_t c = 4 * (size_t)t->later[k];
        const double *u = top + c;
        FOUR(x + c) =
            (OF(x + c) - OF(u) * y0 - OF(u + ld) * y1) - (OF(u + 2 * ld) * y2 + OF(u + 3 * ld) * y3);
    }
}

/* U x = y in one band. */
static inline void backward(const vgCholTiles *t, int band, double *x)
{
    size_t ld = (size_t)t->ld, at = 4 * (size_t)band;
    const double *top = t->S + at * ld, *b = t->backward + 6 * (size_t)band;
    Four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int k = t->first[band]; k < t->first[band + 1]; k++) {
        size_t c = 4 * (size_t)t->later[k];
        const double *u = top + c;
        Four y = OF(x + c);
        s0 += OF(u) * y, s1 += OF(u + ld) * y, s2 += OF(u + 2 * ld) * y, s3 += OF(u + 3 * ld) * y;
    }
    Four s01 = __builtin_shufflevector(s0, s1, 0, 4, 2, 6) + __builtin_shufflevector(s0, s1, 1, 5, 3, 7);
    Four s23 = __builtin_shufflevector(s2, s3, 0, 4, 2, 6) + __builtin_shufflevector(s2, s3, 1, 5, 3, 7);
    Four sum = __builtin_shufflevector(s01, s23, 0, 1, 4, 5) + __builtin_shufflevector(s01, s23, 2, 3, 6, 7);
    Four w = (OF(x + at) - sum) * OF(t->inverse + at);
    double y3 = w[3], y2 = w[2] - b[5] * y3, y1 = w[1] - b[4] * y3 - b[3] * y2,
           y0 = w[0] - b[2] * y3 - b[1] * y2 - b[0] * y1;
    FOUR(x + at) = (Four){y0, y1, y2, y3};
}

void vg_chol_tiles_solve(const vgCholTiles *t, double *x)
{
    VG_EXPECT(t && x);
    for (int band = 0; band < t->bands; band++) forward(t, band, x);
    for (int band = t->bands; band-- > 0;) backward(t, band, x);
}

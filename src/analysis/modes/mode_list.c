#include "analysis/modes/mode_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tuning.h"

static const double PI = 3.14159265358979323846;

vgStatus vg_mode_list_new(vgModeList *list, int room, int nv)
{
    const size_t r = (size_t)room + 1, n = (size_t)nv + 1;
    *list = (vgModeList){.room = room, .nv = nv};
    list->re = calloc(2 * r, sizeof *list->re);
    list->a = calloc(2 * r * n, sizeof *list->a);
    if (!list->re || !list->a) return VG_NO_MEMORY;
    list->im = list->re + r;
    list->b = list->a + r * n;
    return VG_OK;
}

void vg_mode_list_free(vgModeList *list)
{
    free(list->re);
    free(list->a);
    *list = (vgModeList){0};
}

static double *part_a(const vgModeList *list, int k)
{
    return list->a + (size_t)k * (size_t)list->nv;
}

static double *part_b(const vgModeList *list, int k)
{
    return list->b + (size_t)k * (size_t)list->nv;
}

void vg_mode_list_add(vgModeList *list, double re, double im, const double *a, const double *b)
{
    const size_t bytes = (size_t)list->nv * sizeof *a;
    if (list->n == list->room) return;
    list->re[list->n] = re, list->im[list->n] = im;
    memcpy(part_a(list, list->n), a, bytes);
    if (b)
        memcpy(part_b(list, list->n), b, bytes);
    else
        memset(part_b(list, list->n), 0, bytes);
    list->n++;
}

int vg_pencil_is_free(const vgPencil *p, const double *y)
{
    return fabs(vg_blocks_form(&p->K, y, y)) <= VG_MODE_FREE * vg_pencil_bound(p, y, y);
}

void vg_mode_list_add_square(const vgPencil *p, vgModeList *list, double w2, const double *x)
{
    if (vg_pencil_is_free(p, x)) w2 = 0;
    if (w2 < 0) vg_mode_list_add(list, -sqrt(-w2), 0, x, NULL);
    vg_mode_list_add(list, w2 < 0 ? sqrt(-w2) : 0, w2 > 0 ? sqrt(w2) : 0, x, NULL);
}

/* yᴴ A y of a real matrix: the real part from both parts, the imaginary part from what is not symmetric. */
static void form(const vgBlocks *A, const double *a, const double *b, double z[2])
{
    z[0] = vg_blocks_form(A, a, a) + vg_blocks_form(A, b, b);
    z[1] = vg_blocks_form(A, a, b) - vg_blocks_form(A, b, a);
}

/* 1: mode k is at λ = 0. */
static int is_at_rest(const vgPencil *p, const vgModeList *list, int k)
{
    const double *a = part_a(list, k), *b = part_b(list, k);
    double stiff[2], mass[2], damp[2];
    form(&p->K, a, b, stiff);
    double bound = vg_pencil_bound(p, a, a) + vg_pencil_bound(p, b, b) + 2 * vg_pencil_bound(p, a, b);
    if (hypot(stiff[0], stiff[1]) > VG_MODE_FREE * bound) return 0;
    form(&p->M, a, b, mass);
    form(&p->C, a, b, damp);
    /* |λ| ≤ 2 |λ + c/m|: true at 0, also where c is rounding, and false at −c/m */
    const double re = mass[0] * list->re[k], im = mass[0] * list->im[k];
    return hypot(re, im) <= 2 * hypot(re + damp[0], im + damp[1]);
}

/* y := y − Σ f (fᵀMy)/(fᵀMf) over the directions f; returns 1 if much of it is left. M y, or where there is no mass y
 * itself, is what lengths are measured by. */
static int is_new_direction(const vgPencil *p, const double *f, int n, double *y)
{
    const double before = vg_blocks_form(&p->M, y, y);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            const double *d = f + (size_t)i * (size_t)p->n;
            double share = vg_blocks_form(&p->M, d, y);
            for (int j = 0; j < p->n; j++) y[j] -= share * d[j];
        }
    const double left = vg_blocks_form(&p->M, y, y);
    if (!(left > VG_MODE_APART * before)) return 0;
    for (int j = 0; j < p->n; j++) y[j] /= sqrt(left);
    return 1;
}

vgStatus vg_mode_list_settle_free(const vgPencil *p, vgModeList *list)
{
    int zeros = 0, kept = 0, nfree = 0;
    unsigned char *rest = calloc((size_t)list->n + 1, 1);
    for (int k = 0; rest && k < list->n; k++) zeros += rest[k] = (unsigned char)is_at_rest(p, list, k);
    double *f = calloc(2 * ((size_t)zeros + 1) * ((size_t)p->n + 1), sizeof *f);
    vgStatus st = rest && f ? VG_OK : VG_NO_MEMORY;
    for (int k = 0; st == VG_OK && k < list->n; k++) {
        if (rest[k]) {
            for (int part = 0; part < 2; part++) {
                double *to = f + (size_t)nfree * (size_t)p->n;
                memcpy(to, part ? part_b(list, k) : part_a(list, k), (size_t)p->n * sizeof *to);
                nfree += is_new_direction(p, f, nfree, to);
            }
            continue;
        }
        if (kept < k) {
            list->re[kept] = list->re[k], list->im[kept] = list->im[k];
            memcpy(part_a(list, kept), part_a(list, k), (size_t)p->n * sizeof *list->a);
            memcpy(part_b(list, kept), part_b(list, k), (size_t)p->n * sizeof *list->b);
        }
        kept++;
    }
    if (st == VG_OK) {
        list->n = kept;
        for (int i = 0; i < nfree; i++) vg_mode_list_add(list, 0, 0, f + (size_t)i * (size_t)p->n, NULL);
    }
    free(rest);
    free(f);
    return st;
}

/* ---- order ---- */

typedef struct Order {
    double re, im;
    int at, dies;
} Order;

/* Marks modes that decay without visible vibration (damping ratio above 0.995) and faster than the slowest
 * vibration. Frequencies at the rounding of double zeros, the square root of the precision, do not count as
 * vibration. */
static void mark_dying(Order *order, int n)
{
    double slowest = INFINITY;
    for (int i = 0; i < n; i++) {
        double size = hypot(order[i].re, order[i].im);
        if (order[i].im > VG_MODE_VIBRATES * fabs(order[i].re) && size > VG_MODE_ZERO * VG_MODES_SHIFT)
            slowest = fmin(slowest, size);
    }
    if (isinf(slowest)) slowest = VG_MODES_SHIFT;
    for (int i = 0; i < n; i++)
        order[i].dies = order[i].im <= -VG_MODE_VIBRATES * order[i].re && -order[i].re > slowest;
}

static int by_size(const void *a, const void *b)
{
    const Order *x = a, *y = b;
    const double sx = hypot(x->re, x->im), sy = hypot(y->re, y->im);
    return sx != sy ? (sx < sy ? -1 : 1) : x->at - y->at;
}

/* Fast decaying modes are the least informative: they come last, the slowest of them first. */
static int by_frequency(const void *a, const void *b)
{
    const Order *x = a, *y = b;
    if (x->dies != y->dies) return x->dies - y->dies;
    if (x->dies && x->re != y->re) return x->re > y->re ? -1 : 1;
    if (x->im != y->im) return x->im < y->im ? -1 : 1;
    if (x->re != y->re) return x->re < y->re ? -1 : 1;
    return x->at - y->at;
}

/* Turned into world axes, the largest entry turned and scaled to 1. */
static void shape(const vgSystem *sys, const vgKin *kin, const double *a, const double *b, double *re,
                  double *im)
{
    double big = 0, c = 1, s = 0;
    memcpy(re, a, (size_t)sys->nv * sizeof *re);
    memcpy(im, b, (size_t)sys->nv * sizeof *im);
    vg_modes_turn(sys, kin, 0, re);
    vg_modes_turn(sys, kin, 0, im);
    for (int i = 0; i < sys->nv; i++) {
        double size = re[i] * re[i] + im[i] * im[i];
        if (size > big * (1 + VG_LARGEST_FIRST)) big = size, c = re[i], s = im[i];
    }
    for (int i = 0; big > 0 && i < sys->nv; i++) {
        double x = re[i], y = im[i];
        re[i] = (x * c + y * s) / big;
        im[i] = (y * c - x * s) / big;
    }
}

vgStatus vg_mode_list_give(const vgSystem *sys, const vgKin *kin, const vgModeList *list, int most,
                           vgModes *out)
{
    const size_t n = (size_t)(list->n < most ? list->n : most), nv = (size_t)sys->nv;
    Order *order = calloc((size_t)list->n + 1, sizeof *order);
    out->mode = calloc(n + 1, sizeof *out->mode);
    out->shape_re = calloc(n * nv + 1, sizeof *out->shape_re);
    out->shape_im = calloc(n * nv + 1, sizeof *out->shape_im);
    vgStatus st = order && out->mode && out->shape_re && out->shape_im ? VG_OK : VG_NO_MEMORY;
    for (int i = 0; st == VG_OK && i < list->n; i++) {
        order[i] = (Order){list->re[i], list->im[i], i, 0};
        out->fastest = fmax(out->fastest, hypot(list->re[i], list->im[i]));
    }
    if (st == VG_OK) {
        out->n = (int)n;
        if (list->n > most) qsort(order, (size_t)list->n, sizeof *order, by_size);
        mark_dying(order, out->n);
        qsort(order, n, sizeof *order, by_frequency);
    }
    for (size_t i = 0; st == VG_OK && i < n; i++) {
        const double size = hypot(order[i].re, order[i].im);
        out->mode[i] = (vgMode){order[i].re, order[i].im, order[i].im / (2 * PI),
                                size > 0 && order[i].re != 0 ? -order[i].re / size : 0};
        shape(sys, kin, part_a(list, order[i].at), part_b(list, order[i].at), out->shape_re + i * nv,
              out->shape_im + i * nv);
    }
    free(order);
    return st;
}

/* Rows of a node that are passed on to a later one. */
#include "linalg/lin/split.h"

#include <math.h>
#include <string.h>

/* C := A with rows and columns chosen, rows of C up to a multiple of four cleared: C (n × m), ld both ways. */
static void pick(double *c, size_t ldc, const double *a, size_t lda, const int *row, int n, const int *col,
                 int m)
{
    for (int j = 0; j < m; j++) {
        const double *from = a + (size_t)(col ? col[j] : j) * lda;
        double *to = c + (size_t)j * ldc;
        for (int i = 0; i < n; i++) to[i] = from[row ? row[i] : i];
        for (int i = n; i < vg_lin_pad(n); i++) to[i] = 0;
    }
}

static void swap(int *list, int i, int j)
{
    int kept = list[i];
    list[i] = list[j];
    list[j] = kept;
}

/* Complete pivoting in a copy of D: the first p of rows and cols. */
static int choose(const vgLinStep *s, int pivots, const double *d, const double *history, double tolerance,
                  double *a, int *rows, int *cols)
{
    const int size = s->size;
    const size_t n = s->ld;
    memcpy(a, d, (size_t)size * n * sizeof *a);
    for (int i = 0; i < size; i++) rows[i] = cols[i] = i;
    for (int p = 0; p < pivots; p++) {
        int r = p, c = p;
        double largest = -1, scale = 0;
        for (int j = p; j < size; j++)
            for (int i = p; i < size; i++)
                if (!(fabs(a[(size_t)cols[j] * n + (size_t)rows[i]]) <= largest)) {
                    largest = fabs(a[(size_t)cols[j] * n + (size_t)rows[i]]);
                    r = i, c = j;
                }
        swap(rows, p, r);
        swap(cols, p, c);
        const int row = rows[p];
        for (int j = 0; j < size; j++) scale = fmax(scale, fabs(d[(size_t)j * n + (size_t)row]));
        if (!(largest > tolerance * fmax(scale, history[row])) || !(largest <= 0x1p1000)) return row;
        const double *column = a + (size_t)cols[p] * n;
        for (int j = p + 1; j < size; j++) {
            double *other = a + (size_t)cols[j] * n, f = other[row] / column[row];
            for (int i = p + 1; i < size; i++) other[rows[i]] -= column[rows[i]] * f;
        }
    }
    return -1;
}

int vg_lin_split(const vgLinSplit *split, const vgLinStep *steps, int k, const vgLinMove *moves, int *perm,
                 const double *history, double tolerance, double *scratch, double *factor, double *kept)
{
    const vgLinStep *s = &steps[k], *next = s + 1, *rest = &steps[split->rest];
    const int p = next->size, passed = rest->size;
    const size_t ld = s->ld;
    const double *d = factor + s->panel, *u = d + ld * s->size, *l = factor + s->lower;
    int *rows = perm + split->perm, *cols = rows + s->size;
    int weak = choose(s, p, d, history, tolerance, scratch, rows, cols);
    if (weak >= 0) return weak;
    const int *rows_on = rows + p, *cols_on = cols + p;
    double *to = factor + next->panel, *right = to + (size_t)next->ld * next->size,
           *down = factor + next->lower;
    pick(to, next->ld, d, ld, rows, p, cols, p);
    pick(right + (size_t)next->ld * split->column, next->ld, d, ld, rows, p, cols_on, passed);
    pick(down + split->row, next->ldl, d, ld, rows_on, passed, cols, p);
    pick(factor + rest->panel, rest->ld, d, ld, rows_on, passed, cols_on, passed);
    for (uint32_t i = split->move; i < split->end; i++) {
        const vgLinMove *m = &moves[i];
        const int n = (int)m->size;
        const double *u_m = u + ld * m->all_column, *l_m = l + m->all_row;
        pick(right + (size_t)next->ld * m->column, next->ld, u_m, ld, rows, p, NULL, n);
        pick(down + m->row, next->ldl, l_m, s->ldl, NULL, n, cols, p);
        if (m->later) {
            pick(factor + m->right, m->ld, u_m, ld, rows_on, passed, NULL, n);
            pick(factor + m->down, m->ldl, l_m, s->ldl, NULL, n, cols_on, passed);
        } else {
            pick(factor + m->right, m->ld, l_m, s->ldl, NULL, n, cols_on, passed);
            pick(factor + m->down, m->ldl, u_m, ld, rows_on, passed, NULL, n);
        }
    }
    for (int i = 0; i < p; i++) kept[next->z + (uint32_t)i] = history[rows[i]];
    for (int i = 0; i < passed; i++) kept[rest->z + (uint32_t)i] = history[rows_on[i]];
    return -1;
}

void vg_lin_split_forward(const vgLinSplit *split, const vgLinStep *steps, int k, const int *perm, double *z)
{
    const vgLinStep *s = &steps[k], *next = s + 1, *rest = &steps[split->rest];
    const int *rows = perm + split->perm;
    for (int i = 0; i < next->size; i++) z[next->z + (uint32_t)i] = z[s->z + (uint32_t)rows[i]];
    for (int i = 0; i < rest->size; i++) z[rest->z + (uint32_t)i] = z[s->z + (uint32_t)rows[next->size + i]];
}

void vg_lin_split_backward(const vgLinSplit *split, const vgLinStep *steps, int k, const int *perm, double *z)
{
    const vgLinStep *s = &steps[k], *next = s + 1, *rest = &steps[split->rest];
    const int *cols = perm + split->perm + s->size;
    for (int i = 0; i < next->size; i++) z[s->z + (uint32_t)cols[i]] = z[next->z + (uint32_t)i];
    for (int i = 0; i < rest->size; i++) z[s->z + (uint32_t)cols[next->size + i]] = z[rest->z + (uint32_t)i];
}

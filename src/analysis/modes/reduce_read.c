/* Matrices and nodes for a reduction: Matrix Market files [Boisvert, Pozo, Remington 1996], lists of nodes.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/reduce.h"
#include "analysis/tuning.h"

typedef struct Lines {
    const char *at;
    int number, file;
    vgDiag *diag;
} Lines;

static vgLoc place(const Lines *l)
{
    return (vgLoc){l->file, l->number, 1};
}

/* The next line that is not empty and does not begin with the sign of a comment; 0: there is none. */
static int next_line(Lines *l, char comment, char *out, size_t size)
{
    while (*l->at) {
        size_t n = strcspn(l->at, "\n"), k = 0;
        const char *line = l->at;
        l->at += n + (l->at[n] == '\n');
        l->number++;
        while (k < n && isspace((unsigned char)line[k])) k++;
        if (k == n || line[k] == comment) continue;
        if (n - k >= size) n = k + size - 1;
        memcpy(out, line + k, n - k);
        out[n - k] = 0;
        return 1;
    }
    return 0;
}

static int has(const char *head, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = strstr(head, word); p; p = strstr(p + 1, word))
        if ((p == head || isspace((unsigned char)p[-1])) && (p[n] == 0 || isspace((unsigned char)p[n])))
            return 1;
    return 0;
}

static double *complain(const Lines *l, double *a, const char *what)
{
    vg_diag_error(l->diag, place(l), "%s", what);
    free(a);
    return NULL;
}

static int read_entries(Lines *l, int array, int symmetric, long count, int n, double *a)
{
    char line[256], *end;
    for (long k = 0, i = 0, j = 0; k < count; k++) {
        double x;
        if (!next_line(l, '%', line, sizeof line)) return 0;
        if (array) { /* by columns, the lower triangle of a symmetric one */
            x = strtod(line, &end);
        } else {
            i = strtol(line, &end, 10) - 1;
            j = strtol(end, &end, 10) - 1;
            const char *was = end;
            x = strtod(was, &end);
            if (end == was) return 0;
        }
        if (end == line || !isfinite(x) || i < 0 || j < 0 || i >= n || j >= n) return 0;
        a[i * n + j] = x;
        if (symmetric) a[j * n + i] = x;
        if (array && ++i == n) j++, i = symmetric ? j : 0;
    }
    return 1;
}

double *vg_reduce_matrix(const char *text, size_t size, const char *file, vgDiag *diag, int *n)
{
    Lines l = {.at = text, .file = vg_diag_file(diag, file), .diag = diag};
    char head[256], line[256], *end;
    size_t width = strcspn(text, "\n");
    (void)size;
    if (width >= sizeof head) width = sizeof head - 1;
    memcpy(head, text, width);
    head[width] = 0;
    for (char *c = head; *c; c++) *c = (char)tolower((unsigned char)*c);
    l.number = 1;
    if (strncmp(head, "%%matrixmarket", 14) != 0 || !has(head, "matrix"))
        return complain(&l, NULL, "a Matrix Market file begins with '%%MatrixMarket matrix …'");
    int array = has(head, "array"), symmetric = has(head, "symmetric");
    if ((!array && !has(head, "coordinate")) || has(head, "complex") || has(head, "pattern"))
        return complain(&l, NULL, "expected 'coordinate' or 'array' and 'real'");
    l.number = 0;
    if (!next_line(&l, '%', line, sizeof line))
        return complain(&l, NULL, "the size of the matrix is missing");
    long rows = strtol(line, &end, 10), cols = strtol(end, &end, 10),
         count = array ? 0 : strtol(end, &end, 10);
    if (rows < 1 || rows != cols || rows > VG_REDUCE_MAX || count < 0) {
        vg_diag_error(diag, place(&l), "expected a square matrix with at most %d rows", VG_REDUCE_MAX);
        return NULL;
    }
    if (array) count = symmetric ? rows * (rows + 1) / 2 : rows * rows;
    double *a = calloc((size_t)rows * (size_t)rows, sizeof *a);
    if (!a) return complain(&l, NULL, "out of memory");
    if (!read_entries(&l, array, symmetric, count, (int)rows, a))
        return complain(&l, a, "expected an entry of the matrix: row, column and number (array: one number)");
    double big = 0, off = 0;
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < rows; j++) {
            big = fmax(big, fabs(a[i * rows + j]));
            off = fmax(off, fabs(a[i * rows + j] - a[j * rows + i]));
        }
    if (off > VG_FILE_SYMMETRIC * big) return complain(&l, a, "the matrix is not symmetric");
    *n = (int)rows;
    return a;
}

int vg_reduce_nodes(const char *text, const char *file, vgPool *pool, vgDiag *diag, const char ***name,
                    vgVec3 **at)
{
    Lines l = {.at = text, .file = vg_diag_file(diag, file), .diag = diag};
    int n = 0, cap = 0;
    char line[256];
    *name = NULL;
    *at = NULL;
    while (next_line(&l, '#', line, sizeof line)) {
        char word[128];
        double x[3];
        if (sscanf(line, "%127s %lf %lf %lf", word, &x[0], &x[1], &x[2]) != 4) {
            vg_diag_error(diag, place(&l), "expected a node: name x y z");
            return -1;
        }
        if (n == cap) {
            int more = 2 * cap + 16;
            *name = vg_pool_grow(pool, *name, (size_t)cap * sizeof **name, (size_t)more * sizeof **name);
            *at = vg_pool_grow(pool, *at, (size_t)cap * sizeof **at, (size_t)more * sizeof **at);
            cap = more;
        }
        if (!*name || !*at || !((*name)[n] = vg_pool_strdup(pool, word))) {
            vg_diag_error(diag, place(&l), "out of memory");
            return -1;
        }
        (*at)[n++] = vg_load3(x);
    }
    if (n == 0) vg_diag_error(diag, place(&l), "there are no nodes");
    return n ? n : -1;
}

#include "base/file.h"
#include "model/surface.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* m, beyond which vertices are those of a damaged file: squares of it keep their digits. */
static const double FARTHEST = 1e12;

enum { STL_HEAD = 84, STL_FACET = 50, MOST_CORNERS = 1000, COARSEST = 4 };

typedef struct builder {
    vgPool *pool;
    vgDiag *diag;
    int file, line;
    const double *scale;
    vgSurface *s;
    int vertex_cap, corner_cap, full;
    int *slot; /* hash table of vertices by place, 0: empty, else 1 + number */
    size_t slots;
} builder;

static int wrong(builder *b, const char *why)
{
    vg_diag_error(b->diag, (vgLoc){b->file, b->line > 0 ? b->line : 1, 1}, "%s", why);
    return 0;
}

static int no_memory(builder *b)
{
    b->full = 1;
    vg_diag_no_memory(b->diag);
    return 0;
}

static int grow(builder *b, void *array, int n, int *cap, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    if (n < *cap) return 1;
    int more = *cap ? 2 * *cap : 256;
    void *bigger = vg_pool_grow(b->pool, old, (size_t)*cap * size, (size_t)more * size);
    if (!bigger) return no_memory(b);
    memcpy(array, &bigger, sizeof bigger);
    *cap = more;
    return 1;
}

/* Mixes the bits of two words (splitmix). */
static size_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a ^ (b * 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (size_t)(x ^ (x >> 31));
}

static size_t hash_of(vgVec3 p)
{
    double x[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; /* −0 is 0 */
    uint64_t u[3];
    memcpy(u, x, sizeof u);
    return mix(mix(u[0], u[1]), u[2]);
}

static int more_slots(builder *b)
{
    size_t slots = b->slots ? 2 * b->slots : 1024;
    int *slot = VG_NEW(b->pool, int, slots);
    if (!slot) return no_memory(b);
    for (int i = 0; i < b->s->nvertex; i++) {
        size_t h = hash_of(b->s->vertex[i]) & (slots - 1);
        while (slot[h]) h = (h + 1) & (slots - 1);
        slot[h] = i + 1;
    }
    b->slot = slot;
    b->slots = slots;
    return 1;
}

/* The number of the vertex at p; −1 with diagnostics. */
static int vertex_at(builder *b, vgVec3 p)
{
    vgSurface *s = b->s;
    if (2 * (size_t)s->nvertex >= b->slots && !more_slots(b)) return -1;
    size_t h = hash_of(p) & (b->slots - 1);
    for (; b->slot[h]; h = (h + 1) & (b->slots - 1)) {
        const vgVec3 *q = &s->vertex[b->slot[h] - 1];
        if (q->x == p.x && q->y == p.y && q->z == p.z) return b->slot[h] - 1;
    }
    if (!grow(b, &s->vertex, s->nvertex, &b->vertex_cap, sizeof *s->vertex)) return -1;
    s->vertex[s->nvertex] = p;
    b->slot[h] = ++s->nvertex;
    return s->nvertex - 1;
}

static int add_triangle(builder *b, int i, int j, int k)
{
    vgSurface *s = b->s;
    if (++s->given > VG_SURFACE_MAX_TRIANGLES) return wrong(b, "there are too many triangles (four million)");
    if (i == j || j == k || i == k) return 1; /* no area */
    if (!grow(b, &s->corner, 3 * s->ntriangle + 2, &b->corner_cap, sizeof *s->corner)) return 0;
    int *c = s->corner + 3 * s->ntriangle++;
    c[0] = i, c[1] = j, c[2] = k;
    return 1;
}

static int point(builder *b, const double x[3], vgVec3 *out)
{
    *out = vg_v3(x[0] * b->scale[0], x[1] * b->scale[1], x[2] * b->scale[2]);
    double sum = fabs(out->x) + fabs(out->y) + fabs(out->z);
    return sum < FARTHEST ? 1 : wrong(b, "a vertex is not finite, or beyond all lengths");
}

static int facet(builder *b, const double x[9])
{
    int v[3];
    for (int k = 0; k < 3; k++) {
        vgVec3 p;
        if (!point(b, x + 3 * k, &p) || (v[k] = vertex_at(b, p)) < 0) return 0;
    }
    return add_triangle(b, v[0], v[1], v[2]);
}

/* ---- STL ---- */

static uint32_t word_at(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static int binary_stl(builder *b, const char *bytes, size_t n)
{
    size_t count = word_at(bytes + STL_HEAD - 4);
    if (count > (n - STL_HEAD) / STL_FACET) {
        vg_diag_error(b->diag, (vgLoc){b->file, 1, 1},
                      "this STL file says that it has %zu triangles; in its %zu bytes there is room for %zu",
                      count, n, (n - STL_HEAD) / STL_FACET);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        double x[9];
        for (int k = 0; k < 9; k++) { /* behind the normal */
            uint32_t word = word_at(bytes + STL_HEAD + i * STL_FACET + 12 + 4 * (size_t)k);
            float f;
            memcpy(&f, &word, sizeof f);
            x[k] = (double)f;
        }
        if (!facet(b, x)) return 0;
    }
    return 1;
}

/* Lines of a text without their ends; 0: at the end. */
static int next_line(builder *b, const char **at, const char *end, const char **from, const char **to)
{
    if (*at >= end) return 0;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    *from = *at;
    *to = stop ? stop : end;
    *at = stop ? stop + 1 : end;
    b->line++;
    while (*from < *to && isspace((unsigned char)**from)) ++*from;
    while (*to > *from && isspace((unsigned char)(*to)[-1])) --*to;
    return 1;
}

static int begins(const char *from, const char *to, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(to - from) >= n && strncasecmp(from, word, n) == 0 &&
           (from + n == to || isspace((unsigned char)from[n]));
}

/* Three numbers from a line; what follows them is of no interest. The text ends with a zero byte. */
static int three(builder *b, const char *from, const char *to, double x[3])
{
    for (int k = 0; k < 3; k++) {
        char *stop;
        while (from < to && isspace((unsigned char)*from)) from++;
        x[k] = from < to ? strtod(from, &stop) : 0;
        if (from >= to || stop == from || stop > to) return wrong(b, "three numbers were expected");
        from = stop;
    }
    return 1;
}

static int text_stl(builder *b, const char *bytes, size_t n)
{
    const char *at = bytes, *end = bytes + n, *from, *to;
    double x[9];
    int corners = 0;
    while (next_line(b, &at, end, &from, &to)) {
        if (begins(from, to, "vertex")) {
            if (corners == 3) return wrong(b, "a facet has three vertices");
            if (!three(b, from + 6, to, x + 3 * corners++)) return 0;
        } else if (begins(from, to, "endfacet")) {
            if (corners != 3) return wrong(b, "a facet has three vertices");
            if (!facet(b, x)) return 0;
            corners = 0;
        } else if (from < to && !begins(from, to, "facet") && !begins(from, to, "outer") &&
                   !begins(from, to, "endloop") && !begins(from, to, "solid") &&
                   !begins(from, to, "endsolid")) {
            return wrong(b, "facet, outer loop, vertex, endloop, endfacet or endsolid was expected");
        }
    }
    return corners == 0 ? 1 : wrong(b, "the last facet is not closed");
}

/* A binary file may begin with "solid", too: its length tells. */
static int read_stl(builder *b, const char *bytes, size_t n)
{
    size_t i = 0;
    int exact = n >= STL_HEAD && (n - STL_HEAD) % STL_FACET == 0 &&
                word_at(bytes + STL_HEAD - 4) == (n - STL_HEAD) / STL_FACET;
    while (i < n && isspace((unsigned char)bytes[i])) i++;
    if (!exact && begins(bytes + i, bytes + n, "solid")) return text_stl(b, bytes, n);
    if (n < STL_HEAD)
        return wrong(b, "this is not an STL file: it is too short, and does not begin with 'solid'");
    return binary_stl(b, bytes, n);
}

/* ---- OBJ ---- */

typedef struct obj {
    int *number, n, cap; /* of v lines: the vertex */
} obj;

/* i, i/t, i//n, i/t/n; negative ones count from the last. */
static int obj_face(builder *b, const obj *o, const char *from, const char *to)
{
    int v[MOST_CORNERS], n = 0;
    for (;;) {
        char *stop;
        while (from < to && isspace((unsigned char)*from)) from++;
        if (from >= to) break;
        if (n == MOST_CORNERS) return wrong(b, "a face has too many corners");
        long k = strtol(from, &stop, 10);
        if (stop == from || stop > to) return wrong(b, "numbers of vertices were expected");
        if (k == 0 || k > o->n || k < -(long)o->n) {
            vg_diag_error(b->diag, (vgLoc){b->file, b->line, 1},
                          "there is no vertex %ld; %d were given before", k, o->n);
            return 0;
        }
        v[n++] = o->number[k > 0 ? k - 1 : o->n + k];
        for (from = stop; from < to && !isspace((unsigned char)*from);) from++;
    }
    if (n < 3) return wrong(b, "a face has at least three corners");
    for (int i = 1; i + 1 < n; i++)
        if (!add_triangle(b, v[0], v[i], v[i + 1])) return 0;
    return 1;
}

static int read_obj(builder *b, const char *bytes, size_t n)
{
    const char *at = bytes, *end = bytes + n, *from, *to;
    obj o = {0};
    while (next_line(b, &at, end, &from, &to)) {
        double x[3];
        vgVec3 p;
        if (begins(from, to, "v")) {
            if (!three(b, from + 1, to, x) || !point(b, x, &p)) return 0;
            if (!grow(b, &o.number, o.n, &o.cap, sizeof *o.number)) return 0;
            if ((o.number[o.n] = vertex_at(b, p)) < 0) return 0;
            o.n++;
        } else if (begins(from, to, "f") && !obj_face(b, &o, from + 1, to)) {
            return 0;
        }
    }
    return 1;
}

/* ---- what it is ---- */

/* Edges that are not passed as often one way as the other: a hash table of pairs with a count. */
static int count_open(builder *b)
{
    const vgSurface *s = b->s;
    size_t slots = 1024;
    while (slots < 6 * (size_t)s->ntriangle) slots *= 2;
    int *first = VG_NEW(b->pool, int, slots), *second = VG_NEW(b->pool, int, slots),
        *sum = VG_NEW(b->pool, int, slots);
    if (!first || !second || !sum) return no_memory(b);
    for (int t = 0; t < s->ntriangle; t++)
        for (int k = 0; k < 3; k++) {
            int i = s->corner[3 * t + k], j = s->corner[3 * t + (k + 1) % 3], low = i < j ? i : j,
                high = i < j ? j : i;
            size_t h = mix((uint64_t)low, (uint64_t)high) & (slots - 1);
            while (second[h] && (first[h] != low || second[h] != high)) h = (h + 1) & (slots - 1);
            first[h] = low, second[h] = high; /* high is above 0 */
            sum[h] += i < j ? 1 : -1;
        }
    b->s->open = 0;
    for (size_t h = 0; h < slots; h++) b->s->open += abs(sum[h]);
    return 1;
}

static void weigh(vgSurface *s)
{
    vgVec3 o = s->vertex[0], first = vg_zero3();
    vgMat3 C = vg_mzero3();
    double V = 0;
    for (int t = 0; t < s->ntriangle; t++) {
        const int *c = s->corner + 3 * t;
        vgVec3 p[3], sum = vg_zero3();
        for (int k = 0; k < 3; k++) p[k] = vg_sub3(s->vertex[c[k]], o), sum = vg_add3(sum, p[k]);
        double v = vg_dot3(p[0], vg_cross3(p[1], p[2])) / 6;
        vgMat3 x = vg_outer3(sum, sum);
        for (int k = 0; k < 3; k++) x = vg_madd3(x, vg_outer3(p[k], p[k]));
        V += v;
        first = vg_axpy3(v / 4, sum, first);
        C = vg_maxpy3(v / 20, x, C);
    }
    if (V == 0) return;
    vgVec3 c = vg_scale3(first, 1 / V);
    C = vg_mscale3(vg_maxpy3(-V, vg_outer3(c, c), C), V < 0 ? -1 : 1); /* triangles that face inwards */
    s->volume = fabs(V);
    s->com = vg_add3(o, c);
    s->inertia = vg_msub3(vg_mscale3(vg_eye3(), vg_trace3(C)), C);
}

/* Vertices of a cell of a grid become one, at their mean; triangles that lose their area go. */
static int coarsen(builder *b, int cells, vgVec3 low, double edge)
{
    vgSurface *s = b->s;
    vgSurface fine = *s;
    int *to = VG_NEW(b->pool, int, (size_t)s->nvertex + 1),
        *count = VG_NEW(b->pool, int, (size_t)s->nvertex + 1);
    vgVec3 *sum = VG_NEW(b->pool, vgVec3, (size_t)s->nvertex + 1);
    if (!to || !count || !sum) return no_memory(b);
    *s = (vgSurface){.file = fine.file};
    b->vertex_cap = b->corner_cap = 0;
    b->slots = 0;
    for (int i = 0; i < fine.nvertex; i++) {
        vgVec3 d = vg_sub3(fine.vertex[i], low),
               cell = vg_v3(floor(d.x / edge * cells), floor(d.y / edge * cells), floor(d.z / edge * cells));
        if ((to[i] = vertex_at(b, cell)) < 0) return 0;
        sum[to[i]] = vg_add3(sum[to[i]], fine.vertex[i]);
        count[to[i]]++;
    }
    for (int t = 0; t < fine.ntriangle; t++) {
        const int *c = fine.corner + 3 * t;
        if (!add_triangle(b, to[c[0]], to[c[1]], to[c[2]])) return 0;
    }
    for (int i = 0; i < s->nvertex; i++) s->vertex[i] = vg_scale3(sum[i], 1.0 / count[i]);
    return 1;
}

/* Fewer triangles for looks, by coarser and coarser grids. */
static int simplify(builder *b)
{
    vgSurface *s = b->s;
    vgSurface whole = *s;
    vgVec3 low = s->vertex[0], high = low;
    for (int i = 0; i < s->nvertex; i++) {
        vgVec3 p = s->vertex[i];
        low = vg_v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = vg_v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    double edge = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    for (int cells = 256; s->ntriangle > VG_SURFACE_SHOWN && cells >= COARSEST; cells = cells * 3 / 4) {
        *s = whole;
        if (!coarsen(b, cells, low, edge)) return 0;
    }
    whole.nvertex = s->nvertex, whole.ntriangle = s->ntriangle;
    whole.vertex = s->vertex, whole.corner = s->corner;
    *s = whole;
    return 1;
}

static int ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcasecmp(name + n - m, ending) == 0;
}

int vg_surface_is_known(const char *name)
{
    return ends_with(name, ".stl") || ends_with(name, ".obj");
}

int vg_surface_parse(vgPool *pool, const char *bytes, size_t n, const char *name, const double scale[3],
                     vgDiag *diag, vgSurface *out)
{
    *out = (vgSurface){.file = name};
    builder b = {.pool = pool, .diag = diag, .file = vg_diag_file(diag, name), .scale = scale, .s = out};
    if (!vg_surface_is_known(name)) return wrong(&b, "meshes are read from STL and OBJ files (.stl, .obj)");
    if (n > VG_SURFACE_MAX_BYTES) return wrong(&b, "the file is larger than 128 MB");
    char *text = vg_pool_alloc(pool, n + 1);
    if (!text) return no_memory(&b);
    memcpy(text, bytes, n);
    text[n] = 0; /* numbers end there */
    if (!(ends_with(name, ".stl") ? read_stl(&b, text, n) : read_obj(&b, text, n))) return 0;
    if (out->ntriangle == 0) return wrong(&b, "there is no triangle with an area in the file");
    if (!count_open(&b)) return 0;
    if (out->open == 0) weigh(out);
    return out->ntriangle <= VG_SURFACE_SHOWN || simplify(&b);
}

int vg_surface_read(vgPool *pool, const char *path, vgLoc at, const double scale[3], vgDiag *diag,
                    vgSurface *out)
{
    struct stat info;
    FILE *f = fopen(path, "rb");
    int ok = 0;
    if (!f && errno == ENOMEM) {
        vg_diag_no_memory(diag);
    } else if (!f || fstat(fileno(f), &info) != 0 || !S_ISREG(info.st_mode)) {
        vg_diag_error(diag, at, "the mesh '%.300s' cannot be read: %s", path,
                      f ? "it is no file" : vg_file_why(errno));
    } else if (info.st_size > VG_SURFACE_MAX_BYTES) {
        vg_diag_error(diag, at, "the mesh '%.300s' is larger than %d MB", path, VG_SURFACE_MAX_BYTES >> 20);
    } else {
        size_t n = (size_t)info.st_size;
        char *bytes = malloc(n + 1);
        if (!bytes)
            vg_diag_no_memory(diag);
        else if (fread(bytes, 1, n, f) == n)
            ok = vg_surface_parse(pool, bytes, n, path, scale, diag, out);
        else
            vg_diag_error(diag, at, "the mesh '%.300s' cannot be read", path);
        free(bytes);
    }
    if (f) fclose(f);
    return ok;
}

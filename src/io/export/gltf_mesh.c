#include "io/export/gltf_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 24, RINGS = 12 }; /* sides of what is round, and rings of a sphere */
static const double PI = 3.14159265358979323846;

void vg_triangles_free(vgTriangles *t)
{
    free(t->point);
    free(t->normal);
    *t = (vgTriangles){0};
}

static int make_room(vgTriangles *t)
{
    if (t->n + 3 <= t->room) return 1;
    size_t room = 2 * t->room + 96;
    float *point = realloc(t->point, 3 * room * sizeof *point);
    if (point) t->point = point;
    float *normal = point ? realloc(t->normal, 3 * room * sizeof *normal) : NULL;
    if (normal) t->normal = normal, t->room = room;
    if (!normal) t->failed = 1;
    return normal != NULL;
}

/* A triangle; without normals given they are that of its plane. One that has no area is left out. */
static void triangle(vgTriangles *t, const double p[3][3], const double (*n)[3])
{
    double u[3], v[3], c[3], size = 0;
    for (int i = 0; i < 3; i++) u[i] = p[1][i] - p[0][i], v[i] = p[2][i] - p[0][i];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = u[j] * v[k] - u[k] * v[j];
        size += c[i] * c[i];
    }
    size = sqrt(size);
    if (!(size > 0) || !make_room(t)) return;
    for (int corner = 0; corner < 3; corner++, t->n++) {
        for (int i = 0; i < 3; i++) {
            t->point[3 * t->n + (size_t)i] = (float)p[corner][i];
            t->normal[3 * t->n + (size_t)i] = (float)(n ? n[corner][i] : c[i] / size);
        }
    }
}

static void quad(vgTriangles *t, const double p[4][3], const double (*n)[3])
{
    for (int half = 0; half < 2; half++) {
        int at[3] = {0, half + 1, half + 2};
        double q[3][3], m[3][3];
        for (int c = 0; c < 3; c++) {
            memcpy(q[c], p[at[c]], sizeof q[c]);
            if (n) memcpy(m[c], n[at[c]], sizeof m[c]);
        }
        triangle(t, (const double(*)[3])q, n ? (const double(*)[3])m : NULL);
    }
}

static void box(vgTriangles *t, double x, double y, double z)
{
    double half[3] = {x / 2, y / 2, z / 2};
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            int j = (axis + 1) % 3, k = (axis + 2) % 3;
            double p[4][3];
            static const int about[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
            for (int c = 0; c < 4; c++) {
                p[c][axis] = side * half[axis];
                p[c][j] = side * about[c][0] *
                          half[j]; /* turns the other way on the other side: seen from outside */
                p[c][k] = about[c][1] * half[k];
            }
            quad(t, (const double(*)[3])p, NULL);
        }
    }
}

/* What a profile of radius and height sweeps when it turns about z: n points from the bottom to the top, with the
 * normals of its pieces. */
static void lathe(vgTriangles *t, int n, const double (*rz)[2], int smooth)
{
    for (int k = 0; k + 1 < n; k++) {
        double dr = rz[k + 1][0] - rz[k][0], dz = rz[k + 1][1] - rz[k][1], d = sqrt(dr * dr + dz * dz);
        if (!(d > 0)) continue;
        for (int i = 0; i < ROUND; i++) {
            double p[4][3], m[4][3];
            for (int c = 0; c < 4; c++) {
                int up = c >= 2, on = c == 1 || c == 2;
                double a = 2 * PI * (i + on) / ROUND, x = cos(a), y = sin(a), r = rz[k + up][0],
                       z = rz[k + up][1];
                double size = smooth ? sqrt(r * r + z * z) : 1;
                p[c][0] = r * x, p[c][1] = r * y, p[c][2] = z;
                m[c][0] = (smooth ? r / size : dz / d) * x;
                m[c][1] = (smooth ? r / size : dz / d) * y;
                m[c][2] = smooth ? z / size : -dr / d;
            }
            quad(t, (const double(*)[3])p, (const double(*)[3])m);
        }
    }
}

static void cylinder(vgTriangles *t, double radius, double length)
{
    const double h = length / 2, rz[4][2] = {{0, -h}, {radius, -h}, {radius, h}, {0, h}};
    lathe(t, 4, rz, 0);
}

static void sphere(vgTriangles *t)
{
    double rz[RINGS + 1][2];
    for (int i = 0; i <= RINGS; i++) {
        double a = PI * i / RINGS;
        rz[i][0] = i == 0 || i == RINGS ? 0 : sin(a), rz[i][1] = -cos(a);
    }
    lathe(t, RINGS + 1, (const double(*)[2])rz, 1);
}

/* Scales by factors, and normals by their inverses; from vertex `first` on. */
static void stretch(vgTriangles *t, size_t first, double x, double y, double z)
{
    const double by[3] = {x, y, z};
    for (size_t v = first; v < t->n; v++) {
        double size = 0, m[3];
        for (int i = 0; i < 3; i++) {
            t->point[3 * v + (size_t)i] = (float)(t->point[3 * v + (size_t)i] * by[i]);
            m[i] = t->normal[3 * v + (size_t)i] / by[i];
            size += m[i] * m[i];
        }
        for (int i = 0; i < 3; i++) t->normal[3 * v + (size_t)i] = (float)(m[i] / sqrt(size));
    }
}

static void capsule(vgTriangles *t, double radius, double length)
{
    size_t first = t->n;
    cylinder(t, radius, length);
    for (int end = -1; end <= 1; end += 2) {
        size_t ball = t->n;
        sphere(t);
        stretch(t, ball, radius, radius, radius);
        for (size_t v = ball; v < t->n; v++) t->point[3 * v + 2] += (float)(end * length / 2);
    }
    t->failed |= t->n == first;
}

/* The z axis becomes the x axis, by a cyclic change of the axes. */
static void lay_down(vgTriangles *t, size_t first)
{
    for (size_t v = first; v < t->n; v++) {
        float *at[2] = {t->point + 3 * v, t->normal + 3 * v};
        for (int k = 0; k < 2; k++) {
            float x = at[k][0], y = at[k][1], z = at[k][2];
            at[k][0] = z, at[k][1] = x, at[k][2] = y;
        }
    }
}

void vg_triangles_rod(vgTriangles *t, double width, double height)
{
    size_t first = t->n;
    if (width > 0 && height > 0) {
        box(t, 1, height, width);
        return;
    }
    cylinder(t, width > 0 ? width / 2 : height / 2, 1);
    lay_down(t, first);
}

void vg_triangles_bar(vgTriangles *t, const double a[3], const double b[3], double radius)
{
    size_t first = t->n;
    double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, u[3] = {0}, v[3];
    double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    if (!(length > 0)) return;
    cylinder(t, radius, length);
    for (int i = 0; i < 3; i++) along[i] /= length;
    /* two directions across it: the axis that is farthest from it makes the first */
    int far = fabs(along[0]) < fabs(along[1]) ? 0 : 1;
    if (fabs(along[2]) < fabs(along[far])) far = 2;
    u[(far + 1) % 3] = -along[(far + 2) % 3], u[(far + 2) % 3] = along[(far + 1) % 3];
    double size = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int i = 0; i < 3; i++) u[i] /= size;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] = along[j] * u[k] - along[k] * u[j];
    }
    for (size_t n = first; n < t->n; n++) {
        float *at[2] = {t->point + 3 * n, t->normal + 3 * n};
        for (int w = 0; w < 2; w++) {
            double x = at[w][0], y = at[w][1], z = at[w][2];
            for (int i = 0; i < 3; i++)
                at[w][i] = (float)(x * u[i] + y * v[i] + z * along[i] + (w ? 0 : (a[i] + b[i]) / 2));
        }
    }
}

/* ---- surfaces: 16-bit numbers in base 64 ---- */

static int digit(char c)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(letters, c) : NULL;
    return found ? (int)(found - letters) : -1;
}

/* *n numbers; free() them. NULL: it is not base 64, or memory ran out. */
static unsigned *words(const char *text, size_t *n)
{
    size_t length = strlen(text), bytes = 0;
    unsigned *out = calloc(length / 2 + 2, sizeof *out);
    unsigned long bits = 0;
    int have = 0;
    for (size_t i = 0; out && i < length && text[i] != '='; i++) {
        int d = digit(text[i]);
        if (d < 0) {
            free(out);
            return NULL;
        }
        bits = (bits << 6 | (unsigned)d) & 0xffff;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        out[bytes / 2] |= (unsigned)(bits >> have & 255) << (bytes % 2 ? 8 : 0);
        bytes++;
    }
    *n = bytes / 2;
    return out;
}

static void surface(vgTriangles *t, const vgJsonNode *s)
{
    double low[3], high[3];
    size_t npoint = 0, ncorner = 0;
    if (!vg_json_vector(vg_json_member(s, "low"), 3, low) ||
        !vg_json_vector(vg_json_member(s, "high"), 3, high))
        return;
    unsigned *point = words(vg_json_string(vg_json_member(s, "vertices")), &npoint);
    unsigned *corner = words(vg_json_string(vg_json_member(s, "triangles")), &ncorner);
    for (size_t i = 0; point && corner && i + 3 <= ncorner; i += 3) {
        double p[3][3];
        int there = 1;
        for (int c = 0; c < 3; c++) {
            size_t at = 3 * (size_t)corner[i + (size_t)c];
            if (at + 3 > npoint) {
                there = 0;
                break;
            }
            for (int k = 0; k < 3; k++)
                p[c][k] = low[k] + point[at + (size_t)k] / 65535.0 * (high[k] - low[k]);
        }
        if (there) triangle(t, (const double(*)[3])p, NULL);
    }
    free(point);
    free(corner);
}

/* ---- kinds ---- */

static double or_else(double value, double other)
{
    return value > 0 ? value : other;
}

static void sizes(const vgJsonNode *list, double out[3])
{
    const vgJsonNode *x = vg_json_first(list);
    for (int i = 0; i < 3; i++, x = x ? x->next : NULL)
        out[i] = x && x->kind == VG_JSON_NUMBER && isfinite(x->number) ? x->number : 0;
}

void vg_triangles_shape(vgTriangles *t, const vgJsonNode *shape, int planar, double thickness, double radius)
{
    const char *kind = vg_json_string(vg_json_member(shape, "kind"));
    const vgJsonNode *mesh = vg_json_member(shape, "surface"), *points = vg_json_member(shape, "points");
    size_t first = t->n;
    double s[3], a[3], b[3];
    sizes(vg_json_member(shape, "size"), s);
    if (mesh) {
        surface(t, mesh);
    } else if (points) {
        const vgJsonNode *p = vg_json_first(points);
        for (; p && p->next; p = p->next)
            if (vg_json_vector(p, 3, a) && vg_json_vector(p->next, 3, b)) vg_triangles_bar(t, a, b, radius);
    } else if (!strcmp(kind, "bar")) {
        cylinder(t, or_else(s[1], radius), or_else(s[0], 1));
        lay_down(t, first);
    } else if (!strcmp(kind, "sphere") || !strcmp(kind, "ellipsoid")) {
        int flat = planar && !strcmp(kind, "sphere");
        if (flat) cylinder(t, or_else(s[0], 1), thickness);
        if (!flat)
            sphere(t), stretch(t, first, s[0] > 0 ? s[0] : 1, or_else(s[1], s[0]), or_else(s[2], s[0]));
    } else if (!strcmp(kind, "cylinder") || !strcmp(kind, "disc")) {
        cylinder(t, or_else(s[0], 1), planar ? thickness : or_else(s[1], thickness));
    } else if (!strcmp(kind, "capsule")) {
        capsule(t, or_else(s[0], 1), or_else(s[1], 1));
    } else if (!strcmp(kind, "box")) {
        box(t, or_else(s[0], 1), or_else(s[1], or_else(s[0], 1)),
            planar ? thickness : or_else(s[2], thickness));
    }
}

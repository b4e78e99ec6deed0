/* Surfaces from files: closed forms of volume, centre and inertia, what is open, what is refused with a place. */
#include "model/surface.h"

#include <stdlib.h>
#include <verge/verge.h>

#include "math/so3.h"
#include "temporary.h"
#include "test.h"

static const double PI = 3.14159265358979323846, plain[3] = {1, 1, 1};

static int parse(vgPool *pool, const char *bytes, size_t n, const char *name, const double scale[3],
                 vgDiag *diag, vgSurface *s)
{
    int ok = vg_surface_parse(pool, bytes, n, name, scale, diag, s);
    CHECK(ok == (vg_diag_errors(diag) == 0));
    return ok;
}

/* A box with the corner at (1, 2, 3) and edges 2, 3, 4 as OBJ, with faces of four corners. */
static const char box[] =
    "# a box\nv 1 2 3\nv 3 2 3\nv 3 5 3\nv 1 5 3\nv 1 2 7\nv 3 2 7\nv 3 5 7\nv 1 5 7\n"
    "f 1 4 3 2\nf 5/1 6/2 7/3 8/4\nf 1//1 2//1 6//1 5//1\nf -6 -5 -1 -2\nf 2 3 7 6\nf 1 5 8 4\n";

static void check_box(const vgSurface *s, double k)
{
    double m = 24 * k * k * k, expected[3] = {m * 25 / 12, m * 20 / 12, m * 13 / 12};
    CHECK(s->open == 0);
    CHECK_NEAR(s->volume, m, 1e-13 * m);
    CHECK_NEAR(s->com.x, 2 * k, 1e-13 * k);
    CHECK_NEAR(s->com.y, 3.5 * k, 1e-13 * k);
    CHECK_NEAR(s->com.z, 5 * k, 1e-13 * k);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(s->inertia.m[i][j], i == j ? expected[i] * k * k : 0, 1e-12 * m * k * k);
}

TEST(box_as_obj_and_scaled)
{
    static const double milli[3] = {1e-3, 1e-3, 1e-3}, mirror[3] = {1, 1, -1};
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgSurface s;
    if (parse(pool, box, sizeof box - 1, "a.obj", plain, diag, &s)) check_box(&s, 1);
    CHECK(s.nvertex == 8 && s.ntriangle == 12);
    if (parse(pool, box, sizeof box - 1, "a.OBJ", milli, diag, &s)) check_box(&s, 1e-3);
    /* mirrored, its triangles face inwards: the volume stays positive */
    if (parse(pool, box, sizeof box - 1, "a.obj", mirror, diag, &s)) {
        CHECK_NEAR(s.volume, 24, 1e-12);
        CHECK_NEAR(s.com.z, -5, 1e-12);
    }
    vg_diag_free(diag);
    vg_pool_free(pool);
}

static void put_float(char *to, double x)
{
    float f = (float)x;
    memcpy(to, &f, sizeof f);
}

/* The same surface as binary STL and as text. */
static size_t as_stl(const vgSurface *s, int text, char *out)
{
    size_t n = 0;
    if (text)
        n += (size_t)sprintf(out, "solid box\n");
    else {
        unsigned count = (unsigned)s->ntriangle;
        memset(out, 0, 84);
        memcpy(out, "solid in name only", 18);
        memcpy(out + 80, &count, 4);
        n = 84;
    }
    for (int t = 0; t < s->ntriangle; t++) {
        if (text) n += (size_t)sprintf(out + n, " facet normal 0 0 0\n  outer loop\n");
        for (int k = 0; k < 3; k++) {
            vgVec3 p = s->vertex[s->corner[3 * t + k]];
            if (text)
                n += (size_t)sprintf(out + n, "   vertex %.17g %.17g %.17g\n", p.x, p.y, p.z);
            else
                put_float(out + n + 12 + 12 * k, p.x), put_float(out + n + 16 + 12 * k, p.y),
                    put_float(out + n + 20 + 12 * k, p.z);
        }
        if (text)
            n += (size_t)sprintf(out + n, "  endloop\n endfacet\n");
        else
            n += 50;
    }
    if (text) n += (size_t)sprintf(out + n, "endsolid box\n");
    return n;
}

TEST(stl_in_both_forms)
{
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgSurface s, again;
    char *bytes = calloc(1, 100000);
    CHECK(bytes && parse(pool, box, sizeof box - 1, "a.obj", plain, diag, &s));
    for (int text = 0; bytes && text < 2; text++) {
        size_t n = as_stl(&s, text, bytes);
        if (parse(pool, bytes, n, "a.stl", plain, diag, &again)) check_box(&again, 1);
        CHECK(again.nvertex == 8 && again.ntriangle == 12);
    }
    free(bytes);
    vg_diag_free(diag);
    vg_pool_free(pool);
}

/* A torus of n × n quadrangles: exact at n → ∞ with error of order 2; V = 2π² R r², moments by the closed form. Many
 * triangles are made fewer for looks alone. */
static void torus(int n, vgSurface *s, vgPool *pool, vgDiag *diag)
{
    const double R = 2, r = 0.5;
    char *text = malloc((size_t)n * (size_t)n * 160 + 1), *at = text;
    if (!text) return;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double a = 2 * PI * i / n, b = 2 * PI * k / n, d = R + r * cos(b);
            at += sprintf(at, "v %.17g %.17g %.17g\n", d * cos(a), d * sin(a), r * sin(b));
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            int j = (i + 1) % n, l = (k + 1) % n;
            at += sprintf(at, "f %d %d %d %d\n", i * n + k + 1, j * n + k + 1, j * n + l + 1, i * n + l + 1);
        }
    CHECK(parse(pool, text, (size_t)(at - text), "torus.obj", plain, diag, s));
    free(text);
}

TEST(torus_converges_and_is_simplified)
{
    const double R = 2, r = 0.5, V = 2 * PI * PI * R * r * r, Izz = V * (R * R + 0.75 * r * r);
    double error[3], moment[3];
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    for (int k = 0; k < 3; k++) {
        vgSurface s = {0};
        torus(40 << k, &s, pool, diag);
        CHECK(s.open == 0 && s.given == 2 * (40 << k) * (40 << k));
        CHECK(s.ntriangle <= VG_SURFACE_SHOWN && s.ntriangle > 1000);
        CHECK_NEAR(vg_norm3(s.com), 0, 1e-12);
        error[k] = fabs(s.volume - V);
        moment[k] = fabs(s.inertia.m[2][2] - Izz);
    }
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(error[k] / error[k + 1], 4, 0.05);
        CHECK_NEAR(moment[k] / moment[k + 1], 4, 0.05);
    }
    vg_diag_free(diag);
    vg_pool_free(pool);
}

TEST(open_surface_has_no_volume)
{
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgSurface s;
    /* without its last face: four edges are left */
    CHECK(parse(pool, box, strlen(box) - strlen("f 1 5 8 4\n"), "a.obj", plain, diag, &s));
    CHECK(s.open == 4 && s.volume == 0);
    vg_diag_free(diag);
    vg_pool_free(pool);
}

static void refused(const char *bytes, size_t n, const char *name, const char *why)
{
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgSurface s;
    CHECK(!vg_surface_parse(pool, bytes, n, name, plain, diag, &s));
    CHECK_STR(vg_diag_line(diag, 0), why);
    vg_diag_free(diag);
    vg_pool_free(pool);
}

#define REFUSED(text, name, why) refused(text, sizeof text - 1, name, why)

TEST(what_is_wrong_is_refused_with_a_place)
{
    char head[134] = {0};
    memset(head + 80, 255, 4); /* four thousand million triangles */
    refused(head, sizeof head, "b.stl",
            "b.stl:1:1: error: this STL file says that it has 4294967295 triangles");
    memset(head + 80, 0, 4);
    head[80] = 1;
    memset(head + 84, 255, 50); /* not a number */
    refused(head, sizeof head, "b.stl", "not finite");
    REFUSED("short", "b.stl", "too short");
    REFUSED("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "b.obj",
            "b.obj:4:1: error: there is no vertex 4; 3 were given");
    REFUSED("v 0 0 0\nf 1 1 -2\n", "b.obj", "b.obj:2:1: error: there is no vertex -2");
    REFUSED("v 0 0\n", "b.obj", "b.obj:1:1: error: three numbers");
    REFUSED("v 0 0 inf\n", "b.obj", "not finite");
    REFUSED("v 0 0 0\nv 1 0 0\nf 1 2\n", "b.obj", "at least three corners");
    REFUSED("v 0 0 0\nf 1 1 1\n", "b.obj", "no triangle with an area");
    REFUSED("solid x\nfacet\nvertex 1 2 3\nendfacet\n", "b.stl",
            "b.stl:4:1: error: a facet has three vertices");
    REFUSED("solid x\nfacett\n", "b.stl", "b.stl:2:1: error: facet, outer loop");
    REFUSED("x", "b.dae", "STL and OBJ");
}

/* Bodies by density: a mesh weighs what the box of the same size does; capsule and ellipsoid against an integral. */
static vgModel *load(const char *folder, const char *text, vgDiag *diag)
{
    char path[TEMPORARY_PATH + 20];
    snprintf(path, sizeof path, "%s/m.yaml", folder);
    FILE *f = fopen(path, "w");
    if (f) fputs(text, f), fclose(f);
    return vg_load(path, NULL, diag);
}

static double channel(const vgModel *m, const char *name)
{
    vgSim *sim = NULL;
    double x = NAN;
    CHECK(vg_sim_new(m, NULL, NULL, &sim) == VG_OK && vg_sim_get(sim, name, &x) == VG_OK);
    vg_sim_free(sim);
    return x;
}

TEST(bodies_weigh_what_their_shapes_do)
{
    char folder[TEMPORARY_PATH], path[TEMPORARY_PATH + 20];
    vgDiag *diag = vg_diag_new();
    CHECK(temporary_folder(folder));
    snprintf(path, sizeof path, "%s/box.obj", folder);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (f) fputs(box, f), fclose(f);
    /* a torque of 1 N m about x on each; alpha = 1/Ixx */
    vgModel *m = load(folder,
                      "verge: 1\ngravity: [0, 0, 0]\nbodies:\n"
                      "  mesh: {density: 10, shape: {mesh: box.obj, scale: 0.1, position: [1, 0, 0]}}\n"
                      "  box: {density: 10, shape: {box: [0.2, 0.3, 0.4], position: [1.2, 0.35, 0.5]}}\n"
                      "  pill: {density: 10, shape: {capsule: [0.3, 0.8]}}\n"
                      "  egg: {density: 10, shape: {ellipsoid: [0.3, 0.4, 0.5]}}\n"
                      "forces:\n  a: {torque: mesh, value: [1, 0, 0]}\n  b: {torque: box, value: [1, 0, 0]}\n"
                      "  c: {torque: pill, value: [1, 0, 0]}\n  d: {torque: egg, value: [1, 0, 0]}\n",
                      diag);
    CHECK(m != NULL);
    for (int i = 0; !m && i < vg_diag_count(diag); i++) printf("%s\n", vg_diag_line(diag, i));
    if (m) {
        CHECK_NEAR(channel(m, "body.mesh.alpha.x"), 1 / (10 * 0.024 * 0.25 / 12), 1e-9);
        CHECK_NEAR(channel(m, "body.mesh.alpha.x") - channel(m, "body.box.alpha.x"), 0, 1e-9);
        /* the capsule by slices: ∫ π ρ² (ρ²/4 + z²) dz, Simpson's rule */
        double Ixx = 0;
        const int n = 200000;
        for (int i = 0; i <= n; i++) {
            double z = -0.7 + 1.4 * i / n, beyond = fmax(fabs(z) - 0.4, 0),
                   q = fmax(0.09 - beyond * beyond, 0);
            Ixx += (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * PI * q * (q / 4 + z * z) * 1.4 / n / 3;
        }
        CHECK_NEAR(channel(m, "body.pill.alpha.x") * 10 * Ixx, 1, 1e-9);
        CHECK_NEAR(channel(m, "body.egg.alpha.x") * 10 * 4 * PI / 3 * 0.06 * (0.16 + 0.25) / 5, 1, 1e-12);
    }
    vg_model_free(m);
    f = fopen(path, "w");
    if (f) fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", f), fclose(f);
    m = load(folder, "verge: 1\nbodies: {b: {density: 1, shape: {mesh: box.obj}}}\n", diag);
    CHECK(m == NULL);
    CHECK_STR(vg_diag_line(diag, 0), "3 edges of the mesh");
    vg_model_free(m);
    vg_diag_free(diag);
    remove(path);
    snprintf(path, sizeof path, "%s/m.yaml", folder);
    remove(path);
    rmdir(folder);
}

TEST_MAIN(box_as_obj_and_scaled, stl_in_both_forms, torus_converges_and_is_simplified,
          open_surface_has_no_volume, what_is_wrong_is_refused_with_a_place,
          bodies_weigh_what_their_shapes_do)

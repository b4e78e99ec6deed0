/* A run for Foxglove: shapes of bodies on /scene (once, and beams at every frame), their poses on /tf, all channels on
 * /run, as JSON messages with the schemas that Foxglove knows. A channel joint.O.angle is /run.joint.O.angle. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "io/export/gltf_mesh.h"
#include "io/export/mcap_file.h"
#include "io/json.h"
#include "verge/version.h"

enum { MOST_FRAMES = 10000, MOST_NODES = 4096 };
enum { SCENE, TF, RUN };
static const double NS = 1e9;
static const double THICKNESS = 0.04, RADIUS = 0.015; /* parts of the size of the model, as in gltf.c */
static const double PALETTE[6][3] = {{0.25, 0.42, 0.65}, {0.80, 0.49, 0.20}, {0.27, 0.54, 0.36},
                                     {0.66, 0.32, 0.40}, {0.43, 0.35, 0.66}, {0.16, 0.51, 0.53}};

/* What Foxglove needs to know of its own schemas is their names. */
static const char object_schema[] = "{\"type\":\"object\"}";

static void xyz(vgJson *j, const char *key, const double *v)
{
    vg_json_open(j, key, '{');
    vg_json_number(j, "x", v[0]);
    vg_json_number(j, "y", v[1]);
    vg_json_number(j, "z", v[2]);
    vg_json_close(j);
}

static void turn(vgJson *j, const char *key, const double *q)
{
    vg_json_open(j, key, '{');
    vg_json_number(j, "x", q[1]);
    vg_json_number(j, "y", q[2]);
    vg_json_number(j, "z", q[3]);
    vg_json_number(j, "w", q[0]);
    vg_json_close(j);
}

static void pose(vgJson *j, vgPose p)
{
    vg_json_open(j, "pose", '{');
    xyz(j, "position", p.at);
    turn(j, "orientation", p.turn);
    vg_json_close(j);
}

static void moment(vgJson *j, const char *key, uint64_t ns)
{
    vg_json_open(j, key, '{');
    vg_json_int(j, "sec", (long long)(ns / 1000000000));
    vg_json_int(j, "nsec", (long long)(ns % 1000000000));
    vg_json_close(j);
}

static void color(vgJson *j, const double *rgb)
{
    vg_json_open(j, "color", '{');
    vg_json_number(j, "r", rgb[0]);
    vg_json_number(j, "g", rgb[1]);
    vg_json_number(j, "b", rgb[2]);
    vg_json_number(j, "a", 1);
    vg_json_close(j);
}

/* An entity with empty lists but for one, which stays open. */
static void entity(vgJson *j, uint64_t ns, const char *frame, const char *id, const char *open)
{
    static const char *const lists[] = {"metadata", "arrows",    "cubes", "spheres", "cylinders",
                                        "lines",    "triangles", "texts", "models"};
    vg_json_open(j, NULL, '{');
    moment(j, "timestamp", ns);
    vg_json_text(j, "frame_id", frame);
    vg_json_text(j, "id", id);
    moment(j, "lifetime", 0);
    vg_json_bool(j, "frame_locked", 1);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!strcmp(lists[i], open)) continue;
        vg_json_open(j, lists[i], '[');
        vg_json_close(j);
    }
    vg_json_open(j, open, '[');
}

static void shape(vgJson *j, const vgMotion *m, const vgJsonNode *s, const double *otherwise)
{
    vgTriangles t = {0};
    double rgb[3];
    if (!vg_json_vector(vg_json_member(s, "color"), 3, rgb)) memcpy(rgb, otherwise, sizeof rgb);
    vg_triangles_shape(&t, s, m->planar, THICKNESS * m->length, RADIUS * m->length);
    vg_json_open(j, NULL, '{');
    pose(j, vg_motion_pose(vg_json_member(s, "at")));
    vg_json_open(j, "points", '[');
    for (size_t i = 0; i < t.n; i++) {
        double p[3] = {t.point[3 * i], t.point[3 * i + 1], t.point[3 * i + 2]};
        xyz(j, NULL, p);
    }
    vg_json_close(j);
    color(j, rgb);
    vg_json_open(j, "colors", '[');
    vg_json_close(j);
    vg_json_open(j, "indices", '[');
    vg_json_close(j);
    vg_json_close(j);
    if (t.failed) j->text.failed = 1;
    vg_triangles_free(&t);
}

static void owner(vgJson *j, const vgMotion *m, const vgJsonNode *of, uint64_t ns, const char *name,
                  const double *rgb)
{
    entity(j, ns, name, name, "triangles");
    for (const vgJsonNode *s = vg_json_first(vg_json_member(of, "shapes")); s; s = s->next)
        shape(j, m, s, rgb);
    vg_json_close(j);
    vg_json_close(j);
}

static void scene(vgJson *j, const vgMotion *m, uint64_t ns)
{
    static const double grey[3] = {0.55, 0.56, 0.58};
    vg_json_open(j, NULL, '{');
    vg_json_open(j, "deletions", '[');
    vg_json_close(j);
    vg_json_open(j, "entities", '[');
    owner(j, m, vg_json_member(m->scene->root, "ground"), ns, "ground", grey);
    for (const vgJsonNode *b = vg_json_first(vg_json_member(m->scene->root, "bodies")); b; b = b->next) {
        const char *name = vg_json_string(vg_json_member(b, "name"));
        int index = vg_motion_body(m, name);
        if (index >= 0) owner(j, m, b, ns, name, PALETTE[index % 6]);
    }
    vg_json_close(j);
    vg_json_close(j);
}

/* Beams and cables of a frame; 0: the model has none. */
static int beams(vgJson *j, const vgMotion *m, int k, uint64_t ns, int *body, vgPose *at)
{
    static const vgPose here = {.turn = {1, 0, 0, 0}};
    int some = 0;
    vg_json_open(j, NULL, '{');
    vg_json_open(j, "deletions", '[');
    vg_json_close(j);
    vg_json_open(j, "entities", '[');
    entity(j, ns, "ground", "beams", "lines");
    for (const vgJsonNode *f = vg_json_first(vg_json_member(m->scene->root, "forces")); f; f = f->next) {
        int n = vg_motion_nodes(m, f, MOST_NODES, body, at);
        if (n < 2) continue;
        some = 1;
        vg_json_open(j, NULL, '{');
        vg_json_int(j, "type", 0); /* a line through all points */
        pose(j, here);
        vg_json_number(j, "thickness", RADIUS * m->length);
        vg_json_bool(j, "scale_invariant", 0);
        vg_json_open(j, "points", '[');
        for (int i = 0; i < n; i++) xyz(j, NULL, vg_motion_node(m, k, body[i], at[i]).at);
        vg_json_close(j);
        color(j, PALETTE[1]);
        vg_json_open(j, "colors", '[');
        vg_json_close(j);
        vg_json_open(j, "indices", '[');
        vg_json_close(j);
        vg_json_close(j);
    }
    vg_json_close(j);
    vg_json_close(j);
    vg_json_close(j);
    vg_json_close(j);
    return some;
}

static void transforms(vgJson *j, const vgMotion *m, int k, uint64_t ns)
{
    vg_json_open(j, NULL, '{');
    vg_json_open(j, "transforms", '[');
    for (int b = 0; b < m->nbody; b++) {
        const vgPose *p = &m->pose[(size_t)k * (size_t)m->nbody + (size_t)b];
        vg_json_open(j, NULL, '{');
        moment(j, "timestamp", ns);
        vg_json_text(j, "parent_frame_id", "ground");
        vg_json_text(j, "child_frame_id", m->run.body.at[b]);
        xyz(j, "translation", p->at);
        turn(j, "rotation", p->turn);
        vg_json_close(j);
    }
    vg_json_close(j);
    vg_json_close(j);
}

/* ---- channels: names with dots become objects within objects ---- */

typedef struct named {
    const char *name;
    int column;
} named;

/* Parts before parts: what has a beginning in common stands together. */
static int by_parts(const void *a, const void *b)
{
    const unsigned char *x = (const unsigned char *)((const named *)a)->name,
                        *y = (const unsigned char *)((const named *)b)->name;
    while (*x && *x == *y) x++, y++;
    int p = *x == '.' ? 1 : *x, q = *y == '.' ? 1 : *y;
    return p - q;
}

/* How many whole parts two names begin with in common. */
static int common(const char *a, const char *b)
{
    int n = 0;
    for (; *a && *a == *b; a++, b++) n += *a == '.';
    return n;
}

static const char *part(const char *name, int k)
{
    for (; k > 0; k--) name = strchr(name, '.') + 1;
    return name;
}

static int parts(const char *name)
{
    int n = 1;
    for (; *name; name++) n += *name == '.';
    return n;
}

/* The names as nested objects with the values of a row. */
static void nested(vgJson *j, const named *list, int n, const double *row)
{
    int open = 0;
    vg_json_open(j, NULL, '{');
    for (int i = 0; i < n; i++) {
        const char *name = list[i].name;
        int same = i ? common(list[i - 1].name, name) : 0, deep = parts(name) - 1;
        for (; open > same; open--) vg_json_close(j);
        vgText key = {0};
        for (; open < deep && open < VG_JSON_DEPTH - 2; open++) {
            const char *from = part(name, open);
            vg_text_clear(&key);
            vg_text_put(&key, from, strcspn(from, "."));
            if (!vg_text_ok(&key)) j->text.failed = 1;
            vg_json_open(j, vg_text_at(&key), '{');
        }
        vg_text_clear(&key);
        vg_text_add(&key, "%s", part(name, open));
        /* a number that is also the beginning of others */
        size_t size = strlen(name);
        if (i + 1 < n && !strncmp(list[i + 1].name, name, size) && list[i + 1].name[size] == '.')
            vg_text_add(&key, "_");
        if (!vg_text_ok(&key)) j->text.failed = 1;
        vg_json_number(j, vg_text_at(&key), row[list[i].column]);
        vg_text_free(&key);
    }
    for (; open > 0; open--) vg_json_close(j);
    vg_json_close(j);
}

static void message(vgMcap *f, int channel, uint64_t ns, vgJson *j)
{
    if (!vg_text_ok(&j->text)) f->failed = 1;
    vg_mcap_message(f, channel, ns, vg_json_at(j), j->text.used);
    vg_json_free(j);
    *j = (vgJson){0};
}

static uint64_t stamp(double t, double t0)
{
    return (uint64_t)llround(NS * (t - fmin(t0, 0))); /* times of messages are not negative */
}

static void write_run(vgMcap *f, const vgMotion *m, const named *list, int *body, vgPose *at)
{
    const vgTableData *table = m->table;
    vgJson j = {0};
    long row = 0;
    uint64_t ns = stamp(m->time[0], m->time[0]);
    vg_mcap_channel(f, "/scene", "foxglove.SceneUpdate", object_schema);
    vg_mcap_channel(f, "/tf", "foxglove.FrameTransforms", object_schema);
    vg_mcap_channel(f, "/run", "verge.Run", object_schema);
    scene(&j, m, ns);
    message(f, SCENE, ns, &j);
    for (int k = 0; k < m->nframe && !f->failed; k++) {
        ns = stamp(m->time[k], m->time[0]);
        transforms(&j, m, k, ns);
        message(f, TF, ns, &j);
        if (beams(&j, m, k, ns, body, at)) message(f, SCENE, ns, &j);
        vg_json_free(&j);
        j = (vgJson){0};
        while (row + 1 < table->nrow && table->value[row * table->ncol] < m->time[k]) row++;
        if (table->nrow == 0 || table->ncol < 2) continue;
        nested(&j, list, table->ncol - 1, table->value + row * table->ncol);
        message(f, RUN, ns, &j);
    }
}

vgStatus vg_export_mcap(const char *from, const char *to, const vgExportHow *how, vgDiag *diag)
{
    vgMotion m;
    vgOutput out;
    vgStatus status = vg_motion_read(&m, from, how->frames ? how->frames : MOST_FRAMES, 1, diag);
    if (status != VG_OK) return status;
    int n = m.table->ncol - 1, *body = calloc(MOST_NODES, sizeof *body);
    named *list = calloc((size_t)n + 1, sizeof *list);
    vgPose *at = calloc(MOST_NODES, sizeof *at);
    if (!list || !body || !at) {
        status = VG_NO_MEMORY;
    } else if (!vg_output_open(&out, to)) {
        status = VG_IO;
    } else {
        vgMcap file;
        for (int i = 0; i < n; i++) list[i] = (named){m.table->name[i + 1], i + 1};
        qsort(list, (size_t)n, sizeof *list, by_parts);
        vg_mcap_begin(&file, &out, "Verge " VERGE_VERSION_STRING);
        write_run(&file, &m, list, body, at);
        vg_mcap_end(&file);
        if (file.failed) {
            status = out.error ? VG_IO : VG_NO_MEMORY;
            if (out.error) errno = out.error;
            vg_output_abandon(&out);
        } else if (!vg_output_close(&out)) {
            status = VG_IO;
        }
        vg_mcap_free(&file);
    }
    if (status == VG_IO)
        vg_diag_error(diag, VG_NOWHERE, "'%s' could not be written: %s", to, vg_file_why(errno));
    free(list), free(body), free(at);
    vg_motion_free(&m);
    return status;
}

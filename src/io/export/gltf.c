/* glTF 2.0, binary (.glb): bodies as nodes with meshes, their motion as one animation. Beams and cables are rods between
 * their nodes, placed, turned and stretched in each frame. z is up in Verge and y in glTF: a node above all turns
 * spatial models; planar ones lie in the plane that is looked at. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "io/export/gltf_mesh.h"
#include "io/json.h"
#include "verge/version.h"

enum { MOST_FRAMES = 1000, MOST_NODES = 4096 }; /* by default; of a beam */
enum { FLOAT = 5126, TO_ARRAYS = 34962 };       /* componentType and target of the standard */
/* Parts of the size of the model: plates of planar models, bars without a radius. */
static const double THICKNESS = 0.04, RADIUS = 0.015;
static const double PALETTE[6][3] = {{0.25, 0.42, 0.65}, {0.80, 0.49, 0.20}, {0.27, 0.54, 0.36},
                                     {0.66, 0.32, 0.40}, {0.43, 0.35, 0.66}, {0.16, 0.51, 0.53}};
static const double GREY[3] = {0.55, 0.56, 0.58};

typedef struct gltf {
    const vgMotion *m;
    vgText bytes;                                                  /* of the buffer */
    vgJson view, accessor, node, mesh, material, channel, sampler; /* lists of the document */
    int nview, naccessor, nnode, nmesh, nmaterial, nsampler;
    vgText children; /* of the node above all */
    int time;        /* the accessor of the times */
    double thickness, radius;
} gltf;

static void opened(vgJson *list, const char *key)
{
    vg_json_open(list, NULL, '{');
    vg_json_open(list, key, '[');
}

/* Numbers into the buffer, with a view and an accessor of their own; width numbers an element. */
static int accessor(gltf *g, const float *x, size_t n, int width, int target, int bounds)
{
    static const char *const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    size_t bytes = n * (size_t)width * sizeof *x;
    vg_json_open(&g->view, NULL, '{');
    vg_json_int(&g->view, "buffer", 0);
    vg_json_int(&g->view, "byteOffset", (long long)g->bytes.used);
    vg_json_int(&g->view, "byteLength", (long long)bytes);
    if (target) vg_json_int(&g->view, "target", target);
    vg_json_close(&g->view);
    vg_text_put(&g->bytes, (const char *)x,
                bytes); /* little end first: as every machine that Verge runs on has it */
    vg_json_open(&g->accessor, NULL, '{');
    vg_json_int(&g->accessor, "bufferView", g->nview++);
    vg_json_int(&g->accessor, "componentType", FLOAT);
    vg_json_int(&g->accessor, "count", (long long)n);
    vg_json_text(&g->accessor, "type", types[width]);
    if (bounds) {
        double low[4], high[4];
        for (int i = 0; i < width; i++) {
            low[i] = INFINITY, high[i] = -INFINITY;
            for (size_t k = 0; k < n; k++) {
                low[i] = fmin(low[i], x[k * (size_t)width + (size_t)i]);
                high[i] = fmax(high[i], x[k * (size_t)width + (size_t)i]);
            }
        }
        vg_json_numbers(&g->accessor, "min", width, low);
        vg_json_numbers(&g->accessor, "max", width, high);
    }
    vg_json_close(&g->accessor);
    return g->naccessor++;
}

static int material(gltf *g, const double color[3])
{
    double rgba[4] = {color[0], color[1], color[2], 1};
    vg_json_open(&g->material, NULL, '{');
    vg_json_open(&g->material, "pbrMetallicRoughness", '{');
    vg_json_numbers(&g->material, "baseColorFactor", 4, rgba);
    vg_json_number(&g->material, "metallicFactor", 0.1);
    vg_json_number(&g->material, "roughnessFactor", 0.6);
    vg_json_close(&g->material);
    vg_json_close(&g->material);
    return g->nmaterial++;
}

/* A mesh of triangles, which are freed; −1: there are none. */
static int mesh(gltf *g, vgTriangles *t, const double color[3])
{
    int made = -1;
    if (t->failed) g->bytes.failed = 1;
    if (t->n && !t->failed) {
        int point = accessor(g, t->point, t->n, 3, TO_ARRAYS, 1),
            normal = accessor(g, t->normal, t->n, 3, TO_ARRAYS, 0);
        opened(&g->mesh, "primitives");
        vg_json_open(&g->mesh, NULL, '{');
        vg_json_open(&g->mesh, "attributes", '{');
        vg_json_int(&g->mesh, "POSITION", point);
        vg_json_int(&g->mesh, "NORMAL", normal);
        vg_json_close(&g->mesh);
        vg_json_int(&g->mesh, "material", material(g, color));
        vg_json_close(&g->mesh);
        vg_json_close(&g->mesh);
        vg_json_close(&g->mesh);
        made = g->nmesh++;
    }
    vg_triangles_free(t);
    return made;
}

static void placed(vgJson *node, vgPose p)
{
    double turn[4] = {p.turn[1], p.turn[2], p.turn[3], p.turn[0]};
    vg_json_numbers(node, "translation", 3, p.at);
    vg_json_numbers(node, "rotation", 4, turn);
}

static int leaf(gltf *g, int of, vgPose at)
{
    vg_json_open(&g->node, NULL, '{');
    vg_json_int(&g->node, "mesh", of);
    placed(&g->node, at);
    vg_json_close(&g->node);
    return g->nnode++;
}

static void color_of(const vgJsonNode *shape, const double otherwise[3], double out[3])
{
    if (!vg_json_vector(vg_json_member(shape, "color"), 3, out)) memcpy(out, otherwise, 3 * sizeof *out);
    for (int i = 0; i < 3; i++) out[i] = fmin(fmax(out[i], 0), 1);
}

/* The nodes of shapes, as a list of numbers. */
static void shapes(gltf *g, const vgJsonNode *owner, const double otherwise[3], vgText *children)
{
    for (const vgJsonNode *s = vg_json_first(vg_json_member(owner, "shapes")); s; s = s->next) {
        vgTriangles t = {0};
        double color[3];
        color_of(s, otherwise, color);
        vg_triangles_shape(&t, s, g->m->planar, g->thickness, g->radius);
        int made = mesh(g, &t, color);
        if (made >= 0)
            vg_text_add(children, "%s%d", children->used ? "," : "",
                        leaf(g, made, vg_motion_pose(vg_json_member(s, "at"))));
    }
}

/* A body that has no shape: bars from its mass to its markers and joints. */
static void skeleton(gltf *g, const vgJsonNode *body, const double color[3], vgText *children)
{
    const char *name = vg_json_string(vg_json_member(body, "name"));
    vgTriangles t = {0};
    double com[3] = {0};
    vg_json_vector(vg_json_member(body, "com"), 3, com);
    for (const vgJsonNode *k = vg_json_first(vg_json_member(body, "markers")); k; k = k->next)
        vg_triangles_bar(&t, com, vg_motion_pose(k).at, g->radius);
    for (const vgJsonNode *j = vg_json_first(vg_json_member(g->m->scene->root, "joints")); j; j = j->next) {
        for (int end = 0; end < 2; end++) {
            const vgJsonNode *frame = vg_json_member(j, end ? "frameB" : "frameA");
            if (!strcmp(vg_json_string(vg_json_member(frame, "body")), name))
                vg_triangles_bar(&t, com, vg_motion_pose(frame).at, g->radius);
        }
    }
    int made = mesh(g, &t, color);
    const vgPose here = {.turn = {1, 0, 0, 0}};
    if (made >= 0) vg_text_add(children, "%s%d", children->used ? "," : "", leaf(g, made, here));
}

static void animate(gltf *g, int node, const char *path, const float *x, int width)
{
    int values = accessor(g, x, (size_t)g->m->nframe, width, 0, 0);
    vg_json_open(&g->sampler, NULL, '{');
    vg_json_int(&g->sampler, "input", g->time);
    vg_json_text(&g->sampler, "interpolation", "LINEAR");
    vg_json_int(&g->sampler, "output", values);
    vg_json_close(&g->sampler);
    vg_json_open(&g->channel, NULL, '{');
    vg_json_int(&g->channel, "sampler", g->nsampler++);
    vg_json_open(&g->channel, "target", '{');
    vg_json_int(&g->channel, "node", node);
    vg_json_text(&g->channel, "path", path);
    vg_json_close(&g->channel);
    vg_json_close(&g->channel);
}

/* A node with what hangs on it, and its motion: pose and, if not NULL, scale of every frame. */
static void moving(gltf *g, const char *name, const vgText *children, int of, const vgPose *pose,
                   const float *scale, float *work)
{
    size_t n = (size_t)g->m->nframe;
    vg_json_open(&g->node, NULL, '{');
    vg_json_text(&g->node, "name", name);
    if (children && children->used) {
        vg_json_open(&g->node, "children", '[');
        vg_json_raw(&g->node, NULL, vg_text_at(children));
        vg_json_close(&g->node);
    }
    if (of >= 0) vg_json_int(&g->node, "mesh", of);
    placed(&g->node, pose[0]);
    vg_json_close(&g->node);
    int node = g->nnode++;
    vg_text_add(&g->children, "%s%d", g->children.used ? "," : "", node);
    if (n < 2) return;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < 3; i++) work[3 * k + i] = (float)pose[k].at[i];
    animate(g, node, "translation", work, 3);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < 4; i++) work[4 * k + i] = (float)pose[k].turn[(i + 1) % 4];
    animate(g, node, "rotation", work, 4);
    if (scale) animate(g, node, "scale", scale, 3);
}

/* A rod from a to b: the middle, and the least turn that takes x into its direction. */
static vgPose rod(const double a[3], const double b[3], double *length)
{
    vgPose p = {.turn = {1, 0, 0, 0}};
    double d[3], size = 0;
    for (int i = 0; i < 3; i++) d[i] = b[i] - a[i], size += d[i] * d[i], p.at[i] = (a[i] + b[i]) / 2;
    *length = size = sqrt(size);
    if (!(size > 0)) return p;
    double q[4] = {size + d[0], 0, -d[2], d[1]}, n = sqrt(q[0] * q[0] + q[2] * q[2] + q[3] * q[3]);
    if (!(n > 0)) q[0] = 0, q[2] = 1, n = 1; /* the other way round: half a turn about y */
    for (int i = 0; i < 4; i++) p.turn[i] = q[i] / n;
    return p;
}

static void span(gltf *g, const char *name, int made, const int body[2], const vgPose at[2], vgPose *pose,
                 float *scale, float *work)
{
    for (int k = 0; k < g->m->nframe; k++) {
        double length;
        pose[k] = rod(vg_motion_node(g->m, k, body[0], at[0]).at, vg_motion_node(g->m, k, body[1], at[1]).at,
                      &length);
        double same = 0;
        for (int i = 0; k > 0 && i < 4; i++) same += pose[k].turn[i] * pose[k - 1].turn[i];
        for (int i = 0; same < 0 && i < 4; i++) pose[k].turn[i] = -pose[k].turn[i];
        scale[3 * k] = (float)length, scale[3 * k + 1] = scale[3 * k + 2] = 1;
    }
    moving(g, name, NULL, made, pose, scale, work);
}

static void beams(gltf *g, vgPose *pose, float *scale, float *work, int *body, vgPose *at)
{
    int number = 0;
    for (const vgJsonNode *f = vg_json_first(vg_json_member(g->m->scene->root, "forces")); f; f = f->next) {
        int n = vg_motion_nodes(g->m, f, MOST_NODES, body, at);
        if (n < 2) continue;
        const vgJsonNode *section = vg_json_member(f, "section"), *w = vg_json_member(section, "width"),
                         *h = vg_json_member(section, "height"), *round = vg_json_member(section, "round");
        double width = w && w->number > 0 ? w->number : g->radius,
               height = h && h->number > 0 ? h->number : 0;
        vgTriangles t = {0};
        vg_triangles_rod(&t, width, round && round->kind == VG_JSON_TRUE ? 0 : height);
        int made = mesh(g, &t, PALETTE[number++ % 6]);
        for (int i = 0; made >= 0 && i + 1 < n; i++)
            span(g, vg_json_string(vg_json_member(f, "name")), made, body + i, at + i, pose, scale, work);
    }
}

static void bodies(gltf *g, vgPose *pose, float *work)
{
    const vgMotion *m = g->m;
    const vgJsonNode *list = vg_json_first(vg_json_member(m->scene->root, "bodies"));
    for (const vgJsonNode *b = list; b; b = b->next) {
        const char *name = vg_json_string(vg_json_member(b, "name"));
        int index = vg_motion_body(m, name);
        if (index < 0) continue;
        vgText children = {0};
        const double *color = PALETTE[index % 6];
        shapes(g, b, color, &children);
        if (!children.used) skeleton(g, b, color, &children);
        for (int k = 0; k < m->nframe; k++) pose[k] = m->pose[k * m->nbody + index];
        if (!vg_text_ok(&children)) g->bytes.failed = 1;
        moving(g, name, &children, -1, pose, NULL, work);
        vg_text_free(&children);
    }
}

static void list_of(vgJson *to, const char *key, vgJson *list)
{
    int some = list->count[0] > 0;
    vg_json_close(list);
    if (!vg_text_ok(&list->text)) to->text.failed = 1;
    if (some) vg_json_raw(to, key, vg_json_at(list)); /* the standard wants no empty lists */
}

static void document(gltf *g, vgJson *json)
{
    const char *title = g->m->run.text[0];
    static const double up[4] = {-0.70710678118654752, 0, 0, 0.70710678118654752}; /* z becomes y */
    vg_json_open(&g->node, NULL, '{');
    vg_json_text(&g->node, "name", title && *title ? title : "verge");
    vg_json_open(&g->node, "children", '[');
    vg_json_raw(&g->node, NULL, vg_text_at(&g->children));
    vg_json_close(&g->node);
    if (!g->m->planar) vg_json_numbers(&g->node, "rotation", 4, up);
    vg_json_close(&g->node);

    vg_json_open(json, NULL, '{');
    vg_json_open(json, "asset", '{');
    vg_json_text(json, "version", "2.0");
    vg_json_text(json, "generator", "Verge " VERGE_VERSION_STRING);
    vg_json_close(json);
    vg_json_int(json, "scene", 0);
    vg_json_open(json, "scenes", '[');
    opened(json, "nodes");
    vg_json_int(json, NULL, g->nnode);
    vg_json_close(json);
    vg_json_close(json);
    vg_json_close(json);
    list_of(json, "nodes", &g->node);
    list_of(json, "meshes", &g->mesh);
    list_of(json, "materials", &g->material);
    if (g->nsampler) {
        vg_json_open(json, "animations", '[');
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", "run");
        list_of(json, "channels", &g->channel);
        list_of(json, "samplers", &g->sampler);
        vg_json_close(json);
        vg_json_close(json);
    }
    list_of(json, "accessors", &g->accessor);
    list_of(json, "bufferViews", &g->view);
    vg_json_open(json, "buffers", '[');
    vg_json_open(json, NULL, '{');
    vg_json_int(json, "byteLength", (long long)g->bytes.used);
    vg_json_close(json);
    vg_json_close(json);
    vg_json_close(json);
}

static void put_u32(vgText *to, size_t value)
{
    unsigned char b[4];
    for (int i = 0; i < 4; i++) b[i] = (unsigned char)(value >> 8 * i & 255);
    vg_text_put(to, (const char *)b, sizeof b);
}

/* Header, the document padded with blanks, the buffer (whose parts are all of four bytes). */
static void container(vgText *file, const vgJson *json, const vgText *bytes)
{
    size_t size = json->text.used, padded = (size + 3) / 4 * 4;
    put_u32(file, 0x46546c67); /* "glTF" */
    put_u32(file, 2);
    put_u32(file, 12 + 8 + padded + 8 + bytes->used);
    put_u32(file, padded);
    put_u32(file, 0x4e4f534a); /* "JSON" */
    vg_text_put(file, vg_json_at(json), size);
    vg_text_put(file, "   ", padded - size);
    put_u32(file, bytes->used);
    put_u32(file, 0x004e4942); /* "BIN" */
    vg_text_put(file, bytes->at, bytes->used);
}

static vgStatus write_whole(const char *to, const vgText *file, vgDiag *diag)
{
    if (!vg_text_ok(file)) return VG_NO_MEMORY;
    if (file->used > UINT32_MAX) {
        vg_diag_error(diag, VG_NOWHERE, "%s: more than 4 GB, which glTF cannot hold: take fewer --frames",
                      to);
        return VG_LIMIT;
    }
    if (vg_file_write(to, file->at, file->used)) return VG_OK;
    vg_diag_error(diag, VG_NOWHERE, "'%s' could not be written: %s", to, vg_file_why(errno));
    return VG_IO;
}

/* Times of the animation, which begins at 0, as the format has them: those that are one in single precision become one
 * frame. How many. */
static size_t distinct_times(vgMotion *m, float *time)
{
    size_t n = 0, width = (size_t)m->nbody;
    for (size_t k = 0; k < (size_t)m->nframe; k++) {
        float t = (float)(m->time[k] - m->time[0]);
        if (n && !(t > time[n - 1])) continue;
        time[n] = t;
        if (n != k) memmove(m->pose + n * width, m->pose + k * width, width * sizeof *m->pose);
        n++;
    }
    m->nframe = (int)n;
    return n;
}

vgStatus vg_export_gltf(const char *from, const char *to, const vgExportHow *how, vgDiag *diag)
{
    vgMotion m;
    vgStatus status = vg_motion_read(&m, from, how->frames ? how->frames : MOST_FRAMES, 0, diag);
    if (status != VG_OK) return status;
    size_t n = (size_t)m.nframe;
    vgPose *pose = calloc(n, sizeof *pose), *at = calloc(MOST_NODES, sizeof *at);
    float *scale = calloc(3 * n, sizeof *scale), *work = calloc(4 * n, sizeof *work);
    int *body = calloc(MOST_NODES, sizeof *body);
    gltf g = {.m = &m, .thickness = THICKNESS * m.length, .radius = RADIUS * m.length};
    vgJson json = {0};
    vgText file = {0};
    vgJson *lists[] = {&g.view, &g.accessor, &g.node, &g.mesh, &g.material, &g.channel, &g.sampler};
    enum { LISTS = sizeof lists / sizeof *lists };
    for (size_t i = 0; i < LISTS; i++) vg_json_open(lists[i], NULL, '[');
    if (pose && at && scale && work && body) {
        n = distinct_times(&m, work);
        g.time = accessor(&g, work, n, 1, 0, 1);
        shapes(&g, vg_json_member(m.scene->root, "ground"), GREY, &g.children);
        bodies(&g, pose, work);
        beams(&g, pose, scale, work, body, at);
        document(&g, &json);
        container(&file, &json, &g.bytes);
        if (!vg_text_ok(&g.bytes) || !vg_text_ok(&g.children) || !vg_text_ok(&json.text)) file.failed = 1;
        status = write_whole(to, &file, diag);
    } else {
        status = VG_NO_MEMORY;
    }
    for (size_t i = 0; i < LISTS; i++) vg_json_free(lists[i]);
    vg_json_free(&json);
    vg_text_free(&g.bytes);
    vg_text_free(&g.children);
    vg_text_free(&file);
    free(pose), free(at), free(scale), free(work), free(body);
    vg_motion_free(&m);
    return status;
}

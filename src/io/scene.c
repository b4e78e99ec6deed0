#include "io/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element/road/road.h"
#include "element/law/table.h"
#include "io/view_code.h"
#include "math/so3.h"

static const char *const shape_names[] = {
    [VG_SHAPE_NONE] = "none",     [VG_SHAPE_BAR] = "bar",           [VG_SHAPE_BOX] = "box",
    [VG_SHAPE_SPHERE] = "sphere", [VG_SHAPE_CYLINDER] = "cylinder", [VG_SHAPE_DISC] = "disc",
    [VG_SHAPE_LINES] = "lines",   [VG_SHAPE_CAPSULE] = "capsule",   [VG_SHAPE_ELLIPSOID] = "ellipsoid",
    [VG_SHAPE_MESH] = "mesh",
};

static const char *body_name(const vgModel *m, int body)
{
    return body < 0 ? "ground" : m->body[body].name;
}

static void vector(vgJson *json, const char *key, vgVec3 v)
{
    double x[3] = {v.x, v.y, v.z};
    vg_json_numbers(json, key, 3, x);
}

static void pose(vgJson *json, vgVec3 r, vgMat3 R)
{
    vgQuat q = vg_quat_from_mat(R);
    double e[4] = {q.w, q.x, q.y, q.z};
    vector(json, "position", r);
    vg_json_numbers(json, "quaternion", 4, e);
}

/* Converts a frame given relative to the centre of mass to the user's origin. */
static void user_pose(vgJson *json, const vgModel *m, const vgFrame *f)
{
    vgVec3 com = f->body < 0 ? vg_zero3() : m->body[f->body].com;
    pose(json, vg_add3(f->r, com), f->R);
}

static void frame(vgJson *json, const vgModel *m, const char *key, const vgFrame *f)
{
    vg_json_open(json, key, '{');
    vg_json_text(json, "body", body_name(m, f->body));
    user_pose(json, m, f);
    vg_json_close(json);
}

/* Coordinates as parts of 65535 of the box around them, and numbers of corners, 16 bits each, little end first, in
 * base 64. */
static void mesh(vgJson *json, const vgSurface *s)
{
    enum { BYTE = 256, WHOLE = 65535 };
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    size_t n = 6 * (size_t)(s->nvertex > s->ntriangle ? s->nvertex : s->ntriangle), at = 0;
    unsigned char *bytes = malloc(n + 1);
    vgText vertices = {0}, triangles = {0};
    for (int i = 0; i < s->nvertex; i++) {
        double x[3];
        vg_store3(s->vertex[i], x);
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
    }
    for (int i = 0; bytes && i < s->nvertex; i++) {
        double x[3];
        vg_store3(s->vertex[i], x);
        for (int k = 0; k < 3; k++) {
            double edge = high[k] - low[k];
            unsigned u = edge > 0 ? (unsigned)lround(WHOLE * (x[k] - low[k]) / edge) : 0;
            bytes[at++] = (unsigned char)(u % BYTE), bytes[at++] = (unsigned char)(u / BYTE);
        }
    }
    if (bytes) vg_code_base64(&vertices, bytes, at);
    at = 0;
    for (int i = 0; bytes && i < 3 * s->ntriangle; i++)
        bytes[at++] = (unsigned char)(s->corner[i] % BYTE),
        bytes[at++] = (unsigned char)(s->corner[i] / BYTE);
    if (bytes) vg_code_base64(&triangles, bytes, at);
    vg_json_open(json, "surface", '{');
    vg_json_numbers(json, "low", 3, low);
    vg_json_numbers(json, "high", 3, high);
    vg_json_text(json, "vertices", vg_text_at(&vertices));
    vg_json_text(json, "triangles", vg_text_at(&triangles));
    vg_json_close(json);
    vg_text_free(&vertices);
    vg_text_free(&triangles);
    free(bytes);
}

static void shape(vgJson *json, const vgShape *s)
{
    vg_json_open(json, NULL, '{');
    vg_json_text(json, "kind", shape_names[s->kind]);
    vg_json_numbers(json, "size", 3, s->size);
    vg_json_open(json, "at", '{');
    pose(json, s->at.r, s->at.R);
    vg_json_close(json);
    if (s->color[0] >= 0) vg_json_numbers(json, "color", 3, s->color);
    if (s->surface) mesh(json, s->surface);
    if (s->npoint > 0) {
        vg_json_open(json, "points", '[');
        for (int i = 0; i < s->npoint; i++) vector(json, NULL, s->point[i]);
        vg_json_close(json);
    }
    vg_json_close(json);
}

/* The marker's own name is what follows "body." */
static const char *short_name(const vgModel *m, const vgMarker *marker)
{
    const char *name = marker->name, *owner = body_name(m, marker->frame.body);
    while (*owner && *name == *owner) name++, owner++;
    return !*owner && *name == '.' ? name + 1 : marker->name;
}

static void markers(vgJson *json, const vgModel *m, int first, int n)
{
    vg_json_open(json, "markers", '[');
    for (int i = first; i < first + n; i++) {
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", short_name(m, &m->marker[i]));
        user_pose(json, m, &m->marker[i].frame);
        vg_json_close(json);
    }
    vg_json_close(json);
}

static void bodies(vgJson *json, const vgModel *m)
{
    vg_json_open(json, "bodies", '[');
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        if (vg_body_is_hidden(b)) continue; /* scalar coordinates are nowhere */
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", b->name);
        vg_json_open(json, "shapes", '[');
        for (int k = 0; k < b->nshape; k++) shape(json, &b->shape[k]);
        vg_json_close(json);
        vg_json_number(json, "mass", b->mass);
        vector(json, "com", b->com);
        double inertia[9];
        vg_mstore3(b->inertia, inertia);
        vg_json_numbers(json, "inertia", 9, inertia);
        markers(json, m, b->marker0, b->nmarker);
        vg_json_close(json);
    }
    vg_json_close(json);
}

/* The joints whose coordinates a gear, rack or coupler relates, and their factors: Σ factor · coordinate = constant. */
static void couples(vgJson *json, const vgModel *m, const vgPrim *p)
{
    vg_json_open(json, "couples", '[');
    for (int i = 0; i < p->nterm; i++)
        for (int k = 0; k < m->njoint; k++) {
            int first = m->joint[k].measure0;
            if (p->measure[i] >= first && p->measure[i] < first + m->joint[k].ncoord)
                vg_json_text(json, NULL, m->joint[k].name);
        }
    vg_json_close(json);
    vg_json_numbers(json, "factors", p->nterm, p->k);
}

static void joints(vgJson *json, const vgModel *m)
{
    vg_json_open(json, "joints", '[');
    for (int i = 0; i < m->njoint; i++) {
        const vgJoint *j = &m->joint[i];
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", j->name);
        vg_json_text(json, "kind", j->kind->name);
        vg_json_text(json, "a", body_name(m, j->a));
        vg_json_text(json, "b", body_name(m, j->b));
        if (j->kind->head == VG_HEAD_FRAMES) {
            frame(json, m, "frameA", &j->def.A);
            frame(json, m, "frameB", &j->def.B);
            vgFrame first = vg_joint_first_frame(&j->def, m->planar);
            if (m->planar) frame(json, m, "axes", &first); /* of its reactions */
        }
        if (j->kind->head == VG_HEAD_JOINTS) couples(json, m, &m->prim[j->prim0]);
        vg_json_close(json);
    }
    vg_json_close(json);
}

/* x and height in turns, from the first knot to the last. */
static void profile(vgJson *json, const vgTable *table)
{
    enum { POINTS = 300 };
    double at[2 * POINTS], first, last, y;
    vg_table_knot(table, 0, &first, &y);
    vg_table_knot(table, vg_table_size(table) - 1, &last, &y);
    for (int i = 0; i < POINTS; i++) {
        double x = first + (last - first) * i / (POINTS - 1);
        at[2 * i] = x, at[2 * i + 1] = vg_table_value(table, x);
    }
    vg_json_numbers(json, "profile", 2 * POINTS, at);
}

/* A road as x and height in turns, where its slope changes by what can be seen; flat before and behind. */
static void road_below(vgJson *json, const vgRoad *road, double radius)
{
    enum { MOST = 600 };
    static const double from = -50, to = 250, step = 0.02, seen = 5e-4;
    double at[2 * MOST], h[3], last[3];
    int n = 0;
    vg_road_eval(road, from, last);
    at[n++] = from, at[n++] = last[0];
    double x0 = from, slope = last[1], before = last[0], xb = from;
    for (double x = from + step; x <= to && n < 2 * MOST - 4; x += step) {
        vg_road_eval(road, x, h);
        double along = at[n - 1] + slope * (x - x0);
        if (h[0] - along < seen && along - h[0] < seen) {
            before = h[0], xb = x;
            continue;
        }
        if (xb > x0) at[n++] = xb, at[n++] = before; /* the end of what was straight */
        slope = (h[0] - at[n - 1]) / (x - at[n - 2]);
        at[n++] = x, at[n++] = h[0];
        x0 = x, xb = x, before = h[0];
    }
    if (xb > x0) at[n++] = xb, at[n++] = before;
    vg_json_numbers(json, "road", n, at);
    vg_json_number(json, "radius", radius);
}

/* What a ball touches. */
static void surface(vgJson *json, const vgForceLook *look)
{
    vg_json_open(json, "surface", '{');
    vg_json_text(json, "kind", look->surface);
    vg_json_numbers(json, "size", 3, look->size);
    vg_json_numbers(json, "axis", 3, look->axis);
    vg_json_bool(json, "inside", look->inside);
    vg_json_number(json, "ball", look->radius);
    vg_json_close(json);
}

/* Beams and cables: the nodes along them and the section. */
static void look_of(vgJson *json, const vgModel *m, const vgForce *f)
{
    vgForceLook look = {0};
    f->kind->look(f->def, &look);
    if (look.follower) vg_json_bool(json, "follower", 1);
    if (look.profile) profile(json, look.profile);
    if (look.road) road_below(json, look.road, look.radius);
    if (look.surface) surface(json, &look);
    if (!look.nnode) return;
    vg_json_open(json, "nodes", '[');
    for (int k = 0; k < look.nnode; k++) frame(json, m, NULL, &look.node[k]);
    vg_json_close(json);
    vg_json_open(json, "section", '{');
    vg_json_number(json, "width", look.width);
    vg_json_number(json, "height", look.height);
    vg_json_bool(json, "round", look.round);
    if (look.guess) vg_json_bool(json, "guess", 1);
    vg_json_close(json);
}

static const vgFlexible *flexible(const vgModel *m, int force)
{
    for (int i = 0; i < m->nmodal; i++)
        if (m->modal[i].force == force) return &m->modal[i];
    return NULL;
}

static void node(vgJson *json, const vgModel *m, const vgFlexible *x, int k)
{
    vgVec3 at = vg_sub3(x->data->node[k].at, m->body[x->frame].com);
    vgFrame f = {.body = x->frame, .r = at, .R = vg_eye3()};
    if (x->node[k] >= 0) f = (vgFrame){.body = x->node[k], .R = vg_eye3()};
    frame(json, m, NULL, &f);
}

static void forces(vgJson *json, const vgModel *m)
{
    vg_json_open(json, "forces", '[');
    for (int i = 0; i < m->nforce; i++) {
        const vgForce *f = &m->force[i];
        const vgForceHead *head = f->def;
        int nframe = f->kind->head == VG_HEAD_FRAME ? 1 : f->kind->head == VG_HEAD_FRAMES ? 2 : 0;
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", f->name);
        vg_json_text(json, "kind", f->kind == &vg_force_modal ? "beam" : f->kind->name); /* drawn alike */
        const vgFlexible *x = flexible(m, i);
        vg_json_open(json, "bodies", '[');
        for (int k = 0; k < f->setup.nbody - (f->setup.nstate > 0) && !x; k++)
            vg_json_text(json, NULL, body_name(m, f->setup.body[k]));
        vg_json_close(json);
        vg_json_open(json, "frames", '[');
        for (int k = 0; k < nframe; k++) frame(json, m, NULL, &head->frame[k]);
        for (int k = 0; x && k < x->data->nnode; k++) node(json, m, x, k);
        vg_json_close(json);
        if (f->kind->look) look_of(json, m, f);
        vg_json_close(json);
    }
    vg_json_close(json);
}

/* What became of the elements of a robot file. */
static void notes(vgJson *json, const vgModel *m)
{
    vg_json_open(json, "import", '[');
    for (int i = 0; i < m->nnote; i++) {
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "verdict", m->note[i].verdict);
        vg_json_bool(json, "physics", m->note[i].physics);
        vg_json_text(json, "place", m->note[i].place);
        vg_json_text(json, "text", m->note[i].text);
        vg_json_close(json);
    }
    vg_json_close(json);
}

void vg_scene_write(const vgModel *m, vgJson *json)
{
    vg_json_open(json, NULL, '{');
    vg_json_text(json, "title", m->title ? m->title : "");
    const char *slash = m->path ? strrchr(m->path, '/') : NULL;
    vg_json_text(json, "file", slash ? slash + 1 : m->path ? m->path : "");
    vg_json_bool(json, "planar", m->planar);
    vector(json, "gravity", m->gravity);
    bodies(json, m);
    vg_json_open(json, "ground", '{');
    vg_json_open(json, "shapes", '[');
    for (int k = 0; k < m->nground_shape; k++) shape(json, &m->ground_shape[k]);
    vg_json_close(json);
    markers(json, m, m->ground_marker0, m->nground_marker);
    vg_json_close(json);
    joints(json, m);
    forces(json, m);
    if (m->nnote) notes(json, m);
    vg_json_close(json);
}

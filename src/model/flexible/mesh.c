/* Meshes: a line of beam or cable elements in one entry. Its nodes become bodies NAME.1, NAME.2, …, its
 * elements forces of the same names, its ends joints NAME.start and NAME.end; the elements and joints are
 * written as entries that the readers of forces and joints then take like the user's own. */
#include <math.h>
#include <string.h>

#include "math/so3.h"
#include "model/flexible/mesh.h"
#include "model/tuning.h"

enum { MAX_ELEMENTS = 200000, MAX_KEYS = 96 };

typedef struct meshSpec {
    vgNode *from, *to, *start, *end, *omega, *length, *via, *nodes, *stations;
    const char *curve;
    double orientation[3], velocity[3];
} meshSpec;

static const vgField mesh_fields[] = {
    {"beam, beam3, cable", VG_FIELD_INT, 0, "", "", 1, MAX_ELEMENTS,
     "One of these kinds with the number of its elements; beam3 has a node in the middle of each. All other "
     "options of the kind (section, material, damping, mass) may follow."},
    {"from", VG_FIELD_MAP, offsetof(meshSpec, from), "m", "", 0, 0,
     "Where the line starts: a point [x, y, z], or a frame (body, body.marker), to which it is then joined "
     "rigidly unless start says otherwise. Left out: the frame of start."},
    {"to", VG_FIELD_MAP, offsetof(meshSpec, to), "m", "", 0, 0, "Where it ends, in the same way."},
    {"start", VG_FIELD_MAP, offsetof(meshSpec, start), "", "", 0, 0,
     "How the first node is joined: {kind of joint: frame, options}, e.g. {revolute: ground.A, axis: y}. The "
     "joint is named NAME.start."},
    {"end", VG_FIELD_MAP, offsetof(meshSpec, end), "", "", 0, 0, "The same for the last node: NAME.end."},
    {"via", VG_FIELD_MAP, offsetof(meshSpec, via), "m", "", 0, 0,
     "Points [[x, y, z], …] on the line between its ends; the elements are shared out by length."},
    {"curve", VG_FIELD_STRING, offsetof(meshSpec, curve), "", "lines", 0, 0,
     "How: lines (with corners, which are nodes), spline (smooth) or arc (a circle through one point). The "
     "beam is free of stress as placed."},
    {"nodes", VG_FIELD_MAP, offsetof(meshSpec, nodes), "", "", 0, 0,
     "Nodes that are bodies of the model, {number: frame}, e.g. {5: disc, 9: wheel.hub}: the line goes "
     "through the frame and the body is part of it there, without a joint."},
    {"stations", VG_FIELD_MAP, offsetof(meshSpec, stations), "m", "", 0, 0,
     "Places anywhere along the line, `name: distance from its start` as placed, or `name: {at: share of the "
     "whole}` from 0 to 1. Each is a body NAME.name without mass that moves as the beam does there, for "
     "joints, forces, springs and channels; those of beams have stress resultants `body.NAME.name.axial`, "
     "`shear-y`, `shear-z`, `torsion`, `moment-y`, `moment-z`."},
    {"orientation", VG_FIELD_VEC3, offsetof(meshSpec, orientation), "", "", 0, 0,
     "Direction of the section's y axis, world axes; left out: y, or z for a line along y; on a curved line "
     "that comes along y, that of its start carried on without twist. Nodes have x along the line and y as "
     "the section."},
    {"velocity", VG_FIELD_VEC3, offsetof(meshSpec, velocity), "m/s", "", 0, 0,
     "Initial velocity of the first node, world axes; left out: as what holds the line moves."},
    {"omega", VG_FIELD_MAP, offsetof(meshSpec, omega), "rad/s", "", 0, 0,
     "Initial angular velocity of the line, world axes; planar: one number. Left out: that of the body it is "
     "joined to rigidly, or as its ends move."},
    {"length", VG_FIELD_MAP, offsetof(meshSpec, length), "m", "", 0, 0,
     "Stress-free length of the whole line; left out: as placed."},
};
const vgFormatTable vg_format_mesh = {
    "Mesh",
    "`mesh: {name: {kind: elements, …}}`: a line of elements, straight or curved. Its nodes are bodies "
    "name.1, name.2, … that joints, forces and channels may use; its elements are forces name.1, name.2, …",
    "mesh:\n  boom: {beam3: 8, from: ground, to: [2, 0, 0], tube: [0.05, 0.045], E: 210e9, nu: 0.3, rho: "
    "7800}",
    mesh_fields, sizeof mesh_fields / sizeof *mesh_fields};

typedef struct Line {
    const vgEntry *e;
    const vgForceKind *kind;
    int elements, step, nodes; /* step: nodes from one element to the next */
    int point;                 /* a cable: nodes are points */
    vgVec3 a, b, v, w;
    vgVec3 *x, *tangent; /* of the nodes */
    vgMat3 *axes;        /* x along the line, y the section's */
    vgNode **given;      /* per node: the frame that it is, NULL: a body of its own */
    vgNode *join[2];     /* joints at the ends, NULL: free */
    vgNode *frame[2];
    const char *joint[2];
    meshSpec spec;
} Line;

/* ---- nodes of the spec ---- */

static vgNode *new_node(vgReader *r, vgNodeKind kind, vgLoc loc, int n)
{
    vgNode *x = VG_NEW(r->scratch, vgNode, 1);
    if (!x) {
        r->full = 1;
        return NULL;
    }
    *x = (vgNode){.kind = kind, .loc = loc};
    if (kind == VG_NODE_LIST) x->item = VG_NEW(r->scratch, vgNode *, n);
    if (kind == VG_NODE_MAP) x->pair = VG_NEW(r->scratch, vgNodePair, n);
    if ((kind == VG_NODE_LIST && !x->item) || (kind == VG_NODE_MAP && !x->pair)) r->full = 1;
    return r->full ? NULL : x;
}

static vgNode *new_text(vgReader *r, vgLoc loc, const char *text)
{
    vgNode *x = new_node(r, VG_NODE_SCALAR, loc, 0);
    if (x) x->text = text;
    return x;
}

static void put(vgNode *map, vgNode *key, vgNode *value)
{
    map->pair[map->n++] = (vgNodePair){key, value};
}

static const char *node_name(vgReader *r, const Line *l, int k)
{
    const char *name = vg_pool_printf(r->pool, "%s.%d", l->e->name, k + 1);
    if (!name) r->full = 1;
    return name ? name : "";
}

/* The k-th node as a reference: a cable's end that is joined is the frame itself. */
static vgNode *node_frame(vgReader *r, const Line *l, int k)
{
    int side = k == 0 ? 0 : k == l->nodes - 1 ? 1 : -1;
    if (l->given[k]) return l->given[k];
    if (side >= 0 && l->frame[side]) return l->frame[side];
    return new_text(r, l->e->loc, node_name(r, l, k));
}

static int add_entry(vgReader *r, int section, const Line *l, const char *name, vgNode *value)
{
    vgEntries *s = &r->section[section];
    if (!vg_read_room(r, &s->at, s->n, &s->cap, sizeof *s->at)) return 0;
    s->at[s->n++] = (vgEntry){name, l->e->loc, value, l->e->ctx};
    return 1;
}

/* ---- reading the entry ---- */

static int find_kind(vgReader *r, Line *l)
{
    static const char *const kinds[] = {"beam", "beam3", "cable"};
    vgNode *count = NULL;
    for (int i = 0; i < 3; i++) {
        vgNode *value = vg_node_get(l->e->value, kinds[i]);
        if (!value) continue;
        if (count) {
            vg_diag_error(r->diag, value->loc, "mesh '%s' has two kinds", l->e->name);
            return 0;
        }
        count = value;
        l->kind = vg_force_kind(kinds[i]);
        l->step = i == 1 ? 2 : 1;
        l->point = i == 2;
    }
    if (!count || !l->kind) {
        vg_diag_error(r->diag, l->e->value->loc,
                      "mesh '%s' has no kind; expected beam, beam3 or cable with the number of elements",
                      l->e->name);
        return 0;
    }
    if (!vg_read_int(r, count, &l->elements)) return 0;
    if (l->elements < 1 || l->elements > MAX_ELEMENTS) {
        vg_diag_error(r->diag, count->loc, "a mesh has 1 to %d elements, got %d", MAX_ELEMENTS, l->elements);
        return 0;
    }
    l->nodes = l->elements * l->step + 1;
    return 1;
}

static int own_key(const char *key)
{
    for (size_t i = 1; i < sizeof mesh_fields / sizeof *mesh_fields; i++)
        if (strcmp(mesh_fields[i].key, key) == 0) return 1;
    return strcmp(key, "if") == 0;
}

static int read_spec(vgReader *r, Line *l)
{
    const char *also[MAX_KEYS] = {"if", l->kind->name};
    int n = 2;
    for (int i = 0; i < l->kind->nfield && n < MAX_KEYS - 1; i++)
        if (!own_key(l->kind->fields[i].key)) also[n++] = l->kind->fields[i].key;
    return vg_read_fields(r, l->e->value, mesh_fields + 1, sizeof mesh_fields / sizeof *mesh_fields - 1,
                          &l->spec, also, "mesh");
}

static int frame_point(vgReader *r, vgNode *node, vgVec3 *p)
{
    vgFrame f;
    if (!vg_read_frame(r, node, &f)) return 0;
    *p = f.body < 0 ? f.r : vg_add3(r->body[f.body].p0, vg_mv3(r->body[f.body].R0, f.r));
    return 1;
}

/* {kind: frame, options}: the joint's map with [frame, node] behind the kind. */
static int join_map(vgReader *r, Line *l, int side, vgNode *given)
{
    if (!vg_read_map(r, given, side ? "end" : "start")) return 0;
    vgNode *map = new_node(r, VG_NODE_MAP, given->loc, given->n + 1);
    if (!map) return 0;
    for (int i = 0; i < given->n; i++) {
        vgNode *key = given->pair[i].key, *value = given->pair[i].value;
        if (key->kind == VG_NODE_SCALAR && !l->frame[side]) {
            for (int k = 0; vg_joint_kinds[k] && !l->frame[side]; k++)
                if (strcmp(vg_joint_kinds[k]->name, key->text) == 0 && value->kind != VG_NODE_LIST) {
                    l->frame[side] = value;
                    l->joint[side] = key->text;
                }
            if (l->frame[side]) {
                put(map, key, NULL);
                continue;
            }
        }
        put(map, key, value);
    }
    l->join[side] = map;
    if (l->frame[side]) return 1;
    vg_diag_error(r->diag, given->loc,
                  "expected {kind of joint: frame, options}, e.g. {revolute: ground, axis: y}");
    return 0;
}

/* One end: where it is and what holds it. */
static int read_end(vgReader *r, Line *l, int side, vgVec3 *p)
{
    vgNode *at = side ? l->spec.to : l->spec.from, *joint = side ? l->spec.end : l->spec.start;
    double x[3] = {0, 0, 0};
    if (joint && !join_map(r, l, side, joint)) return 0;
    if (at && at->kind == VG_NODE_LIST) {
        if (!vg_read_vec3(r, at, x)) return 0;
        *p = vg_load3(x);
        return 1;
    }
    if (at && !joint) {
        vgNode *map = new_node(r, VG_NODE_MAP, at->loc, 2);
        if (!map) return 0;
        l->frame[side] = at;
        put(map, new_text(r, at->loc, "fixed"), NULL);
        l->join[side] = map;
    }
    if (at) return frame_point(r, at, p);
    if (joint) return frame_point(r, l->frame[side], p);
    vg_diag_error(r->diag, l->e->value->loc, "mesh '%s' needs '%s': a point or a frame", l->e->name,
                  side ? "to" : "from");
    return 0;
}

/* x along the line, y as near to `hint` as that allows; 0 where it points along the line. */
static vgMat3 axes_along(vgVec3 x, vgVec3 hint)
{
    vgVec3 y = vg_axpy3(-vg_dot3(hint, x), x, hint);
    y = vg_norm3(y) > VG_HINT_ALONG * vg_norm3(hint) ? vg_unit3(y) : vg_zero3();
    return vg_cols3(x, y, vg_cross3(x, y));
}

/* Axes of all nodes with one hint; 0: the line comes along it, so that the section would turn over. */
static int axes_by_hint(Line *l, vgVec3 hint)
{
    for (int k = 0; k < l->nodes; k++) {
        l->axes[k] = axes_along(l->tangent[k], hint);
        vgVec3 y = vg_col3(l->axes[k], 1);
        if (vg_norm3(y) == 0 || (k > 0 && vg_dot3(y, vg_col3(l->axes[k - 1], 1)) <= 0)) return 0;
    }
    return 1;
}

/* The section's y axis of the start, carried on without twist. */
static void carry_axes(Line *l)
{
    vgVec3 y = fabs(l->tangent[0].y) > VG_LINE_ALONG_Y ? vg_v3(0, 0, 1) : vg_v3(0, 1, 0);
    for (int k = 0; k < l->nodes; k++) {
        l->axes[k] = axes_along(l->tangent[k], y);
        if (vg_norm3(vg_col3(l->axes[k], 1)) == 0) /* a right angle from node to node */
            l->axes[k] = axes_along(l->tangent[k], vg_scale3(l->tangent[k - 1], -1));
        y = vg_col3(l->axes[k], 1);
    }
}

/* 0: an orientation is given that cannot be. */
static int choose_axes(const vgReader *r, Line *l)
{
    if (r->m->planar) {
        for (int k = 0; k < l->nodes; k++)
            l->axes[k] = axes_along(l->tangent[k], vg_v3(-l->tangent[k].y, l->tangent[k].x, 0));
        return 1;
    }
    if (!isnan(l->spec.orientation[0])) return axes_by_hint(l, vg_load3(l->spec.orientation)) || l->point;
    int along_y = 0;
    for (int k = 0; k < l->nodes; k++) along_y |= fabs(l->tangent[k].y) > 0.999;
    if (along_y || !axes_by_hint(l, vg_v3(0, 1, 0))) carry_axes(l);
    return 1;
}

static int refuse(vgReader *r, const Line *l, vgLoc loc, const char *why)
{
    vg_diag_error(r->diag, loc, "mesh '%s': %s", l->e->name, why);
    return 0;
}

static int read_shape(vgReader *r, const Line *l, vgMeshShape *shape)
{
    static const char *const names[] = {"lines", "arc", "spline"};
    for (int i = 0; i < 3; i++)
        if (!l->spec.curve || strcmp(l->spec.curve, names[i]) == 0) {
            *shape = (vgMeshShape)i;
            return 1;
        }
    return refuse(r, l, vg_node_get(l->e->value, "curve")->loc, "curve is one of lines, spline and arc");
}

/* The nodes' places and directions. */
static int read_course(vgReader *r, Line *l)
{
    const vgNode *via = l->spec.via;
    int n = via && via->kind == VG_NODE_LIST ? via->n : 0;
    vgVec3 *point = VG_NEW(r->scratch, vgVec3, n + 2);
    vgMeshCurve c = {.npoint = n + 2, .nelement = l->elements, .step = l->step, .point = point};
    l->x = VG_NEW(r->scratch, vgVec3, l->nodes);
    l->tangent = VG_NEW(r->scratch, vgVec3, l->nodes);
    l->axes = VG_NEW(r->scratch, vgMat3, l->nodes);
    if (!point || !l->x || !l->tangent || !l->axes) return !(r->full = 1);
    if (via && via->kind != VG_NODE_LIST) return refuse(r, l, via->loc, "via is a list of points");
    point[0] = l->a;
    point[n + 1] = l->b;
    for (int i = 0; i < n; i++) {
        double p[3] = {0, 0, 0};
        if (!vg_read_vec3(r, via->item[i], p)) return 0;
        point[i + 1] = vg_load3(p);
    }
    if (!read_shape(r, l, &c.shape)) return 0;
    const char *why = vg_mesh_course(r, &c, l->x, l->tangent);
    if (r->full) return 0;
    if (why) return refuse(r, l, l->e->value->loc, why);
    return choose_axes(r, l) || refuse(r, l, l->e->value->loc, "its orientation points along the line");
}

/* A frame at the same place that looks along the line: sections would twist between nodes that look
 * elsewhere. */
static vgNode *along_line(vgReader *r, const Line *l, int k, vgNode *frame)
{
    vgFrame f;
    if (l->point || !vg_read_frame(r, frame, &f)) return frame;
    vgMat3 R = vg_mtm3(f.body < 0 ? f.R : vg_mm3(r->body[f.body].R0, f.R), l->axes[k]);
    vgQuat q = vg_quat_from_mat(R);
    const double part[4] = {q.w, q.x, q.y, q.z};
    const int n = r->m->planar ? 1 : 4;
    vgNode *map = new_node(r, VG_NODE_MAP, frame->loc, 2), *list = new_node(r, VG_NODE_LIST, frame->loc, 4);
    if (!map || !list) return frame;
    for (int i = 0; i < n; i++) {
        const char *text =
            vg_pool_printf(r->scratch, "%.17g", n == 1 ? atan2(R.m[1][0], R.m[0][0]) : part[i]);
        list->item[i] = new_text(r, frame->loc, text ? text : "0");
        if (!text) r->full = 1;
    }
    list->n = n;
    put(map, new_text(r, frame->loc, "body"), frame);
    put(map, new_text(r, frame->loc, n == 1 ? "angle" : "quaternion"), n == 1 ? list->item[0] : list);
    return map;
}

/* {number: frame} */
static int read_given(vgReader *r, Line *l)
{
    vgNode *map = l->spec.nodes;
    l->given = VG_NEW(r->scratch, vgNode *, l->nodes);
    if (!l->given) return !(r->full = 1);
    for (int k = 0; k < l->nodes; k++) l->given[k] = NULL;
    if (!map) return 1;
    if (!vg_read_map(r, map, "nodes")) return 0;
    for (int i = 0; i < map->n; i++) {
        int k;
        if (!vg_read_int(r, map->pair[i].key, &k)) return 0;
        if (k < 1 || k > l->nodes)
            return refuse(r, l, map->pair[i].key->loc, "it has no node of this number");
        if ((k == 1 && l->join[0]) || (k == l->nodes && l->join[1]))
            return refuse(r, l, map->pair[i].key->loc,
                          "this node is joined by 'from', 'to', 'start' or 'end' already");
        if (!frame_point(r, map->pair[i].value, &l->x[k - 1])) return 0;
        l->given[k - 1] = along_line(r, l, k - 1, map->pair[i].value);
        if (r->full) return 0;
    }
    return 1;
}

/* Nodes of its own get their mass from the line alone, unless it says that it has none. */
static int has_mass(vgReader *r, const Line *l)
{
    const vgNode *map = l->e->value, *how = vg_node_get(map, "mass");
    int own = 0;
    for (int k = 0; k < l->nodes; k++) own += !l->given[k];
    if (vg_node_get(map, "rho") || vg_node_get(map, "m") || own <= 2 * l->point ||
        (how && how->kind == VG_NODE_SCALAR && strcmp(how->text, "none") == 0))
        return 1;
    return refuse(r, l, map->loc, "it has no mass: give rho or m (where only rests matter any will do)");
}

/* Millimetres for metres: thicker than long. */
static void doubt_size(vgReader *r, const Line *l)
{
    static const char *const keys[] = {"circle", "tube", "rectangle"};
    double length = 0, thick = 0;
    for (int k = 1; k < l->nodes; k++) length += vg_norm3(vg_sub3(l->x[k], l->x[k - 1]));
    for (int i = 0; i < 3; i++) {
        vgNode *size = vg_node_get(l->e->value, keys[i]);
        double x = 0;
        for (int k = 0; size && k < (size->kind == VG_NODE_LIST ? size->n : 1); k++) {
            if (!vg_read_number(r, size->kind == VG_NODE_LIST ? size->item[k] : size, &x)) return;
            thick = fmax(thick, i < 2 ? 2 * x : x);
        }
    }
    if (thick > length)
        vg_diag_warn(r->diag, l->e->value->loc,
                     "mesh '%s' is %.3g m long and %.3g m thick: a beam is longer than thick, and lengths "
                     "are in metres",
                     l->e->name, length, thick);
}

/* Velocity where a frame is and angular velocity of its body, world axes. */
static int frame_motion(vgReader *r, vgNode *node, vgVec3 *v, vgVec3 *w)
{
    vgFrame f;
    if (!vg_read_frame(r, node, &f)) return 0;
    const vgKin k = vg_read_kin(r, f.body);
    *v = vg_add3(k.v, vg_mv3(k.R, vg_cross3(k.w, f.r)));
    *w = vg_mv3(k.R, k.w);
    return 1;
}

/* Initial velocities of a line follow its supports: those of the body it is rigidly joined to, else its ends
 * follow theirs. A line with zero velocity beside moving bodies would start with an impact. */
static int read_motion(vgReader *r, Line *l)
{
    double w[3] = {0, 0, 0};
    vgVec3 ve[2] = {{0}}, we[2] = {{0}}, d = vg_sub3(l->b, l->a);
    int rigid[2], held[2];
    for (int i = 0; i < 2; i++) {
        held[i] = l->frame[i] != NULL;
        rigid[i] = held[i] && !l->point && (!l->joint[i] || strcmp(l->joint[i], "fixed") == 0);
        if (held[i] && !frame_motion(r, l->frame[i], &ve[i], &we[i])) return 0;
    }
    if (l->spec.omega) {
        if (!(r->m->planar ? vg_read_number(r, l->spec.omega, &w[2]) : vg_read_vec3(r, l->spec.omega, w)))
            return 0;
        l->w = vg_load3(w);
    } else {
        const double dd = vg_dot3(d, d);
        l->w = rigid[0] ? we[0] : rigid[1] ? we[1] : vg_zero3();
        if (held[0] && held[1] && dd > 0) /* across the line by the ends, about it by what is rigid */
            l->w = vg_scale3(vg_axpy3(vg_dot3(d, l->w), d, vg_cross3(d, vg_sub3(ve[1], ve[0]))), 1 / dd);
    }
    l->v = !isnan(l->spec.velocity[0]) ? vg_load3(l->spec.velocity)
           : held[0]                   ? ve[0]
                                       : vg_sub3(ve[1], vg_cross3(l->w, d));
    if (!held[0] && !held[1] && isnan(l->spec.velocity[0])) l->v = vg_zero3();
    return 1;
}

/* ---- what it makes ---- */

static int add_nodes(vgReader *r, const Line *l)
{
    const int point = l->point;
    for (int k = 0; k < l->nodes && !vg_read_stopped(r); k++) {
        int index, existed = 0;
        if (l->given[k]) continue;
        if (point && ((k == 0 && l->frame[0]) || (k == l->nodes - 1 && l->frame[1]))) continue;
        if (!vg_read_count(r, l->e->loc) ||
            !vg_read_room(r, &r->body, r->m->nbody, &r->body_cap, sizeof *r->body))
            return 0;
        const char *name = node_name(r, l, k);
        if (vg_names_add(r->body_names, name, &index, &existed) != VG_OK) r->full = 1;
        if (existed || r->full) return 0;
        const vgVec3 p = l->x[k], t = l->tangent[k];
        const vgMat3 R = l->axes[k];
        vgBody *b = &r->body[r->m->nbody++];
        *b = (vgBody){
            .name = vg_names_at(r->body_names, index), .loc = l->e->loc, .element = -1, .p0 = p, .R0 = R};
        b->theta0 = r->m->planar ? atan2(t.y, t.x) : 0;
        b->marker0 = r->m->nmarker;
        b->v0 = vg_add3(l->v, vg_cross3(l->w, vg_sub3(p, l->a)));
        b->w0 = vg_mtv3(R, l->w);
        if (r->m->planar)
            b->select = point ? (vgSelect){2, {0, 1}} : (vgSelect){3, {0, 1, 5}};
        else
            b->select = point ? (vgSelect){3, {0, 1, 2}} : (vgSelect){6, {0, 1, 2, 3, 4, 5}};
        if (point) b->R0 = vg_eye3(), b->w0 = vg_zero3();
    }
    return 1;
}

/* {kind: [node, node], middle: node, and all that is not the mesh's own}; values are shared. */
static int add_elements(vgReader *r, const Line *l)
{
    const vgNode *from = l->e->value;
    vgNode *length = NULL;
    if (l->spec.length) {
        if (l->spec.length->kind != VG_NODE_SCALAR) {
            vg_diag_error(r->diag, l->spec.length->loc, "expected a length");
            return 0;
        }
        const char *text = vg_pool_printf(r->scratch, "(%s)/%d", l->spec.length->text, l->elements);
        length = text ? new_text(r, l->spec.length->loc, text) : NULL;
    }
    for (int i = 0; i < l->elements && !vg_read_stopped(r); i++) {
        vgNode *map = new_node(r, VG_NODE_MAP, from->loc, from->n + 3);
        vgNode *ends = new_node(r, VG_NODE_LIST, from->loc, 2);
        if (!map || !ends || !vg_read_count(r, l->e->loc)) return 0;
        ends->n = 2;
        ends->item[0] = node_frame(r, l, i * l->step);
        ends->item[1] = node_frame(r, l, (i + 1) * l->step);
        for (int k = 0; k < from->n; k++) {
            vgNode *key = from->pair[k].key;
            if (key->kind != VG_NODE_SCALAR || own_key(key->text)) continue;
            put(map, key, strcmp(key->text, l->kind->name) == 0 ? ends : from->pair[k].value);
        }
        if (l->step == 2) put(map, new_text(r, from->loc, "middle"), node_frame(r, l, i * l->step + 1));
        if (length) put(map, new_text(r, length->loc, "length"), length);
        if (r->full || !add_entry(r, VG_SECTION_FORCES, l, node_name(r, l, i), map)) return 0;
    }
    return 1;
}

static int add_stations(vgReader *r, Line *l)
{
    if (!l->spec.stations) return 1;
    vgNode **frame = VG_NEW(r->scratch, vgNode *, l->nodes);
    if (!frame) return !(r->full = 1);
    for (int k = 0; k < l->nodes; k++) frame[k] = node_frame(r, l, k);
    vgReadCourse c = {.name = l->e->name,
                      .loc = l->e->loc,
                      .elements = l->elements,
                      .step = l->step,
                      .point = l->point,
                      .x = l->x,
                      .v = l->v,
                      .w = l->w,
                      .a = l->a,
                      .frame = frame};
    return !r->full && vg_read_stations(r, &c, l->spec.stations);
}

static int add_joints(vgReader *r, Line *l)
{
    const int cable = l->point;
    for (int side = 0; side < 2 && !cable; side++) {
        vgNode *map = l->join[side];
        if (!map) continue;
        vgNode *pair = new_node(r, VG_NODE_LIST, map->loc, 2);
        const char *name = vg_pool_printf(r->pool, "%s.%s", l->e->name, side ? "end" : "start");
        if (!pair || !name) return 0;
        pair->n = 2;
        pair->item[0] = l->frame[side];
        pair->item[1] = new_text(r, map->loc, node_name(r, l, side ? l->nodes - 1 : 0));
        for (int i = 0; i < map->n; i++)
            if (!map->pair[i].value) map->pair[i].value = pair;
        if (!add_entry(r, VG_SECTION_JOINTS, l, name, map)) return 0;
    }
    /* node_frame names the frame itself only at a cable's ends */
    if (!cable) l->frame[0] = l->frame[1] = NULL;
    return 1;
}

void vg_read_meshes(vgReader *r)
{
    const vgEntries *e = &r->section[VG_SECTION_MESH];
    for (int i = 0; i < e->n && !vg_read_stopped(r); i++) {
        Line l = {.e = &e->at[i]};
        r->ctx = l.e->ctx;
        int ok = vg_read_map(r, l.e->value, "a mesh") && find_kind(r, &l) && read_spec(r, &l) &&
                 read_end(r, &l, 0, &l.a) && read_end(r, &l, 1, &l.b) && read_course(r, &l) &&
                 read_given(r, &l) && has_mass(r, &l) && read_motion(r, &l);
        if (ok) doubt_size(r, &l);
        ok = ok && add_joints(r, &l) && add_nodes(r, &l) && add_elements(r, &l) && add_stations(r, &l);
        if (!ok && !r->full && vg_diag_errors(r->diag) == 0)
            vg_diag_error(r->diag, l.e->loc, "the name '%s' is used twice for a mesh", l.e->name);
    }
    r->ctx = NULL;
}

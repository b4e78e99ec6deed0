/* Bodies: mass, inertia, placement. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/read/reader.h"

typedef struct bodySpec {
    vgReadPlace place;
    double mass, density, com[3], velocity[3];
    int point, condition;
    vgNode *inertia, *omega, *markers, *shape;
    const char *coordinates;
} bodySpec;

static const vgField body_fields[] = {
    {"mass", VG_FIELD_NUMBER, offsetof(bodySpec, mass), "kg", "", 0, 0,
     "Mass; 0: a frame between joints, without inertia unless that is given. May be left out when density "
     "and a shape are given."},
    {"inertia", VG_FIELD_MAP, offsetof(bodySpec, inertia), "kg*m^2", "", 0, 0,
     "Inertia about the centre of mass in body axes: [xx, yy, zz], six numbers [xx, yy, zz, xy, xz, yz], "
     "three rows, or a map (see Inertia). Planar: one number. Left out: that of the shape with the given "
     "mass."},
    {"com", VG_FIELD_VEC3, offsetof(bodySpec, com), "m", "", 0, 0,
     "Centre of mass in the body's frame. Left out: the origin, or that of the shapes when they give the "
     "mass."},
    VG_PLACE_FIELDS(bodySpec),
    {"velocity", VG_FIELD_VEC3, offsetof(bodySpec, velocity), "m/s", "0", 0, 0,
     "Initial velocity of the body's origin, world axes. Given velocities are kept; bodies without one "
     "follow through the joints where zero does not fit (`verge check` reports what had to be changed)."},
    {"omega", VG_FIELD_MAP, offsetof(bodySpec, omega), "rad/s", "", 0, 0,
     "Initial angular velocity in body axes; {world: [x, y, z]} in world axes. Planar: one number. Left out: "
     "0 where a velocity is given, else it follows too."},
    {"markers", VG_FIELD_MAP, offsetof(bodySpec, markers), "", "", 0, 0,
     "Named frames of the body: `name: [x, y, z]` or a map, see Markers."},
    {"shape", VG_FIELD_MAP, offsetof(bodySpec, shape), "", "", 0, 0,
     "What it looks like: one shape or a list, see Shapes."},
    {"density", VG_FIELD_NUMBER, offsetof(bodySpec, density), "kg/m^3", "", DBL_MIN, INFINITY,
     "With a shape: gives mass, centre of mass and inertia (planar: of shapes 1 m deep)."},
    {"point", VG_FIELD_BOOL, offsetof(bodySpec, point), "", "false", 0, 0,
     "A point mass: it has no orientation and no inertia."},
    {"coordinates", VG_FIELD_NAME, offsetof(bodySpec, coordinates), "", "", 0, 0,
     "Rotation coordinates of this body, instead of those of the run: lie, cayley, se3, euler-parameters or "
     "euler-angles. Spatial models in absolute coordinates."},
    {"if", VG_FIELD_BOOL, offsetof(bodySpec, condition), "", "true", 0, 0,
     "The body is left out when this is 0."},
};
const vgFormatTable vg_format_body = {
    "Bodies",
    "`bodies: {name: {…}}`. A body's frame is where the user wants it; markers, shapes and com are given in "
    "it. The body named ground is the world: it has markers and shapes only.",
    "bodies:\n  crank: {mass: 3, inertia: [0.001, 0.02, 0.02], position: [0.15, 0, 0], markers: {O: [-0.15, "
    "0, 0], A: [0.15, 0, 0]}, shape: {bar: 0.3}}",
    body_fields, sizeof body_fields / sizeof *body_fields};

static void error_at(vgReader *r, const vgNode *map, const char *key, const char *text)
{
    const vgNode *node = vg_node_get(map, key);
    vg_diag_error(r->diag, node ? node->loc : map->loc, "%s", text);
}

static int read_omega(vgReader *r, const bodySpec *s, vgMat3 R, vgVec3 *w)
{
    double v[3] = {0, 0, 0};
    vgNode *node = s->omega, *world = vg_node_get(node, "world");
    *w = vg_zero3();
    if (!node) return 1;
    if (node->kind == VG_NODE_MAP && (!world || node->n != 1)) {
        vg_diag_error(r->diag, node->loc,
                      "expected an angular velocity, or {world: …} for one in world axes");
        return 0;
    }
    vgNode *value = world ? world : node;
    if (r->m->planar ? !vg_read_number(r, value, &v[2]) : !vg_read_vec3(r, value, v)) return 0;
    *w = world ? vg_mtv3(R, vg_load3(v)) : vg_load3(v);
    return 1;
}

/* Mass, centre of mass and inertia about it. */
static int read_mass(vgReader *r, const vgNode *map, const bodySpec *s, const vgShape *shape, int nshape,
                     const char *name, vgBody *b)
{
    double volume = 0, mass = s->mass;
    vgVec3 com = vg_zero3();
    vgMat3 inertia = vg_mzero3();
    int solid = vg_read_shape_mass(shape, nshape, r->m->planar, &volume, &com, &inertia);
    for (int i = 0; i < nshape && (isnan(mass) || (!s->inertia && !s->point && mass > 0)); i++)
        if (shape[i].surface && shape[i].surface->open) {
            vg_diag_error(r->diag, map->loc,
                          "body '%s' has no volume: %d edges of the mesh '%.200s' have no partner. Close its "
                          "surface, or give mass and inertia",
                          name, shape[i].surface->open, shape[i].surface->file);
            return 0;
        }
    if (isnan(mass) && !isnan(s->density)) {
        if (!solid)
            return error_at(r, map, "density",
                            "density needs a shape with a volume (a bar with its radius, a box, …)"),
                   0;
        mass = s->density * volume;
    }
    if (isnan(mass)) {
        vg_diag_error(r->diag, map->loc, "body '%s' has no mass: give mass, or density and a shape", name);
        return 0;
    }
    if (!(mass >= 0)) {
        const vgNode *at = vg_node_get(map, "mass");
        vg_diag_error(r->diag, at ? at->loc : map->loc, "the mass of body '%s' must not be negative, got %g",
                      name, mass);
        return 0;
    }
    b->mass = mass;
    int own = !isnan(s->com[0]);
    b->com = own ? vg_load3(s->com) : isnan(s->mass) ? com : vg_zero3();
    if (r->m->planar && b->com.z != 0) return error_at(r, map, "com", "expected a centre of mass [x, y]"), 0;
    if (s->point) {
        if (s->inertia)
            return error_at(r, map, "inertia", "a point mass has no inertia; remove it, or point: true"), 0;
        return 1;
    }
    if (mass == 0 && !s->inertia) return 1;
    if (s->inertia) return vg_read_inertia(r, s->inertia, name, b->mass, b->com, &b->inertia);
    if (!solid) {
        vg_diag_error(r->diag, map->loc,
                      "body '%s' has no inertia: give inertia, or a shape with a volume, or point: true for "
                      "a point mass",
                      name);
        return 0;
    }
    /* the shapes' own, scaled to the mass, moved from their centre of mass to the body's */
    double scale = mass / volume;
    vgVec3 d = vg_sub3(com, b->com);
    vgMat3 shift = vg_msub3(vg_mscale3(vg_eye3(), vg_dot3(d, d)), vg_outer3(d, d));
    b->inertia = vg_madd3(vg_mscale3(inertia, scale), vg_mscale3(shift, mass));
    return vg_read_check_inertia(r, map, name, &b->inertia, 0);
}

static vgSelect selection(int planar, int point)
{
    if (planar) return point ? (vgSelect){2, {0, 1}} : (vgSelect){3, {0, 1, 5}};
    return point ? (vgSelect){3, {0, 1, 2}} : (vgSelect){6, {0, 1, 2, 3, 4, 5}};
}

static void read_ground(vgReader *r, const vgEntry *e)
{
    static const char *const keys[] = {"markers", "shape", "if", NULL};
    vgShape *shape = NULL;
    int n = 0;
    if (!vg_read_fields(r, e->value, NULL, 0, NULL, keys, "ground (it has markers and shapes only)")) return;
    if (r->ground_read++) {
        vg_diag_error(r->diag, e->loc, "ground is there twice");
        return;
    }
    r->m->ground_marker0 = r->m->nmarker;
    vg_read_markers(r, "ground", vg_node_get(e->value, "markers"), -1, vg_zero3());
    r->m->nground_marker = r->m->nmarker - r->m->ground_marker0;
    vgNode *node = vg_node_get(e->value, "shape");
    if (node && vg_read_shapes(r, node, &n, &shape)) {
        vg_read_shape_looks(shape, n);
        r->m->nground_shape = n;
        r->m->ground_shape = shape;
    }
}

static void read_body(vgReader *r, const vgEntry *e)
{
    bodySpec s = {0};
    int index, existed = 0, nshape = 0;
    vgShape *shape = NULL;
    if (strcmp(e->name, "ground") == 0) {
        read_ground(r, e);
        return;
    }
    if (vg_names_add(r->body_names, e->name, &index, &existed) != VG_OK) r->full = 1;
    if (existed) {
        vg_diag_error(r->diag, e->loc, "the name '%s' is used twice for a body", e->name);
        return;
    }
    vgBody *b = &r->body[r->m->nbody++];
    *b = (vgBody){.name = vg_names_at(r->body_names, index), .loc = e->loc, .element = -1, .R0 = vg_eye3()};
    b->select = selection(r->m->planar, 0); /* if the rest is wrong: a body with all that others may ask */
    if (!vg_read_map(r, e->value, "a body") ||
        !vg_read_fields(r, e->value, body_fields, sizeof body_fields / sizeof *body_fields, &s, NULL,
                        "body")) {
        vg_read_markers(r, e->name, vg_node_get(e->value, "markers"), index,
                        vg_zero3()); /* so that references to them hold */
        return;
    }
    vgVec3 p = vg_zero3(), w = vg_zero3();
    b->select = selection(r->m->planar, s.point);
    int ok = !s.shape || vg_read_shapes(r, s.shape, &nshape, &shape);
    ok = ok && read_mass(r, e->value, &s, shape, nshape, e->name, b);
    vg_read_place(r, e->value, &s.place, &p, &b->R0, &b->theta0);
    vg_read_shape_looks(shape, nshape);
    b->nshape = nshape;
    b->shape = shape;
    b->marker0 = r->m->nmarker;
    vg_read_markers(r, e->name, s.markers, index, b->com);
    b->nmarker = r->m->nmarker - b->marker0;
    read_omega(r, &s, b->R0, &w);
    if (r->m->planar && s.velocity[2] != 0) error_at(r, e->value, "velocity", "expected a velocity [x, y]");
    if (s.point && vg_norm3(w) != 0) error_at(r, e->value, "omega", "a point mass does not turn");
    b->p0 = vg_add3(p, vg_mv3(b->R0, b->com));
    b->w0 = w;
    b->given = (vg_node_get(e->value, "velocity") ? VG_GIVEN_VELOCITY | VG_GIVEN_OMEGA : 0u) |
               (vg_node_get(e->value, "omega") ? VG_GIVEN_OMEGA : 0u);
    b->placed = vg_node_get(e->value, "position") != NULL;
    b->coordinates = s.coordinates;
    if (s.coordinates) b->coordinates_at = vg_node_get(e->value, "coordinates")->loc;
    if (s.coordinates && (r->m->planar || s.point))
        error_at(r, e->value, "coordinates",
                 s.point ? "a point mass has no rotation coordinates"
                         : "bodies of a planar model have one angle and no other coordinates");
    b->v0 = vg_add3(vg_load3(s.velocity), vg_mv3(b->R0, vg_cross3(w, b->com)));
}

void vg_read_bodies(vgReader *r)
{
    const vgEntries *e = &r->section[VG_SECTION_BODIES];
    const int before = vg_diag_errors(r->diag);
    r->body_cap = e->n + 16;
    r->body = vg_read_take(r, (size_t)r->body_cap * sizeof *r->body);
    for (int i = 0; r->body && i < e->n && !vg_read_stopped(r); i++) {
        r->ctx = e->at[i].ctx;
        read_body(r, &e->at[i]);
    }
    r->ctx = NULL;
    if (r->m->nbody == 0 && vg_diag_errors(r->diag) == before && r->section[VG_SECTION_MESH].n == 0 &&
        r->section[VG_SECTION_FLEXIBLE].n == 0 && !vg_read_stopped(r))
        vg_diag_error(r->diag, r->file[0]->loc, "the model has no bodies");
}

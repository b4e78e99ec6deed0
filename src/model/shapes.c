/* Shapes: what bodies look like, and what they weigh at a given density. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/read/reader.h"

typedef struct shapeSpec {
    vgReadPlace place;
    vgNode *head[VG_SHAPE_MESH];
    vgNode *scale;
    vgNode *color;
    const vgRoad *road;
    double from, to;
} shapeSpec;

static const double PI = 3.14159265358979323846;
enum { NHEAD = VG_SHAPE_MESH };

static const vgField shape_fields[] = {
    {"bar", VG_FIELD_LIST, offsetof(shapeSpec, head[VG_SHAPE_BAR - 1]), "m", "", 0, 0,
     "A round bar along x, centred: its length, or [length, radius]."},
    {"box", VG_FIELD_LIST, offsetof(shapeSpec, head[VG_SHAPE_BOX - 1]), "m", "", 0, 0,
     "A box, centred: its edges [x, y, z]; planar [x, y]."},
    {"sphere", VG_FIELD_LIST, offsetof(shapeSpec, head[VG_SHAPE_SPHERE - 1]), "m", "", 0, 0,
     "A sphere: its radius."},
    {"cylinder", VG_FIELD_LIST, offsetof(shapeSpec, head[VG_SHAPE_CYLINDER - 1]), "m", "", 0, 0,
     "A cylinder along z, centred: [radius, length]."},
    {"disc", VG_FIELD_LIST, offsetof(shapeSpec, head[VG_SHAPE_DISC - 1]), "m", "", 0, 0,
     "A flat disc about z: its radius, or [radius, thickness]."},
    {"capsule", VG_FIELD_LIST, offsetof(shapeSpec, head[VG_SHAPE_CAPSULE - 1]), "m", "", 0, 0,
     "A cylinder along z with half spheres on its ends, centred: [radius, length of the cylinder]."},
    {"ellipsoid", VG_FIELD_LIST, offsetof(shapeSpec, head[VG_SHAPE_ELLIPSOID - 1]), "m", "", 0, 0,
     "An ellipsoid, centred: its half axes [x, y, z]."},
    {"mesh", VG_FIELD_LIST, offsetof(shapeSpec, head[VG_SHAPE_MESH - 1]), "", "", 0, 0,
     "A surface of triangles from a file, .stl (binary or text) or .obj, beside the model or by its whole "
     "path. A closed surface has a volume; an open one is drawn only."},
    {"scale", VG_FIELD_LIST, offsetof(shapeSpec, scale), "", "", 0, 0,
     "Mesh: factor of its coordinates, or one for each axis (0.001: the file is in millimetres)."},
    {"lines", VG_FIELD_LIST, offsetof(shapeSpec, head[VG_SHAPE_LINES - 1]), "m", "", 0, 0,
     "A line through a list of points; it has no mass."},
    {"road", VG_FIELD_ROAD, offsetof(shapeSpec, road), "", "", 0, 0,
     "The line of a road, from x = from to x = to; it has no mass."},
    {"from", VG_FIELD_NUMBER, offsetof(shapeSpec, from), "m", "0", 0, 0, "Where the line of a road begins."},
    {"to", VG_FIELD_NUMBER, offsetof(shapeSpec, to), "m", "10", 0, 0, "Where it ends."},
    VG_PLACE_FIELDS(shapeSpec),
    {"color", VG_FIELD_LIST, offsetof(shapeSpec, color), "", "", 0, 1, "[red, green, blue], each 0 to 1."},
};
const vgFormatTable vg_format_shape = {
    "Shapes",
    "Exactly one of bar, box, sphere, cylinder, disc, capsule, ellipsoid, mesh, lines, road; its place in "
    "the body's frame.",
    "shape: [{box: [0.2, 0.1, 0.1]}, {cylinder: [0.05, 0.3], position: [0.1, 0, 0], rotation: [0, pi/2, 0]}]",
    shape_fields, sizeof shape_fields / sizeof *shape_fields};

/* n numbers, or one where the others may be missing (NAN). */
static int sizes(vgReader *r, vgNode *node, int n, int least, double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = NAN;
    if (node->kind == VG_NODE_SCALAR && least == 1) n = 1;
    if (node->kind == VG_NODE_SCALAR ? !vg_read_number(r, node, &out[0]) : !vg_read_list(r, node, n, out))
        return 0;
    if (node->kind == VG_NODE_SCALAR && least > 1) {
        vg_diag_error(r->diag, node->loc, "expected a list of %d numbers, got one", n);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        if (out[i] > 0 && isfinite(out[i])) continue;
        vg_diag_error(r->diag, node->loc, "the sizes of a shape must be positive, got %g", out[i]);
        return 0;
    }
    return 1;
}

static int read_points(vgReader *r, vgNode *node, vgShape *s)
{
    if (node->kind != VG_NODE_LIST || node->n < 2) {
        vg_diag_error(r->diag, node->loc, "expected a list of at least two points");
        return 0;
    }
    vgVec3 *point = vg_read_take(r, (size_t)node->n * sizeof *point);
    for (int i = 0; point && i < node->n; i++) {
        double p[3];
        if (!vg_read_count(r, node->loc) || !vg_read_vec3(r, node->item[i], p)) return 0;
        point[i] = vg_load3(p);
    }
    s->npoint = node->n;
    s->point = point;
    return point != NULL;
}

enum { ROAD_POINTS = 401 };

static int road_points(vgReader *r, const shapeSpec *spec, vgShape *s)
{
    vgVec3 *point = vg_read_take(r, ROAD_POINTS * sizeof *point);
    for (int i = 0; point && i < ROAD_POINTS; i++) {
        double x = spec->from + (spec->to - spec->from) * i / (ROAD_POINTS - 1), h[3];
        vg_road_eval(spec->road, x, h);
        point[i] = vg_v3(x, 0, h[0]);
    }
    s->npoint = ROAD_POINTS;
    s->point = point;
    return point != NULL;
}

static const void *keep(vgReader *r, const void *from, size_t bytes)
{
    void *to = vg_read_take(r, bytes);
    return to ? memcpy(to, from, bytes) : NULL;
}

/* The path of a mesh: beside the model, or as it stands. */
static const char *mesh_path(vgReader *r, const vgNode *node)
{
    if (node->kind != VG_NODE_SCALAR) {
        vg_diag_error(r->diag, node->loc, "expected the name of a file, got %s", vg_node_kind_text(node));
        return NULL;
    }
    if (!r->folder) {
        vg_diag_error(r->diag, node->loc, "'%.200s' cannot be read: the model was not read from a file",
                      node->text);
        return NULL;
    }
    if (node->text[0] == '/') return node->text;
    const char *path = vg_pool_printf(r->scratch, "%s/%s", r->shown_folder, node->text);
    if (!path) r->full = 1;
    return path;
}

static int read_mesh(vgReader *r, vgNode *node, vgNode *scale, vgShape *s)
{
    double by[3] = {1, 1, 1};
    vgSurface found = {0}, *kept = vg_read_take(r, sizeof *kept);
    const char *path = mesh_path(r, node);
    if (!kept || !path) return 0;
    if (scale && scale->kind == VG_NODE_SCALAR) {
        if (!vg_read_number(r, scale, &by[0])) return 0;
        by[1] = by[2] = by[0];
    } else if (scale && !vg_read_list(r, scale, 3, by)) {
        return 0;
    }
    for (int i = 0; i < 3; i++)
        if (by[i] == 0 || !isfinite(by[i])) {
            vg_diag_error(r->diag, scale->loc, "the scale of a mesh must not be 0");
            return 0;
        }
    if (!vg_surface_read(r->scratch, path, node->loc, by, r->diag, &found)) return 0;
    *kept = found;
    kept->vertex = (vgVec3 *)keep(r, found.vertex, (size_t)found.nvertex * sizeof *found.vertex);
    kept->corner = (int *)keep(r, found.corner, 3 * (size_t)found.ntriangle * sizeof *found.corner);
    kept->file = keep(r, path, strlen(path) + 1);
    s->surface = kept;
    return kept->vertex && kept->corner && kept->file;
}

static int read_size(vgReader *r, vgNode *node, vgNode *scale, vgShape *s)
{
    switch (s->kind) {
    case VG_SHAPE_BAR:
        return sizes(r, node, 2, 1, s->size);
    case VG_SHAPE_SPHERE:
        return sizes(r, node, 1, 1, s->size);
    case VG_SHAPE_BOX:
        if (r->m->planar && node->kind == VG_NODE_LIST && node->n == 2) {
            if (!sizes(r, node, 2, 2, s->size)) return 0;
            s->size[2] = 1;
            return 1;
        }
        return sizes(r, node, 3, 3, s->size);
    case VG_SHAPE_CYLINDER:
        return sizes(r, node, 2, 2, s->size);
    case VG_SHAPE_CAPSULE:
        return sizes(r, node, 2, 2, s->size);
    case VG_SHAPE_ELLIPSOID:
        return sizes(r, node, 3, 3, s->size);
    case VG_SHAPE_DISC:
        return sizes(r, node, 2, 1, s->size);
    case VG_SHAPE_MESH:
        return read_mesh(r, node, scale, s);
    default:
        return read_points(r, node, s);
    }
}

static int read_shape(vgReader *r, vgNode *node, vgShape *s)
{
    shapeSpec spec = {0};
    double theta;
    if (!vg_read_count(r, node->loc)) return 0;
    if (!vg_read_fields(r, node, shape_fields, sizeof shape_fields / sizeof *shape_fields, &spec, NULL,
                        "shape"))
        return 0;
    int found = -1, n = 0;
    for (int k = 0; k < NHEAD; k++) {
        if (spec.head[k]) found = k, n++;
    }
    if (spec.road) found = VG_SHAPE_LINES - 1, n++;
    if (n != 1) {
        vg_diag_error(r->diag, node->loc,
                      "expected one of bar, box, sphere, cylinder, disc, capsule, ellipsoid, mesh, lines, "
                      "road in a shape, got %d",
                      n);
        return 0;
    }
    s->kind = (vgShapeKind)(found + 1);
    if (spec.scale && s->kind != VG_SHAPE_MESH) {
        vg_diag_error(r->diag, spec.scale->loc, "only a mesh has a scale");
        return 0;
    }
    s->at = (vgFrame){.body = -1, .R = vg_eye3()};
    for (int i = 0; i < 3; i++) s->color[i] = -1;
    if (spec.color && !vg_read_list(r, spec.color, 3, s->color)) return 0;
    return vg_read_place(r, node, &spec.place, &s->at.r, &s->at.R, &theta) &&
           (spec.road ? road_points(r, &spec, s) : read_size(r, spec.head[found], spec.scale, s));
}

int vg_read_shapes(vgReader *r, vgNode *node, int *n, vgShape **out)
{
    int count = node->kind == VG_NODE_LIST ? node->n : 1, ok = 1;
    vgShape *shape = vg_read_take(r, (size_t)count * sizeof *shape);
    *n = 0;
    *out = shape;
    if (!shape) return 0;
    for (int i = 0; i < count && !vg_read_stopped(r); i++) {
        int good = read_shape(r, node->kind == VG_NODE_LIST ? node->item[i] : node, &shape[*n]);
        *n += good;
        ok &= good;
    }
    return ok;
}

/* Volume and moments of one shape about its own centre, density 1. A bar without a radius is a line: in a
 * planar model that is enough, it counts as one unit of mass a metre. */
static int solid(const vgShape *s, int planar, double *mass, double moment[3])
{
    double a = s->size[0], b = s->size[1], c = s->size[2], m, across;
    switch (s->kind) {
    case VG_SHAPE_BAR:
        if (isnan(b) && !planar) return 0;
        if (isnan(b)) b = 0;
        m = b > 0 ? PI * b * b * a : a;
        across = m * (3 * b * b + a * a) / 12;
        *mass = m;
        moment[0] = 0.5 * m * b * b, moment[1] = moment[2] = across;
        return 1;
    case VG_SHAPE_BOX:
        m = a * b * c;
        *mass = m;
        moment[0] = m * (b * b + c * c) / 12, moment[1] = m * (a * a + c * c) / 12,
        moment[2] = m * (a * a + b * b) / 12;
        return 1;
    case VG_SHAPE_SPHERE:
        m = 4.0 / 3 * PI * a * a * a;
        *mass = m;
        moment[0] = moment[1] = moment[2] = 0.4 * m * a * a;
        return 1;
    case VG_SHAPE_ELLIPSOID:
        m = 4.0 / 3 * PI * a * b * c;
        *mass = m;
        moment[0] = m * (b * b + c * c) / 5, moment[1] = m * (a * a + c * c) / 5,
        moment[2] = m * (a * a + b * b) / 5;
        return 1;
    case VG_SHAPE_CAPSULE:
        m = PI * a * a * b;                /* the cylinder; */
        across = 4.0 / 3 * PI * a * a * a; /* the ends, whose centres are 3/8 a beyond it */
        *mass = m + across;
        moment[0] = moment[1] =
            m * (3 * a * a + b * b) / 12 + across * (0.4 * a * a + b * b / 4 + 0.375 * a * b);
        moment[2] = 0.5 * m * a * a + 0.4 * across * a * a;
        return 1;
    case VG_SHAPE_CYLINDER:
    case VG_SHAPE_DISC:
        if (isnan(b) && !planar) return 0;
        if (isnan(b)) b = 1;
        m = PI * a * a * b;
        *mass = m;
        moment[0] = moment[1] = m * (3 * a * a + b * b) / 12, moment[2] = 0.5 * m * a * a;
        return 1;
    default:
        return 0;
    }
}

int vg_read_shape_mass(const vgShape *shape, int n, int planar, double *mass, vgVec3 *com, vgMat3 *inertia)
{
    vgMat3 about_origin = vg_mzero3();
    vgVec3 first = vg_zero3();
    *mass = 0;
    for (int i = 0; i < n; i++) {
        double m, moment[3];
        vgVec3 p = shape[i].at.r;
        vgMat3 R = shape[i].at.R, own;
        const vgSurface *mesh = shape[i].surface;
        if (mesh && mesh->volume > 0) {
            m = mesh->volume, own = mesh->inertia;
            p = vg_add3(p, vg_mv3(R, mesh->com));
        } else if (!mesh && solid(&shape[i], planar, &m, moment)) {
            own = vg_diag3(moment[0], moment[1], moment[2]);
        } else {
            continue;
        }
        vgMat3 shift = vg_msub3(vg_mscale3(vg_eye3(), vg_dot3(p, p)), vg_outer3(p, p));
        about_origin = vg_madd3(about_origin, vg_madd3(vg_mmt3(vg_mm3(R, own), R), vg_mscale3(shift, m)));
        first = vg_axpy3(m, p, first);
        *mass += m;
    }
    if (!(*mass > 0)) return 0;
    *com = vg_scale3(first, 1 / *mass);
    vgMat3 shift = vg_msub3(vg_mscale3(vg_eye3(), vg_dot3(*com, *com)), vg_outer3(*com, *com));
    *inertia = vg_msub3(about_origin, vg_mscale3(shift, *mass));
    return 1;
}

void vg_read_shape_looks(vgShape *shape, int n)
{
    for (int i = 0; i < n; i++) {
        vgShape *s = &shape[i];
        if (s->kind == VG_SHAPE_BAR && isnan(s->size[1])) s->size[1] = s->size[0] / 40;
        if (s->kind == VG_SHAPE_DISC && isnan(s->size[1])) s->size[1] = s->size[0] / 10;
        for (int k = 0; k < 3; k++) {
            if (isnan(s->size[k])) s->size[k] = 0;
        }
    }
}

/* Geoms of MJCF: mass properties and looks. */
#include <math.h>
#include <string.h>

#include "model/robot/mjcf.h"
#include "model/surface.h"

static const double PI = 3.14159265358979323846;

/* Volume and moments for mass 1 about the centre; s: radius or half sizes as MJCF has them. 0: it has no volume. */
static double volume_of(const char *type, const double s[3], double moment[3])
{
    double a = s[0] * s[0], b = s[1] * s[1], c = s[2] * s[2], V = 0;
    if (strcmp(type, "sphere") == 0) {
        moment[0] = moment[1] = moment[2] = 0.4 * a;
        V = 4 * PI / 3 * s[0] * a;
    } else if (strcmp(type, "ellipsoid") == 0) {
        moment[0] = (b + c) / 5, moment[1] = (a + c) / 5, moment[2] = (a + b) / 5;
        V = 4 * PI / 3 * s[0] * s[1] * s[2];
    } else if (strcmp(type, "box") == 0) {
        moment[0] = (b + c) / 3, moment[1] = (a + c) / 3, moment[2] = (a + b) / 3;
        V = 8 * s[0] * s[1] * s[2];
    } else if (strcmp(type, "cylinder") == 0) {
        moment[0] = moment[1] = a / 4 + b / 3, moment[2] = a / 2;
        V = 2 * PI * a * s[1];
    } else if (strcmp(type, "capsule") == 0) {
        double middle = 2 * PI * a * s[1], ends = 4 * PI / 3 * s[0] * a;
        V = middle + ends;
        moment[0] = moment[1] = (middle * (a / 4 + b / 3) + ends * (0.4 * a + b + 0.75 * s[0] * s[1])) / V;
        moment[2] = (middle * a / 2 + ends * 0.4 * a) / V;
    }
    return V;
}

static void add_sheet(double area, double xx, double yy, double zz, double *A, double sum[3])
{
    *A += area;
    sum[0] += area * xx, sum[1] += area * yy, sum[2] += area * zz;
}

/* The same of a thin shell: its area and moments for mass 1. 0: an ellipsoid, of which no closed form is known. */
static double area_of(const char *type, const double s[3], double moment[3])
{
    double r2 = s[0] * s[0], h = s[1], A = 0, sum[3] = {0, 0, 0};
    const int capsule = strcmp(type, "capsule") == 0;
    if (strcmp(type, "sphere") == 0) add_sheet(4 * PI * r2, 2 * r2 / 3, 2 * r2 / 3, 2 * r2 / 3, &A, sum);
    if (capsule || strcmp(type, "cylinder") == 0)
        add_sheet(4 * PI * s[0] * h, r2 / 2 + h * h / 3, r2 / 2 + h * h / 3, r2, &A, sum);
    if (capsule) {
        const double across = 2 * r2 / 3 + h * h + h * s[0];
        add_sheet(4 * PI * r2, across, across, 2 * r2 / 3, &A, sum);
    }
    if (strcmp(type, "cylinder") == 0)
        add_sheet(2 * PI * r2, r2 / 4 + h * h, r2 / 4 + h * h, r2 / 2, &A, sum);
    if (strcmp(type, "box") == 0) {
        const double a = r2, b = h * h, c = s[2] * s[2];
        add_sheet(8 * h * s[2], (b + c) / 3, c / 3 + a, b / 3 + a, &A, sum);
        add_sheet(8 * s[0] * s[2], c / 3 + b, (a + c) / 3, a / 3 + b, &A, sum);
        add_sheet(8 * s[0] * h, b / 3 + c, a / 3 + c, (a + b) / 3, &A, sum);
    }
    for (int k = 0; k < 3 && A > 0; k++) moment[k] = sum[k] / A;
    return A;
}

/* How many numbers of size a type has. */
static int sizes_of(const char *type)
{
    return strcmp(type, "sphere") == 0                                     ? 1
           : strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0 ? 2
                                                                           : 3;
}

double vg_mjcf_fromto(const vgMjcfItem *it, vgPose *at)
{
    double f[6];
    if (!vg_mjcf_numbers(it, "fromto", 6, 6, f)) return 0;
    vgVec3 a = vg_load3(f), b = vg_load3(f + 3), d = vg_sub3(a, b); /* z points back to its first end */
    double half = 0.5 * vg_norm3(d);
    if (!(half > 0)) vg_robot_wrong(it->m->r, it->e->loc, "fromto has no length");
    if (half > 0) *at = (vgPose){vg_scale3(vg_add3(a, b), 0.5), vg_robot_z_to(d)};
    return half;
}

static int read_size(const vgMjcfItem *it, const char *type, double s[3], vgPose *at)
{
    int n = vg_mjcf_fill(it, "size", 3, s), need = sizes_of(type);
    double half = need > 1 ? vg_mjcf_fromto(it, at) : 0;
    if (half > 0) {
        if (need == 3) s[1] = s[0], s[2] = half; /* further numbers do not count */
        if (need == 2) s[1] = half;
        return n >= 1;
    }
    return n >= need;
}

/* The element of <asset> of a kind and name; NULL: there is none. */
static vgXml *asset(vgMjcf *m, const char *kind, const char *name)
{
    for (vgXml *a = vg_xml_child(m->root, "asset"); a && name; a = vg_xml_next(a, "asset"))
        for (vgXml *e = vg_xml_child(a, kind); e; e = vg_xml_next(e, kind)) {
            const vgXmlAttr *own = vg_xml_attr(e, "name");
            if (own && strcmp(own->value, name) == 0) return e;
        }
    return NULL;
}

/* Its own colour, or that of its material. */
static void paint(vgMjcf *m, const vgMjcfItem *it, vgRobotShape *shape)
{
    double rgba[4];
    vgXml *material = asset(m, "material", vg_mjcf_text(it, "material"));
    int n = vg_mjcf_numbers(it, "rgba", 4, 4, rgba);
    if (!n && material) n = vg_robot_attr_numbers(m->r, material, "rgba", 4, 4, rgba);
    for (int i = 0; n && i < 3; i++) shape->color[i] = fmin(fmax(rgba[i], 0), 1);
}

/* Higher groups are not shown by default in the format's own viewer either. */
static int is_shown(const vgMjcfItem *it)
{
    double group = 0;
    vg_mjcf_number(it, "group", &group);
    return group <= 2;
}

/* Vertices x of the file are S Qᵀ (x − refpos), S the scale, Q of refquat: with one scale, or without Q, they are
 * S x − …, which is a pose. */
static void mesh_frame(vgMjcf *m, vgMjcfMesh *mesh, vgVec3 refpos)
{
    const double *s = mesh->scale;
    mesh->ref.p = vg_v3(s[0] * refpos.x, s[1] * refpos.y, s[2] * refpos.z);
    if ((s[0] == s[1] && s[1] == s[2]) || vg_mmax3(vg_msub3(mesh->ref.R, vg_eye3())) == 0) return;
    vg_robot_note(m->r, VG_IMPORT_IGNORED, 0, mesh->e->loc,
                  "the mesh '%.80s' is not read: refquat and a scale that differs along its axes",
                  mesh->name);
    mesh->path = NULL;
}

void vg_mjcf_assets(vgMjcf *m)
{
    vgRobot *r = m->r;
    const char *folder = m->meshdir;
    size_t n = folder ? strlen(folder) : 0;
    if (n && folder[n - 1] == '/') folder = vg_pool_strndup(r->pool, folder, n - 1);
    for (VG_MJCF_EACH(e, "asset")) {
        if (strcmp(e->name, "mesh") != 0) {
            for (int i = 0; strcmp(e->name, "material") == 0 && i < e->nattr; i++) e->attr[i].used = 1;
            continue;
        }
        vgMjcfItem it = vg_mjcf_item(m, e, "mesh", m->main);
        const char *file = vg_mjcf_text(&it, "file"), *name = vg_xml_get(e, "name"), *slash = NULL;
        vgMjcfMesh mesh = {.e = e, .scale = {1, 1, 1}, .ref = vg_pose_identity()};
        double x[4];
        vg_mjcf_numbers(&it, "scale", 3, 3, mesh.scale);
        vgVec3 refpos = vg_mjcf_numbers(&it, "refpos", 3, 3, x) ? vg_load3(x) : vg_zero3();
        if (vg_mjcf_numbers(&it, "refquat", 4, 4, x))
            mesh.ref.R = vg_quat_to_mat(vg_quat_normalize(vg_quat_load(x)));
        if (file) slash = strrchr(file, '/'), slash = slash ? slash + 1 : file;
        if (file && m->strippath) file = slash;
        if (!name && file) name = vg_pool_strndup(r->pool, slash, strcspn(slash, "."));
        mesh.name = name ? name : "";
        if (file && n && folder && file[0] != '/') {
            const char *under = vg_pool_printf(r->pool, "%s/%s", folder, file);
            file = under ? under : file;
        }
        mesh.path = file ? vg_robot_mesh_path(r, e->loc, file, NULL) : NULL;
        mesh_frame(m, &mesh, refpos);
        if (!vg_robot_room(r, &m->mesh, m->nmesh, &m->mesh_cap, sizeof *m->mesh)) return;
        m->mesh[m->nmesh++] = mesh;
    }
}

/* Mass of a mesh by its closed surface; 0 after a report. */
static void weigh_mesh(vgMjcf *m, const vgMjcfItem *it, const vgMjcfMesh *mesh, int body, vgPose at)
{
    vgRobot *r = m->r;
    vgSurface s;
    double mass = 0, density = 1000;
    int has_mass = vg_mjcf_number(it, "mass", &mass);
    vg_mjcf_number(it, "density", &density);
    if (!mesh || !mesh->path) {
        vg_robot_wrong(r, it->e->loc,
                       "the mass of a body comes from a mesh that is not there; give the body an <inertial>");
        return;
    }
    if (!vg_surface_read(r->pool, vg_robot_mesh_open(r, mesh->path), it->e->loc, mesh->scale, r->diag, &s))
        return;
    if (s.open || !(s.volume > 0)) {
        vg_robot_wrong(r, it->e->loc,
                       "the mass of a body comes from the mesh '%.200s', whose surface is not closed (%d "
                       "edges have no partner); give the body an <inertial>",
                       mesh->name, s.open);
        return;
    }
    if (!has_mass) mass = density * s.volume;
    if (mass < 0) vg_robot_wrong(r, it->e->loc, "the mass of a geom must be positive");
    vg_robot_add_mass(&r->body[body], mass, vg_pose_mul(at, (vgPose){s.com, vg_eye3()}),
                      vg_mscale3(s.inertia, mass / s.volume));
    const char *rule = vg_xml_get(mesh->e, "inertia");
    if (rule && strcmp(rule, "shell") == 0)
        vg_robot_wrong(
            r, it->e->loc,
            "the mass of a body comes from the shell of the mesh '%.80s'; give the body an <inertial>",
            mesh->name);
    if (!rule || strcmp(rule, "exact") != 0)
        vg_robot_note(
            r, VG_IMPORT_CHANGED, 0, it->e->loc,
            "mass and inertia of the mesh '%.80s' are those of its exact volume (inertia=\"exact\")",
            mesh->name);
}

static void read_mesh(vgMjcf *m, const vgMjcfItem *it, int body, vgPose at, int counts)
{
    vgRobot *r = m->r;
    const char *name = vg_mjcf_text(it, "mesh");
    const vgMjcfMesh *mesh = NULL;
    for (int i = 0; name && i < m->nmesh; i++)
        if (strcmp(m->mesh[i].name, name) == 0) mesh = &m->mesh[i];
    if (!mesh && name && !counts) {
        vg_robot_wrong(r, it->e->loc, "there is no mesh '%.80s' among the assets", name);
        return;
    }
    if (mesh) at = vg_pose_mul(at, vg_pose_inv(mesh->ref));
    if (counts) weigh_mesh(m, it, mesh, body, at);
    vgRobotShape *s =
        mesh && mesh->path && is_shown(it) ? vg_robot_add_shape(r, body, "mesh", it->e->loc) : NULL;
    if (!s) return;
    s->file = mesh->path;
    s->at = at;
    memcpy(s->size, mesh->scale, sizeof mesh->scale);
    paint(m, it, s);
}

static void draw(vgMjcf *m, const vgMjcfItem *it, int body, const char *type, const double s[3], vgPose at)
{
    if (!is_shown(it)) return;
    for (int i = 0; i < sizes_of(type); i++)
        if (!(s[i] > 0)) return;
    int ellipsoid = strcmp(type, "ellipsoid") == 0;
    vgRobotShape *shape = vg_robot_add_shape(m->r, body, type, it->e->loc);
    if (!shape) return;
    shape->at = at;
    shape->nsize = sizes_of(type);
    shape->size[0] = shape->nsize == 3 && !ellipsoid ? 2 * s[0] : s[0];
    shape->size[1] = ellipsoid ? s[1] : 2 * s[1];
    shape->size[2] = ellipsoid ? s[2] : 2 * s[2];
    paint(m, it, shape);
}

void vg_mjcf_mark_contact(vgXml *e)
{
    static const char *const keys[] = {"friction", "solref", "solimp",  "margin",      "gap",       "condim",
                                       "priority", "solmix", "contype", "conaffinity", "fluidcoef", NULL};
    for (int i = 0; keys[i]; i++) vg_xml_get(e, keys[i]);
}

/* A geom without volume, or one that is fitted to a mesh: it is neither weighed nor drawn. 1: it is one. */
static int is_no_shape(vgMjcf *m, const vgMjcfItem *it, const char *type, int counts)
{
    static const char *const flat[] = {"plane", "hfield", "sdf"};
    const char *mesh = strcmp(type, "mesh") == 0 ? NULL : vg_mjcf_text(it, "mesh"), *kind = NULL;
    for (int k = 0; k < 3; k++)
        if (strcmp(type, flat[k]) == 0) kind = flat[k];
    if (!kind && !mesh) return 0;
    vg_mjcf_text(it, "size"), vg_mjcf_text(it, "hfield"), vg_mjcf_text(it, "fitscale");
    if (counts && (!kind || strcmp(kind, "sdf") == 0))
        vg_robot_wrong(
            m->r, it->e->loc,
            "the mass of a body comes from a geom that is fitted to a mesh or an sdf; give the body an "
            "<inertial>");
    else
        vg_robot_note(m->r, VG_IMPORT_IGNORED, 0, it->e->loc, "a geom that is %s is not drawn",
                      mesh ? "fitted to a mesh" : kind);
    return 1;
}

/* Spheres and cylinders with a name may carry tendons. */
static void remember(vgMjcf *m, vgXml *e, const char *type, double radius, int body, vgPose at)
{
    int cylinder = strcmp(type, "cylinder") == 0;
    if (!vg_xml_attr(e, "name") || (!cylinder && strcmp(type, "sphere") != 0)) return;
    if (!vg_robot_room(m->r, &m->round, m->nround, &m->round_cap, sizeof *m->round)) return;
    m->round[m->nround++] = (vgMjcfGeom){vg_mjcf_name(m, e, "", 0), body, cylinder, radius, at};
}

void vg_mjcf_geom(vgMjcf *m, vgXml *e, int childclass, int body, vgPose frame, int with_mass)
{
    vgMjcfItem it = vg_mjcf_item(m, e, "geom", childclass);
    const char *type = vg_mjcf_text(&it, "type");
    double s[3] = {0, 0, 0}, mass = 0, density = 1000, group = 0, moment[3] = {0, 0, 0};
    vgPose at = vg_mjcf_pose(&it);
    if (!type) type = "sphere";
    vg_mjcf_mark_contact(e);
    vg_xml_get(e, "type"), vg_xml_get(e, "rgba"), vg_xml_get(e, "material");
    double touches[2] = {1, 1};
    vg_mjcf_number(&it, "contype", &touches[0]), vg_mjcf_number(&it, "conaffinity", &touches[1]);
    m->geoms += touches[0] != 0 || touches[1] != 0;
    if (body >= 0 && vg_mjcf_word(&it, "fluidshape", "ellipsoid")) m->r->body[body].ellipsoid = 1;
    int has_mass = vg_mjcf_number(&it, "mass", &mass);
    vg_mjcf_number(&it, "density", &density);
    vg_mjcf_number(&it, "group", &group);
    int counts = with_mass && body >= 0 && group >= m->group[0] && group <= m->group[1] &&
                 (has_mass ? mass != 0 : density != 0);
    if (is_no_shape(m, &it, type, counts)) return;
    vg_mjcf_text(&it, "shellinertia");
    if (strcmp(type, "mesh") == 0) {
        read_mesh(m, &it, body, vg_pose_mul(frame, at), counts);
        return;
    }
    if (!read_size(&it, type, s, &at)) {
        if (counts) vg_robot_wrong(m->r, e->loc, "a geom of type %.40s needs its size", type);
        return;
    }
    at = vg_pose_mul(frame, at);
    remember(m, e, type, s[0], body, at);
    double V = volume_of(type, s, moment);
    if (vg_mjcf_word(&it, "shellinertia", "true")) {
        V = area_of(type, s, moment);
        if (counts && !(V > 0))
            vg_robot_wrong(m->r, e->loc,
                           "the mass of the shell of an %.40s is not known; give the body an <inertial>",
                           type);
    }
    if (!has_mass) mass = density * V;
    if (counts) {
        if (mass < 0 || !isfinite(mass)) vg_robot_wrong(m->r, e->loc, "the mass of a geom must be positive");
        vg_robot_add_mass(&m->r->body[body], mass, at,
                          vg_mscale3(vg_diag3(moment[0], moment[1], moment[2]), mass));
    }
    if (V > 0) draw(m, &it, body, type, s, at);
}

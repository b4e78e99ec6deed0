/* Geoms of MJCF: mass properties and looks. */
#include <math.h>
#include <string.h>

#include "model/robot/mjcf.h"

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

/* How many numbers of size a type has. */
static int sizes_of(const char *type)
{
    return strcmp(type, "sphere") == 0                                     ? 1
           : strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0 ? 2
                                                                           : 3;
}

static int read_size(const vgMjcfItem *it, const char *type, double s[3], vgPose *at)
{
    double f[6];
    int n = vg_mjcf_numbers(it, "size", 1, 3, s), need = sizes_of(type);
    if (vg_mjcf_numbers(it, "fromto", 6, 6, f) && need > 1) {
        vgVec3 a = vg_load3(f), b = vg_load3(f + 3), d = vg_sub3(b, a);
        double half = 0.5 * vg_norm3(d);
        if (!(half > 0)) return 0;
        at->p = vg_scale3(vg_add3(a, b), 0.5);
        at->R = vg_mjcf_z_to(d);
        if (need == 3) s[1] = n >= 2 ? s[1] : s[0], s[2] = half;
        if (need == 2) s[1] = half;
        return n >= 1;
    }
    return n >= need;
}

static void draw(vgMjcf *m, const vgMjcfItem *it, int body, const char *type, const double s[3], vgPose at)
{
    double rgba[4];
    int group = 0;
    double g;
    if (vg_mjcf_number(it, "group", &g)) group = (int)g;
    if (group > 2) return; /* not shown by default in the format's own viewer either */
    for (int i = 0; i < sizes_of(type); i++)
        if (!(s[i] > 0)) return;
    int capsule = strcmp(type, "capsule") == 0, ellipsoid = strcmp(type, "ellipsoid") == 0;
    vgRobotShape *shape = vg_robot_add_shape(m->r, body,
                                             capsule     ? "cylinder"
                                             : ellipsoid ? "box"
                                                         : type,
                                             it->e->loc);
    if (!shape) return;
    shape->at = at;
    shape->nsize = sizes_of(type);
    shape->size[0] = shape->nsize == 3 ? 2 * s[0] : s[0];
    shape->size[1] = 2 * s[1];
    shape->size[2] = 2 * s[2];
    if (capsule || ellipsoid)
        vg_robot_note(m->r, VG_IMPORT_CHANGED, 0, it->e->loc, "a %s is drawn as a %s", type,
                      capsule ? "cylinder" : "box");
    if (vg_mjcf_numbers(it, "rgba", 4, 4, rgba))
        for (int i = 0; i < 3; i++) shape->color[i] = fmin(fmax(rgba[i], 0), 1);
}

void vg_mjcf_geom(vgMjcf *m, vgXml *e, int childclass, int body, vgPose frame, int with_mass)
{
    static const char *const flat[] = {"plane", "hfield", "sdf"};
    vgMjcfItem it = vg_mjcf_item(m, e, "geom", childclass);
    const char *type = vg_mjcf_text(&it, "type");
    double s[3] = {0, 0, 0}, mass = 0, density = 1000, group = 0, moment[3] = {0, 0, 0};
    vgPose at = vg_mjcf_pose(&it);
    if (!type) type = "sphere";
    for (int i = 0; i < e->nattr; i++)
        e->attr[i].used = 1; /* what is left concerns contacts, reported as a whole */
    m->geoms++;
    for (int k = 0; k < 3; k++)
        if (strcmp(type, flat[k]) == 0) return;
    int has_mass = vg_mjcf_number(&it, "mass", &mass);
    vg_mjcf_number(&it, "density", &density);
    vg_mjcf_number(&it, "group", &group);
    int counts = with_mass && body >= 0 && group >= m->group[0] && group <= m->group[1] &&
                 (has_mass ? mass > 0 : density > 0);
    if (strcmp(type, "mesh") == 0) {
        if (counts)
            vg_robot_wrong(
                m->r, e->loc,
                "the mass of a body comes from a mesh, which is not read; give the body an <inertial>");
        return;
    }
    if (!read_size(&it, type, s, &at)) {
        if (counts) vg_robot_wrong(m->r, e->loc, "a geom of type %.40s needs its size", type);
        return;
    }
    at = vg_pose_mul(frame, at);
    double V = volume_of(type, s, moment);
    if (vg_mjcf_word(&it, "shellinertia", "true"))
        vg_robot_note(m->r, VG_IMPORT_CHANGED, 1, e->loc, "the mass of a shell is taken as that of a solid");
    if (!has_mass) mass = density * V;
    if (counts) {
        if (mass < 0 || !isfinite(mass)) vg_robot_wrong(m->r, e->loc, "the mass of a geom must be positive");
        vg_robot_add_mass(&m->r->body[body], mass, at,
                          vg_mscale3(vg_diag3(moment[0], moment[1], moment[2]), mass));
    }
    if (V > 0) draw(m, &it, body, type, s, at);
}

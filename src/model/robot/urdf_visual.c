/* URDF: what links look like. */
#include <math.h>
#include <string.h>

#include "model/robot/robot.h"

/* A shape of <geometry>; 0: a kind that is not drawn. */
static int read_geometry(vgRobot *r, vgXml *g, vgRobotShape *s)
{
    vgXml *e;
    if ((e = vg_xml_child(g, "box"))) {
        s->kind = "box", s->nsize = 3;
        e->used = 1;
        return vg_robot_attr_numbers(r, e, "size", 3, 3, s->size) == 3;
    }
    if ((e = vg_xml_child(g, "sphere"))) {
        s->kind = "sphere", s->nsize = 1;
        e->used = 1;
        return vg_robot_attr_number(r, e, "radius", &s->size[0]);
    }
    if ((e = vg_xml_child(g, "cylinder"))) {
        s->kind = "cylinder", s->nsize = 2;
        e->used = 1;
        return vg_robot_attr_number(r, e, "radius", &s->size[0]) &&
               vg_robot_attr_number(r, e, "length", &s->size[1]);
    }
    if ((e = vg_xml_child(g, "capsule"))) {
        s->kind = "capsule", s->nsize = 2;
        e->used = 1;
        return vg_robot_attr_number(r, e, "radius", &s->size[0]) &&
               vg_robot_attr_number(r, e, "length", &s->size[1]);
    }
    return 0;
}

/* The colour of a visual: its own, or that of a material of the robot. */
static void read_color(vgRobot *r, vgXml *root, vgXml *visual, double color[3])
{
    vgXml *m = vg_xml_child(visual, "material"), *c = vg_xml_child(m, "color");
    double rgba[4];
    if (!m) return;
    const char *name = vg_xml_get(m, "name");
    m->used = 1;
    for (vgXml *e = c ? NULL : vg_xml_child(root, "material"); e && name; e = vg_xml_next(e, "material")) {
        vgXmlAttr *a = vg_xml_attr(e, "name");
        if (!a || strcmp(a->value, name) != 0) continue;
        e->used = a->used = 1;
        c = vg_xml_child(e, "color");
    }
    if (!c) return;
    c->used = 1;
    if (vg_robot_attr_numbers(r, c, "rgba", 3, 4, rgba) < 3) return;
    for (int i = 0; i < 3; i++) color[i] = fmin(fmax(rgba[i], 0), 1);
}

static void read_mesh(vgRobot *r, vgXml *root, vgXml *visual, vgXml *mesh, int body)
{
    const char *file = vg_xml_get(mesh, "filename");
    double scale[3] = {1, 1, 1}, color[3] = {-1, -1, -1};
    int n = vg_robot_attr_numbers(r, mesh, "scale", 1, 3, scale);
    vgPose at = vg_urdf_origin(r, visual);
    vg_xml_get(visual, "name");
    read_color(r, root, visual, color);
    if (n == 1) scale[1] = scale[2] = scale[0];
    const char *path = file ? vg_robot_mesh_path(r, mesh->loc, file, NULL) : NULL;
    if (path && (scale[0] == 0 || scale[1] == 0 || scale[2] == 0))
        vg_robot_wrong(r, mesh->loc, "the scale of a mesh must not be 0");
    vgRobotShape *s = path ? vg_robot_add_shape(r, body, "mesh", mesh->loc) : NULL;
    if (!s) return;
    s->file = path;
    s->at = at;
    memcpy(s->size, scale, sizeof scale);
    memcpy(s->color, color, sizeof color);
}

void vg_urdf_visuals(vgRobot *r, vgXml *root, vgXml *link, int body)
{
    for (vgXml *v = vg_xml_child(link, "visual"); v; v = vg_xml_next(v, "visual")) {
        vgXml *g = vg_xml_child(v, "geometry"), *mesh = vg_xml_child(g, "mesh");
        if (mesh) {
            v->used = g->used = mesh->used = 1;
            read_mesh(r, root, v, mesh, body);
            continue;
        }
        vgRobotShape shape = {.color = {-1, -1, -1}};
        if (!g || !read_geometry(r, g, &shape)) continue;
        int good = 1;
        for (int i = 0; i < shape.nsize; i++) good &= shape.size[i] > 0;
        v->used = g->used = 1;
        vg_xml_get(v, "name");
        shape.at = vg_urdf_origin(r, v);
        read_color(r, root, v, shape.color);
        if (!good) {
            vg_robot_note(r, VG_IMPORT_IGNORED, 0, v->loc, "a shape without size is not drawn");
            continue;
        }
        vgRobotShape *s = vg_robot_add_shape(r, body, shape.kind, v->loc);
        if (!s) return;
        shape.loc = v->loc;
        *s = shape;
    }
}

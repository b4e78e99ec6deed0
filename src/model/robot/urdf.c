/* URDF: links, joints, mimic, transmissions, loop joints. */
#include <math.h>
#include <string.h>

#include "model/robot/robot.h"
#include "model/tuning.h"

static const vgRobotIgnored ignored[] = {
    {"visual", 0, "what links look like is read from boxes, spheres, cylinders and meshes"},
    {"collision", 0, "links do not touch each other; add contacts to the imported model"},
    {"material", 0, "colours of materials are not used here"},
    {"gazebo", 0, "an extension for another program"},
    {"drake:diagram", 0, "an extension for another program"},
    {"safety_controller", 0, "limits of a controller that is not part of the file"},
    {"calibration", 0, "it is for the real machine"},
    {"frame", 0, "a name for a place that nothing in the file uses"},
    {"verbose", 0, "not physics"},
    {"limit/effort", 0, "a bound for the controller, which is not part of the file"},
    {"limit/velocity", 0, "a bound for the controller, which is not part of the file"},
    {"limit/drake:acceleration", 0, "a bound for the controller"},
    {"joint_properties", 1, "not part of URDF; <dynamics damping= friction=> is"},
    {"contact", 0, "links do not touch each other"},
    {"contact_coefficients", 0, "links do not touch each other"},
    {"hardwareInterface", 0, "it is for the real machine"},
    {"robot/version", 0, "not physics"},
    {"axis/xyz", 0, "a fixed joint has no axis"},
    {"*/xmlns", 0, NULL},
    {"*/xmlns:xacro", 0, NULL},
    {"*/xmlns:drake", 0, NULL},
    {"*/xmlns:xsi", 0, NULL},
    {"*/xsi:schemaLocation", 0, NULL},
    {NULL, 1, "it is not part of URDF as it is understood here"},
};

typedef struct urdfJoint {
    vgXml *e;
    const char *name, *type;
    int parent, child; /* links */
    vgPose at;
    int index; /* among the robot's, −1 fixed */
} urdfJoint;

typedef struct urdf {
    vgRobot *r;
    vgXml *root;
    int nlink, njoint;
    vgXml **link;
    const char **link_name;
    urdfJoint *joint;
    vgNames *links, *joints;
    int *first, *next, *above; /* joints below a link as lists; the joint above it */
    int *body;                 /* of the robot */
} urdf;

static vgPose origin_of(vgRobot *r, vgXml *parent)
{
    vgXml *e = vg_xml_child(parent, "origin");
    vgPose p = vg_pose_identity();
    double rpy[3] = {0, 0, 0};
    if (!e) return p;
    e->used = 1;
    vg_robot_attr_vec(r, e, "xyz", &p.p);
    if (vg_robot_attr_numbers(r, e, "rpy", 3, 3, rpy)) p.R = vg_robot_rpy(rpy[0], rpy[1], rpy[2]);
    return p;
}

static void read_inertial(vgRobot *r, vgXml *link, vgRobotBody *b)
{
    static const char *const keys[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    vgXml *e = vg_xml_child(link, "inertial"), *mass = vg_xml_child(e, "mass"),
          *inertia = vg_xml_child(e, "inertia");
    double m = 0, I[6] = {0};
    if (!e) return;
    e->used = 1;
    vgPose at = origin_of(r, e);
    if (mass) {
        mass->used = 1;
        vg_robot_attr_number(r, mass, "value", &m);
    }
    if (inertia) {
        inertia->used = 1;
        for (int k = 0; k < 6; k++) vg_robot_attr_number(r, inertia, keys[k], &I[k]);
    }
    if (m < 0) {
        vg_robot_wrong(r, mass->loc, "the mass of link '%.80s' is negative", b->given);
        return;
    }
    vg_robot_add_mass(b, m, at, vg_m3(I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]));
}

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
    return 0;
}

/* The colour of a visual: its own, or that of a material of the robot. */
static void read_color(urdf *u, vgXml *visual, double color[3])
{
    vgXml *m = vg_xml_child(visual, "material"), *c = vg_xml_child(m, "color");
    double rgba[4];
    if (!m) return;
    const char *name = vg_xml_get(m, "name");
    m->used = 1;
    for (vgXml *e = c ? NULL : vg_xml_child(u->root, "material"); e && name; e = vg_xml_next(e, "material")) {
        vgXmlAttr *a = vg_xml_attr(e, "name");
        if (!a || strcmp(a->value, name) != 0) continue;
        e->used = a->used = 1;
        c = vg_xml_child(e, "color");
    }
    if (!c) return;
    c->used = 1;
    if (vg_robot_attr_numbers(u->r, c, "rgba", 3, 4, rgba) < 3) return;
    for (int i = 0; i < 3; i++) color[i] = fmin(fmax(rgba[i], 0), 1);
}

static void read_mesh(urdf *u, vgXml *visual, vgXml *mesh, int body)
{
    vgRobot *r = u->r;
    const char *file = vg_xml_get(mesh, "filename");
    double scale[3] = {1, 1, 1}, color[3] = {-1, -1, -1};
    int n = vg_robot_attr_numbers(r, mesh, "scale", 1, 3, scale);
    vgPose at = origin_of(r, visual);
    vg_xml_get(visual, "name");
    read_color(u, visual, color);
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

static void read_visuals(urdf *u, vgXml *link, int body)
{
    vgRobot *r = u->r;
    for (vgXml *v = vg_xml_child(link, "visual"); v; v = vg_xml_next(v, "visual")) {
        vgXml *g = vg_xml_child(v, "geometry"), *mesh = vg_xml_child(g, "mesh");
        if (mesh) {
            v->used = g->used = mesh->used = 1;
            read_mesh(u, v, mesh, body);
            continue;
        }
        vgRobotShape shape = {.color = {-1, -1, -1}};
        if (!g || !read_geometry(r, g, &shape)) continue;
        int good = 1;
        for (int i = 0; i < shape.nsize; i++) good &= shape.size[i] > 0;
        v->used = g->used = 1;
        vg_xml_get(v, "name");
        shape.at = origin_of(r, v);
        read_color(u, v, shape.color);
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

static int index_of(urdf *u, vgXml *e, const char *child, const char *attr, const char *what)
{
    vgXml *c = vg_xml_child(e, child);
    const char *name = vg_xml_get(c, attr);
    if (c) c->used = 1;
    int k = name ? vg_names_find(u->links, name) : -1;
    if (k < 0)
        vg_robot_wrong(u->r, c ? c->loc : e->loc, "joint '%.80s' has %s %s '%.80s'", vg_xml_get(e, "name"),
                       name ? "an unknown" : "no", what, name ? name : "");
    return k;
}

static void collect_links(urdf *u)
{
    vgRobot *r = u->r;
    for (vgXml *e = vg_xml_child(u->root, "link"); e; e = vg_xml_next(e, "link")) {
        const char *name = vg_xml_get(e, "name");
        int index, existed;
        e->used = 1;
        if (!name) {
            vg_robot_wrong(r, e->loc, "a link has no name");
            continue;
        }
        if (vg_names_add(u->links, name, &index, &existed) != VG_OK) r->full = 1;
        if (existed) {
            vg_robot_wrong(r, e->loc, "link '%.80s' is there twice", name);
            continue;
        }
        u->link_name[u->nlink] = name;
        u->link[u->nlink++] = e;
    }
}

static void collect_joints(urdf *u)
{
    static const char *const types[] = {"fixed", "revolute", "continuous", "prismatic", "planar", "floating"};
    vgRobot *r = u->r;
    for (vgXml *e = vg_xml_child(u->root, "joint"); e; e = vg_xml_next(e, "joint")) {
        const char *name = vg_xml_get(e, "name"), *type = vg_xml_get(e, "type");
        int index, existed, known = 0;
        e->used = 1;
        if (!name || !type) {
            vg_robot_wrong(r, e->loc, "a joint needs a name and a type");
            continue;
        }
        for (int i = 0; i < 6; i++) known |= strcmp(type, types[i]) == 0;
        if (!known) {
            const char *near = vg_name_closest(type, types, 6);
            vg_robot_wrong(r, e->loc, "joint '%.80s' has the unknown type '%.40s'%s%s%s", name, type,
                           near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
            continue;
        }
        if (vg_names_add(u->joints, name, &index, &existed) != VG_OK) r->full = 1;
        if (existed) {
            vg_robot_wrong(r, e->loc, "joint '%.80s' is there twice", name);
            continue;
        }
        int parent = index_of(u, e, "parent", "link", "parent"),
            child = index_of(u, e, "child", "link", "child");
        if (parent < 0 || child < 0) continue;
        if (u->above[child] >= 0) {
            vg_robot_wrong(r, e->loc,
                           "link '%.80s' has two joints above it, '%.80s' and '%.80s'; close a loop by "
                           "<loop_joint> or --loops",
                           u->link_name[child], u->joint[u->above[child]].name, name);
            continue;
        }
        urdfJoint *j = &u->joint[u->njoint];
        *j = (urdfJoint){e, name, type, parent, child, origin_of(r, e), -1};
        u->above[child] = u->njoint++;
    }
    for (int k = u->njoint - 1; k >= 0; k--) {
        u->next[k] = u->first[u->joint[k].parent];
        u->first[u->joint[k].parent] = k;
    }
}

/* Numbers of a joint that moves. */
static void read_joint_numbers(vgRobot *r, vgXml *e, vgRobotJoint *j, const char *type)
{
    vgXml *axis = vg_xml_child(e, "axis"), *dynamics = vg_xml_child(e, "dynamics"),
          *limit = vg_xml_child(e, "limit");
    j->axis = vg_v3(1, 0, 0);
    if (axis) {
        axis->used = 1;
        vg_robot_attr_vec(r, axis, "xyz", &j->axis);
    }
    double n = vg_norm3(j->axis);
    if (!(n > 0)) {
        vg_robot_wrong(r, axis ? axis->loc : e->loc, "the axis of joint '%.80s' has no direction", j->given);
        return;
    }
    if (n != 1) j->axis = vg_scale3(j->axis, 1 / n);
    if (dynamics) {
        dynamics->used = 1;
        vg_robot_attr_number(r, dynamics, "damping", &j->damping);
        vg_robot_attr_number(r, dynamics, "friction", &j->friction);
    }
    if (!limit) return;
    limit->used = 1;
    int lower = vg_robot_attr_number(r, limit, "lower", &j->lower),
        upper = vg_robot_attr_number(r, limit, "upper", &j->upper);
    j->limited = (lower || upper) && strcmp(type, "continuous") != 0 && j->kind <= VG_ROBOT_SLIDE;
    if (!j->limited || j->lower > j->upper || (j->lower <= 0 && j->upper >= 0)) return;
    j->q[0] = j->lower > 0 ? j->lower : j->upper;
    vg_robot_note(r, VG_IMPORT_CHANGED, 0, e->loc, "joint '%.80s' starts at %g, for 0 is out of its range",
                  j->given, j->q[0]);
}

static vgRobotJointKind kind_of(const char *type)
{
    if (strcmp(type, "prismatic") == 0) return VG_ROBOT_SLIDE;
    if (strcmp(type, "planar") == 0) return VG_ROBOT_PLANAR;
    if (strcmp(type, "floating") == 0) return VG_ROBOT_FREE;
    return VG_ROBOT_HINGE;
}

static void add_joint(urdf *u, urdfJoint *j, int body)
{
    vgRobot *r = u->r;
    vgRobotJointKind kind = kind_of(j->type);
    vgXml *axis = vg_xml_child(j->e, "axis");
    if (strcmp(j->type, "fixed") == 0) {
        vgXml *limit = vg_xml_child(j->e, "limit"), *dynamics = vg_xml_child(j->e, "dynamics");
        if (axis) axis->used = 1, vg_xml_get(axis, "xyz");
        if (limit) limit->used = 1, vg_xml_get(limit, "lower"), vg_xml_get(limit, "upper");
        if (dynamics) dynamics->used = 1, vg_xml_get(dynamics, "damping"), vg_xml_get(dynamics, "friction");
        return;
    }
    vgRobotJoint *to = vg_robot_add_joint(r, j->name, j->e->loc, body, kind);
    if (!to) return;
    j->index = r->njoint - 1;
    read_joint_numbers(r, j->e, to, j->type);
    if (kind == VG_ROBOT_PLANAR) {
        /* the robot's planar joint moves in x and y: the link's frame is where it was, the plane's normal is the axis */
        if (vg_norm3(vg_sub3(to->axis, vg_v3(0, 0, 1))) > VG_GIVEN_AXIS && vg_xml_child(j->e, "axis"))
            vg_robot_wrong(r, j->e->loc,
                           "the planar joint '%.80s' has a normal other than z; turn its origin instead",
                           j->name);
        to->axis = vg_v3(0, 0, 1);
    }
    if (kind == VG_ROBOT_FREE) {
        vg_robot_note(r, VG_IMPORT_USED, 0, j->e->loc,
                      "the floating joint '%s' leaves its link free; it has no coordinate of its own",
                      j->name);
        vg_store3(j->at.p, to->q);
        vg_quat_store(vg_quat_from_mat(j->at.R), to->q + 3);
    }
}

/* Links below link k, parents first. Depth is bounded by the number of links; the stack is a list. */
static void build_tree(urdf *u, int root)
{
    vgRobot *r = u->r;
    int *stack = VG_NEW(r->pool, int, u->nlink + 1), n = 0;
    if (!stack) {
        r->full = 1;
        return;
    }
    stack[n++] = root;
    while (n && !r->full) {
        int k = stack[--n], above = u->above[k];
        vgRobotBody *b = vg_robot_add_body(r, u->link_name[k], u->link[k]->loc);
        if (!b) return;
        u->body[k] = r->nbody - 1;
        if (above >= 0) {
            b->parent = u->body[u->joint[above].parent];
            b->at = u->joint[above].at;
            add_joint(u, &u->joint[above], r->nbody - 1);
        }
        read_inertial(r, u->link[k], &r->body[u->body[k]]);
        read_visuals(u, u->link[k], u->body[k]);
        int first = n;
        for (int j = u->first[k]; j >= 0; j = u->next[j]) stack[n++] = u->joint[j].child;
        for (int a = first, z = n - 1; a < z; a++, z--) { /* in the order of the file */
            int keep = stack[a];
            stack[a] = stack[z], stack[z] = keep;
        }
    }
    if (r->nbody) r->body[u->body[root]].fixed_root = -1;
}

static int find_root(urdf *u)
{
    int root = -1;
    for (int k = 0; k < u->nlink; k++) {
        if (u->above[k] >= 0) continue;
        if (root >= 0) {
            vg_robot_wrong(
                u->r, u->link[k]->loc,
                "there are two root links, '%.80s' and '%.80s'; a robot has one: join them by a joint",
                u->link_name[root], u->link_name[k]);
            return -1;
        }
        root = k;
    }
    if (root < 0)
        vg_robot_wrong(u->r, u->root->loc,
                       u->nlink ? "no link is the root: the joints form a circle" : "the robot has no links");
    return root;
}

/* Follower = multiplier × leader + offset. */
static void read_mimics(urdf *u)
{
    vgRobot *r = u->r;
    for (int k = 0; k < u->njoint; k++) {
        vgXml *e = vg_xml_child(u->joint[k].e, "mimic");
        if (!e) continue;
        const char *leader = vg_xml_get(e, "joint");
        double multiplier = 1, offset = 0;
        e->used = 1;
        vg_robot_attr_number(r, e, "multiplier", &multiplier);
        vg_robot_attr_number(r, e, "offset", &offset);
        int to = vg_robot_find_joint(r, leader), self = u->joint[k].index;
        if (to < 0 || self < 0) {
            vg_robot_wrong(r, e->loc, "joint '%.80s' mimics '%.80s', which %s", u->joint[k].name,
                           leader ? leader : "",
                           self < 0 ? "it cannot: it is fixed" : "is no joint that moves");
            continue;
        }
        if (to == self || r->joint[to].kind > VG_ROBOT_SLIDE || r->joint[self].kind > VG_ROBOT_SLIDE) {
            vg_robot_wrong(r, e->loc,
                           "joint '%.80s' cannot mimic '%.80s': both must turn or slide along one axis",
                           u->joint[k].name, leader);
            continue;
        }
        vgRobotCoupling *c =
            vg_robot_add_coupling(r, vg_pool_printf(r->pool, "%s_mimic", r->joint[self].name), e->loc);
        if (!c) return;
        c->n = 2;
        c->joint[0] = self, c->joint[1] = to;
        c->factor[0] = 1, c->factor[1] = -multiplier;
        c->offset = offset;
    }
}

/* Initial values that the file does not give follow from the mimic joints. */
static void start_mimics(urdf *u)
{
    vgRobot *r = u->r;
    for (int pass = 0; pass < r->ncoupling; pass++) {
        int changed = 0;
        for (int i = 0; i < r->ncoupling; i++) {
            const vgRobotCoupling *c = &r->coupling[i];
            double q = c->offset - c->factor[1] * r->joint[c->joint[1]].q[0];
            changed |= r->joint[c->joint[0]].q[0] != q;
            r->joint[c->joint[0]].q[0] = q;
        }
        if (!changed) return;
    }
}

static void loop_link(urdf *u, vgXml *e, const char *name, vgRobotLoop *l, int side)
{
    vgXml *c = vg_xml_child(e, name);
    const char *link = vg_xml_get(c, "link");
    double rpy[3];
    l->body[side] = link ? vg_robot_find_body(u->r, link) : -1;
    if (!c || l->body[side] < 0) {
        vg_robot_wrong(u->r, c ? c->loc : e->loc, "a loop joint needs <%s link=…> with a link of the robot",
                       name);
        return;
    }
    c->used = 1;
    vg_robot_attr_vec(u->r, c, "xyz", &l->at[side].p);
    if (vg_robot_attr_numbers(u->r, c, "rpy", 3, 3, rpy))
        l->at[side].R = vg_robot_rpy(rpy[0], rpy[1], rpy[2]);
}

static void read_loop_joints(urdf *u)
{
    vgRobot *r = u->r;
    for (vgXml *e = vg_xml_child(u->root, "loop_joint"); e; e = vg_xml_next(e, "loop_joint")) {
        const char *name = vg_xml_get(e, "name"), *type = vg_xml_get(e, "type");
        int hinge = type && (strcmp(type, "revolute") == 0 || strcmp(type, "continuous") == 0);
        int ball = type && (strcmp(type, "ball") == 0 || strcmp(type, "spherical") == 0);
        vgXml *axis = vg_xml_child(e, "axis");
        e->used = 1;
        if (!type || (!hinge && !ball && strcmp(type, "fixed") != 0)) {
            vg_robot_wrong(r, e->loc,
                           "loop joint '%.80s': the type '%.40s' is not known; fixed, revolute and ball are",
                           name ? name : "", type ? type : "");
            continue;
        }
        vgRobotLoop *l = vg_robot_add_loop(r, name ? name : "loop", e->loc,
                                           hinge  ? "revolute"
                                           : ball ? "spherical"
                                                  : "fixed");
        if (!l) return;
        l->axis = vg_v3(1, 0, 0);
        if (axis) axis->used = 1, vg_robot_attr_vec(r, axis, "xyz", &l->axis);
        if (hinge && !(vg_norm3(l->axis) > 0)) vg_robot_wrong(r, e->loc, "the axis has no direction");
        l->axis = vg_unit3(l->axis);
        loop_link(u, e, "link1", l, 0);
        loop_link(u, e, "link2", l, 1);
    }
}

/* Actuators as inputs: torque = reduction × input.NAME. */
static void read_transmissions(urdf *u)
{
    vgRobot *r = u->r;
    for (vgXml *e = vg_xml_child(u->root, "transmission"); e; e = vg_xml_next(e, "transmission")) {
        vgXml *joint = vg_xml_child(e, "joint"), *act = vg_xml_child(e, "actuator"),
              *type = vg_xml_child(e, "type");
        const char *jname = vg_xml_get(joint, "name"), *aname = vg_xml_get(act, "name"),
                   *name = vg_xml_get(e, "name");
        double ratio = 1;
        e->used = 1;
        vg_xml_get(e, "type");
        if (type) type->used = 1;
        if (joint) joint->used = 1;
        if (act) act->used = 1;
        vgXml *where[3] = {e, joint, act};
        for (int i = 0; i < 3; i++) {
            vgXml *reduction = vg_xml_child(where[i], "mechanicalReduction"),
                  *iface = vg_xml_child(where[i], "hardwareInterface");
            if (iface) iface->used = 1;
            if (reduction) {
                reduction->used = 1;
                vg_robot_text_number(r, reduction, &ratio);
            }
        }
        int k = vg_robot_find_joint(r, jname);
        if (k < 0 || r->joint[k].kind > VG_ROBOT_SLIDE || r->joint[k].held) {
            vg_robot_note(r, VG_IMPORT_IGNORED, 0, e->loc,
                          "transmission '%.80s' drives '%.80s', which is no joint that moves along one axis",
                          name ? name : "", jname ? jname : "");
            continue;
        }
        const char *base = vg_robot_name(r, r->force_names,
                                         aname  ? aname
                                         : name ? name
                                                : jname,
                                         e->loc, "actuator");
        vg_robot_actuate(r, base, e->loc, k, ratio);
    }
}

static void read_all(urdf *u)
{
    vgRobot *r = u->r;
    collect_links(u);
    collect_joints(u);
    int root = find_root(u);
    if (root < 0 || vg_robot_failed(r)) return;
    build_tree(u, root);
    if (r->full || r->nbody < u->nlink) {
        for (int k = 0; k < u->nlink && !r->full; k++)
            if (u->body[k] < 0) {
                vg_robot_wrong(r, u->link[k]->loc,
                               "link '%.80s' is not below the root '%.80s': its joints form a circle",
                               u->link_name[k], u->link_name[root]);
                return;
            }
        return;
    }
    read_mimics(u);
    start_mimics(u);
    read_loop_joints(u);
    vg_urdf_loops(r);
    if (vg_robot_failed(r)) return;
    vg_robot_finish_tree(r);
    read_transmissions(u);
    vg_urdf_motors(r);
    vg_robot_sweep(r, u->root, ignored);
}

void vg_urdf_read(vgRobot *r, vgXml *root)
{
    urdf u = {.r = r, .root = root};
    int links = 0, joints = 0;
    const char *name = vg_xml_get(root, "name");
    r->title = name ? name : "robot";
    root->used = 1;
    for (const vgXml *e = root->child; e; e = e->next) {
        links += strcmp(e->name, "link") == 0;
        joints += strcmp(e->name, "joint") == 0;
        if (strncmp(e->name, "xacro:", 6) == 0) {
            vg_robot_wrong(r, e->loc,
                           "<%.60s> is xacro, not URDF; expand it first: xacro FILE.xacro > FILE.urdf",
                           e->name);
            return;
        }
    }
    u.links = vg_names_new();
    u.joints = vg_names_new();
    u.link = VG_NEW(r->pool, vgXml *, links + 1);
    u.link_name = VG_NEW(r->pool, const char *, links + 1);
    u.joint = VG_NEW(r->pool, urdfJoint, joints + 1);
    u.first = VG_NEW(r->pool, int, links + 1);
    u.above = VG_NEW(r->pool, int, links + 1);
    u.body = VG_NEW(r->pool, int, links + 1);
    u.next = VG_NEW(r->pool, int, joints + 1);
    r->full |= !u.links || !u.joints || !u.link || !u.link_name || !u.joint || !u.first || !u.above ||
               !u.body || !u.next;
    if (r->full) vg_pool_starve(r->pool);
    if (!r->full) {
        for (int k = 0; k <= links; k++) u.first[k] = u.above[k] = u.body[k] = -1;
        read_all(&u);
    }
    if (vg_names_starved(u.links) || vg_names_starved(u.joints)) vg_pool_starve(r->pool);
    vg_names_free(u.links);
    vg_names_free(u.joints);
}

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
    {"mujoco", 0, "settings of another program"},
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
    {"ros2_control", 0, "it is for the real machine"},
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

vgPose vg_urdf_origin(vgRobot *r, vgXml *parent)
{
    vgXml *e = vg_xml_child(parent, "origin");
    vgPose p = vg_pose_identity();
    double rpy[3] = {0, 0, 0}, q[4];
    if (!e) return p;
    e->used = 1;
    vg_robot_attr_vec(r, e, "xyz", &p.p);
    if (vg_robot_attr_numbers(r, e, "rpy", 3, 3, rpy)) p.R = vg_robot_rpy(rpy[0], rpy[1], rpy[2]);
    if (!vg_robot_attr_numbers(r, e, "quat_xyzw", 4, 4, q)) return p;
    if (vg_xml_attr(e, "rpy")) vg_robot_wrong(r, e->loc, "an origin has rpy or quat_xyzw, not both");
    if (!(q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0))
        vg_robot_wrong(r, e->loc, "quat_xyzw has no direction");
    else
        p.R = vg_quat_to_mat(vg_quat_normalize(vg_quat_load((const double[4]){q[3], q[0], q[1], q[2]})));
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
    vgPose at = vg_urdf_origin(r, e);
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
        *j = (urdfJoint){e, name, type, parent, child, vg_urdf_origin(r, e), -1};
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
    if (j->limited && j->lower > j->upper)
        vg_robot_note(r, VG_IMPORT_IGNORED, 1, limit->loc,
                      "the range of joint '%.80s' is ignored: its lower end %g is above its upper one %g",
                      j->given, j->lower, j->upper);
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
    if (kind == VG_ROBOT_PLANAR && vg_xml_child(j->e, "axis")) {
        /* the axis is normal to the plane; x and y of the joint's frame are turned with it from z */
        to->plane = vg_robot_z_to(to->axis);
        if (vg_norm3(vg_sub3(to->axis, vg_v3(0, 0, 1))) > VG_GIVEN_AXIS)
            vg_robot_note(
                r, VG_IMPORT_USED, 0, j->e->loc,
                "the planar joint '%.80s' has a normal other than z: its x and y are those of its frame, "
                "turned by the least angle from z to the normal",
                j->name);
    }
    if (kind == VG_ROBOT_PLANAR) to->axis = vg_col3(to->plane, 2);
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
        vg_urdf_visuals(r, u->root, u->link[k], u->body[k]);
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

/* A joint that follows itself over others has no leader. */
static void refuse_circles(urdf *u)
{
    vgRobot *r = u->r;
    for (int i = 0; i < r->ncoupling; i++) {
        int at = r->coupling[i].joint[1], steps = 0;
        for (int k = 0; k < r->ncoupling && steps <= r->ncoupling; k++)
            if (r->coupling[k].joint[0] == at) at = r->coupling[k].joint[1], k = -1, steps++;
        if (steps <= r->ncoupling) continue;
        vg_robot_wrong(r, r->coupling[i].loc,
                       "joint '%.80s' mimics itself over other joints: one of them must lead",
                       r->joint[r->coupling[i].joint[0]].given);
        return;
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
        if (k >= 0 && r->joint[k].held) {
            vg_robot_refuse_held(r, k, e->loc, "a transmission drives it");
            continue;
        }
        if (k < 0 || r->joint[k].kind > VG_ROBOT_SLIDE) {
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
    refuse_circles(u);
    if (vg_robot_failed(r)) return;
    start_mimics(u);
    read_loop_joints(u);
    vg_urdf_loops(r);
    if (vg_robot_failed(r)) return;
    vg_robot_finish_tree(r);
    read_transmissions(u);
    vg_urdf_motors(r);
    vg_robot_sweep(r, u->root, ignored);
}

/* 0 after a report: e or what is below it are to be expanded first. */
static int refuse_xacro(vgRobot *r, const vgXml *e)
{
    static const char hint[] = "is xacro, not URDF; expand it first: xacro FILE.xacro > FILE.urdf";
    for (; e; e = e->next) {
        if (strncmp(e->name, "xacro:", 6) == 0)
            return vg_robot_wrong(r, e->loc, "<%.60s> %s", e->name, hint), 0;
        for (int i = 0; i < e->nattr; i++)
            if (strstr(e->attr[i].value, "${") || strstr(e->attr[i].value, "$("))
                return vg_robot_wrong(r, e->attr[i].loc, "%.60s=\"%.60s\" %s", e->attr[i].name,
                                      e->attr[i].value, hint),
                       0;
        if (!refuse_xacro(r, e->child)) return 0;
    }
    return 1;
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
    }
    if (!refuse_xacro(r, root)) return;
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

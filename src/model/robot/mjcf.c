/* MJCF: settings, default classes, included files and the tree of bodies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/robot/mjcf.h"

static const double PI = 3.14159265358979323846;
enum { MAX_REPLICATES = 10000 };

static const vgRobotIgnored ignored[] = {
    {"visual", 0, "how another program draws"},
    {"size", 0, "memory of another program"},
    {"statistic", 0, "how another program draws"},
    {"texture", 0, "textures are not drawn"},
    {"material", 0, NULL},
    {"hfield", 0, "height fields are not drawn"},
    {"skin", 0, "skins are not drawn"},
    {"model", 1, "models inside models are not read"},
    {"mesh/inertia", 0, NULL},
    {"mesh/maxhullvert", 0, NULL},
    {"mesh/smoothnormal", 0, NULL},
    {"mesh/vertex", 0, "meshes are read from files"},
    {"mesh/face", 0, "meshes are read from files"},
    {"contact", 1, "geoms do not touch each other: contacts are not imported"},
    {"custom", 0, "data for other programs"},
    {"extension", 1, "a plugin of another program"},
    {"deformable", 1, "deformable bodies are not imported"},
    {"camera", 0, "cameras are not imported"},
    {"light", 0, "lights are not imported"},
    {"sensor", 0, "record the channel of the same quantity"},
    {"flag", 0, "a switch of another program"},
    {"composite", 1, "it is not expanded"},
    {"flexcomp", 1, "it is not expanded"},
    {"attach", 1, "it is not expanded"},
    {"muscle", 1, "muscles are not imported: drive its tendon or joint by a motor or a law of your own"},
    {"adhesion", 1, "there are no contacts to adhere by"},
    {"plugin", 1, "a plugin of another program"},
    {"option/timestep", 0, NULL},
    {"option/magnetic", 0, "there are no magnetometers"},
    {"compiler/texturedir", 0, "textures are not read"},
    {"joint/springdamper", 1, "give stiffness and damping instead"},
    {"inertial", 0, "inertiafromgeom has the geoms weigh the body"},
    {"lengthrange", 0, "it is for muscles"},
    {"compiler/fitaabb", 0, "it is for geoms in place of meshes"},
    {"compiler/saveinertial", 0, "it is for files that are written"},
    {"compiler/alignfree", 0, "frames of free bodies stay where the file has them"},
    {"freejoint/align", 0, "the frame of the body stays where the file has it"},
    {"body/sleep", 0, "nothing sleeps"},
    {"joint/margin", 0, "softness of limits is the stop's own"},
    {"fixed/margin", 0, "softness of limits is the stop's own"},
    {"spatial/margin", 0, "softness of limits is the stop's own"},
    {"weld/torquescale", 0, "the equality is exact"},
    {"option/ls_tolerance", 0, "equalities are exact"},
    {"option/noslip_tolerance", 0, "there are no contacts"},
    {"option/ccd_tolerance", 0, "there are no contacts"},
    {"option/ccd_iterations", 0, "there are no contacts"},
    {"option/sdf_iterations", 0, "there are no contacts"},
    {"option/sdf_initpoints", 0, "there are no contacts"},
    {"option/o_margin", 0, "there are no contacts"},
    {"option/o_solref", 0, "there are no contacts"},
    {"option/o_solimp", 0, "there are no contacts"},
    {"option/o_friction", 0, "there are no contacts"},
    {"option/jacobian", 0, "the model's own method is used"},
    {"joint/solreflimit", 0, "softness of limits is the stop's own"},
    {"joint/solimplimit", 0, "softness of limits is the stop's own"},
    {"joint/solreffriction", 0, "friction is smooth"},
    {"joint/solimpfriction", 0, "friction is smooth"},
    {"*/solref", 0, "equalities are exact"},
    {"*/solimp", 0, "equalities are exact"},
    {"spatial/solreflimit", 0, "softness of limits is the stop's own"},
    {"spatial/solimplimit", 0, "softness of limits is the stop's own"},
    {"spatial/solreffriction", 0, "friction is smooth"},
    {"spatial/solimpfriction", 0, "friction is smooth"},
    {"fixed/solreflimit", 0, "softness of limits is the stop's own"},
    {"fixed/solimplimit", 0, "softness of limits is the stop's own"},
    {"fixed/solreffriction", 0, "friction is smooth"},
    {"fixed/solimpfriction", 0, "friction is smooth"},
    {"joint/actuatorgravcomp", 0, "it matters where forces of actuators are bounded"},
    {"*/lengthrange", 0, "it is for muscles"},
    {"*/actearly", 0, "the activation acts at once"},
    {"*/actuatorfrcrange", 1, "the sum of the actuators of a tendon is not bounded"},
    {"*/actuatorfrclimited", 0, NULL},
    {"geom/fitscale", 0, "geoms are not fitted to meshes"},
    {"*/rgba", 0, NULL},
    {"*/group", 0, NULL},
    {"*/material", 0, NULL},
    {"*/user", 0, NULL},
    {"*/class", 0, NULL},
    {"*/childclass", 0, NULL},
    {"*/name", 0, NULL},
    {"site/size", 0, NULL},
    {"site/type", 0, NULL},
    {"spatial/width", 0, NULL},
    {"tendon/width", 0, NULL},
    {"option/integrator", 0, "the model's own method is used"},
    {"option/cone", 0, "there are no contacts"},
    {"option/impratio", 0, "there are no contacts"},
    {"option/solver", 0, "equalities are exact"},
    {"option/iterations", 0, "equalities are exact"},
    {"option/tolerance", 0, "equalities are exact"},
    {"option/ls_iterations", 0, "equalities are exact"},
    {"option/noslip_iterations", 0, "there are no contacts"},
    {"geom", 0, NULL},
    {NULL, 1, "it is not understood here"},
};

const char *vg_mjcf_name(vgMjcf *m, vgXml *e, const char *otherwise, int number)
{
    const char *given = vg_xml_get(e, "name");
    if (!given) return vg_pool_printf(m->r->pool, "%s%d", otherwise, number);
    return m->suffix[0] ? vg_pool_printf(m->r->pool, "%s%s", given, m->suffix) : given;
}

static int find_class(const vgMjcf *m, const char *name)
{
    for (int i = m->nclass - 1; name && i >= 0; i--)
        if (strcmp(m->cls[i].name, name) == 0) return i;
    return -1;
}

static int class_of(vgMjcf *m, vgXml *e, const char *key, int otherwise)
{
    const char *name = vg_xml_get(e, key);
    if (!name) return otherwise;
    int k = find_class(m, name);
    if (k < 0) vg_robot_wrong(m->r, vg_xml_attr(e, key)->loc, "there is no default class '%.80s'", name);
    return k;
}

vgMjcfItem vg_mjcf_item(vgMjcf *m, vgXml *e, const char *tag, int childclass)
{
    vgMjcfItem it = {m, e, {tag, NULL, NULL}, class_of(m, e, "class", childclass)};
    e->used = 1;
    return it;
}

/* The element of a class whose attribute counts, the last of several; NULL: none. */
static vgXml *holder_in(const vgMjcfItem *it, int cls, const char *name)
{
    vgXml *found = NULL;
    for (int t = 0; t < VG_MJCF_TAGS && it->tag[t] && !found; t++)
        for (vgXml *d = vg_xml_child(it->m->cls[cls].e, it->tag[t]); d; d = vg_xml_next(d, it->tag[t]))
            if (vg_xml_attr(d, name)) found = d;
    return found;
}

/* The element whose attribute counts; NULL: none. */
static vgXml *holder(const vgMjcfItem *it, const char *name)
{
    vgXml *found = vg_xml_attr(it->e, name) ? it->e : NULL;
    for (int c = it->cls; c >= 0 && !found; c = it->m->cls[c].parent) found = holder_in(it, c, name);
    return found;
}

const char *vg_mjcf_text(const vgMjcfItem *it, const char *name)
{
    vgXml *e = holder(it, name);
    return e ? vg_xml_get(e, name) : NULL;
}

int vg_mjcf_numbers(const vgMjcfItem *it, const char *name, int least, int most, double *out)
{
    vgXml *e = holder(it, name);
    return e ? vg_robot_attr_numbers(it->m->r, e, name, least, most, out) : 0;
}

int vg_mjcf_fill(const vgMjcfItem *it, const char *name, int most, double *out)
{
    int chain[VG_MJCF_MAX_CLASSES], n = 0, set = 0;
    for (int c = it->cls; c >= 0; c = it->m->cls[c].parent) chain[n++] = c;
    for (; n >= 0; n--) {
        vgXml *e = n ? holder_in(it, chain[n - 1], name) : it->e;
        double x[VG_MJCF_MOST_NUMBERS];
        int given = e ? vg_robot_attr_numbers(it->m->r, e, name, 1, most, x) : 0;
        for (int k = 0; k < given; k++) out[k] = x[k];
        if (given > set) set = given;
    }
    return set;
}

int vg_mjcf_number(const vgMjcfItem *it, const char *name, double *out)
{
    return vg_mjcf_numbers(it, name, 1, 1, out);
}

int vg_mjcf_word(const vgMjcfItem *it, const char *name, const char *word)
{
    const char *text = vg_mjcf_text(it, name);
    return text && strcmp(text, word) == 0;
}

int vg_mjcf_switch(const vgMjcfItem *it, const char *name)
{
    const char *text = vg_mjcf_text(it, name);
    if (!text || strcmp(text, "auto") == 0) return -1;
    return strcmp(text, "true") == 0;
}

static vgMat3 euler(const vgMjcf *m, const double e[3])
{
    double unit = m->degree ? PI / 180 : 1;
    vgMat3 R = vg_eye3();
    for (int i = 0; i < 3; i++) {
        char c = m->eulerseq[i];
        int outer = c >= 'X' && c <= 'Z', k = outer ? c - 'X' : c - 'x';
        vgMat3 T = vg_so3_exp(vg_scale3(vg_unit_axis3(k), e[i] * unit));
        R = outer ? vg_mm3(T, R) : vg_mm3(R, T);
    }
    return R;
}

/* An orientation that is not a quaternion; 0: the element itself (own) or its class has none. */
static int other_orientation(const vgMjcfItem *it, int own, vgMat3 *R)
{
    static const char *const names[] = {"axisangle", "euler", "xyaxes", "zaxis"};
    static const int count[] = {4, 3, 6, 3};
    double x[6], unit = it->m->degree ? PI / 180 : 1;
    int k = 0;
    while (k < 4 && !(own ? vg_xml_attr(it->e, names[k]) != NULL : holder(it, names[k]) != NULL)) k++;
    if (k == 4 || !vg_mjcf_numbers(it, names[k], count[k], count[k], x)) return 0;
    if (k != 1 && !(vg_norm3(vg_load3(x)) > 0)) return 0;
    if (k == 0) *R = vg_so3_exp(vg_scale3(vg_unit3(vg_load3(x)), x[3] * unit));
    if (k == 1) *R = euler(it->m, x);
    if (k == 3) *R = vg_robot_z_to(vg_load3(x));
    if (k != 2) return 1;
    vgVec3 a = vg_unit3(vg_load3(x)), b = vg_load3(x + 3);
    b = vg_unit3(vg_axpy3(-vg_dot3(a, b), a, b));
    *R = vg_cols3(a, b, vg_cross3(a, b));
    return 1;
}

/* As the format's own reader: another orientation than a quaternion counts before one, also that of a class. */
vgPose vg_mjcf_pose(const vgMjcfItem *it)
{
    vgPose p = vg_pose_identity();
    double x[4];
    if (vg_mjcf_numbers(it, "pos", 3, 3, x)) p.p = vg_load3(x);
    if (vg_mjcf_numbers(it, "quat", 4, 4, x) && (x[0] != 0 || x[1] != 0 || x[2] != 0 || x[3] != 0))
        p.R = vg_quat_to_mat(vg_quat_normalize(vg_quat_load(x)));
    if (!other_orientation(it, 1, &p.R)) other_orientation(it, 0, &p.R);
    return p;
}

static void read_limits(vgMjcf *m, const vgMjcfItem *it, vgRobotJoint *j)
{
    double range[2], unit = m->degree && j->kind == VG_ROBOT_HINGE ? PI / 180 : 1;
    int given = vg_mjcf_numbers(it, "range", 2, 2, range), limited = vg_mjcf_switch(it, "limited");
    if (!given) return;
    if (limited < 0) limited = m->autolimits && range[0] < range[1];
    if (j->kind > VG_ROBOT_SLIDE) {
        if (limited)
            vg_robot_note(m->r, VG_IMPORT_IGNORED, 1, j->loc,
                          "the range of joint '%.80s' is ignored: limits are for joints with one coordinate",
                          j->given);
        return;
    }
    j->limited = limited;
    j->lower = range[0] * unit;
    j->upper = range[1] * unit;
}

static void read_joint(vgMjcf *m, vgXml *e, int childclass, int body, vgPose frame)
{
    static const char *const names[] = {"hinge", "slide", "ball", "planar", "free"};
    vgRobot *r = m->r;
    int free = strcmp(e->name, "freejoint") == 0;
    vgMjcfItem it = vg_mjcf_item(m, e, free ? "freejoint" : "joint", free ? -1 : childclass);
    const char *type = free ? "free" : vg_mjcf_text(&it, "type");
    int kind = VG_ROBOT_HINGE;
    double x[3];
    for (int k = 0; type && k < 5; k++)
        if (strcmp(type, names[k]) == 0) kind = k;
    if (type && strcmp(type, names[kind]) != 0) {
        vg_robot_wrong(r, e->loc, "the joint type '%.40s' is not known; hinge, slide, ball and free are",
                       type);
        return;
    }
    vgRobotJoint *j =
        vg_robot_add_joint(r, vg_mjcf_name(m, e, "joint#", r->njoint), e->loc, body, (vgRobotJointKind)kind);
    if (!j) return;
    double unit = m->degree && kind == VG_ROBOT_HINGE ? PI / 180 : 1;
    if (vg_mjcf_numbers(&it, "pos", 3, 3, x)) j->anchor = vg_load3(x);
    j->anchor = kind == VG_ROBOT_FREE ? vg_zero3() : vg_add3(frame.p, vg_mv3(frame.R, j->anchor));
    if (vg_mjcf_numbers(&it, "axis", 3, 3, x)) j->axis = vg_load3(x);
    if (vg_mmax3(vg_msub3(frame.R, vg_eye3())) != 0) j->axis = vg_mv3(frame.R, j->axis);
    if (!(vg_norm3(j->axis) > 0))
        vg_robot_wrong(r, e->loc, "the axis of joint '%.80s' has no direction", j->given);
    if (vg_norm3(j->axis) != 1) j->axis = vg_unit3(j->axis);
    if (kind == VG_ROBOT_HINGE || kind == VG_ROBOT_SLIDE) {
        if (vg_mjcf_number(&it, "ref", &j->ref)) j->ref *= unit;
        if (vg_mjcf_number(&it, "springref", &j->springref)) j->springref *= unit;
        j->q[0] = j->ref;
    }
    vg_mjcf_number(&it, "stiffness", &j->stiffness);
    vg_mjcf_number(&it, "damping", &j->damping);
    vg_mjcf_number(&it, "armature", &j->armature);
    vg_mjcf_number(&it, "frictionloss", &j->friction);
    read_limits(m, &it, j);
    int bounded = vg_mjcf_switch(&it, "actuatorfrclimited");
    if (vg_mjcf_numbers(&it, "actuatorfrcrange", 2, 2, j->force) && kind <= VG_ROBOT_SLIDE)
        j->bounded = bounded < 0 ? m->autolimits : bounded;
}

static vgMat3 full_inertia(const double f[6])
{
    return vg_m3(f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]);
}

/* 1: the body has an <inertial>. */
static int read_inertial(vgMjcf *m, vgXml *body, vgPose frame, vgRobotBody *b)
{
    vgXml *e = vg_xml_child(body, "inertial");
    double mass = 0, d[6];
    for (vgXml *c = e ? NULL : vg_xml_child(body, "frame"); c; c = vg_xml_next(c, "frame")) {
        vgMjcfItem in = {m, c, {"frame"}, -1};
        if (read_inertial(m, c, vg_pose_mul(frame, vg_mjcf_pose(&in)), b)) return 1;
    }
    if (!e) return 0;
    vgMjcfItem it = vg_mjcf_item(m, e, "inertial", -1);
    vgPose at = vg_pose_mul(frame, vg_mjcf_pose(&it));
    vgMat3 I = vg_mzero3();
    vg_mjcf_number(&it, "mass", &mass);
    if (vg_mjcf_numbers(&it, "fullinertia", 6, 6, d))
        I = full_inertia(d);
    else if (vg_mjcf_numbers(&it, "diaginertia", 3, 3, d))
        I = vg_diag3(d[0], d[1], d[2]);
    if (mass < 0) vg_robot_wrong(m->r, e->loc, "the mass of body '%.80s' is negative", b->given);
    vg_robot_add_mass(b, mass, at, I);
    return 1;
}

static void read_body(vgMjcf *m, vgXml *e, int parent, vgPose frame, int childclass);

/* The joints of a body, also those in its frames. */
static void read_joints(vgMjcf *m, vgXml *e, int body, vgPose frame, int childclass)
{
    for (vgXml *c = e->child; c && !vg_robot_failed(m->r); c = c->next) {
        if (strcmp(c->name, "joint") == 0 || strcmp(c->name, "freejoint") == 0) {
            read_joint(m, c, childclass, body, frame);
        } else if (strcmp(c->name, "frame") == 0) {
            vgMjcfItem it = {m, c, {"frame"}, -1};
            read_joints(m, c, body, vg_pose_mul(frame, vg_mjcf_pose(&it)),
                        class_of(m, c, "childclass", childclass));
        }
    }
}

static void read_content(vgMjcf *m, vgXml *e, int body, vgPose frame, int childclass, int with_mass);

/* Copy k is turned by k times the angles, not by k rotations; its place is that of the copy before and the offset in its axes. */
static void replicate(vgMjcf *m, vgXml *e, int body, vgPose frame, int childclass, int with_mass)
{
    vgRobot *r = m->r;
    double count = 0, angle[3] = {0, 0, 0};
    vgPose at = vg_pose_identity();
    vgVec3 offset = vg_zero3();
    const char *outer = m->suffix, *sep = vg_xml_get(e, "sep");
    e->used = 1;
    vg_robot_attr_number(r, e, "count", &count);
    vg_robot_attr_vec(r, e, "offset", &offset);
    vg_robot_attr_numbers(r, e, "euler", 3, 3, angle);
    if (!(count >= 0 && count <= MAX_REPLICATES)) {
        vg_robot_wrong(r, e->loc, "count must be from 0 to %d", MAX_REPLICATES);
        return;
    }
    int width = snprintf(NULL, 0, "%d", (int)count - 1);
    for (int i = 0; i < (int)count && !vg_robot_failed(r); i++) {
        double turned[3];
        for (int k = 0; k < 3; k++) turned[k] = angle[k] * i;
        m->suffix = vg_pool_printf(r->pool, "%s%0*d%s", sep ? sep : "", width, i, outer);
        if (!m->suffix) return;
        at.R = euler(m, turned);
        read_content(m, e, body, vg_pose_mul(frame, at), childclass, with_mass);
        at.p = vg_add3(at.p, vg_mv3(at.R, offset));
    }
    m->suffix = outer;
}

/* The children of a body or frame: geoms, sites, bodies, frames. */
static void read_content(vgMjcf *m, vgXml *e, int body, vgPose frame, int childclass, int with_mass)
{
    vgRobot *r = m->r;
    for (vgXml *c = e->child; c && !vg_robot_failed(r); c = c->next) {
        if (strcmp(c->name, "geom") == 0) {
            vg_mjcf_geom(m, c, childclass, body, frame, with_mass);
        } else if (strcmp(c->name, "site") == 0) {
            vgMjcfItem it = vg_mjcf_item(m, c, "site", childclass);
            vgPose at = vg_mjcf_pose(&it);
            vg_mjcf_fromto(&it, &at);
            at = vg_pose_mul(frame, at);
            vg_robot_add_site(r, vg_mjcf_name(m, c, "site#", r->nsite), c->loc, body, at);
        } else if (strcmp(c->name, "body") == 0) {
            read_body(m, c, body, frame, childclass);
        } else if (strcmp(c->name, "frame") == 0) {
            vgMjcfItem it = {m, c, {"frame"}, -1};
            c->used = 1;
            read_content(m, c, body, vg_pose_mul(frame, vg_mjcf_pose(&it)),
                         class_of(m, c, "childclass", childclass), with_mass);
        } else if (strcmp(c->name, "replicate") == 0) {
            replicate(m, c, body, frame, childclass, with_mass);
        }
    }
}

static void read_body(vgMjcf *m, vgXml *e, int parent, vgPose frame, int childclass)
{
    vgRobot *r = m->r;
    vgMjcfItem it = {m, e, {"body"}, -1};
    e->used = 1;
    if (r->nbody >= VG_MJCF_MAX_BODIES) {
        vg_robot_wrong(r, e->loc, "there are more than %d bodies", VG_MJCF_MAX_BODIES);
        return;
    }
    childclass = class_of(m, e, "childclass", childclass);
    const char *given = vg_xml_attr(e, "name") ? vg_mjcf_name(m, e, "", 0) : NULL;
    vgRobotBody *b =
        vg_robot_add_body(r, given ? given : vg_pool_printf(r->pool, "body_%d", r->nbody + 1), e->loc);
    if (!b) return;
    int self = r->nbody - 1, mocap = 0;
    if (!given) b->given = vg_pool_printf(r->pool, "#%d", self + 1);
    b->parent = parent;
    b->at = vg_pose_mul(frame, vg_mjcf_pose(&it));
    vg_robot_attr_bool(r, e, "mocap", &mocap);
    vg_robot_attr_number(r, e, "gravcomp", &b->gravcomp);
    b->mocap = mocap;
    int own = m->from_geom != 1 && read_inertial(m, e, vg_pose_identity(), b);
    read_joints(m, e, self, vg_pose_identity(), childclass);
    b = &r->body[self];
    if (b->njoint && r->joint[b->joint0].kind == VG_ROBOT_FREE) {
        vgRobotJoint *j = &r->joint[b->joint0];
        vg_store3(b->at.p, j->q);
        vg_quat_store(vg_quat_from_mat(b->at.R), j->q + 3);
        if (parent >= 0) vg_robot_wrong(r, e->loc, "a free joint is the only joint of a body of the world");
    }
    for (int k = 0; k < b->njoint && b->njoint > 1; k++)
        if (r->joint[b->joint0 + k].kind == VG_ROBOT_FREE)
            vg_robot_wrong(r, e->loc, "a free joint is the only joint of a body of the world");
    read_content(m, e, self, vg_pose_identity(), childclass, !own && m->from_geom != 0);
    b = &r->body[self]; /* where no geom weighs it, its <inertial> counts in any case */
    if (m->from_geom == 1 && b->parts == 0) read_inertial(m, e, vg_pose_identity(), b);
}

/* Principal moments below the bound are raised to it; those about the body's axes where these are principal. */
static vgMat3 bounded_inertia(vgMat3 I, double bound)
{
    const vgMat3 V = vg_mjcf_principal(I);
    vgMat3 D = vg_mtm3(V, vg_mm3(I, V));
    int low = 0;
    for (int k = 0; k < 3; k++) low |= D.m[k][k] < bound;
    if (!low) return I;
    return vg_mm3(
        V, vg_mmt3(vg_diag3(fmax(D.m[0][0], bound), fmax(D.m[1][1], bound), fmax(D.m[2][2], bound)), V));
}

/* Scaling and bounds of the compiler. */
static void finish_masses(vgMjcf *m)
{
    vgRobot *r = m->r;
    double sum = 0;
    for (int i = 0; i < r->nbody; i++) {
        vgRobotBody *b = &r->body[i];
        if (m->bound_mass > 0 && b->mass < m->bound_mass) b->mass = m->bound_mass;
        if (m->bound_inertia > 0) b->inertia = bounded_inertia(b->inertia, m->bound_inertia);
        if (m->balance && vg_mmax3(b->inertia) > 0 && !vg_robot_is_rigid(b->inertia)) {
            const vgMat3 I = b->inertia;
            b->inertia = vg_mscale3(vg_eye3(), (I.m[0][0] + I.m[1][1] + I.m[2][2]) / 3);
        }
        sum += b->mass;
    }
    if (!(m->total_mass > 0) || !(sum > 0)) return;
    for (int i = 0; i < r->nbody; i++) {
        r->body[i].mass *= m->total_mass / sum;
        r->body[i].inertia = vg_mscale3(r->body[i].inertia, m->total_mass / sum);
    }
}

/* Defaults that no element of the file takes; those of the table have a reason of their own. */
static void sweep_defaults(vgMjcf *m)
{
    vgRobot *r = m->r;
    for (int k = 0; k < m->nclass; k++)
        for (vgXml *c = m->cls[k].e->child; c; c = c->next)
            for (int i = 0; i < c->nattr; i++) {
                vgXmlAttr *a = &c->attr[i];
                if (a->used || strcmp(c->name, "default") == 0 || vg_robot_lists(ignored, c->name, a->name))
                    continue;
                a->used = 1;
                vg_robot_note(r, VG_IMPORT_IGNORED, 0, a->loc,
                              "the default %s=\"%.60s\" of <%s> is ignored: nothing in the file takes it",
                              a->name, a->value, c->name);
            }
}

static void read_tree(vgMjcf *m)
{
    vgRobot *r = m->r;
    for (vgXml *e = vg_xml_child(m->root, "worldbody"); e; e = vg_xml_next(e, "worldbody")) {
        e->used = 1;
        read_content(m, e, -1, vg_pose_identity(), m->main, 0);
    }
    if (r->nbody == 0 && !vg_robot_failed(r)) vg_robot_wrong(r, m->root->loc, "the file has no bodies");
    finish_masses(m);
    for (int i = 0; i < r->nsite; i++) /* after all bodies: a site that has the name of a body is renamed */
        r->site[i].name = vg_robot_name(r, r->body_names, r->site[i].given, r->site[i].loc, "site");
    m->drawn = VG_NEW(r->pool, vgPose, r->nbody + 1);
    if (!m->drawn) r->full = 1;
    for (int i = 0; i < r->nbody && m->drawn; i++)
        m->drawn[i] =
            r->body[i].parent < 0 ? r->body[i].at : vg_pose_mul(m->drawn[r->body[i].parent], r->body[i].at);
}

void vg_mjcf_read(vgRobot *r, vgXml *root)
{
    vgMjcf *m = VG_NEW(r->pool, vgMjcf, 1);
    if (!m) {
        r->full = 1;
        return;
    }
    *m = (vgMjcf){.r = r,
                  .root = root,
                  .main = -1,
                  .degree = 1,
                  .autolimits = 1,
                  .from_geom = 2,
                  .eulerseq = "xyz",
                  .group = {0, 5},
                  .suffix = ""};
    const char *name = vg_xml_get(root, "model");
    root->used = 1;
    r->title = name ? name : "MuJoCo Model";
    r->timestep = 0.002;
    if (!vg_mjcf_settings(m)) return;
    vg_mjcf_assets(m);
    read_tree(m);
    if (vg_robot_failed(r)) return;
    vg_mjcf_keyframe(m);
    vg_mjcf_mocap(m);
    vg_mjcf_tendons(m);
    vg_mjcf_equalities(m);
    if (vg_robot_failed(r)) return;
    vg_robot_finish_tree(r);
    vg_mjcf_forces(m);
    vg_mjcf_sensors(m);
    if (m->geoms && !(r->off & VG_ROBOT_OFF_CONTACTS))
        vg_robot_note(r, VG_IMPORT_IGNORED, 1, root->loc,
                      "%d geoms do not touch each other: contacts are not imported", m->geoms);
    sweep_defaults(m);
    vg_robot_sweep(r, root, ignored);
}

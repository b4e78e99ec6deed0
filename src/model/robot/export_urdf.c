/* A model as URDF. The frame of a link lies on the axis of its joint, with the axes of the body; joints are drawn at zero. */
#include <math.h>
#include <string.h>

#include "math/so3.h"
#include "model/robot/export.h"

static const char *const kinds[] = {"revolute", "prismatic", "fixed", NULL};

/* m/s², what our own reader takes for the format, which has none. */
static const double USUAL_GRAVITY = 9.81;

enum { SAID = 2 }; /* of vgExport.loop: a coupling that was written */

static int kind_of(const vgJoint *j)
{
    for (int k = 0; kinds[k]; k++)
        if (strcmp(j->kind->name, kinds[k]) == 0) return k;
    return -1;
}

static void put_vec(vgExport *x, const char *key, vgVec3 v)
{
    double d[3];
    vg_store3(v, d);
    vg_export_numbers(x, key, 3, d);
}

/* R = Rz(yaw) Ry(pitch) Rx(roll). Yaw first, the others from what it leaves: where pitch is a right angle, any yaw fits. */
static void put_origin(vgExport *x, vgVec3 p, vgMat3 R)
{
    double across = hypot(R.m[0][0], R.m[1][0]), yaw = across > 0 ? atan2(R.m[1][0], R.m[0][0]) : 0;
    vgMat3 Q = vg_mm3(vg_so3_exp(vg_v3(0, 0, -yaw)), R);
    double rpy[3] = {atan2(-Q.m[1][2], Q.m[1][1]), atan2(-Q.m[2][0], Q.m[0][0]), yaw};
    put_vec(x, "xyz", p);
    vg_export_numbers(x, "rpy", 3, rpy);
}

/* Where the link's frame is in the user's frame of the body: on the axis of its joint. */
static vgVec3 link_at(const vgExport *x, int body)
{
    vgVec3 anchor = vg_zero3(), axis;
    if (body >= 0 && x->joint[body] >= 0 && kind_of(&x->m->joint[x->joint[body]]) < 2)
        vg_export_axis(x->m, &x->m->joint[x->joint[body]], body, &anchor, &axis);
    return anchor;
}

/* The link that stands for the ground: the only body on it, where that is held at the origin; −1: a link of its own. */
static int root_of(const vgExport *x)
{
    const vgModel *m = x->m;
    int root = -1, n = 0;
    for (int i = 0; i < m->nbody; i++)
        if (x->joint[i] > -2 && x->parent[i] < 0) root = i, n++;
    if (n != 1 || x->joint[root] < 0 || kind_of(&m->joint[x->joint[root]]) != 2) return -1;
    vgVec3 p;
    vgMat3 R;
    vg_export_pose(m, root, -1, &p, &R);
    for (int i = 0; i < m->njoint; i++)
        if (x->loop[i] && (m->joint[i].a < 0 || m->joint[i].b < 0)) return -1;
    return vg_norm3(p) == 0 && vg_mmax3(vg_msub3(R, vg_eye3())) == 0 ? root : -1;
}

/* q0 = multiplier q1 + offset of a joint's coordinate by a coupling of two. */
static void put_mimic(vgExport *x, int measure)
{
    const vgModel *m = x->m;
    for (int i = 0; i < m->njoint; i++) {
        const vgJoint *j = &m->joint[i];
        const vgPrim *p = j->nprim == 1 ? &m->prim[j->prim0] : NULL;
        if (!p || p->kind != VG_PRIM_MEASURE || p->nterm != 2 || p->measure[0] != measure || p->law ||
            p->level)
            continue;
        int of = vg_export_joint_of(m, p->measure[1]);
        if (of < 0 || x->loop[of] || kind_of(&m->joint[of]) > 1 || m->measure[p->measure[1]].measure.ncurve)
            continue;
        double multiplier = -p->k[1] / p->k[0], offset = p->c / p->k[0];
        vg_text_add(&x->text, "<mimic joint=\"%s\"", m->joint[of].name);
        vg_export_numbers(x, "multiplier", 1, &multiplier);
        vg_export_numbers(x, "offset", 1, &offset);
        vg_text_add(&x->text, "/>");
        x->loop[i] = SAID;
        return;
    }
}

static void put_link(vgExport *x, int i)
{
    const vgBody *b = &x->m->body[i];
    vg_text_add(&x->text, "  <link name=\"%s\">\n", b->name);
    if (b->mass > 0) {
        const vgMat3 *I = &b->inertia;
        vg_text_add(&x->text, "    <inertial><origin");
        put_vec(x, "xyz", vg_sub3(b->com, link_at(x, i)));
        vg_text_add(&x->text, "/><mass");
        vg_export_numbers(x, "value", 1, &b->mass);
        vg_text_add(&x->text, "/><inertia");
        static const char *const names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
        const double value[] = {I->m[0][0], I->m[0][1], I->m[0][2], I->m[1][1], I->m[1][2], I->m[2][2]};
        for (int k = 0; k < 6; k++) vg_export_numbers(x, names[k], 1, &value[k]);
        vg_text_add(&x->text, "/></inertial>\n");
    }
    if (b->nshape) vg_export_note(x, "body", b->name, b->loc, "its shape is not written");
    vg_text_add(&x->text, "  </link>\n");
}

static void put_joint(vgExport *x, int i)
{
    const vgModel *m = x->m;
    const vgJoint *j = x->joint[i] < 0 ? NULL : &m->joint[x->joint[i]];
    int kind = j ? kind_of(j) : -1, parent = x->parent[i];
    vgVec3 p, at = link_at(x, i), anchor, axis = vg_v3(0, 0, 1);
    vgMat3 R;
    double q = 0, rate = 0;
    vg_export_pose(m, i, parent, &p, &R);
    p = vg_add3(p, vg_mv3(R, at)); /* of the link's frame, in the parent's user frame */
    if (kind == 0 || kind == 1) {
        q = vg_export_coordinate(m, j->measure0, &rate);
        vg_export_axis(m, j, i, &anchor, &axis);
        if (kind == 1) p = vg_axpy3(-q, vg_mv3(R, axis), p);
        if (kind == 0) R = vg_mm3(R, vg_so3_exp(vg_scale3(axis, -q)));
        if (q != 0 || rate != 0)
            vg_export_note(x, "joint", j->name, j->loc,
                           "the format has no start: give it with --start and --speed");
    }
    p = vg_sub3(p, link_at(x, parent));
    const vgExportEffort *e = kind == 0 || kind == 1 ? &x->effort[j->measure0] : NULL;
    const char *type = kind < 0     ? "floating"
                       : kind == 2  ? "fixed"
                       : kind == 1  ? "prismatic"
                       : e->limited ? "revolute"
                                    : "continuous";
    vg_text_add(&x->text,
                "  <joint name=\"%s%s\" type=\"%s\">\n    <parent link=\"%s\"/><child link=\"%s\"/><origin",
                j ? j->name : m->body[i].name, j ? "" : "_free", type,
                parent < 0 ? "world" : m->body[parent].name, m->body[i].name);
    put_origin(x, p, R);
    vg_text_add(&x->text, "/>");
    if (e) {
        vg_text_add(&x->text, "<axis");
        put_vec(x, "xyz", axis);
        vg_text_add(&x->text, "/>");
    }
    if (e) put_mimic(x, j->measure0);
    if (e && e->limited) {
        vg_text_add(&x->text, "<limit");
        vg_export_numbers(x, "lower", 1, &e->lower);
        vg_export_numbers(x, "upper", 1, &e->upper);
        vg_text_add(&x->text, "/>");
    }
    if (e && (e->damping != 0 || e->friction != 0)) {
        vg_text_add(&x->text, "<dynamics");
        vg_export_numbers(x, "damping", 1, &e->damping);
        vg_export_numbers(x, "friction", 1, &e->friction);
        vg_text_add(&x->text, "/>");
    }
    if (e && (e->armature != 0 || e->stiffness != 0))
        vg_export_note(x, "joint", j->name, j->loc, "the format has no armature and no springs at joints");
    vg_text_add(&x->text, "\n  </joint>\n");
}

static void put_end(vgExport *x, const char *tag, const vgFrame *f)
{
    vgVec3 p = vg_sub3(vg_export_point(x->m, f), link_at(x, f->body));
    vg_text_add(&x->text, "<%s link=\"%s\"", tag, f->body < 0 ? "world" : x->m->body[f->body].name);
    put_origin(x, p, f->R);
    vg_text_add(&x->text, "/>");
}

static void put_loops(vgExport *x)
{
    const vgModel *m = x->m;
    for (int i = 0; i < m->njoint; i++) {
        const vgJoint *j = &m->joint[i];
        int ball = strcmp(j->kind->name, "spherical") == 0, kind = kind_of(j);
        if (x->loop[i] == SAID || (!x->loop[i] && j->kind->head == VG_HEAD_FRAMES)) continue;
        if (!x->loop[i] || (!ball && kind != 0 && kind != 2)) {
            vg_export_note(x, "joint", j->name, j->loc, "the format has no element for it: it is left out");
            continue;
        }
        vg_text_add(&x->text, "  <loop_joint name=\"%s\" type=\"%s\">", j->name,
                    ball        ? "ball"
                    : kind == 2 ? "fixed"
                                : "continuous");
        put_end(x, "link1", &j->def.A);
        put_end(x, "link2", &j->def.B);
        vg_text_add(&x->text, "<axis xyz=\"0 0 1\"/></loop_joint>\n");
    }
}

int vg_export_urdf(const vgModel *m, vgExport *x)
{
    if (!vg_export_begin(x, m, kinds)) return 0;
    vg_text_add(&x->text, "<robot name=\"verge\">\n");
    int root = root_of(x);
    if (root < 0) vg_text_add(&x->text, "  <link name=\"world\"/>\n");
    if (vg_norm3(vg_sub3(m->gravity, vg_v3(0, 0, -USUAL_GRAVITY))) > 0)
        vg_export_note(x, "model", "gravity", VG_NOWHERE,
                       "the format has no gravity; readers take their own");
    for (int i = 0; i < m->nbody; i++)
        if (x->joint[i] > -2) {
            put_link(x, i);
            if (i != root) put_joint(x, i);
        }
    put_loops(x);
    for (int i = 0; i < m->nforce; i++) {
        const char *input;
        double gain;
        if (!vg_export_motor(m, &m->force[i], &input, &gain)) continue;
        int j = vg_export_joint_of(m, m->force[i].setup.measure[0]);
        if (j < 0 || x->loop[j] || kind_of(&m->joint[j]) > 1) continue;
        vg_text_add(
            &x->text,
            "  <transmission name=\"%s\"><joint name=\"%s\"/><actuator name=\"%s\"><mechanicalReduction>",
            input, m->joint[j].name, input);
        vg_text_number(&x->text, gain);
        vg_text_add(&x->text, "</mechanicalReduction></actuator></transmission>\n");
    }
    vg_text_add(&x->text, "</robot>\n");
    return vg_text_ok(&x->text) && !x->failed;
}

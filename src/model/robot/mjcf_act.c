/* MJCF behind the tree: keyframes, equalities, tendons, what else acts on bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/robot/mjcf.h"

enum { MAX_MOCAP = 64 };

/* The sections of a name, all of them, one child after the other. */
vgXml *vg_mjcf_first_of(vgMjcf *m, const char *section, vgXml **at)
{
    for (*at = vg_xml_child(m->root, section); *at; *at = vg_xml_next(*at, section)) {
        (*at)->used = 1;
        if ((*at)->child) return (*at)->child;
    }
    return NULL;
}

vgXml *vg_mjcf_next_of(vgXml *e, const char *section, vgXml **at)
{
    if (e->next) return e->next;
    for (*at = vg_xml_next(*at, section); *at; *at = vg_xml_next(*at, section)) {
        (*at)->used = 1;
        if ((*at)->child) return (*at)->child;
    }
    return NULL;
}

/* A quaternion without direction is the identity, as in the format's own reader. */
static void fill_quaternion(double q[4])
{
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) q[0] = 1;
}

/* Poses of mocap bodies, all of them in their order. */
static void place_mocap(vgMjcf *m, vgXml *key)
{
    vgRobot *r = m->r;
    double p[3 * MAX_MOCAP], o[4 * MAX_MOCAP];
    int n = 0, k = 0;
    for (int i = 0; i < r->nbody; i++) n += r->body[i].mocap;
    if (n == 0 || n > MAX_MOCAP) return;
    int at = vg_robot_attr_numbers(r, key, "mpos", 3 * n, 3 * n, p),
        turned = vg_robot_attr_numbers(r, key, "mquat", 4 * n, 4 * n, o);
    for (int i = 0; i < r->nbody; i++) {
        vgRobotBody *b = &r->body[i];
        if (!b->mocap) continue;
        if (at) b->at.p = vg_load3(p + (size_t)3 * (size_t)k);
        if (turned) fill_quaternion(o + (size_t)4 * (size_t)k);
        if (turned) b->at.R = vg_quat_to_mat(vg_quat_normalize(vg_quat_load(o + (size_t)4 * (size_t)k)));
        k++;
    }
}

void vg_mjcf_keyframe(vgMjcf *m)
{
    static const int nq[] = {1, 1, 4, 3, 7}, nv[] = {1, 1, 3, 3, 6};
    vgRobot *r = m->r;
    const char *asked = r->options->keyframe;
    int number = 0, found = 0, all = 0, rates = 0;
    for (int j = 0; j < r->njoint; j++) all += nq[r->joint[j].kind], rates += nv[r->joint[j].kind];
    double *q = VG_NEW(r->pool, double, all + 1), *v = VG_NEW(r->pool, double, rates + 1);
    if (!q || !v) {
        r->full = 1;
        return;
    }
    for (VG_MJCF_EACH(e, "keyframe")) {
        const char *name = vg_mjcf_name(m, e, "key#", number++);
        e->used = 1;
        int has = vg_robot_attr_numbers(r, e, "qpos", all, all, q),
            moves = vg_robot_attr_numbers(r, e, "qvel", rates, rates, v);
        if (!asked || strcmp(asked, name) != 0) {
            for (int i = 0; i < e->nattr; i++) e->attr[i].used = 1;
            vg_robot_note(r, VG_IMPORT_USED, 0, e->loc, "the keyframe '%.80s' is a start: --keyframe %.80s",
                          name, name);
            continue;
        }
        found = 1;
        place_mocap(m, e);
        for (int j = 0, a = 0, b = 0; j < r->njoint; j++) {
            vgRobotJoint *k = &r->joint[j];
            if (has) memcpy(k->q, q + a, (size_t)nq[k->kind] * sizeof *q);
            if (has && k->kind == VG_ROBOT_BALL) fill_quaternion(k->q);
            if (has && k->kind == VG_ROBOT_FREE) fill_quaternion(k->q + 3);
            if (moves) memcpy(k->v, v + b, (size_t)nv[k->kind] * sizeof *v);
            a += nq[k->kind], b += nv[k->kind];
        }
    }
    if (asked && !found) vg_robot_wrong(r, m->root->loc, "there is no keyframe '%.80s'", asked);
}

/* A body whose pose comes from outside: three slides and three hinges between it and the world, driven by laws of t. */
static void drive_body(vgMjcf *m, int body)
{
    static const char *const suffix[] = {"x", "y", "z", "rx", "ry", "rz"};
    vgRobot *r = m->r;
    vgRobotBody *b = &r->body[body];
    vg_robot_note(r, VG_IMPORT_CHANGED, 0, b->loc,
                  "the mocap body '%.80s' is driven: the joints %s_x … %s_rz have laws of t, which hold it "
                  "where it starts",
                  b->given, b->name, b->name);
    for (int k = 0; k < 6; k++) {
        vgRobotJoint *j = vg_robot_add_joint(r, vg_pool_printf(r->pool, "%s_%s", b->name, suffix[k]), b->loc,
                                             body, k < 3 ? VG_ROBOT_SLIDE : VG_ROBOT_HINGE);
        if (!j) return;
        j->axis = vg_unit_axis3(k % 3);
        j->driven = 1;
    }
}

void vg_mjcf_mocap(vgMjcf *m)
{
    vgRobot *r = m->r;
    for (int i = 0; i < r->nbody && !r->full; i++) {
        vgRobotBody *b = &r->body[i];
        if (!b->mocap) continue;
        if (b->parent >= 0 || b->njoint)
            vg_robot_wrong(r, b->loc, "the mocap body '%.80s' must be a body of the world without joints",
                           b->given);
        else
            drive_body(m, i);
    }
}

int vg_mjcf_site_of(const vgMjcf *m, const char *name)
{
    for (int i = 0; name && i < m->r->nsite; i++)
        if (strcmp(m->r->site[i].given, name) == 0) return i;
    return -1;
}

/* A joint with one coordinate; −1 after a report. */
int vg_mjcf_scalar_joint(vgMjcf *m, vgXml *e, const char *key)
{
    const char *name = vg_xml_get(e, key);
    int k = vg_robot_find_joint(m->r, name);
    if (k >= 0 && m->r->joint[k].kind <= VG_ROBOT_SLIDE) return k;
    vg_robot_wrong(m->r, e->loc, "%s: there is no hinge or slide '%.80s'", key, name ? name : "");
    return -1;
}

static int body_or_world(vgMjcf *m, vgXml *e, const char *key, int *out)
{
    const char *name = vg_xml_get(e, key);
    *out = -1;
    if (!name || strcmp(name, "world") == 0) return 1;
    *out = vg_robot_find_body(m->r, name);
    if (*out < 0) vg_robot_wrong(m->r, e->loc, "%s: there is no body '%.80s'", key, name);
    return *out >= 0;
}

static vgPose drawn_of(const vgMjcf *m, int body)
{
    return body < 0 ? vg_pose_identity() : m->drawn[body];
}

static void read_closure(vgMjcf *m, const vgMjcfItem *it, int number)
{
    vgRobot *r = m->r;
    vgXml *e = it->e;
    int weld = strcmp(e->name, "weld") == 0;
    double x[7], scale = 1;
    vgRobotLoop l = {.body = {-1, -1}, .at = {vg_pose_identity(), vg_pose_identity()}};
    int s1 = vg_mjcf_site_of(m, vg_xml_get(e, "site1")), s2 = vg_mjcf_site_of(m, vg_xml_get(e, "site2"));
    if (s1 >= 0 && s2 >= 0) {
        l.body[0] = r->site[s1].body, l.body[1] = r->site[s2].body;
        l.at[0] = r->site[s1].at, l.at[1] = r->site[s2].at;
    } else {
        if (!body_or_world(m, e, "body1", &l.body[0]) || !body_or_world(m, e, "body2", &l.body[1])) return;
        vgPose rel = vg_pose_mul(vg_pose_inv(drawn_of(m, l.body[1])), drawn_of(m, l.body[0]));
        if (!weld) { /* the anchor is in body 1 */
            if (vg_mjcf_numbers(it, "anchor", 3, 3, x)) l.at[0].p = vg_load3(x);
            l.at[1] = vg_pose_mul(rel, l.at[0]);
        } else { /* the anchor is in body 2; relpose: where it is in body 1, and how body 2 is turned there */
            if (vg_mjcf_numbers(it, "anchor", 3, 3, x)) l.at[1].p = vg_load3(x);
            l.at[0] = vg_pose_mul(vg_pose_inv(rel), l.at[1]);
            if (vg_mjcf_numbers(it, "relpose", 7, 7, x) && (x[3] != 0 || x[4] != 0 || x[5] != 0 || x[6] != 0))
                l.at[0] = (vgPose){vg_load3(x), vg_quat_to_mat(vg_quat_normalize(vg_quat_load(x + 3)))};
        }
    }
    if (weld) vg_mjcf_number(it, "torquescale", &scale); /* 0: positions alone */
    vgRobotLoop *to = vg_robot_add_loop(r, vg_mjcf_name(m, e, "equality#", number), e->loc,
                                        weld && scale != 0 ? "fixed" : "spherical");
    if (!to) return;
    l.name = to->name, l.kind = to->kind, l.loc = to->loc;
    *to = l;
}

/* Σ a_k (q − ref)^k as Σ out_k q^k. */
static void shift(const double a[5], double ref, double out[5])
{
    double power[5] = {1, 0, 0, 0, 0}; /* (q − ref)^k */
    memset(out, 0, 5 * sizeof *out);
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i <= k; i++) out[i] += a[k] * power[i];
        for (int i = 4; i > 0; i--) power[i] = power[i - 1] - ref * power[i];
        power[0] *= -ref;
    }
}

/* q1 − ref1 = Σ a_k (q2 − ref2)^k. */
static void read_joint_equality(vgMjcf *m, const vgMjcfItem *it, int number)
{
    vgRobot *r = m->r;
    double a[5] = {0, 1, 0, 0, 0};
    int two = vg_xml_attr(it->e, "joint2") != NULL;
    int j1 = vg_mjcf_scalar_joint(m, it->e, "joint1"),
        j2 = two ? vg_mjcf_scalar_joint(m, it->e, "joint2") : -1;
    vg_mjcf_numbers(it, "polycoef", 1, 5, a);
    if (j1 < 0 || (two && j2 < 0)) return;
    vgRobotCoupling *c = vg_robot_add_coupling(r, vg_mjcf_name(m, it->e, "equality#", number), it->e->loc);
    if (!c) return;
    c->n = two ? 2 : 1;
    c->joint[0] = j1, c->factor[0] = 1;
    c->offset = r->joint[j1].ref + a[0];
    if (!two) return;
    c->joint[1] = j2;
    if (a[2] != 0 || a[3] != 0 || a[4] != 0) {
        c->npoly = 5;
        shift(a, r->joint[j2].ref, c->poly);
        c->poly[0] += r->joint[j1].ref;
        return;
    }
    c->factor[1] = -a[1];
    c->offset -= a[1] * r->joint[j2].ref;
}

/* Σ coef q of tendon 1 − a1 × tendon 2 = a0, relative to the drawn pose. */
static void read_tendon_equality(vgMjcf *m, const vgMjcfItem *it, int number)
{
    vgRobot *r = m->r;
    const char *name[2] = {vg_xml_get(it->e, "tendon1"), vg_xml_get(it->e, "tendon2")};
    double a[5] = {0, 1, 0, 0, 0}, factor[2] = {1, 0};
    vgRobotCoupling sum = {.n = 0};
    int known = 1;
    vg_mjcf_numbers(it, "polycoef", 1, 5, a);
    factor[1] = -a[1];
    sum.offset = a[0];
    for (int s = 0; s < 2; s++) {
        const vgMjcfTendon *t = NULL;
        for (int i = 0; name[s] && i < m->ntendon; i++)
            if (strcmp(m->tendon[i].name, name[s]) == 0) t = &m->tendon[i];
        if (!name[s] && s == 1) continue;
        if (!t || !t->fixed || sum.n + t->n > 3) {
            known = 0;
            continue;
        }
        for (int k = 0; k < t->n; k++) {
            sum.joint[sum.n] = t->joint[k];
            sum.factor[sum.n++] = factor[s] * t->coef[k];
            sum.offset += factor[s] * t->coef[k] * r->joint[t->joint[k]].ref;
        }
    }
    if (!known || a[2] != 0 || a[3] != 0 || a[4] != 0) {
        vg_robot_note(r, VG_IMPORT_IGNORED, 1, it->e->loc,
                      "the equality of tendons is ignored: fixed tendons over three joints in all and linear "
                      "relations are read");
        return;
    }
    vgRobotCoupling *c = vg_robot_add_coupling(r, vg_mjcf_name(m, it->e, "equality#", number), it->e->loc);
    if (!c) return;
    sum.name = c->name, sum.loc = c->loc;
    *c = sum;
}

void vg_mjcf_equalities(vgMjcf *m)
{
    int number = 0;
    for (VG_MJCF_EACH(e, "equality")) {
        vgMjcfItem it = vg_mjcf_item(m, e, "equality", m->main);
        int k = number++;
        if (m->r->off & VG_ROBOT_OFF_EQUALITIES) continue;
        if (vg_mjcf_word(&it, "active", "false")) {
            vg_robot_note(m->r, VG_IMPORT_IGNORED, 0, e->loc, "the equality is not active in the file");
            continue;
        }
        if (strcmp(e->name, "connect") == 0 || strcmp(e->name, "weld") == 0)
            read_closure(m, &it, k);
        else if (strcmp(e->name, "joint") == 0)
            read_joint_equality(m, &it, k);
        else if (strcmp(e->name, "tendon") == 0)
            read_tendon_equality(m, &it, k);
        else
            e->used = 0;
    }
}

void vg_mjcf_joint_torque(vgMjcf *m, const char *name, vgLoc at, const char *with, int joint, const char *law)
{
    vgRobot *r = m->r;
    vgRobotJoint *j = &r->joint[joint];
    if (j->held) {
        vg_robot_refuse_held(r, joint, at, "an actuator or tendon acts on it");
        return;
    }
    if (j->bounded && strcmp(with, "actuators") == 0) { /* the sum is bounded: bounded_drives */
        j->drive = j->drive ? vg_pool_printf(r->pool, "%s + %s", j->drive, law) : law;
        if (!j->drive) r->full = 1;
        return;
    }
    vgNode *e = vg_robot_map(r, at);
    vg_robot_put(r, e, "joint-torque", vg_robot_text(r, at, r->joint[joint].name));
    vg_robot_put(r, e, "value", vg_robot_text(r, at, law));
    vg_robot_add_force(r, name, at, with, e);
}

/* A free joint: springs to where it is drawn, and dampers, along the world's axes and about those of the body. */
static void free_forces(vgMjcf *m, const vgRobotJoint *j)
{
    vgRobot *r = m->r;
    const char *body = r->body[j->body].name;
    vgNode *ends[2] = {vg_robot_frame(r, j->loc, -1, m->drawn[j->body]), vg_robot_text(r, j->loc, body)};
    if (j->stiffness != 0) {
        const double k = j->stiffness, stiffness[6] = {k, k, k, k, k, k};
        vgNode *e = vg_robot_map(r, j->loc);
        vg_robot_put(r, e, "bushing", vg_robot_list(r, j->loc, 2, ends));
        vg_robot_put(r, e, "stiffness", vg_robot_numbers(r, j->loc, 6, stiffness));
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_spring", j->name), j->loc, "springs", e);
    }
    if (j->damping != 0) {
        vgNode *turn = vg_robot_map(r, j->loc), *push = vg_robot_map(r, j->loc), *part[3];
        for (int k = 0; k < 3; k++)
            part[k] = vg_robot_print(r, j->loc, "-%s*body.%s.velocity.%c", vg_robot_digits(r, j->damping),
                                     body, 'x' + k);
        ends[0] = vg_robot_text(r, j->loc, "ground");
        vg_robot_put(r, turn, "ball-rotor", vg_robot_list(r, j->loc, 2, ends));
        vg_robot_put(r, turn, "damping", vg_robot_number(r, j->loc, j->damping));
        vg_robot_put(r, push, "force", ends[1]);
        vg_robot_put(r, push, "value", vg_robot_list(r, j->loc, 3, part));
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_turn", j->name), j->loc, "damping", turn);
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_damping", j->name), j->loc, "damping", push);
    }
    if (j->armature != 0)
        vg_robot_note(r, VG_IMPORT_IGNORED, 1, j->loc,
                      "the armature of the free joint '%.80s' is ignored: there is no rotor along it",
                      j->given);
}

/* Springs, dampers and inertia of joints with more than one coordinate, and weight that is compensated. */
static void other_forces(vgMjcf *m)
{
    vgRobot *r = m->r;
    for (int i = 0; i < r->njoint; i++) {
        const vgRobotJoint *j = &r->joint[i];
        if (j->kind <= VG_ROBOT_SLIDE || j->held) continue;
        if (j->kind == VG_ROBOT_BALL) vg_robot_ball_forces(r, j);
        if (j->kind == VG_ROBOT_FREE) free_forces(m, j);
        if (j->friction != 0)
            vg_robot_note(r, VG_IMPORT_IGNORED, 1, j->loc,
                          "friction of joint '%.80s' is ignored: it has more than one coordinate", j->given);
    }
    for (int i = 0; i < r->nbody; i++) {
        const vgRobotBody *b = &r->body[i];
        if (b->gravcomp == 0 || b->carrier < 0) continue;
        vgNode *e = vg_robot_map(r, b->loc);
        vg_robot_put(r, e, "force", vg_robot_frame(r, b->loc, i, (vgPose){b->own_com, vg_eye3()}));
        vg_robot_put(r, e, "value",
                     vg_robot_vec(r, b->loc, vg_scale3(r->gravity, -b->gravcomp * b->own_mass)));
        vg_robot_add_force(r, vg_pool_printf(r->pool, "%s_gravcomp", b->name), b->loc, "gravcomp", e);
    }
}

void vg_mjcf_forces(vgMjcf *m)
{
    vg_mjcf_tendon_forces(m);
    vg_mjcf_drives(m);
    other_forces(m);
    vg_mjcf_fluid(m);
}

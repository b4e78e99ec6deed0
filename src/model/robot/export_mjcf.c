/* A model as MJCF: bodies as they stand at the start, joints with ref at their coordinate there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/so3.h"
#include "model/robot/export.h"

static const char *const kinds[] = {"revolute", "prismatic", "spherical", "fixed", NULL};
static const char *const words[] = {"hinge", "slide", "ball", NULL};
enum { HINGE, SLIDE, BALL, FIXED };

static int kind_of(const vgJoint *j)
{
    for (int k = 0; kinds[k]; k++)
        if (strcmp(j->kind->name, kinds[k]) == 0) return k;
    return -1;
}

static void indent(vgExport *x, int depth)
{
    for (int i = 0; i < depth; i++) vg_text_add(&x->text, "  ");
}

static void put_vec(vgExport *x, const char *key, vgVec3 v)
{
    double d[3];
    vg_store3(v, d);
    vg_export_numbers(x, key, 3, d);
}

static void put_quat(vgExport *x, const char *key, vgMat3 R)
{
    double q[4];
    if (vg_mmax3(vg_msub3(R, vg_eye3())) == 0) return;
    vg_quat_store(vg_quat_from_mat(R), q);
    vg_export_numbers(x, key, 4, q);
}

static void put_joint(vgExport *x, int body, int depth)
{
    const vgModel *m = x->m;
    int at = x->joint[body];
    indent(x, depth);
    if (at < 0) {
        vg_text_add(&x->text, "<freejoint name=\"%s_free\"/>\n", m->body[body].name);
        return;
    }
    const vgJoint *j = &m->joint[at];
    int kind = kind_of(j);
    vgVec3 anchor, axis;
    vg_export_axis(m, j, body, &anchor, &axis);
    vg_text_add(&x->text, "<joint name=\"%s\" type=\"%s\"", j->name, words[kind]);
    put_vec(x, "pos", anchor);
    if (kind < 2) {
        const vgExportEffort *e = &x->effort[j->measure0];
        double ref = vg_export_coordinate(m, j->measure0, NULL), range[2] = {e->lower, e->upper};
        put_vec(x, "axis", axis);
        if (ref != 0) vg_export_numbers(x, "ref", 1, &ref);
        if (e->damping != 0) vg_export_numbers(x, "damping", 1, &e->damping);
        if (e->armature != 0) vg_export_numbers(x, "armature", 1, &e->armature);
        if (e->friction != 0) vg_export_numbers(x, "frictionloss", 1, &e->friction);
        if (e->stiffness != 0) vg_export_numbers(x, "stiffness", 1, &e->stiffness);
        if (e->stiffness != 0) vg_export_numbers(x, "springref", 1, &e->springref);
        if (e->limited) vg_export_numbers(x, "range", 2, range);
    }
    vg_text_add(&x->text, "/>\n");
}

/* Drawn only: no mass, no contact. */
static void put_shape(vgExport *x, const vgShape *s, int depth)
{
    static const char *const types[] = {
        [VG_SHAPE_BOX] = "box",         [VG_SHAPE_SPHERE] = "sphere",       [VG_SHAPE_CYLINDER] = "cylinder",
        [VG_SHAPE_CAPSULE] = "capsule", [VG_SHAPE_ELLIPSOID] = "ellipsoid", [VG_SHAPE_MESH] = NULL};
    if (s->kind > VG_SHAPE_MESH || !types[s->kind]) return;
    double size[3] = {s->size[0], s->size[1], s->size[2]};
    int n = s->kind == VG_SHAPE_SPHERE ? 1 : s->kind == VG_SHAPE_BOX || s->kind == VG_SHAPE_ELLIPSOID ? 3 : 2;
    if (s->kind == VG_SHAPE_BOX)
        for (int k = 0; k < 3; k++) size[k] /= 2;
    if (n == 2) size[1] /= 2;
    indent(x, depth);
    vg_text_add(&x->text, "<geom type=\"%s\" mass=\"0\" contype=\"0\" conaffinity=\"0\"", types[s->kind]);
    vg_export_numbers(x, "size", n, size);
    put_vec(x, "pos", s->at.r);
    put_quat(x, "quat", s->at.R);
    vg_text_add(&x->text, "/>\n");
}

static void put_sites(vgExport *x, int first, int n, vgVec3 com, int depth)
{
    const vgModel *m = x->m;
    for (int i = first; i < first + n; i++) {
        const vgMarker *k = &m->marker[i];
        indent(x, depth);
        vg_text_add(&x->text, "<site name=\"%s\"", k->name);
        put_vec(x, "pos", vg_add3(k->frame.r, com));
        put_quat(x, "quat", k->frame.R);
        vg_text_add(&x->text, "/>\n");
    }
}

/* The ends of the loops on a body (−1: the world). */
static void put_loop_ends(vgExport *x, int body, int depth)
{
    const vgModel *m = x->m;
    for (int i = 0; i < m->njoint; i++) {
        const vgJoint *j = &m->joint[i];
        int kind = kind_of(j);
        for (int end = 0; x->loop[i] && kind >= 0 && kind != SLIDE && end < 2; end++) {
            const vgFrame *f = end ? &j->def.B : &j->def.A;
            for (int point = 0; f->body == body && point < (kind == HINGE ? 2 : 1); point++) {
                indent(x, depth);
                vg_text_add(&x->text, "<site name=\"%s.%c%s\"", j->name, end ? 'B' : 'A',
                            point ? "_axis" : "");
                put_vec(x, "pos", vg_axpy3(point, vg_col3(f->R, 2), vg_export_point(m, f)));
                put_quat(x, "quat", f->R);
                vg_text_add(&x->text, "/>\n");
            }
        }
    }
}

static void put_children(vgExport *x, int parent, int depth);

static void put_body(vgExport *x, int i, int depth)
{
    const vgModel *m = x->m;
    const vgBody *b = &m->body[i];
    vgVec3 p;
    vgMat3 R;
    vg_export_pose(m, i, x->parent[i], &p, &R);
    indent(x, depth);
    vg_text_add(&x->text, "<body name=\"%s\"", b->name);
    put_vec(x, "pos", p);
    put_quat(x, "quat", R);
    vg_text_add(&x->text, ">\n");
    if (b->mass > 0) {
        const vgMat3 *I = &b->inertia;
        double full[6] = {I->m[0][0], I->m[1][1], I->m[2][2], I->m[0][1], I->m[0][2], I->m[1][2]};
        indent(x, depth + 1);
        vg_text_add(&x->text, "<inertial");
        put_vec(x, "pos", b->com);
        vg_export_numbers(x, "mass", 1, &b->mass);
        vg_export_numbers(x, "fullinertia", 6, full);
        vg_text_add(&x->text, "/>\n");
        if (b->select.n < 6)
            vg_export_note(x, "body", b->name, b->loc,
                           "it does not turn in the model; the format has rigid bodies only");
    } else {
        vg_export_note(x, "body", b->name, b->loc,
                       "it has no mass; other readers of the format want some where it moves");
    }
    if (x->joint[i] < 0 || kind_of(&m->joint[x->joint[i]]) < 3) put_joint(x, i, depth + 1);
    for (int s = 0; s < b->nshape; s++) {
        put_shape(x, &b->shape[s], depth + 1);
        if (b->shape[s].kind == VG_SHAPE_MESH)
            vg_export_note(x, "body", b->name, b->loc, "its mesh is not written");
    }
    put_sites(x, b->marker0, b->nmarker, b->com, depth + 1);
    put_loop_ends(x, i, depth + 1);
    put_children(x, i, depth + 1);
    indent(x, depth);
    vg_text_add(&x->text, "</body>\n");
}

static void put_children(vgExport *x, int parent, int depth)
{
    for (int i = 0; i < x->m->nbody; i++)
        if (x->joint[i] > -2 && x->parent[i] == parent) put_body(x, i, depth);
}

/* connect: a point held; weld: a frame. Both ends are sites, so that an initial violation is kept. */
static void put_held(vgExport *x, const vgJoint *j, const char *what, const char *suffix)
{
    vg_text_add(&x->text, "    <%s name=\"%s%s\" site1=\"%s.A%s\" site2=\"%s.B%s\"/>\n", what, j->name,
                suffix, j->name, suffix, j->name, suffix);
}

static void put_loop(vgExport *x, const vgJoint *j)
{
    int kind = kind_of(j);
    if (kind == BALL || kind == HINGE) put_held(x, j, "connect", "");
    if (kind == HINGE) put_held(x, j, "connect", "_axis"); /* a second point of the axis */
    if (kind == FIXED) put_held(x, j, "weld", "");
    if (kind < 0 || kind == SLIDE)
        vg_export_note(x, "joint", j->name, j->loc,
                       "the format has no joint or equality like it: it is left out");
}

/* Σ of two coordinates, or one as a polynomial of another: q0 − ref0 = Σ a_k (q1 − ref1)^k. */
static int put_coupling(vgExport *x, const vgJoint *j)
{
    const vgModel *m = x->m;
    const vgPrim *p = j->nprim == 1 ? &m->prim[j->prim0] : NULL;
    if (!p || p->kind != VG_PRIM_MEASURE || p->nterm > 2 || p->nterm < 1 || p->law || p->level != 0) return 0;
    const vgMeasure *second = p->nterm > 1 ? &m->measure[p->measure[1]].measure : NULL;
    int at[2] = {p->measure[0], p->nterm > 1 ? p->measure[1] : -1}, owner[2] = {-1, -1};
    double a[5] = {0}, ref[2] = {0, 0};
    if (second && second->ncurve > 5) return 0;
    if (second && second->ncurve) /* the measure that the polynomial is of: the same frames, no curve */
        for (int i = 0; i < m->nmeasure; i++)
            if (!m->measure[i].measure.ncurve && m->measure[i].measure.turn == second->turn &&
                memcmp(&m->measure[i].measure.B, &second->B, sizeof second->B) == 0 &&
                m->measure[i].measure.kind == second->kind)
                at[1] = i;
    for (int k = 0; k < p->nterm; k++) {
        owner[k] = vg_export_joint_of(m, at[k]);
        if (owner[k] < 0 || x->loop[owner[k]] || kind_of(&m->joint[owner[k]]) > 1) return 0;
        ref[k] = vg_export_coordinate(m, at[k], NULL);
    }
    a[0] = p->c / p->k[0] - ref[0];
    if (second && !second->ncurve) {
        a[1] = -p->k[1] / p->k[0];
        a[0] += a[1] * ref[1];
    } else if (second) { /* P(ref + d) by repeated synthetic division */
        double c[5] = {0};
        memcpy(c, second->curve, (size_t)second->ncurve * sizeof *c);
        for (int i = 0; i < second->ncurve; i++)
            for (int k = second->ncurve - 2; k >= i; k--) c[k] += ref[1] * c[k + 1];
        for (int k = 0; k < second->ncurve; k++) a[k] -= p->k[1] / p->k[0] * c[k];
    }
    vg_text_add(&x->text, "    <joint name=\"%s\" joint1=\"%s\"", j->name, m->joint[owner[0]].name);
    if (second) vg_text_add(&x->text, " joint2=\"%s\"", m->joint[owner[1]].name);
    vg_export_numbers(x, "polycoef", 5, a);
    vg_text_add(&x->text, "/>\n");
    return 1;
}

static void put_equalities(vgExport *x)
{
    const vgModel *m = x->m;
    vg_text_add(&x->text, "  <equality>\n");
    for (int i = 0; i < m->njoint; i++) {
        const vgJoint *j = &m->joint[i];
        if (x->loop[i])
            put_loop(x, j);
        else if (j->kind->head != VG_HEAD_FRAMES && !put_coupling(x, j))
            vg_export_note(x, "joint", j->name, j->loc,
                           j->drive_of >= 0 ? "the format has no given motions: its joint is free"
                                            : "the format has no equality like it: it is left out");
    }
    vg_text_add(&x->text, "  </equality>\n");
}

static void put_motors(vgExport *x)
{
    const vgModel *m = x->m;
    vg_text_add(&x->text, "  <actuator>\n");
    for (int i = 0; i < m->nforce; i++) {
        const char *input;
        double gain;
        if (!vg_export_motor(m, &m->force[i], &input, &gain)) continue;
        int j = vg_export_joint_of(m, m->force[i].setup.measure[0]);
        if (j < 0 || x->loop[j] || kind_of(&m->joint[j]) > 1) {
            vg_export_note(x, "force", m->force[i].name, m->force[i].loc,
                           "its joint cannot be driven in the format");
            continue;
        }
        vg_text_add(&x->text, "    <motor name=\"%s\" joint=\"%s\"", input, m->joint[j].name);
        vg_export_numbers(x, "gear", 1, &gain);
        vg_text_add(&x->text, "/>\n");
    }
    vg_text_add(&x->text, "  </actuator>\n");
}

/* Coordinates (positions) or velocities of a free body at the start; returns their number. */
static int free_start(const vgModel *m, int body, int positions, double v[7])
{
    const vgBody *b = &m->body[body];
    vgVec3 at;
    vgMat3 R;
    vg_export_pose(m, body, -1, &at, &R);
    vg_store3(positions ? at : vg_sub3(b->v0, vg_mv3(b->R0, vg_cross3(b->w0, b->com))), v);
    if (positions)
        vg_quat_store(vg_quat_from_mat(R), v + 3);
    else
        vg_store3(b->w0, v + 3);
    return positions ? 7 : 6;
}

/* As above, for any body, by the joint on its parent. */
static int start_of(const vgExport *x, int body, int positions, double v[7])
{
    const vgModel *m = x->m;
    const int parent = x->parent[body];
    const vgBody *b = &m->body[body], *p = parent < 0 ? NULL : &m->body[parent];
    const vgJoint *j = x->joint[body] < 0 ? NULL : &m->joint[x->joint[body]];
    const int kind = j ? kind_of(j) : -1;
    double rate;
    if (kind < 0) return free_start(m, body, positions, v);
    if (kind > 2) return 0;
    if (kind < 2) {
        double q = vg_export_coordinate(m, j->measure0, &rate);
        v[0] = positions ? q : rate;
        return 1;
    }
    vgVec3 w = p ? vg_sub3(b->w0, vg_mtv3(b->R0, vg_mv3(p->R0, p->w0))) : b->w0;
    if (!positions) vg_store3(w, v);
    return positions ? 4 : 3;
}

/* The start, in the order in which the bodies were written. */
static void put_rates(vgExport *x, int parent, int positions)
{
    for (int i = 0; i < x->m->nbody; i++) {
        if (x->joint[i] < -1 || x->parent[i] != parent) continue;
        double v[7] = {1, 0, 0, 0};
        int n = start_of(x, i, positions, v);
        for (int k = 0; k < n; k++) {
            vg_text_add(&x->text, " ");
            vg_text_number(&x->text, v[k] == 0 ? 0.0 : v[k]);
        }
        put_rates(x, i, positions);
    }
}

int vg_export_mjcf(const vgModel *m, vgExport *x)
{
    int moves = 0;
    if (!vg_export_begin(x, m, kinds)) return 0;
    vg_text_add(&x->text,
                "<mujoco model=\"%s\">\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n  <option",
                "verge");
    put_vec(x, "gravity", m->gravity);
    if (m->run.step > 0) vg_export_numbers(x, "timestep", 1, &m->run.step);
    vg_text_add(&x->text, "/>\n  <worldbody>\n");
    for (int s = 0; s < m->nground_shape; s++) put_shape(x, &m->ground_shape[s], 2);
    put_sites(x, m->ground_marker0, m->nground_marker, vg_zero3(), 2);
    put_loop_ends(x, -1, 2);
    put_children(x, -1, 2);
    vg_text_add(&x->text, "  </worldbody>\n");
    put_equalities(x);
    put_motors(x);
    for (int i = 0; i < m->nbody; i++) moves |= vg_norm3(m->body[i].v0) > 0 || vg_norm3(m->body[i].w0) > 0;
    if (moves) {
        vg_text_add(&x->text, "  <keyframe>\n    <key name=\"start\" qpos=\"");
        put_rates(x, -1, 1);
        vg_text_add(&x->text, "\" qvel=\"");
        put_rates(x, -1, 0);
        vg_text_add(&x->text, "\"/>\n  </keyframe>\n");
    }
    vg_text_add(&x->text, "</mujoco>\n");
    return vg_text_ok(&x->text) && !x->failed;
}

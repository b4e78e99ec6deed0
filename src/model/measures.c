/* Measures: joint coordinates by name, and channels that laws refer to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/read/reader.h"

int vg_read_add_measure(vgReader *r, const char *name, const char *unit, const vgMeasure *m)
{
    int index;
    if (!vg_read_room(r, &r->measure, r->m->nmeasure, &r->measure_cap, sizeof *r->measure)) return -1;
    if (vg_names_add(r->measure_names, name, &index, NULL) != VG_OK || index != r->m->nmeasure) {
        r->full = 1;
        return -1;
    }
    vgNamedMeasure *out = &r->measure[r->m->nmeasure++];
    *out = (vgNamedMeasure){vg_names_at(r->measure_names, index), unit, *m};
    if (out->measure.turn >= 0) out->measure.turn = r->m->nturn++;
    return index;
}

/* joint.NAME.rate, rate2, …: the rate of its first, second coordinate */
static int joint_rate(vgReader *r, const char *name, const char *what, size_t length, int *measure)
{
    if (strncmp(what, "rate", 4) != 0) return 0;
    char *end;
    long k = what[4] ? strtol(what + 4, &end, 10) : 1;
    if (what[4] && (*end || k < 2 || what[4] == '0' || what[4] == '+' || what[4] == ' ')) return 0;
    int joint = vg_names_find_n(r->joint_names, name, length);
    if (joint < 0 || k > r->joint[joint].ncoord) return 0;
    *measure = r->joint[joint].measure0 + (int)k - 1;
    return 1;
}

/* `rotation.x` of a body or marker in space, with R = Rx(α) Ry(β) Rz(γ):
 *     α = atan2(−y_W·z_B, z_W·z_B),   sin β = x_W·z_B,   γ = atan2(−x_W·y_B, x_W·x_B)
 * α is the angle of z_B about x_W, γ that of x_W about −z_B; both count turns, as angles of joints do. `omega.x`: a
 * component of the angular velocity along an axis of the frame. Returns 0 for other words. */
static int attitude(const char *what, vgMeasure *m)
{
    const int rate = strncmp(what, "omega.", 6) == 0;
    const char *dot = strchr(what, '.');
    const vgVec3 x = vg_unit_axis3(0), y = vg_unit_axis3(1), z = vg_unit_axis3(2);
    const vgMat3 last = vg_mm3(m->B.R, vg_cols3(z, x, y)); /* z_B in front */
    if ((!rate && strncmp(what, "rotation.", 9) != 0) || dot[1] < 'x' || dot[1] > 'z' || dot[2]) return 0;
    m->axis = dot[1] - 'x';
    m->turn = rate || m->axis == 1 ? -1 : 0;
    if (rate) {
        m->kind = VG_MEASURE_SPIN;
    } else if (m->axis == 0) {
        m->kind = VG_MEASURE_ANGLE;
        m->A.R = vg_cols3(z, vg_neg3(y), x);
        m->B.R = last;
    } else if (m->axis == 1) {
        m->kind = VG_MEASURE_INCLINE;
        m->B.R = last;
    } else {
        const vgFrame world = m->A;
        m->kind = VG_MEASURE_ANGLE;
        m->A = m->B;
        m->A.R = vg_mm3(m->B.R, vg_cols3(x, vg_neg3(y), vg_neg3(z)));
        m->B = world;
    }
    return 1;
}

/* `position.x`, `velocity.y` of a point, `angle`, `omega` of a planar body, `rotation.x`, `omega.x` of one in space: what
 * they measure. */
static int point_measure(vgReader *r, const vgFrame *frame, const char *what, const char *owner, int *measure,
                         int *rate)
{
    vgMeasure m = {.kind = VG_MEASURE_POSITION,
                   .A = {.body = -1, .R = vg_eye3()},
                   .B = *frame,
                   .planar = r->m->planar,
                   .turn = -1};
    const char *value = what, *unit = "m";
    char name[3 * VG_READ_MAX_NAME + 60], place[] = "position.x";
    *rate = 0;
    if (strncmp(what, "position.", 9) == 0 || strncmp(what, "velocity.", 9) == 0) {
        if (what[9] < 'x' || what[9] > (r->m->planar ? 'y' : 'z') || what[10]) return 0;
        m.axis = what[9] - 'x';
        *rate = what[0] == 'v';
        place[9] = what[9];
        value = place;
    } else if (r->m->planar &&
               (strcmp(what, "angle") == 0 || strcmp(what, "omega") == 0 || strcmp(what, "omega.z") == 0)) {
        m.kind = VG_MEASURE_ROTATION;
        m.turn = 0;
        *rate = what[0] == 'o';
        value = "angle";
        unit = "rad";
    } else if (!r->m->planar && attitude(what, &m)) {
        *rate = what[0] == 'o';
        unit = "rad";
    } else {
        return 0;
    }
    snprintf(name, sizeof name, "%s.%s", owner, value);
    *measure = vg_names_find(r->measure_names, name);
    if (*measure < 0) *measure = vg_read_add_measure(r, name, unit, &m);
    return *measure >= 0;
}

int vg_read_add_held(vgReader *r, const char *name)
{
    vgMeasure m = {.kind = VG_MEASURE_INPUT,
                   .A = {.body = -1, .R = vg_eye3()},
                   .B = {.body = -1, .R = vg_eye3()},
                   .planar = r->m->planar,
                   .turn = 0};
    return vg_read_add_measure(r, name, "", &m);
}

int vg_read_add_load(vgReader *r, const char *name, const vgLoad *load)
{
    vgMeasure m = {.kind = VG_MEASURE_LOAD,
                   .A = {.body = -1, .R = vg_eye3()},
                   .B = {.body = -1, .R = vg_eye3()},
                   .axis = r->m->nload,
                   .planar = r->m->planar,
                   .turn = -1};
    if (!vg_read_room(r, &r->load, r->m->nload, &r->load_cap, sizeof *r->load)) return -1;
    int index = vg_read_add_measure(r, name, "", &m);
    if (index >= 0) r->load[r->m->nload++] = *load;
    return index;
}

/* joint.NAME.force.x … torque.z: a component of its reaction, as the channel of this name. */
static int joint_reaction(vgReader *r, const char *dotted, const char *name, const char *what, size_t length,
                          int *measure)
{
    static const char *const parts[] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
    vgLoad load = {.kind = VG_LOAD_PART, .joint = vg_names_find_n(r->joint_names, name, length), .part = -1};
    for (int k = 0; k < 6; k++)
        if (strcmp(what, parts[k]) == 0 && !(r->m->planar && k > 1 && k < 5)) load.part = k;
    if (load.joint < 0 || load.part < 0 || !r->joint[load.joint].kind) return 0;
    *measure = vg_read_add_load(r, dotted, &load);
    return *measure >= 0;
}

/* input.NAME: a number that comes from outside while the model runs, 0 until it does. Naming it makes it. */
static int input_measure(vgReader *r, const char *dotted, int *measure)
{
    const char *name = dotted + 6;
    if (*name >= '0' && *name <= '9') return 0; /* names begin with a letter */
    for (const char *c = name; *c; c++)
        if (*c == '.' || *c == '-') return 0; /* a shorter reading is meant */
    if (!*name || strlen(name) > VG_READ_MAX_NAME) return 0;
    *measure = vg_read_add_held(r, dotted);
    return *measure >= 0;
}

/* force.NAME.activation: the rate of the coordinate of that element, which stands before the law that reads it. */
static int activation(vgReader *r, const char *name, size_t length, int *measure, int *rate)
{
    char own[VG_READ_MAX_NAME + 40];
    if (length > VG_READ_MAX_NAME) return 0;
    snprintf(own, sizeof own, "force.%.*s.coordinate1", (int)length, name);
    *measure = vg_names_find(r->measure_names, own);
    *rate = 1;
    return *measure >= 0;
}

int vg_read_channel(vgReader *r, const char *dotted, int *measure, int *rate)
{
    *measure = vg_names_find(r->measure_names, dotted);
    *rate = *measure >= 0 && r->measure[*measure].measure.kind == VG_MEASURE_SPIN;
    if (*measure >= 0) return 1;
    if (strncmp(dotted, "input.", 6) == 0) return input_measure(r, dotted, measure);
    const char *a = strchr(dotted, '.'), *b = a ? strchr(a + 1, '.') : NULL;
    if (!b || strlen(dotted) > 3 * VG_READ_MAX_NAME) return 0;
    size_t length = (size_t)(b - a - 1);
    if (strncmp(dotted, "joint.", 6) == 0) {
        if (joint_reaction(r, dotted, a + 1, b + 1, length, measure)) return 1;
        *rate = 1;
        return joint_rate(r, a + 1, b + 1, length, measure);
    }
    if (strncmp(dotted, "force.", 6) == 0 && strcmp(b + 1, "activation") == 0)
        return activation(r, a + 1, length, measure, rate);
    char owner[3 * VG_READ_MAX_NAME + 8];
    if (strncmp(dotted, "body.", 5) == 0) {
        int body = vg_names_find_n(r->body_names, a + 1, length);
        if (body < 0) return 0;
        vgFrame frame = {.body = body, .r = vg_neg3(r->body[body].com), .R = vg_eye3()};
        snprintf(owner, sizeof owner, "%.*s", (int)(b - dotted), dotted);
        return point_measure(r, &frame, b + 1, owner, measure, rate);
    }
    if (strncmp(dotted, "marker.", 7) == 0) {
        const char *c = strchr(b + 1, '.');
        int k = c ? vg_names_find_n(r->marker_names, a + 1, (size_t)(c - a - 1)) : -1;
        if (k < 0) return 0;
        snprintf(owner, sizeof owner, "%.*s", (int)(c - dotted), dotted);
        return point_measure(r, &r->marker[k].frame, c + 1, owner, measure, rate);
    }
    return 0;
}

void vg_read_angles(vgReader *r)
{
    for (int i = 0; r->m->planar && i < r->m->nbody && !vg_read_stopped(r); i++) {
        const vgBody *b = &r->body[i];
        vgFrame frame = {.body = i, .r = vg_neg3(b->com), .R = vg_eye3()};
        char owner[3 * VG_READ_MAX_NAME + 8];
        int measure, rate;
        if (vg_body_is_hidden(b) || b->select.n == 0 || b->select.at[b->select.n - 1] < 3) continue;
        snprintf(owner, sizeof owner, "body.%s", b->name);
        point_measure(r, &frame, "angle", owner, &measure, &rate);
    }
}

int vg_read_joint_measure(vgReader *r, vgNode *node, int *out)
{
    const char *text;
    *out = -1;
    if (!vg_read_text(r, node, &text)) return 0;
    const char *dot = strchr(text, '.');
    size_t n = dot ? (size_t)(dot - text) : strlen(text);
    int k = vg_names_find_n(r->joint_names, text, n);
    if (k < 0) {
        vg_diag_error(r->diag, node->loc, "there is no joint '%.*s'%s", (int)(n > 100 ? 100 : n), text,
                      vg_read_hint(r, text, vg_names_list(r->joint_names), vg_names_count(r->joint_names)));
        return 0;
    }
    const vgJoint *j = &r->joint[k];
    if (!j->kind) return 0; /* it was wrong, and reported */
    if (j->ncoord == 0) {
        vg_diag_error(r->diag, node->loc, "joint '%s' (%s) has no coordinate to act along", j->name,
                      j->kind->name);
        return 0;
    }
    *out = j->measure0;
    if (!dot) return 1;
    const char *names[VG_JOINT_MAX_COORDS];
    for (int i = 0; i < j->ncoord; i++) {
        names[i] = strrchr(r->measure[j->measure0 + i].name, '.') + 1;
        if (strcmp(names[i], dot + 1) == 0) return *out = j->measure0 + i, 1;
    }
    vg_diag_error(r->diag, node->loc, "joint '%s' has no coordinate '%.60s'%s", j->name, dot + 1,
                  vg_read_hint(r, dot + 1, names, j->ncoord));
    return 0;
}

int vg_read_ball(vgReader *r, vgNode *node, vgForceHead *head)
{
    const char *text;
    if (!vg_read_text(r, node, &text)) return 0;
    int k = vg_names_find(r->joint_names, text);
    if (k < 0) {
        vg_diag_error(r->diag, node->loc, "there is no joint '%.100s'%s", text,
                      vg_read_hint(r, text, vg_names_list(r->joint_names), vg_names_count(r->joint_names)));
        return 0;
    }
    const vgJoint *j = &r->joint[k];
    if (!j->kind) return 0; /* it was wrong, and reported */
    if (!j->kind->motion || j->kind->motion->nv != 3 || j->kind->motion->nq != 4) {
        vg_diag_error(
            r->diag, node->loc,
            "joint '%s' (%s) is no ball joint; friction along a joint coordinate is `joint-friction`",
            j->name, j->kind->name);
        return 0;
    }
    head->joint = k;
    head->frame[0] = j->def.A;
    head->frame[1] = j->def.B;
    return 1;
}

vgKin vg_read_kin(const vgReader *r, int body)
{
    if (body < 0) return (vgKin){.R = vg_eye3()};
    const vgBody *b = &r->body[body];
    return (vgKin){.p = b->p0, .R = b->R0, .v = b->v0, .w = b->w0};
}

void vg_read_measure_value(const vgReader *r, int measure, vgMeasureOut *out)
{
    const vgMeasure *m = &r->measure[measure].measure;
    vgKin a = vg_read_kin(r, m->A.body), b = vg_read_kin(r, m->B.body);
    vg_measure_eval(m, &a, &b, 0, 2, out);
}

#include "analysis/state/inverse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/diagnose.h"
#include "base/names.h"
#include "system/tree.h"

typedef struct Coordinate {
    int measure;
    vgTreeCoordinate at;
    vgExpr *given;      /* by the caller */
    const vgLaw *drive; /* by the model */
} Coordinate;

typedef struct Component {
    int body, part; /* part of the wrench of its branch */
    char *name;
} Component;

struct vgInverse {
    const vgModel *m;
    vgSystem *sys;
    vgWork *work;
    vgState *state, *start;
    Coordinate *coordinate;
    int n;
    Component *wrench;
    int nwrench;
    double *r, *zero;
    double *rate, *gone; /* nv: of what has no law; since the start */
};

/* Drives by value are followed; everything else that makes rows closes a loop. */
static vgStatus check_rows(vgInverse *inv, vgDiag *diag)
{
    const vgModel *m = inv->m;
    for (int r = 0; r < inv->sys->nl; r++) {
        const vgJoint *j = &m->joint[inv->sys->row_joint[r]];
        const vgPrim *p = &m->prim[j->prim0];
        int drive = j->nprim == 1 && vg_prim_is_drive(p), found = 0;
        for (int i = 0; i < inv->n && drive && p->level == 0; i++)
            if (inv->coordinate[i].measure == p->measure[0]) {
                inv->coordinate[i].drive = p->law;
                found = 1;
            }
        if (found) continue;
        if (drive && p->level > 0)
            vg_diag_error(
                diag, j->loc,
                "inverse dynamics follows drives of coordinates, not of their rates: give '%s' by value",
                j->name);
        else
            vg_diag_error(diag, j->loc, "inverse dynamics needs a tree, but joint '%s' closes a loop%s",
                          j->name, drive ? "; a run with it tells its effort" : "");
        return VG_UNSUPPORTED;
    }
    return VG_OK;
}

static vgStatus find_coordinates(vgInverse *inv)
{
    const vgModel *m = inv->m;
    inv->coordinate = calloc((size_t)m->nmeasure + 1, sizeof *inv->coordinate);
    if (!inv->coordinate) return VG_NO_MEMORY;
    for (int j = 0; j < m->njoint; j++)
        for (int k = m->joint[j].measure0; k < m->joint[j].measure0 + m->joint[j].ncoord; k++) {
            Coordinate *c = &inv->coordinate[inv->n];
            c->measure = k;
            inv->n += vg_tree_coordinate(inv->sys, k, &c->at);
        }
    return VG_OK;
}

static vgStatus add_component(vgInverse *inv, int body, int joint, int part)
{
    static const char *const parts[] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
    const vgModel *m = inv->m;
    const char *owner = joint >= 0 ? m->joint[joint].name : m->body[body].name;
    size_t room = strlen(owner) + 24;
    Component *c = &inv->wrench[inv->nwrench];
    *c = (Component){.body = body, .part = part, .name = malloc(room)};
    if (!c->name) return VG_NO_MEMORY;
    snprintf(c->name, room, "%s.%s.%s", joint >= 0 ? "joint" : "body", owner, parts[part]);
    inv->nwrench++;
    return VG_OK;
}

/* Bodies that float, and joints whose coordinates are a rotation. */
static vgStatus find_wrenches(vgInverse *inv, vgDiag *diag)
{
    const vgModel *m = inv->m;
    vgStatus st = VG_OK;
    inv->wrench = calloc((size_t)inv->sys->nv + 1, sizeof *inv->wrench);
    if (!inv->wrench) return VG_NO_MEMORY;
    for (int i = 0; i < m->nbody && st == VG_OK; i++) {
        const vgBody *b = &m->body[i];
        vgTreeBranch at = vg_tree_branch(inv->sys, i);
        if (at.joint < 0 && vg_body_is_hidden(b)) continue;
        if (at.joint < 0 && !(b->mass > 0)) {
            vg_diag_error(diag, b->loc,
                          "inverse dynamics is for bodies that keep their shape, but '%s' is a node of a "
                          "flexible one; a run with drives tells their efforts",
                          b->name);
            return VG_UNSUPPORTED;
        }
        for (int k = 0; at.joint < 0 && k < b->select.n && st == VG_OK; k++)
            st = add_component(inv, i, -1, b->select.at[k]);
        for (int k = 3; at.joint >= 0 && at.nq > at.nv && k < 6 && st == VG_OK; k++)
            st = add_component(inv, i, at.joint, k);
    }
    return st;
}

/* Given for a floating body: the value itself; for a body on a joint: the joint's rate at the start of a run. */
static void find_rates(vgInverse *inv)
{
    const vgModel *m = inv->m;
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        const double given[6] = {b->v0.x, b->v0.y, b->v0.z, b->w0.x, b->w0.y, b->w0.z};
        vgTreeBranch at = vg_tree_branch(inv->sys, i);
        for (int k = 0; b->given && k < at.nv; k++)
            inv->rate[at.v + k] = at.joint < 0 ? given[b->select.at[k]] : inv->start->v[at.v + k];
    }
}

static vgStatus make_room(vgInverse *inv)
{
    size_t nv = (size_t)inv->sys->nv, n = nv + (size_t)inv->sys->nl + 1;
    inv->r = calloc(n, sizeof *inv->r);
    inv->zero = calloc(n, sizeof *inv->zero);
    inv->rate = calloc(2 * nv + 1, sizeof *inv->rate);
    if (!inv->r || !inv->zero || !inv->rate) return VG_NO_MEMORY;
    inv->gone = inv->rate + nv;
    return VG_OK;
}

vgStatus vg_inverse_new(const vgModel *m, vgDiag *diag, vgInverse **out)
{
    vgInverse *inv = calloc(1, sizeof *inv);
    if (!inv) return VG_NO_MEMORY;
    inv->m = m;
    vgStatus st = vg_system_new(m, "relative", "index1", diag, &inv->sys);
    if (st == VG_OK) st = find_coordinates(inv);
    if (st == VG_OK) st = check_rows(inv, diag);
    if (st == VG_OK) st = find_wrenches(inv, diag);
    if (st == VG_OK) st = vg_assemble(inv->sys, 0, 0, diag, NULL, &inv->start);
    if (st == VG_OK) st = vg_state_new(inv->sys, 0, &inv->state);
    if (st == VG_OK) st = vg_work_new(inv->sys, &inv->work);
    if (st == VG_OK) st = make_room(inv);
    if (st != VG_OK) {
        vg_inverse_free(inv);
        return st;
    }
    vg_state_copy(inv->sys, inv->state, inv->start);
    vg_work_bind(inv->work, inv->state);
    find_rates(inv);
    *out = inv;
    return VG_OK;
}

void vg_inverse_free(vgInverse *inv)
{
    if (!inv) return;
    for (int i = 0; i < inv->n; i++)
        if (inv->coordinate[i].given) vg_expr_free(inv->coordinate[i].given);
    for (int i = 0; i < inv->nwrench; i++) free(inv->wrench[i].name);
    free(inv->coordinate);
    free(inv->wrench);
    free(inv->rate);
    free(inv->r);
    free(inv->zero);
    vg_work_free(inv->work);
    vg_state_free(inv->state);
    vg_state_free(inv->start);
    vg_system_free(inv->sys);
    free(inv);
}

int vg_inverse_count(const vgInverse *inv)
{
    return inv->n;
}

const char *vg_inverse_name(const vgInverse *inv, int i)
{
    return inv->m->measure[inv->coordinate[i].measure].name;
}

const char *vg_inverse_unit(const vgInverse *inv, int i)
{
    return inv->m->measure[inv->coordinate[i].measure].unit;
}

int vg_inverse_wrench_count(const vgInverse *inv)
{
    return inv->nwrench;
}

const char *vg_inverse_wrench_name(const vgInverse *inv, int i)
{
    return inv->wrench[i].name;
}

const char *vg_inverse_wrench_unit(const vgInverse *inv, int i)
{
    return inv->wrench[i].part < 3 ? "N" : "N*m";
}

void vg_inverse_wrench(const vgInverse *inv, double *out)
{
    double wrench[6] = {0};
    for (int i = 0; i < inv->nwrench; i++) {
        const Component *c = &inv->wrench[i];
        if (i == 0 || c->body != inv->wrench[i - 1].body)
            vg_tree_branch_wrench(inv->sys, inv->work, c->body, wrench);
        out[i] = wrench[c->part];
    }
}

static int parameter(void *user, const char *name, double *value)
{
    const vgModel *m = user;
    for (int i = 0; i < m->nparam; i++)
        if (!strcmp(m->param_name[i], name)) {
            *value = m->param_value[i];
            return 1;
        }
    return 0;
}

/* "J1.angle" or "joint.J1.angle", or "J1" where the joint has no other. */
static int find(const vgInverse *inv, const char *which)
{
    size_t n = strlen(which);
    int found = -1, several = 0;
    for (int i = 0; i < inv->n; i++) {
        const char *name = vg_inverse_name(inv, i), *local = strchr(name, '.') + 1;
        if (!strcmp(name, which) || !strcmp(local, which)) return i;
        if (strncmp(local, which, n) || local[n] != '.' || strchr(local + n + 1, '.')) continue;
        several = found >= 0;
        found = i;
    }
    return several ? -1 : found;
}

/* The joint that is meant by "J1", "J1.angle" or "joint.J1.angle"; −1: none. */
static int joint_of(const vgModel *m, const char *which)
{
    const char *prefix = "joint.";
    size_t skip = strncmp(which, prefix, strlen(prefix)) ? 0 : strlen(prefix), n = strlen(which + skip);
    int j = vg_names_find(m->joint_names, which + skip);
    while (j < 0 && n > 0)
        if (which[skip + --n] == '.') j = vg_names_find_n(m->joint_names, which + skip, n);
    return j;
}

/* Of a joint that is there: which coordinates it has. Of one that is not: which may be meant. */
static vgStatus not_found(const vgInverse *inv, const char *which, vgDiag *diag)
{
    const vgModel *m = inv->m;
    int j = joint_of(m, which);
    char text[400] = "";
    size_t used = 0;
    for (int k = 0; k < inv->n && j >= 0; k++) {
        int own = inv->coordinate[k].measure - m->joint[j].measure0;
        if (own < 0 || own >= m->joint[j].ncoord || used >= sizeof text) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s'%s'", used ? ", " : "",
                                 strchr(vg_inverse_name(inv, k), '.') + 1);
    }
    if (used) {
        vg_diag_error(diag, VG_NOWHERE, "joint '%s' has the coordinate%s %s, not '%s'", m->joint[j].name,
                      strchr(text, ',') ? "s" : "", text, which);
        return VG_BAD_INPUT;
    }
    if (j >= 0) {
        vg_diag_error(diag, VG_NOWHERE,
                      "joint '%s' (%s) has no coordinate that a law could be given for: it stays as placed, "
                      "or goes on with the velocity given to the body that it carries",
                      m->joint[j].name, m->joint[j].kind->name);
        return VG_BAD_INPUT;
    }
    const char **names = calloc((size_t)inv->n + 1, sizeof *names), *near = NULL;
    for (int k = 0; names && k < inv->n; k++) names[k] = strchr(vg_inverse_name(inv, k), '.') + 1;
    if (names) near = vg_name_closest(which, names, inv->n);
    if (!near) near = vg_name_closest(which, vg_names_list(m->joint_names), vg_names_count(m->joint_names));
    vg_diag_error(diag, VG_NOWHERE, "there is no joint coordinate '%s'%s%s%s", which,
                  near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    free(names);
    return VG_BAD_INPUT;
}

vgStatus vg_inverse_prescribe(vgInverse *inv, const char *which, const char *law, vgDiag *diag)
{
    const vgModel *m = inv->m;
    int i = find(inv, which);
    if (i < 0) return not_found(inv, which, diag);
    vgExprScope scope = {.user = (void *)m,
                         .constant = parameter,
                         .diag = diag,
                         .loc = VG_NOWHERE,
                         .known = m->param_name,
                         .nknown = m->nparam};
    vgExpr *e = vg_expr_compile(law, &scope);
    if (!e) return VG_BAD_INPUT;
    if (inv->coordinate[i].given) vg_expr_free(inv->coordinate[i].given);
    inv->coordinate[i].given = e;
    return VG_OK;
}

/* A coordinate as its law has it: value, rate, acceleration. */
static int follow(const Coordinate *c, double t, double x[3])
{
    if (c->given)
        vg_expr_time(c->given, t, x);
    else
        vg_law_time(c->drive, t, x);
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

vgStatus vg_inverse_at(vgInverse *inv, double t, double *value, double *rate, double *acc, double *force)
{
    const vgSystem *sys = inv->sys;
    vgState *s = inv->state;
    for (int i = 0; i < sys->nv; i++) inv->gone[i] = t * inv->rate[i];
    sys->ops->retract(sys, inv->start->q, inv->gone, s->q);
    memcpy(s->v, inv->rate, (size_t)sys->nv * sizeof(double));
    memset(s->a, 0, (size_t)sys->nv * sizeof(double));
    s->t = t;
    for (int i = 0; i < inv->n; i++) {
        const Coordinate *c = &inv->coordinate[i];
        double x[3];
        if (!c->given && !c->drive) continue;
        if (!follow(c, t, x)) return VG_NOT_FINITE;
        s->q[c->at.q] = (x[0] - c->at.offset) * c->at.sign;
        s->v[c->at.v] = x[1] * c->at.sign;
        s->a[c->at.v] = x[2] * c->at.sign;
    }
    sys->ops->residual(sys, inv->work, t, s->q, s->v, s->a, inv->zero, inv->r, NULL);
    for (int i = 0; i < sys->nv; i++)
        if (!isfinite(inv->r[i])) return VG_NOT_FINITE;
    for (int i = 0; i < inv->n; i++) {
        const vgTreeCoordinate *at = &inv->coordinate[i].at;
        if (value) value[i] = at->sign * s->q[at->q] + at->offset;
        if (rate) rate[i] = at->sign * s->v[at->v];
        if (acc) acc[i] = at->sign * s->a[at->v];
        if (force) force[i] = at->sign * inv->r[at->v];
    }
    vg_work_accept(sys, inv->work, s);
    return VG_OK;
}

void vg_inverse_blame(vgInverse *inv, char *text, size_t room)
{
    const vgState *s = inv->state;
    double x[3];
    for (int i = 0; i < inv->n; i++) {
        const Coordinate *c = &inv->coordinate[i];
        if ((!c->given && !c->drive) || follow(c, s->t, x)) continue;
        snprintf(text, room,
                 "the motion of %s is not defined: its law, its rate or its acceleration is not a number",
                 vg_inverse_name(inv, i));
        return;
    }
    if (!vg_diagnose_number(inv->sys, inv->work, s, text, room))
        snprintf(text, room, "a force is not a number");
}

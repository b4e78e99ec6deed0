/* What both robot formats need of a model: its tree, what acts along its joints, frames at the start. */
#include "model/robot/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREE = -1, UNREACHED = -2 };

void vg_export_note(vgExport *x, const char *kind, const char *name, vgLoc at, const char *text)
{
    if (x->nnote == x->cap) {
        int cap = x->cap ? 2 * x->cap : 16;
        vgExportNote *more = realloc(x->note, (size_t)cap * sizeof *more);
        if (!more) {
            x->failed = 1;
            return;
        }
        x->note = more;
        x->cap = cap;
    }
    vgExportNote *n = &x->note[x->nnote++];
    *n = (vgExportNote){.kind = kind, .name = name, .loc = at};
    strncpy(n->text, text, sizeof n->text - 1);
}

void vg_export_numbers(vgExport *x, const char *key, int n, const double *value)
{
    vg_text_add(&x->text, " %s=\"", key);
    for (int i = 0; i < n; i++) {
        if (i) vg_text_add(&x->text, " ");
        vg_text_number(&x->text, value[i] == 0 ? 0.0 : value[i]);
    }
    vg_text_add(&x->text, "\"");
}

static vgKin kin_of(const vgModel *m, int body)
{
    if (body < 0) return (vgKin){.R = vg_eye3()};
    const vgBody *b = &m->body[body];
    return (vgKin){.p = b->p0, .R = b->R0, .v = b->v0, .w = b->w0};
}

double vg_export_coordinate(const vgModel *m, int measure, double *rate)
{
    const vgMeasure *me = &m->measure[measure].measure;
    vgKin a = kin_of(m, me->A.body), b = kin_of(m, me->B.body);
    vgMeasureOut o;
    vg_measure_eval(me, &a, &b, me->begin, 1, &o);
    if (rate) *rate = o.rate;
    return o.value;
}

int vg_export_joint_of(const vgModel *m, int measure)
{
    for (int i = 0; i < m->njoint; i++)
        if (measure >= m->joint[i].measure0 && measure < m->joint[i].measure0 + m->joint[i].ncoord) return i;
    return -1;
}

vgVec3 vg_export_point(const vgModel *m, const vgFrame *f)
{
    return f->body < 0 ? f->r : vg_add3(f->r, m->body[f->body].com);
}

void vg_export_axis(const vgModel *m, const vgJoint *j, int child, vgVec3 *anchor, vgVec3 *axis)
{
    const vgFrame *f = j->b == child ? &j->def.B : &j->def.A;
    *anchor = vg_export_point(m, f);
    *axis = vg_scale3(vg_col3(f->R, 2), j->b == child ? 1 : -1);
}

void vg_export_pose(const vgModel *m, int body, int in, vgVec3 *p, vgMat3 *R)
{
    const vgBody *b = &m->body[body], *c = in < 0 ? NULL : &m->body[in];
    vgVec3 at = vg_sub3(b->p0, vg_mv3(b->R0, b->com));
    *R = c ? vg_mtm3(c->R0, b->R0) : b->R0;
    *p = c ? vg_mtv3(c->R0, vg_sub3(at, vg_sub3(c->p0, vg_mv3(c->R0, c->com)))) : at;
}

static int is_tree(const vgJoint *j, const char *const *kinds)
{
    for (int k = 0; j->kind && kinds[k]; k++)
        if (strcmp(j->kind->name, kinds[k]) == 0) return !j->cut;
    return 0;
}

/* Joints that reach a new body from what is reached; the rest of those with frames closes loops. */
static void find_tree(vgExport *x, const char *const *kinds)
{
    const vgModel *m = x->m;
    for (int i = 0; i < m->nbody; i++) x->joint[i] = UNREACHED, x->parent[i] = -1;
    for (int i = 0; i < m->njoint; i++) x->loop[i] = m->joint[i].kind->head == VG_HEAD_FRAMES;
    for (int more = 1; more;) {
        more = 0;
        for (int i = 0; i < m->njoint; i++) {
            const vgJoint *j = &m->joint[i];
            int a = j->a < 0 || x->joint[j->a] != UNREACHED, b = j->b < 0 || x->joint[j->b] != UNREACHED;
            if (!x->loop[i] || a == b || !is_tree(j, kinds)) continue;
            int child = a ? j->b : j->a;
            x->joint[child] = i;
            x->parent[child] = a ? j->a : j->b;
            x->loop[i] = 0;
            more = 1;
        }
        for (int i = 0; i < m->nbody && !more; i++)
            if (x->joint[i] == UNREACHED && m->body[i].element < 0) x->joint[i] = FREE, more = 1;
    }
}

/* A field of a force by its key; NAN: absent or not a number. */
static double number_of(const vgForce *f, const char *key)
{
    for (int i = 0; i < f->kind->nfield; i++)
        if (strcmp(f->kind->fields[i].key, key) == 0 && f->kind->fields[i].type == VG_FIELD_NUMBER) {
            double value;
            memcpy(&value, (const char *)f->def + f->kind->fields[i].offset, sizeof value);
            return value;
        }
    return NAN;
}

static int has_table(const vgForce *f)
{
    for (int i = 0; i < f->kind->nfield; i++) {
        const void *at = (const char *)f->def + f->kind->fields[i].offset;
        const void *table = NULL;
        if (f->kind->fields[i].type == VG_FIELD_TABLE) memcpy(&table, at, sizeof table);
        if (table || (f->kind->fields[i].type == VG_FIELD_LAW && vg_law_given(at))) return 1;
    }
    return 0;
}

/* Forces along one joint coordinate that both formats have words for. 1: it is said. */
static int read_effort(vgExport *x, const vgForce *f)
{
    const char *kind = f->kind->name;
    if (f->setup.nmeasure != 1) return 0;
    vgExportEffort *e = &x->effort[f->setup.measure[0]];
    if (strcmp(kind, "rotor") == 0) {
        double n = number_of(f, "ratio");
        e->armature += number_of(f, "inertia") * n * n;
    } else if (strcmp(kind, "joint-stop") == 0 && !e->limited) {
        e->lower = number_of(f, "lower"), e->upper = number_of(f, "upper");
        e->limited = isfinite(e->lower) && isfinite(e->upper);
        if (e->limited)
            vg_export_note(x, "force", f->name, f->loc,
                           "its ends are said as a range, its stiffness and damping are not");
        return e->limited;
    } else if (strcmp(kind, "joint-friction") == 0) {
        e->friction += number_of(f, "coulomb");
        if (number_of(f, "viscous") > 0) e->damping += number_of(f, "viscous");
        vg_export_note(x, "force", f->name, f->loc, "its level is said, its law near zero speed is not");
    } else if (strcmp(kind, "torsion") == 0 && !has_table(f)) {
        double k = number_of(f, "stiffness"), preload = number_of(f, "preload"), at = number_of(f, "angle0");
        if ((k != 0 && e->stiffness != 0) || preload != 0) return 0;
        if (isnan(at)) at = vg_export_coordinate(x->m, f->setup.measure[0], NULL);
        e->damping += number_of(f, "damping");
        if (k != 0) e->stiffness = k, e->springref = at;
    } else {
        return 0;
    }
    return 1;
}

int vg_export_motor(const vgModel *m, const vgForce *f, const char **input, double *gain)
{
    if (strcmp(f->kind->name, "joint-torque") != 0 || f->setup.nlaw != 1) return 0;
    const vgLaw *law = f->setup.law[0];
    if (law->ninput != 1 || law->slot[0] < VG_LAW_LOCAL) return 0;
    const vgNamedMeasure *me = &m->measure[(law->slot[0] - VG_LAW_LOCAL) / 2];
    if (me->measure.kind != VG_MEASURE_INPUT || strncmp(me->name, "input.", 6) != 0) return 0;
    double y[3], none[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        double u = k;
        y[k] = vg_law_value(law, 0, 2, none, &u, NULL);
    }
    *input = me->name + 6;
    *gain = y[1];
    return y[0] == 0 && y[2] == 2 * y[1] && y[1] != 0;
}

/* The formats have poses, and no motion to begin with. */
static void note_start(vgExport *x)
{
    const vgModel *m = x->m;
    for (int i = 0; i < m->nbody; i++)
        if (vg_norm3(m->body[i].v0) > 0 || vg_norm3(m->body[i].w0) > 0)
            vg_export_note(x, "body", m->body[i].name, m->body[i].loc,
                           "its velocity at the start is not said");
    for (int i = m->njoint; m->start && i < m->start->njoint; i++) {
        const vgJoint *j = &m->joint[m->start->joint[i].drive_of];
        vg_export_note(x, "joint", j->name, j->loc,
                       "where it starts is not said; bodies are as they are placed");
    }
}

int vg_export_begin(vgExport *x, const vgModel *m, const char *const *kinds)
{
    *x = (vgExport){.m = m};
    x->parent = calloc((size_t)m->nbody + 1, sizeof *x->parent);
    x->joint = calloc((size_t)m->nbody + 1, sizeof *x->joint);
    x->loop = calloc((size_t)m->njoint + 1, sizeof *x->loop);
    x->effort = calloc((size_t)m->nmeasure + 1, sizeof *x->effort);
    if (!x->parent || !x->joint || !x->loop || !x->effort) return 0;
    find_tree(x, kinds);
    for (int i = 0; i < m->nforce; i++) {
        const char *input;
        double gain;
        const vgForce *f = &m->force[i];
        if (read_effort(x, f) || vg_export_motor(m, f, &input, &gain)) continue;
        vg_export_note(x, "force", f->name, f->loc, "the format has no element for it");
    }
    for (int i = 0; i < m->ncontroller; i++)
        vg_export_note(x, "controller", m->controller[i].name, m->controller[i].loc,
                       "the format has no controllers");
    for (int i = 0; i < m->nmodal; i++)
        vg_export_note(x, "flexible body", m->modal[i].name, VG_NOWHERE, "the format has rigid bodies only");
    note_start(x);
    return 1;
}

void vg_export_free(vgExport *x)
{
    free(x->parent), free(x->joint), free(x->loop), free(x->effort), free(x->note);
    vg_text_free(&x->text);
    *x = (vgExport){0};
}

/* Force elements: heads, fields, set-up, scalar coordinates they need, start at the initial placement. */
#include <stdio.h>
#include <string.h>

#include "model/read/reader.h"

static int kind_at(int i, vgReadKind *kind)
{
    const vgForceKind *k = vg_force_kinds[i];
    if (k) *kind = (vgReadKind){k->name, k->fields, k->nfield};
    return k != NULL;
}

static const char *const keys[] = {"if", NULL};
static const vgReadKinds kinds = {"force", "{spring: [frame, frame], …}", keys, kind_at, NULL};

static int read_head(vgReader *r, const vgForceKind *kind, vgNode *node, vgForceHead *head)
{
    int pair = kind->head == VG_HEAD_FRAMES || kind->head == VG_HEAD_JOINTS;
    int joints = kind->head == VG_HEAD_JOINT || kind->head == VG_HEAD_JOINTS;
    head->measure[0] = head->measure[1] = head->joint = -1;
    for (int i = 0; i < 2; i++) head->frame[i] = (vgFrame){.body = -1, .R = vg_eye3()};
    if (kind->head == VG_HEAD_NONE) return 1;
    if (kind->head == VG_HEAD_NUMBER) return vg_read_number(r, node, &head->number);
    if (kind->head == VG_HEAD_BALL) return vg_read_ball(r, node, head);
    if (pair && (node->kind != VG_NODE_LIST || node->n != 2)) {
        vg_diag_error(r->diag, node->loc, "%s: expected %s, got %s", kind->name,
                      joints ? "[joint, joint]" : "[frame, frame]", vg_node_kind_text(node));
        return 0;
    }
    int ok = 1;
    for (int i = 0; i < 1 + pair; i++) {
        vgNode *item = pair ? node->item[i] : node;
        ok &= joints ? vg_read_joint_measure(r, item, &head->measure[i])
                     : vg_read_frame(r, item, &head->frame[i]);
    }
    if (ok && pair && !joints && !kind->self && head->frame[0].body == head->frame[1].body) {
        const char *name = head->frame[0].body < 0 ? "ground" : r->body[head->frame[0].body].name;
        vg_diag_error(r->diag, node->loc, "both ends of this %s are on '%s'; it needs two bodies", kind->name,
                      name);
        return 0;
    }
    return ok;
}

/* The load that an element reads of the reaction of its joint, as a measure. */
static int add_load(vgReader *r, vgForce *f, const vgForceHead *head, const vgNode *map)
{
    vgForceSetup *s = &f->setup;
    vgLoad *load = &s->load;
    if (s->nload == 0) return 1;
    load->joint = head->joint;
    if (load->kind != VG_LOAD_BALL) {
        const vgMeasureKind along = r->measure[load->measure].measure.kind;
        for (int j = 0; j < r->m->njoint; j++)
            if (r->joint[j].drive_of < 0 && load->measure >= r->joint[j].measure0 &&
                load->measure < r->joint[j].measure0 + r->joint[j].ncoord)
                load->joint = j;
        if (along == VG_MEASURE_DISPLACEMENT) load->kind = VG_LOAD_SLIDING;
        if (along != VG_MEASURE_DISPLACEMENT && along != VG_MEASURE_ANGLE) {
            vg_diag_error(r->diag, map->loc,
                          "%s: friction by the reaction is known for pins and slides; '%s' is neither",
                          f->kind->name, r->measure[load->measure].name);
            return 0;
        }
    }
    if (load->kind != VG_LOAD_SLIDING && !(load->radius > 0) && !(load->thrust > 0)) {
        vg_diag_error(r->diag, map->loc,
                      "%s: coefficient needs the radius at which the joint rubs: give radius", f->kind->name);
        return 0;
    }
    char *name = vg_pool_printf(r->pool, "force.%s.load", f->name);
    int index = name ? vg_read_add_load(r, name, load) : -1;
    if (index < 0) return 0;
    s->measure[s->nmeasure++] = index;
    return 1;
}

/* The scalar coordinates that an element asks for: a scalar body and a measure of it for each. */
static int add_scalars(vgReader *r, vgForce *f, int element)
{
    vgForceSetup *s = &f->setup;
    for (int k = 0; k < s->nscalar; k++) {
        char *name = vg_pool_printf(r->pool, "force.%s.coordinate%d", f->name, k + 1);
        int body, existed;
        if (!name || !vg_read_room(r, &r->body, r->m->nbody, &r->body_cap, sizeof *r->body)) return 0;
        if (vg_names_add(r->body_names, name, &body, &existed) != VG_OK || existed || s->nmeasure >= 4)
            return 0;
        r->body[r->m->nbody++] = (vgBody){.name = name,
                                          .loc = f->loc,
                                          .select = {1, {0}},
                                          .mass = 1,
                                          .R0 = vg_eye3(),
                                          .element = element,
                                          .v0 = {s->scalar_rate, 0, 0}};
        vgMeasure m = {.kind = VG_MEASURE_COORDINATE,
                       .A = {.body = -1, .R = vg_eye3()},
                       .B = {.body = body, .R = vg_eye3()},
                       .planar = r->m->planar,
                       .turn = -1};
        int index = vg_read_add_measure(r, name, "", &m);
        if (index < 0) return 0;
        s->measure[s->nmeasure++] = index;
    }
    return 1;
}

/* The body whose velocity are the numbers that an element integrates. */
static int add_state(vgReader *r, vgForce *f, int element)
{
    vgForceSetup *s = &f->setup;
    if (s->nstate == 0) return 1;
    char *name = vg_pool_printf(r->pool, "force.%s.state", f->name);
    int body, existed;
    if (!name || !vg_read_room(r, &r->body, r->m->nbody, &r->body_cap, sizeof *r->body)) return 0;
    if (vg_names_add(r->body_names, name, &body, &existed) != VG_OK || existed) return 0;
    r->body[r->m->nbody++] = (vgBody){.name = name,
                                      .loc = f->loc,
                                      .select = {s->nstate, {0, 1, 2}},
                                      .mass = 1,
                                      .R0 = vg_eye3(),
                                      .element = element};
    s->body[s->nbody++] = body;
    return 1;
}

typedef struct inputs {
    vgForceIn in;
    vgKin kin[VG_FORCE_MAX_BODIES];
    const vgKin *kins[VG_FORCE_MAX_BODIES];
    vgMeasureOut measure[4];
    double law[VG_FORCE_MAX_LAWS][VG_LAW_MAX_INPUTS];
} inputs;

/* What the element sees at the initial placement. */
static void look(const vgReader *r, const vgForce *f, inputs *x)
{
    const vgForceSetup *s = &f->setup;
    memset(x->law, 0, sizeof x->law);
    for (int i = 0; i < s->nbody; i++) {
        x->kin[i] = vg_read_kin(r, s->body[i]);
        x->kins[i] = &x->kin[i];
    }
    for (int i = 0; i < s->nmeasure; i++) vg_read_measure_value(r, s->measure[i], &x->measure[i]);
    x->in = (vgForceIn){.nbody = s->nbody, .kin = x->kins, .measure = x->measure};
    for (int i = 0; i < s->nlaw; i++) {
        const vgLaw *law = s->law[i];
        x->in.law_inputs[i] = x->law[i];
        for (int k = 0; k < law->ninput; k++) {
            if (law->slot[k] < VG_LAW_LOCAL) continue;
            vgMeasureOut out;
            int slot = law->slot[k] - VG_LAW_LOCAL;
            vg_read_measure_value(r, slot / 2, &out);
            x->law[i][k] = slot % 2 ? out.rate : out.value;
        }
    }
}

static int add_seen(int *seen, int n, int body)
{
    for (int i = 0; i < n; i++)
        if (seen[i] == body) return n;
    if (body >= 0 && n <= VG_FORCE_MAX_UNION) seen[n++] = body;
    return n;
}

/* The bodies that the element acts on, or sees through its measures and laws, are not too many. */
static int can_be_seen(vgReader *r, const vgForce *f, const vgNode *map)
{
    const vgForceSetup *s = &f->setup;
    int seen[VG_FORCE_MAX_UNION + 1], n = 0;
    for (int i = 0; i < s->nbody; i++) n = add_seen(seen, n, s->body[i]);
    for (int i = 0; i < s->nmeasure; i++)
        for (int end = 0; end < 2; end++) {
            const vgMeasure *m = &r->measure[s->measure[i]].measure;
            n = add_seen(seen, n, end ? m->B.body : m->A.body);
        }
    for (int l = 0; l < s->nlaw; l++)
        for (int k = 0; k < 2 * s->law[l]->ninput; k++) {
            int slot = s->law[l]->slot[k / 2] - VG_LAW_LOCAL;
            if (slot < 0) continue;
            const vgMeasure *m = &r->measure[slot / 2].measure;
            n = add_seen(seen, n, k % 2 ? m->B.body : m->A.body);
        }
    if (n <= VG_FORCE_MAX_UNION) return 1;
    vg_diag_error(r->diag, map->loc, "the laws of '%s' see more than %d bodies; split it into several forces",
                  f->name, VG_FORCE_MAX_UNION);
    return 0;
}

static void set_up(vgReader *r, vgForce *f, void *def, const vgNode *map)
{
    vgForceSetup *s = &f->setup;
    vgStatus status = f->kind->setup(def, r->m->planar, s);
    if (status != VG_OK) {
        const vgNode *at = s->key ? vg_node_get(map, s->key) : NULL;
        vg_diag_error(r->diag, at ? at->loc : map->loc, "%s%s%s", s->key ? s->key : f->kind->name, ": ",
                      s->why ? s->why : vg_status_text(status));
        return;
    }
    for (int i = 0; i < s->nbody && s->turning; i++) {
        const vgBody *b = s->body[i] < 0 ? NULL : &r->body[s->body[i]];
        if (!b || b->select.n == (r->m->planar ? 3 : 6)) continue;
        vg_diag_error(r->diag, map->loc, "%s: '%s' is a point mass, which does not turn; give it an inertia",
                      f->kind->name, b->name);
        return;
    }
    if (!add_load(r, f, def, map)) return;
    if (!add_scalars(r, f, r->m->nforce - 1) || !add_state(r, f, r->m->nforce - 1)) return;
    if (!can_be_seen(r, f, map)) return;
    inputs x;
    look(r, f, &x);
    const char *wrong = f->kind->place ? f->kind->place(def, &x.in) : NULL;
    if (wrong) vg_diag_error(r->diag, map->loc, "%s: %s", f->kind->name, wrong);
}

/* Axes of forces in planar models lie in the plane. */
static int axes_in_plane(vgReader *r, const vgForceKind *kind, const vgNode *map, const void *def)
{
    for (int i = 0; r->m->planar && i < kind->nfield; i++) {
        const vgField *f = &kind->fields[i];
        const vgNode *given = vg_node_get(map, f->key);
        const double *axis = (const double *)((const char *)def + f->offset);
        if (f->type == VG_FIELD_AXIS && !vg_read_in_plane(r, given ? given : map, 0, axis)) return 0;
    }
    return 1;
}

/* An element with nothing but its place would be there without doing anything. */
static int does_something(vgReader *r, const vgForceKind *kind, const vgEntry *e)
{
    char list[200] = "";
    size_t n = 0;
    for (int i = 0; kind->some && kind->some[i]; i++) {
        if (vg_node_get(e->value, kind->some[i])) return 1;
        int more = snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", kind->some[i]);
        n += more > 0 && (size_t)more < sizeof list - n ? (size_t)more : 0;
    }
    if (!kind->some) return 1;
    vg_diag_error(r->diag, e->value->loc,
                  "the %s '%s' does nothing; give it one of %s (0 where that is meant)", kind->name, e->name,
                  list);
    return 0;
}

void vg_read_force(vgReader *r, const vgEntry *e)
{
    vgNode *head = NULL;
    int index, existed;
    int k = vg_read_kind(r, e, &kinds, &head);
    if (k == -1) vg_read_no_kind(r, e, &kinds);
    const vgForceKind *kind = k < 0 ? NULL : vg_force_kinds[k];
    if (vg_names_add(r->force_names, e->name, &index, &existed) != VG_OK) r->full = 1;
    if (existed) {
        vg_diag_error(r->diag, e->loc, "the name '%s' is used twice for a force", e->name);
        return;
    }
    if (!vg_read_room(r, &r->force, r->m->nforce, &r->force_cap, sizeof *r->force)) return;
    vgForce *f = &r->force[r->m->nforce++];
    *f = (vgForce){.name = vg_names_at(r->force_names, index), .loc = e->loc, .kind = kind};
    if (!kind) return;
    if (kind->planar != 1 && (kind->planar == 2) != r->m->planar) {
        vg_diag_error(r->diag, e->loc, "the force kind '%s' is for %s models only", kind->name,
                      kind->planar ? "planar" : "spatial");
        return;
    }
    void *def = vg_read_take(r, kind->def_size);
    const char *const also[] = {kind->name, "if", NULL};
    if (!def) return;
    f->def = def;
    r->locals = kind->locals;
    int ok = read_head(r, kind, head, def);
    ok &= vg_read_fields(r, e->value, kind->fields, kind->nfield, def, also, kind->name);
    r->locals = NULL;
    ok = ok && does_something(r, kind, e);
    ok = ok && axes_in_plane(r, kind, e->value, def);
    if (ok) set_up(r, f, def, e->value);
}

void vg_read_forces(vgReader *r)
{
    const vgEntries *e = &r->section[VG_SECTION_FORCES];
    for (int i = 0; i < e->n && !vg_read_stopped(r); i++) {
        r->ctx = e->at[i].ctx;
        vg_read_force(r, &e->at[i]);
    }
    r->ctx = NULL;
    vg_read_joint_keys(r);
    vg_read_flexible_forces(r);
    vg_read_station_forces(r);
}

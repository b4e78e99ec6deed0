/* Groups of contacts: bodies by patterns, their shapes, the law. */
#include <math.h>
#include <string.h>

#include "element/contact/group.h"
#include "model/read/reader.h"
#include "model/tuning.h"

typedef struct groupSpec {
    vgNode *among, *with, *planes;
    double radius;
    int condition; /* read with the entries */
    vgContactGroup group;
} groupSpec;

static const vgField fields[] = {
    {"among", VG_FIELD_LIST, offsetof(groupSpec, among), "", NULL, 0, 0,
     "Bodies of which any two may touch: a list of names, in which * stands for any letters. Their shapes "
     "sphere take part (planar models: disc and cylinder too)."},
    {"with", VG_FIELD_LIST, offsetof(groupSpec, with), "", "", 0, 0,
     "Bodies that each of these may touch, and that do not touch each other: names as above, or ground. "
     "Their shapes sphere, box and bar take part; a bar has round ends of its radius."},
    {"planes", VG_FIELD_LIST, offsetof(groupSpec, planes), "", "", 0, 0,
     "Frames whose plane z = 0 (planar: line y = 0) each of these may touch, from the side of positive z."},
    {"radius", VG_FIELD_NUMBER, offsetof(groupSpec, radius), "m", "", VG_POSITIVE, INFINITY,
     "Every body of `among` is a sphere of this radius around its origin, whatever its shapes are."},
    {"if", VG_FIELD_BOOL, offsetof(groupSpec, condition), "", "true", 0, 0,
     "The group is left out when this is 0."},
    VG_CONTACT_FIELDS(groupSpec, group.law),
};

const vgFormatTable vg_format_contacts = {
    "Contacts",
    "`contacts: {name: {among: [bodies], with: [bodies], planes: [frames], law}}`. A group of contacts "
    "stands for one contact element for every pair of shapes on different bodies: any two of `among`, and "
    "each of them with each of `with` and `planes`. Pairs that are near each other are found by a grid. "
    "Forces and tangents are computed for those that touch, so that cost and memory grow with the number of "
    "bodies and not with that of pairs. The law is that of the contact elements under Forces; friction is "
    "smooth. Needs absolute coordinates (the default). Channels: `force.NAME.pairs` (how many touch), "
    "`force.NAME.depth` and `force.NAME.force` (the largest).",
    "contacts:\n  balls: {among: [\"ball*\"], with: [tray], planes: [ground], stiffness: 1e6, restitution: "
    "0.5, friction: 0.3}",
    fields, sizeof fields / sizeof *fields};

typedef struct shapeList {
    int n, cap;
    vgTouchShape *at;
} shapeList;

static int add_shape(vgReader *r, shapeList *list, vgTouchShape s)
{
    if (!vg_read_scratch_room(r, &list->at, list->n, &list->cap, sizeof *list->at)) return 0;
    list->at[list->n++] = s;
    return 1;
}

/* A shape as contacts see it; 0: they do not. */
static int touch_shape(const vgShape *s, int body, vgVec3 com, int planar, vgTouchShape *out)
{
    static const int kind[] = {[VG_SHAPE_SPHERE] = VG_TOUCH_SPHERE + 1,
                               [VG_SHAPE_BOX] = VG_TOUCH_BOX + 1,
                               [VG_SHAPE_BAR] = VG_TOUCH_BAR + 1,
                               [VG_SHAPE_LINES] = 0};
    int round = planar && (s->kind == VG_SHAPE_DISC || s->kind == VG_SHAPE_CYLINDER);
    if (!round && !kind[s->kind]) return 0;
    *out = (vgTouchShape){.kind = round ? VG_TOUCH_SPHERE : (vgTouchKind)(kind[s->kind] - 1),
                          .frame = {body, vg_sub3(s->at.r, com), s->at.R},
                          .size = {s->size[0], s->size[1], s->size[2]}};
    out->bound = out->kind == VG_TOUCH_SPHERE ? s->size[0]
                 : out->kind == VG_TOUCH_BOX  ? 0.5 * vg_norm3(vg_load3(s->size))
                                              : 0.5 * s->size[0] + s->size[1];
    return 1;
}

/* All shapes of a body that take part; −1 is the ground. balls: spheres alone do. */
static int add_body(vgReader *r, vgNode *at, const groupSpec *spec, int body, int balls, shapeList *list)
{
    const vgBody *b = body < 0 ? NULL : &r->body[body];
    int n = b ? b->nshape : r->m->nground_shape, found = 0;
    const vgShape *shape = b ? b->shape : r->m->ground_shape;
    vgVec3 com = b ? b->com : vg_zero3();
    if (balls && !isnan(spec->radius))
        return add_shape(
            r, list,
            (vgTouchShape){
                VG_TOUCH_SPHERE, {body, vg_neg3(com), vg_eye3()}, {spec->radius, 0, 0}, spec->radius});
    for (int i = 0; i < n; i++) {
        vgTouchShape s;
        if (!touch_shape(&shape[i], body, com, r->m->planar, &s)) continue;
        if (balls && s.kind != VG_TOUCH_SPHERE) continue;
        if (!add_shape(r, list, s)) return 0;
        found++;
    }
    if (found) return 1;
    vg_diag_error(r->diag, at->loc,
                  balls ? "'%s' has no shape sphere that could touch something; give it one, or give `radius`"
                        : "'%s' has no shape sphere, box or bar that could be touched; give it one",
                  b ? b->name : "ground");
    return 0;
}

/* Marks the bodies that an item of the list means: mark[body], the ground last. */
static int mark_bodies(vgReader *r, vgNode *item, int ground, vgNode **mark)
{
    const char *name;
    int found = 0, n = r->m->nbody;
    if (!vg_read_text(r, item, &name)) return 0;
    if (strcmp(name, "ground") == 0) {
        if (ground) return mark[n] = item, 1;
        vg_diag_error(r->diag, item->loc, "the ground does not move; name it in `with` or `planes`");
        return 0;
    }
    for (int i = 0; i < n; i++) {
        if (vg_body_is_hidden(&r->body[i]) || !vg_name_matches(name, r->body[i].name)) continue;
        if (!mark[i]) mark[i] = item;
        found = 1;
    }
    if (!found)
        vg_diag_error(r->diag, item->loc, "no body is called '%s'%s", name,
                      vg_read_hint(r, name, vg_names_list(r->body_names), vg_names_count(r->body_names)));
    return found;
}

static int mark_list(vgReader *r, vgNode *list, int ground, vgNode **mark)
{
    if (list->kind == VG_NODE_SCALAR) return mark_bodies(r, list, ground, mark);
    if (list->kind != VG_NODE_LIST || list->n == 0) {
        vg_diag_error(r->diag, list->loc, "expected a list of bodies, got %s", vg_node_kind_text(list));
        return 0;
    }
    for (int i = 0; i < list->n; i++)
        if (!mark_bodies(r, list->item[i], ground, mark)) return 0;
    return 1;
}

static int add_planes(vgReader *r, vgNode *list, shapeList *out)
{
    int many = list->kind == VG_NODE_LIST, n = many ? list->n : 1, first = out->n;
    for (int i = 0; i < n; i++) {
        vgTouchShape s = {.kind = VG_TOUCH_PLANE, .bound = INFINITY};
        if (!vg_read_frame(r, many ? list->item[i] : list, &s.frame) || !add_shape(r, out, s)) return 0;
        for (int k = out->n - 1; k > first && out->at[k - 1].frame.body > s.frame.body; k--)
            out->at[k] = out->at[k - 1], out->at[k - 1] = s;
    }
    return 1;
}

/* The rows of the pairs that can occur, and the error message for an unknown one. */
static int known_pairs(vgReader *r, const vgEntry *e, vgContactGroup *g)
{
    for (int a = 0; a < VG_TOUCH_COUNT; a++)
        for (int b = 0; b < VG_TOUCH_COUNT; b++) {
            int swap, k = 0;
            const vgContactPair *pair = vg_contact_pair((vgTouchKind)a, (vgTouchKind)b, &swap);
            while (pair && vg_contact_pairs[k] != pair) k++;
            g->row[a][b] = (signed char)(pair ? k : -1);
            g->swap[a][b] = (unsigned char)swap;
        }
    for (int i = 0; i < g->n; i++) {
        if (g->row[g->shape[0].kind][g->shape[i].kind] >= 0) continue;
        vg_diag_error(r->diag, e->loc, "contacts of %s and %s are not known",
                      vg_touch_names[g->shape[0].kind], vg_touch_names[g->shape[i].kind]);
        return 0;
    }
    return 1;
}

static int freeze(vgReader *r, const vgEntry *e, const shapeList *list, vgContactGroup *g)
{
    vgTouchShape *shape = vg_read_take(r, ((size_t)list->n + 1) * sizeof *shape);
    int *body = vg_read_take(r, ((size_t)list->n + 1) * sizeof *body);
    double sum = 0;
    if (!shape || !body) return 0;
    memcpy(shape, list->at, (size_t)list->n * sizeof *shape);
    for (int i = 0; i < list->n; i++) body[i] = shape[i].frame.body;
    g->n = list->n;
    g->shape = shape;
    g->body = body;
    for (int i = 0; i < g->namong; i++) {
        sum += shape[i].bound;
        g->largest = fmax(g->largest, shape[i].bound);
    }
    g->margin = VG_CONTACT_MARGIN * sum / g->namong;
    return known_pairs(r, e, g);
}

/* Shapes of `among`, then of `with`, then planes, each in the order of their bodies. */
static int collect(vgReader *r, groupSpec *s, shapeList *list)
{
    vgNode **mark = VG_NEW(r->scratch, vgNode *, 2 * (size_t)r->m->nbody + 2),
           **with = mark + r->m->nbody + 1;
    if (!mark) return r->full = 1, 0;
    if (!mark_list(r, s->among, 0, mark)) return 0;
    if (s->with && !mark_list(r, s->with, 1, with)) return 0;
    for (int i = 0; i < r->m->nbody; i++)
        if (mark[i] && !add_body(r, mark[i], s, i, 1, list)) return 0;
    s->group.namong = list->n;
    for (int i = -1; i < r->m->nbody; i++) {
        vgNode *item = with[i < 0 ? r->m->nbody : i];
        if (item && (i < 0 || !mark[i]) && !add_body(r, item, s, i, 0, list)) return 0;
    }
    s->group.nfinite = list->n;
    return !s->planes || add_planes(r, s->planes, list);
}

static void read_group(vgReader *r, const vgEntry *e)
{
    groupSpec spec = {0};
    shapeList list = {0};
    int index, existed;
    if (vg_names_add(r->force_names, e->name, &index, &existed) != VG_OK) r->full = 1;
    if (existed) {
        vg_diag_error(r->diag, e->loc, "the name '%s' is used twice, for a force and a group of contacts",
                      e->name);
        return;
    }
    if (!vg_read_room(r, &r->force, r->m->nforce, &r->force_cap, sizeof *r->force)) return;
    vgForce *f = &r->force[r->m->nforce++];
    *f =
        (vgForce){.name = vg_names_at(r->force_names, index), .loc = e->loc, .kind = &vg_force_contact_group};
    if (!vg_read_map(r, e->value, "a group of contacts")) return;
    if (!vg_read_fields(r, e->value, fields, sizeof fields / sizeof *fields, &spec, NULL,
                        "group of contacts"))
        return;
    vgContactGroup *g = vg_read_take(r, sizeof *g);
    if (!g || !collect(r, &spec, &list)) return;
    *g = spec.group;
    f->def = g;
    if (!freeze(r, e, &list, g)) return;
    vgStatus st = f->kind->setup(g, r->m->planar, &f->setup);
    if (st == VG_OK) return;
    const vgNode *at = f->setup.key ? vg_node_get(e->value, f->setup.key) : NULL;
    vg_diag_error(r->diag, at ? at->loc : e->loc, "%s: %s", f->setup.key ? f->setup.key : "contacts",
                  f->setup.why ? f->setup.why : vg_status_text(st));
}

void vg_read_contacts(vgReader *r)
{
    const vgEntries *e = &r->section[VG_SECTION_CONTACTS];
    for (int i = 0; i < e->n && !vg_read_stopped(r); i++) {
        r->ctx = e->at[i].ctx;
        read_group(r, &e->at[i]);
    }
    r->ctx = NULL;
}

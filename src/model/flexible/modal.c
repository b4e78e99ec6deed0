/* `flexible:`: bodies in a floating frame with modes. The frame becomes a body of that name, with the mass of
 * the undeformed body; amplitudes are hidden bodies, nodes are bodies NAME.NODE without mass, each held to
 * the frame and the amplitudes by a joint of that name (a node that never moves is a marker of the frame). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/so3.h"
#include "model/read/reader.h"
#include "model/tuning.h"

enum { MAX_NODES = 1000 };

typedef struct flexSpec {
    vgReadPlace place;
    double velocity[3], length, damping, ratio;
    int modes, ends, foreshortening;
    const char *support, *file;
    vgNumbers amplitudes, rates;
    vgNode *omega, *nodes, *shape;
    vgSectionDef section;
} flexSpec;

static const vgField fields[] = {
    {"file", VG_FIELD_STRING, offsetof(flexSpec, file), "", "", 0, 0,
     "A file of modes in the model's folder (see Files of modes). Left out: a beam."},
    {"length", VG_FIELD_NUMBER, offsetof(flexSpec, length), "m", "", 1e-12, 1e12,
     "Beam: its length along x of the body's frame, which stands at its start."},
    {"support", VG_FIELD_NAME, offsetof(flexSpec, support), "", "clamped", 0, 0,
     "Beam: how the frame follows it: clamped (with its start), pinned (origin at the start, x axis through "
     "the end) or free (mean axes)."},
    {"modes", VG_FIELD_INT, offsetof(flexSpec, modes), "", "4", 0, VG_MODAL_MAX_MODES,
     "Beam: how many of its lowest modes under that support are kept."},
    {"ends", VG_FIELD_BOOL, offsetof(flexSpec, ends), "", "false", 0, 0,
     "Beam: static shapes for displacements of the ends come first, and the modes are those with the ends "
     "held (Craig-Bampton): exact for static loads at the ends."},
    {"foreshortening", VG_FIELD_BOOL, offsetof(flexSpec, foreshortening), "", "false", 0, 0,
     "Beam: bending shortens it, by half the integral of the square of its slope. Needed where it turns fast "
     "or carries large axial forces. The first nine modes take part, those of the ends first."},
    {"damping", VG_FIELD_NUMBER, offsetof(flexSpec, damping), "s", "0", 0, 1e12,
     "Viscous damping by the stiffness: C = damping K."},
    {"damping-ratio", VG_FIELD_NUMBER, offsetof(flexSpec, ratio), "", "0", 0, 100,
     "Damping ratio of every mode of the body, added to damping."},
    {"nodes", VG_FIELD_MAP, offsetof(flexSpec, nodes), "m", "", 0, 0,
     "Beam: places for joints, forces and channels, `name: distance from the start`; left out: start and "
     "end. File: the names of its nodes that are wanted, as a list; left out: all."},
    {"amplitudes", VG_FIELD_NUMBERS, offsetof(flexSpec, amplitudes), "m", "", 0, 0,
     "Initial amplitudes of the modes, the first ones of the list; the others are zero. One metre is the "
     "largest deflection of a beam's mode."},
    {"rates", VG_FIELD_NUMBERS, offsetof(flexSpec, rates), "m/s", "", 0, 0, "Their initial rates."},
    VG_PLACE_FIELDS(flexSpec),
    {"velocity", VG_FIELD_VEC3, offsetof(flexSpec, velocity), "m/s", "0", 0, 0,
     "Initial velocity of the frame's origin, world axes."},
    {"omega", VG_FIELD_MAP, offsetof(flexSpec, omega), "rad/s", "", 0, 0,
     "Initial angular velocity of the frame in its axes; planar: one number."},
    {"shape", VG_FIELD_MAP, offsetof(flexSpec, shape), "", "", 0, 0,
     "What the frame looks like; left out: a line through the nodes is drawn."},
    VG_SECTION_FIELDS(flexSpec),
};
const vgFormatTable vg_format_flexible = {
    "Flexible bodies",
    "`flexible: {name: {…}}`: bodies that deform a little, in a floating frame, with modes and amplitudes. "
    "The frame is a body of that name, each node a body `name.node` that joints, forces and channels may "
    "use. Channels `body.name.mode.k` and `body.name.mode-rate.k` are the amplitudes, "
    "`body.name.strain-energy` their energy, and nodes of beams have stress resultants "
    "`body.name.node.axial`, `shear-y`, `shear-z`, `torsion`, `moment-y`, `moment-z` in the axes of the "
    "beam. For a beam without shear deformation give a large shear stiffness.",
    "flexible:\n  rod: {length: 0.6, modes: 3, support: pinned, circle: 0.01, E: 210e9, rho: 7850}", fields,
    sizeof fields / sizeof *fields};

typedef struct Flex {
    const vgEntry *e;
    flexSpec s;
    vgModal *data;
    int frame, carrier;
    int *node; /* body of each node */
} Flex;

/* ---- the data ---- */

static int fault(vgReader *r, const Flex *x, const char *key, const char *why)
{
    const vgNode *at = key ? vg_node_get(x->e->value, key) : NULL;
    vg_diag_error(r->diag, at ? at->loc : x->e->value->loc, "flexible body '%s': %s%s%s", x->e->name,
                  key ? key : "", key ? " " : "", why);
    return 0;
}

static int stations(vgReader *r, const Flex *x, const char ***name, double **at)
{
    vgNode *map = x->s.nodes;
    const int n = map ? map->n : 2;
    if (map && !vg_read_map(r, map, "nodes")) return -1;
    if (n > MAX_NODES) return fault(r, x, "nodes", "are too many"), -1;
    *name = VG_NEW(r->scratch, const char *, n + 1);
    *at = VG_NEW(r->scratch, double, n + 1);
    if (!*name || !*at) return r->full = 1, -1;
    if (!map) {
        (*name)[0] = "start", (*name)[1] = "end";
        (*at)[1] = x->s.length;
        return 2;
    }
    for (int i = 0; i < n; i++) {
        if (!vg_read_text(r, map->pair[i].key, &(*name)[i]) ||
            !vg_read_name_ok(r, (*name)[i], map->pair[i].key->loc, "node") ||
            !vg_read_number(r, map->pair[i].value, &(*at)[i]))
            return -1;
        if ((*at)[i] >= -VG_GIVEN_ON_LINE * x->s.length && (*at)[i] <= (1 + VG_GIVEN_ON_LINE) * x->s.length)
            continue;
        vg_diag_error(r->diag, map->pair[i].value->loc, "the node is not on the beam: 0 to %g m",
                      x->s.length);
        return -1;
    }
    return n;
}

static int make_beam(vgReader *r, Flex *x)
{
    static const char *const supports[] = {"clamped", "pinned", "free"};
    vgModalBeam def = {.length = x->s.length,
                       .planar = r->m->planar,
                       .modes = x->s.modes,
                       .ends = x->s.ends,
                       .foreshortening = x->s.foreshortening,
                       .damping = x->s.damping};
    const char *key = NULL, *why = NULL, **name;
    double *at;
    int k = 0;
    if (isnan(x->s.length)) return fault(r, x, NULL, "needs a length, or a file of modes");
    while (k < 3 && strcmp(supports[k], x->s.support) != 0) k++;
    if (k == 3) return fault(r, x, "support", "is one of clamped, pinned, free");
    def.support = (vgModalSupport)k;
    if (vg_section_make(&x->s.section, r->m->planar, &def.section, &key, &why) != VG_OK)
        return fault(r, x, key, why);
    if (!(def.section.m > 0)) return fault(r, x, "m", "must be positive: give it, or a shape with rho");
    def.nnode = stations(r, x, &name, &at);
    if (def.nnode < 0) return 0;
    def.name = name;
    def.station = at;
    vgStatus st = vg_modal_beam(&def, r->pool, x->data, &why);
    if (st == VG_OK) return 1;
    if (st == VG_NO_MEMORY) r->full = 1;
    return fault(r, x, NULL, why ? why : vg_status_text(st));
}

static int make_data(vgReader *r, Flex *x)
{
    x->data = VG_NEW(r->pool, vgModal, 1);
    if (!x->data) return r->full = 1, 0;
    if (x->s.file) {
        if (!vg_read_modal_file(r, x->e, x->s.file, x->s.nodes, x->data)) return 0;
        for (int i = 0; i < x->data->nmode * x->data->nmode; i++)
            x->data->C[i] += x->s.damping * x->data->K[i];
    } else if (!make_beam(r, x)) {
        return 0;
    }
    if (x->s.ratio > 0 && vg_modal_damp(x->data, x->s.ratio) != VG_OK)
        return fault(r, x, "damping-ratio", "needs a positive mass of the modes");
    if (x->s.amplitudes.n > x->data->nmode || x->s.rates.n > x->data->nmode)
        return fault(r, x, x->s.rates.n > x->data->nmode ? "rates" : "amplitudes",
                     "are more than there are modes");
    return 1;
}

/* ---- bodies ---- */

static vgBody *new_body(vgReader *r, const Flex *x, const char *name, int *index)
{
    int existed = 0;
    if (!vg_read_count(r, x->e->loc) ||
        !vg_read_room(r, &r->body, r->m->nbody, &r->body_cap, sizeof *r->body))
        return NULL;
    if (!name || vg_names_add(r->body_names, name, index, &existed) != VG_OK) return r->full = 1, NULL;
    if (existed) {
        vg_diag_error(r->diag, x->e->loc, "the name '%s' is used twice for a body", name);
        return NULL;
    }
    vgBody *b = &r->body[r->m->nbody++];
    *b = (vgBody){.name = vg_names_at(r->body_names, *index),
                  .loc = x->e->loc,
                  .element = -1,
                  .R0 = vg_eye3(),
                  .select = {6, {0, 1, 2, 3, 4, 5}},
                  .marker0 = r->m->nmarker};
    if (r->m->planar) b->select = (vgSelect){3, {0, 1, 5}};
    return b;
}

static int still(const vgModal *b, int node)
{
    for (int a = 0; a < b->nshape; a++) {
        if (vg_norm3(b->node[node].t[a]) > VG_NODE_STILL || vg_norm3(b->node[node].r[a]) > VG_NODE_STILL)
            return 0;
    }
    return 1;
}

static int add_frame(vgReader *r, Flex *x)
{
    vgVec3 p = vg_zero3();
    double w[3] = {0, 0, 0};
    vgShape *shape = NULL;
    int nshape = 0;
    vgBody *b = new_body(r, x, x->e->name, &x->frame);
    if (!b) return 0;
    b->mass = x->data->mass;
    b->inertia = x->data->inertia;
    b->com = x->data->com;
    if (!vg_read_check_inertia(r, x->e->value, x->e->name, &b->inertia, 1)) return 0;
    if (!vg_read_place(r, x->e->value, &x->s.place, &p, &b->R0, &b->theta0)) return 0;
    if (x->s.omega && !(r->m->planar ? vg_read_number(r, x->s.omega, &w[2]) : vg_read_vec3(r, x->s.omega, w)))
        return 0;
    if (x->s.shape) {
        if (!vg_read_shapes(r, x->s.shape, &nshape, &shape)) return 0;
        vg_read_shape_looks(shape, nshape);
        b->nshape = nshape;
        b->shape = shape;
    }
    b->w0 = vg_load3(w);
    b->p0 = vg_add3(p, vg_mv3(b->R0, b->com));
    b->v0 = vg_add3(vg_load3(x->s.velocity), vg_mv3(b->R0, vg_cross3(b->w0, b->com)));
    for (int i = 0; i < x->data->nnode; i++) {
        if (!still(x->data, i)) continue;
        vgFrame f = {.body = x->frame, .r = vg_sub3(x->data->node[i].at, b->com), .R = vg_eye3()};
        if (!vg_read_add_marker(r, x->e->name, x->data->node[i].name, x->e->loc, f)) return 0;
    }
    b->nmarker = r->m->nmarker - b->marker0;
    return 1;
}

static int add_carriers(vgReader *r, Flex *x)
{
    for (int i = 0; i < vg_modal_carriers(x->data); i++) {
        int index, left = x->data->nmode - 3 * i;
        double p[3] = {0, 0, 0}, v[3] = {0, 0, 0};
        vgBody *b = new_body(r, x, vg_pool_printf(r->pool, "%s.amplitudes%d", x->e->name, i + 1), &index);
        if (!b) return 0;
        b->element = 0; /* hidden; the element's number is set when it is made */
        b->select = (vgSelect){left < 3 ? left : 3, {0, 1, 2}};
        if (i == 0) x->carrier = index;
        for (int k = 0; k < b->select.n; k++) {
            char name[2 * VG_READ_MAX_NAME + 40];
            vgMeasure m = {.kind = VG_MEASURE_COORDINATE,
                           .A = {.body = -1, .R = vg_eye3()},
                           .B = {.body = index, .R = vg_eye3()},
                           .axis = k,
                           .planar = r->m->planar,
                           .turn = -1};
            snprintf(name, sizeof name, "body.%s.mode.%d", x->e->name, 3 * i + k + 1);
            if (vg_read_add_measure(r, name, "m", &m) < 0) return 0;
            if (3 * i + k < x->s.amplitudes.n) p[k] = x->s.amplitudes.at[3 * i + k];
            if (3 * i + k < x->s.rates.n) v[k] = x->s.rates.at[3 * i + k];
        }
        b->p0 = vg_load3(p);
        b->v0 = vg_load3(v);
    }
    return 1;
}

/* The turn whose skew part is given. */
static vgMat3 turn_of(vgVec3 t)
{
    double s = vg_norm3(t);
    return s > 0 ? vg_so3_exp(vg_scale3(t, asin(fmin(s, 1)) / s)) : vg_eye3();
}

static int add_nodes(vgReader *r, Flex *x)
{
    double eta[2][VG_MODAL_MAX_MODES] = {{0}}, c[VG_MODAL_MAX_SHAPES], d[VG_MODAL_MAX_SHAPES],
           e[VG_MODAL_MAX_SHAPES];
    const double *const at[3] = {eta[0], eta[1], eta[1]};
    for (int i = 0; i < x->s.amplitudes.n; i++) eta[0][i] = x->s.amplitudes.at[i];
    for (int i = 0; i < x->s.rates.n; i++) eta[1][i] = x->s.rates.at[i];
    vg_modal_coefficients(x->data, at, c, d, e);
    x->node = VG_NEW(r->pool, int, x->data->nnode + 1);
    if (!x->node) return r->full = 1, 0;
    for (int i = 0; i < x->data->nnode; i++) {
        x->node[i] = -1;
        if (still(x->data, i)) continue;
        vgBody *b =
            new_body(r, x, vg_pool_printf(r->pool, "%s.%s", x->e->name, x->data->node[i].name), &x->node[i]);
        if (!b) return 0;
        const vgBody *f = &r->body[x->frame];
        vgVec3 q = vg_add3(vg_sub3(x->data->node[i].at, f->com), vg_modal_node_shift(x->data, i, c));
        vgVec3 turn = vg_modal_node_turn(x->data, i, c), spin = vg_modal_node_turn(x->data, i, d);
        vgMat3 T = turn_of(turn);
        b->p0 = vg_add3(f->p0, vg_mv3(f->R0, q));
        b->R0 = vg_mm3(f->R0, T);
        b->theta0 = f->theta0 + turn.z;
        if (r->m->planar) b->R0 = vg_so3_exp(vg_v3(0, 0, b->theta0));
        b->v0 =
            vg_add3(f->v0, vg_mv3(f->R0, vg_add3(vg_cross3(f->w0, q), vg_modal_node_shift(x->data, i, d))));
        b->w0 = vg_mtv3(T, vg_add3(f->w0, spin));
    }
    return 1;
}

static void read_flexible(vgReader *r, const vgEntry *e)
{
    Flex x = {.e = e};
    static const char *const also[] = {"if", NULL};
    if (!vg_read_map(r, e->value, "a flexible body") ||
        !vg_read_fields(r, e->value, fields, sizeof fields / sizeof *fields, &x.s, also, "flexible body"))
        return;
    if (!make_data(r, &x)) return;
    if (!add_frame(r, &x) || !add_carriers(r, &x) || !add_nodes(r, &x)) return;
    if (!vg_read_room(r, &r->modal, r->m->nmodal, &r->modal_cap, sizeof *r->modal)) return;
    r->modal[r->m->nmodal++] = (vgFlexible){.name = r->body[x.frame].name,
                                            .data = x.data,
                                            .frame = x.frame,
                                            .carrier = x.carrier,
                                            .force = -1,
                                            .node = x.node};
}

void vg_read_flexibles(vgReader *r)
{
    const vgEntries *e = &r->section[VG_SECTION_FLEXIBLE];
    for (int i = 0; i < e->n && !vg_read_stopped(r); i++) {
        r->ctx = e->at[i].ctx;
        read_flexible(r, &e->at[i]);
    }
    r->ctx = NULL;
}

void vg_read_flexible_forces(vgReader *r)
{
    for (int i = 0; i < r->m->nmodal && !vg_read_stopped(r); i++) {
        vgFlexible *x = &r->modal[i];
        int index, existed;
        vgModalForce *def = vg_read_take(r, sizeof *def);
        if (!def || !vg_read_room(r, &r->force, r->m->nforce, &r->force_cap, sizeof *r->force)) return;
        if (vg_names_add(r->force_names, x->name, &index, &existed) != VG_OK) r->full = 1;
        vgLoc loc = r->body[x->frame].loc;
        if (existed) {
            vg_diag_error(r->diag, loc, "the name '%s' of a flexible body is used for a force too", x->name);
            continue;
        }
        x->force = r->m->nforce++;
        vgForce *f = &r->force[x->force];
        *def = (vgModalForce){.data = x->data, .frame = x->frame, .carrier = x->carrier};
        *f = (vgForce){.name = x->name, .loc = loc, .kind = &vg_force_modal, .def = def};
        f->kind->setup(def, r->m->planar, &f->setup);
        for (int k = 0; k < vg_modal_carriers(x->data); k++) r->body[x->carrier + k].element = x->force;
    }
}

/* Stations: places on beams and cables between their nodes. Each is a body without mass that moves as the
 * element's own interpolation says (docs/theory.md, eq. 89), held by rows of measures between two
 * bodies: x − Σ_i N_i x_i = 0,      log(R_rᵀ R) − Σ_a N_a log(R_rᵀ R_a) = 0 with N_i the shape functions at
 * the station, r the element's reference node and a its arms. The rows are exact, and their multipliers bring
 * what acts on the station to the nodes by the principle of virtual work. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "element/beam/beam.h"
#include "math/so3.h"
#include "model/read/reader.h"
#include "model/tuning.h"

/* Not in the list of kinds: a station makes it. */
static void no_build(const vgJointDef *def, int planar, vgJointBuild *out)
{
    (void)def, (void)planar, (void)out;
}

static const vgJointKind station_kind = {
    .name = "station",
    .doc = "Holds a place on a beam or cable to the nodes of its element.",
    .planar = 1,
    .head = VG_HEAD_FRAMES,
    .build = no_build,
};

/* ---- where ---- */

static double speed(const vgReadCourse *c, int element, double xi)
{
    double N[3], dN[3];
    vgVec3 t = vg_zero3();
    vg_beam_shapes(c->step + 1, xi, N, dN);
    for (int i = 0; i <= c->step; i++) t = vg_axpy3(dN[i], c->x[element * c->step + i], t);
    return vg_norm3(t);
}

/* Arc length of an element from its start to xi; Gauss with three points is what beams use. */
static double arc(const vgReadCourse *c, int element, double xi)
{
    static const double at[3] = {-0.7745966692414834, 0, 0.7745966692414834}, w[3] = {5. / 9, 8. / 9, 5. / 9};
    double h = 0.5 * (xi + 1), s = 0;
    for (int i = 0; i < 3; i++) s += w[i] * h * speed(c, element, h * (at[i] + 1) - 1);
    return s;
}

static double arc_inverse(const vgReadCourse *c, int element, double s)
{
    double xi = 2 * s / arc(c, element, 1) - 1;
    for (int i = 0; i < 20; i++) xi -= (arc(c, element, xi) - s) / speed(c, element, xi);
    return fmin(1, fmax(-1, xi));
}

/* The distance that the user wrote. */
static int read_distance(vgReader *r, vgNode *value, double whole, double *s)
{
    typedef struct Share {
        double at;
    } Share;
    static const vgField share_fields[] = {
        {"at", VG_FIELD_NUMBER, offsetof(Share, at), "", NULL, 0, 1, "share of the line's length"}};
    if (value->kind == VG_NODE_MAP) {
        Share share;
        if (!vg_read_fields(r, value, share_fields, 1, &share, NULL, "station")) return 0;
        *s = share.at * whole;
        return 1;
    }
    if (!vg_read_number(r, value, s)) return 0;
    if (*s >= 0 && *s <= whole * (1 + VG_GIVEN_STATION)) return 1;
    vg_diag_error(r->diag, value->loc, "a station at %g m is not on the line, which is %.6g m long", *s,
                  whole);
    return 0;
}

/* ---- what ---- */

static vgMat3 frame_axes(const vgReader *r, const vgFrame *f)
{
    return f->body < 0 ? f->R : vg_mm3(r->body[f->body].R0, f->R);
}

static vgVec3 frame_origin(const vgReader *r, const vgFrame *f)
{
    return f->body < 0 ? f->r : vg_add3(r->body[f->body].p0, vg_mv3(r->body[f->body].R0, f->r));
}

static int reference(const vgStation *s)
{
    return s->nnode - 2; /* as beams have it */
}

static void place(const vgReader *r, const vgStation *s, vgVec3 *p, vgMat3 *R)
{
    double N[3], dN[3];
    const vgMat3 Rr = frame_axes(r, &s->node[reference(s)]);
    vgVec3 psi = vg_zero3();
    vg_beam_shapes(s->nnode, s->xi, N, dN);
    *p = vg_zero3();
    for (int i = 0; i < s->nnode; i++) {
        *p = vg_axpy3(N[i], frame_origin(r, &s->node[i]), *p);
        if (i != reference(s)) psi = vg_axpy3(N[i], vg_so3_log(vg_mtm3(Rr, frame_axes(r, &s->node[i]))), psi);
    }
    *R = vg_mm3(Rr, vg_so3_exp(psi));
}

static int add_body(vgReader *r, const vgReadCourse *c, const vgNode *key, vgStation *s)
{
    const char *full = vg_pool_printf(r->pool, "%s.%s", c->name, key->text);
    int existed = 0;
    if (!full || !vg_read_count(r, key->loc) ||
        !vg_read_room(r, &r->body, r->m->nbody, &r->body_cap, sizeof *r->body))
        return 0;
    if (vg_names_add(r->body_names, full, &s->body, &existed) != VG_OK) return !(r->full = 1);
    if (existed) {
        vg_diag_error(r->diag, key->loc, "the name '%s' is used twice for a body", full);
        return 0;
    }
    vgBody *b = &r->body[r->m->nbody++];
    *b = (vgBody){.name = vg_names_at(r->body_names, s->body),
                  .loc = key->loc,
                  .element = -1,
                  .R0 = vg_eye3(),
                  .marker0 = r->m->nmarker};
    vgMat3 R;
    place(r, s, &b->p0, &R);
    b->v0 = vg_add3(c->v, vg_cross3(c->w, vg_sub3(b->p0, c->a)));
    const int planar = r->m->planar;
    if (c->point) {
        b->select = planar ? (vgSelect){2, {0, 1}} : (vgSelect){3, {0, 1, 2}};
        return 1;
    }
    b->R0 = R;
    b->theta0 = planar ? atan2(R.m[1][0], R.m[0][0]) : 0;
    b->w0 = vg_mtv3(R, c->w);
    b->select = planar ? (vgSelect){3, {0, 1, 5}} : (vgSelect){6, {0, 1, 2, 3, 4, 5}};
    return 1;
}

static int add_station(vgReader *r, const vgReadCourse *c, const vgNode *key, double at)
{
    vgStation s = {.nnode = c->step + 1, .force = -1};
    int e = 0;
    while (e + 1 < c->elements && at > arc(c, e, 1)) at -= arc(c, e++, 1);
    s.xi = arc_inverse(c, e, at);
    for (int i = 0; i < s.nnode; i++)
        if (!vg_read_frame(r, c->frame[e * c->step + i], &s.node[i])) return 0;
    if (!add_body(r, c, key, &s)) return 0;
    s.force = e; /* of the mesh, until the forces are read */
    if (!vg_read_room(r, &r->station, r->m->nstation, &r->station_cap, sizeof *r->station)) return 0;
    r->station[r->m->nstation++] = s;
    return 1;
}

int vg_read_stations(vgReader *r, const vgReadCourse *c, vgNode *map)
{
    double whole = 0;
    if (!vg_read_map(r, map, "stations")) return 0;
    for (int e = 0; e < c->elements; e++) whole += arc(c, e, 1);
    for (int i = 0; i < map->n && !vg_read_stopped(r); i++) {
        const vgNode *key = map->pair[i].key;
        double at;
        if (key->kind != VG_NODE_SCALAR || !vg_read_name_ok(r, key->text, key->loc, "station")) return 0;
        if (!read_distance(r, map->pair[i].value, whole, &at) || !add_station(r, c, key, at)) return 0;
    }
    return 1;
}

void vg_read_station_forces(vgReader *r)
{
    for (int i = 0; i < r->m->nstation; i++) {
        vgStation *s = &r->station[i];
        const char *name = r->body[s->body].name;
        char full[2 * VG_READ_MAX_NAME + 40];
        snprintf(full, sizeof full, "%.*s.%d", (int)(strrchr(name, '.') - name), name, s->force + 1);
        s->force = vg_names_find_n(r->force_names, full, strlen(full));
    }
}

/* ---- rows ---- */

static int add_term(vgReader *r, const vgStation *s, vgPrim *p, const vgMeasure *m, double k)
{
    char name[2 * VG_READ_MAX_NAME + 60];
    if (k == 0) return 1;
    snprintf(name, sizeof name, "station.%s.%d", r->body[s->body].name, r->m->nmeasure);
    int index = vg_read_add_measure(r, name, "", m);
    if (index < 0) return 0;
    p->measure[p->nterm] = index;
    p->k[p->nterm++] = k;
    return 1;
}

static int add_row(vgReader *r, const vgStation *s, vgJoint *j, int row)
{
    const int planar = r->m->planar, turn = row >= 3;
    const vgFrame own = {s->body, vg_zero3(), vg_eye3()};
    double N[3], dN[3];
    vgPrim p = {0};
    vgMeasure m = {
        .A = {.body = -1, .R = vg_eye3()}, .B = own, .axis = row % 3, .planar = planar, .turn = -1};
    m.kind = !turn ? VG_MEASURE_POSITION : planar ? VG_MEASURE_ANGLE : VG_MEASURE_TURN;
    if (turn) m.A = s->node[reference(s)];
    if (turn && planar) m.turn = 0;
    vg_beam_shapes(s->nnode, s->xi, N, dN);
    if (!add_term(r, s, &p, &m, 1)) return 0;
    for (int i = 0; i < s->nnode; i++) {
        m.B = s->node[i];
        if (turn && i == reference(s)) continue;
        if (!add_term(r, s, &p, &m, -N[i])) return 0;
    }
    return vg_read_tie_row(r, j, &p);
}

void vg_read_station_ties(vgReader *r)
{
    for (int i = 0; i < r->m->nstation && !vg_read_stopped(r); i++) {
        const vgStation *s = &r->station[i];
        const vgSelect select = r->body[s->body].select;
        vgJoint *j = vg_read_tie_joint(r, &station_kind, s->node[reference(s)], s->body);
        for (int k = 0; j && k < select.n; k++)
            if (!add_row(r, s, j, select.at[k])) return;
    }
}

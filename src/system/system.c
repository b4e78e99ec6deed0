/* The list of coordinates, constraint settings, and what every system shares. */
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/options.h"
#include "system/absolute/absolute.h"
#include "system/natural/natural.h"
#include "system/redundant.h"
#include "system/relative/relative.h"
#include "system/setting/wrap.h"
#include "system/tuning.h"
#include "base/expect.h"

static const double WORTH_HOLDING = 4000; /* tangents of elements that cost less are updated in every step */

static vgStatus absolute(const vgModel *m, const char *name, const char *constraints, unsigned fast,
                         vgSystem **out)
{
    for (const vgChart *const *c = vg_charts; *c; c++)
        if (!strcmp((*c)->name, name)) return vg_abs_new(m, *c, constraints, fast, out);
    return vg_abs_new(m, vg_charts[0], constraints, fast, out); /* planar */
}

static vgStatus relative(const vgModel *m, const char *name, const char *constraints, unsigned fast,
                         vgSystem **out)
{
    (void)name;
    return vg_tree_new(m, constraints, fast, out);
}

static vgStatus natural(const vgModel *m, const char *name, const char *constraints, unsigned fast,
                        vgSystem **out)
{
    (void)name;
    return vg_nat_new(m, constraints, fast, out);
}

const vgCoordinatesRow vg_coordinates_list[] = {
    {"lie", "R³×SO(3): position and rotation, angular velocity in body axes (default of spatial models)", 3,
     absolute, 0, 1},
    {"cayley", "as lie, but rotations of a step by the Cayley map (Cayley–Gibbs–Rodrigues parameters, [Z])",
     2, absolute, 0, 0},
    {"se3", "SE(3): pose with velocities in body axes", 2, absolute, 0, 0},
    {"euler-parameters", "position and four Euler parameters with a unit-length constraint", 2, absolute, 0,
     0},
    {"euler-angles", "position and Tait–Bryan angles, second order in the angles (form 2)", 2, absolute, 0,
     0},
    {"euler-angles-1", "Tait–Bryan angles with angular velocity in body axes (form 1, explicit methods)", 2,
     absolute, 1, 0},
    {"planar", "x, y, θ of each body (default of planar models)", 1, absolute, 0, 1},
    {"relative", "joint coordinates of a spanning tree; only loops leave constraints", 3, relative, 0, 0},
    {"natural", "points and unit vectors, shared by joined bodies; constant mass matrix", 3, natural, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0},
};

/* Found by their names and in no list: what publications used, to compare with them. */
static const vgCoordinatesRow of_papers[] = {
    {"euler-angles-xyz", "one set of Tait–Bryan angles for the whole run, as in [H]", 2, absolute, 0, 0},
    {"euler-angles-1-xyz", "form 1 of the same", 2, absolute, 1, 0},
    {NULL, NULL, 0, NULL, 0, 0},
};

#define PENALTY_FACTOR                                                                                       \
    {                                                                                                        \
        "alpha", 0, 0, 1e30,                                                                                 \
            "penalty factor α in units of the constraints (N/m, N m/rad); 0: from the model"                \
    }

const vgConstraintsRow vg_constraints_list[] = {
    {"index3",
     "Lagrange multipliers, constraints at position level",
     VG_CON_INDEX3 | VG_CON_BY_STAGE,
     {.saddle = 1, .order = 2},
     {{0}},
     NULL},
    {"index2",
     "stabilised (Gear, Gupta, Leimkuhler): constraints at position and at velocity level (the default)",
     VG_CON_INDEX2 | VG_CON_BY_STAGE,
     {.rows = VG_AT_BOTH, .saddle = 1, .order = 3},
     {{0}},
     NULL},
    {"index1",
     "Lagrange multipliers at acceleration level, with Baumgarte terms or projection after each step",
     VG_CON_INDEX1 | VG_CON_BY_STAGE | VG_CON_BY_ACCEL,
     {.rows = VG_AT_ACCELERATION, .settle = VG_SETTLE_PROJECTION, .saddle = 1},
     {{"alpha", 0, 0, 1e30, "Baumgarte's α (1/s)"}, {"beta", 0, 0, 1e30, "Baumgarte's β (1/s)"}},
     NULL},
    {"augmented3",
     "augmented Lagrangian with positions as unknowns; velocities and accelerations projected with the "
     "tangent ([D] section 2)",
     VG_CON_AUGMENTED3 | VG_CON_BY_STAGE,
     {.settle = VG_SETTLE_TANGENT, .order = 2},
     {PENALTY_FACTOR},
     vg_augmented_over},
    {"augmented1",
     "augmented Lagrangian at acceleration level ([D] (1)–(4)), projected after each step",
     VG_CON_AUGMENTED1 | VG_CON_BY_STAGE | VG_CON_BY_ACCEL,
     {.rows = VG_AT_ACCELERATION, .settle = VG_SETTLE_PROJECTION, .once = 1},
     {{"alpha", 0, 0, 1e30, "penalty factor α in units of mass; 0: from the model"},
      {"positions", 1, 0, 1, "1: positions are projected after each step"},
      {"velocities", 1, 0, 1, "1: velocities are"}},
     vg_augmented1_over},
    {"penalty",
     "forces α (Φ̈ + 2ξω Φ̇ + ω² Φ) instead of multipliers ([G] problem 7/4): no constraints are left",
     VG_CON_PENALTY | VG_CON_BY_STAGE | VG_CON_BY_ACCEL,
     {.rows = VG_AT_ACCELERATION, .settle = VG_SETTLE_NEVER},
     {{"alpha", 0, 0, 1e30, "penalty factor α in units of mass; 0: from the model"},
      {"omega", 100, 0, 1e9, "ω: how fast a violation dies out (rad/s)"},
      {"xi", 1, 0, 1e3, "ξ: its damping ratio"}},
     vg_penalty_over},
    {"independent",
     "second velocity transformation onto independent coordinates: an ordinary differential equation",
     VG_CON_INDEPENDENT | VG_CON_BY_STAGE | VG_CON_BY_ACCEL,
     {.rows = VG_AT_NOTHING, .chooses = 1},
     {{0}},
     vg_independent_over},
    {NULL, NULL, 0, {0}, {{0}}, NULL},
};

const char *vg_default_coordinates(const vgModel *m)
{
    return m->planar ? "planar" : "lie";
}

const char *vg_default_constraints(void)
{
    return "index2";
}

static int row_named(const char *name, size_t n, const char *row)
{
    return strlen(row) == n && !strncmp(row, name, n);
}

static void unknown(vgDiag *diag, vgLoc at, const char *what, const char *name, const char *const *list,
                    int n)
{
    const char *near = vg_name_closest(name, list, n);
    if (near)
        vg_diag_error(diag, at, "unknown %s '%s', did you mean '%s'?", what, name, near);
    else
        vg_diag_error(diag, at, "unknown %s '%s'; `verge list %s` shows what there is", what, name, what);
}

static void unknown_option(const vgConstraintsRow *con, const char *key, vgDiag *diag, vgLoc at)
{
    char list[160] = "";
    size_t used = 0;
    for (int i = 0; i < VG_CON_OPTIONS && con->option[i].key; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", con->option[i].key);
    if (used)
        vg_diag_error(diag, at, "unknown option '%s' of constraints '%s', expected %s", key, con->name, list);
    else
        vg_diag_error(diag, at, "constraints '%s' have no options, got '%s'", con->name, key);
}

static vgStatus one_option(vgSystem *sys, const vgConstraintsRow *con, const char *key, double value,
                           vgDiag *diag, vgLoc at)
{
    for (int i = 0; i < VG_CON_OPTIONS && con->option[i].key; i++) {
        const vgConOption *o = &con->option[i];
        if (strcmp(o->key, key)) continue;
        if (!(value >= o->min && value <= o->max)) {
            vg_diag_error(diag, at, "option '%s' of constraints '%s' must be from %g to %g, got %g", key,
                          con->name, o->min, o->max, value);
            return VG_BAD_INPUT;
        }
        sys->option[i] = value;
        return VG_OK;
    }
    unknown_option(con, key, diag, at);
    return VG_BAD_INPUT;
}

/* "index1:alpha=5,beta=5" → sys->option. */
static vgStatus constraint_options(vgSystem *sys, const vgConstraintsRow *con, const char *options,
                                   vgDiag *diag, vgLoc at)
{
    for (int i = 0; i < VG_CON_OPTIONS && con->option[i].key; i++) sys->option[i] = con->option[i].fallback;
    const char *twice;
    int letters;
    if (options && vg_options_repeat(options, &twice, &letters)) {
        vg_diag_error(diag, at, "constraints '%s': option '%.*s' is given twice", con->name, letters, twice);
        return VG_BAD_INPUT;
    }
    while (options && *options) {
        char key[32], *end;
        const char *eq = strchr(options, '=');
        if (!eq || eq - options >= (long)sizeof key) {
            vg_diag_error(diag, at, "constraint options are written key=value, got '%s'", options);
            return VG_BAD_INPUT;
        }
        memcpy(key, options, (size_t)(eq - options));
        key[eq - options] = 0;
        double value = strtod(eq + 1, &end);
        if (end == eq + 1 || (*end && *end != ',')) {
            vg_diag_error(diag, at, "expected a number after '%s='", key);
            return VG_BAD_INPUT;
        }
        vgStatus st = one_option(sys, con, key, value, diag, at);
        if (st != VG_OK) return st;
        options = *end ? end + 1 : end;
    }
    if (con->flag & VG_CON_INDEX1) {
        sys->drift.alpha = sys->option[0];
        sys->drift.beta = sys->option[1];
    }
    return VG_OK;
}

/* Elements between many bodies couple coordinates that change from step to step: absolute coordinates know how, and
 * settings that work with the matrix of the coordinates itself. */
static vgStatus check_crowd(const vgModel *m, const vgSystem *sys, const vgConstraintsRow *con, vgDiag *diag)
{
    int f = 0;
    while (f < m->nforce && !m->force[f].kind->crowd) f++;
    if (f == m->nforce) return VG_OK;
    if (strcmp(sys->ops->name, "absolute") != 0) {
        vg_diag_error(diag, m->run.loc,
                      "the group of contacts '%s' does not work in coordinates '%s'; use coordinates '%s'",
                      m->force[f].name, sys->coordinates, vg_default_coordinates(m));
        return VG_BAD_INPUT;
    }
    if (con->over && sys->nl > 0) {
        vg_diag_error(diag, m->run.loc,
                      "the group of contacts '%s' does not work with constraints '%s'; use constraints '%s'",
                      m->force[f].name, con->name, vg_default_constraints());
        return VG_BAD_INPUT;
    }
    return VG_OK;
}

/* The coordinates' system, and the constraint setting over it where there are constraints at all. */
static vgStatus build(const vgModel *m, const vgCoordinatesRow *row, const vgConstraintsRow *con,
                      const char *options, unsigned fast, vgDiag *diag, vgSystem **out)
{
    vgSystem *sys = NULL;
    vgStatus st = row->build(m, row->name, con->name, fast, &sys);
    if (st != VG_OK) return st;
    sys->nphi = sys->nl;
    sys->may_repeat = sys->njacobian > 0 && vg_has_loops(m);
    if (con->over && sys->nl > 0 && (!sys->second_order || !sys->ops->assemble)) {
        vg_diag_error(diag, m->run.loc,
                      "coordinates '%s' do not work with constraints '%s'; they take index1 (`verge list "
                      "pairs` shows what goes with what)",
                      row->name, con->name);
        st = VG_BAD_INPUT;
    }
    if (st == VG_OK && sys->nv == 0 && !strcmp(row->name, "natural")) {
        vg_diag_error(diag, m->run.loc,
                      "coordinates 'natural' find nothing that moves: every body is fixed to the ground; use "
                      "'%s' or 'relative'",
                      vg_default_coordinates(m));
        st = VG_BAD_INPUT;
    }
    if (st == VG_OK) st = check_crowd(m, sys, con, diag);
    if (st == VG_OK) st = constraint_options(sys, con, options, diag, m->run.loc);
    if (st == VG_OK && con->over && sys->nl > 0) {
        vgSystem *inner = sys;
        st = con->over(inner, &sys);
        if (st != VG_OK) sys = inner;
    }
    if (st != VG_OK) {
        vg_system_free(sys);
        return st;
    }
    sys->body_axes = row->body_axes && !sys->mixed;
    sys->con = con->flag;
    sys->is = con->traits;
    sys->fast = fast & ~VG_ABS_UNIFORM;
    sys->one_pass = (fast & VG_FAST_PASSES) && sys->vector_space && sys->nq == sys->nv;
    *out = sys;
    return VG_OK;
}

/* What the tangents of the elements cost, in residuals; both about in nanoseconds, as in the lists of pieces.
 * Elements along one joint coordinate, which cost next to nothing, do not count. */
static double elements_cost(const vgSystem *sys)
{
    const vgModel *m = sys->model;
    double tangents = 0, residual = 160. * m->nbody + 20. * sys->nphi;
    for (int f = 0; f < m->nforce; f++) {
        vgForcePlace place;
        if (m->force[f].setup.nbody == 0 && m->force[f].setup.nmeasure == 1) continue;
        vg_native_force_union(m, f, &place);
        if (m->force[f].kind->crowd)
            return 0; /* which pairs act changes from step to step: nothing to hold */
        tangents += 20 + 280 * place.nu * place.nu;
        residual += 20 + 90 * place.nu;
    }
    return tangents < WORTH_HOLDING ? 0 : tangents / residual;
}

/* Bodies with rotation coordinates of their own ([H] Algorithm 1): of a chart, second order, in absolute coordinates. */
static vgStatus check_bodies(const vgModel *m, const vgCoordinatesRow *row, vgDiag *diag)
{
    for (int i = 0; i < m->nbody; i++) {
        const vgBody *b = &m->body[i];
        const char *names[16];
        const vgChart *own = NULL;
        int n = 0;
        if (!b->coordinates) continue;
        for (const vgChart *const *c = vg_charts; *c; c++) {
            if (!(*c)->second_order) continue;
            names[n++] = (*c)->name;
            if (!strcmp((*c)->name, b->coordinates)) own = *c;
        }
        if (!own) {
            unknown(diag, b->coordinates_at, "coordinates of a body", b->coordinates, names, n);
            return VG_BAD_INPUT;
        }
        if (row->build == absolute && !row->first_order) continue;
        vg_diag_error(
            diag, b->coordinates_at,
            "body '%s' has coordinates of its own, which go with the absolute ones ('lie', 'cayley', 'se3', "
            "'euler-parameters', 'euler-angles'), not with coordinates '%s' of the run",
            b->name, row->name);
        return VG_BAD_INPUT;
    }
    return VG_OK;
}

/* Forces that read reactions need the multipliers of those joints. */
static vgStatus take_reactions(const vgModel *m, vgDiag *diag, vgSystem **sys)
{
    for (int k = 0; k < m->nload; k++) {
        const vgJoint *j = &m->joint[m->load[k].joint];
        int rows = 0, settles = (*sys)->nl < (*sys)->nphi;
        for (int r = 0; r < (*sys)->nl; r++) rows += (*sys)->row_joint[r] == m->load[k].joint;
        if (rows == j->nrow && rows > 0) continue;
        if (settles)
            vg_diag_error(diag, j->loc,
                          "a force reads the reaction of joint '%s', and constraints '%s' have no "
                          "multipliers while they step; use index2, index3, index1, augmented3 or augmented1",
                          j->name, (*sys)->constraints);
        else if (!strcmp((*sys)->coordinates, "relative"))
            vg_diag_error(diag, j->loc,
                          "a force reads the reaction of joint '%s', which has no multipliers in coordinates "
                          "'relative'; give the joint `cut: true`, or use coordinates '%s'",
                          j->name, vg_default_coordinates(m));
        else
            vg_diag_error(diag, j->loc,
                          "a force reads the reaction of joint '%s', which has no multipliers in coordinates "
                          "'%s'; use coordinates '%s'",
                          j->name, (*sys)->coordinates, vg_default_coordinates(m));
        return VG_BAD_INPUT;
    }
    if (m->nload == 0) return VG_OK;
    vgSystem *inner = *sys;
    return vg_reactive_over(inner, sys);
}

vgStatus vg_system_new_by(const vgModel *m, const char *coordinates, const char *constraints, unsigned fast,
                          vgDiag *diag, vgSystem **out)
{
    VG_EXPECT(m && out);
    const char *names[16];
    int n = 0;
    const vgCoordinatesRow *row = NULL;
    vgLoc at = m->run.loc;
    if (!coordinates || !*coordinates) coordinates = vg_default_coordinates(m);
    if (!constraints || !*constraints) constraints = vg_default_constraints();
    for (const vgCoordinatesRow *r = vg_coordinates_list; r->name; r++) {
        names[n++] = r->name;
        if (!strcmp(r->name, coordinates)) row = r;
    }
    for (const vgCoordinatesRow *r = of_papers; r->name; r++)
        if (!strcmp(r->name, coordinates)) row = r;
    if (!row) {
        unknown(diag, at, "coordinates", coordinates, names, n);
        return VG_BAD_INPUT;
    }
    if (!(row->models & (m->planar ? 1 : 2))) {
        vg_diag_error(diag, at, "coordinates '%s' are for %s models; this one is %s: use '%s'", row->name,
                      m->planar ? "spatial" : "planar", m->planar ? "planar" : "spatial",
                      vg_default_coordinates(m));
        return VG_BAD_INPUT;
    }
    vgStatus st = check_bodies(m, row, diag);
    if (st != VG_OK) return st;
    const vgConstraintsRow *con = NULL;
    size_t len = strcspn(constraints, ":");
    n = 0;
    for (const vgConstraintsRow *r = vg_constraints_list; r->name; r++) {
        names[n++] = r->name;
        if (row_named(constraints, len, r->name)) con = r;
    }
    if (!con) {
        unknown(diag, at, "constraints", constraints, names, n);
        return VG_BAD_INPUT;
    }
    *out = NULL;
    st = build(m, row, con, constraints[len] == ':' ? constraints + len + 1 : NULL, fast, diag, out);
    for (int f = 0; f < m->nforce && st == VG_OK; f++)
        (*out)->cost.high |= m->force[f].setup.inertial && m->force[f].setup.nbody > 1;
    if (st == VG_OK) (*out)->cost.elements = elements_cost(*out);
    if (st == VG_OK) st = take_reactions(m, diag, out);
    if (st != VG_OK) {
        vg_system_free(*out);
        *out = NULL;
    }
    return st;
}

vgStatus vg_system_new(const vgModel *m, const char *coordinates, const char *constraints, vgDiag *diag,
                       vgSystem **out)
{
    return vg_system_new_by(m, coordinates, constraints, m->run.plain ? 0 : VG_FAST_ALL, diag, out);
}

vgStatus vg_system_new_canonical(const vgModel *m, vgDiag *diag, vgSystem **out)
{
    return vg_system_new_by(m, NULL, NULL, (m->run.plain ? 0 : VG_FAST_ALL) | VG_ABS_UNIFORM, diag, out);
}

void vg_system_free(vgSystem *sys)
{
    if (sys) sys->ops->free_system(sys);
}

vgStatus vg_work_new(const vgSystem *sys, vgWork **out)
{
    VG_EXPECT(sys && out);
    vgStatus status = sys->ops->new_work(sys, out);
    if (status == VG_OK) (*out)->outside = NULL;
    return status;
}

vgStatus vg_work_new_lean(const vgSystem *sys, vgWork **out)
{
    if (!sys->ops->extra.lean_work) return vg_work_new(sys, out);
    vgStatus status = sys->ops->extra.lean_work(sys, out);
    if (status == VG_OK) (*out)->outside = NULL;
    return status;
}

void vg_work_free(vgWork *work)
{
    if (!work) return;
    vg_outside_free(work->outside);
    work->sys->ops->free_work(work);
}

size_t vg_work_memory(const vgWork *work)
{
    return work->sys->ops->memory(work);
}

static void place_state(vgState *s, const vgSystem *sys, vgArena *a)
{
    s->q = VG_TAKE(a, double, sys->nq + 1);
    s->v = VG_TAKE(a, double, sys->nv + 1);
    s->a = VG_TAKE(a, double, sys->nv + 1);
    s->lambda = VG_TAKE(a, double, sys->nphi + 1);
    s->turn = VG_TAKE(a, double, sys->model->nturn + 1);
    s->active = VG_TAKE(a, unsigned char, sys->nphi + 1);
    s->memory = VG_TAKE(a, double, sys->nmemory + 1);
    s->history = VG_TAKE(a, double, s->nhistory + 4); /* its last row may be read by fours */
}

typedef struct StateBox {
    vgState state; /* first */
    vgArena arena;
} StateBox;

static vgStatus new_state(const vgSystem *sys, int nhistory, vgStatus (*take)(vgArena *, size_t),
                          vgState **out)
{
    StateBox *box = calloc(1, sizeof *box);
    if (!box) return VG_NO_MEMORY;
    box->state.nhistory = nhistory;
    vgArena measure = {0};
    place_state(&box->state, sys, &measure);
    vgStatus st = take(&box->arena, measure.used);
    if (st != VG_OK) {
        free(box);
        return st;
    }
    place_state(&box->state, sys, &box->arena);
    memset(box->state.active, 1, (size_t)sys->nphi);
    box->state.bytes = measure.used;
    *out = &box->state;
    return VG_OK;
}

vgStatus vg_state_new(const vgSystem *sys, int nhistory, vgState **out)
{
    VG_EXPECT(sys && nhistory >= 0 && out);
    return new_state(sys, nhistory, vg_arena_alloc, out);
}

vgStatus vg_state_reserve(const vgSystem *sys, int nhistory, vgState **out)
{
    VG_EXPECT(sys && nhistory >= 0 && out);
    return new_state(sys, nhistory, vg_arena_reserve, out);
}

void vg_state_copy(const vgSystem *sys, vgState *to, const vgState *from)
{
    VG_EXPECT(sys && to && from && to != from);
    to->t = from->t;
    to->step = from->step;
    to->held = from->held;
    memcpy(to->q, from->q, (size_t)sys->nq * sizeof(double));
    memcpy(to->v, from->v, (size_t)sys->nv * sizeof(double));
    memcpy(to->a, from->a, (size_t)sys->nv * sizeof(double));
    memcpy(to->lambda, from->lambda, (size_t)sys->nphi * sizeof(double));
    memcpy(to->turn, from->turn, (size_t)sys->model->nturn * sizeof(double));
    memcpy(to->active, from->active, (size_t)sys->nphi);
    memcpy(to->memory, from->memory, (size_t)sys->nmemory * sizeof(double));
    int n = to->nhistory < from->nhistory ? to->nhistory : from->nhistory;
    memcpy(to->history, from->history, (size_t)n * sizeof(double));
}

void vg_state_free(vgState *state)
{
    if (!state) return;
    StateBox *box = (StateBox *)state;
    vg_arena_free(&box->arena);
    free(box);
}

void vg_work_bind(vgWork *work, const vgState *state)
{
    VG_EXPECT(work && state);
    work->turn = state->turn;
    work->active = work->sys->may_repeat ? state->active : NULL;
    work->held = state->held;
    work->memory = state->memory;
}

void vg_work_accept(const vgSystem *sys, vgWork *work, vgState *state)
{
    VG_EXPECT(work->sys == sys && work->turn == state->turn);
    if (sys->ops->dependent.settle) sys->ops->dependent.settle(sys, work, state);
    sys->ops->accept(sys, work, state->turn);
}

int vg_system_projects(const vgSystem *sys)
{
    if (!vg_at_acceleration(sys) || sys->nl == 0 || (sys->drift.keep_q && sys->drift.keep_v)) return 0;
    return !(sys->drift.alpha > 0 || sys->drift.beta > 0);
}

int vg_system_may_take_positions(const vgSystem *sys, const double *lambda)
{
    double stiff = sys->drift.beta * sys->drift.beta;
    if (sys->nl == 0 || !vg_at_acceleration(sys)) return 0;
    for (int i = 0; i < sys->nl && sys->drift.compliance && stiff > 0; i++)
        if (!(fabs(lambda[i]) * sys->drift.compliance[i] / stiff <= VG_DEFLECTION_HIDDEN * sys->length))
            return 0;
    return 1;
}

void vg_system_rows(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                    const double *a, const double *lambda, double *phi, double *phi_dot, double *row)
{
    VG_EXPECT(work->sys == sys && isfinite(t));
    VG_EXPECT(phi && phi_dot && row);
    double al = 2 * sys->drift.alpha, be = sys->drift.beta * sys->drift.beta;
    sys->ops->levels(sys, work, t, q, v, a, phi, phi_dot, row);
    for (int i = 0; i < sys->nl; i++) {
        double yield = sys->drift.compliance ? sys->drift.compliance[i] * lambda[i] : 0;
        row[i] += al * phi_dot[i] + be * phi[i] - yield;
    }
}

vgStatus vg_system_project(const vgSystem *sys, vgWork *work, double t, double *q, double *v)
{
    VG_EXPECT(work->sys == sys && isfinite(t) && q && v);
    int iterations;
    if (sys->ops->dependent.follow) return sys->ops->dependent.follow(sys, work, t, q, v, NULL);
    if (!vg_system_projects(sys)) return VG_OK;
    vgStatus st = sys->drift.keep_q ? VG_OK : sys->ops->project_q(sys, work, t, q, 1e-14, 8, &iterations);
    return st == VG_OK && !sys->drift.keep_v ? sys->ops->project_v(sys, work, t, q, v) : st;
}

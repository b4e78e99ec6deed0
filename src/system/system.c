/* The list of coordinates, constraint settings, and what every system shares. */
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "system/absolute.h"
#include "system/natural.h"
#include "system/relative.h"

static vgStatus absolute(const vgModel *m, const char *name, const char *constraints, vgSystem **out)
{
    for (const vgChart *const *c = vg_charts; *c; c++)
        if (!strcmp((*c)->name, name)) return vg_abs_new(m, *c, constraints, out);
    return vg_abs_new(m, vg_charts[0], constraints, out); /* planar */
}

static vgStatus relative(const vgModel *m, const char *name, const char *constraints, vgSystem **out)
{
    (void)name;
    return vg_tree_new(m, constraints, out);
}

static vgStatus natural(const vgModel *m, const char *name, const char *constraints, vgSystem **out)
{
    (void)name;
    return vg_nat_new(m, constraints, out);
}

const vgCoordinatesRow vg_coordinates_list[] = {
    {"lie", "R³×SO(3): position and rotation, angular velocity in body axes (default of spatial models)", 3,
     absolute},
    {"cayley", "as lie, but rotations of a step by the Cayley map (Cayley–Gibbs–Rodrigues parameters, [Z])",
     2, absolute},
    {"se3", "SE(3): pose with velocities in body axes", 2, absolute},
    {"euler-parameters", "position and four Euler parameters with a unit-length constraint", 2, absolute},
    {"euler-angles", "position and Tait–Bryan angles xyz, second order in the angles (form 2)", 2, absolute},
    {"euler-angles-1", "Tait–Bryan angles xyz with angular velocity in body axes (form 1, explicit methods)",
     2, absolute},
    {"planar", "x, y, θ of each body (default of planar models)", 1, absolute},
    {"relative", "joint coordinates of a spanning tree; only loops leave constraints", 3, relative},
    {"natural", "points and unit vectors, shared by joined bodies; constant mass matrix", 3, natural},
    {NULL, NULL, 0, NULL},
};

const vgConstraintsRow vg_constraints_list[] = {
    {"index3", "Lagrange multipliers, constraints at position level", VG_CON_INDEX3},
    {"index2", "stabilised (Gear, Gupta, Leimkuhler): constraints at position and at velocity level",
     VG_CON_INDEX2},
    {"index1",
     "Lagrange multipliers at acceleration level, with Baumgarte terms or projection after each step",
     VG_CON_INDEX1},
    {NULL, NULL, 0},
};

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

/* "index1:alpha=5,beta=5" → Baumgarte terms; "index1" alone leaves stabilisation to projection. */
static vgStatus constraint_options(vgSystem *sys, const char *options, vgDiag *diag, vgLoc at)
{
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
        if (!strcmp(key, "alpha"))
            sys->baumgarte_alpha = value;
        else if (!strcmp(key, "beta"))
            sys->baumgarte_beta = value;
        else {
            vg_diag_error(diag, at, "unknown constraint option '%s', expected alpha or beta (Baumgarte, 1/s)",
                          key);
            return VG_BAD_INPUT;
        }
        options = *end ? end + 1 : end;
    }
    return VG_OK;
}

vgStatus vg_system_new(const vgModel *m, const char *coordinates, const char *constraints, vgDiag *diag,
                       vgSystem **out)
{
    const char *names[16];
    int n = 0;
    const vgCoordinatesRow *row = NULL;
    vgLoc at = m->run.loc;
    if (!coordinates || !*coordinates) coordinates = m->planar ? "planar" : "lie";
    if (!constraints || !*constraints) constraints = "index3";
    for (const vgCoordinatesRow *r = vg_coordinates_list; r->name; r++) {
        names[n++] = r->name;
        if (!strcmp(r->name, coordinates)) row = r;
    }
    if (!row) {
        unknown(diag, at, "coordinates", coordinates, names, n);
        return VG_BAD_INPUT;
    }
    if (!(row->models & (m->planar ? 1 : 2))) {
        vg_diag_error(diag, at, "coordinates '%s' are for %s models; this one is %s: use '%s'", row->name,
                      m->planar ? "spatial" : "planar", m->planar ? "planar" : "spatial",
                      m->planar ? "planar" : "lie");
        return VG_BAD_INPUT;
    }
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
    vgStatus st = row->build(m, row->name, con->name, out);
    if (st != VG_OK) return st;
    (*out)->con = con->flag;
    if (constraints[len] == ':') st = constraint_options(*out, constraints + len + 1, diag, at);
    if (st != VG_OK) {
        vg_system_free(*out);
        *out = NULL;
    }
    return st;
}

void vg_system_free(vgSystem *sys)
{
    if (sys) sys->ops->free_system(sys);
}

vgStatus vg_work_new(const vgSystem *sys, vgWork **out)
{
    return sys->ops->new_work(sys, out);
}

void vg_work_free(vgWork *work)
{
    if (work) work->sys->ops->free_work(work);
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
    s->lambda = VG_TAKE(a, double, sys->nl + 1);
    s->turn = VG_TAKE(a, double, sys->model->nturn + 1);
    s->history = VG_TAKE(a, double, s->nhistory + 1);
}

typedef struct StateBox {
    vgState state; /* first */
    vgArena arena;
} StateBox;

vgStatus vg_state_new(const vgSystem *sys, int nhistory, vgState **out)
{
    StateBox *box = calloc(1, sizeof *box);
    if (!box) return VG_NO_MEMORY;
    box->state.nhistory = nhistory;
    vgArena measure = {0};
    place_state(&box->state, sys, &measure);
    vgStatus st = vg_arena_alloc(&box->arena, measure.used);
    if (st != VG_OK) {
        free(box);
        return st;
    }
    place_state(&box->state, sys, &box->arena);
    box->state.bytes = measure.used;
    *out = &box->state;
    return VG_OK;
}

void vg_state_copy(const vgSystem *sys, vgState *to, const vgState *from)
{
    to->t = from->t;
    to->step = from->step;
    to->held = from->held;
    memcpy(to->q, from->q, (size_t)sys->nq * sizeof(double));
    memcpy(to->v, from->v, (size_t)sys->nv * sizeof(double));
    memcpy(to->a, from->a, (size_t)sys->nv * sizeof(double));
    memcpy(to->lambda, from->lambda, (size_t)sys->nl * sizeof(double));
    memcpy(to->turn, from->turn, (size_t)sys->model->nturn * sizeof(double));
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
    work->turn = state->turn;
    work->held = state->held;
}

void vg_work_accept(const vgSystem *sys, vgWork *work, vgState *state)
{
    sys->ops->accept(sys, work, state->turn);
}

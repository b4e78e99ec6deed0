#include "analysis/inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "system/tree.h"

typedef struct Coordinate {
    int measure;
    vgTreeCoordinate at;
    vgExpr *given;      /* by the caller */
    const vgLaw *drive; /* by the model */
} Coordinate;

struct vgInverse {
    const vgModel *m;
    vgSystem *sys;
    vgWork *work;
    vgState *state, *start;
    Coordinate *coordinate;
    int n;
    double *r, *zero;
};

/* Drives by value are followed; everything else that makes rows closes a loop. */
static vgStatus check_rows(vgInverse *inv, vgDiag *diag)
{
    const vgModel *m = inv->m;
    for (int r = 0; r < inv->sys->nl; r++) {
        const vgJoint *j = &m->joint[inv->sys->row_joint[r]];
        const vgPrim *p = &m->prim[j->prim0];
        int drive = j->nprim == 1 && p->kind == VG_PRIM_MEASURE && p->nterm == 1 && p->law, found = 0;
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

vgStatus vg_inverse_new(const vgModel *m, vgDiag *diag, vgInverse **out)
{
    vgInverse *inv = calloc(1, sizeof *inv);
    if (!inv) return VG_NO_MEMORY;
    inv->m = m;
    vgStatus st = vg_system_new(m, "relative", "index1", diag, &inv->sys);
    if (st == VG_OK) st = find_coordinates(inv);
    if (st == VG_OK) st = check_rows(inv, diag);
    if (st == VG_OK) st = vg_assemble(inv->sys, 0, 0, diag, NULL, &inv->start);
    if (st == VG_OK) st = vg_state_new(inv->sys, 0, &inv->state);
    if (st == VG_OK) st = vg_work_new(inv->sys, &inv->work);
    if (st == VG_OK) {
        size_t n = (size_t)inv->sys->nv + (size_t)inv->sys->nl + 1;
        inv->r = calloc(n, sizeof *inv->r);
        inv->zero = calloc(n, sizeof *inv->zero);
        if (!inv->r || !inv->zero) st = VG_NO_MEMORY;
    }
    if (st != VG_OK) {
        vg_inverse_free(inv);
        return st;
    }
    vg_state_copy(inv->sys, inv->state, inv->start);
    vg_work_bind(inv->work, inv->state);
    *out = inv;
    return VG_OK;
}

void vg_inverse_free(vgInverse *inv)
{
    if (!inv) return;
    for (int i = 0; i < inv->n; i++)
        if (inv->coordinate[i].given) vg_expr_free(inv->coordinate[i].given);
    free(inv->coordinate);
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

/* "J1", "J1.angle" or "joint.J1.angle". */
static int find(const vgInverse *inv, const char *which)
{
    size_t n = strlen(which);
    for (int i = 0; i < inv->n; i++) {
        const char *name = vg_inverse_name(inv, i), *local = strchr(name, '.') + 1;
        if (!strcmp(name, which) || !strcmp(local, which)) return i;
        if (!strncmp(local, which, n) && local[n] == '.') return i;
    }
    return -1;
}

vgStatus vg_inverse_prescribe(vgInverse *inv, const char *which, const char *law, vgDiag *diag)
{
    const vgModel *m = inv->m;
    int i = find(inv, which);
    if (i < 0) {
        const char **names = calloc((size_t)inv->n + 1, sizeof *names), *near = NULL;
        for (int k = 0; names && k < inv->n; k++) names[k] = strchr(vg_inverse_name(inv, k), '.') + 1;
        if (names) near = vg_name_closest(which, names, inv->n);
        if (!near)
            near = vg_name_closest(which, vg_names_list(m->joint_names), vg_names_count(m->joint_names));
        vg_diag_error(diag, VG_NOWHERE, "there is no joint coordinate '%s'%s%s%s", which,
                      near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
        free(names);
        return VG_BAD_INPUT;
    }
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

vgStatus vg_inverse_at(vgInverse *inv, double t, double *value, double *rate, double *acc, double *force)
{
    const vgSystem *sys = inv->sys;
    vgState *s = inv->state;
    memcpy(s->q, inv->start->q, (size_t)sys->nq * sizeof(double));
    memset(s->v, 0, (size_t)sys->nv * sizeof(double));
    memset(s->a, 0, (size_t)sys->nv * sizeof(double));
    s->t = t;
    for (int i = 0; i < inv->n; i++) {
        const Coordinate *c = &inv->coordinate[i];
        double x[3];
        if (!c->given && !c->drive) continue;
        if (c->given)
            vg_expr_time(c->given, t, x);
        else
            vg_law_time(c->drive, t, x);
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) return VG_NOT_FINITE;
        s->q[c->at.q] = (x[0] - c->at.offset) * c->at.sign;
        s->v[c->at.v] = x[1] * c->at.sign;
        s->a[c->at.v] = x[2] * c->at.sign;
    }
    sys->ops->residual(sys, inv->work, t, s->q, s->v, s->a, inv->zero, inv->r, NULL);
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

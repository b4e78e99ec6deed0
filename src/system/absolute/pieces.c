/* Absolute coordinates: factor() in pieces (system.h). */
#include <string.h>

#include "linalg/loose.h"
#include "system/absolute/absolute.h"
#include "system/pieces.h"

/* The first task; the others are the parts of absolute.h. */
enum { MOTION = VG_ABS_MAPS };

/* ns a body: of a factorisation with bodies that touch. */
static const double LOOSE_COST = 1500;
static const double CONTACTS_COST = 1000; /* and of the tangents of their contacts */

static vgTasks tasks(const vgAbs *s)
{
    int nforce = s->base.model->nforce, nprim = s->base.model->nprim, bodies = s->nbody;
    return (vgTasks){
        .n = {[MOTION] = 1,
              [VG_ABS_GROUP] = s->lanes.ngroup,
              [VG_ABS_INERTIA] = bodies,
              [VG_ABS_SPINS] = s->lanes.taken != NULL,
              [VG_ABS_FORCE] = nforce,
              [VG_ABS_ROWS] = nprim,
              [VG_ABS_STIFFNESS] = nprim,
              [VG_ABS_OWN] = s->all_simple ? 0 : bodies,
              [VG_ABS_UNITS] = s->nunit > 0},
        .cost = {[MOTION] = 160. * bodies,
                 [VG_ABS_GROUP] = 1500,
                 [VG_ABS_INERTIA] = 50,
                 [VG_ABS_SPINS] = 60. * s->lanes.nspin,
                 [VG_ABS_ROWS] = 35,
                 [VG_ABS_OWN] = 150,
                 [VG_ABS_UNITS] = 10. * bodies},
    };
}

/* What pieces of the same task cost one by one: elements by the bodies they touch, primitives by their kind.
 */
static void refine(const vgAbs *s, const vgAbsWork *w, const vgTasks *x, double *cost)
{
    const vgModel *m = s->base.model;
    const unsigned char *taken = s->lanes.taken;
    int force = vg_tasks_first(x, VG_ABS_FORCE), stiffness = vg_tasks_first(x, VG_ABS_STIFFNESS);
    for (int f = 0; f < m->nforce; f++) {
        int nu = taken && taken[f] ? 0 : w->main.force[f].nu;
        cost[force + f] = 20 + 250 * nu * nu;
        if (m->force[f].kind->crowd) cost[force + f] = CONTACTS_COST * s->nbody;
    }
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        cost[stiffness + i] = vg_prim_type(p)->cost * vg_prim_terms(p);
    }
}

int vg_abs_pieces(const vgSystem *sys, const vgWork *work, double *cost, int *assembled)
{
    const vgAbs *s = (const vgAbs *)sys;
    const vgAbsWork *w = (const vgAbsWork *)work;
    vgTasks x = tasks(s);
    int n = vg_tasks_count(&x, cost);
    if (cost) refine(s, w, &x, cost);
    if (assembled) *assembled = n;
    if (w->main.loose) {
        if (cost) cost[n] = LOOSE_COST * s->nbody;
        return n + 1;
    }
    return n + vg_lin_pieces(w->main.lin, cost ? cost + n : NULL);
}

/* The motion of the tangent, and the matrix cleared. */
static void begin(const vgAbs *s, vgAbsWork *w, const vgTangent *p)
{
    size_t n;
    double *values = vg_lin_values(w->main.lin, &n);
    if (!p->reuse) {
        vg_abs_kin(s, w, p->q, p->v, p->a);
        vg_native_measures(&w->native_motion, 2);
    }
    vg_native_prims(&w->native_motion, p->t, VG_PRIM_GRADIENT);
    w->filled = NULL;
    w->ahead = 0;
    if (w->main.loose)
        vg_loose_clear(w->main.loose);
    else
        w->base.factorisations++;
    w->base.bad_row = -1;
    w->solve_with = &w->main;
    if (s->lanes.ngroup)
        vg_abs_lanes_clear(&w->main);
    else
        memset(values, 0, n * sizeof *values);
}

vgStatus vg_abs_piece(const vgSystem *sys, vgWork *work, const vgTangent *p, int i)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    vgTasks x = tasks(s);
    int k, task = vg_tasks_find(&x, i, &k);
    if (task == MOTION) begin(s, w, p);
    if (task >= 0) {
        vg_abs_fill_part(s, w, &w->main, p, (vgAbsPart)task, k);
        return VG_OK;
    }
    if (k == 0 && s->nunit) vg_abs_fill_part(s, w, &w->main, p, VG_ABS_UNIT_SQUARES, 0);
    if (w->main.loose) return vg_abs_finish(work, &w->main, sys->nv);
    if (k == 0) vg_lin_leave_out(w->main.lin, sys->nl, w->main.row_at, work->active);
    return vg_abs_conclude(work, &w->main, sys->nv, vg_lin_piece(w->main.lin, k));
}

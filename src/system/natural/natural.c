/* Natural coordinates: set-up, and the table of operations. */
#include "system/natural/natural.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- maps between q, Δ, v ---- */

static void nat_retract(const vgSystem *sys, const double *q_r, const double *d, double *q)
{
    for (int i = 0; i < sys->nv; i++) q[i] = q_r[i] + d[i];
}

static void nat_local(const vgSystem *sys, const double *q_r, const double *q, double *d)
{
    for (int i = 0; i < sys->nv; i++) d[i] = q[i] - q_r[i];
}

static void nat_rates(const vgSystem *sys, const double *d, const double *q, const double *v, double *out)
{
    (void)d, (void)q;
    memmove(out, v, (size_t)sys->nv * sizeof *v);
}

static void store_node(const vgNatNode *n, vgVec3 x, double *q)
{
    double y[3];
    vg_store3(x, y);
    memcpy(q + n->at, y, (size_t)n->dim * sizeof *q);
}

/* Shared nodes are taken from the first body that has them. */
static vgStatus nat_from_native(const vgSystem *sys, const vgKin *kin, double *q, double *v)
{
    const vgNat *s = (const vgNat *)sys;
    for (int i = 0; i < s->nbody; i++) {
        const vgNatBody *b = &s->body[i];
        for (int k = 0; k < b->n; k++) {
            const vgNatItem *it = &b->item[k];
            if (it->node < 0 || s->node[it->node].body != i) continue;
            const vgNatNode *n = &s->node[it->node];
            vgVec3 arm = b->ny > 1 ? vg_mv3(kin[i].R, it->local) : vg_zero3();
            vgVec3 turn = b->ny > 1 ? vg_mv3(kin[i].R, vg_cross3(kin[i].w, it->local)) : vg_zero3();
            store_node(n, it->point ? vg_add3(kin[i].p, arm) : arm, q);
            store_node(n, it->point ? vg_add3(kin[i].v, turn) : turn, v);
        }
    }
    return VG_OK;
}

static const vgKin *nat_kinematics(const vgSystem *sys, vgWork *work, double t, const double *q,
                                   const double *v, const double *a)
{
    const vgNat *s = (const vgNat *)sys;
    vgNatWork *w = (vgNatWork *)work;
    vg_nat_motion(s, w, q, v, a);
    vg_nat_kin(s, w, 1);
    vg_native_measures(&w->motion, 1);
    vg_native_prims(&w->all, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    return w->motion.kin;
}

/* ---- system ---- */

static void place(vgNat *s, vgArena *a)
{
    const vgModel *m = s->base.model;
    int nrow = m->nrow + 6 * m->nbody;
    s->node = VG_TAKE(a, vgNatNode, 4 * s->nbody + 1);
    s->body = VG_TAKE(a, vgNatBody, s->nbody + 1);
    s->atom = VG_TAKE(a, vgNatAtom, 3 * s->nbody + 4 * m->nprim + 1);
    s->part = VG_TAKE(a, vgNatPart, 6 * s->nbody + 16 * m->nprim + 1);
    s->row = VG_TAKE(a, vgNatRow, nrow + 1);
    s->model_row = VG_TAKE(a, int, m->nrow + 1);
    s->mass = VG_TAKE(a, vgNatMass, 10 * s->nbody + 1);
    s->pass = VG_TAKE(a, vgNatPass, 4 * s->nbody + 1);
    s->weight = VG_TAKE(a, double, 12 * s->nbody + 1);
    s->native_prim = VG_TAKE(a, unsigned char, m->nprim + 1);
    s->measure_used = VG_TAKE(a, unsigned char, m->nmeasure + 1);
    s->level = VG_TAKE(a, unsigned char, nrow + 1);
    s->scale = VG_TAKE(a, double, 12 * s->nbody + 1);
    s->row_joint = VG_TAKE(a, int, nrow + 1);
    s->v_body = VG_TAKE(a, int, 12 * s->nbody + 1);
}

static void mark(vgNat *s, int body)
{
    if (body >= 0) s->body[body].needed = 1;
}

/* Bodies that force elements or native rows look at. */
static void mark_needed(vgNat *s)
{
    const vgModel *m = s->base.model;
    for (int f = 0; f < m->nforce; f++) {
        vgForcePlace pl;
        vg_native_force_union(m, f, &pl);
        for (int u = 0; u < pl.nu; u++) mark(s, pl.body[u]);
    }
    for (int i = 0; i < m->nprim; i++) {
        if (!s->native_prim[i]) continue;
        mark(s, m->prim[i].a);
        mark(s, m->prim[i].b);
    }
    for (int i = 0; i < m->nmeasure; i++) {
        if (!s->measure_used[i]) continue;
        mark(s, m->measure[i].measure.A.body);
        mark(s, m->measure[i].measure.B.body);
    }
}

static void finish_system(vgNat *s)
{
    vgSystem *b = &s->base;
    for (int k = 0; k < s->nnode; k++)
        for (int d = 0; d < s->node[k].dim; d++) {
            s->scale[s->node[k].at + d] = s->node[k].point && s->node[k].dim > 1 ? b->length : 1;
            s->v_body[s->node[k].at + d] = s->node[k].body;
        }
    s->nmeasure_used = vg_native_mark(b->model, s->native_prim, s->measure_used, &s->any_inertial);
    mark_needed(s);
    b->row_level = s->level;
    b->njacobian = b->nl;
    b->row_entries = 2 * VG_PRIM_MAX_TERMS * 3 * VG_NAT_NODES;
    b->v_scale = s->scale;
    b->row_joint = s->row_joint;
    b->v_body = s->v_body;
}

static void nat_free(vgSystem *sys)
{
    vgNat *s = (vgNat *)sys;
    vg_arena_free(&s->arena);
    free(s);
}

static const vgSystemOps nat_ops;

vgStatus vg_nat_new(const vgModel *m, const char *constraints, unsigned fast, vgSystem **out)
{
    vgNat *s = calloc(1, sizeof *s);
    if (!s) return VG_NO_MEMORY;
    s->base.ops = &nat_ops;
    s->base.model = m;
    s->base.fast = fast;
    s->nbody = m->nbody;
    s->base.length = vg_native_length(m);
    s->base.reach = 1;
    s->base.coordinates = "natural";
    s->base.constraints = constraints;
    s->base.vector_space = 1;
    s->base.second_order = 1;
    vgArena measure = {0};
    place(s, &measure);
    vgStatus st = vg_arena_alloc(&s->arena, measure.used);
    if (st == VG_OK) {
        place(s, &s->arena);
        st = vg_nat_nodes(s);
    }
    if (st == VG_OK) st = vg_nat_rows(s);
    if (st != VG_OK) {
        nat_free(&s->base);
        return st;
    }
    finish_system(s);
    *out = &s->base;
    return VG_OK;
}

/* ---- work ---- */

static void place_work(const vgNat *s, vgNatWork *w, vgArena *a)
{
    const vgModel *m = s->base.model;
    vg_native_place(&w->motion, &s->base, m->nmeasure, NULL, a);
    w->all_list = VG_TAKE(a, int, m->nprim + 1);
    w->xn = VG_TAKE(a, vgVec3, s->nnode + 1);
    w->vn = VG_TAKE(a, vgVec3, s->nnode + 1);
    w->an = VG_TAKE(a, vgVec3, s->nnode + 1);
    w->x = VG_TAKE(a, vgVec3, s->natom + 1);
    w->dx = VG_TAKE(a, vgVec3, s->natom + 1);
    w->ddx = VG_TAKE(a, vgVec3, s->natom + 1);
    w->native = VG_TAKE(a, double, 6 * s->nbody + 6);
    w->xi = VG_TAKE(a, double, 6 * s->nbody + 6);
    w->maps = VG_TAKE(a, vgNatMaps, m->nforce || s->any_native ? s->nbody + 1 : 1);
    w->own = VG_TAKE(a, double, m->nforce || s->any_native ? 108 * s->nbody + 1 : 1);
    w->lambda_model = VG_TAKE(a, double, m->nrow + 1);
    w->phi_model = VG_TAKE(a, double, m->nrow + 1);
    w->scratch_r = VG_TAKE(a, double, s->base.nv + 1);
    w->scratch_l = VG_TAKE(a, double, s->base.nl + 1);
    w->pass = VG_TAKE(a, vgVec3, 4 * s->nbody + 1);
    w->base.watch = VG_TAKE(a, unsigned char, m->nmeasure + 1);
}

static void nat_free_work(vgWork *work)
{
    vgNatWork *w = (vgNatWork *)work;
    const vgNat *s = (const vgNat *)work->sys;
    vg_nat_matrix_free(s, &w->main);
    if (w->exact.lin) vg_nat_matrix_free(s, &w->exact);
    vg_arena_free(&w->arena);
    free(w);
}

static vgStatus nat_new_work(const vgSystem *sys, vgWork **out)
{
    const vgNat *s = (const vgNat *)sys;
    const vgModel *m = sys->model;
    vgNatWork *w = calloc(1, sizeof *w);
    if (!w) return VG_NO_MEMORY;
    w->base.sys = sys;
    w->base.bad_row = -1;
    vgArena measure = {0};
    place_work(s, w, &measure);
    vgStatus st = vg_arena_alloc(&w->arena, measure.used);
    if (st == VG_OK) {
        place_work(s, w, &w->arena);
        vg_native_start(&w->motion, &w->base, s->measure_used, s->nmeasure_used, s->native_prim);
        w->all = w->motion;
        w->all.list = w->all_list;
        w->all.nlist = 0;
        for (int i = 0; i < m->nprim; i++)
            if (s->model_row[m->prim[i].row] >= 0) w->all.list[w->all.nlist++] = i;
        for (int i = 0; i < m->nmeasure; i++) w->base.watch[i] = s->measure_used[i];
        st = vg_nat_matrix_new(s, 0, &w->main);
        w->motion.force = w->main.force;
    }
    if (st != VG_OK) {
        nat_free_work(&w->base);
        return st;
    }
    *out = &w->base;
    return VG_OK;
}

static void nat_accept(const vgSystem *sys, vgWork *work, double *turn)
{
    vgNatWork *w = (vgNatWork *)work;
    if (!memchr(work->watch, 1, (size_t)sys->model->nmeasure)) return;
    if (!w->have_kin) vg_nat_kin((const vgNat *)sys, w, 1);
    vg_native_accept(&w->motion, 0, turn);
}

static size_t nat_memory(const vgWork *work)
{
    const vgNatWork *w = (const vgNatWork *)work;
    return w->arena.size + vg_lin_memory(w->main.lin);
}

static const vgSystemOps nat_ops = {
    .name = "natural",
    .free_system = nat_free,
    .new_work = nat_new_work,
    .free_work = nat_free_work,
    .memory = nat_memory,
    .accept = nat_accept,
    .retract = nat_retract,
    .local = nat_local,
    .rates = nat_rates,
    .twist = nat_rates,
    .residual = vg_nat_residual,
    .factor = vg_nat_factor,
    .solve = vg_nat_solve,
    .assemble = vg_nat_assemble,
    .accel = vg_nat_accel,
    .levels = vg_nat_levels,
    .project_q = vg_nat_project_q,
    .row_terms = vg_nat_row_terms,
    .project_v = vg_nat_project_v,
    .jacobian = vg_nat_jacobian,
    .kinematics = nat_kinematics,
    .reaction = vg_nat_reaction,
    .from_native = nat_from_native,
    .pieces = {vg_nat_pieces, vg_nat_piece},
};

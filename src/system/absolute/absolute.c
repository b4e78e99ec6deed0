/* Absolute coordinates: set-up, and the table of operations. */
#include "system/absolute/absolute.h"
#include "linalg/loose.h"
#include "system/absolute/lines.h"
#include "system/absolute/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.28318530717958647692;

extern const vgChart vg_chart_lie, vg_chart_se3, vg_chart_euler_parameters, vg_chart_euler_angles,
    vg_chart_euler_angles_1, vg_chart_cayley, vg_chart_euler_angles_xyz, vg_chart_euler_angles_1_xyz;
const vgChart *const vg_charts[] = {&vg_chart_lie,
                                    &vg_chart_se3,
                                    &vg_chart_euler_parameters,
                                    &vg_chart_euler_angles,
                                    &vg_chart_euler_angles_1,
                                    &vg_chart_cayley,
                                    &vg_chart_euler_angles_xyz,
                                    &vg_chart_euler_angles_1_xyz,
                                    NULL};

/* ---- maps between q, Δ, v ---- */

#define FOR_BODIES(s) for (const vgAbsBody *b = (s)->body, *end = (s)->body + (s)->nbody; b < end; b++)

static void abs_retract(const vgSystem *sys, const double *q_r, const double *d, double *q)
{
    FOR_BODIES((const vgAbs *)sys)
    {
        if (b->rotates)
            b->chart->retract(q_r + b->q0, d + b->v0, q + b->q0);
        else
            for (int i = 0; i < b->nv; i++) q[b->q0 + i] = q_r[b->q0 + i] + d[b->v0 + i];
    }
}

static void abs_local(const vgSystem *sys, const double *q_r, const double *q, double *d)
{
    FOR_BODIES((const vgAbs *)sys)
    {
        if (b->rotates)
            b->chart->local(q_r + b->q0, q + b->q0, d + b->v0);
        else
            for (int i = 0; i < b->nv; i++) d[b->v0 + i] = q[b->q0 + i] - q_r[b->q0 + i];
    }
}

static void abs_rates(const vgSystem *sys, const double *d, const double *q, const double *v, double *out)
{
    FOR_BODIES((const vgAbs *)sys)
    {
        if (b->rotates)
            b->chart->rates(d + b->v0, q + b->q0, v + b->v0, out + b->v0);
        else
            for (int i = b->v0; i < b->v0 + b->nv; i++) out[i] = v[i];
    }
}

static void abs_twist(const vgSystem *sys, const double *d, const double *q, const double *d_dot, double *v)
{
    FOR_BODIES((const vgAbs *)sys)
    {
        if (b->rotates)
            b->chart->twist(d + b->v0, q + b->q0, d_dot + b->v0, v + b->v0);
        else
            for (int i = b->v0; i < b->v0 + b->nv; i++) v[i] = d_dot[i];
    }
}

static vgStatus abs_from_native(const vgSystem *sys, const vgKin *kin, double *q, double *v)
{
    const vgAbs *s = (const vgAbs *)sys;
    for (int i = 0; i < s->nbody; i++) {
        const vgAbsBody *b = &s->body[i];
        if (b->rotates) {
            b->chart->from_kin(&kin[i], q + b->q0, v + b->v0);
            continue;
        }
        double p[6] = {kin[i].p.x, kin[i].p.y, kin[i].p.z, 0, 0, 0};
        double u[6] = {kin[i].v.x, kin[i].v.y, kin[i].v.z, 0, 0, kin[i].w.z};
        p[5] = atan2(kin[i].R.m[1][0], kin[i].R.m[0][0]);
        double turns = sys->model->body[i].theta0 - p[5]; /* keep the whole turns the user wrote */
        p[5] += TURN * round(turns / TURN);
        for (int c = 0; c < b->select.n; c++) {
            q[b->q0 + c] = p[b->select.at[c]];
            v[b->v0 + c] = u[b->select.at[c]];
        }
    }
    return VG_OK;
}

static const vgKin *abs_kinematics(const vgSystem *sys, vgWork *work, double t, const double *q,
                                   const double *v, const double *a)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = (vgAbsWork *)work;
    vg_abs_kin(s, w, q, v, a);
    vg_native_measures(&w->native_motion, 1);
    vg_native_prims(&w->native_motion, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    return w->kin;
}

static void abs_reaction(const vgSystem *sys, vgWork *work, double t, const double *lambda, int joint,
                         double wrench[6])
{
    (void)sys, (void)t;
    vg_native_reaction(&((vgAbsWork *)work)->native_motion, lambda, joint, wrench);
}

static int abs_recast(const vgSystem *sys, vgWork *work, vgState *x)
{
    int any = 0;
    (void)work;
    FOR_BODIES((const vgAbs *)sys)
    {
        double *q = x->q + b->q0, *v = x->v + b->v0, *a = x->a + b->v0;
        vgKin k;
        if (!b->rotates || !b->chart->is_steep || !b->chart->is_steep(q)) continue;
        b->chart->kin(q, v, a, &k);
        b->chart->from_kin(&k, q, v);
        b->chart->acceleration(q, v, &k, a);
        any = 1;
    }
    return any;
}

/* ---- system ---- */

static void place(vgAbs *s, vgArena *a)
{
    const vgModel *m = s->base.model;
    s->body = VG_TAKE(a, vgAbsBody, s->nbody + 1);
    s->measure_used = VG_TAKE(a, unsigned char, m->nmeasure + 1);
    s->level = VG_TAKE(a, unsigned char, s->base.nl + 1);
    s->scale = VG_TAKE(a, double, s->base.nv + 1);
    s->row_joint = VG_TAKE(a, int, s->base.nl + 1);
    s->v_body = VG_TAKE(a, int, s->base.nv + 1);
}

static int spatial_rotation(const vgBody *b)
{
    return b->select.n == 6;
}

/* A body's own coordinates, or those of the system. */
static const vgChart *chart_of(const vgAbs *s, const vgBody *b)
{
    for (const vgChart *const *c = vg_charts; *c && b->coordinates && !s->uniform; c++)
        if (!strcmp((*c)->name, b->coordinates)) return *c;
    return s->chart;
}

static void fill_bodies(vgAbs *s)
{
    const vgModel *m = s->base.model;
    int q0 = 0, v0 = 0, n0 = 0, unit = m->nrow;
    for (int i = 0; i < m->nbody; i++) {
        vgAbsBody *b = &s->body[i];
        const vgBody *mb = &m->body[i];
        const vgChart *chart = b->chart = chart_of(s, mb);
        b->select = mb->select;
        b->rotates = spatial_rotation(mb);
        b->advance = b->rotates && chart->advance ? chart->advance : vg_abs_advance;
        b->nq = b->rotates ? chart->nq : mb->select.n;
        b->nv = b->rotates ? chart->nv : mb->select.n;
        b->q0 = q0;
        b->v0 = v0;
        b->n0 = n0;
        n0 += mb->select.n;
        b->unit_row = b->rotates && chart->unit ? unit++ : -1;
        b->mass = mb->mass;
        b->mass_inv = 1 / mb->mass;
        b->weight = vg_body_is_weightless(mb) ? 0 : mb->mass;
        b->J = mb->inertia;
        if (b->rotates) b->Jinv = vg_inv3(mb->inertia);
        for (int k = 0; k < b->nv; k++) {
            int c = b->rotates ? k : mb->select.at[k];
            s->scale[v0 + k] = c < 3 && !vg_body_is_hidden(mb) ? s->base.length : 1;
            s->v_body[v0 + k] = i;
        }
        if (b->unit_row >= 0) s->row_joint[b->unit_row] = -1;
        q0 += b->nq;
        v0 += b->nv;
    }
}

/* Elements that go four at a time; what moves and turns with a body as a part of it is counted with it. */
static vgStatus make_lanes(vgAbs *s)
{
    const vgModel *m = s->base.model;
    if (!(s->base.fast & VG_FAST_LANES) || !s->all_simple || m->nforce == 0) return VG_OK;
    double *mass = calloc((size_t)m->nbody + 1, sizeof *mass);
    vgMat3 *J = calloc((size_t)m->nbody + 1, sizeof *J);
    vgStatus st = mass && J ? vg_lanes_new(m, mass, J, &s->lanes) : VG_NO_MEMORY;
    for (int i = 0; i < m->nbody && st == VG_OK; i++) {
        s->body[i].mass += mass[i];
        s->body[i].weight += mass[i];
        s->body[i].J = vg_madd3(s->body[i].J, J[i]);
    }
    free(mass);
    free(J);
    return st;
}

/* Entries of the longest row of the constraint Jacobian: both bodies of each of its terms, six for each. */
static int most_entries(const vgModel *m)
{
    int most = 1;
    for (int p = 0; p < m->nprim; p++) {
        int n = 12 * vg_prim_terms(&m->prim[p]);
        most = n > most ? n : most;
    }
    return most;
}

static const vgSystemOps abs_ops;

vgStatus vg_abs_new(const vgModel *m, const vgChart *chart, const char *constraints, unsigned fast,
                    vgSystem **out)
{
    vgAbs *s = calloc(1, sizeof *s);
    if (!s) return VG_NO_MEMORY;
    s->base.ops = &abs_ops;
    s->base.model = m;
    s->uniform = (fast & VG_ABS_UNIFORM) != 0;
    s->base.fast = fast &= ~VG_ABS_UNIFORM;
    s->chart = chart;
    s->nbody = m->nbody;
    s->base.length = vg_native_length(m);
    s->base.reach = fmin(1, vg_native_arm(m) / s->base.length);
    s->base.coordinates = m->planar ? "planar" : chart->name;
    s->base.constraints = constraints;
    s->base.vector_space = 1;
    s->base.second_order = 1;
    s->all_simple = 1;
    for (int i = 0; i < m->nbody; i++) {
        int rot = spatial_rotation(&m->body[i]);
        chart = chart_of(s, &m->body[i]);
        s->base.mixed |= rot && chart != s->chart;
        s->base.nq += rot ? chart->nq : m->body[i].select.n;
        s->base.nv += rot ? chart->nv : m->body[i].select.n;
        s->nunit += rot && chart->unit;
        if (rot && !chart->vector_space) s->base.vector_space = 0;
        if (rot && !chart->second_order) s->base.second_order = 0;
        if (rot && chart->is_steep) s->base.recasts = 1;
        if (rot && !chart->simple) s->all_simple = 0;
    }
    s->base.nl = m->nrow + s->nunit;
    vgArena measure = {0};
    place(s, &measure);
    vgStatus st = vg_arena_alloc(&s->arena, measure.used);
    if (st != VG_OK) {
        free(s);
        return st;
    }
    place(s, &s->arena);
    fill_bodies(s);
    st = make_lanes(s);
    if (st != VG_OK) {
        vg_arena_free(&s->arena);
        free(s);
        return st;
    }
    s->nmeasure_used = vg_native_mark(m, NULL, s->measure_used, &s->any_inertial);
    s->base.free_stages = (fast & VG_FAST_STAGE) && s->base.nl == 0 && !s->any_inertial && !s->lanes.ngroup;
    for (int i = 0; i < m->nprim; i++)
        for (int r = 0; r < m->prim[i].rows; r++) {
            s->level[m->prim[i].row + r] = (unsigned char)m->prim[i].level;
            s->row_joint[m->prim[i].row + r] = m->prim[i].joint;
            if (m->prim[i].level > s->any_level) s->any_level = m->prim[i].level;
        }
    s->base.row_level = s->level;
    s->base.njacobian = m->nrow;
    s->base.row_entries = most_entries(m);
    s->base.v_scale = s->scale;
    s->base.row_joint = s->row_joint;
    s->base.v_body = s->v_body;
    *out = &s->base;
    return VG_OK;
}

static void abs_free(vgSystem *sys)
{
    vgAbs *s = (vgAbs *)sys;
    vg_lanes_free(&s->lanes);
    vg_arena_free(&s->arena);
    free(s);
}

/* ---- work ---- */

static void place_work(const vgAbs *s, vgAbsWork *w, vgArena *a)
{
    const vgModel *m = s->base.model;
    int nz = s->base.nq > s->base.nv ? s->base.nq : s->base.nv;
    vg_native_place(&w->native_motion, &s->base, s->nmeasure_used, NULL, a);
    w->kin = w->native_motion.kin;
    w->prim = w->native_motion.prim;
    w->measure = w->native_motion.measure;
    w->native = VG_TAKE(a, double, 6 * s->nbody + 6);
    w->xi = VG_TAKE(a, double, 6 * s->nbody + 6);
    w->maps = s->all_simple ? NULL : VG_TAKE(a, vgChartMaps, s->nbody + 1);
    w->own = s->all_simple ? NULL : VG_TAKE(a, double, 36 * s->nbody + 36);
    w->V = VG_TAKE(a, vgMat3, s->nbody + 1);
    w->lam = VG_TAKE(a, double, s->base.nl + 1);
    w->scratch_r = VG_TAKE(a, double, s->base.nv + 1);
    w->zero = VG_TAKE(a, double, nz + 1);
    w->hint = VG_TAKE(a, vgLinNode, m->njoint + 1);
    w->base.watch = VG_TAKE(a, unsigned char, m->nmeasure + 1);
}

static void abs_free_work(vgWork *work)
{
    vgAbsWork *w = (vgAbsWork *)work;
    if (w->main.lin) vg_abs_matrix_free(&w->main);
    vg_sweep_free(w->sweep);
    vg_lines_free(w->lines);
    if (w->nat.lin) vg_abs_matrix_free(&w->nat);
    if (w->exact.lin) vg_abs_matrix_free(&w->exact);
    vg_arena_free(&w->arena);
    free(w);
}

enum { LARGE = 3000 }; /* coordinates of a tree in which the matrix is a good part of all memory */

static vgStatus make_work(const vgSystem *sys, int lean, vgWork **out)
{
    const vgAbs *s = (const vgAbs *)sys;
    vgAbsWork *w = calloc(1, sizeof *w);
    if (!w) return VG_NO_MEMORY;
    vgArena measure = {0};
    place_work(s, w, &measure);
    vgStatus st = vg_arena_alloc(&w->arena, measure.used);
    if (st == VG_OK) {
        place_work(s, w, &w->arena);
        w->base.sys = sys;
        w->base.bad_row = -1;
        vg_native_start(&w->native_motion, &w->base, s->measure_used, s->nmeasure_used, NULL);
        for (int i = 0; i < sys->model->nmeasure; i++) w->base.watch[i] = s->measure_used[i];
        st = vg_sweep_new(s, &w->sweep);
        if (st == VG_OK) st = vg_lines_new(s, &w->lines);
        w->base.in_one_go = w->sweep || w->lines;
    }
    /* a sweep that breaks down leaves the step to the matrix: only in large trees it is made just then */
    if (st == VG_OK && !(lean && w->sweep && sys->nv > LARGE)) st = vg_abs_matrices(s, w);
    if (st != VG_OK) {
        abs_free_work(&w->base);
        return st;
    }
    *out = &w->base;
    return VG_OK;
}

static vgStatus abs_new_work(const vgSystem *sys, vgWork **out)
{
    return make_work(sys, 0, out);
}

static vgStatus abs_lean_work(const vgSystem *sys, vgWork **out)
{
    return make_work(sys, 1, out);
}

static void abs_accept(const vgSystem *sys, vgWork *work, double *turn)
{
    (void)sys;
    vg_native_accept(&((vgAbsWork *)work)->native_motion, 1, turn);
}

static size_t abs_memory(const vgWork *work)
{
    const vgAbsWork *w = (const vgAbsWork *)work;
    return w->arena.size + vg_loose_memory(w->main.loose) + vg_sweep_memory(w->sweep) +
           vg_lines_memory(w->lines) + (w->main.lin ? vg_lin_memory(w->main.lin) : 0) +
           (w->nat.lin ? vg_lin_memory(w->nat.lin) : 0);
}

static const vgSystemOps abs_ops = {
    .name = "absolute",
    .free_system = abs_free,
    .new_work = abs_new_work,
    .free_work = abs_free_work,
    .memory = abs_memory,
    .accept = abs_accept,
    .retract = abs_retract,
    .local = abs_local,
    .rates = abs_rates,
    .twist = abs_twist,
    .residual = vg_abs_residual,
    .factor = vg_abs_factor,
    .solve = vg_abs_solve,
    .assemble = vg_abs_assemble,
    .accel = vg_abs_accel,
    .levels = vg_abs_levels,
    .project_q = vg_abs_project_q,
    .row_terms = vg_abs_row_terms,
    .project_v = vg_abs_project_v,
    .jacobian = vg_abs_jacobian,
    .kinematics = abs_kinematics,
    .reaction = abs_reaction,
    .from_native = abs_from_native,
    .sweep = {vg_abs_increment, vg_abs_iterate, vg_abs_again},
    .pieces = {vg_abs_pieces, vg_abs_piece},
    .approach = {.ahead = vg_abs_ahead},
    .extra = {.lean_work = abs_lean_work,
              .stage = vg_abs_stage,
              .levels_here = vg_abs_levels_here,
              .jacobian_scale = vg_abs_jacobian_scale,
              .recast = abs_recast,
              .potential = vg_abs_potential},
};

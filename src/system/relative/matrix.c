/* Relative coordinates: the explicit stage matrix, for loops and for forces between links.
 *
 * Nodes are runs of joints without branches and the closing joints' rows. The blocks of a joint and its
 * ancestors come from composite 𝔸 (relative/tangent.c) without elimination: with col = 𝔸_i σ_i carried to an
 * ancestor j the block (j,i) is S_jᵀ col, with h = S_iᵀ 𝔸_i carried likewise the block (i,j) is h σ_j. */
#include <string.h>

#include "system/pieces.h"
#include "system/relative/tangent.h"

/* ---- filling ---- */

/* ---- closing rows ---- */

static void emit_row(void *user, int prim, int row, int link, const double *e)
{
    const vgTreeFill *f = user;
    const vgTreeMatrix *m = f->m;
    const vgPrim *p = &f->s->base.model->prim[prim];
    int dual = m->joint_node[p->joint], r = m->local_row[f->s->model_row[p->row + row]];
    int nv = f->s->link[link].nv;
    size_t n = (size_t)m->nnode;
    double *to =
        m->block[(size_t)dual * n + (size_t)m->node[link]] + r * m->size[m->node[link]] + m->off[link];
    double V[36];
    int turned = f->t && p->level > 0 && vg_tree_stage_map(&f->s->link[link], f->t, V);
    for (int k = 0; k < nv; k++) {
        double x = e[k];
        if (turned) {
            x = 0;
            for (int j = 0; j < nv; j++) x += e[j] * V[j * nv + k];
        }
        to[k] += x;
    }
    if (m->mirror[dual]) return;
    double *col = m->block[(size_t)m->node[link] * n + (size_t)dual];
    for (int k = 0; k < nv; k++) col[(m->off[link] + k) * m->size[dual] + r] += e[k];
}

static void add_rows_of(vgTreeFill *f, int at)
{
    const vgNative *x = &f->w->native_motion;
    const vgPrim *p = &f->s->base.model->prim[x->list[at]];
    if (vg_tree_near_prim(f->m->near, x->list[at]) == 1) return;
    for (int r = 0; r < p->rows; r++)
        if (f->m->local_row[f->s->model_row[p->row + r]] >= 0)
            vg_tree_walk_row(f->s, f->w, f->m, x->list[at], r, emit_row, f);
}

static void add_rows(vgTreeFill *f)
{
    for (int at = 0; at < f->w->native_motion.nlist; at++) add_rows_of(f, at);
}

/* ---- the composite recursion ---- */

/* A floating body with itself: P = 𝔸 σ, of which the first three rows are those of the axes of W. */
static void add_floating(const vgTreeFill *f, int i, const double *A)
{
    const vgTreeCoef *c = f->c;
    int v0 = f->s->link[i].v0, ld;
    const double *S = f->w->S + 6 * v0, *F = f->m->F + 6 * i;
    double P[6][6], *own = vg_tree_entry(f->m, i, 0, i, &ld);
    for (int r = 0; r < 6; r++) {
        const double *a = A + 18 * r;
        for (int j = 0; j < 3; j++) {
            const double *g = f->w->sigma + 18 * (v0 + 3 + j);
            double x = a[0] * g[0] + a[15] * g[15], y = a[1] * g[1] + a[16] * g[16],
                   z = a[2] * g[2] + a[17] * g[17];
            for (int k = 3; k < 12; k += 3)
                x += a[k] * g[k], y += a[k + 1] * g[k + 1], z += a[k + 2] * g[k + 2];
            P[r][j] = c->one * a[j] + c->c1 * a[6 + j] + c->c2 * a[12 + j];
            P[r][3 + j] = x + y + z;
        }
    }
    for (int k = 0; k < 3; k++) {
        vgVec3 u = vg_load3(S + 6 * (3 + k) + 3);
        double turn[3];
        vg_store3(vg_scale3(vg_cross3(u, vg_load3(F)), c->c2), turn);
        vgVec3 b = vg_scale3(vg_cross3(u, vg_load3(F + 3)), c->c2);
        for (int j = 0; j < 6; j++) {
            own[k * ld + j] += P[k][j];
            double x = u.x * P[3][j] + u.y * P[4][j] + u.z * P[5][j];
            own[(3 + k) * ld + j] += x + (j < 3 ? turn[j] : vg_dot3(b, vg_load3(S + 6 * j + 3)));
        }
    }
    for (int k = 0; k < 6; k++) own[k * ld + k] += vg_tree_joint_pivot(f->w, v0 + k, c);
}

/* Blocks of link i with itself and its ancestors. */
static void add_joint(const vgTreeFill *f, int i, const double *A, const double *SF)
{
    const vgTree *s = f->s;
    vgTreeWork *w = f->w;
    const vgLink *l = &s->link[i];
    double back[36];
    if (f->t && vg_tree_turns_back(l)) {
        vg_tree_turn_back(l, w->S + 6 * l->v0, f->m->F + 6 * i, back);
        SF = back;
    }
    for (int k = 0; k < l->nv; k++) {
        double h[18], col[6];
        int ld;
        vg_tree_row_column(A, f->m->F + 6 * i, w->S + 6 * (l->v0 + k), w->sigma + 18 * (l->v0 + k), h, col);
        double *own = vg_tree_entry(f->m, i, k, i, &ld);
        for (int j = 0; j < l->nv; j++) {
            own[j] += vg_tree_dot18(h, w->sigma + 18 * (l->v0 + j));
            if (!l->constant && f->t) own[j] += f->c->c2 * SF[k * l->nv + j];
        }
        own[k] += vg_tree_joint_pivot(w, l->v0 + k, f->c);
        vgVec3 F = vg_load3(col), T = vg_load3(col + 3);
        for (int at = i, j = l->parent; j >= 0; at = j, j = s->link[j].parent) {
            const vgLink *a = &s->link[j];
            vg_tree_carry_row(h, w->m[at].d);
            T = vg_add3(T, vg_cross3(w->m[at].d, F));
            if (a->nv == 0) continue;
            double *down = vg_tree_entry(f->m, i, k, j, &ld);
            for (int e = 0; e < a->nv; e++) down[e] += vg_tree_dot18(h, w->sigma + 18 * (a->v0 + e));
            for (int e = 0; e < a->nv; e++) {
                const double *S = w->S + 6 * (a->v0 + e);
                vg_tree_entry(f->m, j, e, i, &ld)[k] += vg_dot3(vg_load3(S), F) + vg_dot3(vg_load3(S + 3), T);
            }
        }
    }
}

/* The mass matrix alone: symmetric, by composite inertias. */
static void mass_column(void *user, int i, int k, const double *col)
{
    const vgTreeFill *f = user;
    const vgTree *s = f->s;
    const vgTreeWork *w = f->w;
    vgVec3 F = vg_load3(col), T = vg_load3(col + 3);
    for (int j = i; j >= 0; j = s->link[j].parent) {
        const vgLink *a = &s->link[j];
        int ld;
        for (int e = 0; e < a->nv; e++) {
            const double *S = w->S + 6 * (a->v0 + e);
            double x = vg_dot3(vg_load3(S), F) + vg_dot3(vg_load3(S + 3), T);
            vg_tree_entry(f->m, j, e, i, &ld)[k] += x;
            if (j != i) vg_tree_entry(f->m, i, k, j, &ld)[e] += x;
        }
        T = vg_add3(T, vg_cross3(w->m[j].d, F));
    }
    if (w->stiffness) {
        int ld;
        vg_tree_entry(f->m, i, k, i, &ld)[k] += w->rotor[s->link[i].v0 + k];
    }
}

/* 𝔸 of a link is where the elements and its children have left theirs. */
static void add_link(vgTreeFill *f, int i)
{
    const vgTree *s = f->s;
    vgTreeWork *w = f->w;
    const vgLink *l = &s->link[i];
    double *A = w->extra + 108 * (size_t)i;
    vg_tree_own_block(l, &w->m[i], w->have_wrench ? f->m->wrench + 6 * i : NULL, A);
    if (l->way == VG_LINK_FLOAT && f->t)
        add_floating(f, i, A);
    else if (l->nv > 0)
        add_joint(f, i, A, w->pivot + 6 * l->v0);
    vg_tree_pairs_joint(s, w, f->m, i);
    if (l->parent >= 0) vg_tree_carry_block(A, w->m[i].d, w->extra + 108 * (size_t)l->parent, 0);
}

static void add_tree(vgTreeFill *f)
{
    for (int k = f->s->nlink - 1; k >= 0; k--) add_link(f, f->s->order[k]);
}

static void clear_extra(const vgTree *s, vgTreeWork *w)
{
    for (int i = 0; w->extra_of && i < s->nlink; i++)
        if (w->extra_of[i] >= 0) memset(w->extra + 108 * (size_t)w->extra_of[i], 0, 108 * sizeof(double));
    for (int i = 0; w->cross_of && i < s->nlink; i++)
        if (w->cross_of[i] >= 0) memset(w->cross + 216 * (size_t)w->cross_of[i], 0, 216 * sizeof(double));
}

static void clear(vgTreeFill *f)
{
    size_t n;
    double *values = vg_lin_values(f->m->lin, &n);
    memset(values, 0, n * sizeof *values);
}

/* The closing rows alone, with their mirrors or columns. */
static void clear_rows(const vgTreeFill *f)
{
    const vgTreeMatrix *m = f->m;
    size_t n = (size_t)m->nnode;
    for (size_t d = 0; d < n; d++)
        for (size_t i = 0; m->dual[d] && i < n; i++) {
            double *block[2] = {m->block[d * n + i], m->block[i * n + d]};
            for (int k = 0; k < 2; k++)
                if (block[k]) memset(block[k], 0, (size_t)(m->size[d] * m->size[i]) * sizeof(double));
        }
}

/* What the elements' tangents are added to, and σ. */
static void begin(vgTreeFill *f)
{
    const vgTree *s = f->s;
    for (int i = 0; i < s->nlink; i++) memset(f->w->extra + 108 * (size_t)i, 0, 108 * sizeof(double));
    vg_tree_pairs_clear(f->m->pairs);
    if (f->w->have_wrench) memcpy(f->m->wrench, f->w->wrench, (size_t)(6 * f->s->nlink) * sizeof(double));
    for (int i = 0; i < f->s->nlink; i++) memcpy(f->m->F + 6 * i, f->w->m[i].F, 6 * sizeof(double));
    for (int i = 0; i < s->nlink; i++) vg_tree_sigma(s, f->w, i, f->t, f->c, f->w->pivot + 6 * s->link[i].v0);
}

/* tangents 0: the rows of the rods alone */
static void add_near(vgTreeFill *f, int tangents)
{
    for (int i = 0; i < vg_tree_near_count(f->m->near); i++)
        vg_tree_near_add(f->m->near, f->w, tangents ? f->t : NULL, f->c, i);
}

static void fill(vgTreeFill *f)
{
    if (f->keep)
        clear_rows(f);
    else
        clear(f);
    if (f->rows || f->keep) {
        add_near(f, 0);
        add_rows(f);
        return;
    }
    if (!f->t && !f->s->native_inertia) {
        add_near(f, 0);
        vg_tree_composite(f->s, f->w, mass_column, f);
    } else {
        begin(f);
        add_near(f, 1);
        vg_tree_force_tangents(f);
        for (int at = 0; f->t && at < f->w->native_motion.nlist; at++) vg_tree_closure_tangent(f, at);
        add_tree(f);
    }
    add_rows(f);
}

/* Which equation a failed factorisation of the matrix means. */
static vgStatus conclude(vgTreeFill *f, vgStatus st)
{
    f->w->base.bad_row = -1;
    if (st == VG_OK) return st;
    int bad = vg_lin_bad_row(f->m->lin);
    for (int k = 0; k < f->s->base.nv && bad >= 0; k++)
        if (f->m->v_at[k] == bad) f->w->base.bad_row = k;
    if (bad >= 0 && f->m->row_of[bad] >= 0) f->w->base.bad_row = f->s->base.nv + f->m->row_of[bad];
    return st;
}

static vgStatus fill_and_factor(vgTreeFill *f)
{
    fill(f);
    f->w->base.factorisations++;
    vg_lin_leave_out(f->m->lin, f->s->base.nl, f->m->row_at, f->w->base.active);
    return conclude(f, vg_lin_factor(f->m->lin));
}

vgStatus vg_tree_factor_mass(const vgTree *s, vgTreeWork *w, double t)
{
    vgTreeCoef c = {0, 0, 1};
    vgTreeFill f = {.s = s, .w = w, .m = w->matrix, .c = &c, .time = t};
    if (s->base.nv == 0) return VG_OK;
    return fill_and_factor(&f);
}

/* Elements, gradients and multipliers at the point of the tangent, where the last residual was. */
static void look(const vgTree *s, vgTreeWork *w, const vgTangent *p)
{
    const vgSystem *sys = &s->base;
    if (w->stiffness && !p->mass && !p->keep)
        vg_tree_joint_forces(s, w, p->t, p->q, p->v, p->a, w->stiffness, w->damping);
    if (!s->explicit_matrix || sys->nl == 0) return;
    for (int i = 0; i < w->native_motion.nlist; i++)
        if (vg_tree_near_prim(w->matrix->near, w->native_motion.list[i]) != 1)
            vg_native_prim(&w->native_motion, w->native_motion.list[i], p->t, VG_PRIM_GRADIENT);
    for (int r = 0; r < sys->nl && !p->mass; r++) w->lambda_model[s->row_model[r]] = p->lambda[r];
}

static void prepare(const vgTree *s, vgTreeWork *w, const vgTangent *p)
{
    if (!p->reuse)
        vg_tree_residual(&s->base, &w->base, p->t, p->q, p->v, p->a, p->lambda, w->scratch_r, NULL);
    look(s, w, p);
}

vgStatus vg_tree_assemble(const vgSystem *sys, vgWork *work, const vgTangent *p, vgSaddle *out)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    *out = (vgSaddle){w->matrix->lin, w->matrix->v_at, w->matrix->row_at};
    if (!p) return VG_OK;
    vgTreeCoef c = p->mass     ? (vgTreeCoef){0, 0, 1}
                   : p->ca > 0 ? (vgTreeCoef){p->cv / p->ca, 1 / p->ca, 1}
                               : (vgTreeCoef){0, 1, 0};
    vgTreeFill f = {.s = s,
                    .w = w,
                    .m = w->matrix,
                    .t = p->mass ? NULL : p,
                    .c = &c,
                    .time = p->t,
                    .rows = p->rows,
                    .keep = p->keep};
    prepare(s, w, p);
    fill(&f);
    return VG_OK;
}

void vg_tree_force_blocks(const vgTree *s, vgTreeWork *w, const vgTangent *p)
{
    const vgTreeCoef c = {1, 1, 1};
    vgTreeFill f = {.s = s, .w = w, .t = p, .c = &c, .time = p->t};
    prepare(s, w, p);
    if (!w->extra_of) return;
    clear_extra(s, w);
    vg_tree_force_tangents(&f);
}

vgStatus vg_tree_factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    if (sys->nv == 0) return VG_OK;
    if (!s->explicit_matrix) {
        work->factorisations++;
        vg_tree_force_blocks(s, w, p);
        return vg_tree_factor_tree(s, w, p);
    }
    vgTreeCoef c = vg_tree_coef(p);
    vgTreeFill f = {.s = s, .w = w, .m = w->matrix, .t = p, .c = &c, .time = p->t, .keep = p->keep};
    prepare(s, w, p);
    return fill_and_factor(&f);
}

/* ---- in pieces ---- */

enum { MOTION, WRENCH, BALANCE, BEGIN, NEAR, FORCE, FOURS, CLOSURE, LINK, ROWS, NTASK };

static int count_fours(const vgTreeWork *w)
{
    const vgFours *x = &w->native_motion.fours;
    int n = 0;
    for (int i = 0; x->of && i < x->ngroup; i = vg_fours_next(x, i)) n++;
    return n;
}

static vgTasks tasks(const vgTree *s, const vgTreeWork *w)
{
    int nforce = s->base.model->nforce, links = s->nlink, rows = w->native_motion.nlist,
        full = s->explicit_matrix;
    int native = s->nnative_force > 0 || s->base.nl > 0;
    return (vgTasks){
        .n = {[MOTION] = 1,
              [WRENCH] = native ? nforce : 0,
              [BALANCE] = 1,
              [BEGIN] = 1,
              [NEAR] = full ? vg_tree_near_count(w->matrix->near) : 0,
              [FORCE] = full || w->extra_of ? nforce : 0,
              [FOURS] = full || w->extra_of ? count_fours(w) : 0,
              [CLOSURE] = full ? rows : 0,
              [LINK] = links,
              [ROWS] = full ? rows : 0},
        .cost = {[MOTION] = (s->nnative_force > 0 ? 110. : 55.) * links,
                 [BALANCE] = 50. * links + 40. * rows,
                 [BEGIN] = full ? 35. * s->base.nv : 10,
                 [NEAR] = 250,
                 [FOURS] = 500,
                 [LINK] = 260,
                 [ROWS] = 80},
    };
}

/* Costs of the pieces of a task: elements by the bodies they touch, links by their coordinates and those before
 * them. */
static void refine(const vgTree *s, const vgTreeWork *w, const vgTasks *x, double *cost)
{
    const vgModel *m = s->base.model;
    int wrench = vg_tasks_first(x, WRENCH), force = vg_tasks_first(x, FORCE),
        closure = vg_tasks_first(x, CLOSURE), link = vg_tasks_first(x, LINK);
    for (int f = 0; f < m->nforce; f++) {
        int nu = s->joint_force[f].v < 0 ? w->force[f].nu : 0;
        if (x->n[WRENCH]) cost[wrench + f] = 20 + 90 * nu;
        int quick = (w->native_motion.fours.of && w->native_motion.fours.tangent[f]) ||
                    (w->matrix && vg_tree_near_force(w->matrix->near, f));
        if (x->n[FORCE]) cost[force + f] = quick ? 5 : 20 + 280 * nu * nu;
    }
    for (int i = 0; i < x->n[CLOSURE]; i++) {
        const vgPrim *p = &m->prim[w->native_motion.list[i]];
        int quick = vg_prim_is_point(p) || vg_prim_is_rod(p);
        cost[closure + i] = vg_tree_near_prim(w->matrix->near, w->native_motion.list[i]) ? 20
                            : quick                                                      ? 140
                                    : 900 * vg_prim_terms(p);
    }
    for (int k = 0; k < s->nlink && s->explicit_matrix; k++) {
        int i = s->order[s->nlink - 1 - k];
        cost[link + k] = 200 + (60 + 70 * w->matrix->depth[i]) * s->link[i].nv;
    }
}

int vg_tree_pieces(const vgSystem *sys, const vgWork *work, double *cost, int *assembled)
{
    const vgTree *s = (const vgTree *)sys;
    const vgTreeWork *w = (const vgTreeWork *)work;
    if (sys->nv == 0) return 0;
    vgTasks x = tasks(s, w);
    int n = vg_tasks_count(&x, cost);
    if (cost) refine(s, w, &x, cost);
    if (assembled) *assembled = n;
    return s->explicit_matrix ? n + vg_lin_pieces(w->matrix->lin, cost ? cost + n : NULL) : n;
}

vgStatus vg_tree_piece(const vgSystem *sys, vgWork *work, const vgTangent *p, int i)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vgTreeCoef c = vg_tree_coef(p);
    vgTreeFill f = {.s = s, .w = w, .m = w->matrix, .t = p, .c = &c, .time = p->t};
    vgTasks x = tasks(s, w);
    int k, task = vg_tasks_find(&x, i, &k);
    if (i == 0) work->bad_row = -1;
    if (task == MOTION && !p->reuse) {
        vg_tree_move(s, w, p->q, p->v, p->a);
        vg_tree_joint_forces(s, w, p->t, p->q, p->v, p->a, NULL, NULL);
        vg_tree_wrenches_begin(s, w);
    } else if (task == WRENCH && !p->reuse) {
        vg_tree_wrench_of(s, w, p->t, k);
    } else if (task == BALANCE) {
        if (!p->reuse) {
            vg_tree_wrenches_end(s, w, p->t, p->lambda, NULL);
            vg_tree_collect(s, w, NULL);
        }
        look(s, w, p);
    } else if (task == BEGIN) {
        work->factorisations++;
        if (s->explicit_matrix) {
            clear(&f);
            begin(&f);
        } else if (w->extra_of) {
            clear_extra(s, w);
        }
    } else if (task == NEAR) {
        vg_tree_near_add(w->matrix->near, w, p, &c, k);
    } else if (task == FORCE) {
        vg_tree_force_tangent(&f, k);
    } else if (task == FOURS) {
        int at = 0;
        while (k-- > 0) at = vg_fours_next(&w->native_motion.fours, at);
        vg_tree_four_tangent(&f, at);
    } else if (task == CLOSURE) {
        vg_tree_closure_tangent(&f, k);
    } else if (task == LINK) {
        if (!s->explicit_matrix) return vg_tree_factor_link(s, w, p, &c, s->nlink - 1 - k);
        add_link(&f, s->order[s->nlink - 1 - k]);
    } else if (task == ROWS) {
        add_rows_of(&f, k);
    } else if (task < 0) {
        if (k == 0) vg_lin_leave_out(w->matrix->lin, sys->nl, w->matrix->row_at, work->active);
        return conclude(&f, vg_lin_piece(w->matrix->lin, k));
    }
    return VG_OK;
}

static void solve_by(const vgSystem *sys, vgWork *work, void (*solve)(vgLin *, double *), double *x_v,
                     double *x_l)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vgTreeMatrix *m = w->matrix;
    if (sys->nv == 0) return;
    if (!m) {
        vg_tree_solve_tree(s, w, x_v);
        return;
    }
    for (int k = 0; k < sys->nv; k++) m->x[m->v_at[k]] = x_v[k];
    for (int r = 0; r < sys->nl; r++)
        if (m->row_at[r] >= 0) m->x[m->row_at[r]] = x_l[r];
    solve(m->lin, m->x);
    for (int k = 0; k < sys->nv; k++) x_v[k] = m->x[m->v_at[k]];
    for (int r = 0; r < sys->nl; r++) x_l[r] = m->row_at[r] >= 0 ? m->x[m->row_at[r]] : 0;
}

void vg_tree_solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    solve_by(sys, work, work->refined ? vg_lin_solve_refined : vg_lin_solve, x_v, x_l);
}

void vg_tree_solve_at_once(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
{
    solve_by(sys, work, vg_lin_solve_at_once, x_v, x_l);
}

/* Relative coordinates: the explicit stage matrix, for loops and for forces between links.
 *
 * Nodes are runs of joints without branches and the closing joints' rows. The blocks of a joint and its
 * ancestors come from composite 𝔸 (relative_tangent.c) without elimination: with col = 𝔸_i σ_i carried to an
 * ancestor j the block (j,i) is S_jᵀ col, with h = S_iᵀ 𝔸_i carried likewise the block (i,j) is h σ_j. */
#include <string.h>

#include "system/pieces.h"
#include "system/relative_tangent.h"

/* ---- filling ---- */

typedef struct Fill {
    const vgTree *s;
    vgTreeWork *w;
    vgTreeMatrix *m;
    const vgTangent *t; /* NULL: mass alone */
    const vgTreeCoef *c;
    double time;
    int first; /* of the columns of the element at hand: 0 it feels accelerations, 6 velocities, 12 positions
                  alone */
    int rows;  /* the closing rows alone */
    int keep;  /* they alone are made anew */
} Fill;

/* Native K, C (of r: sign) and M as 6×18 in spatial form, bodies u (rows) and v (columns). */
static void to_spatial(const Fill *f, int u, int v, const double *K, const double *C, const double *M, int ld,
                       double sign, double *A)
{
    const vgKin *ku = &f->w->native_motion.kin[u], *kv = &f->w->native_motion.kin[v];
    const vgLinkMotion *mv = &f->w->m[f->s->link_of[v]];
    vgVec3 dv = vg_add3(vg_load3(mv->A), vg_cross3(mv->w, mv->v)), zero = vg_zero3();
    double row[6][18];
    int from = M ? 0 : C ? 6 : 12; /* columns of accelerations, velocities, positions that there are */
    for (int r = 0; r < 6; r++) {
        vgVec3 a = K ? vg_scale3(vg_load3(K + r * ld), sign) : zero;
        vgVec3 b = K ? vg_scale3(vg_mv3(kv->R, vg_load3(K + r * ld + 3)), sign) : zero;
        if (C) {
            vgVec3 c = vg_scale3(vg_load3(C + r * ld), sign);
            vgVec3 e = vg_scale3(vg_mv3(kv->R, vg_load3(C + r * ld + 3)), sign);
            b = vg_add3(b, vg_cross3(mv->v, c));
            vg_store3(c, row[r] + 6);
            vg_store3(e, row[r] + 9);
        }
        if (M) {
            vgVec3 x = vg_load3(M + r * ld), g = vg_mv3(kv->R, vg_load3(M + r * ld + 3));
            vgVec3 e = C ? vg_load3(row[r] + 9) : zero;
            b = vg_add3(b, vg_cross3(dv, x));
            if (!C) vg_store3(zero, row[r] + 6);
            vg_store3(vg_sub3(e, vg_axpy3(2, vg_cross3(x, mv->v), vg_cross3(g, mv->w))), row[r] + 9);
            vg_store3(x, row[r]);
            vg_store3(g, row[r] + 3);
        }
        vg_store3(a, row[r] + 12);
        vg_store3(b, row[r] + 15);
    }
    for (int k = from; k < 18; k++) {
        vgVec3 T = vg_mv3(ku->R, vg_v3(row[3][k], row[4][k], row[5][k]));
        for (int r = 0; r < 3; r++) A[18 * r + k] += row[r][k];
        A[54 + k] += T.x, A[72 + k] += T.y, A[90 + k] += T.z;
    }
}

/* δF_u = A y_v of a link and its parent, kept for the elimination: everything about the link's centre. */
static void add_neighbours(const Fill *f, int u, int v, const double *A)
{
    int child = f->s->link[u].parent == v, i = child ? u : v;
    vgVec3 d = f->w->m[i].d;
    double B[108], *to = f->w->cross + 216 * (size_t)f->w->cross_of[i] + (child ? 0 : 108);
    memcpy(B, A, sizeof B);
    for (int r = 0; child && r < 6; r++) vg_tree_carry_row(B + 18 * r, vg_neg3(d));
    for (int k = 0; !child && k < 18; k++) {
        double x = B[k], y = B[18 + k], z = B[36 + k];
        B[54 + k] -= d.y * z - d.z * y;
        B[72 + k] -= d.z * x - d.x * z;
        B[90 + k] -= d.x * y - d.y * x;
    }
    for (int k = 0; k < 108; k++) to[k] += B[k];
}

/* A pair of bodies of an element: on one link into its 𝔸, else across. */
static void add_pair(Fill *f, int u, int v, const double *K, const double *C, const double *M, int ld,
                     double sign)
{
    int lu = f->s->link_of[u], lv = f->s->link_of[v];
    if (lu != lv && !f->m) {
        double A[108] = {0};
        to_spatial(f, u, v, K, C, M, ld, sign, A);
        add_neighbours(f, lu, lv, A);
        return;
    }
    if (lu != lv) {
        int from = M ? 0 : C ? 6 : 12;
        to_spatial(f, u, v, K, C, M, ld, sign, vg_tree_pair_block(f->m->pairs, lu, lv, from));
    } else if (f->w->extra_of && f->w->extra_of[lu] >= 0) {
        to_spatial(f, u, v, K, C, M, ld, sign, f->w->extra + 108 * (size_t)f->w->extra_of[lu]);
    }
}

static void add_force_tangent(Fill *f, int i)
{
    const vgModel *mo = f->s->base.model;
    vgNative *x = &f->w->native_motion;
    const vgForcePlace *pl = &f->w->force[i];
    int inertial = mo->force[i].setup.inertial && f->c->one > 0;
    if (f->s->joint_force[i].v >= 0 || pl->nu == 0 || (!f->t && !inertial)) return;
    if (f->m && vg_tree_near_force(f->m->near, i)) return;
    f->first = inertial ? 0 : f->t && mo->force[i].setup.velocity ? 6 : f->t ? 12 : 0;
    if (f->m && f->t && pl->alone && mo->force[i].kind->direct) {
        vgForceDirect direct;
        vg_native_force_direct(x, i, f->time, &direct);
        vg_tree_add_direct(f->s, f->w, f->m->pairs, mo->force[i].setup.body, &direct);
        return;
    }
    vg_native_force_local(x, i, f->time, 1);
    int ld = 6 * pl->nu;
    for (int u = 0; u < pl->nu; u++)
        for (int v = 0; v < pl->nu; v++) {
            int at = 6 * u * ld + 6 * v;
            add_pair(f, pl->body[u], pl->body[v], f->t ? x->Kl + at : NULL,
                     f->t && f->first < 12 ? x->Cl + at : NULL, inertial ? x->Ml + at : NULL, ld, -1);
        }
}

static void add_force_tangents(Fill *f)
{
    for (int i = 0; i < f->s->base.model->nforce; i++) add_force_tangent(f, i);
}

/* COINCIDE: a force ±λ fixed in W at the arm r turns with the arm only: ±[r][λ] on the rotation. */
static void add_coincide(const Fill *f, const vgPrim *p, const double *l)
{
    const vgNative *x = &f->w->native_motion;
    vgVec3 g = vg_v3(l[0], l[1], p->rows == 3 ? l[2] : 0);
    for (int side = 0; side < 2; side++) {
        int body = side ? p->b : p->a;
        if (body < 0) continue;
        vgVec3 r = vg_mv3(x->kin[body].R, side ? p->rb : p->ra);
        if (side) g = vg_neg3(g);
        double *A = f->w->extra + 108 * (size_t)f->w->extra_of[f->s->link_of[body]] + 54 + 15;
        double fr = vg_dot3(g, r), gv[3] = {g.x, g.y, g.z}, rv[3] = {r.x, r.y, r.z};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) A[18 * i + j] += gv[i] * rv[j];
            A[19 * i] -= fr;
        }
    }
}

static void add3(double *A, vgMat3 m)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[18 * i + j] += m.m[i][j];
}

/* DISTANCE: forces ∓g, g = k d, k = λ/c, at the arms r: δg = k (δP_b − δP_a), δP = δp − [r] δθ, and the
 * couple of the force with its arm as above. */
static void add_distance(const Fill *f, const vgPrim *p, double lambda)
{
    const vgNative *x = &f->w->native_motion;
    int body[2] = {p->a, p->b}, link[2];
    double k = lambda / p->c;
    vgVec3 r[2], d = vg_zero3();
    for (int s = 0; s < 2; s++) {
        const vgKin *kin = vg_native_kin(x, body[s]);
        link[s] = vg_tree_link(f->s, body[s]);
        r[s] = vg_mv3(kin->R, s ? p->rb : p->ra);
        d = vg_axpy3(s ? 1 : -1, vg_add3(kin->p, r[s]), d);
    }
    for (int s = 0; s < 2; s++)
        for (int o = 0; o < 2; o++) {
            if (link[s] < 0 || link[o] < 0) continue;
            double e = s == o ? k : -k;
            double *A = s == o ? f->w->extra + 108 * (size_t)f->w->extra_of[link[s]]
                               : vg_tree_pair_block(f->m->pairs, link[s], link[o], 12);
            vgMat3 rs = vg_mscale3(vg_skew3(r[s]), e), ro = vg_skew3(r[o]);
            vgMat3 turn = vg_mscale3(vg_mm3(rs, ro), -1);
            if (s == o) turn = vg_madd3(turn, vg_mm3(ro, vg_skew3(vg_scale3(d, s ? k : -k))));
            for (int i = 0; i < 3; i++) A[19 * i + 12] += e;
            add3(A + 15, vg_mscale3(ro, -e));
            add3(A + 54 + 12, rs);
            add3(A + 54 + 15, turn);
        }
}

/* A displacement along an axis of A, driven or coupled: the force −λ α on b turns with a. */
static void add_slide(const Fill *f, int measure, double lambda)
{
    const vgNative *x = &f->w->native_motion;
    const vgMeasure *me = &f->s->base.model->measure[measure].measure;
    const vgKin *ka = vg_native_kin(x, me->A.body), *kb = vg_native_kin(x, me->B.body);
    vgForceDirect d = {.how = VG_DIRECT_FRAME,
                       .F = vg_scale3(vg_load3(x->measure[measure].grad + 6), -lambda)};
    d.r[1] = vg_mv3(kb->R, me->B.r);
    d.r[0] = vg_sub3(vg_add3(kb->p, d.r[1]), ka->p);
    vg_tree_add_direct(f->s, f->w, f->m->pairs, (int[2]){me->A.body, me->B.body}, &d);
}

/* A measure that is a joint's coordinate: there is no stiffness, and what it does between the link and its
 * parent leaves what the recursion sees (relative_near.c). */
static void leave(const Fill *f, int measure, double lambda)
{
    const vgNative *x = &f->w->native_motion;
    const vgMeasure *me = &f->s->base.model->measure[measure].measure;
    int body[2] = {me->A.body, me->B.body};
    for (int side = 0; side < 2; side++) {
        int i = vg_tree_link(f->s, body[side]);
        const double *g = x->measure[measure].grad + 6 * side;
        if (i < 0) continue;
        vgVec3 F = vg_scale3(vg_load3(g), -lambda),
               T = vg_scale3(vg_mv3(x->kin[body[side]].R, vg_load3(g + 3)), -lambda);
        double *to[2] = {f->m->wrench + 6 * i, f->m->F + 6 * i};
        for (int k = 0; k < (f->s->link[i].parent == vg_tree_link(f->s, body[1 - side]) ? 2 : 1); k++) {
            vg_store3(vg_add3(vg_load3(to[k]), F), to[k]);
            vg_store3(vg_add3(vg_load3(to[k] + 3), T), to[k] + 3);
        }
    }
}

/* Geometric stiffness of the closing joints: that of one primitive. */
static void add_closure_tangent(Fill *f, int at)
{
    const vgModel *mo = f->s->base.model;
    vgNative *x = &f->w->native_motion;
    const vgPrim *p = &mo->prim[x->list[at]];
    const double *l = f->w->lambda_model + p->row;
    int terms = p->kind == VG_PRIM_MEASURE ? p->nterm : 1;
    f->first = 12;
    if (vg_tree_near_prim(f->m->near, x->list[at])) {
        for (int k = 0; p->kind == VG_PRIM_MEASURE && k < terms; k++) leave(f, p->measure[k], l[0] * p->k[k]);
        return;
    }
    if (p->kind == VG_PRIM_COINCIDE) {
        add_coincide(f, p, l);
        return;
    }
    if (p->kind == VG_PRIM_DISTANCE && !p->law) {
        add_distance(f, p, l[0]);
        return;
    }
    for (int k = 0; k < terms; k++) {
        int ab[2] = {p->a, p->b};
        double K[144] = {0};
        if (p->kind == VG_PRIM_MEASURE) {
            const vgMeasure *me = &mo->measure[p->measure[k]].measure;
            if (me->kind == VG_MEASURE_DISPLACEMENT) {
                add_slide(f, p->measure[k], l[0] * p->k[k]);
                continue;
            }
            ab[0] = me->A.body, ab[1] = me->B.body;
            vg_measure_hessian(me, vg_native_kin(x, ab[0]), vg_native_kin(x, ab[1]), l[0] * p->k[k], K);
        } else {
            vg_prim_stiffness(p, vg_native_kin(x, ab[0]), vg_native_kin(x, ab[1]), l, K);
        }
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                if (ab[a] >= 0 && ab[b] >= 0)
                    add_pair(f, ab[a], ab[b], K + 72 * a + 6 * b, NULL, NULL, 12, 1);
    }
}

static void add_closure_tangents(Fill *f)
{
    for (int at = 0; at < f->w->native_motion.nlist; at++) add_closure_tangent(f, at);
}

/* ---- closing rows ---- */

static void emit_row(void *user, int prim, int row, int link, const double *e)
{
    const Fill *f = user;
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

static void add_rows_of(Fill *f, int at)
{
    const vgNative *x = &f->w->native_motion;
    const vgPrim *p = &f->s->base.model->prim[x->list[at]];
    if (vg_tree_near_prim(f->m->near, x->list[at]) == 1) return;
    for (int r = 0; r < p->rows; r++)
        if (f->m->local_row[f->s->model_row[p->row + r]] >= 0)
            vg_tree_walk_row(f->s, f->w, f->m, x->list[at], r, emit_row, f);
}

static void add_rows(Fill *f)
{
    for (int at = 0; at < f->w->native_motion.nlist; at++) add_rows_of(f, at);
}

/* ---- the composite recursion ---- */

/* Blocks of link i with itself and its ancestors. */
static void add_joint(const Fill *f, int i, const double *A, const double *SF)
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
    const Fill *f = user;
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

static void add_link(Fill *f, int i)
{
    const vgTree *s = f->s;
    vgTreeWork *w = f->w;
    const vgLink *l = &s->link[i];
    double *A = vg_tree_link_block(s, w, i, w->have_wrench ? f->m->wrench + 6 * i : NULL);
    if (l->nv > 0) add_joint(f, i, A, w->pivot + 6 * l->v0);
    vg_tree_pairs_joint(s, w, f->m, i);
    if (l->parent >= 0) vg_tree_carry_block(A, w->m[i].d, w->slots + 108 * s->link[l->parent].slot, l->first);
}

static void add_tree(Fill *f)
{
    for (int i = f->s->nlink - 1; i >= 0; i--) add_link(f, i);
}

static void clear_extra(const vgTree *s, vgTreeWork *w)
{
    for (int i = 0; w->extra_of && i < s->nlink; i++)
        if (w->extra_of[i] >= 0) memset(w->extra + 108 * (size_t)w->extra_of[i], 0, 108 * sizeof(double));
    for (int i = 0; w->cross_of && i < s->nlink; i++)
        if (w->cross_of[i] >= 0) memset(w->cross + 216 * (size_t)w->cross_of[i], 0, 216 * sizeof(double));
}

static void clear(Fill *f)
{
    size_t n;
    double *values = vg_lin_values(f->m->lin, &n);
    memset(values, 0, n * sizeof *values);
}

/* The closing rows alone, with their mirrors or columns. */
static void clear_rows(const Fill *f)
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
static void begin(Fill *f)
{
    clear_extra(f->s, f->w);
    vg_tree_pairs_clear(f->m->pairs);
    if (f->w->have_wrench) memcpy(f->m->wrench, f->w->wrench, (size_t)(6 * f->s->nlink) * sizeof(double));
    for (int i = 0; i < f->s->nlink; i++) memcpy(f->m->F + 6 * i, f->w->m[i].F, 6 * sizeof(double));
    for (int i = 0; i < f->s->nlink; i++)
        vg_tree_sigma(f->s, f->w, i, f->t, f->c, f->w->pivot + 6 * f->s->link[i].v0);
}

/* tangents 0: the rows of the rods alone */
static void add_near(Fill *f, int tangents)
{
    for (int i = 0; i < vg_tree_near_count(f->m->near); i++)
        vg_tree_near_add(f->m->near, f->w, tangents ? f->t : NULL, f->c, i);
}

static void fill(Fill *f)
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
        add_force_tangents(f);
        if (f->t) add_closure_tangents(f);
        add_tree(f);
    }
    add_rows(f);
}

/* Which equation a failed factorisation of the matrix means. */
static vgStatus conclude(Fill *f, vgStatus st)
{
    f->w->base.bad_row = -1;
    if (st == VG_OK) return st;
    int bad = vg_lin_bad_row(f->m->lin);
    for (int k = 0; k < f->s->base.nv && bad >= 0; k++)
        if (f->m->v_at[k] == bad) f->w->base.bad_row = k;
    if (bad >= 0 && f->m->row_of[bad] >= 0) f->w->base.bad_row = f->s->base.nv + f->m->row_of[bad];
    return st;
}

static vgStatus fill_and_factor(Fill *f)
{
    fill(f);
    f->w->base.factorisations++;
    return conclude(f, vg_lin_factor(f->m->lin));
}

vgStatus vg_tree_factor_mass(const vgTree *s, vgTreeWork *w, double t)
{
    vgTreeCoef c = {0, 0, 1};
    Fill f = {.s = s, .w = w, .m = w->matrix, .c = &c, .time = t};
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
    Fill f = {.s = s,
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

vgStatus vg_tree_factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vgTreeCoef c = vg_tree_coef(p);
    Fill f = {.s = s, .w = w, .m = w->matrix, .t = p, .c = &c, .time = p->t, .keep = p->keep};
    int made = w->by_residual == 2 && p->reuse && p->cv == w->ahead.cv && p->ca == w->ahead.ca;
    w->by_residual = 0;
    if (sys->nv == 0) return VG_OK;
    if (made) {
        work->factorisations++;
        return w->ahead_status;
    }
    prepare(s, w, p);
    if (s->explicit_matrix) return fill_and_factor(&f);
    work->factorisations++;
    if (w->extra_of) {
        clear_extra(s, w);
        add_force_tangents(&f);
    }
    return vg_tree_factor_tree(s, w, p, 0, NULL);
}

/* Where only inertia acts on the links, the residual's way to the ground is the elimination's too. */
void vg_tree_ahead(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    w->by_residual = !s->explicit_matrix && s->nnative_force == 0 && sys->nl == 0 && !w->stiffness &&
                     p->ca > 0 && !p->mass;
    w->ahead = *p;
}

/* ---- in pieces ---- */

enum { MOTION, WRENCH, BALANCE, BEGIN, NEAR, FORCE, CLOSURE, LINK, ROWS, NTASK };

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
              [CLOSURE] = full ? rows : 0,
              [LINK] = links,
              [ROWS] = full ? rows : 0},
        .cost = {[MOTION] = (s->nnative_force > 0 ? 110. : 55.) * links,
                 [BALANCE] = 50. * links + 40. * rows,
                 [BEGIN] = full ? 100. * s->base.nv : 10,
                 [NEAR] = 250,
                 [LINK] = 260,
                 [ROWS] = 80},
    };
}

/* What pieces of the same task cost one by one: elements by the bodies they touch, links by their coordinates
 * and those before them. */
static void refine(const vgTree *s, const vgTreeWork *w, const vgTasks *x, double *cost)
{
    const vgModel *m = s->base.model;
    int wrench = vg_tasks_first(x, WRENCH), force = vg_tasks_first(x, FORCE),
        closure = vg_tasks_first(x, CLOSURE), link = vg_tasks_first(x, LINK);
    for (int f = 0; f < m->nforce; f++) {
        int nu = s->joint_force[f].v < 0 ? w->force[f].nu : 0;
        if (x->n[WRENCH]) cost[wrench + f] = 20 + 90 * nu;
        if (x->n[FORCE]) cost[force + f] = 20 + 280 * nu * nu;
    }
    for (int i = 0; i < x->n[CLOSURE]; i++) {
        const vgPrim *p = &m->prim[w->native_motion.list[i]];
        int quick = p->kind == VG_PRIM_COINCIDE || (p->kind == VG_PRIM_DISTANCE && !p->law);
        cost[closure + i] = quick ? 140 : 900 * (p->kind == VG_PRIM_MEASURE ? p->nterm : 1);
    }
    for (int k = 0; k < s->nlink && s->explicit_matrix; k++) {
        const vgLink *l = &s->link[s->nlink - 1 - k];
        cost[link + k] = 200 + (60 + 70 * w->matrix->depth[s->nlink - 1 - k]) * l->nv;
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
    Fill f = {.s = s, .w = w, .m = w->matrix, .t = p, .c = &c, .time = p->t};
    vgTasks x = tasks(s, w);
    int k, task = vg_tasks_find(&x, i, &k);
    if (i == 0) work->bad_row = -1, w->by_residual = 0;
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
        add_force_tangent(&f, k);
    } else if (task == CLOSURE) {
        add_closure_tangent(&f, k);
    } else if (task == LINK) {
        int link = s->nlink - 1 - k;
        if (!s->explicit_matrix) return vg_tree_factor_link(s, w, p, &c, link);
        add_link(&f, link);
    } else if (task == ROWS) {
        add_rows_of(&f, k);
    } else if (task < 0) {
        return conclude(&f, vg_lin_piece(w->matrix->lin, k));
    }
    return VG_OK;
}

void vg_tree_solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l)
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
    vg_lin_solve(m->lin, m->x);
    for (int k = 0; k < sys->nv; k++) x_v[k] = m->x[m->v_at[k]];
    for (int r = 0; r < sys->nl; r++) x_l[r] = m->row_at[r] >= 0 ? m->x[m->row_at[r]] : 0;
}

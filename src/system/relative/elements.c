/* Relative coordinates: tangents of elements and of closing joints, into 𝔸 of the links they act on and the
 * pairs of links they are between (relative/tangent.c). */
#include <string.h>

#include "system/relative/tangent.h"

/* Native K, C (of r: sign) and M as 6×18 in spatial form, bodies u (rows) and v (columns). */
static void to_spatial(const vgTreeFill *f, int u, int v, const double *K, const double *C, const double *M,
                       int ld, double sign, double *A)
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
static void add_neighbours(const vgTreeFill *f, int u, int v, const double *A)
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
static void add_pair(vgTreeFill *f, int u, int v, const double *K, const double *C, const double *M, int ld,
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

/* Elements are taken four at a time where they can. */
static int by_fours(const vgTreeFill *f)
{
    return f->t && f->w->native_motion.fours.of && !f->w->base.held;
}

void vg_tree_force_tangent(vgTreeFill *f, int i)
{
    const vgModel *mo = f->s->base.model;
    vgNative *x = &f->w->native_motion;
    const vgForcePlace *pl = &f->w->force[i];
    int inertial = mo->force[i].setup.inertial && f->c->one > 0;
    if (f->s->joint_force[i].v >= 0 || pl->nu == 0 || (!f->t && !inertial)) return;
    if (f->m && vg_tree_near_force(f->m->near, i)) return;
    if (by_fours(f) && x->fours.tangent[i]) return;
    f->first = inertial ? 0 : f->t && mo->force[i].setup.velocity ? 6 : f->t ? 12 : 0;
    vg_native_force_local(x, i, f->time, 1);
    int ld = 6 * pl->nu;
    for (int u = 0; u < pl->nu; u++)
        for (int v = 0; v < pl->nu; v++) {
            int at = 6 * u * ld + 6 * v;
            add_pair(f, pl->body[u], pl->body[v], f->t ? x->Kl + at : NULL,
                     f->t && f->first < 12 ? x->Cl + at : NULL, inertial ? x->Ml + at : NULL, ld, -1);
        }
}

/* Of groups on single links, from group i on. What is applied counts with the opposite sign. */
void vg_tree_four_tangent(vgTreeFill *f, int i)
{
    const vgNative *x = &f->w->native_motion;
    const vgFourGroup *g = &x->fours.group[i];
    const int *body = g->body + VG_LANES * (g->nbody - 1);
    vgLane A[VG_FOUR_TANGENT];
    double *to[VG_LANES];
    if (!by_fours(f) || !vg_fours_tangent(&x->fours, i, x->kin, x->nbody, A)) return;
    for (int k = 0; k < VG_LANES; k++)
        to[k] = f->w->extra + 108 * (size_t)f->w->extra_of[f->s->link_of[body[k]]] + 6;
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 12; c += 4) {
            vg_lane_turn(A + 12 * r + c);
            for (int k = 0; k < g->n; k++) *(vgLaneLoose *)(to[k] + 18 * r + c) -= A[12 * r + c + k];
        }
}

void vg_tree_force_tangents(vgTreeFill *f)
{
    const vgFours *fours = &f->w->native_motion.fours;
    for (int i = 0; i < f->s->base.model->nforce; i++) vg_tree_force_tangent(f, i);
    for (int i = 0; by_fours(f) && i < fours->ngroup; i = vg_fours_next(fours, i)) vg_tree_four_tangent(f, i);
}

/* COINCIDE: a force ±λ fixed in W at the arm r turns with the arm only: ±[r][λ] on the rotation. */
static void add_coincide(const vgTreeFill *f, const vgPrim *p, const double *l)
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
static void add_distance(const vgTreeFill *f, const vgPrim *p, double lambda)
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

/* A measure that is a joint coordinate. It has no geometric stiffness; its force between the link and its parent
 * is not part of the recursion (relative/near.c). */
static void leave(const vgTreeFill *f, int measure, double lambda)
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
void vg_tree_closure_tangent(vgTreeFill *f, int at)
{
    const vgModel *mo = f->s->base.model;
    vgNative *x = &f->w->native_motion;
    const int prim = x->list[at];
    const vgPrim *p = &mo->prim[prim];
    const double *l = f->w->lambda_model + p->row;
    f->first = 12;
    if (vg_tree_near_prim(f->m->near, prim)) {
        for (int k = 0; k < p->nterm; k++) leave(f, p->measure[k], l[0] * p->k[k]);
        return;
    }
    const int written = (f->s->base.fast & VG_FAST_CLOSURES) != 0;
    if (written) f->w->base.taken |= VG_FAST_CLOSURES;
    if (written && vg_prim_is_point(p)) {
        add_coincide(f, p, l);
        return;
    }
    if (written && vg_prim_is_rod(p)) {
        add_distance(f, p, l[0]);
        return;
    }
    for (int k = 0; k < vg_prim_terms(p); k++) {
        double K[144];
        vgTerm e = vg_native_term(x, prim, k);
        const int ab[2] = {e.a, e.b};
        vg_native_term_stiffness(x, prim, k, l, K);
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                if (ab[a] >= 0 && ab[b] >= 0)
                    add_pair(f, ab[a], ab[b], K + 72 * a + 6 * b, NULL, NULL, 12, 1);
    }
}

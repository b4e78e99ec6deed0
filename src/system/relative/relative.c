/* Relative coordinates: set-up, and the table of operations. */
#include "system/relative/relative.h"
#include "system/tuning.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- maps between q, Δ, v ---- */

#define FOR_LINKS(s) for (const vgLink *l = (s)->link, *end = (s)->link + (s)->nlink; l < end; l++)

void vg_tree_retract(const vgSystem *sys, const double *q_r, const double *d, double *q)
{
    FOR_LINKS((const vgTree *)sys)
    {
        if (l->motion->retract)
            l->motion->retract(q_r + l->q0, d + l->v0, q + l->q0);
        else
            for (int i = 0; i < l->nv; i++) q[l->q0 + i] = q_r[l->q0 + i] + d[l->v0 + i];
    }
}

static void rel_local(const vgSystem *sys, const double *q_r, const double *q, double *d)
{
    FOR_LINKS((const vgTree *)sys)
    {
        if (l->motion->local)
            l->motion->local(q_r + l->q0, q + l->q0, d + l->v0);
        else
            for (int i = 0; i < l->nv; i++) d[l->v0 + i] = q[l->q0 + i] - q_r[l->q0 + i];
    }
}

static void rel_rates(const vgSystem *sys, const double *d, const double *q, const double *v, double *out)
{
    (void)q;
    FOR_LINKS((const vgTree *)sys)
    {
        if (l->motion->rates)
            l->motion->rates(d + l->v0, v + l->v0, out + l->v0);
        else
            for (int i = l->v0; i < l->v0 + l->nv; i++) out[i] = v[i];
    }
}

static void rel_twist(const vgSystem *sys, const double *d, const double *q, const double *d_dot, double *v)
{
    (void)q;
    FOR_LINKS((const vgTree *)sys)
    {
        if (l->motion->twist)
            l->motion->twist(d + l->v0, d_dot + l->v0, v + l->v0);
        else
            for (int i = l->v0; i < l->v0 + l->nv; i++) v[i] = d_dot[i];
    }
}

/* ---- motions of bodies without a joint and without spatial rotation ---- */

#define SLIDE(n)                                                                                             \
    static void slide_pose##n(const vgJointDef *def, const double *q, vgVec3 *r, vgMat3 *R)                  \
    {                                                                                                        \
        (void)def;                                                                                           \
        *r = vg_v3(q[0], n > 1 ? q[n > 1] : 0, n > 2 ? q[n > 2 ? 2 : 0] : 0);                                \
        *R = vg_eye3();                                                                                      \
    }                                                                                                        \
    static void slide_subspace##n(const vgJointDef *def, const double *q, double *S)                         \
    {                                                                                                        \
        (void)def, (void)q;                                                                                  \
        memset(S, 0, 6 * n * sizeof *S);                                                                     \
        for (int i = 0; i < n; i++) S[i * n + i] = 1;                                                        \
    }                                                                                                        \
    static void slide_from##n(const vgJointDef *def, vgVec3 r, vgMat3 R, double *q)                          \
    {                                                                                                        \
        (void)def, (void)R;                                                                                  \
        double x[3] = {r.x, r.y, r.z};                                                                       \
        memcpy(q, x, n * sizeof *q);                                                                         \
    }                                                                                                        \
    static const vgJointMotion slide##n = {                                                                  \
        .nq = n, .nv = n, .pose = slide_pose##n, .subspace = slide_subspace##n, .from_pose = slide_from##n};
SLIDE(1)
SLIDE(2)
SLIDE(3)

static const vgJointMotion *floating(const vgBody *b)
{
    switch (b->select.n) {
    case 6:
        return &vg_tree_floating;
    case 3:
        return b->select.at[2] == 5 ? &vg_motion_planar : &slide3;
    case 2:
        return &slide2;
    default:
        return &slide1;
    }
}

/* ---- links ---- */

static int same(vgMat3 a, vgMat3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void fill_link(vgTree *s, int i, int *q0, int *v0)
{
    const vgModel *m = s->base.model;
    const vgTreeNode *n = &s->tree->node[i];
    const vgBody *b = &m->body[n->body];
    vgLink *l = &s->link[i];
    const vgJoint *j = n->joint >= 0 ? &m->joint[n->joint] : NULL;
    vgFrame child = {0}, parent = {0};
    child.R = parent.R = vg_eye3();
    l->body = n->body;
    l->parent = n->parent;
    l->flipped = n->flipped;
    l->motion = j ? j->kind->motion : floating(b);
    l->def = j ? &j->def : &s->no_joint;
    if (j) {
        child = n->flipped ? j->def.A : j->def.B;
        parent = n->flipped ? j->def.B : j->def.A;
    }
    l->mass = b->mass;
    l->weightless = vg_body_is_weightless(b);
    l->Q = child.R;
    l->own_axes = same(l->Q, vg_eye3());
    l->J = vg_mm3(vg_mtm3(l->Q, b->inertia), l->Q);
    if (b->select.at[b->select.n - 1] != 5) l->J = vg_mzero3();
    l->rC = vg_mtv3(l->Q, child.r);
    l->E = parent.R;
    l->rP = parent.r;
    if (n->parent >= 0) {
        l->E = vg_mtm3(s->link[n->parent].Q, parent.R);
        l->rP = vg_mtv3(s->link[n->parent].Q, parent.r);
    }
    l->nq = l->motion->nq;
    l->nv = l->motion->nv;
    l->q0 = *q0, l->v0 = *v0;
    *q0 += l->nq, *v0 += l->nv;
    l->S = s->S + 6 * l->v0;
    vg_tree_classify(l, (s->base.fast & VG_FAST_JOINTS) != 0);
    if (l->motion->retract) s->base.vector_space = 0;
    double q[8] = {0}, S[36];
    uint64_t seed = 362436069u;
    vg_tree_try_q(l, &seed, q);
    vg_tree_local_subspace(l, q, S);
    for (int k = 0; k < l->nv; k++) {
        double turn = fabs(S[3 * l->nv + k]) + fabs(S[4 * l->nv + k]) + fabs(S[5 * l->nv + k]);
        s->scale[l->v0 + k] = turn < VG_COLUMN_TURNS && !vg_body_is_hidden(b) ? s->base.length : 1;
        s->v_body[l->v0 + k] = n->body;
        s->dof_link[l->v0 + k] = i;
    }
}

/* Accumulators: a link takes one when its last child is visited, and returns it when it is eliminated. */
static void share_slots(vgTree *s, int *pool)
{
    int top = 0;
    for (int i = 0; i < s->nlink; i++) s->link[i].leaf = 1, s->link[i].slot = -1;
    for (int i = s->nlink - 1; i >= 0; i--) {
        vgLink *l = &s->link[i];
        if (l->slot < 0) l->slot = top > 0 ? pool[--top] : s->nslot++;
        if (l->parent >= 0) {
            vgLink *p = &s->link[l->parent];
            p->leaf = 0;
            if (p->slot < 0) {
                p->slot = top > 0 ? pool[--top] : s->nslot++;
                l->first = 1;
            }
        }
        pool[top++] = l->slot;
    }
}

/* ---- forces along joint coordinates ---- */

/* Is the measure ±q + constant of one coordinate of this tree joint? Found out by trying. */
int vg_tree_coordinate(const vgSystem *sys, int measure, vgTreeCoordinate *out)
{
    const vgTree *s = (const vgTree *)sys;
    const vgModel *m = s->base.model;
    const vgMeasure *me = &m->measure[measure].measure;
    uint64_t seed = 521288629u;
    int bodies[2] = {me->A.body, me->B.body}, i = -1, child = 0;
    for (int k = 0; k < 2; k++) {
        int at = bodies[k] < 0 ? -1 : s->link_of[bodies[k]];
        int other = bodies[1 - k] < 0 ? -1 : s->link_of[bodies[1 - k]];
        if (at >= 0 && s->link[at].parent == other) i = at, child = k;
    }
    if (i < 0 || s->link[i].nq != s->link[i].nv) return 0;
    const vgLink *l = &s->link[i];
    vgMat3 Qp = l->parent >= 0 ? s->link[l->parent].Q : vg_eye3();
    for (int k = 0; k < 3; k++) {
        double q[8], S[36];
        vgMat3 R;
        vgVec3 r;
        vgKin kin[2] = {0};
        vg_tree_try_q(l, &seed, q);
        vg_tree_pose(l, q, &r, &R);
        vg_tree_local_subspace(l, q, S);
        kin[1 - child].R = vg_eye3(); /* the parent at the origin, in its body axes */
        vgMat3 T = vg_mm3(vg_mm3(Qp, l->E), R);
        kin[child].R = vg_mmt3(T, l->Q);
        kin[child].p = vg_sub3(vg_mv3(Qp, vg_add3(l->rP, vg_mv3(l->E, r))), vg_mv3(T, l->rC));
        vgMeasureOut o;
        vg_measure_eval(me, &kin[0], &kin[1], 0, 1, &o);
        int at = -1;
        double sign = 0;
        for (int c = 0; c < l->nv; c++) {
            vgVec3 Sv = vg_mv3(T, vg_v3(S[c], S[l->nv + c], S[2 * l->nv + c]));
            vgVec3 Sw = vg_mv3(l->Q, vg_v3(S[3 * l->nv + c], S[4 * l->nv + c], S[5 * l->nv + c]));
            double g =
                vg_dot3(vg_load3(o.grad + 6 * child), Sv) + vg_dot3(vg_load3(o.grad + 6 * child + 3), Sw);
            if (fabs(g) < VG_MEASURE_IS_ONE) continue;
            if (at >= 0 || fabs(fabs(g) - 1) > VG_MEASURE_IS_ONE) return 0;
            at = c;
            sign = g > 0 ? 1 : -1;
        }
        if (at < 0) return 0;
        vg_measure_eval(me, &kin[0], &kin[1], sign * q[at] + me->offset, 0, &o);
        double offset = o.value - sign * q[at];
        if (k > 0 &&
            (out->v != l->v0 + at || out->sign != sign || fabs(offset - out->offset) > VG_MEASURE_IS_ONE))
            return 0;
        if (k == 0) *out = (vgTreeCoordinate){l->v0 + at, l->q0 + at, sign, offset};
    }
    return 1;
}

static void sort_forces(vgTree *s)
{
    const vgModel *m = s->base.model;
    for (int f = 0; f < m->nforce; f++) {
        const vgForceSetup *su = &m->force[f].setup;
        vgTreeCoordinate *j = &s->joint_force[f];
        int external = 0;
        for (int l = 0; l < su->nlaw; l++) external += vg_law_nexternal(su->law[l]);
        if (!(s->base.fast & VG_FAST_ALONG) || su->nbody > 0 || su->nmeasure != 1 || external > 0 ||
            !vg_tree_coordinate(&s->base, su->measure[0], j)) {
            j->v = -1;
            s->nnative_force++;
        }
    }
}

/* A force between a link and its parent: the link, else −1. */
static int neighbours(const vgTree *s, const vgForcePlace *pl)
{
    if (pl->nu != 2) return -1;
    int a = s->link_of[pl->body[0]], b = s->link_of[pl->body[1]];
    return s->link[a].parent == b ? a : s->link[b].parent == a ? b : -1;
}

/* Whether accelerations and stages use the recursion or the explicit matrix. */
static void choose_ways(vgTree *s)
{
    const vgModel *m = s->base.model;
    s->explicit_mass = s->explicit_matrix = s->base.nl > 0 || !(s->base.fast & VG_FAST_TREE);
    for (int f = 0; f < m->nforce; f++) {
        vgForcePlace pl;
        if (s->joint_force[f].v >= 0) continue;
        vg_native_force_union(m, f, &pl);
        s->forces_measure |= !pl.alone;
        s->native_inertia |= m->force[f].setup.inertial;
        s->explicit_mass |= m->force[f].setup.inertial;
        s->explicit_matrix |= (pl.nu > 1 && neighbours(s, &pl) < 0) || m->force[f].setup.inertial;
    }
}

/* ---- system ---- */

static const vgSystemOps rel_ops;

static void place(vgTree *s, vgArena *a)
{
    const vgModel *m = s->base.model;
    s->link = VG_TAKE(a, vgLink, m->nbody + 1);
    s->S = VG_TAKE(a, double, 6 * s->base.nv + 6);
    s->link_of = VG_TAKE(a, int, m->nbody + 1);
    s->dof_link = VG_TAKE(a, int, s->base.nv + 1);
    s->closure = VG_TAKE(a, unsigned char, m->nprim + 1);
    s->row_model = VG_TAKE(a, int, m->nrow + 1);
    s->model_row = VG_TAKE(a, int, m->nrow + 1);
    s->measure_used = VG_TAKE(a, unsigned char, m->nmeasure + 1);
    s->joint_force = VG_TAKE(a, vgTreeCoordinate, m->nforce + 1);
    s->level = VG_TAKE(a, unsigned char, s->base.nl + 1);
    s->scale = VG_TAKE(a, double, s->base.nv + 1);
    s->closes = VG_TAKE(a, double, s->base.nv + 1);
    s->row_joint = VG_TAKE(a, int, s->base.nl + 1);
    s->v_body = VG_TAKE(a, int, s->base.nv + 1);
}

static void number_rows(vgTree *s)
{
    const vgModel *m = s->base.model;
    int row = 0;
    for (int i = 0; i < m->nprim; i++) {
        const vgPrim *p = &m->prim[i];
        s->closure[i] = s->tree->closure[p->joint];
        for (int r = 0; r < p->rows; r++) {
            s->model_row[p->row + r] = -1;
            if (!s->closure[i]) continue;
            s->model_row[p->row + r] = row;
            s->row_model[row] = p->row + r;
            s->level[row] = (unsigned char)p->level;
            s->row_joint[row++] = p->joint;
            if (p->level > s->any_level) s->any_level = p->level;
        }
    }
}

static void mark_measures(vgTree *s)
{
    const vgModel *m = s->base.model;
    vg_native_mark(m, s->closure, s->measure_used, &s->any_inertial);
    for (int f = 0; f < m->nforce; f++)
        if (s->joint_force[f].v >= 0) s->measure_used[m->force[f].setup.measure[0]] = 0;
    for (int f = 0; f < m->nforce; f++) { /* used by others as well */
        const vgForceSetup *su = &m->force[f].setup;
        for (int k = 0; s->joint_force[f].v < 0 && k < su->nmeasure; k++) s->measure_used[su->measure[k]] = 1;
        for (int l = 0; l < su->nlaw; l++)
            for (int k = 0; k < su->law[l]->ninput; k++)
                if (su->law[l]->slot[k] >= VG_LAW_LOCAL)
                    s->measure_used[(su->law[l]->slot[k] - VG_LAW_LOCAL) / 2] = 1;
    }
    for (int i = 0; i < m->nprim; i++)
        for (int k = 0; s->closure[i] && k < m->prim[i].nterm; k++)
            s->measure_used[m->prim[i].measure[k]] = 1;
    for (int i = 0; i < m->nmeasure; i++) s->nmeasure_used += s->measure_used[i];
}

static void rel_free(vgSystem *sys)
{
    vgTree *s = (vgTree *)sys;
    vg_arena_free(&s->arena);
    vg_arena_free(&s->fours);
    vg_topology_free(s->tree);
    free(s);
}

static vgStatus fill(vgTree *s)
{
    int q0 = 0, v0 = 0;
    int *pool = malloc(((size_t)s->nlink + 1) * sizeof *pool);
    if (!pool) return VG_NO_MEMORY;
    memcpy(s->link_of, s->tree->node_of, (size_t)s->nlink * sizeof(int));
    for (int i = 0; i < s->nlink; i++) fill_link(s, i, &q0, &v0);
    share_slots(s, pool);
    free(pool);
    number_rows(s);
    sort_forces(s);
    mark_measures(s);
    choose_ways(s);
    vg_tree_mark_closing(s);
    if (s->explicit_matrix) s->base.cost.tangent = 3;
    s->base.cost.rows_apart = s->explicit_matrix;
    return vg_tree_fours(s);
}

vgStatus vg_tree_new(const vgModel *m, const char *constraints, unsigned fast, vgSystem **out)
{
    vgTree *s = calloc(1, sizeof *s);
    if (!s) return VG_NO_MEMORY;
    s->base.ops = &rel_ops;
    s->base.model = m;
    s->base.fast = fast;
    s->base.length = vg_native_length(m);
    s->base.reach = 1;
    s->base.coordinates = "relative";
    s->base.constraints = constraints;
    s->base.vector_space = 1;
    s->base.second_order = 1;
    s->no_joint = vg_joint_def();
    s->nlink = m->nbody;
    vgStatus st = vg_topology_new(m, &s->tree);
    if (st == VG_OK) st = vg_topology_cut(s->tree, m);
    for (int i = 0; st == VG_OK && i < s->nlink; i++) {
        const vgTreeNode *n = &s->tree->node[i];
        const vgJointMotion *mo =
            n->joint >= 0 ? m->joint[n->joint].kind->motion : floating(&m->body[n->body]);
        s->base.nq += mo->nq;
        s->base.nv += mo->nv;
    }
    for (int j = 0; st == VG_OK && j < m->njoint; j++)
        if (s->tree->closure[j]) s->base.nl += m->joint[j].nrow;
    vgArena measure = {0};
    place(s, &measure);
    if (st == VG_OK) st = vg_arena_alloc(&s->arena, measure.used);
    if (st == VG_OK) {
        place(s, &s->arena);
        st = fill(s);
    }
    if (st != VG_OK) {
        rel_free(&s->base);
        return st;
    }
    s->base.row_level = s->level;
    s->base.v_scale = s->scale;
    s->base.row_joint = s->row_joint;
    s->base.v_body = s->v_body;
    s->base.njacobian = s->base.nl;
    *out = &s->base;
    return VG_OK;
}

/* ---- work ---- */

/* Places for the tangents of forces: links on which one acts (with the explicit matrix: all), pairs of
 * neighbours. Counts alone with NULL. */
static int number_extra(const vgTree *s, int *extra_of, int *cross_of, int *ncross)
{
    const vgModel *m = s->base.model;
    int n = 0, most = 0;
    *ncross = 0;
    if (s->nnative_force == 0 && s->base.nl == 0 && !s->explicit_matrix) return 0;
    for (int i = 0; extra_of && i < s->nlink; i++) extra_of[i] = s->explicit_matrix ? i : -1;
    for (int i = 0; cross_of && i < s->nlink; i++) cross_of[i] = -1;
    if (s->explicit_matrix) return s->nlink;
    for (int f = 0; f < m->nforce; f++) {
        vgForcePlace pl;
        if (s->joint_force[f].v >= 0) continue;
        vg_native_force_union(m, f, &pl);
        most += pl.nu;
        for (int u = 0; extra_of && u < pl.nu; u++) {
            int *at = &extra_of[s->link_of[pl.body[u]]];
            if (*at < 0) *at = n++;
        }
        int i = neighbours(s, &pl);
        if (i < 0) continue;
        if (!cross_of)
            ++*ncross;
        else if (cross_of[i] < 0)
            cross_of[i] = (*ncross)++;
    }
    return extra_of ? n : most;
}

static void place_work(const vgTree *s, vgTreeWork *w, vgArena *a)
{
    const vgModel *m = s->base.model;
    int nv = s->base.nv, nz = s->base.nq > nv ? s->base.nq : nv, cross,
        extra = number_extra(s, NULL, NULL, &cross);
    int tree = !s->explicit_matrix;
    vg_native_place(&w->native_motion, &s->base, s->nmeasure_used, s->closure, a);
    w->m = VG_TAKE(a, vgLinkMotion, s->nlink + 1);
    w->sine = VG_TAKE(a, double, 2 * s->nangle + 1);
    w->S = VG_TAKE(a, double, 6 * nv + 6);
    w->wrench = VG_TAKE(a, double, 6 * s->nlink + 6);
    w->native = VG_TAKE(a, double, 6 * m->nbody + 6);
    w->tau = VG_TAKE(a, double, nv + 1);
    w->rotor = VG_TAKE(a, double, nv + 1);
    w->U = VG_TAKE(a, double, 6 * nv + 6);
    w->D = VG_TAKE(a, double, 6 * nv + 6);
    w->u = VG_TAKE(a, double, nv + 1);
    w->acc = VG_TAKE(a, double, VG_TREE_INERTIA *(s->nslot + 1));
    w->slots = VG_TAKE(a, double, 108 * s->nslot + 108);
    w->sigma = VG_TAKE(a, double, 18 * nv + 18);
    w->h = VG_TAKE(a, double, tree ? 18 * nv + 18 : 1);
    w->col = VG_TAKE(a, double, tree ? 6 * nv + 6 : 1);
    w->pivot = VG_TAKE(a, double, 6 * nv + 6);
    w->y = VG_TAKE(a, double, tree ? 18 * s->nlink + 18 : 1);
    w->G = VG_TAKE(a, double, tree ? 6 * s->nlink + 6 : 1);
    w->lam = VG_TAKE(a, double, m->nrow + 1);
    w->phi = VG_TAKE(a, double, m->nrow + 1);
    w->dot = VG_TAKE(a, double, m->nrow + 1);
    w->ddot = VG_TAKE(a, double, m->nrow + 1);
    w->lambda_model = VG_TAKE(a, double, m->nrow + 1);
    w->xi = VG_TAKE(a, double, 6 * m->nbody + 6);
    w->scratch_r = VG_TAKE(a, double, nv + 1);
    w->zero = VG_TAKE(a, double, nz + 1);
    w->q_old = VG_TAKE(a, double, s->base.nq + 1);
    w->q_at = VG_TAKE(a, double, s->base.nq + 1);
    w->v_at = VG_TAKE(a, double, nv + 1);
    w->a_at = VG_TAKE(a, double, nv + 1);
    w->stiffness = s->nnative_force < m->nforce ? VG_TAKE(a, double, nv + 1) : NULL;
    w->damping = s->nnative_force < m->nforce ? VG_TAKE(a, double, nv + 1) : NULL;
    w->extra_of = extra ? VG_TAKE(a, int, s->nlink + 1) : NULL;
    w->extra = extra ? VG_TAKE(a, double, 108 * extra) : NULL;
    w->cross_of = cross ? VG_TAKE(a, int, s->nlink + 1) : NULL;
    w->cross = cross ? VG_TAKE(a, double, 216 * cross) : NULL;
    w->force = VG_TAKE(a, vgForcePlace, m->nforce + 1);
    w->base.watch = VG_TAKE(a, unsigned char, m->nmeasure + 1);
}

static void rel_free_work(vgWork *work)
{
    vgTreeWork *w = (vgTreeWork *)work;
    vg_tree_matrix_free(w->matrix);
    vg_arena_free(&w->arena);
    free(w);
}

static vgStatus rel_new_work(const vgSystem *sys, vgWork **out)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = calloc(1, sizeof *w);
    if (!w) return VG_NO_MEMORY;
    vgArena measure = {0};
    place_work(s, w, &measure);
    vgStatus st = vg_arena_alloc(&w->arena, measure.used);
    if (st == VG_OK) {
        place_work(s, w, &w->arena);
        w->base.sys = sys;
        w->base.bad_row = -1;
        vg_native_start(&w->native_motion, &w->base, s->measure_used, s->nmeasure_used, s->closure);
        w->native_motion.force = w->force;
        for (int f = 0; f < sys->model->nforce; f++) vg_native_force_union(sys->model, f, &w->force[f]);
        for (int i = 0; i < sys->model->nmeasure; i++) w->base.watch[i] = s->measure_used[i];
        for (int i = 0; i <= s->nlink; i++) w->m[i].R = vg_eye3();
        vg_store3(vg_neg3(sys->model->gravity), w->m[s->nlink].A);
        int ncross;
        if (w->extra_of) number_extra(s, w->extra_of, w->cross_of, &ncross);
        if (s->explicit_matrix) st = vg_tree_matrix_new(s, w, &w->matrix);
    }
    if (st != VG_OK) {
        rel_free_work(&w->base);
        return st;
    }
    *out = &w->base;
    return VG_OK;
}

/* Steps of a tree without native forces and loops leave the native motion untouched: an angle that is looked
 * at needs it. */
static void rel_accept(const vgSystem *sys, vgWork *work, double *turn)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    const vgModel *m = sys->model;
    int stale = s->nnative_force == 0 && sys->nl == 0;
    for (int i = 0; stale && i < m->nmeasure; i++)
        if (work->watch[i] && m->measure[i].measure.turn >= 0) {
            vg_tree_native(s, w, 0);
            stale = 0;
        }
    vg_native_accept(&w->native_motion, 0, turn);
}

static size_t rel_memory(const vgWork *work)
{
    const vgTreeWork *w = (const vgTreeWork *)work;
    return w->arena.size + vg_tree_matrix_memory(w->matrix);
}

/* Trees whose stages take the recursion have no matrix on a graph. */
static vgStatus rel_matrices(const vgSystem *sys, vgWork *work, const vgTangent *at, double *room, double *M,
                             double *C, double *K)
{
    return ((const vgTree *)sys)->explicit_matrix ? VG_LIMIT : vg_tree_matrices(sys, work, at, room, M, C, K);
}

static const vgSystemOps rel_ops = {
    .name = "relative",
    .free_system = rel_free,
    .new_work = rel_new_work,
    .free_work = rel_free_work,
    .memory = rel_memory,
    .accept = rel_accept,
    .retract = vg_tree_retract,
    .local = rel_local,
    .rates = rel_rates,
    .twist = rel_twist,
    .residual = vg_tree_residual,
    .factor = vg_tree_factor,
    .solve = vg_tree_solve,
    .assemble = vg_tree_assemble,
    .accel = vg_tree_accel,
    .levels = vg_tree_levels,
    .project_q = vg_tree_project_q,
    .row_terms = vg_tree_row_terms,
    .project_v = vg_tree_project_v,
    .jacobian = vg_tree_jacobian,
    .kinematics = vg_tree_kinematics,
    .reaction = vg_tree_reaction,
    .from_native = vg_tree_from_native,
    .pieces = {vg_tree_pieces, vg_tree_piece},
    .full = {VG_TREE_SHOWN, rel_matrices, vg_tree_above},
    .extra = {.levels_here = vg_tree_levels_here},
};

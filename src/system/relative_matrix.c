/* Relative coordinates: the explicit stage matrix, for loops and for forces between links.
 *
 * Nodes are runs of joints without branches and the closing joints' rows. The blocks of a joint and its
 * ancestors come from composite 𝔸 (relative_tangent.c) without elimination: with col = 𝔸_i σ_i carried to an
 * ancestor j the block (j,i) is S_jᵀ col, with h = S_iᵀ 𝔸_i carried likewise the block (i,j) is h σ_j. */
#include <stdlib.h>
#include <string.h>

#include "system/relative_tangent.h"

enum { MAX_NODE = 12 };

struct vgTreeMatrix {
    vgLin *lin;
    int nnode;             /* primal and dual */
    int *node, *off;       /* per link: its node (−1: no coordinates), place in it */
    int *size;             /* per node */
    int *joint_node;       /* per joint, −1: no active rows */
    int *local_row;        /* per row: place in its node, −1 inactive */
    unsigned char *mirror; /* per node: dual whose columns are its rows */
    double **block;        /* nnode × nnode addresses */
    int *v_at, *row_at;    /* places in the solve vector */
    int *row_of;           /* back: row or −1 */
    int *depth;            /* per link */
    double *x;
};

/* ---- the graph ---- */

typedef struct Graph {
    const vgTree *s;
    vgTreeMatrix *m;
    unsigned char *edge; /* nnode × nnode */
} Graph;

static void make_nodes(const vgTree *s, vgTreeMatrix *m, vgLinNode *node)
{
    int *kids = calloc((size_t)s->nlink + 1, sizeof(int)); /* links with coordinates that follow */
    for (int i = 0; i < s->nlink; i++) {
        m->depth[i] = s->link[i].parent < 0 ? 0 : m->depth[s->link[i].parent] + 1;
        if (s->link[i].parent >= 0 && kids) kids[s->link[i].parent]++;
    }
    for (int i = 0; i < s->nlink; i++) {
        const vgLink *l = &s->link[i];
        int p = l->parent;
        m->node[i] = -1;
        if (l->nv == 0) continue;
        if (p >= 0 && m->node[p] >= 0 && kids && kids[p] == 1 && node[m->node[p]].size + l->nv <= MAX_NODE) {
            m->node[i] = m->node[p];
        } else {
            m->node[i] = m->nnode;
            node[m->nnode++] = (vgLinNode){0, 0};
        }
        m->off[i] = node[m->node[i]].size;
        node[m->node[i]].size += l->nv;
    }
    free(kids);
}

static void make_duals(const vgTree *s, vgTreeMatrix *m, vgLinNode *node)
{
    const vgModel *mo = s->base.model;
    for (int j = 0; j < mo->njoint; j++) {
        int rows = 0, level = 0;
        m->joint_node[j] = -1;
        for (int p = mo->joint[j].prim0; p < mo->joint[j].prim0 + mo->joint[j].nprim; p++) {
            if (!s->closure[p]) continue;
            if (mo->prim[p].level > level) level = mo->prim[p].level;
            for (int r = 0; r < mo->prim[p].rows; r++) {
                int row = s->model_row[mo->prim[p].row + r];
                m->local_row[row] = s->base.row_active[row] ? rows++ : -1;
            }
        }
        if (!rows) continue;
        m->joint_node[j] = m->nnode;
        m->mirror[m->nnode] = level == 0;
        node[m->nnode++] = (vgLinNode){rows, 1};
    }
}

static void mark(Graph *g, int a, int b)
{
    if (a >= 0 && b >= 0 && a != b) g->edge[(size_t)a * (size_t)g->m->nnode + (size_t)b] = 1;
}

/* All pairs of the paths above links u and v (−1: ground). */
static void mark_pair(Graph *g, int u, int v)
{
    for (int i = u; i >= 0; i = g->s->link[i].parent)
        for (int j = v; j >= 0; j = g->s->link[j].parent) {
            mark(g, g->m->node[i], g->m->node[j]);
            mark(g, g->m->node[j], g->m->node[i]);
        }
}

static int link_of(const vgTree *s, int body)
{
    return body < 0 ? -1 : s->link_of[body];
}

/* The next link on the way from u and v to where their paths meet: the deeper of the two; −1: they have met.
 */
static int step_up(const vgTree *s, const vgTreeMatrix *m, int *u, int *v, int *side)
{
    if (*u == *v) return -1;
    int du = *u < 0 ? -1 : m->depth[*u], dv = *v < 0 ? -1 : m->depth[*v];
    *side = du >= dv ? 0 : 1;
    int *at = *side ? v : u, now = *at;
    *at = s->link[now].parent;
    return now;
}

static void mark_rows(Graph *g, int node, int u, int v)
{
    int side, i;
    while ((i = step_up(g->s, g->m, &u, &v, &side)) >= 0) mark(g, node, g->m->node[i]);
}

static void make_edges(Graph *g, const vgForcePlace *force)
{
    const vgTree *s = g->s;
    const vgModel *mo = s->base.model;
    for (int i = 0; i < s->nlink; i++) mark_pair(g, i, i);
    for (int f = 0; f < mo->nforce; f++) {
        if (s->joint_force[f].v >= 0) continue;
        for (int u = 0; u < force[f].nu; u++)
            for (int v = 0; v < u; v++)
                mark_pair(g, s->link_of[force[f].body[u]], s->link_of[force[f].body[v]]);
    }
    for (int p = 0; p < mo->nprim; p++) {
        const vgPrim *pr = &mo->prim[p];
        if (!s->closure[p]) continue;
        int terms = pr->kind == VG_PRIM_MEASURE ? pr->nterm : 1;
        for (int k = 0; k < terms; k++) {
            int a = pr->a, b = pr->b;
            if (pr->kind == VG_PRIM_MEASURE) {
                a = mo->measure[pr->measure[k]].measure.A.body;
                b = mo->measure[pr->measure[k]].measure.B.body;
            }
            mark_pair(g, link_of(s, a), link_of(s, b));
            if (g->m->joint_node[pr->joint] >= 0)
                mark_rows(g, g->m->joint_node[pr->joint], link_of(s, a), link_of(s, b));
        }
    }
}

static vgStatus make_lin(Graph *g, const vgLinNode *node)
{
    vgTreeMatrix *m = g->m;
    size_t n = (size_t)m->nnode, count = 0, at = 0;
    for (size_t i = 0; i < n * n; i++) count += g->edge[i];
    vgLinEdge *edge = malloc((count + 1) * sizeof *edge);
    if (!edge) return VG_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int dual = node[i].dual;
            if (!g->edge[i * n + j] || (!dual && j > i)) continue; /* primal pairs are marked both ways */
            edge[at++] = (vgLinEdge){(int)i, (int)j, dual ? m->mirror[i] : 0};
        }
    vgStatus st = vg_lin_new(m->nnode, node, (int)at, edge, VG_LIN_AUTO, &m->lin);
    free(edge);
    return st;
}

static void find_places(const vgTree *s, vgTreeMatrix *m, const vgLinNode *node)
{
    int n = m->nnode;
    for (int i = 0; i < n; i++) {
        m->size[i] = node[i].size;
        for (int j = 0; j < n; j++) m->block[(size_t)i * (size_t)n + (size_t)j] = vg_lin_block(m->lin, i, j);
    }
    for (int i = 0; i < vg_lin_size(m->lin); i++) m->row_of[i] = -1;
    for (int i = 0; i < s->nlink; i++)
        for (int k = 0; k < s->link[i].nv; k++)
            m->v_at[s->link[i].v0 + k] = vg_lin_offset(m->lin, m->node[i]) + m->off[i] + k;
    for (int r = 0; r < s->base.nl; r++) {
        m->row_at[r] = -1;
        if (m->local_row[r] < 0) continue;
        m->row_at[r] = vg_lin_offset(m->lin, m->joint_node[s->base.row_joint[r]]) + m->local_row[r];
        m->row_of[m->row_at[r]] = r;
    }
}

vgStatus vg_tree_matrix_new(const vgTree *s, vgTreeWork *w, vgTreeMatrix **out)
{
    const vgModel *mo = s->base.model;
    size_t nl = (size_t)s->nlink + 1, nj = (size_t)mo->njoint + 1, nr = (size_t)s->base.nl + 1;
    vgTreeMatrix *m = calloc(1, sizeof *m);
    if (!m) return VG_NO_MEMORY;
    vgLinNode *node = calloc(nl + nj, sizeof *node);
    Graph g = {.s = s, .m = m};
    m->node = calloc(nl, sizeof(int));
    m->off = calloc(nl, sizeof(int));
    m->depth = calloc(nl, sizeof(int));
    m->size = calloc(nl + nj, sizeof(int));
    m->mirror = calloc(nl + nj, 1);
    m->joint_node = calloc(nj, sizeof(int));
    m->local_row = calloc(nr, sizeof(int));
    m->row_at = calloc(nr, sizeof(int));
    m->v_at = calloc((size_t)s->base.nv + 1, sizeof(int));
    m->row_of = calloc((size_t)s->base.nv + nr, sizeof(int));
    m->x = calloc((size_t)s->base.nv + nr, sizeof(double));
    vgStatus st = node && m->node && m->off && m->depth && m->size && m->mirror && m->joint_node &&
                          m->local_row && m->row_at && m->v_at && m->row_of && m->x
                      ? VG_OK
                      : VG_NO_MEMORY;
    if (st == VG_OK) {
        make_nodes(s, m, node);
        make_duals(s, m, node);
        size_t n = (size_t)m->nnode;
        g.edge = calloc(n * n + 1, 1);
        m->block = calloc(n * n + 1, sizeof *m->block);
        st = g.edge && m->block ? VG_OK : VG_NO_MEMORY;
    }
    if (st == VG_OK && m->nnode > 0) {
        make_edges(&g, w->force);
        st = make_lin(&g, node);
        if (st == VG_OK) find_places(s, m, node);
    }
    free(g.edge);
    free(node);
    if (st != VG_OK) {
        vg_tree_matrix_free(m);
        return st;
    }
    *out = m;
    return VG_OK;
}

void vg_tree_matrix_free(vgTreeMatrix *m)
{
    if (!m) return;
    if (m->lin) vg_lin_free(m->lin);
    void *part[] = {m->node,      m->off,    m->depth, m->size,   m->mirror, m->joint_node,
                    m->local_row, m->row_at, m->v_at,  m->row_of, m->x,      m->block};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) free(part[i]);
    free(m);
}

size_t vg_tree_matrix_memory(const vgTreeMatrix *m)
{
    return m && m->lin ? vg_lin_memory(m->lin) : 0;
}

/* ---- filling ---- */

typedef struct Fill {
    const vgTree *s;
    vgTreeWork *w;
    vgTreeMatrix *m;
    const vgTangent *t; /* NULL: mass alone */
    const vgTreeCoef *c;
    double time;
} Fill;

static double *entry(const vgTreeMatrix *m, int i, int k, int j, int *ld)
{
    *ld = m->size[m->node[j]];
    return m->block[(size_t)m->node[i] * (size_t)m->nnode + (size_t)m->node[j]] + (m->off[i] + k) * *ld +
           m->off[j];
}

/* Native K, C (of r: sign) and M as 6×18 in spatial form, bodies u (rows) and v (columns). */
static void to_spatial(const Fill *f, int u, int v, const double *K, const double *C, const double *M, int ld,
                       double sign, double *A)
{
    const vgKin *ku = &f->w->native_motion.kin[u], *kv = &f->w->native_motion.kin[v];
    const vgLinkMotion *mv = &f->w->m[f->s->link_of[v]];
    vgVec3 dv = vg_add3(vg_load3(mv->A), vg_cross3(mv->w, mv->v)), zero = vg_zero3();
    double row[6][18];
    for (int r = 0; r < 6; r++) {
        vgVec3 a = K ? vg_scale3(vg_load3(K + r * ld), sign) : zero;
        vgVec3 b = K ? vg_scale3(vg_mv3(kv->R, vg_load3(K + r * ld + 3)), sign) : zero;
        vgVec3 c = C ? vg_scale3(vg_load3(C + r * ld), sign) : zero;
        vgVec3 e = C ? vg_scale3(vg_mv3(kv->R, vg_load3(C + r * ld + 3)), sign) : zero;
        vgVec3 x = M ? vg_load3(M + r * ld) : zero, g = M ? vg_mv3(kv->R, vg_load3(M + r * ld + 3)) : zero;
        e = vg_sub3(e, vg_axpy3(2, vg_cross3(x, mv->v), vg_cross3(g, mv->w)));
        b = vg_add3(b, vg_add3(vg_cross3(mv->v, c), vg_cross3(dv, x)));
        vgVec3 part[6] = {x, g, c, e, a, b};
        for (int k = 0; k < 6; k++) vg_store3(part[k], row[r] + 3 * k);
    }
    for (int k = 0; k < 18; k++) {
        vgVec3 T = vg_mv3(ku->R, vg_v3(row[3][k], row[4][k], row[5][k]));
        for (int r = 0; r < 3; r++) A[18 * r + k] += row[r][k];
        A[54 + k] += T.x, A[72 + k] += T.y, A[90 + k] += T.z;
    }
}

/* δF_u = A y_v: into the blocks of all joints above u and v. */
static void add_cross(const Fill *f, int u, int v, const double *A)
{
    const vgTree *s = f->s;
    const vgTreeWork *w = f->w;
    for (int i = v; i >= 0; i = s->link[i].parent) {
        vgVec3 d = vg_sub3(w->m[v].p, w->m[i].p);
        for (int k = 0; k < s->link[i].nv; k++) {
            double y[18], col[6];
            memcpy(y, w->sigma + 18 * (s->link[i].v0 + k), sizeof y);
            for (int b = 0; b < 18; b += 6)
                vg_store3(vg_add3(vg_load3(y + b), vg_cross3(vg_load3(y + b + 3), d)), y + b);
            for (int r = 0; r < 6; r++) col[r] = vg_tree_dot18(A + 18 * r, y);
            for (int j = u; j >= 0; j = s->link[j].parent) {
                vgVec3 F = vg_load3(col), T = vg_load3(col + 3);
                T = vg_add3(T, vg_cross3(vg_sub3(w->m[u].p, w->m[j].p), F));
                for (int e = 0; e < s->link[j].nv; e++) {
                    const double *S = w->S + 6 * (s->link[j].v0 + e);
                    int ld;
                    entry(f->m, j, e, i, &ld)[k] += vg_dot3(vg_load3(S), F) + vg_dot3(vg_load3(S + 3), T);
                }
            }
        }
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
                     double sign, int cross)
{
    int lu = f->s->link_of[u], lv = f->s->link_of[v];
    if (lu != lv && !f->m) {
        double A[108] = {0};
        to_spatial(f, u, v, K, C, M, ld, sign, A);
        add_neighbours(f, lu, lv, A);
        return;
    }
    if ((lu != lv) != cross) return;
    if (cross) {
        double A[108] = {0};
        to_spatial(f, u, v, K, C, M, ld, sign, A);
        add_cross(f, lu, lv, A);
    } else if (f->w->extra_of && f->w->extra_of[lu] >= 0) {
        to_spatial(f, u, v, K, C, M, ld, sign, f->w->extra + 108 * (size_t)f->w->extra_of[lu]);
    }
}

static void add_force_tangents(Fill *f, int cross)
{
    const vgModel *mo = f->s->base.model;
    vgNative *x = &f->w->native_motion;
    for (int i = 0; i < mo->nforce; i++) {
        const vgForcePlace *pl = &f->w->force[i];
        int inertial = mo->force[i].setup.inertial && f->c->one > 0;
        if (f->s->joint_force[i].v >= 0 || pl->nu == 0 || (!f->t && !inertial)) continue;
        if (cross && pl->nu < 2) continue;
        vg_native_force_local(x, i, f->time, 1);
        int ld = 6 * pl->nu;
        for (int u = 0; u < pl->nu; u++)
            for (int v = 0; v < pl->nu; v++) {
                int at = 6 * u * ld + 6 * v;
                add_pair(f, pl->body[u], pl->body[v], f->t ? x->Kl + at : NULL, f->t ? x->Cl + at : NULL,
                         inertial ? x->Ml + at : NULL, ld, -1, cross);
            }
    }
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

/* Geometric stiffness of the closing joints. */
static void add_closure_tangents(Fill *f, int cross)
{
    const vgModel *mo = f->s->base.model;
    vgNative *x = &f->w->native_motion;
    for (int at = 0; at < x->nlist; at++) {
        const vgPrim *p = &mo->prim[x->list[at]];
        const double *l = f->w->lambda_model + p->row;
        int terms = p->kind == VG_PRIM_MEASURE ? p->nterm : 1;
        if (p->kind == VG_PRIM_COINCIDE) {
            if (!cross) add_coincide(f, p, l);
            continue;
        }
        for (int k = 0; k < terms; k++) {
            int ab[2] = {p->a, p->b};
            double K[144] = {0};
            if (p->kind == VG_PRIM_MEASURE) {
                const vgMeasure *me = &mo->measure[p->measure[k]].measure;
                ab[0] = me->A.body, ab[1] = me->B.body;
                vg_measure_hessian(me, vg_native_kin(x, ab[0]), vg_native_kin(x, ab[1]), l[0] * p->k[k], K);
            } else {
                vg_prim_stiffness(p, vg_native_kin(x, ab[0]), vg_native_kin(x, ab[1]), l, K);
            }
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    if (ab[a] >= 0 && ab[b] >= 0)
                        add_pair(f, ab[a], ab[b], K + 72 * a + 6 * b, NULL, NULL, 12, 1, cross);
        }
    }
}

/* ---- closing rows ---- */

/* Calls emit for every joint between the bodies of a primitive with its row's entries on that joint. */
typedef void Emit(void *user, int prim, int row, int link, const double *entries);

static void walk(const vgTree *s, vgTreeWork *w, const vgTreeMatrix *m, int prim, int row, const double *ga,
                 const double *gb, int a, int b, double scale, Emit *emit, void *user)
{
    const vgNative *x = &w->native_motion;
    int at[2] = {link_of(s, a), link_of(s, b)}, side, i;
    vgVec3 F[2], T[2];
    for (int k = 0; k < 2; k++) {
        const double *g = k ? gb : ga;
        F[k] = vg_scale3(vg_load3(g), scale);
        T[k] = vg_scale3(vg_mv3(vg_native_kin(x, k ? b : a)->R, vg_load3(g + 3)), scale);
    }
    while ((i = step_up(s, m, &at[0], &at[1], &side)) >= 0) {
        double out[6];
        for (int k = 0; k < s->link[i].nv; k++) {
            const double *S = w->S + 6 * (s->link[i].v0 + k);
            out[k] = vg_dot3(vg_load3(S), F[side]) + vg_dot3(vg_load3(S + 3), T[side]);
        }
        if (s->link[i].nv) emit(user, prim, row, i, out);
        T[side] = vg_add3(T[side], vg_cross3(w->m[i].d, F[side]));
    }
}

static void walk_row(const vgTree *s, vgTreeWork *w, const vgTreeMatrix *m, int prim, int row, Emit *emit,
                     void *user)
{
    const vgModel *mo = s->base.model;
    const vgNative *x = &w->native_motion;
    const vgPrim *p = &mo->prim[prim];
    if (p->kind != VG_PRIM_MEASURE) {
        walk(s, w, m, prim, row, x->prim[prim].Ba[row], x->prim[prim].Bb[row], p->a, p->b, 1, emit, user);
        return;
    }
    for (int k = 0; k < p->nterm; k++) {
        const vgMeasure *me = &mo->measure[p->measure[k]].measure;
        const double *g = x->measure[p->measure[k]].grad;
        walk(s, w, m, prim, row, g, g + 6, me->A.body, me->B.body, p->k[k], emit, user);
    }
}

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

static void add_rows(Fill *f)
{
    const vgModel *mo = f->s->base.model;
    const vgNative *x = &f->w->native_motion;
    for (int at = 0; at < x->nlist; at++) {
        const vgPrim *p = &mo->prim[x->list[at]];
        for (int r = 0; r < p->rows; r++)
            if (f->m->local_row[f->s->model_row[p->row + r]] >= 0)
                walk_row(f->s, f->w, f->m, x->list[at], r, emit_row, f);
    }
}

/* ---- the composite recursion ---- */

/* Blocks of link i with itself and its ancestors. */
static void add_joint(const Fill *f, int i, const double *A, const double *SF)
{
    const vgTree *s = f->s;
    vgTreeWork *w = f->w;
    const vgLink *l = &s->link[i];
    for (int k = 0; k < l->nv; k++) {
        double h[18], col[6];
        int ld;
        vg_tree_row_column(A, &w->m[i], w->S + 6 * (l->v0 + k), w->sigma + 18 * (l->v0 + k), h, col);
        double *own = entry(f->m, i, k, i, &ld);
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
            double *down = entry(f->m, i, k, j, &ld);
            for (int e = 0; e < a->nv; e++) down[e] += vg_tree_dot18(h, w->sigma + 18 * (a->v0 + e));
            for (int e = 0; e < a->nv; e++) {
                const double *S = w->S + 6 * (a->v0 + e);
                entry(f->m, j, e, i, &ld)[k] += vg_dot3(vg_load3(S), F) + vg_dot3(vg_load3(S + 3), T);
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
            entry(f->m, j, e, i, &ld)[k] += x;
            if (j != i) entry(f->m, i, k, j, &ld)[e] += x;
        }
        T = vg_add3(T, vg_cross3(w->m[j].d, F));
    }
    if (w->stiffness) {
        int ld;
        entry(f->m, i, k, i, &ld)[k] += w->rotor[s->link[i].v0 + k];
    }
}

static void add_tree(Fill *f)
{
    const vgTree *s = f->s;
    vgTreeWork *w = f->w;
    double SF[36] = {0};
    for (int i = 0; i < s->nlink; i++) vg_tree_sigma(s, w, i, f->t, f->c, SF);
    for (int i = s->nlink - 1; i >= 0; i--) {
        const vgLink *l = &s->link[i];
        double *A = w->slots + 108 * l->slot;
        if (l->leaf) memset(A, 0, 108 * sizeof *A);
        vg_tree_own_block(l, &w->m[i], w->have_wrench ? w->wrench + 6 * i : NULL, A);
        if (w->extra_of && w->extra_of[i] >= 0) {
            const double *x = w->extra + 108 * (size_t)w->extra_of[i];
            for (int k = 0; k < 108; k++) A[k] += x[k];
        }
        if (l->nv > 0 && !l->constant && f->t) vg_tree_sigma(s, w, i, f->t, f->c, SF);
        if (l->nv > 0) add_joint(f, i, A, SF);
        if (l->parent >= 0)
            vg_tree_carry_block(A, w->m[i].d, w->slots + 108 * s->link[l->parent].slot, l->first);
    }
}

static void clear_extra(const vgTree *s, vgTreeWork *w)
{
    for (int i = 0; w->extra_of && i < s->nlink; i++)
        if (w->extra_of[i] >= 0) memset(w->extra + 108 * (size_t)w->extra_of[i], 0, 108 * sizeof(double));
    for (int i = 0; w->cross_of && i < s->nlink; i++)
        if (w->cross_of[i] >= 0) memset(w->cross + 216 * (size_t)w->cross_of[i], 0, 216 * sizeof(double));
}

static vgStatus fill_and_factor(Fill *f)
{
    size_t n;
    double *values = vg_lin_values(f->m->lin, &n);
    memset(values, 0, n * sizeof *values);
    if (!f->t && !f->s->native_inertia) {
        vg_tree_composite(f->s, f->w, mass_column, f);
    } else {
        clear_extra(f->s, f->w);
        add_force_tangents(f, 0);
        if (f->t) add_closure_tangents(f, 0);
        add_tree(f);
        add_force_tangents(f, 1);
        if (f->t) add_closure_tangents(f, 1);
    }
    add_rows(f);
    vgStatus st = vg_lin_factor(f->m->lin);
    f->w->base.factorisations++;
    f->w->base.bad_row = -1;
    if (st != VG_OK) {
        int bad = vg_lin_bad_row(f->m->lin);
        for (int k = 0; k < f->s->base.nv && bad >= 0; k++)
            if (f->m->v_at[k] == bad) f->w->base.bad_row = k;
        if (bad >= 0 && f->m->row_of[bad] >= 0) f->w->base.bad_row = f->s->base.nv + f->m->row_of[bad];
    }
    return st;
}

vgStatus vg_tree_factor_mass(const vgTree *s, vgTreeWork *w, double t)
{
    vgTreeCoef c = {0, 0, 1};
    Fill f = {.s = s, .w = w, .m = w->matrix, .c = &c, .time = t};
    if (s->base.nv == 0) return VG_OK;
    return fill_and_factor(&f);
}

vgStatus vg_tree_factor(const vgSystem *sys, vgWork *work, const vgTangent *p)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vgTreeCoef c = p->ca > 0 ? (vgTreeCoef){p->cv / p->ca, 1 / p->ca, 1} : (vgTreeCoef){0, 1, 0};
    Fill f = {.s = s, .w = w, .m = w->matrix, .t = p, .c = &c, .time = p->t};
    if (sys->nv == 0) return VG_OK;
    if (!p->reuse) vg_tree_residual(sys, work, p->t, p->q, p->v, p->a, p->lambda, w->scratch_r, NULL);
    if (w->stiffness) vg_tree_joint_forces(s, w, p->t, p->q, p->v, p->a, w->stiffness, w->damping);
    if (s->explicit_matrix) {
        if (sys->nl > 0) {
            vg_native_prims(&w->native_motion, p->t, VG_PRIM_GRADIENT);
            for (int r = 0; r < sys->nl; r++) w->lambda_model[s->row_model[r]] = p->lambda[r];
        }
        return fill_and_factor(&f);
    }
    work->factorisations++;
    work->bad_row = -1;
    if (w->extra_of) {
        clear_extra(s, w);
        add_force_tangents(&f, 0);
    }
    return vg_tree_factor_tree(s, w, p, &c);
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

/* ---- the rows themselves ---- */

typedef struct Sparse {
    const vgTree *s;
    int from, fill;
    int *col;
    double *value;
} Sparse;

static void emit_sparse(void *user, int prim, int row, int link, const double *e)
{
    Sparse *o = user;
    (void)prim, (void)row;
    for (int k = 0; k < o->s->link[link].nv; k++) {
        int c = o->s->link[link].v0 + k, at = -1;
        for (int i = o->from; i < o->fill && at < 0; i++)
            if (o->col[i] == c) at = i;
        if (at < 0) {
            at = o->fill++;
            o->col[at] = c;
            o->value[at] = 0;
        }
        o->value[at] += e[k];
    }
}

int vg_tree_jacobian(const vgSystem *sys, vgWork *work, double t, const double *q, int *start, int *col,
                     double *value)
{
    const vgTree *s = (const vgTree *)sys;
    vgTreeWork *w = (vgTreeWork *)work;
    vgNative *x = &w->native_motion;
    if (!start) return sys->nv;
    vg_tree_motion(s, w, q, w->zero);
    vg_tree_native(s, w, 0);
    vg_native_measures(x, 1);
    vg_native_prims(x, t, VG_PRIM_VALUE | VG_PRIM_GRADIENT);
    Sparse o = {s, 0, 0, col, value};
    for (int at = 0; at < x->nlist; at++) { /* our rows are numbered in this order */
        const vgPrim *p = &sys->model->prim[x->list[at]];
        for (int r = 0; r < p->rows; r++) {
            o.from = start[s->model_row[p->row + r]] = o.fill;
            walk_row(s, w, w->matrix, x->list[at], r, emit_sparse, &o);
        }
    }
    start[sys->nl] = o.fill;
    return sys->nv;
}

/* Relative coordinates: springs and rods between links that few joints are between, in joint coordinates and
 * four at a time.
 *
 * The distance between points of two bodies depends on the coordinates of the joints on the path from one to the other
 * alone. Seen from the first body, coordinate k of the path moves the point P on the second by G_k and turns
 * it by w_k (S at P, with the sign of its side), and an inner joint j turns what an outer one k does:
 *     ∂P/∂q_k = G_k,   ∂²P/∂q_j∂q_k = w_j × G_k   (j before k)
 * A length x = |d| or x = α·d, d from a point fixed on the first body to P, has
 *     g_k = n·G_k,   H_jk = (G_j·G_k − g_j g_k)/x + n·(w_j × G_k)   (α: the last term alone)
 * and a tension T(x, ẋ) along it adds T g to the equations:
 *     K = T_x g gᵀ + T_ẋ g (H q̇)ᵀ + T H,      C = T_ẋ g gᵀ.
 * so that these forces are not part of the recursion over the links. Of a rod, φ = (x² − c²)/2c:  B = Gᵀd/c,  K
 * = λ (G_j·G_k + d·(w_j × G_k))/c.  docs/theory.md, eq. 55d. */
#include "element/fours.h"
#include "system/relative/tangent.h"
#include "element/tuning.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"

enum { MOST = 6 };

typedef enum How { ROD, SPRING, AXIAL } How;

typedef struct Near {
    How how;
    int n, lanes;       /* coordinates of the path; lanes in use, the others repeat the last */
    int item[VG_LANES]; /* force, or primitive of a rod */
    int row[VG_LANES];  /* rods: the model's */
    int body[2 * VG_LANES], end[2 * VG_LANES]; /* and their links */
    int v[MOST][VG_LANES], link[MOST][VG_LANES];
    vgLane sign[MOST];
    vgLane outer[MOST];   /* sign where the link appears first in the path, else 0 */
    vgLane3 ra, rb, axis; /* on their bodies */
    vgLane inverse;       /* rods: 1/c */
    double *at[VG_LANES][MOST * MOST];
    double *across[VG_LANES][MOST],
        *down[VG_LANES][MOST]; /* rods: in the row, NULL: inactive; column, NULL: mirrored */
} Near;

struct vgTreeNear {
    int n, room;
    Near *four;
    unsigned char *force; /* per force, per primitive: 1 = is here */
    unsigned char *prim;  /* 2: rows of joint coordinates, no stiffness */
};

/* ---- the path ---- */

typedef struct Way {
    int n, v[MOST];
    double sign[MOST];
} Way;

static int add_joint(const vgLink *l, double sign, Way *out)
{
    if (l->nv == 0) return 1;
    if (l->way != VG_LINK_HINGE && l->way != VG_LINK_SLIDER && l->way != VG_LINK_CARDAN) return 0;
    for (int k = l->nv - 1; k >= 0; k--) {
        if (out->n == MOST) return 0;
        out->v[out->n] = l->v0 + k;
        out->sign[out->n++] = sign;
    }
    return 1;
}

/* From body a (−1: ground) to b; 0: too far, or over joints that are not made of hinges and sliders. */
static int find_way(const vgTree *s, int a, int b, Way *out)
{
    Way back = {0};
    int i = vg_tree_link(s, a), j = vg_tree_link(s, b);
    *out = (Way){0};
    while (i != j) { /* links are numbered from the ground outwards */
        if (!add_joint(&s->link[i > j ? i : j], i > j ? -1 : 1, i > j ? out : &back)) return 0;
        if (i > j)
            i = s->link[i].parent;
        else
            j = s->link[j].parent;
    }
    if (out->n + back.n > MOST || out->n + back.n == 0) return 0;
    for (int k = back.n - 1; k >= 0; k--) {
        out->v[out->n] = back.v[k];
        out->sign[out->n++] = 1;
    }
    return 1;
}

/* ---- set-up ---- */

static Near *find_four(vgTreeNear *x, How how, int n)
{
    for (int i = 0; i < x->n; i++)
        if (x->four[i].how == how && x->four[i].n == n && x->four[i].lanes < VG_LANES) return &x->four[i];
    Near *g = &x->four[x->n++];
    memset(g, 0, sizeof *g);
    g->how = how;
    g->n = n;
    return g;
}

static void put3(vgLane3 *to, int lane, vgVec3 x)
{
    to->x[lane] = x.x, to->y[lane] = x.y, to->z[lane] = x.z;
}

static Near *add_item(vgTreeNear *x, const vgTree *s, const vgTreeMatrix *m, How how, int item,
                      const int body[2], const Way *way)
{
    Near *g = find_four(x, how, way->n);
    int first = g->lanes++;
    for (int lane = first; lane < VG_LANES; lane++) {
        g->item[lane] = item;
        for (int k = 0; k < 2; k++) {
            g->body[VG_LANES * k + lane] = body[k];
            g->end[VG_LANES * k + lane] = vg_tree_link(s, body[k]);
        }
        for (int k = 0; k < way->n; k++) {
            g->v[k][lane] = way->v[k];
            g->link[k][lane] = s->dof_link[way->v[k]];
            g->sign[k][lane] = way->sign[k];
            g->outer[k][lane] = k > 0 && g->link[k][lane] == g->link[k - 1][lane] ? 0 : way->sign[k];
        }
    }
    for (int j = 0; j < way->n; j++)
        for (int k = 0; k < way->n; k++) {
            int lj = g->link[j][first], lk = g->link[k][first], ld;
            g->at[first][way->n * j + k] =
                vg_tree_entry(m, lj, way->v[j] - s->link[lj].v0, lk, &ld) + (way->v[k] - s->link[lk].v0);
        }
    return g;
}

static void set_points(Near *g, vgVec3 ra, vgVec3 rb)
{
    for (int lane = g->lanes - 1; lane < VG_LANES; lane++) {
        put3(&g->ra, lane, ra);
        put3(&g->rb, lane, rb);
    }
}

static void add_line(vgTreeNear *x, const vgTree *s, const vgTreeMatrix *m, int f, const Way *way)
{
    const vgForce *fo = &s->base.model->force[f];
    const vgForceHead *head = fo->def;
    const vgForceLine *line = fo->kind->line;
    Near *g = add_item(x, s, m, line->axis ? AXIAL : SPRING, f, fo->setup.body, way);
    set_points(g, head->frame[0].r, head->frame[1].r);
    if (!line->axis) return;
    vgVec3 axis = vg_mv3(head->frame[0].R, vg_load3(line->axis(fo->def)));
    for (int lane = g->lanes - 1; lane < VG_LANES; lane++) put3(&g->axis, lane, axis);
}

static void add_rod(vgTreeNear *x, const vgTree *s, const vgTreeMatrix *m, int prim, const Way *way)
{
    const vgPrim *p = &s->base.model->prim[prim];
    Near *g = add_item(x, s, m, ROD, prim, (const int[2]){p->a, p->b}, way);
    int lane = g->lanes - 1, dual = m->joint_node[p->joint], r = m->local_row[s->model_row[p->row]];
    size_t n = (size_t)m->nnode;
    set_points(g, p->ra, p->rb);
    for (int k = lane; k < VG_LANES; k++) g->inverse[k] = 1 / p->c, g->row[k] = p->row;
    for (int k = 0; k < way->n && r >= 0; k++) {
        int link = g->link[k][lane], node = m->node[link], c = m->off[link] + way->v[k] - s->link[link].v0;
        g->across[lane][k] = m->block[(size_t)dual * n + (size_t)node] + r * m->size[node] + c;
        if (!m->mirror[dual])
            g->down[lane][k] = m->block[(size_t)node * n + (size_t)dual] + c * m->size[dual] + r;
    }
}

static int is_line(const vgTree *s, const vgForcePlace *place, int f)
{
    const vgForce *fo = &s->base.model->force[f];
    return s->joint_force[f].v < 0 && fo->kind->line && place[f].alone && fo->setup.nbody == 2;
}

/* All measures of the primitive are joint coordinates: what they say is linear. */
static int is_linear(const vgTree *s, const vgPrim *p)
{
    vgTreeCoordinate c;
    for (int k = 0; k < p->nterm; k++)
        if (!vg_tree_coordinate(&s->base, p->measure[k], &c)) return 0;
    return p->nterm > 0;
}

vgStatus vg_tree_near_find(const vgTree *s, const vgForcePlace *force, vgTreeNear **out)
{
    const vgModel *mo = s->base.model;
    vgTreeNear *x = *out = calloc(1, sizeof *x);
    const int fast = (s->base.fast & VG_FAST_NEAR) != 0;
    Way way;
    if (!x) return VG_NO_MEMORY;
    x->force = calloc((size_t)(mo->nforce + mo->nprim) + 1, 1);
    if (!x->force) return VG_NO_MEMORY;
    x->prim = x->force + mo->nforce;
    for (int f = 0; f < mo->nforce; f++) {
        const int *body = mo->force[f].setup.body;
        x->force[f] = fast && is_line(s, force, f) && find_way(s, body[0], body[1], &way);
        x->room += x->force[f];
    }
    for (int i = 0; i < mo->nprim; i++) {
        const vgPrim *p = &mo->prim[i];
        if (!fast || !s->closure[i]) continue;
        x->prim[i] = vg_prim_is_rod(p) && find_way(s, p->a, p->b, &way) ? 1 : is_linear(s, p) ? 2 : 0;
        x->room += x->prim[i] == 1;
    }
    return VG_OK;
}

vgStatus vg_tree_near_place(vgTreeNear *x, const vgTree *s, const vgTreeMatrix *m)
{
    const vgModel *mo = s->base.model;
    Way way;
    if (x->room == 0) return VG_OK;
    x->four = vg_os_aligned(_Alignof(Near), (size_t)x->room * sizeof *x->four);
    if (!x->four) return VG_NO_MEMORY;
    for (int f = 0; f < mo->nforce; f++)
        if (x->force[f] && find_way(s, mo->force[f].setup.body[0], mo->force[f].setup.body[1], &way))
            add_line(x, s, m, f, &way);
    for (int i = 0; i < mo->nprim; i++)
        if (x->prim[i] == 1 && find_way(s, mo->prim[i].a, mo->prim[i].b, &way)) add_rod(x, s, m, i, &way);
    return VG_OK;
}

void vg_tree_near_free(vgTreeNear *x)
{
    if (!x) return;
    vg_os_free_aligned(x->four);
    free(x->force);
    free(x);
}

size_t vg_tree_near_memory(const vgTreeNear *x)
{
    return x ? sizeof *x + (size_t)x->room * sizeof *x->four : 0;
}

int vg_tree_near_count(const vgTreeNear *x)
{
    return x->n;
}

int vg_tree_near_force(const vgTreeNear *x, int f)
{
    return x->force[f];
}

int vg_tree_near_prim(const vgTreeNear *x, int prim)
{
    return x->prim[prim];
}

/* ---- evaluation ---- */

typedef struct Motion {
    vgLane3 d, axis; /* between the points; the axis in W */
    vgLane3 G[MOST], w[MOST], arm[MOST];
    vgLane3 end[2]; /* from the centres of mass of the bodies to P */
} Motion;

VG_LANEWISE void move(const Near *g, const vgTreeWork *w, Motion *o)
{
    const vgNative *x = &w->native_motion;
    const vgKin *at[2 * VG_LANES];
    vgLaneKin a, b;
    for (int i = 0; i < 2 * VG_LANES; i++) at[i] = vg_native_kin(x, g->body[i]);
    vg_four_kin(at, 0, &a);
    vg_four_kin(at + VG_LANES, 0, &b);
    vgLane3 P = vg_ladd3(b.p, vg_lmv3(b.R, g->rb));
    o->d = vg_lsub3(P, vg_ladd3(a.p, vg_lmv3(a.R, g->ra)));
    o->end[0] = vg_lsub3(P, a.p);
    o->end[1] = vg_lsub3(P, b.p);
    o->axis = g->how == AXIAL ? vg_lmv3(a.R, g->axis) : vg_lzero3();
    for (int k = 0; k < g->n; k++) {
        const double *S[VG_LANES], *p[VG_LANES];
        vgLane s[4], e[4], c[4];
        for (int l = 0; l < VG_LANES; l++) S[l] = w->S + 6 * g->v[k][l], p[l] = &w->m[g->link[k][l]].p.x;
        vg_lane_gather(S, 0, s);
        vg_lane_gather(S, 2, e);
        vg_lane_gather(p, 0, c);
        vgLane3 turn = vg_lscale3((vgLane3){e[1], e[2], e[3]}, g->sign[k]);
        vgLane3 arm = vg_lsub3(P, (vgLane3){c[0], c[1], c[2]});
        o->w[k] = turn;
        o->arm[k] = arm;
        o->G[k] = vg_ladd3(vg_lscale3((vgLane3){s[0], s[1], s[2]}, g->sign[k]), vg_lcross3(turn, arm));
    }
}

/* to (6 a link) −= sign (F, arm × F) */
VG_LANEWISE void take_away(const Near *g, const int *link, vgLane sign, vgLane3 arm, vgLane3 F, double *to)
{
    vgLane f[6];
    F = vg_lscale3(F, sign);
    vg_four_put(F, vg_lcross3(arm, F), f);
    vg_four_scatter(f, link, g->lanes, 0, -1, to);
}

/* The force F at P on the second body, and its reaction, leave what the recursion sees. */
VG_LANEWISE void leave(const Near *g, const Motion *o, vgLane3 F, vgTreeMatrix *m)
{
    for (int k = 0; k < g->n; k++) take_away(g, g->link[k], g->outer[k], o->arm[k], F, m->F);
    for (int e = 0; e < 2; e++)
        take_away(g, g->end + VG_LANES * e, vg_lane(e ? 1 : -1), o->end[e], F, m->wrench);
}

static void scatter(const Near *g, const vgLane *K)
{
    for (int l = 0; l < g->lanes; l++)
        for (int i = 0; i < g->n * g->n; i++) *g->at[l][i] += K[i][l];
}

static void add_rods(const Near *g, vgTreeWork *w, double c2, int rows)
{
    Motion o;
    vgLane K[MOST * MOST], l;
    int n = g->n;
    move(g, w, &o);
    vgLane3 e = vg_lscale3(o.d, g->inverse);
    for (int k = 0; k < n; k++) {
        vgLane B = vg_ldot3(e, o.G[k]);
        for (int i = 0; i < g->lanes; i++) {
            if (g->across[i][k]) *g->across[i][k] += B[i];
            if (g->down[i][k]) *g->down[i][k] += B[i];
        }
    }
    if (rows) return;
    for (int i = 0; i < VG_LANES; i++) l[i] = w->lambda_model[g->row[i]];
    leave(g, &o, vg_lscale3(e, l), w->matrix);
    l *= c2;
    for (int j = 0; j < n; j++) {
        vgLane3 turned = vg_lcross3(e, o.w[j]); /* e·(w × G) = (e × w)·G */
        vgLane3 both = vg_laxpy3(g->inverse, o.G[j], turned);
        for (int k = j; k < n; k++) K[n * j + k] = K[n * k + j] = l * vg_ldot3(both, o.G[k]);
    }
    scatter(g, K);
}

static void add_lines(const Near *g, vgTreeWork *w, const vgTangent *t, const vgTreeCoef *c)
{
    Motion o;
    vgLane K[MOST * MOST], H[MOST * MOST], grad[MOST], T[3], x, rate = vg_lane(0), over = vg_lane(0),
                                                                zero = vg_lane(0);
    int n = g->n;
    move(g, w, &o);
    vgLane3 along = o.axis;
    if (g->how == SPRING) { /* points that coincide have no line */
        x = vg_lsqrt(vg_ldot3(o.d, o.d));
        over = vg_lane_pick(x > vg_lane(VG_NO_LINE), 1 / x, zero);
        along = vg_lscale3(o.d, over);
    } else {
        x = vg_ldot3(o.d, along);
    }
    for (int k = 0; k < n; k++) {
        const int *v = g->v[k];
        grad[k] = vg_ldot3(along, o.G[k]);
        rate += grad[k] * (vgLane){t->v[v[0]], t->v[v[1]], t->v[v[2]], t->v[v[3]]};
    }
    for (int i = 0; i < VG_LANES; i++) {
        double one[3] = {0};
        if (i < g->lanes) vg_native_tension(&w->native_motion, g->item[i], t->t, x[i], rate[i], one);
        for (int e = 0; e < 3; e++) T[e][i] = one[e];
    }
    leave(g, &o, vg_lscale3(along, T[0]), w->matrix);
    vgLane bend = T[0] * over; /* T/x, without a line the slope if there is no tension */
    if (g->how == SPRING) bend = vg_lane_pick(over > zero, bend, vg_lane_pick(T[0] == zero, T[1], zero));
    for (int j = 0; j < n; j++) {
        vgLane3 turned = vg_lcross3(along, o.w[j]);
        for (int k = j; k < n; k++) {
            vgLane across = g->how == SPRING ? vg_ldot3(o.G[j], o.G[k]) - grad[j] * grad[k] : zero;
            vgLane turn = vg_ldot3(turned, o.G[k]);
            H[n * j + k] = H[n * k + j] = over * across + turn;
            K[n * j + k] = K[n * k + j] = bend * across + T[0] * turn;
        }
    }
    for (int k = 0; k < n; k++) {
        vgLane change = zero;
        for (int j = 0; j < n; j++) {
            const int *v = g->v[j];
            change += H[n * k + j] * (vgLane){t->v[v[0]], t->v[v[1]], t->v[v[2]], t->v[v[3]]};
        }
        vgLane slope = c->c2 * (T[1] * grad[k] + T[2] * change) + c->c1 * T[2] * grad[k];
        for (int j = 0; j < n; j++) K[n * j + k] = c->c2 * K[n * j + k] + grad[j] * slope;
    }
    scatter(g, K);
}

void vg_tree_near_add(const vgTreeNear *x, vgTreeWork *w, const vgTangent *t, const vgTreeCoef *c, int i)
{
    const Near *g = &x->four[i];
    w->base.taken |= VG_FAST_NEAR;
    if (g->how == ROD)
        add_rods(g, w, t ? c->c2 : 0, t == NULL);
    else if (t)
        add_lines(g, w, t, c);
}

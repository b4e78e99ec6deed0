/* Relative coordinates: links four at a time in the explicit matrix, hinges or Cardan joints at the same
 * depth of the tree. Line by line as add_own_block() of relative/tangent.c and add_joint() of
 * relative/matrix.c; a Cardan joint's first axis does not turn with its second (vg_tree_turn_back). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "system/relative/tangent.h"

enum { BLOCK = 108 };

/* The joints of a four, and of those above it one step at a time. */
typedef struct Step {
    int nv, same; /* coordinates; 1: one link for all lanes */
    int four;     /* the four that these links are, lane by lane; −1: none */
    int link[VG_LANES];
    double *across[VG_LANES], *down[VG_LANES]; /* blocks of the four's links with these, and the other way */
    int wide[VG_LANES], narrow[VG_LANES];      /* and their leading dimensions */
} Step;

typedef struct Four {
    int lanes; /* in use; 0: its links go one by one */
    int nstep;
    Step *step; /* the first is the four itself */
    int alone;  /* 1: what acts on its links, or follows them, is four at a time as well */
    int filled; /* there is something in A */
    vgLane *A;  /* 6×18: 𝔸 in lanes */
    vgLane sigma[2][18];
} Four;

struct vgTreeWide {
    int n;
    Four *four;
    Step *steps;
    vgLane *block;
    unsigned char *alone; /* per link: its 𝔸 is in a four alone */
};

/* ---- set-up ---- */

static int count_lanes(const vgLinkFour *g)
{
    int n = 1;
    while (n < VG_LANES && g->link[n] != g->link[n - 1]) n++;
    return n;
}

static int above(const vgTree *s, int link, int steps)
{
    while (steps-- > 0) link = s->link[link].parent;
    return link;
}

/* Where the lanes are, `steps` up the tree; 0: they have different joints there. */
static int set_step(const vgTree *s, const vgTreeMatrix *m, const vgLinkFour *g, int steps, Step *out)
{
    out->same = 1;
    for (int k = 0; k < VG_LANES; k++) {
        int i = g->link[k], j = above(s, i, steps);
        out->link[k] = j;
        out->nv = s->link[j].nv;
        if (out->nv != s->link[out->link[0]].nv) return 0;
        out->same &= j == out->link[0];
        if (out->nv == 0) continue;
        out->across[k] = vg_tree_entry(m, i, 0, j, &out->wide[k]);
        out->down[k] = vg_tree_entry(m, j, 0, i, &out->narrow[k]);
    }
    return 1;
}

static int find(const vgTree *s, const vgTreeWide *x, const int link[VG_LANES])
{
    for (int i = 0; i < x->n; i++)
        if (x->four[i].lanes > 0 && memcmp(link, s->four[i].link, VG_LANES * sizeof *link) == 0) return i;
    return -1;
}

static void touch(const vgTree *s, const int *body, int n, unsigned char *touched)
{
    for (int k = 0; k < n; k++)
        if (vg_tree_link(s, body[k]) >= 0) touched[s->link_of[body[k]]] = 1;
}

/* The links in whose blocks elements and closing joints leave their tangents one by one. */
static void touch_all(const vgTree *s, const vgTreeWork *w, const vgTreeMatrix *m, const vgTreeWide *x,
                      unsigned char *touched)
{
    const vgModel *mo = s->base.model;
    const vgFours *fours = &w->native_motion.fours;
    for (int f = 0; f < mo->nforce; f++)
        if (s->joint_force[f].v < 0 && !vg_tree_near_force(m->near, f) && !(fours->of && fours->tangent[f]))
            touch(s, w->force[f].body, w->force[f].nu, touched);
    for (int i = 0; fours->of && i < fours->ngroup; i++) {
        const vgFourGroup *g = &fours->group[i];
        const int *body = g->body + VG_LANES * (g->nbody - 1);
        int link[VG_LANES];
        if (!fours->tangent[g->force[0]]) continue;
        for (int k = 0; k < VG_LANES; k++) link[k] = s->link_of[body[k]];
        if (find(s, x, link) < 0) touch(s, body, VG_LANES, touched);
    }
    for (int i = 0; i < mo->nprim; i++) {
        int body[2 * VG_PRIM_MAX_TERMS];
        if (s->closure[i] && !vg_tree_near_prim(m->near, i))
            touch(s, body, vg_native_prim_bodies(mo, &mo->prim[i], body), touched);
    }
}

static void find_alone(const vgTree *s, vgTreeWide *x, unsigned char *touched)
{
    unsigned char *in_four = x->alone; /* for a while: links that go to their parents' four */
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < x->four[i].lanes; k++)
            in_four[s->four[i].link[k]] = x->four[i].nstep > 1 && x->four[i].step[1].four >= 0;
    for (int i = 0; i < s->nlink; i++)
        if (s->link[i].parent >= 0 && !in_four[i]) touched[s->link[i].parent] = 1;
    memset(x->alone, 0, (size_t)s->nlink);
    for (int i = 0; i < x->n; i++) {
        Four *o = &x->four[i];
        o->alone = o->lanes > 0;
        for (int k = 0; k < o->lanes; k++) o->alone &= !touched[s->four[i].link[k]];
        for (int k = 0; k < o->lanes; k++) x->alone[s->four[i].link[k]] = (unsigned char)o->alone;
    }
}

static int take_memory(const vgTree *s, const vgTreeMatrix *m, vgTreeWide *x)
{
    int steps = 0;
    for (int i = 0; i < x->n; i++) steps += m->depth[s->four[i].link[0]] + 1;
    x->four = aligned_alloc(_Alignof(Four), (size_t)(x->n + 1) * sizeof *x->four);
    x->block = aligned_alloc(_Alignof(vgLane), (size_t)(x->n + 1) * BLOCK * sizeof *x->block);
    x->steps = calloc((size_t)steps + 1, sizeof *x->steps);
    x->alone = calloc((size_t)s->nlink + 1, 1);
    return x->four && x->block && x->steps && x->alone;
}

vgStatus vg_tree_wide_new(const vgTree *s, const vgTreeWork *w, const vgTreeMatrix *m, vgTreeWide **out)
{
    vgTreeWide *x = *out = calloc(1, sizeof *x);
    unsigned char *touched = calloc((size_t)s->nlink + 1, 1);
    if (x) x->n = s->nfour;
    if (!x || !touched || !take_memory(s, m, x)) {
        free(touched);
        return VG_NO_MEMORY;
    }
    Step *at = x->steps;
    int pairs = !(s->base.fast & VG_FAST_WIDE); /* then they go one by one as well */
    for (int i = 0; i < s->nlink; i++) pairs |= vg_tree_pairs_any(m->pairs, i);
    for (int i = 0; i < x->n; i++) {
        Four *o = &x->four[i];
        const vgLinkFour *g = &s->four[i];
        memset(o, 0, sizeof *o);
        o->step = at;
        o->nstep = m->depth[g->link[0]] + 1;
        o->lanes = pairs ? 0 : count_lanes(g);
        o->A = x->block + BLOCK * i;
        at += o->nstep;
        for (int k = 0; k < o->nstep; k++)
            if (!set_step(s, m, g, k, &o->step[k])) o->lanes = 0;
    }
    for (int i = 0; i < x->n; i++)
        for (int k = 0; k < x->four[i].nstep; k++)
            x->four[i].step[k].four = find(s, x, x->four[i].step[k].link);
    touch_all(s, w, m, x, touched);
    find_alone(s, x, touched);
    free(touched);
    return VG_OK;
}

void vg_tree_wide_free(vgTreeWide *x)
{
    if (!x) return;
    free(x->four);
    free(x->steps);
    free(x->block);
    free(x->alone);
    free(x);
}

void vg_tree_wide_begin(vgTreeWide *x)
{
    for (int i = 0; i < x->n; i++) x->four[i].filled = 0;
}

int vg_tree_wide_alone(const vgTreeWide *x, const vgTreeFill *f, int link)
{
    return f->t && !f->w->base.held && x->alone[link];
}

vgLane *vg_tree_wide_block(vgTreeWide *x, const vgTreeFill *f, const int link[VG_LANES], int *fresh)
{
    int i = find(f->s, x, link);
    if (i < 0) return NULL;
    *fresh = !x->four[i].filled;
    x->four[i].filled = 1;
    return x->four[i].A;
}

/* ---- lanes ---- */

typedef struct Row {
    vgLane c[18];
} Row;

typedef struct Joint {
    vgLane S[6], turn[6]; /* turn: what S turning against F adds to h, on η */
    Row sigma, h;
    vgLane3 F, T; /* 𝔸 σ, carried on */
} Joint;

VG_LANEWISE void gather(const double *const at[VG_LANES], int same, int n, vgLane *to)
{
    if (same) {
        for (int i = 0; i < n; i++) to[i] = vg_lane(at[0][i]);
        return;
    }
    int i = 0;
    for (; i + 4 <= n; i += 4) vg_lane_gather(at, i, to + i);
    if (i == n) return;
    vgLane last[4];
    vg_lane_gather(at, n - 4, last);
    for (int k = i; k < n; k++) to[k] = last[4 - n + k];
}

/* Columns of a link's joints: 6 or 18 numbers per coordinate. */
VG_LANEWISE void columns(const vgTree *s, const Step *at, const double *from, int n, int k, vgLane *to)
{
    const double *p[VG_LANES];
    for (int i = 0; i < VG_LANES; i++) p[i] = from + n * (s->link[at->link[i]].v0 + k);
    gather(p, at->same, n, to);
}

VG_LANEWISE void per_link(const double *from, const int *link, int n, vgLane *to)
{
    const double *p[VG_LANES];
    for (int i = 0; i < VG_LANES; i++) p[i] = from + n * link[i];
    gather(p, 0, n, to);
}

VG_LANEWISE vgLane3 arm_of(const vgTreeWork *w, const Step *at)
{
    const double *p[VG_LANES];
    vgLane d[3];
    for (int i = 0; i < VG_LANES; i++) p[i] = &w->m[at->link[i]].d.x;
    if (at->same) {
        gather(p, 1, 3, d);
        return (vgLane3){d[0], d[1], d[2]};
    }
    vgLane x[4];
    vg_lane_gather(p, 0, x);
    return (vgLane3){x[0], x[1], x[2]};
}

VG_LANEWISE vgLane3 three(const vgLane *x)
{
    return (vgLane3){x[0], x[1], x[2]};
}

/* The 3×3 at rows r, columns c of A += s [x] */
VG_LANEWISE void put_skew(Row *A, int r, int c, vgLane3 x, vgLane s)
{
    x = vg_lscale3(x, s);
    A[r].c[c + 1] -= x.z, A[r].c[c + 2] += x.y;
    A[r + 1].c[c] += x.z, A[r + 1].c[c + 2] -= x.x;
    A[r + 2].c[c] -= x.y, A[r + 2].c[c + 1] += x.x;
}

VG_LANEWISE void cross6(vgLane3 v, vgLane3 w, const vgLane *s, vgLane *o)
{
    vgLane3 a = vg_ladd3(vg_lcross3(w, three(s)), vg_lcross3(v, three(s + 3))),
            b = vg_lcross3(w, three(s + 3));
    o[0] = a.x, o[1] = a.y, o[2] = a.z;
    o[3] = b.x, o[4] = b.y, o[5] = b.z;
}

/* How the part moves that a coordinate moves from. */
typedef struct Parent {
    vgLane3 v, w, a, dw;
} Parent;

VG_LANEWISE void sigma_one(const Parent *p, const vgLane *S, const vgTreeCoef *c, vgLane *o)
{
    vgLane psi[6], psi2[6], x[6];
    cross6(p->v, p->w, S, psi);
    cross6(p->a, p->dw, S, psi2);
    cross6(p->v, p->w, psi, x);
    for (int r = 0; r < 6; r++) {
        o[r] = c->one * S[r] + 2 * c->c1 * psi[r] + c->c2 * (psi2[r] + x[r]);
        o[6 + r] = c->c1 * S[r] + c->c2 * psi[r];
        o[12 + r] = c->c2 * S[r];
    }
}

VG_LANEWISE vgLane pick(const double *x, const int v[VG_LANES], int k)
{
    return (vgLane){x[v[0] + k], x[v[1] + k], x[v[2] + k], x[v[3] + k]};
}

VG_LANEWISE void see_parent(const vgTree *s, const vgTreeWork *w, const Four *o, Parent *p)
{
    enum { FROM = 12, N = 12 }; /* v, w, A of vgLinkMotion */
    vgLane x[N];
    const double *at[VG_LANES];
    int ground = o->nstep == 1;
    for (int l = 0; l < VG_LANES; l++) at[l] = &w->m[ground ? s->nlink : o->step[1].link[l]].R.m[0][0] + FROM;
    gather(at, ground || o->step[1].same, N, x);
    vgLane3 d = arm_of(w, o->step);
    *p = (Parent){three(x), three(x + 3), three(x + 6), three(x + 9)};
    if (ground) {
        vgVec3 g = s->base.model->gravity;
        p->a = (vgLane3){vg_lane(-g.x), vg_lane(-g.y), vg_lane(-g.z)};
        p->dw = vg_lzero3();
        return;
    }
    p->v = vg_ladd3(p->v, vg_lcross3(p->w, d));
    p->a = vg_ladd3(p->a, vg_lcross3(p->dw, d));
}

int vg_tree_wide_sigma(vgTreeWide *x, const vgTreeFill *f, int four)
{
    const vgTree *s = f->s;
    vgTreeWork *w = f->w;
    Four *o = &x->four[four];
    const Step *at = o->step;
    Parent p;
    int v[VG_LANES];
    if (o->lanes == 0 || !f->t) return 0;
    for (int l = 0; l < VG_LANES; l++) v[l] = s->link[at->link[l]].v0;
    see_parent(s, w, o, &p);
    for (int k = 0; k < at->nv; k++) {
        vgLane S[6], y[6], *to = o->sigma[k];
        columns(s, at, w->S, 6, k, S);
        sigma_one(&p, S, f->c, to);
        for (int l = 0; l < o->lanes; l++)
            for (int i = 0; i < 18; i++) w->sigma[18 * (v[l] + k) + i] = to[i][l];
        if (k + 1 == at->nv) break;
        vgLane rate = pick(f->t->v, v, k), acc = pick(f->t->a, v, k);
        cross6(p.v, p.w, S, y);
        p.a = vg_ladd3(p.a, vg_laxpy3(rate, three(y), vg_lscale3(three(S), acc)));
        p.dw = vg_ladd3(p.dw, vg_laxpy3(rate, three(y + 3), vg_lscale3(three(S + 3), acc)));
        p.v = vg_laxpy3(rate, three(S), p.v);
        p.w = vg_laxpy3(rate, three(S + 3), p.w);
    }
    return 1;
}

/* What vgLinkMotion begins with. */
typedef struct Motion {
    vgLane33 R;
    vgLane3 p, v, w, Av, Aw, d;
    vgLane spare;
} Motion;
enum { MOTION = 28 };
_Static_assert(sizeof(Motion) == MOTION * sizeof(vgLane) && offsetof(vgLinkMotion, d) == 24 * sizeof(double),
               "as vgLinkMotion");

VG_LANEWISE void own_block(const vgLinkFour *g, const Motion *m, const vgLane *wrench, Row *A)
{
    vgLane33 J = vg_lmmt3(vg_lmm3(m->R, g->J), m->R);
    vgLane3 h = vg_lmv3(J, m->w), F = vg_lscale3(vg_ladd3(m->Av, vg_lcross3(m->w, m->v)), g->mass);
    vgLane3 T = vg_ladd3(vg_lmv3(J, m->Aw), vg_lcross3(m->w, h));
    vgLane33 C = vg_lmsub3(vg_lcross_mat3(m->w, J), vg_lmat_cross3(J, m->w));
    vgLane minus = vg_lane(-1);
    for (int i = 0; i < 3; i++) {
        A[i].c[i] += g->mass;
        for (int j = 0; j < 3; j++) A[3 + i].c[3 + j] += J.m[i][j], A[3 + i].c[9 + j] += C.m[i][j];
    }
    put_skew(A, 0, 9, m->v, -2 * g->mass);
    put_skew(A, 3, 9, h, minus);
    put_skew(A, 0, 15, F, minus);
    put_skew(A, 3, 12, vg_ladd3(F, three(wrench)), minus);
    put_skew(A, 3, 15, vg_ladd3(T, three(wrench + 3)), minus);
}

VG_LANEWISE vgLane dot(const Row *a, const Row *b)
{
    vgLane x = a->c[0] * b->c[0], y = a->c[1] * b->c[1];
    for (int k = 2; k < 18; k += 2) x += a->c[k] * b->c[k], y += a->c[k + 1] * b->c[k + 1];
    return x + y;
}

VG_LANEWISE void row_column(const Row *A, const vgLane *F, Joint *o)
{
    vgLane col[6];
    for (int r = 0; r < 6; r++) col[r] = vg_lane(0);
    for (int c = 0; c < 18; c++) {
        vgLane x = vg_lane(0);
        for (int r = 0; r < 6; r++) {
            x += o->S[r] * A[r].c[c];
            col[r] += A[r].c[c] * o->sigma.c[c];
        }
        o->h.c[c] = x;
    }
    vgLane3 Sv = three(o->S), Sw = three(o->S + 3), a = vg_lcross3(Sw, three(F));
    vgLane3 b = vg_ladd3(vg_lcross3(Sv, three(F)), vg_lcross3(Sw, three(F + 3)));
    o->turn[0] = a.x, o->turn[1] = a.y, o->turn[2] = a.z;
    o->turn[3] = b.x, o->turn[4] = b.y, o->turn[5] = b.z;
    for (int k = 0; k < 6; k++) o->h.c[12 + k] += o->turn[k];
    o->F = three(col);
    o->T = three(col + 3);
}

VG_LANEWISE void carry_row(Row *h, vgLane3 d)
{
    for (int k = 0; k < 18; k += 6) {
        vgLane *x = h->c + k;
        x[3] -= x[1] * d.z - x[2] * d.y;
        x[4] -= x[2] * d.x - x[0] * d.z;
        x[5] -= x[0] * d.y - x[1] * d.x;
    }
}

static void own_entries(const vgTreeWork *w, const vgTree *s, const Four *o, const vgTreeCoef *c,
                        const Joint *j)
{
    const Step *at = o->step;
    for (int k = 0; k < at->nv; k++)
        for (int e = 0; e < at->nv; e++) {
            vgLane x = dot(&j[k].h, &j[e].sigma);
            for (int i = 0; e > k && i < 6; i++) x -= j[k].turn[i] * j[e].sigma.c[12 + i];
            for (int l = 0; l < o->lanes; l++) {
                double own = k == e ? vg_tree_joint_pivot(w, s->link[at->link[l]].v0 + k, c) : 0;
                at->across[l][k * at->wide[l] + e] += x[l] + own;
            }
        }
}

/* With the joints of one step further up. */
VG_LANEWISE void couple(const vgTreeWide *all, const vgTree *s, const vgTreeWork *w, const Four *o,
                        const Step *at, int nv, const Joint *j)
{
    for (int e = 0; e < at->nv; e++) {
        Row sigma;
        vgLane S[6];
        if (at->four >= 0)
            memcpy(&sigma, all->four[at->four].sigma[e], sizeof sigma);
        else
            columns(s, at, w->sigma, 18, e, sigma.c);
        columns(s, at, w->S, 6, e, S);
        for (int k = 0; k < nv; k++) {
            vgLane x = dot(&j[k].h, &sigma), y = vg_ldot3(three(S), j[k].F) + vg_ldot3(three(S + 3), j[k].T);
            for (int l = 0; l < o->lanes; l++) {
                at->across[l][k * at->wide[l] + e] += x[l];
                at->down[l][e * at->narrow[l] + k] += y[l];
            }
        }
    }
}

/* The same with a body that floats, whose first three coordinates are the axes of W. */
VG_LANEWISE void couple_floating(const vgTree *s, const vgTreeWork *w, const Four *o, const Step *at, int nv,
                                 const vgTreeCoef *c, const Joint *j)
{
    const double *sigma = w->sigma + 18 * s->link[at->link[0]].v0, *S = w->S + 6 * s->link[at->link[0]].v0;
    for (int k = 0; k < nv; k++) {
        const vgLane *h = j[k].h.c, *F = &j[k].F.x;
        vgLane x[6], y[6];
        for (int e = 0; e < 3; e++) {
            const double *g = sigma + 18 * (3 + e), *u = S + 6 * (3 + e) + 3;
            x[e] = c->one * h[e] + c->c1 * h[6 + e] + c->c2 * h[12 + e];
            y[e] = F[e];
            vgLane sum = h[15] * g[15] + h[16] * g[16] + h[17] * g[17];
            for (int i = 0; i < 12; i++) sum += h[i] * g[i];
            x[3 + e] = sum;
            y[3 + e] = j[k].T.x * u[0] + j[k].T.y * u[1] + j[k].T.z * u[2];
        }
        for (int l = 0; l < o->lanes; l++)
            for (int e = 0; e < 6; e++) {
                at->across[l][k * at->wide[l] + e] += x[e][l];
                at->down[l][e * at->narrow[l] + k] += y[e][l];
            }
    }
}

/* Xᵀ 𝔸 X, added to that of the parents. */
VG_LANEWISE void carry(vgTreeWide *all, Row *A, vgLane3 d, const Four *o, vgTreeWork *w)
{
    for (int r = 0; r < 6; r++) carry_row(&A[r], d);
    for (int c = 0; c < 18; c++) {
        vgLane x = A[0].c[c], y = A[1].c[c], z = A[2].c[c];
        A[3].c[c] += d.y * z - d.z * y;
        A[4].c[c] += d.z * x - d.x * z;
        A[5].c[c] += d.x * y - d.y * x;
    }
    vgLane *x = A[0].c;
    Four *up = o->step[1].four >= 0 ? &all->four[o->step[1].four] : NULL;
    if (up) {
        for (int i = 0; i < BLOCK; i++) up->A[i] = up->filled ? up->A[i] + x[i] : x[i];
        up->filled = 1;
        return;
    }
    for (int i = 0; i < BLOCK; i += 4) {
        vg_lane_turn(x + i);
        if (o->step[1].same && o->lanes == VG_LANES)
            *(vgLaneLoose *)(w->extra + BLOCK * (size_t)o->step[1].link[0] + i) +=
                (x[i] + x[i + 1]) + (x[i + 2] + x[i + 3]);
        else
            for (int l = 0; l < o->lanes; l++)
                *(vgLaneLoose *)(w->extra + BLOCK * (size_t)o->step[1].link[l] + i) += x[i + l];
    }
}

/* What there is of 𝔸 in the four and, unless that is all, in the blocks of its links. */
VG_LANEWISE void fetch(Four *o, const vgLinkFour *g, const vgTreeFill *f)
{
    const double *at[VG_LANES];
    vgLane x[4];
    if (!o->filled) memset(o->A, 0, BLOCK * sizeof *o->A);
    o->filled = 0;
    if (o->alone && !f->w->base.held) return;
    for (int l = 0; l < VG_LANES; l++) at[l] = f->w->extra + BLOCK * (size_t)g->link[l];
    for (int i = 0; i < BLOCK; i += 4) {
        vg_lane_gather(at, i, x);
        for (int k = 0; k < 4; k++) o->A[i + k] += x[k];
    }
}

int vg_tree_wide_add(vgTreeWide *x, const vgTreeFill *f, int four)
{
    const vgTree *s = f->s;
    vgTreeWork *w = f->w;
    Four *o = &x->four[four];
    const vgLinkFour *g = &s->four[four];
    Row *A = (Row *)(void *)o->A;
    Joint j[2];
    vgLane F[6], wrench[6];
    const double *at[VG_LANES];
    Motion m;
    if (o->lanes == 0 || !f->t) return 0;
    w->base.taken |= VG_FAST_WIDE;
    fetch(o, g, f);
    for (int l = 0; l < VG_LANES; l++) at[l] = &w->m[g->link[l]].R.m[0][0];
    gather(at, 0, MOTION, (vgLane *)&m);
    per_link(f->m->wrench, g->link, 6, wrench);
    per_link(f->m->F, g->link, 6, F);
    own_block(g, &m, wrench, A);
    int nv = o->step[0].nv;
    for (int k = 0; k < nv; k++) {
        columns(s, o->step, w->S, 6, k, j[k].S);
        memcpy(&j[k].sigma, o->sigma[k], sizeof j[k].sigma);
        row_column(A, F, &j[k]);
    }
    own_entries(w, s, o, f->c, j);
    for (int i = 1; i < o->nstep; i++) {
        const Step *up = &o->step[i];
        vgLane3 d = arm_of(w, &o->step[i - 1]);
        for (int k = 0; k < nv; k++) {
            carry_row(&j[k].h, d);
            j[k].T = vg_ladd3(j[k].T, vg_lcross3(d, j[k].F));
        }
        if (up->same && s->link[up->link[0]].way == VG_LINK_FLOAT)
            couple_floating(s, w, o, up, nv, f->c, j);
        else
            couple(x, s, w, o, up, nv, j);
    }
    if (o->nstep > 1) carry(x, A, m.d, o, w);
    return 1;
}

/* A line of elements in absolute coordinates, from its far end to its root and back.
 *
 * Four elements are evaluated side by side (element/force/lanes.h). Their inner nodes are eliminated in the
 * same lanes; what is left are four elements of two nodes (near n, far f) with matrices S and right sides y.
 * They are taken one after the other, (F, r) being what the far node has got from the elements before:
 *
 *     (F + S_ff) x_f + S_fn x_n + H x_t = r + y_f       F ← S_nn − S_nf (F + S_ff)⁻¹ S_fn,   and so on for
 *     S_nf x_f + S_nn x_n + … = y_n                     r, H and the rows G, T of a far end t that is held,
 *
 * so that of an element only what gives x_f and the inner node from x_n (and x_t) is kept, a kilobyte;
 * forces, tangents and the motion of the nodes stay in the first cache. */
#include "system/absolute/lines.h"

#include <math.h>
#include <string.h>

#include "linalg/lin/kernel.h"

#define INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum { LD = 8, COLS = 13 };             /* rows of a padded column; columns of an inner node's solution */
static const double PIVOT_FLOOR = 1e-8; /* of what a diagonal entry was */

typedef struct Front { /* the node reached: its matrix and right side, and those of a far end that is held */
    double F[6 * LD] __attribute__((aligned(32)));
    double H[6 * LD] __attribute__((aligned(32)));
    double G[6 * LD] __attribute__((aligned(32)));
    double T[6 * LD] __attribute__((aligned(32)));
    double r[LD] __attribute__((aligned(32)));
    double t[LD] __attribute__((aligned(32)));
    double was[LD] __attribute__((aligned(32))); /* its diagonal before anything was taken from it */
    vgKin kin;
    vgMat3 V;
    int held, none; /* there is a held end; it is the node reached */
} Front;

typedef struct Element { /* two nodes, by columns */
    double ff[6 * LD] __attribute__((aligned(32)));
    double fn[6 * LD] __attribute__((aligned(32)));
    double nf[6 * LD] __attribute__((aligned(32)));
    double nn[6 * LD] __attribute__((aligned(32)));
    double yf[LD] __attribute__((aligned(32))), yn[LD] __attribute__((aligned(32)));
} Element;

/* ---- four elements ---- */

typedef struct Four {
    const vgKin *at[VG_LANES * VG_LANE_BODIES];
    const vgMat3 *V[VG_LANES * VG_LANE_BODIES];
    vgLane K[36 * VG_LANE_BODIES * VG_LANE_BODIES]; /* becomes the matrix */
    vgLane y[6 * VG_LANE_BODIES];                   /* wrenches, becomes the right side */
} Four;

INLINE vgLane33 gather33(const vgMat3 *const m[VG_LANES])
{
    const double *const at[VG_LANES] = {&m[0]->m[0][0], &m[1]->m[0][0], &m[2]->m[0][0], &m[3]->m[0][0]};
    vgLane x[8];
    vg_lane_gather(at, 0, x);
    vg_lane_gather(at, 4, x + 4);
    vgLane last = {at[0][8], at[1][8], at[2][8], at[3][8]};
    return (vgLane33){{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], last}}};
}

/* The bodies' own inertia: M V + c1 C V and −r/ca, as in absolute/tangent.c and absolute/eval.c. */
static void add_inertia(const vgLinePoint *x, const vgLineBody b[VG_LANES], const vgKin *const *k,
                        const vgMat3 *const *V, vgLane *D, vgLane *y)
{
    const vgMat3 *const inertia[VG_LANES] = {&b[0].J, &b[1].J, &b[2].J, &b[3].J};
    const double *const at[VG_LANES] = {&k[0]->w.x, &k[1]->w.x, &k[2]->w.x, &k[3]->w.x};
    const vgLane mass = {b[0].mass, b[1].mass, b[2].mass, b[3].mass};
    vgLane m[8];
    vg_lane_gather(at, 0, m);
    vg_lane_gather(at, 4, m + 4);
    const vgLane last = {at[0][8], at[1][8], at[2][8], at[3][8]};
    const vgLane3 w = {m[0], m[1], m[2]}, dw = {m[6], m[7], last};
    const vgLane33 J = gather33(inertia);
    const vgLane3 Jw = vg_lmv3(J, w), turn = vg_ladd3(vg_lmv3(J, dw), vg_lcross3(w, Jw));
    vgLane33 rr = vg_lmaxpy3(vg_lane(x->c1), vg_lmsub3(vg_lcross_mat3(w, J), vg_lskew3(Jw)), J);
    if (x->turning) rr = vg_lmm3(rr, gather33(V));
    for (int i = 0; i < 3; i++) {
        D[7 * i] += mass;
        for (int j = 0; j < 3; j++) D[6 * (3 + i) + 3 + j] += rr.m[i][j];
    }
    y[0] -= x->c2 * mass * (m[3] - x->g.x);
    y[1] -= x->c2 * mass * (m[4] - x->g.y);
    y[2] -= x->c2 * mass * (m[5] - x->g.z);
    y[3] -= x->c2 * turn.x;
    y[4] -= x->c2 * turn.y;
    y[5] -= x->c2 * turn.z;
}

/* K −= (c1/c2) … : columns of velocities through the stage map, so that −c2 K has them all */
static void add_damping(const vgLinePoint *x, int nn, Four *e, vgLane *C)
{
    const double by = x->c1 / x->c2;
    for (int b = 0; b < nn; b++) {
        const vgLane33 V = gather33(e->V + VG_LANES * b);
        for (int a = 0; a < nn; a++) {
            const vgLane *from = C + 36 * (nn * a + b);
            vgLane *to = e->K + 36 * (nn * a + b);
            for (int i = 0; i < 36; i += 6) {
                vgLane3 t = vg_lmtv3(V, (vgLane3){from[i + 3], from[i + 4], from[i + 5]});
                for (int j = 0; j < 3; j++) to[i + j] += by * from[i + j];
                to[i + 3] += by * t.x, to[i + 4] += by * t.y, to[i + 5] += by * t.z;
            }
        }
    }
}

/* Matrix and right side of four elements with their bodies' inertia. */
static void evaluate(const vgLinePoint *x, const vgLine *l, const vgLineGroup *g, Four *e)
{
    const int nn = l->nn, pairs = nn * nn;
    const vgLanePack *pack = g->pack;
    memset(e->K, 0, (size_t)(36 * pairs) * sizeof *e->K);
    memset(e->y, 0, sizeof e->y);
    if (pack->damped && x->c1 != 0) {
        vgLane C[36 * VG_LANE_BODIES * VG_LANE_BODIES];
        memset(C, 0, (size_t)(36 * pairs) * sizeof *C);
        g->ops->eval(pack, e->at, x->g, e->y, e->K, C);
        add_damping(x, nn, e, C);
    } else {
        g->ops->eval(pack, e->at, x->g, e->y, e->K, NULL);
    }
    for (int p = 0; p < pairs; p++) {
        vgLane *K = e->K + 36 * p;
        for (int i = 0; i < 36; i++) K[i] *= -x->c2;
        for (int i = 0; i < 3; i++) K[7 * i] += pack->mass[p];
    }
    for (int i = 0; i < 6 * nn; i++) e->y[i] *= x->c2;
    add_inertia(x, g->near, e->at + VG_LANES * l->near, e->V + VG_LANES * l->near,
                e->K + 36 * (nn + 1) * l->near, e->y + 6 * l->near);
    if (nn == 3) add_inertia(x, g->mid, e->at + VG_LANES, e->V + VG_LANES, e->K + 36 * 4, e->y + 6);
}

/* D = L U in place, pivots inverted. 0: one has lost too much. */
static int factor_inner(vgLane *D)
{
    vgLaneMask good = {-1, -1, -1, -1};
    vgLane was[6];
    for (int p = 0; p < 6; p++) was[p] = D[7 * p] * D[7 * p];
    UNROLL for (int p = 0; p < 6; p++)
    {
        good &= D[7 * p] * D[7 * p] > PIVOT_FLOOR * PIVOT_FLOOR * was[p];
        D[7 * p] = 1 / D[7 * p];
        UNROLL for (int i = p + 1; i < 6; i++)
        {
            D[6 * i + p] *= D[7 * p];
            UNROLL for (int j = p + 1; j < 6; j++) D[6 * i + j] -= D[6 * i + p] * D[6 * p + j];
        }
    }
    return good[0] & good[1] & good[2] & good[3] & 1;
}

/* One column of the inner node's solution. */
INLINE void solve_inner(const vgLane *D, const vgLane *from, int stride, vgLane *to)
{
    vgLane z[6];
    UNROLL for (int i = 0; i < 6; i++)
    {
        z[i] = from[stride * i];
        UNROLL for (int p = 0; p < i; p++) z[i] -= D[6 * i + p] * z[p];
    }
    UNROLL for (int i = 5; i >= 0; i--)
    {
        UNROLL for (int p = i + 1; p < 6; p++) z[i] -= D[6 * i + p] * z[p];
        z[i] *= D[7 * i];
    }
    UNROLL for (int i = 0; i < 6; i++) to[COLS * i] = z[i];
}

/* Eliminates the inner nodes of four elements. U (6 × 13) receives their solution in terms of near node (6), far
 * node (6) and right side (1); the matrices of the two outer nodes are reduced by the Schur complement. */
static int condense(Four *e, int near, int far, vgLane *U)
{
    vgLane *D = e->K + 36 * 4, *Kn = e->K + 36 * (3 + near), *Kf = e->K + 36 * (3 + far);
    if (!factor_inner(D)) return 0;
    for (int j = 0; j < 6; j++) solve_inner(D, Kn + j, 6, U + j);
    for (int j = 0; j < 6; j++) solve_inner(D, Kf + j, 6, U + 6 + j);
    solve_inner(D, e->y + 6, 1, U + 12);
    for (int a = 0; a < 3; a += 2)
        for (int i = 0; i < 6; i++) {
            const vgLane *W = e->K + 36 * (3 * a + 1) + 6 * i;
            vgLane w[6], *to[2] = {e->K + 36 * (3 * a + near) + 6 * i, e->K + 36 * (3 * a + far) + 6 * i};
            vgLane sum = e->y[6 * a + i];
            UNROLL for (int p = 0; p < 6; p++) w[p] = W[p];
            for (int j = 0; j < 12; j++) {
                vgLane s = to[j / 6][j % 6];
                UNROLL for (int p = 0; p < 6; p++) s -= w[p] * U[COLS * p + j];
                to[j / 6][j % 6] = s;
            }
            UNROLL for (int p = 0; p < 6; p++) sum -= w[p] * U[COLS * p + 12];
            e->y[6 * a + i] = sum;
        }
    return 1;
}

/* A block of four elements to columns of each. */
INLINE void unpack(const vgLane *K, int stride, int cols, double *const out[VG_LANES])
{
    for (int j = 0; j < cols; j++) {
        vgLane high[4], low[4] = {K[stride * 4 + j], K[stride * 5 + j], vg_lane(0), vg_lane(0)};
        for (int i = 0; i < 4; i++) high[i] = K[stride * i + j];
        vg_lane_turn(high);
        vg_lane_turn(low);
        for (int k = 0; k < VG_LANES; k++) {
            *(vgLane *)(out[k] + LD * j) = high[k];
            *(vgLane *)(out[k] + LD * j + 4) = low[k];
        }
    }
}

static void unpack_all(const Four *e, const vgLine *l, Element *out)
{
    const int nn = l->nn, n = l->near, f = l->far;
#define TO(part) ((double *const[VG_LANES]){out[0].part, out[1].part, out[2].part, out[3].part})
    unpack(e->K + 36 * (nn * f + f), 6, 6, TO(ff));
    unpack(e->K + 36 * (nn * f + n), 6, 6, TO(fn));
    unpack(e->K + 36 * (nn * n + f), 6, 6, TO(nf));
    unpack(e->K + 36 * (nn * n + n), 6, 6, TO(nn));
    unpack(e->y + 6 * f, 1, 1, TO(yf));
    unpack(e->y + 6 * n, 1, 1, TO(yn));
#undef TO
}

/* ---- one after the other ---- */

#define AT(p) (*(const vgLane *)(p))
#define TO(p) (*(vgLane *)(p))

/* C −= A B, n columns; C comes from `from`, NULL: zero */
INLINE void take(double *C, const double *from, const double *A, const double *B, int n)
{
    for (int j = 0; j < n; j++, C += LD, B += LD) {
        vgLane s0 = vg_lane(0), s1 = s0;
        if (from) s0 = AT(from), s1 = AT(from + 4), from += LD;
        UNROLL for (int p = 0; p < 6; p++)
        {
            s0 -= AT(A + LD * p) * B[p];
            s1 -= AT(A + LD * p + 4) * B[p];
        }
        TO(C) = s0;
        TO(C + 4) = s1;
    }
}

INLINE void add(double *to, const double *a, const double *b, int columns)
{
    for (int i = 0; i < LD * columns; i += 4) TO(to + i) = AT(a + i) + AT(b + i);
}

static void start_held(Front *c, const Element *e)
{
    memcpy(c->T, e->ff, sizeof c->T);
    memcpy(c->t, e->yf, sizeof c->t);
    memcpy(c->G, e->fn, sizeof c->G);
    memcpy(c->H, e->nf, sizeof c->H);
    memcpy(c->F, e->nn, sizeof c->F);
    memcpy(c->r, e->yn, sizeof c->r);
    c->none = 0;
}

/* The far node of an element is eliminated; its solution by near (6), held end (6) and right side (1) is kept
 * in columns of six. */
static int step(Front *c, const Element *e, double *keep)
{
    double P[(6 + COLS) * LD] __attribute__((aligned(32))),
        scratch[2 * 6 * LD + LD] __attribute__((aligned(32)));
    double history[LD] __attribute__((aligned(32))) = {0};
    int order[2 * LD];
    const int width = c->held ? COLS : 7;
    double *U = P + 6 * LD, *right = U + LD * (width - 1);
    if (c->none) {
        start_held(c, e);
        for (int i = 0; i < 6; i++) c->was[i] = fabs(e->nn[(LD + 1) * i]);
        return 1;
    }
    add(P, c->F, e->ff, 6);
    memcpy(U, e->fn, sizeof e->fn);
    if (c->held) memcpy(U + 6 * LD, c->H, sizeof c->H);
    add(right, c->r, e->yf, 1);
    for (int i = 0; i < 6; i++) {
        double now = fabs(e->ff[(LD + 1) * i]);
        history[i] = now > c->was[i] ? now : c->was[i];
        c->was[i] = fabs(e->nn[(LD + 1) * i]);
    }
    if (!vg_lin_pivot_kernels[6](P, 6, LD, width, history, scratch) &&
        vg_lin_pivot_carefully(P, 6, LD, width, history, PIVOT_FLOOR, scratch, order, NULL) >= 0)
        return 0;
    for (int j = 0; j < width; j++) { /* each column overwrites what the last wrote too much */
        *(vgLaneLoose *)(keep + 6 * j) = AT(U + LD * j);
        *(vgLaneLoose *)(keep + 6 * j + 4) = AT(U + LD * j + 4);
    }
    take(c->F, e->nn, e->nf, U, 6);
    take(c->r, e->yn, e->nf, right, 1);
    if (!c->held) return 1;
    double G[6 * LD] __attribute__((aligned(32)));
    memcpy(G, c->G, sizeof G);
    take(c->H, NULL, e->nf, U + 6 * LD, 6);
    take(c->T, c->T, G, U + 6 * LD, 6);
    take(c->t, c->t, G, right, 1);
    take(c->G, NULL, G, U, 6);
    return 1;
}

INLINE double *kept(const vgLines *w, const vgLine *l, int slot)
{
    return w->keep + l->keep + (size_t)slot * l->stride;
}

/* ---- ahead of the caches ---- */

/* Prefetch. Long lines do not fit the caches, so the data of the next group are prefetched while this one is
 * computed, a few cache lines at a time: a processor stalls when more than about twenty loads are outstanding. */
enum { LINE = 64, PIECES = 4 };
typedef struct Fetch {
    const char *at[PIECES];
    int lines[PIECES]; /* left of each */
} Fetch;

INLINE int lines_of(size_t bytes)
{
    return (int)((bytes + LINE - 1) / LINE);
}

INLINE void fetch_some(Fetch *f, int most)
{
    for (int p = 0; p < PIECES && most > 0; p++)
        for (; f->lines[p] > 0 && most > 0; f->lines[p]--, f->at[p] += LINE, most--)
            __builtin_prefetch(f->at[p], 1);
}

/* What a line keeps of a group, its constants and the description of the one after it. */
static Fetch fetch_of(const vgLines *w, const vgLine *l, int slot)
{
    Fetch f = {{0}, {0}};
    if (slot < 0 || slot >= l->ngroup || !l->is_long) return f;
    const vgLineGroup *g = &w->group[l->first + slot];
    f.at[0] = (const char *)kept(w, l, slot), f.lines[0] = lines_of(l->stride * sizeof(double));
    f.at[1] = (const char *)g->pack, f.lines[1] = lines_of(g->ops->pack_used);
    if (slot + 1 < l->ngroup) f.at[2] = (const char *)(g + 1), f.lines[2] = lines_of(sizeof *g);
    return f;
}

/* The state of a body of the next group. */
INLINE void fetch_state(const vgLinePoint *x, const vgLine *l, const vgLineBody *b)
{
    const vgAffine *s = x->s;
    if (!s || !l->is_long) return;
    __builtin_prefetch(s->delta + b->v0);
    __builtin_prefetch(s->dhat + b->v0);
    __builtin_prefetch(s->vhat + b->v0);
    __builtin_prefetch(s->q_r + b->q0);
}

/* ---- the line ---- */

/* The k-th of n lanes from the far end. */
INLINE int lane_at(const vgLine *l, int n, int k)
{
    return l->near == 0 ? n - 1 - k : k;
}

static int up_group(const vgLines *w, const vgLinePoint *x, const vgLine *l, int slot, Front *c)
{
    const vgLineGroup *g = &w->group[l->first + slot], *next = slot + 1 < l->ngroup ? g + 1 : g;
    const int last = next == g;
    double *keep = kept(w, l, slot);
    Fetch ahead = fetch_of(w, l, slot + 1);
    const int n = g->n;
    vgKin near[VG_LANES], mid[VG_LANES];
    vgMat3 Vn[VG_LANES], Vm[VG_LANES];
    Four e;
    Element one[VG_LANES];
    const vgKin *far = &c->kin;
    const vgMat3 *Vf = &c->V;
    for (int k = 0; k < n; k++) {
        const int i = lane_at(l, n, k), root = last && k == n - 1;
        fetch_state(x, l, &next->near[i]);
        fetch_some(&ahead, 10);
        if (root) near[i] = x->kin[l->root], Vn[i] = vg_eye3();
        if (!root || x->turning) {
            vgKin again;
            vg_line_look(x, &g->near[i], root ? &again : &near[i], &Vn[i]);
        }
        e.at[VG_LANES * l->near + i] = &near[i], e.V[VG_LANES * l->near + i] = &Vn[i];
        e.at[VG_LANES * l->far + i] = far, e.V[VG_LANES * l->far + i] = Vf;
        far = &near[i], Vf = &Vn[i];
        if (l->nn != 3) continue;
        fetch_state(x, l, &next->mid[i]);
        fetch_some(&ahead, 10);
        vg_line_look(x, &g->mid[i], &mid[i], &Vm[i]);
        e.at[VG_LANES + i] = &mid[i], e.V[VG_LANES + i] = &Vm[i];
    }
    for (int i = n; i < VG_LANES; i++)
        for (int a = 0; a < l->nn; a++) {
            e.at[VG_LANES * a + i] = e.at[VG_LANES * a + n - 1];
            e.V[VG_LANES * a + i] = e.V[VG_LANES * a + n - 1];
        }
    fetch_some(&ahead, 16);
    evaluate(x, l, g, &e);
    fetch_some(&ahead, 16);
    if (l->nn == 3) {
        if (!condense(&e, l->near, l->far, (vgLane *)keep)) return 0;
        keep += VG_LANES * 6 * COLS;
    }
    unpack_all(&e, l, one);
    const size_t room = (size_t)vg_line_room(c->held);
    for (int k = 0; k < n; k++) {
        const int i = lane_at(l, n, k);
        fetch_some(&ahead, 10);
        if (!step(c, &one[i], keep + room * (size_t)i)) return 0;
    }
    c->kin = *far, c->V = *Vf;
    return 1;
}

/* A free end by itself. */
static void start_free(const vgLinePoint *x, const vgLineBody *b, Front *c)
{
    const vgLineBody four[VG_LANES] = {*b, *b, *b, *b};
    const vgKin *const k[VG_LANES] = {&c->kin, &c->kin, &c->kin, &c->kin};
    const vgMat3 *const V[VG_LANES] = {&c->V, &c->V, &c->V, &c->V};
    vgLane D[36] = {{0}}, y[6] = {{0}};
    vg_line_look(x, b, &c->kin, &c->V);
    add_inertia(x, four, k, V, D, y);
    for (int i = 0; i < 6; i++) {
        c->r[i] = y[i][0];
        for (int j = 0; j < 6; j++) c->F[LD * j + i] = D[6 * i + j][0];
        c->was[i] = fabs(D[7 * i][0]);
    }
}

static void give(const double *from, double *block)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) block[6 * i + j] += from[LD * j + i];
}

int vg_line_up(const vgLines *w, const vgLine *l, const vgLinePoint *x, double *at_root, double *at_tip)
{
    Front c;
    memset(&c, 0, sizeof c);
    c.held = c.none = l->tip >= 0;
    if (c.held) {
        vg_line_look(x, &l->end, &c.kin, &c.V);
        c.kin = x->kin[l->tip];
    } else {
        start_free(x, &l->end, &c);
    }
    for (int i = 0; i < l->ngroup; i++)
        if (!up_group(w, x, l, i, &c)) return 0;
    give(c.F, l->block[0]);
    for (int i = 0; i < 6; i++) at_root[i] += c.r[i];
    if (!c.held) return 1;
    give(c.H, l->block[1]);
    give(c.G, l->block[2]);
    give(c.T, l->block[3]);
    for (int i = 0; i < 6; i++) at_tip[i] += c.t[i];
    return 1;
}

/* x −= columns of six times y */
INLINE void less(const double *U, const double *y, vgLane *x0, vgLane *x1)
{
    UNROLL for (int p = 0; p < 6; p++)
    {
        *x0 -= *(const vgLaneLoose *)(U + 6 * p) * y[p];
        *x1 -= *(const vgLaneLoose *)(U + 6 * p + 4) * y[p];
    }
}

static void down_inner(const double *const near[VG_LANES], const double *const far[VG_LANES], const vgLane *U,
                       int bare, double out[VG_LANES][LD])
{
    vgLane b[16], x[8];
    vg_lane_gather(near, 0, b);
    vg_lane_gather(near, 4, b + 4);
    vg_lane_gather(far, 0, b + 8);
    vg_lane_gather(far, 4, b + 12);
    for (int i = 0; i < 6; i++, U += COLS) {
        vgLane s = bare ? vg_lane(0) : U[12], t = vg_lane(0);
        UNROLL for (int j = 0; j < 6; j++)
        {
            s -= U[j] * b[j];
            t -= U[6 + j] * b[8 + j];
        }
        x[i] = s + t;
    }
    x[6] = x[7] = vg_lane(0);
    vg_lane_turn(x);
    vg_lane_turn(x + 4);
    for (int k = 0; k < VG_LANES; k++) {
        TO(out[k]) = x[k];
        TO(out[k] + 4) = x[4 + k];
    }
}

static void put(const vgLinePoint *x, int v0, const double *dx, double *x_v, vgLineMost *most)
{
    memcpy(x_v + v0, dx, 6 * sizeof *dx);
    if (x->s) vg_line_move(x, v0, dx, most);
}

/* The near body of the k-th element of a group from the far end. */
INLINE const vgLineBody *near_at(const vgLine *l, const vgLineGroup *g, int k)
{
    return &g->near[lane_at(l, g->n, k)];
}

/* The body that the k-th element of the i-th group has on its far side. */
INLINE const vgLineBody *far_at(const vgLine *l, const vgLineGroup *g, int i, int k)
{
    if (k > 0) return near_at(l, g, k - 1);
    return i > 0 ? near_at(l, g - 1, g[-1].n - 1) : &l->end;
}

/* Eliminates the far nodes one after the other, starting from the last near node in `from`. Returns the last of
 * them, and where the nodes of each lane are. */
static const double *down_outer(const vgLine *l, const vgLineGroup *g, const double *keep, const double *tip,
                                int first, int bare, const double *from, double at[VG_LANES][LD],
                                const double *near[VG_LANES], const double *far[VG_LANES])
{
    const int n = g->n, held = l->tip >= 0, right = 6 * (held ? COLS : 7) - 6;
    for (int k = n - 1; k >= 0; k--) {
        const int lane = lane_at(l, n, k);
        const double *U = keep + (size_t)(vg_line_room(held) * lane);
        near[lane] = from;
        far[lane] = from = at[lane];
        if (first && k == 0 && held) {
            memcpy(at[lane], tip, sizeof at[lane]);
            break;
        }
        vgLane x0 = *(const vgLaneLoose *)(U + right), x1 = *(const vgLaneLoose *)(U + right + 4);
        if (bare) x0 = x1 = vg_lane(0);
        less(U, near[lane], &x0, &x1);
        if (held) less(U + 36, tip, &x0, &x1);
        TO(at[lane]) = x0;
        TO(at[lane] + 4) = x1;
    }
    for (int k = n; k < VG_LANES; k++) near[k] = near[n - 1], far[k] = far[n - 1];
    return from;
}

void vg_line_down(const vgLines *w, const vgLine *l, const vgLinePoint *x, double *x_v, vgLineMost *most)
{
    const int inner = l->nn == 3 ? VG_LANES * 6 * COLS : 0;
    double at[VG_LANES][LD] __attribute__((aligned(32))), mid[VG_LANES][LD] __attribute__((aligned(32)));
    double tip[LD] = {0}, root[LD] = {0};
    const vgLineGroup *g = &w->group[l->first + l->ngroup - 1];
    if (l->tip >= 0) memcpy(tip, x_v + l->end.v0, 6 * sizeof *tip);
    memcpy(root, x_v + near_at(l, g, g->n - 1)->v0, 6 * sizeof *root);
    for (int i = l->ngroup - 1; i >= 0; i--, g--) {
        const double *keep = kept(w, l, i), *near[VG_LANES], *far[VG_LANES];
        Fetch ahead = fetch_of(w, l, i - 1);
        ahead.lines[1] = ahead.lines[2] = 0;
        const double *last = down_outer(l, g, keep + inner, tip, i == 0, x->bare, root, at, near, far);
        if (inner) down_inner(near, far, (const vgLane *)keep, x->bare, mid);
        for (int k = 0; k < g->n; k++) {
            fetch_some(&ahead, 16);
            if (i > 0 || k > 0 || l->tip < 0)
                put(x, far_at(l, g, i, k)->v0, far[lane_at(l, g->n, k)], x_v, most);
            if (inner) put(x, g->mid[k].v0, mid[k], x_v, most);
        }
        memcpy(root, last, sizeof root);
    }
}

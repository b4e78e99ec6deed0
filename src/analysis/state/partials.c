#include "analysis/state/partials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/pencil.h"
#include "base/arena.h"
#include "linalg/paths.h"
#include "system/native/native.h"

/* Steps of differences, relative to the scale of what is moved. Rows of joints: fourth order, so that the error is (1e-3)⁴ of
 * their terms, and rounding ε/1e-3 of them. A step ten times smaller or larger costs two or four digits. */
static const double ROW_STEP = 1e-3;
/* Laws are linear in most inputs, where central differences are exact whatever the step; rounding is ε/1e-3. */
static const double INPUT_STEP = 1e-3;

struct vgPartials {
    const vgSystem *sys;
    vgArena arena;
    int *above, *of;       /* n; of, f: scratch */
    double *f;             /* n */
    double *M, *C, *K, *L; /* n × n */
    double *a, *lambda;    /* n, nphi */
    double *r;             /* 2 n: residuals beside an input */
    double *q, *d;         /* nq, n */
    double *phi;           /* 4 nphi */
    double *G;             /* nphi: by how much rows move */
    double *room;          /* of the system (vgFullOps) */
};

static void place(vgPartials *p, vgArena *a)
{
    const vgSystem *sys = p->sys;
    const size_t n = (size_t)sys->nv, m = (size_t)sys->nphi;
    p->above = VG_TAKE(a, int, n + 1);
    p->of = VG_TAKE(a, int, n + 1);
    p->f = VG_TAKE(a, double, n + 1);
    double **square[] = {&p->M, &p->C, &p->K, &p->L};
    for (int i = 0; i < 4; i++) *square[i] = VG_TAKE(a, double, n *n + 1);
    p->a = VG_TAKE(a, double, n + 1);
    p->lambda = VG_TAKE(a, double, m + 1);
    p->r = VG_TAKE(a, double, 2 * n + 1);
    p->q = VG_TAKE(a, double, sys->nq + 1);
    p->d = VG_TAKE(a, double, n + 1);
    p->phi = VG_TAKE(a, double, 4 * m + 1);
    p->G = VG_TAKE(a, double, m + 1);
    p->room = VG_TAKE(a, double, n *(size_t)sys->ops->full.room + 1);
}

vgStatus vg_partials_new(const vgSystem *sys, vgPartials **out)
{
    vgPartials *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p) return VG_NO_MEMORY;
    p->sys = sys;
    vgArena measure = {0};
    place(p, &measure);
    vgStatus st = vg_arena_alloc(&p->arena, measure.used);
    if (st != VG_OK) {
        free(p);
        return st;
    }
    place(p, &p->arena);
    *out = p;
    return VG_OK;
}

void vg_partials_free(vgPartials *p)
{
    if (!p) return;
    vg_arena_free(&p->arena);
    free(p);
}

const char *vg_partials_refuses(const vgSystem *sys)
{
    if (!sys->ops->assemble || (sys->nl == 0 && sys->nphi > 0))
        return "these constraints have no multipliers: take index1, index2 or index3";
    if (sys->model->nload > 0) return "forces that depend on reactions have no derivatives by them here";
    if (vg_native_has_crowd(sys->model)) return "groups of contacts are not in the matrices";
    return sys->second_order ? NULL : "in these coordinates velocities are not the rates of the coordinates";
}

/* ---- a tree ---- */

/* X (n × m, row-major) := −M⁻¹ X */
static void solve_tree(const vgPartials *p, double *X, int m)
{
    vg_paths_solve(p->sys->nv, p->above, p->L, m, X, p->of, p->f);
}

static void set_identity(double *X, int n, double diagonal)
{
    memset(X, 0, (size_t)n * (size_t)n * sizeof *X);
    for (int i = 0; i < n; i++) X[(size_t)i * (size_t)n + (size_t)i] = diagonal;
}

static vgTangent tangent(const vgPartials *p, const vgState *s)
{
    return (vgTangent){.t = s->t, .q = s->q, .v = s->v, .a = p->a, .lambda = p->lambda, .exact = 1};
}

/* M, C, K of a tree; VG_LIMIT: the system has a matrix on a graph instead. */
static vgStatus take_tree(const vgPartials *p, vgWork *work, const vgState *s)
{
    const vgSystem *sys = p->sys;
    const vgTangent at = tangent(p, s);
    if (sys->nl > 0 || !sys->ops->full.matrices) return VG_LIMIT;
    vgStatus st = sys->ops->full.matrices(sys, work, &at, p->room, p->M, p->C, p->K);
    if (st == VG_OK) sys->ops->full.above(sys, p->above);
    return st;
}

/* ---- a matrix on the graph ---- */

static vgStatus take_graph(const vgPartials *p, vgWork *work, vgState *s)
{
    const vgSystem *sys = p->sys;
    vgPencil pencil = {0};
    double *a = s->a, *lambda = s->lambda;
    s->a = p->a, s->lambda = p->lambda;
    vgStatus st = vg_pencil_of_system(sys, work, s, &pencil);
    s->a = a, s->lambda = lambda;
    if (st != VG_OK) return st;
    vg_blocks_dense(&pencil.M, p->M, sys->nv);
    vg_blocks_dense(&pencil.C, p->C, sys->nv);
    vg_blocks_dense(&pencil.K, p->K, sys->nv);
    vg_pencil_free(&pencil);
    return VG_OK;
}

/* B a + γ at a state, a as it is. */
static void rows_at(const vgPartials *p, vgWork *work, double t, const double *q, const double *v,
                    double *phi)
{
    p->sys->ops->levels(p->sys, work, t, q, v, p->a, NULL, NULL, phi);
}

/* ∂(B a + γ) by coordinate j (rate 0) or its rate (1). */
static void row_column(const vgPartials *p, vgWork *work, const vgState *s, int j, int rate)
{
    const vgSystem *sys = p->sys;
    static const double points[4] = {-2, -1, 1, 2};
    const double h = ROW_STEP * (sys->v_scale[j] > 0 ? sys->v_scale[j] : 1);
    const int n = sys->nphi;
    for (int k = 0; k < 4; k++) {
        memset(p->d, 0, (size_t)sys->nv * sizeof *p->d);
        if (rate) memcpy(p->d, s->v, (size_t)sys->nv * sizeof *p->d);
        p->d[j] += points[k] * h;
        if (!rate) sys->ops->retract(sys, s->q, p->d, p->q);
        rows_at(p, work, s->t, rate ? s->q : p->q, rate ? p->d : s->v, p->phi + k * n);
    }
    for (int i = 0; i < n; i++) {
        const double *y = p->phi + i;
        p->G[i] = (8 * (y[2 * n] - y[n]) - (y[3 * n] - y[0])) / (12 * h);
    }
}

typedef struct Graph {
    vgSaddle at;
    double *x; /* room: size of the matrix */
} Graph;

/* [M Bᵀ; B 0] of the rows that count, factorised. */
static vgStatus factor_graph(const vgPartials *p, vgWork *work, const vgState *s, Graph *g)
{
    const vgSystem *sys = p->sys;
    vgTangent at = tangent(p, s);
    at.mass = 1;
    vgStatus st = sys->ops->assemble(sys, work, &at, &g->at);
    if (st != VG_OK) return st;
    g->x = malloc(((size_t)vg_lin_size(g->at.lin) + 1) * sizeof *g->x);
    if (!g->x) return VG_NO_MEMORY;
    vg_lin_leave_out(g->at.lin, sys->nl, g->at.row_at, s->active);
    return vg_lin_factor(g->at.lin);
}

/* Column j of X (n × m) := −(the first part of the solution for (X_j, G)); G NULL: no rows move. */
static void solve_graph(const vgPartials *p, Graph *g, const double *G, double *X, int m, int j)
{
    const vgSystem *sys = p->sys;
    memset(g->x, 0, (size_t)vg_lin_size(g->at.lin) * sizeof *g->x);
    for (int i = 0; i < sys->nv; i++)
        g->x[g->at.v_at ? g->at.v_at[i] : i] = X[(size_t)i * (size_t)m + (size_t)j];
    for (int r = 0; G && r < sys->nl; r++)
        if (g->at.row_at[r] >= 0) g->x[g->at.row_at[r]] = G[r];
    vg_lin_solve_refined(g->at.lin, g->x);
    for (int i = 0; i < sys->nv; i++)
        X[(size_t)i * (size_t)m + (size_t)j] = -g->x[g->at.v_at ? g->at.v_at[i] : i];
}

/* ---- inputs ---- */

/* X (n × nu), column k := ∂r/∂u_k; p->G := ∂(B a + γ)/∂u_k. */
static void input_column(const vgPartials *p, vgWork *work, vgState *s, int slot, double *X, int nu, int k)
{
    const vgSystem *sys = p->sys;
    const double u = s->turn[slot], h = INPUT_STEP * fmax(1, fabs(u));
    const int n = sys->nv, m = sys->nphi;
    for (int side = 0; side < 2; side++) {
        s->turn[slot] = side ? u + h : u - h;
        sys->ops->residual(sys, work, s->t, s->q, s->v, p->a, p->lambda, p->r + side * n, NULL);
        if (m > 0) rows_at(p, work, s->t, s->q, s->v, p->phi + side * m);
    }
    s->turn[slot] = u;
    for (int i = 0; i < n; i++) X[(size_t)i * (size_t)nu + (size_t)k] = (p->r[n + i] - p->r[i]) / (2 * h);
    for (int i = 0; i < m; i++) p->G[i] = (p->phi[m + i] - p->phi[i]) / (2 * h);
}

/* ---- all of it ---- */

static vgStatus by_tree(const vgPartials *p, vgWork *work, vgState *s, int nu, const int *slot,
                        const vgPartialsOut *out)
{
    const int n = p->sys->nv;
    const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    memcpy(p->L, p->M, bytes);
    vgStatus st = vg_paths_factor(n, p->above, p->L);
    if (st != VG_OK) return st;
    if (out->a_q) memcpy(out->a_q, p->K, bytes), solve_tree(p, out->a_q, n);
    if (out->a_v) memcpy(out->a_v, p->C, bytes), solve_tree(p, out->a_v, n);
    if (out->a_f) set_identity(out->a_f, n, -1), solve_tree(p, out->a_f, n);
    for (int k = 0; out->a_u && k < nu; k++) input_column(p, work, s, slot[k], out->a_u, nu, k);
    if (out->a_u && nu > 0) solve_tree(p, out->a_u, nu);
    return VG_OK;
}

static vgStatus by_graph(const vgPartials *p, vgWork *work, vgState *s, int nu, const int *slot,
                         const vgPartialsOut *out)
{
    const vgSystem *sys = p->sys;
    const int n = sys->nv;
    const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    Graph g = {0};
    double *forward[] = {out->a_q, out->a_v};
    const double *of[] = {p->K, p->C};
    vgStatus st = factor_graph(p, work, s, &g);
    for (int rate = 0; st == VG_OK && rate < 2; rate++) {
        if (!forward[rate]) continue;
        memcpy(forward[rate], of[rate], bytes);
        for (int j = 0; j < n; j++) {
            if (sys->nl > 0) row_column(p, work, s, j, rate);
            solve_graph(p, &g, sys->nl > 0 ? p->G : NULL, forward[rate], n, j);
        }
    }
    if (st == VG_OK && out->a_f) {
        set_identity(out->a_f, n, -1);
        for (int j = 0; j < n; j++) solve_graph(p, &g, NULL, out->a_f, n, j);
    }
    for (int k = 0; st == VG_OK && out->a_u && k < nu; k++) {
        input_column(p, work, s, slot[k], out->a_u, nu, k);
        solve_graph(p, &g, sys->nl > 0 ? p->G : NULL, out->a_u, nu, k);
    }
    free(g.x);
    return st;
}

vgStatus vg_partials_at(vgPartials *p, vgWork *work, vgState *s, int nu, const int *slot,
                        const vgPartialsOut *out)
{
    const vgSystem *sys = p->sys;
    const size_t bytes = (size_t)sys->nv * (size_t)sys->nv * sizeof(double);
    vg_work_bind(work, s);
    vgStatus st = sys->ops->accel(sys, work, s->t, s->q, s->v, p->a, p->lambda);
    if (st != VG_OK) return st;
    st = take_tree(p, work, s);
    const int tree = st != VG_LIMIT;
    if (!tree) st = take_graph(p, work, s);
    if (st != VG_OK) return st;
    if (out->tau_q) memcpy(out->tau_q, p->K, bytes);
    if (out->tau_v) memcpy(out->tau_v, p->C, bytes);
    if (out->mass) memcpy(out->mass, p->M, bytes);
    return tree ? by_tree(p, work, s, nu, slot, out) : by_graph(p, work, s, nu, slot, out);
}

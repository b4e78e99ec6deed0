#include "analysis/modes/transfer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/modes.h"
#include "analysis/modes/pencil.h"

/* Steps of the differences of fourth order, of outputs along a response and of forces by inputs, as in linear_model.c; the response to a
 * unit is scaled to POSITION_STEP in coordinates and VELOCITY_STEP in rates at most. */
static const double POSITION_STEP = 1e-4, VELOCITY_STEP = 1e-3, INPUT_STEP = 1e-3;
/* A rest: nothing moves by more in 1 s, in units of length or a radian, and nothing starts to, beyond what an equilibrium leaves. */
static const double AT_REST = 1e-6;

static const double points[4] = {-2, -1, 1, 2};
static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

typedef struct Response {
    const vgSystem *sys;
    vgWork *work;
    const vgState *base;
    vgState *s; /* moved */
    vgPencil p;
    vgLin *lin;    /* of pairs: real and imaginary part of each node after each other */
    double *C;     /* [values of the pencil's graph] */
    double *force; /* [nu × (nv + nl)] −∂r/∂u, −∂Φ/∂u */
    double *x;     /* [2 size] */
    double *d;     /* [nv] */
    double *y;     /* outputs */
    vgChannels *outputs;
    int ny, *place; /* [2 nl] of rows in lin */
    unsigned char *active;
} Response;

/* 1: the block on the other side is the transpose of this one, which alone is stored (and listed twice). */
static int is_mirrored(const Response *x, vgLinPlace b)
{
    return b.i != b.j && !vg_lin_block(x->p.lin, b.j, b.i);
}

static vgStatus make_pairs(Response *x)
{
    const vgLin *old = x->p.lin;
    const int all = vg_lin_stored(old);
    int nnode = 0;
    for (int k = 0; k < all; k++) {
        const vgLinPlace b = vg_lin_place(old, k);
        nnode = b.i + 1 > nnode ? b.i + 1 : nnode;
    }
    vgLinEdges edges = {0};
    vgLinNode *node = calloc((size_t)nnode + 1, sizeof *node);
    vgStatus st = node ? VG_OK : VG_NO_MEMORY;
    for (int i = 0; node && i < nnode; i++) {
        node[i].size = 2 * vg_lin_rows(old, i);
        node[i].dual = vg_lin_offset(old, i) >= x->p.n;
    }
    for (int k = 0; st == VG_OK && k < all; k++) {
        const vgLinPlace b = vg_lin_place(old, k);
        if (b.i != b.j) st = vg_lin_edges_add(&edges, (vgLinEdge){b.i, b.j, 0});
    }
    if (st == VG_OK) st = vg_lin_new(nnode, node, edges.n, edges.edge, VG_LIN_AUTO, &x->lin);
    free(edges.edge);
    free(node);
    return st;
}

/* A part (row, col: 0 real, 1 imaginary) of a pair of blocks += s times an r × c block; turned: its transpose. */
static void add_part(double *to, int row, int col, double s, const double *from, int r, int c, int turned)
{
    const int rows = turned ? c : r, cols = turned ? r : c;
    to += (size_t)(row * rows) * (size_t)(2 * cols) + (size_t)(col * cols);
    for (int i = 0; i < rows; i++, to += 2 * cols)
        for (int j = 0; j < cols; j++) to[j] += s * (turned ? from[j * c + i] : from[i * c + j]);
}

/* [P −Q; Q P] of P = K − ω²M with the rows, Q = ωC. */
static vgStatus factor(Response *x, double omega)
{
    size_t n, m;
    vg_pencil_fill(&x->p, x->base, -omega * omega, 1);
    const double *P = vg_lin_values(x->p.lin, &m);
    double *values = vg_lin_values(x->lin, &n);
    memset(values, 0, n * sizeof *values);
    const int all = vg_lin_stored(x->p.lin);
    for (int k = 0, again = 0; k < all; k++) {
        const vgLinPlace b = vg_lin_place(x->p.lin, k);
        const int r = vg_lin_rows(x->p.lin, b.i), c = vg_lin_rows(x->p.lin, b.j),
                  mirrored = is_mirrored(x, b);
        again = mirrored && !again;
        for (int turned = 0; turned <= mirrored && !(mirrored && !again); turned++) {
            double *to = turned ? vg_lin_block(x->lin, b.j, b.i) : vg_lin_block(x->lin, b.i, b.j);
            for (int part = 0; part < 2; part++) {
                add_part(to, part, part, 1, P + b.at, r, c, turned);
                add_part(to, part, 1 - part, part ? omega : -omega, x->C + b.at, r, c, turned);
            }
        }
    }
    vg_lin_leave_out(x->lin, 2 * x->sys->nl, x->place, x->active);
    return vg_lin_factor(x->lin);
}

/* Place of the real (part 0) or imaginary (1) part of row `at` of the pencil's matrix. */
static int pair_at(const Response *x, int at, int part)
{
    const int node = vg_lin_node(x->p.lin, at), first = vg_lin_offset(x->p.lin, node);
    return 2 * first + part * vg_lin_rows(x->p.lin, node) + at - first;
}

static void forces_of(Response *x, int slot, double *force)
{
    const vgSystem *sys = x->sys;
    const int n = sys->nv + sys->nl;
    const double u = x->base->turn[slot], h = INPUT_STEP * fmax(1, fabs(u));
    double *read = x->x; /* 2 size ≥ n */
    memset(force, 0, (size_t)n * sizeof *force);
    for (int k = 0; k < 4; k++) {
        vg_state_copy(sys, x->s, x->base);
        x->s->turn[slot] = u + points[k] * h;
        sys->ops->residual(sys, x->work, x->s->t, x->s->q, x->s->v, x->s->a, x->s->lambda, read,
                           read + sys->nv);
        for (int i = 0; i < n; i++) force[i] -= weight[k] / h * read[i];
    }
}

/* Outputs along the real or imaginary part of the response, by differences: out[0], out[stride], … */
static void outputs_along(Response *x, int part, double omega, int slot, double *out, int stride)
{
    const vgSystem *sys = x->sys;
    const double sign = part ? 1 : -1; /* iω (a + ib) = −ωb + iωa */
    double far = 0, fast = 0;
    for (int i = 0; i < sys->nv; i++) {
        far = fmax(far, fabs(x->x[pair_at(x, i, part)]) / sys->v_scale[i]);
        fast = fmax(fast, omega * fabs(x->x[pair_at(x, i, 1 - part)]) / sys->v_scale[i]);
    }
    const double h = 1 / fmax(fmax(far / POSITION_STEP, fast / VELOCITY_STEP),
                              part ? DBL_MIN : 1 / (INPUT_STEP * fmax(1, fabs(x->base->turn[slot]))));
    for (int k = 0; k < 4; k++) {
        const double to = points[k] * h;
        vg_state_copy(sys, x->s, x->base);
        for (int i = 0; i < sys->nv; i++) {
            const double own = x->x[pair_at(x, i, part)], other = x->x[pair_at(x, i, 1 - part)];
            x->d[i] = to * own;
            x->s->v[i] += to * sign * omega * other;
            x->s->a[i] -= to * omega * omega * own;
        }
        for (int r = 0; r < sys->nl; r++)
            if (x->p.row_at[r] >= 0) x->s->lambda[r] += to * x->x[pair_at(x, x->p.row_at[r], part)];
        if (!part) x->s->turn[slot] += to;
        sys->ops->retract(sys, x->base->q, x->d, x->s->q);
        vg_channels_eval(x->outputs, x->work, x->s, x->y);
        for (int i = 0; i < x->ny; i++) out[i * stride] += weight[k] / h * x->y[i];
    }
}

static vgStatus at_frequency(Response *x, double hertz, int nu, const int *inputs, double *re, double *im)
{
    const vgSystem *sys = x->sys;
    const double omega = 2 * acos(-1.0) * hertz;
    vgStatus st = factor(x, omega);
    for (int j = 0; st == VG_OK && j < nu; j++) {
        const double *force = x->force + (size_t)j * (size_t)(sys->nv + sys->nl);
        const int slot = sys->model->measure[inputs[j]].measure.turn;
        memset(x->x, 0, (size_t)vg_lin_size(x->lin) * sizeof *x->x);
        for (int i = 0; i < sys->nv; i++) x->x[pair_at(x, i, 0)] = force[i];
        for (int r = 0; r < sys->nl; r++)
            if (x->p.row_at[r] >= 0) x->x[pair_at(x, x->p.row_at[r], 0)] = force[sys->nv + r];
        vg_lin_solve_refined(x->lin, x->x);
        outputs_along(x, 0, omega, slot, re + j, nu);
        outputs_along(x, 1, omega, slot, im + j, nu);
    }
    for (int i = 0; i < nu * x->ny; i++)
        if (!isfinite(re[i]) || !isfinite(im[i])) return VG_SINGULAR;
    return st;
}

static vgStatus make(Response *x, int nu, const int *inputs)
{
    const vgSystem *sys = x->sys;
    const size_t nl = (size_t)sys->nl;
    vgStatus st = vg_pencil_of_system(sys, x->work, x->base, &x->p);
    if (st == VG_OK) st = make_pairs(x);
    if (st != VG_OK) return st;
    x->C = calloc(x->p.nvalue + 1, sizeof *x->C);
    x->force = calloc((size_t)nu * (size_t)(sys->nv + sys->nl) + 1, sizeof *x->force);
    x->x = calloc((size_t)vg_lin_size(x->lin) + 1, sizeof *x->x);
    x->d = calloc((size_t)sys->nv + (size_t)x->ny + 1, sizeof *x->d);
    x->place = calloc(2 * nl + 1, sizeof *x->place);
    x->active = calloc(2 * nl + 1, 1);
    if (!x->C || !x->force || !x->x || !x->d || !x->place || !x->active) return VG_NO_MEMORY;
    x->y = x->d + sys->nv;
    for (int k = 0; k < x->p.C.n; k++) {
        const struct vgBlockAt *b = &x->p.C.block[k];
        memcpy(x->C + b->at, x->p.C.value + b->at, (size_t)(b->rows * b->cols) * sizeof *x->C);
    }
    for (int r = 0; r < sys->nl; r++)
        for (int part = 0; part < 2; part++) {
            x->place[2 * r + part] = x->p.row_at[r] >= 0 ? pair_at(x, x->p.row_at[r], part) : -1;
            x->active[2 * r + part] = x->base->active[r];
        }
    vg_work_bind(x->work, x->s);
    for (int j = 0; j < nu; j++)
        forces_of(x, sys->model->measure[inputs[j]].measure.turn,
                  x->force + (size_t)j * (size_t)(sys->nv + sys->nl));
    return VG_OK;
}

/* A coordinate that moves, or starts to; −1: none. */
static int restless(const vgSystem *sys, const vgState *s, int *moves)
{
    for (int level = 0; level < 2; level++)
        for (int i = 0; i < sys->nv; i++)
            if (fabs(level ? s->a[i] : s->v[i]) > AT_REST * sys->v_scale[i]) return *moves = !level, i;
    return -1;
}

static void refuse(const vgSystem *sys, const vgState *state, vgDiag *diag)
{
    int moves = 0;
    const int at = restless(sys, state, &moves);
    if (at >= 0)
        vg_diag_error(diag, VG_NOWHERE,
                      "transfer functions are those about a rest, and body '%.100s' %s at t = %g s: "
                      "--equilibrium looks for a rest",
                      sys->model->body[sys->v_body[at]].name, moves ? "moves" : "starts to move", state->t);
    else
        vg_diag_error(diag, VG_NOWHERE,
                      "transfer functions do not know groups of contacts, rolling, and laws that read "
                      "reactions; the matrices do (without --transfer)");
}

vgStatus vg_transfer(const vgSystem *sys, vgWork *work, const vgState *state, int nu, const int *inputs,
                     vgChannels *outputs, int n, const double *frequency, vgDiag *diag, double *re,
                     double *im)
{
    Response x = {.sys = sys, .work = work, .base = state, .outputs = outputs};
    int moves, k = 0;
    vgStatus st = vg_linearise_refuses(sys, state);
    for (int r = 0; r < sys->nl; r++)
        if (sys->row_level[r] > 0) st = VG_UNSUPPORTED;
    if (st == VG_OK && restless(sys, state, &moves) >= 0) st = VG_UNSUPPORTED;
    if (st == VG_UNSUPPORTED) {
        refuse(sys, state, diag);
        return st;
    }
    x.ny = vg_channels_count(outputs);
    const size_t each = (size_t)nu * (size_t)x.ny;
    memset(re, 0, (size_t)n * each * sizeof *re);
    memset(im, 0, (size_t)n * each * sizeof *im);
    if (st == VG_OK) st = vg_state_new(sys, state->nhistory, &x.s);
    if (st == VG_OK) {
        vg_state_copy(sys, x.s, state);
        st = make(&x, nu, inputs);
    }
    for (; st == VG_OK && k < n; k++) {
        st = at_frequency(&x, frequency[k], nu, inputs, re + (size_t)k * each, im + (size_t)k * each);
        if (st == VG_OK) continue;
        if (st == VG_SINGULAR)
            vg_diag_error(diag, VG_NOWHERE,
                          "the response at %g Hz has no bound: a resonance without damping, or freedom that "
                          "nothing holds",
                          frequency[k]);
        break;
    }
    vg_work_bind(work, state);
    vg_pencil_free(&x.p);
    vg_lin_free(x.lin);
    vg_state_free(x.s);
    free(x.C);
    free(x.force);
    free(x.x);
    free(x.d);
    free(x.place);
    free(x.active);
    return st;
}

/* A, B, C, D by differences of consistent motions: see linear_model.h.
 *
 * Along each direction d of freedom the state is moved by ±h d and ±2h d, put back onto the constraints
 * (positions, then velocities), its accelerations solved for, and states x, rates ẋ and outputs y are read
 * off. With the central differences of fourth order X = ∂x/∂s, F = ∂ẋ/∂s, Y = ∂y/∂s,
 *     A = F X⁻¹,   C = Y X⁻¹,
 * so that it does not matter how exactly a direction meets a state. */
#include "analysis/modes/linear_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/diagnose.h"
#include "analysis/modes/modes.h"
#include "base/arena.h"
#include "linalg/dense.h"

static const double POSITION_STEP = 1e-4, VELOCITY_STEP = 1e-3, INPUT_STEP = 1e-3;
enum { PROJECTIONS = 40 };

typedef struct Look {
    const vgSystem *sys;
    vgWork *work;
    const vgState *base; /* consistent */
    vgState *s;          /* the one that is moved */
    const vgLinearStates *x;
    vgChannels *y;
    int ny;
    double *d;    /* [nv] */
    double *read; /* [4 × (2 nx + ny)] x, ẋ, y at −2, −1, 1, 2 */
    double *out;  /* [2 nx + ny] their derivatives */
} Look;

static int count(const Look *l)
{
    return 2 * (l->x->np + l->x->nd) + l->ny;
}

static double along(const double grad[6], const vgKin *k)
{
    return vg_dot3(vg_load3(grad), k->dv) + vg_dot3(vg_load3(grad + 3), k->dw);
}

/* A state and its rate: of order 0 value and rate of the measure, of order 1 rate and second derivative. */
static void read_state(const Look *l, const vgKin *kin, const vgLinearState *x, double *value, double *rate)
{
    static const vgKin rest = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    const vgMeasure *m = &x->measure;
    const vgKin *a = m->A.body < 0 ? &rest : &kin[m->A.body], *b = m->B.body < 0 ? &rest : &kin[m->B.body];
    vgMeasureOut o;
    vg_measure_eval(m, a, b, m->turn >= 0 ? l->s->turn[m->turn] : 0, x->order, &o);
    *value = x->order ? o.rate : o.value;
    *rate = x->order ? o.bias + along(o.grad, a) + along(o.grad + 6, b) : o.rate;
}

/* x, ẋ, y of the moved state, with its own accelerations. */
static vgStatus read_all(Look *l, double *to)
{
    const vgSystem *sys = l->sys;
    vgState *s = l->s;
    const int nx = l->x->np + l->x->nd;
    vgStatus st = sys->ops->accel(sys, l->work, s->t, s->q, s->v, s->a, s->lambda);
    if (st != VG_OK) return st;
    const vgKin *kin = sys->ops->kinematics(sys, l->work, s->t, s->q, s->v, s->a);
    for (int i = 0; i < nx; i++) read_state(l, kin, &l->x->state[i], &to[i], &to[nx + i]);
    if (l->y)
        vg_channels_eval(l->y, l->work, s, to + 2 * nx);
    else
        memcpy(to + 2 * nx, to, (size_t)l->ny * sizeof *to);
    return VG_OK;
}

static vgStatus consistent(const vgSystem *sys, vgWork *work, vgState *s, int positions)
{
    vgStatus st = positions ? sys->ops->project_q(sys, work, s->t, s->q, 1e-14, PROJECTIONS, NULL) : VG_OK;
    return st == VG_OK ? sys->ops->project_v(sys, work, s->t, s->q, s->v) : st;
}

static const double points[4] = {-2, -1, 1, 2};

/* l->out := derivatives by the number that was moved in steps of h. */
static void difference(Look *l, double h)
{
    const int n = count(l);
    for (int i = 0; i < n; i++) {
        const double *y = l->read + i;
        l->out[i] = (8 * (y[2 * n] - y[n]) - (y[3 * n] - y[0])) / (12 * h);
    }
}

/* Along a direction of positions or of velocities. */
static vgStatus move(Look *l, const double *direction, int velocity)
{
    const vgSystem *sys = l->sys;
    const double h = velocity ? VELOCITY_STEP : POSITION_STEP;
    for (int k = 0; k < 4; k++) {
        vg_state_copy(sys, l->s, l->base);
        for (int i = 0; i < sys->nv; i++) {
            l->d[i] = points[k] * h * direction[i];
            if (velocity) l->s->v[i] += l->d[i];
        }
        if (!velocity) sys->ops->retract(sys, l->base->q, l->d, l->s->q);
        vgStatus st = consistent(sys, l->work, l->s, !velocity);
        if (st == VG_OK) st = read_all(l, l->read + k * count(l));
        if (st != VG_OK) return st;
    }
    difference(l, h);
    return VG_OK;
}

static vgStatus move_input(Look *l, int slot)
{
    const double u = l->base->turn[slot], h = INPUT_STEP * fmax(1, fabs(u));
    for (int k = 0; k < 4; k++) {
        vg_state_copy(l->sys, l->s, l->base);
        l->s->turn[slot] = u + points[k] * h;
        vgStatus st = read_all(l, l->read + k * count(l));
        if (st != VG_OK) return st;
    }
    difference(l, h);
    return VG_OK;
}

/* M := M X⁻¹ row by row, X factorised. */
static void divide(double *M, int rows, const double *X, const int *pivot, int n)
{
    for (int i = 0; i < rows; i++) vg_dense_lu_solve_transposed(X, pivot, n, M + (size_t)i * (size_t)n);
}

/* Columns of A and C. */
static vgStatus by_states(Look *l, vgLinearModel *m)
{
    const int n = m->nx, np = l->x->np;
    const size_t nv = (size_t)l->sys->nv;
    double *X = calloc((size_t)n * (size_t)n + 1, sizeof *X);
    int *pivot = calloc((size_t)n + 1, sizeof *pivot);
    vgStatus st = X && pivot ? VG_OK : VG_NO_MEMORY;
    for (int j = 0; st == VG_OK && j < n; j++) {
        const double *d = j < np ? l->x->P + (size_t)j * nv : l->x->V + (size_t)(j - np) * nv;
        st = move(l, d, j >= np);
        for (int i = 0; st == VG_OK && i < n; i++) {
            X[i * n + j] = l->out[i];
            m->A[i * n + j] = l->out[n + i];
        }
        for (int i = 0; st == VG_OK && i < m->ny; i++) m->C[i * n + j] = l->out[2 * n + i];
    }
    if (st == VG_OK) st = vg_dense_lu(X, n, 0, pivot, NULL);
    if (st == VG_OK) {
        divide(m->A, n, X, pivot, n);
        divide(m->C, m->ny, X, pivot, n);
        for (int i = 0; i < np; i++) { /* that a rate is a state is no matter of rounding */
            if (l->x->state[i].rate < 0) continue;
            for (int j = 0; j < n; j++) m->A[i * n + j] = j == l->x->state[i].rate;
        }
    }
    free(X);
    free(pivot);
    return st;
}

static vgStatus by_inputs(Look *l, const int *inputs, vgLinearModel *m)
{
    for (int j = 0; j < m->nu; j++) {
        vgStatus st = move_input(l, l->sys->model->measure[inputs[j]].measure.turn);
        if (st != VG_OK) return st;
        for (int i = 0; i < m->nx; i++) m->B[i * m->nu + j] = l->out[m->nx + i];
        for (int i = 0; i < m->ny; i++) m->D[i * m->nu + j] = l->out[2 * m->nx + i];
    }
    return VG_OK;
}

static double *numbers(vgPool *pool, int m, int n)
{
    return vg_pool_alloc_many(pool, (size_t)m * (size_t)n + 1, sizeof(double));
}

static const char **texts(vgPool *pool, int n)
{
    return vg_pool_alloc_many(pool, (size_t)n + 1, sizeof(const char *));
}

static vgStatus make_room(const Look *l, int nu, vgLinearModel *m)
{
    vgPool *p = m->pool = l->x->pool;
    const int nx = m->nx = l->x->np + l->x->nd, ny = m->ny = l->ny;
    m->nu = nu, m->np = l->x->np;
    m->A = numbers(p, nx, nx), m->B = numbers(p, nx, nu), m->C = numbers(p, ny, nx),
    m->D = numbers(p, ny, nu);
    m->x = numbers(p, nx, 1), m->rate = numbers(p, nx, 1), m->u = numbers(p, nu, 1), m->y = numbers(p, ny, 1);
    m->state = texts(p, nx), m->unit = texts(p, nx), m->input = texts(p, nu);
    m->output = texts(p, ny), m->ounit = texts(p, ny);
    return m->A && m->B && m->C && m->D && m->x && m->rate && m->u && m->y && m->state && m->unit &&
                   m->input && m->output && m->ounit
               ? VG_OK
               : VG_NO_MEMORY;
}

/* Names and numbers at the state itself; names of channels are copied, the channels may go before. */
static vgStatus fill_point(Look *l, const int *inputs, vgLinearModel *m)
{
    vgStatus st = read_all(l, l->read);
    memcpy(m->x, l->read, (size_t)m->nx * sizeof *m->x);
    memcpy(m->rate, l->read + m->nx, (size_t)m->nx * sizeof *m->rate);
    memcpy(m->y, l->read + 2 * m->nx, (size_t)m->ny * sizeof *m->y);
    m->t = l->base->t;
    for (int i = 0; i < m->nx; i++) {
        m->state[i] = vg_pool_strdup(m->pool, l->x->state[i].name);
        m->unit[i] = vg_pool_strdup(m->pool, l->x->state[i].unit);
        if (!m->state[i] || !m->unit[i]) st = VG_NO_MEMORY;
    }
    for (int i = 0; i < m->ny; i++) {
        m->output[i] = l->y ? vg_pool_strdup(m->pool, vg_channels_name(l->y, i)) : m->state[i];
        m->ounit[i] = l->y ? vg_pool_strdup(m->pool, vg_channels_unit(l->y, i)) : m->unit[i];
        if (!m->output[i] || !m->ounit[i]) st = VG_NO_MEMORY;
    }
    for (int i = 0; i < m->nu; i++) {
        const vgNamedMeasure *u = &l->sys->model->measure[inputs[i]];
        m->u[i] = l->base->turn[u->measure.turn];
        m->input[i] = vg_pool_strdup(m->pool, u->name);
        if (!m->input[i]) st = VG_NO_MEMORY;
    }
    return st;
}

static int is_finite(const vgLinearModel *m)
{
    const double *matrix[] = {m->A, m->B, m->C, m->D};
    const int size[] = {m->nx * m->nx, m->nx * m->nu, m->ny * m->nx, m->ny * m->nu};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < size[k]; i++)
            if (!isfinite(matrix[k][i])) return 0;
    return 1;
}

static void say(vgDiag *diag, vgStatus st, int held, const vgSystem *sys)
{
    if (held)
        vg_diag_error(diag, VG_NOWHERE, "there is no linear model: joints and drives leave no freedom");
    else if (st == VG_UNSUPPORTED)
        vg_diag_error(diag, VG_NOWHERE, "linear models are taken in coordinates lie or planar, not %s",
                      sys->coordinates);
    else if (st == VG_LIMIT)
        vg_diag_error(diag, VG_NOWHERE, "the model has %d coordinates; linear models are for at most %d",
                      sys->nv, VG_MODES_MAX);
    else if (st == VG_SINGULAR)
        vg_diag_error(diag, VG_NOWHERE,
                      "there is no linear model about this state: it is a singular position, or there is "
                      "freedom without mass");
    else if (st != VG_OK)
        vg_diag_error(diag, VG_NOWHERE, "the linear model could not be computed: %s", vg_status_text(st));
}

vgStatus vg_linear_model(const vgSystem *sys, vgWork *work, const vgState *state, int nu, const int *inputs,
                         vgChannels *outputs, vgDiag *diag, vgLinearModel *out)
{
    vgLinearStates x = {0};
    vgState *base = NULL, *moved = NULL;
    Look l = {.sys = sys, .work = work, .x = &x, .y = outputs};
    char cause[400];
    *out = (vgLinearModel){0};
    vgStatus st = VG_OK;
    if (!sys->body_axes) st = VG_UNSUPPORTED;
    if (st == VG_OK && sys->nv > VG_MODES_MAX) st = VG_LIMIT;
    if (st == VG_OK) st = vg_state_new(sys, state->nhistory, &base);
    if (st == VG_OK) st = vg_state_new(sys, state->nhistory, &moved);
    if (st == VG_OK) {
        vg_state_copy(sys, base, state);
        vg_state_copy(sys, moved, state);
        l.base = base, l.s = moved;
        vg_work_bind(work, moved);
        st = consistent(sys, work, base, 1);
        vg_state_copy(sys, moved, base);
    }
    if (st == VG_OK) st = vg_linear_states(sys, work, base, &x);
    const int held = st == VG_OK && x.np + x.nd == 0;
    if (held) st = VG_UNSUPPORTED;
    if (st == VG_OK) {
        l.ny = outputs ? vg_channels_count(outputs) : x.np + x.nd;
        l.d = calloc((size_t)sys->nv + 5 * (size_t)count(&l) + 1, sizeof *l.d);
        l.read = l.d ? l.d + sys->nv : NULL;
        l.out = l.d ? l.read + 4 * count(&l) : NULL;
        st = l.d ? make_room(&l, nu, out) : VG_NO_MEMORY;
        x.pool = l.d ? NULL : x.pool; /* the model's now */
    }
    if (st == VG_OK) st = fill_point(&l, inputs, out);
    if (st == VG_OK) st = by_states(&l, out);
    if (st == VG_OK) st = by_inputs(&l, inputs, out);
    if (st == VG_OK && !is_finite(out)) st = VG_NOT_FINITE;
    if (st == VG_NOT_FINITE && vg_diagnose_number(sys, work, state, cause, sizeof cause))
        vg_diag_error(diag, VG_NOWHERE, "there is no linear model about this state: %s", cause);
    else
        say(diag, st, held, sys);
    if (st != VG_OK) vg_linear_model_free(out);
    vg_work_bind(work, state);
    vg_linear_states_free(&x);
    vg_state_free(base);
    vg_state_free(moved);
    free(l.d);
    return st;
}

void vg_linear_model_free(vgLinearModel *m)
{
    vg_pool_free(m->pool);
    *m = (vgLinearModel){0};
}

int vg_linear_input(const vgModel *m, const char *name)
{
    char full[160];
    for (int k = 0; k < 2; k++) {
        snprintf(full, sizeof full, "%s%.128s", k ? "input." : "", name);
        int at = vg_model_find_measure(m, full);
        if (at >= 0 && m->measure[at].measure.kind == VG_MEASURE_INPUT) return at;
    }
    return -1;
}

int vg_linear_inputs(const vgModel *m, int *measure)
{
    static const char *const prefix[] = {"input.", "controller."};
    int n = 0;
    for (int k = 0; k < 2 && n == 0; k++)
        for (int i = 0; i < m->nmeasure; i++)
            if (strncmp(m->measure[i].name, prefix[k], strlen(prefix[k])) == 0) measure[n++] = i;
    return n;
}

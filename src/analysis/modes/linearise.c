/* M, C, K, B about a state in native coordinates with turns in world axes: see modes.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/modes.h"
#include "analysis/modes/pencil.h"
#include "system/native/native.h"

typedef struct Point {
    const vgSystem *sys;
    vgWork *w;
    const vgState *s;
    double *q, *x, *d, *y; /* scratch: nq, nv, nv, 4 (nv + nl) */
} Point;

int vg_modes_component(const vgSystem *sys, int coordinate)
{
    int body = sys->v_body[coordinate], first = coordinate;
    while (first > 0 && sys->v_body[first - 1] == body) first--;
    return sys->model->body[body].select.at[coordinate - first];
}

void vg_modes_name(const vgSystem *sys, int coordinate, char *text, size_t size)
{
    static const char *const component[6] = {"x", "y", "z", "turn.x", "turn.y", "turn.z"};
    snprintf(text, size, "%s.%s", sys->model->body[sys->v_body[coordinate]].name,
             component[vg_modes_component(sys, coordinate)]);
}

/* ∂(r, φ)/∂(one number) from values at −2h, −h, h, 2h. */
static void difference(const Point *p, double h, double *r, double *phi)
{
    int nv = p->sys->nv, n = nv + p->sys->nl;
    for (int i = 0; i < n; i++) {
        const double *y = p->y + i;
        double d = (8 * (y[2 * n] - y[n]) - (y[3 * n] - y[0])) / (12 * h);
        if (i < nv)
            r[i] = d;
        else
            phi[i - nv] = d;
    }
}

static const double points[4] = {-2, -1, 1, 2};

/* Column j of ∂r/∂q (native variation). */
static void position_column(const Point *p, int j, double *r, double *phi)
{
    const vgSystem *sys = p->sys;
    const vgState *s = p->s;
    double h = 1e-4 * sys->v_scale[j];
    for (int k = 0; k < 4; k++) {
        double *y = p->y + k * (sys->nv + sys->nl);
        memset(p->d, 0, (size_t)sys->nv * sizeof *p->d);
        p->d[j] = points[k] * h;
        sys->ops->retract(sys, s->q, p->d, p->q);
        sys->ops->residual(sys, p->w, s->t, p->q, s->v, s->a, s->lambda, y, y + sys->nv);
    }
    difference(p, h, r, phi);
}

static vgStatus constraint_rows(const Point *p, vgLinearised *l)
{
    const vgSystem *sys = p->sys;
    const int nrow = sys->model->nrow;
    size_t n = (size_t)nrow;
    int *start = calloc(n + 1, sizeof *start), *col = calloc(n * (size_t)sys->row_entries + 1, sizeof *col);
    double *value = calloc(n * (size_t)sys->row_entries + 1, sizeof *value);
    vgStatus st = start && col && value ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK && nrow) sys->ops->jacobian(sys, p->w, p->s->t, p->s->q, start, col, value);
    for (int r = 0; st == VG_OK && r < nrow; r++) {
        if (!p->s->active[r]) continue;
        double *to = l->B + (size_t)l->m * (size_t)l->n;
        for (int k = start[r]; k < start[r + 1]; k++) to[col[k]] += value[k];
        l->row[l->m++] = r;
    }
    free(start);
    free(col);
    free(value);
    return st;
}

/* Three numbers `step` apart := R times them. */
static void turn3(const vgMat3 *R, double *x, size_t step)
{
    vgVec3 y = vg_mv3(*R, (vgVec3){x[0], x[step], x[2 * step]});
    x[0] = y.x, x[step] = y.y, x[2 * step] = y.z;
}

void vg_modes_turn(const vgSystem *sys, const vgKin *kin, int back, double *x)
{
    for (int j = 0; j + 2 < sys->nv; j++) {
        if (sys->model->body[sys->v_body[j]].select.n != 6 || vg_modes_component(sys, j) != 3) continue;
        const vgMat3 R = back ? vg_mt3(kin[sys->v_body[j]].R) : kin[sys->v_body[j]].R;
        turn3(&R, x + j, 1);
    }
}

/* From turns in body axes to world axes, A := E A Eᵀ with E = diag(1, R) for rotating bodies. */
static void to_world(const vgSystem *sys, const vgKin *kin, int rows, double *A, int both)
{
    size_t n = (size_t)sys->nv;
    for (int j = 0; j + 2 < sys->nv; j++) {
        if (sys->model->body[sys->v_body[j]].select.n != 6 || vg_modes_component(sys, j) != 3) continue;
        const vgMat3 *R = &kin[sys->v_body[j]].R;
        for (int i = 0; i < rows; i++) turn3(R, A + (size_t)i * n + (size_t)j, 1);
        for (size_t k = 0; both && k < n; k++) turn3(R, A + (size_t)j * n + k, n);
    }
}

static vgStatus take_memory(const vgSystem *sys, Point *p, vgLinearised *l)
{
    size_t n = (size_t)sys->nv, m = (size_t)sys->model->nrow, all = n + (size_t)sys->nl;
    l->n = sys->nv;
    l->M = calloc(n * n + 1, sizeof(double));
    l->C = calloc(n * n + 1, sizeof(double));
    l->K = calloc(n * n + 1, sizeof(double));
    l->B = calloc(m * n + 1, sizeof(double));
    l->G = calloc(m * n + 1, sizeof(double));
    l->row = calloc(m + 1, sizeof(int));
    p->q = calloc((size_t)sys->nq + 2 * n + 4 * all + all + 1, sizeof(double));
    if (!l->M || !l->C || !l->K || !l->B || !l->G || !l->row || !p->q) return VG_NO_MEMORY;
    p->x = p->q + sys->nq;
    p->d = p->x + n;
    p->y = p->d + n;
    return VG_OK;
}

/* G: how velocity residuals depend on positions. */
static void fill_velocity_rows(const Point *p, vgLinearised *l)
{
    const vgSystem *sys = p->sys;
    const int n = sys->nv;
    double *column = p->y + 4 * (n + sys->nl), *phi = column + n;
    int any = 0;
    for (int r = 0; r < l->m; r++) any |= sys->row_level[l->row[r]] > 0;
    for (int j = 0; j < n && any; j++) {
        position_column(p, j, column, phi);
        for (int r = 0; r < l->m; r++)
            if (sys->row_level[l->row[r]] > 0) l->G[(size_t)r * (size_t)n + (size_t)j] = phi[l->row[r]];
    }
}

/* Forces that read reactions would need their derivatives by λ. Friction has none at rest. */
static int reads_reactions(const vgSystem *sys, const vgState *s)
{
    int moves = 0;
    for (int i = 0; i < sys->nv; i++) moves |= s->v[i] != 0;
    return sys->model->nload > 0 && (moves || vg_model_reads_reactions(sys->model) >= 0);
}

vgStatus vg_linearise_refuses(const vgSystem *sys, const vgState *state)
{
    if (!sys->body_axes || reads_reactions(sys, state)) return VG_UNSUPPORTED;
    return vg_native_has_crowd(sys->model) ? VG_UNSUPPORTED : VG_OK; /* its couplings are beside the matrix */
}

vgStatus vg_linearise(const vgSystem *sys, vgWork *work, const vgState *state, vgLinearised *out)
{
    *out = (vgLinearised){0};
    if (vg_linearise_refuses(sys, state) != VG_OK) return VG_UNSUPPORTED;
    if (sys->nv > VG_MODES_MAX) return VG_LIMIT;
    Point p = {.sys = sys, .w = work, .s = state};
    vgKin *kin = NULL;
    vgPencil pencil = {0};
    vgStatus st = take_memory(sys, &p, out);
    if (st == VG_OK && !(kin = malloc(((size_t)sys->model->nbody + 1) * sizeof *kin))) st = VG_NO_MEMORY;
    vg_work_bind(work, state);
    if (st == VG_OK) st = constraint_rows(&p, out);
    if (st == VG_OK) st = vg_pencil_new(sys, work, state, vg_zero3(), &pencil);
    if (st == VG_OK) {
        const vgKin *k = sys->ops->kinematics(sys, work, state->t, state->q, state->v, state->a);
        memcpy(kin, k, (size_t)sys->model->nbody * sizeof *kin);
        fill_velocity_rows(&p, out);
        vg_blocks_dense(&pencil.M, out->M, sys->nv);
        vg_blocks_dense(&pencil.C, out->C, sys->nv);
        vg_blocks_dense(&pencil.K, out->K, sys->nv);
        double *square[3] = {out->M, out->C, out->K};
        for (int i = 0; i < 3; i++) to_world(sys, kin, sys->nv, square[i], 1);
        to_world(sys, kin, out->m, out->B, 0);
        to_world(sys, kin, out->m, out->G, 0);
    }
    vg_pencil_free(&pencil);
    free(kin);
    free(p.q);
    if (st != VG_OK) vg_linearised_free(out);
    return st;
}

/* out += A Ω̂: columns of displacements and of turns by ω × . */
static void add_spin(const vgSystem *sys, vgVec3 w, int rows, const double *A, double *out)
{
    const size_t n = (size_t)sys->nv;
    const vgMat3 W = vg_skew3(w);
    for (int j = 0; j < sys->nv; j++) {
        const int cj = vg_modes_component(sys, j), body = sys->v_body[j];
        if (vg_body_is_hidden(&sys->model->body[body])) continue;
        for (int k = j - cj % 3 < 0 ? 0 : j - cj % 3; k < sys->nv && sys->v_body[k] <= body && k < j + 3;
             k++) {
            const int ck = vg_modes_component(sys, k);
            if (sys->v_body[k] != body || ck / 3 != cj / 3) continue;
            for (int i = 0; i < rows; i++)
                out[(size_t)i * n + (size_t)k] += A[(size_t)i * n + (size_t)j] * W.m[cj % 3][ck % 3];
        }
    }
}

vgStatus vg_linearised_spin(const vgSystem *sys, vgVec3 w, vgLinearised *l)
{
    const size_t n = (size_t)l->n;
    double *T = calloc(n * n + 1, sizeof *T), *G = calloc((size_t)l->m * n + 1, sizeof *G);
    if (T && G) {
        add_spin(sys, w, l->n, l->M, T);
        add_spin(sys, w, l->n, l->C, l->K);
        add_spin(sys, w, l->n, T, l->K);
        for (size_t i = 0; i < n * n; i++) l->C[i] += 2 * T[i];
        add_spin(sys, w, l->m, l->B, G);
        for (int r = 0; r < l->m; r++)
            for (size_t j = 0; j < n && sys->row_level[l->row[r]] > 0; j++)
                l->G[(size_t)r * n + j] += G[(size_t)r * n + j];
    }
    vgStatus st = T && G ? VG_OK : VG_NO_MEMORY;
    free(T);
    free(G);
    return st;
}

void vg_linearised_free(vgLinearised *l)
{
    free(l->M);
    free(l->C);
    free(l->K);
    free(l->B);
    free(l->G);
    free(l->row);
    *l = (vgLinearised){0};
}

/* Independent coordinates of many bodies: the split B = (B_D, B_I) and the matrix of docs/theory.md eq. 76 without full
 * matrices.
 *
 * R_D = −B_D⁻¹ B_I of a chain is full: the last link moves with all joints before it. It is never formed; B_D has sparse
 * factors in the order in which the choice found its pivots. Forces are reduced with their reactions, B_Dᵀ λ = −r_D, r_I +
 * B_Iᵀ λ. Equations (Rᵀ A R) δ_I = Rᵀ f are solved by the saddle matrix [A Bᵀ; B 0] of the coordinates themselves,
 * whose solution is δ = R δ_I. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/column_choice.h"
#include "linalg/lin/lu.h"
#include "linalg/lin/parts.h"
#include "math/dense.h"
#include "system/redundant.h"
#include "system/setting/independent.h"

typedef vgIndependentWork Work;

/* Room for the factors of later choices, in those of the first. The choice at half the angle of a four-bar or of a net has
 * a few entries more; at 1 a choice that differs in one pivot would be refused. */
enum { MORE = 4 };

struct vgIndependentWide {
    vgArena arena;
    int *start, *col;      /* rows of B: nphi + 1, then its entries */
    size_t *from;          /* of an entry of B: in the saddle matrix's values */
    double *value;         /* of an entry: rows of about unit length, columns in the coordinates' scales */
    double *unit;          /* nphi: a power of two by which rows are multiplied for that */
    unsigned char *counts; /* nphi: rows of the choice */
    int *step;             /* nv: place of a coordinate in dep, −1 */
    int *d_start, *d_row, *d_entry; /* B_D by columns: ndep + 1; rows, places in `value` */
    double *d_value;
    vgLu lu;
    double *b, *y; /* ndep: right sides, solutions */
    double *four;  /* VG_LANES ndep: right sides of three levels */
    double *x;     /* of the saddle matrix */
    double *ddot;  /* nphi: Φ̈ of the last levels */
    vgColumnChoice *choice;
};

/* ---- memory ---- */

static void place(vgIndependentWide *x, int n, int m, int size, int entries, vgArena *a)
{
    x->start = VG_TAKE(a, int, m + 2);
    x->unit = VG_TAKE(a, double, m + 1);
    x->counts = VG_TAKE(a, unsigned char, m + 1);
    x->step = VG_TAKE(a, int, n + 1);
    x->d_start = VG_TAKE(a, int, m + 1);
    x->b = VG_TAKE(a, double, m + 1);
    x->y = VG_TAKE(a, double, m + 1);
    x->four = VG_TAKE(a, double, VG_LANES *m + 1);
    x->x = VG_TAKE(a, double, size + 1);
    x->ddot = VG_TAKE(a, double, m + 1);
    x->col = VG_TAKE(a, int, entries + 1);
    x->from = VG_TAKE(a, size_t, entries + 1);
    x->value = VG_TAKE(a, double, entries + 1);
    x->d_row = VG_TAKE(a, int, entries + 1);
    x->d_entry = VG_TAKE(a, int, entries + 1);
    x->d_value = VG_TAKE(a, double, entries + 1);
    x->lu.n = m;
    vg_lu_place(&x->lu, a);
}

void vg_wide_free(vgIndependentWide *x)
{
    if (!x) return;
    vg_column_choice_free(x->choice);
    vg_arena_free(&x->arena);
    free(x);
}

size_t vg_wide_memory(const vgIndependentWide *x)
{
    return x ? x->arena.size : 0;
}

/* The choice for B at its present values, rows of unit length. */
static vgStatus choose(const vgSystem *sys, Work *w, double t, double least)
{
    vgIndependentWide *x = w->wide;
    size_t all;
    const double *values = vg_lin_values(w->at.lin, &all);
    for (int r = 0; r < sys->nphi; r++) {
        double sum = 0;
        for (int e = x->start[r]; e < x->start[r + 1]; e++) {
            x->value[e] = values[x->from[e]] * sys->v_scale[x->col[e]];
            sum += x->value[e] * x->value[e];
        }
        const int empty = vg_row_is_empty(vg_inner(sys), vg_inner_work(&w->w.base), t, r, sqrt(sum));
        for (int e = x->start[r]; e < x->start[r + 1]; e++) x->value[e] = empty ? 0 : x->value[e] / sqrt(sum);
    }
    const vgSparseRows rows = {sys->nphi, sys->nv, x->start, x->col, x->value};
    return vg_column_choice_find(x->choice, &rows, sys->row_level, least, w->fresh + sys->nv, w->fresh);
}

/* What a choice at the motion that the user gave needs shows how much room later ones may need. */
static vgStatus measure(const vgSystem *sys, Work *w, size_t *lower, size_t *upper)
{
    const vgModel *m = sys->model;
    const vgSystem *inner = vg_inner(sys);
    vgWork *work = &w->w.base;
    vgKin *kin = calloc((size_t)m->nbody + 1, sizeof *kin);
    double *turn = calloc((size_t)m->nturn + 1, sizeof *turn);
    vgTangent p = {.q = w->q, .v = w->v, .a = w->zero, .lambda = w->zero, .mass = 1, .rows = 1};
    vgSaddle at;
    vgStatus st = kin && turn ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) {
        vg_wrap_start(m, kin);
        work->turn = turn;
        st = sys->ops->from_native(sys, kin, w->q, w->v);
    }
    if (st == VG_OK) st = inner->ops->assemble(inner, vg_inner_work(work), &p, &at);
    if (st == VG_OK) st = choose(sys, w, 0, VG_INDEPENDENT_LEAST);
    if (st == VG_OK) vg_column_choice_fill(w->wide->choice, lower, upper);
    work->turn = NULL;
    vg_inner_work(work);
    free(kin);
    free(turn);
    return st;
}

vgStatus vg_wide_new(const vgSystem *sys, Work *w)
{
    int n = sys->nv, m = sys->nphi, size = vg_lin_size(w->at.lin), entries;
    int *start = calloc((size_t)m + 2, sizeof *start);
    vgArena room = {0};
    vgIndependentWide *x = w->wide = calloc(1, sizeof *x);
    vgStatus st = x && start ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK) vg_lin_row_lists(w->at.lin, w->place, m, start, NULL, NULL);
    entries = st == VG_OK ? start[m] : 0;
    if (st == VG_OK) st = vg_column_choice_new(m, n, entries, &x->choice);
    for (int round = 0; round < 2 && st == VG_OK; round++) { /* without room for factors, and with it */
        vgArena measured = {0};
        size_t lower = 0, upper = 0;
        if (round == 1) st = measure(sys, w, &lower, &upper);
        if (st == VG_OK) {
            x->lu.lower = MORE * (lower + (size_t)m);
            x->lu.upper = MORE * (upper + (size_t)m);
            place(x, n, m, size, entries, &measured);
            st = vg_arena_reserve(&room, measured.used);
        }
        if (st != VG_OK) break;
        vg_arena_free(&x->arena);
        x->arena = room;
        room = (vgArena){0};
        place(x, n, m, size, entries, &x->arena);
        memcpy(x->start, start, ((size_t)m + 1) * sizeof *start);
        vg_lin_row_lists(w->at.lin, w->place, m, x->start, x->col, x->from);
    }
    free(start);
    return st == VG_OK ? vg_column_choice_fix(x->choice) : st;
}

/* ---- the choice ---- */

/* Marks are steps of the elimination, 1 … ndep. 0: they are not. */
static int take_steps(const vgSystem *sys, Work *w, const double *mark)
{
    int n = sys->nv, nrow = 0;
    for (int k = 0; k < n; k++) w->ndep += mark[k] > 0;
    for (int r = 0; r < sys->nphi; r++) nrow += mark[n + r] > 0;
    if (nrow != w->ndep) return 0;
    for (int i = 0; i < nrow; i++) w->dep[i] = w->row[i] = -1;
    for (int i = 0; i < n + sys->nphi; i++) {
        if (!(mark[i] > 0)) continue;
        int *list = i < n ? w->dep : w->row, at = i < n ? i : i - n;
        if (!(mark[i] <= nrow) || list[(int)mark[i] - 1] >= 0) return 0;
        list[(int)mark[i] - 1] = at;
    }
    return 1;
}

int vg_wide_take(const vgSystem *sys, Work *w, const double *mark)
{
    vgIndependentWide *x = w->wide;
    if (!take_steps(sys, w, mark)) return 0;
    for (int k = 0; k < sys->nv; k++) {
        x->step[k] = -1;
        if (!(mark[k] > 0)) w->ind[w->nind++] = k;
    }
    for (int i = 0; i < w->ndep; i++) x->step[w->dep[i]] = i;
    memset(x->counts, 0, (size_t)sys->nphi);
    for (int i = 0; i < w->ndep; i++) x->counts[w->row[i]] = 1;
    memset(x->d_start, 0, ((size_t)w->ndep + 1) * sizeof(int));
    for (int pass = 0; pass < 2; pass++) { /* counts the entries of columns, and lists them */
        for (int i = 0; i < w->ndep; i++)
            for (int e = x->start[w->row[i]]; e < x->start[w->row[i] + 1]; e++) {
                int k = x->step[x->col[e]];
                if (k < 0) continue;
                if (pass) {
                    x->d_row[x->d_start[k]] = i;
                    x->d_entry[x->d_start[k]] = e;
                }
                x->d_start[pass ? k : k + 1]++;
            }
        for (int k = 0; k < w->ndep && !pass; k++) x->d_start[k + 1] += x->d_start[k];
    }
    for (int k = w->ndep; k > 0; k--) x->d_start[k] = x->d_start[k - 1];
    x->d_start[0] = 0;
    x->lu.n = w->ndep;
    for (int k = 0; k < w->ndep; k++) x->lu.order[k] = k;
    vg_lu_begin(&x->lu);
    return 1;
}

vgStatus vg_wide_make(const vgSystem *sys, Work *w, double t)
{
    return choose(sys, w, t, VG_INDEPENDENT_LEAST);
}

/* ---- the split ---- */

/* y := B_D⁻¹ b, b by rows of the choice in their own units. */
static void solve(const vgSystem *sys, Work *w)
{
    vgIndependentWide *x = w->wide;
    for (int i = 0; i < w->ndep; i++) x->b[i] *= x->unit[w->row[i]];
    vg_lu_solve(&x->lu, x->b, x->y);
    for (int i = 0; i < w->ndep; i++) x->y[i] *= sys->v_scale[w->dep[i]];
}

/* How far dependent coordinates move where independent ones move by one unit each, with signs that change from one to
 * the next without a pattern: about the length of the longest row of R. */
static double steepness(Work *w)
{
    vgIndependentWide *x = w->wide;
    double most = 0;
    unsigned random = 1;
    double *sign = w->x;
    for (int i = 0; i < w->nind; i++) {
        random = random * 1664525u + 1013904223u; /* Numerical Recipes' generator */
        sign[w->ind[i]] = random >> 31 ? 1 : -1;
    }
    for (int i = 0; i < w->ndep; i++) {
        double sum = 0;
        for (int e = x->start[w->row[i]]; e < x->start[w->row[i] + 1]; e++)
            if (x->step[x->col[e]] < 0) sum -= x->value[e] * sign[x->col[e]];
        x->b[i] = sum;
    }
    vg_lu_solve(&x->lu, x->b, x->y);
    for (int i = 0; i < w->ndep; i++) most = vg_larger(most, fabs(x->y[i]));
    return most;
}

vgStatus vg_wide_split(const vgSystem *sys, Work *w, const double *values)
{
    vgIndependentWide *x = w->wide;
    vgWork *work = &w->w.base;
    int bad;
    for (int i = 0; i < w->ndep; i++) {
        const int r = w->row[i], end = x->start[r + 1];
        double largest = 0;
        for (int e = x->start[r]; e < end; e++) {
            x->value[e] = values[x->from[e]] * sys->v_scale[x->col[e]];
            largest = vg_larger(largest, fabs(x->value[e]));
        }
        int power = 0;
        frexp(largest, &power);
        x->unit[r] = ldexp(1, -power);
        for (int e = x->start[r]; e < end; e++) x->value[e] *= x->unit[r];
    }
    for (int e = 0; e < x->d_start[w->ndep]; e++) x->d_value[e] = x->value[x->d_entry[e]];
    vgStatus st = vg_lu_factor(&x->lu, x->d_start, x->d_row, x->d_value, &bad);
    work->bad_row = st == VG_OK ? -1 : sys->nv + w->row[bad];
    if (st != VG_OK) return VG_SINGULAR;
    w->steep = steepness(w);
    work->pivot = 1 / w->steep;
    return VG_OK;
}

void vg_wide_levels(const vgSystem *sys, Work *w)
{
    vgIndependentWide *x = w->wide;
    const double *phi = w->phi, *dot = phi + sys->nphi, *ddot = dot + sys->nphi;
    vgLaneLoose *b = (vgLaneLoose *)x->four, *gap = (vgLaneLoose *)w->gap;
    for (int i = 0; i < w->ndep; i++) {
        int r = w->row[i];
        b[i] = (vgLane){phi[r], dot[r], ddot[r], 0} * x->unit[r];
    }
    vg_lu_solve_lanes(&x->lu, b, gap);
    for (int i = 0; i < w->ndep; i++) gap[i] *= sys->v_scale[w->dep[i]];
    memcpy(x->ddot, ddot, (size_t)sys->nphi * sizeof(double));
}

void vg_wide_correct(const vgSystem *sys, Work *w, const double *violation, double *to)
{
    vgIndependentWide *x = w->wide;
    for (int i = 0; i < w->ndep; i++) x->b[i] = violation[w->row[i]];
    solve(sys, w);
    for (int i = 0; i < w->ndep; i++) to[w->dep[i]] -= x->y[i];
}

void vg_wide_reduce(const vgSystem *sys, Work *w, double *r)
{
    vgIndependentWide *x = w->wide;
    memset(w->lambda, 0, (size_t)sys->nphi * sizeof(double));
    for (int i = 0; i < w->ndep; i++) {
        x->b[i] = -r[w->dep[i]] * sys->v_scale[w->dep[i]];
        r[w->dep[i]] = 0;
    }
    vg_lu_solve_transposed(&x->lu, x->b, x->y);
    for (int i = 0; i < w->ndep; i++) {
        int row = w->row[i];
        w->lambda[row] = x->y[i] * x->unit[row];
        for (int e = x->start[row]; e < x->start[row + 1]; e++)
            if (x->step[x->col[e]] < 0) r[x->col[e]] += x->value[e] / sys->v_scale[x->col[e]] * x->y[i];
    }
}

/* ---- the matrix ---- */

/* Rows that do not count are left out; then the pieces of the saddle matrix's own factorisation. */
int vg_wide_pieces(const Work *w, double *cost)
{
    return vg_lin_pieces(w->at.lin, cost);
}

vgStatus vg_wide_piece(const vgSystem *sys, Work *w, int i)
{
    vgWork *work = &w->w.base;
    if (i == 0) {
        vg_lin_leave_out(w->at.lin, sys->nphi, w->at.row_at, w->wide->counts);
        work->factorisations++;
        work->matrix_lost = 0;
    }
    vgStatus st = vg_lin_piece(w->at.lin, i);
    int bad = st == VG_OK ? -1 : vg_lin_bad_row(w->at.lin);
    work->bad_row = bad < 0 ? -1 : w->place[bad] >= 0 ? w->place[bad] : sys->nv - 1 - w->place[bad];
    return st;
}

vgStatus vg_wide_factor(const vgSystem *sys, Work *w)
{
    vgStatus st = VG_OK;
    for (int i = 0, n = vg_lin_pieces(w->at.lin, NULL); i < n && st == VG_OK; i++)
        st = vg_wide_piece(sys, w, i);
    return st;
}

/* With g: dependent accelerations by −g_D/c_a of Φ̈ = B_D g_D beside the method's formulas, whose forces are A g/c_a. Then
 * A (δ − g/c_a) + Bᵀ μ = f and B (δ − g/c_a) = −Φ̈/c_a give δ with B δ = 0; λ changes by c_a μ. */
void vg_wide_solve(const vgSystem *sys, Work *w, int approached, int at_once, double *x_v)
{
    vgIndependentWide *x = w->wide;
    double *b = x->x;
    const double by = approached ? 1 / w->ca : 0;
    for (int k = 0; k < sys->nv; k++) b[w->at.v_at ? w->at.v_at[k] : k] = x_v[k];
    for (int r = 0; r < sys->nphi; r++)
        if (w->at.row_at[r] >= 0) b[w->at.row_at[r]] = approached ? -x->ddot[r] * by : 0;
    if (at_once)
        vg_lin_solve_at_once(w->at.lin, b);
    else
        vg_lin_solve(w->at.lin, b);
    for (int k = 0; k < sys->nv; k++) x_v[k] = b[w->at.v_at ? w->at.v_at[k] : k];
    if (!approached) return;
    for (int i = 0; i < w->ndep; i++) x_v[w->dep[i]] += w->gap[VG_LANES * i + 2] * by;
    for (int r = 0; r < sys->nphi; r++)
        if (x->counts[r]) w->reaction[r] += w->ca * b[w->at.row_at[r]];
}

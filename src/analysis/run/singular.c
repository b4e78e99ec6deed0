#include "analysis/run/singular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/state/assemble.h"
#include "integrator/rows.h"
#include "integrator/stage/stage.h"
#include "linalg/rank.h"
#include "math/dense.h"
#include "system/redundant.h"
#include "analysis/tuning.h"

enum { MOST_COLUMNS = 300, PARTS = 8 };
static const double LEAP = 4;     /* factor by which reactions must grow in a step for a closer look */
static const double CHANGE = 0.3; /* change of the accelerations, relative to their size, for a closer look */
static const double JUMP =
    0.3; /* change of the velocities beyond h·a, relative to the speed, for a closer look */
static const double FALLS =
    0.25; /* factor by which the least pivot of the dependent coordinates must fall for a closer look */
static const double FADES =
    0.99; /* decay, per step, of the remembered sizes of accelerations and reactions */
static const double NEARLY =
    0.3; /* part of the distance to singularity that the motion may use before it is computed again */
static const double SHOWS =
    0.01; /* change of velocity in a step, relative to the speed, below which accelerations are ignored */
static const double LANDED =
    0.125; /* part of the initial distance below which a step has ended on a singular position */
static const double LANDS = 0.25; /* as LANDED, for a failed step, whose end is only extrapolated */

/* Rows that repeat others. A row is taken instead of one that counts where it is twice as long outside the span of
 * those taken before: then no row is a combination of the others with factors far above two. */
static const double PREFERS = 0.5;
/* Length outside that span from which on a row that did not count must: violations of 1e-4 of a length do not make as
 * much. At the start it is looked for ASIDE along the motion, where rows that do repeat others have the square. */
static const double RAISES = 1e-3;
static const double ASIDE = 1e-2;

struct vgSingular {
    vgIntegrator *it;
    vgWork *work; /* its own: the method's matrix stays */
    vgState *before;
    int rows, cols, rank; /* rank: of regular positions */
    int *start, *col;
    double *value, *B, *length;  /* sparse rows; rows × cols; rows */
    double *scale;               /* cols */
    int *row;                    /* rows: which they are */
    int *group;                  /* rows: the first of the same primitive */
    double *size, *most;         /* rows: by what they were divided; of groups: the longest row */
    const unsigned char *counts; /* nphi: rows that are preferred; NULL: all alike */
    int choosing;                /* 1: some rows do not count, and which may change */
    double *again, *f;           /* choosing: rows by number × cols; cols */
    double chosen, since;        /* least length of the rows that count, and how far the motion went since */
    double *unit, *x, *q;        /* nv: 1/scale; nv; nq */
    double pivot;                /* of dependent coordinates, before the step */
    double acc, lambda;          /* the largest accelerations and reactions of late */
    double regular, way;         /* the distance last seen, and how far the motion went since */
    int close;                   /* this step may come to a singular position */
};

void vg_singular_free(vgSingular *x)
{
    if (!x) return;
    vg_state_free(x->before);
    vg_work_free(x->work);
    free(x->start);
    free(x->col);
    free(x->value);
    free(x->B);
    free(x->row);
    free(x->again);
    free(x->unit);
    free(x);
}

/* Row r of the Jacobian last taken, columns in units of what they were at the start; returns its length. */
static double dense_row(const vgSingular *x, int r, double *row)
{
    double sum = 0;
    memset(row, 0, (size_t)x->cols * sizeof *row);
    for (int k = x->start[r]; k < x->start[r + 1]; k++) row[x->col[k]] += x->scale[x->col[k]] * x->value[k];
    for (int k = 0; k < x->cols; k++) sum += row[k] * row[k];
    return sqrt(sum);
}

/* The constraints' Jacobian at q: columns in units of what they were at the start (lengths beside angles), without rows
 * that are rounding alone. The longest row of a primitive has unit length: rows of two points that coincide are components
 * of one vector, and one that is short may vanish with the next turn. */
static void take_rows(vgSingular *x, double t, const double *q)
{
    const vgSystem *sys = x->it->sys;
    double longest = 0;
    sys->ops->jacobian(sys, x->work, t, q, x->start, x->col, x->value);
    memset(x->most, 0, (size_t)sys->njacobian * sizeof *x->most);
    for (int r = 0; r < sys->njacobian; r++) {
        double *most = &x->most[x->group[r]];
        x->size[r] = dense_row(x, r, x->B + (size_t)r * (size_t)x->cols);
        *most = fmax(*most, x->size[r]);
        longest = fmax(longest, x->size[r]);
    }
    x->rows = 0;
    for (int r = 0; r < sys->njacobian; r++) {
        const double *from = x->B + (size_t)r * (size_t)x->cols, size = x->size[r],
                     most = x->most[x->group[r]];
        double *row = x->B + (size_t)x->rows * (size_t)x->cols;
        if (!(size > VG_RANK_EMPTY * fmax(longest, 1)))
            continue; /* columns have an entry of 1 at the start */
        for (int k = 0; k < x->cols; k++) row[k] = from[k] / most;
        x->row[x->rows] = r;
        x->size[x->rows] = most;
        x->length[x->rows++] = size / most;
    }
}

/* row −= p (p, row), and its length. Rows of other loops have nothing in common. */
static void take_away(int n, const double *p, double *row, double *length)
{
    vgFour dots = {0}, rest = {0};
#define DOT(N, i) dots += GET(N, row + (i)) * GET(N, p + (i))
    VG_FOURS(n, DOT);
    double dot = VG_TOTAL(dots);
    if (dot == 0) return;
#define TAKE_AWAY(N, i)                                                                                      \
    do {                                                                                                     \
        vgFour y = GET(N, row + (i)) - dot * GET(N, p + (i));                                                \
        PUT(N, row + (i), y);                                                                                \
        rest += y * y;                                                                                       \
    } while (0)
    VG_FOURS(n, TAKE_AWAY);
    *length = sqrt(VG_TOTAL(rest));
}

static void swap(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double y = a[i];
        a[i] = b[i], b[i] = y;
    }
}

/* How much row r is wanted next: rows on positions before rows on velocities, which would let positions drift in
 * their place, then by the length of the remainder, rows that count before others. */
static double rank_of(const vgSingular *x, int r)
{
    const int row = x->row[r], level = x->it->sys->row_level[row];
    const double length = x->length[r];
    return length * (x->counts && !x->counts[row] ? PREFERS : 1) + (length > RAISES ? 2 - level : 0);
}

static int wanted_from(const vgSingular *x, int k)
{
    int best = k;
    for (int r = k + 1; r < x->rows; r++)
        if (rank_of(x, r) > rank_of(x, best)) best = r;
    return best;
}

/* Gram–Schmidt on the rows, the one that is wanted most first, until `most` are taken: the least length of the first `rank`,
 * and how many are above the tolerance. They come first afterwards, with unit length. */
static double least_length(vgSingular *x, int most, double tolerance, int *count)
{
    size_t n = (size_t)x->cols;
    double least = 1;
    *count = 0;
    for (int k = 0; k < most && k < x->rows; k++) {
        int best = wanted_from(x, k), row = x->row[k];
        double *p = x->B + (size_t)k * n, size = 0;
        swap(p, x->B + (size_t)best * n, n);
        swap(&x->size[k], &x->size[best], 1);
        x->row[k] = x->row[best], x->row[best] = row;
        for (size_t i = 0; i < n; i++) size += p[i] * p[i];
        x->length[best] = x->length[k];
        size = sqrt(size);
        if (k < x->rank) least = fmin(least, size);
        if (!(size > tolerance)) continue;
        ++*count;
        for (size_t i = 0; i < n; i++) p[i] /= size;
        for (int r = k + 1; r < x->rows; r++) take_away(x->cols, p, x->B + (size_t)r * n, &x->length[r]);
    }
    return least;
}

/* How far q is from a singular position: the length of the row that is nearest to a combination of others. */
static double distance(vgSingular *x, double t, const double *q)
{
    int count;
    take_rows(x, t, q);
    return least_length(x, x->rank, VG_RANK_TOLERANCE, &count);
}

/* A row of the Jacobian last taken, in units of v_scale. */
static int is_empty(const vgSingular *x, const vgState *s, const double *scale, int r)
{
    double sum = 0;
    for (int k = x->start[r]; k < x->start[r + 1]; k++) {
        double y = scale[x->col[k]] * x->value[k];
        sum += y * y;
    }
    return vg_row_is_empty(x->it->sys, x->work, s->t, r, sqrt(sum));
}

static void scale_columns(vgSingular *x, const vgState *s)
{
    const vgSystem *sys = x->it->sys;
    double *units = x->B; /* room */
    sys->ops->jacobian(sys, x->work, s->t, s->q, x->start, x->col, x->value);
    if (sys->ops->extra.jacobian_scale)
        sys->ops->extra.jacobian_scale(sys, x->work, units);
    else
        memcpy(units, sys->v_scale, (size_t)sys->nv * sizeof *units);
    for (int r = 0; r < sys->njacobian; r++)
        for (int k = x->start[r]; k < x->start[r + 1] && !is_empty(x, s, units, r); k++)
            x->scale[x->col[k]] = fmax(x->scale[x->col[k]], fabs(x->value[k]));
    for (int k = 0; k < x->cols; k++) x->scale[k] = x->scale[k] > 0 ? 1 / x->scale[k] : 1;
}

/* q ⊕ (h v + ½ h² a) */
static void foretell(vgSingular *x, const vgState *s, double h, double *q)
{
    const vgSystem *sys = x->it->sys;
    for (int i = 0; i < sys->nv; i++) x->x[i] = h * (s->v[i] + 0.5 * h * s->a[i]);
    sys->ops->retract(sys, s->q, x->x, q);
}

/* ---- rows that count ---- */

/* The rows at q in the order of a choice, with those that count now preferred; how many are independent by
 * more than the tolerance. */
static int order_rows(vgSingular *x, const vgState *s, double t, const double *q, double tolerance,
                      double *least)
{
    int count;
    x->counts = s->active;
    take_rows(x, t, q);
    *least = least_length(x, x->rows, tolerance, &count);
    x->counts = NULL;
    return count;
}

/* λ of the first `rank` rows in the order such that the forces on the bodies, Bᵀλ, are what they were: with the
 * unit vectors p of the order, row_k = Σ_{j ≤ k} (row_k · p_j) p_j, from the last one on. */
static void move_multipliers(vgSingular *x, vgState *s)
{
    const vgSystem *sys = x->it->sys;
    const size_t n = (size_t)x->cols;
    memset(x->f, 0, n * sizeof *x->f);
    for (int r = 0; r < sys->njacobian; r++) {
        double *row = x->again + (size_t)r * n;
        dense_row(x, r, row);
        for (size_t i = 0; i < n; i++) x->f[i] += s->lambda[r] * row[i];
        s->lambda[r] = 0;
    }
    for (int j = x->rank - 1; j >= 0; j--) {
        const double *p = x->B + (size_t)j * n, *row = x->again + (size_t)x->row[j] * n;
        double force = 0, length = 0;
        for (size_t i = 0; i < n; i++) force += p[i] * x->f[i], length += p[i] * row[i];
        const double lambda = s->lambda[x->row[j]] = force / length;
        for (size_t i = 0; i < n; i++) x->f[i] -= lambda * row[i];
    }
}

/* The first `rank` rows in the order count from now on. */
static void take_choice(vgSingular *x, vgState *s)
{
    const vgSystem *sys = x->it->sys;
    int counted = 0, same = 1;
    for (int r = 0; r < sys->njacobian; r++) counted += s->active[r];
    for (int k = 0; k < x->rank; k++) same &= s->active[x->row[k]];
    if (same && counted == x->rank) return;
    memset(s->active, 0, (size_t)sys->njacobian);
    for (int k = 0; k < x->rank; k++) s->active[x->row[k]] = 1;
    move_multipliers(x, s);
    x->it->work->matrix_lost = 1;
    x->it->matrix.have = 0;
}

/* How far bodies turn in a step of h. Rows are in world axes: joints before a loop do not change its closure, but they
 * turn its rows, and other ones must count then. */
static double turned(vgSingular *x, const vgState *s, double h)
{
    const vgSystem *sys = x->it->sys;
    if (!sys->v_closes) return 0; /* the coordinates are those of bodies, and all count in any case */
    const vgKin *kin = sys->ops->kinematics(sys, x->work, s->t, s->q, s->v, s->a);
    double most = 0;
    for (int i = 0; i < sys->model->nbody; i++)
        most = fmax(most, vg_norm3(kin[i].w) + 0.5 * h * vg_norm3(kin[i].dw));
    return h * most;
}

void vg_singular_choose(vgSingular *x, vgState *s, double h)
{
    const vgSystem *sys = x->it->sys;
    if (!x->choosing) return;
    x->since +=
        vg_rows_reach(sys->nv, h, s->v, s->a, sys->v_closes ? sys->v_closes : x->unit) + turned(x, s, h);
    if (!(x->since > NEARLY * x->chosen)) return;
    int count = order_rows(x, s, s->t, s->q, RAISES, &x->chosen);
    if (count > x->rank) x->rank = count;
    take_choice(x, s);
    x->since = 0;
    x->choosing =
        x->rank < sys->njacobian; /* also rows that are empty now: in other positions they need not be */
}

/* The rank, and the rows that count, where the run begins. A mechanism that begins in a singular position has the rank
 * of the positions that it moves to. */
static void choose_first(vgSingular *x, vgState *s)
{
    const vgSystem *sys = x->it->sys;
    double speed = 0;
    x->rank = order_rows(x, s, s->t, s->q, VG_RANK_TOLERANCE, &x->chosen);
    x->choosing = sys->may_repeat && !sys->is.chooses && x->rank < sys->njacobian;
    if (!x->choosing) return;
    for (int i = 0; i < sys->nv; i++) speed = fmax(speed, fabs(s->v[i]) * x->unit[i]);
    if (speed > 0) {
        double h = ASIDE / speed;
        for (int i = 0; i < sys->nv; i++) x->x[i] = h * s->v[i];
        sys->ops->retract(sys, s->q, x->x, x->q);
        int beside = order_rows(x, s, s->t + h, x->q, RAISES, &x->chosen);
        if (beside > x->rank)
            x->rank = beside;
        else
            order_rows(x, s, s->t, s->q, VG_RANK_TOLERANCE, &x->chosen);
    }
    take_choice(x, s);
    x->chosen = 0; /* to be looked at with the first step */
}

/* Rows of a joint come in the order of its primitives; others are groups of their own. */
static void find_groups(vgSingular *x)
{
    const vgSystem *sys = x->it->sys;
    const vgModel *m = sys->model;
    for (int r = 0; r < sys->njacobian; r++) x->group[r] = r;
    for (int r = 0, n; r < sys->njacobian; r += n) {
        const int j = sys->row_joint[r];
        for (n = 1; r + n < sys->njacobian && sys->row_joint[r + n] == j;) n++;
        if (j < 0 || n != m->joint[j].nrow) continue;
        for (int p = m->joint[j].prim0, at = r; p < m->joint[j].prim0 + m->joint[j].nprim; p++) {
            for (int k = 0; k < m->prim[p].rows; k++) x->group[at + k] = at;
            at += m->prim[p].rows;
        }
    }
}

static vgStatus take_memory(vgSingular *x, const vgState *s)
{
    const vgSystem *sys = x->it->sys;
    size_t rows = (size_t)sys->njacobian, n = (size_t)x->cols, entries = rows * (size_t)sys->row_entries;
    x->start = calloc(rows + 1, sizeof *x->start);
    x->col = calloc(entries + 1, sizeof *x->col);
    x->value = calloc(entries + 1, sizeof *x->value);
    x->B = calloc(rows * n + 3 * rows + n + 1, sizeof *x->B);
    x->row = calloc(2 * rows + 1, sizeof *x->row);
    x->unit = calloc(2 * (size_t)vg_whole(sys->nv) + (size_t)sys->nq + 1, sizeof *x->unit);
    if (memchr(s->active, 0, (size_t)sys->nphi)) x->again = calloc(rows * n + n + 1, sizeof *x->again);
    if (!x->start || !x->col || !x->value || !x->B || !x->row || !x->unit) return VG_NO_MEMORY;
    if (!x->again && memchr(s->active, 0, (size_t)sys->nphi)) return VG_NO_MEMORY;
    x->length = x->B + rows * n;
    x->size = x->length + rows;
    x->most = x->size + rows;
    x->scale = x->most + rows;
    x->group = x->row + rows;
    find_groups(x);
    x->x = x->unit + vg_whole(sys->nv);
    x->q = x->x + sys->nv;
    x->f = x->again ? x->again + rows * n : NULL;
    vgStatus st = vg_state_new(sys, s->nhistory, &x->before);
    return st == VG_OK ? vg_work_new_lean(sys, &x->work) : st;
}

vgStatus vg_singular_new(vgIntegrator *it, vgState *s, vgSingular **out)
{
    const vgSystem *sys = it->sys;
    const int repeated = memchr(s->active, 0, (size_t)sys->nphi) != NULL;
    *out = NULL;
    if (!sys->may_repeat || (it->newton_fixed > 0 && !repeated)) return VG_OK;
    int cols = sys->ops->jacobian(sys, it->work, s->t, s->q, NULL, NULL, NULL);
    if (cols > MOST_COLUMNS) return VG_OK;
    vgSingular *x = calloc(1, sizeof *x);
    if (!x) return VG_NO_MEMORY;
    x->it = it;
    x->cols = cols;
    vgStatus st = take_memory(x, s);
    if (st != VG_OK) {
        vg_singular_free(x);
        return st;
    }
    vg_work_bind(x->work, x->before);
    vg_state_copy(sys, x->before, s);
    for (int i = 0; i < sys->nv; i++) x->unit[i] = 1 / sys->v_scale[i];
    scale_columns(x, s);
    choose_first(x, s);
    x->regular = distance(x, s->t, s->q);
    *out = x;
    return VG_OK;
}

/* A position at the distance d is not reached within d/NEARLY: until then nothing is looked at. */
void vg_singular_before(vgSingular *x, const vgState *s, double h)
{
    const vgSystem *sys = x->it->sys; /* of coordinates that constraints depend on: a car may go far */
    double way = vg_rows_reach(sys->nv, h, s->v, s->a, sys->v_closes ? sys->v_closes : x->unit);
    x->way += way;
    x->close = x->way > NEARLY * x->regular;
    if (!x->close) return;
    x->regular = distance(x, s->t, s->q);
    x->way = way;
    x->close = x->way > NEARLY * x->regular;
    if (x->close) vg_singular_hold(x, s);
}

void vg_singular_hold(vgSingular *x, const vgState *s)
{
    vg_state_copy(x->it->sys, x->before, s);
    x->pivot = x->it->work->pivot;
}

/* The least distance at the method's stages inside a step of h from s, from the part `first` of it on. */
static double least_within(vgSingular *x, const vgState *s, double h, double first)
{
    double least = INFINITY;
    for (int i = 0; i < x->it->nnode; i++) {
        double part = x->it->node[i] * h;
        if (fabs(x->it->node[i]) < first) continue;
        foretell(x, s, part, x->q);
        least = fmin(least, distance(x, s->t + part, x->q));
    }
    return least;
}

int vg_singular_within(vgSingular *x, const vgState *s, double h)
{
    /* none can be reached before the motion has gone so far */
    return x->close && least_within(x, s, h, NEARLY * x->regular / x->way) < LANDED * x->regular;
}

/* What leapt in the step: accelerations, reactions (LEAPT), and velocities (JUMPED), as they do where a step
 * ends in a singular position, or finds another motion there. */
enum { LEAPT = 1, JUMPED = 2 };

static int leaps(vgSingular *x, const vgState *s, double h)
{
    const vgSystem *sys = x->it->sys;
    const vgState *b = x->before;
    if (x->it->work->pivot < FALLS * x->pivot) return LEAPT;
    const double *unit = x->unit, *a0 = b->a, *a1 = s->a, *v0 = b->v, *v1 = s->v;
    vgFour speeds = {0}, accs = {0}, changes = {0}, jumps = {0};
#define SIZES(N, i)                                                                                          \
    do {                                                                                                     \
        vgFour u = GET(N, unit + (i)), a_0 = GET(N, a0 + (i)), v_0 = GET(N, v0 + (i)),                       \
               v_1 = GET(N, v1 + (i)), y_0 = u * VG_SIZE_OF(v_0), y_1 = u * VG_SIZE_OF(v_1),                 \
               y_a = u * VG_SIZE_OF(a_0), y_c = GET(N, a1 + (i)) - a_0, y_j = v_1 - v_0 - h * a_0;           \
        y_c = u * VG_SIZE_OF(y_c);                                                                           \
        y_j = u * VG_SIZE_OF(y_j);                                                                           \
        y_0 = VG_LARGER(y_0, y_1);                                                                           \
        speeds = VG_LARGER(y_0, speeds);                                                                     \
        accs = VG_LARGER(y_a, accs);                                                                         \
        changes = VG_LARGER(y_c, changes);                                                                   \
        jumps = VG_LARGER(y_j, jumps);                                                                       \
    } while (0)
    VG_FOURS(sys->nv, SIZES);
    double speed = VG_LARGEST(speeds), acc = VG_LARGEST(accs), change = VG_LARGEST(changes),
           jump = VG_LARGEST(jumps);
    x->acc = fmax(acc, FADES * x->acc);
    x->lambda = fmax(vg_rows_largest(sys->nl, b->lambda, NULL), FADES * x->lambda);
    if (jump > JUMP * speed) return LEAPT | JUMPED;
    if (change > CHANGE * x->acc && h * change > SHOWS * speed) return LEAPT;
    return vg_rows_largest(sys->nl, s->lambda, NULL) > LEAP * x->lambda;
}

/* Is there a singular position between s and where h brings it? d: the distances at both ends. */
static int between(vgSingular *x, const vgState *s, double h, double d0, double d1)
{
    double least = fmin(d0, d1);
    for (int k = 1; k < PARTS; k++) {
        foretell(x, s, h * k / PARTS, x->q);
        least = fmin(least, distance(x, s->t + h * k / PARTS, x->q));
    }
    return least < LANDS * fmax(d0, d1);
}

vgPassage vg_singular_after(vgSingular *x, vgState *s, double h)
{
    int what = x->close ? leaps(x, s, h) : 0;
    if (!what) return VG_PASSAGE_FREE;
    double d0 = x->regular, d1 = distance(x, s->t, s->q);
    vgPassage end = d1 < LANDED * d0                                      ? VG_PASSAGE_LANDED
                    : (what & JUMPED) && between(x, x->before, h, d0, d1) ? VG_PASSAGE_LEFT
                                                                          : VG_PASSAGE_FREE;
    if (end != VG_PASSAGE_FREE)
        vg_fail(x->it, VG_NOT_CONVERGED, s->t,
                end == VG_PASSAGE_LANDED
                    ? "the step to t = %.9g s ends in a singular position of the mechanism"
                    : "the step to t = %.9g s goes through a singular position of the "
                      "mechanism and leaves it by another motion",
                s->t);
    return end;
}

void vg_singular_back(vgSingular *x, vgState *s)
{
    vg_state_copy(x->it->sys, s, x->before);
}

int vg_singular_ahead(vgSingular *x, const vgState *s, double h)
{
    double within = least_within(x, s, h, 0);
    foretell(x, s, h, x->q);
    return fmin(within, distance(x, s->t + h, x->q)) < LANDS * distance(x, s->t, s->q);
}

int vg_singular_near(vgSingular *x, const vgState *s, double h)
{
    const vgSystem *sys = x->it->sys;
    double least = INFINITY, most = 0;
    double way = vg_rows_reach(sys->nv, 3 * h, s->v, s->a, sys->v_closes ? sys->v_closes : x->unit);
    if (!(way > NEARLY * distance(x, s->t, s->q))) return 0;
    for (int k = -4; k <= 6; k++) {
        foretell(x, s, 0.5 * k * h, x->q);
        double d = distance(x, s->t + 0.5 * k * h, x->q);
        least = fmin(least, d);
        most = fmax(most, d);
    }
    return least < LANDS * most;
}

double vg_singular_over(vgSingular *x, const vgState *s, double usual)
{
    double here = distance(x, s->t, s->q);
    /* as far ahead as the distance still shrinks: it may lie just before us */
    for (double ahead = 0.25 * usual; ahead > VG_OVER_LEAST * usual; ahead *= 0.25) {
        foretell(x, s, ahead, x->q);
        double closer = here - distance(x, s->t + ahead, x->q), to = ahead * here / closer;
        if (closer > 0) return to < 2 * usual ? fmax(2 * to, usual) : 0;
    }
    return 0;
}

vgStatus vg_singular_step_over(vgSingular *x, vgState *s, double left, double *h, vgStep *step)
{
    static const double length[] = {1, 1.31, 0.83, 1.73, 1.14};
    enum { LENGTHS = sizeof length / sizeof length[0] };
    const double asked = *h;
    double least = INFINITY, best = asked;
    vg_singular_before(x, s, asked);
    vg_singular_hold(x, s);
    for (int k = 0; k <= LENGTHS; k++) {
        *h = k < LENGTHS ? length[k] * asked : best;
        if (*h > left) continue;
        *step = vg_step_like(step);
        step->over = 1;
        vgStatus st = vg_integrator_step(x->it, s, *h, step);
        int over = st == VG_OK && step->err <= 1;
        if (over && step->rough < least) least = step->rough, best = *h;
        if (k == LENGTHS || (over && step->rough <= 1)) return st;
        vg_singular_back(x, s);
    }
    return VG_NOT_CONVERGED;
}

void vg_singular_extrapolate(vgSingular *x, const vgState *s, double t, vgState *out)
{
    double h = t - s->t;
    foretell(x, s, h, x->q);
    if (out != s) vg_state_copy(x->it->sys, out, s);
    memcpy(out->q, x->q, (size_t)x->it->sys->nq * sizeof(double));
    for (int i = 0; i < x->it->sys->nv; i++) out->v[i] += h * out->a[i];
    out->t = t;
}

#include "analysis/run/row_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator/rows.h"
#include "integrator/stage/stage.h"
#include "linalg/rank.h"
#include "math/dense.h"
#include "system/redundant.h"

/* Largest number of columns of a part that is orthogonalised by Gram–Schmidt, at cubic cost. The rows of larger parts are
 * chosen by elimination, which costs less but gives no distance to a singular position. */
enum { MOST_COLUMNS = 300 };
/* Part of that distance that the motion may use before it is computed again. */
static const double NEARLY = 0.3;
/* A row replaces one that counts if that one has less than this part of its length outside the span of the rows taken
 * before. No row is then a combination of the others with factors much above two. */
static const double PREFERS = 0.5;
/* Length outside that span from which on a further row counts; violations of 1e-4 of a length stay below it. At the start it
 * is evaluated at a distance ASIDE along the motion, where the length of rows that repeat others is the square of ASIDE. */
static const double RAISES = 1e-3, ASIDE = 1e-2;

typedef struct Part {
    int nrow, cols, rows, rank;     /* rows: those that are not empty; rank: of regular positions */
    int choosing;                   /* 1: some rows do not count, and which may change */
    int *own;                       /* nrow: its rows of the Jacobian */
    int *row;                       /* nrow: which they are, in the order in which they were taken */
    double *length, *B, *again, *f; /* nrow; nrow × cols; the same; cols */
    double chosen, since; /* least length of the rows that count, and how far the motion went since */
} Part;

struct vgRowChoice {
    vgIntegrator *it;
    vgWork *work; /* its own: the method's matrix stays */
    int cols, npart, nlarge;
    int *start, *col; /* sparse rows of all */
    double *value, *scale;
    int *part_of, *place; /* rows: part, −1 large; columns: place within its part */
    int *group;           /* rows: the first of the same primitive */
    double *most;         /* of groups: their longest row */
    Part *part;
    int *ints;                    /* memory of the parts */
    double *reals, *unit, *x, *q; /* the same; nv: 1/v_scale; nv; nq */
    /* rows of large parts, one after the other */
    Part large;
    vgRankFinder *finder;
    vgRank found;
    double *large_value, *weight;
    int *large_start, *large_col, *large_group;
    unsigned char *first;
    vgStatus status; /* not VG_OK: there was no memory for the last choice */
};

void vg_row_choice_free(vgRowChoice *x)
{
    if (!x) return;
    vg_work_free(x->work);
    vg_rank_finder_free(x->finder);
    vg_rank_free(&x->found);
    void *all[] = {x->start,       x->col,       x->value,       x->scale,      x->part_of,
                   x->place,       x->group,     x->most,        x->part,       x->ints,
                   x->reals,       x->unit,      x->large.own,   x->weight,     x->first,
                   x->large_start, x->large_col, x->large_value, x->large_group};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
    free(x);
}

/* ---- rows of a part ---- */

static void jacobian(vgRowChoice *x, double t, const double *q)
{
    const vgSystem *sys = x->it->sys;
    sys->ops->jacobian(sys, x->work, t, q, x->start, x->col, x->value);
}

/* Row r of the Jacobian last taken, columns in units of what they were at the start; returns its length. */
static double dense_row(const vgRowChoice *x, const Part *p, int r, double *row)
{
    double sum = 0;
    memset(row, 0, (size_t)p->cols * sizeof *row);
    for (int k = x->start[r]; k < x->start[r + 1]; k++)
        row[x->place[x->col[k]]] += x->scale[x->col[k]] * x->value[k];
    for (int k = 0; k < p->cols; k++) sum += row[k] * row[k];
    return sqrt(sum);
}

/* The rows of a part, columns in units of what they were at the start (lengths beside angles), without those that are
 * rounding alone. The longest row of a primitive has unit length: rows of two points that coincide are components of one
 * vector, and one that is short may vanish with the next turn. */
static void take_rows(vgRowChoice *x, Part *p)
{
    double longest = 0;
    for (int r = 0; r < p->nrow; r++) x->most[x->group[p->own[r]]] = 0;
    for (int r = 0; r < p->nrow; r++) {
        double *most = &x->most[x->group[p->own[r]]];
        p->length[r] = dense_row(x, p, p->own[r], p->B + (size_t)r * (size_t)p->cols);
        *most = fmax(*most, p->length[r]);
        longest = fmax(longest, p->length[r]);
    }
    p->rows = 0;
    for (int r = 0; r < p->nrow; r++) {
        const double *from = p->B + (size_t)r * (size_t)p->cols, size = p->length[r],
                     most = x->most[x->group[p->own[r]]];
        double *row = p->B + (size_t)p->rows * (size_t)p->cols;
        if (!(size > VG_RANK_EMPTY * fmax(longest, 1)))
            continue; /* columns have an entry of 1 at the start */
        for (int k = 0; k < p->cols; k++) row[k] = from[k] / most;
        p->row[p->rows] = p->own[r];
        p->length[p->rows++] = size / most;
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
static double rank_of(const vgRowChoice *x, const Part *p, int r, const unsigned char *counts)
{
    const int row = p->row[r], level = x->it->sys->row_level[row];
    const double length = p->length[r];
    return length * (counts && !counts[row] ? PREFERS : 1) + (length > RAISES ? 2 - level : 0);
}

static int wanted_from(const vgRowChoice *x, const Part *p, int k, const unsigned char *counts)
{
    int best = k;
    for (int r = k + 1; r < p->rows; r++)
        if (rank_of(x, p, r, counts) > rank_of(x, p, best, counts)) best = r;
    return best;
}

/* Gram–Schmidt on the rows, the one that is wanted most first, until `most` are taken: the least length of the first `rank`,
 * and how many are above the tolerance. They come first afterwards, with unit length. */
static double least_length(const vgRowChoice *x, Part *p, int most, double tolerance,
                           const unsigned char *counts, int *count)
{
    size_t n = (size_t)p->cols;
    double least = 1;
    *count = 0;
    for (int k = 0; k < most && k < p->rows; k++) {
        int best = wanted_from(x, p, k, counts), row = p->row[k];
        double *b = p->B + (size_t)k * n, size = 0;
        swap(b, p->B + (size_t)best * n, n);
        p->row[k] = p->row[best], p->row[best] = row;
        for (size_t i = 0; i < n; i++) size += b[i] * b[i];
        p->length[best] = p->length[k];
        size = sqrt(size);
        if (k < p->rank) least = fmin(least, size);
        if (!(size > tolerance)) continue;
        ++*count;
        for (size_t i = 0; i < n; i++) b[i] /= size;
        for (int r = k + 1; r < p->rows; r++) take_away(p->cols, b, p->B + (size_t)r * n, &p->length[r]);
    }
    return least;
}

double vg_row_choice_distance(vgRowChoice *x, double t, const double *q)
{
    double least = 1;
    int count;
    jacobian(x, t, q);
    for (Part *p = x->part; p < x->part + x->npart; p++) {
        take_rows(x, p);
        least = fmin(least, least_length(x, p, p->rank, VG_RANK_TOLERANCE, NULL, &count));
    }
    return least;
}

int vg_row_choice_looks(const vgRowChoice *x)
{
    return x->npart > 0;
}

double vg_row_choice_reach(const vgRowChoice *x, const vgState *s, double h)
{
    const vgSystem *sys = x->it->sys;
    return vg_rows_reach(sys->nv, h, s->v, s->a, sys->v_closes ? sys->v_closes : x->unit);
}

/* ---- rows that count ---- */

/* Memory that was enough at the start may not be where rows have turned. It grows before a step, unless the clock runs. */
static vgStatus find_large(vgRowChoice *x, const vgSparseRows *j, const vgRankWish *wish)
{
    vgStatus st = vg_rank_find(x->finder, j, wish, &x->found);
    if (st != VG_LIMIT || x->it->newton_fixed > 0) return st;
    vg_rank_finder_loosen(x->finder);
    st = vg_rank_find(x->finder, j, wish, &x->found);
    return st == VG_OK ? vg_rank_finder_fix(x->finder) : st;
}

/* Those of large parts, by elimination. Where memory is short there is no choice: the run ends with that (x->status). */
static int order_large(vgRowChoice *x, const vgState *s, double tolerance)
{
    Part *p = &x->large;
    int at = 0;
    for (int r = 0; r < p->nrow; r++) {
        x->large_start[r] = at;
        x->weight[r] = s->active[p->own[r]] ? 1 : PREFERS;
        for (int k = x->start[p->own[r]]; k < x->start[p->own[r] + 1]; k++) {
            x->large_col[at] = x->col[k];
            x->large_value[at++] = x->scale[x->col[k]] * x->value[k];
        }
    }
    x->large_start[p->nrow] = at;
    const vgSparseRows j = {p->nrow, x->cols, x->large_start, x->large_col, x->large_value};
    const vgRankWish wish = {tolerance, x->weight, x->first, RAISES, x->large_group};
    const vgStatus st = find_large(x, &j, &wish);
    if (st == VG_LIMIT || st == VG_NO_MEMORY) x->status = VG_NO_MEMORY;
    if (st != VG_OK) return 0;
    for (int k = 0; k < x->found.rank; k++) p->row[k] = p->own[x->found.independent[k]];
    p->chosen = x->found.least;
    return x->found.rank;
}

/* The rows of a part in the order of a choice, with those that count now preferred; how many are independent by
 * more than the tolerance. */
static int order_rows(vgRowChoice *x, Part *p, const vgState *s, double tolerance)
{
    int count;
    if (p == &x->large) return order_large(x, s, tolerance);
    take_rows(x, p);
    p->chosen = least_length(x, p, p->rows, tolerance, s->active, &count);
    return count;
}

/* λ of the first `rank` rows in the order such that the forces on the bodies, Bᵀλ, are what they were: with the
 * unit vectors p of the order, row_k = Σ_{j ≤ k} (row_k · p_j) p_j, from the last one on. In large parts the next
 * solution finds them: Newton's equations are linear in λ. */
static void move_multipliers(vgRowChoice *x, Part *p, vgState *s)
{
    const size_t n = (size_t)p->cols;
    if (p == &x->large) {
        for (int r = 0; r < p->nrow; r++) s->lambda[p->own[r]] *= s->active[p->own[r]];
        return;
    }
    memset(p->f, 0, n * sizeof *p->f);
    for (int r = 0; r < p->nrow; r++) {
        double *row = p->again;
        dense_row(x, p, p->own[r], row);
        for (size_t i = 0; i < n; i++) p->f[i] += s->lambda[p->own[r]] * row[i];
        s->lambda[p->own[r]] = 0;
    }
    for (int j = p->rank - 1; j >= 0; j--) {
        const double *b = p->B + (size_t)j * n;
        double *row = p->again, force = 0, length = 0;
        dense_row(x, p, p->row[j], row);
        for (size_t i = 0; i < n; i++) force += b[i] * p->f[i], length += b[i] * row[i];
        const double lambda = s->lambda[p->row[j]] = force / length;
        for (size_t i = 0; i < n; i++) p->f[i] -= lambda * row[i];
    }
}

/* The first `rank` rows in the order count from now on. */
static void take_choice(vgRowChoice *x, Part *p, vgState *s)
{
    int counted = 0, same = 1;
    for (int r = 0; r < p->nrow; r++) counted += s->active[p->own[r]];
    for (int k = 0; k < p->rank; k++) same &= s->active[p->row[k]];
    if (same && counted == p->rank) return;
    for (int r = 0; r < p->nrow; r++) s->active[p->own[r]] = 0;
    for (int k = 0; k < p->rank; k++) s->active[p->row[k]] = 1;
    move_multipliers(x, p, s);
    x->it->work->matrix_lost = 1;
    x->it->matrix.have = 0;
}

/* In a singular position a large part has too few rows that are clearly independent: its choice stays. */
static void revise(vgRowChoice *x, Part *p, vgState *s)
{
    int count = order_rows(x, p, s, RAISES);
    p->since = 0;
    if (p == &x->large && count < p->rank) return;
    if (count > p->rank) p->rank = count;
    take_choice(x, p, s);
    p->choosing = p->rank < p->nrow; /* also rows that are empty now: in other positions they need not be */
}

static int is_due(const Part *p)
{
    return p->choosing && p->since > NEARLY * p->chosen;
}

/* How far bodies turn in a step of h. Rows are in world axes: joints before a loop do not change its closure, but they
 * turn its rows, and other ones must count then. */
static double turned(const vgRowChoice *x, const vgState *s, double h)
{
    const vgSystem *sys = x->it->sys;
    if (!sys->v_closes) return 0; /* the coordinates are those of bodies, and all count in any case */
    const vgKin *kin = sys->ops->kinematics(sys, x->work, s->t, s->q, s->v, s->a);
    double most = 0;
    for (int i = 0; i < sys->model->nbody; i++)
        most = fmax(most, vg_norm3(kin[i].w) + 0.5 * h * vg_norm3(kin[i].dw));
    return h * most;
}

vgStatus vg_row_choice_revise(vgRowChoice *x, vgState *s, double h)
{
    int due = x->large.choosing;
    for (Part *p = x->part; p < x->part + x->npart; p++) due |= p->choosing;
    if (!due) return VG_OK;
    const double way = vg_row_choice_reach(x, s, h) + turned(x, s, h);
    due = 0;
    for (Part *p = x->part; p < x->part + x->npart; p++) p->since += way, due |= is_due(p);
    x->large.since += way;
    if (!due && !is_due(&x->large)) return VG_OK;
    jacobian(x, s->t, s->q);
    for (Part *p = x->part; p < x->part + x->npart; p++)
        if (is_due(p)) revise(x, p, s);
    if (is_due(&x->large)) revise(x, &x->large, s);
    if (x->status != VG_OK)
        vg_fail(x->it, x->status, s->t,
                "there is not enough memory to choose the constraint equations that count at t = %.9g s: "
                "some repeat others, and which has changed",
                s->t);
    return x->status;
}

/* ---- set-up ---- */

/* A row of the Jacobian last taken, in units of v_scale. */
static int is_empty(const vgRowChoice *x, const vgState *s, const double *scale, int r)
{
    double sum = 0;
    for (int k = x->start[r]; k < x->start[r + 1]; k++) {
        double y = scale[x->col[k]] * x->value[k];
        sum += y * y;
    }
    return vg_row_is_empty(x->it->sys, x->work, s->t, r, sqrt(sum));
}

static vgStatus scale_columns(vgRowChoice *x, const vgState *s)
{
    const vgSystem *sys = x->it->sys;
    double *units = calloc((size_t)x->cols + 1, sizeof *units);
    if (!units) return VG_NO_MEMORY;
    if (sys->ops->extra.jacobian_scale)
        sys->ops->extra.jacobian_scale(sys, x->work, units);
    else
        memcpy(units, sys->v_scale, (size_t)sys->nv * sizeof *units);
    for (int r = 0; r < sys->njacobian; r++) {
        const int empty = is_empty(x, s, units, r);
        for (int k = x->start[r]; k < x->start[r + 1] && !empty; k++)
            x->scale[x->col[k]] = fmax(x->scale[x->col[k]], fabs(x->value[k]));
    }
    for (int k = 0; k < x->cols; k++) x->scale[k] = x->scale[k] > 0 ? 1 / x->scale[k] : 1;
    free(units);
    return VG_OK;
}

/* Rows of the parts where the run begins: a mechanism that begins in a singular position has the rank of the positions that
 * it moves to. */
static void choose_aside(vgRowChoice *x, Part *p, vgState *s)
{
    int beside = p->choosing ? order_rows(x, p, s, RAISES) : 0;
    if (beside <= p->rank) return;
    p->rank = beside;
    take_choice(x, p, s);
    p->choosing = 2;
}

static void choose_here(vgRowChoice *x, Part *p, vgState *s)
{
    if (p->choosing == 1 && order_rows(x, p, s, VG_RANK_TOLERANCE) >= p->rank) take_choice(x, p, s);
    p->choosing = p->choosing > 0;
    p->chosen = 0; /* to be looked at with the first step */
}

static void choose_first(vgRowChoice *x, vgState *s)
{
    const vgSystem *sys = x->it->sys;
    double speed = 0;
    int choosing = 0;
    for (int k = 0; k <= x->npart; k++) {
        Part *p = k < x->npart ? &x->part[k] : &x->large;
        if (p == &x->large && !x->finder) continue;
        p->rows = p->nrow;
        p->rank = order_rows(x, p, s, VG_RANK_TOLERANCE);
        p->choosing = !sys->is.chooses && p->rank < p->nrow;
        choosing |= p->choosing;
    }
    if (!choosing) return;
    for (int i = 0; i < sys->nv; i++) speed = fmax(speed, fabs(s->v[i]) * x->unit[i]);
    if (speed > 0) {
        double h = ASIDE / speed;
        for (int i = 0; i < sys->nv; i++) x->x[i] = h * s->v[i];
        sys->ops->retract(sys, s->q, x->x, x->q);
        jacobian(x, s->t + h, x->q);
        for (int k = 0; k <= x->npart; k++) choose_aside(x, k < x->npart ? &x->part[k] : &x->large, s);
        jacobian(x, s->t, s->q);
    }
    for (int k = 0; k <= x->npart; k++) choose_here(x, k < x->npart ? &x->part[k] : &x->large, s);
}

static int root_of(int *root, int c)
{
    while (root[c] != c) c = root[c] = root[root[c]];
    return c;
}

/* Parts: rows with columns in common. part_of and place get their numbers; parts of more than MOST_COLUMNS have −1. */
static vgStatus find_parts(vgRowChoice *x)
{
    const int m = x->it->sys->njacobian;
    int *root = malloc(((size_t)x->cols + 1) * sizeof *root),
        *count = calloc((size_t)x->cols + 1, sizeof *count),
        *number = malloc(((size_t)x->cols + 1) * sizeof *number);
    vgStatus st = root && count && number ? VG_OK : VG_NO_MEMORY;
    for (int c = 0; c < x->cols && st == VG_OK; c++) root[c] = c, number[c] = -1;
    for (int r = 0; r < m && st == VG_OK; r++)
        for (int k = x->start[r] + 1; k < x->start[r + 1]; k++) {
            const int a = root_of(root, x->col[k - 1]), b = root_of(root, x->col[k]);
            root[a > b ? a : b] = a > b ? b : a;
        }
    for (int c = 0; c < x->cols && st == VG_OK; c++) x->place[c] = count[root_of(root, c)]++;
    for (int r = 0; r < m && st == VG_OK; r++) {
        const int part = x->start[r] < x->start[r + 1] ? root_of(root, x->col[x->start[r]]) : 0,
                  large = count[part] > MOST_COLUMNS;
        if (number[part] < 0 && !large) number[part] = x->npart++;
        x->part_of[r] = large ? -1 : number[part];
        x->nlarge += large;
    }
    x->part = calloc((size_t)x->npart + 1, sizeof *x->part);
    if (!x->part) st = VG_NO_MEMORY;
    for (int c = 0; c < x->cols && st == VG_OK; c++)
        if (number[c] >= 0) x->part[number[c]].cols = count[c];
    for (int r = 0; r < m && st == VG_OK; r++)
        if (x->part_of[r] >= 0) x->part[x->part_of[r]].nrow++;
    free(root);
    free(count);
    free(number);
    return st;
}

static vgStatus place_parts(vgRowChoice *x)
{
    const int m = x->it->sys->njacobian;
    size_t ints = 0, reals = 0;
    for (Part *p = x->part; p < x->part + x->npart; p++) {
        ints += 2 * (size_t)p->nrow;
        reals += (size_t)p->nrow * (size_t)p->cols + (size_t)p->nrow + 2 * (size_t)p->cols;
    }
    x->ints = calloc(ints + 1, sizeof *x->ints);
    x->reals = calloc(reals + 1, sizeof *x->reals);
    if (!x->ints || !x->reals) return VG_NO_MEMORY;
    int *at = x->ints;
    double *real = x->reals;
    for (Part *p = x->part; p < x->part + x->npart; p++) {
        p->own = at, p->row = at + p->nrow;
        p->B = real;
        p->length = p->B + (size_t)p->nrow * (size_t)p->cols;
        p->again = p->length + p->nrow;
        p->f = p->again + p->cols;
        at += 2 * p->nrow;
        real = p->f + p->cols;
        p->nrow = 0;
    }
    for (int r = 0; r < m; r++)
        if (x->part_of[r] >= 0) {
            Part *p = &x->part[x->part_of[r]];
            p->own[p->nrow++] = r;
        }
    return VG_OK;
}

/* Rows of large parts, if some of them repeat others. */
static vgStatus place_large(vgRowChoice *x, vgState *s)
{
    const vgSystem *sys = x->it->sys;
    const int m = sys->njacobian;
    Part *p = &x->large;
    int repeated = 0;
    for (int r = 0; r < m; r++) repeated |= x->part_of[r] < 0 && !s->active[r];
    if (!repeated) return VG_OK;
    const size_t rows = (size_t)x->nlarge + 1, entries = (size_t)x->start[m] + 1;
    p->own = calloc(2 * rows, sizeof *p->own);
    x->weight = calloc(rows, sizeof *x->weight);
    x->first = calloc(rows, 1);
    x->large_start = calloc(rows, sizeof *x->large_start);
    x->large_col = calloc(entries, sizeof *x->large_col);
    x->large_group = calloc(rows, sizeof *x->large_group);
    x->large_value = calloc(entries, sizeof *x->large_value);
    if (!p->own || !x->weight || !x->first || !x->large_start || !x->large_col || !x->large_group ||
        !x->large_value)
        return VG_NO_MEMORY;
    p->row = p->own + rows;
    for (int r = 0, first = 0, last = -1; r < m; r++) {
        if (x->part_of[r] >= 0) continue;
        if (x->group[r] != last) first = p->nrow; /* rows of a primitive follow each other */
        last = x->group[r];
        x->large_group[p->nrow] = first;
        x->first[p->nrow] = (unsigned char)(2 - sys->row_level[r]);
        p->own[p->nrow++] = r;
    }
    vgStatus st = vg_rank_room(p->nrow, &x->found);
    if (st == VG_OK) st = vg_rank_finder_new(p->nrow, x->cols, x->start[m], &x->finder);
    if (st == VG_OK) order_large(x, s, VG_RANK_TOLERANCE);
    if (st == VG_OK) st = x->status;
    return st == VG_OK ? vg_rank_finder_fix(x->finder) : st;
}

/* Rows of a joint come in the order of its primitives; others are groups of their own. */
static void find_groups(vgRowChoice *x)
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

static vgStatus set_up(vgRowChoice *x, vgState *s)
{
    const vgSystem *sys = x->it->sys;
    const size_t rows = (size_t)sys->njacobian + 1, entries = rows * (size_t)sys->row_entries,
                 cols = (size_t)x->cols + 1;
    x->start = calloc(rows, sizeof *x->start);
    x->col = calloc(entries + 1, sizeof *x->col);
    x->value = calloc(entries + 1, sizeof *x->value);
    x->scale = calloc(cols, sizeof *x->scale);
    x->part_of = calloc(rows, sizeof *x->part_of);
    x->place = calloc(cols, sizeof *x->place);
    x->unit = calloc(2 * (size_t)vg_whole(sys->nv) + (size_t)sys->nq + 1, sizeof *x->unit);
    x->group = calloc(rows, sizeof *x->group);
    x->most = calloc(rows, sizeof *x->most);
    if (!x->start || !x->col || !x->value || !x->scale || !x->part_of || !x->place || !x->unit || !x->group ||
        !x->most)
        return VG_NO_MEMORY;
    find_groups(x);
    x->x = x->unit + vg_whole(sys->nv);
    x->q = x->x + sys->nv;
    for (int i = 0; i < sys->nv; i++) x->unit[i] = 1 / sys->v_scale[i];
    vgStatus st = vg_work_new_lean(sys, &x->work);
    if (st != VG_OK) return st;
    vg_work_bind(x->work, s);
    jacobian(x, s->t, s->q);
    st = find_parts(x);
    if (st != VG_OK || (x->npart == 0 && !memchr(s->active, 0, (size_t)sys->nphi))) return st;
    st = scale_columns(x, s);
    if (st == VG_OK) st = place_parts(x);
    if (st == VG_OK) st = place_large(x, s);
    return st;
}

vgStatus vg_row_choice_new(vgIntegrator *it, vgState *s, vgRowChoice **out, int *large)
{
    const vgSystem *sys = it->sys;
    *out = NULL;
    *large = sys->nl > 0 && sys->may_repeat;
    if (!sys->may_repeat || (it->newton_fixed > 0 && !memchr(s->active, 0, (size_t)sys->nphi))) return VG_OK;
    vgRowChoice *x = calloc(1, sizeof *x);
    if (!x) return VG_NO_MEMORY;
    x->it = it;
    x->cols = sys->ops->jacobian(sys, it->work, s->t, s->q, NULL, NULL, NULL);
    vgStatus st = set_up(x, s);
    if (st == VG_OK && (x->npart > 0 || x->finder)) {
        *large = x->nlarge > 0;
        choose_first(x, s);
        st = x->status;
        *out = x;
    }
    if (st != VG_OK || !*out) {
        vg_row_choice_free(x);
        *out = NULL;
    }
    return st;
}

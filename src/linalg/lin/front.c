/* Backend of fronts (front.h): factorisation, solution, and the trial that finds how many rows each front passes on. */
#include "linalg/lin/front.h"

#include <math.h>
#include <stdlib.h>

/* A block of `rows` × `cols`, entries of a column `down` apart and those of a row `right`. */
static inline __attribute__((always_inline)) void add_block(double *to, size_t ld, const double *from,
                                                            int rows, int cols, size_t down, size_t right)
{
    for (int c = 0; c < cols; c++, to += ld, from += right)
        for (int r = 0; r < rows; r++) to[r] += from[(size_t)r * down];
}

/* The matrix's own entries. Points and ball joints have three rows, bodies six: their loops are unrolled. */
static void load(const vgLinFronts *b, const vgFront *x, const double *values, double *f)
{
    const size_t ld = vg_front_ld(vg_front_size(x));
    for (size_t i = x->load; i < x->load_end; i++) {
        const vgFrontLoad *l = &b->load[i];
        const int row = l->row < x->own ? l->row : l->row + x->come;
        const int col = l->col < x->own ? l->col : l->col + x->come;
        const size_t down = l->turned ? 1 : (size_t)l->cols, right = l->turned ? (size_t)l->rows : 1;
        const double *from = values + l->from;
        double *to = f + (size_t)col * ld + row;
        if (l->rows == 3)
            add_block(to, ld, from, 3, l->cols, down, right);
        else if (l->rows == 6)
            add_block(to, ld, from, 6, l->cols, down, right);
        else
            add_block(to, ld, from, l->rows, l->cols, down, right);
    }
}

/* Numbers of the rows and columns that are to be eliminated. */
static void gather_ids(const vgLinFronts *b, const vgFront *x)
{
    for (int i = 0; i < x->own; i++) {
        const int id = b->rows[x->rows + (size_t)i];
        x->row[i] = id < b->n ? id : b->given_row[id - b->n];
        x->col[i] = id < b->n ? id : b->given_col[id - b->n];
    }
    for (int c = x->child; c < x->end; c++) {
        const vgFront *y = &b->front[b->child[c]];
        const int from = vg_front_pivots(y), to = x->own + y->at;
        memcpy(x->row + to, y->row + from, (size_t)y->pass * sizeof(int));
        memcpy(x->col + to, y->col + from, (size_t)y->pass * sizeof(int));
    }
}

/* Sums are remembered term by term: entries that almost cancel are seen by it. */
static void remember(const vgLinFronts *b, const vgFront *x, int i, const double *f)
{
    const int cand = x->own + x->come, *border = b->rows + x->rows + x->own + x->give;
    const int id = i < cand ? x->row[i] : border[i - cand], given = id >= b->n;
    const double now = fabs(f[(size_t)i * (vg_front_ld(vg_front_size(x)) + 1)]);
    if (i < cand ? x->row[i] != x->col[i] : given && b->given_row[id - b->n] != b->given_col[id - b->n])
        return;
    double *history = &b->history[given ? b->given_row[id - b->n] : id];
    if (now > *history) *history = now;
}

static void add_rest(const vgLinFronts *b, const vgFront *x, const vgFront *child, int *map, double *f)
{
    const double *rest = child->rest;
    const size_t ld = vg_front_ld(vg_front_size(x));
    const int n = vg_front_rest(child), *slot = b->slot + child->rows + child->own;
    for (int i = 0; i < child->pass; i++) map[i] = x->own + child->at + i;
    for (int i = child->pass; i < n; i++, slot++) map[i] = *slot < x->own ? *slot : *slot + x->come;
    for (int j = 0; j < n; j++, rest += n) {
        double *to = f + (size_t)map[j] * ld;
        for (int i = 0; i < n; i++) to[map[i]] += rest[i];
        remember(b, x, map[j], f);
    }
}

static void assemble(const vgLin *lin, const vgLinFronts *b, const vgFront *x, int *map, double *f)
{
    const int m = vg_front_size(x);
    memset(f, 0, ((size_t)m * vg_front_ld(m) + 4) * sizeof *f);
    gather_ids(b, x);
    load(b, x, lin->values, f);
    for (int i = 0; i < m; i++) remember(b, x, i, f);
    for (int c = x->child; c < x->end; c++) add_rest(b, x, &b->front[b->child[c]], map, f);
}

/* Columns one after the other, in whole fours: up to three numbers beyond the end of the last. */
static void copy(double *to, size_t ldt, const double *from, size_t ldf, int rows, int cols)
{
    for (int j = 0; j < cols; j++, to += ldt, from += ldf)
        for (int i = 0; i < rows; i += 4) memcpy(to + i, from + i, 4 * sizeof *to);
}

static int any_not_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return 1;
    return 0;
}

/* Which rows and columns are given to the places of the order, where `done` have been eliminated. */
static void note_given(vgLinFronts *b, const vgFront *x, int done)
{
    const int *id = b->rows + x->rows + x->own;
    for (int i = 0; i < x->give; i++) {
        b->given_row[id[i] - b->n] = x->row[done + x->pass + i];
        b->given_col[id[i] - b->n] = x->col[done + x->pass + i];
    }
}

static vgFrontWork work_of(vgLinFronts *b, const vgFront *x, int *lost)
{
    return (vgFrontWork){.row = x->row,
                         .col = x->col,
                         .border = b->rows + x->rows + x->own + x->give,
                         .n = b->n,
                         .given = b->given_row,
                         .spot = b->spot,
                         .turn = b->turn,
                         .history = b->history,
                         .weight = b->weight,
                         .lost = lost};
}

/* What the children have passed on, and where the rest of this front goes: in the place of theirs. */
static void begin_front(vgLinFronts *b, vgFront *x, int first)
{
    if (first) {
        b->lost = 0;
        b->factor_used = b->stack_used = b->done = 0;
        memset(b->history, 0, (size_t)b->n * sizeof *b->history);
    }
    vg_lin_fronts_come(b, x);
    for (int c = x->child; c < x->end; c++) {
        const size_t r = (size_t)vg_front_rest(&b->front[b->child[c]]);
        b->stack_used -= r * r;
    }
}

/* Numbers of the border's rows and columns in the matrix, behind the others. */
static void note_border(const vgLinFronts *b, const vgFront *x)
{
    const int *id = b->rows + x->rows + x->own + x->give;
    int *row = x->row + x->own + x->come, *col = x->col + x->own + x->come;
    for (int i = 0; i < x->border; i++) {
        row[i] = id[i] < b->n ? id[i] : b->given_row[id[i] - b->n];
        col[i] = id[i] < b->n ? id[i] : b->given_col[id[i] - b->n];
    }
}

/* The factors of the front in b->work. 0: there is no room for them. */
static int keep_factors(vgLinFronts *b, vgFront *x)
{
    const int m = vg_front_size(x), p = vg_front_pivots(x), r = vg_front_rest(x);
    const size_t ld = vg_front_ld(m);
    if (b->factor_used + vg_front_factor(x) > b->nfactor) return 0;
    x->pivots = b->done;
    x->lower = b->factor + b->factor_used;
    x->upper = x->lower + vg_front_pad(m) * (size_t)p;
    x->rest = b->stack + b->stack_used;
    b->done += (size_t)p;
    b->factor_used += vg_front_factor(x);
    b->stack_used += (size_t)r * (size_t)r;
    copy(x->lower, vg_front_pad(m), b->work, ld, m, p);
    copy(x->upper, vg_front_pad(p), b->work + (size_t)p * ld, ld, p, r);
    copy(x->rest, (size_t)r, b->work + (size_t)p * ld + p, ld, r, r);
    return 1;
}

static vgStatus piece(const vgLin *lin, void *impl, int k, int *bad_row)
{
    vgLinFronts *b = impl;
    vgFront *x = &b->front[k];
    begin_front(b, x, k == 0);
    const vgFrontWork w = work_of(b, x, &b->lost);
    const int cand = x->own + x->come, want = cand > x->give + x->usual ? cand - x->give - x->usual : 0;
    const int need = x->parent < 0 ? want : want - VG_FRONT_SPARE;
    assemble(lin, b, x, b->map, b->work);
    const int done = vg_front_eliminate(b->work, vg_front_size(x), cand, want, need, &w);
    if (done < need) {
        *bad_row = x->col[done];
        return any_not_finite(lin->values, lin->nvalue) ? VG_NOT_FINITE : VG_SINGULAR;
    }
    x->pass = cand - x->give - done;
    note_given(b, x, done);
    note_border(b, x);
    return keep_factors(b, x) ? VG_OK : VG_SINGULAR;
}

static vgStatus factor(const vgLin *lin, void *impl, int *bad_row)
{
    vgStatus status = VG_OK;
    for (int k = 0; k < ((vgLinFronts *)impl)->nfront && status == VG_OK; k++)
        status = piece(lin, impl, k, bad_row);
    return status;
}

enum { FOUR = 4 }; /* pivots that are solved for together */

/* L y = b, rows by their numbers in z. */
static void forward(vgLinFronts *b, const vgFront *x, double *w)
{
    const int m = vg_front_size(x), p = vg_front_pivots(x);
    const size_t ld = vg_front_pad(m);
    for (int i = 0; i < p; i++) w[i] = b->z[x->row[i]];
    memset(w + p, 0, (size_t)(m - p) * sizeof *w);
    for (int t = 0; t < p; t += FOUR) {
        const double *l = x->lower + (size_t)t * ld;
        const int k = p - t < FOUR ? p - t : FOUR;
        for (int c = 0; c < k; c++)
            for (int i = c + 1; i < k; i++) w[t + i] -= l[(size_t)c * ld + (size_t)(t + i)] * w[t + c];
        vg_front_subtract(w + t + k, l + t + k, ld, m - t - k, w + t, k);
    }
    memcpy(b->y + x->pivots, w, (size_t)p * sizeof *w);
    for (int i = p; i < m; i++) b->z[x->row[i]] += w[i];
}

/* U x = y, unknowns by their numbers. */
static void backward(vgLinFronts *b, const vgFront *x, double *w, double *solution)
{
    const int m = vg_front_size(x), p = vg_front_pivots(x), r = vg_front_rest(x);
    const size_t ld = vg_front_pad(m), pad = vg_front_pad(p);
    memcpy(w, b->y + x->pivots, (size_t)p * sizeof *w);
    for (int i = 0; i < r; i++) w[pad + (size_t)i] = solution[x->col[p + i]];
    vg_front_subtract(w, x->upper, pad, p, w + pad, r);
    for (int end = p; end > 0; end -= FOUR) {
        const int t = end > FOUR ? end - FOUR : 0, k = end - t;
        const double *u = x->lower + (size_t)t * ld;
        for (int c = k - 1; c >= 0; c--) {
            w[t + c] *= u[(size_t)c * ld + (size_t)(t + c)];
            for (int i = 0; i < c; i++) w[t + i] -= u[(size_t)c * ld + (size_t)(t + i)] * w[t + c];
            solution[x->col[t + c]] = w[t + c];
        }
        double value[FOUR]; /* the product touches w a little beyond t */
        memcpy(value, w + t, (size_t)k * sizeof *w);
        vg_front_subtract(w, u, ld, t, value, k);
    }
}

static void solve(const vgLin *lin, void *impl, double *right)
{
    vgLinFronts *b = impl;
    (void)lin;
    memcpy(b->z, right, (size_t)b->n * sizeof *right);
    for (int k = 0; k < b->nfront; k++) forward(b, &b->front[k], b->x);
    for (int k = b->nfront - 1; k >= 0; k--) backward(b, &b->front[k], b->x, right);
}

/* ---- how many rows each front passes on ---- */

typedef struct attempt { /* memory of a trial */
    double *f;
    int *map;
    size_t room;
    int remain;           /* rows that the last fronts are left with */
    unsigned char *left;  /* [n] those */
    unsigned char *stuck; /* [n] columns that have been passed on */
} attempt;

static void forget(vgFront *x)
{
    free(x->row);
    free(x->rest);
    x->row = x->col = NULL;
    x->rest = NULL;
}

static vgStatus try_front(const vgLin *lin, vgLinFronts *b, vgFront *x, attempt *a)
{
    vg_lin_fronts_come(b, x);
    const int m = vg_front_size(x), cand = x->own + x->come;
    const size_t ld = vg_front_ld(m), room = (size_t)m * ld + 4;
    if (room > a->room) {
        free(a->f);
        free(a->map);
        a->f = malloc(2 * room * sizeof *a->f);
        a->map = malloc(2 * room * sizeof *a->map);
        a->room = a->f && a->map ? 2 * room : 0;
    }
    x->row = malloc(2 * (size_t)cand * sizeof *x->row);
    if (a->room < room || !x->row) return VG_NO_MEMORY;
    x->col = x->row + cand;
    assemble(lin, b, x, a->map, a->f);
    int lost = 0;
    const vgFrontWork w = work_of(b, x, &lost);
    const int want = cand - x->give, need = x->parent >= 0 ? 0 : want;
    const int done = vg_front_eliminate(a->f, m, cand, want, need, &w), r = m - done;
    for (int i = done; i < want && x->parent < 0; i++) a->left[x->row[i]] = 1;
    for (int i = done; i < want && x->parent >= 0; i++) a->stuck[x->col[i]] = 1;
    if (x->parent < 0) a->remain += want - done;
    x->pass = x->parent < 0 ? 0 : want - done;
    note_given(b, x, done);
    x->rest = malloc(((size_t)r * (size_t)r + 4) * sizeof *x->rest);
    if (!x->rest) return VG_NO_MEMORY;
    copy(x->rest, (size_t)r, a->f + (size_t)done * ld + done, ld, r, r);
    for (int c = x->child; c < x->end; c++) forget(&b->front[b->child[c]]);
    return VG_OK;
}

/* Eliminates with the current values; rows without a good pivot are passed on. */
static vgStatus try_all(const vgLin *lin, vgLinFronts *b, attempt *a)
{
    vgStatus status = VG_OK;
    a->remain = 0;
    memset(a->stuck, 0, (size_t)b->n);
    memset(b->history, 0, (size_t)b->n * sizeof *b->history);
    for (int k = 0; k < b->nfront; k++) b->front[k].row = NULL, b->front[k].rest = NULL;
    for (int k = 0; k < b->nfront && status == VG_OK; k++) status = try_front(lin, b, &b->front[k], a);
    for (int k = 0; k < b->nfront; k++) forget(&b->front[k]);
    return status;
}

/* Redundant rows find no pivot anywhere, and would be passed on to the last front; they will be left out of the matrix, and a
 * second trial leaves them out. */
enum { TRIALS = 3 };

static vgStatus trials(vgLin *lin, vgLinFronts *b, attempt *a)
{
    vgStatus status = VG_OK;
    a->remain = 1;
    for (int i = 0; i < TRIALS && status == VG_OK && a->remain > 0; i++) {
        vg_lin_left_out_fill(lin);
        status = try_all(lin, b, a);
        lin->nleft += a->remain;
    }
    free(a->f);
    free(a->map);
    return status;
}

/* Nodes whose pivots fail: the first time the elimination order is asked for a better place, then they are passed to parents. */
static vgStatus learn(vgLin *lin, void *impl, vgLinNode *found, int *news)
{
    vgLinFronts *b = impl;
    const size_t n = (size_t)b->n;
    const int nleft = lin->nleft;
    *news = 0;
    if (any_not_finite(lin->values, lin->nvalue)) return VG_OK;
    unsigned char *kept = malloc(2 * n);
    if (!kept) return VG_NO_MEMORY;
    memcpy(kept, lin->left, n);
    attempt a = {.left = lin->left, .stuck = kept + n};
    vgStatus status = trials(lin, b, &a);
    for (int k = 0; k < b->nfront && a.remain > 0; k++) b->front[k].pass = 0;
    for (int i = 0; i < b->n && status == VG_OK && a.remain == 0 && b->ngiven == 0; i++) {
        const int node = vg_lin_node(lin, i);
        if (!a.stuck[i] || !lin->graph.dual[node]) continue;
        int *more = found[node].pass + 1 < lin->graph.size[node] ? &found[node].pass : &found[node].wait;
        ++*more;
        ++*news;
    }
    if (status == VG_OK) status = vg_lin_fronts_place(b);
    memcpy(lin->left, kept, n);
    lin->nleft = nleft;
    free(kept);
    return status;
}

static int pieces(const void *impl, double *cost)
{
    const vgLinFronts *b = impl;
    for (int k = 0; cost && k < b->nfront; k++) cost[k] = b->front[k].cost;
    return b->nfront;
}

static int lost(const void *impl)
{
    return ((const vgLinFronts *)impl)->lost;
}
static size_t memory(const void *impl)
{
    const vgLinFronts *b = impl;
    return sizeof *b + b->plan.size + b->room.size;
}
static size_t fill(const void *impl)
{
    return ((const vgLinFronts *)impl)->nfill;
}

const vgLinOps vg_lin_front_ops = {
    .name = "fronts",
    .falls_back = 1,
    .remembers = 1,
    .create = vg_lin_fronts_plan,
    .destroy = vg_lin_fronts_free,
    .factor = factor,
    .pieces = pieces,
    .piece = piece,
    .learn = learn,
    .solve = solve,
    .lost = lost,
    .memory = memory,
    .fill = fill,
};

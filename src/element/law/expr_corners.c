/* Times at which a law of time switches.
 *
 * A node that switches (a comparison, min, abs, floor, the knots of a table …) is in one of several pieces,
 * and changes from one to another where its argument passes a level. Bounds of the argument and of its
 * derivative over an interval of time (expr_range.c) show when no level lies within, or when the argument is
 * monotone and passes each level once at most; other intervals are halved. So every switch is found, however
 * the law is spelt. The time is then bisected down to two neighbouring numbers: a switch is reported at the
 * first time at which the law is in its new piece. */
#include <math.h>
#include <string.h>

#include "element/law/expr_node.h"
#include "element/tuning.h"

enum {
    WINDOWS = 64,      /* parts of the interval, each with its own allowance */
    ALLOWANCE = 20000, /* intervals looked at in a window before the search ends where it is */
    FOR_A_CORNER = 64, /* more for each corner found: many corners are not a reason to stop */
    DEEPEST = 44,      /* halvings of a window: 1e-15 of the whole interval */
    HALVINGS = 1100    /* between two numbers of double precision */
};

typedef struct Search {
    const vgExpr *e;
    double *out;
    int n, max;
    double span;
    long left;                       /* of the allowance */
    int pure;                        /* 1: a function of t alone, whose values can be compared */
    int count;                       /* switches of t alone */
    int node[VG_EXPR_MAX_NODES];     /* of each */
    double piece[VG_EXPR_MAX_NODES]; /* of each, where it was last known; NAN: not yet */
    double since[VG_EXPR_MAX_NODES]; /* when that was */
} Search;

static vgExprCorner corner_of(const vgExprNode *n)
{
    if (n->op == VG_EXPR_TABLE) return VG_CORNER_KNOTS;
    return n->op < VG_EXPR_FIRST_ROW ? VG_CORNER_NONE : vg_expr_functions[n->op - VG_EXPR_FIRST_ROW].corner;
}

/* How many of the first knots lie below x. */
static int knots_below(const vgTable *table, double x)
{
    const double *knot;
    int lo = 0, hi = vg_table_corners(table, &knot);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (knot[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The number of levels from x on; NAN: x is a level itself, or not a number. */
static double piece_of(const vgExprNode *n, double a, double b)
{
    const double *knot;
    int k;
    switch (corner_of(n)) {
    case VG_CORNER_DIFFERENCE:
        return a > b ? 1 : a < b ? 0 : NAN;
    case VG_CORNER_ZERO:
    case VG_CORNER_CUT:
        return a > 0 ? 1 : a < 0 ? 0 : NAN;
    case VG_CORNER_UNIT:
        return a > 1 ? 2 : a > 0 && a < 1 ? 1 : a < 0 ? 0 : NAN;
    case VG_CORNER_INTEGER:
        return a == floor(a) || !(a == a) ? NAN : floor(a);
    case VG_CORNER_KNOTS:
        if (!(a == a)) return NAN;
        k = knots_below(n->table, a);
        return k < vg_table_corners(n->table, &knot) && knot[k] == a ? NAN : k;
    default:
        return NAN;
    }
}

/* Does the range hold a level? */
static int has_level(const vgExprNode *n, vgRange r)
{
    const double *knot;
    int k;
    switch (corner_of(n)) {
    case VG_CORNER_UNIT:
        return (r.lo <= 0 && r.hi >= 0) || (r.lo <= 1 && r.hi >= 1);
    case VG_CORNER_INTEGER:
        return ceil(r.lo) <= r.hi;
    case VG_CORNER_KNOTS:
        k = knots_below(n->table, r.lo);
        return k < vg_table_corners(n->table, &knot) && knot[k] <= r.hi;
    default:
        return r.lo <= 0 && r.hi >= 0;
    }
}

/* The piece that switch k is in at time t. Inputs other than t do not reach it: any number serves. */
static double piece_at(const Search *s, int k, double t)
{
    double in[VG_EXPR_MAX_INPUTS], v[VG_EXPR_MAX_NODES];
    const vgExpr *e = s->e;
    const vgExprNode *n = &e->node[s->node[k]];
    for (int i = 0; i < e->ninput; i++) in[i] = e->slot[i] == 0 ? t : 0;
    for (int i = 0; i < s->node[k]; i++) v[i] = vg_expr_node_value(&e->node[i], v, in);
    return piece_of(n, v[n->arg[0]], corner_of(n) == VG_CORNER_DIFFERENCE ? v[n->arg[1]] : 0);
}

/* Keeps the first max times in ascending order, each once. */
static void keep(Search *s, double t)
{
    int at = s->n;
    while (at > 0 && s->out[at - 1] >= t) at--;
    if ((at < s->n && s->out[at] == t) || at >= s->max) return;
    if (s->n < s->max) s->n++;
    for (int i = s->n - 1; i > at; i--) s->out[i] = s->out[i - 1];
    s->out[at] = t;
}

/* Does the law, a function of t alone, go on over t as if nothing switched? So it is where a branch switches
 * that is not taken, and where two pieces meet with the same value and derivatives. */
static int is_smooth(const Search *s, double t)
{
    double about = 1e-12 * (fabs(t) + s->span), x[3], y[3];
    if (!s->pure) return 0;
    vg_expr_time(s->e, t - about, x);
    vg_expr_time(s->e, t + about, y);
    for (int k = 0; k < 3; k++) {
        double bend = k < 2 ? 4 * about * (fabs(x[k + 1]) + fabs(y[k + 1])) : 0;
        if (!(fabs(y[k] - x[k]) <= bend + VG_PIECES_MEET * (fabs(x[k]) + fabs(y[k])))) return 0;
    }
    return 1;
}

/* Switch k has been in piece from until a and is in piece to at b: the times between at which it changes. */
static void changes(Search *s, int k, double a, double from, double b, double to)
{
    while (from != to && s->n <= s->max) {
        double lo = a, hi = b;
        for (int i = 0; i < HALVINGS; i++) {
            double mid = lo + 0.5 * (hi - lo), now;
            if (!(lo < mid && mid < hi)) break;
            now = piece_at(s, k, mid);
            if (now == from || !(now == now))
                lo = mid;
            else
                hi = mid;
        }
        if (!is_smooth(s, hi)) keep(s, hi);
        s->left += FOR_A_CORNER;
        if (s->n == s->max && hi > s->out[s->max - 1]) return;
        from = hi < b ? piece_at(s, k, hi) : to;
        a = hi;
    }
}

static void look_at(Search *s, double t)
{
    for (int k = 0; k < s->count; k++) {
        double now = piece_at(s, k, t);
        if (!(now == now)) continue;
        if (s->piece[k] == s->piece[k] && s->piece[k] != now) changes(s, k, s->since[k], s->piece[k], t, now);
        s->piece[k] = now;
        s->since[k] = t;
    }
}

/* 1: between the two times every switch passes each of its levels once at most. */
static int is_plain(const Search *s, double lo, double hi)
{
    vgNodeRange f[VG_EXPR_MAX_NODES];
    int k = 0, plain = 1;
    for (int i = 0; i < s->e->nnode && k < s->count && plain; i++) {
        const vgExprNode *n = &s->e->node[i];
        if (i == s->node[k]) {
            vgNodeRange x = f[n->arg[0]];
            if (corner_of(n) == VG_CORNER_DIFFERENCE) x = vg_expr_difference_range(&x, &f[n->arg[1]]);
            plain = !has_level(n, x.value) || x.slope.lo >= 0 || x.slope.hi <= 0;
            k++;
        }
        f[i] = vg_expr_node_range(s->e, i, f, lo, hi);
    }
    return plain;
}

static void search(Search *s, double lo, double hi)
{
    double end[DEEPEST + 1];
    int depth = 0;
    s->left = ALLOWANCE;
    end[0] = hi;
    while (depth >= 0 && s->n < s->max) {
        double mid = lo + 0.5 * (end[depth] - lo);
        int halve = depth < DEEPEST && s->left-- > 0 && lo < mid && mid < end[depth];
        if (halve && !is_plain(s, lo, end[depth])) {
            end[++depth] = mid;
            continue;
        }
        lo = end[depth--];
        look_at(s, lo);
    }
}

/* Marks the nodes that depend on nothing but t, and notes those that switch. */
static void find_switches(Search *s)
{
    unsigned char of_time[VG_EXPR_MAX_NODES];
    for (int i = 0; i < s->e->nnode; i++) {
        const vgExprNode *n = &s->e->node[i];
        of_time[i] = n->op != VG_EXPR_INPUT || s->e->slot[n->arg[0]] == 0;
        int nargs = n->op == VG_EXPR_INPUT ? 0 : vg_expr_node_nargs(n);
        for (int k = 0; k < nargs; k++) of_time[i] &= of_time[n->arg[k]];
        if (!of_time[i] || corner_of(n) == VG_CORNER_NONE) continue;
        s->piece[s->count] = NAN;
        s->node[s->count++] = i;
    }
}

int vg_expr_corners(const vgExpr *expr, double t0, double t1, double *out, int max)
{
    Search s = {
        .e = expr, .out = out, .max = max, .span = t1 - t0, .pure = expr->ninput == 1 && expr->slot[0] == 0};
    find_switches(&s);
    if (s.count == 0 || !(t0 < t1) || max < 1) return 0;
    look_at(&s, t0);
    for (int w = 0; w < WINDOWS; w++)
        search(&s, t0 + s.span * w / WINDOWS, w == WINDOWS - 1 ? t1 : t0 + s.span * (w + 1) / WINDOWS);
    while (s.n > 0 && !(out[s.n - 1] < t1)) s.n--;
    return s.n;
}

/* Bounds of an expression over an interval of time: interval arithmetic on values and time derivatives. The
 * bounds hold up to rounding, for which each is widened a little, and close in on the function as the
 * interval becomes short. Where nothing is known (a pole, the root of something negative) there are no
 * bounds. */
#include <math.h>
#include <stddef.h>

#include "element/law/expr_node.h"

static const double PI = 3.14159265358979323846;
static const double ROUNDING = 4.5e-16; /* two units in the last place: a function of libm is right to one */

static const vgRange ALL = {-INFINITY, INFINITY}, ZERO = {0, 0};

static vgRange hull(vgRange a, vgRange b)
{
    return (vgRange){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

/* With room for rounding; no bounds where one is not a number. */
static vgRange widened(vgRange r)
{
    if (!(r.lo <= r.hi)) return ALL;
    return (vgRange){r.lo - ROUNDING * fabs(r.lo), r.hi + ROUNDING * fabs(r.hi)};
}

static vgRange sum(vgRange a, vgRange b)
{
    return widened((vgRange){a.lo + b.lo, a.hi + b.hi});
}

static vgRange minus(vgRange a)
{
    return (vgRange){-a.hi, -a.lo};
}

/* 0 times a number without bounds is 0 */
static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static vgRange product(vgRange a, vgRange b)
{
    double w = times(a.lo, b.lo), x = times(a.lo, b.hi), y = times(a.hi, b.lo), z = times(a.hi, b.hi);
    return widened((vgRange){fmin(fmin(w, x), fmin(y, z)), fmax(fmax(w, x), fmax(y, z))});
}

static int has(vgRange r, double x)
{
    return r.lo <= x && x <= r.hi;
}

static vgRange inverse(vgRange a)
{
    return has(a, 0) ? ALL : widened((vgRange){1 / a.hi, 1 / a.lo});
}

static vgRange square(vgRange a)
{
    vgRange r = product(a, a);
    if (has(a, 0))
        r.lo = 0;
    else
        r.lo = fmax(r.lo, 0);
    return r;
}

static int is_point(vgRange a)
{
    return a.lo == a.hi;
}

/* ---- functions of one argument ---- */

/* f or f' of a row at x. */
static double at(const vgExprFunction *f, int derivative, double x)
{
    double d[3];
    if (!derivative) return f->unary(x);
    f->unary_d(x, d);
    return d[1];
}

static void include(vgRange *r, double y)
{
    if (!(y == y)) *r = ALL;
    r->lo = fmin(r->lo, y);
    r->hi = fmax(r->hi, y);
}

/* The turning points offset + k apart: two neighbours show a maximum and a minimum. */
static void include_turns(const vgExprFunction *f, int derivative, vgRange x, double offset, double apart,
                          vgRange *r)
{
    double k = ceil((x.lo - offset) / apart);
    for (int i = 0; i < 2; i++)
        if (offset + (k + i) * apart <= x.hi) include(r, at(f, derivative, offset + (k + i) * apart));
}

static vgRange function_range(const vgExprFunction *f, int derivative, vgRange x)
{
    double lo = at(f, derivative, x.lo), hi = at(f, derivative, x.hi);
    vgRange r = {fmin(lo, hi), fmax(lo, hi)};
    if (!(lo == lo) || !(hi == hi)) return ALL;
    switch (derivative ? f->bends : f->turns) {
    case VG_TURN_NEVER:
        break;
    case VG_TURN_ZERO:
        if (has(x, 0)) include(&r, at(f, derivative, 0));
        break;
    case VG_TURN_HALF:
        for (int i = 0; i < 3; i++)
            if (has(x, 0.5 * i)) include(&r, at(f, derivative, 0.5 * i));
        break;
    case VG_TURN_PI:
        include_turns(f, derivative, x, 0, PI, &r);
        break;
    case VG_TURN_HALF_PI:
        include_turns(f, derivative, x, 0.5 * PI, PI, &r);
        break;
    case VG_TURN_POLES:
        if (floor(x.lo / PI + 0.5) != floor(x.hi / PI + 0.5)) return ALL;
        break;
    }
    return widened(r);
}

/* A function without a derivative is constant between its jumps. */
static vgNodeRange jumping(vgRange value)
{
    return (vgNodeRange){value, is_point(value) ? ZERO : ALL};
}

static vgNodeRange unary_range(const vgExprFunction *f, const vgNodeRange *a)
{
    if (!f->unary_d) return jumping((vgRange){f->unary(a->value.lo), f->unary(a->value.hi)});
    if (is_point(a->slope) && a->slope.lo == 0) return (vgNodeRange){function_range(f, 0, a->value), ZERO};
    return (vgNodeRange){function_range(f, 0, a->value), product(function_range(f, 1, a->value), a->slope)};
}

/* ---- of two ---- */

vgNodeRange vg_expr_sum_range(const vgNodeRange *a, const vgNodeRange *b)
{
    return (vgNodeRange){sum(a->value, b->value), sum(a->slope, b->slope)};
}

vgNodeRange vg_expr_difference_range(const vgNodeRange *a, const vgNodeRange *b)
{
    return (vgNodeRange){sum(a->value, minus(b->value)), sum(a->slope, minus(b->slope))};
}

vgNodeRange vg_expr_product_range(const vgNodeRange *a, const vgNodeRange *b)
{
    return (vgNodeRange){product(a->value, b->value),
                         sum(product(a->slope, b->value), product(a->value, b->slope))};
}

/* (a/b)' = (a' − (a/b) b')/b */
vgNodeRange vg_expr_quotient_range(const vgNodeRange *a, const vgNodeRange *b)
{
    vgRange r = inverse(b->value), q = product(a->value, r);
    return (vgNodeRange){q, product(sum(a->slope, minus(product(q, b->slope))), r)};
}

/* x^y of a constant y; whole powers of x from below 0 to above turn at 0, or have a pole there */
static vgRange constant_power(vgRange x, double y)
{
    double lo = pow(x.lo, y), hi = pow(x.hi, y);
    vgRange r = {fmin(lo, hi), fmax(lo, hi)};
    if (!(lo == lo) || !(hi == hi) || (y < 0 && has(x, 0))) return ALL;
    if (y != 0 && has(x, 0)) include(&r, 0);
    return widened(r);
}

/* (x^y)' = y x^(y−1) x', and in general x^y (y' log x + y x'/x) */
vgNodeRange vg_expr_power_range(const vgNodeRange *x, const vgNodeRange *y)
{
    vgRange none = {1, 1};
    if (is_point(y->value)) {
        double p = y->value.lo;
        vgRange slope =
            p == 0 ? ZERO : product((vgRange){p, p}, p == 1 ? none : constant_power(x->value, p - 1));
        return (vgNodeRange){constant_power(x->value, p), product(slope, x->slope)};
    }
    if (!(x->value.lo > 0)) return (vgNodeRange){ALL, ALL};
    vgRange l = widened((vgRange){log(x->value.lo), log(x->value.hi)}), e = product(y->value, l),
            f = widened((vgRange){exp(e.lo), exp(e.hi)});
    vgRange rate = sum(product(y->slope, l), product(product(y->value, x->slope), inverse(x->value)));
    return (vgNodeRange){f, product(f, rate)};
}

/* atan2(y, x)' = (x y' − y x')/(x² + y²); the value jumps where y changes its sign at negative x */
vgNodeRange vg_expr_angle_range(const vgNodeRange *y, const vgNodeRange *x)
{
    if (has(y->value, 0) && x->value.lo <= 0) return (vgNodeRange){{-PI, PI}, ALL};
    vgRange r = {INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++)
        include(&r, atan2(i & 1 ? y->value.lo : y->value.hi, i & 2 ? x->value.lo : x->value.hi));
    vgRange length = sum(square(x->value), square(y->value));
    vgRange turn = sum(product(x->value, y->slope), minus(product(y->value, x->slope)));
    return (vgNodeRange){widened(r), product(turn, inverse(length))};
}

/* ---- comparisons, and, or, not, min, max, if ---- */

/* Which of −1, 0, 1 the difference a − b can have as its sign; of one argument: a alone. Bits 1, 2, 4. */
static int signs(vgRange a, vgRange b)
{
    return (a.lo < b.hi) | (a.lo <= b.hi && b.lo <= a.hi) << 1 | (a.hi > b.lo) << 2;
}

static vgNodeRange truth_range(const vgExprFunction *f, const vgNodeRange *a, const vgNodeRange *b)
{
    vgRange r = {INFINITY, -INFINITY};
    int compares = f->corner == VG_CORNER_DIFFERENCE;
    int first = signs(a->value, compares ? b->value : ZERO),
        second = b && !compares ? signs(b->value, ZERO) : 2;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (first >> i & 1 && second >> k & 1)
                include(&r, f->nargs == 1 ? f->unary(i - 1) : f->binary(i - 1, k - 1));
    return jumping(r);
}

static vgNodeRange either_range(const vgExprFunction *f, const vgNodeRange *a, const vgNodeRange *b)
{
    int all = signs(a->value, b->value);
    if (all == 1) return f->binary(-1, 0) < 0 ? *a : *b;
    if (all == 4) return f->binary(1, 0) > 0 ? *a : *b;
    return (vgNodeRange){{f->binary(a->value.lo, b->value.lo), f->binary(a->value.hi, b->value.hi)},
                         hull(a->slope, b->slope)};
}

static vgNodeRange table_range(const vgTable *table, const vgNodeRange *a)
{
    double value[2], slope[2];
    if (!isfinite(a->value.lo) || !isfinite(a->value.hi)) return (vgNodeRange){ALL, ALL};
    vg_table_range(table, a->value.lo, a->value.hi, value, slope);
    return (vgNodeRange){widened((vgRange){value[0], value[1]}),
                         product(widened((vgRange){slope[0], slope[1]}), a->slope)};
}

vgNodeRange vg_expr_node_range(const vgExpr *e, int node, const vgNodeRange *f, double lo, double hi)
{
    const vgExprNode *n = &e->node[node];
    const vgNodeRange *a = &f[n->arg[0]], *b = &f[n->arg[1]], *c = &f[n->arg[2]];
    switch (n->op) {
    case VG_EXPR_CONST:
        return (vgNodeRange){{n->value, n->value}, ZERO};
    case VG_EXPR_INPUT:
        if (e->slot[n->arg[0]] != 0) return (vgNodeRange){ALL, ALL};
        return (vgNodeRange){{lo, hi}, {1, 1}};
    case VG_EXPR_TABLE:
        return table_range(n->table, a);
    case VG_EXPR_SELECT:
        if (!has(a->value, 0)) return *b;
        return is_point(a->value) ? *c : (vgNodeRange){hull(b->value, c->value), ALL};
    default:
        break;
    }
    const vgExprFunction *row = &vg_expr_functions[n->op - VG_EXPR_FIRST_ROW];
    if (row->over) return row->over(a, b);
    if (row->shape == VG_SHAPE_TRUTH) return truth_range(row, a, row->nargs == 2 ? b : NULL);
    return row->shape == VG_SHAPE_EITHER ? either_range(row, a, b) : unary_range(row, a);
}

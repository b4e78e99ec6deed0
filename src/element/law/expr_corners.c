/* Times at which a law of time switches.
 *
 * Every node that is piecewise affine in t is followed as the few lines a t + b it may lie on (clamps such as
 * max(0, min(t, 1)) have several). Where two of them meet, or one meets a level, there may be a corner; with
 * more than one line the values at that time decide whether it is one. */
#include <math.h>

#include "element/law/expr_node.h"

enum { MAX_LINES = 4 };

typedef struct line {
    double a, b; /* a t + b */
} line;

typedef struct lines {
    int n; /* 0: not piecewise affine, or too many */
    line at[MAX_LINES];
} lines;

typedef struct corners {
    const vgExpr *expr;
    double t0, t1, *out;
    int n, max;
} corners;

/* Keeps the first max times in ascending order, each once. */
static void keep(corners *c, double t)
{
    int at = c->n;
    while (at > 0 && c->out[at - 1] >= t) at--;
    if (at < c->n && c->out[at] == t) return;
    if (at >= c->max) return;
    if (c->n < c->max) c->n++;
    for (int i = c->n - 1; i > at; i--) c->out[i] = c->out[i - 1];
    c->out[at] = t;
}

/* Does node x have the given level at time t, or with y >= 0 the value of node y? Inputs other than t do not
 * reach these nodes, so any number serves for them. */
static int meets(const corners *c, double t, int x, int y, double level)
{
    double in[VG_EXPR_MAX_INPUTS], v[VG_EXPR_MAX_NODES];
    const vgExpr *e = c->expr;
    for (int k = 0; k < e->ninput; k++) in[k] = e->slot[k] == 0 ? t : 0;
    for (int i = 0; i <= (x > y ? x : y); i++) v[i] = vg_expr_node_value(&e->node[i], v, in);
    double other = y >= 0 ? v[y] : level;
    return fabs(v[x] - other) <= 1e-9 * (fabs(v[x]) + fabs(other) + 1e-3);
}

/* Node x reaches a level. */
static void cross_level(corners *c, const lines *f, int x, double level)
{
    for (int i = 0; i < f[x].n; i++) {
        if (f[x].at[i].a == 0) continue;
        double t = (level - f[x].at[i].b) / f[x].at[i].a;
        if (t > c->t0 && t < c->t1 && (f[x].n == 1 || meets(c, t, x, -1, level))) keep(c, t);
    }
}

/* Nodes x and y meet. */
static void cross(corners *c, const lines *f, int x, int y)
{
    for (int i = 0; i < f[x].n; i++)
        for (int j = 0; j < f[y].n; j++) {
            double a = f[x].at[i].a - f[y].at[j].a, b = f[x].at[i].b - f[y].at[j].b;
            if (a == 0) continue;
            double t = -b / a;
            if (!(t > c->t0 && t < c->t1)) continue;
            if ((f[x].n == 1 && f[y].n == 1) || meets(c, t, x, y, 0)) keep(c, t);
        }
}

/* Integers that node x passes, from the beginning of the interval on, no more than can be stored. */
static void cross_integers(corners *c, const lines *f, int x)
{
    for (int i = 0; i < f[x].n; i++) {
        double a = f[x].at[i].a, u0 = a * c->t0 + f[x].at[i].b, u1 = a * c->t1 + f[x].at[i].b;
        if (a == 0 || !(fabs(u0) < 1e15)) continue;
        double step = a > 0 ? 1 : -1, k = a > 0 ? ceil(u0) : floor(u0);
        for (int n = 0; n <= c->max && (u1 - k) * step >= 0; n++, k += step) cross_level(c, f, x, k);
    }
}

static lines one_line(double a, double b)
{
    return (lines){1, {{a, b}}};
}

static lines scaled(lines f, double s)
{
    for (int i = 0; i < f.n; i++) f.at[i] = (line){f.at[i].a * s, f.at[i].b * s};
    return f;
}

/* All of both; none when they do not fit or one is not known. */
static lines join(lines x, const lines *y)
{
    if (x.n == 0 || y->n == 0 || x.n + y->n > MAX_LINES) return (lines){0};
    for (int i = 0; i < y->n; i++) x.at[x.n++] = y->at[i];
    return x;
}

/* x + s y, every line with every line */
static lines combine(const lines *x, const lines *y, double s)
{
    lines f = {0};
    if (x->n * y->n > MAX_LINES) return f;
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++)
            f.at[f.n++] = (line){x->at[i].a + s * y->at[j].a, x->at[i].b + s * y->at[j].b};
    return f;
}

static int is_level(const lines *f)
{
    return f->n == 1 && f->at[0].a == 0;
}

static lines lines_of(const vgExpr *e, const vgExprNode *n, const lines *f)
{
    lines none = {0};
    if (n->op == VG_EXPR_CONST) return one_line(0, n->value);
    if (n->op == VG_EXPR_INPUT) return e->slot[n->arg[0]] == 0 ? one_line(1, 0) : none;
    if (n->op == VG_EXPR_SELECT) return f[n->arg[0]].n > 0 ? join(f[n->arg[1]], &f[n->arg[2]]) : none;
    if (n->op < VG_EXPR_FIRST_ROW) return none;
    int row = n->op - VG_EXPR_FIRST_ROW, pair = vg_expr_functions[row].nargs == 2;
    lines x = f[n->arg[0]], y = pair ? f[n->arg[1]] : none, opposite = scaled(x, -1), yes = one_line(0, 1);
    switch (row) {
    case VG_ROW_NEG:
        return opposite;
    case VG_ROW_ADD:
        return combine(&x, &y, 1);
    case VG_ROW_SUB:
        return combine(&x, &y, -1);
    case VG_ROW_MUL:
        return is_level(&y) ? scaled(x, y.at[0].b) : is_level(&x) ? scaled(y, x.at[0].b) : none;
    case VG_ROW_DIV:
        return is_level(&y) && y.at[0].b != 0 ? scaled(x, 1 / y.at[0].b) : none;
    default:
        break;
    }
    switch (vg_expr_functions[row].shape) {
    case VG_SHAPE_ABS:
        return join(x, &opposite);
    case VG_SHAPE_EITHER:
        return join(x, &y);
    case VG_SHAPE_TRUTH:
        return x.n > 0 && (y.n > 0 || !pair) ? join(one_line(0, 0), &yes) : none;
    case VG_SHAPE_OTHER:
        break;
    }
    return none;
}

static void node_corners(corners *c, const vgExprNode *n, const lines *f)
{
    int x = n->arg[0];
    if (n->op == VG_EXPR_TABLE) {
        const double *knot;
        int count = vg_table_corners(n->table, &knot);
        for (int i = 0; i < count; i++) cross_level(c, f, x, knot[i]);
    }
    if (n->op < VG_EXPR_FIRST_ROW) return;
    switch (vg_expr_functions[n->op - VG_EXPR_FIRST_ROW].corner) {
    case VG_CORNER_NONE:
    case VG_CORNER_KNOTS:
        return;
    case VG_CORNER_UNIT:
        cross_level(c, f, x, 0);
        cross_level(c, f, x, 1);
        return;
    case VG_CORNER_ZERO:
        cross_level(c, f, x, 0);
        return;
    case VG_CORNER_DIFFERENCE:
        cross(c, f, x, n->arg[1]);
        return;
    case VG_CORNER_INTEGER:
        cross_integers(c, f, x);
        return;
    }
}

int vg_expr_corners(const vgExpr *expr, double t0, double t1, double *out, int max)
{
    lines f[VG_EXPR_MAX_NODES];
    corners c = {expr, t0, t1, out, 0, max};
    for (int i = 0; i < expr->nnode; i++) {
        f[i] = lines_of(expr, &expr->node[i], f);
        node_corners(&c, &expr->node[i], f);
    }
    return c.n;
}

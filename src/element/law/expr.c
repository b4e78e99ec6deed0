/* Evaluation of compiled expressions: values, gradients (reverse mode), Taylor coefficients along a path. */
#include "element/law/expr.h"

#include <math.h>
#include <stdlib.h>

#include "element/law/expr_node.h"

void vg_expr_free(vgExpr *expr)
{
    if (expr) free(expr->program);
    free(expr);
}

int vg_expr_ninputs(const vgExpr *expr)
{
    return expr->ninput;
}

int vg_expr_input(const vgExpr *expr, int k)
{
    return expr->slot[k];
}

int vg_expr_constant_value(const vgExpr *expr, double *value)
{
    if (expr->ninput > 0) return 0;
    *value = vg_expr_value(expr, NULL);
    return 1;
}

static inline double node_value(const vgExprNode *n, const double *v, const double *in)
{
    switch (n->op) {
    case VG_EXPR_CONST:
        return n->value;
    case VG_EXPR_INPUT:
        return in[n->arg[0]];
    case VG_EXPR_TABLE:
        return vg_table_value(n->table, v[n->arg[0]]);
    case VG_EXPR_SELECT:
        return v[n->arg[0]] != 0 ? v[n->arg[1]] : v[n->arg[2]];
    case VG_EXPR_FIRST_ROW + VG_ROW_ADD:
        return v[n->arg[0]] + v[n->arg[1]];
    case VG_EXPR_FIRST_ROW + VG_ROW_SUB:
        return v[n->arg[0]] - v[n->arg[1]];
    case VG_EXPR_FIRST_ROW + VG_ROW_MUL:
        return v[n->arg[0]] * v[n->arg[1]];
    case VG_EXPR_FIRST_ROW + VG_ROW_DIV:
        return v[n->arg[0]] / v[n->arg[1]];
    case VG_EXPR_FIRST_ROW + VG_ROW_NEG:
        return -v[n->arg[0]];
    default: {
        const vgExprFunction *f = &vg_expr_functions[n->op - VG_EXPR_FIRST_ROW];
        return f->nargs == 1 ? f->unary(v[n->arg[0]]) : f->binary(v[n->arg[0]], v[n->arg[1]]);
    }
    }
}

double vg_expr_node_value(const vgExprNode *node, const double *v, const double *in)
{
    return node_value(node, v, in);
}

double vg_expr_value(const vgExpr *expr, const double *in)
{
    double v[VG_EXPR_MAX_NODES];
    if (expr->program) return vg_expr_run(expr->program, expr->ninput, in);
    for (int i = 0; i < expr->nnode; i++) v[i] = node_value(&expr->node[i], v, in);
    return v[expr->nnode - 1];
}

/* Adds bar times the node's partial derivatives to the adjoints of its arguments. A derivative of zero passes
 * nothing on, not even an infinity: sqrt(max(x, 0)) does not change with x < 0. */
static inline void node_back(const vgExprNode *n, const double *v, double bar, double *adj, double *grad)
{
    double d[6];
    int a = n->arg[0], b = n->arg[1];
    switch (n->op) {
    case VG_EXPR_CONST:
        return;
    case VG_EXPR_INPUT:
        grad[a] += bar;
        return;
    case VG_EXPR_TABLE:
        vg_table_eval(n->table, v[a], d);
        adj[a] += bar * d[1];
        return;
    case VG_EXPR_SELECT:
        adj[v[a] != 0 ? b : n->arg[2]] += bar;
        return;
    case VG_EXPR_FIRST_ROW + VG_ROW_ADD:
        adj[a] += bar;
        adj[b] += bar;
        return;
    case VG_EXPR_FIRST_ROW + VG_ROW_SUB:
        adj[a] += bar;
        adj[b] -= bar;
        return;
    case VG_EXPR_FIRST_ROW + VG_ROW_MUL:
        adj[a] += bar * v[b];
        adj[b] += bar * v[a];
        return;
    default: {
        const vgExprFunction *f = &vg_expr_functions[n->op - VG_EXPR_FIRST_ROW];
        if (f->unary_d) {
            f->unary_d(v[a], d);
            if (d[1] != 0) adj[a] += bar * d[1];
        } else if (f->binary_d) {
            f->binary_d(v[a], v[b], d);
            if (d[1] != 0) adj[a] += bar * d[1];
            if (d[2] != 0) adj[b] += bar * d[2];
        }
    }
    }
}

void vg_expr_node_back(const vgExprNode *node, const double *v, double bar, double *adj, double *grad)
{
    node_back(node, v, bar, adj, grad);
}

/* One sweep forward, one back: the cost does not grow with the number of inputs. Nodes that do not matter
 * (the branch not taken) have adjoint zero and are passed over, so an infinity there stays there. */
double vg_expr_grad(const vgExpr *expr, const double *in, double *grad)
{
    double v[VG_EXPR_MAX_NODES], adj[VG_EXPR_MAX_NODES];
    int n = expr->nnode;
    if (expr->program && vg_expr_smooth(expr->program))
        return vg_expr_run_grad(expr->program, expr->ninput, in, grad);
    for (int i = 0; i < n; i++) {
        v[i] = node_value(&expr->node[i], v, in);
        adj[i] = 0;
    }
    for (int k = 0; k < expr->ninput; k++) grad[k] = 0;
    adj[n - 1] = 1;
    for (int i = n - 1; i >= 0; i--)
        if (adj[i] != 0) node_back(&expr->node[i], v, adj[i], adj, grad);
    return v[n - 1];
}

typedef struct taylor {
    double v, d, dd; /* value, first, second derivative */
} taylor;

static int still(taylor a)
{
    return a.d == 0 && a.dd == 0;
}

/* f(a)'' = f' a'' + f'' a'^2 */
static taylor chain1(const double d[3], taylor a)
{
    if (still(a)) return (taylor){d[0], 0, 0};
    double curve = a.d == 0 ? 0 : d[2] * a.d * a.d;
    return (taylor){d[0], d[1] * a.d, d[1] * a.dd + curve};
}

/* f(a, b)'' = fa a'' + fb b'' + faa a'^2 + 2 fab a' b' + fbb b'^2; a constant argument contributes nothing,
 * even where the derivative by it does not exist (0^y, a negative base to a constant power). */
static taylor chain2(const double d[6], taylor a, taylor b)
{
    taylor f = {d[0], 0, 0};
    if (!still(a)) {
        f.d += d[1] * a.d;
        f.dd += d[1] * a.dd + (a.d == 0 ? 0 : d[3] * a.d * a.d);
    }
    if (!still(b)) {
        f.d += d[2] * b.d;
        f.dd += d[2] * b.dd + (b.d == 0 ? 0 : d[5] * b.d * b.d);
    }
    if (a.d != 0 && b.d != 0) f.dd += 2 * d[4] * a.d * b.d;
    return f;
}

/* Where a function is about to switch, the sign that decides just behind: that of the first derivative that
 * is not zero. 0: it is not about to. */
static double onward(double v, double d, double dd)
{
    return v != 0 || !(v == v) ? 0 : d != 0 ? (d > 0 ? 1 : -1) : dd != 0 ? (dd > 0 ? 1 : -1) : 0;
}

/* A comparison, min or max of two that are equal and will not be. */
static taylor parting(const vgExprFunction *f, double s, taylor a, taylor b)
{
    if (f->shape == VG_SHAPE_EITHER) return f->binary(s, 0) == s ? a : b;
    return (taylor){f->binary(s, 0), 0, 0};
}

/* abs, sign, floor and the cubic of step() at one of their corners, as they are just behind it; 0: they are
 * not at one, or stay there. */
static int at_corner(const vgExprFunction *f, taylor a, taylor *out)
{
    double level = f->corner == VG_CORNER_INTEGER ? floor(a.v) : f->corner == VG_CORNER_UNIT && a.v == 1;
    double s = onward(a.v - level, a.d, a.dd);
    if (s == 0) return 0;
    if (f->shape == VG_SHAPE_ABS)
        *out = (taylor){0, s * a.d, s * a.dd};
    else if (f->corner == VG_CORNER_ZERO)
        *out = (taylor){s, 0, 0};
    else if (f->corner == VG_CORNER_INTEGER)
        *out = (taylor){s < 0 ? level - 1 : level, 0, 0};
    else if (f->corner == VG_CORNER_UNIT) /* flat outside, bent by 6 or −6 inside */
        *out = (taylor){level, 0, (level > 0) == (s < 0) ? (level > 0 ? -6 : 6) * a.d * a.d : 0};
    else
        return 0;
    return 1;
}

static taylor node_taylor(const vgExprNode *n, const taylor *v, const double *in, const double *din,
                          const double *ddin)
{
    double d[6];
    int a = n->arg[0], b = n->arg[1];
    switch (n->op) {
    case VG_EXPR_CONST:
        return (taylor){n->value, 0, 0};
    case VG_EXPR_INPUT:
        return (taylor){in[a], din[a], ddin[a]};
    case VG_EXPR_TABLE:
        /* a knot belongs to the piece that the path enters */
        if (v[a].d < 0 && vg_table_switch(n->table, v[a].v) == 0)
            vg_table_eval_held(n->table, v[a].v,
                               vg_table_switch(n->table, nextafter(v[a].v, -INFINITY)) > 0 ? 1 : -1, d);
        else
            vg_table_eval(n->table, v[a].v, d);
        return chain1(d, v[a]);
    case VG_EXPR_SELECT:
        return v[a].v != 0 ? v[b] : v[n->arg[2]];
    default: {
        const vgExprFunction *f = &vg_expr_functions[n->op - VG_EXPR_FIRST_ROW];
        taylor out;
        if (f->corner == VG_CORNER_DIFFERENCE) {
            double s = onward(v[a].v - v[b].v, v[a].d - v[b].d, v[a].dd - v[b].dd);
            if (s != 0) return parting(f, s, v[a], v[b]);
        } else if (f->corner != VG_CORNER_NONE && f->nargs == 1 && at_corner(f, v[a], &out)) {
            return out;
        }
        if (f->unary_d) {
            f->unary_d(v[a].v, d);
            return chain1(d, v[a]);
        }
        if (f->binary_d) {
            f->binary_d(v[a].v, v[b].v, d);
            return chain2(d, v[a], v[b]);
        }
        return (taylor){f->nargs == 1 ? f->unary(v[a].v) : f->binary(v[a].v, v[b].v), 0, 0};
    }
    }
}

void vg_expr_taylor2(const vgExpr *expr, const double *in, const double *din, const double *ddin,
                     double out[3])
{
    taylor v[VG_EXPR_MAX_NODES];
    int n = expr->nnode;
    for (int i = 0; i < n; i++) v[i] = node_taylor(&expr->node[i], v, in, din, ddin);
    out[0] = v[n - 1].v;
    out[1] = v[n - 1].d;
    out[2] = v[n - 1].dd;
}

void vg_expr_time(const vgExpr *expr, double t, double out[3])
{
    const double one = 1, zero = 0;
    vg_expr_taylor2(expr, &t, &one, &zero, out);
}

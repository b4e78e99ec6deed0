/* Switches of an expression: the functions whose sign decides which branch it takes, and evaluation with those
 * signs given. With its switches held an expression is smooth, whatever the inputs: a step that goes a little
 * over an event sees the continuation of the side it came from. A side that does not go on beyond its event,
 * as (L - x)^1.5 or sqrt(x) where the law asks for them on one side only, ends there and the law counts as it
 * is. */
#include <math.h>

#include "element/law/expr_node.h"

/* 0: the node does not switch. */
static vgExprCorner switches(const vgExprNode *n)
{
    if (n->op == VG_EXPR_TABLE) return VG_CORNER_KNOTS;
    if (n->op < VG_EXPR_FIRST_ROW) return VG_CORNER_NONE;
    vgExprCorner c = vg_expr_functions[n->op - VG_EXPR_FIRST_ROW].corner;
    return c == VG_CORNER_CUT ? VG_CORNER_NONE
                              : c; /* an angle of the state is continuous: its turns are counted */
}

/* The function that a node switches on, of its argument a and the other b. */
static double function(const vgExprNode *n, vgExprCorner c, double a, double b)
{
    switch (c) {
    case VG_CORNER_DIFFERENCE:
        return a - b;
    case VG_CORNER_INTEGER:
        return sin(3.14159265358979323846 * a);
    case VG_CORNER_UNIT: /* positive within */
        return a < 0.5 ? a : 1 - a;
    case VG_CORNER_KNOTS:
        return vg_table_switch(n->table, a);
    default:
        return a;
    }
}

int vg_expr_switches(const vgExpr *e, const double *in, double *out, int max)
{
    double v[VG_EXPR_MAX_NODES];
    int count = 0;
    for (int i = 0; i < e->nnode; i++) {
        const vgExprNode *n = &e->node[i];
        vgExprCorner c = switches(n);
        v[i] = vg_expr_node_value(n, v, in);
        if (c == VG_CORNER_NONE || count == max) continue;
        out[count++] = function(n, c, v[n->arg[0]], c == VG_CORNER_DIFFERENCE ? v[n->arg[1]] : 0);
    }
    return count;
}

/* The value of a switching node whose function has the sign s; *from, *slope: the argument that its
 * derivative belongs to, and that derivative (0: none). */
static double held_value(const vgExprNode *n, const double *v, double s, int *from, double *slope)
{
    double out[3], u = v[n->arg[0]];
    *from = n->arg[0];
    *slope = 0;
    if (n->op == VG_EXPR_TABLE) {
        vg_table_eval_held(n->table, u, s > 0 ? 1 : -1, out);
        *slope = out[1];
        return out[0];
    }
    const vgExprFunction *f = &vg_expr_functions[n->op - VG_EXPR_FIRST_ROW];
    if (f->corner == VG_CORNER_UNIT) { /* its polynomial is continued beyond both ends */
        if (s < 0) return u < 0.5 ? 0 : 1;
        *slope = 6 * u * (1 - u);
        return u * u * (3 - 2 * u);
    }
    if (f->corner == VG_CORNER_INTEGER) return f->unary(v[n->arg[0]]);
    if (f->shape == VG_SHAPE_ABS) {
        *slope = s;
        return s * v[n->arg[0]];
    }
    if (f->shape == VG_SHAPE_EITHER) { /* min or max of (s, 0) shows which argument it is */
        *from = f->binary(s, 0) == s ? n->arg[0] : n->arg[1];
        *slope = 1;
        return v[*from];
    }
    return f->nargs == 1 ? f->unary(s) : f->binary(s, 0);
}

double vg_expr_grad_held(const vgExpr *e, const double *in, const signed char *side, double *grad)
{
    double v[VG_EXPR_MAX_NODES], adj[VG_EXPR_MAX_NODES], slope[VG_EXPR_MAX_NODES];
    int from[VG_EXPR_MAX_NODES], n = e->nnode, count = 0;
    for (int i = 0; i < n; i++) {
        const vgExprNode *node = &e->node[i];
        int s = switches(node) != VG_CORNER_NONE ? side[count++] : 0;
        from[i] = -1;
        v[i] = s ? held_value(node, v, s, &from[i], &slope[i]) : vg_expr_node_value(node, v, in);
        adj[i] = 0;
    }
    if (!isfinite(v[n - 1])) return grad ? vg_expr_grad(e, in, grad) : vg_expr_value(e, in);
    if (!grad) return v[n - 1];
    for (int k = 0; k < e->ninput; k++) grad[k] = 0;
    adj[n - 1] = 1;
    for (int i = n - 1; i >= 0; i--) {
        if (adj[i] == 0) continue;
        if (from[i] >= 0)
            adj[from[i]] += adj[i] * slope[i];
        else
            vg_expr_node_back(&e->node[i], v, adj[i], adj, grad);
    }
    return v[n - 1];
}

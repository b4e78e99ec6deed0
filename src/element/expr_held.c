/* Switches of an expression: the functions whose sign decides which way it goes, and evaluation with those
 * signs given. With its switches held an expression is smooth, whatever the inputs: a step that goes a little
 * over an event sees the continuation of the side it came from. */
#include <math.h>

#include "element/expr_node.h"

/* 0: the node does not switch. */
static vgExprCorner switches(const vgExprNode *n)
{
    if (n->op < VG_EXPR_FIRST_ROW) return VG_CORNER_NONE;
    vgExprCorner c = vg_expr_functions[n->op - VG_EXPR_FIRST_ROW].corner;
    return c == VG_CORNER_UNIT ? VG_CORNER_NONE : c; /* step() has a continuous derivative */
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
        double a = v[n->arg[0]];
        out[count++] = c == VG_CORNER_ZERO         ? a
                       : c == VG_CORNER_DIFFERENCE ? a - v[n->arg[1]]
                                                   : sin(3.14159265358979323846 * a);
    }
    return count;
}

/* The value of a switching node whose function has the sign s; *from, *slope: the argument that its
 * derivative belongs to, and that derivative (0: none). */
static double held_value(const vgExprNode *n, const double *v, double s, int *from, double *slope)
{
    const vgExprFunction *f = &vg_expr_functions[n->op - VG_EXPR_FIRST_ROW];
    *from = n->arg[0];
    *slope = 0;
    if (f->corner == VG_CORNER_INTEGER) return f->unary(v[n->arg[0]]);
    if (f->shape == VG_SHAPE_ABS) {
        *slope = s;
        return s * v[n->arg[0]];
    }
    if (f->shape == VG_SHAPE_EITHER) { /* min or max of (s, 0) tells which argument it is */
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

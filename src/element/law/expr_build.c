#include <math.h>
#include <string.h>

#include "element/law/expr_parser.h"

int vg_expr_push(vgExprParser *p, vgExprNode node, const char *fault)
{
    if (p->failed) return VG_EXPR_FAILED;
    if (p->nnode == p->room) {
        VG_EXPR_FAIL(p, p->text, "expression too large");
        return VG_EXPR_FAILED;
    }
    p->node[p->nnode] = node;
    p->fault[p->nnode] = fault ? 1 + (int)(fault - p->text) : 0;
    return p->nnode++;
}

int vg_expr_push_const(vgExprParser *p, double value)
{
    return vg_expr_push(p, (vgExprNode){.op = VG_EXPR_CONST, .value = value}, NULL);
}

/* 1: the node is finite wherever its inputs are, so that nought times it is nought: sums, products and what
 * stays within bounds. It looks at no more than `left` nodes. */
static int is_tame(const vgExprParser *p, int node, int *left)
{
    static const char *const bounded[] = {"sin",  "cos", "atan", "tanh",  "abs",
                                          "sign", "min", "max",  "smooth"};
    const vgExprNode *n = &p->node[node];
    if (n->op == VG_EXPR_CONST || n->op == VG_EXPR_INPUT) return 1;
    if (n->op < VG_EXPR_FIRST_ROW || --*left < 0) return 0;
    int row = n->op - VG_EXPR_FIRST_ROW;
    int good = row == VG_ROW_ADD || row == VG_ROW_SUB || row == VG_ROW_MUL || row == VG_ROW_NEG;
    for (size_t i = 0; i < sizeof bounded / sizeof bounded[0] && !good; i++)
        good = strcmp(vg_expr_functions[row].name, bounded[i]) == 0;
    for (int k = 0; good && k < vg_expr_node_nargs(n); k++) good = is_tame(p, n->arg[k], left);
    return good;
}

int vg_expr_apply(vgExprParser *p, int row, int a, int b, const char *where)
{
    const vgExprFunction *f = &vg_expr_functions[row];
    if (p->failed || a < 0 || (f->nargs == 2 && b < 0)) return VG_EXPR_FAILED;
    vgExprNode n = {.op = VG_EXPR_FIRST_ROW + row, .arg = {a, f->nargs == 2 ? b : 0}};
    if (row == VG_ROW_DIV && vg_expr_is_const(p, b) && p->node[b].value == 0)
        return vg_expr_push(p, n, where);
    if (row == VG_ROW_MUL && vg_expr_is_const(p, a) != vg_expr_is_const(p, b)) {
        int constant = vg_expr_is_const(p, a) ? a : b, other = vg_expr_is_const(p, a) ? b : a, left = 100;
        if (p->node[constant].value == 0 && is_tame(p, other, &left)) return vg_expr_push_const(p, 0);
    }
    if (!vg_expr_is_const(p, a) || (f->nargs == 2 && !vg_expr_is_const(p, b)))
        return vg_expr_push(p, n, NULL);
    double value = f->nargs == 1 ? f->unary(p->node[a].value) : f->binary(p->node[a].value, p->node[b].value);
    return isfinite(value) ? vg_expr_push_const(p, value) : vg_expr_push(p, n, where);
}

int vg_expr_select(vgExprParser *p, int c, int a, int b)
{
    if (p->failed || c < 0 || a < 0 || b < 0) return VG_EXPR_FAILED;
    if (vg_expr_is_const(p, c)) return p->node[c].value != 0 ? a : b;
    return vg_expr_push(p, (vgExprNode){.op = VG_EXPR_SELECT, .arg = {c, a, b}}, NULL);
}

int vg_expr_push_input(vgExprParser *p, int slot, const char *name, const char *where)
{
    if (p->scope->constant_only) {
        VG_EXPR_FAIL(p, where, "\"%s\" varies in time, a constant is wanted here", name);
        return VG_EXPR_FAILED;
    }
    for (int k = 0; k < p->ninput; k++)
        if (p->slot[k] == slot) return p->input_node[k];
    if (p->ninput == VG_EXPR_MAX_INPUTS) {
        VG_EXPR_FAIL(p, where, "more than %d different quantities in one expression", VG_EXPR_MAX_INPUTS);
        return VG_EXPR_FAILED;
    }
    int k = p->ninput++;
    p->slot[k] = slot;
    return p->input_node[k] = vg_expr_push(p, (vgExprNode){.op = VG_EXPR_INPUT, .arg = {k}}, NULL);
}

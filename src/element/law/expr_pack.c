/* The last step of compiling: keep the nodes that the result needs, in one block of memory. */
#include <stdlib.h>
#include <string.h>

#include "element/law/expr_node.h"

int vg_expr_node_nargs(const vgExprNode *node)
{
    if (node->op >= VG_EXPR_FIRST_ROW) return vg_expr_functions[node->op - VG_EXPR_FIRST_ROW].nargs;
    return node->op == VG_EXPR_SELECT ? 3 : node->op == VG_EXPR_TABLE ? 1 : 0;
}

/* Arguments come before their node, so one sweep back marks everything. */
int vg_expr_mark(const vgExprNode *node, int nnode, int root, int *keep)
{
    int count = 0;
    memset(keep, 0, (size_t)nnode * sizeof *keep);
    keep[root] = 1;
    for (int i = root; i >= 0; i--) {
        if (!keep[i]) continue;
        count++;
        for (int k = 0; k < vg_expr_node_nargs(&node[i]); k++) keep[node[i].arg[k]] = 1;
    }
    return count;
}

vgExpr *vg_expr_pack(const vgExprNode *node, int root, int count, int *keep, int ninput, const int *slot,
                     const int *input_node)
{
    int input[VG_EXPR_MAX_INPUTS], n = 0;
    size_t nodes = (size_t)count * sizeof(vgExprNode);
    vgExpr *e = malloc(sizeof *e + nodes + (size_t)(ninput + 1) * sizeof(int));
    if (!e) return NULL;
    e->ninput = 0;
    e->slot = (int *)(void *)((char *)e->node + nodes);
    for (int k = 0; k < ninput; k++) {
        input[k] = e->ninput;
        if (keep[input_node[k]]) e->slot[e->ninput++] = slot[k];
    }
    for (int i = 0; i <= root; i++) {
        if (!keep[i]) continue;
        vgExprNode copy = node[i];
        for (int k = 0; k < vg_expr_node_nargs(&copy); k++) copy.arg[k] = keep[copy.arg[k]];
        if (copy.op == VG_EXPR_INPUT) copy.arg[0] = input[copy.arg[0]];
        keep[i] = n; /* from now on: the new number */
        e->node[n++] = copy;
    }
    e->nnode = n;
    if (vg_expr_program(e, &e->program) == VG_OK) return e;
    free(e);
    return NULL;
}

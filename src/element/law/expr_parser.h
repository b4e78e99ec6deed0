/* The parser of expressions: what its two files share. expr_compile.c reads the text, expr_build.c makes the nodes. */
#ifndef VERGE_ELEMENT_LAW_EXPR_PARSER_H
#define VERGE_ELEMENT_LAW_EXPR_PARSER_H

#include "element/law/expr_node.h"

enum { VG_EXPR_FAILED = -1 }; /* instead of a node */

typedef struct vgExprParser {
    const vgExprScope *scope;
    const char *text, *at;
    int depth, failed;
    int nnode, room;
    vgExprNode *node;
    int *fault; /* per node: 1 + offset in the text when it is not a finite constant, else 0 */
    int ninput;
    int slot[VG_EXPR_MAX_INPUTS], input_node[VG_EXPR_MAX_INPUTS];
} vgExprParser;

/* The place of a character of the text, for messages. */
static inline vgLoc vg_expr_place(const vgExprParser *p, const char *at)
{
    vgLoc loc = p->scope->loc;
    if (loc.col > 0) loc.col += (int)(at - p->text);
    return loc;
}

/* Only the first error counts: later ones follow from it. */
#define VG_EXPR_FAIL(p, where, ...)                                                                          \
    do {                                                                                                     \
        if (!(p)->failed) vg_diag_error((p)->scope->diag, vg_expr_place((p), (where)), __VA_ARGS__);         \
        (p)->failed = 1;                                                                                     \
    } while (0)

static inline int vg_expr_is_const(const vgExprParser *p, int node)
{
    return p->node[node].op == VG_EXPR_CONST;
}

/* A new node; VG_EXPR_FAILED after an error. fault: where in the text a constant that is not finite comes from, NULL:
 * none. */
int vg_expr_push(vgExprParser *p, vgExprNode node, const char *fault);
int vg_expr_push_const(vgExprParser *p, double value);
int vg_expr_push_input(vgExprParser *p, int slot, const char *name, const char *where);
/* A row applied to its arguments (b ignored for one). Constants fold; what comes out infinite or undefined is
 * kept with its place and refused at the end if the result needs it: if(L > 0, 1/L, 0) is fine at L = 0. */
int vg_expr_apply(vgExprParser *p, int row, int a, int b, const char *where);
int vg_expr_select(vgExprParser *p, int c, int a, int b);

#endif

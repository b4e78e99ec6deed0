/* What a compiled expression is made of; seen by expr*.c only.
 *
 * A list of nodes in order of evaluation, the last one the result. A node's arguments are earlier nodes, so a
 * value used twice is computed once. if(...) selects between two computed nodes. */
#ifndef VERGE_ELEMENT_LAW_EXPR_NODE_H
#define VERGE_ELEMENT_LAW_EXPR_NODE_H

#include "element/law/expr.h"

/* Operators first; the others are the rows of vg_expr_functions. The order of operators and rows is the same.
 */
typedef enum vgExprOp {
    VG_EXPR_CONST,
    VG_EXPR_INPUT,
    VG_EXPR_TABLE,
    VG_EXPR_SELECT,
    VG_EXPR_FIRST_ROW /* op = VG_EXPR_FIRST_ROW + row */
} vgExprOp;

enum { /* rows that evaluation does in line */
       VG_ROW_ADD,
       VG_ROW_SUB,
       VG_ROW_MUL,
       VG_ROW_DIV,
       VG_ROW_NEG,
       VG_ROW_POWER,
       VG_ROW_LESS,
       VG_ROW_LESS_EQUAL,
       VG_ROW_GREATER,
       VG_ROW_GREATER_EQUAL
};

typedef struct vgExprNode {
    int op;
    int arg[3]; /* nodes; INPUT: arg[0] is the input's index */
    union {
        double value;         /* CONST */
        const vgTable *table; /* TABLE */
    };
} vgExprNode;

typedef struct vgExprProgram vgExprProgram;

struct vgExpr {
    int nnode, ninput;
    int *slot;
    vgExprProgram *program; /* NULL: values by the nodes */
    vgExprNode node[];
};

/* Where a function has corners or jumps. */
typedef enum vgExprCorner {
    VG_CORNER_NONE,
    VG_CORNER_ZERO,       /* argument = 0 */
    VG_CORNER_DIFFERENCE, /* first argument = second */
    VG_CORNER_UNIT,       /* argument = 0 and = 1 */
    VG_CORNER_INTEGER,    /* argument = any integer */
    VG_CORNER_KNOTS,      /* of tables: argument = a knot */
    VG_CORNER_CUT         /* atan2: first argument = 0, where the second is negative; no state event */
} vgExprCorner;

/* What the values of a function are. */
typedef enum vgExprShape {
    VG_SHAPE_OTHER,
    VG_SHAPE_ABS,    /* the argument or its opposite */
    VG_SHAPE_EITHER, /* one of the two arguments */
    VG_SHAPE_TRUTH   /* 0 or 1 */
} vgExprShape;

/* All values from lo to hi. */
typedef struct vgRange {
    double lo, hi;
} vgRange;

/* The values and the time derivatives of a node over an interval of time. */
typedef struct vgNodeRange {
    vgRange value, slope;
} vgNodeRange;

/* Where a function of one argument turns from rising to falling: its values over an interval are those
 * between its values at the ends and at the turning points within. */
typedef enum vgExprTurn {
    VG_TURN_NEVER,
    VG_TURN_ZERO,    /* argument = 0 */
    VG_TURN_HALF,    /* argument = 0, 1/2 and 1 */
    VG_TURN_PI,      /* multiples of π */
    VG_TURN_HALF_PI, /* odd multiples of π/2 */
    VG_TURN_POLES    /* no bounds where an odd multiple of π/2 lies within */
} vgExprTurn;

/* One function or operator. Derivatives of a unary row: d = {f, f', f''}; of a binary row
 * d = {f, fa, fb, faa, fab, fbb}. */
typedef struct vgExprFunction {
    const char *name;
    int nargs;    /* 1 or 2 */
    int callable; /* written name(...); else an operator or internal */
    vgExprCorner corner;
    vgExprShape shape;
    double (*unary)(double a);
    double (*binary)(double a, double b);
    void (*unary_d)(double a, double d[3]);
    void (*binary_d)(double a, double b, double d[6]);
    vgExprTurn turns, bends; /* a unary row: where f and f' turn */
    /* a binary row whose values are neither of its arguments nor 0 or 1: what it is over ranges of both */
    vgNodeRange (*over)(const vgNodeRange *a, const vgNodeRange *b);
} vgExprFunction;

extern const vgExprFunction vg_expr_functions[];
extern const int vg_expr_nfunctions;

/* The value of one node, given the values v of those before it. */
double vg_expr_node_value(const vgExprNode *node, const double *v, const double *in);
int vg_expr_node_nargs(const vgExprNode *node);
/* Adds bar times the node's partial derivatives to the adjoints of its arguments, or to grad. */
void vg_expr_node_back(const vgExprNode *node, const double *v, double bar, double *adj, double *grad);

/* keep[i] = 1 for the nodes that the node root needs, itself included, else 0. Returns how many. */
int vg_expr_mark(const vgExprNode *node, int nnode, int root, int *keep);
/* The kept nodes and the inputs still in use, as an expression; overwrites keep. input_node[k] is the node of
 * the input with slot[k]. NULL: out of memory. */
vgExpr *vg_expr_pack(const vgExprNode *node, int root, int count, int *keep, int ninput, const int *slot,
                     const int *input_node);

/* expr_program.c. *out NULL: no inputs, or too long. One block, to be freed. */
vgStatus vg_expr_program(const vgExpr *expr, vgExprProgram **out);
double vg_expr_run(const vgExprProgram *program, int ninput, const double *in);
int vg_expr_smooth(const vgExprProgram *program); /* 1: the value with its gradient is offered too */
double vg_expr_run_grad(const vgExprProgram *program, int ninput, const double *in, double *grad);

int vg_expr_row(const char *name); /* -1: no such row */

/* expr_range.c: the node over lo ≤ t ≤ hi, given the ranges f of those before it. A node that depends on
 * anything but t has no bounds. */
vgNodeRange vg_expr_node_range(const vgExpr *expr, int node, const vgNodeRange *f, double lo, double hi);
vgNodeRange vg_expr_sum_range(const vgNodeRange *a, const vgNodeRange *b);
vgNodeRange vg_expr_difference_range(const vgNodeRange *a, const vgNodeRange *b);
vgNodeRange vg_expr_product_range(const vgNodeRange *a, const vgNodeRange *b);
vgNodeRange vg_expr_quotient_range(const vgNodeRange *a, const vgNodeRange *b);
vgNodeRange vg_expr_power_range(const vgNodeRange *a, const vgNodeRange *b);
vgNodeRange vg_expr_angle_range(const vgNodeRange *y, const vgNodeRange *x);

#endif

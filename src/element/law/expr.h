/* Expressions: the numbers and laws of a model as text, compiled once, then evaluated with exact derivatives.
 *
 *     or  and  not   < <= > >= == !=   + -   * /   unary -   ^ (from the right)
 *     sin cos tan asin acos atan atan2(y,x) sinh cosh tanh sqrt exp log abs sign floor min(a,b,...)
 * max(a,b,...) if(c, a, b)   deg(x): x degrees in radians   table(NAME, x) step(x, x0, h0, x1, h1): h0 before
 * x0, h1 after x1, the cubic with flat ends between pi true false, t (time), and what the scope knows:
 * parameters and channels such as joint.knee.angle
 *
 * Truth is a number: 0 is false, comparisons give 0 or 1. Where a function has a corner its derivative is
 * that of one side; if(...) differentiates the branch it takes and never looks at the other. */
#ifndef VERGE_ELEMENT_LAW_EXPR_H
#define VERGE_ELEMENT_LAW_EXPR_H

#include "base/diag.h"
#include "base/status.h"
#include "element/law/table.h"

enum {
    VG_EXPR_MAX_LENGTH = 4096, /* bytes of text */
    VG_EXPR_MAX_DEPTH = 64,    /* nested brackets, calls, signs, powers */
    VG_EXPR_MAX_INPUTS = 64,   /* different inputs */
    VG_EXPR_MAX_NODES = 2048   /* operations after constants are folded */
};

typedef struct vgExpr vgExpr;

/* Resolves names while compiling. Every function may be NULL and answers 1 for found, 0 for not. */
typedef struct vgExprScope {
    void *user;
    int (*constant)(void *user, const char *name, double *value);
    int (*input)(void *user, const char *dotted, int *slot); /* slot 0 is t and never asked for */
    const vgTable *(*table)(void *user,
                            const char *name); /* NULL: no such table; must outlive the expression */
    int constant_only;                         /* nothing that varies is allowed, t neither */
    vgDiag *diag;                              /* may be NULL */
    vgLoc loc; /* where the text begins; an error adds its offset to the column */
    /* what to write instead of a name that is not known, as the end of a sentence; NULL or "": nothing better */
    const char *(*advice)(void *user, const char *name);
    const char *const *known; /* names for "did you mean" */
    int nknown;
} vgExprScope;

/* NULL with one error in scope->diag when the text is wrong. */
vgExpr *vg_expr_compile(const char *text, const vgExprScope *scope);
void vg_expr_free(vgExpr *expr);

/* Inputs in order of first use, each once. */
int vg_expr_ninputs(const vgExpr *expr);
int vg_expr_input(const vgExpr *expr, int k); /* slot, 0 = t */

int vg_expr_constant_value(const vgExpr *expr, double *value); /* 1 when constant */

/* in[k] is the value of input k. None of these allocates. A place outside a function's domain gives NaN. */
double vg_expr_value(const vgExpr *expr, const double *in);
double vg_expr_grad(const vgExpr *expr, const double *in,
                    double *grad); /* grad[k] = d/d in[k]; returns the value */
/* Value, first and second derivative along a path of the inputs with rates din and second rates ddin: where
 * the expression switches, those of the side that the path enters. */
void vg_expr_taylor2(const vgExpr *expr, const double *in, const double *din, const double *ddin,
                     double out[3]);
void vg_expr_time(const vgExpr *expr, double t, double out[3]); /* the same for a pure function of t */

/* Times t0 < t < t1 where the expression switches: comparisons, abs, sign, min, max, floor, step, table knots
 * and the cut of atan2 whose arguments depend on t alone. Each is the first time at which it is on its new
 * side. A function of t alone that has the same value and first two derivatives on both sides does not
 * switch. Ascending, each once, the first max of them; returns how many were stored. */
int vg_expr_corners(const vgExpr *expr, double t0, double t1, double *out, int max);

/* Functions whose sign decides which branch the expression takes, at inputs in: differences of comparisons, min and
 * max, arguments of abs and sign, sin πx for floor(x), distances to the knots of tables and to the ends of
 * step(). Always the same functions in the same order, the first max of them; returns how many. */
int vg_expr_switches(const vgExpr *expr, const double *in, double *out, int max);
/* Value and gradient (NULL: not wanted) with the signs of those functions given, 1 or −1; 0: as they are. */
double vg_expr_grad_held(const vgExpr *expr, const double *in, const signed char *side, double *grad);

/* 1 for reserved names (t, pi, and, sin, ...). */
int vg_expr_reserved(const char *name);

#endif

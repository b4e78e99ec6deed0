/* A law: a number that may depend on time and on measured quantities, compiled once from an expression.
 * Inputs: slot 0 is t; slots 1..VG_LAW_LOCAL−1 are the element's own quantities (a spring's length x and rate
 * v …); slots ≥ VG_LAW_LOCAL refer to model measures: VG_LAW_LOCAL + 2*m is measure m's value, + 2*m + 1 its
 * rate. */
#ifndef VERGE_ELEMENT_LAW_LAW_H
#define VERGE_ELEMENT_LAW_LAW_H

#include "element/law/expr.h"

enum { VG_LAW_LOCAL = 16, VG_LAW_MAX_INPUTS = 12 };

typedef struct vgLaw {
    const vgExpr *expr; /* NULL: the constant `value` */
    double value;
    int ninput;                  /* inputs of the expression, in its order */
    int slot[VG_LAW_MAX_INPUTS]; /* as above */
    const char *where;           /* "model.yaml:7:12: 'its text'", for messages; NULL: not from a file */
} vgLaw;

/* An absent optional law: no expression and value NAN. */
int vg_law_given(const vgLaw *law);
int vg_law_nexternal(const vgLaw *law); /* inputs with slot ≥ VG_LAW_LOCAL */
int vg_law_is_time(const vgLaw *law);   /* constant or a function of t alone */

/* The law's value. local: values of slots 1..nlocal. inputs: the law's inputs in order, read at external
 * slots only (NULL when there are none). held: the sides of its switches (vg_expr_grad_held), NULL: as they
 * are. */
double vg_law_value(const vgLaw *law, double t, int nlocal, const double *local, const double *inputs,
                    const signed char *held);
/* The same with exact derivatives: dlocal[0] = ∂/∂t, dlocal[1..nlocal] by local slot; dext: by external input
 * in order (vg_law_nexternal numbers). Either may be NULL. */
double vg_law_grad(const vgLaw *law, double t, int nlocal, const double *local, const double *inputs,
                   const signed char *held, double *dlocal, double *dext);
/* What the law switches on (vg_expr_switches). */
int vg_law_switches(const vgLaw *law, double t, int nlocal, const double *local, const double *inputs,
                    double *out, int max);
/* Value, first and second time derivative of a law with vg_law_is_time. */
void vg_law_time(const vgLaw *law, double t, double out[3]);

#endif

/* A law: a number that may depend on time and on measured quantities, compiled once from an expression.
 * Inputs: slot 0 is t; slots 1..VG_LAW_LOCAL−1 are the element's own quantities (a spring's length x and rate v …);
 * slots ≥ VG_LAW_LOCAL refer to model measures: VG_LAW_LOCAL + 2*m is measure m's value, + 2*m + 1 its rate. */
#ifndef VERGE_ELEMENT_LAW_H
#define VERGE_ELEMENT_LAW_H

#include "element/expr.h"

enum { VG_LAW_LOCAL = 16, VG_LAW_MAX_INPUTS = 12 };

typedef struct vgLaw {
    const vgExpr *expr; /* NULL: the constant `value` */
    double value;
    int ninput;                    /* inputs of the expression, in its order */
    int slot[VG_LAW_MAX_INPUTS];   /* as above */
} vgLaw;

#endif

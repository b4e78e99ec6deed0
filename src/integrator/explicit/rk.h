/* Explicit Runge–Kutta methods: Butcher tableaux, the step that multistep methods start with,
 * and the error norm shared by all estimates. */
#ifndef VERGE_INTEGRATOR_EXPLICIT_RK_H
#define VERGE_INTEGRATOR_EXPLICIT_RK_H

#include "base/arena.h"
#include "integrator/result.h"

typedef struct vgTableau {
    int stages, order;
    const double *a, *b, *c; /* a: stages×stages, row-major */
    const double *e, *e2;    /* error weights b − b̂ (NULL: none); e2: a second estimate */
    int fsal;                /* the last stage is evaluated at the new state */
} vgTableau;

extern const vgTableau vg_tableau_dopri5; /* multistep methods start with it */

/* The row of an explicit Runge–Kutta method: set-up and step of all of them, with the tableau vg_tableau_ID. */
#define VG_EXPLICIT_ROW(id, name_, title_, cite, order_, stages_, flags_)                                    \
    const vgIntegratorRow vg_##id = {.name = name_,                                                          \
                                     .family = "explicit Runge–Kutta",                                       \
                                     .title = title_,                                                        \
                                     .citation = cite,                                                       \
                                     .order = order_,                                                        \
                                     .stages = stages_,                                                      \
                                     .flags = VG_INT_EXPLICIT | VG_INT_LEAN | (flags_),                      \
                                     .constraints = VG_CON_ACCEL,                                            \
                                     .data = &vg_tableau_##id,                                               \
                                     .setup = vg_rk_row_setup,                                               \
                                     .start = vg_accel_state,                                                \
                                     .step = vg_rk_row_step}
vgStatus vg_rk_row_setup(vgIntegrator *it);
vgStatus vg_rk_row_step(vgIntegrator *it, vgState *s, double h, vgStep *x);

/* The weights of a sum that are not zero, times the step, and the rows they belong to. */
typedef struct vgRkSum {
    int count;
    double *c;
    const double **k, **l;
} vgRkSum;

typedef struct vgRk {
    double *k, *l; /* stages × row, nv in whole fours */
    double *zero;
    int row;
    double *delta, *q, *v, *lambda;
    double *e_q, *e_v;
    double *v_own;       /* v points to it, or to the row of k that v is */
    vgRkSum *sum;        /* stages, the result, the error estimates */
    const vgTableau *tb; /* what they are for, with the state's velocities and the step */
    const double *from;
    double h, *weight, *c; /* weights of all sums, without and with the step */
    int weights;
    int plain; /* 1: coordinates are a vector space, ⊕ is +, the rates are the velocities */
} vgRk;

void vg_rk_place(vgRk *w, const vgSystem *sys, int stages, vgArena *arena);
/* One step from s (with its acceleration) to t + h; with error control a step whose error exceeds 1 leaves
 * the state as it was. */
vgStatus vg_rk_step(vgIntegrator *it, const vgTableau *tb, vgRk *w, vgState *s, double h, vgStep *x);

/* out = base + h Σ coef_j rows_j (rows of n numbers; base NULL: zero). */
void vg_combine(const double *base, const double *rows, const double *coef, int count, int n, double h,
                double *out);

/* Weighted error of a step from `from` to q, v1, root mean square over positions and velocities; 1 is the tolerance.
 * With control=1 the weights are those of [H] (B17). All have room for whole fours. */
double vg_error_norm(vgIntegrator *it, const double *q, const vgState *from, const double *v1,
                     const double *e_q, const double *e_v);

#endif

/* The linear model about a state, in independent coordinates (docs/theory.md, eq. 95–96):
 *
 *     ẋ = ẋ₀ + A (x − x₀) + B (u − u₀),     y = y₀ + C (x − x₀) + D (u − u₀)
 *
 * x: coordinates of joints where they will do, else positions and turns of bodies, and their rates, as many
 * as the mechanism has freedom; u: held numbers (input.NAME) of the laws; y: any channels. Every column is
 * the difference of motions that keep all joints closed, so that loops, rolling and states in motion are
 * exact but for rounding and the fourth order of the differences. */
#ifndef VERGE_ANALYSIS_MODES_LINEAR_MODEL_H
#define VERGE_ANALYSIS_MODES_LINEAR_MODEL_H

#include "analysis/channels/channels.h"

typedef struct vgLinearModel {
    int nx, nu, ny;
    int np;                       /* states that are positions: the first; the others are rates */
    double *A, *B, *C, *D;        /* row-major nx × nx, nx × nu, ny × nx, ny × nu */
    double *x, *rate, *u, *y;     /* x₀, ẋ₀, u₀, y₀ */
    double t;                     /* its time */
    const char **state, **unit;   /* [nx] channels where there are such, else body.NAME.turn.x … */
    const char **input;           /* [nu] names of measures */
    const char **output, **ounit; /* [ny] */
    struct vgPool *pool;          /* owns all of it */
} vgLinearModel;

/* sys: coordinates lie or planar (else VG_UNSUPPORTED). inputs: nu measures of the model whose values are held in
 * the turn memory. outputs: NULL: the states. The state is not changed. */
vgStatus vg_linear_model(const vgSystem *sys, vgWork *work, const vgState *state, int nu, const int *inputs,
                         vgChannels *outputs, vgDiag *diag, vgLinearModel *out);
void vg_linear_model_free(vgLinearModel *model);

/* Measure of a held input, by its full name or by NAME of input.NAME; −1: none. */
int vg_linear_input(const vgModel *m, const char *name);
/* Default inputs: all input.NAME, or the outputs of controllers if there are none. Returns their number. */
int vg_linear_inputs(const vgModel *m, int *measure);

/* The states of it: a measure, or the rate of one. */
typedef struct vgLinearState {
    const char *name, *unit;
    vgMeasure measure;
    int order; /* 0: its value, 1: its rate */
    int rate;  /* of order 0: the state that is its rate, −1 none */
} vgLinearState;

/* Directions in which positions (np) and velocities (nd) can go, columns of P and V: native variations with
 * a largest entry of one scale; and as many states that distinguish them. */
typedef struct vgLinearStates {
    int np, nd;
    double *P, *V;        /* one direction after the other, [np × nv], [nd × nv] */
    vgLinearState *state; /* [np + nd] */
    struct vgPool *pool;  /* names */
} vgLinearStates;

vgStatus vg_linear_states(const vgSystem *sys, vgWork *work, const vgState *state, vgLinearStates *out);
void vg_linear_states_free(vgLinearStates *states);

#endif

/* What multistep methods share: earlier states kept in vgState.history and carried into local coordinates
 * about the newest configuration,
 *     Δ_{n−j} = local(q_n, q_{n−j}),   Δ̇_{n−j} = T⁻¹(Δ_{n−j}) v_{n−j},
 * so that formulas for vector spaces hold on rotations. */
#ifndef VERGE_INTEGRATOR_MULTISTEP_LMS_H
#define VERGE_INTEGRATOR_MULTISTEP_LMS_H

#include "integrator/stage/stage.h"

enum { VG_PAST_MAX = 6 };

/* A view into the history: point 0 is t_{n−1}. */
typedef struct vgPast {
    int depth;
    double *count;     /* points there are */
    double *h;         /* depth: step from point j to the next newer one */
    double *q, *v, *a; /* depth × nq, nv, nv */
} vgPast;

int vg_past_size(const vgSystem *sys, int depth);
static inline vgPast vg_past_view(const vgSystem *sys, int depth, double *history)
{
    double *q = history + 1 + depth, *v = q + depth * sys->nq;
    return (vgPast){depth, history, history + 1, q, v, v + depth * sys->nv};
}
/* The state (q, v, a) that a step of size h has just left becomes point 0 (a NULL: accelerations are not
 * kept). */
void vg_past_push(const vgSystem *sys, vgPast *p, double h, const double *q, const double *v,
                  const double *a);
/* Δ and Δ̇ (NULL: not wanted) of the first n points about q, n × nv each. */
void vg_past_carry(const vgSystem *sys, const vgPast *p, const double *q, int n, double *delta,
                   double *delta_dot);

/* The state at the beginning of a step, kept while the step overwrites it. */
typedef struct vgBefore {
    double *q, *v, *a;
} vgBefore;
void vg_before_place(vgBefore *b, const vgSystem *sys, vgArena *arena);
void vg_before_keep(vgBefore *b, const vgSystem *sys, const vgState *s);
/* Weighted error of the step whose last stage has just been solved. Where constraints hold at position level,
 * the velocities' part normal to them follows from the positions: what earlier, larger steps left in it does
 * not fall with the step, and is not carried on. There e_v is first filtered by the
 * stage's matrix, S (x, ·) = (M e_v, 0), which leaves the part along the constraints. */
double vg_filtered_error(vgIntegrator *it, vgStage *st, double t, const vgState *from, double *e_q,
                         double *e_v);
/* Under error control the Newton error of the accelerations must stay below the error that the estimate measures. */
void vg_newton_for_control(vgIntegrator *it);
/* The stage's result, settled, becomes the state at t + h. On failure the state is as before. */
vgStatus vg_stage_to_state(vgIntegrator *it, vgStage *st, double h, vgState *s);
/* The second half of it, the stage being settled, and the state before it becomes point 0, its accelerations
 * only where they are kept. */
void vg_past_commit(const vgSystem *sys, vgPast *p, const vgStage *st, int keep_a, double h, vgState *s);

#endif

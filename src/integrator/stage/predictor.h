/* First guesses of an implicit stage: rates at the new time extrapolated from earlier points ([Z] (12)–(17)).
 *
 *     ẏ ≈ Σ m_j y_j + Σ n_j ẏ_j,   j = 0 the newest point
 *
 *   order 0  the last rate                         exact for linear y
 *   order 2  cubic Hermite through two points      exact for cubics
 *   order 4  quintic Hermite through three points  exact for quintics
 * The points may be unequally spaced and in any order, as the stages of a Runge–Kutta method are. */
#ifndef VERGE_INTEGRATOR_STAGE_PREDICTOR_H
#define VERGE_INTEGRATOR_STAGE_PREDICTOR_H

#include "integrator/stage/stage.h"

typedef struct vgPredictor {
    int points;
    double m[3], n[3];
} vgPredictor;

/* Weights for time t from npoint points at tp[] (newest first; npoint ≥ 1); the order falls when points are
 * missing. */
void vg_predictor_make(int order, double t, const double *tp, int npoint, vgPredictor *p);
/* The same as weights of rows, at most 6: scale n_j of y_dot[j], scale m_j of y[j]; how many. */
int vg_predictor_rows(const vgPredictor *p, const double *const *y, const double *const *y_dot, double scale,
                      double *c, const double **row);
/* out = base + scale (Σ m_j y[j] + Σ n_j y_dot[j]), n numbers; base NULL: zero */
void vg_predictor_apply(const vgPredictor *p, const double *const *y, const double *const *y_dot, int n,
                        double scale, const double *base, double *out);
/* Δ of a VG_STAGE_FIRST stage from a guess of its accelerations: v = v̂ + a/cv, Δ = Δ̂ + T⁻¹(Δ)v/cv. */
void vg_predict_delta(const vgSystem *sys, vgStage *st, const vgStageSpec *spec, const double *a);
/* The same from a guess of the accelerations as Σ c_j row_j. */
void vg_predict_by_rows(const vgSystem *sys, vgStage *st, const vgStageSpec *spec, int count, const double *c,
                        const double *const *row);
/* The same from a guess of the velocities. */
void vg_predict_by_velocity(const vgSystem *sys, vgStage *st, const vgStageSpec *spec, const double *v);

#endif

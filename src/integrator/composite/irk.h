/* Coupled implicit Runge–Kutta methods: tableaux, and the quantities that the step (irk.c) derives from one. */
#ifndef VERGE_INTEGRATOR_COMPOSITE_IRK_H
#define VERGE_INTEGRATOR_COMPOSITE_IRK_H

#include "integrator/stage/stage.h"

enum {
    VG_IRK_MAX = 3,
    VG_IRK_INVERT_MAX = 16
}; /* stages of the methods here; of those that vg_irk_invert takes */

typedef struct vgIrkTableau {
    int s;
    double a[VG_IRK_MAX][VG_IRK_MAX], b[VG_IRK_MAX], c[VG_IRK_MAX];
} vgIrkTableau;

void vg_irk_radau2(vgIrkTableau *tb);
void vg_irk_radau3(vgIrkTableau *tb);
void vg_irk_lobatto(vgIrkTableau *tb);
/* A⁻¹, and L⁻¹ of Crout's A = L U (U unit upper), of the n × n entries of a, which are `stride` apart from row to row;
 * inv and tri have rows of `out`. The first stage whose pivot vanishes, −1: none does. */
int vg_irk_invert(int n, const double *a, int stride, double *inv, double *tri, int out);
/* Weights e of the error estimate h (gamma0 f_n + Σ e_j k_j). */
void vg_irk_embed(const vgIrkTableau *tb, double gamma0, double *e);

/* ---- the step ---- */

typedef struct vgIrkStage {
    vgWork *work;
    double *delta, *rate, *q, *v, *a, *lambda, *w; /* rate: where coordinates are no vector space */
    double *delta_old, *v_old;                     /* before the sweep; exchanged with delta and v after it */
} vgIrkStage;

/* Δ̇ and v̇ of a stage are the sums of old_j times Δ_j and v_j before the sweep, now_j times their new values, all
 * times v_n; and own times (v − v_old). */
typedef struct vgIrkSums {
    double old[VG_IRK_MAX], now[VG_IRK_MAX], all, own;
} vgIrkSums;

typedef struct vgIrk {
    vgArena arena;
    vgIrkTableau tb;
    double inv[VG_IRK_MAX][VG_IRK_MAX], tri[VG_IRK_MAX][VG_IRK_MAX]; /* A⁻¹, L⁻¹ */
    vgIrkStage stage[VG_IRK_MAX];
    vgIrkSums sums[VG_IRK_MAX];   /* of the step */
    double gamma0, e[VG_IRK_MAX]; /* error estimate: h (γ₀ f_n + Σ e_j k_j) */
    double *r, *phi, *phi_dot, *x, *xl, *d, *q, *v, *e_q, *e_v;
    double *levels;    /* 2 nl: for vg_stage_clean */
    double *old, *now; /* Δ and v of the stages, 2 VG_IRK_MAX rows each, before the sweep and by now */
    int row;           /* nv in whole fours */
    double *unit;      /* nv: 1/v_scale */
    int plain;         /* 1: coordinates are a vector space */
    int index2;        /* 1: velocities are corrected */
    int mixed;         /* 1: there are rows above position level */
    int by_level;      /* 1: in this step they are not all taken on positions */
    int at_position;   /* 1: rows of accelerations are taken on positions in this step */
    double open;       /* largest violation before the last sweep, points in units of the model's length */
} vgIrk;

/* irk_sweep.c: the weights of the sums of all stages, f = 1/h; a sweep over stage i, *norm the largest increment so far;
 * q of a stage from its Δ where coordinates are a vector space. */
void vg_irk_sums(vgIrk *w, double f);
vgStatus vg_irk_sweep(vgIntegrator *it, vgIrk *w, const vgState *s, int i, double h, int fresh, double *norm);
void vg_irk_place_at(const vgSystem *sys, const vgState *s, const vgIrkStage *st);

#endif

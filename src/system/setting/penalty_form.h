/* The tangent of a system with multipliers in its penalty form, (A + Bᵀ α B) δ = f + Bᵀ α g: what augmented
 * Lagrangian and penalty settings share. docs/theory.md eq. 70. Internal to the room. */
#ifndef VERGE_SYSTEM_SETTING_PENALTY_FORM_H
#define VERGE_SYSTEM_SETTING_PENALTY_FORM_H

#include "linalg/lin/chol.h"
#include "system/setting/wrap.h"

typedef struct vgPenaltyWork {
    vgWrapWork w; /* first */
    int noted;    /* bodies without mass are known */
    vgSaddle at, at_exact;
    vgLinChol *chol, *exact; /* exact: made when statics first ask for it */
    vgLinChol *solve_with;
    const vgSaddle *places;
    double *alpha, *y;                 /* in the places of the saddle matrix */
    double *zero, *g, *x, *q;          /* max(nq, nv, nphi) + 1; nphi; nv; nq */
    double *phi_dot, *r;               /* nphi, nv: for the setting itself */
    double *way, *way_l, *closes, *mu; /* nv, nphi, nphi, nphi: of vg_penalty_close */
} vgPenaltyWork;

/* Handing on, with solve(), projections in the mass metric and work of the penalty form; a setting adds
 * factor() and accel(). */
vgSystemOps vg_penalty_table(void);

/* A work of `size` bytes, vgPenaltyWork first. */
vgStatus vg_penalty_new_work(const vgSystem *sys, size_t size, vgWork **out);
/* Assembles at p and factors. α of row r: times·weight[r]; weight NULL: times for all rows, and from the mass
 * that each row feels where times is 0. */
vgStatus vg_penalty_factor(const vgSystem *sys, vgWork *work, const vgTangent *p, const double *weight,
                           double times);
/* The same in pieces. */
int vg_penalty_pieces(const vgSystem *sys, const vgWork *work, double *cost, int *assembled);
vgStatus vg_penalty_piece(const vgSystem *sys, vgWork *work, const vgTangent *p, const double *weight,
                          double times, int i);
/* The same with M for A, at the motion last given to the inner levels or residual. */
vgStatus vg_penalty_factor_mass(const vgSystem *sys, vgWork *work, double t, const double *q, const double *v,
                                const double *weight, double times);
/* In place: δ, μ for f, g, in the order of coordinates and rows. */
void vg_penalty_solve(const vgSystem *sys, vgWork *work, double *x_v, double *x_l);
/* x, l += what makes B x = g, g of it what is not closed, at most `least` of the largest (but for rounding,
 * and for rows that contradict each other); the last factorisation is that of a symmetric matrix. l NULL: not
 * wanted. */
void vg_penalty_close(const vgSystem *sys, vgWork *work, double least, double *x, double *l, double *g);
/* α of a row in the last factorisation; 0: the row is not in it. */
double vg_penalty_alpha(const vgPenaltyWork *w, int row);

#endif

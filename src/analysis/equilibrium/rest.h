/* The search for an equilibrium: what its ways share. Internal to the room. */
#ifndef VERGE_ANALYSIS_EQUILIBRIUM_REST_H
#define VERGE_ANALYSIS_EQUILIBRIUM_REST_H

#include "analysis/equilibrium/equilibrium.h"

typedef struct vgRest {
    const vgSystem *sys;
    vgWork *w;
    vgState *state; /* shows the points of a path */
    double t, tol;
    double mu; /* the share of M in Newton's tangent: 0, or a trace that holds what nothing holds */
    int max_iter;
    double *q, *lambda;           /* where we are */
    double *q_try, *lambda_try;   /* where a step would lead */
    double *q_save, *lambda_save; /* last balanced load step */
    double *r0;                   /* out of balance at the start, without the applied loads */
    double *x, *y;                /* nv + nl: corrections */
    double *tangent, *load_rate;  /* nv + nl: of a path by its arc length, by the load */
    double *zero, *delta;         /* nv */
    double *v0;  /* nv: of an equilibrium that friction holds, bends of bristles and other integrals */
    int settled; /* 1: it is such an equilibrium */
    double *buffer;
    vgEquilibrium *out;
} vgRest;

/* F = (r_s − (1 − s) r₀, Φ) into f (nv + nl); the tangent is that of s from here on. */
void vg_rest_imbalance(vgRest *z, const double *q, const double *lambda, double s, double *f);
/* Largest displacement in units of the coordinates' scales. */
double vg_rest_size(const vgRest *z, const double *delta);
/* Tangent at (q, λ): K + mu M bordered by B. */
vgStatus vg_rest_factor(vgRest *z, double mu);
/* x := −S⁻¹ x, multipliers unscaled. */
void vg_rest_correct(vgRest *z, double mu, double *x);
/* (q, λ)_try := (q, λ) moved by step · x; and taking them */
void vg_rest_trial(vgRest *z, double step);
void vg_rest_take(vgRest *z);
void vg_rest_keep(vgRest *z); /* (q, λ)_save := (q, λ), and back */
void vg_rest_back(vgRest *z);
/* Newton at load s, whole steps or with a line search. */
vgStatus vg_rest_newton(vgRest *z, double s, int careful);
/* 1: contacts of the model cling by bristles. */
int vg_rest_sticks(const vgModel *m);
/* Equilibrium under friction (equilibrium/settle.c): q, λ, v0, and the residual there. */
vgStatus vg_rest_settle(vgRest *z, const vgState *start);
void vg_rest_settled(vgRest *z, double *f);
/* The path from load 0 to load 1 by arc length. */
vgStatus vg_rest_arc(vgRest *z, const vgEquilibriumOptions *o);

#endif

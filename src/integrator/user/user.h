/* Integrators that users write: a Butcher tableau or the coefficients of a linear multistep method in a YAML file,
 * chosen as `file:PATH` (docs/dials.md; [Z] section 6). Order conditions and zero-stability are checked when the file
 * is read. */
#ifndef VERGE_INTEGRATOR_USER_USER_H
#define VERGE_INTEGRATOR_USER_USER_H

#include "integrator/explicit/rk.h"

/* A zero-stable method of k steps has order k + 2 at most (Dahlquist 1956). */
enum {
    VG_USER_STAGES = 16,
    VG_USER_STEPS = 8,
    VG_USER_ORDER = 8,
    VG_USER_MULTISTEP_ORDER = VG_USER_STEPS + 2
};

/* A root is on the unit circle to that. */
#define VG_ON_CIRCLE (1 - 1e-6)

struct vgUserMethod {
    vgIntegratorRow row; /* what the integrator is made of; its data is this struct */
    char name[80], title[160];
    int multistep; /* else a tableau */
    /* tableau */
    int s;
    double a[VG_USER_STAGES * VG_USER_STAGES], b[VG_USER_STAGES], c[VG_USER_STAGES],
        e[VG_USER_STAGES]; /* e = b − b̂ */
    int embedded;          /* order of the embedded weights, 0: none */
    int first_explicit;    /* 1: the first stage is the state */
    int stiffly;           /* 1: the last stage is the result */
    vgTableau explicit_form;
    /* multistep: y_k = Σ_{j=1..k} α_j y_{k−j} + h Σ_{j=0..k} β_j ẏ_{k−j} */
    int k;
    double alpha[VG_USER_STEPS + 1], beta[VG_USER_STEPS + 1];
    double error; /* C: y(t_k) − y_k = C h^{p+1} y^{(p+1)} + … with exact values before */
    double worst; /* largest residual of the order conditions that hold */
};

/* 1: the text is file:PATH[,options]. */
int vg_user_is(const char *text);
/* The method of the file; VG_BAD_INPUT with its place in diag. folder: where relative paths begin, NULL: here. */
vgStatus vg_user_load(const char *text, const char *folder, vgDiag *diag, vgLoc at, vgUserMethod **out);
void vg_user_free(vgUserMethod *);
/* Options behind the path, NULL: none. */
const char *vg_user_options(const char *text);

/* conditions.c. The order of weights b (s of them) with A and c, at most VG_USER_ORDER; worst: the largest residual
 * among the conditions of that order and below; off, tree: that of the first condition that fails, and it in words. */
int vg_user_order(int s, const double *a, const double *b, double *worst, double *off, char *tree,
                  size_t size);
/* As above for a multistep method, up to VG_USER_MULTISTEP_ORDER; `off` is its error constant. */
int vg_user_multistep_order(int k, const double *alpha, const double *beta, double *worst, double *off);
/* The roots of ζ^k − Σ α_j ζ^{k−j} beside ζ = 1: their largest modulus, and how near one of modulus 1 or more comes to
 * another or to ζ = 1 (infinite: there is none). */
typedef struct vgUserRoots {
    double largest, apart;
} vgUserRoots;
vgStatus vg_user_roots(int k, const double *alpha, vgUserRoots *out);

/* coupled.c, diagonal.c, steps.c: the calls of the families */
vgStatus vg_user_diagonal_setup(vgIntegrator *it);
vgStatus vg_user_diagonal_step(vgIntegrator *it, vgState *s, double h, vgStep *x);
vgStatus vg_user_coupled_setup(vgIntegrator *it);
vgStatus vg_user_coupled_step(vgIntegrator *it, vgState *s, double h, vgStep *x);
/* Nodes and error control of a tableau's implicit stages. */
void vg_user_tableau_setup(vgIntegrator *it);
vgStatus vg_user_steps_setup(vgIntegrator *it);
vgStatus vg_user_steps_start(vgIntegrator *it, vgState *s);
vgStatus vg_user_steps_step(vgIntegrator *it, vgState *s, double h, vgStep *x);

#endif

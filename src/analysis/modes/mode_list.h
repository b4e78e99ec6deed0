/* From eigenvalues and shapes, however they were computed, to modes: which are free motions, their order, their scale. */
#ifndef VG_ANALYSIS_MODES_LIST_H
#define VG_ANALYSIS_MODES_LIST_H

#include "analysis/modes/pencil.h"

/* Eigenvalues 1/s in units of which frequencies are counted as slow where nothing else does (docs/theory.md, eq. 59a). */
#define VG_MODES_SHIFT 0.7390851

typedef struct vgModeList {
    int n, room, nv;
    double *re, *im; /* im ≥ 0 */
    double *a, *b;   /* [room × nv] y = a + ib, turns in body axes */
} vgModeList;

vgStatus vg_mode_list_new(vgModeList *list, int room, int nv);
void vg_mode_list_free(vgModeList *list);
/* Adds a mode of which a, b (NULL: zero) are copied. */
void vg_mode_list_add(vgModeList *list, double re, double im, const double *a, const double *b);
/* One of K x = ω² M x: λ = ± i ω, or ± |ω|, or 0 once. */
void vg_mode_list_add_square(const vgPencil *p, vgModeList *list, double w2, const double *x);

/* A motion along y is free if its stiffness yᴴKy is not larger than the rounding of K. Then λ (m λ + c) = 0 with m =
 * yᴴMy, c = yᴴCy, and of the two solutions the nearer one is meant. A free motion without damping is a double zero,
 * which an eigenvalue solver gives as a pair of the size √ε; it becomes one mode with λ = 0. */
vgStatus vg_mode_list_settle_free(const vgPencil *p, vgModeList *list);
/* 1: yᵀKy is rounding. */
int vg_pencil_is_free(const vgPencil *p, const double *y);
/* Ordered into out, at most `most` of them, those with the least |λ|. kin: of the state. */
vgStatus vg_mode_list_give(const vgSystem *sys, const vgKin *kin, const vgModeList *list, int most,
                           vgModes *out);

#endif

/* The penalty form of a saddle matrix, by Cholesky's factorisation.
 *
 *     [ A  Bᵀ  ] [δ]   [f]          (A + Bᵀ α B) δ = f + Bᵀ α g,      μ = α (B δ − g)
 *     [ B −1/α ] [μ] = [g]
 *
 * with one α > 0 for every row of B (0 for those that vg_lin_leave_out() leaves out): the two are the same, but the left one stays regular where rows of B
 * depend on each other, and its leading matrix is symmetric and positive definite. Of A the symmetric part is
 * taken. Made once from the graph of the saddle matrix (lin.h); small systems are dense, the others sparse in
 * a fill-reducing order; no allocation after that. */
#ifndef VG_LINALG_LIN_CHOL_H
#define VG_LINALG_LIN_CHOL_H

#include "linalg/lin/lin.h"

typedef struct vgLinChol vgLinChol;

typedef enum vgLinCholWay { VG_CHOL_AUTO, VG_CHOL_DENSE, VG_CHOL_SPARSE } vgLinCholWay;

/* B is the stored block (primal, dual) or the mirror of (dual, primal). The saddle matrix must outlive it. */
vgStatus vg_lin_chol_new(vgLin *saddle, vgLinCholWay way, vgLinChol **out);
void vg_lin_chol_free(vgLinChol *c);
size_t vg_lin_chol_memory(const vgLinChol *c);
const char *vg_lin_chol_name(const vgLinChol *c);
long vg_lin_chol_fallbacks(const vgLinChol *c); /* factorisations that were not positive definite */

/* Factors the current values of the saddle matrix. alpha holds one factor for every row of the saddle matrix,
 * those of primal rows are not read. Where the leading matrix is not positive definite the left form is
 * factorised by the saddle matrix's own means (its dual diagonal then holds −1/α). */
vgStatus vg_lin_chol_factor(vgLinChol *c, const double *alpha);
/* The same in pieces (vg_lin_pieces): alpha is read by the first. */
int vg_lin_chol_pieces(const vgLinChol *c, double *cost);
vgStatus vg_lin_chol_piece(vgLinChol *c, const double *alpha, int i);
int vg_lin_chol_bad_row(const vgLinChol *c);
/* x holds f and g in the places of the saddle matrix, and δ and μ afterwards. */
void vg_lin_chol_solve(vgLinChol *c, double *x);

/* 1/Σ_k B_rk²/A_kk for every dual row r, from the current values: the mass a constraint row feels when it
 * acts alone, up to couplings. Diagonal entries that vanish count as a millionth of the largest of the node, those of
 * nodes without mass as the largest of all. */
void vg_lin_chol_row_mass(const vgLinChol *c, double *out);
/* With a mass matrix as the current values: nodes that have none count as such in the above from now on. */
void vg_lin_chol_note_massless(vgLinChol *c);

#endif

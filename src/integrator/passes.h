/* The passes over vectors that an implicit stage makes between the operations of its system. Each is one loop
 * of vectors of four: for small systems the memory that code and arrays take in the first caches, which an
 * evaluation empties, costs more than the arithmetic. */
#ifndef VERGE_INTEGRATOR_PASSES_H
#define VERGE_INTEGRATOR_PASSES_H

/* out = x: short vectors without a call of the library, whose code is not at hand then */
void vg_pass_copy(int n, const double *x, double *out);
/* out = c x */
void vg_pass_scale(int n, double c, const double *x, double *out);
/* y += c x */
void vg_pass_add(int n, double c, const double *x, double *y);
/* out = c (x − y) */
void vg_pass_difference(int n, double c, const double *x, const double *y, double *out);

/* Largest |x_i| unit_i, |x_i| closes_i and |a_i| unit_i; the first is not a number where one of x is not
 * finite. */
typedef struct vgSizes {
    double x, turned, a;
} vgSizes;
void vg_pass_sizes(int n, const double *x, const double *a, const double *unit, const double *closes,
                   vgSizes *out);

/* A stage of coordinates that are a vector space (stage.h, VG_STAGE_FIRST), moved by x:
 *     Δ += x,  q = q_r + Δ,  Δ̇ = cv (Δ − Δ̂),  v = Δ̇ − w,  a = cv (v − v̂)
 * sizes of x and of a before the move. x, w NULL: zero. */
typedef struct vgMove {
    const double *x, *w, *q_r, *dhat, *vhat, *unit, *closes;
    double *delta, *q, *rate, *v, *a;
    double cv;
} vgMove;
void vg_pass_move(int n, const vgMove *m, vgSizes *out);
/* The same for VG_STAGE_NEWMARK and PLAIN without w and â: v = v̂ + cv (Δ − Δ̂), a = ca (Δ − Δ̂). */
void vg_pass_move_newmark(int n, const vgMove *m, double ca, vgSizes *out);

/* A coupled stage of such coordinates: Δ = Δ_old + x,  Δ̇ += cv x,  q = q_r + Δ,  v = Δ̇ − w; the largest
 * |x_i| unit_i, not a number where one of x is not finite. a, dhat, vhat, closes are not read. */
double vg_pass_advance(int n, const vgMove *m, const double *delta_old);

#endif

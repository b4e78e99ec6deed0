/* Coupled implicit Runge–Kutta methods: tableaux, and the quantities that the step (irk.c) derives from one. */
#ifndef VERGE_INTEGRATOR_COMPOSITE_IRK_H
#define VERGE_INTEGRATOR_COMPOSITE_IRK_H

enum { VG_IRK_MAX = 3 }; /* stages */

typedef struct vgIrkTableau {
    int s;
    double a[VG_IRK_MAX][VG_IRK_MAX], b[VG_IRK_MAX], c[VG_IRK_MAX];
} vgIrkTableau;

void vg_irk_radau2(vgIrkTableau *tb);
void vg_irk_radau3(vgIrkTableau *tb);
void vg_irk_lobatto(vgIrkTableau *tb);
/* A⁻¹, and L⁻¹ of Crout's A = L U. */
void vg_irk_invert(const vgIrkTableau *tb, double inv[VG_IRK_MAX][VG_IRK_MAX],
                   double tri[VG_IRK_MAX][VG_IRK_MAX]);
/* Weights e of the error estimate h (gamma0 f_n + Σ e_j k_j). */
void vg_irk_embed(const vgIrkTableau *tb, double gamma0, double *e);

#endif

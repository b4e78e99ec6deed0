/* The six formulas of [N], for all of its experiments. */
#ifndef VG_REPRODUCE_N_H
#define VG_REPRODUCE_N_H

#include "reproduce/reproduce.h"

enum { METHODS = 6, I3 = 1, SI2 = 3, ADD = 4, STIFF_SI2 = 5 };
typedef struct vgNFormula {
    const char *label, *integrator;
    int order, stabilised;
} vgNFormula;
extern const vgNFormula vg_n_formulas[METHODS];

/* Modes of the flexible rod; elements of the rod whose nodes have masses. */
#define VG_N_MODES "n=4"
#define VG_N_BEAMS "n=2"

/* The formula as it is printed. The nodes of the rod in a floating frame have no mass, so that (11) and the M̄ of (13) have no
 * inverse there: then HHT-ADD's form with the reactions among the forces, and HHT-SI2 with the mass matrices of the step's
 * ends. A rod of beam elements takes the printed ones. */
const char *vg_n_formula(int method, const char *model);
/* The stabilised ones have the velocity constraints among their equations, the others positions alone. */
const char *vg_n_constraints(int method);
/* All six with their labels on a model. */
void vg_n_curves(vgCurve *curve, const char *model);
/* Steps 2^-first, …, 2^-last. */
void vg_n_steps(vgSweep *sweep, int first, int last);
/* A finding for each method: `of` a curve falls with its order, within `within`. */
void vg_n_slopes(vgExhibit *ex, const vgSweep *sweep, const vgCurve *curve,
                 const double *(*of)(const vgCurve *), const char *what, double floor, double within);
/* Figure 16. */
void vg_n_times(vgExhibit *ex);

#endif

/* What parameters do to a quantity, from the runs of a study as they are.
 *
 * The runs are put into bins of equal numbers along one parameter at a time. The means of the bins are the response curve;
 * their variance over the variance of all runs is Sobol's first-order index, the part of the variance that goes with this
 * parameter alone (E. Plischke, An effective algorithm for computing global sensitivity indices, 2010: from given data). It is
 * corrected for what the scatter within the bins adds by chance. The indices of independent parameters add up to at most 1;
 * what is missing goes with interactions. */
#ifndef VERGE_ANALYSIS_STUDY_EFFECTS_H
#define VERGE_ANALYSIS_STUDY_EFFECTS_H

enum { VG_EFFECT_BINS = 16 };

typedef struct vgEffect {
    int bins; /* 0: too few runs, or a parameter or quantity that does not vary */
    double at[VG_EFFECT_BINS],
        mean[VG_EFFECT_BINS]; /* means of the parameter and of the quantity in each bin */
    double least, most;       /* of the means: a bar of the tornado */
    double index;             /* Sobol's first-order index */
    double noise;             /* its standard error, about: √(2 (bins − 1))/n and the scatter */
} vgEffect;

/* Of n runs, x and y with strides; runs where either is no number are left out. 0: out of memory. */
int vg_effect(long n, const double *x, long x_stride, const double *y, long y_stride, vgEffect *out);

#endif

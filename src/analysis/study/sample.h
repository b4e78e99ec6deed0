/* Where a study looks: values of parameters for each of its runs.
 *
 *     k=10:100:20        20 values from 10 to 100, both ends          grid
 *     k=10:100           evenly distributed between                   sampled
 *     k=1,2,5            these                                        grid
 *     m~normal(3,0.1)    m~uniform(2,4)    m~lognormal(0,0.5)         sampled
 *
 * Without a sampling rule the runs are all combinations of the grid, the last parameter changing fastest. With one
 * (sobol:N, lhs:N, random:N) all parameters are sampled; lists and grids are drawn from. The values of run i depend on
 * the seed and on i alone.
 *
 * Sobol: I. M. Sobol' (1967), direction numbers of S. Joe, F. Y. Kuo (2008), shifted digitally by the seed. */
#ifndef VERGE_ANALYSIS_STUDY_SAMPLE_H
#define VERGE_ANALYSIS_STUDY_SAMPLE_H

#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

enum { VG_PLAN_PARAMETERS = 21, VG_PLAN_NAME = 64 }; /* as many as there are direction numbers */

typedef enum vgPlanRule {
    VG_PLAN_GRID,
    VG_PLAN_SOBOL,
    VG_PLAN_LHS,
    VG_PLAN_RANDOM,
    VG_PLAN_TABLE
} vgPlanRule;
typedef enum vgPlanLaw { VG_PLAN_LIST, VG_PLAN_UNIFORM, VG_PLAN_NORMAL, VG_PLAN_LOGNORMAL } vgPlanLaw;

typedef struct vgPlanAxis {
    char name[VG_PLAN_NAME];
    vgPlanLaw law;
    double a, b;       /* ends, or mean and standard deviation */
    int n;             /* values of a list or grid */
    double *value;     /* n; NULL: from a to b, evenly */
    uint32_t *stratum; /* Latin hypercube: the order of its strata */
} vgPlanAxis;

typedef struct vgPlan {
    int naxis;
    vgPlanAxis axis[VG_PLAN_PARAMETERS];
    vgPlanRule rule;
    uint64_t seed;
    long runs;
} vgPlan;

/* Adds a parameter by its text. VG_BAD_INPUT with words. */
vgStatus vg_plan_vary(vgPlan *plan, const char *text, vgDiag *diag);
/* Adds a column of n values: run i has value i. All columns must be equally long. */
vgStatus vg_plan_column(vgPlan *plan, const char *name, const double *value, long n, vgDiag *diag);
/* After the parameters: "sobol:4096", "lhs:200", "random:1000", NULL: all combinations, or the columns. */
vgStatus vg_plan_rule(vgPlan *plan, const char *text, uint64_t seed, vgDiag *diag);
/* The values of a run, naxis of them. */
void vg_plan_values(const vgPlan *plan, long run, double *out);
void vg_plan_free(vgPlan *plan);

#endif

#include "analysis/study/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int quantities_of(const vgBatch *b)
{
    return vg_quantities_count(b->sweep.quantities);
}

long vg_batch_length(const vgBatch *b)
{
    return quantities_of(b) + b->sweep.ntimes * b->sweep.nhistory;
}

/* A plan with the points as columns. */
static vgStatus plan_of(const vgBatch *b, long n, const double *p, vgPlan *plan, vgDiag *diag)
{
    vgStatus status = VG_OK;
    double *column = malloc((size_t)n * sizeof *column + 1);
    if (!column) return VG_NO_MEMORY;
    for (int k = 0; k < b->nparam && status == VG_OK; k++) {
        for (long i = 0; i < n; i++) column[i] = p[i * b->nparam + k];
        status = vg_plan_column(plan, b->param[k], column, n, diag);
    }
    free(column);
    return status == VG_OK ? vg_plan_rule(plan, NULL, 0, NULL) : status;
}

static vgStatus values_of(const vgBatch *b, double *value, vgDiag *diag)
{
    vgModel *model = vg_model_of(b->sweep.source, b->sweep.set, b->sweep.nset, diag);
    if (!model) return vg_diag_starved(diag) ? VG_NO_MEMORY : VG_BAD_INPUT;
    for (int k = 0; k < b->nparam; k++) {
        value[k] = NAN;
        for (int i = 0; i < model->nparam; i++)
            if (strcmp(model->param_name[i], b->param[k]) == 0) value[k] = model->param_value[i];
    }
    vg_model_free(model);
    return VG_OK;
}

vgStatus vg_batch_check(const vgBatch *b, double *value, vgDiag *diag)
{
    vgPlan plan = {0};
    vgSweep sweep = b->sweep;
    double point[VG_PLAN_PARAMETERS];
    vgStatus status = values_of(b, point, diag);
    memcpy(value, point, (size_t)b->nparam * sizeof *value);
    for (int k = 0; k < b->nparam; k++)
        if (isnan(point[k])) point[k] = 0; /* unknown: the check says so */
    if (status == VG_OK) status = plan_of(b, 1, point, &plan, diag);
    sweep.plan = &plan;
    if (status == VG_OK) status = vg_sweep_check(&sweep, diag);
    vg_plan_free(&plan);
    return status;
}

vgStatus vg_batch_run(vgBatch *b, long n, const double *p, double *y, char *why)
{
    vgPlan plan = {0};
    vgSweep sweep = b->sweep;
    const long length = vg_batch_length(b), nq = quantities_of(b);
    vgSweepRun *run = calloc((size_t)n + 1, sizeof *run);
    char *words = calloc((size_t)n + 1, VG_SWEEP_WHY);
    vgStatus status = run && words ? plan_of(b, n, p, &plan, NULL) : VG_NO_MEMORY;
    if (why) why[0] = 0;
    if (status == VG_OK) {
        for (long i = 0; i < n; i++)
            run[i] = (vgSweepRun){.index = i,
                                  .quantity = y + i * length,
                                  .history = sweep.nhistory > 0 ? y + i * length + nq : NULL,
                                  .why = words + i * VG_SWEEP_WHY};
        sweep.plan = &plan;
        status = vg_sweep_runs(&sweep, run, n, b->threads);
        b->runs += n;
    }
    for (long i = 0; why && status == VG_OK && i < n && !why[0]; i++)
        if (run[i].state == VG_SWEEP_FAILED) memcpy(why, run[i].why, VG_SWEEP_WHY);
    vg_plan_free(&plan);
    free(run);
    free(words);
    return status;
}

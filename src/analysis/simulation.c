#include "analysis/simulation.h"

#include <string.h>

static const char *chosen(const char *given, const char *model, const char *fallback)
{
    if (given && *given) return given;
    return model && *model ? model : fallback;
}

static void copy(double *to, const double *from, int n)
{
    if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

/* The state of the assembly, in one that also holds the integrator's history: redundant rows are known only
 * after assembly, and the integrator's work must know them. */
static vgStatus with_history(const vgSystem *sys, const vgState *from, int nhistory, vgState **out)
{
    vgStatus status = vg_state_new(sys, nhistory, out);
    if (status != VG_OK) return status;
    vgState *s = *out;
    s->t = from->t;
    copy(s->q, from->q, sys->nq);
    copy(s->v, from->v, sys->nv);
    copy(s->a, from->a, sys->nv);
    copy(s->lambda, from->lambda, sys->nl);
    copy(s->turn, from->turn, sys->model->nturn);
    return VG_OK;
}

vgStatus vg_simulation_open(const vgModel *model, const vgDials *dials, vgDiag *diag, vgSimulation *out)
{
    *out = (vgSimulation){0};
    vgState *start = NULL;
    const vgRunOptions *run = &model->run;
    const char *integrator = chosen(dials->integrator, run->integrator, "generalized-alpha");
    vgStatus status = vg_system_new(model, chosen(dials->coordinates, run->coordinates, NULL),
                                    chosen(dials->constraints, run->constraints, NULL), diag, &out->sys);
    if (status == VG_OK) status = vg_assemble(out->sys, 0, 0, diag, &out->assembly, &start);
    if (status == VG_OK) status = vg_integrator_new(out->sys, integrator, diag, &out->it);
    if (status == VG_OK) status = with_history(out->sys, start, out->it->nhistory, &out->state);
    vg_state_free(start);
    if (status == VG_OK)
        vg_work_bind(out->it->work, out->state);
    else
        vg_simulation_close(out);
    return status;
}

void vg_simulation_close(vgSimulation *s)
{
    vg_integrator_free(s->it);
    vg_state_free(s->state);
    vg_assembly_free(&s->assembly);
    vg_system_free(s->sys);
    *s = (vgSimulation){0};
}

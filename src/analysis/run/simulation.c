#include "analysis/run/simulation.h"

#include <string.h>

#include "analysis/run/undetermined.h"

static const char *chosen(const char *given, const char *model, const char *fallback)
{
    if (given && *given) return given;
    return model && *model ? model : fallback;
}

/* The state of the assembly, in one that also holds the integrator's history, whose size is known only now. */
static vgStatus with_history(const vgSystem *sys, const vgState *from, int nhistory, vgState **out)
{
    vgStatus status = vg_state_new(sys, nhistory, out);
    if (status == VG_OK) vg_state_copy(sys, *out, from);
    return status;
}

/* The constraint setting: what was asked for; else the model's, unless the integrator cannot take it: then
 * the first one it can. So an explicit method on a model written for index 3 runs at index 1 without more
 * ado, while a pair that somebody named is refused by name. */
static const char *constraints_for(const vgModel *m, const char *given, const char *integrator)
{
    const char *model = m->run.constraints, *first = NULL;
    if (given && *given) return given;
    if (!model || !*model) model = vg_default_constraints();
    unsigned takes = vg_integrator_takes(m, integrator);
    for (const vgConstraintsRow *c = vg_constraints_list; takes && c->name; c++) {
        if (!(takes & c->flag)) continue;
        if (!first) first = c->name;
        if (!strncmp(c->name, model, strlen(c->name)) && strchr(":", model[strlen(c->name)])) return model;
    }
    return first ? first : model;
}

static void warn_of_unset_callbacks(const vgModel *model, vgDiag *diag)
{
    const vgForceKind *callback = vg_force_kind("callback");
    for (int i = 0; i < model->nforce; i++) {
        const vgForce *f = &model->force[i];
        if (f->kind == callback && !vg_force_callback_is_set(f->def))
            vg_diag_warn(diag, f->loc, "the force '%s' does nothing: the program has given it no function",
                         f->name);
    }
}

vgStatus vg_simulation_open(const vgModel *model, const vgDials *dials, vgDiag *diag, vgSimulation *out)
{
    *out = (vgSimulation){0};
    vgState *start = NULL;
    const vgRunOptions *run = &model->run;
    const char *integrator = chosen(dials->integrator, run->integrator, "generalized-alpha");
    vgStatus status = vg_system_new(model, chosen(dials->coordinates, run->coordinates, NULL),
                                    constraints_for(model, dials->constraints, integrator), diag, &out->sys);
    if (status == VG_OK) status = vg_assemble(out->sys, 0, 0, diag, &out->assembly, &start);
    if (status == VG_OK) status = vg_integrator_new(out->sys, integrator, diag, &out->it);
    if (status == VG_OK) status = with_history(out->sys, start, out->it->nhistory, &out->state);
    if (status == VG_OK) status = vg_sampler_new(out->sys, out->it->work, &out->sampler);
    if (status == VG_OK && vg_impact_possible(model)) status = vg_impact_new(out->sys, &out->impact);
    if (status == VG_OK) status = vg_warn_of_undetermined(out->sys, out->it->work, out->state, diag);
    vg_state_free(start);
    warn_of_unset_callbacks(model, diag);
    if (status == VG_OK)
        vg_work_bind(out->it->work, out->state);
    else
        vg_simulation_close(out);
    return status;
}

void vg_simulation_close(vgSimulation *s)
{
    vg_sampler_free(s->sampler);
    vg_impact_free(s->impact);
    vg_integrator_free(s->it);
    vg_state_free(s->state);
    vg_assembly_free(&s->assembly);
    vg_system_free(s->sys);
    *s = (vgSimulation){0};
}

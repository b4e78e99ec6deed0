/* A model from text at its start, for tests of equilibrium and modes. */
#ifndef VERGE_TESTS_ANALYSIS_MOMENT_H
#define VERGE_TESTS_ANALYSIS_MOMENT_H

#include <stdio.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/equilibrium/equilibrium.h"
#include "analysis/modes/modes.h"
#include "analysis/run/simulation.h"

typedef struct momentRig {
    vgDiag *diag;
    vgModel *model;
    vgSimulation sim;
    vgEquilibrium rest;
    vgModes modes;
    vgStatus status;
} momentRig;

static inline void moment_start(momentRig *m)
{
    vgDials dials = {m->model && m->model->planar ? "planar" : "lie", "index3", "generalized-alpha"};
    m->status = m->model ? vg_simulation_open(m->model, &dials, m->diag, &m->sim) : VG_BAD_INPUT;
    for (int i = 0; i < vg_diag_count(m->diag); i++) printf("%s\n", vg_diag_line(m->diag, i));
}

static inline momentRig moment_text(const char *text)
{
    momentRig m = {.diag = vg_diag_new()};
    m.model = vg_model_parse(text, strlen(text), "test", NULL, 0, m.diag);
    moment_start(&m);
    return m;
}

static inline momentRig moment_file(const char *name, const vgParamSet *set, int nset)
{
    char path[600];
    momentRig m = {.diag = vg_diag_new()};
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, name);
    m.model = vg_model_load(path, set, nset, m.diag);
    moment_start(&m);
    return m;
}

static inline void moment_rest(momentRig *m, const vgEquilibriumOptions *o)
{
    const vgEquilibriumOptions none = {0};
    if (m->status == VG_OK)
        m->status =
            vg_equilibrium(m->sim.sys, m->sim.it->work, m->sim.state, o ? o : &none, m->diag, &m->rest);
}

static inline void moment_modes(momentRig *m)
{
    if (m->status == VG_OK)
        m->status = vg_modes(m->sim.sys, m->sim.it->work, m->sim.state, m->diag, &m->modes);
}

static inline double moment_channel(momentRig *m, const char *name)
{
    vgChannels *c = NULL;
    double value = 0.0 / 0.0;
    if (m->status == VG_OK && vg_channels_new(m->sim.sys, &name, 1, m->diag, &c) == VG_OK)
        vg_channels_eval(c, m->sim.it->work, m->sim.state, &value);
    else
        printf("no channel %s\n", name);
    vg_channels_free(c);
    return value;
}

static inline void moment_end(momentRig *m)
{
    vg_modes_free(&m->modes);
    if (m->sim.sys) vg_simulation_close(&m->sim);
    vg_model_free(m->model);
    vg_diag_free(m->diag);
}

#endif

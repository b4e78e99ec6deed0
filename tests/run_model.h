/* Runs a shipped model through the library and gives channels at the end: for tests against references. */
#ifndef VERGE_TESTS_RUN_MODEL_H
#define VERGE_TESTS_RUN_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

typedef struct runResult {
    vgStatus status;
    char error[512];
    double value[64];
    vgTransientResult end;
    int nredundant, freedom;
    double mean, first; /* of channel 0: time average of |value − start| over the rows; the start */
} runResult;

typedef struct runSpec {
    const char *model; /* name in models/, without .yaml */
    const char *text;  /* or the model itself */
    const char *coordinates, *constraints, *integrator;
    double step, end, interval; /* interval of rows, 0: by `every` */
    const char *set[4];         /* "name=value" */
    const char *channel[64];
    int locate;   /* 1: events are located */
    int free;     /* 1: the method is looked at where it is wrong, and must not be stopped */
    int every;    /* rows for the monitors: 0 only first and last */
    double *rows; /* all rows go here, up to maxrow of them */
    int maxrow;
} runSpec;

typedef struct runMean {
    vgChannels *channels;
    double first, sum;
    long n;
    double *rows;
    int maxrow, nchannel;
} runMean;

static inline vgStatus run_row(void *user, const vgState *state, vgWork *work)
{
    runMean *mean = user;
    double row[64];
    vg_channels_eval(mean->channels, work, state, row);
    if (mean->n < mean->maxrow)
        memcpy(mean->rows + mean->n * mean->nchannel, row, (size_t)mean->nchannel * sizeof *row);
    if (mean->n++ == 0) mean->first = row[0];
    mean->sum += row[0] > mean->first ? row[0] - mean->first : mean->first - row[0];
    return VG_OK;
}

static inline void run_step(void *user, const vgState *state, vgWork *work)
{
    vg_channels_step(((runMean *)user)->channels, work, state);
}

static inline void run_words(vgDiag *diag, runResult *out)
{
    snprintf(out->error, sizeof out->error, "%s", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
}

static inline int run_params(const runSpec *spec, vgParamSet *set, char names[4][64])
{
    int n = 0;
    for (; n < 4 && spec->set[n]; n++) {
        size_t k = strcspn(spec->set[n], "=");
        memcpy(names[n], spec->set[n], k);
        names[n][k] = 0;
        set[n] = (vgParamSet){.name = names[n], .value = atof(spec->set[n] + k + 1)};
    }
    return n;
}

static inline runResult run_model(const runSpec *spec)
{
    runResult out = {0};
    char path[512], names[4][64];
    vgParamSet set[4] = {0};
    int nset = run_params(spec, set, names), nchannel = 0;
    vgDiag *diag = vg_diag_new();
    vgSimulation sim = {0};
    vgChannels *channels = NULL;
    snprintf(path, sizeof path, "%s/models/%s.yaml", VERGE_SOURCE_DIR, spec->model);
    vgModel *model = spec->text ? vg_model_parse(spec->text, strlen(spec->text), "text", set, nset, diag)
                                : vg_model_load(path, set, nset, diag);
    out.status = model ? VG_OK : VG_BAD_INPUT;
    vgDials dials = {spec->coordinates, spec->constraints, spec->integrator};
    if (model) out.status = vg_simulation_open(model, &dials, diag, &sim);
    while (nchannel < 64 && spec->channel[nchannel]) nchannel++;
    if (out.status == VG_OK) out.status = vg_channels_new(sim.sys, spec->channel, nchannel, diag, &channels);
    if (out.status == VG_OK) {
        out.nredundant = sim.assembly.nredundant;
        out.freedom = sim.assembly.freedom;
        vgTransientOptions o = {.step = spec->step,
                                .end = spec->end,
                                .every = spec->every ? spec->every : 1 << 30,
                                .interval = spec->interval,
                                .locate = spec->locate,
                                .monitor = !spec->free};
        vg_work_bind(sim.it->work, sim.state);
        vg_channels_watch(channels, sim.it->work);
        vg_channels_eval(channels, sim.it->work, sim.state, out.value); /* from here on turns are counted */
        runMean mean = {
            .channels = channels, .rows = spec->rows, .maxrow = spec->maxrow, .nchannel = nchannel};
        vgSink sink = {.user = &mean, .row = nchannel ? run_row : NULL};
        if (nchannel && vg_channels_wants_steps(channels)) sink.step = run_step, sink.parts = 1;
        out.status = vg_transient_run(sim.it, sim.state, &o, &sink, &out.end);
        if (mean.n) out.mean = mean.sum / (double)mean.n;
        out.first = mean.first;
        vg_channels_eval(channels, sim.it->work, sim.state, out.value);
        snprintf(out.error, sizeof out.error, "%s", out.end.failure.text);
    } else {
        run_words(diag, &out);
    }
    if (out.status != VG_OK && out.error[0] == 0) run_words(diag, &out);
    vg_channels_free(channels);
    if (sim.sys) vg_simulation_close(&sim);
    if (model) vg_model_free(model);
    vg_diag_free(diag);
    return out;
}

#endif

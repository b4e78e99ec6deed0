/* C API: a whole run in memory (include/verge/run.h). */
#include "verge/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/transient.h"
#include "base/os.h"
#include "io/record.h"
#include "io/report.h"
#include "io/api/sim.h"

enum { MAX_WORDS = 1200 };

typedef struct Run {
    vgRun seen; /* first */
    const vgModel *model;
    vgSimulation sim;
    vgChannels *channels;
    vgRunReport report;
    vgTransientResult outcome;
    const vgRunHow *how; /* while it runs */
    double end;
    int npose;                    /* bodies of the view */
    long room;                    /* samples there is room for */
    double *time, *value, *poses; /* [room], [room × nchannel], [room × 7 npose] */
    const char *warning[VG_REPORT_WARNINGS];
    char error[MAX_WORDS];
    char *integrator;
    vgJson json;
} Run;

static double seconds(void)
{
    return 1e-9 * (double)vg_os_clock();
}

void vg_run_free(vgRun *run)
{
    if (!run) return;
    Run *r = (Run *)run;
    vg_channels_free(r->channels);
    vg_simulation_close(&r->sim);
    vg_json_free(&r->json);
    free(r->time);
    free(r->value);
    free(r->poses);
    free(r->integrator);
    free(r);
}

/* ---- samples ---- */

static int more(double **array, long room, int width)
{
    double *grown = realloc(*array, ((size_t)room * (size_t)width + 1) * sizeof *grown);
    if (grown) *array = grown;
    return grown != NULL;
}

static vgStatus take_row(void *user, const vgState *state, vgWork *work)
{
    enum { FIRST_ROOM = 256 };
    Run *r = user;
    const int n = r->seen.nchannel;
    if (r->seen.nrow == r->room) {
        const long room = r->room ? 2 * r->room : FIRST_ROOM;
        if (!more(&r->time, room, 1) || !more(&r->value, room, n) || !more(&r->poses, room, 7 * r->npose))
            return VG_NO_MEMORY;
        r->room = room;
    }
    const long at = r->seen.nrow++;
    r->time[at] = state->t;
    vg_channels_eval(r->channels, work, state, r->value + at * n);
    vg_poses_eval(vg_channels_probe(r->channels), r->poses + at * 7 * r->npose);
    return VG_OK;
}

static void take_step(void *user, const vgState *state, vgWork *work)
{
    vg_channels_step(((Run *)user)->channels, work, state);
}

static int cancelled(void *user)
{
    const Run *r = user;
    return r->how->progress && r->how->progress(r->how->user, r->sim.state->t, r->end, r->sim.state->step);
}

/* ---- from the model to the run ---- */

static vgStatus wrong(vgDiag *diag, const char *what)
{
    vg_diag_error(diag, VG_NOWHERE, "%s", what);
    return VG_BAD_INPUT;
}

static double or_else(double given, double model)
{
    return given > 0 ? given : model;
}

static vgStatus times(Run *r, const vgRunHow *how, vgDiag *diag, vgTransientOptions *out)
{
    const vgRunOptions *model = &r->model->run;
    const double given[] = {how->step, how->end, how->interval};
    for (int i = 0; i < 3; i++)
        if (!isfinite(given[i]) || given[i] < 0) return wrong(diag, "step, end and interval must be above 0");
    if (how->every < 0) return wrong(diag, "every: it must be above 0");
    if (how->nchannel < 0) return wrong(diag, "nchannel: it must not be negative");
    if (how->every > 0 && how->interval > 0) return wrong(diag, "give every or interval, not both");
    *out =
        (vgTransientOptions){.step = or_else(how->step, model->step),
                             .end = or_else(how->end, model->end),
                             .interval = how->every > 0 ? 0 : or_else(how->interval, model->output_interval),
                             .every = how->every > 0 ? how->every : model->output_every,
                             .locate = how->events ? 1 : model->locate_events,
                             .monitor = 1};
    if (!(out->end > 0)) return wrong(diag, "no end time: give one, or run: {end: T} in the model");
    if (!(out->step > 0) && !r->sim.it->adaptive)
        return wrong(diag, "no step: give one, or run: {step: H} in the model (or an adaptive integrator)");
    const char *why = vg_transient_wrong_times(r->sim.it, 0, out);
    return why ? wrong(diag, why) : VG_OK;
}

static vgStatus record(Run *r, const vgRunHow *how, vgDiag *diag)
{
    vgStatus status;
    const vgRecordMore none = {0};
    if (how->nchannel > 0)
        status = vg_channels_new(r->sim.sys, how->channels, how->nchannel, diag, &r->channels);
    else
        status = vg_record_channels(r->sim.sys, r->model, &none, diag, &r->channels);
    if (status != VG_OK) return status;
    vg_channels_watch(r->channels, r->sim.it->work);
    r->seen.nchannel = vg_channels_count(r->channels);
    r->seen.name = vg_channels_names(r->channels);
    r->seen.unit = vg_channels_units(r->channels);
    r->npose = vg_poses_count(r->model);
    return VG_OK;
}

/* Warnings of the set-up belong to the run, too. */
static void keep_warnings(Run *r, const vgDiag *diag, int from)
{
    vgRunReport *report = &r->report;
    for (int i = from; i < vg_diag_count(diag) && report->nsetup < VG_REPORT_SETUP; i++)
        if (strstr(vg_diag_line(diag, i), "warning: "))
            snprintf(report->warning[report->nsetup++], sizeof report->warning[0], "%s",
                     vg_diag_line(diag, i));
}

static vgStatus prepare(Run *r, const vgRunHow *how, vgDiag *diag, vgTransientOptions *options)
{
    const vgDials dials = {how->coordinates, how->constraints, how->integrator};
    const int before = vg_diag_count(diag);
    vgStatus status = vg_simulation_open(r->model, &dials, diag, &r->sim);
    if (status == VG_OK) status = times(r, how, diag, options);
    if (status == VG_OK) status = record(r, how, diag);
    if (status != VG_OK) return status;
    keep_warnings(r, diag, before);
    const char *text = how->integrator && *how->integrator ? how->integrator : r->model->run.integrator;
    r->integrator = strdup(text && *text ? text : r->sim.it->row->name);
    if (!r->integrator) return VG_NO_MEMORY;
    vgRunReport *report = &r->report;
    report->path = r->model->path ? r->model->path : "";
    report->title = r->model->title ? r->model->title : "";
    report->error = r->error;
    report->coordinates = r->sim.sys->coordinates;
    report->constraints = r->sim.sys->constraints;
    report->integrator = r->integrator;
    report->channels = r->channels;
    vg_report_start(report, &r->sim);
    return VG_OK;
}

static vgStatus solve(Run *r, const vgTransientOptions *options)
{
    vgSink sink = {.user = r, .row = take_row, .cancelled = cancelled};
    if (vg_channels_wants_steps(r->channels)) sink.step = take_step, sink.parts = 1;
    r->end = options->end;
    vgStatus status = vg_transient_run(r->sim.it, r->sim.state, options, &sink, &r->outcome);
    vg_report_outcome(&r->report, &r->outcome, r->model);
    const char *why = status == VG_INTERRUPTED        ? "interrupted"
                      : *r->outcome.failure.text != 0 ? r->outcome.failure.text
                                                      : vg_status_text(status);
    if (status != VG_OK) snprintf(r->error, sizeof r->error, "%s", why);
    return status;
}

static void fill(Run *r)
{
    vgRunReport *report = &r->report;
    report->rows = r->seen.nrow;
    report->final = r->seen.nrow ? r->value + (r->seen.nrow - 1) * r->seen.nchannel : NULL;
    vg_report_json(report, &r->json);
    for (int i = 0; i < report->nwarning; i++) r->warning[i] = report->warning[i];
    r->seen.status = report->status;
    r->seen.error = r->error;
    r->seen.t = report->t;
    r->seen.time = r->time;
    r->seen.value = r->value;
    r->seen.nwarning = report->nwarning;
    r->seen.warning = r->warning;
    r->seen.json = vg_json_at(&r->json);
}

vgStatus vg_run(const vgModel *model, const vgRunHow *how, vgDiag *diag, vgRun **out)
{
    static const vgRunHow none;
    if (out) *out = NULL;
    if (!model || !out) return wrong(diag, "a model and a place for the run are wanted");
    if (!how) how = &none;
    if (how->nchannel > 0 && !how->channels) return wrong(diag, "the list of channels is NULL");
    for (int i = 0; i < how->nchannel; i++)
        if (!how->channels[i]) return wrong(diag, "a channel's name is NULL");
    Run *r = calloc(1, sizeof *r);
    if (!r) return VG_NO_MEMORY;
    r->model = model;
    r->how = how;
    vgTransientOptions options;
    const double started = seconds();
    void *callers = vg_os_points_begin();
    vgStatus status = prepare(r, how, diag, &options);
    if (status == VG_OK) {
        r->report.setup_seconds = seconds() - started;
        status = solve(r, &options);
        fill(r);
        r->how = NULL;
        *out = &r->seen;
    } else {
        vg_run_free(&r->seen);
    }
    vg_os_points_end(callers);
    return status;
}

/* ---- files ---- */

vgStatus vg_run_save(const vgRun *run, const char *path, vgDiag *diag)
{
    if (!run || !path) return wrong(diag, "a run and a file name are wanted");
    const Run *r = (const Run *)run;
    vgResults *results = NULL;
    vgStatus status = vg_results_check(path, diag);
    if (status == VG_OK) status = vg_report_results(&r->report, r->model, path, diag, &results);
    if (status != VG_OK) return status;
    for (long i = 0; i < run->nrow && status == VG_OK; i++)
        status = vg_results_row(results, run->time[i], run->value + i * run->nchannel,
                                r->poses + i * 7 * r->npose);
    vgStatus closed = vg_results_close(results, run->status == VG_OK ? "ok" : "failed", run->json, diag);
    return status == VG_OK ? closed : status;
}

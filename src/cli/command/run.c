/* verge run: a model through time, rows into a results file. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "analysis/run/simulation.h"
#include "cli/page/job.h"
#include "cli/page/page.h"
#include "cli/progress.h"
#include "io/record.h"
#include "io/report.h"
#include "io/checkpoint.h"
#include "io/results.h"

typedef struct runJob {
    const vgArgs *args;
    vgCliJob job;
    vgSimulation sim;
    vgTransientOptions how;
    vgChannels *channels;
    double *values, *poses;
    double row_t; /* of the last row, whose values these are */
    vgResults *results;
    vgProgress progress;
    vgTransientResult outcome;
    vgRunReport report;
    vgCliPage page;
    char error[1200];
    int verify;
    double budget; /* of the certificate; 0: the default */
    vgCertificate certificate;
} runJob;

/* ---- what is recorded ---- */

static int make_channels(runJob *run)
{
    const vgModel *m = run->job.model;
    const char *print = vg_cli_value(run->args, "print");
    int nprint = 0;
    char **wanted = vg_cli_split(print ? print : "", &nprint);
    const char *beams[VG_RECORD_BEAMS];
    vgRecordMore more = {.asked = (const char *const *)wanted, .name = beams, .nasked = nprint};
    if (vg_cli_given(run->args, "view")) more.n = vg_record_beams(m, beams);
    vgStatus status =
        wanted ? vg_record_channels(run->sim.sys, m, &more, run->job.diag, &run->channels) : VG_NO_MEMORY;
    free(wanted);
    if (status == VG_OK) {
        vg_channels_watch(run->channels, run->sim.it->work);
        run->values = calloc((size_t)vg_channels_count(run->channels) + 1, sizeof *run->values);
        run->poses = calloc(7 * (size_t)vg_poses_count(m) + 1, sizeof *run->poses);
        if (run->values && run->poses) return VG_EXIT_OK;
    }
    return vg_cli_job_error(&run->job, status == VG_OK ? VG_NO_MEMORY : status);
}

/* ---- the dials ---- */

static int wrong_time(runJob *run, const char *what)
{
    vg_diag_error(run->job.diag, run->job.model->run.loc, "%s", what);
    return vg_cli_job_error(&run->job, VG_BAD_INPUT);
}

static int read_times(runJob *run)
{
    const vgRunOptions *model = &run->job.model->run;
    vgTransientOptions *how = &run->how;
    *how = (vgTransientOptions){.step = model->step,
                                .end = model->end,
                                .interval = model->output_interval,
                                .every = model->output_every,
                                .locate = vg_cli_given(run->args, "events") ? 1 : model->locate_events,
                                .monitor = 1};
    long every = 0;
    int step = vg_cli_number(run->args, "step", 0, &how->step),
        end = vg_cli_number(run->args, "end", 0, &how->end);
    int interval = vg_cli_number(run->args, "interval", 0, &how->interval);
    int count = vg_cli_count(run->args, "every", 1, &every);
    if (step < 0 || end < 0 || interval < 0 || count < 0) return VG_EXIT_INPUT;
    if (step > 0 || end > 0 || interval > 0)
        run->job.model->run.loc = VG_NOWHERE; /* not the file's mistake */
    if (count > 0 && interval > 0) return vg_cli_wrong("give --every or --interval, not both");
    if (count > 0) how->every = (int)every, how->interval = 0;
    if (end > 0 && !(how->end > 0)) return vg_cli_wrong("--end: it must be above 0");
    if (step > 0 && !(how->step > 0)) return vg_cli_wrong("--step: it must be above 0");
    if (!(how->end > 0)) return wrong_time(run, "no end time: give run: {end: T} in the model or --end T");
    if (!(how->step > 0) && !run->sim.it->adaptive) {
        return wrong_time(
            run, "no step: give run: {step: H} in the model or --step H (or an adaptive integrator)");
    }
    const char *wrong = vg_transient_wrong_times(run->sim.it, 0, how);
    return wrong ? wrong_time(run, wrong) : VG_EXIT_OK;
}

/* --resume: from the state that another run of the model left. */
static int resume(runJob *run)
{
    const char *path = vg_cli_value(run->args, "resume");
    char why[VG_CHECKPOINT_WHY];
    if (!path) return VG_EXIT_OK;
    vgStatus status = vg_checkpoint_load(&run->sim, path, why);
    if (status != VG_OK) {
        vg_diag_error(run->job.diag, VG_NOWHERE, "'%s': %s", path, why);
        return vg_cli_job_error(&run->job, status == VG_NO_MEMORY ? status : VG_BAD_INPUT);
    }
    run->how.resume = 1;
    if (run->sim.state->t < run->how.end) return VG_EXIT_OK;
    vg_diag_error(run->job.diag, VG_NOWHERE, "'%s' is a state at t = %.9g s already; give a later --end",
                  path, run->sim.state->t);
    return vg_cli_job_error(&run->job, VG_BAD_INPUT);
}

/* --save-state: where the run ended, also when it was stopped. */
static int save_state(runJob *run)
{
    const char *path = vg_cli_value(run->args, "save-state");
    if (!path || !run->report.final) return VG_EXIT_OK;
    vgStatus status = vg_checkpoint_save(&run->sim, path);
    if (status == VG_OK) return VG_EXIT_OK;
    run->report.status = status;
    snprintf(run->error, sizeof run->error, "'%s' could not be written: %s", path, vg_file_why(errno));
    return VG_EXIT_FAILED;
}

static int open_results(runJob *run, const char *path)
{
    vgStatus status = vg_report_results(&run->report, run->job.model, path, run->job.diag, &run->results);
    return status == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&run->job, status);
}

/* ---- the sink ---- */

/* A motion that is finite may have energies that no double can hold. */
static vgStatus check_values(runJob *run, double t)
{
    for (int i = 0; i < vg_channels_count(run->channels); i++) {
        if (isfinite(run->values[i])) continue;
        snprintf(run->error, sizeof run->error,
                 "channel '%s' is not a finite number at t = %.9g s: masses, lengths or rates are too large "
                 "or too small for it",
                 vg_channels_name(run->channels, i), t);
        return VG_NOT_FINITE;
    }
    return VG_OK;
}

static vgStatus take_row(void *user, const vgState *state, vgWork *work)
{
    runJob *run = user;
    vg_channels_eval(run->channels, work, state, run->values);
    run->row_t = state->t;
    vgStatus finite = check_values(run, state->t);
    if (finite != VG_OK) return finite;
    vgProbe *probe = vg_channels_probe(run->channels);
    run->report.rows++;
    if (!run->results) return VG_OK;
    vg_poses_eval(probe, run->poses);
    return vg_results_row(run->results, state->t, run->values, run->poses);
}

static void take_step(void *user, const vgState *state, vgWork *work)
{
    runJob *run = user;
    vg_channels_step(run->channels, work, state);
}

static void show(void *user, double t, double t0, double t_end, const vgStats *stats)
{
    runJob *run = user;
    vg_progress_show(&run->progress, t, t0, t_end, stats->steps);
}

static int cancelled(void *user)
{
    (void)user;
    return vg_cli_stop_asked();
}

/* ---- from the model to the report ---- */

/* Warnings of the set-up are told at once, and told again to who reads the report. */
static void keep_warnings(runJob *run)
{
    vgDiag *diag = run->job.diag;
    for (int i = 0; i < vg_diag_count(diag) && run->report.nsetup < VG_REPORT_SETUP; i++)
        if (strstr(vg_diag_line(diag, i), "warning: "))
            snprintf(run->report.warning[run->report.nsetup++], sizeof run->report.warning[0], "%s",
                     vg_diag_line(diag, i));
    vg_cli_say(diag);
    vg_diag_clear(diag);
}

/* Whether to, and how much work may go into it. */
static int read_verify(runJob *run)
{
    int given = vg_cli_number(run->args, "verify-budget", 0, &run->budget);
    if (given < 0) return VG_EXIT_INPUT;
    if (given > 0 && !(run->budget > 0)) return vg_cli_wrong("--verify-budget: it must be above 0");
    run->verify = vg_cli_given(run->args, "verify") || given > 0 || run->job.model->run.verify;
    if (run->verify && vg_cli_given(run->args, "resume"))
        return vg_cli_wrong("--verify needs a run from the start, not one that is resumed");
    return VG_EXIT_OK;
}

static int prepare(runJob *run, double started)
{
    const vgArgs *args = run->args;
    const char *output = vg_cli_value(args, "output");
    int code = vg_cli_load(args, vg_cli_word(args, 0), &run->job);
    if (code != VG_EXIT_OK) return code;
    vgDiag *diag = run->job.diag;
    if (output && vg_results_check(output, diag) != VG_OK) return vg_cli_job_error(&run->job, VG_BAD_INPUT);
    vgDials dials = {.constraints =
                         vg_cli_value(args, "constraints")}; /* named, so refused if it does not fit */
    vgStatus status = vg_simulation_open(run->job.model, &dials, diag, &run->sim);
    if (status != VG_OK) return vg_cli_job_error(&run->job, status);
    vg_report_start(&run->report, &run->sim);
    code = read_times(run);
    if (code == VG_EXIT_OK) code = resume(run);
    if (code == VG_EXIT_OK) code = read_verify(run);
    if (code == VG_EXIT_OK) code = make_channels(run);
    if (code != VG_EXIT_OK) return code;
    const char *text = run->job.model->run.integrator;
    run->report.coordinates = run->sim.sys->coordinates;
    run->report.constraints = run->sim.sys->constraints;
    run->report.integrator = text && *text ? text : run->sim.it->row->name;
    run->report.title = run->job.model->title ? run->job.model->title : "";
    run->report.channels = run->channels;
    code = vg_cli_page_plan(vg_cli_value(args, "view"), vg_cli_word(args, 0), output, &run->page);
    if (code == VG_EXIT_OK && (output || run->page.results))
        code = open_results(run, output ? output : run->page.results);
    if (code == VG_EXIT_OK) run->report.output = output;
    keep_warnings(run);
    run->report.setup_seconds = vg_cli_clock() - started;
    return code;
}

static int solve(runJob *run)
{
    vgRunReport *report = &run->report;
    vgSink sink = {.user = run, .row = take_row, .progress = show, .cancelled = cancelled};
    if (vg_channels_wants_steps(run->channels)) sink.step = take_step, sink.parts = 1;
    vg_cli_catch_signals();
    vg_progress_start(&run->progress, vg_cli_given(run->args, "quiet") > 0);
    vgStatus status = vg_transient_run(run->sim.it, run->sim.state, &run->how, &sink, &run->outcome);
    vg_progress_end(&run->progress);
    /* a row shows accelerations and reactions of the motion; so does the summary of a run that ended in one */
    if (run->report.rows == 0 || run->row_t != run->sim.state->t)
        vg_channels_eval(run->channels, run->sim.it->work, run->sim.state, run->values);
    report->final = run->values;
    if (status == VG_OK) status = run->outcome.status = check_values(run, run->sim.state->t);
    vg_report_outcome(report, &run->outcome, run->job.model);
    if (status == VG_NOT_FINITE && run->error[0]) return VG_EXIT_FAILED; /* said by check_values */
    if (status == VG_INTERRUPTED)
        snprintf(run->error, sizeof run->error, "interrupted");
    else if (run->outcome.failure.text[0])
        snprintf(run->error, sizeof run->error, "%s", run->outcome.failure.text);
    else
        snprintf(run->error, sizeof run->error, "%s", vg_status_text(status));
    return status == VG_OK ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static int close_results(runJob *run)
{
    vgJson json = {0};
    vg_report_json(&run->report, &json);
    vgStatus status = vg_results_close(run->results, run->report.status == VG_OK ? "ok" : "failed",
                                       vg_json_at(&json), run->job.diag);
    run->results = NULL;
    vg_json_free(&json);
    if (status == VG_OK) return VG_EXIT_OK;
    const vgDiag *diag = run->job.diag;
    const char *line = vg_diag_count(diag) ? vg_diag_line(diag, vg_diag_count(diag) - 1) : "";
    snprintf(run->error, sizeof run->error, "%s",
             strncmp(line, "error: ", 7) ? vg_status_text(status) : line + 7);
    run->report.status = status;
    return VG_EXIT_FAILED;
}

/* What the model and --print ask for, without what a page needs besides: a verdict does not hang on --view. */
static vgStatus asked_channels(runJob *run, vgChannels **channels)
{
    const char *print = vg_cli_value(run->args, "print");
    int n = 0;
    char **wanted = vg_cli_split(print ? print : "", &n);
    vgRecordMore more = {.asked = (const char *const *)wanted, .nasked = n};
    vgStatus st = wanted ? vg_record_channels(run->sim.sys, run->job.model, &more, run->job.diag, channels)
                         : VG_NO_MEMORY;
    free(wanted);
    return st;
}

/* --verify: how many digits hold. The run has ended well. */
static int verify(runJob *run)
{
    const vgTransientOptions *how = &run->how;
    vgVerifyOptions o = {.dials = {.constraints = vg_cli_value(run->args, "constraints")},
                         .step = how->step,
                         .end = how->end,
                         .interval = how->interval,
                         .every = how->every,
                         .locate = how->locate,
                         .budget = run->budget,
                         .cancelled = cancelled,
                         .user = run};
    vgDiag *diag = run->job.diag;
    vgChannels *asked = NULL;
    vgStatus st = asked_channels(run, &asked);
    if (st == VG_OK)
        st = vg_verify(run->job.model, vg_channels_names(asked), vg_channels_count(asked), &o, diag,
                       &run->certificate);
    vg_channels_free(asked);
    if (st != VG_OK) return vg_cli_job_error(&run->job, st);
    run->report.certificate = &run->certificate;
    return VG_EXIT_OK;
}

/* The page of what was computed, also when the run stopped early. */
static void make_page(runJob *run, int *code)
{
    int made = vg_cli_page_write(&run->page);
    if (made == VG_EXIT_OK)
        run->report.page = run->page.path;
    else if (*code == VG_EXIT_OK)
        *code = made, run->report.status = VG_IO, snprintf(run->error, sizeof run->error, "no page was made");
}

static void tell(runJob *run)
{
    vgRunReport *report = &run->report;
    vgJson json = {.indent = 2};
    vgText text = {0};
    if (vg_cli_given(run->args, "json")) {
        vg_report_json(report, &json);
        vg_cli_answer(&json);
    } else if (!vg_cli_given(run->args, "quiet")) {
        vg_report_table(report, &text);
        vg_cli_print(&text);
    }
    for (int i = report->nsetup; i < report->nwarning; i++)
        fprintf(stderr, "verge: warning: %s\n", report->warning[i]);
    if (report->status != VG_OK) vg_cli_wrong("%s", run->error);
    const vgCertificate *c = report->certificate;
    if (c && c->verdict == VG_NOT_TRUSTED) vg_cli_wrong("%s", c->line);
    vg_text_free(&text);
}

static int run_model(const vgArgs *args)
{
    double started = vg_cli_clock();
    runJob *run = calloc(1, sizeof *run);
    if (!run) return VG_EXIT_FAILED;
    run->args = args;
    run->report = (vgRunReport){.path = vg_cli_word(args, 0), .title = "", .error = run->error};
    int code = prepare(run, started);
    if (code == VG_EXIT_OK) {
        code = solve(run);
        if (code == VG_EXIT_OK && run->verify) code = verify(run);
        int saved = save_state(run);
        if (code == VG_EXIT_OK) code = saved;
        if (run->results) {
            int closed = close_results(run);
            if (code == VG_EXIT_OK) code = closed;
            if (run->page.path && closed == VG_EXIT_OK) make_page(run, &code);
        }
        tell(run);
        if (code == VG_EXIT_OK && run->verify && run->certificate.verdict == VG_NOT_TRUSTED)
            code = VG_EXIT_FAILED;
    }
    vg_certificate_free(&run->certificate);
    vg_channels_free(run->channels);
    free(run->values);
    free(run->poses);
    vg_simulation_close(&run->sim);
    vg_cli_unload(&run->job);
    vg_cli_page_close(&run->page);
    free(run);
    return code;
}

static const vgOption options[] = {
    {"coordinates", 0, "C", "first dial (verge list coordinates)"},
    {"constraints", 0, "K", "second dial (verge list constraints)"},
    {"integrator", 0, "NAME[:key=value,…]", "third dial (verge list integrators)"},
    {"plain", 0, NULL, "general code alone, no fast paths: slower, for comparison (verge list fast-paths)"},
    {"step", 0, "H", "step size, s"},
    {"end", 0, "T", "end time, s"},
    {"set", 0, "P=VALUE …", "parameter of the model; VALUE may be an expression; may be given several times"},
    {"output", 'o', "FILE.h5|.csv", "results file"},
    {"view", 0, "[PAGE.html]", "write a page that shows the motion (default: beside the results)"},
    {"print", 0, "CHANNEL,…", "further channels to record and to show at the end"},
    {"events", 0, NULL,
     "locate contacts and the corners of roads, laws and tables that depend on the motion"},
    {"every", 0, "N", "a row every N steps"},
    {"interval", 0, "DT", "a row every DT seconds of the model's time"},
    {"save-state", 0, "FILE", "write the state at the end, from which another run can go on"},
    {"resume", 0, "FILE",
     "continue from such a state of the same model and dials; fixed steps: to the same bits"},
    {"verify", 0, NULL, "report how many digits hold; exit code 1 when not to be trusted (docs/trust.md)"},
    {"verify-budget", 0, "N", "work for --verify, in multiples of the run's own (default 40)"},
    {"json", 0, NULL, "one JSON object on stdout instead of the summary"},
    {"quiet", 'q', NULL, "no progress, no summary"},
    {0},
};

const vgCommand vg_cmd_run = {
    .name = "run",
    .usage = "MODEL.yaml [options]",
    .doc = "run a model through time",
    .example = "  verge run models/pendulum.yaml --step 1e-3 --end 2 -o run.h5\n"
               "  verge run models/radial-engine.yaml --view engine.html\n"
               "  verge run models/squeezer.yaml --verify\n"
               "  verge run models/chain.yaml --set N=20 --integrator generalized-alpha:rho=0.8 --json\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = run_model,
};

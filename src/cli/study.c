#include "cli/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/methods.h"
#include "cli/progress.h"

static int stop(void *user)
{
    (void)user;
    return vg_cli_stop_asked();
}

static int read_numbers(vgStudy *s)
{
    const vgRunOptions *run = &s->job.model->run;
    long threads = 0;
    s->step = run->step;
    s->end = run->end;
    s->limit = 60;
    if (vg_cli_number(s->args, "end", 1e-12, &s->end) < 0 ||
        vg_cli_number(s->args, "limit", 1e-3, &s->limit) < 0 ||
        vg_cli_count(s->args, "threads", 1, &threads) < 0)
        return VG_EXIT_INPUT;
    s->threads = (int)threads;
    if (!(s->end > 0)) return vg_cli_wrong("no end time: give run: {end: T} in the model or --end T");
    return VG_EXIT_OK;
}

/* A name that no method has and an option that it does not take are the user's mistake, not a failed run. */
static int check_methods(vgStudy *s)
{
    int code = vg_cli_methods_check(s->method, s->nmethod);
    if (code != VG_EXIT_OK) return code;
    for (int i = 0; i < s->nmethod; i++) {
        if (strlen(s->method[i]) >= 110) return vg_cli_wrong("--integrators: '%s' is too long", s->method[i]);
        if (vg_integrator_check(s->method[i], s->job.diag) != VG_OK)
            return vg_cli_job_error(&s->job, VG_BAD_INPUT);
    }
    return VG_EXIT_OK;
}

int vg_study_open(vgStudy *s, const vgArgs *args)
{
    *s = (vgStudy){.args = args, .job.own_dials = 1};
    int code = vg_cli_load(args, vg_cli_word(args, 0), &s->job);
    if (code != VG_EXIT_OK) return code;
    code = read_numbers(s);
    if (code != VG_EXIT_OK) return code;
    const char *methods = vg_cli_value(args, "integrators"), *names = vg_cli_value(args, "channels");
    s->method = vg_cli_methods(methods ? methods : "all", &s->nmethod);
    if (!s->method) return VG_EXIT_FAILED;
    code = check_methods(s);
    if (code != VG_EXIT_OK) return code;
    int n = 0;
    char **given = vg_cli_split(names ? names : "", &n);
    if (!given) return VG_EXIT_FAILED;
    s->trials = (vgTrials){.model = s->job.model, .channel = s->channel, .cancelled = stop};
    vgStatus st = vg_trial_channels(s->job.model, (const char *const *)given, n, s->job.diag, &s->block,
                                    s->channel, &s->trials.nchannel);
    free(given);
    if (st != VG_OK) return vg_cli_job_error(&s->job, st);
    vg_cli_catch_signals();
    return VG_EXIT_OK;
}

static int check(const vgStudy *s, const vgTrial *trial, int n)
{
    int code = VG_EXIT_OK;
    vgTrial *first = calloc(2, sizeof *first), *t = first + 1;
    if (!first) return VG_EXIT_FAILED;
    for (int i = 0; i < n; i++) {
        *t = trial[i];
        vg_trial_check(&s->trials, t);
        if (i == 0) *first = *t;
        if (t->status == VG_BAD_INPUT) continue;
        first->status = VG_OK; /* what else there is comes out when it runs */
        break;
    }
    if (n && first->status != VG_OK) code = vg_cli_wrong("%s", first->why);
    free(first);
    return code;
}

/* A reference method chosen by the user: with a tight tolerance if it has error control and none is given, with
 * fine steps otherwise. SUNDIALS' methods restart at each step, so theirs are long. */
static void named_reference(vgStudy *s, const char *text, double step, double own, vgTrial *t)
{
    char name[VG_TRIAL_NAME];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    const vgIntegratorRow *row = vg_integrator_find(name);
    int outside = row && (row->flags & VG_INT_OWN_STEPS), given = strstr(text, "rtol=") != NULL;
    int adaptive = given || (row && (row->flags & VG_INT_ADAPTIVE) && !strstr(text, "adaptive="));
    const char *tight = given || !(outside || adaptive) ? ""
                        : outside                       ? "rtol=1e-11,atol=1e-13"
                                                        : "rtol=1e-12,atol=1e-13";
    snprintf(t->integrator, sizeof t->integrator, "%.110s%s%s", text,
             !*tight             ? ""
             : strchr(text, ':') ? ","
                                 : ":",
             tight);
    t->end = s->end;
    t->step = own > 0 ? own : outside ? s->end / 20 : adaptive ? 0 : step / 16;
    vg_trials_run(&s->trials, t, 1, 1);
}

static int run_reference(vgStudy *s)
{
    const char *name = vg_cli_value(s->args, "reference");
    if (name && (!strcmp(name, "none") || !strcmp(name, "self"))) return VG_EXIT_OK;
    s->reference = calloc(1, sizeof *s->reference);
    if (!s->reference) return VG_EXIT_FAILED;
    double step = s->step > 0 ? s->step : s->end / 1000, own = 0;
    if (vg_cli_number(s->args, "reference-step", 1e-15, &own) < 0) return VG_EXIT_INPUT;
    if (name) {
        named_reference(s, name, step, own, s->reference);
    } else if (own > 0) {
        return vg_cli_wrong("--reference-step is the step of the method that --reference names");
    } else {
        s->reference->end = s->end;
        s->reference->limit = s->limit / 2;
        vg_trials_reference(&s->trials, step, 0, s->reference);
    }
    if (s->reference->status == VG_OK) return VG_EXIT_OK;
    vg_cli_wrong("the reference run (%s) failed: %s", s->reference->integrator, s->reference->why);
    return s->reference->status == VG_BAD_INPUT ? VG_EXIT_INPUT : VG_EXIT_FAILED;
}

int vg_study_run(vgStudy *s, vgTrial *trial, int n)
{
    int code = check(s, trial, n);
    if (code == VG_EXIT_OK) code = run_reference(s);
    if (code != VG_EXIT_OK || vg_trials_run(&s->trials, trial, n, s->threads) == VG_OK) return code;
    vg_cli_wrong("%s", vg_status_text(VG_NO_MEMORY));
    return VG_EXIT_FAILED;
}

void vg_study_status_json(int good, vgJson *json)
{
    vg_cli_status(json, good, "no run succeeded; their reasons stand below");
}

void vg_study_close(vgStudy *s)
{
    free(s->reference);
    free(s->method);
    free(s->block);
    vg_cli_unload(&s->job);
}

void vg_study_tell_reference(const vgStudy *s, vgText *t)
{
    const vgTrial *r = s->reference;
    if (!r) return;
    vg_text_add(t, "reference: %s, %s, %s, %ld steps, %.3g s; errors at t = %g s of", r->integrator,
                r->coordinates, r->constraints, r->run.stats.steps, r->run.solve_seconds, r->run.t);
    for (int i = 0; i < s->trials.nchannel && i < 6; i++) vg_text_add(t, " %s", s->channel[i]);
    vg_text_add(t, "%s\nrelative to the channels' largest values\n\n", s->trials.nchannel > 6 ? " …" : "");
}

double vg_study_iterations(const vgTrial *t)
{
    if (!t->row || !(t->row->flags & VG_INT_IMPLICIT) || t->run.stats.steps == 0) return NAN;
    if (t->row->flags & VG_INT_OWN_STEPS) return NAN; /* it counts its own */
    double stages = (double)t->run.stats.steps * t->row->stages;
    return (double)t->run.stats.newton_iterations / stages;
}

double vg_study_step_us(const vgTrial *t)
{
    return t->run.stats.steps ? 1e6 * t->run.solve_seconds / (double)t->run.stats.steps : NAN;
}

double vg_study_realtime(const vgTrial *t)
{
    return t->run.solve_seconds > 0 ? t->run.t / t->run.solve_seconds : NAN;
}

void vg_study_trial_json(const vgStudy *s, const vgTrial *t, vgJson *j)
{
    vg_json_text(j, "integrator", t->integrator);
    vg_json_text(j, "coordinates", t->coordinates);
    vg_json_text(j, "constraints", t->constraints);
    vg_json_number(j, "step", t->step);
    vg_json_text(j, "status", t->status == VG_OK ? "ok" : "failed");
    if (t->status != VG_OK) {
        vg_json_text(j, "reason", t->why);
        return;
    }
    if (s->reference || !isnan(t->worst)) {
        vg_json_number(j, "error", t->worst);
        vg_json_numbers(j, "errors", s->trials.nchannel, t->error);
    }
    vg_json_numbers(j, "values", s->trials.nchannel, t->value);
    vg_json_int(j, "steps", t->run.stats.steps);
    vg_json_int(j, "rejected", t->run.stats.rejected);
    vg_json_int(j, "iterations", t->run.stats.newton_iterations);
    vg_json_number(j, "iterations_per_stage", vg_study_iterations(t));
    vg_json_int(j, "jacobians", t->run.stats.jacobians);
    vg_json_int(j, "residuals", t->run.stats.residuals);
    vg_json_int(j, "accels", t->run.stats.accels);
    vg_json_number(j, "seconds", t->run.solve_seconds);
    vg_json_number(j, "step_us", vg_study_step_us(t));
    vg_json_number(j, "realtime", vg_study_realtime(t));
}

void vg_study_begin_json(const vgStudy *s, const vgTrial *trial, int n, vgJson *j)
{
    int good = 0;
    for (int i = 0; i < n; i++) good += trial[i].status == VG_OK;
    vg_json_open(j, NULL, '{');
    vg_study_status_json(good && !*vg_cli_complaint(), j);
    vg_json_open(j, "channels", '[');
    for (int c = 0; c < s->trials.nchannel; c++) vg_json_text(j, NULL, s->channel[c]);
    vg_json_close(j);
    if (!s->reference) return;
    vg_json_open(j, "reference", '{');
    vg_study_trial_json(s, s->reference, j);
    vg_json_close(j);
}

int vg_study_verdict(const vgTrial *trial, int n, int told)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        if (trial[i].status == VG_OK) return told;
        wrong += trial[i].status == VG_BAD_INPUT;
    }
    return n && wrong == n ? vg_cli_wrong("%s", trial[0].why) : VG_EXIT_FAILED;
}

int vg_study_csv(const vgStudy *s, vgText *t)
{
    const char *file = vg_cli_value(s->args, "csv");
    return !file || (vg_text_ok(t) && vg_cli_write(file, vg_text_at(t)));
}

const char *vg_study_short(double x, char buffer[24])
{
    if (isnan(x))
        snprintf(buffer, 24, "-");
    else
        snprintf(buffer, 24, fabs(x) >= 0.01 && fabs(x) < 1e4 ? "%.4g" : "%.2e", x);
    return buffer;
}

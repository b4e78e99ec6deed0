/* verge compare: one model, many methods, one table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/figure.h"
#include "cli/methods.h"
#include "cli/study.h"

enum { MAX_STEPS = 16 };

typedef struct compareJob {
    vgStudy study;
    double step[MAX_STEPS];
    int nstep, per_stage;
    vgTrial *trial;
    int n;
} compareJob;

static int stages_of(const char *text)
{
    char name[VG_TRIAL_NAME];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    const vgIntegratorRow *row = vg_integrator_find(name);
    return row && row->stages > 0 ? row->stages : 1;
}

/* Every method × coordinates × constraints × step. */
static int plan(compareJob *job, char **coordinates, int nc, char **constraints, int nk)
{
    const vgStudy *s = &job->study;
    size_t most = (size_t)s->nmethod * (size_t)(nc ? nc : 1) * (size_t)(nk ? nk : 1) * (size_t)job->nstep;
    job->trial = calloc(most, sizeof *job->trial);
    if (!job->trial) return VG_EXIT_FAILED;
    for (int m = 0; m < s->nmethod; m++)
        for (int c = 0; c < (nc ? nc : 1); c++)
            for (int k = 0; k < (nk ? nk : 1); k++)
                for (int h = 0; h < job->nstep; h++) {
                    vgTrial *t = &job->trial[job->n++];
                    snprintf(t->integrator, sizeof t->integrator, "%s", s->method[m]);
                    if (nc) snprintf(t->coordinates, sizeof t->coordinates, "%s", coordinates[c]);
                    if (nk) snprintf(t->constraints, sizeof t->constraints, "%s", constraints[k]);
                    t->step = job->step[h] * (job->per_stage ? stages_of(s->method[m]) : 1);
                    t->end = s->end;
                    t->limit = s->limit;
                    t->energies = 1;
                }
    return VG_EXIT_OK;
}

static int read_dials(compareJob *job, const vgArgs *args)
{
    vgStudy *s = &job->study;
    const char *steps = vg_cli_value(args, "step"), *c = vg_cli_value(args, "coordinates"),
               *k = vg_cli_value(args, "constraints");
    job->per_stage = vg_cli_given(args, "per-stage") > 0;
    if (steps) {
        job->nstep = vg_cli_numbers("step", steps, job->step, MAX_STEPS);
        if (job->nstep < 0) return VG_EXIT_INPUT;
    } else if (s->step > 0) {
        job->step[job->nstep++] = s->step;
    }
    if (job->nstep == 0) return vg_cli_wrong("no step: give run: {step: H} in the model or --step H");
    s->step = job->step[0];
    int nc = 0, nk = 0;
    char **coordinates = vg_cli_split(c ? c : "", &nc);
    char **constraints = vg_cli_methods(k ? k : "", &nk); /* their options have commas too */
    int code = coordinates && constraints ? plan(job, coordinates, nc, constraints, nk) : VG_EXIT_FAILED;
    free(coordinates);
    free(constraints);
    return code;
}

static void table(const compareJob *job, vgText *t)
{
    int wide[3] = {10, 11, 11}; /* integrator, coordinates, constraints */
    for (int i = 0; i < job->n; i++) {
        const vgTrial *x = &job->trial[i];
        const char *const text[] = {x->integrator, x->coordinates, x->constraints};
        for (int k = 0; k < 3; k++)
            if ((int)strlen(text[k]) > wide[k]) wide[k] = (int)strlen(text[k]);
    }
    vg_study_tell_reference(&job->study, t);
    /* a letter of two bytes takes one column: ten for nine */
    vg_text_add(t, "%-*s %-*s %-*s %9s %9s %10s %10s %10s %10s %10s %6s %8s %9s %9s\n", wide[0], "integrator",
                wide[1], "coordinates", wide[2], "constraints", "step", "error", "ε(T) J", "ΔE(T) J", "|Φ|",
                "|dΦ|", "|ddΦ|", "iter", "Jacob.", "µs/step", "realtime");
    for (int i = 0; i < job->n; i++) {
        const vgTrial *x = &job->trial[i];
        char b[10][24];
        vg_text_add(t, "%-*s %-*s %-*s %9.3g ", wide[0], x->integrator, wide[1], x->coordinates, wide[2],
                    x->constraints, x->step);
        if (x->status != VG_OK) {
            vg_text_add(t, "failed: %s\n", x->why);
            continue;
        }
        double iter = vg_study_iterations(x);
        vg_text_add(t, "%9s %9s %9s %9s %9s %9s ", vg_study_short(x->worst, b[0]),
                    vg_study_short(x->energy_mean, b[1]), vg_study_short(x->energy_end, b[2]),
                    vg_study_short(x->nl ? x->run.stats.max_phi : NAN, b[3]),
                    vg_study_short(x->nl ? x->run.stats.max_phi_dot : NAN, b[4]),
                    vg_study_short(x->nl ? x->run.stats.max_phi_ddot : NAN, b[5]));
        vg_text_add(t, "%6s %8ld %8s %9s\n", isnan(iter) ? "-" : vg_study_short(iter, b[6]),
                    x->run.stats.jacobians, vg_study_short(vg_study_step_us(x), b[7]),
                    vg_study_short(vg_study_realtime(x), b[8]));
    }
}

static void csv(const compareJob *job, vgText *t)
{
    const vgStudy *s = &job->study;
    vg_text_add(t, "integrator,coordinates,constraints,step,status,error,energy_mean,energy_end,energy_max,"
                   "phi,phi_dot,phi_ddot,steps,iterations_per_stage,jacobians,step_us,realtime");
    for (int c = 0; c < s->trials.nchannel; c++) vg_text_add(t, ",%s", s->channel[c]);
    vg_text_add(t, ",reason\n");
    for (int i = 0; i < job->n; i++) {
        const vgTrial *x = &job->trial[i];
        int ok = x->status == VG_OK;
        vg_text_add(t, "\"%s\",%s,\"%s\",%.10g,%s", x->integrator, x->coordinates, x->constraints, x->step,
                    ok ? "ok" : "failed");
        double v[] = {x->worst,
                      x->energy_mean,
                      x->energy_end,
                      x->energy_max,
                      x->run.stats.max_phi,
                      x->run.stats.max_phi_dot,
                      x->run.stats.max_phi_ddot,
                      (double)x->run.stats.steps,
                      vg_study_iterations(x),
                      (double)x->run.stats.jacobians,
                      vg_study_step_us(x),
                      vg_study_realtime(x)};
        for (size_t k = 0; k < sizeof v / sizeof v[0]; k++) {
            vg_text_add(t, ",");
            if (ok && !isnan(v[k])) vg_text_number(t, v[k]);
        }
        for (int c = 0; c < s->trials.nchannel; c++) {
            vg_text_add(t, ",");
            if (ok) vg_text_number(t, x->value[c]);
        }
        vg_text_add(t, ",\"%s\"\n", x->why);
    }
}

static void tell_json(const compareJob *job, vgJson *j)
{
    const vgStudy *s = &job->study;
    vg_study_begin_json(s, job->trial, job->n, j);
    vg_json_open(j, "runs", '[');
    for (int i = 0; i < job->n; i++) {
        const vgTrial *x = &job->trial[i];
        vg_json_open(j, NULL, '{');
        vg_study_trial_json(s, x, j);
        if (x->status == VG_OK) {
            vg_json_number(j, "energy_mean", x->energy_mean);
            vg_json_number(j, "energy_end", x->energy_end);
            vg_json_number(j, "energy_max", x->energy_max);
            vg_json_number(j, "phi", x->run.stats.max_phi);
            vg_json_number(j, "phi_dot", x->run.stats.max_phi_dot);
            vg_json_number(j, "phi_ddot", x->run.stats.max_phi_ddot);
        }
        vg_json_close(j);
    }
    vg_json_close(j);
    vg_json_close(j);
}

/* What a series of the picture is: runs that differ in the step alone. */
static int same_method(const vgTrial *a, const vgTrial *b)
{
    return !strcmp(a->integrator, b->integrator) && !strcmp(a->coordinates, b->coordinates) &&
           !strcmp(a->constraints, b->constraints);
}

/* Error and energy error over processor time, a curve through the steps of each method. */
static int picture(const compareJob *job, const char *file)
{
    const vgStudy *s = &job->study;
    size_t n = (size_t)job->n;
    double *at = calloc(3 * n + 1, sizeof *at);
    vgSeries *series = calloc(2 * n + 1, sizeof *series);
    char(*label)[VG_TRIAL_NAME + 110] = calloc(n + 1, sizeof *label);
    int curves = 0, ok = at && series && label;
    for (int i = 0; ok && i < job->n; curves++) {
        const vgTrial *first = &job->trial[i];
        int from = i;
        for (; i < job->n && same_method(first, &job->trial[i]); i++) {
            const vgTrial *x = &job->trial[i];
            at[i] = x->status == VG_OK ? x->run.solve_seconds : NAN;
            at[n + (size_t)i] = x->status == VG_OK ? x->worst : NAN;
            at[2 * n + (size_t)i] = x->status == VG_OK ? x->energy_max : NAN;
        }
        snprintf(label[curves], sizeof label[0], "%s (%s, %s)", first->integrator, first->coordinates,
                 first->constraints);
        for (int k = 0; k < 2; k++)
            series[(size_t)k * n + (size_t)curves] =
                (vgSeries){label[curves], i - from, at + from, at + (size_t)(k + 1) * n + from, 1};
    }
    vgPlot plots[2];
    static const char *const what[] = {"relative error at the end", "largest energy error [J]"};
    for (int k = 0; k < 2; k++)
        plots[k] = (vgPlot){.x_label = "processor time [s]",
                            .y_label = what[k],
                            .log_x = 1,
                            .log_y = 1,
                            .marks = 1,
                            .nseries = curves,
                            .series = ok ? series + (size_t)k * n : NULL};
    int skip = s->reference == NULL; /* no errors without a reference */
    vgFigure figure = {.title = s->job.model->title,
                       .columns = 2 - skip,
                       .one_legend = 1,
                       .nplot = 2 - skip,
                       .plot = plots + skip};
    ok = ok && vg_cli_figure(&figure, file);
    free(at);
    free(series);
    free(label);
    return ok;
}

static int tell(const compareJob *job)
{
    const char *file = vg_cli_value(job->study.args, "output");
    vgText t = {0}, numbers = {0};
    csv(job, &numbers);
    int ok = vg_study_csv(&job->study, &numbers) && (!file || picture(job, file));
    if (vg_cli_given(job->study.args, "json")) {
        vgJson j = {.indent = 2};
        tell_json(job, &j);
        vg_cli_answer(&j);
    } else {
        table(job, &t);
        vg_cli_print(&t);
    }
    vg_text_free(&t);
    vg_text_free(&numbers);
    return ok ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static int compare(const vgArgs *args)
{
    compareJob job = {0};
    int code = vg_cli_figure_check(vg_cli_value(args, "output"));
    const char *reference = vg_cli_value(args, "reference");
    if (code == VG_EXIT_OK && reference && !strcmp(reference, "self"))
        code = vg_cli_wrong("--reference self is for verge converge; give a method, or none");
    if (code == VG_EXIT_OK) code = vg_study_open(&job.study, args);
    if (code == VG_EXIT_OK) code = read_dials(&job, args);
    if (code == VG_EXIT_OK) code = vg_study_run(&job.study, job.trial, job.n);
    if (code == VG_EXIT_OK) {
        for (int i = 0; i < job.n && job.study.reference; i++)
            vg_trial_judge(&job.study.trials, job.study.reference, &job.trial[i]);
        code = vg_study_verdict(job.trial, job.n, tell(&job));
    }
    free(job.trial);
    vg_study_close(&job.study);
    return code;
}

static const vgOption options[] = {
    VG_STUDY_OPTIONS,
    {"step", 0, "H,…", "step sizes, s (default: the model's)"},
    {"output", 'o', VG_FIGURE_FILE, "picture: errors over processor time, a curve for each method"},
    {"per-stage", 0, NULL, "--step is Δt/n: a method of n stages takes steps n times as long"},
    {"coordinates", 0, "C,…", "first dial, several to compare"},
    {"constraints", 0, "K,…", "second dial, several to compare (default: one that the method takes)"},
    {0},
};

const vgCommand vg_cmd_compare = {
    .name = "compare",
    .usage = "MODEL.yaml [options]",
    .doc = "run a model with many methods: errors, energy, drift, work, in one table",
    .example = "  verge compare models/squeezer.yaml --integrators generalized-alpha,bathe:rho=0.6,esdirk436 "
               "--step 1e-5\n"
               "  verge compare models/pendulum.yaml --integrators generalized-alpha,rk4 --step "
               "0.02,0.01,0.005 -o work.svg\n"
               "  verge compare models/heavy-top.yaml --integrators generalized-alpha --coordinates "
               "lie,se3,euler-parameters\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = compare,
};

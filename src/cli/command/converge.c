/* verge converge: steps halved against a reference; errors, measured orders, work. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/converge.h"
#include "cli/page/figure.h"
#include "cli/methods.h"
#include "cli/study.h"

typedef struct convergeJob {
    vgStudy study;
    vgConverge plan;
    vgLadder *ladder;
    vgTrial *trial;
    int n;
} convergeJob;

static double floor_of(const convergeJob *job)
{
    return job->study.reference ? 1e-11 : 1e-12;
}

static int make_plan(convergeJob *job, const vgArgs *args)
{
    vgStudy *s = &job->study;
    long halvings = 5;
    double rtol = 1e-4;
    if (vg_cli_number(args, "step", 1e-15, &s->step) < 0 ||
        vg_cli_count(args, "halvings", 1, &halvings) < 0 || vg_cli_number(args, "rtol", 1e-13, &rtol) < 0)
        return VG_EXIT_INPUT;
    if (halvings > 16) return vg_cli_wrong("--halvings: at most 16");
    if (!(s->step > 0)) return vg_cli_wrong("no step: give run: {step: H} in the model or --step H");
    const char *reference = vg_cli_value(args, "reference");
    job->plan = (vgConverge){.step = s->step,
                             .end = s->end,
                             .rtol = rtol,
                             .rungs = (int)halvings + 1,
                             .own_reference = reference && !strcmp(reference, "self"),
                             .limit = s->limit,
                             .coordinates = vg_cli_value(args, "coordinates"),
                             .constraints = vg_cli_value(args, "constraints")};
    if (reference && !strcmp(reference, "none")) return vg_cli_wrong("converge needs a reference");
    s->step = ldexp(s->step, -(int)halvings); /* a reference of fixed step is finer than the finest */
    job->ladder = calloc((size_t)s->nmethod, sizeof *job->ladder);
    job->trial = calloc((size_t)s->nmethod * (size_t)(job->plan.rungs + 1), sizeof *job->trial);
    if (!job->ladder || !job->trial) return VG_EXIT_FAILED;
    job->n = vg_converge_plan(&job->plan, s->method, s->nmethod, job->ladder, job->trial);
    return VG_EXIT_OK;
}

static void judge(convergeJob *job)
{
    const vgStudy *s = &job->study;
    for (int m = 0; m < s->nmethod; m++) {
        const vgLadder *l = &job->ladder[m];
        const vgTrial *ref = l->own ? &job->trial[l->own] : s->reference;
        for (int k = 0; k < l->nrung && ref && ref->status == VG_OK; k++)
            vg_trial_judge(&s->trials, ref, &job->trial[l->first + k]);
    }
}

static void table(const convergeJob *job, vgText *t)
{
    const vgStudy *s = &job->study;
    vg_study_tell_reference(s, t);
    for (int m = 0; m < s->nmethod; m++) {
        const vgLadder *l = &job->ladder[m];
        const vgTrial *first = &job->trial[l->first];
        char b[8][24];
        if (!first->row) { /* it could not begin, whatever the step */
            vg_text_add(t, "%s  failed: %s\n\n", l->integrator, first->why);
            continue;
        }
        vg_text_add(t, "%s  (%s, %s)  order of the method %d, slope %s\n", l->integrator, first->coordinates,
                    first->constraints, first->order,
                    vg_study_short(vg_converge_slope(l, job->trial, -1, floor_of(job)), b[0]));
        vg_text_add(t, "  %10s %11s %7s %10s %10s %10s\n", l->adaptive ? "rtol" : "step", "error", "order",
                    "iter/stage", "steps", "seconds");
        for (int k = 0; k < l->nrung; k++) {
            const vgTrial *x = &job->trial[l->first + k];
            double knob = l->adaptive ? l->rtol * pow(10, -k) : x->step;
            if (x->status != VG_OK) {
                vg_text_add(t, "  %10.4g failed: %s\n", knob, x->why);
                continue;
            }
            vg_text_add(t, "  %10.4g %11.4e %7s %10s %10ld %10.3e\n", knob, x->worst,
                        vg_study_short(vg_converge_order(l, job->trial, k, -1), b[1]),
                        vg_study_short(vg_study_iterations(x), b[2]), x->run.stats.steps,
                        x->run.solve_seconds);
        }
        vg_text_add(t, "\n");
    }
}

static void csv(const convergeJob *job, vgText *t)
{
    const vgStudy *s = &job->study;
    vg_text_add(t, "integrator,constraints,step,status,error,order,iterations_per_stage,steps,seconds");
    for (int c = 0; c < s->trials.nchannel; c++) vg_text_add(t, ",%s", s->channel[c]);
    vg_text_add(t, "\n");
    for (int m = 0; m < s->nmethod; m++) {
        const vgLadder *l = &job->ladder[m];
        for (int k = 0; k < l->nrung; k++) {
            const vgTrial *x = &job->trial[l->first + k];
            int ok = x->status == VG_OK;
            vg_text_add(t, "\"%s\",\"%s\",%.10g,%s", x->integrator, x->constraints, x->step,
                        ok ? "ok" : "failed");
            double v[] = {x->worst, vg_converge_order(l, job->trial, k, -1), vg_study_iterations(x),
                          (double)x->run.stats.steps, x->run.solve_seconds};
            for (int i = 0; i < 5 + s->trials.nchannel; i++) {
                double y = i < 5 ? v[i] : x->error[i - 5];
                vg_text_add(t, ",");
                if (ok && !isnan(y)) vg_text_number(t, y);
            }
            vg_text_add(t, "\n");
        }
    }
}

static void tell_json(const convergeJob *job, vgJson *j)
{
    const vgStudy *s = &job->study;
    vg_study_begin_json(s, job->trial, job->n, j);
    vg_json_open(j, "methods", '[');
    for (int m = 0; m < s->nmethod; m++) {
        const vgLadder *l = &job->ladder[m];
        vg_json_open(j, NULL, '{');
        vg_json_text(j, "integrator", l->integrator);
        vg_json_number(j, "slope", vg_converge_slope(l, job->trial, -1, floor_of(job)));
        vg_json_open(j, "slopes", '[');
        for (int c = 0; c < s->trials.nchannel; c++)
            vg_json_number(j, NULL, vg_converge_slope(l, job->trial, c, floor_of(job)));
        vg_json_close(j);
        vg_json_open(j, "runs", '[');
        for (int k = 0; k < l->nrung; k++) {
            vg_json_open(j, NULL, '{');
            vg_study_trial_json(s, &job->trial[l->first + k], j);
            vg_json_number(j, "order", vg_converge_order(l, job->trial, k, -1));
            vg_json_close(j);
        }
        vg_json_close(j);
        vg_json_close(j);
    }
    vg_json_close(j);
    vg_json_close(j);
}

/* Error over step, and error over processor time: PREFIX-error.svg, PREFIX-work.svg and both in one file. */
static int pictures(const convergeJob *job, const char *prefix, const char *file)
{
    const vgStudy *s = &job->study;
    int ok = 1, n = s->nmethod, rungs = job->plan.rungs;
    double *at = calloc(4 * (size_t)n * (size_t)rungs + 1, sizeof *at);
    vgSeries *all = calloc(2 * (size_t)n + 1, sizeof *all);
    vgPlot plots[2];
    for (int k = 0; k < 2 && ok && at && all; k++) {
        vgSeries *series = all + k * n;
        for (int m = 0; m < n; m++) {
            const vgLadder *l = &job->ladder[m];
            double *x = at + 2 * (size_t)(k * n + m) * (size_t)rungs, *y = x + rungs;
            for (int i = 0; i < rungs; i++) {
                const vgTrial *r = &job->trial[l->first + i];
                int good = r->status == VG_OK && r->run.stats.steps > 0;
                x[i] = !good ? NAN : k ? r->run.solve_seconds : s->end / (double)r->run.stats.steps;
                y[i] = good ? r->worst : NAN;
            }
            series[m] = (vgSeries){l->integrator, rungs, x, y, 1};
        }
        plots[k] = (vgPlot){.title = s->job.model->title,
                            .x_label = k ? "processor time [s]" : "step (mean where it varies) [s]",
                            .y_label = "relative error at the end",
                            .log_x = 1,
                            .log_y = 1,
                            .nseries = n,
                            .series = series,
                            .marks = 1};
        if (prefix) ok = vg_cli_plot(&plots[k], prefix, k ? "work" : "error");
    }
    ok = ok && at && all;
    vgFigure figure = {
        .title = s->job.model->title, .columns = 2, .one_legend = 1, .nplot = 2, .plot = plots};
    if (ok && file) {
        plots[0].title = plots[1].title = NULL;
        ok = vg_cli_figure(&figure, file);
    }
    free(at);
    free(all);
    return ok;
}

static int tell(const convergeJob *job)
{
    vgText t = {0}, numbers = {0};
    const char *prefix = vg_cli_value(job->study.args, "plot"),
               *file = vg_cli_value(job->study.args, "output");
    csv(job, &numbers);
    int ok = vg_study_csv(&job->study, &numbers);
    if (ok && (prefix || file)) ok = pictures(job, prefix, file);
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

static int converge(const vgArgs *args)
{
    convergeJob job = {0};
    int code = vg_cli_figure_check(vg_cli_value(args, "output"));
    if (code == VG_EXIT_OK) code = vg_study_open(&job.study, args);
    if (code == VG_EXIT_OK) code = make_plan(&job, args);
    if (code == VG_EXIT_OK) code = vg_study_run(&job.study, job.trial, job.n);
    if (code == VG_EXIT_OK) {
        judge(&job);
        code = vg_study_verdict(job.trial, job.n, tell(&job));
    }
    free(job.ladder);
    free(job.trial);
    vg_study_close(&job.study);
    return code;
}

static const vgOption options[] = {
    VG_STUDY_OPTIONS,
    {"step", 0, "H", "the coarsest step, s (default: the model's)"},
    {"halvings", 0, "N", "how often it is halved (default 5)"},
    {"rtol", 0, "X", "adaptive methods: the loosest tolerance, tightened by decades (default 1e-4)"},
    {"coordinates", 0, "C", "first dial"},
    {"constraints", 0, "K", "second dial (default: one that the method takes)"},
    {"output", 'o', VG_FIGURE_FILE, "picture: error over the step, and over processor time"},
    {"plot", 0, "PREFIX", "pictures PREFIX-error.svg (over the step) and PREFIX-work.svg (over time)"},
    {0},
};

const vgCommand vg_cmd_converge = {
    .name = "converge",
    .usage = "MODEL.yaml [options]",
    .doc = "halve the steps against a reference: errors, measured orders, work",
    .example = "  verge converge models/pendulum.yaml --integrators generalized-alpha,esdirk436 --step 0.01 "
               "--end 1\n"
               "  verge converge models/slider-crank.yaml --integrators generalized-alpha --reference self "
               "-o crank.pdf\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = converge,
};

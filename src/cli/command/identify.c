/* verge identify: parameters of a model from measurements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/fit.h"
#include "analysis/study/sensitivity.h"
#include "cli/free.h"
#include "cli/page/sheet.h"
#include "io/results.h"

enum { MOST_MATCHES = 16, SCAN_PER_PARAMETER = 8, ITERATIONS = 60, WORDS = 400 };

/* Correlations of parameters from which on their values can hardly be told apart, and of neighbouring residuals from which
 * on they are no independent errors: both are worth a warning, and decide nothing. With 100 samples the latter is beyond
 * five deviations (1/√m each). */
static const double TIED = 0.95, NOT_WHITE = 0.5;

typedef struct Identify {
    vgCliFree free;
    char **match;
    int nmatch;
    const char *channel[MOST_MATCHES]; /* within match */
    int column[MOST_MATCHES];
    double weight[MOST_MATCHES];
    vgTableData *data;
    double *times;
    int *at; /* [m] place in the histories of each residual: samples that are no numbers are left out */
    double *measured, *y;
    long m;
    vgFit fit;
    char why[VG_SWEEP_WHY];
    char instead[VG_SWEEP_WHY]; /* why slopes are differences of runs; \"\": they are not */
} Identify;

/* ---- data ---- */

static int read_times(Identify *d, const char *path)
{
    vgTableData *t = d->data;
    int c = vg_data_find(t, "time");
    if (c < 0) c = vg_data_find(t, "t");
    if (c < 0) return vg_cli_wrong("%s: no column 'time' (or 't')", path);
    d->times = malloc((size_t)t->nrow * sizeof *d->times + 1);
    if (!d->times) return VG_EXIT_FAILED;
    for (long i = 0; i < t->nrow; i++) {
        d->times[i] = t->value[i * t->ncol + c];
        if (!isfinite(d->times[i]) || d->times[i] < 0 || (i > 0 && !(d->times[i] > d->times[i - 1])))
            return vg_cli_wrong("%s: the times must be 0 or more and increase; sample %ld has %g", path,
                                i + 1, d->times[i]);
    }
    if (t->nrow < 2) return vg_cli_wrong("%s: %ld samples are too few", path, t->nrow);
    return VG_EXIT_OK;
}

/* CHANNEL, or CHANNEL=COLUMN. */
static int read_match(Identify *d, int i, const char *path)
{
    char *equals = strchr(d->match[i], '=');
    const char *column = equals ? equals + 1 : d->match[i];
    if (equals) *equals = 0;
    d->channel[i] = d->match[i];
    d->column[i] = vg_data_find(d->data, column);
    if (d->column[i] >= 0) return VG_EXIT_OK;
    char names[WORDS] = "";
    for (int c = 0, n = 0; c < d->data->ncol && n < WORDS - 1; c++)
        n += snprintf(names + n, (size_t)(WORDS - n), "%s%s", c ? ", " : "", d->data->name[c]);
    return vg_cli_wrong("%s: no column '%s'; it has %s. Name one by --match CHANNEL=COLUMN", path, column,
                        names);
}

/* Columns count alike, whatever their units: each by its standard deviation. One alone stays as it is. */
static double weight_of(const Identify *d, int column)
{
    const vgTableData *t = d->data;
    double mean = 0, sum = 0;
    long n = 0;
    for (long i = 0; i < t->nrow; i++) {
        double x = t->value[i * t->ncol + column], off = x - mean;
        if (!isfinite(x)) continue;
        mean += off / (double)++n;
        sum += off * (x - mean);
    }
    return n > 1 && sum > 0 ? sqrt((double)(n - 1) / sum) : 1;
}

static int pick_samples(Identify *d, const char *path)
{
    const vgTableData *t = d->data;
    size_t most = (size_t)t->nrow * (size_t)d->nmatch;
    d->at = malloc(most * sizeof *d->at + 1);
    d->measured = malloc(most * sizeof *d->measured + 1);
    if (!d->at || !d->measured) return VG_EXIT_FAILED;
    for (int c = 0; c < d->nmatch; c++) {
        long before = d->m;
        d->weight[c] = d->nmatch > 1 ? weight_of(d, d->column[c]) : 1;
        for (long i = 0; i < t->nrow; i++) {
            double x = t->value[i * t->ncol + d->column[c]];
            if (!isfinite(x)) continue;
            d->at[d->m] = (int)(i * d->nmatch + c);
            d->measured[d->m++] = x;
        }
        if (d->m == before) return vg_cli_wrong("%s: the column of %s has no numbers", path, d->channel[c]);
    }
    if (d->m <= d->free.batch.nparam)
        return vg_cli_wrong("%s: %ld samples do not determine %d parameters", path, d->m,
                            d->free.batch.nparam);
    return VG_EXIT_OK;
}

static int prepare(Identify *d, const vgArgs *args)
{
    const char *path = vg_cli_word(args, 1), *spec = vg_cli_value(args, "free"),
               *match = vg_cli_value(args, "match");
    if (!spec) return vg_cli_wrong("which parameters? give --free NAME=LOW:HIGH,…");
    if (!match) return vg_cli_wrong("what was measured? give --match CHANNEL or CHANNEL=COLUMN");
    int code = vg_sheet_check(vg_cli_value(args, "output"));
    if (code == VG_EXIT_OK) code = vg_free_open(&d->free, args, spec, 1, NULL, 0);
    if (code == VG_EXIT_OK) code = vg_free_split(match, &d->match, &d->nmatch);
    if (code == VG_EXIT_OK && d->nmatch > MOST_MATCHES)
        code = vg_cli_wrong("--match: at most %d channels", MOST_MATCHES);
    if (code != VG_EXIT_OK) return code;
    vgStatus status = vg_data_read(path, d->free.diag, &d->data);
    if (status != VG_OK) return vg_free_bad(&d->free, status);
    code = read_times(d, path);
    for (int i = 0; i < d->nmatch && code == VG_EXIT_OK; i++) code = read_match(d, i, path);
    if (code == VG_EXIT_OK) code = pick_samples(d, path);
    if (code != VG_EXIT_OK) return code;
    vgSweep *s = &d->free.batch.sweep;
    s->history = d->channel;
    s->nhistory = d->nmatch;
    s->times = d->times;
    s->ntimes = d->data->nrow;
    if (!(s->end > 0)) s->end = d->times[d->data->nrow - 1];
    if (s->end < d->times[d->data->nrow - 1])
        return vg_cli_wrong("--end %g is before the last sample, at %g s", s->end,
                            d->times[d->data->nrow - 1]);
    return vg_free_check(&d->free);
}

/* ---- fitting ---- */

static vgStatus residuals(void *user, long count, const double *p, double *r)
{
    Identify *d = user;
    const long length = vg_batch_length(&d->free.batch);
    double *y = realloc(d->y, (size_t)(count * length) * sizeof *y + 1);
    char why[VG_SWEEP_WHY];
    if (!y) return VG_NO_MEMORY;
    d->y = y;
    vgStatus status = vg_batch_run(&d->free.batch, count, p, y, why);
    if (why[0] && !d->why[0]) memcpy(d->why, why, sizeof why);
    for (long k = 0; k < count && status == VG_OK; k++)
        for (long i = 0; i < d->m; i++)
            r[k * d->m + i] = d->weight[d->at[i] % d->nmatch] * (y[k * length + d->at[i]] - d->measured[i]);
    return status;
}

/* Of the residuals, along the steps of one run. */
static vgStatus slopes(void *user, const double *p, double *jacobian)
{
    Identify *d = user;
    vgBatch *b = &d->free.batch;
    const long length = vg_batch_length(b), n = b->nparam;
    double *y = malloc((size_t)((1 + 2 * n) * length) * sizeof *y + 1), *dy = y + length,
           range[VG_PLAN_PARAMETERS];
    char why[VG_SWEEP_WHY];
    if (d->instead[0]) free(y), y = NULL;
    if (!y) return d->instead[0] ? VG_UNSUPPORTED : VG_NO_MEMORY;
    for (long k = 0; k < n; k++) range[k] = d->free.high[k] - d->free.low[k];
    vgStatus status = vg_sensitivities(b, p, range, VG_BY_STEPS, y, dy, dy + n * length, why, d->instead);
    for (long k = 0; k < n && status == VG_OK; k++)
        for (long i = 0; i < d->m; i++)
            jacobian[k * d->m + i] = d->weight[d->at[i] % d->nmatch] * dy[k * length + d->at[i]];
    free(y);
    return status == VG_OK || status == VG_NO_MEMORY || status == VG_INTERRUPTED ? status : VG_UNSUPPORTED;
}

static int fit(Identify *d)
{
    vgCliFree *f = &d->free;
    double start[VG_PLAN_PARAMETERS];
    long scan = SCAN_PER_PARAMETER * f->batch.nparam;
    if (vg_cli_count(f->args, "starts", 0, &scan) < 0) return VG_EXIT_INPUT;
    for (int i = 0; i < f->batch.nparam; i++) start[i] = fmin(fmax(f->value[i], f->low[i]), f->high[i]);
    vgFitProblem problem = {.n = f->batch.nparam,
                            .m = d->m,
                            .low = f->low,
                            .high = f->high,
                            .start = start,
                            .scan = (int)scan,
                            .most = ITERATIONS,
                            .residuals = residuals,
                            .slopes = slopes,
                            .user = d};
    vgStatus status = vg_fit(&problem, &d->fit);
    if (status != VG_OK) return vg_free_bad(f, status);
    if (d->fit.end == VG_FIT_CONVERGED) {
        status = residuals(d, 1, d->fit.p, d->fit.r); /* leaves the histories of the result in y */
        return status == VG_OK ? VG_EXIT_OK : vg_free_bad(f, status);
    }
    vg_cli_wrong("%s%s%s", vg_fit_end_text(d->fit.end), d->why[0] ? ": " : "", d->why);
    return VG_EXIT_FAILED;
}

/* ---- the answer ---- */

static void warnings(const Identify *d, void (*say)(void *, const char *), void *to)
{
    const vgFit *x = &d->fit;
    const int n = d->free.batch.nparam;
    char text[WORDS];
    if (!x->determined)
        say(to,
            "the data do not determine the parameters: an interval is wider than the range that was given");
    for (int i = 0; i < n; i++) {
        if (x->bound[i]) {
            snprintf(text, sizeof text, "%s is at the %s end of its range; the best value may lie beyond",
                     d->free.name[i], x->bound[i] < 0 ? "lower" : "upper");
            say(to, text);
        }
        for (int k = 0; k < i; k++) {
            if (!(fabs(x->correlation[i][k]) > TIED)) continue;
            snprintf(text, sizeof text,
                     "%s and %s are tied (correlation %.3f): the data tell little but a combination of them",
                     d->free.name[k], d->free.name[i], x->correlation[i][k]);
            say(to, text);
        }
    }
    if (x->serial > NOT_WHITE) {
        snprintf(text, sizeof text,
                 "neighbouring residuals are alike (correlation %.2f): the model lacks something that the "
                 "data show, and the intervals are too narrow",
                 x->serial);
        say(to, text);
    }
}

static void add_line(void *to, const char *text)
{
    vg_text_add(to, "  warning        %s\n", text);
}

static void tell(const Identify *d, double seconds)
{
    const vgCliFree *f = &d->free;
    const vgFit *x = &d->fit;
    vgText t = {0};
    vg_text_add(&t, "%s: %s\n  data           %s: %ld samples\n", vg_cli_word(f->args, 0), f->title,
                vg_cli_word(f->args, 1), d->m);
    vg_text_add(&t, "  runs           %ld, %d iterations, %.3g s\n", f->batch.runs, x->iterations, seconds);
    vg_text_add(&t, "  residuals      deviation %.6g%s, from %.6g at the start\n", x->sigma,
                d->nmatch > 1 ? " of the columns' own" : "",
                sqrt(x->first / (double)(d->m - f->batch.nparam)));
    vg_text_add(&t, "  %-16s %14s %14s %14s %14s\n", "parameter", "value", "± 95 %", "deviation", "model's");
    for (int i = 0; i < f->batch.nparam; i++)
        vg_text_add(&t, "  %-16s %14.9g %14.4g %14.4g %14.6g\n", f->name[i], x->p[i], x->half[i],
                    x->deviation[i], f->value[i]);
    warnings(d, add_line, &t);
    vg_text_add(&t, "  ");
    vg_free_command(f, x->p, &t);
    vg_text_add(&t, "\n");
    vg_cli_print(&t);
}

static void add_warning(void *to, const char *text)
{
    vg_json_text(to, NULL, text);
}

static void tell_json(const Identify *d, double seconds)
{
    const vgCliFree *f = &d->free;
    const vgFit *x = &d->fit;
    const int n = f->batch.nparam;
    vgJson j = {0};
    vgText command = {0};
    vg_json_open(&j, NULL, '{');
    vg_cli_status(&j, 1, NULL);
    vg_json_open(&j, "parameters", '[');
    for (int i = 0; i < n; i++) {
        double interval[2] = {x->p[i] - x->half[i], x->p[i] + x->half[i]};
        vg_json_open(&j, NULL, '{');
        vg_json_text(&j, "name", f->name[i]);
        vg_json_number(&j, "value", x->p[i]);
        vg_json_number(&j, "deviation", x->deviation[i]);
        vg_json_numbers(&j, "interval", 2, interval);
        vg_json_number(&j, "model", f->value[i]);
        vg_json_text(&j, "bound", x->bound[i] < 0 ? "low" : x->bound[i] > 0 ? "high" : NULL);
        vg_json_close(&j);
    }
    vg_json_close(&j);
    vg_json_open(&j, "correlation", '[');
    for (int i = 0; i < n; i++) vg_json_numbers(&j, NULL, n, x->correlation[i]);
    vg_json_close(&j);
    vg_json_bool(&j, "determined", x->determined);
    vg_json_number(&j, "deviation", x->sigma);
    vg_json_number(&j, "serial_correlation", x->serial);
    vg_json_int(&j, "samples", d->m);
    vg_json_int(&j, "iterations", x->iterations);
    vg_json_int(&j, "runs", f->batch.runs);
    vg_json_number(&j, "seconds", seconds);
    vg_json_open(&j, "warnings", '[');
    warnings(d, add_warning, &j);
    vg_json_close(&j);
    vg_free_command(f, x->p, &command);
    vg_json_text(&j, "command", vg_text_at(&command));
    vg_text_free(&command);
    vg_json_close(&j);
    vg_cli_answer(&j);
}

/* ---- the report ---- */

static void add_paragraph(void *to, const char *text)
{
    vg_sheet_paragraph(to, text);
}

static void tables(const Identify *d, vgText *page)
{
    const vgCliFree *f = &d->free;
    const vgFit *x = &d->fit;
    vgText row = {0};
    vg_sheet_table(page, "parameter\tvalue\t95 % interval\tdeviation\trange\tin the model");
    for (int i = 0; i < f->batch.nparam; i++) {
        vg_text_clear(&row);
        vg_text_add(&row, "%s\t%.9g\t%.6g … %.6g\t%.3g\t%g … %g\t%.6g", f->name[i], x->p[i],
                    x->p[i] - x->half[i], x->p[i] + x->half[i], x->deviation[i], f->low[i], f->high[i],
                    f->value[i]);
        vg_sheet_row(page, vg_text_at(&row));
    }
    vg_sheet_table_end(page);
    warnings(d, add_paragraph, page);
    vg_sheet_heading(page, "Correlation of the parameters");
    vg_text_clear(&row);
    vg_text_add(&row, " ");
    for (int i = 0; i < f->batch.nparam; i++) vg_text_add(&row, "\t%s", f->name[i]);
    vg_sheet_table(page, vg_text_at(&row));
    for (int i = 0; i < f->batch.nparam; i++) {
        vg_text_clear(&row);
        vg_text_add(&row, "%s", f->name[i]);
        for (int k = 0; k < f->batch.nparam; k++) vg_text_add(&row, "\t%.4f", x->correlation[i][k]);
        vg_sheet_row(page, vg_text_at(&row));
    }
    vg_sheet_table_end(page);
    if (!vg_text_ok(&row)) page->failed = 1;
    vg_text_free(&row);
}

static void plots(const Identify *d, vgText *page)
{
    const vgTableData *t = d->data;
    double *residual = malloc((size_t)t->nrow * sizeof *residual + 1);
    for (int c = 0; c < d->nmatch && residual; c++) {
        const double *measured = t->value + d->column[c], *model = d->y + c;
        for (long i = 0; i < t->nrow; i++) residual[i] = model[i * d->nmatch] - measured[i * t->ncol];
        vgPlot both = {.x_label = "time, s", .y_label = d->channel[c], .nseries = 1, .marks = 1};
        vgPlot off = {.x_label = "time, s", .y_label = "model − data", .nseries = 1, .marks = 1};
        double *gathered = malloc(2 * (size_t)t->nrow * sizeof *gathered + 1);
        for (long i = 0; i < t->nrow && gathered; i++) {
            gathered[i] = measured[i * t->ncol];
            gathered[t->nrow + i] = model[i * d->nmatch];
        }
        vgSeries series[2] = {{"data", t->nrow, d->times, gathered, 1},
                              {"model", t->nrow, d->times, gathered ? gathered + t->nrow : NULL, 1}},
                 rest = {"residual", t->nrow, d->times, residual, 1};
        both.series = series;
        both.nseries = 2;
        both.marks = 0;
        off.series = &rest;
        vg_sheet_heading(page, d->channel[c]);
        if (gathered) vg_sheet_plot(page, &both);
        vg_sheet_plot(page, &off);
        if (!gathered) page->failed = 1;
        free(gathered);
    }
    if (!residual) page->failed = 1;
    free(residual);
}

static int write_report(const Identify *d)
{
    const vgCliFree *f = &d->free;
    const char *path = vg_cli_value(f->args, "output");
    if (!path) return VG_EXIT_OK;
    vgText page = {0}, line = {0};
    vg_text_add(&line, "%s, parameters from %s", f->title, vg_cli_word(f->args, 1));
    vg_sheet_begin(&page, "Identification", vg_text_at(&line));
    tables(d, &page);
    vg_text_clear(&line);
    vg_text_add(
        &line,
        "%ld samples; deviation of the residuals %.6g; correlation of neighbouring residuals %.3f; %ld runs.",
        d->m, d->fit.sigma, d->fit.serial, f->batch.runs);
    vg_sheet_paragraph(&page, vg_text_at(&line));
    plots(d, &page);
    vg_text_clear(&line);
    vg_free_command(f, d->fit.p, &line);
    vg_sheet_heading(&page, "The model with these values");
    vg_sheet_code(&page, vg_text_at(&line));
    vg_sheet_end(&page);
    if (!vg_text_ok(&line)) page.failed = 1;
    int good = vg_cli_write_text(path, &page);
    vg_text_free(&page);
    vg_text_free(&line);
    return good ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static int identify(const vgArgs *args)
{
    Identify d = {0};
    int code = prepare(&d, args);
    if (code == VG_EXIT_OK) {
        vg_cli_catch_signals();
        vg_progress_start(&d.free.progress, vg_cli_given(args, "quiet") > 0);
        code = fit(&d);
        vg_progress_end(&d.free.progress);
    }
    if (code == VG_EXIT_OK) code = write_report(&d);
    if (code == VG_EXIT_OK && vg_cli_given(args, "json"))
        tell_json(&d, vg_cli_clock() - d.free.started);
    else if (code == VG_EXIT_OK)
        tell(&d, vg_cli_clock() - d.free.started);
    vg_fit_free(&d.fit);
    vg_free_release(d.match, d.nmatch);
    vg_data_free(d.data);
    free(d.times), free(d.at), free(d.measured), free(d.y);
    vg_free_close(&d.free);
    return code;
}

static const vgOption options[] = {
    {"free", 0, "NAME=LOW:HIGH,…", "parameters to be found, each with its range"},
    {"match", 0, "CHANNEL[=COLUMN],…", "channels that were measured (default: the column of the same name)"},
    {"starts", 0, "N", "points of the ranges that are tried as a start (default: 8 for each parameter)"},
    {"output", 'o', "REPORT.html", "a page with values, intervals, correlations, residuals"},
    VG_FREE_OPTIONS,
    {0},
};

const vgCommand vg_cmd_identify = {
    .name = "identify",
    .usage = "MODEL.yaml DATA.csv --free NAME=LOW:HIGH,… --match CHANNEL [options]",
    .doc = "find parameters of a model from measurements, with confidence intervals",
    .example =
        "  verge identify door.yaml measured.csv --free k=10:200,d=0:5 --match joint.hinge.angle -o "
        "report.html\n"
        "  verge identify cart.yaml run.h5 --free m=1:5 --match joint.rail.position=x,joint.pin.angle=phi\n",
    .more = "DATA has a column `time` (s, from the start of the model) and a column for each channel; cells "
            "without a number are left out. Least squares by Levenberg and Marquardt within the ranges. The "
            "intervals hold for independent errors of equal size; with several channels each counts by the "
            "standard deviation of its column.\n",
    .min = 2,
    .max = 2,
    .options = options,
    .run = identify,
};

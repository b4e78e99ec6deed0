/* What experiments use: findings, tables, figures, runs. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "reproduce/reproduce.h"

/* ---- writing ---- */

void vg_html_escape(vgText *t, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            vg_text_add(t, "&lt;");
        else if (*s == '>')
            vg_text_add(t, "&gt;");
        else if (*s == '&')
            vg_text_add(t, "&amp;");
        else
            vg_text_put(t, s, 1);
    }
}

void vg_exhibit_say(vgExhibit *ex, const char *format, ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    vg_text_add(&ex->html, "<p>");
    vg_html_escape(&ex->html, line);
    vg_text_add(&ex->html, "</p>\n");
}

int vg_exhibit_find(vgExhibit *ex, int ok, const char *format, ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    vg_text_add(&ex->html, "<p class=\"finding %s\"><b>%s</b> ", ok ? "yes" : "no", ok ? "✓" : "✗");
    vg_html_escape(&ex->html, line);
    vg_text_add(&ex->html, "</p>\n");
    if (ok)
        ex->held++;
    else
        ex->failed++;
    return ok;
}

void vg_exhibit_why(vgExhibit *ex, int ok, const char *format, ...)
{
    char line[1200];
    va_list args;
    if (ok) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    vg_text_add(&ex->html, "<p class=\"why\">Why: ");
    vg_html_escape(&ex->html, line);
    vg_text_add(&ex->html, "</p>\n");
}

void vg_exhibit_figure(vgExhibit *ex, const vgFigure *figure)
{
    vgText svg = {0};
    vg_figure_svg(figure, &svg);
    vg_text_add(&ex->html, "<figure>");
    /* names inside a figure must not meet those of others on the page */
    ex->nfigure++;
    for (const char *s = vg_text_at(&svg); *s;) {
        const char *name = strstr(s, "area");
        size_t n = name ? (size_t)(name - s) : strlen(s);
        vg_text_put(&ex->html, s, n);
        s += n;
        if (!name) break;
        int named = n > 0 && (s[-1] == '"' || s[-1] == '#');
        if (named) vg_text_add(&ex->html, "%s-%d-", ex->id, ex->nfigure);
        vg_text_put(&ex->html, s, 4);
        s += 4;
    }
    vg_text_add(&ex->html, "</figure>\n");
    vg_text_free(&svg);
}

void vg_exhibit_plot(vgExhibit *ex, const vgPlot *plot)
{
    vg_exhibit_figure(ex,
                      &(vgFigure){.nplot = 1, .plot = plot, .width = plot->width, .height = plot->height});
}

static void cells(vgExhibit *ex, const char *tag, const char *line)
{
    vg_text_add(&ex->html, "<tr>");
    for (;;) {
        size_t n = strcspn(line, "|");
        char cell[300];
        snprintf(cell, sizeof cell, "%.*s", (int)n, line);
        if (strcmp(cell, "nan") == 0 || strcmp(cell, "-nan") == 0 || strcmp(cell, "inf") == 0)
            snprintf(cell, sizeof cell, "–"); /* not run, or it did not get through */
        vg_text_add(&ex->html, "<%s>", tag);
        vg_html_escape(&ex->html, cell);
        vg_text_add(&ex->html, "</%s>", tag);
        if (!line[n]) break;
        line += n + 1;
    }
    vg_text_add(&ex->html, "</tr>\n");
}

void vg_exhibit_head(vgExhibit *ex, const char *line)
{
    vg_text_add(&ex->html, "<div class=\"wide\"><table>\n");
    cells(ex, "th", line);
}

void vg_exhibit_row(vgExhibit *ex, const char *format, ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    cells(ex, "td", line);
}

void vg_exhibit_foot(vgExhibit *ex)
{
    vg_text_add(&ex->html, "</table></div>\n");
}

vgVerdict vg_exhibit_verdict(const vgExhibit *ex)
{
    return ex->failed == 0 && ex->held > 0 ? VG_HOLDS : ex->held > 0 ? VG_HOLDS_PARTLY : VG_DOES_NOT_HOLD;
}

const char *vg_verdict_word(vgVerdict verdict)
{
    static const char *const word[] = {"does not hold", "holds partly", "holds"};
    return word[verdict];
}

/* ---- models and runs ---- */

vgModel *vg_exhibit_model(vgExhibit *ex, const char *name, const char *const *set, int nset)
{
    char path[1000], names[VG_ASK_SETS][64];
    vgParamSet params[VG_ASK_SETS];
    int n = 0;
    for (; n < nset && n < VG_ASK_SETS && set[n]; n++) {
        size_t k = strcspn(set[n], "=");
        snprintf(names[n], sizeof names[n], "%.*s", (int)k, set[n]);
        params[n] = (vgParamSet){.name = names[n], .text = set[n] + k + 1};
    }
    snprintf(path, sizeof path, "%.480s/%.500s.yaml", ex->models, name);
    vgDiag *diag = vg_diag_new();
    vgModel *model = strchr(name, '\n') ? vg_model_parse(name, strlen(name), "experiment", params, n, diag)
                                        : vg_model_load(path, params, n, diag);
    if (!model)
        vg_exhibit_find(ex, 0, "the model %s cannot be read: %s", name,
                        vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
    vg_diag_free(diag);
    return model;
}

typedef struct Rows {
    vgHistory *out;
    vgChannels *channels;
    long room;
    vgExhibit *ex;
} Rows;

static vgStatus take_row(void *user, const vgState *state, vgWork *work)
{
    Rows *r = user;
    vgHistory *h = r->out;
    long width = 1 + h->nchannel;
    if (h->n == r->room) {
        long room = r->room ? 2 * r->room : 1024;
        double *rows = realloc(h->rows, (size_t)(room * width) * sizeof *rows);
        if (!rows) return VG_NO_MEMORY;
        h->rows = rows;
        r->room = room;
    }
    double *row = h->rows + h->n++ * width;
    row[0] = state->t;
    vg_channels_eval(r->channels, work, state, row + 1);
    for (int k = 0; k < h->nchannel; k++) {
        h->last[k] = row[1 + k];
        h->most[k] = fmax(h->most[k], fabs(row[1 + k]));
    }
    return VG_OK;
}

static int stop_asked(void *user)
{
    Rows *r = user;
    return r->ex->cancelled && r->ex->cancelled(r->ex->user);
}

void vg_exhibit_run(vgExhibit *ex, const vgAsk *ask, vgHistory *out)
{
    *out = (vgHistory){.status = VG_BAD_INPUT};
    vgModel *model = vg_exhibit_model(ex, ask->model, ask->set, VG_ASK_SETS);
    if (!model) return;
    vgDiag *diag = vg_diag_new();
    vgSimulation sim = {0};
    vgDials dials = {ask->coordinates, ask->constraints, ask->integrator};
    while (out->nchannel < VG_ASK_CHANNELS && ask->channel[out->nchannel]) out->nchannel++;
    Rows rows = {.out = out, .ex = ex};
    out->status = vg_simulation_open(model, &dials, diag, &sim);
    if (out->status == VG_OK)
        out->status = vg_channels_new(sim.sys, ask->channel, out->nchannel, diag, &rows.channels);
    if (out->status == VG_OK) {
        vgTransientOptions how = {
            .step = ask->step, .end = ask->end, .interval = ask->interval, .every = 1, .monitor = 1};
        vgSink sink = {.user = &rows, .row = take_row, .cancelled = stop_asked};
        vg_work_bind(sim.it->work, sim.state);
        vg_channels_watch(rows.channels, sim.it->work);
        out->status = vg_transient_run(sim.it, sim.state, &how, &sink, &out->run);
        snprintf(out->why, sizeof out->why, "%s", out->run.failure.text);
    } else {
        snprintf(out->why, sizeof out->why, "%s", vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
    }
    vg_channels_free(rows.channels);
    if (sim.sys) vg_simulation_close(&sim);
    vg_model_free(model);
    vg_diag_free(diag);
}

void vg_history_free(vgHistory *history)
{
    free(history->rows);
    history->rows = NULL;
}

vgSeries vg_history_series(const vgHistory *h, int k, const char *label)
{
    return (vgSeries){.label = label,
                      .n = h->n,
                      .x = h->rows,
                      .y = h->rows ? h->rows + 1 + k : NULL,
                      .stride = 1 + h->nchannel};
}

/* ---- sweeps ---- */

int vg_method_stages(const char *integrator)
{
    char name[VG_TRIAL_NAME];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(integrator, ":"), integrator);
    const vgIntegratorRow *row = vg_integrator_find(name);
    return row && row->stages > 0 ? row->stages : 1;
}

static void text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static void keep(vgCurve *c, int k, const vgTrial *t)
{
    int good = t->status == VG_OK;
    double steps = (double)t->run.stats.steps, stages = t->row && t->row->stages > 0 ? t->row->stages : 1;
    c->step[k] = t->step;
    c->error[k] = good ? t->worst : NAN;
    c->seconds[k] = good ? t->run.solve_seconds : NAN;
    c->us[k] = good ? 1e6 * t->run.solve_seconds / steps : NAN;
    c->iterations[k] = good ? (double)t->run.stats.newton_iterations / (steps * stages) : NAN;
    c->energy_mean[k] = good ? t->energy_mean : NAN;
    c->energy_end[k] = good ? t->energy_end : NAN;
    c->drift[k] = good ? t->run.stats.max_phi_dot : NAN;
    if (!good && !c->failed++) snprintf(c->why, sizeof c->why, "%.190s", t->why);
}

static int reference_of(vgExhibit *ex, const vgSweep *s, const vgTrials *trials, vgTrial *reference)
{
    vgStatus status;
    if (s->reference) {
        text(reference->coordinates, sizeof reference->coordinates, s->ref_coordinates);
        text(reference->constraints, sizeof reference->constraints, s->ref_constraints);
        text(reference->integrator, sizeof reference->integrator, s->reference);
        reference->step = s->reference_step > 0 ? s->reference_step : s->step[s->nstep - 1] / 4;
        reference->end = s->end;
        status = vg_trials_run(trials, reference, 1, 1);
        if (status == VG_OK) status = reference->status;
    } else {
        reference->end = s->end;
        reference->limit = s->limit;
        status = vg_trials_reference(trials, s->step[s->nstep - 1], 0, reference);
    }
    if (status != VG_OK)
        vg_exhibit_find(ex, 0, "the reference of %s could not be made: %s", s->model, reference->why);
    return status == VG_OK;
}

int vg_exhibit_sweep(vgExhibit *ex, const vgSweep *s, vgCurve *curve, int n)
{
    vgModel *model = vg_exhibit_model(ex, s->model, s->set, VG_ASK_SETS);
    if (!model) return 0;
    int nchannel = 0;
    while (nchannel < VG_ASK_CHANNELS && s->channel[nchannel]) nchannel++;
    vgTrials trials = {.model = model,
                       .nchannel = nchannel,
                       .channel = s->channel,
                       .cancelled = ex->cancelled,
                       .user = ex->user};
    vgTrial *trial = calloc(2, sizeof *trial), *reference = trial ? trial + 1 : NULL;
    int good = trial && reference_of(ex, s, &trials, reference);
    for (int i = 0; good && i < n; i++)
        for (int k = 0; k < s->nstep; k++) {
            memset(trial, 0, sizeof *trial);
            text(trial->coordinates, sizeof trial->coordinates, curve[i].coordinates);
            text(trial->constraints, sizeof trial->constraints, curve[i].constraints);
            text(trial->integrator, sizeof trial->integrator, curve[i].integrator);
            trial->step = s->step[k] * (s->per_stage ? vg_method_stages(curve[i].integrator) : 1);
            trial->end = s->end;
            trial->energies = 1;
            trial->limit = s->limit;
            vg_trials_run(&trials, trial, 1, 1);
            if (trial->status == VG_OK) vg_trial_judge(&trials, reference, trial);
            keep(&curve[i], k, trial);
        }
    free(trial);
    vg_model_free(model);
    return good;
}

void vg_exhibit_curves(vgExhibit *ex, const char *title, const char *x_label, size_t x, const char *y_label,
                       size_t y, const vgCurve *curve, int n, int nstep)
{
    vgSeries series[40];
    if (n > 40) n = 40;
    for (int i = 0; i < n; i++)
        series[i] = (vgSeries){.label = curve[i].label,
                               .n = nstep,
                               .x = (const double *)(const void *)((const char *)&curve[i] + x),
                               .y = (const double *)(const void *)((const char *)&curve[i] + y),
                               .stride = 1};
    vgPlot plot = {.title = title,
                   .x_label = x_label,
                   .y_label = y_label,
                   .log_x = 1,
                   .log_y = 1,
                   .marks = 1,
                   .nseries = n,
                   .series = series};
    vg_exhibit_plot(ex, &plot);
}

static int ascending(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

double vg_curve_slope(const vgCurve *c, const double *y, int nstep, double floor, double ceiling)
{
    double slope[VG_SWEEP_STEPS];
    int n = 0;
    for (int k = 1; k < nstep; k++) {
        if (!(y[k] > floor && y[k - 1] < ceiling && y[k - 1] > floor)) continue;
        slope[n++] = log(y[k - 1] / y[k]) / log(c->step[k - 1] / c->step[k]);
    }
    if (n == 0) return NAN;
    qsort(slope, (size_t)n, sizeof slope[0], ascending);
    return n % 2 ? slope[n / 2] : 0.5 * (slope[n / 2 - 1] + slope[n / 2]);
}

void vg_sweep_halve(vgSweep *s, double first, int n)
{
    for (int k = 0; k < n; k++) s->step[s->nstep++] = first * pow(2, -k);
}

double vg_curve_seconds_to(const vgCurve *c, int nstep, double error)
{
    for (int k = 0; k < nstep; k++) {
        if (!(c->error[k] <= error)) continue;
        if (k == 0 || !(c->error[k - 1] > 0)) return c->seconds[k];
        double w = log(error / c->error[k - 1]) / log(c->error[k] / c->error[k - 1]);
        return exp(log(c->seconds[k - 1]) + w * log(c->seconds[k] / c->seconds[k - 1]));
    }
    return NAN;
}

void vg_curve_steady(vgCurve *c, int nstep, double end)
{
    double least = INFINITY;
    for (int k = 0; k < nstep; k++)
        if (c->us[k] < least) least = c->us[k];
    for (int k = 0; k < nstep; k++) {
        c->us[k] = isnan(c->us[k]) ? NAN : least;
        c->seconds[k] = isnan(c->seconds[k]) ? NAN : 1e-6 * least * end / c->step[k];
    }
}

/* What experiments run: single runs with their history, sweeps over steps and methods, races against the clock.
 * Each leaves its command line in the experiment's list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "reproduce/reproduce.h"

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
        h->most[k] = vg_upper(h->most[k], fabs(row[1 + k]));
    }
    return VG_OK;
}

static int stop_asked(void *user)
{
    Rows *r = user;
    return r->ex->cancelled && r->ex->cancelled(r->ex->user);
}

static void add_option(char *line, size_t size, const char *option, const char *value)
{
    size_t used = strlen(line);
    if (value && *value) snprintf(line + used, size - used, " %s %s", option, value);
}

static void add_number(char *line, size_t size, const char *option, double value)
{
    size_t used = strlen(line);
    if (value > 0) snprintf(line + used, size - used, " %s %.10g", option, value);
}

/* The run as `verge run` makes it; two runs with the same words are the same. */
enum { RUN_WORDS = 1500 };
static void words_of(const vgAsk *ask, char line[RUN_WORDS])
{
    char channels[500] = "";
    snprintf(line, RUN_WORDS, "verge run models/%s.yaml", ask->model);
    for (int i = 0; i < VG_ASK_SETS && ask->set[i]; i++) add_option(line, RUN_WORDS, "--set", ask->set[i]);
    add_option(line, RUN_WORDS, "--coordinates", ask->coordinates);
    add_option(line, RUN_WORDS, "--constraints", ask->constraints);
    add_option(line, RUN_WORDS, "--integrator", ask->integrator);
    add_number(line, RUN_WORDS, "--step", ask->step);
    add_number(line, RUN_WORDS, "--end", ask->end);
    ask->interval > 0 ? add_number(line, RUN_WORDS, "--interval", ask->interval)
                      : add_number(line, RUN_WORDS, "--every", 1);
    for (int i = 0; i < VG_ASK_CHANNELS && ask->channel[i]; i++) {
        size_t used = strlen(channels);
        snprintf(channels + used, sizeof channels - used, "%s%s", i ? "," : "", ask->channel[i]);
    }
    add_option(line, RUN_WORDS, "--print", channels);
}

static int command_of(vgExhibit *ex, const vgAsk *ask)
{
    char line[RUN_WORDS];
    if (!ask->constraints)
        vg_exhibit_find(ex, 0, "a run of %s by %s does not name its constraints",
                        strchr(ask->model, '\n') ? "the model" : ask->model, ask->integrator);
    vg_exhibit_method(ex, ask->integrator);
    if (strchr(ask->model, '\n')) return vg_exhibit_command(ex, "verge reproduce %s", ex->id);
    words_of(ask, line);
    return vg_exhibit_command(ex, "%s", line);
}

static void run_alone(vgExhibit *ex, const vgAsk *ask, vgHistory *out)
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

static size_t size_of_rows(const vgHistory *h)
{
    return (size_t)(h->n * (1 + h->nchannel)) * sizeof *h->rows;
}

/* A run that was kept: its history and, behind it, the rows. 0: there is none. */
static int recall(const char *words, vgHistory *out)
{
    char *kept = vg_kept(words);
    if (!kept) return 0;
    memcpy(out, kept, sizeof *out);
    size_t size = size_of_rows(out);
    out->rows = malloc(size ? size : 1);
    if (out->rows) memcpy(out->rows, kept + sizeof *out, size);
    free(kept);
    return out->rows != NULL;
}

static void remember(const char *words, const vgHistory *h)
{
    size_t size = size_of_rows(h);
    char *bytes = malloc(sizeof *h + size);
    if (!bytes) return;
    memcpy(bytes, h, sizeof *h);
    if (size) memcpy(bytes + sizeof *h, h->rows, size);
    vg_keep(words, bytes, sizeof *h + size);
    free(bytes);
}

void vg_exhibit_run(vgExhibit *ex, const vgAsk *ask, vgHistory *out)
{
    char words[RUN_WORDS] = "";
    int command = command_of(ex, ask);
    if (ask->shared) words_of(ask, words);
    if (!ask->shared || !recall(words, out)) {
        run_alone(ex, ask, out);
        if (ask->shared && out->status == VG_OK) remember(words, out);
    }
    out->command = command;
}

void vg_history_thin(vgHistory *h, double interval)
{
    static const double SAME = 1e-6; /* of the interval: times of steps are sums that are rounded */
    long kept = 0, w = 1 + h->nchannel;
    for (long i = 0; i < h->n; i++) {
        double x = h->rows[i * w] / interval;
        if (fabs(x - round(x)) < SAME)
            memmove(h->rows + kept++ * w, h->rows + i * w, (size_t)w * sizeof *h->rows);
    }
    h->n = kept;
}

int vg_history_clean(const vgHistory *h)
{
    return h->status == VG_OK && h->run.stats.substeps == 0 && h->run.stats.newton_failures == 0;
}

double vg_history_iterations(const vgHistory *h, int stages)
{
    if (!vg_history_clean(h) || h->run.stats.steps == 0) return NAN;
    return (double)h->run.stats.newton_iterations / ((double)h->run.stats.steps * stages);
}

double vg_history_apart(const vgHistory *a, const vgHistory *b, int channel, double from, double until)
{
    double worst = 0, most = 0;
    int w = 1 + a->nchannel;
    if (a->status != VG_OK || b->status != VG_OK) return NAN;
    for (long i = 0; i < a->n && i < b->n; i++) {
        double t = a->rows[i * w];
        if (t < from || t > until) continue;
        most = vg_upper(most, fabs(a->rows[i * w + 1 + channel]));
        worst = vg_upper(worst, fabs(a->rows[i * w + 1 + channel] - b->rows[i * w + 1 + channel]));
    }
    return worst / most;
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

/* ---- races ---- */

void vg_exhibit_race(vgExhibit *ex, const vgAsk *ask, int n, vgRace *race)
{
    *race = (vgRace){.n = n, .rounds = ex->quick ? VG_RACE_ROUNDS / 2 : VG_RACE_ROUNDS};
    for (int i = 0; i < n; i++) command_of(ex, &ask[i]);
    for (int r = 0; r < race->rounds; r++)
        for (int i = 0; i < n; i++) {
            vgHistory h;
            run_alone(ex, &ask[i], &h);
            race->seconds[i][r] = h.status == VG_OK ? h.run.solve_seconds : NAN;
            race->steps[i] = h.run.stats.steps;
            race->iterations[i] = h.run.stats.newton_iterations;
            race->matrices[i] = h.run.stats.jacobians;
            vg_history_free(&h);
        }
}

static int ascending(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    if (n == 0) return NAN;
    qsort(x, (size_t)n, sizeof x[0], ascending);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

vgRatio vg_race_ratio(const vgRace *race, int a, int b)
{
    double ratio[VG_RACE_ROUNDS];
    vgRatio r = {NAN, NAN, NAN};
    for (int i = 0; i < race->rounds; i++) {
        ratio[i] = race->seconds[a][i] / race->seconds[b][i];
        if (!isfinite(ratio[i])) return r;
    }
    r.median = median(ratio, race->rounds);
    r.low = ratio[0];
    r.high = ratio[race->rounds - 1];
    return r;
}

void vg_exhibit_race_why(vgExhibit *ex, int ok, const vgRace *race, int a, int b)
{
    vg_exhibit_why(ex, ok,
                   "it takes %ld steps, %ld Newton iterations and %ld matrices, the other %ld, %ld and %ld; "
                   "an iteration costs %.2f times as much",
                   race->steps[a], race->iterations[a], race->matrices[a], race->steps[b],
                   race->iterations[b], race->matrices[b],
                   vg_race_ratio(race, a, b).median * (double)race->iterations[b] /
                       (double)(race->iterations[a] ? race->iterations[a] : 1));
}

void vg_exhibit_faster(vgExhibit *ex, const vgRace *race, int a, int b, double factor, const char *words)
{
    vgRatio r = vg_race_ratio(race, a, b);
    char text[200];
    snprintf(text, sizeof text, "%.2f times the time (median of %d rounds in turn, %.2f to %.2f)", r.median,
             race->rounds, r.low, r.high);
    if (vg_less(r.low, factor) && !vg_less(r.high, factor))
        vg_exhibit_undecided(ex, "%s: %s; not all rounds agree on whether it is below %g", words, text,
                             factor);
    else
        vg_exhibit_race_why(ex, vg_exhibit_find(ex, vg_less(r.high, factor), "%s: %s", words, text), race, a,
                            b);
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

static void keep(vgCurve *c, int k, const vgTrial *t, int nchannel)
{
    int good = t->status == VG_OK;
    double steps = (double)t->run.stats.steps, stages = t->row && t->row->stages > 0 ? t->row->stages : 1;
    c->step[k] = t->step;
    c->error[k] = good ? t->worst : NAN;
    c->second[k] = good && nchannel > 1 ? t->error[1] : NAN;
    c->seconds[k] = good ? t->run.solve_seconds : NAN;
    c->us[k] = good ? 1e6 * t->run.solve_seconds / steps : NAN;
    c->split[k] = (int)(t->run.stats.substeps + t->run.stats.newton_failures);
    c->iterations[k] =
        good && c->split[k] == 0 ? (double)t->run.stats.newton_iterations / (steps * stages) : NAN;
    c->energy_mean[k] = good ? t->energy_mean : NAN;
    c->energy_end[k] = good ? t->energy_end : NAN;
    c->drift[k] = good ? t->run.stats.max_phi_dot : NAN;
    if (!good && !c->failed++) snprintf(c->why, sizeof c->why, "%s", t->why);
}

static int reference_of(vgExhibit *ex, const vgSweep *s, const vgTrials *trials, vgTrial *reference)
{
    vgStatus status;
    vgAsk ask = {.model = s->model,
                 .coordinates = s->ref_coordinates,
                 .constraints = s->reference ? s->ref_constraints : "index1",
                 .integrator = s->reference ? s->reference : "dop853:rtol=1e-12,atol=1e-13",
                 .step = s->reference ? s->reference_step : 0,
                 .end = s->end};
    static const char REFERENCE[] = "reference "; /* it has no energies: not the trial with these words */
    char words[sizeof REFERENCE + RUN_WORDS];
    memcpy(words, REFERENCE, sizeof REFERENCE);
    memcpy(ask.set, s->set, sizeof ask.set);
    memcpy(ask.channel, s->channel, sizeof ask.channel);
    command_of(ex, &ask);
    words_of(&ask, words + (sizeof REFERENCE - 1));
    vgTrial *kept = s->reference ? vg_kept(words) : NULL;
    if (kept) { /* by another sweep of the same problem */
        *reference = *kept;
        free(kept);
        return 1;
    }
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
    else if (s->reference)
        vg_keep(words, reference, sizeof *reference);
    return status == VG_OK;
}

/* One trial of a sweep, run or kept by another sweep that shares it. */
static void run_trial(vgExhibit *ex, const vgSweep *s, vgTrials *trials, vgCurve *curve, int k,
                      vgTrial *trial)
{
    char words[RUN_WORDS];
    memset(trial, 0, sizeof *trial);
    text(trial->coordinates, sizeof trial->coordinates, curve->coordinates);
    text(trial->constraints, sizeof trial->constraints, curve->constraints);
    text(trial->integrator, sizeof trial->integrator, curve->integrator);
    trial->step = s->step[k] * (s->per_stage ? vg_method_stages(curve->integrator) : 1);
    trial->end = s->end;
    trial->energies = 1;
    trial->limit = s->limit;
    vgAsk ask = {.model = s->model,
                 .coordinates = curve->coordinates,
                 .constraints = curve->constraints,
                 .integrator = curve->integrator,
                 .step = trial->step,
                 .end = s->end};
    memcpy(ask.set, s->set, sizeof ask.set);
    memcpy(ask.channel, s->channel, sizeof ask.channel);
    curve->command[k] = command_of(ex, &ask);
    words_of(&ask, words);
    vgTrial *kept = s->shared ? vg_kept(words) : NULL;
    if (kept) {
        *trial = *kept;
        free(kept);
        return;
    }
    vg_trials_run(trials, trial, 1, 1);
    if (s->shared && trial->status == VG_OK) vg_keep(words, trial, sizeof *trial);
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
            run_trial(ex, s, &trials, &curve[i], k, trial);
            if (trial->status == VG_OK) vg_trial_judge(&trials, reference, trial);
            keep(&curve[i], k, trial, nchannel);
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
                   .log_y = y != VG_CURVE(iterations),
                   .marks = 1,
                   .nseries = n,
                   .series = series};
    vg_exhibit_plot(ex, &plot);
}

double vg_curve_slope(const vgCurve *c, const double *y, int nstep, double floor, double ceiling)
{
    double slope[VG_SWEEP_STEPS];
    int n = 0;
    for (int k = 1; k < nstep; k++) {
        if (!(y[k] > floor && y[k - 1] < ceiling && y[k - 1] > floor)) continue;
        slope[n++] = log(y[k - 1] / y[k]) / log(c->step[k - 1] / c->step[k]);
    }
    return median(slope, n);
}

void vg_sweep_halve(vgSweep *s, double first, int n)
{
    for (int k = 0; k < n; k++) s->step[s->nstep++] = first * pow(2, -k);
}

double vg_curve_step_to(const vgCurve *c, int nstep, double error)
{
    for (int k = 0; k < nstep; k++) {
        if (!(c->error[k] <= error)) continue;
        if (k == 0 || !(c->error[k - 1] > 0)) return c->step[k];
        double w = log(error / c->error[k - 1]) / log(c->error[k] / c->error[k - 1]);
        return exp(log(c->step[k - 1]) + w * log(c->step[k] / c->step[k - 1]));
    }
    return NAN;
}

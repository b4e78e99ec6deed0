/* verge sensitivity: derivatives of quantities and channels with respect to parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/study/sensitivity.h"
#include "cli/free.h"

/* Errors above this part of the derivative are worth a mark beside it. */
static const double ROUGH = 1e-3;

typedef struct Sensitivity {
    vgCliFree free;
    char **keep, **history;
    int nkeep, nhistory;
    double *times;
    long ntimes;
    double *y, *dy, *error;
    vgSensitivityBy by;
    char why[VG_SWEEP_WHY], instead[VG_SWEEP_WHY];
} Sensitivity;

/* Times of the histories: from 0 to the end at the interval. */
static int make_times(Sensitivity *s)
{
    vgCliFree *f = &s->free;
    vgModel *model = vg_model_of(f->source, f->set, f->batch.sweep.nset, f->diag);
    if (!model) return vg_free_bad(f, VG_BAD_INPUT);
    static const double MOST = 1e7; /* samples of a history */
    int code = vg_free_times(f->args, model, f->batch.sweep.end, MOST, &s->times, &s->ntimes);
    vg_model_free(model);
    if (code != VG_EXIT_OK) return code;
    f->batch.sweep.history = (const char *const *)s->history;
    f->batch.sweep.nhistory = s->nhistory;
    f->batch.sweep.times = s->times;
    f->batch.sweep.ntimes = s->ntimes;
    return VG_EXIT_OK;
}

static int ends_in_csv(const char *path)
{
    size_t n = path ? strlen(path) : 0;
    return n > 4 && strcmp(path + n - 4, ".csv") == 0;
}

static int prepare(Sensitivity *s, const vgArgs *args)
{
    const char *spec = vg_cli_value(args, "parameters"), *output = vg_cli_value(args, "output"),
               *histories = vg_cli_value(args, "history");
    if (!spec) return vg_cli_wrong("with respect to what? give --parameters NAME,…");
    if (histories && !output) return vg_cli_wrong("histories go into a file: -o FILE.csv");
    if (output && (!histories || !ends_in_csv(output)))
        return vg_cli_wrong(histories ? "'%s': expected the name of a .csv file"
                                      : "-o %s is for histories: give --history CHANNEL,…",
                            output);
    const char *by = vg_cli_value(args, "by");
    s->by = !by ? VG_BY_EITHER : strcmp(by, "steps") == 0 ? VG_BY_STEPS : VG_BY_DIFFERENCES;
    if (s->by == VG_BY_DIFFERENCES && strcmp(by, "differences") != 0)
        return vg_cli_wrong("--by %s: expected steps or differences", by);
    int n = vg_cli_given(args, "keep"), code = VG_EXIT_OK;
    if (n == 0 && !histories)
        return vg_cli_wrong("of what? give --keep 'final(joint.pin.angle)' or --history CHANNEL");
    for (int i = 0; i < n && code == VG_EXIT_OK; i++) {
        char **part, **all;
        int count;
        code = vg_free_split(vg_cli_nth(args, "keep", i), &part, &count);
        all = realloc(s->keep, (size_t)(s->nkeep + count + 1) * sizeof *all);
        if (!all) {
            vg_free_release(part, count);
            return VG_EXIT_FAILED;
        }
        s->keep = all;
        for (int k = 0; k < count; k++) s->keep[s->nkeep++] = part[k];
        free(part);
    }
    if (code == VG_EXIT_OK && histories) code = vg_free_split(histories, &s->history, &s->nhistory);
    if (code == VG_EXIT_OK)
        code = vg_free_open(&s->free, args, spec, 0, (const char *const *)s->keep, s->nkeep);
    if (code == VG_EXIT_OK && histories) code = make_times(s);
    return code == VG_EXIT_OK ? vg_free_check(&s->free) : code;
}

static int compute(Sensitivity *s)
{
    vgCliFree *f = &s->free;
    size_t length = (size_t)vg_batch_length(&f->batch), n = (size_t)f->batch.nparam;
    s->y = malloc(length * sizeof *s->y + 1);
    s->dy = malloc(n * length * sizeof *s->dy + 1);
    s->error = malloc(n * length * sizeof *s->error + 1);
    if (!s->y || !s->dy || !s->error) return vg_free_bad(f, VG_NO_MEMORY);
    vgStatus status =
        vg_sensitivities(&f->batch, f->value, NULL, s->by, s->y, s->dy, s->error, s->why, s->instead);
    if (status == VG_UNSUPPORTED) {
        vg_cli_wrong("not along the steps, because %s; --by differences takes whole runs", s->instead);
        return VG_EXIT_FAILED;
    }
    if (status != VG_OK) return vg_free_bad(f, status);
    if (!s->why[0]) return VG_EXIT_OK;
    vg_cli_wrong("a run failed: %s", s->why);
    return VG_EXIT_FAILED;
}

static void tell(const Sensitivity *s, double seconds)
{
    const vgCliFree *f = &s->free;
    const long length = vg_batch_length(&f->batch);
    vgText t = {0};
    vg_text_add(&t, "%s: %s\n  runs           %ld, %.3g s\n", vg_cli_word(f->args, 0), f->title,
                f->batch.runs, seconds);
    if (s->instead[0])
        vg_text_add(&t, "  derivatives    by differences of runs, because %s\n", s->instead);
    else
        vg_text_add(&t, "  derivatives    %s\n",
                    s->by == VG_BY_DIFFERENCES ? "by differences of runs" : "along the steps of the run");
    if (vg_cli_value(f->args, "output"))
        vg_text_add(&t, "  histories      %s: %ld samples\n", vg_cli_value(f->args, "output"), s->ntimes);
    for (int q = 0; q < s->nkeep; q++) {
        vg_text_add(&t, "  %s = %.9g\n    %-16s %16s %12s %16s\n", s->keep[q], s->y[q], "parameter",
                    "derivative", "error", "in % for 1 %");
        for (int k = 0; k < f->batch.nparam; k++) {
            double d = s->dy[k * length + q], e = s->error[k * length + q];
            vg_text_add(&t, "    %-16s %16.9g %12.2g %16.6g%s\n", f->name[k], d, e, d * f->value[k] / s->y[q],
                        e > ROUGH * fabs(d) ? "   rough" : "");
        }
    }
    vg_cli_print(&t);
}

static void tell_json(const Sensitivity *s, double seconds)
{
    const vgCliFree *f = &s->free;
    const long length = vg_batch_length(&f->batch);
    vgJson j = {0};
    vg_json_open(&j, NULL, '{');
    vg_cli_status(&j, 1, NULL);
    vg_json_open(&j, "parameters", '[');
    for (int k = 0; k < f->batch.nparam; k++) {
        vg_json_open(&j, NULL, '{');
        vg_json_text(&j, "name", f->name[k]);
        vg_json_number(&j, "value", f->value[k]);
        vg_json_close(&j);
    }
    vg_json_close(&j);
    vg_json_open(&j, "quantities", '[');
    for (int q = 0; q < s->nkeep; q++) {
        double d[VG_PLAN_PARAMETERS], e[VG_PLAN_PARAMETERS];
        for (int k = 0; k < f->batch.nparam; k++)
            d[k] = s->dy[k * length + q], e[k] = s->error[k * length + q];
        vg_json_open(&j, NULL, '{');
        vg_json_text(&j, "quantity", s->keep[q]);
        vg_json_number(&j, "value", s->y[q]);
        vg_json_numbers(&j, "derivatives", f->batch.nparam, d);
        vg_json_numbers(&j, "errors", f->batch.nparam, e);
        vg_json_close(&j);
    }
    vg_json_close(&j);
    vg_json_text(&j, "by", s->by == VG_BY_DIFFERENCES || s->instead[0] ? "differences" : "steps");
    vg_json_text(&j, "because", s->instead[0] ? s->instead : NULL);
    vg_json_int(&j, "runs", f->batch.runs);
    vg_json_number(&j, "seconds", seconds);
    vg_json_text(&j, "output", vg_cli_value(f->args, "output"));
    vg_json_close(&j);
    vg_cli_answer(&j);
}

/* time, each channel, then its derivatives: d(CHANNEL)/d(PARAMETER). */
static int write_histories(const Sensitivity *s)
{
    const vgCliFree *f = &s->free;
    const long length = vg_batch_length(&f->batch);
    const char *path = vg_cli_value(f->args, "output");
    if (!path) return VG_EXIT_OK;
    vgText t = {0};
    vg_text_add(&t, "time");
    for (int c = 0; c < s->nhistory; c++) {
        vg_text_add(&t, ",%s", s->history[c]);
        for (int k = 0; k < f->batch.nparam; k++) vg_text_add(&t, ",d(%s)/d(%s)", s->history[c], f->name[k]);
    }
    for (long i = 0; i < s->ntimes; i++) {
        vg_text_add(&t, "\n");
        vg_text_number(&t, s->times[i]);
        for (int c = 0; c < s->nhistory; c++) {
            long at = s->nkeep + i * s->nhistory + c;
            vg_text_add(&t, ",");
            vg_text_number(&t, s->y[at]);
            for (int k = 0; k < f->batch.nparam; k++)
                vg_text_add(&t, ","), vg_text_number(&t, s->dy[k * length + at]);
        }
    }
    vg_text_add(&t, "\n");
    int good = vg_cli_write_text(path, &t);
    vg_text_free(&t);
    return good ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static int sensitivity(const vgArgs *args)
{
    Sensitivity s = {0};
    int code = prepare(&s, args);
    if (code == VG_EXIT_OK) {
        vg_cli_catch_signals();
        vg_progress_start(&s.free.progress, vg_cli_given(args, "quiet") > 0);
        code = compute(&s);
        vg_progress_end(&s.free.progress);
    }
    if (code == VG_EXIT_OK) code = write_histories(&s);
    if (code == VG_EXIT_OK && vg_cli_given(args, "json"))
        tell_json(&s, vg_cli_clock() - s.free.started);
    else if (code == VG_EXIT_OK)
        tell(&s, vg_cli_clock() - s.free.started);
    vg_free_release(s.keep, s.nkeep);
    vg_free_release(s.history, s.nhistory);
    free(s.times), free(s.y), free(s.dy), free(s.error);
    vg_free_close(&s.free);
    return code;
}

static const vgOption options[] = {
    {"parameters", 0, "NAME,…",
     "parameters of the model; an initial value is one where the model is written so"},
    {"keep", 0, "QUANTITY,… …",
     "final(C), initial, max, min, mean, rms, crossing(C, level), or expressions of them"},
    {"history", 0, "CHANNEL,…", "derivatives of channels over time, into the file of -o"},
    {"interval", 0, "H", "of the histories, s (default: a 200th of the run)"},
    {"by", 0, "HOW", "steps, differences (default: steps where the model and the method allow it)"},
    {"output", 'o', "FILE.csv", "histories: time, channels, d(CHANNEL)/d(NAME)"},
    VG_FREE_OPTIONS,
    {0},
};

const vgCommand vg_cmd_sensitivity = {
    .name = "sensitivity",
    .usage = "MODEL.yaml --parameters NAME,… --keep QUANTITY [options]",
    .doc = "derivatives of quantities and channels with respect to parameters",
    .example =
        "  verge sensitivity models/pendulum.yaml --parameters L --keep 'final(joint.O.angle)'\n"
        "  verge sensitivity models/governor.yaml --parameters m,L --history energy.kinetic -o slopes.csv\n",
    .more =
        "The run is differentiated along its own steps: beside each step, one of variations for each "
        "parameter, "
        "with the factorised matrix of the run. Where that does not apply (explicit methods, located events, "
        "contacts, controllers), by central differences of whole runs with three steps, extrapolated; six "
        "runs "
        "for each parameter. Each derivative has an estimate of its error. Where that is large the quantity "
        "may "
        "have a corner or a jump.\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = sensitivity,
};

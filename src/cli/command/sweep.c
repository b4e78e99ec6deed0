/* verge sweep: one model, many parameters: quantities of every run in one file. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/h5/h5.h"
#include "cli/free.h"
#include "cli/page/job.h"
#include "cli/page/sheet.h"
#include "cli/page/study_page.h"
#include "cli/progress.h"
#include "cli/sweep_files.h"
#include "io/results.h"

typedef struct Study {
    const vgArgs *args;
    vgDiag *diag;
    vgSource *source;
    vgParamSet *set;
    char **keep; /* texts of the quantities, one block each list */
    int nkeep;
    vgPlan plan;
    vgQuantities *quantities;
    vgSweep sweep;
    vgStudyFiles files;
    vgSweepRun *run;
    double *values;
    char *why;      /* of all runs */
    char **history; /* channels */
    int nhistory;
    double *times, *histories; /* histories: of all runs */
    long ntimes;
    long rank, size; /* this process does parts rank, rank + size, … */
    long threads, before;
    vgProgress progress;
    double started;
    char title[200];
} Study;

/* ---- reading the command line ---- */

static int bad(Study *s, vgStatus status)
{
    int errors = vg_diag_errors(s->diag);
    vg_cli_say(s->diag);
    vg_diag_clear(s->diag);
    if (!errors) vg_cli_wrong("%s", vg_status_text(status));
    return status == VG_BAD_INPUT || status == VG_UNSUPPORTED || status == VG_INCONSISTENT ? VG_EXIT_INPUT
                                                                                           : VG_EXIT_FAILED;
}

/* The parts of "max(a), crossing(b, 2)" between commas outside brackets, added to s->keep. */
static int add_quantities(Study *s, const char *text)
{
    char **part, **more;
    int n, code = vg_free_split(text, &part, &n);
    more = realloc(s->keep, (size_t)(s->nkeep + n + 1) * sizeof *more);
    if (!more) {
        vg_free_release(part, n);
        return VG_EXIT_FAILED;
    }
    s->keep = more;
    for (int i = 0; i < n; i++) s->keep[s->nkeep++] = part[i];
    free(part);
    return code;
}

static int read_table(Study *s, const char *path)
{
    vgTableData *table = NULL;
    vgStatus status = vg_data_read(path, s->diag, &table);
    for (int c = 0; status == VG_OK && c < table->ncol; c++) {
        double *column = malloc((size_t)table->nrow * sizeof *column + 1);
        for (long i = 0; column && i < table->nrow; i++) column[i] = table->value[i * table->ncol + c];
        status =
            column ? vg_plan_column(&s->plan, table->name[c], column, table->nrow, s->diag) : VG_NO_MEMORY;
        free(column);
    }
    vg_data_free(table);
    return status == VG_OK ? VG_EXIT_OK : bad(s, status);
}

static int read_plan(Study *s)
{
    const char *table = vg_cli_value(s->args, "from"), *rule = vg_cli_value(s->args, "sample");
    long seed = 0;
    int n = vg_cli_given(s->args, "vary");
    if (vg_cli_count(s->args, "seed", 0, &seed) < 0) return VG_EXIT_INPUT;
    if (!table && n == 0)
        return vg_cli_wrong("what varies? give --vary NAME=FIRST:LAST:COUNT or --from FILE.csv");
    if (table && (n > 0 || rule))
        return vg_cli_wrong("--from has the values of every run; it goes without --vary and --sample");
    int code = table ? read_table(s, table) : VG_EXIT_OK;
    for (int i = 0; i < n && code == VG_EXIT_OK; i++) {
        vgStatus status = vg_plan_vary(&s->plan, vg_cli_nth(s->args, "vary", i), s->diag);
        if (status != VG_OK) code = bad(s, status);
    }
    if (code != VG_EXIT_OK) return code;
    vgStatus status = vg_plan_rule(&s->plan, rule, (uint64_t)seed, s->diag);
    return status == VG_OK ? VG_EXIT_OK : bad(s, status);
}

static int read_quantities(Study *s)
{
    int n = vg_cli_given(s->args, "keep"),
        code = n || vg_cli_given(s->args, "history")
                   ? VG_EXIT_OK
                   : vg_cli_wrong("what is kept? give --keep 'max(joint.pin.angle),final(energy.total)' or "
                                  "--history CHANNEL");
    for (int i = 0; i < n && code == VG_EXIT_OK; i++)
        code = add_quantities(s, vg_cli_nth(s->args, "keep", i));
    if (code != VG_EXIT_OK) return code;
    vgStatus status = vg_quantities_new((const char *const *)s->keep, s->nkeep, s->diag, &s->quantities);
    return status == VG_OK ? VG_EXIT_OK : bad(s, status);
}

/* Channels and times of the histories. */
static int read_histories(Study *s)
{
    const char *text = vg_cli_value(s->args, "history"), *output = vg_cli_value(s->args, "output");
    const size_t n = output ? strlen(output) : 0;
    static const double MOST = 1e6; /* samples of a history */
    if (!text) return VG_EXIT_OK;
    if (!output || (n > 4 && strcmp(output + n - 4, ".csv") == 0))
        return vg_cli_wrong("histories go into an HDF5 file: -o STUDY.h5");
    int code = vg_free_split(text, &s->history, &s->nhistory);
    if (code != VG_EXIT_OK) return code;
    vgModel *model = vg_model_of(s->source, s->set, s->sweep.nset, s->diag);
    if (!model) return bad(s, VG_BAD_INPUT);
    code = vg_free_times(s->args, model, s->sweep.end, MOST, &s->times, &s->ntimes);
    vg_model_free(model);
    if (code != VG_EXIT_OK) return code;
    s->sweep.history = s->files.history = (const char *const *)s->history;
    s->sweep.nhistory = s->files.nhistory = s->nhistory;
    s->sweep.times = s->files.times = s->times;
    s->sweep.ntimes = s->files.ntimes = s->ntimes;
    return VG_EXIT_OK;
}

/* What mpirun and srun set for each of their processes. */
static const struct {
    const char *rank, *size, *only_with;
} launcher[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL},
    {"PMI_RANK", "PMI_SIZE", NULL},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID"}, /* a batch script alone is not one of many */
};

/* A whole number of the environment; otherwise: where there is none. */
static long whole(const char *name, long otherwise)
{
    const char *text = getenv(name);
    char *end;
    long value = text ? strtol(text, &end, 10) : otherwise;
    return text && (end == text || *end) ? otherwise : value;
}

/* The share of a task of a Slurm array. Its processes, if it has several, share it further. */
static int share_of_array(Study *s)
{
    long id = whole("SLURM_ARRAY_TASK_ID", -1), n = whole("SLURM_ARRAY_TASK_COUNT", 1);
    if (id < 0 || n <= 1) return VG_EXIT_OK;
    long first = whole("SLURM_ARRAY_TASK_MIN", 0), step = whole("SLURM_ARRAY_TASK_STEP", 1);
    long last = whole("SLURM_ARRAY_TASK_MAX", first + (n - 1) * step);
    if (step < 1 || last - first != (n - 1) * step || id < first || id > last || (id - first) % step != 0)
        return vg_cli_wrong(
            "task %ld of a Slurm array: its tasks must be numbered evenly, as by --array=0-9, so that "
            "each has its share; or give --share K/N",
            id);
    s->rank += s->size * ((id - first) / step);
    s->size *= n;
    return VG_EXIT_OK;
}

static int read_share(Study *s)
{
    const char *share = vg_cli_value(s->args, "share");
    char more;
    s->size = 1;
    if (share) {
        if (sscanf(share, "%ld/%ld%c", &s->rank, &s->size, &more) != 2 || s->rank < 1 || s->rank > s->size)
            return vg_cli_wrong("--share %s: expected K/N with K from 1 to N", share);
        s->rank--;
        return VG_EXIT_OK;
    }
    for (size_t i = 0; i < sizeof launcher / sizeof launcher[0] && s->size == 1; i++) {
        if (launcher[i].only_with && !getenv(launcher[i].only_with)) continue;
        long rank = whole(launcher[i].rank, -1), size = whole(launcher[i].size, 1);
        if (rank >= 0 && rank < size) s->rank = rank, s->size = size;
    }
    return share_of_array(s);
}

static int stop(void *user)
{
    (void)user;
    return vg_cli_stop_asked();
}

static void show(void *user, long done)
{
    Study *s = user;
    vg_progress_count(&s->progress, s->before + done, s->plan.runs, "runs");
}

/* Whatever decides the numbers of the study. */
static uint64_t key_of(const Study *s, const vgModel *model)
{
    vgText t = {0};
    static const char *const named[] = {"coordinates", "constraints", "integrator", "step",    "end",
                                        "sample",      "seed",        "history",    "interval"};
    vg_text_add(&t, "%s\n", model->text ? model->text : "");
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        const char *value = vg_cli_value(s->args, named[i]);
        vg_text_add(&t, "%s=%s\n", named[i], value ? value : "");
    }
    for (int i = 0; i < vg_cli_given(s->args, "set"); i++)
        vg_text_add(&t, "set %s\n", vg_cli_nth(s->args, "set", i));
    for (int i = 0; i < s->nkeep; i++) vg_text_add(&t, "keep %s\n", s->keep[i]);
    uint64_t key = vg_h5_sum(0, vg_text_at(&t), t.used);
    for (long i = 0, step = s->plan.runs / 1000 + 1; i < s->plan.runs; i += step) {
        double value[VG_PLAN_PARAMETERS];
        vg_plan_values(&s->plan, i, value);
        key = vg_h5_sum(key, value, (size_t)s->plan.naxis * sizeof *value);
    }
    vg_text_free(&t);
    return key;
}

static int make_runs(Study *s)
{
    size_t n = (size_t)s->plan.runs, nq = (size_t)s->nkeep, nh = (size_t)s->ntimes * (size_t)s->nhistory;
    int fits = nh < INT_MAX && (nh == 0 || n < SIZE_MAX / 16 / nh);
    s->run = calloc(n, sizeof *s->run);
    s->values = malloc(n * nq * sizeof *s->values + 1);
    s->histories = fits ? malloc(n * nh * sizeof *s->histories + 1) : NULL;
    s->why = calloc(n, VG_SWEEP_WHY);
    for (size_t i = 0; s->histories && i < n * nh; i++) s->histories[i] = NAN;
    if (!s->run || !s->values || !s->why || !s->histories) {
        vg_cli_wrong("%ld runs with %d quantities do not fit into memory", s->plan.runs, s->nkeep);
        return VG_EXIT_FAILED;
    }
    for (size_t i = 0; i < n; i++)
        s->run[i] = (vgSweepRun){.index = (long)i,
                                 .quantity = s->values + i * nq,
                                 .history = nh ? s->histories + i * nh : NULL,
                                 .why = s->why + i * VG_SWEEP_WHY};
    return VG_EXIT_OK;
}

static int prepare(Study *s)
{
    const char *path = vg_cli_word(s->args, 0), *output = vg_cli_value(s->args, "output");
    s->diag = vg_diag_new();
    if (!s->diag) return VG_EXIT_FAILED;
    int nset = 0, code = read_share(s);
    if (code == VG_EXIT_OK) code = vg_sheet_check(vg_cli_value(s->args, "page"));
    if (code == VG_EXIT_OK && vg_cli_value(s->args, "page") && !vg_cli_given(s->args, "keep"))
        code = vg_cli_wrong("--page shows quantities: give --keep QUANTITY");
    if (code == VG_EXIT_OK && s->size > 1 && !output)
        code = vg_cli_wrong("shared runs need a file: -o STUDY.h5");
    if (code == VG_EXIT_OK && output && vg_results_check(output, s->diag) != VG_OK)
        code = bad(s, VG_BAD_INPUT);
    if (code == VG_EXIT_OK && vg_cli_given(s->args, "collect") && !output)
        code = vg_cli_wrong("--collect needs the file: -o STUDY.h5");
    if (code == VG_EXIT_OK && vg_cli_count(s->args, "threads", 1, &s->threads) < 0) code = VG_EXIT_INPUT;
    if (code == VG_EXIT_OK) code = read_plan(s);
    if (code == VG_EXIT_OK) code = read_quantities(s);
    if (code == VG_EXIT_OK) code = vg_cli_settings(s->args, &s->set, &nset);
    if (code != VG_EXIT_OK) return code;
    s->source = vg_source_new(path, NULL, 0, NULL, s->diag);
    if (!s->source) return bad(s, VG_BAD_INPUT);
    s->sweep = (vgSweep){.source = s->source,
                         .set = s->set,
                         .nset = nset,
                         .plan = &s->plan,
                         .quantities = s->quantities,
                         .dials = {vg_cli_value(s->args, "coordinates"), vg_cli_value(s->args, "constraints"),
                                   vg_cli_value(s->args, "integrator")},
                         .plain = vg_cli_given(s->args, "plain") > 0,
                         .cancelled = stop,
                         .done = show,
                         .user = s};
    if (vg_cli_number(s->args, "step", 1e-15, &s->sweep.step) < 0 ||
        vg_cli_number(s->args, "end", 1e-15, &s->sweep.end) < 0)
        return VG_EXIT_INPUT;
    code = read_histories(s);
    if (code != VG_EXIT_OK) return code;
    vgStatus status = vg_sweep_check(&s->sweep, s->diag);
    if (status == VG_BAD_INPUT || status == VG_UNSUPPORTED || status == VG_NO_MEMORY) return bad(s, status);
    vg_diag_clear(s->diag);
    vgModel *model = vg_model_of(s->source, s->set, s->sweep.nset, s->diag);
    if (!model) return bad(s, VG_BAD_INPUT);
    snprintf(s->title, sizeof s->title, "%s", model->title ? model->title : path);
    s->files.output = output;
    s->files.title = s->title;
    s->files.key = key_of(s, model);
    s->files.plan = &s->plan;
    s->files.quantities = s->quantities;
    vg_model_free(model);
    code = make_runs(s);
    s->files.run = s->run;
    return code;
}

/* ---- running ---- */

static int fail(const char *why)
{
    vg_cli_wrong("%s", why);
    return VG_EXIT_FAILED;
}

/* Parts that are there are read; with --resume they are not run again. */
static int read_parts(Study *s, long nparts)
{
    char why[VG_SWEEP_WHY];
    for (long part = 0; part < nparts; part++)
        if (vg_sweep_read_part(&s->files, part, why) < 0) return fail(why);
    return VG_EXIT_OK;
}

static int run_parts(Study *s)
{
    char why[VG_SWEEP_WHY];
    long size = vg_sweep_part_size(s->plan.runs), nparts = (s->plan.runs + size - 1) / size;
    int resume = vg_cli_given(s->args, "resume") > 0, collect = vg_cli_given(s->args, "collect") > 0;
    if (!collect && !vg_sweep_make_folder(&s->files, why)) return fail(why);
    if ((resume || collect) && read_parts(s, nparts) != VG_EXIT_OK) return VG_EXIT_FAILED;
    for (long part = s->rank; part < nparts && !collect; part += s->size) {
        long first = part * size, end = first + size < s->plan.runs ? first + size : s->plan.runs,
             missing = 0;
        for (long i = first; i < end; i++) missing += s->run[i].state == VG_SWEEP_MISSING;
        s->before = first;
        if (missing == 0) continue;
        vgStatus status = vg_sweep_runs(&s->sweep, s->run + first, end - first, (int)s->threads);
        if (status == VG_NO_MEMORY)
            return fail("out of memory; parts that were finished are kept, go on with --resume");
        if (status != VG_OK)
            return fail("interrupted; parts that were finished are kept, go on with --resume");
        if (!vg_sweep_write_part(&s->files, part, why)) return fail(why);
    }
    if (s->size > 1 && !collect) return VG_EXIT_OK;
    if (!vg_sweep_write_all(&s->files, why)) return fail(why);
    for (long i = 0; i < s->plan.runs; i++)
        if (s->run[i].state == VG_SWEEP_MISSING) return VG_EXIT_OK; /* the parts are needed still */
    vg_sweep_remove_parts(&s->files);
    return VG_EXIT_OK;
}

static int run_all(Study *s)
{
    if (s->files.output) return run_parts(s);
    vgStatus status = vg_sweep_runs(&s->sweep, s->run, s->plan.runs, (int)s->threads);
    return status == VG_OK ? VG_EXIT_OK : fail(status == VG_NO_MEMORY ? "out of memory" : "interrupted");
}

/* ---- the answer ---- */

typedef struct Figures {
    long n;
    double mean, deviation, least, most;
} Figures;

static Figures figures_of(const Study *s, int q)
{
    Figures f = {.least = INFINITY, .most = -INFINITY};
    double square = 0;
    for (long i = 0; i < s->plan.runs; i++) { /* Welford's sums */
        double x = s->run[i].quantity[q];
        if (s->run[i].state != VG_SWEEP_OK || isnan(x)) continue;
        double off = x - f.mean;
        f.mean += off / (double)++f.n;
        square += off * (x - f.mean);
        f.least = fmin(f.least, x);
        f.most = fmax(f.most, x);
    }
    f.deviation = f.n > 1 ? sqrt(square / (double)(f.n - 1)) : NAN;
    if (f.n == 0) f.mean = f.least = f.most = NAN;
    return f;
}

static void count(const Study *s, long of[3])
{
    of[0] = of[1] = of[2] = 0;
    for (long i = 0; i < s->plan.runs; i++) of[s->run[i].state]++;
}

static void tell(const Study *s, const long of[3], double seconds)
{
    vgText t = {0};
    vg_text_add(&t,
                "%s: %s\n  runs           %ld: %ld done, %ld failed, %ld missing\n  time spent     %.3g s",
                vg_cli_word(s->args, 0), s->title, s->plan.runs, of[VG_SWEEP_OK], of[VG_SWEEP_FAILED],
                of[VG_SWEEP_MISSING], seconds);
    if (s->size > 1)
        vg_text_add(&t, "\n  share          %ld of %ld; verge sweep … --collect makes one file", s->rank + 1,
                    s->size);
    if (s->files.output && s->size == 1) vg_text_add(&t, "\n  results        %s", s->files.output);
    vg_text_add(&t, "\n  %-36s %12s %12s %12s %12s\n", "quantity", "mean", "deviation", "least", "most");
    for (int q = 0; q < s->nkeep; q++) {
        Figures f = figures_of(s, q);
        vg_text_add(&t, "  %-36s %12.6g %12.4g %12.6g %12.6g\n", s->keep[q], f.mean, f.deviation, f.least,
                    f.most);
    }
    long told = 0;
    for (long i = 0; i < s->plan.runs && told < 3; i++)
        if (s->run[i].state == VG_SWEEP_FAILED && ++told)
            vg_text_add(&t, "  run %ld failed: %s\n", i, s->run[i].why);
    if (of[VG_SWEEP_FAILED] > told) vg_text_add(&t, "  … and %ld more\n", of[VG_SWEEP_FAILED] - told);
    vg_cli_print(&t);
}

static void tell_json(const Study *s, const long of[3], double seconds, int good)
{
    vgJson j = {0};
    vg_json_open(&j, NULL, '{');
    vg_cli_status(&j, good, of[VG_SWEEP_OK] ? "some runs are missing" : "no run ended well");
    vg_json_int(&j, "runs", s->plan.runs);
    vg_json_int(&j, "done", of[VG_SWEEP_OK]);
    vg_json_int(&j, "failed", of[VG_SWEEP_FAILED]);
    vg_json_int(&j, "missing", of[VG_SWEEP_MISSING]);
    vg_json_number(&j, "seconds", seconds);
    vg_json_text(&j, "output", s->files.output);
    vg_json_open(&j, "quantities", '[');
    for (int q = 0; q < s->nkeep; q++) {
        Figures f = figures_of(s, q);
        vg_json_open(&j, NULL, '{');
        vg_json_text(&j, "quantity", s->keep[q]);
        vg_json_int(&j, "n", f.n);
        vg_json_number(&j, "mean", f.mean);
        vg_json_number(&j, "deviation", f.deviation);
        vg_json_number(&j, "least", f.least);
        vg_json_number(&j, "most", f.most);
        vg_json_close(&j);
    }
    vg_json_close(&j);
    vg_json_open(&j, "failures", '[');
    for (long i = 0, told = 0; i < s->plan.runs && told < 20; i++) {
        if (s->run[i].state != VG_SWEEP_FAILED) continue;
        told++;
        vg_json_open(&j, NULL, '{');
        vg_json_int(&j, "run", i);
        vg_json_text(&j, "why", s->run[i].why);
        vg_json_close(&j);
    }
    vg_json_close(&j);
    vg_json_close(&j);
    vg_cli_answer(&j);
}

/* The page of all runs; a share of them has none. */
static int write_page(const Study *s)
{
    const char *path = vg_cli_value(s->args, "page");
    static const char *const named[] = {"end", "step", "coordinates", "constraints", "integrator"};
    vgText command = {0}, page = {0};
    if (!path || s->size > 1) return VG_EXIT_OK;
    vg_text_add(&command, "verge run %s", vg_cli_word(s->args, 0));
    for (int i = 0; i < vg_cli_given(s->args, "set"); i++)
        vg_text_add(&command, " --set '%s'", vg_cli_nth(s->args, "set", i));
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (vg_cli_value(s->args, named[i]))
            vg_text_add(&command, " --%s %s", named[i], vg_cli_value(s->args, named[i]));
    vgStudyFiles files = s->files;
    files.run = s->run;
    int good = vg_study_page(&files, vg_text_at(&command), &page);
    if (!good) page.failed = 1;
    good = vg_cli_write_text(path, &page);
    vg_text_free(&command);
    vg_text_free(&page);
    return good ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static void close_study(Study *s)
{
    for (int i = 0; i < s->nkeep; i++) free(s->keep[i]);
    free(s->keep);
    vg_quantities_free(s->quantities);
    vg_plan_free(&s->plan);
    vg_source_free(s->source);
    vg_diag_free(s->diag);
    free(s->set);
    free(s->run);
    free(s->values);
    free(s->why);
    vg_free_release(s->history, s->nhistory);
    free(s->times);
    free(s->histories);
}

static int sweep(const vgArgs *args)
{
    Study s = {.args = args, .started = vg_cli_clock()};
    int code = prepare(&s);
    if (code == VG_EXIT_OK) {
        long of[3];
        vg_cli_catch_signals();
        vg_progress_start(&s.progress, vg_cli_given(args, "quiet") > 0);
        code = run_all(&s);
        vg_progress_end(&s.progress);
        count(&s, of);
        if (code == VG_EXIT_OK && of[VG_SWEEP_OK] > 0) code = write_page(&s);
        if (of[VG_SWEEP_OK] == 0 || (s.size == 1 && of[VG_SWEEP_MISSING])) code = VG_EXIT_FAILED;
        double seconds = vg_cli_clock() - s.started;
        if (vg_cli_given(args, "json"))
            tell_json(&s, of, seconds, code == VG_EXIT_OK);
        else
            tell(&s, of, seconds);
    }
    close_study(&s);
    return code;
}

static const vgOption options[] = {
    {"vary", 0, "SPEC …", "parameter: k=10:100:20, k=1,2,5, k=10:100, m~normal(3,0.1), uniform, lognormal"},
    {"from", 0, "FILE.csv", "values of every run: a column a parameter, a line a run"},
    {"sample", 0, "RULE:N", "sobol:N, lhs:N (Latin hypercube) or random:N runs (default: all combinations)"},
    {"seed", 0, "N", "of the samples (default 0)"},
    {"keep", 0, "QUANTITY,… …",
     "final(C), initial, max, min, mean, rms, crossing(C, level), or expressions of them"},
    {"history", 0, "CHANNEL,…", "channels over time, of every run, into the HDF5 file of -o"},
    {"interval", 0, "H", "of the histories, s (default: a 200th of the run)"},
    {"end", 0, "T", "end time, s (default: the model's)"},
    {"step", 0, "H", "step, s (default: the model's)"},
    {"coordinates", 0, "C", "coordinates (default: the model's)"},
    {"constraints", 0, "K", "constraints (default: the model's)"},
    {"integrator", 0, "NAME[:…]", "integrator (default: the model's)"},
    {"set", 0, "P=VALUE …", "parameter that all runs share; may be given several times"},
    {"output", 'o', "FILE.h5|.csv", "parameters, quantities and state of every run"},
    {"page", 0, "PAGE.html", "a page of the study: scatter, response curves, tornado, Sobol's indices"},
    {"threads", 0, "N", "parallel runs (default: number of cores); results do not depend on it"},
    {"share", 0, "K/N", "only the K-th of N shares; mpirun, srun and Slurm arrays set it themselves"},
    {"resume", 0, NULL, "go on with a study that was stopped"},
    {"collect", 0, NULL, "runs nothing: one file of the parts that workers have written"},
    {"plain", 0, NULL, "no fast paths"},
    {"quiet", 'q', NULL, "no progress"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_sweep = {
    .name = "sweep",
    .usage = "MODEL.yaml --vary SPEC --keep QUANTITY [options]",
    .doc = "run a model with many values of its parameters; quantities of every run",
    .example =
        "  verge sweep models/cart-pole.yaml --vary k=10:100:20 --keep 'max(joint.pin.angle)' -o study.h5\n"
        "  verge sweep models/governor.yaml --vary 'm~normal(3,0.1)' --sample sobol:1024 --keep "
        "'final(energy.total)'\n"
        "  mpirun -n 4 verge sweep MODEL.yaml … -o study.h5; verge sweep MODEL.yaml … -o study.h5 "
        "--collect\n",
    .more = "A run that fails is counted and keeps its reason; its quantities are NaN. With -o, finished "
            "parts of the study are kept in FILE.parts until all runs are done, so that --resume goes on "
            "after a stop.\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = sweep,
};

/* verge linearize: the matrices A, B, C, D of a model about a state. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "analysis/modes/linear_model.h"
#include "analysis/modes/transfer.h"
#include "cli/moment.h"
#include "io/results.h"
#include "linalg/eig.h"

typedef struct Job {
    vgMoment m;
    int nu, *input;
    vgChannels *outputs; /* NULL: the states */
    vgLinearModel model;
    double *re, *im; /* its eigenvalues, or the response [n × outputs × nu] */
    int n;           /* frequencies; 0: the matrices are wanted */
    double *frequency;
} Job;

static int count_of(const Job *j)
{
    return vg_channels_count(j->outputs) * j->nu;
}

/* ---- what is asked for ---- */

/* The measure of a held number by its whole name or that of an input; −1 after a report. */
static int held(const vgModel *m, const char *option, const char *name)
{
    vgText all = {0};
    int at = vg_linear_input(m, name);
    if (at >= 0) return at;
    for (int i = 0; i < m->nmeasure; i++)
        if (m->measure[i].measure.kind == VG_MEASURE_INPUT)
            vg_text_add(&all, "%s%s", all.used ? ", " : "", m->measure[i].name);
    if (all.used)
        vg_cli_wrong("--%s: the model has no input '%s'; it has %s", option, name, vg_text_at(&all));
    else
        vg_cli_wrong("--%s: the model has no inputs; a law makes one by naming it: input.%s", option, name);
    vg_text_free(&all);
    return -1;
}

/* --hold NAME=VALUE: the input is that, here and on the way here. */
static int hold(const vgArgs *args, Job *j)
{
    const vgSystem *sys = j->m.sim.sys;
    vgState *s = j->m.sim.state;
    for (int i = 0; i < vg_cli_given(args, "hold"); i++) {
        const char *text = vg_cli_nth(args, "hold", i), *equal = strchr(text, '=');
        char name[128], *end = NULL;
        double value = equal ? strtod(equal + 1, &end) : 0;
        if (!equal || equal == text || end == equal + 1 || *end || !isfinite(value) ||
            equal - text >= (long)sizeof name)
            return vg_cli_wrong("--hold: '%s' must be NAME=NUMBER", text);
        snprintf(name, sizeof name, "%.*s", (int)(equal - text), text);
        int at = held(sys->model, "hold", name);
        if (at < 0) return VG_EXIT_INPUT;
        s->turn[sys->model->measure[at].measure.turn] = value;
    }
    if (!vg_cli_given(args, "hold")) return VG_EXIT_OK;
    vgStatus st = sys->ops->accel(sys, j->m.sim.it->work, s->t, s->q, s->v, s->a, s->lambda);
    return st == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&j->m.job, st);
}

static void add_input(Job *j, int measure)
{
    for (int i = 0; i < j->nu; i++)
        if (j->input[i] == measure) return;
    j->input[j->nu++] = measure;
}

/* --inputs, else all input.NAME, else what controllers hold. */
static int choose_inputs(const vgArgs *args, Job *j)
{
    const vgModel *model = j->m.job.model;
    const char *wanted = vg_cli_value(args, "inputs");
    int n = 0, code = VG_EXIT_OK;
    char **name = vg_cli_split(wanted ? wanted : "", &n);
    j->input = calloc((size_t)model->nmeasure + 1, sizeof *j->input);
    if (!name || !j->input) code = VG_EXIT_FAILED;
    if (code == VG_EXIT_OK && !wanted) j->nu = vg_linear_inputs(model, j->input);
    for (int i = 0; code == VG_EXIT_OK && i < n; i++) {
        int at = held(model, "inputs", name[i]);
        if (at < 0)
            code = VG_EXIT_INPUT;
        else
            add_input(j, at);
    }
    free(name);
    return code;
}

/* --outputs, else what the model records, else the states. */
static int choose_outputs(const vgArgs *args, Job *j)
{
    const vgModel *model = j->m.job.model;
    const char *wanted = vg_cli_value(args, "outputs");
    int n = 0;
    char **name = vg_cli_split(wanted ? wanted : "", &n);
    vgStatus st = name ? VG_OK : VG_NO_MEMORY;
    if (st == VG_OK && wanted && !(n == 1 && strcmp(name[0], "states") == 0))
        st = vg_channels_new(j->m.sim.sys, (const char *const *)name, n, j->m.job.diag, &j->outputs);
    else if (st == VG_OK && !wanted && model->nrecord)
        st = vg_channels_new(j->m.sim.sys, model->record, model->nrecord, j->m.job.diag, &j->outputs);
    free(name);
    return st == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&j->m.job, st);
}

enum { MOST_FREQUENCIES = 100000 };

/* --transfer FROM:TO:N, Hz, each the last one times the same factor. */
static int read_frequencies(const vgArgs *args, Job *j)
{
    const char *text = vg_cli_value(args, "transfer");
    double from, to;
    char rest;
    if (!text) return VG_EXIT_OK;
    if (sscanf(text, "%lf:%lf:%d%c", &from, &to, &j->n, &rest) != 3 || !(from > 0) || !(to >= from) ||
        !isfinite(to))
        return vg_cli_wrong("--transfer: '%s' must be FROM:TO:NUMBER, frequencies in Hz with 0 < FROM <= TO",
                            text);
    if (j->n < 1 || j->n > MOST_FREQUENCIES)
        return vg_cli_wrong("--transfer: '%s': the number of frequencies must be 1 to %d", text,
                            MOST_FREQUENCIES);
    j->frequency = calloc((size_t)j->n, sizeof *j->frequency);
    for (int k = 0; j->frequency && k < j->n; k++)
        j->frequency[k] = k ? from * pow(to / from, (double)k / (j->n - 1)) : from;
    return j->frequency ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static int respond(Job *j)
{
    if (!j->outputs)
        return vg_cli_wrong("--transfer: name the channels that respond: --outputs CHANNELS (a model's "
                            "recorded channels, if it has such)");
    if (j->nu == 0)
        return vg_cli_wrong("--transfer: the model has no inputs; a law makes one by naming it: input.%s",
                            "NAME");
    j->re = calloc(2 * (size_t)j->n * (size_t)count_of(j) + 1, sizeof *j->re);
    j->im = j->re ? j->re + (size_t)j->n * (size_t)count_of(j) : NULL;
    vgStatus st = j->re ? vg_transfer(j->m.sim.sys, j->m.sim.it->work, j->m.sim.state, j->nu, j->input,
                                      j->outputs, j->n, j->frequency, j->m.job.diag, j->re, j->im)
                        : VG_NO_MEMORY;
    return st == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&j->m.job, st);
}

static int find(const vgArgs *args, Job *j)
{
    double t = 0;
    if (vg_cli_number(args, "at", 0, &t) < 0) return VG_EXIT_INPUT;
    int code = read_frequencies(args, j);
    if (code == VG_EXIT_OK) code = vg_moment_open(args, &j->m);
    if (code == VG_EXIT_OK) code = hold(args, j);
    if (code == VG_EXIT_OK) code = choose_inputs(args, j);
    if (code == VG_EXIT_OK) code = choose_outputs(args, j);
    if (code == VG_EXIT_OK)
        code = vg_cli_given(args, "equilibrium") ? vg_moment_rest(args, &j->m, t)
                                                 : vg_moment_run(args, &j->m, t);
    if (code != VG_EXIT_OK || j->n) return code == VG_EXIT_OK ? respond(j) : code;
    vgLinearModel *m = &j->model;
    vgStatus st = vg_linear_model(j->m.sim.sys, j->m.sim.it->work, j->m.sim.state, j->nu, j->input,
                                  j->outputs, j->m.job.diag, m);
    if (st == VG_OK) {
        j->re = calloc(2 * (size_t)m->nx + 1, sizeof *j->re);
        j->im = j->re ? j->re + m->nx : NULL;
        st = j->re ? vg_eig_general(m->A, m->nx, j->re, j->im, NULL) : VG_NO_MEMORY;
    }
    return st == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&j->m.job, st);
}

/* ---- answers ---- */

enum { WIDE = 12 }; /* columns that a screen can show */

static void texts_json(vgJson *json, const char *key, int n, const char *const *text)
{
    vg_json_open(json, key, '[');
    for (int i = 0; i < n; i++) vg_json_text(json, NULL, text[i]);
    vg_json_close(json);
}

static void matrix_json(vgJson *json, const char *key, int m, int n, const double *x)
{
    vg_json_open(json, key, '[');
    for (int i = 0; i < m; i++) vg_json_numbers(json, NULL, n, x + (size_t)i * (size_t)n);
    vg_json_close(json);
}

static vgJson begin_json(int code, const char *warning)
{
    vgJson json = {.indent = 2};
    vg_json_open(&json, NULL, '{');
    vg_cli_status(&json, code == VG_EXIT_OK, NULL);
    vg_json_text(&json, "warning", warning);
    texts_json(&json, "warnings", warning != NULL, &warning);
    return json;
}

static void tell_json(const Job *j, int code, const char *warning)
{
    const vgLinearModel *m = &j->model;
    vgJson json = begin_json(code, warning);
    if (code == VG_EXIT_OK) {
        vg_json_number(&json, "time", m->t);
        texts_json(&json, "states", m->nx, m->state);
        texts_json(&json, "state_units", m->nx, m->unit);
        texts_json(&json, "inputs", m->nu, m->input);
        texts_json(&json, "outputs", m->ny, m->output);
        texts_json(&json, "output_units", m->ny, m->ounit);
        matrix_json(&json, "A", m->nx, m->nx, m->A);
        matrix_json(&json, "B", m->nx, m->nu, m->B);
        matrix_json(&json, "C", m->ny, m->nx, m->C);
        matrix_json(&json, "D", m->ny, m->nu, m->D);
        vg_json_numbers(&json, "x0", m->nx, m->x);
        vg_json_numbers(&json, "rate0", m->nx, m->rate);
        vg_json_numbers(&json, "u0", m->nu, m->u);
        vg_json_numbers(&json, "y0", m->ny, m->y);
        vg_json_open(&json, "eigenvalues", '[');
        for (int i = 0; i < m->nx; i++) vg_json_numbers(&json, NULL, 2, (double[]){j->re[i], j->im[i]});
        vg_json_close(&json);
    }
    vg_json_close(&json);
    vg_cli_answer(&json);
}

/* Name of pair k of an output and an input, and its numbers at all frequencies, which follow each other by `count_of`. */
static void pair_name(const Job *j, int k, const char *tail, char text[400])
{
    snprintf(text, 400, "%.180s/%.180s%s", vg_channels_name(j->outputs, k / j->nu),
             j->m.sim.sys->model->measure[j->input[k % j->nu]].name, tail);
}

static void series_json(vgJson *json, const char *key, const Job *j, const double *x)
{
    vg_json_open(json, key, '[');
    for (int i = 0; i < j->n; i++) vg_json_number(json, NULL, x[i * count_of(j)]);
    vg_json_close(json);
}

static void response_json(const Job *j, int code, const char *warning)
{
    vgJson json = begin_json(code, warning);
    if (code == VG_EXIT_OK) {
        vg_json_number(&json, "time", j->m.sim.state->t);
        vg_json_numbers(&json, "frequencies", j->n, j->frequency);
        vg_json_open(&json, "transfer", '[');
        for (int k = 0; k < count_of(j); k++) {
            vg_json_open(&json, NULL, '{');
            vg_json_text(&json, "output", vg_channels_name(j->outputs, k / j->nu));
            vg_json_text(&json, "output_unit", vg_channels_unit(j->outputs, k / j->nu));
            vg_json_text(&json, "input", j->m.sim.sys->model->measure[j->input[k % j->nu]].name);
            series_json(&json, "real", j, j->re + k);
            series_json(&json, "imaginary", j, j->im + k);
            vg_json_close(&json);
        }
        vg_json_close(&json);
    }
    vg_json_close(&json);
    vg_cli_answer(&json);
}

static void response_table(const Job *j)
{
    char name[400];
    const double degree = acos(-1.0) / 180;
    for (int k = 0; k < count_of(j); k++) {
        pair_name(j, k, "", name);
        printf("%s%s\n  %15s %15s %15s\n", k ? "\n" : "", name, "frequency, Hz", "amplitude",
               "phase, degrees");
        for (int i = 0; i < j->n; i++) {
            const double a = j->re[i * count_of(j) + k], b = j->im[i * count_of(j) + k];
            printf("  %15.7g %15.7g %15.4f\n", j->frequency[i], hypot(a, b), atan2(b, a) / degree);
        }
    }
}

/* A block of rows [M N]; what is rounding beside the largest entry is shown as 0. */
static void block(const char *title, int rows, const char *const *name, int nx, const double *M, int nu,
                  const double *N)
{
    double big = 0;
    for (int i = 0; i < rows * nx; i++) big = fmax(big, fabs(M[i]));
    for (int i = 0; i < rows * nu; i++) big = fmax(big, fabs(N[i]));
    if (rows) printf("\n%s\n", title);
    for (int i = 0; i < rows; i++) {
        printf("  %-28s", name[i]);
        for (int k = 0; k < nx + nu; k++) {
            double x = k < nx ? M[i * nx + k] : N[i * nu + k - nx];
            printf("%s %11.5g", k == nx ? "  |" : "", fabs(x) > 1e-10 * big ? x : 0.0);
        }
        printf("\n");
    }
}

/* Whether it is a rest, a steady motion or neither. */
static void tell_drift(const vgLinearModel *m)
{
    double moves = 0, changes = 0;
    int at = 0;
    for (int i = 0; i < m->nx; i++) {
        if (i < m->np) moves = fmax(moves, fabs(m->rate[i]));
        if (i >= m->np && fabs(m->rate[i]) > changes) changes = fabs(m->rate[i]), at = i;
    }
    if (changes > 1e-8 * fmax(1, moves))
        printf("  neither a rest nor a steady motion: %s changes by %.4g %s per second, and what is linear "
               "goes on top of that\n",
               m->state[at], m->rate[at], m->unit[at]);
    else
        puts(moves > 1e-8 ? "  a steady motion" : "  a rest");
}

static void tell_table(const Job *j)
{
    const vgLinearModel *m = &j->model;
    printf("linear model at t = %g s: %d state%s, %d input%s, %d output%s\n", m->t, m->nx,
           m->nx == 1 ? "" : "s", m->nu, m->nu == 1 ? "" : "s", m->ny, m->ny == 1 ? "" : "s");
    for (int i = 0; i < m->nx; i++)
        printf("  x%-3d %-28s at %12.6g %s\n", i + 1, m->state[i], fabs(m->x[i]) < 1e-15 ? 0.0 : m->x[i],
               m->unit[i]);
    for (int i = 0; i < m->nu; i++) printf("  u%-3d %-28s at %12.6g\n", i + 1, m->input[i], m->u[i]);
    tell_drift(m);
    if (m->nx + m->nu <= WIDE) {
        block("rates of the states by states | inputs: [A B]", m->nx, m->state, m->nx, m->A, m->nu, m->B);
        block("outputs by states | inputs: [C D]", m->ny, m->output, m->nx, m->C, m->nu, m->D);
    } else {
        puts("\nthe matrices are too wide for a screen: --output FILE or --json has them");
    }
    double largest = 0; /* a double eigenvalue 0 is known to the root of round-off */
    for (int i = 0; i < m->nx; i++) largest = fmax(largest, hypot(j->re[i], j->im[i]));
    printf("\neigenvalues of A, 1/s\n");
    for (int i = 0; i < m->nx; i++) {
        if (j->im[i] < 0) continue;
        printf("  %15.7g", fabs(j->re[i]) > 3e-7 * largest ? j->re[i] : 0);
        printf(j->im[i] > 3e-7 * largest ? " ± %.7g i\n" : "\n", j->im[i]);
    }
}

/* ---- files ---- */

static vgStatus write_h5(const vgLinearModel *m, const char *title, const char *to)
{
    const vgNamedMatrix set[] = {
        {"A", m->nx, m->nx, m->A, NULL},
        {"B", m->nx, m->nu, m->B, NULL},
        {"C", m->ny, m->nx, m->C, NULL},
        {"D", m->ny, m->nu, m->D, NULL},
        {"x0", m->nx, -1, m->x, NULL},
        {"rate0", m->nx, -1, m->rate, NULL},
        {"u0", m->nu, -1, m->u, NULL},
        {"y0", m->ny, -1, m->y, NULL},
        {"time", 1, -1, &m->t, NULL},
        {"states", m->nx, -1, NULL, m->state},
        {"inputs", m->nu, -1, NULL, m->input},
        {"outputs", m->ny, -1, NULL, m->output},
        {"state_units", m->nx, -1, NULL, m->unit},
        {"output_units", m->ny, -1, NULL, m->ounit},
    };
    return vg_matrices_write(to, title, (int)(sizeof set / sizeof *set), set);
}

static void csv_rows(vgText *t, int rows, const char *prefix, const char *const *name, const vgLinearModel *m,
                     const double *M, const double *N)
{
    for (int i = 0; i < rows; i++) {
        vg_text_add(t, "%s%s", prefix, name[i]);
        for (int k = 0; k < m->nx + m->nu; k++) {
            vg_text_add(t, ",");
            vg_text_number(t, k < m->nx ? M[i * m->nx + k] : N[i * m->nu + k - m->nx]);
        }
        vg_text_add(t, "\n");
    }
}

/* One table [A B; C D] with names of its rows and columns. */
static int write_csv(const vgLinearModel *m, const char *to)
{
    vgText t = {0};
    for (int i = 0; i < m->nx; i++) vg_text_add(&t, ",%s", m->state[i]);
    for (int i = 0; i < m->nu; i++) vg_text_add(&t, ",%s", m->input[i]);
    vg_text_add(&t, "\n");
    csv_rows(&t, m->nx, "d/dt ", m->state, m, m->A, m->B);
    csv_rows(&t, m->ny, "", m->output, m, m->C, m->D);
    int ok = vg_cli_write_text(to, &t);
    vg_text_free(&t);
    return ok;
}

static int write_response_csv(const Job *j, const char *to)
{
    vgText t = {0};
    char name[400];
    vg_text_add(&t, "frequency");
    for (int k = 0; k < 2 * count_of(j); k++) {
        pair_name(j, k / 2, k % 2 ? " imaginary" : " real", name);
        vg_text_add(&t, ",%s", name);
    }
    for (int i = 0; i < j->n; i++) {
        vg_text_add(&t, "\n");
        vg_text_number(&t, j->frequency[i]);
        for (int k = 0; k < 2 * count_of(j); k++) {
            vg_text_add(&t, ",");
            vg_text_number(&t, (k % 2 ? j->im : j->re)[i * count_of(j) + k / 2]);
        }
    }
    vg_text_add(&t, "\n");
    int ok = vg_cli_write_text(to, &t);
    vg_text_free(&t);
    return ok;
}

static vgStatus write_response_h5(const Job *j, const char *to)
{
    const int pairs = count_of(j), ny = pairs / j->nu;
    const char **name = calloc((size_t)(ny + j->nu), sizeof *name);
    if (!name) return VG_NO_MEMORY;
    for (int i = 0; i < ny; i++) name[i] = vg_channels_name(j->outputs, i);
    for (int i = 0; i < j->nu; i++) name[ny + i] = j->m.sim.sys->model->measure[j->input[i]].name;
    const vgNamedMatrix set[] = {
        {"frequencies", j->n, -1, j->frequency, NULL}, {"real", j->n, pairs, j->re, NULL},
        {"imaginary", j->n, pairs, j->im, NULL},       {"outputs", ny, -1, NULL, name},
        {"inputs", j->nu, -1, NULL, name + ny},
    };
    vgStatus st = vg_matrices_write(to, j->m.job.model->title, (int)(sizeof set / sizeof *set), set);
    free(name);
    return st;
}

static int write_file(const Job *j, const char *to)
{
    const size_t n = strlen(to);
    if (j->n) {
        if (n > 4 && strcmp(to + n - 4, ".csv") == 0)
            return write_response_csv(j, to) ? VG_EXIT_OK : VG_EXIT_FAILED;
        if (write_response_h5(j, to) == VG_OK) return VG_EXIT_OK;
        vg_cli_wrong("'%s' could not be written: %s", to, vg_file_why(errno ? errno : ENOMEM));
        return VG_EXIT_FAILED;
    }
    if (n > 4 && strcmp(to + n - 4, ".csv") == 0)
        return write_csv(&j->model, to) ? VG_EXIT_OK : VG_EXIT_FAILED;
    if (write_h5(&j->model, j->m.job.model->title, to) == VG_OK) return VG_EXIT_OK;
    vg_cli_wrong("'%s' could not be written: %s", to, vg_file_why(errno ? errno : ENOMEM));
    return VG_EXIT_FAILED;
}

static int linearize(const vgArgs *args)
{
    Job j = {0};
    const char *to = vg_cli_value(args, "output");
    if (to && !vg_results_named(to)) return vg_cli_wrong("--output: '%s' must end in .h5, .hdf5 or .csv", to);
    int code = find(args, &j), known = code == VG_EXIT_OK;
    char text[400];
    const char *warning =
        known && vg_cli_given(args, "equilibrium") ? vg_moment_dropped(&j.m, 0, text) : NULL;
    if (warning) fprintf(stderr, "verge: warning: %s\n", warning);
    if (known && to) code = write_file(&j, to);
    if (vg_cli_given(args, "json"))
        (j.n ? response_json : tell_json)(&j, code, warning);
    else if (known)
        (j.n ? response_table : tell_table)(&j);
    vg_linear_model_free(&j.model);
    vg_channels_free(j.outputs);
    free(j.input);
    free(j.re);
    free(j.frequency);
    vg_moment_close(&j.m);
    return code;
}

static const vgOption options[] = {
    {"inputs", 0, "NAMES", "inputs in this order: NAME of input.NAME, or controller.NAME (default: all)"},
    {"outputs", 0, "CHANNELS",
     "channels, e.g. joint.pin.angle,body.*.position.x, or states (default: recorded channels)"},
    {"transfer", 0, "A:B:N",
     "instead of the matrices, the response of outputs to inputs that vibrate about a rest: real and "
     "imaginary parts at N frequencies from A to B Hz, for models of any size"},
    {"equilibrium", 0, NULL, "about the equilibrium"},
    {"at", 0, "T", "at time T of the run (with --equilibrium: with the drives of time T)"},
    {"hold", 0, "NAME=X …", "an input held at X (default 0); may be given several times"},
    {"steps", 0, "N", "load steps to the equilibrium"},
    {"relax", 0, NULL,
     "by relaxation (heavily damped motion) instead of load steps: slow, ends in a stable equilibrium"},
    {"integrator", 0, "I", "for the run to T"},
    {"step", 0, "H", "its step"},
    {"set", 0, "P=VALUE …", "parameter of the model; may be given several times"},
    {"output", 'o', "FILE",
     "A, B, C, D and names: datasets of a .h5, or one table [A B; C D] as .csv; with --transfer: the "
     "response"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_linearize = {
    .name = "linearize",
    .usage = "MODEL.yaml [options]",
    .doc = "linear model about a state: matrices A, B, C, D in independent coordinates",
    .example = "  verge linearize models/cart-pole.yaml --equilibrium --outputs joint.pin.angle\n"
               "  verge linearize models/bicycle.yaml --set speed=5 --set rolling=0 --output bicycle.h5\n"
               "  verge linearize models/cart-pole.yaml --transfer 0.1:10:5 --equilibrium --outputs "
               "joint.pin.angle\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = linearize,
};

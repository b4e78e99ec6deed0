#include "cli/sweep_files.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/h5/h5.h"
#include "base/os.h"
#include "io/results.h"

enum { PATH_ROOM = 4096 };
static const char *const state_name[] = {"missing", "ok", "failed"};

long vg_sweep_part_size(long runs)
{
    return (runs + VG_SWEEP_PARTS - 1) / VG_SWEEP_PARTS;
}

static int path_of(const vgStudyFiles *f, long part, char *path, char *why)
{
    int n = part < 0 ? snprintf(path, PATH_ROOM, "%s.parts", f->output)
                     : snprintf(path, PATH_ROOM, "%s.parts/%06ld.csv", f->output, part);
    if (n < PATH_ROOM) return 1;
    snprintf(why, VG_SWEEP_WHY, "the name of the output is too long");
    return 0;
}

int vg_sweep_make_folder(const vgStudyFiles *f, char *why)
{
    char path[PATH_ROOM];
    if (!path_of(f, -1, path, why)) return 0;
    if (vg_os_make_folder(path) == 0 || errno == EEXIST) return 1;
    snprintf(why, VG_SWEEP_WHY, "'%.100s' cannot be made: %s", path, vg_file_why(errno));
    return 0;
}

/* ---- a run as a line ---- */

static long history_of(const vgStudyFiles *f)
{
    return f->nhistory * f->ntimes;
}

static void put_head(const vgStudyFiles *f, vgText *t)
{
    vg_text_add(t, "run");
    for (int i = 0; i < f->plan->naxis; i++) vg_text_add(t, ",%s", f->plan->axis[i].name);
    for (int i = 0; i < vg_quantities_count(f->quantities); i++)
        vg_text_add(t, ",\"%s\"", vg_quantities_text(f->quantities, i));
    vg_text_add(t, ",state,why\n");
}

/* The histories stand in parts alone, behind the quantities: nhistory numbers each time. */
static void put_run(const vgStudyFiles *f, const vgSweepRun *r, long nhistory, vgText *t)
{
    double value[VG_PLAN_PARAMETERS];
    vg_plan_values(f->plan, r->index, value);
    vg_text_add(t, "%ld", r->index);
    for (int i = 0; i < f->plan->naxis; i++) vg_text_add(t, ","), vg_text_number(t, value[i]);
    for (int i = 0; i < vg_quantities_count(f->quantities); i++)
        vg_text_add(t, ","), vg_text_number(t, r->state == VG_SWEEP_OK ? r->quantity[i] : NAN);
    for (long i = 0; i < nhistory; i++)
        vg_text_add(t, ","), vg_text_number(t, r->state == VG_SWEEP_OK ? r->history[i] : NAN);
    vg_text_add(t, ",%s,\"", state_name[r->state]);
    for (const char *c = r->why; *c && r->state == VG_SWEEP_FAILED; c++) {
        if (*c == '"') vg_text_put(t, "\"", 1);
        vg_text_put(t, *c == '\n' || *c == '\r' ? " " : c, 1);
    }
    vg_text_add(t, "\"\n");
}

/* One number and the comma behind it. */
static int take_number(const char **p, double *out)
{
    char *end;
    *out = strtod(*p, &end);
    if (end == *p || *end != ',') return 0;
    *p = end + 1;
    return 1;
}

static int take_state(const char **p, vgSweepState *state)
{
    for (int k = 0; k < 3; k++) {
        size_t n = strlen(state_name[k]);
        if (strncmp(*p, state_name[k], n) != 0 || strncmp(*p + n, ",\"", 2) != 0) continue;
        *state = (vgSweepState)k;
        *p += n + 2;
        return 1;
    }
    return 0;
}

/* The run of a line; *p goes to the next. 0: not what was written here. */
static int take_run(const vgStudyFiles *f, const char **p, vgSweepRun *r)
{
    double x;
    size_t n = 0;
    if (!take_number(p, &x) || x != (double)r->index) return 0;
    for (int i = 0; i < f->plan->naxis; i++)
        if (!take_number(p, &x)) return 0;
    for (int i = 0; i < vg_quantities_count(f->quantities); i++)
        if (!take_number(p, &r->quantity[i])) return 0;
    for (long i = 0; i < history_of(f); i++)
        if (!take_number(p, &r->history[i])) return 0;
    if (!take_state(p, &r->state)) return 0;
    for (;; ++*p) {
        if (**p == '"' && *++*p != '"') break; /* the end; a doubled one is a quotation mark */
        if (!**p || n + 1 >= VG_SWEEP_WHY) return 0;
        r->why[n++] = **p;
    }
    r->why[n] = 0;
    if (**p != '\n') return 0;
    ++*p;
    return 1;
}

/* ---- parts ---- */

static void range_of(const vgStudyFiles *f, long part, long *first, long *end)
{
    long size = vg_sweep_part_size(f->plan->runs);
    *first = part * size;
    *end = *first + size < f->plan->runs ? *first + size : f->plan->runs;
}

/* The last line: a changed digit would be another number. */
#define SUM "# sum "

int vg_sweep_write_part(const vgStudyFiles *f, long part, char *why)
{
    vgText t = {0};
    char path[PATH_ROOM];
    long first, end;
    range_of(f, part, &first, &end);
    vg_text_add(&t, "# verge sweep %016" PRIx64 "\n", f->key);
    put_head(f, &t);
    for (long i = first; i < end; i++) put_run(f, &f->run[i], history_of(f), &t);
    vg_text_add(&t, SUM "%016" PRIx64 "\n", vg_h5_sum(0, vg_text_at(&t), t.used));
    int good = path_of(f, part, path, why);
    if (good && (!vg_text_ok(&t) || !vg_file_write(path, vg_text_at(&t), t.used))) {
        snprintf(why, VG_SWEEP_WHY, "'%.100s' cannot be written: %s", path,
                 vg_text_ok(&t) ? vg_file_why(errno) : "out of memory");
        good = 0;
    }
    vg_text_free(&t);
    return good;
}

/* Bytes of a part at most: numbers have up to 25 characters, a reason may double its quotation marks. */
static size_t most_bytes(const vgStudyFiles *f, long runs)
{
    const size_t numbers =
        2 + (size_t)f->plan->naxis + (size_t)vg_quantities_count(f->quantities) + (size_t)history_of(f);
    return ((size_t)runs + 1) * (32 * numbers + (size_t)4 * VG_SWEEP_WHY) + ((size_t)1 << 16);
}

/* The text without its last line; NULL: it is not what its sum says. */
static char *checked(char *text, size_t n)
{
    const size_t tail = sizeof SUM - 1 + 16 + 1;
    uint64_t sum = 0;
    int good = n > tail && strlen(text) == n && sscanf(text + n - tail, SUM "%16" SCNx64, &sum) == 1 &&
               text[n - 1] == '\n' && sum == vg_h5_sum(0, text, n - tail);
    if (good) text[n - tail] = 0;
    if (!good) free(text);
    return good ? text : NULL;
}

static char *whole_file(const char *path, size_t most, const char **why)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long n = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    *why = "is damaged";
    if (!file && errno == ENOMEM) *why = vg_file_why(errno);
    if (n >= 0 && (size_t)n > most) n = -1;
    if (n >= 0 && fseek(file, 0, SEEK_SET) == 0 && (text = malloc((size_t)n + 1))) {
        size_t got = fread(text, 1, (size_t)n, file);
        text[got] = 0;
        text = checked(text, got);
    } else if (n >= 0) {
        *why = vg_file_why(ENOMEM);
    }
    if (file) fclose(file);
    return text;
}

int vg_sweep_read_part(const vgStudyFiles *f, long part, char *why)
{
    char path[PATH_ROOM];
    long first, end;
    uint64_t key = 0;
    if (!path_of(f, part, path, why)) return -1;
    if (access(path, F_OK) != 0) return 0;
    const char *odd = vg_file_wrong(path);
    range_of(f, part, &first, &end);
    char *text = odd ? NULL : whole_file(path, most_bytes(f, end - first), &odd);
    const char *p = text;
    int good = text && sscanf(text, "# verge sweep %16" SCNx64, &key) == 1;
    if (good && key != f->key) {
        snprintf(why, VG_SWEEP_WHY,
                 "'%.100s' is of another study (model, parameters, quantities or dials differ); remove the "
                 "folder or name another output",
                 path);
        free(text);
        return -1;
    }
    for (int line = 0; good && line < 2; line++) {
        p = strchr(p, '\n');
        good = p != NULL;
        if (p) p++;
    }
    for (long i = first; good && i < end; i++) good = take_run(f, &p, &f->run[i]);
    if (!good) {
        for (long i = first; i < end; i++) f->run[i].state = VG_SWEEP_MISSING;
        if (!text && strcmp(odd, vg_file_why(ENOMEM)) == 0)
            snprintf(why, VG_SWEEP_WHY, "'%.100s': %s", path, odd);
        else
            snprintf(why, VG_SWEEP_WHY, "'%.100s' is damaged; remove it and run again with --resume", path);
    }
    free(text);
    return good ? 1 : -1;
}

void vg_sweep_remove_parts(const vgStudyFiles *f)
{
    char path[PATH_ROOM], why[VG_SWEEP_WHY];
    for (long part = 0; part < VG_SWEEP_PARTS; part++)
        if (path_of(f, part, path, why)) unlink(path);
    if (path_of(f, -1, path, why)) rmdir(path);
}

/* ---- all of it ---- */

typedef struct Columns {
    double *parameter, *quantity, *state, *failed;
    const char **name, **what, **why;
    int nfailed;
} Columns;

static int fill(const vgStudyFiles *f, Columns *c)
{
    long n = f->plan->runs;
    int np = f->plan->naxis, nq = vg_quantities_count(f->quantities);
    c->parameter = calloc((size_t)n * (size_t)np + 1, sizeof(double));
    c->quantity = calloc((size_t)n * (size_t)nq + 1, sizeof(double));
    c->state = calloc((size_t)n + 1, sizeof(double));
    c->failed = calloc((size_t)n + 1, sizeof(double));
    c->name = calloc((size_t)np + 1, sizeof(char *));
    c->what = calloc((size_t)nq + 1, sizeof(char *));
    c->why = calloc((size_t)n + 1, sizeof(char *));
    if (!c->parameter || !c->quantity || !c->state || !c->failed || !c->name || !c->what || !c->why) return 0;
    for (int i = 0; i < np; i++) c->name[i] = f->plan->axis[i].name;
    for (int i = 0; i < nq; i++) c->what[i] = vg_quantities_text(f->quantities, i);
    for (long i = 0; i < n; i++) {
        const vgSweepRun *r = &f->run[i];
        vg_plan_values(f->plan, i, c->parameter + i * np);
        for (int k = 0; k < nq; k++) c->quantity[i * nq + k] = r->state == VG_SWEEP_OK ? r->quantity[k] : NAN;
        c->state[i] = r->state;
        if (r->state != VG_SWEEP_FAILED) continue;
        c->failed[c->nfailed] = (double)i;
        c->why[c->nfailed++] = r->why;
    }
    return 1;
}

static vgStatus write_h5(const vgStudyFiles *f)
{
    Columns c = {0};
    int np = f->plan->naxis, nq = vg_quantities_count(f->quantities), n = (int)f->plan->runs;
    vgStatus status = VG_NO_MEMORY;
    if (fill(f, &c)) {
        vgNamedMatrix set[10] = {{"parameters", n, np, c.parameter, NULL},
                                 {"state", n, -1, c.state, NULL},
                                 {"parameter_names", np, -1, NULL, c.name}};
        int k = 3;
        if (nq > 0) {
            set[k++] = (vgNamedMatrix){"quantities", n, nq, c.quantity, NULL};
            set[k++] = (vgNamedMatrix){"quantity_names", nq, -1, NULL, c.what};
        }
        if (c.nfailed > 0) {
            set[k++] = (vgNamedMatrix){"failed", c.nfailed, -1, c.failed, NULL};
            set[k++] = (vgNamedMatrix){"reasons", c.nfailed, -1, NULL, c.why};
        }
        if (f->nhistory > 0) { /* the runs' blocks of times × channels lie one behind the other */
            set[k++] = (vgNamedMatrix){"histories", n, (int)history_of(f), f->run[0].history, NULL};
            set[k++] = (vgNamedMatrix){"history_names", f->nhistory, -1, NULL, f->history};
            set[k++] = (vgNamedMatrix){"times", (int)f->ntimes, -1, f->times, NULL};
        }
        status = vg_matrices_write(f->output, f->title, k, set);
    }
    free(c.parameter), free(c.quantity), free(c.state), free(c.failed);
    free(c.name), free(c.what), free(c.why);
    return status;
}

static vgStatus write_csv(const vgStudyFiles *f)
{
    vgText t = {0};
    put_head(f, &t);
    for (long i = 0; i < f->plan->runs; i++) put_run(f, &f->run[i], 0, &t);
    vgStatus status = !vg_text_ok(&t)                                    ? VG_NO_MEMORY
                      : vg_file_write(f->output, vg_text_at(&t), t.used) ? VG_OK
                                                                         : VG_IO;
    vg_text_free(&t);
    return status;
}

int vg_sweep_write_all(const vgStudyFiles *f, char *why)
{
    size_t n = strlen(f->output);
    int csv = n > 4 && strcmp(f->output + n - 4, ".csv") == 0;
    errno = 0;
    vgStatus status = csv ? write_csv(f) : write_h5(f);
    if (status == VG_OK) return 1;
    snprintf(why, VG_SWEEP_WHY, "'%.100s' cannot be written: %s", f->output,
             status == VG_IO && errno ? vg_file_why(errno) : vg_status_text(status));
    return 0;
}

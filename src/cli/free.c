#include "cli/free.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/job.h"

int vg_free_bad(vgCliFree *f, vgStatus status)
{
    int errors = vg_diag_errors(f->diag);
    vg_cli_say(f->diag);
    vg_diag_clear(f->diag);
    if (!errors) vg_cli_wrong("%s", status == VG_INTERRUPTED ? "interrupted" : vg_status_text(status));
    return status == VG_BAD_INPUT || status == VG_UNSUPPORTED || status == VG_INCONSISTENT ? VG_EXIT_INPUT
                                                                                           : VG_EXIT_FAILED;
}

int vg_free_times(const vgArgs *args, const vgModel *model, double end, double most, double **times, long *n)
{
    enum { SAMPLES = 200 };
    static const double ROUNDING = 1e-12; /* an end that is so near to a sample has one */
    if (!(end > 0)) end = model->run.end;
    double interval = end / SAMPLES;
    if (!(end > 0)) return vg_cli_wrong("no end time: give run: {end: T} in the model or --end T");
    if (vg_cli_number(args, "interval", 1e-15, &interval) < 0) return VG_EXIT_INPUT;
    if (end / interval > most)
        return vg_cli_wrong("--interval %g is too small for a run of %g s", interval, end);
    *n = (long)floor(end / interval * (1 + ROUNDING)) + 1;
    *times = malloc((size_t)*n * sizeof **times);
    if (!*times) return VG_EXIT_FAILED;
    for (long i = 0; i < *n; i++) (*times)[i] = fmin((double)i * interval, end);
    return VG_EXIT_OK;
}

int vg_free_split(const char *text, char ***list, int *n)
{
    *list = NULL;
    *n = 0;
    for (const char *p = text; *p;) {
        int depth = 0;
        size_t k = 0;
        while (*p == ' ') p++;
        for (; p[k] && (p[k] != ',' || depth > 0); k++) depth += (p[k] == '(') - (p[k] == ')');
        size_t used = k;
        while (k > 0 && p[k - 1] == ' ') k--;
        char **more = realloc(*list, (size_t)(*n + 1) * sizeof *more), *one = calloc(k + 1, 1);
        if (more) *list = more;
        if (!more || !one) {
            free(one);
            return VG_EXIT_FAILED;
        }
        memcpy(one, p, k);
        (*list)[(*n)++] = one;
        p += used;
        if (*p == ',') p++;
        if (k == 0) return vg_cli_wrong("'%s': a part of the list is empty", text);
    }
    return VG_EXIT_OK;
}

void vg_free_release(char **list, int n)
{
    for (int i = 0; i < n; i++) free(list[i]);
    free(list);
}

/* NAME=LOW:HIGH, or NAME alone. */
static int read_one(vgCliFree *f, int i, char *text, int ranges)
{
    char *equals = strchr(text, '='), *end;
    f->name[i] = text;
    if (!ranges)
        return equals ? vg_cli_wrong("'%s': expected the name of a parameter, without a value", text)
                      : VG_EXIT_OK;
    if (!equals || equals == text) return vg_cli_wrong("--free '%s': expected NAME=LOW:HIGH", text);
    f->low[i] = strtod(equals + 1, &end);
    int good = end != equals + 1 && *end == ':';
    if (good) {
        char *second = end + 1;
        f->high[i] = strtod(second, &end);
        good = end != second && *end == 0;
    }
    if (!good || !isfinite(f->low[i]) || !isfinite(f->high[i]) || !(f->low[i] < f->high[i]))
        return vg_cli_wrong("--free '%s': expected NAME=LOW:HIGH with LOW below HIGH, such as k=10:200",
                            text);
    *equals = 0;
    return VG_EXIT_OK;
}

static int read_names(vgCliFree *f, const char *spec, int ranges)
{
    char **list;
    int n, code = vg_free_split(spec, &list, &n);
    if (code == VG_EXIT_OK && n > VG_PLAN_PARAMETERS)
        code = vg_cli_wrong("%d parameters are too many; at most %d", n, VG_PLAN_PARAMETERS);
    for (int i = 0; i < n; i++) {
        if (code == VG_EXIT_OK)
            code = read_one(f, f->batch.nparam++, list[i], ranges);
        else
            free(list[i]);
    }
    free(list);
    if (code == VG_EXIT_OK && n == 0) code = vg_cli_wrong("a parameter of the model is needed");
    return code;
}

static int stop(void *user)
{
    (void)user;
    return vg_cli_stop_asked();
}

static void show(void *user, long done)
{
    vgCliFree *f = user;
    vg_progress_count(&f->progress, f->batch.runs + done, 0, "runs");
}

int vg_free_open(vgCliFree *f, const vgArgs *args, const char *spec, int ranges, const char *const *keep,
                 int n)
{
    const char *path = vg_cli_word(args, 0);
    *f = (vgCliFree){.args = args, .started = vg_cli_clock()};
    vgSweep *s = &f->batch.sweep;
    long threads = 0;
    f->diag = vg_diag_new();
    if (!f->diag) return VG_EXIT_FAILED;
    int nset = 0, code = read_names(f, spec, ranges);
    if (code == VG_EXIT_OK && vg_cli_count(args, "threads", 1, &threads) < 0) code = VG_EXIT_INPUT;
    if (code == VG_EXIT_OK) code = vg_cli_settings(args, &f->set, &nset);
    if (code != VG_EXIT_OK) return code;
    vgStatus status = vg_quantities_new(keep, n, f->diag, &f->quantities);
    if (status != VG_OK) return vg_free_bad(f, status);
    f->source = vg_source_new(path, NULL, 0, NULL, f->diag);
    if (!f->source) return vg_free_bad(f, VG_BAD_INPUT);
    f->batch.param = (const char *const *)f->name;
    f->batch.threads = (int)threads;
    *s = (vgSweep){.source = f->source,
                   .set = f->set,
                   .nset = nset,
                   .quantities = f->quantities,
                   .dials = {vg_cli_value(args, "coordinates"), vg_cli_value(args, "constraints"),
                             vg_cli_value(args, "integrator")},
                   .plain = vg_cli_given(args, "plain") > 0,
                   .cancelled = stop,
                   .done = show,
                   .user = f};
    if (vg_cli_number(args, "step", 1e-15, &s->step) < 0 || vg_cli_number(args, "end", 1e-15, &s->end) < 0)
        return VG_EXIT_INPUT;
    return VG_EXIT_OK;
}

int vg_free_check(vgCliFree *f)
{
    vgStatus status = vg_batch_check(&f->batch, f->value, f->diag);
    if (status == VG_BAD_INPUT || status == VG_UNSUPPORTED || status == VG_NO_MEMORY)
        return vg_free_bad(f, status);
    vg_diag_clear(f->diag);
    vgModel *model = vg_model_of(f->source, f->set, f->batch.sweep.nset, f->diag);
    if (!model) return vg_free_bad(f, VG_BAD_INPUT);
    snprintf(f->title, sizeof f->title, "%s", model->title ? model->title : vg_cli_word(f->args, 0));
    vg_model_free(model);
    return VG_EXIT_OK;
}

void vg_free_command(const vgCliFree *f, const double *value, vgText *text)
{
    vg_text_add(text, "verge run %s", vg_cli_word(f->args, 0));
    for (int i = 0; i < vg_cli_given(f->args, "set"); i++)
        vg_text_add(text, " --set '%s'", vg_cli_nth(f->args, "set", i));
    for (int i = 0; i < f->batch.nparam; i++) {
        vg_text_add(text, " --set %s=", f->name[i]);
        vg_text_number(text, value[i]);
    }
    static const char *const named[] = {"end", "step", "coordinates", "constraints", "integrator"};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (vg_cli_value(f->args, named[i]))
            vg_text_add(text, " --%s %s", named[i], vg_cli_value(f->args, named[i]));
}

void vg_free_close(vgCliFree *f)
{
    for (int i = 0; i < VG_PLAN_PARAMETERS; i++) free(f->name[i]);
    vg_quantities_free(f->quantities);
    vg_source_free(f->source);
    vg_diag_free(f->diag);
    free(f->set);
}

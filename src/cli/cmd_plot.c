/* verge plot: channels of results files over time or over each other, as SVG or in the terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/names.h"
#include "cli/cli.h"
#include "io/plot.h"
#include "io/results.h"

enum { MAX_SERIES = 64, MAX_FILES = 16 };

typedef struct plotJob {
    int nfile;
    const char *path[MAX_FILES];
    vgTableData *table[MAX_FILES];
    int nseries;
    vgSeries series[MAX_SERIES];
    char label[MAX_SERIES][160];
    char x_label[160], y_label[160];
    int y_units; /* 0 none yet, 1 all the same, 2 they differ */
} plotJob;

static void name_with_unit(char *out, size_t n, const char *name, const char *unit)
{
    snprintf(out, n, unit && *unit ? "%s [%s]" : "%s", name, unit);
}

static int column(const plotJob *job, int file, const char *name)
{
    const vgTableData *t = job->table[file];
    int at = vg_data_find(t, name);
    if (at >= 0) return at;
    const char *near = vg_name_closest(name, (const char *const *)t->name, t->ncol);
    if (near)
        vg_cli_wrong("%s has no channel '%s'; did you mean '%s'?", job->path[file], name, near);
    else
        vg_cli_wrong("%s has no channel '%s'", job->path[file], name);
    return -1;
}

static int add_series(plotJob *job, int file, int x, int y)
{
    const vgTableData *t = job->table[file];
    if (job->nseries == MAX_SERIES) return vg_cli_wrong("more than %d curves", MAX_SERIES);
    char *label = job->label[job->nseries];
    if (job->nfile > 1)
        snprintf(label, sizeof job->label[0], "%s: %s", job->path[file], t->name[y]);
    else
        snprintf(label, sizeof job->label[0], "%s", t->name[y]);
    job->series[job->nseries++] = (vgSeries){label, t->nrow, t->value + x, t->value + y, t->ncol};
    if (job->y_units == 0) name_with_unit(job->y_label, sizeof job->y_label, "", t->unit[y]);
    char unit[160];
    name_with_unit(unit, sizeof unit, "", t->unit[y]);
    job->y_units = job->y_units == 2 || strcmp(unit, job->y_label) != 0 ? 2 : 1;
    return VG_EXIT_OK;
}

/* Curves of one file: the channels asked for, or all of them. */
static int add_file(plotJob *job, int file, const char *x_name, const char *y_names)
{
    int x = x_name ? column(job, file, x_name) : 0, code = VG_EXIT_OK, n = 0;
    if (x < 0) return VG_EXIT_INPUT;
    const vgTableData *t = job->table[file];
    name_with_unit(job->x_label, sizeof job->x_label, t->name[x], t->unit[x]);
    if (!y_names) {
        for (int y = 1; y < t->ncol && code == VG_EXIT_OK; y++) {
            if (y != x) code = add_series(job, file, x, y);
        }
        return code;
    }
    char **name = vg_cli_split(y_names, &n);
    if (!name) return VG_EXIT_FAILED;
    for (int i = 0; i < n && code == VG_EXIT_OK; i++) {
        int y = column(job, file, name[i]);
        code = y < 0 ? VG_EXIT_INPUT : add_series(job, file, x, y);
    }
    free(name);
    return code;
}

static int emit(plotJob *job, const vgArgs *args)
{
    const char *output = vg_cli_value(args, "output"), *title = vg_cli_value(args, "title");
    const vgTableData *first = job->table[0];
    if (!title && first->title && *first->title) title = first->title;
    vgPlot plot = {.title = title,
                   .x_label = job->x_label,
                   .y_label = job->y_units == 1 ? job->y_label : NULL,
                   .log_x = vg_cli_given(args, "log-x") > 0,
                   .log_y = vg_cli_given(args, "log-y") > 0,
                   .nseries = job->nseries,
                   .series = job->series};
    if (job->nseries == 1) plot.y_label = job->label[0];
    vgText text = {0};
    int code = VG_EXIT_OK;
    if (output) {
        vg_plot_svg(&plot, &text);
        if (!vg_text_ok(&text) || !vg_cli_write(output, vg_text_at(&text))) code = VG_EXIT_FAILED;
    } else {
        struct winsize size;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40) plot.width = size.ws_col - 14;
        vg_plot_terminal(&plot, &text);
        fputs(vg_text_at(&text), stdout);
    }
    vg_text_free(&text);
    return code;
}

static int plot(const vgArgs *args)
{
    plotJob *job = calloc(1, sizeof *job);
    vgDiag *diag = vg_diag_new();
    const char *output = vg_cli_value(args, "output");
    int code = job && diag ? VG_EXIT_OK : VG_EXIT_FAILED;
    if (code == VG_EXIT_OK && output &&
        (strlen(output) < 5 || strcmp(output + strlen(output) - 4, ".svg") != 0)) {
        code = vg_cli_wrong("--output: '%s' must end in .svg", output);
    }
    for (int i = 0; code == VG_EXIT_OK && i < vg_cli_words(args); i++) {
        job->path[i] = vg_cli_word(args, i);
        if (vg_data_read(job->path[i], diag, &job->table[i]) != VG_OK)
            code = VG_EXIT_INPUT;
        else
            job->nfile++;
    }
    if (diag) vg_cli_say(diag);
    for (int i = 0; code == VG_EXIT_OK && i < job->nfile; i++) {
        code = add_file(job, i, vg_cli_value(args, "x"), vg_cli_value(args, "y"));
    }
    if (code == VG_EXIT_OK && job->nseries == 0)
        code = vg_cli_wrong("no channel to plot in %s", job->path[0]);
    if (code == VG_EXIT_OK) code = emit(job, args);
    for (int i = 0; job && i < job->nfile; i++) vg_data_free(job->table[i]);
    vg_diag_free(diag);
    free(job);
    return code;
}

static const vgOption options[] = {
    {"y", 0, "CHANNEL,…", "channels to draw (default: all)"},
    {"x", 0, "CHANNEL", "channel of the horizontal axis (default: time); another channel gives a phase plot"},
    {"log-x", 0, NULL, "logarithmic horizontal axis"},
    {"log-y", 0, NULL, "logarithmic vertical axis"},
    {"title", 0, "TEXT", "title (default: the model's)"},
    {"output", 'o', "FILE.svg", "write a picture; without it a preview is drawn in the terminal"},
    {0},
};

const vgCommand vg_cmd_plot = {
    .name = "plot",
    .usage = "RESULTS.h5|.csv… [options]",
    .doc = "draw channels of results files",
    .example = "  verge plot run.h5 --y joint.O.angle,joint.O.rate -o run.svg\n"
               "  verge plot run.h5 --x joint.O.angle --y joint.O.rate\n",
    .min = 1,
    .max = MAX_FILES,
    .options = options,
    .run = plot,
};

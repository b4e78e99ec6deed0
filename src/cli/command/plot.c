/* verge plot: channels of results files over time or over each other, as a picture or in the terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/os.h"
#include "cli/cli.h"
#include "cli/page/figure.h"
#include "io/results.h"

enum { MAX_SERIES = 64, MAX_FILES = 16, MAX_NAMES = 64, MAX_PANELS = 6 };

/* Channels of one unit share a panel: a radian and a newton have no axis in common. */
typedef struct plotPanel {
    const char *unit;
    int nseries, nchannel;
    vgSeries series[MAX_SERIES];
    vgStyle style[MAX_SERIES];
    const char *channel[MAX_SERIES]; /* [nchannel], the first file's name of each */
    char label[MAX_SERIES][200];
    char y_label[200];
} plotPanel;

typedef struct plotJob {
    int nfile, nname;
    const char *path[MAX_FILES];
    vgTableData *table[MAX_FILES];
    char name[MAX_FILES][80]; /* the runs' names in legends */
    const char *wanted[MAX_NAMES];
    char **split;
    int npanel, one_panel;
    plotPanel panel[MAX_PANELS];
    char x_label[200];
} plotJob;

static void name_with_unit(char *out, size_t n, const char *name, const char *unit)
{
    snprintf(out, n, unit && *unit ? "%s [%s]" : "%s", name, unit);
}

/* ---- words: results files and channels ---- */

static int add_name(plotJob *job, const char *name)
{
    if (job->nname == MAX_NAMES) return vg_cli_wrong("more than %d channels named", MAX_NAMES);
    job->wanted[job->nname++] = name;
    return VG_EXIT_OK;
}

static int read_words(plotJob *job, const vgArgs *args)
{
    int code = VG_EXIT_OK, n = 0;
    for (int i = 0; i < vg_cli_words(args) && code == VG_EXIT_OK; i++) {
        const char *word = vg_cli_word(args, i);
        if (!vg_results_named(word))
            code = i ? add_name(job, word)
                     : vg_cli_wrong("plot: '%s' is no results file (.h5, .hdf5 or .csv)", word);
        else if (job->nfile == MAX_FILES)
            code = vg_cli_wrong("plot: more than %d results files", MAX_FILES);
        else
            job->path[job->nfile++] = word;
    }
    const char *y = vg_cli_value(args, "y");
    if (code != VG_EXIT_OK || !y) return code;
    job->split = vg_cli_split(y, &n);
    if (!job->split) return VG_EXIT_FAILED;
    for (int i = 0; i < n && code == VG_EXIT_OK; i++) code = add_name(job, job->split[i]);
    return code;
}

/* a/one.h5 and b/two.h5 are "one" and "two"; names that clash stay whole. */
static void name_runs(plotJob *job)
{
    for (int i = 0; i < job->nfile; i++) {
        const char *slash = strrchr(job->path[i], '/'), *start = slash ? slash + 1 : job->path[i];
        snprintf(job->name[i], sizeof job->name[i], "%.*s", (int)(strrchr(start, '.') - start), start);
    }
    for (int i = 0; i < job->nfile; i++) {
        for (int k = 0; k < job->nfile; k++) {
            if (k == i || strcmp(job->name[i], job->name[k]) != 0) continue;
            snprintf(job->name[i], sizeof job->name[i], "%s", job->path[i]);
            snprintf(job->name[k], sizeof job->name[k], "%s", job->path[k]);
        }
    }
}

/* ---- curves ---- */

static int no_channel(const plotJob *job, int file, const char *name)
{
    const vgTableData *t = job->table[file];
    const char *near = vg_name_closest(name, (const char *const *)t->name, t->ncol);
    if (near) return vg_cli_wrong("%s has no channel '%s'; did you mean '%s'?", job->path[file], name, near);
    return vg_cli_wrong("%s has no channel '%s'; verge list channels %s shows what was recorded",
                        job->path[file], name, job->path[file]);
}

static plotPanel *panel_of(plotJob *job, const char *unit)
{
    for (int i = 0; i < job->npanel; i++) {
        if (job->one_panel || !strcmp(job->panel[i].unit, unit)) return &job->panel[i];
    }
    if (job->npanel == MAX_PANELS) return &job->panel[MAX_PANELS - 1];
    job->panel[job->npanel].unit = unit;
    return &job->panel[job->npanel++];
}

static int add_series(plotJob *job, int file, int x, int y)
{
    const vgTableData *t = job->table[file];
    plotPanel *p = panel_of(job, t->unit[y] ? t->unit[y] : "");
    if (p->nseries == MAX_SERIES) return vg_cli_wrong("more than %d curves", MAX_SERIES);
    int channel = 0;
    while (channel < p->nchannel && strcmp(p->channel[channel], t->name[y]) != 0) channel++;
    if (channel == p->nchannel) p->channel[p->nchannel++] = t->name[y];
    for (int i = 0; i < p->nseries; i++) { /* two patterns may find the same channel */
        if (p->series[i].x == t->value + x && p->series[i].y == t->value + y) return VG_EXIT_OK;
    }
    if (t->unit[y] && strcmp(p->unit, t->unit[y]) != 0) p->unit = "";
    p->style[p->nseries] = (vgStyle){.colour = channel, .dash = file};
    p->series[p->nseries++] = (vgSeries){t->name[y], t->nrow, t->value + x, t->value + y, t->ncol};
    return VG_EXIT_OK;
}

/* Curves of one file: the channels asked for (names or patterns), or all of them. */
static int add_file(plotJob *job, int file, const char *x_name)
{
    const vgTableData *t = job->table[file];
    int x = x_name ? vg_data_find(t, x_name) : 0, code = VG_EXIT_OK;
    if (x < 0) return no_channel(job, file, x_name);
    name_with_unit(job->x_label, sizeof job->x_label, t->name[x], t->unit[x]);
    for (int y = 1; y < t->ncol && code == VG_EXIT_OK && job->nname == 0; y++) {
        if (y != x) code = add_series(job, file, x, y);
    }
    for (int i = 0; i < job->nname && code == VG_EXIT_OK; i++) {
        int found = 0;
        for (int y = 0; y < t->ncol && code == VG_EXIT_OK; y++) {
            if (!vg_name_matches(job->wanted[i], t->name[y])) continue;
            found = 1;
            code = add_series(job, file, x, y);
        }
        if (!found) code = no_channel(job, file, job->wanted[i]);
    }
    return code;
}

/* One channel of many runs: colours are the runs'. Many channels: colours are the channels', dashes the
 * runs'. One run: no dashes, no run in the legend. */
static void label_panel(const plotJob *job, plotPanel *p)
{
    int at = 0, one = p->nchannel == 1;
    for (int i = 0; i < p->nseries; i++) {
        const char *channel = p->series[i].label;
        int file = p->style[i].dash;
        char text[sizeof p->label[0]]; /* the panel is a part of the job: not to be written to while that is
                                          read */
        if (job->nfile > 1 && one)
            snprintf(text, sizeof text, "%s", job->name[file]);
        else if (job->nfile > 1)
            snprintf(text, sizeof text, "%s · %s", channel, job->name[file]);
        else
            snprintf(text, sizeof text, "%s", channel);
        p->series[i].label = memcpy(p->label[i], text, sizeof text);
        int colour = one ? at : p->style[i].colour;
        if (job->nfile == 1 || one) p->style[i] = vg_plot_style(colour);
        at++;
    }
    name_with_unit(p->y_label, sizeof p->y_label, one ? p->channel[0] : "", p->unit);
}

/* ---- drawing ---- */

/* A curve of which nothing can be drawn is named: no row, no number, or on a logarithm nothing positive. */
static void name_empty(const plotPanel *p, int log_x, int log_y)
{
    for (int i = 0; i < p->nseries; i++) {
        const vgSeries *s = &p->series[i];
        int seen = 0;
        for (long k = 0; k < s->n && !seen; k++) {
            double x = s->x[k * s->stride], y = s->y[k * s->stride];
            seen = isfinite(x) && isfinite(y) && (!log_x || x > 0) && (!log_y || y > 0);
        }
        if (!seen)
            fprintf(stderr, "note: '%s' has no %snumber to draw\n", s->label,
                    log_x || log_y ? "positive " : "");
    }
}

static int emit(plotJob *job, const vgArgs *args)
{
    const char *output = vg_cli_value(args, "output"), *title = vg_cli_value(args, "title");
    const vgTableData *first = job->table[0];
    if (!title && first->title && *first->title) title = first->title;
    vgPlot plot[MAX_PANELS];
    int columns = vg_os_columns(fileno(stdout)), wide = columns > 40 ? columns - 14 : 0;
    for (int i = 0; i < job->npanel; i++) {
        plotPanel *p = &job->panel[i];
        label_panel(job, p);
        name_empty(p, vg_cli_given(args, "log-x") > 0, vg_cli_given(args, "log-y") > 0);
        plot[i] = (vgPlot){.title = i == 0 && !output ? title : NULL,
                           .x_label = output && i + 1 < job->npanel ? NULL : job->x_label,
                           .y_label = *p->y_label ? p->y_label + strspn(p->y_label, " ") : NULL,
                           .log_x = vg_cli_given(args, "log-x") > 0,
                           .log_y = vg_cli_given(args, "log-y") > 0,
                           .width = wide,
                           .nseries = p->nseries,
                           .series = p->series,
                           .style = p->style};
    }
    if (output) {
        vgFigure figure = {.title = title, .nplot = job->npanel, .plot = plot};
        return vg_cli_figure(&figure, output) ? VG_EXIT_OK : VG_EXIT_FAILED;
    }
    vgText text = {0};
    for (int i = 0; i < job->npanel; i++) vg_plot_terminal(&plot[i], &text);
    vg_cli_print(&text);
    vg_text_free(&text);
    return VG_EXIT_OK;
}

static int draw(plotJob *job, const vgArgs *args, vgDiag *diag)
{
    int code = vg_cli_figure_check(vg_cli_value(args, "output"));
    if (code == VG_EXIT_OK) code = read_words(job, args);
    job->one_panel = vg_cli_given(args, "one-axis") > 0;
    for (int i = 0; code == VG_EXIT_OK && i < job->nfile; i++) {
        vgStatus status = vg_data_read(job->path[i], diag, &job->table[i]);
        if (status != VG_OK) code = status == VG_NO_MEMORY ? VG_EXIT_FAILED : VG_EXIT_INPUT;
    }
    vg_cli_say(diag);
    if (code == VG_EXIT_OK) name_runs(job);
    for (int i = 0; code == VG_EXIT_OK && i < job->nfile; i++)
        code = add_file(job, i, vg_cli_value(args, "x"));
    if (code == VG_EXIT_OK && job->npanel == 0) code = vg_cli_wrong("no channel to plot in %s", job->path[0]);
    return code == VG_EXIT_OK ? emit(job, args) : code;
}

static int plot_command(const vgArgs *args)
{
    plotJob *job = calloc(1, sizeof *job);
    vgDiag *diag = vg_diag_new();
    int code = job && diag ? draw(job, args, diag) : VG_EXIT_FAILED;
    for (int i = 0; job && i < job->nfile; i++) vg_data_free(job->table[i]);
    if (job) free(job->split);
    vg_diag_free(diag);
    free(job);
    return code;
}

static const vgOption options[] = {
    {"y", 0, "CHANNEL,…", "channels to draw, as the words behind the files (default: all)"},
    {"x", 0, "CHANNEL", "channel of the horizontal axis (default: time)"},
    {"log-x", 0, NULL, "logarithmic horizontal axis"},
    {"log-y", 0, NULL, "logarithmic vertical axis"},
    {"one-axis", 0, NULL, "all curves in one panel, also where their units differ"},
    {"title", 0, "TEXT", "title (default: the model's)"},
    {"output", 'o', VG_FIGURE_FILE, "write a picture; without it a preview is drawn in the terminal"},
    {0},
};

const vgCommand vg_cmd_plot = {
    .name = "plot",
    .usage = "RESULTS.h5|.csv… [CHANNEL…] [options]",
    .doc = "draw channels of results files",
    .example = "  verge plot run.h5 'joint.*.angle' energy.total -o run.png\n"
               "  verge plot coarse.h5 fine.h5 joint.O.angle -o both.pdf\n"
               "  verge plot run.h5 --x joint.O.angle --y joint.O.rate\n",
    .min = 1,
    .max = -1,
    .options = options,
    .run = plot_command,
};

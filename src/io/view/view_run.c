#include "io/view/view_run.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/h5/h5.h"

enum {
    MAX_FRAMES = 10000,     /* poses kept */
    MAX_SAMPLES = 4000,     /* points a channel kept */
    BLOCK_NUMBERS = 1 << 19 /* numbers read at a time */
};

const char *const vg_view_text_names[VG_VIEW_TEXTS] = {"title",       "status",     "coordinates",
                                                       "constraints", "integrator", "verge_version",
                                                       "statistics",  "model_text", "scene"};

static void free_strings(vgViewStrings *strings)
{
    for (int i = 0; i < strings->n; i++) free(strings->at[i]);
    free(strings->at);
    *strings = (vgViewStrings){0};
}

void vg_view_run_free(vgViewRun *run)
{
    for (int i = 0; i < VG_VIEW_TEXTS; i++) free(run->text[i]);
    free_strings(&run->body);
    free_strings(&run->channel);
    free_strings(&run->unit);
    free(run->frame_time);
    free(run->pose);
    free(run->sample_time);
    free(run->sample);
    *run = (vgViewRun){0};
}

/* What is read, and which part of it: for messages. */
typedef struct viewFile {
    vgH5 *file;
    const char *part;
    const char *why; /* where the file itself has nothing to complain about */
} viewFile;

/* A dataset by name in a group; *there: it has one. */
static vgStatus find_set(viewFile *in, vgH5Object group, const char *name, int *there, vgH5Set *set)
{
    vgH5Object at = VG_H5_NONE;
    *set = (vgH5Set){0};
    in->part = name;
    vgStatus status = vg_h5_find(in->file, group, name, &at);
    *there = status == VG_OK && at != VG_H5_NONE;
    return *there ? vg_h5_set(in->file, at, set) : status;
}

static vgStatus dataset_strings(viewFile *in, vgH5Object group, const char *name, int needed,
                                vgViewStrings *out)
{
    vgH5Set set;
    int there;
    uint64_t n = 0;
    vgStatus status = find_set(in, group, name, &there, &set);
    if (status == VG_OK && !there && needed) in->why = "there is none", status = VG_BAD_INPUT;
    if (status != VG_OK || !there) return status;
    status = vg_h5_texts(in->file, &set, &n, &out->at);
    vg_h5_set_free(&set);
    if (status == VG_OK && n > INT32_MAX) {
        for (uint64_t i = 0; i < n; i++) free(out->at[i]);
        free(out->at);
        out->at = NULL;
        return VG_LIMIT;
    }
    if (status == VG_OK) out->n = (int)n;
    return status;
}

/* A dataset of rows, read block by block: its width is bounded. */
static vgStatus rows_open(viewFile *in, vgH5Object group, const char *name, int rank, vgH5Set *rows)
{
    static const uint64_t widest = (uint64_t)1 << 26;
    int there;
    vgStatus status = find_set(in, group, name, &there, rows);
    if (status != VG_OK) return status;
    if (there && rows->rank == rank && rows->width <= widest) return VG_OK;
    in->why = there ? "it has another shape than it should" : "there is none";
    return VG_BAD_INPUT;
}

static size_t block_rows(const vgH5Set *rows)
{
    size_t n = rows->width ? BLOCK_NUMBERS / (size_t)rows->width : BLOCK_NUMBERS;
    return n ? n : 1;
}

/* Frame k of m, spread over n rows with the first and the last kept. */
static size_t frame_row(size_t k, size_t m, size_t n)
{
    return m > 1 ? (size_t)((double)k * (double)(n - 1) / (double)(m - 1) + 0.5) : 0;
}

static vgStatus read_poses(vgViewRun *run, viewFile *in, vgH5Object view, const double *time, size_t ntime,
                           size_t max_poses)
{
    vgH5Set rows = {0};
    vgH5Object poses = VG_H5_NONE;
    double *block = NULL;
    in->part = "view";
    if (view == VG_H5_NONE) return VG_OK;
    vgStatus status = vg_h5_find(in->file, view, "poses", &poses);
    if (status != VG_OK || poses == VG_H5_NONE) return status;
    status = dataset_strings(in, view, "bodies", 1, &run->body);
    if (status == VG_OK) status = rows_open(in, view, "poses", 3, &rows);
    if (status == VG_OK && (rows.size[1] != (uint64_t)run->body.n || rows.size[2] != 7)) {
        in->why = "not every body has a pose";
        status = VG_BAD_INPUT;
    }
    if (status != VG_OK || run->body.n == 0) goto done;

    size_t n = rows.size[0] < ntime ? (size_t)rows.size[0] : ntime, limit = max_poses / (size_t)run->body.n;
    limit = limit > MAX_FRAMES ? MAX_FRAMES : limit < 2 ? 2 : limit;
    run->nframe_file = n;
    run->nframe = n < limit ? n : limit;
    size_t in_block = block_rows(&rows);
    run->frame_time = calloc(run->nframe + 1, sizeof(double));
    const size_t width = (size_t)rows.width;
    run->pose = calloc(run->nframe + 1, width * sizeof(double));
    block = calloc(in_block, width * sizeof(double));
    if (!run->frame_time || !run->pose || !block) status = VG_NO_MEMORY;
    size_t k = 0;
    for (size_t first = 0; status == VG_OK && first < n; first += in_block) {
        size_t count = n - first < in_block ? n - first : in_block;
        status = vg_h5_rows(in->file, &rows, first, count, block);
        for (size_t row; k < run->nframe && (row = frame_row(k, run->nframe, n)) < first + count; k++) {
            run->frame_time[k] = time[row];
            memcpy(run->pose + k * width, block + (row - first) * width, width * sizeof(double));
        }
    }
    if (status == VG_OK) status = vg_h5_check(in->file, &rows);
done:
    free(block);
    vg_h5_set_free(&rows);
    return status;
}

/* The smallest and the largest value of one channel within a span of rows, and where they are. */
typedef struct extremes {
    double low, high;
    size_t at_low, at_high;
} extremes;

static void write_span(vgViewRun *run, size_t span, const extremes *e)
{
    for (size_t c = 0; c < (size_t)run->channel.n; c++) {
        double *out = run->sample + c * run->nsample + 2 * span;
        int rising = e[c].at_low <= e[c].at_high;
        out[0] = rising ? e[c].low : e[c].high;
        out[1] = rising ? e[c].high : e[c].low;
    }
}

/* Thins by spans: extremes of every channel survive, whatever the number of rows. */
static void thin_block(vgViewRun *run, extremes *e, const double *block, size_t first, size_t count, size_t n)
{
    size_t nspan = run->nsample / 2, width = (size_t)run->channel.n;
    for (size_t row = first; row < first + count; row++) {
        size_t span = (size_t)((double)row * (double)nspan / (double)n);
        size_t before = row ? (size_t)((double)(row - 1) * (double)nspan / (double)n) : nspan;
        if (row && span != before) write_span(run, before, e);
        for (size_t c = 0; c < width; c++) {
            double v = block[(row - first) * width + c];
            if (span != before || !(v >= e[c].low)) { /* also replaces what is not a number */
                if (span == before && isnan(v)) continue;
                e[c].low = v;
                e[c].at_low = row;
            }
            if (span != before || !(v <= e[c].high)) {
                e[c].high = v;
                e[c].at_high = row;
            }
        }
    }
    if (first + count == n) write_span(run, nspan - 1, e);
}

static void span_times(vgViewRun *run, const double *time, size_t n)
{
    size_t nspan = run->nsample / 2;
    for (size_t s = 0; s < nspan; s++) {
        double rows = (double)n / (double)nspan;
        size_t first = (size_t)ceil((double)s * rows), next = (size_t)ceil((double)(s + 1) * rows);
        size_t middle = first + (next > first ? (next - first) / 2 : 0);
        run->sample_time[2 * s] = time[first < n ? first : n - 1];
        run->sample_time[2 * s + 1] = time[s + 1 == nspan ? n - 1 : middle < n ? middle : n - 1];
    }
}

static vgStatus read_channels(vgViewRun *run, viewFile *in, const double *time, size_t ntime,
                              size_t max_samples)
{
    vgH5Set rows = {0};
    vgH5Object root = vg_h5_root(in->file), data = VG_H5_NONE;
    double *block = NULL;
    extremes *e = NULL;
    in->part = "data";
    vgStatus status = vg_h5_find(in->file, root, "data", &data);
    if (status != VG_OK || data == VG_H5_NONE) return status;
    status = dataset_strings(in, root, "channels", 1, &run->channel);
    if (status == VG_OK) status = dataset_strings(in, root, "units", 0, &run->unit);
    if (status == VG_OK) status = rows_open(in, root, "data", 2, &rows);
    if (status == VG_OK &&
        (rows.size[1] != (uint64_t)run->channel.n || (run->unit.at && run->unit.n != run->channel.n))) {
        in->why = "not every number has a name";
        status = VG_BAD_INPUT;
    }
    if (status != VG_OK || run->channel.n == 0) goto done;

    size_t n = rows.size[0] < ntime ? (size_t)rows.size[0] : ntime, width = (size_t)rows.width;
    size_t limit = max_samples / width;
    limit = limit > MAX_SAMPLES ? MAX_SAMPLES : limit < 64 ? 64 : limit / 2 * 2;
    int thin = n > limit;
    run->nsample_file = n;
    run->nsample = thin ? limit : n;
    size_t in_block = block_rows(&rows);
    run->sample_time = calloc(run->nsample + 1, sizeof(double));
    run->sample = calloc(run->nsample + 1, width * sizeof(double));
    block = calloc(in_block, width * sizeof(double));
    e = calloc(width, sizeof *e);
    if (!run->sample_time || !run->sample || !block || !e) status = VG_NO_MEMORY;
    for (size_t first = 0; status == VG_OK && first < n; first += in_block) {
        size_t count = n - first < in_block ? n - first : in_block;
        status = vg_h5_rows(in->file, &rows, first, count, block);
        if (status != VG_OK) break;
        if (thin) {
            thin_block(run, e, block, first, count, n);
            continue;
        }
        for (size_t i = 0; i < count * width; i++) run->sample[i % width * n + first + i / width] = block[i];
    }
    if (status == VG_OK && thin) span_times(run, time, n);
    if (status == VG_OK && !thin && n) memcpy(run->sample_time, time, n * sizeof(double));
    if (status == VG_OK) status = vg_h5_check(in->file, &rows);
done:
    free(block);
    free(e);
    vg_h5_set_free(&rows);
    return status;
}

static vgStatus read_time(viewFile *in, double **time, size_t *n)
{
    vgH5Set rows = {0};
    vgStatus status = rows_open(in, vg_h5_root(in->file), "time", 1, &rows);
    if (status == VG_OK) {
        *n = (size_t)rows.size[0];
        *time = calloc(*n + 1, sizeof(double));
        status = *time ? vg_h5_rows(in->file, &rows, 0, *n, *time) : VG_NO_MEMORY;
        if (status == VG_OK) status = vg_h5_check(in->file, &rows);
    }
    vg_h5_set_free(&rows);
    return status;
}

/* Texts of the root, or of the group of the view. */
static vgStatus read_texts(vgViewRun *run, viewFile *in, vgH5Object view)
{
    vgStatus status = VG_OK;
    for (int i = 0; i < VG_VIEW_TEXTS && status == VG_OK; i++) {
        in->part = vg_view_text_names[i];
        status = vg_h5_text(in->file, vg_h5_root(in->file), vg_view_text_names[i], &run->text[i]);
        if (status == VG_OK && !run->text[i] && view != VG_H5_NONE)
            status = vg_h5_text(in->file, view, vg_view_text_names[i], &run->text[i]);
    }
    return status;
}

static vgStatus read_file(vgViewRun *run, viewFile *in, size_t max_poses, size_t max_samples)
{
    double *time = NULL;
    size_t n = 0;
    vgH5Object view = VG_H5_NONE;
    in->part = "view";
    vgStatus status = vg_h5_find(in->file, vg_h5_root(in->file), "view", &view);
    if (status == VG_OK) status = read_texts(run, in, view);
    if (status == VG_OK) status = read_time(in, &time, &n);
    if (status == VG_OK) status = read_poses(run, in, view, time, n, max_poses);
    if (status == VG_OK) status = read_channels(run, in, time, n, max_samples);
    free(time);
    return status;
}

vgStatus vg_view_run_read(vgViewRun *run, const char *path, size_t max_poses, size_t max_samples,
                          vgDiag *diag)
{
    viewFile in = {.part = ""};
    const char *why;
    *run = (vgViewRun){.path = path};
    vgStatus status = vg_h5_open(path, &in.file, &why);
    if (status != VG_OK) {
        const char *end = strrchr(path, '.');
        int model = end && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
        vg_diag_error(diag, VG_NOWHERE, "%s: cannot be opened as a results file (HDF5): %s%s", path, why,
                      model ? "; of a model, run it first: verge run MODEL.yaml -o RUN.h5" : "");
        return status == VG_NO_MEMORY ? status : VG_BAD_INPUT;
    }
    status = read_file(run, &in, max_poses, max_samples);
    if (status == VG_BAD_INPUT || status == VG_IO)
        vg_diag_error(diag, VG_NOWHERE, "%s: not a results file of verge: \"%s\" is missing or damaged: %s",
                      path, in.part, in.why ? in.why : vg_h5_why(in.file));
    else if (status != VG_OK)
        vg_diag_error(diag, VG_NOWHERE, "%s: %s", path, vg_status_text(status));
    vg_h5_close(in.file);
    if (status != VG_OK) vg_view_run_free(run);
    return status;
}

#include "io/view/view.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "io/view_code.h"
#include "io/view/view_page.h"
#include "io/view/view_run.h"

enum {
    PAGE_POSES = 3000000,       /* frames × bodies read, all runs together */
    PAGE_SAMPLES = 1000000,     /* points of all channels of all runs: 5.4 MB of text */
    PAGE_POSE_CHARS = 22000000, /* text of all poses */
    FINE_BITS = 20,
    COARSE_BITS = 17, /* positions, in parts of the range of a body's motion */
    QUATERNION_BITS = 19,
    SCENE_BITS = 26 /* no finer than this part of the range of all bodies */
};

/* How finely the poses of one run are written. */
typedef struct poseGrid {
    int bits;      /* of a body's own range */
    size_t stride; /* every how many frames */
    double scene;  /* range of all bodies */
} poseGrid;

static void put(vgText *text, const char *string)
{
    vg_text_put(text, string, strlen(string));
}

static size_t grid_frames(const vgViewRun *run, size_t stride)
{
    return run->nframe ? (run->nframe - 1 + stride - 1) / stride + 1 : 0;
}

/* Frame k of the thinned run: the last one is always kept. */
static size_t grid_frame(const vgViewRun *run, size_t stride, size_t k)
{
    size_t frame = k * stride;
    return frame < run->nframe ? frame : run->nframe - 1;
}

static const double *pose_of(const vgViewRun *run, size_t frame, int body)
{
    return run->pose + (frame * (size_t)run->body.n + (size_t)body) * 7;
}

/* Largest distance that one coordinate of a body travels; low[3] the smallest coordinates. */
static double body_range(const vgViewRun *run, int body, double low[3])
{
    double range = 0;
    for (int c = 0; c < 3; c++) {
        double a = INFINITY, b = -INFINITY;
        for (size_t k = 0; k < run->nframe; k++) {
            double v = pose_of(run, k, body)[c];
            if (!isfinite(v)) continue;
            a = v < a ? v : a;
            b = v > b ? v : b;
        }
        low[c] = a <= b ? a : 0;
        if (b - a > range) range = b - a;
    }
    return range;
}

static double scene_range(const vgViewRun *run)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, range = 0;
    for (size_t i = 0; i < run->nframe * (size_t)run->body.n; i++)
        for (int c = 0; c < 3; c++) {
            double v = run->pose[7 * i + (size_t)c];
            if (!isfinite(v)) continue;
            if (v < low[c]) low[c] = v;
            if (v > high[c]) high[c] = v;
        }
    for (int c = 0; c < 3; c++)
        if (high[c] - low[c] > range) range = high[c] - low[c];
    return range > 0 ? range : 1;
}

/* q and −q are the same rotation: the sign that continues the motion keeps the columns smooth. */
static void continue_quaternions(vgViewRun *run)
{
    for (size_t k = 1; k < run->nframe; k++)
        for (int b = 0; b < run->body.n; b++) {
            const double *p = pose_of(run, k - 1, b) + 3;
            double *q = run->pose + (k * (size_t)run->body.n + (size_t)b) * 7 + 3;
            if (p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0)
                for (int c = 0; c < 4; c++) q[c] = -q[c];
        }
}

/* Column c of a body in whole steps from an origin; what is not finite repeats what was before it. */
static void quantise(const vgViewRun *run, size_t stride, int body, int c, double origin, double step,
                     int32_t *column)
{
    size_t n = grid_frames(run, stride);
    int32_t last = 0;
    for (size_t k = 0; k < n; k++) {
        double v = (pose_of(run, grid_frame(run, stride, k), body)[c] - origin) / step;
        if (isfinite(v) && fabs(v) < 1e9) last = (int32_t)lround(v);
        column[k] = last;
    }
}

/* The poses of a run as [origin, step, order, text] for each body and component; text NULL only measures. */
static size_t write_poses(const vgViewRun *run, const poseGrid *grid, int32_t *column, vgText *text)
{
    size_t total = 0, n = grid_frames(run, grid->stride);
    for (int b = 0; b < run->body.n; b++) {
        double low[3], range = body_range(run, b, low);
        double step = fmax(ldexp(range, -grid->bits), ldexp(grid->scene, -SCENE_BITS));
        for (int c = 0; c < 7; c++) {
            double origin = c < 3 ? low[c] : 0, unit = c < 3 ? step : ldexp(1, -QUATERNION_BITS);
            quantise(run, grid->stride, b, c, origin, unit, column);
            size_t length;
            int order = vg_code_best_order(column, n, &length);
            total += length + 40;
            if (!text) continue;
            put(text, b || c ? ",\n[" : "\n[");
            vg_text_number(text, origin);
            put(text, ",");
            vg_text_number(text, unit);
            put(text, ",");
            vg_text_number(text, order);
            put(text, ",\"");
            vg_code_column(text, column, n, order);
            put(text, "\"]");
        }
    }
    return total;
}

/* Fine first; when the text would be too long, coarser, then fewer frames. */
static poseGrid choose_grid(const vgViewRun *run, size_t max_chars, int32_t *column)
{
    poseGrid grid = {FINE_BITS, 1, scene_range(run)};
    for (;;) {
        size_t length = write_poses(run, &grid, column, NULL);
        if (length <= max_chars || grid_frames(run, grid.stride) <= 2) return grid;
        if (grid.bits > COARSE_BITS) {
            grid.bits = COARSE_BITS;
        } else {
            grid.stride *= 2;
            grid.bits = FINE_BITS;
        }
    }
}

static void write_strings(vgText *text, const vgViewStrings *strings)
{
    put(text, "[");
    for (int i = 0; i < strings->n; i++) {
        if (i) put(text, ",");
        vg_code_string(text, strings->at[i]);
    }
    put(text, "]");
}

static void write_key(vgText *text, const char *key)
{
    put(text, ",\n");
    vg_code_string(text, key);
    put(text, ":");
}

static vgStatus write_frames(vgText *text, vgViewRun *run, size_t max_chars)
{
    int32_t *column = calloc(run->nframe + 1, sizeof *column);
    double *time = calloc(run->nframe + 1, sizeof *time);
    vgStatus status = column && time ? VG_OK : VG_NO_MEMORY;
    if (status == VG_OK) {
        continue_quaternions(run);
        poseGrid grid = choose_grid(run, max_chars, column);
        size_t n = grid_frames(run, grid.stride);
        for (size_t k = 0; k < n; k++) time[k] = run->frame_time[grid_frame(run, grid.stride, k)];
        write_key(text, "bodies");
        write_strings(text, &run->body);
        write_key(text, "frames");
        put(text, "{\"n\":");
        vg_text_number(text, (double)n);
        write_key(text, "recorded");
        vg_text_number(text, (double)run->nframe_file);
        write_key(text, "time");
        put(text, "\"");
        vg_code_base64(text, time, n * sizeof *time);
        put(text, "\"");
        write_key(text, "columns");
        put(text, "[");
        write_poses(run, &grid, column, text);
        put(text, "]}");
    }
    free(column);
    free(time);
    return status;
}

/* Single precision about an origin: a small drift of a large value keeps its digits. */
static double channel_origin(const double *v, size_t n)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) continue;
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
    }
    if (!(low <= high)) return 0;
    return high - low < 0.01 * fmax(fabs(low), fabs(high)) ? v[0] - v[0] == 0 ? v[0] : low : 0;
}

static vgStatus write_channels(vgText *text, const vgViewRun *run)
{
    float *single = calloc(run->nsample + 1, sizeof *single);
    if (!single) return VG_NO_MEMORY;
    write_key(text, "channels");
    put(text, "{\"names\":");
    write_strings(text, &run->channel);
    write_key(text, "units");
    write_strings(text, &run->unit);
    write_key(text, "recorded");
    vg_text_number(text, (double)run->nsample_file);
    write_key(text, "time");
    put(text, "\"");
    vg_code_base64(text, run->sample_time, run->nsample * sizeof(double));
    put(text, "\"");
    write_key(text, "data");
    put(text, "[");
    for (int c = 0; c < run->channel.n; c++) {
        const double *v = run->sample + (size_t)c * run->nsample;
        double origin = channel_origin(v, run->nsample);
        for (size_t i = 0; i < run->nsample; i++) single[i] = (float)(v[i] - origin);
        put(text, c ? ",\n[" : "\n[");
        vg_text_number(text, origin);
        put(text, ",\"");
        vg_code_base64(text, single, run->nsample * sizeof *single);
        put(text, "\"]");
    }
    put(text, "]}");
    free(single);
    return VG_OK;
}

/* The name a run goes by in the page: its file name without folder and ending. */
static void write_run_name(vgText *text, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char *copy = calloc(n + 1, 1);
    if (copy) memcpy(copy, name, n);
    vg_code_string(text, copy ? copy : "");
    text->failed |= !copy;
    free(copy);
}

static vgStatus write_run(vgText *text, vgViewRun *run, size_t max_chars)
{
    put(text, "{\"name\":");
    write_run_name(text, run->path);
    for (int i = 0; i < VG_VIEW_TEXTS; i++) {
        if (!run->text[i]) continue;
        write_key(text, vg_view_text_names[i]);
        vg_code_string(text, run->text[i]);
    }
    vgStatus status = write_channels(text, run);
    if (status == VG_OK) status = write_frames(text, run, max_chars);
    put(text, "}");
    return text->failed ? VG_NO_MEMORY : status;
}

static vgStatus write_page(const char *out, const vgText *data, vgDiag *diag)
{
    const vgPage *viewer = &vg_view_page;
    char *text = vg_page_unpack(viewer);
    if (!text) {
        vg_diag_error(diag, VG_NOWHERE, "%s: %s", out, vg_status_text(VG_NO_MEMORY));
        return VG_NO_MEMORY;
    }
    vgOutput page;
    int good = vg_output_open(&page, out);
    if (good) {
        vg_output_put(&page, text, viewer->cut);
        vg_output_put(&page, data->at, data->used);
        vg_output_put(&page, text + viewer->cut, viewer->size - viewer->cut);
        good = vg_output_close(&page);
    }
    int why = errno;
    free(text);
    errno = why;
    if (!good) vg_diag_error(diag, VG_NOWHERE, "%s: cannot be written: %s", out, vg_file_why(errno));
    return good ? VG_OK : VG_IO;
}

vgStatus vg_view_write(const char *const *results, int n, const char *out, vgDiag *diag)
{
    if (!vg_view_page.size) {
        vg_diag_error(diag, VG_NOWHERE,
                      "this build of verge has no viewer: the page is made with node and npm, which were "
                      "missing or could not fetch their packages when verge was built (install nodejs and "
                      "npm, run `npm ci` in viewer/, build again)");
        return VG_UNSUPPORTED;
    }
    if (n < 1) {
        vg_diag_error(diag, VG_NOWHERE, "no results file was given");
        return VG_BAD_INPUT;
    }
    vgText text = {0};
    vgStatus status = VG_OK;
    put(&text, "{\"runs\":[");
    for (int i = 0; i < n && status == VG_OK; i++) {
        vgViewRun run;
        size_t share = (size_t)n;
        if (i) put(&text, ",\n");
        status = vg_view_run_read(&run, results[i], PAGE_POSES / share, PAGE_SAMPLES / share, diag);
        if (status != VG_OK) break;
        status = write_run(&text, &run, PAGE_POSE_CHARS / share);
        if (status == VG_NO_MEMORY) vg_diag_error(diag, VG_NOWHERE, "%s: out of memory", results[i]);
        vg_view_run_free(&run);
    }
    put(&text, "]}");
    if (status == VG_OK) status = text.failed ? VG_NO_MEMORY : write_page(out, &text, diag);
    vg_text_free(&text);
    return status;
}

#include "io/view_run.h"

#include <hdf5.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/h5_quiet.h"

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

/* Strings as HDF5 stores them, of fixed or of variable length; read is H5Aread or a wrapper of H5Dread. */
static vgStatus read_strings(hid_t object, hid_t type, hid_t space, herr_t (*read)(hid_t, hid_t, void *),
                             vgViewStrings *out)
{
    hssize_t n = H5Sget_simple_extent_npoints(space);
    if (n < 0 || n > INT32_MAX || H5Tget_class(type) != H5T_STRING) return VG_BAD_INPUT;
    int variable = H5Tis_variable_str(type) > 0;
    size_t width = variable ? sizeof(char *) : H5Tget_size(type);
    if (!width || (size_t)n > SIZE_MAX / 2 / width) return VG_BAD_INPUT;
    char *buffer = calloc((size_t)n + 1, width);
    out->at = calloc((size_t)n + 1, sizeof *out->at);
    vgStatus status = buffer && out->at ? VG_OK : VG_NO_MEMORY;
    if (status == VG_OK && n > 0 && read(object, type, buffer) < 0) status = VG_BAD_INPUT;
    int filled = status == VG_OK && n > 0;
    for (; status == VG_OK && out->n < n; out->n++) {
        const char *from = variable ? ((char **)(void *)buffer)[out->n] : buffer + (size_t)out->n * width;
        char *copy = from ? strndup(from, variable ? SIZE_MAX / 2 : width) : strdup("");
        if (!(out->at[out->n] = copy)) {
            status = VG_NO_MEMORY;
            break;
        }
    }
    if (filled && variable) H5Dvlen_reclaim(type, space, H5P_DEFAULT, buffer);
    free(buffer);
    return status;
}

static herr_t read_dataset(hid_t object, hid_t type, void *buffer)
{
    return H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
}

static vgStatus dataset_strings(hid_t file, const char *name, vgViewStrings *out)
{
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
    if (data < 0) return VG_BAD_INPUT;
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    vgStatus status = read_strings(data, type, space, read_dataset, out);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(data);
    return status;
}

/* A text attribute of an object; NULL when there is none. */
static char *attribute_text(hid_t file, const char *object, const char *name)
{
    if (H5Aexists_by_name(file, object, name, H5P_DEFAULT) <= 0) return NULL;
    hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return NULL;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    vgViewStrings strings = {0};
    char *text = NULL;
    if (read_strings(attribute, type, space, H5Aread, &strings) == VG_OK && strings.n > 0) {
        text = strings.at[0];
        strings.at[0] = NULL;
    }
    free_strings(&strings);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

/* A dataset of rows, read block by block. */
typedef struct rowData {
    hid_t data, space;
    int rank;
    hsize_t size[3];
    size_t width; /* numbers in a row */
} rowData;

static vgStatus rows_open(rowData *rows, hid_t file, const char *name, int rank)
{
    rows->data = H5Dopen2(file, name, H5P_DEFAULT);
    if (rows->data < 0) return VG_BAD_INPUT;
    rows->space = H5Dget_space(rows->data);
    rows->rank = rank;
    rows->width = 1;
    if (H5Sget_simple_extent_ndims(rows->space) != rank) return VG_BAD_INPUT;
    H5Sget_simple_extent_dims(rows->space, rows->size, NULL);
    for (int i = 1; i < rank; i++) {
        if (rows->size[i] > (hsize_t)1 << 24) return VG_BAD_INPUT;
        rows->width *= (size_t)rows->size[i];
    }
    return rows->width <= (size_t)1 << 26 ? VG_OK : VG_BAD_INPUT;
}

static void rows_close(rowData *rows)
{
    if (rows->space > 0) H5Sclose(rows->space);
    if (rows->data > 0) H5Dclose(rows->data);
}

static vgStatus rows_read(const rowData *rows, size_t first, size_t n, double *out)
{
    hsize_t start[3] = {first, 0, 0}, count[3] = {n, rows->size[1], rows->size[2]};
    hid_t memory = H5Screate_simple(rows->rank, count, NULL);
    herr_t done = H5Sselect_hyperslab(rows->space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (done >= 0) done = H5Dread(rows->data, H5T_NATIVE_DOUBLE, memory, rows->space, H5P_DEFAULT, out);
    H5Sclose(memory);
    return done < 0 ? VG_BAD_INPUT : VG_OK;
}

static size_t block_rows(const rowData *rows)
{
    size_t n = rows->width ? BLOCK_NUMBERS / rows->width : BLOCK_NUMBERS;
    return n ? n : 1;
}

/* Frame k of m, spread over n rows with the first and the last kept. */
static size_t frame_row(size_t k, size_t m, size_t n)
{
    return m > 1 ? (size_t)((double)k * (double)(n - 1) / (double)(m - 1) + 0.5) : 0;
}

static vgStatus read_poses(vgViewRun *run, hid_t file, const double *time, size_t ntime, size_t max_poses)
{
    if (H5Lexists(file, "view", H5P_DEFAULT) <= 0 || H5Lexists(file, "view/poses", H5P_DEFAULT) <= 0)
        return VG_OK;
    rowData rows = {0};
    double *block = NULL;
    vgStatus status = dataset_strings(file, "view/bodies", &run->body);
    if (status == VG_OK) status = rows_open(&rows, file, "view/poses", 3);
    if (status == VG_OK && (rows.size[1] != (hsize_t)run->body.n || rows.size[2] != 7)) status = VG_BAD_INPUT;
    if (status != VG_OK || run->body.n == 0) goto done;

    size_t n = rows.size[0] < ntime ? (size_t)rows.size[0] : ntime, limit = max_poses / (size_t)run->body.n;
    limit = limit > MAX_FRAMES ? MAX_FRAMES : limit < 2 ? 2 : limit;
    run->nframe_file = n;
    run->nframe = n < limit ? n : limit;
    size_t in_block = block_rows(&rows);
    run->frame_time = calloc(run->nframe + 1, sizeof(double));
    run->pose = calloc(run->nframe + 1, rows.width * sizeof(double));
    block = calloc(in_block, rows.width * sizeof(double));
    if (!run->frame_time || !run->pose || !block) status = VG_NO_MEMORY;
    size_t k = 0;
    for (size_t first = 0; status == VG_OK && first < n; first += in_block) {
        size_t count = n - first < in_block ? n - first : in_block;
        status = rows_read(&rows, first, count, block);
        for (size_t row; k < run->nframe && (row = frame_row(k, run->nframe, n)) < first + count; k++) {
            run->frame_time[k] = time[row];
            memcpy(run->pose + k * rows.width, block + (row - first) * rows.width,
                   rows.width * sizeof(double));
        }
    }
done:
    free(block);
    rows_close(&rows);
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

static vgStatus read_channels(vgViewRun *run, hid_t file, const double *time, size_t ntime,
                              size_t max_samples)
{
    if (H5Lexists(file, "data", H5P_DEFAULT) <= 0) return VG_OK;
    rowData rows = {0};
    double *block = NULL;
    extremes *e = NULL;
    vgStatus status = dataset_strings(file, "channels", &run->channel);
    if (status == VG_OK && H5Lexists(file, "units", H5P_DEFAULT) > 0)
        status = dataset_strings(file, "units", &run->unit);
    if (status == VG_OK) status = rows_open(&rows, file, "data", 2);
    if (status == VG_OK && rows.size[1] != (hsize_t)run->channel.n) status = VG_BAD_INPUT;
    if (status != VG_OK || run->channel.n == 0) goto done;

    size_t n = rows.size[0] < ntime ? (size_t)rows.size[0] : ntime, width = rows.width;
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
        status = rows_read(&rows, first, count, block);
        if (status != VG_OK) break;
        if (thin) {
            thin_block(run, e, block, first, count, n);
            continue;
        }
        for (size_t i = 0; i < count * width; i++) run->sample[i % width * n + first + i / width] = block[i];
    }
    if (status == VG_OK && thin) span_times(run, time, n);
    if (status == VG_OK && !thin && n) memcpy(run->sample_time, time, n * sizeof(double));
done:
    free(block);
    free(e);
    rows_close(&rows);
    return status;
}

static vgStatus read_time(hid_t file, double **time, size_t *n)
{
    rowData rows = {0};
    vgStatus status = rows_open(&rows, file, "time", 1);
    if (status == VG_OK) {
        *n = (size_t)rows.size[0];
        *time = calloc(*n + 1, sizeof(double));
        status = !*time ? VG_NO_MEMORY : *n ? rows_read(&rows, 0, *n, *time) : VG_OK;
    }
    rows_close(&rows);
    return status;
}

static vgStatus read_file(vgViewRun *run, hid_t file, size_t max_poses, size_t max_samples, const char **part)
{
    for (int i = 0; i < VG_VIEW_TEXTS; i++) {
        run->text[i] = attribute_text(file, "/", vg_view_text_names[i]);
        if (!run->text[i] && H5Lexists(file, "view", H5P_DEFAULT) > 0)
            run->text[i] = attribute_text(file, "/view", vg_view_text_names[i]);
    }
    double *time = NULL;
    size_t n = 0;
    *part = "time";
    vgStatus status = H5Lexists(file, "time", H5P_DEFAULT) > 0 ? read_time(file, &time, &n) : VG_BAD_INPUT;
    if (status == VG_OK) {
        *part = "view/poses";
        status = read_poses(run, file, time, n, max_poses);
    }
    if (status == VG_OK) {
        *part = "data";
        status = read_channels(run, file, time, n, max_samples);
    }
    free(time);
    return status;
}

vgStatus vg_view_run_read(vgViewRun *run, const char *path, size_t max_poses, size_t max_samples,
                          vgDiag *diag)
{
    *run = (vgViewRun){.path = path};
    vgH5Quiet quiet = vg_h5_quiet_begin();
    const char *part = "";
    vgStatus status = VG_BAD_INPUT;
    const char *why = vg_file_wrong(path); /* a pipe would keep HDF5 waiting */
    hid_t file = why ? -1 : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (why) {
        vg_diag_error(diag, VG_NOWHERE, "%s: cannot be opened: it %s", path, why);
    } else if (file < 0) {
        const char *end = strrchr(path, '.');
        int model = end && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
        vg_diag_error(diag, VG_NOWHERE, "%s: cannot be opened as a results file (HDF5)%s", path,
                      model ? "; of a model, run it first: verge run MODEL.yaml -o RUN.h5" : "");
    } else {
        status = read_file(run, file, max_poses, max_samples, &part);
        if (status == VG_BAD_INPUT)
            vg_diag_error(diag, VG_NOWHERE, "%s: not a results file of verge: \"%s\" is missing or damaged",
                          path, part);
        else if (status != VG_OK)
            vg_diag_error(diag, VG_NOWHERE, "%s: %s", path, vg_status_text(status));
        H5Fclose(file);
    }
    vg_h5_quiet_end(quiet);
    if (status != VG_OK) vg_view_run_free(run);
    return status;
}

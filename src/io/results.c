#include "io/results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/names.h"
#include "base/os.h"
#include "io/results_format.h"
#include "base/expect.h"

enum { MAX_ROWS = 4096 };
static const size_t max_buffer = (size_t)16 << 20;
static const double flush_seconds = 0.5;

static const vgResultsFormat *const formats[] = {&vg_results_h5, &vg_results_hdf5, &vg_results_csv};
enum { NFORMAT = sizeof formats / sizeof formats[0] };

struct vgResults {
    const vgResultsFormat *format;
    void *file;
    int nchannel, nbody;
    long rows, buffered, capacity;
    double *time, *values, *poses;
    long long flushed; /* of vg_os_clock */
    double t;          /* of the last row on its way to the disk */
    vgStatus status;   /* of the first write that failed */
    vgOutput output;
};

static const vgResultsFormat *format_of(const char *path)
{
    size_t n = strlen(path);
    for (int i = 0; i < NFORMAT; i++) {
        size_t m = strlen(formats[i]->ending);
        if (n > m && strcmp(path + n - m, formats[i]->ending) == 0) return formats[i];
    }
    return NULL;
}

int vg_results_named(const char *path)
{
    return format_of(path) != NULL;
}

vgStatus vg_results_check(const char *path, vgDiag *diag)
{
    if (format_of(path)) return VG_OK;
    vg_diag_error(diag, VG_NOWHERE, "results file '%s': the name must end in .h5, .hdf5 or .csv", path);
    return VG_BAD_INPUT;
}

static void release(vgResults *r)
{
    free(r->time);
    free(r->values);
    free(r->poses);
    free(r);
}

/* malloc(0) may be NULL, so every buffer has at least one number. */
static double *numbers(size_t n)
{
    return malloc((n ? n : 1) * sizeof(double));
}

static const char *reason(int why)
{
    return why ? vg_file_why(why) : vg_status_text(VG_NO_MEMORY);
}

/* Opens the file and writes its head. */
static vgStatus create(vgResults *r, const char *path, const vgResultsHead *head, vgDiag *diag)
{
    if (!vg_output_open(&r->output, path)) {
        vg_diag_error(diag, VG_NOWHERE, "results file '%s' could not be created: %s", path, reason(errno));
        return errno == ENOMEM ? VG_NO_MEMORY : VG_IO;
    }
    r->file = r->format->create(&r->output, head);
    if (r->file && vg_output_publish(&r->output)) return VG_OK;
    int why = r->output.error;
    if (r->file) r->format->close(r->file, "failed", "");
    vg_output_abandon(&r->output);
    vg_diag_error(diag, VG_NOWHERE, "results file '%s' could not be created: %s", path, reason(why));
    return why ? VG_IO : VG_NO_MEMORY;
}

vgStatus vg_results_create(const char *path, const vgResultsHead *head, vgDiag *diag, vgResults **out)
{
    VG_EXPECT(path && head && out);
    *out = NULL;
    vgStatus status = vg_results_check(path, diag);
    if (status != VG_OK) return status;
    vgResults *r = calloc(1, sizeof *r);
    if (!r) return VG_NO_MEMORY;
    size_t row = (1 + (size_t)head->nchannel + 7 * (size_t)head->nbody) * sizeof(double);
    size_t capacity = max_buffer / row;
    r->capacity = capacity < 1 ? 1 : capacity > MAX_ROWS ? MAX_ROWS : (long)capacity;
    r->format = format_of(path);
    r->nchannel = head->nchannel;
    r->nbody = head->nbody;
    r->time = numbers((size_t)r->capacity);
    r->values = numbers((size_t)r->capacity * (size_t)head->nchannel);
    r->poses = numbers((size_t)r->capacity * 7 * (size_t)head->nbody);
    if (!r->time || !r->values || !r->poses) {
        release(r);
        return VG_NO_MEMORY;
    }
    status = create(r, path, head, diag);
    if (status != VG_OK) {
        release(r);
        return status;
    }
    r->flushed = vg_os_clock();
    *out = r;
    return VG_OK;
}

vgStatus vg_results_flush(vgResults *r)
{
    if (r->buffered > 0 && r->status == VG_OK) {
        r->status = r->format->write(r->file, r->buffered, r->time, r->values, r->poses);
        if (r->status == VG_OK) r->t = r->time[r->buffered - 1];
        r->buffered = 0;
    }
    r->flushed = vg_os_clock();
    return r->status;
}

vgStatus vg_results_row(vgResults *r, double t, const double *values, const double *poses)
{
    VG_EXPECT(r && (values || r->nchannel == 0) && isfinite(t));
    if (r->status != VG_OK) return r->status;
    size_t at = (size_t)r->buffered++, nc = (size_t)r->nchannel, np = 7 * (size_t)r->nbody;
    r->rows++;
    r->time[at] = t;
    if (nc) memcpy(r->values + at * nc, values, nc * sizeof *values);
    if (np) memcpy(r->poses + at * np, poses, np * sizeof *poses);
    double waited = 1e-9 * (double)(vg_os_clock() - r->flushed);
    if (r->buffered < r->capacity && waited < flush_seconds) return VG_OK;
    return vg_results_flush(r);
}

/* Something could not be written. What was computed until then is kept, and what was there before too. */
static void tell_failure(vgResults *r, vgDiag *diag)
{
    char path[1000], left[1000];
    int why = r->output.error;
    snprintf(path, sizeof path, "%s", r->output.path);
    vg_output_leave(&r->output, left, sizeof left);
    if (left[0])
        vg_diag_error(diag, VG_NOWHERE,
                      "results file '%s' could not be written: %s; it is as it was before, and the rows up "
                      "to t = %.9g s are in '%s'",
                      path, reason(why), r->t, left);
    else
        vg_diag_error(diag, VG_NOWHERE,
                      "results file '%s' could not be written: %s; it ends with the row of t = %.9g s", path,
                      reason(why), r->t);
}

vgStatus vg_results_close(vgResults *r, const char *status, const char *statistics, vgDiag *diag)
{
    if (!r) return VG_OK;
    vgStatus written = vg_results_flush(r);
    vgStatus closed = r->format->close(r->file, status ? status : "", statistics ? statistics : "");
    if (written == VG_OK) written = closed;
    if (written != VG_OK) {
        if (!r->output.error) written = VG_NO_MEMORY;
        tell_failure(r, diag);
    } else {
        char path[1000];
        snprintf(path, sizeof path, "%s", r->output.path);
        if (!vg_output_close(&r->output)) {
            vg_diag_error(diag, VG_NOWHERE, "results file '%s' could not be written: %s", path,
                          vg_file_why(errno));
            written = VG_IO;
        }
    }
    release(r);
    return written;
}

char *vg_results_strdup(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (!copy) return NULL;
    memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}

int vg_data_columns(vgTableData *table, int ncol)
{
    table->name = calloc((size_t)ncol + 1, sizeof *table->name);
    table->unit = calloc((size_t)ncol + 1, sizeof *table->unit);
    if (!table->name || !table->unit) return 0;
    table->ncol = ncol;
    return 1;
}

void vg_data_free(vgTableData *table)
{
    if (!table) return;
    for (int i = 0; i < table->ncol; i++) {
        free(table->name[i]);
        free(table->unit[i]);
    }
    free(table->name);
    free(table->unit);
    free(table->value);
    free(table->title);
    free(table->status);
    free(table);
}

int vg_data_find(const vgTableData *table, const char *name)
{
    for (int i = 0; i < table->ncol; i++) {
        if (strcmp(table->name[i], name) == 0) return i;
    }
    return -1;
}

vgStatus vg_data_read(const char *path, vgDiag *diag, vgTableData **out)
{
    *out = NULL;
    vgStatus status = vg_results_check(path, diag);
    if (status != VG_OK) return status;
    const char *why = vg_file_wrong(path);
    if (why) {
        vg_diag_error(diag, VG_NOWHERE, "'%s' %s", path, why);
        return VG_BAD_INPUT;
    }
    vgTableData *table = calloc(1, sizeof *table);
    if (!table) return VG_NO_MEMORY;
    int before = vg_diag_errors(diag);
    status = format_of(path)->read(path, diag, table);
    if (status != VG_OK) {
        if (vg_diag_errors(diag) == before)
            vg_diag_error(diag, VG_NOWHERE, "'%s': %s", path, vg_status_text(status));
        vg_data_free(table);
        return status;
    }
    *out = table;
    return VG_OK;
}

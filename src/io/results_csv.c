/* CSV: one header line, then one line a row. Numbers in the shortest form that reads back the same. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "io/results_format.h"
#include "base/text.h"

typedef struct csvFile {
    vgOutput *output;
    int nchannel;
    vgText line;
} csvFile;

static void field(vgText *text, const char *name, const char *unit)
{
    int quoted = strpbrk(name, ",\"\n") != NULL;
    if (quoted) vg_text_put(text, "\"", 1);
    for (; *name; name++) {
        if (*name == '"') vg_text_put(text, "\"", 1);
        vg_text_put(text, name, 1);
    }
    if (unit && *unit) vg_text_add(text, " [%s]", unit);
    if (quoted) vg_text_put(text, "\"", 1);
}

static int put(csvFile *csv)
{
    int ok = vg_text_ok(&csv->line) && vg_output_put(csv->output, csv->line.at, csv->line.used);
    vg_text_clear(&csv->line);
    return ok;
}

static vgStatus csv_close(void *file, const char *status, const char *statistics)
{
    (void)status, (void)statistics;
    csvFile *csv = file;
    vg_text_free(&csv->line);
    free(csv);
    return VG_OK;
}

static void *csv_create(vgOutput *output, const vgResultsHead *head)
{
    csvFile *csv = calloc(1, sizeof *csv);
    if (!csv) return NULL;
    csv->output = output;
    csv->nchannel = head->nchannel;
    field(&csv->line, "time", "s");
    for (int i = 0; i < head->nchannel; i++) {
        vg_text_put(&csv->line, ",", 1);
        field(&csv->line, head->channel[i], head->unit[i]);
    }
    vg_text_put(&csv->line, "\n", 1);
    if (put(csv)) return csv;
    csv_close(csv, NULL, NULL);
    return NULL;
}

static vgStatus csv_write(void *file, long n, const double *time, const double *values, const double *poses)
{
    (void)poses;
    csvFile *csv = file;
    for (long i = 0; i < n; i++) {
        vg_text_number(&csv->line, time[i]);
        for (int k = 0; k < csv->nchannel; k++) {
            vg_text_put(&csv->line, ",", 1);
            vg_text_number(&csv->line, values[i * csv->nchannel + k]);
        }
        vg_text_put(&csv->line, "\n", 1);
        if (csv->line.used > 1 << 16 && !put(csv)) return VG_IO;
    }
    return put(csv) ? VG_OK : VG_IO;
}

/* The whole file, zero-terminated; *zero: where a byte 0 stands, behind which nothing is read, −1: nowhere. */
static char *slurp(const char *path, size_t *n, long *zero)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    errno = 0;
    vgText text = {0};
    char block[1 << 14];
    size_t got;
    *zero = -1;
    while (vg_text_ok(&text) && *zero < 0 && (got = fread(block, 1, sizeof block, file)) > 0) {
        const char *nothing = memchr(block, 0, got);
        if (nothing) *zero = (long)text.used + (nothing - block);
        vg_text_put(&text, block, got);
        if (text.used > VG_TABLE_MAX_BYTES) text.failed = 1;
    }
    int bad = ferror(file) || !vg_text_ok(&text);
    fclose(file);
    if (bad)
        vg_text_free(&text);
    else
        vg_text_put(&text, "", 0);
    *n = text.used;
    return text.at;
}

/* One field of the header from *at on; splits "name [unit]". Stands on the ',' or line end after it. */
static int header_field(char **at, char **name, char **unit)
{
    char *s = *at;
    vgText text = {0};
    while (*s == ' ') s++;
    int quoted = *s == '"';
    if (quoted) s++;
    while (*s && *s != '\n' && *s != '\r') {
        if (quoted && *s == '"' && s[1] != '"') break;
        if (quoted && *s == '"') s++;
        if (!quoted && *s == ',') break;
        vg_text_put(&text, s++, 1);
    }
    if (quoted && *s == '"') s++;
    while (*s == ' ' || *s == '\r') s++;
    while (text.used && text.at[text.used - 1] == ' ') text.at[--text.used] = 0;
    const char *whole = vg_text_at(&text), *bracket = strrchr(whole, '[');
    size_t n = text.used, stop = n;
    if (bracket && bracket > whole && bracket[-1] == ' ' && whole[n - 1] == ']')
        stop = (size_t)(bracket - whole) - 1;
    *name = vg_results_strdup(whole, stop);
    *unit = vg_results_strdup(stop < n ? bracket + 1 : "", stop < n ? n - stop - 3 : 0);
    int ok = *name && *unit && vg_text_ok(&text);
    vg_text_free(&text);
    *at = s;
    return ok;
}

static char *next_line(char *s)
{
    s += strcspn(s, "\n");
    return *s ? s + 1 : s;
}

static int skipped(const char *s)
{
    return *s == '#' || *s == '\n' || (*s == '\r' && s[1] == '\n');
}

/* at: how many bytes of the line were good. */
static vgStatus bad(vgDiag *diag, const char *path, long line, ptrdiff_t at, const char *what)
{
    vg_diag_error(diag, (vgLoc){vg_diag_file(diag, path), (int)line, (int)at + 1}, "%s", what);
    return VG_BAD_INPUT;
}

/* What stands behind a zero would be lost without a word. */
static vgStatus bad_byte(const char *text, long at, const char *path, vgDiag *diag)
{
    long line = 1, begin = 0;
    for (long i = 0; i < at; i++)
        if (text[i] == '\n') line++, begin = i + 1;
    return bad(diag, path, line, at - begin,
               "a byte 0 in a table: the file is damaged, or it is no CSV file");
}

static char *past_blanks(char *s)
{
    while (*s == ' ' || *s == '\t' || *s == '\r') s++;
    return s;
}

static vgStatus read_rows(vgTableData *table, char *s, long line, const char *path, vgDiag *diag)
{
    size_t used = 0, size = 0, ncol = (size_t)table->ncol;
    for (; *s; s = next_line(s), line++) {
        if (skipped(s)) continue;
        if (used + ncol > size) {
            size = 2 * size + 64 * ncol;
            double *more = realloc(table->value, size * sizeof *more);
            if (!more) return VG_NO_MEMORY;
            table->value = more;
        }
        char *at = s;
        for (size_t k = 0; k < ncol; k++) {
            char *stop = at = past_blanks(at); /* strtod would go on into the next line */
            int last = k + 1 == ncol, ended = *at == '\n' || !*at, empty = *at == ',' || (ended && k > 0);
            double value = empty || ended ? NAN : strtod(at, &stop);
            if (stop == at && !empty) return bad(diag, path, line, at - s, "a number is expected");
            table->value[used++] = value;
            stop = past_blanks(stop);
            if (last && *stop && *stop != '\n')
                return bad(diag, path, line, stop - s, "this line has more fields than the header");
            if (!last && *stop != ',')
                return bad(diag, path, line, stop - s,
                           "this line has fewer numbers than the header has names");
            at = last ? stop : stop + 1;
        }
        table->nrow++;
    }
    return VG_OK;
}

/* A run that was killed, or a copy that was not finished, can leave half a line at the end: it is left out. */
static void cut_last_line(char *text, size_t n, const char *path, vgDiag *diag)
{
    size_t all = n;
    int line = 1;
    while (n > 0 && text[n - 1] != '\n') n--;
    if (n == 0 || n == all) return;
    for (size_t i = 0; i < n; i++) line += text[i] == '\n';
    text[n] = 0;
    vg_diag_warn(diag, (vgLoc){vg_diag_file(diag, path), line, 1},
                 "the file ends in the middle of this line, which is left out: it is not complete");
}

static vgStatus csv_read(const char *path, vgDiag *diag, vgTableData *table)
{
    size_t n = 0;
    long zero = -1;
    char *text = slurp(path, &n, &zero);
    if (!text) {
        vg_diag_error(diag, VG_NOWHERE, "'%s' could not be read: %s", path, vg_file_why(errno));
        return errno == ENOMEM ? VG_NO_MEMORY : errno == EIO ? VG_IO : VG_BAD_INPUT;
    }
    if (zero >= 0) {
        vgStatus status = bad_byte(text, zero, path, diag);
        free(text);
        return status;
    }
    cut_last_line(text, n, path, diag);
    char *s = text;
    long line = 1;
    while (skipped(s)) s = next_line(s), line++;
    const char *header = s;
    int ncol = 1, quoted = 0;
    for (char *c = s; *c && *c != '\n' && ncol < VG_TABLE_MAX_COLUMNS; c++) {
        quoted ^= *c == '"';
        ncol += *c == ',' && !quoted;
    }
    vgStatus status = *s ? VG_OK : bad(diag, path, line, 0, "no header line");
    if (status == VG_OK && !vg_data_columns(table, ncol)) status = VG_NO_MEMORY;
    for (int i = 0; i < ncol && status == VG_OK; i++) {
        if (!header_field(&s, &table->name[i], &table->unit[i]))
            status = VG_NO_MEMORY;
        else if (i + 1 < ncol && *s != ',')
            status = bad(diag, path, line, s - header, "the header line cannot be read");
        else if (i + 1 < ncol)
            s++;
    }
    if (status == VG_OK) status = read_rows(table, next_line(s), line + 1, path, diag);
    if (status == VG_OK && !table->value && !(table->value = malloc(sizeof *table->value)))
        status = VG_NO_MEMORY;
    table->title = vg_results_strdup("", 0);
    table->status = vg_results_strdup("", 0);
    free(text);
    return status;
}

const vgResultsFormat vg_results_csv = {".csv", csv_create, csv_write, csv_close, csv_read};

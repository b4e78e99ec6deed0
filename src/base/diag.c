#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEVERITIES = 3, MAX_EACH = 20, MAX_NOTES = 60, MAX_LINES = 2 * (MAX_EACH + 1) + MAX_NOTES };
enum { MAX_TEXT = 1000, MAX_FILES = 10000 };

typedef enum severity { ERROR, WARNING, NOTE } severity;

static const char *const severity_name[SEVERITIES] = {"error", "warning", "note"};
static const char *const severity_many[SEVERITIES] = {"too many errors", "too many warnings", NULL};
static const int severity_max[SEVERITIES] = {MAX_EACH, MAX_EACH, MAX_NOTES};

struct vgDiag {
    int reported[SEVERITIES];
    int dropping; /* the last error or warning was dropped, so its notes are too */
    int starved;
    int nline;
    char *line[MAX_LINES]; /* NULL: the text could not be allocated */
    int nfile, filecap;
    char **file;
};

vgDiag *vg_diag_new(void)
{
    return calloc(1, sizeof(vgDiag));
}

void vg_diag_clear(vgDiag *diag)
{
    if (!diag) return;
    for (int i = 0; i < diag->nline; i++) free(diag->line[i]);
    memset(diag->reported, 0, sizeof diag->reported);
    diag->nline = diag->dropping = diag->starved = 0;
}

void vg_diag_free(vgDiag *diag)
{
    if (!diag) return;
    vg_diag_clear(diag);
    for (int i = 0; i < diag->nfile; i++) free(diag->file[i]);
    free(diag->file);
    free(diag);
}

static char *copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *out = malloc(bytes);
    return out ? memcpy(out, text, bytes) : NULL;
}

int vg_diag_file(vgDiag *diag, const char *name)
{
    if (!diag || !name) return 0;
    for (int i = 0; i < diag->nfile; i++) {
        if (strcmp(diag->file[i], name) == 0) return i + 1;
    }
    if (diag->nfile == MAX_FILES) return 0;
    if (diag->nfile == diag->filecap) {
        int cap = diag->filecap ? 2 * diag->filecap : 4;
        char **more = realloc(diag->file, (size_t)cap * sizeof *more);
        if (!more) return diag->starved++, 0;
        diag->file = more;
        diag->filecap = cap;
    }
    char *kept = copy(name);
    if (!kept) return diag->starved++, 0;
    diag->file[diag->nfile++] = kept;
    return diag->nfile;
}

const char *vg_diag_file_name(const vgDiag *diag, int file)
{
    return diag && file > 0 && file <= diag->nfile ? diag->file[file - 1] : "";
}

/* Text of a model may hold anything: one message stays one line, and a cut falls between characters. */
static void tidy(char *text, int cut)
{
    size_t n = strlen(text);
    if (cut) {
        while (n > 0 && ((unsigned char)text[n - 1] & 0xC0) == 0x80) n--;
        if (n > 0 && (unsigned char)text[n - 1] >= 0xC0) n--;
        memcpy(text + n, "...", 4);
    }
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) *c = ' ';
    }
}

typedef char oneLine[2 * MAX_TEXT + 64];

static void write_line(vgDiag *diag, severity kind, vgLoc at, const char *format, va_list args, oneLine line)
{
    char where[MAX_TEXT] = "", text[MAX_TEXT + 4];
    const char *name = vg_diag_file_name(diag, at.file);
    if (*name && at.line > 0 && at.col > 0) {
        snprintf(where, sizeof where, "%.900s:%d:%d: ", name, at.line, at.col);
    } else if (*name && at.line > 0) {
        snprintf(where, sizeof where, "%.900s:%d: ", name, at.line);
    } else if (*name) {
        snprintf(where, sizeof where, "%.900s: ", name);
    }
    int length = vsnprintf(text, MAX_TEXT, format, args);
    if (length < 0) snprintf(text, MAX_TEXT, "%.900s", format);
    tidy(text, length >= MAX_TEXT);
    snprintf(line, sizeof(oneLine), "%s%s: %s", where, severity_name[kind], text);
}

static void keep(vgDiag *diag, const char *line)
{
    diag->line[diag->nline] = copy(line);
    diag->starved += !diag->line[diag->nline++];
}

/* One entry of a model may stand for many elements, each of which finds the same fault at the same place. */
static int is_told(const vgDiag *diag, const char *line)
{
    for (int i = 0; i < diag->nline; i++)
        if (diag->line[i] && strcmp(diag->line[i], line) == 0) return 1;
    return 0;
}

static void report(vgDiag *diag, severity kind, vgLoc at, const char *format, va_list args)
{
    if (!diag) return;
    oneLine line;
    write_line(diag, kind, at, format, args, line);
    if (is_told(diag, line)) return;
    int seen = diag->reported[kind]++;
    if (kind != NOTE) diag->dropping = seen >= severity_max[kind];
    if (kind == NOTE && (diag->dropping || seen >= severity_max[kind])) return;
    if (kind != NOTE && diag->dropping) {
        if (seen == severity_max[kind]) {
            snprintf(line, sizeof line, "%s: %s", severity_name[kind], severity_many[kind]);
            keep(diag, line);
        }
        return;
    }
    keep(diag, line);
}

void vg_diag_error(vgDiag *diag, vgLoc at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(diag, ERROR, at, format, args);
    va_end(args);
}

void vg_diag_warn(vgDiag *diag, vgLoc at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(diag, WARNING, at, format, args);
    va_end(args);
}

void vg_diag_note(vgDiag *diag, vgLoc at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(diag, NOTE, at, format, args);
    va_end(args);
}

void vg_diag_no_memory(vgDiag *diag)
{
    if (!diag) return;
    int kept = 0;
    for (int i = 0; i < diag->nline; i++) {
        if (diag->line[i] && !strstr(diag->line[i], "error: "))
            diag->line[kept++] = diag->line[i];
        else
            free(diag->line[i]);
    }
    diag->nline = kept;
    diag->reported[ERROR] = 1;
    diag->starved++;
    diag->line[diag->nline++] = NULL; /* reads "error: out of memory" */
}

int vg_diag_starved(const vgDiag *diag)
{
    return diag ? diag->starved : 0;
}

int vg_diag_errors(const vgDiag *diag)
{
    return diag ? diag->reported[ERROR] : 0;
}

int vg_diag_warnings(const vgDiag *diag)
{
    return diag ? diag->reported[WARNING] : 0;
}

int vg_diag_count(const vgDiag *diag)
{
    return diag ? diag->nline : 0;
}

const char *vg_diag_line(const vgDiag *diag, int i)
{
    if (!diag || i < 0 || i >= diag->nline) return NULL;
    return diag->line[i] ? diag->line[i] : "error: out of memory";
}

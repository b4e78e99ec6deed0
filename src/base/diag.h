/* Diagnostics: what the library has to say to people, kept in order of report and printed by the caller.
 *
 *     int file = vg_diag_file(diag, "model.yaml");
 *     vg_diag_error(diag, (vgLoc){file, 3, 7}, "unknown key \"%s\"", key);
 *     ->  model.yaml:3:7: error: unknown key "mas"
 *
 * Every function accepts a NULL diag and then does nothing, so a caller who wants no text passes NULL. */
#ifndef VG_BASE_DIAG_H
#define VG_BASE_DIAG_H

#include "base/attr.h"

typedef struct vgDiag vgDiag;

/* A place in a file. file: index from vg_diag_file, 0 = none; line and col count from 1, 0 = not known. */
typedef struct vgLoc {
    int file, line, col;
} vgLoc;

#define VG_NOWHERE ((vgLoc){0, 0, 0})

vgDiag *vg_diag_new(void); /* NULL when out of memory */
void vg_diag_free(vgDiag *diag);
void vg_diag_clear(vgDiag *diag); /* forgets the messages, keeps the files */

/* The index of a file name; the same name gives the same index. 0 when it cannot be kept. */
int vg_diag_file(vgDiag *diag, const char *name);
/* The name behind an index; "" for 0 or an unknown index. */
const char *vg_diag_file_name(const vgDiag *diag, int file);

/* The first 20 errors and 20 warnings are kept, then one line reports that there are more. A note belongs to the
 * message before it and is dropped with it. */
void vg_diag_error(vgDiag *diag, vgLoc at, const char *format, ...) VG_PRINTF_LIKE(3, 4);
void vg_diag_warn(vgDiag *diag, vgLoc at, const char *format, ...) VG_PRINTF_LIKE(3, 4);
void vg_diag_note(vgDiag *diag, vgLoc at, const char *format, ...) VG_PRINTF_LIKE(3, 4);

/* Memory ran out: errors reported so far may be consequences of that, and are replaced by this one. */
void vg_diag_no_memory(vgDiag *diag);
/* How often memory ran out while something was reported or read: what failed then is no fault of the input. */
int vg_diag_starved(const vgDiag *diag);

int vg_diag_errors(const vgDiag *diag);   /* errors reported, kept or not */
int vg_diag_warnings(const vgDiag *diag); /* warnings reported, kept or not */
int vg_diag_count(const vgDiag *diag);    /* lines kept */
/* Line i, "file:line:col: error: text"; NULL outside 0..count-1. Owned by diag. */
const char *vg_diag_line(const vgDiag *diag, int i);

#endif

/* A small JSON writer. Keys are NULL inside lists and for the outermost value.
 *
 *     vgJson json = {.indent = 2};
 *     vg_json_open(&json, NULL, '{');
 *     vg_json_number(&json, "step", 1e-3);
 *     vg_json_open(&json, "final", '[');  ...  vg_json_close(&json);
 *     vg_json_close(&json);
 *     fputs(vg_json_at(&json), stdout);
 *     vg_json_free(&json);
 *
 * NaN and infinity become null, bytes that are not UTF-8 become U+FFFD, numbers are the shortest that read
 * back the same. */
#ifndef VG_IO_JSON_H
#define VG_IO_JSON_H

#include "base/text.h"

enum { VG_JSON_DEPTH = 16 };

typedef struct vgJson {
    vgText text;
    int indent; /* 0: one line */
    int depth;
    char close[VG_JSON_DEPTH];
    int count[VG_JSON_DEPTH]; /* members written at each depth */
} vgJson;

void vg_json_open(vgJson *json, const char *key, char bracket); /* '{' or '[' */
void vg_json_close(vgJson *json);
void vg_json_text(vgJson *json, const char *key, const char *value); /* NULL writes null */
void vg_json_number(vgJson *json, const char *key, double value);
void vg_json_int(vgJson *json, const char *key, long long value);
void vg_json_bool(vgJson *json, const char *key, int value);
void vg_json_null(vgJson *json, const char *key);
void vg_json_numbers(vgJson *json, const char *key, int n, const double *values); /* a list on one line */
/* JSON that is already written, as a member. */
void vg_json_raw(vgJson *json, const char *key, const char *value);
const char *vg_json_at(const vgJson *json);
void vg_json_free(vgJson *json);

#endif

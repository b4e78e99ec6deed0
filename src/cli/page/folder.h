/* The models of one folder: named, read and written there and nowhere else. */
#ifndef VG_CLI_FOLDER_H
#define VG_CLI_FOLDER_H

#include <stddef.h>

#include "io/json.h"

/* No slashes, no control characters, no dot in front, ending in .yaml, .yml or, for robots, .urdf, .xml: no way out of the folder. */
int vg_folder_name_ok(const char *name);
/* FOLDER/NAME; free() it. NULL: the name is none or memory is short. */
char *vg_folder_path(const char *folder, const char *name);
/* Names of the models, sorted, as a JSON list. */
void vg_folder_list(const char *folder, vgJson *json, const char *key);
/* The text of a model; a link that leads elsewhere is not followed. NULL: cannot be read. free() it. */
char *vg_folder_read(const char *folder, const char *name, size_t *size);
/* Writes a model, whole or not at all. 0, or an errno; EEXIST when it may not replace a file. */
int vg_folder_write(const char *folder, const char *name, const char *text, size_t size, int replace);

#endif

/* Options of a setting as a text: "name:key=value,key=value". */
#ifndef VG_BASE_OPTIONS_H
#define VG_BASE_OPTIONS_H

#include <stddef.h>

/* Where the value of a key begins in "name:key=value,…"; NULL: it is not there. */
const char *vg_options_value(const char *text, const char *key);
/* 1: a key of the list "key=value,…" (what is behind the colon) is given twice, *at: its n letters. */
int vg_options_repeat(const char *list, const char **at, int *n);
/* out: the text with key=value, in the place of what it has for that key, else at the end. out may be text.
 */
void vg_options_set(const char *text, const char *key, double value, char *out, size_t size);

#endif

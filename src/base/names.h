/* Names: which index a name has, and which name was probably meant. */
#ifndef VG_BASE_NAMES_H
#define VG_BASE_NAMES_H

#include <stddef.h>

#include "base/status.h"

/* The candidate nearest to word, for "did you mean": fewest edits (insert, delete, replace, swap neighbours;
 * letter case and '-' against '_' are free), at most one edit for every three letters; or the only candidate
 * that begins with word. The first of equals; NULL when nothing is near. */
const char *vg_name_closest(const char *word, const char *const *candidates, int n);

/* 1: the pattern, in which * stands for any letters, matches the whole text. */
int vg_name_matches(const char *pattern, const char *text);

/* A table from name to index 0, 1, 2, ... in order of adding. Keeps copies of the names. O(1) a look-up. */
typedef struct vgNames vgNames;

vgNames *vg_names_new(void); /* NULL when out of memory */
void vg_names_free(vgNames *names);
int vg_names_starved(const vgNames *names); /* 1: memory ran out while names were added; NULL: 0 */

/* The index of name, added if it is new; *existed (may be NULL) says whether it was there already. */
vgStatus vg_names_add(vgNames *names, const char *name, int *index, int *existed);
int vg_names_find(const vgNames *names, const char *name);             /* -1: not there */
int vg_names_find_n(const vgNames *names, const char *name, size_t n); /* the first n bytes of name */

int vg_names_count(const vgNames *names);
const char *vg_names_at(const vgNames *names, int index);
const char *const *vg_names_list(const vgNames *names); /* count names, ready for vg_name_closest */

#endif

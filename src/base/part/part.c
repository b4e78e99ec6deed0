#include "base/part/part.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"

enum { MOST_FILES = 8, UNTRIED = 0, LOADED, MISSING };

static int open_files(vgPart *part, void **library)
{
    char words[300] = "";
    for (int i = 0; part->file[i]; i++) {
        library[i] = i < MOST_FILES ? vg_os_library(part->file[i], words, sizeof words) : NULL;
        if (!library[i]) {
            snprintf(part->why, sizeof part->why, "%s could not be loaded (%s)", part->title, words);
            return 0;
        }
    }
    return 1;
}

static int fill(vgPart *part, void *const *library)
{
    char *to = part->table;
    for (int k = 0; part->symbol[k]; k++, to += sizeof(void *)) {
        void *found = NULL;
        for (int i = 0; part->file[i] && !found; i++) found = vg_os_symbol(library[i], part->symbol[k]);
        if (!found) {
            snprintf(part->why, sizeof part->why, "%s could not be loaded (%s has no %s)", part->title,
                     part->file[0], part->symbol[k]);
            return 0;
        }
        memcpy(to, &found, sizeof found); /* a pointer to a function is not an object pointer in C */
    }
    return 1;
}

static int load(vgPart *part)
{
    void *library[MOST_FILES] = {NULL};
    if (!open_files(part, library) || !fill(part, library)) return 0;
    const char *wrong = part->check ? part->check() : NULL;
    if (wrong) snprintf(part->why, sizeof part->why, "%s could not be loaded (%s)", part->title, wrong);
    return !wrong;
}

const char *vg_part_missing(vgPart *part)
{
    int state = atomic_load_explicit(&part->state, memory_order_acquire);
    if (state == UNTRIED) {
        vg_os_lock();
        state = atomic_load_explicit(&part->state, memory_order_relaxed);
        if (state == UNTRIED) {
            state = load(part) ? LOADED : MISSING;
            atomic_store_explicit(&part->state, state, memory_order_release);
        }
        vg_os_unlock();
    }
    return state == LOADED ? NULL : part->why;
}

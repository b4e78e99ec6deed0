/* Parts: libraries of others that are loaded when first needed. cairo brings 18 more libraries, which a run that draws
 * nothing need not wait for. A part is a list of functions:
 *
 *     #define VG_X_LIST(F) F(x_open) F(x_close)
 *     VG_PART_TABLE(vgX, VG_X_LIST);          a struct of pointers, each with the type of the function
 *     extern vgX vg_x;
 *     #define x_open (vg_x.x_open)            so that callers read as if the library were linked
 *
 * Callers ask once, before the first call: const char *why = vg_x_missing(); NULL: all is there.
 * With VERGE_LINK_PARTS the libraries are linked as usual and nothing is loaded (static programs). */
#ifndef VG_BASE_PART_PART_H
#define VG_BASE_PART_PART_H

#include <stdatomic.h>
#include <stddef.h>

#define VG_PART_FIELD(name) __typeof__(&name) name;
#define VG_PART_TABLE(type, list)                                                                            \
    typedef struct type {                                                                                    \
        list(VG_PART_FIELD)                                                                                  \
    } type
/* a row of vgPart.symbol; fields of the table are in the same order */
#define VG_PART_NAME(name) #name,

typedef struct vgPart {
    const char *title;          /* "cairo" */
    const char *const *file;    /* all are needed; NULL at the end */
    const char *const *symbol;  /* NULL at the end */
    void *table;                /* one pointer for each symbol */
    const char *(*check)(void); /* after loading: NULL, or what is wrong with this library; may be NULL */
    atomic_int state;           /* 0 not tried, 1 loaded, 2 missing */
    char why[400];
} vgPart;

/* Loads at the first call. NULL: the table is filled; else why not, the same words at every call. Any thread. */
const char *vg_part_missing(vgPart *part);

#endif

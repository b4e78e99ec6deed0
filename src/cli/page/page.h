/* The page of a run: where it goes, and the results file it is made of. */
#ifndef VG_CLI_PAGE_H
#define VG_CLI_PAGE_H

#include "base/diag.h"

typedef struct vgCliPage {
    char *path;    /* of the page, NULL: none wanted */
    char *results; /* HDF5 file it is made of */
    int temporary; /* 1: the results are only for the page */
} vgCliPage;

/* runs/a.h5 -> runs/a.html; free() it. NULL: out of memory. */
char *vg_cli_page_beside(const char *results);
/* An exit code: whether a page may have this name (NULL: will be chosen); an error has been said. */
int vg_cli_page_check(const char *page);
/* --view [PAGE.html] of a run: `wanted` is its value ("": choose a name, NULL: not given), `output` the
 * results file of the run (NULL: none, then a temporary one is chosen). An exit code; messages have been
 * said. */
int vg_cli_page_plan(const char *wanted, const char *model, const char *output, vgCliPage *page);
/* Makes the page; an exit code. */
int vg_cli_page_write(const vgCliPage *page);
/* Removes what was only for the page. */
void vg_cli_page_close(vgCliPage *page);

#endif

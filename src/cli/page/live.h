/* A run in a thread of its own, started, watched and stopped from another thread. One run at a time. Where there are
 * no threads (WebAssembly) it runs in the caller's and calls back now and then. */
#ifndef VG_CLI_LIVE_H
#define VG_CLI_LIVE_H

#include <stddef.h>

#include "base/diag.h"
#include "io/json.h"

typedef struct vgLive vgLive;

/* What to run. NULL and 0: what the model says. */
typedef struct vgLiveRequest {
    const char *path, *text; /* the text stands for the file at path */
    size_t size;
    const char *coordinates, *constraints, *integrator;
    double step, end;
    int verify; /* 1: with a certificate, as `verge run --verify` */
    const char *
        record; /* channels beside those of the model, separated by commas; those that it has not are left out */
    /* Not NULL: vg_live_start runs the model itself and returns at its end; calls this now and then. 1: stop */
    int (*news)(void *user);
    void *user;
} vgLiveRequest;

vgLive *vg_live_new(void);
void vg_live_free(vgLive *live); /* stops the run and waits for it */

/* Starts a run and gives its number; 0 when one is going on or nothing could be started. */
long vg_live_start(vgLive *live, const vgLiveRequest *request);
void vg_live_stop(vgLive *live);

/* Data of run `id` from sample `from` on, as bytes for the page: length of a JSON text (4 bytes, little endian),
 * the text padded with blanks to a multiple of 8 including those 4, then samples of doubles (time, channels,
 * poses). If samples were thinned since `version`, all are sent again. 0: there is no such run */
int vg_live_read(vgLive *live, long id, long version, long from, vgText *out);

/* What can be said of a model without running it, as JSON: {ok, messages, title, bodies, …, step, end}. */
void vg_live_check(const char *text, size_t size, const char *path, vgJson *json);
/* The lists of coordinates, constraints and integrators, as members of an open object. */
void vg_live_dials(vgJson *json);

/* "file:line:col: error: text" as JSON objects {line, column, severity, text} with places in the file `path`;
 * what is said of other files keeps its place in the text. */
void vg_live_messages(vgJson *json, const char *key, const vgDiag *diag, const char *path);

#endif

/* A small server of pages for the person at this machine: loopback only, a secret in the address, nothing for
 * pages of other origins.
 *
 * A request is refused (403) when its Host is not this server, when it carries an Origin that is not this
 * server (so no other page can talk to it), or without the token: in the query (?token=…) for pages, in the
 * header X-Verge-Token for everything below /api/. Bodies larger than the limit are refused (413). */
#ifndef VG_CLI_SERVE_H
#define VG_CLI_SERVE_H

#include "base/text.h"

enum { VG_SERVE_BODY = 1 << 20 }; /* bytes a request may bring */

typedef struct vgRequest {
    const char *method, *path;
    const char *body; /* size bytes and a zero */
    size_t size;
    void *connection;
} vgRequest;

typedef struct vgReply {
    int code;         /* 200 unless set */
    const char *type; /* "application/json" unless set */
    vgText text;      /* the bytes; freed by the server */
} vgReply;

typedef void (*vgServeHandler)(void *user, const vgRequest *request, vgReply *reply);

typedef struct vgServe vgServe;

/* Listens at 127.0.0.1:port (0: any free one) in a thread of its own; requests are answered one after
 * another. NULL: why says what went wrong. */
vgServe *vg_serve_start(int port, vgServeHandler handler, void *user, const char **why);
/* Ends connections that have not brought a whole request in time; to be called several times a second. */
void vg_serve_tend(vgServe *serve);
void vg_serve_stop(vgServe *serve);
int vg_serve_port(const vgServe *serve);
const char *vg_serve_token(const vgServe *serve);
/* A value of the query, NULL: not there. */
const char *vg_request_query(const vgRequest *request, const char *name);

#endif

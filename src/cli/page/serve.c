#include "cli/page/serve.h"

#include <stddef.h>

#ifdef VERGE_HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "cli/page/microhttpd_part.h"

enum {
    TOKEN = 32,
    CONNECTIONS = 64,
    FULL = 48,    /* from here on a new connection ends the oldest one that has not shown the token */
    PATIENCE = 10 /* seconds for a whole request, however its bytes drip in */
};

static const double NEVER = 1e300;

/* A connection: since when it has owed a request, and whether one of them had the token. */
typedef struct vgVisitor {
    int fd, known;
    double since;
} vgVisitor;

struct vgServe {
    struct MHD_Daemon *daemon;
    vgServeHandler handler;
    void *user;
    int port;
    char token[TOKEN + 1];
    pthread_mutex_t lock; /* of what follows */
    vgVisitor visitor[CONNECTIONS + 1];
    int nvisitor;
};

/* ---- slow and silent connections ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fd_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* The oldest of those that have not shown the token is ended. */
static void make_room(vgServe *serve)
{
    int oldest = -1;
    for (int i = 0; i < serve->nvisitor; i++)
        if (!serve->visitor[i].known &&
            (oldest < 0 || serve->visitor[i].since < serve->visitor[oldest].since))
            oldest = i;
    if (oldest >= 0) shutdown(serve->visitor[oldest].fd, SHUT_RDWR);
    if (oldest >= 0) serve->visitor[oldest].since = now(); /* the next one is another */
}

static void on_connection(void *user, struct MHD_Connection *c, void **kept,
                          enum MHD_ConnectionNotificationCode what)
{
    vgServe *serve = user;
    int fd = fd_of(c);
    (void)kept;
    pthread_mutex_lock(&serve->lock);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        if (serve->nvisitor >= FULL) make_room(serve);
        if (serve->nvisitor < CONNECTIONS + 1) serve->visitor[serve->nvisitor++] = (vgVisitor){fd, 0, now()};
    } else {
        for (int i = 0; i < serve->nvisitor; i++)
            if (serve->visitor[i].fd == fd) serve->visitor[i--] = serve->visitor[--serve->nvisitor];
    }
    pthread_mutex_unlock(&serve->lock);
}

/* known: a whole request with the token is being answered, which may take its time; else it has been. */
static void touch(vgServe *serve, struct MHD_Connection *c, int known)
{
    int fd = fd_of(c);
    pthread_mutex_lock(&serve->lock);
    for (int i = 0; i < serve->nvisitor; i++)
        if (serve->visitor[i].fd == fd)
            serve->visitor[i].since = known ? NEVER : now(), serve->visitor[i].known |= known;
    pthread_mutex_unlock(&serve->lock);
}

void vg_serve_tend(vgServe *serve)
{
    pthread_mutex_lock(&serve->lock);
    for (int i = 0; i < serve->nvisitor; i++)
        if (now() - serve->visitor[i].since > PATIENCE) shutdown(serve->visitor[i].fd, SHUT_RDWR);
    pthread_mutex_unlock(&serve->lock);
}

/* A request on its way in. */
typedef struct incoming {
    vgText body;
    int too_large;
} incoming;

static int make_token(char *token)
{
    unsigned char bytes[TOKEN / 2];
    FILE *file = fopen("/dev/urandom", "rb");
    int ok = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes;
    if (file) fclose(file);
    for (size_t i = 0; ok && i < sizeof bytes; i++) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return ok;
}

/* In a time that does not tell how much of it was right. */
static int same_token(const char *a, const char *b)
{
    if (!a || strlen(a) != TOKEN) return 0;
    int differ = 0;
    for (int i = 0; i < TOKEN; i++) differ |= a[i] ^ b[i];
    return differ == 0;
}

static int is_us(const vgServe *serve, const char *host)
{
    char name[40];
    snprintf(name, sizeof name, "127.0.0.1:%d", serve->port);
    if (!strcmp(host, name)) return 1;
    snprintf(name, sizeof name, "localhost:%d", serve->port);
    return !strcmp(host, name);
}

/* NULL when the request may pass, else why not. */
static const char *refusal(const vgServe *serve, struct MHD_Connection *c, const char *path)
{
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host"),
               *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin"), *token;
    if (!host || !is_us(serve, host)) return "this host is not served here\n";
    if (origin && (strncmp(origin, "http://", 7) != 0 || !is_us(serve, origin + 7)))
        return "pages of other origins are not served\n";
    token = !strncmp(path, "/api/", 5) ? MHD_lookup_connection_value(c, MHD_HEADER_KIND, "X-Verge-Token")
                                       : MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token");
    return same_token(token, serve->token) ? NULL : "the address needs the token that verge studio printed\n";
}

static enum MHD_Result answer(struct MHD_Connection *c, int code, const char *type, vgText *text)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "SAMEORIGIN"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
         "connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"},
    };
    size_t n = text->used;
    char *bytes = text->at ? text->at : calloc(1, 1);
    *text = (vgText){0};
    if (!bytes) return MHD_NO;
    struct MHD_Response *r = MHD_create_response_from_buffer(n, bytes, MHD_RESPMEM_MUST_FREE);
    if (!r) {
        free(bytes);
        return MHD_NO;
    }
    MHD_add_response_header(r, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(r, headers[i][0], headers[i][1]);
    enum MHD_Result queued = MHD_queue_response(c, (unsigned)code, r);
    MHD_destroy_response(r);
    return queued;
}

static enum MHD_Result say(struct MHD_Connection *c, int code, const char *words)
{
    vgText text = {0};
    vg_text_put(&text, words, strlen(words));
    return answer(c, code, "text/plain; charset=utf-8", &text);
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *c, const char *path, const char *method,
                                  const char *version, const char *data, size_t *size, void **kept)
{
    vgServe *serve = user;
    incoming *in = *kept;
    (void)version;
    if (!in) {
        *kept = calloc(1, sizeof *in);
        return *kept ? MHD_YES : MHD_NO;
    }
    const char *no = refusal(serve, c, path);
    if (*size) { /* more of the body */
        if (no || in->body.used + *size > VG_SERVE_BODY)
            in->too_large = 1; /* read to its end and forgotten */
        else
            vg_text_put(&in->body, data, *size);
        *size = 0;
        return MHD_YES;
    }
    if (no) return say(c, 403, no);
    touch(serve, c, 1);
    if (in->too_large) return say(c, 413, "a request may bring at most 1 MB\n");
    if (!vg_text_ok(&in->body)) return say(c, 500, "out of memory\n");
    vgRequest request = {method, path, vg_text_at(&in->body), in->body.used, c};
    vgReply reply = {.code = 200, .type = "application/json"};
    serve->handler(serve->user, &request, &reply);
    if (vg_text_ok(&reply.text)) return answer(c, reply.code, reply.type, &reply.text);
    vg_text_free(&reply.text);
    return say(c, 500, "out of memory\n");
}

static void on_end(void *user, struct MHD_Connection *c, void **kept, enum MHD_RequestTerminationCode why)
{
    incoming *in = *kept;
    (void)why;
    touch(user, c, 0);
    if (in) vg_text_free(&in->body);
    free(in);
    *kept = NULL;
}

vgServe *vg_serve_start(int port, vgServeHandler handler, void *user, const char **why)
{
    if ((*why = microhttpd_missing())) return NULL;
    vgServe *serve = calloc(1, sizeof *serve);
    *why = "out of memory";
    if (!serve) return NULL;
    serve->handler = handler;
    serve->user = user;
    pthread_mutex_init(&serve->lock, NULL);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!make_token(serve->token)) {
        *why = "no random numbers from /dev/urandom";
    } else {
        *why = port ? "the port is taken" : "no port could be opened";
        /* a connection takes the lock first: none is answered before the port is known */
        pthread_mutex_lock(&serve->lock);
        serve->daemon = MHD_start_daemon(
            MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL,
            on_request, serve, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED,
            on_end, serve, MHD_OPTION_NOTIFY_CONNECTION, on_connection, serve, MHD_OPTION_CONNECTION_LIMIT,
            (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE, MHD_OPTION_END);
        const union MHD_DaemonInfo *info =
            serve->daemon ? MHD_get_daemon_info(serve->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
        serve->port = info ? info->port : port;
        pthread_mutex_unlock(&serve->lock);
    }
    if (serve->daemon) return serve;
    free(serve);
    return NULL;
}

void vg_serve_stop(vgServe *serve)
{
    if (!serve) return;
    MHD_stop_daemon(serve->daemon);
    free(serve);
}

const char *vg_request_query(const vgRequest *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

#else
struct vgServe {
    int port;
    char token[1];
};

vgServe *vg_serve_start(int port, vgServeHandler handler, void *user, const char **why)
{
    (void)port, (void)handler, (void)user;
    *why = "this verge was built without libmicrohttpd; install libmicrohttpd-dev and build again";
    return NULL;
}

void vg_serve_stop(vgServe *serve)
{
    (void)serve;
}

void vg_serve_tend(vgServe *serve)
{
    (void)serve;
}

const char *vg_request_query(const vgRequest *request, const char *name)
{
    (void)request, (void)name;
    return NULL;
}
#endif

int vg_serve_port(const vgServe *serve)
{
    return serve->port;
}

const char *vg_serve_token(const vgServe *serve)
{
    return serve->token;
}

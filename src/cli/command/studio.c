/* verge studio: a page on this machine where a model is edited, run, watched and compared. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/page/folder.h"
#include "cli/page/live.h"
#include "cli/progress.h"
#include "cli/page/serve.h"
#include "io/view/view_page.h"

typedef struct studio {
    char *folder, *name; /* where the models are, and the one it began with */
    int untitled;        /* 1: there is no such file yet */
    vgLive *live;
    pthread_mutex_t starting; /* of runs: one request at a time */
    atomic_int checks;        /* under way */
} studio;

enum { MOST_CHECKS = 2 }; /* at a time: each may use a core and some hundred megabytes */

/* What one begins with who brings no model. */
static const char first_model[] =
    "verge: 1\n"
    "title: Pendulum on a cart\n"
    "planar: true\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  cart: {mass: 1, inertia: 0.01, shape: {box: [0.3, 0.1]}}\n"
    "  rod: {mass: 0.5, com: [0.5, 0], shape: {bar: 1, position: [0.5, 0]}, markers: {tip: [1, 0]}}\n"
    "joints:\n"
    "  rail: {prismatic: [ground, cart], axis: x}\n"
    "  pin: {revolute: [cart, rod]}\n"
    "run: {integrator: generalized-alpha, step: 1e-3, end: 5}\n"
    "record: [joint.rail.displacement, joint.pin.angle, energy.total]\n";

/* ---- answers ---- */

static void take_json(vgReply *reply, vgJson *json)
{
    vg_text_put(&reply->text, vg_json_at(json), strlen(vg_json_at(json)));
    if (!vg_text_ok(&json->text)) reply->text.failed = 1;
    vg_json_free(json);
}

static void refuse(vgReply *reply, int code, const char *words)
{
    vgJson json = {0};
    reply->code = code;
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "error", words);
    vg_json_close(&json);
    take_json(reply, &json);
}

static void get_start(studio *s, const vgRequest *request, vgReply *reply)
{
    (void)request;
    vgJson json = {0};
    size_t size = 0;
    char *text = s->untitled ? NULL : vg_folder_read(s->folder, s->name, &size);
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "name", s->name);
    vg_json_text(&json, "folder", s->folder);
    vg_json_text(&json, "text", text ? text : s->untitled ? first_model : "");
    vg_folder_list(s->folder, &json, "models");
    vg_live_dials(&json);
    vg_json_close(&json);
    free(text);
    take_json(reply, &json);
}

static void get_model(studio *s, const vgRequest *request, vgReply *reply)
{
    size_t size = 0;
    const char *name = vg_request_query(request, "name");
    char *text = vg_folder_read(s->folder, name ? name : "", &size);
    if (!text) {
        refuse(reply, 404, "no such model in this folder");
        return;
    }
    reply->type = "text/plain; charset=utf-8";
    vg_text_put(&reply->text, text, size);
    free(text);
}

/* The file that the text in the request stands for; NULL and a refusal when the name is none. */
static char *path_of(studio *s, const vgRequest *request, vgReply *reply)
{
    const char *name = vg_request_query(request, "name");
    char *path = vg_folder_path(s->folder, name ? name : s->name);
    if (!path) refuse(reply, 400, "a model is called NAME.yaml, NAME.urdf or NAME.xml, without slashes");
    return path;
}

static void check_text(studio *s, const vgRequest *request, vgReply *reply)
{
    char *path = path_of(s, request, reply);
    if (!path) return;
    vgJson json = {0};
    vg_live_check(request->body, request->size, path, &json);
    take_json(reply, &json);
    free(path);
}

static void post_check(studio *s, const vgRequest *request, vgReply *reply)
{
    if (atomic_fetch_add(&s->checks, 1) < MOST_CHECKS)
        check_text(s, request, reply);
    else
        refuse(reply, 503, "other models are being checked: try again");
    atomic_fetch_sub(&s->checks, 1);
}

/* A time in seconds, 0 if it is not given; 0 is returned, and it is refused, if it is not one. */
static int time_of(const vgRequest *request, const char *name, double *value, vgReply *reply)
{
    const char *text = vg_request_query(request, name);
    char words[80], *stop = NULL;
    *value = text && *text ? strtod(text, &stop) : 0;
    if (!stop || (stop != text && !*stop && isfinite(*value) && *value >= 0)) return 1;
    snprintf(words, sizeof words, "%s: '%.40s' is not a time in seconds", name, text);
    refuse(reply, 400, words);
    return 0;
}

static long count_of(const vgRequest *request, const char *name)
{
    const char *text = vg_request_query(request, name);
    return text ? strtol(text, NULL, 10) : 0;
}

static void post_run(studio *s, const vgRequest *request, vgReply *reply)
{
    double step, end;
    if (!time_of(request, "step", &step, reply) || !time_of(request, "end", &end, reply)) return;
    char *path = path_of(s, request, reply);
    if (!path) return;
    vgLiveRequest what = {.path = path,
                          .text = request->body,
                          .size = request->size,
                          .coordinates = vg_request_query(request, "coordinates"),
                          .constraints = vg_request_query(request, "constraints"),
                          .integrator = vg_request_query(request, "integrator"),
                          .step = step,
                          .end = end,
                          .verify = count_of(request, "verify") > 0,
                          .record = vg_request_query(request, "record")};
    pthread_mutex_lock(&s->starting);
    long id = vg_live_start(s->live, &what);
    pthread_mutex_unlock(&s->starting);
    free(path);
    if (!id) {
        refuse(reply, 409, "a run is going on: stop it first");
        return;
    }
    vg_text_add(&reply->text, "{\"id\": %ld}", id);
}

static void get_run(studio *s, const vgRequest *request, vgReply *reply)
{
    reply->type = "application/octet-stream";
    if (vg_live_read(s->live, count_of(request, "id"), count_of(request, "version"),
                     count_of(request, "from"), &reply->text))
        return;
    vg_text_clear(&reply->text);
    reply->type = "application/json";
    refuse(reply, 404, "no such run");
}

static void post_stop(studio *s, const vgRequest *request, vgReply *reply)
{
    (void)request;
    vg_live_stop(s->live);
    vg_text_add(&reply->text, "{}");
}

static void post_save(studio *s, const vgRequest *request, vgReply *reply)
{
    const char *name = vg_request_query(request, "name"), *over = vg_request_query(request, "replace");
    int wrong = vg_folder_write(s->folder, name ? name : "", request->body, request->size, over != NULL);
    if (wrong == EEXIST)
        refuse(reply, 409, "there is a model of this name");
    else if (wrong == ELOOP)
        refuse(reply, 409, "this name is a link to another file, which is not written to");
    else if (wrong)
        refuse(reply, wrong == EINVAL ? 400 : 500,
               wrong == EINVAL ? "a model is called NAME.yaml, NAME.urdf or NAME.xml, without slashes"
                               : vg_file_why(wrong));
    else
        vg_text_add(&reply->text, "{}");
}

/* A page with data at its place. */
static void put_page(const vgPage *page, const char *data, vgReply *reply)
{
    char *text = vg_page_unpack(page);
    reply->type = "text/html; charset=utf-8";
    if (text) {
        vg_text_put(&reply->text, text, page->cut);
        vg_text_put(&reply->text, data, strlen(data));
        vg_text_put(&reply->text, text + page->cut, page->size - page->cut);
    } else {
        reply->text.failed = 1;
    }
    free(text);
}

static void get_page(studio *s, const vgRequest *request, vgReply *reply)
{
    (void)s, (void)request;
    put_page(&vg_studio_page, "", reply);
}

/* The viewer in the frame of the page; it takes its runs from there. */
static void get_view(studio *s, const vgRequest *request, vgReply *reply)
{
    (void)s, (void)request;
    put_page(&vg_view_page, "{\"live\": true}", reply);
}

static const struct route {
    const char *method, *path;
    void (*answer)(studio *, const vgRequest *, vgReply *);
} routes[] = {
    {"GET", "/", get_page},           {"GET", "/view", get_view},         {"GET", "/api/start", get_start},
    {"GET", "/api/model", get_model}, {"POST", "/api/check", post_check}, {"POST", "/api/run", post_run},
    {"GET", "/api/run", get_run},     {"POST", "/api/stop", post_stop},   {"POST", "/api/save", post_save},
};

static void handle(void *user, const vgRequest *request, vgReply *reply)
{
    int found = 0;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(routes[i].path, request->path) != 0) continue;
        found = 1;
        if (strcmp(routes[i].method, request->method) != 0) continue;
        routes[i].answer(user, request, reply);
        return;
    }
    refuse(reply, found ? 405 : 404, found ? "not by this method" : "there is nothing here");
}

/* ---- the command ---- */

/* The folder and the name of the model, both after links are followed. */
static int find_model(studio *s, const char *path)
{
    s->untitled = !path;
    char *real = realpath(path ? path : ".", NULL);
    if (!real) return vg_cli_wrong("studio: '%s': %s", path, vg_file_why(errno));
    if (path) {
        char *slash = strrchr(real, '/');
        s->name = strdup(slash + 1);
        slash[slash == real] = 0;
    } else {
        s->name = strdup("untitled.yaml");
    }
    s->folder = real;
    if (!s->name) return VG_EXIT_FAILED;
    if (!vg_folder_name_ok(s->name))
        return vg_cli_wrong("studio: '%s' is not called NAME.yaml, NAME.urdf or NAME.xml", path);
    size_t size = 0;
    char *text = path ? vg_folder_read(s->folder, s->name, &size) : NULL;
    if (path && !text) return vg_cli_wrong("studio: '%s' could not be read (or is larger than 1 MB)", path);
    free(text);
    return VG_EXIT_OK;
}

/* The user's browser, if there is a screen; a process of its own that nobody waits for. */
static void open_browser(const char *address)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    pid_t child = fork();
    if (child != 0) return;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    execlp("xdg-open", "xdg-open", address, (char *)NULL);
    _exit(1);
}

static void *end_now(void *user)
{
    (void)user;
    struct timespec moment = {.tv_nsec = 500000000};
    nanosleep(&moment, NULL);
    _exit(VG_EXIT_OK);
}

/* A model that is being read or set up cannot be interrupted: the program does not wait for it. Nothing is lost, files
 * are written beside and renamed. */
static void end_soon(void)
{
    pthread_t timer;
    fflush(stdout);
    if (pthread_create(&timer, NULL, end_now, NULL) == 0)
        pthread_detach(timer);
    else
        _exit(VG_EXIT_OK);
}

static int serve_until_stopped(studio *s, const vgArgs *args, int port)
{
    const char *why = "";
    vg_cli_catch_signals(); /* before anybody can know the address */
    vgServe *serve = vg_serve_start(port, handle, s, &why);
    if (!serve) {
        fprintf(stderr, "verge: error: studio: %s\n", why);
        return port ? VG_EXIT_INPUT : VG_EXIT_FAILED;
    }
    char address[120];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/?token=%s", vg_serve_port(serve),
             vg_serve_token(serve));
    printf("studio at %s\nfor this machine only; end with Ctrl-C\n", address);
    fflush(stdout);
    if (!vg_cli_given(args, "no-open")) open_browser(address);
    while (!vg_cli_stop_asked()) {
        struct timespec moment = {.tv_nsec = 200000000};
        nanosleep(&moment, NULL);
        vg_serve_tend(serve);
    }
    end_soon();
    vg_live_stop(s->live);
    vg_serve_stop(serve);
    return VG_EXIT_OK;
}

static int run_studio(const vgArgs *args)
{
    studio s = {.starting = PTHREAD_MUTEX_INITIALIZER};
    long port = 0;
    if (vg_cli_count(args, "port", 1, &port) < 0) return VG_EXIT_INPUT;
    if (port > 65535) return vg_cli_wrong("--port: at most 65535");
    if (!vg_studio_page.size)
        return vg_cli_wrong("this build of verge has no studio: its page is made with node and npm, which "
                            "were missing when verge was built");
    int code = find_model(&s, vg_cli_word(args, 0));
    if (code == VG_EXIT_OK) {
        s.live = vg_live_new();
        code = s.live ? serve_until_stopped(&s, args, (int)port) : VG_EXIT_FAILED;
    }
    vg_live_free(s.live);
    free(s.folder);
    free(s.name);
    return code;
}

static const vgOption options[] = {
    {"port", 0, "N", "port to listen at (default: any free one)"},
    {"no-open", 0, NULL, "do not open a browser; the address is printed"},
    {0},
};

const vgCommand vg_cmd_studio = {
    .name = "studio",
    .usage = "[MODEL.yaml] [options]",
    .doc = "edit, run, watch and compare a model in the browser",
    .example = "  verge studio models/cart.yaml\n",
    .min = 0,
    .max = 1,
    .options = options,
    .run = run_studio,
};

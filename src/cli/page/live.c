#include "cli/page/live.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/simulation.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "io/record.h"
#include "io/report.h"
#include "io/scene.h"

enum { MAX_ROWS = 20000, MAX_BYTES = 48 << 20, READ_BYTES = 4 << 20 };
enum { MOST_LISTED = 50000 };         /* channels that a page is told of; a tree of more is of no use */
static const double NEWS_EVERY = 0.1; /* s */

/* What a reader of a run always wants to see beside what the model records. */
static const char *const always[] = {"energy.kinetic", "energy.potential", "energy.total",
                                     "constraint.position", "constraint.velocity"};

struct vgLive {
    pthread_mutex_t *lock; /* guards all below but the thread's own */
    pthread_t thread;
    int started; /* a thread is there to be joined */
    long id;
    const char *state; /* "starting", "running", "done", "stopped", "failed"; NULL: nothing yet */
    atomic_int stop;
    double t, end;
    long steps;
    /* rows; when they are too many two stand for 2·stride: times and poses of the first and the middle one,
     * of each channel the smallest and the largest value in the order in which they came */
    double *row;
    long nrow, most, stride, version;
    int ncolumn;
    char *head, *messages, *report; /* JSON texts, NULL: not yet */
    /* the thread's own */
    vgLiveRequest request; /* its texts are copies */
    vgModel *model;
    vgSimulation sim;
    vgChannels *channels;
    double *now, *pair, started_at; /* pair: two rows that stand for a block */
    long in_block, *at;             /* at: where in the block the smallest and the largest are */
    long told;
    double told_at;
    int asked; /* channels that the model or the user named; the others are for the pictures */
    vgRunReport said;
    char error[600];
    vgCertificate certificate;
};

vgLive *vg_live_new(void)
{
    vgLive *live = calloc(1, sizeof *live);
    pthread_mutex_t *lock = malloc(sizeof *lock);
    if (!live || !lock) {
        free(live);
        free(lock);
        return NULL;
    }
    pthread_mutex_init(lock, NULL);
    live->lock = lock;
    return live;
}

static char *json_take(vgJson *json)
{
    char *text = strdup(vg_json_at(json));
    vg_json_free(json);
    return text;
}

/* ---- rows ---- */

/* Of four neighbouring rows two remain: of each channel the extremes in their order. */
static void merge(double *to, const double *four, size_t width, int nchannel)
{
    double kept[2];
    for (size_t c = 0; c < width; c++) {
        double v[4] = {four[c], four[width + c], four[2 * width + c], four[3 * width + c]};
        int low = 0, high = 0;
        for (int k = 1; k < 4; k++) {
            if (v[k] < v[low]) low = k;
            if (v[k] > v[high]) high = k;
        }
        int channel = c >= 1 && c < 1 + (size_t)nchannel;
        kept[0] = channel ? v[low < high ? low : high] : v[0];
        kept[1] = channel ? v[low < high ? high : low] : v[2];
        to[c] = kept[0];
        to[width + c] = kept[1];
    }
}

/* Room for two more rows: when there is none, half of them go. */
static void make_room(vgLive *live)
{
    if (live->nrow + 2 <= live->most) return;
    size_t width = (size_t)live->ncolumn;
    int nchannel = vg_channels_count(live->channels);
    for (long i = 0; 4 * i < live->nrow; i++) /* live->most is a multiple of four */
        merge(live->row + 2 * (size_t)i * width, live->row + 4 * (size_t)i * width, width, nchannel);
    live->nrow /= 2;
    live->stride *= 2;
    live->version++;
}

static void keep_rows(vgLive *live, const double *rows, long n)
{
    size_t width = (size_t)live->ncolumn;
    pthread_mutex_lock(live->lock);
    memcpy(live->row + (size_t)live->nrow * width, rows, (size_t)n * width * sizeof *rows);
    live->nrow += n;
    make_room(live);
    pthread_mutex_unlock(live->lock);
}

/* live->now joins its block. */
static void into_block(vgLive *live)
{
    size_t width = (size_t)live->ncolumn;
    long k = live->in_block++;
    int nchannel = vg_channels_count(live->channels);
    if (k == 0) memcpy(live->pair, live->now, width * sizeof *live->now);
    if (k <= live->stride) memcpy(live->pair + width, live->now, width * sizeof *live->now);
    for (int c = 0; c < nchannel; c++) {
        double v = live->now[1 + c], *low = live->pair + 2 * width + c, *high = low + nchannel;
        if (k == 0 || v < *low) *low = v, live->at[2 * c] = k;
        if (k == 0 || v > *high) *high = v, live->at[2 * c + 1] = k;
    }
}

static void end_block(vgLive *live)
{
    size_t width = (size_t)live->ncolumn;
    int nchannel = vg_channels_count(live->channels);
    for (int c = 0; c < nchannel; c++) {
        double low = live->pair[2 * width + (size_t)c], high = live->pair[2 * width + (size_t)(nchannel + c)];
        int first_low = live->at[2 * c] <= live->at[2 * c + 1];
        live->pair[1 + c] = first_low ? low : high;
        live->pair[width + 1 + (size_t)c] = first_low ? high : low;
    }
    live->in_block = 0;
    keep_rows(live, live->pair, 2);
}

static vgStatus take_row(void *user, const vgState *state, vgWork *work)
{
    vgLive *live = user;
    live->said.rows++;
    vg_channels_eval(live->channels, work, state, live->now + 1);
    vgProbe *probe = vg_channels_probe(live->channels);
    vg_poses_eval(probe, live->now + 1 + vg_channels_count(live->channels));
    live->now[0] = state->t;
    if (live->stride == 1) {
        keep_rows(live, live->now, 1);
        return VG_OK;
    }
    into_block(live);
    if (live->in_block == 2 * live->stride) end_block(live);
    return VG_OK;
}

static void take_step(void *user, const vgState *state, vgWork *work)
{
    vgLive *live = user;
    vg_channels_step(live->channels, work, state);
}

static void show(void *user, double t, double t0, double t_end, const vgStats *stats)
{
    vgLive *live = user;
    (void)t0;
    if (live->told++ % 64) return; /* a lock is no part of every step */
    pthread_mutex_lock(live->lock);
    live->t = t;
    live->end = t_end;
    live->steps = stats->steps;
    pthread_mutex_unlock(live->lock);
    if (!live->request.news || vg_cli_clock() - live->told_at < NEWS_EVERY) return;
    if (live->request.news(live->request.user)) atomic_store(&live->stop, 1);
    live->told_at = vg_cli_clock();
}

static int cancelled(void *user)
{
    vgLive *live = user;
    return atomic_load_explicit(&live->stop, memory_order_relaxed);
}

/* ---- the run ---- */

static void channels_json(vgJson *json, const char *names, const char *units, const vgChannels *channels,
                          int n)
{
    vg_json_open(json, names, '[');
    for (int i = 0; i < n; i++) vg_json_text(json, NULL, vg_channels_name(channels, i));
    vg_json_close(json);
    vg_json_open(json, units, '[');
    for (int i = 0; i < n; i++) vg_json_text(json, NULL, vg_channels_unit(channels, i));
    vg_json_close(json);
}

static char *make_head(const vgLive *live)
{
    const vgModel *m = live->model;
    vgJson json = {0}, scene = {0};
    vgChannels *every = NULL;
    vg_scene_write(m, &scene);
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "title", m->title);
    vg_json_text(&json, "model_text", m->text);
    vg_json_text(&json, "coordinates", live->said.coordinates);
    vg_json_text(&json, "constraints", live->said.constraints);
    vg_json_text(&json, "integrator", live->said.integrator);
    channels_json(&json, "channels", "units", live->channels, vg_channels_count(live->channels));
    vg_json_int(&json, "asked", live->asked);
    /* what a plot can be made of, recorded or not */
    if (vg_channels_all(live->sim.sys, &every) == VG_OK && vg_channels_count(every) <= MOST_LISTED)
        channels_json(&json, "every", "every_unit", every, vg_channels_count(every));
    vg_channels_free(every);
    vg_json_open(&json, "bodies", '[');
    for (int i = 0; i < m->nbody; i++) {
        if (vg_poses_visible(m, i)) vg_json_text(&json, NULL, m->body[i].name);
    }
    vg_json_close(&json);
    vg_json_raw(&json, "scene", vg_json_at(&scene));
    vg_json_close(&json);
    vg_json_free(&scene);
    return json_take(&json);
}

/* What the model records and the user asked for, then what the pictures need. */
static vgStatus choose_channels(vgLive *live, vgDiag *diag)
{
    enum { ALWAYS = sizeof always / sizeof *always };
    const vgModel *m = live->model;
    const vgSystem *sys = live->sim.sys;
    const char *names[ALWAYS + VG_RECORD_BEAMS + VG_RECORD_ARROWS];
    char **asked = NULL;
    int nasked = 0, known = 0, n = ALWAYS;
    if (live->request.record) {
        asked = vg_cli_split(live->request.record, &nasked);
        if (!asked) return VG_NO_MEMORY;
        for (int i = 0; i < nasked; i++)
            if (vg_record_matches(sys, asked[i]) > 0) asked[known++] = asked[i];
    }
    memcpy(names, always, sizeof always);
    n += vg_record_beams(m, names + n);
    n += vg_record_arrows(sys, m, names + n);
    vgRecordMore more = {.asked = (const char *const *)asked, .nasked = known};
    vgChannels *named = NULL;
    vgStatus status = vg_record_channels(sys, m, &more, diag, &named);
    live->asked = named ? vg_channels_count(named) : 0;
    vg_channels_free(named);
    more.name = names, more.n = n;
    if (status == VG_OK) status = vg_record_channels(sys, m, &more, diag, &live->channels);
    free(asked);
    return status;
}

/* The model through the dials, ready to run; the words are in diag. */
static vgStatus prepare(vgLive *live, vgTransientOptions *how, vgDiag *diag)
{
    const vgLiveRequest *r = &live->request;
    vgModel *m = vg_model_parse_as(r->text, r->size, r->path, NULL, 0, diag);
    live->model = m;
    if (!m) return VG_BAD_INPUT;
    if (r->coordinates) m->run.coordinates = r->coordinates;
    if (r->constraints) m->run.constraints = r->constraints;
    if (r->integrator) m->run.integrator = r->integrator;
    if (r->coordinates || r->constraints || r->integrator) m->run.loc = VG_NOWHERE;
    vgDials dials = {.constraints = r->constraints};
    vgStatus status = vg_simulation_open(m, &dials, diag, &live->sim);
    if (status != VG_OK) return status;
    *how = (vgTransientOptions){.step = r->step > 0 ? r->step : m->run.step,
                                .end = r->end > 0 ? r->end : m->run.end,
                                .interval = m->run.output_interval,
                                .every = m->run.output_every,
                                .locate = m->run.locate_events,
                                .monitor = 1};
    if (!(how->end > 0)) vg_diag_error(diag, m->run.loc, "no end time: give run: {end: T}");
    if (!(how->step > 0) && !live->sim.it->adaptive)
        vg_diag_error(diag, m->run.loc, "no step: give run: {step: H}, or take an adaptive integrator");
    if (vg_diag_errors(diag)) return VG_BAD_INPUT;
    status = choose_channels(live, diag);
    if (status != VG_OK) return status;
    vg_channels_watch(live->channels, live->sim.it->work);
    int width = 1 + vg_channels_count(live->channels) + 7 * vg_poses_count(m);
    long room = MAX_BYTES / (8 * width), most = room < 64 ? 64 : room > MAX_ROWS ? MAX_ROWS : room;
    most -= most % 4;
    live->now = calloc((size_t)width, sizeof *live->now);
    live->pair = calloc(4 * (size_t)width, sizeof *live->pair);
    live->at = calloc(2 * (size_t)width, sizeof *live->at);
    double *rows = calloc((size_t)width * (size_t)most, sizeof *rows);
    pthread_mutex_lock(live->lock);
    live->ncolumn = width;
    live->most = most;
    live->row = rows;
    live->end = how->end;
    pthread_mutex_unlock(live->lock);
    return live->now && live->pair && live->at && rows ? VG_OK : VG_NO_MEMORY;
}

static void describe(vgLive *live)
{
    const char *text = live->model->run.integrator;
    live->said.coordinates = live->sim.sys->coordinates;
    live->said.constraints = live->sim.sys->constraints;
    live->said.integrator = text && *text ? text : live->sim.it->row->name;
    live->said.title = live->model->title ? live->model->title : "";
    live->said.channels = live->channels;
    live->said.setup_seconds = vg_cli_clock() - live->started_at;
}

static void set_state(vgLive *live, const char *state, char **where, char *text)
{
    pthread_mutex_lock(live->lock);
    live->state = state;
    *where = text;
    pthread_mutex_unlock(live->lock);
}

/* A certificate for a run that ended well; without one when it could not be made or was stopped. */
static void verify(vgLive *live, const vgTransientOptions *how)
{
    const vgVerifyOptions o = {.dials = {.constraints = live->request.constraints},
                               .step = how->step,
                               .end = how->end,
                               .interval = how->interval,
                               .every = how->every,
                               .locate = how->locate,
                               .cancelled = cancelled,
                               .user = live};
    if (!live->request.verify && !live->model->run.verify) return;
    /* what was asked for is first, what the page needs besides is not judged */
    if (vg_verify(live->model, vg_channels_names(live->channels), live->asked, &o, NULL,
                  &live->certificate) == VG_OK)
        live->said.certificate = &live->certificate;
}

static void finish(vgLive *live, const vgTransientOptions *how, const vgTransientResult *outcome)
{
    vgRunReport *said = &live->said;
    if (outcome->status == VG_OK) verify(live, how);
    vg_report_outcome(said, outcome, live->model);
    const char *why = outcome->failure.text;
    snprintf(live->error, sizeof live->error, "%s",
             outcome->status == VG_INTERRUPTED ? "stopped"
             : *why                            ? why
                                               : vg_status_text(outcome->status));
    /* what is left of a block, then the last state as it is */
    if (live->in_block > 1) end_block(live);
    if (live->nrow && live->row[(size_t)(live->nrow - 1) * (size_t)live->ncolumn] < live->now[0])
        keep_rows(live, live->now, 1);
    said->final = live->now + 1;
    pthread_mutex_lock(live->lock);
    live->t = outcome->t;
    live->steps = outcome->stats.steps;
    pthread_mutex_unlock(live->lock);
    vgJson json = {0};
    vg_report_json(said, &json);
    const char *state = outcome->status == VG_OK            ? "done"
                        : outcome->status == VG_INTERRUPTED ? "stopped"
                                                            : "failed";
    set_state(live, state, &live->report, json_take(&json));
}

static void *work(void *user)
{
    vgLive *live = user;
    vgTransientOptions how = {0};
    vgDiag *diag = vg_diag_new();
    vgStatus status = diag ? prepare(live, &how, diag) : VG_NO_MEMORY;
    vgJson messages = {0};
    if (status != VG_OK && diag && !vg_diag_errors(diag))
        vg_diag_error(diag, VG_NOWHERE, "%s", vg_status_text(status));
    vg_json_open(&messages, NULL, '{');
    vg_live_messages(&messages, "messages", diag, live->request.path);
    vg_json_close(&messages);
    set_state(live, status == VG_OK ? "starting" : "failed", &live->messages, json_take(&messages));
    if (status == VG_OK) {
        describe(live);
        set_state(live, "running", &live->head, make_head(live));
        vgSink sink = {.user = live, .row = take_row, .progress = show, .cancelled = cancelled};
        if (vg_channels_wants_steps(live->channels)) sink.step = take_step, sink.parts = 1;
        vgTransientResult outcome = {0};
        outcome.status = vg_transient_run(live->sim.it, live->sim.state, &how, &sink, &outcome);
        finish(live, &how, &outcome);
    }
    vg_diag_free(diag);
    return NULL;
}

/* ---- from outside ---- */

/* Waits for the thread and forgets its run. */
static void clear(vgLive *live)
{
    if (live->started) pthread_join(live->thread, NULL);
    live->started = 0;
    vg_certificate_free(&live->certificate);
    vg_channels_free(live->channels);
    vg_simulation_close(&live->sim);
    vg_model_free(live->model);
    union {
        const char *in;
        char *out;
    } text[] = {{live->request.path},        {live->request.text},       {live->request.coordinates},
                {live->request.constraints}, {live->request.integrator}, {live->request.record}};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) free(text[i].out);
    char *owned[] = {live->head, live->messages, live->report};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    free(live->row);
    free(live->now);
    free(live->pair);
    free(live->at);
    *live = (vgLive){.id = live->id, .lock = live->lock, .version = live->version};
}

void vg_live_free(vgLive *live)
{
    if (!live) return;
    vg_live_stop(live);
    clear(live);
    pthread_mutex_destroy(live->lock);
    free(live->lock);
    free(live);
}

void vg_live_stop(vgLive *live)
{
    atomic_store(&live->stop, 1);
}

static int busy(vgLive *live)
{
    pthread_mutex_lock(live->lock);
    int on = live->state && (!strcmp(live->state, "starting") || !strcmp(live->state, "running"));
    pthread_mutex_unlock(live->lock);
    return on;
}

static char *copy(const char *text)
{
    return text && *text ? strdup(text) : NULL;
}

long vg_live_start(vgLive *live, const vgLiveRequest *request)
{
    if (busy(live)) return 0;
    clear(live);
    live->request = *request;
    live->request.path = copy(request->path);
    live->request.coordinates = copy(request->coordinates);
    live->request.constraints = copy(request->constraints);
    live->request.integrator = copy(request->integrator);
    live->request.record = copy(request->record);
    char *text = malloc(request->size + 1);
    if (text && request->size) memcpy(text, request->text, request->size);
    if (text) text[request->size] = 0;
    live->request.text = text;
    live->stride = 1;
    live->state = "starting";
    live->started_at = vg_cli_clock();
    live->said = (vgRunReport){.path = live->request.path, .title = "", .error = live->error};
    live->id++;
    int ready = text && live->request.path;
    if (ready && request->news)
        work(live);
    else
        live->started = ready = ready && pthread_create(&live->thread, NULL, work, live) == 0;
    if (!ready) live->state = "failed";
    return ready ? live->id : 0;
}

static void read_head(const vgLive *live, long from, long n, int all, vgJson *json)
{
    vg_json_open(json, NULL, '{');
    vg_json_int(json, "id", live->id);
    vg_json_text(json, "state", live->state);
    vg_json_number(json, "t", live->t);
    vg_json_number(json, "end", live->end);
    vg_json_int(json, "steps", live->steps);
    vg_json_int(json, "version", live->version);
    vg_json_int(json, "from", from);
    vg_json_int(json, "rows", n);
    vg_json_int(json, "total", live->nrow);
    vg_json_int(json, "columns", live->ncolumn);
    if (all && live->head) vg_json_raw(json, "head", live->head);
    if (live->messages) vg_json_raw(json, "said", live->messages);
    if (live->report) vg_json_raw(json, "report", live->report);
    vg_json_close(json);
}

int vg_live_read(vgLive *live, long id, long version, long from, vgText *out)
{
    pthread_mutex_lock(live->lock);
    int there = live->state && id == live->id;
    if (there) {
        if (version != live->version || from < 0 || from > live->nrow) from = 0;
        long n = live->nrow - from, most = live->ncolumn ? READ_BYTES / (8 * live->ncolumn) : 1;
        if (n > most) n = most > 0 ? most : 1;
        vgJson json = {0};
        read_head(live, from, n, from == 0, &json);
        size_t size = strlen(vg_json_at(&json)), padded = (size + 4 + 7) / 8 * 8 - 4;
        unsigned char length[4];
        for (int i = 0; i < 4; i++) length[i] = (unsigned char)(padded >> 8 * i & 255);
        vg_text_put(out, (const char *)length, 4);
        vg_text_put(out, vg_json_at(&json), size);
        vg_text_put(out, "       ", padded - size);
        vg_json_free(&json);
        if (n > 0)
            vg_text_put(out, (const char *)(live->row + (size_t)from * (size_t)live->ncolumn),
                        (size_t)n * (size_t)live->ncolumn * sizeof *live->row);
    }
    pthread_mutex_unlock(live->lock);
    return there && vg_text_ok(out);
}

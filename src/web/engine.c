/* The engine for JavaScript: what web/verge.js calls. Texts are zero-terminated UTF-8; what is returned is in buffers of
 * this file and good until the next call. One model at a time.
 *
 * A run goes on within web_run, which calls `news` of the module about ten times a second. The module then reads what
 * is new by web_read, in the form of vg_live_read, and may ask to stop. */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cli/page/live.h"
#include "verge/verge.h"
#include "verge/version.h"

static vgLive *live;
static vgJson answer;
static vgText bytes;

static const char *answered(void)
{
    return vg_text_ok(&answer.text) ? vg_json_at(&answer) : "";
}

static void begin(void)
{
    vg_json_free(&answer);
    answer = (vgJson){0};
}

/* Calls Module.news(); true asks to stop. */
EM_JS(int, news_to_module, (void), { return Module["news"] && Module["news"]() ? 1 : 0; })

static int news(void *user)
{
    (void)user;
    return news_to_module();
}

/* Version and dials. */
EMSCRIPTEN_KEEPALIVE const char *web_start(void)
{
    begin();
    vg_json_open(&answer, NULL, '{');
    vg_json_text(&answer, "version", vg_version());
    vg_live_dials(&answer);
    vg_json_close(&answer);
    return answered();
}

/* What can be said of a model without running it. */
EMSCRIPTEN_KEEPALIVE const char *web_check(const char *text, const char *path)
{
    begin();
    vg_live_check(text, strlen(text), path, &answer);
    return answered();
}

/* Names and units of all channels of the model in a file: {ok, messages, names, units}. */
EMSCRIPTEN_KEEPALIVE const char *web_channels(const char *path)
{
    vgDiag *diag = vg_diag_new();
    vgModel *model = vg_load(path, NULL, diag);
    vgChannelList *list = NULL;
    int ok = model && vg_model_channels(model, NULL, 0, diag, &list) == VG_OK;
    begin();
    vg_json_open(&answer, NULL, '{');
    vg_json_bool(&answer, "ok", ok);
    vg_live_messages(&answer, "messages", diag, path);
    vg_json_open(&answer, "names", '[');
    for (int i = 0; list && i < list->n; i++) vg_json_text(&answer, NULL, list->name[i]);
    vg_json_close(&answer);
    vg_json_open(&answer, "units", '[');
    for (int i = 0; list && i < list->n; i++) vg_json_text(&answer, NULL, list->unit[i]);
    vg_json_close(&answer);
    vg_json_close(&answer);
    vg_channel_list_free(list);
    vg_model_free(model);
    vg_diag_free(diag);
    return answered();
}

/* Runs a model to its end; its number, 0: memory is out. Texts may be empty and numbers 0: as the model says. */
EMSCRIPTEN_KEEPALIVE int web_run(const char *text, const char *path, const char *coordinates,
                                 const char *constraints, const char *integrator, const char *record,
                                 double step, double end, int verify)
{
    if (!live) live = vg_live_new();
    if (!live) return 0;
    const vgLiveRequest request = {.path = path,
                                   .text = text,
                                   .size = strlen(text),
                                   .coordinates = coordinates,
                                   .constraints = constraints,
                                   .integrator = integrator,
                                   .record = record,
                                   .step = step,
                                   .end = end,
                                   .verify = verify,
                                   .news = news};
    return (int)vg_live_start(live, &request);
}

/* What is new of run `id` since row `from` of `version`; web_read_size bytes. NULL: no such run. */
EMSCRIPTEN_KEEPALIVE const char *web_read(int id, int version, int from)
{
    vg_text_clear(&bytes);
    return live && vg_live_read(live, id, version, from, &bytes) ? bytes.at : NULL;
}

EMSCRIPTEN_KEEPALIVE int web_read_size(void)
{
    return (int)bytes.used;
}

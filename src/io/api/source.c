/* C API: sources of models, and lists of what is in a model (include/verge/source.h). */
#include "verge/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "base/os.h"
#include "io/api/sim.h"

/* ---- sources ---- */

static vgSource *open_source(const char *path, const char *text, size_t size, const char *name, vgDiag *diag)
{
    void *callers = vg_os_points_begin();
    vgSource *source = vg_source_new(path, text, size, name, diag);
    vg_os_points_end(callers);
    return source;
}

vgSource *vg_source_load(const char *path, vgDiag *diag)
{
    if (path) return open_source(path, NULL, 0, NULL, diag);
    vg_diag_error(diag, VG_NOWHERE, "the model's path is NULL");
    return NULL;
}

vgSource *vg_source_parse(const char *text, size_t size, const char *name, vgDiag *diag)
{
    if (text) return open_source(NULL, text, size, name ? name : "model", diag);
    vg_diag_error(diag, VG_NOWHERE, "the model's text is NULL");
    return NULL;
}

vgModel *vg_source_model(const vgSource *source, const vgSetting *settings, int n, vgDiag *diag)
{
    if (!source || n < 0 || (n > 0 && !settings)) {
        vg_diag_error(diag, VG_NOWHERE, "%s is NULL", source ? "the list of settings" : "the source");
        return NULL;
    }
    vgParamSet *set = calloc((size_t)n + 1, sizeof *set);
    if (!set) vg_diag_no_memory(diag);
    int ok = set != NULL;
    for (int i = 0; ok && i < n; i++) {
        set[i] = (vgParamSet){settings[i].name, settings[i].value, settings[i].text};
        ok = settings[i].name != NULL;
        if (!ok) vg_diag_error(diag, VG_NOWHERE, "a parameter's name is NULL");
    }
    void *callers = vg_os_points_begin();
    vgModel *model = ok ? vg_model_of(source, set, n, diag) : NULL;
    vg_os_points_end(callers);
    free(set);
    return model;
}

/* ---- lists ---- */

/* 1: entry i of the model's own array is one that the model names. */
static int is_listed(const vgModel *m, vgListed what, int i)
{
    if (what == VG_LIST_BODIES) return m->body[i].element < 0;
    if (what == VG_LIST_JOINTS) return m->joint[i].drive_of < 0;
    if (what == VG_LIST_INPUTS) return strncmp(m->measure[i].name, "input.", 6) == 0;
    return 1;
}

static int array_size(const vgModel *m, vgListed what)
{
    switch (what) {
    case VG_LIST_PARAMETERS:
        return m->nparam;
    case VG_LIST_BODIES:
        return m->nbody;
    case VG_LIST_JOINTS:
        return m->njoint;
    case VG_LIST_FORCES:
        return m->nforce;
    case VG_LIST_CONTROLLERS:
        return m->ncontroller;
    case VG_LIST_INPUTS:
        return m->nmeasure;
    }
    return 0;
}

int vg_model_count(const vgModel *model, vgListed what)
{
    int n = 0;
    for (int i = 0; model && i < array_size(model, what); i++) n += is_listed(model, what, i);
    return n;
}

static const char *body_name(const vgModel *m, int body)
{
    return body < 0 ? "ground" : m->body[body].name;
}

static vgListing body_listing(const vgBody *b)
{
    const char *kind = b->select.n == 6 ? "body" : b->select.at[b->select.n - 1] < 3 ? "point" : "planar";
    return (vgListing){.name = b->name, .kind = kind, .value = b->mass};
}

vgStatus vg_model_listing(const vgModel *model, vgListed what, int i, vgListing *out)
{
    if (out) *out = (vgListing){.value = NAN};
    if (!model || !out || i < 0) return VG_BAD_INPUT;
    int at = 0;
    const int n = array_size(model, what);
    for (int seen = 0; at < n; at++)
        if (is_listed(model, what, at) && seen++ == i) break;
    if (at >= n) return VG_BAD_INPUT;
    const vgModel *m = model;
    switch (what) {
    case VG_LIST_PARAMETERS:
        out->name = m->param_name[at], out->value = m->param_value[at];
        break;
    case VG_LIST_BODIES:
        *out = body_listing(&m->body[at]);
        break;
    case VG_LIST_JOINTS:
        out->name = m->joint[at].name, out->kind = m->joint[at].kind->name;
        out->first = body_name(m, m->joint[at].a), out->second = body_name(m, m->joint[at].b);
        break;
    case VG_LIST_FORCES:
        out->name = m->force[at].name, out->kind = m->force[at].kind->name;
        break;
    case VG_LIST_CONTROLLERS:
        out->name = m->controller[at].name, out->kind = m->controller[at].kind->name;
        break;
    case VG_LIST_INPUTS:
        out->name = m->measure[at].name + strlen("input.");
        break;
    }
    return VG_OK;
}

/* ---- channels ---- */

typedef struct List {
    vgChannelList seen; /* first */
    vgChannels *channels;
    vgSystem *sys;
} List;

void vg_channel_list_free(vgChannelList *list)
{
    if (!list) return;
    List *l = (List *)list;
    vg_channels_free(l->channels);
    vg_system_free(l->sys);
    free(l);
}

vgStatus vg_model_channels(const vgModel *model, const char *const *patterns, int n, vgDiag *diag,
                           vgChannelList **out)
{
    if (out) *out = NULL;
    if (!model || !out || n < 0 || (n > 0 && !patterns)) return VG_BAD_INPUT;
    for (int i = 0; i < n; i++)
        if (!patterns[i]) return VG_BAD_INPUT;
    List *l = calloc(1, sizeof *l);
    if (!l) return VG_NO_MEMORY;
    vgStatus status = vg_system_new(model, NULL, NULL, diag, &l->sys);
    if (status == VG_OK)
        status = n > 0 ? vg_channels_new(l->sys, patterns, n, diag, &l->channels)
                       : vg_channels_all(l->sys, &l->channels);
    if (status != VG_OK) {
        vg_channel_list_free(&l->seen);
        return status;
    }
    l->seen = (vgChannelList){vg_channels_count(l->channels), vg_channels_names(l->channels),
                              vg_channels_units(l->channels)};
    *out = &l->seen;
    return VG_OK;
}

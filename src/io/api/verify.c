/* Certificates in the C API. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/study/verify/verify.h"
#include "base/os.h"
#include "io/certificate.h"
#include "io/api/sim.h"

typedef struct Trust {
    vgTrust trust; /* first */
    vgCertificate certificate;
    vgTrustChannel *channel;
    char *json;
} Trust;

/* The channels asked for, else those that the model records, else coordinates of joints and positions. */
static vgStatus expand(const vgModel *m, const char *const *given, int n, vgDiag *diag, vgSystem **sys,
                       vgChannels **out)
{
    static const char *const fallback[] = {"joint.*.angle", "joint.*.displacement", "body.*.position.*"};
    vgStatus st = vg_system_new(m, NULL, NULL, diag, sys);
    if (st != VG_OK) return st;
    if (n > 0) return vg_channels_new(*sys, given, n, diag, out);
    if (m->nrecord > 0) return vg_channels_new(*sys, m->record, m->nrecord, diag, out);
    for (int k = 0; k < 3; k++) {
        vgDiag *quiet = vg_diag_new();
        st = vg_channels_new(*sys, fallback + k, 1, quiet, out);
        vg_diag_free(quiet);
        if (st != VG_BAD_INPUT) break;
    }
    return st;
}

static vgStatus fill(Trust *t)
{
    static const int trusted[] = {1, 2, 0, -1};
    const vgCertificate *c = &t->certificate;
    vgJson json = {0};
    vg_certificate_json(c, NULL, &json);
    t->json = strdup(vg_json_at(&json));
    vg_json_free(&json);
    t->channel = calloc((size_t)c->nchannel + 1, sizeof *t->channel);
    if (!t->json || !t->channel) return VG_NO_MEMORY;
    for (int i = 0; i < c->nchannel; i++) {
        const vgVerifyChannel *ch = &c->channel[i];
        const int judged = ch->kind == VG_VERIFY_JUDGED;
        t->channel[i] = (vgTrustChannel){.name = ch->name,
                                         .unit = ch->unit,
                                         .judged = judged,
                                         .size = ch->size,
                                         .error = judged ? ch->error : NAN,
                                         .digits = judged ? ch->digits : NAN,
                                         .until = judged ? ch->until : NAN};
    }
    t->trust = (vgTrust){.trusted = trusted[c->verdict],
                         .digits = c->digits,
                         .until = c->until,
                         .line = c->line,
                         .json = t->json,
                         .n = c->nchannel,
                         .channel = t->channel};
    return VG_OK;
}

static vgStatus wrong(vgDiag *diag, const char *what)
{
    vg_diag_error(diag, VG_NOWHERE, "%s", what);
    return VG_BAD_INPUT;
}

static vgStatus certify(const vgModel *model, const vgVerifyOptions *o, const char *const *channels, int n,
                        vgDiag *diag, Trust *t)
{
    vgSystem *sys = NULL;
    vgChannels *list = NULL;
    vgStatus st = expand(model, channels, n, diag, &sys, &list);
    if (st == VG_OK)
        st = vg_verify(model, vg_channels_names(list), vg_channels_count(list), o, diag, &t->certificate);
    vg_channels_free(list);
    vg_system_free(sys);
    return st == VG_OK ? fill(t) : st;
}

vgStatus vg_certify(const vgModel *model, const vgSimOptions *options, double end,
                    const char *const *channels, int n, double budget, vgDiag *diag, vgTrust **out)
{
    if (out) *out = NULL;
    if (!model || !out) return wrong(diag, "a model and a place for the certificate are wanted");
    if (n < 0 || (n > 0 && !channels)) return wrong(diag, "a channel's name is NULL");
    for (int i = 0; i < n; i++)
        if (!channels[i]) return wrong(diag, "a channel's name is NULL");
    const double given[] = {end, budget, options ? options->step : 0};
    for (int i = 0; i < 3; i++)
        if (!isfinite(given[i]) || given[i] < 0)
            return wrong(diag, "end, budget and step must be 0 or above, and finite");
    const vgRunOptions *run = &model->run;
    vgVerifyOptions o = {.step = given[2] > 0 ? given[2] : run->step,
                         .end = end > 0 ? end : run->end,
                         .interval = run->output_interval,
                         .every = run->output_every,
                         .locate = run->locate_events,
                         .budget = budget};
    if (options) o.dials = (vgDials){options->coordinates, options->constraints, options->integrator};
    if (!(o.end > 0) || !isfinite(o.end))
        return wrong(diag, "no end time: give one, or run: {end: T} in the model");
    Trust *t = calloc(1, sizeof *t);
    if (!t) return VG_NO_MEMORY;
    void *callers = vg_os_points_begin();
    vgStatus st = certify(model, &o, channels, n, diag, t);
    vg_os_points_end(callers);
    if (st != VG_OK)
        vg_trust_free(&t->trust);
    else
        *out = &t->trust;
    return st;
}

void vg_trust_free(vgTrust *trust)
{
    if (!trust) return;
    Trust *t = (Trust *)trust;
    vg_certificate_free(&t->certificate);
    free(t->channel);
    free(t->json);
    free(t);
}

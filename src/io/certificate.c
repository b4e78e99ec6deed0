#include "io/certificate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const verdicts[] = {"trusted", "trusted-until", "not-trusted", "not-verified"};
static const char *const roles[] = {"run", "finer", "independent", "arbiter"};
static const char *const kinds[] = {"judged", "undetermined", "of-the-setting"};

/* JSON has no NaN: null. */
static void number(vgJson *json, const char *key, double v)
{
    if (isfinite(v))
        vg_json_number(json, key, v);
    else
        vg_json_text(json, key, NULL);
}

void vg_certificate_json(const vgCertificate *c, const char *key, vgJson *json)
{
    vg_json_open(json, key, '{');
    vg_json_text(json, "verdict", verdicts[c->verdict]);
    vg_json_text(json, "line", c->line);
    vg_json_text(json, "why", c->why[0] ? c->why : NULL);
    number(json, "digits", c->digits);
    number(json, "until", c->until);
    vg_json_text(json, "worst", c->worst >= 0 ? c->channel[c->worst].name : NULL);
    vg_json_text(json, "blame", c->blame == 1 ? "run" : c->blame == 2 ? "independent" : NULL);
    number(json, "grows_tenfold_in", c->grows > 0 ? c->grows : NAN);
    number(json, "remedy", c->remedy > 0 ? c->remedy : NAN);
    vg_json_bool(json, "by_time", c->by_time);
    vg_json_int(json, "samples", c->nsample);
    vg_json_int(json, "reference", c->reference);
    vg_json_open(json, "runs", '[');
    for (int i = 0; i < c->nrun; i++) {
        const vgVerifyRun *r = &c->run[i];
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "role", roles[r->role]);
        vg_json_text(json, "coordinates", r->coordinates);
        vg_json_text(json, "constraints", r->constraints);
        vg_json_text(json, "integrator", r->integrator);
        number(json, "step", r->step > 0 ? r->step : NAN);
        vg_json_text(json, "status",
                     r->status == VG_OK            ? "ok"
                     : r->status == VG_INTERRUPTED ? "stopped"
                                                   : "failed");
        vg_json_text(json, "why", r->why[0] ? r->why : NULL);
        number(json, "t", r->t);
        number(json, "work", r->work);
        vg_json_close(json);
    }
    vg_json_close(json);
    vg_json_open(json, "channels", '[');
    for (int i = 0; i < c->nchannel; i++) {
        const vgVerifyChannel *ch = &c->channel[i];
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", ch->name);
        vg_json_text(json, "unit", ch->unit);
        vg_json_text(json, "kind", kinds[ch->kind]);
        number(json, "size", ch->size);
        if (ch->kind == VG_VERIFY_JUDGED) {
            number(json, "error", ch->error);
            number(json, "at", ch->at);
            number(json, "doubt", ch->doubt);
            number(json, "digits", ch->digits);
            number(json, "order", ch->order);
            number(json, "difference", ch->other);
            number(json, "until", ch->until);
            vg_json_open(json, "digits_over_time", '[');
            for (int k = 0; k < VG_VERIFY_TIMES; k++) number(json, NULL, ch->over[k]);
            vg_json_close(json);
        }
        vg_json_close(json);
    }
    vg_json_close(json);
    vg_json_close(json);
}

/* ---- table ---- */

static void put_setting(const vgVerifyRun *r, int with_step, vgText *text)
{
    vg_text_add(text, "%s · %s · %s", r->coordinates, r->constraints, r->integrator);
    if (with_step && r->step > 0) vg_text_add(text, ", step %.3g s", r->step);
}

/* Runs that came to the end, a line a setting; what was tried in vain in a line. */
static void put_runs(const vgCertificate *c, vgText *text)
{
    for (int i = 0; i < c->nrun; i++) {
        const vgVerifyRun *r = &c->run[i];
        vg_text_add(text, "  %-14s ", i > 0 && c->run[i - 1].role == r->role ? "" : roles[r->role]);
        put_setting(r, 1, text);
        if (r->why[0]) vg_text_add(text, ": %.100s", r->why);
        vg_text_add(text, "\n");
    }
}

/* A tenth of a digit too few rather than too many. */
static double down(double digits)
{
    return floor(10 * digits + 1e-9) / 10;
}

static void put_channel(const vgVerifyChannel *ch, vgText *text)
{
    char error[40], order[20];
    if (ch->kind != VG_VERIFY_JUDGED) {
        vg_text_add(text, "  %-34s      –  %s\n", ch->name,
                    ch->kind == VG_VERIFY_FREE ? "not determined: constraints repeat each other"
                                               : "belongs to the setting, nothing to compare");
        return;
    }
    const int exact = isnan(ch->at);
    snprintf(error, sizeof error, "%s%.1e %s", exact ? "< " : "", ch->error, ch->unit);
    snprintf(order, sizeof order, isfinite(ch->order) ? "%.1f" : "–", ch->order);
    vg_text_add(text, "  %-34s %6.1f  %-16s %*s", ch->name, down(ch->digits), error,
                isfinite(ch->order) ? 5 : 7, order);
    vg_text_add(text, exact ? "\n" : "   %.4g s\n", ch->at);
}

static void put_fall(const vgCertificate *c, vgText *text)
{
    const vgVerifyChannel *w = &c->channel[c->worst];
    vg_text_add(text, "digits over time, %s:", w->name);
    for (int k = 0; k < VG_VERIFY_TIMES; k++)
        vg_text_add(text, "  %.3g s %.1f", c->end * (k + 1) / VG_VERIFY_TIMES, down(w->over[k]));
    vg_text_add(text, "\n");
}

void vg_certificate_table(const vgCertificate *c, vgText *text)
{
    enum { MOST = 40 };
    vg_text_add(text, "certificate\n");
    put_runs(c, text);
    int n = c->nchannel > MOST ? MOST : c->nchannel;
    if (c->nrun > 1) vg_text_add(text, "  %-34s digits  largest error    order   at\n", "channel");
    for (int i = 0; i < n && c->nrun > 1; i++) put_channel(&c->channel[i], text);
    if (c->nchannel > n) vg_text_add(text, "  … and %d more channels\n", c->nchannel - n);
    if (c->worst >= 0 && c->verdict == VG_TRUSTED_UNTIL) put_fall(c, text);
    vg_text_add(text, "%s\n", c->line);
}

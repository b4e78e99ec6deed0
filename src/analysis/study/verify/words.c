/* The verdict of a certificate in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/study/verify/parts.h"

/* A remedy, rounded down to a digit: 0.00037 is 0.0003. */
static double round_down(double v)
{
    double unit = pow(10, floor(log10(v)));
    return floor(v / unit * (1 + 1e-9)) * unit;
}

static void add(char *text, size_t room, const char *format, double a, double b)
{
    size_t n = strlen(text);
    if (n < room) snprintf(text + n, room - n, format, a, b);
}

static void add_remedy(const vgVerify *x, char *text, size_t room)
{
    const vgCertificate *c = x->out;
    if (!(c->remedy > 0)) return;
    add(text, room,
        c->adaptive ? "; rtol %.1g would give three digits" : "; a step of %.1g s would give three digits",
        round_down(c->remedy), 0);
}

/* One channel in doubt does not make all of them useless: the others by two digits and more. */
static void add_others(const vgCertificate *c, char *text, size_t room)
{
    const double two = 2;
    double least = INFINITY;
    int judged = 0, good = 0;
    for (int i = 0; i < c->nchannel; i++) {
        const vgVerifyChannel *ch = &c->channel[i];
        if (ch->kind != VG_VERIFY_JUDGED || !strcmp(ch->name, "time")) continue;
        judged++;
        if (ch->digits < two) continue;
        good++;
        least = fmin(least, ch->digits);
    }
    size_t n = strlen(text);
    if (good > 0 && good < judged && n < room)
        snprintf(text + n, room - n, "; %d of %d channels hold %.1f digits", good, judged,
                 floor(10 * least) / 10);
}

static const char *setting(const vgCertificate *c, int run, char *text, size_t room)
{
    const vgVerifyRun *r = &c->run[run];
    snprintf(text, room, "%s · %s · %s", r->coordinates, r->constraints, r->integrator);
    return text;
}

/* Why the digits are few. */
static void explain(const vgVerify *x)
{
    vgCertificate *c = x->out;
    const vgVerifyChannel *w = &c->channel[c->worst];
    char text[340];
    if (c->reference < 0) {
        snprintf(
            c->why, sizeof c->why,
            "with finer steps values of %s change by %.2g %s, and no independent setting came to the end",
            w->name, w->error, w->unit);
        return;
    }
    if (c->blame == 1) {
        snprintf(c->why, sizeof c->why,
                 "with finer steps this setting converges to another motion than two independent settings, "
                 "and is to blame");
        return;
    }
    if (c->grows > 0) {
        snprintf(c->why, sizeof c->why, "small differences grow tenfold every %.2g s", c->grows);
        return;
    }
    if (w->doubt > w->error / 3) {
        snprintf(c->why, sizeof c->why,
                 "no setting that was tried settles on a value of %s within the budget", w->name);
        return;
    }
    snprintf(c->why, sizeof c->why, "%s of %s differ%s by %.2g %s",
             x->adaptive ? "its tolerances are too loose: values" : "its steps are too long: values", w->name,
             "", w->error, w->unit);
    snprintf(text, sizeof text, " from those of %s", "");
    if (c->reference >= 0) {
        char other[300];
        snprintf(text, sizeof text, " from those of %s", setting(c, c->reference, other, sizeof other));
        strncat(c->why, text, sizeof c->why - strlen(c->why) - 1);
    }
}

void vg_verify_words(vgVerify *x)
{
    vgCertificate *c = x->out;
    const vgVerifyChannel *w = c->worst >= 0 ? &c->channel[c->worst] : NULL;
    if (!c->why[0] && w && c->digits < 1) explain(x);
    switch (c->verdict) {
    case VG_TRUSTED:
        if (!w)
            snprintf(c->line, sizeof c->line,
                     "nothing to judge: no recorded channel is determined by the model");
        else if (c->digits >= 10)
            snprintf(c->line, sizeof c->line, "trusted to 10 digits and more");
        else
            snprintf(c->line, sizeof c->line, "trusted to %.1f digits", floor(10 * c->digits) / 10);
        if (w && c->digits < 2) add_others(c, c->line, sizeof c->line);
        if (w && c->digits < 3) add_remedy(x, c->line, sizeof c->line);
        if (c->blame == 2)
            add(c->line, sizeof c->line, "; the first independent setting was to blame for a difference", 0,
                0);
        break;
    case VG_TRUSTED_UNTIL:
        snprintf(c->line, sizeof c->line, "trusted to 2 digits until t = %.3g s, not beyond: %s", c->until,
                 c->why);
        add_others(c, c->line, sizeof c->line);
        break;
    case VG_NOT_TRUSTED:
        snprintf(c->line, sizeof c->line, "not to be trusted: %s", c->why);
        add_others(c, c->line, sizeof c->line);
        add_remedy(x, c->line, sizeof c->line);
        break;
    case VG_NOT_VERIFIED:
        snprintf(c->line, sizeof c->line, "not verified: no independent setting came to the end%s",
                 c->interrupted ? " before it was interrupted"
                 : c->by_time   ? " before the clock stopped it"
                                : " within the budget");
        if (w)
            add(c->line, sizeof c->line, "; by finer steps alone %.1f digits", floor(10 * c->digits) / 10, 0);
        break;
    }
    if (c->interrupted)
        add(c->line, sizeof c->line, " (interrupted: more time may say otherwise)", 0, 0);
    else if (c->by_time)
        add(c->line, sizeof c->line, " (the clock ended it: another machine may say otherwise)", 0, 0);
}

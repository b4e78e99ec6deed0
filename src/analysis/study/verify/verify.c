/* A certificate, its plan and its arithmetic (docs/trust.md).
 *
 * A ladder is a setting at finer and finer steps or tolerances, x₀, x₁ … xₙ. What xₙ may be off by is
 *     u = |xₙ − xₙ₋₁| / (ρ − 1),   ρ = the ratio of the last two differences, at most what the method promises,
 * and twice the last difference where they do not fall. The run's own ladder begins with the run, B; that of
 * the independent setting ends with the reference R. All differences are the largest up to a time.
 *     |B − R| where u_R is small beside it;
 *     |B − Bₙ| + u_B where the run is better than the reference and both agree within what they may be off by;
 *     the larger of |B − R| and u_R otherwise. */
#include "analysis/study/verify/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "analysis/study/verify/parts.h"
#include "base/os.h"

enum { MOST_SAMPLES = 1000, LEAST_SAMPLES = 50, MOST_NUMBERS = 400000, FINER = 2, PLACES = 3, KINDS = 3 };

/* Parts of |B − R| and of sizes, all dimensionless. scripts/certificates measures what they lead to: claims beside
 * true errors. The effects at half and twice are derived, not measured. */

/* u_R up to this part of |B − R|: the claim is |B − R|, off by as much at most. Twice: claims off by 60 %. */
static const double CLEAR = 0.3;
/* Last difference of a reference up to this part of |B − R|: no finer one is made. Half: more runs. */
static const double TELLS = 0.1;
/* Of the size: no smaller error is claimed, and no run is made to find one. References at tolerances of 1e-12
 * carry rounding of 1e-12 to 1e-11 in reactions. A tenth: runs of an hour for a digit without use. */
static const double EXACT = 1e-10;
/* Of what is typical in the model: the least size of a channel. Half: channels that are zero by symmetry have
 * 0.3 digits less. */
static const double SMALL = 1e-3;
/* Two settings that differ by more than this times their expected errors disagree, and a third one is run. At half of it the
 * third run is often unnecessary. */
static const double APART = 10;
/* Evaluations times coordinates that any model may take: about a second. Half: stiff models of a few
 * milliseconds are verified by coarser references. */
static const double LEAST_WORK = 1e7;
/* Of the budget, for the first run of a kind of method: five kinds can be tried. */
static const double FIRST_SHARE = 0.2;
/* Below a digit nothing is trusted; a time is given until which two hold. */
static const double TWO_DIGITS = 1e-2, THREE_DIGITS = 1e-3;
/* Ratio of two differences of a ladder from which they count as falling: half an order. Below, the doubt of the
 * last run is twice the last difference; at half the number one would divide by nearly nothing. */
static const double FALLS = 1.5;
/* Of the run: a time of trust before this is not worth a word. */
static const double SOON = 0.02;

/* ---- samples ---- */

/* Rows of the run itself, as many of them as are needed; with them rows between steps are judged too. */
static void choose_samples(vgVerify *x)
{
    const vgVerifyOptions *o = x->o;
    int most = MOST_NUMBERS / (x->nchannel > 0 ? x->nchannel : 1);
    if (most > MOST_SAMPLES) most = MOST_SAMPLES;
    if (most < LEAST_SAMPLES) most = LEAST_SAMPLES;
    double dt = o->interval > 0 ? o->interval : o->step > 0 ? o->step * (o->every > 0 ? o->every : 1) : 0;
    if (!(dt > 0) || dt > o->end / LEAST_SAMPLES) dt = o->interval > 0 || o->step > 0 ? dt : o->end / 200;
    if (!(dt < o->end)) dt = o->end;
    x->interval = dt * ceil(o->end / dt / most - 1e-9);
    if (!(x->interval > 0)) x->interval = dt;
    x->nsample = (int)floor(o->end / x->interval + 1e-9) + 1;
}

static double time_of(const vgVerify *x, int k)
{
    return fmin(k * x->interval, x->o->end);
}

static double value(const vgVerify *x, const vgSampled *s, int k, int c)
{
    return s->value[(size_t)k * (size_t)x->nchannel + (size_t)c];
}

/* What is no number in one of two runs alone is infinitely far off. */
static double between(const vgVerify *x, const vgSampled *a, const vgSampled *b, int k, int c)
{
    const double u = value(x, a, k, c), v = value(x, b, k, c), d = fabs(u - v);
    return u == v || (isnan(u) && isnan(v)) ? 0 : isnan(d) ? INFINITY : d;
}

/* out[k]: the largest difference up to sample k. */
static void differences(const vgVerify *x, const vgSampled *a, const vgSampled *b, int c, double *out)
{
    double most = 0;
    for (int k = 0; k < x->nsample; k++) {
        most = fmax(most, between(x, a, b, k, c));
        out[k] = most;
    }
}

static double apart(const vgVerify *x, const vgSampled *a, const vgSampled *b, int c)
{
    double most = 0;
    for (int k = 0; k < x->nsample; k++) most = fmax(most, between(x, a, b, k, c));
    return most;
}

/* ---- sizes ---- */

static double typical(const vgVerify *x, const char *unit)
{
    const vgScales *s = &x->scale;
    const double g = vg_norm3(x->model->gravity), force = s->mass * fmax(g, s->acceleration),
                 energy = fmax(s->kinetic, s->potential);
    const struct {
        const char *unit;
        double size;
    } list[] = {{"m", s->length},
                {"rad", 1},
                {"m/s", s->speed},
                {"rad/s", s->omega},
                {"m/s^2", s->acceleration},
                {"rad/s^2", s->alpha},
                {"N", force},
                {"N*m", force * s->length},
                {"J", energy / SMALL}, /* their zero is anywhere */
                {"kg*m/s", s->mass * s->speed},
                {"kg*m^2/s", s->mass * s->speed * s->length}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (!strcmp(list[i].unit, unit)) return list[i].size;
    return 0;
}

static double largest(const vgVerify *x, int c)
{
    double most = 0;
    for (int k = 0; k < x->nsample; k++) {
        const double v = fabs(value(x, &x->self.rung[0], k, c));
        if (isfinite(v)) most = fmax(most, v);
    }
    return most;
}

/* The channel's own, a tenth of the other components of its vector, or a small part of what is typical. */
static void find_sizes(vgVerify *x)
{
    for (int c = 0; c < x->nchannel; c++) {
        vgVerifyChannel *ch = &x->out->channel[c];
        const char *dot = strrchr(ch->name, '.');
        ch->size = largest(x, c);
        if (dot && dot[1] && strchr("xyz", dot[1]) && !dot[2])
            for (int k = 0; k < x->nchannel; k++)
                if (strlen(x->names[k]) == strlen(ch->name) &&
                    !strncmp(x->names[k], ch->name, (size_t)(dot - ch->name) + 1))
                    ch->size = fmax(ch->size, 0.1 * largest(x, k));
        ch->size = fmax(ch->size, SMALL * typical(x, ch->unit));
        if (!(ch->size > 0)) ch->size = 1;
    }
}

/* ---- ladders ---- */

static void forget(vgLadderRuns *l)
{
    for (int i = 0; i < l->n; i++) free(l->rung[i].value);
    *l = (vgLadderRuns){0};
}

static const vgSampled *top(const vgLadderRuns *l)
{
    return &l->rung[l->n - 1];
}

/* Adds a rung; 0: it did not come to the end. */
static int add_rung(vgVerify *x, vgLadderRuns *l, const vgVerifyRun *what, double work, vgStatus *st)
{
    vgSampled *to = &l->rung[l->n];
    *st = vg_verify_sample(x, what, work, to);
    if (*st == VG_OK && x->out->run[to->index].status == VG_OK) {
        l->n++;
        return 1;
    }
    free(to->value);
    to->value = NULL;
    return 0;
}

/* Off by so much, from the last differences up to a time; `last2`: the one before, NaN none. */
static double doubt_of(double last, double last2, double promised)
{
    double ratio = promised;
    if (last2 >= 0 && last > 0 && last2 / last < ratio) ratio = last2 / last;
    return ratio > FALLS ? last / (ratio - 1) : 2 * last;
}

static double ladder_doubt(const vgVerify *x, const vgLadderRuns *l, int c)
{
    if (l->n < 2) return INFINITY;
    double last = apart(x, top(l), top(l) - 1, c),
           last2 = l->n > 2 ? apart(x, top(l) - 1, top(l) - 2, c) : NAN;
    return doubt_of(last, last2, l->ratio);
}

/* The reference is known better than what it is compared with, in every channel. */
static int tells(const vgVerify *x, const vgLadderRuns *l)
{
    if (l->n < 2) return 0;
    for (int c = 0; c < x->nchannel; c++) {
        const vgVerifyChannel *ch = &x->out->channel[c];
        if (ch->kind != VG_VERIFY_JUDGED) continue;
        double last = apart(x, top(l), top(l) - 1, c), d = apart(x, top(l), &x->self.rung[0], c);
        if (!(last <= TELLS * d || last <= EXACT * ch->size)) return 0;
    }
    return 1;
}

/* How good a ladder is: up to when it is known to two digits, and how well until then. */
static double known_until(const vgVerify *x, const vgLadderRuns *l, double *doubt)
{
    double until = x->o->end;
    *doubt = 0;
    for (int c = 0; c < x->nchannel; c++) {
        const vgVerifyChannel *ch = &x->out->channel[c];
        if (ch->kind != VG_VERIFY_JUDGED) continue;
        double most = 0;
        for (int k = 0; k < x->nsample && time_of(x, k) <= until; k++) {
            most = fmax(most, between(x, top(l), top(l) - 1, k, c));
            if (!(most <= TWO_DIGITS * ch->size)) until = time_of(x, k > 0 ? k - 1 : 0);
        }
        *doubt = fmax(*doubt, fmin(most / ch->size, TWO_DIGITS));
    }
    return until;
}

static int is_better(const vgVerify *x, const vgLadderRuns *a, const vgLadderRuns *b)
{
    double da, db;
    if (a->n < 2 || b->n < 2) return a->n > b->n;
    double ta = known_until(x, a, &da), tb = known_until(x, b, &db);
    return ta != tb ? ta > tb : da < db;
}

/* One kind of method, finer and finer, while that is needed and the budget lasts. 0: its dials do not suit;
 * 2: it came to the end of its ladder, and no other would know more. */
static int climb(vgVerify *x, int choice, vgVerifyRole role, vgLadderRuns *l)
{
    vgStatus st = VG_OK;
    for (int rung = 0; rung < VG_LADDER_RUNGS; rung++) {
        vgVerifyRun what = {.role = role};
        if (!vg_verify_setting(x, choice, rung, &what, &l->ratio)) return rung > 1 ? 2 : 0;
        /* what fixed steps cost is foreseen; under error control it is not known before */
        const double share = rung == 0 && !(what.step > 0) ? FIRST_SHARE * x->budget : INFINITY;
        if (!add_rung(x, l, &what, fmin(x->left, share), &st)) break;
        if (tells(x, l)) break;
    }
    return st == VG_OK || st == VG_LIMIT;
}

static void keep_better(const vgVerify *x, vgLadderRuns *best, vgLadderRuns *l)
{
    if (is_better(x, l, best)) {
        forget(best);
        *best = *l;
    } else {
        forget(l);
    }
}

/* From `first` on, the kinds of methods and the coordinates that suit; the best ladder, or the first that
 * tells. Returns the choice after the last one tried. */
static int find_reference(vgVerify *x, int first, vgVerifyRole role, vgLadderRuns *best)
{
    int choice = first;
    for (; choice < KINDS * PLACES; choice++) {
        vgLadderRuns l = {0};
        if (!(x->left > 0) || x->out->by_time || x->out->interrupted) break;
        int suits = climb(x, choice, role, &l), done = suits == 2 || tells(x, &l);
        keep_better(x, best, &l);
        if (done) return choice + 1;
        if (suits && choice % KINDS == KINDS - 1 && best->n > 1) break;
    }
    return choice;
}

static void climb_self(vgVerify *x)
{
    vgStatus st;
    x->self.ratio = x->adaptive ? 4 : exp2(fmin(fmax(x->order, 1), 4));
    for (int rung = 1; rung <= FINER; rung++) {
        vgVerifyRun what = {.role = VG_VERIFY_FINER};
        vg_verify_finer(x, rung, &what);
        if (!add_rung(x, &x->self, &what, x->left, &st)) break;
    }
}

/* ---- claims ---- */

/* Largest differences up to each sample. */
typedef struct Curves {
    double *run, *last, *last2;            /* |B − R|, of the reference's ladder */
    double *fine, *fine_last, *fine_last2; /* |B − Bₙ|, of the run's own */
    double *gap;                           /* |Bₙ − R| */
    int have, have2, own, own2;
    double ratio, own_ratio;
} Curves;

static void draw(const vgVerify *x, const vgLadderRuns *ref, int c, Curves *v)
{
    const vgSampled *run = &x->self.rung[0];
    v->have = ref->n > 1, v->have2 = ref->n > 2, v->own = x->self.n > 1, v->own2 = x->self.n > 2;
    v->ratio = ref->ratio, v->own_ratio = x->self.ratio;
    if (ref->n > 0) differences(x, run, top(ref), c, v->run);
    if (v->have) differences(x, top(ref), top(ref) - 1, c, v->last);
    if (v->have2) differences(x, top(ref) - 1, top(ref) - 2, c, v->last2);
    if (v->own) differences(x, run, top(&x->self), c, v->fine);
    if (v->own) differences(x, top(&x->self), top(&x->self) - 1, c, v->fine_last);
    if (v->own2) differences(x, top(&x->self) - 1, top(&x->self) - 2, c, v->fine_last2);
    if (v->own && ref->n > 0) differences(x, top(&x->self), top(ref), c, v->gap);
}

static double other_doubt(const Curves *v, int k)
{
    return v->have ? doubt_of(v->last[k], v->have2 ? v->last2[k] : NAN, v->ratio) : INFINITY;
}

static double own_doubt(const Curves *v, int k)
{
    return v->own ? doubt_of(v->fine_last[k], v->own2 ? v->fine_last2[k] : NAN, v->own_ratio) : INFINITY;
}

static double claim(const vgVerify *x, const vgLadderRuns *ref, const Curves *v, int k, double *doubt)
{
    const double own = own_doubt(v, k), self = v->own ? v->fine[k] + own : INFINITY;
    (void)x;
    if (ref->n == 0) {
        *doubt = own;
        return self;
    }
    const double u = other_doubt(v, k), d = v->run[k];
    *doubt = u;
    if (u <= CLEAR * d) return d;
    if (v->own && own < u && (!isfinite(u) ? v->gap[k] <= APART * own : v->gap[k] <= 3 * (u + own))) {
        *doubt = own;
        return self;
    }
    return isfinite(u) ? fmax(d, u) : fmax(d, self);
}

static double digits_of(double error, double size)
{
    double digits = -log10(fmax(error / size, EXACT));
    return isfinite(digits) ? fmax(digits, 0) : 0;
}

static void judge(vgVerify *x, const vgLadderRuns *ref, int c, double *room)
{
    vgVerifyChannel *ch = &x->out->channel[c];
    const size_t n = (size_t)x->nsample;
    const int end = x->nsample - 1;
    Curves v = {
        room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, room + 5 * n, room + 6 * n, 0, 0, 0, 0,
        0,    0};
    draw(x, ref, c, &v);
    ch->error = fmax(claim(x, ref, &v, end, &ch->doubt), EXACT * ch->size);
    ch->other = ref->n > 0 ? v.run[end] : NAN;
    ch->digits = digits_of(ch->error, ch->size);
    ch->order = NAN;
    if (v.own2 && !x->adaptive && v.fine_last[end] > EXACT * ch->size)
        ch->order = log2(v.fine_last2[end] / v.fine_last[end]);
    ch->until = 0;
    ch->at = NAN;
    for (int k = 0; k < x->nsample; k++) {
        double doubt, e = claim(x, ref, &v, k, &doubt);
        if (e <= TWO_DIGITS * ch->size) ch->until = k == x->nsample - 1 ? x->o->end : time_of(x, k);
        if (isnan(ch->at) && e >= ch->error) ch->at = time_of(x, k);
        for (int j = 0; j < VG_VERIFY_TIMES; j++)
            if (time_of(x, k) <= x->o->end * (j + 1) / VG_VERIFY_TIMES + EXACT * x->o->end)
                ch->over[j] = digits_of(e, ch->size);
    }
}

/* Time in which the difference of two references grows tenfold, where it grows by four decades or more. */
static double tenfold(const vgVerify *x, const vgLadderRuns *ref, double *room)
{
    double slow = 0;
    for (int c = 0; c < x->nchannel && ref->n > 1; c++) {
        const vgVerifyChannel *ch = &x->out->channel[c];
        if (ch->kind != VG_VERIFY_JUDGED) continue;
        int a = -1, b = -1;
        differences(x, top(ref), top(ref) - 1, c, room);
        for (int k = x->nsample / 10; k < x->nsample; k++) {
            if (a < 0 && room[k] > EXACT * ch->size) a = k;
            if (b < 0 && room[k] > TWO_DIGITS * ch->size) b = k;
        }
        if (a < 0) continue;
        if (b < 0) b = x->nsample - 1;
        double decades = log10(room[b] / room[a]), span = time_of(x, b) - time_of(x, a);
        if (decades > 4 && span > 0 && (!(slow > 0) || span / decades < slow)) slow = span / decades;
    }
    return slow;
}

/* ---- who is to blame ---- */

/* Both ladders settle, but on different values. */
static int disagree(const vgVerify *x)
{
    for (int c = 0; c < x->nchannel; c++) {
        const vgVerifyChannel *ch = &x->out->channel[c];
        if (ch->kind != VG_VERIFY_JUDGED || x->self.n < 3 || x->other.n < 2) continue;
        double gap = apart(x, top(&x->self), top(&x->other), c),
               both = ladder_doubt(x, &x->self, c) + ladder_doubt(x, &x->other, c);
        if (gap > APART * both && gap > TWO_DIGITS * ch->size) return 1;
    }
    return 0;
}

/* Of two answers, the one that the third is nearer to: 1 that of the run's finer steps, 2 the independent. */
static int nearer_to(const vgVerify *x)
{
    double to_self = 0, to_other = 0;
    for (int c = 0; c < x->nchannel; c++) {
        const vgVerifyChannel *ch = &x->out->channel[c];
        if (ch->kind != VG_VERIFY_JUDGED) continue;
        to_self = fmax(to_self, apart(x, top(&x->arbiter), top(&x->self), c) / ch->size);
        to_other = fmax(to_other, apart(x, top(&x->arbiter), top(&x->other), c) / ch->size);
    }
    return to_self < to_other ? 1 : 2;
}

static void settle_dispute(vgVerify *x, int next)
{
    if (!disagree(x)) return;
    /* other coordinates than both, where there are */
    if (next < KINDS) next = KINDS;
    find_reference(x, next, VG_VERIFY_ARBITER, &x->arbiter);
    if (x->arbiter.n == 0) return;
    x->out->blame = nearer_to(x) == 1 ? 2 : 1;
    if (x->out->blame == 2) {
        forget(&x->other);
        x->other = x->arbiter;
        x->arbiter = (vgLadderRuns){0};
    }
}

/* ---- all of it ---- */

static void conclude(vgVerify *x)
{
    vgCertificate *out = x->out;
    out->digits = -log10(EXACT);
    out->worst = -1;
    out->until = out->end;
    for (int c = 0; c < x->nchannel; c++) {
        const vgVerifyChannel *ch = &out->channel[c];
        if (ch->kind != VG_VERIFY_JUDGED) continue;
        if (out->worst < 0 || ch->digits < out->digits) out->digits = ch->digits, out->worst = c;
        out->until = fmin(out->until, ch->until);
    }
    const vgVerifyChannel *w = out->worst >= 0 ? &out->channel[out->worst] : NULL;
    out->verdict = x->other.n == 0 && out->digits >= 1 ? VG_NOT_VERIFIED
                   : out->digits >= 1                  ? VG_TRUSTED
                   : out->until >= SOON * out->end     ? VG_TRUSTED_UNTIL
                                                       : VG_NOT_TRUSTED;
    if (w && w->error < 0.5 * w->size && out->digits < 3) {
        if (x->adaptive)
            out->remedy = x->rtol * THREE_DIGITS * w->size / w->error;
        else if (w->order > FALLS - 1)
            out->remedy = x->o->step * pow(THREE_DIGITS * w->size / w->error, 1 / w->order);
    }
    vg_verify_words(x);
}

static vgStatus run_all(vgVerify *x, vgDiag *diag)
{
    vgCertificate *out = x->out;
    vgStatus st;
    vgVerifyRun self = {.role = VG_VERIFY_SELF};
    int done = add_rung(x, &x->self, &self, INFINITY, &st);
    if (st != VG_OK) return st;
    x->own_work = out->run[0].work;
    if (!done) {
        out->verdict = VG_NOT_TRUSTED;
        snprintf(out->why, sizeof out->why, "the run stopped: %s", out->run[0].why);
        vg_verify_words(x);
        return VG_OK;
    }
    x->budget = fmax((x->o->budget > 0 ? x->o->budget : VG_VERIFY_BUDGET) * x->own_work,
                     LEAST_WORK / (x->nv > 0 ? x->nv : 1));
    x->left = x->budget;
    find_sizes(x);
    st = vg_verify_mark(x, diag);
    if (st != VG_OK) return st;
    climb_self(x);
    int next = find_reference(x, 0, VG_VERIFY_OTHER, &x->other);
    settle_dispute(x, next);
    double *room = malloc(7 * (size_t)x->nsample * sizeof *room);
    if (!room) return VG_NO_MEMORY;
    for (int c = 0; c < x->nchannel; c++)
        if (out->channel[c].kind == VG_VERIFY_JUDGED) judge(x, &x->other, c, room);
    out->reference = x->other.n ? top(&x->other)->index : -1;
    out->grows = tenfold(x, &x->other, room);
    out->adaptive = x->adaptive;
    free(room);
    conclude(x);
    return VG_OK;
}

static vgStatus name_channels(vgVerify *x, vgDiag *diag)
{
    vgSystem *sys = NULL;
    vgChannels *channels = NULL;
    vgStatus st = vg_system_new(x->model, NULL, NULL, diag, &sys);
    if (st == VG_OK) st = vg_channels_new(sys, x->names, x->nchannel, diag, &channels);
    for (int c = 0; st == VG_OK && c < x->nchannel; c++) {
        vgVerifyChannel *ch = &x->out->channel[c];
        ch->name = strdup(x->names[c]);
        ch->unit = "";
        ch->error = ch->digits = ch->order = ch->other = NAN;
        if (!ch->name) st = VG_NO_MEMORY;
        snprintf(ch->unit_text, sizeof ch->unit_text, "%s", vg_channels_unit(channels, c));
        ch->unit = ch->unit_text;
    }
    vg_channels_free(channels);
    vg_system_free(sys);
    return st;
}

vgStatus vg_verify(const vgModel *model, const char *const *names, int n, const vgVerifyOptions *o,
                   vgDiag *diag, vgCertificate *out)
{
    vgVerify x = {
        .model = model, .names = names, .o = o, .out = out, .nchannel = n, .begin = vg_os_thread_seconds()};
    *out = (vgCertificate){.end = o->end, .nchannel = n, .worst = -1, .reference = -1};
    x.seconds = o->seconds > 0 ? o->seconds : VG_VERIFY_SECONDS;
    out->channel = calloc((size_t)n + 1, sizeof *out->channel);
    vgStatus st = out->channel ? name_channels(&x, diag) : VG_NO_MEMORY;
    choose_samples(&x);
    out->nsample = x.nsample;
    if (st == VG_OK) st = run_all(&x, diag);
    if (x.starved) st = VG_NO_MEMORY;
    forget(&x.self);
    forget(&x.other);
    forget(&x.arbiter);
    if (st != VG_OK) vg_certificate_free(out);
    return st;
}

void vg_certificate_free(vgCertificate *c)
{
    for (int i = 0; c->channel && i < c->nchannel; i++) free(c->channel[i].name);
    free(c->channel);
    c->channel = NULL;
    c->nchannel = 0;
}

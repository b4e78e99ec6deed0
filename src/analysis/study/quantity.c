#include "analysis/study/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "element/law/expr.h"

enum { MOST_CALLS = VG_EXPR_MAX_INPUTS, NAME_ROOM = 200 };

typedef enum Kind { FINAL, INITIAL, MAX, MIN, MEAN, RMS, CROSSING, KINDS } Kind;
static const char *const kind_name[KINDS] = {"final", "initial", "max", "min", "mean", "rms", "crossing"};

typedef struct Call { /* max(joint.pin.angle) */
    Kind kind;
    int channel;
    double level;
} Call;

struct vgQuantities {
    int n, ncall, need_steps;
    char **text;
    vgExpr **expr; /* input k + 1 is call k */
    Call call[MOST_CALLS];
    vgNames *channel;
};

/* ---- reading ---- */

typedef struct Reader {
    vgQuantities *q;
    vgDiag *diag;
    const char *text; /* the whole quantity, for messages */
} Reader;

static vgStatus wrong(const Reader *r, const char *what)
{
    vg_diag_error(r->diag, VG_NOWHERE, "quantity '%s': %s", r->text, what);
    return VG_BAD_INPUT;
}

/* "NAME (" at p with a name of the list; *open: behind the bracket. */
static int call_at(const char *p, Kind *kind, const char **open)
{
    for (int k = 0; k < KINDS; k++) {
        size_t n = strlen(kind_name[k]);
        if (strncmp(p, kind_name[k], n) != 0) continue;
        const char *after = p + n;
        while (*after == ' ') after++;
        if (*after != '(') continue;
        *kind = (Kind)k;
        *open = after + 1;
        return 1;
    }
    return 0;
}

static int is_name(int c)
{
    return isalnum(c) || c == '.' || c == '_' || c == '-';
}

/* Reads "CHANNEL)" or "CHANNEL, number)"; 0: it is something else, as in max(a, b), whose brackets hold an expression.
 * *end: behind the bracket. */
static int read_argument(const char *p, Kind kind, char *name, double *level, const char **end)
{
    size_t n = 0;
    while (*p == ' ') p++;
    while (is_name((unsigned char)p[n])) n++;
    if (n == 0 || n >= NAME_ROOM || !isalpha((unsigned char)p[0])) return 0;
    memcpy(name, p, n);
    name[n] = 0;
    p += n;
    while (*p == ' ') p++;
    *level = 0;
    if (kind == CROSSING) {
        char *after;
        if (*p != ',') return 0;
        *level = strtod(p + 1, &after);
        if (after == p + 1 || !isfinite(*level)) return 0;
        p = after;
        while (*p == ' ') p++;
    }
    if (*p != ')') return 0;
    *end = p + 1;
    return 1;
}

static vgStatus note_call(Reader *r, Kind kind, const char *name, double level, int *index)
{
    vgQuantities *q = r->q;
    int channel;
    vgStatus status = vg_names_add(q->channel, name, &channel, NULL);
    if (status != VG_OK) return status;
    for (*index = 0; *index < q->ncall; ++*index) {
        const Call *c = &q->call[*index];
        if (c->kind == kind && c->channel == channel && c->level == level) return VG_OK;
    }
    if (q->ncall == MOST_CALLS) return wrong(r, "too many different values of channels in one study");
    q->call[q->ncall++] = (Call){kind, channel, level};
    q->need_steps |= kind != FINAL && kind != INITIAL;
    return VG_OK;
}

/* The text with every call replaced by "value.K". */
static vgStatus replace_calls(Reader *r, vgText *out)
{
    vgStatus status = VG_OK;
    for (const char *p = r->text; *p && status == VG_OK;) {
        Kind kind;
        const char *open, *end;
        char name[NAME_ROOM];
        double level;
        int index = 0, begins = p == r->text || !is_name((unsigned char)p[-1]);
        if (begins && call_at(p, &kind, &open) && read_argument(open, kind, name, &level, &end)) {
            status = note_call(r, kind, name, level, &index);
            vg_text_add(out, "value.%d", index);
            p = end;
        } else if (begins && call_at(p, &kind, &open) && kind != MAX && kind != MIN) {
            status = wrong(r, kind == CROSSING
                                  ? "crossing needs a channel and a number: crossing(energy.kinetic, 2)"
                                  : "the brackets need the name of one channel");
        } else {
            vg_text_put(out, p++, 1);
        }
    }
    return status == VG_OK && !vg_text_ok(out) ? VG_NO_MEMORY : status;
}

static int find_input(void *user, const char *dotted, int *slot)
{
    const vgQuantities *q = user;
    int k, used = 0;
    if (sscanf(dotted, "value.%d%n", &k, &used) != 1 || dotted[used] || k < 0 || k >= q->ncall) return 0;
    *slot = k + 1;
    return 1;
}

static const char *advise(void *user, const char *name)
{
    (void)user, (void)name;
    return "write final(CHANNEL), max(CHANNEL), min, mean, rms, initial or crossing(CHANNEL, level)";
}

static vgStatus read_one(vgQuantities *q, int i, const char *text, vgDiag *diag)
{
    Reader r = {q, diag, text};
    vgText replaced = {0};
    vgStatus status = replace_calls(&r, &replaced);
    int errors = vg_diag_errors(diag);
    vgExprScope scope = {.user = q, .input = find_input, .diag = diag, .loc = VG_NOWHERE, .advice = advise};
    if (status == VG_OK) {
        q->expr[i] = vg_expr_compile(vg_text_at(&replaced), &scope);
        status = q->expr[i] ? VG_OK : vg_diag_errors(diag) > errors ? VG_BAD_INPUT : VG_NO_MEMORY;
        for (int k = 0; q->expr[i] && k < vg_expr_ninputs(q->expr[i]); k++)
            if (vg_expr_input(q->expr[i], k) == 0)
                status = wrong(&r, "t has no meaning here; use final(time)");
    }
    vg_text_free(&replaced);
    if (status != VG_OK) return status;
    q->text[i] = malloc(strlen(text) + 1);
    if (!q->text[i]) return VG_NO_MEMORY;
    memcpy(q->text[i], text, strlen(text) + 1);
    return VG_OK;
}

vgStatus vg_quantities_new(const char *const *text, int n, vgDiag *diag, vgQuantities **out)
{
    vgQuantities *q = calloc(1, sizeof *q);
    *out = q;
    if (!q) return VG_NO_MEMORY;
    q->text = calloc((size_t)n + 1, sizeof *q->text);
    q->expr = calloc((size_t)n + 1, sizeof(vgExpr *));
    q->channel = vg_names_new();
    vgStatus status = q->text && q->expr && q->channel ? VG_OK : VG_NO_MEMORY;
    if (status == VG_OK) q->n = n;
    for (int i = 0; i < n && status == VG_OK; i++) status = read_one(q, i, text[i], diag);
    if (status == VG_OK) return VG_OK;
    vg_quantities_free(q);
    *out = NULL;
    return status;
}

void vg_quantities_free(vgQuantities *q)
{
    if (!q) return;
    for (int i = 0; i < q->n; i++) {
        free(q->text[i]);
        vg_expr_free(q->expr[i]);
    }
    free(q->text);
    free(q->expr);
    vg_names_free(q->channel);
    free(q);
}

int vg_quantities_count(const vgQuantities *q)
{
    return q->n;
}

const char *vg_quantities_text(const vgQuantities *q, int i)
{
    return q->text[i];
}

int vg_quantities_need_steps(const vgQuantities *q)
{
    return q->need_steps;
}

/* ---- one run ---- */

struct vgTally {
    const vgQuantities *q;
    vgChannels *channels;
    long rows;
    double t0, t, last;           /* of the first row, of this one; from the row before last to the last */
    double *row, *before, *older; /* the channels now, one and two rows ago */
    double *first, *most, *least, *area, *square;
    double passed[MOST_CALLS]; /* crossing: its time, NaN before */
};

vgStatus vg_tally_new(const vgQuantities *q, const vgSystem *sys, vgDiag *diag, vgTally **out)
{
    int n = vg_names_count(q->channel);
    vgTally *y = calloc(1, sizeof *y);
    double *block = calloc(8 * (size_t)n + 1, sizeof *block);
    vgStatus status =
        y && block ? vg_channels_new(sys, vg_names_list(q->channel), n, diag, &y->channels) : VG_NO_MEMORY;
    if (status == VG_OK &&
        vg_channels_count(y->channels) != n) { /* patterns and vectors have no single value */
        vg_diag_error(diag, VG_NOWHERE, "quantities need single channels, such as joint.pin.force.x");
        status = VG_BAD_INPUT;
    }
    *out = status == VG_OK ? y : NULL;
    if (status != VG_OK) {
        if (y) vg_channels_free(y->channels);
        free(block);
        free(y);
        return status;
    }
    double **part[] = {&y->row, &y->before, &y->older, &y->first, &y->most, &y->least, &y->area, &y->square};
    for (int i = 0; i < 8; i++) *part[i] = block + (size_t)i * (size_t)n;
    y->q = q;
    for (int k = 0; k < q->ncall; k++) y->passed[k] = NAN;
    return VG_OK;
}

void vg_tally_free(vgTally *y)
{
    if (!y) return;
    vg_channels_free(y->channels);
    free(y->row);
    free(y);
}

vgChannels *vg_tally_channels(vgTally *y)
{
    return y->channels;
}

/* Where a curve from a to b, of opposite sign and dt apart, is 0, counted from a: of the parabola through `older`, too,
 * which lies `last` before a (0: there is none). A straight line would be off by h², whose derivative with respect to a
 * parameter is off by h. */
static double zero_of(double older, double last, double a, double b, double dt)
{
    if (!(dt > 0)) return 0;
    double slope = (b - a) / dt, bend = last > 0 ? (slope - (a - older) / last) / (dt + last) : 0,
           p = slope - dt * bend;
    double root = sqrt(fmax(p * p - 4 * bend * a, 0)), half = -0.5 * (p + copysign(root, p));
    double first = half != 0 ? a / half : 0, second = bend != 0 ? half / bend : first;
    double s = first >= 0 && first <= dt ? first : second; /* one of them is between */
    return fmin(fmax(s, 0), dt);
}

/* From the last row to this one, dt apart. */
static void add_part(vgTally *y, double dt)
{
    for (int c = 0; c < vg_channels_count(y->channels); c++) {
        double a = y->before[c], b = y->row[c];
        y->area[c] += 0.5 * dt * (a + b);
        y->square[c] += dt * (a * a + a * b + b * b) / 3; /* of the straight line between */
        y->most[c] = fmax(y->most[c], b);
        y->least[c] = fmin(y->least[c], b);
    }
    for (int k = 0; k < y->q->ncall; k++) {
        const Call *c = &y->q->call[k];
        if (c->kind != CROSSING || !isnan(y->passed[k])) continue;
        double a = y->before[c->channel] - c->level, b = y->row[c->channel] - c->level;
        if (b == 0) y->passed[k] = y->t;
        if ((a < 0) != (b < 0) && b != 0)
            y->passed[k] = y->t - dt + zero_of(y->older[c->channel] - c->level, y->last, a, b, dt);
    }
}

void vg_tally_row(vgTally *y, vgWork *work, const vgState *state)
{
    size_t bytes = (size_t)vg_channels_count(y->channels) * sizeof(double);
    memcpy(y->older, y->before, bytes);
    memcpy(y->before, y->row, bytes);
    vg_channels_eval(y->channels, work, state, y->row);
    double dt = state->t - y->t;
    y->t = state->t;
    if (y->rows++ > 0) {
        add_part(y, dt);
        y->last = dt;
        return;
    }
    y->t0 = state->t;
    memcpy(y->first, y->row, bytes);
    memcpy(y->most, y->row, bytes);
    memcpy(y->least, y->row, bytes);
}

static double value_of(const vgTally *y, int k)
{
    const Call *c = &y->q->call[k];
    double span = y->t - y->t0;
    switch (c->kind) {
    case FINAL:
        return y->row[c->channel];
    case INITIAL:
        return y->first[c->channel];
    case MAX:
        return y->most[c->channel];
    case MIN:
        return y->least[c->channel];
    case MEAN:
        return y->area[c->channel] / span;
    case RMS:
        return sqrt(y->square[c->channel] / span);
    case CROSSING:
        return y->passed[k];
    default:
        return NAN;
    }
}

void vg_tally_values(const vgTally *y, double *out)
{
    for (int i = 0; i < y->q->n; i++) {
        const vgExpr *e = y->q->expr[i];
        double in[VG_EXPR_MAX_INPUTS];
        for (int k = 0; k < vg_expr_ninputs(e); k++) in[k] = value_of(y, vg_expr_input(e, k) - 1);
        out[i] = vg_expr_value(e, in);
    }
}

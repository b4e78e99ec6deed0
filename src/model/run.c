/* `run:` and `record:`. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/read/reader.h"

typedef struct runSpec {
    vgNode *coordinates, *constraints, *integrator, *output;
    const char *events;
    double step, end;
    const char *start;
    int verify;
    int plain;
} runSpec;

static const vgField run_fields[] = {
    {"coordinates", VG_FIELD_MAP, offsetof(runSpec, coordinates), "", "", 0, 0,
     "Where everything is; `verge list coordinates`. Options: {name: {key: value}}."},
    {"constraints", VG_FIELD_MAP, offsetof(runSpec, constraints), "", "", 0, 0,
     "How joints are enforced; `verge list constraints`."},
    {"integrator", VG_FIELD_MAP, offsetof(runSpec, integrator), "", "", 0, 0,
     "The method; `verge list integrators`. With parameters: {generalized-alpha: {rho: 0.9}}."},
    {"step", VG_FIELD_NUMBER, offsetof(runSpec, step), "s", "", DBL_MIN, INFINITY,
     "Step size; adaptive methods begin with it."},
    {"end", VG_FIELD_NUMBER, offsetof(runSpec, end), "s", "", DBL_MIN, INFINITY,
     "Time at which the run ends; it begins at 0."},
    {"events", VG_FIELD_NAME, offsetof(runSpec, events), "", "", 0, 0,
     "locate: contacts that begin or end, corners of roads, laws and tables that switch with the motion are "
     "met exactly, and the method restarts there. pass: steps pass over them. Without the key contacts are "
     "located under error control (rtol) by methods whose stages lie before the end of a step (sdirk, "
     "midpoint, energy-momentum), and nothing else."},
    {"start", VG_FIELD_NAME, offsetof(runSpec, start), "", "given", 0, 0,
     "given: from the positions of the bodies; equilibrium: from the static equilibrium found from there, "
     "with the velocities of the bodies."},
    {"plain", VG_FIELD_BOOL, offsetof(runSpec, plain), "", "false", 0, 0,
     "true: every number by the general code, none by a fast path made for models like this one. Slower, the "
     "same results to rounding: for the suspicion that a fast path is wrong."},
    {"output", VG_FIELD_MAP, offsetof(runSpec, output), "", "", 0, 0,
     "{every: n}: each n-th step is recorded; {interval: s}: at equal times. One number: the interval."},
    {"verify", VG_FIELD_BOOL, offsetof(runSpec, verify), "", "false", 0, 0,
     "true: the run comes with a certificate of how many digits hold, as `verge run --verify` makes it."},
};
const vgFormatTable vg_format_run = {
    "Run", "Defaults of `verge run`; its options win.",
    "run: {integrator: {generalized-alpha: {rho: 0.9}}, step: 1e-3, end: 2, output: {interval: 0.01}}",
    run_fields, sizeof run_fields / sizeof *run_fields};

/* A setting's value: a word of its own, or a number. */
static const char *setting_text(vgReader *r, vgNode *node)
{
    double value;
    if (node->kind == VG_NODE_SCALAR && node->text[0]) {
        const char *p = node->text;
        while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '-' || *p == '_' ||
               (p > node->text && *p >= '0' && *p <= '9'))
            p++;
        if (*p == 0 && node->text[0] != '-' && vg_read_param(r, node->text, &value) == 0) return node->text;
    }
    if (!vg_read_number(r, node, &value)) return NULL;
    if (node->text[strspn(node->text, "+-.0123456789eE")] == 0) return node->text; /* as the user wrote it */
    return vg_pool_printf(r->scratch, "%.17g", value);
}

/* name, or {name: {key: value, …}} → "name:key=value,…" */
static const char *method(vgReader *r, vgNode *node, const char *what)
{
    if (!node) return NULL;
    if (node->kind == VG_NODE_SCALAR && node->text[0]) return vg_read_keep(r, node->text);
    if (node->kind != VG_NODE_MAP || node->n != 1) {
        vg_diag_error(r->diag, node->loc, "expected the name of the %s, or {name: {key: value}}", what);
        return NULL;
    }
    const char *out = node->pair[0].key->text;
    vgNode *options = node->pair[0].value;
    if (!out) return NULL;
    if (options->kind == VG_NODE_SCALAR && !options->text[0]) return vg_read_keep(r, out);
    if (!vg_read_map(r, options, "the options of a method")) return NULL;
    if (options->n > 64) {
        vg_diag_error(r->diag, options->loc, "too many options");
        return NULL;
    }
    for (int i = 0; i < options->n && out; i++) {
        const char *value = setting_text(r, options->pair[i].value);
        if (!value || !options->pair[i].key->text) return NULL;
        out = vg_pool_printf(r->scratch, "%s%s%s=%s", out, i ? "," : ":", options->pair[i].key->text, value);
    }
    return out ? vg_read_keep(r, out) : NULL;
}

static void read_output(vgReader *r, vgNode *node, vgRunOptions *run)
{
    typedef struct outputSpec {
        int every;
        double interval;
    } outputSpec;
    static const vgField fields[] = {
        {"every", VG_FIELD_INT, offsetof(outputSpec, every), "", "0", 0, 1e9, ""},
        {"interval", VG_FIELD_NUMBER, offsetof(outputSpec, interval), "s", "0", 0, INFINITY, ""},
    };
    outputSpec s = {0};
    if (node->kind == VG_NODE_SCALAR) {
        if (vg_read_number(r, node, &s.interval) && !(s.interval > 0)) {
            vg_diag_error(r->diag, node->loc, "the output interval must be positive, got %g s", s.interval);
        }
    } else if (vg_read_fields(r, node, fields, 2, &s, NULL, "output") && s.every > 0 && s.interval > 0) {
        vg_diag_error(r->diag, node->loc, "give every or interval, not both");
    }
    run->output_every = s.every;
    run->output_interval = s.interval;
}

static void read_record(vgReader *r)
{
    int total = 0;
    for (int f = 0; f < r->nfile; f++) {
        const vgNode *node = vg_node_get(r->file[f], "record");
        if (node) total += node->kind == VG_NODE_LIST ? node->n : 1;
    }
    const char **record = vg_read_take(r, (size_t)total * sizeof *record);
    vgLoc *at = vg_read_take(r, (size_t)total * sizeof *at);
    if (!record || !at) return;
    for (int f = 0; f < r->nfile; f++) {
        vgNode *node = vg_node_get(r->file[f], "record");
        int n = !node ? 0 : node->kind == VG_NODE_LIST ? node->n : 1;
        for (int i = 0; i < n && !vg_read_stopped(r); i++) {
            vgNode *item = node->kind == VG_NODE_LIST ? node->item[i] : node;
            if (item->kind == VG_NODE_SCALAR && item->text[0]) {
                const char *text;
                if (!vg_read_count(r, item->loc) || !vg_read_text(r, item, &text)) continue;
                at[r->m->nrecord] = item->loc;
                record[r->m->nrecord++] = vg_read_keep(r, text);
            } else {
                vg_diag_error(r->diag, item->loc, "expected a channel, e.g. joint.O.angle, got %s",
                              vg_node_kind_text(item));
            }
        }
    }
    r->m->record = record;
    r->m->record_at = at;
}

void vg_read_run(vgReader *r)
{
    vgRunOptions *run = &r->m->run;
    runSpec s = {.step = NAN, .end = NAN};
    read_record(r);
    vgNode *node = vg_node_get(r->file[0], "run");
    if (!node) return;
    run->loc = node->loc;
    if (!vg_read_fields(r, node, run_fields, sizeof run_fields / sizeof *run_fields, &s, NULL, "run")) return;
    run->coordinates = method(r, s.coordinates, "coordinates");
    run->constraints = method(r, s.constraints, "constraints");
    run->integrator = run->own_integrator = method(r, s.integrator, "integrator");
    run->step = isnan(s.step) ? 0 : s.step;
    run->end = isnan(s.end) ? 0 : s.end;
    if (s.events && strcmp(s.events, "locate") && strcmp(s.events, "pass"))
        vg_diag_error(r->diag, vg_node_get(node, "events")->loc, "events: expected locate or pass, got '%s'",
                      s.events);
    run->locate_events = !s.events ? 0 : strcmp(s.events, "locate") == 0 ? 1 : -1;
    run->verify = s.verify;
    run->plain = s.plain;
    run->equilibrium = strcmp(s.start, "equilibrium") == 0;
    if (!run->equilibrium && strcmp(s.start, "given") != 0) {
        static const char *const words[] = {"given", "equilibrium"};
        vg_diag_error(r->diag, vg_node_get(node, "start")->loc,
                      "unknown start '%s', expected given or equilibrium%s", s.start,
                      vg_read_hint(r, s.start, words, 2));
    }
    if (s.output) read_output(r, s.output, run);
}

/* Every number with a documented range works at both ends of it, or is refused in words, and is refused with its
 * place beyond them: fields of joints, forces, bodies, flexible bodies and meshes, parameters of integrators,
 * options of constraint settings, looped over the tables. Nothing may crash; the sanitizers look on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "model/example_model.h"
#include "model/read/reader.h"
#include "test.h"

enum { STEPS = 2 };
static const double STEP = 1e-4;

static int tried, loaded, ran; /* numbers at an end; models that load; runs that come to their end */

/* ---- setting a key of an entry `name: {key: value, …}` ---- */

/* The end of the value that begins at p: a comma or bracket that is not its own. */
static const char *value_end(const char *p)
{
    int depth = 0, quoted = 0;
    for (; *p; p++) {
        if (*p == '"') quoted = !quoted;
        if (quoted) continue;
        if (depth == 0 && (*p == ',' || *p == '}')) return p;
        depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
    }
    return p;
}

/* The entry with key: value instead of what it had for the key, or beside it. */
static void set_key(const char *entry, const char *key, const char *value, char *out, size_t size)
{
    const char *map = strchr(entry, '{'), *p = map + 1;
    int n = snprintf(out, size, "%.*s", (int)(p - entry), entry);
    for (int first = 1; *p && *p != '}'; first = 0) {
        while (*p == ' ' || *p == ',') p++;
        const char *colon = strchr(p, ':'), *end = value_end(colon + 1);
        size_t length = (size_t)(colon - p);
        if (length != strlen(key) || strncmp(p, key, length) != 0)
            n += snprintf(out + n, size - (size_t)n, "%s%.*s", first ? "" : ", ", (int)(end - p), p);
        else if (first)
            n += snprintf(out + n, size - (size_t)n, "if: true");
        p = end;
    }
    snprintf(out + n, size - (size_t)n, ", %s: %s}", key, value);
}

/* ---- loading and running ---- */

static int has_place(const vgDiag *diag)
{
    for (int i = 0; i < vg_diag_count(diag); i++) {
        const char *line = vg_diag_line(diag, i), *error = strstr(line, ": error: ");
        if (error && error > line && error[-1] >= '0' && error[-1] <= '9') return 1;
    }
    return 0;
}

static void run_a_little(const vgModel *m, const vgDials *dials, const char *what)
{
    vgSimulation sim;
    vgDiag *diag = vg_diag_new();
    vgStatus st = vg_simulation_open(m, dials, diag, &sim);
    if (st != VG_OK) {
        CHECK_STR(vg_diag_count(diag) > 0 ? "in words" : what, "in words");
        vg_diag_free(diag);
        return;
    }
    vgTransientOptions o = {.step = STEP, .end = STEPS * STEP};
    vgTransientResult r;
    st = vg_transient_run(sim.it, sim.state, &o, NULL, &r);
    ran += st == VG_OK;
    if (st != VG_OK) CHECK_STR(r.failure.text[0] ? "in words" : what, "in words");
    vg_simulation_close(&sim);
    vg_diag_free(diag);
}

/* Models with a number within its range: they load and run, or are refused in words. */
static void within(const char *model, const char *what)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(model, strlen(model), "range", NULL, 0, diag);
    tried++;
    loaded += m != NULL;
    if (!m) CHECK_STR(vg_diag_errors(diag) > 0 ? "in words" : what, "in words");
    if (m) run_a_little(m, &(vgDials){0}, what);
    vg_model_free(m);
    vg_diag_free(diag);
}

static void beyond(const char *model, const char *what)
{
    vgDiag *diag = vg_diag_new();
    vgModel *m = vg_model_parse(model, strlen(model), "range", NULL, 0, diag);
    CHECK_STR(m == NULL ? "refused" : what, "refused");
    CHECK_STR(has_place(diag) ? "with a place" : what, "with a place");
    vg_model_free(m);
    vg_diag_free(diag);
}

static double below(double x)
{
    return x - fmax(1, 0.5 * fabs(x));
}

/* ---- field tables ---- */

/* A section's entry in a model of its own; more: what the model needs beside it. text: a model for it, with its place. */
typedef struct Around {
    const char *section, *kind, *entry, *more;
    vgHead head;
    const vgField *fields;
    int nfield;
    const char *text;
} Around;

static void write_model(const Around *a, const char *entry, char *out, size_t size)
{
    static around x;
    if (a->text) {
        snprintf(out, size, a->text, entry);
        return;
    }
    memset(&x, 0, sizeof x);
    vgPool *pool = vg_pool_new(0);
    vgDiag *diag = vg_diag_new();
    vgNode *root = vg_spec_parse(pool, entry, strlen(entry), 0, diag);
    const vgNode *map = root && root->kind == VG_NODE_MAP ? root->pair[0].value : NULL;
    const vgNode *head = map && a->kind ? vg_node_get(map, a->kind) : NULL;
    need_body(&x, "spare");
    if (head && a->head != VG_HEAD_NUMBER)
        need_head(&x, head, a->head == VG_HEAD_JOINT || a->head == VG_HEAD_JOINTS || a->head == VG_HEAD_BALL);
    if (map) need_options(&x, map, a->fields, a->nfield);
    around_text(&x, a->section, entry, a->more ? a->more : "", out, size);
    vg_diag_free(diag);
    vg_pool_free(pool);
}

static void try_value(const Around *a, const vgField *f, double value, int inside)
{
    char entry[1200], text[40], what[200], model[6000];
    snprintf(text, sizeof text, f->type == VG_FIELD_INT ? "%.0f" : "%.17g", value);
    snprintf(what, sizeof what, "%s %s: %s = %s", a->section, a->kind ? a->kind : "", f->key, text);
    set_key(a->entry, f->key, text, entry, sizeof entry);
    write_model(a, entry, model, sizeof model);
    (inside ? within : beyond)(model, what);
}

/* The entry as it is loads: or nothing of it would be tried. */
static void as_it_is(const Around *a)
{
    char model[6000];
    vgDiag *diag = vg_diag_new();
    write_model(a, a->entry, model, sizeof model);
    vgModel *m = vg_model_parse(model, strlen(model), "range", NULL, 0, diag);
    CHECK_STR(m ? "loads" : vg_diag_count(diag) ? vg_diag_line(diag, 0) : a->entry, "loads");
    vg_model_free(m);
    vg_diag_free(diag);
}

static void every_field(const Around *a)
{
    as_it_is(a);
    const double most = 1e9; /* stands for an end that is infinite */
    for (int i = 0; i < a->nfield; i++) {
        const vgField *f = &a->fields[i];
        if ((f->type != VG_FIELD_NUMBER && f->type != VG_FIELD_INT) || (f->min == 0 && f->max == 0)) continue;
        double least = isfinite(f->min) ? f->min : -most, largest = isfinite(f->max) ? f->max : most;
        if (f->type == VG_FIELD_INT && !isfinite(f->max)) largest = 40;
        try_value(a, f, least, 1);
        try_value(a, f, largest, 1);
        if (isfinite(f->min)) try_value(a, f, below(f->min), 0);
        if (isfinite(f->max)) try_value(a, f, -below(-f->max), 0);
    }
}

TEST(joints)
{
    for (int i = 0; vg_joint_kinds[i]; i++) {
        const vgJointKind *k = vg_joint_kinds[i];
        Around a = {"joints", k->name, k->example, NULL, k->head, k->fields, k->nfield, NULL};
        every_field(&a);
    }
}

TEST(forces)
{
    for (int i = 0; vg_force_kinds[i]; i++) {
        const vgForceKind *k = vg_force_kinds[i];
        Around a = {"forces", k->name, k->example, NULL, k->head, k->fields, k->nfield, NULL};
        every_field(&a);
    }
}

/* The entry below the section's name in the example of a table. */
static const char *entry_of(const vgFormatTable *t)
{
    const char *line = strchr(t->example, '\n');
    return line ? line + strspn(line, "\n ") : t->example;
}

TEST(flexible_bodies_and_meshes)
{
    const vgFormatTable *table[] = {&vg_format_flexible, &vg_format_mesh};
    static const char *const section[] = {"flexible", "mesh"};
    for (int i = 0; i < 2; i++) {
        Around a = {section[i],       NULL, entry_of(table[i]), NULL, VG_HEAD_NONE, table[i]->fields,
                    table[i]->nfield, NULL};
        every_field(&a);
    }
}

static const char with_controller[] =
    "verge: 1\nplanar: true\ngravity: 9.81\nparameters: {k1: 1, k2: 2}\nbodies:\n  cart: {mass: 1, inertia: "
    "1}\n  arm: {mass: 1, inertia: 1, com: [0.5, 0]}\n  tip: {mass: 1, inertia: 1, position: [1, "
    "0]}\njoints:\n  rail: {prismatic: [ground, cart]}\n  hinge: {revolute: [cart, arm]}\n  elbow: "
    "{revolute: [{body: arm, position: [1, 0]}, tip]}\ncontrollers:\n  %s\n";
static const char with_road[] = "verge: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                                "tables: {survey: [[0, 0], [1, 0.1], [2, 0]]}\nroads:\n  %s\n";
static const char with_contacts[] =
    "verge: 1\ngravity: 9.81\nbodies:\n  ball1: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1], shape: "
    "{sphere: 0.1}}\n  ball2: {mass: 1, inertia: [1, 1, 1], position: [0.15, 0, 0.2], shape: {sphere: "
    "0.1}}\n  tray: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5], shape: {sphere: 0.1}}\ncontacts:\n  "
    "%s\n";
static const char with_limits[] =
    "verge: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1], com: [0.5, 0, 0], omega: [0, 0, 1]}}\n"
    "joints:\n  j: {revolute: [ground, a], axis: z, limits: %s}\n";

TEST(controllers)
{
    for (int i = 0; vg_controller_kinds[i]; i++) {
        const vgControllerKind *k = vg_controller_kinds[i];
        if (k->file) continue; /* needs a file beside the model */
        Around own = {"controllers", k->name,   k->example, NULL,
                      VG_HEAD_NONE,  k->fields, k->nfield,  with_controller};
        Around common = own;
        common.fields = vg_controller_fields;
        common.nfield = vg_controller_nfield;
        every_field(&own);
        every_field(&common);
    }
}

/* The keys of a road are in a map below its name: `bump: {cosine: {start: 1}}`, which is written on a line of its own. */
TEST(roads)
{
    for (int i = 0; vg_road_kinds[i]; i++) {
        const vgRoadKind *k = vg_road_kinds[i];
        char entry[400] = "r:\n    ";
        strncat(entry, strchr(k->example, '{') + 1, sizeof entry - strlen(entry) - 1);
        *strrchr(entry, '}') = 0;
        Around a = {"roads", k->name, entry, NULL, VG_HEAD_NONE, k->fields, k->nfield, with_road};
        every_field(&a);
    }
}

TEST(groups_of_contacts_and_limits)
{
    const vgFormatTable *t = &vg_format_contacts;
    Around a = {"contacts", NULL, entry_of(t), NULL, VG_HEAD_NONE, t->fields, t->nfield, with_contacts};
    every_field(&a);
    for (int i = 0; vg_force_kinds[i]; i++) {
        const vgForceKind *k = vg_force_kinds[i];
        if (strcmp(k->name, "joint-stop")) continue;
        Around limits = {"joints",  "limits",     "{lower: -1, upper: 2, stiffness: 500, damping: 0.5}",
                         NULL,      VG_HEAD_NONE, k->fields,
                         k->nfield, with_limits};
        every_field(&limits);
    }
}

TEST(as_many_modes_as_there_may_be)
{
    char model[600];
    int before = ran;
    static const int modes[] = {1, 12, 34, 40, 63};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        snprintf(model, sizeof model,
                 "verge: 1\ngravity: [0, 0, -9.81]\nflexible:\n  rod: {length: 2, modes: %d, support: "
                 "pinned, circle: 0.01, E: 210e9, rho: 7850, nodes: {a: 0, b: 2}}\njoints:\n  O: {revolute: "
                 "[ground, rod.a], axis: y}\n",
                 modes[i]);
        within(model, "modes");
        before++;
    }
    CHECK_INT(ran, before); /* all of them run */
}

/* ---- parameters of methods and settings ---- */

static const char pendulum[] =
    "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n  a: {mass: 1, inertia: 0.1, position: [0.5, 0], "
    "markers: {O: [-0.5, 0]}}\njoints:\n  O: {revolute: [ground, a.O]}\n";

static void set_dials(const vgModel *m, const vgDials *dials, int inside, const char *what)
{
    vgSimulation sim;
    vgDiag *diag = vg_diag_new();
    if (inside) {
        tried++;
        run_a_little(m, dials, what);
    } else {
        vgStatus st = vg_simulation_open(m, dials, diag, &sim);
        CHECK_STR(st == VG_BAD_INPUT && vg_diag_errors(diag) > 0 ? "refused" : what, "refused");
        if (st == VG_OK) vg_simulation_close(&sim);
    }
    vg_diag_free(diag);
}

TEST(parameters_of_integrators)
{
    vgModel *m = vg_model_parse(pendulum, sizeof pendulum - 1, "pendulum", NULL, 0, NULL);
    for (int i = 0; vg_integrators[i]; i++)
        for (int p = 0; p < vg_integrators[i]->nparam; p++) {
            const vgParamSpec *s = &vg_integrators[i]->params[p];
            const double value[] = {s->min, s->max, below(s->min), -below(-s->max)};
            for (int k = 0; k < 4; k++) {
                char text[160];
                if (!isfinite(value[k])) continue;
                snprintf(text, sizeof text, "%s:%s=%.17g", vg_integrators[i]->name, s->name, value[k]);
                set_dials(m, &(vgDials){.integrator = text}, k < 2, text);
            }
        }
    vg_model_free(m);
}

TEST(options_of_constraints)
{
    vgModel *m = vg_model_parse(pendulum, sizeof pendulum - 1, "pendulum", NULL, 0, NULL);
    for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++)
        for (int o = 0; o < VG_CON_OPTIONS && c->option[o].key; o++) {
            const vgConOption *s = &c->option[o];
            const double value[] = {s->min, s->max, below(s->min), -below(-s->max)};
            for (int k = 0; k < 4; k++) {
                char text[160];
                if (!isfinite(value[k])) continue;
                snprintf(text, sizeof text, "%s:%s=%.17g", c->name, s->key, value[k]);
                set_dials(m, &(vgDials){.constraints = text}, k < 2, text);
            }
        }
    vg_model_free(m);
}

TEST(there_was_something_to_try)
{
    printf("%d numbers at an end of their range, %d models load, %d runs end well\n", tried, loaded, ran);
    CHECK(tried > 300 && loaded > 100 && ran > 200);
}

TEST_MAIN(joints, forces, flexible_bodies_and_meshes, controllers, roads, groups_of_contacts_and_limits,
          as_many_modes_as_there_may_be, parameters_of_integrators, options_of_constraints,
          there_was_something_to_try)

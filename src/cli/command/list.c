/* verge list: what there is to choose from. One row per subject. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/channels/channels.h"
#include "base/names.h"
#include "cli/cli.h"
#include "cli/page/job.h"
#include "element/force/force.h"
#include "element/joint/joint.h"
#include "element/road/road.h"
#include "integrator/pairs.h"
#include "io/json.h"
#include "io/results.h"

/* Every list is made both as a table for people and as JSON for programs; one of them is printed. */
typedef struct lists {
    vgText text;
    vgJson json;
} lists;

typedef struct subject {
    const char *name, *doc;
    int (*list)(const vgArgs *, lists *);
} subject;

/* A row of the table, and the JSON object of it, left open for more members. */
static void entry(lists *out, const char *name, const char *detail, const char *doc)
{
    vg_text_add(&out->text, "%-22s %-*s%s\n", name, detail ? 18 : 0, detail ? detail : "", doc ? doc : "");
    vg_json_open(&out->json, NULL, '{');
    vg_json_text(&out->json, "name", name);
    vg_json_text(&out->json, "doc", doc);
}

static void simple(lists *out, const char *name, const char *detail, const char *doc)
{
    entry(out, name, detail, doc);
    vg_json_close(&out->json);
}

static const char *where(int planar)
{
    return planar == 0 ? "spatial" : planar == 1 ? "planar, spatial" : "planar";
}

static int list_joints(const vgArgs *args, lists *out)
{
    (void)args;
    for (const vgJointKind *const *k = vg_joint_kinds; *k; k++) {
        entry(out, (*k)->name, where((*k)->planar), (*k)->doc);
        vg_json_text(&out->json, "models", where((*k)->planar));
        vg_json_close(&out->json);
    }
    return VG_EXIT_OK;
}

static int list_forces(const vgArgs *args, lists *out)
{
    (void)args;
    for (const vgForceKind *const *k = vg_force_kinds; *k; k++) {
        entry(out, (*k)->name, where((*k)->planar), (*k)->doc);
        vg_json_text(&out->json, "models", where((*k)->planar));
        vg_json_close(&out->json);
    }
    return VG_EXIT_OK;
}

static int list_controllers(const vgArgs *args, lists *out)
{
    (void)args;
    for (const vgControllerKind *const *k = vg_controller_kinds; *k; k++)
        simple(out, (*k)->name, NULL, (*k)->doc);
    return VG_EXIT_OK;
}

static int list_roads(const vgArgs *args, lists *out)
{
    (void)args;
    for (const vgRoadKind *const *k = vg_road_kinds; *k; k++) simple(out, (*k)->name, NULL, (*k)->doc);
    return VG_EXIT_OK;
}

static void parameters(vgJson *json, const vgParamSpec *p, int n)
{
    vg_json_open(json, "parameters", '[');
    for (int i = 0; i < n; i++) {
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "name", p[i].name);
        vg_json_number(json, "default", p[i].fallback);
        vg_json_number(json, "min", p[i].min);
        vg_json_number(json, "max", p[i].max);
        vg_json_text(json, "doc", p[i].doc);
        vg_json_close(json);
    }
    vg_json_close(json);
}

static void constraint_names(lists *out, unsigned flags)
{
    int n = 0;
    vg_json_open(&out->json, "constraints", '[');
    vg_text_add(&out->text, "; constraints ");
    for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++) {
        if (!(flags & c->flag)) continue;
        vg_json_text(&out->json, NULL, c->name);
        vg_text_add(&out->text, "%s%s", n++ ? ", " : "", c->name);
    }
    vg_json_close(&out->json);
}

/* How a method damps: A- and L-stability and the range of ρ∞. */
static void stability(lists *out, const vgIntegratorRow *r)
{
    double rho[2];
    int a = vg_integrator_rho(r, rho), l = (r->flags & VG_INT_LSTABLE) != 0;
    vg_json_bool(&out->json, "A-stable", a);
    vg_json_bool(&out->json, "L-stable", l);
    if (!a) return;
    vg_json_open(&out->json, "rho", '[');
    vg_json_number(&out->json, NULL, rho[0]);
    vg_json_number(&out->json, NULL, rho[1]);
    vg_json_close(&out->json);
    vg_text_add(&out->text, rho[0] < rho[1] ? "; %s-stable, ρ∞ %.3g to %.3g" : "; %s-stable, ρ∞ %.3g",
                l ? "L" : "A", rho[0], rho[1]);
}

static void other_names(lists *out, const vgIntegratorRow *r)
{
    int n;
    const char *const *names = vg_integrator_others(r, &n);
    vg_json_open(&out->json, "other_names", '[');
    for (int i = 0; i < n; i++) {
        vg_json_text(&out->json, NULL, names[i]);
        vg_text_add(&out->text, "%s%s", i ? ", " : "    also ", names[i]);
    }
    if (n) vg_text_add(&out->text, "\n");
    vg_json_close(&out->json);
}

static void options_table(vgText *out, const vgParamSpec *p, int n)
{
    for (int i = 0; i < n; i++)
        vg_text_add(out, "    %s=%g (%g to %g)  %s\n", p[i].name, p[i].fallback, p[i].min, p[i].max,
                    p[i].doc);
}

static int list_integrators(const vgArgs *args, lists *out)
{
    (void)args;
    vgJson *json = &out->json;
    for (const vgIntegratorRow *const *row = vg_integrators; *row; row++) {
        const vgIntegratorRow *r = *row;
        int implicit = (r->flags & VG_INT_IMPLICIT) != 0, estimate = (r->flags & VG_INT_ESTIMATE) != 0;
        char detail[60];
        snprintf(detail, sizeof detail, "order %d, %s", r->order, implicit ? "implicit" : "explicit");
        entry(out, r->name, detail, r->title);
        vg_json_text(json, "family", r->family);
        vg_json_int(json, "order", r->order);
        vg_json_int(json, "stages", r->stages);
        vg_json_bool(json, "implicit", implicit);
        vg_json_bool(json, "adaptive", estimate);
        vg_json_text(json, "citation", r->citation);
        vg_text_add(&out->text, "    %s; %d stage%s", r->family, r->stages, r->stages == 1 ? "" : "s");
        stability(out, r);
        constraint_names(out, r->constraints);
        vg_text_add(&out->text, "%s\n    %s\n",
                    r->flags & VG_INT_ADAPTIVE    ? "; error control"
                    : estimate                    ? "; error control possible"
                    : r->flags & VG_INT_OWN_STEPS ? "; error control within each step"
                                                  : "; error control none",
                    r->citation);
        other_names(out, r);
        parameters(json, r->params, r->nparam);
        vg_json_close(json);
        options_table(&out->text, r->params, r->nparam);
    }
    int n;
    const vgParamSpec *common = vg_integrator_common(&n);
    vg_text_add(&out->text, "every integrator\n");
    options_table(&out->text, common, n);
    return VG_EXIT_OK;
}

static int list_coordinates(const vgArgs *args, lists *out)
{
    (void)args;
    static const char *const models[] = {"", "planar", "spatial", "planar, spatial"};
    for (const vgCoordinatesRow *r = vg_coordinates_list; r->name; r++) {
        entry(out, r->name, models[r->models & 3], r->doc);
        vg_json_text(&out->json, "models", models[r->models & 3]);
        vg_json_close(&out->json);
    }
    return VG_EXIT_OK;
}

static int list_constraints(const vgArgs *args, lists *out)
{
    (void)args;
    for (const vgConstraintsRow *r = vg_constraints_list; r->name; r++) {
        entry(out, r->name, NULL, r->doc);
        vg_json_open(&out->json, "options", '[');
        for (int i = 0; i < VG_CON_OPTIONS && r->option[i].key; i++) {
            const vgConOption *o = &r->option[i];
            vg_json_open(&out->json, NULL, '{');
            vg_json_text(&out->json, "name", o->key);
            vg_json_number(&out->json, "default", o->fallback);
            vg_json_text(&out->json, "doc", o->doc);
            vg_json_close(&out->json);
            vg_text_add(&out->text, "    %s:%s=%g  %s\n", r->name, o->key, o->fallback, o->doc);
        }
        vg_json_close(&out->json);
        vg_json_close(&out->json);
    }
    return VG_EXIT_OK;
}

static int list_fast_paths(const vgArgs *args, lists *out)
{
    (void)args;
    for (const vgFastPath *p = vg_fast_paths; p->name; p++) {
        entry(out, p->name, NULL, p->applies);
        vg_json_text(&out->json, "replaces", p->replaces);
        vg_json_text(&out->json, "where", p->where);
        vg_json_close(&out->json);
        vg_text_add(&out->text, "    instead of %s; %s\n", p->replaces, p->where);
    }
    return VG_EXIT_OK;
}

static int list_commands(const vgArgs *args, lists *out)
{
    (void)args;
    for (int i = 0; vg_commands[i]; i++) simple(out, vg_commands[i]->name, NULL, vg_commands[i]->doc);
    return VG_EXIT_OK;
}

/* Bytes of a text that take no column of their own (UTF-8). */
static int hidden_bytes(const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) == 0x80;
    return n;
}

/* Integrators of a family that take the setting: all of them, or with the coordinates where not in all. */
static void pairs_of_family(lists *out, const vgConstraintsRow *c, const char *family)
{
    int n = 0;
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        int all = 1, some = 0;
        if (strcmp((*r)->family, family)) continue;
        for (const vgCoordinatesRow *x = vg_coordinates_list; x->name; x++)
            if (vg_pair_system(x, c) && !x->first_order) vg_pair_allowed(x, c, *r) ? (some = 1) : (all = 0);
        if (!some) continue;
        if (n++ == 0) {
            vg_text_add(&out->text, "    %-*s ", 24 + hidden_bytes(family), family);
            vg_json_open(&out->json, NULL, '{');
            vg_json_text(&out->json, "family", family);
            vg_json_open(&out->json, "integrators", '[');
        } else {
            vg_text_add(&out->text, ", ");
        }
        vg_json_text(&out->json, NULL, (*r)->name);
        vg_text_add(&out->text, "%s%s", (*r)->name, all ? "" : " (lie, planar)");
    }
    if (!n) return;
    vg_json_close(&out->json);
    vg_json_close(&out->json);
    vg_text_add(&out->text, "\n");
}

static void pairs_of_setting(lists *out, const vgConstraintsRow *c)
{
    int n = 0;
    vg_text_add(&out->text, "%s\n    %-24s ", c->name, "coordinates");
    vg_json_open(&out->json, NULL, '{');
    vg_json_text(&out->json, "name", c->name);
    vg_json_open(&out->json, "coordinates", '[');
    for (const vgCoordinatesRow *x = vg_coordinates_list; x->name; x++) {
        if (!vg_pair_system(x, c)) continue;
        vg_json_text(&out->json, NULL, x->name);
        vg_text_add(&out->text, "%s%s%s", n++ ? ", " : "", x->name, x->first_order ? " (explicit)" : "");
    }
    vg_json_close(&out->json);
    vg_json_open(&out->json, "integrators", '[');
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++)
        if ((*r)->constraints & c->flag) vg_json_text(&out->json, NULL, (*r)->name);
    vg_json_close(&out->json);
    vg_text_add(&out->text, "\n");
    vg_json_open(&out->json, "families", '[');
    for (const vgIntegratorRow *const *r = vg_integrators; *r; r++) {
        int known = 0;
        for (const vgIntegratorRow *const *e = vg_integrators; e < r; e++)
            known |= strcmp((*e)->family, (*r)->family) == 0;
        if (!known) pairs_of_family(out, c, (*r)->family);
    }
    vg_json_close(&out->json);
    vg_json_close(&out->json);
}

/* Which coordinates and integrators go with which constraints: the dials that make sense together. */
static int list_pairs(const vgArgs *args, lists *out)
{
    (void)args;
    for (const vgConstraintsRow *c = vg_constraints_list; c->name; c++) pairs_of_setting(out, c);
    vg_text_add(&out->text, "Where no constraints are left (trees in relative coordinates, free bodies) "
                            "every constraint setting is the same.\n");
    return VG_EXIT_OK;
}

static void channel(lists *out, const char *name, const char *unit)
{
    vg_json_open(&out->json, NULL, '{');
    vg_json_text(&out->json, "name", name);
    vg_json_text(&out->json, "unit", unit);
    vg_json_close(&out->json);
    vg_text_add(&out->text, "%-40s%s%s%s\n", name, *unit ? " [" : "", unit, *unit ? "]" : "");
}

/* What a run has recorded. */
static int list_recorded(const char *path, lists *out)
{
    vgDiag *diag = vg_diag_new();
    vgTableData *table = NULL;
    vgStatus status = vg_data_read(path, diag, &table);
    vg_cli_say(diag);
    vg_diag_free(diag);
    if (status != VG_OK) return VG_EXIT_INPUT;
    for (int i = 0; i < table->ncol; i++) channel(out, table->name[i], table->unit[i] ? table->unit[i] : "");
    vg_data_free(table);
    return VG_EXIT_OK;
}

static int list_channels(const vgArgs *args, lists *out)
{
    const char *file = vg_cli_word(args, 1);
    if (!file) return vg_cli_wrong("list channels: a MODEL.yaml or RESULTS.h5 is needed");
    if (vg_results_named(file)) return list_recorded(file, out);
    vgCliJob job = {0};
    vgChannels *channels = NULL;
    int code = vg_cli_load(args, file, &job);
    if (code == VG_EXIT_OK) code = vg_cli_system(&job);
    if (code == VG_EXIT_OK && vg_channels_all(job.sys, &channels) != VG_OK) code = VG_EXIT_FAILED;
    for (int i = 0; channels && i < vg_channels_count(channels); i++) {
        channel(out, vg_channels_name(channels, i), vg_channels_unit(channels, i));
    }
    vg_channels_free(channels);
    vg_cli_unload(&job);
    return code;
}

static const subject subjects[] = {
    {"joints", "kinds of joints", list_joints},
    {"forces", "kinds of forces", list_forces},
    {"controllers", "kinds of controllers that act at a fixed rate", list_controllers},
    {"roads", "kinds of roads", list_roads},
    {"coordinates", "first dial: where everything is", list_coordinates},
    {"constraints", "second dial: how joints are enforced", list_constraints},
    {"integrators", "third dial: how time passes", list_integrators},
    {"pairs", "which coordinates and integrators go with which constraints", list_pairs},
    {"fast-paths", "special code for models of a certain shape, which --plain turns off", list_fast_paths},
    {"commands", "what the program can do", list_commands},
    {"channels", "every channel of a model (give MODEL.yaml), or those in a RESULTS.h5", list_channels},
};
enum { NSUBJECT = sizeof subjects / sizeof subjects[0] };

static int choose(const vgArgs *args, lists *out)
{
    const char *names[NSUBJECT], *wanted = vg_cli_word(args, 0);
    for (int i = 0; i < NSUBJECT; i++) {
        names[i] = subjects[i].name;
        if (!wanted)
            simple(out, names[i], NULL, subjects[i].doc);
        else if (strcmp(names[i], wanted) == 0 && vg_cli_word(args, 1) && subjects[i].list != list_channels)
            return vg_cli_wrong("list %s: '%s' is one word too many", wanted, vg_cli_word(args, 1));
        else if (strcmp(names[i], wanted) == 0)
            return subjects[i].list(args, out);
    }
    if (!wanted) return VG_EXIT_OK;
    const char *near = vg_name_closest(wanted, names, NSUBJECT);
    if (near) return vg_cli_wrong("list: unknown subject '%s'; did you mean '%s'?", wanted, near);
    return vg_cli_wrong("list: unknown subject '%s'; verge list shows the subjects", wanted);
}

static int list(const vgArgs *args)
{
    lists out = {.json = {.indent = 2}};
    vg_json_open(&out.json, NULL, '{');
    vg_json_open(&out.json, vg_cli_words(args) ? vg_cli_word(args, 0) : "subjects", '[');
    int code = choose(args, &out);
    vg_json_close(&out.json);
    vg_cli_status(&out.json, code == VG_EXIT_OK, NULL);
    vg_json_close(&out.json);
    if (code == VG_EXIT_OK && vg_cli_given(args, "json"))
        vg_cli_answer(&out.json);
    else if (code == VG_EXIT_OK)
        vg_cli_print(&out.text);
    vg_text_free(&out.text);
    vg_json_free(&out.json);
    return code;
}

static const vgOption options[] = {
    {"json", 0, NULL, "one JSON object on stdout; the list is its member of the subject's name"},
    {"coordinates", 0, "C", "channels: as they are in these coordinates"},
    {"constraints", 0, "K", "channels: as they are with these constraints"},
    {"set", 0, "P=VALUE …", "channels: parameter of the model, may be given several times"},
    {0},
};

const vgCommand vg_cmd_list = {
    .name = "list",
    .usage = "[SUBJECT [MODEL.yaml|RESULTS.h5]] [options]",
    .doc = "list what there is to choose from",
    .more = "SUBJECT: joints, forces, controllers, roads, coordinates, constraints, integrators, pairs, "
            "fast-paths, "
            "commands, or channels with a model or a results file.\n",
    .example = "  verge list integrators\n"
               "  verge list channels models/pendulum.yaml\n",
    .min = 0,
    .max = 2,
    .options = options,
    .run = list,
};

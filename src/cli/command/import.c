/* verge import: a robot file (URDF, MJCF) as a model, and what became of its elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "model/import.h"

enum { MAX_PACKAGES = 64, MAX_STARTS = 1024 };

typedef struct importJob {
    vgPool *pool;
    vgDiag *diag;
    vgImportOptions options;
    vgImportReport report;
    const char *package[MAX_PACKAGES];
    vgImportStart *start;
} importJob;

/* The start of a joint, a new one if it has none yet. */
static vgImportStart *start_of(importJob *j, const char *name, size_t n)
{
    for (int i = 0; i < j->options.nstart; i++)
        if (strlen(j->start[i].joint) == n && strncmp(j->start[i].joint, name, n) == 0) return &j->start[i];
    if (j->options.nstart == MAX_STARTS) return NULL;
    vgImportStart *s = &j->start[j->options.nstart++];
    s->joint = vg_pool_strndup(j->pool, name, n);
    return s->joint ? s : NULL;
}

/* JOINT=VALUE[,VALUE …] into q (up to 7) or v (up to 6). */
static int read_start(importJob *j, const char *option, const char *text)
{
    int speed = option[1] == 'p', most = speed ? 6 : 7;
    const char *equal = strchr(text, '=');
    vgImportStart *s = equal ? start_of(j, text, (size_t)(equal - text)) : NULL;
    if (!s) return vg_cli_wrong("--%s %s: JOINT=VALUE was expected", option, text);
    int *n = speed ? &s->nv : &s->nq;
    *n = 0;
    for (const char *c = equal + 1; *n < most; c++) {
        char *stop;
        (speed ? s->v : s->q)[(*n)++] = strtod(c, &stop);
        if (stop == c || (*stop && *stop != ','))
            return vg_cli_wrong("--%s %s: numbers were expected", option, text);
        c = stop;
        if (!*c) return VG_EXIT_OK;
    }
    return vg_cli_wrong("--%s %s: too many numbers", option, text);
}

static int read_options(const vgArgs *args, importJob *j)
{
    vgImportOptions *o = &j->options;
    const char *base = vg_cli_value(args, "base");
    if (base && strcmp(base, "fixed") != 0 && strcmp(base, "floating") != 0)
        return vg_cli_wrong("--base is fixed or floating, not '%s'", base);
    o->base = !base ? VG_BASE_DEFAULT : base[1] == 'i' ? VG_BASE_FIXED : VG_BASE_FLOATING;
    o->loops = vg_cli_value(args, "loops");
    o->keyframe = vg_cli_value(args, "keyframe");
    o->strict = vg_cli_given(args, "strict");
    for (int i = 0; i < vg_cli_given(args, "package") && i < MAX_PACKAGES; i++) {
        const char *p = vg_cli_nth(args, "package", i);
        if (!strchr(p, '=')) return vg_cli_wrong("--package %s: NAME=FOLDER was expected", p);
        j->package[o->npackage++] = p;
    }
    o->package = j->package;
    o->start = j->start;
    static const char *const starts[] = {"start", "speed"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < vg_cli_given(args, starts[k]); i++) {
            int code = read_start(j, starts[k], vg_cli_nth(args, starts[k], i));
            if (code != VG_EXIT_OK) return code;
        }
    return VG_EXIT_OK;
}

static void tell_json(const importJob *j, const char *output)
{
    const vgImportReport *r = &j->report;
    vgJson json = {.indent = 2};
    vg_json_open(&json, NULL, '{');
    vg_cli_status(&json, !*vg_cli_complaint(), NULL);
    vg_json_text(&json, "format", r->format);
    vg_json_text(&json, "output", output);
    vg_json_int(&json, "links", r->bodies);
    vg_json_int(&json, "bodies", r->moving);
    vg_json_int(&json, "joints", r->joints);
    vg_json_int(&json, "loops", r->loops);
    vg_json_int(&json, "couplings", r->couplings);
    vg_json_int(&json, "forces", r->forces);
    vg_json_number(&json, "mass", r->mass);
    vg_json_open(&json, "report", '[');
    for (int i = 0; i < r->n; i++) {
        const vgImportNote *n = &r->note[i];
        vg_json_open(&json, NULL, '{');
        vg_json_text(&json, "verdict", vg_import_verdicts[n->verdict]);
        vg_json_bool(&json, "physics", n->physics);
        vg_json_text(&json, "file", vg_diag_file_name(j->diag, n->loc.file));
        vg_json_int(&json, "line", n->loc.line);
        vg_json_text(&json, "text", n->text);
        vg_json_close(&json);
    }
    vg_json_close(&json);
    vg_json_close(&json);
    vg_cli_answer(&json);
}

static void tell_table(const importJob *j, FILE *to)
{
    const vgImportReport *r = &j->report;
    fprintf(to, "%s: %d links as %d bodies, %d joints, %d couplings, %d loops, %d forces, %.9g kg\n",
            r->format, r->bodies, r->moving, r->joints, r->couplings, r->loops, r->forces, r->mass);
    for (int i = 0; i < r->n; i++) {
        const vgImportNote *n = &r->note[i];
        fprintf(to, "  %-8s %s:%d: %s%s\n", vg_import_verdicts[n->verdict],
                vg_diag_file_name(j->diag, n->loc.file), n->loc.line, n->text,
                n->physics && n->verdict == VG_IMPORT_IGNORED ? " (physics)" : "");
    }
    fprintf(to,
            "%d used as something else or noted, %d changed, %d ignored (%d of them concern the motion); "
            "everything else is used as it is\n",
            r->used, r->changed, r->ignored, r->ignored_physics);
}

/* By their words: where they differ, meshes are named by whole paths, which is right in any case. */
static int same_folder(const char *a, const char *b)
{
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    size_t n = x ? (size_t)(x - a) : 0, m = y ? (size_t)(y - b) : 0;
    return (x != NULL) == (y != NULL) && n == m && strncmp(a, b, n) == 0;
}

static int import_file(const vgArgs *args, importJob *j)
{
    const char *output = vg_cli_value(args, "output");
    j->options.whole_paths = output && !same_folder(output, vg_cli_word(args, 0));
    char *text = vg_import_file(j->pool, vg_cli_word(args, 0), &j->options, j->diag, &j->report);
    vg_cli_say(j->diag);
    if (!text) return VG_EXIT_INPUT;
    if (output && !vg_cli_write(output, text)) return VG_EXIT_FAILED;
    if (vg_cli_given(args, "json")) {
        tell_json(j, output);
        return VG_EXIT_OK;
    }
    tell_table(j, output ? stdout : stderr);
    if (!output) fputs(text, stdout);
    return VG_EXIT_OK;
}

static int import(const vgArgs *args)
{
    importJob *j = calloc(1, sizeof *j);
    int code = VG_EXIT_FAILED;
    if (j) {
        j->pool = vg_pool_new(0);
        j->diag = vg_diag_new();
        j->start = calloc(MAX_STARTS, sizeof *j->start);
        if (j->pool && j->diag && j->start) {
            code = read_options(args, j);
            if (code == VG_EXIT_OK) code = import_file(args, j);
        }
        free(j->start);
        vg_diag_free(j->diag);
        vg_pool_free(j->pool);
    }
    free(j);
    return code;
}

static const vgOption options[] = {
    {"output", 'o', "MODEL.yaml", "the model; else it goes to stdout, the report to stderr"},
    {"loops", 0, "FILE", "loops of a URDF in YAML; else NAME.yaml beside it, if it is one"},
    {"base", 0, "fixed|floating", "URDF: the root link is held (default) or free (floating: 1)"},
    {"package", 0, "NAME=FOLDER …", "where package://NAME/ is"},
    {"keyframe", 0, "NAME", "MJCF: start at this keyframe"},
    {"start", 0, "JOINT=VALUE …", "start of a joint; several numbers by commas"},
    {"speed", 0, "JOINT=VALUE …", "its velocity at the start"},
    {"strict", 0, NULL, "physics that would be ignored is an error"},
    {"json", 0, NULL, "the report as one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_import = {
    .name = "import",
    .usage = "ROBOT.urdf|ROBOT.xml [options]",
    .doc = "write a robot file (URDF, MJCF) as a model, and report what became of it",
    .example = "  verge import robot.urdf -o robot.yaml\n",
    .more = "Robot files are also taken wherever a model is: verge run robot.urdf.\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = import,
};

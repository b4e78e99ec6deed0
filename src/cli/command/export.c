/* verge export: results in formats of other programs; a model as a robot file (export_robot.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/command/export_robot.h"
#include "io/export/export.h"

/* clang-format off */
/* A format `name` is an option --name [FILE.ending] and a function vg_export_name of src/io/export. */
#define FORMATS(ROW) \
    ROW(gltf, ".glb", "bodies in motion, for browsers and programs that draw (binary glTF 2.0)") \
    ROW(mcap, ".mcap", "bodies in motion and channels, for Foxglove (MCAP with JSON messages)") \
    ROW(vtk, ".pvd", "beams and cables with what they carry, for ParaView (a list of files FILE_0000.vtp …)") \
    ROW(csv, ".csv", "channels as a table, numbers that read back the same")
/* clang-format on */

static const struct format {
    const char *name, *ending;
    vgExportWriter *write;
} formats[] = {
#define ENTRY(name, ending, doc) {#name, ending, vg_export_##name},
    FORMATS(ENTRY)
#undef ENTRY
};
enum { NFORMAT = sizeof formats / sizeof *formats };

/* DIR/NAME.h5 -> DIR/NAME + ending; free() it. */
static char *beside(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
    size_t n = stem + strlen(ending) + 1;
    char *out = malloc(n);
    if (out) snprintf(out, n, "%.*s%s", (int)stem, path, ending);
    return out;
}

static int ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), k = strlen(ending);
    return n > k && strcasecmp(path + n - k, ending) == 0;
}

/* One of the formats; its file is added to json. An exit code. */
static int one(const struct format *format, const vgArgs *args, const vgExportHow *how, vgJson *json)
{
    const char *from = vg_cli_word(args, 0), *given = vg_cli_value(args, format->name);
    char *chosen = given && *given ? NULL : beside(from, format->ending);
    const char *to = chosen ? chosen : given;
    vgDiag *diag = vg_diag_new();
    vgStatus status = to && diag ? format->write(from, to, how, diag) : VG_NO_MEMORY;
    vg_cli_say(diag);
    if (status != VG_OK && !vg_diag_errors(diag)) vg_cli_wrong("%s: %s", from, vg_status_text(status));
    if (status == VG_OK) {
        vg_json_open(json, NULL, '{');
        vg_json_text(json, "format", format->name);
        vg_json_text(json, "file", to);
        vg_json_close(json);
        if (!vg_cli_given(args, "json")) printf("%s\n", to);
    }
    vg_diag_free(diag);
    free(chosen);
    return status == VG_OK ? VG_EXIT_OK : status == VG_BAD_INPUT ? VG_EXIT_INPUT : VG_EXIT_FAILED;
}

/* Every name is looked at before anything is written. */
static int names_fit(const vgArgs *args)
{
    int asked = 0;
    for (int i = 0; i < NFORMAT; i++) {
        const char *to = vg_cli_value(args, formats[i].name), *from = vg_cli_word(args, 0);
        asked += to != NULL;
        if (!to || !*to) continue;
        if (!ends_in(to, formats[i].ending))
            return vg_cli_wrong("--%s: '%s' must end in %s", formats[i].name, to, formats[i].ending);
        if (strcmp(to, from) == 0) return vg_cli_wrong("--%s: '%s' is the file to read", formats[i].name, to);
    }
    if (asked) return VG_EXIT_OK;
    return vg_cli_wrong("export: say in which format: --%s, …; verge export --help lists them",
                        formats[0].name);
}

static int export_results(const vgArgs *args)
{
    vgExportHow how = {0};
    vgJson json = {.indent = 2};
    if (vg_cli_given(args, "urdf") || vg_cli_given(args, "mjcf")) return vg_cli_export_robot(args);
    int code = names_fit(args);
    if (code != VG_EXIT_OK) return code;
    if (vg_cli_count(args, "frames", 2, &how.frames) < 0) return VG_EXIT_INPUT;
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "from", vg_cli_word(args, 0));
    vg_json_open(&json, "files", '[');
    for (int i = 0; i < NFORMAT && code == VG_EXIT_OK; i++) {
        if (vg_cli_given(args, formats[i].name)) code = one(&formats[i], args, &how, &json);
    }
    vg_json_close(&json);
    vg_cli_status(&json, code == VG_EXIT_OK, NULL);
    vg_json_close(&json);
    if (vg_cli_given(args, "json"))
        vg_cli_answer(&json);
    else
        vg_json_free(&json);
    return code;
}

static const vgOption options[] = {
#define OPTION(name, ending, doc) {#name, 0, "[FILE" ending "]", doc},
    FORMATS(OPTION)
#undef OPTION
        {"urdf", 0, NULL, "a model as URDF; loops as <loop_joint>"},
    {"mjcf", 0, NULL, "a model as MJCF; loops as <equality>"},
    {"output", 'o', "FILE", "of a robot file; else to stdout"},
    {"set", 0, "P=VALUE …", "parameter of the model; VALUE may be an expression; may be given several times"},
    {"frames", 0, "N", "how many poses are written at most, evenly over the run"},
    {"json", 0, NULL, "answer as JSON on stdout: the files written, or what a robot file could not say"},
    {NULL, 0, NULL, NULL},
};

const vgCommand vg_cmd_export = {
    .name = "export",
    .usage = "RESULTS.h5|MODEL.yaml [options]",
    .doc = "write results or a model in formats of other programs",
    .example = "  verge export cart.h5 --gltf\n"
               "  verge export shaft.h5 --vtk beams/shaft.pvd --frames 200 --csv shaft.csv\n"
               "  verge export models/robots/delta.urdf --mjcf -o delta.xml\n",
    .more = "Results: without a name the file goes beside them, with the format's ending.\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = export_results,
};

/* verge fmu: a model as an FMU (Functional Mock-up Unit, FMI 2.0 or 3.0) for other simulation programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "cli/cli.h"
#include "cli/page/job.h"
#include "fmi/export.h"

/* The libraries of all FMUs: beside the program in a build, below the prefix where it is installed. Those for other systems are in
 * folders with the names of the systems (scripts/cross). */
static const char *const places[] = {"", "../libexec/verge/"};
enum { PATH = 1200 };

typedef struct fmuJob {
    vgCliJob job;
    vgFmuExport how;
    vgParamSet *set;
    char **input, **output;
    char library[VG_FMU_BINARIES][PATH];
} fmuJob;

static int has_binary(const vgFmuExport *how, const vgFmiPlatform *p)
{
    for (int i = 0; i < how->nbinary; i++)
        if (how->binary[i].platform == p) return 1;
    return 0;
}

static void find_library(fmuJob *j, const char *folder, const vgFmiPlatform *p)
{
    char *path = j->library[j->how.nbinary];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (p == vg_fmi_here())
            snprintf(path, PATH, "%s%sverge-fmu.%s", folder, places[i], p->library);
        else
            snprintf(path, PATH, "%s%sfmu/%s/verge-fmu.%s", folder, places[i], p->tuple, p->library);
        if (access(path, R_OK) != 0) continue;
        j->how.binary[j->how.nbinary++] = (vgFmuBinary){p, path};
        return;
    }
}

/* --binary TUPLE=FILE, then what was built or installed with the program. */
static int find_libraries(const vgArgs *args, fmuJob *j)
{
    char folder[PATH / 2];
    for (int i = 0; i < vg_cli_given(args, "binary"); i++) {
        const char *word = vg_cli_nth(args, "binary", i), *file = strchr(word, '=');
        const vgFmiPlatform *p = file ? vg_fmi_platform(word, (int)(file - word)) : NULL;
        if (!p)
            return vg_cli_wrong("--binary %s: expected SYSTEM=FILE, with x86_64-linux, aarch64-linux or "
                                "x86_64-windows",
                                word);
        if (access(file + 1, R_OK) != 0) return vg_cli_wrong("--binary %s: no such file", word);
        j->how.binary[j->how.nbinary++] = (vgFmuBinary){p, file + 1};
    }
    vg_os_program(folder, sizeof folder);
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = 0;
    for (const vgFmiPlatform *p = vg_fmi_platforms; p->tuple; p++)
        if (!has_binary(&j->how, p)) find_library(j, folder, p);
    if (has_binary(&j->how, vg_fmi_here())) return VG_EXIT_OK;
    vg_cli_wrong("the library of FMUs, verge-fmu.so, is not beside the program; it is built and "
                 "installed with it");
    return VG_EXIT_FAILED;
}

static int read_kind(const vgArgs *args, fmuJob *j)
{
    const char *fmi = vg_cli_value(args, "fmi"), *type = vg_cli_value(args, "type");
    if (fmi && strcmp(fmi, "2") != 0 && strcmp(fmi, "3") != 0)
        return vg_cli_wrong("--fmi is 2 or 3, not '%s'", fmi);
    if (type && strcmp(type, "cs") != 0 && strcmp(type, "me") != 0)
        return vg_cli_wrong("--type is cs (co-simulation) or me (model exchange), not '%s'", type);
    j->how.version = fmi ? fmi[0] - '0' : 2;
    j->how.exchange = type && type[0] == 'm';
    if (j->how.exchange &&
        (vg_cli_value(args, "integrator") || vg_cli_value(args, "constraints") || vg_cli_value(args, "step")))
        return vg_cli_wrong(
            "in model exchange the other program integrates: no --integrator, --constraints or --step");
    return VG_EXIT_OK;
}

static int read_options(const vgArgs *args, fmuJob *j)
{
    vgFmuExport *how = &j->how;
    const char *input = vg_cli_value(args, "inputs"), *output = vg_cli_value(args, "outputs"), *wrong;
    how->path = vg_cli_value(args, "output");
    how->coordinates = vg_cli_value(args, "coordinates");
    how->constraints = vg_cli_value(args, "constraints");
    how->integrator = vg_cli_value(args, "integrator");
    int step = vg_cli_number(args, "step", 0, &how->step), code = read_kind(args, j);
    if (step < 0 || code != VG_EXIT_OK) return VG_EXIT_INPUT;
    if (step > 0 && !(how->step > 0)) return vg_cli_wrong("--step: it must be above 0");
    if (!how->path) return vg_cli_wrong("no output: give -o MODEL.fmu");
    how->ninput = how->noutput = -1;
    if (input) j->input = vg_cli_split(input, &how->ninput);
    if (output) j->output = vg_cli_split(output, &how->noutput);
    how->input = (const char *const *)j->input;
    how->output = (const char *const *)j->output;
    how->nset = vg_cli_given(args, "set");
    const char **text = calloc((size_t)how->nset + 1, sizeof *text);
    for (int i = 0; text && i < how->nset; i++) text[i] = vg_cli_nth(args, "set", i);
    vgStatus status = text ? vg_model_settings(text, how->nset, 0, &j->set, &wrong) : VG_NO_MEMORY;
    free(text);
    how->set = j->set;
    if (status == VG_BAD_INPUT) return vg_cli_wrong("--set: '%s' must be NAME=VALUE", wrong);
    return status == VG_OK && (!input || j->input) && (!output || j->output) ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static void say_what(const fmuJob *j, const vgFmuReport *r, int as_json)
{
    const char *kind = j->how.exchange ? "model exchange" : "co-simulation";
    if (as_json) {
        vgJson json = {.indent = 2};
        vg_json_open(&json, NULL, '{');
        vg_cli_status(&json, 1, NULL);
        vg_json_text(&json, "output", j->how.path);
        vg_json_int(&json, "fmi", j->how.version);
        vg_json_text(&json, "type", kind);
        vg_json_int(&json, "parameters", r->parameters);
        vg_json_int(&json, "tunable", r->tunable);
        vg_json_int(&json, "calculated", r->calculated);
        vg_json_int(&json, "inputs", r->inputs);
        vg_json_int(&json, "outputs", r->outputs);
        vg_json_int(&json, "states", r->states);
        vg_json_int(&json, "files", r->files);
        vg_json_open(&json, "systems", '[');
        for (int i = 0; i < j->how.nbinary; i++) vg_json_text(&json, NULL, j->how.binary[i].platform->tuple);
        vg_json_close(&json);
        vg_json_close(&json);
        vg_cli_answer(&json);
        return;
    }
    printf("%s: FMI %d.0, %s\n", j->how.path, j->how.version, kind);
    printf("  parameters     %d, of which %d can be tuned during a run and %d are calculated\n",
           r->parameters, r->tunable, r->calculated);
    printf("  inputs         %d\n  outputs        %d\n", r->inputs, r->outputs);
    if (j->how.exchange) printf("  states         %d\n", r->states);
    printf("  model files    %d\n", r->files);
    for (int i = 0; i < j->how.nbinary; i++)
        printf("  binary         %s, %.1f MB\n", j->how.binary[i].platform->words,
               (double)r->bytes[i] * 1e-6);
}

static int run(const vgArgs *args)
{
    fmuJob *j = calloc(1, sizeof *j);
    vgFmuReport report;
    if (!j) return VG_EXIT_FAILED;
    int code = read_options(args, j);
    if (code == VG_EXIT_OK) code = vg_cli_load(args, vg_cli_word(args, 0), &j->job);
    if (code == VG_EXIT_OK) code = find_libraries(args, j);
    if (code == VG_EXIT_OK) {
        vgStatus status = vg_fmu_export(j->job.model, &j->how, j->job.diag, &report);
        if (status == VG_OK)
            vg_cli_say(j->job.diag), say_what(j, &report, vg_cli_given(args, "json"));
        else
            code = vg_cli_job_error(&j->job, status);
    }
    vg_cli_unload(&j->job);
    free(j->set);
    free(j->input);
    free(j->output);
    free(j);
    return code;
}

static const vgOption options[] = {
    {"output", 'o', "MODEL.fmu", "the FMU"},
    {"fmi", 0, "2|3", "version of the standard (default 2)"},
    {"type", 0, "cs|me", "co-simulation: Verge integrates (cs); model exchange: the other program does"},
    {"inputs", 0, "NAME,…", "inputs of the FMU (default: all that laws call input.NAME); others stay 0"},
    {"outputs", 0, "CHANNEL,…", "outputs of the FMU (default: what the model records); * is a pattern"},
    {"set", 0, "P=VALUE …",
     "start value of a parameter; VALUE may be an expression; may be given several times"},
    {"coordinates", 0, "C", "first dial (verge list coordinates)"},
    {"constraints", 0, "K", "second dial (verge list constraints)"},
    {"integrator", 0, "NAME[:key=value,…]", "third dial (verge list integrators)"},
    {"step", 0, "H", "step size of the model, s"},
    {"binary", 0, "SYSTEM=FILE …",
     "the library of FMUs for another system (aarch64-linux, x86_64-windows), from a build there or "
     "scripts/cross; "
     "those installed with the program are taken by themselves"},
    {"json", 0, NULL, "one JSON object on stdout instead of the summary"},
    {0},
};

const vgCommand vg_cmd_fmu = {
    .name = "fmu",
    .usage = "MODEL.yaml -o MODEL.fmu [options]",
    .doc = "write a model as an FMU (FMI 2.0, 3.0) for other simulation programs",
    .example = "  verge fmu models/cart-pole.yaml -o cart-pole.fmu\n"
               "  verge fmu models/cart-pole.yaml --fmi 3 --outputs 'joint.*' -o cart-pole.fmu\n"
               "  verge fmu models/double-pendulum.yaml --type me -o double-pendulum.fmu\n",
    .more = "docs/fmi.md says what an FMU of Verge can do.\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = run,
};

/* verge export --urdf, --mjcf: a model as a robot file. */
#include "cli/command/export_robot.h"

#include <stdio.h>

#include "cli/page/job.h"
#include "io/json.h"
#include "model/robot/export.h"

static void tell_json(const vgCliJob *job, const vgExport *x, const char *output)
{
    vgJson json = {.indent = 2};
    vg_json_open(&json, NULL, '{');
    vg_cli_status(&json, 1, NULL);
    vg_json_text(&json, "output", output);
    vg_json_open(&json, "report", '[');
    for (int i = 0; i < x->nnote; i++) {
        const vgExportNote *n = &x->note[i];
        vg_json_open(&json, NULL, '{');
        vg_json_text(&json, "kind", n->kind);
        vg_json_text(&json, "name", n->name);
        vg_json_text(&json, "file", vg_diag_file_name(job->diag, n->loc.file));
        vg_json_int(&json, "line", n->loc.line);
        vg_json_text(&json, "text", n->text);
        vg_json_close(&json);
    }
    vg_json_close(&json);
    vg_json_close(&json);
    vg_cli_answer(&json);
}

static int write_out(const vgArgs *args, const vgCliJob *job, const vgExport *x)
{
    const char *output = vg_cli_value(args, "output");
    if (output && !vg_cli_write(output, vg_text_at(&x->text))) return VG_EXIT_FAILED;
    if (vg_cli_given(args, "json")) {
        tell_json(job, x, output);
        return VG_EXIT_OK;
    }
    for (int i = 0; i < x->nnote; i++)
        fprintf(stderr, "  not said  %s '%s' (line %d): %s\n", x->note[i].kind, x->note[i].name,
                x->note[i].loc.line, x->note[i].text);
    if (!output) fputs(vg_text_at(&x->text), stdout);
    return VG_EXIT_OK;
}

int vg_cli_export_robot(const vgArgs *args)
{
    vgCliJob job = {0};
    vgExport x = {0};
    int urdf = vg_cli_given(args, "urdf");
    if (urdf == vg_cli_given(args, "mjcf")) return vg_cli_wrong("give one of --urdf and --mjcf");
    int code = vg_cli_load(args, vg_cli_word(args, 0), &job);
    if (code == VG_EXIT_OK) {
        vg_cli_say(job.diag);
        if (job.model->planar)
            code = vg_cli_wrong(
                "planar models are not written as robot files; write the model without `planar`");
        else if (!(urdf ? vg_export_urdf : vg_export_mjcf)(job.model, &x))
            code = VG_EXIT_FAILED;
        else
            code = write_out(args, &job, &x);
    }
    vg_export_free(&x);
    vg_cli_unload(&job);
    return code;
}

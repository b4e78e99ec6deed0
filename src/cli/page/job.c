#include "cli/page/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int vg_cli_settings(const vgArgs *args, vgParamSet **set, int *n)
{
    *n = vg_cli_given(args, "set");
    *set = NULL;
    const char **text = calloc((size_t)*n + 1, sizeof *text), *wrong = NULL;
    for (int i = 0; text && i < *n; i++) text[i] = vg_cli_nth(args, "set", i);
    vgStatus status = text ? vg_model_settings(text, *n, 1, set, &wrong) : VG_NO_MEMORY;
    free(text);
    if (status == VG_BAD_INPUT) return vg_cli_wrong("--set: '%s' must be NAME=VALUE", wrong);
    return status == VG_OK ? VG_EXIT_OK : VG_EXIT_FAILED;
}

int vg_cli_job_error(vgCliJob *job, vgStatus status)
{
    int errors = vg_diag_errors(job->diag);
    vg_cli_say(job->diag);
    vg_diag_clear(job->diag);
    if (!errors) vg_cli_wrong("%s", vg_status_text(status));
    int input = status == VG_BAD_INPUT || status == VG_UNSUPPORTED || status == VG_INCONSISTENT;
    return input ? VG_EXIT_INPUT : VG_EXIT_FAILED;
}

/* The command line overrides the model's run part; messages about it must not point into the file then. */
static void override_dials(const vgArgs *args, vgModel *model)
{
    const char *coordinates = vg_cli_value(args, "coordinates"),
               *constraints = vg_cli_value(args, "constraints");
    const char *integrator = vg_cli_value(args, "integrator");
    if (coordinates) model->run.coordinates = coordinates;
    if (constraints) model->run.constraints = constraints;
    if (integrator) model->run.integrator = integrator;
    if (coordinates || constraints || integrator) model->run.loc = VG_NOWHERE;
}

/* What the model was read from beside its own file is not written over. */
static int check_files(const vgArgs *args, const vgModel *model)
{
    const char *slash = strrchr(model->path, '/');
    int n = slash ? (int)(slash - model->path) + 1 : 0, code = VG_EXIT_OK;
    for (const vgModelFile *f = model->files; f && code == VG_EXIT_OK; f = f->next) {
        char *path = malloc((size_t)n + strlen(f->name) + 1);
        if (!path) return VG_EXIT_FAILED;
        sprintf(path, "%.*s%s", n, model->path, f->name);
        code = vg_cli_reads(args, path);
        free(path);
    }
    return code;
}

int vg_cli_load(const vgArgs *args, const char *path, vgCliJob *job)
{
    vgParamSet *set = NULL;
    int n = 0, code = vg_cli_settings(args, &set, &n);
    if (code == VG_EXIT_OK && job->sweep)
        set[n++] = (vgParamSet){.name = job->sweep, .value = job->sweep_value};
    if (code == VG_EXIT_OK) {
        job->diag = vg_diag_new();
        job->model = job->diag ? vg_model_load(path, set, n, job->diag) : NULL;
        if (!job->model)
            code = vg_cli_job_error(job, job->diag ? VG_BAD_INPUT : VG_NO_MEMORY);
        else
            vg_cli_say(job->diag), vg_diag_clear(job->diag);
        if (job->model && vg_cli_given(args, "plain")) job->model->run.plain = 1;
        if (job->model && !job->own_dials) override_dials(args, job->model);
        if (job->model) code = check_files(args, job->model);
    }
    free(set);
    return code;
}

int vg_cli_system(vgCliJob *job)
{
    const vgRunOptions *run = &job->model->run;
    vgStatus status = vg_system_new(job->model, run->coordinates, run->constraints, job->diag, &job->sys);
    return status == VG_OK ? VG_EXIT_OK : vg_cli_job_error(job, status);
}

void vg_cli_unload(vgCliJob *job)
{
    vg_system_free(job->sys);
    vg_model_free(job->model);
    vg_diag_free(job->diag);
    *job = (vgCliJob){0};
}

/* A model on the way through the program: what run, check, list and others share. */
#ifndef VG_CLI_JOB_H
#define VG_CLI_JOB_H

#include "cli/cli.h"
#include "model/model.h"
#include "system/system.h"

typedef struct vgCliJob {
    vgDiag *diag;
    vgModel *model;
    vgSystem *sys;
    const char *sweep; /* a parameter that the command sets itself, after --set; NULL: none */
    double sweep_value;
    int own_dials; /* 1: the command reads the dials itself, as lists */
} vgCliJob;

/* The n values of --set NAME=VALUE, VALUE an expression over the model's parameters, with room for one more; *set is one
 * block to free. Returns an exit code; the messages have been printed. */
int vg_cli_settings(const vgArgs *args, vgParamSet **set, int *n);
/* Reads the model with the --set options and lets --coordinates, --constraints and --integrator override its
 * run part. Returns an exit code; the messages have been said. */
int vg_cli_load(const vgArgs *args, const char *path, vgCliJob *job);
/* The model seen through the coordinates and constraints of its run part. */
int vg_cli_system(vgCliJob *job);
/* Prints the diagnostics (or the status) and returns the exit code: wrong input, or a failed computation for a
 * correct model that cannot start. */
int vg_cli_job_error(vgCliJob *job, vgStatus status);
void vg_cli_unload(vgCliJob *job);

#endif

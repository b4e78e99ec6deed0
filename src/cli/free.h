/* What sensitivity, identify and optimize share: a model as a function of some of its parameters. */
#ifndef VG_CLI_FREE_H
#define VG_CLI_FREE_H

#include "analysis/study/batch.h"
#include "cli/cli.h"
#include "cli/progress.h"

typedef struct vgCliFree {
    const vgArgs *args;
    vgDiag *diag;
    vgSource *source;
    vgParamSet *set;
    vgQuantities *quantities;
    vgBatch batch;
    char *name[VG_PLAN_PARAMETERS];
    double low[VG_PLAN_PARAMETERS], high[VG_PLAN_PARAMETERS]; /* of --free */
    double value[VG_PLAN_PARAMETERS];                         /* the model's */
    char title[200];
    vgProgress progress;
    double started;
} vgCliFree;

#define VG_FREE_OPTIONS                                                                                      \
    {"end", 0, "T", "end time, s (default: the model's)"},                                                   \
        {"step", 0, "H", "step, s (default: the model's)"},                                                  \
        {"coordinates", 0, "C", "coordinates (default: the model's)"},                                       \
        {"constraints", 0, "K", "constraints (default: the model's)"},                                       \
        {"integrator", 0, "NAME[:…]", "integrator (default: the model's)"},                                  \
        {"set", 0, "P=VALUE …", "parameter of the model; may be given several times"},                       \
        {"threads", 0, "N", "parallel runs (default: number of cores); results do not depend on it"},        \
        {"plain", 0, NULL, "no fast paths"}, {"quiet", 'q', NULL, "no progress"},                            \
    {                                                                                                        \
        "json", 0, NULL, "one JSON object on stdout"                                                         \
    }

/* Reads the model, dials, times and the names, which `spec` has as NAME=LOW:HIGH,… (ranges) or NAME,…; keep: n quantities.
 * An exit code; messages have been said. */
int vg_free_open(vgCliFree *f, const vgArgs *args, const char *spec, int ranges, const char *const *keep,
                 int n);
/* After histories and times were set: all names are known, values of the model are read. */
int vg_free_check(vgCliFree *f);
/* Says the diagnostics, or the status; an exit code. */
int vg_free_bad(vgCliFree *f, vgStatus status);
void vg_free_close(vgCliFree *f);
/* "verge run MODEL --set k=1 …" with these values. */
void vg_free_command(const vgCliFree *f, const double *value, vgText *text);
/* The parts of a list between commas outside brackets, without blanks at the ends; one block each, *list too. An exit
 * code. */
int vg_free_split(const char *text, char ***list, int *n);
void vg_free_release(char **list, int n);
/* Times of histories, 0, interval, 2 interval, … up to the end, by --interval or a 200th of the end; `end`: that of --end, or
 * 0 for the model's; `most` of them are allowed. An exit code. */
int vg_free_times(const vgArgs *args, const vgModel *model, double end, double most, double **times, long *n);

#endif

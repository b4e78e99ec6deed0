/* Whole runs in memory, and many short ones at a time.
 *
 *     vgRun *run;
 *     vgRunHow how = {.end = 5, .integrator = "radau3"};
 *     if (vg_run(model, &how, diag, &run) == VG_OK) vg_run_save(run, "run.h5", diag);
 *     vg_run_free(run);
 *
 * Part of verge/verge.h, which says what holds for all functions. */
#ifndef VERGE_RUN_H
#define VERGE_RUN_H

#include "verge/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vgDiag vgDiag;
typedef struct vgModel vgModel;

/* ---- a run ---- */

/* How to run. Zero or NULL: as the model's `run:` and `record:` say, else the default. */
typedef struct vgRunHow {
    const char *coordinates, *constraints, *integrator; /* as in vgSimOptions */
    double step, end;                                   /* s */
    double interval;                                    /* of the samples, s */
    int every;                                          /* or a sample every so many steps */
    int events;                                         /* 1: state events are located */
    const char *const *channels; /* [nchannel] recorded instead of the model's; * is a pattern */
    int nchannel;
    /* NULL, or called now and then: 1 ends the run with VG_INTERRUPTED */
    int (*progress)(void *user, double t, double end, long steps);
    void *user;
} vgRunHow;

/* A run as it ended. */
typedef struct vgRun {
    vgStatus status;   /* VG_OK, or why it ended before its end; what was computed is kept */
    const char *error; /* the reason in words: joint or body, equation, time, remedy; "" if there is none */
    double t;          /* time reached, s */
    long nrow;         /* samples */
    int nchannel;
    const char *const *name, *const *unit; /* [nchannel] */
    const double *time;                    /* [nrow] */
    const double *value;                   /* [nrow × nchannel] sample by sample */
    int nwarning;
    const char *const *warning; /* [nwarning] what casts doubt on the result */
    const char *json;           /* statistics, as `verge run --json` prints them */
} vgRun;

/* Runs a model from its start to the end, as `verge run` does.
 *
 * Parameters:
 *   model  the model
 *   how    dials, times and channels; NULL: those of the model
 *   diag   receives errors and warnings; or NULL
 *   out    receives the run, also one that ended early; free it with vg_run_free, before the model
 * Returns: VG_OK; why it ended early, with a run in out; or with NULL in out why it could not begin
 * Example:
 *     const char *record[] = {"joint.*.angle", "energy.total"};
 *     vgRunHow how = {.end = 5, .channels = record, .nchannel = 2};
 *     vgRun *run;
 *     if (vg_run(model, &how, diag, &run) == VG_OK) printf("%ld samples\n", run->nrow);
 *     vg_run_free(run); */
vgStatus vg_run(const vgModel *model, const vgRunHow *how, vgDiag *diag, vgRun **out);

/* Writes a run into a results file.
 *
 * Parameters:
 *   run   the run
 *   path  ends in .h5, .hdf5 or .csv
 *   diag  receives errors; or NULL
 * Returns: VG_OK; VG_IO or VG_BAD_INPUT, with the reason in diag
 * Example:
 *     vgRun *run;
 *     if (vg_run(model, NULL, diag, &run) == VG_OK) vg_run_save(run, "run.h5", diag);
 *     vg_run_free(run); */
vgStatus vg_run_save(const vgRun *run, const char *path, vgDiag *diag);

/* Writes the page that shows results files, the first solid and the others laid over it.
 *
 * Parameters:
 *   results  [n] names of results files (HDF5)
 *   n        their number
 *   page     name of the page, a self-contained HTML file
 *   diag     receives errors; or NULL
 * Returns: VG_OK; VG_UNSUPPORTED if the library was built without the page; VG_BAD_INPUT, VG_IO
 * Example:
 *     const char *files[] = {"run.h5"};
 *     vg_view(files, 1, "run.html", diag); */
vgStatus vg_view(const char *const *results, int n, const char *page, vgDiag *diag);

/* Frees a run.
 *
 * Parameters:
 *   run  the run, or NULL
 * Returns: nothing
 * Example:
 *     vg_run_free(NULL); */
void vg_run_free(vgRun *run);

/* ---- rollouts: many short motions from given states ---- */

/* What to compute. A sample is taken at the start and after each step; the arrays are the caller's. */
typedef struct vgRolloutHow {
    const char *coordinates, *constraints, *integrator; /* as in vgSimOptions */
    double step;                                        /* s; 0: the model's */
    int count, steps;                                   /* motions; steps of each */
    double t;                                           /* time at which all begin, s */
    const double *states; /* [count × n] states to begin with (verge/state.h); NULL: the model's own start */
    int project;          /* 1: they are projected onto the constraints; 0: those that violate them fail */
    const double *inputs; /* [count × steps × inputs] held during each step; NULL: 0 */
    int same_inputs;      /* 1: inputs is [steps × inputs], for all motions */
    const char *const *channels; /* [nchannel] */
    int nchannel;
    double *states_out;   /* [count × (steps + 1) × n]; or NULL */
    double *channels_out; /* [count × (steps + 1) × channels found]; or NULL. Patterns are not taken here */
    int *status; /* [count] VG_OK or why the motion ended early: what it did not reach is NAN. Or NULL */
    int threads; /* 0: one for each processor */
    /* NULL, or called now and then in the caller's thread: 1 ends all with VG_INTERRUPTED */
    int (*progress)(void *user, long done);
    void *user;
} vgRolloutHow;

/* Computes motions side by side. Each is computed as if it were the only one: the results have the same bits for any
 * number of threads.
 *
 * Parameters:
 *   model  the model
 *   how    what to compute
 *   diag   receives the reason of the first motion that failed; or NULL
 * Returns: VG_OK, also if motions failed; otherwise why none could begin, or VG_INTERRUPTED
 * Example:
 *     static double states[100 * 2], motions[100 * 51 * 2];
 *     vgRolloutHow how = {.coordinates = "relative", .step = 0.01, .count = 100, .steps = 50,
 *                         .states = states, .states_out = motions};
 *     if (vg_rollout(model, &how, diag) != VG_OK) return; */
vgStatus vg_rollout(const vgModel *model, const vgRolloutHow *how, vgDiag *diag);

#ifdef __cplusplus
}
#endif

#endif

/* What converge and compare share: a model, methods to try, channels to judge them by, a reference. */
#ifndef VG_CLI_STUDY_H
#define VG_CLI_STUDY_H

#include "analysis/study/compare.h"
#include "cli/page/job.h"
#include "io/json.h"

typedef struct vgStudy {
    const vgArgs *args;
    vgCliJob job;
    char **method;
    int nmethod;
    char *block; /* holds the names of the channels */
    const char *channel[VG_TRIAL_CHANNELS];
    vgTrials trials;
    double step, end, limit;
    int threads;
    vgTrial *reference; /* NULL: none */
} vgStudy;

#define VG_STUDY_OPTIONS                                                                                     \
    {"integrators", 0, "A,B:rho=0.5,…", "methods to try, or all (default: all)"},                            \
        {"end", 0, "T", "end time, s (default: the model's)"},                                               \
        {"channels", 0, "CHANNEL,…",                                                                         \
         "channels whose errors at the end are compared (default: recorded channels)"},                      \
        {"reference", 0, "NAME[:…]|none",                                                                    \
         "reference method (default: an explicit one at 1e-12, else a fine implicit one)"},                  \
        {"reference-step", 0, "H", "its step, where it is not adaptive"},                                    \
        {"limit", 0, "SECONDS", "processor time a run may take (default 60)"},                               \
        {"threads", 0, "N", "parallel runs (default: number of cores); results do not depend on it"},        \
        {"set", 0, "P=VALUE …", "parameter of the model; may be given several times"},                       \
        {"csv", 0, "FILE.csv", "the table as numbers"},                                                      \
    {                                                                                                        \
        "json", 0, NULL, "one JSON object on stdout"                                                         \
    }

/* Reads model, methods, channels and times. An exit code; messages have been said. */
int vg_study_open(vgStudy *study, const vgArgs *args);
/* Runs the reference (unless none is wanted) and the n trials. Dials that suit none of them are wrong input, which is
 * reported before anything runs. */
int vg_study_run(vgStudy *study, vgTrial *trial, int n);
void vg_study_close(vgStudy *study);
/* The first two members of the answer in JSON: status and error. */
void vg_study_status_json(int good, vgJson *json);
/* Opens the answer about n trials: status, error, the channels and the reference. */
void vg_study_begin_json(const vgStudy *study, const vgTrial *trial, int n, vgJson *json);
/* How the reference was made, one line. */
void vg_study_tell_reference(const vgStudy *study, vgText *text);
/* Newton iterations per implicit stage, microseconds per step, model time over processor time. */
double vg_study_iterations(const vgTrial *trial);
double vg_study_step_us(const vgTrial *trial);
double vg_study_realtime(const vgTrial *trial);
/* Members that every trial has in JSON. */
void vg_study_trial_json(const vgStudy *study, const vgTrial *trial, vgJson *json);
/* Writes the text to the file of --csv, if given; 0: could not. */
int vg_study_csv(const vgStudy *study, vgText *text);
/* The command's exit code: told where a run succeeded; dials that suit none of the runs are wrong input. */
int vg_study_verdict(const vgTrial *trial, int n, int told);
/* A number for a narrow column: "–" for what is not. */
const char *vg_study_short(double x, char buffer[24]);

#endif

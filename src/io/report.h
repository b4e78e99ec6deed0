/* The summary of a run: one description, written as JSON or as a table. */
#ifndef VG_IO_REPORT_H
#define VG_IO_REPORT_H

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "io/certificate.h"
#include "io/results.h"

enum { VG_REPORT_SETUP = 4, VG_REPORT_WARNINGS = VG_REPORT_SETUP + VG_DOUBTS + 4 };
/* a number of type long goes in */
#define VG_GROWING_TEXT                                                                                      \
    "in %ld stages Newton's increments grew within the fixed number of iterations: the motion is not to be " \
    "trusted. Try more iterations, a smaller step or newer tangents"

typedef struct vgRunReport {
    const char *path, *title;
    vgStatus status;
    const char *error; /* "" when all went well */
    const char *coordinates, *constraints, *integrator;
    double t;
    vgStats stats;
    double setup_seconds, solve_seconds;
    vgWatch watch;
    long rows;
    int nsetup, nwarning; /* the first nsetup came up before the run and have been said already */
    char warning[VG_REPORT_WARNINGS][600]; /* what casts doubt on the result */
    char moved[400];                       /* what assembly moved or turned visibly; "": nothing */
    char undetermined[300];                /* joints whose reactions are not unique; "": none */
    const char *output;                    /* NULL: none */
    const char *page;                      /* NULL: none */
    const vgChannels *channels;
    const vgCertificate *certificate; /* NULL: not asked for */
    const double *final;              /* values of the channels at the last state, NULL: none */
} vgRunReport;

/* What the start has to say: what assembly moved visibly, and whose reactions are not unique. */
void vg_report_start(vgRunReport *report, const vgSimulation *sim);
/* Opens the results file of a run whose dials and channels the report has. */
vgStatus vg_report_results(const vgRunReport *report, const vgModel *model, const char *path, vgDiag *diag,
                           vgResults **out);
/* The run has ended so: takes its outcome, and what speaks against believing it. */
void vg_report_outcome(vgRunReport *report, const vgTransientResult *end, const vgModel *model);
void vg_report_json(const vgRunReport *report, vgJson *json);
void vg_report_table(const vgRunReport *report, vgText *text);

#endif

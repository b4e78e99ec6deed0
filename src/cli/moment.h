/* A model at one time: at its start, at a time of its run, or in static equilibrium. Shared by equilibrium and
 * modes. */
#ifndef VG_CLI_MOMENT_H
#define VG_CLI_MOMENT_H

#include "analysis/channels/channels.h"
#include "analysis/equilibrium/equilibrium.h"
#include "analysis/modes/modes.h"
#include "analysis/run/simulation.h"
#include "cli/page/job.h"

typedef struct vgMoment {
    vgCliJob job;
    vgSimulation sim;
    vgEquilibrium rest;    /* when one was asked for */
    vgStability stability; /* of the rest */
    vgChannels *channels;
    double *values;
    /* the path to the rest (--arc): rows of load and channels */
    double *path;
    int npath, cap;
} vgMoment;

/* Reads the model (--set) and opens it in native coordinates (lie or planar) with plain constraints, which
 * are what tangents are exact in. Exit codes; messages are said. */
int vg_moment_open(const vgArgs *args, vgMoment *moment);
/* Runs to a time with the model's integrator, or --integrator and --step. */
int vg_moment_run(const vgArgs *args, vgMoment *moment, double t);
/* With --arc the path is kept: channels must have been made. Rest at a time: driven joints are taken there
 * from t = 0 in `steps` steps. */
int vg_moment_rest(const vgArgs *args, vgMoment *moment, double t);
/* A warning if the model gives velocities that a static equilibrium does not have, with the option to use instead
 * (turning: --turning too); NULL: there are none. */
const char *vg_moment_dropped(const vgMoment *moment, int turning, char text[400]);
/* --turning BODY: the steady turning with it. */
int vg_moment_turning(const vgArgs *args, vgMoment *moment);
/* The body that an option names; an exit code. */
int vg_moment_body(const vgArgs *args, const vgMoment *moment, const char *option, int *body);
/* Channels of --print, else of the model's record, else positions, angles and reactions: evaluated now. */
int vg_moment_channels(const vgArgs *args, vgMoment *moment);
void vg_moment_close(vgMoment *moment);

#endif

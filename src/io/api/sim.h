/* A simulation of the C API from inside: what its files share. */
#ifndef VERGE_IO_API_SIM_H
#define VERGE_IO_API_SIM_H

#include "analysis/channels/channels.h"
#include "analysis/realtime/realtime.h"
#include "analysis/run/motion.h"
#include "analysis/run/simulation.h"
#include "analysis/state/partials.h"
#include "analysis/watch/monitor.h"
#include "base/names.h"
#include "io/api/sim_set.h"
#include "verge/verge.h"

struct vgSim {
    const vgModel *model;
    vgSimulation run;
    double step;
    int started;    /* the integrator's history fits the state */
    int jumped;     /* an input was set: accelerations do not fit it yet */
    vgKin *motion;  /* set by the caller and not settled yet; NULL while there is nothing */
    vgKin *room;    /* where motion points then */
    double *before; /* q, v, a, λ, turns before what was set */
    vgNames *known;
    vgChannels **single; /* by index in known: channels asked for one by one */
    int nsingle;
    vgChannels *watched;
    vgMotionRoom shown;       /* reactions are read as in samples of a run: those of the motion */
    int placed;               /* 1: vg_sim_state_place has computed them */
    struct vgSimNames *names; /* of the state's numbers; NULL until they are asked for (state.c) */
    vgPartials *partials;     /* NULL until they are asked for */
    vgInputs inputs;
    vgRealtime realtime;
    int fixed[2];           /* Newton iterations of a step: as the integrator has it, and in real time */
    vgMonitors *monitors;   /* of vg_sim_step and vg_sim_advance */
    vgWatch watch;          /* what they saw */
    vgSimProgress progress; /* of vg_sim_advance; NULL: none */
    void *progress_user;
    vgDiag *diag;
    char error[500];
};

/* Both return the status; the words are kept for vg_sim_error: why, or the first line of sim->diag. */
vgStatus vg_sim_fail(vgSim *sim, vgStatus status, const char *why);
vgStatus vg_sim_fail_diag(vgSim *sim, vgStatus status);

/* q, v, a, λ and turns to sim->before, or from there. */
typedef enum vgSimWay { VG_SIM_KEEP, VG_SIM_BRING_BACK } vgSimWay;
void vg_sim_state_copy(vgSim *sim, vgSimWay which);

/* The simulation is at t in the state x, on the constraints or not, with the accelerations and reactions of index 1: for
 * integrators outside, which look at states that they may not keep. */
vgStatus vg_sim_state_place(vgSim *sim, double t, const double *x);

/* The channel of that name alone, looked up once; its index is that of sim->known. */
vgStatus vg_sim_single(vgSim *sim, const char *name, vgChannels **out);
void vg_sim_names_free(struct vgSimNames *names);

/* The channels' values at the state. */
void vg_sim_values(vgSim *sim, vgChannels *c, double *values);

/* Projections onto the constraints of what a caller has set: to rounding, relative to the model's scales, in far more
 * iterations than Newton's method takes from any motion near the constraints. */
#define VG_SETTLED 1e-14
enum { VG_SETTLE_MOST = 60 };

/* Channels that are sums over the steps see the state: after a step, or where something jumped; moved: by the
 * caller's hand. */
void vg_sim_sum(vgSim *sim);
void vg_sim_sum_moved(vgSim *sim);

#endif

/* verge realtime in three files: options (command/realtime.c), the loops on their processors (realtime_loop.c),
 * the report (realtime_report.c). */
#ifndef VG_CLI_REALTIME_H
#define VG_CLI_REALTIME_H

#include "analysis/realtime/realtime.h"
#include "analysis/realtime/twins.h"
#include "cli/page/job.h"
#include "cli/realtime/udp.h"

struct vgRtJob;

/* One of the simulations that take the same steps, each on a processor of its own. */
typedef struct vgRtTwin {
    struct vgRtJob *run;
    int index, cpu;   /* cpu −1: any */
    int fifo, pinned; /* what the system permitted; pinned −1: to none */
    vgSimulation sim;
    vgRealtime rt;
    vgChannels *channels;
    double *in, *out, *values; /* inputs; q, v and, where frames are sent, the frame; channels */
    int nout;
    long step;            /* that it takes now, from 1 */
    long behind;          /* steps that another was ahead of it at the last one */
    long catch_ups, most; /* how often it fell behind; by how many steps at most */
    int given_up;         /* it was so far behind that nobody knew the inputs any more */
    double stolen;        /* s that the processor was not there during the run; NAN: not known */
    vgBeat beat;
    vgRealtimeReport report;
} vgRtTwin;

typedef struct vgRtJob {
    const vgArgs *args;
    vgCliJob job;
    vgInputs inputs;
    vgUdp udp;
    double rate, duration, early;
    long fixed, steps, ring;
    int ntwin, locked;
    int watch; /* 1: in turns, one of the twins stays awake from step to step */
    vgTwins *twins;
    vgRtTwin *twin;
    const vgRtTwin *foremost; /* after the run: who came farthest */
    vgRealtimeTimes *times;   /* of the outputs that went out, whoever had them first */
    char error[500];
} vgRtJob;

/* Processors that this process may use, the last one first (the first ones serve most of a machine's
 * interrupts), then those that share a core with one of these; at most n. Returns how many. */
int vg_rt_processors(int *cpu, int n);
int vg_rt_may_use(long cpu);
int vg_rt_may_fifo(void);

/* All that is between the set-up and the report. Exit code; run->error has the words. */
int vg_rt_solve(vgRtJob *run);

void vg_rt_tell_json(const vgRtJob *run, int code);
void vg_rt_tell_table(const vgRtJob *run);

#endif

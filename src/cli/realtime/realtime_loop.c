/* The loops of verge realtime: permissions of the system, the time of the first step, which loop answers. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* processors to run on */
#endif
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"
#include "cli/realtime/realtime.h"

enum { PRIORITY = 50, STACK = 1 << 16, NAP = 50000, WATCH = 500 }; /* WATCH: at rates from this on */

/* ---- what the system permits ---- */

/* Processors that are one core to which programs come in turns have the same text; "" not known. */
static void core_of(int cpu, char *text, int n)
{
    char path[100];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *f = fopen(path, "r");
    if (!f || !fgets(text, n, f)) text[0] = 0;
    if (f) fclose(f);
}

static int shares_core(int cpu, const int *with, int n)
{
    char core[200], other[200];
    core_of(cpu, core, sizeof core);
    for (int i = 0; i < n; i++) {
        core_of(with[i], other, sizeof other);
        if (core[0] && strcmp(core, other) == 0) return 1;
    }
    return 0;
}

static int among(int cpu, const int *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i] == cpu) return 1;
    return 0;
}

int vg_rt_processors(int *cpu, int n)
{
    cpu_set_t may;
    int found = 0;
    if (sched_getaffinity(0, sizeof may, &may) != 0) return 0;
    for (int shared = 0; shared < 2; shared++)
        for (int i = CPU_SETSIZE - 1; i >= 0 && found < n; i--)
            if (CPU_ISSET(i, &may) && !among(i, cpu, found) && (shared || !shares_core(i, cpu, found)))
                cpu[found++] = i;
    return found;
}

/* The calling thread on one processor, so that its caches stay its own. */
static int pin(long cpu)
{
    cpu_set_t one;
    if (cpu < 0 || cpu >= CPU_SETSIZE) return -1;
    CPU_ZERO(&one);
    CPU_SET((int)cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? (int)cpu : -1;
}

int vg_rt_may_use(long cpu)
{
    cpu_set_t old;
    if (sched_getaffinity(0, sizeof old, &old) != 0) return 0;
    int may = pin(cpu) >= 0;
    if (may) sched_setaffinity(0, sizeof old, &old);
    return may;
}

/* What a thread may ask of the system, and how it was before. */
typedef struct Rights {
    int policy;
    struct sched_param old;
    cpu_set_t cpus;
} Rights;

static int take_fifo(Rights *x)
{
    struct sched_param fifo = {.sched_priority = PRIORITY};
    x->policy = sched_getscheduler(0);
    return x->policy >= 0 && sched_getparam(0, &x->old) == 0 && sched_setscheduler(0, SCHED_FIFO, &fifo) == 0;
}

int vg_rt_may_fifo(void)
{
    Rights x;
    if (!take_fifo(&x)) return 0;
    sched_setscheduler(0, x.policy, &x.old);
    return 1;
}

/* Pages of the stack that the loop will need are made before they are locked. */
static void touch_stack(void)
{
    volatile char page[STACK];
    for (size_t i = 0; i < sizeof page; i += 512) page[i] = 0;
}

static void take_rights(vgRtTwin *twin, Rights *x)
{
    touch_stack();
    if (sched_getaffinity(0, sizeof x->cpus, &x->cpus) == 0) twin->pinned = pin(twin->cpu);
    twin->fifo = take_fifo(x);
}

static void give_back(const vgRtTwin *twin, const Rights *x)
{
    if (twin->pinned >= 0) sched_setaffinity(0, sizeof x->cpus, &x->cpus);
    if (twin->fifo) sched_setscheduler(0, x->policy, &x->old);
}

/* Keeps the processors out of their deep sleeps, from which they would wake late, while the file is open. */
static int stay_awake(void)
{
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC), none = 0;
    if (fd >= 0 && write(fd, &none, sizeof none) != (ssize_t)sizeof none) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* How long the host of a virtual machine has run something else on this processor, s. */
static double stolen(int cpu)
{
    char line[512];
    int n;
    long long ticks;
    double seconds = NAN;
    FILE *f = cpu >= 0 ? fopen("/proc/stat", "r") : NULL;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "cpu%d %*s %*s %*s %*s %*s %*s %*s %lld", &n, &ticks) == 2 && n == cpu)
            seconds = (double)ticks / (double)sysconf(_SC_CLK_TCK);
    if (f) fclose(f);
    return seconds;
}

/* Who sleeps may be woken late: by a host that gave the processor away, by the system's own work on it. With
 * a processor of its own the loop waits awake half of the time; where others have the same right to it, that
 * would only make them take it away in the middle of a step. Twins that keep watch may sleep longer. */
static double usual_early(const vgRtTwin *twin)
{
    double rate = twin->run->rate;
    int alone = twin->fifo && sysconf(_SC_NPROCESSORS_ONLN) > 1;
    if (twin->run->watch) return 0.25 / rate;
    return alone ? fmin(1e-3, 0.5 / rate) : fmin(2e-4, 0.2 / rate);
}

/* ---- a step ---- */

/* The inputs that all twins use for this step. */
static int before(void *user, vgState *state)
{
    vgRtTwin *twin = user;
    vgRtJob *run = twin->run;
    long behind = vg_twins_begin(run->twins, twin->index, ++twin->step);
    if (behind > 0 && twin->behind == 0) twin->catch_ups++;
    if (behind > twin->most) twin->most = behind;
    twin->behind = behind;
    vgTwinWord word = vg_twins_look(run->twins, twin->index, twin->step, twin->in);
    if (word == VG_TWIN_FIRST) {
        vg_udp_take(&run->udp, &run->inputs, twin->in);
        word = vg_twins_inputs(run->twins, twin->index, twin->step, twin->in);
    }
    twin->given_up = word == VG_TWIN_TOO_LATE;
    for (int i = 0; i < run->inputs.n; i++) vg_inputs_set(&run->inputs, state, i, twin->in[i]);
    return !twin->given_up;
}

/* Its outputs go out if they are the first. */
static int after(void *user, const vgState *state, vgWork *work)
{
    vgRtTwin *twin = user;
    vgUdp *udp = &twin->run->udp;
    const vgSystem *sys = twin->sim.sys;
    double *frame = twin->out + sys->nq + sys->nv;
    if (vg_channels_wants_steps(twin->channels)) vg_channels_step(twin->channels, work, state);
    memcpy(twin->out, state->q, (size_t)sys->nq * sizeof *twin->out);
    memcpy(twin->out + sys->nq, state->v, (size_t)sys->nv * sizeof *twin->out);
    if (udp->nframe > 0) {
        vg_channels_eval(twin->channels, work, state, twin->values);
        vg_udp_frame(udp, twin->channels, twin->values, state, frame);
    }
    vgTwinWord word = vg_twins_outputs(twin->run->twins, twin->index, twin->step, twin->out);
    if (word == VG_TWIN_FIRST) vg_udp_send(udp, frame);
    twin->given_up = word == VG_TWIN_TOO_LATE;
    return word == VG_TWIN_FIRST;
}

/* What after() will need, for the caches. */
static void warm(void *user, const vgState *state, vgWork *work)
{
    vgRtTwin *twin = user;
    vgUdp *udp = &twin->run->udp;
    double *frame = twin->out + twin->sim.sys->nq + twin->sim.sys->nv;
    if (udp->nframe == 0) return;
    vg_channels_eval(twin->channels, work, state, twin->values);
    vg_udp_frame(udp, twin->channels, twin->values, state, frame);
    vg_udp_warm(udp, frame);
}

/* Twins keep watch in turns, a step each: one waits awake, and the others sleep only while it is level with
 * them, so that never all of them need to be woken. */
static int may_sleep(void *user)
{
    const vgRtTwin *twin = user;
    const vgRtJob *run = twin->run;
    int awake = (int)(twin->step % run->ntwin);
    return !run->watch || (awake != twin->index && vg_twins_done(run->twins, awake) >= twin->step);
}

static int stop(void *user)
{
    const vgRtTwin *twin = user;
    return vg_cli_stop_asked() || twin->given_up || vg_twins_differ(twin->run->twins);
}

/* ---- all of them ---- */

/* Where the loops wait for each other before they begin; never later. */
typedef struct Start {
    vgRtJob *run;
    atomic_int gate; /* 0: closed, 1: open, −1: go home */
    atomic_int there;
    atomic_llong due; /* 0: not known yet */
} Start;

typedef struct Thread {
    Start *start;
    vgRtTwin *twin;
    pthread_t id;
} Thread;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
}

/* All listen for interruptions at the same time; the first then says when the first step is due, at a place
 * where none of the processors is interrupted. */
static void begin_together(Start *start, vgRtTwin *twin, const vgRealtimeHooks *hooks)
{
    vgRtJob *run = start->run;
    vg_realtime_listen(&twin->rt, hooks, &twin->beat);
    atomic_fetch_add(&start->there, 1);
    if (twin->index == 0) {
        vgBeat all = twin->beat;
        while (atomic_load(&start->there) < run->ntwin) nap();
        for (int i = 1; i < run->ntwin; i++)
            for (int k = 0; k < VG_BEAT_PLACES; k++) all.place[k] += run->twin[i].beat.place[k];
        atomic_store(&start->due, vg_realtime_moment(&twin->rt, &all));
    }
    while (atomic_load(&start->due) == 0) nap();
    twin->rt.due = atomic_load(&start->due);
}

static void loop(Start *start, vgRtTwin *twin)
{
    vgRtJob *run = start->run;
    vgRealtimeHooks hooks = {.user = twin,
                             .before = before,
                             .after = after,
                             .warm = warm,
                             .may_sleep = may_sleep,
                             .cancelled = stop};
    Rights rights;
    take_rights(twin, &rights);
    twin->rt.early = run->early >= 0 ? run->early : usual_early(twin);
    twin->stolen = -stolen(twin->pinned);
    begin_together(start, twin, &hooks);
    vgStatus status = vg_realtime_run(&twin->rt, run->steps, &hooks, &twin->report);
    twin->stolen += stolen(twin->pinned);
    if (status != VG_OK && status != VG_INTERRUPTED)
        vg_twins_outputs(run->twins, twin->index, twin->step, NULL);
    vg_twins_leave(run->twins, twin->index);
    give_back(twin, &rights);
}

static void *thread(void *user)
{
    Thread *t = user;
    while (atomic_load(&t->start->gate) == 0) nap();
    if (atomic_load(&t->start->gate) > 0) loop(t->start, t->twin);
    return NULL;
}

/* The first loop is that of the calling thread. 0: there were no threads to be had. */
static int run_all(vgRtJob *run)
{
    Start start = {.run = run};
    Thread t[VG_TWINS_MOST];
    int made = 1;
    long long origin = vg_realtime_clock();
    for (int i = 0; i < run->ntwin; i++) run->twin[i].beat.origin = origin;
    for (; made < run->ntwin; made++) {
        t[made] = (Thread){.start = &start, .twin = &run->twin[made]};
        if (pthread_create(&t[made].id, NULL, thread, &t[made]) != 0) break;
    }
    int all = made == run->ntwin, awake = stay_awake();
    run->locked = all && mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    atomic_store(&start.gate, all ? 1 : -1);
    if (all) loop(&start, &run->twin[0]);
    for (int i = 1; i < made; i++) pthread_join(t[i].id, NULL);
    if (awake >= 0) close(awake);
    if (run->locked) munlockall();
    return all;
}

/* ---- what came of it ---- */

static const char *output_name(const vgRtJob *run, int i, char *text, size_t n)
{
    const vgSystem *sys = run->twin[0].sim.sys;
    if (i < 0)
        snprintf(text, n, "whether it can be taken");
    else if (i < sys->nq)
        snprintf(text, n, "coordinate %d", i + 1);
    else if (i < sys->nq + sys->nv)
        snprintf(text, n, "velocity %d, of body '%s'", i - sys->nq + 1,
                 sys->model->body[sys->v_body[i - sys->nq]].name);
    else
        snprintf(text, n, "number %d of its frame", i - sys->nq - sys->nv + 1);
    return text;
}

static void tell_difference(vgRtJob *run)
{
    vgTwinDifference d = vg_twins_difference(run->twins);
    char name[120];
    const vgRtTwin *a = &run->twin[d.twin[0]], *b = &run->twin[d.twin[1]];
    snprintf(run->error, sizeof run->error,
             "twins differ at step %ld (t = %g s) in %s: %.17g on processor %d, %.17g on processor %d. The "
             "same computation must give the same bits: memory, a processor or the program is at fault",
             d.step, (double)d.step / run->rate, output_name(run, d.output, name, sizeof name), d.value[0],
             a->pinned, d.value[1], b->pinned);
}

static int verdict(vgRtJob *run)
{
    run->foremost = &run->twin[0];
    for (int i = 0; i < run->ntwin; i++) {
        const vgRtTwin *t = &run->twin[i];
        vg_realtime_merge(run->times, &t->report.sent);
        vg_latency_merge(&run->times->pause, &t->report.all.pause);
        if (t->report.all.steps > run->foremost->report.all.steps) run->foremost = t;
    }
    const vgRtTwin *t = run->foremost;
    vgStatus status = t->report.status;
    vg_channels_eval(t->channels, t->sim.it->work, t->sim.state, t->values);
    if (vg_twins_differ(run->twins)) {
        tell_difference(run);
        return VG_EXIT_FAILED;
    }
    if (status == VG_INTERRUPTED && run->steps == 0) status = VG_OK; /* the way to end it */
    if (status == VG_OK) return VG_EXIT_OK;
    snprintf(run->error, sizeof run->error, "%s",
             status == VG_INTERRUPTED     ? "interrupted"
             : t->sim.it->failure.text[0] ? t->sim.it->failure.text
                                          : vg_status_text(status));
    return VG_EXIT_FAILED;
}

int vg_rt_solve(vgRtJob *run)
{
    run->watch = run->ntwin > 1 && run->early < 0 && run->rate >= WATCH && vg_rt_may_fifo();
    vg_cli_catch_signals();
    int ran = run_all(run);
    int code = verdict(run);
    if (!ran) snprintf(run->error, sizeof run->error, "the system gives no thread for a second twin");
    return ran ? code : VG_EXIT_FAILED;
}

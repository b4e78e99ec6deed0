/* verge realtime: a model against the clock. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* processors to run on */
#endif
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/realtime.h"
#include "cli/job.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/udp.h"
#include "io/json.h"

enum { PRIORITY = 50, STACK = 1 << 16 };

typedef struct rtJob {
    const vgArgs *args;
    vgCliJob job;
    vgSimulation sim;
    vgRealtime rt;
    vgInputs inputs;
    vgChannels *channels;
    double *values;
    vgUdp udp;
    double rate, duration, early;
    long fixed, steps, cpu;   /* cpu −1: the last one it may use */
    int locked, fifo, pinned; /* what the system permitted; pinned −1: to none */
    double stolen;            /* s that the processor was not there during the run; NAN: not known */
    vgRealtimeReport report;
    char error[500];
} rtJob;

/* ---- set-up ---- */

/* One processor for the loop, so that its caches stay its own: the one asked for, which may be one that the
 * system keeps free of other programs, else the last that may be used (the first ones serve most of a
 * machine's interrupts). old: those it could use before. −1: none. */
static int pin(long wanted, cpu_set_t *old)
{
    cpu_set_t one;
    int cpu = (int)wanted;
    if (sched_getaffinity(0, sizeof *old, old) != 0) return -1;
    for (int i = 0; i < CPU_SETSIZE && wanted < 0; i++)
        if (CPU_ISSET(i, old)) cpu = i;
    if (cpu < 0) return -1;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? cpu : -1;
}

static int read_options(rtJob *run)
{
    const vgArgs *args = run->args;
    const vgModel *m = run->job.model;
    run->rate = 1000;
    run->duration = m->run.end > 0 ? m->run.end : 10;
    if (vg_cli_number(args, "rate", 0, &run->rate) < 0 ||
        vg_cli_number(args, "duration", 0, &run->duration) < 0 ||
        vg_cli_count(args, "fixed", 1, &run->fixed) < 0)
        return VG_EXIT_INPUT;
    run->cpu = -1;
    if (vg_cli_count(args, "cpu", 0, &run->cpu) < 0) return VG_EXIT_INPUT;
    if (run->cpu >= 0) {
        cpu_set_t before;
        if (run->cpu >= CPU_SETSIZE || pin(run->cpu, &before) < 0)
            return vg_cli_wrong("--cpu: processor %ld is not there, or not permitted", run->cpu);
        sched_setaffinity(0, sizeof before, &before);
    }
    if (!(run->rate > 0) || run->rate > 1e6) return vg_cli_wrong("--rate: must be above 0 and at most 1e6");
    run->early = -1;
    if (vg_cli_number(args, "early", 0, &run->early) < 0) return VG_EXIT_INPUT;
    if (run->early > 1 / run->rate)
        return vg_cli_wrong("--early: at most the %g s between two steps", 1 / run->rate);
    if (run->fixed > 50) return vg_cli_wrong("--fixed: at most 50");
    double steps = ceil(run->duration * run->rate - 1e-9);
    if (steps > 1e15) return vg_cli_wrong("--duration: too long");
    run->steps = (long)steps;
    return VG_EXIT_OK;
}

static int make_channels(rtJob *run)
{
    static const char *const usual[] = {"body.*.position.*", "energy.total"};
    const vgModel *m = run->job.model;
    const char *print = vg_cli_value(run->args, "print");
    int nprint = 0;
    char **wanted = vg_cli_split(print ? print : "", &nprint);
    const char **names = calloc((size_t)(m->nrecord + nprint) + 1, sizeof *names);
    vgStatus status = VG_NO_MEMORY;
    if (wanted && names) {
        int n = m->nrecord + nprint;
        for (int i = 0; i < m->nrecord; i++) names[i] = m->record[i];
        for (int i = 0; i < nprint; i++) names[m->nrecord + i] = wanted[i];
        status = n ? vg_channels_new(run->sim.sys, names, n, run->job.diag, &run->channels)
                   : vg_channels_new(run->sim.sys, usual, 2, NULL, &run->channels);
    }
    free(wanted);
    free(names);
    if (status == VG_OK) {
        vg_channels_watch(run->channels, run->sim.it->work);
        run->values = calloc((size_t)vg_channels_count(run->channels) + 1, sizeof *run->values);
        if (!run->values) status = VG_NO_MEMORY;
    }
    return status == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&run->job, status);
}

static int open_ports(rtJob *run)
{
    long out = 0, in = 0;
    if (vg_cli_count(run->args, "udp-out", 1, &out) < 0 || vg_cli_count(run->args, "udp-in", 1, &in) < 0)
        return VG_EXIT_INPUT;
    int code = vg_udp_open(&run->udp, out, in);
    if (code == VG_EXIT_OK && in > 0 && run->inputs.n == 0)
        code = vg_cli_wrong("--udp-in: no law of the model names an input (input.NAME)");
    if (code == VG_EXIT_OK)
        code = vg_udp_describe(&run->udp, run->job.model, run->channels, &run->inputs, run->rate);
    return code;
}

static int prepare(rtJob *run)
{
    int code = vg_cli_load(run->args, vg_cli_word(run->args, 0), &run->job);
    if (code == VG_EXIT_OK) code = read_options(run);
    if (code != VG_EXIT_OK) return code;
    vgDiag *diag = run->job.diag;
    vgStatus status = vg_simulation_open(run->job.model, &(vgDials){0}, diag, &run->sim);
    if (status == VG_OK) status = vg_inputs_new(run->job.model, &run->inputs);
    if (status == VG_OK)
        status = vg_realtime_begin(&run->rt, &run->sim, 1 / run->rate, (int)run->fixed, diag);
    if (status != VG_OK) return vg_cli_job_error(&run->job, status);
    code = make_channels(run);
    if (code == VG_EXIT_OK) code = open_ports(run);
    vg_cli_say(diag); /* warnings of the set-up */
    vg_diag_clear(diag);
    return code;
}

/* ---- the loop ---- */

static void before(void *user, vgState *state)
{
    rtJob *run = user;
    vg_udp_take(&run->udp, &run->inputs, state);
}

static void after(void *user, const vgState *state, vgWork *work)
{
    rtJob *run = user;
    if (vg_channels_wants_steps(run->channels)) vg_channels_step(run->channels, work, state);
    if (run->udp.out < 0) return;
    vg_channels_eval(run->channels, work, state, run->values);
    vg_udp_send(&run->udp, run->channels, run->values, state);
}

static int stop(void *user)
{
    (void)user;
    return vg_cli_stop_asked();
}

/* Pages of the stack that the loop will need are made before they are locked. */
static void touch_stack(void)
{
    volatile char page[STACK];
    for (size_t i = 0; i < sizeof page; i += 512) page[i] = 0;
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
 * would only make them take it away in the middle of a step. */
static double usual_early(const rtJob *run)
{
    int alone = run->fifo && sysconf(_SC_NPROCESSORS_ONLN) > 1;
    return alone ? fmin(1e-3, 0.5 / run->rate) : fmin(2e-4, 0.2 / run->rate);
}

/* Keeps the processor out of its deep sleeps, from which it would wake late, while the file is open. */
static int stay_awake(void)
{
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC), none = 0;
    if (fd >= 0 && write(fd, &none, sizeof none) != (ssize_t)sizeof none) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* What a run may ask of the system, and how it was before. */
typedef struct Rights {
    int policy, awake;
    struct sched_param old;
    cpu_set_t cpus;
} Rights;

static void take_rights(rtJob *run, Rights *x)
{
    struct sched_param fifo = {.sched_priority = PRIORITY};
    touch_stack();
    x->policy = sched_getscheduler(0);
    run->locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
    run->fifo =
        x->policy >= 0 && sched_getparam(0, &x->old) == 0 && sched_setscheduler(0, SCHED_FIFO, &fifo) == 0;
    run->pinned = pin(run->cpu, &x->cpus);
    x->awake = stay_awake();
}

static void give_back(rtJob *run, const Rights *x)
{
    if (x->awake >= 0) close(x->awake);
    if (run->pinned >= 0) sched_setaffinity(0, sizeof x->cpus, &x->cpus);
    if (run->fifo) sched_setscheduler(0, x->policy, &x->old);
    if (run->locked) munlockall();
}

static int solve(rtJob *run)
{
    vgRealtimeHooks hooks = {.user = run, .before = before, .after = after, .cancelled = stop};
    Rights rights;
    if (vg_channels_wants_steps(run->channels))
        vg_channels_step(run->channels, run->sim.it->work, run->sim.state);
    vg_realtime_rehearse(&run->rt);
    vg_cli_catch_signals();
    take_rights(run, &rights);
    if (run->early < 0) run->early = usual_early(run);
    run->rt.early = run->early;
    run->stolen = -stolen(run->pinned);
    vgStatus status = vg_realtime_run(&run->rt, run->steps, &hooks, &run->report);
    run->stolen += stolen(run->pinned);
    give_back(run, &rights);
    vg_channels_eval(run->channels, run->sim.it->work, run->sim.state, run->values);
    if (status == VG_INTERRUPTED && run->steps == 0) status = VG_OK; /* the way to end it */
    run->report.status = status;
    if (status == VG_OK) return VG_EXIT_OK;
    snprintf(run->error, sizeof run->error, "%s",
             status == VG_INTERRUPTED       ? "interrupted"
             : run->sim.it->failure.text[0] ? run->sim.it->failure.text
                                            : vg_status_text(status));
    return VG_EXIT_FAILED;
}

/* ---- the report ---- */

static const struct {
    const char *name;
    double p;
} percentile[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}};
enum { NPERCENTILE = sizeof percentile / sizeof *percentile };

static const struct {
    const char *name, *doc;
} what[] = {
    {"latency", "from the moment a step is due until its outputs are out"},
    {"wake", "until it begins"},
    {"step", "the step itself"},
    {"own", "the program's part of it: the least of the step and its rehearsals"},
    {"io", "inputs and outputs"},
    {"renewal", "of the Newton matrix or a part of it, after the outputs"},
    {"pause", "the machine's: longest standstill, before a step, of a loop that reads the clock"},
};
enum { NWHAT = sizeof what / sizeof *what };

static const vgLatency *latency(const rtJob *run, int i)
{
    const vgRealtimeReport *r = &run->report;
    const vgLatency *all[NWHAT] = {&r->latency, &r->wake, &r->cost, &r->own, &r->io, &r->renewal, &r->pause};
    return all[i];
}

static double mean(const vgLatency *l)
{
    return l->count ? l->sum / (double)l->count : NAN;
}

/* Model time over the time the steps took, and over the time that passed. */
static double factor(const rtJob *run)
{
    return (double)run->report.steps / run->rate / run->report.busy_seconds;
}

static void latency_json(vgJson *json, const char *key, const vgLatency *l)
{
    double from, to;
    long count;
    vg_json_open(json, key, '{');
    vg_json_number(json, "mean", mean(l));
    vg_json_number(json, "min", l->count ? l->min : NAN);
    for (int i = 0; i < NPERCENTILE; i++)
        vg_json_number(json, percentile[i].name, vg_latency_percentile(l, percentile[i].p));
    vg_json_number(json, "max", l->count ? l->max : NAN);
    vg_json_open(json, "histogram", '[');
    for (int i = 0; vg_latency_octave(l, i, &from, &to, &count); i++) {
        if (count == 0) continue;
        vg_json_open(json, NULL, '{');
        vg_json_number(json, "from", from);
        vg_json_number(json, "to", to);
        vg_json_int(json, "count", count);
        vg_json_close(json);
    }
    vg_json_close(json);
    vg_json_close(json);
}

static void udp_json(vgJson *json, const vgUdp *udp)
{
    vg_json_open(json, "udp", '{');
    vg_json_int(json, "sent", udp->sent);
    vg_json_int(json, "lost", udp->lost);
    vg_json_int(json, "inputs_taken", udp->taken);
    vg_json_int(json, "inputs_refused", udp->refused);
    vg_json_close(json);
}

static void tell_json(const rtJob *run, int code)
{
    const vgRealtimeReport *r = &run->report;
    vgJson json = {.indent = 2};
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "status", code == VG_EXIT_OK ? "ok" : "failed");
    vg_json_text(&json, "error", code == VG_EXIT_OK ? NULL : run->error);
    vg_json_text(&json, "model", vg_cli_word(run->args, 0));
    if (run->values) {
        vg_json_text(&json, "coordinates", run->sim.sys->coordinates);
        vg_json_text(&json, "constraints", run->sim.sys->constraints);
        vg_json_text(&json, "integrator", run->sim.it->row->name);
        vg_json_int(&json, "fixed_iterations", run->sim.it->newton_fixed);
        vg_json_number(&json, "rate", run->rate);
        vg_json_number(&json, "t", run->sim.state->t);
        vg_json_int(&json, "steps", r->steps);
        vg_json_int(&json, "deadline_misses", r->misses);
        vg_json_int(&json, "own_misses", r->own_misses);
        vg_json_int(&json, "growing", run->sim.it->stats.growing);
        vg_json_number(&json, "real_time_factor", factor(run));
        vg_json_number(&json, "wall_seconds", r->wall_seconds);
        vg_json_number(&json, "busy_seconds", r->busy_seconds);
        vg_json_bool(&json, "memory_locked", run->locked);
        vg_json_bool(&json, "sched_fifo", run->fifo);
        vg_json_int(&json, "processor", run->pinned);
        vg_json_number(&json, "early", run->early);
        vg_json_number(&json, "stolen_seconds", run->stolen);
        vg_json_int(&json, "page_faults", r->page_faults);
        vg_json_int(&json, "preemptions", r->preemptions);
        for (int i = 0; i < NWHAT; i++) latency_json(&json, what[i].name, latency(run, i));
        udp_json(&json, &run->udp);
        vg_json_open(&json, "final", '{');
        for (int i = 0; i < vg_channels_count(run->channels); i++)
            vg_json_number(&json, vg_channels_name(run->channels, i), run->values[i]);
        vg_json_close(&json);
    }
    vg_json_close(&json);
    vg_cli_answer(&json);
}

static void tell_histogram(const vgLatency *l)
{
    enum { BAR = 40 };
    char bar[BAR + 1];
    double from, to;
    long count;
    for (int i = 0; vg_latency_octave(l, i, &from, &to, &count); i++) {
        if (count == 0) continue;
        /* the logarithm, so that one late step among a million is seen */
        int n = 1 + (int)((BAR - 1) * log((double)count) / fmax(1, log((double)l->count)));
        memset(bar, '#', (size_t)n);
        bar[n] = 0;
        printf("  %10.4g … %-10.4g %9ld %s\n", 1e6 * from, 1e6 * to, count, bar);
    }
}

static void tell_us(double seconds)
{
    printf(" %8.*f", seconds < 0.09 ? 2 : 0, 1e6 * seconds);
}

static void tell_misses(const rtJob *run)
{
    const vgRealtimeReport *r = &run->report;
    printf("  deadline misses %ld", r->misses);
    if (r->misses > 0)
        printf(": %ld the program's own, %ld the machine's", r->own_misses, r->misses - r->own_misses);
    printf("; real-time factor %.4g (model time over time at work)\n", factor(run));
    printf("  the machine: ");
    if (isfinite(run->stolen)) printf("processor taken away by its host for %.3g s, ", run->stolen);
    printf("preempted %ld times, page faults %ld\n", r->preemptions, r->page_faults);
}

static void tell_table(const rtJob *run)
{
    const vgRealtimeReport *r = &run->report;
    printf("%s: %ld steps at %g Hz, %d Newton iterations each; %s · %s · %s\n", vg_cli_word(run->args, 0),
           r->steps, run->rate, run->sim.it->newton_fixed, run->sim.sys->coordinates,
           run->sim.sys->constraints, run->sim.it->row->name);
    printf("  memory %s, scheduling %s", run->locked ? "locked" : "not locked (not permitted)",
           run->fifo ? "SCHED_FIFO" : "as usual (SCHED_FIFO not permitted)");
    if (run->pinned >= 0) printf(", on processor %d", run->pinned);
    printf(", awake %.3g µs before a step\n", 1e6 * run->early);
    tell_misses(run);
    if (run->udp.out >= 0) printf("  datagrams sent %ld, lost %ld\n", run->udp.sent, run->udp.lost);
    if (run->udp.in >= 0) printf("  inputs taken %ld, refused %ld\n", run->udp.taken, run->udp.refused);
    printf("  %-9s%9s", "µs", "mean"); /* µ has two bytes */
    for (int i = 0; i < NPERCENTILE; i++) printf("%9s", percentile[i].name);
    printf("%9s\n", "max");
    for (int k = 0; k < NWHAT; k++) {
        const vgLatency *l = latency(run, k);
        if (l->count == 0) continue;
        printf("  %-8s", what[k].name);
        tell_us(mean(l));
        for (int i = 0; i < NPERCENTILE; i++) tell_us(vg_latency_percentile(l, percentile[i].p));
        tell_us(l->max);
        printf("  %s\n", what[k].doc);
    }
    puts("  latency, µs                 steps");
    tell_histogram(&r->latency);
}

static int realtime(const vgArgs *args)
{
    rtJob *run = calloc(1, sizeof *run);
    if (!run) return VG_EXIT_FAILED;
    run->args = args;
    run->udp.out = run->udp.in = run->pinned = -1;
    int code = prepare(run), ran = code == VG_EXIT_OK;
    if (ran) code = solve(run);
    if (ran && vg_cli_given(args, "json"))
        tell_json(run, code);
    else if (ran)
        tell_table(run);
    if (ran && run->sim.it->stats.growing > 0)
        fprintf(stderr, "verge: warning: " VG_GROWING_TEXT "\n", run->sim.it->stats.growing);
    if (ran && code != VG_EXIT_OK) vg_cli_wrong("%s", run->error);
    vg_udp_close(&run->udp);
    vg_inputs_free(&run->inputs);
    vg_channels_free(run->channels);
    vg_realtime_end(&run->rt);
    free(run->values);
    vg_simulation_close(&run->sim);
    vg_cli_unload(&run->job);
    free(run);
    return code;
}

static const vgOption options[] = {
    {"rate", 0, "HZ", "steps a second; the step is 1/HZ (default 1000)"},
    {"duration", 0, "S", "how long (default: the model's end time, else 10); 0: until Ctrl-C"},
    {"fixed", 0, "N", "Newton iterations in every step (default: the integrator's fixed=…, else 2)"},
    {"early", 0, "S",
     "wake so long before a step is due, rehearse it and wait awake (default: half of the time, at most "
     "1e-3; where SCHED_FIFO is not permitted 2e-4); the whole time: never sleep"},
    {"cpu", 0, "N", "processor to run on (default: the last one there is)"},
    {"coordinates", 0, "C", "first dial (verge list coordinates)"},
    {"constraints", 0, "K", "second dial (verge list constraints)"},
    {"integrator", 0, "NAME[:key=value,…]", "third dial (verge list integrators)"},
    {"set", 0, "P=VALUE …", "parameter of the model; may be given several times"},
    {"print", 0, "CHANNEL,…", "further channels to send and to tell at the end"},
    {"udp-out", 0, "PORT", "send channels and poses of every step to 127.0.0.1:PORT"},
    {"udp-in", 0, "PORT", "take NAME=VALUE texts for input.NAME of the model's laws at 127.0.0.1:PORT"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_realtime = {
    .name = "realtime",
    .usage = "MODEL.yaml [options]",
    .doc = "run a model against the clock and tell how long its steps took",
    .example =
        "  verge realtime models/slider-crank.yaml --rate 1000 --duration 5\n"
        "  verge realtime models/puma560.yaml --coordinates relative --fixed 1 --udp-out 5005 --json\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = realtime,
};

/* What verge realtime tells at its end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/realtime/realtime.h"
#include "io/json.h"

static const struct {
    const char *name;
    double p;
} percentile[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}};
enum { NPERCENTILE = sizeof percentile / sizeof *percentile };

static const struct {
    const char *name, *doc;
} what[] = {
    {"latency", "from the moment a step is due until its outputs are out"},
    {"ready", "the same of this twin, whoever was first"},
    {"wake", "until it begins"},
    {"step", "the step itself"},
    {"own", "the program's part of it: the least of the step and its rehearsals"},
    {"io", "inputs and outputs"},
    {"renewal", "of the Newton matrix or a part of it, after the outputs"},
    {"pause", "the machine's: longest standstill, before a step, of a loop that reads the clock"},
};
enum { LATENCY, READY, WAKE, NWHAT = sizeof what / sizeof *what };

static const vgLatency *latency(const vgRealtimeTimes *t, int i)
{
    const vgLatency *all[NWHAT] = {&t->latency, &t->latency, &t->wake,    &t->cost,
                                   &t->own,     &t->io,      &t->renewal, &t->pause};
    return all[i];
}

/* Of all twins together. */
typedef struct Total {
    double wall, busy, stolen;
    long faults, preemptions, catch_ups;
    int fifo, given_up;
} Total;

static Total total(const vgRtJob *run)
{
    Total x = {.fifo = 1};
    for (int i = 0; i < run->ntwin; i++) {
        const vgRtTwin *t = &run->twin[i];
        const vgRealtimeReport *r = &t->report;
        x.wall = fmax(x.wall, r->wall_seconds);
        x.busy += r->busy_seconds / run->ntwin;
        x.stolen += t->stolen;
        x.faults += r->page_faults;
        x.preemptions += r->preemptions;
        x.catch_ups += t->catch_ups;
        x.fifo = x.fifo && t->fifo;
        x.given_up += t->given_up;
    }
    return x;
}

static double mean(const vgLatency *l)
{
    return l->count ? l->sum / (double)l->count : NAN;
}

/* Model time over the time the steps took. */
static double factor(const vgRtJob *run)
{
    return (double)run->times->steps / run->rate / total(run).busy;
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

static void times_json(vgJson *json, const vgRealtimeTimes *t, int first)
{
    latency_json(json, what[first].name, &t->latency);
    for (int i = WAKE; i < NWHAT; i++) latency_json(json, what[i].name, latency(t, i));
}

static void twins_json(vgJson *json, const vgRtJob *run)
{
    vg_json_open(json, "twins", '[');
    for (int i = 0; i < run->ntwin; i++) {
        const vgRtTwin *t = &run->twin[i];
        const vgRealtimeReport *r = &t->report;
        vg_json_open(json, NULL, '{');
        vg_json_int(json, "processor", t->pinned);
        vg_json_bool(json, "sched_fifo", t->fifo);
        vg_json_int(json, "steps", r->all.steps);
        vg_json_int(json, "steps_first", r->sent.steps);
        vg_json_int(json, "catch_ups", t->catch_ups);
        vg_json_int(json, "most_behind", t->most);
        vg_json_bool(json, "given_up", t->given_up);
        vg_json_int(json, "late", r->all.misses);
        vg_json_number(json, "stolen_seconds", t->stolen);
        vg_json_number(json, "busy_seconds", r->busy_seconds);
        vg_json_int(json, "page_faults", r->page_faults);
        vg_json_int(json, "preemptions", r->preemptions);
        times_json(json, &r->all, READY);
        vg_json_close(json);
    }
    vg_json_close(json);
}

static void run_json(vgJson *json, const vgRtJob *run)
{
    const vgSimulation *sim = &run->foremost->sim;
    Total all = total(run);
    vg_json_text(json, "coordinates", sim->sys->coordinates);
    vg_json_text(json, "constraints", sim->sys->constraints);
    vg_json_text(json, "integrator", sim->it->row->name);
    vg_json_int(json, "fixed_iterations", sim->it->newton_fixed);
    vg_json_number(json, "rate", run->rate);
    vg_json_number(json, "t", sim->state->t);
    vg_json_int(json, "steps", run->times->steps);
    vg_json_int(json, "deadline_misses", run->times->misses);
    vg_json_int(json, "own_misses", run->times->own_misses);
    vg_json_int(json, "growing", sim->it->stats.growing);
    vg_json_number(json, "real_time_factor", factor(run));
    vg_json_number(json, "wall_seconds", all.wall);
    vg_json_number(json, "busy_seconds", all.busy);
    vg_json_bool(json, "memory_locked", run->locked);
    vg_json_bool(json, "sched_fifo", all.fifo);
    vg_json_int(json, "processor", run->twin[0].pinned);
    vg_json_number(json, "early", run->twin[0].rt.early);
    vg_json_bool(json, "watch", run->watch);
    vg_json_number(json, "stolen_seconds", all.stolen);
    vg_json_int(json, "page_faults", all.faults);
    vg_json_int(json, "preemptions", all.preemptions);
    vg_json_bool(json, "twins_agree", !vg_twins_differ(run->twins));
    times_json(json, run->times, LATENCY);
    twins_json(json, run);
    udp_json(json, &run->udp);
}

void vg_rt_tell_json(const vgRtJob *run, int code)
{
    const vgRtTwin *last = run->foremost;
    vgJson json = {.indent = 2};
    vg_json_open(&json, NULL, '{');
    vg_json_text(&json, "status", code == VG_EXIT_OK ? "ok" : "failed");
    vg_json_text(&json, "error", code == VG_EXIT_OK ? NULL : run->error);
    vg_json_text(&json, "model", vg_cli_word(run->args, 0));
    run_json(&json, run);
    vg_json_open(&json, "final", '{');
    for (int i = 0; i < vg_channels_count(last->channels); i++)
        vg_json_number(&json, vg_channels_name(last->channels, i), last->values[i]);
    vg_json_close(&json);
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

static void tell_misses(const vgRtJob *run)
{
    const vgRealtimeTimes *t = run->times;
    printf("  deadline misses %ld", t->misses);
    if (t->misses > 0)
        printf(": %ld the program's own, %ld the machine's", t->own_misses, t->misses - t->own_misses);
    printf("; real-time factor %.4g (model time over time at work)\n", factor(run));
}

static void tell_machine(const vgRtTwin *t)
{
    printf("  the machine: ");
    if (isfinite(t->stolen)) printf("processor taken away by its host for %.3g s, ", t->stolen);
    printf("preempted %ld times, page faults %ld\n", t->report.preemptions, t->report.page_faults);
}

static void tell_times(const vgRealtimeTimes *t, int first, int end, int explain)
{
    for (int k = first; k < end; k++) {
        const vgLatency *l = latency(t, k);
        if (l->count == 0) continue;
        printf("  %-8s", what[k].name);
        tell_us(mean(l));
        for (int i = 0; i < NPERCENTILE; i++) tell_us(vg_latency_percentile(l, percentile[i].p));
        tell_us(l->max);
        printf("  %s\n", explain ? what[k].doc : "");
    }
}

static void tell_twin(const vgRtTwin *t)
{
    const vgRealtimeReport *r = &t->report;
    printf("  twin on processor %d: first with %ld steps", t->pinned, r->sent.steps);
    if (t->catch_ups > 0) printf(", fell behind %ld times, by %ld steps at most", t->catch_ups, t->most);
    puts(t->given_up ? ", then gave up: too far behind" : "");
    tell_machine(t);
    tell_times(&r->all, READY, NWHAT, t->index == 0);
}

static void tell_head(const vgRtJob *run)
{
    const vgSimulation *sim = &run->foremost->sim;
    printf("%s: %ld steps at %g Hz", vg_cli_word(run->args, 0), run->times->steps, run->rate);
    if (!(sim->it->row->flags & VG_INT_EXPLICIT))
        printf(", %d Newton iteration%s each", sim->it->newton_fixed, sim->it->newton_fixed == 1 ? "" : "s");
    printf("; %s · %s · %s\n", sim->sys->coordinates, sim->sys->constraints, sim->it->row->name);
    printf("  memory %s, scheduling %s", run->locked ? "locked" : "not locked (not permitted)",
           total(run).fifo ? "SCHED_FIFO" : "as usual (SCHED_FIFO not permitted)");
    for (int i = 0; i < run->ntwin; i++)
        if (run->twin[i].pinned >= 0)
            printf("%s %d",
                   i > 0            ? " and"
                   : run->ntwin > 1 ? ", twins on processors"
                                    : ", on processor",
                   run->twin[i].pinned);
    printf(", awake %.3g µs before a step%s\n", 1e6 * run->twin[0].rt.early,
           run->watch ? ", one in turns all the time" : "");
}

void vg_rt_tell_table(const vgRtJob *run)
{
    int alone = run->ntwin == 1;
    const vgUdp *udp = &run->udp;
    tell_head(run);
    tell_misses(run);
    if (alone) tell_machine(&run->twin[0]);
    if (udp->out >= 0) printf("  datagrams sent %ld, lost %ld\n", udp->sent, udp->lost);
    if (udp->in >= 0) printf("  inputs taken %ld, refused %ld\n", udp->taken, udp->refused);
    printf("  %-9s%9s", "µs", "mean"); /* µ has two bytes */
    for (int i = 0; i < NPERCENTILE; i++) printf("%9s", percentile[i].name);
    printf("%9s\n", "max");
    tell_times(run->times, LATENCY, READY, 1);
    if (alone) tell_times(run->times, WAKE, NWHAT, 1);
    for (int i = 0; i < run->ntwin && !alone; i++) tell_twin(&run->twin[i]);
    puts("  latency, µs                 steps");
    tell_histogram(&run->times->latency);
}

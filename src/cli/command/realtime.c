/* verge realtime: a model against the clock. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/realtime/realtime.h"
#include "io/report.h"

/* How far a twin may be behind: so many steps and seconds, as far as the memory for it goes. */
enum { RING = 4096, RING_SECONDS = 4, RING_BYTES = 1 << 24, RING_LEAST = 64 };

/* ---- options ---- */

static int read_processors(const char *text, int *cpu, int *n)
{
    int parts = 0, code = VG_EXIT_OK;
    char **part = vg_cli_split(text, &parts);
    if (!part) return VG_EXIT_FAILED;
    if (parts < 1 || parts > VG_TWINS_MOST)
        code = vg_cli_wrong("--cpu: '%s' is not a list of 1 to %d processors", text, VG_TWINS_MOST);
    for (int i = 0; i < parts && code == VG_EXIT_OK; i++) {
        char *end;
        errno = 0;
        long k = strtol(part[i], &end, 10);
        if (end == part[i] || *end || errno || k < 0)
            code = vg_cli_wrong("--cpu: '%s' is not a whole number ≥ 0", part[i]);
        else if (!vg_rt_may_use(k))
            code = vg_cli_wrong("--cpu: processor %ld is not there, or not permitted", k);
        for (int j = 0; j < i && code == VG_EXIT_OK; j++)
            if (cpu[j] == k) code = vg_cli_wrong("--cpu: each twin needs a processor of its own");
        cpu[i] = (int)k;
    }
    *n = parts;
    free(part);
    return code;
}

/* Number of twins and their processors. Default: two if the system gives each its own processor; otherwise they
 * would only disturb each other. */
static int place_twins(vgRtJob *run)
{
    const char *text = vg_cli_value(run->args, "cpu");
    int cpu[VG_TWINS_MOST], may = vg_rt_processors(cpu, VG_TWINS_MOST);
    long n = may >= 2 && vg_rt_may_fifo() ? 2 : 1;
    if (text) {
        int code = read_processors(text, cpu, &may);
        if (code != VG_EXIT_OK) return code;
        n = may;
    }
    if (vg_cli_count(run->args, "twins", 1, &n) < 0) return VG_EXIT_INPUT;
    if (n > VG_TWINS_MOST) return vg_cli_wrong("--twins: at most %d", VG_TWINS_MOST);
    if (n > may && (text || n > 1))
        return vg_cli_wrong("--twins: each needs a processor of its own, %s %d",
                            text ? "--cpu names" : "there is but", may);
    run->twin = calloc((size_t)n, sizeof *run->twin);
    if (!run->twin) return VG_EXIT_FAILED;
    run->ntwin = (int)n;
    for (int i = 0; i < run->ntwin; i++)
        run->twin[i] = (vgRtTwin){.run = run, .index = i, .cpu = i < may ? cpu[i] : -1, .pinned = -1};
    return VG_EXIT_OK;
}

static int read_options(vgRtJob *run)
{
    const vgArgs *args = run->args;
    const vgModel *m = run->job.model;
    run->rate = 1000;
    run->duration = m->run.end > 0 ? m->run.end : 10;
    run->early = -1;
    if (vg_cli_given(args, "duration") && vg_cli_given(args, "end"))
        return vg_cli_wrong("--duration and --end are the same: give one");
    if (vg_cli_number(args, "rate", 0, &run->rate) < 0 ||
        vg_cli_number(args, "duration", 0, &run->duration) < 0 ||
        vg_cli_number(args, "end", 0, &run->duration) < 0 || vg_cli_count(args, "fixed", 1, &run->fixed) < 0)
        return VG_EXIT_INPUT;
    if (!(run->rate > 0) || run->rate > 1e6) return vg_cli_wrong("--rate: must be above 0 and at most 1e6");
    if (vg_cli_number(args, "early", 0, &run->early) < 0) return VG_EXIT_INPUT;
    if (run->early > 1 / run->rate)
        return vg_cli_wrong("--early: at most the %g s between two steps", 1 / run->rate);
    if (run->fixed > 50) return vg_cli_wrong("--fixed: at most 50");
    double steps = ceil(run->duration * run->rate - 1e-9);
    if (steps > 1e15) return vg_cli_wrong("--duration: too long");
    run->steps = (long)steps;
    return place_twins(run);
}

/* ---- set-up ---- */

static int make_channels(vgRtTwin *twin)
{
    static const char *const usual[] = {"body.*.position.*", "energy.total"};
    vgRtJob *run = twin->run;
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
        status = n ? vg_channels_new(twin->sim.sys, names, n, run->job.diag, &twin->channels)
                   : vg_channels_new(twin->sim.sys, usual, 2, NULL, &twin->channels);
    }
    free(wanted);
    free(names);
    if (status == VG_OK) {
        vg_channels_watch(twin->channels, twin->sim.it->work);
        twin->values = calloc((size_t)vg_channels_count(twin->channels) + 1, sizeof *twin->values);
        if (!twin->values) status = VG_NO_MEMORY;
    }
    return status == VG_OK ? VG_EXIT_OK : vg_cli_job_error(&run->job, status);
}

static int open_ports(vgRtJob *run)
{
    long out = 0, in = 0;
    const vgRtTwin *twin = &run->twin[0];
    if (vg_cli_count(run->args, "udp-out", 1, &out) < 0 || vg_cli_count(run->args, "udp-in", 1, &in) < 0)
        return VG_EXIT_INPUT;
    int code = vg_udp_open(&run->udp, out, in);
    if (code == VG_EXIT_OK && in > 0 && run->inputs.n == 0)
        code = vg_cli_wrong("--udp-in: no law of the model names an input (input.NAME)");
    if (code == VG_EXIT_OK)
        code = vg_udp_describe(&run->udp, run->job.model, twin->channels, &run->inputs, twin->sim.state,
                               run->rate);
    return code;
}

/* The dials of the command and the model. A model's own method that controls its step gives way to the default one. */
static vgStatus open_simulation(vgRtTwin *twin)
{
    vgRtJob *run = twin->run;
    vgDiag *diag = run->job.diag;
    vgStatus status = vg_simulation_open(run->job.model, &(vgDials){0}, diag, &twin->sim);
    if (status != VG_OK || !twin->sim.it->adaptive || vg_cli_given(run->args, "integrator")) return status;
    vg_simulation_close(&twin->sim);
    vg_diag_warn(diag, VG_NOWHERE,
                 "the model's own method controls its step, so that a step's cost has no bound: "
                 "generalized-alpha is taken in its place");
    return vg_simulation_open(run->job.model, &(vgDials){.integrator = "generalized-alpha"}, diag,
                              &twin->sim);
}

/* All twins are made in the same way, so that they begin with the same bits. */
static int prepare_twin(vgRtTwin *twin)
{
    vgRtJob *run = twin->run;
    vgDiag *diag = run->job.diag;
    if (twin->index > 0) vg_diag_clear(diag); /* it has been said */
    vgStatus status = open_simulation(twin);
    if (status == VG_OK)
        status = vg_realtime_begin(&twin->rt, &twin->sim, 1 / run->rate, (int)run->fixed, diag);
    if (status != VG_OK) return vg_cli_job_error(&run->job, status);
    int code = make_channels(twin);
    if (code != VG_EXIT_OK) return code;
    if (vg_channels_wants_steps(twin->channels))
        vg_channels_step(twin->channels, twin->sim.it->work, twin->sim.state);
    for (int k = 0; k < 2 && status == VG_OK; k++) status = vg_realtime_rehearse(&twin->rt);
    if (status != VG_OK) return vg_cli_job_error(&run->job, status);
    if (twin->index == 0) {
        code = open_ports(run);
        vg_cli_say(diag); /* warnings of the set-up */
    }
    if (code != VG_EXIT_OK) return code;
    twin->nout = twin->sim.sys->nq + twin->sim.sys->nv + run->udp.nframe;
    twin->in = calloc((size_t)run->inputs.n + 1, sizeof *twin->in);
    twin->out = calloc((size_t)twin->nout + 1, sizeof *twin->out);
    return twin->in && twin->out ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static int prepare(vgRtJob *run)
{
    int code = vg_cli_load(run->args, vg_cli_word(run->args, 0), &run->job);
    if (code == VG_EXIT_OK) code = read_options(run);
    if (code != VG_EXIT_OK) return code;
    vgStatus status = vg_inputs_new(run->job.model, &run->inputs);
    if (status != VG_OK) return vg_cli_job_error(&run->job, status);
    for (int i = 0; i < run->ntwin && code == VG_EXIT_OK; i++) {
        code = prepare_twin(&run->twin[i]);
        /* who is busy without an end leaves the machine at least the other processors */
        if (!vg_cli_given(run->args, "twins") && !vg_cli_given(run->args, "cpu") &&
            2e-9 * (double)run->twin[0].rt.took * run->rate > 1)
            run->ntwin = 1;
    }
    if (code != VG_EXIT_OK) return code;
    int nout = run->twin[0].nout;
    double most = fmax(RING_LEAST, RING_BYTES / (8.0 * (run->inputs.n + nout + 1)));
    run->ring = (long)fmin(most, fmax(RING, RING_SECONDS * run->rate));
    run->times = calloc(1, sizeof *run->times);
    if (run->times) status = vg_twins_new(run->ntwin, run->inputs.n, nout, run->ring, &run->twins);
    return run->times && status == VG_OK ? VG_EXIT_OK : VG_EXIT_FAILED;
}

static void clean_up(vgRtJob *run)
{
    for (int i = 0; i < run->ntwin; i++) {
        vgRtTwin *t = &run->twin[i];
        vg_channels_free(t->channels);
        vg_realtime_end(&t->rt);
        vg_simulation_close(&t->sim);
        free(t->in);
        free(t->out);
        free(t->values);
    }
    vg_twins_free(run->twins);
    vg_udp_close(&run->udp);
    vg_inputs_free(&run->inputs);
    vg_cli_unload(&run->job);
    free(run->times);
    free(run->twin);
    free(run);
}

static int realtime(const vgArgs *args)
{
    vgRtJob *run = calloc(1, sizeof *run);
    if (!run) return VG_EXIT_FAILED;
    run->args = args;
    run->udp.out = run->udp.in = run->udp.sink = -1;
    int code = prepare(run);
    if (code == VG_EXIT_OK) {
        code = vg_rt_solve(run);
        if (vg_cli_given(args, "json"))
            vg_rt_tell_json(run, code);
        else
            vg_rt_tell_table(run);
        long growing = run->foremost->sim.it->stats.growing;
        if (growing > 0) fprintf(stderr, "verge: warning: " VG_GROWING_TEXT "\n", growing);
        if (code != VG_EXIT_OK) vg_cli_wrong("%s", run->error);
    }
    clean_up(run);
    return code;
}

static const vgOption options[] = {
    {"rate", 0, "HZ", "steps a second; the step is 1/HZ (default 1000)"},
    {"duration", 0, "S", "how long (default: the model's end time, else 10); 0: until Ctrl-C"},
    {"end", 0, "S", "the same as --duration"},
    {"fixed", 0, "N", "Newton iterations in every step (default: the integrator's fixed=…, else 2)"},
    {"early", 0, "S",
     "wake up this long before a step is due, rehearse it and wait awake (default: half a period)"},
    {"twins", 0, "N",
     "number of processors that all take every step; the first that is ready sends the outputs (default: 2 "
     "if possible)"},
    {"cpu", 0, "N,…", "processors to run on, one for each twin (default: the last ones)"},
    {"coordinates", 0, "C", "first dial (verge list coordinates)"},
    {"constraints", 0, "K", "second dial (verge list constraints)"},
    {"integrator", 0, "NAME[:key=value,…]", "third dial (verge list integrators)"},
    {"plain", 0, NULL, "general code alone, no fast paths: slower, for comparison (verge list fast-paths)"},
    {"set", 0, "P=VALUE …", "parameter of the model; may be given several times"},
    {"print", 0, "CHANNEL,…", "further channels to send and to print at the end"},
    {"udp-out", 0, "PORT", "send channels and poses of every step to 127.0.0.1:PORT"},
    {"udp-in", 0, "PORT", "receive NAME=VALUE texts for inputs of the model at 127.0.0.1:PORT"},
    {"json", 0, NULL, "one JSON object on stdout"},
    {0},
};

const vgCommand vg_cmd_realtime = {
    .name = "realtime",
    .usage = "MODEL.yaml [options]",
    .doc = "run a model in real time and report how long its steps took",
    .example =
        "  verge realtime models/slider-crank.yaml --rate 1000 --duration 5\n"
        "  verge realtime models/puma560.yaml --coordinates relative --fixed 1 --udp-out 5005 --json\n",
    .min = 1,
    .max = 1,
    .options = options,
    .run = realtime,
};

/* Integrators: what a stage costs beside one written for a single method, what stages cost beside each other,
 * what stepping costs beside evaluating, and how much accuracy a millisecond buys.
 *
 *     bench_integrators [WORD [OTHER]]     only the tables whose title has WORD; of the shares of adaptive
 * runs only those whose model or integrator has OTHER
 *
 * Ratios are taken of runs that alternate within one round, the best of several rounds of each: the machine
 * may have other work. Times are processor time of stepping alone. */
#define _GNU_SOURCE /* names of registers */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "single_method.h"

enum { ROUNDS = 25 };
static const char *wanted = "", *wanted_run = "";

static int title(const char *text)
{
    if (!strstr(text, wanted)) return 0;
    printf("\n%s\n", text);
    return 1;
}

static vgModel *load(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, VERGE_SOURCE_DIR "/models/%s.yaml", name);
    return vg_model_load(path, NULL, 0, NULL);
}

typedef struct Result {
    double seconds, value[8];
    vgStats stats;
    vgStatus status;
} Result;

/* One run; channels may be NULL. */
static Result run_once(const vgModel *m, const vgDials *dials, double step, double end,
                       const char *const *channel, int nchannel)
{
    Result r = {.status = VG_BAD_INPUT};
    vgSimulation sim;
    vgDiag *diag = vg_diag_new();
    if (vg_simulation_open(m, dials, diag, &sim) != VG_OK) {
        printf("%s: %s\n", dials->integrator, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "?");
        vg_diag_free(diag);
        return r;
    }
    vgChannels *c = NULL;
    if (nchannel) vg_channels_new(sim.sys, channel, nchannel, NULL, &c);
    if (c) vg_channels_watch(c, sim.it->work);
    vgTransientOptions o = {.step = step, .end = end, .every = 1 << 30};
    vgTransientResult out;
    vg_work_bind(sim.it->work, sim.state);
    if (c) vg_channels_eval(c, sim.it->work, sim.state, r.value);
    r.status = vg_transient_run(sim.it, sim.state, &o, NULL, &out);
    if (c) vg_channels_eval(c, sim.it->work, sim.state, r.value);
    r.seconds = out.solve_seconds;
    r.stats = out.stats;
    vg_channels_free(c);
    vg_simulation_close(&sim);
    vg_diag_free(diag);
    return r;
}

static const char *mark(int good)
{
    return good ? "✓" : "✗";
}

/* ---- a stage, alone and from the list ---- */

static void stages_alone(void)
{
    static const struct {
        const char *name, *integrator;
        int stages;
        vgSingle method;
    } rows[] = {{"generalized-α", "generalized-alpha:fixed=1", 1, VG_SINGLE_ALPHA},
                {"BDF2", "bdf2:fixed=1", 1, VG_SINGLE_BDF2},
                {"ESDIRK3(2)4", "esdirk324:fixed=1", 3, VG_SINGLE_ESDIRK324}};
    if (!title("stage: µs of an implicit stage with one iteration, squeezer, h = 1e-5")) return;
    printf("%-16s %10s %10s %8s  %s\n", "", "alone", "Verge", "ratio", "goal 1.1");
    vgModel *m = load("squeezer");
    for (int i = 0; i < 3; i++) {
        double alone = 1e30, listed = 1e30;
        int n = 1200 / rows[i].stages; /* short runs, so that some are not disturbed */
        for (int k = 0; k < 5 * ROUNDS; k++) {
            double a = vg_single_run(m, rows[i].method, 1e-5, n);
            Result r =
                run_once(m, &(vgDials){"planar", "index3", rows[i].integrator}, 1e-5, n * 1e-5, NULL, 0);
            alone = fmin(alone, a / (n * rows[i].stages));
            listed = fmin(listed, r.seconds / (double)(n * rows[i].stages));
        }
        printf("%-16s %10.3f %10.3f %8.3f  %s\n", rows[i].name, 1e6 * alone, 1e6 * listed, listed / alone,
               mark(listed <= 1.1 * alone));
    }
    vg_model_free(m);
}

/* ---- steps of several stages beside a step of LMS2 ---- */

static void steps_of_stages(void)
{
    static const struct {
        const char *name;
        int implicit;
    } rows[] = {{"bathe", 2}, {"esdirk324", 3}, {"esdirk325", 4}, {"esdirk436-2", 5}, {"mssth5", 5}};
    static const char *const models[] = {"squeezer", "heavy-top", "slider-crank-3d"};
    if (!title("steps: µs of a step with one iteration a stage, and beside s − 1 steps of LMS2")) return;
    printf("%-18s %-14s %10s %10s %8s  %s\n", "", "", "step", "LMS2", "ratio", "goal 1");
    for (int k = 0; k < 3; k++) {
        vgModel *m = load(models[k]);
        for (int i = 0; i < 5; i++) {
            char name[64];
            double h = m->run.step, one = 1e30, many = 1e30;
            int n = 600;
            snprintf(name, sizeof name, "%s:fixed=1", rows[i].name);
            for (int round = 0; round < ROUNDS; round++) {
                Result a =
                    run_once(m, &(vgDials){NULL, "index3", "lms2:fixed=1"}, h / 10, n * h / 10, NULL, 0);
                Result b = run_once(m, &(vgDials){NULL, "index3", name}, h / 10, n * h / 10, NULL, 0);
                one = fmin(one, a.seconds / n);
                many = fmin(many, b.seconds / n);
            }
            printf("%-18s %-14s %10.3f %10.3f %8.3f  %s\n", models[k], rows[i].name, 1e6 * many, 1e6 * one,
                   many / one / rows[i].implicit, mark(many <= one * rows[i].implicit));
        }
        vg_model_free(m);
    }
}

/* ---- adaptive runs: what is not evaluation ---- */

/* Where a run is, written around every operation of the system and read by a timer's signal: two stores an
 * operation, so that nothing keeps the processor from overlapping it with the rest. The signal comes at the
 * instruction that is about to retire, the one that is waited for. */
enum { ELSEWHERE, OUTSIDE, EVALUATING, MAPPING, VECTORS, PLACES };
static volatile sig_atomic_t where, between; /* between: where a run is when it is in no operation */
static volatile long seen[PLACES];
static const vgSystemOps *inner;
static const vgState *running;
static double running_until;

/* Between operations: the passes over vectors (VG_PASS), and what is written here to look. */
#define SEEN_HERE __attribute__((noinline, section("seen_here"))) static
extern const char __start_vg_passes[], __stop_vg_passes[], __start_seen_here[], __stop_seen_here[];

static uintptr_t instruction(const void *context)
{
    const mcontext_t *m = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    return (uintptr_t)m->gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)m->pc;
#else
    (void)m;
    return 0; /* vectors count with decisions */
#endif
}

static int is_within(uintptr_t at, const char *begin, const char *end)
{
    return at >= (uintptr_t)begin && at < (uintptr_t)end;
}

static void look(int signal_, siginfo_t *info, void *context)
{
    int place = where;
    uintptr_t at = instruction(context);
    (void)signal_;
    (void)info;
    if (place == OUTSIDE && is_within(at, __start_vg_passes, __stop_vg_passes)) place = VECTORS;
    if (place == OUTSIDE && is_within(at, __start_seen_here, __stop_seen_here)) place = ELSEWHERE;
    seen[place]++;
}

#define WHILE(place, call)                                                                                   \
    do {                                                                                                     \
        where = place;                                                                                       \
        call;                                                                                                \
        where = between;                                                                                     \
    } while (0)
#define STATUS_OF(call)                                                                                      \
    do {                                                                                                     \
        vgStatus st;                                                                                         \
        WHILE(EVALUATING, st = call);                                                                        \
        return st;                                                                                           \
    } while (0)

SEEN_HERE void seen_residual(const vgSystem *s, vgWork *w, double t, const double *q, const double *v,
                             const double *a, const double *l, double *r, double *phi)
{
    WHILE(EVALUATING, inner->residual(s, w, t, q, v, a, l, r, phi));
}
SEEN_HERE void seen_ahead(const vgSystem *s, vgWork *w, const vgTangent *p)
{
    WHILE(EVALUATING, inner->approach.ahead(s, w, p));
}
SEEN_HERE vgStatus seen_factor(const vgSystem *s, vgWork *w, const vgTangent *p)
{
    STATUS_OF(inner->factor(s, w, p));
}
SEEN_HERE void seen_solve(const vgSystem *s, vgWork *w, double *x, double *l)
{
    WHILE(EVALUATING, inner->solve(s, w, x, l));
}
SEEN_HERE vgStatus seen_accel(const vgSystem *s, vgWork *w, double t, const double *q, const double *v,
                              double *a, double *l)
{
    STATUS_OF(inner->accel(s, w, t, q, v, a, l));
}
SEEN_HERE vgStatus seen_stage(const vgSystem *s, vgWork *w, const vgExplicit *x)
{
    STATUS_OF(inner->extra.stage(s, w, x));
}
SEEN_HERE void seen_levels(const vgSystem *s, vgWork *w, double t, const double *q, const double *v,
                           const double *a, double *p, double *pd, double *pdd)
{
    WHILE(EVALUATING, inner->levels(s, w, t, q, v, a, p, pd, pdd));
}
SEEN_HERE vgStatus seen_project_q(const vgSystem *s, vgWork *w, double t, double *q, double tol, int most,
                                  int *iter)
{
    STATUS_OF(inner->project_q(s, w, t, q, tol, most, iter));
}
SEEN_HERE vgStatus seen_project_v(const vgSystem *s, vgWork *w, double t, const double *q, double *v)
{
    STATUS_OF(inner->project_v(s, w, t, q, v));
}
SEEN_HERE void seen_levels_here(const vgSystem *s, vgWork *w, double t, const double *q, const double *v,
                                const double *a, double *phi, double *phi_dot, double *phi_ddot)
{
    WHILE(EVALUATING, inner->extra.levels_here(s, w, t, q, v, a, phi, phi_dot, phi_ddot));
}
SEEN_HERE void seen_approach(const vgSystem *s, vgWork *w, int first, double t, const double *q,
                             const double *v, const double *a, double *r)
{
    WHILE(EVALUATING, inner->approach.residual(s, w, first, t, q, v, a, r));
}
SEEN_HERE vgStatus seen_increment(const vgSystem *s, vgWork *w, const vgTangent *p, double *x, double *l,
                                  double *open)
{
    STATUS_OF(inner->sweep.increment(s, w, p, x, l, open));
}
SEEN_HERE vgStatus seen_iterate(const vgSystem *s, vgWork *w, const vgAffine *p, vgIteration *out)
{
    STATUS_OF(inner->sweep.iterate(s, w, p, out));
}
SEEN_HERE vgStatus seen_follow(const vgSystem *s, vgWork *w, double t, double *q, double *v, double *a)
{
    STATUS_OF(inner->dependent.follow(s, w, t, q, v, a));
}
SEEN_HERE void seen_settle(const vgSystem *s, vgWork *w, vgState *state)
{
    WHILE(EVALUATING, inner->dependent.settle(s, w, state));
}
SEEN_HERE void seen_retract(const vgSystem *s, const double *q_r, const double *delta, double *q)
{
    WHILE(MAPPING, inner->retract(s, q_r, delta, q));
}
SEEN_HERE void seen_local(const vgSystem *s, const double *q_r, const double *q, double *delta)
{
    WHILE(MAPPING, inner->local(s, q_r, q, delta));
}
SEEN_HERE void seen_rates(const vgSystem *s, const double *delta, const double *q, const double *v,
                          double *delta_dot)
{
    WHILE(MAPPING, inner->rates(s, delta, q, v, delta_dot));
}
SEEN_HERE void seen_twist(const vgSystem *s, const double *delta, const double *q, const double *delta_dot,
                          double *v)
{
    WHILE(MAPPING, inner->twist(s, delta, q, delta_dot, v));
}
SEEN_HERE const vgKin *seen_kinematics(const vgSystem *s, vgWork *w, double t, const double *q,
                                       const double *v, const double *a)
{
    const vgKin *kin;
    WHILE(MAPPING, kin = inner->kinematics(s, w, t, q, v, a));
    return kin;
}
SEEN_HERE void seen_accept(const vgSystem *s, vgWork *w, double *turn)
{
    WHILE(MAPPING, inner->accept(s, w, turn));
    if (running->t >= running_until) where = between = ELSEWHERE; /* the last row and the clock follow */
}

static vgSystemOps seen_ops(void)
{
    vgSystemOps ops = *inner;
#define SEEN(op, seen) ops.op = inner->op ? seen_##seen : NULL
    SEEN(residual, residual), SEEN(factor, factor), SEEN(solve, solve), SEEN(accel, accel);
    SEEN(levels, levels), SEEN(project_q, project_q), SEEN(project_v, project_v), SEEN(accept, accept);
    SEEN(kinematics, kinematics), SEEN(retract, retract), SEEN(local, local), SEEN(rates, rates);
    SEEN(twist, twist), SEEN(approach.residual, approach), SEEN(approach.ahead, ahead);
    SEEN(extra.stage, stage), SEEN(extra.levels_here, levels_here), SEEN(sweep.increment, increment);
    SEEN(sweep.iterate, iterate), SEEN(dependent.follow, follow), SEEN(dependent.settle, settle);
#undef SEEN
    return ops;
}

typedef struct Seen {
    double seconds;
    long at[PLACES];
} Seen;

/* Stepping alone counts, as in all times: a run tells of its progress before the first step, and accepts the
 * last; memory is taken before and given back behind. */
static void stepping(void *user, double t, double begin, double last, const vgStats *stats)
{
    (void)user;
    (void)begin;
    (void)last;
    (void)stats;
    where = between = t < running_until ? OUTSIDE : ELSEWHERE;
}

static vgStatus run_seen(const vgModel *m, const vgDials *dials, double end, timer_t timer, Seen *out)
{
    const struct itimerspec often = {{0, 97000}, {0, 97000}}, never = {{0, 0}, {0, 0}};
    vgSimulation sim;
    vgStatus st = vg_simulation_open(m, dials, NULL, &sim);
    if (st != VG_OK) return st;
    inner = sim.sys->ops;
    vgSystemOps ops = seen_ops();
    vgTransientOptions o = {.end = end, .every = 1 << 30};
    vgTransientResult res;
    vgSink sink = {.progress = stepping};
    running = sim.state;
    running_until = end;
    where = between = ELSEWHERE;
    ((vgSystem *)sim.sys)->ops = &ops;
    for (int i = 0; i < PLACES; i++) seen[i] = 0;
    timer_settime(timer, 0, &often, NULL);
    st = vg_transient_run(sim.it, sim.state, &o, &sink, &res);
    timer_settime(timer, 0, &never, NULL);
    ((vgSystem *)sim.sys)->ops = inner;
    vg_simulation_close(&sim);
    out->seconds = res.solve_seconds;
    for (int i = 0; i < PLACES; i++) out->at[i] = seen[i];
    return st;
}

static int by_seconds(const void *a, const void *b)
{
    double x = ((const Seen *)a)->seconds, y = ((const Seen *)b)->seconds;
    return (x > y) - (x < y);
}

/* Shares of a run by where it is seen, every 97 µs over three seconds of runs, in those that took at most a
 * tenth longer than the fastest tenth of them (a clock that jumps makes single runs too short): what disturbs
 * the machine makes code that is seldom come to dearer than the rest. deciding: outside all operations of the
 * system and all passes over vectors; vectors: in those passes (first guesses, history, q ⊕ Δ in a vector
 * space, norms), which are linear algebra, too, but the method's; maps: in the system's kinematic maps (⊕, T,
 * T⁻¹, angles of joints, poses), which are evaluations, but those that an integrator for one vector space
 * would not see. deviation: one standard deviation of the first. */
typedef struct Shares {
    double deciding, deviation, vectors, maps;
} Shares;

static int shares_of(const vgModel *m, const vgDials *dials, double end, Shares *out)
{
    enum { MOST = 30000 };
    Seen *run = calloc(MOST, sizeof *run);
    long at[PLACES] = {0};
    timer_t timer;
    vgStatus st = VG_OK;
    int n = 0;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    sigaction(SIGPROF, &(struct sigaction){.sa_sigaction = look, .sa_flags = SA_RESTART | SA_SIGINFO}, NULL);
    if (!run || timer_create(CLOCK_MONOTONIC, &event, &timer)) return 0;
    for (double spent = 0; spent < 3 && n < MOST && st == VG_OK; spent += run[n++].seconds)
        st = run_seen(m, dials, end, timer, &run[n]);
    timer_delete(timer);
    qsort(run, (size_t)n, sizeof *run, by_seconds);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < PLACES && run[k].seconds <= 1.1 * run[n / 10].seconds; i++) at[i] += run[k].at[i];
    free(run);
    double all = (double)(at[OUTSIDE] + at[EVALUATING] + at[MAPPING] + at[VECTORS]);
    out->deciding = (double)at[OUTSIDE] / all;
    out->vectors = (double)at[VECTORS] / all;
    out->maps = (double)at[MAPPING] / all;
    out->deviation = sqrt(out->deciding * (1 - out->deciding) / all);
    return st == VG_OK;
}

static void adaptive_overhead(void)
{
    static const struct {
        const char *model, *coordinates, *constraints, *integrator;
        double end;
    } rows[] = {{"squeezer", "planar", "index1", "dopri5:rtol=1e-7,atol=1e-9", 0.03},
                {"squeezer", "planar", "index1", "dop853:rtol=1e-8,atol=1e-10", 0.03},
                {"squeezer", "planar", "index1", "adams:rtol=1e-8,atol=1e-10", 0.03},
                {"squeezer", "planar", "index2", "bdf:rtol=1e-7,atol=1e-9", 0.03},
                {"squeezer", "planar", "index3", "esdirk436-2:adaptive=1", 0.03},
                {"squeezer", "planar", "index3", "radau3:adaptive=1", 0.03},
                {"squeezer", "planar", "index3", "generalized-alpha:adaptive=1,rtol=1e-4", 0.03},
                {"squeezer", "planar", "index3", "lms2:adaptive=1,rtol=1e-4", 0.03},
                {"squeezer", "relative", "index1", "dop853:rtol=7e-7,atol=7e-9", 0.03},
                {"squeezer", "relative", "index1", "esdirk436-2:adaptive=1", 0.03},
                {"chain", "lie", "index1", "dopri5", 0.1},
                {"chain", "lie", "index3", "esdirk436-2:adaptive=1", 0.1},
                {"puma560", "relative", "index1", "dopri5:rtol=1e-8", 5},
                {"iltis", "relative", "index3", "esdirk436-2:adaptive=1,rtol=1e-4", 0.1},
                {"iltis", "relative", "index3", "generalized-alpha:adaptive=1,rtol=1e-4", 0.5},
                {"iltis", "relative", "index3", "lms2:adaptive=1,rtol=1e-4", 0.5},
                {"iltis", "relative", "index3", "radau3:adaptive=1,rtol=1e-4", 0.5},
                {"iltis", "relative", "index2", "bdf:rtol=1e-5", 0.5},
                {"iltis", "relative", "index1", "adams:rtol=1e-5", 0.5}};
    if (!title("overhead: share of adaptive runs outside residual, Jacobian and linear algebra (deciding), "
               "in the method's own passes over vectors, both, and in kinematic maps"))
        return;
    printf("%-10s %-9s %-7s %-40s %8s      %8s %8s %8s  %s\n", "", "", "", "", "deciding", "vectors", "both",
           "maps", "goal 5 %: deciding, both");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!strstr(rows[i].model, wanted_run) && !strstr(rows[i].integrator, wanted_run)) continue;
        vgModel *m = load(rows[i].model);
        Shares x = {NAN, NAN, NAN, NAN};
        shares_of(m, &(vgDials){rows[i].coordinates, rows[i].constraints, rows[i].integrator}, rows[i].end,
                  &x);
        printf("%-10s %-9s %-7s %-40s %7.1f%% ± %.1f %7.1f%% %7.1f%% %7.1f%%  %s %s\n", rows[i].model,
               rows[i].coordinates, rows[i].constraints, rows[i].integrator, 100 * x.deciding,
               100 * x.deviation, 100 * x.vectors, 100 * (x.deciding + x.vectors), 100 * x.maps,
               mark(x.deciding < 0.05), mark(x.deciding + x.vectors < 0.05));
        fflush(stdout);
        vg_model_free(m);
    }
}

/* ---- work and precision on the squeezer ---- */

static double squeezer_error(const double *value)
{
    static const double ref[7] = {15.81077119515370709711938730,   -15.75637105841183946972775285,
                                  0.04082224011964580485828231963, -0.5347301163420795937701850311,
                                  0.5244099658799540693716558000,  0.5347301163420795937701850311,
                                  1.048080741041937873068515472};
    static const double quarter[7] = {0, 0, 0, 1, 0, -1, 1};
    double worst = 0;
    for (int i = 0; i < 7; i++)
        worst = fmax(worst, fabs((value[i] + quarter[i] * 1.57079632679489661923) / ref[i] - 1));
    return worst;
}

static void work_precision(void)
{
    static const char *const channel[7] = {"joint.O.angle", "joint.F.angle",  "joint.B.angle",
                                           "joint.G.angle", "joint.AG.angle", "joint.H.angle",
                                           "joint.AH.angle"};
    static const struct {
        const char *coordinates, *constraints, *integrator;
        double goal_error, goal_ms; /* 0: none */
        const char *goal;
    } rows[] = {
        {"relative", "index1", "dop853:rtol=7e-7,atol=7e-9", 1e-6, 2, "1e-6 in 2 ms"},
        {"relative", "index1", "dop853:rtol=1e-6,atol=1e-8", 1e-6, 2, "1e-6 in 2 ms"},
        {"relative", "index1", "dop853:rtol=4e-9,atol=4e-11", 1e-9, 5, "1e-9 in 5 ms"},
        {"planar", "index1", "dop853:rtol=7e-7,atol=7e-9", 0, 0, ""},
        {"planar", "index1", "dop853:rtol=1e-8,atol=1e-10", 0, 0, ""},
        {"relative", "index1", "dopri5:rtol=1e-6,atol=1e-8", 0, 0, ""},
        {"relative", "index1", "dopri5:rtol=1e-9,atol=1e-11", 0, 0, ""},
        {"relative", "index1", "adams:rtol=1e-9,atol=1e-11", 0, 0, ""},
        {"planar", "index2", "bdf:rtol=4e-9,atol=4e-11", 1e-7, 13, "1e-7 in 13 ms (IDA)"},
        {"relative", "index2", "bdf:rtol=5e-9,atol=5e-11", 1e-7, 13, "1e-7 in 13 ms (IDA)"},
        {"planar", "index3", "radau3:adaptive=1,rtol=3e-7,atol=3e-9", 1e-7, 13, "1e-7 in 13 ms (IDA)"},
        {"relative", "index1", "esdirk436:adaptive=1,rtol=2e-7,atol=2e-9", 1e-7, 13, "1e-7 in 13 ms (IDA)"},
        {"relative", "index1", "esdirk436-2:adaptive=1,rtol=2e-7,atol=2e-9", 1e-7, 13, "1e-7 in 13 ms (IDA)"},
        {"planar", "index3", "radau3:adaptive=1,rtol=1e-8,atol=1e-10", 6e-9, 34, "6e-9 in 34 ms (IDA, GGL)"}};
    if (!title("precision: squeezer to 0.03 s, largest relative error of the angles and ms")) return;
    vgModel *m = load("squeezer");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double best = 1e30, error = NAN;
        for (int k = 0; k < ROUNDS; k++) {
            Result r = run_once(m, &(vgDials){rows[i].coordinates, rows[i].constraints, rows[i].integrator},
                                0, 0.03, channel, 7);
            best = fmin(best, r.seconds);
            error = squeezer_error(r.value);
        }
        printf("%-9s %-7s %-44s %9.1e %8.2f  %s %s\n", rows[i].coordinates, rows[i].constraints,
               rows[i].integrator, error, 1e3 * best, rows[i].goal,
               rows[i].goal_ms > 0 ? mark(error <= rows[i].goal_error && 1e3 * best <= rows[i].goal_ms) : "");
    }
    vg_model_free(m);
}

/* ---- stabilised methods of [N] ---- */

static void stabilised(void)
{
    static const char *const name[] = {"hht-si2", "nstiff-si2", "hht-add"};
    static const char *const models[] = {"slider-crank", "squeezer"};
    if (!title("stabilised: time beside HHT-I3 ([N] figure 16)")) return;
    printf("%-14s %-12s %10s %10s %8s  %s\n", "", "", "µs/step", "HHT-I3", "ratio", "goal 1.5");
    for (int k = 0; k < 2; k++) {
        vgModel *m = load(models[k]);
        double h = m->run.step, end = k ? 0.03 : 2;
        for (int i = 0; i < 3; i++) {
            double one = 1e30, other = 1e30;
            for (int round = 0; round < ROUNDS; round++) {
                Result a = run_once(m, &(vgDials){NULL, "index3", "hht-i3"}, h, end, NULL, 0);
                Result b = run_once(m, &(vgDials){NULL, NULL, name[i]}, h, end, NULL, 0);
                one = fmin(one, 1e6 * a.seconds / (double)a.stats.steps);
                other = fmin(other, 1e6 * b.seconds / (double)b.stats.steps);
            }
            printf("%-14s %-12s %10.3f %10.3f %8.2f  %s\n", models[k], name[i], other, one, other / one,
                   i < 2 ? mark(other <= 1.5 * one) : "");
        }
        vg_model_free(m);
    }
}

/* ---- rotations by explicit methods ---- */

static double miss(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

typedef struct Rotation {
    const char *model, *integrator, *coordinates;
    double first, end, error; /* the longest step tried */
} Rotation;

/* The longest step, by tenths, that reaches the error, and its time. */
static double time_to_reach(const vgModel *m, const Rotation *x, const double *ref, double *h)
{
    const char *top[3] = {"marker.top.com.position.x", "marker.top.com.position.y",
                          "marker.top.com.position.z"},
               *rotor[3] = {"marker.rotor.L.position.x", "marker.rotor.L.position.y",
                            "marker.rotor.L.position.z"};
    const char *const *channel = x->model[0] == 'r' ? rotor : top;
    vgDials dials = {x->coordinates, "index1", x->integrator};
    for (*h = x->first; *h > 1e-7; *h /= 1.1) {
        Result r = run_once(m, &dials, *h, x->end, channel, 3);
        if (r.status != VG_OK || miss(r.value, ref) > x->error) continue;
        double best = r.seconds;
        for (int k = 0; k < 3; k++) best = fmin(best, run_once(m, &dials, *h, x->end, NULL, 0).seconds);
        return best;
    }
    return NAN;
}

static void rotations(void)
{
    static const struct {
        Rotation on_group, by_angles;
        double goal;
    } rows[] = {
        {{"heavy-top-free", "rk4", "lie", 4e-4, 1, 1e-6},
         {"heavy-top-free", "rk4", "euler-angles", 1.1e-5, 1, 1e-6},
         10},
        {{"heavy-top-free", "dopri5:adaptive=0", "lie", 1e-3, 1, 1e-6},
         {"heavy-top-free", "dopri5:adaptive=0", "euler-angles", 2.5e-5, 1, 1e-6},
         10},
        {{"heavy-top-free", "rk6", "lie", 2e-3, 1, 1e-6},
         {"heavy-top-free", "rk6", "euler-angles", 2.5e-5, 1, 1e-6},
         10},
        {{"heavy-top-free", "dop853:adaptive=0", "lie", 8e-3, 1, 1e-6},
         {"heavy-top-free", "dop853:adaptive=0", "euler-angles", 1e-4, 1, 1e-6},
         10},
        {{"rotor", "dopri5:adaptive=0", "lie", 3e-5, 0.4, 1e-9},
         {"rotor", "dopri5:adaptive=0", "euler-angles", 4e-6, 0.4, 1e-9},
         5},
        {{"rotor", "rk6", "lie", 6e-5, 0.4, 1e-9}, {"rotor", "rk6", "euler-angles", 6e-6, 0.4, 1e-9}, 5},
        /* the angular velocities as unknowns, which [H] defines (its formulation 1) but does not time */
        {{"heavy-top-free", "rk4", "lie", 4e-4, 1, 1e-6},
         {"heavy-top-free", "rk4", "euler-angles-1", 8e-5, 1, 1e-6},
         0},
        {{"heavy-top-free", "dopri5:adaptive=0", "lie", 1e-3, 1, 1e-6},
         {"heavy-top-free", "dopri5:adaptive=0", "euler-angles-1", 2e-4, 1, 1e-6},
         0},
        {{"heavy-top-free", "rk6", "lie", 2e-3, 1, 1e-6},
         {"heavy-top-free", "rk6", "euler-angles-1", 1.5e-4, 1, 1e-6},
         0},
        {{"heavy-top-free", "dop853:adaptive=0", "lie", 8e-3, 1, 1e-6},
         {"heavy-top-free", "dop853:adaptive=0", "euler-angles-1", 4e-4, 1, 1e-6},
         0},
        {{"rotor", "dopri5:adaptive=0", "lie", 3e-5, 0.4, 1e-9},
         {"rotor", "dopri5:adaptive=0", "euler-angles-1", 4.6e-6, 0.4, 1e-9},
         0},
    };
    if (!title("rotations: ms to reach 1e-6 (heavy top, 1 s) and 1e-9 (rotor, 0.4 s), group and Euler angles "
               "([H])"))
        return;
    printf("%-15s %-18s %-15s %9s %9s %9s %9s %7s %8s\n", "", "", "", "h group", "ms", "h angles", "ms",
           "ratio", "of steps");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Rotation *a = &rows[i].on_group, *b = &rows[i].by_angles;
        vgModel *m = load(a->model);
        const char *top[3] = {"marker.top.com.position.x", "marker.top.com.position.y",
                              "marker.top.com.position.z"},
                   *rotor[3] = {"marker.rotor.L.position.x", "marker.rotor.L.position.y",
                                "marker.rotor.L.position.z"};
        double h1, h2;
        Result ref = run_once(m, &(vgDials){"lie", "index1", "dop853:adaptive=0"},
                              a->model[0] == 'r' ? 1e-5 : 2e-4, a->end, a->model[0] == 'r' ? rotor : top, 3);
        double t1 = time_to_reach(m, a, ref.value, &h1), t2 = time_to_reach(m, b, ref.value, &h2);
        printf("%-15s %-18s %-15s %9.2e %9.2f %9.2e %9.2f %7.1f %8.1f", a->model, a->integrator,
               b->coordinates, h1, 1e3 * t1, h2, 1e3 * t2, t2 / t1, h1 / h2);
        if (rows[i].goal > 0) printf("  goal %g %s", rows[i].goal, mark(t2 >= rows[i].goal * t1));
        printf("\n");
        fflush(stdout);
        vg_model_free(m);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) wanted = argv[1];
    if (argc > 2) wanted_run = argv[2];
    stages_alone();
    steps_of_stages();
    adaptive_overhead();
    work_precision();
    stabilised();
    rotations();
    return 0;
}

/* Beams: processor time of a (sub)step, of an element and iteration, memory of an element.
 *
 *     bench_beams [WORD]     WORD: only rows with it
 *
 * The three flexible problems of [Z] on the meshes of [Z] with all its methods, a planar pendulum, and ropes
 * of three-node beams of growing length. Every row is run several times; of every 128 steps the best time
 * counts. The peer's figure is that of MBDyn 2025 (for the pendulum of Exudyn 1.11) for the same work on a
 * machine of the same kind (2 cores of an AMD EPYC), one thread, no output. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

static const char pendulum[] = "verge: 1\nplanar: true\ngravity: [0, -9.81]\nmesh:\n"
                               "  p: {beam: 32, start: {revolute: ground}, to: [2, 0], rectangle: [0.02, "
                               "0.02], E: 1e8, nu: 0.3, rho: 1000}\n";
static const char rope[] = "verge: 1\ngravity: [0, 0, -9.81]\nparameters: {n: 16}\nmesh:\n"
                           "  p: {beam3: n, start: {spherical: ground}, to: [n/16, 0, 0], circle: 0.005, E: "
                           "1e7, nu: 0.3, rho: 1000}\n";

typedef struct Subject {
    const char *name, *model, *text; /* a shipped model, or the model itself */
    const char *integrator;
    double step; /* of a stage */
    int stages, steps, elements;
    const char *set[2];
    double value[2];
    double peer;
} Subject;

#define ROPE(n_, steps_)                                                                                     \
    {                                                                                                        \
        "rope of " #n_ " elements", NULL, rope, "generalized-alpha:rho=0.6", 1e-4, 1, steps_, n_, {"n"},     \
            {n_}, 0                                                                                          \
    }

static const Subject subjects[] = {
    {"pendulum of 32 planar beams", NULL, pendulum, "generalized-alpha", 1e-3, 1, 2000, 32, {0}, {0}, 160},
    ROPE(16, 1000),
    ROPE(128, 400),
    ROPE(1024, 100),
    ROPE(10000, 30),
};
enum { NSUBJECT = sizeof subjects / sizeof subjects[0], LEAST = 4, MOST = 20 };
static const double BUDGET = 0.8; /* seconds a row may take, beyond its first rounds */

/* The problems of [Z] with its steps, to their ends. */
static const Subject problems[] = {
    {"rotating shaft", "rotating-shaft", NULL, NULL, 1e-3, 1, 3500, 16, {0}, {0}, 0},
    {"lateral buckling", "beam-buckling", NULL, NULL, 1e-3, 1, 800, 7, {"n", "nl"}, {5, 1}, 0},
    {"four-bar", "four-bar", NULL, NULL, 4e-3, 1, 3000, 15, {"damping"}, {0}, 0},
};
enum { NPROBLEM = sizeof problems / sizeof problems[0] };

/* The methods of [Z] and the peer's time of a (sub)step in each problem; 0: it fails. */
typedef struct Method {
    const char *name;
    int stages;
    double peer[NPROBLEM];
} Method;

static const Method methods[] = {
    {"lms2", 1, {477, 423, 335}},    {"lms2:rho=0", 1, {573, 471, 344}},  {"lms3", 1, {471, 458, 341}},
    {"lms4", 1, {0, 487, 427}},      {"ss2", 1, {581, 469, 541}},         {"ss3", 1, {592, 491, 572}},
    {"ss4", 1, {617, 508, 566}},     {"bathe", 2, {527, 424, 466}},       {"msstc3", 3, {495, 444, 373}},
    {"msstc4", 4, {487, 454, 369}},  {"msstc5", 5, {484, 466, 383}},      {"mssth3", 3, {615, 521, 0}},
    {"mssth4", 4, {690, 676, 403}},  {"mssth5", 5, {751, 0, 0}},          {"esdirk324", 3, {620, 524, 396}},
    {"esdirk325", 4, {630, 0, 393}}, {"esdirk436-2", 5, {562, 554, 389}}, {"hope", 2, {466, 422, 311}},
};
enum { NMETHOD = sizeof methods / sizeof methods[0] };

enum { PIECE = 128, PIECES = 64 };

typedef struct Result {
    int rounds;
    double step_us, iterations, jacobians, bytes;
    double piece[PIECES]; /* least time of each piece of the run, s */
} Result;

/* The clock at the pieces' ends: steps are shown in batches of PIECE, hence the time between two of them is
 * that of stepping. */
typedef struct Clock {
    long step;
    double at[PIECES + 1];
} Clock;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void tick(void *user, const vgState *state, vgWork *work)
{
    Clock *c = user;
    (void)state, (void)work;
    if (c->step % PIECE == 0 && c->step / PIECE <= PIECES) c->at[c->step / PIECE] = now();
    c->step++;
}

/* Seconds of the whole run: its pieces' best, and the mean of them for the rest that fills no piece. */
static double best(const Clock *c, long steps, double all, Result *r)
{
    int n = (int)(c->step > 0 ? (c->step - 1) / PIECE : 0);
    double sum = 0;
    for (int i = 0; i < n && i < PIECES; i++) {
        double t = c->at[i + 1] - c->at[i];
        if (r->rounds == 0 || t < r->piece[i]) r->piece[i] = t;
        sum += r->piece[i];
    }
    return n > 0 ? sum * (double)steps / ((double)n * PIECE) : all;
}

static double heap(void)
{
    struct mallinfo2 m = mallinfo2();
    return (double)m.uordblks + (double)m.hblkhd;
}

static vgModel *load(const Subject *s, vgDiag *diag)
{
    char path[300];
    vgParamSet set[2] = {{.name = s->set[0], .value = s->value[0]},
                         {.name = s->set[1], .value = s->value[1]}};
    int n = s->set[1] ? 2 : s->set[0] ? 1 : 0;
    if (s->text) return vg_model_parse(s->text, strlen(s->text), s->name, set, n, diag);
    snprintf(path, sizeof path, VERGE_SOURCE_DIR "/models/%s.yaml", s->model);
    return vg_model_load(path, set, n, diag);
}

/* One round: read, set up, run. 0: it could not be done. */
static int once(const Subject *s, vgDiag *diag, Result *r)
{
    double before = heap();
    vgModel *model = load(s, diag);
    if (!model) return 0;
    vgDials dials = {NULL, NULL, s->integrator};
    vgSimulation sim;
    if (vg_simulation_open(model, &dials, diag, &sim) != VG_OK) {
        vg_model_free(model);
        return 0;
    }
    double h = s->step * s->stages;
    vgTransientOptions how = {.step = h, .end = s->steps * h, .every = s->steps};
    Clock clock = {0};
    vgSink sink = {.user = &clock, .step = s->steps > 4 * PIECE ? tick : NULL};
    vgTransientResult out;
    vgStatus status = vg_transient_run(sim.it, sim.state, &how, &sink, &out);
    if (status != VG_OK) vg_diag_error(diag, (vgLoc){0}, "%s", out.failure.text);
    double steps = (double)out.stats.steps * s->stages,
           us = 1e6 * best(&clock, out.stats.steps, out.solve_seconds, r) / steps;
    if (r->rounds++ == 0 || us < r->step_us) r->step_us = us;
    r->iterations = (double)out.stats.newton_iterations / steps;
    r->jacobians = (double)out.stats.jacobians / steps;
    r->bytes = heap() - before;
    vg_simulation_close(&sim);
    vg_model_free(model);
    return status == VG_OK;
}

static int measure(const Subject *s)
{
    Result r = {0};
    vgDiag *diag = vg_diag_new();
    double start = now();
    int good = 1;
    while (good && (r.rounds < LEAST || (r.rounds < MOST && now() - start < BUDGET)))
        good = once(s, diag, &r);
    if (good) {
        double n = s->elements;
        printf("%-32s %9.1f %6.2f %6.2f %8.2f %8.1f", s->name, r.step_us, r.iterations, r.jacobians,
               r.step_us / (n * r.iterations), r.bytes / n / 1000);
        if (s->peer > 0) printf(" %8.0f %6.1f", s->peer, s->peer / r.step_us);
        printf("\n");
    } else {
        printf("%-32s not run: %s\n", s->name, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
    }
    fflush(stdout);
    vg_diag_free(diag);
    return good;
}

int main(int argc, char **argv)
{
    int good = 1;
    const char *word = argc < 2 ? "" : argv[1];
    printf("%-32s %9s %6s %6s %8s %8s %8s %6s\n", "case", "us/stage", "iter", "jac", "us/el/it", "kB/el",
           "peer us", "times");
    for (int p = 0; p < NPROBLEM; p++)
        for (int m = 0; m < NMETHOD; m++) {
            char name[80];
            Subject s = problems[p];
            snprintf(name, sizeof name, "%s, %s", s.name, methods[m].name);
            s.name = name;
            s.integrator = methods[m].name;
            s.stages = methods[m].stages;
            s.steps = (s.steps + s.stages - 1) / s.stages;
            s.peer = methods[m].peer[p];
            if (strstr(name, word)) good &= measure(&s);
        }
    for (int i = 0; i < NSUBJECT; i++)
        if (strstr(subjects[i].name, word)) good &= measure(&subjects[i]);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

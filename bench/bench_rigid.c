/* Rigid bodies: processor time of a step, Newton iterations, set-up and memory of a body.
 *
 *     bench_rigid [FOLDER [WORD]]     writes FOLDER/rigid.csv and FOLDER/rigid.json; WORD: only rows with it
 *
 * Every row is run several times and the best counts: the machine may have other work. Long runs are timed
 * in windows, which do the same in every round, and each window's best counts. The peer's figure is
 * the better one of Exudyn 1.11 and MBDyn 2025 for the same work on a machine of the same kind (2 cores of an
 * AMD EPYC), one thread, no output; 0 where there is none. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

typedef struct subject {
    const char *name, *model;
    int N, kind; /* chain: links; 0 spherical, 1 revolute */
    const char *coordinates, *constraints, *integrator;
    double step;
    int steps;
    double peer; /* µs per step */
    const char *peer_name;
} subject;

static const subject subjects[] = {
    {"pendulum, planar", "pendulum-planar", 0, 0, NULL, NULL, "generalized-alpha", 1e-3, 5000, 3.5, "Exudyn"},
    {"heavy top, h=1e-3", "heavy-top", 0, 0, "lie", NULL, "generalized-alpha", 1e-3, 1000, 4.7, "Exudyn"},
    {"heavy top, h=1e-4", "heavy-top", 0, 0, "lie", NULL, "generalized-alpha", 1e-4, 10000, 7.6, "MBDyn"},
    {"heavy top, the default index2, h=1e-4", "heavy-top", 0, 0, "lie", "index2", "generalized-alpha", 1e-4,
     10000, 7.6, "MBDyn"},
    {"heavy top, Euler parameters, h=1e-4", "heavy-top", 0, 0, "euler-parameters", NULL, "generalized-alpha",
     1e-4, 10000, 12.2, "Exudyn"},
    {"heavy top free, RK4", "heavy-top-free", 0, 0, "lie", NULL, "rk4", 1e-3, 1000, 4.1, "Exudyn"},
    {"heavy top free, Dormand-Prince 5", "heavy-top-free", 0, 0, "lie", NULL, "dopri5:adaptive=0", 1e-3, 1000,
     7.6, "Exudyn"},
    {"heavy top free, RK6", "heavy-top-free", 0, 0, "lie", NULL, "rk6", 1e-3, 1000, 7.1, "Exudyn"},
    {"squeezer, h=1e-5", "squeezer", 0, 0, NULL, NULL, "generalized-alpha", 1e-5, 3000, 45.7, "Exudyn"},
    {"squeezer, the default index2, h=1e-5", "squeezer", 0, 0, NULL, "index2", "generalized-alpha", 1e-5,
     3000, 45.7, "Exudyn"},
    {"squeezer, LMS2, h=1e-5", "squeezer", 0, 0, NULL, NULL, "lms2", 1e-5, 3000, 103, "MBDyn"},
    {"squeezer, natural, h=1e-5", "squeezer", 0, 0, "natural", NULL, "generalized-alpha", 1e-5, 3000, 45.7,
     "Exudyn"},
    {"slider-crank 3d, h=1e-4", "slider-crank-3d", 0, 0, "lie", NULL, "generalized-alpha", 1e-4, 5000, 49.4,
     "Exudyn"},
    {"slider-crank 3d, the default index2, h=1e-4", "slider-crank-3d", 0, 0, "lie", "index2",
     "generalized-alpha", 1e-4, 5000, 49.4, "Exudyn"},
    {"slider-crank 3d, natural, h=1e-4", "slider-crank-3d", 0, 0, "natural", NULL, "generalized-alpha", 1e-4,
     5000, 49.4, "Exudyn"},
    {"puma 560", "puma560", 0, 0, "lie", NULL, "generalized-alpha", 1e-3, 1000, 143, "Exudyn"},
    {"puma 560, Euler parameters", "puma560", 0, 0, "euler-parameters", NULL, "generalized-alpha", 1e-3, 1000,
     110, "Exudyn"},
    {"puma 560, tree", "puma560", 0, 0, "relative", NULL, "generalized-alpha", 1e-3, 1000, 30.3, "Exudyn"},
    {"puma 560, tree, RK4", "puma560", 0, 0, "relative", NULL, "rk4", 1e-3, 1000, 19.8, "Exudyn"},
    {"chain 10, spherical", "chain", 10, 0, "lie", NULL, "generalized-alpha:rho=0.8", 1e-3, 1000, 56,
     "MBDyn"},
    {"chain 100, spherical", "chain", 100, 0, "lie", NULL, "generalized-alpha:rho=0.8", 1e-3, 200, 690,
     "MBDyn"},
    {"chain 100, spherical, the default index2", "chain", 100, 0, "lie", "index2",
     "generalized-alpha:rho=0.8", 1e-3, 200, 690, "MBDyn"},
    {"chain 1000, spherical", "chain", 1000, 0, "lie", NULL, "generalized-alpha:rho=0.8", 1e-3, 200, 11100,
     "Exudyn"},
    {"chain 10000, spherical", "chain", 10000, 0, "lie", NULL, "generalized-alpha:rho=0.8", 1e-3, 200, 0, ""},
    {"chain 10, revolute", "chain", 10, 1, "lie", NULL, "generalized-alpha:rho=0.8", 1e-3, 1000, 0, ""},
    {"chain 100, revolute", "chain", 100, 1, "lie", NULL, "generalized-alpha:rho=0.8", 1e-3, 200, 0, ""},
    {"chain 100, revolute, the default index2", "chain", 100, 1, "lie", "index2", "generalized-alpha:rho=0.8",
     1e-3, 200, 0, ""},
    {"chain 1000, revolute", "chain", 1000, 1, "lie", NULL, "generalized-alpha:rho=0.8", 1e-3, 200, 0, ""},
    {"chain 10000, revolute", "chain", 10000, 1, "lie", NULL, "generalized-alpha:rho=0.8", 1e-3, 200, 0, ""},
    {"chain 10, spherical, natural", "chain", 10, 0, "natural", NULL, "generalized-alpha:rho=0.8", 1e-3, 1000,
     0, ""},
    {"chain 100, spherical, natural", "chain", 100, 0, "natural", NULL, "generalized-alpha:rho=0.8", 1e-3,
     200, 0, ""},
    {"chain 1000, spherical, natural", "chain", 1000, 0, "natural", NULL, "generalized-alpha:rho=0.8", 1e-3,
     200, 0, ""},
    {"chain 10, revolute, natural", "chain", 10, 1, "natural", NULL, "generalized-alpha:rho=0.8", 1e-3, 1000,
     0, ""},
    {"chain 100, revolute, natural", "chain", 100, 1, "natural", NULL, "generalized-alpha:rho=0.8", 1e-3, 200,
     0, ""},
    {"chain 1000, revolute, natural", "chain", 1000, 1, "natural", NULL, "generalized-alpha:rho=0.8", 1e-3,
     200, 0, ""},
    {"chain 10, tree", "chain", 10, 1, "relative", NULL, "generalized-alpha:rho=0.8", 1e-3, 1000, 53,
     "Exudyn"},
    {"chain 100, tree", "chain", 100, 1, "relative", NULL, "generalized-alpha:rho=0.8", 1e-3, 200, 1640,
     "Exudyn"},
    {"chain 1000, tree", "chain", 1000, 1, "relative", NULL, "generalized-alpha:rho=0.8", 1e-3, 200, 138000,
     "Exudyn"},
    {"chain 10000, tree", "chain", 10000, 1, "relative", NULL, "generalized-alpha:rho=0.8", 1e-3, 200, 0, ""},
    {"chain 100, tree, RK4", "chain", 100, 1, "relative", NULL, "rk4", 1e-4, 200, 0, ""},
    {"chain 10000, tree, RK4", "chain", 10000, 1, "relative", NULL, "rk4", 1e-5, 20, 0, ""},
};
enum { NSUBJECT = sizeof subjects / sizeof subjects[0] };

static const double BUDGET = 1.0;    /* seconds a row may take, beyond its first two rounds */
enum { LEAST = 6, MOST = 40 };       /* rounds */
enum { LONG = 1000, WINDOWS = 100 }; /* links of a chain whose run is timed in windows, and how many */

typedef struct result {
    int bodies, rounds;
    long steps;
    double step_us, iterations, jacobians, read_us, setup_us; /* µs in all */
    double model_bytes, work_bytes;
    double window[WINDOWS]; /* µs in all */
} result;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double heap(void)
{
    struct mallinfo2 m = mallinfo2();
    return (double)m.uordblks + (double)m.hblkhd;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static vgStatus run(const subject *s, vgSimulation *sim, result *r, vgTransientResult *out)
{
    int windows = s->N < LONG ? 1 : s->steps < WINDOWS ? s->steps : WINDOWS;
    vgSink sink = {0};
    vgStatus status = VG_OK;
    for (int k = 0; k < windows && status == VG_OK; k++) {
        vgTransientOptions how = {.step = s->step, .every = s->steps, .resume = k > 0};
        how.end = s->step * (double)(s->steps * (k + 1) / windows);
        status = vg_transient_run(sim->it, sim->state, &how, &sink, out);
        double us = 1e6 * out->solve_seconds;
        r->window[k] = r->rounds ? smaller(r->window[k], us) : us;
    }
    return status;
}

/* One round: read, set up, run. 0: it could not be done. */
static int once(const subject *s, vgDiag *diag, result *r)
{
    char path[300], n[24], kind[24];
    snprintf(path, sizeof path, VERGE_SOURCE_DIR "/models/%s.yaml", s->model);
    snprintf(n, sizeof n, "%d", s->N);
    snprintf(kind, sizeof kind, "%d", s->kind);
    vgParamSet set[] = {{.name = "N", .text = n}, {.name = "kind", .text = kind}};
    double heap0 = heap(), start = now();
    vgModel *model = vg_model_load(path, set, s->N > 0 ? 2 : 0, diag);
    if (!model) return 0;
    double read = now(), heap1 = heap();
    vgDials dials = {s->coordinates, s->constraints, s->integrator};
    vgSimulation sim;
    if (vg_simulation_open(model, &dials, diag, &sim) != VG_OK) {
        vg_model_free(model);
        return 0;
    }
    double ready = now(), heap2 = heap();
    vgTransientResult out;
    vgStatus status = run(s, &sim, r, &out);
    if (status != VG_OK) vg_diag_error(diag, (vgLoc){0}, "%s", out.failure.text);
    r->bodies = model->nbody;
    r->steps = out.stats.steps;
    r->step_us = 0;
    for (int k = 0; k < WINDOWS; k++) r->step_us += r->window[k] / s->steps;
    r->iterations = (double)out.stats.newton_iterations / (double)out.stats.steps;
    r->jacobians = (double)out.stats.jacobians / (double)out.stats.steps;
    r->read_us = smaller(r->read_us, 1e6 * (read - start));
    r->setup_us = smaller(r->setup_us, 1e6 * (ready - read));
    r->model_bytes = heap1 - heap0;
    r->work_bytes = heap2 - heap1;
    r->rounds++;
    vg_simulation_close(&sim);
    vg_model_free(model);
    return status == VG_OK;
}

static int measure(const subject *s, result *r)
{
    *r = (result){.step_us = 1e30, .read_us = 1e30, .setup_us = 1e30};
    vgDiag *diag = vg_diag_new();
    double start = now();
    int good = 1;
    while (good && (r->rounds < LEAST || (r->rounds < MOST && now() - start < BUDGET)))
        good = once(s, diag, r);
    if (!good) printf("%-36s not run: %s\n", s->name, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
    vg_diag_free(diag);
    return good;
}

static void show(const subject *s, const result *r)
{
    double n = r->bodies;
    printf("%-36s %9.3f %8.3f %6.2f %6.2f %8.2f %8.2f %8.0f %8.0f", s->name, r->step_us, r->step_us / n,
           r->iterations, r->jacobians, r->read_us / n, r->setup_us / n, r->model_bytes / n,
           r->work_bytes / n);
    if (s->peer > 0) printf(" %9.1f %6.1f %s", s->peer, s->peer / r->step_us, s->peer_name);
    printf("\n");
    fflush(stdout);
}

static void write_csv(FILE *f, const subject *s, const result *r)
{
    fprintf(f, "\"%s\",%s,%d,%g,%ld,%.6g,%.6g,%.4f,%.4f,%.6g,%.6g,%.0f,%.0f,%g,%s,%d\n", s->name,
            s->integrator, r->bodies, s->step, r->steps, r->step_us, r->step_us / r->bodies, r->iterations,
            r->jacobians, r->read_us / r->bodies, r->setup_us / r->bodies, r->model_bytes / r->bodies,
            r->work_bytes / r->bodies, s->peer, s->peer_name, r->rounds);
}

static void write_json(FILE *f, const subject *s, const result *r, int first)
{
    fprintf(f,
            "%s  {\"name\": \"%s\", \"integrator\": \"%s\", \"bodies\": %d, \"step\": %g, \"steps\": %ld, "
            "\"us_per_step\": %.6g, \"iterations\": %.4f, \"jacobians\": %.4f, \"read_us_per_body\": %.6g, "
            "\"setup_us_per_body\": %.6g, \"model_bytes_per_body\": %.0f, \"work_bytes_per_body\": %.0f, "
            "\"peer_us_per_step\": %g, \"peer\": \"%s\", \"rounds\": %d}",
            first ? "" : ",\n", s->name, s->integrator, r->bodies, s->step, r->steps, r->step_us,
            r->iterations, r->jacobians, r->read_us / r->bodies, r->setup_us / r->bodies,
            r->model_bytes / r->bodies, r->work_bytes / r->bodies, s->peer, s->peer_name, r->rounds);
}

static FILE *create(const char *folder, const char *name)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (!f) perror(path);
    return f;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".", *word = argc > 2 ? argv[2] : "";
    FILE *csv = create(folder, "rigid.csv"), *json = create(folder, "rigid.json");
    int done = 0;
    if (!csv || !json) return 1;
    fputs(
        "case,integrator,bodies,step,steps,us_per_step,us_per_step_and_body,iterations,jacobians,read_us_per_"
        "body,setup_us_per_body,model_bytes_per_body,work_bytes_per_body,peer_us_per_step,peer,rounds\n",
        csv);
    fputs("[\n", json);
    printf("%-36s %9s %8s %6s %6s %8s %8s %8s %8s %9s %6s\n", "", "µs/step", "  a body", "iter.", "Jacob.",
           "read/b", "set-up/b", "model/b", "work/b", "peer", "ratio");
    for (int i = 0; i < NSUBJECT; i++) {
        result r;
        if (!strstr(subjects[i].name, word) || !measure(&subjects[i], &r)) continue;
        show(&subjects[i], &r);
        write_csv(csv, &subjects[i], &r);
        write_json(json, &subjects[i], &r, done++ == 0);
    }
    fputs("\n]\n", json);
    printf("µs of processor time, bytes of memory; read/b, set-up/b, model/b, work/b: a body\n");
    int wrong = fclose(csv) | fclose(json);
    if (!wrong) printf("%s/rigid.csv %s/rigid.json\n", folder, folder);
    return wrong != 0;
}

/* What each fast path gains (system/fast.h): steps of every shipped model with all paths, and with all but one.
 *
 *     bench_fast_paths [FOLDER]     writes FOLDER/fast_paths.csv
 *
 * The two are timed in turn, in short rounds of processor time, and the best round of each counts: the machine
 * may have other work. A path whose gain is below 1.3 on all models, and which serves fewer than three of them
 * with that much, is not worth its code. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/run/simulation.h"
#include "analysis/state/assemble.h"

enum { ROUNDS = 12, MOST_STEPS = 400 };
static const double ROUND = 0.004; /* s of processor time */

typedef struct Side {
    vgSystem *sys;
    vgIntegrator *it;
    vgState *start, *state;
    unsigned fast;
    double best; /* s a step */
} Side;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void close_side(Side *s)
{
    vg_state_free(s->start);
    vg_state_free(s->state);
    vg_integrator_free(s->it);
    vg_system_free(s->sys);
    *s = (Side){0};
}

static int open_side(const vgModel *m, const char *coordinates, const char *constraints, const char *method,
                     unsigned fast, Side *s)
{
    vgAssembly as = {0};
    *s = (Side){.fast = fast, .best = 1e9};
    int ok = vg_system_new_by(m, coordinates, constraints, fast, NULL, &s->sys) == VG_OK &&
             vg_assemble(s->sys, 0, 0, NULL, &as, &s->start) == VG_OK &&
             vg_integrator_new(s->sys, method, NULL, &s->it) == VG_OK &&
             vg_state_new(s->sys, s->it->nhistory, &s->state) == VG_OK;
    vg_assembly_free(&as);
    return ok;
}

/* One round from the start; 0: a step failed. */
static int go(Side *s, double h)
{
    vg_state_copy(s->sys, s->state, s->start);
    vg_work_bind(s->it->work, s->state);
    s->it->step_hint = h;
    if (s->it->row->start(s->it, s->state) != VG_OK) return 0;
    double began = now(), spent = 0;
    int n = 0;
    for (; n < MOST_STEPS && spent < ROUND; n++) {
        if (vg_integrator_advance(s->it, s->state, h) != VG_OK) return n > 4;
        vg_work_accept(s->sys, s->it->work, s->state);
        s->state->step++;
        spent = now() - began;
    }
    if (spent / n < s->best) s->best = spent / n;
    return 1;
}

static void compare(FILE *csv, const vgModel *m, const char *name, const char *coordinates,
                    const char *method)
{
    Side all;
    const char *constraints = strstr(method, "rk4") ? "index1" : "index3";
    double h = m->run.step > 0 ? m->run.step : 1e-3;
    if (!open_side(m, coordinates, constraints, method, VG_FAST_ALL, &all) || !go(&all, h)) {
        close_side(&all);
        return;
    }
    unsigned taken = all.it->work->taken;
    for (const vgFastPath *p = vg_fast_paths; p->name; p++) {
        Side one;
        if (!(taken & p->bit)) continue;
        if (open_side(m, coordinates, constraints, method, VG_FAST_ALL & ~p->bit, &one) && go(&one, h)) {
            all.best = one.best = 1e9;
            for (int r = 0; r < ROUNDS; r++) {
                go(&all, h);
                go(&one, h);
            }
            if (all.best > 1e8 || one.best > 1e8) { /* steps fail */
                close_side(&one);
                continue;
            }
            printf("%-9s %5.2f  %-32s %-9s %-18s %8.2f us\n", p->name, one.best / all.best, name, coordinates,
                   method, 1e6 * all.best);
            if (csv)
                fprintf(csv, "%s,%.4f,%s,%s,%s,%.3f\n", p->name, one.best / all.best, name, coordinates,
                        method, 1e6 * all.best);
        }
        close_side(&one);
    }
    close_side(&all);
}

int main(int argc, char **argv)
{
    char path[512];
    snprintf(path, sizeof path, "%s/fast_paths.csv", argc > 1 ? argv[1] : ".");
    FILE *csv = argc > 1 ? fopen(path, "w") : NULL;
    if (csv) fprintf(csv, "path,gain,model,coordinates,integrator,us_per_step\n");
    DIR *dir = opendir(VERGE_SOURCE_DIR "/models");
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 5, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "%s/models/%s", VERGE_SOURCE_DIR, e->d_name);
        vgModel *m = vg_model_load(path, NULL, 0, NULL);
        if (!m) continue;
        compare(csv, m, e->d_name, m->planar ? "planar" : "lie", "generalized-alpha");
        compare(csv, m, e->d_name, "relative", "generalized-alpha");
        compare(csv, m, e->d_name, m->planar ? "natural" : "euler-parameters", "generalized-alpha");
        compare(csv, m, e->d_name, m->planar ? "planar" : "lie", "rk4");
        compare(csv, m, e->d_name, "relative", "rk4");
        vg_model_free(m);
    }
    if (dir) closedir(dir);
    if (csv) fclose(csv);
    return 0;
}

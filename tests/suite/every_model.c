/* Every shipped model as the program runs it, in all coordinates that take it, and with methods of all kinds:
 * between the first step and the last nothing is allocated, neither by steps nor by rows; and the motion has
 * the same bits whether rows are looked at or not, at the steps or between them. */
#define _DEFAULT_SOURCE
#include "base/alloc_count.h"
#include "analysis/channels/channels.h"
#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"
#include "suite/mixed.h"
#include "test.h"

#include <dirent.h>

enum { STEPS = 5, SMALL = 24 }; /* bodies: larger models take their time */

typedef struct Watch {
    long first, last; /* allocations */
    int rows, steps;
    vgChannels *channels; /* NULL: rows are not looked at */
    double *values;
} Watch;

static vgStatus row(void *user, const vgState *s, vgWork *work)
{
    Watch *w = user;
    if (w->channels) vg_channels_eval(w->channels, work, s, w->values);
    if (w->rows++ == 0) w->first = alloc_count();
    return VG_OK;
}

static void step(void *user, const vgState *s, vgWork *work)
{
    Watch *w = user;
    (void)s, (void)work;
    w->last = alloc_count();
    w->steps++;
}

/* Under error control steps may be short: as many as the others. */
static int enough(void *user)
{
    return ((Watch *)user)->steps >= STEPS;
}

static double reached; /* time at the end of the last run */

/* FNV-1a of positions, velocities, accelerations and multipliers at the end; 0: this does not go together.
 * end 0: after STEPS steps or a little more. */
static unsigned long long motion(const vgModel *m, const vgDials *dials, int looking, double interval,
                                 double end)
{
    vgDiag *diag = vg_diag_new();
    vgSimulation sim = {0};
    Watch w = {.last = -1};
    unsigned long long bits = 0;
    static const char *const all[] = {"*"};
    vgStatus st = vg_simulation_open(m, dials, diag, &sim);
    if (st == VG_OK && looking) {
        st = vg_channels_new(sim.sys, all, 1, diag, &w.channels);
        if (st == VG_OK) w.values = calloc((size_t)vg_channels_count(w.channels) + 1, sizeof(double));
    }
    if (st == VG_OK) {
        vgSink sink = {.user = &w, .row = row, .step = step, .cancelled = end > 0 ? NULL : enough};
        vgTransientResult res = {0};
        double h = m->run.step > 0 ? m->run.step : 1e-3;
        vgTransientOptions o = {.step = h,
                                .end = end > 0 ? end : STEPS * h,
                                .every = 1 << 20,
                                .interval = interval * h,
                                .monitor = 1};
        st = vg_transient_run(sim.it, sim.state, &o, &sink, &res);
        reached = sim.state->t;
        if (w.last >= 0) CHECK_INT(w.last - w.first, 0);
        const double *part[] = {sim.state->q, sim.state->v, sim.state->a, sim.state->lambda};
        int n[] = {sim.sys->nq, sim.sys->nv, sim.sys->nv, sim.sys->nphi};
        bits = 14695981039346656037ull ^ (unsigned long long)(end > 0 ? st : 0);
        for (int p = 0; p < 4; p++)
            for (size_t i = 0; i < (size_t)n[p] * sizeof(double); i++)
                bits = (bits ^ ((const unsigned char *)part[p])[i]) * 1099511628211ull;
    }
    vg_channels_free(w.channels);
    free(w.values);
    if (sim.sys) vg_simulation_close(&sim);
    vg_diag_free(diag);
    return bits;
}

/* 0: it cannot be run like this. */
static int check(const vgModel *m, const char *name, const char *coordinates, const char *integrator)
{
    vgDials dials = {.coordinates = coordinates, .integrator = integrator};
    if (!motion(m, &dials, 0, 0, 0) || !(reached > 0)) return 0;
    double end = reached;
    int failed = test_failed_checks;
    unsigned long long alone = motion(m, &dials, 0, 0, end);
    CHECK(motion(m, &dials, 1, 0, end) == alone);
    CHECK(motion(m, &dials, 1, 0.7, end) == alone);
    if (test_failed_checks > failed)
        printf("%s, %s, %s\n", name, coordinates ? coordinates : "-", integrator ? integrator : "-");
    return 1;
}

static const char *const methods[] = {NULL, "generalized-alpha:adaptive=1", "bdf"};
enum { NMETHOD = sizeof methods / sizeof *methods };

TEST(steps_allocate_nothing_and_rows_change_nothing)
{
    DIR *folder = opendir(VERGE_SOURCE_DIR "/models");
    int run = 0, mixed = 0; /* with bodies that have coordinates of their own */
    CHECK(alloc_count_works());
    CHECK(folder != NULL);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        char path[512];
        if (!strstr(e->d_name, ".yaml")) continue;
        snprintf(path, sizeof path, "%s/models/%s", VERGE_SOURCE_DIR, e->d_name);
        vgModel *m = vg_model_load(path, NULL, 0, NULL);
        CHECK(m != NULL);
        for (int i = 0; m && i < NMETHOD; i++) run += check(m, e->d_name, NULL, methods[i]);
        for (const vgCoordinatesRow *x = vg_coordinates_list; m && m->nbody <= SMALL && x->name; x++)
            if (x->models & (m->planar ? 1 : 2)) run += check(m, e->d_name, x->name, NULL);
        if (m && m->nbody <= SMALL && mix_bodies(m, 0)) mixed += check(m, e->d_name, "lie", NULL);
        vg_model_free(m);
    }
    if (folder) closedir(folder);
    CHECK(run > 100 && mixed > 10);
}

TEST_MAIN(steps_allocate_nothing_and_rows_change_nothing)

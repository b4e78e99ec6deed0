/* Mechanisms that are no trees: processor time of set-up and of a step at growing size, and the exponent of their growth.
 *
 *     bench_mesh [WORD]     WORD: only rows with it
 *
 * Nets of bars with ball joints at point masses, nets of points held by distances, frames and lattices of beams, four-bars on one
 * platform, two-wheeled robots, rings and chains of links. Each is run with the default dials and with others, in the same call: the last
 * column is the ratio of the two. Set-up is also given in microseconds a body. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/run/simulation.h"
#include "analysis/run/transient.h"

typedef struct Text {
    char *s;
    size_t n, room;
} Text;

static void add(Text *t, const char *format, ...)
{
    va_list list;
    if (t->n + 400 > t->room) {
        t->room = 2 * t->room + 4000;
        t->s = realloc(t->s, t->room);
        if (!t->s) exit(EXIT_FAILURE);
    }
    va_start(list, format);
    t->n += (size_t)vsnprintf(t->s + t->n, t->room - t->n, format, list);
    va_end(list);
}

static const char HEAD[] = "verge: 1\ngravity: [0, 0, -9.81]\nbodies:\n";

/* Knot (i, j) of a net that hangs on the ground along j = 0. */
static const char *knot(int i, int j)
{
    static char name[2][80];
    static int k;
    k = 1 - k;
    if (j > 0)
        snprintf(name[k], sizeof name[k], "n%d_%d", i, j);
    else
        snprintf(name[k], sizeof name[k], "{body: ground, position: [%g, 0, 0]}", 0.1 * i);
    return name[k];
}

static void knots(Text *t, int n, double mass)
{
    add(t, "%s", HEAD);
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++)
            add(t, "  n%d_%d: {mass: %g, point: true, position: [%g, %g, 0]}\n", i, j, mass, 0.1 * i,
                0.1 * j);
}

/* Bars from each knot to the next in both directions: way 0 along i, 1 along j. */
static void bars(Text *t, int n, int joints, const char *kind)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int way = 0; way < 2; way++) {
                const double a = 0.05 * (1 - way), b = 0.05 * way;
                if (way ? j + 1 == n : i + 1 == n || j == 0) continue;
                if (!joints) {
                    add(t, "  r%d_%d_%d: {mass: 0.05, inertia: [%g, %g, 4e-5], position: [%g, %g, 0]}\n", way,
                        i, j, way ? 4e-5 : 1e-6, way ? 1e-6 : 4e-5, 0.1 * i + a, 0.1 * j + b);
                } else if (kind) {
                    add(t, "  d%d_%d_%d: {%s: [%s, ", way, i, j, kind, knot(i, j));
                    add(t, "%s]}\n", knot(i + 1 - way, j + way));
                } else {
                    const char *rod = "{body: r%d_%d_%d, position: [%g, %g, 0]}]}\n";
                    add(t, "  a%d_%d_%d: {spherical: [%s, ", way, i, j, knot(i, j));
                    add(t, rod, way, i, j, -a, -b);
                    add(t, "  b%d_%d_%d: {spherical: [%s, ", way, i, j, knot(i + 1 - way, j + way));
                    add(t, rod, way, i, j, a, b);
                }
            }
}

static int net_of_bars(Text *t, int n)
{
    knots(t, n, 0.02);
    bars(t, n, 0, NULL);
    add(t, "joints:\n");
    bars(t, n, 1, NULL);
    return n * (n - 1) + (n - 1) * (n - 1) + n * (n - 1);
}

static int net_of_points(Text *t, int n)
{
    knots(t, n, 0.05);
    add(t, "joints:\n");
    bars(t, n, 1, "distance");
    return n * (n - 1);
}

/* nx × ny × nz nodes, clamped at k = 0. */
static int frame(Text *t, int nx, int ny, int nz)
{
    add(t, "%s", HEAD);
    for (int i = 0; i < nx * ny * nz; i++)
        add(t, "  n%d: {mass: 0.01, inertia: [1e-5, 1e-5, 1e-5], position: [%d, %d, %d]}\n", i, i % nx,
            i / nx % ny, i / nx / ny);
    add(t, "joints:\n");
    for (int i = 0; i < nx * ny; i++)
        add(t, "  g%d: {fixed: [{body: ground, position: [%d, %d, 0]}, n%d]}\n", i, i % nx, i / nx, i);
    add(t, "forces:\n");
    for (int i = 0; i < nx * ny * nz; i++) {
        const int to[3] = {i + 1, i + nx, i + nx * ny};
        const int is[3] = {i % nx + 1 < nx && i >= nx * ny, i / nx % ny + 1 < ny && i >= nx * ny,
                           i + nx * ny < nx * ny * nz};
        for (int way = 0; way < 3; way++)
            if (is[way])
                add(t, "  e%d_%d: {beam: [n%d, n%d], circle: 0.02, E: 2.1e9, rho: 7850}\n", way, i, i,
                    to[way]);
    }
    return nx * ny * nz;
}
static int lattice(Text *t, int n)
{
    return frame(t, n, n, n);
}
static int plane_frame(Text *t, int n)
{
    return frame(t, n, 1, n);
}

/* n spatial four-bars on one platform that slides. */
static int loops(Text *t, int n)
{
    add(t, "%s  plat: {mass: 100, inertia: [10, 10, 10]}\n", HEAD);
    for (int k = 0; k < n; k++) {
        const char *crank = "  %c%d: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [%d, %g, 0.5], rotation: "
                            "[0, \"-pi/2\", 0], omega: [0, 1, 0], velocity: [0.5, 0, 0]}\n";
        add(t, crank, 'a', k, 0, 0.2 * k);
        add(t, crank, 'c', k, 1, 0.2 * k);
        add(t, "  b%d: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, %g, 1], velocity: [1, 0, 0]}\n",
            k, 0.2 * k);
    }
    add(t, "joints:\n  base: {prismatic: [ground, plat], axis: x}\n");
    for (int k = 0; k < n; k++) {
        for (int side = 0; side < 2; side++)
            add(t,
                "  %c%d: {revolute: [{body: plat, position: [%d, %g, 0]}, {body: %c%d, position: [-0.5, 0, "
                "0]}], axis: y}\n",
                "AD"[side], k, side, 0.2 * k, "ac"[side], k);
        add(t,
            "  B%d: {universal: [{body: a%d, position: [0.5, 0, 0]}, {body: b%d, position: [-0.5, 0, 0]}], "
            "axis: y, axis2: z}\n",
            k, k, k);
        add(t,
            "  C%d: {spherical: [{body: b%d, position: [0.5, 0, 0]}, {body: c%d, position: [0.5, 0, 0]}]}\n",
            k, k, k);
    }
    return 3 * n + 1;
}

/* n axles with two wheels that turn on the spot: which of their equations repeat others changes with the heading. */
static int wheelsets(Text *t, int n)
{
    add(t, "%s", HEAD);
    for (int k = 0; k < n; k++) {
        add(t, "  m%d: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [%d, 0, 0.1]}\n", k, k);
        for (int side = -1; side < 2; side += 2)
            add(t, "  w%d_%d: {mass: 0.5, inertia: [0.02, 0.01, 0.02], position: [%d, %g, 0.1]}\n", k, side,
                k, 0.25 * side);
    }
    add(t, "joints:\n");
    for (int k = 0; k < n; k++) {
        add(t, "  plane%d: {planar: [{body: ground, position: [0, 0, 0.1]}, m%d], axis: z}\n", k, k);
        for (int side = -1; side < 2; side += 2) {
            add(t, "  a%d_%d: {revolute: [{body: m%d, position: [0, %g, 0]}, w%d_%d], axis: y}\n", k, side, k,
                0.25 * side, k, side);
            add(t, "  r%d_%d: {rolling-disc: [ground, w%d_%d], axis: z, axis2: y, radius: 0.1}\n", k, side, k,
                side);
        }
    }
    add(t, "forces:\n");
    for (int k = 0; k < n; k++)
        for (int side = -1; side < 2; side += 2)
            add(t, "  t%d_%d: {joint-torque: a%d_%d, value: %g}\n", k, side, k, side, 0.02 * side);
    return 3 * n;
}

/* A planar ring of n links that hangs on one of its hinges. */
static int ring(Text *t, int n)
{
    const double pi = acos(-1), radius = 0.05 / sin(pi / n);
    add(t, "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n");
    for (int k = 0; k < n; k++) {
        const double at = 2 * pi * (k + 0.5) / n, across = radius * cos(pi / n);
        add(t, "  k%d: {mass: 1, inertia: 1e-3, position: [%.16g, %.16g], angle: %.16g}\n", k,
            across * cos(at), across * sin(at), at + 0.5 * pi);
    }
    add(t,
        "joints:\n  hang: {revolute: [{body: ground, position: [%.16g, 0]}, {body: k0, position: [-0.05, "
        "0]}]}\n",
        radius);
    for (int k = 0; k < n; k++)
        add(t, "  j%d: {revolute: [{body: k%d, position: [0.05, 0]}, {body: k%d, position: [-0.05, 0]}]}\n",
            k, k, (k + 1) % n);
    return n;
}

/* A horizontal chain of n links with ball joints. */
static int chain(Text *t, int n)
{
    add(t, "%s", HEAD);
    for (int k = 0; k < n; k++)
        add(t, "  k%d: {mass: 0.1, inertia: [1e-6, 1e-4, 1e-4], position: [%g, 0, 0]}\n", k, 0.1 * k + 0.05);
    add(t, "joints:\n  j0: {spherical: [ground, {body: k0, position: [-0.05, 0, 0]}]}\n");
    for (int k = 1; k < n; k++)
        add(t,
            "  j%d: {spherical: [{body: k%d, position: [0.05, 0, 0]}, {body: k%d, position: [-0.05, 0, "
            "0]}]}\n",
            k, k - 1, k);
    return n;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of set-up and of a step, the best of three runs; 0: it could not be done. */
static int measure(const Text *t, const char *name, vgDials dials, double *setup, double *step)
{
    enum { ROUNDS = 3, STEPS = 10 };
    *setup = *step = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        vgDiag *diag = vg_diag_new();
        vgModel *model = vg_model_parse(t->s, t->n, name, NULL, 0, diag);
        vgSimulation sim;
        double start = now();
        int good = model && vg_simulation_open(model, &dials, diag, &sim) == VG_OK;
        if (good) {
            const vgTransientOptions how = {.step = 1e-3, .end = STEPS * 1e-3, .every = STEPS};
            vgSink sink = {0};
            vgTransientResult out;
            double opened = now();
            good = vg_transient_run(sim.it, sim.state, &how, &sink, &out) == VG_OK;
            *setup = fmin(*setup, opened - start);
            *step = fmin(*step, (now() - opened) / STEPS);
            vg_simulation_close(&sim);
        }
        if (!good) printf("%-28s not run: %s\n", name, vg_diag_count(diag) ? vg_diag_line(diag, 0) : "");
        vg_model_free(model);
        vg_diag_free(diag);
        if (!good) return 0;
    }
    return 1;
}

static const struct {
    const char *name;
    int (*make)(Text *t, int n);
    int sizes[3];
    vgDials own, other;
} families[] = {
    {"net of bars", net_of_bars, {10, 20, 40}, {NULL}, {.constraints = "augmented3"}},
    {"net of points", net_of_points, {30, 60, 100}, {NULL}, {.constraints = "augmented3"}},
    {"plane frame of beams", plane_frame, {15, 30, 50}, {NULL}, {.constraints = "augmented3"}},
    {"lattice of beams", lattice, {5, 7, 10}, {NULL}, {.constraints = "augmented3"}},
    {"four-bars on a platform", loops, {60, 200, 600}, {NULL}, {.constraints = "augmented3"}},
    {"wheelsets", wheelsets, {1, 20, 60}, {NULL}, {.coordinates = "relative"}},
    {"ring", ring, {200, 400, 800}, {NULL}, {.coordinates = "natural"}},
    {"ring in relative", ring, {200, 400, 800}, {.coordinates = "relative"}, {.coordinates = "natural"}},
    {"chain in independent",
     chain,
     {100, 1000, 10000},
     {.constraints = "independent"},
     {.constraints = "index3"}},
    {"ring in independent", ring, {200, 400, 800}, {.constraints = "independent"}, {.constraints = "index3"}},
};

int main(int argc, char **argv)
{
    int good = 1;
    printf("%-28s %7s %9s %9s %9s %7s %9s %6s\n", "milliseconds", "bodies", "set-up", "µs a body", "step",
           "growth", "other", "ratio");
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        double last = 0, before = 0;
        for (int k = 0; k < 3; k++) {
            char name[80];
            Text t = {0};
            double setup, step, other_setup, other;
            snprintf(name, sizeof name, "%s, %d", families[f].name, families[f].sizes[k]);
            if (argc > 1 && !strstr(name, argv[1])) continue;
            const double bodies = families[f].make(&t, families[f].sizes[k]);
            if (measure(&t, name, families[f].own, &setup, &step) &&
                measure(&t, name, families[f].other, &other_setup, &other)) {
                printf("%-28s %7.0f %9.1f %9.1f %9.3f", name, bodies, 1e3 * setup, 1e6 * setup / bodies,
                       1e3 * step);
                if (last > 0)
                    printf(" %7.2f", log(step / last) / log(bodies / before));
                else
                    printf(" %7s", "");
                printf(" %9.3f %6.2f\n", 1e3 * other, other / step);
                last = step;
                before = bodies;
            } else {
                good = 0;
            }
            fflush(stdout);
            free(t.s);
        }
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Models of any size as text, for benchmarks: nets, frames, lattices, loops, rings, chains. Each function adds a model and returns
 * its number of bodies. */
#ifndef VERGE_BENCH_GENERATORS_H
#define VERGE_BENCH_GENERATORS_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct Text {
    char *s;
    size_t n, room;
} Text;

static inline void add(Text *t, const char *format, ...)
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
static inline const char *knot(int i, int j)
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

static inline void knots(Text *t, int n, double mass)
{
    add(t, "%s", HEAD);
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++)
            add(t, "  n%d_%d: {mass: %g, point: true, position: [%g, %g, 0]}\n", i, j, mass, 0.1 * i,
                0.1 * j);
}

/* Bars from each knot to the next in both directions: way 0 along i, 1 along j. */
static inline void bars(Text *t, int n, int joints, const char *kind)
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

static inline int net_of_bars(Text *t, int n)
{
    knots(t, n, 0.02);
    bars(t, n, 0, NULL);
    add(t, "joints:\n");
    bars(t, n, 1, NULL);
    return n * (n - 1) + (n - 1) * (n - 1) + n * (n - 1);
}

static inline int net_of_points(Text *t, int n)
{
    knots(t, n, 0.05);
    add(t, "joints:\n");
    bars(t, n, 1, "distance");
    return n * (n - 1);
}

/* nx × ny × nz nodes, clamped at k = 0. */
static inline int frame(Text *t, int nx, int ny, int nz)
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
static inline int lattice(Text *t, int n)
{
    return frame(t, n, n, n);
}
static inline int plane_frame(Text *t, int n)
{
    return frame(t, n, 1, n);
}

/* n spatial four-bars on one platform that slides. */
static inline int loops(Text *t, int n)
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
static inline int wheelsets(Text *t, int n)
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
static inline int ring(Text *t, int n)
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
static inline int chain(Text *t, int n)
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

/* n pendulums on a hub that slides: a tree. */
static inline int star(Text *t, int n)
{
    add(t, "%s  hub: {mass: 100, inertia: [10, 10, 10]}\n", HEAD);
    for (int k = 0; k < n; k++)
        add(t, "  a%d: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, %g, 0]}\n", k, 0.2 * k);
    add(t, "joints:\n  base: {prismatic: [ground, hub], axis: x}\n");
    for (int k = 0; k < n; k++)
        add(t,
            "  A%d: {revolute: [{body: hub, position: [0, %g, 0]}, {body: a%d, position: [-0.5, 0, 0]}], "
            "axis: y}\n",
            k, 0.2 * k, k);
    return n + 1;
}

/* n planar parallelograms side by side, which share their cranks. */
static inline int ladder(Text *t, int n)
{
    add(t, "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n");
    for (int k = 0; k <= n; k++)
        add(t,
            "  c%d: {mass: 1, inertia: 0.1, position: [%d, 0.5], angle: \"pi/2\", omega: -1, velocity: [0.5, "
            "0]}\n",
            k, k);
    for (int k = 0; k < n; k++)
        add(t, "  b%d: {mass: 1, inertia: 0.1, position: [%g, 1], velocity: [1, 0]}\n", k, k + 0.5);
    add(t, "joints:\n");
    for (int k = 0; k <= n; k++)
        add(t, "  o%d: {revolute: [{body: ground, position: [%d, 0]}, {body: c%d, position: [-0.5, 0]}]}\n",
            k, k, k);
    for (int k = 0; k < n; k++) {
        const char *ends =
            "  %c%d: {revolute: [{body: c%d, position: [0.5, 0]}, {body: b%d, position: [%g, 0]}]}\n";
        add(t, ends, 'l', k, k, k, -0.5);
        add(t, ends, 'r', k, k + 1, k, 0.5);
    }
    return 2 * n + 1;
}

/* A planar chain that hangs still, with damped hinges; input.u pushes its end sideways. */
static inline int hanging(Text *t, int n)
{
    add(t, "verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n");
    for (int k = 0; k < n; k++)
        add(t, "  k%d: {mass: 0.1, inertia: 1e-4, position: [0, %g], angle: \"-pi/2\"}\n", k,
            -0.1 * k - 0.05);
    add(t, "joints:\n  j0: {revolute: [ground, {body: k0, position: [-0.05, 0]}]}\n");
    for (int k = 1; k < n; k++)
        add(t, "  j%d: {revolute: [{body: k%d, position: [0.05, 0]}, {body: k%d, position: [-0.05, 0]}]}\n",
            k, k - 1, k);
    add(t, "forces:\n  push: {force: k%d, value: [input.u, 0]}\n", n - 1);
    for (int k = 1; k < n; k++) add(t, "  t%d: {torsion: j%d, stiffness: 0, damping: 1e-3}\n", k, k);
    return n;
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

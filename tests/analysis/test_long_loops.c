/* Loops of many links in joint coordinates, where long branches are cut into pieces: the motion is that of other coordinates, which
 * know no tree, in the plane and in space, for rings and for a long chain beside a small loop. */
#include <math.h>
#include <stdarg.h>

#include "model/topology.h"
#include "test.h"
#include "verge/verge.h"

static char text[60000];
static size_t used;

static void add(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, list);
    va_end(list);
}

/* A ring of n links, hung on one of its hinges; in space the last joint is a ball and the axes are y. */
static void ring(int n, int planar)
{
    const double pi = acos(-1), radius = 0.05 / sin(pi / n), across = radius * cos(pi / n);
    used = 0;
    add("verge: 1\nplanar: %s\ngravity: %s\nbodies:\n", planar ? "true" : "false",
        planar ? "[0, -9.81]" : "[0, 0, -9.81]");
    for (int k = 0; k < n; k++) {
        const double at = 2 * pi * (k + 0.5) / n, x = across * cos(at), z = across * sin(at),
                     turn = at + 0.5 * pi;
        if (planar)
            add("  k%d: {mass: 1, inertia: 1e-3, position: [%.17g, %.17g], angle: %.17g}\n", k, x, z, turn);
        else
            add("  k%d: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [%.17g, 0, %.17g], rotation: [0, "
                "%.17g, 0]}\n",
                k, x, z, -turn);
    }
    add("joints:\n");
    for (int k = -1; k < n; k++) {
        const char *zero = planar ? "" : ", 0", *axis = planar ? "" : ", axis: y";
        if (k < 0)
            add("  hang: {revolute: [{body: ground, position: [%.17g, 0%s]}, {body: k0, position: [-0.05, "
                "0%s]}]%s}\n",
                radius, zero, zero, axis);
        else
            add("  j%d: {%s: [{body: k%d, position: [0.05, 0%s]}, {body: k%d, position: [-0.05, 0%s]}]%s}\n",
                k, planar || k < n - 1 ? "revolute" : "spherical", k, zero, (k + 1) % n, zero,
                planar || k < n - 1 ? axis : "");
    }
}

/* A pendulum of n links on the coupler of a four-bar. */
static void chain_on_a_loop(int n)
{
    used = 0;
    add("verge: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
        "  a: {mass: 1, inertia: 0.1, position: [0, 0.5], angle: \"pi/2\"}\n"
        "  b: {mass: 1, inertia: 0.1, position: [0.5, 1]}\n"
        "  c: {mass: 1, inertia: 0.1, position: [1.25, 0.5], angle: \"atan2(-1, 0.5)\"}\n");
    for (int k = 0; k < n; k++)
        add("  k%d: {mass: 0.1, inertia: 1e-4, position: [%g, 1]}\n", k, 1.05 + 0.1 * k);
    add("joints:\n"
        "  A: {revolute: [ground, {body: a, position: [-0.5, 0]}]}\n"
        "  B: {revolute: [{body: a, position: [0.5, 0]}, {body: b, position: [-0.5, 0]}]}\n"
        "  C: {revolute: [{body: b, position: [0.5, 0]}, {body: c, position: [\"-sqrt(1.25)/2\", 0]}]}\n"
        "  D: {revolute: [{body: ground, position: [1.5, 0]}, {body: c, position: [\"sqrt(1.25)/2\", 0]}]}\n"
        "  j0: {revolute: [{body: b, position: [0.5, 0]}, {body: k0, position: [-0.05, 0]}]}\n");
    for (int k = 1; k < n; k++)
        add("  j%d: {revolute: [{body: k%d, position: [0.05, 0]}, {body: k%d, position: [-0.05, 0]}]}\n", k,
            k - 1, k);
}

/* The value of a channel at the end of a run of 0.1 s. */
static double value(const vgModel *m, const char *coordinates, const char *channel)
{
    const vgSimOptions o = {.coordinates = coordinates, .constraints = "index2"};
    vgSim *sim = NULL;
    double x = NAN;
    CHECK_INT(vg_sim_new(m, &o, NULL, &sim), VG_OK);
    for (int n = 0; n < 500 && sim; n++)
        if (vg_sim_step(sim, 2e-4) != VG_OK) break;
    if (sim) CHECK_INT(vg_sim_get(sim, channel, &x), VG_OK);
    vg_sim_free(sim);
    return x;
}

/* All coordinates are integrated by the same method with an error of second order, 1e-7 here. */
static void same_motion(const char *channel, int pieces)
{
    vgModel *m = vg_model_parse(text, used, "text", NULL, 0, NULL);
    CHECK(m != NULL);
    if (!m) return;
    vgTopology *t = NULL;
    int floating = 0;
    CHECK_INT(vg_topology_new(m, &t), VG_OK);
    CHECK_INT(vg_topology_cut(t, m), VG_OK);
    for (int i = 0; t && i < t->nnode; i++) floating += t->node[i].joint < 0;
    CHECK_INT(floating, pieces);
    vg_topology_free(t);
    const double relative = value(m, "relative", channel);
    CHECK_NEAR(relative, value(m, "natural", channel), 2e-6);
    CHECK_NEAR(relative, value(m, NULL, channel), 2e-6);
    vg_model_free(m);
}

/* Branches of 50 links each are cut three times; of 12 they stay whole. */
TEST(rings_in_the_plane)
{
    ring(100, 1);
    same_motion("joint.j30.angle", 6);
    ring(24, 1);
    same_motion("joint.j9.angle", 0);
}

TEST(rings_in_space)
{
    ring(72, 0);
    same_motion("joint.j30.angle", 4);
}

TEST(a_long_chain_beside_a_small_loop)
{
    chain_on_a_loop(60);
    same_motion("joint.j40.angle", 3);
}

TEST_MAIN(rings_in_the_plane, rings_in_space, a_long_chain_beside_a_small_loop)

/* Similar mechanisms move alike: with lengths times L, masses times M and times times T all angles are the
 * same, lengths L times and forces M L/T² times as large. Of millimetres or of planets, no joint gets lost.
 */
#include "run_model.h"
#include "test.h"

typedef struct Units {
    double length, mass, time;
} Units;

/* A chain of three bodies, closed by a rod to the ground, with a damper and a spring. */
static const char *write_model(Units u, char *text, size_t size)
{
    const double L = u.length, M = u.mass, T = u.time, J = 0.01 * M * L * L;
    snprintf(text, size,
             "verge: 1\ngravity: %.17g\n"
             "bodies:\n"
             "  a: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], com: [%.17g, 0, 0], markers: {e: [%.17g, 0, "
             "0]}}\n"
             "  b: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, 0, 0], com: [0, %.17g, "
             "0], markers: {e: [0, %.17g, 0]}}\n"
             "  c: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: [%.17g, %.17g, 0]}\n"
             "joints:\n"
             "  A: {revolute: [ground, a], axis: y}\n"
             "  B: {spherical: [a.e, b]}\n"
             "  C: {universal: [b.e, c], axis: y, axis2: x}\n"
             "  D: {distance: [{body: ground, position: [%.17g, %.17g, %.17g]}, c]}\n"
             "forces:\n"
             "  d: {torsion: A, damping: %.17g}\n"
             "  k: {spring: [ground, c], stiffness: %.17g, damping: %.17g}\n",
             9.81 * L / (T * T), M, J, 2 * J, 3 * J, 0.3 * L, 0.6 * L, 0.5 * M, J, 2 * J, 3 * J, 0.6 * L,
             0.2 * L, 0.5 * L, 0.2 * M, J, J, J, 0.6 * L, 0.5 * L, 0.6 * L, 0.5 * L, 1.2 * L, 10 * J / T,
             20 * M / (T * T), 0.2 * M / T);
    return text;
}

static runResult move(Units u, const char *coordinates, const char *constraints, const char *integrator)
{
    char text[4000];
    return run_model(&(runSpec){.text = write_model(u, text, sizeof text),
                                .coordinates = coordinates,
                                .constraints = constraints,
                                .integrator = integrator,
                                .step = 1e-3 * u.time,
                                .end = 0.5 * u.time,
                                .channel = {"joint.A.angle", "body.c.position.z", "joint.A.force.x"}});
}

TEST(similar_mechanisms_move_alike)
{
    static const Units units[] = {{1e-3, 1e6, 1}, {1e3, 1e-6, 1}, {6e6, 6e24, 1e3}};
    static const char *const dials[][3] = {{"lie", "index3", "generalized-alpha"},
                                           {"se3", "index3", "radau3"},
                                           {"natural", "index3", "generalized-alpha"},
                                           {"relative", "index1", "rk4"},
                                           {"relative", "independent", "rk4"}};
    for (int d = 0; d < 5; d++) {
        runResult one = move((Units){1, 1, 1}, dials[d][0], dials[d][1], dials[d][2]);
        CHECK_INT(one.status, VG_OK);
        CHECK_INT(one.nredundant, 0);
        for (int i = 0; i < 3; i++) {
            const Units u = units[i];
            runResult r = move(u, dials[d][0], dials[d][1], dials[d][2]);
            CHECK_INT(r.status, VG_OK);
            CHECK_INT(r.nredundant, 0);
            CHECK_NEAR(r.value[0], one.value[0], 1e-6);
            CHECK_NEAR(r.value[1] / u.length, one.value[1], 1e-6);
            CHECK_NEAR(r.value[2] * u.time * u.time / (u.mass * u.length), one.value[2], 1e-5);
        }
    }
}

TEST_MAIN(similar_mechanisms_move_alike)

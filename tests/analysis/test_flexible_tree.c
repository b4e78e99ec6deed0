/* A beam that shortens as it bends, with a body at its end: rows between node, frame and products of
 * amplitudes. Joint coordinates move it as those of the bodies do, and no energy is lost; a row whose
 * products are left out of the matrices shows in both. */
#include "run_model.h"
#include "test.h"

static const char plane[] = "verge: 1\n"
                            "planar: true\n"
                            "gravity: [0, -9.81]\n"
                            "bodies:\n"
                            "  fore: {mass: 0.5, inertia: 0.02, com: [0.2, 0], position: [1, 0]}\n"
                            "flexible:\n"
                            "  arm: {length: 1, modes: 3, rectangle: [0.01, 0.02], E: 7e9, rho: 2700, "
                            "foreshortening: true, omega: 4}\n"
                            "joints:\n"
                            "  S: {revolute: [ground, arm.start]}\n"
                            "  E: {revolute: [arm.end, fore]}\n";
/* six modes: products within and across the carriers of amplitudes */
static const char space[] =
    "verge: 1\n"
    "gravity: 9.81\n"
    "bodies:\n"
    "  fore: {mass: 0.5, inertia: [0.01, 0.02, 0.02], com: [0.2, 0, 0], position: [1, 0, 0]}\n"
    "flexible:\n"
    "  arm: {length: 1, modes: 6, rectangle: [0.02, 0.03], E: 7e9, rho: 2700, foreshortening: true, omega: "
    "[0, 4, 3]}\n"
    "joints:\n"
    "  S: {universal: [ground, arm.start], axis: y, axis2: z}\n"
    "  E: {universal: [arm.end, fore], axis: y, axis2: z}\n";

typedef struct Case {
    const char *text, *bodies; /* the model, and coordinates of its bodies */
    const char *first;
} Case;

static const Case beams[] = {{plane, "planar", "joint.S.angle"}, {space, "lie", "joint.S.angle1"}};
enum { MOTION = 3, ENERGY = 3, VIOLATION };

static runResult run(const Case *c, const char *coordinates, const char *constraints, const char *integrator)
{
    runSpec spec = {.text = c->text,
                    .coordinates = coordinates,
                    .constraints = constraints,
                    .integrator = integrator,
                    .step = 2e-5,
                    .end = 0.02,
                    .channel = {c->first, "body.fore.position.x", "body.arm.mode.1", "energy.total",
                                "constraint.velocity"}};
    runResult r = run_model(&spec);
    CHECK_INT(r.status, VG_OK);
    return r;
}

/* Accelerations, projections and dependent coordinates come from the rows' matrix; the energy is that of the
 * start, which is all kinetic. */
TEST(joint_coordinates_move_it_alike)
{
    static const char *const constraints[] = {"index1", "independent", "augmented1"};
    for (size_t i = 0; i < sizeof beams / sizeof beams[0]; i++) {
        const Case *c = &beams[i];
        runSpec start = {.text = c->text, .step = 1e-9, .end = 1e-9, .channel = {"energy.total"}};
        double energy = run_model(&start).first;
        runResult reference = run(c, c->bodies, "index1", "rk4");
        for (int k = 0; k < 3; k++) {
            runResult r = run(c, "relative", constraints[k], "rk4");
            for (int n = 0; n < MOTION; n++) CHECK_NEAR(r.value[n], reference.value[n], 1e-8);
            CHECK_NEAR(r.value[ENERGY], energy, 1e-6 * energy);
        }
    }
}

/* The trapezoidal rule puts velocities onto the rows after every step, by the same matrix. */
TEST(projected_velocities_lie_on_the_rows)
{
    for (size_t i = 0; i < sizeof beams / sizeof beams[0]; i++) {
        runResult r = run(&beams[i], "relative", "index3", "trapezoidal");
        CHECK(r.value[VIOLATION] < 1e-8);
    }
}

TEST_MAIN(joint_coordinates_move_it_alike, projected_velocities_lie_on_the_rows)

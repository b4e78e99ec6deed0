/* Multipliers of composite methods at index 3. Where a drive gives the angle, positions are exact and the
 * accelerations are what the method's formulas make of them; they are done by hand here. Composite and ESDIRK
 * methods have stage order 2, so that λ is of order 1 (Hairer, Lubich, Roche 1989); index 2 has order 2. */
#include "integrator/runs.h"
#include "run_model.h"
#include "test.h"

#define DRIVEN                                                                                               \
    "verge: 1\nplanar: true\ngravity: [0, 0]\nbodies: {b: {mass: 1, inertia: 1}}\n"                          \
    "joints: {J: {revolute: [ground, b], drive: {angle: 'sin(3*t)'}}}\n"

static double angle(double t)
{
    return sin(3 * t);
}

/* ρ∞-Bathe (Noh, Bathe 2019): trapezoidal rule over γh, then y = y_0 + h (q0 ẏ_0 + q1 ẏ_γ + q2 ẏ). */
static double bathe_acceleration(double h, double rho, int steps)
{
    double gamma = (2 - sqrt(2 + 2 * rho)) / (1 - rho), q1 = (rho + 1) / (2 * gamma * (rho - 1) + 4);
    double q0 = (gamma - 1) * q1 + 0.5, q2 = 0.5 - gamma * q1, x = 0, v = 3, a = 0;
    for (int i = 0; i < steps; i++) {
        double x1 = angle((i + gamma) * h), v1 = 2 / (gamma * h) * (x1 - x) - v,
               a1 = 2 / (gamma * h) * (v1 - v) - a;
        double x2 = angle((i + 1) * h), v2 = ((x2 - x) / h - q0 * v - q1 * v1) / q2;
        a = ((v2 - v) / h - q0 * a - q1 * a1) / q2;
        x = x2, v = v2;
    }
    return a;
}

/* Torque of the drive, the only multiplier that is not 0 (inertia 1). */
static double torque(const char *integrator, const char *constraints, double h)
{
    Rig r;
    double most = NAN;
    rig_constraints = constraints;
    if (rig_open(&r, DRIVEN, NULL, integrator, NULL, 0) && rig_run(&r, h, 1)) {
        most = 0;
        for (int i = 0; i < r.sim.sys->nl; i++) most = fmax(most, fabs(r.sim.state->lambda[i]));
    }
    rig_close(&r);
    rig_constraints = "index3";
    return most;
}

TEST(the_multiplier_is_the_methods_own)
{
    CHECK_NEAR(torque("bathe:rho=0.6", "index3", 1e-3), fabs(bathe_acceleration(1e-3, 0.6, 1000)), 1e-6);
    CHECK_NEAR(torque("bathe:rho=0", "index3", 2e-3), fabs(bathe_acceleration(2e-3, 0, 500)), 1e-6);
}

TEST(its_order_is_1_at_index_3_and_2_at_index_2)
{
    static const char *const method[] = {"bathe:rho=0.6", "hope", "msstc3", "esdirk324"};
    double right = 9 * sin(3);
    for (int i = 0; i < 4; i++) {
        double e[2][2];
        for (int k = 0; k < 2; k++) {
            e[0][k] = fabs(torque(method[i], "index3", k ? 1e-3 : 2e-3) - right);
            e[1][k] = fabs(torque(method[i], "index2", k ? 1e-3 : 2e-3) - right);
        }
        CHECK_NEAR(log2(e[0][0] / e[0][1]), 1, 0.1);
        CHECK_NEAR(log2(e[1][0] / e[1][1]), 2, 0.15);
    }
}

/* A uniform rod about its end, at angle θ from the horizontal: θ̈ = −(3g/2L) cos θ, and the pin carries what
 * the centre's acceleration needs. The augmented Lagrangian puts velocities and accelerations onto the
 * constraints after a step; the reactions must be those of these accelerations, not of the stage before. */
static double pin_error(const char *integrator, const char *coordinates, double h)
{
    const double g = 9.81, L = 1.5, m = 2;
    runSpec spec = {.text = "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
                            "bodies: {rod: {mass: 2, com: [0.75, 0], inertia: 2*1.5^2/12, angle: 0.3}}\n"
                            "joints: {O: {revolute: [ground, rod]}}\n",
                    .coordinates = coordinates,
                    .constraints = "augmented3",
                    .integrator = integrator,
                    .step = h,
                    .end = 0.5,
                    .channel = {"body.rod.angle", "body.rod.omega", "joint.O.force.x", "joint.O.force.y"}};
    runResult end = run_model(&spec);
    double c = cos(end.value[0]), s = sin(end.value[0]), w2 = end.value[1] * end.value[1];
    double alpha = -1.5 * g / L * c, fx = -m * L / 2 * (alpha * s + w2 * c),
           fy = m * L / 2 * (alpha * c - w2 * s) + m * g;
    if (end.status != VG_OK) return NAN;
    return hypot(end.value[2] - fx, end.value[3] - fy) / hypot(fx, fy);
}

TEST(reactions_of_augmented3_are_those_of_its_accelerations)
{
    static const char *const method[] = {"generalized-alpha",
                                         "trapezoidal",
                                         "hht",
                                         "nstiff",
                                         "bathe",
                                         "esdirk436",
                                         "msstc3",
                                         "lms2",
                                         "bdf2",
                                         "ss3",
                                         "radau2",
                                         "lobatto3c",
                                         "bdf"};
    for (size_t i = 0; i < sizeof method / sizeof method[0]; i++)
        for (int natural = 0; natural < 2; natural++) {
            double e = pin_error(method[i], natural ? "natural" : "planar", 5e-3);
            if (!(e < 2e-5)) printf("%s: %g\n", method[i], e);
            CHECK(e < 2e-5);
        }
}

TEST_MAIN(the_multiplier_is_the_methods_own, its_order_is_1_at_index_3_and_2_at_index_2,
          reactions_of_augmented3_are_those_of_its_accelerations)

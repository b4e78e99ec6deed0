/* Drives that give a rate or an acceleration: the coordinate is their integral from where it starts, and the
 * drives do what Newton and Euler ask of them. */
#include "test.h"

#include "run_model.h"

/* An arm that turns about y with θ̈ = 2 + 6 t from θ̇ = ½, along which a body is pushed with ẋ = 0.3 cos 2t. */
static const char arm[] =
    "verge: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1.3, inertia: [0.05, 0.07, 0.06], com: [0.3, 0, 0], omega: [0, 0.5, 0], markers: {M: [0.5, "
    "0, 0]}}\n"
    "  b: {mass: 0.8, inertia: [0.04, 0.05, 0.05], position: [0.5, 0, 0], com: [0.1, 0.02, 0.3],\n"
    "      omega: [0, 0.5, 0], velocity: [0, 0, -0.25]}\n"
    "joints:\n"
    "  J: {revolute: [ground, a], axis: y, drive: {acceleration: \"2 + 6*t\"}}\n"
    "  K: {prismatic: [a.M, b], axis: x, drive: {rate: \"0.3*cos(2*t)\"}}\n";

TEST(rate_and_acceleration)
{
    static const struct {
        const char *coordinates, *constraints, *integrator;
        double tolerance;
    } way[] = {{"lie", "index3", "radau3", 1e-8},
               {"relative", "index3", "radau3", 1e-8},
               {"natural", "index3", "radau3", 1e-8},
               {"euler-parameters", "index3", "radau3", 1e-8},
               {"lie", "index1", "rk4", 1e-8},
               {"relative", "index1", "rk4", 1e-8},
               {"natural", "index1", "rk4", 1e-8},
               {"lie", "index2", "generalized-alpha", 2e-5},
               {"relative", "independent", "rk4", 1e-8},
               {"natural", "index2", "generalized-alpha", 2e-5},
               {"euler-angles", "augmented1", "rk4", 1e-6},
               {"relative", "penalty", "rk4", 1e-5}};
    const double t = 0.2, angle = 0.5 * t + t * t + t * t * t, w = 0.5 + 2 * t + 3 * t * t, dw = 2 + 6 * t;
    const double x = 0.15 * sin(2 * t), v = 0.3 * cos(2 * t), a = -0.6 * sin(2 * t), g = 9.81;
    /* the body's centre of mass in the axes of the arm, and the moment of momentum about the joint */
    const double X = 0.6 + x, Z = 0.3;
    double weight = g * (1.3 * 0.3 * cos(angle) + 0.8 * (X * cos(angle) + Z * sin(angle)));
    double torque =
        (0.07 + 1.3 * 0.09 + 0.05 + 0.8 * (X * X + Z * Z)) * dw + 2 * 0.8 * X * v * w + 0.8 * Z * a - weight;
    double push = 0.8 * (dw * Z + a - w * w * X - g * sin(angle));
    for (size_t k = 0; k < sizeof way / sizeof way[0]; k++) {
        runSpec spec = {.text = arm,
                        .coordinates = way[k].coordinates,
                        .constraints = way[k].constraints,
                        .integrator = way[k].integrator,
                        .step = 2e-3,
                        .end = t,
                        .channel = {"joint.J.angle", "joint.J.rate", "joint.J.acceleration",
                                    "joint.K.displacement", "joint.K.rate", "joint.K.acceleration",
                                    "joint.J.drive.torque.z", "joint.K.drive.force.z"}};
        runResult got = run_model(&spec);
        const double want[8] = {angle, w, dw, x, v, a, torque, push};
        int before = test_failed_checks;
        CHECK_INT(got.status, VG_OK);
        for (int i = 0; i < 8; i++) CHECK_NEAR(got.value[i], want[i], (i < 6 ? 3 : 3e3) * way[k].tolerance);
        if (test_failed_checks > before)
            printf("   %s %s %s\n", way[k].coordinates, way[k].constraints, way[k].integrator);
    }
}

TEST_MAIN(rate_and_acceleration)

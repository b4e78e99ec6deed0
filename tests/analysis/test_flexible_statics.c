/* A bent, twisted and pulled bar of modes at rest: what its channels say of it, against the formulas of
 * bars (Timoshenko). */
#include <math.h>

#include "moment.h"
#include "test.h"

static const double L = 1.5, EA = 1e6, GAy = 4e4, GAz = 5e4, GJ = 300, EIy = 700, EIz = 900;

/* ∫ (m + f s)² ds over the length */
static double square(double m, double f)
{
    return m * m * L + m * f * L * L + f * f * L * L * L / 3;
}

/* Small loads, so that it matters little that they stay where they are while the tip goes. */
TEST(section_forces_and_strain_energy)
{
    momentRig m = moment_text(
        "verge: 1\n"
        "flexible:\n"
        "  rod: {length: 1.5, modes: 2, ends: true, nodes: {root: 0, third: 0.5, tip: 1.5}, m: 2,\n"
        "        EA: 1e6, GAy: 4e4, GAz: 5e4, GJ: 300, EIy: 700, EIz: 900}\n"
        "joints: {O: {fixed: [ground, rod]}}\n"
        "forces:\n"
        "  F: {force: rod.tip, value: [3e-4, 2e-4, -1.5e-4]}\n"
        "  T: {torque: rod.tip, value: [4e-5, 3e-5, 2e-5]}\n");
    const double F[3] = {3e-4, 2e-4, -1.5e-4}, T[3] = {4e-5, 3e-5, 2e-5}, tol = 1e-9;
    static const char *const node[] = {"root", "third", "tip"};
    const double arm[] = {1.5, 1, 0};
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    for (int k = 0; k < 3; k++) {
        static const char *const what[] = {"axial", "shear-y", "shear-z", "torsion", "moment-y", "moment-z"};
        const double want[6] = {F[0], F[1], F[2], T[0], T[1] - arm[k] * F[2], T[2] + arm[k] * F[1]};
        for (int c = 0; c < 6; c++) {
            char name[64];
            snprintf(name, sizeof name, "body.rod.%s.%s", node[k], what[c]);
            CHECK_NEAR(moment_channel(&m, name), want[c], tol);
        }
    }
    double U = F[0] * F[0] * L / EA + F[1] * F[1] * L / GAy + F[2] * F[2] * L / GAz + T[0] * T[0] * L / GJ +
               square(T[1], -F[2]) / EIy + square(T[2], F[1]) / EIz;
    CHECK_NEAR(moment_channel(&m, "body.rod.strain-energy"), U / 2, 1e-6 * U);
    CHECK_NEAR(moment_channel(&m, "force.rod.strain-energy"), U / 2, 1e-6 * U);
    CHECK_NEAR(moment_channel(&m, "energy.potential.rod"), U / 2, 1e-6 * U);
    CHECK_NEAR(moment_channel(&m, "joint.O.torque.y"), -(T[1] - L * F[2]), tol);
    CHECK_NEAR(moment_channel(&m, "joint.O.force.z"), -F[2], tol);
    moment_end(&m);
}

/* In a plane: three of the six, and the amplitudes of the ends are the displacements of the tip. */
TEST(section_forces_in_a_plane)
{
    momentRig m = moment_text("verge: 1\nplanar: true\n"
                              "flexible:\n"
                              "  rod: {length: 1.5, modes: 1, ends: true, nodes: {root: 0, tip: 1.5}, m: 2,\n"
                              "        EA: 1e6, GAy: 4e4, EIz: 900}\n"
                              "joints: {O: {fixed: [ground, rod]}}\n"
                              "forces: {F: {force: rod.tip, value: [3e-4, 2e-4]}}\n");
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    CHECK_NEAR(moment_channel(&m, "body.rod.root.axial"), 3e-4, 1e-9);
    CHECK_NEAR(moment_channel(&m, "body.rod.root.shear-y"), 2e-4, 1e-9);
    CHECK_NEAR(moment_channel(&m, "body.rod.root.moment-z"), 3e-4, 1e-9);
    CHECK_NEAR(moment_channel(&m, "body.rod.tip.position.y"), 2e-4 * (L * L * L / (3 * EIz) + L / GAy),
               1e-12);
    CHECK_NEAR(moment_channel(&m, "body.rod.tip.angle"), 2e-4 * L * L / (2 * EIz), 1e-12);
    moment_end(&m);
}

TEST_MAIN(section_forces_and_strain_energy, section_forces_in_a_plane)

/* Flexible models as a new user writes them: what `check` says of them, warnings, closed forms of parts not
 * in the gallery. */
#include <math.h>

#include "moment.h"
#include "test.h"

/* A robot's link, 6.48 kg, of beams and as a body with modes (amplitudes are no mass), on a post of 1 m. */
static const char link_text[] = "verge: 1\n"
                                "gravity: [0, 0, -9.81]\n"
                                "bodies:\n"
                                "  ground: {markers: {S: [0, 0, 1]}}\n"
                                "  tool: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [1, 0, 1]}\n"
                                "flexible:\n"
                                "  link: {length: 1, modes: 26, position: [0, 0, 1], rectangle: [0.04, "
                                "0.06], E: 70e9, nu: 0.33, rho: 2700}\n"
                                "joints:\n"
                                "  base: {revolute: [%s, link.start], axis: z, drive: {angle: 0}}\n"
                                "  grip: {fixed: [link.end, tool]}\n";

static momentRig link_at(const char *where)
{
    char text[sizeof link_text + 20];
    snprintf(text, sizeof text, link_text, where);
    return moment_text(text);
}

/* Mass and centre of mass; reaction and deflection q L⁴/8EI + P L³/3EI (+ shear) of the cantilever at rest;
 * the torque that holds it about z is the drive's. */
TEST(link_of_26_modes)
{
    momentRig m = link_at("ground.S");
    vgModelSummary sum;
    vg_model_describe(m.model, &sum);
    CHECK_NEAR(sum.mass, 8.48, 1e-12);
    CHECK_NEAR(sum.com.x, (6.48 * 0.5 + 2) / 8.48, 1e-12);
    CHECK_NEAR(sum.com.z, 1, 1e-12);
    CHECK_INT(vg_diag_count(m.diag), 0);
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    const double q = 6.48 * 9.81, P = 2 * 9.81, EI = 70e9 * 0.04 * pow(0.06, 3) / 12;
    const double GA = 70e9 / 2.66 * 0.0024 * 5 / 6, sag = (q / 8 + P / 3) / EI + (q / 2 + P) / GA;
    CHECK_NEAR(1 - moment_channel(&m, "body.tool.position.z"), sag, 1e-3 * sag);
    CHECK_NEAR(hypot(moment_channel(&m, "joint.base.torque.x"), moment_channel(&m, "joint.base.torque.y")),
               q / 2 + P, 1e-3);
    moment_end(&m);
}

/* The joint is a metre away from the link: closing it bends the link, which is said. */
TEST(a_strained_start_is_told)
{
    momentRig m = link_at("ground");
    CHECK_INT(vg_diag_warnings(m.diag), 1);
    CHECK(vg_diag_count(m.diag) > 0 && strstr(vg_diag_line(m.diag, 0), "joint 'base' is open by 1 ") != NULL);
    moment_end(&m);
}

/* A sideways push on the driven link: the drive holds it. */
TEST(torque_of_a_drive)
{
    momentRig m = moment_text("verge: 1\n"
                              "bodies:\n"
                              "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                              "  sled: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
                              "joints:\n"
                              "  O: {revolute: [ground, arm], axis: y, drive: {angle: 0}}\n"
                              "  S: {prismatic: [ground, sled], axis: x, drive: {displacement: 0}}\n"
                              "forces:\n"
                              "  push: {force: {body: arm, position: [2, 0, 0]}, value: [0, 0, 3]}\n"
                              "  pull: {force: sled, value: [5, 0, 0]}\n");
    /* on the arm about its axis, which is z of the joint's frame: against the push's −6 about y; on the sled
     * along x */
    CHECK_NEAR(moment_channel(&m, "joint.O.drive.torque.z"), 6, 1e-10);
    CHECK_NEAR(moment_channel(&m, "joint.S.drive.force.z"), -5, 1e-10);
    CHECK_NEAR(moment_channel(&m, "joint.O.torque.z"), 0, 1e-10);
    moment_end(&m);
}

/* A quarter of a circle, clamped, with a load at its tip: u = P R³/2EI outwards, w = (3π/4 − 2) P R³/EI down.
 */
TEST(curved_leaf)
{
    momentRig m = moment_text("verge: 1\n"
                              "planar: true\n"
                              "mesh:\n"
                              "  leaf: {beam3: 6, from: ground, to: [0.5, 0.5],\n"
                              "         via: [[0.5*sin(pi/4), 0.5*(1 - cos(pi/4))]], curve: arc,\n"
                              "         rectangle: [0.001, 0.02], E: 210e9, nu: 0.3, rho: 7800}\n"
                              "forces:\n"
                              "  load: {force: leaf.13, value: [0, -1e-4]}\n");
    moment_rest(&m, NULL);
    CHECK_INT(m.status, VG_OK);
    const double pi = 3.14159265358979323846, unit = 1e-4 * 0.125 / (210e9 * 0.02 * 1e-9 / 12);
    CHECK_NEAR(moment_channel(&m, "body.leaf.13.position.x") - 0.5, unit / 2, 2e-3 * unit);
    CHECK_NEAR(0.5 - moment_channel(&m, "body.leaf.13.position.y"), (0.75 * pi - 2) * unit, 2e-3 * unit);
    moment_end(&m);
}

/* A disc of 10 kg in the middle of a light shaft on elastic bearings: 48EI/L³ (and shear, 4κGA/L) in series
 * with two bearings of k. Its forward and backward whirl do not depend on the speed. */
TEST(shaft_on_bushings)
{
    momentRig m = moment_text(
        "verge: 1\n"
        "bodies:\n"
        "  ground: {markers: {A: [0, 0, 0], B: [1, 0, 0]}}\n"
        "  disc: {mass: 10, inertia: [0.1, 0.05, 0.05], position: [0.5, 0, 0], omega: [100, 0, 0]}\n"
        "mesh:\n"
        "  shaft: {beam3: 8, from: [0, 0, 0], to: [1, 0, 0], omega: [100, 0, 0], nodes: {9: disc},\n"
        "          circle: 0.01, E: 210e9, nu: 0.3, rho: 1}\n"
        "forces:\n"
        "  A: {bushing: [ground.A, shaft.1], stiffness: [1e7, 2e6, 2e6, 0, 0, 0]}\n"
        "  B: {bushing: [ground.B, shaft.17], stiffness: [0, 2e6, 2e6, 0, 0, 0]}\n");
    moment_modes(&m);
    CHECK_INT(m.status, VG_OK);
    const double pi = 3.14159265358979323846, E = 210e9, r = 0.01;
    double soft = 1 / (48 * E * pi * pow(r, 4) / 4) + 1 / (4 * 6.0 / 7 * E / 2.6 * pi * r * r) + 1 / 4e6;
    double w = sqrt(1 / (soft * 10));
    int first = 0; /* the free turn has one or two zeros before, as round-off has it */
    while (first + 1 < m.modes.n && fabs(m.modes.mode[first].im) < 1e-2 * w) first++;
    CHECK(first <= 2);
    CHECK_NEAR(m.modes.mode[first].im, w, 1e-3 * w);
    CHECK_NEAR(m.modes.mode[first + 1].im, w, 1e-3 * w);
    moment_end(&m);
}

/* A mesh with a mistake in it is told once, not again by what holds on to it. */
TEST(a_wrong_mesh_is_told_once)
{
    static const char text[] = "verge: 1\n"
                               "mesh:\n"
                               "  blade: {beam3: 2, from: [0, 0, 0], to: [1, 0, 0], box: [1, 2]}\n"
                               "joints:\n"
                               "  O: {revolute: [ground, blade.1]}\n";
    vgDiag *diag = vg_diag_new();
    CHECK(vg_model_parse(text, strlen(text), "m", NULL, 0, diag) == NULL);
    CHECK_INT(vg_diag_count(diag), 1);
    vg_diag_free(diag);
}

/* Lines on bodies that move start as these do: a boom with its hub, a rod with both its ends. */
TEST(lines_start_with_what_holds_them)
{
    momentRig m =
        moment_text("verge: 1\n"
                    "bodies:\n"
                    "  hub: {mass: 10, inertia: [1, 1, 1.5], velocity: [0, 0, 1], omega: [0.5, 0, 3]}\n"
                    "  crank: {mass: 1, inertia: [1, 1, 1], position: [0, 5, 0], omega: [0, 0, 2], markers: "
                    "{A: [0, 0.5, 0]}}\n"
                    "  slider: {mass: 1, inertia: [1, 1, 1], position: [2, 5.5, 0], velocity: [-1, -1, 0]}\n"
                    "mesh:\n"
                    "  boom: {beam: 4, from: {body: hub, position: [0.3, 0, 0]}, to: [2, 0, 0], circle: "
                    "0.005, E: 70e9, rho: 2700}\n"
                    "  rod: {beam: 4, start: {spherical: crank.A}, end: {spherical: slider}, circle: 0.005, "
                    "E: 70e9, rho: 2700}\n");
    CHECK_NEAR(moment_channel(&m, "body.boom.5.velocity.x"), 0, 1e-14);
    CHECK_NEAR(moment_channel(&m, "body.boom.5.velocity.y"), 3 * 2, 1e-14);
    CHECK_NEAR(moment_channel(&m, "body.boom.5.velocity.z"), 1, 1e-14);
    CHECK_NEAR(moment_channel(&m, "body.boom.3.omega.z"), 3, 1e-14);
    CHECK_NEAR(moment_channel(&m, "body.rod.1.velocity.x"), -1, 1e-14);
    CHECK_NEAR(moment_channel(&m, "body.rod.3.velocity.y"), -0.5, 1e-14);
    CHECK_NEAR(moment_channel(&m, "body.rod.5.velocity.y"), -1, 1e-14);
    moment_end(&m);
}

TEST_MAIN(link_of_26_modes, a_strained_start_is_told, torque_of_a_drive, curved_leaf, shaft_on_bushings,
          a_wrong_mesh_is_told_once, lines_start_with_what_holds_them)

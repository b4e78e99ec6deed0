/* Every coordinates × constraints × integrator that `verge list pairs` allows runs and gives the same motion;
 * every other one is refused. Here those of a planar mechanism. */
#include "suite/settings.h"

static const char planar_text[] = "verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
                                  "bodies:\n"
                                  "  ground: {markers: {D: [0.5, 0]}}\n"
                                  "  crank: {mass: 1, inertia: 0.01, position: [0, 0.1], angle: pi/2, omega: "
                                  "4, velocity: [-0.4, 0], markers: {O: [-0.1, 0], A: [0.1, 0]}}\n"
                                  "  rod: {mass: 2, inertia: 0.05, position: [0.25, 0.25], angle: atan(0.2), "
                                  "markers: {A: [-0.255, 0], B: [0.255, 0]}}\n"
                                  "  rocker: {mass: 1.5, inertia: 0.02, position: [0.5, 0.15], angle: pi/2, "
                                  "markers: {D: [-0.15, 0], B: [0.15, 0]}}\n"
                                  "joints:\n"
                                  "  O: {revolute: [ground, crank.O]}\n"
                                  "  A: {revolute: [crank.A, rod.A]}\n"
                                  "  B: {revolute: [rod.B, rocker.B]}\n"
                                  "  D: {revolute: [ground.D, rocker.D]}\n"
                                  "run: {step: 2e-3, end: 0.02}\n";

TEST(planar_four_bar)
{
    check_model(planar_text, (const char *const[]){NULL}, 0);
}

TEST_MAIN(planar_four_bar)

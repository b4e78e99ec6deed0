/* A crank, a rod between spherical joints and a slider, moving; a `run:` line comes behind it. */
#ifndef VERGE_TESTS_SPATIAL_SLIDER_CRANK_H
#define VERGE_TESTS_SPATIAL_SLIDER_CRANK_H

#define SPATIAL_SLIDER_CRANK                                                                                 \
    "verge: 1\ngravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                              \
    "  ground: {markers: {A: [0, 0.1, 0.12]}}\n"                                                             \
    "  crank: {mass: 0.12, inertia: [1e-4, 1e-5, 1e-4], position: [0, 0.1, 0.16], omega: [6, 0, 0], "        \
    "velocity: [0, "                                                                                         \
    "-0.24, 0], markers: {A: [0, 0, -0.04], B: [0, 0, 0.04]}}\n"                                             \
    "  rod: {mass: 0.5, inertia: [4e-3, 4e-4, 4e-3], position: [0.1, 0.05, 0.1], markers: {B: [-0.1, 0.05, " \
    "0.1], "                                                                                                 \
    "C: [0.1, -0.05, -0.1]}, velocity: [0.12, -0.24, 0], omega: [1.92, -0.96, 0.48]}\n"                      \
    "  slider: {mass: 2, inertia: [1e-4, 1e-4, 1e-4], position: [0.2, 0, 0], velocity: [0.24, 0, 0]}\n"      \
    "joints:\n"                                                                                              \
    "  A: {revolute: [ground.A, crank.A], axis: x}\n"                                                        \
    "  B: {spherical: [crank.B, rod.B]}\n"                                                                   \
    "  C: {spherical: [rod.C, slider]}\n"                                                                    \
    "  N: {angle: [rod.C, slider], axis: [0, 0.894427190999916, -0.447213595499958], axis2: x}\n"            \
    "  D: {prismatic: [ground, slider], axis: x}\n"

#endif

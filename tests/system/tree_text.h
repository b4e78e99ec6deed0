/* A tree with every joint that has a tree form, on a floating base; every second joint is written the other
 * way round, so that the tree runs through it backwards. */
#ifndef VERGE_TESTS_SYSTEM_TREE_TEXT_H
#define VERGE_TESTS_SYSTEM_TREE_TEXT_H

#define TREE_JOINTS                                                                                          \
    "verge: 1\ntitle: a tree of all joints\ngravity: [0.3, -0.2, -9.81]\n"                                   \
    "repeat: {index: i, from: 0, to: 9, bodies: {\"b{i}\": {mass: 1 + 0.1*i, inertia: [0.02 + 0.01*i, "      \
    "0.03 + 0.01*i, 0.04 + 0.005*i], com: [0.01*i, 0.02, -0.03], position: [0.3*i, 0.1*i, 0.2*i], "          \
    "rotation: [0.1*i, -0.05*i, 0.07*i], markers: {A: {position: [0.1, 0.05, 0.1], rotation: [0.2, 0.1, "    \
    "0.3]}, B: {position: [-0.1, 0, -0.1], rotation: [0.1, 0.4, -0.2]}}}}}\n"                                \
    "joints:\n"                                                                                              \
    "  J1: {revolute: [b0.A, b1.B], axis: [1, 2, 0.5]}\n  J2: {prismatic: [b2.B, b1.A], axis: x}\n"          \
    "  J3: {cylindrical: [b0.A, b3.B], axis: y}\n  J4: {spherical: [b4.B, b3.A]}\n"                          \
    "  J5: {universal: [b3.A, b5.B], axis: x}\n  J6: {universal: [b6.B, b0.A], axis: z}\n"                   \
    "  J7: {planar: [b7.B, b6.A], axis: z}\n  J8: {screw: [b7.A, b8.B], axis: x, pitch: 0.05}\n"             \
    "  J9: {fixed: [b9.B, b8.A]}\n"

/* forces on single links and along joints: the tangent is eliminated along the tree */
static const char tree_alone[] =
    TREE_JOINTS "forces:\n  s: {spring: [ground, b2.A], stiffness: 40, damping: 0.5, length: 0.3}\n"
                "  k: {torsion: J1, stiffness: 2, damping: 0.1}\n"
                "  m: {rotor: J1, inertia: 0.01, ratio: 3}\n"
                "  u: {joint-torque: J5.angle2, value: \"-3*x - 0.2*v\"}\n"
                "run: {step: 1e-3, end: 0.05}\n";

/* springs between neighbours: the same */
static const char tree_neighbours[] =
    TREE_JOINTS "forces:\n  s: {spring: [ground, b2.A], stiffness: 40, damping: 0.5, length: 0.3}\n"
                "  n: {spring: [b3.B, b5.A], stiffness: 50, damping: 0.7, length: 0.1}\n"
                "  o: {bushing: [b8.A, b7.B], stiffness: [3, 4, 5, 1, 2, 3], damping: 0.1}\n"
                "run: {step: 1e-3, end: 0.05}\n";

/* and with a spring between branches and a rod that closes a loop: an explicit matrix */
static const char tree_text[] =
    TREE_JOINTS "  R: {distance: [ground, b4.A], length: 2}\n"
                "forces:\n  s: {spring: [ground, b2.A], stiffness: 40, damping: 0.5, length: 0.3}\n"
                "  u: {spring: [b5.A, b9.B], stiffness: 30, damping: 0.3, length: 0.2}\n"
                "  k: {torsion: J1, stiffness: 2, damping: 0.1}\n"
                "run: {step: 1e-3, end: 0.05}\n";

/* springs, a rod and a gear between links that few joints are between, forwards and backwards */
static const char tree_near[] = TREE_JOINTS
    "  R: {distance: [b6.A, b2.B]}\n  G: {gear: [J1, J5.angle2], ratio: 2}\n"
    "forces:\n"
    "  a: {axial-spring: [b2.A, b6.A], axis: [1, 0.2, -1], stiffness: 30, damping: 0.5, length: 0.1}\n"
    "  b: {axial-spring: [b0, b6.A], axis: y, stiffness: 20, length: 0.3}\n"
    "  c: {spring: [b5.A, b3.B], stiffness: 50, damping: 0.7, length: 0.1}\n"
    "  d: {spring: [b1.A, b2.A], force: \"40*(x - 0.1) + 3*v*x + v^2\"}\n"
    "  e: {spring: [b6.B, b1.A], stiffness: 25, damping: 0.2, length: 0.2}\n"
    "run: {step: 1e-3, end: 0.05}\n";

#endif

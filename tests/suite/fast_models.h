/* Models that take the fast paths which the shipped models do not take, or in shapes that they do not have:
 * numbers that are no multiple of four, several fours on a floating body, joints seen from the wrong end. */
#ifndef VERGE_TESTS_FAST_MODELS_H
#define VERGE_TESTS_FAST_MODELS_H

/* A car body with six arms of hinges, Cardan joints and sliders, two of them closed by rods; springs across.
 */
static const char fast_arms[] =
    "verge: 1\ngravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "  ground: {markers: {S: [0.4, 0.3, -1]}}\n"
    "  car: {mass: 9, inertia: [[2, 0.1, 0.2], [0.1, 3, -0.1], [0.2, -0.1, 4]], markers: {A: [1, 0.5, 0.1], "
    "B: [-1, 0.4, 0], C: [0.2, -1, 0.3], D: [0.1, 0.9, -0.4], E: [0.5, 0.5, 0.5], F: [-0.5, -0.6, 0.2]}}\n"
    "  a: {mass: 1.1, position: [0.9, 0.5, -0.1], inertia: [0.05, 0.04, 0.03], markers: {M: [0.1, 0, 0.2], "
    "N: [0.3, 0.1, -0.2]}}\n"
    "  b: {mass: 1.2, position: [-1, 0.3, 0.2], inertia: [0.06, 0.05, 0.04], markers: {M: [0, 0.1, -0.2], N: "
    "[0.2, 0.2, 0.3]}}\n"
    "  c: {mass: 1.3, position: [0.1, -1.1, 0.3], inertia: [0.05, 0.07, 0.06], markers: {M: [0.1, 0.1, 0], "
    "N: [-0.3, 0.1, 0.1]}}\n"
    "  d: {mass: 1.4, position: [-0.1, 0.9, -0.5], inertia: [0.07, 0.06, 0.05], markers: {M: [0.2, 0, 0.1], "
    "N: [0.1, -0.3, 0.2]}}\n"
    "  e: {mass: 0.5, position: [1.1, 0.5, -0.4], inertia: [0.03, 0.02, 0.04], markers: {M: [0.1, 0.1, 0.1], "
    "N: [0.1, 0.2, 0.3]}}\n"
    "  f: {mass: 0.6, position: [-0.7, 0.4, 0.4], inertia: [0.02, 0.03, 0.04], markers: {M: [-0.1, 0.1, "
    "0.1], N: [0.3, 0.2, 0.1]}}\n"
    "  g: {mass: 0.7, position: [-0.3, -0.9, 0.3], inertia: [0.04, 0.03, 0.05], markers: {M: [0.1, -0.1, "
    "0.1], N: [0.2, 0.2, 0.2]}}\n"
    "  h: {mass: 0.8, position: [-0.1, 0.5, -0.2], inertia: [0.05, 0.03, 0.03], markers: {M: [0.1, 0.1, "
    "-0.1]}}\n"
    "  i: {mass: 0.9, position: [0.4, 0.3, 0.6], inertia: [0.05, 0.04, 0.06], markers: {M: [0.1, 0.2, "
    "-0.1]}}\n"
    "  j: {mass: 1, position: [-0.7, -0.7, 0.3], inertia: [0.04, 0.05, 0.06], markers: {M: [0.2, 0.1, "
    "-0.1]}}\n"
    "joints:\n"
    "  A: {revolute: [car.A, a.M], axis: [1, 2, 0.5]}\n"
    "  B: {revolute: [car.B, b.M], axis: [0, 1, 0.5]}\n"
    "  C: {revolute: [c.M, car.C], axis: [1, 0, 0.5]}\n"
    "  D: {revolute: [car.D, d.M], axis: [1, -1, 0.2]}\n"
    "  E: {universal: [a.N, e.M], axis: x, axis2: y}\n"
    "  F: {universal: [b.N, f.M], axis: y, axis2: z}\n"
    "  G: {universal: [c.N, g.M], axis: z, axis2: x}\n"
    "  H: {prismatic: [d.N, h.M], axis: [1, 1, 0.3]}\n"
    "  I: {spherical: [car.E, i.M]}\n"
    "  J: {cylindrical: [car.F, j.M], axis: y}\n"
    "  R: {distance: [e.N, ground.S]}\n"
    "  S: {distance: [f.N, car.E]}\n"
    "  T: {distance: [g.N, a]}\n"
    "  U: {distance: [c, b]}\n"
    "  V: {distance: [i, j]}\n"
    "forces:\n"
    "  s1: {spring: [car.A, e.N], stiffness: 40, damping: 0.5, length: 0.3}\n"
    "  s2: {spring: [car.B, f.N], stiffness: 50, damping: 0.4, length: 0.2}\n"
    "  s3: {spring: [car.C, g.N], stiffness: 60, damping: 0.3, length: 0.4}\n"
    "  s4: {spring: [ground.S, d.N], stiffness: 70, damping: 0.2}\n"
    "  s5: {spring: [a.N, i], stiffness: 80, damping: 0.6}\n"
    "  s6: {spring: [ground, j], stiffness: 30, damping: 0.7}\n"
    "  t1: {torsion: A, stiffness: 3, damping: 0.2}\n"
    "  t2: {torsion: C, stiffness: 4, damping: 0.1}\n"
    "  t3: {axial-spring: [d.N, h.M], axis: x, stiffness: 30, damping: 0.2}\n"
    "  u1: {bushing: [h, i], stiffness: [30, 40, 50, 3, 4, 5], damping: [1, 2, 3, 0.1, 0.2, 0.3]}\n"
    "run: {step: 1e-3, end: 0.1}\n";

/* A tree without loops, four hinges at a depth, and forces on single links and between neighbours. */
static const char fast_tree[] =
    "verge: 1\ngravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "  hub: {mass: 5, inertia: [1, 1.2, 1.4], position: [0, 0, 1], markers: {A: [1, 0, 0], B: [0, 1, 0], C: "
    "[-1, 0, 0.2], D: [0, -1, 0.1]}}\n"
    "  a: {mass: 1.1, inertia: [0.05, 0.04, 0.03], markers: {M: [0.3, 0, 0.2]}}\n"
    "  b: {mass: 1.2, inertia: [0.06, 0.05, 0.04], markers: {M: [0, 0.3, -0.2]}}\n"
    "  c: {mass: 1.3, inertia: [0.05, 0.07, 0.06], markers: {M: [0.3, 0.1, 0]}}\n"
    "  d: {mass: 1.4, inertia: [0.07, 0.06, 0.05], markers: {M: [0.2, 0, 0.3]}}\n"
    "  e: {mass: 0.5, inertia: [0.03, 0.02, 0.04], markers: {M: [0.1, 0.4, 0.1]}}\n"
    "joints:\n"
    "  O: {spherical: [ground, hub]}\n"
    "  A: {revolute: [hub.A, a.M], axis: [1, 2, 0.5]}\n"
    "  B: {revolute: [hub.B, b.M], axis: [0, 1, 0.5]}\n"
    "  C: {revolute: [c.M, hub.C], axis: [1, 0, 0.5]}\n"
    "  D: {revolute: [hub.D, d.M], axis: [1, -1, 0.2]}\n"
    "  E: {universal: [a, e.M], axis: x, axis2: z}\n"
    "forces:\n"
    "  s1: {spring: [ground, hub], stiffness: 40, damping: 0.5}\n"
    "  s2: {spring: [hub.A, e], stiffness: 20, damping: 0.4}\n"
    "  s3: {spring: [a, e.M], stiffness: 25, damping: 0.3}\n"
    "  t1: {torsion: A, stiffness: 3, damping: 0.2}\n"
    "run: {step: 1e-3, end: 0.1}\n";

/* The same without forces: trees that are swept. */
static const char fast_bare_tree[] =
    "verge: 1\ngravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1.1, inertia: [0.05, 0.04, 0.03], markers: {M: [0.3, 0, 0.2], N: [-0.2, 0.1, 0.3]}}\n"
    "  b: {mass: 1.2, inertia: [0.06, 0.05, 0.04], markers: {M: [0, 0.3, -0.2], N: [0.2, 0.4, 0.1]}}\n"
    "  c: {mass: 1.3, inertia: [0.05, 0.07, 0.06], markers: {M: [0.3, 0.1, 0], N: [0.1, 0.1, 0.4]}}\n"
    "  d: {mass: 1.4, inertia: [0.07, 0.06, 0.05], markers: {M: [0.2, 0, 0.3]}}\n"
    "  e: {mass: 0.5, inertia: [[0.03, 0.001, 0], [0.001, 0.02, 0.002], [0, 0.002, 0.04]], markers: {M: "
    "[0.1, 0.4, 0.1]}}\n"
    "joints:\n"
    "  A: {spherical: [ground, a.M]}\n"
    "  B: {revolute: [a.N, b.M], axis: [0, 1, 0.5]}\n"
    "  C: {universal: [c.M, a], axis: x, axis2: y}\n"
    "  D: {fixed: [c.N, d.M]}\n"
    "  E: {revolute: [e.M, b.N], axis: [1, 2, 3]}\n"
    "run: {step: 1e-3, end: 0.1}\n";

/* Bodies without joints: explicit stages in one pass; springs by fours with one left over. */
static const char fast_loose[] =
    "verge: 1\ngravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1.1, inertia: [0.05, 0.04, 0.03], position: [1, 0, 0], omega: [1, 2, 3]}\n"
    "  b: {mass: 1.2, inertia: [0.06, 0.05, 0.04], position: [0, 1, 0], omega: [-1, 2, 1]}\n"
    "  c: {mass: 1.3, inertia: [0.05, 0.07, 0.06], position: [0, 0, 1], markers: {M: [0.1, 0.2, 0.3]}}\n"
    "forces:\n"
    "  s1: {spring: [ground, a], stiffness: 40, damping: 0.5}\n"
    "  s2: {spring: [a, b], stiffness: 41, damping: 0.4}\n"
    "  s3: {spring: [b, c.M], stiffness: 42, damping: 0.3}\n"
    "  s4: {spring: [c.M, a], stiffness: 43, damping: 0.2}\n"
    "  s5: {spring: [ground, c.M], stiffness: 44, damping: 0.1}\n"
    "run: {step: 1e-3, end: 0.1}\n";

/* Beams of two and three nodes, held and free, with damping, spring and joint at nodes on the way. */
static const char fast_beams[] =
    "verge: 1\ngravity: [0.3, -0.2, -9.81]\n"
    "bodies:\n  ground: {markers: {B: [9, 1, 0], C: [3, 5, 1]}}\n"
    "  W: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [9, 4, 0]}\n"
    "mesh:\n"
    "  a: {beam3: 13, start: {spherical: ground}, to: [3, 0, 0], circle: 0.05, E: 1e7, nu: 0.3, rho: 1000}\n"
    "  b: {beam3: 14, start: {revolute: ground.B, axis: y}, to: [9, 4, 0], end: {spherical: W}, circle: "
    "0.05, E: 1e7, nu: 0.3, rho: 1000}\n"
    "  c: {beam: 18, from: [3, 8, 1], end: {fixed: ground.C}, rectangle: [0.1, 0.2], E: 1e7, nu: 0.3, rho: "
    "1000, damping: 0.01}\n"
    "  d: {beam3: 17, from: [0, 0, 5], to: [2, 2, 6], circle: 0.04, E: 1e7, nu: 0.3, rho: 1000, damping: "
    "0.02}\n"
    "forces:\n"
    "  T: {torque: d.31, value: [300, -200, 100], frame: body}\n"
    "  S: {spring: [W, d.11], stiffness: 1e5, damping: 100}\n"
    "run: {step: 1e-3, end: 0.05}\n";

#endif

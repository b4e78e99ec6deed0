"""Projections are scaled: explicit methods after many turns, far from the origin, and in micrometres. The motions are
known in closed form, or from the same model near the origin."""
import os
import sys
import tempfile

from last_values import HERE, check, conclude, last, near

EXPLICIT = [("dopri5", "index1"), ("rk4", "index1"), ("dopri5", "augmented1"), ("rk4", "independent")]

# A gear of 100:1 and a driven shaft, after 3,000 rad, and after a million turns.
for integrator, constraints in EXPLICIT:
    dials = ["--integrator", integrator, "--constraints", constraints, "--step", "1e-2"]
    near("fastgear.yaml", "joint.O.angle", 30, 1e-9, *dials)
    near("drivefast.yaml", "joint.M.rate", 300, 1e-9, *dials)
TURNS = """verge: 1
planar: true
parameters: {W: 1e6}
bodies:
  motor: {mass: 1, inertia: 1e-4, omega: W}
  out: {mass: 5, inertia: 0.05, omega: W/100, position: [0.1, 0]}
joints:
  M: {revolute: [ground, motor]}
  O: {revolute: [{body: ground, position: [0.1, 0]}, out]}
  G: {gear: [O, M], ratio: 100}
run: {integrator: dopri5, step: 1e-6, end: 7}
record: [joint.*.angle]
"""
# Two bars in free fall about a hinge of micrometres: the period of the same pendulum in metres is √1e6 as long.
PENDULUM = """verge: 1
planar: true
gravity: [0, -9.81]
parameters: {L: 1}
bodies:
  a: {mass: 1, inertia: L^2/12, com: [L/2, 0], markers: {end: [L, 0]}}
  b: {mass: 1, inertia: L^2/12, position: [L, 0], com: [L/2, 0]}
joints:
  O: {revolute: [ground, a]}
  E: {revolute: [a.end, b]}
run: {integrator: rk4, step: 1e-3*sqrt(L), end: 0.5*sqrt(L), constraints: index1}
record: [joint.O.angle, joint.E.angle]
"""
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "turns.yaml")
    with open(path, "w") as file:
        file.write(TURNS)
    # fixed steps are split where they turn a body far, which takes a minute for a million turns: with `all`, else a hundred thousand
    for integrator, end in [("dopri5", 7 if "all" in sys.argv else 0.7), ("rk4", 0.7)]:
        near(path, "joint.O.angle", 1e4 * end, 1e-5, "--integrator", integrator, "--step", "1e-3", "--end", str(end))
    path = os.path.join(folder, "pendulum.yaml")
    with open(path, "w") as file:
        file.write(PENDULUM)
    for integrator, constraints in EXPLICIT + [("generalized-alpha", "index2")]:
        dials = ["--integrator", integrator, "--constraints", constraints]
        want, error = last(path, *dials)
        check(want is not None, f"pendulum of a metre, {dials}: {error}")
        for length in ["1e-6", "1e4"]:
            near(path, "joint.E.angle", want["joint.E.angle"] if want else 0, 1e-7, "--set", "L=" + length, *dials)

# Two satellites with a hinge, at the origin and 1e7 m from it.
dials = ["--integrator", "dopri5:rtol=1e-8"]
want, error = last(os.path.join(HERE, "far.yaml"), "--set", "X=0", *dials)
check(want is not None, f"far X=0: {error}")
for place in ["1e5", "7e6", "1e7"]:
    near("far.yaml", "joint.h.angle", want["joint.h.angle"] if want else 0, 1e-6, "--set", "X=" + place, *dials)

# The ring of planetary gears holds 25 N m.
for integrator, constraints in EXPLICIT:
    near("planetary.yaml", "force.holdring.torque", 25, 1e-2, "--integrator", integrator, "--constraints", constraints)

conclude()

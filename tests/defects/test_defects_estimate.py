"""The error that every run estimates from its own steps, against the true one. The reference is another family of methods
in other coordinates with error control (dopri5, rtol 1e-10)."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

from last_values import EXE, HERE, check, counts

MODELS = os.path.join(os.environ["VERGE_SOURCE_DIR"], "models")
REFERENCE = ["--constraints", "index1", "--integrator", "dopri5:rtol=1e-10,atol=1e-12"]
WITHIN = 10  # the estimate is right within this factor


def run(path, *options):
    done = subprocess.run([EXE, "run", path, "--json", *options], capture_output=True, text=True)
    return json.loads(done.stdout)


def history(path, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.csv")
        subprocess.run([EXE, "run", path, "--output", out, *options], capture_output=True, check=True)
        with open(out, encoding="utf-8") as f:
            rows = list(csv.reader(f))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


def moves(name):
    return any(word in name for word in ("position", "velocity", "angle", "rate", "omega", "displacement"))


def true_error(path, options, rows):
    """The largest error of a channel of the motion, as a part of what it ranges over."""
    names, a = history(path, *rows, *options)
    _, b = history(path, *rows, *REFERENCE)
    worst = 0
    for k, name in enumerate(names):
        values = [row[k] for row in b]
        size = max(values) - min(values)
        if moves(name) and size > 0:
            worst = max(worst, max(abs(x[k] - y) for x, y in zip(a, values)) / size)
    return worst


SPIN = """verge: 1
bodies: {b: {mass: 1, inertia: [0.02, 0.02, 0.03], omega: [0, 0, 2]}}
run: {end: 100, step: 0.1}
record: [body.b.quaternion.*]
"""


def free_spins():
    """A body alone turns by 200 rad. Its momentum is right to rounding in every method, but for what parameters of rotation lack of the
    angle in each step: 0.17 to 1.3 rad in the end, of which no momentum tells."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spin.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(SPIN)
        for coordinates, constraints, integrator in (("natural", "index3", "trapezoidal"), ("natural", "index1", "generalized-alpha"), ("cayley", "index3", "nstiff"),
                                                     ("euler-parameters", "index2", "generalized-alpha"), ("lie", "index3", "generalized-alpha")):
            done = run(path, "--coordinates", coordinates, "--constraints", constraints, "--integrator", integrator)
            angle = 2 * math.atan2(done["final"]["body.b.quaternion.z"], done["final"]["body.b.quaternion.w"])
            true = abs((angle - 200 + math.pi) % (2 * math.pi) - math.pi)
            estimate, warned = done["estimated_error_part"], any("add up" in w for w in done["warnings"])
            check(abs(estimate - true) < 0.15 * true + 1e-9, f"spin, {coordinates}, {integrator}: estimate {estimate}, true {true}")
            check(warned == (true > 0.15), f"spin, {coordinates}, {integrator}: {done['warnings']}")


def spins_that_precess():
    """A heavy top in natural coordinates at 0.15 rad a step: a third of its motion is wrong, its momenta follow what acts."""
    path = os.path.join(MODELS, "heavy-top.yaml")
    options = ["--coordinates", "natural", "--constraints", "index2", "--step", "1e-3"]
    done, true = run(path, "--end", "1", *options), true_error(path, options, ["--end", "1", "--interval", "0.02"])
    estimate = done["estimated_error_part"]
    check(true > 0.1 and true / 3 < estimate < 3 * true, f"heavy top: estimate {estimate}, true {true}")
    check(any("add up" in w for w in done["warnings"]), f"heavy top: {done['warnings']}")


SATELLITE = """verge: 1
bodies:
  bus: {mass: 200, inertia: [40, 50, 60], omega: [0.01, 0.02, -0.01]}
  wx: {mass: 3, inertia: [0.02, 0.01, 0.01], position: [0.3, 0, 0]}
  wy: {mass: 3, inertia: [0.01, 0.02, 0.01], position: [0, 0.3, 0]}
  wz: {mass: 3, inertia: [0.01, 0.01, 0.02], position: [0, 0, 0.3]}
joints:
  X: {revolute: [{body: bus, position: [0.3, 0, 0]}, wx], axis: x}
  Y: {revolute: [{body: bus, position: [0, 0.3, 0]}, wy], axis: y}
  Z: {revolute: [{body: bus, position: [0, 0, 0.3]}, wz], axis: z}
forces:
  mx: {joint-torque: X, value: "0.1*sin(0.05*t)"}
  my: {joint-torque: Y, value: 0.05}
  mz: {joint-torque: Z, value: "-0.08*cos(0.1*t)"}
run: {step: 0.05, end: 100}
record: [momentum.angular.*, joint.*.rate, body.bus.omega.*]
"""


def momentum_that_changes():
    """Wheels at 250 rad/s in a satellite that nothing acts on, in steps of 0.05 s: its angular momentum, which is constant, changes.
    The motion is wrong by that part at the least; the parts of the momentum are no larger than the sum of their largest values."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "satellite.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(SATELLITE)
        estimate = run(path)["estimated_error_part"]
        names, rows = history(path)
    names = [name.split()[0] for name in names]
    column = lambda name: [row[names.index(name)] for row in rows]
    momentum = list(zip(*(column("momentum.angular." + axis) for axis in "xyz")))
    most = {name: max(map(abs, column(name))) for name in names}
    bus = sum(most["body.bus.omega." + axis] for axis in "xyz")
    wheels = 0.02 * sum(most["joint.%s.rate" % name] for name in "XYZ")
    # the bus, wheels that turn with it, and what is apart by 0.3 m about the centre of mass
    size = wheels + (60 + 3 * 0.02 + 3 * 3 * 0.6**2) * bus
    part = max(math.dist(now, momentum[0]) for now in momentum) / size
    check(part > 0.05 and part < estimate < 1, f"satellite: estimate {estimate}, the momentum changes by {part:.3g} at the least")


FAST_BESIDE_SLOW = """verge: 1
gravity: 0
bodies:
  slow: {mass: 100, inertia: [1, 1, 1]}
  fast: {mass: 0.001, inertia: [1e-6, 1e-6, 1e-6], position: [0, 1, 0]}
joints:
  big: {prismatic: [ground, slow], axis: x, start: {displacement: 5}}
  small: {prismatic: [{body: ground, position: [0, 1, 0]}, fast], axis: x, start: {displacement: 0.5}}
forces:
  soft: {bushing: [{body: ground}, slow], stiffness: [100, 0, 0, 0, 0, 0]}
  stiff: {bushing: [{body: ground, position: [0, 1, 0]}, fast], stiffness: [0.9, 0, 0, 0, 0, 0]}
run: {end: 5, step: 0.01}
record: [joint.*.displacement]
"""


def fast_beside_slow():
    """A light fast oscillator (30 rad/s) beside a heavy slow one (1 rad/s), with steps that suit the slow one: of the momenta of both
    together the fast one has a millionth, and its phase is off by a radian. Each is judged by what it ranges over itself; steps that are a
    sixth as long help. x = x0 cos(w t)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "two.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(FAST_BESIDE_SLOW)
        for step, off in (("0.01", True), ("0.0015625", False)):
            done = run(path, "--step", step)
            names, rows = history(path, "--step", step, "--interval", "0.05")
            small = next(k for k, name in enumerate(names) if "small" in name)
            true = max(abs(row[small] - 0.5 * math.cos(30 * row[0])) for row in rows)  # of a range of 1 m
            estimate = done["estimated_error_part"]
            check((true > 0.2) == off and true / 4 < estimate < 4 * true, f"fast beside slow, {step} s: estimate {estimate}, true {true}")
            check(any("'fast'" in w for w in done["warnings"]) == off, f"fast beside slow, {step} s: {done['warnings']}")


def main():
    free_spins()
    fast_beside_slow()
    spins_that_precess()
    momentum_that_changes()
    cases = [("pendulum", [], "3"), ("chain", [], "0.5"), ("cart-pole", [], "2"), ("four-bar-planar", [], "0.5"),
             ("n-four-bar", [], "2"), ("slider-crank", [], "0.5"), ("trebuchet", [], "1"), ("bicycle", [], "1")]
    for name, options, end in cases:
        path = os.path.join(MODELS, name + ".yaml")
        rows = ["--end", end, "--interval", str(float(end) / 50)]
        estimate, true = run(path, *rows, *options)["estimated_error_part"], true_error(path, options, rows)
        check(estimate is not None and true / WITHIN < estimate < true * WITHIN, f"{name}: estimate {estimate}, true {true:.3g}")
    # it falls as the method's order says
    path = os.path.join(MODELS, "pendulum.yaml")
    two = [run(path, "--end", "3", "--step", step)["estimated_error_part"] for step in ("8e-3", "1e-3")]
    check(64 / 3 < two[0] / two[1] < 64 * 3, f"pendulum, an eighth of the step: {two}")
    # what is driven has no error
    one = run(os.path.join(HERE, "driven-four-bar.yaml"), "--constraints", "index2", "--end", "3")["estimated_error_part"]
    check(one < 1e-6, f"driven four-bar: {one}")
    # impacts are not seen, and nothing is said of them
    check(run(os.path.join(MODELS, "newtons-cradle.yaml"), "--end", "0.1")["estimated_error_part"] is None, "impacts: no estimate")
    # what adds up is warned of; what the warning proposes helps
    path = os.path.join(HERE, "gimbal.yaml")
    exact = run(path, *REFERENCE)["final"]["joint.o.angle"]
    coarse = run(path)
    check(abs(coarse["final"]["joint.o.angle"] - exact) > 1, "gimbal: the coarse run is off")
    check(any("add up" in w for w in coarse["warnings"]), f"gimbal: {coarse['warnings']}")
    for options in (["--step", "1.25e-4"], ["--constraints", "index1", "--integrator", "dopri5:rtol=1e-6"]):
        fine = run(path, *options)
        check(not fine["warnings"] and abs(fine["final"]["joint.o.angle"] - exact) < 0.02, f"gimbal {options}: {fine['final']}")
    # all coordinates driven: the work of the drive is seen
    path = os.path.join(HERE, "driven-four-bar.yaml")
    for options in (["--constraints", "independent"], ["--constraints", "independent", "--integrator", "rk4"], ["--constraints", "index2"]):
        done = run(path, *options)
        check(not done["warnings"] and done["energy_balance"] < 1e-3 * done["energy_flow"],
              f"driven four-bar {options}: {done['energy_balance']} of {done['energy_flow']}, {done['warnings']}")
    print(f"1 tests, {counts['checks']} checks, {counts['failed']} failed")
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())

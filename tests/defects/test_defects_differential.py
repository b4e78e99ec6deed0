"""Models that scripts/differential found and shrank, each against an independent way to the same motion."""
import json
import math
import os
import pathlib
import subprocess
import tempfile

EXE = os.environ["VERGE_EXE"]
HERE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"]) / "tests" / "defects"


def final(model, *options):
    done = subprocess.run([EXE, "run", str(HERE / model), "--json", "-q", *options], capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert done.returncode == 0, (model, options, report["error"])
    return report["final"]


def gap(a, b):
    """Largest difference by the largest value."""
    return max(abs(a[name] - b[name]) for name in b) / max(abs(value) for value in b.values())


def test_planar_loop_in_space():
    """Four hinges about z in space: in joint coordinates three constraint equations of the loop are rounding errors.
    They were taken for constraints, and nothing moved. The same loop in absolute coordinates has one freedom."""
    check = subprocess.run([EXE, "check", str(HERE / "planar-loop-in-space.yaml"), "--coordinates", "relative", "--json"],
                           capture_output=True, text=True)
    assert json.loads(check.stdout)["degrees_of_freedom"] == 1, check.stdout
    times = ["--end", "0.3", "--interval", "0.3"]
    right = final("planar-loop-in-space.yaml", "--coordinates", "lie", "--constraints", "index2", "--integrator", "radau3:rtol=1e-10", *times)
    assert abs(right["joint.O.rate"]) > 1, right  # it does move
    for constraints, integrator, most in (("index1", "dop853:rtol=1e-10", 1e-7), ("independent", "dopri5:rtol=1e-9", 1e-6), ("index3", "radau3:rtol=1e-8", 1e-5)):
        there = final("planar-loop-in-space.yaml", "--coordinates", "relative", "--constraints", constraints, "--integrator", integrator, *times)
        assert gap(there, right) < most, (constraints, gap(there, right))


def test_held_matrices_change_time_alone():
    """With a Newton matrix that is reused (newton=2, 3) the motion is that of full Newton steps (newton=1) to a tenth of the
    step's own error, which is the difference to half the step."""
    cases = [("held-matrix.yaml", "relative", "index2", "lms2:predictor=0,newton=", 3.3e-4, "0.264"),
             ("held-matrix-free.yaml", "euler-parameters", "augmented3", "generalized-alpha:newton=", 3.64e-3, "0.437"),
             # velocities are projected with that matrix: along the constraints of where it was made
             ("held-matrix.yaml", "planar", "augmented3", "ss2:newton=", 1e-3, "0.264"),
             ("held-matrix.yaml", "lie", "augmented3", "bdf4:newton=", 6.6e-4, "0.264"),
             ("held-matrix.yaml", "natural", "augmented3", "hht:newton=", 1e-3, "0.264")]
    for model, coordinates, constraints, integrator, step, end in cases:

        def run(newton, h):
            return final(model, "--coordinates", coordinates, "--constraints", constraints, "--integrator", f"{integrator}{newton}",
                         "--step", repr(h), "--end", end, "--interval", end)

        full, half = run(1, step), run(1, step / 2)
        # order 2; below 1e-6 of the motion it is what the iteration's own target (acc) allows
        own = max(gap(half, full) * 4 / 3, 1e-6)
        assert gap(run(2, step), full) < 0.1 * own, (model, 2, gap(run(2, step), full), own)
        assert gap(run(3, step), full) < 0.5 * own, (model, 3, gap(run(3, step), full), own)


SPINNING = """verge: 1
bodies:
  rotor: {mass: 1, inertia: [0.00705, 0.00464, 0.003562], omega: {world: [176, 3, -2.4]}}
record: [body.rotor.quaternion.*]
"""


def test_independent_coordinates_iterate_far_enough():
    """In independent coordinates increments shrink by the same factor each time, not by its square: what was left had one sign in every
    step and added up, to 0.3 of the step's own error with Newmark's family and to thirty times it with composite methods. It is to
    be a tenth of that error, or 1e-7 of the motion (25 radians), which acc and tol leave, however far the first guess is away."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "spinning.yaml"
        model.write_text(SPINNING)
        for method, steps in (("generalized-alpha", 2188), ("hht", 2188), ("lms3", 2188), ("bdf4", 2188), ("bathe", 8752), ("msstc4", 8752)):

            def run(option, n):
                return final(model, "--coordinates", "euler-parameters", "--constraints", "independent", "--integrator", f"{method}:{option}",
                             "--step", repr(0.14 / n), "--end", "0.14", "--interval", "0.14")

            exact = run("tol=1e-13", steps)
            own = gap(exact, run("tol=1e-13", steps // 2)) / 3
            assert gap(run("predictor=0", steps), exact) < max(0.1 * own, 1e-7), (method, gap(run("predictor=0", steps), exact), own)


DRIVEN_ARM = """verge: 1
gravity: [0, 0, -9.81]
bodies:
  b0: {mass: 0.3, inertia: [0.003, 0.003, 0.003], position: [0.2, 0, 0]}
  b1: {mass: 0.6, inertia: [0.009, 0.009, 0.01], position: [0.4, 0, -0.2]}
joints:
  j0: {revolute: [ground, {body: b0, position: [-0.2, 0, 0]}], axis: [1, 2, 3], drive: {angle: "step(t, 0, 0, 0.15, 0.56)"}}
  j1: {revolute: [{body: b0, position: [0.2, 0, 0]}, {body: b1, position: [0, 0, 0.2]}], axis: y}
record: [body.b1.velocity.x, body.b1.velocity.y, body.b1.velocity.z]
"""


def test_optimal_start_of_a_drive_that_begins():
    """A drive begins with an acceleration at t = 0. start=1 asks for the rate of the accelerations there: a difference to the time before
    t = 0, when the drive stood still, was a jump of them over a twentieth of a step, and the order 1."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "arm.yaml"
        model.write_text(DRIVEN_ARM)
        right = final(model, "--coordinates", "relative", "--constraints", "index1", "--integrator", "dop853:rtol=1e-11", "--step", "1e-3", "--end", "0.27")
        for constraints in ("independent", "index1"):
            falls(model, right, (144, 288), 0.27, "--coordinates", "lie", "--constraints", constraints, "--integrator", "hht:start=1")


def driven_parallelogram(law, length=0.5, lean=-2.6):
    """Three bars in space between the ground and a plate, all hinges about z: two loops repeat each other."""
    d = [length * math.cos(lean), length * math.sin(lean)]
    joints, bodies = [], [f'  plate: {{mass: 2, inertia: [0.1, 0.1, 0.1], position: [{d[0] + 0.6!r}, {d[1]!r}, 0]}}']
    for i in range(3):
        x = 0.6 * i
        bodies.append(f'  b{i}: {{mass: 1, inertia: [0.02, 0.02, 0.02], position: [{x + d[0] / 2!r}, {d[1] / 2!r}, 0]}}')
        drive = f', drive: {{angle: "{law}"}}' if i == 0 else ""
        joints.append(f'  g{i}: {{revolute: [{{body: ground, position: [{x!r}, 0, 0]}}, {{body: b{i}, position: [{-d[0] / 2!r}, {-d[1] / 2!r}, 0]}}], axis: z{drive}}}')
        joints.append(f'  h{i}: {{revolute: [{{body: b{i}, position: [{d[0] / 2!r}, {d[1] / 2!r}, 0]}}, {{body: plate, position: [{x - 0.6!r}, 0, 0]}}], axis: z}}')
    record = "record: [body.plate.position.x, body.plate.position.y, body.plate.velocity.x, body.plate.velocity.y]"
    return "\n".join(["verge: 1", "gravity: [0, -9.81, 0]", "bodies:", *bodies, "joints:", *joints, record, ""])


def test_driven_redundant_loops_start():
    """A drive that moves at the start: loops with redundant constraints were refused as singular positions, because their
    motion was looked at while time stood still. The plate goes in a circle."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "parallelogram.yaml"
        for law, angle, rate in (("3*t", 0.6, 3.0), ("10*t", 2.0, 10.0), ("1e-3*t", 2e-4, 1e-3), ("0.7*sin(2*t)", 0.7 * math.sin(0.4), 1.4 * math.cos(0.4))):
            model.write_text(driven_parallelogram(law))
            a = -2.6 + angle  # away from the positions in line
            right = {"body.plate.position.x": 0.6 + 0.5 * math.cos(a), "body.plate.position.y": 0.5 * math.sin(a),
                     "body.plate.velocity.x": -0.5 * rate * math.sin(a), "body.plate.velocity.y": 0.5 * rate * math.cos(a)}
            for coordinates, constraints, integrator in (("lie", "index2", "generalized-alpha"), ("relative", "index1", "rk4:adaptive=0"), ("natural", "augmented3", "trapezoidal")):
                there = final(model, "--coordinates", coordinates, "--constraints", constraints, "--integrator", integrator, "--step", "1e-3", "--end", "0.2")
                assert gap(there, right) < 1e-8, (law, coordinates, constraints, there, right)


FALLING = """verge: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.12]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.12], position: [0.2, 0.4, 0.6]}
joints: {j: {prismatic: [a, b], axis: [1, 2, 3]}}
record: [body.*.velocity.*, body.*.omega.*]
"""


def test_joined_bodies_fall():
    """Two bodies on a slide fall from rest and do not turn: v = g t. Their angular momentum is rounding, and was found to have changed by
    its own size: a right run was stopped after one step."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "falling.yaml"
        model.write_text(FALLING)
        for coordinates, constraints in (("relative", "index1"), ("lie", "independent"), ("natural", "independent")):
            there = final(model, "--coordinates", coordinates, "--constraints", constraints, "--integrator", "dopri5:adaptive=0", "--step", "1e-3", "--end", "0.5")
            right = {f"body.{b}.velocity.{c}": -9.81 * 0.5 * (c == "z") for b in "ab" for c in "xyz"} | {f"body.{b}.omega.{c}": 0.0 for b in "ab" for c in "xyz"}
            assert gap(there, right) < 1e-12, (coordinates, constraints, there)


def rows_of(model, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "rows.csv"
        done = subprocess.run([EXE, "run", str(model), "-q", "-o", str(out), *options], capture_output=True, text=True)
        assert done.returncode == 0, (options, done.stderr)
        lines = [line.split(",") for line in out.read_text().splitlines() if not line.startswith("#")]
    return [dict(zip([name.split(" ")[0] for name in lines[0]], map(float, line))) for line in lines[1:]]


def test_rows_of_driven_redundant_loops():
    """Under error control a driven mechanism takes long steps. Rows between them are put onto the constraints, with the
    constraint equations that count in the step: with all of them the projection was singular and was left out."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "parallelogram.yaml"
        model.write_text(driven_parallelogram("10*t"))
        for coordinates, constraints, integrator in (("lie", "index1", "rk4:rtol=1e-5"), ("relative", "index3", "bathe:rtol=1e-5"),
                                                     ("cayley", "index2", "msstc5:rtol=1e-7"), ("se3", "augmented3", "mssth5:rtol=1e-8")):
            for row in rows_of(model, "--coordinates", coordinates, "--constraints", constraints, "--integrator", integrator, "--end", "0.2", "--interval", "0.013"):
                a = -2.6 + 10 * row["time"]
                off = math.hypot(row["body.plate.position.x"] - 0.6 - 0.5 * math.cos(a), row["body.plate.position.y"] - 0.5 * math.sin(a))
                slip = math.hypot(row["body.plate.velocity.x"] + 5 * math.sin(a), row["body.plate.velocity.y"] - 5 * math.cos(a))
                assert off < 1e-10 and slip < 1e-9, (coordinates, constraints, integrator, row["time"], off, slip)


def test_undamped_methods_at_index3():
    """Constraints on positions alone and ρ∞ = 1: velocities across the constraints kept what they were off by, and the
    motion went with them at any step. And reactions of methods that do not project are those of the motion."""
    motion = ["joint.j0.angle", "joint.j0.rate", "joint.j2.angle", "joint.j2.rate"]
    efforts = [f"joint.{j}.force.{a}" for j in ("j0", "j2") for a in "xy"]
    text = (HERE / "held-matrix.yaml").read_text()
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "pendulum.yaml"
        model.write_text(text[: text.index("record:")].replace('"omega": 0.0', '"omega": 3.0') + "record: [" + ", ".join(motion + efforts) + "]\n")

        def run(coordinates, constraints, integrator, h):
            return final(model, "--coordinates", coordinates, "--constraints", constraints, "--integrator", integrator, "--step", repr(h), "--end", "0.3")

        def part(there, right, names):
            return max(abs(there[n] - right[n]) for n in names) / max(abs(right[n]) for n in names)

        right = run("relative", "index1", "dop853:rtol=1e-12,atol=1e-13", 1e-2)
        for coordinates, constraints, integrator in (("planar", "index3", "mssth4:rho=1"), ("natural", "index3", "mssth3:rho=1"), ("lie", "index3", "generalized-alpha:rho=1"),
                                                     ("planar", "augmented3", "trapezoidal:project=0")):
            coarse, fine = (run(coordinates, constraints, integrator, h) for h in (2e-3, 1e-3))
            a, b = part(coarse, right, motion), part(fine, right, motion)
            assert b < 1e-7 or a > 3 * b, (coordinates, constraints, integrator, a, b)  # order 2 at the least
            assert part(fine, right, efforts) < 1e-3, (coordinates, constraints, integrator, part(fine, right, efforts))


ROD = """verge: 1
gravity: [0, 0, -9.81]
joints: {O: {revolute: [ground, rod.start], axis: y, drive: {angle: "0.2446*(1 - cos(4.748*t))"}}}
flexible: {rod: {length: 0.5246, modes: 3, support: clamped, foreshortening: true, EA: 1e5, EIz: 301.4, EIy: 388.3, GAy: 4e4, GJ: 806.8, m: 0.5857, damping: 0.009897}}
record: [body.rod.omega.x, body.rod.omega.y, body.rod.omega.z, body.rod.end.omega.x, body.rod.end.omega.y, body.rod.end.omega.z]
"""


def test_augmented_rows_on_nodes_without_mass():
    """A constraint row of a modal rod ties a node without mass to the rod by an entry that is rounding. Its penalty factor
    was 1e33, and the multipliers were noise: errors of 1e-4 to 1e-3 that did not fall with the step."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "rod.yaml"
        model.write_text(ROD)
        end = "0.1"
        right = final(model, "--coordinates", "lie", "--constraints", "index2", "--integrator", "radau3:rtol=1e-9", "--end", end)
        errors = [gap(final(model, "--coordinates", "relative", "--constraints", "augmented3", "--integrator", "hht", "--step", repr(h), "--end", end), right)
                  for h in (4e-4, 2e-4)]
        assert errors[0] < 1e-5 and errors[1] < errors[0] / 3, errors  # order 2


FLAP = """verge: 1
gravity: [0, 0, -9.81]
bodies: {b: {mass: 0.6818, inertia: [0.003531, 0.003537, 0.003562], position: [-0.04547, 0.07913, 0.0812], omega: {world: [-2.303870961433027, 2.8140922118290606, 3.0923368862450187]}}}
joints: {j: {revolute: [ground, b], axis: [0.4826039883869616, -0.5894827218416115, -0.6477680997418774]}}
record: [body.b.omega.x, body.b.omega.y, body.b.omega.z, body.b.velocity.x, body.b.velocity.y, body.b.velocity.z]
"""


def test_augmented_stages_of_order_4():
    """augmented3 puts velocities on the constraints, and the error of a step is far below that of index3: what Newton's
    iteration leaves must be below it too. mssth4 had errors of 1e-5 that did not fall with the step."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "flap.yaml"
        model.write_text(FLAP)
        right = final(model, "--coordinates", "relative", "--constraints", "index1", "--integrator", "dop853:rtol=1e-12,atol=1e-13", "--step", "1e-2", "--end", "0.216")
        errors = [gap(final(model, "--coordinates", "euler-angles", "--constraints", "augmented3", "--integrator", "mssth4:rho=0.8", "--step", repr(0.216 / n), "--end", "0.216"), right)
                  for n in (48, 96, 192)]
    for coarse, fine in zip(errors, errors[1:]):
        assert fine < coarse / 3, errors  # order 2 at the least


def methods_with_an_estimate():
    done = subprocess.run([EXE, "list", "integrators", "--json"], capture_output=True, text=True)
    return [row for row in json.loads(done.stdout)["integrators"] if row["adaptive"]]


def test_free_spin_under_error_control():
    """A body that spins freely has no accelerations, and Newmark's family, SS2 to SS4, LMS3 and LMS4 judged their steps by
    these alone: in Cayley parameters, whose rates are not the velocities, the angle was off by 0.05 to 0.6 rad at any
    tolerance. It is ω t. Every method that has an error estimate follows the tolerance there."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "spin.yaml"
        model.write_text("verge: 1\nbodies: {b: {mass: 1, inertia: [0.01, 0.01, 0.01], omega: [0, -4.5, 0]}}\nrecord: [body.b.quaternion.w, body.b.quaternion.y]\n")
        for row in methods_with_an_estimate():
            integrator, errors = row["name"], []
            if row["order"] == 1 and integrator != "newmark" or integrator in ("trapezoidal-energy", "energy-momentum", "rattle"):
                continue  # thousands of steps; other coordinates
            for rtol in (1e-4, 1e-6):
                constraints = "index3" if integrator == "hht-i3" else "index1" if integrator not in ("nstiff-si2", "hht-si2", "hht-add", "hht-add-reactions") else "index2"
                there = final(model, "--coordinates", "cayley", "--constraints", constraints, "--integrator", f"{integrator}:rtol={rtol:g}", "--end", "0.5")
                errors.append(abs(2 * math.atan2(-there["body.b.quaternion.y"], there["body.b.quaternion.w"]) - 2.25))
            # order 2: a tolerance a hundred times smaller gives an error 100^(2/3) = 21 times smaller, or it is there already
            assert errors[0] < 0.02 and errors[1] < max(errors[0] / 5, 1e-4), (integrator, errors)


BALL = """verge: 1
planar: true
gravity: [0, -9.81]
bodies: {ball: {mass: 0.438, inertia: 0.0009855, position: [0, 0.1525], velocity: [-0.372, 0], omega: 8.32}}
forces: {floor: {contact-sphere-plane: [ground, ball], radius: 0.06708, stiffness: 14700, friction: 0.33, velocity: 0.1, restitution: 0.71, speed: 1.3}}
record: [body.ball.velocity.x, body.ball.velocity.y, body.ball.omega]
"""
HIGH = """verge: 1
planar: true
gravity: [0, -9.81]
bodies: {ball: {mass: 0.58, inertia: 0.002642, position: [0, 0.2612], velocity: [-0.174, 0], omega: 1.18}}
forces: {floor: {contact-sphere-plane: [ground, ball], radius: 0.09544, stiffness: 27430, friction: 0.5129, velocity: 0.1745, damping: 0.06337}}
record: [body.ball.velocity.x, body.ball.velocity.y, body.ball.omega]
"""


def test_contacts_under_error_control():
    """A ball that falls is followed without error by any method, so that steps are long when it meets the floor, and a method
    whose stages do not reach the end of its step knew nothing of a contact that began in the last part of it: 3e-3 of the
    rebound at any tolerance, with no warning. Every method that has an error estimate follows the tolerance."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "ball.yaml"
        model.write_text(BALL)
        right = final(model, "--constraints", "index1", "--integrator", "dop853:rtol=1e-11", "--events", "--step", "1e-3", "--end", "0.312")
        assert right["body.ball.velocity.y"] > -0.5 and right["body.ball.omega"] < 7, right  # it did bounce
        for integrator in ("sdirk", "midpoint", "generalized-alpha", "trapezoidal", "ss3", "radau2", "esdirk324", "bdf", "dopri5"):
            errors = [gap(final(model, "--constraints", "index1", "--integrator", f"{integrator}:rtol={rtol:g}", "--step", "1.56e-3", "--end", "0.312"), right)
                      for rtol in (1e-5, 1e-7)]
            assert errors[1] < max(errors[0] / 8, 1e-6), (integrator, errors)
        # the last stage of heun is at the end of the step in time, but not in its place
        model.write_text(HIGH)
        right = final(model, "--constraints", "index1", "--integrator", "dop853:rtol=1e-11", "--events", "--step", "1e-3", "--end", "0.322")
        for rtol in (1e-5, 1e-6, 1e-7):
            error = gap(final(model, "--constraints", "index1", "--integrator", f"heun:rtol={rtol:g}", "--step", "1.61e-3", "--end", "0.322"), right)
            assert error < 100 * rtol, (rtol, error)


def test_rows_before_a_contact():
    """Rows within the long step that ends just inside a contact: the ball has not met the floor yet, and falls freely. The
    polynomial of the step had the contact's force all along it: up to 2 % of the height, at any tolerance."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "ball.yaml"
        for k in range(12):
            start = 0.1525 + 0.005 * k
            meets = math.sqrt(2 * (start - 0.06708) / 9.81)
            model.write_text(BALL.replace("0.1525", repr(start)).replace("record: [", "record: [body.ball.position.y, "))
            for integrator in ("heun", "bs32", "dopri5", "rk4", "rk6", "rkf45"):
                rows = rows_of(model, "--constraints", "index1", "--integrator", f"{integrator}:rtol=1e-4", "--step", "1e-3", "--end", repr(meets + 0.004), "--interval", repr(meets / 16.5))
                for row in rows[:17]:
                    fall = start - 9.81 * row["time"] ** 2 / 2
                    assert abs(row["body.ball.position.y"] - fall) < 1e-9, (integrator, start, row["time"], row["body.ball.position.y"] - fall)


def small_chain(length):
    """Three bars that fall, of a length: times go with its root, so that this is the same motion at any size."""
    joints, bodies, p = [], [], (0.0, 0.0)
    for i, angle in enumerate((-1.13, -1.45, -0.9)):
        d = (length * math.cos(angle), length * math.sin(angle))
        bodies.append(f"  b{i}: {{mass: 1e-12, inertia: {1e-12 * length**2 / 12!r}, position: [{p[0] + d[0] / 2!r}, {p[1] + d[1] / 2!r}]}}")
        on = f"{{body: b{i - 1}, position: [{last[0] / 2!r}, {last[1] / 2!r}]}}" if i else "{body: ground, position: [0, 0]}"
        joints.append(f"  j{i}: {{revolute: [{on}, {{body: b{i}, position: [{-d[0] / 2!r}, {-d[1] / 2!r}]}}]}}")
        p, last = (p[0] + d[0], p[1] + d[1]), d
    record = "record: [body.b0.omega, body.b1.omega, body.b2.omega]"
    return "\n".join(["verge: 1", "planar: true", "gravity: [0, -9.81]", "bodies:", *bodies, "joints:", *joints, record, ""])


def test_the_same_motion_at_any_size():
    """Angles counted as lengths in what rounding is: in a mechanism of 0.1 mm reused matrices left errors of 1e-4, which
    grew as steps became smaller. The motion is that of a mechanism of a metre, in other units."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "chain.yaml"
        for coordinates, integrator in (("planar", "msstc4:newton=3"), ("planar", "bathe:newton=3"), ("natural", "msstc4:newton=3")):
            there = []
            for length in (1e-4, 1.0):
                model.write_text(small_chain(length))
                end = 1.7 * math.sqrt(length)
                values = final(model, "--coordinates", coordinates, "--constraints", "index3", "--integrator", integrator, "--step", repr(end / 1600), "--end", repr(end))
                there.append({name: value * math.sqrt(length) for name, value in values.items()})
            assert gap(*there) < 1e-6, (coordinates, integrator, gap(*there))


TOP = """verge: 1
gravity: [0, 0, -9.81]
bodies:
  top: {mass: 17.59, inertia: [0.1167, 0.1167, 0.216], position: [0, -0.0773965235259894, 0.2670947485736071], quaternion: [0.9900726620127013, 0.14055647952009676, 0, 0], omega: {world: [0, -12.482896036153434, 43.078368721914195]}}
joints: {O: {spherical: [ground, {body: top, position: [0, 0, -0.27808240967293746]}]}}
record: [body.top.velocity.x, body.top.velocity.y, body.top.velocity.z]
"""


def test_collocation_with_projected_velocities():
    """One iteration of a stage of collocation with augmented3 left four times what the step is off by: errors of 1e-5 that
    did not fall by four where steps of one iteration began."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "top.yaml"
        model.write_text(TOP)
        right = final(model, "--coordinates", "relative", "--constraints", "index1", "--integrator", "dop853:rtol=1e-11", "--step", "1e-3", "--end", "0.2")
        falls(model, right, (400, 800, 1600), 0.2, "--coordinates", "euler-parameters", "--constraints", "augmented3", "--integrator", "collocation")


BALL_JOINT = """verge: 1
gravity: [0, 0, -9.81]
bodies: {b: {mass: 0.571, inertia: [0.002345, 0.002503, 0.00304], position: [-0.08479, -0.03165, -0.001397], quaternion: [0.48976723368933534, -0.28159551444893144, 0.6324111268364466, -0.5299888580904258]}}
joints: {j: {spherical: [{body: ground, position: [0, 0, 0]}, {body: b, position: [-0.05881748979973093, 0.021347105573419126, 0.06540506239042852]}]}}
record: [body.b.velocity.x, body.b.velocity.y, body.b.velocity.z, body.b.omega.x, body.b.omega.y, body.b.omega.z]
"""


def falls(model, right, steps, end, *options):
    errors = [gap(final(model, *options, "--step", repr(end / n), "--end", repr(end)), right) for n in steps]
    for coarse, fine in zip(errors, errors[1:]):
        assert fine < coarse / 3, (options, errors)  # order 2 at the least


def test_independent_coordinates_converge():
    """Newton's iteration in independent coordinates. With a frozen matrix slow contraction was taken for a singular position,
    and increments of 1e-9 were left. And what dependent coordinates change by in their centripetal accelerations was not
    counted in methods of several steps: errors of 1e-5 and 1e-4 that did not fall with the step."""
    exact = ["--coordinates", "relative", "--constraints", "index1", "--integrator", "dop853:rtol=1e-12,atol=1e-13", "--step", "1e-2"]
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "ball-joint.yaml"
        model.write_text(BALL_JOINT)
        right = final(model, *exact, "--end", "0.301")
        falls(model, right, (400, 800), 0.301, "--coordinates", "natural", "--constraints", "independent", "--integrator", "msstc4:predictor=0,newton=3")
    right = final("independent-row.yaml", *exact, "--end", "0.333")
    falls("independent-row.yaml", right, (1032, 2064), 0.333, "--coordinates", "euler-angles", "--constraints", "independent", "--integrator", "lms4")


def test_slow_motions_under_held_matrices():
    """A gyroscope that precesses a hundred times more slowly than it spins. The first increments are those of the spin; what a
    reused matrix left of the precession was not seen in them, and errors of 1e-4 fell by less than two with the step."""
    model, end = "precession.yaml", 0.0735
    right = final(model, "--coordinates", "relative", "--constraints", "index1", "--integrator", "dop853:rtol=1e-12,atol=1e-13", "--step", "1e-3", "--end", repr(end))
    for method in ("collocation", "wilson-theta", "lms4", "ss3", "bdf2", "generalized-alpha", "msstc4"):
        for newton in ("hold", "frozen"):
            falls(model, right, (400, 800), end, "--coordinates", "natural", "--constraints", "independent", "--integrator", f"{method}:newton={newton}")


def main():
    test_joined_bodies_fall()
    test_optimal_start_of_a_drive_that_begins()
    test_independent_coordinates_iterate_far_enough()
    test_independent_coordinates_converge()
    test_slow_motions_under_held_matrices()
    test_free_spin_under_error_control()
    test_contacts_under_error_control()
    test_rows_before_a_contact()
    test_the_same_motion_at_any_size()
    test_collocation_with_projected_velocities()
    test_augmented_rows_on_nodes_without_mass()
    test_augmented_stages_of_order_4()
    test_undamped_methods_at_index3()
    test_rows_of_driven_redundant_loops()
    test_planar_loop_in_space()
    test_driven_redundant_loops_start()
    test_held_matrices_change_time_alone()
    print("ok   17 tests")


main()

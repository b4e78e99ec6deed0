"""The default dials on spinning bodies: right to the order of the method, or stopped by name, at any step. The
references come from joint coordinates and an explicit method of order 5 under error control."""
import itertools
import json
import os
import subprocess

from last_values import EXE, HERE, check, conclude


def final(model, *options):
    """The last row, None where the run failed."""
    done = subprocess.run([EXE, "run", os.path.join(HERE, model), "--json", *options], capture_output=True,
                          text=True, timeout=300)
    report = json.loads(done.stdout)
    if done.returncode:
        check(done.returncode == 1 and report["error"], f"{model} {options}: {done.stderr}")
        return None
    return report["final"]


REFERENCE = ("--coordinates", "relative", "--constraints", "index1", "--integrator", "dopri5:rtol=1e-10,atol=1e-12")


def spins(model, channel, scale, speed, steps, *options, reference=REFERENCE):
    """The error, in units of scale, is below (ω h)² at every step: the constant of the method is below 1/4."""
    right = final(model, *reference, *options)[channel]
    for h in steps:
        end = final(model, "--step", str(h), *options)
        if end is None:
            continue
        error = abs(end[channel] - right) / scale
        check(error <= (speed * h) ** 2, f"{model} {channel} at {h}: {end[channel]}, right {right}")


def test_rotors():
    """From 0.01 to 1 rad a step."""
    spins("gyro.yaml", "joint.vertical.force.z", 15.67, 400, (2.5e-5, 1e-4, 4e-4, 5e-4, 1.25e-3, 2.5e-3), "--end",
          "0.18")
    spins("gyro.yaml", "joint.horizontal.angle", 0.1, 400, (1e-4, 5e-4, 1.25e-3, 2.5e-3), "--end", "0.5")
    spins("fan.yaml", "joint.swivel.torque.y", 0.0713, 314, (3.2e-5, 1e-4, 1e-3, 3e-3), "--end", "5")
    spins("fan.yaml", "joint.swivel.angle", 0.05, 314, (1e-4, 1e-3, 3e-3), "--end", "5")


def test_planetary_gear():
    """Statics: the ring is held by 2.5 times the torque of the sun; 1.2e4 rad/s at the end. The work of motor and
    load is the kinetic energy: the sun's rate follows by the inertias."""
    exact = final("planetary.yaml", "--coordinates", "relative", "--constraints", "index2", "--step", "2e-5")
    check(abs(exact["force.holdring.torque"] - 25) < 1e-6, str(exact))
    for h in (1e-4, 2e-4, 5e-4):
        end = final("planetary.yaml", "--step", str(h))
        if end is None:
            continue
        check(abs(end["force.holdring.torque"] - 25) < 0.25, f"planetary at {h}: {end}")
        for joint in ("S", "C"):
            name = f"joint.{joint}.rate"
            check(abs(end[name] / exact[name] - 1) < 0.05, f"planetary at {h}: {end[name]}, right {exact[name]}")


def test_other_coordinates():
    """The default in Euler angles and Euler parameters: reactions of a tree, the spin of a rotor at 20,944 rad/s."""
    options = ("--end", "1.25")
    right = final("euler-angles-reaction.yaml", "--constraints", "index1", "--integrator", "dopri5:rtol=1e-9", *options)
    end = final("euler-angles-reaction.yaml", "--coordinates", "euler-angles", "--step", "0.0012254901960784314",
                *options)
    for axis in "xyz":
        name = f"joint.J1.force.{axis}"
        check(abs(end[name] - right[name]) < 0.02, f"reaction {name}: {end[name]}, right {right[name]}")
    rotor = os.path.join("..", "..", "models", "rotor.yaml")
    end = final(rotor, "--coordinates", "euler-parameters", "--step", "1.25e-5", "--end", "0.1", "--interval", "0.1")
    check(abs(end["body.rotor.omega.x"] / 20944 - 1) < 2e-3, f"rotor: {end}")


def test_free_body_in_body_axes():
    """Velocities of se3 turn with the body: its momentum is kept to order 2."""
    errors = []
    for h in (1e-3, 5e-4, 2.5e-4):
        end = final("free-spin-se3.yaml", "--coordinates", "se3", "--step", str(h), "--end", "0.9")
        errors.append(abs(end["body.rotor.velocity.x"] - 0.5115572035416855))
    for k in range(2):
        check(3.6 < errors[k] / errors[k + 1] < 4.4, f"momentum: {errors}")


def test_hht_i3_is_of_order_two():
    """Its mass matrix is not constant in Euler parameters."""
    name, options = "joint.shaft.rate", ("--end", "0.945")
    right = final("hht-i3-spin.yaml", *REFERENCE, *options)[name]
    errors = []
    for h in (7e-4, 3.5e-4):
        end = final("hht-i3-spin.yaml", "--coordinates", "euler-parameters", "--integrator", "hht-i3", "--step",
                    str(h), *options)
        errors.append(abs(end[name] - right))
    check(errors[0] < 0.05 and errors[0] / errors[1] > 3.4, f"hht-i3: {errors}")


TOP = os.path.join("..", "..", "models", "heavy-top.yaml")


def test_newton_does_not_change_the_answer():
    """How often the matrix is made: less than a hundredth of the step's own error, and one rounding of the positions a
    step, which the velocities feel by 2/h."""
    where = [f"marker.top.com.position.{axis}" for axis in "xyz"]
    options = ("--coordinates", "euler-parameters", "--end", "0.2", "--interval", "0.2", "--print", ",".join(where))
    right = final(TOP, "--constraints", "index1", "--integrator", "dop853:rtol=1e-12,atol=1e-14", "--end", "0.2",
                  "--print", ",".join(where))
    for h in (1.56e-5, 2e-4):
        ends = {}
        for mode in ("full", "step", "modified", "frozen") if h > 1e-4 else ("full", "step", "modified"):
            ends[mode] = final(TOP, "--step", str(h), "--integrator",
                               f"generalized-alpha:predictor=0,newton={mode}", *options)
        own = max(abs(ends["full"][c] - right[c]) for c in where)
        for mode, end in ends.items():
            off = max(abs(end[c] - ends["full"][c]) for c in where)
            check(off <= 0.01 * own + 4e-16 * (0.2 / h) ** 2,
                  f"newton={mode} at {h}: off by {off}, the method itself by {own}")


def test_reused_matrices_do_not_change_the_answer():
    """Velocities are corrected onto the constraints along the columns of the matrix in use (index 2, the trapezoidal
    rule's projection): reused ones turned them by a wrong angle, which added up to 700 times the step's own error."""
    where = [f"marker.top.com.position.{axis}" for axis in "xyz"]
    right = final(TOP, "--constraints", "index1", "--integrator", "dop853:rtol=1e-12,atol=1e-14", "--end", "0.2",
                  "--print", ",".join(where))
    for coordinates, constraints, method, h in itertools.product(
            ("lie", "euler-parameters"), ("index3", "index2"), ("generalized-alpha", "trapezoidal"), (2e-4, 4e-5)):
        options = ("--coordinates", coordinates, "--constraints", constraints, "--step", str(h), "--end", "0.2",
                   "--interval", "0.2", "--print", ",".join(where))
        exact = final(TOP, "--integrator", f"{method}:newton=full,tol=1e-13,acc=1e-11", *options)
        own = max(abs(exact[c] - right[c]) for c in where)
        for mode in ("hold", "modified", "frozen"):
            end = final(TOP, "--integrator", f"{method}:newton={mode}", *options)
            off = max(abs(end[c] - exact[c]) for c in where)
            check(off <= 0.01 * own + 4e-16 * (0.2 / h) ** 2,
                  f"{coordinates}, {constraints}, {method}:newton={mode} at {h}: off by {off}, the method by {own}")


def test_reactions_at_tiny_steps():
    """Positions are rounded, and multipliers with ca ~ 4/h² times as much; those of the motion have their digits."""
    names = [f"joint.O.force.{axis}" for axis in "xyz"]
    options = ("--coordinates", "euler-parameters", "--end", "2e-5", "--print", ",".join(names))
    right = final(TOP, "--constraints", "index1", "--integrator", "dop853:rtol=1e-12,atol=1e-14", *options)
    size = max(abs(right[n]) for n in names)
    for constraints in ("index2", "index3"):
        for h in (1e-6, 1e-7):
            end = final(TOP, "--constraints", constraints, "--step", str(h), *options)
            off = max(abs(end[n] - right[n]) for n in names)
            check(off < 1e-4 * size, f"{constraints} at {h}: reactions off by {off} of {size}")


def test_sweeps_are_the_plain_way():
    """Index 2 by sweeps over trees and lines of beams, against the matrix of the whole."""
    for model, end in (("chain.yaml", "0.3"), ("heavy-top.yaml", "0.3"), ("cantilever.yaml", "0.02")):
        path, ends = os.path.join("..", "..", "models", model), []
        for how in ((), ("--plain",)):
            ends.append(final(path, "--constraints", "index2", "--integrator", "generalized-alpha:acc=1e-10", "--end",
                              end, "--print", "energy.total,energy.kinetic", *how))
        for name in ends[0]:
            size = max(1, abs(ends[1][name]))
            check(abs(ends[0][name] - ends[1][name]) < 1e-7 * size, f"{model} {name}: {ends}")


test_rotors()
test_planetary_gear()
test_sweeps_are_the_plain_way()
test_other_coordinates()
test_free_body_in_body_axes()
test_hht_i3_is_of_order_two()
test_newton_does_not_change_the_answer()
test_reused_matrices_do_not_change_the_answer()
test_reactions_at_tiny_steps()
conclude()

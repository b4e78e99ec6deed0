"""Constraints that repeat each other, and where they do so changes on the way; starts; projections far from the
origin and after many turns. Motions are known in closed form."""
import math
import os
import subprocess
import sys

EXE = os.environ["VERGE_EXE"]
SOURCE = os.environ["VERGE_SOURCE_DIR"]
HERE = os.path.join(SOURCE, "tests", "defects")
failures = 0
checks = 0


def check(good, what):
    global failures, checks
    checks += 1
    if not good:
        failures += 1
        print("FAILED: " + what)


def last(model, *options):
    """The last values by name, or None and what was said."""
    path = model if os.path.isabs(model) else os.path.join(HERE, model)
    done = subprocess.run([EXE, "run", path, *options], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip()[:200]
    values = {}
    for line in done.stdout.split("\n"):
        words = line.split()
        if len(words) >= 2 and "." in words[0]:
            try:
                values[words[0]] = float(words[1])
            except ValueError:
                pass
    return values, ""


def near(name, model, channel, wanted, tolerance, *options):
    got, error = last(model, *options)
    value = got.get(channel) if got else None
    check(value is not None and abs(value - wanted) <= tolerance,
          f"{name} {' '.join(options)}: {channel} = {value}, expected {wanted} ± {tolerance} {error}")


SETTINGS = ["index3", "index2", "index1", "augmented3", "augmented1", "penalty", "independent"]

# Two wheels that turn an axle on the spot, φ = t²/2 · T (b/R)/J with the track b, and J of the platform, the
# wheels about the middle, and their spin b/(2R) times as fast. The methods' error is of second order, up to 5e-5
# at 1e-3 in se3.
J = 0.01 + 2 * (0.02 + 0.5 * 0.25 ** 2) + 2 * 0.01 * (0.25 / 0.1) ** 2
TURNED = 6 ** 2 / 2 * 0.02 * (0.5 / 0.1) / J
for coordinates in ["lie", "se3", "euler-parameters", "relative", "natural"]:
    for constraints in SETTINGS if coordinates == "lie" else ["index3", "index2", "augmented3"]:
        near("wheelset", "wheelset.yaml", "joint.plane.angle", TURNED, 6e-5,
             "--coordinates", coordinates, "--constraints", constraints)
near("wheelset", "wheelset.yaml", "joint.plane.angle", TURNED, 1e-6, "--step", "2.5e-4", "--constraints", "index3")

# A robot with two driven wheels: the heading is the integral of r (w_r − w_l)/b; over step(t, 0, 0, 0.5, w) it is
# r (12 − 8)/b (5 − 0.25), taken into (−π, π].
HEADING = math.remainder(0.05 * 4 / 0.3 * 4.75, 2 * math.pi)
for constraints in SETTINGS:
    near("diffdrive", "diffdrive.yaml", "body.base.rotation.z", HEADING, 1e-5, "--constraints", constraints)

# Efforts of two driven wheels whose rows repeat each other: every setting has those of index 2.
want, _ = last("two-wheels-effort.yaml", "--step", "1.6e-3", "--end", "1.12", "--constraints", "index2")
for constraints in SETTINGS:
    drive = "joint.hubL.drive.effort"
    near("two-wheels-effort", "two-wheels-effort.yaml", drive, want[drive], 1e-3, "--step", "1.6e-3",
         "--end", "1.12", "--constraints", constraints)

# Bricard's mechanism: the energy stays −29.43 J, and after 10 s it is nearly back where it began.
for integrator, constraints in [("generalized-alpha", "index3"), ("generalized-alpha", "augmented3"),
                                ("trapezoidal", "augmented3"), ("trapezoidal", "augmented1")]:
    near("bricard", os.path.join(SOURCE, "models", "bricard.yaml"), "energy.total", -29.43, 1e-3,
         "--integrator", integrator, "--constraints", constraints)

# A rod on a cart begins with no rate of its own: after 1 ms gravity has given it less than 0.02 rad/s.
for constraints in SETTINGS:
    near("follow", "follow.yaml", "joint.pin.rate", 0, 0.02, "--constraints", constraints)

# Explicit methods after thousands of radians and far from the origin.
near("fastgear", "fastgear.yaml", "joint.O.angle", 30, 1e-6)
near("drivefast", "drivefast.yaml", "joint.M.rate", 300, 1e-9)
for place in ["7e6", "1e7"]:
    got, error = last("far.yaml", "--set", "X=" + place)
    check(got is not None, f"far X={place}: {error}")
for integrator in ["rk4", "dopri5"]:
    for constraints in ["index1", "augmented1", "independent"]:
        near("planetary", "planetary.yaml", "force.holdring.torque", 25, 1e-2, "--integrator", integrator,
             "--constraints", constraints)

print(f"{checks} checks, {failures} failed")
sys.exit(1 if failures else 0)

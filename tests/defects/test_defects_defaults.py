"""The default dials on spinning bodies: right to the order of the method, or stopped by name, at any step. The
references come from joint coordinates and an explicit method of order 5 under error control."""
import json
import os
import subprocess
import sys

EXE = os.environ["VERGE_EXE"]
HERE = os.path.join(os.environ["VERGE_SOURCE_DIR"], "tests", "defects")
failures = 0
checks = 0


def check(good, what):
    global failures, checks
    checks += 1
    if not good:
        failures += 1
        print("FAILED: " + what)


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
    spins("gyro.yaml", "joint.vertical.force.z", 15.67, 400, (2.5e-5, 1e-4, 4e-4, 5e-4, 1.25e-3, 2.5e-3), "--end", "0.18")
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


test_rotors()
test_planetary_gear()
print(f"{checks} checks, {failures} failed")
sys.exit(failures != 0)

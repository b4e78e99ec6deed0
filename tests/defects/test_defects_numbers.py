"""Bodies with as many modes as there may be, and reactions at tiny steps: numbers that are known otherwise."""
import math
import os
import subprocess
import tempfile

from last_values import EXE, HERE, check, conclude, last


def test_fifty_modes():
    """The rod of modal50.yaml hangs on a hinge: across it, its frequencies are those of a slender beam that is hinged at one
    end and free at the other, (βL)² √(E I/(ρ A))/L² with tan βL = tanh βL (rotary inertia is a thousandth of it)."""
    done = subprocess.run([EXE, "modes", os.path.join(HERE, "modal50.yaml"), "--number", "8"], capture_output=True, text=True)
    found = [float(x.split()[4]) for x in done.stdout.splitlines() if x.split()[:1] and x.split()[0].isdigit()]
    length, radius, slope = 2, 0.01, math.sqrt(210e9 / 7850)
    for root in (3.92660231, 7.06858275, 10.21017612):
        right = root ** 2 * slope * radius / 2 / length ** 2
        check(any(abs(w - right) < 2e-3 * right for w in found), f"modal50: {right} rad/s is not in {found} {done.stderr}")


TOP = """verge: 1
gravity: [0, 0, -9.81]
bodies: {top: {mass: 15, com: [0, 1, 0], inertia: [0.234375, 0.46875, 0.234375], omega: [0, 150, -4.61538]}}
joints: {O: {spherical: [ground, top]}}
run: {step: 1e-3, end: 1}
record: [joint.O.force]
"""


def test_reactions_at_tiny_steps():
    """Multipliers of index 3 lose digits as 1/h²; the reactions that are shown do not, whatever the coordinates."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "top.yaml")
        with open(path, "w") as file:
            file.write(TOP)
        for step in (1e-6, 1e-7):
            end = ["--end", repr(100 * step)]
            right, why = last(path, *end, "--constraints", "index1", "--integrator", "dop853:rtol=1e-12")
            check(right is not None, why)
            for coordinates in ("euler-parameters", "relative", "lie", "natural"):
                got, why = last(path, *end, "--coordinates", coordinates, "--constraints", "index3", "--step", repr(step))
                off = max(abs(got[k] - right[k]) for k in right) / max(map(abs, right.values())) if got else math.nan
                check(off < 1e-7, f"reactions in {coordinates} at steps of {step}: off by {off} {why}")


test_fifty_modes()
test_reactions_at_tiny_steps()
conclude()

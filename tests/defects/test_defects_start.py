"""One start for one model: whatever the dials, the first sample is the same; bodies without a velocity of their own move
with what carries them; what assembly moved is reported."""
import csv
import json
import os
import subprocess
import tempfile

from last_values import EXE, HERE, check, conclude

SOURCE = os.environ["VERGE_SOURCE_DIR"]
MODELS = os.path.join(SOURCE, "models")
SETTINGS = ["index3", "index2", "index1", "augmented3", "augmented1", "penalty", "independent"]


def run(path, *options):
    return subprocess.run([EXE, "run", path, *options], capture_output=True, text=True)


def first_sample(path, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.csv")
        done = run(path, "-q", "-o", out, *options)
        if done.returncode:
            return None, done.stderr
        with open(out) as file:
            lines = list(csv.reader(line for line in file if not line.startswith("#")))
    return dict(zip((name.split(" ")[0] for name in lines[0]), map(float, lines[1]))), ""


# A rod hinged to a cart that moves at 10 m/s: no rate of its own, in any setting.
follow = os.path.join(HERE, "follow.yaml")
for coordinates in ["planar", "relative", "natural"]:
    for constraints in SETTINGS:
        got, error = first_sample(follow, "--coordinates", coordinates, "--constraints", constraints)
        where = f"follow {coordinates} {constraints}"
        check(got is not None, f"{where}: {error}")
        if got:
            check(abs(got["joint.pin.rate"]) < 1e-10, f"{where}: the rod starts with {got['joint.pin.rate']} rad/s")
            check(abs(got["joint.rail.rate"] - 10) < 1e-10, f"{where}: the cart has {got['joint.rail.rate']} m/s")

# A slider-crank with lengths that do not fit its places: the angle after assembly is one.
lengths = ["--set", "L1=0.06734295187062697", "--set", "L2=0.23781138205575975", "--end", "1e-3", "--step", "1e-3"]
angles = {}
for coordinates in ["lie", "se3", "euler-parameters", "relative", "natural"]:
    for constraints in SETTINGS:
        got, error = first_sample(os.path.join(MODELS, "slider-crank-3d.yaml"), *lengths, "--coordinates", coordinates,
                                  "--constraints", constraints, "--integrator", "trapezoidal")
        check(got is not None, f"slider-crank {coordinates} {constraints}: {error}")
        if got:
            angles[coordinates, constraints] = got["joint.A.angle"]
if angles:
    spread = max(angles.values()) - min(angles.values())
    check(spread < 1e-10, f"slider-crank: the starts differ by {spread} rad: {angles}")

# A rod given along x whose drive wants it along y: turned by a right angle, its centre moved by 0.5 √2 m.
turned = os.path.join(HERE, "assembly.yaml")
text = run(turned).stdout
check("assembly turned body rod by 1.57 rad" in text, f"run reports the turn: {text}")
check("assembly moved body rod by 0.707 m" in text, f"run reports the movement: {text}")
words = json.loads(run(turned, "--json").stdout).get("assembly") or ""
check("turned body rod by 1.57 rad" in words, f"and in JSON: {words}")
text = run(follow).stdout
check("assembly" not in text, f"nothing is reported where nothing moved: {text}")

conclude()

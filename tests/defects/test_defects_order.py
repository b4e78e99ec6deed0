"""The order in which bodies, joints and forces stand in a file changes nothing: the same motion, to rounding. Gears and drives
may stand before the joints that they act on, a body before the one that carries it."""
import json
import os
import random
import subprocess
import sys
import tempfile

import yaml

EXE = os.environ["VERGE_EXE"]
SOURCE = os.environ["VERGE_SOURCE_DIR"]
# end times at which rounding has not grown to what is seen
MODELS = [("tests/defects/fastgear.yaml", 0.5), ("tests/defects/planetary.yaml", 0.05), ("models/governor.yaml", 0.3),
          ("models/slider-crank-3d.yaml", 0.5), ("models/puma560.yaml", 0.3), ("models/trebuchet.yaml", 0.3),
          ("models/squeezer.yaml", 0.003), ("tests/defects/diffdrive.yaml", 0.5)]
FORK = """\
verge: 1
gravity: 9.81
bodies:
  fork: {mass: 20, inertia: [1, 1, 1], position: [0, 0, 0.3], com: [0, 0, 0.4]}
  wheel: {mass: 10, inertia: [0.3, 0.55, 0.3], position: [0, 0, 0.3], omega: [0.1, 40, 0]}
  tail: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.3], com: [0.2, 0, 0]}
joints:
  pivot: {spherical: [ground, fork], at: [0, 0, 1.2]}
  axle: {revolute: [fork, wheel], axis: y}
  hinge: {revolute: [fork, tail], axis: y}
forces: {s: {torsion: hinge, stiffness: 3}}
run: {step: 1e-3, end: 0.5}
record: [body.fork.omega.*, joint.axle.rate, joint.hinge.angle, joint.pivot.force.*]
"""
failures = checks = 0


def check(good, text):
    global failures, checks
    checks += 1
    if not good:
        failures += 1
        print("FAILED:", text)


class Plain(yaml.SafeDumper):
    """Every value in full: no anchors."""
    def ignore_aliases(self, data):
        return True


def run(path, end):
    done = subprocess.run([EXE, "run", path, "--json", "--end", str(end)], capture_output=True, text=True)
    try:
        return json.loads(done.stdout), done.stderr
    except ValueError:
        return {"status": "crashed", "error": done.stderr, "final": {}}, done.stderr


def shuffled(model, seed):
    stream = random.Random(seed)
    out = dict(model)
    for section in ("bodies", "joints", "forces"):
        if section in out:
            names = list(out[section])
            stream.shuffle(names)
            out[section] = {name: out[section][name] for name in names}
    return yaml.dump(out, Dumper=Plain, sort_keys=False, default_flow_style=None, width=10000)


def same(name, model, path, end, folder):
    expected, words = run(path, end)
    check(expected["status"] == "ok", f"{name}: {words}")
    for seed in range(3):
        other = os.path.join(folder, "shuffled.yaml")
        with open(other, "w") as file:
            file.write(shuffled(model, seed))
        seen, words = run(other, end)
        check(seen["status"] == "ok", f"{name}, order {seed}: {words}")
        sizes = {}
        for channel, value in expected["final"].items():
            group = channel.rsplit(".", 1)[0]
            sizes[group] = max(sizes.get(group, 0), abs(value), 1e-3)
        for channel, value in expected["final"].items():
            off = abs(seen.get("final", {}).get(channel, float("inf")) - value)
            check(off < 1e-6 * sizes[channel.rsplit(".", 1)[0]], f"{name}, order {seed}: {channel} differs by {off}")


with tempfile.TemporaryDirectory() as folder:
    fork = os.path.join(folder, "fork.yaml")
    with open(fork, "w") as file:
        file.write(FORK)
    same("a wheel in a fork", yaml.safe_load(FORK), fork, 0.5, folder)
    for path, end in MODELS:
        path = os.path.join(SOURCE, path)
        with open(path) as file:
            same(os.path.basename(path), yaml.safe_load(file), path, end, folder)
print(f"{checks} checks, {failures} failures")
sys.exit(failures > 0)

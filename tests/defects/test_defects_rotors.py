"""Rotors that turn by 0.01 to 1 rad a step: no run ends well without a warning and is off. The reference is joint
coordinates with error control (dop853, rtol 1e-11). Without arguments a part of the dials; `all` runs every combination
(about 2,500 runs), `list` prints them."""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
STEP, END = 2e-3, 1.0
TURNS = (0.01, 0.03, 0.1, 0.3, 0.6, 1.0)  # rad a step
# Largest error, by the largest value of its kind, that may go without a warning: of positions, velocities and angles; of reactions
MOTION_OFF, EFFORT_OFF = 0.1, 0.2
HEAD = "verge: 1\ngravity: [0, 0, -9.81]\nparameters: {w: 100}\n"
MODELS = {
    # a rotor on a swivelling mount
    "fan": HEAD + """bodies:
  head: {mass: 2, inertia: [0.02, 0.02, 0.02]}
  rotor: {mass: 0.5, inertia: [4e-3, 2e-3, 2e-3], position: [0.15, 0, 0], omega: [w, 0, 0]}
joints:
  pin: {revolute: [ground, head], axis: z}
  shaft: {revolute: [{body: head, position: [0.15, 0, 0]}, rotor], axis: x}
forces:
  hold: {torsion: pin, stiffness: 5, damping: 0.05}
  gust: {torque: head, value: [0, 0, "0.5*sin(6*t)"]}
""",
    # a rotor in a swinging frame, across the swing's axis
    "swing": HEAD + """bodies:
  frame: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0.3, -0.4]}
  rotor: {mass: 0.5, inertia: [6e-4, 1e-3, 6e-4], position: [0.1, 0.3, -0.4], omega: [0, w, 0]}
joints:
  pin: {revolute: [ground, {body: frame, position: [0, -0.3, 0.4]}], axis: x}
  shaft: {revolute: [{body: frame, position: [0.1, 0, 0]}, rotor], axis: y}
""",
    # a body that flies and spins about no principal axis
    "free": HEAD + """bodies:
  rotor: {mass: 0.5, inertia: [3.26e-3, 2.74e-3, 2.2e-3], velocity: [0.5, 0.7, 0], omega: [w, 0.3*w, 0]}
""",
}
KINDS = {"position": "motion", "velocity": "motion", "rate": "motion", "angle": "motion", "force": "effort", "torque": "effort"}
COORDINATES = ("lie", "cayley", "se3", "euler-parameters", "euler-angles", "natural", "relative")
CONSTRAINTS = ("index3", "index2", "index1", "augmented3", "independent")
INTEGRATORS = ("generalized-alpha", "trapezoidal", "bdf2", "hht", "bathe", "radau3:adaptive=0", "rk4:adaptive=0", "dopri5:adaptive=0", "ab2:adaptive=0")
PART = list(itertools.product(("fan", "swing"), (0.1, 0.6), ("lie", "se3", "euler-angles", "natural"), ("index2",), ("generalized-alpha", "bathe")))
PART += list(itertools.product(("swing",), (0.3, 1.0), ("lie", "cayley", "se3", "relative"), ("index1",), ("rk4:adaptive=0",)))
PART += list(itertools.product(("free",), (0.03, 0.3), ("lie", "se3", "euler-parameters"), ("index2",), ("generalized-alpha",)))
failures = 0


def channels(name):
    body = [f"body.rotor.{k}.{c}" for k in ("position", "velocity") for c in "xyz"]
    joint = ["joint.pin.angle", "joint.pin.rate"] + [f"joint.{j}.{k}.{c}" for j in ("pin", "shaft") for k in ("force", "torque") for c in "xyz"]
    return body + (joint if name != "free" else [])


class Runs:
    def __init__(self, folder):
        self.folder, self.reference = folder, {}
        for name, text in MODELS.items():
            (folder / f"{name}.yaml").write_text(text + "record: [" + ", ".join(channels(name)) + "]\n")

    def run(self, name, turn, coordinates, constraints, integrator):
        rows = self.folder / "rows.csv"
        done = subprocess.run([EXE, "run", str(self.folder / f"{name}.yaml"), "--json", "-q", "--set", f"w={turn / STEP}", "--end", str(END),
                               "--step", str(STEP), "--interval", str(END / 10), "-o", str(rows), "--coordinates", coordinates, "--constraints",
                               constraints, "--integrator", integrator], capture_output=True, text=True)
        table = [[float(x) for x in line.split(",")] for line in rows.read_text().splitlines()[1:] if line[0] != "#"] if done.returncode == 0 else []
        return done.returncode, json.loads(done.stdout) if done.returncode < 2 else {}, table

    def right(self, name, turn):
        if (name, turn) not in self.reference:
            code, report, table = self.run(name, turn, "relative", "index1", "dop853:rtol=1e-11,atol=1e-13")
            assert code == 0, report
            self.reference[name, turn] = table
        return self.reference[name, turn]

    def errors(self, name, turn, table):
        """Of motion and efforts: the largest difference by the largest value of its kind, over both joints."""
        right, scale, error = self.right(name, turn), {}, {"motion": 0.0, "effort": 0.0}
        kinds = [c.split(".")[-2] if c.split(".")[-1] in "xyz" else c.split(".")[-1] for c in channels(name)]
        for i, kind in enumerate(kinds, 1):
            scale[kind] = max(scale.get(kind, 1e-6), max(abs(r[i]) for r in right))
        for i, kind in enumerate(kinds, 1):
            off = max(abs(a[i] - b[i]) for a, b in zip(table, right)) / scale[kind]
            error[KINDS[kind]] = max(error[KINDS[kind]], off)
        return error


def one(runs, case, show):
    global failures
    name, turn, *dials = case
    code, report, table = runs.run(name, turn, *dials)
    if code == 2:
        return "refused"
    error = runs.errors(name, turn, table) if code == 0 else {}
    off = code == 0 and (error["motion"] > MOTION_OFF or error["effort"] > EFFORT_OFF)
    warned = code == 0 and bool([w for w in report["warnings"] if ".yaml:" not in w])
    if show and code == 0:
        print(name, turn, *dials, f"motion {error['motion']:.1e} effort {error['effort']:.1e} defect {report['step_defect_part']:.1e}", "warned" if warned else "")
    if off and not warned:
        failures += 1
        print(f"FAILED: {name} at {turn} rad a step, {' '.join(dials)}: off without a warning, motion {error['motion']:.1e}, "
              f"efforts {error['effort']:.1e}, defect {report['step_defect_part']:.1e}")
    return "stopped" if code else "warned, off" if warned and off else "warned, right" if warned else "off" if off else "right"


def main():
    everything = "all" in sys.argv or "list" in sys.argv
    names = [a for a in sys.argv[1:] if a in MODELS] or list(MODELS)
    cases = [c for c in itertools.product(names, TURNS, COORDINATES, CONSTRAINTS, INTEGRATORS) if c[0] != "free" or c[3] == "index2"] if everything else PART
    count = {}
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(pathlib.Path(folder))
        for case in cases:
            verdict = one(runs, case, "list" in sys.argv)
            count[verdict] = count.get(verdict, 0) + 1
    print(f"{len(cases)} runs: " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(count.items())))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

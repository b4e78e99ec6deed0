"""A controller of kind fmu: an FMU of our own beside the model gives what the same mechanism gives within one model; FMUs that
fail or are wrong are named; nothing is left behind."""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
problems = []
PLANT = """verge: 1
planar: true
parameters: {{d: 0.1}}
gravity: [0, -9.81]
bodies: {{rod: {{mass: 1, inertia: 0.1, com: [0.5, 0]}}}}
joints: {{O: {{revolute: [ground, rod]}}}}
{controllers}
forces: {{motor: {{joint-torque: O, value: "{torque} - d*joint.O.rate"}}}}
run: {{integrator: generalized-alpha, step: 0.001, end: 1}}
record: [joint.O.angle, joint.O.rate]
"""
BESIDE = """verge: 1
planar: true
bodies: {dummy: {mass: 1, inertia: 1}}
joints: {P: {revolute: [ground, dummy]}}
controllers:
  plant: {fmu: sin(3*t), file: plant.fmu, inputs: input.torque, outputs: "joint.O.angle, joint.O.rate", sample: 0.01}
forces: {echo: {joint-torque: P, value: controller.plant.y2}}
run: {integrator: generalized-alpha, step: 0.001, end: 1, output: {interval: 0.01}}
record: [controller.plant, controller.plant.y2, joint.P.angle]
"""


def check(good, text):
    if not good:
        problems.append(text)


def verge(*words, code=0):
    done = subprocess.run([EXE, *map(str, words)], capture_output=True, text=True)
    check(done.returncode == code, f"verge {' '.join(map(str, words))}: exit {done.returncode}, {done.stderr[:400]}")
    return done


def column(path, name):
    with open(path) as file:
        return [float(next(v for k, v in row.items() if k.startswith(name))) for row in csv.DictReader(file)]


def same(folder):
    """The plant in the FMU is driven by sin(3t), held at each sample: so is it within one model by a controller `hold`."""
    (folder / "one.yaml").write_text(PLANT.format(controllers="controllers: {drive: {hold: sin(3*t), sample: 0.01}}",
                                                  torque="controller.drive"))
    verge("run", folder / "one.yaml", "-q", "--every", 10, "-o", folder / "one.csv")
    (folder / "plant.yaml").write_text(PLANT.format(controllers="", torque="input.torque"))
    (folder / "beside.yaml").write_text(BESIDE)
    for version in (2, 3):
        verge("fmu", folder / "plant.yaml", "--fmi", version, "-o", folder / "plant.fmu")
        verge("run", folder / "beside.yaml", "-q", "-o", folder / "beside.csv")
        for inside, outside in (("joint.O.angle", "controller.plant "), ("joint.O.rate", "controller.plant.y2")):
            expected, found = column(folder / "one.csv", inside), column(folder / "beside.csv", outside.strip())
            check(len(expected) == len(found) == 101, f"{len(expected)}, {len(found)} rows")
            check(expected == found, f"FMI {version}: {inside} is not the same to the bit: "
                                     f"{max(abs(a - b) for a, b in zip(expected, found)):g}")
    # d²θ/dt² = rate of the plant, held: θ' grows by 0.01 times each of the rates before
    angle = column(folder / "beside.csv", "joint.P.angle")
    rates = column(folder / "beside.csv", "controller.plant.y2")
    speed = place = 0
    for rate in rates[:-1]:
        place += 0.01 * speed + 0.01 ** 2 / 2 * rate
        speed += 0.01 * rate
    check(abs(angle[-1] - place) < 1e-5, f"the plant's rate acts on the other body: {angle[-1]}, expected {place}")


def nested(folder):
    """A model with an FMU can be an FMU: the inner one is among its resources. Compressed FMUs are taken too."""
    import zipfile
    verge("fmu", folder / "beside.yaml", "-o", folder / "outer.fmu")
    members = zipfile.ZipFile(folder / "outer.fmu")
    check("resources/model/plant.fmu" in members.namelist(), f"{members.namelist()}")
    inner = folder / "deflated"
    inner.mkdir()
    with zipfile.ZipFile(inner / "plant.fmu", "w", zipfile.ZIP_DEFLATED) as packed:
        plain = zipfile.ZipFile(folder / "plant.fmu")
        for name in plain.namelist():
            packed.writestr(name, plain.read(name))
    (inner / "beside.yaml").write_text(BESIDE)
    verge("run", inner / "beside.yaml", "-q", "-o", inner / "beside.csv")
    check((inner / "beside.csv").read_text() == (folder / "beside.csv").read_text(), "a compressed FMU gives the same")


def failing(folder):
    """The FMU's model has no value beyond 0.5 s; what was computed is kept. A state is not taken by another run."""
    (folder / "plant.yaml").write_text(PLANT.format(controllers="", torque="sqrt(0.5 - t) + input.torque"))
    verge("fmu", folder / "plant.yaml", "-o", folder / "plant.fmu")
    done = verge("run", folder / "beside.yaml", "-q", "-o", folder / "beside.csv", code=1)
    check("controller 'plant' at t = 0.51 s: the FMU cannot be advanced: the step ended at" in done.stderr, done.stderr)
    check(len(column(folder / "beside.csv", "controller.plant")) == 51, "rows up to there are kept")
    verge("run", folder / "beside.yaml", "--end", "0.3", "-q", "--save-state", folder / "s")
    done = verge("run", folder / "beside.yaml", "--end", "0.4", "-q", "--resume", folder / "s", code=1)
    check("neither in checkpoints nor taken back" in done.stderr, done.stderr)


def wrong(folder):
    path = folder / "wrong.yaml"
    for old, new, part in (("plant.fmu", "none.fmu", "none.fmu"), ("plant.fmu", "../plant.fmu", "inside the model's folder"),
                           ("plant.fmu", "plant.yaml", "'file' is no ZIP file"),
                           ("inputs: input.torque", "inputs: torque", "'inputs' names a real input"),
                           ("inputs: input.torque", "inputs: d", "'inputs' names a real input"),
                           ("sin(3*t)", "[sin(3*t), t]", "'inputs' has not one name for each law"),
                           ("joint.O.rate", "joint.O.rat", "'outputs' names a real variable"),
                           ("file: plant.fmu, ", "", "file")):
        path.write_text(BESIDE.replace(old, new))
        done = verge("run", path, code=2)
        check(part in done.stderr and "wrong.yaml:6:" in done.stderr, f"{new}: {done.stderr}")
    verge("fmu", folder / "plant.yaml", "--type", "me", "-o", folder / "plant.fmu")
    path.write_text(BESIDE)
    check("'file' is not for co-simulation" in verge("run", path, code=2).stderr, "an FMU for model exchange")


with tempfile.TemporaryDirectory() as temporary:
    place = pathlib.Path(temporary)
    (place / "tmp").mkdir()
    os.environ["TMPDIR"] = str(place / "tmp")
    for test in (same, nested, failing, wrong):
        test(place)
    check(not list((place / "tmp").iterdir()), f"left behind: {list((place / 'tmp').iterdir())}")
print("\n".join(problems) or "ok")
sys.exit(bool(problems))

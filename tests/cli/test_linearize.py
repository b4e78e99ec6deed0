"""linearize as a user meets it: table, JSON, files, mistakes."""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
MODELS = pathlib.Path(os.environ["VERGE_SOURCE_DIR"]) / "models"
CART = (MODELS / "cart-pole.yaml", "--set", "on=0", "--set", "lean=0")
problems = []


def verge(*words, code=0):
    done = subprocess.run([EXE, "linearize", *map(str, words)], capture_output=True, text=True)
    if done.returncode != code:
        problems.append(f"verge linearize {' '.join(map(str, words))}: exit {done.returncode}, {done.stderr[:300]}")
    return done


def check(good, text):
    if not good:
        problems.append(text)


def near(a, b, eps=1e-8):
    return abs(a - b) < eps * max(1, abs(b))


# (M + m) x'' - m l th'' = F,  (J + m l^2) th'' - m l x'' = m g l th
M, m, l, J, g = 1, 0.2, 0.3, 0.006, 9.81
D = (M + m) * (J + m * l * l) - (m * l) ** 2
TH, F = (M + m) * m * g * l / D, m * l / D

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    out = json.loads(verge(*CART, "--json", "--output", folder / "m.h5").stdout)
    check(out["status"] == "ok" and out["inputs"] == ["input.force"], f"{out['status']} {out['inputs']}")
    check(out["states"] == ["joint.rail.displacement", "joint.pin.angle", "joint.rail.rate", "joint.pin.rate"], out["states"])
    check(near(out["A"][3][1], TH) and near(out["B"][3][0], F), "cart-pole's numbers")
    check(out["outputs"] == ["joint.rail.displacement", "joint.pin.angle", "controller.balance"], "what the model records")
    check(out["C"][0] == [1, 0, 0, 0] or near(out["C"][0][0], 1), "C")
    # about the rest that is near the start, from what the controller holds
    again = json.loads(verge(CART[0], "--equilibrium", "--inputs", "controller.balance", "--outputs", "force.motor.torque",
                             "--json").stdout)
    check(all(near(a, b, 1e-7) for x, y in zip(out["A"], again["A"]) for a, b in zip(x, y)), "the same about the rest")
    check(near(again["B"][3][0], F) and near(again["D"][0][0], 1), "what a controller holds as an input")
    poles = sorted(e[0] for e in out["eigenvalues"])
    check(near(poles[0], -TH ** 0.5) and near(poles[3], TH ** 0.5), f"poles {poles}")
    try:
        import h5py
        with h5py.File(folder / "m.h5") as f:
            check(f["A"].shape == (4, 4) and f["A"][3, 1] == out["A"][3][1], "A in HDF5")
            check(f["B"].shape == (4, 1) and f["D"].shape == (3, 1), "B, D in HDF5")
            check([x.decode() for x in f["states"][:]] == out["states"], "states in HDF5")
    except ImportError:
        check((folder / "m.h5").stat().st_size > 1000, "HDF5 file")

    table = verge(*CART, "--outputs", "joint.pin.angle", "--output", folder / "m.csv").stdout
    check("a rest" in table and "[A B]" in table and "eigenvalues" in table, table)
    rows = list(csv.reader(open(folder / "m.csv")))
    check(rows[0] == ["", *out["states"], "input.force"], f"{rows[0]}")
    check([r[0] for r in rows[1:]] == [*("d/dt " + s for s in out["states"]), "joint.pin.angle"], "names of rows")
    check(near(float(rows[4][2]), TH) and near(float(rows[4][5]), F), "numbers of the table")

    # held inputs count on the way: pushed by the whole weight's worth the cart accelerates
    out = json.loads(verge(*CART, "--hold", "force=2", "--json").stdout)
    check(out["u0"] == [2] and near(out["rate0"][2], 2 * (J + m * l * l) / D), "an input that is held")
    # hanging down, found as a rest: the same with g < 0
    out = json.loads(verge(CART[0], "--set", "on=0", "--set", "lean=3", "--equilibrium", "--outputs", "states", "--json").stdout)
    check(near(out["A"][3][1], -TH, 1e-7) and near(out["B"][3][0], -F, 1e-7), f"hanging: {out['A'][3]}")
    check(out["outputs"] == out["states"] and all(near(out["C"][i][j], i == j) for i in range(4) for j in range(4)), "C = 1")
    # a state of a run in motion
    out = json.loads(verge(CART[0], "--set", "on=0", "--set", "lean=0.1", "--at", 0.5, "--json").stdout)
    check(near(out["time"], 0.5) and abs(out["x0"][1]) > 0.1, "a state of a run")

    # responses: (M + m) x - m l th = -F/w^2, (J + m l^2 + m g l/w^2) th - m l x = 0; the pole follows by th, its rate by iw th
    words = (*CART, "--outputs", "joint.pin.angle,joint.pin.rate", "--transfer", "0.1:10:3")
    out = json.loads(verge(*words, "--json", "--output", folder / "t.csv").stdout)
    check(near(out["frequencies"][1], 1) and [x["output"] for x in out["transfer"]] == ["joint.pin.angle", "joint.pin.rate"],
          f"{out['frequencies']}")
    rows = list(csv.reader(open(folder / "t.csv")))
    check(rows[0][:3] == ["frequency", "joint.pin.angle/input.force real", "joint.pin.angle/input.force imaginary"], f"{rows[0]}")
    for k, f in enumerate((0.1, 1, 10)):
        w2 = (2 * math.pi * f) ** 2
        th = -m * l / ((M + m) * (w2 * (J + m * l * l) + m * g * l) - w2 * (m * l) ** 2)
        angle, rate = out["transfer"]
        check(near(angle["real"][k] / th, 1) and abs(angle["imaginary"][k]) < 1e-9 * abs(th), f"angle at {f} Hz")
        check(near(rate["imaginary"][k] / (w2 ** 0.5 * th), 1), f"rate at {f} Hz")
        check(near(float(rows[k + 1][1]) / th, 1) and near(float(rows[k + 1][4]) / (w2 ** 0.5 * th), 1), f"table at {f} Hz")
    check("phase" in verge(*words, "--output", folder / "t.h5").stdout and (folder / "t.h5").stat().st_size > 500, "file")
    for text in ("0.1:10", "0:1:3", "1:0.1:3", "1:2:0", "1:2:3:4", "a"):
        check("--transfer" in verge(*CART, "--transfer", text, code=2).stderr, f"--transfer {text}")
    check("input.NAME" in verge(MODELS / "pendulum.yaml", "--transfer", "1:2:3", "--outputs", "joint.O.angle", code=2).stderr,
          "no inputs to respond to")
    check("starts to move" in verge(CART[0], "--set", "on=0", "--transfer", "1:2:3", code=2).stderr, "not a rest")

    check("it has controller.balance, input.force" in verge(*CART, "--inputs", "torque", code=2).stderr, "an input that is not there")
    check("input.torque" in verge(MODELS / "pendulum.yaml", "--inputs", "torque", code=2).stderr, "no inputs at all")
    check("joint.pin.angle" in verge(*CART, "--outputs", "joint.pin.angel", code=2).stderr, "a channel misspelt")
    verge(*CART, "--hold", "force", code=2)
    verge(*CART, "--hold", "force=x", code=2)
    verge(*CART, "--output", "m.txt", code=2)
    check(json.loads(verge(*CART, "--inputs", "torque", "--json", code=2).stdout)["status"] == "failed", "JSON of a mistake")

for text in problems:
    print(text)
sys.exit(bool(problems))

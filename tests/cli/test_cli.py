"""The program from outside: exit codes, JSON, messages, files, interruptions."""
import csv
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

EXE = os.environ["VERGE_EXE"]
SOURCE = os.environ["VERGE_SOURCE_DIR"]
failures = 0
checks = 0

PENDULUM = """\
verge: 1
title: A pendulum that starts at rest
planar: true
parameters: {L: 1, g: 9.81, start: 0.01}
gravity: [0, -g]
bodies:
  bob: {mass: 2, inertia: 1e-4, position: [L*sin(start), -L*cos(start)], angle: start, markers: {O: [0, L]}}
joints:
  O: {revolute: [ground, bob.O]}
run: {step: 1e-3, end: 1}
record: [joint.O.angle, energy.total]
"""

# explicit and far beyond its limit of stability: it must blow up
STIFF = """\
verge: 1
bodies:
  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
forces:
  s: {spring: [ground, a], stiffness: 1e9, length: 0.5}
run: {integrator: rk4, step: 1e-2, end: 1000}
record: [body.a.position.x]
"""

# driven, damped and sprung: energy goes in and out
BALANCE = """\
verge: 1
planar: true
gravity: [0, -9.81]
bodies:
  a: {mass: 2, inertia: 0.05, position: [0.5, 0], markers: {O: [-0.5, 0], P: [0.5, 0]}}
  b: {mass: 1, inertia: 0.02, position: [1.5, 0], markers: {P: [-0.5, 0]}}
joints:
  O: {revolute: [ground, a.O], drive: {angle: "0.3*sin(2*t)"}}
  P: {revolute: [a.P, b.P]}
forces:
  d: {torsion: P, stiffness: 3, damping: 0.4}
run: {end: 2, integrator: rk4}
record: [energy.total, energy.dissipated, energy.drives]
"""


def check(condition, what):
    global failures, checks
    checks += 1
    if not condition:
        failures += 1
        print("failed:", what, file=sys.stderr)


def run(*args):
    p = subprocess.run([EXE, *args], capture_output=True, text=True, timeout=600)
    check("Sanitizer" not in p.stderr and "runtime error" not in p.stderr, p.stderr)
    return p.returncode, p.stdout, p.stderr


def write(name, text):
    with open(name, "w") as f:
        f.write(text)
    return name


def read_csv(name):
    with open(name) as f:
        rows = list(csv.reader(f))
    return rows[0], [[float(x) for x in r] for r in rows[1:]]


def test_help():
    code, out, _ = run("list", "commands", "--json")
    commands = [c["name"] for c in json.loads(out)["commands"]]
    check(code == 0 and {"run", "check", "list", "plot"} <= set(commands), commands)
    for c in commands:
        code, out, _ = run(c, "--help")
        check(code == 0 and "Usage: verge " + c in out and "Example:\n  verge " + c in out, c + " --help")
        check(run("help", c)[1] == out, "help " + c)
        code, _, err = run(c, "--unheard-of")
        check(code == 2 and "unknown option --unheard-of" in err, c + ": " + err)
    code, out, _ = run("--help")
    check(code == 0 and all(c in out for c in commands), "--help")
    code, _, err = run()
    check(code == 2 and "Commands" in err, "no command")
    code, out, _ = run("--version")
    check(code == 0 and re.match(r"verge \d+\.\d+\.\d+\n", out), out)


def test_wrong_words(model):
    weld = write("weld.yaml", PENDULUM.replace("revolute", "fixed"))
    cases = [
        (["run", weld, "--coordinates", "natural"], "nothing that moves"),
        (["modes", weld], "joints and drives leave no freedom"),
        (["inverse", weld], "no joint that moves"),
        (["linearize", weld, "--outputs", "states"], "joints and drives leave no freedom"),
        (["inverse", write("cart.yaml", PENDULUM.replace(" O:", " rail:").replace("joint.O", "joint.rail")), "--motion", "rial=0"],
         "did you mean 'rail'?"),
        (["inverse", model, "--motion", "O=sin("], "--motion 'O=sin(': expected a value"),
        (["inverse", model, "--motion", "O=x"], "--motion 'O=x': unknown name"),
        (["rum", model], "did you mean 'run'?"),
        (["run", model, "--ouput", "x.csv"], "did you mean --output?"),
        (["run", model, "--step"], "--step needs H"),
        (["run", model, "--step", "1", "--step=2"], "--step is given twice, as '1' and as '2'"),
        (["run", model, "--set", "L=1", "--set", "L=2"], "--set is given twice, as 'L=1' and as 'L=2'"),
        (["run", model, "-o", "a.h5", "--output", "b.h5"], "--output is given twice"),
        (["run", model, "--step", "fast"], "'fast' is not a number"),
        (["run", model, "--step", "-1"], "too small"),
        (["run", model, "--step", "0"], "--step: it must be above 0"),
        (["run", model, "--end", "0"], "--end: it must be above 0"),
        (["run", model, "--step", "1e-300"], "step is too small"),
        (["run", model, "--end", "1e18"], "step is too small"),
        (["run", model, "--interval", "1e-300"], "interval of rows is too small"),
        (["run", model, "--every", "0.5"], "whole number"),
        (["run", model, "--every", "4294967296"], "whole number from 1 to 2147483647"),
        (["modes", model, "--campbell", "L=nan:1:3"], "must be PARAMETER=FROM:TO:NUMBER"),
        (["modes", model, "--campbell", "L=1:2:1e6"], "1 to 10000"),
        (["run", model, "--quiet=yes"], "takes no value"),
        (["run"], "usage: verge run MODEL.yaml"),
        (["run", model, model], "one word too many"),
        (["run", model, "-o", "x.txt"], ".h5, .hdf5 or .csv"),
        (["run", model, "-o", "no/such/dir/x.h5"], "cannot be written"),
        (["run", model, "--print", "joint.O.angel"], "did you mean 'joint.O.angle'?"),
        (["run", model, "--integrator", "generalized-alfa"], "generalized-alpha"),
        (["run", model, "--integrator", "generalized-alpha:rho=2"], "rho"),
        (["run", model, "--integrator", "generalized-alpha:roh=1"], "roh"),
        (["run", model, "--coordinates", "planr"], "planar"),
        (["run", model, "--constraints", "index4"], "index"),
        (["run", model, "--set", "L"], "NAME=VALUE"),
        (["run", model, "--integrator", "bdf:rtol=1e-6,order=3,rtol=1e-7"], "option 'rtol' is given twice"),
        (["run", model, "--constraints", "index1:alpha=5,alpha=4"], "option 'alpha' is given twice"),
        (["advise", model, "--span", "1e300"], "longer than the run"),
        (["run", model, "--set", "Len=2"], "Len"),
        (["run", model, "--set", "L=1/0"], "L"),
        (["run", "nothing.yaml"], "nothing.yaml"),
        (["check", "nothing.yaml"], "nothing.yaml"),
        (["list", "jonts"], "did you mean 'joints'?"),
        (["list", "channels"], "MODEL.yaml or RESULTS.h5 is needed"),
        (["list", "integrators", "bathe"], "one word too many"),
        (["run", model, "--every", "2", "--interval", "0.1"], "not both"),
        (["run", model, "--end", "1e99"], "\nverge: error: the step is too small"),
        (["run", model, "--integrator", ""], "--integrator needs NAME[:key=value,…], and what stands behind it is empty"),
        (["run", model, "--print="], "--print needs CHANNEL,…"),
        (["compare", model, "--channels", ""], "--channels needs"),
        (["spectrum", ""], "no integrator is named"),
        (["spectrum", "rk4", "all"], "'all' means every integrator"),
        (["compare", model, "--integrators", ","], "no integrator is named"),
        (["converge", model, "--integrators", "all,rk4"], "'all' means every integrator"),
        (["plot", "nothing.csv"], "does not exist"),
        (["plot", "nothing.h5"], "does not exist"),
    ]
    before = sorted(os.listdir("."))
    for args, message in cases:
        code, out, err = run(*args)
        check(code == 2 and message in "\n" + err and out == "", f"{args}: {code} {err!r} {out!r}")
    check(sorted(os.listdir(".")) == before, "wrong input must write nothing")
    code, out, _ = run("run", model, "--json", "--integrator", "nonsense")
    check(code == 2 and json.loads(out)["status"] == "failed" and "nonsense" in json.loads(out)["error"], out)
    code, out, _ = run("check", "nothing.yaml", "--json")
    check(code == 2 and json.loads(out)["status"] == "failed", out)


def test_run(model):
    code, out, err = run("run", model, "--json", "-o", "run.csv", "--print", "joint.O.rate,time,body.*.position.x")
    check(code == 0 and err == "", err)
    report = json.loads(out)
    for key in ("status error coordinates constraints integrator steps rejected newton_iterations jacobians "
                "setup_seconds solve_seconds max_position_violation max_velocity_violation energy_drift final").split():
        check(key in report, key)
    check(report["status"] == "ok" and report["error"] is None and report["steps"] == 1000, out)
    check(report["max_position_violation"] < 1e-12 and report["energy_drift"] < 1e-7, out)
    head, rows = read_csv("run.csv")
    check(head[:3] == ["time [s]", "joint.O.angle [rad]", "energy.total [J]"], head)
    check(len(rows) == 1001 and rows[0][0] == 0 and abs(rows[-1][0] - 1) < 1e-12, len(rows))
    names = [h.split(" [")[0] for h in head]
    check(all(report["final"][n] == rows[-1][names.index(n)] for n in names[1:]), "final = last row")
    # small swings about the pivot: ω² = m g L / (J + m L²), frequency lower by 1 − a²/16
    omega = math.sqrt(2 * 9.81 / (2 + 1e-4)) * (1 - 0.01**2 / 16)
    worst = max(abs(r[1] - 0.01 * math.cos(omega * r[0])) for r in rows)
    check(worst < 2e-7, f"small swings off by {worst}")
    # a step longer than the run is the run
    report = json.loads(run("run", model, "--json", "--step", "1e300", "--end", "1e-3")[1])
    check(report["t"] == 1e-3 and report["steps"] == 1 and report["final"]["joint.O.angle"] < 0.01, report)
    # the same bits again
    run("run", model, "--quiet", "-o", "again.csv", "--print", "joint.O.rate,time,body.*.position.x")
    check(open("run.csv").read() == open("again.csv").read(), "same input, same bits")


def test_rows(model):
    run("run", model, "-q", "-o", "every.csv", "--every", "100")
    check(len(read_csv("every.csv")[1]) == 11, "every")
    run("run", model, "-q", "-o", "interval.csv", "--interval", "0.25")
    times = [r[0] for r in read_csv("interval.csv")[1]]
    check(len(times) == 5 and all(abs(t - 0.25 * i) < 1e-9 for i, t in enumerate(times)), times)
    code, out, err = run("run", model, "--set", "L=0.5*4", "--set=start=0.1", "--end", "0.5")
    check(code == 0 and "joint.O.angle" in out and "t = 0.5 s" in out, out)
    code, out, err = run("run", model, "--quiet")
    check((code, out, err) == (0, "", ""), out + err)
    code, out, _ = run("run", model, "--json", "--set", "L=4")
    omega = math.sqrt(2 * 4 * 9.81 / (2 * 16 + 1e-4))
    check(abs(json.loads(out)["final"]["joint.O.angle"] - 0.01 * math.cos(omega)) < 1e-6, "--set changes the model")


def test_plot(model):
    run("run", model, "-q", "-o", "p.h5")
    code, out, err = run("plot", "p.h5", "--y", "joint.O.angle")
    check(code == 0 and "* joint.O.angle" in out and "time [s]" in out, out)
    code, out, _ = run("plot", "p.h5", "--x", "joint.O.angle", "--y", "energy.total", "-o", "p.svg")
    check(code == 0 and out == "" and open("p.svg").read().startswith("<svg"), "svg")
    code, _, err = run("plot", "p.h5", "--y", "joint.O.angel")
    check(code == 2 and "did you mean 'joint.O.angle'?" in err, err)
    code, _, err = run("plot", "p.h5", "-o", "p.gif")
    check(code == 2 and "must end in .svg, .png or .pdf" in err, err)
    # a channel that two patterns find is drawn once; one with nothing to draw is named
    run("plot", "p.h5", "joint.*.angle", "joint.O.angle", "-o", "one.svg")
    run("plot", "p.h5", "joint.O.angle", "-o", "same.svg")
    check(open("one.svg").read() == open("same.svg").read(), "drawn once")
    code, _, err = run("plot", write("signs.csv", "time [s],a [m],b [m]\n0,-1,2\n1,-2,nan\n"), "--log-y")
    check(code == 0 and "'a' has no positive number to draw" in err and "'b'" not in err, err)
    # what a results file holds, and that it is no model; pages are HTML
    code, out, _ = run("list", "channels", "p.h5")
    check(code == 0 and {"time", "joint.O.angle", "energy.total"} <= {line.split()[0] for line in out.splitlines()}, out)
    code, _, err = run("check", "p.h5")
    check(code == 2 and "results file (HDF5), not a model" in err, err)
    code, _, err = run("view", "p.h5", "-o", "p.pdf")
    check(code == 2 and "must end in .html" in err, err)


def test_energy_balance():
    """E(t) = E(0) + drives − dissipated, closing with the third power of the step; with sparse rows too"""
    model = write("balance.yaml", BALANCE)
    gaps = []
    for step, rows in (("2e-3", ["--every", "1"]), ("1e-3", ["--every", "1"]), ("1e-3", ["--interval", "0.3"])):
        code, _, err = run("run", model, "-q", "--step", step, *rows, "-o", "balance.csv")
        table = read_csv("balance.csv")[1]
        check(code == 0 and len(table) > 5, err)
        gaps.append(max(abs(e - table[0][1] - drives + dissipated) for _, e, dissipated, drives in table))
    check(gaps[0] / gaps[1] > 6 and gaps[1] < 1e-7 and gaps[2] < 1e-7, gaps)
    check(min(r[2] for r in table[1:]) > 0, "a damper only takes")


def test_failure():
    model = write("stiff.yaml", STIFF)
    code, out, err = run("run", model, "--json", "-o", "stiff.csv")
    report = json.loads(out)
    check(code == 1 and report["status"] == "failed" and report["error"], out)
    check(report["error"] in err, err)
    check(len(read_csv("stiff.csv")[1]) >= 2, "what was computed is kept")


def test_failure_between_rows():
    """A run that stops before its next row tells the energy of where it stopped"""
    pendulum = os.path.join(SOURCE, "models", "pendulum.yaml")  # at rest, at the height of the origin: no energy
    report = json.loads(run("run", pendulum, "--integrator", "newmark:gamma=0.5,beta=0.05", "--end", "1", "--json")[1])
    energy = report["final"]["energy.total"]
    check(report["status"] == "failed" and energy > 0.1, "the case is what it claims to be")
    check(abs(report["energy_drift"] - energy) < 1e-9 * energy, f"{report['energy_drift']} of {energy} J")


def test_lost_velocities():
    """An equilibrium has no velocities: given ones are not dropped in silence"""
    iltis = (os.path.join(SOURCE, "models", "iltis.yaml"), "--set", "bump=0", "--set", "linear=1", "--json")
    for command in ("modes", "linearize"):
        for speed, given in (("20", 1), ("0", 0)):
            code, out, err = run(command, *iltis, "--set", "speed=" + speed, "--equilibrium")
            said = json.loads(out)["warnings"]
            check(code == 0 and len(said) == given and all("no part of an equilibrium" in w and w in err for w in said), f"{command}: {err}")
        check("no part" not in run(command, *iltis, "--set", "speed=20")[2], f"{command} where nothing is lost")


BALL = """verge: 1
gravity: 9.81
bodies: {ball: {mass: 0.2, shape: {sphere: 0.05}, position: [0, 0, 0.5]}}
forces:
  floor: {contact-sphere-plane: [ground, ball], radius: 0.05, stiffness: 1e9, damping: 0.3}
%srun: {step: 1e-2, end: 1}
"""


STILL = """verge: 1
mesh:
  bar: {beam: 7, to: [1, 2, 0], via: [[1, 0, 0], [1, 0.05, 0]], start: {fixed: ground}, circle: 0.01, E: 2e11, rho: 7800}
run: {step: 1e-3, end: 1e-3}
"""


def test_energy_from_nowhere():
    """A ball that a step of a hundredth throws higher than it fell from: no bounce gives energy, so say it"""
    model = write("ball.yaml", BALL % "")
    code, out, err = run("run", model, "--json", "--print", "energy.total")
    report = json.loads(out)
    check(report["final"]["energy.total"] > 1.05 * 0.2 * 9.81 * 0.5, "the case is what it claims to be")
    said = report["warning"] or report["error"]
    check(("energy grew" in said or "energy has grown" in said) and said in err, err)
    check(report["error"] is None if code == 0 else code == 1, err)
    code, out, err = run("run", model, "--json", "--constraints", "index1", "--integrator", "dopri5:rtol=1e-8")
    check(code == 0 and json.loads(out)["warning"] is None and "warning" not in err, err)
    pushed = write("pushed.yaml", BALL % '  push: {force: ball, value: [0, 0, "20*t"]}\n')
    check(json.loads(run("run", pushed, "--json")[1])["warning"] is None, "a law may feed energy in")
    still = write("still.yaml", STILL)  # an unloaded bar: all that moves is the last digit
    check(json.loads(run("run", still, "--json")[1])["warning"] is None, "round-off is no motion")
    # round-off of what cannot move, at the height of the origin, is no energy
    held = write("held.yaml", "verge: 1\ngravity: 9.81\nbodies: {rod: {mass: 1, inertia: [0.01, 0.1, 0.1], com: [0.5, 0, 0]}}\n"
                 "joints: {O: {revolute: [ground, rod], axis: y}, W: {fixed: [ground, rod]}}\nrun: {step: 1e-3, end: 0.1}\n")
    code, out, err = run("run", held, "--json")
    check(code == 0 and json.loads(out)["warnings"] == [] and err == "", err)


def test_resume(model):
    """Two halves of a run are the whole run, to the last bit; states of other settings are refused"""
    for method in ("generalized-alpha:newton=hold", "generalized-alpha:spread=5", "lms3", "radau3"):
        names = "joint.O.angle,joint.O.rate"
        whole = json.loads(run("run", model, "--json", "--integrator", method, "--end", "0.9", "--print", names)[1])
        code, _, err = run("run", model, "-q", "--integrator", method, "--end", "0.437", "--save-state", "half.state")
        check(code == 0, err)
        code, out, err = run("run", model, "--json", "--integrator", method, "--end", "0.9", "--print", names,
                             "--resume", "half.state")
        check(code == 0 and json.loads(out)["final"] == whole["final"], (method, out, whole["final"]))
    code, _, err = run("run", model, "--integrator", "lms2", "--resume", "half.state")
    check(code == 2 and "no checkpoint of this simulation" in err, err)
    code, _, err = run("run", model, "--integrator", "radau3", "--resume", "half.state", "--end", "0.3")
    check(code == 2 and "already" in err, err)
    with open("half.state", "r+b") as file:
        file.seek(100)
        file.write(b"verge")
    code, _, err = run("run", model, "--integrator", "radau3", "--resume", "half.state")
    check(code == 2 and "damaged" in err, err)
    code, _, err = run("run", model, "--resume", "none.state")
    check(code == 2 and "does not exist" in err, err)


def start_long(model, *more):
    return subprocess.Popen([EXE, "run", model, "--json", "--end", "1e6", *more], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def wait_for_rows(name):
    for _ in range(6000):
        time.sleep(0.1)
        if os.path.exists(name) and os.path.getsize(name) > 100000:
            return
    check(False, name + " does not grow")


def test_interrupt(model):
    p = start_long(model, "-o", "int.h5")
    wait_for_rows("int.h5")
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=600)
    report = json.loads(out)
    check(p.returncode == 1 and report["status"] == "failed" and report["error"] == "interrupted", out + err)
    check(report["rows"] > 100 and run("plot", "int.h5")[0] == 0, "the file is kept")


def test_kill(model):
    for name in ("kill.h5", "kill.csv"):
        p = start_long(model, "-o", name)
        wait_for_rows(name)
        time.sleep(0.3)
        p.kill()
        p.communicate(timeout=600)
        code, out, err = run("plot", name, "--y", "joint.O.angle")
        check(code == 0 and "joint.O.angle" in out, name + err)


def test_check(model):
    code, out, _ = run("check", model, "--json")
    report = json.loads(out)
    check(code == 0 and report["degrees_of_freedom"] == 1 and report["bodies"] == 1, out)
    check(report["mass"] == 2 and report["redundant_constraints"] == 0, out)
    # four parallel revolutes in space repeat three constraints of a loop that needs none of them
    code, out, _ = run("check", os.path.join(SOURCE, "models", "four-bar-spatial.yaml"), "--json")
    report = json.loads(out)
    check(code == 0 and report["redundant_constraints"] == 3 and report["degrees_of_freedom"] == 1, out)
    check(sum(report["redundant"].values()) == 3, out)
    code, out, _ = run("check", os.path.join(SOURCE, "models", "four-bar-planar.yaml"))
    check(code == 0 and "freedom        1 degree\n" in out and "redundant" not in out, out)
    # so is what only a run would stumble over
    for old, new, words in (("record: [joint.O.angle", "record: [joint.O.angel", "wrong.yaml:11:10: error: unknown channel 'joint.O.angel'; did you mean 'joint.O.angle'?"),
                            ("step: 1e-3", "integrator: {generalized-alpha: {rho: 3}}, step: 1e-3", "outside 0 to 1"),
                            ("step: 1e-3", "integrator: generalized-alfa, step: 1e-3", "generalized-alpha")):
        check(old in PENDULUM, old)
        wrong = write("wrong.yaml", PENDULUM.replace(old, new))
        code, out, err = run("check", wrong, "--json")
        check(code == 2 and words in err and json.loads(out)["status"] == "failed", (new, err))
    # a loop that cannot close is named
    text = PENDULUM.replace("  O: {revolute: [ground, bob.O]}",
                            "  O: {revolute: [ground, bob.O]}\n  P: {revolute: [ground.far, bob.O]}")
    text = text.replace("bodies:\n", "bodies:\n  ground: {markers: {far: [3, 0]}}\n")
    conflict = write("conflict.yaml", text)
    code, out, err = run("check", conflict)
    check(code == 2 and "conflict.yaml:" in err and ("'O'" in err or "'P'" in err), err)


def test_inverse():
    """The torque that swings a rod as told: (J + m a²) q̈ + m g a cos q"""
    text = PENDULUM.replace("start: 0.01", "start: 0").replace("[L*sin(start), -L*cos(start)]", "[L, 0]").replace("O: [0, L]", "O: [-L, 0]")
    model = write("arm.yaml", text)
    code, out, err = run("inverse", model, "--motion", "O=0.3*sin(2*t)", "--end", "1", "--step", "0.25", "--json")
    report = json.loads(out)
    check(code == 0 and report["status"] == "ok" and report["error"] is None and len(report["rows"]) == 5, err)
    for row in report["rows"]:
        q, a = 0.3 * math.sin(2 * row["time"]), -1.2 * math.sin(2 * row["time"])
        check(abs(row["joint.O.angle"] - q) < 1e-12, row)
        check(abs(row["joint.O.angle.torque"] - ((1e-4 + 2) * a + 2 * 9.81 * math.cos(q))) < 1e-10, row)
    code, out, err = run("inverse", model, "--motion", "O=sqrt(0.5-t)", "--end", "1", "--step", "0.25", "--json")
    check(code == 1 and json.loads(out)["status"] == "failed" and json.loads(out)["error"] in err, err)
    check(json.loads(run("inverse", "none.yaml", "--json")[1])["status"] == "failed", "no such model")


def test_not_a_number():
    """Laws without a value are named by every command, and no table of not-a-numbers is an answer"""
    slide = """\
verge: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {O: {prismatic: [ground, a], axis: x%s}}
forces: {f: {joint-torque: O, value: "%s"}}
run: {step: 0.1, end: 1}
"""
    pole = write("pole.yaml", slide % ("", "1/x"))
    for command in (["equilibrium"], ["modes"], ["linearize"], ["run", "-q"]):
        code, _, err = run(*command, pole)
        check(code == 1 and "a law of force 'f' is not a number" in err and "pole.yaml:4:38: '1/x'" in err, (command, err))
    root = write("root.yaml", slide % (", drive: {displacement: t}", "sqrt(0.5 - t)"))
    code, out, err = run("inverse", root)
    check(code == 1 and "nan" not in out and "t = 0.6 s" in err and "a law of force 'f' is not a number" in err, out + err)
    code, _, err = run("inverse", root, "--motion", "O=sqrt(0.25-t)")
    check(code == 1 and "the motion of joint.O.displacement is not defined" in err, err)
    start = write("start.yaml", slide % (", drive: {displacement: sqrt(t)}", "0"))
    for command in (["run", "-q"], ["check"], ["inverse"]):
        code, _, err = run(*command, start)
        check(code == 2 and "the derivative of a law of joint 'O.drive' is not a number at t = 0 s" in err, (command, err))
    gentle = write("gentle.yaml", slide % (", drive: {rate: t^1.5}", "0"))  # its second derivative is nobody's business
    code, out, err = run("run", gentle, "--json", "--step", "1e-3", "--print", "joint.O.displacement")
    check(code == 0 and abs(json.loads(out)["final"]["joint.O.displacement"] - 0.4) < 1e-6, err)


def test_list(model):
    for what in ("joints", "forces", "coordinates", "constraints", "integrators", "pairs"):
        code, out, _ = run("list", what, "--json")
        rows = json.loads(out)[what]
        check(code == 0 and json.loads(out)["status"] == "ok" and len(rows) >= 2 and all(r["name"] for r in rows), what)
        code, text, _ = run("list", what)
        check(code == 0 and all(r["name"] in text for r in rows), what)
    # what the list of integrators says of each, to programs and to people
    code, out, _ = run("list", "integrators", "--json")
    for r in json.loads(out)["integrators"]:
        keys = ("family", "order", "stages", "implicit", "A-stable", "L-stable", "adaptive", "parameters", "constraints", "citation")
        check(all(k in r for k in keys) and r["citation"] and r["constraints"], r)
        check(("rho" in r) == r["A-stable"] and (not r["L-stable"] or r["rho"] == [0, 0] or r["A-stable"]), r)
    code, out, _ = run("list", "integrators")
    check("ρ∞ 0 to 1" in out and "L-stable, ρ∞ 0" in out and "constraints index3, index2, index1" in out, "columns")
    code, out, _ = run("list", "channels", model, "--json")
    names = [c["name"] for c in json.loads(out)["channels"]]
    check(code == 0 and {"time", "joint.O.angle", "body.bob.angle", "joint.O.force.x", "energy.total"} <= set(names), names)
    code, out, err = run("run", model, "--json", "--end", "0.01", "--print", ",".join(names))
    final = json.loads(out)["final"]
    check(code == 0 and set(names) == set(final), err)
    check(all(isinstance(v, (int, float)) for v in final.values()), "every channel has a number")
    check(abs(final["time"] - 0.01) < 1e-12, "time")
    # the hinge carries the weight: the force on the bob points up
    check(abs(math.hypot(final["joint.O.force.x"], final["joint.O.force.y"]) - 2 * 9.81) < 0.05, final)


def test_json_always(model):
    """With --json stdout is one JSON object whatever is wrong, and says why."""
    check(json.loads(run("reproduce", "--list", "N", "--json")[1])["experiments"][0]["paper"] == "N", "experiments")
    check({s["name"] for s in json.loads(run("list", "--json")[1])["subjects"]} >= {"joints", "channels"}, "subjects")
    commands = [c["name"] for c in json.loads(run("list", "commands", "--json")[1])["commands"]]
    for command in commands:
        if "--json" not in run(command, "--help")[1]:
            continue
        wrong = [["--json", "--nonsense"], ["nothing.yaml", "--json"], ["--json", model, "--set", "L"],
                 ["--json", "a", "b", "c", "d", "--end"]]
        for words in wrong:
            code, out, err = run(command, *words)
            answer = json.loads(out)
            check(code == 2 and answer["status"] == "failed", f"{command} {words}: {out}")
            check(answer["error"] and answer["error"] in err, f"{command} {words}: {out} {err}")
    for words in (["--end", "abc"], ["--step", "-1"], ["-o", "no/such/dir.h5"], ["--print", "joint.O.angel"]):
        code, out, err = run("run", model, "--json", *words)
        check(code == 2 and json.loads(out)["error"] in err, out)
    code, out, err = run("compare", model, "--json", "--integrators", "rk4", "--end", "0.01", "--csv", "no/such/dir.csv")
    check(code == 2 and json.loads(out)["status"] == "failed", out)


def test_lists_of_dials():
    top = os.path.join(SOURCE, "models", "heavy-top.yaml")
    code, out, err = run("compare", top, "--integrators", "generalized-alpha", "--coordinates", "lie,se3", "--constraints",
                         "index3,index2", "--end", "0.01", "--step", "1e-4", "--json")
    check(code == 0, err)
    answer = json.loads(out)
    check([r["coordinates"] + r["constraints"] for r in answer["runs"]]
          == ["lieindex3", "lieindex2", "se3index3", "se3index2"], out)
    check(all(r["status"] == "ok" and r["error"] < 1e-3 for r in answer["runs"]), out)


def test_bytes(model):
    """Whatever bytes a file holds, the message has a place in it."""
    text = open(model, "rb").read()
    lines = text.count(b"\n") + 1
    for tail, place in ((b"a: \xff", f":{lines}:4: "), (b"\xc3\xa4b: \x01", f":{lines}:5: "), (b"\0", f":{lines}:1: "),
                        (b"run:\n\tstep: 1\n", f":{lines + 1}:1: error: a tab cannot indent")):
        with open("bytes.yaml", "wb") as file:
            file.write(text + tail)
        code, out, err = run("check", "bytes.yaml")
        check(code == 2 and err.startswith("bytes.yaml" + place), err)
    with open("bytes.yaml", "wb") as file:
        file.write(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    check(run("check", "bytes.yaml")[0] == 0, "byte order mark and CRLF")


def test_special_files(model):
    """What is no plain file is refused at once: a pipe would wait for ever, a device never ends."""
    for name in ("pipe.yaml", "pipe.csv", "pipe.h5", "pipe.state"):
        os.mkfifo(name)
    for words in (["check", "pipe.yaml"], ["run", model, "--resume", "pipe.state"], ["plot", "pipe.csv"],
                  ["plot", "pipe.h5"], ["view", "pipe.h5"], ["check", "/dev/zero"], ["run", model, "--resume", "/dev/zero"]):
        code, out, err = run(*words)
        check(code == 2 and "is not a plain file" in err, f"{words}: {code} {err}")
    for words in (["check", "."], ["run", model, "--resume", "."]):
        code, out, err = run(*words)
        check(code == 2 and "is a directory" in err, f"{words}: {code} {err}")


def test_threads():
    """The same bits however many threads the linear algebra could take: modes of a beam."""
    crank = os.path.join(SOURCE, "models", "slider-crank-flexible-modes.yaml")
    rows = []
    for threads in "1", "4":
        os.environ["OPENBLAS_NUM_THREADS"] = threads
        code, _, err = run("run", crank, "--end", "1e-3", "-q", "-o", "threads.csv")
        check(code == 0, err)
        rows.append(open("threads.csv").read())
    del os.environ["OPENBLAS_NUM_THREADS"]
    check(rows[0] == rows[1] and len(rows[0]) > 1000, "threads change the result")


def test_doc():
    code, out, _ = run("doc", "format")
    check(code == 0 and "revolute" in out and "spring" in out, "doc format")


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    path = write("pendulum.yaml", PENDULUM)
    test_help()
    test_wrong_words(path)
    test_run(path)
    test_rows(path)
    test_plot(path)
    test_energy_balance()
    test_failure()
    test_failure_between_rows()
    test_lost_velocities()
    test_energy_from_nowhere()
    test_resume(path)
    test_interrupt(path)
    test_kill(path)
    test_check(path)
    test_inverse()
    test_not_a_number()
    test_list(path)
    test_json_always(path)
    test_lists_of_dials()
    test_bytes(path)
    test_special_files(path)
    test_threads()
    if "doc" in [c["name"] for c in json.loads(run("list", "commands", "--json")[1])["commands"]]:
        test_doc()
    os.chdir(SOURCE)
print(f"{checks} checks, {failures} failed")
sys.exit(1 if failures else 0)

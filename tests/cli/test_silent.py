"""What can go wrong around a run: laws without a value, full disks, files in use, pipes that close."""
import fcntl
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
SOURCE = os.environ["VERGE_SOURCE_DIR"]
failures = 0
checks = 0

MASS = """\
verge: 1
planar: true
tables: {T: {x: [0, 1], y: [0, 1]}}
bodies:
  b: {mass: 1, point: true, velocity: [-1, 0], position: [0.5, 0]}
forces:
  fine: {force: b, value: [1, 0]}
  law: {force: b, value: [0, "%s"]}
run: {integrator: %s, step: 0.01, end: 2}
"""

SPIN = """\
verge: 1
planar: true
gravity: [0, -9.81]
bodies:
  bar: {mass: 1, inertia: 0.1, com: [0.5, 0], omega: 30}
joints:
  O: {revolute: [ground, bar]}
run: {end: 2}
"""

# steps of a radian without damping at infinity: positions are kept, velocities are not
CRANK = """\
verge: 1
planar: true
gravity: [0, -9.81]
bodies:
  crank: {mass: 3, inertia: 0.02, com: [0.15, 0], markers: {A: [0.3, 0]}}
  rod: {mass: 0.9, inertia: 0.03, com: [0.2, 0], position: [0.3, 0], markers: {B: [0.4, 0]}}
joints:
  O: {revolute: [ground, crank], drive: {angle: 10*t}}
  A: {revolute: [crank.A, rod]}
  B: {point-on-line: [ground, rod.B], axis: x}
run: {constraints: index3, integrator: generalized-alpha, step: 0.1, end: 5}
record: [joint.O.angle]
"""

DRIVE = """\
verge: 1
planar: true
bodies:
  b: {mass: 1, inertia: 1}
joints:
  J: {revolute: [ground, b], drive: {angle: "%s"}}
run: {integrator: %s, step: 0.01, end: 2}
"""


def check(condition, what):
    global failures, checks
    checks += 1
    if not condition:
        failures += 1
        print("failed:", what)


def run(*args, **how):
    return subprocess.run([EXE, *args], capture_output=True, text=True, timeout=600, **how)


def write(name, text):
    with open(name, "w") as out:
        out.write(text)


def test_laws():
    """Each law has no value from t = 0.5 on, or until then: the run fails and shows the place and the text."""
    for law in ("sqrt(0.5 - t)", "log(0.5 - t)", "1/(0.5 - t)", "acos(1.5 + t - 1)", "sqrt(t - 0.5)"):
        for method in ("generalized-alpha", "dopri5", "bdf", "rk4"):
            write("law.yaml", MASS % (law, method))
            done = run("run", "law.yaml", "-q")
            text = done.stderr
            check(done.returncode == 1, f"{law} {method}: exit {done.returncode}")
            check("force 'law'" in text and "law.yaml:8:30" in text, f"{law} {method}: {text}")
    write("drive.yaml", DRIVE % ("if(t > 0.5, sqrt(-t), t)", "generalized-alpha"))
    done = run("run", "drive.yaml", "-q")
    check(done.returncode == 1 and "joint 'J.drive'" in done.stderr and "drive.yaml:6" in done.stderr, done.stderr)


def test_doubts():
    """What speaks against a result is in stderr and in the JSON; where nothing does, nothing is said."""
    write("spin.yaml", SPIN)
    four_bar = os.path.join(SOURCE, "models", "four-bar.yaml")
    coarse = [four_bar, "--set", "n=2", "--end", "4", "--integrator", "esdirk436-2", "--step", "0.2"]
    for args, words in ((["spin.yaml", "--integrator", "nstiff", "--step", "1e-2"], "the method's own damping"),
                        (coarse, "split into shorter ones, the first because"),
                        (["spin.yaml", "--constraints", "index3", "--integrator", "trapezoidal:newton=frozen,fixed=3",
                          "--step", "5e-3"], "increments grew"),
                        (["spin.yaml", "--constraints", "index3", "--integrator", "trapezoidal:newton=frozen,fixed=3",
                          "--step", "2e-4"], None),
                        (["spin.yaml", "--step", "1e-4"], None),
                        ([os.path.join(SOURCE, "models", "slider-crank-3d.yaml")], None)):
        done = run("run", *args, "--json")
        told = json.loads(done.stdout)["warnings"]
        check(done.returncode == 0, f"{args}: {done.stderr}")
        if words:
            check(any(words in w for w in told) and words in done.stderr, f"{args}: {told} {done.stderr}")
        else:
            check(told == [] and "warning" not in done.stderr, f"{args}: {told}")


def test_end_of_a_failed_run():
    """A run whose velocities are lost ends where they were: the time, the rows and the last values agree."""
    write("crank.yaml", CRANK)
    done = run("run", "crank.yaml", "--json", "-o", "crank.csv")
    report = json.loads(done.stdout)
    check(done.returncode == 1 and f"at t = {report['t']:.9g} s" in report["error"], done.stdout)
    check(abs(report["final"]["joint.O.angle"] - 10 * report["t"]) < 1e-9, report["final"])
    with open("crank.csv") as rows:
        last = rows.read().split()[-1]
    check(float(last.split(",")[0]) <= report["t"] and abs(report["steps"] * 0.1 - report["t"]) < 1e-9, last)


def limited(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_full_disk():
    """Files that may not grow: the run says so, fails, and what was written stays readable."""
    model = os.path.join(SOURCE, "models", "chain.yaml")
    for name in ("full.csv", "full.h5"):
        room = limited(200000 if name == "full.h5" else 20000)
        done = run("run", model, "--step", "1e-3", "--end", "4", "-o", name, "-q", preexec_fn=room)
        check(done.returncode == 1 and name in done.stderr, f"{name}: {done.returncode} {done.stderr}")
        check(run("plot", name).returncode == 0, f"{name} cannot be read")
        done = run("run", model, "-o", name, "-q", preexec_fn=limited(100))
        check(done.returncode in (1, 2) and name in done.stderr, f"{name}: {done.returncode} {done.stderr}")


def test_in_use():
    """A file that another run writes is left alone."""
    model = os.path.join(SOURCE, "models", "pendulum.yaml")
    for name in ("used.csv", "used.h5"):
        with open(name, "wb") as out:
            out.write(b"rows of somebody else")
            out.flush()
            fcntl.flock(out, fcntl.LOCK_EX)
            done = run("run", model, "-o", name, "-q")
        check(done.returncode == 1 and "another run" in done.stderr, f"{name}: {done.returncode} {done.stderr}")
        with open(name, "rb") as kept:
            check(kept.read() == b"rows of somebody else", f"{name} was changed")
        check(run("run", model, "-o", name, "-q").returncode == 0, f"{name}: free again")
    done = run("run", model, "-o", os.path.join("nowhere", "x.h5"), "-q")
    check(done.returncode == 2 and "No such file" in done.stderr, done.stderr)


ROD = """\
verge: 1
planar: true
bodies:
  a: {mass: 1, inertia: 0.1, markers: {e: [1, 0]}}
  b: {mass: 1, inertia: 0.1%s}
joints:
  O: {revolute: [ground, a]}
  P: {revolute: [a.e, b]}
run: {step: 0.01, end: 0.1}
"""


def test_start():
    """What the joints made of the start that was given is told, on stderr and in the report."""
    for given, words in ((", position: [3, 0]", "closing it moved 'b' by 2 m"), ("", None),
                         (", position: [1, 0], velocity: [3, 0]", "'b' is changed by 3")):
        write("rod.yaml", ROD % given)
        for coordinates in ("planar", "relative", "natural"):
            done = run("run", "rod.yaml", "--json", "--coordinates", coordinates)
            told = json.loads(done.stdout)["warnings"]
            check(len(told) == (words is not None) and done.stderr.count("warning") == len(told),
                  f"{given} {coordinates}: {told} {done.stderr}")
            check(words is None or words in told[0] and words in done.stderr, f"{given}: {told} {done.stderr}")


DOOR = """\
verge: 1
bodies: {door: {mass: 20, inertia: [4, 5, 1.2], omega: [0, 0, 1], markers: {high: [0, 0, 1.5]}}}
joints:
  low: {revolute: [ground, door], axis: z}
  high: {revolute: [{body: ground, position: [0, 0, 1.5]}, door.high], axis: z}
run: {step: 0.01, end: 0.1}
"""


def test_undetermined():
    """A door on two hinges: both are named, each once, whatever rows repeat others."""
    write("door.yaml", DOOR)
    named = json.loads(run("run", "door.yaml", "--json").stdout)["undetermined_reactions"]
    check(sorted(named.split(", ")) == ["'high'", "'low'"], named)


SWING = """\
verge: 1
planar: true
gravity: [0, -10]
bodies:
  bar: {mass: 2, inertia: 0.5, com: [0.5, 0], omega: 3}
joints:
  O: {revolute: [ground, bar]}
forces:
  brake: {torsion: O, damping: 0.4}
run: {end: 3, step: 0.01, output: {interval: 0.02}}
record: [joint.O.angle, joint.O.rate, joint.O.acceleration, joint.O.force.x, joint.O.force.y, energy.total,
         energy.dissipated]
"""


def test_rows_between_steps():
    """Steps under error control are long: what rows between them tell of accelerations, reactions and work
    belongs to the angle and the rate of the same row, by m l = 1, J = 1, g = 10, c = 0.4."""
    write("swing.yaml", SWING)
    bounds = {"dop853:rtol=1e-9": 1e-5, "dopri5:rtol=1e-8": 1e-5, "adams:rtol=1e-8": 1e-4,
              "radau3:rtol=1e-8": 2e-3}  # at index 3 its forces are of order 3
    for method, bound in bounds.items():
        for coordinates in ("planar", "relative", "natural"):
            run("run", "swing.yaml", "--integrator", method, "--coordinates", coordinates, "-o", "s.csv", "-q")
            with open("s.csv") as rows:
                table = [[float(x) for x in row.split(",")] for row in list(rows)[1:]]
            worst = [0, 0, 0]
            for _, q, w, a, fx, fy, energy, lost in table:
                want = -10 * math.cos(q) - 0.4 * w
                ax, ay = -want * math.sin(q) - w * w * math.cos(q), want * math.cos(q) - w * w * math.sin(q)
                error = (a - want, max(abs(fx - ax), abs(fy - ay - 20)), energy + lost - table[0][6])
                worst = [max(x, abs(e)) for x, e in zip(worst, error)]
            check(len(table) == 151 and max(worst[:2]) < bound and worst[2] < 1e-4,
                  f"{method} {coordinates}: {len(table)} rows, {worst}")
            done = run("run", "swing.yaml", "--integrator", method, "--coordinates", coordinates, "--json", "--every", "1")
            end = json.loads(done.stdout)["final"]
            balance = end["energy.total"] + end["energy.dissipated"] - 4.5
            check(abs(balance) < 1e-4, f"{method} {coordinates}: work is off by {balance}")


def test_stdout():
    model = os.path.join(SOURCE, "models", "pendulum.yaml")
    with open("/dev/full", "w") as full:
        done = subprocess.run([EXE, "run", model, "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
    check(done.returncode == 1 and "stdout" in done.stderr, f"full: {done.returncode} {done.stderr}")
    read, written = os.pipe()
    os.close(read)
    done = subprocess.run([EXE, "list", "integrators"], stdout=written, stderr=subprocess.PIPE, text=True)
    os.close(written)
    check(done.returncode != 0 and "Traceback" not in done.stderr, f"closed pipe: {done.returncode}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    test_laws()
    test_doubts()
    test_end_of_a_failed_run()
    test_full_disk()
    test_in_use()
    test_start()
    test_undetermined()
    test_rows_between_steps()
    test_stdout()
    os.chdir("/")
print(f"{checks} checks, {failures} failed")
sys.exit(failures > 0)

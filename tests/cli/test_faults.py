"""Every command with one failing call: an allocation, write, fsync, rename, ftruncate, mmap, open, fopen or thread creation.

The program then ends with exit code 1 or 2 and words, or as if nothing had failed: with the same answer and the same files.
It never ends by a signal, hangs, or gives another answer; a file that was there before is there, or the new one, whole.
`make test` tries some of the calls of each kind, of reading two short models every one, VERGE_FAULTS=all (scripts/endure) every one."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from every_command import missing

EXE, SOURCE, BUILD = os.environ["VERGE_EXE"], pathlib.Path(os.environ["VERGE_SOURCE_DIR"]), pathlib.Path(os.environ["VERGE_BUILD_DIR"])
SHIM = BUILD / "tests" / "libfail_calls.so"
EVERY = os.environ.get("VERGE_FAULTS") == "all"
FEW = int(os.environ.get("VERGE_FAULTS_FEW", "12"))
M, ROBOTS = str(SOURCE / "models"), str(SOURCE / "tests" / "io" / "robots")
KINDS = ("malloc", "write", "fsync", "rename", "ftruncate", "mmap", "pthread_create", "open", "fopen")

# name, words, files that it writes
COMMANDS = [
    ("run", ["run", f"{M}/four-bar-planar.yaml", "--end", "0.01", "-o", "out.h5", "--save-state", "out.state"], ["out.h5", "out.state"]),
    ("advise", ["advise", "ball.yaml"], []),
    ("run csv", ["run", f"{M}/pendulum.yaml", "--end", "0.01", "-o", "out.csv", "--json"], ["out.csv"]),
    ("run iltis", ["run", f"{M}/iltis.yaml", "--end", "0.002", "--json"], []),
    ("run modes", ["run", f"{M}/slider-crank-flexible-modes.yaml", "--end", "0.0002", "--json"], []),
    ("resume", ["run", f"{M}/four-bar-planar.yaml", "--end", "0.02", "--resume", "in.state", "--json"], []),
    ("plot", ["plot", "in.h5", "-o", "out.svg"], ["out.svg"]),
    ("plot text", ["plot", "in.csv"], []),
    ("view", ["view", "in.h5", "-o", "out.html"], ["out.html"]),
    ("inverse", ["inverse", f"{M}/puma560.yaml", "--motion", "J1=0.5*sin(t)", "--end", "0.1", "--step", "0.1", "-o", "out.csv"], ["out.csv"]),
    ("reduce", ["reduce", f"{M}/slider-crank-flexible-modes.yaml", "-o", "out.modes"], ["out.modes"]),
    ("reduce h5", ["reduce", f"{M}/slider-crank-flexible-modes.yaml", "-o", "out.h5"], ["out.h5"]),
    ("linearize", ["linearize", f"{M}/cart-pole.yaml", "-o", "out.h5"], ["out.h5"]),
    ("modes", ["modes", f"{M}/cart-pole.yaml", "--json"], []),
    ("equilibrium", ["equilibrium", f"{M}/pendulum.yaml", "--json"], []),
    ("check", ["check", f"{M}/four-bar.yaml", "--json"], []),
    ("list", ["list", "joints", "--json"], []),
    ("doc", ["doc", "integrators"], []),
    ("sweep csv", ["sweep", "ball.yaml", "--vary", "g=9,10", "--keep", "final(energy.total)", "-o", "out.csv", "--threads", "1"], ["out.csv"]),
    ("import", ["import", f"{ROBOTS}/mimic.urdf", "-o", "out.yaml"], ["out.yaml"]),
    ("export gltf", ["export", "in.h5", "--gltf", "out.glb"], ["out.glb"]),
    ("export mcap", ["export", "in.h5", "--mcap", "out.mcap"], ["out.mcap"]),
    ("fmu", ["fmu", f"{M}/pendulum.yaml", "-o", "out.fmu"], ["out.fmu"]),
]
# short enough for every call: many copies of names, and a flexible body, whose numbers need memory of their own
WHOLE = [
    ("check names", ["check", "names.yaml"], []),
    ("check flexible", ["check", "flexible.yaml"], []),
]
# tried by VERGE_FAULTS=all alone: other coordinates, constraints and methods, studies, threads
MORE = [
    (f"run {c} {k} {i}", ["run", f"{M}/{model}.yaml", "--coordinates", c, "--constraints", k, "--integrator", i, "--end", end, "--json"], [])
    for model, end, c, k, i in (
        ("four-bar", "0.01", "lie", "augmented3", "generalized-alpha"),
        ("four-bar", "0.01", "natural", "index3", "bdf"),
        ("four-bar-spatial", "0.01", "relative", "independent", "dop853"),
        ("slider-crank", "0.01", "relative", "augmented1", "radau3"),
        ("slider-crank-3d", "0.01", "euler-parameters", "penalty", "trapezoidal"),
        ("heavy-top", "0.001", "se3", "index2", "esdirk436"),
        ("squeezer", "0.0005", "planar", "index1", "adams"),
        ("princeton", "0.001", "relative", "index3", "generalized-alpha"),
    )
] + [
    ("run events", ["run", f"{M}/newtons-cradle.yaml", "--end", "0.05", "--events", "--json"], []),
    ("run controller", ["run", f"{M}/cart-pole.yaml", "--end", "0.05", "--json"], []),
    ("run view", ["run", f"{M}/pendulum.yaml", "--end", "0.01", "-o", "out.h5", "--view", "out.html", "-q"], ["out.h5", "out.html"]),
    ("run verify", ["run", f"{M}/pendulum.yaml", "--end", "0.02", "--verify", "--json"], []),
    ("equilibrium flexible", ["equilibrium", f"{M}/cantilever.yaml", "--json"], []),
    ("modes flexible", ["modes", f"{M}/rotating-beam.yaml", "--json"], []),
    ("linearize json", ["linearize", f"{M}/four-bar-spatial.yaml", "--json"], []),
    ("converge", ["converge", f"{M}/pendulum.yaml", "--integrators", "rk4,bathe", "--halvings", "1", "--end", "0.02", "--threads", "1", "--csv", "out.csv"], ["out.csv"]),
    ("compare", ["compare", f"{M}/pendulum.yaml", "--integrators", "rk4,generalized-alpha", "--end", "0.02", "--threads", "2", "--csv", "out.csv"], ["out.csv"]),
    ("spectrum", ["spectrum", "bathe", "--points", "9", "--csv", "out.csv", "-o", "out.svg"], ["out.csv", "out.svg"]),
    ("realtime", ["realtime", f"{M}/slider-crank.yaml", "--duration", "0.01", "--twins", "2"], []),
    ("sweep workers", ["sweep", "ball.yaml", "--vary", "g~normal(9,0.1)", "--sample", "sobol:4", "--keep", "final(energy.total)",
                       "--history", "body.ball.position.z", "-o", "out.h5", "--threads", "2"], ["out.h5"]),
    ("sensitivity", ["sensitivity", "ball.yaml", "--parameters", "g", "--keep", "final(body.ball.position.z)", "--threads", "1", "--json"], []),
    ("identify html", ["identify", "ball.yaml", "measured.csv", "--free", "g=5:15", "--match", "body.ball.position.z", "--threads", "1",
                       "--starts", "1", "-o", "out.html"], ["out.html"]),
    ("optimize", ["optimize", "ball.yaml", "--free", "g=5:15", "--minimise", "final(body.ball.position.z)^2", "--threads", "1", "--json"], []),
    ("run mjcf", ["run", f"{ROBOTS}/swivel.xml", "--end", "0.002", "--json"], []),
    ("export vtk", ["export", "beam.h5", "--vtk", "out.pvd"], ["out.pvd"]),
    ("export mjcf", ["export", f"{ROBOTS}/mimic.urdf", "--mjcf", "-o", "out.xml"], ["out.xml"]),
    ("run fmu", ["run", "beside.yaml", "--end", "0.02", "--json"], []),
    ("linearize transfer", ["linearize", f"{M}/cart-pole.yaml", "--equilibrium", "--transfer", "1:10:3", "--json"], []),
    ("reproduce", ["reproduce", "--list"], []),
    ("studio", ["studio", "--help"], []),
    ("schema", ["schema"], []),
    ("completion", ["completion", "bash"], []),
]
TIMED = ("converge", "compare", "realtime", "advise")  # what they print is about times; their tables are compared
BALL = """verge: 1
parameters: {g: 10}
gravity: [0, 0, -g]
bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}
run: {step: 1e-2, end: 0.1}
"""
BESIDE = """verge: 1
planar: true
bodies: {dummy: {mass: 1, inertia: 1}}
joints: {P: {revolute: [ground, dummy]}}
controllers: {plant: {fmu: sin(3*t), file: plant.fmu, inputs: input.torque, outputs: joint.O.angle, sample: 0.01}}
forces: {echo: {joint-torque: P, value: controller.plant}}
run: {step: 1e-3, end: 1}
"""
# names whose copies fill more than a chunk of the reader's memory
NAMES = "verge: 1\nparameters:\n" + "".join(f"  {'parameter_' * 5}{k}: {k}\n" for k in range(40)) + "bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n"
FLEXIBLE = """verge: 1
flexible: {rod: {length: 0.6, modes: 2, support: pinned, circle: 0.01, E: 210e9, rho: 7850, nodes: {A: 0, B: 0.6}}}
joints: {P: {revolute: [ground, rod.A]}}
"""
PLANT = """verge: 1
planar: true
bodies: {rod: {mass: 1, inertia: 0.1, com: [0.5, 0]}}
joints: {O: {revolute: [ground, rod]}}
forces: {motor: {joint-torque: O, value: input.torque}}
run: {step: 1e-3, end: 1}
record: [joint.O.angle]
"""
checks = failures = 0


def check(good, text):
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print("failed:", text[:600])


def steady(text):
    """An answer without what differs from run to run: times."""
    text = re.sub(r'"((setup|solve|cpu)_)?seconds": ?[^,]*', "", text)
    text = re.sub(r"(  runs  .*, )[-+.e\d]+ s$", r"\1", text, flags=re.M)
    return re.sub(r"time spent.*", "", text)


def run(words, folder, fail):
    env = dict(os.environ, LD_PRELOAD=str(SHIM), VERGE_FAIL=fail, VERGE_FAIL_COUNT=str(folder / "count"), OPENBLAS_NUM_THREADS="1")
    try:
        done = subprocess.run([EXE, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=300, errors="replace")
    except subprocess.TimeoutExpired:
        return None, "", "hangs"
    return done.returncode, steady(done.stdout), done.stderr


def content(path):
    """Results files carry the seconds that the run took."""
    data = path.read_bytes() if path.exists() else None
    if data and data.startswith(b"integrator,"):
        rows = [line.split(b",") for line in data.split(b"\n")]
        return [[x for x, head in zip(row, rows[0]) if head not in (b"seconds", b"step_us", b"realtime")] for row in rows]
    return re.sub(rb'"(setup|solve)_seconds":[^,]*', b"", data) if data else data


def same_file(now, good, stopped):
    """In HDF5 times have another length, which moves what is behind them. A run that stopped leaves the rows and the state up to
    there: rows of a table are a part of those of the whole run."""
    if now == good or now is None or good is None or isinstance(good, list):
        return now == good
    if stopped and now[:6] == b"time [":
        return good.startswith(now) and now.endswith(b"\n")
    if now[:9] == good[:9] == b"<!doctype":  # a page shows the times of its run; one that stopped, the rows up to there
        return now.rstrip().endswith(b"</html>")
    return now[:4] == good[:4] == b"\x89HDF" or (stopped and now[:7] == good[:7] == b"VERGE04")


def try_one(name, words, files, prepared, good, kind, n):
    with tempfile.TemporaryDirectory(dir=PLACE) as place:
        folder = pathlib.Path(place)
        for f in prepared.iterdir():
            shutil.copy(f, folder)
        for f in files:
            (folder / f).write_bytes(b"what was there before")
        code, out, said = run(words, folder, f"{kind}:{n}")
        what = f"{name}, {kind} {n}: exit code {code}, {said.strip()[-300:]}"
        result = []
        result.append((code in (0, 1, 2), what))
        if code in (1, 2):
            result.append((bool(said.strip()), what + " without a word"))
        if code in (1, 2) and kind in ("malloc", "fopen"):
            # what an FMU and the system's loader of libraries say is theirs
            theirs = name == "run fmu" and ("the FMU cannot be" in said or "shared object" in said)
            result.append((code == 1 and ("memory" in said or "loaded" in said or theirs), what + ": other words than of memory"))
        if code == 0:
            result.append(((name in TIMED or out == good[0]) and said == good[2] and "memory" not in out, what + ": another answer"))
        for f in files:
            now = content(folder / f)
            whole = now == b"what was there before" or same_file(now, good[1][f], code != 0)
            result.append((whole, what + f": {f} is neither the old one nor the new one"))
            if code == 0:
                result.append((now != b"what was there before", what + f": {f} was not written"))
        return result


PLACE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def prepare(folder):
    """Files that the commands read."""
    for words in (["run", f"{M}/four-bar-planar.yaml", "--end", "0.01", "-o", "in.h5", "--save-state", "in.state", "-q"],
                  ["run", f"{M}/pendulum.yaml", "--end", "0.01", "-o", "in.csv", "-q"]):
        subprocess.run([EXE, *words], cwd=folder, check=True)
    for name, text in (("ball", BALL), ("beside", BESIDE), ("plant", PLANT), ("names", NAMES), ("flexible", FLEXIBLE)):
        (folder / f"{name}.yaml").write_text(text)
    (folder / "measured.csv").write_text("time,body.ball.position.z\n" + "".join(f"{t / 100},{-9 * (t / 100)**2 / 2}\n" for t in range(11)))
    subprocess.run([EXE, "fmu", "plant.yaml", "-o", "plant.fmu"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([EXE, "run", f"{M}/rotating-beam.yaml", "--end", "1e-3", "-q", "-o", "beam.h5"], cwd=folder, check=True)


def main():
    if not SHIM.exists():
        print("not for this build")
        return 77
    with tempfile.TemporaryDirectory(dir=PLACE) as place:
        prepared = pathlib.Path(place)
        prepare(prepared)
        only, tried_all = sys.argv[1:], 0
        without = missing(words for _, words, _ in WHOLE + COMMANDS + MORE)
        check(not without, f"commands without a line here: {without}")
        for name, words, files in WHOLE + COMMANDS + (MORE if EVERY else []):
            if only and name not in only:
                continue
            jobs = []
            for kind in KINDS:
                with tempfile.TemporaryDirectory(dir=PLACE) as one:
                    folder = pathlib.Path(one)
                    for f in prepared.iterdir():
                        shutil.copy(f, folder)
                    for f in files:
                        (folder / f).write_bytes(b"what was there before")
                    code, out, said = run(words, folder, f"{kind}:0")
                    check(code == 0, f"{name}: {code} {said}")
                    good = (out, {f: content(folder / f) for f in files}, said)
                    calls = int((folder / "count").read_text())
                tried = range(1, calls + 1) if EVERY or (name, words, files) in WHOLE else sorted({1 + (calls - 1) * i // max(1, FEW - 1) for i in range(FEW)} if calls else ())
                jobs += [(name, words, files, prepared, good, kind, n) for n in tried]
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                for result in pool.map(lambda j: try_one(*j), jobs):
                    for good_one, text in result:
                        check(good_one, text)
            tried_all += len(jobs)
            if EVERY:
                print(f"{name}: {len(jobs)} failing calls", flush=True)
    if EVERY:
        print(f"fire: faults: {tried_all:,} failing calls of {len(WHOLE + COMMANDS + MORE)} commands, {failures} wrong answers, words or files")
    print(f"{checks} checks, {failures} failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

"""Models with wild numbers: parameters times 1e±6, zero, 1e300, of the other sign. Whatever is asked for, the program ends within
its bound of processor time, by no signal, and says ok only with finite numbers. Beyond the bound a run is slow if it advances and SIGINT
ends it; otherwise it is without end.

`make test` tries some, VERGE_WILD=N (scripts/endure) N of them. A case is a shipped model, one to three of its numbers changed, and
random dials; its processor time is bounded by a small number of steps."""
import json
import math
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

EXE, SOURCE = os.environ["VERGE_EXE"], pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
MANY = int(os.environ.get("VERGE_WILD", "0"))
FIRST = int(os.environ.get("VERGE_WILD_SEED", "1"))
SECONDS = 20  # of processor time; a usual case takes milliseconds
PLACE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
MODELS = ("pendulum", "pendulum-planar", "double-pendulum", "slider-crank", "slider-crank-3d", "four-bar-planar", "four-bar-spatial", "heavy-top",
          "heavy-top-free", "cart", "cart-pole", "governor", "trebuchet", "rotor", "newtons-cradle", "billiards", "bicycle", "puma560", "squeezer",
          "crank", "radial-engine", "n-four-bar", "pendulum-point", "bricard", "chain")
WILD = ("0", "-1", "1e300", "-1e300", "1e-300", "1e-6", "1e6", "1e12", "1e-12", "1e150")
NUMBER = re.compile(r"(?<![\w.])-?\d+(\.\d*)?(e[-+]?\d+)?(?![\w.])")
CONSTRAINTS = (None, None, "index3", "index2", "index1", "augmented3", "penalty", "independent")
METHODS = (None, None, "generalized-alpha", "rk4", "dopri5", "bdf", "radau3", "bathe", "trapezoidal", "adams", "sdirk")
COORDINATES = (None, None, "relative", "natural", "euler-parameters", "lie", "planar")


def changed(text, dice):
    """One to three numbers of the model, not of its comments and not its version, become wild ones."""
    places = [m for m in NUMBER.finditer(text) if "#" not in text[text.rfind("\n", 0, m.start()) + 1:m.start()] and text[:m.start()].strip() != "verge:"
              and not re.search(r"(N|n|to|from|stages|order|modes|beam|every|interval|end|step): *$", text[:m.start()])]
    for m in sorted(dice.sample(places, min(len(places), dice.randint(1, 3))), key=lambda m: -m.start()):
        old, wild = m[0], dice.choice(WILD)
        new = repr(float(old) * float(wild)) if dice.random() < 0.5 and abs(float(wild)) < 1e200 else wild
        text = text[:m.start()] + new + text[m.end():]
    return text


def finite(value):
    if isinstance(value, dict):
        return all(finite(v) for v in value.values())
    if isinstance(value, list):
        return all(finite(v) for v in value)
    return value is not None and (not isinstance(value, float) or math.isfinite(value))


def reached(words, folder, seconds):
    """The time at which SIGINT stops the run after so many seconds of its processor time; NaN: it did not end."""
    process = subprocess.Popen([EXE, *[w for w in words if w != "--json"]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    ticks = seconds * os.sysconf("SC_CLK_TCK")
    while process.poll() is None and sum(map(int, pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")")[1].split()[11:13])) < ticks:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    try:
        out = process.communicate(timeout=60)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return math.nan
    stopped = re.search(r"^  stopped +t = (\S+) s", out, re.M)
    return float(stopped[1]) if stopped else math.nan


def case(seed, folder):
    dice = random.Random(seed)
    name = dice.choice(MODELS)
    (folder / "wild.yaml").write_text(changed((SOURCE / "models" / f"{name}.yaml").read_text(), dice))
    words = ["run", "wild.yaml", "--json", "--step", dice.choice(("1e-3", "1e-2", "1e-4"))]
    words += ["--end", str(float(words[-1]) * dice.choice((5, 20)))]
    for option, choices in (("--coordinates", COORDINATES), ("--constraints", CONSTRAINTS), ("--integrator", METHODS)):
        choice = dice.choice(choices)
        words += [option, choice] if choice else []
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    done = subprocess.run([EXE, *words], cwd=folder, capture_output=True, text=True, errors="replace", preexec_fn=limit)
    code, what = done.returncode, f"seed {seed}, {name}: verge {' '.join(words)}"
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "slow" if reached(words, folder, 2) < reached(words, folder, 12) else "without end", what
    if code < 0 or code > 2:
        return "crash", f"{what}: {code} {done.stderr[-300:]}"
    if code == 0:
        report = json.loads(done.stdout)
        good = report["status"] == "ok" and finite(report["final"])
        return ("ok", what) if good else ("not a number", f"{what}: {report['final']}")
    return ("refused" if code == 2 else "failed", what) if done.stderr.strip() else ("mute", what)


def main():
    (SOURCE / "models" / "crank.modes").exists()
    counts = {}
    with tempfile.TemporaryDirectory(dir=PLACE) as place:
        folder = pathlib.Path(place)
        for extra in (SOURCE / "models").iterdir():
            if extra.suffix in (".modes", ".csv"):
                (folder / extra.name).write_bytes(extra.read_bytes())
        total = MANY or 60
        for seed in range(FIRST, FIRST + total):
            verdict, what = case(seed, folder)
            counts[verdict] = counts.get(verdict, 0) + 1
            if verdict in ("crash", "slow", "without end", "not a number", "mute"):
                print(f"{verdict}: {what}", flush=True)
    bad = sum(counts.get(k, 0) for k in ("crash", "without end", "not a number", "mute"))
    told = ", ".join(f"{counts.get(k, 0)} {k}" for k in ("ok", "failed", "refused", "slow", "crash", "without end", "not a number", "mute"))
    print(f"fire: wild: {total} runs with wild numbers: {told}")
    print(f"{total} checks, {bad} failed")
    return bad > 0


sys.exit(main())

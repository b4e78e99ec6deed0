"""Every writer is killed: at every call that changes a file, with half of a write done, and at random moments.

Where a good file was, it is there afterwards or the new one is, whole. Where none was, there is none or one that can be
read. Rows of results that were written are those of the undisturbed run. `make test` kills at some of the calls,
VERGE_KILLS=N (scripts/endure) at every one and N times at random."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

EXE, SOURCE, BUILD = os.environ["VERGE_EXE"], pathlib.Path(os.environ["VERGE_SOURCE_DIR"]), pathlib.Path(os.environ["VERGE_BUILD_DIR"])
SHIM = BUILD / "tests" / "libfail_calls.so"
MANY = int(os.environ.get("VERGE_KILLS", "0"))
FEW = 4
M = str(SOURCE / "models")
PLACE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
RUN = ["run", f"{M}/four-bar-planar.yaml", "--end", "0.3", "--interval", "1e-3", "-q"]

# name, words, the file it writes, words that read it (the file comes last)
WRITERS = [
    ("run h5", [*RUN, "-o", "out.h5"], "out.h5", ["plot"]),
    ("run csv", [*RUN, "-o", "out.csv"], "out.csv", ["plot"]),
    ("run state", [*RUN, "--save-state", "out.state"], "out.state", ["run", f"{M}/four-bar-planar.yaml", "--end", "0.31", "-q", "--resume"]),
    ("run view", ["run", f"{M}/pendulum.yaml", "--end", "0.1", "-q", "--view", "out.html"], "out.html", None),
    ("plot", ["plot", "in.h5", "-o", "out.svg"], "out.svg", None),
    ("view", ["view", "in.h5", "-o", "out.html"], "out.html", None),
    ("inverse", ["inverse", f"{M}/puma560.yaml", "--motion", "J1=0.5*sin(t)", "--end", "1", "--step", "0.01", "-o", "out.csv"], "out.csv", ["plot"]),
    ("reduce", ["reduce", f"{M}/slider-crank-flexible-modes.yaml", "-o", "out.modes"], "out.modes", None),
    ("reduce h5", ["reduce", f"{M}/slider-crank-flexible-modes.yaml", "-o", "out.h5"], "out.h5", None),
    ("linearize", ["linearize", f"{M}/cart-pole.yaml", "-o", "out.h5"], "out.h5", None),
    ("spectrum", ["spectrum", "bathe", "--points", "9", "--csv", "out.csv"], "out.csv", None),
]
checks = failures = kills = 0


def check(good, text):
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print("failed:", text[:400])


def start(words, folder, **more):
    return subprocess.Popen([EXE, *words], cwd=folder, env=dict(os.environ, OPENBLAS_NUM_THREADS="1", **more), stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def same(now, good):
    """Results and pages have the seconds of their run inside: then length and beginning."""
    return now == good or (good[:1] in (b"\x89", b"<") and now[:8] == good[:8] and abs(len(now) - len(good)) < 64)


def look(writer, folder, good, old, what):
    """After the kill: `old` bytes were there before, or None."""
    name, words, file, reader = writer
    path = folder / file
    if not path.exists():
        return check(old is None, f"{what}: the old file is gone")
    now = path.read_bytes()
    if now == old or same(now, good):
        return check(True, what)
    if old is not None:
        return check(False, f"{what}: {file} is neither the old one nor the new one ({len(now)} bytes)")
    if reader is None:
        return check(False, f"{what}: {file} is not whole ({len(now)} bytes)")
    done = subprocess.run([EXE, *reader, file], cwd=folder, capture_output=True, text=True, errors="replace")
    check(done.returncode == 0 or now == b"", f"{what}: {file} cannot be read: {done.stderr.strip()}")
    if now[:6] == b"time [":  # rows that are there are those of the whole run
        check(good.startswith(now[:now.rfind(b"\n") + 1]), f"{what}: other rows")
    return None


def fresh(prepared, writer, old):
    folder = pathlib.Path(tempfile.mkdtemp(dir=PLACE))
    for f in prepared.iterdir():
        shutil.copy(f, folder)
    if old is not None:
        (folder / writer[2]).write_bytes(old)
    return folder


def kill_at_calls(writer, prepared, good):
    global kills
    for kind, how in (("write", "kill"), ("write", "half"), ("rename", "kill"), ("ftruncate", "kill"), ("fsync", "kill"), ("open", "kill")):
        for old in (None, good):
            folder = fresh(prepared, writer, old)
            start(writer[1], folder, LD_PRELOAD=str(SHIM), VERGE_FAIL=f"{kind}:0", VERGE_FAIL_COUNT="count").wait()
            n = int((folder / "count").read_text())
            shutil.rmtree(folder)
            tried = range(1, n + 1) if MANY else sorted({1 + (n - 1) * i // (FEW - 1) for i in range(FEW)} if n else ())
            for k in tried:
                folder = fresh(prepared, writer, old)
                code = start(writer[1], folder, LD_PRELOAD=str(SHIM), VERGE_FAIL=f"{kind}:{k}", VERGE_FAIL_HOW=how).wait()
                kills += code == -signal.SIGKILL
                look(writer, folder, good, old, f"{writer[0]}, {how} at {kind} {k} of {n}, {'over a good file' if old else 'new'}")
                shutil.rmtree(folder)


def kill_at_random(writer, prepared, good, took, count, dice):
    global kills
    for k in range(count):
        old = good if k % 2 else None
        folder = fresh(prepared, writer, old)
        process = start(writer[1], folder)
        time.sleep(dice.random() * 1.2 * took)
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        look(writer, folder, good, old, f"{writer[0]}, killed at random, {'over a good file' if old else 'new'}")
        shutil.rmtree(folder)


def main():
    if not SHIM.exists():
        print("not for this build")
        return 77
    dice = random.Random(1)
    prepared = pathlib.Path(tempfile.mkdtemp(dir=PLACE))
    subprocess.run([EXE, "run", f"{M}/pendulum.yaml", "--end", "0.1", "-q", "-o", "in.h5"], cwd=prepared, check=True)
    for writer in WRITERS:
        folder = fresh(prepared, writer, None)
        begin = time.monotonic()
        code = start(writer[1], folder).wait()
        took = time.monotonic() - begin
        check(code == 0 and (folder / writer[2]).exists(), f"{writer[0]}: exit code {code}")
        good = (folder / writer[2]).read_bytes()
        shutil.rmtree(folder)
        kill_at_calls(writer, prepared, good)
        kill_at_random(writer, prepared, good, took, MANY // len(WRITERS) if MANY else 4, dice)
    shutil.rmtree(prepared)
    print(f"fire: kills: {kills} kills of {len(WRITERS)} writers, {failures} left something unreadable or lost")
    print(f"{checks} checks, {failures} failed")
    return failures > 0


sys.exit(main())

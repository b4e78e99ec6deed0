"""What the system does to a program: signals, locales, closed streams, no HOME, folders that cannot be written, full disks.

A run that is asked to stop ends at once, says so, and leaves what it computed; the numbers do not depend on the locale; what
cannot be written is exit code 1 with the reason."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

EXE, SOURCE = os.environ["VERGE_EXE"], pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
M = str(SOURCE / "models")
LONG = ["run", f"{M}/pendulum.yaml", "--end", "1e6", "--every", "1000", "-q"]
checks = failures = 0


def check(good, text):
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print("failed:", text[:500])


def run(*words, **how):
    return subprocess.run([EXE, *words], capture_output=True, text=True, timeout=300, **how)


def stops():
    """INT, TERM, HUP end a long run within a second or so; the results can be read. USR1 ends it as the system wants."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        for file in ("stop.h5", "stop.csv"):
            process = subprocess.Popen([EXE, *LONG, "-o", file], stderr=subprocess.PIPE, text=True)
            for _ in range(500):
                if os.path.exists(file) and os.path.getsize(file) > 0:
                    break
                time.sleep(0.01)
            time.sleep(0.05)
            process.send_signal(getattr(signal, name))
            begin = time.monotonic()
            _, said = process.communicate(timeout=60)
            took = time.monotonic() - begin
            check(took < 5, f"{name}: {took} s")
            if process.returncode > 0:
                check(process.returncode == 1 and "interrupted" in said, f"{name} {file}: {process.returncode} {said}")
            else:
                check(process.returncode == -getattr(signal, name), f"{name} {file}: {process.returncode}")
            check(run("plot", file).returncode == 0, f"{name}: {file} cannot be read")
            os.unlink(file)


def pauses():
    """STOP and CONT do not change the answer."""
    words = ["run", f"{M}/pendulum.yaml", "--end", "20", "--json"]
    want = json.loads(run(*words).stdout)["final"]
    process = subprocess.Popen([EXE, *words], stdout=subprocess.PIPE, text=True)
    for _ in range(3):
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.02)
        process.send_signal(signal.SIGCONT)
    check(json.loads(process.communicate(timeout=300)[0])["final"] == want, "STOP and CONT")


def streams():
    """Closed or broken standard streams, and a full disk behind them."""
    for words in (["list", "joints"], ["check", f"{M}/pendulum.yaml"], ["run", f"{M}/pendulum.yaml", "--end", "0.01"], ["doc", "format"],
                  ["modes", f"{M}/cart-pole.yaml"], ["equilibrium", f"{M}/pendulum.yaml"], ["linearize", f"{M}/cart-pole.yaml"],
                  ["spectrum", "bathe"], ["--help"], ["--version"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([EXE, *words], stdout=full, stderr=subprocess.PIPE, text=True)
        check(done.returncode == 1 and "could not be written" in done.stderr, f"{words} >/dev/full: {done.returncode} {done.stderr}")
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            line = f'exec "$0" "$@" {closed}'
            done = subprocess.run(["sh", "-c", line, EXE, *words], capture_output=True, text=True)
            want = 1 if ">&-" in closed.split() else 0
            check(done.returncode == want, f"{words} {closed}: {done.returncode} {done.stderr}")
        line = f'"$0" "$@" | true; exit 0'
        check(subprocess.run(["sh", "-c", line, EXE, *words], capture_output=True).returncode == 0, f"{words} | true")
    done = subprocess.run(["bash", "-c", '"$0" "$@" | head -c 10 >/dev/null; exit ${PIPESTATUS[0]}', EXE, "doc", "format"], capture_output=True, text=True)
    check(done.returncode in (0, 1, 141), f"a pipe that closes: {done.returncode} {done.stderr}")


def locales():
    """A comma for the decimal point, and letters whose capitals differ, change nothing."""
    want = run("run", f"{M}/pendulum.yaml", "--end", "0.1", "--json", "--set", "L=1.25").stdout
    for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "C", "nonsense"):
        env = dict(os.environ, LC_ALL=name, LANG=name)
        done = run("run", f"{M}/pendulum.yaml", "--end", "0.1", "--json", "--set", "L=1.25", env=env)
        check(done.returncode == 0 and json.loads(done.stdout)["final"] == json.loads(want)["final"], f"{name}: {done.stderr}")
        run("run", f"{M}/pendulum.yaml", "--end", "0.1", "-q", "-o", "locale.csv", env=env)
        text = pathlib.Path("locale.csv").read_text().split("\n")
        check(len(text[1].split(",")) == len(text[0].split(",")), f"{name}: {text[1]}")
        check(run("list", "INTEGRATORS", env=env).returncode == run("list", "INTEGRATORS").returncode, name)


def places():
    """No HOME, no PATH; a folder that cannot be written; a limit of the file's size."""
    bare = run("run", f"{M}/pendulum.yaml", "--end", "0.01", "-q", env={})
    check(bare.returncode == 0, f"without an environment: {bare.stderr}")
    os.makedirs("locked", exist_ok=True)
    writers = (["run", f"{M}/pendulum.yaml", "--end", "0.01", "-q", "-o", "X.h5"], ["run", f"{M}/pendulum.yaml", "--end", "0.01", "-q", "-o", "X.csv"],
               ["run", f"{M}/pendulum.yaml", "--end", "0.01", "-q", "--save-state", "X.state"], ["plot", "in.h5", "-o", "X.svg"],
               ["view", "in.h5", "-o", "X.html"], ["linearize", f"{M}/cart-pole.yaml", "-o", "X.h5"],
               ["reduce", f"{M}/slider-crank-flexible-modes.yaml", "-o", "X.modes"],
               ["inverse", f"{M}/puma560.yaml", "--motion", "J1=sin(t)", "--end", "0.1", "--step", "0.1", "-o", "X.csv"])
    run("run", f"{M}/pendulum.yaml", "--end", "0.01", "-q", "-o", "in.h5")
    for words in writers:
        for where, want in (("/dev/full", (1, 2)), ("/proc/nothing/here", (1, 2)), ("locked", (1, 2))):
            file = f"{where}/{words[-1]}"
            if where == "/dev/full":  # through a link, since names have endings
                file = f"full{pathlib.Path(words[-1]).suffix}"
                pathlib.Path(file).unlink(missing_ok=True)
                os.symlink("/dev/full", file)
            if where == "locked":
                continue_as_root = os.geteuid() == 0
                os.chmod("locked", 0o555)
                how = {"user": 65534, "group": 65534} if continue_as_root else {}
                shutil.copy("in.h5", "/tmp/verge-in.h5")
                done = run(*[w if w != "in.h5" else "/tmp/verge-in.h5" for w in words[:-1]], os.path.abspath(file), **how)
                os.unlink("/tmp/verge-in.h5")
            else:
                done = run(*words[:-1], file)
            check(done.returncode in want and done.stderr.strip() != "", f"{words} to {where}: {done.returncode} {done.stderr}")
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    for words in writers:
        pathlib.Path(words[-1]).write_bytes(b"old")
        done = run(*words, preexec_fn=small)
        check(done.returncode == 1 and done.stderr.strip() != "", f"{words} with 100 bytes: {done.returncode} {done.stderr}")
        left = pathlib.Path(words[-1]).read_bytes()
        check(left == b"old" or words[-1].endswith("state"), f"{words} with 100 bytes: {left[:20]}")


def main():
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        os.chdir(name)
        for part in (stops, pauses, streams, locales, places):
            part()
        os.chdir(here)
    print(f"fire: signals: {checks} cases of signals, streams, locales and places, {failures} wrong")
    print(f"{checks} checks, {failures} failed")
    return failures > 0


sys.exit(main())

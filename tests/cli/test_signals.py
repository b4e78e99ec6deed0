"""What the system does to a program: signals, locales, closed streams, no HOME, folders that cannot be written, full disks.

A run that is asked to stop ends at once, says so, and leaves what it computed; the numbers do not depend on the locale; what
cannot be written is exit code 1 with the reason."""
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from every_command import COMMANDS, missing, prepare

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


def shell(line, words, folder, timeout=60):
    """A command in a line of the shell; None if it hangs."""
    try:
        return subprocess.run(["bash", "-c", line, EXE, *words], cwd=folder, capture_output=True, text=True, errors="replace", timeout=timeout)
    except subprocess.TimeoutExpired:
        return None


class Folder:
    """A copy of the files that commands read."""

    def __init__(self, base):
        self.place = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.place.name)
        for file in base.iterdir():
            shutil.copy(file, self.path)
        os.chmod(self.path, 0o777)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        self.place.cleanup()


def streams(base):
    """Closed or broken standard streams, and a full disk behind them: every command."""
    every = [(words, output) for words, _, output in COMMANDS.values()] + [(["--help"], None), (["--version"], None)]
    for words, output in every:
        with Folder(base) as folder:
            whole = shell('"$0" "$@"', words, folder)
            check(whole.returncode == 0, f"{words}: {whole.returncode} {whole.stderr}")
            done = shell('"$0" "$@" >/dev/full', words, folder)
            good = done.returncode == 1 and "could not be written" in done.stderr if whole.stdout else done.returncode == 0
            check(good, f"{words} >/dev/full: {done.returncode} {done.stderr}")
            for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
                if output:
                    (folder / output).unlink(missing_ok=True)
                done = shell(f'exec "$0" "$@" {closed}', words, folder)
                want = {int(">&-" in closed.split() and whole.stdout != "")} | ({0, 1} if "2>&-" in closed and whole.stderr else set())
                check(done and done.returncode in want, f"{words} {closed}: {done}")
                # a results file that takes the number of a closed stream would hold what is printed
                held = (folder / output).read_bytes() if output and (folder / output).exists() else b""
                check(not held or not whole.stdout or whole.stdout.encode()[:60] not in held, f"{words} {closed}: the file holds what was printed")
            done = shell('"$0" "$@" | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}', words, folder)
            check(done.returncode in (0, 1, 141), f"{words} in a pipe that closes: {done.returncode} {done.stderr}")


def inputs(base):
    """What is no file to read is refused at once, by its name and with exit code 2: every command that reads one."""
    for words, name, output in COMMANDS.values():
        for kind in ("pipe", "folder", "nothing", "empty", "/dev/zero", "loop", "socket", "locked") if name else ():
            with Folder(base) as folder:
                file = folder / name
                file.unlink()
                if kind == "pipe":
                    os.mkfifo(file)
                elif kind == "folder":
                    file.mkdir()
                elif kind == "empty":
                    file.touch()
                elif kind == "/dev/zero":
                    file.symlink_to("/dev/zero")
                elif kind == "loop":
                    file.symlink_to(name)
                elif kind == "socket":
                    server = socket.socket(socket.AF_UNIX)
                    server.bind(str(file))
                    server.close()
                elif kind == "locked":
                    shutil.copy(base / name, file)
                    file.chmod(0)
                how = {"user": 65534, "group": 65534} if kind == "locked" and os.geteuid() == 0 else {}
                done = subprocess.run([EXE, *words], cwd=folder, capture_output=True, text=True, timeout=60, **how)
                check(done.returncode == 2 and name in done.stderr, f"{words}, {kind}: {done.returncode} {done.stderr}")
                check(not output or not (folder / output).exists(), f"{words}, {kind}: {output} was written")


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


def places(base):
    """No HOME, no PATH; a folder that cannot be written, a full disk behind a link, a limit of the file's size: every command that writes."""
    bare = run("run", f"{M}/pendulum.yaml", "--end", "0.01", "-q", env={})
    check(bare.returncode == 0, f"without an environment: {bare.stderr}")
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    for words, _, output in (row for row in COMMANDS.values() if row[2]):
        for place in ("full", "nowhere", "folder", "locked", "small"):
            with Folder(base) as folder:
                file, how, given = folder / output, {}, words
                if place == "full":
                    file.symlink_to("/dev/full")
                elif place == "folder":
                    file.mkdir()
                elif place == "small":
                    file.write_bytes(b"old")
                    how = {"preexec_fn": small}
                else:
                    given = [f"{place}/{output}" if w == output else w for w in words]
                if place == "locked":
                    (folder / "locked").mkdir(mode=0o555)
                    how = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
                done = subprocess.run([EXE, *given], cwd=folder, capture_output=True, text=True, timeout=60, **how)
                want = (1,) if place in ("locked", "small") else (1, 2)
                check(done.returncode in want and done.stderr.strip() != "", f"{given}, {place}: {done.returncode} {done.stderr}")
                if place == "small":
                    check(file.read_bytes() == b"old", f"{given} with 100 bytes: {file.read_bytes()[:20]}")


def main():
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        os.chdir(name)
        base = pathlib.Path(name) / "files"
        base.mkdir()
        prepare(base)
        without = missing(words for words, _, _ in COMMANDS.values())
        check(not without, f"commands without a line in every_command.py: {without}")
        for part in (stops, pauses, locales):
            part()
        for part in (streams, inputs, places):
            part(base)
        os.chdir(here)
    print(f"fire: signals: {checks} cases of signals, locales, and of streams, inputs and places for {len(COMMANDS)} lines of all commands, {failures} wrong")
    print(f"{checks} checks, {failures} failed")
    return failures > 0


sys.exit(main())

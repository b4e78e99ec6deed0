"""What a command writes never takes the place of what it reads, nor of its other outputs; pipes, devices and links to nowhere are
refused in words where a file is needed. Refused before any work: what was there is there afterwards."""
import os
import pathlib
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
ROBOT = """<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>"""
BALL = """verge: 1
parameters: {g: 10}
gravity: [0, 0, -g]
bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}
run: {step: 1e-2, end: 0.1}
"""
MAIN = BALL.replace("parameters: {g: 10}", "include: [part.yaml]")
RUN = ["run", "ball.yaml", "-q"]
checks = failures = 0


def check(good, text):
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print("failed:", text[:500])


def verge(*words):
    return subprocess.run([EXE, *words], capture_output=True, text=True, errors="replace", timeout=60)


def refused(words, code, says):
    """The command is refused in words that say why, and no file changes."""
    before = {p: p.read_bytes() for p in pathlib.Path(".").iterdir() if p.is_file()}
    done = verge(*words)
    after = {p: p.read_bytes() for p in pathlib.Path(".").iterdir() if p.is_file()}
    check(done.returncode == code and says in done.stderr, f"{words}: {done.returncode} {done.stderr}")
    check(before == after, f"{words}: changed {[p.name for p in after if before.get(p) != after[p]]}")


def outputs_over_inputs():
    pathlib.Path("ball.yaml").write_text(BALL)
    pathlib.Path("ball.csv").write_text(BALL)
    pathlib.Path("r.urdf").write_text(ROBOT)
    pathlib.Path("plan.csv").write_text("g\n9\n10\n")
    os.symlink("plan.csv", "link.csv")
    sweep = ["sweep", "ball.yaml", "--from", "plan.csv", "--keep", "final(energy.total)"]
    lost = "would be lost"
    refused(["import", "r.urdf", "-o", "r.urdf"], 2, lost)
    refused(["fmu", "ball.yaml", "-o", "ball.yaml"], 2, lost)
    refused(["run", "ball.csv", "-q", "-o", "ball.csv"], 2, lost)
    refused(["run", "ball.csv", "-q", "-o", "./ball.csv"], 2, lost)
    refused(["export", "ball.yaml", "--urdf", "-o", "ball.yaml"], 2, lost)
    refused(["converge", "ball.yaml", "--integrators", "rk4", "--halvings", "1", "--csv", "ball.yaml"], 2, lost)
    refused([*sweep, "-o", "plan.csv"], 2, lost)
    refused([*sweep, "-o", "link.csv"], 2, lost)
    refused([*RUN, "-o", "s.csv", "--save-state", "s.csv"], 2, lost)
    pathlib.Path("main.yaml").write_text(MAIN)
    pathlib.Path("part.yaml").write_text("verge: 1\nparameters: {g: 10}\n")
    refused(["fmu", "main.yaml", "-o", "part.yaml"], 2, lost)
    check(verge("run", "main.yaml", "-q", "-o", "part.csv").returncode == 0, "a model of two files")
    check(verge(*RUN, "--save-state", "a.state").returncode == 0, "a state")
    done = verge(*RUN, "--end", "0.2", "--resume", "a.state", "--save-state", "a.state")
    check(done.returncode == 0, f"a state over the one before it: {done.stderr}")


def no_files():
    os.mkfifo("pipe.h5")
    os.symlink("/dev/null", "null.h5")
    os.symlink("missing.csv", "nowhere.csv")
    reader = subprocess.Popen(["cat", "pipe.h5"], stdout=subprocess.DEVNULL)
    refused([*RUN, "-o", "pipe.h5"], 1, "not a pipe or a device")
    reader.kill()
    reader.wait()
    refused([*RUN, "-o", "null.h5"], 1, "not a pipe or a device")
    refused([*RUN, "-o", "nowhere.csv"], 1, "is a link to a file that does not exist")


def main():
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        outputs_over_inputs()
        no_files()
        os.chdir(here)
    print(f"{checks} checks, {failures} failed")
    return failures > 0


sys.exit(main())

"""verge sweep as a user meets it: files, shares of workers, resuming, failed runs, wrong input."""
import csv
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

EXE = os.environ["VERGE_EXE"]
problems = []
BALL = """verge: 1
parameters: {g: 10, m: 1}
gravity: [0, 0, -g]
bodies: {ball: {mass: m, inertia: [1, 1, 1]}}
run: {step: 1e-2, end: 1}
"""
STUDY = ["--vary", "g=5:10:6", "--vary", "m=1,2", "--keep", "final(body.ball.position.z), max(body.ball.velocity.z)"]


def check(good, text):
    if not good:
        problems.append(text)


def verge(*words, code=0, **more):
    done = subprocess.run([EXE, *map(str, words)], capture_output=True, text=True, **more)
    check(done.returncode == code, f"verge {' '.join(map(str, words))}: exit {done.returncode}, {done.stderr[:300]}")
    return done


def rows(path):
    return list(csv.DictReader(open(path)))


def right(path, missing=()):
    """z(1) = −g/2 for every run that is not missing."""
    table = rows(path)
    check(len(table) == 12, f"{path}: {len(table)} runs")
    for i, row in enumerate(table):
        g, m, z = float(row["g"]), float(row["m"]), float(row["final(body.ball.position.z)"])
        check(g == 5 + i // 2 and m == 1 + i % 2, f"values of run {i}")
        if i in missing:
            check(row["state"] == "missing" and math.isnan(z), f"run {i} is missing and NaN: {row}")
        else:
            check(row["state"] == "ok" and abs(z + g / 2) < 1e-9, f"run {i}: {row}")


def whole(folder, model):
    answer = json.loads(verge("sweep", model, *STUDY, "-o", folder / "a.csv", "--json").stdout)
    right(folder / "a.csv")
    check(answer["runs"] == answer["done"] == 12 and answer["failed"] == 0, f"{answer}")
    check(abs(answer["quantities"][0]["mean"] + 3.75) < 1e-9, "mean of the quantity")
    check(not (folder / "a.csv.parts").exists(), "parts are removed at the end")
    verge("sweep", model, *STUDY, "-o", folder / "b.csv", "--threads", 1)
    check((folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes(), "the same bytes on one thread")
    table = folder / "values.csv"
    table.write_text("g,m\n" + "".join(f"{5 + i // 2},{1 + i % 2}\n" for i in range(12)))
    verge("sweep", model, "--from", table, *STUDY[4:], "-o", folder / "c.csv")
    check((folder / "a.csv").read_bytes() == (folder / "c.csv").read_bytes(), "the same bytes from a table")
    verge("sweep", model, *STUDY, "-o", folder / "a.h5")
    check((folder / "a.h5").read_bytes()[:8] == b"\x89HDF\r\n\x1a\n", "an HDF5 file")


def histories_and_page(folder, model):
    """Histories from parts of two workers are those of one; the page holds the study, and nothing from outside."""
    more = ["--history", "body.ball.position.z", "--interval", 0.25]
    verge("sweep", model, *STUDY, *more, "-o", folder / "h.h5", "--page", folder / "h.html")
    for k in (1, 2):
        verge("sweep", model, *STUDY, *more, "-o", folder / "i.h5", "--share", f"{k}/2")
    verge("sweep", model, *STUDY, *more, "-o", folder / "i.h5", "--collect")
    check((folder / "h.h5").read_bytes() == (folder / "i.h5").read_bytes(), "histories by parts")
    check(b"histories" in (folder / "h.h5").read_bytes(), "histories are in the file")
    check("HDF5" in verge("sweep", model, *STUDY, *more, "-o", folder / "h.csv", code=2).stderr, "histories in CSV")
    check("--page" in verge("sweep", model, *STUDY[:4], *more, "-o", folder / "n.h5", "--page", folder / "n.html", code=2).stderr, "nothing to show")
    page = (folder / "h.html").read_text()
    study = json.loads(page.split("const study = ")[1].split(";\n")[0])
    check(len(study["runs"]) == 12 and study["parameters"] == ["g", "m"], f"{study['parameters']}")
    check(all(abs(r[3] + r[1] / 2) < 1e-9 for r in study["runs"]), "values of the page")
    first = study["effects"][0]
    check(abs(first[0]["index"] - 1) < 1e-9 and first[1]["index"] < 1e-9, f"z(1) = −g/2, whatever m: {first}")
    check("http" not in page and study["command"].startswith("verge run"), "the page needs nothing")


def many_settings(folder, _):
    """All of 300 settings count: z(1) = −(9 + p299)/2."""
    model = folder / "settings.yaml"
    names = ", ".join(f"p{i}: 0" for i in range(300))
    model.write_text("verge: 1\nparameters: {m: 1, " + names + "}\ngravity: [0, 0, -9 - p299]\n"
                     "bodies: {ball: {mass: m, inertia: [1, 1, 1]}}\nrun: {step: 0.01, end: 1}\n")
    settings = [word for i in range(300) for word in ("--set", f"p{i}={int(i == 299)}")]
    out = folder / "settings.csv"
    verge("sweep", model, "--vary", "m=1,2", "--keep", "final(body.ball.position.z)", *settings, "-o", out)
    found = [float(row["final(body.ball.position.z)"]) for row in rows(out)]
    check(len(found) == 2 and all(abs(z + 5) < 1e-9 for z in found), f"300 settings: {found}")


def launched(folder, model):
    """The real thing where it is installed: two processes of mpirun, each with its share."""
    if "VERGE_MPI" not in os.environ:  # make test-all, which installs it
        return
    out = folder / "mpi.csv"
    call = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", EXE, "sweep", model, *STUDY, "-o", out, "-q"]
    done = subprocess.run(list(map(str, call)), capture_output=True, text=True)
    check(done.returncode == 0 and not out.exists(), f"mpirun: {done.returncode} {done.stderr[:300]}")
    verge("sweep", model, *STUDY, "-o", out, "--collect")
    right(out)
    check(out.read_bytes() == (folder / "a.csv").read_bytes(), "the same bytes as in one process")


def shares(folder, model):
    """Two workers as mpirun starts them; then one file. A worker that did not come leaves missing runs."""
    out = folder / "s.csv"
    env = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2"}
    verge("sweep", model, *STUDY, "-o", out, env={**env, "OMPI_COMM_WORLD_RANK": "1"})
    check(not out.exists(), "a worker makes parts only")
    done = verge("sweep", model, *STUDY, "-o", out, "--collect", "--json", code=1)
    check(json.loads(done.stdout)["missing"] == 6, "missing runs are counted")
    right(out, missing=range(0, 12, 2))
    verge("sweep", model, *STUDY, "-o", out, env={**env, "OMPI_COMM_WORLD_RANK": "0"})
    verge("sweep", model, *STUDY, "-o", out, "--collect")
    right(out)
    for launcher in ({"SLURM_PROCID": "1", "SLURM_NTASKS": "2", "SLURM_STEP_ID": "0"},
                     {"SLURM_ARRAY_TASK_ID": "8", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "7"},
                     {"SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "1",
                      "SLURM_ARRAY_TASK_MAX": "4", "SLURM_ARRAY_TASK_STEP": "3"}):
        verge("sweep", model, *STUDY, "-o", out, env={**os.environ, **launcher})
        check(sorted(p.name for p in (folder / "s.csv.parts").iterdir()) == [f"{i:06}.csv" for i in range(1, 12, 2)],
              f"the share of {launcher}")
        verge("sweep", model, *STUDY, "-o", out, "--share", "1/2")
        verge("sweep", model, *STUDY, "-o", out, "--collect")
        right(out)
    uneven = {"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "5"}
    check("numbered evenly" in verge("sweep", model, *STUDY, "-o", out, env={**os.environ, **uneven}, code=2).stderr,
          "tasks of an array with gaps have no shares")
    for task in "01":  # two processes in each of two tasks
        for rank in "01":
            both = {"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "0",
                    "SLURM_PROCID": rank, "SLURM_NTASKS": "2", "SLURM_STEP_ID": "0"}
            verge("sweep", model, *STUDY, "-o", out, env={**os.environ, **both})
            parts = len(list((folder / "s.csv.parts").iterdir()))
            check(parts == 3 * (2 * int(task) + int(rank) + 1), f"a quarter for each of four, {parts}")
    verge("sweep", model, *STUDY, "-o", out, "--collect")
    right(out)


def stopped(folder, model):
    """Killed in the middle: what was finished is not run again, and every run is there once."""
    out, parts = folder / "k.csv", folder / "k.csv.parts"
    long = ["sweep", model, "--vary", "g=1:12:12", "--keep", "final(body.ball.position.z)", "--step", "4e-6", "--threads", "1",
            "-o", out]
    worker = subprocess.Popen([EXE, *map(str, long)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while worker.poll() is None and not (parts.exists() and len(list(parts.glob("*.csv"))) >= 2):
        time.sleep(0.005)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    if out.exists():
        return  # it was faster than we
    kept = {p.name: p.stat().st_mtime_ns for p in parts.glob("*.csv")}
    verge(*long[:-1], folder / "k.csv", "--resume", "--share", "1/1")
    check(out.exists() and len(rows(out)) == 12, "all runs after --resume")
    for i, row in enumerate(rows(out)):
        check(abs(float(row["final(body.ball.position.z)"]) + (1 + i) / 2) < 1e-6, f"run {i} after --resume")
    check(len(kept) >= 2, f"parts before: {kept}")


def foreign(folder, model):
    out = folder / "f.csv"
    verge("sweep", model, *STUDY, "-o", out, "--share", "1/2")
    other = verge("sweep", model, *STUDY, "--set", "m=1", "-o", out, "--resume", code=1)
    check("another study" in other.stderr, other.stderr)
    part = folder / "f.csv.parts" / "000000.csv"
    text = part.read_text()
    part.write_text(text.replace(",ok", "8,ok", 1))
    check("damaged" in verge("sweep", model, *STUDY, "-o", out, "--resume", code=1).stderr, "a changed digit is said")
    part.write_text(text[:-20])
    check("damaged" in verge("sweep", model, *STUDY, "-o", out, "--resume", code=1).stderr, "a damaged part is said")


def wrong(folder, model):
    keep = ["--keep", "final(time)"]
    for words, said in ((["--vary", "g=5:10:6"], "--keep"), (keep, "--vary"), (["--vary", "q=1,2", *keep], "no parameter 'q'"),
                        (["--vary", "g~lognormal(0,1000)", "--sample", "random:3", *keep], "too large for a number"),
                        (["--vary", "g=-1e308:1e308:5", *keep], "too large for a number"),
                        (["--vary", "g=1:2", *keep], "--sample"), (["--vary", "g=1,2", "--keep", "final(body.bal.position.z)"], "bal"),
                        (["--vary", "g=1,2", *keep, "--share", "3/2"], "--share"),
                        (["--vary", "g=1,2", *keep, "--sample", "sobl:4"], "sobol"),
                        (["--vary", "g=1,2", *keep, "--integrator", "rk5"], "rk5"),
                        (["--vary", "g=1,2", *keep, "-o", "x.txt"], "x.txt")):
        done = verge("sweep", model, *words, code=2, cwd=folder)
        check(said in done.stderr, f"{words}: {done.stderr}")
    check(not list(folder.glob("x.txt*")), "nothing is written")
    # a run that cannot be made is counted and says why; the others are there
    done = json.loads(verge("sweep", model, "--vary", "m=1,-1,2", *keep, "--json").stdout)
    check(done["done"] == 2 and done["failed"] == 1 and "mass" in done["failures"][0]["why"], f"{done}")
    # whatever the order of the values
    done = json.loads(verge("sweep", model, "--vary", "m=-1,1,2", *keep, "--json").stdout)
    check(done["done"] == 2 and done["failures"][0]["run"] == 0, f"{done}")
    verge("sweep", model, "--vary", "m=-1,-2", *keep, code=1)
    # a mistake in the file has its place, as everywhere
    broken = folder / "broken.yaml"
    broken.write_text(BALL.replace("mass: m", "mas: m"))
    said = verge("sweep", broken, "--vary", "g=1,2", *keep, code=2).stderr
    check(said.startswith(f"{broken}:4:") and "did you mean" in said, said)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    model = folder / "ball.yaml"
    model.write_text(BALL)
    for test in (whole, histories_and_page, many_settings, launched, shares, stopped, foreign, wrong):
        test(folder, model)
for text in problems:
    print(text)
print(f"{len(problems)} problems")
sys.exit(bool(problems))

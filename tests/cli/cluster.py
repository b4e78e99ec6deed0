"""verge sweep on a real Slurm: a controller and a node of one machine, started here on loopback, with their files in a temporary
folder. srun, job arrays, processes within the tasks of an array, and workers that are killed in the middle: every run is there
once, and the file has the bytes of one that a single process made. Part of `make test-all`: it needs the packages slurmctld,
slurmd, slurm-client and munge, and root."""
import getpass
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXE = os.environ["VERGE_EXE"]
HOST = socket.gethostname().split(".")[0]
MODEL = """verge: 1
parameters: {g: 9.81, m: 1}
gravity: [0, 0, -g]
bodies: {ball: {mass: m, inertia: [1, 1, 1]}}
run: {step: 0.01, end: 1}
"""
RUNS = 24
STUDY = ["--vary", f"g=1:{RUNS}:{RUNS}", "--keep", "final(body.ball.position.z)", "-q"]
problems = 0


def check(good, text):
    global problems
    problems += not good
    if not good:
        print("failed:", text)


class Cluster:
    """munged, slurmctld and slurmd with files of their own."""

    def __init__(self, folder):
        self.folder, self.started = folder, []
        self.env = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key, self.socket = folder / "munge.key", folder / "munge.socket"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        ports = [self.port() for _ in range(2)]
        (folder / "slurm.conf").write_text(f"""ClusterName=alone
SlurmctldHost={HOST}(127.0.0.1)
SlurmUser={getpass.getuser()}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={self.socket}
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName={HOST} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={HOST} Default=YES MaxTime=10 OverSubscribe=FORCE:4 State=UP
""")
        # a folder of its own is not safe enough for munged: others may read /tmp
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.socket}",
                   f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
        self.start("slurmctld", "-D", "-i")
        self.start("slurmd", "-D", "-N", HOST)

    @staticmethod
    def port():
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            return s.getsockname()[1]

    def start(self, *words):
        log = open(self.folder / f"{words[0]}.out", "w")
        self.started.append(subprocess.Popen(words, env=self.env, stdout=log, stderr=log, start_new_session=True))

    def ready(self):
        for _ in range(120):
            state = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.env, capture_output=True, text=True).stdout.strip()
            if state in ("idle", "mixed", "allocated"):
                return True
            time.sleep(0.25)
        return False

    def stop(self):
        for process in reversed(self.started):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def run(self, *words, **more):
        return subprocess.run(list(map(str, words)), env=self.env, capture_output=True, text=True, timeout=300, **more)

    def batch(self, folder, command, *options):
        """Submits a script and waits for its end; the exit code of the job."""
        script = folder / "job.sh"
        script.write_text("#!/bin/sh\n" + command + "\n")
        return self.run("sbatch", "--wait", "-o", folder / "job-%a.log", *options, script, cwd=folder)


def collected(out, alone, what):
    done = subprocess.run([EXE, "sweep", out.parent / "ball.yaml", *STUDY, "-o", out, "--collect"], capture_output=True, text=True)
    check(done.returncode == 0, f"{what}: collecting: {done.stderr[:300]}")
    check(out.exists() and out.read_bytes() == alone.read_bytes(), f"{what}: the bytes of one process")


def srun(cluster, folder, model, alone):
    out = folder / "srun.csv"
    done = cluster.run("srun", "-n", "2", EXE, "sweep", model, *STUDY, "-o", out)
    check(done.returncode == 0 and not out.exists(), f"srun: {done.returncode} {done.stderr[:300]}")
    collected(out, alone, "srun")


def array(cluster, folder, model, alone):
    command = [EXE, "sweep", str(model), *STUDY, "-o"]
    out = folder / "array.csv"
    done = cluster.batch(folder, shlex.join([*command, str(out)]), "--array=3-9:3")
    check(done.returncode == 0, f"array: {done.returncode} {done.stderr[:300]}")
    collected(out, alone, "array of three")
    out = folder / "both.csv"
    done = cluster.batch(folder, shlex.join(["srun", "-n", "2", *command, str(out)]), "--array=0-1", "-n", "2")
    check(done.returncode == 0, f"array with srun: {done.returncode} {done.stderr[:300]}")
    collected(out, alone, "two processes in each of two tasks")


def killed(cluster, folder, model, alone):
    """Workers that are killed: their finished parts stay, the rest is made by the same command with --resume."""
    out, parts = folder / "killed.csv", folder / "killed.csv.parts"
    slow = [*STUDY, "--step", "6e-6", "--threads", "1"]
    one = folder / "slow.csv"
    subprocess.run([EXE, "sweep", str(model), *slow, "-o", str(one)], check=True, stdout=subprocess.DEVNULL)
    job = subprocess.Popen(["srun", "-n", "2", EXE, "sweep", str(model), *slow, "-o", str(out)], env=cluster.env,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while job.poll() is None and not (parts.exists() and len(list(parts.glob("*.csv"))) >= 3):
        time.sleep(0.005)
    workers = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and is_worker(p, b"killed.csv")]
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    job.wait()
    kept = {p.name: p.stat().st_mtime_ns for p in parts.glob("*.csv")}
    check(workers and 3 <= len(kept) < RUNS, f"killed in the middle: {len(workers)} workers, {len(kept)} parts")
    done = cluster.run("srun", "-n", "2", EXE, "sweep", model, *slow, "-o", out, "--resume")
    check(done.returncode == 0, f"srun --resume: {done.stderr[:300]}")
    same = [n for n, t in kept.items() if (parts / n).stat().st_mtime_ns == t]
    check(len(same) == len(kept), f"{len(kept) - len(same)} finished parts were made again")
    subprocess.run([EXE, "sweep", str(model), *slow, "-o", str(out), "--collect"], check=True, stdout=subprocess.DEVNULL)
    check(out.read_bytes() == one.read_bytes(), "the bytes of one process after workers were killed")


def is_worker(process, word):
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return words[0] == EXE.encode() and any(w.endswith(word) for w in words)


def main():
    missing = [name for name in ("munged", "slurmctld", "slurmd", "srun", "sbatch") if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        print("needs root and", " ".join(missing or ["nothing else"]))
        return 77
    with tempfile.TemporaryDirectory(prefix="verge-slurm-") as name:
        folder = Path(name)
        model, alone = folder / "ball.yaml", folder / "alone.csv"
        model.write_text(MODEL)
        subprocess.run([EXE, "sweep", str(model), *STUDY, "-o", str(alone)], check=True, stdout=subprocess.DEVNULL)
        cluster = Cluster(folder)
        try:
            check(cluster.ready(), "Slurm did not start: " + "".join(p.read_text()[-600:] for p in folder.glob("*.out")))
            for test in () if problems else (srun, array, killed):
                test(cluster, folder, model, alone)
        finally:
            cluster.stop()
    print(f"{problems} problems")
    return problems > 0


sys.exit(main())

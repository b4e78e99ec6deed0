"""Runs cases through build/…/tests/differential_cases, the program without the cost of starting it."""
import json
import os
import subprocess
import tempfile


class Outcome:
    """What a run of `verge run … --json -o rows.csv` left."""

    def __init__(self, code, out, err, micro):
        self.code, self.err, self.micro = code, err, micro
        self.report, self.names, self.rows = {}, [], []
        try:
            self.report = json.loads(out) if out.strip() else {}
        except ValueError:
            pass

    @property
    def error(self):
        return self.report.get("error") or self.err.strip()

    @property
    def warnings(self):
        return self.report.get("warnings") or []


class Program:
    def __init__(self, cases):
        folder = "/dev/shm" if os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.TemporaryDirectory(prefix="verge-differential-", dir=folder)
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        self.process = subprocess.Popen([cases], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.micro = 0

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()

    def command(self, words, limit):
        self.process.stdin.write(("\t".join([str(limit)] + words) + "\n").encode())
        self.process.stdin.flush()
        code, nout, nerr, micro = (int(w) for w in self.process.stdout.readline().split())
        out = self.process.stdout.read(nout)
        err = self.process.stdout.read(nerr)
        self.micro += micro
        return Outcome(code, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), micro)

    def listing(self, what):
        return self.command(["list", what, "--json"], 20).report[what]

    def write(self, text):
        path = os.path.join(self.folder.name, "model.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, path, options, limit):
        rows = os.path.join(self.folder.name, "rows.csv")
        if os.path.exists(rows):
            os.unlink(rows)
        outcome = self.command(["run", path, "--json", "-q", "-o", rows] + options, limit)
        if outcome.code in (0, 1) and os.path.exists(rows):
            with open(rows, encoding="utf-8") as file:
                lines = file.read().splitlines()
            if lines:
                outcome.names = [name.split(" [")[0] for name in lines[0].split(",")]
                outcome.rows = [[float(x) for x in line.split(",")] for line in lines[1:] if line and line[0] != "#"]
        return outcome

"""What the scripts on defect models share: the last values of a run, compared with a number; counts."""
import json
import os
import subprocess
import sys

EXE = os.environ["VERGE_EXE"]
HERE = os.path.join(os.environ["VERGE_SOURCE_DIR"], "tests", "defects")
counts = {"checks": 0, "failed": 0}


def check(good, what):
    counts["checks"] += 1
    if not good:
        counts["failed"] += 1
        print("FAILED: " + what)


def report(path, *options):
    """The JSON of a run, or None and what was reported."""
    done = subprocess.run([EXE, "run", path, "--json", *options], capture_output=True, text=True)
    return (None, done.stderr.strip()[:200]) if done.returncode else (json.loads(done.stdout), "")


def last(path, *options):
    """The last values by name, or None and what was reported."""
    got, error = report(path, *options)
    return got and got["final"], error


def near(model, channel, wanted, tolerance, *options):
    got, error = last(os.path.join(HERE, model), *options)  # an absolute path stays
    value = got.get(channel) if got else None
    check(value is not None and abs(value - wanted) <= tolerance,
          f"{model} {' '.join(options)}: {channel} = {value}, expected {wanted} ± {tolerance} {error}")


def conclude():
    print(f"{counts['checks']} checks, {counts['failed']} failed")
    sys.exit(1 if counts["failed"] else 0)

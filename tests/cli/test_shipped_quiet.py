"""No shipped model warns with its own settings: what a model needs (a shorter step, more damping) it says itself.
Each runs for a part of its time; `all` as an argument runs all of it."""
import glob
import json
import os
import re
import subprocess
import sys

EXE = os.environ["VERGE_EXE"]
MODELS = os.path.join(os.environ["VERGE_SOURCE_DIR"], "models")
STEPS = 300  # looks are dense at the start of a run: some fifteen of them, and as many steps from within
BEAM_STEPS = 120  # of models with beams, whose steps cost more
WHOLE = len(sys.argv) > 1 and sys.argv[1] == "all"
failures = 0
checks = 0


def part_of_run(path):
    """So many steps, or a hundredth of a run by error control."""
    text = open(path).read()
    run = next((x for x in text.splitlines() if x.startswith("run:")), "")
    step, end = [re.search(r"\b%s: *([0-9.e+-]+)" % key, run) for key in ("step", "end")]
    if not end:
        return None
    steps = BEAM_STEPS if re.search(r"^(mesh|flexible):", text, re.M) else STEPS
    return min(float(end[1]), steps * float(step[1])) if step else float(end[1]) / 100


for path in sorted(glob.glob(os.path.join(MODELS, "*.yaml"))):
    name, end = os.path.basename(path), part_of_run(path)
    some = [] if WHOLE or end is None else ["--end", repr(end)]
    done = subprocess.run([EXE, "run", path, "--json", *some], capture_output=True, text=True, timeout=300)
    said = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    checks += 1
    if done.returncode or said.get("warnings") != []:
        failures += 1
        print("FAIL: %s %s: exit code %d, %s" % (name, " ".join(some), done.returncode, said.get("warnings", done.stderr)))
if checks < 40:
    failures += 1
    print("FAIL: only %d models" % checks)
print("%d models, %d failed" % (checks, failures))
sys.exit(failures > 0)

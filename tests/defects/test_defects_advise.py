"""Advice: eigenvalues as `verge modes` finds them, on spinning, rolling and driven models; smooth motion is not
called chaotic; other constraint settings are tried."""
import json
import math
import os
import subprocess

from last_values import EXE, HERE, check, conclude


def verge(*arguments):
    done = subprocess.run([EXE, *arguments], capture_output=True, text=True, timeout=200)
    return done.returncode, done.stdout, done.stderr


def eigenvalues(model):
    """The sizes of the eigenvalues in the table of modes."""
    found = []
    for line in verge("modes", model)[1].splitlines():
        words = line.split()
        if len(words) >= 6 and words[0].isdigit():
            found.append(math.hypot(float(words[3]), float(words[4])))
    return found


def advice(model):
    code, out, err = verge("advise", model, "--json", "--budget", "15", "--limit", "1")
    return json.loads(out) if out.startswith("{") else {}


for name in ["fan.yaml", "gyro.yaml"]:
    path = os.path.join(HERE, name)
    said, right = advice(path), max(eigenvalues(path))
    start = said.get("model", {}).get("fastest_at_start") or 0
    check(abs(start - right) < 1e-3 * right, "%s: fastest %g, modes find %g" % (name, start, right))
    check(not any("small differences grow" in x for x in said.get("reasons", [])), name + " called chaotic")
    # joint coordinates, the quickest here, do not have the multipliers that the model records
    tried = [x for x in said.get("trials", []) if x["coordinates"] == "relative"]
    check(tried and tried[0]["status"] == "ok" and tried[0]["error"] < 1e-4, f"{name}: relative: {tried[:1]}")

path = os.path.join(HERE, "wheelset.yaml")
said = advice(path)
check(not any("small differences grow" in x for x in said.get("reasons", [])), "wheelset called chaotic")
settings = {x["constraints"] for x in said.get("trials", [])}
check(len(settings) > 2, "constraint settings tried: %s" % settings)

conclude()

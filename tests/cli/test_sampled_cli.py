"""Controllers at a fixed rate in runs of the program: the balance of energy over forces that jump, kinds in the lists."""
import json
import math
import os
import pathlib
import subprocess
import sys

EXE = os.environ["VERGE_EXE"]
CART = pathlib.Path(os.environ["VERGE_SOURCE_DIR"]) / "models" / "cart-pole.yaml"
problems = []


def verge(*words):
    done = subprocess.run([EXE, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        problems.append(f"{words}: exit {done.returncode}, {done.stderr[:300]}")
    return done.stdout


# what the motor puts in is what the energy grows by, from m g l cos(lean) on
for words, eps in ((["--step", 5e-3], 1e-4), (["--step", 1e-3], 4e-6), (["--step", 7e-3], 2e-4),
                   (["--integrator", "dopri5:rtol=1e-9,atol=1e-11", "--constraints", "index1"], 1e-4)):
    final = json.loads(verge("run", CART, "--end", 2, "--print", "energy.total,energy.dissipated", "--json", *words))["final"]
    off = final["energy.total"] + final["energy.dissipated"] - 0.2 * 9.81 * 0.3 * math.cos(0.2)
    if not abs(off) < eps:
        problems.append(f"{words}: energy is off by {off:.3g} of {final['energy.dissipated']:.3g}")
listed = [x["name"] for x in json.loads(verge("list", "controllers", "--json"))["controllers"]]
if listed != ["hold", "pid", "transfer", "state-space", "fmu"]:
    problems.append(f"list: {listed}")

for text in problems:
    print(text)
sys.exit(bool(problems))

"""A run with a group of contacts goes on from a checkpoint to the bit, and gives the same bits beside other runs."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
problems = []


def pile(n):
    rows = ["verge: 1", "gravity: 9.81", "bodies:"]
    for k in range(n):
        x, y, z = 0.101 * (k % 3), 0.101 * (k // 3 % 3) + 0.01 * (k % 2), 0.06 + 0.105 * (k // 9)
        rows.append(f"  b{k}: {{mass: 0.5, inertia: [5e-4, 5e-4, 5e-4], position: [{x:.4f}, {y:.4f}, {z:.4f}]}}")
    rows.append("contacts: {g: {among: ['b*'], planes: [ground], radius: 0.05, stiffness: 1e6, restitution: 0.3, friction: 0.3}}")
    return "\n".join(rows) + "\n"


def run(folder, name, *words):
    done = subprocess.run([EXE, "run", folder / "pile.yaml", "--step", "1e-3", "-o", folder / f"{name}.csv", "--json",
                           *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        problems.append(f"{words}: exit {done.returncode}, {done.stderr[:300]}")
        return {}
    return json.loads(done.stdout)["final"]


with tempfile.TemporaryDirectory() as where:
    folder = pathlib.Path(where)
    (folder / "pile.yaml").write_text(pile(27))
    for method in ("generalized-alpha", "generalized-alpha:newton=hold", "rk4"):
        words = ["--integrator", method]
        whole = run(folder, "whole", "--end", 0.2, *words)
        run(folder, "first", "--end", 0.137, "--save-state", folder / "s.state", *words)
        rest = run(folder, "rest", "--end", 0.2, "--resume", folder / "s.state", *words)
        kept = {k: v for k, v in whole.items() if not k.startswith("energy.d")}  # what is summed over steps begins anew
        if not kept or any(rest.get(k) != v for k, v in kept.items()):
            problems.append(f"{method}: a run that is resumed ends elsewhere")

    done = subprocess.run([EXE, "modes", folder / "pile.yaml"], capture_output=True, text=True)
    if done.returncode == 0 or "contacts of groups" not in done.stderr:
        problems.append(f"modes leave the contacts out without a word: {done.returncode} {done.stderr}")

for text in problems:
    print(text)
sys.exit(bool(problems))

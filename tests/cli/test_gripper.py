"""The gripper of docs/control.md: a law that reads the reaction of a joint holds with the force that its balance gives."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
text = (pathlib.Path(os.environ["VERGE_SOURCE_DIR"]) / "docs/control.md").read_text()
model = re.search(r"```yaml gripper.yaml\n(.*?)```", text, re.S).group(1)
failed = 0
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "gripper.yaml"
    path.write_text(model)
    for force, gain in ((10, 20), (25, 5)):
        for dials in ((), ("--integrator", "esdirk436"), ("--integrator", "rk4", "--step", "5e-5"),
                      ("--constraints", "index3", "--integrator", "trapezoidal")):
            done = subprocess.run([EXE, "run", str(path), "--json", "-q", "--set", f"F={force}", "--set", f"gain={gain}", *dials],
                                  capture_output=True, text=True)
            final = json.loads(done.stdout)["final"] if done.returncode == 0 else {}
            held, moved = final.get("joint.sensor.force.x", 0), final.get("body.part.position.x", 0)
            want = gain * force / (1 + gain)  # gain (F - N) = N at rest; the part has moved by N over the stiffness behind it
            if abs(held - want) > 1e-6 * want or abs(moved - 0.05 - want / 2e4) > 1e-9:
                failed += 1
                print(dials, force, gain, held, want, moved, done.stderr)
print("ok" if not failed else f"{failed} failed")
sys.exit(failed > 0)

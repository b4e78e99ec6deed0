"""The sources of the pages pass the linter (viewer/lint.mjs), and the linter finds what it should."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
node = shutil.which("node") or shutil.which("nodejs")
if not node or not (SOURCE / "viewer" / "node_modules" / "esbuild").exists():
    print("no node or no packages")
    sys.exit(77)


def lint(*files):
    return subprocess.run([node, SOURCE / "viewer" / "lint.mjs", *files], capture_output=True, text=True)


done = lint()
ours = lint(*sorted((SOURCE / "tests" / "viewer").glob("*.mjs")))
print(done.stdout + done.stderr + ours.stdout + ours.stderr)
problems = [] if done.returncode == 0 and ours.returncode == 0 else ["the linter complains"]
# one fault each, which must be found
FAULTS = {"unused": "import { a } from './b.js';\nexport const c = 1;\n", "equality": "export const f = (x) => x == 1;\n",
          "syntax": "export const = 1;\n", "line": "export const a = '" + "x" * 120 + "';\n", "tab": "export const a =\t1;\n",
          "dead": "function idle() {\n  return 1;\n}\nexport const a = 2;\n"}
with tempfile.TemporaryDirectory() as folder:
    for name, text in FAULTS.items():
        path = pathlib.Path(folder) / f"{name}.js"
        path.write_text(text)
        if lint(path).returncode != 1:
            problems.append(f"the linter does not see: {name}")
print("\n".join(problems) or "ok")
sys.exit(bool(problems))

"""The generated pages of docs/ are what the program prints today: after `make docs` nothing changes."""
import os
import pathlib
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
DOCS = pathlib.Path(os.environ["VERGE_SOURCE_DIR"]) / "docs"
problems = []
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    done = subprocess.run([DOCS / "generate-reference", EXE, folder], capture_output=True, text=True)
    if done.returncode:
        problems.append(f"docs/generate-reference: {done.stderr}")
    pages = sorted(folder.glob("*.md"))
    for page in pages:
        kept, fresh = (DOCS / page.name).read_text().splitlines(), page.read_text().splitlines()
        differ = [i for i, (a, b) in enumerate(zip(kept, fresh), 1) if a != b]
        if kept != fresh:
            line = differ[0] if differ else min(len(kept), len(fresh)) + 1
            problems.append(f"docs/{page.name}:{line} is not what the program prints: run `make docs`")
    if len(pages) < 3:
        problems.append(f"only {len(pages)} generated pages were compared")
print("\n".join(problems) or f"ok   {len(pages)} pages")
sys.exit(bool(problems))

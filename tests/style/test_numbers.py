"""Numbers that decide have names: the unnamed ones (scripts/literals.py) may become fewer, not more. Lower a room's bound
here when you have named some of its numbers."""
import os
import pathlib
import sys

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "scripts"))
import literals  # noqa: E402

MOST = {"base": 0, "math": 0, "linalg": 0, "element": 0, "model": 0, "system": 0, "integrator": 0, "analysis": 0}

problems = []
found = literals.counts()
for room, n in found.items():
    if n > MOST[room]:
        problems.append(f"{room}: {n} unnamed numbers decide, {MOST[room]} were there: name the new ones, with bound, origin "
                        f"and effect (python3 scripts/literals.py --list)")
# the counter sees what it should, and nothing else
SEEN = {"if (x > 1e-9 * size) return;": 1, "y = fmin(0.3, y);": 1, "if (x > 0) return;": 0, "static const double LEAST = 1e-9;": 0,
        "double h = 0.1 * x;": 0, "int good = a < 3e-4 && b >= 0.7;": 2, "p->next = 1e-9;": 0}
for text, n in SEEN.items():
    path = pathlib.Path("/tmp") / f"verge-numbers-{os.getpid()}.c"
    path.write_text(f"void f(void)\n{{\n    {text}\n}}\n")
    if sum(1 for _ in literals.deciding(path)) != n:
        problems.append(f"the counter finds {list(literals.deciding(path))} in {text!r}")
    path.unlink()
print("\n".join(problems) or f"ok   {sum(found.values())} unnamed: {found}")
sys.exit(bool(problems))

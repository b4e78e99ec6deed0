"""Every command of tests/cli/test_faults.py under Valgrind (memcheck), with the code for x86-64-v2, which Valgrind knows whole: no byte
that was never written decides, nothing is read outside, nothing is lost (scripts/endure memcheck)."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import test_faults as faults

# What libraries of the system keep until the end: the loader, cairo's fonts
KEPT = """{
   loader
   Memcheck:Leak
   ...
   fun:_dl_*
   ...
}
{
   loader 2
   Memcheck:Leak
   ...
   fun:dlopen*
   ...
}
{
   fonts
   Memcheck:Leak
   ...
   obj:*fontconfig*
   ...
}
"""


def main():
    if subprocess.run(["which", "valgrind"], stdout=subprocess.DEVNULL).returncode:
        print("no valgrind here")
        return 77
    wrong = ran = 0
    with tempfile.TemporaryDirectory(dir=faults.PLACE) as place:
        folder = pathlib.Path(place)
        (folder / "kept.supp").write_text(KEPT)
        faults.prepare(folder)
        only = sys.argv[1:]
        for name, words, _ in faults.COMMANDS + faults.MORE:
            if only and name not in only:
                continue
            check = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
                     "--suppressions=kept.supp", "--num-callers=20"]
            try:
                done = subprocess.run([*check, faults.EXE, *words], cwd=folder, capture_output=True, text=True, errors="replace", timeout=400,
                                      env=dict(os.environ, VERGE_LEVEL="v2"))
            except subprocess.TimeoutExpired:
                print(f"{name}: not within 400 s", flush=True)
                continue
            ran += 1
            reports = [line for line in done.stderr.splitlines() if line.startswith("==")]
            if done.returncode or reports:
                wrong += 1
                print(f"{name}: exit code {done.returncode}\n" + "\n".join(reports[:40] or done.stderr.splitlines()[:5]), flush=True)
    print(f"fire: memcheck: {ran} commands under Valgrind, {wrong} with reports")
    return wrong > 0


sys.exit(main())

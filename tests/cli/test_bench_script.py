"""scripts/bench: keeps what benchmarks print with machine and disturbance, writes it as a page, and fails where one fails."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

if not os.path.exists("/proc/stat"):
    print("no /proc/stat: what others take is not known")
    sys.exit(0)
SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
TOYS = {
    "quiet": "#!/bin/sh\necho 'case | 1.25 µs'\n",
    # another program works while this one sleeps
    "beside": f"#!{sys.executable}\nimport subprocess, sys, time\n"
    "other = 'import os\\nos.setsid()\\nif os.fork(): os._exit(0)\\nimport time\\n"
    "e = time.monotonic() + 1.2\\nwhile time.monotonic() < e: pass'\n"
    "subprocess.run([sys.executable, '-c', other], stdout=subprocess.DEVNULL)\ntime.sleep(1)\nprint('slept')\n",
    "broken": "#!/bin/sh\necho half a table\nexit 3\n",
}
bad = []


def check(what, holds):
    if not holds:
        bad.append(what)
    print("ok  " if holds else "FAIL", what)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "bin").mkdir()
    for name, text in TOYS.items():
        toy = folder / "bin" / f"bench_{name}"
        toy.write_text(text)
        toy.chmod(0o755)
    env = {**os.environ, "BENCH_PROGRAMS": str(folder / "bin"), "BENCH_RESULTS": str(folder / "kept")}

    def bench(*arguments):
        command = [sys.executable, str(SOURCE / "scripts/bench"), *arguments]
        return subprocess.run(command, env=env, capture_output=True, text=True)

    r = bench("quiet", "beside", "--page", str(folder / "page.md"))
    check("two of three are run", r.returncode == 0 and "half a table" not in r.stdout)
    kept = json.loads((folder / "kept/results.json").read_text())
    rows = {b["name"]: b for b in kept["benchmarks"]}
    check("the text is kept", rows["quiet"]["text"] == "case | 1.25 µs\n")
    check("work beside it is seen", rows["beside"]["disturbed"] and rows["beside"]["others"] > 0.3)
    check("machine, compiler and load", all(kept["machine"][k] for k in ("processor", "system", "compiler", "load")))
    page = (folder / "page.md").read_text()
    check("the page has text and mark", "case | 1.25 µs" in page and "**Disturbed**" in page)
    r = bench("quite")
    check("an unknown name", r.returncode == 1 and "no benchmark \"quite\"; there are beside, broken, quiet" in r.stderr)
    r = bench()
    check("a benchmark that fails", r.returncode == 1 and "failed: broken" in r.stderr)
    kept = json.loads((folder / "kept/results.json").read_text())
    check("and what it printed is kept", any(b["text"] == "half a table\n" for b in kept["benchmarks"]))
sys.exit(1 if bad else 0)

"""scripts/bench: keeps what benchmarks print with machine and disturbance, writes it as a page and fills tables of another, and fails where one fails."""
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
    "contacts": "#!/bin/sh\n"
    "echo ' spheres  set-up ms    step µs   growth iterations   failed bytes/body   depth mm'\n"
    "echo '      30        0.1       17.1                1.24        0       7795       0.58'\n"
    "echo '   10000       21.3    67323.5     1.17       6.30        2       6823       1.84'\n",
}
bad = []


def check(what, holds):
    if not holds:
        bad.append(what)
    print("ok  " if holds else "FAIL", what)


def rows_of(page):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.split("\n") if line.startswith("| ")]


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
    page = folder / "performance.md"
    page.write_text("before\n<!-- bench contacts -->\nold\n<!-- end of bench contacts -->\nbetween\n"
                    "<!-- bench mesh -->\nkept\n<!-- end of bench mesh -->\nafter\n")
    r = bench("contacts", "quiet", "--tables", str(page))
    check("tables are filled", r.returncode == 0 and "performance.md: tables of contacts" in r.stdout)
    text = page.read_text()
    check("rows of the table", rows_of(text)[1:] == [["30", "0.1", "17.1", "–", "1.24", "0", "7,795", "0.58"],
                                                     ["10,000", "21.3", "67,324", "1.17", "6.30", "2", "6,823", "1.84"]])
    check("text around them and tables without results stay", text.startswith("before\n<!-- bench contacts -->\n| spheres")
          and text.endswith("<!-- end of bench contacts -->\nbetween\n<!-- bench mesh -->\nkept\n<!-- end of bench mesh -->\nafter\n"))
    r = bench("quite")
    check("an unknown name", r.returncode == 1 and "no benchmark \"quite\"; there are beside, broken, contacts, quiet" in r.stderr)
    r = bench()
    check("a benchmark that fails", r.returncode == 1 and "failed: broken" in r.stderr)
    kept = json.loads((folder / "kept/results.json").read_text())
    check("and what it printed is kept", any(b["text"] == "half a table\n" for b in kept["benchmarks"]))
sys.exit(1 if bad else 0)

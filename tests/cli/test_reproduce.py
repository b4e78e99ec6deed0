#!/usr/bin/env python3
"""verge reproduce: experiments run, verdicts come from numbers, an interrupted call goes on."""
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from html.parser import HTMLParser

VERGE = os.environ["VERGE_EXE"]
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models")


def run(*args, **kw):
    return subprocess.run([VERGE, "reproduce", *args], capture_output=True, text=True, timeout=600, **kw)


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.sections, self.svg, self.found, self.ids, self.links = 0, 0, 0, [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.sections += tag == "section"
        self.svg += tag == "svg"
        self.found += "finding" in attrs.get("class", "")
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if attrs.get("href", "").startswith("#"):
            self.links.append(attrs["href"][1:])


def test_report(folder):
    report = os.path.join(folder, "report.html")
    r = run("N3", "G-P1", "Z5-7", "--quick", "-o", report, "--json")
    assert r.returncode == 0, r.stderr
    answer = json.loads(r.stdout)
    verdicts = {e["id"]: e for e in answer["experiments"]}
    # order 1 and 2 of the six formulas, closed forms of the oscillator: known from theory
    assert verdicts["N3"]["verdict"] == "holds" and verdicts["N3"]["held"] == 6, verdicts
    assert verdicts["G-P1"]["verdict"] == "holds" and verdicts["G-P1"]["held"] == 4, verdicts
    page = Page()
    page.feed(open(report, encoding="utf-8").read())
    assert page.sections == 3 and page.svg >= 2
    assert page.found == sum(e["held"] + e["failed"] + e["undecided"] for e in verdicts.values())
    assert len(set(page.ids)) == len(page.ids), "names on the page are unique"
    assert set(page.links) <= set(page.ids), "every link leads to a command or a section"
    assert len(page.links) >= page.found, "every finding has a link to what made it"
    assert not os.path.exists(report + ".parts"), "nothing is left beside a finished report"
    text = open(report, encoding="utf-8").read()
    runs = [html.unescape(c) for c in re.findall(r"<code>(verge run .*?)</code>", text)]
    assert runs and all(" --constraints " in c for c in runs), "no run leaves its constraints to a default"
    stabilised = ("hht-si2", "hht-add", "nstiff-si2")
    for c in runs:
        method = re.search(r"--integrator ([\w-]+)", c).group(1)
        index = re.search(r"--constraints (\S+)", c).group(1)
        assert index == ("index2" if method in stabilised else "index1" if method == "dop853" else "index3"), c
    crosses = re.findall(r"<p class=\"finding no\">.*?</p>\n(<p class=\"why\">)?", text)
    assert verdicts["Z5-7"]["failed"] and all(crosses), "what does not hold has a reason"


def test_commands_run(folder):
    """The command beside a finding is one: it runs, and gives the number of the finding."""
    report = os.path.join(folder, "report.html")
    assert run("H2", "--quick", "-o", report).returncode == 0
    text = html.unescape(open(report, encoding="utf-8").read())
    command = re.search(r"<li id=\"H2-r1\"><code>verge (.*?)</code>", text).group(1).split()
    assert command[0] == "run" and command[1].startswith("models/"), command
    command[1] = os.path.join(MODELS, os.path.basename(command[1]))
    r = subprocess.run([VERGE, *command, "--json"], capture_output=True, text=True, timeout=600)
    assert r.returncode == 0, r.stderr
    final = json.loads(r.stdout)["final"]
    # the independent solution at 1 s, to what the experiment asks for
    for axis, value in zip("xyz", (0.17334396410, 0.64008859207, -0.74849079113)):
        assert abs(final["marker.top.com.position." + axis] - value) < 1e-5, final


def test_page_fits(folder):
    """Nothing on the page asks for more than 1,200 pixels: figures scale, tables and commands break or scroll."""
    report = os.path.join(folder, "report.html")
    assert run("N16", "Z28a", "--quick", "-o", report).returncode == 0
    text = open(report, encoding="utf-8").read()
    assert max(int(w) for w in re.findall(r"<svg[^>]* width=\"(\d+)\"", text)) <= 1100
    assert text.count("<table>") == text.count("<div class=\"wide\"><table>")
    assert "max-width:70rem" in text and "overflow-wrap:anywhere" in text
    # categories are bars: 26 methods at two steps, four models with six methods
    assert len(re.findall(r"<rect x=\"190\" y=", text)) >= 26 * 2


def findings(report):
    """The report without how long things took."""
    text = open(report, encoding="utf-8").read()
    text = re.sub(r"\d+ s of experiments, \d+ s by the clock", "", text)
    return re.sub(r"<td>[0-9.]+ s</td>|findings, [0-9.]+ s", "", text)


SURE = ["Z5-7", "H-T5", "G-P1", "G7.1"]  # nothing in them is a time


def test_goes_on(folder):
    """Killed half way and called again: what was finished is not run again, and the report is that of one call."""
    report, whole = os.path.join(folder, "long.html"), os.path.join(folder, "whole.html")
    p = subprocess.Popen([VERGE, "reproduce", *SURE, "H11-13x", "-o", report, "--threads", "2"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = os.path.join(report + ".parts", "G-P1.part")
    end = time.monotonic() + 600
    while not os.path.exists(first) and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.1)
    p.send_signal(signal.SIGKILL)
    p.communicate(timeout=600)
    kept = {name: os.stat(os.path.join(report + ".parts", name)).st_mtime_ns for name in os.listdir(report + ".parts")}
    assert "G-P1.part" in kept and "H11-13x.part" not in kept, kept
    r = run(*SURE, "-o", report, "--json", "--threads", "1")
    assert r.returncode == 0, r.stderr
    assert "problems 7/1" not in r.stderr, "G-P1 is not run again"
    r = run(*SURE, "-o", whole, "--json", "--threads", "3")
    assert len(json.loads(r.stdout)["experiments"]) == len(SURE)
    assert findings(report) == findings(whole), "the same numbers, in pieces or at once, on one thread or three"


def test_stopped_by_hand(folder):
    report, kept = os.path.join(folder, "long.html"), os.path.join(folder, "kept.md")
    p = subprocess.Popen([VERGE, "reproduce", "G-P1", "H11-13x", "-o", report, "--summary", kept, "--threads", "2"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 600
    while not os.path.exists(os.path.join(report + ".parts", "G-P1.part")) and time.monotonic() < end:
        time.sleep(0.02)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=600)
    assert p.returncode == 1 and "goes on with what is left" in err and "1 of 2 experiments" in out, (out, err)
    assert not os.path.exists(kept), "a summary is of all experiments or not written"


def test_verdicts_can_fail(folder):
    """With a wrong model the findings are wrong, and the report says so."""
    models = os.path.join(folder, "models")
    shutil.copytree(MODELS, models)
    path = os.path.join(models, "heavy-top.yaml")
    text = open(path).read()
    assert "9.81" in text
    open(path, "w").write(text.replace("9.81", "9.80"))
    os.remove(os.path.join(models, "slider-crank.yaml"))
    r = run("H2", "N3", "--quick", "--models", models, "-o", os.path.join(folder, "wrong.html"), "--json")
    assert r.returncode == 0, r.stderr
    verdicts = {e["id"]: e["verdict"] for e in json.loads(r.stdout)["experiments"]}
    assert verdicts == {"H2": "does not hold", "N3": "does not hold"}, verdicts
    assert "cannot be read" in open(os.path.join(folder, "wrong.html"), encoding="utf-8").read()


COVER = {"Z": "2-7 9-12 14-16 18-20 22-28", "N": "3-16", "H": "2-8 10-13 15-17 19-21"}


def test_covers_the_list(folder):
    """Every figure and table of the list is in an experiment."""
    shown = {}
    for line in run("--list").stdout.splitlines():
        paper = re.search(r"\[(\w)\]", line).group(1)
        what = line[line.index("]") + 1:line.index("]") + 31]
        shown.setdefault(paper, set()).update(what.replace(",", " ").split())
        for a, b in re.findall(r"(?<![\d./])(\d+)(?:–(\d+))?(?![\d/])", what.split("table")[0]):
            shown[paper].update(range(int(a), int(b or a) + 1))
    for paper, spans in COVER.items():
        for span in spans.split():
            a, _, b = span.partition("-")
            missing = set(range(int(a), int(b or a) + 1)) - shown[paper]
            assert not missing, (paper, missing)
    listed = run("--list").stdout
    for what in ["figure 7.1", "table 7.4", "example 7.1", "problems 7/1, 7/2", "problems 7/3–7/5", "[D] table 2", "[D] section 2", "table 4",
                 "table 5", "table 7", "outlook", "masses / 3"]:
        assert what in listed, what


def test_wrong_words(folder):
    r = run("Q", "-o", os.path.join(folder, "no.html"))
    assert r.returncode == 2 and "'Q'" in r.stderr and os.listdir(folder) == []
    r = run("--models", folder, "-o", os.path.join(folder, "no.html"))
    assert r.returncode == 2 and os.listdir(folder) == []
    r = run("--list")
    assert r.returncode == 0 and len(r.stdout.splitlines()) > 20


def test_program_of_its_own(folder):
    """verge alone says what is missing; beside each other the two answer the same."""
    shutil.copy(VERGE, os.path.join(folder, "verge"))
    r = subprocess.run([os.path.join(folder, "verge"), "reproduce", "--list"], capture_output=True, text=True)
    assert r.returncode == 2 and "verge-reproduce" in r.stderr and not r.stdout, r.stderr
    own = subprocess.run([os.path.join(os.path.dirname(VERGE), "verge-reproduce"), "--list"], capture_output=True,
                         text=True)
    assert own.returncode == 0 and own.stdout == run("--list").stdout


# experiments of minutes where everything is checked; what they show does not depend on the build
SLOW = ("test_goes_on",)


def sanitized():
    cache = os.path.join(os.path.dirname(os.path.abspath(VERGE)), "CMakeCache.txt")
    if not os.path.exists(cache):
        return False
    with open(cache, encoding="utf-8") as file:
        return "VERGE_SANITIZE:BOOL=ON" in file.read()


def main():
    left_out = SLOW if sanitized() else ()
    tests = [(n, f) for n, f in globals().items() if n.startswith("test_") and n not in left_out]
    failed = 0
    for name, f in tests:
        with tempfile.TemporaryDirectory() as folder:
            try:
                f(folder)
                print("ok  ", name)
            except Exception as e:  # noqa: BLE001
                failed += 1
                print("FAIL", name, repr(e))
    print(f"{len(tests)} tests, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

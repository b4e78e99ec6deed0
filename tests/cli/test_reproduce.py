#!/usr/bin/env python3
"""verge reproduce: experiments run, verdicts come from numbers, an interrupted call goes on."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from html.parser import HTMLParser

VERGE = os.environ["VERGE_EXE"]


def run(*args, **kw):
    return subprocess.run([VERGE, "reproduce", *args], capture_output=True, text=True, timeout=120, **kw)


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.sections, self.svg, self.found, self.ids = 0, 0, 0, []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.sections += tag == "section"
        self.svg += tag == "svg"
        self.found += "finding" in attrs.get("class", "")
        if "id" in attrs:
            self.ids.append(attrs["id"])


def test_report(folder):
    report = os.path.join(folder, "report.html")
    r = run("N3", "G-P1", "Z5-7", "--quick", "-o", report, "--json")
    assert r.returncode == 0, r.stderr
    answer = json.loads(r.stdout)
    verdicts = {e["id"]: e for e in answer["experiments"]}
    # order 1 and 2 of the six formulas, closed forms of the oscillator: known from theory
    assert verdicts["N3"]["verdict"] == "holds" and verdicts["N3"]["held"] == 6, verdicts
    assert verdicts["G-P1"]["verdict"] == "holds" and verdicts["G-P1"]["held"] == 3, verdicts
    page = Page()
    page.feed(open(report, encoding="utf-8").read())
    assert page.sections == 3 and page.svg >= 2
    assert page.found == sum(e["held"] + e["failed"] for e in verdicts.values())
    assert len(set(page.ids)) == len(page.ids), "names on the page are unique"
    assert not os.path.exists(report + ".parts"), "nothing is left beside a finished report"


def test_goes_on(folder):
    report = os.path.join(folder, "long.html")
    p = subprocess.Popen([VERGE, "reproduce", "Z5-7", "N3", "H", "-o", report, "--threads", "1"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = os.path.join(report + ".parts", "N3.part")
    end = time.time() + 60
    while not os.path.exists(first) and time.time() < end:
        time.sleep(0.02)
    time.sleep(0.1)
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=60)
    assert p.returncode == 1
    kept = os.listdir(report + ".parts")
    assert "N3.part" in kept, kept
    stamp = os.stat(first).st_mtime_ns
    r = run("Z5-7", "N3", "-o", report, "--json")
    assert r.returncode == 0, r.stderr
    assert "figure 3" not in r.stderr, "N3 is not run again"
    assert len(json.loads(r.stdout)["experiments"]) == 2 and stamp > 0


def test_wrong_words(folder):
    r = run("Q", "-o", os.path.join(folder, "no.html"))
    assert r.returncode == 2 and "'Q'" in r.stderr and os.listdir(folder) == []
    r = run("--models", folder, "-o", os.path.join(folder, "no.html"))
    assert r.returncode == 2 and os.listdir(folder) == []
    r = run("--list")
    assert r.returncode == 0 and len(r.stdout.splitlines()) > 20


def main():
    tests = [(n, f) for n, f in globals().items() if n.startswith("test_")]
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

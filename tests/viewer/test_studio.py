"""verge studio: what it refuses, and how it works in a real browser (studio.mjs)."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time

EXE = os.environ["VERGE_EXE"]
BUILD = pathlib.Path(os.environ["VERGE_BUILD_DIR"])
SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
MODEL = """verge: 1
title: Small swings
planar: true
gravity: [0, -9.81]
parameters: {L: 1, a0: 0.01}
bodies:
  bob: {mass: 1, inertia: 1e-9, angle: a0, com: [0, -L], shape: {bar: L, position: [0, -L/2], angle: pi/2}}
joints:
  O: {revolute: [ground, bob]}
run: {coordinates: planar, step: 2e-3, end: 2}
record: [joint.O.angle, joint.O.rate]
"""
problems = []


def check(good, text):
    if not good:
        problems.append(str(text))


class Studio:
    def __init__(self, *words):
        self.process = subprocess.Popen([EXE, "studio", "--no-open", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = ""
        line = self.process.stdout.readline()
        found = re.match(r"studio at (http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32}))$", line)
        check(found, f"address: {line!r} {'' if found else self.process.stderr.read()}")
        self.address, self.port, self.token = found[1], int(found[2]), found[3]

    def ask(self, method, path, body=None, token=True, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        if token:
            headers["X-Verge-Token"] = self.token if token is True else token
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data, dict(answer.getheaders())

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        code = self.process.wait(timeout=600)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


def refusals(studio, folder):
    ask = studio.ask
    us = f"http://127.0.0.1:{studio.port}"
    check(ask("GET", "/api/start")[0] == 200, "with the token it answers")
    check(ask("GET", "/api/start", Origin=us)[0] == 200, "its own origin")
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{studio.port + 1}", f"https://127.0.0.1:{studio.port}", us + ".evil.example"):
        check(ask("GET", "/api/start", Origin=origin)[0] == 403, f"origin {origin}")
        check(ask("POST", "/api/save?name=a.yaml", "x", Origin=origin)[0] == 403, f"origin {origin} may not write")
    check(ask("GET", "/api/start", Host="evil.example")[0] == 403, "another host's name (rebinding)")
    for token in (None, "", "0" * 32, studio.token[:-1], studio.token + "0"):
        check(ask("GET", "/api/start", token=token)[0] == 403, f"token {token!r}")
    check(ask("GET", f"/api/start?token={studio.token}", token=None)[0] == 403, "below /api the token is a header")
    check(ask("GET", "/", token=None)[0] == 403 and ask("GET", "/view?token=1", token=None)[0] == 403, "pages need it in the address")
    status, page, headers = ask("GET", f"/?token={studio.token}", token=None)
    check(status == 200 and page.endswith(b"</html>\n") and "default-src 'none'" in headers["Content-Security-Policy"], "the page")
    check(headers["X-Frame-Options"] == "SAMEORIGIN" and headers["Cache-Control"] == "no-store", "headers")
    check(ask("POST", "/api/check", "x" * (1 << 20))[0] == 200, "1 MB is the limit")
    check(ask("POST", "/api/check", "x" * ((1 << 20) + 1))[0] == 413, "and not a byte more")
    check(ask("PUT", "/api/start")[0] == 405 and ask("GET", "/etc/passwd")[0] in (403, 404), "nothing else")
    check(ask("GET", "/api/run?id=77&from=0&version=0")[0] == 404, "a run that is not there")
    # no way out of the folder
    (folder.parent / "outside.yaml").write_text(MODEL)
    os.symlink(folder.parent / "outside.yaml", folder / "link.yaml")
    for name in ("..%2Foutside.yaml", "/etc/passwd", "%2Fetc%2Fpasswd", ".hidden.yaml", "link.yaml", "notes.txt", ""):
        check(ask("GET", f"/api/model?name={name}")[0] == 404, f"read {name}")
    for name in ("..%2Fnew.yaml", "%2Ftmp%2Fnew.yaml", ".hidden.yaml", "notes.txt", ""):
        check(ask("POST", f"/api/save?name={name}", MODEL)[0] == 400, f"write {name}")
    check(ask("POST", "/api/save?name=small.yaml", MODEL)[0] == 409, "no file is replaced unasked")
    check(ask("POST", "/api/save?name=new.yaml", MODEL)[0] == 200 and (folder / "new.yaml").read_text() == MODEL, "a new one")
    check(ask("GET", "/api/model?name=new.yaml")[1].decode() == MODEL, "and read back")
    robot = (SOURCE / "models" / "robots" / "arm-gripper.urdf").read_text()
    check(ask("POST", "/api/save?name=arm.urdf", robot)[0] == 200 and "arm.urdf" in json.loads(ask("GET", "/api/start")[1])["models"], "a robot")
    check(json.loads(ask("POST", "/api/check?name=arm.urdf", robot)[1])["ok"], "which is a model")


def messages(studio):
    bad = MODEL.replace("revolute", "revolut")
    status, data, _ = studio.ask("POST", "/api/check", bad)
    said = json.loads(data)
    line = bad.split("\n").index(next(row for row in bad.split("\n") if "revolut:" in row)) + 1
    check(not said["ok"] and said["messages"][0]["line"] == line and "revolute" in said["messages"][0]["text"], said)
    included = "include: [part.yaml]\n" + MODEL
    check(json.loads(studio.ask("POST", "/api/check", included)[1])["ok"], "includes are found beside the model")
    outside = "include: [../outside.yaml]\n" + MODEL
    said = json.loads(studio.ask("POST", "/api/check", outside)[1])
    check(not said["ok"] and said["messages"][0]["line"] == 1, "and not outside")


def end_of(studio, number):
    """What is told of a run at its end, and its rows."""
    state, start = "", time.monotonic()
    while state not in ("done", "failed") and time.monotonic() - start < 600:
        data = studio.ask("GET", f"/api/run?id={number}&from=0&version=0")[1]
        size = struct.unpack("<I", data[:4])[0]
        news = json.loads(data[4:4 + size])
        state = news["state"]
        time.sleep(0.02)
    return news, data[4 + size:]


def one_run(studio):
    """A run by the protocol alone: rows of time, channels and poses, then the report."""
    ask = studio.ask
    number = json.loads(ask("POST", "/api/run?end=0.5", MODEL)[1])["id"]
    news, data = end_of(studio, number)
    check(news["state"] == "done" and news.get("total") == 251 and len(data) % 8 == 0, news)
    width = news["columns"]
    rows = struct.unpack(f"<{news['rows'] * width}d", data)
    check(rows[-width] == 0.5 and width == 1 + len(news["head"]["channels"]) + 7, "the last row is the end")
    check(news["report"]["status"] == "ok" and news["head"]["bodies"] == ["bob"], "report and bodies")
    check(news["report"]["warning"] is None, "nothing speaks against it")
    check(ask("POST", "/api/run?integrator=no-such", MODEL)[0] == 200, "dials are looked at by the run")
    news = end_of(studio, number + 1)[0]
    check(news["state"] == "failed" and "no-such" in news["said"]["messages"][0]["text"], news)
    # Euler's explicit method feeds energy in: told as verge run tells it
    ask("POST", "/api/run?integrator=ab1&step=0.02&end=2", MODEL)
    news = end_of(studio, number + 2)[0]
    check("energy" in (news["report"]["warning"] or ""), news["report"])


def many_rows(studio):
    """More rows than are kept: a push that lasts two of 60,000 rows is still seen, the ends are exact."""
    kick = MODEL.replace("run:", 'forces:\n  kick: {joint-torque: O, value: "if(abs(t - 1.2345) < 1e-4, 1000, 0)"}\nrun:')
    kick = kick.replace("step: 2e-3, end: 2", "step: 1e-4, end: 6").replace("joint.O.rate]", "joint.O.rate, joint.O.acceleration]")
    number = json.loads(studio.ask("POST", "/api/run", kick)[1])["id"]
    state, start, rows, version, news = "", time.monotonic(), [], 0, {}
    while (state not in ("done", "failed") or len(rows) < news["total"]) and time.monotonic() - start < 600:
        data = studio.ask("GET", f"/api/run?id={number}&from={len(rows)}&version={version}")[1]
        size = struct.unpack("<I", data[:4])[0]
        news = json.loads(data[4:4 + size])
        state, version, width = news["state"], news["version"], news["columns"]
        flat = struct.unpack(f"<{news['rows'] * width}d", data[4 + size:])
        if width:  # 0 while the run is still being set up
            rows[news["from"]:] = [flat[i:i + width] for i in range(0, len(flat), width)]
        time.sleep(0.005)
    head = ["time", "joint.O.angle", "joint.O.rate", "joint.O.acceleration"]
    check(state == "done" and 5000 < len(rows) <= 20000, (state, len(rows)))
    check(all(a[0] < b[0] for a, b in zip(rows, rows[1:])), "times grow")
    check(rows[0][0] == 0 and rows[-1][0] == 6, "from the first to the last")
    most = max(row[head.index("joint.O.acceleration")] for row in rows)
    check(abs(most - 1000) < 20, f"the push is seen: {most}")  # 1 kg m², 1000 N m, and some gravity


def command(folder):
    run = lambda *words: subprocess.run([EXE, "studio", *map(str, words)], capture_output=True, text=True, timeout=600)
    check(run("none.yaml").returncode == 2 and run("--port", "70000").returncode == 2 and run("--port", "x").returncode == 2, "wrong words")
    check(run(folder / "notes.txt").returncode == 2, "not a model's name")
    studio = Studio(folder / "small.yaml")
    done = run(folder / "small.yaml", "--no-open", "--port", studio.port)
    check(done.returncode == 2 and "taken" in done.stderr, done.stderr)
    studio.ask("POST", "/api/run?end=1e9", MODEL)  # a run is going on when the end comes
    check(studio.end(signal.SIGINT) == 0, "Ctrl-C ends cleanly")
    os.chdir(folder)
    studio = Studio("--port", studio.port)
    first = json.loads(studio.ask("GET", "/api/start")[1])
    check(first["name"] == "untitled.yaml" and json.loads(studio.ask("POST", "/api/check", first["text"])[1])["ok"], "a first model")
    check(studio.end(signal.SIGTERM) == 0, "so does a polite kill")


def browser(studio, folder):
    """Exit code of the browser's part; 77: cannot run here."""
    node = shutil.which("node") or shutil.which("nodejs")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    viewer = SOURCE / "viewer"
    if "VERGE_SANITIZE:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text() and not os.environ.get("VERGE_PICTURES"):
        print("the page is the same in a build with sanitizers; the release build tests it in the browser")
        return 0
    if not node or not chromium or not (viewer / "node_modules" / "playwright-core").exists():
        print("no node, chromium or playwright-core: the browser's part is skipped")
        return 0
    words = [node, SOURCE / "tests" / "viewer" / "studio.mjs", studio.address, viewer, chromium, folder / "small.yaml"]
    if os.environ.get("VERGE_PICTURES"):
        words.append(os.environ["VERGE_PICTURES"])
    return subprocess.run([str(word) for word in words], timeout=600).returncode


def main():
    if "no studio" in subprocess.run([EXE, "studio", "none.yaml"], capture_output=True, text=True).stderr:
        print("built without the studio's page")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "models"
        folder.mkdir()
        (folder / "small.yaml").write_text(MODEL)
        (folder / "part.yaml").write_text("parameters: {extra: 3}\n")
        (folder / "notes.txt").write_text("not a model")
        (folder / ".hidden.yaml").write_text(MODEL)
        command(folder)
        studio = Studio(folder / "small.yaml")
        try:
            refusals(studio, folder)
            messages(studio)
            one_run(studio)
            many_rows(studio)
            code = browser(studio, folder)
        finally:
            check(studio.end() == 0, "ends")
        os.chdir("/")
    print("\n".join(problems) or "ok")
    return 1 if problems or code else 0


if __name__ == "__main__":
    raise SystemExit(main())

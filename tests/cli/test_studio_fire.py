"""The studio under fire: silent and dripping connections, a FIFO for a model, large checks, wrong numbers, links, Ctrl-C."""
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

EXE = os.environ["VERGE_EXE"]
checks = failures = 0

MODEL = "verge: 1\nbodies: {rod: {mass: 1, com: [0.5, 0, 0]}}\njoints: {O: {revolute: [ground, rod], axis: y}}\nrun: {step: 1e-3, end: 1}\n"
LARGE = ("verge: 1\nrepeat: {to: 60000, bodies: {\"b{i}\": {mass: 1, inertia: [1, 1, 1], position: [i, 0, 0]}},\n"
         "  forces: {\"f{i}\": {force: \"b{i}\", value: [\"sin(t + i)\", \"cos(t)\", 0]}}}\nrun: {step: 1e-3, end: 1}\n")


def check(good, text):
    global checks, failures
    checks += 1
    if not good:
        failures += 1
        print("failed:", text)


class Studio:
    def __init__(self, *words):
        self.process = subprocess.Popen([EXE, "studio", "--no-open", *map(str, words)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r":(\d+)/\?token=(\w+)", line)
        self.port, self.token = (int(found[1]), found[2]) if found else (0, "")

    def ask(self, method, path, body=None, limit=60):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit)
        link.request(method, path, body, {"X-Verge-Token": self.token})
        answer = link.getresponse()
        data = answer.read()
        link.close()
        return answer.status, data

    def end(self):
        start = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return time.monotonic() - start


def quiet_connections(studio):
    """Two hundred that say nothing, and ten that drip: somebody with the token is served at once all the same."""
    held = []
    for i in range(210):
        try:
            s = socket.create_connection(("127.0.0.1", studio.port), timeout=2)
            if i % 20 == 0:
                s.sendall(b"GET / HTTP/1.1\r\nHost: 127.0")
            held.append(s)
        except OSError:
            pass
    worst = 0
    for _ in range(5):
        start = time.monotonic()
        for _ in range(20):  # a connection that came when all places were taken is closed; the next one has room
            try:
                code, _ = studio.ask("GET", "/api/start", limit=5)
                break
            except OSError:
                code = None
                time.sleep(0.02)
        worst = max(worst, time.monotonic() - start)
        check(code == 200, f"with silent connections: {code}")
    check(worst < 4, f"with silent connections: {worst} s")
    for s in held:
        s.close()


def wrong_numbers(studio):
    for what in ("step=nan", "step=inf", "step=-1", "step=1e-3x", "end=nan", "end=1e999"):
        code, data = studio.ask("POST", "/api/run?name=a.yaml&" + what, MODEL)
        check(code == 400 and b"not a time" in data, f"{what}: {code} {data[:80]}")


def files(studio, folder):
    os.mkfifo(folder / "pipe.yaml")
    code, _ = studio.ask("GET", "/api/model?name=pipe.yaml", limit=5)
    check(code == 404, f"a FIFO is no model: {code}")
    code, data = studio.ask("POST", "/api/check?name=a.yaml", MODEL + "include: [pipe.yaml]\n", limit=5)
    check(code == 200 and not json.loads(data)["ok"], f"a FIFO cannot be included: {code} {data[:200]}")
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "true.yaml").write_text("kept")
    (folder / "link.yaml").symlink_to(folder / "elsewhere" / "true.yaml")
    code, data = studio.ask("POST", "/api/save?name=link.yaml&replace=1", MODEL)
    check(code == 409 and b"link" in data, f"saving over a link: {code} {data}")
    check((folder / "link.yaml").is_symlink() and (folder / "elsewhere" / "true.yaml").read_text() == "kept", "the link is kept")
    code, _ = studio.ask("POST", "/api/save?name=new.yaml", MODEL)
    check(code == 200 and (folder / "new.yaml").read_text() == MODEL, f"a new file: {code}")


def large_check(studio):
    """Others are answered while a large model is read; Ctrl-C ends all of it within a second."""
    def large():
        try:
            studio.ask("POST", "/api/check?name=large.yaml", LARGE)
        except (OSError, http.client.HTTPException):
            pass
    threads = [threading.Thread(target=large) for _ in range(2)]
    for t in threads:
        t.start()
    time.sleep(0.05)
    start = time.monotonic()
    code, _ = studio.ask("GET", "/api/start")
    took = time.monotonic() - start
    check(code == 200 and took < 2, f"beside a large check: {code}, {took} s")
    took = studio.end()
    check(took < 1 + 1, f"Ctrl-C during a large check: {took} s")  # a second, and one for a loaded machine
    check(studio.process.returncode == 0, f"Ctrl-C: {studio.process.returncode}")
    for t in threads:
        t.join()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.yaml").write_text(MODEL)
        studio = Studio(folder / "a.yaml")
        if not studio.port:
            said = studio.process.communicate()[1]
            print(said)
            return 77 if "no studio" in said or "libmicrohttpd" in said else 1
        try:
            wrong_numbers(studio)
            files(studio, folder)
            quiet_connections(studio)
            large_check(studio)
        finally:
            studio.process.kill()
        os.mkfifo(folder / "first.yaml")
        done = subprocess.run([EXE, "studio", "--no-open", folder / "first.yaml"], capture_output=True, text=True, timeout=20)
        check(done.returncode == 2, f"studio of a FIFO: {done.returncode} {done.stderr}")
    print(f"{checks} checks, {failures} failed")
    return failures > 0


sys.exit(main())

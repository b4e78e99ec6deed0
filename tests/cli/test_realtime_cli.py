"""verge realtime from outside: its report, its datagrams, its refusals. No timing is asserted."""
import json
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
SOURCE = os.environ["VERGE_SOURCE_DIR"]
failures = 0

CART = """\
verge: 1
planar: true
bodies:
  cart: {mass: 2, inertia: 1}
forces:
  push: {force: cart, value: [input.u, 0]}
  hold: {spring: [ground, cart], stiffness: 0, length: 1, damping: 0}
record: [body.cart.position.x, input.u]
"""


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("failed:", what, file=sys.stderr)


def run(*args):
    p = subprocess.run([EXE, "realtime", *args], capture_output=True, text=True, timeout=600)
    check("Sanitizer" not in p.stderr and "runtime error" not in p.stderr, p.stderr)
    return p.returncode, p.stdout, p.stderr


def model(name):
    return os.path.join(SOURCE, "models", name + ".yaml")


def free_ports(n):
    """Different ones: all are held until the last is found."""
    held = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(n)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def datagrams(listener, process):
    """What comes until the process has ended and nothing is left; datagrams may be lost, and a mark of the end with them."""
    listener.settimeout(0.2)
    while True:
        over = process.poll() is not None
        try:
            yield listener.recv(70000)
        except socket.timeout:
            if over:
                return


def test_report():
    code, out, err = run(model("slider-crank"), "--duration", "0.3", "--rate", "500", "--json")
    r = json.loads(out)
    check(code == 0 and r["status"] == "ok" and r["error"] is None, out + err)
    check(r["steps"] == 150 and abs(r["t"] - 0.3) < 1e-12 and r["fixed_iterations"] == 2, out)
    check(isinstance(r["memory_locked"], bool) and isinstance(r["sched_fifo"], bool), out)
    check(0 <= r["deadline_misses"] <= 150 and r["real_time_factor"] > 0, out)
    check(r["page_faults"] >= 0 and r["preemptions"] >= 0 and r["early"] in (2e-4, 5e-4, 1e-3), out)
    check(0 <= r["own_misses"] <= r["deadline_misses"], out)
    for part in ("latency", "wake", "step", "own", "io"):
        d = r[part]
        order = [d[k] for k in ("p50", "p90", "p99", "p99.9", "p99.99", "max")]
        check(order == sorted(order) and 0 <= d["min"] <= d["mean"] <= d["max"], part)
        check(sum(b["count"] for b in d["histogram"]) == 150, part)
        check(all(b["from"] < b["to"] for b in d["histogram"]), part)
    code, out, _ = run(model("slider-crank"), "--duration", "0.05", "--fixed", "3")
    check(code == 0 and "3 Newton iterations each" in out and "p99.99" in out and "deadline misses" in out, out)


# the same numbers as verge run with the same iterations
def test_same_as_run():
    _, out, _ = run(model("double-pendulum"), "--duration", "0.1", "--integrator", "generalized-alpha",
                    "--json", "--print", "energy.total")
    p = subprocess.run([EXE, "run", model("double-pendulum"), "--step", "1e-3", "--end", "0.1", "--json",
                        "--integrator", "generalized-alpha:fixed=2", "--print", "energy.total"],
                       capture_output=True, text=True, timeout=600)
    a, b = json.loads(out)["final"], json.loads(p.stdout)["final"]
    check(a == b, (a, b))


def test_wrong():
    cart = "cart.yaml"
    slider = model("slider-crank")
    for args, words in [
        ((slider, "--rate", "0"), "--rate"),
        ((slider, "--cpu", "1023"), "processor 1023 is not there"),
        ((slider, "--cpu", "%d,%d" % (2 * (min(os.sched_getaffinity(0)),))), "a processor of its own"),
        ((slider, "--cpu", "one"), "'one' is not a whole number"),
        ((slider, "--cpu", ","), "not a list of 1 to 8 processors"),
        ((slider, "--twins", "0"), "--twins"),
        ((slider, "--twins", "9"), "--twins: at most 8"),
        ((slider, "--twins", "2", "--cpu", str(min(os.sched_getaffinity(0)))), "--cpu names 1"),
        ((slider, "--twin", "2"), "did you mean --twins?"),
        ((slider, "--durations", "2"), "did you mean --duration?"),
        ((slider, "--end", "2"), "--duration and --end are the same"),
        ((slider, "--early", "0.0011"), "--early: at most the 0.001 s"),
        ((slider, "--fixed", "0"), "--fixed"),
        ((slider, "--udp-out", "70000"), "no port 70000"),
        ((slider, "--udp-in", "5005"), "input.NAME"),
        ((slider, "--integrator", "dopri5"), "controls its step"),
        ((slider, "--print", "joint.O.angel"), "joint.O.angle"),
        (("nothing.yaml",), "nothing.yaml"),
    ]:
        code, out, err = run(*args, "--duration", "0.01")
        check(code == 2 and words in err and out == "", (args, code, err))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        code, _, err = run(cart, "--udp-in", str(s.getsockname()[1]), "--duration", "0.01")
        check(code == 2 and "--udp-in" in err, err)


# A controller at the other end: answers the first frame with a force, sees the cart move as it must for a while,
# then ends it. However slow the machine is, everybody waits for the other.
def test_datagrams():
    rate, mass, force, enough = 200, 2.0, 6.0, 40
    port_in, = free_ports(1)
    frames, heads = [], []
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    port_out = listener.getsockname()[1]
    p = subprocess.Popen([EXE, "realtime", "cart.yaml", "--rate", str(rate), "--duration", "0", "--udp-out", str(port_out),
                          "--udp-in", str(port_in), "--integrator", "rk4", "--json"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pushed = 0
    for data in datagrams(listener, p):
        if data[:1] == b"{":
            heads.append(json.loads(data))
            continue
        frames.append(data)
        pushed += struct.unpack("=8sQ10d", data)[4] == force
        if len(frames) == 1:
            words = b"u=1 input.u=%g\nnobody=3 u=nan u= rubbish u=1x" % force
            listener.sendto(words, ("127.0.0.1", port_in))
        if pushed == enough:
            p.send_signal(signal.SIGINT)
    listener.close()
    out, err = p.communicate()
    r = json.loads(out)
    check(p.returncode == 0 and r["status"] == "ok" and r["steps"] >= enough, out + err)
    check(r["udp"]["inputs_taken"] == 2 and r["udp"]["inputs_refused"] == 5, r["udp"])
    check(len(heads) >= 1 and heads[0]["channels"] == ["body.cart.position.x", "input.u"] and
          heads[0]["bodies"] == ["cart"] and heads[0]["inputs"] == ["u"], heads)
    check(r["udp"]["sent"] + r["udp"]["lost"] > r["steps"] and len(frames) > 1, r["udp"])
    for data in frames:
        magic, step, t, x, u, px, py, pz, qw, qx, qy, qz = struct.unpack("=8sQ10d", data)
        check(magic == b"VGRT0001" and abs(t - step / rate) < 1e-12, (magic, step, t))
        check(px == x and py == pz == 0 and qw == 1 and u in (0.0, force), (px, x, u))
    # x = F τ²/2m over the time the force was on, up to the step in which it came
    h, n = 1 / rate, sum(struct.unpack("=8sQ10d", d)[4] == force for d in frames)
    x = struct.unpack("=8sQ10d", frames[-1])[3]
    if r["udp"]["lost"] == 0 and len(frames) == r["steps"]:
        low, high = force * ((n - 1) * h) ** 2 / (2 * mass), force * (n * h) ** 2 / (2 * mass)
        check(low - 1e-12 <= x <= high + 1e-12, (low, x, high))
    check(r["final"]["input.u"] == force, r["final"])


def lines_of(frames, form):
    return sorted(struct.unpack(form, f)[1:] for f in frames)


# One and two processors, with and without frames: the same numbers, to the bit, and every step is counted once.
def test_twins():
    if len(os.sched_getaffinity(0)) < 2:
        return
    ends = []
    for twins, more in ("1", ()), ("2", ()), ("2", ("--udp-out", str(free_ports(1)[0]))):
        code, out, err = run(model("slider-crank"), "--end", "0.2", "--twins", twins, "--json", "--print", "energy.total", *more)
        r = json.loads(out)
        check(code == 0 and r["steps"] == 200 and r["twins_agree"] is True and len(r["twins"]) == int(twins), out + err)
        check(sum(t["steps_first"] for t in r["twins"]) == 200, r["twins"])
        check(all(t["steps"] == 200 and t["given_up"] is False and t["most_behind"] < 200 for t in r["twins"]), r["twins"])
        check(all(t["ready"]["max"] >= 0 and t["ready"]["p50"] <= t["ready"]["max"] for t in r["twins"]), r["twins"])
        check(len({t["processor"] for t in r["twins"]}) == int(twins), r["twins"])
        ends.append(r["final"])
    check(ends[0] == ends[1] == ends[2], ends)
    code, out, _ = run(model("slider-crank"), "--end", "0.05", "--twins", "2")
    check(code == 0 and "twins on processors" in out and out.count("twin on processor") == 2, out)


# Inputs while two processors read them: never an older one after a newer, both words of a datagram or none; each
# frame once.
def test_order():
    with open("two.yaml", "w") as f:
        f.write(CART.replace("[input.u, 0]", "[input.u, input.v]").replace("input.u]", "input.u, input.v]"))
    twins = str(min(2, len(os.sched_getaffinity(0))))
    (port_in,), rate, enough = free_ports(1), 2000, 300
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    port_out = listener.getsockname()[1]
    p = subprocess.Popen([EXE, "realtime", "two.yaml", "--rate", str(rate), "--duration", "0", "--udp-out", str(port_out),
                          "--udp-in", str(port_in), "--twins", twins, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    frames, answered = [], 0
    for data in datagrams(listener, p):
        if data[:1] == b"{":
            continue
        frames.append(data)
        n = len(frames)
        listener.sendto(b"u=%d v=%d" % (n, -n), ("127.0.0.1", port_in))
        answered += struct.unpack("=8sQd3d7d", data)[4] > 0  # made with what was sent: not only a queue of old ones
        if answered == enough:
            p.send_signal(signal.SIGINT)
    listener.close()
    out, err = p.communicate()
    r = json.loads(out)
    check(p.returncode == 0 and r["twins_agree"] and r["udp"]["inputs_refused"] == 0, out + err)
    rows = lines_of(frames, "=8sQd3d7d")
    steps = [row[0] for row in rows]
    check(len(set(steps)) == len(steps) and steps[0] >= 1 and steps[-1] <= r["steps"], "a frame came twice")
    us = [row[3] for row in rows]
    check(us == sorted(us) and us[-1] > 0, "an older input came after a newer")
    check(all(row[4] == -row[3] for row in rows), "half a datagram was used")


# The page about real time: its arm, the controller of the examples, and where the two come to rest:
# 40 (0.5 - x) = -2 g 0.5 cos x.
def test_page():
    with open(os.path.join(SOURCE, "docs", "realtime.md")) as f:
        text = f.read().split("```yaml arm.yaml\n")[1].split("```")[0]
    with open("arm.yaml", "w") as f:
        f.write(text)
    frames, inputs = free_ports(2)
    controller = subprocess.Popen([sys.executable, os.path.join(SOURCE, "examples", "controller.py"), str(frames), str(inputs)],
                                  stdout=subprocess.PIPE, text=True)
    code, out, err = run("arm.yaml", "--rate", "500", "--duration", "3", "--udp-out", str(frames), "--udp-in", str(inputs), "--json")
    said, _ = controller.communicate(timeout=600)
    r = json.loads(out)
    check(code == 0 and "frames answered" in said, out + err + said)
    answered = int(said.split()[0])
    check(0 <= r["udp"]["inputs_taken"] <= answered <= r["steps"] and r["udp"]["inputs_refused"] == 0, (answered, r["udp"]))
    if r["udp"]["inputs_taken"] > 1400 and r["wake"]["max"] < 0.1:  # nobody was late, or not for long: at rest
        x = 0.5
        for _ in range(100):
            x = 0.5 + 9.81 / 40 * math.cos(x)
        check(abs(r["final"]["joint.hinge.angle"] - x) < 1e-3, (r["final"], x))


def test_failure():
    with open("stiff.yaml", "w") as f:
        f.write("verge: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\nforces:\n"
                "  s: {spring: [ground, a], stiffness: 1e12, length: 0.5}\n"
                "run: {integrator: rk4}\nrecord: [body.a.position.x]\n")
    code, out, err = run("stiff.yaml", "--duration", "1", "--json")
    r = json.loads(out)
    check(code == 1 and r["status"] == "failed" and r["error"] and r["steps"] < 1000 and "error" in err, out)


def main():
    with tempfile.TemporaryDirectory() as d:
        os.chdir(d)
        with open("cart.yaml", "w") as f:
            f.write(CART)
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test()
        os.chdir("/")
    sys.exit(1 if failures else 0)


main()

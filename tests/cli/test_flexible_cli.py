"""verge equilibrium --arc and verge modes --campbell from outside."""
import json
import os
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
SOURCE = os.environ["VERGE_SOURCE_DIR"]
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("failed:", what, file=sys.stderr)


def run(*args):
    p = subprocess.run([EXE, *args], capture_output=True, text=True, timeout=600)
    check("Sanitizer" not in p.stderr and "runtime error" not in p.stderr, p.stderr)
    return p.returncode, p.stdout, p.stderr


def model(name):
    return os.path.join(SOURCE, "models", name + ".yaml")


# the arch snaps: its load falls along the path, and it ends below its feet
code, out, err = run("equilibrium", model("arch"), "--arc", "--at", "0.2", "--set", "n=8", "--json", "--print",
                     "body.arch.9.position.y,force.press.y,joint.arch.*.force.y")
check(code == 0, err)
path = json.loads(out)["path"]
for row in path:  # the feet carry what presses at that point of the path
    feet = row["joint.arch.start.force.y"] + row["joint.arch.end.force.y"]
    check(abs(feet + row["force.press.y"]) < 1e-6 * abs(path[-1]["force.press.y"]), row)
loads = [row["load"] for row in path]
heights = [row["body.arch.9.position.y"] for row in path]
check(loads[0] == 0 and loads[-1] == 1, loads)
check(any(b < a for a, b in zip(loads, loads[1:])), "the load never falls")
check(all(b < a for a, b in zip(heights, heights[1:])), "the middle goes down all the way")
check(heights[-1] < 0, heights[-1])
check(0 < json.loads(out)["limit_load"] < 1, out[:200])
code, out, err = run("equilibrium", model("arch"), "--arc", "--at", "0.2", "--set", "n=8")
check(code == 0 and "the load turns back at" in out, out)

# the bicycle weaves below 4.292 m/s and capsizes above 6.024 m/s (growth by the equations of Meijaard et al. 2007)
code, out, err = run("modes", model("bicycle"), "--set", "rolling=0", "--campbell", "speed=4:7:4", "--json")
check(code == 0, err)
growth = [row["growth"] for row in json.loads(out)["campbell"]]
check(abs(growth[0] - 0.41325332) < 1e-7 and growth[1] is None and growth[2] is None and abs(growth[3] - 0.10268171) < 1e-7, growth)

# whirl speeds of the rotor: pairs at rest, one with and one against the spin when it turns
code, out, err = run("modes", model("rotor"), "--campbell", "n=0:100000:3", "--json", "--number", "5")
check(code == 0, err)
rows = json.loads(out)["campbell"]
check([row["n"] for row in rows] == [0, 50000, 100000], rows)
senses = [m["whirl"] for m in rows[2]["modes"]]
check(max(senses) > 0.9 and min(senses) < -0.9, senses)
check(all(abs(m["whirl"]) < 0.1 for m in rows[0]["modes"]), rows[0])
code, out, err = run("modes", model("rotor"), "--campbell", "n=0:100000:3")
check(code == 0 and " b" in out and " f" in out, out)
for wrong in ("n", "n=1", "n=1:2", "n=1:2:0", "n=1:2:2.5", "n=1:2:3x"):
    code, out, err = run("modes", model("rotor"), "--campbell", wrong)
    check(code == 2 and "--campbell" in err, (wrong, err))
code, out, err = run("modes", model("rotor"), "--campbell", "speed=1:2:2")
check(code == 2 and "speed" in err, err)

BRIDGE = """verge: 1
gravity: [0, 0, -9.81]
bodies:
  ground: {markers: {A: [0, 0, 6], B: [40, 0, 6], a: [0, 0, 0], b: [40, 0, 0]}}
mesh:
  main: {cable: 8, from: ground.A, to: ground.B, via: [[20, 0, 1.2]], curve: arc, EA: 2e8, m: 20}
  deck: {beam3: 4, start: {fixed: ground.a}, end: {spherical: ground.b}, EA: 2e9, GAy: 5e8, GJ: 1e7, EIz: 5e7, m: 200}
repeat:
  index: i
  from: 2
  to: 8
  forces:
    "h{i}": {cable: ["main.{i}", "deck.{i}"], EA: 5e6, m: 0}
run: {start: equilibrium, step: 1e-2, end: 0.2}
record: ["body.deck.5.position.*", "body.main.5.position.z", "joint.deck.*.force.*"]
"""

# a bridge at rest stays at rest, and round-off is no energy from nowhere; its feet carry the deck's part of the weight
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "bridge.yaml")
    with open(path, "w") as f:
        f.write(BRIDGE)
    code, out, err = run("equilibrium", path, "--json")
    rest = json.loads(out)["channels"] if "channels" in json.loads(out) else json.loads(out)
    code, out, err = run("run", path, "--json", "-q")
    check(code == 0 and "warning" not in err, err)
    final = json.loads(out)["final"]
    check(abs(final["body.deck.5.position.z"] - rest["body.deck.5.position.z"]) < 1e-9, (final, rest))
    code, out, err = run("view", path)
    check(code == 2 and "run it first" in err, err)

# a model that records nothing has its joints' coordinates and energy; a page adds what beams and cables carry
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "plain.yaml")
    with open(path, "w") as f:
        f.write("verge: 1\nplanar: true\ngravity: 9.81\nbodies:\n  cart: {mass: 1, inertia: 1}\n  ball: {mass: 1, inertia: 1, position: [2, -1]}\n"
                "joints: {rail: {prismatic: [ground, cart], axis: x}, pin: {revolute: [cart, ball]}}\n"
                "mesh:\n  bar: {beam: 2, from: cart, to: [2, 0], EA: 1e4, GAy: 1e4, EIz: 10, m: 1}\n"
                "  rope: {cable: 2, from: [2, 0], to: ball, EA: 1e4, m: 1}\nrun: {step: 1e-3, end: 0.01}\n")
    usual = {"joint.rail.displacement", "joint.pin.angle", "energy.total"}
    names = set(json.loads(run("run", path, "--json")[1])["final"])
    check(names == usual, names)
    names = set(json.loads(run("run", path, "--json", "--view", os.path.join(folder, "plain.html"))[1])["final"])
    check(names == usual | {f"force.bar.{i}.{what}" for i in (1, 2) for what in ("moment-z", "axial")} | {"force.rope.1.force", "force.rope.2.force"}, names)

BLADE = """verge: 1
parameters: {n: 12}
bodies:
  hub: {mass: 1, inertia: [1, 1, 1]}
joints:
  axle: {revolute: [ground, hub], axis: z, drive: {angle: n*t}}
mesh:
  blade: {beam3: 8, from: hub, to: [1, 0, 0], EA: 1e6, GAy: 1e6, EIz: 1, GJ: 1, m: 1, Jy: 1e-6, Jz: 1e-6}
"""

# a blade clamped at the axis: flapping at rest 3.5160, at Omega = 12 sqrt(EI/m)/L^2 13.1702 (Wright et al. 1982)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "blade.yaml")
    with open(path, "w") as f:
        f.write(BLADE)
    code, out, err = run("modes", path, "--campbell", "n=0:12:2", "--turning", "hub", "--json", "-n", "3")
    check(code == 0, err)
    rows = json.loads(out)["campbell"]
    for row, flap in zip(rows, (3.5160, 13.1702)):
        found = min(abs(2 * 3.14159265 * m["frequency"] / flap - 1) for m in row["modes"])
        check(found < 1e-3, row)
    code, out, err = run("equilibrium", path, "--turning", "hub", "--json", "--print", "body.blade.17.position.x")
    check(code == 0 and abs(json.loads(out)["channels"]["body.blade.17.position.x"] - 1 - 144 / 3e6) < 1e-7, out)
    code, out, err = run("modes", path, "--campbell", "n=0:12:2", "--equilibrium", "--frame", "hub")
    check(code == 2 and "--turning" in err and out == "", (out, err))
    code, out, err = run("modes", path, "--turning", "nob")
    check(code == 2 and "no body 'nob'" in err, err)

BECK = """verge: 1
planar: true
parameters: {P: 20}
mesh:
  b: {beam3: 12, from: ground, to: [1, 0], EA: 1e6, GAy: 1e6, EIz: 1, m: 1, Jz: 1e-9}
forces:
  f: {force: b.25, value: [-P, 0], frame: body}
"""

# Beck's column flutters above P = 20.0510 EI/L^2 (Beck 1952), about its rest; modes about the column as placed, which
# no load presses yet, come with a warning
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "beck.yaml")
    with open(path, "w") as f:
        f.write(BECK)
    for load, flutters in ((20.04, False), (20.06, True)):
        code, out, err = run("modes", path, "--equilibrium", "--json", "-n", "2", "--set", f"P={load}")
        answer = json.loads(out)
        damping = min(m["damping"] for m in answer["modes"])
        check(code == 0 and answer["warning"] is None and err == "", (answer["warning"], err))
        check((damping < -1e-3) == flutters, (load, damping))
    code, out, err = run("modes", path)
    check(code == 0 and "not a rest" in err and "body 'b.25'" in err and "--equilibrium" in err, err)
    code, out, err = run("modes", path, "--set", "P=0")
    check(code == 0 and err == "", err)

# loads by time: a follower force that winds a cantilever up needs times in between, which are found
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "follower.yaml")
    with open(path, "w") as f:
        f.write("""verge: 1
planar: true
mesh:
  b: {beam3: 32, from: ground, to: [1, 0], EA: 1e9, GAy: 1e9, EIz: 1, m: 1}
forces:
  tip: {force: b.65, value: [0, -500*t], frame: body}
""")
    # integrated from the tip with another program (scipy, 1e-12)
    for extra in ((), ("--steps", "3")):
        code, out, err = run("equilibrium", path, "--at", "1", "--json", "--print", "body.b.65.position.*", *extra)
        check(code == 0, err)
        tip = json.loads(out)["channels"] if code == 0 else {"body.b.65.position.x": 0, "body.b.65.position.y": 0}
        check(abs(tip["body.b.65.position.x"] - 0.00783968) < 5e-4, tip)
        check(abs(tip["body.b.65.position.y"] - 0.45463256) < 5e-4, tip)

sys.exit(failures != 0)

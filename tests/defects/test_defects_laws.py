"""Laws: one law in other words is one motion, a law that jumps is named, unknown and reserved names are refused."""
import json
import math
import os
import subprocess
import tempfile

from last_values import EXE, HERE, check, conclude


def text_of(name):
    with open(os.path.join(HERE, name)) as f:
        return f.read()


def verge(model, *arguments, command="run", seconds=120):
    """Exit code, stdout and stderr of a command on a model that is given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.yaml")
        with open(path, "w") as f:
            f.write(model)
        r = subprocess.run([EXE, command, path, *arguments], capture_output=True, text=True, timeout=seconds)
        return r.returncode, r.stdout, r.stderr


def rows_of(model, *arguments):
    """Exit code and the rows of a run as a list of maps."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "model.yaml"), os.path.join(folder, "out.csv")
        with open(path, "w") as f:
            f.write(model)
        r = subprocess.run([EXE, "run", path, "-o", out, *arguments], capture_output=True, text=True, timeout=120)
        lines = [x for x in open(out).read().splitlines() if x and not x.startswith("#")] if os.path.exists(out) else []
    names = [x.split(" ")[0] for x in lines[0].split(",")] if lines else []
    rows = [dict(zip(names, map(float, x.split(",")))) for x in lines[1:]]
    return r.returncode, rows, r.stderr


def rk4(f, y, t0, t1, n):
    h = (t1 - t0) / n
    for _ in range(n):
        k1 = f(y)
        k2 = f([a + h / 2 * b for a, b in zip(y, k1)])
        k3 = f([a + h / 2 * b for a, b in zip(y, k2)])
        k4 = f([a + h * b for a, b in zip(y, k3)])
        y = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
    return y


# the same law: w t up to half a second, then 0.5 w
SPELLINGS = [
    "w*min(t, 0.5)",
    "w*min(0.5, t)",
    "if(t < 0.5, w*t, 0.5*w)",
    "if(t <= 0.5, w*t, 0.5*w)",
    "if(t > 0.5, 0.5*w, w*t)",
    "if(not (t >= 0.5), w*t, 0.5*w)",
    "w*(t + 0.5 - abs(t - 0.5))/2",
    "w*(0.5 - max(0.5 - t, 0))",
    "w*max(0, min(t, 0.5))",
    "if(t*t < 0.25, w*t, 0.5*w)",
    "if(sin(t) < sin(0.5), w*t, 0.5*w)",
    "if(exp(t) - exp(0.5) < 0, w*t, 0.5*w)",
    "if(atan2(t - 0.5, 1) < 0, w*t, 0.5*w)",
    "w*((t - 0.1) - max((t - 0.1) - 0.4, 0) + 0.1)",
    "if(t < 0.2, w*t, w*min(t, 0.5))",
    "if(floor(2*t) < 1, w*t, 0.5*w)",
    "w*table(ramp, t)",
]


def corner_model(law):
    model = text_of("drive-corner.yaml").replace("w*min(t, 0.5)", law)
    return model.replace("bodies:", "tables: {ramp: {x: [0, 0.5, 3], y: [0, 0.5, 0.5]}}\nbodies:").replace(
        "record: [joint.pin.angle]", "record: [joint.pin.angle, joint.pin.rate]")


def pin_angle(rate0):
    """A hub turns at 1 rad/s for half a second and stops: until then the rod, pinned at its rim, has the
    equation J phi'' = -m a l sin(phi); the stroke keeps its angular momentum about the pin; then it is free."""
    a, l, m, inertia, w = 0.5, 0.5, 1.0, 0.1, 1.0
    pin = inertia + m * l * l
    phi, rate = rk4(lambda y: [y[1], -m * a * l * w * w * math.sin(y[0]) / pin], [0.0, rate0], 0, 0.5, 2000)
    after = rate + w + m * l * a * w * math.cos(phi) / pin
    return phi + after * 0.5


def test_spellings():
    dials = [("--interval", "0.1"),
             ("--interval", "0.1", "--integrator", "dopri5:rtol=1e-10", "--constraints", "index1"),
             ("--interval", "0.1", "--step", "0.7e-3", "--integrator", "bdf2", "--constraints", "index2")]
    for dial in dials:
        first = None
        for law in SPELLINGS:
            code, rows, words = rows_of(corner_model(law), *dial)
            what = "%s with %s" % (law, " ".join(dial))
            check(code == 0 and rows, what + ": " + words[:200])
            if code != 0 or not rows:
                continue
            first = first or rows
            check(len(rows) == len(first), what + ": rows")
            for a, b in zip(first, rows):
                for name in a:
                    check(abs(a[name] - b[name]) <= 1e-9 * (1 + abs(a[name])), "%s: %s at t = %g is %.12g, not %.12g" %
                          (what, name, a.get("time", -1), b[name], a[name]))
            tolerance = 1e-7 if "dopri5" in dial[3 if len(dial) > 3 else 1] else 2e-3
            check(abs(rows[-1]["joint.pin.angle"] - pin_angle(rows[0]["joint.pin.rate"])) < tolerance,
                  what + ": %.9f instead of %.9f" % (rows[-1]["joint.pin.angle"], pin_angle(rows[0]["joint.pin.rate"])))


def test_smooth_laws_have_no_corner():
    """A law that only looks as if it switched runs as the plain one, to the last digit that matters."""
    base = corner_model("w*sin(t)")
    first = rows_of(base)[1]
    for law in ["if(t < 0.5, w*sin(t), w*sin(t))", "w*max(sin(t), -5)", "if(t < 0.3, w*sin(t), if(t > 9, 7, w*sin(t)))"]:
        code, rows, words = rows_of(corner_model(law))
        check(code == 0 and rows and len(rows) == len(first), law + words)
        if rows:
            check(max(abs(x["joint.pin.angle"] - y["joint.pin.angle"]) for x, y in zip(first, rows)) < 1e-9, law)


def test_jumps():
    dials = [(), ("--constraints", "index2"), ("--constraints", "augmented3"), ("--constraints", "penalty"),
             ("--coordinates", "relative"), ("--integrator", "bdf"), ("--step", "0.3"), ("--interval", "0.5"),
             ("--integrator", "dopri5", "--constraints", "index1"), ("--coordinates", "euler-parameters")]
    jump = "if(t < 0.5, 0, 1)"
    for dial in dials:
        code, out, err = verge(text_of("drive-jump.yaml"), *dial)
        check(code == 1 and "the law jumps at 0.5 s" in err and "A.drive" in err and "model.yaml:9:" in err,
              "jump with %s: %d %s" % (" ".join(dial), code, err[:200]))
    for law, t in [("floor(t + 0.25)", "0.75"), ("sign(t - 0.6)", "0.6"), ("if(t*t < 0.25, 0, 1)", "0.5"),
                   ("atan2(sin(4*t), cos(4*t))", "0.785398163"),
                   ("if(0.3 < t and t < 0.3001, 0.2, 0)", "0.3")]:
        code, out, err = verge(text_of("drive-jump.yaml").replace(jump, law))
        check(code == 1 and "the law jumps at %s s" % t in err, "%s: %d %s" % (law, code, err[:200]))
    # the start is behind what switches there
    for law in ["if(t > 0, 1, 0)", "if(t <= 0, 0, 1)", "sign(t)", "1"]:
        code, rows, err = rows_of(text_of("drive-jump.yaml").replace(jump, law), "--end", "0.1")
        check(code == 0 and all(abs(x["joint.A.angle"] - 1) < 1e-9 for x in rows), law + ": " + err[:200])
    # what is proposed runs
    code, out, err = verge(text_of("drive-jump.yaml").replace(jump, "step(t, 0.5, 0, 0.6, 1)"))
    check(code == 0, "the remedy for a jump: " + err[:200])


def test_many_corners():
    """More corners than are kept at a time: a square wave of 10 kHz on a free mass, 20,000 switches. The force
    is 1 N for the first half of each period and -1 N for the second, so that the velocity is 0 after each."""
    model = """\
verge: 1
planar: true
bodies: {b: {mass: 1, inertia: 1}}
joints: {p: {prismatic: [ground, b]}}
forces: {f: {joint-torque: p, value: "sign(sin(2*pi*1e4*t))"}}
run: {integrator: rk4, step: 1e-2, end: 1}
record: [joint.p.rate, joint.p.displacement]
"""
    code, rows, err = rows_of(model, "--constraints", "index1")
    half = 0.5e-4
    check(code == 0 and rows, "a square wave: " + err[:200])
    if rows:
        check(abs(rows[-1]["joint.p.rate"]) < 1e-12, "velocity after whole periods %g" % rows[-1]["joint.p.rate"])
        check(abs(rows[-1]["joint.p.displacement"] - 1e4 * half * half) < 1e-10, "displacement")


def test_names():
    code, out, err = verge(text_of("camlaw3.yaml"))
    check(code == 2 and "model.yaml:11:" in err and "function of t alone" in err, "camlaw3: " + err)
    inline = text_of("camlaw3.yaml").replace("g: {prismatic: [ground, f], axis: y}",
                                             "g: {prismatic: [ground, f], axis: y, drive: {displacement: \"0.1*joint.O.angle\"}}")
    inline = "\n".join(x for x in inline.splitlines() if not x.startswith("  c:"))
    code, out, err = verge(inline)
    check(code == 2 and "function of t alone" in err, "inline: " + err)
    for law in ["0.1*nobody", "0.1*x", "v", "joint.Q.angle", "input.u"]:
        code, out, err = verge(text_of("camlaw3.yaml").replace("0.1*joint.O.angle", law), command="check")
        check(code == 2 and "model.yaml:11:" in err, "%s in a drive: %d %s" % (law, code, err))
    for name in ["x", "v", "t", "pi", "sin"]:
        code, out, err = verge(text_of("shadow.yaml").replace("{x: 3,", "{%s: 3," % name), command="check")
        check(code == 2 and "model.yaml:4:14" in err and "reserved" in err, "parameter %s: %d %s" % (name, code, err))


DOOR = """\
verge: 1
gravity: 9.81
bodies:
  door: {mass: 20, inertia: [3, 1, 2], position: [0.5, 0, 0], markers: {low: [-0.5, 0, -0.8], high: [-0.5, 0, 0.8]}}
  ground: {markers: {low: [0, 0, -0.8], high: [0, 0, 0.8]}}
  %s
joints:
  h1: {revolute: [ground.low, door.low], axis: z}
  h2: {revolute: [ground.high, door.high], axis: z}
forces: {push: {torque: door, value: [0, 0, 1]}}
run: {step: 1e-3, end: 0.01}
record: [%s]
"""


def test_what_is_proposed_for_a_body_is_taken():
    """Names of a body that laws do not know are refused with what they know of it."""
    model = text_of("shadow.yaml").replace("parameters: {x: 3, k: 100}", "parameters: {k: 100}")
    body = model.split("bodies:")[1].strip(" {\n").split(":")[0].strip()
    for name, words in [("body.nobody.position.x", "no body of that name"), ("body.%s.position" % body, "position.x"),
                        ("body.%s.spin" % body, "omega"), ("omega", "body.NAME.omega"), ("input.1", "unknown name")]:
        code, out, err = verge(model.replace("-k*x", name), command="check")
        check(code == 2 and words in err and "model.yaml:7:" in err, "%s: %d %s" % (name, code, err))
    for name in ["position.x", "position.y", "velocity.x", "velocity.y", "angle", "omega"]:
        code, out, err = verge(model.replace("-k*x", "0*body.%s.%s" % (body, name)), command="check")
        check(code == 0, "a law of body.%s: %s" % (name, err))
    spatial = """verge: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {p: {revolute: [ground, b]}}
forces: {f: {joint-torque: p, value: "%s"}}
run: {step: 1e-3, end: 0.01}
"""
    for name in ["omega", "rotation", "position"]:
        code, out, err = verge(spatial % name, command="check")
        check(code == 2 and "body.NAME.%s.x" % name in err, "%s: %d %s" % (name, code, err))
    for name in ["body.b.angle", "body.b.omega", "body.b.rotation.w"]:
        code, out, err = verge(spatial % name, command="check")
        check(code == 2 and "rotation and omega" in err, "%s: %d %s" % (name, code, err))
    for name in ["joint.p.angle", "joint.p.rate", "body.b.position.z", "body.b.velocity.x", "body.b.omega.x", "body.b.rotation.z"]:
        code, out, err = verge(spatial % name, command="check")
        check(code == 0, name + ": " + err)


def test_words():
    base = text_of("shadow.yaml").replace("parameters: {x: 3, k: 100}", "parameters: {k: 100}")
    code, out, err = verge(base.replace("value: \"-k*x\"", "value: 1, torque: 5"))
    check(code == 2 and "two kinds" in err and "value" in err and "two entries" in err, "two kinds: " + err)
    code, out, err = verge(base.replace("-k*x", "-k*rate"))
    check(code == 2 and "joint.p.rate" in err, "rate: " + err)
    code, out, err = verge(base.replace("-k*x", "-k*joint.p.rate"))
    check(code == 0, "what is proposed for rate: " + err)
    for name in ["energy.total", "force.s.torque"]:
        code, out, err = verge(base.replace("-k*x", "-k*" + name))
        check(code == 2 and "recorded" in err and "model.yaml:7:" in err, name + ": " + err)
    code, out, err = verge(base.replace("inertia: 1,", "inertia: 1, mass: 1,"))
    spatial = "verge: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 3]}}\nrun: {step: 1e-3, end: 0.01}\n"
    code, out, err = verge(spatial)
    check(code == 2 and "measured: true" in err, "triangle: " + err)
    code, out, err = verge(spatial.replace("[1, 1, 3]", "{diagonal: [1, 1, 3], measured: true}"))
    check(code == 0 or "diagonal" in err, "measured: " + err)


def test_doors():
    code, out, err = verge(DOOR % ("", "joint.*.force"))
    check(code == 0 and "not determined" in out and "'h1'" in out and "'h2'" in out, "two hinges: " + out + err)
    check(all("joint.%s.force.%s" % (h, c) in out for h in ("h1", "h2") for c in "xyz"), "pattern of vectors: " + out)
    check("connected to nothing" not in err, "a door is connected: " + err)
    code, out, err = verge(DOOR % ("mat: {mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}", "joint.h1.angle"))
    check(code == 0 and "'mat' is connected to nothing" in err and "model.yaml:6:" in err, "a loose body: " + err)
    code, out, err = verge(DOOR % ("", "joint.h1.angle"), "--print", "joint.*.torque")
    check(code == 0 and "joint.h2.torque.x" in out, "pattern in --print: " + out + err)


for test in [x for n, x in list(globals().items()) if n.startswith("test_")]:
    test()
conclude()

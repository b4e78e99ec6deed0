"""Runs are watched whatever is recorded: the verdict does not depend on the output, what is wrong is stopped or
warned about by name, and the remedy that is proposed helps. References: step refinement with another method
(dopri5 at rtol 1e-9, or steps a hundred times smaller), conservation laws."""
import json
import os
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
SOURCE = os.environ["VERGE_SOURCE_DIR"]
HERE = os.path.join(SOURCE, "tests", "defects")
failures = 0
checks = 0


def check(good, what):
    global failures, checks
    checks += 1
    if not good:
        failures += 1
        print("FAILED: " + what)


def path_of(model):
    return os.path.join(HERE if os.path.exists(os.path.join(HERE, model)) else os.path.join(SOURCE, "models"), model)


def run(model, *options):
    done = subprocess.run([EXE, "run", path_of(model), "--json", "-q", *options], capture_output=True, text=True)
    report = json.loads(done.stdout)
    report["exit"] = done.returncode
    return report


def doubts(report):
    """Warnings of the run, without those of the set-up, which have a place in a file."""
    return [w for w in report["warnings"] if ".yaml:" not in w]


FLEXIBLE = ("slider-crank-flexible-modes.yaml", "--end", "0.03", "--step", "6.25e-05", "--set",
            "L2=0.7874702619528259", "--constraints", "augmented3")
SPIN = ("free-spin-se3.yaml", "--step", "2e-3", "--end", "0.9")
OSCILLATOR = """verge: 1
planar: true
bodies:
  b: {mass: 1, point: true, position: [1.1, 0]}
forces:
  s: {spring: [ground, b], stiffness: 400, length: 1}
run: {step: 0.01, end: 5, integrator: rk4}
record: [body.b.position.x, energy.total]
"""

STOP = """verge: 1
gravity: 0
bodies: {door: {mass: 20, inertia: [0.1, 4, 4], com: [0.4, 0, 0], omega: [0, 0, 3.5]}}
joints: {h: {revolute: [ground, door], axis: z}}
forces: {s: {joint-stop: h, upper: 1, stiffness: 2e4, damping: 0.5}}
run: {step: 1e-3, end: 0.8}
"""
GROUP = """verge: 1
bodies:
  ball: {mass: 0.01, inertia: [1e-6, 1e-6, 1e-6], position: [-0.1, 0, 0], velocity: [300, 0, 0], shape: {sphere: 0.005}}
  wall: {mass: 1e3, inertia: [1e3, 1e3, 1e3], shape: {sphere: 0.05}}
contacts: {c: {among: [ball, wall], stiffness: 1e8}}
run: {step: 1e-3, end: 2e-3}
"""

# model and options of a run that is not right · what is said · options after which it is, with nothing said
CASES = [
    (("gyro.yaml", "--step", "5e-4", "--end", "0.18", "--constraints", "index3"), "velocities left the constraints", ("--constraints", "index2")),
    (("gyro.yaml", "--step", "4e-4", "--end", "0.5", "--constraints", "index3"), "velocities left the constraints", ("--step", "1e-4")),
    (("gyro.yaml", "--step", "5e-4", "--end", "0.18", "--constraints", "index3"), "velocities left the constraints",
     ("--integrator", "generalized-alpha:rho=0.5")),
    (("fan.yaml", "--end", "2", "--constraints", "index3"), "velocities leave the constraints", ("--constraints", "index2")),
    (("fan.yaml", "--end", "2", "--constraints", "index3"), "velocities leave the constraints", ("--step", "2e-4")),
    (("euler-angles-reaction.yaml", "--coordinates", "euler-angles-xyz", "--step", "0.0012254901960784314", "--end", "1.25",
      "--constraints", "index3"),
     "velocities leave the constraints", ("--constraints", "index2")),
    # at 1e-3 index 2 is off by 30 % in these coordinates, and says so (test_defects_estimate.py)
    (("heavy-top.yaml", "--constraints", "index3", "--coordinates", "natural", "--step", "5e-4"), "", ("--constraints", "index2")),
    (FLEXIBLE + ("--integrator", "bdf3"), "not stable on undamped vibrations", ("--integrator", "bdf2")),
    (FLEXIBLE + ("--integrator", "bdf3"), "generalized-alpha", ("--integrator", "generalized-alpha", "--step", "3e-5")),
    (("fan.yaml", "--coordinates", "euler-angles", "--constraints", "index2"), "steps do not follow the equations of motion",
     ("--coordinates", "lie")),
    (("fan.yaml", "--coordinates", "euler-angles", "--constraints", "index2"), "steps do not follow the equations of motion",
     ("--step", "1e-4")),
    (("heavy-top-free.yaml", "--step", "1e-3"), "the step is too large for this motion", ("--step", "2e-4")),
    (("slider-crank-flexible.yaml", "--integrator", "generalized-alpha:rho=0.9"), "the step is too large for this motion",
     ("--step", "2.5e-4")),
    (SPIN + ("--coordinates", "se3"), "momentum of body 'rotor'", ("--coordinates", "lie")),
    (SPIN + ("--coordinates", "se3"), "a smaller step", ("--step", "1e-4")),
    (("oscillator.yaml", "--integrator", "ab2", "--step", "0.01"), "smaller step", ("--step", "1e-3")),
    (("oscillator.yaml", "--integrator", "rk4", "--step", "0.145"), "not stable with this step", ("--step", "0.01")),
    (("oscillator.yaml", "--integrator", "rk4", "--step", "0.145"), "a method that is stable",
     ("--integrator", "generalized-alpha", "--step", "4e-3")),
    (("oscillator.yaml", "--integrator", "bdf3", "--step", "0.02"), "not stable on undamped vibrations",
     ("--integrator", "generalized-alpha", "--step", "4e-3")),
    (("oscillator.yaml", "--integrator", "bdf2", "--step", "0.01"), "energy fell", ("--step", "1e-3")),
    (("oscillator.yaml", "--integrator", "generalized-alpha:rho=0", "--step", "0.02", "--end", "0.4"), "less damping (rho",
     ("--integrator", "generalized-alpha:rho=1")),
    (("gimbal.yaml",), "the errors of the steps add up", ("--step", "1.25e-4")),
    (("gimbal.yaml",), "the errors of the steps add up", ("--constraints", "index1", "--integrator", "dopri5:rtol=1e-6")),
    (("oscillator.yaml", "--integrator", "bdf2", "--step", "0.01"), "less damping (generalized-alpha)",
     ("--integrator", "generalized-alpha", "--step", "4e-3")),
    (("stop.yaml", "--step", "0.04"), "impact of stop 's'", ("--events",)),
    (("stop.yaml", "--step", "0.04"), "or take a much shorter step", ("--step", "2e-3")),
    (("stop.yaml", "--step", "0.1"), "--events", ("--events",)),
    (("group.yaml", "--step", "1e-3"), "was stepped over", ("--step", "2e-6")),
    (("group.yaml", "--step", "1e-3"), "error control", ("--integrator", "dopri5:rtol=1e-6", "--constraints", "index1")),
    (("double-pendulum.yaml", "--integrator", "generalized-alpha:fixed=3,newton=hold"), "newer tangents",
     ("--integrator", "generalized-alpha:fixed=3,newton=full")),
    (("double-pendulum.yaml", "--integrator", "generalized-alpha:fixed=3,newton=hold"), "more iterations",
     ("--integrator", "generalized-alpha:fixed=6,newton=hold")),
    (("planetary.yaml", "--step", "1e-3", "--end", "0.2"), "half the step gives the same motion", ("--step", "1e-4", "--coordinates", "relative")),
    (("rubbing-ball.yaml", "--integrator", "ab4:adaptive=0", "--step", "5.5e-4"), "does not resolve it", ("--step", "5e-5")),
    (("rubbing-ball.yaml", "--integrator", "adams:adaptive=0", "--step", "5.5e-4"), "rises in one step and falls in the next",
     ("--integrator", "generalized-alpha")),
    (("rubbing-ball.yaml", "--integrator", "ab4:adaptive=0", "--step", "5.5e-4"), "error control", ("--integrator", "dopri5:rtol=1e-6")),
]


def test_words_and_remedies():
    for wrong, words, remedy in CASES:
        seen, mended = run(*wrong), run(*replaced(wrong, remedy))
        said = (seen["error"] or "") + " ".join(doubts(seen))
        check(seen["status"] == "failed" or doubts(seen), f"{wrong}: silent")
        check(words in said, f"{wrong}: '{words}' is not in '{said}'")
        check((seen["exit"] == 1) == (seen["status"] == "failed"), f"{wrong}: exit code {seen['exit']}")
        check(mended["status"] == "ok" and not doubts(mended),
              f"{wrong} with {remedy}: {mended['error']} {doubts(mended)}")


def replaced(options, others):
    """The options with those of `others` instead of their own."""
    out = list(options)
    if others == ("--events",):
        return out + ["--events"]
    for key, value in zip(others[::2], others[1::2]):
        if key in out:
            out[out.index(key) + 1] = value
        else:
            out += [key, value]
    return out


def test_what_is_right():
    """The values that the remedies come to."""
    gyro = run("gyro.yaml", "--step", "5e-4", "--end", "0.18", "--constraints", "index2")
    check(abs(gyro["final"]["joint.vertical.force.z"] - 15.668) < 0.02, "the gyro's bearing")
    fan = run("fan.yaml", "--constraints", "index2")
    check(abs(fan["final"]["joint.swivel.torque.y"] - 0.07133) < 0.001, "the fan's bearing")
    spin = run(*SPIN, "--coordinates", "lie")
    check(abs(spin["final"]["body.rotor.velocity.x"] - 0.5115572035416855) < 1e-9, "free motion keeps its momentum")
    # friction beyond the stability of an explicit method: two methods of other families agree on the spin
    ball = [run("rubbing-ball.yaml", *options)["final"]["body.ball.omega"] for options in (
        ("--integrator", "dopri5:rtol=1e-9"), ("--integrator", "generalized-alpha", "--step", "5e-5"),
        ("--integrator", "ab4:adaptive=0", "--step", "5e-5"))]
    check(abs(ball[1] - ball[0]) < 0.01 * abs(ball[0]) and abs(ball[2] - ball[0]) < 0.01 * abs(ball[0]), f"spin of the ball: {ball}")


def test_any_output():
    """Verdict, exit code and statistics are the same for any rows and files."""
    keys = ("status", "error", "exit", "steps", "looks", "max_position_violation", "max_velocity_violation",
            "max_velocity_violation_t", "energy_drift", "energy_balance", "energy_balance_t", "energy_flow",
            "momentum_change_part", "newton_iterations", "max_newton_iterations", "t")
    models = [case[0] for case in CASES] + [
        ("rotor.yaml", "--coordinates", "euler-parameters", "--step", "1.25e-5", "--end", "0.02"),
        ("pendulum.yaml", "--end", "2"), ("four-bar.yaml",), ("crank.yaml",), ("newtons-cradle.yaml",), ("cart-pole.yaml",),
        ("slider-crank.yaml", "--integrator", "dopri5:rtol=1e-7"), ("billiards.yaml", "--end", "1"),
        ("planetary.yaml", "--constraints", "index3"), ("hht-i3-spin.yaml", "--coordinates", "euler-parameters", "--integrator", "hht-i3", "--step",
                              "7e-4", "--end", "0.947")]
    with tempfile.TemporaryDirectory() as folder:
        outputs = [("--interval", "0.5"), ("--interval", "0.0137"), ("--every", "1"), ("--every", "1000"),
                   ("--every", "7", "--print", "energy.*"), ("-o", os.path.join(folder, "x.h5")),
                   ("--interval", "0.01", "-o", os.path.join(folder, "x.csv"))]
        for model in models:
            first = run(*model)
            for output in outputs:
                other = run(*model, *output)
                for key in keys:
                    check(first[key] == other[key], f"{model} {output}: {key} {first[key]} and {other[key]}")
                check(doubts(first) == doubts(other), f"{model} {output}: {doubts(first)} and {doubts(other)}")


PASS = """verge: 1
planar: true
gravity: [0, 0]
parameters: {w: -0.04/1.0004}
bodies:
  slide: {mass: 1e-8, inertia: 1e-10, position: [-1, 0.02], velocity: [-0.02*w, -w], omega: w}
  bead: {mass: 1, inertia: 1e-9, position: [-1, 0.02], velocity: [2, 0], omega: w}
joints: {turn: {revolute: [ground, slide], at: [0, 0]}, along: {prismatic: [slide, bead], axis: [-1, 0.02]}}
record: [body.bead.position.x, body.bead.position.y]
"""


def test_passing_a_stretched_position():
    """A bead that moves freely on a straight line past the pivot of the arm that guides it, at a hundredth of the way: the arm
    turns by half a turn within the time 0.02/2 s. Either the line is kept, or the run says that it is not; the remedy keeps
    it."""
    told = 0
    for coordinates, constraints, method in (("relative", "index1", "rk4"), ("relative", "index1", "am2:adaptive=0"), ("relative", "independent", "esdirk324"),
                                             ("relative", "index2", "generalized-alpha"), ("lie", "index3", "generalized-alpha"), ("lie", "index2", "radau3")):
        for step in (1e-2, 5e-3, 2e-3, 1e-4):
            report = run("pass.yaml", "--coordinates", coordinates, "--constraints", constraints, "--integrator", method, "--step", repr(step), "--end", "1")
            if report["status"] != "ok":
                continue
            final = report["final"]
            off = abs(final["body.bead.position.x"] - 1) + abs(final["body.bead.position.y"] - 0.02)
            what = f"pass.yaml {coordinates} {constraints} {method} {step}: off by {off:.2g}, {doubts(report)}"
            check(off < 0.2 or doubts(report), what)
            check(step > 1e-4 or off < 1e-2 and not doubts(report), what)
            told += any("the largest speed rises in one step" in doubt for doubt in doubts(report))
    check(told >= 3, f"pass.yaml: the sharp turn was seen {told} times")


def test_nothing_is_said_without_need():
    for model in ("heavy-top.yaml", "squeezer.yaml", "bricard.yaml", "four-bar.yaml", "governor.yaml", "rotor.yaml",
                  "radial-engine.yaml", "trebuchet.yaml", "puma560.yaml"):
        report = run(model)
        check(report["status"] == "ok" and not report["warnings"], f"{model}: {report['error']} {report['warnings']}")
    for model in ("slider-crank.yaml", "cart-pole.yaml", "heavy-top.yaml", "puma560.yaml", "double-pendulum.yaml", "newtons-cradle.yaml"):
        for method in ("rk4", "ab3:adaptive=0"):
            report = run(model, "--integrator", method, "--constraints", "index1", "--coordinates", "relative", "--step", "1e-4", "--end", "0.5")
            check(report["status"] == "ok" and not doubts(report), f"{model} {method}: {report['error']} {report['warnings']}")


def test_steps_far_from_the_origin():
    """At 1e5 m positions have roundings of 1e-11 m, which projections cannot go below: they are accepted there, whatever
    the last bits. The motion is smooth and of period 10 s: a method of order 5 takes about ten steps a period and rtol =
    1e-4, four times as many at 1e-7, and hardly ever rejects one."""
    for rtol, most in (("1e-4", 40), ("1e-5", 60), ("2e-6", 80), ("1e-6", 100), ("5e-7", 110), ("1e-7", 160), ("1e-8", 250)):
        for X in ("0", "7e6"):
            report = run("far.yaml", "--set", f"X={X}", "--integrator", f"dopri5:rtol={rtol}", "--constraints", "index1")
            words = f"far.yaml, X = {X}, {rtol}: {report['steps']} steps, {report['rejected']} rejected, {report['error']}"
            check(report["status"] == "ok" and report["steps"] < most and report["rejected"] <= 3, words)
    report = run("far.yaml", "--set", "X=0", "--integrator", "generalized-alpha", "--constraints", "index3")
    check(report["status"] == "ok" and not report["warnings"], "far.yaml with the method that is proposed")


def write_models():
    """The oscillator: x(t) = 1 + 0.1 cos 20 t, energy 2 J for ever. A door at its stop, and a ball that strikes a wall."""
    global HERE
    folder = tempfile.mkdtemp()
    for name in os.listdir(HERE):
        if name.endswith(".yaml"):
            os.symlink(os.path.join(HERE, name), os.path.join(folder, name))
    for name, text in (("oscillator", OSCILLATOR), ("stop", STOP), ("group", GROUP), ("pass", PASS)):
        with open(os.path.join(folder, name + ".yaml"), "w") as file:
            file.write(text)
    HERE = folder


write_models()
for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(f"ran  {name}")
print(f"{checks} checks, {failures} failures")
sys.exit(failures > 0)

"""verge run --verify: the certificate as text, as JSON, in the page, by the model file; exit codes; refusals."""
import json
import os
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
SOURCE = os.environ["VERGE_SOURCE_DIR"]
failures = 0
checks = 0

# x = cos 5t on a rail
MODEL = """\
verge: 1
planar: true
bodies:
  b: {mass: 2, inertia: 1, position: [1, 0]}
joints:
  rail: {prismatic: [ground, b], axis: x}
forces:
  k: {force: b, value: ["-50*joint.rail.displacement", 0]}
run: {integrator: generalized-alpha, step: %s, end: %s%s}
record: [body.b.position.x, body.b.velocity.x, energy.total]
"""


def check(good, what):
    global failures, checks
    checks += 1
    if not good:
        failures += 1
        print("FAILED: " + what)


def verge(*args):
    return subprocess.run([EXE, *args], capture_output=True, text=True)


def main(folder):
    def model(name, step, end, more=""):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(MODEL % (step, end, more))
        return path

    fine, coarse = model("fine.yaml", 1e-3, 2), model("coarse.yaml", 0.2, 20)
    told = verge("run", fine, "--verify")
    lines = told.stdout.rstrip().splitlines()
    check(told.returncode == 0, "a good run: " + told.stderr)
    check(lines[-1].startswith("trusted to ") and lines[-1].endswith(" digits"), "last line: " + lines[-1])
    check(any(line.split()[:1] == ["body.b.position.x"] and "e-" in line for line in lines), "a line a channel")
    for word in ["finer", "independent", "order"]:
        check(word in told.stdout, "'%s' is said" % word)

    report = json.loads(verge("run", fine, "--verify", "--json").stdout)
    found = report["verify"]
    check(found["verdict"] == "trusted" and found["line"] == lines[-1], "JSON and text say the same")
    channel = found["channels"][0]
    # the trapezoidal part of the method: relative frequency error (ωh)²/12 and more, over 10 rad
    check(1e-6 < channel["error"] < 1e-3, "the error is %g" % channel["error"])
    check(abs(channel["order"] - 2) < 0.2, "order 2")
    check({run["role"] for run in found["runs"]} == {"run", "finer", "independent"}, "roles")
    check(len(channel["digits_over_time"]) > 3 and not found["by_time"], "digits over time")
    check("verify" not in json.loads(verge("run", fine, "--json").stdout), "only where asked for")

    same = [json.loads(verge("run", fine, "--verify", "--json").stdout)["verify"] for _ in range(2)]
    check(same[0] == same[1], "the same certificate twice")

    bad = verge("run", coarse, "--verify")
    check("not beyond" in bad.stdout or bad.returncode == 1, "0.2 s is too long: " + bad.stdout[-200:])
    check("too long" in bad.stdout, "and it says why")
    worse = verge("run", model("worse.yaml", 1.0, 20), "--verify")
    check(worse.returncode == 1 and "not to be trusted" in worse.stdout and "not to be trusted" in worse.stderr,
          "a step of 5 rad is not to be trusted: " + worse.stdout[-200:])
    quiet = verge("run", model("worse.yaml", 1.0, 20), "--verify", "-q")
    check(quiet.returncode == 1 and quiet.stderr.rstrip().splitlines()[-1].startswith("verge: error: not to be trusted"),
          "the last word of a quiet run is the reason: " + quiet.stderr)

    asked = model("asked.yaml", 1e-3, 2, ", verify: true")
    check(verge("run", asked).stdout.rstrip().splitlines()[-1] == lines[-1], "run: {verify: true}")

    page = os.path.join(folder, "page.html")
    with open(os.path.join(folder, "beam.yaml"), "w") as file:
        file.write("verge: 1\nplanar: true\ngravity: [0, -9.81]\n"
                   "mesh: {bar: {beam: 4, start: {fixed: ground}, to: [1, 0], EA: 1e4, GAy: 1e4, EIz: 10, m: 1, Jz: 1e-3}}\n"
                   "run: {step: 5e-4, end: 0.05}\nrecord: ['body.bar.5.position.*']\n")
    beam = [json.loads(verge("run", file.name, "--verify", "--json", *more).stdout)["verify"]
            for more in ([], ["--view", page])]
    check([c["name"] for c in beam[0]["channels"]] == ["body.bar.5.position.x", "body.bar.5.position.y"],
          "judged is what is recorded")
    check(beam[0] == beam[1], "a page, which shows more, changes nothing: " + beam[1]["line"])
    check(verge("run", fine, "--verify", "-q", "--view", page).returncode == 0, "with a page")
    with open(page) as file:
        check(lines[-1] in file.read(), "the page has the verdict")
    results = os.path.join(folder, "run.h5")
    check(verge("run", fine, "--verify", "-q", "-o", results).returncode == 0, "with results")

    for options, words in [(["--verify-budget", "0"], "above 0"), (["--verify-budget", "x"], "x")]:
        wrong = verge("run", fine, *options)
        check(wrong.returncode == 2 and words in wrong.stderr, " ".join(options) + ": " + wrong.stderr)
    state = os.path.join(folder, "state")
    verge("run", fine, "-q", "--save-state", state)
    resumed = verge("run", fine, "--verify", "--resume", state, "--end", "3")
    check(resumed.returncode == 2 and "resumed" in resumed.stderr, "no certificate of half a run: " + resumed.stderr)

    # shipped models against a truth computed in another way
    names = ["bricard", "cart", "four-bar-spatial", "heavy-top", "puma560", "slider-crank-3d", "squeezer", "trebuchet"]
    models = [os.path.join(SOURCE, "models", name + ".yaml") for name in names]
    right = subprocess.run([sys.executable, os.path.join(SOURCE, "scripts", "certificates"), *models],
                           capture_output=True, text=True)
    check(right.returncode == 0, "claims of shipped models:\n" + right.stdout + right.stderr)
    check(right.stdout.count("unknown 0") == len(names), "all of their channels are known:\n" + right.stdout)


with tempfile.TemporaryDirectory() as place:
    main(place)
print("%d checks, %d failures" % (checks, failures))
sys.exit(1 if failures else 0)

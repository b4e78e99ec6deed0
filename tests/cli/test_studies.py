"""spectrum, converge and compare as a user meets them: tables, JSON, CSV, pictures, exit codes."""
import csv
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

EXE = os.environ["VERGE_EXE"]
MODELS = pathlib.Path(os.environ["VERGE_SOURCE_DIR"]) / "models"
problems = []


def verge(*words, code=0):
    done = subprocess.run([EXE, *map(str, words)], capture_output=True, text=True)
    check(done.returncode == code, f"verge {' '.join(map(str, words))}: exit {done.returncode}, {done.stderr[:300]}")
    return done


def check(good, text):
    if not good:
        problems.append(text)


def without_times(run):
    return {k: v for k, v in run.items() if k not in ("seconds", "step_us", "realtime")}


def spectrum(folder):
    out = json.loads(verge("spectrum", "rk4", "generalized-alpha:rho=0.5", "--region", "--json", "--points", 9,
                           "--csv", folder / "s.csv", "--plot", folder / "s").stdout)["integrators"]
    check(abs(out[0]["growth_beyond"] - 8 ** 0.5) < 1e-5, "rk4 is stable up to 2√2")
    check(abs(out[1]["radius_at_infinity"] - 0.5) < 1e-6, "radius of generalized-alpha at infinity")
    check(out[0]["radius_at_infinity"] is None, "rk4 has no limit there")
    edge = list(csv.DictReader(open(folder / "s-region.csv")))
    real = [float(e["re"]) for e in edge if e["integrator"] == "rk4" and abs(float(e["im"])) < 1e-9]
    check(any(abs(x + 2.785293563405282) < 1e-5 for x in real), f"rk4's boundary on the real axis: {real}")
    check("growth at every step" in verge("spectrum", "bdf3", "--points", 2).stdout, "backward differences of order 3 grow")
    check(out[1]["growth_beyond"] is None, "generalized-alpha does not grow")
    rows = list(csv.DictReader(open(folder / "s.csv")))
    check(len(rows) == 18, "spectrum writes its points")
    for name in ("radius", "decay", "elongation", "region"):
        check((folder / f"s-{name}.svg").read_text().startswith("<svg"), f"picture {name}")
    verge("spectrum", "nothing", code=2)
    for name in ("adams", "bdf"):  # wrong input, for there is nothing to look at
        wrong = verge("spectrum", name, code=2).stderr
        check("no amplification matrix" in wrong, wrong)
    out = json.loads(verge("spectrum", "newmark:gamma=0.5,beta=0.25", "sdirk:gamma=0.292893218813452", "abm:order=6", "--points", 2,
                           "--json").stdout)["integrators"]
    check([m["order"] for m in out] == [2, 2, 6], "orders follow the parameters")
    out = json.loads(verge("spectrum", "lms2:rho=1.5", "RK4", "--points", 2, "--json", code=2).stdout)
    check(out["status"] == "failed" and "outside 0 to 1" in out["error"], "the answer as a whole")
    out = out["integrators"]
    check("outside 0 to 1" in out[0]["error"] and out[1]["order"] == 4, "a setting out of range, and what else there is")


def methods_from_files(folder):
    """A path on the command line begins where one is, a path in a model at the model. What is wrong is said with its place, and nothing
    is written."""
    rule = "multistep: {alpha: [1], beta: [1/2, 1/2]}\n"
    away, there = folder / "away", folder / "there"
    for place in (away, there):
        place.mkdir()
    (away / "mine.yaml").write_text(rule)
    (there / "other.yaml").write_text(rule)
    text = (MODELS / "pendulum.yaml").read_text()
    (there / "p.yaml").write_text(text)
    (there / "own.yaml").write_text("".join("run: {integrator: file:other.yaml, step: 0.01, end: 0.1}\n" if line.startswith("run:") else line
                                            for line in text.splitlines(keepends=True)))

    def run(*words):
        return subprocess.run([EXE, *words], capture_output=True, text=True, cwd=away)
    for words in (("run", there / "p.yaml", "--integrator", "file:mine.yaml", "--end", "0.1"), ("run", there / "own.yaml"),
                  ("run", there / "own.yaml", "--coordinates", "planar" if "planar: true" in text else "lie"),
                  ("run", there / "p.yaml", "--integrator", "file:mine.yaml,rtol=1e-6", "--end", "0.1"),
                  ("spectrum", "file:mine.yaml", "--points", "2")):
        done = run(*words)
        check(done.returncode == 0, f"{words}: {done.stderr[:300]}")
    bad = {"order": ("tableau:\n  order: 3\n  a: [[0], [1/2]]\n  b: [0, 1]\n", "bad.yaml:2:10: error: order 3 is claimed"),
           "root": ("multistep:\n  alpha: [-4, 5]\n  beta: [0, 4, 2]\n", "bad.yaml:2:10: error: the method is not zero-stable"),
           "double root": ("multistep:\n  alpha: [2, -1]\n  beta: [1, -1, 0]\n", "bad.yaml:2:10: error: the method is not zero-stable"),
           "YAML": ("tableau: {a: [[0], [1/2]\n", "bad.yaml:2:1: error: "),
           "number": ("multistep: {alpha: [1], beta: [1e400, 0]}\n", "bad.yaml:1:32: error: "),
           "empty": ("", "bad.yaml:1:1: error: ")}
    for what, (method, words) in bad.items():
        (away / "bad.yaml").write_text(method)
        for command in (("run", there / "p.yaml", "--end", "0.1", "-o", "out.h5", "--integrator"), ("spectrum", "--csv", "out.csv")):
            done = run(*command, "file:bad.yaml")
            check(done.returncode == 2 and words in done.stderr, f"{what}: exit {done.returncode}, {done.stderr[:300]}")
    check(sorted(p.name for p in away.iterdir()) == ["bad.yaml", "mine.yaml"], f"nothing is written: {sorted(away.iterdir())}")


def converge(folder):
    out = json.loads(verge("converge", MODELS / "pendulum-point.yaml", "--integrators", "generalized-alpha:rho=0.8,tol=1e-13,rk4",
                           "--step", 0.02, "--end", 0.5, "--halvings", 3, "--json", "--csv", folder / "c.csv",
                           "--plot", folder / "c").stdout)
    slopes = [m["slope"] for m in out["methods"]]
    check(len(slopes) == 2 and abs(slopes[0] - 2) < 0.15 and abs(slopes[1] - 4) < 0.4, f"slopes {slopes}")
    check(len(list(csv.DictReader(open(folder / "c.csv")))) == 8, "converge writes its runs")
    for name in ("error", "work"):
        check((folder / f"c-{name}.svg").exists(), f"picture {name}")
    # a tolerance that is given is the loosest; what cannot begin says so once
    out = json.loads(verge("converge", MODELS / "pendulum.yaml", "--integrators", "dopri5:rtol=1e-5,cvode,rattle", "--coordinates", "relative",
                           "--step", 0.05, "--end", 1, "--halvings", 3, "--json").stdout)
    for m in out["methods"][:2]:
        errors = [r["error"] for r in m["runs"]]
        check(errors[0] < 1e-3 and errors[3] < 0.1 * errors[0], f"{m['integrator']}: {errors}")
    check("1e-08" in out["methods"][0]["runs"][3]["integrator"], out["methods"][0]["runs"][3]["integrator"])
    # the order told is that of the parameters; lists know an option's comma from their own
    text = verge("converge", MODELS / "pendulum.yaml", "--integrators",
                 "sdirk:gamma=0.292893218813452,newmark:gamma=0.5,beta=0.25,abm:order=8", "--step", 0.02, "--halvings", 1, "--end", 0.2).stdout
    check([line.split("method ")[1][0] for line in text.splitlines() if "order of the method" in line] == ["2", "2", "8"], text)
    text = verge("converge", MODELS / "pendulum.yaml", "--integrators", "rk4,rattle", "--coordinates", "relative", "--end", 0.2).stdout
    check(text.count("failed:") == 1, text)


RELAY = """verge: 1
planar: true
bodies: {m: {mass: 2, inertia: 1, position: [0.5, 0]}}
forces: {u: {force: m, value: ["if(body.m.position.x > 0, -3, 2)", 0]}}
run: {step: 0.01, end: 3, events: %s}
record: [body.m.position.x, body.m.velocity.x]
"""


def events(folder):
    """Events that the model wants located are located in studies, too: parabolas are then exact at any step"""
    first, speed = (2 / 3) ** 0.5, 1.5 ** 0.5
    t = 3 - first
    for how in ("locate", "pass"):
        model = folder / f"{how}.yaml"
        model.write_text(RELAY % how)
        out = json.loads(verge("compare", model, "--integrators", "rk4,generalized-alpha,midpoint", "--json").stdout)
        errors = [r["error"] for r in out["runs"]]
        check(all((e < 1e-11) == (how == "locate") for e in errors), f"{how}: {errors}")
        line = verge("advise", model).stdout.splitlines()[0]
        check(("events: locate" in line) == (how == "locate"), line)
        at = verge("modes", model, "--at", 3, "--integrator", "midpoint").returncode
        check(at == 0, "modes at a time beyond events")
    out = json.loads(verge("run", folder / "locate.yaml", "--json").stdout)["final"]
    check(abs(out["body.m.position.x"] - (-speed * t + t * t / 2)) < 1e-11, out)


def compare(folder):
    words = ["compare", MODELS / "slider-crank.yaml", "--integrators", "generalized-alpha,bathe,rk4", "--step",
             "2e-3,1e-3", "--end", 0.2, "--json"]
    one = json.loads(verge(*words, "--threads", 1).stdout)
    two = json.loads(verge(*words, "--threads", 2).stdout)
    check(len(one["runs"]) == 6, "every method with every step")
    check([without_times(r) for r in one["runs"]] == [without_times(r) for r in two["runs"]], "the same numbers on two threads")
    check(all(r["error"] < 1e-2 for r in one["runs"]), "small errors")
    out = json.loads(verge("compare", MODELS / "slider-crank.yaml", "--integrators", "generalized-alpha,rk4", "--step",
                           1e-3, "--end", 0.1, "--constraints", "index3,index1", "--json").stdout)
    failed = [r for r in out["runs"] if r["status"] == "failed"]
    check(len(failed) == 1 and all("does not work" in r["reason"] for r in failed), "pairs without sense are failed runs")
    check("failed:" in verge("compare", MODELS / "slider-crank.yaml", "--integrators", "generalized-alpha,rk4", "--step",
                             1e-3, "--end", 0.1, "--constraints", "index3").stdout, "the table tells the reason")
    verge("compare", MODELS / "slider-crank.yaml", "--integrators", "no-such", code=2)
    wrong = verge("compare", MODELS / "slider-crank.yaml", "--integrators", "radua3", code=2).stderr
    check("did you mean 'radau3'" in wrong, wrong)
    for bad in ("rk4:foo=1", "lms2:rho=2", "lms2,rk4:order=3", "lms2:predictor=3", "esdirk436:predictor=1"):
        verge("compare", MODELS / "slider-crank.yaml", "--integrators", bad, code=2)
    verge("compare", MODELS / "pendulum.yaml", "--integrators", "rk4", "--reference", "self", code=2)
    # dials that suit no run are refused before anything runs: a reference that cannot begin does not get to say so
    for command, wrong in (("compare", ("--coordinates", "lies")), ("converge", ("--constraints", "index3"))):
        text = verge(command, MODELS / "pendulum.yaml", "--integrators", "rk4", "--reference", "rattle:nonsense=1", *wrong, code=2).stderr
        check(wrong[1] in text and "nonsense" not in text, text)
    # lists of dials, with options that have commas of their own; energy is conserved at the steps of an adaptive method,
    # whatever is interpolated between; a named reference with tolerances is a tight one
    out = json.loads(verge("compare", MODELS / "pendulum.yaml", "--integrators", "rk4,dop853:rtol=1e-10", "--coordinates", "lie,relative",
                           "--constraints", "index1:alpha=5,beta=5,index1", "--reference", "cvode", "--end", 1, "--json").stdout)
    check(len(out["runs"]) == 8 and all(r["status"] == "ok" for r in out["runs"]), "two by two by two")
    check(all(r["error"] < 2e-8 for r in out["runs"]), [r["error"] for r in out["runs"]])
    check(all(r["energy_mean"] < 1e-7 for r in out["runs"]), [r["energy_mean"] for r in out["runs"]])
    # an energy that is zero but for rounding is no measure of its own error
    out = json.loads(verge("compare", MODELS / "pendulum.yaml", "--integrators", "rk4", "--channels", "energy.total", "--end", 1, "--json").stdout)
    check(out["runs"][0]["error"] < 1e-9, out["runs"][0]["error"])
    check(one["status"] == "ok" and one["error"] is None, "status and error, as everywhere")
    for command in ("compare", "converge", "advise"):
        out = json.loads(verge(command, "none.yaml", "--json", code=2).stdout)
        check(out["status"] == "failed" and "none.yaml" in out["error"], f"{command}: {out}")
    out = json.loads(verge("converge", MODELS / "slider-crank.yaml", "--integrators", "no-such", "--json", code=2).stdout)
    check(out["status"] == "failed" and "no-such" in out["error"], out)


def advise(folder):
    out = json.loads(verge("advise", MODELS / "pendulum-point.yaml", "--end", 1, "--json").stdout)
    best = out["recommended"]
    check(best and best["integrator"] and len(out["reasons"]) >= 3, "advice with reasons")
    # behind the ladders of the methods: the same method in the other coordinates, then with other constraint settings
    last = out["trials"][-1]["integrator"]
    pairs = [(r["coordinates"], r["constraints"]) for r in out["trials"] if r["integrator"] == last]
    check({c for c, _ in pairs} == {"natural", "planar", "relative"}, f"each coordinate setting: {pairs}")
    check(len({k for _, k in pairs}) >= 3, f"several constraint settings: {pairs}")
    check(best["met"] and best["error"] <= 1e-4 and best["error_until"] == 1, f"{best}")
    # finer than the first rungs of any ladder; and a whole run that keeps what a short trial promises
    for model, error, end in (("pendulum", 1e-7, 10), ("heavy-top", 1e-6, 1)):
        best = json.loads(verge("advise", MODELS / f"{model}.yaml", "--error", error, "--json").stdout)["recommended"]
        check(best["met"] and best["error"] <= error and best["error_until"] == end, f"{model}: {best}")
        run = ["compare", MODELS / f"{model}.yaml", "--integrators", best["integrator"], "--coordinates", best["coordinates"],
               "--constraints", best["constraints"], "--reference", "radau3", "--reference-step", 5e-4 * end, "--step", best.get("step", 1), "--json"]
        check(json.loads(verge(*run).stdout)["runs"][0]["error"] <= 1.2 * error, f"{model}: by another method")
    text = verge("advise", MODELS / "pendulum-point.yaml", "--end", 1).stdout
    check(text.startswith("run: {coordinates: ") and "because" in text, "advice is a line for the model file")


def examples(folder):
    """What --help shows must run; the longest are cut short."""
    (folder / "models").symlink_to(MODELS)
    fences = [line for line in verge("doc", "commands").stdout.splitlines() if "```" in line]
    check(fences == ["```sh", "```"] * (len(fences) // 2), f"every example is a block of its own: {fences}")
    for command in ("spectrum", "converge", "compare", "advise", "equilibrium", "modes", "linearize", "inverse", "check", "list"):
        text = verge(command, "--help").stdout
        check("Example:" in text, f"{command} --help shows an example")
        for line in text.split("Example:")[1].splitlines():
            if not line.startswith("  verge "):
                continue
            words = shlex.split(line)[1:] + (["--end", "0.2"] if "slider-crank" in line else [])
            done = subprocess.run([EXE, *words], capture_output=True, text=True, cwd=folder)
            check(done.returncode == 0 and "failed" not in done.stdout, f"{line}: {done.stdout[:200]} {done.stderr[:300]}")


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (spectrum, methods_from_files, converge, events, compare, advise, examples):
            part(pathlib.Path(name))
    print("\n".join(problems) or "ok")
    sys.exit(bool(problems))


main()

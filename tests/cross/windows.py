"""The program for Windows, by wine, against the one of this machine: what it prints, the files that it writes, exit codes, refusals.

    windows.py VERGE VERGE.EXE WINE     started by scripts/cross"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE, THERE, WINE = sys.argv[1:4]
MODELS = pathlib.Path(__file__).resolve().parent.parent.parent / "models"
RUN = ["run", "MODEL", "--end", "0.05", "-q"]
CASES = [  # words, the file that is compared; MODEL is a copy of a shipped model
    (["--version"], None), (["list", "joints"], None), (["list", "forces"], None), (["list", "channels", "MODEL"], None),
    (["check", "MODEL"], None), (["check", "missing.yaml"], None), (["check", "wrong.yaml"], None), (["chek"], None),
    ([*RUN, "-o", "run.csv"], "run.csv"), ([*RUN, "--json"], None), ([*RUN, "-o", "run.h5", "--json"], None),
    ([*RUN, "-o", "nowhere/run.csv"], None), (["plot", "run.csv", "-o", "run.svg"], "run.svg"),
    (["plot", "run.h5", "-o", "h5.svg"], "h5.svg"), (["plot", "run.h5", "*.nothing"], None), (["plot", "run.csv"], None),
    (["export", "run.h5", "--csv", "out.csv"], "out.csv"), (["view", "run.h5", "-o", "page.html"], None), (["modes", "MODEL"], None),
    ([*RUN, "--save-state", "a.state"], None), (["schema"], None), (["doc"], None),
    (["compare", "MODEL", "--integrators", "rk4,bdf", "--end", "0.05", "--threads", "2"], None),
]
TIMES = ("time", "seconds", "steps per", "processor", " s of", "real")  # lines that say how long something took


def said(text, words):
    """Lines without those that say how long something took; the last two columns of a comparison are times."""
    lines = text.decode(errors="replace").replace("Z:", "").splitlines()
    lines = [line for line in lines if not any(word in line for word in TIMES)]
    return [" ".join(line.split()[:-2]) for line in lines] if words[0] == "compare" else lines


def main():
    failed = runs = 0
    environment = {**os.environ, "WINEDEBUG": "-all", "COLUMNS": "80"}
    with tempfile.TemporaryDirectory() as wine, tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        environment["WINEPREFIX"] = wine
        subprocess.run([WINE, THERE, "--version"], env=environment, capture_output=True, timeout=300)  # makes the prefix
        for folder in (a, b):
            (pathlib.Path(folder) / "wrong.yaml").write_text("verge: 1\nbodies: {b: {mas: 1}}\n")
        for model in ("pendulum", "slider-crank", "iltis"):
            for folder in (a, b):
                (pathlib.Path(folder) / "m.yaml").write_bytes((MODELS / f"{model}.yaml").read_bytes())
            for words, file in CASES:
                words = ["m.yaml" if word == "MODEL" else word for word in words]
                first = subprocess.run([HERE, *words], cwd=a, capture_output=True, env=environment, timeout=300)
                second = subprocess.run([WINE, THERE, *words], cwd=b, capture_output=True, env=environment, timeout=300)
                same = first.returncode == second.returncode and b"\r" not in second.stdout
                same = same and said(first.stderr, words) == said(second.stderr, words)
                if "--json" not in words:
                    same = same and said(first.stdout, words) == said(second.stdout, words)
                if file:
                    same = same and (pathlib.Path(a) / file).read_bytes() == (pathlib.Path(b) / file).read_bytes()
                runs += 1
                if not same:
                    failed += 1
                    print("DIFFERS windows", model, *words, first.returncode, second.returncode)
                    for x, y in ((first.stdout, second.stdout), (first.stderr, second.stderr)):
                        pairs = [(p, q) for p, q in zip(said(x, words), said(y, words)) if p != q]
                        print("   ", pairs[:2], len(x), len(y))
    print(f"fire: windows: {runs} commands of the program by wine, {failed} differ from this machine's")
    sys.exit(bool(failed) or runs < 3 * len(CASES))


main()

"""One line of every command: what tests of all commands loop over. A command that has none fails them.

COMMANDS: name → (words, input file or None, output file or None). Files are those of prepare(); an input stands in the words, and
an output is their last."""
import os
import pathlib
import subprocess

EXE, SOURCE = os.environ["VERGE_EXE"], pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
M = str(SOURCE / "models")
BALL = """verge: 1
parameters: {g: 10}
gravity: [0, 0, -g]
bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}
run: {step: 1e-2, end: 0.1}
record: [body.ball.position.z]
"""
COMMANDS = {
    "run": (["run", "cart.yaml", "--end", "0.01", "-o", "X.h5"], "cart.yaml", "X.h5"),
    "run csv": (["run", "cart.yaml", "--end", "0.01", "-o", "X.csv"], "cart.yaml", "X.csv"),
    "run state": (["run", "cart.yaml", "--end", "0.01", "--save-state", "X.state"], "cart.yaml", "X.state"),
    "run resume": (["run", "cart.yaml", "--end", "0.03", "--resume", "in.state"], "in.state", None),
    "run json": (["run", "ball.yaml", "--json"], "ball.yaml", None),
    "run verify": (["run", "ball.yaml", "--verify"], "ball.yaml", None),
    "run robot": (["run", "arm.urdf", "--step", "1e-3", "--end", "0.01"], "arm.urdf", None),
    "realtime": (["realtime", "crank.yaml", "--duration", "0.01"], "crank.yaml", None),
    "equilibrium": (["equilibrium", "pendulum.yaml"], "pendulum.yaml", None),
    "modes": (["modes", "cart.yaml"], "cart.yaml", None),
    "linearize": (["linearize", "cart.yaml", "-o", "X.h5"], "cart.yaml", "X.h5"),
    "linearize transfer": (["linearize", "pole.yaml", "--transfer", "1:10:3", "--equilibrium"], "pole.yaml", None),
    "inverse": (["inverse", "puma.yaml", "--motion", "J1=sin(t)", "--end", "0.1", "--step", "0.1", "-o", "X.csv"], "puma.yaml", "X.csv"),
    "reduce": (["reduce", "modes.yaml", "-o", "X.modes"], "modes.yaml", "X.modes"),
    "check": (["check", "cart.yaml"], "cart.yaml", None),
    "import": (["import", "arm.urdf", "-o", "X.yaml"], "arm.urdf", "X.yaml"),
    "import text": (["import", "arm.urdf"], "arm.urdf", None),
    "export gltf": (["export", "in.h5", "--gltf", "X.glb"], "in.h5", "X.glb"),
    "export mcap": (["export", "in.h5", "--mcap", "X.mcap"], "in.h5", "X.mcap"),
    "export mjcf": (["export", "arm.urdf", "--mjcf", "-o", "X.xml"], "arm.urdf", "X.xml"),
    "fmu": (["fmu", "ball.yaml", "-o", "X.fmu"], "ball.yaml", "X.fmu"),
    "list": (["list", "joints"], None, None),
    "plot": (["plot", "in.h5", "-o", "X.svg"], "in.h5", "X.svg"),
    "plot png": (["plot", "in.h5", "-o", "X.png"], "in.h5", "X.png"),
    "plot text": (["plot", "in.csv"], "in.csv", None),
    "view": (["view", "in.h5", "-o", "X.html"], "in.h5", "X.html"),
    "spectrum": (["spectrum", "bathe", "--points", "5", "-o", "X.svg"], None, "X.svg"),
    "converge": (["converge", "ball.yaml", "--integrators", "rk4", "--halvings", "1", "--csv", "X.csv"], "ball.yaml", "X.csv"),
    "compare": (["compare", "ball.yaml", "--integrators", "rk4,bathe", "--csv", "X.csv"], "ball.yaml", "X.csv"),
    "sweep": (["sweep", "ball.yaml", "--vary", "g=9,10", "--keep", "final(energy.total)", "-o", "X.csv"], "ball.yaml", "X.csv"),
    "sweep h5": (["sweep", "ball.yaml", "--vary", "g=9,10", "--keep", "final(energy.total)", "--threads", "2", "-o", "X.h5"], "ball.yaml", "X.h5"),
    "sweep text": (["sweep", "ball.yaml", "--vary", "g=9,10", "--keep", "final(energy.total)"], "ball.yaml", None),
    "sensitivity": (["sensitivity", "ball.yaml", "--parameters", "g", "--keep", "final(body.ball.position.z)"], "ball.yaml", None),
    "identify": (["identify", "ball.yaml", "measured.csv", "--free", "g=5:15", "--match", "body.ball.position.z", "--starts", "1", "-o", "X.html"],
                 "measured.csv", "X.html"),
    "optimize": (["optimize", "ball.yaml", "--free", "g=5:15", "--minimise", "final(body.ball.position.z)^2"], "ball.yaml", None),
    "advise": (["advise", "ball.yaml"], "ball.yaml", None),
    "reproduce": (["reproduce", "--list"], None, None),
    "schema": (["schema"], None, None),
    "completion": (["completion", "bash"], None, None),
    "doc": (["doc", "format"], None, None),
    "doc man": (["doc", "man"], None, None),
    "studio": (["studio", "--help"], None, None),
}


def prepare(folder):
    """The files of COMMANDS in a folder."""
    folder = pathlib.Path(folder)
    copies = {"cart": "cart", "pendulum": "pendulum", "crank": "slider-crank", "puma": "puma560", "modes": "slider-crank-flexible-modes", "pole": "cart-pole"}
    for name, model in copies.items():
        (folder / f"{name}.yaml").write_bytes(pathlib.Path(f"{M}/{model}.yaml").read_bytes())
    for beside in pathlib.Path(M).glob("*.modes"):
        (folder / beside.name).write_bytes(beside.read_bytes())
    (folder / "ball.yaml").write_text(BALL)
    (folder / "arm.urdf").write_bytes((SOURCE / "tests/io/robots/mimic.urdf").read_bytes())
    (folder / "measured.csv").write_text("time,body.ball.position.z\n" + "".join(f"{t / 100},{-9 * (t / 100)**2 / 2}\n" for t in range(11)))
    for words in (["run", "cart.yaml", "--end", "0.01", "-o", "in.h5", "--save-state", "in.state"], ["run", "cart.yaml", "--end", "0.01", "-o", "in.csv"]):
        subprocess.run([EXE, *words, "-q"], cwd=folder, check=True)


def missing(lines):
    """Commands that none of these lines (words) is of."""
    said = subprocess.run([EXE, "list", "commands"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in said.splitlines()} - {words[0] for words in lines}

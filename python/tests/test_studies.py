"""Analyses that return data, files, pictures and pages."""
import doctest
import importlib
import pathlib
import runpy
import subprocess
import sys

import numpy as np
import pytest
import verge
from test_motion import PENDULUM

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("name", ["verge", "verge._model", "verge._sim", "verge._rollout", "verge._builder", "verge._program"])
def test_the_examples_of_the_docstrings(name):
    found = doctest.testmod(importlib.import_module(name), extraglobs={"verge": verge})
    assert found.attempted > 0 and found.failed == 0


def test_inverse_dynamics():
    """φ = a sin ωt needs J φ'' + m g l sin φ."""
    found = verge.Model(PENDULUM).inverse({"O": "0.3*sin(2*t)"}, end=1, step=0.25)
    angle = 0.3 * np.sin(2 * found["time"])
    assert len(angle) == 5 and found["joint.O.angle"] == pytest.approx(angle, abs=1e-14)
    assert found["joint.O.angle.torque"] == pytest.approx(-2 / 3 * 4 * angle + 10 * np.sin(angle), abs=1e-9)


def test_studies_return_data():
    model = verge.Model(PENDULUM).with_parameters(L=0.6, a=0.5)
    orders = model.converge(["rk4"], step=0.02, halvings=3, end=0.5, channels="joint.O.rate")
    assert orders["methods"][0]["slope"] == pytest.approx(4, abs=0.3)
    table = model.compare(["rk4", "dopri5"], step=0.01, end=0.5)
    assert {run["integrator"] for run in table["runs"]} == {"rk4", "dopri5"}
    assert all(run["error"] < 1e-5 for run in table["runs"])
    trust = model.verify(end=0.2)
    assert trust["verdict"] == "trusted" and trust["digits"] > 6
    assert verge.spectrum("rk4", points=3)
    with pytest.raises(verge.InputError, match="generalised|rk45|did you mean"):
        model.compare(["rk45x"], step=0.01)
    own = verge.Model(PENDULUM.replace("joint-torque: O, value: input.torque", "callback: [ground, rod]"))
    own.set_force("motor", lambda t, a, b: [0, 0, 0])
    with pytest.raises(verge.InputError, match="Python functions"):
        own.compare(["rk4"])


def test_files_pictures_and_pages(tmp_path):
    result = verge.Model(PENDULUM).run(interval=0.1)
    h5py = pytest.importorskip("h5py")
    result.save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert np.array_equal(file["time"], result.time) and np.array_equal(file["data"], result.values)
        assert [name.decode() for name in file["channels"]] == result.names
    result.save(tmp_path / "run.csv")
    assert np.genfromtxt(tmp_path / "run.csv", delimiter=",", skip_header=1)[:, 1] == pytest.approx(result.values[:, 0], abs=0)
    with pytest.raises(verge.InputError, match=".csv"):
        result.save(tmp_path / "run.txt")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = result.plot()
    assert len(axes) == 2 and axes[0].get_ylabel() == "rad"
    axes[0].figure.savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 5000
    with pytest.raises(verge.InputError):
        result.plot("nothing.*")
    try:
        page = result.view(tmp_path / "run.html")
    except verge.Error as error:
        pytest.skip(str(error))
    assert "<html" in page.page.lower() and "srcdoc" in page._repr_html_() and (tmp_path / "run.html").exists()


def test_to_pandas():
    pytest.importorskip("pandas")
    frame = verge.Model(PENDULUM).run(interval=0.1).to_pandas()
    assert frame.index.name == "time" and list(frame.columns) == ["joint.O.angle", "joint.O.rate"] and len(frame) == 11


def test_the_program_comes_with_the_package():
    done = subprocess.run([sys.executable, "-c", "import sys; sys.argv = ['verge', '--version']; import verge._program as p; p.main()"],
                          capture_output=True, text=True)
    assert done.returncode == 0 and verge.__version__ in done.stdout


def test_a_builder_knows_every_kind():
    m = verge.ModelBuilder()
    for subject in ("joints", "forces"):
        rows = verge.command("list", subject)[subject]
        assert len(rows) > 10
        for row in rows:
            assert callable(getattr(m, row["name"].replace("-", "_")))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(path, monkeypatch, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")

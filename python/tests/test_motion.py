"""Models, runs and simulations against closed forms."""
import math
import signal
import threading
import time
import warnings

import numpy as np
import pytest
import verge

PENDULUM = """
verge: 1
planar: true
parameters: {L: 1, m: 2, a: 0}
gravity: 10
bodies:
  rod: {mass: m, inertia: m*L^2/12, com: [0, -L/2], angle: a}
joints:
  O: {revolute: [ground, rod]}
forces:
  motor: {joint-torque: O, value: input.torque}
run: {step: 1e-3, end: 1, integrator: rk4, coordinates: relative}
record: [joint.O.angle, joint.O.rate]
"""


def omega(length):
    """Small oscillations of a rod: ω² = 3g/(2L)."""
    return math.sqrt(3 * 10 / (2 * length))


def test_a_run_is_columns():
    sim = verge.Model(PENDULUM).sim()
    result = verge.Model(PENDULUM, L=0.7).run(interval=0.05, record=["joint.O.angle", "body.*.omega", "energy.total"])
    assert sim.time == 0 and result.names == ["joint.O.angle", "body.rod.omega", "energy.total"]
    assert result.units["body.rod.omega"] == "rad/s" and len(result.time) == 21
    assert result["time"] is result.time and "energy.total" in result and list(result) == result.keys()
    assert result.statistics["steps"] == 1000 and result.ok
    with pytest.raises(KeyError, match="did you mean 'joint.O.angle'"):
        result["joint.O.angel"]


def test_parameters_change_the_motion():
    model = verge.Model(PENDULUM)
    for length in (0.5, 1.0, 2.0):
        sim = model.with_parameters(L=length).sim()
        sim.set([1e-4, 0])
        sim.advance(1)
        assert sim["joint.O.angle"] == pytest.approx(1e-4 * math.cos(omega(length)), abs=1e-10)
    assert model.with_parameters(L="m/4").parameters == {"L": 0.5, "m": 2.0, "a": 0.0}
    assert model.parameters["L"] == 1


def test_lists():
    model = verge.Model(PENDULUM)
    assert model.bodies == [("rod", "planar", 2.0)]
    assert model.joints == [("O", "revolute", "ground", "rod")]
    assert model.forces == [("motor", "joint-torque")] and model.inputs == ["torque"] and model.controllers == []
    channels = model.channels()
    assert channels["joint.O.force.x"] == "N" and len(channels) > 20


def test_errors_have_places():
    with pytest.raises(verge.InputError) as caught:
        verge.Model(PENDULUM.replace("mass: m,", "mas: m,"), name="rod.yaml")
    assert (caught.value.file, caught.value.line, caught.value.column) == ("rod.yaml", 7, 9)
    assert "did you mean 'mass'" in str(caught.value)
    with pytest.raises(verge.InputError, match=r"bodies\.rod\.mas: error: .*did you mean 'mass'"):
        verge.Model({"planar": True, "bodies": {"rod": {"mas": 1, "inertia": 1}}})
    with pytest.raises(verge.InputError, match="no parameter 'LL'"):
        verge.Model(PENDULUM, LL=2)
    with pytest.raises(verge.InputError, match="does not exist"):
        verge.load("/nowhere/model.yaml")
    with pytest.raises(verge.InputError, match="joint.O.angle"):
        verge.Model(PENDULUM).sim()["joint.O.angel"]
    with pytest.raises(verge.InputError):
        verge.Model(PENDULUM).run(integrator="rk5")
    with pytest.raises(TypeError):
        verge.Model(3)


def test_a_builder_says_the_line_of_python():
    m = verge.ModelBuilder(planar=True, gravity=10)
    crank = m.body("crank", mass=3, inertia=0.1)
    crank.marker("end", [1, 0])
    m.body("rod", mass=1, inertia=-1); line = here()      # noqa: E702
    m.revolute("O", m.ground, crank)
    m.revolute("A", crank.marker("end"), "rod")
    with pytest.raises(verge.InputError) as caught:
        m.model()
    assert caught.value.file == __file__ and caught.value.line == line
    assert str(caught.value).startswith(f"{__file__}:{line}: error: ")
    with pytest.raises(AttributeError, match="did you mean 'revolute'"):
        m.revolut("B", m.ground, crank)
    with pytest.raises(verge.InputError, match="is there already"):
        m.body("crank", mass=1)


def here():
    import inspect
    return inspect.currentframe().f_back.f_lineno


def test_a_builder_writes_the_same_model():
    m = verge.ModelBuilder(planar=True, gravity=10)
    m.parameter("L", 1), m.parameter("m", 2), m.parameter("a", 0)
    rod = m.body("rod", mass="m", inertia="m*L^2/12", com=[0, "-L/2"], angle="a")
    m.revolute("O", m.ground, rod)
    m.joint_torque("motor", "O", value="input.torque")
    m.options(step=1e-3, end=1, integrator="rk4", coordinates="relative")
    m.record("joint.O.angle", "joint.O.rate")
    runs = []
    for model in (m.model(L=0.8), verge.Model(PENDULUM, L=0.8)):
        sim = model.sim()
        sim.set([1, 0])
        sim.advance(0.5)
        runs.append(sim.state.tobytes())
    assert runs[0] == runs[1]


def test_states_follow_and_are_checked():
    model = verge.Model(PENDULUM)
    sim = model.sim()
    x = sim.state
    assert not x.flags.writeable and sim.state_names() == ["joint.O.angle", "joint.O.rate"]
    sim.set([7 * math.pi, 1], t=2)
    assert sim.time == 2 and x[0] == 7 * math.pi and sim["joint.O.angle"] == pytest.approx(7 * math.pi, abs=1e-13)
    sim.step(0.01)
    assert x[0] == sim["joint.O.angle"] and sim.q[0] == x[0] and sim.v[0] == x[1]
    rate = sim.derivatives()
    assert rate[0] == x[1] and rate[1] == pytest.approx(-1.5 * 10 * math.sin(x[0]), rel=1e-9)
    del sim
    assert np.isfinite(x).all()
    planar = model.sim(coordinates="planar", integrator="generalized-alpha")
    off = np.array(planar.state)
    off[0] += 0.1
    with pytest.raises(verge.SimulationError) as caught:
        planar.state = off
    assert caught.value.joint == "O"
    planar.set(off, project=True)
    with pytest.raises(ValueError):
        planar.set([1, 2])


def test_saved_states_continue_to_the_bit():
    sim = verge.Model(PENDULUM).sim(integrator="bdf")
    sim["body.rod.omega"] = 3
    sim.advance(0.3)
    kept = sim.save()
    sim.advance(0.6)
    first = sim.state.tobytes()
    sim.restore(kept)
    sim.advance(0.6)
    assert sim.state.tobytes() == first
    with pytest.raises(verge.InputError, match="not a checkpoint"):
        sim.restore(b"nothing")


def test_inputs_and_several_channels():
    sim = verge.Model(PENDULUM).sim()
    sim["input.torque"] = 4
    assert sim["joint.O.acceleration"] == pytest.approx(4 / (2 / 3), rel=1e-12)
    sim.set_input(0, -1)
    assert sim.input(0) == -1 and sim.inputs() == ["torque"]
    values = sim.read("joint.O.acceleration", "joint.O.angle")
    assert values == pytest.approx([-1.5, 0]) and sim.watched == ["joint.O.acceleration", "joint.O.angle"]
    assert sim.unit("joint.O.angle") == "rad"
    with pytest.raises(verge.InputError, match="input.torque"):
        sim["input.torqe"] = 1


def test_equilibrium_modes_and_linear_models():
    sim = verge.Model(PENDULUM).sim(coordinates="planar", constraints="index3", integrator="generalized-alpha")
    sim["body.rod.angle"] = 0.4
    sim.equilibrium()
    assert sim["joint.O.angle"] == pytest.approx(0, abs=1e-10)
    modes = sim.modes()
    assert modes.frequency == pytest.approx([omega(1) / (2 * math.pi)], rel=1e-9)
    assert modes.shapes.shape == (1, len(modes.coordinates))
    linear = sim.linearize(outputs=["joint.O.angle"])
    assert linear.inputs == ["input.torque"]
    assert np.sort_complex(np.linalg.eigvals(linear.A)).imag == pytest.approx([-omega(1), omega(1)], rel=1e-8)
    gain = linear.C @ np.linalg.solve(-linear.A, linear.B) + linear.D          # angle of a constant torque
    assert gain[0, 0] == pytest.approx(1 / (2 * 10 * 0.5), rel=1e-8)


def test_runs_that_end_early_keep_what_they_have():
    wild = verge.Model("verge: 1\nplanar: true\nbodies: {a: {mass: 1, inertia: 1, position: [1, 0]}}\n"
                       "joints: {rail: {prismatic: [ground, a], axis: x}}\n"
                       "forces: {f: {joint-torque: rail, value: 1e3*joint.rail.displacement^3}}\n"
                       "run: {step: 1e-2, end: 10, integrator: rk4}\n")
    with pytest.raises(verge.SimulationError) as caught:
        wild.run()
    result = caught.value.result
    assert not result.ok and 1 < len(result.time) and result.t < 10 and np.isfinite(result.values).all()
    assert caught.value.t is not None


def test_ctrl_c_and_progress():
    model = verge.Model(PENDULUM)
    seen = []
    model.run(end=60, every=1000, progress=lambda t, end, steps: seen.append((t, end)))
    assert all(end == 60 for _, end in seen)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    old = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            model.run(end=1e5, every=100000)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            model.sim().advance(1e5)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert time.monotonic() - began < 20
    with pytest.raises(ZeroDivisionError):
        model.run(end=1e5, every=100000, progress=lambda t, end, steps: 1 / 0)


def test_functions_as_forces():
    """A spring written in Python, with its reaction, against the same element of the engine."""
    def text(force):
        return ("verge: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                "  b: {mass: 2, inertia: [1, 2, 2], position: [2.5, 0.3, 0], velocity: [0, 0, 1], markers: {tip: [0.2, 0, 0.1]}}\n"
                f"forces:\n  s: {force}\nrun: {{step: 1e-3, end: 0.5}}\nrecord: [body.*.position.*, body.*.omega.*]\n")

    def pull(t, a, b):
        d = b.position - a.position
        n = d / np.linalg.norm(d)
        return -(50 * (np.linalg.norm(d) - 1) + 2 * (b.velocity - a.velocity) @ n) * n

    built = verge.Model(text("{spring: [a, b.tip], stiffness: 50, length: 1, damping: 2}")).run()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own = verge.Model(text("{callback: [a, b.tip]}"))
        own.set_force("s", pull)
        assert abs(own.run().values - built.values).max() < 1e-8

    broken = verge.Model(text("{callback: [a, b.tip]}"))
    broken.set_force("s", lambda t, a, b: [1, 2, 3] if t < 0.1 else 1 / 0)
    with pytest.raises(ZeroDivisionError):
        broken.run()
    with pytest.raises(ZeroDivisionError):
        broken.sim().advance(0.5)
    with pytest.raises(KeyError):
        broken.set_force("t", pull)


def test_functions_as_controllers():
    """A sampled feedback -k φ of a weightless-gravity rod: the discrete motion has a closed form by matrices."""
    model = verge.Model(PENDULUM.replace("gravity: 10", "gravity: 0"))
    sim = model.sim()
    sim.set([0.2, 0.1])
    h, k, inertia = 0.05, 3.0, 2 / 3
    out = sim.control(lambda s: -k * s["joint.O.angle"], sample=h, end=1, record=["joint.O.angle", "joint.O.rate"])
    x, exact = np.array([0.2, 0.1]), []
    for _ in range(21):
        exact.append(x)
        u = -k * x[0] / inertia
        x = np.array([x[0] + h * x[1] + h * h / 2 * u, x[1] + h * u])
    assert out["time"] == pytest.approx(h * np.arange(21), abs=1e-12)
    assert out["joint.O.angle"] == pytest.approx(np.array(exact)[:, 0], abs=1e-12)
    assert out["input.torque"][0] == pytest.approx(-0.6)
    sim.control(lambda s: {"torque": 1.0}, sample=h, end=1.2)
    assert sim["input.torque"] == 1
    with pytest.raises(ValueError):
        sim.control(lambda s: [1, 2], sample=h, end=2)


def test_rollouts():
    model = verge.Model(PENDULUM)
    rng = np.random.default_rng(1)
    states, torques = 1e-4 * rng.normal(size=(40, 2)), np.zeros((40, 100, 1))
    out = verge.rollout(model, states, torques, step=0.01, channels=["joint.O.angle"], threads=1)
    w, t = omega(1), 0.01 * np.arange(101)
    exact = states[:, :1] * np.cos(w * t) + states[:, 1:] / w * np.sin(w * t)
    assert abs(out.states[:, :, 0] - exact).max() < 1e-9 and (out.status == 0).all() and out.error is None
    assert (out.channels[:, :, 0] == pytest.approx(out.states[:, :, 0], abs=1e-15))
    for threads in (2, 3, 8):
        again = verge.rollout(model, states, torques, step=0.01, threads=threads)
        assert again.states.tobytes() == out.states.tobytes()
    same = verge.rollout(model, states, torques[0], step=0.01)
    assert same.states.tobytes() == out.states.tobytes()
    with pytest.raises(ValueError, match="joint.O.angle"):
        verge.rollout(model, states[:, :1], steps=3)
    bad = verge.rollout(model, [[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]], steps=2, coordinates="planar",
                        constraints="index3", integrator="generalized-alpha")
    assert bad.status.tolist()[1] != 0 and np.isnan(bad.states[1]).all() and "joint 'O'" in bad.error


def test_other_threads_go_on_during_a_rollout():
    model, count = verge.Model(PENDULUM), [0]
    done = threading.Event()

    def work():
        verge.rollout(model, count=200, steps=2000, step=1e-3, threads=1)
        done.set()
    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        count[0] += 1
        time.sleep(1e-3)
    thread.join()
    assert count[0] > 3

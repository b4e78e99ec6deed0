"""Simulations: step by step."""
import dataclasses
import math
import typing

from . import _core
from ._numpy import array, memory, numpy


@dataclasses.dataclass
class Modes:
    """Small motions about a state; shapes is [mode, coordinate], complex."""

    eigenvalues: typing.Any
    frequency: typing.Any
    damping: typing.Any
    shapes: typing.Any
    coordinates: list


@dataclasses.dataclass
class LinearModel:
    """dx/dt = rate + A (x − x0) + B (u − u0),  y = y0 + C (x − x0) + D (u − u0)."""

    A: typing.Any
    B: typing.Any
    C: typing.Any
    D: typing.Any
    x0: typing.Any
    rate: typing.Any
    u0: typing.Any
    y0: typing.Any
    states: list
    inputs: list
    outputs: list


@dataclasses.dataclass
class Partials:
    """Derivatives of forward dynamics a(q, v, u, f) and inverse dynamics τ(q, v, a) at a state, [i, j] = ∂(number i)/∂(number j). f:
    forces and torques along the coordinates; mass is ∂τ/∂a."""

    a_q: typing.Any
    a_v: typing.Any
    a_u: typing.Any
    a_f: typing.Any
    tau_q: typing.Any
    tau_v: typing.Any
    mass: typing.Any


class Sim(_core.Sim):
    """A simulation. Channels are read and set by name.

    >>> model = verge.Model('''
    ... verge: 1
    ... planar: true
    ... gravity: 10
    ... bodies: {rod: {mass: 2, inertia: 0.1, com: [0, -0.5]}}
    ... joints: {O: {revolute: [ground, rod]}}
    ... forces: {motor: {joint-torque: O, value: input.torque}}
    ... run: {step: 1e-3}
    ... ''')
    >>> sim = model.sim(coordinates="relative")
    >>> sim["input.torque"] = 1.2
    >>> round(sim["joint.O.acceleration"], 9)                # 1.2 / (0.1 + 2 · 0.5²)
    2.0
    >>> x = sim.state                                        # follows every step
    >>> sim.advance(0.5)
    >>> bool(x[0] == sim["joint.O.angle"])
    True
    >>> kept = sim.save()
    >>> sim.step(1e-3); sim.restore(kept); round(sim.time, 12)
    0.5
    """

    def __new__(cls, model, coordinates=None, constraints=None, integrator=None, step=0):
        return super().__new__(cls, model._core, coordinates, constraints, integrator, float(step))

    def __init__(self, model, coordinates=None, constraints=None, integrator=None, step=0):
        self.model = model

    def __repr__(self):
        return f"<verge.Sim at t = {self.time:g} s, {len(self.state)} states>"

    # ---- state ----

    @property
    def state(self):
        """The state (coordinates, then rates): a live, read-only view that follows every step."""
        x = array(self.state_view())
        x.flags.writeable = False
        return x

    @state.setter
    def state(self, x):
        self.set(x)

    @property
    def q(self):
        """The coordinates: a live view."""
        return self.state[: self.npositions]

    @property
    def v(self):
        """The rates: a live view."""
        return self.state[self.npositions:]

    def set(self, x, t=math.nan, project=False):
        """Sets the state, and the time if it is given. A state that violates the joints is refused, or projected onto them."""
        x = memory(x)
        if len(x) != 8 * len(self.state):
            raise ValueError(f"the state has {len(self.state)} numbers, not {len(x) // 8}")
        self.set_state(x, t, project)

    def derivatives(self):
        """The rate of the state: dq/dt, then dv/dt. In joint, planar and Euler-angle coordinates."""
        return array(self.state_rate())

    def partials(self):
        """Derivatives of the dynamics at the present state: exact ones for trees in joint coordinates.

        >>> pole = verge.Model('''
        ... verge: 1
        ... planar: true
        ... gravity: 10
        ... bodies: {rod: {mass: 2, inertia: 0.1, com: [0, -0.5]}}
        ... joints: {O: {revolute: [ground, rod]}}
        ... run: {step: 1e-3}
        ... ''')
        >>> round(float(pole.sim(coordinates="relative").partials().a_q[0, 0]), 9)        # −m g l / (J + m l²)
        -16.666666667
        """
        out = [array(matrix) for matrix in super().partials()]
        n = math.isqrt(len(out[0]))
        return Partials(*(matrix.reshape(n, -1) if n else matrix.reshape(0, 0) for matrix in out))

    # ---- channels ----

    def read(self, *names):
        """Values of the channels named (patterns allowed), as an array; sim.watched has their names."""
        if names or not hasattr(self, "watched"):
            self.watched = self.watch(list(names))
            self._read = bytearray(8 * len(self.watched))
        self.read_into(self._read)
        return array(self._read).copy()

    # ---- controllers ----

    def control(self, function, sample, end, record=()):
        """Advances to the time end with a controller in Python: every `sample` seconds function(sim) returns the inputs, which
        are held until the next. A number or a list sets them in the order of inputs(), a dict by name. Returns columns by
        name, a sample each: time, inputs, and the channels of record before the controller acts."""
        names = self.inputs()
        start, steps = self.time, round((end - self.time) / sample)
        if not steps > 0 or abs(start + steps * sample - end) > 1e-9 * max(1.0, abs(end)):
            raise ValueError("the time to the end must be a multiple of sample")
        rows = []
        for k in range(steps + 1):
            seen = self.read(*record) if record else ()
            self._take_inputs(names, function(self))
            rows.append([self.time, *(self.input(i) for i in range(len(names))), *seen])
            if k < steps:
                self.advance(start + (k + 1) * sample)
        columns = ["time", *("input." + name for name in names), *(self.watched if record else ())]
        return dict(zip(columns, numpy().array(rows).T))

    def _take_inputs(self, names, answer):
        if hasattr(answer, "items"):
            for name, value in answer.items():
                self["input." + name] = value
            return
        values = [answer] if not hasattr(answer, "__len__") else answer
        if len(values) != len(names):
            raise ValueError(f"the controller returned {len(values)} inputs; the model has {len(names)}: {', '.join(names)}")
        for i, value in enumerate(values):
            self.set_input(i, value)

    # ---- analyses ----

    def equilibrium(self, relax=False):
        """Moves to the static equilibrium near the present position. relax: by damped motion, to a stable one."""
        super().equilibrium(bool(relax))

    def modes(self):
        """Eigenvalues and mode shapes about the present state."""
        re, im, frequency, damping, names, shape_re, shape_im = super().modes()
        shape = (len(re) // 8, len(names))
        return Modes(array(re) + 1j * array(im), array(frequency), array(damping),
                     array(shape_re, *shape) + 1j * array(shape_im, *shape), names)

    def linearize(self, inputs=None, outputs=None):
        """The linear model about the present state. outputs: channels; None: the states."""
        a, b, c, d, x0, rate, u0, y0, states, ins, outs = super().linearize(inputs, outputs)
        nx, nu, ny = len(states), len(ins), len(outs)
        return LinearModel(array(a, nx, nx), array(b, nx, nu), array(c, ny, nx), array(d, ny, nu), array(x0), array(rate),
                           array(u0), array(y0), states, ins, outs)

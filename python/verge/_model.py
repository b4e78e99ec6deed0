"""Models."""
import collections.abc
import os
import tempfile

from . import _core, _program, _studies
from ._errors import InputError, make_error, warn
from ._force import wrap_force
from ._numpy import numpy
from ._progress import progress_of
from ._result import Result
from ._sim import Sim
from ._text import model_text

Body = collections.namedtuple("Body", "name kind mass")
Joint = collections.namedtuple("Joint", "name kind first second")
Element = collections.namedtuple("Element", "name kind")
PARAMETERS, BODIES, JOINTS, FORCES, CONTROLLERS, INPUTS = range(6)


def load(path, **parameters):
    """Reads a model file. Keywords set its parameters: numbers, or expressions as text.

    >>> model = verge.load("models/pendulum.yaml")          # doctest: +SKIP
    """
    path = os.fspath(path)
    return Model._made(_core.Model(path, None, path, parameters), parameters, path=path)


class Model:
    """A model: from YAML text, a dict, or a ModelBuilder. Keywords set its parameters.

    >>> model = verge.Model({"planar": True, "gravity": 9.81, "parameters": {"L": 1},
    ...     "bodies": {"rod": {"mass": 1, "inertia": "L^2/12", "com": [0, "-L/2"]}},
    ...     "joints": {"O": {"revolute": ["ground", "rod"]}}, "run": {"step": 1e-3, "end": 1}}, L=2)
    >>> model.parameters
    {'L': 2.0}
    >>> model.joints
    [Joint(name='O', kind='revolute', first='ground', second='rod')]
    >>> model.channels("joint.O.a*")
    {'joint.O.angle': 'rad', 'joint.O.acceleration': 'rad/s^2'}
    """

    def __init__(self, source, name="model", **parameters):
        places, functions = None, {}
        if hasattr(source, "_source"):
            source, name, places, functions = source._source()
        elif isinstance(source, collections.abc.Mapping):
            source, name, places = model_text(source)
        elif not isinstance(source, str):
            raise TypeError("a model is made from text, a dict or a ModelBuilder; verge.load reads a file")
        self._fill(_core.Model(None, source, name, parameters), parameters, text=source, places=places)
        for force, function in functions.items():
            self.set_force(force, function)

    @classmethod
    def _made(cls, core, parameters, **how):
        self = cls.__new__(cls)
        self._fill(core, parameters, **how)
        return self

    def _fill(self, core, parameters, path=None, text=None, places=None, functions=None):
        self._core, self._given, self._path, self._text, self._places = core, dict(parameters), path, text, places
        self._functions = {}
        warn(core.lines())
        for name, function in (functions or {}).items():
            self.set_force(name, function)

    def __repr__(self):
        counts = ", ".join(f"{len(what)} {name}" for name, what in
                           (("bodies", self.bodies), ("joints", self.joints), ("forces", self.forces)))
        return f"<verge.Model {self._path or 'from text'}: {counts}>"

    # ---- what is in it ----

    @property
    def parameters(self):
        """Parameters and their values, a dict."""
        return {row[0]: row[2] for row in self._core.listing(PARAMETERS)}

    @property
    def bodies(self):
        """Bodies: name, kind, mass (kg)."""
        return [Body(*row[:3]) for row in self._core.listing(BODIES)]

    @property
    def joints(self):
        """Joints: name, kind and the two bodies."""
        return [Joint(row[0], row[1], row[3], row[4]) for row in self._core.listing(JOINTS)]

    @property
    def forces(self):
        """Force elements: name and kind."""
        return [Element(*row[:2]) for row in self._core.listing(FORCES)]

    @property
    def controllers(self):
        """Controllers: name and kind."""
        return [Element(*row[:2]) for row in self._core.listing(CONTROLLERS)]

    @property
    def inputs(self):
        """Names of the inputs: what laws of the model call input.NAME."""
        return [row[0] for row in self._core.listing(INPUTS)]

    def channels(self, *patterns):
        """Channels and their units, a dict. Patterns may have *; none: all channels."""
        return dict(zip(*self._core.channels(list(patterns))))

    def with_parameters(self, **parameters):
        """A model with other values of the parameters named. The file is not read again.

        >>> model = verge.Model("verge: 1\\nparameters: {m: 1}\\nbodies: {ball: {mass: m, inertia: [m, m, m]}}")
        >>> model.with_parameters(m=3).bodies[0].mass
        3.0
        """
        given = {**self._given, **parameters}
        return Model._made(self._core.another(given), given, path=self._path, text=self._text, places=self._places,
                           functions=self._functions)

    # ---- functions of Python ----

    def set_force(self, name, function):
        """Gives a force element of kind `callback` its function, before the model is used.

        function(t, a, b) gets the time and the motion of the element's frames (position, rotation, velocity, omega, in world
        axes) and returns the force on the second frame, or (force, torque). The opposite acts on the first. It is called
        several times a step and must depend on its arguments alone.
        """
        self._core.set_force(name, wrap_force(function))
        self._functions[name] = function

    def force(self, name):
        """set_force as a decorator.

        >>> model = verge.Model('''
        ... verge: 1
        ... bodies: {ball: {mass: 2, inertia: [1, 1, 1]}}
        ... forces: {wind: {callback: [ground, ball]}}
        ... run: {step: 0.01, end: 1}
        ... ''')
        >>> @model.force("wind")
        ... def wind(t, a, b):
        ...     return [4, 0, 0]
        >>> float(round(model.run(record=["body.ball.position.x"])["body.ball.position.x"][-1], 9))
        1.0
        """
        def take(function):
            self.set_force(name, function)
            return function
        return take

    # ---- motion ----

    def sim(self, coordinates=None, constraints=None, integrator=None, step=0):
        """A simulation, assembled at t = 0. See Sim."""
        return Sim(self, coordinates, constraints, integrator, step)

    def run(self, end=0, step=0, coordinates=None, constraints=None, integrator=None, record=(), interval=0, every=0,
            events=False, progress=None):
        """Runs the model from its start. What is not given is as the model's `run:` and `record:` say.

        Raises SimulationError where the run ends early; its attribute result has what was computed.
        progress: True shows a bar, a function is called with (t, end, steps); None shows a bar in long runs at a terminal.
        """
        shown = progress_of(progress)
        try:
            data = self._core.run(coordinates, constraints, integrator, step, end, interval, every, bool(events),
                                  [record] if isinstance(record, str) else list(record), shown)
        finally:
            shown.close()
        result = Result(self, data)
        if data["status"]:
            error = make_error(data["status"], data["error"], [])
            error.result = result
            raise error
        warn(result.warnings)
        return result

    # ---- analyses of the whole model ----

    def verify(self, end=0, step=0, coordinates=None, constraints=None, integrator=None, channels=(), budget=0):
        """How many digits hold: a dict as under `verify` of `verge run --verify --json`."""
        return _program.parse(self._core.certify(coordinates, constraints, integrator, step, end, list(channels), budget))

    def inverse(self, motion=None, end=0, step=0):
        """Torques and forces that a prescribed motion needs: motion={"J1": "0.5*sin(t)"}, or the model's drives. Columns by
        name, as NumPy arrays: time, motion, torques and forces."""
        rows = self._study("inverse", motion=[f"{k}={v}" for k, v in (motion or {}).items()], end=end, step=step)["rows"]
        return {name: numpy().array([row[name] for row in rows], dtype=float) for name in rows[0]} if rows else {}

    def compare(self, integrators=(), **options):
        """Runs the model with many methods: errors, drift, work. Options as of `verge compare`."""
        return self._study("compare", integrators=",".join(integrators), **options)

    def converge(self, integrators=(), **options):
        """Halves the steps against a reference: errors and measured orders. Options as of `verge converge`."""
        return self._study("converge", integrators=",".join(integrators), **options)

    def advise(self, **options):
        """Recommends dials and step, with reasons. Options as of `verge advise`."""
        return self._study("advise", **options)

    def sweep(self, vary, keep, sample=None, **options):
        """Runs the model with many values of its parameters. Options as of `verge sweep`.

        vary: {"k": "10:100:20", "m": [1, 2, 3], "c": "~normal(3,0.1)"}; keep: quantities. Returns a dict of columns: the
        parameters and quantities of every run as NumPy arrays, "state" and "why" as lists. Runs that failed have NaN.

        >>> model = verge.Model('''
        ... verge: 1
        ... parameters: {g: 10}
        ... gravity: [0, 0, -g]
        ... bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}
        ... run: {step: 0.01, end: 1}
        ... ''')
        >>> table = model.sweep({"g": [8, 10]}, ["final(body.ball.position.z)"])
        >>> table["final(body.ball.position.z)"].round(9).tolist()             # −g/2
        [-4.0, -5.0]
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "study.csv")
            options.setdefault("output", path)
            self._study("sweep", vary=[_studies.axis(*item) for item in vary.items()], keep=_studies.listed(keep), sample=sample, **options)
            return _studies.columns(path) if options["output"] == path else None

    def identify(self, data, free, match, **options):
        """Finds parameters from measurements: values, 95 % intervals, correlations. Options as of `verge identify`.

        data: a CSV or HDF5 file, or a dict of columns with "time"; free: {"k": (10, 200)}; match: a channel, a list of them, or
        {channel: column}.

        >>> import numpy as np
        >>> model = verge.Model('''
        ... verge: 1
        ... parameters: {g: 5}
        ... gravity: [0, 0, -g]
        ... bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}
        ... run: {step: 0.01}
        ... ''')
        >>> t = np.linspace(0, 1, 11)
        >>> found = model.identify({"time": t, "z": -9.81*t**2/2}, {"g": (1, 20)}, {"body.ball.position.z": "z"})
        >>> round(found["parameters"][0]["value"], 6)
        9.81
        """
        with tempfile.TemporaryDirectory() as folder:
            path = _studies.measured(data, folder)
            return self._study("identify", path, free=_studies.ranges(free), match=_studies.matches(match), **options)

    def optimize(self, free, minimise=None, maximise=None, subject=(), **options):
        """Chooses parameters so that a quantity is least or largest. Options as of `verge optimize`.

        free: {"k": (10, 200)}; subject: conditions such as "max(force.spring.force) < 100".

        >>> model = verge.Model('''
        ... verge: 1
        ... parameters: {a: 0.3}
        ... gravity: [0, 0, -10]
        ... bodies: {ball: {mass: 1, inertia: [1, 1, 1], velocity: [10*cos(a), 0, 10*sin(a)]}}
        ... run: {step: 0.01, end: 2.5, integrator: rk4}
        ... ''')
        >>> far = "crossing(body.ball.position.z, 0)*final(body.ball.velocity.x)"
        >>> best = model.optimize({"a": (0.1, 1.5)}, maximise=far)             # 45°
        >>> round(best["parameters"][0]["value"], 5)
        0.7854
        """
        return self._study("optimize", free=_studies.ranges(free), minimise=minimise, maximise=maximise,
                           subject=[subject] if isinstance(subject, str) else list(subject), **options)

    def sensitivities(self, parameters, keep, **options):
        """Derivatives of quantities with respect to parameters, with errors. Options as of `verge sensitivity`.

        Returns {quantity: {parameter: (derivative, error)}}.

        >>> model = verge.Model('''
        ... verge: 1
        ... parameters: {g: 10}
        ... gravity: [0, 0, -g]
        ... bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}
        ... run: {step: 0.01, end: 1}
        ... ''')
        >>> slope, error = model.sensitivities(["g"], ["final(body.ball.position.z)"])["final(body.ball.position.z)"]["g"]
        >>> round(slope, 9), error < 1e-5
        (-0.5, True)
        """
        names = _studies.listed(parameters)
        found = self._study("sensitivity", parameters=",".join(names), keep=_studies.listed(keep), **options)
        return {q["quantity"]: dict(zip(names, zip(q["derivatives"], q["errors"]))) for q in found["quantities"]}

    def check(self):
        """Counts, mass and degrees of freedom, as `verge check` reports them."""
        return self._study("check")

    def _study(self, name, *words, **options):
        if self._functions:
            raise InputError(f"{name} does not know Python functions: forces {', '.join(self._functions)}")
        settings = [f"{key}={value}" for key, value in self._given.items()]
        with tempfile.TemporaryDirectory() as folder:
            path = self._path
            if not path:
                path = os.path.join(folder, "model.yaml")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(self._text)
            return _program.command(name, path, *words, set=settings, **options)

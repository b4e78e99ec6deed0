"""Models written in Python. An error says the line of Python that wrote the part."""
import functools
import sys

from ._errors import InputError
from ._model import Model
from ._program import command
from ._text import model_text


@functools.lru_cache(maxsize=None)
def kinds(subject):
    """Names of the kinds of "joints" or "forces", as the engine has them."""
    return tuple(row["name"] for row in command("list", subject)[subject])


def here():
    """Where the caller's own code is: (shown, file, line)."""
    frame = sys._getframe(1)
    while frame and frame.f_globals.get("__name__", "").startswith("verge."):
        frame = frame.f_back
    if not frame:
        return "model", None, None
    return f"{frame.f_code.co_filename}:{frame.f_lineno}", frame.f_code.co_filename, frame.f_lineno


def dashed(fields):
    return {key.rstrip("_").replace("_", "-"): value for key, value in fields.items()}


class Marker:
    """A frame on a body."""

    def __init__(self, text):
        self.text = text

    def __verge__(self):
        return self.text

    def __repr__(self):
        return f"<verge marker {self.text}>"


class Body(Marker):
    """A body of a ModelBuilder; it stands for its own frame."""

    def __init__(self, builder, name):
        super().__init__(name)
        self.builder, self.name = builder, name

    def marker(self, name, position=None, **fields):
        """A marker on the body; without a position: one that exists already."""
        if position is not None or fields:
            value = dashed(fields)
            if position is not None:
                value["position"] = position
            self.builder._add(("bodies", self.name, "markers", name), value)
        return Marker(f"{self.name}.{name}")


class ModelBuilder:
    """Writes a model part by part.

    >>> m = verge.ModelBuilder(planar=True, gravity=9.81)
    >>> L = m.parameter("L", 0.5)
    >>> rod = m.body("rod", mass=1, inertia="L^2/12", com=[0, "-L/2"], angle=0.1)
    >>> pin = m.revolute("O", m.ground, rod)
    >>> m.record("joint.O.angle")
    >>> m.options(step=1e-3, end=1)
    >>> m.model(L=0.4).run().names
    ['joint.O.angle']
    """

    def __init__(self, title="", planar=False, gravity=0, **fields):
        self._data, self._where, self._functions = {}, {(): here()}, {}
        self._add(("planar",), bool(planar))
        self._add(("gravity",), gravity)
        if title:
            self._add(("title",), title)
        for key, value in dashed(fields).items():
            self._add((key,), value)
        self.ground = Body(self, "ground")

    def _add(self, path, value):
        at = self._data
        for key in path[:-1]:
            at = at.setdefault(key, {})
        if path[-1] in at:
            raise InputError(f"'{path[-1]}' is there already: {self._where.get(path, ('',))[0]}")
        at[path[-1]] = value
        self._where[path] = here()

    def parameter(self, name, value):
        """A parameter; returns its name, for expressions."""
        self._add(("parameters", name), value)
        return name

    def body(self, name, **fields):
        """A body: mass, inertia, com, position, angle, shape, … as in the model file, with _ for -."""
        self._add(("bodies", name), dashed(fields))
        return Body(self, name)

    def joint(self, name, kind, first, second, **fields):
        """A joint of any kind between two frames (bodies or markers)."""
        self._add(("joints", name), {kind: [first, second], **dashed(fields)})
        return name

    def force(self, name, kind, where, **fields):
        """A force element of any kind; function: for kind callback, a Python function (see Model.set_force)."""
        function = fields.pop("function", None)
        if function:
            self._functions[name] = function
        self._add(("forces", name), {kind: where, **dashed(fields)})
        return name

    def controller(self, name, kind, law, **fields):
        """A controller that acts at a fixed rate."""
        self._add(("controllers", name), {kind: law, **dashed(fields)})
        return f"controller.{name}"

    def table(self, name, **fields):
        """A table for laws."""
        self._add(("tables", name), dashed(fields))
        return name

    def options(self, **fields):
        """The `run:` part: step, end, integrator, …"""
        for key, value in dashed(fields).items():
            self._add(("run", key), value)

    def record(self, *channels):
        """Channels to record."""
        self._data.setdefault("record", []).extend(channels)
        self._where[("record",)] = here()

    def __getattr__(self, name):
        kind = name.replace("_", "-")
        if name.startswith("_"):
            raise AttributeError(name)
        if kind in kinds("joints"):
            return lambda name, first, second, **fields: self.joint(name, kind, first, second, **fields)
        if kind in kinds("forces"):
            return lambda name, where, **fields: self.force(name, kind, where, **fields)
        import difflib
        near = difflib.get_close_matches(kind, [*kinds("joints"), *kinds("forces")], 1)
        raise AttributeError(f"there is no joint or force '{kind}'" + (f"; did you mean '{near[0]}'?" if near else ""))

    def text(self):
        """The model as YAML."""
        return model_text(self._data, self._where)[0]

    def _source(self):
        return (*model_text(self._data, self._where), self._functions)

    def model(self, **parameters):
        """The model; keywords set its parameters."""
        return Model(self, **parameters)

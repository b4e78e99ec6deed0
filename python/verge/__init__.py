"""Verge: multibody dynamics.

>>> import verge
>>> model = verge.Model('''
... verge: 1
... planar: true
... parameters: {L: 1}
... gravity: 9.81
... bodies: {rod: {mass: 1, inertia: L^2/12, com: [0, -L/2], angle: 1e-3}}
... joints: {O: {revolute: [ground, rod]}}
... run: {step: 1e-3, end: 1}
... ''', L=0.5)
>>> result = model.run(interval=0.1)
>>> result["joint.O.angle"].shape
(11,)
>>> sim = model.sim(coordinates="relative", integrator="rk4")
>>> sim.step(0.01)
>>> round(sim["joint.O.angle"], 9)
0.000998529
"""
from ._builder import ModelBuilder
from ._core import version as __version__
from ._errors import Error, InputError, SimulationError, VergeWarning
from ._model import Model, load
from ._program import command, spectrum
from ._result import Result, View, view
from ._rollout import Rollout, rollout
from ._sim import LinearModel, Modes, Partials, Sim

__all__ = ["Error", "InputError", "LinearModel", "Model", "ModelBuilder", "Modes", "Partials", "Result", "Rollout", "Sim",
           "SimulationError", "VergeWarning", "View", "command", "load", "rollout", "spectrum", "view", "__version__"]

"""Many short motions at a time."""
import dataclasses
import typing

from . import _core
from ._numpy import array, memory, numpy


@dataclasses.dataclass
class Rollout:
    """Motions: states [motion, sample, state], channels [motion, sample, channel], status [motion] (0: as asked)."""

    states: typing.Any
    channels: typing.Any
    status: typing.Any
    names: list
    state_names: list
    step: float
    error: typing.Optional[str]


def rollout(model, states=None, inputs=None, steps=None, step=0, t=0.0, count=None, coordinates=None, constraints=None,
            integrator=None, channels=(), project=False, threads=0):
    """Computes motions from many states, in threads and without the GIL. The number of threads changes no bit.

    states: [motions, states], or None for the model's own start (then count says how many). inputs: [motions, steps, inputs]
    or [steps, inputs] for all; held during each step. A sample is taken at the start and after each step. Motions that fail
    leave NaN and a status that is not 0; Rollout.error has the words of the first.

    >>> model = verge.Model('''
    ... verge: 1
    ... planar: true
    ... bodies: {a: {mass: 1, inertia: 1}}
    ... joints: {rail: {prismatic: [ground, a], axis: x}}
    ... forces: {push: {joint-torque: rail, value: input.u}}
    ... run: {step: 0.1}
    ... ''')
    >>> out = verge.rollout(model, states=[[0, 0], [0, 1]], inputs=[[1.0]] * 10, coordinates="relative", integrator="rk4")
    >>> out.states[:, -1, 0].round(9).tolist()               # t²/2 and t²/2 + t at t = 1
    [0.5, 1.5]
    """
    np = numpy()
    sim = model.sim(coordinates, constraints, integrator, step)
    nx, nu = len(sim.state), len(model.inputs)
    if states is not None:
        states = np.atleast_2d(np.asarray(states, dtype=float))
        if states.ndim != 2 or states.shape[1] != nx:
            raise ValueError(f"states must be [motions, {nx}]: {', '.join(sim.state_names())}")
        if count not in (None, len(states)):
            raise ValueError("count differs from the number of states")
        count = len(states)
    same = False
    if inputs is not None:
        inputs = np.asarray(inputs, dtype=float)
        if inputs.ndim not in (2, 3) or inputs.shape[-1] != nu:
            raise ValueError(f"inputs must be [motions, steps, {nu}] or [steps, {nu}]: {', '.join(model.inputs)}")
        same = inputs.ndim == 2
        if steps not in (None, inputs.shape[-2]):
            raise ValueError("steps differs from the inputs")
        steps = inputs.shape[-2]
        if not same:
            if count not in (None, len(inputs)):
                raise ValueError("the number of motions differs between states and inputs")
            count = len(inputs)
    if steps is None:
        raise ValueError("how many steps? Give steps or inputs")
    count = 1 if count is None else int(count)
    names = list(channels)
    out, seen = bytearray(8 * count * (steps + 1) * nx), bytearray(8 * count * (steps + 1) * len(names))
    status = bytearray(8 * count)
    lines = model._core.rollout(coordinates, constraints, integrator, float(step), count, int(steps), float(t),
                                None if states is None else memory(states), bool(project),
                                None if inputs is None else memory(inputs), same, names, out, seen, status, int(threads))
    return Rollout(array(out, count, steps + 1, nx), array(seen, count, steps + 1, len(names)),
                   np.frombuffer(status, dtype=np.int32)[:count].copy(), names, sim.state_names(), step,
                   lines[0].removeprefix("error: ") if lines else None)

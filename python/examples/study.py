"""A parameter study: the period of a pendulum over its length and amplitude, against the elliptic integral."""
import numpy as np
import verge

m = verge.ModelBuilder(planar=True, gravity=9.81)
m.parameter("L", 1.0)
m.parameter("start", 0.1)
rod = m.body("rod", mass=1, inertia=1e-9, com=[0, "-L"], angle="start")
m.revolute("O", m.ground, rod)
m.options(step=1e-3, end=4, integrator="rk4", coordinates="relative")
m.record("joint.O.angle", "joint.O.rate")
model = m.model()


def period(result):
    """Time between two crossings of zero upwards, by the rate there."""
    angle, rate, t = result["joint.O.angle"], result["joint.O.rate"], result.time
    i = np.flatnonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    cross = t[i] - angle[i] * (t[i + 1] - t[i]) / (angle[i + 1] - angle[i])
    return cross[1] - cross[0]


def exact(length, amplitude):
    """2π√(L/g) / agm(1, cos(amplitude/2))."""
    a, b = 1.0, np.cos(amplitude / 2)
    for _ in range(6):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return 2 * np.pi * np.sqrt(length / 9.81) / a


print("  L     start   period    exact")
for length in (0.25, 0.5):
    for amplitude in (0.1, 1.0, 2.0):
        found = period(model.with_parameters(L=length, start=amplitude).run())
        print(f"{length:5.2f} {amplitude:6.2f} {found:9.6f} {exact(length, amplitude):9.6f}")
        assert abs(found / exact(length, amplitude) - 1) < 1e-5

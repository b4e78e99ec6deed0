"""Python functions as forces."""
import struct

from ._numpy import numpy


class Motion:
    """Motion of a frame in world axes: position, rotation (3 × 3, columns are the frame's axes), velocity, omega."""

    __slots__ = ("position", "rotation", "velocity", "omega")

    def __init__(self, x):
        self.position, self.rotation, self.velocity, self.omega = x[:3], x[3:12].reshape(3, 3), x[12:15], x[15:18]


def vector(x):
    x = [float(each) for each in x]
    if len(x) != 3:
        raise ValueError("a force and a torque have three components")
    return x


def wrap_force(function):
    """function(t, a, b) as the engine calls it: bytes of both motions to bytes of both wrenches."""
    np = numpy()

    def call(t, motions):
        x = np.frombuffer(motions)
        a, b = Motion(x[:18]), Motion(x[18:])
        answer = function(t, a, b)
        pair = len(answer) == 2
        fx, fy, fz = vector(answer[0] if pair else answer)
        tx, ty, tz = vector(answer[1]) if pair else (0.0, 0.0, 0.0)
        rx, ry, rz = (float(q - p) for p, q in zip(a.position, b.position))
        return struct.pack("12d", -fx, -fy, -fz, -tx - (ry * fz - rz * fy), -ty - (rz * fx - rx * fz),
                           -tz - (rx * fy - ry * fx), fx, fy, fz, tx, ty, tz)
    return call

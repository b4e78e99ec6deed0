"""Pieces that mechanisms are made of: random sizes, solid bodies, joints at points of the world, consistent velocities."""
import math

G = 9.81


def digits(x, n=4):
    """Numbers of a few digits: models that people can read."""
    if isinstance(x, (list, tuple)):
        return [digits(v, n) for v in x]
    return float(f"{x:.{n}g}") if x else 0.0


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def unit(rng):
    while True:
        v = [rng.gauss(0, 1) for _ in range(3)]
        n = math.sqrt(sum(c * c for c in v))
        if n > 0.1:
            return [c / n for c in v]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def add(a, b, s=1.0):
    return [x + s * y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def norm(a):
    return math.sqrt(dot(a, a))


def rotation_matrix(q):
    w, x, y, z = q
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def times(R, v):
    return [dot(row, v) for row in R]


def transposed_times(R, v):
    return [sum(R[i][j] * v[i] for i in range(3)) for j in range(3)]


IDENTITY = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]


class Mechanism:
    """A model in the making. Spatial bodies know their pose (x, R) and velocity (v, w) at the start, so that joints can
    be put at points of the world and velocities be consistent with joint rates."""

    def __init__(self, rng, planar=False, gravity=True):
        self.rng = rng
        self.planar = planar
        self.model = {}
        if planar:
            self.model["planar"] = True
        if gravity:
            self.model["gravity"] = [0, -G] if planar else [0, 0, -G]
        self.model["bodies"], self.model["joints"], self.model["forces"] = {}, {}, {}
        self.pose = {"ground": ([0.0, 0, 0], IDENTITY)}
        self.speed = {"ground": ([0.0, 0, 0], [0.0, 0, 0])}
        self.rate = 1.0  # fastest rate of the motion, rad/s
        self.end = 1.0
        self.stiff = False  # vibrations much faster than the motion: explicit methods are no reference
        self.moving = False  # velocities are given

    # ---- spatial ----
    def body(self, name, x, mass=None, size=0.3, turned=False, inertia=None):
        rng = self.rng
        mass = mass or log_uniform(rng, 0.2, 5)
        entry = {"mass": digits(mass)}
        if inertia is None:
            a, b, c = (size * rng.uniform(0.2, 1) for _ in range(3))
            inertia = [mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12]
        if self.planar:
            entry["inertia"] = digits(inertia if isinstance(inertia, float) else inertia[2])
            entry["position"] = digits(x[:2])
            R = IDENTITY
        else:
            entry["inertia"] = digits(inertia)
            entry["position"] = digits(x)
            R = IDENTITY
            if turned:
                angle = rng.uniform(0.2, 3)
                axis = unit(rng)
                q = [math.cos(angle / 2)] + [math.sin(angle / 2) * c for c in axis]
                entry["quaternion"] = q
                R = rotation_matrix(q)
        x = list(digits(x)) + [0.0] * (3 - len(x))
        self.model["bodies"][name] = entry
        self.pose[name] = (x, R)
        return name

    def frame(self, body, point):
        x, R = self.pose[body]
        local = transposed_times(R, add(point, x, -1))
        return {"body": body, "position": local[:2] if self.planar else local} if body != "ground" else {
            "body": "ground", "position": list(point[:2]) if self.planar else list(point)}

    def joint(self, name, kind, first, second, point, axis=None, **more):
        entry = {kind: [self.frame(first, point), self.frame(second, point)]}
        if axis is not None and not (self.planar and kind == "revolute"):
            entry["axis"] = transposed_times(self.pose[first][1], axis)
            if self.planar:
                entry["axis"] = entry["axis"][:2]
        entry.update(more)
        self.model["joints"][name] = entry
        return name

    def force(self, name, **entry):
        self.model["forces"][name] = entry

    def carry(self, child, parent, point, turning=(0, 0, 0), sliding=(0, 0, 0)):
        """Velocity of child from that of its parent and the joint's own rates, world axes, at a point of the joint."""
        vp, wp = self.speed[parent]
        w = add(wp, turning)
        at = add(add(vp, cross(wp, add(point, self.pose[parent][0], -1))), sliding)
        v = add(at, cross(w, add(self.pose[child][0], point, -1)))
        self.speed[child] = (v, w)

    def give_speeds(self):
        """Writes the velocities of carry() into the model."""
        for body, (v, w) in self.speed.items():
            if body == "ground":
                continue
            entry = self.model["bodies"][body]
            if self.planar:
                entry["velocity"], entry["omega"] = v[:2], w[2]
            else:
                entry["velocity"], entry["omega"] = v, {"world": w}
        self.moving = True

    def times(self, tau, rate=0.0, length=(1.0, 3.0)):
        """tau: time scale of the motion; rate: of a spin, rad/s. The run is a few time scales long."""
        self.rate = max(rate, 1.5 / tau)
        self.end = digits(self.rng.uniform(*length) * tau, 3)
        return self

"""Mechanisms in unusual units, loops with several drives, balls that roll, beams between joints, slow runs."""
import math

from families_loops import bar, four_bar_points
from parts import G, Mechanism, add, digits, log_uniform, norm


def five_bar(rng):
    """Two cranks, both driven, hold a point by two rods; planar, or in space with redundant hinges."""
    m = Mechanism(rng, planar=rng.random() < 0.6)
    m.model["gravity"] = [0, -G] if m.planar else [0, -G, 0]
    L = log_uniform(rng, 0.05, 1)
    z, O, C = [0, 0, 1.0], [0.0, 0.0, 0.0], [L * rng.uniform(0.6, 1.2), 0.0, 0.0]
    r, l = L * rng.uniform(0.2, 0.4), L * rng.uniform(1.2, 1.8)
    a, b = rng.uniform(-3, 3), rng.uniform(-3, 3)
    A, D = [r * math.cos(a), r * math.sin(a), 0.0], [C[0] + r * math.cos(b), r * math.sin(b), 0.0]
    d = add(D, A, -1)
    half = norm(d) / 2
    up = math.sqrt(l * l - half * half)
    B = [(A[0] + D[0]) / 2 - up * d[1] / (2 * half), (A[1] + D[1]) / 2 + up * d[0] / (2 * half), 0.0]
    bar(m, "left", O, A), bar(m, "rod", A, B), bar(m, "link", D, B), bar(m, "right", C, D)
    for name, first, second, p in (("O", "ground", "left", O), ("A", "left", "rod", A), ("B", "rod", "link", B), ("D", "right", "link", D), ("C", "ground", "right", C)):
        m.joint(name, "revolute", first, second, p, z)
    w = digits(rng.uniform(1, 6) * math.sqrt(G / L))
    m.model["joints"]["O"]["drive"] = {"angle": rng.choice([f"{w}*t", f"0.8*sin({w}*t)"])}
    if rng.random() < 0.6:
        m.model["joints"]["C"]["drive"] = {"angle": rng.choice([f"{digits(-0.7 * w)}*t", f"0.5*(1 - cos({w}*t))"])}
    m.times(1.5 / w, w, (1, 4))
    return m


def small_or_large(rng):
    """A pendulum of a few links or a driven four-bar, micrometres or kilometres in size, grams or tons in mass."""
    m = Mechanism(rng, planar=True)
    L = log_uniform(rng, 1e-5, 1e-2) if rng.random() < 0.6 else log_uniform(rng, 10, 3e3)
    density = log_uniform(rng, 0.1, 10) * (1e3 * L * L * L * 1e-3)
    m.heavy = lambda: density * m.rng.uniform(0.3, 3)
    tau = math.sqrt(L / G)
    if rng.random() < 0.5:
        A, B, C = four_bar_points(rng, L)
        O = [0.0, 0.0, 0.0]
        bar(m, "crank", O, A), bar(m, "coupler", A, B), bar(m, "rocker", B, C)
        for name, first, second, p in (("O", "ground", "crank", O), ("A", "crank", "coupler", A), ("B", "coupler", "rocker", B), ("C", "ground", "rocker", C)):
            m.joint(name, "revolute", first, second, p)
        w = digits(rng.uniform(0.5, 4) / tau)
        if rng.random() < 0.5:
            m.model["joints"]["O"]["drive"] = {"angle": f"{w}*t"}
        return m.times(tau, w, (0.7, 2))
    p, parent = [0.0, 0.0, 0.0], "ground"
    for i in range(rng.randint(1, 3)):
        a = rng.uniform(-2.5, 0.5)
        tip = add(p, [L * math.cos(a), L * math.sin(a), 0.0])
        bar(m, f"b{i}", p, tip)
        m.joint(f"j{i}", "revolute", parent, f"b{i}", p)
        p, parent = tip, f"b{i}"
    return m.times(tau, length=(0.7, 2))


def rolling_ball(rng):
    """A ball that rubs on a plane with friction until it rolls, or rolls from the start."""
    planar = rng.random() < 0.5
    m = Mechanism(rng, planar=planar)
    r, mass = digits(log_uniform(rng, 0.03, 0.3)), digits(log_uniform(rng, 0.2, 5))
    omega = rng.uniform(60, 200)  # of the contact as a spring, about
    k = digits(mass * omega**2)
    depth = mass * G / k
    m.body("ball", [0.0, r - depth, 0.0] if planar else [0.0, 0.0, r - depth], mass=mass, inertia=float(0.4 * mass * r * r) if planar else [0.4 * mass * r * r] * 3)
    v, slip = rng.uniform(0.3, 2), rng.choice([0, rng.uniform(-1, 1)])
    m.speed["ball"] = ([v, 0.0, 0.0], [0.0, 0.0, -(v + slip) / r] if planar else [0.0, (v + slip) / r, 0.0])
    m.force("floor", **{"contact-sphere-plane": ["ground", "ball"], "radius": r, "stiffness": k, "exponent": 1, "damping": digits(rng.uniform(0, 0.5)),
                        "friction": digits(rng.uniform(0.1, 0.6)), "velocity": digits(rng.uniform(0.05, 0.2))})
    m.give_speeds()
    m.rate, m.end = max(omega, 3 * v / r), digits(rng.uniform(0.2, 0.6), 3)
    m.corner, m.stiff = True, True
    return m


def beam_between(rng):
    """A beam between two hinges: the coupler of a four-bar, or a rod that hangs on both ends."""
    m = Mechanism(rng, planar=True)
    L = digits(rng.uniform(0.5, 1.2))
    n = rng.randint(2, 4)
    h = digits(L * rng.uniform(0.3, 0.6))
    bar(m, "crank", [0.0, 0, 0], [0.0, h, 0.0]), bar(m, "rocker", [L, 0.0, 0.0], [L, h, 0.0])
    m.joint("O", "revolute", "ground", "crank", [0.0, 0, 0])
    m.joint("C", "revolute", "ground", "rocker", [L, 0.0, 0.0])
    m.model["mesh"] = {"coupler": {"beam": n, "from": [0, h], "to": [L, h], "EA": 1e4, "EIz": digits(10 ** rng.uniform(0.5, 2) * L), "GAy": 4e3,
                                   "m": digits(rng.uniform(0.2, 1)), "damping": digits(rng.uniform(1e-3, 1e-2)),
                                   "start": {"revolute": m.frame("crank", [0.0, h, 0.0])}, "end": {"revolute": m.frame("rocker", [L, h, 0.0])}}}
    if rng.random() < 0.5:
        m.model["joints"]["O"]["drive"] = {"angle": f"{digits(rng.uniform(0.2, 0.8))}*sin({digits(rng.uniform(2, 6))}*t)"}
    m.stiff = True
    return m.times(0.3, 12.0, (0.5, 1.5))

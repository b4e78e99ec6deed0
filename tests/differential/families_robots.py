"""What robots are made of: tendons, stops and rotors of joints, couplings by polynomials, drives with a lag, friction by
reactions, groups of contacts, controllers that sample."""
import math

from families_loops import bar
from parts import G, Mechanism, add, digits, log_uniform


def chain(m, n, L, axis=(0, 0, 1.0)):
    """Links of length L one behind the other, each on a hinge j0, j1, … with a damper; where each begins."""
    rng = m.rng
    p, parent, points = [0.0, 0.0, 0.0], "ground", []
    tau = math.sqrt(L / G)
    for i in range(n):
        a = rng.uniform(-2.2, -0.6)
        d = [L * math.cos(a), L * math.sin(a), 0.0]
        mass = log_uniform(rng, 0.3, 3)
        J = mass * L * L / 12
        m.body(f"b{i}", add(p, d, 0.5), mass=mass, inertia=float(J) if m.planar else [J, J, J], turned=not m.planar and rng.random() < 0.3)
        m.joint(f"j{i}", "revolute", parent, f"b{i}", p, list(axis))
        m.force(f"d{i}", torsion=f"j{i}", stiffness=0, damping=digits(mass * G * L * tau * rng.uniform(0, 0.1)))
        points.append(p)
        p, parent = add(p, d), f"b{i}"
    return points + [p]


def upright(rng):
    m = Mechanism(rng, planar=rng.random() < 0.6)
    m.model["gravity"] = [0, -G] if m.planar else [0, -G, 0]
    return m


def tendon(rng):
    """A finger that a tendon bends: past points of its links, in a third of the cases about a disc."""
    m = upright(rng)
    L, n = log_uniform(rng, 0.03, 0.5), rng.randint(2, 3)
    points = chain(m, n, L)
    weight = sum(b["mass"] for b in m.model["bodies"].values()) * G
    ends = [m.frame("ground", [0.0, 0.4 * L, 0.0]), m.frame(f"b{n - 1}", add(points[n], points[n - 1], -0.3))]
    via = [m.frame(f"b{i}", add(m.pose[f"b{i}"][0], [0.15 * L, 0.15 * L, 0.0])) for i in range(n - 1)]
    kind = rng.choice(["points", "points", "disc"])
    if kind == "disc":
        at = m.frame("b0", m.pose["b0"][0])
        via = [{"cylinder": digits(0.1 * L), "at": at}]
    stretch = weight * rng.uniform(0.5, 2)
    m.force("flexor", tendon=ends, via=via, stiffness=digits(stretch / L * rng.uniform(2, 20)), damping=digits(stretch * math.sqrt(L / G) / L * rng.uniform(0.05, 0.5)),
            preload=digits(stretch * rng.uniform(0.5, 1.5)))
    m.times(math.sqrt(L / G) / 2, length=(1.0, 3.0))
    if kind == "disc":
        m.corner = True  # it may slip over the disc to its other side, where the force jumps
    return m


def stops(rng):
    """Links with rotors that fall onto the stops of their hinges."""
    m = upright(rng)
    L, n = log_uniform(rng, 0.05, 1), rng.randint(1, 3)
    chain(m, n, L)
    tau = math.sqrt(L / G)
    for i in range(n):
        joint = m.model["joints"][f"j{i}"]
        mass = m.model["bodies"][f"b{i}"]["mass"]
        if rng.random() < 0.8:
            torque = mass * G * L
            joint["limits"] = {"lower": digits(-rng.uniform(0.1, 0.6)), "upper": digits(rng.uniform(0.1, 0.6)), "stiffness": digits(torque * log_uniform(rng, 30, 3000)),
                               "damping": digits(rng.uniform(0, 0.6) * tau)}
        if rng.random() < 0.6:
            joint["armature"] = digits(mass * L * L * rng.uniform(0.01, 0.5)) if rng.random() < 0.6 else {"inertia": digits(mass * L * L * 1e-4), "ratio": digits(rng.uniform(5, 40))}
    m.times(tau, 30 / tau, (0.6, 2))
    m.corner = True
    return m


def knuckles(rng):
    """A finger whose joints follow each other by polynomials."""
    m = upright(rng)
    L, n = log_uniform(rng, 0.03, 0.5), rng.randint(2, 4)
    chain(m, n, L)
    for i in range(1, n):
        if i == 1 or rng.random() < 0.7:
            c = [0.0, digits(rng.uniform(-1, 1)), digits(rng.uniform(-0.4, 0.4))] + ([digits(rng.uniform(-0.2, 0.2))] if rng.random() < 0.4 else [])
            m.model["joints"][f"c{i}"] = {"polynomial": [f"j{i}", f"j{i - 1}"], "coefficients": c}
    tau = math.sqrt(L / G)
    if rng.random() < 0.3:
        w = digits(rng.uniform(1, 4) / tau)
        m.model["joints"]["j0"]["drive"] = {"angle": f"{digits(rng.uniform(0.2, 0.8))}*(1 - cos({w}*t))"}
    elif rng.random() < 0.5:
        w0 = rng.uniform(-2, 2) / tau
        for i, b in enumerate(m.model["bodies"]):
            m.model["bodies"][b]["omega"] = w0 if m.planar else {"world": [0, 0, w0]}
            break
    return m.times(tau, length=(0.7, 2))


def lag(rng):
    """Drives whose torque follows a command with a lag, with feedback of the joint."""
    m = upright(rng)
    L, n = log_uniform(rng, 0.1, 1), rng.randint(1, 3)
    chain(m, n, L)
    tau = math.sqrt(L / G)
    for i in range(n):
        torque = m.model["bodies"][f"b{i}"]["mass"] * G * L
        T = digits(tau * rng.uniform(0.03, 0.5))
        goal = f"{digits(rng.uniform(-0.5, 0.5))} - 0.4*joint.j{i}.angle - {digits(0.1 * tau)}*joint.j{i}.rate" if rng.random() < 0.6 else f"sin({digits(2 / tau)}*t)"
        m.force(f"a{i}", activation=digits(rng.uniform(-0.5, 0.5)), rate=f"({goal} - x)/{T}")
        m.force(f"m{i}", **{"joint-torque": f"j{i}", "value": f"{digits(torque * rng.uniform(0.3, 2))}*force.a{i}.activation"})
    return m.times(tau, 1 / (0.1 * tau), length=(0.7, 2))


def rubbing(rng):
    """A slider-crank, or links, whose joints rub by their own reactions."""
    loop = rng.random() < 0.5  # in space its hinges repeat constraints, and single reactions are not unique
    m = Mechanism(rng, planar=True) if loop else upright(rng)
    L = log_uniform(rng, 0.05, 0.5)
    tau = math.sqrt(L / G)
    if not loop:
        n = rng.randint(1, 2)
        chain(m, n, L)
        joints = [(f"j{i}", "revolute") for i in range(n)]
    else:
        r, l, a = L * rng.uniform(0.2, 0.5), L * rng.uniform(1, 2), rng.uniform(-3, 3)
        A = [r * math.cos(a), r * math.sin(a), 0.0]
        B = [A[0] + math.sqrt(l * l - A[1] ** 2), 0.0, 0.0]
        z = [0, 0, 1.0]
        bar(m, "crank", [0.0, 0, 0], A), bar(m, "rod", A, B)
        m.body("slider", B, size=0.3 * L)
        m.joint("O", "revolute", "ground", "crank", [0.0, 0, 0], z)
        m.joint("A", "revolute", "crank", "rod", A, z)
        m.joint("B", "revolute", "rod", "slider", B, z)
        m.joint("guide", "prismatic", "ground", "slider", B, [1.0, 0, 0])
        joints = [("guide", "prismatic"), ("A", "revolute")]
        if rng.random() < 0.5:
            m.model["joints"]["O"]["drive"] = {"angle": f"{digits(rng.uniform(0.5, 3) / tau)}*t"}
    for name, kind in joints:
        m.model["joints"][name]["cut"] = True
        where = {"radius": digits(0.05 * L)} if kind == "revolute" else {"length": digits(0.2 * L)}
        m.force(f"rub_{name}", **{"joint-friction": name, "coefficient": digits(rng.uniform(0.02, 0.3)), **where, "velocity": digits((0.3 if kind == "revolute" else 0.3 * L) / tau)})
    return m.times(tau, length=(0.5, 1.5))


def heap(rng):
    """A few balls of one group that fall onto a plane and each other."""
    planar = rng.random() < 0.5
    m = Mechanism(rng, planar=planar)
    r = digits(log_uniform(rng, 0.03, 0.2))
    n = rng.randint(1, 4)
    fall = r * rng.uniform(0.2, 1)
    v = math.sqrt(2 * G * fall)
    mass = log_uniform(rng, 0.2, 3)
    duration = rng.uniform(0.02, 0.06)
    for i in range(n):
        J = 0.4 * mass * r * r
        side = [rng.uniform(-0.3, 0.3) * r, 0.0 if planar else rng.uniform(-0.3, 0.3) * r]
        height = r + fall + 2.3 * r * (i // 2)
        x = side[0] + 2.4 * r * (i % 2)
        m.body(f"ball{i}", [x, height, 0.0] if planar else [x, side[1], height], mass=mass, inertia=float(J) if planar else [J] * 3)
        m.speed[f"ball{i}"] = ([rng.uniform(-0.3, 0.3), 0.0, 0.0], [0.0, 0.0, rng.uniform(-3, 3)] if planar else [0.0, rng.uniform(-3, 3), 0.0])
    m.give_speeds()
    k = (2.94 * v**-0.2 / duration) ** 2.5 * mass / 1.25
    law = {"damping": digits(rng.uniform(0.05, 0.5))} if rng.random() < 0.5 else {"restitution": digits(rng.uniform(0.5, 0.95)), "speed": digits(v)}
    m.model["contacts"] = {"heap": {"among": ["ball*"], "planes": ["ground"], "radius": r, "stiffness": digits(k), "friction": digits(rng.choice([0, rng.uniform(0.1, 0.5)])),
                                    "velocity": digits(rng.uniform(0.05, 0.2)), **law}}
    m.rate, m.end = 1 / duration, digits(math.sqrt(2 * fall / G) * rng.uniform(1.2, 1.8) + duration, 3)
    m.corner = True
    return m


def sampled(rng):
    """Links under controllers that act at samples."""
    m = upright(rng)
    L, n = log_uniform(rng, 0.1, 1), rng.randint(1, 3)
    chain(m, n, L)
    tau = math.sqrt(L / G)
    m.times(tau, length=(0.7, 1.5))
    m.model["controllers"] = {}
    for i in range(n):
        torque = m.model["bodies"][f"b{i}"]["mass"] * G * L
        sample = digits(m.end / rng.choice([20, 40, 80, 50]), 12)
        p = digits(torque * rng.uniform(0.3, 2))
        m.model["controllers"][f"c{i}"] = {"pid": f"{digits(rng.uniform(-0.4, 0.4))} - joint.j{i}.angle", "p": p, "d": digits(0.05 * p * tau), "sample": sample}
        m.force(f"m{i}", **{"joint-torque": f"j{i}", "value": f"controller.c{i}"})
    return m


def cam(rng):
    """A law of the motion with corners: a table of a spring, or min and max in a law."""
    m = upright(rng)
    L, n = log_uniform(rng, 0.05, 0.5), rng.randint(1, 2)
    chain(m, n, L)
    tau = math.sqrt(L / G)
    for i in range(n):
        s = m.model["bodies"][f"b{i}"]["mass"] * G * L * rng.uniform(1, 10)
        a = digits(rng.uniform(0.05, 0.4))
        if rng.random() < 0.5:
            m.model.setdefault("tables", {})[f"t{i}"] = [[-2.0, digits(-s)], [-a, digits(-0.1 * s)], [a, digits(0.1 * s)], [2.0, digits(s)]]
            m.force(f"k{i}", torsion=f"j{i}", table=f"t{i}")
        else:
            m.force(f"k{i}", **{"joint-torque": f"j{i}", "value": f"-{digits(s)}*(max(x - {a}, 0) + min(x + {a}, 0)) - {digits(0.05 * s * tau)}*v"})
    m.times(tau, length=(0.7, 2))
    m.corner = True
    return m

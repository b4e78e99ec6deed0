"""Mechanisms with closed loops, with and without redundant constraints."""
import math

from parts import G, Mechanism, add, digits, log_uniform, norm, unit


def bar(m, name, a, b, thick=0.1):
    """A slender body between two points."""
    d = add(b, a, -1)
    L = norm(d)
    mass = m.heavy() if hasattr(m, "heavy") else log_uniform(m.rng, 0.2, 5)
    J = mass * L * L / 12
    if m.planar:
        m.body(name, add(a, d, 0.5), mass=mass, inertia=float(J))
    else:
        m.body(name, add(a, d, 0.5), mass=mass, inertia=[J * 1.05, J * 1.0, J * 1.02], turned=m.rng.random() < 0.3)
    return name


def crank_start(m, crank, tau):
    """Either at rest or with a rate of the crank; the others follow."""
    rng = m.rng
    kind = rng.choice(["rest", "moving", "driven", "driven"])
    w = digits(rng.uniform(0.5, 4) / tau)
    if kind == "moving":
        p = m.model["bodies"][crank]["position"]
        if m.planar:
            m.model["bodies"][crank]["omega"] = w
            m.model["bodies"][crank]["velocity"] = [-w * p[1], w * p[0]]
        else:
            m.model["bodies"][crank]["omega"] = {"world": [0, 0, w]}
            m.model["bodies"][crank]["velocity"] = [-w * p[1], w * p[0], 0]
    if kind == "driven":
        law = rng.choice([f"{w}*t", f"{digits(0.5 * w / tau)}*t^2", f"{digits(rng.uniform(0.3, 1))}*sin({w}*t)"])
        m.model["joints"]["O"]["drive"] = {"angle": law}
    if rng.random() < 0.3:
        m.force("load", **{"joint-torque": "O", "value": f"{digits(rng.uniform(0.1, 2))}*cos({w}*t)"}) if kind != "driven" else None
    if rng.random() < 0.3:
        hinges = [name for name, joint in m.model["joints"].items() if "revolute" in joint and name != "O"]
        m.force("drag", torsion=hinges[0] if hinges else "O", stiffness=0, damping=digits(rng.uniform(0.01, 0.3)))
    m.times(tau, w if kind != "rest" else 0.0)
    m.end = min(m.end, digits(10 / w, 3))
    return m


def four_bar_points(rng, L):
    """Crank, coupler, rocker of a loop that can be closed, away from singular positions."""
    while True:
        ground = [L * rng.uniform(1.2, 2.5), rng.uniform(-0.3, 0.3) * L, 0.0]
        crank = L * rng.uniform(0.3, 0.8)
        coupler, rocker = L * rng.uniform(1, 2.2), L * rng.uniform(0.9, 2)
        a = rng.uniform(-math.pi, math.pi)
        A = [crank * math.cos(a), crank * math.sin(a), 0.0]
        d = add(ground, A, -1)
        D = norm(d)
        if not abs(coupler - rocker) * 1.15 < D < 0.9 * (coupler + rocker):
            continue
        lengths = sorted([norm(ground), crank, coupler, rocker])
        if lengths[0] + lengths[3] > 0.9 * (lengths[1] + lengths[2]):
            continue  # a crank that can turn: no dead point on the way
        x = (coupler**2 - rocker**2 + D * D) / (2 * D)
        y = math.sqrt(max(coupler**2 - x * x, 0))
        e = [d[0] / D, d[1] / D, 0.0]
        side = rng.choice([-1, 1])
        B = [A[0] + x * e[0] - side * y * e[1], A[1] + x * e[1] + side * y * e[0], 0.0]
        return A, B, ground


def four_bar(rng):
    m = Mechanism(rng, planar=True)
    L = log_uniform(rng, 0.1, 1)
    A, B, C = four_bar_points(rng, L)
    O = [0.0, 0.0, 0.0]
    bar(m, "crank", O, A), bar(m, "coupler", A, B), bar(m, "rocker", B, C)
    m.joint("O", "revolute", "ground", "crank", O)
    m.joint("A", "revolute", "crank", "coupler", A)
    m.joint("B", "revolute", "coupler", "rocker", B)
    m.joint("C", "revolute", "ground", "rocker", C)
    if rng.random() < 0.3:
        m.force("spring", spring=["ground", "coupler"], stiffness=digits(rng.uniform(1, 30) * G / L), damping=digits(rng.uniform(0, 2)))
    return crank_start(m, "crank", math.sqrt(L / G))


def upright(rng):
    """A mechanism of the plane, planar or in space with gravity in its plane."""
    m = Mechanism(rng, planar=rng.random() < 0.7)
    m.model["gravity"] = [0, -G] if m.planar else [0, -G, 0]
    return m


def slider_crank(rng):
    m = upright(rng)
    L = log_uniform(rng, 0.05, 1)
    r, l = L * rng.uniform(0.2, 0.6), L * rng.uniform(1, 2)
    a = rng.uniform(-3, 3)
    A = [r * math.cos(a), r * math.sin(a), 0.0]
    h = L * rng.choice([0, rng.uniform(-0.2, 0.2)])
    B = [A[0] + math.sqrt(l * l - (A[1] - h) ** 2), h, 0.0]
    O, z = [0.0, 0, 0], [0, 0, 1.0]
    bar(m, "crank", O, A), bar(m, "rod", A, B)
    m.body("slider", B, size=0.3 * L)
    m.joint("O", "revolute", "ground", "crank", O, z)
    m.joint("A", "revolute", "crank", "rod", A, z)
    m.joint("B", "revolute", "rod", "slider", B, z)
    m.joint("guide", "prismatic", "ground", "slider", B, [1.0, 0, 0])
    return crank_start(m, "crank", math.sqrt(L / G))


def parallelogram(rng):
    """Windows in a row: each adds a redundant bar."""
    m = upright(rng)
    L = log_uniform(rng, 0.2, 1)
    n = rng.randint(2, 4)
    a = rng.uniform(-2.6, -0.5)
    d = [L * math.cos(a), L * math.sin(a), 0.0]
    z = [0, 0, 1.0]
    s = L * rng.uniform(0.8, 1.5)
    bar(m, "plate", d, add(d, [s * (n - 1), 0.0, 0.0]))
    for i in range(n):
        p = [s * i, 0.0, 0.0]
        b = bar(m, f"b{i}", p, add(p, d))
        m.joint("O" if i == 0 else f"g{i}", "revolute", "ground", b, p, z)
        m.joint(f"h{i}", "revolute", b, "plate", add(p, d), z)
    tau = math.sqrt(L / G)
    if rng.random() < 0.6:
        w = digits(rng.uniform(-2, 2) / tau)
        for i in range(n):
            m.carry(f"b{i}", "ground", [s * i, 0.0, 0.0], turning=[0, 0, w])
        m.speed["plate"] = ([-w * d[1], w * d[0], 0.0], [0.0, 0.0, 0.0])
        m.give_speeds()
    return m.times(tau, length=(0.5, 1.0))


def spatial_four_bar(rng):
    """The planar four-bar in space with four hinges: three redundant constraints."""
    m = Mechanism(rng)
    L = log_uniform(rng, 0.1, 1)
    A, B, C = four_bar_points(rng, L)
    O, z = [0.0, 0.0, 0.0], [0, 0, 1.0]
    m.model["gravity"] = [0, -G, 0]
    bar(m, "crank", O, A), bar(m, "coupler", A, B), bar(m, "rocker", B, C)
    kinds = rng.choice([("revolute", "revolute"), ("revolute", "revolute"), ("spherical", "revolute"), ("spherical", "cylindrical"), ("cylindrical", "spherical")])
    m.joint("O", "revolute", "ground", "crank", O, z)
    m.joint("A", "revolute", "crank", "coupler", A, z)
    m.joint("B", kinds[0], "coupler", "rocker", B, None if kinds[0] == "spherical" else z)
    m.joint("C", kinds[1], "ground", "rocker", C, None if kinds[1] == "spherical" else z)
    return crank_start(m, "crank", math.sqrt(L / G))


def spatial_slider_crank(rng):
    m = Mechanism(rng)
    L = log_uniform(rng, 0.05, 1)
    r = L * rng.uniform(0.2, 0.5)
    a = rng.uniform(-3, 3)
    z = [0, 0, 1.0]
    A = [r * math.cos(a), r * math.sin(a), 0.0]
    axis = [1.0, 0.0, rng.uniform(-0.6, 0.6)]
    axis = [c / norm(axis) for c in axis]
    base = [0.0, L * rng.uniform(-0.2, 0.2), L * rng.uniform(-0.3, 0.3)]
    B = add(base, axis, L * rng.uniform(1.0, 1.8))
    bar(m, "crank", [0.0, 0, 0], A)
    m.body("slider", B, size=0.3 * L)
    m.joint("O", "revolute", "ground", "crank", [0.0, 0, 0], z)
    if rng.random() < 0.4:
        m.model["joints"]["rod"] = {"distance": [m.frame("crank", A), m.frame("slider", B)]}
    else:
        bar(m, "rod", A, B)
        m.joint("A", "spherical", "crank", "rod", A)
        along = add(B, A, -1)
        across = [-along[1], along[0], 0.0]
        across = [c / norm(across) for c in across]
        m.joint("B", "universal", "slider", "rod", B, across, axis2=None)
        R = m.pose["rod"][1]
        n = [along[1] * across[2] - along[2] * across[1], along[2] * across[0] - along[0] * across[2], along[0] * across[1] - along[1] * across[0]]
        n = [c / norm(n) for c in n]
        m.model["joints"]["B"]["axis2"] = [sum(R[k][j] * n[k] for k in range(3)) for j in range(3)]
    m.joint("guide", "prismatic", "ground", "slider", B, axis)
    return crank_start(m, "crank", math.sqrt(L / G))


def random_loop(rng):
    """A chain in space whose tip is held by something: a rod, a plane, a line, a ball joint."""
    m = Mechanism(rng)
    L = log_uniform(rng, 0.2, 1)
    n = rng.randint(2, 4)
    p, parent = [0.0, 0, 0], "ground"
    freedom = 0
    for i in range(n):
        d = [c * L for c in unit(rng)]
        b = m.body(f"b{i}", add(p, d, 0.5), size=L, turned=rng.random() < 0.5)
        kind = rng.choice(["revolute", "spherical", "universal"]) if i else rng.choice(["spherical", "revolute"])
        freedom += {"revolute": 1, "spherical": 3, "universal": 2}[kind]
        if kind == "universal":
            axis = unit(rng)
            across = [axis[1], -axis[0], 0.0]
            across = [c / norm(across) for c in across]
            R = m.pose[b][1]
            m.joint(f"j{i}", kind, parent, b, p, axis, axis2=[sum(R[k][j] * across[k] for k in range(3)) for j in range(3)])
        else:
            m.joint(f"j{i}", kind, parent, b, p, unit(rng) if kind == "revolute" else None)
        p, parent = add(p, d), b
    closings = ["distance", "point-on-plane"] if freedom < 5 else ["distance", "point-on-plane", "spherical", "point-on-line"]
    kind = rng.choice(closings)
    if kind == "distance":
        q = add(p, [c * L * rng.uniform(0.5, 1.5) for c in unit(rng)])
        m.model["joints"]["close"] = {"distance": [m.frame("ground", q), m.frame(parent, p)]}
    elif kind == "spherical":
        m.joint("close", kind, "ground", parent, p)
    else:
        m.joint("close", kind, "ground", parent, p, unit(rng))
    tau = math.sqrt(L / G)
    if rng.random() < 0.5:
        b = rng.choice([k for k in m.model["bodies"]])
        m.force("push", force=b, value=[f"{digits(rng.uniform(0, 5))}*sin({digits(3 / tau)}*t)", 0, digits(rng.uniform(-5, 5))])
    return m.times(tau, length=(0.5, 1.5))

"""Gyroscopes that are carried, shafts with universal joints, wheels on slopes, cars on tyres, spins over hundreds of turns."""
import math

from families_more import axle, wheeled_robot, wheelset
from families_trees import gimbal, top
from parts import G, Mechanism, add, cross, digits, dot, log_uniform, norm, unit


def rotor_on(m, carrier, point, L, spin):
    """A gyroscope in one or two rings on a body, at a point of the world."""
    rng = m.rng
    ring = rng.random() < 0.6
    parent = carrier
    mass = log_uniform(rng, 0.1, 2)
    r = L * rng.uniform(0.2, 0.6)
    J = mass * r * r / 2
    first, second = unit(rng), unit(rng)
    if ring:
        m.body("ring", point, mass=0.2 * mass, size=L)
        m.joint("tilt", "revolute", carrier, "ring", point, first)
        tilting = rng.choice([0, rng.uniform(-2, 2)])
        m.carry("ring", carrier, point, turning=[c * tilting for c in first])
        parent = "ring"
        if rng.random() < 0.6:
            m.force("soft", torsion="tilt", stiffness=digits(J * spin * rng.uniform(0.1, 2)), damping=digits(J * spin * rng.uniform(0, 0.1)))
    q = turned_to(second)
    m.body("rotor", point, mass=mass, inertia=[0.55 * J, 0.55 * J, J])
    m.model["bodies"]["rotor"]["quaternion"] = q
    from parts import rotation_matrix
    m.pose["rotor"] = (m.pose["rotor"][0], rotation_matrix(q))
    m.joint("spin", "revolute", parent, "rotor", point, second)
    m.carry("rotor", parent, point, turning=[spin * c for c in second])
    if rng.random() < 0.3:
        m.model["joints"]["spin"]["drive"] = {"angle": f"{spin}*t"}


def turned_to(axis):
    """The quaternion that turns z to an axis."""
    angle = math.acos(max(-1.0, min(1.0, axis[2])))
    across = [-axis[1], axis[0], 0.0]
    n = norm(across)
    if n < 1e-9:
        return [1.0, 0.0, 0.0, 0.0]
    return [math.cos(angle / 2)] + [math.sin(angle / 2) * c / n for c in across]


def carried_gyro(rng):
    """A fast rotor on something that moves: a pendulum, a cart, a turntable, a free body."""
    m = Mechanism(rng, gravity=rng.random() < 0.8)
    L = log_uniform(rng, 0.1, 1)
    spin = digits(log_uniform(rng, 20, 500))
    tau = math.sqrt(L / G)
    kind = rng.choice(["pendulum", "cart", "turntable", "free"])
    w = rng.uniform(-3, 3)
    if kind == "pendulum":
        axis, d = unit(rng), [c * L for c in unit(rng)]
        m.body("arm", add([0.0] * 3, d, 0.5), size=L, turned=rng.random() < 0.5)
        m.joint("O", rng.choice(["revolute", "spherical"]), "ground", "arm", [0.0] * 3, axis)
        if "spherical" in m.model["joints"]["O"]:
            del m.model["joints"]["O"]["axis"]
        m.carry("arm", "ground", [0.0] * 3, turning=[w * c for c in axis])
        rotor_on(m, "arm", d, L, spin)
    elif kind == "cart":
        m.body("cart", [0.0] * 3, size=L, mass=rng.uniform(1, 5))
        m.joint("rail", "prismatic", "ground", "cart", [0.0] * 3, [1.0, 0, 0])
        m.carry("cart", "ground", [0.0] * 3, sliding=[w * L, 0, 0])
        m.force("tow", torsion="rail", stiffness=digits(rng.uniform(10, 100)), damping=digits(rng.uniform(0, 2)))
        rotor_on(m, "cart", [0.2 * L, 0.0, 0.1 * L], L, spin)
    elif kind == "turntable":
        m.body("table", [0.0] * 3, size=L, mass=rng.uniform(1, 5))
        m.joint("O", "revolute", "ground", "table", [0.0] * 3, [0, 0, 1.0])
        rate = digits(rng.uniform(0.3, 3))
        driven = rng.random() < 0.6
        if driven:
            m.model["joints"]["O"]["drive"] = {"angle": f"{rate}*t"} if rng.random() < 0.5 else {"rate": f"{rate}*(1 - exp(-t/{digits(tau)}))"}
        m.carry("table", "ground", [0.0] * 3, turning=[0, 0, rate if driven and "angle" in m.model["joints"]["O"]["drive"] else 0.0])
        rotor_on(m, "table", [0.5 * L, 0.0, 0.1 * L], L, spin)
    else:
        m.body("hull", [0.0] * 3, size=L, turned=True)
        m.speed["hull"] = ([rng.uniform(-1, 1) for _ in range(3)], [w * c for c in unit(rng)])
        rotor_on(m, "hull", [0.1 * L, 0.2 * L, 0.0], L, spin)
    m.give_speeds()
    m.times(tau, spin, (0.3, 1.5))
    m.end = min(m.end, digits(80 / spin, 3))
    return m


def shaft(rng):
    """A line of shafts with universal joints, in a plane: driven, turned by a torque, or spinning freely; the last has a
    bearing that lets it slide, or holds it (one constraint too many)."""
    m = Mechanism(rng, gravity=rng.random() < 0.5)
    L = log_uniform(rng, 0.1, 0.6)
    n = rng.randint(2, 3)
    directions = [[1.0, 0.0, 0.0]]
    for i in range(1, n):
        a = rng.uniform(-0.7, 0.7)
        directions.append([math.cos(a), math.sin(a), 0.0])
    if n == 3 and rng.random() < 0.5:
        directions[2] = [1.0, 0.0, 0.0]
    w = digits(log_uniform(rng, 2, 80))
    p, parent, z = [0.0] * 3, None, [0, 0, 1.0]
    for i, d in enumerate(directions):
        name, mass = f"s{i}", log_uniform(rng, 0.3, 3)
        r = 0.1 * L
        slender, across = mass * L * L / 12, mass * r * r / 2 * rng.uniform(1, 10)
        from parts import rotation_matrix
        a = math.atan2(d[1], d[0])
        q = [math.cos(a / 2), 0.0, 0.0, math.sin(a / 2)]
        m.body(name, add(p, d, 0.5 * L), mass=mass, inertia=[across, slender, slender])
        m.model["bodies"][name]["quaternion"] = q
        m.pose[name] = (m.pose[name][0], rotation_matrix(q))
        if i == 0:
            m.joint("O", "revolute", "ground", name, p, d)
        else:
            before = directions[i - 1]
            one, two = (z, cross(z, d)) if (i + (rng.random() < 0.2)) % 2 else (cross(z, before), z)
            m.joint(f"u{i}", "universal", parent, name, p, one)
            R = m.pose[name][1]
            m.model["joints"][f"u{i}"]["axis2"] = [sum(R[k][j] * two[k] for k in range(3)) for j in range(3)]
        p, parent = add(p, d, L), name
    end = rng.choice(["cylindrical", "cylindrical", "revolute"])
    m.joint("bearing", end, "ground", parent, p, directions[-1])
    kind = rng.choice(["driven", "rate", "torque", "free"])
    if kind == "driven":
        m.model["joints"]["O"]["drive"] = {"angle": f"{w}*t"}
    elif kind == "rate":
        m.model["joints"]["O"]["drive"] = {"rate": f"{w}*(1 - exp(-{digits(w / 3)}*t))"}
    elif kind == "torque":
        m.force("motor", **{"joint-torque": "O", "value": digits(m.model["bodies"]["s0"]["inertia"][0] * w * w * rng.uniform(0.2, 1))})
    if kind in ("driven", "free"):
        m.model["bodies"]["s0"]["omega"] = {"world": [w, 0, 0]}
    where = "bearing.angle" if end == "cylindrical" else "bearing"
    if rng.random() < 0.5:
        m.force("load", torsion=where, stiffness=0, damping=digits(m.model["bodies"]["s0"]["inertia"][0] * w * rng.uniform(0.01, 0.3)))
    m.times(3 / w, w * 1.5, (2, 12))
    return m


def slope(rng):
    """Wheels with redundant rolling conditions on a slope, in any direction: a wheelset, a robot, a cart on four wheels, a tricycle."""
    kind = rng.choice(["wheelset", "robot", "cart", "tricycle"])
    a, b = rng.uniform(0.05, 0.5), rng.uniform(-math.pi, math.pi)
    gravity = [G * math.sin(a) * math.cos(b), G * math.sin(a) * math.sin(b), -G * math.cos(a)]
    m = {"wheelset": wheelset, "robot": wheeled_robot, "cart": cart, "tricycle": tricycle}[kind](rng)
    m.model["gravity"] = gravity
    mass = m.model["bodies"]["base"]["mass"]
    m.model["bodies"]["base"]["inertia"] = digits([0.015 * mass, 0.02 * mass, 0.03 * mass])
    m.rate = max(m.rate, 6.0)
    return m


def four_corners(m, r, heading):
    rng = m.rng
    l, t = digits(rng.uniform(0.15, 0.4)), digits(rng.uniform(0.1, 0.3))
    axle(m, r, 2 * t, heading)
    q = [math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2)]
    for name in ("left", "right"):
        del m.model["bodies"][name]
    return l, t, q


def place(x, y, heading, r):
    c, s = math.cos(heading), math.sin(heading)
    return [c * x - s * y, s * x + c * y, r]


def wheel(m, name, x, y, heading, r, q):
    mass = log_uniform(m.rng, 0.2, 1)
    J = mass * r * r
    m.model["bodies"][name] = {"mass": digits(mass), "inertia": digits([J / 3, J / 2, J / 3]), "position": place(x, y, heading, r), "quaternion": q}


def base(m, r, q):
    mass = log_uniform(m.rng, 1, 10)
    m.model["bodies"]["base"] = {"mass": digits(mass), "inertia": digits([0.015 * mass, 0.02 * mass, 0.03 * mass]), "position": [0, 0, r], "quaternion": q}
    m.model["joints"]["plane"] = {"planar": [{"body": "ground", "position": [0, 0, r]}, "base"], "axis": "z"}


def cart(rng):
    """Four wheels on two axles that do not steer: it rolls on a straight line; or across their spokes: it turns on the spot."""
    m = Mechanism(rng)
    r, heading = digits(log_uniform(rng, 0.05, 0.2)), rng.uniform(-3.1, 3.1)
    l, t, q = four_corners(m, r, heading)
    base(m, r, q)
    on_the_spot = rng.random() < 0.4
    for k, (x, y) in enumerate(((l, t), (l, -t), (-l, t), (-l, -t))):
        name = f"w{k}"
        wheel(m, name, x, y, heading, r, q)
        axis = [x, y, 0] if on_the_spot else [0, 1, 0]
        m.model["joints"][f"h{k}"] = {"revolute": [{"body": "base", "position": [x, y, 0]}, name], "axis": axis}
        m.model["joints"][f"r{k}"] = {"rolling-disc": ["ground", name], "axis": "z", "axis2": axis, "radius": r}
    m.force("motor", **{"joint-torque": "h0", "value": digits(rng.uniform(-0.3, 0.3))})
    m.rate, m.end = 6.0, digits(rng.uniform(0.5, 1.5), 3)
    return m


def tricycle(rng):
    """An axle, and a front wheel on a fork that is steered by a law or turns freely behind its hinge."""
    m = Mechanism(rng)
    r, heading = digits(log_uniform(rng, 0.05, 0.2)), rng.uniform(-3.1, 3.1)
    l, t, q = four_corners(m, r, heading)
    base(m, r, q)
    for k, y in enumerate((t, -t)):
        wheel(m, f"w{k}", 0.0, y, heading, r, q)
        m.model["joints"][f"h{k}"] = {"revolute": [{"body": "base", "position": [0, y, 0]}, f"w{k}"], "axis": "y"}
        m.model["joints"][f"r{k}"] = {"rolling-disc": ["ground", f"w{k}"], "axis": "z", "axis2": "y", "radius": r}
    trail = digits(r * rng.choice([0, rng.uniform(0.2, 0.6)]))
    mass = log_uniform(rng, 0.3, 1)
    m.model["bodies"]["fork"] = {"mass": digits(mass), "inertia": digits([0.003 * mass] * 3), "position": place(l, 0, heading, r), "quaternion": q}
    m.model["joints"]["steer"] = {"revolute": [{"body": "base", "position": [l, 0, 0]}, "fork"], "axis": "z"}
    if trail == 0 or rng.random() < 0.5:
        a, w = digits(rng.uniform(0.1, 0.8)), digits(rng.uniform(1, 6))
        m.model["joints"]["steer"]["drive"] = {"angle": f"{a}*sin({w}*t)"}
    wheel(m, "front", l - trail, 0.0, heading, r, q)
    m.model["joints"]["hub"] = {"revolute": [{"body": "fork", "position": [-trail, 0, 0]}, "front"], "axis": "y"}
    m.model["joints"]["roll"] = {"rolling-disc": ["ground", "front"], "axis": "z", "axis2": "y", "radius": r}
    if rng.random() < 0.5:
        m.model["joints"]["hub"]["drive"] = {"rate": f"step(t, 0, 0, 0.5, {digits(rng.uniform(-10, 10))})"}
    else:
        m.force("motor", **{"joint-torque": "hub", "value": digits(rng.uniform(-0.3, 0.3))})
    m.rate, m.end = 10.0, digits(rng.uniform(0.5, 1.5), 3)
    return m


def long_spin(rng):
    """A top or a gyroscope in gimbals over hundreds of radians of its spin."""
    m = rng.choice([top, gimbal])(rng)
    radians = log_uniform(rng, 150, 900)
    m.end = digits(radians / m.rate, 3)
    return m


def tyres(rng):
    """A cart on four tyres over a bump; its wheels spin freely, one axle is turned a little."""
    m = Mechanism(rng)
    r, k = 0.3, digits(log_uniform(rng, 2e4, 2e5))
    kind = rng.choice(["tyre-linear", "tyre-calspan"])
    v, mass = digits(rng.uniform(2, 15)), digits(rng.uniform(200, 900))
    sink = (mass + 60) * G / 4 / k
    h = r - sink
    m.model["bodies"]["car"] = {"mass": mass, "inertia": digits([0.15 * mass, 0.4 * mass, 0.5 * mass]), "position": [0, 0, h], "velocity": [v, 0, 0]}
    if rng.random() < 0.6:
        m.model["roads"] = {"bump": {"cosine": {"start": 1.2, "length": digits(rng.uniform(2, 5)), "height": digits(rng.uniform(-0.05, 0.05))}}}
    for i, (x, y) in enumerate(((1.0, 0.6), (1.0, -0.6), (-1.0, 0.6), (-1.0, -0.6))):
        name = f"w{i}"
        turn = digits(rng.uniform(-0.05, 0.05)) if i < 2 and rng.random() < 0.5 else 0.0
        m.model["bodies"][name] = {"mass": 15, "inertia": [0.5, 0.8, 0.5], "position": [x, y, h], "velocity": [v, 0, 0],
                                   "omega": [0, digits(v / r, 6), 0]}
        m.model["joints"][f"h{i}"] = {"revolute": [{"body": "car", "position": [x, y, 0]}, name], "axis": "y"}
        law = {"cornering": digits(rng.uniform(1e4, 4e4)), "camber": 1000, "trail": digits(rng.uniform(0, 0.05))} if kind == "tyre-linear" else {}
        road = {"road": "bump"} if "roads" in m.model else {}
        m.force(f"t{i}", **{kind: ["ground", name], "radius": r, "stiffness": k, "damping": digits(0.1 * math.sqrt(k * mass)), **law, **road})
        if turn:
            m.force(f"p{i}", torque=name, value=[0, 0, digits(200 * turn)])
    m.rate, m.end = max(v / r, math.sqrt(k / 15) / 2), digits(rng.uniform(0.3, 1), 3)
    m.stiff = True
    if "roads" in m.model:
        m.corner = True  # a wheel may leave the bump: what damps it jumps where it lands
    return m


def two_clocks(rng):
    """A fast gyroscope and a slow pendulum, or a large and a tiny one, beside each other."""
    m = Mechanism(rng)
    L = log_uniform(rng, 0.2, 1)
    small = L * log_uniform(rng, 1e-3, 0.1) if rng.random() < 0.5 else L
    spin = digits(log_uniform(rng, 30, 300))
    axis = unit(rng)
    m.body("slow", [0.0, 0.4 * L, -0.3 * L], size=L, mass=log_uniform(rng, 0.5, 50))
    m.joint("A", "revolute", "ground", "slow", [0.0] * 3, [1.0, 0.0, 0.0])
    mass = log_uniform(rng, 1e-3, 1)
    J = 0.5 * mass * small * small
    m.body("fast", [2 * L, 0.0, 0.0], mass=mass, inertia=[0.6 * J, 0.6 * J, J])
    if rng.random() < 0.5:
        m.joint("B", "spherical", "ground", "fast", [2 * L, 0.0, -0.5 * small])
        m.carry("fast", "ground", [2 * L, 0.0, -0.5 * small], turning=[0.3, 0.1 * spin, spin])
    else:
        m.joint("B", "revolute", "ground", "fast", [2 * L + 0.2 * small, 0.0, 0.0], axis)
        m.carry("fast", "ground", [2 * L + 0.2 * small, 0.0, 0.0], turning=[spin * c for c in axis])
    m.carry("slow", "ground", [0.0] * 3, turning=[rng.uniform(-2, 2), 0, 0])
    m.give_speeds()
    m.times(math.sqrt(L / G), max(spin, math.sqrt(G / small)), (0.3, 1.5))
    m.end = min(m.end, digits(100 / m.rate, 3))
    return m

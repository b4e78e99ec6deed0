"""Wheels, gears, springs, contacts, beams, cables, bodies with modes."""
import math

from parts import G, Mechanism, add, digits, log_uniform, unit


def wheel_planar(rng):
    m = Mechanism(rng, planar=True)
    r = log_uniform(rng, 0.05, 0.6)
    mass = log_uniform(rng, 0.2, 10)
    m.body("wheel", [0.0, digits(r), 0.0], mass=mass, inertia=float(mass * r * r * rng.uniform(0.3, 0.9)))
    w = digits(rng.uniform(-8, 8))
    m.speed["wheel"] = ([-w * digits(r), 0.0, 0.0], [0.0, 0.0, w])
    m.model["joints"]["roll"] = {"rolling-disc": ["ground", "wheel"], "radius": digits(r)}
    tau = math.sqrt(r / G)
    if rng.random() < 0.7:  # a pendulum on its hub, or a mass on its rim
        d = [rng.uniform(-1, 1) * r, -rng.uniform(0.3, 0.9) * r, 0.0]
        m.body("rod", add([0.0, digits(r), 0.0], d, 0.7), size=r)
        m.joint("hub", "revolute", "wheel", "rod", [0.0, digits(r), 0.0])
        m.carry("rod", "wheel", [0.0, digits(r), 0.0], turning=[0, 0, -w])
        if rng.random() < 0.5:
            m.force("spring", torsion="hub", stiffness=digits(rng.uniform(0, 3) * r), damping=digits(rng.uniform(0, 0.2) * r))
    else:
        m.force("pull", force="wheel", value=[f"{digits(rng.uniform(1, 5))}*sin({digits(2 / tau)}*t)", 0])
    m.give_speeds()
    return m.times(tau, abs(w), (1, 4))


def rolling_disc(rng):
    """A coin: leans, spins and rolls."""
    m = Mechanism(rng)
    r = log_uniform(rng, 0.05, 0.5)
    mass = log_uniform(rng, 0.1, 5)
    lean = rng.uniform(-0.5, 0.5)
    c, s = math.cos(lean), math.sin(lean)
    q = [math.cos(lean / 2), math.sin(lean / 2), 0.0, 0.0]
    J = mass * r * r
    m.model["bodies"]["disc"] = {"mass": digits(mass), "inertia": digits([0.27 * J, J / 2, 0.27 * J]), "position": [0, 0, r * c], "quaternion": q}
    from parts import cross, rotation_matrix
    R = rotation_matrix(q)
    m.pose["disc"] = ([0.0, 0, r * c], R)
    w_body = [rng.uniform(-1, 1), rng.uniform(3, 10), rng.uniform(-2, 2)]
    w = [sum(R[i][j] * w_body[j] for j in range(3)) for i in range(3)]
    # the point of contact: from the centre along the steepest line of the disc
    down = [0.0, -s * -1 * 0, 0.0]
    axis = [R[i][1] for i in range(3)]
    n = [0.0, 0.0, 1.0]
    k = axis[2]
    up = [n[i] - k * axis[i] for i in range(3)]
    length = math.sqrt(sum(x * x for x in up))
    contact = [-r * x / length for x in up]
    v = cross(contact, w)  # v + w × contact = 0
    m.speed["disc"] = (v, w)
    m.model["joints"]["roll"] = {"rolling-disc": ["ground", "disc"], "axis": "z", "axis2": "y", "radius": r}
    m.model["bodies"]["disc"]["position"] = [0, 0, -contact[2]]
    m.give_speeds()
    return m.times(math.sqrt(r / G), max(abs(x) for x in w), (1, 3))


def axle(m, r, track, heading, at=(0.0, 0.0)):
    """Two wheels on a carrier in the plane, turned to a heading. Names of the two hub joints."""
    c, s = math.cos(heading), math.sin(heading)
    q = [math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2)]
    rng = m.rng
    for name, y in (("left", track / 2), ("right", -track / 2)):
        mass = log_uniform(rng, 0.2, 1)
        J = mass * r * r
        m.model["bodies"][name] = {"mass": digits(mass), "inertia": digits([J / 3, J / 2, J / 3]),
                                   "position": [at[0] - s * y, at[1] + c * y, r], "quaternion": q}
    return q


def wheelset(rng):
    m = Mechanism(rng)
    r, track = digits(log_uniform(rng, 0.05, 0.3)), digits(rng.uniform(0.2, 0.8))
    heading = rng.uniform(-3.1, 3.1)
    q = axle(m, r, track, heading)
    mass = log_uniform(rng, 0.5, 5)
    m.model["bodies"]["base"] = {"mass": digits(mass), "inertia": digits([0.01 * mass, 0.01 * mass, 0.02 * mass]), "position": [0, 0, r], "quaternion": q}
    J = m.model["joints"]
    J["plane"] = {"planar": [{"body": "ground", "position": [0, 0, r]}, "base"], "axis": "z"}
    J["a1"] = {"revolute": [{"body": "base", "position": [0, track / 2, 0]}, "left"], "axis": "y"}
    J["a2"] = {"revolute": [{"body": "base", "position": [0, -track / 2, 0]}, "right"], "axis": "y"}
    J["r1"] = {"rolling-disc": ["ground", "left"], "axis": "z", "axis2": "y", "radius": r}
    J["r2"] = {"rolling-disc": ["ground", "right"], "axis": "z", "axis2": "y", "radius": r}
    turn = digits(0.05 * mass * rng.uniform(0.2, 2) * r)
    m.force("t1", **{"joint-torque": "a1", "value": -turn * 10})
    m.force("t2", **{"joint-torque": "a2", "value": turn * 10 * rng.uniform(0.2, 1)})
    m.rate = 3.0
    m.end = digits(rng.uniform(1, 3), 3)
    return m


def wheeled_robot(rng):
    m = Mechanism(rng)
    r, track = digits(log_uniform(rng, 0.04, 0.2)), digits(rng.uniform(0.2, 0.6))
    heading = rng.uniform(-3.1, 3.1)
    q = axle(m, r, track, heading)
    m.model["bodies"]["base"] = {"mass": digits(log_uniform(rng, 1, 10)), "inertia": [0.03, 0.03, 0.06], "position": [0, 0, r], "quaternion": q,
                                 "com": digits([rng.uniform(0.0, 0.05), 0, 0.0])}
    J = m.model["joints"]
    wl, wr = digits(rng.uniform(-12, 12)), digits(rng.uniform(-12, 12))
    J["hubL"] = {"revolute": [{"body": "base", "position": [0, track / 2, 0]}, "left"], "axis": "y", "drive": {"rate": f"step(t, 0, 0, 0.5, {wl})"}}
    J["hubR"] = {"revolute": [{"body": "base", "position": [0, -track / 2, 0]}, "right"], "axis": "y", "drive": {"rate": f"step(t, 0, 0, 0.5, {wr})"}}
    J["plane"] = {"planar": [{"body": "ground", "position": [0, 0, r]}, "base"], "axis": "z"}
    J["rollL"] = {"rolling-disc": ["ground", "left"], "radius": r}
    J["rollR"] = {"rolling-disc": ["ground", "right"], "radius": r}
    m.rate = max(abs(wl), abs(wr), 3.0)
    m.end = digits(rng.uniform(1, 3), 3)
    return m


def skate(rng):
    planar = rng.random() < 0.6
    m = Mechanism(rng, planar=planar, gravity=not planar)
    a = rng.uniform(-3, 3)
    v, w = rng.uniform(0.5, 4), rng.uniform(-4, 4)
    mass = log_uniform(rng, 0.5, 5)
    com = digits(rng.uniform(-0.3, 0.3))
    direction = [math.cos(a), math.sin(a)]
    if planar:
        m.model["bodies"]["sled"] = {"mass": digits(mass), "inertia": digits(0.05 * mass), "position": [0, 0], "angle": a, "com": [com, 0],
                                     "velocity": [v * d for d in direction], "omega": w}
        m.model["joints"]["edge"] = {"knife-edge": ["ground", "sled"], "axis2": "y"}
    else:
        m.model["bodies"]["sled"] = {"mass": digits(mass), "inertia": digits([0.05 * mass] * 3), "position": [0, 0, 0], "com": [com, 0, 0],
                                     "quaternion": [math.cos(a / 2), 0, 0, math.sin(a / 2)], "velocity": [v * d for d in direction] + [0], "omega": {"world": [0, 0, w]}}
        m.model["joints"]["plane"] = {"planar": ["ground", "sled"], "axis": "z"}
        m.model["joints"]["edge"] = {"knife-edge": ["ground", "sled"], "axis2": "y"}
    if rng.random() < 0.5:
        m.force("turn", torque="sled", value=f"{digits(mass * 0.1)}*sin(3*t)" if planar else [0, 0, f"{digits(mass * 0.1)}*sin(3*t)"])
    m.rate, m.end = max(abs(w), 2.0), digits(rng.uniform(0.5, 2), 3)
    return m


def gears(rng):
    """A train of wheels on fixed axles, driven or free, with a spring or a load."""
    planar = rng.random() < 0.6
    m = Mechanism(rng, planar=planar, gravity=rng.random() < 0.5)
    n = rng.randint(2, 4)
    x = 0.0
    fast = 0.0
    w = digits(log_uniform(rng, 0.5, 60))
    rate = w
    axis = [0, 0, 1.0]
    for i in range(n):
        r = log_uniform(rng, 0.03, 0.3)
        mass = log_uniform(rng, 0.2, 5)
        inertia = float(mass * r * r / 2) if planar else [0.27 * mass * r * r, 0.27 * mass * r * r, mass * r * r / 2]
        off = r * rng.choice([0, rng.uniform(0, 0.5)])
        m.body(f"g{i}", [x + off, 0.0, 0.0], mass=mass, inertia=inertia)
        m.joint("O" if i == 0 else f"h{i}", "revolute", "ground", f"g{i}", [x, 0.0, 0.0], axis)
        if i:
            ratio = digits(rng.choice([-1, -1, 1]) * log_uniform(rng, 0.2, 5))
            m.model["joints"][f"m{i}"] = {"gear": ["O" if i == 1 else f"h{i - 1}", f"h{i}"], "ratio": ratio}
            rate *= ratio
        m.carry(f"g{i}", "ground", [x, 0.0, 0.0], turning=[0, 0, rate])
        fast = max(fast, abs(rate))
        x += 2.2 * r
    m.give_speeds()
    kind = rng.choice(["free", "driven", "sprung"])
    if kind == "driven":
        m.model["joints"]["O"]["drive"] = {"angle": f"{w}*t"}
    if kind == "sprung":
        m.force("shaft", torsion=f"h{n - 1}", stiffness=digits(rng.uniform(0.01, 2)), damping=digits(rng.uniform(0, 0.05)))
        fast = max(fast, 10)
    m.times(3 / fast, fast, (1, 8))
    return m


def planetary(rng):
    m = Mechanism(rng, planar=True, gravity=False)
    zs, zp = rng.randint(12, 30), rng.randint(10, 30)
    zr = zs + 2 * zp
    mod = 0.002
    rc = mod * (zs + zp) / 2
    m.body("sun", [0.0, 0, 0], mass=0.3, inertia=6e-5)
    m.body("carrier", [0.0, 0, 0], mass=1.0, inertia=1e-3)
    m.body("ring", [0.0, 0, 0], mass=1.0, inertia=3e-3)
    O = [0.0, 0.0, 0.0]
    m.joint("S", "revolute", "ground", "sun", O)
    m.joint("C", "revolute", "ground", "carrier", O)
    m.joint("R", "revolute", "ground", "ring", O)
    n = rng.choice([1, 1, 2, 3])
    for i in range(n):
        a = 2 * math.pi * i / n
        p = [rc * math.cos(a), rc * math.sin(a), 0.0]
        m.model["bodies"][f"planet{i}"] = {"mass": 0.1, "inertia": 1e-5, "position": p[:2]}
        m.pose[f"planet{i}"] = (p, m.pose["sun"][1])
        m.joint(f"P{i}", "revolute", "carrier", f"planet{i}", p)
        m.model["joints"][f"sun{i}"] = {"coupler": ["S", "C", f"P{i}"], "factors": [zs, -zs, zp]}
        m.model["joints"][f"ring{i}"] = {"coupler": ["R", "C", f"P{i}"], "factors": [zr, -zr, -zp]}
    T = digits(log_uniform(rng, 0.05, 5))
    m.force("motor", **{"joint-torque": "S", "value": f"{T}*step(t, 0, 0, 0.05, 1)"})
    m.force("load", **{"joint-torque": "C", "value": digits(-T * rng.uniform(0, 1) * (1 + zr / zs))})
    m.force("hold", torsion="R", stiffness=digits(T * log_uniform(rng, 3, 300)), damping=digits(T * rng.uniform(0, 0.5)))
    m.rate, m.end = 60.0, digits(rng.uniform(0.05, 0.2), 3)
    return m


def rack(rng):
    m = Mechanism(rng, planar=True)
    r = digits(log_uniform(rng, 0.02, 0.2))
    m.body("pinion", [0.0, 0, 0], mass=log_uniform(rng, 0.2, 2), inertia=float(0.5 * r * r))
    m.body("rack", [0.0, -r, 0.0], size=0.3)
    m.joint("O", "revolute", "ground", "pinion", [0.0, 0, 0])
    m.joint("guide", "prismatic", "ground", "rack", [0.0, -r, 0.0], [1.0, 0, 0])
    m.model["joints"]["mesh"] = {"rack-and-pinion": ["O", "guide"], "radius": r}
    w = digits(rng.uniform(-10, 10))
    m.carry("pinion", "ground", [0.0, 0, 0], turning=[0, 0, w])
    m.carry("rack", "ground", [0.0, -r, 0.0], sliding=[w * r, 0, 0])
    if rng.random() < 0.5:
        m.body("bob", [0.0, -r - 0.3, 0.0], size=0.2)
        m.joint("hang", "revolute", "rack", "bob", [0.0, -r, 0.0])
        m.carry("bob", "rack", [0.0, -r, 0.0])
    m.give_speeds()
    m.force("spring", torsion="guide", stiffness=digits(rng.uniform(5, 100)), damping=digits(rng.uniform(0, 3)))
    return m.times(0.15, abs(w), (1, 4))


def springs(rng):
    """Free bodies on springs and bushings."""
    planar = rng.random() < 0.4
    m = Mechanism(rng, planar=planar)
    L = log_uniform(rng, 0.2, 1)
    n = rng.randint(1, 3)
    tau = math.sqrt(L / G)
    previous = "ground"
    for i in range(n):
        b = m.body(f"b{i}", [L * rng.uniform(-0.3, 0.3), L * rng.uniform(-0.3, 0.3), -L * i if not planar else 0.0], size=0.5 * L, turned=not planar and rng.random() < 0.5)
        mass = m.model["bodies"][b]["mass"]
        for k in range(rng.randint(1, 3)):
            c = [L * rng.uniform(-0.3, 0.3) for _ in range(3)]
            d = [L * rng.uniform(-1, 1) for _ in range(3)]
            if planar:
                c[2] = d[2] = 0.0
            x = m.pose[b][0]
            if rng.random() < 0.7:
                m.force(f"s{i}{k}", spring=[m.frame(previous, add(m.pose[previous][0], d)), m.frame(b, add(x, c))],
                        stiffness=digits(mass * rng.uniform(5, 60) / tau**2), damping=digits(mass * rng.uniform(0, 0.3) / tau))
            else:
                s = mass * rng.uniform(5, 60) / tau**2
                m.force(f"s{i}{k}", bushing=[m.frame(previous, add(x, c)), m.frame(b, add(x, c))], stiffness=digits([s, s, s] + [s * L * L * 0.1] * 3),
                        damping=digits([0.05 * s * tau] * 3 + [0.005 * s * tau * L * L] * 3), relaxed=True)
        w = rng.uniform(-3, 3) / tau if rng.random() < 0.5 else 0.0
        m.speed[b] = ([0.0] * 3, [0.0, 0.0, w] if planar else [w * c for c in unit(rng)])
        if rng.random() < 0.5:
            previous = b
    m.give_speeds()
    return m.times(tau, 6 / tau, (0.7, 2))


def bounce(rng):
    """Something falls on something: a sphere on a plane or on a sphere, a pendulum against a wall."""
    planar = rng.random() < 0.5
    m = Mechanism(rng, planar=planar)
    r = digits(log_uniform(rng, 0.03, 0.2))
    mass = log_uniform(rng, 0.2, 5)
    fall = r * rng.uniform(0.2, 2)
    v = math.sqrt(2 * G * fall)
    duration = rng.uniform(0.01, 0.06)  # of the impact, s
    k = (2.94 * v**-0.2 / duration) ** 2.5 * mass / (1.25**1.0)
    contact = {"radius": r, "stiffness": digits(k), "friction": digits(rng.choice([0, rng.uniform(0.1, 0.6)]))}
    contact["velocity"] = digits(rng.uniform(0.05, 0.2))
    if rng.random() < 0.5:
        contact["damping"] = digits(rng.uniform(0.05, 0.5))
    else:
        contact.update(restitution=digits(rng.uniform(0.5, 0.95)), speed=digits(v))
    inertia = float(mass * r * r / 2) if planar else [0.4 * mass * r * r] * 3
    start = [0.0, r + fall, 0.0] if planar else [0.0, 0.0, r + fall]
    b = m.body("ball", start, mass=mass, inertia=inertia)
    w = rng.uniform(-10, 10)
    m.speed[b] = ([rng.uniform(-1, 1), 0.0, 0.0], [0.0, 0.0, w] if planar else [0.0, w, 0.0])
    kind = rng.choice(["contact-sphere-plane", "contact-sphere-sphere"])
    if kind == "contact-sphere-plane":
        m.force("floor", **{kind: ["ground", "ball"], **contact})
    else:
        below = [0.2 * r, -3 * r] if planar else [0.2 * r, 0.1 * r, -3 * r]
        m.force("floor", **{kind: [{"body": "ground", "position": below}, "ball"], "first": digits(3 * r), **contact})
    m.give_speeds()
    m.model["run"] = {"events": "locate"} if rng.random() < 0.5 else {}
    fall_time = math.sqrt(2 * fall / G)
    m.rate = max(abs(w), 1.0 / duration)
    m.end = digits(fall_time * rng.uniform(1.3, 2.2) + duration, 3)
    m.corner = True
    return m


def section(rng, L):
    return {"EA": digits(1e4), "EIz": digits(10 ** rng.uniform(0, 2) * L), "EIy": digits(10 ** rng.uniform(0, 2) * L), "GAy": digits(4e3), "GJ": digits(10 ** rng.uniform(0, 1.5) * L),
            "m": digits(rng.uniform(0.2, 1)), "damping": digits(rng.uniform(1e-3, 1e-2))}


def beam(rng):
    planar = rng.random() < 0.5
    m = Mechanism(rng, planar=planar)
    L = digits(rng.uniform(0.5, 1.2))
    kind = rng.choice(["beam", "beam", "beam3"])
    n = rng.randint(1, 4) if kind == "beam" else rng.randint(1, 2)
    entry = {kind: n, "to": [L, 0] if planar else [L, 0, 0], **section(rng, L)}
    if planar:
        for key in ("EIy", "GJ"):
            entry.pop(key)
    if rng.random() < 0.5:
        entry["from"] = "ground"
    else:
        entry["start"] = {"revolute": "ground"} if planar else {"revolute": "ground", "axis": "y"}
    m.model["mesh"] = {"boom": entry}
    last = n + 1 if kind == "beam" else 2 * n + 1
    if rng.random() < 0.5:
        m.body("bob", [L, -0.3 if planar else 0.0, 0.0 if planar else -0.3], size=0.2)
        bob = {"body": "bob", "position": [0, 0.3] if planar else [0, 0, 0.3]}
        m.model["joints"]["hang"] = {"revolute": [f"boom.{last}", bob]} if planar else {"spherical": [f"boom.{last}", bob]}
    m.force("push", force=f"boom.{last}", value=[0, f"{digits(rng.uniform(-3, 3))}*sin(8*t)"] + ([] if planar else [0]))
    m.stiff = True
    m.times(0.3, 12.0, (0.5, 1.5))
    return m


def cable(rng):
    planar = rng.random() < 0.5
    m = Mechanism(rng, planar=planar)
    n = rng.randint(2, 6)
    L = digits(rng.uniform(0.5, 1.5))
    a = rng.uniform(-1.5, 0)
    tip = [L * math.cos(a), L * math.sin(a)] if planar else [L * math.cos(a), 0, L * math.sin(a)]
    m.body("bob", list(tip) + ([0.0] if planar else []), size=0.2, mass=rng.uniform(0.5, 3))
    m.model["mesh"] = {"rope": {"cable": n, "start": {"spherical": "ground"} if not planar else {"revolute": "ground"}, "end": {"spherical": "bob"} if not planar else {"revolute": "bob"},
                                "EA": digits(rng.uniform(500, 3000)), "m": digits(rng.uniform(0.1, 0.5)), "damping": digits(rng.uniform(2e-3, 1e-2))}}
    m.model["mesh"]["rope"]["from"] = [0, 0] if planar else [0, 0, 0]
    m.stiff = True
    return m.times(math.sqrt(L / G), 20.0, (0.5, 1.5))


def modes(rng):
    planar = rng.random() < 0.5
    m = Mechanism(rng, planar=planar)
    L = digits(rng.uniform(0.5, 1.2))
    n = rng.randint(1, 6)
    support = rng.choice(["clamped", "pinned"])
    s = section(rng, L)
    for key in ("EIz", "EIy", "GJ"):  # amplitudes stay small: the weight of rod and bob bends it by a few per cent
        s[key] = digits(6 * G * L * L * rng.uniform(10, 100))
    s["EA"], s["GAy"] = 1e5, 4e4
    if planar:
        for key in ("EIy", "GJ"):
            s.pop(key)
    m.model["flexible"] = {"rod": {"length": L, "modes": n, "support": support, "foreshortening": rng.random() < 0.3, **s}}
    m.model["joints"]["O"] = {"revolute": ["ground", "rod.start"]} if planar else {"revolute": ["ground", "rod.start"], "axis": "y"}
    if rng.random() < 0.5:
        tip = [L, 0] if planar else [L, 0, 0]
        m.body("bob", tip + ([0.0] if planar else []), size=0.2)
        m.model["joints"]["A"] = {"revolute": ["rod.end", "bob"]} if planar else {rng.choice(["spherical", "revolute"]): ["rod.end", "bob"]}
    if rng.random() < 0.3:
        w = digits(rng.uniform(1, 5))
        m.model["joints"]["O"]["drive"] = {"angle": f"{digits(rng.uniform(0.2, 1))}*(1 - cos({w}*t))"}
    m.stiff = True
    return m.times(0.3, 15.0, (0.5, 1.5))

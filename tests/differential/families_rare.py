"""What the other families leave out: joints given by `at:` with starts, very light beside very heavy, driven loops with beams and modes,
platforms on legs, cylinders, joints of directions, drag, flywheels, contacts with boxes, tubes and profiles, rigid stops."""
import math

from families_loops import bar, four_bar_points
from parts import G, Mechanism, add, cross, digits, log_uniform, norm, unit


def placed(rng):
    """Joints given by `at:` in world axes, with starts of their coordinates; the rest of a loop follows."""
    m = Mechanism(rng)
    L = log_uniform(rng, 0.1, 1)
    tau = math.sqrt(L / G)
    n = rng.randint(2, 4)
    start = lambda: {"angle": digits(rng.uniform(-1.2, 1.2)), **({"rate": digits(rng.uniform(-2, 2) / tau)} if rng.random() < 0.6 else {})}
    p, parent = [0.0, 0.0, 0.0], "ground"
    for i in range(n):
        d = [c * L for c in unit(rng)]
        b = f"b{i}"
        mass = log_uniform(rng, 0.2, 5)
        m.model["bodies"][b] = {"mass": digits(mass), "inertia": digits([mass * L * L * rng.uniform(0.05, 0.1) for _ in range(3)]), "position": digits(add(p, d, 0.5))}
        if rng.random() < 0.4:
            m.model["bodies"][b]["rotation"] = digits([rng.uniform(-2, 2) for _ in range(3)])
        kind = rng.choices(["revolute", "spherical", "universal", "cylindrical", "prismatic"], [6, 2, 2, 1, 1])[0]
        entry = {kind: [parent, b], "at": digits(p)}
        axis = unit(rng)
        if kind != "spherical":
            entry["axis"] = axis
        if kind == "universal":
            across = cross(axis, [0.36, 0.48, 0.8])
            entry["axis2"] = [c / norm(across) for c in across]
            entry["start"] = {"angle1": digits(rng.uniform(-1, 1)), "angle2": digits(rng.uniform(-1, 1)), "rate": digits(rng.uniform(-1, 1) / tau)}
        elif kind == "revolute":
            entry["start"] = start()
        elif kind == "prismatic":
            entry["start"] = {"displacement": digits(rng.uniform(-0.2, 0.2) * L), "rate": digits(rng.uniform(-0.5, 0.5) * L / tau)}
        m.model["joints"][f"j{i}"] = entry
        if kind in ("prismatic", "cylindrical"):
            where = f"j{i}" if kind == "prismatic" else f"j{i}.displacement"
            m.force(f"g{i}", torsion=where, stiffness=digits(rng.uniform(10, 60) * G / L), damping=digits(rng.uniform(0, 2) / tau))
        p, parent = add(p, d), b
    return m.times(tau, length=(0.6, 2))


def placed_loop(rng):
    """A four-bar, planar or in space, by `at:`, with a start of its crank."""
    m = Mechanism(rng, planar=rng.random() < 0.5)
    m.model["gravity"] = [0, -G] if m.planar else [0, -G, 0]
    L = log_uniform(rng, 0.1, 1)
    tau = math.sqrt(L / G)
    A, B, C = four_bar_points(rng, L)
    O = [0.0, 0.0, 0.0]
    bar(m, "crank", O, A), bar(m, "coupler", A, B), bar(m, "rocker", B, C)
    cut = (lambda p: digits(p[:2], 9)) if m.planar else (lambda p: digits(p, 9))
    for name, first, second, p in (("O", "ground", "crank", O), ("A", "crank", "coupler", A), ("B", "coupler", "rocker", B), ("C", "ground", "rocker", C)):
        kind = "revolute" if m.planar or name in ("O", "C") else rng.choice(["revolute", "spherical"])
        m.model["joints"][name] = {kind: [first, second], "at": cut(p)}
        if kind == "revolute" and not m.planar:
            m.model["joints"][name]["axis"] = "z"
    w = digits(rng.uniform(-4, 4) / tau)
    m.model["joints"]["O"]["start"] = {"angle": digits(rng.uniform(-1, 1)), "rate": w}
    return m.times(tau, abs(w), (0.7, 2))


def uneven(rng):
    """Very light beside very heavy bodies: chains, whips, four-bars with a coupler of a thousandth."""
    kind = rng.choice(["chain", "chain", "four-bar", "spatial"])
    planar = kind == "four-bar" or rng.random() < 0.5
    m = Mechanism(rng, planar=planar)
    m.model["gravity"] = [0, -G] if planar else [0, 0, -G]
    L = log_uniform(rng, 0.1, 1)
    tau = math.sqrt(L / G)
    m.heavy = lambda: log_uniform(rng, 1e-3, 1e3)
    if kind == "four-bar":
        A, B, C = four_bar_points(rng, L)
        O = [0.0, 0.0, 0.0]
        bar(m, "crank", O, A), bar(m, "coupler", A, B), bar(m, "rocker", B, C)
        for name, first, second, p in (("O", "ground", "crank", O), ("A", "crank", "coupler", A), ("B", "coupler", "rocker", B), ("C", "ground", "rocker", C)):
            m.joint(name, "revolute", first, second, p)
        if rng.random() < 0.4:
            w = digits(rng.uniform(0.5, 3) / tau)
            m.model["joints"]["O"]["drive"] = {"angle": f"{w}*t"}
            return m.times(tau, w, (0.7, 1.5))
        return m.times(tau, length=(0.5, 1.5))
    p, parent = [0.0, 0.0, 0.0], "ground"
    for i in range(rng.randint(2, 4)):
        d = [c * L * rng.uniform(0.5, 1) for c in unit(rng)]
        if planar:
            d[2] = 0.0
        bar(m, f"b{i}", p, add(p, d))
        how = "revolute" if planar else rng.choice(["revolute", "spherical", "universal"])
        axis = unit(rng) if not planar and how != "spherical" else None
        m.joint(f"j{i}", how, parent, f"b{i}", p, axis)
        if how == "universal":
            across = cross(axis, [0.36, 0.48, 0.8])
            R = m.pose[f"b{i}"][1]
            m.model["joints"][f"j{i}"]["axis2"] = [sum(R[k][j] * across[k] for k in range(3)) / norm(across) for j in range(3)]
        p, parent = add(p, d), f"b{i}"
    return m.times(tau, length=(0.4, 1.2))


def beam_loop(rng):
    """A slider-crank whose rod is a beam or a body with modes, driven or not, planar or in space."""
    m = Mechanism(rng, planar=rng.random() < 0.5)
    m.model["gravity"] = [0, -G] if m.planar else [0, -G, 0]
    L = digits(rng.uniform(0.4, 0.8))
    r = digits(L * rng.uniform(0.2, 0.4))
    cut = (lambda p: [digits(c) for c in p[:2]]) if m.planar else (lambda p: [digits(c) for c in p])
    bar(m, "crank", [0.0, 0, 0], [r, 0.0, 0.0])
    m.body("slider", [r + L, 0.0, 0.0], size=0.1, mass=rng.uniform(0.3, 2))
    z = [0, 0, 1.0]
    m.joint("O", "revolute", "ground", "crank", [0.0, 0, 0], z)
    stiffness = {"EA": 1e4, "EIz": digits(10 ** rng.uniform(0.7, 2) * L), "GAy": 4e3, "m": digits(rng.uniform(0.2, 1)), "damping": digits(rng.uniform(1e-3, 1e-2))}
    if not m.planar:
        stiffness.update(EIy=digits(10 ** rng.uniform(0.7, 2) * L), GAz=4e3, GJ=digits(10 ** rng.uniform(0.5, 1.5) * L))
    pin, ball = m.frame("crank", [r, 0.0, 0.0]), m.frame("slider", [r + L, 0.0, 0.0])
    if rng.random() < 0.5:
        start = {"revolute": pin} if m.planar else {"revolute": pin, "axis": "z"}
        end = {"revolute": ball} if m.planar else {"spherical": ball}
        m.model["mesh"] = {"rod": {"beam": rng.randint(2, 3), "from": cut([r, 0.0, 0.0]), "to": cut([r + L, 0.0, 0.0]), "start": start, "end": end, **stiffness}}
    else:
        stiffness.pop("GAz", None)
        stiffness.update(EA=1e5, GAy=4e4)
        m.model["flexible"] = {"rod": {"length": L, "modes": rng.randint(1, 4), "support": "pinned", **stiffness, "position": cut([r, 0.0, 0.0])}}
        m.model["joints"]["A"] = {"revolute": [pin, "rod.start"]} if m.planar else {"revolute": [pin, "rod.start"], "axis": "z"}
        m.model["joints"]["B"] = {"revolute": ["rod.end", ball]} if m.planar else {"spherical": ["rod.end", ball]}
    m.joint("guide", "prismatic", "ground", "slider", [r + L, 0.0, 0.0], [1.0, 0, 0])
    w = digits(rng.uniform(2, 8))
    if rng.random() < 0.7:
        m.model["joints"]["O"]["drive"] = {"angle": f"{digits(0.5 * w)}*t^2" if rng.random() < 0.5 else f"0.8*(1 - cos({w}*t))"}
    else:
        m.force("motor", **{"joint-torque": "O", "value": f"{digits(rng.uniform(0.5, 3))}*cos(2*t)"})
    m.stiff = True
    m.times(0.3, 12.0, (0.5, 1.5))
    return m


def platform(rng):
    """A plate on three legs (hinge, slide, ball), or on six rods whose lengths are driven."""
    m = Mechanism(rng)
    L = log_uniform(rng, 0.2, 1)
    h, R, r = L, L * rng.uniform(0.6, 1), L * rng.uniform(0.3, 0.6)
    tau = math.sqrt(L / G)
    mass = log_uniform(rng, 1, 10)
    m.body("plate", [0.0, 0.0, h], mass=mass, size=L)
    if rng.random() < 0.6:
        for i in range(3):
            a = 2 * math.pi * i / 3 + rng.uniform(-0.1, 0.1)
            foot, top = [R * math.cos(a), R * math.sin(a), 0.0], [r * math.cos(a), r * math.sin(a), h]
            d = add(top, foot, -1)
            l = norm(d)
            d = [c / l for c in d]
            z = [-math.sin(a), math.cos(a), 0.0]
            bar(m, f"low{i}", foot, add(foot, d, 0.6 * l)), bar(m, f"high{i}", add(foot, d, 0.4 * l), top)
            m.joint(f"foot{i}", "revolute", "ground", f"low{i}", foot, z)
            m.joint(f"leg{i}", "prismatic", f"low{i}", f"high{i}", foot, d)
            m.joint(f"ball{i}", "spherical", f"high{i}", "plate", top)
            w = digits(rng.uniform(1, 4) / tau)
            if rng.random() < 0.5:
                m.model["joints"][f"leg{i}"]["drive"] = {"displacement": f"{digits(rng.uniform(0.05, 0.2) * L)}*(1 - cos({w}*t))"}
            else:
                m.force(f"push{i}", torsion=f"leg{i}", stiffness=digits(mass * rng.uniform(10, 60) / tau**2), damping=digits(mass * rng.uniform(0, 1) / tau))
    else:
        for i in range(6):
            a = math.pi / 3 * i + 0.15 * (-1) ** i
            b = math.pi / 3 * i - 0.35 * (-1) ** i
            foot, top = [R * math.cos(b), R * math.sin(b), 0.0], [r * math.cos(a), r * math.sin(a), h]
            entry = {"distance": [m.frame("ground", foot), m.frame("plate", top)]}
            l = norm(add(top, foot, -1))
            if i == 0 and rng.random() < 0.5:
                m.force("soft", spring=entry["distance"], stiffness=digits(mass * rng.uniform(20, 60) / tau**2))
                continue
            if rng.random() < 0.7:
                entry["drive"] = {"distance": f"{l!r} + {digits(0.1 * L)}*(1 - cos({digits(rng.uniform(1, 4) / tau)}*t))"}
            m.model["joints"][f"rod{i}"] = entry
    return m.times(tau, length=(0.5, 1.5))


def digger(rng):
    """Booms that are moved by cylinders: planar loops with a slide, in space with as many constraints too many as hinges allow, or none."""
    m = Mechanism(rng, planar=rng.random() < 0.4)
    m.model["gravity"] = [0, -G] if m.planar else [0, -G, 0]
    L = log_uniform(rng, 0.3, 3)
    tau, z = math.sqrt(L / G), [0, 0, 1.0]
    p, parent, before = [0.0, 0.0, 0.0], "ground", None
    angle = rng.uniform(0.2, 1.0)
    exact = rng.random() < 0.5
    for i in range(rng.randint(1, 2)):
        d = [L * math.cos(angle), L * math.sin(angle), 0.0]
        boom = bar(m, f"boom{i}", p, add(p, d))
        m.joint(f"O{i}", "revolute", parent, boom, p, z)
        foot = add(p, [0.3 * L, -0.4 * L, 0.0]) if parent == "ground" else add(add(p, before, -0.5), [0.1 * L, -0.15 * L, 0.0])
        head = add(p, d, 0.5)
        along = add(head, foot, -1)
        l = norm(along)
        e = [c / l for c in along]
        bar(m, f"barrel{i}", foot, add(foot, e, 0.6 * l)), bar(m, f"rod{i}", add(foot, e, 0.4 * l), head)
        first = "spherical" if exact and not m.planar else "revolute"
        second = "universal" if exact and not m.planar else "revolute"
        m.joint(f"F{i}", first, parent, f"barrel{i}", foot, None if first == "spherical" else z)
        m.joint(f"S{i}", "prismatic", f"barrel{i}", f"rod{i}", foot, e)
        m.joint(f"H{i}", second, boom, f"rod{i}", head, z)
        if second == "universal":
            across, R = cross(z, e), m.pose[f"rod{i}"][1]
            m.model["joints"][f"H{i}"]["axis2"] = [sum(R[k][j] * across[k] for k in range(3)) for j in range(3)]
        w = digits(rng.uniform(0.5, 3) / tau)
        if rng.random() < 0.6:
            m.model["joints"][f"S{i}"]["drive"] = {"displacement": f"{digits(0.1 * L)}*(1 - cos({w}*t))"}
        else:
            weight = sum(b["mass"] for b in m.model["bodies"].values())
            m.force(f"oil{i}", torsion=f"S{i}", stiffness=digits(weight * G / L * rng.uniform(20, 100)), damping=digits(weight * rng.uniform(0, 3) / tau))
        p, parent, before = add(p, d), boom, d
        angle -= rng.uniform(0.6, 1.4)
    return m.times(tau, length=(0.5, 1.5))


def directions(rng):
    """Joints that hold directions: a platform that stays level, an upright on a ball, a top with a constant lean."""
    m = Mechanism(rng)
    L = log_uniform(rng, 0.1, 1)
    tau = math.sqrt(L / G)
    kind = rng.choice(["level", "upright", "lean"])
    d = [c * L for c in unit(rng)]
    if kind == "level":
        m.body("arm", add([0.0] * 3, d, 0.5), size=L)
        axis = unit(rng)
        m.joint("O", rng.choice(["revolute", "universal"]), "ground", "arm", [0.0] * 3, axis)
        if "universal" in m.model["joints"]["O"]:
            across = cross(axis, [0.36, 0.48, 0.8])
            m.model["joints"]["O"]["axis2"] = [c / norm(across) for c in across]
        m.body("plate", add(d, [0.0, 0.1 * L, -0.2 * L]), size=L, turned=True)
        m.joint("A", "spherical", "arm", "plate", d)
        m.model["joints"]["level"] = {"constant-orientation": ["ground", "plate"]}
        w = rng.uniform(-2, 2) / tau
        m.carry("arm", "ground", [0.0] * 3, turning=[w * c for c in axis])
        m.carry("plate", "arm", d, turning=[-w * c for c in axis])
        m.give_speeds()
        return m.times(tau, abs(w), (0.7, 2))
    spin = digits(log_uniform(rng, 3, 100))
    z = [0, 0, 1.0]
    if kind == "upright":
        m.body("mast", [0.1 * L, 0.0, 0.5 * L], size=L)
        m.joint("O", "spherical", "ground", "mast", [0.0] * 3)
        m.model["joints"]["straight"] = {"parallel-axes": ["ground", "mast"], "axis": "z", "axis2": "z"}
        m.carry("mast", "ground", [0.0] * 3, turning=[0, 0, spin])
        m.body("bob", [0.3 * L, 0.0, 0.5 * L], size=0.3 * L)
        m.joint("A", "spherical", "mast", "bob", [0.2 * L, 0.0, 0.7 * L])
        m.carry("bob", "mast", [0.2 * L, 0.0, 0.7 * L])
    else:
        lean = rng.uniform(0.3, 1.4)
        q = [math.cos(lean / 2), math.sin(lean / 2), 0, 0]
        axis = [0, -math.sin(lean), math.cos(lean)]
        mass = log_uniform(rng, 0.3, 3)
        J = mass * L * L / 8
        m.model["bodies"]["top"] = {"mass": digits(mass), "inertia": digits([0.6 * J, 0.6 * J, J]), "position": [L * c for c in axis], "quaternion": q}
        from parts import rotation_matrix
        m.pose["top"] = ([L * c for c in axis], rotation_matrix(q))
        m.joint("O", "spherical", "ground", "top", [0.0] * 3)
        m.model["joints"]["lean"] = {"angle": ["ground", "top"], "axis": "z", "axis2": "z"}
        m.carry("top", "ground", [0.0] * 3, turning=add([spin * c for c in axis], z, rng.uniform(-2, 2) / tau))
    m.give_speeds()
    m.times(tau, spin, (0.5, 2))
    m.end = min(m.end, digits(60 / spin, 3))
    return m


def weather(rng):
    """Bodies in air or water, with wind; flywheels on what swings; springs along an axis; grease in a ball joint."""
    m = Mechanism(rng)
    L = log_uniform(rng, 0.1, 1)
    tau = math.sqrt(L / G)
    p, parent = [0.0] * 3, "ground"
    for i in range(rng.randint(1, 3)):
        d = [c * L for c in unit(rng)]
        b = m.body(f"b{i}", add(p, d, 0.5), size=L, turned=rng.random() < 0.5)
        mass = m.model["bodies"][b]["mass"]
        ball = rng.random() < 0.5
        axis = unit(rng)
        m.joint(f"j{i}", "spherical" if ball else "revolute", parent, b, p, None if ball else axis)
        w = rng.uniform(-2, 2) / tau
        m.carry(b, parent, p, turning=[w * c for c in axis])
        what = rng.choice(["air", "air", "wheel", "axial", "grease"])
        if what == "air":
            density = mass / L**3 * rng.uniform(0.1, 3)
            m.force(f"air{i}", drag=b, size=digits([L * rng.uniform(0.1, 0.5) for _ in range(3)]), density=digits(density), wind=digits([rng.uniform(-1, 1) * L / tau for _ in range(3)]))
        elif what == "wheel":
            m.force(f"wheel{i}", flywheel=b, momentum=digits(mass * L * L / tau * rng.uniform(0.2, 5)), axis=rng.choice("xyz"))
        elif what == "axial":
            m.force(f"axial{i}", **{"axial-spring": [m.frame("ground", add(p, [L, 0, L])), m.frame(b, add(p, d))], "axis": unit(rng), "stiffness": digits(mass / tau**2 * rng.uniform(1, 30)),
                                    "damping": digits(mass / tau * rng.uniform(0, 1))})
        elif ball:
            m.force(f"grease{i}", **{"ball-rotor": [m.frame(parent, p), m.frame(b, p)], "damping": digits(mass * L * L / tau * rng.uniform(0.01, 0.5)),
                                     "inertia": digits(mass * L * L * rng.choice([0, rng.uniform(0.01, 0.3)]))})
        p, parent = add(p, d), b
    m.give_speeds()
    return m.times(tau, length=(0.6, 2))


def ball_and_wall(rng):
    """A ball in a tube, against a box, or on a profile."""
    planar = rng.random() < 0.6
    m = Mechanism(rng, planar=planar)
    m.model["gravity"] = [0, -G] if planar else [0, 0, -G]
    r, mass = digits(log_uniform(rng, 0.03, 0.1)), digits(log_uniform(rng, 0.2, 3))
    J = 0.4 * mass * r * r
    kind = rng.choice(["tube", "box", "profile", "profile"])
    up = (lambda x, z: [x, z, 0.0]) if planar else (lambda x, z: [x, 0.0, z])
    fall = r * rng.uniform(0.3, 2)
    v = math.sqrt(2 * G * fall)
    duration = rng.uniform(0.015, 0.06)
    k = digits((2.94 * v**-0.2 / duration) ** 2.5 * mass / 1.25)
    law = {"stiffness": k, "damping": digits(rng.uniform(0.05, 0.5)), "friction": digits(rng.choice([0, rng.uniform(0.1, 0.5)])), "velocity": digits(rng.uniform(0.05, 0.2))}
    m.corner = True
    m.end = digits(math.sqrt(2 * fall / G) * rng.uniform(1.2, 2) + duration, 3)
    m.rate = 1 / duration
    speed = [rng.uniform(-0.5, 0.5), 0.0, 0.0]
    if kind == "tube":
        m.body("ball", up(rng.uniform(-2, 2) * r, 0.0), mass=mass, inertia=float(J) if planar else [J] * 3)
        wide = digits(r + fall)
        tube = {"contact-sphere-capsule": ["ground", "ball"], "length": digits(6 * r), "first": wide, "radius": r, "inside": True, **law}
        m.force("tube", **tube)
    elif kind == "box":
        off = rng.uniform(-1.2, 1.2) * r  # on its top or over an edge
        m.body("ball", up(2 * r + off, r + fall), mass=mass, inertia=float(J) if planar else [J] * 3)
        m.model["bodies"]["ground"] = {"markers": {"box": up(0.0, -0.5 * r)[:2] if planar else up(0.0, -0.5 * r)}}
        m.force("edge", **{"contact-sphere-box": ["ground.box", "ball"], "size": digits([4 * r, r]) if planar else digits([4 * r, 4 * r, r]), "radius": r, **law})
    else:
        R = r * rng.uniform(6, 15)  # a valley z = x²/(2 R)
        xs = [digits(-2 * R + 0.25 * R * i) for i in range(17)]
        m.model["tables"] = {"valley": {"x": xs, "y": [digits(x * x / (2 * R), 6) for x in xs], "interpolation": "cubic"}}
        m.body("ball", up(0.4 * R, 0.08 * R + r * 1.05 + 0.5 * fall), mass=mass, inertia=float(J) if planar else [J] * 3)
        m.force("track", **{"contact-point-profile": ["ground", "ball"], "profile": "valley", "radius": r, **law})
    m.speed["ball"] = (speed, [0.0, 0.0, rng.uniform(-3, 3)] if planar else [0.0, rng.uniform(-3, 3), 0.0])
    m.give_speeds()
    return m


def rigid_stops(rng):
    """Doors and slides that strike stops without giving way."""
    m = Mechanism(rng, planar=rng.random() < 0.6)
    m.model["gravity"] = [0, -G] if m.planar else [0, -G, 0]
    L = log_uniform(rng, 0.05, 1)
    tau = math.sqrt(L / G)
    p, parent = [0.0, 0.0, 0.0], "ground"
    for i in range(rng.randint(1, 2)):
        a = rng.uniform(-2.2, -0.8)
        d = [L * math.cos(a), L * math.sin(a), 0.0]
        b = bar(m, f"b{i}", p, add(p, d))
        m.joint(f"j{i}", "revolute", parent, b, p, [0, 0, 1.0])
        w = digits(rng.choice([-1, 1]) * rng.uniform(1, 3) / tau)
        m.model["joints"][f"j{i}"]["limits"] = {"lower": digits(-rng.uniform(0.2, 0.6)), "upper": digits(rng.uniform(0.2, 0.6)),
                                                "stiffness": digits(m.model["bodies"][b]["mass"] * G * L * 1000), "damping": digits(0.3 * tau), "restitution": digits(rng.uniform(0.2, 0.95))}
        m.carry(b, parent, p, turning=[0, 0, w])
        p, parent = add(p, d), b
    m.give_speeds()
    m.times(tau, 3 / tau, (0.4, 1))
    m.corner, m.jumps = True, True
    return m

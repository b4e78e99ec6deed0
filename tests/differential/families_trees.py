"""Open chains and trees, tops, gimbals, free bodies, driven arms."""
import math

from parts import G, Mechanism, add, cross, digits, dot, log_uniform, norm, unit


def extras(m, joints, bodies, tau, scale_torque):
    """Springs, dampers, friction, torques on some joints; all mild enough that the motion keeps its time scale."""
    rng = m.rng
    for name, kind in joints:
        if rng.random() > 0.5 or kind not in ("revolute", "prismatic", "cylindrical"):
            continue
        where = f"{name}.angle" if kind == "cylindrical" else name
        what = rng.choice(["torsion", "damper", "friction", "torque", "rotor", "pid"])
        s = scale_torque * rng.uniform(0.1, 1)
        if kind == "prismatic":
            s /= 0.3
        if what == "torsion":
            m.force(f"f_{name}", torsion=where, stiffness=digits(s), angle0=digits(rng.uniform(-1, 1)))
        elif what == "damper":
            m.force(f"f_{name}", torsion=where, stiffness=0, damping=digits(0.3 * s * tau))
        elif what == "friction":
            m.force(f"f_{name}", **{"joint-friction": where, "coulomb": digits(0.2 * s), "viscous": digits(0.1 * s * tau),
                                    "velocity": digits(0.2 / tau)})
        elif what == "torque":
            m.force(f"f_{name}", **{"joint-torque": where, "value": f"{digits(s)}*sin({digits(rng.uniform(1, 6) / tau)}*t)"})
        elif what == "rotor":
            m.force(f"f_{name}", rotor=where, inertia=digits(1e-4 * s * tau * tau), ratio=digits(rng.uniform(5, 40)))
        else:
            m.force(f"f_{name}", pid=where, target=f"{digits(rng.uniform(-0.5, 0.5))}", p=digits(s), i=digits(s / tau) if rng.random() < 0.5 else 0,
                    d=digits(0.3 * s * tau))


def tree_planar(rng):
    m = Mechanism(rng, planar=True)
    L = log_uniform(rng, 0.1, 1.5)
    n = rng.randint(1, 5)
    heavy = rng.random() < 0.2
    joints, bodies = [], ["ground"]
    tips = {"ground": [0.0, 0.0, 0.0]}
    for i in range(n):
        parent = bodies[-1] if rng.random() < 0.7 else rng.choice(bodies)
        p = tips[parent] if parent == "ground" or rng.random() < 0.7 else add(m.pose[parent][0], [0.1 * L, 0.1 * L, 0])
        a = rng.uniform(-2.5, 0.8)
        d = [math.cos(a) * L * rng.uniform(0.5, 1), math.sin(a) * L * rng.uniform(0.5, 1), 0.0]
        mass = log_uniform(rng, 1e-2, 1e2) if heavy else None
        b = m.body(f"b{i}", add(p, d, 0.5), size=L, mass=mass)
        kind = rng.choices(["revolute", "prismatic", "fixed"], [6, 2, 0.4])[0]
        axis = None
        s = rng.uniform(-2, 2) * math.sqrt(G / L) if rng.random() < 0.5 else 0.0
        if kind == "prismatic":
            axis = [math.cos(a), math.sin(a), 0.0]
            m.carry(b, parent, p, sliding=[c * 0.3 * s * L for c in axis])
        else:
            m.carry(b, parent, p, turning=[0, 0, s if kind == "revolute" else 0.0])
        m.joint(f"j{i}", kind, parent, b, p, axis)
        joints.append((f"j{i}", kind))
        bodies.append(b)
        tips[b] = add(p, d)
    m.give_speeds()
    tau = math.sqrt(L / G)
    extras(m, joints, bodies, tau, 1.0 * G * L)
    for name, kind in joints:  # a slide without a spring falls out of the picture
        if kind == "prismatic" and f"f_{name}" not in m.model["forces"]:
            m.force(f"f_{name}", torsion=name, stiffness=digits(rng.uniform(10, 60) * G / L), damping=digits(rng.uniform(0, 2) / tau))
    return m.times(tau)


def tree_spatial(rng):
    m = Mechanism(rng)
    L = log_uniform(rng, 0.1, 1.5)
    n = rng.randint(1, 5)
    heavy = rng.random() < 0.2
    joints, bodies, tips = [], ["ground"], {"ground": [0.0, 0.0, 0.0]}
    tau = math.sqrt(L / G)
    for i in range(n):
        parent = bodies[-1] if rng.random() < 0.7 else rng.choice(bodies)
        p = tips[parent]
        d = [c * L * rng.uniform(0.5, 1) for c in unit(rng)]
        mass = log_uniform(rng, 1e-2, 1e2) if heavy else None
        b = m.body(f"b{i}", add(p, d, 0.5), size=L, mass=mass, turned=rng.random() < 0.5)
        kind = rng.choices(["revolute", "spherical", "universal", "cylindrical", "prismatic", "screw", "planar", "fixed", "constant-velocity"],
                           [6, 3, 2, 1, 1.5, 1, 0.5, 0.3, 0.5])[0]
        if parent == "ground" and i == 0 and kind == "planar" :
            kind = "revolute"
        axis = unit(rng)
        s = rng.uniform(-2, 2) / tau if rng.random() < 0.6 else 0.0
        turning, sliding, options = [0.0] * 3, [0.0] * 3, {}
        if kind in ("revolute", "cylindrical"):
            turning = [c * s for c in axis]
        if kind in ("prismatic", "cylindrical"):
            sliding = [c * 0.3 * s * L for c in axis]
        if kind == "screw":
            options["pitch"] = digits(rng.uniform(0.2, 1) * L)
            turning, sliding = [c * s for c in axis], [c * s * options["pitch"] / (2 * math.pi) for c in axis]
        if kind == "spherical":
            turning = [c * s for c in unit(rng)]
        if kind == "planar":
            turning, sliding = [c * s for c in axis], [0.3 * s * L * c for c in cross(axis, [0.36, 0.48, 0.8])]
        if kind == "universal":
            across = cross(axis, [0.36, 0.48, 0.8])
            across = [c / norm(across) for c in across]
            R = m.pose[b][1]
            options["axis2"] = [sum(R[k][j] * across[k] for k in range(3)) for j in range(3)]
            turning = add([c * s for c in axis], across, 0.7 * s)
        m.carry(b, parent, p, turning, sliding)
        m.joint(f"j{i}", kind, parent, b, p, None if kind in ("spherical", "fixed") else axis, **options)
        joints.append((f"j{i}", kind))
        bodies.append(b)
        tips[b] = add(p, d)
    m.give_speeds()
    extras(m, joints, bodies, tau, G * L)
    for k, (name, kind) in enumerate(joints):
        if kind in ("prismatic", "cylindrical") and (kind == "cylindrical" or f"f_{name}" not in m.model["forces"]):
            where = name if kind == "prismatic" else f"{name}.displacement"
            m.force(f"g_{name}", torsion=where, stiffness=digits(rng.uniform(10, 60) * G / L), damping=digits(rng.uniform(0, 2) / tau))
        if kind == "planar":
            b = bodies[k + 1]
            m.force(f"g_{name}", spring=["ground", b], stiffness=digits(rng.uniform(10, 40) * G / L))
    return m.times(tau, length=(0.7, 2.2))


def top(rng):
    m = Mechanism(rng)
    L = log_uniform(rng, 0.05, 0.5)
    r = L * rng.uniform(0.3, 1)
    mass = log_uniform(rng, 0.2, 20)
    J = [0.27 * mass * r * r, 0.27 * mass * r * r, mass * r * r / 2]
    lean = rng.uniform(0.2, 1.5)
    q = [math.cos(lean / 2), math.sin(lean / 2), 0, 0]
    axis = [0, -math.sin(lean), math.cos(lean)]
    m.model["bodies"]["top"] = {"mass": digits(mass), "inertia": digits(J), "position": [L * c for c in axis], "quaternion": q}
    from parts import rotation_matrix
    m.pose["top"] = ([L * c for c in axis], rotation_matrix(q))
    spin = log_uniform(rng, 5, 400)
    m.joint("O", "spherical", "ground", "top", [0.0, 0, 0])
    m.carry("top", "ground", [0.0, 0, 0], turning=[spin * c for c in axis])
    m.give_speeds()
    tau = math.sqrt(L / G)
    m.times(tau, spin, (0.5, 2))
    m.end = min(m.end, digits(60 / spin, 3))
    return m


def gimbal(rng):
    """Outer ring about z, inner ring across, rotor about its own axis: a gyroscope, a fan, a rotor on a swivel."""
    m = Mechanism(rng, gravity=rng.random() < 0.7)
    L = log_uniform(rng, 0.05, 0.5)
    spin = log_uniform(rng, 10, 600)
    off = L * rng.uniform(0, 0.8)
    m.body("outer", [0.0, 0, 0], size=L, turned=rng.random() < 0.3)
    m.joint("vertical", "revolute", "ground", "outer", [0.0, 0, 0], [0.0, 0, 1.0])
    m.carry("outer", "ground", [0.0, 0, 0], turning=[0, 0, rng.choice([0, rng.uniform(-5, 5)])])
    parent = "outer"
    if rng.random() < 0.7:
        m.body("inner", [0.0, 0, 0], size=L)
        m.joint("tilt", "revolute", "outer", "inner", [0.0, 0, 0], [0.0, 1.0, 0])
        m.carry("inner", "outer", [0.0, 0, 0], turning=[0, rng.choice([0, rng.uniform(-3, 3)]), 0])
        parent = "inner"
        if rng.random() < 0.5:
            m.force("soft", torsion="tilt", stiffness=digits(rng.uniform(0.5, 5)), damping=digits(rng.uniform(0, 0.05)))
    mass = log_uniform(rng, 0.2, 5)
    r = L * rng.uniform(0.3, 1)
    J = mass * r * r / 2
    even = rng.random() < 0.7
    m.body("rotor", [off, 0.0, 0.0], mass=mass, inertia=[J, J * (0.55 if even else rng.uniform(0.5, 0.7)), J * (0.55 if even else rng.uniform(0.5, 0.7))])
    m.joint("spin", "revolute", parent, "rotor", [off, 0.0, 0.0], [1.0, 0, 0])
    driven = rng.random() < 0.3
    if driven:
        m.model["joints"]["spin"]["drive"] = {"angle": f"{digits(spin)}*t"}
    m.carry("rotor", parent, [off, 0.0, 0.0], turning=[digits(spin), 0, 0])
    m.give_speeds()
    m.times(math.sqrt(L / G), spin, (0.3, 1.5))
    m.end = min(m.end, digits(60 / spin, 3))
    return m


def free_spinner(rng):
    m = Mechanism(rng, gravity=rng.random() < 0.5)
    n = rng.choice([1, 1, 2])
    L = log_uniform(rng, 0.05, 1)
    w = log_uniform(rng, 1, 200)
    for i in range(n):
        b = m.body(f"b{i}", [2.0 * i * L, 0, 0], size=L, turned=True)
        if rng.random() < 0.3:
            m.model["bodies"][b]["com"] = digits([rng.uniform(-0.3, 0.3) * L for _ in range(3)])
        m.speed[b] = ([rng.uniform(-1, 1) for _ in range(3)], [w * c for c in unit(rng)])
    m.give_speeds()
    if n == 2:
        m.force("s", spring=[m.frame("b0", [0.5 * L, 0.1 * L, 0]), m.frame("b1", [1.5 * L, 0.1 * L, 0])], stiffness=digits(rng.uniform(5, 100)),
                damping=digits(rng.uniform(0, 1)))
        m.times(1 / w, w, (3, 12))
    else:
        if rng.random() < 0.3:
            m.force("wheel", flywheel="b0", momentum=digits(m.model["bodies"]["b0"]["inertia"][0] * w * rng.uniform(0.2, 2)), axis="x")
        m.times(1 / w, w, (3, 25))
    return m


def driven_arm(rng):
    """A robot's arm whose joints follow laws of time, all of them or some."""
    planar = rng.random() < 0.3
    m = Mechanism(rng, planar=planar)
    L = log_uniform(rng, 0.2, 1)
    n = rng.randint(1, 4)
    tau = math.sqrt(L / G)
    p, parent = [0.0, 0, 0], "ground"
    fully = rng.random() < 0.5
    for i in range(n):
        d = [c * L for c in unit(rng)]
        if planar:
            d[2] = 0.0
        b = m.body(f"b{i}", add(p, d, 0.5), size=L, turned=not planar and rng.random() < 0.5)
        axis = [0, 0, 1.0] if planar else unit(rng)
        m.joint(f"j{i}", "revolute", parent, b, p, axis)
        w = digits(rng.uniform(0.5, 3) / tau)
        a = digits(rng.uniform(0.2, 1.2))
        rate = 0.0
        if fully or rng.random() < 0.5:
            law = rng.choice(["sin", "poly", "rate", "step"])
            T = digits(rng.uniform(0.5, 2) * tau)
            if law == "sin":
                m.model["joints"][f"j{i}"]["drive"] = {"angle": f"{a}*(1 - cos({w}*t))"}
            elif law == "poly":
                m.model["joints"][f"j{i}"]["drive"] = {"angle": f"{digits(a / T / T)}*t^2"}
            elif law == "rate":
                m.model["joints"][f"j{i}"]["drive"] = {"rate": f"{digits(a * w)}*(1 - exp(-t/{T}))"}
            else:
                m.model["joints"][f"j{i}"]["drive"] = {"angle": f"step(t, 0, 0, {T}, {a})"}
        m.carry(b, parent, p, turning=[rate * c for c in axis])
        p, parent = add(p, d), b
    m.give_speeds()
    return m.times(tau, length=(0.7, 2))

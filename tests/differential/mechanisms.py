"""Random but sensible mechanisms as models of Verge: trees, loops, redundant loops, spinning bodies, wheels, gears,
drives, springs, friction, contacts, beams and bodies with modes, planar and spatial, light and heavy, fast and slow.

make(number) gives a Mechanism: the model as nested dicts and lists (YAML reads them as they are), how long it is worth
running, and the fastest rate of its motion, from which steps are chosen. The same number gives the same mechanism."""
import math
import random

from families import FAMILIES, LATER, MORE, RARE, RARER


def make(number):
    rng = random.Random(f"mechanism {number}")
    families = FAMILIES + (MORE if number >= LATER else []) + (RARE if number >= RARER else [])
    names = [name for name, _, _ in families]
    weights = [weight for _, weight, _ in families]
    name = rng.choices(names, weights)[0]
    build = {n: b for n, _, b in families}[name]
    mechanism = build(rng)
    mechanism.family = name
    mechanism.number = number
    return mechanism


def text(model):
    """The model as a YAML text with one entry a line."""
    import json

    lines = ["verge: 1"]
    for key, value in model.items():
        if isinstance(value, dict) and key != "run":
            if value:
                lines.append(f"{key}:")
                lines += [f"  {name}: {json.dumps(entry)}" for name, entry in value.items()]
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def channels(model):
    """What is compared: the motion of all bodies, the coordinates of joints, reactions and efforts of drives."""
    planar = model.get("planar", False)
    axes = "xy" if planar else "xyz"
    out = []
    for body in list(model.get("bodies", {})) + flexible_bodies(model):
        if body == "ground":
            continue
        out += [f"body.{body}.position.{a}" for a in axes] + [f"body.{body}.velocity.{a}" for a in axes]
        if model.get("bodies", {}).get(body, {}).get("point"):
            continue
        if planar:
            out += [f"body.{body}.angle", f"body.{body}.omega"]
        else:
            out += [f"body.{body}.quaternion.{a}" for a in "wxyz"] + [f"body.{body}.omega.{a}" for a in axes]
    for name, joint in model.get("joints", {}).items():
        kind = next(iter(joint))
        out += [f"joint.{name}.{c}" for c in COORDINATES.get(kind, ())]
        if kind in REACTIONS:
            torque = ["torque.z"] if planar else ["torque.x", "torque.y", "torque.z"]
            out += [f"joint.{name}.force.{a}" for a in axes] + [f"joint.{name}.{t}" for t in torque]
        if "drive" in joint:
            out.append(f"joint.{name}.drive.effort")
    return out


def flexible_bodies(model):
    out = []
    for name, mesh in model.get("mesh", {}).items():
        n = next(v for k, v in mesh.items() if k in ("beam", "beam3", "cable"))
        if "cable" in mesh:
            continue
        last = 2 * n + 1 if "beam3" in mesh else n + 1
        out += [f"{name}.{i}" for i in range(2, last + 1)]
    for name in model.get("flexible", {}):
        out += [name, f"{name}.end"]
    return out


COORDINATES = {
    "revolute": ("angle",),
    "prismatic": ("displacement",),
    "cylindrical": ("angle", "displacement"),
    "screw": ("angle", "displacement"),
}
REACTIONS = {"revolute", "prismatic", "cylindrical", "spherical", "universal", "planar", "screw", "fixed", "distance"}

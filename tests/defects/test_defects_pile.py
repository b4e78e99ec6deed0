"""Balls that fall into a box as one group of contacts come to rest, and what gravity has done is where it must be: taken by the
contacts, or stored in what is pressed together. Positions at the end say how much that is: the floor carries the weight, by Hertz's
law of every ball that touches it. `all`: a thousand balls (test-all), else twenty-seven."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from last_values import EXE, check, conclude

MASS, RADIUS, STIFFNESS, GRAVITY, GAP = 0.5, 0.05, 1e6, 9.81, 0.103


def box(side):
    """Balls in layers, each a little off its place, between four walls."""
    draw = random.Random(1)
    place = {}
    for k in range(side ** 3):
        i, j, layer = k % side, k // side % side, k // side ** 2
        place[f"b{k}"] = (GAP * (i + 0.5) + draw.uniform(-1e-3, 1e-3), GAP * (j + 0.5) + draw.uniform(-1e-3, 1e-3),
                          0.0515 + GAP * layer)
    inertia = 0.4 * MASS * RADIUS ** 2
    lines = ["verge: 1", f"gravity: [0, 0, -{GRAVITY}]", "bodies:"]
    lines += [f"  {name}: {{mass: {MASS}, inertia: [{inertia}, {inertia}, {inertia}], position: [{x}, {y}, {z}]}}"
              for name, (x, y, z) in place.items()]
    wide = GAP * side
    walls = ["ground", '{body: ground, rotation: [0, "pi/2", 0]}',
             f'{{body: ground, position: [{wide}, 0, 0], rotation: [0, "-pi/2", 0]}}',
             '{body: ground, rotation: ["-pi/2", 0, 0]}',
             f'{{body: ground, position: [0, {wide}, 0], rotation: ["pi/2", 0, 0]}}']
    lines.append(f"contacts:\n  g: {{among: ['b*'], planes: [{', '.join(walls)}], radius: {RADIUS}, stiffness: {STIFFNESS}, "
                 "restitution: 0.3, friction: 0.3}")
    lines.append('record: ["body.*.position.*", energy.kinetic, energy.dissipated]')
    return "\n".join(lines) + "\n", place, wide


def depths(place, wide):
    """How deep every pair that touches is: balls with balls, with the floor, with walls."""
    cells, found, floor = {}, [], []
    for name, p in place.items():
        cells.setdefault(tuple(int(c // (2 * RADIUS)) for c in p), []).append(name)
        floor.append(RADIUS - p[2])
        found += [RADIUS - c for c in p] + [RADIUS - (wide - c) for c in p[:2]]
    for (a, b, c), names in cells.items():
        near = [other for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)
                for other in cells.get((a + i, b + j, c + k), [])]
        found += [2 * RADIUS - math.dist(place[x], place[y]) for x in names for y in near if x < y]
    return [d for d in found if d > 0], [d for d in floor if d > 0]


def settle(side, step, end):
    model, start, wide = box(side)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pile.yaml")
        with open(path, "w") as file:
            file.write(model)
        done = subprocess.run([EXE, "run", path, "--json", "--step", str(step), "--end", str(end), "--every", "1000000"],
                              capture_output=True, text=True, timeout=3000)
    said = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    last = said.get("final", {})
    name = f"{side ** 3} balls"
    check(said.get("status") == "ok" and len(last) > 3 * side ** 3, f"{name}: {said.get('error')} {done.stderr[-200:]}")
    if not last:
        return
    rest = {b: tuple(last[f"body.{b}.position.{c}"] for c in "xyz") for b in start}
    pressed, floor = depths(rest, wide)
    worked = sum(MASS * GRAVITY * (start[b][2] - rest[b][2]) for b in start)
    stored = sum(0.4 * STIFFNESS * d ** 2.5 for d in pressed) - sum(0.4 * STIFFNESS * d ** 2.5 for d in depths(start, wide)[0])
    moving, taken = last["energy.kinetic"], last["energy.dissipated"]
    carried = sum(STIFFNESS * d ** 1.5 for d in floor)
    check(moving < 1e-3 * worked, f"{name}: at rest, {moving:.3g} J of {worked:.3g} J move")
    check(abs(taken + stored + moving - worked) < 0.01 * worked,
          f"{name}: gravity did {worked:.6g} J; {taken:.6g} J taken, {stored:.3g} J stored, {moving:.3g} J move")
    check(abs(carried - side ** 3 * MASS * GRAVITY) < 0.02 * carried,
          f"{name}: the floor carries {carried:.6g} N of {side ** 3 * MASS * GRAVITY:.6g} N")
    print(f"# {name}: {worked:.6g} J, off by {(taken + stored + moving - worked) / worked:.2%}, floor "
          f"{carried / (side ** 3 * MASS * GRAVITY) - 1:.2%}, moving {moving:.2g} J, {len(pressed)} contacts")


settle(3, 5e-4, 1)
if sys.argv[1:] == ["all"]:
    settle(10, 5e-4, 2)
conclude()

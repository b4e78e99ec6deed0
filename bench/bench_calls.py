"""What a call from Python costs over the same call in C: bench_calls.py PROGRAM, where PROGRAM is bench_calls and the package
verge is installed. Goal: under 150 ns. Rounds of both alternate, and the least of each counts, since the machine may be busy."""
import pathlib
import subprocess
import sys
import time

import verge

CALLS, ROUNDS, GOAL = 20000, 40, 150


def least(f):
    best = 1e30
    for _ in range(ROUNDS):
        began = time.perf_counter()
        f(range(CALLS))
        best = min(best, (time.perf_counter() - began) / CALLS * 1e9)
    return best


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    sim = verge.load(root / "models/pendulum-planar.yaml").sim(coordinates="relative", integrator="rk4")

    def steps(calls):
        step = sim.step
        for _ in calls:
            step(1e-4)

    def values(calls):
        for _ in calls:
            sim["joint.O.angle"]

    own, c = {}, {}
    for _ in range(3):
        for line in subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout.splitlines():
            name, ns = line.split()
            c[name] = min(c.get(name, 1e30), float(ns))
        for name, f in (("step", steps), ("value", values)):
            own[name] = min(own.get(name, 1e30), least(f))
    print("call    C, ns   Python, ns   over C, ns (goal 150)")
    for name in c:
        print(f"{name:6} {c[name]:7.0f} {own[name]:12.0f} {own[name] - c[name]:12.0f}{'' if own[name] - c[name] < GOAL else '  missed'}")


main()

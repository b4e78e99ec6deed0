"""Constraint equations that repeat each other, and which ones do so changes on the way: wheels on axles, robots on wheels,
a plate on three cranks, a door on two hinges. The motions are known in closed form."""
import math
import os
import sys

from last_values import HERE, check, conclude, last, near, report

SETTINGS = ["index3", "index2", "index1", "augmented3", "augmented1", "penalty", "independent"]

# Two wheels turn an axle on the spot: φ = t²/2 · T (b/R)/J. In joint coordinates the acceleration is constant and the
# method exact; elsewhere its error is of second order in the step, 4e-5 at 1e-3 and 1e-6 at 2e-4 or less.
J = 0.01 + 2 * (0.02 + 0.5 * 0.25 ** 2) + 2 * 0.01 * (0.25 / 0.1) ** 2
TURNED = 6 ** 2 / 2 * 0.02 * (0.5 / 0.1) / J
RHO = 0.2 * math.sqrt(2)
J4 = 0.02 + 4 * (0.01 + 0.5 * RHO ** 2) + 4 * 0.01 * (RHO / 0.1) ** 2
FOUR = 4 ** 2 / 2 * 4 * 0.02 * RHO / 0.1 / J4
HEADING = math.remainder(0.05 * 4 / 0.3 * 4.75, 2 * math.pi)
TRICYCLE = 5 * 0.1 * math.sin(0.4) / 0.6 * 10
for coordinates, tolerance in [("relative", 1e-6), ("lie", 6e-5), ("natural", 6e-5)]:
    for constraints in SETTINGS if coordinates == "relative" else ["index2", "augmented3", "penalty"]:
        dials = ["--coordinates", coordinates, "--constraints", constraints]
        near("wheelset.yaml", "joint.plane.angle", TURNED, tolerance, *dials)
        near("four-wheels.yaml", "joint.plane.angle", FOUR, tolerance, *dials)
        near("diffdrive.yaml", "body.base.rotation.z", HEADING, 2e-6, *dials)
        near("tricycle.yaml", "joint.plane.angle", TRICYCLE, 1e-6, *dials)
for constraints in ["index2", "augmented3"]:
    near("wheelset.yaml", "joint.plane.angle", TURNED, 1e-6, "--constraints", constraints, "--step", "2e-4")

# The same in independent coordinates, which choose rows for themselves: three of four rolling conditions, other ones at other
# headings. Beside a heading where those chosen repeat each other, steps were split or off, and `se3` stopped.
for coordinates in ["lie", "cayley", "se3"]:
    for integrator, order in [("sdirk", 3), ("dopri5:adaptive=0", 5)]:
        dials = ["--coordinates", coordinates, "--constraints", "independent", "--integrator", integrator]
        runs = [report(os.path.join(HERE, "wheelset.yaml"), *dials, "--step", step) for step in ["2e-2", "1e-2"]]
        error = [abs(got["final"]["joint.plane.angle"] - TURNED) if got else math.inf for got, _ in runs]
        good = error[1] < 1e-5 and error[1] < error[0] / 2 ** (order - 0.6)
        check(good and not any(got["warnings"] for got, _ in runs), f"wheelset.yaml {dials}: errors {error} {runs[0][1]}")

# Rolling conditions repeat what hinges hold, as velocities. If they counted in place of a hinge, it would open as the step's
# errors add up: at a coarse step, too, hinges stay shut to rounding.
for coordinates in ["lie", "se3", "euler-angles", "natural"]:
    for integrator in ["am2:adaptive=0", "euler:adaptive=0"] if coordinates == "euler-angles" else ["am2:adaptive=0", "midpoint:rtol=1e-5"]:
        dials = ["--coordinates", coordinates, "--constraints", "independent", "--integrator", integrator]
        got, error = report(os.path.join(HERE, "cornering.yaml"), *dials)
        check(got and got["max_position_violation"] < 1e-12, f"cornering.yaml {dials}: {got and got['max_position_violation']} {error}")
# That error is the method's own in every pair of dials (`all`: of them; else of some): half the step leaves a quarter of it.
ABSOLUTE = ["lie", "natural", "euler-parameters", "cayley", "se3", "euler-angles"]
AT_LEVELS = ["index2", "index1", "augmented3", "augmented1"]
for c, coordinates in enumerate(ABSOLUTE):
    for constraints in AT_LEVELS if "all" in sys.argv else [AT_LEVELS[c % 4]]:
        error = []
        for step in ["2e-3", "1e-3"]:
            got, _ = last(os.path.join(HERE, "wheelset.yaml"), "--coordinates", coordinates, "--constraints", constraints, "--step", step)
            error.append(abs(got["joint.plane.angle"] - TURNED) if got else math.inf)
        check(error[1] < 6e-5 and error[1] < error[0] / 3, f"wheelset.yaml {coordinates} {constraints}: errors {error} do not fall by four")

# Many wheelsets in one model turn as one alone does, each for itself and with gears that make one large mechanism of them.
for options in [["n=60"], ["geared=1"]]:
    for last_angle in ["joint.plane1.angle", "joint.plane17.angle"]:
        dials = ["--set", *options, "--coordinates", "relative", "--step", "4e-3"]
        near("wheelsets.yaml", last_angle, TURNED, 1e-6, *dials)
for options, constraints in [("geared=0", "index2"), ("geared=1", "index2"), ("geared=1", "augmented3")]:
    dials = ["--set", options, "--constraints", constraints, "--step", "2e-3", "--end", "3.2"]
    near("wheelsets.yaml", "joint.plane17.angle", TURNED * (3.2 / 6) ** 2, 6e-5, *dials)

# Three parallel cranks at a constant rate through positions with all bars in line, and a door on two hinges.
for constraints in SETTINGS:
    near("three-cranks.yaml", "joint.C.angle", 10, 1e-6, "--constraints", constraints)
    near("three-cranks.yaml", "body.plate.angle", 0, 1e-6, "--constraints", constraints)

# Two driven wheels on an axle, whose equations repeat each other (neither slips sideways). The rates φ' of both wheels fix all
# that moves: v_L = R φ'_L, v_R = R φ'_R, v = (v_L + v_R)/2 and ω = (v_R − v_L)/(2 b). All centres of mass are on the axle, so
# that the kinetic energy
#     T = m v²/2 + m_L v_L²/2 + m_R v_R²/2 + (I + I_L + I_R) ω²/2 + J_L φ'_L²/2 + J_R φ'_R²/2
# has constant coefficients, the forces from the side do no work, and the efforts are ∂T/∂φ' differentiated once.
R, ARM = 0.13284536414569398, 0.23157587740798175
MASS, MASS_L, MASS_R = 0.906, 2.2537, 2.06855
SPIN_L, SPIN_R = 0.01988652571981104, 0.01825277223131523
TURN = (0.07690697569236035 + 0.011931915431886623 + 0.010951663338789138) / (4 * ARM ** 2)


def efforts(t):
    """−1.17967 and 0.44422 N m at 1.12 s."""
    left = 3.742 * 4.381 * math.sin(4.381 * t)
    right = -1.327 * 4.239 * math.sin(4.239 * t)
    both = R ** 2 * (MASS / 4 - TURN)
    return ((R ** 2 * (MASS / 4 + MASS_L + TURN) + SPIN_L) * left + both * right,
            (R ** 2 * (MASS / 4 + MASS_R + TURN) + SPIN_R) * right + both * left)


for coordinates in ["lie", "relative", "natural"]:
    for constraints in SETTINGS:
        # penalties leave what their springs give, augmented1 what its iteration leaves
        tolerance = {"penalty": 5e-5, "augmented1": 1e-7}.get(constraints, 1e-8)
        got, error = last(os.path.join(HERE, "two-wheels-effort.yaml"), "--step", "1.6e-3", "--end", "1.12", "--constraints",
                          constraints, "--coordinates", coordinates)
        for side, wanted in zip("LR", efforts(1.12)):
            value = got.get(f"joint.hub{side}.drive.effort", math.nan) if got else math.nan
            check(abs(value - wanted) <= tolerance, f"{coordinates} {constraints}: effort of hub{side} {value}, not {wanted} {error}")

# Bricard's mechanism keeps its energy, −29.43 J, and comes to the same place.
bricard = os.path.join(HERE, "..", "..", "models", "bricard.yaml")
for integrator, constraints in [("generalized-alpha", "augmented3"), ("trapezoidal", "augmented3"),
                                ("trapezoidal", "augmented1")]:
    dials = ["--integrator", integrator, "--constraints", constraints]
    near(bricard, "energy.total", -29.43, 1e-3, *dials)
    near(bricard, "marker.rod2.end.position.x", 0.999265, 2e-6, *dials)

# A parallelogram on a swinging arm: the energy of the start is that of its height, 0.061 kg m, and all angles of the
# parallelogram are one. Two of three equations count, in turn all three pairs.
for integrator in ["dop853:rtol=1e-10,atol=1e-12", "radau5"]:
    got, error = last(os.path.join(HERE, "parallelogram-on-arm.yaml"), "--integrator", integrator)
    energy = got["energy.total"] if got else math.nan
    angles = [got[f"joint.{j}.angle"] for j in ["drive", "tip", "follow"]] if got else [math.nan] * 3
    check(abs(energy - 9.81 * 0.061) < 1e-9, f"parallelogram on an arm, {integrator}: energy {energy} {error}")
    check(abs(angles[0] + angles[1]) < 1e-10 and abs(angles[0] - angles[2]) < 1e-10,
          f"parallelogram on an arm, {integrator}: angles {angles} {error}")

conclude()

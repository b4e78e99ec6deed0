"""Random dials: coordinates × constraints × integrator with its options, fixed steps or error control."""
import random


MOST_RADIANS = 20  # of a motion that is left to methods of order 1


class Lists:
    """What the program offers, from `verge list … --json`."""

    def __init__(self, program):
        self.pairs = program.listing("pairs")
        self.integrators = {row["name"]: row for row in program.listing("integrators")}
        self.coordinates = {row["name"]: row["models"] for row in program.listing("coordinates")}


class Setting:
    """One way to run a mechanism. step: fixed, or None with error control (rtol)."""

    def __init__(self, coordinates=None, constraints=None, integrator=None, options=(), step=None, rtol=None, order=2):
        self.coordinates, self.constraints, self.integrator = coordinates, constraints, integrator
        self.options, self.step, self.rtol, self.order = list(options), step, rtol, order
        self.inner = False  # rtol holds inside steps that are given: SUNDIALS
        self.omega = None  # of penalty: how fast a violation dies out

    def copy(self, **changes):
        other = Setting(self.coordinates, self.constraints, self.integrator, self.options, self.step, self.rtol, self.order)
        other.inner, other.omega = self.inner, self.omega
        for key, value in changes.items():
            setattr(other, key, value)
        return other

    def words(self):
        out = []
        if self.coordinates:
            out += ["--coordinates", self.coordinates]
        if self.constraints:
            out += ["--constraints", self.constraints + (f":omega={self.omega:.12g}" if self.omega else "")]
        options = list(self.options) + ([f"rtol={self.rtol:.3g}"] if self.rtol else [])
        if self.integrator:
            out += ["--integrator", self.integrator + (":" + ",".join(options) if options else "")]
        if self.step:
            out += ["--step", repr(self.step)]
        return out


def fits(lists, planar, coordinates):
    return ("planar" if planar else "spatial") in lists.coordinates[coordinates]


def repair(rng, lists, pair, planar, stiff, setting):
    """Pairs that the program refuses are tried now and then only."""
    if rng.random() < 0.1:
        return
    if setting.integrator in ("rattle", "energy-momentum"):
        setting.coordinates = "planar" if planar else "lie"
    families = {"explicit Runge–Kutta", "Adams"}
    if stiff and setting.constraints and lists.integrators[setting.integrator]["family"] in families:
        # fixed explicit steps on stiff models stop by name; what does not is of interest
        choice = [i for i in pair["integrators"] if lists.integrators[i]["A-stable"]]
        setting.integrator = rng.choice(choice)
    if setting.coordinates == "euler-angles-1" and (lists.integrators[setting.integrator]["implicit"] or setting.integrator == "rattle"):
        setting.integrator = rng.choice([i for i in pair["integrators"] if lists.integrators[i]["family"] == "explicit Runge–Kutta"])


def number_of_steps(rng, order, radians):
    """Sensible for a motion of so many radians in all: the error that they add up to, about radians × (radians a
    step)²/3 for methods of order 2 and radians × (radians a step)/2 for those of order 1, is some per cent at most; up
    to forty times more steps."""
    longest = min(0.3, (0.2 / radians) ** 0.5) if order > 1 else min(0.1, 0.1 / radians)
    fewest = radians / longest
    return min(fewest * 40 ** rng.uniform(0, 1), max(400, fewest))


def choose(lists, mechanism, seed, rows, rate):
    """The dials of a seed. rows: intervals of output; a fixed step is a whole part of one. rate: of the fastest part of
    the motion, rad/s."""
    rng = random.Random(f"dials {seed}")
    planar = mechanism.model.get("planar", False)
    setting = Setting(constraints=None, integrator="generalized-alpha")
    if rng.random() < 0.15:  # what a model gets that says nothing
        setting.integrator = None
    else:
        pair = rng.choice(lists.pairs)
        setting.constraints = pair["name"]
        candidates = [c for c in pair["coordinates"] if c in lists.coordinates and fits(lists, planar, c)]
        setting.coordinates = rng.choice(candidates)
        setting.integrator = rng.choice(pair["integrators"])
        repair(rng, lists, pair, planar, mechanism.stiff, setting)
        if lists.integrators[setting.integrator]["order"] == 1 and rate * mechanism.end > MOST_RADIANS:
            setting.integrator = rng.choice([i for i in pair["integrators"] if lists.integrators[i]["order"] > 1])
            repair(rng, lists, pair, planar, mechanism.stiff, setting)
    row = lists.integrators.get(setting.integrator, {"order": 2, "family": "", "parameters": []})
    setting.order = row["order"]
    steps = number_of_steps(rng, setting.order, rate * mechanism.end)
    steps = rows * max(3, round(steps / rows))
    setting.step = mechanism.end / steps
    some_options(rng, row, setting)
    adaptive = row.get("adaptive") and setting.integrator
    if row["family"] == "SUNDIALS":
        setting.rtol, setting.inner = 10 ** rng.randint(-8, -4), True
    elif adaptive and rng.random() < 0.3:
        setting.rtol, setting.step = 10.0 ** rng.randint(-8, -4), None
    elif adaptive and (row["family"] in ("explicit Runge–Kutta", "Adams") or setting.integrator == "bdf"):
        setting.options.append("adaptive=0")  # error control is on by default
    if setting.constraints == "penalty":
        # joints give way by a/ω²: sensible where that is small beside the motion, and explicit steps resolve ω
        omega = 100 * mechanism.rate
        if not row.get("A-stable") and setting.step:
            omega = min(omega, (0.05 if row["family"] == "Adams" else 0.3) / setting.step)
        setting.omega = float(f"{omega:.3g}")
    return setting


def some_options(rng, row, setting):
    for parameter in row.get("parameters", []):
        if parameter["name"] == "rho" and rng.random() < 0.5:
            setting.options.append(f"rho={rng.choice([0.0, 0.5, 0.8, parameter['max']])}")
        if parameter["name"] == "project" and rng.random() < 0.4:
            setting.options.append(f"project={rng.choice([0, 2])}")
        if parameter["name"] == "predictor" and rng.random() < 0.1:
            setting.options.append("predictor=0")
        if parameter["name"] == "start" and rng.random() < 0.2:
            setting.options.append("start=1")
    if row.get("implicit") and row.get("family") != "SUNDIALS" and rng.random() < 0.1:
        setting.options.append(f"newton={rng.choice([1, 2, 3])}")

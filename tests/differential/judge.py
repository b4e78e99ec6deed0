"""Compares a run with a reference made another way and says what it is worth.

A verdict is judged against the order of convergence, not against a tolerance: an error that is not down at the level of
the reference must fall as the order promises when the step is halved (or the tolerance tightened).

agrees         the error is at the level of the reference, or small and falling as it should
coarse         larger, and falling as the order says: explicable by the step that was asked for
refused        exit code 2
failed         exit code 1: stopped by name
warned         exit code 0 with a warning, and off
silently off   exit code 0, no warning, and an error that no step explains, or a motion that is grossly wrong
slow           at its end after more than LIMIT and less than LAST_LIMIT of processor time: not compared
without end    LAST_LIMIT of processor time
another start  the first row is not that of the reference
crashed        a signal
no reference   two methods of different families do not agree on the motion"""
import math

import mechanisms
from dials import Setting

ROWS = 8  # intervals between recorded rows
LIMIT = 5  # s of processor time of a run; one that agrees takes milliseconds
LAST_LIMIT = 100  # s of processor time after which a run is called without end
REFERENCE_LIMIT = 4  # s of processor time of a reference run
REFERENCE_AGREES = 2e-6  # two references, largest difference by scale
START_AGREES = 1e-7  # the first row; assembly is asked for 1e-10, references start from it
SMALL_PART = 1e-2  # of the mechanism's size, below which a displacement is judged by the size
SMALL = 1e-3  # an error below is "agrees" when it falls, above it is "coarse"
UNCONFIRMED = 1e-2  # an error below is "coarse" where finer runs stop by name
PENALTY_FLOOR = 1e-4  # springs in place of joints: errors below are theirs, whatever the step
GROSS = 0.2  # an error beyond is no answer any more
EFFORT_AGREES = 1e-3  # two references, reactions and efforts; where they are not unique they differ and are left out
EFFORT_GROSS = 0.5
# Chaotic motions: the reference with this tolerance, and by how much it may be off at a time that is still compared. A
# regular motion is off by some 1e-6 then; where hundreds of times that are seen any error of a step is multiplied as much.
LOOSE, PREDICTABLE = 1e-6, 5e-4
# Impacts without a duration: a row that is this part of an interval away from one is on its other side in a run whose impact comes
# by so much earlier or later; velocities differ there by their own size whatever the method.
BESIDE, JUMP = 0.05, 0.1

VERDICTS = ["agrees", "coarse", "refused", "failed", "warned", "silently off", "slow", "without end", "another start", "crashed", "no reference"]


def kind_of(channel):
    part = channel.split(".")
    if part[0] in ("time", "energy"):
        return None
    if part[0] == "joint" and (part[-2] in ("force", "torque") or part[-1] == "effort"):
        return "torque" if part[-2] == "torque" or part[-1] == "effort" else "force"
    if "quaternion" in part:
        return "quaternion"
    if part[0] == "body" and "omega" in part:
        return "omega"
    if "velocity" in part:
        return "velocity"
    if part[-1] == "angle":
        return "angle"
    return "position"


class Reference:
    """Rows of the best of two runs that agree, the scale of each kind of channel, the channels that are unique."""

    def __init__(self, outcome, other):
        self.steps = min(o.report.get("steps", 1) for o in (outcome, other))
        self.names, self.rows = outcome.names, outcome.rows
        self.kinds = [kind_of(n) for n in self.names]
        self.scale = scales(self.names, self.kinds, self.rows)
        self.use = [k is not None for k in self.kinds]
        self.difference = 0.0
        self.horizon = len(self.rows)  # rows that are compared
        self.beside = set()  # rows beside a jump: not compared
        gap, worst = compare(self, other.names, other.rows, by_channel=True)
        for i, g in enumerate(gap):
            if self.kinds[i] in ("force", "torque"):
                self.use[i] = g < EFFORT_AGREES
            elif self.kinds[i]:
                self.difference = max(self.difference, g)

    def error(self, outcome, efforts):
        """Largest error by scale of the motion, or of the efforts, over all rows but the first."""
        gap, worst = compare(self, outcome.names, outcome.rows, by_channel=True)
        chosen = [(g, self.names[i]) for i, g in enumerate(gap) if self.use[i] and (self.kinds[i] in ("force", "torque")) == efforts]
        return max(chosen, default=(0.0, ""))

    def start_error(self, outcome):
        gap, worst = compare(self, outcome.names, outcome.rows[:1], by_channel=True, first=True)
        return max((g for i, g in enumerate(gap) if self.use[i] and self.kinds[i] not in ("force", "torque")), default=0.0)


def scales(names, kinds, rows):
    """Of a kind of channel: the largest change of any of them (positions, angles) or the largest value (rates, efforts).
    Bodies of one mechanism share a scale: what moves little is judged beside what moves much. What hardly moves at all
    is judged by a small part of the mechanism's size, and by speeds and efforts that go with that."""
    scale, size = {}, 1e-3
    for i, kind in enumerate(kinds):
        if kind is None:
            continue
        column = [r[i] for r in rows]
        largest = max(abs(c) for c in column)
        if kind == "position":
            size = max(size, largest)
        change = max(abs(c - column[0]) for c in column)
        scale[kind] = max(scale.get(kind, 0.0), change if kind in ("position", "angle") else largest)
    span = rows[-1][0] - rows[0][0] if len(rows) > 1 else 1.0
    floor = lambda kind, value: scale.__setitem__(kind, max(scale[kind], value)) if kind in scale else None
    floor("position", SMALL_PART * size)
    floor("angle", SMALL_PART)
    floor("omega", SMALL_PART / span)
    floor("velocity", max(SMALL_PART * size / span, SMALL_PART * size * scale.get("omega", 0.0)))
    force, torque = scale.get("force", 0.0), scale.get("torque", 0.0)
    floor("force", max(1e-6, SMALL_PART * torque / size))
    floor("torque", max(1e-6, 10 * SMALL_PART * force * size))
    scale["quaternion"] = 1.0
    return scale


def compare(reference, names, rows, by_channel, first=False):
    gap = [0.0] * len(reference.names)
    if names != reference.names or (not first and len(rows) != len(reference.rows)):
        return [math.inf] * len(gap), "rows"
    for k, row in enumerate(rows[: reference.horizon]):
        if k in reference.beside:
            continue
        i = 0
        while i < len(row):
            kind = reference.kinds[i]
            if kind is None:
                i += 1
            elif kind == "quaternion":
                a, b = row[i : i + 4], reference.rows[k][i : i + 4]
                d = min(max(abs(x - y) for x, y in zip(a, b)), max(abs(x + y) for x, y in zip(a, b)))
                d = d if all(map(math.isfinite, a)) else math.inf
                gap[i] = max(gap[i], d)
                i += 4
            else:
                d = abs(row[i] - reference.rows[k][i]) / reference.scale[kind]
                gap[i] = max(gap[i], d if math.isfinite(d) else math.inf)
                i += 1
    return gap, ""


def references(planar, stiff, corner):
    """Settings of different families, in the order in which they are tried."""
    absolute = "planar" if planar else "lie"
    if stiff:
        return [Setting(absolute, "index2", "radau3", rtol=1e-8, order=5), Setting("relative", "index1", "esdirk436", rtol=1e-9, order=4),
                Setting("natural", "index2", "bdf", rtol=1e-9, order=5), Setting("relative", "index1", "radau3", rtol=1e-8, order=5)]
    return [Setting("relative", "index1", "dop853", rtol=1e-11, order=8), Setting(absolute, "index2", "radau3", rtol=1e-9, order=5),
            Setting(absolute, "independent", "dopri5", rtol=1e-10, order=5), Setting(absolute, "index1", "adams", rtol=1e-10, order=5)]


class Judge:
    def __init__(self, program):
        self.program = program
        self.path = None

    def open(self, mechanism):
        model = dict(mechanism.model)
        model["record"] = mechanisms.channels(mechanism.model)
        self.mechanism = mechanism
        self.path = self.program.write(mechanisms.text(model))
        self.reference, self.words = self.make_reference()

    def run(self, setting, limit=LIMIT, more=(), longer=1.0):
        end = self.mechanism.end * longer
        words = setting.words() + ["--end", repr(end), "--interval", repr(end / ROWS), *more]
        if setting.step is None:
            words += ["--step", repr(end / 200)]
        return self.program.run(self.path, words, limit)

    def make_reference(self):
        m = self.mechanism
        done, words = [], []
        for setting in references(m.planar, m.stiff, hasattr(m, "corner")):
            outcome = self.run(setting, REFERENCE_LIMIT, ["--events"])
            if outcome.code != 0 or len(outcome.rows) != ROWS + 1:
                words.append(f"{' '.join(setting.words())}: code {outcome.code} {outcome.error[:160]}")
                continue
            if outcome.warnings:  # long steps of two tight runs may both miss a contact, and agree
                words.append(f"{' '.join(setting.words())}: {outcome.warnings[0][:160]}")
                continue
            for other in done:
                reference = Reference(other, outcome)
                if reference.difference < REFERENCE_AGREES:
                    self.see_horizon(reference)
                    if getattr(m, "jumps", False):
                        self.see_jumps(reference, setting)
                    return (reference, words) if reference.horizon > 1 else (None, ["not predictable"])
                words.append(f"{' '.join(setting.words())}: {reference.difference:.1e} from another")
            done.append(outcome)
        return None, words

    def see_horizon(self, reference):
        """How many rows of the motion are predictable: compared are those in which a loose run of the reference's kind is
        not far off."""
        setting = references(self.mechanism.planar, self.mechanism.stiff, False)[0].copy(rtol=LOOSE)
        if not self.mechanism.stiff:
            setting.integrator = "dopri5"  # whose errors are as large as its tolerance
        loose = self.run(setting, REFERENCE_LIMIT, ["--events"])
        reference.horizon = ROWS + 1
        if loose.code != 0 or len(loose.rows) != ROWS + 1:
            return
        for k in range(1, ROWS + 1):
            gap, _ = compare(reference, loose.names, loose.rows[: k + 1], by_channel=True, first=True)
            if max((g for g, kind in zip(gap, reference.kinds) if kind and kind not in ("force", "torque")), default=0) > PREDICTABLE:
                reference.horizon = k
                return

    def see_jumps(self, reference, setting):
        """Which rows are beside a jump: those of the same run a little earlier and later are far away."""
        for part in (BESIDE, -BESIDE):
            for k in range(1, ROWS + 1):  # the row k of rows that are longer by part/k of an interval
                moved = self.run(setting, REFERENCE_LIMIT, ["--events"], 1 + part / k)
                if moved.code != 0 or len(moved.rows) <= k:
                    continue
                gap = [abs(a - b) / reference.scale[kind] for a, b, kind in zip(moved.rows[k], reference.rows[k], reference.kinds) if kind in ("velocity", "omega")]
                if max(gap, default=0.0) > JUMP:
                    reference.beside.add(k)

    def judge(self, setting):
        """(verdict, details)"""
        outcome = self.run(setting, LAST_LIMIT)
        code = outcome.code
        if code != 152 and outcome.micro > 1e6 * LIMIT:
            return "slow", ""
        if code == 2:
            return "refused", outcome.error
        if code == 152:
            return "without end", ""
        if code == 1:
            return "failed", outcome.error
        if code != 0:
            return "crashed", f"code {code} {outcome.error}"
        if self.reference is None:
            return "no reference", "; ".join(self.words)
        if outcome.rows and self.reference.start_error(outcome) > self.start_allowed(setting):
            return "another start", f"{self.reference.start_error(outcome):.2e}"
        verdict, details = self.weigh(setting, outcome)
        if verdict == "silently off" and outcome.warnings:
            return "warned", f"{details}; {outcome.warnings[0]}"
        return verdict, details

    def effort_error(self, setting, outcome):
        # springs in place of joints share redundant reactions in their own way, and vibrate from the start
        return (0.0, "") if setting.constraints == "penalty" else self.reference.error(outcome, True)

    def ratio(self, setting):
        """How much the error must fall at one refinement, at the least: nearly the order, 2 at the most (methods of
        higher order have it in positions and smooth motions alone). 1 where corners are stepped over and where joints
        are springs."""
        if setting.rtol:
            return 1.6
        if setting.constraints == "penalty" or hasattr(self.mechanism, "corner"):
            return 1.5
        return 2 ** (0.7 * min(setting.order, 2))

    def rate(self):
        """Of the fastest part of the motion: a reference step covers about a third of a radian of it."""
        m = self.mechanism
        return max(m.rate, 0.35 * self.reference.steps / m.end) if self.reference else m.rate

    def start_allowed(self, setting):
        return max(START_AGREES, 10 * self.reference.difference)

    def weigh(self, setting, outcome):
        errors = [self.reference.error(outcome, False)]
        effort = [self.effort_error(setting, outcome)]
        floor = max(1e-6, 20 * self.reference.difference)
        if setting.constraints == "penalty":
            floor = max(floor, PENALTY_FLOOR)
        if setting.rtol:
            floor = max(floor, min(10 * setting.rtol * max(outcome.report.get("steps", 1), 10), SMALL))
        words = lambda: "motion " + " ".join(f"{e:.2e}" for e, _ in errors) + f" ({errors[0][1]}), effort " + " ".join(
            f"{e:.2e}" for e, _ in effort) + f" ({effort[0][1]})"
        if errors[0][0] <= floor and effort[0][0] <= max(100 * floor, 1e-2):
            return "agrees", words()
        finer = setting
        for _ in range(2):
            finer = refined(finer)
            more = self.run(finer, 4 * LIMIT)
            if more.code != 0 or len(more.rows) != ROWS + 1:
                # nothing to compare with: the error itself decides
                well = errors[0][0] <= UNCONFIRMED and effort[0][0] <= EFFORT_GROSS
                return ("coarse" if well else "silently off"), f"finer: code {more.code} {more.error[:200]}; " + words()
            errors.append(self.reference.error(more, False))
            effort.append(self.effort_error(setting, more))
            if explained([e for e, _ in errors], floor, self.ratio(setting)) and explained([e for e, _ in effort], max(100 * floor, 1e-2), 1.4):
                break
        motion_well = explained([e for e, _ in errors], floor, self.ratio(setting))
        if not motion_well and errors[1][0] > errors[0][0] and (hasattr(self.mechanism, "corner") or errors[1][0] < SMALL):
            motion_well = self.falls_behind(finer, errors, floor)
        effort_well = explained([e for e, _ in effort], max(100 * floor, 1e-2), 1.4)
        if not motion_well:
            return "silently off", words()
        if errors[0][0] > GROSS:
            return "silently off", "gross: " + words()
        if not effort_well and effort[0][0] > EFFORT_GROSS:
            return "silently off", "effort: " + words()
        return ("agrees" if errors[0][0] <= SMALL and effort_well else "coarse"), words()


    def falls_behind(self, finer, errors, floor):
        """An error may be small by accident, so that the next is larger: where a contact begins anywhere within a step it is that of
        the place, and errors of two orders may cancel at one step. From there on errors must fall, over two refinements, one by one
        and together."""
        more = self.run(refined(finer), 4 * LIMIT)
        if more.code != 0 or len(more.rows) != ROWS + 1:
            return False
        one, two, three = errors[1][0], errors[2][0], self.reference.error(more, False)[0]
        least = self.ratio(finer)
        return (two <= floor or one >= least * two) and (three <= floor or one >= least * least * three)


def refined(setting):
    if setting.omega or setting.constraints == "penalty":
        omega = (setting.omega or 100.0) * 2
        return setting.copy(omega=omega, step=setting.step and setting.step / 2, rtol=setting.rtol and setting.rtol / 4)
    if setting.rtol:
        return setting.copy(rtol=max(setting.rtol / 10, 1e-13), step=setting.step if setting.inner else None)
    return setting.copy(step=setting.step / 2)


def explained(errors, floor, least):
    """Whether the error falls as it should, over one refinement or over two together."""
    if errors[0] <= floor:
        return True
    if len(errors) > 1 and (errors[1] <= floor or errors[0] >= least * errors[1]):
        return True
    return len(errors) > 2 and (errors[2] <= floor or errors[0] >= least * least * errors[2] or errors[1] >= least * errors[2] and errors[1] <= errors[0])

"""Shrinks a mechanism that shows a wrong answer: parts are left out while the verdict stays."""
import copy
import os

import mechanisms

MOST_TRIES = 40  # of one mechanism; each costs a reference


def mentions(entry, name):
    """Whether an entry of the model refers to a body or joint."""
    if isinstance(entry, str):
        return entry == name or entry.startswith(name + ".")
    if isinstance(entry, dict):
        return any(mentions(v, name) for v in entry.values())
    if isinstance(entry, list):
        return any(mentions(v, name) for v in entry)
    return False


def without(model, part, name):
    """The model without one entry and all that refers to it; None where nothing is left."""
    model = copy.deepcopy(model)
    del model[part][name]
    gone = [name]
    while gone:
        lost = gone.pop()
        for section in ("joints", "forces"):
            for other in [o for o, e in model.get(section, {}).items() if mentions(list(e.values()), lost)]:
                del model[section][other]
                gone.append(other)
    return model if model.get("bodies") or model.get("mesh") or model.get("flexible") else None


def candidates(mechanism):
    for part in ("forces", "bodies", "joints"):
        for name in list(mechanism.model.get(part, {}))[::-1]:
            model = without(mechanism.model, part, name)
            if model:
                yield changed(mechanism, model, mechanism.end)
    yield changed(mechanism, mechanism.model, mechanism.end / 2)


def changed(mechanism, model, end):
    other = copy.copy(mechanism)
    other.model, other.end = model, end
    return other


def shrink(judge, mechanism, setting, verdict):
    """The smallest mechanism found and its setting."""
    best, how, tries = mechanism, setting, 0
    progress = True
    while progress and tries < MOST_TRIES:
        progress = False
        for candidate in candidates(best):
            tries += 1
            trial = how
            if candidate.end != best.end and how.step and round(candidate.end / how.step) % 8:
                continue
            judge.open(candidate)
            if judge.reference is not None and judge.judge(trial)[0] == verdict:
                best, progress = candidate, True
                break
            if tries >= MOST_TRIES:
                break
        for option in list(how.options):
            trial = how.copy(options=[o for o in how.options if o != option])
            judge.open(best)
            if judge.judge(trial)[0] == verdict:
                how = trial
    return best, how


def write(judge, mechanism, setting, verdict, seed, folder):
    """Writes seed.yaml with its command; returns words for the log."""
    best, how = shrink(judge, mechanism, setting, verdict)
    judge.open(best)
    again, details = judge.judge(how)
    name = f"{seed}.yaml"
    words = " ".join(how.words())
    head = [f"seed {seed}, {mechanism.family}: {again}", details,
            f"verge run {name} {words} --end {best.end!r} --interval {best.end / 8!r}"]
    model = dict(best.model)
    model["record"] = mechanisms.channels(best.model)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write("".join(f"# {line}\n" for line in head) + mechanisms.text(model))
    return f" [{len(best.model.get('bodies', {}))} bodies in {name}]"

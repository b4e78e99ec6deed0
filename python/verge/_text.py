"""From Python objects to the text of a model. Every key is a line of its own, so that an error leads back to it."""
import itertools
import json
import math
import numbers

from ._errors import InputError, Places

counter = itertools.count(1)


def scalar(value, path):
    """A value as flow YAML, which JSON is."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise InputError(f"{'.'.join(map(str, path))}: {value} is not finite")
        return repr(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k), ensure_ascii=False)}: {scalar(v, (*path, k))}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(scalar(v, path) for v in value) + "]"
    if hasattr(value, "__verge__"):
        return scalar(value.__verge__(), path)
    raise InputError(f"{'.'.join(map(str, path))}: {type(value).__name__} cannot be part of a model")


def emit(value, path, indent, lines, paths):
    for key, each in value.items():
        here = (*path, str(key))
        head = "  " * indent + json.dumps(str(key), ensure_ascii=False) + ":"
        if isinstance(each, dict) and each and len(here) < 5:
            lines.append(head)
            paths.append(here)
            emit(each, here, indent + 1, lines, paths)
        else:
            lines.append(f"{head} {scalar(each, here)}")
            paths.append(here)


def model_text(data, where=None):
    """(text, name, places) of a dict; where: from paths to (shown, file, line)."""
    data = {"verge": 1, **{str(k): v for k, v in data.items()}}
    lines, paths = [], []
    emit(data, (), 0, lines, paths)
    name = f"model-{next(counter)}"
    return "\n".join(lines) + "\n", name, Places(name, paths, where or {})

"""Exceptions: what the engine reports, with its place and what it names."""
import re
import warnings
import weakref

PLACE = re.compile(r"^(?:(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): )?(?P<kind>error|warning|note): (?P<text>.*)$", re.S)
BAD_INPUT, UNSUPPORTED, INTERRUPTED = 2, 8, 9
places = weakref.WeakValueDictionary()  # name of a text made here -> its Places


class Error(Exception):
    """What the engine reports.

    Attributes: file, line, column (where the model is wrong; None if that is not known), joint, body (the first that the words
    name), t (the time that they name), lines (all that was reported), result (of a run that ended early).
    """

    file = line = column = joint = body = t = result = None
    lines = ()


class InputError(Error, ValueError):
    """A model, a setting or a name is wrong."""


class SimulationError(Error, RuntimeError):
    """A motion could not be computed further."""


class VergeWarning(UserWarning):
    """What casts doubt on a model or a result."""


class Places:
    """From lines of a text made here to where its parts come from."""

    def __init__(self, name, lines, where):
        self.lines, self.where = lines, where
        places[name] = self

    def find(self, line):
        """The place of a line: (text, file, line in the file)."""
        path = self.lines[line - 1] if 0 < line <= len(self.lines) else ()
        for n in range(len(path), -1, -1):
            if path[:n] in self.where:
                return self.where[path[:n]]
        return ".".join(map(str, path)) or "model", None, None


def located(line):
    """A line of the engine, with places of texts made here replaced: (line, file, line number, column, words)."""
    found = PLACE.match(line)
    if not found:
        return line, None, None, None, line
    file, number, column = found["file"], found["line"], found["column"]
    if file in places:
        shown, file, number = places[file].find(int(number))
        return f"{shown}: {found['kind']}: {found['text']}", file, number, None, found["text"]
    return line, file, number and int(number), column and int(column), found["text"]


def first(pattern, text):
    found = re.search(pattern, text)
    return found.group(1) if found else None


def make_error(status, words, lines, kind=None):
    """The exception for a status of the engine."""
    wrong = [located(line) for line in lines if "error: " in line or not PLACE.match(line)]
    shown, file, line, column, text = wrong[0] if wrong else (words, None, None, None, words)
    if not shown:
        from . import _core
        shown = text = _core.status_text(status)
    kind = kind or (InputError if status in (BAD_INPUT, UNSUPPORTED) else SimulationError)
    error = kind("\n".join([shown.removeprefix("error: ") if hasattr(str, "removeprefix") else shown, *(w[0] for w in wrong[1:])]))
    error.file, error.line, error.column = file, line, column
    error.lines = tuple(located(each)[0] for each in lines)
    error.joint, error.body = first(r"joint '([^']+)'", text), first(r"body '([^']+)'", text)
    when = first(r"t = ([-+0-9.e]+)", text)
    error.t = float(when.rstrip(".")) if when else None
    return error


def raise_error(status, words, lines, model):
    raise make_error(status, words, lines)


def warn(lines):
    for line in lines:
        shown = located(line)[0] if PLACE.match(line) else line
        if "error: " not in line:
            warnings.warn(shown.replace("warning: ", "", 1), VergeWarning, stacklevel=4)

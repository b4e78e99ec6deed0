"""Words of the program for studies: ranges, lists and tables as Python has them."""
import csv
import os

from ._errors import InputError
from ._numpy import numpy


def listed(value):
    """A text, or several, as a list."""
    return [value] if isinstance(value, str) else list(value)


def axis(name, value):
    """"k=10:100:20", "k~normal(3,0.1)" or "k=1,2,5"."""
    if isinstance(value, str):
        return name + (value if value.startswith("~") else "=" + value)
    return f"{name}=" + ",".join(repr(float(x)) for x in value)


def ranges(free):
    return ",".join(f"{name}={float(low)!r}:{float(high)!r}" for name, (low, high) in free.items())


def matches(match):
    if isinstance(match, dict):
        return ",".join(f"{channel}={column}" for channel, column in match.items())
    return ",".join(listed(match))


def measured(data, folder):
    """The path of the data; columns are written there."""
    if not hasattr(data, "keys"):
        return os.fspath(data)
    np = numpy()
    columns = {name: np.asarray(data[name], dtype=float) for name in data.keys()}
    if len({len(column) for column in columns.values()}) != 1:
        raise InputError("the columns of the data differ in length")
    path = os.path.join(folder, "data.csv")
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([repr(float(x)) for x in row] for row in zip(*columns.values()))
    return path


def columns(path):
    """A study as columns; texts stay lists."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    table = {name: [row[k] for row in rows[1:]] for k, name in enumerate(rows[0])}
    return {name: values if name in ("state", "why") else numpy().array(values, dtype=float) for name, values in table.items()}

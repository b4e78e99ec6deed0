"""The program `verge`, which comes with the package, as functions that return data."""
import json
import math
import os
import pathlib
import subprocess
import sys

from ._errors import BAD_INPUT, make_error

PROGRAM = pathlib.Path(__file__).parent / "bin" / "verge"
FAILED = 3


def parse(text):
    """JSON of the program; numbers that JSON has no word for are null there and NaN here where a number is wanted."""
    return json.loads(text, parse_constant=lambda word: math.nan)


def arguments(options):
    for key, value in options.items():
        if value is None or value is False or value == "" or (value == 0 and value is not True):
            continue
        key = "--" + key.replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            yield from [key] if each is True else [key, str(each)]


def command(name, *words, **options):
    """Runs a command of the program and returns its JSON answer. Keywords are its options.

    >>> verge.command("list", "joints")["joints"][0]["name"]
    'revolute'
    """
    call = [str(PROGRAM), name, *map(str, words), *arguments(options), "--json"]
    done = subprocess.run(call, capture_output=True, text=True, encoding="utf-8", errors="replace")
    if done.returncode:
        lines = [line.removeprefix("verge: ") for line in done.stderr.splitlines() if "error" in line or line.startswith("verge: ")]
        raise make_error(BAD_INPUT if done.returncode == 2 else FAILED, lines[0] if lines else done.stderr, lines)
    return parse(done.stdout)


def spectrum(*integrators, **options):
    """Integrators on the test oscillator: radius, decay, elongation. Options as of `verge spectrum`."""
    return command("spectrum", *integrators, **options)


def main():
    """The program itself: what `verge` on the command line starts."""
    os.execv(PROGRAM, ["verge", *sys.argv[1:]])

"""Numbers that decide: literals in comparisons, in fmin and fmax, and in the constants that stand for them.

    python3 scripts/literals.py           counts of unnamed ones, room by room
    python3 scripts/literals.py --list    each of them: file:line: literal: line
    python3 scripts/literals.py --named   the named ones (what scripts/tuning varies)

Unnamed is a literal written where it decides. Named is one behind `static const double NAME =`, `#define NAME`, or an
enumerator. 0, 1, 2, small whole numbers and halves are not thresholds of the numerics; nor are ranges in field tables,
coefficients of methods, powers and sizes of arrays."""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ["base", "math", "linalg", "element", "model", "system", "integrator", "analysis"]
NUMBER = r"(?<![\w.])(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.\d+(?:[eE][-+]?\d+)?)(?![\w.])"
# written as floating-point numbers, but no thresholds
PLAIN = {0.0, 1.0, 2.0, 0.5, 3.0, 4.0, 0.25, 6.0, 12.0}
DECIDES = re.compile(r"(?<![-<>=])[<>]=?(?![<>=])|\bfm(?:in|ax)\(|\bvg_clamp\(")
NAMED = re.compile(r"^\s*(?:static )?(?:const )?double (?:const )?([A-Za-z_]\w*) = ([^;,{}]*);|^\s*#define ([A-Z]\w*)\s+([-\d.(].*)$")


def without_comments(text):
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def statements(code):
    """(first line, text) of what ends with ; { or }, so that conditions over several lines are seen as one."""
    line = start = 1
    text = ""
    depth = 0
    for c in code:
        if not text.strip():
            start = line
        text += c
        depth += (c == "(") - (c == ")")
        if c == "\n":
            line += 1
            if text.lstrip().startswith("#") and not text.rstrip().endswith("\\"):
                yield start, text
                text = ""
                depth = 0
        elif c in "{}" and depth <= 0 or c == ";" and depth <= 0:
            yield start, text
            text = ""
            depth = 0


def is_plain(literal):
    return float(literal) in PLAIN


def deciding(path):
    """(line, literal, statement) of the unnamed ones of a file."""
    code = without_comments(path.read_text())
    for line, text in statements(code):
        if NAMED.match(text.strip("\n")) or re.match(r"\s*(static |const |extern )*(const )?vgField\b", text):
            continue
        if re.search(r"\[[A-Z_]+\] =", text):  # a table of costs
            continue
        if "VG_FIELD_" in text or "_Static_assert" in text or not DECIDES.search(re.sub(r"->|#include.*", "  ", text)):
            continue
        if re.search(r"\bfor \(", text) and not re.search(r"\d[eE]-?\d", text):
            continue
        for match in re.finditer(NUMBER, text):
            if is_plain(match.group(1)):
                continue
            # beside a comparison, in fmin/fmax, or scaled by what is compared: within the same clause
            yield line + text[:match.start()].lstrip("\n").count("\n"), match.group(1), " ".join(text.split())


def named(path):
    """(line, name, value) of the named ones of a file: numbers behind `static const double` and in #define."""
    code = without_comments(path.read_text())
    value = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    found = []
    for match in re.finditer(r"^[ \t]*static const double ([^;\[\]{}*]*);", code, flags=re.M):
        for name, literal in re.findall(rf"(\w+) =\s+({value})(?=\s*(?:,|$))", match.group(1)):
            found.append((code[:match.start()].count("\n") + 1, name, literal))
    for number, line in enumerate(code.splitlines(), 1):
        match = re.match(rf"\s*#define ([A-Z]\w*)\s+({value})\s*$", line)
        if match and ("." in match.group(2) or "e" in match.group(2)):
            found.append((number, match.group(1), match.group(2)))
    yield from sorted(found)


def files():
    for room in ROOMS:
        yield from ((room, path) for path in sorted((SOURCE / "src" / room).rglob("*.[ch]")))


def counts():
    found = dict.fromkeys(ROOMS, 0)
    for room, path in files():
        found[room] += sum(1 for _ in deciding(path))
    return found


def main():
    if "--list" in sys.argv:
        for _, path in files():
            for line, literal, text in deciding(path):
                print(f"{path.relative_to(SOURCE)}:{line}: {literal}: {text[:150]}")
    elif "--named" in sys.argv:
        for _, path in files():
            for line, name, value in named(path):
                print(f"{path.relative_to(SOURCE)}:{line}: {name} = {value}")
    else:
        found = counts()
        for room, n in found.items():
            print(f"{room:12} {n}")
        print(f"{'all':12} {sum(found.values())}")


if __name__ == "__main__":
    main()

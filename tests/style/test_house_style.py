"""The habits that a machine can check: length of files and functions, formatting, a library that neither prints
nor exits, unique test names, and a repository that speaks of Verge alone."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
MAX_FILE = 600
MAX_FUNCTION = 65  # 60 and a little: a table that ends a function
MAX_EXPERIMENT = 75  # functions of src/reproduce, an experiment each
SKIP = {"build", "node_modules", ".git", "out"}

# Written in pieces, so that this file does not find itself.
FORBIDDEN = [
    r"(?<![\w.])/wo" r"rk/", r"\.\./sha" r"red\b", r"(?<![\w/-])sha" r"red/(facts|papers|data|hooks|[A-Z])",
    r"(?i)sub-?ag" r"ents?\b", r"(?i)helper ag" r"ent", r"(?i)\bai ag" r"ent", r"(?i)\bcla" r"ude\b",
]
PRINTS = re.compile(r"(?<![\w.>])(printf|puts|putchar|perror|exit|_Exit|abort|quick_exit)\s*\(|\b(stdout|stderr)\b")


def all_files():
    done = subprocess.run(["git", "-C", str(SOURCE), "ls-files", "-co", "--exclude-standard", "-z"],
                          capture_output=True, text=True)
    if done.returncode == 0:
        known = subprocess.run(["git", "-C", str(SOURCE), "ls-files", "-z"], capture_output=True, text=True)
        known = set(known.stdout.split("\0"))
        ours = {name.split("/")[0] for name in known if "/" in name}
        # new files count where files of ours are; what somebody left at the top is not ours
        paths = [SOURCE / name for name in done.stdout.split("\0")
                 if name and (name in known or name.split("/")[0] in ours)]
    else:
        paths = [p for p in SOURCE.rglob("*") if not SKIP & set(p.relative_to(SOURCE).parts)]
    return sorted(p for p in paths if p.is_file())


def without_comments(text):
    """The code with comments and strings blanked, line by line as before."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def check_words(path, name):
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        for pattern in FORBIDDEN:
            if re.search(pattern, line):
                yield f"{name}:{number}: {line.strip()[:80]!r} is not about Verge"


def check_lengths(path, name):
    lines = path.read_text().splitlines()
    if len(lines) > MAX_FILE:
        yield f"{name}: {len(lines)} lines, more than {MAX_FILE}"
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            most = MAX_EXPERIMENT if name.startswith("src/reproduce/") else MAX_FUNCTION
            if number - start > most:
                yield f"{name}:{start}: a function of {number - start} lines, more than {most}"
            start = None


def check_quiet(path, name):
    for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
        if PRINTS.search(line):
            yield f"{name}:{number}: the library neither prints nor exits: {line.strip()}"


def check_formatting(sources):
    tool = shutil.which("clang-format")
    if not tool:
        print("note: no clang-format, formatting is not checked")
        return []
    done = subprocess.run([tool, "--dry-run", "-Werror"] + [str(s) for s in sources], capture_output=True, text=True)
    return sorted({str(pathlib.Path(line.split(":")[0]).relative_to(SOURCE)) + ": run clang-format -i"
                   for line in done.stderr.splitlines() if "-Wclang-format-violations" in line})


def check_equations(sources):
    """Equations that the code cites stand in the theory, each under a number of its own."""
    theory = (SOURCE / "docs/theory.md").read_text()
    numbers = re.findall(r"\\tag\{(\w+)\}", theory)
    for number in sorted({n for n in numbers if numbers.count(n) > 1}):
        yield f"docs/theory.md: two equations are called {number}"
    for path in sources:
        text = re.sub(r"\n\s*\*\s*", " ", path.read_text())  # comments as one line
        for cited in re.findall(r"theory\.md,?[^.;)]*?eqs?\.\s*([\w ,–]+)", text):
            for number in re.findall(r"\b\d+[a-z]?\b", cited):
                if number not in numbers:
                    yield f"{path.relative_to(SOURCE).as_posix()}: docs/theory.md has no equation {number}"


def check_file_names(sources):
    """Files that comments and pages name are there."""
    paths = {p.relative_to(SOURCE).as_posix() for p in sources}
    pages = [SOURCE / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md")] + sorted((SOURCE / "docs").glob("*.md"))
    for path in sources + pages:
        text = path.read_text()
        parts = re.findall(r"/\*.*?\*/|//[^\n]*", text, re.S) if path.suffix in (".c", ".h") else [text]
        for name in sorted({n for part in parts for n in re.findall(r"(?<![\w/.*<-])((?:[a-z0-9_]+/)*[a-z0-9_]+\.[ch])\b(?!\w)", part)}):
            if not any(p == name or p.endswith("/" + name) for p in paths | {"examples/pendulum.c"}):
                yield f"{path.relative_to(SOURCE).as_posix()}: there is no file {name}"


def check_test_names(names):
    seen = {}
    for name in names:
        stem = pathlib.PurePath(name).name.split(".")[0]
        if stem in seen:
            yield f"{name}: another test is called {stem}: {seen[stem]}"
        seen[stem] = name


def main():
    problems, sources, tests = [], [], []
    for path in all_files():
        name = path.relative_to(SOURCE).as_posix()
        problems += check_words(path, name)
        if re.match(r"(src|include|tests|bench)/.*\.[ch]$", name):
            sources.append(path)
        if re.match(r"src/.*\.[ch]$", name):
            problems += check_lengths(path, name)
            if not name.startswith(("src/cli/", "src/reproduce/")):
                problems += check_quiet(path, name)
        if re.match(r"tests/[^/]+/(test|every)_[^/]*\.(c|py)$", name):
            tests.append(name)
    problems += check_test_names(tests)
    problems += check_formatting(sources)
    problems += check_equations(sources)
    problems += check_file_names(sources)
    if not sources:
        problems.append("no source was looked at")
    print("\n".join(problems) or f"ok   {len(sources)} sources")
    sys.exit(bool(problems))


main()

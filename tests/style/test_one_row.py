"""One file and one row add a joint, a force, an integrator, a command or a constraint setting: a toy of each is added to a copy of the tree, the
touched files are counted, and the suites that loop over the lists find it and name it when it is wrong. Only what is
touched is compiled; the rest comes from the build."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["VERGE_BUILD_DIR"])
problems = []


def replaced(path, *pairs):
    text = path.read_text()
    for old, new in pairs:
        if old not in text:
            raise ValueError(f"{path}: no {old!r}")
        text = text.replace(old, new)
    return text


def joint(copy):
    folder = copy / "src/element/joint"
    (folder / "toy.c").write_text(replaced(folder / "revolute.c", ("vg_joint_revolute", "vg_joint_toy"),
                                           ('"revolute"', '"toy-hinge"'), ("revolute:", "toy-hinge:")))
    (folder / "joint.c").write_text(replaced(folder / "joint.c", ("    X(revolute) ", "    X(toy) \\\n    X(revolute) ")))
    return folder / "toy.c", ("S[5] = 1;", "S[5] = 1.01;")


def force(copy):
    folder = copy / "src/element/force"
    (folder / "toy.c").write_text(replaced(folder / "bushing.c", ("vg_force_bushing", "vg_force_toy"),
                                           ('"bushing"', '"toy-mount"'), ("bushing:", "toy-mount:")))
    (folder / "force.c").write_text(replaced(folder / "force.c", ("    X(spring) ", "    X(toy) \\\n    X(spring) ")))
    return folder / "toy.c", None


def integrator(copy):
    tables, listed = copy / "src/integrator/explicit/rk_tables.c", copy / "src/integrator/integrator.c"
    text = tables.read_text()
    toy = """
static const double toy_a[] = {0, 0, 2. / 3, 0}, toy_b[] = {0.25, 0.75}, toy_c[] = {0, 2. / 3};
static const vgTableau vg_tableau_toy = {.stages = 2, .order = 2, .a = toy_a, .b = toy_b, .c = toy_c};
VG_EXPLICIT_ROW(toy, "toy-ralston", "Ralston, order 2", "Ralston 1962", 2, 2, DOUBLED);
"""
    tables.write_text(text + toy)
    listed.write_text(replaced(listed, ("    ROW(heun) ", "    ROW(toy) \\\n    ROW(heun) ")))
    return tables, ("toy_b[] = {0.25, 0.75}", "toy_b[] = {0.3, 0.7}")


def command(copy):
    (copy / "src/cli/command/toy.c").write_text("""#include <stdio.h>

#include "cli/cli.h"

static int toy(const vgArgs *args)
{
    printf("%s toys\\n", vg_cli_word(args, 0));
    return VG_EXIT_OK;
}

const vgCommand vg_cmd_toy = {.name = "toy", .usage = "NUMBER", .doc = "count toys", .example = "  verge toy 3\\n",
                              .min = 1, .max = 1, .run = toy};
""")
    main = copy / "src/cli/main.c"
    main.write_text(replaced(main, ("    ROW(run) ", "    ROW(toy) \\\n    ROW(run) ")))
    return None, None


def setting(copy):
    """A constraint setting is a row of traits (and a file, where it is a system over another one)."""
    listed = copy / "src/system/system.c"
    text = listed.read_text()
    row = re.search(r'    \{"index3",.*?NULL\},\n', text, re.S).group(0)
    toy = row.replace('"index3"', '"toy-index3"').replace("VG_CON_INDEX3 | ", "")
    listed.write_text(text.replace(row, row + toy))
    return None, None


# what is added, the suite that must find it, what a faulty one must be called there
TOYS = [(joint, "every_joint", "toy-hinge"), (force, "every_force", "toy-mount"),
        (integrator, "test_explicit_tables", "toy-ralston"), (command, "verge", "toy"), (setting, "verge", "toy-index3")]


def touched(copy):
    """Files of the copy that are new or changed."""
    found = []
    for path in copy.rglob("*.[ch]"):
        mine = SOURCE / path.relative_to(copy)
        if not mine.exists() or mine.read_bytes() != path.read_bytes():
            found.append(path)
    return sorted(found)


def compile_file(path, copy, commands, out):
    """As a file of the same folder is compiled, with the headers of the copy."""
    folder = str(SOURCE / path.relative_to(copy).parent)
    like = next(c for c in commands if os.path.dirname(c["file"]) == folder)
    words = shlex.split(like["command"])
    words = [w for w in words if not w.endswith("ccache")]
    cut = words.index("-o")
    words = [w.replace(str(SOURCE), str(copy)) if w.startswith("-I") else w for w in words[:cut]] + ["-O0"]
    done = subprocess.run(words + ["-o", str(out), "-c", str(path)], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr[:2000])


def link(program, objects, out, without):
    """The program of the build with these objects before the library's own."""
    text = (BUILD / "CMakeFiles" / f"{program}.dir" / "link.txt").read_text()
    words = shlex.split(text)
    words[words.index("-o") + 1] = str(out)
    if any(w.startswith("levels/") for w in words):  # joined for two levels (cmake/Levels.cmake): one of them instead
        own = [str(p.relative_to(BUILD)) for part in ("verge_main", "verge_cli") for p in (BUILD / "CMakeFiles" / f"{part}.dir").rglob("*.o")]
        words = [w for w in words if not w.startswith("levels/") and not w.endswith("start.c.o")]
        behind = words.index("-o") + 2
        words[behind:behind] = [*own, "libverge-one-level.a"]
    words = [w for w in words if not any(w.endswith(name + ".o") for name in without)]
    at = words.index("-o")
    done = subprocess.run(words[:at] + [str(o) for o in objects] + words[at:], cwd=BUILD, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr[:2000])


def build(copy, program, commands, work):
    objects, without = [], []
    for i, path in enumerate(p for p in touched(copy) if p.suffix == ".c"):
        out = work / f"{i}.o"
        compile_file(path, copy, commands, out)
        objects.append(out)
        without.append(str(path.relative_to(copy)))
    link(program, objects, work / "program", without)
    return work / "program"


def try_toy(add, program, name, commands):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        copy = work / "tree"
        for part in ("src", "include"):
            shutil.copytree(SOURCE / part, copy / part)
        place, fault = add(copy)
        files = [p.relative_to(copy).as_posix() for p in touched(copy)]
        if len(files) > 2:
            problems.append(f"{add.__name__}: {len(files)} files are touched, not a file and a row: {files}")
        exe = build(copy, program, commands, work)
        if add is setting:
            runs = [json.loads(subprocess.run([exe, "run", SOURCE / "models/slider-crank.yaml", "--end", "0.05", "--json", "-q",
                                               "--constraints", name], capture_output=True, text=True).stdout)
                    for name in ("index3", "toy-index3")]
            if runs[0]["status"] != "ok" or runs[0].get("final") != runs[1].get("final"):
                problems.append(f"setting: {runs[1].get('error')}: {runs[0].get('final')} and {runs[1].get('final')}")
        elif program == "verge":
            said = subprocess.run([exe, "toy", "3"], capture_output=True, text=True).stdout
            listed = subprocess.run([exe, "--help"], capture_output=True, text=True).stdout
            if said != "3 toys\n" or "count toys" not in listed:
                problems.append(f"command: {said!r}")
        else:
            done = subprocess.run([exe], capture_output=True, text=True)
            if done.returncode:
                problems.append(f"{add.__name__}: {program} fails with a toy that is right:\n{done.stdout[-1500:]}")
        if fault:
            place.write_text(replaced(place, fault))
            done = subprocess.run([build(copy, program, commands, work)], capture_output=True, text=True)
            if done.returncode == 0 or name not in done.stdout:
                problems.append(f"{add.__name__}: {program} does not name a toy that is wrong:\n{done.stdout[-1500:]}")
        print("ok  " if not problems else "FAIL", add.__name__, files)


commands = json.loads((BUILD / "compile_commands.json").read_text())
for add, program, name in TOYS:
    try:
        try_toy(add, program, name, commands)
    except ValueError as error:
        problems.append(f"{add.__name__}: {error}")
print("\n".join(problems) or f"ok   {len(TOYS)} toys")
sys.exit(bool(problems))

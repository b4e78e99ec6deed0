"""Every function of the public headers is described in one form: parameters by name, what it returns, and an example that
compiles."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
HEADERS = sorted((SOURCE / "include" / "verge").glob("*.h"))
FUNCTION = re.compile(r"/\*((?:(?!\*/).)*)\*/\s*\n((?:[a-z][\w ]*[ *]|typedef int \(\*)(vg\w+)\)?\(([^;]*)\);)", re.S)
# What the examples use beside their own variables, as the first example of verge.h has it.
FRAME = """#include <stdio.h>
#include <string.h>
#include "verge/verge.h"
int thruster(void *, double, const vgCallbackMotion[2], double[12], double *);
void example(vgDiag *diag, vgModel *model, vgSim *sim);
"""
problems = []
examples = []


def parameter_names(text):
    if text.strip() == "void":
        return []
    return [re.search(r"(\w+)(?:\[\d*\])?$", part.strip()).group(1) for part in text.split(",")]


def look(header):
    text = header.read_text()
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    declared = set(re.findall(r"^[a-z][\w ]*[ *](vg_\w+)\(", code, re.M))
    described = set()
    for comment, _, name, parameters in FUNCTION.findall(text):
        comment = re.sub(r"^ \* ?", "", comment, flags=re.M)
        described.add(name)
        listed = re.search(r"^Parameters:\n((?:  .*\n)+)", comment, re.M)
        named = re.findall(r"^  (\w+)  ", listed.group(1), re.M) if listed else []
        if named != parameter_names(parameters):
            problems.append(f"{header.name}: {name}: parameters {parameter_names(parameters)}, described {named}")
        if not re.search(r"^Returns: \S", comment, re.M):
            problems.append(f"{header.name}: {name}: no line 'Returns: …'")
        example = re.search(r"^Example:\n((?:    .*\n?)+)", comment, re.M)
        if example:
            examples.append((name, re.sub(r"^    ", "", example.group(1), flags=re.M)))
        else:
            problems.append(f"{header.name}: {name}: no example")
    for name in sorted(declared - described):
        problems.append(f"{header.name}: {name} has no comment of its own")
    return len(declared)


def compile_examples():
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    with tempfile.TemporaryDirectory() as folder:
        for name, example in examples:
            path = pathlib.Path(folder) / "example.c"
            whole = example.startswith("int thruster")
            body = example if whole else "void example(vgDiag *diag, vgModel *model, vgSim *sim)\n{\n    (void)diag, (void)model, (void)sim;\n" + example + "}\n"
            path.write_text(FRAME + body)
            done = subprocess.run([compiler, "-std=c17", "-Wall", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable",
                                   "-fsyntax-only", "-I", str(SOURCE / "include"), str(path)], capture_output=True, text=True)
            if done.returncode:
                problems.append(f"the example of {name} does not compile:\n{done.stderr}")


functions = sum(look(header) for header in HEADERS)
compile_examples()
if functions < 30 or len(examples) < functions:
    problems.append(f"{functions} functions, {len(examples)} examples")
print("\n".join(problems) or f"ok   {functions} functions, {len(examples)} examples")
sys.exit(bool(problems))

"""The installed tree used through pkg-config, shared and static; every public header alone; what is linked."""
import re
import shlex
import sys

from install import CONSUMER, SOURCE, WARNINGS, expect_greeting, installed, run


def through_pkg_config(prefix, work):
    lib = next(prefix.rglob("verge.pc")).parent.parent
    env = {"PKG_CONFIG_PATH": str(lib / "pkgconfig")}
    for compiler, source in (("gcc", "consumer.c"), ("g++", "consumer.cpp")):
        program = work / f"pc_{compiler}"
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "verge", **env))
        run(compiler, *WARNINGS, CONSUMER / source, *flags, "-o", program)
        expect_greeting(run(program, LD_LIBRARY_PATH=str(lib)), f"pkg-config {compiler}")
    program = work / "pc_static"
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "--static", "verge", **env))
    flags = [str(lib / "libverge.a") if flag == "-lverge" else flag for flag in flags]
    run("gcc", *WARNINGS, CONSUMER / "consumer.c", *flags, "-o", program)
    expect_greeting(run(program), "pkg-config static")


def every_header_alone(prefix):
    headers = sorted((prefix / "include" / "verge").glob("*.h"))
    if not headers:
        sys.exit("no header was installed")
    for header in headers:
        for compiler, language in (("gcc", "c"), ("g++", "c++")):
            run(compiler, *WARNINGS, f"-I{prefix}/include", "-fsyntax-only", "-include", header, "-x", language,
                "/dev/null")
    print("ok  ", len(headers), "headers compile alone in C and C++")


def printed_code_compiles(prefix, work):
    """The pages' blocks of C and the example at the head of the header, as printed, in C and C++."""
    header = (prefix / "include" / "verge" / "verge.h").read_text()
    example = "".join(line[3:] + "\n" for line in header[:header.index("*/")].split("\n") if line.startswith(" *     "))
    blocks = {"verge.h": [example]}
    for page in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]:
        blocks[page.name] = re.findall(r"^```c\n(.*?)^```", page.read_text(), re.M | re.S)
    count = 0
    for name, texts in blocks.items():
        for text in texts:
            includes = re.findall(r"^#include.*$", text, re.M)
            body = re.sub(r"^#include.*$", "", text, flags=re.M)
            program = work / f"printed{count}.c"
            lines = ["#include <stdio.h>", "#include <verge/verge.h>", *includes, "int main(void) {", body, "return 0; }", ""]
            program.write_text("\n".join(lines))
            for compiler, language in (("gcc", "c"), ("g++", "c++")):
                run(compiler, *WARNINGS, "-Wno-unused-but-set-variable", f"-I{prefix}/include", "-fsyntax-only", "-x",
                    language, program)
            count += 1
    if count < 2:
        sys.exit("no code was found in the pages")
    print("ok  ", count, "pieces of code compile as printed")


def only_the_public_functions_are_exported(prefix):
    """What the headers declare is in the shared library, and what is in it they declare."""
    declared = set()
    for header in (prefix / "include" / "verge").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        declared |= set(re.findall(r"\b(vg_\w+)\(", text))
    for library in prefix.rglob("libverge.so"):
        exported = set(re.findall(r" [Ti] (\w+)", run("nm", "-D", "--defined-only", library)))
        if exported != declared or len(declared) < 30:
            sys.exit(f"not in the headers: {sorted(exported - declared)[:9]}, not in the library: {declared - exported}")
        print("ok  ", len(declared), "functions are exported")


def only_free_parts_are_linked(prefix):
    """KLU is LGPL; CHOLMOD's supernodal part, UMFPACK and SPQR are GPL and must stay out."""
    for library in prefix.rglob("libverge.so"):
        needed = run("ldd", library)
        bad = [name for name in ("cholmod", "umfpack", "spqr") if name in needed]
        if bad or "not found" in needed:
            sys.exit(f"{library} needs {bad}:\n{needed}")
        print("ok   no GPL part of SuiteSparse is linked")


with installed() as (tree, folder):
    through_pkg_config(tree, folder)
    every_header_alone(tree)
    printed_code_compiles(tree, folder)
    only_the_public_functions_are_exported(tree)
    only_free_parts_are_linked(tree)

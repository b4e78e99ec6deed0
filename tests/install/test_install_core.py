"""The core as an archive: it links with its static parts and the C library alone, nothing in it refers to what stands above it, and
it stays small."""
import re
import shlex

from install import CONSUMER, WARNINGS, installed, run

LIMIT = 3_000_000  # bytes of code and data
SYSTEM = {"linux-vdso.so.1", "libc.so.6", "libm.so.6"}


def only_the_system_is_linked(prefix, work):
    lib = next(prefix.rglob("verge-core.pc")).parent.parent
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "verge-core", PKG_CONFIG_PATH=str(lib / "pkgconfig")))
    for whole in ([], ["-Wl,--whole-archive", lib / "libverge-core.a", "-Wl,--no-whole-archive"]):
        program = work / "core"
        run("gcc", *WARNINGS, CONSUMER / "core.c", *whole, *(f for f in flags if not whole or f != "-lverge-core"), "-Wl,--as-needed", "-s", "-o", program)
        said = run(program)
        assert "arm.urdf:1:1: error: " in said and "verge import" in said, said
        needed = {line.split()[0] for line in run("ldd", program).splitlines()}
        extra = {name for name in needed if name not in SYSTEM and "ld-linux" not in name}
        assert not extra, f"the core needs {extra}"
    print("ok   a program on the core needs libc and libm,", program.stat().st_size, "bytes stripped")


def it_is_small(prefix):
    archive = next(prefix.rglob("libverge-core.a"))
    text, data, bss = map(int, run("size", "-t", archive).splitlines()[-1].split()[:3])
    assert text + data + bss < LIMIT, f"{text + data + bss} bytes of code and data in the core"
    print("ok  ", text + data + bss, "bytes of code and data,", archive.stat().st_size, "in the file")


def its_names_are_public(prefix):
    """Other parts of a program never meet a name that the headers do not have."""
    defined = re.findall(r" [A-TV-Z] (\w+)", run("nm", "--defined-only", "-g", next(prefix.rglob("libverge-core.a"))))
    declared = set()
    for header in (prefix / "include" / "verge").glob("*.h"):
        declared |= set(re.findall(r"\b(vg_\w+)\(", re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)))
    missing = declared - set(defined)
    assert set(defined) <= declared and missing == {"vg_certify", "vg_trust_free", "vg_view"}, (set(defined) - declared, missing)
    print("ok  ", len(defined), "functions; above the core:", ", ".join(sorted(missing)))


with installed() as (tree, folder):
    only_the_system_is_linked(tree, folder)
    it_is_small(tree)
    its_names_are_public(tree)

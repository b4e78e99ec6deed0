"""Peak resident memory of a run, a body: long chains in absolute coordinates and as a tree stay below 10.5 kB.

A second matrix is a part of it, and for the watch the polynomial and the states of a step that is looked at from within (1.3 kB): rows and
such steps have the accelerations and reactions of the motion from one more solve, and the matrix of the steps is not touched."""
import ctypes
import os
import subprocess
import sys

EXE = os.environ["VERGE_EXE"]
SOURCE = os.environ["VERGE_SOURCE_DIR"]
FEW, MANY, MOST = 10, 4000, 10500  # links, links, bytes

SETTINGS = {
    "spherical": ["--set", "kind=0"],
    "revolute": ["--set", "kind=1"],
    "tree": ["--set", "kind=1", "--coordinates", "relative"],
}


def small_pages():
    """Where the system hands out 2 MB at a time (PR_SET_THP_DISABLE), a part of them was never asked for."""
    ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)


def peak(links, options):
    """Bytes, the least of three runs: pages that the system maps ahead come and go."""
    peaks = [once(links, options) for _ in range(3)]
    return None if None in peaks else min(peaks)


def once(links, options):
    """The kernel counts the child by itself."""
    args = [EXE, "run", f"{SOURCE}/models/chain.yaml", "--set", f"N={links}", "--end", "0.012", "--quiet", *options]
    process = subprocess.Popen(args, preexec_fn=small_pages)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return usage.ru_maxrss * 1024 if status == 0 else None


def main():
    with open(EXE, "rb") as program:
        if b"__asan_init" in program.read():
            print("a sanitizer keeps memory of its own: nothing to measure")
            return 0
    failures = 0
    for name, options in SETTINGS.items():
        few, many = peak(FEW, options), peak(MANY, options)
        each = (many - few) / (MANY - FEW) if few and many else None
        print(f"{name}: {each} bytes a body")
        if each is None or each >= MOST:
            print("failed:", name, each, file=sys.stderr)
            failures += 1
    return failures > 0


sys.exit(main())

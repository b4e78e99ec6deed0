"""Shared by the install tests: installs the build into an empty prefix and moves it, since an installed tree must
not remember where it was made."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
BUILD = os.environ["VERGE_BUILD_DIR"]
CMAKE = os.environ.get("CMAKE_COMMAND", "cmake")
CONSUMER = SOURCE / "tests" / "install" / "consumer"
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wshadow", "-Werror"]
ENV = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "DESTDIR")}


def run(*command, **more_env):
    done = subprocess.run([str(c) for c in command], env={**ENV, **more_env}, capture_output=True, text=True,
                          errors="surrogateescape")
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect_greeting(output, what):
    header = (SOURCE / "include/verge/version.h").read_text()
    version = re.search(r'VERGE_VERSION_STRING\s+"(.*)"', header).group(1)
    if output != f"Verge {version}, ok\n":
        sys.exit(f"{what} printed {output!r}")
    print("ok  ", what)


@contextlib.contextmanager
def installed():
    """Gives (prefix, work): the installed tree and a folder to work in."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="verge-install-"))
    try:
        run(CMAKE, "--install", BUILD, "--prefix", work / "first")
        yield (work / "first").rename(work / "moved"), work
    finally:
        shutil.rmtree(work)

"""The Python package as a user gets it: the wheel is built without network, installed into an empty virtual environment, and
its tests, docstrings and examples run there. The system's own Python is used, whose packages scripts/install-deps brings."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["VERGE_SOURCE_DIR"])
BUILD = os.environ["VERGE_BUILD_DIR"]
PYTHON = "/usr/bin/python3"
NEEDED = ("setuptools", "wheel", "pip", "venv", "numpy", "pytest", "h5py", "matplotlib")
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PIP", "VIRTUAL_ENV"))}


def run(*command, cwd, **more):
    done = subprocess.run([str(c) for c in command], cwd=cwd, env={**ENV, **more}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout[-6000:]}{done.stderr[-3000:]}")
    return done.stdout


def missing():
    if not os.path.exists(PYTHON):
        return PYTHON
    ask = ("import importlib.util as u, sysconfig, os; "
           f"print([n for n in {NEEDED} if not u.find_spec(n)] + "
           "[p for p in [sysconfig.get_path('include') + '/Python.h'] if not os.path.exists(p)])")
    found = subprocess.run([PYTHON, "-c", ask], env=ENV, capture_output=True, text=True).stdout.strip()
    return None if found == "[]" else found


def build_wheel(work):
    for part in ("python", "include"):
        shutil.copytree(SOURCE / part, work / "tree" / part, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    run(PYTHON, "-m", "pip", "wheel", ".", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "-w",
        work / "dist", cwd=work / "tree" / "python", VERGE_BUILD_DIR=BUILD)
    wheels = list((work / "dist").glob("*.whl"))
    version = re.search(r'VERGE_VERSION_STRING\s+"(.*)"', (SOURCE / "include/verge/version.h").read_text()).group(1)
    if len(wheels) != 1 or not wheels[0].name.startswith(f"verge-{version}-cp39-abi3-"):
        sys.exit(f"not one wheel of version {version} with the stable ABI: {wheels}")
    return wheels[0]


def only_the_system_is_needed(work):
    """The engine and its libraries are inside: the extension and the program need the C library alone."""
    for path in [next((work / "verge").glob("_core*.so")), work / "verge" / "bin" / "verge"]:
        needed = set(re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", path, cwd=work)))
        if needed - {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}:
            sys.exit(f"{path.name} needs {needed}")


def printed_code(page):
    """The blocks of Python of a page, which follow one another."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", (SOURCE / page).read_text(), re.M | re.S))


lacks = missing()
if lacks:
    print("skipped: there is no", lacks)
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="verge-python-") as folder:
    place = pathlib.Path(folder)
    wheel = build_wheel(place)
    run(PYTHON, "-m", "venv", "--system-site-packages", "--without-pip", place / "venv", cwd=place)
    python = place / "venv" / "bin" / "python"
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).strip()
    run(PYTHON, "-m", "pip", "install", "--no-index", "--no-deps", "--target", site, wheel, cwd=place)
    only_the_system_is_needed(pathlib.Path(site))
    shutil.copytree(SOURCE / "models", place / "models")
    tests = place / "tree" / "python" / "tests"
    for page in ("docs/python.md", "README.md"):
        code = printed_code(page)
        if "import verge" not in code:
            sys.exit(f"{page} shows no Python")
        run(python, "-B", "-c", code, cwd=place, MPLBACKEND="Agg")
    print(run(python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, cwd=place, PYTHONPATH=str(tests.parent / "examples"),
              MPLBACKEND="Agg"))

"""No object of the library calls a function of the system's libm that it has of its own (base/libm/math.h, complex.h): those differ from
machine to machine in the last bit."""
import os
import pathlib
import re
import subprocess
import sys

BUILD = pathlib.Path(os.environ["VERGE_BUILD_DIR"])
LIBM = pathlib.Path(os.environ["VERGE_SOURCE_DIR"]) / "src/base/libm"
own = {name for header in ("math.h", "complex.h") for name in re.findall(r"^#define (\w+)\(", (LIBM / header).read_text(), re.M)}
# what gcc and clang make of several calls, or of a call with a known argument
own |= {"sincos", "exp10"}
objects = sorted((BUILD / "CMakeFiles").glob("verge_[hc]o*.dir/**/*.o"))  # verge_hot_*, verge_cold
listed = subprocess.run(["nm", "-A", "-u", *map(str, objects)], capture_output=True, text=True, check=True).stdout
calls = re.findall(r"^(\S+):\s+U (\w+)", listed, re.M)
if len(objects) < 200 or not any(name == "vg_sin" for _, name in calls):
    sys.exit(f"only {len(objects)} objects")
wrong = [f"{pathlib.Path(path).name} calls {name}" for path, name in calls if name in own]
print(*wrong, sep="\n")
sys.exit(bool(wrong))

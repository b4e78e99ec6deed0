"""Somebody else's CMake project finds the installed package Verge: shared and static, from C and from C++."""
from install import CMAKE, CONSUMER, expect_greeting, installed, run

with installed() as (prefix, work):
    build = work / "cmake"
    run(CMAKE, "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run(CMAKE, "--build", build)
    for name in ("c_verge", "cxx_verge", "c_static", "cxx_static"):
        expect_greeting(run(build / name), f"CMake {name}")
    run(build / "core")
    print("ok   CMake core")
    # the program finds the other one, and both find the models, where they were installed
    if "N3" not in run(prefix / "bin/verge", "reproduce", "--list"):
        raise SystemExit("verge reproduce --list does not name the experiments")
    print("ok   verge reproduce, installed")

"""Builds the extension with the engine inside. VERGE_BUILD_DIR names a CMake build whose library and program are used;
without it the engine is built here first. No network is needed."""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
VERSION = re.search(r'VERGE_VERSION_STRING\s+"(.*?)"', (ROOT / "include/verge/version.h").read_text()).group(1)


class Build(build_ext):
    """The engine as a static library, then the extension, then the program beside it."""

    def engine(self):
        given = os.environ.get("VERGE_BUILD_DIR")
        if given:
            return pathlib.Path(given)
        build = pathlib.Path(self.build_temp).resolve() / "engine"
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-DVERGE_TESTS=OFF"], check=True)
        subprocess.run(["cmake", "--build", str(build), "-j", str(os.cpu_count() or 1), "--target", "product"], check=True)
        return build

    def build_extension(self, ext):
        build = self.engine()
        cache = (build / "CMakeCache.txt").read_text()
        archives = [re.search(rf"^{name}_LIBRARY:FILEPATH=(.*)$", cache, re.M).group(1)
                    for name in ("AMD", "SUITESPARSECONFIG", "YAML")]
        ext.extra_objects = [str(build / "libverge.a"), *archives]
        super().build_extension(ext)
        program = pathlib.Path(self.get_ext_fullpath(ext.name)).parent / "bin" / "verge"
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(build / "verge", program)
        subprocess.run(["strip", str(program)], check=False)


sources = sorted(str(path.relative_to(HERE)) for path in (HERE / "src").glob("*.c"))
setup(version=VERSION, cmdclass={"build_ext": Build},
      ext_modules=[Extension("verge._core", sources, include_dirs=[str(ROOT / "include"), "src"], py_limited_api=True,
                             depends=["src/core.h"], extra_compile_args=["-std=c17", "-O2", "-fvisibility=hidden"],
                             extra_link_args=["-Wl,--exclude-libs,ALL", "-Wl,--as-needed", "-s"],
                             libraries=["m", "dl", "pthread"])])

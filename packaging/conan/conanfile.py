"""Untested: `conan create packaging/conan` in an unpacked release archive."""
from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Verge(ConanFile):
    name = "verge"
    version = "0.1.0"
    description = "Multibody dynamics engine"
    license = "MIT"
    settings = "os", "arch", "compiler", "build_type"
    requires = "libyaml/0.2.5", "suitesparse-amd/3.3.2"

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "cmake/*", "include/*", "src/*", "viewer/*", "models/*", "LICENSE"):
            copy(self, pattern, f"{self.recipe_folder}/../..", self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        tool = CMakeToolchain(self)
        tool.variables["VERGE_TESTS"] = False
        tool.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="product")

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["verge"]
        self.cpp_info.set_property("cmake_file_name", "Verge")
        self.cpp_info.set_property("cmake_target_name", "Verge::verge")

# SPDX-License-Identifier: Apache-2.0
"""A Spack package of OpenSHMEM, MPI, Portals, GASNet, the C++ layers and, with +python, the Python package."""

from spack.package import *


class Atoll(CMakePackage):
    """NumPy-like distributed arrays, OpenSHMEM, MPI and Portals on a communication runtime of their own."""

    license("Apache-2.0")

    # Built from a checkout: spack dev-build -d . atoll@main
    version("main")

    variant("python", default=True, description="Build the Python module atoll._core")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("fmt")
    depends_on("highway")
    depends_on("hwloc")
    depends_on("libfabric")
    depends_on("openssl")
    depends_on("pcre2")
    depends_on("utf8proc")

    extends("python", when="+python")
    depends_on("python@3.11:", type=("build", "run"), when="+python")
    depends_on("py-nanobind@2.4:", type="build", when="+python")
    depends_on("py-numpy@2.0:", type=("build", "run"), when="+python")
    depends_on("py-rich@13:", type=("build", "run"), when="+python")

    generator("ninja")

    def cmake_args(self):
        """Options of CMakeLists.txt."""
        return [
            self.define_from_variant("ATOLL_BUILD_PYTHON", "python"),
            self.define("ATOLL_BUILD_TESTS", False),
            self.define("ATOLL_BUILD_BENCH", False),
        ]

    def install(self, spec, prefix):
        """Installs each component of the doors and the C++ layers."""
        with working_dir(self.build_directory):
            for component in ("shmem", "mpi", "portals", "gasnet", "cxx"):
                cmake("--install", ".", "--component", component, "--prefix", prefix)
            if spec.satisfies("+python"):
                cmake("--install", ".", "--component", "python", "--prefix", python_platlib)
        if spec.satisfies("+python"):
            install_tree("python", python_platlib)

# SPDX-License-Identifier: Apache-2.0
# find_package(Atoll): targets Atoll::base, Atoll::fabric, Atoll::runtime, Atoll::coll and Atoll::agg.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt)
find_dependency(PkgConfig)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
include(${CMAKE_CURRENT_LIST_DIR}/AtollTargets.cmake)

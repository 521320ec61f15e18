# SPDX-License-Identifier: Apache-2.0
# find_package(Atoll): targets Atoll::base, fabric, runtime, messaging, portal, bootstrap, launch, coll and agg.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt)
find_dependency(PkgConfig)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
include(${CMAKE_CURRENT_LIST_DIR}/AtollTargets.cmake)

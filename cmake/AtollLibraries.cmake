# SPDX-License-Identifier: Apache-2.0
# Libraries of other projects. ATOLL_FMT and ATOLL_HIGHWAY are what layers link.
#
# A wheel may ask nothing of the system but glibc. Debian's libfmt and libhwy are shared libraries that ask for libstdc++,
# and there are no static ones: a standalone build has the C++ library inside, takes headers alone from both, and compiles
# the little that is missing then (src/*/standalone). Compile options stay the same, so that a compiler cache serves both.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy libhwy-contrib)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)

set(ATOLL_FMT fmt::fmt)
set(ATOLL_HIGHWAY PkgConfig::HWY)
if(ATOLL_STANDALONE)
  # Without what nobody calls: the C++ library's random device asks for glibc 2.36, and mold keeps that wish.
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
  foreach(library IN ITEMS ATOLL_FMT ATOLL_HIGHWAY)
    set(whole ${${library}})
    set(${library} ${library}_headers)
    add_library(${${library}} INTERFACE)
    target_compile_definitions(${${library}} INTERFACE $<TARGET_PROPERTY:${whole},INTERFACE_COMPILE_DEFINITIONS>)
    target_compile_options(${${library}} INTERFACE $<TARGET_PROPERTY:${whole},INTERFACE_COMPILE_OPTIONS>)
    target_include_directories(${${library}} SYSTEM INTERFACE $<TARGET_PROPERTY:${whole},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
endif()

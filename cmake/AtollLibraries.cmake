# SPDX-License-Identifier: Apache-2.0
# Libraries of other projects. ATOLL_FMT, ATOLL_HIGHWAY, ATOLL_PCRE2 and ATOLL_UTF8PROC are what layers link.
#
# Of Highway only the headers are used: the little that is missing then is in src/array/kernel. A wheel may ask nothing of the
# system but glibc, and Debian's libfmt is a shared library that asks for libstdc++: a standalone build has the C++ library
# inside, takes headers alone from fmt, too, and compiles what is missing then (src/base/standalone). Compile options stay the
# same, so that a compiler cache serves both.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)

# A target with what compiling with a library takes, and nothing to link.
function(atoll_headers_of library name)
  add_library(${name} INTERFACE)
  target_compile_definitions(${name} INTERFACE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
  target_compile_options(${name} INTERFACE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_OPTIONS>)
  target_include_directories(${name} SYSTEM INTERFACE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()
# Plain C, and static everywhere: what they call, glibc has.
function(atoll_static_library variable name header)
  find_library(${variable}_FILE NAMES lib${name}.a REQUIRED)
  find_path(${variable}_INCLUDE ${header} REQUIRED)
  add_library(${name} STATIC IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${${variable}_FILE} INTERFACE_INCLUDE_DIRECTORIES ${${variable}_INCLUDE}
    INTERFACE_COMPILE_DEFINITIONS "${ARGN}")
  set(${variable} ${name} PARENT_SCOPE)
endfunction()
atoll_static_library(ATOLL_PCRE2 pcre2-8 pcre2.h)
atoll_static_library(ATOLL_UTF8PROC utf8proc utf8proc.h UTF8PROC_STATIC)

set(ATOLL_FMT fmt::fmt)
set(ATOLL_HIGHWAY atoll_highway_headers)
atoll_headers_of(PkgConfig::HWY ${ATOLL_HIGHWAY})
if(ATOLL_STANDALONE)
  # Without what nobody calls: the C++ library's random device asks for glibc 2.36, and mold keeps that wish.
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
  set(ATOLL_FMT atoll_fmt_headers)
  atoll_headers_of(fmt::fmt ${ATOLL_FMT})
endif()

# SPDX-License-Identifier: Apache-2.0
# Compiler flags, sanitizers, ccache and the faster linker, in one place.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -fno-math-errno)
# a*b+c must round twice, as NumPy does, on every SIMD level and in every tail.
add_compile_options(-ffp-contract=off -fno-trapping-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Highway dispatches to AVX2 and AVX-512 at run time. 512-bit vectors where AVX-512 was chosen: GCC would use half.
  add_compile_options(-march=x86-64-v2 -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  # NEON, which all have. Not SVE: kernels keep vectors in objects, which those of unknown length do not allow.
  add_compile_definitions("HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CMAKE_CXX_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
else()
  add_compile_definitions(ATOLL_CHECKS=1)
endif()
# Sanitized builds are for stack traces, not for stepping: line tables alone. With GCC 12 the undefined-behaviour sanitizer
# takes six times as long at -O1 as at -O0 (170 s against 24 s for one kernel), the thread sanitizer half as long as at -O2.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
if(ATOLL_SANITIZE)
  add_compile_options(-fsanitize=${ATOLL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ATOLL_SANITIZE})
endif()
if(ATOLL_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)  # threads count in the same words
  add_link_options(--coverage)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  # It keeps what was compiled with precompiled headers when it need not look for their macros in what includes them.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD AND NOT ATOLL_STANDALONE AND NOT CMAKE_CROSSCOMPILING)  # cross compilers look for linkers elsewhere
  add_link_options(-fuse-ld=mold)
endif()

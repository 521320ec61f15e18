# SPDX-License-Identifier: Apache-2.0
# One static library and one include root per layer. An upward dependency fails here, at configure.
set_property(GLOBAL PROPERTY ATOLL_LAYERS "")

# atoll_layer(NAME SOURCES file... [LAYERS lower...] [LIBRARIES external...])
function(atoll_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;LAYERS;LIBRARIES" ${ARGN})
  set(target atoll_${name})
  get_property(known GLOBAL PROPERTY ATOLL_LAYERS)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/*.hpp)
  add_library(${target} STATIC ${arg_SOURCES})
  if(headers)
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${headers})
  endif()
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
  foreach(lower IN LISTS arg_LAYERS)
    if(NOT lower IN_LIST known)
      message(FATAL_ERROR "layer '${name}' may not depend on '${lower}': only on ${known}")
    endif()
    target_link_libraries(${target} PUBLIC atoll_${lower})
  endforeach()
  target_link_libraries(${target} PUBLIC ${arg_LIBRARIES})
  set_property(GLOBAL PROPERTY ATOLL_LAYERS "${known};${name}")
endfunction()

# atoll_test(NAME layer SOURCES file... [PRECOMPILE header...]): one GoogleTest binary per layer folder, and one CTest case per
# suite of it, `layer/Suite`.
function(atoll_test layer)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;PRECOMPILE" ${ARGN})
  set(target test_${layer})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE atoll_${layer} ${arg_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  # What tests is not what is tested: to compile reduction_test.cpp took 12.5 s, a third less so, and half of the rest was
  # headers.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_precompile_headers(${target} PRIVATE <gtest/gtest.h> <fmt/format.h> <algorithm> <atomic> <condition_variable>
    <functional> <map> <memory> <mutex> <optional> <random> <span> <string> <thread> <tuple> <vector> ${arg_PRECOMPILE})
  set(suites ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  set(program ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${target}>)
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${suites} VERBATIM
    COMMAND ${CMAKE_COMMAND} "-DPROGRAM=${program}" -DPREFIX=${layer}/ -DSECONDS=${ATOLL_TEST_SECONDS}
            -DOUTPUT=${suites} -P ${CMAKE_SOURCE_DIR}/cmake/AtollSuites.cmake)
  set(included ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  file(WRITE ${included} "if(EXISTS \"${suites}\")\n  include(\"${suites}\")\nelse()\n"
                         "  add_test(${layer}/NOT_BUILT ${layer}/NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${included})
endfunction()

# atoll_compiler_wrapper(FILE MODEL name COMPILER variable LIBRARY name): a script that compiles and links C programs of a door;
# others set the variable to call another compiler.
function(atoll_compiler_wrapper file)
  cmake_parse_arguments(arg "" "MODEL;COMPILER;LIBRARY" "" ${ARGN})
  set(MODEL ${arg_MODEL})
  set(COMPILER ${arg_COMPILER})
  set(LIBRARY ${arg_LIBRARY})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/compiler_wrapper.in ${file} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endfunction()

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
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
  foreach(lower IN LISTS arg_LAYERS)
    if(NOT lower IN_LIST known)
      message(FATAL_ERROR "layer '${name}' may not depend on '${lower}': only on ${known}")
    endif()
    target_link_libraries(${target} PUBLIC atoll_${lower})
  endforeach()
  target_link_libraries(${target} PUBLIC ${arg_LIBRARIES})
  set_property(GLOBAL PROPERTY ATOLL_LAYERS "${known};${name}")
endfunction()

# atoll_test(NAME layer SOURCES file...): one GoogleTest binary per layer folder.
function(atoll_test layer)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  set(target test_${layer})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE atoll_${layer} ${arg_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  math(EXPR limit "${ATOLL_TEST_SECONDS} + 100")  # the watchdog of tests/support needs some of it to print stacks
  gtest_discover_tests(${target} TEST_PREFIX ${layer}/ DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${limit})
endfunction()

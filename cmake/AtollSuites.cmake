# SPDX-License-Identifier: Apache-2.0
# Run after a test program is built: writes a file of CTest cases, one per suite of the program, each of which runs in one
# process. A process per test, which gtest_discover_tests() makes, spends most of its time on starting.
#   cmake -D PROGRAM=words -D PREFIX=layer/ -D SECONDS=limit of one test -D OUTPUT=file -P AtollSuites.cmake
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "\\;" listed "${listed}")
string(REPLACE "\n" ";" listed "${listed}")

set(cases "")
set(suite "")
set(tests 0)
macro(close_suite)
  if(suite)
    # The watchdog of tests/support ends a test that hangs, after it has printed its name and stacks; this ends the watchdog.
    math(EXPR limit "${SECONDS} + 100 + ${tests} * ${SECONDS} / 20")
    if(suite MATCHES "Slow$")
      math(EXPR limit "100 + ${tests} * ${SECONDS} * 6")  # 6: seconds_of() of tests/support/stacks.cpp
    endif()
    list(JOIN PROGRAM "]==] [==[" words)
    string(APPEND cases "add_test([==[${PREFIX}${suite}]==] [==[${words}]==] [==[--gtest_filter=${suite}.*]==])\n"
                        "set_tests_properties([==[${PREFIX}${suite}]==] PROPERTIES TIMEOUT ${limit})\n")
    if(suite MATCHES "Slow$")  # left out of `make test`
      string(APPEND cases "set_tests_properties([==[${PREFIX}${suite}]==] PROPERTIES LABELS slow)\n")
    endif()
  endif()
endmacro()
foreach(line IN LISTS listed)
  if(line MATCHES "^  [^ ]")
    math(EXPR tests "${tests} + 1")
  elseif(line MATCHES "^([A-Za-z0-9_/]+)\\.( |$)")
    set(next ${CMAKE_MATCH_1})
    close_suite()
    set(suite ${next})
    set(tests 0)
  endif()
endforeach()
close_suite()
if(cases STREQUAL "")
  message(FATAL_ERROR "${PROGRAM} lists no tests")
endif()
file(WRITE ${OUTPUT} "${cases}")

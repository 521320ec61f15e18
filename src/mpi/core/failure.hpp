// SPDX-License-Identifier: Apache-2.0
// How bodies say that something is wrong: they throw, and the entry point calls the error handler.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "mpi.h"

namespace atl::mpi {

class Object;

/// An error class or code of MPI, with a sentence. `owner`: whose error handler is called, when it is not the one of the
/// function's arguments. `cause`: what error handlers get in place of the code, of the one among several that they are called for.
struct Failure {
  int code;
  std::string text;
  Object* owner = nullptr;
  int cause = MPI_SUCCESS;
};

[[noreturn]] void fail_with(int code, std::string text, Object* owner = nullptr);

template <class... Args>
[[noreturn]] void fail(int code, fmt::format_string<Args...> format, Args&&... args) {
  fail_with(code, fmt::format(format, std::forward<Args>(args)...));
}

/// fail() unless it holds.
#define ATOLL_MPI_REQUIRE(condition, code, ...)                     \
  do {                                                              \
    if (!(condition)) [[unlikely]]                                  \
      ::atl::mpi::fail(code, __VA_ARGS__);                          \
  } while (0)

/// The code and sentence of the exception in flight.
Failure current_failure();

}  // namespace atl::mpi

// SPDX-License-Identifier: Apache-2.0
// Errors in bodies: a body throws Failure, and its entry point calls the error handler.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "mpi.h"

namespace atl::mpi {

class Object;

/// An MPI error class or code, with a message. `owner`: the object whose error handler is called instead of that of the
/// function's arguments. `cause`: the code that the error handler gets instead of `code` when one of several operations
/// failed. `is_of_nothing`: the error does not concern the object of the call; unless a handler was set on that object,
/// the handler for errors without an object is called.
struct Failure {
  int code;
  std::string text;
  Object* owner = nullptr;
  int cause = MPI_SUCCESS;
  bool is_of_nothing = false;
};

[[noreturn]] void fail_with(int code, std::string text, Object* owner = nullptr);

template <class... Args>
[[noreturn]] void fail(int code, fmt::format_string<Args...> format, Args&&... args) {
  fail_with(code, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void fail_of_nothing(int code, fmt::format_string<Args...> format, Args&&... args) {
  throw Failure{.code = code, .text = fmt::format(format, std::forward<Args>(args)...), .is_of_nothing = true};
}

/// Calls fail() unless the condition holds.
#define ATOLL_MPI_REQUIRE(condition, code, ...) \
  do { \
    if (!(condition)) [[unlikely]] \
      ::atl::mpi::fail(code, __VA_ARGS__); \
  } while (0)

/// Throws Failure when a list of `count` > 0 entries is a null pointer.
inline void need_list(const void* list, std::int64_t count, const char* what) {
  ATOLL_MPI_REQUIRE(list != nullptr || count <= 0, MPI_ERR_ARG, "the list of {} is a null pointer", what);
}

/// The Failure for the exception in flight.
Failure current_failure();

}  // namespace atl::mpi

// SPDX-License-Identifier: Apache-2.0
// How bodies say that something is wrong: they throw, and the entry point calls the error handler.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "mpi.h"

namespace atl::mpi {

class Object;

/// An error class or code of MPI, with a sentence. `owner`: whose error handler is called, when it is not the one of
/// the function's arguments. `cause`: what error handlers get in place of the code, of the one among several that they
/// are called for. `is_of_nothing`: no matter of the object that the call is for; should no handler have been chosen
/// for that, it goes where errors of no object go.
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

/// fail() unless it holds.
#define ATOLL_MPI_REQUIRE(condition, code, ...) \
  do { \
    if (!(condition)) [[unlikely]] \
      ::atl::mpi::fail(code, __VA_ARGS__); \
  } while (0)

/// Failure when a list of so many entries is none.
inline void need_list(const void* list, std::int64_t count, const char* what) {
  ATOLL_MPI_REQUIRE(list != nullptr || count <= 0, MPI_ERR_ARG, "the list of {} is a null pointer", what);
}

/// The code and sentence of the exception in flight.
Failure current_failure();

}  // namespace atl::mpi

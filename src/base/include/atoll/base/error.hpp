// SPDX-License-Identifier: Apache-2.0
// Exceptions that users may see, validation of input, and assertions of invariants.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace atl {

/// Base of all of Atoll's exceptions. The message states the problem, the reason, and advice.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One class per Python exception; src/python holds the only table between the two.
class ValueError : public Error {
  using Error::Error;
};
class TypeError : public Error {
  using Error::Error;
};
class IndexError : public Error {
  using Error::Error;
};
class MemoryError : public Error {
  using Error::Error;
};
class OverflowError : public Error {
  using Error::Error;
};
class TimeoutError : public Error {
  using Error::Error;
};
/// The environment (kernel, limits, files) refused something at set-up.
class SetupError : public Error {
  using Error::Error;
};
/// The user interrupted an operation; all arrays are unchanged.
class Interrupted : public Error {
  using Error::Error;
};
/// Another PE died. The job cannot go on.
class PeFailedError : public Error {
  using Error::Error;
};

namespace detail {
[[noreturn]] void assertion_failed(const char* kind, const char* condition, const char* file, int line);
}

/// Throws `E` with the text of `errno` appended: `what: No such file or directory`.
[[noreturn]] void throw_errno(std::string what);

}  // namespace atl

/// Bad input or environment: always on. ATOLL_VALIDATE(n >= 0, ValueError, "negative size {}", n)
#define ATOLL_VALIDATE(condition, Exception, ...) \
  do { \
    if (!(condition)) [[unlikely]] \
      throw ::atl::Exception(::fmt::format(__VA_ARGS__)); \
  } while (0)

// Assertions of invariants: on in debug, CI and simulation.
#ifdef ATOLL_CHECKS
#define ATOLL_CHECK_(kind, condition) \
  do { \
    if (!(condition)) [[unlikely]] \
      ::atl::detail::assertion_failed(kind, #condition, __FILE__, __LINE__); \
  } while (0)
#else
#define ATOLL_CHECK_(kind, condition) ((void)sizeof(bool(condition)))
#endif
#define ATOLL_EXPECT(condition) ATOLL_CHECK_("precondition", condition)
#define ATOLL_ASSERT(condition) ATOLL_CHECK_("assertion", condition)
#define ATOLL_ENSURE(condition) ATOLL_CHECK_("postcondition", condition)

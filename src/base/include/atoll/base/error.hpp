// SPDX-License-Identifier: Apache-2.0
// The exceptions that users may see. To throw one by its name, base/raise.hpp is enough; base/validate.hpp checks
// input.
#pragma once

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

/// Throws SetupError with the text of `errno` appended: `what: No such file or directory`.
[[noreturn]] void throw_errno(std::string what);

}  // namespace atl

// SPDX-License-Identifier: Apache-2.0
// Throwing one of the exceptions of base/error.hpp without its definition, nor code to construct it in the caller.
#pragma once

#include <string>

namespace atl {

class Error;
class ValueError;
class TypeError;
class IndexError;
class MemoryError;
class OverflowError;
class TimeoutError;
class SetupError;
class Interrupted;
class PeFailedError;

/// Throws an `Exception` with this message. Defined for the classes above.
template <class Exception>
[[noreturn]] void raise(std::string message);

}  // namespace atl

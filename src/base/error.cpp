// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "atoll/base/assertion.hpp"
#include "atoll/base/checked.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/raise.hpp"
#include "atoll/base/status.hpp"

namespace atl {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::try_again: return "try again";
    case Status::truncated: return "truncated";
    case Status::timed_out: return "timed out";
    case Status::interrupted: return "interrupted";
    case Status::cancelled: return "cancelled";
    case Status::peer_lost: return "peer lost";
    case Status::revoked: return "revoked";
  }
  return "unknown status";
}

void throw_errno(std::string what) {
  int error = errno;
  throw SetupError(fmt::format("{}: {}{}", what, std::strerror(error),
                               error == EMFILE ? ". Raise the limit of open files (ulimit -n)" : ""));
}

template <class Exception>
void raise(std::string message) {
  throw Exception(std::move(message));
}
template void raise<Error>(std::string);
template void raise<ValueError>(std::string);
template void raise<TypeError>(std::string);
template void raise<IndexError>(std::string);
template void raise<MemoryError>(std::string);
template void raise<OverflowError>(std::string);
template void raise<TimeoutError>(std::string);
template void raise<SetupError>(std::string);
template void raise<Interrupted>(std::string);
template void raise<PeFailedError>(std::string);

namespace detail {
void size_overflows() {
  throw MemoryError(
      "the result has more elements or bytes than 63 bits count, which no memory holds. Are the sizes or counts right?");
}

void assertion_failed(const char* kind, const char* condition, const char* file, int line) {
  std::fprintf(stderr, "atoll: %s failed: %s (%s:%d)\n", kind, condition, file, line);
  std::abort();
}
}  // namespace detail
}  // namespace atl

// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "atoll/base/checked.hpp"
#include "atoll/base/error.hpp"
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

// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <unistd.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "atoll/base/error.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

constexpr int failure_status = 1;

void say(Call call, std::string_view what) {
  std::string rank = "?";
  if (Library* here = library_if_open()) rank = fmt::format("{}", here->rank());
  std::string line = fmt::format("atoll-gasnet: rank {}: {}: {}\n", rank, call.name, what);
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

[[noreturn]] void end_job() {
  if (Library* here = library_if_open()) here->context().job().request_exit(failure_status);
  // Without a library the launcher takes this exit for the end of the job.
  std::_Exit(failure_status);
}

}  // namespace

void fail(Call call, std::string_view what) {
  say(call, what);
  end_job();
}

void fail_by_exception(Call call) {
  try {
    throw;
  } catch (const PeFailedError& error) {
    // A job that a rank has ended ends with that rank's status everywhere, and no other speaks.
    Library* here = library_if_open();
    auto wanted = here == nullptr ? std::nullopt : here->context().job().exit_requested();
    if (!wanted) say(call, std::string_view(error.what()));
    std::_Exit(wanted ? *wanted & 0xFF : failure_status);
  } catch (const std::bad_alloc&) { fail(call, "out of memory"); } catch (const std::exception& error) {
    fail(call, std::string_view(error.what()));
  }
}

}  // namespace atl::gasnet

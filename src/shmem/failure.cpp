// SPDX-License-Identifier: Apache-2.0
// How the C door says that something is wrong: one line, then the end of the job.
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <optional>

#include "atoll/base/config.hpp"
#include "library.hpp"

namespace atl::shmem {
namespace {

constexpr int failure_status = 1;

[[noreturn]] void end_job() {
  if (detail::instance != nullptr) detail::instance->context().job().request_exit(failure_status);
  // Without a library the launcher takes this exit for the end of the job.
  std::_Exit(failure_status);
}

void say(Call call, std::string_view what) {
  std::string pe = config::text(config::Variable::pe);
  if (detail::instance != nullptr) pe = fmt::format("{}", detail::instance->pe().value());
  std::string line = fmt::format("atoll-shmem: PE {}: {}: {}\n", pe.empty() ? "?" : pe, call.name, what);
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
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
    // A job that a PE has ended ends with that PE's status everywhere, and no other speaks.
    auto wanted = detail::instance == nullptr ? std::nullopt : detail::instance->context().job().exit_requested();
    if (!wanted) say(call, std::string_view(error.what()));
    std::_Exit(wanted ? *wanted & 0xFF : failure_status);
  } catch (const std::bad_alloc&) { fail(call, "out of memory"); } catch (const std::exception& error) {
    fail(call, std::string_view(error.what()));
  }
}

void fail_uninitialized(Call call) {
  fail(call, "the library is not initialized: call shmem_init first, and nothing after the last shmem_finalize");
}

}  // namespace atl::shmem

// SPDX-License-Identifier: Apache-2.0
// Errors of the C interface: one line, then the end of the job.
#include <fmt/format.h>

#include <string>

#include "atoll/base/config.hpp"
#include "atoll/runtime/call_failure.hpp"
#include "library.hpp"

namespace atl::shmem {
namespace {

fabric::Job* job() { return detail::instance == nullptr ? nullptr : &detail::instance->job(); }

void report(Call call, std::string_view what) {
  std::string pe = config::text(config::Variable::pe);
  if (detail::instance != nullptr) pe = fmt::format("{}", detail::instance->pe().value());
  runtime::write_line(fmt::format("atoll-shmem: PE {}: {}: {}", pe.empty() ? "?" : pe, call.name, what));
}

}  // namespace

void fail(Call call, std::string_view what) {
  report(call, what);
  runtime::end_job(job());
}

void fail_by_exception(Call call) {
  runtime::end_by_exception(job(), [call](std::string_view what) { report(call, what); });
}

void fail_uninitialized(Call call) {
  fail(call, "the library is not initialized: call shmem_init first, and nothing after the last shmem_finalize");
}

}  // namespace atl::shmem

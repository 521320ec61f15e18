// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <fmt/format.h>

#include <string>

#include "atoll/runtime/call_failure.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

fabric::Job* job() {
  Library* here = library_if_open();
  return here == nullptr ? nullptr : &here->job();
}

void report(Call call, std::string_view what) {
  Library* here = library_if_open();
  const std::string rank = here == nullptr ? "?" : fmt::format("{}", here->rank());
  runtime::write_line(fmt::format("atoll-gasnet: rank {}: {}: {}", rank, call.name, what));
}

}  // namespace

void fail(Call call, std::string_view what) {
  report(call, what);
  runtime::end_job(job());
}

void fail_by_exception(Call call) {
  runtime::end_by_exception(job(), [call](std::string_view what) { report(call, what); });
}

}  // namespace atl::gasnet

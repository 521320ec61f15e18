// SPDX-License-Identifier: Apache-2.0
// How the C door says that something is wrong: one line, then the end of the job.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace atl::gasnet {

/// The function that a client called, for messages.
struct Call {
  const char* name;
};

/// Ends the job with one line: `atoll-gasnet: rank 2: gex_RMA_PutBlocking: what`.
[[noreturn]] void fail(Call call, std::string_view what);
template <class... Args>
[[noreturn]] void fail(Call call, fmt::format_string<Args...> format, Args&&... args) {
  fail(call, std::string_view(fmt::format(format, std::forward<Args>(args)...)));
}
/// For the handler of an entry point: ends the job for the exception in flight.
[[noreturn]] void fail_by_exception(Call call);

}  // namespace atl::gasnet

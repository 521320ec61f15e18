// SPDX-License-Identifier: Apache-2.0
// Errors of the C interface: one line, then the end of the job.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace atl::gasnet {

/// The GASNet function that the client called, for error messages.
struct Call {
  const char* name;
};

/// Ends the job with one line: `atoll-gasnet: rank 2: gex_RMA_PutBlocking: what`.
[[noreturn]] void fail(Call call, std::string_view what);
template <class... Args>
[[noreturn]] void fail(Call call, fmt::format_string<Args...> format, Args&&... args) {
  fail(call, std::string_view(fmt::format(format, std::forward<Args>(args)...)));
}
/// For the catch block of an entry point: ends the job with the exception in flight.
[[noreturn]] void fail_by_exception(Call call);

}  // namespace atl::gasnet

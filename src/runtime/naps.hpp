// SPDX-License-Identifier: Apache-2.0
// How long threads of a PE sleep before they look again without a notification.
#pragma once

#include <cstdint>

namespace atl::runtime {

// A peer whose ring was full sends no notification when it has room again.
inline constexpr std::int64_t outbox_nap_ns = 100'000;
inline constexpr std::int64_t longest_nap_ns = 100'000'000;
// A thread that looked for news before it began to wait may have missed news in between.
inline constexpr std::int64_t answer_again_ns = 10'000'000;

}  // namespace atl::runtime

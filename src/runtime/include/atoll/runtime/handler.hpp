// SPDX-License-Identifier: Apache-2.0
// Handlers of active messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "atoll/base/ids.hpp"

namespace atl::runtime {

class Context;

using HandlerId = StrongId<struct HandlerTag, std::uint16_t>;
/// Runs in progress(), one at a time per PE, and may send, put and use atomics, but not wait. `payload` ends with it.
using MessageHandler = std::function<void(Context&, PeId source, std::span<const std::byte> payload)>;

}  // namespace atl::runtime

// SPDX-License-Identifier: Apache-2.0
// What contexts of different nodes post to one another: handled in the other's process without its help.
#pragma once

#include <cstdint>

namespace atl::runtime {

enum class PostKind : std::uint16_t { bump, room_request, room_answer, set_counter };

}  // namespace atl::runtime

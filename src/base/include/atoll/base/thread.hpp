// SPDX-License-Identifier: Apache-2.0
// Starts threads with a name, and with an error that contains advice when the system's limits are reached.
#pragma once

#include <functional>
#include <thread>

namespace atl {

/// `name` has at most 15 letters. Throws SetupError when the system's limits allow no further thread.
std::thread start_thread(const char* name, std::function<void()> body);

}  // namespace atl

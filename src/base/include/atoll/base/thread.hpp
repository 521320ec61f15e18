// SPDX-License-Identifier: Apache-2.0
// Starting threads: with a name, and with an error that says what to do where the system gives no more of them.
#pragma once

#include <functional>
#include <thread>

namespace atl {

/// `name` has at most 15 letters. Throws SetupError when the system's limits allow no further thread.
std::thread start_thread(const char* name, std::function<void()> body);

}  // namespace atl

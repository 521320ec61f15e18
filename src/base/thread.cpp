// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/thread.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <system_error>

#include "atoll/base/raise.hpp"

namespace atl {

std::thread start_thread(const char* name, std::function<void()> body) {
  try {
    std::thread thread(std::move(body));
    pthread_setname_np(thread.native_handle(), name);
    return thread;
  } catch (const std::system_error& error) {
    raise<SetupError>(
        fmt::format("cannot start the thread {}: {}. Use fewer threads (ATOLL_THREADS), or raise the limits on "
                    "processes and memory (ulimit -u, ulimit -v, a container's limit on pids)",
                    name, error.code().message()));
  }
}

}  // namespace atl

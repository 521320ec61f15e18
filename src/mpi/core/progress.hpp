// SPDX-License-Identifier: Apache-2.0
// Progress while the program computes: a progress thread, if a core is available for it.
#pragma once

#include <cstddef>

namespace atl::mpi {

/// Call when a non-blocking operation of several steps returns to the program: the progress thread, if there is one,
/// continues it. `bytes` is the amount of data. Short operations do not wake the thread, which polls every half
/// millisecond.
void leave_to_progress(std::size_t bytes);
/// Keeps the program's threads off the core that ATOLL_PROGRESS_CORE reserves. Call when the library exists.
void give_core_away();

}  // namespace atl::mpi

// SPDX-License-Identifier: Apache-2.0
// What goes on while the program computes: a progress thread, where there is a core for it.
#pragma once

#include <cstddef>

namespace atl::mpi {

/// Something is under way that takes steps, and its caller goes away: the progress thread, if there is to be one, takes
/// over. `bytes`: how much it moves. Short ones are not worth waking a thread, which comes to them within half a
/// millisecond.
void leave_to_progress(std::size_t bytes);
/// Keeps the program's threads off the core that ATOLL_PROGRESS_CORE gives away. When the library has been made.
void give_core_away();

}  // namespace atl::mpi

// SPDX-License-Identifier: Apache-2.0
// Puts and gets over the network that never wait for their target (fabric/queueing.hpp).
#pragma once

#include "win/origin.hpp"
#include "win/window.hpp"

namespace atl::mpi::win {

/// Starts a put to the segment of a rank of another host. Complete in finish_queued().
void queue_put(Window& window, int rank, HeapOffset to, Source data);
/// Likewise a get. `type` owns the layout of `data`.
void queue_get(Window& window, int rank, HeapOffset from, Sink data, datatype::TypePtr type);

/// Waits until all puts and gets of this process to other hosts are complete at their targets, and the data of the
/// window's gets are stored.
void finish_queued(Window& window);

}  // namespace atl::mpi::win

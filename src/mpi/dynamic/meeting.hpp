// SPDX-License-Identifier: Apache-2.0
// First step of making an inter-communicator: the root finds the other side, and broadcasts the result or the error.
#pragma once

#include <cstdint>
#include <functional>

#include "comm/comm.hpp"

namespace atl::mpi {

struct Meeting {
  PeId leader{0};          ///< leader of the other side
  std::uint64_t bits = 0;  ///< match bits of the leaders' messages
  int processes = 0;       ///< number of started processes
};

/// Unique match bits.
std::uint64_t new_bits();
/// Calls `prepare` on the root and returns its result on all ranks; if it throws, all ranks throw. Collective over
/// `comm`, an intra-communicator.
Meeting meet(Comm& comm, int root, const std::function<Meeting()>& prepare);
/// Second step: creates the inter-communicator.
Ref<Comm> make_inter_after(const Meeting& meeting, Comm& comm, int root);

}  // namespace atl::mpi

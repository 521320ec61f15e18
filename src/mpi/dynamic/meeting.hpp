// SPDX-License-Identifier: Apache-2.0
// What the root of a communicator learns of the other side before an inter-communicator is made, and all of it hear.
#pragma once

#include <cstdint>
#include <functional>

#include "comm/comm.hpp"

namespace atl::mpi {

struct Meeting {
  PeId leader{0};          ///< of the other side
  std::uint64_t bits = 0;  ///< of what the leaders say to one another
  int processes = 0;       ///< that were started
};

/// Bits that no other communication has.
std::uint64_t new_bits();
/// `prepare` is called on the root; what it throws all throw. Collective over `comm`, an intra-communicator.
Meeting meet(Comm& comm, int root, const std::function<Meeting()>& prepare);
/// And then the inter-communicator is made.
Ref<Comm> make_inter_after(const Meeting& meeting, Comm& comm, int root);

}  // namespace atl::mpi

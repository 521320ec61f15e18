// SPDX-License-Identifier: Apache-2.0
// Registry of the communicators of this rank.
#pragma once

#include <functional>

#include "comm/comm.hpp"

namespace atl::mpi {

/// Calls `visit` for each, in no particular order, with a reference held. Communicators may be created and freed
/// meanwhile.
void for_each_comm(const std::function<void(Comm&)>& visit);
/// Notes the revocation of a communicator that this rank has not created yet: it will be revoked from the start.
void note_revoked(std::uint64_t number);
bool is_noted_revoked(std::uint64_t number);
/// Whether this rank has freed it after a revocation or a failure: this rank no longer answers its messages.
bool was_given_up(std::uint64_t number);

namespace detail {
/// Returns whether it has been revoked already.
bool enlist(Comm& comm);
void strike(Comm& comm);
}  // namespace detail

}  // namespace atl::mpi

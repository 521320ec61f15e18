// SPDX-License-Identifier: Apache-2.0
// The communicators that this rank has.
#pragma once

#include <functional>

#include "comm/comm.hpp"

namespace atl::mpi {

/// In no order. Each is held meanwhile; communicators may come and go.
void for_each_comm(const std::function<void(Comm&)>& visit);
/// Of a communicator that is not there yet: it will be revoked from the start.
void note_revoked(std::uint64_t number);
bool is_noted_revoked(std::uint64_t number);
/// This rank has freed it, though it was revoked or somebody had died: nothing of it is answered here any more.
bool was_given_up(std::uint64_t number);

namespace detail {
/// Returns whether it has been revoked already.
bool enlist(Comm& comm);
void strike(Comm& comm);
}  // namespace detail

}  // namespace atl::mpi

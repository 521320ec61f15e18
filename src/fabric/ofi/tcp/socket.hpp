// SPDX-License-Identifier: Apache-2.0
// Sockets that never block.
#pragma once

#include <cstddef>
#include <string>

#include "wire.hpp"

namespace atl::fabric::ofi::tcp {

/// A socket that listens at this address, whose port is ignored: a free one, of those between FI_TCP_PORT_LOW_RANGE and
/// FI_TCP_PORT_HIGH_RANGE if both are set. Writes the whole address to `bound`. Throws SetupError.
int listen_at(const void* address, std::size_t bytes, Address& bound);

/// A socket that connects to that address; it is writable when that has succeeded or failed. -1: it cannot be tried,
/// and errno says why.
int start_connecting(const Address& to);
/// 0, or why it failed: a number of errno.
int connected(int descriptor);

/// The next connection that has come; -1: there is none.
int accept_from(int listener);

/// "10.0.0.1:80".
std::string peer_of(int descriptor);

}  // namespace atl::fabric::ofi::tcp

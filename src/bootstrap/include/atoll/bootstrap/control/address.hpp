// SPDX-License-Identifier: Apache-2.0
// TCP addresses as text: which one of ours another host can reach, listening on it, connecting to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "atoll/base/clock.hpp"

namespace atl::runtime {

/// Whether the name stands for this host: "localhost", its own name, a loopback address.
bool is_this_host(const std::string& name);

/// Which of our addresses packets to this host leave from. None: the name is not known here (an alias of ssh, say).
std::optional<std::string> address_towards(const std::string& host);

/// All addresses of interfaces that are up, loopback aside.
std::vector<std::string> own_addresses();

/// What the user means by --address: an address, a name, or an interface. Throws ValueError when it is not one of ours.
std::string own_address(const std::string& wanted);

/// A socket that listens. `address` empty: on all. Port 0: a free one. Throws SetupError when it is taken.
int listen_on(const std::string& address, std::uint16_t port);
std::uint16_t port_of(int listener);

/// A connected socket. Throws SetupError or TimeoutError. Whether to go on is asked at least every second.
int connect_to(
    const std::string& address, std::uint16_t port, Deadline deadline,
    const std::function<bool()>& go_on = [] { return true; });

/// "10.0.0.1:80", "[fe80::1]:80".
std::string with_port(const std::string& address, std::uint16_t port);
/// The address of the peer, in the same format.
std::string peer_of(int descriptor);

}  // namespace atl::runtime

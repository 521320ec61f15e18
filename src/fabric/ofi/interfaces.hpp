// SPDX-License-Identifier: Apache-2.0
// Selection of network interfaces for a PE.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "library.hpp"

namespace atl::fabric::ofi {

struct Interface {
  std::string name;
  int numa = -1;      ///< its NUMA domain; -1: unknown, or equally near to all
  bool ready = true;  ///< whether its link is up
};

/// Indices in `there` of the interfaces that the PE's endpoints use in turn. `wanted`: comma-separated names chosen by
/// the user; empty: those that are up and nearest to NUMA domain `numa` (-1: all are equally near). PEs with another
/// `place` on the node begin with another interface. Throws SetupError when a wanted interface does not exist.
std::vector<std::size_t> choose_interfaces(const std::vector<Interface>& there, const std::string& wanted, int numa,
                                           std::size_t place);

/// Rank of an interface for reaching this host from others; higher is worse. 0: no objection. 1: a bridge, usually of
/// containers or virtual machines (docker0), with the same address on every host. 2: loopback. 3: the interface has
/// vanished since it was listed, as the bridge of another program's containers may.
int doubt(const std::string& name);

/// The interfaces of find_provider() for the PE with index `place` on its node: ATOLL_FABRIC_INTERFACES, or those
/// nearest to it. At least one.
std::vector<Info> interfaces_for(std::size_t place);

}  // namespace atl::fabric::ofi

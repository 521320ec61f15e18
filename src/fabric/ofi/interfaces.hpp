// SPDX-License-Identifier: Apache-2.0
// Which of a node's interfaces to the network a PE uses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "library.hpp"

namespace atl::fabric::ofi {

struct Interface {
  std::string name;
  int numa = -1;      ///< the domain that it is attached to; -1: not known, or to all alike
  bool ready = true;  ///< its link is up
};

/// Places in `there` of those that the PE's endpoints use in turn. `wanted`: the user's choice, with commas between
/// names; empty: those that are ready and nearest to the domain `numa` (-1: all are equally near). PEs of other places
/// on the node begin with another one. Throws SetupError when one is not there.
std::vector<std::size_t> choose_interfaces(const std::vector<Interface>& there, const std::string& wanted, int numa,
                                           std::size_t place);

/// How unlikely other hosts are to reach this one by that interface. 0: nothing speaks against it. 1: a bridge, most
/// often one of containers and virtual machines (docker0), with the same address on every host. 2: the loopback. 3: it
/// is gone since it was listed, as the bridge of another program's containers may be.
int doubt(const std::string& name);

/// The interfaces of find_provider() for the PE at that place of its node: ATOLL_FABRIC_INTERFACES, or those nearest to
/// it. At least one.
std::vector<Info> interfaces_for(std::size_t place);

}  // namespace atl::fabric::ofi

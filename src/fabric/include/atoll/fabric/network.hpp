// SPDX-License-Identifier: Apache-2.0
// The network between the nodes of a job, by libfabric: how a process joins it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::fabric {

/// A process's end of the network before it knows the others'.
class NetworkEnd {
 public:
  virtual ~NetworkEnd() = default;
  /// What all other processes must be told: some bytes.
  virtual std::string card() const = 0;
  /// `cards` are everybody's, by PE: of the job's npes() at least, and of those that have come later, an empty one for
  /// a PE that did not. Connects the job, which knows the names of hosts (Job::set_hosts). Throws SetupError when two
  /// processes do not fit together (version, byte order, provider, size of the segment), naming both.
  virtual void connect(const std::vector<std::string>& cards) = 0;
};

/// Opens the network for PE `self` of the job, which this process is; the job's memory must outlive the job's
/// RemotePath. Throws SetupError when Atoll was built without libfabric, or there is none, or no provider that will do.
std::unique_ptr<NetworkEnd> open_network(Job& job, PeId self);

/// A PE that has come to a connected job later, which knows it already (Job::admit): PEs of this process may send to it
/// from now on. Throws SetupError where this process and that one do not fit together.
void admit(Job& job, PeId pe, const std::string& card);
/// Drops what is sent to that PE from now on: it has left the job.
void dismiss(Job& job, PeId pe);

/// For `atoll info`: "libfabric 1.17, net", or why there is none.
std::string describe_network();
/// The interfaces that ATOLL_FABRIC_INTERFACES may name, best first. Throws SetupError like open_network().
std::vector<std::string> network_interfaces();

}  // namespace atl::fabric

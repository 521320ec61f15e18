// SPDX-License-Identifier: Apache-2.0
// Joining the network between the nodes of a job (libfabric).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::fabric {

/// A process's endpoint of the network before it is connected to the others.
class NetworkEnd {
 public:
  virtual ~NetworkEnd() = default;
  /// The address data of this process, which all other processes need.
  virtual std::string card() const = 0;
  /// Connects the job. `cards` are the cards of all PEs, by PE: at least npes(), then those of guests, empty for a
  /// guest that did not join. Requires Job::set_hosts(). Throws SetupError, naming both processes, when two of them are
  /// incompatible (version, byte order, provider, segment size).
  virtual void connect(const std::vector<std::string>& cards) = 0;
};

/// Opens the network for this process, which is PE `self`. The job's memory must outlive its RemotePath. For a guest
/// `cards` are those of the PEs that the job began with: it opens as many endpoints as these use. Throws SetupError
/// when Atoll was built without libfabric, or libfabric or a suitable provider is missing.
std::unique_ptr<NetworkEnd> open_network(Job& job, PeId self, const std::vector<std::string>& cards = {});

/// Connects a guest to a job that is connected already; call Job::admit() before. PEs of this process may send to it
/// from now on. Throws SetupError when both processes are incompatible.
void admit(Job& job, PeId pe, const std::string& card);
/// Drops all further data for this PE, which has left the job.
void dismiss(Job& job, PeId pe);

/// For `atoll info`: "libfabric 1.17, net", or why there is none.
std::string describe_network();
/// The interfaces that ATOLL_FABRIC_INTERFACES may name, best first. Throws SetupError like open_network().
std::vector<std::string> network_interfaces();

}  // namespace atl::fabric

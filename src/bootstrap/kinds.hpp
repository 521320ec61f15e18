// SPDX-License-Identifier: Apache-2.0
// The launchers' protocols, one maker each. Which one is used is decided in detect.cpp.
#pragma once

#include <memory>
#include <string>

#include "atoll/bootstrap/bootstrap.hpp"

namespace atl::runtime {

/// What a launcher's environment says of this process.
struct PmiPlace {
  int descriptor = -1;  ///< PMI_FD: a socket to the launcher
  std::uint32_t rank = 0;
  std::uint32_t size = 1;
};

/// What Atoll's launcher says of this process in a job of several hosts.
struct AgentPlace {
  int descriptor = -1;  ///< ATOLL_AGENT: a socket to the agent of this host
  std::uint32_t rank = 0;
  std::uint32_t size = 1;
};

/// Atoll's launcher with --hosts.
std::unique_ptr<Bootstrap> make_rendezvous(const AgentPlace& place);
/// The text protocol of MPICH's hydra; Slurm's pmi2 plugin speaks it as well.
std::unique_ptr<Bootstrap> make_pmi1(const PmiPlace& place);
/// PMI-2's own protocol: Slurm with --mpi=pmi2.
std::unique_ptr<Bootstrap> make_pmi2(const PmiPlace& place);
/// PMIx: Open MPI's mpirun and prterun, Slurm with --mpi=pmix, Flux. Throws SetupError when no library can be loaded.
std::unique_ptr<Bootstrap> make_pmix();

}  // namespace atl::runtime

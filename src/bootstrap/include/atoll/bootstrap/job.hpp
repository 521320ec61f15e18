// SPDX-License-Identifier: Apache-2.0
// How a process becomes a PE: joining the job its launcher made, or being a job of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/bootstrap/bootstrap.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::runtime {

/// What a Context is made from.
struct Membership {
  std::shared_ptr<fabric::Job> job;  ///< with what watches the other PEs
  PeId pe;
  std::shared_ptr<Bootstrap> bootstrap = {};  ///< null under `atoll run`
};

/// The job named by ATOLL_JOB, ATOLL_PE and ATOLL_NPES, as `atoll run` sets them; else the job that another launcher
/// (srun, mpiexec, prterun) started this process for; none when there is no launcher. Throws SetupError when what they
/// say does not fit together or the job is gone.
std::optional<Membership> join_from_environment();

/// Whether join_from_environment() would find a job. A look at the environment.
bool in_job();

/// Whether a process is a PE of its launcher's job to its end, or as long as it holds the job.
enum class Stay { to_the_end, as_long_as_held };

/// Joins the job that a launcher's Bootstrap speaks for. Collective over its processes. On each node the lowest rank
/// makes the memory of its PEs and the others open it; between nodes PEs reach one another by the network. As long as
/// the job is held, a thread of each PE watches the next one of its node, so that a death is noticed within
/// milliseconds; a job that does not end by itself then is ended through the launcher after a second. The process takes
/// leave of the launcher when it exits: in good order with status 0, after its Context ended; with any other status it
/// ends the job. With `as_long_as_held` it calls take_leave() itself, and no failure of the job ends it.
Membership join_through(std::shared_ptr<Bootstrap> bootstrap, Stay stay = Stay::to_the_end);
/// The same for a process that the launcher has started in a running job, one of `cohort`: returns when all PEs know
/// it.
Membership join_as_guest(std::shared_ptr<Bootstrap> bootstrap, fabric::Cohort cohort);

/// Joins, as PE 0, a job of `npes` PEs on several hosts, which this process had a launcher start. `agent`: a socket to
/// the agent of this host, which the Membership owns. A process may do so several times. Collective over the PEs.
Membership join_as_driver(int agent, std::uint32_t npes);
/// Tells the launcher that this PE, which joined with `as_long_as_held`, is done. To be called when its Context has
/// ended; says nothing if the job has failed.
void take_leave(const Membership& membership) noexcept;

/// A job of one PE, this process, over private memory: no files, no other processes.
Membership single_job(const fabric::JobOptions& options = {});

/// A process's place in its job, for the C doors. Kept from the first init to the exit of the process: a launcher lets
/// it join once. Given back then, by the process that joined (not by the child of a fork), before it takes leave of the
/// launcher.
class ProcessSeat {
 public:
  /// The job of the environment, or `alone()` when no launcher started this process.
  explicit ProcessSeat(Membership (*alone)());
  ~ProcessSeat();
  ProcessSeat(const ProcessSeat&) = delete;
  ProcessSeat& operator=(const ProcessSeat&) = delete;
  const Membership& membership() const { return membership_; }

 private:
  Membership membership_;
  std::int64_t owner_;
};

/// What a process needs in its environment to be PE `pe` of the job.
std::vector<std::pair<std::string, std::string>> environment_of(const fabric::Job& job, PeId pe, unsigned threads);

}  // namespace atl::runtime

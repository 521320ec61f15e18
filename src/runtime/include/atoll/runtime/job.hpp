// SPDX-License-Identifier: Apache-2.0
// How a process becomes a PE: joining the job its launcher made, or being a job of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::runtime {

/// What a Context is made from.
struct Membership {
  std::shared_ptr<fabric::Job> job;
  PeId pe;
};

/// The job named by ATOLL_JOB, ATOLL_PE and ATOLL_NPES; none when ATOLL_JOB is not set. Throws SetupError when they
/// contradict each other or the job is gone.
std::optional<Membership> join_from_environment();

/// A job of one PE, this process, over private memory: no files, no other processes.
Membership single_job(const fabric::JobOptions& options = {});

/// What a process needs in its environment to be PE `pe` of the job.
std::vector<std::pair<std::string, std::string>> environment_of(const fabric::Job& job, PeId pe, unsigned threads);

}  // namespace atl::runtime

// SPDX-License-Identifier: Apache-2.0
// Noticing that a PE of this node died, where no launcher of ours does it.
#pragma once

#include <sys/types.h>

#include <thread>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/bootstrap/bootstrap.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::runtime {

struct Neighbour {
  PeId pe;
  pid_t pid;
};

/// What a death that ends the job does to this process. A driver's process goes on: its session reports the death.
enum class Doomed { is_ended, goes_on };

/// A thread that sleeps until the first of `neighbours` ends. If it left in good order the next one is watched;
/// otherwise it is marked as dead, and the job is aborted a second later if it is still there; where the program
/// survives deaths, the next one is watched instead. When every PE of a node watches those after it in a ring, any
/// survivor learns of any death. What the launcher says of deaths counts as well: it knows of those on other nodes.
class Watch {
 public:
  /// `job` and `bootstrap` must outlive it. Throws SetupError when the kernel cannot watch processes.
  Watch(fabric::Job& job, Bootstrap& bootstrap, std::vector<Neighbour> neighbours, Doomed doomed);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  enum class Event { stop, end, news };
  void run();
  Event wait(int process) const;
  bool hear_news();
  void admit_newcomers(const Bootstrap::News& news);
  void give_up(PeId guest);
  bool stopped_within(std::int64_t limit_ns) const;
  bool report(const Neighbour& neighbour, const std::string& how);

  fabric::Job& job_;
  Bootstrap& bootstrap_;
  std::vector<Neighbour> neighbours_;
  Doomed doomed_;
  int stop_ = -1;  // an eventfd
  std::thread thread_;
};

}  // namespace atl::runtime

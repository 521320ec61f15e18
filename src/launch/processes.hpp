// SPDX-License-Identifier: Apache-2.0
// The processes that are PEs of this host: their output, and how they end. For one thread, which polls.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/base/topology.hpp"
#include "atoll/launch/launcher.hpp"
#include "descriptor.hpp"
#include "spawn.hpp"

namespace atl::runtime {

enum class Capture { no, yes };

class Processes {
 public:
  /// Standard output is 0, standard error 1. Processes are numbered from 0.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_output(std::uint32_t process, std::size_t which, std::string_view text) = 0;
    virtual void on_output_end(std::uint32_t process, std::size_t which) = 0;
    /// As from waitpid.
    virtual void on_end(std::uint32_t process, int wait_status) = 0;
  };
  Processes(std::uint32_t count, Listener& listener);

  /// Room for one more: its number.
  std::uint32_t add() {
    processes_.emplace_back();
    return count() - 1;
  }
  /// Captured output goes to the listener, else where ours goes. Throws SetupError when it cannot be started.
  void start(std::uint32_t process, SpawnRequest request, Capture capture);

  /// Adds what is to be polled; afterwards read() takes the same part of the list.
  void watch(std::vector<pollfd>& list);
  void read(const pollfd* list, std::size_t count);
  /// Takes what is there without waiting: grandchildren may hold the pipes for ever.
  void drain();
  /// Asks for ends.
  void reap();

  void signal(int number);
  /// With everything that they have started.
  void kill_everything();
  bool all_ended() const;
  bool running(std::uint32_t process) const { return processes_[process].pid != 0; }
  /// Also when it has ended.
  pid_t pid(std::uint32_t process) const { return processes_[process].last_pid; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(processes_.size()); }

 private:
  struct Process {
    pid_t pid = 0;  // 0: has ended
    pid_t last_pid = 0;
    std::array<Descriptor, 2> output;
  };
  void read_output(std::uint32_t process, std::size_t which);

  Listener& listener_;
  std::vector<Process> processes_;
  std::vector<std::pair<std::uint32_t, std::size_t>> watched_;
  std::vector<char> buffer_;
};

/// NUMA domains or sockets of this host. 1 when hwloc finds none.
std::uint32_t count_parts(Binding kind, const Topology& node = topology());
/// Threads of each of `pes` PEs of this host: as asked for, else ATOLL_THREADS, else an even share of the cores, or of
/// those that a PE is bound to.
unsigned choose_threads(unsigned asked, std::uint32_t pes, Binding binding, const Topology& node = topology());
/// Cores of the PE that is number `index` of `pes` on this host. Empty: any.
std::vector<unsigned> choose_cores(Binding binding, std::uint32_t index, std::uint32_t pes, unsigned threads,
                                   const Topology& node = topology());

}  // namespace atl::runtime

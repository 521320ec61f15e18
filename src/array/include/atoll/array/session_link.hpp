// SPDX-License-Identifier: Apache-2.0
// What connects a session to its PEs: the job, this PE's context, the workers, and the channel of commands.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/array/engine.hpp"
#include "atoll/array/protection.hpp"
#include "atoll/array/session.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/launch/worker_group.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::array {

/// Commands as active messages from PE 0. An empty command ends the workers.
class MessageChannel final : public CommandChannel {
 public:
  explicit MessageChannel(runtime::Context& context);
  void send(std::span<const std::byte> command) override;
  /// Waits for the next command, without a limit of time. False: the driver wants no more.
  bool receive(std::vector<std::byte>& command);

 private:
  /// Throws TimeoutError that names a worker which takes no commands for ATOLL_PEER_TIMEOUT.
  void await_room(PeId pe);

  runtime::Context& context_;
  runtime::HandlerId handler_;
  std::deque<std::vector<std::byte>> received_;
};

struct Session::Link {
  static std::unique_ptr<Link> alone(unsigned threads);
  /// As a PE of a job of `atoll run` on one host, whose PEs go on when one has died: they join again (rejoin()). In a
  /// process that takes the place of a dead PE it waits for the others. `look` is called now and then, and may throw.
  static std::unique_ptr<Link> join_recoverable(const std::function<void()>& look);
  /// `heap`: of a Context before, in a recoverable job.
  static std::unique_ptr<Link> join(std::shared_ptr<runtime::Heap> heap = {});
  static std::unique_ptr<Link> drive(std::uint32_t pes, unsigned threads, const std::vector<std::string>& worker_argv,
                                     Resilience resilience);
  /// As PE 0 of a job over hosts that a launcher has started for this process: runtime::join_as_driver().
  static std::unique_ptr<Link> drive_job(int agent, std::uint32_t npes, unsigned threads);
  ~Link();

  /// Over those PEs of the job; none: all.
  std::shared_ptr<Engine> make_engine(const std::vector<std::uint32_t>& members = {});
  /// For commands, before the engine: the same on all PEs.
  void open_channel();
  MessageChannel& channel() { return *channel_; }
  /// Leaves the job and waits for the workers to end.
  void leave();
  /// A PE has died, or a wait for it has timed out.
  bool failed() const {
    const fabric::Job* job = job_ != nullptr ? job_.get() : context_ != nullptr ? &context_->job() : nullptr;
    return job != nullptr && (job->has_failed() || job->suspect());
  }
  /// A launcher has started the workers, on several hosts.
  bool is_launched() const { return launched_.has_value(); }
  /// Workers that do not answer are not waited for.
  void give_up() {
    if (workers_ != nullptr) workers_->give_up();
  }
  void interrupt_workers() {
    if (workers_ != nullptr) workers_->interrupt();
  }
  bool is_joined() const { return context_ != nullptr; }
  runtime::Context& context() { return *context_; }
  /// Of a driver, and of a PE that survives deaths.
  const fabric::Job& job() const { return job_ != nullptr ? *job_ : context_->job(); }
  /// Driver of a recoverable job, whose engine has ended: leaves, and joins again with the survivors and new processes
  /// in the place of the dead. Appends those to `replaced`, also where it throws.
  void replace_dead(Connection::Replaced& replaced);
  /// PE of a recoverable job that a launcher keeps, whose engine has ended: leaves, waits until the launcher has
  /// replaced the dead, and joins again with all. Without an end while a replacement prepares itself.
  void rejoin(const std::function<void()>& look);
  /// Likewise: kills the worker for which a wait has timed out, if there is one.
  void end_suspect();

  /// In a forked child, where it must not end.
  void abandon() noexcept {
    if (context_ != nullptr) context_->abandon();
  }

 private:
  void await_departures(fabric::Job& job);
  void await(const std::function<bool()>& is_over, const std::function<void()>& look) const;

  std::unique_ptr<runtime::WorkerGroup> workers_;
  std::optional<runtime::Membership> launched_;  // of a driver over hosts
  std::shared_ptr<fabric::Job> job_;  // of a driver whose workers are on this host, and of a PE that survives deaths
  std::uint32_t seen_ = 0;  // recoveries of the job when the Context was made
  std::shared_ptr<runtime::Heap> heap_;  // of the Context before, while there is none
  std::shared_ptr<runtime::Context> context_;  // of all doors, but of a driver and of a process alone
  unsigned threads_ = 1;
  std::unique_ptr<MessageChannel> channel_;
};

}  // namespace atl::array

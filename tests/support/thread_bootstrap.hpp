// SPDX-License-Identifier: Apache-2.0
// A launcher for tests whose processes are threads: a table that all share. Nodes are called what the test likes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/bootstrap.hpp"

namespace atl::testing {

/// What the processes share.
class Rendezvous {
 public:
  explicit Rendezvous(std::uint32_t processes) : processes_(processes) {}

  std::uint32_t processes() const { return processes_; }
  void publish(std::uint32_t rank, std::string_view key, std::string_view value) {
    std::lock_guard lock(mutex_);
    table_[{rank, std::string(key)}] = value;
  }
  void exchange(Deadline deadline) {
    std::unique_lock lock(mutex_);
    std::uint64_t round = round_;
    if (++arrived_ == processes_) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    while (round_ == round) {
      ATOLL_VALIDATE(!deadline.passed(), TimeoutError, "only {} of {} processes came", arrived_, processes_);
      changed_.wait_for(lock, std::chrono::milliseconds(10));
    }
  }
  std::string lookup(std::uint32_t rank, std::string_view key) {
    std::lock_guard lock(mutex_);
    auto found = table_.find({rank, std::string(key)});
    ATOLL_VALIDATE(found != table_.end(), SetupError, "process {} has no '{}'", rank, key);
    return found->second;
  }

 private:
  std::uint32_t processes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<std::uint32_t, std::string>, std::string> table_;
  std::uint32_t arrived_ = 0;
  std::uint64_t round_ = 0;
};

class ThreadBootstrap : public runtime::Bootstrap {
 public:
  ThreadBootstrap(Rendezvous& rendezvous, std::uint32_t rank, std::string node)
      : rendezvous_(rendezvous), rank_(rank), node_(std::move(node)) {}

  std::string_view name() const override { return "threads"; }
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return rendezvous_.processes(); }
  std::string node_name() const override { return node_; }
  void publish(std::string_view key, std::string_view value) override { rendezvous_.publish(rank_, key, value); }
  void exchange(Deadline deadline) override { rendezvous_.exchange(deadline); }
  std::string lookup(std::uint32_t rank, std::string_view key) override { return rendezvous_.lookup(rank, key); }
  std::vector<std::string> allgather(std::string_view key, std::string_view mine, Deadline deadline) override {
    auto all = Bootstrap::allgather(key, mine, deadline);
    exchange(deadline);  // so that the key may be used again
    return all;
  }
  void finalize() override {}
  void abort(int, std::string_view) noexcept override {}

 private:
  Rendezvous& rendezvous_;
  std::uint32_t rank_;
  std::string node_;
};

}  // namespace atl::testing

// SPDX-License-Identifier: Apache-2.0
// A launcher for tests whose PEs are processes forked from the test: a table in memory that all share. Nodes are called
// what the test likes.
#pragma once

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/bootstrap.hpp"

namespace atl::testing {

/// Made before the fork.
class SharedTable {
 public:
  explicit SharedTable(std::uint32_t processes) {
    void* memory = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw_errno("no memory for the table of the processes");
    memory_ = static_cast<Memory*>(memory);
    memory_->processes = processes;
  }
  ~SharedTable() { ::munmap(memory_, sizeof(Memory)); }
  SharedTable(const SharedTable&) = delete;
  SharedTable& operator=(const SharedTable&) = delete;

  std::uint32_t processes() const { return memory_->processes; }
  void publish(std::uint32_t rank, std::string_view key, std::string_view value) {
    Entry entry{rank, static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size())};
    while (memory_->busy.exchange(true, std::memory_order_acquire)) ::sched_yield();
    std::size_t end = memory_->used + sizeof(entry) + key.size() + value.size();
    if (end <= sizeof(memory_->bytes)) {
      char* at = memory_->bytes + memory_->used;
      std::memcpy(at, &entry, sizeof(entry));
      std::memcpy(at + sizeof(entry), key.data(), key.size());
      std::memcpy(at + sizeof(entry) + key.size(), value.data(), value.size());
      memory_->used = end;
    }
    memory_->busy.store(false, std::memory_order_release);
    ATOLL_VALIDATE(end <= sizeof(memory_->bytes), Error, "the table of the processes is full");
  }
  void exchange(Deadline deadline) {
    std::uint32_t round = memory_->round.load(std::memory_order_acquire);
    if (memory_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == memory_->processes) {
      memory_->arrived.store(0, std::memory_order_relaxed);
      memory_->round.store(round + 1, std::memory_order_release);
    }
    while (memory_->round.load(std::memory_order_acquire) == round) {
      ATOLL_VALIDATE(!deadline.passed(), TimeoutError, "not all of {} processes came", memory_->processes);
      ::sched_yield();
    }
  }
  std::string lookup(std::uint32_t rank, std::string_view key) const {
    for (std::size_t at = 0; at < memory_->used;) {
      Entry entry;
      std::memcpy(&entry, memory_->bytes + at, sizeof(entry));
      const char* text = memory_->bytes + at + sizeof(entry);
      if (entry.rank == rank && std::string_view(text, entry.key_bytes) == key)
        return std::string(text + entry.key_bytes, entry.value_bytes);
      at += sizeof(entry) + entry.key_bytes + entry.value_bytes;
    }
    throw SetupError(fmt::format("process {} has no '{}'", rank, key));
  }

 private:
  struct Entry {
    std::uint32_t rank, key_bytes, value_bytes;
  };
  struct Memory {
    std::uint32_t processes;
    std::atomic<bool> busy;
    std::atomic<std::uint32_t> arrived, round;
    std::size_t used;
    char bytes[std::size_t{1} << 20];
  };
  Memory* memory_;
};

class ProcessBootstrap final : public runtime::Bootstrap {
 public:
  ProcessBootstrap(SharedTable& table, std::uint32_t rank, std::string node)
      : table_(table), rank_(rank), node_(std::move(node)) {}

  std::string_view name() const override { return "processes"; }
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return table_.processes(); }
  std::string node_name() const override { return node_; }
  std::string host_name() const override { return node_; }
  void publish(std::string_view key, std::string_view value) override { table_.publish(rank_, key, value); }
  void exchange(Deadline deadline) override { table_.exchange(deadline); }
  std::string lookup(std::uint32_t rank, std::string_view key) override { return table_.lookup(rank, key); }
  void finalize() override {}
  void abort(int, std::string_view) noexcept override {}

 private:
  SharedTable& table_;
  std::uint32_t rank_;
  std::string node_;
};

}  // namespace atl::testing

// SPDX-License-Identifier: Apache-2.0
// Private memory of the other PEs of this node: not in their segments, so nothing of it is mapped here. Where PEs are
// threads of one process it is memory like any other; else the kernel copies, if it lets this process.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "atoll/base/ids.hpp"
#include "atoll/base/zero_table.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::runtime {

/// One of a Context. Thread-safe.
class ForeignMemory {
 public:
  /// `card`: offset of a Card in the segment of every PE.
  ForeignMemory(const fabric::Job& job, PeId pe, HeapOffset card);
  /// By which others find out that what has this PE's number of a process is this PE, and lets this user's processes
  /// read and write, where the kernel asks for that. Before anybody does.
  void show_card();

  /// Until the kernel refuses, of which the log tells once; never where ATOLL_KERNEL_COPY is off.
  bool is_open() const { return open_.load(std::memory_order_relaxed); }
  /// Closes it, for that reason: an errno.
  void give_up(int error);
  /// Whether reading takes no system call.
  bool is_own_process() const { return job_.kind() == fabric::Kind::loop; }
  /// Whether that PE's, which is of this node, can be read, for all that is known.
  bool reaches(PeId pe) { return is_own_process() || (is_open() && check(pe) == 0); }
  /// From that address of `pe`, which is of this node. Returns 0, or why not: an errno, ESRCH when the PE is gone. Part
  /// of it may have been read then.
  [[nodiscard]] int read(PeId pe, std::byte* into, std::uint64_t from, std::uint64_t bytes);
  [[nodiscard]] int write(PeId pe, std::uint64_t into, const std::byte* from, std::uint64_t bytes);

  // | offset | bytes | field   | valid when                                          |
  // |--------|-------|---------|-----------------------------------------------------|
  // |   0    |   8   | address | the PE has joined: of a word in its private memory  |
  // |   8    |   8   | word    | likewise: what it says                              |
  struct Card {
    std::uint64_t address;
    std::uint64_t word;
  };
  static_assert(sizeof(Card) == 16);

 private:
  int check(PeId pe);
  Card& card(PeId pe) const { return *reinterpret_cast<Card*>(job_.segment(pe) + card_.value()); }
  pid_t process(PeId pe) const { return job_.record(pe).pid.load(std::memory_order_relaxed); }

  const fabric::Job& job_;
  PeId pe_;
  HeapOffset card_;
  std::uint64_t word_;
  ZeroTable<std::atomic<bool>> known_;  // by PE: its card was compared
  std::atomic<bool> open_;
};

}  // namespace atl::runtime

// SPDX-License-Identifier: Apache-2.0
#include "comm/retired_communicators.hpp"

#include <deque>
#include <mutex>
#include <vector>

#include "core/library.hpp"

namespace atl::mpi {
namespace {

struct RetiredCommunicators {
  std::mutex mutex;
  std::vector<RetiredWay> left;    // not closed
  std::vector<RetiredWay> closed;  // by this rank
  std::deque<std::uint64_t> numbers;
};
RetiredCommunicators& retired() {
  static auto& all = *new RetiredCommunicators;
  return all;
}

// Destroys the remaining ones at the end of the library, when none is in use.
void end_ways() {
  sweep_ways();
  std::lock_guard lock(retired().mutex);
  retired().closed.clear();
  retired().numbers.clear();
}

[[maybe_unused]] const bool added = (add_end(end_ways), true);

}  // namespace

void leave_way(RetiredWay way) {
  std::lock_guard lock(retired().mutex);
  retired().left.push_back(std::move(way));
}

void sweep_ways() {
  RetiredCommunicators& here = retired();
  std::vector<RetiredWay> left;
  {
    std::lock_guard lock(here.mutex);
    left.swap(here.left);
  }
  // Without the lock: closing waits for hooks, and hooks call leave_way().
  for (RetiredWay& one : left) {
    one.way->close();
    one.groups = {};
  }
  std::lock_guard lock(here.mutex);
  for (RetiredWay& one : left) here.closed.push_back(std::move(one));
  std::erase_if(here.closed, [&](RetiredWay& one) {
    if (!one.way->all_closed()) return false;
    if (one.number) here.numbers.push_back(*one.number);
    return true;
  });
}

std::optional<std::uint64_t> used_number() {
  std::lock_guard lock(retired().mutex);
  if (retired().numbers.empty()) return std::nullopt;
  std::uint64_t number = retired().numbers.front();
  retired().numbers.pop_front();
  return number;
}

}  // namespace atl::mpi

// SPDX-License-Identifier: Apache-2.0
// Running states over rows in segments, with the same bits for any number of PEs and threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::table {

/// A state of neighbouring rows, and whether a segment begins among them: what was before then counts no more.
template <class State>
struct SegmentState {
  State state;
  bool begins = false;

  void join(const SegmentState& right) {
    if (right.begins) *this = right;
    else state.join(right.state);
  }
};

/// A state of units [index << level, (index + 1) << level).
template <class State>
struct ScanNode {
  std::uint64_t index = 0;
  std::uint32_t level = 0;
  SegmentState<State> value;
};

/// Units from the first on, as the largest aligned subtrees of one binary tree: at most 2 log2 of them, in any order of
/// pushes.
template <class State>
class ScanFold {
 public:
  void push(ScanNode<State> node) {
    nodes_.push_back(node);
    while (nodes_.size() >= 2) {
      ScanNode<State>& left = nodes_[nodes_.size() - 2];
      const ScanNode<State>& right = nodes_.back();
      if (left.level != right.level || left.index % 2 != 0 || left.index + 1 != right.index) return;
      left.value.join(right.value);
      left.index /= 2;
      ++left.level;
      nodes_.pop_back();
    }
  }
  void push(std::span<const ScanNode<State>> nodes) {
    for (const auto& node : nodes) push(node);
  }
  const std::vector<ScanNode<State>>& nodes() const { return nodes_; }
  SegmentState<State> value() const {
    SegmentState<State> all;
    for (const auto& node : nodes_) all.join(node.value);
    return all;
  }

 private:
  std::vector<ScanNode<State>> nodes_;
};

/// Which rows a scan runs over. `first` is a multiple of `unit`, which no PE's border splits.
struct ScanRows {
  std::uint64_t first = 0, count = 0, unit = 1;
  const std::int64_t* segments = nullptr;  ///< of these rows, ascending; null: one segment
  bool begins = true;  ///< whether a segment begins with the first row
  const bool* firsts = nullptr;  ///< instead of `segments`: the first rows of segments

  bool starts(std::uint64_t i) const {
    if (i == 0) return begins;
    return firsts != nullptr ? firsts[i] : segments != nullptr && segments[i] != segments[i - 1];
  }
  std::uint64_t units() const { return (count + unit - 1) / unit; }
};

template <class State, class Add>
ScanNode<State> unit_node(const ScanRows& rows, std::uint64_t unit, const Add& add) {
  ScanNode<State> node{rows.first / rows.unit + unit, 0, {}};
  const std::uint64_t begin = unit * rows.unit, end = std::min(rows.count, begin + rows.unit);
  for (std::uint64_t i = begin; i < end; ++i) {
    if (rows.starts(i)) node.value = {{}, true};
    add(node.value.state, i);
  }
  return node;
}

/// The states of these rows' units, for `before` of the PEs that follow. `add(state, i)` adds row i of these.
template <class State, class Add>
ScanFold<State> fold_units(array::Work& work, const ScanRows& rows, const Add& add) {
  std::vector<ScanNode<State>> nodes(rows.units());
  array::Polling(work).for_pieces(nodes.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t u = begin; u < end; ++u) nodes[u] = unit_node<State>(rows, u, add);
  });
  ScanFold<State> fold;
  fold.push(std::span<const ScanNode<State>>(nodes));
  return fold;
}

/// Calls `put(state, i)` with the state of each row's segment up to this row. `before`: of all rows before these.
/// `Running` is made of a State and takes rows one by one; it may be the State itself.
template <class State, class Running, class Add, class Step, class Put>
void scan_units(array::Work& work, const ScanRows& rows, const ScanFold<State>& before, const Add& add,
                const Step& step, const Put& put) {
  const std::uint64_t units = rows.units();
  array::Polling polling(work);
  auto run = [&](std::uint64_t begin, std::uint64_t end, unsigned thread, ScanFold<State> fold) {
    array::Pace pace(polling, thread);
    for (std::uint64_t u = begin; u < end; ++u) {
      pace.done(rows.unit);
      Running running(fold.value().state);
      const std::uint64_t stop = std::min(rows.count, (u + 1) * rows.unit);
      for (std::uint64_t i = u * rows.unit; i < stop; ++i) {
        if (rows.starts(i)) running = Running(State{});
        step(running, i);
        put(running, i);
      }
      if (u + 1 < end) fold.push(unit_node<State>(rows, u, add));
    }
  };
  if (work.threads.size() == 1 || units < 2 * work.threads.size()) return run(0, units, 0, before);
  // Every thread's units are folded first, but for the last thread's.
  std::vector<ScanFold<State>> folds(work.threads.size());
  polling.for_ranges(units, 1, [&](std::size_t begin, std::size_t end, unsigned thread) {
    if (thread + 1 == folds.size()) return;
    array::Pace pace(polling, thread);
    for (std::size_t u = begin; u < end; ++u) {
      pace.done(rows.unit);
      folds[thread].push(unit_node<State>(rows, u, add));
    }
  });
  polling.for_ranges(units, 1, [&](std::size_t begin, std::size_t end, unsigned thread) {
    ScanFold<State> fold = before;
    for (unsigned other = 0; other < thread; ++other) fold.push(std::span<const ScanNode<State>>(folds[other].nodes()));
    run(begin, end, thread, std::move(fold));
  });
}

}  // namespace atl::table

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "atoll/array/kernel/polling.hpp"
#include "kernel/window/states.hpp"

namespace atl::table {
namespace {

/// The state of a window both of whose ends only move forward. Source: the two-stack queue, as in K. Tangwongsan et
/// al., "General incremental sliding-window aggregation", PVLDB 8 (2015).
template <class State>
class Window {
 public:
  Window(const WindowRows& rows, std::int64_t begin) : rows_(rows), middle_(begin), end_(begin) {}

  State at(std::int64_t begin, std::int64_t end) {
    for (; end_ < end; ++end_) back_.add(x(end_), y(end_));
    if (begin >= end_) {  // no added value is left
      middle_ = end_ = begin;
      back_ = {};
      return {};
    }
    if (begin > middle_) turn(begin);
    if (begin == middle_) return back_;
    State state = front_[static_cast<std::size_t>(middle_ - begin - 1)];
    state.join(back_);
    return state;
  }

 private:
  /// From now on sums towards the window's end serve, for as long as it begins before that.
  void turn(std::int64_t begin) {
    front_.resize(static_cast<std::size_t>(end_ - begin));
    State behind;
    for (std::int64_t row = end_ - 1; row >= begin; --row) {
      State state;
      state.add(x(row), y(row));
      state.join(behind);
      front_[static_cast<std::size_t>(end_ - row - 1)] = behind = state;
    }
    middle_ = end_;
    back_ = {};
  }
  double x(std::int64_t row) const { return rows_.x[row - rows_.first]; }
  double y(std::int64_t row) const { return rows_.y == nullptr ? 0 : rows_.y[row - rows_.first]; }

  WindowRows rows_;
  std::int64_t middle_, end_;
  std::vector<State> front_;  // of rows from one before middle_ up to middle_, the shortest first
  State back_;                // of rows from middle_ to end_
};

}  // namespace

void slide(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin, std::int64_t end,
           std::int64_t block, double* out) {
  if (begin >= end) return;
  const std::int64_t first = begin / block, last = (end - 1) / block;
  with_state(spec.figure, [&]<class State>(State) {
    array::Polling polling(work);
    polling.for_each_dynamic(static_cast<std::size_t>(last - first + 1), [&](std::size_t number, unsigned thread) {
      array::Pace pace(polling, thread);
      constexpr std::int64_t piece = 512;
      std::int64_t low[piece], high[piece];
      const std::int64_t start = (first + static_cast<std::int64_t>(number)) * block,
                         stop = std::min(end, start + block);
      WindowBounds bounds(spec, rows);
      std::int64_t at = start;
      bounds.next(at, 1, low, high);
      Window<State> window(rows, low[0]);
      for (; at < stop; at += piece) {
        const std::int64_t n = std::min(piece, stop - at);
        pace.done(static_cast<std::size_t>(n));
        bounds.next(at, n, low, high);
        for (std::int64_t i = 0; i < n; ++i) {
          const State state = window.at(low[i], high[i]);
          if (at + i >= begin) out[at + i - begin] = state.figure(spec);
        }
      }
    });
  });
}

}  // namespace atl::table

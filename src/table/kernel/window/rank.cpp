// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <vector>

#include "kernel/window/numbered.hpp"
#include "kernel/window/states.hpp"

namespace atl::table {
namespace {

/// A set of numbers below `size`, and how many members are below one: a bit each, with a tree of counts (Fenwick's) over words of bits.
class CountedSet {
 public:
  /// Empties it.
  void resize(std::size_t size) {
    words_.assign(size / 64 + 1, 0);
    counts_.assign(words_.size() + 1, 0);
    size_ = 0;
  }
  std::int64_t size() const { return size_; }
  void insert(std::uint32_t number) { change(number, 1); }
  void erase(std::uint32_t number) { change(number, -1); }
  std::int64_t below(std::size_t number) const {
    std::int64_t count = std::popcount(words_[number / 64] & ((std::uint64_t{1} << (number % 64)) - 1));
    for (std::size_t at = number / 64; at > 0; at &= at - 1) count += counts_[at];
    return count;
  }

 private:
  void change(std::uint32_t number, std::int32_t by) {
    words_[number / 64] ^= std::uint64_t{1} << (number % 64);
    for (std::size_t at = number / 64 + 1; at < counts_.size(); at += at & (~at + 1)) counts_[at] += by;
    size_ += by;
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::int32_t> counts_;
  std::int64_t size_ = 0;
};

/// What a thread uses for one block of rows after the other.
struct Scratch {
  std::vector<std::int64_t> low, high;
  Numbered rows;
  CountedSet set;
  std::vector<std::uint32_t> first, end;  // by number: those with the same value

  void find_equals() {
    const auto n = static_cast<std::uint32_t>(rows.count());
    first.resize(n);
    end.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) first[i] = i > 0 && rows.value(i) == rows.value(i - 1) ? first[i - 1] : i;
    for (std::uint32_t i = n; i-- > 0;) end[i] = i + 1 < n && rows.value(i) == rows.value(i + 1) ? end[i + 1] : i + 1;
  }
};

}  // namespace

void window_places(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin, std::int64_t end, std::int64_t block,
                   double* out) {
  if (begin >= end) return;
  const std::int64_t blocks = (end - begin + block - 1) / block;
  std::vector<Scratch> scratch(work.threads.size());
  work.threads.for_each_dynamic(static_cast<std::size_t>(blocks), [&](std::size_t number, unsigned thread) {
    Scratch& my = scratch[thread];
    const std::int64_t start = begin + static_cast<std::int64_t>(number) * block, stop = std::min(end, start + block);
    my.low.resize(static_cast<std::size_t>(stop - start));
    my.high.resize(my.low.size());
    WindowBounds(spec, rows).next(start, stop - start, my.low.data(), my.high.data());
    const std::int64_t base = my.low.front();
    my.rows.number(rows.x + (base - rows.first), static_cast<std::size_t>(std::max(my.high.back(), base) - base));
    my.set.resize(my.rows.count());
    my.find_equals();
    auto number_of = [&](std::int64_t row) { return my.rows.of_row(static_cast<std::size_t>(row - base)); };
    std::int64_t first = base, last = base;
    for (std::size_t i = 0; i < my.low.size(); ++i) {
      for (; last < my.high[i]; ++last)
        if (number_of(last) != Numbered::missing) my.set.insert(number_of(last));
      for (; first < my.low[i] && first < last; ++first)
        if (number_of(first) != Numbered::missing) my.set.erase(number_of(first));
      first = std::max(first, my.low[i]);
      last = std::max(last, first);
      const std::uint32_t own = my.high[i] > my.low[i] ? number_of(my.high[i] - 1) : Numbered::missing;
      double& figure = out[start + static_cast<std::int64_t>(i) - begin];
      if (own == Numbered::missing || my.set.size() < std::max<std::int64_t>(spec.min_periods, 1)) {
        figure = no_figure;
        continue;
      }
      const std::int64_t less = my.set.below(my.first[own]);
      figure = static_cast<double>(spec.figure == WindowFigure::less ? less : my.set.below(my.end[own]) - less);
    }
  });
}

}  // namespace atl::table

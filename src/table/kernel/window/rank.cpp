// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <vector>

#include "kernel/window/numbered.hpp"

namespace atl::table {
namespace {

/// A set of numbers below `size`, and how many members are below one: a bit each, with a tree of counts (Fenwick's)
/// over words of bits.
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

struct Places {
  Numbered rows;
  CountedSet set;
  std::vector<std::uint32_t> first, end;  // by number: those with the same value

  void start() {
    const auto n = static_cast<std::uint32_t>(rows.count());
    set.resize(n);
    first.resize(n);
    end.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) first[i] = i > 0 && rows.value(i) == rows.value(i - 1) ? first[i - 1] : i;
    for (std::uint32_t i = n; i-- > 0;) end[i] = i + 1 < n && rows.value(i) == rows.value(i + 1) ? end[i + 1] : i + 1;
  }
  double figure(const WindowSpec& spec, std::uint32_t own) const {
    if (own == Numbered::missing) return no_figure;
    const std::int64_t less = set.below(first[own]);
    return static_cast<double>(spec.figure == WindowFigure::less ? less : set.below(end[own]) - less);
  }
};

}  // namespace

void window_places(array::Work work, const WindowSpec& spec, const WindowRows& rows, std::int64_t begin,
                   std::int64_t end, std::int64_t block, double* out) {
  for_numbered_windows<Places>(work, spec, rows, begin, end, block, out);
}

}  // namespace atl::table

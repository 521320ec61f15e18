// SPDX-License-Identifier: Apache-2.0
// Receives that are posted, in the order in which messages fill them: a provider begins with the first and most often
// ends it first.
#pragma once

#include <array>
#include <cstddef>

namespace atl::fabric::ofi {

struct Operation;

/// At most `most`.
class Posted {
 public:
  static constexpr std::size_t most = 32;

  std::size_t size() const { return end_ - begin_; }
  void add(Operation* one) { at(end_++) = one; }
  /// It is filled, or given up. Returns how many before it are not: messages have begun to come into them.
  std::size_t remove(const Operation* one) {
    std::size_t place = begin_;
    while (at(place) != one && place + 1 != end_) ++place;
    for (std::size_t i = place; i != begin_; --i) at(i) = at(i - 1);
    return place - begin_++;
  }

 private:
  Operation*& at(std::size_t place) { return ring_[place % most]; }

  std::size_t begin_ = 0, end_ = 0;
  std::array<Operation*, most> ring_{};
};

}  // namespace atl::fabric::ofi

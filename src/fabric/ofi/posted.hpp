// SPDX-License-Identifier: Apache-2.0
// Posted receives, in the order in which messages fill them: a provider fills the first one first, and usually
// completes it first.
#pragma once

#include <array>
#include <cstddef>

namespace atl::fabric::ofi {

struct Operation;

/// Holds at most `most` receives.
class Posted {
 public:
  static constexpr std::size_t most = 32;

  std::size_t size() const { return end_ - begin_; }
  void add(Operation* one) { at(end_++) = one; }
  /// Removes a filled or abandoned receive. Returns the number of receives before it, which are partly filled.
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

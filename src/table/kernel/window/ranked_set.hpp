// SPDX-License-Identifier: Apache-2.0
// A set of small numbers and its k-th member, where k changes little from one question to the next.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl::table {

/// A bit for each number below `size`; above them, level by level, a bit for each word that has any: the neighbour of a
/// member is found in as many steps as there are levels, however far it is.
class NumberSet {
 public:
  /// Empties it.
  void resize(std::size_t size) {
    std::size_t level = 0;
    do {
      size = (size + 63) / 64;
      if (level == levels_.size()) levels_.emplace_back();
      levels_[level++].assign(size, 0);
    } while (size > 1);
    levels_.resize(level);
  }
  void insert(std::size_t number) {
    for (auto& words : levels_) {
      std::uint64_t& word = words[number / 64];
      const bool known = word != 0;
      word |= std::uint64_t{1} << (number % 64);
      if (known) return;
      number /= 64;
    }
  }
  void erase(std::size_t number) {
    for (auto& words : levels_) {
      std::uint64_t& word = words[number / 64];
      word &= ~(std::uint64_t{1} << (number % 64));
      if (word != 0) return;
      number /= 64;
    }
  }
  /// The next larger member; there is one.
  std::size_t after(std::size_t number) const {
    for (std::size_t level = 0;; ++level, number /= 64) {
      const std::uint64_t bits = levels_[level][number / 64] & (~std::uint64_t{1} << (number % 64));
      if (bits == 0) continue;
      number = number / 64 * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      while (level-- > 0) number = number * 64 + static_cast<std::size_t>(std::countr_zero(levels_[level][number]));
      return number;
    }
  }
  /// The next smaller member; there is one.
  std::size_t before(std::size_t number) const {
    for (std::size_t level = 0;; ++level, number /= 64) {
      const std::uint64_t bits = levels_[level][number / 64] & ((std::uint64_t{1} << (number % 64)) - 1);
      if (bits == 0) continue;
      number = number / 64 * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits));
      while (level-- > 0)
        number = number * 64 + 63 - static_cast<std::size_t>(std::countl_zero(levels_[level][number]));
      return number;
    }
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
};

/// Knows one member and how many are smaller: insertions and erasures keep that up, and from there the k-th is walked
/// to.
class RankedSet {
 public:
  void resize(std::size_t size) {
    set_.resize(size);
    size_ = below_ = 0;
  }
  std::int64_t size() const { return size_; }
  void insert(std::size_t number) {
    set_.insert(number);
    if (size_++ == 0) member_ = number;
    else below_ += number < member_ ? 1 : 0;
  }
  void erase(std::size_t number) {
    set_.erase(number);
    --size_;
    if (number != member_) {
      below_ -= number < member_ ? 1 : 0;
    } else if (below_ < size_) {
      member_ = set_.after(number);
    } else if (size_ > 0) {
      member_ = set_.before(number);
      --below_;
    }
  }
  /// The member before which there are k smaller ones, k below size().
  std::size_t at(std::int64_t k) {
    for (; below_ < k; ++below_) member_ = set_.after(member_);
    for (; below_ > k; --below_) member_ = set_.before(member_);
    return member_;
  }
  std::size_t after(std::size_t number) const { return set_.after(number); }

 private:
  NumberSet set_;
  std::int64_t size_ = 0;
  std::size_t member_ = 0;  // a member, unless there is none
  std::int64_t below_ = 0;
};

}  // namespace atl::table

// SPDX-License-Identifier: Apache-2.0
// Strings that are made one after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "atoll/array/kernel/polling.hpp"

namespace atl::table {

/// Bytes of the strings of a piece, side by side, and their lengths. The bytes lie in blocks of the PE's memory, so
/// that they count against its limit from the first on, and nothing is copied when there are more of them.
class TextBuilder {
 public:
  /// `lengths` has room for those of all strings.
  TextBuilder(Memory& memory, std::int64_t* lengths) : memory_(&memory), lengths_(lengths) {}

  /// This thread makes the strings from now on: it polls each time that a block is full.
  void begin(const array::Polling& polling, unsigned thread) {
    polling_ = &polling;
    thread_ = thread;
  }
  void poll() const {
    if (polling_ != nullptr) polling_->poll(thread_);
  }

  void append(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    advance(text.size());
  }
  void append(char byte) {
    *room(1) = byte;
    advance(1);
  }
  /// Memory for `most` bytes behind what there is; tell advance() how many were used.
  char* room(std::size_t most) {
    if (most > left_ || at_ == nullptr) grow(most);
    return at_;
  }
  void advance(std::size_t bytes) {
    at_ += bytes;
    left_ -= bytes;
  }
  /// The string is complete.
  void end() {
    *lengths_++ = static_cast<std::int64_t>(size() - begun_);
    begun_ = size();
  }

  /// Bytes of all strings.
  std::size_t size() const { return closed_ + (blocks_.empty() ? 0 : used_of_last()); }
  /// Copies all bytes, and gives their blocks back.
  void move_to(char* to) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t used = i + 1 < blocks_.size() ? used_[i] : used_of_last();
      std::memcpy(to, blocks_[i].data(), used);
      to += used;
      blocks_[i] = {};
    }
  }

 private:
  static constexpr std::size_t least_block = std::size_t{8} << 10, most_block = std::size_t{1} << 20;

  std::size_t used_of_last() const { return static_cast<std::size_t>(at_ - blocks_.back().data()); }
  void grow(std::size_t most) {
    poll();
    if (!blocks_.empty()) {
      used_.push_back(used_of_last());
      closed_ += used_.back();
    }
    Buffer<char> block(*memory_, std::max(most, std::clamp(closed_, least_block, most_block)));
    at_ = block.data();
    left_ = block.size();
    blocks_.push_back(std::move(block));
  }

  Memory* memory_;
  std::int64_t* lengths_;
  const array::Polling* polling_ = nullptr;
  unsigned thread_ = 0;
  std::vector<Buffer<char>> blocks_;
  std::vector<std::size_t> used_;  // of each block but the last
  char* at_ = nullptr;
  std::size_t left_ = 0, closed_ = 0, begun_ = 0;
};

}  // namespace atl::table

// SPDX-License-Identifier: Apache-2.0
// Texts that are made one after another.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace atl::table {

/// Bytes of the texts of a piece, side by side, and their lengths.
class TextBuilder {
 public:
  /// `lengths` has room for those of all texts.
  explicit TextBuilder(std::int64_t* lengths) : lengths_(lengths) {}

  void append(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void append(char byte) {
    *room(1) = byte;
    ++size_;
  }
  /// Memory for `most` bytes behind what there is; tell advance() how many were used.
  char* room(std::size_t most) {
    if (size_ + most > capacity_) grow(most);
    return bytes_.get() + size_;
  }
  void advance(std::size_t bytes) { size_ += bytes; }
  /// The text is complete.
  void end() {
    *lengths_++ = static_cast<std::int64_t>(size_ - begun_);
    begun_ = size_;
  }

  std::string_view bytes() const { return {bytes_.get(), size_}; }

 private:
  void grow(std::size_t most) {
    const std::size_t capacity = 2 * (size_ + most) + 256;
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = capacity;
  }

  std::int64_t* lengths_;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0, begun_ = 0;
};

}  // namespace atl::table

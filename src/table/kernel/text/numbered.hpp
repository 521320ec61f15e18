// SPDX-License-Identifier: Apache-2.0
// Distinct strings by number: short ones in a table of images, long ones in a table of places.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "atoll/base/memory.hpp"
#include "atoll/table/kernel/text/encode.hpp"
#include "kernel/text/image.hpp"

namespace atl::table {

/// Images in lines of four, filled from the front; what finds no room goes to the next line. A look reads one line of
/// the cache, and compares all four at once: no branch that depends on where in the line it is.
class ImageTable {
 public:
  static constexpr std::size_t per_line = 4;
  struct alignas(64) Line {
    std::uint64_t low[per_line], high[per_line];
  };

  /// From a pool of large pages: in small ones each look waits for its page's address, too.
  explicit ImageTable(Memory& memory) : memory_(&memory) { make_lines(8); }

  static std::uint64_t hash(const Image& image) {
    std::uint64_t hash = image.low * 0x9e3779b97f4a7c15u + image.high * 0xe7037ed1a0b428dbu;
    hash ^= hash >> 32;
    return hash * 0x8ebc6af09c88c6e3u;
  }
  const Line& line(std::uint64_t hash) const { return lines_[hash >> shift_]; }
  /// Of the image in that place of the hash's line.
  std::uint32_t number(std::uint64_t hash, std::size_t place) const {
    return numbers_[(hash >> shift_) * per_line + place];
  }

  /// The image's number; where it has none yet, it gets `next`.
  std::uint32_t find(const Image& image, std::uint64_t hash, std::uint32_t next) {
    const std::size_t mask = lines_.size() - 1;
    for (std::size_t at = hash >> shift_;; at = (at + 1) & mask) {
      Line& line = lines_[at];
      for (std::size_t k = 0; k < per_line; ++k) {
        if (line.low[k] == image.low && line.high[k] == image.high) return numbers_[at * per_line + k];
        if (line.high[k] != 0) continue;
        line.low[k] = image.low;
        line.high[k] = image.high;
        numbers_[at * per_line + k] = next;
        if (++count_ * 2 > lines_.size() * per_line) grow();
        return next;
      }
    }
  }

 private:
  void grow() {
    const Buffer<Line> lines = std::move(lines_);
    const Buffer<std::uint32_t> numbers = std::move(numbers_);
    make_lines(static_cast<unsigned>(64 - shift_ + 2));
    for (std::size_t at = 0; at < lines.size(); ++at) {
      for (std::size_t k = 0; k < per_line && lines[at].high[k] != 0; ++k) {
        const Image image{lines[at].low[k], lines[at].high[k]};
        find(image, hash(image), numbers[at * per_line + k]);
      }
    }
  }
  /// 2^bits lines, empty.
  void make_lines(unsigned bits) {
    lines_ = Buffer<Line>(*memory_, std::size_t{1} << bits);
    numbers_ = Buffer<std::uint32_t>(*memory_, lines_.size() * per_line);
    std::fill(lines_.begin(), lines_.end(), Line{});
    shift_ = 64 - bits;
    count_ = 0;
  }

  Memory* memory_;
  Buffer<Line> lines_;
  Buffer<std::uint32_t> numbers_;
  unsigned shift_ = 0;
  std::size_t count_ = 0;
};

/// Texts where they lie: open addressing, linear probing. A hash alone decides nothing.
class PlaceTable {
 public:
  explicit PlaceTable(Memory& memory) : memory_(&memory) { make_slots(256); }

  const void* place(std::uint64_t hash) const { return &slots_[hash & mask_]; }
  /// The string's number; where it has none yet, it gets `next`.
  std::uint32_t find(std::uint64_t hash, std::string_view text, std::uint32_t next) {
    std::size_t at = hash & mask_;
    for (; slots_[at].text != nullptr; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.hash == hash && slot.length == text.size() && std::string_view(slot.text, slot.length) == text)
        return slot.number;
    }
    slots_[at] = {hash, text.data(), text.size(), next};
    if (++count_ * 2 > slots_.size()) grow();
    return next;
  }

 private:
  struct Slot {
    std::uint64_t hash;
    const char* text;  // null: empty
    std::size_t length;
    std::uint32_t number;
  };

  void grow() {
    const Buffer<Slot> old = std::move(slots_);
    make_slots(4 * old.size());
    for (const Slot& slot : old) {
      if (slot.text == nullptr) continue;
      std::size_t at = slot.hash & mask_;
      while (slots_[at].text != nullptr) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }
  void make_slots(std::size_t count) {
    slots_ = Buffer<Slot>(*memory_, count);
    std::fill(slots_.begin(), slots_.end(), Slot{});
    mask_ = count - 1;
  }

  Memory* memory_;
  Buffer<Slot> slots_;
  std::uint64_t mask_ = 0;
  std::size_t count_ = 0;
};

/// Strings by number, in the order in which they are met first.
class NumberedTexts {
 public:
  explicit NumberedTexts(Memory& memory) : images_(memory), long_texts_(memory) {}

  ImageTable& images() { return images_; }
  const PlaceTable& long_texts() const { return long_texts_; }
  /// Where each distinct text was met first.
  const std::vector<std::int64_t>& rows() const { return rows_; }

  std::uint32_t number_of(const Image& image, std::uint64_t hash, std::int64_t row) {
    return known(images_.find(image, hash, next()), row);
  }
  std::uint32_t number_of_long(std::uint64_t hash, std::string_view text, std::int64_t row) {
    return known(long_texts_.find(hash, text, next()), row);
  }
  std::uint32_t number_of(std::string_view text, std::int64_t row) {
    const Image image = image_of(text.data(), text.size());
    return image.is_long() ? number_of_long(hash_text(text), text, row)
                           : number_of(image, ImageTable::hash(image), row);
  }

 private:
  std::uint32_t next() const { return static_cast<std::uint32_t>(rows_.size()); }
  std::uint32_t known(std::uint32_t number, std::int64_t row) {
    if (number == next()) rows_.push_back(row);
    return number;
  }

  ImageTable images_;
  PlaceTable long_texts_;
  std::vector<std::int64_t> rows_;
};

}  // namespace atl::table

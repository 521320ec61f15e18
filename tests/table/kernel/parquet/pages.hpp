// SPDX-License-Identifier: Apache-2.0
// Pages of Parquet, put together by hand, and what decodes them in memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "atoll/table/kernel/parquet/chunk.hpp"
#include "atoll/table/kernel/parquet/page.hpp"
#include "atoll/table/kernel/parquet/snappy.hpp"

namespace atl::table::pages {

using Bytes = std::vector<std::byte>;

/// Bytes in memory of their own, with nothing readable behind the room that is promised.
class InMemory final : public ChunkSource {
 public:
  InMemory(Memory& memory, const Bytes& bytes) : memory_(memory), bytes_(bytes) {}
  std::size_t size() const override { return bytes_.size(); }
  std::span<const std::byte> view(std::size_t at, std::size_t count) override {
    EXPECT_LE(at + count, bytes_.size());
    window_ = Buffer<std::byte>(memory_, count + 16);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), count, window_.data());
    return {window_.data(), count};
  }
  void copy(std::size_t at, std::span<std::byte> to) override {
    EXPECT_LE(at + to.size(), bytes_.size());
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), to.size(), to.begin());
  }

 private:
  Memory& memory_;
  const Bytes& bytes_;
  Buffer<std::byte> window_;
};

class Collected final : public NumbersSink {
 public:
  explicit Collected(std::int64_t rows, bool with_room)
      : values(static_cast<std::size_t>(rows)), there(values.size(), 1), with_room_(with_room) {}
  std::byte* room(std::int64_t first, std::int64_t) override {
    return with_room_ ? reinterpret_cast<std::byte*>(values.data() + first) : nullptr;
  }
  void put(std::int64_t first, std::int64_t rows, const std::byte* from, const std::uint8_t* valid) override {
    ASSERT_TRUE(first >= 0 && rows >= 0 && first + rows <= static_cast<std::int64_t>(values.size()));
    auto* to = reinterpret_cast<std::byte*>(values.data() + first);
    if (from != to) std::memcpy(to, from, static_cast<std::size_t>(rows) * 8);
    for (std::int64_t i = 0; valid != nullptr && i < rows; ++i)
      there[static_cast<std::size_t>(first + i)] = valid[i / 8] >> (i % 8) & 1;
  }
  std::vector<std::int64_t> values;
  std::vector<int> there;

 private:
  bool with_room_;
};

inline void put(Bytes& to, const void* from, std::size_t size) {
  to.insert(to.end(), static_cast<const std::byte*>(from), static_cast<const std::byte*>(from) + size);
}
inline void put_varint(Bytes& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<std::byte>(value | 0x80));
  to.push_back(static_cast<std::byte>(value));
}
inline void put_field(Bytes& to, unsigned delta, std::int64_t value) {
  to.push_back(static_cast<std::byte>(delta << 4 | 5));
  put_varint(to, static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
}

/// Literals of up to 60 bytes, and now and then a copy of what was just written.
inline Bytes pack(const Bytes& bytes) {
  Bytes packed;
  put_varint(packed, bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t some = std::min<std::size_t>(bytes.size() - at, 1 + at % 60);
    packed.push_back(static_cast<std::byte>((some - 1) << 2));
    put(packed, bytes.data() + at, some);
    at += some;
    for (std::size_t distance : {1u, 8u, 20u}) {
      std::size_t same = 0;
      while (distance <= at && same < 60 && at + same < bytes.size() && bytes[at + same] == bytes[at + same - distance])
        ++same;
      if (same < 4) continue;
      packed.push_back(static_cast<std::byte>((same - 1) << 2 | 2));
      packed.push_back(static_cast<std::byte>(distance));
      packed.push_back(std::byte{0});
      at += same;
    }
  }
  return packed;
}

/// A page of version 2, whose levels are not packed.
inline void put_second_page(Bytes& to, const Bytes& levels, Bytes body, std::int64_t values, int encoding,
                            bool snappy) {
  const auto size = static_cast<std::int64_t>(levels.size() + body.size());
  if (snappy) body = pack(body);
  put_field(to, 1, 3);
  put_field(to, 1, size);
  put_field(to, 1, static_cast<std::int64_t>(levels.size() + body.size()));
  to.push_back(static_cast<std::byte>(5 << 4 | 12));  // field 8: a struct
  put_field(to, 1, values);
  put_field(to, 1, 0);
  put_field(to, 1, values);
  put_field(to, 1, encoding);
  put_field(to, 1, static_cast<std::int64_t>(levels.size()));
  put_field(to, 1, 0);
  to.push_back(static_cast<std::byte>(1 << 4 | (snappy ? 1 : 2)));
  to.push_back(std::byte{0});
  to.push_back(std::byte{0});
  to.insert(to.end(), levels.begin(), levels.end());
  to.insert(to.end(), body.begin(), body.end());
}

/// A page: its head, and its body behind it.
inline void put_page(Bytes& to, bool dictionary, Bytes body, std::int64_t values, int encoding, bool snappy) {
  const auto size = static_cast<std::int64_t>(body.size());
  if (snappy) body = pack(body);
  put_field(to, 1, dictionary ? 2 : 0);
  put_field(to, 1, size);
  put_field(to, 1, static_cast<std::int64_t>(body.size()));
  to.push_back(static_cast<std::byte>((dictionary ? 4 : 2) << 4 | 12));  // field 7 or 5: a struct
  put_field(to, 1, values);
  put_field(to, 1, encoding);
  if (!dictionary) {
    put_field(to, 1, 3);
    put_field(to, 1, 3);
    to.push_back(static_cast<std::byte>(1 << 4 | 12));  // statistics: the largest value, as text
    to.push_back(static_cast<std::byte>(1 << 4 | 8));
    put_varint(to, 3);
    put(to, "max", 3);
    to.push_back(std::byte{0});
  }
  to.push_back(std::byte{0});
  to.push_back(std::byte{0});
  to.insert(to.end(), body.begin(), body.end());
}

/// Numbers of `width` bits in groups of eight, after a run of the first of them while it lasts.
inline Bytes packed_numbers(const std::vector<std::uint32_t>& numbers, unsigned width) {
  Bytes to;
  std::size_t run = 0;
  while (run < numbers.size() && numbers[run] == numbers[0]) ++run;
  if (run < 8) run = 0;
  if (run > 0) {
    put_varint(to, run << 1);
    for (unsigned i = 0; i < (width + 7) / 8; ++i) to.push_back(static_cast<std::byte>(numbers[0] >> (8 * i)));
  }
  const std::size_t left = numbers.size() - run, groups = (left + 7) / 8;
  if (left == 0) return to;
  put_varint(to, groups << 1 | 1);
  const std::size_t begin = to.size();
  to.resize(begin + groups * width);
  for (std::size_t i = 0; i < left; ++i)
    for (unsigned b = 0; b < width; ++b)
      if ((numbers[run + i] >> b & 1) != 0) {
        const std::size_t at = i * width + b;
        to[begin + at / 8] |= static_cast<std::byte>(1 << (at % 8));
      }
  return to;
}

/// Rows, some of them missing, in pages of several sizes.
struct Case {
  bool optional, dictionary, snappy;
  std::int64_t rows;
  bool second = false;  // version of its pages
};

inline bool there(const Case& one, std::int64_t row) { return !one.optional || row % 7 != 3 || row > 150; }

template <class PutValue>
Bytes make(const Case& one, std::uint32_t distinct, PutValue&& put_value) {
  unsigned width = 1;
  while ((distinct - 1) >> width != 0) ++width;
  Bytes bytes;
  if (one.dictionary) {
    Bytes body;
    for (std::uint32_t i = 0; i < distinct; ++i) put_value(body, i);
    put_page(bytes, true, body, distinct, 2, one.snappy);
  }
  for (std::int64_t first = 0, page = 1; first < one.rows; ++page) {
    const std::int64_t count = std::min(one.rows - first, page * 37);
    Bytes body, levels_apart;
    if (one.optional) {
      std::vector<std::uint32_t> levels;
      for (std::int64_t row = first; row < first + count; ++row) levels.push_back(there(one, row));
      const Bytes packed = packed_numbers(levels, 1);
      const auto size = static_cast<std::uint32_t>(packed.size());
      if (one.second) {
        levels_apart = packed;
      } else {
        put(body, &size, 4);
        body.insert(body.end(), packed.begin(), packed.end());
      }
    }
    std::vector<std::uint32_t> indices;
    for (std::int64_t row = first; row < first + count; ++row) {
      if (!there(one, row)) continue;
      const auto value = static_cast<std::uint32_t>(row) % distinct;
      if (one.dictionary) indices.push_back(value);
      else put_value(body, value);
    }
    if (one.dictionary) {
      body.push_back(static_cast<std::byte>(width));
      const Bytes packed = packed_numbers(indices, width);
      body.insert(body.end(), packed.begin(), packed.end());
    }
    if (one.second) put_second_page(bytes, levels_apart, body, count, one.dictionary ? 8 : 0, one.snappy);
    else put_page(bytes, false, body, count, one.dictionary ? 8 : 0, one.snappy);
    first += count;
  }
  return bytes;
}

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (bool optional : {false, true})
    for (bool dictionary : {false, true})
      for (bool snappy : {false, true})
        for (bool second : {false, true})
          for (std::int64_t rows : {0, 1, 40, 1000}) cases.push_back({optional, dictionary, snappy, rows, second});
  return cases;
}

inline ParquetChunk chunk_of(const Case& one, ParquetChunk::Physical physical) {
  return {physical, one.snappy ? ParquetChunk::Codec::snappy : ParquetChunk::Codec::none, one.optional, one.rows};
}

inline Bytes numbers_of(const Case& one, std::uint32_t distinct) {
  return make(one, distinct, [](Bytes& to, std::uint32_t value) {
    const std::int64_t number = std::int64_t{value} * 1'000'003 - 5;
    put(to, &number, 8);
  });
}

inline Bytes texts_of(const Case& one) {
  return make(one, 90, [](Bytes& to, std::uint32_t value) {
    const std::string text(value % 23, static_cast<char>('a' + value % 26));
    const auto size = static_cast<std::uint32_t>(text.size());
    put(to, &size, 4);
    put(to, text.data(), size);
  });
}

}  // namespace atl::table::pages

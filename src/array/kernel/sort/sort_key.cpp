// SPDX-License-Identifier: Apache-2.0
// Loads of ordered keys in blocks. Plain loops: the compiler vectorises them once per SIMD level.
#include "atoll/array/kernel/sort_key.hpp"

#include <algorithm>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/sort/sort_key.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array {
namespace HWY_NAMESPACE {

template <Zeros zeros, class T>
HWY_ATTR void load_type(const void* data, std::size_t begin, std::size_t count, std::uint64_t* HWY_RESTRICT dst) {
  const char* src = static_cast<const char*>(data) + begin * sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, src + i * sizeof(T), sizeof(T));
    dst[i] = ordered_bits<zeros>(value);
  }
}

template <Zeros zeros>
HWY_ATTR void load_zeros(DType type, const void* data, std::size_t begin, std::size_t count, std::uint64_t* dst) {
  switch (type) {
    case DType::b1:
    case DType::u8: return load_type<zeros, std::uint8_t>(data, begin, count, dst);
    case DType::i8: return load_type<zeros, std::int8_t>(data, begin, count, dst);
    case DType::i16: return load_type<zeros, std::int16_t>(data, begin, count, dst);
    case DType::i32: return load_type<zeros, std::int32_t>(data, begin, count, dst);
    case DType::i64: return load_type<zeros, std::int64_t>(data, begin, count, dst);
    case DType::u16: return load_type<zeros, std::uint16_t>(data, begin, count, dst);
    case DType::u32: return load_type<zeros, std::uint32_t>(data, begin, count, dst);
    case DType::u64: return load_type<zeros, std::uint64_t>(data, begin, count, dst);
    case DType::f32: return load_type<zeros, float>(data, begin, count, dst);
    case DType::f64: return load_type<zeros, double>(data, begin, count, dst);
  }
}

HWY_ATTR void load_ordered(DType type, Zeros zeros, const void* data, std::size_t begin, std::size_t count,
                           std::uint64_t* dst) {
  zeros == Zeros::equal ? load_zeros<Zeros::equal>(type, data, begin, count, dst)
                        : load_zeros<Zeros::apart>(type, data, begin, count, dst);
}

template <class T>
HWY_ATTR std::uint64_t load_codes_of(const void* data, std::size_t begin, std::size_t count, std::uint64_t min,
                                     std::uint32_t* HWY_RESTRICT dst) {
  const char* src = static_cast<const char*>(data) + begin * sizeof(T);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, src + i * sizeof(T), sizeof(T));
    const std::uint64_t code = ordered_bits<Zeros::equal>(value) - min;
    bits |= code;
    dst[i] = static_cast<std::uint32_t>(code);
  }
  return bits;
}

HWY_ATTR std::uint64_t load_small(DType type, const void* data, std::size_t begin, std::size_t count, std::uint64_t min,
                                  std::uint32_t* dst) {
  switch (type) {
    case DType::b1:
    case DType::u8: return load_codes_of<std::uint8_t>(data, begin, count, min, dst);
    case DType::i8: return load_codes_of<std::int8_t>(data, begin, count, min, dst);
    case DType::i16: return load_codes_of<std::int16_t>(data, begin, count, min, dst);
    case DType::i32: return load_codes_of<std::int32_t>(data, begin, count, min, dst);
    case DType::i64: return load_codes_of<std::int64_t>(data, begin, count, min, dst);
    case DType::u16: return load_codes_of<std::uint16_t>(data, begin, count, min, dst);
    case DType::u32: return load_codes_of<std::uint32_t>(data, begin, count, min, dst);
    case DType::u64: return load_codes_of<std::uint64_t>(data, begin, count, min, dst);
    case DType::f32: return load_codes_of<float>(data, begin, count, min, dst);
    case DType::f64: return load_codes_of<double>(data, begin, count, min, dst);
  }
  return 0;
}

HWY_ATTR void subtract(std::uint64_t* values, std::size_t count, std::uint64_t min) {
  for (std::size_t i = 0; i < count; ++i) values[i] -= min;
}

HWY_ATTR void add_part(std::uint64_t* HWY_RESTRICT dst, const std::uint64_t* HWY_RESTRICT ordered, std::size_t count,
                       std::uint64_t min, unsigned drop, std::uint64_t mask, unsigned place) {
  for (std::size_t i = 0; i < count; ++i) dst[i] |= (((ordered[i] - min) >> drop) & mask) << place;
}

HWY_ATTR void min_max(const std::uint64_t* values, std::size_t count, std::uint64_t* min, std::uint64_t* max) {
  std::uint64_t low = *min, high = *max;
  for (std::size_t i = 0; i < count; ++i) {
    low = values[i] < low ? values[i] : low;
    high = values[i] > high ? values[i] : high;
  }
  *min = low;
  *max = high;
}

HWY_ATTR bool is_ascending(const std::uint64_t* values, std::size_t count) {
  std::uint64_t descents = 0;
  for (std::size_t i = 1; i < count; ++i) descents |= values[i] < values[i - 1] ? 1 : 0;
  return descents == 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace atl::array
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(load_ordered);
HWY_EXPORT(load_small);
HWY_EXPORT(subtract);
HWY_EXPORT(add_part);
HWY_EXPORT(min_max);
HWY_EXPORT(is_ascending);

namespace {

constexpr std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

KeyRange key_range(Work work, Key key, std::size_t n, Zeros zeros) {
  constexpr std::size_t block = CompositeKey::block, share = CompositeKey::share;
  struct alignas(64) Partial {
    KeyRange range;
    std::uint64_t first = 0, last = 0;
    bool used = false;
  };
  std::vector<Partial> partials(work.threads.size());
  Polling polling(work);
  polling.for_ranges(n, share, [&](std::size_t begin, std::size_t end, unsigned thread) {
    alignas(64) std::uint64_t values[block];
    Partial& partial = partials[thread];
    partial.used = true;
    Pace pace(polling, thread);
    for (std::size_t at = begin; at < end; at += block) {
      std::size_t count = std::min(block, end - at);
      pace.done(count);
      HWY_DYNAMIC_DISPATCH(load_ordered)(key.type, zeros, key.data, at, count, values);
      HWY_DYNAMIC_DISPATCH(min_max)(values, count, &partial.range.min, &partial.range.max);
      if (partial.range.ascending) {
        partial.range.ascending =
            HWY_DYNAMIC_DISPATCH(is_ascending)(values, count) && (at == begin || partial.last <= values[0]);
      }
      if (at == begin) partial.first = values[0];
      partial.last = values[count - 1];
    }
  });
  KeyRange range;
  bool ascending = true, any = false;
  std::uint64_t last = 0;
  for (const Partial& partial : partials) {
    if (!partial.used) continue;
    ascending = ascending && partial.range.ascending && (!any || last <= partial.first);
    range.merge(partial.range);
    last = partial.last;
    any = true;
  }
  range.ascending = ascending;
  return range;
}

CompositeKey::CompositeKey(std::span<const Key> keys, std::span<const KeyRange> ranges, std::size_t n,
                           std::uint64_t first_row, Zeros zeros)
    : zeros_(zeros) {
  for (unsigned column = 0; column < keys.size(); ++column) {
    const KeyRange& range = ranges[column];
    columns_.push_back({keys[column].type, range.min, range.width()});
    for (unsigned left = range.width(); left > 0;) {
      if (chunks_.empty() || chunks_.back().width == 64) chunks_.emplace_back();
      Chunk& chunk = chunks_.back();
      unsigned length = std::min(left, 64 - chunk.width);
      for (Part& part : chunk.parts) part.place += length;
      chunk.width += length;
      left -= length;
      chunk.parts.push_back({column, left, length, 0});
    }
  }
  add_piece(keys, n, first_row);
}

void CompositeKey::add_piece(std::span<const Key> keys, std::size_t n, std::uint64_t first_row) {
  Piece piece{first_row, n, {}};
  for (const Key& key : keys) piece.data.push_back(key.data);
  pieces_.push_back(std::move(piece));
}

void CompositeKey::list_rows(std::span<const std::uint64_t> rows, std::span<const Key> keys) {
  listed_.rows = rows;
  listed_.data.clear();
  for (const Key& key : keys) listed_.data.push_back(key.data);
}

bool CompositeKey::in_pieces(std::uint64_t row) const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [row](const Piece& piece) { return row - piece.first < piece.count; });
}

void CompositeKey::load(std::size_t begin, std::size_t count, std::uint64_t* dst) const {
  if (chunks_.empty()) {
    std::fill_n(dst, count, 0);
    return;
  }
  const Chunk& chunk = chunks_[0];
  const Piece& own = pieces_[0];
  if (chunk.parts.size() == 1 && chunk.parts[0].drop == 0) {
    const Column& column = columns_[chunk.parts[0].column];
    HWY_DYNAMIC_DISPATCH(load_ordered)(column.type, zeros_, own.data[chunk.parts[0].column], begin, count, dst);
    if (column.min != 0) HWY_DYNAMIC_DISPATCH(subtract)(dst, count, column.min);
    return;
  }
  alignas(64) std::uint64_t ordered[block];
  std::fill_n(dst, count, 0);
  for (const Part& part : chunk.parts) {
    const Column& column = columns_[part.column];
    HWY_DYNAMIC_DISPATCH(load_ordered)(column.type, zeros_, own.data[part.column], begin, count, ordered);
    HWY_DYNAMIC_DISPATCH(add_part)(dst, ordered, count, column.min, part.drop, low_bits(part.length), part.place);
  }
}

std::uint64_t CompositeKey::load_codes(std::size_t begin, std::size_t count, std::uint32_t* dst) const {
  if (chunks_.empty()) {
    std::fill_n(dst, count, 0);
    return 0;
  }
  const Chunk& chunk = chunks_[0];
  if (chunk.parts.size() == 1 && chunk.parts[0].drop == 0 && zeros_ == Zeros::equal) {
    const Column& column = columns_[chunk.parts[0].column];
    if (const std::size_t next = begin + 256; next + count <= pieces_[0].count) {  // fetched before they are needed
      const std::size_t size = size_of(column.type);
      const char* at = static_cast<const char*>(pieces_[0].data[chunk.parts[0].column]) + next * size;
      for (std::size_t byte = 0; byte < count * size; byte += 64) prefetch_for_read(at + byte);
    }
    return HWY_DYNAMIC_DISPATCH(load_small)(column.type, pieces_[0].data[chunk.parts[0].column], begin, count,
                                            column.min, dst);
  }
  alignas(64) std::uint64_t keys[block];
  load(begin, count, keys);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bits |= keys[i];
    dst[i] = static_cast<std::uint32_t>(keys[i]);
  }
  return bits;
}

template <class T>
T CompositeKey::fetch(unsigned column, std::uint64_t row) const {
  auto at = [&](const std::vector<const void*>& data, std::size_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(data[column]) + index * sizeof(T), sizeof(T));
    return value;
  };
  for (const Piece& piece : pieces_)
    if (row - piece.first < piece.count) return at(piece.data, row - piece.first);
  const auto found = std::lower_bound(listed_.rows.begin(), listed_.rows.end(), row);
  ATOLL_EXPECT(found != listed_.rows.end() && *found == row);
  return at(listed_.data, static_cast<std::size_t>(found - listed_.rows.begin()));
}

void CompositeKey::gather(unsigned chunk, const std::uint64_t* rows, std::size_t count, std::uint64_t bias,
                          std::uint64_t* dst) const {
  std::fill_n(dst, count, 0);
  for (const Part& part : chunks_[chunk].parts) {
    const Column& column = columns_[part.column];
    std::uint64_t mask = low_bits(part.length);
    DType type = column.type == DType::b1 ? DType::u8 : column.type;
    dispatch(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::size_t i = 0; i < count; ++i) {
        T value = fetch<T>(part.column, rows[i] - bias);
        std::uint64_t ordered = zeros_ == Zeros::equal ? ordered_bits(value) : ordered_bits<Zeros::apart>(value);
        dst[i] |= (((ordered - column.min) >> part.drop) & mask) << part.place;
      }
    });
  }
}

}  // namespace atl::array
#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/parquet/page.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "atoll/base/validate.hpp"
#include "kernel/parquet/thrift.hpp"

namespace atl::table {
namespace {

/// Groups of eight numbers of `width` bits, each group as many bytes; eight more bytes may be read.
template <unsigned width>
void unpack_groups(const std::byte* from, std::uint32_t* to, std::size_t groups) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  constexpr unsigned half = 4 * width;  // bits of four numbers, which a word has from any byte on
  for (std::size_t group = 0; group < groups; ++group, from += width, to += 8) {
    std::uint64_t low = 0, high = 0;
    std::memcpy(&low, from, 8);
    std::memcpy(&high, from + half / 8, 8);
    high >>= half % 8;
    for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<std::uint32_t>(low >> (i * width) & mask);
    for (unsigned i = 0; i < 4; ++i) to[4 + i] = static_cast<std::uint32_t>(high >> (i * width) & mask);
  }
}

using Unpack = void (*)(const std::byte*, std::uint32_t*, std::size_t);
template <std::size_t... widths>
constexpr std::array<Unpack, sizeof...(widths)> unpack_table(std::index_sequence<widths...>) {
  return {&unpack_groups<widths + 1>...};
}
/// Of 1 to 15 bits: four of them and a byte's rest fit into a word.
constexpr auto unpack_small = unpack_table(std::make_index_sequence<15>());

}  // namespace

PageHeader read_page_header(std::span<const std::byte> bytes, std::size_t& at) {
  PageHeader header;
  parquet::Thrift thrift(bytes, at, "a page's head is broken");
  auto number = [&](unsigned kind, std::int32_t& to) {
    if (kind != parquet::Thrift::i32) return false;
    to = static_cast<std::int32_t>(thrift.number());
    return true;
  };
  thrift.for_fields([&](std::int64_t field, unsigned kind) {
    if (field == 1) {
      std::int32_t type = -1;
      const bool read = number(kind, type);
      header.type = static_cast<PageHeader::Type>(type);
      return read;
    }
    if (field == 2) return number(kind, header.unpacked_size);
    if (field == 3) return number(kind, header.packed_size);
    if (kind != parquet::Thrift::structure || (field != 5 && field != 7 && field != 8)) return false;
    const bool second = field == 8;
    thrift.for_fields(
        [&](std::int64_t inner, unsigned inner_kind) {
          if (inner == 1) return number(inner_kind, header.values);
          if (inner == (second ? 4 : 2)) return number(inner_kind, header.encoding);
          if (second && inner == 5) return number(inner_kind, header.definition_bytes);
          if (second && inner == 6) return number(inner_kind, header.repetition_bytes);
          if (second && inner == 7) header.compressed = inner_kind != parquet::Thrift::no;
          return false;
        },
        1);
    return true;
  });
  ATOLL_VALIDATE(header.unpacked_size >= 0 && header.packed_size >= 0 && header.definition_bytes >= 0 &&
                     header.repetition_bytes >= 0,
                 ValueError, "a page's head is broken");
  return header;
}

PackedNumbers::PackedNumbers(std::span<const std::byte> bytes, unsigned width) : bytes_(bytes), width_(width) {
  ATOLL_VALIDATE(width <= 32, ValueError, "packed numbers of {} bits", width);
}

void PackedNumbers::next_run() {
  if (packed_) at_ = std::min(bytes_.size(), at_ + (bit_ + 7) / 8);
  std::uint64_t head = 0;
  for (unsigned shift = 0;; shift += 7) {
    ATOLL_VALIDATE(at_ < bytes_.size() && shift < 35, ValueError, "packed numbers end too early");
    const auto byte = static_cast<std::uint64_t>(bytes_[at_++]);
    head |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  packed_ = (head & 1) != 0;
  bit_ = 0;
  if (packed_) {
    // The last group of a page may be cut where its numbers end.
    const std::size_t there =
        width_ == 0 ? static_cast<std::size_t>(head >> 1) * 8 : (bytes_.size() - at_) * 8 / width_;
    left_ = std::min(static_cast<std::size_t>(head >> 1) * 8, there);
    ATOLL_VALIDATE(left_ > 0 || head <= 1, ValueError, "packed numbers end too early");
    return;
  }
  left_ = static_cast<std::size_t>(head >> 1);
  const std::size_t bytes = (width_ + 7) / 8;
  ATOLL_VALIDATE(bytes_.size() - at_ >= bytes, ValueError, "packed numbers end too early");
  number_ = 0;
  for (std::size_t i = 0; i < bytes; ++i) number_ |= static_cast<std::uint32_t>(bytes_[at_ + i]) << (8 * i);
  at_ += bytes;
  ATOLL_VALIDATE((std::uint64_t{number_} >> width_) == 0, ValueError, "a packed number of {} bits is {}", width_,
                 number_);
}

void PackedNumbers::read(std::uint32_t* to, std::size_t count) {
  const std::uint64_t mask = (std::uint64_t{1} << width_) - 1;
  while (count > 0) {
    while (left_ == 0) next_run();
    const std::size_t some = std::min(count, left_);
    if (!packed_) {
      std::fill(to, to + some, number_);
    } else {
      std::size_t i = 0;
      if (std::endian::native == std::endian::little && width_ >= 1 && width_ <= unpack_small.size() && bit_ % 8 == 0 &&
          bytes_.size() - at_ >= bit_ / 8 + 16) {
        const std::size_t groups = std::min(some / 8, (bytes_.size() - at_ - bit_ / 8 - 16) / width_);
        unpack_small[width_ - 1](bytes_.data() + at_ + bit_ / 8, to, groups);
        i = groups * 8;
        bit_ += i * width_;
      }
      // A word that begins in a byte has 57 bits of it at least.
      const std::size_t of_a_word = width_ == 0 ? some : std::max<std::size_t>(57 / width_, 1);
      while (i < some) {
        const std::size_t from = at_ + (bit_ >> 3);
        std::uint64_t word = 0;
        if (bytes_.size() - from >= 8) {
          std::memcpy(&word, bytes_.data() + from, 8);
          if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
        } else {
          for (std::size_t k = 0; from + k < bytes_.size(); ++k)
            word |= static_cast<std::uint64_t>(bytes_[from + k]) << (8 * k);
        }
        word >>= bit_ & 7;
        const std::size_t end = std::min(some, i + of_a_word);
        bit_ += (end - i) * width_;
        for (; i < end; ++i, word >>= width_) to[i] = static_cast<std::uint32_t>(word & mask);
      }
    }
    to += some;
    count -= some;
    left_ -= some;
  }
}

void PackedNumbers::skip(std::size_t count) {
  while (count > 0) {
    while (left_ == 0) next_run();
    const std::size_t some = std::min(count, left_);
    if (packed_) bit_ += some * width_;
    left_ -= some;
    count -= some;
  }
}

bool PackedNumbers::skip_run(std::uint32_t number, std::size_t count) {
  if (count == 0) return true;
  while (left_ == 0) next_run();
  if (packed_ || number_ != number || left_ < count) return false;
  left_ -= count;
  return true;
}

}  // namespace atl::table

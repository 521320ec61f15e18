// SPDX-License-Identifier: Apache-2.0
// The pages of a Parquet column chunk, one behind the other: what numbers and strings have in common.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/parquet/chunk.hpp"
#include "atoll/table/kernel/parquet/page.hpp"
#include "atoll/table/kernel/parquet/snappy.hpp"

namespace atl::table::parquet {

inline constexpr std::int32_t plain = 0, plain_dictionary = 2, rle_dictionary = 8;
inline constexpr std::size_t block = 1024;  // dictionary indices that are unpacked at a time
inline constexpr std::size_t few = 256;  // the same where only some of them are wanted
inline constexpr std::size_t head_bytes =
    4096;  // of a page, which its head and the levels of a page without missing values hardly exceed

/// A page's values behind its levels, which of its rows have one, and which of them are wanted.
struct Page {
  std::int64_t first = 0;  // row of the chunk
  std::size_t begin = 0, end = 0;  // places of the wanted rows
  std::int64_t rows = 0, there = 0;
  std::int32_t encoding = 0;
  std::span<const std::byte> values;
  std::size_t values_at = 0, values_size = 0;  // where they lie as they are, where `values` has not been fetched
  const std::uint8_t* valid = nullptr;  // bits; null: all
};

/// Walks the pages of a chunk, unpacks them and reads their levels.
class Pages {
 public:
  Pages(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, const WantedRows& wanted)
      : memory_(memory), source_(source), chunk_(chunk), wanted_(wanted) {}

  /// The values of a page, fetched.
  std::span<const std::byte> values(const Page& page) {
    return page.values_size == 0 ? page.values : source_.view(page.values_at, page.values_size);
  }

  /// Calls `dictionary(count, values)` for a dictionary page and `data(page)` for others that have wanted rows, until
  /// all of these are there.
  template <class Dictionary, class Data>
  void visit(Dictionary&& dictionary, Data&& data) {
    visit_heads(dictionary, [&](const PageHeader& header, std::int64_t first, std::size_t body) {
      const std::size_t begin = wanted_.place(first), end = wanted_.place(first + header.values);
      if (begin == end && !wanted_.all()) return;
      Page page = page_of(header, body);
      page.first = first;
      page.begin = begin;
      page.end = end;
      ATOLL_VALIDATE(page.encoding == plain || page.encoding == plain_dictionary || page.encoding == rle_dictionary,
                     ValueError, "its encoding is {}", page.encoding);
      data(page);
    });
  }

  /// Calls `data(header, first row, place of the body)` instead, whose values are not fetched.
  template <class Dictionary, class Data>
  void visit_heads(Dictionary&& dictionary, Data&& data) {
    std::int64_t rows = 0;
    std::size_t at = 0;
    const std::int64_t count = wanted_.count(chunk_.rows);
    const std::int64_t end = wanted_.all() ? chunk_.rows
                             : count == 0  ? 0
                                           : wanted_.row(static_cast<std::size_t>(count) - 1) + 1;
    while (rows < end) {
      const std::size_t begin = at;
      try {
        const PageHeader header = read_header(at);
        const auto packed = static_cast<std::size_t>(header.packed_size);
        ATOLL_VALIDATE(packed <= source_.size() - at, ValueError, "it has {} bytes, of which {} are there", packed,
                       source_.size() - at);
        const std::size_t body = at;
        at += packed;
        if (header.type == PageHeader::Type::index) continue;
        if (header.type == PageHeader::Type::dictionary) {
          ATOLL_VALIDATE(header.values >= 0 && (header.encoding == plain || header.encoding == plain_dictionary),
                         ValueError, "its dictionary is of encoding {}", header.encoding);
          dictionary(header.values, unpacked(header, source_.view(body, packed)));
          continue;
        }
        ATOLL_VALIDATE(header.type == PageHeader::Type::data || header.type == PageHeader::Type::data_v2, ValueError,
                       "its type is {}", static_cast<int>(header.type));
        ATOLL_VALIDATE(header.values >= 0 && header.values <= chunk_.rows - rows, ValueError,
                       "it has {} values, {} are left", header.values, chunk_.rows - rows);
        data(header, rows, body);
        rows += header.values;
      } catch (const ValueError& error) {
        raise<ValueError>(fmt::format("page at byte {} of the column's: {}", begin, error.what()));
      }
    }
  }

 private:
  /// Statistics may make a header long.
  PageHeader read_header(std::size_t& at) {
    for (std::size_t window = head_bytes;; window *= 16) {
      const std::size_t left = source_.size() - at, some = std::min(window, left);
      std::size_t behind = 0;
      try {
        const PageHeader header = read_page_header(source_.view(at, some), behind);
        at += behind;
        return header;
      } catch (const ValueError&) {
        if (some == left) throw;
      }
    }
  }

  std::span<const std::byte> unpacked(const PageHeader& header, std::span<const std::byte> body) {
    if (chunk_.codec == ParquetChunk::Codec::none || !header.compressed) {
      ATOLL_VALIDATE(header.unpacked_size == header.packed_size, ValueError, "it has two sizes, {} and {}",
                     header.unpacked_size, header.packed_size);
      return body;
    }
    return unpacked(body, static_cast<std::size_t>(header.unpacked_size));
  }
  std::span<const std::byte> unpacked(std::span<const std::byte> body, std::size_t size) {
    // A byte of Snappy becomes 64 at most.
    ATOLL_VALIDATE(size / 64 <= body.size() && (size == 0 || snappy_size(body) == size), ValueError,
                   "its size is not {}", size);
    if (size == 0) return {};
    if (room_.size() < size) room_ = Buffer<std::byte>(memory_, size);
    unpack_snappy(body, {room_.data(), size});
    return {room_.data(), size};
  }

  Page page_of(const PageHeader& header, std::size_t at) {
    Page page;
    page.rows = page.there = header.values;
    page.encoding = header.encoding;
    const auto packed = static_cast<std::size_t>(header.packed_size);
    if (header.type == PageHeader::Type::data && chunk_.codec == ParquetChunk::Codec::none &&
        as_it_is(at, packed, page))
      return page;
    std::span<const std::byte> levels, body = source_.view(at, packed);
    if (header.type == PageHeader::Type::data) {
      page.values = unpacked(header, body);
      if (chunk_.optional) {
        const std::size_t size = level_bytes(page.values);
        ATOLL_VALIDATE(size <= page.values.size(), ValueError, "its levels have {} bytes of {}", size,
                       page.values.size());
        levels = page.values.subspan(4, size - 4);
        page.values = page.values.subspan(size);
      }
    } else {
      const auto definition = static_cast<std::size_t>(header.definition_bytes),
                 repetition = static_cast<std::size_t>(header.repetition_bytes);
      ATOLL_VALIDATE(definition + repetition <= body.size() &&
                         header.unpacked_size >= header.definition_bytes + header.repetition_bytes,
                     ValueError, "its levels are longer than it is");
      levels = body.subspan(repetition, definition);
      body = body.subspan(repetition + definition);
      const std::size_t size = static_cast<std::size_t>(header.unpacked_size) - definition - repetition;
      page.values = chunk_.codec == ParquetChunk::Codec::none || !header.compressed ? body : unpacked(body, size);
    }
    if (chunk_.optional) read_levels(levels, page);
    return page;
  }

  /// A page whose values lie in the file as they are, and all of which are there: they need not be fetched to be known.
  bool as_it_is(std::size_t at, std::size_t packed, Page& page) {
    std::size_t levels = 0;
    if (chunk_.optional) {
      const std::span<const std::byte> head = source_.view(at, std::min(packed, head_bytes));
      levels = level_bytes(head);
      if (levels > head.size()) return false;
      if (!PackedNumbers(head.subspan(4, levels - 4), 1).skip_run(1, static_cast<std::size_t>(page.rows))) return false;
    }
    page.values_at = at + levels;
    page.values_size = packed - levels;
    return true;
  }
  /// Of version 1: their size, in four bytes before them, and they. ValueError when that is not there.
  static std::size_t level_bytes(std::span<const std::byte> page) {
    std::uint32_t size = 0;
    ATOLL_VALIDATE(page.size() >= 4, ValueError, "its levels are not there");
    for (unsigned i = 0; i < 4; ++i) size |= static_cast<std::uint32_t>(page[i]) << (8 * i);
    return std::size_t{4} + size;
  }

  void read_levels(std::span<const std::byte> levels, Page& page) {
    PackedNumbers numbers(levels, 1);
    const auto rows = static_cast<std::size_t>(page.rows);
    if (numbers.skip_run(1, rows)) return;
    std::uint32_t some[block];
    valid_.assign((rows + 7) / 8, 0);
    page.there = 0;
    for (std::size_t at = 0; at < rows; at += block) {
      const std::size_t count = std::min(block, rows - at);
      numbers.read(some, count);
      for (std::size_t i = 0; i < count; ++i) {
        valid_[(at + i) / 8] = static_cast<std::uint8_t>(valid_[(at + i) / 8] | some[i] << ((at + i) % 8));
        page.there += some[i];
      }
    }
    if (page.there < page.rows) page.valid = valid_.data();
  }

  Memory& memory_;
  ChunkSource& source_;
  const ParquetChunk& chunk_;
  const WantedRows& wanted_;
  Buffer<std::byte> room_;
  std::vector<std::uint8_t> valid_;
};

inline PackedNumbers indices_of(const Page& page) {
  ATOLL_VALIDATE(!page.values.empty() || page.there == 0, ValueError, "it ends before its indices");
  if (page.values.empty()) return {page.values, 0};
  return {page.values.subspan(1), static_cast<unsigned>(page.values[0])};
}

inline void check_index(std::uint32_t index, std::size_t dictionary) {
  ATOLL_VALIDATE(index < dictionary, ValueError, "index {} of a dictionary of {}", index, dictionary);
}

/// Calls `take(position, index)` for the dictionary's indices of all values.
template <class Take>
void for_indices(const Page& page, std::size_t dictionary, Take&& take) {
  PackedNumbers numbers = indices_of(page);
  std::uint32_t some[block];
  const auto there = static_cast<std::size_t>(page.there);
  for (std::size_t at = 0; at < there; at += block) {
    const std::size_t count = std::min(block, there - at);
    numbers.read(some, count);
    std::uint32_t largest = 0;  // not max_element, which keeps a place and so is no vector loop
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, some[i]);
    check_index(largest, dictionary);
    for (std::size_t i = 0; i < count; ++i) take(at + i, some[i]);
  }
}

/// Calls `take(place, index)` for the wanted rows of a page in which nothing is missing; places begin with 0.
template <class Take>
void for_wanted_indices(const Page& page, const WantedRows& wanted, std::size_t dictionary, Take&& take) {
  PackedNumbers numbers = indices_of(page);
  std::uint32_t some[few];
  const auto there = static_cast<std::size_t>(page.there);
  auto row = [&](std::size_t place) { return static_cast<std::size_t>(wanted.row(place) - page.first); };
  for (std::size_t place = page.begin, passed = 0; place < page.end;) {
    const std::size_t begin = row(place) / few * few, count = std::min(few, there - begin);
    numbers.skip(begin - passed);
    numbers.read(some, count);
    passed = begin + count;
    for (; place < page.end && row(place) < passed; ++place) {
      const std::uint32_t index = some[row(place) - begin];
      check_index(index, dictionary);
      take(place - page.begin, index);
    }
  }
}

}  // namespace atl::table::parquet

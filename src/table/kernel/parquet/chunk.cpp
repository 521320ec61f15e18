// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/parquet/chunk.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/table/kernel/parquet/page.hpp"
#include "atoll/table/kernel/parquet/snappy.hpp"

namespace atl::table {
namespace {

constexpr std::int32_t plain = 0, plain_dictionary = 2, rle_dictionary = 8;
constexpr std::size_t block = 1024;  // dictionary indices that are unpacked at a time
constexpr std::size_t head_bytes = 4096;  // of a page, which its head and the levels of a page without missing values hardly exceed

/// A page's values behind its levels, and which of its rows have one.
struct Page {
  std::int64_t rows = 0, there = 0;
  std::int32_t encoding = 0;
  std::span<const std::byte> values;
  std::size_t values_at = 0, values_size = 0;  // where they lie as they are, where `values` has not been fetched
  const std::uint8_t* valid = nullptr;  // bits; null: all
};

/// Walks the pages of a chunk, unpacks them and reads their levels.
class Pages {
 public:
  Pages(Memory& memory, ChunkSource& source, const ParquetChunk& chunk) : memory_(memory), source_(source), chunk_(chunk) {}

  /// The values of a page, fetched.
  std::span<const std::byte> values(const Page& page) {
    return page.values_size == 0 ? page.values : source_.view(page.values_at, page.values_size);
  }

  /// Calls `dictionary(count, values)` for a dictionary page and `data(page)` for others, until all rows are there.
  template <class Dictionary, class Data>
  void visit(Dictionary&& dictionary, Data&& data) {
    std::int64_t rows = 0;
    std::size_t at = 0;
    while (rows < chunk_.rows) {
      const std::size_t begin = at;
      try {
        const PageHeader header = read_header(at);
        const auto packed = static_cast<std::size_t>(header.packed_size);
        ATOLL_VALIDATE(packed <= source_.size() - at, ValueError, "it has {} bytes, of which {} are there", packed, source_.size() - at);
        const std::size_t body = at;
        at += packed;
        if (header.type == PageHeader::Type::index) continue;
        if (header.type == PageHeader::Type::dictionary) {
          ATOLL_VALIDATE(header.values >= 0 && (header.encoding == plain || header.encoding == plain_dictionary), ValueError, "its dictionary is of encoding {}", header.encoding);
          dictionary(header.values, unpacked(header, source_.view(body, packed)));
          continue;
        }
        ATOLL_VALIDATE(header.type == PageHeader::Type::data || header.type == PageHeader::Type::data_v2, ValueError, "its type is {}", static_cast<int>(header.type));
        ATOLL_VALIDATE(header.values >= 0 && header.values <= chunk_.rows - rows, ValueError, "it has {} values, {} are left", header.values, chunk_.rows - rows);
        data(rows, page_of(header, body));
        rows += header.values;
      } catch (const ValueError& error) {
        throw ValueError(fmt::format("page at byte {} of the column's: {}", begin, error.what()));
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
      ATOLL_VALIDATE(header.unpacked_size == header.packed_size, ValueError, "it has two sizes, {} and {}", header.unpacked_size, header.packed_size);
      return body;
    }
    return unpacked(body, static_cast<std::size_t>(header.unpacked_size));
  }
  std::span<const std::byte> unpacked(std::span<const std::byte> body, std::size_t size) {
    // A byte of Snappy becomes 64 at most.
    ATOLL_VALIDATE(size / 64 <= body.size() && (size == 0 || snappy_size(body) == size), ValueError, "its size is not {}", size);
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
    if (header.type == PageHeader::Type::data && chunk_.codec == ParquetChunk::Codec::none && as_it_is(at, packed, page)) return page;
    std::span<const std::byte> levels, body = source_.view(at, packed);
    if (header.type == PageHeader::Type::data) {
      page.values = unpacked(header, body);
      if (chunk_.optional) {
        const std::size_t size = level_bytes(page.values);
        ATOLL_VALIDATE(size <= page.values.size(), ValueError, "its levels have {} bytes of {}", size, page.values.size());
        levels = page.values.subspan(4, size - 4);
        page.values = page.values.subspan(size);
      }
    } else {
      const auto definition = static_cast<std::size_t>(header.definition_bytes), repetition = static_cast<std::size_t>(header.repetition_bytes);
      ATOLL_VALIDATE(definition + repetition <= body.size() && header.unpacked_size >= header.definition_bytes + header.repetition_bytes, ValueError, "its levels are longer than it is");
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
  Buffer<std::byte> room_;
  std::vector<std::uint8_t> valid_;
};

PackedNumbers indices_of(const Page& page) {
  ATOLL_VALIDATE(!page.values.empty() || page.there == 0, ValueError, "it ends before its indices");
  if (page.values.empty()) return {page.values, 0};
  return {page.values.subspan(1), static_cast<unsigned>(page.values[0])};
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
    const std::uint32_t largest = *std::max_element(some, some + count);
    ATOLL_VALIDATE(largest < dictionary, ValueError, "index {} of a dictionary of {}", largest, dictionary);
    for (std::size_t i = 0; i < count; ++i) take(at + i, some[i]);
  }
}

void check_encoding(const Page& page) {
  ATOLL_VALIDATE(page.encoding == plain || page.encoding == plain_dictionary || page.encoding == rle_dictionary, ValueError, "its encoding is {}", page.encoding);
}

template <class T>
void decode_as(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, NumbersSink& sink) {
  std::vector<T> dictionary, values;
  Pages pages(memory, source, chunk);
  pages.visit(
      [&](std::int32_t count, std::span<const std::byte> from) {
        ATOLL_VALIDATE(from.size() / sizeof(T) >= static_cast<std::size_t>(count), ValueError, "a dictionary of {} values has {} bytes", count, from.size());
        dictionary.resize(static_cast<std::size_t>(count));
        if (count > 0) std::memcpy(dictionary.data(), from.data(), dictionary.size() * sizeof(T));
      },
      [&](std::int64_t first, Page page) {
        check_encoding(page);
        const auto there = static_cast<std::size_t>(page.there);
        std::byte* room = page.valid == nullptr ? sink.room(first, page.rows) : nullptr;
        if (page.encoding == plain && page.values_size >= there * sizeof(T) && room != nullptr) {
          source.copy(page.values_at, {room, there * sizeof(T)});
          sink.put(first, page.rows, room, nullptr);
          return;
        }
        page.values = pages.values(page);
        const std::byte* found = page.values.data();
        if (page.encoding == plain) {
          ATOLL_VALIDATE(page.values.size() / sizeof(T) >= there, ValueError, "{} values have {} bytes", there, page.values.size());
        } else {
          if (room == nullptr) values.resize(static_cast<std::size_t>(page.rows));
          T* to = room == nullptr ? values.data() : reinterpret_cast<T*>(room);
          for_indices(page, dictionary.size(), [&](std::size_t i, std::uint32_t index) { to[i] = dictionary[index]; });
          found = reinterpret_cast<const std::byte*>(to);
        }
        if (page.valid != nullptr) {
          // From the end, so that what moves does not meet what has still to move.
          values.resize(static_cast<std::size_t>(page.rows));
          if (page.encoding == plain && there > 0) std::memcpy(values.data(), found, there * sizeof(T));
          std::size_t from = there;
          for (auto i = static_cast<std::size_t>(page.rows); i-- > 0;)
            values[i] = (page.valid[i >> 3] >> (i & 7) & 1) != 0 ? values[--from] : T{};
          found = reinterpret_cast<const std::byte*>(values.data());
        }
        sink.put(first, page.rows, found, page.valid);
      });
}

/// Calls `take(text)` for texts that follow one another, each behind its length.
template <class Take>
void for_texts(std::span<const std::byte> from, std::size_t count, Take&& take) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t size = 0;
    ATOLL_VALIDATE(from.size() - at >= 4, ValueError, "text {} of {} is not there", i, count);
    std::memcpy(&size, from.data() + at, 4);
    if constexpr (std::endian::native == std::endian::big) size = __builtin_bswap32(size);
    at += 4;
    ATOLL_VALIDATE(size <= from.size() - at, ValueError, "text {} has {} bytes, of which {} are there", i, size, from.size() - at);
    take(std::string_view(reinterpret_cast<const char*>(from.data()) + at, size));
    at += size;
  }
}

}  // namespace

void decode_numbers(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, NumbersSink& sink) {
  using Physical = ParquetChunk::Physical;
  // Bits are bits: numbers of one width are decoded alike.
  if (chunk.physical == Physical::i32 || chunk.physical == Physical::f32) decode_as<std::uint32_t>(memory, source, chunk, sink);
  else decode_as<std::uint64_t>(memory, source, chunk, sink);
}

ParquetTexts decode_texts(Memory& memory, ChunkSource& source, const ParquetChunk& chunk) {
  ParquetTexts texts{Buffer<std::int64_t>(memory, static_cast<std::size_t>(chunk.rows) + 1), Buffer<char>(memory, 2 * source.size() + 64), {}};
  std::int64_t* offsets = texts.offsets.data();
  *offsets = 0;
  std::size_t size = 0;
  auto append = [&](std::string_view text) {
    if (texts.bytes.size() - size < text.size()) {
      Buffer<char> larger(memory, 2 * (size + text.size()));
      std::memcpy(larger.data(), texts.bytes.data(), size);
      texts.bytes = std::move(larger);
    }
    // Blocks have room behind their ends, and so has what pages lie in.
    if (text.size() <= 16) std::memcpy(texts.bytes.data() + size, text.data(), 16);
    else std::memcpy(texts.bytes.data() + size, text.data(), text.size());
    size += text.size();
    *++offsets = static_cast<std::int64_t>(size);
  };
  std::vector<char> words;
  std::vector<std::size_t> borders{0};
  Pages pages(memory, source, chunk);
  pages.visit(
      [&](std::int32_t count, std::span<const std::byte> from) {
        words.clear();
        borders.assign(1, 0);
        for_texts(from, static_cast<std::size_t>(count), [&](std::string_view text) {
          words.insert(words.end(), text.begin(), text.end());
          borders.push_back(words.size());
        });
        words.resize(words.size() + 16);
      },
      [&](std::int64_t first, Page page) {
        check_encoding(page);
        page.values = pages.values(page);
        const auto rows = static_cast<std::size_t>(page.rows), begin = static_cast<std::size_t>(first);
        if (page.valid == nullptr) {
          if (page.encoding == plain) for_texts(page.values, rows, append);
          else for_indices(page, borders.size() - 1, [&](std::size_t, std::uint32_t index) { append({words.data() + borders[index], borders[index + 1] - borders[index]}); });
          return;
        }
        if (texts.valid.empty()) texts.valid.assign((static_cast<std::size_t>(chunk.rows) + 7) / 8, 0xff);
        std::size_t row = 0;
        auto pass_missing = [&] {
          for (; row < rows && (page.valid[row >> 3] >> (row & 7) & 1) == 0; ++row) {
            texts.valid[(begin + row) >> 3] &= static_cast<std::uint8_t>(~(1u << ((begin + row) & 7)));
            *++offsets = static_cast<std::int64_t>(size);
          }
        };
        auto take = [&](std::string_view text) {
          pass_missing();
          append(text);
          ++row;
        };
        if (page.encoding == plain) for_texts(page.values, static_cast<std::size_t>(page.there), take);
        else for_indices(page, borders.size() - 1, [&](std::size_t, std::uint32_t index) { take({words.data() + borders[index], borders[index + 1] - borders[index]}); });
        pass_missing();
      });
  return texts;
}

}  // namespace atl::table

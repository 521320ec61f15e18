// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <string_view>

#include "atoll/base/validate.hpp"
#include "kernel/parquet/pages.hpp"

namespace atl::table {
namespace {

using namespace parquet;

/// Calls `take(text)` for strings that follow one another, each behind its length.
template <class Take>
void for_texts(std::span<const std::byte> from, std::size_t count, Take&& take) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t size = 0;
    ATOLL_VALIDATE(from.size() - at >= 4, ValueError, "text {} of {} is not there", i, count);
    std::memcpy(&size, from.data() + at, 4);
    if constexpr (std::endian::native == std::endian::big) size = __builtin_bswap32(size);
    at += 4;
    ATOLL_VALIDATE(size <= from.size() - at, ValueError, "text {} has {} bytes, of which {} are there", i, size,
                   from.size() - at);
    take(std::string_view(reinterpret_cast<const char*>(from.data()) + at, size));
    at += size;
  }
}

/// The words of a dictionary page.
class Words {
 public:
  void read(std::size_t count, std::span<const std::byte> from) {
    bytes_.clear();
    borders_.assign(1, 0);
    for_texts(from, count, [&](std::string_view text) {
      bytes_.insert(bytes_.end(), text.begin(), text.end());
      borders_.push_back(bytes_.size());
    });
    bytes_.resize(bytes_.size() + 16);  // copies of short ones take 16
  }
  std::size_t size() const { return borders_.size() - 1; }
  std::string_view operator[](std::size_t index) const {
    return {bytes_.data() + borders_[index], borders_[index + 1] - borders_[index]};
  }

 private:
  std::vector<char> bytes_;
  std::vector<std::size_t> borders_{0};
};

/// Strings that become more.
class Texts {
 public:
  Texts(Memory& memory, std::size_t rows, std::size_t bytes)
      : memory_(memory),
        rows_(rows),
        found_{Buffer<std::int64_t>(memory, rows + 1), Buffer<char>(memory, bytes + 64), {}},
        next_(found_.offsets.data()) {
    *next_ = 0;
  }

  void add(std::string_view text) {
    if (found_.bytes.size() - size_ < text.size()) {
      Buffer<char> larger(memory_, 2 * (size_ + text.size()));
      std::memcpy(larger.data(), found_.bytes.data(), size_);
      found_.bytes = std::move(larger);
    }
    // Blocks have room behind their ends, and so has what pages lie in.
    if (text.size() <= 16) std::memcpy(found_.bytes.data() + size_, text.data(), 16);
    else std::memcpy(found_.bytes.data() + size_, text.data(), text.size());
    size_ += text.size();
    *++next_ = static_cast<std::int64_t>(size_);
  }
  void add_missing() {
    const auto row = static_cast<std::size_t>(next_ - found_.offsets.data());
    if (found_.valid.empty()) found_.valid.assign((rows_ + 7) / 8, 0xff);
    found_.valid[row >> 3] = static_cast<std::uint8_t>(found_.valid[row >> 3] & ~(1u << (row & 7)));
    *++next_ = static_cast<std::int64_t>(size_);
  }
  ParquetTexts take() { return std::move(found_); }

 private:
  Memory& memory_;
  std::size_t rows_;
  ParquetTexts found_;
  std::int64_t* next_;
  std::size_t size_ = 0;
};

}  // namespace

ParquetTexts decode_texts(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, const WantedRows& wanted) {
  wanted.check(chunk.rows);
  const auto count = static_cast<std::size_t>(wanted.count(chunk.rows));
  const std::size_t share = chunk.rows == 0 ? 0 : source.size() / static_cast<std::size_t>(chunk.rows) + 1;
  Texts texts(memory, count, wanted.all() ? 2 * source.size() : 2 * count * share);
  Words words;
  Pages pages(memory, source, chunk, wanted);
  pages.visit(
      [&](std::int32_t size, std::span<const std::byte> from) { words.read(static_cast<std::size_t>(size), from); },
      [&](Page page) {
        page.values = pages.values(page);
        const auto rows = static_cast<std::size_t>(page.rows);
        if (page.valid == nullptr && wanted.all()) {
          if (page.encoding == plain) for_texts(page.values, rows, [&](std::string_view text) { texts.add(text); });
          else for_indices(page, words.size(), [&](std::size_t, std::uint32_t index) { texts.add(words[index]); });
          return;
        }
        if (page.valid == nullptr && page.encoding != plain) {
          for_wanted_indices(page, wanted, words.size(),
                             [&](std::size_t, std::uint32_t index) { texts.add(words[index]); });
          return;
        }
        std::size_t row = 0, place = page.begin;
                /// How often the row is wanted.
        auto times = [&] {
          if (wanted.all()) return std::size_t{1};
          const std::size_t before = place;
          while (place < page.end && static_cast<std::size_t>(wanted.row(place) - page.first) == row) ++place;
          return place - before;
        };
        auto pass_missing = [&] {
          for (; row < rows && page.valid != nullptr && (page.valid[row >> 3] >> (row & 7) & 1) == 0; ++row)
            for (std::size_t left = times(); left > 0; --left) texts.add_missing();
        };
        auto take = [&](std::string_view text) {
          pass_missing();
          for (std::size_t left = times(); left > 0; --left) texts.add(text);
          ++row;
        };
        if (page.encoding == plain) for_texts(page.values, static_cast<std::size_t>(page.there), take);
        else for_indices(page, words.size(), [&](std::size_t, std::uint32_t index) { take(words[index]); });
        pass_missing();
      });
  return texts.take();
}

std::optional<std::vector<std::string>> read_words(Memory& memory, ChunkSource& source, const ParquetChunk& chunk) {
  std::vector<std::string> found;
  bool all = true;
  const WantedRows wanted;
  Pages pages(memory, source, chunk, wanted);
  pages.visit_heads(
      [&](std::int32_t count, std::span<const std::byte> from) {
        found.clear();
        for_texts(from, static_cast<std::size_t>(count), [&](std::string_view text) { found.emplace_back(text); });
      },
      [&](const PageHeader& header, std::int64_t, std::size_t) {
        all = all && (header.encoding == plain_dictionary || header.encoding == rle_dictionary);
      });
  if (!all) return std::nullopt;
  return found;
}

}  // namespace atl::table

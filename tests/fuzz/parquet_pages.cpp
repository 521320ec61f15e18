// SPDX-License-Identifier: Apache-2.0
// The pages of a Parquet column chunk: headers, levels, dictionaries, Snappy, numbers, texts and codes.
#include <numeric>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/memory.hpp"
#include "atoll/table/kernel/parquet/chunk.hpp"
#include "target.hpp"

namespace {

using namespace atl::table;
using atl::fuzz::expect;

/// A window of its own for each view, so that reads behind the 16 bytes that are promised are found.
class Source final : public ChunkSource {
 public:
  Source(atl::Memory& memory, std::span<const std::byte> bytes) : memory_(memory), bytes_(bytes) {}
  std::size_t size() const override { return bytes_.size(); }
  std::span<const std::byte> view(std::size_t at, std::size_t count) override {
    expect(at <= bytes_.size() && count <= bytes_.size() - at, "a view is inside the chunk");
    window_ = atl::Buffer<std::byte>(memory_, count + 16);
    std::copy_n(bytes_.data() + at, count, window_.data());
    return {window_.data(), count};
  }
  void copy(std::size_t at, std::span<std::byte> to) override {
    expect(at <= bytes_.size() && to.size() <= bytes_.size() - at, "a copy is inside the chunk");
    std::copy_n(bytes_.data() + at, to.size(), to.data());
  }

 private:
  atl::Memory& memory_;
  std::span<const std::byte> bytes_;
  atl::Buffer<std::byte> window_;
};

class Sink final : public NumbersSink {
 public:
  Sink(std::int64_t rows, std::size_t width, bool with_room)
      : rows_(rows), width_(width), with_room_(with_room), room_(static_cast<std::size_t>(rows) * width) {}
  std::byte* room(std::int64_t first, std::int64_t rows) override {
    check(first, rows);
    return with_room_ ? room_.data() + static_cast<std::size_t>(first) * width_ : nullptr;
  }
  void put(std::int64_t first, std::int64_t rows, const std::byte* values, const std::uint8_t* valid) override {
    check(first, rows);
    const std::size_t count = static_cast<std::size_t>(rows);
    for (std::size_t i = 0; i < count * width_; ++i) sum_ = sum_ + static_cast<unsigned>(values[i]);
    for (std::size_t i = 0; valid != nullptr && i < (count + 7) / 8; ++i) sum_ = sum_ + valid[i];
  }

 private:
  void check(std::int64_t first, std::int64_t rows) const {
    expect(first >= 0 && rows >= 0 && first + rows <= rows_, "rows are rows of the chunk");
  }

  std::int64_t rows_;
  std::size_t width_;
  bool with_room_;
  std::vector<std::byte> room_;
  volatile std::uint64_t sum_ = 0;
};

}  // namespace

ATOLL_FUZZ(parquet_pages) {
  atl::fuzz::Input input(bytes);
  const unsigned what = input.byte(), how = input.byte();
  ParquetChunk chunk;
  chunk.physical = static_cast<ParquetChunk::Physical>(what % 5);
  chunk.codec = how & 1 ? ParquetChunk::Codec::snappy : ParquetChunk::Codec::none;
  chunk.optional = (how & 2) != 0;
  chunk.rows = input.below(5000);
  std::vector<std::int64_t> some;
  for (std::int64_t row = what / 5 % 7; row < chunk.rows; row += 1 + what / 40) some.push_back(row);
  const WantedRows wanted = how & 4 ? WantedRows(some, 0) : WantedRows();
  const std::int64_t count = wanted.count(chunk.rows);
  const std::vector<std::int64_t> codes(1 + what % 100, 3);
  atl::SystemMemory memory;
  Source source(memory, std::as_bytes(input.rest()));
  try {
    if (chunk.physical != ParquetChunk::Physical::text) {
      const bool narrow =
          chunk.physical == ParquetChunk::Physical::i32 || chunk.physical == ParquetChunk::Physical::f32;
      NumbersForm form;
      form.widened = (how & 8) != 0 && chunk.physical == ParquetChunk::Physical::i32;
      form.divisor = (how & 16) != 0 && !form.widened && chunk.physical <= ParquetChunk::Physical::i64 ? 100 : 0;
      Sink sink(count, narrow && !form.widened && form.divisor == 0 ? 4 : 8, (how & 32) != 0);
      return decode_numbers(memory, source, chunk, sink, wanted, form);
    }
    if (how & 8) {
      (void)read_words(memory, source, chunk);
    } else if (how & 16) {
      const std::size_t width = how & 64 ? 4 : how & 32 ? 2 : 1;
      Sink sink(count, width, (how & 128) != 0);
      decode_codes(memory, source, chunk, sink, wanted, codes, width);
    } else {
      const ParquetTexts texts = decode_texts(memory, source, chunk, wanted);
      for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row)
        expect(texts.offsets[row] >= 0 && texts.offsets[row] <= texts.offsets[row + 1], "offsets ascend");
      expect(static_cast<std::size_t>(texts.offsets[static_cast<std::size_t>(count)]) <= texts.bytes.size(),
             "texts end inside their bytes");
    }
  } catch (const atl::ValueError&) {}
}

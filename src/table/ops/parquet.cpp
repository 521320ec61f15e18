// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/parquet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "ops/file.hpp"

namespace atl::table {
namespace {

/// A chunk in a file, of which a window is in memory: pages fit into the cache.
class FileChunk final : public ChunkSource {
 public:
  FileChunk(Memory& memory, const File& file, const ChunkPlace& place) : memory_(memory), file_(file), place_(place) {}

  std::size_t size() const override { return static_cast<std::size_t>(place_.bytes); }
  std::span<const std::byte> view(std::size_t at, std::size_t count) override {
    if (at < begin_ || at + count > end_) {
      const std::size_t wanted = count <= small_bytes ? std::min(small_bytes, size() - at) : count;
      if (window_.size() < wanted) window_ = Buffer<std::byte>(memory_, std::max(wanted, window_bytes));
      file_.read(window_.data(), static_cast<std::int64_t>(wanted), place_.offset + static_cast<std::int64_t>(at));
      begin_ = at;
      end_ = at + wanted;
    }
    return {window_.data() + (at - begin_), count};
  }
  void copy(std::size_t at, std::span<std::byte> to) override {
    file_.read(to.data(), static_cast<std::int64_t>(to.size()), place_.offset + static_cast<std::int64_t>(at));
  }

 private:
  static constexpr std::size_t small_bytes = 8 << 10;     // at least so much is read
  static constexpr std::size_t window_bytes = 1 << 20;  // a page, as most programs write them

  Memory& memory_;
  const File& file_;
  const ChunkPlace& place_;
  Buffer<std::byte> window_;
  std::size_t begin_ = 0, end_ = 0;
};

/// Rows of a column of a Landing, from one of them on.
class Rows final : public NumbersSink {
 public:
  Rows(Landing& landing, std::size_t column, std::int64_t row) : landing_(landing), column_(column), row_(row) {}

  std::byte* room(std::int64_t first, std::int64_t rows) override { return landing_.room(column_, row_ + first, rows); }
  void put(std::int64_t first, std::int64_t rows, const std::byte* values, const std::uint8_t* valid) override {
    Chunk some;
    some.rows = rows;
    some.values = values;
    some.valid = valid;
    landing_.add(column_, row_ + first, std::move(some));
  }

 private:
  Landing& landing_;
  std::size_t column_;
  std::int64_t row_;
};

/// A file that is open, and a chunk of it that is all there.
class Opened {
 public:
  Opened(Memory& memory, const ChunkPlace& place, const ParquetChunk& chunk)
      : file_(place.file), source_(memory, file_, place) {
    const std::int64_t size = file_.size();
    ATOLL_VALIDATE(place.offset >= 0 && place.bytes >= 0 && place.offset <= size &&
                       place.bytes <= size - place.offset && chunk.rows >= 0,
                   ValueError, "a column of {} bytes from byte {} in a file of {}", place.bytes, place.offset, size);
  }
  ChunkSource& source() { return source_; }

 private:
  File file_;
  FileChunk source_;
};

void land(Memory& memory, Landing& landing, const ParquetPart& part) {
  Opened opened(memory, part.place, part.chunk);
  Rows rows(landing, part.column, part.row);
  const DType kind = landing.kind(part.column).dtype;
  if (part.codes)
    return decode_codes(memory, opened.source(), part.chunk, rows, part.wanted, *part.codes, array::size_of(kind));
  if (part.chunk.physical != ParquetChunk::Physical::text) {
    const bool widened = part.chunk.physical == ParquetChunk::Physical::i32 && kind == array::DType::i64;
    return decode_numbers(memory, opened.source(), part.chunk, rows, part.wanted, {widened, part.divisor});
  }
  auto texts = std::make_shared<ParquetTexts>(decode_texts(memory, opened.source(), part.chunk, part.wanted));
  Chunk all;
  all.form = Chunk::Form::text64;
  all.rows = part.wanted.count(part.chunk.rows);
  all.values = texts->bytes.data();
  all.offsets = texts->offsets.data();
  if (!texts->valid.empty()) all.valid = texts->valid.data();
  all.owner = std::move(texts);
  landing.add(part.column, part.row, std::move(all));
}

/// Calls `body(part)` on all threads, and says of what fails which part it is.
template <class Body>
void for_parts(array::Engine& engine, std::span<const ParquetPart> parts, Body&& body) {
  array::Polling(engine.work()).for_each_dynamic(parts.size(), [&](std::size_t i, unsigned) {
    try {
      body(i);
    } catch (const ValueError& error) {
      raise<ValueError>(fmt::format("cannot read {}: {}", parts[i].name, error.what()));
    }
  });
}

}  // namespace

void land_parquet(array::Engine& engine, Landing& landing, std::span<const ParquetPart> parts) {
  ATOLL_VALIDATE(landing.knows_rows(), Error, "chunks are landed where rows are known");
  for_parts(engine, parts, [&](std::size_t i) { land(engine.memory(), landing, parts[i]); });
}

std::vector<std::optional<std::vector<std::string>>> parquet_words(array::Engine& engine,
                                                                   std::span<const ParquetPart> parts) {
  std::vector<std::optional<std::vector<std::string>>> found(parts.size());
  for_parts(engine, parts, [&](std::size_t i) {
    Opened opened(engine.memory(), parts[i].place, parts[i].chunk);
    found[i] = read_words(engine.memory(), opened.source(), parts[i].chunk);
  });
  return found;
}

}  // namespace atl::table

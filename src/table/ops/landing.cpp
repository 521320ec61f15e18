// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/landing.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/checked.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/text/utf8.hpp"
#include "atoll/table/ops/text.hpp"

namespace atl::table {
namespace {

constexpr std::int64_t piece_rows = 1 << 18;  // 2 MiB of float64: worth a thread

bool bit(const std::uint8_t* bits, std::int64_t at) { return (bits[at >> 3] >> (at & 7) & 1) != 0; }

/// Bits [first, first + count) as bools.
void spread_bits(const std::uint8_t* bits, std::int64_t first, std::int64_t count, bool* to) {
  std::int64_t i = 0;
  for (; i < count && ((first + i) & 7) != 0; ++i) to[i] = bit(bits, first + i);
  for (; i + 8 <= count; i += 8) {
    // Each byte of the product has one of the eight bits at its place; the mask leaves that, the last step makes it 1.
    const std::uint64_t chosen = bits[(first + i) >> 3] * 0x0101010101010101u & 0x8040201008040201u;
    const std::uint64_t bools = ((chosen + 0x7f7f7f7f7f7f7f7fu) | chosen) >> 7 & 0x0101010101010101u;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(to + i, &bools, 8);
    } else {
      for (int k = 0; k < 8; ++k) to[i + k] = (bools >> (8 * k) & 1) != 0;
    }
  }
  for (; i < count; ++i) to[i] = bit(bits, first + i);
}

bool any_missing(const Chunk& chunk) {
  if (chunk.valid == nullptr) return false;
  for (std::int64_t i = 0; i < chunk.rows; ++i) {
    const std::int64_t at = chunk.first_valid + i;
    if ((at & 7) == 0 && i + 8 <= chunk.rows && chunk.valid[at >> 3] == 0xff) i += 7;
    else if (!bit(chunk.valid, at)) return true;
  }
  return false;
}

/// Calls `visit(begin, end)` for the runs of missing rows among [begin, end).
template <class Visit>
void for_missing(const Chunk& chunk, std::int64_t begin, std::int64_t end, Visit&& visit) {
  if (chunk.valid == nullptr) return;
  for (std::int64_t i = begin; i < end; ++i) {
    if (bit(chunk.valid, chunk.first_valid + i)) continue;
    const std::int64_t first = i;
    while (i < end && !bit(chunk.valid, chunk.first_valid + i)) ++i;
    visit(first, i);
  }
}

template <class Offset>
struct TextChunk {
  const Offset* offsets;
  const char* bytes;

  explicit TextChunk(const Chunk& chunk)
      : offsets(static_cast<const Offset*>(chunk.offsets)), bytes(static_cast<const char*>(chunk.values)) {}
  std::int64_t size(std::int64_t begin, std::int64_t end) const { return offsets[end] - offsets[begin]; }
};

template <class F>
auto with_texts(const Chunk& chunk, F&& f) {
  if (chunk.form == Chunk::Form::text32) return f(TextChunk<std::int32_t>(chunk));
  return f(TextChunk<std::int64_t>(chunk));
}

/// Bytes that the strings take that are there.
std::int64_t text_size(const Chunk& chunk) {
  return with_texts(chunk, [&](const auto& texts) {
    std::int64_t size = texts.size(0, chunk.rows);
    for_missing(chunk, 0, chunk.rows, [&](std::int64_t begin, std::int64_t end) { size -= texts.size(begin, end); });
    return size;
  });
}

/// The offsets behind the first one, which is `base`, and the bytes.
void copy_texts(const Chunk& chunk, std::int64_t base, std::int64_t* offsets, char* to) {
  with_texts(chunk, [&](const auto& texts) {
    std::int64_t at = 0;
    auto copy = [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t size = texts.size(begin, end), shift = base - texts.offsets[begin];
      for (std::int64_t i = begin + 1; i <= end; ++i) offsets[i] = texts.offsets[i] + shift;
      if (size > 0) std::memcpy(to + base, texts.bytes + texts.offsets[begin], static_cast<std::size_t>(size));
      base += size;
    };
    for_missing(chunk, 0, chunk.rows, [&](std::int64_t begin, std::int64_t end) {
      copy(at, begin);
      std::fill(offsets + begin + 1, offsets + end + 1, base);
      at = end;
    });
    copy(at, chunk.rows);
  });
}

}  // namespace

Landing::Landing(Engine& engine, std::vector<LandingColumn> columns, std::vector<std::int64_t> rows)
    : engine_(engine), known_(!rows.empty()) {
  for (const LandingColumn& kind : columns) columns_.push_back({kind, nullptr, nullptr, {}, 0});
  if (!known_) return;
  ATOLL_VALIDATE(rows.size() == engine.npes(), ValueError, "{} numbers of rows for {} PEs", rows.size(), engine.npes());
  rows_ = rows[engine.pe()];
  first_ = checked_sum(rows.begin(), rows.begin() + engine.pe());
  total_ = checked_sum(rows.begin(), rows.end());
  for (Column& column : columns_)
    if (!column.kind.text) make_values(column);
}

void Landing::make_values(Column& column) {
  column.values = engine_.make(column.kind.dtype, array::Shape{total_});
  column.open = std::make_unique<array::OpenBlocks>(engine_, *column.values);
}

void Landing::write(const array::OpenBlocks& blocks, std::int64_t first, const Chunk& chunk, std::int64_t begin,
                    std::int64_t end) const {
  const std::size_t size = blocks.row_bytes();
  blocks.write_pieces(first + begin, first + end, [&](std::int64_t from, std::int64_t to, std::byte* target) {
    from -= first;
    to -= first;
    if (chunk.form == Chunk::Form::bits) {
      spread_bits(static_cast<const std::uint8_t*>(chunk.values), chunk.first_bit + from, to - from,
                  reinterpret_cast<bool*>(target));
    } else if (const std::byte* source =
                   static_cast<const std::byte*>(chunk.values) + static_cast<std::size_t>(from) * size;
               source != target) {
      std::memcpy(target, source, static_cast<std::size_t>(to - from) * size);
    }
    for_missing(chunk, from, to, [&](std::int64_t gap, std::int64_t stop) {
      std::memset(target + static_cast<std::size_t>(gap - from) * size, 0, static_cast<std::size_t>(stop - gap) * size);
    });
  });
}

std::byte* Landing::room(std::size_t index, std::int64_t place, std::int64_t rows) const {
  const Column& column = columns_[index];
  const std::int64_t begin = first_ + place;
  if (column.open == nullptr || rows == 0 || place < 0 || place + rows > rows_) return nullptr;
  const array::Distribution& distribution = column.open->distribution();
  const std::uint32_t owner = distribution.owner(begin);
  if (owner != distribution.owner(begin + rows - 1) || !column.open->reach().maps(owner)) return nullptr;
  return column.open->row(begin);
}

void Landing::add(std::size_t index, std::int64_t place, Chunk chunk) {
  ATOLL_VALIDATE(index < columns_.size(), IndexError, "no column {}", index);
  Column& column = columns_[index];
  const bool text = chunk.form == Chunk::Form::text32 || chunk.form == Chunk::Form::text64;
  ATOLL_VALIDATE(text == column.kind.text, TypeError, "column {} is {}", index, text ? "no text" : "text");
  if (!any_missing(chunk)) chunk.valid = nullptr;
  Placed placed{place, std::move(chunk), {}};
  const std::int64_t count = placed.chunk.rows;
  if (known_)
    ATOLL_VALIDATE(place >= 0 && place + count <= rows_, ValueError, "rows {} to {} of {}", place, place + count,
                   rows_);
  if (known_ && !text) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (engine_.spans_nodes()) lock.lock();  // staging memory is one
    write(*column.open, first_ + place, placed.chunk, 0, count);
    Chunk& kept = placed.chunk;
    kept.values = nullptr;
    if (kept.valid != nullptr) {
      const std::int64_t begin = kept.first_valid >> 3, end = (kept.first_valid + count + 7) >> 3;
      placed.valid.assign(kept.valid + begin, kept.valid + end);
      kept.valid = placed.valid.data();
      kept.first_valid &= 7;
    }
    kept.owner.reset();
  }
  std::lock_guard lock(mutex_);
  column.rows += count;
  column.chunks.push_back(std::move(placed));
}

/// Calls `body(chunk, begin, end)` for pieces of all chunks: on all threads, where they can reach the other PEs.
/// Collective.
void Landing::for_pieces(const Column& column,
                         const std::function<void(std::size_t, std::int64_t, std::int64_t)>& body) {
  struct Piece {
    std::size_t chunk;
    std::int64_t begin, end;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < column.chunks.size(); ++i)
    for (std::int64_t begin = 0, rows = column.chunks[i].chunk.rows; begin < rows; begin += piece_rows)
      pieces.push_back({i, begin, std::min(rows, begin + piece_rows)});
  engine_.together([&] {
    if (engine_.spans_nodes()) {
      for (const Piece& piece : pieces) body(piece.chunk, piece.begin, piece.end);
    } else {
      array::Polling(engine_.work()).for_each_dynamic(pieces.size(), [&](std::size_t i, unsigned) {
        body(pieces[i].chunk, pieces[i].begin, pieces[i].end);
      });
    }
  });
}

void Landing::agree_on_rows() {
  for (Column& column : columns_)
    std::stable_sort(column.chunks.begin(), column.chunks.end(),
                     [](const Placed& a, const Placed& b) { return a.place < b.place; });
  engine_.together([&] {
    const std::int64_t wanted = known_ || columns_.empty() ? rows_ : columns_[0].rows;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      ATOLL_VALIDATE(columns_[i].rows == wanted, ValueError, "column {} has {} rows, {} are expected", i,
                     columns_[i].rows, wanted);
  });
  if (known_) return;
  rows_ = columns_.empty() ? 0 : columns_[0].rows;
  const auto counts = engine_.allgather_value(rows_);
  first_ = checked_sum(counts.begin(), counts.begin() + engine_.pe());
  total_ = checked_sum(counts.begin(), counts.end());
}

std::vector<Array> Landing::finish() {
  agree_on_rows();
  std::vector<Array> results;
  for (Column& column : columns_) {
    if (column.kind.text) {
      Text text = make_texts(column);
      results.push_back(std::move(text.offsets));
      results.push_back(std::move(text.bytes));
    } else {
      if (!known_) {
        make_values(column);
        std::vector<std::int64_t> firsts{first_};
        for (const Placed& placed : column.chunks) firsts.push_back(firsts.back() + placed.chunk.rows);
        for_pieces(column, [&](std::size_t i, std::int64_t begin, std::int64_t end) {
          write(*column.open, firsts[i], column.chunks[i].chunk, begin, end);
        });
      }
      column.open->close();
      results.push_back(std::move(column.values));
    }
    results.push_back(make_valid(column));
    column.chunks.clear();
  }
  return results;
}

void Landing::give_up() {
  for (Column& column : columns_)
    if (column.open) column.open->close();
}

Array Landing::make_valid(Column& column) {
  const bool mine = std::any_of(column.chunks.begin(), column.chunks.end(),
                                [](const Placed& placed) { return placed.chunk.valid != nullptr; });
  const auto missing = engine_.allgather_value<std::uint8_t>(mine);
  if (std::count(missing.begin(), missing.end(), 1) == 0) return nullptr;
  Array valid = engine_.make(DType::b1, array::Shape{total_});
  array::OpenBlocks blocks(engine_, *valid);
  std::vector<std::int64_t> firsts{first_};
  for (const Placed& placed : column.chunks) firsts.push_back(firsts.back() + placed.chunk.rows);
  for_pieces(column, [&](std::size_t i, std::int64_t begin, std::int64_t end) {
    const Chunk& chunk = column.chunks[i].chunk;
    const std::int64_t first = firsts[i];
    blocks.write_pieces(first + begin, first + end, [&](std::int64_t from, std::int64_t to, std::byte* target) {
      if (chunk.valid == nullptr) std::memset(target, 1, static_cast<std::size_t>(to - from));
      else spread_bits(chunk.valid, chunk.first_valid + from - first, to - from, reinterpret_cast<bool*>(target));
    });
  });
  blocks.close();
  return valid;
}

Text Landing::make_texts(Column& column) {
  std::vector<Placed>& chunks = column.chunks;
  std::vector<std::int64_t> sizes(chunks.size()), rows{0}, begins{0};
  engine_.together([&] {
    array::Polling(engine_.work()).for_each_dynamic(chunks.size(), [&](std::size_t i, unsigned) {
      sizes[i] = text_size(chunks[i].chunk);
    });
  });
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    rows.push_back(rows.back() + chunks[i].chunk.rows);
    begins.push_back(begins.back() + sizes[i]);
  }
  auto arrays = engine_.make_uneven({{DType::i64, rows_ + 1}, {DType::u8, begins.back()}});
  Text text{std::move(arrays[0]), std::move(arrays[1])};
  auto* offsets = text.offsets->data<std::int64_t>();
  offsets[0] = 0;
  engine_.together([&] {
    array::Polling(engine_.work()).for_each_dynamic(chunks.size(), [&](std::size_t i, unsigned) {
      copy_texts(chunks[i].chunk, begins[i], offsets + rows[i], text.bytes->data<char>());
    });
    check_texts(engine_.work(), text.view(), begins.back());
  });
  for (Placed& placed : chunks) {
    // What says which are there is copied; the rest may go before rows move on to other PEs.
    if (Chunk& chunk = placed.chunk; chunk.valid != nullptr && placed.valid.empty()) {
      placed.valid.assign(chunk.valid + (chunk.first_valid >> 3),
                          chunk.valid + ((chunk.first_valid + chunk.rows + 7) >> 3));
      chunk.valid = placed.valid.data();
      chunk.first_valid &= 7;
    }
    placed.chunk.owner.reset();
  }
  return engine_.npes() == 1 ? text : text_slice(engine_, text, array::Slice{0, 1, total_});
}

}  // namespace atl::table

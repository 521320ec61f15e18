// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "ops/file.hpp"

namespace atl::table {
namespace {

constexpr std::int64_t piece_bytes = 1 << 20;  // what a thread reads at a time

struct Piece {
  const ValuesPart* part;
  std::int64_t begin, end;  // among the part's rows
};

/// The file that a thread has open.
struct Open {
  const ValuesPart* part = nullptr;
  std::optional<File> file;
};

void land(array::Engine& engine, Landing& landing, const Piece& piece, const File& file) {
  const ValuesPart& part = *piece.part;
  const auto width = static_cast<std::int64_t>(array::size_of(landing.kind(part.column).dtype));
  const std::int64_t rows = piece.end - piece.begin, bytes = rows * width;
  Chunk chunk;
  chunk.rows = rows;
  std::byte* room = landing.room(part.column, part.row + piece.begin, rows);
  Buffer<std::byte> aside;
  if (room == nullptr) {
    aside = Buffer<std::byte>(engine.memory(), static_cast<std::size_t>(bytes));
    room = aside.data();
  }
  file.read(room, bytes, part.offset + piece.begin * width);
  chunk.values = room;
  landing.add(part.column, part.row + piece.begin, std::move(chunk));
}

}  // namespace

void land_values(array::Engine& engine, Landing& landing, std::span<const ValuesPart> parts) {
  ATOLL_VALIDATE(landing.knows_rows(), Error, "values are landed where rows are known");
  std::vector<Piece> pieces;
  for (const ValuesPart& part : parts) {
    const std::int64_t step = piece_bytes / static_cast<std::int64_t>(array::size_of(landing.kind(part.column).dtype));
    for (std::int64_t begin = 0; begin < part.rows; begin += step)
      pieces.push_back({&part, begin, std::min(begin + step, part.rows)});
  }
  std::vector<Open> opened(engine.threads().size());
  array::Polling(engine.work()).for_each_dynamic(pieces.size(), [&](std::size_t i, unsigned thread) {
    Open& mine = opened[thread];
    try {
      if (mine.part != pieces[i].part) {
        mine.part = nullptr;
        mine.file.emplace(pieces[i].part->file);
        mine.part = pieces[i].part;
      }
      land(engine, landing, pieces[i], *mine.file);
    } catch (const ValueError& error) {
      raise<ValueError>(fmt::format("cannot read {}: {}", pieces[i].part->name, error.what()));
    }
  });
}

}  // namespace atl::table

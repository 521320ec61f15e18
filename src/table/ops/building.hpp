// SPDX-License-Identifier: Apache-2.0
// Columns of strings that are made piece by piece.
#pragma once

#include <algorithm>
#include <vector>

#include "atoll/base/checked.hpp"
#include "atoll/table/kernel/text/builder.hpp"
#include "atoll/table/kernel/text/spans.hpp"
#include "atoll/table/text.hpp"

namespace atl::table {

/// A column of `count` local strings that are made piece by piece: build(begin, end, builder) makes those of rows
/// [begin, end). As many on every PE as an array of those rows would have.
template <class BuildPiece>
Text built(Engine& engine, std::size_t count, BuildPiece&& build) {
  const array::Work work = engine.work();
  const std::size_t pieces = (count + text_piece - 1) / text_piece;
  Buffer<std::int64_t> lengths;
  std::vector<TextBuilder> builders;
  std::int64_t bytes = 0;
  engine.together([&] {
    lengths = Buffer<std::int64_t>(engine.memory(), count);
    for (std::size_t piece = 0; piece < pieces; ++piece)
      builders.emplace_back(engine.memory(), lengths.data() + piece * text_piece);
    array::Polling polling(work);
    polling.for_each_dynamic(pieces, [&](std::size_t piece, unsigned thread) {
      const std::size_t begin = piece * text_piece;
      builders[piece].begin(polling, thread);
      build(begin, std::min(count, begin + text_piece), builders[piece]);
    });
    for (const TextBuilder& builder : builders) bytes = checked_add(bytes, static_cast<std::int64_t>(builder.size()));
  });
  auto arrays = engine.make_uneven({{DType::i64, static_cast<std::int64_t>(count) + 1}, {DType::u8, bytes}});
  Text text{std::move(arrays[0]), std::move(arrays[1])};
  auto* offsets = text.offsets->data<std::int64_t>();
  engine.together([&] {
    to_offsets(work, lengths.data(), count, offsets);
    array::Polling(work).for_each_dynamic(pieces, [&](std::size_t piece, unsigned) {
      builders[piece].move_to(text.bytes->data<char>() + offsets[piece * text_piece]);
    });
  });
  return text;
}

}  // namespace atl::table

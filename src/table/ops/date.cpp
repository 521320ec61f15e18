// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/date.hpp"

#include <algorithm>
#include <atomic>

#include "atoll/array/kernel/polling.hpp"
#include "ops/building.hpp"

namespace atl::table {
namespace {

/// Rows that a thread takes at a time: what a loop reads and writes stays in its cache.
constexpr std::size_t date_piece = 8192;

}  // namespace

Array date_map(Engine& engine, Array values, TextCall call) {
  engine.begin_operation("dates");
  const DateMap map = make_date_map(call);
  const Array result = engine.make(map.type, values->shape);
  const auto count = static_cast<std::size_t>(values->local_rows());
  const std::size_t size = array::size_of(map.type);
  const auto* from = values->data<std::int64_t>();
  engine.interruptibly(values->shape.size(), [&] {
    array::Polling(engine.work())
        .for_each_dynamic((count + date_piece - 1) / date_piece, [&](std::size_t piece, unsigned) {
          const std::size_t begin = piece * date_piece;
          map.run(from + begin, std::min(date_piece, count - begin), result->bytes() + begin * size);
        });
  });
  return result;
}

Text date_to_text(Engine& engine, Array values, TextCall call) {
  engine.begin_operation("dates");
  const DateWriter writer = make_date_writer(call);
  const auto* from = values->data<std::int64_t>();
  const auto count = static_cast<std::size_t>(values->local_rows());
  if (writer.width > 0) {
    Text text = make_text(engine, values->shape.rows(), static_cast<std::int64_t>(count * writer.width));
    auto* offsets = text.offsets->data<std::int64_t>();
    char* to = text.bytes->data<char>();
    std::atomic<bool> fits = true;
    engine.interruptibly(values->shape.size(), [&] {
      array::Polling(engine.work())
          .for_each_dynamic((count + date_piece - 1) / date_piece, [&](std::size_t piece, unsigned) {
            const std::size_t begin = piece * date_piece, end = std::min(count, begin + date_piece);
            for (std::size_t i = begin; i < end; ++i)
              offsets[i + 1] = static_cast<std::int64_t>((i + 1) * writer.width);
            if (!writer.write_fixed(from + begin, end - begin, to + begin * writer.width)) fits = false;
          });
    });
    const auto all = engine.allgather_value<std::uint8_t>(fits);
    if (std::find(all.begin(), all.end(), 0) == all.end()) return text;
  }
  return built(engine, count, [&](std::size_t begin, std::size_t end, TextBuilder& out) {
    writer.write(from + begin, end - begin, out);
  });
}

}  // namespace atl::table

// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/text_each.hpp"

#include <algorithm>
#include <cstring>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/checked.hpp"
#include "atoll/table/kernel/text/encode.hpp"
#include "atoll/table/kernel/text/numbers.hpp"
#include "atoll/table/kernel/text/runs.hpp"
#include "atoll/table/kernel/text/split.hpp"
#include "atoll/table/ops/text.hpp"
#include "ops/building.hpp"

namespace atl::table {

using array::Shape;

namespace {

/// Calls `body(begin, end)` for runs of strings, on all threads.
template <class Body>
void for_each_run(const array::Work& work, const TextView& texts, Body&& body) {
  array::Polling polling(work);
  polling.for_each_dynamic((texts.count + text_piece - 1) / text_piece, [&](std::size_t piece, unsigned thread) {
    const std::size_t first = piece * text_piece;
    for_runs(texts, first, std::min(texts.count, first + text_piece), [&](std::size_t begin, std::size_t end) {
      polling.poll(thread);
      body(begin, end);
    });
  });
}

}  // namespace

Array text_measure(Engine& engine, Text text, TextCall call) {
  engine.begin_operation("text");
  const array::Work work = engine.work();
  const Measure measure = make_measure(call);
  const Array result = engine.make(measure.type, Shape{text.rows()});
  const TextView texts = text.view();
  const std::size_t size = array::size_of(measure.type);
  engine.together([&] {
    for_each_run(work, texts, [&](std::size_t begin, std::size_t end) {
      measure.run(texts.slice(begin, end), result->bytes() + begin * size);
    });
  });
  return result;
}

Text text_map(Engine& engine, Text text, TextCall call) {
  engine.begin_operation("text");
  const TextMap map = make_text_map(call);
  const TextView texts = text.view();
  if (map.build) {
    return built(engine, texts.count, [&](std::size_t first, std::size_t last, TextBuilder& out) {
      for_runs(texts, first, last, [&](std::size_t begin, std::size_t end) {
        out.poll();
        map.build(texts.slice(begin, end), out);
      });
    });
  }
  const array::Work work = engine.work();
  Spans spans;
  engine.together([&] {
    spans = Spans(engine.memory(), texts.count);
    for_each_run(work, texts, [&](std::size_t begin, std::size_t end) {
      map.cut(texts.slice(begin, end), spans.data.data() + begin, spans.lengths.data() + begin);
    });
  });
  return adopt(engine, work, spans);
}

Parts text_parts(Engine& engine, Text text, TextCall call) {
  engine.begin_operation("text");
  const array::Work work = engine.work();
  const Splitter split = make_splitter(call);
  const TextView texts = text.view();
  const Array counts = engine.make(DType::i64, Shape{text.rows()});
  const std::size_t pieces = (texts.count + text_piece - 1) / text_piece;
  std::vector<Buffer<std::string_view>> found(pieces);
  Spans spans;
  engine.together([&] {
    std::vector<std::vector<std::string_view>> parts_of(work.threads.size());
    array::Polling polling(work);
    polling.for_each_dynamic(pieces, [&](std::size_t piece, unsigned thread) {
      const std::size_t first = piece * text_piece;
      std::vector<std::string_view>& parts = parts_of[thread];
      parts.clear();
      for_runs(texts, first, std::min(texts.count, first + text_piece), [&](std::size_t begin, std::size_t end) {
        polling.poll(thread);
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t before = parts.size();
          split(texts[i], parts);
          counts->data<std::int64_t>()[i] = static_cast<std::int64_t>(parts.size() - before);
        }
      });
      found[piece] = Buffer<std::string_view>(engine.memory(), parts.size());
      std::copy(parts.begin(), parts.end(), found[piece].data());
    });
    std::vector<std::size_t> starts{0};
    for (const auto& part : found) starts.push_back(checked_add(starts.back(), part.size()));
    spans = Spans(engine.memory(), starts.back());
    polling.for_each_dynamic(pieces, [&](std::size_t piece, unsigned) {
      std::size_t at = starts[piece];
      for (std::string_view one : found[piece]) {
        spans.data[at] = one.data() == nullptr ? texts.bytes : one.data();
        spans.lengths[at++] = static_cast<std::int64_t>(one.size());
      }
      found[piece] = {};
    });
  });
  const Text uneven = adopt(engine, work, spans);
  return {counts, text_slice(engine, uneven, {0, 1, uneven.rows()})};
}

Text text_join(Engine& engine, std::vector<Text> columns, std::string separator) {
  engine.begin_operation("text");
  std::vector<TextView> views;
  for (const Text& column : columns) views.push_back(column.view());
  return built(engine, views[0].count, [&](std::size_t begin, std::size_t end, TextBuilder& out) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t column = 0; column < views.size(); ++column) {
        if (column > 0) out.append(separator);
        out.append(views[column][i]);
      }
      out.end();
    }
  });
}

Text text_repeat(Engine& engine, Text text, Array counts) {
  engine.begin_operation("text");
  const TextView texts = text.view();
  const auto* times = counts->data<std::int64_t>();
  const array::Work work = engine.work();
  std::int64_t bytes = 0;
  engine.together([&] {
    for (std::size_t i = 0; i < texts.count; ++i)
      bytes = checked_add(
          bytes, checked_multiply(static_cast<std::int64_t>(texts[i].size()), std::max<std::int64_t>(times[i], 0)));
  });
  auto arrays = engine.make_uneven({{DType::i64, text.local_rows() + 1}, {DType::u8, bytes}});
  Text result{std::move(arrays[0]), std::move(arrays[1])};
  auto* offsets = result.offsets->data<std::int64_t>();
  offsets[0] = 0;
  for (std::size_t i = 0; i < texts.count; ++i)
    offsets[i + 1] = offsets[i] + static_cast<std::int64_t>(texts[i].size()) * std::max<std::int64_t>(times[i], 0);
  engine.together([&] {
    array::Polling polling(work);
    polling.for_each_dynamic((texts.count + text_piece - 1) / text_piece, [&](std::size_t piece, unsigned thread) {
      const std::size_t first = piece * text_piece;
      array::Pace pace(polling, thread);
      for (std::size_t i = first; i < std::min(texts.count, first + text_piece); ++i) {
        const std::string_view one = texts[i];
        char* const end = result.bytes->data<char>() + offsets[i + 1];
        for (char* to = result.bytes->data<char>() + offsets[i]; to < end; to += one.size()) {
          std::memcpy(to, one.data(), one.size());
          pace.done(one.size());
        }
      }
    });
  });
  return result;
}

Text text_of_numbers(Engine& engine, Array values) {
  engine.begin_operation("text");
  return built(engine, static_cast<std::size_t>(values->local_rows()),
               [&](std::size_t begin, std::size_t end, TextBuilder& out) {
                 write_numbers(values->dtype, values->bytes() + begin * array::size_of(values->dtype), end - begin,
                               out);
               });
}

std::vector<Array> text_hash(Engine& engine, Text text) {
  engine.begin_operation("hash");
  std::vector<Array> hashes = engine.make({{DType::u64, Shape{text.rows()}}, {DType::u64, Shape{text.rows()}}});
  const TextView texts = text.view();
  engine.together([&] {
    array::Polling(engine.work())
        .for_pieces(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
          for (std::size_t i = begin; i < end; ++i) {
            hashes[0]->data<std::uint64_t>()[i] = hash_text(texts[i]);
            hashes[1]->data<std::uint64_t>()[i] = hash_text(texts[i], 0x2545f4914f6cdd1du);
          }
        });
  });
  return hashes;
}

Array text_compare(Engine& engine, Text a, Text b, Comparison comparison) {
  engine.begin_operation("compare");
  const Array result = engine.make(DType::b1, Shape{a.rows()});
  engine.together([&] { compare_texts(engine.work(), a.view(), b.view(), comparison, result->data<bool>()); });
  return result;
}

}  // namespace atl::table

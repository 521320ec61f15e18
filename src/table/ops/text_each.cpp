// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/text_each.hpp"

#include "atoll/table/kernel/text/encode.hpp"
#include "atoll/table/kernel/text/numbers.hpp"
#include "atoll/table/kernel/text/split.hpp"
#include "atoll/table/ops/text.hpp"
#include "ops/building.hpp"

namespace atl::table {

using array::Shape;

Array text_measure(Engine& engine, Text text, TextCall call) {
  engine.begin_operation("text");
  const array::Work work = engine.work();
  const Measure measure = make_measure(call);
  const Array result = engine.make(measure.type, Shape{text.rows()});
  const TextView texts = text.view();
  const std::size_t size = array::size_of(measure.type);
  engine.together([&] {
    work.threads.for_each_dynamic((texts.count + text_piece - 1) / text_piece, [&](std::size_t piece, unsigned) {
      const std::size_t begin = piece * text_piece, end = std::min(texts.count, begin + text_piece);
      measure.run(texts.slice(begin, end), result->bytes() + begin * size);
    });
  });
  return result;
}

Text text_map(Engine& engine, Text text, TextCall call) {
  engine.begin_operation("text");
  const TextMap map = make_text_map(call);
  const TextView texts = text.view();
  if (map.build) return built(engine, texts.count, [&](std::size_t begin, std::size_t end, TextBuilder& out) { map.build(texts.slice(begin, end), out); });
  const array::Work work = engine.work();
  Spans spans;
  engine.together([&] {
    spans = Spans(engine.memory(), texts.count);
    work.threads.for_each_dynamic((texts.count + text_piece - 1) / text_piece, [&](std::size_t piece, unsigned) {
      const std::size_t begin = piece * text_piece, end = std::min(texts.count, begin + text_piece);
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
  std::vector<std::vector<std::string_view>> found(pieces);
  Spans spans;
  engine.together([&] {
    work.threads.for_each_dynamic(pieces, [&](std::size_t piece, unsigned) {
      const std::size_t begin = piece * text_piece, end = std::min(texts.count, begin + text_piece);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t before = found[piece].size();
        split(texts[i], found[piece]);
        counts->data<std::int64_t>()[i] = static_cast<std::int64_t>(found[piece].size() - before);
      }
    });
    std::size_t all = 0;
    for (const auto& part : found) all += part.size();
    spans = Spans(engine.memory(), all);
    all = 0;
    for (const auto& part : found) {
      for (std::string_view one : part) {
        spans.data[all] = one.data() == nullptr ? texts.bytes : one.data();
        spans.lengths[all++] = static_cast<std::int64_t>(one.size());
      }
    }
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
  return built(engine, texts.count, [&](std::size_t begin, std::size_t end, TextBuilder& out) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::string_view one = texts[i];
      for (std::int64_t left = one.empty() ? 0 : counts->data<std::int64_t>()[i]; left > 0; --left) out.append(one);
      out.end();
    }
  });
}

Text text_of_numbers(Engine& engine, Array values) {
  engine.begin_operation("text");
  return built(engine, static_cast<std::size_t>(values->local_rows()), [&](std::size_t begin, std::size_t end, TextBuilder& out) {
    write_numbers(values->dtype, values->bytes() + begin * array::size_of(values->dtype), end - begin, out);
  });
}

std::vector<Array> text_hash(Engine& engine, Text text) {
  engine.begin_operation("hash");
  std::vector<Array> hashes = engine.make({{DType::u64, Shape{text.rows()}}, {DType::u64, Shape{text.rows()}}});
  const TextView texts = text.view();
  engine.threads().for_ranges(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      hashes[0]->data<std::uint64_t>()[i] = hash_text(texts[i]);
      hashes[1]->data<std::uint64_t>()[i] = hash_text(texts[i], 0x2545f4914f6cdd1du);
    }
  });
  return hashes;
}

Array text_compare(Engine& engine, Text a, Text b, Comparison comparison) {
  engine.begin_operation("compare");
  const Array result = engine.make(DType::b1, Shape{a.rows()});
  compare_texts(engine.work(), a.view(), b.view(), comparison, result->data<bool>());
  return result;
}

}  // namespace atl::table

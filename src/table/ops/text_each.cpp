// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/text_each.hpp"

#include "atoll/table/ops/text.hpp"

namespace atl::table {

using array::Interruptible;
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

Array text_compare(Engine& engine, Text a, Text b, Comparison comparison) {
  engine.begin_operation("compare");
  const Array result = engine.make(DType::b1, Shape{a.rows()});
  compare_texts(engine.work(), a.view(), b.view(), comparison, result->data<bool>());
  return result;
}

}  // namespace atl::table

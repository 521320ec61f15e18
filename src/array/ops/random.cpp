// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/random.hpp"

#include "atoll/array/kernel/program.hpp"
#include "atoll/array/kernel/random.hpp"
#include "atoll/base/assertion.hpp"

namespace atl::array {

Array random_array(Engine& engine, RandomKind kind, DType dtype, Shape shape, std::uint64_t key, std::uint64_t counter,
                   std::uint64_t a_bits, std::uint64_t b_bits) {
  engine.begin_operation("random");
  Array result = engine.make(dtype, shape);
  const RandomStream stream{key, counter + static_cast<std::uint64_t>(result->first_index())};
  const Work work = engine.work();
  const auto count = static_cast<std::size_t>(result->local_size());
  const double a = from_bits<double>(a_bits), b = from_bits<double>(b_bits);
  engine.interruptibly(shape.size(), [&] {
    switch (kind) {
      case RandomKind::bits: random_bits(work, stream, result->data<std::uint64_t>(), count); break;
      case RandomKind::integers: random_integers(work, stream, dtype, a_bits, b_bits, result->bytes(), count); break;
      case RandomKind::uniform: random_uniform(work, stream, dtype, a, b, result->bytes(), count); break;
      case RandomKind::normal: random_normal(work, stream, dtype, a, b, result->bytes(), count); break;
      case RandomKind::exponential: random_exponential(work, stream, dtype, a, result->bytes(), count); break;
      case RandomKind::zipf:
        random_zipf(work, stream, dtype, a, static_cast<std::uint64_t>(b), result->bytes(), count);
        break;
    }
  });
  return result;
}

Array random_law(Engine& engine, Law law, DType dtype, Shape shape, std::uint64_t key, std::uint64_t counter,
                 std::vector<double> parameters, std::vector<Array> arrays) {
  engine.begin_operation("random");
  ATOLL_EXPECT(parameters.size() <= 3 && arrays.size() == parameters.size());
  Array result = engine.make(dtype, shape);
  LawParameters given;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    given.same[k] = parameters[k];
    if (arrays[k] == nullptr) continue;
    ATOLL_EXPECT(arrays[k]->dtype == DType::f64 && arrays[k]->shape == shape);  // rows of one shape lie alike
    given.each[k] = arrays[k]->data<double>();
  }
  const RandomStream stream{key, counter + static_cast<std::uint64_t>(result->first_index())};
  engine.interruptibly(shape.size(), [&] {
    random_sample(engine.work(), stream, law, given, dtype, result->bytes(),
                  static_cast<std::size_t>(result->local_size()));
  });
  return result;
}

}  // namespace atl::array

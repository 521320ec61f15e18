// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/lookup.hpp"

#include <algorithm>

#include "atoll/array/kernel/fill.hpp"
#include "atoll/array/kernel/histogram.hpp"
#include "atoll/array/kernel/plan.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/array/ops/elementwise.hpp"
#include "atoll/array/ops/index.hpp"
#include "atoll/array/ops/move.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::array {
namespace {

/// A small or borrowed copy of a whole array: with one PE its own memory.
class Whole {
 public:
  Whole(Engine& engine, const ArrayData& array) : data_(array.bytes()) {
    if (engine.npes() > 1) {
      copy_ = replicate(engine, array);
      data_ = copy_.data();
    }
  }
  const std::byte* data() const { return data_; }

 private:
  Buffer<std::byte> copy_;
  const std::byte* data_;
};

/// Adds the counts of all PEs and keeps this PE's part as a distributed array.
Array sum_counts(Engine& engine, Buffer<std::int64_t>& counts) {
  Array result = engine.make(DType::i64, Shape{static_cast<std::int64_t>(counts.size())});
  if (engine.npes() > 1)
    engine.communicator().allreduce(counts.data(), counts.data(), counts.size(),
                                    coll::Reduction(coll::Type::i64, coll::Op::sum));
  std::memcpy(result->bytes(), counts.data() + result->first_row(), result->local_bytes());
  return result;
}

/// sums[bins[i]] += weights[i] in global order, whatever the number of PEs.
Array add_weights(Engine& engine, const Array& bins, const Array& weights, std::int64_t count) {
  Array sums = full(engine, DType::f64, Shape{count}, 0);
  assign_index(engine, sums, bins, weights, AssignMode::add);
  return sums;
}

}  // namespace

Array search_sorted(Engine& engine, Array table, Array values, Side side) {
  engine.begin_operation("searchsorted");
  Array result = engine.make(DType::i64, values->shape);
  const Whole whole(engine, *table);
  engine.interruptibly(values->shape.size(), [&] {
    searchsorted(engine.work(), values->dtype, whole.data(), static_cast<std::size_t>(table->shape.size()),
                 values->bytes(), static_cast<std::size_t>(values->local_size()), side, result->data<std::int64_t>());
  });
  return result;
}

Array is_in(Engine& engine, Array array, Array test) {
  engine.begin_operation("isin");
  Array result = engine.make(DType::b1, array->shape);
  const Whole whole(engine, *test);
  engine.interruptibly(array->shape.size(), [&] {
    isin(engine.work(), array->dtype, array->bytes(), static_cast<std::size_t>(array->local_size()), whole.data(),
         static_cast<std::size_t>(test->shape.size()), result->data<bool>());
  });
  return result;
}

Array histogram_between(Engine& engine, Array array, double low, double high, std::int64_t bins) {
  engine.begin_operation("histogram");
  ATOLL_VALIDATE(bins >= 1, ValueError, "`bins` must be positive, when an integer");
  ATOLL_VALIDATE(low < high && high - low < 1.7976931348623157e308, ValueError,
                 "max must be larger than min in range parameter.");
  Buffer<std::int64_t> counts;
  engine.together([&] { counts = Buffer<std::int64_t>(engine.memory(), static_cast<std::size_t>(bins)); });
  engine.interruptibly(array->shape.size(), [&] {
    histogram_uniform(engine.work(), array->dtype, array->bytes(), static_cast<std::size_t>(array->local_size()), low,
                      high, static_cast<std::size_t>(bins), counts.data());
  });
  return sum_counts(engine, counts);
}

Array histogram_at(Engine& engine, Array array, Array edges, Array weights) {
  engine.begin_operation("histogram");
  const Whole whole(engine, *edges);
  const auto* at = reinterpret_cast<const double*>(whole.data());
  const std::int64_t bins = edges->shape.size() - 1;
  ATOLL_VALIDATE(bins >= 1, ValueError, "`bins` must be an int, a string, or an array of at least two edges");
  for (std::int64_t i = 0; i < bins; ++i)
    ATOLL_VALIDATE(at[i] <= at[i + 1], ValueError, "`bins` must increase monotonically, when an array");
  const auto count = static_cast<std::size_t>(array->local_size());
  if (weights == nullptr) {
    Buffer<std::int64_t> counts;
    engine.together([&] { counts = Buffer<std::int64_t>(engine.memory(), static_cast<std::size_t>(bins)); });
    engine.interruptibly(array->shape.size(), [&] {
      histogram_edges(engine.work(), array->dtype, array->bytes(), count, at, static_cast<std::size_t>(bins),
                      counts.data());
    });
    return sum_counts(engine, counts);
  }
  if (engine.npes() == 1) {
    Array sums = engine.make(DType::f64, Shape{bins});
    histogram_edges(engine.work(), array->dtype, array->bytes(), count, at, static_cast<std::size_t>(bins),
                    weights->data<double>(), sums->data<double>());
    return sums;
  }
  // Which bin, as an index array (one more bin for what lies outside), then the same sums in global order.
  Array index = engine.make(DType::i64, array->shape);
  auto* bin = index->data<std::int64_t>();
  engine.interruptibly(array->shape.size(), [&] {
    dispatch(array->dtype, [&](auto type) {
      const auto* values = array->data<typename decltype(type)::type>();
      Polling(engine.work()).for_pieces(count, 4096, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i) {
          const auto value = static_cast<double>(values[i]);
          const double* after = std::upper_bound(at, at + bins + 1, value);
          bin[i] = after - at - 1;
          if (value == at[bins]) bin[i] = bins - 1;
          if (!(value >= at[0] && value <= at[bins])) bin[i] = bins;
        }
      });
    });
  });
  Array sums = add_weights(engine, index, weights, bins + 1);
  return get_slice(engine, sums, {Slice{0, 1, bins}});
}

Array count_bins(Engine& engine, Array array, std::int64_t minlength, Array weights) {
  engine.begin_operation("bincount");
  std::int64_t bins = minlength;
  if (array->shape.size() > 0) {
    for (const Reduction kind : {Reduction::min, Reduction::max}) {
      Program program;
      program.results.push_back(program.add(Op::positive, array->dtype, program.add_leaf(array->dtype)));
      const std::uint64_t bits =
          reduce_all(engine, std::move(program), {{array, 0, 0}}, array->shape, kind, 1).value.bits;
      const auto value = dispatch(array->dtype, [&](auto type) {
        return static_cast<std::int64_t>(from_bits<typename decltype(type)::type>(bits));
      });
      ATOLL_VALIDATE(value >= 0, ValueError, "'list' argument must have no negative elements");
      if (kind == Reduction::max) bins = std::max(bins, value + 1);
    }
  }
  if (weights != nullptr)
    return add_weights(engine, array->dtype == DType::i64 ? array : compute(engine, Op::cast, DType::i64, {array}),
                       weights, bins);
  Buffer<std::int64_t> counts;
  engine.together([&] { counts = Buffer<std::int64_t>(engine.memory(), static_cast<std::size_t>(bins)); });
  engine.interruptibly(array->shape.size(), [&] {
    (void)bincount(engine.work(), array->dtype, array->bytes(), static_cast<std::size_t>(array->local_size()),
                   static_cast<std::size_t>(bins), counts.data());
  });
  return sum_counts(engine, counts);
}

}  // namespace atl::array

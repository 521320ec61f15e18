// SPDX-License-Identifier: Apache-2.0
// Scans in segments over all PEs.
#pragma once

#include "atoll/array/engine.hpp"
#include "atoll/array/ops/iteration.hpp"
#include "atoll/table/kernel/window/scan.hpp"

namespace atl::table {

/// The last int64 of the PEs before this one; 0 where there is none. Collective.
inline std::int64_t before(array::Engine& engine, const array::ArrayData& array) {
  struct Last {
    std::int64_t rows, value;
  };
  const std::int64_t rows = array.local_rows();
  std::int64_t value = 0;
  const auto all = engine.allgather_value<Last>({rows, rows == 0 ? 0 : array.data<std::int64_t>()[rows - 1]});
  for (std::uint32_t pe = 0; pe < engine.pe(); ++pe)
    if (all[pe].rows > 0) value = all[pe].value;
  return value;
}

/// scan_units over all PEs' rows. `segments`: their numbers (int64), where they begin (bool), or null. Collective; what
/// crosses are at most 2 log2 states of each PE.
template <class State, class Running, class Add, class Step, class Put>
void run(array::Engine& engine, const array::ArrayData& values, const array::Array& segments, const Add& add,
         const Step& step, const Put& put) {
  ScanRows rows{static_cast<std::uint64_t>(values.first_row()), static_cast<std::uint64_t>(values.local_rows()),
                array::granule_of(values.distribution, values.shape)};
  rows.begins = rows.first == 0;
  if (segments != nullptr && segments->dtype == array::DType::b1) {
    rows.firsts = segments->data<bool>();
    rows.begins = rows.begins || (rows.count > 0 && rows.firsts[0]);
  } else if (segments != nullptr) {
    const std::int64_t last = before(engine, *segments);
    rows.segments = segments->data<std::int64_t>();
    rows.begins = rows.begins || (rows.count > 0 && rows.segments[0] != last);
  }
  array::Work work = engine.work();
  const std::int64_t elements = values.shape.size();
  ScanFold<State> fold;
  if (engine.npes() > 1) {
    ScanFold<State> mine;
    engine.interruptibly(elements, [&] { mine = fold_units<State>(work, rows, add); });
    const auto all = engine.allgather_vector(mine.nodes());
    for (std::uint32_t pe = 0; pe < engine.pe(); ++pe) fold.push(std::span<const ScanNode<State>>(all[pe]));
  }
  engine.interruptibly(elements, [&] { scan_units<State, Running>(work, rows, fold, add, step, put); });
}

}  // namespace atl::table

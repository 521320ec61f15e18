// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/asof.hpp"

#include <algorithm>

#include "ops/halo.hpp"

namespace atl::table {
namespace {

using array::Array;
using array::Engine;

template <class T>
struct Place {
  std::int64_t by;
  T key;
  bool operator<(const Place& other) const { return by != other.by ? by < other.by : key < other.key; }
};

/// The first of rows [low, high) for which `is_behind` holds, as for all that follow.
template <class IsBehind>
std::int64_t first_behind(std::int64_t low, std::int64_t high, const IsBehind& is_behind) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (is_behind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

template <class T>
void match_all(Engine& engine, const AsofRule& rule, const Array& left, const Array& left_by, const Array& right, const Array& right_by, std::int64_t* out) {
  Halo keys(engine, right), bys(engine, right_by);
  const T* own = left->data<T>();
  const std::int64_t* own_by = left_by == nullptr ? nullptr : left_by->data<std::int64_t>();
  const std::int64_t count = left->local_rows(), total = right->shape.size();
  engine.together([&] {
    if (count == 0) return;
    // Right rows from the last that is smaller than the first left one to the first that is larger than the last.
    std::int64_t from = 0, to = total;
    if (engine.npes() > 1) {
      auto right_at = [&](std::int64_t row) {
        const std::int64_t* by = bys.rows<std::int64_t>(row, row + 1);
        return Place<T>{by == nullptr ? 0 : *by, *keys.rows<T>(row, row + 1)};
      };
      auto left_at = [&](std::int64_t row) { return Place<T>{own_by == nullptr ? 0 : own_by[row], own[row]}; };
      from = first_behind(0, total, [&](std::int64_t row) { return !(right_at(row) < left_at(0)); });
      to = first_behind(from, total, [&](std::int64_t row) { return left_at(count - 1) < right_at(row); });
      from = std::max<std::int64_t>(from - 1, 0);
      to = std::min(to + 1, total);
    }
    AsofRows met{nullptr, nullptr, from, to - from};
    if (from < to) {
      met.keys = keys.rows<T>(from, to);
      met.by = bys.rows<std::int64_t>(from, to);
    }
    asof_match(engine.work(array::Interruptible::no), left->dtype, rule, {own, own_by, left->first_row(), count}, met, out);
  });
  keys.close();
  bys.close();
}

}  // namespace

Array asof_rows(Engine& engine, Array left, Array left_by, Array right, Array right_by, AsofDirection direction, ExactMatches exact, double tolerance) {
  engine.begin_operation("join");
  Array result = engine.make(array::DType::i64, left->shape);
  const AsofRule rule{direction, exact, tolerance};
  auto* out = result->data<std::int64_t>();
  switch (left->dtype) {
    case array::DType::u64: match_all<std::uint64_t>(engine, rule, left, left_by, right, right_by, out); break;
    case array::DType::f64: match_all<double>(engine, rule, left, left_by, right, right_by, out); break;
    default: match_all<std::int64_t>(engine, rule, left, left_by, right, right_by, out); break;
  }
  return result;
}

}  // namespace atl::table

// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/asof.hpp"

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

/// The distance of two keys of which the second is not smaller.
template <class T>
double distance(T low, T high) {
  if constexpr (std::is_floating_point_v<T>) return high - low;
  else return static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
}

template <class T>
struct Side {
  const T* keys = nullptr;
  const std::int64_t* by = nullptr;
  std::int64_t first = 0;
  Place<T> at(std::int64_t row) const { return {by == nullptr ? 0 : by[row - first], keys[row - first]}; }
};

/// The first of rows [low, high) that `is_behind` says lies behind what is looked for; ascending.
template <class IsBehind>
std::int64_t first_behind(std::int64_t low, std::int64_t high, const IsBehind& is_behind) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (is_behind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

struct Rule {
  AsofDirection direction;
  ExactMatches exact;
  double tolerance;
};

/// Left rows [begin, end) against right rows [from, to), beyond which none is met.
template <class T>
void match(const Rule& rule, const Side<T>& left, std::int64_t begin, std::int64_t end, const Side<T>& right, std::int64_t from, std::int64_t to, std::int64_t* out) {
  if (begin >= end) return;
  // Right rows before `smaller` are smaller than the left key, those before `greater` not greater.
  std::int64_t smaller = first_behind(from, to, [&](std::int64_t row) { return !(right.at(row) < left.at(begin)); });
  std::int64_t greater = smaller;
  for (std::int64_t i = begin; i < end; ++i) {
    const Place<T> place = left.at(i);
    while (smaller < to && right.at(smaller) < place) ++smaller;
    greater = std::max(greater, smaller);
    while (greater < to && !(place < right.at(greater))) ++greater;
    const std::int64_t early = (rule.exact == ExactMatches::allowed ? greater : smaller) - 1;
    const std::int64_t late = rule.exact == ExactMatches::allowed ? smaller : greater;
    bool back = rule.direction != AsofDirection::forward && early >= from, ahead = rule.direction != AsofDirection::backward && late < to;
    double before = 0, behind = 0;
    if (back) {
      const Place<T> other = right.at(early);
      before = distance(other.key, place.key);
      back = other.by == place.by && before <= rule.tolerance;
    }
    if (ahead) {
      const Place<T> other = right.at(late);
      behind = distance(place.key, other.key);
      ahead = other.by == place.by && behind <= rule.tolerance;
    }
    out[i - begin] = back && (!ahead || before <= behind) ? early : ahead ? late : -1;
  }
}

template <class T>
void match_all(Engine& engine, const Rule& rule, const Array& left, const Array& left_by, const Array& right, const Array& right_by, std::int64_t* out) {
  const std::int64_t begin = left->first_row(), end = begin + left->local_rows(), total = right->shape.size();
  Halo keys(engine, right), bys(engine, right_by);
  const Side<T> own{left->data<T>(), left_by == nullptr ? nullptr : left_by->data<std::int64_t>(), begin};
  engine.together([&] {
    if (begin == end) return;
    auto place = [&](std::int64_t row) {
      return Side<T>{keys.rows<T>(row, row + 1), bys.rows<std::int64_t>(row, row + 1), row}.at(row);
    };
    std::int64_t from = 0, to = total;
    if (engine.npes() > 1) {
      from = first_behind(0, total, [&](std::int64_t row) { return !(place(row) < own.at(begin)); });
      to = first_behind(from, total, [&](std::int64_t row) { return own.at(end - 1) < place(row); });
      from = std::max<std::int64_t>(from - 1, 0);
      to = std::min(to + 1, total);
    }
    const Side<T> met{from == to ? nullptr : keys.rows<T>(from, to), from == to ? nullptr : bys.rows<std::int64_t>(from, to), from};
    engine.work(array::Interruptible::no).threads.for_ranges(static_cast<std::size_t>(end - begin), 1024, [&](std::size_t low, std::size_t high, unsigned) {
      match(rule, own, begin + static_cast<std::int64_t>(low), begin + static_cast<std::int64_t>(high), met, from, to, out + low);
    });
  });
  keys.close();
  bys.close();
}

}  // namespace

Array asof_rows(Engine& engine, Array left, Array left_by, Array right, Array right_by, AsofDirection direction, ExactMatches exact, double tolerance) {
  engine.begin_operation("join");
  Array result = engine.make(array::DType::i64, left->shape);
  const Rule rule{direction, exact, tolerance};
  auto* out = result->data<std::int64_t>();
  switch (left->dtype) {
    case array::DType::u64: match_all<std::uint64_t>(engine, rule, left, left_by, right, right_by, out); break;
    case array::DType::f64: match_all<double>(engine, rule, left, left_by, right, right_by, out); break;
    default: match_all<std::int64_t>(engine, rule, left, left_by, right, right_by, out); break;
  }
  return result;
}

}  // namespace atl::table

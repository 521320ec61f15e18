// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/asof.hpp"

#include <algorithm>
#include <atomic>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/validate.hpp"
#include "ops/halo.hpp"

namespace atl::table {
namespace {

using array::Array;
using array::Engine;

constexpr std::size_t order_piece = 4096;  // rows worth a thread

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

/// This PE's left rows and the right rows that they may meet.
template <class T>
class Matching {
 public:
  Matching(Engine& engine, const AsofRule& rule, const Array& left, const Array& left_by, const Array& right,
           const Array& right_by)
      : engine_(engine),
        rule_(rule),
        left_(left),
        right_(right),
        keys_(engine, right),
        bys_(engine, right_by),
        own_(left->data<T>()),
        own_by_(left_by == nullptr ? nullptr : left_by->data<std::int64_t>()) {}
  void close() {
    keys_.close();
    bys_.close();
  }

  void match(std::int64_t* out) {
    const std::int64_t count = left_->local_rows(), first = right_->first_row(), end = first + right_->local_rows();
    if (engine_.npes() == 1 || first == end) return match_rows(0, count, out);
    // Most left rows meet right rows of this PE alone, which are used where they lie; those before and behind meet
    // others', too.
    const std::int64_t begin =
        first == 0 ? 0 : first_behind(0, count, [&](std::int64_t i) { return right_at(first) < left_at(i); });
    const std::int64_t stop = end == right_->shape.size() ? count : first_behind(begin, count, [&](std::int64_t i) {
      return !(left_at(i) < right_at(end - 1));
    });
    match_rows(0, begin, out);
    match_rows(begin, stop, out);
    match_rows(stop, count, out);
  }

 private:
  Place<T> right_at(std::int64_t row) {
    const std::int64_t* by = bys_.rows<std::int64_t>(row, row + 1);
    return {by == nullptr ? 0 : *by, *keys_.rows<T>(row, row + 1)};
  }
  Place<T> left_at(std::int64_t i) const { return {own_by_ == nullptr ? 0 : own_by_[i], own_[i]}; }

  /// Left rows [begin, end), counted from this PE's first.
  void match_rows(std::int64_t begin, std::int64_t end, std::int64_t* out) {
    if (begin >= end) return;
    // Right rows from the last that is smaller than the first left one to the first that is larger than the last.
    std::int64_t from = 0, to = right_->shape.size();
    if (engine_.npes() > 1) {
      const std::int64_t total = to;
      from = first_behind(0, total, [&](std::int64_t row) { return !(right_at(row) < left_at(begin)); });
      to = first_behind(from, total, [&](std::int64_t row) { return left_at(end - 1) < right_at(row); });
      from = std::max<std::int64_t>(from - 1, 0);
      to = std::min(to + 1, total);
    }
    AsofRows met{nullptr, nullptr, from, to - from};
    if (from < to) {
      met.keys = keys_.rows<T>(from, to);
      met.by = bys_.rows<std::int64_t>(from, to);
    }
    const AsofRows lefts{own_ + begin, own_by_ == nullptr ? nullptr : own_by_ + begin, left_->first_row() + begin,
                         end - begin};
    asof_match(engine_.work(), left_->dtype, rule_, lefts, met, out + begin);
  }

  Engine& engine_;
  const AsofRule& rule_;
  const Array &left_, &right_;
  Halo keys_, bys_;
  const T* own_;
  const std::int64_t* own_by_;
};

/// Whether the rows of all PEs are in order. Collective.
template <class T>
bool in_order(Engine& engine, const Array& array) {
  struct Ends {
    std::int64_t rows;
    T first, last;
  };
  const T* rows = array->data<T>();
  const std::int64_t count = array->local_rows();
  std::atomic<bool> ordered{true};
  engine.interruptibly(array->shape.size(), [&] {
    array::Polling(engine.work())
        .for_pieces(static_cast<std::size_t>(std::max<std::int64_t>(count - 1, 0)), order_piece,
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      std::size_t descents = 0;
                      for (std::size_t i = begin; i < end; ++i)
                        descents += rows[i] <= rows[i + 1] ? 0 : 1;  // NaN is in no order
                      if (descents != 0) ordered.store(false, std::memory_order_relaxed);
                    });
  });
  // A PE whose rows are not in order says so by ends that are not.
  Ends own{count, T{}, T{}};
  if (count > 0)
    own = ordered.load(std::memory_order_relaxed) ? Ends{count, rows[0], rows[count - 1]} : Ends{-1, T{}, T{}};
  const Ends* before = nullptr;
  const auto all = engine.allgather_value(own);
  for (const Ends& one : all) {
    if (one.rows < 0 || (one.rows > 0 && before != nullptr && !(before->last <= one.first))) return false;
    if (one.rows > 0) before = &one;
  }
  return true;
}

template <class T>
void match_all(Engine& engine, const AsofRule& rule, const Array& left, const Array& left_by, const Array& right,
               const Array& right_by, std::int64_t* out) {
  // Behind `by`, keys were in order before they were brought in its order.
  if (left_by == nullptr) {
    ATOLL_VALIDATE(in_order<T>(engine, left), ValueError, "left keys must be sorted");
    ATOLL_VALIDATE(in_order<T>(engine, right), ValueError, "right keys must be sorted");
  }
  Matching<T> matching(engine, rule, left, left_by, right, right_by);
  engine.together([&] { matching.match(out); });
  matching.close();
}

}  // namespace

Array asof_rows(Engine& engine, Array left, Array left_by, Array right, Array right_by, AsofDirection direction,
                ExactMatches exact, double tolerance) {
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

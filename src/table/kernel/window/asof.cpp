// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/window/asof.hpp"
#include "atoll/array/kernel/polling.hpp"

#include <algorithm>
#include <cmath>

namespace atl::table {
namespace {

constexpr std::size_t chunk = 1024;

/// Rows as keys alone, or behind their `by`.
template <class T, bool with_by>
struct Side {
  explicit Side(const AsofRows& rows) : keys(static_cast<const T*>(rows.keys)), by(rows.by) {}
  const T* keys;
  const std::int64_t* by;
};

/// Whether right row j comes before left row i, or not behind it.
template <bool inclusive, class T, bool with_by>
bool precedes(const Side<T, with_by>& right, std::size_t j, const Side<T, with_by>& left, std::size_t i) {
  const bool key = inclusive ? right.keys[j] <= left.keys[i] : right.keys[j] < left.keys[i];
  if constexpr (!with_by) return key;
  else return (right.by[j] < left.by[i]) | ((right.by[j] == left.by[i]) & key);
}

/// How many right rows precede each of left rows [begin, end), given how many surely do.
template <bool inclusive, class T, bool with_by>
std::size_t count_before(const Side<T, with_by>& left, std::size_t begin, std::size_t end,
                         const Side<T, with_by>& right, std::size_t count, std::size_t j, std::int64_t* before) {
  std::size_t i = begin;
  while (i < end && j < count) {
    before[i - begin] = static_cast<std::int64_t>(j);
    const bool goes_on = precedes<inclusive>(right, j, left, i);
    j += goes_on ? 1 : 0;
    i += goes_on ? 0 : 1;
  }
  for (; i < end; ++i) before[i - begin] = static_cast<std::int64_t>(j);
  return j;
}

/// The first right row that does not precede a left one.
template <bool inclusive, class T, bool with_by>
std::size_t start_of(const Side<T, with_by>& left, std::size_t i, const Side<T, with_by>& right, std::size_t count) {
  std::size_t low = 0, high = count;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (precedes<inclusive>(right, middle, left, i)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// The distance of two keys of which the second is not smaller.
template <class T>
double distance(T low, T high) {
  if constexpr (std::is_floating_point_v<T>) return high - low;
  else return static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
}

template <bool early_inclusive, bool late_inclusive, class T, bool with_by>
void match(array::Work work, const AsofRule& rule, const AsofRows& lefts, const AsofRows& rights, std::int64_t* out) {
  const Side<T, with_by> left(lefts), right(rights);
  const auto count = static_cast<std::size_t>(rights.count);
  const bool backward = rule.direction != AsofDirection::forward, forward = rule.direction != AsofDirection::backward;
  const bool checked = with_by || rule.tolerance < INFINITY || (backward && forward);
  array::Polling(work).for_pieces(
      static_cast<std::size_t>(lefts.count), chunk, [&](std::size_t begin, std::size_t end, unsigned) {
        std::int64_t early[chunk], late[chunk];
        std::size_t before = backward ? start_of<early_inclusive>(left, begin, right, count) : 0;
        std::size_t behind = forward ? start_of<late_inclusive>(left, begin, right, count) : 0;
        for (std::size_t at = begin; at < end; at += chunk) {
          const std::size_t n = std::min(chunk, end - at);
          if (backward) before = count_before<early_inclusive>(left, at, at + n, right, count, before, early);
          if (forward) behind = count_before<late_inclusive>(left, at, at + n, right, count, behind, late);
          if (!checked) {
            for (std::size_t i = 0; i < n; ++i) {
              const std::int64_t row = backward ? early[i] - 1 : late[i] < rights.count ? late[i] : -1;
              out[at + i] = row < 0 ? -1 : rights.first + row;
            }
            continue;
          }
          for (std::size_t i = 0; i < n; ++i) {
            const T key = left.keys[at + i];
            bool back = backward && early[i] > 0, ahead = forward && late[i] < rights.count;
            double low = 0, high = 0;
            if (back) {
              const auto row = static_cast<std::size_t>(early[i] - 1);
              low = distance(right.keys[row], key);
              back = low <= rule.tolerance && (!with_by || right.by[row] == left.by[at + i]);
            }
            if (ahead) {
              const auto row = static_cast<std::size_t>(late[i]);
              high = distance(key, right.keys[row]);
              ahead = high <= rule.tolerance && (!with_by || right.by[row] == left.by[at + i]);
            }
            out[at + i] = back && (!ahead || low <= high) ? rights.first + early[i] - 1
                          : ahead                         ? rights.first + late[i]
                                                          : -1;
          }
        }
      });
}

template <class T>
void match_keys(array::Work work, const AsofRule& rule, const AsofRows& left, const AsofRows& right,
                std::int64_t* out) {
  // Backward the last row that is not larger counts, or is smaller; forward the first that is not smaller, or is
  // larger.
  const bool exact = rule.exact == ExactMatches::allowed;
  if (left.by != nullptr)
    return exact ? match<true, false, T, true>(work, rule, left, right, out)
                 : match<false, true, T, true>(work, rule, left, right, out);
  return exact ? match<true, false, T, false>(work, rule, left, right, out)
               : match<false, true, T, false>(work, rule, left, right, out);
}

}  // namespace

void asof_match(array::Work work, array::DType type, const AsofRule& rule, const AsofRows& left, const AsofRows& right,
                std::int64_t* out) {
  switch (type) {
    case array::DType::u64: return match_keys<std::uint64_t>(work, rule, left, right, out);
    case array::DType::f64: return match_keys<double>(work, rule, left, right, out);
    default: return match_keys<std::int64_t>(work, rule, left, right, out);
  }
}

}  // namespace atl::table

// SPDX-License-Identifier: Apache-2.0
// States other than exact sums, and what all have in common.
#include "atoll/table/kernel/state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "atoll/table/kernel/words.hpp"
#include "kernel/state/update.hpp"

namespace atl::table {
namespace {

using array::dispatch;

// Comparisons that hand NaN on.
struct Least {
  template <class T>
  static constexpr T none =
      std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  template <class T>
  static bool takes(T old, T x) {
    return x < old || x != x;
  }
};
struct Greatest {
  template <class T>
  static constexpr T none =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  template <class T>
  static bool takes(T old, T x) {
    return x > old || x != x;
  }
};

// The same of values that are there: until one comes the state is NaN.
template <class Compare>
struct Skipping {
  template <class T>
  static bool takes(T old, T x) {
    return x == x && (old != old || Compare::takes(old, x));
  }
};

template <class Body>
decltype(auto) dispatch_wide(Wide wide, Body&& body) {
  switch (wide) {
    case Wide::i64: return body(std::int64_t{});
    case Wide::u64: return body(std::uint64_t{});
    case Wide::f64: break;
  }
  return body(double{});
}

template <class T, class Compare>
void take_extremes(T* states, const std::uint32_t* codes, const T* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    T& state = states[codes == nullptr ? i : codes[i]];
    if (Compare::takes(state, values[i])) state = values[i];
  }
}

void take_extremes(const StateSpec& spec, void* states, const std::uint32_t* codes, const void* values, std::size_t n) {
  if (spec.skips_nan) {
    auto* of = static_cast<double*>(states);
    const auto* x = static_cast<const double*>(values);
    if (spec.kind == StateKind::least) return take_extremes<double, Skipping<Least>>(of, codes, x, n);
    return take_extremes<double, Skipping<Greatest>>(of, codes, x, n);
  }
  dispatch_wide(spec.wide, [&](auto type) {
    using T = decltype(type);
    if (spec.kind == StateKind::least)
      take_extremes<T, Least>(static_cast<T*>(states), codes, static_cast<const T*>(values), n);
    else take_extremes<T, Greatest>(static_cast<T*>(states), codes, static_cast<const T*>(values), n);
  });
}

template <class T, class Op>
void take_in(void* states, const std::uint32_t* codes, const void* from, std::size_t n, Op&& op) {
  T* state = static_cast<T*>(states);
  const T* values = static_cast<const T*>(from);
  for (std::size_t i = 0; i < n; ++i) op(state[codes == nullptr ? i : codes[i]], values[i]);
}

}  // namespace

void clear_states(const StateSpec& spec, void* states, std::size_t n) {
  if (spec.skips_nan && !spec.is_sum()) {
    std::fill_n(static_cast<double*>(states), n, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  switch (spec.kind) {
    case StateKind::all_bits: std::fill_n(static_cast<std::uint64_t*>(states), n, ~std::uint64_t{0}); break;
    case StateKind::any_bits:
    case StateKind::odd_bits:
    case StateKind::rows:
    case StateKind::total: std::fill_n(static_cast<std::uint64_t*>(states), n, 0); break;
    case StateKind::sum:
    case StateKind::square: std::fill_n(static_cast<ExactSum*>(states), n, ExactSum{}); break;
    case StateKind::least:
      dispatch_wide(spec.wide, [&](auto type) {
        std::fill_n(static_cast<decltype(type)*>(states), n, Least::none<decltype(type)>);
      });
      break;
    case StateKind::greatest:
      dispatch_wide(spec.wide, [&](auto type) {
        std::fill_n(static_cast<decltype(type)*>(states), n, Greatest::none<decltype(type)>);
      });
      break;
    case StateKind::first:
      std::fill_n(static_cast<std::int64_t*>(states), n, std::numeric_limits<std::int64_t>::max());
      break;
    case StateKind::last: std::fill_n(static_cast<std::int64_t*>(states), n, std::int64_t{-1}); break;
  }
}

void update_states(const StateSpec& spec, void* states, const std::uint32_t* codes, const std::uint64_t* words,
                   std::size_t n, std::int64_t first_row, std::vector<CodeRest>& rests) {
  auto* counts = static_cast<std::uint64_t*>(states);
  auto* rows = static_cast<std::int64_t*>(states);
  switch (spec.kind) {
    case StateKind::rows:
      for (std::size_t i = 0; i < n; ++i) ++counts[codes[i]];
      return;
    case StateKind::total:
      for (std::size_t i = 0; i < n; ++i) counts[codes[i]] += words[i];
      return;
    case StateKind::sum:
    case StateKind::square: {
      double converted[block_rows];
      const double* values = as_doubles(spec.wide, words, n, converted);
      static const AddSums add_sums = find_add_sums();
      return add_sums(spec, static_cast<ExactSum*>(states), codes, values, n, rests);
    }
    case StateKind::least:
    case StateKind::greatest:
    case StateKind::all_bits:
    case StateKind::any_bits:
    case StateKind::odd_bits: return join_states(spec, states, codes, words, n);
    case StateKind::first:
      for (std::size_t i = n; i-- > 0;)
        rows[codes[i]] = std::min(rows[codes[i]], first_row + static_cast<std::int64_t>(i));
      return;
    case StateKind::last:
      for (std::size_t i = 0; i < n; ++i)
        rows[codes[i]] = std::max(rows[codes[i]], first_row + static_cast<std::int64_t>(i));
      return;
  }
}

void join_states(const StateSpec& spec, void* into, const std::uint32_t* codes, const void* from, std::size_t n) {
  switch (spec.kind) {
    case StateKind::rows:
    case StateKind::total:
      return take_in<std::uint64_t>(into, codes, from, n, [](std::uint64_t& state, std::uint64_t x) { state += x; });
    case StateKind::sum:
    case StateKind::square:
      return take_in<ExactSum>(into, codes, from, n, [](ExactSum& state, const ExactSum& x) { state.add(x); });
    case StateKind::least:
    case StateKind::greatest: return take_extremes(spec, into, codes, from, n);
    case StateKind::all_bits:
      return take_in<std::uint64_t>(into, codes, from, n, [](std::uint64_t& state, std::uint64_t x) { state &= x; });
    case StateKind::any_bits:
      return take_in<std::uint64_t>(into, codes, from, n, [](std::uint64_t& state, std::uint64_t x) { state |= x; });
    case StateKind::odd_bits:
      return take_in<std::uint64_t>(into, codes, from, n, [](std::uint64_t& state, std::uint64_t x) { state ^= x; });
    case StateKind::first:
      return take_in<std::int64_t>(into, codes, from, n,
                                   [](std::int64_t& state, std::int64_t x) { state = std::min(state, x); });
    case StateKind::last:
      return take_in<std::int64_t>(into, codes, from, n,
                                   [](std::int64_t& state, std::int64_t x) { state = std::max(state, x); });
  }
}

const std::uint64_t* load_words(const Column& column, std::size_t begin, std::size_t n, std::uint64_t* scratch) {
  return dispatch(column.type, [&](auto type) -> const std::uint64_t* {
    using T = typename decltype(type)::type;
    const T* values = static_cast<const T*>(column.data) + begin;
    if constexpr (sizeof(T) == 8) {
      return reinterpret_cast<const std::uint64_t*>(values);
    } else {
      for (std::size_t i = 0; i < n; ++i) scratch[i] = to_word(values[i]);
      return scratch;
    }
  });
}

const double* as_doubles(Wide wide, const std::uint64_t* words, std::size_t n, double* scratch) {
  return dispatch_wide(wide, [&](auto type) -> const double* {
    const auto* values = reinterpret_cast<const decltype(type)*>(words);
    if constexpr (std::is_same_v<decltype(type), double>) {
      return values;
    } else {
      for (std::size_t i = 0; i < n; ++i) scratch[i] = static_cast<double>(values[i]);
      return scratch;
    }
  });
}

Spread Spread::none() {
  return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), false};
}

void Spread::join(const Spread& other) {
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  special = special || other.special;
}

}  // namespace atl::table

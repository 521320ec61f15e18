// SPDX-License-Identifier: Apache-2.0
// What is kept per group while rows are aggregated: an array of states per wanted figure, indexed by the group's code.
// States of parts of the rows can be joined in any order, and give the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/sort_key.hpp"
#include "atoll/base/memory.hpp"
#include "atoll/table/kernel/exact_sum.hpp"

namespace atl::table {

using array::DType;
/// A column of one PE's rows.
using Column = array::Key;

/// Columns enter aggregation as 8-byte words: floats as double, other types as int64 or uint64.
enum class Wide : std::uint8_t { i64, u64, f64 };
constexpr Wide wide_of(DType type) {
  if (array::is_float(type)) return Wide::f64;
  return array::is_signed(type) ? Wide::i64 : Wide::u64;
}

enum class StateKind : std::uint8_t {
  rows,       ///< uint64: how many
  total,      ///< uint64: sum of integers, wrapping as NumPy's
  sum,        ///< ExactSum of the values as doubles
  square,     ///< ExactSum of the values' squares, not rounded
  least,      ///< the smallest value, as a wide word; NaN when there is one, or, where NaN is skipped, no other
  greatest,   ///< the largest
  all_bits,   ///< uint64: bits that all words have
  any_bits,   ///< uint64: bits that some word has
  odd_bits,   ///< uint64: bits that an odd number of words have
  first,      ///< int64: the lowest row number
  last,       ///< int64: the highest
};

struct StateSpec {
  StateKind kind = StateKind::rows;
  std::uint32_t column = 0;  ///< whose values; unused by rows, first and last
  Wide wide = Wide::i64;
  SumWindow window{};        ///< of what ExactSums add
  /// Only what has a magnitude in [from, below) is added; infinities and NaN where `below` is infinity.
  double from = 0;
  double below = std::numeric_limits<double>::infinity();
  bool skips_nan = false;  ///< of sums, squares, least and greatest: NaN is no value, and counts as no row

  bool is_sum() const { return kind == StateKind::sum || kind == StateKind::square; }
  bool needs_column() const { return kind != StateKind::rows && kind != StateKind::first && kind != StateKind::last; }
  bool needs_rows() const { return kind == StateKind::first || kind == StateKind::last; }
  std::size_t bytes() const { return is_sum() ? sizeof(ExactSum) : sizeof(std::uint64_t); }
};

/// Rows that are handled at a time: all about them stays in the L1 cache.
inline constexpr std::size_t block_rows = array::CompositeKey::block;

/// What an exact sum keeps aside of one row's value.
struct CodeRest {
  std::uint32_t code;
  double value;
};

/// Sets n states to "no rows yet".
void clear_states(const StateSpec& spec, void* states, std::size_t n);

/// states[codes[i]] takes in row i of a block of up to block_rows, whose values as words are `words` (null where the
/// kind needs none); the block begins at global row `first_row`. Exact sums append to `rests`.
void update_states(const StateSpec& spec, void* states, const std::uint32_t* codes, const std::uint64_t* words,
                   std::size_t n, std::int64_t first_row, std::vector<CodeRest>& rests);

/// into[codes[i]] takes in from[i]; without codes into[i] does. The state of one row of kind first or last is its
/// number.
void join_states(const StateSpec& spec, void* into, const std::uint32_t* codes, const void* from, std::size_t n);

/// Rows [begin, begin + n) of a column as words: where they lie, or converted into `scratch` (room for block_rows).
const std::uint64_t* load_words(const Column& column, std::size_t begin, std::size_t n, std::uint64_t* scratch);

/// Words as doubles: where they lie when they are, or converted into `scratch` (room for block_rows).
const double* as_doubles(Wide wide, const std::uint64_t* words, std::size_t n, double* scratch);

/// Where values lie, of one PE's rows; join those of all PEs.
struct Spread {
  double least = 0, greatest = 0;  // of the finite values; least > greatest: there are none
  bool special = false;            // there are others

  /// The largest finite magnitude, 0 when there is none.
  double magnitude() const { return least > greatest ? 0 : std::max(std::abs(least), std::abs(greatest)); }
  static Spread none();
  void join(const Spread& other);
};
/// One read of the column.
Spread spread_of(array::Work work, const Column& column, std::size_t n);
/// Of some thousand of its rows.
Spread sample_spread(const Column& column, std::size_t n);
/// The smallest magnitude of its finite values that are not 0; infinity when there are none.
double least_magnitude(array::Work work, const Column& column, std::size_t n);

}  // namespace atl::table

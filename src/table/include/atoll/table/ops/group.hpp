// SPDX-License-Identifier: Apache-2.0
// Group-by on distributed columns.
#pragma once

#include <vector>

#include "atoll/array/command.hpp"
#include "atoll/array/engine.hpp"

namespace atl::table {

using array::Array;
using array::Engine;

/// bit_and, bit_or and bit_xor are for integers and bool.
enum class Statistic : std::uint8_t {
  size,
  count,
  sum,
  mean,
  var,
  std,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  first,
  last
};

/// One wanted figure per group.
struct Request {
  Statistic statistic = Statistic::size;
  std::uint32_t column = 0;  ///< of the values; unused by size
  std::int32_t ddof = 1;     ///< of var and std
  bool skips_nan = false;    ///< NaN is no value; of count, sum, mean, var, std, min and max of floats

  template <class Archive>
  void fields(Archive& archive) {
    archive(statistic, column, ddof, skips_nan);
  }
};

/// How many bits each key's range of values takes, over all rows. Collective; one read of the keys.
std::vector<std::uint32_t> key_bits(Engine& engine, std::vector<Array> keys);

/// The distinct keys in ascending order (NaN last, all NaN one group, -0.0 and 0.0 one group), then one array per
/// request; all of one length. `keys` and `values` are 1-dimensional, of one length.
///
/// dtypes: size and count int64; sum as NumPy's (bool and signed to int64, unsigned to uint64, floats stay); mean, var
/// and std float64 (float32 of float32); the others the column's. NaN is a value: what a group with one adds up to is
/// NaN. Where it is skipped, sums of groups without a value are 0, other figures NaN. Sums and means of floats are
/// those of the exact sum, rounded once, so they do not depend on the order of rows; variances come of exact sums of
/// values and squares.
///
/// Throws ValueError when the keys together span more than 64 bits (see key_bits()). Collective. Every PE aggregates
/// its rows, then PEs join ranges of keys: a group crosses once per PE that has rows of it, however many rows.
std::vector<Array> group_by(Engine& engine, std::vector<Array> keys, std::vector<Array> values,
                            std::vector<Request> requests);

}  // namespace atl::table

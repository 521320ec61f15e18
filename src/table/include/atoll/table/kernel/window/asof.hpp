// SPDX-License-Identifier: Apache-2.0
// The nearest of some keys in order, for each of others in order.
#pragma once

#include <cstdint>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"

namespace atl::table {

enum class AsofDirection : std::uint8_t { backward, forward, nearest };
enum class ExactMatches : std::uint8_t { refused, allowed };

struct AsofRule {
  AsofDirection direction = AsofDirection::backward;
  ExactMatches exact = ExactMatches::allowed;
  double tolerance = 0;  ///< not negative; infinite: any distance
};

/// Rows in order of `by`, where there is one, and then of their keys.
struct AsofRows {
  const void* keys = nullptr;          ///< int64, uint64 or float64, no NaN
  const std::int64_t* by = nullptr;
  std::int64_t first = 0;              ///< global number of the first row here
  std::int64_t count = 0;
};

/// The right row for each left one, global row numbers, -1 where there is none. Right rows are all that the left ones
/// may meet. A merge of both sides without branches, by chunks of left rows.
void asof_match(array::Work work, array::DType type, const AsofRule& rule, const AsofRows& left, const AsofRows& right,
                std::int64_t* out);

}  // namespace atl::table

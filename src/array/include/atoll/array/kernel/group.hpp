// SPDX-License-Identifier: Apache-2.0
// Which rows have equal keys: group numbers, representatives, distinct values and their counts, on one PE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/sort_key.hpp"
#include "atoll/array/kernel/work.hpp"
#include "atoll/base/memory.hpp"

namespace atl::array {

/// What to compute beside the number of groups; the rest of a result stays empty.
struct GroupWants {
  bool first = false;   // a row of each group: its first
  bool counts = false;  // rows in each group
  bool ids = false;     // group number of each row
};

/// Groups are numbered in the order of their keys: NaN last, all NaNs one group, -0.0 and 0.0 one group.
struct Groups {
  std::size_t count = 0;
  Buffer<std::int64_t> first;
  Buffer<std::int64_t> counts;
  Buffer<std::int64_t> ids;
};

/// Groups n rows by several columns. Chosen by the range of the keys and a sample of them: a table indexed by the key
/// (range up to 2^20), a hash table per thread (up to some 2,000 groups), otherwise a sort of the rows.
/// Cost: O(n), or that of coargsort and a gather of the keys; scratch n elements beside the results then.
Groups group_rows(Work work, std::span<const Key> keys, std::size_t n, GroupWants wants);

/// numpy.unique: distinct values ascending, and per wants `index` (of first occurrence), `inverse`, `counts`.
struct UniqueWants {
  bool index = false;
  bool inverse = false;
  bool counts = false;
};
struct Unique {
  std::size_t count = 0;
  Buffer<std::byte> values;  // count elements
  Buffer<std::int64_t> index;
  Buffer<std::int64_t> inverse;
  Buffer<std::int64_t> counts;
};
/// value_counts is this with counts. Without index and inverse rows are never looked at: the cost of sort().
Unique unique(Work work, DType type, const void* in, std::size_t n, UniqueWants wants);

/// Whether unique() without rows will find few distinct values beside n: by their range, or a sample of them.
bool has_few_values(Work work, DType type, const void* in, std::size_t n);

}  // namespace atl::array

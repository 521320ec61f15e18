// SPDX-License-Identifier: Apache-2.0
// Conditions of waits on memory: the six comparisons of OpenSHMEM.
#pragma once

namespace atl::runtime {

enum class Compare { equal, not_equal, greater, greater_equal, less, less_equal };

template <class T>
constexpr bool holds(T left, Compare compare, T right) {
  switch (compare) {
    case Compare::equal: return left == right;
    case Compare::not_equal: return left != right;
    case Compare::greater: return left > right;
    case Compare::greater_equal: return left >= right;
    case Compare::less: return left < right;
    case Compare::less_equal: return left <= right;
  }
  return false;
}

}  // namespace atl::runtime

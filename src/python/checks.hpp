// SPDX-License-Identifier: Apache-2.0
// Checks of arguments that the Python package gives correctly, but a client of a server may not.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "atoll/base/validate.hpp"
#include "expr.hpp"

namespace atl::python {

inline const Array& require_type(const Array& array, array::DType type, const char* what) {
  ATOLL_VALIDATE(array->dtype == type, TypeError, "{} must be {}, not {}", what, array::name_of(type),
                 array::name_of(array->dtype));
  return array;
}

inline const Array& require_same_type(const Array& array, const Array& other, const char* what) {
  return require_type(array, other->dtype, what);
}

inline const Array& require_axes(const Array& array, int least, int most, const char* what) {
  ATOLL_VALIDATE(array->shape.ndim() >= least && array->shape.ndim() <= most, ValueError,
                 "{} of shape {} has {} dimensions (from {} to {} are possible)", what, array->shape.to_string(),
                 array->shape.ndim(), least, most);
  return array;
}

/// Of one dimension and that type.
inline const Array& require_column(const Array& array, array::DType type, const char* what) {
  return require_axes(require_type(array, type, what), 1, 1, what);
}

/// Each axis of an array once.
inline void require_permutation(std::vector<int> axes, int count) {
  std::sort(axes.begin(), axes.end());
  bool each = axes.size() == static_cast<std::size_t>(count);
  for (int axis = 0; each && axis < count; ++axis) each = axes[static_cast<std::size_t>(axis)] == axis;
  ATOLL_VALIDATE(each, ValueError, "axes must name each of {} axes once", count);
}

/// A slice of `extent` rows.
inline void require_slice(const array::Slice& slice, std::int64_t extent) {
  const auto [start, step, count] = slice;
  const bool possible = count >= 0 && start >= 0 && start <= extent;
  // `last` lies between 0 and extent - 1, computed so that nothing overflows.
  const bool inside =
      possible &&
      (count == 0 || (start < extent && (count == 1 || (step >= 0 ? step <= (extent - 1 - start) / (count - 1)
                                                                  : step >= -(start / (count - 1))))));
  ATOLL_VALIDATE(inside, IndexError, "a slice of {} elements from {} by steps of {} leads out of {} elements", count,
                 start, step, extent);
}

inline void require_slices(const std::vector<array::Slice>& slices, const array::Shape& shape) {
  ATOLL_VALIDATE(slices.size() == static_cast<std::size_t>(shape.ndim()), IndexError, "{} slices of shape {}",
                 slices.size(), shape.to_string());
  for (int axis = 0; axis < shape.ndim(); ++axis) require_slice(slices[static_cast<std::size_t>(axis)], shape[axis]);
}

}  // namespace atl::python

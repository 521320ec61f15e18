// SPDX-License-Identifier: Apache-2.0
// Python values to the engine's and back: dtypes, shapes, scalars, NumPy arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "atoll/array/session.hpp"
#include "gil.hpp"

namespace atl::python {

namespace nb = nanobind;
using array::Array;
using array::DType;
using array::NodePtr;
using array::Session;
using array::Shape;
using SessionPtr = std::shared_ptr<Session>;

using ReadOnlyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// Throws ValueError unless it is one of the codes.
DType to_dtype(int code);
Shape to_shape(const std::vector<std::int64_t>& extents);
nb::tuple from_shape(const Shape& shape);
/// bool, int or float → the bits of that value in `dtype`. OverflowError when it does not fit.
std::uint64_t scalar_bits(nb::handle value, DType dtype);
nb::object scalar_object(std::uint64_t bits, DType dtype);
DType dtype_of_ndarray(const ReadOnlyArray& values);
Shape shape_of_ndarray(const ReadOnlyArray& values);
/// A new NumPy array, contents undefined.
nb::object numpy_empty(const Shape& shape, DType dtype);
/// A writable NumPy array over memory that `owner` keeps alive.
nb::object numpy_view(void* data, const Shape& shape, DType dtype, std::shared_ptr<void> owner);
/// Kernels may read up to 64 bytes past an array's end. Whether that is safe for memory that is not ours.
bool readable_past_end(const void* data, std::size_t bytes);
/// Keeps a Python object alive from C++; may be dropped on any thread.
std::shared_ptr<void> hold(nb::object object);

}  // namespace atl::python

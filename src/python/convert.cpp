// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "atoll/array/kernel/program.hpp"
#include "atoll/base/validate.hpp"

namespace atl::python {

using array::dispatch;
using array::from_bits;
using array::to_bits;

DType to_dtype(int code) {
  ATOLL_VALIDATE(code >= 0 && code < static_cast<int>(array::dtype_count), ValueError, "unknown dtype code {}", code);
  return static_cast<DType>(code);
}

Shape to_shape(const std::vector<std::int64_t>& extents) {
  Shape shape{std::span(extents)};
  (void)shape.size();
  return shape;
}

nb::tuple from_shape(const Shape& shape) {
  nb::object result = nb::steal(PyTuple_New(shape.ndim()));
  for (int axis = 0; axis < shape.ndim(); ++axis) PyTuple_SetItem(result.ptr(), axis, PyLong_FromLongLong(shape[axis]));
  return nb::borrow<nb::tuple>(result);
}

std::uint64_t scalar_bits(nb::handle value, DType dtype) {
  return dispatch(dtype, [&](auto type) -> std::uint64_t {
    using T = typename decltype(type)::type;
    if constexpr (std::is_same_v<T, bool>) {
      const int truth = PyObject_IsTrue(value.ptr());
      if (truth < 0) throw nb::python_error();
      return to_bits<bool>(truth != 0);
    } else if constexpr (std::is_floating_point_v<T>) {
      const double number = PyFloat_AsDouble(value.ptr());
      if (number == -1.0 && PyErr_Occurred()) throw nb::python_error();
      return to_bits<T>(static_cast<T>(number));
    } else {
      nb::object integer = nb::steal(PyNumber_Index(value.ptr()));
      if (!integer.is_valid()) throw nb::python_error();
      bool fits = true;
      T number{};
      if constexpr (std::is_signed_v<T>) {
        int overflow = 0;
        const long long wide = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
        number = static_cast<T>(wide);
        fits = overflow == 0 && number == wide;
      } else {
        const unsigned long long wide = PyLong_AsUnsignedLongLong(integer.ptr());
        if (PyErr_Occurred()) {
          PyErr_Clear();
          fits = false;
        }
        number = static_cast<T>(wide);
        fits = fits && number == wide;
      }
      ATOLL_VALIDATE(fits, OverflowError, "Python integer {} out of bounds for {}", nb::str(integer).c_str(),
                     array::name_of(dtype));
      return to_bits<T>(number);
    }
  });
}

nb::object scalar_object(std::uint64_t bits, DType dtype) {
  return dispatch(dtype,
                  [&](auto type) -> nb::object { return nb::cast(from_bits<typename decltype(type)::type>(bits)); });
}

DType dtype_of_ndarray(const ReadOnlyArray& values) {
  const nb::dlpack::dtype dtype = values.dtype();
  if (dtype == nb::dtype<bool>()) return DType::b1;
  if (dtype == nb::dtype<std::int8_t>()) return DType::i8;
  if (dtype == nb::dtype<std::int16_t>()) return DType::i16;
  if (dtype == nb::dtype<std::int32_t>()) return DType::i32;
  if (dtype == nb::dtype<std::int64_t>()) return DType::i64;
  if (dtype == nb::dtype<std::uint8_t>()) return DType::u8;
  if (dtype == nb::dtype<std::uint16_t>()) return DType::u16;
  if (dtype == nb::dtype<std::uint32_t>()) return DType::u32;
  if (dtype == nb::dtype<std::uint64_t>()) return DType::u64;
  if (dtype == nb::dtype<float>()) return DType::f32;
  if (dtype == nb::dtype<double>()) return DType::f64;
  raise<TypeError>("unsupported dtype. Supported: bool, int8 to int64, uint8 to uint64, float32, float64");
}

Shape shape_of_ndarray(const ReadOnlyArray& values) {
  Shape shape;
  ATOLL_VALIDATE(values.ndim() <= array::max_ndim, ValueError, "maximum supported dimension is {}, found {}",
                 array::max_ndim, values.ndim());
  for (std::size_t axis = 0; axis < values.ndim(); ++axis)
    shape.push_back(static_cast<std::int64_t>(values.shape(axis)));
  return shape;
}

nb::object numpy_empty(const Shape& shape, DType dtype) {
  const std::string_view name = array::name_of(dtype);
  return nb::module_::import_("numpy").attr("empty")(from_shape(shape), nb::str(name.data(), name.size()));
}

nb::object numpy_view(void* data, const Shape& shape, DType dtype, std::shared_ptr<void> owner) {
  auto* held = new std::shared_ptr<void>(std::move(owner));
  nb::capsule capsule(held, [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
  std::vector<std::size_t> extents(shape.begin(), shape.end());
  return dispatch(dtype, [&](auto type) -> nb::object {
    using T = typename decltype(type)::type;
    return nb::cast(nb::ndarray<nb::numpy, T>(data, extents.size(), extents.data(), capsule), nb::rv_policy::reference);
  });
}

std::shared_ptr<void> hold(nb::object object) {
  return {object.release().ptr(), [](void* p) {
            if (!Py_IsInitialized()) return;
            WithGil gil;
            Py_DECREF(static_cast<PyObject*>(p));
          }};
}

bool readable_past_end(const void* data, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto end = reinterpret_cast<std::uintptr_t>(data) + bytes;
  const std::uintptr_t next = (end + page - 1) / page * page;
  if (end + 64 <= next) return true;
  unsigned char resident = 0;
  return ::mincore(reinterpret_cast<void*>(next), page, &resident) == 0;
}

}  // namespace atl::python

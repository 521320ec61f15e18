// SPDX-License-Identifier: Apache-2.0
// Small work of a driver: which operations may run on PE 0 alone, and where the arrays among their arguments are.
// Waking the workers takes longer than the work itself when arrays have a few thousand elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/array/operations.hpp"

namespace atl::array {

/// Whether an operation may run on PE 0 alone: it concerns no other PE, and the size of its results is bounded by that
/// of its arguments (or by `largest_result`).
template <auto operation>
struct MayRunAlone : std::false_type {};

/// Elements of the largest result of an operation, where its arguments may be smaller.
template <auto operation>
struct LargestResult {
  static std::int64_t of(const auto&) { return 0; }
};

template <>
struct LargestResult<&take> {
  static std::int64_t of(const auto& arguments) {
    const Array &array = std::get<0>(arguments), &indices = std::get<1>(arguments);
    std::int64_t elements = 0;
    const bool is_too_large =
        __builtin_mul_overflow(indices->shape.size(), std::max<std::int64_t>(array->shape.row_size(), 1), &elements);
    return is_too_large ? std::numeric_limits<std::int64_t>::max() : elements;
  }
};
template <>
struct LargestResult<&histogram_between> {
  static std::int64_t of(const auto& arguments) { return std::get<std::int64_t>(arguments); }
};

/// Operations of this layer that may run on PE 0 alone.
using SmallOperations =
    OperationList<&from_buffer, &to_buffer, &item_bits, &element_bits, &empty, &full, &copy, &get_slice, &assign_slice,
                  &reshape, &transpose, &concatenate, &evaluate, &reduce_all, &reduce_axes, &scan_along, &compress_rows,
                  &find_true, &assign_mask, &take, &assign_index, &search_sorted, &is_in, &histogram_between,
                  &histogram_at, &random_array, &sort_array, &argsort_array, &coargsort_arrays, &unique_array,
                  &reinterpret, &random_law, &fourier, &run_starts, &roll, &read_bytes, &write_bytes>;
template <auto operation>
  requires(SmallOperations::contains<operation>())
struct MayRunAlone<operation> : std::true_type {};

/// A value that lies on PE 0 alone or on all PEs: an array. A layer above specializes this for types of several arrays
/// that move together.
///   is_null(value)          an argument that was left out
///   elements(value)         their number, of all its arrays
///   is_alone(value)         on PE 0 alone; the session has several PEs
///   may_return(value)       it has not been spread before: nothing goes back and forth
///   spread(session, value)  from PE 0 alone to all
///   gather(session, value)  from all PEs to PE 0 alone
template <class T>
struct Placed : std::false_type {};

/// Calls `visit` with all placed values and all shapes among the arguments of an operation.
template <class Visit>
class PlacedArguments {
 public:
  explicit PlacedArguments(Visit& visit) : visit_(visit) {}
  template <class... Ts>
  void operator()(Ts&... values) {
    (look(values), ...);
  }

 private:
  template <class T>
  void look(T& value) {
    if constexpr (Placed<T>::value || std::is_same_v<T, Shape>) visit_(value);
    else if constexpr (requires { value.fields(*this); }) value.fields(*this);
  }
  template <class T>
  void look(std::vector<T>& values) {
    if constexpr (!is_plain<T>)
      for (T& value : values) look(value);
  }
  template <class T>
  void look(std::optional<T>& value) {
    if (value) look(*value);
  }
  template <class A, class B>
  void look(std::pair<A, B>& value) {
    look(value.first);
    look(value.second);
  }

  Visit& visit_;
};
template <class Visit, class... Args>
void for_each_placed(std::tuple<Args...>& arguments, Visit&& visit) {
  PlacedArguments<std::remove_reference_t<Visit>> all(visit);
  std::apply(all, arguments);
}

/// How large arguments are, and where.
struct Census {
  std::int64_t elements = 0;
  bool has_alone = false;    ///< some are on PE 0 alone
  bool has_spread = false;   ///< some are on all PEs
  bool may_return = true;    ///< all of these may be brought to PE 0

  void add(std::int64_t more) {
    if (__builtin_add_overflow(elements, more, &elements)) elements = std::numeric_limits<std::int64_t>::max();
  }
};
template <class... Args>
Census census_of(std::tuple<Args...>& arguments) {
  Census census;
  for_each_placed(arguments, [&]<class T>(T& value) {
    if constexpr (std::is_same_v<T, Shape>) {
      census.add(value.size());
    } else {
      if (Placed<T>::is_null(value)) return;
      census.add(Placed<T>::elements(value));
      const bool is_alone = Placed<T>::is_alone(value);
      (is_alone ? census.has_alone : census.has_spread) = true;
      if (!is_alone && !Placed<T>::may_return(value)) census.may_return = false;
    }
  });
  return census;
}

template <>
struct Placed<Array> : std::true_type {
  static bool is_null(const Array& array) { return array == nullptr; }
  static std::int64_t elements(const Array& array) { return array->shape.size(); }
  static bool is_alone(const Array& array) { return array->distribution.npes() == 1; }
  static bool may_return(const Array& array) { return !array->was_alone; }
  template <class Session>
  static void spread(Session& session, const Array& array) {
    array->move_to(*session.template call_on_all<&from_buffer>(array->dtype, array->shape,
                                                               DriverOnly<const void*>{array->storage.data}));
    array->was_alone = true;
  }
  template <class Session>
  static void gather(Session& session, const Array& array) {
    const Array here = session.alone().make(array->dtype, array->shape);
    session.template call_on_all<&to_buffer>(array, DriverOnly<void*>{here->storage.data});
    array->move_to(*here);
  }
};

}  // namespace atl::array

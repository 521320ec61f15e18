// SPDX-License-Identifier: Apache-2.0
// The operations of this layer, numbered behind those of arrays.
#pragma once

#include <cstdint>
#include <span>

#include "atoll/array/operations.hpp"
#include "atoll/array/pointed_elements.hpp"
#include "atoll/array/small_work.hpp"
#include "atoll/table/ops/asof.hpp"
#include "atoll/table/ops/date.hpp"
#include "atoll/table/ops/group.hpp"
#include "atoll/table/ops/join.hpp"
#include "atoll/table/ops/limbs.hpp"
#include "atoll/table/ops/text.hpp"
#include "atoll/table/ops/text_each.hpp"
#include "atoll/table/ops/text_order.hpp"
#include "atoll/table/ops/window.hpp"

namespace atl::table {

using Operations = array::Operations::Extended<
    &group_by, &key_bits, &join_rows, &text_from_buffers, &text_from_local, &text_bytes, &text_to_buffers, &text_take,
    &text_slice, &text_concatenate, &text_where, &text_argsort, &text_number, &text_measure, &text_map, &text_parts,
    &text_join, &text_repeat, &text_of_numbers, &text_hash, &text_compare, &window, &cumulate, &decay, &asof_rows,
    &group_places, &date_map, &date_to_text, &text_runs, &limb_apply, &text_sort>;

/// Operations of this layer that may run on PE 0 alone: those whose results are not much larger than their arguments.
using SmallOperations =
    array::OperationList<&group_by, &key_bits, &join_rows, &text_from_buffers, &text_bytes, &text_to_buffers,
                         &text_take, &text_slice, &text_concatenate, &text_where, &text_argsort, &text_number,
                         &text_measure, &text_map, &text_parts, &text_join, &text_of_numbers, &text_hash, &text_compare,
                         &window, &cumulate, &decay, &asof_rows, &group_places, &date_map, &date_to_text, &limb_apply,
                         &text_sort>;

}  // namespace atl::table

namespace atl::array {

template <auto operation>
  requires(table::SmallOperations::contains<operation>())
struct MayRunAlone<operation> : std::true_type {};

/// Each row may match all rows of the other side; of a few thousand rows, all pairs are few enough.
template <>
struct LargestResult<&table::join_rows> {
  static std::int64_t of(const auto& arguments) {
    constexpr std::int64_t pairs_per_element = 1024;
    const auto rows = [](const std::vector<Array>& keys) { return keys.empty() ? 0 : keys.front()->shape.size(); };
    std::int64_t pairs = 0;
    const bool is_too_large =
        __builtin_mul_overflow(rows(std::get<1>(arguments)), rows(std::get<0>(arguments)), &pairs);
    return is_too_large ? std::numeric_limits<std::int64_t>::max() : pairs / pairs_per_element;
  }
};
template <>
struct LargestResult<&table::group_places> {
  static std::int64_t of(const auto& arguments) { return std::get<std::int64_t>(arguments); }
};
template <>
struct LargestResult<&table::text_from_buffers> {
  static std::int64_t of(const auto& arguments) {
    const std::int64_t rows = std::get<0>(arguments);
    const std::int64_t* offsets = std::get<1>(arguments).value;
    return rows + offsets[rows] - offsets[0];
  }
};

template <>
struct PointedElements<&table::text_from_buffers> {
  static std::uint64_t digest(std::int64_t rows, DriverOnly<const std::int64_t*> offsets,
                              DriverOnly<const char*> bytes) {
    if (offsets.value == nullptr) return 0;
    const std::span lengths(offsets.value, static_cast<std::size_t>(rows) + 1);
    const std::span text(bytes.value + lengths.front(), static_cast<std::size_t>(lengths.back() - lengths.front()));
    return digest_of(std::as_bytes(text), {}) ^ digest_of(std::as_bytes(lengths), {});
  }
};

template <>
struct Placed<table::Text> : std::true_type {
  static bool is_null(const table::Text& text) { return text.offsets == nullptr; }
  static std::int64_t elements(const table::Text& text) {
    return text.offsets->shape.size() + text.bytes->shape.size();
  }
  static bool is_alone(const table::Text& text) { return text.offsets->distribution.npes() == 1; }
  static bool may_return(const table::Text& text) { return !text.offsets->was_alone; }
  template <class Session>
  static void spread(Session& session, const table::Text& text) {
    const table::TextView view = text.view();
    move(text, session.template call_on_all<&table::text_from_buffers, table::Operations>(
                   text.rows(), DriverOnly<const std::int64_t*>{view.offsets}, DriverOnly<const char*>{view.bytes}));
    text.offsets->was_alone = true;
  }
  template <class Session>
  static void gather(Session& session, const table::Text& text) {
    const table::Text here = table::make_text(session.alone(), text.rows(), text.bytes->shape.size());
    session.template call_on_all<&table::text_to_buffers, table::Operations>(
        text, DriverOnly<std::int64_t*>{here.offsets->data<std::int64_t>()},
        DriverOnly<char*>{here.bytes->data<char>()});
    move(text, here);
  }

 private:
  static void move(const table::Text& text, const table::Text& other) {
    text.offsets->move_to(*other.offsets);
    text.bytes->move_to(*other.bytes);
  }
};

}  // namespace atl::array

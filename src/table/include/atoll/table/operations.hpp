// SPDX-License-Identifier: Apache-2.0
// The operations of this layer, numbered behind those of arrays.
#pragma once

#include "atoll/array/operations.hpp"
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

}  // namespace atl::table

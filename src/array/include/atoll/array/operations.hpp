// SPDX-License-Identifier: Apache-2.0
// Every operation that a driver may ask of its workers, numbered by its place.
#pragma once

#include "atoll/array/command.hpp"
#include "atoll/array/ops/elementwise.hpp"
#include "atoll/array/ops/fourier.hpp"
#include "atoll/array/ops/index.hpp"
#include "atoll/array/ops/lookup.hpp"
#include "atoll/array/ops/matmul.hpp"
#include "atoll/array/ops/move.hpp"
#include "atoll/array/ops/random.hpp"
#include "atoll/array/ops/reduce.hpp"
#include "atoll/array/ops/select.hpp"
#include "atoll/array/ops/sort.hpp"
#include "atoll/array/ops/transfer.hpp"

namespace atl::array {

using Operations =
    OperationList<&noop, &from_buffer, &from_local, &to_buffer, &item_bits, &element_bits, &empty, &full, &copy,
                  &get_slice, &assign_slice, &reshape, &transpose, &concatenate, &evaluate, &reduce_all, &reduce_axes,
                  &scan_along, &compress_rows, &find_true, &assign_mask, &take, &assign_index, &search_sorted, &is_in,
                  &histogram_between, &histogram_at, &count_bins, &random_array, &sort_array, &argsort_array,
                  &coargsort_arrays, &unique_array, &reinterpret, &random_law, &fourier, &multiply_matrices,
                  &multiply_stacks, &run_starts, &roll, &reduce_transposed, &read_bytes, &write_bytes>;

}  // namespace atl::array

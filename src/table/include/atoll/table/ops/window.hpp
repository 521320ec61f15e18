// SPDX-License-Identifier: Apache-2.0
// Windows and running figures of distributed columns.
#pragma once

#include <vector>

#include "atoll/array/command.hpp"
#include "atoll/array/engine.hpp"
#include "atoll/table/kernel/window/cumulate.hpp"
#include "atoll/table/kernel/window/decay.hpp"
#include "atoll/table/kernel/window/window.hpp"

namespace atl::table {

// `segments` (int64, ascending) may be null: windows and running figures do not reach beyond their row's segment.

/// A figure of each row's window: float64. `x` is float64, and so is `y`, which cov and corr need; `times` (int64,
/// ascending in each segment) is what Frame::range needs. Collective: every PE reads its own rows and those that
/// windows reach on other PEs. The last bits depend on neither PEs nor threads.
array::Array window(array::Engine& engine, WindowSpec spec, array::Array x, array::Array y, array::Array segments,
                    array::Array times);

/// The running sum, product, minimum or maximum in the array's own type. `segments` may also say where each begins
/// (bool). `skips_nan`: of floats, NaN stays where it is, and what comes after passes over it. Collective; what crosses
/// are states of log2 units of rows.
array::Array cumulate(array::Engine& engine, array::Array values, array::Array segments, Cumulation kind,
                      bool skips_nan);

/// Exponentially weighted figures of float64; `times` int64 or null. Collective, as cumulate.
array::Array decay(array::Engine& engine, DecaySpec spec, array::Array x, array::Array segments, array::Array times);

/// Where every row goes when rows are brought in order of their groups, numbers (int64) below `count` of each row; rows
/// of one group keep their order. int64. Collective; every PE tells all how many rows of each group it has.
array::Array group_places(array::Engine& engine, array::Array groups, std::int64_t count);

}  // namespace atl::table

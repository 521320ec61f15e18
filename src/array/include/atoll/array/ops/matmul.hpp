// SPDX-License-Identifier: Apache-2.0
// Products of distributed matrices: each PE the rows of the result that it holds.
#pragma once

#include "atoll/array/engine.hpp"

namespace atl::array {

/// Which operands of a product are given as their transposes.
enum class Transposed : std::uint8_t { neither, first, second, both };

/// a b, both matrices of one type; `transposed` (of floats, on one PE): a product of the transposes, with the bits of
/// that of transposed copies. The second passes to every PE some rows at a time, in the same order on all, so the
/// result does not depend on their number.
Array multiply_matrices(Engine& engine, Array a, Array b, std::uint8_t transposed);

/// The products of matrices in the last two of three axes: a is s by m by k, b s by k by n. Each PE those that it
/// holds.
Array multiply_stacks(Engine& engine, Array a, Array b);

}  // namespace atl::array

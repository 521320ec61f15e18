// SPDX-License-Identifier: Apache-2.0
// Arrays of random numbers: element i depends on (key, counter + i) alone.
#pragma once

#include <vector>

#include "atoll/array/engine.hpp"
#include "atoll/array/kernel/random.hpp"

namespace atl::array {

enum class RandomKind : std::uint8_t { bits, integers, uniform, normal, exponential, zipf };

/// integers: `a_bits` is the low end and `b_bits` the span (0: 2^64); else a and b are float64 bits: uniform [a, b),
/// normal (mean, deviation), exponential (scale), zipf (exponent, largest).
Array random_array(Engine& engine, RandomKind kind, DType dtype, Shape shape, std::uint64_t key, std::uint64_t counter,
                   std::uint64_t a_bits, std::uint64_t b_bits);

/// Elements of a law, float64, float32 or int64. `parameters` are numbers; `arrays` (as many) hold, where they are not
/// null, one for each element: float64, of this shape.
Array random_law(Engine& engine, Law law, DType dtype, Shape shape, std::uint64_t key, std::uint64_t counter,
                 std::vector<double> parameters, std::vector<Array> arrays);

}  // namespace atl::array

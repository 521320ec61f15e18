// SPDX-License-Identifier: Apache-2.0
// Operations that move elements without looking at them: copies, slices, reshapes, transposes, concatenation.
#pragma once

#include <vector>

#include "atoll/array/engine.hpp"

namespace atl::array {

/// start, step, count along one axis; every index start + i * step is in range.
struct Slice {
  std::int64_t start = 0, step = 1, count = 0;
  template <class Archive>
  void fields(Archive& archive) {
    archive(start, step, count);
  }
};

Array empty(Engine& engine, DType dtype, Shape shape);
Array full(Engine& engine, DType dtype, Shape shape, std::uint64_t bits);
Array copy(Engine& engine, Array array);
Array get_slice(Engine& engine, Array array, std::vector<Slice> slices);
/// array[slices] = value, which broadcasts to the slices' counts and has the array's dtype. In place.
void assign_slice(Engine& engine, Array array, std::vector<Slice> slices, Array value);
Array reshape(Engine& engine, Array array, Shape shape);
/// The same bytes as elements of another type, in a shape of as many bytes.
Array reinterpret(Engine& engine, Array array, DType dtype, Shape shape);
Array transpose(Engine& engine, Array array, std::vector<int> axes);
/// Along `axis`; the other extents and the dtypes agree.
Array concatenate(Engine& engine, std::vector<Array> parts, int axis);
/// Elements shifted cyclically along an axis after the first: result[…, (i + shift) % extent, …] = array[…, i, …], with
/// 0 <= shift < extent. Each PE has its own rows.
Array roll(Engine& engine, Array array, int axis, std::int64_t shift);

// -- for other operations, not commands --

/// All elements on this PE, in row-major order. Collective.
Buffer<std::byte> replicate(Engine& engine, const ArrayData& array);
/// The same values with rows spread as `distribution` says (of the same number of rows). Collective.
Buffer<std::byte> redistribute(Engine& engine, const ArrayData& array, const Distribution& distribution);

}  // namespace atl::array

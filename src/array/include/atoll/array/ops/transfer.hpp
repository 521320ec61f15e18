// SPDX-License-Identifier: Apache-2.0
// Between NumPy buffers and distributed arrays.
#pragma once

#include "atoll/array/command.hpp"
#include "atoll/array/engine.hpp"

namespace atl::array {

/// A distributed copy of a C-contiguous buffer. Driver: only PE 0 has the buffer; else every PE has the same one.
Array from_buffer(Engine& engine, DType dtype, Shape shape, DriverOnly<const void*> values);
/// Every PE gives some rows, of one dtype and inner shape; the result has them in PE order.
Array from_local(Engine& engine, DType dtype, Shape local_shape, DriverOnly<const void*> rows);
/// Copies all elements in row-major order to `destination` on the PEs that give one.
void to_buffer(Engine& engine, Array array, DriverOnly<void*> destination);
/// Copies bytes [begin, end) of the elements in row-major order to `destination` on the PEs that give one.
void read_bytes(Engine& engine, Array array, std::int64_t begin, std::int64_t end, DriverOnly<void*> destination);
/// Replaces bytes [begin, end) of the elements by those at `source`, which one PE alone gives. An interrupt leaves some
/// of them replaced.
void write_bytes(Engine& engine, Array array, std::int64_t begin, std::int64_t end, DriverOnly<const void*> source);
/// The bits of the only element of an array of size 1, on every PE.
std::uint64_t item_bits(Engine& engine, Array array);
/// The element at a position in C order, the same on every PE.
std::uint64_t element_bits(Engine& engine, Array array, std::int64_t position);
/// A command that does nothing on every PE and waits for all.
void noop(Engine& engine);

}  // namespace atl::array

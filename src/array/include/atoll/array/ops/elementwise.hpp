// SPDX-License-Identifier: Apache-2.0
// Evaluation of fused programs: stored, reduced to one value, or both in one pass.
#pragma once

#include <vector>

#include "atoll/array/archive.hpp"
#include "atoll/array/engine.hpp"
#include "atoll/array/kernel/program.hpp"
#include "atoll/array/kernel/tree.hpp"

namespace atl::array {

/// A program leaf: a stored array, or a sequence (array null).
struct LeafSource {
  Array array;
  std::uint64_t start_bits = 0;
  std::uint64_t step_bits = 0;
  template <class Archive>
  void fields(Archive& archive) {
    archive(array, start_bits, step_bits);
  }
};

inline void archive_write(Writer& writer, const Program& program) { writer(program.to_bytes()); }
inline void archive_read(Reader& reader, Program& program) {
  program = Program::from_bytes(reader.read<std::vector<std::byte>>());
}

/// Stores the program's results over `shape`; leaves broadcast to it. `into`: an array of that shape and the first
/// result's dtype whose memory the first result takes over; else null.
std::vector<Array> evaluate(Engine& engine, Program program, std::vector<LeafSource> leaves, Shape shape, Array into);

/// One operation on whole arrays of one shape, for operations that are made of others. Of `cast`, `loop` is the
/// result's dtype.
Array compute(Engine& engine, Op op, DType loop, const std::vector<Array>& operands);

struct Reduced {
  ReductionValue value;
  std::vector<Array> stored;  ///< the program's results from `first_stored` on
};

/// Reduces result 0 over all elements of `shape`; the same bits on every PE, whatever their number. Stores the results
/// from `first_stored` (0 or 1) on.
Reduced reduce_all(Engine& engine, Program program, std::vector<LeafSource> leaves, Shape shape, Reduction kind,
                   std::uint8_t first_stored);

template <class F>
void for_each_array(const Reduced& reduced, F&& visit) {
  for (const Array& array : reduced.stored) visit(array);
}

}  // namespace atl::array

// SPDX-License-Identifier: Apache-2.0
// Large tables of zeros whose pages take memory only once they are written.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace atl {

struct FreeTable {
  void operator()(void* table) const { std::free(table); }
};
/// From calloc, so that a sparse table costs no memory. T is valid when all its bytes are zero.
template <typename T>
using ZeroTable = std::unique_ptr<T[], FreeTable>;

/// Throws std::bad_alloc when there is no memory.
template <typename T>
ZeroTable<T> make_zero_table(std::size_t count) {
  void* made = std::calloc(count, sizeof(T));
  if (made == nullptr) throw std::bad_alloc();
  return ZeroTable<T>(static_cast<T*>(made));
}

}  // namespace atl

// SPDX-License-Identifier: Apache-2.0
// Helpers shared by the parts of MPI_T.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "tool/tool.hpp"

namespace atl::mpi::tool {

template <class Index>
bool fits(int index, Index count) {
  return index >= 0 && static_cast<std::size_t>(index) < static_cast<std::size_t>(count);
}

/// Copies as much of `text` as fits, and sets `*length` to the length including the terminating zero.
inline void give_text(std::string_view text, char* to, int* length) {
  if (length == nullptr) return;
  if (to != nullptr && *length > 0) {
    std::size_t copied = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(to, text.data(), copied);
    to[copied] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

template <class T>
void store(T* place, T value) {
  if (place != nullptr) *place = value;
}

/// Handles that are allocated and freed, each for one entry of a constant table. Not thread-safe.
template <class Of>
class Handles {
 public:
  void* allocate(const Of& of) {
    auto made = std::make_unique<const Of*>(&of);
    void* handle = made.get();
    live_.emplace(handle, std::move(made));
    return handle;
  }
  /// Returns false for an unknown handle.
  bool free(void* handle) { return live_.erase(handle) != 0; }
  /// Returns null for an unknown handle.
  const Of* find(void* handle) const {
    auto found = live_.find(handle);
    return found == live_.end() ? nullptr : *found->second;
  }
  void clear() { live_.clear(); }

 private:
  std::unordered_map<void*, std::unique_ptr<const Of*>> live_;
};

/// Free all handles and sessions at the last MPI_T_finalize.
void forget_controls();
void forget_sessions();

/// Categories of variables. Each performance variable names its category.
enum class Category : int { all, configuration, messages, transfers, files, count_ };

/// The category of a performance variable.
Category category_of_figure(std::size_t index);
std::size_t figures_known();

}  // namespace atl::mpi::tool

// SPDX-License-Identifier: Apache-2.0
// Building blocks of the generated entry points.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "atoll/runtime/progress.hpp"
#include "core/handler.hpp"
#include "core/library.hpp"
#include "mpi.h"

namespace atl::mpi {

/// Return value of a function without a body: a code of no class.
inline int not_available() { return static_cast<int>(0xAAAAAAAAu); }

/// The code of a body: MPI_SUCCESS when it returns void.
template <class Body>
inline int code_of(Body&& body) {
  if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
    body();
    return MPI_SUCCESS;
  } else {
    return body();
  }
}

/// Makes progress. For calls that a program may poll: messages of other ranks advance meanwhile.
inline void poll_progress() {
  if (is_active()) [[likely]]
    library().progress().progress_at_hand();
}

/// Throws Failure when the pointer to a result or name is null.
inline void need_place(const void* place, const char* argument) {
  if (place == nullptr) [[unlikely]]
    fail_of_nothing(MPI_ERR_ARG, "{} is a null pointer", argument);
}

/// A copy of an int array with a wider element type; null stays null.
template <class Wide>
class Widened {
 public:
  Widened(const int* from, std::int64_t count) {
    if (from == nullptr || count <= 0) {
      data_ = from == nullptr ? nullptr : few_.data();
      return;
    }
    auto size = static_cast<std::size_t>(count);
    if (size > few_.size()) many_ = std::make_unique<Wide[]>(size);
    Wide* to = many_ ? many_.get() : few_.data();
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
    data_ = to;
  }
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;
  const Wide* data() const { return data_; }

 private:
  std::array<Wide, 16> few_;
  std::unique_ptr<Wide[]> many_;
  const Wide* data_ = nullptr;
};

/// Storage for the large-count form of an int argument: converts the caller's value in, and the result back.
class Narrowed {
 public:
  explicit Narrowed(int* to) : to_(to), value_(0) {}
  std::int64_t* out() {
    if (to_ == nullptr) return nullptr;
    value_ = *to_;
    return &value_;
  }
  void store() const {
    if (to_ == nullptr) return;
    bool fits = value_ >= std::numeric_limits<int>::min() && value_ <= std::numeric_limits<int>::max();
    *to_ = fits ? static_cast<int>(value_) : MPI_UNDEFINED;
  }

 private:
  int* to_;
  std::int64_t value_;
};

}  // namespace atl::mpi

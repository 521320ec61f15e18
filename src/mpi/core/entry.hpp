// SPDX-License-Identifier: Apache-2.0
// What generated entry points are made of.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "core/handler.hpp"
#include "core/library.hpp"
#include "mpi.h"

namespace atl::mpi {

/// What the function answers that has no body yet: a code of no class.
inline int not_available() { return static_cast<int>(0xAAAAAAAAu); }

/// Success for bodies that return nothing.
template <class Body>
inline int code_of(Body&& body) {
  if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
    body();
    return MPI_SUCCESS;
  } else {
    return body();
  }
}

/// For calls that a program repeats until something has changed, whatever that is: messages of others make progress
/// meanwhile.
inline void poll_progress() {
  if (is_active()) [[likely]]
    library().context().progress_at_hand();
}

/// Failure for a null pointer where a result is to be stored, or a name is.
inline void need_place(const void* place, const char* argument) {
  if (place == nullptr) [[unlikely]]
    fail_of_nothing(MPI_ERR_ARG, "{} is a null pointer", argument);
}

/// An array of int as one of a wider type; null stays null.
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

/// Where the _c form puts (and may find) what the int form's caller wants as int.
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

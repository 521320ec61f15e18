// SPDX-License-Identifier: Apache-2.0
// What the tests of movement and look-up kernels share: a Work with some threads, counts around vector widths and
// piece sizes, and arrays that start off a line and end with a guard.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"
#include "atoll/base/random.hpp"

namespace atl::array::testing {

struct Harness {
  explicit Harness(unsigned threads) : pool(threads) {}
  ThreadPool pool;
  SystemMemory memory;
  Monitor monitor;
  Work work{pool, memory, monitor};
};

inline const std::vector<unsigned>& thread_counts() {
  static const std::vector<unsigned> counts{1, 2, 3};
  return counts;
}

/// Around vectors, blocks, pieces and the point from which several threads work.
inline const std::vector<std::size_t>& element_counts() {
  static const std::vector<std::size_t> counts{0,    1,    2,     7,     8,     9,     15,   16,  17,
                                               63,   64,   65,    127,   129,   511,   512,  513, 1000,
                                               1025, 4097, 16383, 16384, 16385, 40000, 70001};
  return counts;
}

/// `count` elements that start `shift` elements past a line, with guards around that `intact` checks.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::size_t count, std::size_t shift = 0) : count_(count), shift_(shift) {
    bytes_.reset(static_cast<unsigned char*>(std::aligned_alloc(64, (total() + 63) / 64 * 64)));
    std::memset(bytes_.get(), guard, total());
  }
  T* data() const { return reinterpret_cast<T*>(bytes_.get() + 64) + shift_; }
  T& operator[](std::size_t i) const { return data()[i]; }
  std::size_t size() const { return count_; }
  T* begin() const { return data(); }
  T* end() const { return data() + count_; }
  bool intact() const {
    const auto* first = reinterpret_cast<const unsigned char*>(data());
    for (const unsigned char* at = bytes_.get(); at < first; ++at)
      if (*at != guard) return false;
    for (const unsigned char* at = first + count_ * sizeof(T); at < bytes_.get() + total(); ++at)
      if (*at != guard) return false;
    return true;
  }

 private:
  static constexpr unsigned char guard = 0xA5;
  struct Free {
    void operator()(unsigned char* block) const { std::free(block); }
  };
  std::size_t total() const { return 64 + (shift_ + count_) * sizeof(T) + 64; }
  std::size_t count_, shift_;
  std::unique_ptr<unsigned char, Free> bytes_;
};

/// Random bits as a value, with the values that cause trouble among them.
template <class T>
T troublesome(SequentialRandom& random) {
  using Limits = std::numeric_limits<T>;
  std::uint64_t bits = random();
  if constexpr (std::is_same_v<T, bool>) {
    return bits & 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    const T special[] = {
        T(0), -T(0), Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::max(), Limits::denorm_min(),
        T(1), T(-1), Limits::lowest()};
    if (bits % 4 == 0) return special[bits / 4 % 10];
    return static_cast<T>(static_cast<std::int64_t>(bits) >> 40) / T(64);
  } else {
    const T special[] = {T(0), Limits::min(), Limits::max(), T(1), static_cast<T>(-1)};
    if (bits % 4 == 0) return special[bits / 4 % 5];
    return static_cast<T>(bits >> 8);
  }
}

template <class Body>
void for_all_dtypes(Body body) {
  for (std::size_t code = 0; code < dtype_count; ++code) {
    SCOPED_TRACE(std::string(name_of(static_cast<DType>(code))));
    dispatch(static_cast<DType>(code), body);
  }
}

}  // namespace atl::array::testing

// SPDX-License-Identifier: Apache-2.0
// Inputs that every PE can compute for every other, and what collectives must make of them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/random.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/heap.hpp"
#include "atoll/runtime/parts.hpp"
#include "atoll/runtime/pe_memory.hpp"

namespace atl::coll::testing {

/// What the Error says with which a call fails; nothing when it does not.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) { return error.what(); }
  return {};
}

/// Memory as callers have it: private, or in the heap of the Context.
class Bytes {
 public:
  Bytes(runtime::Context& context, std::size_t size, bool in_heap) : size_(size) {
    if (in_heap) {
      heap_ = &runtime::Parts(context).memory.heap();
      data_ = static_cast<std::byte*>(heap_->allocate(size + 1));
      data_[0] = std::byte{0xEE};
    } else {
      own_.assign(size + 1, std::byte{0xEE});
      data_ = own_.data();
    }
  }
  ~Bytes() {
    if (heap_ != nullptr) heap_->release(data_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  runtime::Heap* heap_ = nullptr;
  std::vector<std::byte> own_;
  std::byte* data_;
  std::size_t size_;
};

/// memcpy that takes a null pointer with no bytes, as empty vectors give.
inline void copy(void* into, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(into, from, bytes);
}

inline std::uint64_t stream(std::uint64_t call, int rank) {
  return random_bits(call * 1315423911u + 77, static_cast<std::uint64_t>(rank));
}

inline std::vector<std::byte> random_bytes(std::uint64_t key, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(random_bits(key, i / 8) >> (i % 8 * 8));
  return bytes;
}

template <class T>
T random_value(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>) return bits % 2 != 0;
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(0.5 + to_unit_interval(bits));
  else if constexpr (!std::is_integral_v<T>) {  // complex
    using Part = typename T::value_type;
    return T(static_cast<Part>(0.5 + to_unit_interval(bits)), static_cast<Part>(to_unit_interval(bits >> 7) - 0.5));
  } else return static_cast<T>(bits);
}

template <class T>
void fill_values(T* into, std::uint64_t key, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) into[i] = random_value<T>(random_bits(key, i));
}

/// The tree of the documentation, evaluated by one PE: pairs first, then a complete binary tree.
template <class T, class Combine>
T evaluate_tree(std::vector<T> values, Combine&& combine) {
  std::size_t leaves = 1;
  while (leaves * 2 <= values.size()) leaves *= 2;
  std::size_t extra = values.size() - leaves;
  std::vector<T> level;
  for (std::size_t i = 0; i < extra; ++i) level.push_back(combine(values[2 * i], values[2 * i + 1]));
  for (std::size_t i = 2 * extra; i < values.size(); ++i) level.push_back(values[i]);
  while (level.size() > 1) {
    std::vector<T> next;
    for (std::size_t i = 0; i < level.size(); i += 2) next.push_back(combine(level[i], level[i + 1]));
    level = next;
  }
  return level[0];
}

}  // namespace atl::coll::testing

// SPDX-License-Identifier: Apache-2.0
// Writes values into bytes and reads them back: for commands between PEs of one build, so without versions.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/base/assertion.hpp"

namespace atl::array {

template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends values. A class takes part by `template <class A> void fields(A& archive) { archive(a_, b_); }`, or, when it
/// is not ours to change or needs the reader's context, by `archive_write(Writer&, value)` and `archive_read(Reader&,
/// value)`.
class Writer {
 public:
  template <class... Ts>
  void operator()(const Ts&... values) {
    (put(values), ...);
  }
  std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (is_plain<T>) {
      raw(&value, sizeof(T));
    } else if constexpr (requires { archive_write(*this, value); }) {
      archive_write(*this, value);
    } else {
      const_cast<T&>(value).fields(*this);
    }
  }
  template <class T, std::size_t N>
  void put(const std::array<T, N>& values) {
    for (const T& value : values) put(value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    if constexpr (is_plain<T>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) put(value);
    }
  }
  void put(const std::string& text) {
    put(text.size());
    raw(text.data(), text.size());
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& value) {
    put(value.first);
    put(value.second);
  }
  void raw(const void* data, std::size_t size) {
    auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::byte> bytes_;
};

/// Reads what a Writer wrote, in the same order. `context` is handed to archive_read overloads that need one.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes, void* context = nullptr) : bytes_(bytes), context_(context) {}

  template <class... Ts>
  void operator()(Ts&... values) {
    (get(values), ...);
  }
  template <class T>
  T read() {
    T value{};
    get(value);
    return value;
  }
  void* context() const { return context_; }

 private:
  template <class T>
  void get(T& value) {
    if constexpr (is_plain<T>) {
      raw(&value, sizeof(T));
    } else if constexpr (requires { archive_read(*this, value); }) {
      archive_read(*this, value);
    } else {
      value.fields(*this);
    }
  }
  template <class T, std::size_t N>
  void get(std::array<T, N>& values) {
    for (T& value : values) get(value);
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.resize(read<std::size_t>());
    if constexpr (is_plain<T>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) get(value);
    }
  }
  void get(std::string& text) {
    text.resize(read<std::size_t>());
    raw(text.data(), text.size());
  }
  template <class T>
  void get(std::optional<T>& value) {
    if (read<bool>()) get(value.emplace());
    else value.reset();
  }
  template <class A, class B>
  void get(std::pair<A, B>& value) {
    get(value.first);
    get(value.second);
  }
  void raw(void* data, std::size_t size) {
    ATOLL_ASSERT(size <= bytes_.size());
    std::memcpy(data, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }

  std::span<const std::byte> bytes_;
  void* context_;
};

}  // namespace atl::array

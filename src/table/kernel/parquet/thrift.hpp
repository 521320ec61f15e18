// SPDX-License-Identifier: Apache-2.0
// Thrift's compact protocol, in which Parquet's metadata are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "atoll/base/validate.hpp"

namespace atl::table::parquet {

inline constexpr int max_depth = 16;  // of structs in structs

/// Thrift's compact protocol, as far as page headers and footers need it. ValueError with `broken` where it is none.
class Thrift {
 public:
  enum Kind : unsigned {
    stop = 0,
    yes = 1,
    no = 2,
    byte = 3,
    i16 = 4,
    i32 = 5,
    i64 = 6,
    real = 7,
    binary = 8,
    list = 9,
    set = 10,
    map = 11,
    structure = 12
  };

  Thrift(std::span<const std::byte> bytes, std::size_t& at, const char* broken)
      : bytes_(bytes), at_(at), broken_(broken) {}

  /// Calls `visit(field, kind)` for each field of a struct, which reads it or says false: then it is passed over.
  template <class Visit>
  void for_fields(Visit&& visit, int depth = 0) {
    check(depth < max_depth);
    std::int64_t field = 0;
    for (;;) {
      const unsigned head = next();
      const unsigned kind = head & 15;
      if (kind == stop) return;
      // Numbers of fields are 16 bits; others are none that anybody knows.
      field = (head >> 4) != 0 ? static_cast<std::int16_t>(field + (head >> 4)) : static_cast<std::int16_t>(number());
      if (!visit(field, kind)) skip(kind, depth);
    }
  }
  /// Calls `visit(number, kind)` for each element of a list of one kind, which reads it.
  template <class Visit>
  void for_elements(Visit&& visit) {
    const unsigned head = next();
    std::uint64_t count = head >> 4;
    if (count == 15) count = varint();
    check(count <= bytes_.size());
    for (std::uint64_t i = 0; i < count; ++i) visit(i, head & 15);
  }
  std::string_view text() {
    const std::uint64_t size = varint();
    const std::size_t from = at_;
    pass(size);
    return {reinterpret_cast<const char*>(bytes_.data()) + from, static_cast<std::size_t>(size)};
  }
  std::int64_t number() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }

  /// Passes over a value.
  void skip(unsigned kind, int depth) {
    check(depth < max_depth);
    switch (kind) {
      case yes:
      case no: return;
      case byte: return pass(1);
      case i16:
      case i32:
      case i64: return void(varint());
      case real: return pass(8);
      case binary: return pass(varint());
      case list:
      case set: return for_elements([&](std::uint64_t, unsigned element) { skip_element(element, depth + 1); });
      case structure: return for_fields([](std::int64_t, unsigned) { return false; }, depth + 1);
      default: check(false);
    }
  }
  /// Passes over an element of a list: a bool is a byte there.
  void skip_element(unsigned kind, int depth) { kind <= no ? pass(1) : skip(kind, depth); }

 private:
  void check(bool good) const { ATOLL_VALIDATE(good, ValueError, "{}", broken_); }
  unsigned next() {
    check(at_ < bytes_.size());
    return static_cast<unsigned>(bytes_[at_++]);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const unsigned byte = next();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    check(false);
    return 0;
  }
  void pass(std::uint64_t count) {
    check(count <= bytes_.size() - at_);
    at_ += count;
  }
  std::span<const std::byte> bytes_;
  std::size_t& at_;
  const char* broken_;
};

}  // namespace atl::table::parquet

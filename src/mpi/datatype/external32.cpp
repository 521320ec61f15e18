// SPDX-License-Identifier: Apache-2.0
#include "datatype/external32.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>

namespace atl::mpi::datatype {
namespace {

static_assert(std::endian::native == std::endian::little);

void copy_reversed(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::reverse_copy(from, from + bytes, to);
}

/// Whether it is an x87 long double, which external32 stores as IEEE quadruple.
bool is_extended(const Predefined& element) {
  return LDBL_MANT_DIG == 64 && (element.handle == 0x220 || element.handle == 0x224 || element.handle == 0x225);
}

#if LDBL_MANT_DIG == 64
__extension__ using Quad = __float128;
void put_extended(std::byte* to, const std::byte* from) {
  long double value;
  std::memcpy(&value, from, sizeof value);
  auto wide = static_cast<Quad>(value);
  copy_reversed(to, reinterpret_cast<const std::byte*>(&wide), sizeof wide);
}
void get_extended(std::byte* to, const std::byte* from) {
  Quad wide;
  copy_reversed(reinterpret_cast<std::byte*>(&wide), from, sizeof wide);
  auto value = static_cast<long double>(wide);
  std::memset(to, 0, sizeof value);
  std::memcpy(to, &value, 10);
}
#else
void put_extended(std::byte* to, const std::byte* from) { copy_reversed(to, from, 16); }
void get_extended(std::byte* to, const std::byte* from) { copy_reversed(to, from, 16); }
#endif

/// Integers and wide characters whose sizes differ: stores the low bytes.
bool put_narrowed(const Predefined& element, std::byte* to, const std::byte* from) {
  copy_reversed(to, from, element.external);
  bool negative = element.number == Number::integer && (from[element.external - 1] & std::byte{0x80}) != std::byte{0};
  std::byte rest{static_cast<unsigned char>(negative ? 0xff : 0)};
  return std::all_of(from + element.external, from + element.size, [=](std::byte one) { return one == rest; });
}
void get_widened(const Predefined& element, std::byte* to, const std::byte* from) {
  copy_reversed(to, from, element.external);
  bool negative = element.number == Number::integer && (from[0] & std::byte{0x80}) != std::byte{0};
  std::memset(to + element.external, negative ? 0xff : 0, element.size - std::size_t{element.external});
}

template <bool packing>
class Converter {
 public:
  explicit Converter(std::byte* packed) : packed_(packed) {}
  bool exact() const { return exact_; }

  void walk(const Node& node, std::byte* user) {
    switch (node.kind) {
      case Node::Kind::leaf: return element(*node.element, user + node.offset);
      case Node::Kind::repeat: return repeat(*node.child, user + node.offset, node.stride, node.count);
      case Node::Kind::blocks:
        for (const Entry& entry : node.entries) repeat(*node.child, user + entry.offset, node.stride, entry.count);
        return;
      case Node::Kind::pieces:
        for (const Entry& entry : node.entries) walk(*entry.child, user + entry.offset);
    }
  }
  void repeat(const Node& child, std::byte* user, Count stride, Count count) {
    for (Count i = 0; i < count; ++i) walk(child, user + i * stride);
  }

 private:
  void element(const Predefined& element, std::byte* user) {
    std::size_t parts = element.number == Number::complex ? 2 : 1;
    for (std::size_t i = 0; i < parts; ++i, user += element.size / parts, packed_ += element.external / parts) {
      if (is_extended(element)) {
        if constexpr (packing) put_extended(packed_, user);
        else get_extended(user, packed_);
      } else if (element.size != element.external) {
        if constexpr (packing) exact_ = put_narrowed(element, packed_, user) && exact_;
        else get_widened(element, user, packed_);
      } else {
        if constexpr (packing) copy_reversed(packed_, user, element.size / parts);
        else copy_reversed(user, packed_, element.size / parts);
      }
    }
  }
  std::byte* packed_;
  bool exact_ = true;
};

}  // namespace

bool pack_external32(const Type& type, Count count, const void* base, void* packed) {
  Converter<true> converter(static_cast<std::byte*>(packed));
  auto* user = static_cast<std::byte*>(const_cast<void*>(base));  // read only
  converter.repeat(*type.description(), user, type.extent(), count);
  return converter.exact();
}

bool unpack_external32(const Type& type, Count count, void* base, const void* packed) {
  Converter<false> converter(static_cast<std::byte*>(const_cast<void*>(packed)));  // read only
  converter.repeat(*type.description(), static_cast<std::byte*>(base), type.extent(), count);
  return converter.exact();
}

}  // namespace atl::mpi::datatype

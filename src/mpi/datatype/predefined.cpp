// SPDX-License-Identifier: Apache-2.0
#include "datatype/predefined.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace atl::mpi::datatype {
namespace {

using enum Number;

template <class T>
struct WithIndex {
  T value;
  int index;
};
template <class T>
constexpr Predefined pair_of(std::uint16_t handle, const char* name, std::uint8_t external, std::uint16_t value) {
  using Pair = WithIndex<T>;
  return {handle, name, sizeof(T) + sizeof(int), external, pair, value, offsetof(Pair, index), sizeof(Pair)};
}

// clang-format off
constexpr std::array table{
    Predefined{0x201, "MPI_AINT", 8, 8, integer},
    Predefined{0x202, "MPI_COUNT", 8, 8, integer},
    Predefined{0x203, "MPI_OFFSET", 8, 8, integer},
    Predefined{0x207, "MPI_PACKED", 1, 1, bytes},
    Predefined{0x208, "MPI_SHORT", 2, 2, integer},
    Predefined{0x209, "MPI_INT", 4, 4, integer},
    Predefined{0x20a, "MPI_LONG", sizeof(long), 4, integer},
    Predefined{0x20b, "MPI_LONG_LONG_INT", 8, 8, integer},
    Predefined{0x20c, "MPI_UNSIGNED_SHORT", 2, 2, natural},
    Predefined{0x20d, "MPI_UNSIGNED", 4, 4, natural},
    Predefined{0x20e, "MPI_UNSIGNED_LONG", sizeof(long), 4, natural},
    Predefined{0x20f, "MPI_UNSIGNED_LONG_LONG", 8, 8, natural},
    Predefined{0x210, "MPI_FLOAT", 4, 4, real},
    Predefined{0x212, "MPI_C_COMPLEX", 8, 8, complex},
    Predefined{0x213, "MPI_CXX_FLOAT_COMPLEX", 8, 8, complex},
    Predefined{0x214, "MPI_DOUBLE", 8, 8, real},
    Predefined{0x216, "MPI_C_DOUBLE_COMPLEX", 16, 16, complex},
    Predefined{0x217, "MPI_CXX_DOUBLE_COMPLEX", 16, 16, complex},
    Predefined{0x218, "MPI_LOGICAL", 4, 4, logical},
    Predefined{0x219, "MPI_INTEGER", 4, 4, integer},
    Predefined{0x21a, "MPI_REAL", 4, 4, real},
    Predefined{0x21b, "MPI_COMPLEX", 8, 8, complex},
    Predefined{0x21c, "MPI_DOUBLE_PRECISION", 8, 8, real},
    Predefined{0x21d, "MPI_DOUBLE_COMPLEX", 16, 16, complex},
    Predefined{0x21e, "MPI_CHARACTER", 1, 1, character},
    Predefined{0x220, "MPI_LONG_DOUBLE", sizeof(long double), 16, real},
    Predefined{0x224, "MPI_C_LONG_DOUBLE_COMPLEX", 2 * sizeof(long double), 32, complex},
    Predefined{0x225, "MPI_CXX_LONG_DOUBLE_COMPLEX", 2 * sizeof(long double), 32, complex},
    pair_of<float>(0x228, "MPI_FLOAT_INT", 8, 0x210),
    pair_of<double>(0x229, "MPI_DOUBLE_INT", 12, 0x214),
    pair_of<long>(0x22a, "MPI_LONG_INT", 8, 0x20a),
    pair_of<int>(0x22b, "MPI_2INT", 8, 0x209),
    pair_of<short>(0x22c, "MPI_SHORT_INT", 6, 0x208),
    pair_of<long double>(0x22d, "MPI_LONG_DOUBLE_INT", 20, 0x220),
    Predefined{0x230, "MPI_2REAL", 8, 8, pair, 0x21a, 4, 8},
    Predefined{0x231, "MPI_2DOUBLE_PRECISION", 16, 16, pair, 0x21c, 8, 16},
    Predefined{0x232, "MPI_2INTEGER", 8, 8, pair, 0x219, 4, 8},
    Predefined{0x238, "MPI_C_BOOL", 1, 1, boolean},
    Predefined{0x239, "MPI_CXX_BOOL", 1, 1, boolean},
    Predefined{0x23c, "MPI_WCHAR", sizeof(wchar_t), 2, character},
    Predefined{0x240, "MPI_INT8_T", 1, 1, integer},
    Predefined{0x241, "MPI_UINT8_T", 1, 1, natural},
    Predefined{0x243, "MPI_CHAR", 1, 1, character},
    Predefined{0x244, "MPI_SIGNED_CHAR", 1, 1, integer},
    Predefined{0x245, "MPI_UNSIGNED_CHAR", 1, 1, natural},
    Predefined{0x247, "MPI_BYTE", 1, 1, bytes},
    Predefined{0x248, "MPI_INT16_T", 2, 2, integer},
    Predefined{0x249, "MPI_UINT16_T", 2, 2, natural},
    Predefined{0x250, "MPI_INT32_T", 4, 4, integer},
    Predefined{0x251, "MPI_UINT32_T", 4, 4, natural},
    Predefined{0x258, "MPI_INT64_T", 8, 8, integer},
    Predefined{0x259, "MPI_UINT64_T", 8, 8, natural},
    Predefined{0x2c0, "MPI_LOGICAL1", 1, 1, logical},
    Predefined{0x2c1, "MPI_INTEGER1", 1, 1, integer},
    Predefined{0x2c8, "MPI_LOGICAL2", 2, 2, logical},
    Predefined{0x2c9, "MPI_INTEGER2", 2, 2, integer},
    Predefined{0x2ca, "MPI_REAL2", 2, 2, real},
    Predefined{0x2d0, "MPI_LOGICAL4", 4, 4, logical},
    Predefined{0x2d1, "MPI_INTEGER4", 4, 4, integer},
    Predefined{0x2d2, "MPI_REAL4", 4, 4, real},
    Predefined{0x2d3, "MPI_COMPLEX4", 4, 4, complex},
    Predefined{0x2d8, "MPI_LOGICAL8", 8, 8, logical},
    Predefined{0x2d9, "MPI_INTEGER8", 8, 8, integer},
    Predefined{0x2da, "MPI_REAL8", 8, 8, real},
    Predefined{0x2db, "MPI_COMPLEX8", 8, 8, complex},
    Predefined{0x2e0, "MPI_LOGICAL16", 16, 16, logical},
    Predefined{0x2e1, "MPI_INTEGER16", 16, 16, integer},
    Predefined{0x2e2, "MPI_REAL16", 16, 16, real},
    Predefined{0x2e3, "MPI_COMPLEX16", 16, 16, complex},
    Predefined{0x2eb, "MPI_COMPLEX32", 32, 32, complex}};
// clang-format on
static_assert(std::ranges::is_sorted(table, {}, &Predefined::handle));

// Decimal digits and exponent ranges of gfortran's kinds.
struct Kind {
  std::uint16_t real, complex;
  int digits, range;
};
constexpr std::array kinds{Kind{0x2d2, 0x2db, 6, 37}, Kind{0x2da, 0x2e3, 15, 307}, Kind{0x2e2, 0x2eb, 33, 4931}};

const Kind* select_kind(int digits, int range) {
  for (const Kind& kind : kinds)
    if (kind.digits >= digits && kind.range >= range) return &kind;
  return nullptr;
}

}  // namespace

std::span<const Predefined> predefined() { return table; }

const Predefined* find_predefined(std::uintptr_t handle) {
  auto found = std::ranges::lower_bound(table, handle, {}, &Predefined::handle);
  return found != table.end() && found->handle == handle ? &*found : nullptr;
}

const Predefined* match_size(TypeClass type_class, int size) {
  Number wanted = type_class == TypeClass::logical   ? logical
                  : type_class == TypeClass::integer ? integer
                  : type_class == TypeClass::real    ? real
                                                     : complex;
  for (const Predefined& one : table)
    if (one.handle >= 0x2c0 && one.number == wanted && one.size == size) return &one;
  return nullptr;
}

const Predefined* find_pair(std::uint16_t value, std::uint16_t index) {
  for (const Predefined& one : table) {
    bool fortran = one.handle >= 0x230;
    if (one.number == pair && one.value == value && index == (fortran ? value : int_handle)) return &one;
  }
  return nullptr;
}

const Predefined* select_real(int digits, int range) {
  const Kind* kind = select_kind(digits, range);
  return kind == nullptr ? nullptr : find_predefined(kind->real);
}

const Predefined* select_complex(int digits, int range) {
  const Kind* kind = select_kind(digits, range);
  return kind == nullptr ? nullptr : find_predefined(kind->complex);
}

const Predefined* select_integer(int digits) {
  constexpr std::array<std::array<int, 2>, 5> held{{{2, 0x2c1}, {4, 0x2c9}, {9, 0x2d1}, {18, 0x2d9}, {38, 0x2e1}}};
  for (auto [most, handle] : held)
    if (digits <= most) return find_predefined(static_cast<std::uintptr_t>(handle));
  return nullptr;
}

}  // namespace atl::mpi::datatype
